/*
 * doctor's checks that need a daemon or the network: who listens on an address,
 * providers, tool servers, the sandbox mode and the log.
 *
 * Nothing here starts a daemon unless --online was given.
 */
#include "app/cli/doctor/doctor.h"

#include "app/cli/daemon.h"
#include "app/cli/print/shown_event.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define USUAL_ADDRESS "127.0.0.1:7433"
#define REACH_MS 5000

/* ---- ports ---- */

/* Returns a socket bound to this address; -1: errno has the reason. */
static int bind_to(const char *host, const char *port, bool *ret_is_address)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
		                  .ai_socktype = SOCK_STREAM,
		                  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found;
	int fd, one = 1, why = 0;

	*ret_is_address = getaddrinfo(*host ? host : NULL, port, &hints, &found) == 0;
	if (!*ret_is_address)
		return -1;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) != 0) {
		why = errno;
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	errno = why;
	return fd;
}

/* The inode of the socket that listens on this port, and its owner; 0: none. */
static unsigned long listener_of(unsigned port, unsigned *ret_uid)
{
	static const char *const tables[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	unsigned long found = 0;

	for (size_t i = 0; i < COUNT_OF(tables) && !found; i++) {
		FILE *f = fopen(tables[i], "re");
		char line[512];

		while (f && !found && fgets(line, sizeof line, f)) {
			unsigned at, state, uid;
			unsigned long inode;

			if (sscanf(line,
			           "%*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %u %*s %lu",
			           &at, &state, &uid, &inode) == 4 &&
			    at == port && state == 0x0a) {
				found = inode;
				*ret_uid = uid;
			}
		}
		if (f)
			fclose(f);
	}
	return found;
}

/* *ret_is_closed: only root can read this directory, because the daemon is not dumpable. */
static bool is_held_by(struct doctor *d, int pid, unsigned long inode, bool *ret_is_closed)
{
	const char *dir = doctor_text(d, "/proc/%d/fd", pid);
	const char *wanted = doctor_text(d, "socket:[%lu]", inode);
	DIR *all = opendir(dir);
	struct dirent *e;
	bool found = false;

	*ret_is_closed = !all && errno == EACCES;
	while (all && !found && (e = readdir(all))) {
		char target[64];
		ssize_t len = readlinkat(dirfd(all), e->d_name, target, sizeof target - 1);

		target[MAX(len, 0)] = 0;
		found = strcmp(target, wanted) == 0;
	}
	if (all)
		closedir(all);
	return found;
}

/*
 * The daemon is hardened, so only root can see that the socket is its; the owner of the socket is
 * the next best evidence.
 */
static void tell_taken(struct doctor *d, const char *address, const char *port, bool is_asked)
{
	int holder = daemon_holder(d->c);
	unsigned uid = 0;
	unsigned long inode = listener_of((unsigned)strtoul(port, NULL, 10), &uid);
	bool is_closed = false;

	if (holder && inode && is_held_by(d, holder, inode, &is_closed))
		doctor_tell(d, HEALTH_OK, "port", doctor_text(d, "%s is the daemon's", address),
		            NULL);
	else if (is_closed && uid == geteuid())
		doctor_tell(d, HEALTH_OK, "port",
		            doctor_text(d,
		                        "%s is taken by a program of yours, as it seems the daemon",
		                        address),
		            NULL);
	else if (is_asked)
		doctor_tell(
			d, HEALTH_BAD, "port", doctor_text(d, "%s is taken", address),
			doctor_text(d,
		                    "Find out by whom (ss -ltnp 'sport = :%s'), or choose another.",
		                    port));
	else
		doctor_tell(d, HEALTH_NOTE, "port",
		            doctor_text(d, "%s is taken by another program", address),
		            "`thole open` takes any other port then; --listen chooses one.");
}

/*
 * Tries to bind, which is the only reliable test.  is_asked: the user named the address, so a
 * taken one is a failure and not a note.
 */
static void check_port(struct doctor *d, const char *address, bool is_asked)
{
	const char *colon = strrchr(address, ':');
	struct str host = colon ? str_of(address, (size_t)(colon - address)) : STR_NONE;
	bool is_address = false;
	int fd = -1;

	if (host.len > 2 && host.ptr[0] == '[') /* "[::1]" */
		host = str_of(host.ptr + 1, host.len - 2);
	if (colon)
		fd = bind_to(arena_keep(d->c->mem, host).ptr, colon + 1, &is_address);
	if (fd >= 0) {
		close(fd);
		doctor_tell(d, HEALTH_OK, "port", doctor_text(d, "%s is free", address), NULL);
	} else if (!is_address) {
		doctor_tell(d, HEALTH_BAD, "port", doctor_text(d, "%s is no address", address),
		            "An address is HOST:PORT, like " USUAL_ADDRESS ".");
	} else if (errno == EADDRINUSE) {
		tell_taken(d, address, colon + 1, is_asked);
	} else {
		doctor_tell(d, HEALTH_BAD, "port",
		            doctor_text(d, "%s: %s", address, strerror(errno)),
		            "Choose an address of this machine, and a port above 1023.");
	}
}

void doctor_ask_ports(struct doctor *d)
{
	const struct words *listen = &d->c->opts.listen;

	for (int i = 0; i < listen->count; i++)
		check_port(d, listen->items[i], true);
	if (!listen->count)
		check_port(d, USUAL_ADDRESS, false);
}

/* ---- providers ---- */

struct provider_row {
	struct str name, url;
	bool has_key;
};

#define PROVIDERS_MAX 32

/* Those that the settings name, and those that can be asked without. */
static size_t read_providers(struct json providers, struct provider_row rows[PROVIDERS_MAX])
{
	struct json_iter it = json_iter(providers);
	size_t count = 0;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v) && count < PROVIDERS_MAX) {
		bool has_key = json_bool(JSON_GET(v, "hasCredential"), false);

		if (has_key || json_bool(JSON_GET(v, "isConfigured"), false))
			rows[count++] =
				(struct provider_row){ json_str(JSON_GET(v, "provider")),
				                       json_str(JSON_GET(v, "baseUrl")), has_key };
	}
	return count;
}

static const char *joined(struct doctor *d, const char *so_far, struct str word)
{
	return doctor_text(d, "%s%s%.*s", so_far, *so_far ? ", " : "", STR_ARG(word));
}

static void tell_keys(struct doctor *d, const struct provider_row *rows, size_t count)
{
	const char *with = "", *without = "";

	for (size_t i = 0; i < count; i++)
		if (rows[i].has_key)
			with = joined(d, with, rows[i].name);
		else
			without = joined(d, without, rows[i].name);
	if (!count)
		doctor_tell(d, HEALTH_NOTE, "providers.key",
		            "none is set up; the scripted model answers",
		            "docs/how-to/providers says how one is.");
	else if (*without)
		doctor_tell(d, HEALTH_NOTE, "providers.key",
		            doctor_text(d, "no key for %s", without),
		            "thole auth add NAME, or the variable that the provider's page names.");
	else
		doctor_tell(d, HEALTH_OK, "providers.key", doctor_text(d, "%s can be asked", with),
		            NULL);
}

/* "https://[::1]:8443/v1" gives "::1" and "8443". */
static void split_url(struct arena *mem, struct str url, const char **ret_host,
                      const char **ret_port)
{
	bool is_plain = str_starts(url, STR("http://"));
	struct str rest = str_skip(url, is_plain ? 7 : 8), port = str_cut(&rest, '/'), host;

	if (str_starts(port, STR("["))) {
		port = str_skip(port, 1);
		host = str_cut(&port, ']');
		port = str_skip(port, port.len > 1);
	} else {
		host = str_cut(&port, ':');
	}
	*ret_host = arena_keep(mem, host).ptr;
	*ret_port = port.len ? arena_keep(mem, port).ptr : is_plain ? "80" : "443";
}

static bool can_connect(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int why = -1;

	if (fd < 0)
		return false;
	if ((connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) &&
	    poll(&wait, 1, REACH_MS) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) != 0)
		why = -1;
	close(fd);
	return why == 0;
}

/* Connects and closes again, without sending anything. */
static bool can_reach(struct doctor *d, struct str url)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	const char *host, *port;
	bool is_there = false;

	split_url(d->c->mem, url, &host, &port);
	if (getaddrinfo(host, port, &hints, &found) != 0)
		return false;
	for (const struct addrinfo *a = found; a && !is_there; a = a->ai_next)
		is_there = can_connect(a);
	freeaddrinfo(found);
	return is_there;
}

static void tell_reach(struct doctor *d, const struct provider_row *rows, size_t count)
{
	const char *there = "", *away = "";

	for (size_t i = 0; i < count; i++)
		/* An address with a password, or without its region, is not known. */
		if (!str_is(rows[i].url) || str_find_char(rows[i].url, '{') >= 0)
			continue;
		else if (can_reach(d, rows[i].url))
			there = joined(d, there, rows[i].name);
		else
			away = joined(d, away, rows[i].url);
	if (*away)
		doctor_tell(d, HEALTH_BAD, "providers.reach",
		            doctor_text(d, "cannot connect to %s", away),
		            "Check the network, the proxy, and the provider's baseUrl in the "
		            "settings.");
	else
		doctor_tell(d, HEALTH_OK, "providers.reach",
		            count ? doctor_text(d, "%s can be reached", there) : "nothing to reach",
		            NULL);
}

static void check_providers(struct doctor *d)
{
	struct provider_row rows[PROVIDERS_MAX];
	struct params p;
	struct json reply;
	size_t count;

	params_begin(&p);
	if (connection_try(d->c, "list_providers", &p, false, &reply) != THOLE_OK)
		return;
	count = read_providers(JSON_GET(reply, "providers"), rows);
	tell_keys(d, rows, count);
	if (d->c->opts.online)
		tell_reach(d, rows, count);
}

/* Nothing uses a name that no provider offers, and a turn that needs it fails. */
static void check_chain(struct doctor *d)
{
	const char *missing = "";
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;

	params_begin(&p);
	if (connection_try(d->c, "list_models", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "notOffered"));
	while (json_next(&it, &key, &v))
		missing = joined(d, missing, json_str(v));
	if (*missing)
		doctor_tell(d, HEALTH_BAD, "routing.fallback",
		            doctor_text(d,
		                        "routing.fallback_chain names %s, which no provider offers",
		                        missing),
		            "thole models --all lists what can be named: PROVIDER/MODEL.");
}

/* NAME (STATUS: DETAIL), of something outside that the runtime uses. */
static struct str name_and_status(struct doctor *d, struct json v)
{
	struct str detail = json_str(JSON_GET(v, "detail"));

	return arena_printf(d->c->mem, "%.*s (%.*s%s%.*s)", STR_ARG(json_str(JSON_GET(v, "name"))),
	                    STR_ARG(json_str(JSON_GET(v, "status"))), str_is(detail) ? ": " : "",
	                    STR_ARG(detail));
}

/* ---- tool servers ---- */

/* One line for all servers: the worst state decides about it. */
static void check_servers(struct doctor *d)
{
	const char *ready = "", *waiting = "", *broken = "";
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;

	params_begin(&p);
	if (connection_try(d->c, "list_tool_servers", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "servers"));
	while (json_next(&it, &key, &v)) {
		struct str status = json_str(JSON_GET(v, "status"));
		struct str name = name_and_status(d, v);

		if (str_eq(status, STR(WORD_TOOL_SERVER_STATUS_READY)))
			ready = joined(
				d, ready,
				arena_printf(d->c->mem, "%.*s (%lld tools%s)",
			                     STR_ARG(json_str(JSON_GET(v, "name"))),
			                     (long long)json_int(JSON_GET(v, "toolCount"), 0),
			                     json_is(JSON_GET(v, "sampling")) ? ", may ask models"
			                                                      : ""));
		else if (str_eq(status, STR(WORD_TOOL_SERVER_STATUS_DOWN)) ||
		         str_eq(status, STR(WORD_TOOL_SERVER_STATUS_UNSUPPORTED)))
			broken = joined(d, broken, name);
		else
			waiting = joined(d, waiting, name);
	}
	if (*broken)
		doctor_tell(d, HEALTH_BAD, "tools.servers", broken,
		            "thole mcp show SERVER says what it wrote; docs/how-to/mcp.md.");
	else if (*waiting)
		doctor_tell(d, HEALTH_NOTE, "tools.servers", waiting,
		            "thole mcp ls; a project's servers start after thole mcp trust SERVER, "
		            "those "
		            "that require a login after thole mcp login SERVER.");
	else
		doctor_tell(d, HEALTH_OK, "tools.servers", *ready ? ready : "none in the settings",
		            NULL);
}

/* ---- remote agents ---- */

/* Their cards are read only if the user asked for a look at the network. */
static void check_peers(struct doctor *d)
{
	const char *ready = "", *broken = "", *changed = "";
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;

	params_begin(&p);
	if (d->c->opts.online)
		params_bool(&p, "check", true);
	if (connection_try(d->c, "list_peers", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "peers"));
	while (json_next(&it, &key, &v)) {
		struct str status = json_str(JSON_GET(v, "status"));
		struct str name = name_and_status(d, v);

		if (str_eq(status, STR(WORD_PEER_STATUS_DOWN)))
			broken = joined(d, broken, name);
		else if (str_eq(status, STR(WORD_PEER_STATUS_CARD_CHANGED)))
			changed = joined(d, changed, name);
		else
			ready = joined(d, ready, name);
	}
	if (*broken)
		doctor_tell(d, HEALTH_BAD, "agents.remote", broken,
		            "thole peer show NAME says more; docs/how-to/delegate.md.");
	else if (*changed)
		doctor_tell(d, HEALTH_NOTE, "agents.remote", changed,
		            "The next delegation asks whether the changed card is allowed.");
	else
		doctor_tell(d, HEALTH_OK, "agents.remote", *ready ? ready : "none in the settings",
		            NULL);
}

/* ---- webhooks ---- */

static void check_triggers(struct doctor *d)
{
	const char *names = "";
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;

	params_begin(&p);
	if (connection_try(d->c, "list_triggers", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "triggers"));
	while (json_next(&it, &key, &v))
		names = joined(d, names,
		               arena_printf(d->c->mem, "%.*s (%.*s)",
		                            STR_ARG(json_str(JSON_GET(v, "name"))),
		                            STR_ARG(json_str(JSON_GET(v, "signature")))));
	doctor_tell(d, HEALTH_OK, "triggers", *names ? names : "none in the settings", NULL);
}

/* ---- issuers ---- */

static bool ask_issuers(struct doctor *d, struct json *ret)
{
	struct params p;

	params_begin(&p);
	if (d->c->opts.online)
		params_bool(&p, "check", true);
	return connection_try(d->c, "list_issuers", &p, false, ret) == THOLE_OK;
}

static bool is_any_fetching(struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "issuers"));
	struct str key;
	struct json v;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "status")), STR(WORD_ISSUER_STATUS_FETCHING)))
			return true;
	return false;
}

/* Their keys are fetched only if the user asked for a look at the network. */
static void check_issuers(struct doctor *d)
{
	struct timespec pause = { .tv_nsec = 100000000 };
	const char *ready = "", *broken = "";
	struct json_iter it;
	struct json reply, v;
	struct str key;

	if (!ask_issuers(d, &reply) || !json_count(JSON_GET(reply, "issuers")))
		return;
	/* metadata at two places, and the keys */
	for (int i = 0; i < 3 * LIMIT_JWT_FETCH_MS / 100 && is_any_fetching(reply); i++) {
		nanosleep(&pause, NULL);
		if (!ask_issuers(d, &reply))
			return;
	}
	it = json_iter(JSON_GET(reply, "issuers"));
	while (json_next(&it, &key, &v)) {
		struct str status = json_str(JSON_GET(v, "status"));
		struct str name = name_and_status(d, v);

		if (str_eq(status, STR(WORD_ISSUER_STATUS_DOWN)))
			broken = joined(d, broken, name);
		else
			ready = joined(d, ready, name);
	}
	if (*broken)
		doctor_tell(d, HEALTH_BAD, "auth.issuers", broken,
		            "Compare its address in auth.issuers with `issuer` of its metadata; "
		            "docs/how-to/sign-in-with-an-issuer.md.");
	else
		doctor_tell(d, HEALTH_OK, "auth.issuers", ready, NULL);
}

/* ---- hooks ---- */

/*
 * notify.url is among them.  Only the host is shown: the path of such an address is often a
 * secret.
 */
static void tell_hook_reach(struct doctor *d, struct json hooks)
{
	const char *there = "", *away = "", *host, *port;
	struct json_iter it = json_iter(hooks);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct str url = json_str(JSON_GET(v, "handler"));

		if (!str_eq(json_str(JSON_GET(v, "kind")), STR(WORD_HOOK_HANDLER_HTTP)) ||
		    str_eq(json_str(JSON_GET(v, "trust")), STR(WORD_HOOK_TRUST_UNTRUSTED)))
			continue;
		split_url(d->c->mem, url, &host, &port);
		if (can_reach(d, url))
			there = joined(d, there, json_str(JSON_GET(v, "ref")));
		else
			away = joined(d, away,
			              arena_printf(d->c->mem, "%.*s (%s port %s)",
			                           STR_ARG(json_str(JSON_GET(v, "ref"))), host,
			                           port));
	}
	if (*away)
		doctor_tell(d, HEALTH_BAD, "hooks.reach",
		            doctor_text(d, "cannot connect to %s", away),
		            "Check the network, and the address in the setting hooks or "
		            "notify.url.");
	else if (*there)
		doctor_tell(d, HEALTH_OK, "hooks.reach", doctor_text(d, "%s can be reached", there),
		            NULL);
}

/* Hooks depend on the directory, so those of the current one are checked. */
static void check_hooks(struct doctor *d)
{
	const char *refused = "", *asleep = "";
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;
	char *here = realpath(".", NULL);

	params_begin(&p);
	if (here)
		params_str(&p, "cwd", str_from(here));
	free(here);
	if (connection_try(d->c, "list_hooks", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "hooks"));
	while (json_next(&it, &key, &v)) {
		struct str ref = json_str(JSON_GET(v, "ref"));
		struct str why = json_str(JSON_GET(v, "refused"));

		if (why.len)
			refused = joined(
				d, refused,
				arena_printf(d->c->mem, "%.*s: %.*s", STR_ARG(ref), STR_ARG(why)));
		else if (str_eq(json_str(JSON_GET(v, "trust")), STR("untrusted")))
			asleep = joined(d, asleep, ref);
	}
	if (*refused)
		doctor_tell(d, HEALTH_BAD, "hooks", refused, "docs/how-to/hooks.md, \"Rights\".");
	else if (*asleep)
		doctor_tell(d, HEALTH_NOTE, "hooks", asleep,
		            "thole hooks ls; a project's hooks are asked after thole hooks trust.");
	else
		doctor_tell(d, HEALTH_OK, "hooks", "none is refused", NULL);
	if (d->c->opts.online)
		tell_hook_reach(d, JSON_GET(reply, "hooks"));
}

/* ---- sandbox mode ---- */

/* Full access is a choice and not a defect, but one that is easily forgotten. */
static void check_mode(struct doctor *d)
{
	struct params p;
	struct json reply;
	struct str mode;

	params_begin(&p);
	if (connection_try(d->c, "get_capabilities", &p, false, &reply) != THOLE_OK)
		return;
	mode = json_str(shown_event_path(reply, STR("sandbox.mode")));
	if (!str_eq(mode, STR(WORD_SANDBOX_MODE_DANGER_FULL_ACCESS)))
		doctor_tell(d, HEALTH_OK, "sandbox.mode",
		            str_is(mode) ? out_safe(d->c->mem, mode)
		                         : "unknown until the first command has run",
		            NULL);
	else
		doctor_tell(d, HEALTH_NOTE, "sandbox.mode",
		            "the daemon runs commands without a sandbox (danger_full_access)",
		            "Remove sandbox.mode from the settings, then run: thole serve --stop");
}

/* A person who finds a directory CLAUDE.md in the workspace learns here what it is. */
static void check_placeholders(struct doctor *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_iter it;
	struct json reply, v;
	struct params p;
	struct str key;
	size_t count;

	params_begin(&p);
	if (connection_try(d->c, "list_processes", &p, false, &reply) != THOLE_OK)
		return;
	count = json_count(JSON_GET(reply, "placeholders"));
	if (!count)
		return;
	it = json_iter(JSON_GET(reply, "placeholders"));
	while (json_next(&it, &key, &v))
		buf_printf(&text, "%s%s", text.len ? ", " : "", out_safe(d->c->mem, json_str(v)));
	doctor_tell(d, HEALTH_NOTE, "sandbox.placeholders",
	            doctor_text(d, "%zu empty placeholders of running sandboxes: %.*s", count,
	                        STR_ARG(buf_str(&text))),
	            "To create such a file yourself, run rmdir on its placeholder first. "
	            "`thole process ls` shows what runs there.");
}

/* ---- the log ---- */

static bool first_session(void *arg, struct json row)
{
	*(struct str *)arg = json_str(JSON_GET(row, "sessionId"));
	return false;
}

/* Damage that any read has found since the daemon started. */
static void check_damage(struct doctor *d)
{
	struct json_iter it;
	struct params p;
	struct json reply, v;
	struct str key;
	bool is_any = false;

	params_begin(&p);
	if (connection_try(d->c, "get_capabilities", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(shown_event_path(reply, STR("storage.damaged")));
	while (json_next(&it, &key, &v)) {
		int64_t from = json_int(JSON_GET(v, "from"), 0);
		struct str session = json_str(JSON_GET(v, "sessionId"));

		is_any = true;
		doctor_tell(
			d, HEALTH_BAD, "log.damaged",
			from ? doctor_text(d, "events %lld to %lld of %.*s: %.*s", (long long)from,
		                           (long long)json_int(JSON_GET(v, "to"), 0),
		                           STR_ARG(session),
		                           STR_ARG(json_str(JSON_GET(v, "reason"))))
			     : doctor_text(d, "%.*s: %.*s",
		                           STR_ARG(str_is(session) ? session : STR("log.db")),
		                           STR_ARG(json_str(JSON_GET(v, "reason")))),
			"Keep a copy of the data directory, look at the disk, and restore from a "
			"backup; other sessions can be used meanwhile.");
	}
	if (!is_any)
		doctor_tell(d, HEALTH_OK, "log.damaged", "nothing unreadable was met", NULL);
}

static size_t count_unreachable(struct json nodes)
{
	struct json_iter it = json_iter(nodes);
	struct json v;
	struct str key;
	size_t count = 0;

	while (json_next(&it, &key, &v))
		count += !str_is(json_str(JSON_GET(v, "address")));
	return count;
}

/* Commands for a session of a node without an address fail on all others. */
static void check_nodes(struct doctor *d)
{
	struct json_iter it;
	struct params p;
	struct json reply, nodes, v;
	struct str key, self = STR("local");
	size_t unreachable;

	params_begin(&p);
	if (connection_try(d->c, "list_nodes", &p, false, &reply) != THOLE_OK)
		return;
	nodes = JSON_GET(reply, "nodes");
	it = json_iter(nodes);
	while (json_next(&it, &key, &v))
		if (json_bool(JSON_GET(v, "isSelf"), false))
			self = json_str(JSON_GET(v, "name"));
	unreachable = json_count(nodes) > 1 ? count_unreachable(nodes) : 0;
	if (unreachable)
		doctor_tell(d, HEALTH_BAD, "nodes",
		            doctor_text(d,
		                        "this is node %.*s, and %zu of %zu nodes have no address: "
		                        "the others cannot send them commands",
		                        STR_ARG(self), unreachable, json_count(nodes)),
		            "Set node.address on each node and start it again; to see which, run: "
		            "thole node ls");
	else
		doctor_tell(d, HEALTH_OK, "nodes",
		            doctor_text(d, "this is node %.*s of %zu", STR_ARG(self),
		                        json_count(nodes)),
		            NULL);
}

/* Verifies only the latest session: verifying all takes time in proportion to the log. */
static void check_log(struct doctor *d)
{
	struct str session = STR_NONE;
	struct params p;
	struct json reply, bad;

	if (connection_list(d->c, "list_sessions", "sessions", NULL, first_session, &session) !=
	    CODE_DONE)
		return;
	if (!str_is(session)) {
		doctor_tell(d, HEALTH_OK, "log.chain", "nothing is written yet", NULL);
		return;
	}
	params_begin(&p);
	params_str(&p, "sessionId", session);
	if (connection_try(d->c, "verify_log", &p, false, &reply) != THOLE_OK)
		return;
	bad = JSON_GET(reply, "firstBad");
	if (json_is(bad))
		doctor_tell(
			d, HEALTH_BAD, "log.chain",
			doctor_text(d, "%.*s is broken at event %lld: %.*s", STR_ARG(session),
		                    (long long)json_int(JSON_GET(bad, "sequence"), 0),
		                    STR_ARG(json_str(JSON_GET(bad, "reason")))),
			"To check all sessions, run: thole verify. Keep the file, and restore an "
			"older copy.");
	else
		doctor_tell(d, HEALTH_OK, "log.chain",
		            doctor_text(d,
		                        "the latest session is intact (%lld events); thole verify "
		                        "checks all",
		                        (long long)json_int(JSON_GET(reply, "events"), 0)),
		            NULL);
}

/* check_daemon() has connected if a daemon runs; only --online may start one. */
/* Without a key nothing is signed, and nothing is to be told. */
static void check_signing(struct doctor *d)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	if (connection_try(d->c, "list_signing_keys", &p, false, &reply) != THOLE_OK)
		return;
	if (str_is(json_str(JSON_GET(reply, "trouble"))))
		doctor_tell(d, HEALTH_BAD, "signing",
		            doctor_text(d, "signing: %s", out_field(d->c, reply, "trouble")),
		            "Until then packs cannot be exported and checkpoints prove nothing.");
	else if (json_count(JSON_GET(reply, "keys")))
		doctor_tell(d, HEALTH_OK, "signing", "signing: the key can be used", NULL);
}

void doctor_ask_all(struct doctor *d)
{
	if (!d->c->t && (!d->c->opts.online || connection_open(d->c) != CODE_DONE))
		return;
	check_providers(d);
	check_chain(d);
	check_servers(d);
	check_peers(d);
	check_triggers(d);
	check_issuers(d);
	doctor_grpc(d);
	check_hooks(d);
	check_mode(d);
	check_placeholders(d);
	check_log(d);
	check_signing(d);
	check_damage(d);
	check_nodes(d);
}

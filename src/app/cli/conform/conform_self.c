/*
 * conform self: starts our own runtime in a temporary directory, plays the
 * scenarios of the pack against it, and checks the logs that they leave.
 *
 * Each scenario has a daemon of its own, in another process, with the scripted
 * model: no key and no network is needed.  Settings and keys of the user do not
 * apply.  A scenario that needs kill -9 gets it.
 */
#include "app/cli/conform/conform_log.h"

#include "app/cli/conform/conform_guard.h"
#include "app/cli/conform/scenario.h"
#include "app/cli/daemon.h"
#include "app/cli/print/out.h"
#include "base/jw.h"
#include "base/os/clock.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GONE_MS 30000
#define LOOK_AGAIN_MS 10
#define LOOKS 5
#define LARGE_OUTPUT_BYTES 65536

extern char **environ;

struct own_runtime {
	struct cli c; /* of the daemon's directory */
	const char *dir;
	struct own_runtime *peer; /* NULL: the scenario has none */
	const char *agent;        /* the setting that names the peer */
	struct str peer_options[8];
	size_t peer_option_count;
};

/* ---- files ---- */

static bool write_text(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;

	if (fd >= 0)
		close(fd);
	return is_written;
}

static const char *path_in(struct arena *mem, const char *dir, const char *name)
{
	return arena_printf(mem, "%s/%s", dir, name).ptr;
}

/* ---- the driver ---- */

static bool start(struct own_runtime *o)
{
	int code = CODE_DONE;

	o->c.t = daemon_start(&o->c, &code);
	return o->c.t != NULL;
}

static void set_options(struct own_runtime *o, struct str const *options, size_t count)
{
	struct words *to = &o->c.opts.cli_settings;

	to->count = 0;
	for (size_t i = 0; i < count && i < WORDS_MAX; i++)
		to->items[to->count++] = arena_keep(o->c.mem, options[i]).ptr;
	if (o->agent && to->count < WORDS_MAX)
		to->items[to->count++] = o->agent;
}

static bool own_begin(void *arg, struct str script, struct str const *options, size_t count)
{
	struct own_runtime *o = arg;

	o->c.opts.script = NULL;
	if (str_is(script)) {
		o->c.opts.script = path_in(o->c.mem, o->dir, "script.json");
		if (!write_text(o->c.opts.script, script))
			return false;
	}
	set_options(o, options, count);
	return start(o);
}

static int own_call(void *arg, struct arena *mem, struct str command, struct str params,
                    struct json *ret)
{
	struct own_runtime *o = arg;
	char *reply = NULL;
	int code = thole_call(o->c.t, arena_keep(mem, command).ptr, params.ptr, &reply);

	if (!reply || json_read_trusted(mem, str_from(reply), ret, NULL) != OK)
		code = THOLE_CLOSED;
	thole_free(reply);
	return code;
}

static bool own_events(void *arg, struct str session, int64_t after,
                       void (*take)(void *to, struct str event), void *to)
{
	struct own_runtime *o = arg;
	CLEANUP(buf_done) struct buf params = { 0 };
	struct thole_stream *stream;
	struct json_writer w;
	size_t len;
	char *event;
	int code;

	if (!o->c.t)
		return false;
	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session);
	JW_KINT(&w, "after", after);
	JW_KBOOL(&w, "follow", false);
	jw_obj_end(&w);
	buf_add_char(&params, 0);
	stream = thole_subscribe(o->c.t, params.ptr, NULL);
	if (!stream)
		return false;
	while ((code = thole_next(stream, -1, &event, &len)) == THOLE_OK) {
		take(to, str_of(event, len));
		thole_free(event);
	}
	thole_unsubscribe(stream);
	return code == THOLE_ENDED;
}

/* The kernel's list of locks may lack an entry while others change; so none is believed the fifth time. */
static int holder_of(struct own_runtime *o)
{
	int pid = daemon_holder(&o->c);

	for (int i = 1; i < LOOKS && pid <= 0; i++) {
		poll(NULL, 0, LOOK_AGAIN_MS);
		pid = daemon_holder(&o->c);
	}
	return pid;
}

/* The daemon need not be a child of this process: what shows its end is that the directory is free. */
static bool is_free(struct own_runtime *o, int pid)
{
	int64_t until = clock_mono_ms() + GONE_MS;

	waitpid(pid, NULL, 0);
	while (holder_of(o) == pid && clock_mono_ms() < until)
		poll(NULL, 0, LOOK_AGAIN_MS);
	return daemon_holder(&o->c) != pid;
}

static bool own_kill(void *arg)
{
	struct own_runtime *o = arg;
	int pid = holder_of(o);

	thole_close(o->c.t);
	o->c.t = NULL;
	return pid > 0 && kill(pid, SIGKILL) == 0 && is_free(o, pid);
}

static bool own_again(void *arg, struct str const *options, size_t count)
{
	set_options(arg, options, count);
	return start(arg);
}

static int lost_outputs;

/* A link is the name of an output that another file holds. */
static int lose_output(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	if (kind == FTW_F && st->st_size > LARGE_OUTPUT_BYTES && unlink(path) == 0)
		lost_outputs++;
	return 0;
}

/* As after a disk that lost files: the log names outputs that are not there. */
static bool own_lose(void *arg)
{
	struct own_runtime *o = arg;

	lost_outputs = 0;
	nftw(path_in(o->c.mem, o->c.data, "blobs"), lose_output, 8, FTW_PHYS);
	return lost_outputs > 0;
}

static bool open_own(struct own_runtime *o, struct cli *c, const char *name)
{
	*o = (struct own_runtime){ .c = *c, .dir = path_in(c->mem, c->data, name) };
	o->c.opts.quiet = true;
	o->c.opts.json = false;
	o->c.is_temporary = false;
	o->c.data = path_in(c->mem, o->dir, "data");
	o->c.socket = path_in(c->mem, o->c.data, "socket");
	o->c.daemon_dir = path_in(c->mem, o->dir, "work");
	return mkdir(o->dir, 0700) == 0 && mkdir(o->c.data, 0700) == 0 &&
	       mkdir(o->c.daemon_dir, 0700) == 0;
}

/* ---- another runtime, to which work is delegated ---- */

/* A port that is free now, and that a daemon gets again after a kill; 0: there is none. */
static int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
	    getsockname(fd, (struct sockaddr *)&at, &len) == 0)
		port = ntohs(at.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

/* It knows the driven one as another principal, because none approves what it caused itself. */
static bool peer_start(struct own_runtime *o, struct str script)
{
	static const struct str always[] = { { "a2a.enabled=true", 16 },
		                             { "tools.agents=false", 18 },
		                             { "trace=true", 10 } };
	struct str options[COUNT_OF(always) + COUNT_OF(o->peer_options)];
	struct own_runtime *p = ARENA_NEW(o->c.mem, struct own_runtime);
	struct cli beside = o->c;
	int port = free_port();
	struct json reply;

	beside.data = o->dir;
	beside.t = NULL;
	o->peer = p;
	if (!port || !open_own(p, &beside, "peer"))
		return false;
	p->c.daemon_listen = arena_printf(o->c.mem, "127.0.0.1:%d", port).ptr;
	memcpy(options, always, sizeof always);
	memcpy(options + COUNT_OF(always), o->peer_options, sizeof o->peer_options);
	if (!own_begin(p, script, options, COUNT_OF(always) + o->peer_option_count))
		return false;
	if (own_call(p, o->c.mem, STR("create_token"),
	             STR("{\"name\":\"boss\",\"scopes\":[\"read\",\"write\"]}"), &reply))
		return false;
	o->agent = arena_printf(o->c.mem,
	                        "agents.remote={\"helper\":{\"card\":\"http://%s\",\"headers\":{"
	                        "\"Authorization\":\"Bearer %.*s\"}}}",
	                        p->c.daemon_listen, STR_ARG(json_str(JSON_GET(reply, "token"))))
	                   .ptr;
	return true;
}

static bool add_peer_option(struct own_runtime *o, struct str option)
{
	if (o->peer || o->peer_option_count == COUNT_OF(o->peer_options))
		return false;
	o->peer_options[o->peer_option_count++] = option;
	return true;
}

static bool own_peer(void *arg, enum scenario_peer what, struct str text)
{
	struct own_runtime *o = arg;

	if (what == SCENARIO_PEER_OPTION)
		return add_peer_option(o, text);
	if (what == SCENARIO_PEER_START)
		return !o->peer && peer_start(o, text);
	if (!o->peer)
		return false;
	return what == SCENARIO_PEER_KILL   ? own_kill(o->peer)
	       : what == SCENARIO_PEER_LOSE ? own_lose(o->peer)
	                                    : start(o->peer);
}

static int own_peer_call(void *arg, struct arena *mem, struct str command, struct str params,
                         struct json *ret)
{
	struct own_runtime *o = arg;

	return o->peer && o->peer->c.t ? own_call(o->peer, mem, command, params, ret)
	                               : THOLE_CLOSED;
}

/* ---- ways to it ---- */

static bool own_listen(void *arg)
{
	struct own_runtime *o = arg;
	int port = free_port();

	o->c.daemon_listen = arena_printf(o->c.mem, "127.0.0.1:%d", port).ptr;
	return port > 0 && !o->c.t;
}

static int own_stranger(void *arg, struct arena *mem, struct str command, struct str params,
                        struct json *ret)
{
	struct own_runtime *o = arg;
	struct str body;
	int status = own_transport_stranger(&o->c, mem, command, params, &body);

	if (!status || json_read(mem, body, ret, NULL) != OK)
		return THOLE_CLOSED;
	return status < 300 ? THOLE_OK : THOLE_REFUSED;
}

static bool own_events_over(void *arg, struct arena *mem, struct str transport, struct str session,
                            size_t count, void (*take)(void *to, struct str event), void *to)
{
	struct own_runtime *o = arg;
	struct own_transport_want want = { session, count, take, to };

	return own_transport_events(&o->c, mem, transport, &want);
}

/* ---- one scenario ---- */

static void close_own(struct own_runtime *o)
{
	if (o->c.t)
		thole_close(o->c.t);
	o->c.t = NULL;
	if (daemon_holder(&o->c) > 0)
		daemon_stop(&o->c);
}

static void add_line(void *to, struct str event)
{
	buf_add_str(to, str_trim(event));
	buf_add_char(to, '\n');
}

/* The log of the scenario's session, and that of the runtime itself. */
static void keep_logs(struct cli *c, struct own_runtime *o, struct scenario *s, const char *name)
{
	CLEANUP(buf_done) struct buf system = { 0 };

	write_text(arena_printf(c->mem, "%s/logs/%s.jsonl", c->data, name).ptr, buf_str(&s->log));
	if (o->c.t && own_events(o, STR("sess_system"), 0, add_line, &system) && system.len)
		write_text(arena_printf(c->mem, "%s/logs/%s-system.jsonl", c->data, name).ptr,
		           buf_str(&system));
}

/* What the other runtime recorded is checked as well; the ids of its log are its own. */
static void keep_peer_logs(struct cli *c, struct own_runtime *peer, const char *name)
{
	struct json reply, session;
	struct json_iter it;
	struct str key;
	int n = 0;

	if (!peer->c.t || own_call(peer, c->mem, STR("list_sessions"), STR("{}"), &reply))
		return;
	it = json_iter(JSON_GET(reply, "sessions"));
	while (json_next(&it, &key, &session)) {
		CLEANUP(buf_done) struct buf log = { 0 };

		if (own_events(peer, json_str(JSON_GET(session, "sessionId")), 0, add_line, &log))
			write_text(
				arena_printf(c->mem, "%s/logs/%s-peer-%d.jsonl", c->data, name, ++n)
					.ptr,
				buf_str(&log));
	}
}

static void play(struct cli *c, const char *name, struct str text, struct json_writer *w)
{
	struct own_runtime o;
	struct scenario_driver driver = { .arg = &o,
		                          .begin = own_begin,
		                          .call = own_call,
		                          .events = own_events,
		                          .kill = own_kill,
		                          .lose = own_lose,
		                          .again = own_again,
		                          .patience_ms = c->opts.timeout_ms,
		                          .dir = c->data,
		                          .peer = own_peer,
		                          .peer_call = own_peer_call,
		                          .listen = own_listen,
		                          .stranger = own_stranger,
		                          .events_over = own_events_over };
	struct scenario s;

	out_note(c, TONE_DIM, "playing %s", name);
	if (!open_own(&o, c, name))
		return;
	scenario_play(&s, &driver, text);
	keep_logs(c, &o, &s, name);
	if (o.peer)
		keep_peer_logs(c, o.peer, name);
	scenario_play_write(&s, str_from(name), w);
	scenario_play_done(&s);
	close_own(&o);
	if (o.peer)
		close_own(o.peer);
}

/* ---- lines for us: "# canary TEXT" names a secret, "# needs sandbox" what the machine must have ---- */

static bool has_sandbox(struct cli *c)
{
	const char *supervisor = cli_sandbox_find_supervisor(c);
	struct str said = supervisor ? cli_sandbox_probe(c, supervisor) : STR_NONE;
	struct json host;

	return str_is(said) && json_read_trusted(c->mem, said, &host, NULL) == OK &&
	       str_is(json_str(JSON_GET(host, "tier"))) &&
	       !str_eq(json_str(JSON_GET(host, "tier")), STR("none"));
}

static bool can_be_played(struct cli *c, struct str text)
{
	return str_find(text, STR("\n# needs sandbox\n")) < 0 || has_sandbox(c);
}

static void add_canaries(struct cli *c, struct str text)
{
	while (str_is(text)) {
		struct str line = str_cut(&text, '\n');

		if (str_starts(line, STR("# canary ")) && c->opts.canaries.count < WORDS_MAX)
			c->opts.canaries.items[c->opts.canaries.count++] =
				arena_keep(c->mem, str_skip(line, strlen("# canary "))).ptr;
	}
}

/* ---- all of them ---- */

static bool is_of_user(const char *entry)
{
	size_t len = strcspn(entry, "=");

	return strncmp(entry, "THOLE_", 6) == 0 || str_ends(str_of(entry, len), STR("_API_KEY"));
}

/* What the user has set must not change the result; the built-in prompt depends on the machine. */
static void clean_environment(struct cli *c)
{
	for (size_t i = 0; environ[i];) {
		struct str name = arena_keep(
			c->mem, str_head(str_from(environ[i]), strcspn(environ[i], "=")));

		if (is_of_user(environ[i]) && unsetenv(name.ptr) == 0)
			i = 0;
		else
			i++;
	}
	setenv("HOME", path_in(c->mem, c->data, "home"), 1);
	setenv("XDG_CONFIG_HOME", path_in(c->mem, c->data, "home/config"), 1);
	setenv("THOLE_MODE", "default", 1);
	setenv("THOLE_CONTEXT_PROMPT", "none", 1);
	setenv("THOLE_DIAGNOSTICS_ENABLED", "false", 1);
}

static struct str play_all(struct cli *c, struct json scenarios)
{
	struct json_iter it = json_iter(scenarios);
	struct buf results = { 0 };
	struct json_writer w;
	struct json text;
	struct str name, kept;

	jw_init(&w, &results);
	jw_obj(&w);
	while (json_next(&it, &name, &text)) {
		add_canaries(c, json_str(text));
		if (can_be_played(c, json_str(text)))
			play(c, arena_keep(c->mem, name).ptr, json_str(text), &w);
	}
	jw_obj_end(&w);
	kept = arena_keep(c->mem, buf_str(&results));
	buf_done(&results);
	return kept;
}

static int play_and_check(struct cli *c, void *arg)
{
	const struct json *pack = arg;
	char *logs = (char *)path_in(c->mem, c->data, "logs");

	mkdir(logs, 0700);
	mkdir(path_in(c->mem, c->data, "home"), 0700);
	clean_environment(c);
	return conform_log_report(c, &logs, 1, play_all(c, JSON_GET(*pack, "scenarios")));
}

int conform_self(struct cli *c)
{
	struct str text = conform_log_pack_text(c);
	struct json pack;

	if (!str_is(text))
		return CODE_USAGE;
	if (json_read(c->mem, text, &pack, NULL) != OK) {
		out_error(c, "Nothing was checked: the pack is no JSON.");
		return CODE_USAGE;
	}
	return conform_guard(c, play_and_check, &pack);
}

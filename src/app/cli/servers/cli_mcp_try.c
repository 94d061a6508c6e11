/*
 * Tries a tool server, in a runtime of this process with a directory that it
 * throws away: a daemon keeps the settings that it began with.
 */
#include "app/cli/servers/cli_mcp_add.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "base/os/clock.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_NS 50000000

const char *cli_mcp_try_object(struct cli *c, struct str key, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	jw_key(&w, key);
	jw_raw(&w, value);
	jw_obj_end(&w);
	return arena_keep(c->mem, buf_str(&out)).ptr;
}

static int add_setting(struct cli *c, const char *word)
{
	if (c->opts.cli_settings.count == WORDS_MAX) {
		out_error(c, "There are more than %d settings.", WORDS_MAX);
		return CODE_USAGE;
	}
	c->opts.cli_settings.items[c->opts.cli_settings.count++] = word;
	return CODE_DONE;
}

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

/* From here on a signal ends the wait, so that the throw-away directory is removed. */
static void hold_signals(void)
{
	sigset_t set = ending_signals();

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* False: a signal came. */
static bool pause_trial(void)
{
	sigset_t set = ending_signals();

	return sigtimedwait(&set, NULL, &(struct timespec){ .tv_nsec = LOOK_AGAIN_NS }) < 0;
}

/* A runtime of this process with this server alone; the user's other settings hold for it. */
static int open_trial(struct cli *c, struct str name, struct str entry)
{
	int code;

	hold_signals();
	code = paths_make_temporary(c);
	c->opts.here = true;
	if (!code)
		code = add_setting(c, "mcp.project=false");
	/* Nothing but the server is tried. */
	if (!code)
		code = add_setting(c, "hooks={}");
	/* What it would log about the server is printed below. */
	if (!code)
		code = add_setting(c, "log.level=error");
	if (!code)
		code = add_setting(c, arena_printf(c->mem, "mcp.servers=%s",
		                                   cli_mcp_try_object(c, name, entry))
		                              .ptr);
	return code ? code : connection_open(c);
}

/* Its row once it has started, or failed to. */
static int wait_for_server(struct cli *c, struct json *ret)
{
	int64_t end = clock_mono_ms() + LIMIT_TOOLS_WAIT_MS;
	struct json reply;
	int code;

	for (;;) {
		struct params p;

		params_begin(&p);
		code = connection_call(c, "list_tool_servers", &p, &reply);
		if (code)
			return code;
		*ret = json_at(JSON_GET(reply, "servers"), 0);
		if (!str_eq(json_str(JSON_GET(*ret, "status")),
		            STR(WORD_TOOL_SERVER_STATUS_STARTING)) ||
		    clock_mono_ms() >= end)
			return CODE_DONE;
		if (!pause_trial())
			return CODE_INTERRUPTED;
	}
}

static int read_tools(struct cli *c, struct json *ret)
{
	struct json reply;
	struct params p;
	int code;

	params_begin(&p);
	code = connection_call(c, "create_session", &p, &reply);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(reply, "sessionId")));
	return connection_call(c, "get_tool_inventory", &p, ret);
}

/* Programs that fetch a server before they start it. */
static bool downloads(struct cli *c, struct str entry)
{
	static const char *const names[] = { "npx", "bunx", "pnpx", "uvx", "pipx" };
	struct json v;
	struct str rest, name = STR("");

	if (json_read(c->mem, entry, &v, NULL) != OK || json_is(JSON_GET(v, "hosts")))
		return false;
	rest = json_str(JSON_GET(v, "command"));
	while (str_is(rest))
		name = str_cut(&rest, '/');
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(name, str_from(names[i])))
			return true;
	return false;
}

/* The directory that a program of a package needs: the one above node_modules, or its own. */
static struct str dir_to_read(struct str path)
{
	ptrdiff_t modules = str_find(path, STR("/node_modules/"));
	size_t end = path.len;

	if (modules > 0)
		return str_head(path, (size_t)modules);
	while (end > 1 && path.ptr[end - 1] != '/')
		end--;
	return str_head(path, end > 1 ? end - 1 : 1);
}

/* A file outside of the workspace that its command names, without --read; absent: none. */
static struct str file_out_of_reach(struct cli *c, struct str entry)
{
	struct json v, arg;
	struct json_iter it;
	struct str key;

	if (json_read(c->mem, entry, &v, NULL) != OK || json_is(JSON_GET(v, "read")))
		return STR_NONE;
	it = json_iter(JSON_GET(v, "args"));
	while (json_next(&it, &key, &arg)) {
		struct str path = json_str(arg);

		if (str_starts(path, STR("/")) && !str_starts(path, STR("/usr/")) &&
		    access(arena_keep(c->mem, path).ptr, F_OK) == 0)
			return path;
	}
	return STR_NONE;
}

static void tell_reach(struct cli *c, struct str name, struct str entry)
{
	struct str path = file_out_of_reach(c, entry);

	if (!str_is(path))
		return;
	fprintf(stderr, "  The sandbox shows it the workspace and the system, not %s.\n",
	        out_safe(c->mem, path));
	fprintf(stderr, "  Remove it and add it with --read: thole mcp add %s --read %s -- ...\n",
	        out_safe(c->mem, name), out_safe(c->mem, dir_to_read(path)));
}

static int tell_down(struct cli *c, struct str name, struct str entry, struct json row)
{
	struct str why = json_str(JSON_GET(row, "detail"));
	const char *shown = out_safe(c->mem, name);

	if (str_ends(why, STR(".")))
		why.len--;
	out_error(c, "%s does not run: %s (%s).", shown,
	          why.len ? out_safe(c->mem, why) : "it gave no reason",
	          out_field_or_dash(c, row, "status"));
	if (downloads(c, entry))
		fprintf(stderr,
		        "  Its command downloads it at every start, and the sandbox reaches "
		        "no registry. Install the server\n  and name its program, or open "
		        "the registry with --hosts.\n");
	else
		tell_reach(c, name, entry);
	fprintf(stderr, "  The entry stays. To remove it: thole mcp remove %s\n", shown);
	return CODE_FAILED;
}

static void tell_tools(struct cli *c, long long count)
{
	if (count)
		out_note(c, TONE_GOOD, "It runs and has %lld tool%s:", count,
		         count == 1 ? "" : "s");
	else
		out_note(c, TONE_ASK, "It runs and has no tools.");
}

static int tell_trial(struct cli *c, struct str name, struct str entry, struct json row)
{
	struct str status = json_str(JSON_GET(row, "status"));
	struct json inventory;
	int code;

	if (str_eq(status, STR(WORD_TOOL_SERVER_STATUS_LOGIN_REQUIRED))) {
		out_note(c, TONE_ASK, "It wants you to sign in: thole mcp login %s",
		         out_safe(c->mem, name));
		return CODE_DONE;
	}
	if (!str_eq(status, STR(WORD_TOOL_SERVER_STATUS_READY)))
		return tell_down(c, name, entry, row);
	code = read_tools(c, &inventory);
	if (code)
		return code;
	tell_tools(c, (long long)json_int(JSON_GET(row, "toolCount"), 0));
	cli_mcp_print_tools(c, inventory, row);
	if (json_str(JSON_GET(row, "leftOut")).len)
		out_note(c, TONE_ASK, "%s", out_field_or_dash(c, row, "leftOut"));
	return CODE_DONE;
}

int cli_mcp_try(struct cli *c, struct str name, struct str entry)
{
	struct json row = { 0 };
	int code = open_trial(c, name, entry);

	if (!code)
		out_note(c, TONE_DIM, "trying it (at most %d s) …", LIMIT_TOOLS_WAIT_MS / 1000);
	if (!code)
		code = wait_for_server(c, &row);
	if (code)
		return code;
	if (!c->opts.json)
		return tell_trial(c, name, entry, row);
	out_json(row);
	return str_eq(json_str(JSON_GET(row, "status")), STR(WORD_TOOL_SERVER_STATUS_READY))
	               ? CODE_DONE
	               : CODE_FAILED;
}

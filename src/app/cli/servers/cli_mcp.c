/*
 * mcp: lists tool servers with their state, switches one off for a session, and
 * records the user's trust in one.  cli_mcp_add.c changes files of settings.
 */
#include "app/cli/servers/cli_mcp_add.h"
#include "app/cli/admin/rpc.h"
#include "app/cli/access/cli_mcp_login.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/print/whole_text.h"
#include "app/cli/ref.h"
#include "base/gen/words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOCUMENT "client-metadata"
#define SERVE "serve"
#define PROJECT_FILE ".mcp.json"

/* ---- the session ---- */

/* What the session of --session sees; JSON_NONE without one. */
static int read_inventory(struct cli *c, struct json *ret)
{
	struct params p;
	struct ref at;
	int code;

	*ret = (struct json){ 0 };
	if (!c->opts.session)
		return CODE_DONE;
	code = ref_find(c, c->opts.session, &at);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", at.session);
	return connection_call(c, "get_tool_inventory", &p, ret);
}

static bool is_off(struct json inventory, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(inventory, "serversOff"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(v), json_str(JSON_GET(row, "name"))))
			return true;
	return false;
}

/* A switched-off server has them too. */
void cli_mcp_print_tools(struct cli *c, struct json inventory, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(inventory, "tools"));
	struct str owner = arena_printf(c->mem, "mcp:%.*s",
	                                STR_ARG(json_str(JSON_GET(row, "name")))),
		   key;
	struct json v;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "runtimeOwner")), owner))
			printf("  %-14s %s  %s\n", out_field_or_dash(c, v, "policy"),
			       out_field_or_dash(c, v, "toolName"),
			       out_safe_cut(c->mem, json_str(JSON_GET(v, "description")), 60));
}

/* Switches it for one session; the runtime records that. */
static int set_server(struct cli *c, struct json row, bool enabled)
{
	const char *name = out_field_or_dash(c, row, "name");
	struct json reply;
	struct params p;
	struct ref at;
	int code = ref_find(c, c->opts.session ? c->opts.session : "@last", &at);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", at.session);
	params_str(&p, "server", json_str(JSON_GET(row, "name")));
	params_bool(&p, "enabled", enabled);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "set_tool_server", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_GOOD, "%s is %s in %s from the next turn on%s", name,
		         enabled ? "on" : "off", out_id(c, at.session),
		         enabled ? "." : "; other sessions keep it.");
	if (enabled && !c->opts.json &&
	    str_eq(json_str(JSON_GET(row, "status")), STR(WORD_TOOL_SERVER_STATUS_UNTRUSTED)))
		out_note(c, TONE_ASK, "It is not trusted and does not run: thole mcp trust %s",
		         name);
	return CODE_DONE;
}

/* ---- showing ---- */

static enum tone tone_of_status(struct json row)
{
	struct str status = json_str(JSON_GET(row, "status"));

	return str_eq(status, STR(WORD_TOOL_SERVER_STATUS_READY)) ? TONE_GOOD
	       : str_eq(status, STR(WORD_TOOL_SERVER_STATUS_DOWN)) ||
	                       str_eq(status, STR(WORD_TOOL_SERVER_STATUS_UNTRUSTED)) ||
	                       str_eq(status, STR(WORD_TOOL_SERVER_STATUS_LOGIN_REQUIRED))
	               ? TONE_ASK
	               : TONE_DIM;
}

static int fetch(struct cli *c, struct json *ret)
{
	const char *dir = NULL;
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (!code)
		code = paths_work_dir(c, &dir);
	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "cwd", dir);
	code = connection_call(c, "list_tool_servers", &p, &reply);
	if (!code)
		*ret = JSON_GET(reply, "servers");
	return code;
}

/* Of several servers with that name, prefers the one of this directory. */
static int find(struct cli *c, struct json servers, const char *name, struct json *ret)
{
	struct json_iter it = json_iter(servers);
	char *here = realpath(c->opts.dir ? c->opts.dir : ".", NULL);
	struct json v, found = { 0 };
	struct str key;

	while (json_next(&it, &key, &v)) {
		bool is_here = here && str_eq(json_str(JSON_GET(v, "cwd")), str_from(here));

		if (str_eq(json_str(JSON_GET(v, "name")), str_from(name)) &&
		    (is_here || !json_is(found)))
			found = v;
	}
	free(here);
	if (json_is(found)) {
		*ret = found;
		return CODE_DONE;
	}
	out_error(c, "There is no tool server \"%s\".", out_safe(c->mem, str_from(name)));
	fprintf(stderr, "  `thole mcp ls` lists them.\n");
	return CODE_FAILED;
}

/*
 * Tools whose definition changed since it was pinned are counted, because a description reaches
 * the model.
 */
static void add_row(struct table *t, struct json row, bool is_switched_off)
{
	struct cli *c = t->c;
	long long count = (long long)json_int(JSON_GET(row, "toolCount"), 0);
	long long changed = (long long)json_int(JSON_GET(row, "changedCount"), 0);
	const char *cells[] = {
		out_field_or_dash(c, row, "name"),
		is_switched_off ? "off here" : out_field_or_dash(c, row, "status"),
		changed ? arena_printf(c->mem, "%lld (%lld changed)", count, changed).ptr
			: arena_printf(c->mem, "%lld", count).ptr,
		out_field_or_dash(c, row, "source"),
		json_str(JSON_GET(row, "detail")).len ? out_field_or_dash(c, row, "detail")
		: json_str(JSON_GET(row, "url")).len
			? out_field_or_dash(c, row, "url")
			: whole_text_line(c->mem, json_str(JSON_GET(row, "command"))),
	};

	table_row(t, is_switched_off ? TONE_DIM : tone_of_status(row), cells);
}

static int list(struct cli *c, struct json servers, struct json inventory)
{
	static const char *const heads[] = { "SERVER", "STATUS", "TOOLS", "SOURCE", "WHAT", NULL };
	struct json_iter it = json_iter(servers);
	struct table t;
	struct json v;
	struct str key;

	if (c->opts.json) {
		out_json(servers);
		return CODE_DONE;
	}
	if (!json_count(servers)) {
		out_note(c, TONE_DIM,
		         "there are no tool servers; `thole mcp add NAME -- COMMAND` adds one");
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v))
		if (c->opts.quiet)
			printf("%s\n", out_field_or_dash(c, v, "name"));
		else
			add_row(&t, v, is_off(inventory, v));
	if (!c->opts.quiet)
		table_print(&t, stdout);
	return CODE_DONE;
}

/* A list of the row as one text, such as the hosts that the server asks for; absent: none. */
static struct str list_of(struct cli *c, struct json row, const char *name)
{
	struct json_iter it = json_iter(json_get(row, str_from(name)));
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		buf_printf(&out, "%s%s", out.len ? ", " : "", out_safe(c->mem, json_str(v)));
	return out.len ? arena_keep(c->mem, buf_str(&out)) : STR_NONE;
}

/* Which models it may ask, and at what cost. */
static void print_sampling(struct cli *c, struct json v)
{
	struct str model = json_str(JSON_GET(v, "model"));
	bool asks = str_eq(json_str(JSON_GET(v, "permission")), STR(WORD_SAMPLING_PERMISSION_ASK));

	if (!json_is(v))
		return;
	printf("%-16s %s; up to $%.2f a turn, %lld tokens an answer, %s\n", "sampling",
	       asks ? "you are asked each time" : "allowed", json_real(JSON_GET(v, "budgetUsd"), 0),
	       (long long)json_int(JSON_GET(v, "maxTokens"), 0),
	       model.len ? out_safe(c->mem, model) : "the model of the turn");
}

static void print_variables(struct cli *c, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "env"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		printf("%-16s %s\n", "env", whole_text_line(c->mem, json_str(v)));
}

/* The names are those of the reply, so that --json and the text can be compared. */
static int show(struct cli *c, struct json row, struct json inventory)
{
	static const char *const keys[] = { "name",      "status",      "detail",
		                            "source",    "cwd",         "command",
		                            "url",       "program",     "protocolVersion",
		                            "channelId", "contentHash", "leftOut" };
	static const char *const lists[] = { "hosts", "headers" };

	if (c->opts.json) {
		out_json(row);
		return CODE_DONE;
	}
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (json_str(json_get(row, str_from(keys[i]))).len)
			printf("%-16s %s\n", keys[i],
			       whole_text_line(c->mem, json_str(json_get(row, str_from(keys[i])))));
	print_variables(c, row);
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (str_is(list_of(c, row, lists[i])))
			printf("%-16s %s\n", lists[i], list_of(c, row, lists[i]).ptr);
	printf("%-16s %lld, %lld changed\n", "tools",
	       (long long)json_int(JSON_GET(row, "toolCount"), 0),
	       (long long)json_int(JSON_GET(row, "changedCount"), 0));
	if (json_is(JSON_GET(row, "signedIn")))
		printf("%-16s %s\n", "login",
		       json_bool(JSON_GET(row, "signedIn"), false)       ? "signed in"
		       : json_bool(JSON_GET(row, "loginPending"), false) ? "waits for you"
		                                                         : "none");
	print_sampling(c, JSON_GET(row, "sampling"));
	printf("%-16s %lld\n", "restarts", (long long)json_int(JSON_GET(row, "restarts"), 0));
	if (is_off(inventory, row))
		printf("%-16s off; thole mcp on %s\n", "this session",
		       out_field_or_dash(c, row, "name"));
	cli_mcp_print_tools(c, inventory, row);
	return CODE_DONE;
}

static void tell_command(struct cli *c, struct json row)
{
	struct str command = json_str(JSON_GET(row, "command"));

	if (command.len)
		whole_text_note(
			c, TONE_ASK,
			arena_printf(c->mem, "%s runs", out_field_or_dash(c, row, "name")).ptr,
			command);
}

/* A variable such as LD_PRELOAD or NODE_OPTIONS decides what a command runs, as its words do. */
static void tell_variables(struct cli *c, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "env"));
	struct str head = arena_printf(c->mem, "%s sets", out_field_or_dash(c, row, "name")), key;
	struct json v;

	while (json_next(&it, &key, &v))
		whole_text_note(c, TONE_ASK, head.ptr, json_str(v));
}

/* Trust covers a whole file, so what all its servers run and reach is shown. */
static void tell_server(struct cli *c, struct json row)
{
	struct str hosts = list_of(c, row, "hosts"), headers = list_of(c, row, "headers");
	const char *name = out_field_or_dash(c, row, "name");

	tell_command(c, row);
	tell_variables(c, row);
	if (str_is(hosts))
		out_note(c, TONE_ASK, "%s reaches %s", name, hosts.ptr);
	if (json_str(JSON_GET(row, "url")).len)
		out_note(c, TONE_ASK, "%s is %s, which no sandbox contains%s%s", name,
		         out_field_or_dash(c, row, "url"),
		         str_is(headers) ? "; it gets the headers " : "",
		         str_is(headers) ? headers.ptr : "");
}

static void tell_servers(struct cli *c, struct json servers, struct str cwd)
{
	struct json_iter it = json_iter(servers);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (cwd.len && str_eq(json_str(JSON_GET(v, "cwd")), cwd))
			tell_server(c, v);
}

/* A person at a terminal is asked, unless the hash is given. */
static bool asks(const struct cli *c)
{
	return !c->opts.json && !c->opts.yes && !c->opts.hash && c->is_tty_in && c->is_tty_err;
}

/* The same form as `thole hooks trust`. */
static bool is_wanted(struct cli *c, bool is_project)
{
	char line[16];

	if (!asks(c))
		return true;
	fprintf(stderr, "%s [y/N] ",
	        is_project ? "Let these servers run as they are now?"
	                   : "Accept its program and its tools as they are now?");
	return fgets(line, sizeof line, stdin) && (line[0] | 0x20) == 'y';
}

static void tell_trusted(struct cli *c, struct json servers, struct json row)
{
	struct str cwd = json_str(JSON_GET(row, "cwd"));

	if (c->opts.json)
		return;
	if (cwd.len)
		out_note(c, TONE_PLAIN, "%s/" PROJECT_FILE, out_safe(c->mem, cwd));
	else
		tell_command(c, row);
	tell_servers(c, servers, cwd);
}

/*
 * The name may be that of another directory's server, which is not what was meant here.  A person
 * who is asked sees the file; a hash names the text.
 */
static bool is_elsewhere(struct cli *c, struct json row)
{
	struct str cwd = json_str(JSON_GET(row, "cwd"));
	char *here = realpath(".", NULL);
	bool is_here = !cwd.len || (here && str_eq(cwd, str_from(here)));

	free(here);
	return !is_here && !c->opts.hash && !asks(c);
}

/* The hash is sent along, so that trust covers exactly the text that was shown. */
static int trust(struct cli *c, struct json servers, struct json row)
{
	struct str hash = json_str(JSON_GET(row, "contentHash"));
	struct params p;
	struct json reply;
	int code;

	if (c->opts.hash && !hash.len)
		return opt_usage(c, "%s is in your own settings, which have no hash.",
		                 out_field_or_dash(c, row, "name"));
	if (is_elsewhere(c, row)) {
		out_error(c, "There is no tool server \"%s\" in this directory, but in %s.",
		          out_field_or_dash(c, row, "name"), out_field_or_dash(c, row, "cwd"));
		fprintf(stderr, "  To trust that one, run there: thole mcp trust %s\n",
		        out_field_or_dash(c, row, "name"));
		return CODE_FAILED;
	}
	tell_trusted(c, servers, row);
	if (!is_wanted(c, hash.len > 0)) {
		out_note(c, TONE_ASK, "Nothing was changed.");
		return CODE_DECISION;
	}
	params_begin(&p);
	params_str(&p, "server", json_str(JSON_GET(row, "name")));
	if (json_str(JSON_GET(row, "cwd")).len)
		params_str(&p, "cwd", json_str(JSON_GET(row, "cwd")));
	if (hash.len)
		params_str(&p, "contentHash", c->opts.hash ? str_from(c->opts.hash) : hash);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "trust_tool_server", &p, &reply);
	if (!code && c->opts.json)
		out_json(reply);
	else if (!code)
		out_note(c, TONE_GOOD, "%s is trusted as it is now.",
		         out_field_or_dash(c, row, "name"));
	return code;
}

static bool is_one_of(const char *what, const char *a, const char *b)
{
	return strcmp(what, a) == 0 || strcmp(what, b) == 0;
}

/* What other programs call the same. */
static const char *own_word(const char *what)
{
	static const struct {
		const char *theirs, *ours;
	} words[] = { { "list", "ls" }, { "get", "show" }, { "rm", "remove" } };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (strcmp(what, words[i].theirs) == 0)
			return words[i].ours;
	return what;
}

static int check_words(struct cli *c)
{
	const char *what = c->args[0];

	if (!is_one_of(what, "ls", "show") && !is_one_of(what, "on", "off") &&
	    !is_one_of(what, "login", "logout") && !is_one_of(what, "trust", DOCUMENT) &&
	    !is_one_of(what, SERVE, SERVE))
		return opt_usage(c, "`thole mcp` does not know \"%s\".", what);
	if (is_one_of(what, "ls", DOCUMENT) || is_one_of(what, SERVE, SERVE))
		return c->arg_count == 1 ? CODE_DONE
		                         : opt_usage(c, "`thole mcp %s` wants nothing more.", what);
	return c->arg_count == 2
	               ? CODE_DONE
	               : opt_usage(c, "`thole mcp %s` wants the name of one server.", what);
}

/* The daemon's threads begin in the directory that the client started this program in. */
static int serve_stdio(struct cli *c)
{
	char cwd[PATH_MAX], line[PATH_MAX + 8];
	bool is_known = !c->is_remote && getcwd(cwd, sizeof cwd) && !strchr(cwd, '\n');

	snprintf(line, sizeof line, "MCP %s\n", is_known ? cwd : "");
	return rpc_bridge(c, line);
}

/* Options of add and remove that would be ignored are refused. */
static int check_options(struct cli *c)
{
	const char *option = c->opts.url             ? "--url"
	                     : c->opts.transport     ? "--transport"
	                     : c->opts.headers.count ? "--header"
	                     : c->opts.env.count     ? "--env"
	                     : c->opts.hosts         ? "--hosts"
	                     : c->opts.read.count    ? "--read"
	                     : c->opts.project_file  ? "--project"
	                     : c->opts.scope         ? "--scope"
	                                             : NULL;

	return option ? opt_usage(c, "%s does not go with `thole mcp %s`.", option, c->args[0])
	              : CODE_DONE;
}

static int verb_of_runtime(struct cli *c)
{
	const char *what = c->args[0];
	bool is_list = strcmp(what, "ls") == 0, is_show = strcmp(what, "show") == 0;
	struct json servers, row, inventory;
	int code = check_words(c);

	if (!code)
		code = check_options(c);
	if (!code && strcmp(what, SERVE) == 0)
		return serve_stdio(c);
	if (!code && strcmp(what, DOCUMENT) == 0)
		return cli_mcp_login_document(c);
	if (!code)
		code = fetch(c, &servers);
	if (!code && (is_list || is_show))
		code = read_inventory(c, &inventory);
	if (code || is_list)
		return code ? code : list(c, servers, inventory);
	code = find(c, servers, c->args[1], &row);
	if (code)
		return code;
	if (is_show)
		return show(c, row, inventory);
	if (strcmp(what, "login") == 0)
		return cli_mcp_login_begin(c, row);
	if (strcmp(what, "logout") == 0)
		return cli_mcp_login_forget(c, row);
	return is_one_of(what, "on", "off") ? set_server(c, row, strcmp(what, "on") == 0)
	                                    : trust(c, servers, row);
}

int verb_mcp(struct cli *c)
{
	const char *what = own_word(c->args[0]);

	c->args[0] = (char *)what;
	if ((c->opts.yes || c->opts.hash) && strcmp(what, "trust") != 0)
		return opt_usage(c, "%s does not go with `thole mcp %s`.",
		                 c->opts.hash ? "--hash" : "--yes", what);
	if (is_one_of(what, "add", "add-json"))
		return cli_mcp_add(c);
	return strcmp(what, "remove") == 0 ? cli_mcp_add_undo(c) : verb_of_runtime(c);
}

/* The entry of a tool server, from the words and options of `thole mcp add` and `add-json`. */
#include "app/cli/servers/cli_mcp_add.h"

#include "app/cli/print/out.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

static int refuse_value(struct cli *c, const char *option, const char *wanted, const char *value)
{
	return opt_usage(c, "%s wants %s, not \"%s\".", option, wanted, value);
}

static bool is_same_name(struct str a, struct str b, bool ignores_case)
{
	return a.len == b.len && (ignores_case ? strncasecmp(a.ptr, b.ptr, a.len) == 0
	                                       : memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* "NAME=VALUE" or "Name: value" as members of an object; no name twice. */
static int write_pairs(struct cli *c, struct json_writer *w, const struct words *list, bool is_env)
{
	const char *option = is_env ? "--env" : "--header";
	const char *wanted = is_env ? "NAME=VALUE" : "\"Name: value\"";
	struct str names[WORDS_MAX];

	jw_obj(w);
	for (int i = 0; i < list->count; i++) {
		struct str value = str_from(list->items[i]);

		names[i] = str_cut(&value, is_env ? '=' : ':');
		if (!names[i].len || !str_is(value) || !utf8_is_valid(str_from(list->items[i])))
			return refuse_value(c, option, wanted, list->items[i]);
		for (int n = 0; n < i; n++)
			if (is_same_name(names[n], names[i], !is_env))
				return opt_usage(c, "%s names %.*s twice.", option,
				                 STR_ARG(names[i]));
		jw_kstr(w, names[i], is_env ? value : str_trim(value));
	}
	jw_obj_end(w);
	return CODE_DONE;
}

static const char *find_program(struct cli *c, const char *word)
{
	struct str rest = str_from(getenv("PATH") ? getenv("PATH") : "");

	while (str_is(rest)) {
		struct str dir = str_cut(&rest, ':');
		const char *path = arena_printf(c->mem, "%.*s/%s", STR_ARG(dir), word).ptr;

		if (dir.len && dir.ptr[0] == '/' && access(path, X_OK) == 0)
			return path;
	}
	return word;
}

/*
 * A relative path is that of this directory, and the server starts in another one.  A program with
 * more rights than the agent is named by its absolute path.  A project's file is for other machines
 * too, so its words stay.
 */
static struct str program_of(struct cli *c, bool is_project)
{
	const struct opts *o = &c->opts;
	const char *word = c->args[2];
	bool has_more_rights = o->env.count || o->hosts || o->read.count;

	if (is_project)
		return str_from(word);
	return str_from(strchr(word, '/') ? paths_absolute(c, word)
	                : has_more_rights ? find_program(c, word)
	                                  : word);
}

static void write_hosts(struct json_writer *w, struct str rest)
{
	JW_KEY(w, "hosts");
	jw_arr(w);
	while (str_is(rest)) {
		struct str host = str_trim(str_cut(&rest, ','));

		if (host.len)
			jw_str(w, host);
	}
	jw_arr_end(w);
}

static void write_dirs(struct cli *c, struct json_writer *w)
{
	JW_KEY(w, "read");
	jw_arr(w);
	for (int i = 0; i < c->opts.read.count; i++)
		jw_str(w, str_from(paths_absolute(c, c->opts.read.items[i])));
	jw_arr_end(w);
}

static int write_program(struct cli *c, struct json_writer *w, bool is_project)
{
	int code = CODE_DONE;

	JW_KSTR(w, "command", program_of(c, is_project));
	if (c->arg_count > 3) {
		JW_KEY(w, "args");
		jw_arr(w);
		for (int i = 3; i < c->arg_count; i++)
			jw_str(w, str_from(c->args[i]));
		jw_arr_end(w);
	}
	if (c->opts.env.count) {
		JW_KEY(w, "env");
		code = write_pairs(c, w, &c->opts.env, true);
	}
	if (!code && c->opts.hosts)
		write_hosts(w, str_from(c->opts.hosts));
	if (!code && c->opts.read.count)
		write_dirs(c, w);
	return code;
}

static int write_remote(struct cli *c, struct json_writer *w)
{

	JW_KSTR(w, "type", STR("http"));
	JW_KSTR(w, "url", str_from(c->opts.url));
	if (!c->opts.headers.count)
		return CODE_DONE;
	JW_KEY(w, "headers");
	return write_pairs(c, w, &c->opts.headers, false);
}

static int write_entry(struct cli *c, bool is_project, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	int code;

	jw_init(&w, &out);
	jw_obj(&w);
	code = c->opts.url ? write_remote(c, &w) : write_program(c, &w, is_project);
	if (code)
		return code;
	jw_obj_end(&w);
	*ret = arena_keep(c->mem, buf_str(&out));
	return CODE_DONE;
}

static int read_entry(struct cli *c, struct str *ret)
{
	struct error e;
	struct json v;

	if (json_read(c->mem, str_from(c->args[2]), &v, &e) != OK)
		return opt_usage(c, "The entry is no JSON: %s.", e.message);
	if (json_type(v) != JSON_OBJ)
		return opt_usage(c,
		                 "The entry is an object: '{\"command\": \"…\", \"args\": []}'.");
	*ret = json_text(c->mem, v);
	return CODE_DONE;
}

/* ---- what the words say ---- */

static bool is_address(const char *word)
{
	return str_starts(str_from(word), STR("http://")) ||
	       str_starts(str_from(word), STR("https://"));
}

static int check_json_words(struct cli *c)
{
	if (c->arg_count != 3)
		return opt_usage(c, "`thole mcp add-json` wants a name and an entry in JSON.");
	if (c->opts.url || c->opts.transport || c->opts.env.count || c->opts.headers.count ||
	    c->opts.hosts || c->opts.read.count)
		return opt_usage(c, "The entry of `thole mcp add-json` holds everything itself.");
	return CODE_DONE;
}

/* With --transport the address is the word behind the name, as other programs have it. */
static int read_transport(struct cli *c)
{
	const char *how = c->opts.transport;

	if (!how)
		return CODE_DONE;
	if (strcmp(how, "sse") == 0)
		return opt_usage(c, "The transport sse was replaced by Streamable HTTP, and is not "
		                    "supported. Most servers have both: --transport http, with the "
		                    "address for it.");
	if (strcmp(how, "stdio") == 0)
		return c->opts.url ? opt_usage(c, "--url is for --transport http.") : CODE_DONE;
	if (c->arg_count == 3 && !c->opts.url)
		c->opts.url = c->args[--c->arg_count];
	return c->opts.url ? CODE_DONE
	                   : opt_usage(c, "There is no address: thole mcp add NAME --url URL");
}

static int check_name(struct cli *c)
{
	return c->arg_count > 1 && c->args[1][0] == '-'
	               ? opt_usage(c, "The name of a server does not begin with \"-\".")
	               : CODE_DONE;
}

static int check_add_words(struct cli *c)
{
	bool has_command = c->arg_count > 2;
	const char *name = c->arg_count > 1 ? c->args[1] : NULL;

	if (!name)
		return opt_usage(c, "`thole mcp add` wants a name, and a command or --url.");
	if (has_command && c->opts.url)
		return opt_usage(c, "A server has a command or --url, not both.");
	if (has_command && is_address(c->args[2]))
		return opt_usage(c, "An address is given with --url: thole mcp add %s --url %s",
		                 name, c->args[2]);
	if (!c->opts.url && (!has_command || !*c->args[2]))
		return opt_usage(c, "There is no command: thole mcp add %s -- COMMAND ARGS", name);
	if (c->opts.url && (c->opts.env.count || c->opts.hosts || c->opts.read.count))
		return opt_usage(c, "%s is for a command; --header is for an address.",
		                 c->opts.env.count ? "--env"
		                 : c->opts.hosts   ? "--hosts"
		                                   : "--read");
	if (!c->opts.url && c->opts.headers.count)
		return opt_usage(c, "--header is for --url; --env is for a command.");
	for (int i = 1; i < c->arg_count; i++)
		if (!utf8_is_valid(str_from(c->args[i])))
			return opt_usage(c, "Word %d of the command is not UTF-8.", i);
	return CODE_DONE;
}

int cli_mcp_entry_check(struct cli *c)
{
	int code = check_name(c);

	if (code)
		return code;
	if (strcmp(c->args[0], "add-json") == 0)
		return check_json_words(c);
	code = read_transport(c);
	return code ? code : check_add_words(c);
}

int cli_mcp_entry_read(struct cli *c, bool is_project, struct str *ret)
{
	return strcmp(c->args[0], "add-json") == 0 ? read_entry(c, ret)
	                                           : write_entry(c, is_project, ret);
}

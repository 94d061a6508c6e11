/*
 * call: calls one tool in a turn without a model, follows it like run, and prints what the tool
 * returned.
 */
#include "app/cli/connection.h"
#include "app/cli/follow/turn.h"
#include "app/cli/print/out.h"

#include "base/jw.h"

#include <errno.h>
#include <unistd.h>

#define ARGUMENTS_MAX (1u << 20)
#define PAGE_BYTES (1 << 20)

/* SERVER.TOOL is a tool of a tool server; every other name is that of the inventory. */
static int read_name(struct cli *c, struct str *ret)
{
	struct str name = str_trim(str_from(c->args[0])), rest = name, server;

	if (!name.len)
		return opt_usage(c, "The name of the tool is empty; `thole tools` lists them.");
	if (str_find_char(name, '.') < 0) {
		*ret = name;
		return CODE_DONE;
	}
	server = str_cut(&rest, '.');
	if (!server.len || !rest.len)
		return opt_usage(c,
		                 "\"%.*s\" names no tool of a server, as SERVER.TOOL does; `thole "
		                 "tools` lists them.",
		                 STR_ARG(name));
	*ret = arena_printf(c->mem, "mcp__%.*s__%.*s", STR_ARG(server), STR_ARG(rest));
	return CODE_DONE;
}

/* A value that is JSON is that value; any other text is a text. */
static void write_arg(struct cli *c, struct json_writer *w, struct str arg)
{
	struct str value = arg, key = str_cut(&value, '=');
	struct json v;

	jw_key(w, key);
	if (json_read(c->mem, value, &v, NULL) == OK)
		jw_value(w, v);
	else
		jw_str(w, value);
}

static int read_object(struct cli *c, struct json *ret)
{
	struct str text = str_from(c->args[1]);

	if (str_eq(text, STR("-")))
		text = paths_read_fd(c->mem, STDIN_FILENO, ARGUMENTS_MAX);
	if (!str_is(text)) {
		out_error(c, "The arguments could not be read: %s.", strerror(errno));
		return CODE_USAGE;
	}
	if (json_read(c->mem, text, ret, NULL) == OK && json_type(*ret) == JSON_OBJ)
		return CODE_DONE;
	return opt_usage(c, "The arguments are a JSON object, or \"-\" for one on stdin.");
}

/* Is the key that of one of the first `count` options? */
static bool is_option(const struct cli *c, int count, struct str key)
{
	for (int i = 0; i < count; i++) {
		struct str rest = str_from(c->opts.tool_args.items[i]);

		if (str_eq(str_cut(&rest, '='), key))
			return true;
	}
	return false;
}

static int check_options(struct cli *c)
{
	for (int i = 0; i < c->opts.tool_args.count; i++) {
		struct str value = str_from(c->opts.tool_args.items[i]);
		struct str key = str_cut(&value, '=');

		if (!str_is(value) || !key.len)
			return opt_usage(c, "--arg is KEY=VALUE.");
		if (is_option(c, i, key))
			return opt_usage(c,
			                 "--arg %.*s is given twice. A list is one value: --arg "
			                 "'%.*s=[\"a\", \"b\"]'",
			                 STR_ARG(key), STR_ARG(key));
	}
	return CODE_DONE;
}

/* An option replaces the member of the object. */
static int read_arguments(struct cli *c, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json given = { 0 }, v;
	struct json_iter it;
	struct json_writer w;
	struct str key;
	int code = check_options(c);

	if (!code && c->arg_count > 1)
		code = read_object(c, &given);
	if (code)
		return code;
	jw_init(&w, &out);
	jw_obj(&w);
	it = json_iter(given);
	while (json_is(given) && json_next(&it, &key, &v)) {
		if (is_option(c, c->opts.tool_args.count, key))
			continue;
		jw_key(&w, key);
		jw_value(&w, v);
	}
	for (int i = 0; i < c->opts.tool_args.count; i++)
		write_arg(c, &w, str_from(c->opts.tool_args.items[i]));
	jw_obj_end(&w);
	*ret = arena_keep(c->mem, buf_str(&out));
	return CODE_DONE;
}

static int submit(struct cli *c, struct str tool, struct str arguments, struct json *ret)
{
	const char *cwd = NULL;
	struct params p;
	int code = paths_work_dir(c, &cwd);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "input", arena_printf(c->mem, "Call of %.*s", STR_ARG(tool)));
	jw_key(&p.w, STR("call"));
	jw_obj(&p.w);
	jw_kstr(&p.w, STR("tool"), tool);
	jw_key(&p.w, STR("arguments"));
	jw_raw(&p.w, arguments);
	jw_obj_end(&p.w);
	params_cstr(&p, "mode", c->opts.mode);
	params_cstr(&p, "source", "cli");
	params_cstr(&p, "cwd", cwd);
	params_key(c, &p);
	return connection_call(c, "submit_turn", &p, ret);
}

/* A terminal gets no control characters; a program gets the bytes. */
static void put_text(struct cli *c, struct str text)
{
	if (c->is_tty_out && str_is(text))
		printf("%s", out_safe(c->mem, text));
	else if (str_is(text))
		(void)!fwrite(text.ptr, 1, text.len, stdout);
}

/* The whole output, page by page; binary parts are only named. */
static int print_output(struct cli *c, const struct turn_result *r)
{
	int64_t offset = 0;
	struct json reply;
	struct params p;
	bool is_whole;
	int code;

	do {
		params_begin(&p);
		params_str(&p, "sessionId", r->session);
		params_str(&p, "outputRef", r->output_ref);
		params_int(&p, "offset", offset);
		params_int(&p, "length", PAGE_BYTES);
		code = connection_call(c, "get_output", &p, &reply);
		if (code)
			return code;
		put_text(c, json_str(JSON_GET(reply, "text")));
		offset += json_int(JSON_GET(reply, "bytes"), 0);
		is_whole = json_bool(JSON_GET(reply, "eof"), true) ||
		           !json_int(JSON_GET(reply, "bytes"), 0);
	} while (!is_whole);
	printf("\n");
	return CODE_DONE;
}

static int print_result(struct cli *c, const struct turn_result *r)
{
	if (str_is(r->output_ref))
		return print_output(c, r);
	if (str_is(r->preview) && r->preview.len)
		printf("%s\n", out_safe(c->mem, r->preview));
	return CODE_DONE;
}

int verb_call(struct cli *c)
{
	struct turn_result result = { 0 };
	struct str tool = STR_NONE, arguments = STR_NONE;
	struct json reply;
	int code = read_name(c, &tool), printed = CODE_DONE;

	if (!code)
		code = read_arguments(c, &arguments);
	if (code)
		return code;
	watch_signal_all(c);
	code = connection_open(c);
	if (!code)
		code = submit(c, tool, arguments, &reply);
	if (code)
		return code;
	result.session = json_str(JSON_GET(reply, "sessionId"));
	code = watch_turn(c,
	                  &(struct watch_options){ .result = &result,
	                                           .session = result.session,
	                                           .thread = json_str(JSON_GET(reply, "threadId")),
	                                           .turn = json_str(JSON_GET(reply, "turnId")),
	                                           .timeout_ms = c->opts.timeout_ms,
	                                           .may_ask = c->is_tty_in && c->is_tty_err,
	                                           .wait = c->opts.wait });
	if (!c->opts.json)
		printed = print_result(c, &result);
	turn_result_done(&result);
	return code ? code : printed;
}

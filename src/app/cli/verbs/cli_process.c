/* process: lists background processes, shows their output, writes to them and stops them. */
#include "app/cli/print/listing.h"
#include "app/cli/ref.h"
#include "base/hash/base64.h"

#include <poll.h>
#include <string.h>

#define PAGE (64 << 10)
#define LOOK_MS 200

/* ---- finding ---- */

struct search {
	struct str text;
	struct json row;
	struct str session;
	int found;
};

static bool look(void *arg, struct json row)
{
	struct search *s = arg;

	if (!str_starts(json_str(JSON_GET(row, "processId")), s->text))
		return true;
	s->found++;
	s->row = row;
	s->session = json_str(JSON_GET(row, "sessionId"));
	return true;
}

struct each_session {
	struct cli *c;
	struct search *search;
	int code;
};

static int look_in(struct cli *c, struct str session, struct search *s)
{
	struct filter only = { "sessionId",
		               arena_printf(c->mem, "\"%.*s\"", STR_ARG(session)).ptr };

	return connection_list(c, "list_processes", "processes", &only, look, s);
}

static bool look_in_session(void *arg, struct json row)
{
	struct each_session *e = arg;

	e->code = look_in(e->c, json_str(JSON_GET(row, "sessionId")), e->search);
	return !e->code && !e->search->found;
}

/* Searches running processes first; ended ones are listed by session only. */
static int find(struct cli *c, const char *text, struct search *ret)
{
	struct each_session each = { .c = c, .search = ret };
	int code;

	*ret = (struct search){ .text = str_from(text) };
	code = connection_list(c, "list_processes", "processes", NULL, look, ret);
	if (!code && !ret->found)
		code = connection_list(c, "list_sessions", "sessions", NULL, look_in_session,
		                       &each);
	if (code || each.code)
		return code ? code : each.code;
	if (ret->found == 1)
		return CODE_DONE;
	out_error(c, ret->found ? "%s could be %d processes." : "There is no process %s.", text,
	          ret->found);
	fprintf(stderr, "  `thole process ls` lists those that run, with a session also those that "
	                "ended.\n");
	return ret->found ? CODE_USAGE : CODE_FAILED;
}

/* ---- looking ---- */

static enum tone cells(struct cli *c, struct json v, const char **ret)
{
	long long bytes = (long long)json_int(JSON_GET(v, "outputBytes"), 0);

	ret[0] = out_id(c, json_str(JSON_GET(v, "processId")));
	ret[1] = out_field(c, v, "status");
	ret[2] = arena_printf(c->mem, "%lld", bytes).ptr;
	ret[3] = out_ago(c->mem, json_str(JSON_GET(v, "startedAt")));
	ret[4] = out_id(c, json_str(JSON_GET(v, "sessionId")));
	ret[5] = out_safe_cut(c->mem, json_str(JSON_GET(v, "commandSummary")), 60);
	return TONE_PLAIN;
}

/* Lists the placeholder files that sandboxes have created in the workspace. */
static void list_placeholders(struct cli *c)
{
	struct json_iter it;
	struct json reply, v;
	struct params p;
	struct str key;

	params_begin(&p);
	if (connection_call(c, "list_processes", &p, &reply) != CODE_DONE ||
	    !json_count(JSON_GET(reply, "placeholders")))
		return;
	it = json_iter(JSON_GET(reply, "placeholders"));
	while (json_next(&it, &key, &v))
		out_note(c, TONE_DIM, "placeholder: %s", out_safe(c->mem, json_str(v)));
	out_note(c, TONE_DIM,
	         "These files were missing; while a sandbox exists, an empty placeholder keeps the "
	         "agent from creating them.");
	out_note(c, TONE_DIM,
	         "To create one yourself, remove its placeholder first (rmdir PATH); the sandbox "
	         "still refuses to write it.");
	out_note(c, TONE_DIM, "They go a second after their last process: thole process stop ID");
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "PROCESS", "STATUS",  "BYTES", "STARTED",
		                             "SESSION", "COMMAND", NULL };
	struct filter only = { "sessionId", NULL };
	struct ref r;
	int code = c->arg_count > 1 ? ref_find(c, c->args[1], &r) : CODE_DONE;

	if (code)
		return code;
	if (c->arg_count > 1)
		only.json = arena_printf(c->mem, "\"%.*s\"", STR_ARG(r.session)).ptr;
	code = listing_show(c, &(struct listing){ .command = "list_processes",
	                                          .rows = "processes",
	                                          .id = "processId",
	                                          .heads = heads,
	                                          .none = "nothing runs",
	                                          .only = only.json ? &only : NULL,
	                                          .cells = cells });
	if (!code && !only.json && !c->opts.json && !c->opts.quiet)
		list_placeholders(c);
	return code;
}

static int show(struct cli *c, const struct search *s)
{
	static const char *const keys[] = { "processId", "sessionId",    "commandSummary",
		                            "status",    "nativeStatus", "liveness",
		                            "outputRef", "startedAt",    "endedAt" };

	if (c->opts.json) {
		out_json(s->row);
		return CODE_DONE;
	}
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (json_is(json_get(s->row, str_from(keys[i]))))
			printf("%-15s %s\n", keys[i], out_field(c, s->row, keys[i]));
	printf("%-15s %lld\n", "outputBytes",
	       (long long)json_int(JSON_GET(s->row, "outputBytes"), 0));
	return CODE_DONE;
}

/* Control characters are escaped on a terminal and kept in a file. */
static void put_page(struct cli *c, struct json page)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };
	struct str text = json_str(JSON_GET(page, "text"));
	struct json coded = JSON_GET(page, "base64");

	if (json_is(coded)) {
		if (!base64_read(&bytes, json_str(coded)))
			return;
		text = buf_str(&bytes);
	}
	if (c->is_tty_out)
		out_put_safe(stdout, text);
	else
		fwrite(text.ptr, 1, text.len, stdout);
	fflush(stdout);
}

/* Polls with -f: an output has no event per byte. */
int cli_process_print_output(struct cli *c, struct str output_ref)
{
	int64_t at = 0;

	for (;;) {
		struct params p;
		struct json page;
		int code;

		params_begin(&p);
		params_str(&p, "outputRef", output_ref);
		params_int(&p, "offset", at);
		params_int(&p, "length", PAGE);
		code = connection_call(c, "get_output", &p, &page);
		if (code)
			return code;
		put_page(c, page);
		at += json_int(JSON_GET(page, "bytes"), 0);
		if (json_bool(JSON_GET(page, "eof"), false) ||
		    (!json_int(JSON_GET(page, "bytes"), 0) && !c->opts.follow))
			return CODE_DONE;
		if (!json_int(JSON_GET(page, "bytes"), 0))
			poll(NULL, 0, LOOK_MS);
	}
}

static int put_log(struct cli *c, const struct search *s)
{
	return cli_process_print_output(c, json_str(JSON_GET(s->row, "outputRef")));
}

/* ---- acting ---- */

static void params_of(struct params *p, const struct search *s)
{
	params_begin(p);
	params_str(p, "sessionId", s->session);
	params_str(p, "processId", json_str(JSON_GET(s->row, "processId")));
}

static int call_and_note(struct cli *c, const char *command, struct params *p, const char *said)
{
	struct json reply;
	int code = connection_call(c, command, p, &reply);

	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_GOOD, "%s", said);
	return CODE_DONE;
}

/* Sends the words, separated by blanks, and a line end. */
static int write_to(struct cli *c, const struct search *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct params p;

	for (int i = 2; i < c->arg_count; i++) {
		if (i > 2)
			buf_add_char(&line, ' ');
		buf_add_c(&line, c->args[i]);
	}
	if (c->arg_count > 2)
		buf_add_char(&line, '\n');
	else if (!c->opts.eof)
		return opt_usage(c, "What shall be written? --eof alone ends its input.");
	params_of(&p, s);
	params_str(&p, "data", line.len ? buf_str(&line) : STR(""));
	if (c->opts.eof)
		params_bool(&p, "eof", true);
	params_key(c, &p);
	return call_and_note(c, "write_process_stdin", &p, "written");
}

static int stop(struct cli *c, const struct search *s)
{
	struct params p;

	params_of(&p, s);
	params_cstr(&p, "reason", c->opts.reason);
	if (c->opts.timeout_ms)
		params_int(&p, "graceMs", c->opts.timeout_ms);
	params_key(c, &p);
	return call_and_note(c, "terminate_process", &p, "ended, and nothing of it is left");
}

static int resize(struct cli *c, const struct search *s)
{
	int64_t columns, rows;
	struct params p;

	if (c->arg_count != 4 || !str_to_i64(str_from(c->args[2]), &columns) ||
	    !str_to_i64(str_from(c->args[3]), &rows))
		return opt_usage(c, "thole process resize ID COLUMNS ROWS");
	params_of(&p, s);
	params_int(&p, "columns", columns);
	params_int(&p, "rows", rows);
	return call_and_note(c, "resize_process", &p, "resized");
}

/* Every act but ls is about one process, which is found before the act runs. */
int verb_process(struct cli *c)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *c, const struct search *s);
	} acts[] = { { "show", show },
		     { "log", put_log },
		     { "write", write_to },
		     { "resize", resize },
		     { "stop", stop } };
	struct search s;
	int code;

	if (strcmp(c->args[0], "ls") == 0 || strcmp(c->args[0], "list") == 0) {
		code = connection_open(c);
		return code ? code : list(c);
	}
	for (size_t i = 0; i < COUNT_OF(acts); i++) {
		if (strcmp(c->args[0], acts[i].name) != 0)
			continue;
		if (c->arg_count < 2)
			return opt_usage(c, "Which process? `thole process ls` lists them.");
		code = connection_open(c);
		if (!code)
			code = find(c, c->args[1], &s);
		return code ? code : acts[i].run(c, &s);
	}
	return opt_usage(c,
	                 "thole process knows ls, show, log, write, resize and stop, not \"%s\".",
	                 c->args[0]);
}

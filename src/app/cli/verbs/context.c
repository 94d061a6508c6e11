/*
 * context show: what the model was sent by the newest request of a session, part by part, with
 * sizes.  Everything is read from the log, so the texts are those of the request and not those
 * that a request would have now.
 */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "base/jw.h"

#include <inttypes.h>

/* English text and code have about four bytes per token with the tokenizers of today. */
#define BYTES_PER_TOKEN 4
#define PAGE_BYTES (1 << 20)
#define PAGE_EVENTS 500

struct shown {
	struct cli *c;
	struct str session;
	struct json context; /* the payload of context.resolved, which names the sources */
	int64_t bytes;
};

static int64_t tokens_of(int64_t bytes)
{
	return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}

/* All of an output, page by page. */
static int read_output(struct cli *c, struct str ref, struct str *ret)
{
	struct buf all = { 0 };
	bool is_whole = false;
	int code = CODE_DONE;

	while (!code && !is_whole) {
		struct params p;
		struct json page;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)all.len);
		params_int(&p, "length", PAGE_BYTES);
		code = connection_call(c, "get_output", &p, &page);
		if (code)
			break;

		struct str text = json_str(JSON_GET(page, "text"));

		buf_add_str(&all, text);
		/* A page without text would be read again and again. */
		is_whole = json_bool(JSON_GET(page, "eof"), true) || !text.len;
	}
	*ret = arena_keep(c->mem, buf_str(&all));
	buf_done(&all);
	return code;
}

static int last_sequence(struct cli *c, const struct ref *r, int64_t *ret)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "threadId", r->thread);
	code = connection_call(c, "explain_thread", &p, &reply);
	*ret = code ? 0 : json_int(JSON_GET(reply, "sequence"), 0);
	return code;
}

/* The last one of the page; of requests, the last whose input is kept: that of a summary is not. */
static struct json last_of(struct json events, const char *type)
{
	bool needs_input = strcmp(type, "model.requested") == 0;

	for (size_t i = json_count(events); i-- > 0;) {
		struct json e = json_at(events, i);

		if (!needs_input || str_is(json_str(JSON_GET(JSON_GET(e, "refs"), "input"))))
			return e;
	}
	return (struct json){ 0 };
}

/*
 * The newest event of a class in the session, thread or turn, searched page by page from the end;
 * absent: there is none.
 */
static int newest_event(struct cli *c, const struct ref *r, const char *type, struct json *ret)
{
	int64_t before = 0;
	int code = last_sequence(c, r, &before);

	*ret = (struct json){ 0 };
	for (before++; !code && before > 1 && !json_is(*ret);) {
		struct params p;
		struct json page;
		int64_t first;

		params_begin(&p);
		params_str(&p, "sessionId", r->session);
		params_str(&p, "threadId", r->thread);
		params_str(&p, "turnId", r->turn);
		params_int(&p, "before", before);
		params_int(&p, "limit", PAGE_EVENTS);
		params_raw(&p, "types", arena_printf(c->mem, "[\"%s\"]", type));
		code = connection_call(c, "list_events", &p, &page);
		first = json_int(JSON_GET(page, "firstSequence"), 0);
		if (code || !json_bool(JSON_GET(page, "more"), false) || first >= before)
			first = 0;
		before = first;
		if (!code)
			*ret = last_of(JSON_GET(page, "events"), type);
	}
	return code;
}

static void put_head(struct shown *s, struct str what, int64_t bytes)
{
	s->bytes += bytes;
	printf("%s── %.*s: %" PRId64 " bytes, about %" PRId64 " tokens%s\n",
	       out_tone_on(s->c->color_out, TONE_DIM), STR_ARG(what), bytes, tokens_of(bytes),
	       out_tone_off(s->c->color_out));
}

static void put_text(struct cli *c, struct str text)
{
	if (c->opts.quiet)
		return;
	out_put_safe(stdout, text);
	putchar('\n');
}

/* Where a stored text comes from: a file, an import, the list of skills; absent: not told. */
static struct str source_of(const struct shown *s, struct str ref)
{
	struct json_iter it = json_iter(JSON_GET(s->context, "sources"));
	struct json row;
	struct str key;

	while (str_is(ref) && json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "outputRef")), ref))
			return json_str(JSON_GET(row, "ref"));
	return STR_NONE;
}

static struct str head_of(struct shown *s, struct json m)
{
	struct str role = json_str(JSON_GET(m, "role"));
	struct str tool = json_str(JSON_GET(m, "toolName"));
	struct str source = source_of(s, json_str(JSON_GET(m, "ref")));

	if (str_is(tool))
		return arena_printf(s->c->mem, "result of %s", out_safe(s->c->mem, tool));
	if (str_is(source))
		return arena_printf(s->c->mem, "%.*s, %s", STR_ARG(role),
		                    out_safe(s->c->mem, source));
	return role;
}

static int put_message(struct shown *s, struct json m)
{
	struct str text = json_str(JSON_GET(m, "text")), ref = json_str(JSON_GET(m, "ref"));
	struct json calls = JSON_GET(m, "calls");
	struct str written = json_is(calls) ? json_text(s->c->mem, calls) : STR("");
	int code = str_is(ref) ? read_output(s->c, ref, &text) : CODE_DONE;

	if (code)
		return code;
	put_head(s, head_of(s, m), (int64_t)(text.len + written.len));
	put_text(s->c, text);
	if (written.len)
		put_text(s->c, written);
	return CODE_DONE;
}

static int put_messages(struct shown *s, struct str input)
{
	struct json doc, m;
	struct json_iter it;
	struct str key;
	int code = CODE_DONE;

	if (json_read_trusted(s->c->mem, input, &doc, NULL) != OK) {
		out_error(s->c, "the record of the request cannot be read");
		return CODE_FAILED;
	}
	it = json_iter(JSON_GET(doc, "messages"));
	while (!code && json_next(&it, &key, &m))
		code = put_message(s, m);
	return code;
}

/* Names, descriptions and schemas: that is what a model gets of a tool. */
static int put_tools(struct shown *s, struct str model_provider)
{
	struct params p;
	struct json reply, tool;
	struct json_iter it;
	struct str key;
	CLEANUP(buf_done) struct buf names = { 0 };
	int64_t bytes = 0, count = 0;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", s->session);
	code = connection_call(s->c, "get_tool_inventory", &p, &reply);
	if (code)
		return code;
	it = json_iter(JSON_GET(reply, "tools"));
	while (json_next(&it, &key, &tool)) {
		struct str name = json_str(JSON_GET(tool, "toolName"));
		struct str only = json_str(JSON_GET(tool, "onlyFor"));

		if (str_is(only) && !str_eq(only, model_provider))
			continue;
		bytes += (int64_t)(name.len + json_str(JSON_GET(tool, "description")).len +
		                   json_text(s->c->mem, JSON_GET(tool, "inputSchema")).len);
		buf_printf(&names, "%s%s", names.len ? ", " : "", out_safe(s->c->mem, name));
		count++;
	}
	put_head(s, arena_printf(s->c->mem, "%" PRId64 " tool%s", count, count == 1 ? "" : "s"),
	         bytes);
	put_text(s->c, buf_str(&names));
	return CODE_DONE;
}

/* What should be there and is not, and what was left out on purpose. */
static void put_absent(struct shown *s, const char *list)
{
	struct json_iter it = json_iter(json_get(s->context, str_from(list)));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		printf("%s── not sent, %s: %s%s\n", out_tone_on(s->c->color_out, TONE_DIM),
		       out_safe(s->c->mem, json_str(JSON_GET(row, "ref"))),
		       out_safe(s->c->mem, json_str(JSON_GET(row, "reason"))),
		       out_tone_off(s->c->color_out));
}

static void put_total(struct shown *s, struct json requested, struct json completed)
{
	int64_t counted = json_int(
		JSON_GET(JSON_GET(JSON_GET(completed, "payload"), "usage"), "inputTokens"), 0);
	bool is_same = str_eq(json_str(JSON_GET(completed, "modelRequestId")),
	                      json_str(JSON_GET(requested, "modelRequestId")));

	printf("── total: %" PRId64 " bytes, about %" PRId64 " tokens", s->bytes,
	       tokens_of(s->bytes));
	if (is_same && counted)
		printf("; the provider counted %" PRId64 " input tokens", counted);
	putchar('\n');
}

/* Older turns that became a summary after the request: the next request begins with that. */
static int put_summary(struct shown *s, const struct ref *r, struct json requested)
{
	struct json compacted, payload;
	struct str text;
	int code = newest_event(s->c, r, "context.compaction.completed", &compacted);

	if (code || json_int(JSON_GET(compacted, "sequence"), 0) <
	                    json_int(JSON_GET(requested, "sequence"), 0))
		return code;
	payload = JSON_GET(compacted, "payload");
	code = read_output(s->c, json_str(JSON_GET(payload, "summaryRef")), &text);
	if (code)
		return code;
	printf("%s── since then %" PRId64 " turns became this summary, which the next request "
	       "has instead of them: %zu bytes, about %" PRId64 " tokens%s\n",
	       out_tone_on(s->c->color_out, TONE_DIM), json_int(JSON_GET(payload, "turns"), 0),
	       text.len, tokens_of((int64_t)text.len), out_tone_off(s->c->color_out));
	put_text(s->c, text);
	return CODE_DONE;
}

static int show(struct cli *c, const struct ref *r)
{
	struct shown s = { .c = c, .session = r->session };
	struct json requested, completed, resolved;
	struct str input;
	int code = newest_event(c, r, "model.requested", &requested);

	if (!code && !json_is(requested)) {
		out_error(c, "no request to a model was made there yet. Run: thole run PROMPT");
		return CODE_FAILED;
	}
	if (!code)
		code = newest_event(c, r, "model.completed", &completed);
	if (!code)
		code = newest_event(c, r, "context.resolved", &resolved);
	if (!code)
		code = read_output(c, json_str(JSON_GET(JSON_GET(requested, "refs"), "input")),
		                   &input);
	if (code)
		return code;
	if (c->opts.json) {
		printf("%.*s\n", STR_ARG(input));
		return CODE_DONE;
	}
	s.context = JSON_GET(resolved, "payload");
	code = put_messages(&s, input);
	if (!code)
		code = put_tools(&s,
		                 json_str(JSON_GET(JSON_GET(requested, "payload"), "provider")));
	if (code)
		return code;
	put_absent(&s, "missing");
	put_absent(&s, "omissions");
	put_total(&s, requested, completed);
	return put_summary(&s, r, requested);
}

int verb_context(struct cli *c)
{
	struct ref r;
	int code;

	if (strcmp(c->args[0], "show") != 0)
		return opt_usage(c, "`thole context` knows show, not \"%s\".", c->args[0]);
	code = connection_open_to_read(c);
	if (!code)
		code = ref_find(c, c->arg_count > 1 ? c->args[1] : "@last", &r);
	return code ? code : show(c, &r);
}

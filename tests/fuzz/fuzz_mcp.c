/*
 * A tool server that sends arbitrary bytes.  The first byte selects the version,
 * the second how the rest is split; for every split the result is the same, and
 * every line that we send is JSON.  Calls are made, cancelled and answered on
 * the way.
 */
#include "mcp/mcp_protocol.h"
#include "mcp/offer/mcp_rows.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define CALLS 4

struct side {
	struct mcp_protocol *protocol;
	struct mcp_call calls[CALLS];
	size_t count;
	struct buf seen;
	bool is_broken;
};

static void on_send(void *owner, struct str line)
{
	struct side *s = owner;
	struct arena *mem = arena_new();
	struct json v;
	struct error e;

	MUST(line.len && line.ptr[line.len - 1] == '\n');
	MUST(json_read(mem, line, &v, &e) == OK && json_type(v) == JSON_OBJ);
	buf_printf(&s->seen, "> %.*s", STR_ARG(line));
	arena_free(mem);
}

static void call_one(struct side *s)
{
	struct mcp_call *c = &s->calls[s->count % CALLS];

	if (c->is_open)
		mcp_protocol_cancel(s->protocol, c, STR("another"));
	*c = (struct mcp_call){ .tool = STR("t"), .args = STR("{}") };
	/* Every third one reads instead, as a turn or as a person outside of turns. */
	if (s->count % 3 == 2) {
		c->method = STR("resources/read");
		c->params = STR("{\"uri\":\"a:b\"}");
		c->is_repeatable = true;
		c->is_aside = s->count % 2;
	}
	s->count++;
	mcp_protocol_call(s->protocol, c);
}

static void on_ready(void *owner)
{
	struct side *s = owner;

	MUST(!s->is_broken && mcp_protocol_is_ready(s->protocol));
	buf_add_c(&s->seen, "ready\n");
	call_one(s);
}

static void on_listed(void *owner, const struct mcp_tool *tools, size_t count)
{
	struct side *s = owner;

	MUST(count <= 8 && !s->is_broken);
	for (size_t i = 0; i < count; i++) {
		MUST(tools[i].name.len && tools[i].input_schema.len);
		buf_printf(&s->seen, "tool %.*s\n", STR_ARG(tools[i].name));
	}
	call_one(s);
}

static void on_dropped(void *owner, struct str tool, struct str why)
{
	buf_printf(&((struct side *)owner)->seen, "no %.*s %.*s\n", STR_ARG(tool), STR_ARG(why));
}

static void on_changed(void *owner)
{
	mcp_protocol_list(((struct side *)owner)->protocol);
}

static void on_progress(void *owner, struct mcp_call *c, struct str message, int64_t completed,
                        int64_t total)
{
	MUST(c->is_open && completed >= -1 && total >= -1);
	buf_printf(&((struct side *)owner)->seen, "progress %.*s\n", STR_ARG(message));
}

static void on_asked(void *owner, struct mcp_call *c, const struct mcp_question *q)
{
	struct side *s = owner;

	MUST(c->is_open && q->schema.len);
	buf_printf(&s->seen, "asked %.*s\n", STR_ARG(q->message));
	/* some at once, some never */
	if (q->message.len % 2)
		mcp_protocol_answer(s->protocol, c, STR("accept"), STR("{\"a\":1}"));
}

static void on_settled(void *owner, struct mcp_call *c, bool is_done)
{
	MUST(c->is_open && !c->is_aside);
	buf_add_c(&((struct side *)owner)->seen, is_done ? "done\n" : "withdrawn\n");
}

static void on_noted(void *owner, enum mcp_note note, struct json params)
{
	struct side *s = owner;
	struct str uri = json_str(JSON_GET(params, "uri"));

	buf_printf(&s->seen, "note %d\n", (int)note);
	if (str_is(uri))
		mcp_protocol_subscribe(s->protocol, &uri, 1);
}

/* A result as each of the lists, and as all that is made of one. */
static void read_result(struct side *s, struct json whole)
{
	struct arena *mem = arena_new();

	for (int kind = 0; kind < MCP_ROWS_KINDS; kind++) {
		struct json rows = json_get(whole, mcp_rows_member((enum mcp_rows_kind)kind)), v;
		struct json_iter it = json_iter(rows);
		struct str key, params;
		struct mcp_row row;
		struct error e;

		while (json_type(rows) == JSON_ARR && json_next(&it, &key, &v)) {
			if (mcp_rows_read(mem, (enum mcp_rows_kind)kind, v, &row, &e) != OK)
				continue;
			MUST(row.id.len && mcp_rows_bytes(&row) >= row.id.len);
			buf_printf(&s->seen, "row %.*s\n", STR_ARG(mcp_rows_hint(mem, &row)));
			if (mcp_rows_write_get(mem, &row, row.description, &params, &e) == OK)
				buf_add_str(&s->seen, params);
		}
	}
	mcp_rows_prompt_text(&s->seen, JSON_GET(whole, "messages"));
	mcp_message_resource_text(&s->seen, JSON_GET(whole, "contents"));
	arena_free(mem);
}

static void read_binary(struct json whole)
{
	struct buf out = { 0 };
	struct str type = STR_NONE;

	if (mcp_message_binary(&out, JSON_GET(whole, "contents"), &type))
		MUST(!str_is(type) || str_starts(type, STR("image/")));
	buf_done(&out);
}

static void on_ended(void *owner, struct mcp_call *c, const struct mcp_result *r)
{
	struct side *s = owner;

	MUST(!c->is_open);
	read_result(s, r->whole);
	read_binary(r->whole);
	mcp_message_content_text(&s->seen, r->content);
	buf_printf(&s->seen, "ended %d\n", r->is_refused);
	call_one(s);
}

static void on_broken(void *owner, struct str why)
{
	struct side *s = owner;

	MUST(!s->is_broken && why.len);
	s->is_broken = true;
	buf_printf(&s->seen, "broken %.*s\n", STR_ARG(why));
}

static const struct mcp_protocol_ops ops = { .send = on_send,
	                                     .ready = on_ready,
	                                     .listed = on_listed,
	                                     .dropped = on_dropped,
	                                     .changed = on_changed,
	                                     .progress = on_progress,
	                                     .asked = on_asked,
	                                     .settled = on_settled,
	                                     .ended = on_ended,
	                                     .noted = on_noted,
	                                     .broken = on_broken };

static void run(struct str text, size_t piece, unsigned version, struct buf *ret)
{
	struct side s = { 0 };
	struct mcp_protocol_options o = {
		.client = { .name = STR("f"), .version = STR("1"), .root = STR("/w") },
		.version = (enum mcp_version)(version % 3),
		.line_max = 4000,
		.tools_max = 8
	};

	s.protocol = mcp_protocol_new(&o, &ops, &s);
	mcp_protocol_begin(s.protocol);
	while (text.len) {
		size_t len = MIN(piece, text.len);
		char *copy = malloc(len);

		MUST(copy);
		memcpy(copy, text.ptr, len);
		mcp_protocol_feed(s.protocol, str_of(copy, len));
		free(copy);
		text = str_skip(text, len);
	}
	mcp_protocol_free(s.protocol);
	*ret = s.seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;

	if (size < 3)
		return 0;

	struct str text = str_of((const char *)data + 2, size - 2);

	run(text, text.len, data[0], &whole);
	run(text, 1 + data[1] % 64, data[0], &pieces);
	MUST(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}

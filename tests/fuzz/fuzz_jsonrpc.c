/*
 * JSON-RPC lines from arbitrary bytes.  The first byte says how the rest is
 * split; for every split the messages and the replies are the same, every reply
 * is JSON on one line, and every id in a reply was sent.
 */
#include "net/jsonrpc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define CALLS_MAX 20

struct side {
	struct buf seen;
	struct jsonrpc_call *calls[CALLS_MAX];
	size_t count;
};

static void add_json(struct buf *out, struct json v)
{
	struct arena *mem = arena_new();

	if (json_is(v))
		buf_add_str(out, json_text(mem, v));
	arena_free(mem);
}

static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct side *s = user;

	buf_printf(&s->seen, "%d %.*s %.*s ", (int)m->kind, STR_ARG(m->id), STR_ARG(m->method));
	add_json(&s->seen, m->params);
	add_json(&s->seen, m->result);
	buf_add_char(&s->seen, '\n');
	MUST((m->kind == JSONRPC_CALL) == (m->call != NULL));
	if (!m->call)
		return;
	MUST(str_is(m->id) && str_is(m->method));
	/* Some at once, some at the end, some after the connection has gone. */
	if (m->method.len % 3 == 0)
		jsonrpc_reply(m->call, STR("{\"ok\":true}"));
	else
		s->calls[s->count++] = m->call;
}

static void on_send(void *user, struct str text)
{
	struct side *s = user;
	struct arena *mem = arena_new();
	struct json v;
	struct error e;

	MUST(str_find_char(text, '\n') < 0);
	MUST(json_read(mem, text, &v, &e) == OK);
	MUST(json_type(v) == JSON_OBJ || json_type(v) == JSON_ARR);
	buf_printf(&s->seen, "> %.*s\n", STR_ARG(text));
	arena_free(mem);
}

static const struct jsonrpc_ops ops = { .on_message = on_message, .send = on_send };

static void run(struct str text, size_t piece, struct buf *ret)
{
	struct side s = { 0 };
	struct jsonrpc_options opt = { .line_max = 2000, .batch_max = 10, .calls_max = CALLS_MAX };
	struct jsonrpc *j = jsonrpc_new(&opt, &ops, &s);
	bool goes_on = true;

	while (goes_on && text.len) {
		size_t len = MIN(piece, text.len);
		char *copy = malloc(len);

		MUST(copy);
		memcpy(copy, text.ptr, len);
		goes_on = jsonrpc_feed(j, str_of(copy, len));
		text = str_skip(text, len);
		free(copy);
	}
	if (goes_on)
		jsonrpc_feed_end(j);
	MUST(jsonrpc_open_calls(j) == s.count);

	/* Backwards, which must not matter to batches. */
	size_t half = s.count / 2;

	while (s.count > half)
		jsonrpc_reply_error(s.calls[--s.count], -1, STR("late"), STR("[1]"));
	jsonrpc_free(j);
	while (s.count)
		jsonrpc_reply(s.calls[--s.count], STR("null"));
	*ret = s.seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;

	if (size < 2)
		return 0;

	struct str text = str_of((const char *)data + 1, size - 1);

	run(text, text.len, &whole);
	run(text, 1 + data[0] % 64, &pieces);
	MUST(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}

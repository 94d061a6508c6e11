/*
 * A peer that sends arbitrary bytes: as a request of both bindings, with the parts of its message, and
 * as events of a session, one per line.  Whatever comes, errors and results are JSON, and a stream that begins
 * behind any event continues like one that began earlier.
 */
#include "a2a/a2a_id.h"
#include "a2a/a2a_input.h"
#include "a2a/a2a_task.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void must_be_json(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	MUST(json_read_wrapped(mem, text, &v, NULL) == OK);
}

static void check_error(const struct a2a_error *e)
{
	CLEANUP(buf_done) struct buf rpc = { 0 }, http = { 0 };
	struct json_writer w;

	MUST(e->code > A2A_OK && e->code < A2A_CODES);
	jw_init(&w, &rpc);
	a2a_error_write_rpc(&w, e);
	must_be_json(buf_str(&rpc));
	jw_init(&w, &http);
	a2a_error_write_http(&w, e);
	must_be_json(buf_str(&http));
}

/* A part that passes names no address inside. */
static void check_message(struct arena *mem, const struct a2a_request *r)
{
	CLEANUP(buf_done) struct buf out = { 0 }, answer = { 0 };
	struct host_rules none = { 0 };
	struct a2a_error e;
	struct json_writer w;

	jw_init(&w, &out);
	if (a2a_input_write(mem, &w, &r->message, &none, &e))
		must_be_json(buf_str(&out));
	else
		check_error(&e);
	MUST(str_find(buf_str(&out), STR("\"uri\":\"http://127.0.0.1/")) < 0);
	jw_init(&w, &answer);
	a2a_input_write_answer(&w, &r->message);
	must_be_json(buf_str(&answer));
}

static void check_request(struct arena *mem, bool ok, const struct a2a_request *r,
                          const struct a2a_error *e)
{
	struct str session, rest;

	if (!ok) {
		check_error(e);
		return;
	}
	MUST(r->method > 0 && r->method < A2A_METHODS);
	if (r->method == A2A_SEND_MESSAGE || r->method == A2A_SEND_STREAMING_MESSAGE)
		check_message(mem, r);
	if (a2a_id_read(r->task_id, &session, &rest))
		MUST(session.len + rest.len + 1 == r->task_id.len);
}

static void check_requests(struct str text)
{
	static const char *const methods[] = { "GET", "POST", "DELETE" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str body = text, path = str_cut(&body, '\n');
	struct a2a_query query = { STR("pageSize"), path };
	struct a2a_request r;
	struct a2a_error e;

	check_request(mem, a2a_request_read_rpc(mem, text, &r, &e), &r, &e);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		struct a2a_http in = { .method = str_from(methods[i]),
			               .path = path,
			               .body = str_is(body) ? body : STR(""),
			               .query = &query,
			               .query_count = 1 };

		check_request(mem, a2a_request_read_http(mem, &in, &r, &e), &r, &e);
	}
}

/* Folds the lines; those behind `from` are added to out as changes. */
static void fold(struct str text, size_t from, bool is_light, struct buf *out)
{
	struct a2a_task t;
	size_t n = 0;

	a2a_task_init(&t, STR("s"), STR("t"), STR("u/"));
	while (str_is(text)) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str line = str_cut(&text, '\n');
		struct a2a_change change;
		struct json_writer w;
		struct json event;

		if (n++ >= from && is_light && t.is_found && !t.light)
			a2a_task_lighten(&t);
		if (json_read(mem, line, &event, NULL) != OK)
			continue;
		a2a_task_event(&t, mem, event, &change);
		if (!change.kind || n <= from)
			continue;
		jw_init(&w, out);
		a2a_task_write_change(&w, &t, &change);
		buf_add_char(out, '\n');
	}
	a2a_task_done(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf whole = { 0 }, later = { 0 };
	struct str text;

	if (size < 1)
		return 0;
	text = str_of((const char *)data + 1, size - 1);
	check_requests(text);
	fold(text, data[0] % 8, false, &whole);
	fold(text, data[0] % 8, true, &later);
	MUST(str_eq(buf_str(&whole), buf_str(&later)));
	return 0;
}

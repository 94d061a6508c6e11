/*
 * Any bytes as the response of a model server, in any dialect: the result is
 * pieces and one end, the same for any split, and the resulting conversation can
 * be sent back.
 *
 * The first line of an input says how it is served: "STATUS TYPE DIALECT", TYPE being sse, lines,
 * messages, json, html or none.  The rest is the body.
 */
#include "provider/dialect.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct served {
	const struct dialect *dialect;
	int status;
	struct str type;
	struct str body;
};

static struct served read_input(struct str in)
{
	struct served s = { .dialect = &openai_chat_event_dialect, .status = 200, .body = in };
	struct str word = str_cut(&s.body, '\n');
	struct str status = str_cut(&word, ' ');
	struct str type = str_cut(&word, ' ');
	uint64_t n;

	if (!str_is(s.body))
		s.body = STR("");
	if (str_to_u64(status, &n) && n >= 100 && n < 1000)
		s.status = (int)n;
	s.type = str_eq(type, STR("json"))       ? STR("application/json")
	         : str_eq(type, STR("html"))     ? STR("text/html")
	         : str_eq(type, STR("lines"))    ? STR("application/x-ndjson")
	         : str_eq(type, STR("none"))     ? STR_NONE
	         : str_eq(type, STR("messages")) ? STR("application/vnd.amazon.eventstream")
	                                         : STR("text/event-stream");
	for (size_t i = 0; i < COUNT_OF(providers_dialects); i++)
		if (str_eq(providers_dialects[i].dialect->word, word) &&
		    !providers_dialects[i].dialect->of_model)
			s.dialect = providers_dialects[i].dialect;
	return s;
}

/* ---- what must hold ---- */

static void check_end(const struct model_end *end, const struct served *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct model_usage *u = &end->usage;
	struct json doc;

	assert(end->http_status == s->status);
	assert(end->bytes_received >= 0 && (size_t)end->bytes_received <= s->body.len);
	assert(json_read(mem, end->raw, &doc, NULL) == OK);
	assert(!u->known ||
	       (u->input >= u->cached_input + u->cache_written && u->cached_input >= 0 &&
	        u->cache_written >= 0 && u->output >= u->reasoning && u->reasoning >= 0));
	if (end->failed) {
		assert(end->category && end->message.len && utf8_is_valid(end->message));
		assert(end->call_count == 0 && end->retry_after_ms == -1);
		return;
	}
	assert(s->status == 200 && (end->stop == STOP_REASON_TOOL_USE) == (end->call_count > 0));
	for (size_t i = 0; i < end->call_count; i++) {
		const struct model_call *c = &end->calls[i];

		assert(c->call_id.len && c->name.len && c->args.len);
		assert(utf8_is_valid(c->call_id) && utf8_is_valid(c->name) &&
		       utf8_is_valid(c->args));
		for (size_t n = 0; n < i; n++)
			assert(!str_eq(end->calls[n].call_id, c->call_id));
	}
}

/* The answer and results for its calls, as the next request has them. */
static void check_going_back(const struct model_end *end, const struct served *s, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf body = { 0 };
	struct body_options o = { .extra_body = STR("{\"thinking\":{\"type\":\"enabled\"}}") };
	struct message messages[] = { { .role = ROLE_USER, .text = STR("hello") },
		                      { .role = ROLE_ASSISTANT,
		                        .text = text,
		                        .calls = (struct model_call *)end->calls,
		                        .call_count = end->call_count,
		                        .state = end->state } };
	struct model_request req = { .model = STR("m"), .messages = messages, .message_count = 2 };
	struct json doc;
	struct error e;

	assert(s->dialect->write(&req, &o, &body, &e) == OK);
	assert(json_read(mem, buf_str(&body), &doc, &e) == OK);
}

/* ---- one reading ---- */

static bool pull(struct response *r, struct str bytes, struct buf *out, struct buf *text)
{
	struct response_piece piece;
	enum response_step step;

	while ((step = response_next(r, &bytes, &piece)) == RESPONSE_PIECE) {
		assert(piece.text.len && utf8_is_valid(piece.text));
		buf_printf(out, "%d:", piece.kind);
		buf_add_str(out, piece.text);
		buf_add_char(out, '|');
		if (piece.kind == PIECE_TEXT)
			buf_add_str(text, piece.text);
	}
	assert(step == RESPONSE_END || !bytes.len);
	return step == RESPONSE_END;
}

/* How large the next part is: always the same, or by chance where there is a seed. */
static size_t next_size(size_t size, uint64_t *seed)
{
	if (!*seed)
		return size;
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return 1 + (size_t)(*seed % size);
}

static void play(const struct served *s, size_t size, uint64_t seed, struct buf *out)
{
	struct response_options o = {
		s->dialect,
		STR("p"),
		STR("m"),
		STR("mreq_1"),
		{ .line = 4096, .text = 2000, .args = 500, .calls = 4, .whole = 4096, .raw = 512 }
	};
	struct response *r = response_new(&o);
	struct http_client_header type = { STR("content-type"), s->type };
	struct http_client_head head = { s->status, &type, str_is(s->type) };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct model_end end;
	bool is_over = false;

	response_head(r, &head);
	for (size_t at = 0, len; at < s->body.len && !is_over; at += len) {
		len = next_size(size, &seed);
		len = MIN(len, s->body.len - at);

		char *copy = memory_alloc(len); /* so that a sanitizer sees a step past the end */

		memcpy(copy, s->body.ptr + at, len);
		is_over = pull(r, str_of(copy, len), out, &text);
		free(copy);
	}
	if (!is_over) {
		response_eof(r);
		is_over = pull(r, STR(""), out, &text);
	}
	assert(is_over);
	response_end(r, &end);
	check_end(&end, s);
	if (!end.failed)
		check_going_back(&end, s, buf_str(&text));
	buf_printf(out, "%d %d %lld ", end.failed, end.stop, (long long)end.bytes_received);
	buf_add_str(out, end.message);
	for (size_t i = 0; i < end.call_count; i++) {
		buf_add_str(out, end.calls[i].call_id);
		buf_add_str(out, end.calls[i].name);
		buf_add_str(out, end.calls[i].args);
	}
	buf_add_str(out, end.state);
	buf_add_str(out, end.raw);
	response_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct served s = read_input(str_of(data ? (const char *)data : "", size));
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(buf_done) struct buf cut = { 0 };

	play(&s, MAX(s.body.len, (size_t)1), 0, &whole);
	for (size_t step = 1; step < 30; step = step * 3 + 1) {
		buf_clear(&cut);
		play(&s, step, 0, &cut);
		assert(str_eq(buf_str(&whole), buf_str(&cut)));
	}
	for (uint64_t i = 1; i <= 4; i++) {
		buf_clear(&cut);
		play(&s, 1 + s.body.len / i, (str_hash(s.body) | 1) + 2 * i, &cut);
		assert(str_eq(buf_str(&whole), buf_str(&cut)));
	}
	return 0;
}

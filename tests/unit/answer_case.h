#ifndef TESTS_ANSWER_CASE_H
#define TESTS_ANSWER_CASE_H
/*
 * The response of a server as one line of text, the same however its bytes are
 * split.  A file that includes this defines its dialect with CASE_DIALECT.
 */
#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "lib/t.h"
#include "provider/dialect.h"

#ifndef CASE_DIALECT
#define CASE_DIALECT (&openai_chat_event_dialect)
#endif

/* ---- a whole answer as one line of text ---- */

static const char *const stop_words[] = {
	[STOP_REASON_END_TURN] = "end_turn",     [STOP_REASON_TOOL_USE] = "tool_use",
	[STOP_REASON_MAX_TOKENS] = "max_tokens", [STOP_REASON_STOP_SEQUENCE] = "stop_sequence",
	[STOP_REASON_REFUSAL] = "refusal",       [STOP_REASON_CONTEXT_FULL] = "context_full",
	[STOP_REASON_PAUSE_TURN] = "pause_turn",
};

static inline void show_end(struct buf *out, const struct model_end *end)
{
	if (end->failed) {
		buf_printf(out, "failed %.*s%s", STR_ARG(error_category_word(end->category)),
		           end->retryable ? " retryable" : "");
		if (end->retry_after_ms >= 0)
			buf_printf(out, " after %lld", (long long)end->retry_after_ms);
		buf_printf(out, " (%.*s)", STR_ARG(end->message));
	} else {
		buf_printf(out, "%s (%.*s)", stop_words[end->stop], STR_ARG(end->native_stop));
	}
	for (size_t i = 0; i < end->call_count; i++)
		buf_printf(out, " call[%.*s %.*s %.*s]", STR_ARG(end->calls[i].call_id),
		           STR_ARG(end->calls[i].name), STR_ARG(end->calls[i].args));
	if (str_is(end->state))
		buf_printf(out, " state%.*s", STR_ARG(end->state));
	if (end->usage.known)
		buf_printf(out, " usage[%lld %lld %lld %lld %lld]", (long long)end->usage.input,
		           (long long)end->usage.cached_input, (long long)end->usage.cache_written,
		           (long long)end->usage.output, (long long)end->usage.reasoning);
}

struct served {
	int status;
	const char *type;
	struct str body;
	bool is_broken; /* the connection fails at its end */
	struct response_limits limits;
	const struct http_client_header *headers;
	size_t header_count;
};

/* Pulls all pieces that the bytes give; true at the end. */
static inline bool pull(struct response *r, struct str bytes, struct buf *out)
{
	static const char kinds[] = {
		[PIECE_TEXT] = 'T', [PIECE_REASONING] = 'R', [PIECE_TOOL_ARGS] = 'A'
	};
	struct response_piece piece;
	enum response_step step;

	while ((step = response_next(r, &bytes, &piece)) == RESPONSE_PIECE) {
		CHECK(piece.text.len && utf8_is_valid(piece.text));
		buf_printf(out, "%c:", kinds[piece.kind]);
		buf_add_str(out, piece.text);
		buf_add_char(out, '|');
	}
	return step == RESPONSE_END;
}

static inline struct response *reader_for(const struct served *a)
{
	struct response_options o = { CASE_DIALECT, STR("sim"), STR("m"), STR("mreq_1"),
		                      a->limits };
	struct response *r = response_new(&o);
	struct http_client_header headers[8] = { { STR("Content-Type"), str_from(a->type) } };
	struct http_client_head head = { a->status, headers, 1 };

	for (size_t i = 0; i < a->header_count; i++)
		headers[head.header_count++] = a->headers[i];
	if (!a->type) {
		head.headers++;
		head.header_count--;
	}
	response_head(r, &head);
	return r;
}

/* Reads the answer in pieces that end at the given places, and writes down all that came of it. */
static inline void play(const struct served *a, size_t cut1, size_t cut2, struct buf *out)
{
	struct response *r = reader_for(a);
	size_t at = 0;
	bool is_over = false;
	struct model_end end;

	while (at < a->body.len && !is_over) {
		size_t to = cut2 ? (at < cut1 ? cut1 : at < cut2 ? cut2 : a->body.len) : at + cut1;

		to = MIN(to, a->body.len);

		/* an exact copy, so that a sanitizer sees a step past its end */
		char *copy = memory_alloc(to - at);

		memcpy(copy, a->body.ptr + at, to - at);
		is_over = pull(r, str_of(copy, to - at), out);
		free(copy);
		at = to;
	}
	if (!is_over) {
		if (a->is_broken)
			response_break(r, ERROR_CATEGORY_NETWORK, true, STR("it broke"));
		else
			response_eof(r);
		CHECK(pull(r, STR(""), out));
	}
	response_end(r, &end);
	show_end(out, &end);
	CHECK(end.bytes_received <= (int64_t)a->body.len);
	buf_printf(out, " bytes %lld raw ", (long long)end.bytes_received);
	buf_add_str(out, end.raw);
	response_free(r);
}

/* What came of it, without bytes and raw; the same however it is cut. */
static inline struct str outcome(struct arena *mem, const struct served *a)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(buf_done) struct buf cut = { 0 };
	size_t step = MAX(a->body.len / 4000, (size_t)1);

	play(a, MAX(a->body.len, (size_t)1), 0, &whole);
	for (size_t i = 1; i < a->body.len; i += step) {
		buf_clear(&cut);
		play(a, i, a->body.len, &cut);
		CHECK_SAME(buf_str(&cut), buf_str(&whole));
	}
	for (size_t size = 1; size <= 7; size++) {
		buf_clear(&cut);
		play(a, size, 0, &cut);
		CHECK_SAME(buf_str(&cut), buf_str(&whole));
	}

	struct str all = buf_str(&whole);
	ptrdiff_t at = str_find(all, STR(" bytes "));

	return arena_keep(mem, str_head(all, (size_t)at));
}

static inline void check_answer(const char *file, int line, const struct served *a,
                                const char *want)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	t_check_str(file, line, "the answer", outcome(mem, a), str_from(want));
}

#define SSE "text/event-stream; charset=utf-8"
#define CHECK_ANSWER(want, ...)                                                                    \
	check_answer(__FILE__, __LINE__, &(struct served){ __VA_ARGS__ }, want)
#define CHECK_STREAM(text, want) CHECK_ANSWER(want, 200, SSE, STR(text))

#endif

/* The reader of Chat Completions answers: bytes, beginning and end. */
#include "provider/openai_chat_map.h"

#include "base/utf8.h"
#include "catalog/gen/limits.h"
#include "provider/openai_chat_int.h"

#include <stdlib.h>
#include <strings.h>

static void forget_event(struct chat_reader *r)
{
	arena_free(r->mem);
	r->mem = NULL;
	r->pieces = NULL;
	r->piece_count = r->piece_cap = r->piece_at = 0;
}

struct arena *chat_mem(struct chat_reader *r)
{
	if (!r->mem)
		r->mem = arena_new();
	return r->mem;
}

/* ---- bytes ---- */

/*
 * Up to and with the end of the first line, so that no event ends but at the
 * end of a feed; and no further than the parser will go.
 */
static struct str cut_line(const struct chat_reader *r, struct str *bytes)
{
	struct str line = str_head(*bytes, r->limits.line - r->sse.line.len + 1);
	ptrdiff_t at = str_find_char(line, '\n');

	if (at >= 0)
		line = str_head(line, (size_t)at + 1);
	at = str_find_char(line, '\r');
	if (at >= 0)
		line = str_head(line, (size_t)at + 1);
	*bytes = str_skip(*bytes, line.len);
	return line;
}

static void feed(struct chat_reader *r, struct str line)
{
	if (!sse_feed(&r->sse, line, chat_on_event, r))
		chat_fail_protocol(r, false, "a line of the stream is longer than is taken");
}

static void take_bytes(struct chat_reader *r, struct str *bytes)
{
	if (r->mode == MODE_STREAM) {
		struct str line = cut_line(r, bytes);

		openai_raw_add(&r->raw, line);
		feed(r, line);
		return;
	}

	struct str part = str_head(*bytes, r->limits.whole - r->whole.len);

	openai_raw_add(&r->raw, part);
	buf_add_str(&r->whole, part);
	*bytes = str_skip(*bytes, part.len);
	if (!part.len && r->mode == MODE_WHOLE)
		chat_fail_protocol(r, false, "the answer is larger than is taken");
	else if (!part.len)
		chat_reader_eof(r); /* an error is judged by its beginning */
}

enum chat_step chat_reader_next(struct chat_reader *r, struct str *bytes, struct chat_piece *ret)
{
	for (;;) {
		if (r->piece_at < r->piece_count) {
			*ret = r->pieces[r->piece_at++];
			return CHAT_PIECE;
		}
		forget_event(r);
		if (r->is_over)
			return CHAT_END;
		if (!bytes->len)
			return CHAT_MORE;
		take_bytes(r, bytes);
	}
}

/* ---- beginning ---- */

static size_t or_default(size_t n, size_t otherwise)
{
	return n ? n : otherwise;
}

struct chat_reader *chat_reader_new(const struct chat_reader_options *o)
{
	struct chat_reader *r = xcalloc(1, sizeof *r);
	const struct chat_limits *l = &o->limits;

	r->keep = arena_new();
	r->provider = arena_keep(r->keep, o->provider);
	r->request_id = arena_keep(r->keep, o->request_id);
	r->hints.retry_after_ms = -1;
	r->limits = (struct chat_limits){
		.line = or_default(l->line, 1u << 20),
		.text = or_default(l->text, 8u << 20),
		.args = or_default(l->args, 1u << 20),
		.calls = or_default(l->calls, LIMIT_CALLS_PER_ANSWER),
		.whole = or_default(l->whole, 4u << 20),
		.raw = or_default(l->raw, 32u << 10),
	};
	r->sse.max = r->limits.line;
	r->raw.max = r->limits.raw;
	return r;
}

void chat_reader_free(struct chat_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->call_count; i++) {
		buf_done(&r->calls[i].id);
		buf_done(&r->calls[i].name);
		buf_done(&r->calls[i].args);
	}
	xfree(r->calls);
	sse_parser_done(&r->sse);
	openai_raw_done(&r->raw);
	buf_done(&r->raw_text);
	buf_done(&r->whole);
	buf_done(&r->finish);
	arena_free(r->mem);
	arena_free(r->keep);
	xfree(r);
}

static bool is_type(struct str type, const char *what)
{
	size_t len = strlen(what);

	return type.len >= len && !strncasecmp(type.ptr, what, len);
}

void chat_reader_head(struct chat_reader *r, const struct wire_head *h)
{
	struct str type = wire_head_get(h, STR("content-type"));

	r->status = h->status;
	openai_hints_read(h, &r->hints);
	openai_raw_head(&r->raw, h);
	if (h->status != 200)
		r->mode = MODE_ERROR;
	else if (is_type(type, "application/json"))
		r->mode = MODE_WHOLE;
	else if (!type.len || is_type(type, "text/event-stream"))
		r->mode = MODE_STREAM;
	else
		chat_fail(r, ERROR_CATEGORY_PROTOCOL, false,
		          arena_printf(r->keep,
		                       "%.*s answers with %.*s and not with an event stream; is "
		                       "the base URL right?",
		                       STR_ARG(r->provider), STR_ARG(utf8_head(type, 80))));
}

/* ---- end ---- */

static void end_stream(struct chat_reader *r)
{
	feed(r, STR("\n\n")); /* an event that nobody closed */
	if (!r->finish.len)
		chat_fail(r, ERROR_CATEGORY_NETWORK, true,
		          arena_printf(r->keep,
		                       "%.*s: the stream ended before the answer was whole",
		                       STR_ARG(r->provider)));
	chat_conclude(r);
}

void chat_reader_eof(struct chat_reader *r)
{
	if (r->is_over)
		return;
	r->is_eof = true;
	if (r->mode == MODE_STREAM) {
		end_stream(r);
	} else if (r->mode == MODE_WHOLE) {
		chat_read_whole(r, buf_str(&r->whole));
	} else {
		r->is_over = true;
		r->has_failed = true;
		openai_failure_of_answer(r->keep, r->provider, r->status, &r->hints,
		                         buf_str(&r->whole), &r->failure);
	}
}

void chat_reader_fail(struct chat_reader *r, enum error_category category, bool retryable,
                      struct str message)
{
	if (r->finish.len || r->mode == MODE_ERROR)
		chat_reader_eof(r);
	else
		chat_fail(r, category, retryable,
		          arena_printf(r->keep, "%.*s: %.*s", STR_ARG(r->provider),
		                       STR_ARG(message)));
}

static bool is_whole_call(struct chat_reader *r, const struct chat_call *c)
{
	struct json v;

	return json_read_own(chat_mem(r), buf_str(&c->args), &v, NULL) == OK &&
	       json_type(v) == JSON_OBJ;
}

/* Of an answer that was cut short nothing is acted on, unless all its calls came whole. */
static bool may_act(struct chat_reader *r, enum model_stop stop)
{
	if (stop != STOP_MAX_TOKENS && stop != STOP_CONTEXT_FULL && stop != STOP_REFUSAL)
		return true;
	for (size_t i = 0; i < r->call_count; i++)
		if (!is_whole_call(r, &r->calls[i]))
			return false;
	return true;
}

static bool is_id_taken(const struct chat_reader *r, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(buf_str(&r->calls[i].id), id))
			return true;
	return false;
}

static void end_calls(struct chat_reader *r, struct model_end *ret)
{
	struct model_call_part *parts = ARENA_ARRAY(r->keep, struct model_call_part, r->call_count);

	for (size_t i = 0; i < r->call_count; i++) {
		const struct chat_call *c = &r->calls[i];
		struct str id = buf_str(&c->id);

		if (!id.len || is_id_taken(r, i, id))
			id = arena_printf(r->keep, "call_%.*s_%zu", STR_ARG(r->request_id), i + 1);
		parts[i] = (struct model_call_part){
			.call_id = id,
			.name = buf_str(&c->name),
			.args = c->args.len ? buf_str(&c->args) : STR("{}"),
		};
	}
	ret->calls = parts;
	ret->call_count = r->call_count;
}

static void end_well(struct chat_reader *r, struct model_end *ret)
{
	enum model_stop stop = chat_stop(r);

	if (r->call_count && may_act(r, stop)) {
		end_calls(r, ret);
		stop = STOP_TOOL_USE; /* some say "stop" all the same */
	} else if (r->is_refused) {
		stop = STOP_REFUSAL;
	} else if (stop == STOP_TOOL_USE) {
		stop = STOP_END_TURN; /* it called nothing */
	}
	ret->stop = stop;
	ret->native_stop = r->finish.len ? buf_str(&r->finish) : STR_NONE;
}

void chat_reader_end(struct chat_reader *r, struct model_end *ret)
{
	*ret = (struct model_end){ .retry_after_ms = -1,
		                   .http_status = r->status,
		                   .usage = r->usage,
		                   .bytes_received = r->raw.bytes };
	if (r->mode == MODE_ERROR)
		ret->bytes_received = 0; /* none of it is the model's, and none is paid for */
	if (r->has_failed) {
		ret->failed = true;
		ret->category = error_category_word(r->failure.category);
		ret->message = r->failure.message;
		ret->retryable = r->failure.retryable;
		ret->retry_after_ms = r->failure.retry_after_ms;
	} else {
		end_well(r, ret);
	}
	if (!r->status)
		return;
	buf_clear(&r->raw_text);
	openai_raw_write(&r->raw, &r->raw_text);
	ret->raw = buf_str(&r->raw_text);
}

/* Answers: bytes, beginning and end. */
#include "provider/response.h"

#include "base/utf8.h"
#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/memory.h"
#include "provider/response_int.h"
#include "provider/halves.h"

#include <stdlib.h>
#include <strings.h>

static void forget_document(struct response *a)
{
	arena_free(a->mem);
	a->mem = NULL;
	a->pieces = NULL;
	a->piece_count = a->piece_cap = a->piece_at = 0;
}

struct arena *response_mem(struct response *a)
{
	if (!a->mem)
		a->mem = arena_new();
	return a->mem;
}

struct arena *response_keep(struct response *a)
{
	return a->keep;
}

bool response_is_whole(const struct response *a)
{
	return a->mode == MODE_WHOLE;
}

bool response_is_over(const struct response *a)
{
	return a->is_over;
}

/* ---- documents ---- */

/* null and "" are not errors; some servers send them with every event. */
static bool is_error(struct json v)
{
	return json_type(v) == JSON_STR ? json_str(v).len > 0 : json_type(v) == JSON_OBJ;
}

/* Bytes that are no characters become U+FFFD rather than the end of an answer. */
static struct str valid_text(struct response *a, struct str s)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (utf8_is_valid(s))
		return s;
	while (s.len) {
		size_t len = utf8_read(s, NULL);

		if (len)
			buf_add(&out, s.ptr, len);
		else
			buf_add_c(&out, "\xef\xbf\xbd");
		s = str_skip(s, MAX(len, (size_t)1));
	}
	return arena_keep(response_mem(a), buf_str(&out));
}

/*
 * Reads one document.  A document that ends a string between the halves of a character
 * is read with the halves marked (halves.h); from then on all text of this response is
 * checked for marks.
 */
static bool read_document(struct response *a, struct str data, struct json *ret)
{
	struct str text = valid_text(a, data);

	if (json_read_trusted(response_mem(a), text, ret, NULL) == OK)
		return true;
	text = halves_mark(response_mem(a), text);
	if (!str_is(text) || json_read_trusted(response_mem(a), text, ret, NULL) != OK)
		return false;
	a->has_halves = true;
	return true;
}

/*
 * One event of a stream.  The dialect sees a failed event too, because it may carry the
 * usage that has to be paid.
 */
static void take_document(struct response *a, struct str event, struct str data)
{
	struct json doc;

	data = str_trim(data);
	if (a->is_over || !data.len)
		return;
	if (str_eq(data, STR("[DONE]"))) {
		response_part_conclude(a);
		return;
	}
	/* Not json_read: a key that stands twice is not worth losing an answer for. */
	if (!read_document(a, data, &doc) || json_type(doc) != JSON_OBJ) {
		if (!a->is_eof) /* else it is half a document */
			response_part_fail_protocol(a, true, "an event of the stream is not JSON");
		return;
	}
	if (is_error(JSON_GET(doc, "error")))
		response_part_fail_by(a, JSON_GET(doc, "error"));
	else if (str_eq(event, STR("error")))
		response_part_fail_by(a, doc);
	a->dialect->on_event(a, event, doc); /* an error may carry what it cost */
}

static void on_sse(void *arg, const struct sse_message *m)
{
	take_document(arg, m->event, m->data);
}

/*
 * A server that ignored "stream": true.  Without a finish reason the document is not a
 * response of this dialect, which is nearly always a wrong base URL.
 */
static void take_whole(struct response *a)
{
	struct json doc;

	if (!read_document(a, buf_str(&a->whole), &doc)) {
		response_part_fail_protocol(a, true, "the answer is not JSON");
		return;
	}
	if (is_error(JSON_GET(doc, "error")))
		response_part_fail_by(a, JSON_GET(doc, "error"));
	else
		a->dialect->on_whole(a, doc);
	if (!a->finish.len)
		response_part_fail_protocol(a, false,
		                            "the answer is not what was asked for; is the base "
		                            "URL right?");
	response_part_conclude(a);
}

/* ---- bytes ---- */

/*
 * Up to and with the end of the first line, so that no event ends but at the
 * end of a feed; and no further than the parser will go.
 */
static struct str cut_line(const struct response *a, struct str *bytes)
{
	bool is_lines = a->dialect->framing == FRAMING_LINES;
	size_t begun = is_lines ? a->line.len : a->sse.line.len;
	struct str line = str_head(*bytes, a->limits.line - begun + 1);
	ptrdiff_t at = str_find_char(line, '\n');

	if (at >= 0)
		line = str_head(line, (size_t)at + 1);
	at = is_lines ? -1 : str_find_char(line, '\r');
	if (at >= 0)
		line = str_head(line, (size_t)at + 1);
	*bytes = str_skip(*bytes, line.len);
	return line;
}

/* A line inside one piece is parsed in place; only a split line is copied. */
static bool feed_line(struct response *a, struct str bytes)
{
	bool is_end = str_ends(bytes, STR("\n"));

	if (!is_end && a->line.len + bytes.len > a->limits.line)
		return false;
	if (!is_end || a->line.len)
		buf_add_str(&a->line, bytes);
	if (is_end) {
		take_document(a, STR_NONE, a->line.len ? buf_str(&a->line) : bytes);
		buf_done(&a->line); /* streams idle between lines */
	}
	return true;
}

static void feed(struct response *a, struct str bytes)
{
	bool is_lines = a->dialect->framing == FRAMING_LINES;

	if (is_lines ? !feed_line(a, bytes) : !sse_feed(&a->sse, bytes, on_sse, a))
		response_part_fail_protocol(a, false,
		                            "a line of the stream is longer than is taken");
}

/* An exception ends the response; its payload is an object with a message, or empty. */
static void take_exception(struct response *a, const struct eventstream_message *m)
{
	struct json_writer w;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json payload = { 0 }, error;
	struct str said = m->error;

	if (read_document(a, m->payload, &payload) && json_type(payload) == JSON_OBJ &&
	    json_str(JSON_GET(payload, "message")).len)
		said = json_str(JSON_GET(payload, "message"));
	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "type", valid_text(a, m->event_type));
	JW_KSTR(&w, "message", valid_text(a, said));
	jw_obj_end(&w);
	if (read_document(a, arena_keep(response_mem(a), buf_str(&text)), &error))
		response_part_fail_by(a, error);
}

/* The raw bytes are kept as payloads, one per line: what a person can read. */
static void take_message(struct response *a, struct str *bytes)
{
	struct eventstream_message m;

	switch (eventstream_next(&a->messages, bytes, &m)) {
	case EVENTSTREAM_MORE:
		return;
	case EVENTSTREAM_BAD:
		response_part_fail_protocol(a, true, a->messages.trouble);
		return;
	case EVENTSTREAM_MESSAGE:
		raw_add(&a->raw, m.payload);
		raw_add(&a->raw, STR("\n"));
		if (str_eq(m.message_type, STR("event")))
			take_document(a, m.event_type, m.payload);
		else
			take_exception(a, &m);
	}
}

/*
 * One line or message at a time: its pieces are delivered before the next one is parsed, so
 * that memory is bounded by one of them and a caller may pause between any two pieces.
 */
static void take_bytes(struct response *a, struct str *bytes)
{
	if (a->mode == MODE_STREAM && a->dialect->framing == FRAMING_MESSAGES) {
		take_message(a, bytes);
		return;
	}
	if (a->mode == MODE_STREAM) {
		struct str line = cut_line(a, bytes);

		raw_add(&a->raw, line);
		feed(a, line);
		return;
	}

	struct str part = str_head(*bytes, a->limits.whole - a->whole.len);

	raw_add(&a->raw, part);
	buf_add_str(&a->whole, part);
	*bytes = str_skip(*bytes, part.len);
	if (!part.len && a->mode == MODE_WHOLE)
		response_part_fail_protocol(a, false, "the answer is larger than is taken");
	else if (!part.len)
		response_eof(a); /* an error is classified by its beginning */
}

/*
 * The document's arena is freed when its last piece has been taken, not when the piece
 * is returned: the caller still reads it.
 */
enum response_step response_next(struct response *a, struct str *bytes, struct response_piece *ret)
{
	for (;;) {
		if (a->piece_at < a->piece_count) {
			*ret = a->pieces[a->piece_at++];
			return RESPONSE_PIECE;
		}
		forget_document(a);
		if (a->is_over)
			return RESPONSE_END;
		if (!bytes->len)
			return RESPONSE_MORE;
		take_bytes(a, bytes);
	}
}

/* ---- beginning ---- */

static size_t or_default(size_t n, size_t otherwise)
{
	return n ? n : otherwise;
}

/*
 * Limits of zero are defaults.  Only what lives as long as the request is copied to
 * `keep`; documents have their own arena, so a long stream does not grow it.
 */
struct response *response_new(const struct response_options *o)
{
	struct response *a = memory_zeroed(1, sizeof *a);
	const struct response_limits *l = &o->limits;

	a->dialect = o->dialect;
	a->keep = arena_new_small();
	a->provider = arena_keep(a->keep, o->provider);
	a->model = arena_keep(a->keep, o->model);
	a->request_id = arena_keep(a->keep, o->request_id);
	a->hints.retry_after_ms = -1;
	a->limits = (struct response_limits){
		.line = or_default(l->line, 1u << 20),
		.text = or_default(l->text, 8u << 20),
		.args = or_default(l->args, 1u << 20),
		.calls = or_default(l->calls, LIMIT_CALLS_PER_ANSWER),
		.whole = or_default(l->whole, 4u << 20),
		.raw = or_default(l->raw, 4u << 10),
	};
	a->sse.max = a->messages.max = a->limits.line;
	a->raw.max = a->limits.raw;
	return a;
}

void response_free(struct response *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->call_count; i++) {
		buf_done(&a->calls[i].id);
		buf_done(&a->calls[i].name);
		buf_done(&a->calls[i].args);
	}
	for (size_t i = 0; i < a->part_count; i++) {
		buf_done(&a->parts[i].text);
		buf_done(&a->parts[i].signature);
	}
	if (a->dialect_state && a->dialect->on_free)
		a->dialect->on_free(a->dialect_state);
	memory_free(a->calls);
	memory_free(a->parts);
	sse_parser_done(&a->sse);
	eventstream_done(&a->messages);
	raw_done(&a->raw);
	buf_done(&a->raw_text);
	buf_done(&a->state_text);
	buf_done(&a->line);
	buf_done(&a->whole);
	buf_done(&a->finish);
	for (size_t i = 0; i < COUNT_OF(a->half); i++)
		buf_done(&a->half[i]);
	arena_free(a->mem);
	arena_free(a->keep);
	memory_free(a);
}

static bool is_type(struct str type, struct str what)
{
	return type.len >= what.len && !strncasecmp(type.ptr, what.ptr, what.len);
}

/*
 * A missing type counts as a stream, because some servers omit it.  Anything else, such
 * as the HTML of a proxy, is refused with a hint.
 */
static void choose_mode(struct response *a, struct str type)
{
	if (a->status != 200)
		a->mode = MODE_ERROR;
	else if (!type.len || is_type(type, a->dialect->accept))
		a->mode = MODE_STREAM;
	else if (is_type(type, STR("application/json")))
		a->mode = MODE_WHOLE;
	else
		response_part_fail(
			a, ERROR_CATEGORY_PROTOCOL, false,
			arena_printf(a->keep,
		                     "%.*s answers with %.*s and not with a stream; is the "
		                     "base URL right?",
		                     STR_ARG(a->provider), STR_ARG(utf8_head(type, 80))));
}

/*
 * Request ids are kept for the vendor's support.  The head decides how all following
 * bytes are read.
 */
void response_head(struct response *a, const struct http_client_head *h)
{
	struct str id = http_client_head_get(h, STR("x-request-id"));

	a->status = h->status;
	if (!id.len)
		id = http_client_head_get(h, STR("request-id"));
	if (!id.len)
		id = http_client_head_get(h, STR("x-amzn-requestid"));
	a->provider_request_id =
		id.len ? arena_keep(a->keep, utf8_head(id, RESPONSE_ID_MAX)) : STR_NONE;
	failure_hints_read(h, &a->hints);
	a->hints.location = arena_keep(
		a->keep, utf8_head(raw_address(http_client_head_get(h, STR("location"))), 200));
	a->model_limit_count = failure_limits_read(h, a->keep, &a->model_limits);
	raw_head(&a->raw, h);
	choose_mode(a, http_client_head_get(h, STR("content-type")));
}

/* ---- end ---- */

/*
 * The parser gets the line ends that the server may have omitted, so that a complete
 * last event is not lost.  A stream without a finish reason counts as a broken
 * connection and may be retried.
 */
static void end_stream(struct response *a)
{
	/* An event without a final line break; a message has none. */
	if (a->dialect->framing != FRAMING_MESSAGES)
		feed(a, a->dialect->framing == FRAMING_LINES ? STR("\n") : STR("\n\n"));
	if (a->dialect->on_eof && !a->is_over)
		a->dialect->on_eof(a);
	if (!a->finish.len)
		response_part_fail(
			a, ERROR_CATEGORY_NETWORK, true,
			arena_printf(a->keep, "%.*s: the stream ended before the answer was whole",
		                     STR_ARG(a->provider)));
	response_part_conclude(a);
}

/* An error response has no dialect: failure.h reads it. */
void response_eof(struct response *a)
{
	if (a->is_over)
		return;
	a->is_eof = true;
	if (a->mode == MODE_STREAM) {
		end_stream(a);
	} else if (a->mode == MODE_WHOLE) {
		take_whole(a);
	} else {
		a->is_over = true;
		a->has_failed = true;
		failure_of_answer(a->keep, a->provider, a->status, &a->hints, buf_str(&a->whole),
		                  &a->failure);
	}
}

/*
 * A response with a finish reason is complete even if the connection broke afterwards;
 * so is the body of an error, which needs only its beginning.
 */
void response_break(struct response *a, enum error_category category, bool retryable,
                    struct str message)
{
	if (a->finish.len || a->mode == MODE_ERROR)
		response_eof(a);
	else
		response_part_fail(a, category, retryable,
		                   arena_printf(a->keep, "%.*s: %.*s", STR_ARG(a->provider),
		                                STR_ARG(message)));
}

/*
 * Arguments are text that holds JSON: halves may stand in the text, or as escapes in the JSON.
 * A half that stays alone is no reason to refuse the call.
 */
static void mend_call(struct response *a, struct response_call *c)
{
	struct str marked;
	struct json v;

	if (json_read_trusted(response_mem(a), buf_str(&c->args), &v, NULL) != OK) {
		marked = halves_mark(response_mem(a), buf_str(&c->args));
		if (str_is(marked)) {
			buf_clear(&c->args);
			buf_add_str(&c->args, marked);
		}
	}
	halves_join(&c->args);
}

static bool is_whole_call(struct response *a, const struct response_call *c)
{
	struct json v;

	return json_read_trusted(response_mem(a), buf_str(&c->args), &v, NULL) == OK &&
	       json_type(v) == JSON_OBJ;
}

/*
 * Of an answer that was cut short nothing is acted on, unless all its calls
 * came whole; of one that was stopped for what it says, nothing at all.
 */
static bool may_act(struct response *a, enum stop_reason stop)
{
	if (stop == STOP_REASON_REFUSAL)
		return false;
	if (stop != STOP_REASON_MAX_TOKENS && stop != STOP_REASON_CONTEXT_FULL &&
	    stop != STOP_REASON_PAUSE_TURN)
		return true;
	for (size_t i = 0; i < a->call_count; i++)
		if (!is_whole_call(a, &a->calls[i]))
			return false;
	return true;
}

static bool is_id_taken(const struct response *a, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(buf_str(&a->calls[i].id), id))
			return true;
	return false;
}

/*
 * Ids must be unique within a conversation.  Some servers give none, or the same one
 * twice; those get an id made from the request's id.
 */
static void end_calls(struct response *a, struct model_end *ret)
{
	struct model_call *parts = ARENA_ARRAY(a->keep, struct model_call, a->call_count);

	for (size_t i = 0; i < a->call_count; i++) {
		const struct response_call *c = &a->calls[i];
		struct str id = buf_str(&c->id);

		if (!id.len || is_id_taken(a, i, id))
			id = arena_printf(a->keep, "call_%.*s_%zu", STR_ARG(a->request_id), i + 1);
		parts[i] = (struct model_call){
			.call_id = id,
			.name = buf_str(&c->name),
			.args = c->args.len ? buf_str(&c->args) : STR("{}"),
		};
	}
	ret->calls = parts;
	ret->call_count = a->call_count;
}

/*
 * Servers disagree on the finish reason of a response with calls, so the calls decide:
 * a response that may be acted on and has calls ends with tool_use, whatever the server
 * said.
 */
static void end_well(struct response *a, struct model_end *ret)
{
	enum stop_reason stop = response_part_finish_word(a)->stop;

	for (size_t i = 0; i < a->call_count; i++)
		mend_call(a, &a->calls[i]);
	if (a->call_count && may_act(a, stop)) {
		end_calls(a, ret);
		stop = STOP_REASON_TOOL_USE; /* some servers say "stop" here too */
	} else if (a->is_refused) {
		stop = STOP_REASON_REFUSAL;
	} else if (stop == STOP_REASON_TOOL_USE) {
		stop = STOP_REASON_END_TURN; /* it called nothing */
	}
	ret->stop = stop;
	ret->native_stop = a->finish.len ? buf_str(&a->finish) : STR_NONE;
	ret->state = response_part_state(a, ret->calls, ret->call_count);
}

/*
 * The usage is reported only if it can be right; unknown is better than a wrong cost.
 * The raw bytes are kept if a server answered at all.
 */
void response_end(struct response *a, struct model_end *ret)
{
	*ret = (struct model_end){ .retry_after_ms = -1,
		                   .http_status = a->status,
		                   .usage = a->usage,
		                   .bytes_received = a->raw.bytes,
		                   .provider_request_id = a->provider_request_id,
		                   .limits = a->model_limits,
		                   .limit_count = a->model_limit_count };
	/* A zero where something was read or written is no count. */
	if (!a->usage.input || (!a->usage.output && (a->text_bytes || a->call_count)))
		ret->usage = (struct model_usage){ 0 };
	if (a->mode == MODE_ERROR)
		ret->bytes_received = 0; /* none of it is the model's, and none is paid for */
	if (a->has_failed) {
		ret->failed = true;
		ret->category = a->failure.category;
		ret->message = a->failure.message;
		ret->retryable = a->failure.retryable;
		ret->refuses_images = a->failure.names_image;
		ret->retry_after_ms = a->failure.retry_after_ms;
	} else {
		end_well(a, ret);
	}
	if (!a->status)
		return;
	buf_clear(&a->raw_text);
	raw_write(&a->raw, &a->raw_text);
	ret->raw = buf_str(&a->raw_text);
}

/* What dialects put into an answer. */
#include "base/utf8.h"
#include "base/jw.h"
#include "base/memory.h"
#include "provider/response_int.h"
#include "provider/halves.h"

#include <stdlib.h>

/* Above any real count; a larger number is a mistake of the server. */
#define TOKENS_MAX ((int64_t)1 << 40)

/* ---- failing ---- */

/* The first failure counts; later ones follow from it. */
void response_part_fail(struct response *a, enum error_category category, bool retryable,
                        struct str message)
{
	if (a->is_over)
		return;
	a->is_over = true;
	a->has_failed = true;
	a->failure = (struct failure){ .category = category,
		                       .retryable = retryable,
		                       .retry_after_ms = -1,
		                       .message = arena_keep(a->keep, message) };
}

void response_part_fail_protocol(struct response *a, bool retryable, const char *what)
{
	response_part_fail(a, ERROR_CATEGORY_PROTOCOL, retryable,
	                   arena_printf(a->keep, "%.*s: %s", STR_ARG(a->provider), what));
}

void response_part_fail_by(struct response *a, struct json error)
{
	if (a->is_over)
		return;
	a->is_over = true;
	a->has_failed = true;
	failure_of_event(a->keep, a->provider, error, &a->failure);
}

/* ---- parts ---- */

/*
 * Parts keep the order of text, thoughts and calls.  Servers that sign reasoning refuse
 * a conversation whose parts are reordered.
 */
static struct response_part *add_part(struct response *a, int kind)
{
	if (a->part_count == RESPONSE_PARTS_MAX) {
		response_part_fail_protocol(a, false, "the answer has more parts than are taken");
		return NULL;
	}
	if (a->part_count == a->part_cap) {
		a->part_cap = MAX(2 * a->part_cap, (size_t)2);
		a->parts = memory_resize(a->parts, a->part_cap * sizeof *a->parts);
	}

	struct response_part *p = &a->parts[a->part_count++];

	*p = (struct response_part){ .kind = kind, .index = -1, .signature.max = a->limits.args };
	a->is_text_closed = false;
	return p;
}

static void place_text(struct response *a, size_t bytes)
{
	struct response_part *last = a->part_count ? &a->parts[a->part_count - 1] : NULL;

	if (!last || last->kind != PART_TEXT || a->is_text_closed)
		last = add_part(a, PART_TEXT);
	if (last)
		last->bytes += bytes;
}

void response_part_text(struct response *a)
{
	a->is_text_closed = true;
}

/* From the end, because fragments of a thought follow each other. */
static struct response_part *thought_at(struct response *a, int64_t index)
{
	for (size_t i = a->part_count; i-- > 0;)
		if (a->parts[i].kind == PART_THOUGHT && a->parts[i].index == index)
			return &a->parts[i];

	struct response_part *p = a->is_over ? NULL : add_part(a, PART_THOUGHT);

	if (p)
		p->index = index;
	return p;
}

void response_part_thought(struct response *a, int64_t index, struct str text, struct str signature)
{
	struct response_part *p = thought_at(a, index);

	if (!p || a->is_over)
		return;
	response_part_piece(a, PIECE_REASONING, text); /* which bounds it */
	if (!a->is_over)
		buf_add_str(&p->text, text);
	buf_add_str(&p->signature, signature);
	if (p->signature.overflowed)
		response_part_fail_protocol(a, false, "a signature is larger than is taken");
}

void response_part_opaque(struct response *a, struct json part)
{
	struct response_part *p = a->is_over ? NULL : add_part(a, PART_OPAQUE);

	if (p) /* no larger than the line that it came in */
		buf_add_str(&p->text, json_text(response_mem(a), part));
}

/*
 * A signature belongs to the part that came with it.  One that comes alone gets an
 * empty text part, so that it is returned in its place.
 */
void response_part_sign(struct response *a, struct str signature)
{
	struct response_part *last = a->part_count ? &a->parts[a->part_count - 1] : NULL;

	if (!signature.len || a->is_over)
		return;
	if (!last || last->signature.len || (last->kind != PART_TEXT && last->kind != PART_CALL) ||
	    (last->kind == PART_TEXT && a->is_text_closed))
		last = add_part(a, PART_TEXT);
	if (!last)
		return;
	buf_add_str(&last->signature, signature);
	if (last->signature.overflowed)
		response_part_fail_protocol(a, false, "a signature is larger than is taken");
}

/* ---- pieces ---- */

/* What comes before a half that is open at the end; the half waits for the next piece. */
static struct str mend_text(struct response *a, enum model_piece kind, struct str text)
{
	struct buf all = { 0 };
	size_t open;

	buf_add_str(&all, buf_str(&a->half[kind]));
	buf_add_str(&all, text);
	open = halves_open(buf_str(&all));
	buf_clear(&a->half[kind]);
	buf_add_str(&a->half[kind], str_skip(buf_str(&all), all.len - open));
	all.len -= open;
	halves_join(&all);
	text = arena_keep(response_mem(a), buf_str(&all));
	buf_done(&all);
	return text;
}

/* The bound on text holds for reasoning too; arguments have a bound per call. */
void response_part_piece(struct response *a, enum model_piece kind, struct str text)
{
	if (!text.len || a->is_over)
		return;
	if (a->has_halves) {
		text = mend_text(a, kind, text);
		if (!text.len)
			return;
	}
	if (kind != PIECE_TOOL_ARGS) {
		a->text_bytes += text.len;
		if (a->text_bytes > a->limits.text) {
			response_part_fail_protocol(a, false,
			                            "the answer has more text than is taken");
			return;
		}
	}
	if (kind == PIECE_TEXT)
		place_text(a, text.len);
	if (a->piece_count == a->piece_cap) {
		size_t cap = MAX(2 * a->piece_cap, (size_t)4);

		a->pieces = arena_grow(response_mem(a), a->pieces,
		                       a->piece_count * sizeof *a->pieces, cap * sizeof *a->pieces);
		a->piece_cap = cap;
	}
	a->pieces[a->piece_count++] = (struct response_piece){ kind, text };
}

void response_part_refuse(struct response *a, struct str text)
{
	if (a->is_over)
		return;
	a->is_refused = true;
	response_part_piece(a, PIECE_TEXT, text);
}

/* ---- tool calls ---- */

size_t response_part_call_count(const struct response *a)
{
	return a->call_count;
}

struct response_call *response_part_call_at(struct response *a, size_t i)
{
	return &a->calls[i];
}

/* From the end: with a repeated index the newest call is meant. */
struct response_call *response_part_call_find(struct response *a, int64_t index)
{
	for (size_t i = a->call_count; i-- > 0;)
		if (a->calls[i].index == index)
			return &a->calls[i];
	return NULL;
}

/*
 * The part comes before the call, so that a response with too many parts does not get a
 * call without a place.
 */
struct response_call *response_part_call(struct response *a, int64_t index)
{
	struct response_part *p;

	if (a->is_over)
		return NULL;
	if (a->call_count == a->limits.calls) {
		response_part_fail_protocol(a, false,
		                            "the answer asks for more tool calls than are taken");
		return NULL;
	}
	p = add_part(a, PART_CALL);
	if (!p)
		return NULL;
	p->call = a->call_count;
	if (a->call_count == a->call_cap) {
		a->call_cap = MAX(2 * a->call_cap, (size_t)2);
		a->calls = memory_resize(a->calls, a->call_cap * sizeof *a->calls);
	}

	struct response_call *c = &a->calls[a->call_count++];

	*c = (struct response_call){ .index = index,
		                     .id.max = RESPONSE_ID_MAX,
		                     .name.max = RESPONSE_ID_MAX,
		                     .args.max = a->limits.args };
	return c;
}

static void check_words(struct response *a, const struct response_call *c)
{
	if (c->id.overflowed || c->name.overflowed)
		response_part_fail_protocol(
			a, false, "the id or name of a tool call is longer than 256 bytes");
}

void response_part_call_id(struct response *a, struct response_call *c, struct str id)
{
	if (!c->id.len)
		buf_add_str(&c->id, id);
	check_words(a, c);
}

void response_part_call_name(struct response *a, struct response_call *c, struct str name)
{
	if (!str_eq(name, buf_str(&c->name)))
		buf_add_str(&c->name, name);
	check_words(a, c);
}

/*
 * An object is taken only as the first piece of arguments: a server that sends both
 * forms repeats itself.
 */
void response_part_call_args(struct response *a, struct response_call *c, struct json args)
{
	struct str text = json_str(args);

	if (json_type(args) == JSON_OBJ && !c->args.len)
		text = json_text(response_mem(a), args);
	buf_add_str(&c->args, text);
	if (c->args.overflowed)
		response_part_fail_protocol(
			a, false, "the arguments of a tool call are larger than is taken");
	response_part_piece(a, PIECE_TOOL_ARGS, text);
}

void response_part_call_args_whole(struct response *a, struct response_call *c, struct str args)
{
	if (str_eq(args, buf_str(&c->args)))
		return;
	buf_clear(&c->args);
	buf_add_str(&c->args, args);
	if (c->args.overflowed)
		response_part_fail_protocol(
			a, false, "the arguments of a tool call are larger than is taken");
	response_part_piece(a, PIECE_TOOL_ARGS, args);
}

void *response_part_dialect_state(struct response *a, size_t size)
{
	if (!a->dialect_state) {
		a->dialect_state = arena_alloc(a->keep, size);
		memset(a->dialect_state, 0, size);
	}
	return a->dialect_state;
}

/* ---- usage ---- */

int64_t response_part_tokens(struct json obj, struct str key)
{
	int64_t n = json_int(json_get(obj, key), 0);

	return n < 0 ? 0 : MIN(n, TOKENS_MAX);
}

/*
 * Servers count parts inside or outside the total.  After this every part is within its
 * total, so costs computed from them cannot be negative.
 */
void response_part_usage(struct response *a, struct model_usage u)
{
	u.known = true;
	u.cached_input = MIN(u.cached_input, u.input);
	u.cache_written = MIN(u.cache_written, u.input - u.cached_input);
	u.reasoning = MIN(u.reasoning, u.output);
	a->usage = u;
}

const struct model_usage *response_part_usage_so_far(const struct response *a)
{
	return &a->usage;
}

/* ---- how it ended ---- */

const struct finish_word *response_part_finish_word(const struct response *a)
{
	const struct dialect *d = a->dialect;

	for (size_t i = 0; i < d->finish_count; i++)
		if (str_eq(d->finishes[i].word, buf_str(&a->finish)))
			return &d->finishes[i];
	return &d->finishes[0];
}

void response_part_finish(struct response *a, struct str word)
{
	if (!word.len || a->is_over)
		return;
	/* Halves of characters that nothing followed. */
	for (enum model_piece kind = PIECE_TEXT; kind <= PIECE_TOOL_ARGS; kind++)
		if (a->half[kind].len) {
			buf_clear(&a->half[kind]);
			response_part_piece(a, kind, STR("\xef\xbf\xbd"));
		}
	buf_clear(&a->finish);
	buf_add_str(&a->finish, utf8_head(word, RESPONSE_ID_MAX));
}

void response_part_conclude(struct response *a)
{
	const struct finish_word *f = response_part_finish_word(a);

	if (f->failure)
		response_part_fail(a, f->failure, !f->is_final,
		                   arena_printf(a->keep, "%.*s ended the answer with \"%.*s\"",
		                                STR_ARG(a->provider), STR_ARG(f->word)));
	/* The last event without a reason: text is usable, but a call may be incomplete. */
	if (!a->finish.len && (a->call_count || !a->text_bytes))
		response_part_fail_protocol(a, true, "the stream ended without a finish reason");
	for (size_t i = 0; i < a->call_count; i++)
		if (!a->calls[i].name.len)
			response_part_fail_protocol(a, true,
			                            "the answer asks for a tool without naming it");
	a->is_over = true;
}

/* ---- state ---- */

/* Without signatures and opaque parts the message itself has everything. */
static bool is_worth_keeping(const struct response *a)
{
	for (size_t i = 0; i < a->part_count; i++)
		if (a->parts[i].kind == PART_OPAQUE || a->parts[i].signature.len)
			return true;
	return false;
}

/* The mirror of read_part() in body.c. */
static void write_part(struct json_writer *w, const struct response_part *p,
                       const struct model_call *calls)
{
	jw_obj(w);
	if (p->kind == PART_TEXT)
		JW_KINT(w, "text", (int64_t)p->bytes);
	else if (p->kind == PART_CALL)
		JW_KSTR(w, "call", calls[p->call].call_id);
	else if (p->kind == PART_THOUGHT)
		JW_KSTR(w, "thought", buf_str(&p->text));
	if (p->kind == PART_OPAQUE) {
		JW_KEY(w, "opaque");
		jw_raw(w, buf_str(&p->text));
	}
	if (p->signature.len)
		JW_KSTR(w, "signature", buf_str(&p->signature));
	jw_obj_end(w);
}

/*
 * The state stores lengths of text and ids of calls, not their content, which the
 * message has already.  Calls that were not accepted (count) are left out.
 */
struct str response_part_state(struct response *a, const struct model_call *calls, size_t count)
{
	struct json_writer w;

	if (!is_worth_keeping(a))
		return STR_NONE;
	for (size_t i = 0; a->has_halves && i < a->part_count; i++)
		halves_join(&a->parts[i].text);
	buf_clear(&a->state_text);
	jw_init(&w, &a->state_text);
	jw_obj(&w);
	JW_KSTR(&w, "dialect", a->dialect->word);
	JW_KSTR(&w, "model", a->model);
	JW_KEY(&w, "parts");
	jw_arr(&w);
	for (size_t i = 0; i < a->part_count; i++)
		if (a->parts[i].kind != PART_CALL || a->parts[i].call < count)
			write_part(&w, &a->parts[i], calls);
	jw_arr_end(&w);
	jw_obj_end(&w);
	return buf_str(&a->state_text);
}

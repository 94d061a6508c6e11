/* What one event of a Chat Completions answer means. */
#include "base/utf8.h"
#include "provider/openai_chat_int.h"

#define TOKENS_MAX ((int64_t)1 << 40)

/* ---- the end, from inside ---- */

void chat_fail(struct chat_reader *r, enum error_category category, bool retryable,
               struct str message)
{
	if (r->is_over)
		return;
	r->is_over = true;
	r->has_failed = true;
	r->failure = (struct openai_failure){ .category = category,
		                              .retryable = retryable,
		                              .retry_after_ms = -1,
		                              .message = arena_keep(r->keep, message) };
}

void chat_fail_protocol(struct chat_reader *r, bool retryable, const char *what)
{
	chat_fail(r, ERROR_CATEGORY_PROTOCOL, retryable,
	          arena_printf(r->keep, "%.*s: %s", STR_ARG(r->provider), what));
}

/* ---- pieces ---- */

static void add_piece(struct chat_reader *r, enum model_piece kind, struct str text)
{
	if (!text.len || r->is_over)
		return;
	if (kind != PIECE_TOOL_ARGS) {
		r->text_bytes += text.len;
		if (r->text_bytes > r->limits.text) {
			chat_fail_protocol(r, false, "the answer has more text than is taken");
			return;
		}
	}
	if (r->piece_count == r->piece_cap) {
		size_t cap = MAX(2 * r->piece_cap, (size_t)4);

		r->pieces = arena_grow(chat_mem(r), r->pieces, r->piece_count * sizeof *r->pieces,
		                       cap * sizeof *r->pieces);
		r->piece_cap = cap;
	}
	r->pieces[r->piece_count++] = (struct chat_piece){ kind, text };
}

/* ---- text ---- */

static void read_parts(struct chat_reader *r, enum model_piece kind, struct json parts);

/* A string, or a list of parts as Mistral sends it when it thinks. */
static void read_text(struct chat_reader *r, enum model_piece kind, struct json v)
{
	if (json_type(v) == JSON_ARR)
		read_parts(r, kind, v);
	else
		add_piece(r, kind, json_str(v));
}

static void read_parts(struct chat_reader *r, enum model_piece kind, struct json parts)
{
	struct json_iter it = json_iter(parts);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct json thinking = JSON_GET(part, "thinking");

		/* The depth of a document is bounded, and so is this. */
		if (json_is(thinking))
			read_text(r, PIECE_REASONING, thinking);
		else
			add_piece(r, kind, json_str(JSON_GET(part, "text")));
	}
}

static void read_reasoning(struct chat_reader *r, struct json delta)
{
	/* Some send the same under both names. */
	struct str text = json_str(JSON_GET(delta, "reasoning_content"));

	if (!text.len)
		text = json_str(JSON_GET(delta, "reasoning"));
	add_piece(r, PIECE_REASONING, text);
}

/* ---- tool calls ---- */

static struct chat_call *add_call(struct chat_reader *r, int64_t index)
{
	if (r->call_count == r->limits.calls) {
		chat_fail_protocol(r, false, "the answer asks for more tool calls than are taken");
		return NULL;
	}
	if (r->call_count == r->call_cap) {
		r->call_cap = MAX(2 * r->call_cap, (size_t)2);
		r->calls = xrealloc(r->calls, r->call_cap * sizeof *r->calls);
	}

	struct chat_call *c = &r->calls[r->call_count++];

	*c = (struct chat_call){ .index = index,
		                 .id.max = CHAT_ID_MAX,
		                 .name.max = CHAT_ID_MAX,
		                 .args.max = r->limits.args };
	return c;
}

static struct chat_call *call_at(struct chat_reader *r, int64_t index, struct str id, bool has_name)
{
	for (size_t i = r->call_count; i-- > 0;) {
		struct chat_call *c = &r->calls[i];
		bool is_other = id.len && c->id.len && !str_eq(id, buf_str(&c->id));

		if (c->index == index)
			return is_other && has_name && c->name.len ? NULL : c;
	}
	return NULL;
}

static struct chat_call *call_named(struct chat_reader *r, struct str id, bool has_name)
{
	struct chat_call *last = r->call_count ? &r->calls[r->call_count - 1] : NULL;

	for (size_t i = r->call_count; id.len && i-- > 0;)
		if (str_eq(buf_str(&r->calls[i].id), id))
			return &r->calls[i];
	return last && has_name && last->name.len ? NULL : last;
}

/*
 * The call that a fragment belongs to.  The index tells, where there is one;
 * but some give every call the index 0 and an id of its own, and others give
 * one call a new id with every fragment, and only the first of them a name.
 * Without an index the id tells, and without both a name begins a new call.
 */
static struct chat_call *find_call(struct chat_reader *r, int64_t index, struct str id,
                                   bool has_name)
{
	struct chat_call *c =
		index >= 0 ? call_at(r, index, id, has_name) : call_named(r, id, has_name);

	return c ? c : add_call(r, index);
}

/* Whole at first, or in parts, or whole again with every fragment. */
static void add_name(struct chat_call *c, struct str name)
{
	if (!str_eq(name, buf_str(&c->name)))
		buf_add_str(&c->name, name);
}

static void add_args(struct chat_reader *r, struct chat_call *c, struct json args)
{
	struct str text = json_str(args);

	/* An object where its text should stand comes whole. */
	if (json_type(args) == JSON_OBJ && !c->args.len)
		text = json_text(chat_mem(r), args);
	buf_add_str(&c->args, text);
	if (c->args.overflowed)
		chat_fail_protocol(r, false,
		                   "the arguments of a tool call are larger than is taken");
	add_piece(r, PIECE_TOOL_ARGS, text);
}

static void read_call(struct chat_reader *r, struct json v, int64_t index)
{
	struct json function = JSON_GET(v, "function");
	struct str id = json_str(JSON_GET(v, "id"));
	struct str name = json_str(JSON_GET(function, "name"));
	struct chat_call *c = find_call(r, index, id, name.len > 0);

	if (!c)
		return;
	if (!c->id.len)
		buf_add_str(&c->id, id);
	add_name(c, name);
	if (c->id.overflowed || c->name.overflowed)
		chat_fail_protocol(r, false,
		                   "the id or name of a tool call is longer than 256 bytes");
	add_args(r, c, JSON_GET(function, "arguments"));
}

static void read_calls(struct chat_reader *r, struct json calls)
{
	struct json_iter it = json_iter(calls);
	struct json each;
	struct str key;

	/* In a whole answer there are no fragments: the place is the index. */
	for (int64_t i = 0; !r->is_over && json_next(&it, &key, &each); i++)
		read_call(r, each,
		          json_int(JSON_GET(each, "index"), r->mode == MODE_WHOLE ? i : -1));
}

/* The one call of servers from before there were several. */
static void read_function_call(struct chat_reader *r, struct json function)
{
	struct chat_call *c = find_call(r, 0, STR_NONE, false);

	if (!c)
		return;
	add_name(c, json_str(JSON_GET(function, "name")));
	add_args(r, c, JSON_GET(function, "arguments"));
}

/* ---- usage ---- */

static int64_t tokens(struct json obj, struct str key)
{
	return MIN(MAX(json_int(json_get(obj, key), 0), (int64_t)0), TOKENS_MAX);
}

/* The last one counts: some send it with every event, growing. */
static void read_usage(struct chat_reader *r, struct json v)
{
	struct json in = JSON_GET(v, "prompt_tokens_details");
	struct json out = JSON_GET(v, "completion_tokens_details");
	struct model_usage u = {
		.known = true,
		.input = tokens(v, STR("prompt_tokens")),
		.output = tokens(v, STR("completion_tokens")),
		.cached_input = tokens(in, STR("cached_tokens")),
		.cache_written = tokens(in, STR("cache_write_tokens")),
		.reasoning = tokens(out, STR("reasoning_tokens")),
	};

	if (json_type(v) != JSON_OBJ || json_int(JSON_GET(v, "prompt_tokens"), -1) < 0)
		return;
	if (!u.cached_input)
		u.cached_input = tokens(v, STR("prompt_cache_hit_tokens")); /* DeepSeek */
	/* Some count reasoning beside the completion; the total gives them away. */
	if (u.reasoning > u.output ||
	    (u.reasoning && tokens(v, STR("total_tokens")) == u.input + u.output + u.reasoning))
		u.output += u.reasoning;
	u.cached_input = MIN(u.cached_input, u.input);
	u.cache_written = MIN(u.cache_written, u.input - u.cached_input);
	r->usage = u;
}

/* ---- how it ended ---- */

static const struct finish {
	struct str word;
	enum model_stop stop;
	enum error_category failure; /* 0: it is none */
} finishes[] = {
	{ STR("stop"), STOP_END_TURN },
	{ STR("tool_calls"), STOP_TOOL_USE },
	{ STR("function_call"), STOP_TOOL_USE },
	{ STR("length"), STOP_MAX_TOKENS },
	{ STR("content_filter"), STOP_REFUSAL },
	{ STR("sensitive"), STOP_REFUSAL },                                    /* Zhipu */
	{ STR("stop_sequence"), STOP_SEQUENCE },                               /* TGI */
	{ STR("model_length"), STOP_CONTEXT_FULL },                            /* Mistral */
	{ STR("error"), 0, ERROR_CATEGORY_SERVER_ERROR },                      /* OpenRouter */
	{ STR("abort"), 0, ERROR_CATEGORY_SERVER_ERROR },                      /* vLLM, SGLang */
	{ STR("network_error"), 0, ERROR_CATEGORY_SERVER_ERROR },              /* Zhipu */
	{ STR("insufficient_system_resource"), 0, ERROR_CATEGORY_OVERLOADED }, /* DeepSeek */
};

/* A word that nobody knows is an ordinary end; it is kept as the native one. */
static const struct finish *finish_of(const struct chat_reader *r)
{
	for (size_t i = 0; i < COUNT_OF(finishes); i++)
		if (str_eq(finishes[i].word, buf_str(&r->finish)))
			return &finishes[i];
	return &finishes[0];
}

enum model_stop chat_stop(const struct chat_reader *r)
{
	return finish_of(r)->stop;
}

void chat_conclude(struct chat_reader *r)
{
	const struct finish *f = finish_of(r);

	if (f->failure)
		chat_fail(r, f->failure, true,
		          arena_printf(r->keep, "%.*s ended the answer with \"%.*s\"",
		                       STR_ARG(r->provider), STR_ARG(f->word)));
	/* [DONE] without a reason: text is what it is, but a call may be half of one. */
	if (!r->finish.len && (r->call_count || !r->text_bytes))
		chat_fail_protocol(r, true, "the stream ended without a finish reason");
	for (size_t i = 0; i < r->call_count; i++)
		if (!r->calls[i].name.len)
			chat_fail_protocol(r, true, "the answer asks for a tool without naming it");
	r->is_over = true;
}

/* ---- events ---- */

/* delta of a stream and message of a whole answer have the same members. */
static void read_delta(struct chat_reader *r, struct json delta)
{
	struct str refusal = json_str(JSON_GET(delta, "refusal"));
	struct json function = JSON_GET(delta, "function_call");

	read_reasoning(r, delta);
	read_text(r, PIECE_TEXT, JSON_GET(delta, "content"));
	if (refusal.len) {
		r->is_refused = true;
		add_piece(r, PIECE_TEXT, refusal);
	}
	read_calls(r, JSON_GET(delta, "tool_calls"));
	if (json_type(function) == JSON_OBJ)
		read_function_call(r, function);
}

/* We ask for one; what others a server adds is not ours. */
static struct json our_choice(struct json choices)
{
	struct json_iter it = json_iter(choices);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (json_int(JSON_GET(each, "index"), 0) == 0)
			return each;
	return (struct json){ NULL };
}

static void read_document(struct chat_reader *r, struct json doc, struct str delta_key)
{
	struct json choice = our_choice(JSON_GET(doc, "choices"));
	struct json usage = JSON_GET(doc, "usage");
	struct str finish = json_str(JSON_GET(choice, "finish_reason"));

	read_delta(r, json_get(choice, delta_key));
	if (finish.len && !r->is_over) {
		buf_clear(&r->finish);
		buf_add_str(&r->finish, utf8_head(finish, CHAT_ID_MAX));
	}
	read_usage(r, json_type(usage) == JSON_OBJ ? usage : JSON_GET(choice, "usage"));
}

static void fail_by_event(struct chat_reader *r, struct json error)
{
	if (r->is_over)
		return;
	r->is_over = true;
	r->has_failed = true;
	openai_failure_of_event(r->keep, r->provider, error, &r->failure);
}

static bool is_error(struct json v)
{
	return json_type(v) == JSON_STR ? json_str(v).len > 0 : json_type(v) == JSON_OBJ;
}

/* Bytes that are no characters become U+FFFD rather than the end of an answer. */
static struct str valid_text(struct chat_reader *r, struct str s)
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
	return arena_keep(chat_mem(r), buf_str(&out));
}

void chat_on_event(void *arg, const struct sse_message *m)
{
	struct chat_reader *r = arg;
	struct str data = str_trim(m->data);
	struct json doc;

	if (r->is_over || !data.len)
		return;
	if (str_eq(data, STR("[DONE]"))) {
		chat_conclude(r);
		return;
	}
	/* Not json_read: a key that stands twice is not worth losing an answer for. */
	if (json_read_own(chat_mem(r), valid_text(r, data), &doc, NULL) != OK ||
	    json_type(doc) != JSON_OBJ) {
		if (!r->is_eof) /* else it is half an event */
			chat_fail_protocol(r, true, "an event of the stream is not JSON");
		return;
	}
	if (is_error(JSON_GET(doc, "error")))
		fail_by_event(r, JSON_GET(doc, "error"));
	else if (str_eq(m->event, STR("error")))
		fail_by_event(r, doc);
	else
		read_document(r, doc, STR("delta"));
	if (r->has_failed) /* an error event may carry what it cost */
		read_usage(r, JSON_GET(doc, "usage"));
}

void chat_read_whole(struct chat_reader *r, struct str text)
{
	struct json doc;

	if (json_read_own(chat_mem(r), valid_text(r, text), &doc, NULL) != OK) {
		chat_fail_protocol(r, true, "the answer is not JSON");
		return;
	}
	if (is_error(JSON_GET(doc, "error"))) {
		fail_by_event(r, JSON_GET(doc, "error"));
		return;
	}
	read_document(r, doc, STR("message"));
	if (!r->finish.len)
		chat_fail_protocol(r, false, "the answer is not a chat completion");
	chat_conclude(r);
}

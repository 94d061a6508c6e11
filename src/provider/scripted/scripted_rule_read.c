/*
 * Tables of keys for rules and replies of a script: `when`, `reply`, failures
 * and usage, and the checks across keys.
 */
#include "provider/scripted/scripted_read.h"

#include "catalog/gen/vocab.h"

#include <inttypes.h>

#define STRUCTURED_CHUNK 24 /* JSON text has few spaces to cut at */

/* ---- when ---- */

static const struct script_key span_keys[] = {
	KEY("min", scripted_read_int, AT(script_span, min), .min = 1, .max = SCRIPT_COUNT_MAX),
	KEY("max", scripted_read_int, AT(script_span, max), .min = 1, .max = SCRIPT_COUNT_MAX),
	{ 0 },
};

/* A number, or {"min", "max"} with either of them. */
static enum err read_span(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_span *s = into;
	int64_t n;
	enum err err;

	(void)k;
	*s = (struct script_span){ 1, INT64_MAX };
	if (json_type(v) == JSON_OBJ) {
		err = scripted_read_members(r, v, span_keys, s);
		if (!err && !json_count(v))
			err = scripted_read_bad(r, "expected min, max or both");
		if (!err && s->min > s->max)
			err = scripted_read_bad(r, "min is greater than max");
		return err;
	}
	if (!scripted_read_is_whole(v, &n) || n < 1 || n > SCRIPT_COUNT_MAX)
		return scripted_read_wrong(
			r, v, "a whole number from 1 to 1000000 or {\"min\", \"max\"}");
	*s = (struct script_span){ n, n };
	return OK;
}

static enum err read_regex(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_when *w = into;
	struct error why;
	struct str pattern;
	enum err err = scripted_read_str(r, v, k, &pattern);

	if (err)
		return err;
	if (scripted_match_regex_read(r->mem, pattern, &w->regex, &why))
		return fail(r->e, ERR_INVALID, "%s: %s", scripted_read_place(r), why.message);
	return OK;
}

static const struct script_key text_match_keys[] = {
	KEY("regex", read_regex, 0, .min = 1, .max = SCRIPT_REGEX_MAX),
	KEY("equals", scripted_read_str, AT(script_when, equals)),
	{ 0 },
};

static enum err read_text_match(struct script_reader *r, struct json v, const struct script_key *k,
                                void *into)
{
	struct script_when *w = into;

	if (json_type(v) == JSON_STR)
		return scripted_read_str(r, v, k, &w->contains);
	if (json_type(v) != JSON_OBJ)
		return scripted_read_wrong(r, v, "a string, {\"regex\"} or {\"equals\"}");
	if (json_count(v) != 1)
		return scripted_read_bad(r, "expected regex or equals, one of them");
	return scripted_read_members(r, v, text_match_keys, w);
}

static enum err read_is_error(struct script_reader *r, struct json v, const struct script_key *k,
                              void *into)
{
	struct script_when *w = into;

	w->asks_is_error = true;
	return scripted_read_bool(r, v, k, &w->is_error);
}

static const struct script_key tool_result_keys[] = {
	KEY("name", scripted_read_str, AT(script_when, result_name), .min = 1, .max = 128),
	KEY("contains", scripted_read_str, AT(script_when, result_contains), .min = 1),
	KEY("isError", read_is_error, 0),
	{ 0 },
};

static enum err read_tool_result(struct script_reader *r, struct json v, const struct script_key *k,
                                 void *into)
{
	struct script_when *w = into;

	(void)k;
	w->has_result = true;
	return scripted_read_members(r, v, tool_result_keys, w);
}

/* Every rule with `times` gets a slot in the counters of each session. */
static enum err read_times(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_when *w = into;

	w->times_slot = r->times_count++;
	return scripted_read_int(r, v, k, &w->times);
}

static const char *const purpose_words[] = { "answer", "summary", NULL };

static const struct script_key when_keys[] = {
	KEY("text", read_text_match, 0, .min = 1),
	KEY("turn", read_span, AT(script_when, turn)),
	KEY("request", read_span, AT(script_when, request)),
	KEY("attempt", read_span, AT(script_when, attempt)),
	KEY("images", read_span, AT(script_when, images)),
	KEY("messageId", scripted_read_str, AT(script_when, message_id), .min = 1, .max = 256),
	KEY("peerMessageId", scripted_read_str, AT(script_when, peer_message_id), .min = 1,
	    .max = 256),
	KEY("turnId", scripted_read_str, AT(script_when, turn_id), .min = 1, .max = 256),
	KEY("provider", scripted_read_str, AT(script_when, provider), .min = 1, .max = 128),
	KEY("model", scripted_read_str, AT(script_when, model), .min = 1, .max = 128),
	KEY("purpose", scripted_read_str, AT(script_when, purpose), .min = 1,
	    .words = purpose_words),
	KEY("toolResult", read_tool_result, 0),
	KEY("afterTool", scripted_read_str, AT(script_when, after_tool), .min = 1, .max = 128),
	KEY("times", read_times, 0, .min = 1, .max = SCRIPT_COUNT_MAX),
	{ 0 },
};

static enum err read_when(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	(void)k;
	return scripted_read_members(r, v, when_keys, into);
}

/* ---- reply ---- */

static const struct script_key usage_keys[] = {
	KEY("input", scripted_read_int, AT(script_usage, input), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("cached", scripted_read_int, AT(script_usage, cached), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("cacheWritten", scripted_read_int, AT(script_usage, cache_written), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("output", scripted_read_int, AT(script_usage, output), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("reasoning", scripted_read_int, AT(script_usage, reasoning), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	{ 0 },
};

static enum err read_usage(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_usage *u = into;
	enum err err;

	(void)k;
	if (str_eq(json_str(v), STR("unknown"))) {
		u->is_unknown = true;
		return OK;
	}
	if (json_type(v) != JSON_OBJ)
		return scripted_read_wrong(r, v, "an object or \"unknown\"");
	u->is_given = true;
	err = scripted_read_members(r, v, usage_keys, u);
	if (!err && u->input >= 0 && u->cached > u->input)
		err = scripted_read_bad(r, "cached is a part of input and cannot be more");
	if (!err && u->output >= 0 && u->reasoning > u->output)
		err = scripted_read_bad(r, "reasoning is a part of output and cannot be more");
	return err;
}

struct limits_reading {
	int64_t requests_limit, requests_left, tokens_limit, tokens_left, reset_ms;
};

static const struct script_key limit_keys[] = {
	KEY("requestsLimit", scripted_read_int, AT(limits_reading, requests_limit), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("requestsLeft", scripted_read_int, AT(limits_reading, requests_left), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("tokensLimit", scripted_read_int, AT(limits_reading, tokens_limit), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("tokensLeft", scripted_read_int, AT(limits_reading, tokens_left), .min = 0,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("resetMs", scripted_read_int, AT(limits_reading, reset_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	{ 0 },
};

/* Two limits at most, as real servers send them; one without a total is left out. */
static enum err read_limits(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	struct script_reply *reply = into;
	struct limits_reading l = { -1, -1, -1, -1, -1 };
	enum err err = scripted_read_members(r, v, limit_keys, &l);

	(void)k;
	if (l.requests_limit >= 0)
		reply->limits[reply->limit_count++] =
			(struct model_limit){ STR("requests"), l.requests_limit, l.requests_left,
			                      l.reset_ms };
	if (l.tokens_limit >= 0)
		reply->limits[reply->limit_count++] =
			(struct model_limit){ STR("tokens"), l.tokens_limit, l.tokens_left,
			                      l.reset_ms };
	return err;
}

/* The stop reasons that a model can give; the others are the runtime's own. */
static const char *const stop_words[] = { "end_turn", "tool_use",     "max_tokens", "stop_sequence",
	                                  "refusal",  "context_full", "pause_turn", NULL };

static enum err read_stop(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_reply *reply = into;
	enum err err = scripted_read_str(r, v, k, &reply->stop_word);

	if (!err)
		reply->stop = rec_enum_read(&enum_stop_reason, reply->stop_word);
	return err;
}

/* What a status means to the runtime, unless the script says otherwise; the first row that fits. */
static const struct {
	int from, to;
	enum error_category category;
	bool retryable;
} meanings[] = {
	{ 0, 0, ERROR_CATEGORY_NETWORK, true }, /* nothing was received */
	{ 401, 401, ERROR_CATEGORY_AUTH, false },
	{ 403, 403, ERROR_CATEGORY_AUTH, false },
	{ 408, 408, ERROR_CATEGORY_TIMEOUT, true },
	{ 429, 429, ERROR_CATEGORY_RATE_LIMITED, true },
	{ 503, 503, ERROR_CATEGORY_OVERLOADED, true },
	{ 504, 504, ERROR_CATEGORY_TIMEOUT, true },
	{ 529, 529, ERROR_CATEGORY_OVERLOADED, true },
	{ 400, 499, ERROR_CATEGORY_INVALID_REQUEST, false },
	{ 500, 599, ERROR_CATEGORY_SERVER_ERROR, true },
};

/*
 * Fills in what the script leaves out.  error_keys admits no status outside the table;
 * 0 means that none was given.
 */
static void add_meaning(struct script_reader *r, struct script_error *x, bool says_retryable)
{
	size_t i = 0;

	while (x->status < meanings[i].from || x->status > meanings[i].to)
		i++;
	if (!str_is(x->category))
		x->category = error_category_word(meanings[i].category);
	if (!says_retryable)
		x->retryable = meanings[i].retryable;
	if (str_is(x->message))
		return;
	if (x->is_cut)
		x->message = STR("the script cut the stream");
	else if (x->status)
		x->message =
			arena_printf(r->mem, "the script answers with status %" PRId64, x->status);
	else
		x->message = STR("the script answers with an error");
}

static const struct script_key error_keys[] = {
	KEY("status", scripted_read_int, AT(script_reply, error.status), .min = 400, .max = 599),
	KEY("category", scripted_read_category, AT(script_reply, error.category)),
	KEY("message", scripted_read_str, AT(script_reply, error.message), .min = 1, .max = 4096),
	KEY("retryable", scripted_read_bool, AT(script_reply, error.retryable)),
	KEY("retryAfterMs", scripted_read_int, AT(script_reply, error.retry_after_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("afterPieces", scripted_read_int, AT(script_reply, max_pieces), .min = 0,
	    .max = SCRIPT_COUNT_MAX),
	KEY("cut", scripted_read_bool, AT(script_reply, error.is_cut)),
	{ 0 },
};

static enum err read_error(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_reply *reply = into;
	struct script_error *x = &reply->error;
	enum err err = scripted_read_members(r, v, error_keys, reply);

	(void)k;
	if (err)
		return err;
	if (x->is_cut && x->status)
		return scripted_read_bad(
			r, "cut means that an answer had begun, so it has no status of its own");
	x->is_given = true;
	add_meaning(r, x, json_is(JSON_GET(v, "retryable")));
	return OK;
}

static const struct script_key hang_keys[] = {
	KEY("afterPieces", scripted_read_int, AT(script_reply, max_pieces), .min = 0,
	    .max = SCRIPT_COUNT_MAX),
	{ 0 },
};

static enum err read_hang(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_reply *reply = into;

	if (json_type(v) != JSON_OBJ && json_type(v) != JSON_BOOL)
		return scripted_read_wrong(r, v, "true or {\"afterPieces\"}");
	if (json_type(v) == JSON_BOOL)
		return scripted_read_bool(r, v, k, &reply->hangs);
	reply->hangs = true;
	return scripted_read_members(r, v, hang_keys, reply);
}

static const struct script_key call_keys[] = {
	KEY("name", scripted_read_str, AT(script_call, name), .min = 1, .max = 128),
	KEY("args", scripted_read_object, AT(script_call, args)),
	KEY("rawArgs", scripted_read_str, AT(script_call, args)),
	KEY("id", scripted_read_name, AT(script_call, id), .min = 1, .max = 128),
	{ 0 },
};

static enum err read_call(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_call *call = into;
	enum err err = scripted_read_members(r, v, call_keys, call);

	(void)k;
	if (err)
		return err;
	if (!str_is(call->name))
		return scripted_read_bad(r, "name is missing");
	if (json_is(JSON_GET(v, "args")) && json_is(JSON_GET(v, "rawArgs")))
		return scripted_read_bad(r, "args and rawArgs exclude each other");
	if (!str_is(call->args))
		call->args = STR("{}");
	return OK;
}

static enum err read_calls(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_reply *reply = into;
	void *calls = NULL;
	enum err err = scripted_read_items(r, v, k, sizeof *reply->calls, read_call, &calls,
	                                   &reply->call_count);

	if (!err)
		reply->calls = calls;
	return err;
}

/* The JSON text becomes the reply's text; check_reply() refuses both together. */
static enum err read_structured(struct script_reader *r, struct json v, const struct script_key *k,
                                void *into)
{
	struct script_reply *reply = into;

	(void)k;
	if (reply->text.kind)
		return OK; /* check_reply() refuses both */
	reply->text = (struct script_text){ .kind = TEXT_WHOLE,
		                            .items = ARENA_NEW(r->mem, struct str),
		                            .count = 1,
		                            .is_literal = true };
	reply->text.items[0] = json_text(r->mem, v);
	return OK;
}

static const struct script_key reply_keys[] = {
	KEY("reasoning", scripted_read_reply_text, AT(script_reply, reasoning), .min = 0,
	    .max = 100000, .vars = VAR_MODEL),
	KEY("reasoningSummary", scripted_read_str, AT(script_reply, reasoning_summary), .min = 1,
	    .vars = VAR_MODEL),
	KEY("text", scripted_read_reply_text, AT(script_reply, text), .min = 0, .max = 100000,
	    .vars = VAR_MODEL),
	KEY("structured", read_structured, 0),
	KEY("chunk", scripted_read_int, AT(script_reply, chunk), .min = 1, .max = 4096),
	KEY("firstDelayMs", scripted_read_int, AT(script_reply, first_delay_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("delayMs", scripted_read_int, AT(script_reply, delay_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("toolCalls", read_calls, 0, .min = 1, .max = 64),
	KEY("usage", read_usage, AT(script_reply, usage)),
	KEY("limits", read_limits, 0),
	KEY("stop", read_stop, 0, .min = 1, .words = stop_words),
	KEY("error", read_error, 0),
	KEY("hang", read_hang, 0),
	{ 0 },
};

/* Combinations that have no meaning together. */
static enum err check_reply(struct script_reader *r, struct json v,
                            const struct script_reply *reply)
{
	bool is_structured = json_is(JSON_GET(v, "structured"));
	bool has_whole = reply->text.kind == TEXT_WHOLE || reply->reasoning.kind == TEXT_WHOLE;

	if (is_structured && json_is(JSON_GET(v, "text")))
		return scripted_read_bad(r, "text and structured exclude each other");
	if (json_is(JSON_GET(v, "chunk")) && !has_whole)
		return scripted_read_bad(
			r, "chunk cuts a string, and there is none (lists and repeats "
			   "are pieces already)");
	if (reply->error.is_given && reply->hangs)
		return scripted_read_bad(r, "error and hang exclude each other");
	if (str_is(reply->stop_word) && (reply->error.is_given || reply->hangs))
		return scripted_read_bad(
			r, "stop is for a reply that ends well, not for error or hang");
	return OK;
}

/* The stop reason follows from the calls unless it is stated. */
static enum err read_reply(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_reply *reply = into;
	enum err err;

	(void)k;
	*reply = (struct script_reply){
		.usage = { .input = -1, .output = -1, .reasoning = -1 },
		.error.retry_after_ms = -1,
		.max_pieces = INT64_MAX,
	};
	err = scripted_read_members(r, v, reply_keys, reply);
	if (!err)
		err = check_reply(r, v, reply);
	if (err)
		return err;
	if (!reply->chunk && reply->text.is_literal)
		reply->chunk = STRUCTURED_CHUNK;
	if (!str_is(reply->stop_word)) {
		reply->stop = reply->call_count ? STOP_REASON_TOOL_USE : STOP_REASON_END_TURN;
		reply->stop_word = stop_reason_word(reply->stop);
	}
	return OK;
}

/* A reply whose calls will be run: what is asked for again and again never ends. */
static bool does_call(const struct script_reply *reply)
{
	return reply->call_count && !reply->error.is_given && !reply->hangs;
}

/* ---- rules ---- */

static enum err read_one_reply(struct script_reader *r, struct json v, const struct script_key *k,
                               void *into)
{
	struct script_rule *rule = into;

	rule->replies = ARENA_NEW(r->mem, struct script_reply);
	rule->reply_count = 1;
	return read_reply(r, v, k, rule->replies);
}

static enum err read_replies(struct script_reader *r, struct json v, const struct script_key *k,
                             void *into)
{
	struct script_rule *rule = into;
	void *replies = NULL;
	enum err err = scripted_read_items(r, v, k, sizeof *rule->replies, read_reply, &replies,
	                                   &rule->reply_count);

	if (err)
		return err;
	rule->replies = replies;
	rule->by_request = true;
	return OK;
}

static const struct script_key rule_keys[] = {
	KEY("when", read_when, AT(script_rule, when)),
	KEY("reply", read_one_reply, 0),
	KEY("replies", read_replies, 0, .min = 1, .max = 1000),
	{ 0 },
};

/*
 * A rule that calls a tool and matches again after the result would never end, so it is
 * refused with advice.
 */
static enum err read_rule(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_rule *rule = into;
	const struct script_when *w = &rule->when;
	enum err err = scripted_read_members(r, v, rule_keys, rule);

	(void)k;
	if (err)
		return err;
	if (!rule->reply_count)
		return scripted_read_bad(r, "reply or replies is missing");
	if (json_is(JSON_GET(v, "reply")) && json_is(JSON_GET(v, "replies")))
		return scripted_read_bad(r, "reply and replies exclude each other");
	if (rule->by_request && (w->request.max || w->times))
		return scripted_read_bad(
			r, "replies go by the number of the request, so when.request and "
			   "when.times have no place here");
	if (!rule->by_request && does_call(rule->replies) && !w->request.max && !w->times &&
	    !w->has_result && !str_is(w->after_tool))
		return scripted_read_bad(
			r,
			"toolCalls here would be asked for again after every result; use replies, "
			"or say when.request, when.afterTool, when.toolResult or when.times");
	return OK;
}

enum err scripted_rule_read_rules(struct script_reader *r, struct json v,
                                  const struct script_key *k, void *into)
{
	struct script *s = into;
	void *rules = NULL;
	enum err err =
		scripted_read_items(r, v, k, sizeof *s->rules, read_rule, &rules, &s->rule_count);

	if (!err)
		s->rules = rules;
	return err;
}

enum err scripted_rule_read_default(struct script_reader *r, struct json v,
                                    const struct script_key *k, void *into)
{
	struct script_reply *reply = ARENA_NEW(r->mem, struct script_reply);
	enum err err = read_reply(r, v, k, reply);

	if (err)
		return err;
	if (does_call(reply))
		return scripted_read_bad(
			r, "toolCalls here would be asked for again after every result; "
			   "put them into a rule");
	*(struct script_reply **)into = reply;
	return OK;
}

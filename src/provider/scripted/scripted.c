/*
 * The scripted model as a provider: finds the rule for a request and delivers
 * its reply in pieces, by timers of the given clock.
 *
 * At most PIECES_PER_TURN pieces are delivered per turn of the loop.
 */
#include "provider/scripted/scripted.h"

#include "base/jw.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "catalog/gen/vocab.h"
#include "provider/scripted/scripted_parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* So that a long answer without delays does not hold up the loop. */
#define PIECES_PER_TURN 256
#define BYTES_PER_TURN 65536

#define SESSIONS_MAX 1024 /* remembered for `times`; the one longest unused is forgotten */
#define RESULT_SHOWN 200  /* bytes of {{toolResult}} */
#define BYTES_PER_TOKEN 4 /* for the estimate of usage */

struct scripted {
	struct provider port;
	struct script_tools tools;
	bool has_provider, has_tools; /* not closed yet */
	struct arena *mem;
	struct clock *clock;
	struct script *script;
	bool is_builtin;
	struct list requests;
	struct map sessions; /* of struct session, by id */
	struct list recent;  /* the same, longest unused first */
};

/* How often each rule with `times` has matched. */
struct session {
	struct list node;
	struct str id;
	uint32_t counts[];
};

enum reply_part { PART_REASONING, PART_TEXT, PART_CALLS, PART_OVER };

/* One request; it lives in its own arena. */
struct model_handle {
	struct list node;
	struct scripted *s;
	struct arena *mem;
	struct model_sink sink;
	void *owner;
	struct clock_timer timer;
	const struct script_reply *reply;
	struct script_vars vars;
	struct model_call *calls;
	struct str raw;
	int64_t input_bytes;

	enum reply_part part;
	struct script_pieces pieces; /* of the current part */
	size_t call_at;
	int64_t piece_count;
	bool is_begun;
	bool has_next; /* the piece that comes next is known, so the end need not wait */
	enum model_piece next_kind;
	struct str next;
	int64_t reasoning_bytes, other_bytes;

	bool is_busy;      /* inside a callback */
	bool is_cancelled; /* ... that cancelled us */
	bool is_paused;
	int64_t due_ms;  /* of the timer */
	int64_t wait_ms; /* while paused: what was left of it */
};

/* ---- sessions ---- */

static void forget_oldest(struct scripted *s)
{
	struct session *oldest = LIST_ITEM(s->recent.next, struct session, node);

	map_remove(&s->sessions, oldest->id);
	list_remove(&oldest->node);
	free(oldest);
}

/* One allocation: the struct, its counts and the id behind them. */
static struct session *remember(struct scripted *s, struct str id)
{
	size_t counts = s->script->times_count * sizeof(uint32_t);
	struct session *new = memory_zeroed(1, sizeof *new + counts + id.len + 1);
	char *copy = (char *)new + sizeof *new + counts;

	if (s->sessions.count == SESSIONS_MAX)
		forget_oldest(s);
	if (id.len)
		memcpy(copy, id.ptr, id.len);
	new->id = str_of(copy, id.len);
	list_init(&new->node);
	map_put(&s->sessions, new->id, new);
	return new;
}

/* NULL when no rule counts. */
static uint32_t *counts_of(struct scripted *s, struct str id)
{
	if (!s->script->times_count)
		return NULL;
	if (!str_is(id))
		id = STR("");

	struct session *found = map_get(&s->sessions, id);

	if (!found)
		found = remember(s, id);
	list_remove(&found->node);
	list_add(&s->recent, &found->node);
	return found->counts;
}

/* ---- pieces ---- */

static void begin_part(struct model_handle *h, enum reply_part part)
{
	static const struct script_text nothing;

	h->part = part;
	scripted_text_pieces_done(&h->pieces);
	h->pieces = (struct script_pieces){
		.text = part == PART_REASONING ? &h->reply->reasoning
		        : part == PART_TEXT    ? &h->reply->text
		                               : &nothing,
		.chunk = (size_t)h->reply->chunk,
	};
}

/* Calls without arguments have no piece; they are reported at the end like all others. */
static bool next_call(struct model_handle *h, struct str *ret)
{
	while (h->part == PART_CALLS && h->call_at < h->reply->call_count) {
		*ret = h->calls[h->call_at++].args;
		if (ret->len)
			return true;
	}
	return false;
}

/* Reasoning, then text, then the arguments of each call. */
static bool next_piece(struct model_handle *h)
{
	static const enum model_piece kinds[] = {
		[PART_REASONING] = PIECE_REASONING,
		[PART_TEXT] = PIECE_TEXT,
		[PART_CALLS] = PIECE_TOOL_ARGS,
	};

	if (h->piece_count >= h->reply->max_pieces)
		return false;
	while (h->part != PART_OVER) {
		if (scripted_text_next_piece(&h->pieces, &h->vars, &h->next) ||
		    next_call(h, &h->next)) {
			h->next_kind = kinds[h->part];
			h->piece_count++;
			return true;
		}
		begin_part(h, h->part + 1);
	}
	return false;
}

/* ---- the end ---- */

static int64_t tokens(int64_t bytes)
{
	return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}

/*
 * What the script states counts; the rest is estimated from the bytes, so that budgets
 * and costs can be tried without stating numbers.
 */
static struct model_usage usage_of(const struct model_handle *h)
{
	const struct script_usage *u = &h->reply->usage;
	struct model_usage all = { .known = true,
		                   .cached_input = u->cached,
		                   .cache_written = u->cache_written };

	/* what a request that failed has cost is known only if the script says so */
	if (u->is_unknown || (h->reply->error.is_given && !u->is_given))
		return (struct model_usage){ .known = false };
	all.input = u->input >= 0 ? u->input : MAX(tokens(h->input_bytes), u->cached);
	all.output = u->output >= 0
	                     ? u->output
	                     : MAX(tokens(h->reasoning_bytes + h->other_bytes), u->reasoning);
	all.reasoning =
		u->reasoning >= 0 ? u->reasoning : MIN(tokens(h->reasoning_bytes), all.output);
	return all;
}

/* A stream that was cut had begun with status 200. */
static void fill_failure(const struct script_error *x, struct model_end *end)
{
	end->failed = true;
	end->category = rec_enum_read(&enum_error_category, x->category);
	end->message = x->message;
	end->http_status = x->is_cut ? 200 : (int)x->status;
	end->retryable = x->retryable;
	end->retry_after_ms = x->retry_after_ms;
}

static void fill_success(struct model_handle *h, struct model_end *end)
{
	const struct script_reply *reply = h->reply;

	end->stop = reply->stop;
	end->native_stop = reply->stop_word;
	end->calls = h->calls;
	end->call_count = reply->call_count;
	if (str_is(reply->reasoning_summary)) {
		buf_clear(&h->pieces.now);
		scripted_text_expand(&h->pieces.now, reply->reasoning_summary, &h->vars);
		end->reasoning_summary = arena_keep(h->mem, buf_str(&h->pieces.now));
	}
}

static void handle_free(struct model_handle *h)
{
	scripted_text_pieces_done(&h->pieces);
	arena_free(h->mem);
}

/* The request leaves the list before the callback, which may close the script. */
static void handle_finish(struct model_handle *h)
{
	struct model_end end = { .retry_after_ms = -1 };

	if (h->reply->hangs)
		return; /* until it is cancelled */
	if (h->reply->error.is_given)
		fill_failure(&h->reply->error, &end);
	else
		fill_success(h, &end);
	end.usage = usage_of(h);
	end.limits = h->reply->limits;
	end.limit_count = h->reply->limit_count;
	end.raw = h->raw;
	end.bytes_received = h->reasoning_bytes + h->other_bytes;
	list_remove(&h->node);
	h->sink.end(h->owner, &end);
	handle_free(h); /* the script itself may be closed by now */
}

/* ---- time ---- */

static void arm_timer(struct model_handle *h, int64_t delay_ms)
{
	struct clock *clock = h->s->clock;

	h->due_ms = clock->ops->mono_ms(clock) + delay_ms;
	clock->ops->start(clock, &h->timer, delay_ms);
}

/* False when the request went away in the callback. */
static bool deliver_next(struct model_handle *h)
{
	*(h->next_kind == PIECE_REASONING ? &h->reasoning_bytes : &h->other_bytes) +=
		(int64_t)h->next.len;
	h->is_busy = true;
	h->sink.piece(h->owner, h->next_kind, h->next);
	h->is_busy = false;
	if (h->is_cancelled) {
		handle_free(h);
		return false;
	}
	h->has_next = next_piece(h);
	return true;
}

/*
 * Delivers what is due in this turn.  Without a delay several pieces are delivered at
 * once, within the bounds; then the timer continues in the next turn, so that other
 * requests are served.
 */
static void on_time(struct clock_timer *t)
{
	struct model_handle *h = OWNER_OF(t, struct model_handle, timer);
	int64_t delay_ms = h->reply->delay_ms;
	size_t count = 0, bytes = 0;

	if (!h->is_begun)
		h->has_next = next_piece(h);
	h->is_begun = true;
	while (h->has_next) {
		bytes += h->next.len;
		count++;
		if (!deliver_next(h))
			return;
		if (h->is_paused) {
			h->wait_ms = h->has_next ? delay_ms : 0;
			return;
		}
		if (h->has_next &&
		    (delay_ms || count == PIECES_PER_TURN || bytes >= BYTES_PER_TURN)) {
			arm_timer(h, delay_ms);
			return;
		}
	}
	handle_finish(h);
}

/* ---- the provider ---- */

static size_t provider_models(struct provider *p, const struct model_info **ret)
{
	const struct script *s = OWNER_OF(p, struct scripted, port)->script;

	*ret = s->models;
	return s->model_count;
}

/* What a provider would count as input: messages, calls and tool definitions. */
static int64_t input_bytes(const struct model_request *req)
{
	size_t sum = 0;

	for (size_t i = 0; i < req->message_count; i++) {
		const struct message *m = &req->messages[i];

		sum += m->text.len;
		for (size_t j = 0; j < m->call_count; j++)
			sum += m->calls[j].name.len + m->calls[j].args.len;
	}
	for (size_t i = 0; i < req->tool_count; i++) {
		const struct tool_spec *t = &req->tools[i];

		sum += t->name.len + t->description.len + t->input_schema.len;
	}
	return (int64_t)sum;
}

/* A reply that says that the script cannot answer. */
static const struct script_reply *no_reply(struct arena *mem, struct str message)
{
	struct script_reply *reply = ARENA_NEW(mem, struct script_reply);

	reply->max_pieces = INT64_MAX;
	reply->error = (struct script_error){
		.is_given = true,
		.category = error_category_word(ERROR_CATEGORY_INVALID_REQUEST),
		.message = message,
		.retry_after_ms = -1,
	};
	return reply;
}

/*
 * What a model says to more than its window holds.  Only with enforceWindow, for tests
 * of compaction.
 */
static const struct script_reply *too_long(const struct scripted *s, struct arena *mem,
                                           const struct model_request *req)
{
	const struct model_info *m = &s->script->models[0];
	int64_t sent = tokens(input_bytes(req));
	struct script_reply *reply;

	for (size_t i = 0; i < s->script->model_count; i++)
		if (str_eq(s->script->models[i].provider, req->provider) &&
		    str_eq(s->script->models[i].model, req->model))
			m = &s->script->models[i];
	if (!s->script->enforces_window || sent <= m->window_tokens)
		return NULL;
	reply = (struct script_reply *)no_reply(
		mem,
		arena_printf(mem, "%" PRId64 " tokens are more than the %" PRId64 " of the window",
	                     sent, m->window_tokens));
	reply->error.category = error_category_word(ERROR_CATEGORY_CONTEXT_LENGTH);
	reply->error.status = 400;
	return reply;
}

/* A script without a rule for summaries still lets compaction succeed. */
static const struct script_reply *plain_summary(struct arena *mem, const struct model_request *req)
{
	struct script_reply *reply = ARENA_NEW(mem, struct script_reply);

	reply->usage = (struct script_usage){ .input = -1, .output = -1, .reasoning = -1 };
	reply->max_pieces = INT64_MAX;
	reply->stop_word = STR("end_turn");
	reply->text = (struct script_text){ .kind = TEXT_WHOLE,
		                            .items = ARENA_NEW(mem, struct str),
		                            .count = 1,
		                            .is_literal = true };
	reply->text.items[0] = arena_printf(mem, "The conversation so far had %zu messages.",
	                                    req->message_count - 1);
	return reply;
}

/* Chooses the reply; ret_rule is -1 when no rule matched. */
static const struct script_reply *choose_reply(struct scripted *s, struct arena *mem,
                                               const struct script_moment *m, int64_t *ret_rule)
{
	const struct model_request *req = m->req;
	const struct script_reply *reply;
	size_t rule;

	*ret_rule = -1;
	reply = too_long(s, mem, req);
	if (reply)
		return reply;
	switch (scripted_match(s->script, m, counts_of(s, req->session_id), &rule, &reply)) {
	case MATCH_FOUND:
		*ret_rule = (int64_t)rule;
		return reply;
	case MATCH_GAVE_UP:
		return no_reply(mem, arena_printf(mem,
		                                  "rules[%zu].when.text.regex took too many steps "
		                                  "on this text; make the pattern simpler",
		                                  rule));
	case MATCH_NONE:
		break;
	}
	if (req->is_summary)
		return plain_summary(mem, req);
	if (s->script->otherwise)
		return s->script->otherwise;
	return no_reply(mem, arena_printf(mem,
	                                  "no rule of the script matches request %" PRIu32
	                                  " (attempt %" PRIu32 ") of turn %" PRIu32
	                                  ", and it has no default",
	                                  req->request_number, req->attempt, req->turn_number));
}

/*
 * What `raw` is for a real provider: it tells which rule answered, so that a script can
 * be debugged from the log.
 */
static struct str raw_of(const struct scripted *s, struct arena *mem,
                         const struct model_request *req, int64_t rule)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "script", s->is_builtin ? STR("built-in") : STR("given"));
	JW_KSTR(&w, "model", str_is(req->model) ? req->model : s->script->model.model);
	JW_KEY(&w, "rule");
	if (rule >= 0)
		jw_int(&w, rule);
	else
		jw_null(&w);
	JW_KINT(&w, "turn", req->turn_number);
	JW_KINT(&w, "request", req->request_number);
	JW_KINT(&w, "attempt", req->attempt);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/* Ids are made from turn, request and place, so that a repeated run gives the same log. */
static struct model_call *calls_of(const struct script_reply *reply, struct arena *mem,
                                   const struct model_request *req)
{
	struct model_call *calls = ARENA_ARRAY(mem, struct model_call, MAX(reply->call_count, 1));

	for (size_t i = 0; i < reply->call_count; i++) {
		const struct script_call *c = &reply->calls[i];

		calls[i] =
			(struct model_call){ .call_id = c->id, .name = c->name, .args = c->args };
		if (!str_is(c->id))
			calls[i].call_id =
				arena_printf(mem, "call_%" PRIu32 "_%" PRIu32 "_%zu",
			                     req->turn_number, req->request_number, i + 1);
	}
	return calls;
}

/*
 * The reply is chosen at once and delivered later.  Everything it refers to is copied:
 * the request's memory ends with this call.
 */
static struct model_handle *provider_start(struct provider *p, const struct model_request *req,
                                           const struct model_sink *sink, void *owner)
{
	struct scripted *s = OWNER_OF(p, struct scripted, port);
	struct arena *mem = arena_new();
	struct model_handle *h = ARENA_NEW(mem, struct model_handle);
	struct script_moment m;
	int64_t rule;

	scripted_match_moment_read(req, &m);
	*h = (struct model_handle){
		.s = s,
		.mem = mem,
		.sink = *sink,
		.owner = owner,
		.timer.fire = on_time,
		.reply = choose_reply(s, mem, &m, &rule),
		.vars.input = arena_keep(mem, m.input),
		.vars.turn = req->turn_number,
		.input_bytes = input_bytes(req),
	};
	if (m.last_result)
		h->vars.tool_result = arena_keep(mem, utf8_head(m.last_result->text, RESULT_SHOWN));
	h->raw = raw_of(s, mem, req, rule);
	h->calls = calls_of(h->reply, mem, req);
	begin_part(h, PART_REASONING);
	list_add(&s->requests, &h->node);
	arm_timer(h, h->reply->first_delay_ms);
	return h;
}

static void provider_cancel(struct provider *p, struct model_handle *h)
{
	struct scripted *s = OWNER_OF(p, struct scripted, port);

	list_remove(&h->node);
	s->clock->ops->stop(s->clock, &h->timer);
	if (h->is_busy)
		h->is_cancelled = true; /* freed when the callback returns */
	else
		handle_free(h);
}

/* The rest of the delay is remembered, so that a pause does not shorten it. */
static void provider_pause(struct provider *p, struct model_handle *h)
{
	struct scripted *s = OWNER_OF(p, struct scripted, port);

	if (h->is_paused)
		return;
	h->is_paused = true;
	h->wait_ms = MAX(h->due_ms - s->clock->ops->mono_ms(s->clock), 0);
	s->clock->ops->stop(s->clock, &h->timer);
}

static void provider_resume(struct provider *p, struct model_handle *h)
{
	(void)p;
	if (!h->is_paused)
		return;
	h->is_paused = false;
	if (!h->is_busy) /* else the delivering loop continues */
		arm_timer(h, h->wait_ms);
}

/* Provider and tools share the script and are closed separately; the second one frees it. */
static void free_when_closed(struct scripted *s)
{
	if (s->has_provider || s->has_tools)
		return;
	while (!list_is_empty(&s->recent))
		forget_oldest(s);
	map_done(&s->sessions);
	arena_free(s->mem);
	free(s);
}

static void provider_close(struct provider *p)
{
	struct scripted *s = OWNER_OF(p, struct scripted, port);

	LIST_EACH_SAFE (&s->requests, node, next)
		provider_cancel(p, LIST_ITEM(node, struct model_handle, node));
	s->has_provider = false;
	free_when_closed(s);
}

static void tools_closed(struct script_tools *t)
{
	struct scripted *s = OWNER_OF(t, struct scripted, tools);

	s->has_tools = false;
	free_when_closed(s);
}

static const struct provider_ops provider_ops = {
	.name = STR("scripted"),
	.models = provider_models,
	.start = provider_start,
	.cancel = provider_cancel,
	.pause = provider_pause,
	.resume = provider_resume,
	.close = provider_close,
};

/* `mem` is given to the object at the end; before that CLEANUP frees it on every error. */
enum err scripted_open(const struct scripted_options *o, struct scripted **ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_builtin = !str_is(o->script_text);
	struct script *script;
	enum err err = scripted_script_read(mem, is_builtin ? scripted_builtin() : o->script_text,
	                                    &script, e);

	if (err)
		return err;

	/* The tools of the built-in script are for showing: no real model has a use for them. */
	for (size_t i = 0; is_builtin && i < script->tool_count; i++)
		if (!script->tools[i].asks_user)
			script->tools[i].only_for = script->model.provider;

	struct scripted *s = memory_zeroed(1, sizeof *s);

	*s = (struct scripted){
		.port.ops = &provider_ops,
		.has_provider = true,
		.has_tools = true,
		.mem = mem,
		.clock = o->clock,
		.script = script,
		.is_builtin = is_builtin,
	};
	mem = NULL;
	list_init(&s->requests);
	list_init(&s->recent);
	scripted_tool_init(&s->tools, o->clock, script, tools_closed);
	*ret = s;
	return OK;
}

struct provider *scripted_provider(struct scripted *s)
{
	return &s->port;
}

struct toolset *scripted_tools(struct scripted *s)
{
	return &s->tools.port;
}

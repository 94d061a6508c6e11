/*
 * The response of a model as events: pieces, one end, and what the end means
 * for the turn.
 * spec: GAP-44, GAP-45, GAP-49
 */
#include "core/turn/turn.h"

#include "schema/schema.h"
#include "base/utf8.h"
#include "core/budget/budget.h"
#include "core/context/compact.h"
#include "core/turn/model_emit.h"
#include "core/approval/permission.h"
#include "core/routing/route.h"
#include "core/tool/safe_args.h"
#include "core/tool/tool_args.h"
#include "core/turn/turn_emit.h"

/* The open request of a turn, or NULL: late input for a closed one is dropped. */
static const struct st_turn *open_request(struct decision *d, struct str turn_id,
                                          struct str request_id,
                                          const struct st_thread **ret_thread)
{
	const struct st_turn *t = state_turn(d->w, turn_id, ret_thread);

	return t && str_is(t->model_request_id) && str_eq(t->model_request_id, request_id) ? t
	                                                                                   : NULL;
}

/* ---- pieces ---- */

/* A piece opens its step when there is none yet. */
static void open_piece_step(struct decision *d, struct event *ev, const struct st_turn *t,
                            struct str open_step, enum item_kind kind)
{
	ev->status = STATUS_STREAMING;
	ev->step_id = open_step;
	if (str_is(open_step))
		return;
	ev->step_id = decision_new_id(d, "step");
	ev->item = turn_item(d, ev->step_id, kind, t->step_count + 1, STATUS_RUNNING);
}

/*
 * The engine collects pieces for a short time and passes them merged; chunks says how many there
 * were (GAP-44).  Arguments of calls are left out: calls are events only when they are whole.
 */
void turn_model_pieces(struct decision *d, struct str turn_id, struct str request_id,
                       enum model_piece kind, struct str text, int64_t chunks)
{
	const struct st_thread *th;
	const struct st_turn *t = open_request(d, turn_id, request_id, &th);
	struct event *ev;

	if (!t || !text.len || kind == PIECE_TOOL_ARGS)
		return;
	if (kind == PIECE_REASONING) {
		ev = turn_emit_in_request(EMIT(d, REASONING_DELTA, reasoning_delta,
		                               .kind = REASONING_KIND_TEXT, .text = text,
		                               .text_offset = t->reasoning_bytes, .chunks = chunks,
		                               .channel = REASONING_CHANNEL_THINKING),
		                          th, t);
		open_piece_step(d, ev, t, t->reasoning_step_id, ITEM_KIND_REASONING);
		return;
	}
	/*
	 * Text after reasoning ends the reasoning step.  The fold clears its id, so a later piece
	 * of reasoning opens another.
	 */
	turn_emit_reasoning_end(d, th, t, STR_NONE);
	ev = turn_emit_in_request(EMIT(d, MODEL_DELTA, model_delta, .kind = DELTA_KIND_TEXT,
	                               .text = text, .text_offset = t->text_bytes, .chunks = chunks,
	                               .content_index = 0),
	                          th, t);
	open_piece_step(d, ev, t, t->text_step_id, ITEM_KIND_AGENT_MESSAGE);
}

/* ---- the end of a request ---- */

static void end_text_step(struct decision *d, struct event *ev, const struct st_turn *t,
                          enum status status)
{
	if (!str_is(t->text_step_id))
		return;
	ev->step_id = t->text_step_id;
	ev->item = turn_item(d, t->text_step_id, ITEM_KIND_AGENT_MESSAGE, t->text_index, status);
}

/* For diagnosis: the provider's body, as far as it was kept. */
static void keep_raw(struct decision *d, struct event *ev, const struct model_end *e)
{
	if (str_is(e->raw))
		decision_add_ref(d, ev, STR("raw"),
		                 decision_new_blob(d, STR("application/json"), e->raw));
}

/*
 * The call record opens; nothing has run (GAP-35).  Invalid arguments do not prevent the record:
 * the call is opened, marked invalid, and fails in its first step with a text for the model.
 * Arguments that are redacted or too long for an event are stored behind a ref; the event shows the
 * rest.
 */
void turn_model_open_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct model_call *in, int64_t index)
{
	const struct tool_info *tool = turn_tool_of(d, t, in->name);
	struct str step_id = decision_new_id(d, "step"), call_id = decision_new_id(d, "tool");
	enum item_kind kind = tool ? tool->kind : ITEM_KIND_TOOL_CALL;
	struct str args = STR_NONE, safe = STR_NONE;
	bool is_redacted = false;
	struct json v;
	bool is_object = json_read(d->mem, in->args, &v, NULL) == OK && json_type(v) == JSON_OBJ;
	struct str wrong = !is_object ? STR("the arguments are not a JSON object")
	                   : in->args.len > LIMIT_CALL_INPUT_BYTES
	                           ? arena_printf(d->mem,
	                                          "the arguments have %zu bytes, and at most %d "
	                                          "are taken",
	                                          in->args.len, LIMIT_CALL_INPUT_BYTES)
	                           : tool_args_wrong(d, tool, v);

	if (is_object) {
		args = json_text(d->mem, v);
		safe = tool ? safe_args(d->mem, tool->input_schema, v, &is_redacted) : args;
	}
	/*
	 * A tool that the turn was not offered is recorded as unavailable and fails later.  A call
	 * without the provider's id gets one, because the result has to name it.
	 */
	struct event *ev = turn_emit_in_request(
		EMIT(d, TOOL_STARTED, tool_started, .tool_name = in->name,
	             .safe_args = safe.len <= LIMIT_INLINE_ARGS ? safe : STR_NONE,
	             .policy = tool ? permission_policy_of_turn(d, t, tool, NULL)
	                            : TOOL_POLICY_UNAVAILABLE,
	             .runtime_owner = tool ? tool->owner : STR("unknown"),
	             .is_read_only = tool && tool->is_read_only,
	             .is_concurrency_safe = tool && tool->is_concurrency_safe,
	             .is_destructive = tool && tool->is_destructive,
	             .interrupt_behavior = tool ? tool->interrupt : INTERRUPT_BEHAVIOR_CANCEL,
	             .provider_call_id = str_is(in->call_id)
	                                         ? in->call_id
	                                         : arena_printf(d->mem, "call_%.*s",
	                                                        STR_ARG(str_skip(call_id, 5)))),
		th, t);

	ev->step_id = step_id;
	ev->tool_call_id = call_id;
	ev->status = STATUS_QUEUED;
	ev->item = turn_item(d, step_id, kind, index, STATUS_QUEUED);
	struct ev_tool_args p = { .kind = ARGS_KIND_FINAL,
		                  .valid = !str_is(wrong),
		                  .bytes = (int64_t)in->args.len,
		                  .has_bytes = true };

	if (str_is(wrong))
		rec_list_str_add(d->mem, &p.errors, wrong);
	if (is_object && safe.len <= LIMIT_INLINE_ARGS)
		p.safe_args = safe;
	p.redacted = p.has_redacted = is_redacted;
	if (is_object && (is_redacted || !str_is(p.safe_args)))
		p.input_ref = decision_new_blob(d, STR("application/json"), args);
	p.safe_args_ref = tool_args_shown_ref(d, &p, safe);
	ev = decision_in_turn(decision_emit_event(d, EV_TOOL_ARGS, &p), th, t);
	ev->step_id = step_id;
	ev->tool_call_id = call_id;
	if (str_is(p.input_ref))
		decision_add_ref(d, ev, STR("input"), p.input_ref);
	tool_args_add_shown(d, ev, &p);
}

struct str turn_model_output_schema_error(struct arena *mem, struct str schema, struct str text)
{
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct schema_report report = { .mem = mem, .max = 1 };
	struct error err;
	struct json v;

	if (json_read_trusted(mem, str_trim(text), &v, NULL) != OK)
		return STR("the output is not JSON, as its schema requires");
	if (schema_compile_text(NULL, schema, NULL, &compiled, &err) != OK)
		return STR("the schema of the output cannot be read");
	if (schema_check(compiled, v, &report))
		return STR_NONE;
	return utf8_preview(mem,
	                    arena_printf(mem, "the output does not fit its schema: %.*s%s%.*s",
	                                 STR_ARG(report.errors[0].path),
	                                 report.errors[0].path.len ? " " : "",
	                                 STR_ARG(report.errors[0].message)),
	                    512);
}

/*
 * The order matters to readers: the response ends, its cost is settled, and then its calls open
 * (GAP-35, GAP-49).
 */
static void request_completed(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, const struct model_end *e)
{
	/* A new summary step may come between; the fold counts its index only later. */
	int64_t next = t->step_count + 1;
	struct event *ev = turn_emit_in_request(
		EMIT(d, MODEL_COMPLETED, model_completed,
	             .stop_reason = e->call_count ? STOP_REASON_TOOL_USE : e->stop,
	             .usage = model_emit_usage(d, e),
	             .usage_state = e->usage.known ? 0 : HONESTY_UNKNOWN,
	             .tool_call_count = (int64_t)e->call_count,
	             .duration_ms = since(d, t->requested_at),
	             .time_to_first_token_ms = t->first_piece_at - t->requested_at,
	             .has_time_to_first_token_ms = t->first_piece_at != 0,
	             .misfit = e->schema_error,
	             .text = str_is(t->text_step_id)
	                             ? KEPT(d, struct rec_text_summary, .bytes = t->text_bytes,
	                                    .preview = utf8_preview(d->mem, t->text_preview, 160))
	                             : NULL),
		th, t);

	ev->status = STATUS_COMPLETED;
	ev->native_status = e->native_stop;
	end_text_step(d, ev, t, STATUS_COMPLETED);
	keep_raw(d, ev, e);
	if (str_is(e->state))
		decision_add_ref(d, ev, STR("modelState"),
		                 decision_new_blob(d, STR("application/json"), e->state));
	budget_cost_recorded(d, th, t, COST_BASIS_PROVIDER_USAGE, e);
	model_emit_limits(d, th, t, e, 0);
	for (size_t i = 0; i < e->call_count; i++)
		turn_model_open_call(d, th, t, &e->calls[i], next + (int64_t)i);
	if (e->stop == STOP_REASON_CONTEXT_FULL && !e->call_count)
		compact_after_overflow(d, th, t);
}

/* The message after the last attempt. */
static struct str final_message(struct decision *d, const struct st_turn *t,
                                const struct model_end *e)
{
	int64_t spent = t->retry_spent_ms + MAX(d->now - t->requested_at, 0);

	if (!e->retryable || !model_emit_is_worth_waiting(e))
		return e->message;
	if (e->retry_after_ms >= 0 && e->retry_after_ms > model_emit_retry_left(d, t))
		return arena_printf(d->mem,
		                    "%.*s; the provider asks to wait %lld s, longer than what is "
		                    "left of routing.retry_budget_ms",
		                    STR_ARG(e->message),
		                    (long long)(e->retry_after_ms + 999) / 1000);
	return arena_printf(d->mem,
	                    "%.*s; gave up after %lld attempts in %lld s "
	                    "(routing.retry_budget_ms)",
	                    STR_ARG(e->message), (long long)t->attempt,
	                    (long long)(spent + 999) / 1000);
}

/*
 * The basis decides what the request costs: reported usage, the estimate when the provider had
 * begun to respond, nothing when it refused before any output (GAP-49).
 */
static void emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct model_end *e, struct str remedy)
{
	bool had_output = t->text_bytes || t->reasoning_bytes || e->bytes_received;
	struct event *ev = turn_emit_in_request(
		EMIT(d, MODEL_FAILED, model_failed, .category = e->category,
	             .http_status = e->http_status, .has_http_status = e->http_status != 0,
	             .retryable = e->retryable, .attempt = t->attempt, .provider = t->provider,
	             .model = t->model, .message = e->message, .bytes_received = e->bytes_received,
	             .usage = model_emit_usage(d, e),
	             .usage_state = e->usage.known ? 0 : HONESTY_UNAVAILABLE,
	             .duration_ms = since(d, t->requested_at), .retry_after_ms = e->retry_after_ms,
	             .has_retry_after_ms = e->retry_after_ms >= 0, .remedy = remedy),
		th, t);

	ev->status = STATUS_FAILED;
	end_text_step(d, ev, t, STATUS_FAILED);
	keep_raw(d, ev, e);
	budget_cost_recorded(d, th, t,
	                     e->usage.known ? COST_BASIS_PROVIDER_USAGE
	                     : had_output   ? COST_BASIS_ESTIMATE
	                                    : COST_BASIS_REFUSED_BEFORE_OUTPUT,
	                     e);
}

/*
 * Repeats the request, switches to another candidate, or ends: the fold has set the turn failing.
 * A short retry of the same model precedes a fallback, which starts another run (GAP-33).  A
 * conversation that is too long for the window is compacted instead.
 */
static void request_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct model_end *e)
{
	/* The repeated request has no images, so this happens once. */
	if (e->refuses_images) {
		emit_failed(d, th, t, e, STR_NONE);
		model_emit_without_images(d, th, t, e);
		return;
	}

	const struct model_info *next = route_fallback_next_candidate(d, t, e);
	int64_t delay = model_emit_retry_delay(d, t, e, next);
	bool asks;

	if (delay >= 0)
		next = NULL;
	asks = next && route_fallback_asks_first(d, t);
	if (next || delay >= 0) {
		emit_failed(d, th, t, e, STR_NONE);
	} else {
		struct model_end last = *e;

		last.message = final_message(d, t, e);
		emit_failed(d, th, t, &last, route_fallback_remedy(d, t, e));
	}
	model_emit_limits(d, th, t, e,
	                  asks        ? RATE_ACTION_WAIT
	                  : next      ? RATE_ACTION_FALLBACK
	                  : delay < 0 ? RATE_ACTION_FAIL
	                              : RATE_ACTION_RETRY);
	if (e->category == ERROR_CATEGORY_CONTEXT_LENGTH && compact_after_overflow(d, th, t))
		return;
	if (asks)
		route_fallback_ask(d, th, t, next, e);
	else if (next)
		route_fallback_emit(d, th, t, next, e);
	else if (delay >= 0)
		model_emit_retry(d, th, t, e, delay);
}

/* A compaction shares the turn's request slot, so its end arrives here as well. */
void turn_model_end(struct decision *d, struct str turn_id, struct str request_id,
                    const struct model_end *end)
{
	const struct st_thread *th;
	const struct st_turn *t = open_request(d, turn_id, request_id, &th);

	if (!t)
		return;
	if (turn_is_compacting(th, t)) {
		compact_summary_ended(d, th, t, end);
		return;
	}
	/* It was offered no tools, so what it calls does not exist. */
	if (t->sampling && end->call_count) {
		struct model_end *words = decision_kept(d, end, sizeof *end);

		words->call_count = 0;
		words->stop = STOP_REASON_END_TURN;
		end = words;
	}
	turn_emit_reasoning_end(d, th, t, end->reasoning_summary);
	if (end->failed)
		request_failed(d, th, t, end);
	else
		request_completed(d, th, t, end);
}

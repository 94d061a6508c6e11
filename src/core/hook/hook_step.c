/*
 * Runs the hooks of one occasion one after the other, and turns their answers
 * into events.
 * spec: contracts/hooks-and-policy; GAP-32, GAP-35, GAP-58
 */
#include "core/hook/hook.h"
#include "core/tool/call_input.h"
#include "core/tool/tool_args.h"
#include "core/tool/tool_emit.h"
#include "core/task/task_bounds.h"
#include "base/hash/sha256.h"
#include "base/utf8.h"

static struct event *in_occasion(struct event *ev, const struct st_thread *th,
                                 const struct st_turn *t, const struct st_call *c)
{
	return c ? decision_in_call(ev, th, t, c) : decision_in_turn(ev, th, t);
}

static struct str preview_of(struct decision *d, const struct st_turn *t, const struct st_call *c,
                             enum hook_point point)
{
	if (c)
		return utf8_preview(d->mem,
		                    arena_printf(d->mem, "%.*s: %.*s", STR_ARG(c->tool_name),
		                                 STR_ARG(str_head(tool_args_of_call(d, c), 400))),
		                    200);
	switch (point) {
	case HOOK_POINT_SESSION_START:
		return STR("session starts");
	case HOOK_POINT_STOP:
		return STR("turn ends: completed");
	default:
		return str_is(t->input_preview) ? t->input_preview : STR_NONE;
	}
}

/*
 * hook.started is durable before the hook runs (GAP-36).  The record repeats policy and trust, so
 * that a later change of the settings does not alter this run.
 */
static void start_hook(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, const struct hook_info *h)
{
	struct event *ev = in_occasion(EMIT(d, HOOK_STARTED, hook_started, .point = h->point,
	                                    .handler_ref = h->ref, .timeout_ms = h->timeout_ms,
	                                    .preview = preview_of(d, t, c, h->point)),
	                               th, t, c);

	ev->status = STATUS_RUNNING;
	ev->hook_run = KEPT(d, struct rec_hook_run, .hook_run_id = decision_new_id(d, "hook"),
	                    .point = h->point, .handler_ref = h->ref, .handler_kind = h->kind,
	                    .timeout_ms = h->timeout_ms, .fail_policy = h->on_failure,
	                    .trust = h->trust, .status = HOOK_STATUS_RUNNING, .started_at = d->now);
}

/* One hook at a time per occasion, in the order of the settings. */
enum hooks_state hook_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, enum hook_point point)
{
	const struct hook_info *h =
		hook_nth(d->settings, point, c, *hook_count(d->w->s, t, c, point));

	for (uint32_t i = 0; i < th->hooks.count; i++)
		if (hook_runs(th->hooks.items[i], t, c) && th->hooks.items[i]->run->point == point)
			return HOOKS_RUNNING;
	/* What hooks add for the agent is not for a tool server; they decided on its call. */
	if (!h || t->sampling)
		return HOOKS_OVER;
	if (decision_is_leaving(d))
		return HOOKS_RUNNING;
	start_hook(d, th, t, c, h);
	return HOOKS_STARTED;
}

/* Hook events need a turn, and at the start of a session there is none yet (GAP-10). */
static void open_system_turn(struct decision *d, const struct st_thread *th)
{
	struct str turn_id = decision_new_id(d, "turn");
	struct event *ev = decision_in_thread(
		EMIT(d, TURN_SUBMITTED, turn_submitted, .status = STATUS_ACCEPTED,
	             .source = STR("runtime"), .kind = TURN_KIND_SYSTEM,
	             .delivery = DELIVERY_IMMEDIATE, .cause = STR("session_start")),
		th);

	ev->turn_id = turn_id;
	ev->status = STATUS_ACCEPTED;
	ev = decision_in_thread(EMIT(d, TURN_STARTED, turn_started,
	                             .environment_id = d->settings->environment->environment_id),
	                        th);
	ev->turn_id = turn_id;
	ev->status = STATUS_RUNNING;
	ev->phase = PHASE_PREPARING;
	ev->execution_environment = task_bounds_environment(d, turn_id);
}

/*
 * The user's first turn stays accepted until these hooks are over (GAP-32).  A session that had
 * turns before its hooks were configured starts without them.
 */
enum hooks_state hook_step_session_start(struct decision *d, const struct st_thread *th)
{
	const struct st_session *s = d->w->s;
	const struct st_turn *t = state_thread_turn(th, s->start_turn_id);
	int64_t imported = s->imported ? s->imported->turns : 0; /* these ran no hooks here */
	enum hooks_state state;
	struct event *ev;

	if (s->start_is_over || (!t && str_is(s->start_turn_id)))
		return HOOKS_OVER;
	if (!t) {
		if (s->turn_count - imported > 1 ||
		    !hook_nth(d->settings, HOOK_POINT_SESSION_START, NULL, 0))
			return HOOKS_OVER;
		open_system_turn(d, th);
		return HOOKS_STARTED;
	}
	state = hook_step(d, th, t, NULL, HOOK_POINT_SESSION_START);
	if (state != HOOKS_OVER)
		return state;
	ev = decision_in_thread(EMIT(d, TURN_COMPLETED, turn_completed,
	                             .outcome = TURN_OUTCOME_COMPLETED, .steps = 0,
	                             .has_steps = true, .model_requests = 0,
	                             .has_model_requests = true),
	                        th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_COMPLETED;
	return HOOKS_STARTED;
}

/* The current record of the run, for the event that ends it. */
static struct rec_hook_run *ended_run(struct decision *d, const struct st_hook *h,
                                      enum hook_status status, const struct hook_end *e)
{
	struct rec_hook_run *r = decision_kept(d, h->run, sizeof *h->run);

	r->status = status;
	r->started_at = 0;
	r->duration_ms = since(d, h->run->started_at);
	r->has_duration_ms = true;
	r->exit_code = e->exit_code;
	r->has_exit_code = e->has_exit_code;
	r->audit_refs.items = ARENA_ARRAY(d->mem, struct str, 1);
	return r;
}

/* Head and tail are the whole text here; the record cuts them. */
static struct rec_output *record_of(struct decision *d, struct str ref, struct str hook_run_id,
                                    struct str text, bool is_complete)
{
	struct sha256 hash = sha256_of(text);

	return tool_emit_output_record(d, ref, OUTPUT_OWNER_HOOK, hook_run_id,
	                               &(struct tool_end){
					       .is_text = utf8_is_valid(text),
					       .output_bytes = (int64_t)text.len,
					       .sha256 = sha256_hex(d->mem, &hash),
					       .is_complete = is_complete,
					       .head = text,
					       .tail = text,
				       });
}

/* Large output, or more than is read of a hook: records its ref and how much is missing. */
static void emit_volume(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct st_call *c, const struct st_hook *h, struct str ref,
                        struct str text, int64_t left_out)
{
	struct event *ev = in_occasion(
		EMIT(d, OUTPUT_SPILLED, output_spilled, .size_bytes = (int64_t)text.len,
	             .policy = arena_printf(d->mem, "spill:hook:%d", LIMIT_INLINE_OUTPUT_BYTES),
	             .complete = !left_out),
		th, t, c);

	ev->output_ref = ref;
	ev->output = record_of(d, ref, h->run->hook_run_id, text, !left_out);
	if (!left_out)
		return;
	ev = in_occasion(
		EMIT(d, OUTPUT_TRUNCATED, output_truncated, .truncation = TRUNCATION_HEAD,
	             .policy = arena_printf(d->mem, "hook-output:%d", LIMIT_HOOK_OUTPUT_BYTES),
	             .kept_bytes = (int64_t)text.len, .omitted_bytes = left_out,
	             .for_ = TRUNCATED_FOR_HOOK),
		th, t, c);
	ev->output_ref = ref;
}

/* The error output if there is any: the output is the answer itself. */
static struct str keep_output(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, const struct st_call *c,
                              const struct st_hook *h, const struct hook_end *e)
{
	struct str text = str_trim(str_is(e->err) && e->err.len ? e->err : e->out);
	struct str ref;

	if (!text.len)
		return STR_NONE;
	ref = decision_new_blob(d, STR("text/plain"), text);
	if (text.len > LIMIT_INLINE_OUTPUT_BYTES || e->left_out)
		emit_volume(d, th, t, c, h, ref, text, e->left_out);
	return ref;
}

/*
 * A failure that is ignored (fail_policy open) is reported as a warning too, so that it does not go
 * unnoticed.
 */
static void emit_hook_failed(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct st_call *c,
                             const struct st_hook *h, const struct hook_end *e,
                             enum error_category category, struct str message)
{
	struct str words = keep_output(d, th, t, c, h, e);
	struct event *ev =
		in_occasion(EMIT(d, HOOK_FAILED, hook_failed, .point = h->run->point,
	                         .duration_ms = since(d, h->run->started_at),
	                         .has_duration_ms = true, .category = category, .message = message,
	                         .retryable = category == ERROR_CATEGORY_TIMEOUT,
	                         .fail_policy = h->run->fail_policy),
	                    th, t, c);

	ev->status = category == ERROR_CATEGORY_TIMEOUT       ? STATUS_TIMED_OUT
	             : category == ERROR_CATEGORY_LOST        ? STATUS_LOST
	             : category == ERROR_CATEGORY_INTERRUPTED ? STATUS_CANCELLED
	                                                      : STATUS_FAILED;
	ev->hook_run = ended_run(d, h, HOOK_STATUS_FAILED, e);
	ev->hook_run->last_error =
		KEPT(d, struct rec_last_error, .category = category, .message = message);
	if (str_is(words))
		decision_add_ref(d, ev, STR("output"), words);
	if (h->run->fail_policy != FAIL_POLICY_OPEN || category == ERROR_CATEGORY_INTERRUPTED)
		return;
	in_occasion(EMIT(d, RUNTIME_WARNING, runtime_warning,
	                 .category = WARNING_CATEGORY_HOOK_FAILED_OPEN,
	                 .message = arena_printf(
				 d->mem, "%.*s failed, and the turn continues without it: %.*s",
				 STR_ARG(h->run->handler_ref), STR_ARG(message)),
	                 .cause = h->run->handler_ref),
	            th, t, c);
}

/*
 * The fold evaluates nothing again: hooks run before the evaluation, so rules see the rewritten
 * input.
 */
static void emit_rewritten(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, const struct st_hook *h, struct str input,
                           struct str before_ref, struct str after_ref)
{
	bool is_redacted;
	struct str safe = tool_args_shown(d, c, input, &is_redacted);
	struct ev_tool_args p = {
		.kind = ARGS_KIND_UPDATED,
		.updated_by = UPDATED_BY_HOOK,
		.hook_run_id = h->run->hook_run_id,
		.safe_args = safe.len <= LIMIT_INLINE_ARGS ? safe : STR_NONE,
		.redacted = is_redacted,
		.has_redacted = is_redacted,
		.valid = true,
		.bytes = (int64_t)input.len,
		.has_bytes = true,
		.input_ref = after_ref,
		.previous_input_ref = before_ref,
	};
	struct event *ev;

	p.safe_args_ref = tool_args_shown_ref(d, &p, safe);
	ev = decision_in_call(decision_emit_event(d, EV_TOOL_ARGS, &p), th, t, c);
	decision_add_ref(d, ev, STR("input"), after_ref);
	decision_add_ref(d, ev, STR("previousInput"), before_ref);
	tool_args_add_shown(d, ev, &p);
}

/* A project's hooks can only narrow, trusted or not: their allow counts as no answer. */
static enum hook_decision decision_of(const struct st_hook *h, const struct hook_answer *a)
{
	bool is_project = h->run->trust == HOOK_TRUST_HASH_RECORDED;

	return is_project && a->decision == HOOK_DECISION_ALLOW ? HOOK_DECISION_CONTINUE
	                                                        : a->decision;
}

/*
 * Everything that a hook changes is stored before and after: the input that it replaced, the output
 * that it replaced, and its own text for audits.
 */
static void emit_hook_completed(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, const struct st_call *c,
                                const struct st_hook *h, const struct hook_end *e,
                                const struct hook_answer *a)
{
	struct rec_hook_run *r = ended_run(d, h, HOOK_STATUS_COMPLETED, e);
	bool rewrites = c && h->run->point == HOOK_POINT_PRE_TOOL_USE && str_is(a->updated_input);
	bool replaces = c && h->run->point == HOOK_POINT_POST_TOOL_USE && str_is(a->updated_output);
	struct ev_hook_completed p = {
		.point = h->run->point,
		.duration_ms = since(d, h->run->started_at),
		.decision = decision_of(h, a),
		.suppress_output = a->suppress_output,
		.reason = utf8_preview(d->mem, a->reason, 2000),
	};
	/* The model gets the reason why a hook postponed the end of the turn. */
	struct str context =
		str_is(a->context) ? a->context
		: h->run->point == HOOK_POINT_STOP && a->decision == HOOK_DECISION_BLOCK ? a->reason
											 : STR_NONE;
	struct str context_ref = STR_NONE, words = STR_NONE;
	struct event *ev;

	if (str_is(context) && context.len) {
		context_ref = decision_new_blob(d, STR("text/plain"), context);
		p.additional_context_refs = STRINGS(d, context_ref);
	}
	if (rewrites) {
		r->input_ref = tool_args_ref(d, c);
		p.updated_input_ref =
			decision_new_blob(d, STR("application/json"), a->updated_input);
	}
	if (replaces)
		p.updated_tool_output_ref =
			decision_new_blob(d, STR("text/plain"), a->updated_output);
	if (!a->suppress_output)
		words = keep_output(d, th, t, c, h, e);
	r->decision = decision_of(h, a);
	r->updated_input_ref = p.updated_input_ref;
	r->updated_tool_output_ref = p.updated_tool_output_ref;
	r->additional_context_refs = p.additional_context_refs;
	r->suppress_output = r->has_suppress_output = a->suppress_output;
	if (a->policy) {
		r->policy_record = a->policy;
		a->policy->record_ref =
			decision_new_blob(d, STR("application/json"), a->policy_text);
	}
	if (str_is(words))
		rec_list_str_add(d->mem, &r->audit_refs, words);
	ev = in_occasion(decision_emit_event(d, EV_HOOK_COMPLETED, &p), th, t, c);
	ev->status = STATUS_COMPLETED;
	ev->hook_run = r;
	if (str_is(context_ref))
		decision_add_ref(d, ev, STR("additionalContext"), context_ref);
	if (rewrites) {
		decision_add_ref(d, ev, STR("inputBefore"), r->input_ref);
		decision_add_ref(d, ev, STR("inputAfter"), p.updated_input_ref);
	}
	if (replaces && str_is(c->output_ref))
		decision_add_ref(d, ev, STR("outputBefore"), c->output_ref);
	if (replaces)
		decision_add_ref(d, ev, STR("outputAfter"), p.updated_tool_output_ref);
	if (str_is(words))
		decision_add_ref(d, ev, STR("audit"), words);
	if (rewrites)
		emit_rewritten(d, th, t, c, h, a->updated_input, r->input_ref, p.updated_input_ref);
}

/* A rewritten input must satisfy the tool's schema. */
static struct str wrong_rewrite(struct decision *d, const struct st_call *c,
                                const struct hook_answer *a)
{
	struct json v;

	if (!c || !str_is(a->updated_input) ||
	    json_read_trusted(d->mem, a->updated_input, &v, NULL) != OK)
		return STR_NONE;
	return tool_args_wrong(d, turn_call_tool(d, c), v);
}

/* How each end without an answer is reported; indexed by enum hook_end_kind. */
static const struct {
	enum error_category category;
	const char *message;
} misfortunes[] = {
	[HOOK_BROKE] = { ERROR_CATEGORY_HOOK_FAILED, "it broke" },
	[HOOK_TIMED_OUT] = { ERROR_CATEGORY_TIMEOUT, "it exceeded its time limit" },
	[HOOK_NOT_STARTED] = { ERROR_CATEGORY_SPAWN_FAILED, "it could not be started" },
	[HOOK_CANCELLED] = { ERROR_CATEGORY_INTERRUPTED, "the turn was stopped" },
	[HOOK_LOST] = { ERROR_CATEGORY_LOST, "the runtime stopped while it ran" },
};

/*
 * Ends are checked in this order: it did not answer, its answer was cut, its answer cannot be read,
 * its rewrite does not fit the tool.  Each of them is a failure of the hook, to which its
 * fail_policy applies.
 */
void hook_step_end(struct decision *d, struct str hook_run_id, const struct hook_end *e)
{
	const struct st_thread *th;
	const struct st_hook *h = hook_find(d->w, hook_run_id, &th);
	const struct st_turn *t = h ? state_thread_turn(th, h->turn_id) : NULL;
	const struct st_call *c =
		t && str_is(h->tool_call_id) ? state_thread_call(th, h->tool_call_id) : NULL;
	struct hook_answer response;
	struct error why = { 0 };
	struct str wrong;

	if (!t || h->run->status != HOOK_STATUS_RUNNING)
		return;
	if (e->result != HOOK_ANSWERED) {
		emit_hook_failed(d, th, t, c, h, e, misfortunes[e->result].category,
		                 str_is(e->message) ? e->message
		                                    : str_from(misfortunes[e->result].message));
		return;
	}
	/* Half an object cannot be read; text may be cut. */
	if (e->left_out && str_starts(str_trim(e->out), STR("{"))) {
		emit_hook_failed(
			d, th, t, c, h, e, ERROR_CATEGORY_OUTPUT_LIMIT,
			arena_printf(d->mem, "its answer is longer than the %d bytes that are read",
		                     LIMIT_HOOK_OUTPUT_BYTES));
		return;
	}
	if (hook_answer_read(d->mem, h->run->point, d->now, e->exit_code, e->out, e->err, &response,
	                     &why) != OK) {
		emit_hook_failed(d, th, t, c, h, e, ERROR_CATEGORY_HOOK_FAILED,
		                 arena_keep(d->mem, str_from(why.message)));
		return;
	}
	wrong = wrong_rewrite(d, c, &response);
	if (str_is(wrong))
		emit_hook_failed(d, th, t, c, h, e, ERROR_CATEGORY_INVALID_INPUT, wrong);
	else
		emit_hook_completed(d, th, t, c, h, e, &response);
}

void hook_step_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; t && i < th->hooks.count; i++)
		if (hook_runs(th->hooks.items[i], t, NULL))
			hook_step_end(d, th->hooks.items[i]->run->hook_run_id,
			              &(struct hook_end){ .result = HOOK_LOST });
}

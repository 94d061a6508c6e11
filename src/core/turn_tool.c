/*
 * Tool calls: judged, dispatched, ended.
 *
 * Calls are opened in the model's order.  Consecutive calls that only read
 * run together; anything else runs alone.  Nothing is dispatched before the
 * permission is a fact, and the mark "dispatched" is a fact before anything
 * runs: after a crash a call with the mark is lost, one without it was not run.
 * spec: GAP-35, GAP-36, GAP-37, GAP-54
 */
#include "core/agent_tool.h"
#include "core/assemble.h"
#include "core/exceed.h"
#include "core/hook.h"
#include "core/subagent.h"
#include "core/process.h"

#include "base/utf8.h"
#include "core/channel.h"
#include "core/permission.h"

/* ---- ends ---- */

static enum decision last_word(const struct st_call *c)
{
	return c->permission ? c->permission->decision : 0;
}

void fail_call(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
               enum status status, enum error_category category, struct str reason,
               struct str message, struct str advice)
{
	enum executed executed = !c->dispatched ? c->sandbox_mode ? EXECUTED_PARTLY : EXECUTED_NO :
	                         status == STATUS_CANCELLED ? EXECUTED_PARTLY :
	                                                      EXECUTED_UNKNOWN;
	struct event *ev = in_call(
		EMIT(d, TOOL_FAILED, tool_failed, .tool_name = c->tool_name, .category = category,
	             .reason = reason, .retryable = status == STATUS_CANCELLED, .executed = executed,
	             .advice = advice, .display_preview = message,
	             .permission_decision = last_word(c), .sandbox_mode = c->sandbox_mode,
	             .violation_refs = c->violation_refs, .hook_run_ids = c->hook_run_ids),
		th, t, c);

	ev->status = status;
	ev->status_reason = message;
	ev->item = item_of(d, c->step_id, c->kind, c->index, status);
	ev->output_ref = c->output_ref;
	ev->process_id = c->process_id;
}

void emit_tool_text(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
                    struct str text, bool is_error, struct str structured)
{
	struct ev_tool_result p = {
		.tool_name = c->tool_name,
		.duration_ms = d->now - c->started_at,
		.display_preview = text,
		.truncation = TRUNCATION_NONE,
		.permission_decision = last_word(c),
		.is_error = is_error,
	};
	struct event *ev;

	if (str_is(structured))
		p.structured_content_ref = new_blob(d, STR("application/json"), structured);
	ev = in_call(emit_event(d, EV_TOOL_RESULT, &p), th, t, c);
	ev->status = STATUS_COMPLETED;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_COMPLETED);
	if (str_is(structured))
		add_ref(d, ev, STR("structuredContent"), p.structured_content_ref);
}

/* ---- permission ---- */

static struct event *emit_verdict(struct outcome *d, struct st_thread *th, struct st_turn *t,
                                  struct st_call *c, struct rec_permission_decision *v)
{
	struct event *ev = in_call(EMIT(d, PERMISSION_EVALUATED, permission_evaluated,
	                                .decision = v->decision,
	                                .decision_source = v->decision_source,
	                                .subject = DECISION_SUBJECT_TOOL, .tool_name = c->tool_name,
	                                .destructive = v->destructive, .has_destructive = true),
	                           th, t, c);

	ev->permission_decision = v;
	return ev;
}

/* The task waits, the thread is blocked: said once, however many actions are open. */
static void emit_waiting(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct str action_id, enum status status, int64_t until, struct str why)
{
	struct event *ev = in_turn(EMIT(d, TASK_WAITING, task_waiting,
	                                .for_ = status == STATUS_WAITING_INPUT ? WAIT_FOR_INPUT :
	                                                                         WAIT_FOR_PERMISSION,
	                                .action_id = action_id, .until = until),
	                           th, t);
	struct ev_thread_updated p = { .profile_status = status, .active_turn_id = t->turn_id,
		                       .cause = STR("action.required") };

	ev->action_id = action_id;
	ev->status = status;
	ev->phase = PHASE_WAITING;
	ev->status_reason = why;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
	                .status = status == STATUS_WAITING_INPUT ? TASK_STATUS_WAITING_INPUT :
	                                                           TASK_STATUS_WAITING_PERMISSION,
	                .status_reason = why);
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]))
			list_str_add(d->mem, &p.pending_action_ids, th->actions.items[i]->action_id);
	list_str_add(d->mem, &p.pending_action_ids, action_id);
	ev = in_thread(emit_event(d, EV_THREAD_UPDATED, &p), th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_BLOCKED;
	ev->status_reason =
		arena_printf(d->mem, "waiting for a decision on %.*s", STR_ARG(action_id));
}

static struct rec_wait *action_wait(struct outcome *d, enum wait_for what, int64_t until)
{
	return KEPT(d, struct rec_wait, .for_ = what, .since = d->now, .until = until,
	            .ended_by = STRINGS(d, STR("respond_action"), STR("interrupt_turn"), STR("expiry")));
}

/* spec: GAP-63 — one fact per attached channel that may decide. */
static void forward(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
                    struct str action_id, int64_t until)
{
	struct st_action asked = { .action_id = action_id, .expires_at = until };

	for (uint32_t i = 0; i < d->w->s->channels.count; i++)
		if (d->w->s->channels.items[i]->status == STATUS_RUNNING)
			channel_forward(d, d->w->s->channels.items[i]->record, th, t, c, &asked);
}

/* spec: SUB-07 — who is asked sees whose child it is. */
static struct str asking_child(const struct outcome *d, const struct st_thread *th)
{
	const struct st_subagent *s = thread_subagent(d->w, th->thread_id);

	return s ? s->record->subagent_id : STR_NONE;
}

static struct str question_of(struct outcome *d, const struct st_call *c,
                              const struct rec_sandbox_override *more)
{
	struct str with = str_is(c->args) ? utf8_preview(d->mem, c->args, 300) : STR("a large input");

	if (!more)
		return arena_printf(d->mem, "Allow %.*s with %.*s?", STR_ARG(c->tool_name), STR_ARG(with));
	return arena_printf(d->mem, "%s %.*s with %.*s? It needs more than the cage gives: %.*s.",
	                    c->sandbox_mode ? "Run again" : "Allow", STR_ARG(c->tool_name),
	                    STR_ARG(with), STR_ARG(exceed_text(d->mem, more)));
}

/* more: what it would get beyond its cage, if that is the question; why, in its own words. */
static void ask_permission(struct outcome *d, struct st_thread *th, struct st_turn *t,
                           struct st_call *c, struct rec_permission_decision *v,
                           struct rec_sandbox_override *more, struct str why)
{
	struct str action_id = new_id(d, "act");
	int64_t until = d->now + d->setup->action_timeout_ms;
	struct permission_ask ask = permission_of(d, setup_tool(d->setup, c->tool_name), c);
	struct event *ev = emit_verdict(d, th, t, c, v);
	struct permission_grants wider;
	struct rec_decision_option *allow, *deny;
	struct ev_action_required p = {
		.action_type = more ? ACTION_TYPE_ESCALATION : ACTION_TYPE_TOOL_PERMISSION,
		.tool_name = c->tool_name,
		.decision_kind = DECISION_KIND_ALLOW_OR_DENY,
		.prompt = question_of(d, c, more),
		.schema = STR("{\"type\":\"object\"}"),
		.scope = KEPT(d, struct rec_action_scope, .turn_id = t->turn_id, .cwd = d->w->s->cwd,
		              .paths = more      ? exceed_paths(d->mem, more) :
		                       v->impact ? v->impact->paths :
		                                   NO_STRINGS,
		              .host = more && more->hosts.count ? more->hosts.items[0] : STR_NONE),
		.policy = KEPT(d, struct rec_action_policy, .destructive = v->destructive,
		               .rule_refs = v->rule_refs),
		.wait = action_wait(d, WAIT_FOR_PERMISSION, until),
		.on_expiry = DECISION_DENY,
		.parent_thread_id = th->parent_thread_id,
		.subagent_id = asking_child(d, th),
		.override = more,
		.reason = why,
	};

	ev->action_id = action_id;
	v->approval_action_id = action_id;
	v->expires_at = until;
	ev = in_call(EMIT(d, PERMISSION_REQUESTED, permission_requested, .from = ASK_FROM_HUMAN,
	                  .tool_name = c->tool_name, .expires_at = until, .on_expiry = DECISION_DENY),
	             th, t, c);
	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
	allow = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	allow->decision = DECISION_ALLOW;
	/* What no grant can cover is asked every time. */
	allow->scopes = !more && permission_grants(&ask, &wider) ?
	                        STRINGS(d, STR("once"), STR("turn"), STR("session"), STR("workspace")) :
	                        STRINGS(d, STR("once"));
	allow->may_edit_input = allow->has_may_edit_input = !more;
	deny = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	deny->decision = DECISION_DENY;
	deny->may_give_reason = deny->has_may_give_reason = true;
	ev = in_call(emit_event(d, EV_ACTION_REQUIRED, &p), th, t, c);
	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_WAITING_PERMISSION);
	forward(d, th, t, c, action_id, until);
	emit_waiting(d, th, t, action_id, STATUS_WAITING_PERMISSION, until,
	             arena_printf(d->mem, "%.*s asks for consent", STR_ARG(c->tool_name)));
}

/* ---- questions ---- */

/* What may be answered: the caller's schema, or one of the options, or any text. */
static struct str answer_schema(struct outcome *d, struct json args)
{
	struct json own = JSON_GET(args, "schema"), options = JSON_GET(args, "options");
	struct buf out = { 0 };
	struct json_writer w;

	if (json_type(own) == JSON_OBJ)
		return json_text(d->mem, own);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("object"));
	JW_KEY(&w, "properties");
	jw_obj(&w);
	JW_KEY(&w, "answer");
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("string"));
	if (json_type(options) == JSON_ARR) {
		JW_KEY(&w, "enum");
		jw_value(&w, options);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	JW_KEY(&w, "required");
	jw_arr(&w);
	jw_str(&w, STR("answer"));
	jw_arr_end(&w);
	jw_obj_end(&w);
	struct str kept_text = arena_keep(d->mem, buf_str(&out));

	buf_done(&out);
	return kept_text;
}

/* A question to a person, for a call that is under way.  The action's id. */
static struct str emit_question(struct outcome *d, struct st_thread *th, struct st_turn *t,
                                struct st_call *c, struct str prompt, struct str schema)
{
	struct str action_id = new_id(d, "act");
	int64_t until = d->now + d->setup->question_timeout_ms;
	struct ev_action_required p = {
		.action_type = ACTION_TYPE_STRUCTURED_INPUT,
		.tool_name = c->tool_name,
		.decision_kind = DECISION_KIND_ANSWER_OR_DECLINE,
		.prompt = utf8_preview(d->mem, prompt, 2000),
		.schema = schema,
		.scope = KEPT(d, struct rec_action_scope, .turn_id = t->turn_id),
		.wait = action_wait(d, WAIT_FOR_INPUT, until),
		.on_expiry = DECISION_DECLINE,
		.parent_thread_id = th->parent_thread_id,
		.subagent_id = asking_child(d, th),
	};
	struct rec_decision_option *o = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	struct event *ev;

	o->decision = DECISION_ANSWER;
	o = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	o->decision = DECISION_DECLINE;
	o->may_give_reason = o->has_may_give_reason = true;
	ev = in_call(emit_event(d, EV_ACTION_REQUIRED, &p), th, t, c);
	ev->action_id = action_id;
	ev->status = STATUS_WAITING_INPUT;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_WAITING_INPUT);
	forward(d, th, t, c, action_id, until);
	emit_waiting(d, th, t, action_id, STATUS_WAITING_INPUT, until, p.prompt);
	return action_id;
}

static void ask_person(struct outcome *d, struct st_thread *th, struct st_turn *t,
                       struct st_call *c, struct rec_permission_decision *v)
{
	struct json args;
	struct event *ev;

	emit_verdict(d, th, t, c, v);
	if (!d->setup->is_interactive) {
		fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_PERMISSION,
		          STR("nobody_to_ask"), STR("Nobody can be asked in this mode."),
		          STR("Go on without the answer or end the turn."));
		return;
	}
	ev = in_call(EMIT(d, TOOL_PROGRESS, tool_progress,
	                  .kind = TOOL_PROGRESS_KIND_DISPATCHED),
	             th, t, c);
	ev->status = STATUS_RUNNING;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	if (json_read_own(d->mem, c->args, &args, NULL) != OK)
		return;
	emit_question(d, th, t, c, json_str(JSON_GET(args, "question")), answer_schema(d, args));
}

/* ---- the steps of one call ---- */

static void dispatch(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c)
{
	const struct setup_tool *tool = setup_tool(d->setup, c->tool_name);
	struct event *ev;

	if (tool && tool->own) {
		agent_tool_dispatch(d, th, t, c);
		return;
	}
	if (tool && tool->is_caged) {
		cage_call(d, th, t, c, tool);
		return;
	}
	ev = in_call(EMIT(d, TOOL_PROGRESS, tool_progress,
	                  .kind = TOOL_PROGRESS_KIND_DISPATCHED),
	             th, t, c);
	ev->status = STATUS_RUNNING;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	/* Where its output goes: readable from the first byte on (GAP-54). */
	ev->output_ref = new_id(d, "out");
}

static void deny_call(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
                      struct rec_permission_decision *v)
{
	struct st_call denied = *c;

	denied.permission = emit_verdict(d, th, t, c, v)->permission_decision;
	if (v->decision == DECISION_UNAVAILABLE)
		fail_call(d, th, t, &denied, STATUS_FAILED, ERROR_CATEGORY_UNAVAILABLE,
		          STR("unavailable"), v->decision_reason, STR("Do without it."));
	else
		fail_call(d, th, t, &denied, STATUS_FAILED, ERROR_CATEGORY_PERMISSION, STR("denied"),
		          v->decision_reason, STR("Do without it, or ask the user for another way."));
}

/* False while a hook is asked. */
static bool judge_call(struct outcome *d, struct st_thread *th, struct st_turn *t,
                       struct st_call *c)
{
	const struct setup_tool *tool = setup_tool(d->setup, c->tool_name);
	struct rec_permission_decision *v;
	struct permission_ask ask;
	enum hooks_state hooks;
	struct rec_sandbox_override *more;
	struct str barred, why = STR_NONE;

	if (!tool) {
		fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_UNKNOWN_TOOL,
		          STR("unknown_tool"),
		          arena_printf(d->mem, "There is no tool %.*s.", STR_ARG(c->tool_name)),
		          STR("Use one of the tools in the inventory."));
		return true;
	}
	if (!c->valid) {
		fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_INVALID_INPUT,
		          STR("invalid_arguments"), c->message,
		          STR("Call it again with arguments that satisfy its input schema."));
		return true;
	}
	hooks = hooks_step(d, th, t, c, HOOK_POINT_PRE_TOOL_USE);
	if (hooks != HOOKS_OVER)
		return hooks == HOOKS_STARTED;
	if (c->hook_failed || c->hook_decision == HOOK_DECISION_BLOCK) {
		fail_call(d, th, t, c, STATUS_FAILED,
		          c->hook_failed ? ERROR_CATEGORY_HOOK_FAILED : ERROR_CATEGORY_HOOK_BLOCKED,
		          STR("hook"),
		          str_is(c->hook_reason) ? c->hook_reason : STR("A hook did not let it run."),
		          STR("Do without it, or ask the user for another way."));
		return true;
	}
	ask = permission_of(d, tool, c);
	v = ARENA_NEW(d->mem, struct rec_permission_decision);
	permission_judge(&ask, v);
	barred = tool_out_of_bounds(d, th, t, tool);
	if (str_is(barred)) {
		v->decision = DECISION_DENY;
		v->decision_source = DECISION_SOURCE_HOST_POLICY;
		v->decision_reason = barred;
		v->rule_refs = STRINGS(d, STR("rule:bounds"));
	}
	more = tool->is_caged ? exceed_asked(d->mem, c->args, &why) : NULL;
	if (more)
		exceed_judge(d, v);
	if (v->decision == DECISION_ASK) {
		hooks = hooks_step(d, th, t, c, HOOK_POINT_PERMISSION_REQUEST);
		if (hooks != HOOKS_OVER)
			return hooks == HOOKS_STARTED;
	}
	if (v->decision == DECISION_DENY || v->decision == DECISION_UNAVAILABLE)
		deny_call(d, th, t, c, v);
	else if (v->decision == DECISION_ASK)
		ask_permission(d, th, t, c, v, more, why);
	else if (tool->asks_user)
		ask_person(d, th, t, c, v);
	else {
		emit_verdict(d, th, t, c, v);
		dispatch(d, th, t, c);
	}
	return true;
}

/* The hooks behind a call of this round; calls of earlier rounds have had theirs. */
static enum hooks_state step_after(struct outcome *d, struct st_thread *th, struct st_turn *t,
                                   struct st_call *c)
{
	if (c->ended_sequence < t->request_sequence)
		return HOOKS_OVER;
	return hooks_step(d, th, t, c,
	                  c->status == STATUS_COMPLETED ? HOOK_POINT_POST_TOOL_USE :
	                                                  HOOK_POINT_POST_TOOL_FAILURE);
}

/* A rule that came while somebody was asked: what it denies does not run, whatever was answered. */
static bool is_forbidden(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c)
{
	const struct setup_tool *tool = setup_tool(d->setup, c->tool_name);
	struct rec_permission_decision *v = ARENA_NEW(d->mem, struct rec_permission_decision);
	struct permission_ask ask = permission_of(d, tool, c);

	if (!tool || !permission_forbids(&ask, v))
		return false;
	v->approval_action_id = c->action_id;
	deny_call(d, th, t, c, v);
	return true;
}

static bool is_pending(const struct st_thread *th, const struct st_call *c)
{
	struct st_action *a = str_is(c->action_id) ? thread_action(th, c->action_id) : NULL;

	return a && action_is_pending(a);
}

static bool has_other_tools(const struct outcome *d)
{
	return str_is(d->w->s->inventory_ref) && str_is(d->setup->inventory_ref) &&
	       !str_eq(d->w->s->inventory_ref, d->setup->inventory_ref);
}

/* The cage refused it: hooks are heard before a person is asked for more.  False while one is. */
static bool ask_after_hooks(struct outcome *d, struct st_thread *th, struct st_turn *t,
                            struct st_call *c)
{
	enum hooks_state hooks = hooks_step(d, th, t, c, HOOK_POINT_PERMISSION_REQUEST);
	struct rec_permission_decision *v = NULL;
	struct rec_sandbox_override *more;
	bool is_forbidden_by_hook = c->hook_failed || c->hook_decision == HOOK_DECISION_DENY ||
	                            c->hook_decision == HOOK_DECISION_BLOCK;

	if (hooks != HOOKS_OVER)
		return hooks == HOOKS_STARTED;
	more = is_forbidden_by_hook ? NULL : exceed_needed(d, c, &v);
	if (more)
		ask_permission(d, th, t, c, v, more, c->message);
	else
		fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_SANDBOX_DENIED, STR("sandbox"),
		          arena_printf(d->mem, "The sandbox did not let it, and nobody is asked for more: %.*s.",
		                       STR_ARG(is_forbidden_by_hook && str_is(c->hook_reason) ?
		                                       c->hook_reason :
		                                       STR("a hook or the mode says so"))),
		          STR("Find a way inside the sandbox, or do without it."));
	return true;
}

/* It ran, the cage refused it, and nobody gave it more. */
static void fail_refused(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c)
{
	fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_SANDBOX_DENIED, STR("sandbox"),
	          arena_printf(d->mem, "The sandbox did not let it, and it was not given more: %.*s.",
	                       STR_ARG(c->permission ? c->permission->decision_reason :
	                                               STR("not permitted"))),
	          STR("Find a way inside the sandbox, or do without it."));
}

/* What rules have a say in is still to come, and they are others by now. */
static bool rules_moved(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	struct event *ev = NULL;

	for (uint32_t i = 0; !ev && i < th->calls.count; i++)
		if (str_eq(th->calls.items[i]->turn_id, t->turn_id) &&
		    !call_is_over(th->calls.items[i]) && !th->calls.items[i]->dispatched)
			ev = policy_moved(d);
	if (ev)
		in_turn(ev, th, t);
	return ev != NULL;
}

/* One move of one call; false when every open call waits for something outside. */
bool step_calls(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	bool alone = true; /* nothing before this call is still open */

	if (rules_moved(d, th, t))
		return true;
	for (uint32_t i = 0; i < th->calls.count; i++) {
		struct st_call *c = th->calls.items[i];
		bool together = c->read_only && c->concurrency_safe;

		if (!str_eq(c->turn_id, t->turn_id))
			continue;
		if (call_is_over(c)) {
			enum hooks_state after = step_after(d, th, t, c);

			if (after == HOOKS_STARTED)
				return true;
			alone &= after == HOOKS_OVER;
			continue;
		}
		if (!alone && !together)
			return false;
		if (!c->judged) {
			if (judge_call(d, th, t, c))
				return true;
			if (!together)
				return false;
			alone = false;
			continue;
		}
		if (c->asks_more) {
			if (ask_after_hooks(d, th, t, c))
				return true;
			if (!together)
				return false;
			alone = false;
			continue;
		}
		if (!c->dispatched && !is_pending(th, c)) {
			if (last_word(c) == DECISION_ALLOW) {
				if (!is_forbidden(d, th, t, c))
					dispatch(d, th, t, c);
			} else if (c->sandbox_mode) {
				fail_refused(d, th, t, c);
			} else {
				fail_call(d, th, t, c, STATUS_FAILED, ERROR_CATEGORY_PERMISSION,
				          STR("denied"),
				          c->permission ? c->permission->decision_reason :
				                          STR("not permitted"),
				          STR("Do without it, or ask the user for another way."));
			}
			return true;
		}
		if (c->by_runtime && agent_tool_step(d, th, t, c))
			return true;
		if (!together)
			return false;
		alone = false;
	}
	if (!alone)
		return false;
	/* The round is over: ask the model again, within bounds, and about the tools there are now. */
	if (has_other_tools(d)) {
		emit_inventory(d, th, t);
		return true;
	}
	if (t->request_number >= d->setup->max_steps) {
		struct event *ev = in_turn(EMIT(d, RUNTIME_ERROR, runtime_error,
		                                .category = ERROR_CATEGORY_MAX_STEPS,
		                                .message = STR("The turn made as many model requests as it may.")),
		                           th, t);

		ev->status = STATUS_FAILED;
		return true;
	}
	return request_model(d, th, t);
}

/* ---- inputs ---- */

void input_tool_progress(struct outcome *d, struct str turn_id, struct str call_id,
                         struct str message, int64_t completed, int64_t total)
{
	struct st_thread *th;
	struct st_turn *t = world_turn(d->w, turn_id, &th);
	struct st_call *c = t ? thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	in_call(EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_PROGRESS,
	             .message = message, .completed = completed, .has_completed = completed >= 0,
	             .total = total, .has_total = total >= 0),
	        th, t, c);
}

struct str input_tool_question(struct outcome *d, struct str turn_id, struct str call_id,
                               struct str prompt, struct str schema)
{
	struct st_thread *th;
	struct st_turn *t = world_turn(d->w, turn_id, &th);
	struct st_call *c = t ? thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched || t->stage == TURN_STAGE_STOPPING ||
	    !d->setup->is_interactive)
		return STR_NONE;
	return emit_question(d, th, t, c, prompt, schema);
}

static enum redaction redaction_of(const struct input_tool_end *e)
{
	enum redaction kind = REDACTION_NONE;

	for (size_t i = 0; i < e->redaction_count; i++)
		if (kind != REDACTION_SECRET)
			kind = e->redactions[i].kind;
	return kind;
}

struct event *emit_redaction(struct outcome *d, const struct input_redaction *r)
{
	return EMIT(d, OUTPUT_REDACTED, output_redacted, .redaction = r->kind,
	            .reason = r->kind == REDACTION_POLICY ?
	                              STR("the operator's pattern matched") :
	                              STR("it is a secret, or has the shape of one"),
	            .count = r->count, .rule_ref = r->rule);
}

static void emit_redacted(struct outcome *d, struct st_thread *th, struct st_turn *t,
                          struct st_call *c, const struct input_tool_end *e)
{
	for (size_t i = 0; i < e->redaction_count; i++) {
		struct event *ev = in_call(emit_redaction(d, &e->redactions[i]), th, t, c);

		ev->output_ref = str_is(e->output_ref) ? e->output_ref : c->output_ref;
		ev->process_id = c->process_id;
	}
}

/* Out of an image nothing can be taken: then it is bytes like any other. */
static bool shows_image(const struct input_tool_end *e)
{
	return str_is(e->media_type) && !e->redaction_count && e->output_bytes <= LIMIT_IMAGE_BYTES;
}

struct rec_output *output_record(struct outcome *d, struct str ref, enum output_owner owner,
                                 struct str owner_id, const struct input_tool_end *e)
{
	return KEPT(d, struct rec_output, .output_ref = ref, .owner = owner, .owner_id = owner_id,
	            .media_type = shows_image(e) ? e->media_type :
	                          e->is_text     ? STR("text/plain") :
	                                           STR("application/octet-stream"),
	            .encoding = e->is_text ? STR("utf-8") : STR("binary"),
	            .size_bytes = e->output_bytes, .sha256 = e->sha256, .complete = e->is_complete,
	            .preview = KEPT(d, struct rec_preview,
	                            .head = utf8_preview(d->mem, e->head, 500),
	                            .tail = utf8_tail(e->tail, 500)),
	            .truncation = TRUNCATION_HEAD_TAIL, .redaction = redaction_of(e),
	            .expires_at = d->setup->output_keep_ms ? d->now + d->setup->output_keep_ms : 0);
}

/* ---- what the model is given ---- */

/* A result up to this size stands in its event; a longer one is behind its ref. */
#define INLINE_RESULT 4096
/* By the conservative estimate of three bytes a token. */
#define MODEL_BYTES (LIMIT_TOOL_RESULT_TOKENS * 3)

static bool is_inline(const struct input_tool_end *e)
{
	return !str_is(e->output_ref) && e->text.len <= INLINE_RESULT && !str_is(e->media_type);
}

/* All of it when it fits, else both ends; what is no text is only named. */
static struct str text_for_model(struct outcome *d, const struct input_tool_end *e, struct str ref,
                                 int64_t *ret_kept)
{
	bool is_spilled = str_is(e->output_ref);
	struct str head = is_spilled ? e->head : utf8_head(e->text, MODEL_BYTES / 2);
	struct str tail = is_spilled ? e->tail : utf8_tail(e->text, MODEL_BYTES / 2);

	if (shows_image(e)) {
		*ret_kept = e->output_bytes;
		return arena_printf(d->mem, "An image: %.*s, %lld bytes.", STR_ARG(e->media_type),
		                    (long long)e->output_bytes);
	}
	if (str_is(e->media_type) || (is_spilled ? !e->is_text : !utf8_is_valid(e->text))) {
		*ret_kept = 0;
		return arena_printf(d->mem, "It is not text; its %lld bytes are behind %.*s.",
		                    (long long)e->output_bytes, STR_ARG(ref));
	}
	*ret_kept = (int64_t)e->text.len;
	if (!is_spilled && e->text.len <= MODEL_BYTES)
		return e->text;
	*ret_kept = (int64_t)(head.len + tail.len);
	return arena_printf(d->mem, "%.*s\n… %lld bytes left out; all of it is behind %.*s …\n%.*s",
	                    STR_ARG(head), (long long)(e->output_bytes - *ret_kept), STR_ARG(ref),
	                    STR_ARG(tail));
}

static struct str output_ref_of(const struct st_call *c, const struct input_tool_end *e)
{
	return str_is(e->output_ref) ? e->output_ref : c->output_ref;
}

static void emit_truncated(struct outcome *d, struct st_thread *th, struct st_turn *t,
                           struct st_call *c, const struct input_tool_end *e)
{
	struct str ref = output_ref_of(c, e);
	struct event *ev;
	int64_t kept;

	text_for_model(d, e, ref, &kept);
	if (is_inline(e) || kept >= e->output_bytes)
		return;
	ev = in_call(EMIT(d, OUTPUT_TRUNCATED, output_truncated, .truncation = TRUNCATION_HEAD_TAIL,
	                  .policy = arena_printf(d->mem, "tool-result:%d-tokens",
	                                         LIMIT_TOOL_RESULT_TOKENS),
	                  .kept_bytes = kept, .omitted_bytes = e->output_bytes - kept,
	                  .for_ = TRUNCATED_FOR_MODEL),
	             th, t, c);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
}

static struct str preview_of(struct outcome *d, const struct input_tool_end *e)
{
	int64_t ignored;

	return shows_image(e)        ? text_for_model(d, e, STR_NONE, &ignored) :
	       str_is(e->output_ref) ? utf8_preview(d->mem, e->head, 500) :
	       is_inline(e)          ? e->text :
	                               utf8_preview(d->mem, e->text, LIMIT_PREVIEW);
}

/* Above the bound the whole text is in a file of its own. */
static void emit_spilled(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c, const struct input_tool_end *e)
{
	struct event *ev = in_call(EMIT(d, OUTPUT_SPILLED, output_spilled,
	                                .size_bytes = e->output_bytes,
	                                .policy = arena_printf(d->mem, "spill:%s:%d",
	                                                       str_is(c->process_id) ? "process" :
	                                                                               "tool",
	                                                       LIMIT_INLINE_OUTPUT_BYTES),
	                                .complete = e->is_complete),
	                           th, t, c);
	bool is_process = str_is(c->process_id);

	ev->output_ref = e->output_ref;
	ev->process_id = c->process_id;
	ev->output = output_record(d, e->output_ref,
	                           is_process ? OUTPUT_OWNER_PROCESS : OUTPUT_OWNER_TOOL,
	                           is_process ? c->process_id : c->tool_call_id, e);
}

/* Before the end of a call: where its output is, and what became of its process. */
static void close_output(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c, const struct input_tool_end *e)
{
	if (str_is(e->output_ref))
		emit_spilled(d, th, t, c, e);
	else if ((str_is(c->process_id) || e->redaction_count || !is_inline(e)) &&
	         str_is(c->output_ref) && !call_left_process(th, c))
		keep_blob(d, c->output_ref,
		          shows_image(e)           ? e->media_type :
		          utf8_is_valid(e->text) ? STR("text/plain") :
		                                   STR("application/octet-stream"),
		          e->text);
	emit_truncated(d, th, t, c, e);
	emit_redacted(d, th, t, c, e);
	end_process(d, th, t, c, e);
}

void lose_call(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
               const struct input_tool_end *printed)
{
	struct st_call known = *c;
	struct event *ev;

	action_moot(d, th, t, c);
	known.output_ref = printed ? printed->output_ref : STR_NONE;
	if (printed) {
		emit_spilled(d, th, t, c, printed);
		emit_truncated(d, th, t, c, printed);
	}
	lose_process(d, th, t, c, printed);
	fail_call(d, th, t, &known, STATUS_LOST, ERROR_CATEGORY_LOST, STR("runtime_restart"),
	          STR("The runtime stopped while it ran; what came of it is unknown."),
	          STR("It may have run in part. Look at its effects before you run it again."));
	if (!printed)
		return;
	ev = d->events[d->count - 1];
	add_ref(d, ev, STR("rawOutput"), printed->output_ref);
}

static const struct st_artifact *artifact_at(const struct outcome *d, struct str path)
{
	for (uint32_t i = d->w->s->artifacts.count; i-- > 0;)
		if (str_eq(d->w->s->artifacts.items[i]->path, path))
			return d->w->s->artifacts.items[i];
	return NULL;
}

/* What a file was before is kept, so that the edit can be shown and taken back. */
static void emit_artifact(struct outcome *d, struct st_thread *th, struct st_turn *t,
                          struct st_call *c, const struct input_change *f,
                          struct list_str *ret_refs)
{
	const struct st_artifact *old = artifact_at(d, f->path);
	struct event *ev = in_call(
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = f->change, .kind = STR("file"),
	             .path = f->path,
	             .version_id = arena_printf(d->mem, "v%d", old ? (int)old->version + 1 : 1),
	             .previous_version_id = old ? old->version_id : STR_NONE,
	             .size_bytes = f->size, .has_size_bytes = str_is(f->hash), .sha256 = f->hash,
	             .owner = STR("workspace")),
		th, t, c);

	ev->artifact_id = old ? old->artifact_id : new_id(d, "art");
	add_ref(d, ev, STR("read"), arena_printf(d->mem, "file:%.*s", STR_ARG(f->path)));
	if (str_is(f->diff))
		add_ref(d, ev, STR("diff"), new_blob(d, STR("text/x-diff"), f->diff));
	if (f->has_before)
		add_ref(d, ev, STR("checkpoint"),
		        new_blob(d, STR("application/octet-stream"), f->before));
	list_str_add(d->mem, ret_refs,
	             arena_printf(d->mem, "artifact:%.*s", STR_ARG(ev->artifact_id)));
}

static void tool_result(struct outcome *d, struct st_thread *th, struct st_turn *t,
                        struct st_call *c, const struct input_tool_end *e)
{
	struct str ref = is_inline(e) ? STR_NONE : output_ref_of(c, e), text = STR_NONE;
	struct ev_tool_result p = {
		.tool_name = c->tool_name,
		.duration_ms = d->now - c->started_at,
		.display_preview = preview_of(d, e),
		.truncation = str_is(e->output_ref) ? TRUNCATION_HEAD_TAIL :
		              is_inline(e)          ? TRUNCATION_NONE :
		                                      TRUNCATION_HEAD,
		.permission_decision = last_word(c),
		.sandbox_mode = c->sandbox_mode,
		.hook_run_ids = c->hook_run_ids,
		.is_error = e->is_error,
		.exit_code = e->exit_code,
		.has_exit_code = e->has_exit_code,
		.raw_output_ref = ref,
	};
	struct event *ev;

	if (str_is(ref))
		text = text_for_model(d, e, ref, &p.model_bytes);
	p.has_model_bytes = str_is(ref);
	if (shows_image(e)) {
		p.model_bytes = (int64_t)text.len;
		*(struct rec_input_part *)list_rec_add(d->mem, &p.images, &rec_input_part_desc) =
			(struct rec_input_part){ .type = STR("image"),
			                         .media_type = e->media_type,
			                         .bytes = e->output_bytes,
			                         .ref = ref };
	}
	close_output(d, th, t, c, e);
	for (size_t i = 0; i < e->change_count; i++)
		emit_artifact(d, th, t, c, &e->changes[i], &p.artifact_refs);
	if (str_is(e->structured))
		p.structured_content_ref = new_blob(d, STR("application/json"), e->structured);
	ev = in_call(emit_event(d, EV_TOOL_RESULT, &p), th, t, c);
	ev->status = STATUS_COMPLETED;
	ev->item = item_of(d, c->step_id, c->kind, c->index, STATUS_COMPLETED);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
	if (str_is(ref)) {
		add_ref(d, ev, STR("rawOutput"), ref);
		add_ref(d, ev, STR("modelText"),
		        text.ptr == e->text.ptr ? ref : new_blob(d, STR("text/plain"), text));
	}
	if (str_is(e->structured))
		add_ref(d, ev, STR("structuredContent"), p.structured_content_ref);
}

/* spec: PRM-06 — restricted first; what the cage refused is asked for afterwards. */
static bool ask_for_more(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c, const struct input_tool_end *e)
{
	struct rec_permission_decision *v = NULL;
	struct rec_sandbox_override *more;

	if (e->cancelled || e->category != ERROR_CATEGORY_SANDBOX_DENIED ||
	    t->stage == TURN_STAGE_STOPPING)
		return false;
	more = exceed_needed(d, c, &v);
	if (!more)
		return false;
	if (hook_is_due(d, t, c, HOOK_POINT_PERMISSION_REQUEST))
		emit_verdict(d, th, t, c, v)->status_reason = utf8_preview(d->mem, e->message, 500);
	else
		ask_permission(d, th, t, c, v, more, utf8_preview(d->mem, e->message, 500));
	return true;
}

static void tool_failure(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct st_call *c, const struct input_tool_end *e)
{
	struct str ref = is_inline(e) ? STR_NONE : output_ref_of(c, e);
	bool has_output = e->output_bytes > 0 && str_is(c->output_ref);
	int64_t kept = 0;
	struct str text = has_output ? text_for_model(d, e, output_ref_of(c, e), &kept) : STR_NONE;
	struct event *ev;

	close_output(d, th, t, c, e);
	if (ask_for_more(d, th, t, c, e))
		return;
	ev = in_call(
		EMIT(d, TOOL_FAILED, tool_failed, .tool_name = c->tool_name,
	             .category = e->cancelled ? ERROR_CATEGORY_INTERRUPTED : e->category,
	             .reason = e->cancelled ? STR("interrupt_turn") :
	                       e->category == ERROR_CATEGORY_SANDBOX_DENIED ? STR("sandbox") :
	                                                                      STR("tool_failed"),
	             .retryable = e->cancelled || e->retryable,
	             .executed = e->executed ? e->executed : EXECUTED_UNKNOWN,
	             .advice = str_is(e->advice) ? e->advice :
	                       e->cancelled ? STR("Run it again if the result is still wanted.") :
	                                      STR_NONE,
	             .display_preview = preview_of(d, e), .raw_output_ref = ref,
	             .model_bytes = kept, .has_model_bytes = has_output, .permission_decision = last_word(c),
	             .sandbox_mode = c->sandbox_mode, .violation_refs = c->violation_refs,
	             .hook_run_ids = c->hook_run_ids,
	             .duration_ms = d->now - c->started_at, .has_duration_ms = true, .exit_code = e->exit_code,
	             .has_exit_code = e->has_exit_code),
		th, t, c);

	ev->status = e->cancelled ? STATUS_CANCELLED : STATUS_FAILED;
	ev->status_reason = str_is(e->message) ? e->message : STR_NONE;
	ev->item = item_of(d, c->step_id, c->kind, c->index, ev->status);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
	if (str_is(ref))
		add_ref(d, ev, STR("rawOutput"), ref);
	if (has_output) {
		struct str why = failure_text(d->mem, ev);

		add_ref(d, ev, STR("modelText"),
		        new_blob(d, STR("text/plain"),
		                 arena_printf(d->mem, "%.*s\n\nIt wrote:\n%.*s", STR_ARG(why),
		                              STR_ARG(text))));
	}
}

/* An error after a hit on the boundary is told as a denial, not as a failure of the tool. */
static struct input_tool_end as_denied(const struct st_call *c, const struct input_tool_end *e)
{
	struct input_tool_end told = *e;

	if (!c->violation_refs.count || e->cancelled || !(e->is_error || e->failed))
		return told;
	told.failed = true;
	told.category = ERROR_CATEGORY_SANDBOX_DENIED;
	told.executed = EXECUTED_PARTLY;
	told.retryable = false;
	if (!str_is(told.message))
		told.message = STR("The sandbox did not let it.");
	if (!str_is(told.advice))
		told.advice = STR("Stay inside the workspace, or ask the user for what it needs.");
	return told;
}

void input_tool_end(struct outcome *d, struct str turn_id, struct str call_id,
                    const struct input_tool_end *end)
{
	struct st_thread *th;
	struct st_turn *t = world_turn(d->w, turn_id, &th);
	struct st_call *c = t ? thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	action_moot(d, th, t, c);
	struct input_tool_end told = as_denied(c, end);
	const struct input_tool_end *e = &told;

	if (!e->failed && !e->cancelled) {
		tool_result(d, th, t, c, e);
		return;
	}
	tool_failure(d, th, t, c, e);
}

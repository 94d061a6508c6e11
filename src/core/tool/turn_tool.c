/*
 * Tool calls: evaluated and dispatched here, ended by turn_result.c.
 *
 * Calls are opened in the model's order.  Consecutive calls that only read run
 * together; any other runs alone.  The permission is an event before the call
 * is dispatched, and the dispatch is an event before it runs: after a crash a
 * dispatched call is lost, any other did not run.
 * spec: GAP-35, GAP-36, GAP-37, GAP-54
 */
#include "core/tool/call_input.h"
#include "base/jw.h"
#include "core/approval/action_emit.h"
#include "core/tool/agent_tool.h"
#include "core/tool/client_tool.h"
#include "core/approval/escalation.h"
#include "core/hook/hook.h"
#include "core/process/process.h"

#include "base/os/reveal.h"
#include "base/utf8.h"
#include "core/approval/permission.h"
#include "core/approval/plan_mode.h"
#include "policy/external_record.h"
#include "core/tool/tool_args.h"
#include "core/tool/tool_emit.h"
#include "core/turn/turn_call.h"

#define LOGIN_PROMPT_MAX 8000 /* characters */

/* ---- permission ---- */

/* Gives the decision an id, and lists the policy records that were consulted. */
static void name_verdict(struct decision *d, const struct st_call *c,
                         struct rec_permission_decision *v)
{
	v->decision_id = decision_new_id(d, "poldec");
	for (uint32_t i = 0; i < c->policy_records.count; i++) {
		const struct rec_policy_record *r = c->policy_records.items[i];
		struct str ref = arena_printf(d->mem, "policy:%.*s", STR_ARG(r->record_id));

		if (rec_list_str_find(&v->rule_refs, ref) >= 0)
			continue;
		external_record_add(d->mem, &v->policy_records, r);
		rec_list_str_add(d->mem, &v->rule_refs, ref);
	}
}

/*
 * permission.evaluated precedes everything that follows from the decision: the question, the
 * denial, the dispatch (GAP-35).
 */
static struct event *emit_verdict(struct decision *d, const struct st_thread *th,
                                  const struct st_turn *t, const struct st_call *c,
                                  struct rec_permission_decision *v)
{
	name_verdict(d, c, v);

	struct event *ev = decision_in_call(
		EMIT(d, PERMISSION_EVALUATED, permission_evaluated, .decision = v->decision,
	             .decision_source = v->decision_source, .subject = DECISION_SUBJECT_TOOL,
	             .tool_name = c->tool_name, .destructive = v->destructive,
	             .has_destructive = true),
		th, t, c);

	ev->permission_decision = v;
	ev->process_id = tool_args_process(d, c);
	return ev;
}

/* Obligations of a policy that the runtime cannot meet: the approver accepts that. */
static struct str unkept_of(struct decision *d, const struct st_call *c)
{
	struct str unkept = STR_NONE;

	for (uint32_t i = 0; i < c->policy_records.count && !str_is(unkept); i++)
		unkept = external_record_unkept(d->mem, c->policy_records.items[i]);
	return unkept;
}

/*
 * The beginning and the end of a long text: what a line does last must not be hidden by what comes
 * before.
 */
static struct str both_ends(struct decision *d, struct str args)
{
	const size_t tail = LIMIT_PROMPT_INPUT_BYTES / 3, head = LIMIT_PROMPT_INPUT_BYTES - tail;
	/* Runs of blanks must not push the important part out of the preview. */
	struct str all = reveal(d->mem, str_head(args, 8192), false), end = all;

	if (args.len <= 8192 && all.len <= LIMIT_PROMPT_INPUT_BYTES)
		return all;
	if (args.len > 8192)
		end = reveal(d->mem, utf8_tail(args, 8192), false);
	return arena_printf(d->mem, "%.*s […] %.*s (of %zu bytes, some are left out)",
	                    STR_ARG(utf8_head(all, head)), STR_ARG(utf8_tail(end, tail)), args.len);
}

/*
 * The prompt shows arguments without secrets, control characters and long runs of blanks: an agent
 * that wants consent must not be able to hide part of its command.
 */
static struct str question_of(struct decision *d, const struct st_call *c,
                              const struct rec_sandbox_override *more, struct str refused)
{
	struct str with = both_ends(d, tool_args_of_call(d, c));
	struct str unkept = unkept_of(d, c);

	struct str duty =
		!str_is(unkept) ? STR("")
				: arena_printf(d->mem, " A policy obliges you to see to this: %.*s",
	                                       STR_ARG(utf8_preview(d->mem, unkept, 300)));

	if (str_is(refused))
		duty = arena_printf(
			d->mem,
			" Even if you allow it, the sandbox keeps it from writing %.*s.%.*s",
			STR_ARG(utf8_preview(d->mem, reveal(d->mem, refused, false), 200)),
			STR_ARG(duty));
	if (!more)
		return arena_printf(d->mem, "Allow %.*s with %.*s?%.*s", STR_ARG(c->tool_name),
		                    STR_ARG(with), STR_ARG(duty));
	return arena_printf(d->mem,
	                    "%s %.*s with %.*s? It needs access beyond the sandbox: %.*s.%.*s",
	                    c->sandbox_mode ? "Run again" : "Allow", STR_ARG(c->tool_name),
	                    STR_ARG(with), STR_ARG(escalation_text(d->mem, more)), STR_ARG(duty));
}

static size_t match_bytes(const struct rec_grant_match *m)
{
	size_t bytes = m->tool.len + m->path.len + m->path_real.len + m->host.len +
	               m->definition.len + m->cwd.len + m->script.len + m->script_real.len +
	               m->script_hash.len;

	for (uint32_t i = 0; i < m->command.count; i++)
		bytes += m->command.items[i].len;
	return bytes;
}

/*
 * The scopes of an approval and what the wider ones would cover, so that people see it before they
 * choose one.  A call that no grant can cover, and one whose grants are too long to be listed, is
 * asked about every time.
 */
static void offer_scopes(struct decision *d, const struct permission_ask *ask,
                         struct rec_decision_option *allow)
{
	struct permission_grants wider;
	bool can_widen = permission_grants(ask, &wider);
	size_t bytes = 0;

	for (uint32_t i = 0; can_widen && i < wider.count; i++)
		bytes += match_bytes(&wider.items[i]);
	if (!can_widen || bytes > LIMIT_SHOWN_GRANT_BYTES) {
		allow->scopes = STRINGS(d, STR("once"));
		return;
	}
	allow->scopes = STRINGS(d, STR("once"), STR("turn"), STR("session"), STR("workspace"));
	for (uint32_t i = 0; i < wider.count; i++) {
		struct rec_grant_match *m =
			rec_list_add(d->mem, &allow->covers, &rec_grant_match_desc);

		*m = wider.items[i];
	}
}

/*
 * more: access beyond the sandbox, if that is the question; why: the call's reason.  Otherwise an
 * approval also grants what the call is known to need.  Emits the decision, permission.requested
 * and action.required.  The action holds everything that an approval covers: the arguments as
 * shown, the access beyond the sandbox, the deadline.  Approvers may edit the input of an ordinary
 * call, but not that of an escalation, whose access was computed for exactly these arguments.
 */
static void ask_permission(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, struct rec_permission_decision *v,
                           struct rec_sandbox_override *more, struct str why)
{
	struct str action_id = decision_new_id(d, "act");
	int64_t until = d->now + d->settings->action_timeout_ms;
	struct permission_ask ask = permission_of(d, turn_call_tool(d, c), c);
	struct event *ev = emit_verdict(d, th, t, c, v);
	struct rec_decision_option *allow, *deny;
	bool is_escalation = more != NULL;
	struct str refused = STR_NONE;

	if (!more)
		more = escalation_need_implied(d, c, &refused);

	struct ev_action_required p = {
		.action_type = is_escalation ? ACTION_TYPE_ESCALATION : ACTION_TYPE_TOOL_PERMISSION,
		.tool_name = c->tool_name,
		.decision_kind = DECISION_KIND_ALLOW_OR_DENY,
		.prompt = question_of(d, c, more, refused),
		.schema = STR("{\"type\":\"object\"}"),
		.scope =
			KEPT(d, struct rec_action_scope, .turn_id = t->turn_id, .cwd = d->w->s->cwd,
		             .paths = more        ? escalation_paths(d->mem, more)
		                      : v->impact ? v->impact->paths
		                                  : NO_STRINGS,
		             .host = more && more->hosts.count ? more->hosts.items[0] : STR_NONE),
		.policy = KEPT(d, struct rec_action_policy, .decision_id = v->decision_id,
		               .destructive = v->destructive, .rule_refs = v->rule_refs),
		.wait = action_emit_wait(d, WAIT_FOR_PERMISSION, until),
		.on_expiry = APPROVAL_DECISION_DENY,
		.parent_thread_id = th->parent_thread_id,
		.subagent_id = action_emit_asking_child(d, th),
		.override = more,
		.reason = why,
		.input_ref = str_is(c->args) ? STR_NONE : c->shown_ref,
		.input_bytes = (int64_t)call_input_text(d, c).len,
		.has_input_bytes = !str_is(c->args),
	};

	for (uint32_t i = 0; i < c->policy_records.count; i++)
		external_record_add(d->mem, &p.policy->policy_records, c->policy_records.items[i]);
	ev->action_id = action_id;
	v->approval_action_id = action_id;
	v->expires_at = until;
	ev = decision_in_call(EMIT(d, PERMISSION_REQUESTED, permission_requested,
	                           .from = ASK_FROM_HUMAN, .tool_name = c->tool_name,
	                           .expires_at = until, .on_expiry = APPROVAL_DECISION_DENY),
	                      th, t, c);
	ev->action_id = action_id;
	ev->process_id = tool_args_process(d, c);
	ev->status = STATUS_WAITING_PERMISSION;
	allow = rec_list_add(d->mem, &p.decisions, &rec_decision_option_desc);
	allow->decision = APPROVAL_DECISION_ALLOW;
	if (more)
		allow->scopes = STRINGS(d, STR("once"));
	else
		offer_scopes(d, &ask, allow);
	allow->may_edit_input = allow->has_may_edit_input = !is_escalation;
	deny = rec_list_add(d->mem, &p.decisions, &rec_decision_option_desc);
	deny->decision = APPROVAL_DECISION_DENY;
	deny->may_give_reason = deny->has_may_give_reason = true;
	ev = decision_in_call(decision_emit_event(d, EV_ACTION_REQUIRED, &p), th, t, c);
	if (str_is(p.input_ref))
		decision_add_ref(d, ev, STR("input"), p.input_ref);
	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_WAITING_PERMISSION);
	action_emit_waiting(d, th, t, c, action_id, STATUS_WAITING_PERMISSION, until,
	                    arena_printf(d->mem, "%.*s asks for consent", STR_ARG(c->tool_name)));
}

/* ---- questions ---- */

/* The schema of an answer: the caller's, one of the options, or any text. */
static struct str response_schema(struct decision *d, struct json args)
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

/* Asks a person a question for a running call.  Returns the action's id. */
static struct str emit_question(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, const struct st_call *c, struct str prompt,
                                struct str schema, struct str requests)
{
	int64_t until = d->now + d->settings->question_timeout_ms;
	struct ev_action_required p = {
		.input_requests = requests,
		.action_type = ACTION_TYPE_STRUCTURED_INPUT,
		.decision_kind = DECISION_KIND_ANSWER_OR_DECLINE,
		.prompt = utf8_preview(d->mem, prompt, 2000),
		.schema = schema,
		.wait = action_emit_wait(d, WAIT_FOR_INPUT, until),
	};

	return action_emit_required(d, th, t, c, &p, APPROVAL_DECISION_ANSWER,
	                            APPROVAL_DECISION_DECLINE, STATUS_WAITING_INPUT);
}

/*
 * Asks for the acceptance of a plan or for a sign-in: the answer is allow or deny, without a value.
 * Returns the action's id.
 */
static struct str emit_consent(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t, const struct st_call *c,
                               enum action_type type, struct str prompt)
{
	bool is_plan = type == ACTION_TYPE_PLAN;
	int64_t until = d->now + d->settings->question_timeout_ms;
	struct ev_action_required p = {
		.action_type = type,
		.decision_kind = is_plan ? DECISION_KIND_APPROVE_OR_REVISE
		                         : DECISION_KIND_PROVIDE_OR_DECLINE,
		.prompt = utf8_preview(d->mem, prompt, 2000),
		.mode_after = is_plan ? plan_mode_after(d->w, d->settings, true) : 0,
		.wait = action_emit_wait(d, is_plan ? WAIT_FOR_PERMISSION : WAIT_FOR_RESOURCE,
		                         until),
	};

	return action_emit_required(d, th, t, c, &p, APPROVAL_DECISION_ALLOW,
	                            APPROVAL_DECISION_DENY,
	                            is_plan ? STATUS_WAITING_PERMISSION : STATUS_WAITING_RESOURCE);
}

/*
 * ask_user and exit_plan: the question is the whole effect of the call.  The dispatch mark makes it
 * survive a restart; asks_user, set by the fold, tells recovery that nothing was lost.
 */
static void ask_person(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, const struct tool_info *tool,
                       struct rec_permission_decision *v)
{
	struct json args;
	struct event *ev;

	emit_verdict(d, th, t, c, v);
	if (!d->settings->is_interactive) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED, tool_error_no_person_to_ask());
		return;
	}
	if (tool->own == OWN_TOOL_EXIT_PLAN &&
	    permission_mode_of(d->w, d->settings) != PERMISSION_MODE_PLAN) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED, tool_error_not_in_plan_mode());
		return;
	}
	ev = decision_in_call(
		EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_DISPATCHED), th, t,
		c);
	ev->status = STATUS_RUNNING;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	if (json_read_trusted(d->mem, call_input_text(d, c), &args, NULL) != OK)
		return;
	if (tool->own == OWN_TOOL_EXIT_PLAN) {
		emit_consent(d, th, t, c, ACTION_TYPE_PLAN, json_str(JSON_GET(args, "plan")));
		return;
	}
	emit_question(d, th, t, c, json_str(JSON_GET(args, "question")), response_schema(d, args),
	              STR_NONE);
}

/* ---- the steps of one call ---- */

/*
 * The last event before an effect.  A tool outside a per-call sandbox cannot be narrowed, so a call
 * with an obligation to a narrower one fails instead of running wider.
 */
static void dispatch_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct event *ev;

	if (tool && !tool_is_sandboxed_by_call(tool) && !tool->own && !tool->is_client &&
	    process_call_is_narrowed(d->mem, d->w, d->settings, c)) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED, tool_error_no_narrow_sandbox());
		return;
	}
	if (tool && tool->own) {
		agent_tool_dispatch(d, th, t, c);
		return;
	}
	if (tool && tool->is_client) {
		client_tool_dispatch(d, th, t, c);
		return;
	}
	if (tool && tool->is_sandboxed) {
		process_call_sandbox(d, th, t, c, tool);
		return;
	}
	ev = decision_in_call(
		EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_DISPATCHED), th, t,
		c);
	ev->status = STATUS_RUNNING;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	/* The ref of its output, readable from the first byte on (GAP-54). */
	ev->output_ref = decision_new_id(d, "out");
}

/* The decision is not folded yet, so tool.failed takes it from a copy of the call. */
static void deny_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, struct rec_permission_decision *v)
{
	struct st_call denied = *c;

	denied.permission = emit_verdict(d, th, t, c, v)->permission_decision;
	tool_emit_failed(d, th, t, &denied, STATUS_FAILED,
	                 v->decision == APPROVAL_DECISION_UNAVAILABLE
	                         ? tool_error_not_available(d->mem, v->decision_reason)
	                         : tool_error_denied(d->mem, v->decision_reason));
}

/* Its input cannot be read, so it cannot be evaluated and does not run. */
static void refuse_lost(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct st_call *c)
{
	struct rec_permission_decision *v = ARENA_NEW(d->mem, struct rec_permission_decision);

	v->decision = APPROVAL_DECISION_DENY;
	v->decision_source = DECISION_SOURCE_TOOL_CONTRACT;
	v->decision_reason =
		STR("The input of the call cannot be read, so it cannot be evaluated.");
	v->scope = GRANT_SCOPE_ONCE;
	v->mode = permission_mode_of_turn(d, t);
	v->rule_refs = STRINGS(d, STR("rule:input"));
	deny_call(d, th, t, c, v);
}

/* The person who edited the input has thereby approved exactly this input. */
static bool is_approved(const struct st_call *c)
{
	return str_is(c->approved_ref) && str_is(c->args_ref) &&
	       str_eq(c->approved_ref, c->args_ref);
}

/*
 * False while a hook runs, or its input is read.  The order is part of the security model:
 * arguments are validated, hooks may block, then rules, mode, grants and bounds are evaluated, then
 * access beyond the sandbox, and only at the end a person is asked.  No later source can allow what
 * an earlier one denied.  Each step may need an event first; the function is called again from the
 * start afterwards.
 */
static bool evaluate_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c)
{
	const struct tool_info *tool = turn_tool_of(d, t, c->tool_name);
	struct rec_permission_decision *v;
	struct permission_ask ask;
	enum hooks_state hooks;
	struct rec_sandbox_override *more;
	struct str args, why = STR_NONE;

	if (!tool) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 tool_error_unknown_tool(d->mem, c->tool_name));
		return true;
	}
	if (!c->valid) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 tool_error_bad_arguments(d->mem, c->message));
		return true;
	}
	switch (call_input(d, c, &args)) {
	case CALL_INPUT_WANTED:
		return false;
	case CALL_INPUT_LOST:
		refuse_lost(d, th, t, c);
		return true;
	default:
		break;
	}
	hooks = hook_step(d, th, t, c, HOOK_POINT_PRE_TOOL_USE);
	if (hooks != HOOKS_OVER)
		return hooks == HOOKS_STARTED;
	if (c->hook_failed || c->hook_decision == HOOK_DECISION_BLOCK) {
		why = str_is(c->hook_reason) ? c->hook_reason : STR("A hook blocked it.");
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 c->hook_failed ? tool_error_hook_failed(d->mem, why)
		                                : tool_error_hook_blocked(d->mem, why));
		return true;
	}
	ask = permission_of(d, tool, c);
	v = ARENA_NEW(d->mem, struct rec_permission_decision);
	permission_judge_bound(d, &ask, th->thread_id, t->task_id, v);
	more = tool->is_sandboxed ? escalation_requested(d->mem, args, &why) : NULL;
	if (more)
		escalation_evaluate(d, v);
	/*
	 * An input that a person edited is evaluated again by hooks and rules; if those would only
	 * ask, that person has answered already.
	 */
	if (v->decision == APPROVAL_DECISION_ASK && !more && is_approved(c)) {
		v->decision = APPROVAL_DECISION_ALLOW;
		v->decision_source = DECISION_SOURCE_HUMAN;
		v->decision_reason = arena_printf(d->mem, "allowed with this input: %.*s",
		                                  STR_ARG(v->decision_reason));
	}
	if (v->decision == APPROVAL_DECISION_ASK) {
		hooks = hook_step(d, th, t, c, HOOK_POINT_PERMISSION_REQUEST);
		if (hooks != HOOKS_OVER)
			return hooks == HOOKS_STARTED;
	}
	if (v->decision == APPROVAL_DECISION_DENY || v->decision == APPROVAL_DECISION_UNAVAILABLE)
		deny_call(d, th, t, c, v);
	else if (v->decision == APPROVAL_DECISION_ASK)
		ask_permission(d, th, t, c, v, more, why);
	else if (tool->asks_user)
		ask_person(d, th, t, c, tool, v);
	else {
		emit_verdict(d, th, t, c, v);
		dispatch_call(d, th, t, c);
	}
	return true;
}

/* The hooks after a call of this round; earlier rounds have run theirs. */
static enum hooks_state step_after(struct decision *d, const struct st_thread *th,
                                   const struct st_turn *t, const struct st_call *c)
{
	if (c->ended_sequence < t->request_sequence)
		return HOOKS_OVER;
	return hook_step(d, th, t, c,
	                 c->status == STATUS_COMPLETED ? HOOK_POINT_POST_TOOL_USE
	                                               : HOOK_POINT_POST_TOOL_FAILURE);
}

/*
 * A rule that was added while the approval was pending: what it denies does not run, whatever the
 * answer.  Also a change of the mode to plan while the question was open.
 */
static bool is_forbidden(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c)
{
	const struct tool_info *tool = turn_call_tool(d, c);
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
	const struct st_action *a =
		str_is(c->action_id) ? state_thread_action(th, c->action_id) : NULL;

	return a && action_is_pending(a);
}

/*
 * The sandbox denied an operation: hooks run before a person is asked for more access.  False while
 * one runs.
 */
static bool ask_after_hooks(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct st_call *c)
{
	enum hooks_state hooks = hook_step(d, th, t, c, HOOK_POINT_PERMISSION_REQUEST);
	struct rec_permission_decision *v = NULL;
	struct rec_sandbox_override *more;
	bool is_forbidden_by_hook = c->hook_failed || c->hook_decision == HOOK_DECISION_DENY ||
	                            c->hook_decision == HOOK_DECISION_BLOCK;

	if (hooks != HOOKS_OVER)
		return hooks == HOOKS_STARTED;
	more = is_forbidden_by_hook ? NULL : escalation_need_after_denial(d, c, &v);
	if (more)
		ask_permission(d, th, t, c, v, more, c->message);
	else
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 tool_error_sandbox_denied_unasked(
					 d->mem, is_forbidden_by_hook && str_is(c->hook_reason)
							 ? c->hook_reason
							 : STR("a hook or the mode forbids it")));
	return true;
}

static struct str refusal_of(const struct st_call *c)
{
	return c->permission ? c->permission->decision_reason : STR("not permitted");
}

/* It ran, the sandbox denied an operation, and no further access was granted. */
static void fail_refused(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c)
{
	tool_emit_failed(d, th, t, c, STATUS_FAILED,
	                 tool_error_sandbox_denied_after(d->mem, refusal_of(c)));
}

/* Calls that rules decide on are still open, and the rules have changed. */
static bool rules_moved(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct event *ev = NULL;

	for (uint32_t i = 0; !ev && i < th->calls.count; i++)
		if (str_eq(th->calls.items[i]->turn_id, t->turn_id) &&
		    !call_is_over(th->calls.items[i]) && !th->calls.items[i]->dispatched)
			ev = permission_decide_policy_moved(d);
	if (ev)
		decision_in_turn(ev, th, t);
	return ev != NULL;
}

/* Reads run side by side.  The caller gets all its calls at once and orders them itself. */
static bool runs_beside_others(const struct decision *d, const struct st_turn *t,
                               const struct st_call *c)
{
	return (c->read_only && c->concurrency_safe) ||
	       (t->tools.count && client_tool_info_find(d->mem, t, c->tool_name));
}

/*
 * One transition of one call; false when every open call waits for an input.  Walks the calls of
 * the turn in the model's order and makes the first transition that is possible:
 *
 *     opened ─► evaluated ─► dispatched ─► ended ─► hooks after it
 *                 │  ▲           │
 *                 ▼  │ answer    ▼ denied by the sandbox
 *               action pending ◄─┘
 *
 * A call that may not run beside others stops the walk until it has ended.
 */
bool turn_tool_step_calls(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	bool alone = true; /* no earlier call is open */
	struct str args;

	if (rules_moved(d, th, t))
		return true;
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];
		bool together = runs_beside_others(d, t, c);

		if (!str_eq(c->turn_id, t->turn_id))
			continue;
		if (call_is_over(c)) {
			enum hooks_state after = step_after(d, th, t, c);

			if (after == HOOKS_STARTED)
				return true;
			alone &= after == HOOKS_OVER;
			continue;
		}
		/* Something before it is open, and the order of effects must be the model's. */
		if (!alone && !together)
			return false;
		if (!c->judged) {
			if (evaluate_call(d, th, t, c))
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
			enum call_input_state input = call_input(d, c, &args);

			/*
			 * A large input is read back by the engine; the step is repeated with it.
			 */
			if (call_decision(c) == APPROVAL_DECISION_ALLOW &&
			    input == CALL_INPUT_WANTED) {
				if (!together)
					return false;
				alone = false;
				continue;
			}
			if (call_decision(c) == APPROVAL_DECISION_ALLOW &&
			    input == CALL_INPUT_LOST) {
				refuse_lost(d, th, t, c);
			} else if (call_decision(c) == APPROVAL_DECISION_ALLOW) {
				if (!is_forbidden(d, th, t, c))
					dispatch_call(d, th, t, c);
			} else if (c->sandbox_mode) {
				fail_refused(d, th, t, c);
			} else {
				tool_emit_failed(d, th, t, c, STATUS_FAILED,
				                 tool_error_denied(d->mem, refusal_of(c)));
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
	if (t->kind == TURN_KIND_CALL) {
		turn_call_end(d, th, t);
		return true;
	}
	/* The round has ended: request the model again, within limits, with the current tools. */
	/* A tool server may have connected or changed its tools since the last request. */
	if (turn_start_has_other_tools(d, th, t)) {
		turn_start_emit_inventory(d, th, t);
		return true;
	}
	if (t->request_number >= d->settings->max_steps) {
		struct event *ev = decision_in_turn(
			EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_MAX_STEPS,
		             .message = STR("The turn made as many model requests as it may.")),
			th, t);

		ev->status = STATUS_FAILED;
		return true;
	}
	return turn_start_request_model(d, th, t);
}

/*
 * spec: PRM-06 — restricted first; access that the sandbox denied is asked for afterwards.  With a
 * hook that decides on permissions, only the intent is recorded here; ask_after_hooks() continues
 * when the hook has answered.  A stopping turn asks nothing.
 */
bool turn_tool_call_asks_more(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, const struct st_call *c,
                              const struct tool_end *e)
{
	struct rec_permission_decision *v = NULL;
	struct rec_sandbox_override *more;

	if (e->cancelled || e->category != ERROR_CATEGORY_SANDBOX_DENIED ||
	    t->stage == TURN_STAGE_STOPPING)
		return false;
	more = escalation_need_after_denial(d, c, &v);
	if (!more)
		return false;
	if (hook_is_due(d, t, c, HOOK_POINT_PERMISSION_REQUEST))
		emit_verdict(d, th, t, c, v)->status_reason = utf8_preview(d->mem, e->message, 500);
	else
		ask_permission(d, th, t, c, v, more, utf8_preview(d->mem, e->message, 500));
	return true;
}

/* ---- inputs ---- */

/* Negative numbers mean that the tool reported none. */
void turn_tool_progress(struct decision *d, struct str turn_id, struct str call_id,
                        struct str message, int64_t completed, int64_t total)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	decision_in_call(EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_PROGRESS,
	                      .message = message, .completed = completed,
	                      .has_completed = completed >= 0, .total = total,
	                      .has_total = total >= 0),
	                 th, t, c);
}

void turn_tool_remote(struct decision *d, struct str turn_id, struct str call_id,
                      struct str task_ref)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	decision_in_call(EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_ACCEPTED,
	                      .message = STR("The tool server runs it as a task"),
	                      .remote_task_ref = task_ref),
	                 th, t, c);
}

struct str turn_tool_question(struct decision *d, struct str turn_id, struct str call_id,
                              struct str prompt, struct str schema, struct str requests)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	/* A client answers by itself, so it is asked where no person can be. */
	if (!c || call_is_over(c) || !c->dispatched || t->stage == TURN_STAGE_STOPPING ||
	    (!d->settings->is_interactive && !str_is(requests)))
		return STR_NONE;
	return emit_question(d, th, t, c, prompt, schema, requests);
}

void turn_tool_log(struct decision *d, struct str turn_id, struct str call_id, int64_t level,
                   struct str logger, struct str data)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched || t->stage == TURN_STAGE_STOPPING)
		return;
	decision_in_call(EMIT(d, TOOL_PROGRESS, tool_progress, .kind = TOOL_PROGRESS_KIND_LOG,
	                      .level = (enum tool_log_level)level, .logger = logger, .data = data),
	                 th, t, c);
}

/* A page to sign in; its address must stay whole, so the prompt may be longer than a question's. */
static struct str emit_login(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct st_call *c, struct str prompt,
                             struct str schema)
{
	int64_t until = d->now + d->settings->question_timeout_ms;
	struct ev_action_required p = {
		.action_type = ACTION_TYPE_CREDENTIAL,
		.decision_kind = DECISION_KIND_PROVIDE_OR_DECLINE,
		.prompt = utf8_preview(d->mem, prompt, LOGIN_PROMPT_MAX),
		.schema = schema,
		.wait = action_emit_wait(d, WAIT_FOR_RESOURCE, until),
	};

	return action_emit_required(d, th, t, c, &p, APPROVAL_DECISION_ANSWER,
	                            APPROVAL_DECISION_DECLINE, STATUS_WAITING_RESOURCE);
}

struct str turn_tool_login(struct decision *d, struct str turn_id, struct str call_id,
                           struct str prompt, struct str schema)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched || t->stage == TURN_STAGE_STOPPING ||
	    !d->settings->is_interactive)
		return STR_NONE;
	return str_is(schema) ? emit_login(d, th, t, c, prompt, schema)
	                      : emit_consent(d, th, t, c, ACTION_TYPE_CREDENTIAL, prompt);
}

void turn_tool_signed_in(struct decision *d, struct str turn_id, struct str call_id)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (c && !call_is_over(c))
		action_settle(d, th, t, c, STR("the person has done it in a browser"));
}

void turn_tool_withdrawn(struct decision *d, struct str turn_id, struct str call_id)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (c && !call_is_over(c))
		action_withdraw(d, th, t, c, STR("the tool server withdrew the question"));
}

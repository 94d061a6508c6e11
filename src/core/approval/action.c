/*
 * Actions: questions to people and policy engines, and what an answer causes.
 *
 * action.required opens an action and action.resolved closes it, exactly once.
 * The first answer counts; later ones are refused and get the first one with
 * the refusal.  Without an answer the stated default applies at the deadline.
 * spec: contracts/control-plane#action-requests; GAP-56
 */
#include "core/task/task_bounds.h"
#include "base/jw.h"
#include "core/turn/turn.h"

#include "schema/schema.h"
#include "base/utf8.h"
#include "core/channel/channel.h"
#include "core/approval/escalation.h"
#include "core/gen/tables.h"
#include "core/approval/permission.h"
#include "core/approval/plan_mode.h"
#include "core/approval/policy_answer.h"
#include "core/tool/tool_args.h"
#include "core/tool/tool_emit.h"
#include "policy/external_record.h"

/*
 * One answer on its way through the events that it causes.  Filled by a command, by a deadline or
 * by a withdrawal.
 */
struct response {
	const struct st_thread *th;
	const struct st_turn *t;
	const struct st_action *a;
	const struct st_call *c; /* NULL: not about a call */
	enum approval_decision decision;
	enum decision_source source;
	enum grant_scope scope;
	enum status status; /* completed, timed_out */
	struct rec_actor *by;
	struct str reason;
	struct str input;          /* edited arguments, JSON */
	struct str input_ref;      /* the blob that stores them */
	struct str payload;        /* an answer, JSON */
	struct list_str rule_refs; /* of a policy that answered */
	/* the answer as an Agent Policy record; NULL: a plain answer */
	struct rec_policy_record *policy;
	int64_t grant_until;
	struct str grant_id; /* the first one, if there are several */
};

static struct event *about_action(struct event *ev, const struct response *an)
{
	decision_in_turn(ev, an->th, an->t);
	ev->step_id = an->a->step_id;
	ev->tool_call_id = an->a->tool_call_id;
	ev->action_id = an->a->action_id;
	return ev;
}

/* A decision that came over a channel is recorded (channel.*) before the answer. */
static void emit_returned(struct decision *d, const struct response *an)
{
	struct event *ev;

	if (!d->call || !d->call->channel)
		return;
	channel_bind(d);
	ev = about_action(EMIT(d, CHANNEL_PERMISSION_RETURNED, channel_permission_returned,
	                       .decision = an->decision, .decided_side = DECIDED_SIDE_REMOTE,
	                       .source = BRIDGE_SOURCE_RESPONSE, .channel_scoped = false,
	                       .reason = an->reason),
	                  an);
	ev->channel_id = d->call->channel->channel_id;
}

/*
 * The answer and an edited input are stored behind refs, because either may be larger than an
 * event; a short answer is shown in the event as well.
 */
static void emit_resolved(struct decision *d, struct response *an)
{
	struct ev_action_resolved p = {
		.decision = an->decision,
		.decided_by = an->by,
		.waited_ms = since(d, an->a->requested_at),
		.scope = an->decision == APPROVAL_DECISION_ALLOW ? an->scope : 0,
		.reason = an->reason,
		.action_type = an->a->action_type,
	};
	struct event *ev;

	if (str_is(an->payload)) {
		p.answer_ref = decision_new_blob(d, STR("application/json"), an->payload);
		/* The answer to a login is for the tool alone. */
		if (an->payload.len <= LIMIT_PREVIEW &&
		    an->a->action_type != ACTION_TYPE_CREDENTIAL)
			p.answer_preview = an->payload;
	}
	if (str_is(an->input))
		p.input_ref = an->input_ref =
			decision_new_blob(d, STR("application/json"), an->input);
	ev = about_action(decision_emit_event(d, EV_ACTION_RESOLVED, &p), an);
	ev->status = an->status;
	if (str_is(p.answer_ref))
		decision_add_ref(d, ev, STR("answer"), p.answer_ref);
	if (str_is(p.input_ref))
		decision_add_ref(d, ev, STR("input"), p.input_ref);
}

/* The call as it will run: with the edited input, if there is one. */
static struct permission_ask ask_of(struct decision *d, const struct response *an)
{
	struct permission_ask ask = permission_of(d, turn_call_tool(d, an->c), an->c);

	if (str_is(an->input))
		ask.args = an->input;
	return ask;
}

/* An edited call may reach other things than the question described. */
static void describe_edited(struct decision *d, const struct response *an,
                            struct rec_permission_decision *r)
{
	struct permission_ask ask = ask_of(d, an);
	struct rec_permission_decision now = { 0 };

	if (!ask.tool)
		return;
	permission_judge(&ask, &now);
	r->updated_input_ref = an->input_ref;
	r->destructive = now.destructive;
	r->impact = now.impact;
	r->rollback_advice = now.rollback_advice;
	r->subcommands = now.subcommands;
	r->path_check = now.path_check;
	r->network_decision = now.network_decision;
}

/*
 * The decision of the evaluation, with the answer in place of the question.  Rules and records that
 * were consulted stay listed.
 */
static void emit_permission(struct decision *d, const struct response *an)
{
	struct rec_permission_decision *r =
		an->c->permission
			? rec_clone(d->mem, &rec_permission_decision_desc, an->c->permission)
			: ARENA_NEW(d->mem, struct rec_permission_decision);
	struct event *ev = about_action(
		EMIT(d, PERMISSION_RESOLVED, permission_resolved, .decision = an->decision,
	             .decision_source = an->source, .updated_input_ref = an->input_ref),
		an);

	ev->process_id = tool_args_process(d, an->c);
	if (str_is(an->input)) {
		describe_edited(d, an, r);
		decision_add_ref(d, ev, STR("input"), an->input_ref);
	}
	r->decision = an->decision;
	r->decision_source = an->source;
	r->scope = an->scope;
	if (an->policy)
		external_record_add(d->mem, &r->policy_records, an->policy);
	if (an->grant_until)
		r->expires_at = an->grant_until;
	for (uint32_t i = 0; i < an->rule_refs.count; i++)
		if (rec_list_str_find(&r->rule_refs, an->rule_refs.items[i]) < 0)
			rec_list_str_add(d->mem, &r->rule_refs, an->rule_refs.items[i]);
	r->decision_reason =
		str_is(an->reason)               ? an->reason
		: an->status == STATUS_TIMED_OUT ? STR("no answer arrived in time")
		: an->decision == APPROVAL_DECISION_ALLOW
			? arena_printf(d->mem, "allowed by %.*s for: %.*s",
	                               STR_ARG(an->by->principal),
	                               STR_ARG(grant_scope_word(an->scope)))
			: arena_printf(d->mem, "denied by %.*s", STR_ARG(an->by->principal));
	ev->status = an->status;
	ev->permission_decision = r;
}

/*
 * Are these the grants that the question listed?  A script may have changed since, and the person
 * approved what was listed.  An edited call is the person's own; a question of an earlier version
 * and one with a long list show no grants.
 */
static bool is_as_shown(struct decision *d, const struct response *an,
                        const struct permission_grants *g)
{
	struct json options, covers, each;
	struct str key;
	uint32_t n = 0;

	if (str_is(an->input) || json_read_trusted(d->mem, an->a->decisions, &options, NULL) != OK)
		return true;
	covers = JSON_GET(json_at(options, 0), "covers");
	if (!json_count(covers))
		return true;
	struct json_iter it = json_iter(covers);

	while (json_next(&it, &key, &each)) {
		struct rec_grant_match shown;
		struct str field;
		struct error e;

		if (n == g->count ||
		    rec_read(d->mem, each, &rec_grant_match_desc, REC_TRUSTED, &shown, &e) != OK ||
		    !rec_same(&rec_grant_match_desc, &shown, &g->items[n++], &field))
			return false;
	}
	return n == g->count;
}

/*
 * What an approval with a wider scope than `once` covers.  Without grants that cover the call
 * exactly and were shown, it counts once, whatever scope was given.
 */
static bool grants_of(struct decision *d, const struct response *an, struct permission_grants *ret)
{
	struct permission_ask ask = ask_of(d, an);

	return an->decision == APPROVAL_DECISION_ALLOW && an->scope > GRANT_SCOPE_ONCE &&
	       ask.tool && permission_grants(&ask, ret) && is_as_shown(d, an, ret);
}

/* A grant per act of the call, each revocable alone. */
static void emit_grant(struct decision *d, struct response *an)
{
	struct permission_grants g;
	uint32_t held = d->w->s->grants.count;

	if (!grants_of(d, an, &g))
		return;
	for (uint32_t i = 0; i < g.count; i++) {
		struct str id = decision_new_id(d, "grant");

		if (!i)
			an->grant_id = id;
		/* Beyond the session, a grant is bound to the directory in which it was given. */
		about_action(
			EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_GRANT_ADDED,
		             .grant_id = id, .scope = an->scope,
		             .match = decision_kept(d, &g.items[i], sizeof g.items[i]),
		             .source = an->source == DECISION_SOURCE_HUMAN ? POLICY_SOURCE_HUMAN
		                                                           : POLICY_SOURCE_HOST,
		             .cwd = an->scope > GRANT_SCOPE_SESSION
		                            ? task_bounds_cwd(d->w, d->settings, an->c->turn_id)
		                            : STR_NONE,
		             .expires_at = an->grant_until, .revocable = true,
		             .has_revocable = true,
		             .before = arena_printf(d->mem, "rule:grants:%u", held + i),
		             .after = arena_printf(d->mem, "rule:grants:%u", held + i + 1)),
			an);
	}
}

/* spec: GAP-56 — an edited input is recorded by reference, before it runs. */
static void emit_edited(struct decision *d, const struct response *an)
{
	bool is_redacted;
	struct str safe;

	if (!str_is(an->input))
		return;
	safe = tool_args_shown(d, an->c, an->input, &is_redacted);
	struct ev_tool_args p = {
		.kind = ARGS_KIND_UPDATED,
		.updated_by = UPDATED_BY_HUMAN,
		.safe_args = safe.len <= LIMIT_INLINE_ARGS ? safe : STR_NONE,
		.valid = true,
		.bytes = (int64_t)an->input.len,
		.has_bytes = true,
		.action_id = an->a->action_id,
	};
	struct event *ev;

	p.redacted = p.has_redacted = is_redacted;
	p.input_ref = an->input_ref;
	p.previous_input_ref = tool_args_ref(d, an->c);
	p.safe_args_ref = tool_args_shown_ref(d, &p, safe);
	ev = about_action(decision_emit_event(d, EV_TOOL_ARGS, &p), an);
	decision_add_ref(d, ev, STR("input"), p.input_ref);
	decision_add_ref(d, ev, STR("previousInput"), p.previous_input_ref);
	tool_args_add_shown(d, ev, &p);
}

/* The person's answer is the tool's result. */
static void emit_answer(struct decision *d, const struct response *an)
{
	struct json v;
	struct str text;

	if (an->decision == APPROVAL_DECISION_ANSWER) {
		text = an->payload;
		if (json_read_trusted(d->mem, an->payload, &v, NULL) == OK && json_count(v) == 1 &&
		    str_is(json_str(JSON_GET(v, "answer"))))
			text = json_str(JSON_GET(v, "answer"));
		tool_emit_text(d, an->th, an->t, an->c, utf8_preview(d->mem, text, LIMIT_PREVIEW),
		               false, an->payload);
		return;
	}
	text = an->status == STATUS_TIMED_OUT ? STR("No answer arrived in time.")
	       : str_is(an->reason)           ? an->reason
	                                      : STR("The person declined to answer.");
	tool_emit_text(d, an->th, an->t, an->c, text, true, STR_NONE);
}

/* A caller who may set the mode; a policy that answers is none. */
static bool is_by_owner(const struct decision *d, const struct response *an)
{
	return !an->policy && d->call && d->call->caller.scopes & 1u << SCOPE_ADMIN;
}

/*
 * An accepted plan switches from plan mode to the mode before it.  The right to answer a question
 * does not include the right to choose a mode with fewer questions than default has.
 */
static void emit_plan_answer(struct decision *d, const struct response *an)
{
	bool is_accepted = an->decision == APPROVAL_DECISION_ALLOW;
	enum permission_mode mode = plan_mode_after(d->w, d->settings, is_by_owner(d, an));
	struct str word = permission_mode_word(mode);
	struct str text = is_accepted ? arena_printf(d->mem,
	                                             "The plan was accepted. The mode is %.*s now: "
	                                             "carry the plan out.",
	                                             STR_ARG(word))
	                  : an->status == STATUS_TIMED_OUT
	                          ? STR("No answer arrived in time. The mode is still plan.")
	                  : str_is(an->reason)
	                          ? arena_printf(d->mem, "The plan was not accepted: %.*s",
	                                         STR_ARG(an->reason))
	                          : STR("The plan was not accepted. Revise it.");

	if (is_accepted && permission_mode_of(d->w, d->settings) == PERMISSION_MODE_PLAN)
		EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_MODE_CHANGED,
		     .scope = GRANT_SCOPE_SESSION, .source = POLICY_SOURCE_HUMAN, .mode = mode,
		     .before = STR("mode:plan"),
		     .after = arena_printf(d->mem, "mode:%.*s", STR_ARG(word)),
		     .reason = STR("the plan was accepted"));
	tool_emit_text(d, an->th, an->t, an->c, text, !is_accepted, STR_NONE);
}

static bool is_last_pending(const struct response *an)
{
	for (uint32_t i = 0; i < an->th->actions.count; i++) {
		const struct st_action *other = an->th->actions.items[i];

		if (other != an->a && action_is_pending(other) &&
		    str_eq(other->turn_id, an->a->turn_id))
			return false;
	}
	return true;
}

/* The task of a system turn may have ended, been paused or be cancelled while it asked. */
static bool may_resume(const struct response *an, const struct st_task *task)
{
	return an->t->kind != TURN_KIND_SYSTEM ||
	       task->record->status == TASK_STATUS_WAITING_INPUT ||
	       task->record->status == TASK_STATUS_WAITING_PERMISSION;
}

/* The turn continues when its last pending action is answered. */
static void emit_continues(struct decision *d, const struct response *an)
{
	const struct st_task *task = state_task(d->w, an->t->task_id);
	struct event *ev;

	/* An answer does not resume a turn that is stopping or lost. */
	if (!is_last_pending(an) || an->t->stage == TURN_STAGE_STOPPING ||
	    an->t->stage == TURN_STAGE_LOST)
		return;
	if (task && may_resume(an, task)) {
		ev = decision_in_turn(EMIT(d, TASK_RESUMED, task_resumed,
		                           .from = task->record->status,
		                           .cause = KEPT(d, struct rec_resume_cause,
		                                         .action_id = an->a->action_id)),
		                      an->th, an->t);
		ev->action_id = an->a->action_id;
		ev->status = STATUS_RUNNING;
		ev->phase = PHASE_WORKING;
		ev->task = KEPT(d, struct rec_task, .task_id = an->t->task_id,
		                .status = TASK_STATUS_RUNNING);
	}
	/* A system turn exists for its question alone and was never the thread's active one. */
	if (an->t->kind == TURN_KIND_SYSTEM) {
		ev = decision_in_turn(EMIT(d, TURN_COMPLETED, turn_completed,
		                           .outcome = TURN_OUTCOME_COMPLETED, .has_steps = true,
		                           .has_model_requests = true),
		                      an->th, an->t);
		ev->status = STATUS_COMPLETED;
		return;
	}
	/* An empty list clears what clients show; STRINGS() needs an item, so the count is set. */
	struct ev_thread_updated p = { .profile_status = STATUS_RUNNING,
		                       .active_turn_id = an->t->turn_id,
		                       .pending_action_ids = STRINGS(d, STR_NONE),
		                       .cause = STR("action.resolved") };

	p.pending_action_ids.count = 0;
	ev = decision_in_thread(decision_emit_event(d, EV_THREAD_UPDATED, &p), an->th);
	ev->turn_id = an->t->turn_id;
	ev->status = STATUS_RUNNING;
}

/*
 * The order of events: the channel's answer, the resolution, then its consequences, then the end of
 * the wait.
 */
static void resolve_action(struct decision *d, struct response *an)
{
	struct permission_grants g;

	if (action_permits(an->a) && an->c && an->decision == APPROVAL_DECISION_ALLOW &&
	    an->scope > GRANT_SCOPE_ONCE && !grants_of(d, an, &g))
		an->scope = GRANT_SCOPE_ONCE;
	emit_returned(d, an);
	emit_resolved(d, an);
	if (action_permits(an->a) && an->c) {
		emit_permission(d, an);
		emit_grant(d, an);
		emit_edited(d, an);
	} else if (an->c && an->a->action_type == ACTION_TYPE_PLAN) {
		emit_plan_answer(d, an);
	} else if (an->c && an->c->asks_user) {
		emit_answer(d, an);
	}
	emit_continues(d, an);
}

void action_withdraw_question(struct decision *d, const struct st_thread *th,
                              const struct st_action *a, struct str reason)
{
	struct response an = { .th = th,
		               .t = state_thread_turn(th, a->turn_id),
		               .a = a,
		               .decision = APPROVAL_DECISION_CANCEL,
		               .status = STATUS_CANCELLED,
		               .by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME),
		               .reason = reason };

	if (!an.t || !action_is_pending(a))
		return;
	emit_resolved(d, &an);
	emit_continues(d, &an);
}

/* The runtime itself ends the pending action of a call, with a decision that the person did not give. */
static void end_action(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, enum approval_decision decision, enum status status,
                       struct str reason)
{
	struct response an = { .th = th,
		               .t = t,
		               .c = c,
		               .a = str_is(c->action_id) ? state_thread_action(th, c->action_id)
		                                         : NULL,
		               .decision = decision,
		               .status = status,
		               .by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME),
		               .reason = reason };

	if (!an.a || !action_is_pending(an.a))
		return;
	emit_resolved(d, &an);
	emit_continues(d, &an);
}

/* Nothing is denied: the question has lost its asker.  The decision is `cancel`, by the runtime. */
void action_withdraw(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c, struct str reason)
{
	end_action(d, th, t, c, APPROVAL_DECISION_CANCEL, STATUS_CANCELLED, reason);
}

/* What was asked for has happened, without an answer to the action. */
void action_settle(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                   const struct st_call *c, struct str reason)
{
	end_action(d, th, t, c, APPROVAL_DECISION_ALLOW, STATUS_COMPLETED, reason);
}

/* ---- the command ---- */

/*
 * An answer must be one that action.required listed.  A scope is checked only when it is wider than
 * `once`, which every approval includes.
 */
static bool is_offered(struct decision *d, const struct st_action *a,
                       enum approval_decision decision, enum grant_scope scope)
{
	struct json options, option;
	struct str key;

	if (json_read_trusted(d->mem, a->decisions, &options, NULL) != OK)
		return false;
	struct json_iter it = json_iter(options);

	while (json_next(&it, &key, &option)) {
		struct json scopes = JSON_GET(option, "scopes"), each;

		if (!str_eq(json_str(JSON_GET(option, "decision")),
		            approval_decision_word(decision)))
			continue;
		if (!scope || scope == GRANT_SCOPE_ONCE)
			return true;
		struct json_iter in = json_iter(scopes);

		while (json_next(&in, &key, &each))
			if (str_eq(json_str(each), grant_scope_word(scope)))
				return true;
	}
	return false;
}

/* The refusal carries the first answer, so that the caller needs no second request. */
void action_refuse_late(struct decision *d, const struct st_action *a)
{
	struct buf out = { 0 };
	struct json_writer w;

	decision_refuse(d, ERROR_CODE_ALREADY_RESOLVED, "%.*s was answered with %.*s",
	                STR_ARG(a->action_id), STR_ARG(approval_decision_word(a->decision)));
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "winner");
	jw_obj(&w);
	JW_KSTR(&w, "actionId", a->action_id);
	JW_KSTR(&w, "decision", approval_decision_word(a->decision));
	if (a->scope)
		JW_KSTR(&w, "scope", grant_scope_word(a->scope));
	JW_KSTR(&w, "status", action_status_word(a->status));
	if (a->decided_by) {
		JW_KEY(&w, "decidedBy");
		rec_write(&w, &rec_actor_desc, a->decided_by);
	}
	JW_KEY(&w, "resolvedAt");
	jw_time(&w, a->resolved_at);
	jw_obj_end(&w);
	jw_obj_end(&w);
	d->extra = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
}

/* Answers come from clients and are checked before they become the result of a tool. */
static bool value_fits(struct decision *d, struct str schema_text, struct str value_text,
                       struct str what, bool has_formats)
{
	struct schema_options options = { .assert_formats = has_formats };
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct schema_report report = { .mem = d->mem, .max = 1 };
	struct json value;
	struct error e;

	if (json_read_trusted(d->mem, value_text, &value, NULL) != OK ||
	    schema_compile_text(NULL, schema_text, &options, &schema, &e) != OK) {
		decision_refuse(d, ERROR_CODE_INVALID_ANSWER, "%.*s cannot be checked",
		                STR_ARG(what));
		return false;
	}
	if (schema_check(schema, value, &report))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_ANSWER, "%.*s%.*s %.*s", STR_ARG(what),
	                STR_ARG(report.errors[0].path), STR_ARG(report.errors[0].message));
	return false;
}

/* Fields that a person left empty get the defaults of the form. */
static struct str with_defaults(struct decision *d, struct str schema_text, struct str text)
{
	struct json schema, value;

	if (!str_is(text) || json_read_trusted(d->mem, schema_text, &schema, NULL) != OK ||
	    json_read_trusted(d->mem, text, &value, NULL) != OK)
		return text;
	return schema_fill(d->mem, schema, value);
}

/*
 * No answer overrides a deny rule, whether for the original input or for an edited one.  Rules may
 * have changed since the question, and the input may have been edited: what is denied now cannot be
 * allowed by an answer.
 */
static bool is_permitted(struct decision *d, const struct response *an)
{
	struct permission_ask ask = ask_of(d, an);
	struct rec_permission_decision v;

	if (!str_is(ask.args)) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN,
		                "The input of the call cannot be read, so it cannot be allowed.");
		return false;
	}
	if (!ask.tool)
		return true;
	if (!permission_forbids(&ask, &v)) {
		/*
		 * An edited input has not been evaluated yet; it is evaluated like one from the
		 * model.
		 */
		if (!str_is(an->input))
			return true;
		ask.hook = 0; /* hooks evaluated another input; they are asked again */
		permission_judge(&ask, &v);
		if (v.decision != APPROVAL_DECISION_DENY &&
		    v.decision != APPROVAL_DECISION_UNAVAILABLE)
			return true;
	}
	decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s", STR_ARG(v.decision_reason));
	return false;
}

/* Refusals leave the action pending, and tell what would be accepted. */
static bool check_answer(struct decision *d, struct response *an,
                         const struct cmd_respond_action *cmd)
{
	if (!is_offered(d, an->a, cmd->decision, cmd->scope)) {
		decision_refuse(
			d, ERROR_CODE_INVALID_DECISION, "%.*s%s%.*s is not offered by this action",
			STR_ARG(approval_decision_word(cmd->decision)), cmd->scope ? " for " : "",
			STR_ARG(cmd->scope ? grant_scope_word(cmd->scope) : STR("")));
		d->extra = arena_printf(d->mem, "{\"decisions\":%.*s}", STR_ARG(an->a->decisions));
		return false;
	}
	if (cmd->expires_at && cmd->expires_at <= d->wall) {
		decision_refuse(d, ERROR_CODE_INVALID_ANSWER, "expiresAt: that is over already");
		return false;
	}
	if (cmd->decision == APPROVAL_DECISION_ANSWER) {
		if (!str_is(cmd->payload)) {
			decision_refuse(d, ERROR_CODE_INVALID_ANSWER,
			                "payload: the answer is missing");
			d->extra =
				arena_printf(d->mem, "{\"schema\":%.*s}", STR_ARG(an->a->schema));
			return false;
		}
		an->payload = with_defaults(d, an->a->schema, cmd->payload);
		return value_fits(d, an->a->schema, an->payload, STR("payload"), true);
	}
	if (str_is(cmd->input) && cmd->input.len > LIMIT_CALL_INPUT_BYTES) {
		decision_refuse(d, ERROR_CODE_TOO_LARGE, "input: at most %d bytes are accepted",
		                LIMIT_CALL_INPUT_BYTES);
		return false;
	}
	if (str_is(cmd->input)) {
		const struct tool_info *tool =
			an->c ? turn_call_tool(d, an->c)
			      : decision_settings_tool(d->settings, an->a->tool_name);

		if (cmd->decision != APPROVAL_DECISION_ALLOW || !an->c ||
		    an->a->action_type != ACTION_TYPE_TOOL_PERMISSION) {
			decision_refuse(d, ERROR_CODE_INVALID_DECISION,
			                "input is accepted only with allow, and not for access "
			                "beyond the sandbox");
			return false;
		}
		return value_fits(d,
		                  tool && tool->input_schema.len ? tool->input_schema
		                                                 : STR("{\"type\":\"object\"}"),
		                  cmd->input, STR("input"), false);
	}
	return true;
}

/*
 * Checks the answer of a command and emits what follows from it.  False after a refusal.  The
 * common path of respond_action and resolve_permission.  Everything is checked before the first
 * event.
 */
static bool apply_answer(struct decision *d, const struct cmd_respond_action *cmd,
                         struct response *an)
{
	an->a = state_action(d->w, cmd->action_id, &an->th);
	if (!an->a) {
		decision_refuse(d, ERROR_CODE_ACTION_NOT_FOUND,
		                "%.*s is not an action of this session", STR_ARG(cmd->action_id));
		return false;
	}
	if (!action_is_pending(an->a)) {
		action_refuse_late(d, an->a);
		return false;
	}
	d->on_behalf_of = cmd->on_behalf_of;
	an->t = state_thread_turn(an->th, an->a->turn_id);
	an->c = str_is(an->a->tool_call_id) ? state_thread_call(an->th, an->a->tool_call_id) : NULL;
	if (!an->t || !check_answer(d, an, cmd))
		return false;
	an->decision = cmd->decision;
	an->scope = cmd->scope ? cmd->scope : GRANT_SCOPE_ONCE;
	an->by = decision_actor(d);
	an->reason = cmd->reason;
	an->input = cmd->input;
	an->grant_until = an->scope > GRANT_SCOPE_ONCE ? cmd->expires_at : 0;
	if (action_permits(an->a) && an->c && an->decision == APPROVAL_DECISION_ALLOW &&
	    !is_permitted(d, an))
		return false;
	resolve_action(d, an);
	return true;
}

void decide_respond_action(struct decision *d, const struct cmd_respond_action *cmd)
{
	struct response an = { .source = DECISION_SOURCE_HUMAN, .status = STATUS_COMPLETED };

	if (!apply_answer(d, cmd, &an))
		return;
	struct reply_respond_action r = { .action_id = an.a->action_id,
		                          .decision = an.decision,
		                          .scope = an.decision == APPROVAL_DECISION_ALLOW ? an.scope
		                                                                          : 0,
		                          .grant_id = an.grant_id,
		                          .turn_id = an.a->turn_id,
		                          .first_sequence = d->w->s->sequence + 1,
		                          .has_first_sequence = true };

	d->reply = rec_text(d->mem, &reply_respond_action_desc, &r);
}

/*
 * The same action, answered by a host's policy, a hook or an approver.  With a record, the record
 * decides: policy_answer() refuses a command whose decision differs from it.
 */
void decide_resolve_permission(struct decision *d, const struct cmd_resolve_permission *cmd)
{
	struct response an = { .source = cmd->decision_source ? cmd->decision_source
		                                              : DECISION_SOURCE_HOST_POLICY,
		               .status = STATUS_COMPLETED,
		               .rule_refs = cmd->rule_refs };
	struct cmd_respond_action same = { .action_id = cmd->action_id,
		                           .decision = cmd->decision,
		                           .scope = cmd->scope,
		                           .reason = cmd->reason,
		                           .input = cmd->input,
		                           .expires_at = cmd->expires_at };
	const struct st_action *a = state_action(d->w, cmd->action_id, NULL);

	if (a && action_is_pending(a) && !action_permits(a)) {
		decision_refuse(d, ERROR_CODE_INVALID_DECISION, "%.*s asks for no permission",
		                STR_ARG(cmd->action_id));
		return;
	}
	if (!cmd->decision && !str_is(cmd->record)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "decision: it or a record is wanted");
		return;
	}
	if (str_is(cmd->record) && a && action_is_pending(a)) {
		an.policy = policy_answer(d, cmd, a, &same);
		if (!an.policy)
			return;
		rec_list_str_add(
			d->mem, &an.rule_refs,
			arena_printf(d->mem, "policy:%.*s", STR_ARG(an.policy->record_id)));
	}
	if (!apply_answer(d, &same, &an))
		return;
	struct reply_resolve_permission r = { .action_id = an.a->action_id,
		                              .decision = an.decision };

	d->reply = rec_text(d->mem, &reply_resolve_permission_desc, &r);
}

/* ---- questions ---- */

/* NULL: the task asks nothing, or not this caller. */
static const struct st_action *question_of(const struct decision *d, struct str task_id)
{
	const struct st_task *task = state_task(d->w, task_id);
	const struct rec_actor *by = task ? task->record->requested_by : NULL;

	if (!by || !str_eq(by->principal, d->call->caller.principal))
		return NULL;
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];

		for (uint32_t n = 0; n < th->actions.count; n++) {
			const struct st_action *a = th->actions.items[n];

			if (str_eq(a->task_id, task_id) && action_is_pending(a) &&
			    a->action_type == ACTION_TYPE_STRUCTURED_INPUT)
				return a;
		}
	}
	return NULL;
}

/* The name of the member that a plain text answers; absent: there are several, or none. */
static struct str text_member(struct decision *d, const struct st_action *a)
{
	struct str found = STR_NONE, key;
	struct json schema, each;
	struct json_iter it;

	if (json_read_trusted(d->mem, a->schema, &schema, NULL) != OK)
		return STR_NONE;
	it = json_iter(JSON_GET(schema, "properties"));
	while (json_next(&it, &key, &each)) {
		struct str type = json_str(JSON_GET(each, "type"));

		if (str_is(type) && !str_eq(type, STR("string")))
			continue;
		if (str_is(found))
			return STR_NONE;
		found = key;
	}
	return found;
}

static struct str answer_object(struct decision *d, const struct st_action *a, struct str answer)
{
	struct buf out = { 0 };
	struct str member, object = answer;
	struct json_writer w;
	struct json v;

	if (json_read_trusted(d->mem, answer, &v, NULL) != OK || json_type(v) != JSON_STR)
		return answer;
	member = text_member(d, a);
	if (!str_is(member))
		return answer;
	jw_init(&w, &out);
	jw_obj(&w);
	jw_kstr(&w, member, json_str(v));
	jw_obj_end(&w);
	object = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	return object;
}

/*
 * Who asked for a task may answer what it asks: that gives words, and no right.  Approvals need
 * respond_action and its scope.
 */
void decide_answer_question(struct decision *d, const struct cmd_answer_question *cmd)
{
	const struct st_action *a = question_of(d, cmd->task_id);
	struct response an = { .source = DECISION_SOURCE_HUMAN, .status = STATUS_COMPLETED };
	struct cmd_respond_action same = { .decision = cmd->decline ? APPROVAL_DECISION_DECLINE
		                                                    : APPROVAL_DECISION_ANSWER,
		                           .on_behalf_of = cmd->on_behalf_of };

	if (cmd->decline == str_is(cmd->answer)) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "either answer or decline is needed");
		return;
	}
	if (a && str_is(cmd->action_id) && !str_eq(cmd->action_id, a->action_id))
		a = NULL;
	if (!a) {
		decision_refuse(d, ERROR_CODE_ACTION_NOT_FOUND, "%.*s asks no question",
		                STR_ARG(cmd->task_id));
		return;
	}
	same.action_id = a->action_id;
	if (!cmd->decline)
		same.payload = answer_object(d, a, cmd->answer);
	if (!apply_answer(d, &same, &an))
		return;
	struct reply_answer_question r = { .action_id = an.a->action_id, .decision = an.decision };

	d->reply = rec_text(d->mem, &reply_answer_question_desc, &r);
}

/* ---- time ---- */

/* The turn may have left the state with the window of ended turns; then nothing waits any more. */
void action_expire(struct decision *d, const struct st_thread *th, const struct st_action *a)
{
	struct response an = {
		.th = th,
		.a = a,
		.t = state_thread_turn(th, a->turn_id),
		.c = str_is(a->tool_call_id) ? state_thread_call(th, a->tool_call_id) : NULL,
		.decision = a->on_expiry,
		.source = DECISION_SOURCE_HOST_POLICY,
		.scope = GRANT_SCOPE_ONCE,
		.status = STATUS_TIMED_OUT,
		.by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_POLICY,
		           .policy = STR("action.on_expiry")),
	};

	if (an.t)
		resolve_action(d, &an);
}

/*
 * Views of pending and resolved approvals, the mode and the grants.
 * spec: contracts/permission-and-sandbox,
 * contracts/control-plane#action-requests
 */
#include "core/approval/permission.h"
#include "base/jw.h"
#include "core/view/view_part.h"

/* ---- actions ---- */

/*
 * How much of an action is shown.  Lists serve clients that answer; a snapshot is sent often and
 * stays small.
 */
enum action_form { IN_SNAPSHOT, IN_LIST };

static void write_action(struct json_writer *w, const struct st_action *a, struct str session_id,
                         enum action_form form)
{
	/* A permission needs no form in a snapshot; a question needs it everywhere. */
	bool has_form = form == IN_LIST || a->action_type != ACTION_TYPE_TOOL_PERMISSION;

	jw_obj(w);
	JW_KSTR(w, "actionId", a->action_id);
	JW_KOPT(w, "actionType", action_type_word(a->action_type));
	JW_KSTR(w, "status", action_status_word(a->status));
	JW_KOPT(w, "sessionId", session_id);
	JW_KOPT(w, "threadId", a->thread_id);
	JW_KOPT(w, "turnId", a->turn_id);
	JW_KOPT(w, "taskId", a->task_id);
	JW_KOPT(w, "stepId", a->step_id);
	JW_KOPT(w, "toolCallId", a->tool_call_id);
	JW_KOPT(w, "parentThreadId", a->parent_thread_id);
	JW_KOPT(w, "subagentId", a->subagent_id);
	JW_KOPT(w, "parentTurnId", a->parent_turn_id);
	JW_KOPT(w, "parentTaskId", a->parent_task_id);
	JW_KOPT(w, "toolName", a->tool_name);
	JW_KSTR(w, "prompt", a->prompt);
	PART_RAW(w, "schema", has_form ? a->schema : STR_NONE);
	JW_KOPT(w, "decisionKind", decision_kind_word(a->decision_kind));
	PART_RAW(w, "decisions", str_is(a->decisions) ? a->decisions : STR("[]"));
	JW_KOPT(w, "inputRef", a->input_ref);
	if (str_is(a->input_ref))
		JW_KINT(w, "inputBytes", a->input_bytes);
	PART_REC(w, "override", &rec_sandbox_override_desc, a->override);
	PART_TIME(w, "requestedAt", a->requested_at);
	PART_TIME(w, "expiresAt", a->expires_at);
	JW_KOPT(w, "onExpiry", approval_decision_word(a->on_expiry));
	if (a->mode_after)
		JW_KSTR(w, "modeAfter", permission_mode_word(a->mode_after));
	PART_STRS(w, "endedBy", &a->ended_by);
	JW_KINT(w, "sequence", a->sequence);
	JW_KOPT(w, "decision", approval_decision_word(a->decision));
	JW_KOPT(w, "scope", grant_scope_word(a->scope));
	PART_REC(w, "decidedBy", &rec_actor_desc, form == IN_LIST ? a->decided_by : NULL);
	PART_TIME(w, "resolvedAt", a->resolved_at);
	jw_obj_end(w);
}

void view_action(struct json_writer *w, const struct st_action *a, struct str session_id)
{
	write_action(w, a, session_id, IN_LIST);
}

void permission_view_action(struct json_writer *w, const struct st_action *a)
{
	write_action(w, a, STR_NONE, IN_SNAPSHOT);
}

/* ---- permission state ---- */

#define HELD_RULES_MAX 64 /* of a snapshot; list_rules shows all */

static void write_pending_ids(struct json_writer *w, const struct st_thread *th)
{
	const struct st_action *a = NULL;

	while ((a = turn_wait_pending(th, STR_NONE, a)))
		jw_str(w, a->action_id);
}

static void write_grant(struct json_writer *w, const struct state *state, const struct st_grant *g)
{
	jw_obj(w);
	JW_KSTR(w, "grantId", g->grant_id);
	JW_KOPT(w, "scope", grant_scope_word(g->scope));
	JW_KOPT(w, "sessionId", state->s->session_id);
	JW_KOPT(w, "cwd", g->cwd);
	PART_RAW(w, "match", g->match);
	JW_KSTR(w, "source", policy_source_word(g->source ? g->source : POLICY_SOURCE_HUMAN));
	PART_TIME(w, "createdAt", g->granted_at);
	PART_TIME(w, "expiresAt", g->expires_at);
	JW_KBOOL(w, "revocable", true);
	jw_obj_end(w);
}

/* Sources of rules: files of the settings, the session, grants. */
static void write_sources(struct json_writer *w, const struct state *state,
                          const struct settings *settings)
{
	unsigned seen = 0;

	for (uint32_t i = 0; settings->rules && i < settings->rules->count; i++)
		seen |= 1u << settings->rules->items[i].source;
	if (str_is(state->s->rules))
		seen |= 1u << RULE_SESSION;
	if (state->s->grants.count)
		seen |= 1u << RULE_GRANT;
	JW_KEY(w, "policySources");
	jw_arr(w);
	jw_str(w, STR("mode"));
	for (enum rule_source source = RULE_HOST_POLICY; source <= RULE_GRANT; source++)
		if (seen & 1u << source)
			jw_str(w, rules_source_word(source));
	jw_arr_end(w);
}

/* For one of several threads only calls in the state can be counted. */
static struct rec_decision_counts decisions_of(const struct state *state,
                                               const struct st_thread *th)
{
	struct rec_decision_counts n = { state->s->allowed, state->s->asked, state->s->denied };

	if (!th || view_part_is_only_thread(state))
		return n;
	n = (struct rec_decision_counts){ 0 };
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct rec_permission_decision *p = th->calls.items[i]->permission;

		if (!p)
			continue;
		n.ask += p->decision == APPROVAL_DECISION_ASK || str_is(p->approval_action_id);
		n.allow += p->decision == APPROVAL_DECISION_ALLOW;
		n.deny += p->decision == APPROVAL_DECISION_DENY;
	}
	return n;
}

static void write_rule(struct json_writer *w, const struct rule *r)
{
	const struct str access[] = { [RULE_READ] = STR("read"), [RULE_WRITE] = STR("write") };

	jw_obj(w);
	JW_KSTR(w, "ruleRef", r->ref);
	JW_KSTR(w, "source", rules_source_word(r->source));
	JW_KSTR(w, "effect", approval_decision_word(r->effect));
	/*
	 * An allow rule of a project counts only when the user trusts the project: a repository
	 * must not grant itself anything.
	 */
	JW_KBOOL(w, "counts",
	         r->effect != APPROVAL_DECISION_ALLOW || r->source != RULE_PROJECT ||
	                 r->is_trusted);
	JW_KBOOL(w, "always", r->is_always);
	JW_KOPT(w, "tool", r->tool);
	if (r->has_command)
		PART_STRS(w, "command", &r->command);
	JW_KOPT(w, "path", r->path);
	JW_KOPT(w, "access", access[r->access]);
	JW_KOPT(w, "host", r->host);
	JW_KOPT(w, "mcp", r->mcp);
	JW_KOPT(w, "reason", r->reason);
	jw_obj_end(w);
}

/*
 * Rules of files, settings and the session; grants are listed separately.  The count includes rules
 * beyond the limit.
 */
static void write_held_rules(struct json_writer *w, const struct state *state,
                             const struct settings *settings)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct permission_ask ask = { .mem = mem, .w = state, .settings = settings };
	int64_t count = 0;
	struct rules rs;

	permission_rules(&ask, &rs);
	JW_KEY(w, "rules");
	jw_arr(w);
	for (enum rule_source source = RULE_HOST_POLICY; source <= RULE_SESSION; source++)
		for (uint32_t i = 0; i < rs.count; i++) {
			if (rs.items[i].source != source)
				continue;
			if (count++ < HELD_RULES_MAX)
				write_rule(w, &rs.items[i]);
		}
	jw_arr_end(w);
	JW_KINT(w, "ruleCount", count);
}

/* is_part: within a larger snapshot, which leaves out the rules. */
void view_permission_state(struct json_writer *w, const struct state *state,
                           const struct settings *settings, const struct st_thread *th,
                           bool is_part)
{
	const struct st_session *s = state->s;
	struct rec_decision_counts counts = decisions_of(state, th);

	jw_obj(w);
	JW_KSTR(w, "mode", permission_mode_word(view_part_mode_of(state, settings)));
	JW_KBOOL(w, "interactive", settings->is_interactive);
	write_sources(w, state, settings);
	JW_KEY(w, "pendingApprovals");
	jw_arr(w);
	for (uint32_t i = 0; i < s->threads.count; i++)
		if (!th || th == s->threads.items[i])
			write_pending_ids(w, s->threads.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "grants");
	jw_arr(w);
	for (uint32_t i = 0; i < s->grants.count; i++)
		write_grant(w, state, s->grants.items[i]);
	jw_arr_end(w);
	if (!is_part)
		write_held_rules(w, state, settings);
	PART_REC(w, "decisions", &rec_decision_counts_desc, &counts);
	jw_obj_end(w);
}

void view_grants(struct json_writer *w, const struct state *state, enum grant_scope only,
                 int64_t now)
{
	jw_obj(w);
	JW_KEY(w, "grants");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->grants.count; i++) {
		const struct st_grant *g = state->s->grants.items[i];

		if ((!only || g->scope == only) && (!g->expires_at || g->expires_at > now))
			write_grant(w, state, g);
	}
	jw_arr_end(w);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

void view_rules(struct json_writer *w, const struct state *state, const struct settings *settings,
                struct arena *mem)
{
	struct permission_ask ask = { .mem = mem, .w = state, .settings = settings };
	struct rules rs;

	permission_rules(&ask, &rs);
	jw_obj(w);
	JW_KEY(w, "rules");
	jw_arr(w);
	for (enum rule_source source = RULE_HOST_POLICY; source <= RULE_SESSION; source++)
		for (uint32_t i = 0; i < rs.count; i++)
			if (rs.items[i].source == source)
				write_rule(w, &rs.items[i]);
	jw_arr_end(w);
	JW_KSTR(w, "mode", permission_mode_word(permission_mode_of(state, settings)));
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

void view_permission(struct json_writer *w, const struct state *state,
                     const struct settings *settings)
{
	jw_obj(w);
	JW_KEY(w, "permissionState");
	view_permission_state(w, state, settings, NULL, false);
	process_view_sandbox_state(w, state, settings);
	JW_KEY(w, "pendingRequests");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_thread *th = state->s->threads.items[i];
		const struct st_action *a = NULL;

		while ((a = turn_wait_pending(th, STR_NONE, a)))
			permission_view_action(w, a);
	}
	jw_arr_end(w);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

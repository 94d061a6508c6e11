/* Reads a record of an external policy engine as the answer to a pending approval. */
#include "core/approval/policy_answer.h"

#include "policy/external_record.h"

/*
 * A record that names another action is no answer to this one.  An answer is accepted only if it
 * proves that it is about this question: by the id of the call, of the action, or of the decision
 * that asked.  Otherwise a record for one call could be replayed for another.
 */
static bool is_about(struct decision *d, const struct st_action *a, struct json v,
                     const struct rec_policy_record *r)
{
	const struct st_thread *th = NULL;
	const struct st_call *c = NULL;
	struct str call = json_str(JSON_GET(JSON_GET(v, "action"), "id"));
	struct str approval = json_str(JSON_GET(v, "approval_id")), decision = STR_NONE;

	state_action(d->w, a->action_id, &th);
	if (th && str_is(a->tool_call_id))
		c = state_thread_call(th, a->tool_call_id);
	if (c && c->permission)
		decision = c->permission->decision_id;
	/* A denial may cover many calls; an approval covers this call. */
	if (r->kind == POLICY_RECORD_KIND_DECISION)
		return str_is(call) ? str_eq(call, a->tool_call_id)
		                    : r->result == POLICY_RESULT_DENY ||
		                              r->result == POLICY_RESULT_INDETERMINATE;
	if (str_is(approval) && !str_eq(approval, a->action_id))
		return false;
	if (str_is(r->decision_id) && !(str_is(decision) && str_eq(r->decision_id, decision)))
		return false;
	return str_is(approval) || str_is(r->decision_id);
}

/* Does the record contradict itself?  Obligations that the runtime cannot meet count as well. */
static const char *contradiction(struct json v, const struct st_action *a,
                                 const struct rec_policy_record *r)
{
	struct json response = JSON_GET(v, "response"), each;
	struct json_iter it = json_iter(JSON_GET(v, "constraints"));
	struct str said = json_str(JSON_GET(response, "decision")), key;
	struct str tool = json_str(JSON_GET(JSON_GET(v, "capability"), "name"));

	if (r->kind == POLICY_RECORD_KIND_APPROVAL) {
		if (str_eq(json_str(JSON_GET(v, "status")),
		           approval_status_word(APPROVAL_STATUS_MODIFIED)) &&
		    json_type(JSON_GET(response, "updated_input")) != JSON_OBJ)
			return "it was modified, and the input is missing";
		if (str_is(said) && str_eq(said, approval_decision_word(APPROVAL_DECISION_ALLOW)) !=
		                            (r->result == POLICY_RESULT_ALLOW))
			return "its status and its response differ";
	}
	if (r->kind == POLICY_RECORD_KIND_GRANT && str_is(tool) && !str_eq(tool, a->tool_name))
		return "it is for another tool";
	while (r->kind != POLICY_RECORD_KIND_DECISION && json_next(&it, &key, &each))
		if (!str_eq(key, STR("scope")) && !str_eq(key, STR("revocable")))
			return "it has constraints that nothing here can keep";
	return NULL;
}

/*
 * The scope of a grant, and what an approval changed.  Arguments of the command precede those of
 * the record.
 */
static void take_terms(struct arena *mem, struct json v, const struct rec_policy_record *r,
                       struct cmd_respond_action *same)
{
	struct json edited = JSON_GET(JSON_GET(v, "response"), "updated_input");
	struct str reach = json_str(JSON_GET(JSON_GET(v, "constraints"), "scope"));

	if (r->kind == POLICY_RECORD_KIND_GRANT && str_is(reach) && !same->scope)
		same->scope = rec_enum_read(&enum_grant_scope, reach);
	if (r->kind == POLICY_RECORD_KIND_APPROVAL && !same->scope)
		same->scope = rec_enum_read(&enum_grant_scope,
		                            json_str(JSON_GET(JSON_GET(v, "response"), "scope")));
	if (json_type(edited) == JSON_OBJ && !str_is(same->input))
		same->input = json_text(mem, edited);
	if (!same->expires_at)
		same->expires_at = r->expires_at;
}

/*
 * The record comes from outside: its shape, its subject, its consistency, its expiry and its
 * decision are checked in this order.  Anything but allow or deny leaves the question open.  The
 * record itself is stored, so that the decision can be verified later.
 */
struct rec_policy_record *policy_answer(struct decision *d,
                                        const struct cmd_resolve_permission *cmd,
                                        const struct st_action *a, struct cmd_respond_action *same)
{
	struct rec_policy_record *r = ARENA_NEW(d->mem, struct rec_policy_record);
	struct error e = { 0 };
	enum approval_decision says;
	struct json v;
	struct str why;

	if (json_read(d->mem, cmd->record, &v, &e) != OK ||
	    external_record_read(d->mem, v, r, &e) != OK) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "record: %s", e.message);
		return NULL;
	}
	if (!is_about(d, a, v, r)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "record: %.*s is not about this question", STR_ARG(r->record_id));
		return NULL;
	}
	const char *wrong = contradiction(v, a, r);

	if (wrong) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "record: %.*s: %s",
		                STR_ARG(r->record_id), wrong);
		return NULL;
	}
	says = external_record_says(d->mem, r, d->wall, &why);
	if ((says != APPROVAL_DECISION_ALLOW && says != APPROVAL_DECISION_DENY) ||
	    (r->expires_at && r->expires_at <= d->wall)) {
		decision_refuse(d, ERROR_CODE_INVALID_DECISION,
		                "record: %.*s; the question stays open", STR_ARG(why));
		return NULL;
	}
	if (cmd->decision && cmd->decision != says) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "decision: the record says %.*s",
		                STR_ARG(approval_decision_word(says)));
		return NULL;
	}
	r->record_ref = decision_new_blob(d, STR("application/json"), json_text(d->mem, v));
	same->decision = says;
	if (says == APPROVAL_DECISION_ALLOW)
		take_terms(d->mem, v, r, same);
	if (!str_is(same->reason))
		same->reason = str_is(r->justification) ? r->justification : why;
	return r;
}

/*
 * Events of Agent Policy 0.1.4: decisions, approvals, grants, waivers, and the
 * decision under which a call ran.
 *
 *	permission.evaluated               policy.decision.created
 *	action.required, of an approval    policy.approval.requested
 *	action.resolved, of an approval    policy.approval.responded
 *	permission.resolved                policy.decision.updated, policy.waiver.created
 *	policy.changed, of a grant         policy.grant.issued, policy.grant.revoked
 *	tool.result, tool.failed           policy.trace.linked
 *
 * A record never states that a call ran; the events that it refers to do.
 * spec: agent-runtime-checklist#ECO-02, GAP-16, GAP-20
 */
#include "export/export.h"

#include "base/jw.h"
#include "export/form.h"

#define POLICY_SCHEMA STR("0.1.0")

/* ---- the envelope ---- */

/* Every record begins and ends the same way: record_end() closes what record_begin() opens. */
static void record_begin(struct form *f, enum policy_event type, struct str *ret_name)
{
	*ret_name = policy_event_word(type);
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "event_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "type", *ret_name);
	JW_KSTR(f->w, "timestamp", form_text(f->ev, "timestamp"));
	form_put_value(f, "sequence", JSON_GET(f->ev, "sequence"));
	form_put_ids(f);
}

static void record_end(struct form *f)
{
	form_arr(f, "refs");
	form_put_ref(f, "runtime_event", form_text(f->ev, "eventId"));
	form_put_ref(f, "telemetry_trace", form_text(f->ev, "traceId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/* ---- decisions ---- */

static bool has_any(struct json d, const char *key)
{
	return json_count(json_get(JSON_GET(d, "impact"), str_from(key))) > 0;
}

/*
 * Agent Policy has one resource per decision.  The first host or path stands for all; the
 * complete lists are in context.impact.
 */
static void put_resource(struct form *f, struct json d)
{
	struct json impact = JSON_GET(d, "impact");

	if (has_any(d, "hosts"))
		form_put_party(f, "resource", "host",
		               json_str(json_at(JSON_GET(impact, "hosts"), 0)), STR_NONE);
	else if (has_any(d, "paths"))
		form_put_party(f, "resource", "path",
		               json_str(json_at(JSON_GET(impact, "paths"), 0)), STR_NONE);
	else
		form_put_party(f, "resource", "tool", STR_NONE, form_text(f->payload, "toolName"));
}

/* High: the call destroys data.  Low: rules and mode allow it without a question. */
static void put_scope(struct form *f, struct json d)
{
	bool is_open = str_eq(form_decision(form_text(d, "decision")), STR("allow"));

	form_obj(f, "scope");
	JW_KSTR(f->w, "scope_type",
	        has_any(d, "hosts")   ? STR("network")
	        : has_any(d, "paths") ? STR("filesystem")
	                              : STR("tool_call"));
	JW_KSTR(f->w, "risk_level",
	        json_bool(JSON_GET(d, "destructive"), false) ? STR("high")
	        : is_open                                    ? STR("low")
	                                                     : STR("medium"));
	jw_obj_end(f->w);
}

/* Joins this list of every external record that was consulted. */
static void put_of_records(struct form *f, struct json d, const char *list)
{
	struct json_iter it = json_iter(JSON_GET(d, "policyRecords")), in;
	struct json record, each;
	struct str key;

	while (json_next(&it, &key, &record)) {
		in = json_iter(json_get(record, str_from(list)));
		while (json_next(&in, &key, &each))
			jw_value(f->w, each);
	}
}

static void put_reasons(struct form *f, struct json d)
{
	form_arr(f, "reason_codes");
	jw_str(f->w, form_text(d, "decisionSource"));
	if (json_bool(JSON_GET(d, "destructive"), false))
		jw_str(f->w, STR("destructive"));
	if (str_eq(form_text(d, "decision"), approval_decision_word(APPROVAL_DECISION_UNAVAILABLE)))
		jw_str(f->w, STR("unavailable"));
	put_of_records(f, d, "reasonCodes");
	jw_arr_end(f->w);
}

static void put_rules(struct form *f, struct json d)
{
	struct json_iter it = json_iter(JSON_GET(d, "ruleRefs"));
	struct json each;
	struct str key;

	form_arr(f, "matched_rules");
	while (json_next(&it, &key, &each)) {
		jw_obj(f->w);
		JW_KSTR(f->w, "rule_id", json_str(each));
		jw_obj_end(f->w);
	}
	jw_arr_end(f->w);
}

/* "sandboxed" is an allow with one obligation. */
static void put_obligations(struct form *f, struct json d)
{
	form_arr(f, "obligations");
	if (str_eq(form_text(d, "decision"), approval_decision_word(APPROVAL_DECISION_SANDBOXED))) {
		jw_obj(f->w);
		JW_KSTR(f->w, "type", STR("sandbox"));
		jw_obj_end(f->w);
	}
	put_of_records(f, d, "obligations");
	jw_arr_end(f->w);
}

static void put_context(struct form *f, struct json d)
{
	form_obj(f, "context");
	form_put_text(f, "mode", form_text(d, "mode"));
	form_put_text(f, "source", form_text(d, "decisionSource"));
	form_put_text(f, "reason", form_text(d, "decisionReason"));
	form_put_text(f, "reach", form_text(d, "scope"));
	form_put_value(f, "destructive", JSON_GET(d, "destructive"));
	form_put_value(f, "impact", JSON_GET(d, "impact"));
	form_put_text(f, "rollback_advice", form_text(d, "rollbackAdvice"));
	form_put_text(f, "network", form_text(d, "networkDecision"));
	jw_obj_end(f->w);
}

static void put_decision_refs(struct form *f, struct json d)
{
	struct json_iter it = json_iter(JSON_GET(d, "policyRecords"));
	struct json record;
	struct str key;

	form_arr(f, "refs");
	form_put_ref(f, "runtime_event", form_text(f->ev, "eventId"));
	form_put_ref(f, "approval_request", form_text(d, "approvalActionId"));
	form_put_ref(f, "input", form_text(d, "updatedInputRef"));
	while (json_next(&it, &key, &record))
		form_put_ref(f, "policy_record", form_text(record, "recordId"));
	jw_arr_end(f->w);
}

static void put_subject(struct form *f)
{
	struct str child = form_text(f->ev, "subagentId");

	form_put_party(f, "subject", str_is(child) ? "agent" : "session",
	               str_is(child) ? child : form_text(f->ev, "sessionId"), STR_NONE);
}

static void put_decision(struct form *f, struct json d)
{
	form_obj(f, "decision");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "decision_id", form_text(d, "decisionId"));
	JW_KSTR(f->w, "evaluated_at", form_text(f->ev, "timestamp"));
	put_subject(f);
	form_put_party(f, "action", "tool_call", form_text(f->ev, "toolCallId"),
	               form_text(f->payload, "toolName"));
	put_resource(f, d);
	put_context(f, d);
	put_scope(f, d);
	JW_KSTR(f->w, "result", form_decision(form_text(d, "decision")));
	put_reasons(f, d);
	put_rules(f, d);
	put_obligations(f, d);
	form_put_text(f, "expires_at", form_text(d, "expiresAt"));
	put_decision_refs(f, d);
	jw_obj_end(f->w);
}

/* The external record of a waiver; JSON_NONE: none. */
static struct json waiver_of(struct json d)
{
	struct json list = JSON_GET(d, "policyRecords"), none = { 0 };
	/* The last record is the one that resolved the call. */
	size_t count = json_count(list);
	struct json last = count ? json_at(list, count - 1) : none;

	return str_eq(form_text(last, "kind"), policy_record_kind_word(POLICY_RECORD_KIND_WAIVER))
	               ? last
	               : none;
}

static void put_waiver(struct form *f, struct json d, struct json waiver)
{
	form_obj(f, "waiver_record");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "waiver_id", form_text(waiver, "recordId"));
	JW_KSTR(f->w, "decision_id", form_text(d, "decisionId"));
	JW_KSTR(f->w, "original_result", STR("ask"));
	form_put_value(f, "waived_by", JSON_GET(waiver, "by"));
	JW_KSTR(f->w, "justification", form_text(waiver, "justification"));
	form_put_value(f, "scope", JSON_GET(waiver, "scope"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "expires_at", form_text(waiver, "expiresAt"));
	form_arr(f, "refs");
	form_put_ref(f, "record", form_text(waiver, "recordRef"));
	form_put_ref(f, "approval_request", form_text(f->ev, "actionId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/* Logs of old versions have decisions without ids; they have no record here. */
static bool write_decision(struct form *f, bool is_answer, struct str *ret_name)
{
	struct json d = JSON_GET(f->ev, "permissionDecision"), waiver = { 0 };

	if (!str_is(form_text(d, "decisionId")))
		return false;
	if (is_answer)
		waiver = waiver_of(d);
	record_begin(f,
	             json_is(waiver) ? POLICY_EVENT_POLICY_WAIVER_CREATED
	             : is_answer     ? POLICY_EVENT_POLICY_DECISION_UPDATED
	                             : POLICY_EVENT_POLICY_DECISION_CREATED,
	             ret_name);
	form_put_text(f, "decision_id", form_text(d, "decisionId"));
	form_put_text(f, "waiver_id", form_text(waiver, "recordId"));
	put_subject(f);
	form_obj(f, "payload");
	put_decision(f, d);
	if (json_is(waiver))
		put_waiver(f, d, waiver);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/* ---- approvals ---- */

static void put_choice(struct form *f, const char *id, const char *label, struct json scopes)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "id", str_from(id));
	JW_KSTR(f->w, "label", str_from(label));
	form_put_value(f, "scopes", scopes);
	jw_obj_end(f->w);
}

/*
 * The choices are those of the action, so a client cannot offer an answer that the runtime
 * refuses.
 */
static void put_choices(struct form *f)
{
	struct json_iter it = json_iter(JSON_GET(f->payload, "decisions"));
	struct json none = { 0 }, each;
	struct str key;

	form_arr(f, "choices");
	while (json_next(&it, &key, &each)) {
		if (!str_eq(form_text(each, "decision"),
		            approval_decision_word(APPROVAL_DECISION_ALLOW))) {
			put_choice(f, "deny", "Deny", none);
			continue;
		}
		put_choice(f, "approve_once", "Allow once", none);
		if (json_count(JSON_GET(each, "scopes")) > 1)
			put_choice(f, "approve_for_scope", "Allow for longer",
			           JSON_GET(each, "scopes"));
		if (json_bool(JSON_GET(each, "mayEditInput"), false))
			put_choice(f, "modify", "Allow with another input", none);
	}
	jw_arr_end(f->w);
}

static void put_request(struct form *f, struct str decision_id)
{
	form_obj(f, "approval_request");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "approval_id", form_text(f->ev, "actionId"));
	JW_KSTR(f->w, "decision_id", decision_id);
	form_put_party(f, "requested_action", "tool_call", form_text(f->ev, "toolCallId"),
	               form_text(f->payload, "toolName"));
	form_put_party(f, "required_approver", "human", STR_NONE, STR_NONE);
	JW_KSTR(f->w, "prompt", form_text(f->payload, "prompt"));
	put_choices(f);
	JW_KSTR(f->w, "default_action", form_text(f->payload, "onExpiry"));
	JW_KSTR(f->w, "status", approval_status_word(APPROVAL_STATUS_PENDING));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "expires_at", form_text(JSON_GET(f->payload, "wait"), "until"));
	form_arr(f, "refs");
	form_put_ref(f, "runtime_event", form_text(f->ev, "eventId"));
	form_put_ref(f, "input", form_text(JSON_GET(f->ev, "refs"), "input"));
	form_put_ref(f, "parent_thread", form_text(f->payload, "parentThreadId"));
	form_put_ref(f, "agent", form_text(f->payload, "subagentId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/*
 * Plans, questions and credentials are actions too, and no approvals in the sense of Agent
 * Policy.
 */
static bool is_approval(struct json payload)
{
	enum action_type type = rec_enum_read(&enum_action_type, form_text(payload, "actionType"));

	return type == ACTION_TYPE_TOOL_PERMISSION || type == ACTION_TYPE_ESCALATION;
}

static bool write_request(struct form *f, struct str *ret_name)
{
	struct str decision_id = form_text(JSON_GET(f->payload, "policy"), "decisionId");

	if (!is_approval(f->payload))
		return false;
	/* An action of a setting (the price of a model) has no decision of a call. */
	if (!str_is(decision_id))
		decision_id = form_text(f->ev, "eventId");
	record_begin(f, POLICY_EVENT_POLICY_APPROVAL_REQUESTED, ret_name);
	JW_KSTR(f->w, "decision_id", decision_id);
	JW_KSTR(f->w, "approval_id", form_text(f->ev, "actionId"));
	put_subject(f);
	form_obj(f, "payload");
	put_request(f, decision_id);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/*
 * A timeout carries the default decision, which no person made: it is "expired" and not
 * "denied".
 */
static enum approval_status answered(struct form *f)
{
	enum status status = rec_enum_read(&enum_status, form_text(f->ev, "status"));

	if (status == STATUS_TIMED_OUT)
		return APPROVAL_STATUS_EXPIRED;
	switch ((enum approval_decision)rec_enum_read(&enum_approval_decision,
	                                              form_text(f->payload, "decision"))) {
	case APPROVAL_DECISION_ALLOW:
		return str_is(form_text(f->payload, "inputRef")) ? APPROVAL_STATUS_MODIFIED
		                                                 : APPROVAL_STATUS_APPROVED;
	case APPROVAL_DECISION_DENY:
		return APPROVAL_STATUS_DENIED;
	default:
		return APPROVAL_STATUS_CANCELLED;
	}
}

static bool write_response(struct form *f, struct str *ret_name)
{
	struct json by = JSON_GET(f->payload, "decidedBy");

	if (!is_approval(f->payload))
		return false;
	record_begin(f, POLICY_EVENT_POLICY_APPROVAL_RESPONDED, ret_name);
	JW_KSTR(f->w, "approval_id", form_text(f->ev, "actionId"));
	form_obj(f, "payload");
	JW_KSTR(f->w, "approval_id", form_text(f->ev, "actionId"));
	JW_KSTR(f->w, "status", approval_status_word(answered(f)));
	form_obj(f, "response");
	JW_KSTR(f->w, "decision", form_text(f->payload, "decision"));
	form_obj(f, "decided_by");
	JW_KSTR(f->w, "type", form_text(by, "kind"));
	form_put_text(f, "id", form_text(by, "principal"));
	form_put_text(f, "name", form_text(by, "policy"));
	jw_obj_end(f->w);
	JW_KSTR(f->w, "decided_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "scope", form_text(f->payload, "scope"));
	form_put_text(f, "reason", form_text(f->payload, "reason"));
	form_put_text(f, "updated_input_ref", form_text(f->payload, "inputRef"));
	form_put_value(f, "waited_ms", JSON_GET(f->payload, "waitedMs"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/* ---- grants ---- */

static void put_constraints(struct form *f)
{
	struct json match = JSON_GET(f->payload, "match");

	form_obj(f, "constraints");
	form_put_text(f, "scope", form_text(f->payload, "scope"));
	form_put_value(f, "command", JSON_GET(match, "command"));
	form_put_text(f, "path", form_text(match, "path"));
	form_put_text(f, "host", form_text(match, "host"));
	form_put_text(f, "definition", form_text(match, "definition"));
	form_put_text(f, "workspace", form_text(f->payload, "cwd"));
	form_put_value(f, "revocable", JSON_GET(f->payload, "revocable"));
	jw_obj_end(f->w);
}

static void put_grant(struct form *f)
{
	/* A grant with a directory belongs to the workspace and outlives the session. */
	struct str place = form_text(f->payload, "cwd");

	form_obj(f, "permission_grant");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "grant_id", form_text(f->payload, "grantId"));
	form_put_text(f, "approval_id", form_text(f->ev, "actionId"));
	form_put_party(f, "granted_to", str_is(place) ? "workspace" : "session",
	               str_is(place) ? place : form_text(f->ev, "sessionId"), STR_NONE);
	form_put_party(f, "capability", "tool_call", STR_NONE,
	               form_text(JSON_GET(f->payload, "match"), "tool"));
	put_constraints(f);
	form_obj(f, "issued_by");
	JW_KSTR(f->w, "type", form_text(f->payload, "source"));
	jw_obj_end(f->w);
	JW_KSTR(f->w, "issued_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "expires_at", form_text(f->payload, "expiresAt"));
	JW_KSTR(f->w, "status", policy_grant_status_word(POLICY_GRANT_STATUS_ACTIVE));
	jw_obj_end(f->w);
}

static void put_grant_end(struct form *f, enum policy_grant_status status)
{
	form_obj(f, "grant_change");
	JW_KSTR(f->w, "grant_id", form_text(f->payload, "grantId"));
	JW_KSTR(f->w, "status", policy_grant_status_word(status));
	JW_KSTR(f->w, "revoked_at", form_text(f->ev, "timestamp"));
	form_obj(f, "revoked_by");
	JW_KSTR(f->w, "type", form_text(f->payload, "source"));
	jw_obj_end(f->w);
	form_put_text(f, "revocation_reason", form_text(f->payload, "reason"));
	jw_obj_end(f->w);
}

static bool write_grant(struct form *f, struct str *ret_name)
{
	enum policy_change change =
		rec_enum_read(&enum_policy_change, form_text(f->payload, "change"));
	bool is_new = change == POLICY_CHANGE_GRANT_ADDED;

	if (!is_new && change != POLICY_CHANGE_GRANT_REVOKED &&
	    change != POLICY_CHANGE_GRANT_EXPIRED)
		return false;
	record_begin(f,
	             is_new ? POLICY_EVENT_POLICY_GRANT_ISSUED : POLICY_EVENT_POLICY_GRANT_REVOKED,
	             ret_name);
	form_put_text(f, "grant_id", form_text(f->payload, "grantId"));
	form_put_text(f, "approval_id", form_text(f->ev, "actionId"));
	form_obj(f, "payload");
	if (is_new)
		put_grant(f);
	else
		put_grant_end(f, change == POLICY_CHANGE_GRANT_REVOKED
		                         ? POLICY_GRANT_STATUS_REVOKED
		                         : POLICY_GRANT_STATUS_EXPIRED);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/* ---- traces ---- */

/*
 * Links the end of a call to the decision under which it ran.  A call without a decision has no
 * trace.
 */
static bool write_trace(struct form *f, struct str *ret_name)
{
	struct str decision_id = form_text(f->payload, "decisionId"),
		   call = form_text(f->ev, "toolCallId");

	if (!str_is(decision_id) || !str_is(call))
		return false;
	record_begin(f, POLICY_EVENT_POLICY_TRACE_LINKED, ret_name);
	JW_KSTR(f->w, "decision_id", decision_id);
	JW_KSTR(f->w, "trace_id", call);
	form_obj(f, "payload");
	form_obj(f, "policy_trace");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "trace_id", call);
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_arr(f, "decision_refs");
	form_put_ref(f, "decision", decision_id);
	jw_arr_end(f->w);
	form_arr(f, "runtime_refs");
	form_put_ref(f, "tool_call", call);
	form_put_ref(f, "process", form_text(f->ev, "processId"));
	form_put_ref(f, "output", form_text(f->ev, "outputRef"));
	form_put_ref(f, "runtime_event", form_text(f->ev, "eventId"));
	jw_arr_end(f->w);
	form_arr(f, "telemetry_refs");
	form_put_ref(f, "trace", form_text(f->ev, "traceId"));
	form_put_ref(f, "span", form_text(f->ev, "spanId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

bool agent_policy_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };

	switch ((enum event_type)rec_enum_read(&enum_event_type, form_text(ev, "type"))) {
	case EV_PERMISSION_EVALUATED:
		return write_decision(&f, false, ret_name);
	case EV_PERMISSION_RESOLVED:
		return write_decision(&f, true, ret_name);
	case EV_ACTION_REQUIRED:
		return write_request(&f, ret_name);
	case EV_ACTION_RESOLVED:
		return write_response(&f, ret_name);
	case EV_POLICY_CHANGED:
		return write_grant(&f, ret_name);
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
		return write_trace(&f, ret_name);
	default:
		return false;
	}
}

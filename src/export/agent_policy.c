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

#define POLICY_SCHEMA STR("0.1.0")

/* One event and the writer of its record. */
struct policy_form {
	struct json ev, payload;
	struct json_writer *w;
};

static struct str text_of(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

static void put_text(struct policy_form *f, const char *key, struct str s)
{
	jw_kopt(f->w, str_from(key), s);
}

static void put_value(struct policy_form *f, const char *key, struct json v)
{
	if (!json_is(v))
		return;
	jw_key(f->w, str_from(key));
	jw_value(f->w, v);
}

static void open_obj(struct policy_form *f, const char *key)
{
	jw_key(f->w, str_from(key));
	jw_obj(f->w);
}

static void open_arr(struct policy_form *f, const char *key)
{
	jw_key(f->w, str_from(key));
	jw_arr(f->w);
}

static void put_party(struct policy_form *f, const char *key, const char *type, struct str id,
                      struct str name)
{
	open_obj(f, key);
	JW_KSTR(f->w, "type", str_from(type));
	put_text(f, "id", id);
	put_text(f, "name", name);
	jw_obj_end(f->w);
}

/* ---- the envelope ---- */

/* Ids of our envelope and their names there.  Absent ones are left out. */
static const struct {
	const char *theirs, *ours;
} ids[] = {
	{ "runtime_id", "runtimeId" },    { "session_id", "sessionId" },
	{ "thread_id", "threadId" },      { "turn_id", "turnId" },
	{ "task_id", "taskId" },          { "run_id", "runId" },
	{ "attempt_id", "attemptId" },    { "step_id", "stepId" },
	{ "tool_call_id", "toolCallId" }, { "action_id", "actionId" },
	{ "evidence_id", "evidenceId" },  { "artifact_id", "artifactId" },
	{ "process_id", "processId" },    { "subagent_id", "subagentId" },
};

static void put_ref(struct policy_form *f, const char *type, struct str id)
{
	if (!str_is(id))
		return;
	jw_obj(f->w);
	JW_KSTR(f->w, "type", str_from(type));
	JW_KSTR(f->w, "id", id);
	jw_obj_end(f->w);
}

/* Every record begins and ends the same way: record_end() closes what record_begin() opens. */
static void record_begin(struct policy_form *f, enum policy_event type, struct str *ret_name)
{
	*ret_name = policy_event_word(type);
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "event_id", text_of(f->ev, "eventId"));
	JW_KSTR(f->w, "type", *ret_name);
	JW_KSTR(f->w, "timestamp", text_of(f->ev, "timestamp"));
	put_value(f, "sequence", JSON_GET(f->ev, "sequence"));
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		put_text(f, ids[i].theirs, text_of(f->ev, ids[i].ours));
}

static void record_end(struct policy_form *f)
{
	open_arr(f, "refs");
	put_ref(f, "runtime_event", text_of(f->ev, "eventId"));
	put_ref(f, "telemetry_trace", text_of(f->ev, "traceId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/* ---- decisions ---- */

/* spec: GAP-20 */
static const char *result_of(struct str decision)
{
	switch ((enum approval_decision)rec_enum_read(&enum_approval_decision, decision)) {
	case APPROVAL_DECISION_ALLOW:
	case APPROVAL_DECISION_SANDBOXED:
		return "allow";
	case APPROVAL_DECISION_ASK:
		return "ask";
	default:
		return "deny";
	}
}

static bool has_any(struct json d, const char *key)
{
	return json_count(json_get(JSON_GET(d, "impact"), str_from(key))) > 0;
}

/*
 * Agent Policy has one resource per decision.  The first host or path stands for all; the
 * complete lists are in context.impact.
 */
static void put_resource(struct policy_form *f, struct json d)
{
	struct json impact = JSON_GET(d, "impact");

	if (has_any(d, "hosts"))
		put_party(f, "resource", "host", json_str(json_at(JSON_GET(impact, "hosts"), 0)),
		          STR_NONE);
	else if (has_any(d, "paths"))
		put_party(f, "resource", "path", json_str(json_at(JSON_GET(impact, "paths"), 0)),
		          STR_NONE);
	else
		put_party(f, "resource", "tool", STR_NONE, text_of(f->payload, "toolName"));
}

/* High: the call destroys data.  Low: rules and mode allow it without a question. */
static void put_scope(struct policy_form *f, struct json d)
{
	bool is_open = str_eq(str_from(result_of(text_of(d, "decision"))), STR("allow"));

	open_obj(f, "scope");
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
static void put_of_records(struct policy_form *f, struct json d, const char *list)
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

static void put_reasons(struct policy_form *f, struct json d)
{
	open_arr(f, "reason_codes");
	jw_str(f->w, text_of(d, "decisionSource"));
	if (json_bool(JSON_GET(d, "destructive"), false))
		jw_str(f->w, STR("destructive"));
	if (str_eq(text_of(d, "decision"), approval_decision_word(APPROVAL_DECISION_UNAVAILABLE)))
		jw_str(f->w, STR("unavailable"));
	put_of_records(f, d, "reasonCodes");
	jw_arr_end(f->w);
}

static void put_rules(struct policy_form *f, struct json d)
{
	struct json_iter it = json_iter(JSON_GET(d, "ruleRefs"));
	struct json each;
	struct str key;

	open_arr(f, "matched_rules");
	while (json_next(&it, &key, &each)) {
		jw_obj(f->w);
		JW_KSTR(f->w, "rule_id", json_str(each));
		jw_obj_end(f->w);
	}
	jw_arr_end(f->w);
}

/* "sandboxed" is an allow with one obligation. */
static void put_obligations(struct policy_form *f, struct json d)
{
	open_arr(f, "obligations");
	if (str_eq(text_of(d, "decision"), approval_decision_word(APPROVAL_DECISION_SANDBOXED))) {
		jw_obj(f->w);
		JW_KSTR(f->w, "type", STR("sandbox"));
		jw_obj_end(f->w);
	}
	put_of_records(f, d, "obligations");
	jw_arr_end(f->w);
}

static void put_context(struct policy_form *f, struct json d)
{
	open_obj(f, "context");
	put_text(f, "mode", text_of(d, "mode"));
	put_text(f, "source", text_of(d, "decisionSource"));
	put_text(f, "reason", text_of(d, "decisionReason"));
	put_text(f, "reach", text_of(d, "scope"));
	put_value(f, "destructive", JSON_GET(d, "destructive"));
	put_value(f, "impact", JSON_GET(d, "impact"));
	put_text(f, "rollback_advice", text_of(d, "rollbackAdvice"));
	put_text(f, "network", text_of(d, "networkDecision"));
	jw_obj_end(f->w);
}

static void put_decision_refs(struct policy_form *f, struct json d)
{
	struct json_iter it = json_iter(JSON_GET(d, "policyRecords"));
	struct json record;
	struct str key;

	open_arr(f, "refs");
	put_ref(f, "runtime_event", text_of(f->ev, "eventId"));
	put_ref(f, "approval_request", text_of(d, "approvalActionId"));
	put_ref(f, "input", text_of(d, "updatedInputRef"));
	while (json_next(&it, &key, &record))
		put_ref(f, "policy_record", text_of(record, "recordId"));
	jw_arr_end(f->w);
}

static void put_subject(struct policy_form *f)
{
	struct str child = text_of(f->ev, "subagentId");

	put_party(f, "subject", str_is(child) ? "agent" : "session",
	          str_is(child) ? child : text_of(f->ev, "sessionId"), STR_NONE);
}

static void put_decision(struct policy_form *f, struct json d)
{
	open_obj(f, "decision");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "decision_id", text_of(d, "decisionId"));
	JW_KSTR(f->w, "evaluated_at", text_of(f->ev, "timestamp"));
	put_subject(f);
	put_party(f, "action", "tool_call", text_of(f->ev, "toolCallId"),
	          text_of(f->payload, "toolName"));
	put_resource(f, d);
	put_context(f, d);
	put_scope(f, d);
	JW_KSTR(f->w, "result", str_from(result_of(text_of(d, "decision"))));
	put_reasons(f, d);
	put_rules(f, d);
	put_obligations(f, d);
	put_text(f, "expires_at", text_of(d, "expiresAt"));
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

	return str_eq(text_of(last, "kind"), policy_record_kind_word(POLICY_RECORD_KIND_WAIVER))
	               ? last
	               : none;
}

static void put_waiver(struct policy_form *f, struct json d, struct json waiver)
{
	open_obj(f, "waiver_record");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "waiver_id", text_of(waiver, "recordId"));
	JW_KSTR(f->w, "decision_id", text_of(d, "decisionId"));
	JW_KSTR(f->w, "original_result", STR("ask"));
	put_value(f, "waived_by", JSON_GET(waiver, "by"));
	JW_KSTR(f->w, "justification", text_of(waiver, "justification"));
	put_value(f, "scope", JSON_GET(waiver, "scope"));
	JW_KSTR(f->w, "created_at", text_of(f->ev, "timestamp"));
	put_text(f, "expires_at", text_of(waiver, "expiresAt"));
	open_arr(f, "refs");
	put_ref(f, "record", text_of(waiver, "recordRef"));
	put_ref(f, "approval_request", text_of(f->ev, "actionId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/* Logs of old versions have decisions without ids; they have no record here. */
static bool write_decision(struct policy_form *f, bool is_answer, struct str *ret_name)
{
	struct json d = JSON_GET(f->ev, "permissionDecision"), waiver = { 0 };

	if (!str_is(text_of(d, "decisionId")))
		return false;
	if (is_answer)
		waiver = waiver_of(d);
	record_begin(f,
	             json_is(waiver) ? POLICY_EVENT_POLICY_WAIVER_CREATED
	             : is_answer     ? POLICY_EVENT_POLICY_DECISION_UPDATED
	                             : POLICY_EVENT_POLICY_DECISION_CREATED,
	             ret_name);
	put_text(f, "decision_id", text_of(d, "decisionId"));
	put_text(f, "waiver_id", text_of(waiver, "recordId"));
	put_subject(f);
	open_obj(f, "payload");
	put_decision(f, d);
	if (json_is(waiver))
		put_waiver(f, d, waiver);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/* ---- approvals ---- */

static void put_choice(struct policy_form *f, const char *id, const char *label, struct json scopes)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "id", str_from(id));
	JW_KSTR(f->w, "label", str_from(label));
	put_value(f, "scopes", scopes);
	jw_obj_end(f->w);
}

/*
 * The choices are those of the action, so a client cannot offer an answer that the runtime
 * refuses.
 */
static void put_choices(struct policy_form *f)
{
	struct json_iter it = json_iter(JSON_GET(f->payload, "decisions"));
	struct json none = { 0 }, each;
	struct str key;

	open_arr(f, "choices");
	while (json_next(&it, &key, &each)) {
		if (!str_eq(text_of(each, "decision"),
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

static void put_request(struct policy_form *f, struct str decision_id)
{
	open_obj(f, "approval_request");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "approval_id", text_of(f->ev, "actionId"));
	JW_KSTR(f->w, "decision_id", decision_id);
	put_party(f, "requested_action", "tool_call", text_of(f->ev, "toolCallId"),
	          text_of(f->payload, "toolName"));
	put_party(f, "required_approver", "human", STR_NONE, STR_NONE);
	JW_KSTR(f->w, "prompt", text_of(f->payload, "prompt"));
	put_choices(f);
	JW_KSTR(f->w, "default_action", text_of(f->payload, "onExpiry"));
	JW_KSTR(f->w, "status", approval_status_word(APPROVAL_STATUS_PENDING));
	JW_KSTR(f->w, "created_at", text_of(f->ev, "timestamp"));
	put_text(f, "expires_at", text_of(JSON_GET(f->payload, "wait"), "until"));
	open_arr(f, "refs");
	put_ref(f, "runtime_event", text_of(f->ev, "eventId"));
	put_ref(f, "input", text_of(JSON_GET(f->ev, "refs"), "input"));
	put_ref(f, "parent_thread", text_of(f->payload, "parentThreadId"));
	put_ref(f, "agent", text_of(f->payload, "subagentId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
}

/*
 * Plans, questions and credentials are actions too, and no approvals in the sense of Agent
 * Policy.
 */
static bool is_approval(struct json payload)
{
	enum action_type type = rec_enum_read(&enum_action_type, text_of(payload, "actionType"));

	return type == ACTION_TYPE_TOOL_PERMISSION || type == ACTION_TYPE_ESCALATION;
}

static bool write_request(struct policy_form *f, struct str *ret_name)
{
	struct str decision_id = text_of(JSON_GET(f->payload, "policy"), "decisionId");

	if (!is_approval(f->payload))
		return false;
	/* An action of a setting (the price of a model) has no decision of a call. */
	if (!str_is(decision_id))
		decision_id = text_of(f->ev, "eventId");
	record_begin(f, POLICY_EVENT_POLICY_APPROVAL_REQUESTED, ret_name);
	JW_KSTR(f->w, "decision_id", decision_id);
	JW_KSTR(f->w, "approval_id", text_of(f->ev, "actionId"));
	put_subject(f);
	open_obj(f, "payload");
	put_request(f, decision_id);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/*
 * A timeout carries the default decision, which no person made: it is "expired" and not
 * "denied".
 */
static enum approval_status answered(struct policy_form *f)
{
	enum status status = rec_enum_read(&enum_status, text_of(f->ev, "status"));

	if (status == STATUS_TIMED_OUT)
		return APPROVAL_STATUS_EXPIRED;
	switch ((enum approval_decision)rec_enum_read(&enum_approval_decision,
	                                              text_of(f->payload, "decision"))) {
	case APPROVAL_DECISION_ALLOW:
		return str_is(text_of(f->payload, "inputRef")) ? APPROVAL_STATUS_MODIFIED
		                                               : APPROVAL_STATUS_APPROVED;
	case APPROVAL_DECISION_DENY:
		return APPROVAL_STATUS_DENIED;
	default:
		return APPROVAL_STATUS_CANCELLED;
	}
}

static bool write_response(struct policy_form *f, struct str *ret_name)
{
	struct json by = JSON_GET(f->payload, "decidedBy");

	if (!is_approval(f->payload))
		return false;
	record_begin(f, POLICY_EVENT_POLICY_APPROVAL_RESPONDED, ret_name);
	JW_KSTR(f->w, "approval_id", text_of(f->ev, "actionId"));
	open_obj(f, "payload");
	JW_KSTR(f->w, "approval_id", text_of(f->ev, "actionId"));
	JW_KSTR(f->w, "status", approval_status_word(answered(f)));
	open_obj(f, "response");
	JW_KSTR(f->w, "decision", text_of(f->payload, "decision"));
	open_obj(f, "decided_by");
	JW_KSTR(f->w, "type", text_of(by, "kind"));
	put_text(f, "id", text_of(by, "principal"));
	put_text(f, "name", text_of(by, "policy"));
	jw_obj_end(f->w);
	JW_KSTR(f->w, "decided_at", text_of(f->ev, "timestamp"));
	put_text(f, "scope", text_of(f->payload, "scope"));
	put_text(f, "reason", text_of(f->payload, "reason"));
	put_text(f, "updated_input_ref", text_of(f->payload, "inputRef"));
	put_value(f, "waited_ms", JSON_GET(f->payload, "waitedMs"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

/* ---- grants ---- */

static void put_constraints(struct policy_form *f)
{
	struct json match = JSON_GET(f->payload, "match");

	open_obj(f, "constraints");
	put_text(f, "scope", text_of(f->payload, "scope"));
	put_value(f, "command", JSON_GET(match, "command"));
	put_text(f, "path", text_of(match, "path"));
	put_text(f, "host", text_of(match, "host"));
	put_text(f, "definition", text_of(match, "definition"));
	put_text(f, "workspace", text_of(f->payload, "cwd"));
	put_value(f, "revocable", JSON_GET(f->payload, "revocable"));
	jw_obj_end(f->w);
}

static void put_grant(struct policy_form *f)
{
	/* A grant with a directory belongs to the workspace and outlives the session. */
	struct str place = text_of(f->payload, "cwd");

	open_obj(f, "permission_grant");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "grant_id", text_of(f->payload, "grantId"));
	put_text(f, "approval_id", text_of(f->ev, "actionId"));
	put_party(f, "granted_to", str_is(place) ? "workspace" : "session",
	          str_is(place) ? place : text_of(f->ev, "sessionId"), STR_NONE);
	put_party(f, "capability", "tool_call", STR_NONE,
	          text_of(JSON_GET(f->payload, "match"), "tool"));
	put_constraints(f);
	open_obj(f, "issued_by");
	JW_KSTR(f->w, "type", text_of(f->payload, "source"));
	jw_obj_end(f->w);
	JW_KSTR(f->w, "issued_at", text_of(f->ev, "timestamp"));
	put_text(f, "expires_at", text_of(f->payload, "expiresAt"));
	JW_KSTR(f->w, "status", policy_grant_status_word(POLICY_GRANT_STATUS_ACTIVE));
	jw_obj_end(f->w);
}

static void put_grant_end(struct policy_form *f, enum policy_grant_status status)
{
	open_obj(f, "grant_change");
	JW_KSTR(f->w, "grant_id", text_of(f->payload, "grantId"));
	JW_KSTR(f->w, "status", policy_grant_status_word(status));
	JW_KSTR(f->w, "revoked_at", text_of(f->ev, "timestamp"));
	open_obj(f, "revoked_by");
	JW_KSTR(f->w, "type", text_of(f->payload, "source"));
	jw_obj_end(f->w);
	put_text(f, "revocation_reason", text_of(f->payload, "reason"));
	jw_obj_end(f->w);
}

static bool write_grant(struct policy_form *f, struct str *ret_name)
{
	enum policy_change change =
		rec_enum_read(&enum_policy_change, text_of(f->payload, "change"));
	bool is_new = change == POLICY_CHANGE_GRANT_ADDED;

	if (!is_new && change != POLICY_CHANGE_GRANT_REVOKED &&
	    change != POLICY_CHANGE_GRANT_EXPIRED)
		return false;
	record_begin(f,
	             is_new ? POLICY_EVENT_POLICY_GRANT_ISSUED : POLICY_EVENT_POLICY_GRANT_REVOKED,
	             ret_name);
	put_text(f, "grant_id", text_of(f->payload, "grantId"));
	put_text(f, "approval_id", text_of(f->ev, "actionId"));
	open_obj(f, "payload");
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
static bool write_trace(struct policy_form *f, struct str *ret_name)
{
	struct str decision_id = text_of(f->payload, "decisionId"),
		   call = text_of(f->ev, "toolCallId");

	if (!str_is(decision_id) || !str_is(call))
		return false;
	record_begin(f, POLICY_EVENT_POLICY_TRACE_LINKED, ret_name);
	JW_KSTR(f->w, "decision_id", decision_id);
	JW_KSTR(f->w, "trace_id", call);
	open_obj(f, "payload");
	open_obj(f, "policy_trace");
	JW_KSTR(f->w, "schema_version", POLICY_SCHEMA);
	JW_KSTR(f->w, "trace_id", call);
	JW_KSTR(f->w, "created_at", text_of(f->ev, "timestamp"));
	open_arr(f, "decision_refs");
	put_ref(f, "decision", decision_id);
	jw_arr_end(f->w);
	open_arr(f, "runtime_refs");
	put_ref(f, "tool_call", call);
	put_ref(f, "process", text_of(f->ev, "processId"));
	put_ref(f, "output", text_of(f->ev, "outputRef"));
	put_ref(f, "runtime_event", text_of(f->ev, "eventId"));
	jw_arr_end(f->w);
	open_arr(f, "telemetry_refs");
	put_ref(f, "trace", text_of(f->ev, "traceId"));
	put_ref(f, "span", text_of(f->ev, "spanId"));
	jw_arr_end(f->w);
	jw_obj_end(f->w);
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

bool agent_policy_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct policy_form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };

	switch ((enum event_type)rec_enum_read(&enum_event_type, text_of(ev, "type"))) {
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

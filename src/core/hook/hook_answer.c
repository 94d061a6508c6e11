/*
 * Reads the output of a hook.
 *
 * Accepted are our own words and those of common hook scripts:
 *
 *	{ "continue": false, "stopReason": "…" }
 *	{ "decision": "block" | "approve" | "allow" | "deny" | "ask", "reason": "…" }
 *	{ "hookSpecificOutput": { "permissionDecision": "allow" | "deny" | "ask",
 *	    "permissionDecisionReason": "…", "updatedInput": {…},
 *	    "additionalContext": "…" } }
 *	{ "updatedInput": {…}, "updatedToolOutput": "…", "additionalContext": "…",
 *	  "suppressOutput": true }
 *	{ "policyDecision": {…} }, or that record alone (policy/external_record.h)
 *
 * Any other word is a failure: a hook that was not understood has not agreed.
 */
#include "core/hook/hook.h"

#include "policy/external_record.h"

#include "base/utf8.h"

static struct json member_of_either(struct json first, struct json second, struct str key)
{
	struct json v = json_get(first, key);

	return json_is(v) ? v : json_get(second, key);
}

/* `approve` is a word of common hook scripts. */
static enum err read_decision(struct str word, enum hook_decision *ret, struct error *e)
{
	if (str_eq(word, STR("approve")))
		*ret = HOOK_DECISION_ALLOW;
	else
		*ret = rec_enum_read(&enum_hook_decision, word);
	return *ret ? OK : fail(e, ERR_INVALID, "%.*s is no decision", STR_ARG(str_head(word, 40)));
}

static struct str text_of(struct arena *mem, struct json v)
{
	if (json_type(v) == JSON_STR)
		return json_str(v);
	return json_is(v) ? json_text(mem, v) : STR_NONE;
}

/* Elsewhere there is nothing to decide on, so a record there is a mistake. */
static bool takes_policy(enum hook_point point)
{
	return point == HOOK_POINT_PRE_TOOL_USE || point == HOOK_POINT_PERMISSION_REQUEST ||
	       point == HOOK_POINT_USER_PROMPT_SUBMIT;
}

/* A prompt is accepted or not; a hook that would ask a person about it does not accept it. */
static enum hook_decision decision_at(enum hook_point point, enum hook_decision says)
{
	return point == HOOK_POINT_USER_PROMPT_SUBMIT && says == HOOK_DECISION_ASK
	               ? HOOK_DECISION_BLOCK
	               : says;
}

static enum hook_decision decision_of_policy(enum approval_decision says)
{
	switch (says) {
	case APPROVAL_DECISION_ALLOW:
		return HOOK_DECISION_ALLOW;
	case APPROVAL_DECISION_DENY:
		return HOOK_DECISION_DENY;
	case APPROVAL_DECISION_ASK:
		return HOOK_DECISION_ASK;
	default:
		return HOOK_DECISION_CONTINUE;
	}
}

/* The size is bounded, because the record becomes part of an event. */
static enum err read_policy(struct arena *mem, struct json record, enum hook_point point,
                            int64_t now, struct hook_answer *ret, struct error *e)
{
	struct str why;
	enum err code;

	if (!takes_policy(point))
		return fail(e, ERR_INVALID, "a policy decision is not taken at %.*s",
		            STR_ARG(hook_point_word(point)));
	ret->policy = ARENA_NEW(mem, struct rec_policy_record);
	ret->policy_text = json_text(mem, record);
	if (ret->policy_text.len > POLICY_RECORD_BYTES)
		return fail(e, ERR_INVALID, "the policy record is too large");
	code = external_record_read(mem, record, ret->policy, e);
	if (code)
		return code;
	if (ret->policy->kind != POLICY_RECORD_KIND_DECISION)
		return fail(e, ERR_INVALID, "a hook answers with a decision, not with a %.*s",
		            STR_ARG(policy_record_kind_word(ret->policy->kind)));
	ret->decision = decision_of_policy(external_record_says(mem, ret->policy, now, &why));
	ret->reason = why;
	return OK;
}

/*
 * Members of hookSpecificOutput precede those of the object.  `continue: false` blocks whatever
 * else is said.
 */
static enum err read_object(struct arena *mem, struct json v, struct hook_answer *ret,
                            struct error *e)
{
	struct json more = JSON_GET(v, "hookSpecificOutput");
	struct str word = json_str(JSON_GET(more, "permissionDecision"));
	struct json input = member_of_either(more, v, STR("updatedInput"));
	enum err code = OK;

	if (!str_is(word))
		word = json_str(JSON_GET(v, "decision"));
	ret->reason = json_str(JSON_GET(more, "permissionDecisionReason"));
	if (!str_is(ret->reason))
		ret->reason = json_str(JSON_GET(v, "reason"));
	if (str_is(word))
		code = read_decision(word, &ret->decision, e);
	if (json_type(JSON_GET(v, "continue")) == JSON_BOOL &&
	    !json_bool(JSON_GET(v, "continue"), true)) {
		ret->decision = HOOK_DECISION_BLOCK;
		if (!str_is(ret->reason))
			ret->reason = json_str(JSON_GET(v, "stopReason"));
	}
	if (json_is(input) && json_type(input) != JSON_OBJ)
		return fail(e, ERR_INVALID, "updatedInput is no object");
	if (json_is(input))
		ret->updated_input = json_text(mem, input);
	ret->updated_output = text_of(mem, member_of_either(more, v, STR("updatedToolOutput")));
	ret->context = text_of(mem, member_of_either(more, v, STR("additionalContext")));
	ret->suppress_output = json_bool(JSON_GET(v, "suppressOutput"), false);
	return code;
}

static bool takes_text(enum hook_point point)
{
	return point == HOOK_POINT_SESSION_START || point == HOOK_POINT_USER_PROMPT_SUBMIT;
}

/* Plain words beside a bare policy record are contradictory. */
static bool has_own_words(struct json v)
{
	return json_is(JSON_GET(v, "decision")) || json_is(JSON_GET(v, "continue")) ||
	       json_is(JSON_GET(v, "hookSpecificOutput")) || json_is(JSON_GET(v, "policyDecision"));
}

/* Plain words or an Agent Policy record; a mixture or a part of one is a failure. */
static enum err read_json(struct arena *mem, struct json v, enum hook_point point, int64_t now,
                          struct hook_answer *ret, struct error *e)
{
	struct json inner = json_get(JSON_GET(v, "hookSpecificOutput"), STR("policyDecision"));
	struct json outer = JSON_GET(v, "policyDecision");
	enum err code;

	if (takes_policy(point) && external_record_is_meant(v) &&
	    (!external_record_is(v) || has_own_words(v)))
		return fail(e, ERR_INVALID,
		            "it is half a policy record, or says something besides");
	if (external_record_is(v))
		return read_policy(mem, v, point, now, ret, e);
	if (json_is(inner) && json_is(outer))
		return fail(e, ERR_INVALID, "it contains two policyDecisions");
	code = read_object(mem, v, ret, e);
	if (code || (!json_is(inner) && !json_is(outer)))
		return code;
	if (ret->decision != HOOK_DECISION_CONTINUE)
		return fail(e, ERR_INVALID, "it contains a decision and a policyDecision");
	return read_policy(mem, json_is(inner) ? inner : outer, point, now, ret, e);
}

/*
 * An empty output is no objection.  Text that begins like an object must be one: a truncated object
 * must not count as agreement.
 */
enum err hook_answer_read(struct arena *mem, enum hook_point point, int64_t now, int64_t exit_code,
                          struct str out, struct str err_out, struct hook_answer *ret,
                          struct error *e)
{
	struct str text = str_trim(out);
	struct json v;

	*ret = (struct hook_answer){ .decision = HOOK_DECISION_CONTINUE };
	if (exit_code == 2) {
		ret->decision = HOOK_DECISION_BLOCK;
		ret->reason = utf8_preview(mem, str_trim(err_out), 2000);
		return OK;
	}
	if (exit_code)
		return fail(e, ERR_INVALID, "it ended with status %lld: %.*s", (long long)exit_code,
		            STR_ARG(utf8_preview(mem, str_trim(err_out), 200)));
	if (!text.len)
		return OK;
	if (text.ptr[0] == '{') {
		enum err code = json_read(mem, text, &v, e);

		if (code == OK)
			code = read_json(mem, v, point, now, ret, e);
		ret->decision = decision_at(point, ret->decision);
		return code;
	}
	if (takes_text(point))
		ret->context = arena_keep(mem, text);
	return OK;
}

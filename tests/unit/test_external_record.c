/* Agent Policy records: the effect of each, and the refusal of incomplete ones. */
#include "base/jw.h"
#include "core/hook/hook.h"
#include "policy/external_record.h"
#include "lib/t.h"

#define NOW 1000

#define DECISION(result, more)                                                                     \
	"{\"schema_version\":\"0.1.0\",\"decision_id\":\"pd_1\",\"policy_set_id\":\"house\","      \
	"\"evaluated_at\":\"2026-05-08T10:00:00Z\",\"subject\":{\"type\":\"agent\"},"              \
	"\"action\":{\"type\":\"tool_call\"},\"resource\":{\"type\":\"workspace\"},\"context\":{}" \
	","                                                                                        \
	"\"scope\":{\"scope_type\":\"tool_call\",\"risk_level\":\"high\"},"                        \
	"\"result\":\"" result "\",\"reason_codes\":[\"risk\",\"shell\"]" more "}"
#define WAIVER(more)                                                                               \
	"{\"schema_version\":\"0.1.0\",\"waiver_id\":\"w_1\",\"decision_id\":\"poldec_1\","        \
	"\"waived_by\":{\"type\":\"user\",\"id\":\"ada\"},\"justification\":\"a drill\","          \
	"\"scope\":{\"scope_type\":\"filesystem\",\"risk_level\":\"low\"},"                        \
	"\"created_at\":\"2026-05-08T10:00:00Z\"" more "}"
#define APPROVAL(status)                                                                           \
	"{\"schema_version\":\"0.1.0\",\"approval_id\":\"act_1\",\"decision_id\":\"poldec_1\","    \
	"\"requested_action\":{\"type\":\"tool_call\"},\"required_approver\":{\"type\":\"user\"}," \
	"\"prompt\":\"?\",\"choices\":[{\"id\":\"deny\",\"label\":\"Deny\"}],"                     \
	"\"default_action\":\"deny\",\"status\":\"" status                                         \
	"\",\"created_at\":\"2026-05-08T10:00:00Z\"}"
#define GRANT(status)                                                                              \
	"{\"schema_version\":\"0.1.0\",\"grant_id\":\"g_1\",\"approval_id\":\"act_1\","            \
	"\"granted_to\":{\"type\":\"session\"},\"capability\":{\"type\":\"tool_call\"},"           \
	"\"constraints\":{\"scope\":\"session\"},\"issued_by\":{\"type\":\"user\"},"               \
	"\"issued_at\":\"2026-05-08T10:00:00Z\",\"status\":\"" status "\"}"

static enum err read_text(struct arena *mem, const char *text, struct rec_policy_record *r,
                          struct error *e)
{
	struct json v;

	CHECK_OK(json_read(mem, str_from(text), &v, e), e);
	return external_record_read(mem, v, r, e);
}

static enum approval_decision says(struct arena *mem, const char *text, struct str *why)
{
	struct rec_policy_record r;
	struct error e = { 0 };

	CHECK_OK(read_text(mem, text, &r, &e), &e);
	return external_record_says(mem, &r, NOW, why);
}

TEST(each_word_has_its_consequence)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const struct {
		const char *text;
		enum approval_decision says;
	} rows[] = {
		{ DECISION("allow", ""), APPROVAL_DECISION_ALLOW },
		{ DECISION("deny", ""), APPROVAL_DECISION_DENY },
		{ DECISION("ask", ""), APPROVAL_DECISION_ASK },
		{ DECISION("defer", ""), APPROVAL_DECISION_ASK },
		{ DECISION("escalate", ""), APPROVAL_DECISION_ASK },
		{ DECISION("waive", ""), APPROVAL_DECISION_ALLOW },
		{ DECISION("not_applicable", ""), 0 },
		{ DECISION("indeterminate", ""), APPROVAL_DECISION_DENY },
		{ WAIVER(""), APPROVAL_DECISION_ALLOW },
		{ APPROVAL("approved"), APPROVAL_DECISION_ALLOW },
		{ APPROVAL("modified"), APPROVAL_DECISION_ALLOW },
		{ APPROVAL("denied"), APPROVAL_DECISION_DENY },
		{ APPROVAL("expired"), APPROVAL_DECISION_DENY },
		{ APPROVAL("cancelled"), APPROVAL_DECISION_DENY },
		{ APPROVAL("escalated"), APPROVAL_DECISION_ASK },
		{ APPROVAL("pending"), APPROVAL_DECISION_ASK },
		{ GRANT("active"), APPROVAL_DECISION_ALLOW },
		{ GRANT("pending"), APPROVAL_DECISION_ASK },
		{ GRANT("expired"), 0 },
		{ GRANT("revoked"), 0 },
		{ GRANT("superseded"), 0 },
	};
	struct str why;

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_INT(says(mem, rows[i].text, &why), rows[i].says);
	CHECK_INT(says(mem, DECISION("ask", ""), &why), APPROVAL_DECISION_ASK);
	CHECK_STR(why, "the policy's decision pd_1 says ask: risk, shell");
}

TEST(what_is_over_allows_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str why;

	CHECK_INT(says(mem, DECISION("allow", ",\"expires_at\":\"1970-01-01T00:00:01Z\""), &why),
	          APPROVAL_DECISION_DENY);
	CHECK_STR(why, "the policy's decision pd_1 is over");
	CHECK_INT(says(mem, DECISION("allow", ",\"expires_at\":\"1970-01-01T00:00:02Z\""), &why),
	          APPROVAL_DECISION_ALLOW);
	CHECK_INT(says(mem, WAIVER(",\"expires_at\":\"1970-01-01T00:00:01Z\""), &why),
	          APPROVAL_DECISION_DENY);
}

TEST(an_obligation_is_kept_or_asked_about)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const struct {
		const char *list;
		enum approval_decision says;
		enum sandbox_mode sandbox;
		enum network_mode network;
	} rows[] = {
		{ "[]", APPROVAL_DECISION_ALLOW, 0, 0 },
		{ "[{\"type\":\"audit\"},{\"type\":\"keep_audit_shape\"}]", APPROVAL_DECISION_ALLOW,
		  0, 0 },
		{ "[{\"type\":\"sandbox\",\"profile\":\"read-only\"}]", APPROVAL_DECISION_ALLOW,
		  SANDBOX_MODE_READ_ONLY, 0 },
		{ "[{\"type\":\"sandbox\",\"mode\":\"workspace_write\"},"
		  "{\"type\":\"sandbox\",\"profile\":\"read_only\"},"
		  "{\"type\":\"network\",\"mode\":\"off\"}]",
		  APPROVAL_DECISION_ALLOW, SANDBOX_MODE_READ_ONLY, NETWORK_MODE_OFF },
		{ "[{\"type\":\"network\",\"mode\":\"restricted\"},{\"type\":\"network\",\"mode\":"
		  "\"full\"}]",
		  APPROVAL_DECISION_ALLOW, 0, NETWORK_MODE_RESTRICTED },
		{ "[{\"type\":\"sandbox\",\"profile\":\"danger_full_access\"}]",
		  APPROVAL_DECISION_ALLOW, 0, 0 },
		{ "[{\"type\":\"sandbox\",\"profile\":\"workspace_command\"}]",
		  APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{\"type\":\"sandbox\"}]", APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{\"type\":\"network\",\"mode\":\"some\"}]", APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{\"type\":\"audit\"},{\"type\":\"redact_before_export\"}]",
		  APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{}]", APPROVAL_DECISION_ASK, 0, 0 },
		/* more than is understood, or two things at once */
		{ "[{\"type\":\"audit\",\"sink\":\"s3\"}]", APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{\"type\":\"network\",\"mode\":\"restricted\",\"allow\":[\"x\"]}]",
		  APPROVAL_DECISION_ASK, 0, 0 },
		{ "[{\"type\":\"sandbox\",\"profile\":\"workspace_write\",\"mode\":\"read_only\"}]",
		  APPROVAL_DECISION_ASK, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (int waived = 0; waived < 2; waived++) {
			struct str text =
				arena_printf(mem,
			                     waived ? DECISION("waive", ",\"obligations\":%s")
			                            : DECISION("allow", ",\"obligations\":%s"),
			                     rows[i].list);
			struct rec_policy_record r, *list[] = { &r };
			struct rec_sandbox_override o = { 0 };
			struct error e = { 0 };
			struct str why;

			CHECK_OK(read_text(mem, text.ptr, &r, &e), &e);
			CHECK_INT(external_record_says(mem, &r, NOW, &why), rows[i].says);
			CHECK_INT(str_is(external_record_unkept(mem, &r)),
			          rows[i].says == APPROVAL_DECISION_ASK);
			CHECK_INT(external_record_narrow(mem, list, 1, &o),
			          rows[i].sandbox || rows[i].network);
			CHECK_INT(o.at_most, rows[i].sandbox);
			CHECK_INT(o.network_at_most, rows[i].network);
		}
}

TEST(what_it_said_is_kept)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rec_policy_record r;
	struct error e = { 0 };

	CHECK_OK(read_text(mem,
	                   DECISION("allow", ",\"policy_version\":\"7\",\"obligations\":[{"
	                                     "\"type\":\"audit\"}]"),
	                   &r, &e),
	         &e);
	CHECK_STR(r.record_id, "pd_1");
	CHECK_STR(r.policy_set_id, "house");
	CHECK_STR(r.policy_version, "7");
	CHECK_STR(r.scope, "{\"scope_type\":\"tool_call\",\"risk_level\":\"high\"}");
	CHECK_STR(r.obligations, "[{\"type\":\"audit\"}]");
	CHECK(!str_is(r.decision_id) && r.reason_codes.count == 2);
	CHECK_OK(read_text(mem, WAIVER(""), &r, &e), &e);
	CHECK_STR(r.decision_id, "poldec_1");
	CHECK_STR(r.by, "{\"type\":\"user\",\"id\":\"ada\"}");
	CHECK_STR(r.justification, "a drill");
}

/* Each member that a record must have, gone or of another kind. */
TEST(half_a_record_is_none)
{
	static const char *const whole[] = { DECISION("allow", ""), WAIVER(""),
		                             APPROVAL("approved"), GRANT("active") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(whole); i++) {
		struct json v, each;
		struct error e = { 0 };
		struct str key, left_out;
		struct json_iter it;

		CHECK_OK(json_read(mem, str_from(whole[i]), &v, &e), &e);
		it = json_iter(v);
		while (json_next(&it, &left_out, &each))
			for (int how = 0; how < 2; how++) {
				struct json_iter in = json_iter(v);
				struct buf out = { 0 };
				struct json_writer w;
				struct rec_policy_record r;

				jw_init(&w, &out);
				jw_obj(&w);
				while (json_next(&in, &key, &each)) {
					if (!str_eq(key, left_out)) {
						jw_key(&w, key);
						jw_value(&w, each);
					} else if (how) {
						jw_key(&w, key);
						jw_int(&w, 7);
					}
				}
				jw_obj_end(&w);
				bool may_miss = str_eq(left_out, STR("policy_set_id")) ||
				                (i == 3 && str_eq(left_out, STR("approval_id")));
				enum err code =
					read_text(mem, arena_keep(mem, buf_str(&out)).ptr, &r, &e);

				if (!may_miss && code == OK)
					fprintf(stderr, "taken: %.*s\n", STR_ARG(buf_str(&out)));
				CHECK(may_miss || code == ERR_INVALID);
				buf_done(&out);
			}
	}
}

TEST(odd_records_are_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const char *const rows[] = {
		"{}",
		"{\"schema_version\":\"0.1.0\"}",
		DECISION("maybe", ""),
		DECISION("Allow", ""),
		APPROVAL("fine"),
		GRANT("on"),
		DECISION("allow", ",\"expires_at\":\"soon\""),
		DECISION("allow", ",\"expires_at\":5"),
		DECISION("allow", ",\"obligations\":{}"),
		DECISION("allow", ",\"obligations\":[\"sandbox\"]"),
	};
	struct rec_policy_record r;
	struct error e = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_INT(read_text(mem, rows[i], &r, &e), ERR_INVALID);

	struct buf big = { 0 };

	buf_printf(&big, "%s", ",\"obligations\":[");
	for (int i = 0; i < 300; i++)
		buf_printf(&big, "%s{\"type\":\"audit\"}", i ? "," : "");
	buf_add_str(&big, STR("]"));
	CHECK_INT(
		read_text(mem,
	                  arena_printf(mem, DECISION("allow", "%.*s"), STR_ARG(buf_str(&big))).ptr,
	                  &r, &e),
		ERR_INVALID);
	buf_done(&big);
}

/* ---- as the answer of a hook ---- */

static enum err hear(struct arena *mem, enum hook_point point, const char *out,
                     struct hook_answer *a, struct error *e)
{
	return hook_answer_read(mem, point, NOW, 0, str_from(out), STR(""), a, e);
}

TEST(a_hook_may_answer_with_a_decision)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const char *const forms[] = {
		DECISION("ask", ""),
		"{\"policyDecision\":" DECISION("ask", "") "}",
		"{\"hookSpecificOutput\":{\"policyDecision\":" DECISION("ask", "") "}}",
		"{\"additionalContext\":\"more\",\"policyDecision\":" DECISION("ask", "") "}",
	};
	struct hook_answer a;
	struct error e = { 0 };

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		CHECK_OK(hear(mem, HOOK_POINT_PRE_TOOL_USE, forms[i], &a, &e), &e);
		CHECK_INT(a.decision, HOOK_DECISION_ASK);
		CHECK(a.policy && str_eq(a.policy->record_id, STR("pd_1")));
		CHECK_STR(a.reason, "the policy's decision pd_1 says ask: risk, shell");
	}
	CHECK_OK(hear(mem, HOOK_POINT_PERMISSION_REQUEST, DECISION("indeterminate", ""), &a, &e),
	         &e);
	CHECK_INT(a.decision, HOOK_DECISION_DENY);
	CHECK_OK(hear(mem, HOOK_POINT_PRE_TOOL_USE, DECISION("not_applicable", ""), &a, &e), &e);
	CHECK_INT(a.decision, HOOK_DECISION_CONTINUE);
	/* a prompt cannot be asked about */
	CHECK_OK(hear(mem, HOOK_POINT_USER_PROMPT_SUBMIT, DECISION("escalate", ""), &a, &e), &e);
	CHECK_INT(a.decision, HOOK_DECISION_BLOCK);
}

TEST(a_hook_that_is_unclear_has_failed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const struct {
		enum hook_point point;
		const char *out;
	} rows[] = {
		{ HOOK_POINT_PRE_TOOL_USE, "{\"policyDecision\":{}}" },
		{ HOOK_POINT_PRE_TOOL_USE, "{\"policyDecision\":\"allow\"}" },
		{ HOOK_POINT_PRE_TOOL_USE,
		  "{\"decision\":\"allow\",\"policyDecision\":" DECISION("allow", "") "}" },
		{ HOOK_POINT_PRE_TOOL_USE, WAIVER("") },
		{ HOOK_POINT_PRE_TOOL_USE, DECISION("allow", ",\"result\":\"deny\"") },
		{ HOOK_POINT_STOP, DECISION("allow", "") },
		{ HOOK_POINT_POST_TOOL_USE, DECISION("allow", "") },
	};
	struct hook_answer a;
	struct error e = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_INT(hear(mem, rows[i].point, rows[i].out, &a, &e), ERR_INVALID);
}

TEST_MAIN()

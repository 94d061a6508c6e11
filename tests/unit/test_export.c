/*
 * Export formats: every event has its record, nothing of it is lost, and its
 * words are those of the other standard.
 */
#include "base/jw.h"
#include "catalog/form_ui.h"
#include "export/export.h"
#include "lib/golden.h"
#include "lib/t.h"

#include <stdio.h>
#include <stdlib.h>

static struct json at(struct json v, struct str path)
{
	while (str_is(path))
		v = json_get(v, str_cut(&path, '.'));
	return v;
}
#define STR_AT(v, path) json_str(at((v), STR(path)))

static struct json parsed(struct arena *mem, struct str text)
{
	struct error e;
	struct json v;

	CHECK_OK(json_read(mem, text, &v, &e), &e);
	return v;
}

/* The record of an event, and its class there. */
static struct json told(struct arena *mem, struct json ev, struct str *ret_name)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct json v;

	jw_init(&w, &out);
	CHECK(export_write(EVENT_FORM_AGENT_UI, ev, &w, ret_name));
	v = parsed(mem, buf_str(&out)); /* strict: a duplicate key is invalid JSON */
	buf_done(&out);
	return v;
}

static struct json ui(struct arena *mem, const char *text)
{
	struct str name;
	struct json v = told(mem, parsed(mem, str_from(text)), &name);

	CHECK_SAME(json_str(JSON_GET(v, "type")), name);
	return v;
}

/* ---- what must hold of any event ---- */

static bool is_renamed(struct str key, struct str *ret)
{
	for (size_t i = 0; i < ui_rename_count; i++)
		if (str_eq(key, ui_renames[i].ours)) {
			*ret = ui_renames[i].theirs;
			return true;
		}
	return false;
}

/* Every member, ids and all, is there with its value; those of another meaning under another name. */
static void check_nothing_is_lost(struct json ev, struct json v)
{
	struct json_iter it = json_iter(ev);
	struct json member;
	struct str key, name;
	size_t count = 0;

	while (json_next(&it, &key, &member)) {
		CHECK(json_equal(json_get(v, is_renamed(key, &name) ? name : key), member));
		count++;
	}
	CHECK(count > 5);
}

static void check_words(struct json v)
{
	static const enum ui_word always[] = { UI_WORD_TYPE, UI_WORD_OWNER, UI_WORD_SCOPE,
		                               UI_WORD_SURFACE, UI_WORD_PERSISTENCE };

	for (size_t k = 0; k < UI_WORD_COUNT; k++) {
		struct json word = json_get(v, ui_keys[k].key);

		if (json_is(word))
			CHECK(rec_enum_read(ui_keys[k].words, json_str(word)) != 0);
	}
	for (size_t k = 0; k < COUNT_OF(always); k++)
		CHECK(json_is(json_get(v, ui_keys[always[k]].key)));
	if (json_is(JSON_GET(v, "runtimeStatus")))
		CHECK(rec_enum_read(&enum_ui_status, STR_AT(v, "runtimeStatus")) != 0);
	if (json_is(JSON_GET(v, "latestTurnStatus")))
		CHECK(rec_enum_read(&enum_ui_status, STR_AT(v, "latestTurnStatus")) != 0);
}

static void check_ids(struct json ev, struct json v)
{
	CHECK_SAME(STR_AT(v, "rawEventRef"), STR_AT(ev, "eventId"));
	CHECK_SAME(STR_AT(v, "runtimeType"), STR_AT(ev, "type"));
	CHECK_SAME(STR_AT(v, "partId"), STR_AT(ev, "stepId"));
	if (json_is(JSON_GET(ev, "subagentId")))
		CHECK_SAME(STR_AT(v, "agentId"), STR_AT(ev, "subagentId"));
}

static void check_event(struct arena *mem, struct json ev)
{
	struct str name;
	struct json v = told(mem, ev, &name);

	CHECK_SAME(STR_AT(v, "type"), name);
	check_nothing_is_lost(ev, v);
	check_words(v);
	check_ids(ev, v);
}

/* ---- every class ---- */

/* All ids that an envelope can have. */
static void write_full(struct json_writer *w, enum event_type type, enum status status,
                       enum phase phase)
{
	jw_obj(w);
	JW_KSTR(w, "type", event_type_word(type));
	for (uint32_t i = 0; i < event_desc.count; i++) {
		const struct field *f = &event_desc.fields[i];

		if (f->type == FIELD_ID ||
		    (f->type == FIELD_STR && str_ends(field_name(f), STR("Id"))))
			jw_kstr(w, field_name(f),
			        field_alias(f)); /* any value that tells it from the others */
	}
	JW_KINT(w, "sequence", 7);
	JW_KSTR(w, "timestamp", STR("2026-11-15T11:00:00.000Z"));
	JW_KSTR(w, "schemaVersion", SCHEMA_VERSION);
	JW_KSTR(w, "status", status_word(status));
	JW_KOPT(w, "phase", phase_word(phase));
	JW_KEY(w, "payload");
	jw_obj(w);
	JW_KSTR(w, "phase", STR("a phase of its own")); /* no clash: it is not the envelope's */
	JW_KSTR(w, "parentThreadId", STR("thr_parent"));
	jw_obj_end(w);
	jw_obj_end(w);
}

TEST(every_class_has_a_record_and_no_id_is_lost)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	unsigned count = 0;

	for (int type = 1; type < EV_COUNT; type++)
		for (int status = 1; status < STATUS_COUNT; status++) {
			struct buf out = { 0 };
			struct json_writer w;

			jw_init(&w, &out);
			write_full(&w, (enum event_type)type, (enum status)status,
			           (enum phase)(status % PHASE_COUNT));
			check_event(mem, parsed(mem, buf_str(&out)));
			buf_done(&out);
			arena_reset(mem);
			count++;
		}
	CHECK_INT(count, 120 * (STATUS_COUNT - 1));
}

TEST(the_words_are_those_of_the_standard)
{
	CHECK_INT(enum_ui_type.count - 1, 52);
	CHECK_INT(enum_ui_owner.count - 1, 15);
	CHECK_INT(enum_ui_scope.count - 1, 16);
	CHECK_INT(enum_ui_phase.count - 1, 19);
	CHECK_INT(enum_ui_surface.count - 1, 23);
	CHECK_INT(enum_ui_persistence.count - 1, 9);
	CHECK_INT(enum_ui_control.count - 1, 21);
	CHECK_INT(enum_ui_entity.count - 1, 6);
	CHECK_INT(enum_ui_status.count - 1, 16);
	CHECK_INT(enum_ui_artifact_status.count - 1, 8);
	for (int s = 1; s < STATUS_COUNT; s++)
		CHECK(ui_statuses[s] != UI_STATUS_ABSENT);
}

TEST(what_a_newer_runtime_wrote_has_no_word_and_leaves_no_trace)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json ev = parsed(mem, STR("{\"type\":\"turn.dreamt\",\"eventId\":\"evt_1\"}"));
	struct buf out = { 0 };
	struct json_writer w;
	struct str name = STR("untouched");

	jw_init(&w, &out);
	CHECK(!export_write(EVENT_FORM_AGENT_UI, ev, &w, &name));
	CHECK(!export_write(EVENT_FORM_ABSENT, ev, &w, &name));
	CHECK_INT(out.len, 0);
	CHECK_STR(name, "untouched");
}

/* ---- what the content decides ---- */

static const struct {
	const char *ev, *type, *phase, *more; /* more: key=value */
} cases[] = {
#define EV(type, rest) "{\"type\":\"" type "\",\"eventId\":\"evt_1\"," rest "}"
	{ EV("turn.submitted", "\"status\":\"accepted\",\"payload\":{\"kind\":\"user\"}"),
	  "run.status", "accepted", "runtimeEntity=agent_turn" },
	{ EV("turn.submitted", "\"status\":\"queued\",\"payload\":{\"kind\":\"subagent\"}"),
	  "run.status", "submitted", "runtimeEntity=subagent_turn" },
	{ EV("turn.submitted", "\"status\":\"accepted\",\"payload\":{\"kind\":\"job\"}"),
	  "run.status", "accepted", "runtimeEntity=automation_job" },
	{ EV("turn.started", "\"status\":\"preparing\",\"phase\":\"preparing\",\"payload\":{}"),
	  "run.started", "preparing", "runtimePhase=preparing" },
	{ EV("turn.started", "\"status\":\"running\",\"phase\":\"compacting\",\"payload\":{}"),
	  "run.started", "preparing", "runtimePhase=compacting" },
	{ EV("turn.completed", "\"status\":\"completed\",\"payload\":{}"), "run.finished",
	  "completed", "runtimeStatus=completed" },
	{ EV("turn.failed", "\"status\":\"failed\",\"payload\":{}"), "run.failed", "failed",
	  "runtimeStatus=failed" },
	{ EV("turn.failed", "\"status\":\"timed_out\",\"payload\":{}"), "run.failed", "failed",
	  "status=timed_out" },
	{ EV("turn.failed", "\"status\":\"cancelled\",\"payload\":{}"), "run.finished", "cancelled",
	  "runtimeStatus=cancelled" },
	{ EV("turn.failed", "\"status\":\"lost\",\"payload\":{}"), "run.failed", "interrupted",
	  "runtimeStatus=aborted" },
	{ EV("run.status", "\"status\":\"lost\",\"phase\":\"waiting\",\"payload\":{\"kind\":"
	                   "\"resume_required\"}"),
	  "run.status", "interrupted", "runtimePhase=waiting" },
	{ EV("task.progress", "\"status\":\"running\",\"phase\":\"verifying\",\"payload\":{}"),
	  "task.changed", "reviewing", "runtimePhase=verifying" },
	{ EV("task.lost", "\"status\":\"lost\",\"payload\":{}"), "task.changed", "interrupted",
	  "status=lost" },
	{ EV("model.delta", "\"payload\":{\"kind\":\"text\",\"text\":\"hi\"}"), "text.delta",
	  "producing", "surface=conversation" },
	{ EV("model.delta", "\"payload\":{\"kind\":\"tool_arguments\"}"), "tool.args", "acting",
	  "surface=tool_ui" },
	{ EV("model.completed", "\"stepId\":\"step_1\",\"payload\":{}"), "text.final",
	  "reconciling", "persistence=transcript" },
	{ EV("model.completed", "\"payload\":{\"toolCallCount\":1}"), "run.status", "acting",
	  "surface=runtime_status" },
	{ EV("model.failed", "\"status\":\"cancelled\",\"payload\":{}"), "diagnostic.changed",
	  "cancelled", "owner=model" },
	{ EV("tool.started", "\"item\":{\"kind\":\"todo\"},\"payload\":{}"), "tool.started",
	  "planning", "scope=tool_call" },
	{ EV("tool.result", "\"payload\":{\"isError\":false}"), "tool.result", "completed",
	  "owner=tool" },
	{ EV("tool.result", "\"payload\":{\"isError\":true}"), "tool.failed", "failed",
	  "runtimeType=tool.result" },
	{ EV("tool.failed", "\"status\":\"cancelled\",\"payload\":{}"), "tool.failed", "cancelled",
	  "owner=tool" },
	{ EV("process.output", "\"toolCallId\":\"tool_1\",\"payload\":{}"), "tool.output.delta",
	  "acting", "toolCallId=tool_1" },
	{ EV("action.required", "\"payload\":{\"decisionKind\":\"allow_or_deny\"}"),
	  "action.required", "waiting", "control=approve" },
	{ EV("action.required", "\"payload\":{\"decisionKind\":\"answer_or_decline\"}"),
	  "action.required", "waiting", "control=answer" },
	{ EV("action.resolved", "\"payload\":{\"decision\":\"deny\"}"), "action.resolved", "acting",
	  "control=reject" },
	{ EV("action.resolved", "\"payload\":{\"decision\":\"cancel\"}"), "action.resolved",
	  "cancelled", "surface=hitl" },
	{ EV("permission.evaluated",
	     "\"toolCallId\":\"tool_1\",\"payload\":{\"decision\":\"ask\"}"),
	  "permission.changed", "waiting", "scope=tool_call" },
	{ EV("permission.evaluated", "\"payload\":{\"decision\":\"allow\"}"), "permission.changed",
	  "acting", "scope=turn" },
	{ EV("artifact.changed",
	     "\"payload\":{\"change\":\"created\",\"kind\":\"file\",\"versionId\":\"v1\"}"),
	  "artifact.created", "producing", "artifactVersionId=v1" },
	{ EV("artifact.changed", "\"payload\":{\"change\":\"updated\"}"), "artifact.updated",
	  "producing", "artifactStatus=ready" },
	{ EV("artifact.changed", "\"payload\":{\"change\":\"deleted\"}"), "artifact.deleted",
	  "producing", "artifactStatus=deleted" },
	{ EV("artifact.changed",
	     "\"refs\":{\"read\":\"out_1\"},\"payload\":{\"change\":\"observed\"}"),
	  "artifact.changed", "producing", "artifactReadRef=out_1" },
	{ EV("evidence.changed", "\"payload\":{\"packRef\":\"out_9\"}"), "evidence.changed",
	  "producing", "evidencePackRef=out_9" },
	{ EV("subagent.spawned", "\"subagentId\":\"sub_1\",\"payload\":{\"role\":\"scout\"}"),
	  "agent.spawned", "accepted", "agentRole=scout" },
	{ EV("subagent.completed", "\"status\":\"completed\",\"payload\":{}"), "agent.completed",
	  "completed", "runtimeEntity=subagent_turn" },
	{ EV("subagent.failed", "\"status\":\"cancelled\",\"payload\":{}"), "agent.completed",
	  "cancelled", "owner=agent" },
	{ EV("cost.recorded", "\"payload\":{}"), "metric.changed", "reconciling",
	  "metricName=cost.recorded" },
	{ EV("thread.updated",
	     "\"status\":\"blocked\",\"payload\":{\"profileStatus\":\"waiting_permission\"}"),
	  "session.updated", "", "latestTurnStatus=needs_input" },
	{ EV("history.rollback.completed", "\"payload\":{}"), "messages.snapshot", "reconciling",
	  "surface=conversation" },
	{ EV("snapshot.updated", "\"payload\":{}"), "state.snapshot", "reconciling",
	  "surface=session_tabs" },
};

TEST(the_type_follows_what_the_event_says)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json v = ui(mem, cases[i].ev);
		struct str value = str_from(cases[i].more), key = str_cut(&value, '=');

		CHECK_SAME(STR_AT(v, "type"), str_from(cases[i].type));
		CHECK_SAME(json_is(JSON_GET(v, "phase")) ? STR_AT(v, "phase") : STR(""),
		           str_from(cases[i].phase));
		CHECK_SAME(json_str(json_get(v, key)), value);
	}
}

/* Each exception of the table is met by an event that is just so. */
TEST(every_exception_can_happen)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (int type = 1; type < EV_COUNT; type++)
		for (size_t i = 0; i < ui_rows[type].when_count; i++) {
			const struct ui_when *c = &ui_rows[type].when[i];
			struct str rest = c->path, first = str_cut(&rest, '.');
			struct buf out = { 0 };
			struct json_writer w;
			struct json v;

			jw_init(&w, &out);
			jw_obj(&w);
			JW_KSTR(&w, "type", event_type_word((enum event_type)type));
			jw_key(&w, first);
			if (str_is(rest)) {
				jw_obj(&w);
				jw_key(&w, rest);
			}
			jw_str(&w, str_is(c->is) ? c->is : STR("something"));
			if (str_is(rest))
				jw_obj_end(&w);
			jw_obj_end(&w);
			v = ui(mem, arena_keep(mem, buf_str(&out)).ptr);
			for (size_t k = 0; k < UI_WORD_COUNT; k++)
				if (c->say.of[k])
					CHECK_SAME(json_str(json_get(v, ui_keys[k].key)),
					           enum_word(ui_keys[k].words, c->say.of[k]));
			buf_done(&out);
		}
}

TEST(parts_and_messages_are_told_apart)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json asked = ui(mem, EV("turn.submitted",
	                               "\"turnId\":\"turn_1\",\"stepId\":\"step_1\","
	                               "\"item\":{\"itemId\":\"step_1\",\"kind\":\"user_message\"},"
	                               "\"payload\":{}"));
	struct json said =
		ui(mem,
	           EV("model.delta", "\"turnId\":\"turn_1\",\"stepId\":\"step_2\",\"payload\":{}"));
	struct json idle = ui(mem, EV("turn.started", "\"turnId\":\"turn_1\",\"payload\":{}"));

	CHECK_STR(STR_AT(asked, "messageId"), "step_1");
	CHECK_STR(STR_AT(asked, "partId"), "step_1");
	CHECK_STR(STR_AT(said, "messageId"), "turn_1");
	CHECK_STR(STR_AT(said, "partId"), "step_2");
	CHECK(!json_is(JSON_GET(idle, "messageId")) && !json_is(JSON_GET(idle, "partId")));
}

TEST(lineage_survives)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v = ui(mem, EV("action.required",
	                           "\"sessionId\":\"sess_1\",\"threadId\":\"thr_2\",\"payload\":"
	                           "{\"subagentId\":\"sub_1\",\"parentThreadId\":\"thr_1\"}"));

	CHECK_STR(STR_AT(v, "agentId"), "sub_1");
	CHECK_STR(STR_AT(v, "parentThreadId"), "thr_1");
	CHECK_STR(STR_AT(v, "parentSessionId"), "sess_1");
	CHECK_STR(STR_AT(v, "payload.subagentId"), "sub_1");
}

TEST(a_record_as_it_goes_out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json ev =
		parsed(mem, STR("{\"type\":\"model.delta\",\"eventId\":\"evt_1\",\"sequence\":12,"
	                        "\"timestamp\":\"2026-11-15T11:00:00.000Z\",\"schemaVersion\":"
	                        "\"lime-profile-0.4.0\","
	                        "\"runtimeId\":\"rt_1\",\"sessionId\":\"sess_1\",\"threadId\":"
	                        "\"thr_1\",\"turnId\":\"turn_1\","
	                        "\"taskId\":\"task_1\",\"runId\":\"run_1\",\"attemptId\":\"att_1\","
	                        "\"stepId\":\"step_1\","
	                        "\"status\":\"streaming\",\"phase\":\"streaming\","
	                        "\"payload\":{\"kind\":\"text\",\"text\":\"Hello\"}}"));
	struct buf out = { 0 };
	struct json_writer w;
	struct str name;

	jw_init(&w, &out);
	CHECK(export_write(EVENT_FORM_AGENT_UI, ev, &w, &name));
	CHECK_SAME(buf_str(&out), STR("{\"type\":\"text.delta\",\"runtimeType\":\"model.delta\","
	                              "\"eventId\":\"evt_1\",\"sequence\":12,"
	                              "\"timestamp\":\"2026-11-15T11:00:00.000Z\","
	                              "\"runtimeSchemaVersion\":\"lime-profile-0.4.0\","
	                              "\"runtimeId\":\"rt_1\",\"sessionId\":\"sess_1\","
	                              "\"threadId\":\"thr_1\",\"turnId\":\"turn_1\","
	                              "\"taskId\":\"task_1\",\"runId\":\"run_1\",\"attemptId\":"
	                              "\"att_1\",\"stepId\":\"step_1\","
	                              "\"status\":\"streaming\",\"runtimePhase\":\"streaming\","
	                              "\"payload\":{\"kind\":\"text\",\"text\":\"Hello\"},"
	                              "\"owner\":\"model\",\"scope\":\"part\",\"phase\":"
	                              "\"producing\",\"surface\":\"conversation\","
	                              "\"persistence\":\"ephemeral_live\",\"partId\":\"step_1\","
	                              "\"messageId\":\"turn_1\","
	                              "\"rawEventRef\":\"evt_1\"}"));
	buf_done(&out);
}

/* ---- whole logs ---- */

static void check_log(const char *name, const struct str *lines, size_t count, void *arg)
{
	(void)name;
	(void)arg;
	for (size_t i = 0; i < count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();

		check_event(mem, parsed(mem, lines[i]));
	}
}

TEST(the_golden_logs_lose_nothing)
{
	CHECK(golden_files(check_log, NULL) > 500);
}

/* ---- Agent Policy ---- */

/* The record; JSON_NONE: the form has no word for it. */
static struct json policy(struct arena *mem, const char *text)
{
	struct json v = { 0 };
	struct buf out = { 0 };
	struct json_writer w;
	struct str name;

	jw_init(&w, &out);
	if (export_write(EVENT_FORM_AGENT_POLICY, parsed(mem, str_from(text)), &w, &name)) {
		v = parsed(mem, buf_str(&out));
		CHECK_SAME(json_str(JSON_GET(v, "type")), name);
	}
	CHECK(json_is(v) || !out.len);
	buf_done(&out);
	return v;
}

#define JUDGED(decision, more)                                                                     \
	"{\"type\":\"permission.evaluated\",\"eventId\":\"evt_1\",\"sequence\":7,"                 \
	"\"timestamp\":\"2026-05-08T10:00:00Z\",\"sessionId\":\"sess_1\",\"toolCallId\":\"call_"   \
	"1\","                                                                                     \
	"\"permissionDecision\":{\"decisionId\":\"poldec_1\",\"decision\":\"" decision             \
	"\",\"decisionSource\":\"rule\",\"ruleRefs\":[\"rule:a\"]" more                            \
	"},\"payload\":{\"toolName\":\"shell\"}}"

TEST(what_was_decided_in_the_words_of_agent_policy)
{
	static const struct {
		const char *event, *result, *risk, *scope, *resource;
	} rows[] = {
		{ JUDGED("allow", ""), "allow", "low", "tool_call", "tool" },
		{ JUDGED("sandboxed", ""), "allow", "low", "tool_call", "tool" },
		{ JUDGED("ask", ",\"impact\":{\"paths\":[\"/a\"]}"), "ask", "medium", "filesystem",
		  "path" },
		{ JUDGED("deny", ",\"impact\":{\"paths\":[\"/a\"],\"hosts\":[\"h\"]}"), "deny",
		  "medium", "network", "host" },
		{ JUDGED("unavailable", ""), "deny", "medium", "tool_call", "tool" },
		{ JUDGED("allow", ",\"destructive\":true"), "allow", "high", "tool_call", "tool" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct json v = policy(mem, rows[i].event), d = at(v, STR("payload.decision"));

		CHECK_STR(STR_AT(v, "type"), "policy.decision.created");
		CHECK_STR(STR_AT(v, "decision_id"), "poldec_1");
		CHECK_STR(STR_AT(v, "session_id"), "sess_1");
		CHECK_STR(STR_AT(v, "tool_call_id"), "call_1");
		CHECK_INT(json_int(JSON_GET(v, "sequence"), 0), 7);
		CHECK_SAME(STR_AT(d, "result"), str_from(rows[i].result));
		CHECK_SAME(STR_AT(d, "scope.risk_level"), str_from(rows[i].risk));
		CHECK_SAME(STR_AT(d, "scope.scope_type"), str_from(rows[i].scope));
		CHECK_SAME(STR_AT(d, "resource.type"), str_from(rows[i].resource));
		CHECK_STR(json_str(json_at(JSON_GET(d, "reason_codes"), 0)), "rule");
		CHECK_STR(STR_AT(json_at(JSON_GET(d, "matched_rules"), 0), "rule_id"), "rule:a");
	}
}

TEST(obligations_and_reasons_of_a_policy_come_back)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json d =
		at(policy(mem, JUDGED("ask", ",\"policyRecords\":[{\"kind\":\"decision\","
	                                     "\"recordId\":\"pd_1\",\"reasonCodes\":[\"x\"],"
	                                     "\"obligations\":[{\"type\":\"audit\"}]}]")),
	           STR("payload.decision"));

	CHECK_STR(STR_AT(json_at(JSON_GET(d, "obligations"), 0), "type"), "audit");
	CHECK_STR(json_str(json_at(JSON_GET(d, "reason_codes"), 1)), "x");
	CHECK_STR(STR_AT(json_at(JSON_GET(d, "refs"), 1), "id"), "pd_1");
}

TEST(what_is_no_decision_has_no_policy_record)
{
	static const char *const rows[] = {
		"{\"type\":\"turn.started\",\"payload\":{}}",
		"{\"type\":\"of.tomorrow\",\"payload\":{}}",
		/* from before decisions had names */
		"{\"type\":\"permission.evaluated\",\"permissionDecision\":{\"decision\":\"allow\"}"
		","
		"\"payload\":{}}",
		"{\"type\":\"tool.result\",\"toolCallId\":\"call_1\",\"payload\":{}}",
		"{\"type\":\"action.required\",\"payload\":{\"actionType\":\"structured_input\"}}",
		"{\"type\":\"action.resolved\",\"payload\":{\"decision\":\"answer\"}}",
		"{\"type\":\"policy.changed\",\"payload\":{\"change\":\"mode_changed\"}}",
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK(!json_is(policy(mem, rows[i])));
}

TEST(every_answer_has_its_status)
{
	static const struct {
		const char *decision, *status, *more, *there;
	} rows[] = {
		{ "allow", "completed", "", "approved" },
		{ "allow", "completed", ",\"inputRef\":\"out_1\"", "modified" },
		{ "deny", "completed", "", "denied" },
		{ "deny", "timed_out", "", "expired" },
		{ "cancel", "cancelled", "", "cancelled" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str text = arena_printf(
			mem,
			"{\"type\":\"action.resolved\",\"actionId\":\"act_1\",\"status\":\"%s\","
			"\"payload\":{\"actionType\":\"tool_permission\",\"decision\":\"%s\"%s}}",
			rows[i].status, rows[i].decision, rows[i].more);
		struct json v = policy(mem, text.ptr);

		CHECK_STR(STR_AT(v, "approval_id"), "act_1");
		CHECK_SAME(STR_AT(v, "payload.status"), str_from(rows[i].there));
	}
}

TEST(a_cloudevent_holds_the_envelope_and_what_routers_look_at)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json v;
	struct str name;

	jw_init(&w, &out);
	CHECK(export_write(EVENT_FORM_CLOUDEVENTS,
	                   parsed(mem, STR("{\"type\":\"turn.completed\",\"eventId\":\"evt_1\","
	                                   "\"sequence\":7,\"timestamp\":\"2026-05-08T10:00:00Z\","
	                                   "\"runtimeId\":\"rt_1\",\"sessionId\":\"sess_1\","
	                                   "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\","
	                                   "\"spanId\":\"b7ad6b7169203331\",\"payload\":{}}")),
	                   &w, &name));
	v = parsed(mem, buf_str(&out));
	CHECK_STR(name, "turn.completed");
	CHECK_STR(STR_AT(v, "specversion"), "1.0");
	CHECK_STR(STR_AT(v, "type"), "dev.agentruntime.turn.completed");
	CHECK_STR(STR_AT(v, "id"), "evt_1");
	CHECK_STR(STR_AT(v, "source"), "/runtimes/rt_1");
	CHECK_STR(STR_AT(v, "subject"), "sess_1");
	CHECK_STR(STR_AT(v, "sequence"), "00000000000000000007");
	CHECK_STR(STR_AT(v, "traceparent"),
	          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
	CHECK_INT(json_int(JSON_GET(JSON_GET(v, "data"), "sequence"), 0), 7);
	buf_clear(&out);
	jw_init(&w, &out);
	CHECK(!export_write(EVENT_FORM_CLOUDEVENTS, parsed(mem, STR("{\"type\":\"of.tomorrow\"}")),
	                    &w, &name) &&
	      !out.len);
}

/* ---- sibling standards ---- */

static const struct sibling {
	enum event_form form;
	const struct enum_desc *words;
	const char *type;
} siblings[] = {
	{ EVENT_FORM_AGENT_TOOL, &enum_agent_tool_class, "event_type" },
	{ EVENT_FORM_AGENT_CONTEXT, &enum_agent_context_class, "event_type" },
	{ EVENT_FORM_AGENT_ARTIFACT, &enum_agent_artifact_class, "type" },
	{ EVENT_FORM_AGENT_EVIDENCE, &enum_agent_evidence_class, "type" },
};

/* Which classes of each standard the golden logs showed, one bit for each. */
struct shown {
	struct arena *mem;
	uint64_t classes[COUNT_OF(siblings)];
};

static void check_sibling(struct shown *shown, size_t i, struct json ev)
{
	const struct sibling *sibling = &siblings[i];
	struct buf out = { 0 }, again = { 0 };
	struct json_writer w;
	struct str name;

	jw_init(&w, &out);
	if (export_write(sibling->form, ev, &w, &name)) {
		struct json v = parsed(shown->mem, buf_str(&out));
		int word = rec_enum_read(sibling->words, name);

		CHECK(word != 0);
		shown->classes[i] |= UINT64_C(1) << word;
		CHECK_SAME(json_str(json_get(v, str_from(sibling->type))), name);
		CHECK_SAME(STR_AT(v, "event_id"), STR_AT(ev, "eventId"));
		CHECK_SAME(STR_AT(v, "session_id"), STR_AT(ev, "sessionId"));
		jw_init(&w, &again);
		CHECK(export_write(sibling->form, ev, &w, &name));
		CHECK_SAME(buf_str(&again), buf_str(&out));
	} else {
		CHECK(!out.len);
	}
	buf_done(&out);
	buf_done(&again);
}

static void check_siblings(const char *name, const struct str *lines, size_t count, void *arg)
{
	struct shown *shown = arg;

	for (size_t i = 0; i < count; i++) {
		struct json ev = parsed(shown->mem, lines[i]);

		for (size_t k = 0; k < COUNT_OF(siblings); k++)
			check_sibling(shown, k, ev);
		arena_reset(shown->mem);
	}
}

TEST(the_golden_logs_show_the_classes_of_sibling_standards)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct shown shown = { .mem = mem };

	CHECK(golden_files(check_siblings, &shown) > 0);
	/* all six of tools, both of context, at least one of artifacts */
	CHECK_INT(__builtin_popcountll(shown.classes[0]), 6);
	CHECK_INT(__builtin_popcountll(shown.classes[1]), 2);
	CHECK(__builtin_popcountll(shown.classes[2]) >= 1);
}

TEST(evidence_and_artifacts_have_the_class_of_their_change)
{
	static const struct {
		enum event_form form;
		const char *event, *wanted; /* NULL: no record */
	} rows[] = {
		{ EVENT_FORM_AGENT_EVIDENCE, "exported\",\"kind\":\"pack",
		  "evidence.pack.created" },
		{ EVENT_FORM_AGENT_EVIDENCE, "exported\",\"kind\":\"replay",
		  "evidence.replay.created" },
		{ EVENT_FORM_AGENT_EVIDENCE, "exported\",\"kind\":\"trial",
		  "evidence.export.created" },
		{ EVENT_FORM_AGENT_EVIDENCE, "observed\",\"kind\":\"verification",
		  "evidence.verification.completed" },
		{ EVENT_FORM_AGENT_EVIDENCE, "observed\",\"kind\":\"review",
		  "evidence.review.completed" },
		{ EVENT_FORM_AGENT_EVIDENCE, "observed\",\"kind\":\"note", NULL },
		{ EVENT_FORM_AGENT_EVIDENCE, "observed\",\"kind\":\"access", NULL },
		{ EVENT_FORM_AGENT_ARTIFACT, "created", "artifact.created" },
		{ EVENT_FORM_AGENT_ARTIFACT, "updated", "artifact.updated" },
		{ EVENT_FORM_AGENT_ARTIFACT, "deleted", "artifact.deleted" },
		{ EVENT_FORM_AGENT_ARTIFACT, "observed", "artifact.version.created" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct buf text = { 0 }, out = { 0 };
		struct json_writer w;
		struct str name;
		bool is_written;

		buf_printf(&text, "{\"type\":\"%s.changed\",\"payload\":{\"change\":\"%s\"}}",
		           rows[i].form == EVENT_FORM_AGENT_EVIDENCE ? "evidence" : "artifact",
		           rows[i].event);
		jw_init(&w, &out);
		is_written = export_write(rows[i].form, parsed(mem, buf_str(&text)), &w, &name);
		CHECK(is_written == (rows[i].wanted != NULL));
		if (is_written)
			CHECK_SAME(name, str_from(rows[i].wanted));
		buf_done(&text);
		buf_done(&out);
	}
}

TEST(hostile_members_leave_a_record_that_is_json)
{
	static const char *const rows[] = {
		"{\"type\":\"tool.started\",\"payload\":[1]}",
		"{\"type\":\"tool.catalog.resolved\",\"payload\":{\"tools\":[1,null,{\"toolName\":"
		"7}]}}",
		"{\"type\":\"tool.progress\",\"payload\":{\"total\":0,\"completed\":-1}}",
		"{\"type\":\"context.resolved\",\"payload\":{\"sources\":{\"a\":1},\"missing\":"
		"\"x\"}}",
		"{\"type\":\"artifact.changed\",\"payload\":{\"change\":\"of tomorrow\"}}",
		"{\"type\":\"evidence.changed\",\"payload\":{\"change\":\"exported\"}}",
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t k = 0; k < COUNT_OF(siblings); k++) {
			struct buf out = { 0 };
			struct json_writer w;
			struct str name;

			jw_init(&w, &out);
			if (export_write(siblings[k].form, parsed(mem, str_from(rows[i])), &w,
			                 &name))
				(void)!json_is(parsed(mem, buf_str(&out)));
			buf_done(&out);
		}
}

TEST_MAIN()

/* The parts of a session's view: queue, approvals, tools, routing, channels, artifacts. */
#include "core/fold_part.h"
#include "test_view_fixture.h"

/* ---- the queue ---- */

TEST(queued_turns_stand_in_order_with_place_source_and_delivery)
{
	HAND;
	struct st_turn *t;
	struct json v;

	add_turn(&h, "turn_1", TURN_STAGE_SAMPLING, STATUS_RUNNING);
	t = add_turn(&h, "turn_2", TURN_STAGE_QUEUED, STATUS_QUEUED);
	t->source = STR("cli");
	t->delivery = DELIVERY_QUEUE;
	t->input_preview = STR("fix the typo");
	add_turn(&h, "turn_3", TURN_STAGE_QUEUED, STATUS_QUEUED);
	rec_list_str_remove(&h.th->order, STR("turn_3"));
	rec_list_str_insert(h.state->mem, &h.th->order, 0, STR("turn_3"));
	v = VIEW(h.mem, view_queue_snapshot(w, h.state, &h.settings, h.th));
	CHECK_STR(STR_AT(v, "queue/order/0"), "turn_3");
	CHECK_STR(STR_AT(v, "queuedTurns/0/turnId"), "turn_3");
	CHECK_STR(STR_AT(v, "queuedTurns/1/turnId"), "turn_2");
	CHECK_STR(STR_AT(v, "queuedTurns/1/queuedTurnId"), "turn_2");
	CHECK_INT(INT_AT(v, "queuedTurns/1/position"), 2);
	CHECK_STR(STR_AT(v, "queuedTurns/1/source"), "cli");
	CHECK_STR(STR_AT(v, "queuedTurns/1/delivery"), "queue");
	CHECK_STR(STR_AT(v, "queuedTurns/1/preview"), "fix the typo");
	CHECK_STR(STR_AT(v, "queue/resumeState"), "running");
	CHECK_INT(INT_AT(v, "sequence"), 2);
}

TEST(the_rules_of_a_thread_go_before_those_of_the_setup)
{
	HAND;
	struct settings_config config = settings_config_defaults;
	struct json v;

	h.th->on_busy = ON_BUSY_REJECT;
	config.queue_on_interrupt = QUEUE_POLICY_CLEAR;
	h.settings.config = &config;
	v = VIEW(h.mem, view_queue(w, &h.settings, h.th));
	CHECK_STR(STR_AT(v, "policy/onBusy"), "reject");
	CHECK_STR(STR_AT(v, "policy/onInterrupt"), "clear");
}

/* ---- actions, grants ---- */

TEST(a_question_brings_its_form_and_consent_needs_none)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_INPUT);
	struct st_action *consent = add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	struct json v;

	add_action(&h, t, "act_2", ACTION_TYPE_STRUCTURED_INPUT);
	v = THREAD(h);
	CHECK(!json_is(at(v, "pendingRequests/0/schema")));
	CHECK_STR(STR_AT(v, "pendingRequests/1/schema/type"), "object");
	CHECK(!json_is(at(v, "pendingRequests/0/sessionId")));
	v = VIEW(h.mem, view_action(w, consent, STR("sess_1")));
	CHECK_STR(STR_AT(v, "schema/type"), "object");
	CHECK_STR(STR_AT(v, "sessionId"), "sess_1");
}

TEST(a_grant_shows_what_it_covers)
{
	HAND;
	struct st_grant *g = rec_list_add(h.state->mem, &h.state->s->grants, &st_grant_desc);
	struct rec_grant record;
	struct json v;

	g->grant_id = STR("grant_1");
	g->scope = GRANT_SCOPE_SESSION;
	g->match = STR("{\"tool\":\"shell\"}");
	g->granted_at = NOON;
	v = VIEW(h.mem, view_permission(w, h.state, &h.settings));
	CHECK_STR(STR_AT(v, "permissionState/grants/0/match/tool"), "shell");
	CHECK_OK(rec_read(h.mem, at(v, "permissionState/grants/0"), &rec_grant_desc, REC_CALLER,
	                  &record, &e),
	         &e);
}

/* SNP-08 */
TEST(pending_approvals_and_sandbox_violations_are_in_one_summary)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct st_action *a = add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	struct rec_execution_environment *env = sample(h.mem, &rec_execution_environment_desc);
	struct rec_action_view action;
	struct json v;

	h.settings.environment = env;
	rec_list_str_add(h.state->mem, &h.th->violation_refs, STR("evt_hit"));
	v = VIEW(h.mem, view_permission(w, h.state, &h.settings));
	CHECK_STR(STR_AT(v, "permissionState/pendingApprovals/0"), "act_1");
	CHECK_STR(STR_AT(v, "pendingRequests/0/actionId"), "act_1");
	CHECK_OK(rec_read(h.mem, at(v, "pendingRequests/0"), &rec_action_view_desc, REC_CALLER,
	                  &action, &e),
	         &e);
	CHECK_STR(STR_AT(v, "sandboxState/violationRefs/0"), "evt_hit");
	CHECK_SAME(STR_AT(v, "sandboxState/profile/mode"),
	           sandbox_mode_word(env->sandbox_profile->mode));
	CHECK_INT(INT_AT(v, "sequence"), h.state->s->sequence);
	a->resolved_at = NOON;
	a->status = ACTION_STATUS_RESOLVED;
	v = VIEW(h.mem, view_permission(w, h.state, &h.settings));
	CHECK_INT(json_count(at(v, "pendingRequests")), 0);
	CHECK_INT(json_count(at(v, "sandboxState/violationRefs")), 1);
}

/* ---- tools ---- */

static const struct tool_info some_tools[] = {
	{ .name = STR("read_file"),
	  .description = STR("Read a file."),
	  .input_schema = STR("{\"type\":\"object\",\"required\":[\"path\"]}"),
	  .capabilities = STR("[\"read\"]"),
	  .policy = TOOL_POLICY_ALLOWED,
	  .owner = STR("local"),
	  .is_read_only = true,
	  .is_concurrency_safe = true },
	{ .name = STR("shell"),
	  .description = STR("Run a command."),
	  .input_schema = STR("{\"type\":\"object\"}"),
	  .policy = TOOL_POLICY_ASK,
	  .owner = STR("local"),
	  .is_destructive = true },
	{ .name = STR("write_file"),
	  .description = STR("Write a file."),
	  .input_schema = STR("{\"type\":\"object\"}"),
	  .policy = TOOL_POLICY_ALLOWED,
	  .owner = STR("local") },
	{ .name = STR("ask_user"),
	  .description = STR("Ask."),
	  .input_schema = STR("{\"type\":\"object\"}"),
	  .policy = TOOL_POLICY_ALLOWED,
	  .owner = STR("local"),
	  .asks_user = true },
	{ .name = STR("format_disk"),
	  .description = STR("Never."),
	  .input_schema = STR("{\"type\":\"object\"}"),
	  .policy = TOOL_POLICY_DENIED,
	  .owner = STR("local") },
};

TEST(the_inventory_shows_each_tool_with_its_schema)
{
	HAND;
	struct rec_inventory_tool record;
	struct json v;

	h.settings.tools = some_tools;
	h.settings.tool_count = COUNT_OF(some_tools);
	v = VIEW(h.mem, view_inventory(w, h.state, &h.settings, h.th->thread_id, 0, STR_NONE));
	CHECK_STR(STR_AT(v, "sessionId"), "sess_1");
	CHECK_STR(STR_AT(v, "mode"), "default");
	CHECK_INT(INT_AT(v, "toolCount"), 5);
	CHECK_STR(STR_AT(v, "tools/0/inputSchema/required/0"), "path");
	CHECK_STR(STR_AT(v, "tools/0/inputSchemaRef"), "schema:tool:read_file:1");
	CHECK_STR(STR_AT(v, "tools/0/capabilities/0"), "read");
	for (size_t i = 0; i < COUNT_OF(some_tools); i++)
		CHECK_OK(rec_read(h.mem, json_at(at(v, "tools"), i), &rec_inventory_tool_desc,
		                  REC_CALLER, &record, &e),
		         &e);
}

TEST(the_inventory_leaves_out_tools_of_another_provider)
{
	HAND;
	struct tool_info tools[COUNT_OF(some_tools)];
	struct json v;

	memcpy(tools, some_tools, sizeof tools);
	tools[1].only_for = STR("other");
	tools[2].only_for = some_models[0].provider;
	h.settings.tools = tools;
	h.settings.tool_count = COUNT_OF(tools);
	v = VIEW(h.mem, view_inventory(w, h.state, &h.settings, h.th->thread_id, 0, STR_NONE));
	CHECK_INT(INT_AT(v, "toolCount"), 4);
	CHECK(str_eq(json_str(at(v, "tools/1/toolName")), tools[2].name));
}

TEST(the_inventory_says_what_the_policy_would_be_under_the_mode_asked_for)
{
	static const struct {
		enum permission_mode mode;
		const char *policy[COUNT_OF(some_tools)];
	} cases[] = {
		{ PERMISSION_MODE_DEFAULT, { "allowed", "ask", "allowed", "allowed", "denied" } },
		{ PERMISSION_MODE_PLAN, { "allowed", "denied", "denied", "allowed", "denied" } },
		{ PERMISSION_MODE_BYPASS,
		  { "allowed", "allowed", "allowed", "allowed", "denied" } },
		{ PERMISSION_MODE_NEVER, { "allowed", "denied", "allowed", "allowed", "denied" } },
		{ PERMISSION_MODE_UNTRUSTED, { "allowed", "ask", "ask", "allowed", "denied" } },
	};
	HAND;

	h.settings.tools = some_tools;
	h.settings.tool_count = COUNT_OF(some_tools);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json v = VIEW(h.mem, view_inventory(w, h.state, &h.settings, STR_NONE,
		                                           cases[i].mode, STR_NONE));

		for (size_t n = 0; n < COUNT_OF(some_tools); n++) {
			struct json tool = json_at(at(v, "tools"), n);

			CHECK_SAME(STR_AT(tool, "policy"), str_from(cases[i].policy[n]));
			CHECK(json_is(at(tool, "reason")) ==
			      str_eq(STR_AT(tool, "policy"), STR("denied")));
		}
	}
}

TEST(a_grant_of_the_session_opens_a_tool_in_the_inventory)
{
	HAND;
	struct st_grant *g = rec_list_add(h.state->mem, &h.state->s->grants, &st_grant_desc);

	h.settings.tools = some_tools;
	h.settings.tool_count = COUNT_OF(some_tools);
	g->match = STR("{\"tool\":\"shell\"}");
	CHECK_STR(
		STR_AT(VIEW(h.mem, view_inventory(w, h.state, &h.settings, STR_NONE, 0, STR_NONE)),
	               "tools/1/policy"),
		"allowed");
	g->turn_id = STR("turn_1");
	CHECK_STR(
		STR_AT(VIEW(h.mem, view_inventory(w, h.state, &h.settings, STR_NONE, 0, STR_NONE)),
	               "tools/1/policy"),
		"ask");
}

/* ---- the rest ---- */

TEST(routing_reads_back_what_was_decided)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_PREPARING, STATUS_PREPARING);
	struct json v = VIEW(h.mem, view_routing(w, h.state, &h.settings));

	CHECK_STR(STR_AT(v, "status"), "unknown"); /* it is being decided */
	t->profile = STR("{\"kind\":\"chat\"}");
	t->candidates = STR("{\"candidateCount\":2,\"singleCandidate\":false}");
	t->decision = STR("{\"decisionSource\":\"runtime_fallback\",\"selectedProvider\":\"local\","
	                  "\"selectedModel\":\"qwen3-8b\",\"candidateCount\":2,"
	                  "\"limitStateSnapshot\":{\"state\":\"ok\"}}");
	v = VIEW(h.mem, view_routing(w, h.state, &h.settings));
	CHECK(!json_is(at(v, "status")));
	CHECK_STR(STR_AT(v, "taskKind"), "chat");
	CHECK_INT(INT_AT(v, "candidateCount"), 2);
	CHECK_STR(STR_AT(v, "selectedModel"), "qwen3-8b");
	CHECK(json_bool(at(v, "fallbackApplied"), false));
	CHECK_STR(STR_AT(v, "limitState/state"), "ok");
	CHECK(!json_is(at(v, "costState"))); /* nothing was asked yet */
	CHECK_STR(STR_AT(v, "routingDecision/selectedProvider"), "local");
	t->limit = STR("{\"state\":\"limited\"}");
	CHECK_STR(STR_AT(SESSION(h), "routingLimitSummary/limitState/state"), "limited");
	CHECK_STR(STR_AT(SESSION(h), "threads/0/limitState/state"), "limited");
	CHECK_STR(STR_AT(SESSION(h), "threads/0/turns/0/limitState/state"), "limited");
}

TEST(a_channel_shows_its_cursor_its_state_and_what_it_holds)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct st_channel *c = rec_list_add(h.state->mem, &h.state->s->channels, &st_channel_desc);
	struct json v;

	c->record = sample(h.mem, &rec_channel_desc);
	c->record->last_acked_sequence = 3;
	c->acked = 40;
	c->status = STATUS_STALE;
	struct st_action *a = add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	v = VIEW(h.mem, view_channels(w, h.state));
	CHECK_STR(STR_AT(v, "channels/0/status"), "stale");
	CHECK_INT(INT_AT(v, "channels/0/lastAckedSequence"), 40);
	CHECK_INT(json_count(at(v, "pendingForwards")), 0);
	rec_list_str_add(h.state->mem, &a->forwarded_to, c->record->channel_id);
	CHECK_STR(STR_AT(VIEW(h.mem, view_channels(w, h.state)), "pendingForwards/0"), "act_1");
	CHECK_INT(json_count(at(THREAD(h), "channels")), 1);
	a->resolved_at = NOON;
	CHECK_INT(json_count(at(VIEW(h.mem, view_channels(w, h.state)), "pendingForwards")), 0);

	struct view_ack ack = { c->record->channel_id, 41 };
	struct view_want want = { .acks = &ack, .ack_count = 1 };

	CHECK_INT(INT_AT(VIEW(h.mem, view_channel(w, c, &want)), "lastAckedSequence"), 41);
	ack.sequence = 39;
	CHECK_INT(INT_AT(VIEW(h.mem, view_channel(w, c, &want)), "lastAckedSequence"), 40);
}

TEST(artifacts_show_their_versions_and_belong_to_their_task)
{
	HAND;
	struct st_artifact *a =
		rec_list_add(h.state->mem, &h.state->s->artifacts, &st_artifact_desc);
	struct st_task *t = add_task(&h, "task_1", TASK_STATUS_RUNNING);

	a->artifact_id = STR("art_1");
	a->version_id = STR("v2");
	a->version = 2;
	a->kind = STR("file");
	a->path = STR("README.md");
	a->diff_ref = STR("out_7");
	a->task_id = STR("task_1");
	CHECK_INT(INT_AT(VIEW(h.mem, view_artifacts(w, h.state)), "artifacts/0/versions"), 2);
	CHECK_STR(STR_AT(VIEW(h.mem, view_artifacts(w, h.state)), "artifacts/0/diffRef"), "out_7");
	CHECK_STR(STR_AT(SESSION(h), "artifactRefs/0"), "art_1");
	CHECK_STR(STR_AT(VIEW(h.mem, view_task(w, h.state, t)), "artifacts/0/versionId"), "v2");
}

static void change_artifact(struct hand *h, int version)
{
	struct ev_artifact_changed p = {
		.change = version == 1 ? ARTIFACT_CHANGE_CREATED : ARTIFACT_CHANGE_UPDATED,
		.kind = STR("file"),
		.path = STR("report.txt"),
		.version_id = arena_printf(h->mem, "v%d", version),
		.owner = STR("workspace"),
		.issues = version,
		.has_issues = version > 1,
	};
	struct event ev = { .type = EV_ARTIFACT_CHANGED,
		            .artifact_id = STR("art_1"),
		            .turn_id = STR("turn_1"),
		            .timestamp = NOON,
		            .sequence = 10 + version,
		            .payload = &p };

	state_fold(h->state, &ev);
}

/* SNP-06; the latest versions are at hand, and how many there were is known. */
TEST(an_artifact_keeps_its_latest_versions_and_counts_them_all)
{
	HAND;
	struct rec_artifact_row row;
	struct json v;

	change_artifact(&h, 1);
	v = at(VIEW(h.mem, view_artifacts(w, h.state)), "artifacts/0");
	CHECK_OK(rec_read(h.mem, v, &rec_artifact_row_desc, REC_CALLER, &row, &e), &e);
	CHECK_STR(STR_AT(v, "owner"), "workspace");
	CHECK(!json_is(at(v, "issues"))); /* not checked */
	CHECK_STR(STR_AT(v, "checkpoints/0/change"), "created");
	for (int i = 2; i <= WINDOW_CHECKPOINTS + 2; i++)
		change_artifact(&h, i);
	v = at(VIEW(h.mem, view_artifacts(w, h.state)), "artifacts/0");
	CHECK_INT(INT_AT(v, "versions"), WINDOW_CHECKPOINTS + 2);
	CHECK_INT(INT_AT(v, "issues"), WINDOW_CHECKPOINTS + 2);
	CHECK_INT(json_count(at(v, "checkpoints")), WINDOW_CHECKPOINTS);
	CHECK_STR(STR_AT(v, "checkpoints/0/versionId"), "v3");
	CHECK_INT(INT_AT(v, "checkpoints/0/sequence"), 13);
}

TEST_MAIN()

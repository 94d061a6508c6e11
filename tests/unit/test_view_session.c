/* The view of a session: windows, several threads, diagnostics, context and environment. */
#include "core/fold_part.h"
#include "test_view_fixture.h"

/* ---- windows and sections ---- */

TEST(a_window_shows_what_is_open_and_the_newest_ended_turns)
{
	HAND;
	struct view_want want = { .window = 1 };
	struct json v;

	add_turn(&h, "turn_1", TURN_STAGE_QUEUED, STATUS_QUEUED); /* others were promoted */
	add_turn(&h, "turn_2", TURN_STAGE_ENDED, STATUS_COMPLETED);
	add_turn(&h, "turn_3", TURN_STAGE_ENDED, STATUS_COMPLETED);
	add_turn(&h, "turn_4", TURN_STAGE_SAMPLING, STATUS_RUNNING);
	v = VIEW(h.mem, view_session_with(w, h.state, &h.settings, &want));
	CHECK_INT(json_count(at(v, "threads/0/turns")), 3);
	CHECK_STR(STR_AT(v, "threads/0/turns/1/turnId"), "turn_3");
	CHECK_INT(INT_AT(v, "historyWindow/turns"), 3);
	CHECK_INT(INT_AT(v, "historyWindow/older"), 1);
	CHECK_INT(INT_AT(v, "threads/0/history/window/older"), 1);
	CHECK(json_bool(at(v, "truncated"), false));
	v = SESSION(h);
	CHECK_INT(json_count(at(v, "threads/0/turns")), 4);
	CHECK(!json_bool(at(v, "truncated"), true));
	CHECK_INT(INT_AT(v, "historyWindow/fromSequence"), 1);
}

TEST(turns_that_the_world_has_dropped_are_older)
{
	HAND;
	struct json v;

	add_turn(&h, "turn_9", TURN_STAGE_ENDED, STATUS_COMPLETED)->submitted_sequence = 400;
	h.th->turn_count = 9;
	v = SESSION(h);
	CHECK_INT(INT_AT(v, "historyWindow/older"), 8);
	CHECK_INT(INT_AT(v, "historyWindow/fromSequence"), 400);
	CHECK(json_bool(at(v, "truncated"), false));
}

TEST(system_turns_are_hidden_unless_asked_for)
{
	HAND;
	struct view_want want = { .system = true };

	add_turn(&h, "turn_1", TURN_STAGE_ENDED, STATUS_COMPLETED)->kind = TURN_KIND_SYSTEM;
	CHECK_INT(json_count(at(THREAD(h), "turns")), 0);
	CHECK_STR(STR_AT(VIEW(h.mem, view_thread_with(w, h.state, &h.settings, h.th, &want)),
	                 "turns/0/kind"),
	          "system");
}

TEST(a_reader_may_ask_for_some_sections_only)
{
	HAND;
	struct str names[] = { STR("taskSummary"), STR("channelSummary") };
	struct list_str sections = { names, 2, 2 };
	struct view_want want = { .sections = &sections };
	struct json v = VIEW(h.mem, view_session_with(w, h.state, &h.settings, &want));

	CHECK_STR(STR_AT(v, "sessionId"), "sess_1");
	CHECK(json_is(at(v, "taskSummary")) && json_is(at(v, "channelSummary")));
	CHECK(!json_is(at(v, "threads")) && !json_is(at(v, "tasks")));
	CHECK(!json_is(at(v, "evidenceRefs")) && !json_is(at(v, "telemetrySummary")));
}

/* ---- several threads ---- */

TEST(each_thread_shows_its_own_decisions_and_outputs)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct st_call *c = add_call(&h, t, "tool_1", "shell");
	struct rec_permission_decision allowed = { .decision = APPROVAL_DECISION_ALLOW,
		                                   .approval_action_id = STR("act_0"),
		                                   .decision_reason = STR("by the owner") };
	struct rec_output *o = rec_list_add(h.state->mem, &h.state->s->outputs, &rec_output_desc);
	struct json v;

	*o = (struct rec_output){ .output_ref = STR("out_1"),
		                  .owner = OUTPUT_OWNER_TOOL,
		                  .owner_id = STR("tool_1"),
		                  .size_bytes = 70000 };
	c->permission = &allowed;
	add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	add_thread(&h, "thr_2");
	h.state->s->allowed = 5;
	v = SESSION(h);
	CHECK_INT(json_count(at(v, "threads/0/outputs")), 1);
	CHECK_STR(STR_AT(v, "threads/0/turns/0/outputRefs/0/outputRef"), "out_1");
	CHECK_INT(json_count(at(v, "threads/1/outputs")), 0);
	CHECK_INT(INT_AT(v, "permissionState/decisions/allow"), 5);
	CHECK_INT(INT_AT(v, "threads/0/permissionState/decisions/allow"), 1);
	CHECK_INT(INT_AT(v, "threads/0/permissionState/decisions/ask"), 1);
	CHECK_INT(INT_AT(v, "threads/1/permissionState/decisions/allow"), 0);
	CHECK_INT(json_count(at(v, "permissionState/pendingApprovals")), 1);
	CHECK_INT(json_count(at(v, "threads/1/permissionState/pendingApprovals")), 0);
	CHECK_STR(STR_AT(v, "activeThreadIds/0"), "thr_1");
	CHECK_INT(json_count(at(v, "activeThreadIds")), 1);
}

TEST(the_most_urgent_thread_speaks_for_the_session)
{
	HAND;
	struct st_thread *second = add_thread(&h, "thr_2");
	struct st_turn *t;
	struct json v;

	set_outcome(&h, add_turn(&h, "turn_1", TURN_STAGE_ENDED, 0), STATUS_COMPLETED);
	h.th = second;
	t = add_turn(&h, "turn_2", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	h.state->s->spent_usd = 1500000000;
	v = VIEW(h.mem, view_session_row(w, h.state));
	CHECK_STR(STR_AT(v, "status"), "blocked");
	CHECK_STR(STR_AT(v, "profileStatus"), "waiting_permission");
	CHECK_STR(STR_AT(v, "activeTurnId"), "turn_2");
	CHECK_INT(INT_AT(v, "threads"), 2);
	CHECK_INT(INT_AT(v, "pendingActions"), 1);
	CHECK(json_real(at(v, "costUsd"), 0) == 1.5);
	v = VIEW(h.mem, view_thread_row(w, second));
	CHECK_INT(INT_AT(v, "pendingActions"), 1);
	CHECK_INT(INT_AT(v, "turns"), 1);
}

TEST(an_unknown_cost_is_left_out_and_a_word_says_so)
{
	HAND;
	struct json v;

	h.state->s->spent_usd = 1500000000;
	h.state->s->cost_unknown = true;
	v = VIEW(h.mem, view_session_row(w, h.state));
	CHECK(!json_is(at(v, "costUsd")));
	CHECK_STR(STR_AT(v, "amountState"), "unknown");
}

TEST(a_row_has_the_latest_model_and_the_word_of_a_failure)
{
	HAND;
	struct rec_last_outcome end = { .turn_id = STR("turn_1"),
		                        .status = STATUS_FAILED,
		                        .category = ERROR_CATEGORY_AUTH };
	struct json v;

	h.state->s->cwd = STR("/srv/boat");
	h.th->last_model = STR("alpha/large");
	h.th->last_outcome = &end;
	v = VIEW(h.mem, view_session_row(w, h.state));
	CHECK_STR(STR_AT(v, "cwd"), "/srv/boat");
	CHECK_STR(STR_AT(v, "lastModel"), "alpha/large");
	CHECK_STR(STR_AT(v, "category"), "auth");
	add_turn(&h, "turn_2", TURN_STAGE_SAMPLING, STATUS_RUNNING);
	h.th->active_turn_id = STR("turn_2");
	v = VIEW(h.mem, view_session_row(w, h.state));
	CHECK(!json_is(at(v, "category")));
}

TEST(the_cost_of_a_session_sums_up_its_turns)
{
	HAND;
	struct json v;

	h.state->s->spent_usd = 1500000000;
	h.state->s->told_usage = 2;
	h.state->s->input_tokens = 900;
	h.state->s->output_tokens = 30;
	v = SESSION(h);
	CHECK_STR(STR_AT(v, "sessionCost/state"), "recorded");
	CHECK(json_real(at(v, "sessionCost/recordedUsd"), 0) == 1.5);
	CHECK_INT(INT_AT(v, "sessionCost/tokens/inputTokens"), 900);
	CHECK_INT(INT_AT(v, "sessionCost/tokens/outputTokens"), 30);
	h.state->s->told_usage = 0;
	h.state->s->untold_usage = 1;
	h.state->s->cost_unknown = true;
	v = SESSION(h);
	CHECK_STR(STR_AT(v, "sessionCost/state"), "unknown");
	CHECK_STR(STR_AT(v, "sessionCost/tokensState"), "unknown");
	CHECK(!json_is(at(v, "sessionCost/tokens")));
}

/* ---- diagnostics ---- */

TEST(failed_calls_are_told_apart_from_commands_and_from_stopped_ones)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_RUNNING);
	struct st_call *failed = add_call(&h, t, "tool_1", "read_file");
	struct st_call *command = add_call(&h, t, "tool_2", "shell");
	struct st_call *stopped = add_call(&h, t, "tool_3", "shell");
	struct json v;

	failed->is_error = command->is_error = stopped->is_error = true;
	failed->ended_sequence = command->ended_sequence = stopped->ended_sequence = 9;
	failed->status = STATUS_FAILED;
	failed->category = ERROR_CATEGORY_INVALID_INPUT;
	command->kind = ITEM_KIND_COMMAND;
	command->status = STATUS_COMPLETED;
	command->exit_code = 2;
	command->has_exit_code = true;
	stopped->status = STATUS_CANCELLED;
	v = THREAD(h);
	CHECK_INT(json_count(at(v, "diagnostics/failedTools")), 1);
	CHECK_STR(STR_AT(v, "diagnostics/failedTools/0/id"), "tool_1");
	CHECK_INT(json_count(at(v, "diagnostics/failedCommands")), 1);
	CHECK_STR(STR_AT(v, "diagnostics/failedCommands/0/id"), "tool_2");
	CHECK_STR(STR_AT(v, "toolCalls/0/category"), "invalid_input");
	CHECK_INT(INT_AT(v, "toolCalls/1/exitCode"), 2);
}

TEST(incidents_are_named_by_their_event_and_warnings_are_diagnostics_too)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_LOST, STATUS_LOST);
	struct st_incident *warning =
		rec_list_add(h.state->mem, &h.th->incidents, &st_incident_desc);
	struct st_incident *error = rec_list_add(h.state->mem, &h.th->incidents, &st_incident_desc);
	struct json v;

	*warning = (struct st_incident){ .kind = STR("process_lost"),
		                         .message = STR("It is gone."),
		                         .at = NOON,
		                         .sequence = 29,
		                         .turn_id = t->turn_id };
	*error = (struct st_incident){ .kind = STR("max_steps"), .at = NOON, .sequence = 31 };
	v = THREAD(h);
	CHECK_STR(STR_AT(v, "incidents/0/incidentId"), "inc_29");
	CHECK_STR(STR_AT(v, "incidents/0/kind"), "warning");
	CHECK_STR(STR_AT(v, "incidents/0/category"), "process_lost");
	CHECK(json_bool(at(v, "incidents/0/open"), false));
	CHECK_STR(STR_AT(v, "incidents/1/kind"), "error");
	CHECK_STR(STR_AT(v, "incidents/1/message"), "max_steps");
	CHECK(!json_bool(at(v, "incidents/1/open"), true));
	CHECK_INT(json_count(at(v, "diagnostics/warnings")), 1);
}

TEST(a_turn_that_its_budget_stopped_is_a_quota_block_and_a_named_outcome)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ENDED, 0);
	struct rec_last_error err = { .category = ERROR_CATEGORY_BUDGET, .message = STR("no") };
	struct rec_limit_event blocked = { .kind = LIMIT_EVENT_KIND_QUOTA_BLOCKED,
		                           .source = LIMIT_SOURCE_CONFIG,
		                           .scope = LIMIT_SCOPE_DAY };
	struct json v;

	t->last_error = &err;
	t->blocked = &blocked;
	set_outcome(&h, t, STATUS_FAILED);
	v = THREAD(h);
	CHECK_STR(STR_AT(v, "diagnostics/quotaBlocks/0/kind"), "quota_blocked");
	CHECK_STR(STR_AT(v, "diagnostics/quotaBlocks/0/scope"), "day");
	CHECK_STR(STR_AT(v, "diagnostics/quotaBlocks/0/source"), "config");
	CHECK_STR(STR_AT(v, "lastOutcome/category"), "budget");
}

TEST(a_snapshot_without_its_older_tasks_says_so_whatever_ended_them)
{
	HAND;

	for (int i = 0; i < LIMIT_TERMINAL_WINDOW; i++)
		add_task(&h, arena_printf(h.mem, "task_%d", i).ptr, TASK_STATUS_TIMED_OUT);
	h.state->s->tasks_timed_out = LIMIT_TERMINAL_WINDOW;
	CHECK(!json_bool(at(SESSION(h), "truncated"), true));
	h.state->s->tasks_timed_out++;
	CHECK(json_bool(at(SESSION(h), "truncated"), false));
	h.state->s->tasks_timed_out--;
	h.state->s->tasks_lost++;
	CHECK(json_bool(at(SESSION(h), "truncated"), false));
}

/* ---- context and environment ---- */

TEST(the_context_names_the_boundary_after_a_compaction)
{
	HAND;
	struct json v = VIEW(h.mem, view_context(w, h.state, h.th));
	struct st_compaction *c;

	CHECK_SAME(STR_AT(v, "threadId"), h.th->thread_id);
	CHECK_STR(STR_AT(v, "history/compactionBoundary/status"), "not_applicable");
	c = rec_list_add(h.state->mem, &h.th->compactions, &st_compaction_desc);
	c->trigger = COMPACTION_TRIGGER_MANUAL;
	c->summary_ref = STR("out_summary");
	c->sequence = 40;
	rec_list_str_add(h.state->mem, &c->affected_turns, STR("turn_1"));
	rec_list_str_add(h.state->mem, &h.th->context_refs, STR("instruction:AGENTS.md"));
	h.th->context_missing = STR("[{\"ref\":\"file:gone\"}]");
	v = VIEW(h.mem, view_context(w, h.state, h.th));
	CHECK_STR(STR_AT(v, "contextBoundary/selectedRefs/0"), "instruction:AGENTS.md");
	CHECK_STR(STR_AT(v, "contextBoundary/compactions/0/summaryRef"), "out_summary");
	CHECK_STR(STR_AT(v, "contextBoundary/missing/0/ref"), "file:gone");
	CHECK_INT(INT_AT(v, "history/compactionBoundary/sequence"), 40);
	CHECK_STR(STR_AT(v, "history/compactionBoundary/affectedTurns/0"), "turn_1");
}

TEST(the_environment_of_the_setup_stands_in_until_a_turn_has_said_its_own)
{
	HAND;
	struct rec_execution_environment *env = sample(h.mem, &rec_execution_environment_desc);

	env->cwd = STR("/ws");
	h.settings.environment = env;
	CHECK_STR(STR_AT(SESSION(h), "executionEnvironment/cwd"), "/ws");
	h.state->s->environment = rec_clone(h.state->mem, &rec_execution_environment_desc, env);
	h.state->s->environment->cwd = STR("/elsewhere");
	CHECK_STR(STR_AT(SESSION(h), "executionEnvironment/cwd"), "/elsewhere");
	CHECK_STR(STR_AT(VIEW(h.mem, view_environment(w, h.state, &h.settings)),
	                 "executionEnvironment/cwd"),
	          "/elsewhere");
}

TEST(only_the_turn_that_started_last_shows_the_environment)
{
	HAND;
	struct rec_execution_environment *env = sample(h.mem, &rec_execution_environment_desc);

	h.state->s->environment = env;
	add_turn(&h, "turn_1", TURN_STAGE_ENDED, STATUS_COMPLETED);
	add_turn(&h, "turn_2", TURN_STAGE_SAMPLING, STATUS_RUNNING)->started_at = NOON + 1;
	add_turn(&h, "turn_3", TURN_STAGE_QUEUED, STATUS_QUEUED);
	CHECK(!json_is(at(THREAD(h), "turns/0/executionEnvironment")));
	CHECK(json_is(at(THREAD(h), "turns/1/executionEnvironment")));
	CHECK(!json_is(at(THREAD(h), "turns/2/executionEnvironment")));
}

TEST_MAIN()

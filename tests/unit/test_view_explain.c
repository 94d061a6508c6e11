/* What a thread waits for, and what ends the wait. */
#include "core/fold_part.h"
#include "test_view_fixture.h"

TEST(an_idle_thread_waits_for_nothing_but_input)
{
	HAND;
	struct json v = WHY(h);

	CHECK_STR(STR_AT(v, "waitingFor"), "nothing");
	CHECK_STR(STR_AT(v, "since"), NOON_TEXT);
	CHECK_STR(STR_AT(v, "deadline"), "none");
	CHECK_STR(STR_AT(v, "endedBy/0"), "submit_turn");
	CHECK_STR(STR_AT(v, "detail"), "Nothing has run here yet.");
}

TEST(a_thread_whose_turn_failed_says_why)
{
	HAND;

	set_outcome(&h, add_turn(&h, "turn_1", TURN_STAGE_ENDED, 0), STATUS_FAILED);
	h.th->profile_status = STATUS_FAILED;
	h.th->status_reason = STR("No model has a credential.");
	CHECK_STR(STR_AT(WHY(h), "detail"),
	          "The last turn ended as failed: No model has a credential.");
}

TEST(a_wait_for_consent_says_until_when_and_who_can_end_it)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct json v;

	add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	v = WHY(h);
	CHECK_STR(STR_AT(v, "status"), "blocked");
	CHECK_STR(STR_AT(v, "waitingFor"), "permission");
	CHECK_STR(STR_AT(v, "until"), "2026-11-17T12:01:00.000Z");
	CHECK(!json_is(at(v, "deadline")));
	CHECK_STR(STR_AT(v, "endedBy/0"), "respond_action");
	CHECK_STR(STR_AT(v, "pendingActionIds/0"), "act_1");
	CHECK_STR(STR_AT(v, "detail"),
	          "An approval is pending: \"Allow shell?\". Without an answer it counts as deny.");
}

TEST(an_open_question_is_a_wait_for_input)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_INPUT);

	add_action(&h, t, "act_1", ACTION_TYPE_STRUCTURED_INPUT);
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "input");
	CHECK_STR(STR_AT(WHY(h), "detail"), "A question is pending: \"Which licence?\". "
	                                    "Without an answer it counts as decline.");
}

TEST(a_request_that_backs_off_says_what_failed_and_what_follows)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_BACKING_OFF, STATUS_RETRYING);
	struct rec_last_error err = { .category = ERROR_CATEGORY_OVERLOADED,
		                      .message = STR("overloaded") };

	t->attempt = 1;
	t->last_error = &err;
	set_wait(&h, WAIT_FOR_BACKOFF, NOON + 500, "timer");
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "backoff");
	CHECK_STR(STR_AT(WHY(h), "until"), "2026-11-17T12:00:00.500Z");
	CHECK_STR(STR_AT(WHY(h), "detail"), "scripted/demo failed: overloaded. Attempt 2 follows.");
	CHECK_STR(STR_AT(THREAD(h), "statusReason"), "overloaded");
}

TEST(a_lost_turn_waits_for_resume_without_a_deadline)
{
	HAND;

	add_turn(&h, "turn_1", TURN_STAGE_LOST, STATUS_LOST);
	set_wait(&h, WAIT_FOR_RESUME, 0, "resume_thread");
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "resume");
	CHECK_STR(STR_AT(WHY(h), "deadline"), "none");
	CHECK_STR(STR_AT(WHY(h), "endedBy/0"), "resume_thread");
	CHECK_STR(STR_AT(THREAD(h), "diagnostics/stalledTurns/0"), "turn_1");
}

TEST(a_turn_that_is_being_stopped_names_what_still_runs)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_STOPPING, STATUS_CANCELLING);

	set_wait(&h, WAIT_FOR_CLEANUP, NOON + 5000, "kill after 5 s");
	CHECK_STR(STR_AT(WHY(h), "detail"), "The turn is being stopped.");
	add_call(&h, t, "tool_1", "shell");
	CHECK_STR(STR_AT(WHY(h), "detail"),
	          "The turn is being stopped; 1 call has still to end, shell first.");
	CHECK_STR(STR_AT(THREAD(h), "diagnostics/interrupt"), "requested");
}

TEST(a_held_queue_waits_for_its_release)
{
	HAND;

	set_outcome(&h, add_turn(&h, "turn_1", TURN_STAGE_ENDED, 0), STATUS_CANCELLED);
	add_turn(&h, "turn_2", TURN_STAGE_QUEUED, STATUS_QUEUED);
	h.th->held = true;
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "release");
	CHECK_STR(STR_AT(WHY(h), "endedBy/0"), "resume_thread");
	CHECK_STR(STR_AT(WHY(h), "detail"),
	          "1 turn waits, and the queue is held because the turn before was stopped.");
	CHECK_STR(STR_AT(THREAD(h), "queue/resumeState"), "held");
}

TEST(turns_behind_the_active_one_are_counted)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_SAMPLING, STATUS_RUNNING);

	t->model_request_id = STR("mreq_1");
	t->requested_at = NOON;
	add_turn(&h, "turn_2", TURN_STAGE_QUEUED, STATUS_QUEUED);
	add_turn(&h, "turn_3", TURN_STAGE_QUEUED, STATUS_QUEUED);
	CHECK_STR(STR_AT(WHY(h), "detail"), "scripted/demo was asked and has not begun to answer. "
	                                    "2 turns are queued behind it.");
	t->first_piece_at = NOON;
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "model");
	CHECK_STR(STR_AT(WHY(h), "detail"),
	          "scripted/demo is answering. 2 turns are queued behind it.");
}

TEST(a_call_runs_since_the_answer_that_allowed_it)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_RUNNING);
	struct st_call *c = add_call(&h, t, "tool_1", "shell");
	struct st_action *a = add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);

	c->action_id = a->action_id;
	a->resolved_at = NOON + 30000;
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "tool");
	CHECK_STR(STR_AT(WHY(h), "since"), "2026-11-17T12:00:30.000Z");
	CHECK_STR(STR_AT(WHY(h), "detail"), "shell is running.");
	add_call(&h, t, "tool_2", "read_file");
	CHECK_STR(STR_AT(WHY(h), "detail"), "shell and 1 more call are running.");
}

TEST(a_running_call_may_wait_for_its_output_to_be_stored)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_RUNNING);
	struct str why = STR("outputs wait since noon: object_store_unreachable: none.");

	add_call(&h, t, "tool_1", "shell");
	CHECK_STR(STR_AT(VIEW(h.mem, view_explain(w, h.state, h.th, why)), "detail"),
	          "shell is running. It may have ended: outputs wait since noon: "
	          "object_store_unreachable: none.");
}

TEST(a_resumed_turn_prepares_since_its_new_run)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_PREPARING, STATUS_PREPARING);
	struct st_task *task = add_task(&h, "task_1", TASK_STATUS_PREPARING);
	struct rec_task_attempt *a =
		rec_list_add(h.state->mem, &task->attempts, &rec_task_attempt_desc);

	a->run_id = t->run_id;
	a->started_at = NOON + 9000;
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "preparation");
	CHECK_STR(STR_AT(WHY(h), "since"), "2026-11-17T12:00:09.000Z");
}

TEST(a_block_that_the_log_does_not_explain_is_unknown)
{
	HAND;

	add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_BLOCKED);
	CHECK_STR(STR_AT(WHY(h), "waitingFor"), "unknown");
}

TEST_MAIN()

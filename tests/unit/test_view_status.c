/* The status words of a thread. */
#include "core/fold_part.h"
#include "test_view_fixture.h"

TEST(the_fine_status_of_the_active_turn_gives_the_nine_words)
{
	static const struct {
		enum status turn;
		enum thread_status thread;
	} cases[] = {
		{ STATUS_ACCEPTED, THREAD_STATUS_QUEUED },
		{ STATUS_PREPARING, THREAD_STATUS_RUNNING },
		{ STATUS_RUNNING, THREAD_STATUS_RUNNING },
		{ STATUS_RETRYING, THREAD_STATUS_RUNNING },
		{ STATUS_CANCELLING, THREAD_STATUS_RUNNING },
		{ STATUS_WAITING_INPUT, THREAD_STATUS_BLOCKED },
		{ STATUS_WAITING_PERMISSION, THREAD_STATUS_BLOCKED },
		{ STATUS_WAITING_RESOURCE, THREAD_STATUS_BLOCKED },
		{ STATUS_BLOCKED, THREAD_STATUS_BLOCKED },
		{ STATUS_PAUSED, THREAD_STATUS_BLOCKED },
		{ STATUS_LOST, THREAD_STATUS_BLOCKED },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		HAND;

		add_turn(&h, "turn_1", TURN_STAGE_PREPARING, cases[i].turn);
		CHECK_INT(view_thread_status(h.th), cases[i].thread);
		CHECK_INT(view_profile_status(h.th), cases[i].turn);
	}
}

TEST(a_thread_without_active_turn_shows_its_last_outcome_or_its_queue)
{
	static const struct {
		enum status outcome;
		enum thread_status thread;
	} cases[] = {
		{ STATUS_COMPLETED, THREAD_STATUS_COMPLETED },
		{ STATUS_FAILED, THREAD_STATUS_FAILED },
		{ STATUS_CANCELLED, THREAD_STATUS_CANCELLED },
		{ STATUS_LOST, THREAD_STATUS_FAILED },
		{ STATUS_TIMED_OUT, THREAD_STATUS_FAILED },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		HAND;

		set_outcome(&h, add_turn(&h, "turn_1", TURN_STAGE_ENDED, 0), cases[i].outcome);
		CHECK_INT(view_thread_status(h.th), cases[i].thread);
		CHECK_INT(view_profile_status(h.th), cases[i].outcome);
		add_turn(&h, "turn_2", TURN_STAGE_QUEUED, STATUS_QUEUED);
		CHECK_INT(view_thread_status(h.th), THREAD_STATUS_QUEUED);
	}
}

TEST(streaming_ends_with_the_request_that_streamed)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_SAMPLING, STATUS_STREAMING);

	t->model_request_id = STR("mreq_1");
	CHECK_STR(STR_AT(THREAD(h), "profileStatus"), "streaming");
	t->model_request_id = STR_NONE;
	CHECK_STR(STR_AT(THREAD(h), "profileStatus"), "running");
	CHECK_STR(STR_AT(THREAD(h), "turns/0/status"), "running");
}

TEST(a_reason_is_shown_only_with_the_status_that_it_is_about)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);

	h.th->profile_status = STATUS_WAITING_PERMISSION;
	h.th->status_reason = STR("waiting for a decision");
	CHECK_STR(view_reason(h.th), "waiting for a decision");
	t->status = STATUS_RUNNING;
	CHECK(!str_is(view_reason(h.th)));
}

TEST(a_wait_that_is_over_is_not_shown)
{
	HAND;

	add_turn(&h, "turn_1", TURN_STAGE_PREPARING, STATUS_PREPARING);
	set_wait(&h, WAIT_FOR_RESUME, 0, "resume_thread");
	CHECK(!json_is(at(THREAD(h), "wait")));
}

TEST(of_two_questions_the_wait_names_the_one_that_is_still_open)
{
	HAND;
	struct st_turn *t = add_turn(&h, "turn_1", TURN_STAGE_ACTING, STATUS_WAITING_PERMISSION);
	struct st_action *first = add_action(&h, t, "act_1", ACTION_TYPE_TOOL_PERMISSION);
	struct st_action *second = add_action(&h, t, "act_2", ACTION_TYPE_TOOL_PERMISSION);
	struct json v;

	second->requested_at += 1000;
	set_wait(&h, WAIT_FOR_PERMISSION, NOON + 60000, "respond_action");
	first->resolved_at = NOON + 2000;
	v = THREAD(h);
	CHECK_STR(STR_AT(v, "wait/for"), "permission");
	CHECK_STR(STR_AT(v, "wait/since"), "2026-11-17T12:00:01.000Z");
	CHECK_INT(json_count(at(v, "pendingRequests")), 1);
	CHECK_INT(json_count(at(v, "actions")), 2);
	CHECK_STR(STR_AT(v, "permissionState/pendingApprovals/0"), "act_2");
}

TEST_MAIN()

/* What waits in a session, counted once each. */
#include "core/view/wait_sums.h"
#include "task_fixture.h"

static uint32_t count_of(const struct bench *b, size_t kind)
{
	struct wait_sum sums[WAIT_SUMS_COUNT] = { 0 };

	wait_sums_add(b->w, sums);
	CHECK((sums[kind].count > 0) == (sums[kind].since > 0));
	return sums[kind].count;
}

static uint32_t count_all(const struct bench *b)
{
	uint32_t all = 0;

	for (size_t kind = 0; kind < WAIT_SUMS_COUNT; kind++)
		all += count_of(b, kind);
	return all;
}

TEST(every_kind_has_a_word_of_its_own)
{
	for (size_t a = 0; a < WAIT_SUMS_COUNT; a++)
		for (size_t b = 0; b < a; b++)
			CHECK(!str_is(wait_sums_word(a)) ||
			      !str_eq(wait_sums_word(a), wait_sums_word(b)));
	CHECK_STR(wait_sums_word(WAIT_FOR_PERMISSION), "permission");
	CHECK_STR(wait_sums_word(WAIT_SUMS_QUEUED + QUEUE_WAIT_HELD), "held");
}

TEST(turns_behind_another_wait_in_the_queue_or_are_held)
{
	struct bench b;

	bench_init(&b, 1);
	CHECK_INT(count_all(&b), 0);
	CHECK(send(&b, COMMAND_SUBMIT_TURN, "{\"input\":\"one\"}"));
	CHECK_INT(count_all(&b), 0);
	CHECK(send(&b, COMMAND_SUBMIT_TURN, "{\"input\":\"two\"}"));
	CHECK(send(&b, COMMAND_SUBMIT_TURN, "{\"input\":\"three\"}"));
	CHECK_INT(count_of(&b, WAIT_SUMS_QUEUED + QUEUE_WAIT_QUEUE), 2);
	CHECK_INT(count_all(&b), 2);
	CHECK(send(&b, COMMAND_INTERRUPT_TURN,
	           "{\"sessionId\":\"sess_1\",\"queuePolicy\":\"keep\"}"));
	CHECK_INT(count_of(&b, WAIT_SUMS_QUEUED + QUEUE_WAIT_HELD), 2);
	bench_done(&b);
}

TEST(a_task_that_waits_for_another_is_a_wait)
{
	struct bench b;

	bench_init(&b, 1);
	CHECK(send(&b, COMMAND_CREATE_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"objective\":\"a\"}"));
	CHECK(send(&b, COMMAND_CREATE_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\",\"objective\":\"b\"}"));
	CHECK(send(&b, COMMAND_LINK_TASKS,
	           "{\"sessionId\":\"sess_1\",\"fromTaskId\":\"task_a\",\"toTaskId\":\"task_b\","
	           "\"relationship\":\"blocks\"}"));
	CHECK_INT(count_all(&b), 0);
	CHECK(send(&b, COMMAND_START_TASK, "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\"}"));
	CHECK_INT(count_all(&b), count_of(&b, WAIT_FOR_DEPENDENCY));
	CHECK_INT(count_of(&b, WAIT_FOR_DEPENDENCY), 1);
	CHECK(send(&b, COMMAND_PAUSE_TASK, "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\"}"));
	CHECK_INT(count_of(&b, WAIT_FOR_RESUME), 1);
	CHECK(send(&b, COMMAND_CANCEL_TASK, "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\"}"));
	CHECK_INT(count_all(&b), 0);
	bench_done(&b);
}

TEST_MAIN()

/* Schedules without an engine: due, missed and skipped runs, whatever the clock does. */
#include "task_fixture.h"

#include "core/schedule/cron.h"
#include "core/schedule/schedule.h"
#include "core/step.h"

#define MINUTE 60000ll
#define DAY_MS 86400000ll

static const struct rec_schedule *only(const struct bench *b)
{
	CHECK(b->w->s->schedules.count == 1);
	return b->w->s->schedules.items[0]->record;
}

/* The time is `now`; returns how many runs were due. */
static int time_is(struct bench *b, int64_t now)
{
	int moves = 0;

	b->now = now;
	while (step_deadline(b->w, &b->leases) && step_deadline(b->w, &b->leases) <= b->now &&
	       moves < 100) {
		struct decision *d = begin(b, NULL);

		step_time(d);
		settle(b, d);
		moves++;
	}
	CHECK(moves < 100);
	return moves;
}

static void make(struct bench *b, const char *policy, const char *overlap)
{
	bench_init(b, 7);
	b->now = 100 * DAY_MS;
	CHECK(send(b, COMMAND_CREATE_SCHEDULE,
	           "{\"everyMs\":60000,\"missedPolicy\":\"%s\",\"overlap\":\"%s\","
	           "\"task\":{\"objective\":\"x\"}}",
	           policy, overlap));
	CHECK(only(b)->next_at == b->now + MINUTE);
}

TEST(on_time_every_moment_makes_one_task_and_moments_between_leave_nothing)
{
	struct bench b;
	int64_t from;
	uint64_t before;

	make(&b, "once", "queue");
	from = b.now;
	for (int i = 1; i <= 5; i++) {
		CHECK(time_is(&b, from + i * MINUTE) == 1);
		before = b.sequence;
		CHECK(time_is(&b, from + i * MINUTE + 30000) == 0);
		CHECK(b.sequence == before);
		CHECK(only(&b)->runs == i && only(&b)->missed == 0);
	}
	bench_done(&b);
}

TEST(the_task_before_is_cancelled_although_the_next_one_cannot_be_created)
{
	struct bench b;
	const struct st_task *before;

	make(&b, "once", "cancel");
	CHECK(time_is(&b, b.now + MINUTE) == 1);
	before = state_task(b.w, only(&b)->last_task_id);
	CHECK(before && !task_table_status_is_end(before->record->status));
	for (int i = 0; i < LIMIT_OPEN_TASKS_PER_SESSION - 1; i++)
		CHECK(send(&b, COMMAND_CREATE_TASK, "{\"objective\":\"x\"}"));
	CHECK(!send(&b, COMMAND_CREATE_TASK, "{\"objective\":\"x\"}"));
	CHECK(time_is(&b, b.now + MINUTE) == 1);
	CHECK(only(&b)->runs == 1 && only(&b)->skipped == 1);
	CHECK(before->cancelled);
	bench_done(&b);
}

TEST(what_was_missed_is_made_up_for_once)
{
	struct bench b;

	make(&b, "once", "skip");
	CHECK(time_is(&b, b.now + 10 * MINUTE + 5) == 1);
	CHECK(only(&b)->runs == 1 && only(&b)->missed == 9);
	CHECK(only(&b)->next_at == 100 * DAY_MS + 11 * MINUTE);
	bench_done(&b);
}

TEST(what_was_missed_is_skipped_and_said)
{
	struct bench b;

	make(&b, "skip", "skip");
	b.now += 10 * MINUTE - 1;
	b.now += 61001; /* more than the grace behind the last of them */
	CHECK(only(&b)->next_at < b.now);
	b.now = 100 * DAY_MS + 9 * MINUTE + 59999;
	CHECK(time_is(&b, b.now) == 1); /* the ninth is within the grace: it runs */
	CHECK(only(&b)->runs == 1 && only(&b)->missed == 8);
	bench_done(&b);

	bench_init(&b, 8);
	b.now = 100 * DAY_MS;
	CHECK(send(&b, COMMAND_CREATE_SCHEDULE,
	           "{\"cron\":\"0 * * * "
	           "*\",\"missedPolicy\":\"skip\",\"task\":{\"objective\":\"x\"}}"));
	CHECK(time_is(&b, b.now + 5 * 3600000 + 120000) == 1);
	CHECK(only(&b)->runs == 0 && only(&b)->missed == 5);
	CHECK(only(&b)->next_at == 100 * DAY_MS + 6 * 3600000);
	bench_done(&b);
}

TEST(what_was_missed_is_made_up_for_one_by_one_within_bounds)
{
	struct bench b;

	make(&b, "all", "queue");
	time_is(&b, b.now + 40 * MINUTE);
	CHECK(only(&b)->runs == LIMIT_SCHEDULE_CATCH_UP);
	CHECK(only(&b)->missed == 40 - LIMIT_SCHEDULE_CATCH_UP);
	CHECK(only(&b)->next_at == 100 * DAY_MS + 41 * MINUTE);
	bench_done(&b);
}

TEST(a_year_of_sleep_ends_at_once)
{
	struct bench b;

	make(&b, "once", "skip");
	CHECK(time_is(&b, b.now + 366 * DAY_MS) == 1);
	CHECK(only(&b)->runs == 1 && only(&b)->missed > 9000);
	CHECK(only(&b)->next_at > b.now && only(&b)->next_at <= b.now + MINUTE);
	bench_done(&b);
}

TEST(a_clock_that_is_put_back_repeats_nothing)
{
	struct bench b;

	make(&b, "once", "skip");
	CHECK(time_is(&b, b.now + MINUTE) == 1);
	CHECK(time_is(&b, b.now - 10 * MINUTE) == 0);
	CHECK(only(&b)->runs == 1);
	bench_done(&b);
}

TEST(while_one_is_open_the_next_is_skipped_queued_or_takes_its_place)
{
	struct bench b;

	make(&b, "once", "skip");
	time_is(&b, b.now + MINUTE);
	time_is(&b, b.now + MINUTE);
	CHECK(only(&b)->runs == 1 && only(&b)->skipped == 1);
	bench_done(&b);

	make(&b, "once", "queue");
	time_is(&b, b.now + MINUTE);
	time_is(&b, b.now + MINUTE);
	CHECK(only(&b)->runs == 2 && only(&b)->skipped == 0);
	CHECK(state_task(b.w, only(&b)->last_task_id)->record->status == TASK_STATUS_QUEUED);
	bench_done(&b);

	make(&b, "once", "cancel");
	time_is(&b, b.now + MINUTE);
	struct str first = str_of(strdup(only(&b)->last_task_id.ptr), only(&b)->last_task_id.len);

	time_is(&b, b.now + MINUTE);
	CHECK(only(&b)->runs == 2 && !str_eq(first, only(&b)->last_task_id));
	CHECK(state_task(b.w, first)->cancelled);
	free((char *)first.ptr);
	bench_done(&b);
}

TEST(once_is_once_and_then_it_has_ended)
{
	struct bench b;

	bench_init(&b, 9);
	b.now = 100 * DAY_MS;
	CHECK(send(&b, COMMAND_CREATE_SCHEDULE,
	           "{\"at\":\"1970-04-11T01:00:00Z\",\"task\":{\"objective\":\"x\"}}"));
	CHECK(time_is(&b, b.now + 3600000) == 1);
	CHECK(only(&b)->runs == 1 && only(&b)->status == SCHEDULE_STATUS_ENDED);
	CHECK(time_is(&b, b.now + DAY_MS) == 0);
	CHECK(!send(&b, COMMAND_RESUME_SCHEDULE,
	            "{\"sessionId\":\"sess_1\",\"scheduleId\":\"%.*s\"}",
	            STR_ARG(only(&b)->schedule_id)));
	bench_done(&b);
}

TEST_MAIN()

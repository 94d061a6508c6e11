/* What took the time of a turn: each millisecond is counted once, in the documented order. */
#include "core/usage/time_use.h"
#include "lib/t.h"

struct log {
	struct arena *mem;
	struct time_use use;
};

static void log_init(struct log *l, size_t limit)
{
	l->mem = arena_new();
	time_use_init(&l->use, l->mem, STR_NONE, limit);
}

static void log_done(struct log *l)
{
	time_use_done(&l->use);
	arena_free(l->mem);
}

static void add_with(struct log *l, const char *turn, enum event_type type, int64_t at,
                     const void *payload)
{
	struct event ev = { .type = type,
		            .turn_id = str_from(turn),
		            .thread_id = STR("thr"),
		            .timestamp = at,
		            .payload = payload };

	time_use_add(&l->use, &ev);
}

/* Turns are queued here, but where a test says otherwise. */
static void add(struct log *l, const char *turn, enum event_type type, int64_t at)
{
	struct ev_turn_submitted queued = { .status = STATUS_QUEUED };

	if (type == EV_TURN_SUBMITTED) {
		add_with(l, turn, type, at, &queued);
		return;
	}
	add_with(l, turn, type, at, NULL);
}

static void add_wait(struct log *l, const char *turn, int64_t at, enum wait_for what)
{
	struct rec_wait wait = { .for_ = what };
	struct ev_run_status p = { .wait = &wait };

	add_with(l, turn, EV_RUN_STATUS, at, &p);
}

static bool is_sum(const struct time_sum *s, int64_t model, int64_t people, int64_t tool,
                   int64_t resource, int64_t runtime)
{
	struct rec_time_use r;

	time_use_record(s, &r);
	CHECK_INT(r.duration_ms,
	          r.model_ms + r.people_ms + r.tool_ms + r.resource_ms + r.runtime_ms);
	return r.model_ms == model && r.people_ms == people && r.tool_ms == tool &&
	       r.resource_ms == resource && r.runtime_ms == runtime;
}

TEST(a_turn_is_split_and_its_parts_are_its_duration)
{
	struct log l;

	log_init(&l, 10);
	add(&l, "a", EV_TURN_SUBMITTED, 1000);
	add(&l, "a", EV_TURN_STARTED, 1100);    /* queued: 100 */
	add(&l, "a", EV_MODEL_REQUESTED, 1110); /* runtime: 10 */
	add(&l, "a", EV_MODEL_COMPLETED, 2110); /* model: 1000 */
	add(&l, "a", EV_TOOL_STARTED, 2115);    /* runtime: 5 */
	add(&l, "a", EV_ACTION_REQUIRED, 2120); /* tool: 5 */
	add(&l, "a", EV_ACTION_RESOLVED, 2420); /* people: 300 */
	add(&l, "a", EV_TOOL_RESULT, 2470);     /* tool: 50 */
	add(&l, "a", EV_TURN_COMPLETED, 2471);
	time_use_close(&l.use, 9999);
	CHECK(is_sum(&l.use.first->sum, 1000, 300, 55, 100, 16));
	CHECK(is_sum(&l.use.session, 1000, 300, 55, 100, 16));
	CHECK_INT(l.use.first->ended_at, 2471);
	log_done(&l);
}

/* The runtime prepares a turn that was accepted; nothing else is in its way. */
TEST(a_turn_that_is_not_queued_waits_for_no_resource)
{
	struct ev_turn_submitted accepted = { .status = STATUS_ACCEPTED };
	struct log l;

	log_init(&l, 10);
	add_with(&l, "a", EV_TURN_SUBMITTED, 100, &accepted);
	add(&l, "a", EV_TURN_STARTED, 125);
	add(&l, "a", EV_TURN_COMPLETED, 130);
	time_use_close(&l.use, 500);
	CHECK(is_sum(&l.use.first->sum, 0, 0, 0, 0, 30));
	log_done(&l);
}

TEST(waits_belong_to_resources_or_to_people)
{
	struct log l;

	log_init(&l, 10);
	add(&l, "a", EV_TURN_SUBMITTED, 0);
	add(&l, "a", EV_TURN_STARTED, 0);
	add_wait(&l, "a", 0, WAIT_FOR_QUOTA);
	add_wait(&l, "a", 100, WAIT_FOR_BACKOFF);
	add(&l, "a", EV_MODEL_REQUESTED, 150);
	add(&l, "a", EV_MODEL_FAILED, 160);
	add_wait(&l, "a", 160, WAIT_FOR_RESUME);
	add(&l, "a", EV_TASK_ATTEMPT_STARTED, 460);
	add_wait(&l, "a", 460, WAIT_FOR_CLEANUP);
	add(&l, "a", EV_TURN_FAILED, 470);
	time_use_close(&l.use, 500);
	CHECK(is_sum(&l.use.first->sum, 10, 300, 0, 150, 10));
	log_done(&l);
}

/* A parent waits in its call for a child that asks: people, and not the tool. */
TEST(what_runs_side_by_side_is_counted_once)
{
	struct log l;

	log_init(&l, 10);
	add(&l, "p", EV_TURN_SUBMITTED, 0);
	add(&l, "p", EV_TURN_STARTED, 0);
	add(&l, "p", EV_TOOL_STARTED, 0);
	add(&l, "c", EV_TURN_SUBMITTED, 0);
	add(&l, "c", EV_TURN_STARTED, 0);
	add(&l, "c", EV_MODEL_REQUESTED, 0);
	add(&l, "c", EV_MODEL_COMPLETED, 40);
	add(&l, "c", EV_ACTION_REQUIRED, 40);
	add(&l, "c", EV_ACTION_RESOLVED, 100);
	add(&l, "c", EV_TURN_COMPLETED, 110);
	add(&l, "p", EV_TOOL_RESULT, 130);
	add(&l, "p", EV_TURN_COMPLETED, 130);
	time_use_close(&l.use, 500);
	CHECK(is_sum(&l.use.first->sum, 0, 0, 130, 0, 0));
	CHECK(is_sum(&l.use.first->next->sum, 40, 60, 0, 0, 10));
	CHECK(is_sum(&l.use.session, 40, 60, 30, 0, 0));
	log_done(&l);
}

TEST(what_is_open_counts_up_to_now_and_idle_time_does_not)
{
	struct log l;

	log_init(&l, 10);
	add(&l, "a", EV_TURN_SUBMITTED, 0);
	add(&l, "a", EV_TURN_STARTED, 10);
	add(&l, "a", EV_MODEL_REQUESTED, 10);
	add(&l, "a", EV_TURN_FAILED, 20); /* its request was never closed */
	add(&l, "b", EV_TURN_SUBMITTED, 1000);
	add(&l, "b", EV_TURN_STARTED, 1000);
	time_use_close(&l.use, 1007);
	CHECK(is_sum(&l.use.session, 10, 0, 0, 10, 7));
	CHECK_INT(l.use.last->ended_at, 0);
	log_done(&l);
}

TEST(rows_are_bounded_and_the_newest_stay)
{
	struct log l;
	char id[8];

	log_init(&l, 3);
	for (int i = 0; i < 10; i++) {
		snprintf(id, sizeof id, "t%d", i);
		add(&l, id, EV_TURN_SUBMITTED, i * 10);
		add(&l, id, EV_TURN_COMPLETED, i * 10 + 1);
	}
	time_use_close(&l.use, 500);
	CHECK_INT(l.use.count, 3);
	CHECK_INT(l.use.omitted, 7);
	CHECK(str_eq(l.use.first->turn_id, STR("t7")) && str_eq(l.use.last->turn_id, STR("t9")));
	CHECK(is_sum(&l.use.session, 0, 0, 0, 10, 0));
	log_done(&l);
}

TEST_MAIN()

/* The bound on steps: an endless chain is reported, and its turn fails. */
#include "task_fixture.h"

static struct decision *at_step(struct bench *b, int step)
{
	struct decision *d = begin(b, NULL);

	d->step = step;
	step_next(d);
	return d;
}

/* A turn that was submitted and of which nothing has followed yet. */
static const struct st_turn *submitted(struct bench *b)
{
	struct command_call call = { .command = COMMAND_SUBMIT_TURN,
		                     .caller = { .principal = STR("owner"), .via = STR("test") },
		                     .request_id = STR("req_1"),
		                     .body_hash = STR("00") };
	struct cmd_submit_turn args = { .session_id = STR("sess_1"), .input = STR("\"hello\"") };
	struct decision *d;

	bench_init(b, 1);
	d = begin(b, &call);
	decide_command(d, COMMAND_SUBMIT_TURN, &args);
	CHECK(!d->refusal && d->count);
	apply(b, d);
	return state_thread_active(state_main_thread(b->w));
}

TEST(below_the_bound_the_step_is_decided)
{
	struct bench b;
	struct decision *d;

	CHECK(submitted(&b) != NULL);
	d = at_step(&b, STEP_MAX - 1);
	CHECK(d->count > 0 && d->events[0]->type != EV_RUNTIME_ERROR);
	bench_done(&b);
}

TEST(at_the_bound_the_turn_fails_and_says_why)
{
	struct bench b;
	const struct st_turn *t = submitted(&b);
	struct str turn_id = arena_keep(b.mem, t->turn_id);
	const struct ev_runtime_error *p;
	struct decision *d = at_step(&b, STEP_MAX);

	CHECK_INT(d->count, 1);
	CHECK(d->events[0]->type == EV_RUNTIME_ERROR);
	CHECK_SAME(d->events[0]->turn_id, turn_id);
	p = d->events[0]->payload;
	CHECK(p->category == ERROR_CATEGORY_INTERNAL && str_is(p->message) && str_is(p->remedy));
	apply(&b, d);
	for (int step = STEP_MAX + 1; step < STEP_MAX + STEP_END_MAX; step++) {
		d = at_step(&b, step);
		if (!d->count)
			break;
		apply(&b, d);
	}
	t = state_thread_turn(state_main_thread(b.w), turn_id);
	CHECK(t && turn_is_over(t) && t->status == STATUS_FAILED);
	CHECK(!str_is(state_main_thread(b.w)->active_turn_id));
	bench_done(&b);
}

TEST(far_beyond_the_bound_nothing_follows)
{
	struct bench b;

	CHECK(submitted(&b) != NULL);
	CHECK_INT(at_step(&b, STEP_MAX + STEP_END_MAX)->count, 0);
	bench_done(&b);
}

TEST(a_chain_that_ends_at_the_bound_is_no_error)
{
	struct bench b;

	bench_init(&b, 1);
	CHECK_INT(at_step(&b, STEP_MAX)->count, 0);
	bench_done(&b);
}

TEST_MAIN()

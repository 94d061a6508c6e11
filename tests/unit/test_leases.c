/* Leases of external workers: kept beside the state, moved by events and heartbeats. */
#include "core/task/task.h"
#include "task_fixture.h"

static const struct st_task *claimed(struct bench *b, struct str *ret_run)
{
	const struct st_task *t;

	bench_init(b, 1);
	CHECK(send(b, COMMAND_CREATE_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"objective\":\"x\"}"));
	CHECK(send(b, COMMAND_START_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\","
	           "\"worker\":{\"kind\":\"external\"}}"));
	CHECK(send(b, COMMAND_CLAIM_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"workerId\":\"w\","
	           "\"leaseMs\":10000}"));
	t = state_task(b->w, STR("task_a"));
	*ret_run = arena_keep(b->mem, task_run(t)->run_id);
	return t;
}

TEST(a_claim_begins_a_lease_and_the_end_of_the_run_ends_it)
{
	struct bench b;
	struct str run;

	claimed(&b, &run);
	CHECK_INT(b.leases.count, 1);
	CHECK_INT(step_deadline(b.w, &b.leases), b.now + 10000);
	CHECK(send(&b, COMMAND_COMPLETE_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"runId\":\"%.*s\"}",
	           STR_ARG(run)));
	CHECK_INT(b.leases.count, 0);
	bench_done(&b);
}

TEST(a_heartbeat_moves_the_lease_and_leaves_the_state_as_it_was)
{
	struct bench b;
	struct str run, before;

	claimed(&b, &run);
	before = state_text(b.mem, b.w);
	b.now += 4000;
	CHECK(send(&b, COMMAND_HEARTBEAT_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"runId\":\"%.*s\","
	           "\"workerId\":\"w\",\"leaseMs\":10000}",
	           STR_ARG(run)));
	CHECK_SAME(state_text(b.mem, b.w), before);
	CHECK_INT(step_deadline(b.w, &b.leases), b.now + 10000);
	CHECK_INT(step_deadline(b.w, NULL), b.now + 6000); /* as the log has it */
	bench_done(&b);
}

TEST(the_same_state_decides_by_the_leases_that_it_is_given)
{
	struct bench b;
	struct leases none = { 0 };
	struct decision *d;
	struct str run;

	claimed(&b, &run);
	lease_set(&b.leases, run, b.now + 60000);
	b.now += 20000;
	d = begin(&b, NULL);
	step_time(d);
	CHECK_INT(d->count, 0);
	d = begin(&b, NULL);
	d->leases = &none;
	step_time(d);
	CHECK(d->count > 0);
	bench_done(&b);
}

TEST(a_restart_gives_each_run_its_lease_again)
{
	struct bench b;
	struct str run;

	claimed(&b, &run);
	b.now += 9000;
	lease_restart(&b.leases, b.w, b.now);
	CHECK_INT(b.leases.count, 1);
	CHECK_INT(lease_until(&b.leases, run, 1), b.now + 10000);
	CHECK_INT(lease_until(NULL, run, 5), 5);
	bench_done(&b);
}

TEST_MAIN()

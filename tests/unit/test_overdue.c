/* Waits that nothing ends automatically are recorded when they have lasted a day, once. */
#include "task_fixture.h"
#include "core/step.h"

static int warnings(struct bench *b, int64_t now)
{
	int moves = 0;

	b->now = now;
	while (step_deadline(b->w, &b->leases) && step_deadline(b->w, &b->leases) <= b->now &&
	       moves < 100) {
		struct decision *d = begin(b, NULL);

		step_time(d);
		CHECK(d->count > 0);
		for (size_t i = 0; i < d->count; i++)
			if (d->events[i]->type == EV_RUNTIME_WARNING) {
				const struct ev_runtime_warning *p = d->events[i]->payload;

				CHECK(p->category == WARNING_CATEGORY_OVERDUE_WAIT);
				CHECK(p->wait && p->wait->overdue_at == now && str_is(p->remedy));
			}
		settle(b, d);
		moves++;
	}
	return moves;
}

static const struct st_task *only(const struct bench *b)
{
	for (uint32_t i = 0; i < b->w->s->tasks.count; i++)
		if (!b->w->s->tasks.items[i]->implicit)
			return b->w->s->tasks.items[i];
	WRONG("there is no task");
	return NULL;
}

static void make(struct bench *b, const char *more)
{
	bench_init(b, 3);
	CHECK(send(b, COMMAND_CREATE_TASK, "{\"objective\":\"x\"%s}", more));
}

TEST(a_task_without_a_worker_is_overdue_after_a_day_and_that_is_said_once)
{
	struct bench b;
	int64_t from;

	make(&b, "");
	from = b.now;
	CHECK(send(
		&b, COMMAND_START_TASK,
		"{\"sessionId\":\"sess_1\",\"taskId\":\"%.*s\",\"worker\":{\"kind\":\"external\"}}",
		STR_ARG(only(&b)->record->task_id)));
	CHECK(only(&b)->wait->for_ == WAIT_FOR_WORKER);
	CHECK(warnings(&b, from + LIMIT_WAIT_OVERDUE_MS - 1) == 0);
	CHECK(warnings(&b, from + LIMIT_WAIT_OVERDUE_MS) == 1);
	CHECK(only(&b)->wait->overdue_at == b.now);
	CHECK(warnings(&b, from + 30ll * LIMIT_WAIT_OVERDUE_MS) == 0);
	bench_done(&b);
}

TEST(a_task_that_was_blocked_by_another_is_overdue_too)
{
	struct bench b;
	struct str first, second;

	make(&b, ",\"taskId\":\"task_a\"");
	CHECK(send(&b, COMMAND_CREATE_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\",\"objective\":\"y\"}"));
	first = STR("task_a");
	second = STR("task_b");
	CHECK(send(&b, COMMAND_LINK_TASKS,
	           "{\"sessionId\":\"sess_1\",\"fromTaskId\":\"task_a\",\"toTaskId\":\"task_b\","
	           "\"relationship\":\"blocks\"}"));
	CHECK(send(&b, COMMAND_START_TASK, "{\"sessionId\":\"sess_1\",\"taskId\":\"task_b\"}"));
	CHECK(send(&b, COMMAND_FAIL_TASK,
	           "{\"sessionId\":\"sess_1\",\"taskId\":\"task_a\",\"error\":{\"category\":\"tool_"
	           "failed\","
	           "\"message\":\"no\",\"retryable\":false}}"));
	CHECK(task_table_status_is_end(state_task(b.w, first)->record->status));
	CHECK(state_task(b.w, second)->record->status == TASK_STATUS_BLOCKED);
	CHECK(warnings(&b, b.now + LIMIT_WAIT_OVERDUE_MS) == 1);
	CHECK(warnings(&b, b.now + LIMIT_WAIT_OVERDUE_MS) == 0);
	bench_done(&b);
}

TEST_MAIN()

/*
 * Tasks as a property: whatever is requested in whatever order, every event
 * satisfies its schema, the order check and the transition table, and the state
 * can be explained.
 */
#include "task_fixture.h"
#include "core/step.h"
#include "core/subagent/subagent.h"

/* ---- the table ---- */

static const enum event_type task_classes[] = {
	EV_TASK_ACCEPTED,        EV_TASK_QUEUED,           EV_TASK_STARTED,
	EV_TASK_ATTEMPT_STARTED, EV_MODEL_REQUESTED,       EV_TASK_WAITING,
	EV_TASK_BLOCKED,         EV_TASK_PAUSED,           EV_TASK_RESUMED,
	EV_TASK_RETRYING,        EV_TASK_CANCEL_REQUESTED, EV_TASK_CANCELLED,
	EV_TASK_TIMED_OUT,       EV_TASK_FAILED,           EV_TASK_LOST,
	EV_TASK_COMPLETED,       EV_TASK_ARCHIVED,
};

static uint32_t next_of(enum task_status from)
{
	uint32_t to = 0;

	for (size_t i = 0; i < COUNT_OF(task_classes); i++)
		for (enum task_status s = TASK_STATUS_DRAFT; s <= TASK_STATUS_UNKNOWN; s++)
			if (task_table_allows_move(task_classes[i], from, s))
				to |= 1u << s;
	return to;
}

static uint32_t reachable(enum task_status from)
{
	uint32_t seen = 1u << from, before = 0;

	while (seen != before) {
		before = seen;
		for (enum task_status s = TASK_STATUS_DRAFT; s <= TASK_STATUS_UNKNOWN; s++)
			if (seen & (1u << s))
				seen |= next_of(s);
	}
	return seen;
}

TEST(every_status_but_the_honest_two_is_reached_from_draft)
{
	uint32_t seen = reachable(TASK_STATUS_DRAFT);

	for (enum task_status s = TASK_STATUS_DRAFT; s <= TASK_STATUS_UNKNOWN; s++) {
		bool is_said_by_views = s == TASK_STATUS_STALE || s == TASK_STATUS_UNKNOWN;

		CHECK(((seen >> s) & 1) == !is_said_by_views);
	}
}

TEST(what_has_ended_is_reopened_by_retrying_alone_and_a_completed_task_by_nothing)
{
	for (enum task_status s = TASK_STATUS_DRAFT; s <= TASK_STATUS_UNKNOWN; s++)
		for (size_t i = 0; i < COUNT_OF(task_classes); i++) {
			bool may = task_table_allows(task_classes[i], s);

			if (s == TASK_STATUS_ARCHIVED)
				CHECK(!may);
			else if (s == TASK_STATUS_COMPLETED)
				CHECK(may == (task_classes[i] == EV_TASK_ARCHIVED));
			else if (task_table_status_is_end(s))
				CHECK(may == (task_classes[i] == EV_TASK_ARCHIVED ||
				              task_classes[i] == EV_TASK_RETRYING));
		}
}

TEST(whatever_is_open_can_be_cancelled_and_the_intent_comes_first)
{
	for (enum task_status s = TASK_STATUS_DRAFT; s < TASK_STATUS_CANCELLING; s++)
		CHECK(task_table_allows_move(EV_TASK_CANCEL_REQUESTED, s, TASK_STATUS_CANCELLING));
	CHECK(!task_table_allows(EV_TASK_COMPLETED, TASK_STATUS_CANCELLING));
	CHECK(!task_table_allows(EV_TASK_PAUSED, TASK_STATUS_CANCELLING));
	CHECK(task_table_allows_move(EV_TASK_CANCELLED, TASK_STATUS_CANCELLING,
	                             TASK_STATUS_CANCELLED));
}

/* ---- anything, in any order ---- */

static struct str any(struct bench *b)
{
	return b->task_count ? b->tasks[rng_below(&b->rng, (uint64_t)b->task_count)]
	                     : STR("task_none");
}

static struct str run_of(struct bench *b, struct str id)
{
	const struct st_task *t = state_task(b->w, id);

	/* Sometimes the run that was, which has to be refused. */
	if (!t || !t->attempts.count)
		return STR("run_none");
	return t->attempts.items[rng_below(&b->rng, t->attempts.count)]->run_id;
}

static void model_answers(struct bench *b)
{
	for (uint32_t i = 0; i < b->w->s->threads.count; i++) {
		const struct st_turn *t = state_thread_active(b->w->s->threads.items[i]);
		struct model_end end = { .retry_after_ms = -1, .stop = STOP_REASON_END_TURN };
		struct decision *d;

		if (!t || !str_is(t->model_request_id))
			continue;
		if (rng_below(&b->rng, 4) == 0) {
			end.failed = true;
			end.category = ERROR_CATEGORY_SERVER_ERROR;
			end.message = STR("no");
			end.retryable = rng_below(&b->rng, 2);
		}
		d = begin(b, NULL);
		turn_model_end(d, t->turn_id, t->model_request_id, &end);
		settle(b, d);
		return;
	}
}

static void time_passes(struct bench *b)
{
	int64_t due = step_deadline(b->w, &b->leases);

	b->now += rng_range(&b->rng, 0, 400);
	if (due && rng_below(&b->rng, 2))
		b->now = MAX(b->now, due);
	for (int i = 0; i < 100 && step_deadline(b->w, &b->leases) &&
	                step_deadline(b->w, &b->leases) <= b->now;
	     i++) {
		struct decision *d = begin(b, NULL);

		step_time(d);
		if (!d->count)
			WRONG("something is due, and nothing comes of it");
		settle(b, d);
	}
}

static void crash(struct bench *b)
{
	struct decision *d;

	lease_restart(&b->leases, b->w, b->now);
	d = begin(b, NULL);
	recover_session(d, &(struct recovered){ 0 });
	settle(b, d);
	if (rng_below(&b->rng, 2)) {
		d = begin(b, NULL);
		recover_resume(d);
		settle(b, d);
	}
}

static void make_task(struct bench *b)
{
	static const char *const extras[] = {
		"",
		",\"acceptance\":[{\"id\":\"a\",\"kind\":\"text\"}]",
		",\"acceptance\":[{\"id\":\"a\",\"kind\":\"artifact\"}]",
		",\"constraints\":{\"timeMs\":300}",
		",\"retryPolicy\":{\"maxAttempts\":3,\"backoff\":\"exponential\",\"backoffMs\":50,"
		"\"nonRetryable\":[],\"timeoutMs\":500}",
		",\"retryPolicy\":{\"maxAttempts\":2,\"backoff\":\"immediate\",\"nonRetryable\":["
		"\"server_error\"]}",
	};
	const char *extra = extras[rng_below(&b->rng, COUNT_OF(extras))];
	struct str id = arena_printf(b->mem, "task_%d", b->task_count);
	bool has_parent = b->task_count && rng_below(&b->rng, 3) == 0;

	if (b->task_count == COUNT_OF(b->tasks))
		return;
	if (send(b, COMMAND_CREATE_TASK, "{\"taskId\":\"%.*s\",\"objective\":\"do\"%s%s%.*s%s%s}",
	         STR_ARG(id), extra, has_parent ? ",\"parentTaskId\":\"" : "",
	         STR_ARG(has_parent ? any(b) : STR("")), has_parent ? "\"" : "",
	         rng_below(&b->rng, 2) ? ",\"start\":true" : ""))
		b->tasks[b->task_count++] = id;
}

static void one_thing(struct bench *b)
{
#define S "{\"sessionId\":\"sess_1\",\"taskId\":\"%.*s\""
	struct str id = any(b), run = run_of(b, id);
	uint64_t what = rng_below(&b->rng, 22);

	switch (what) {
	case 0:
	case 1:
		make_task(b);
		break;
	case 2:
		send(b, COMMAND_START_TASK, S "}", STR_ARG(id));
		break;
	case 3:
		send(b, COMMAND_START_TASK, S ",\"worker\":{\"kind\":\"external\"}}", STR_ARG(id));
		break;
	case 4:
		send(b, COMMAND_PAUSE_TASK, S "}", STR_ARG(id));
		break;
	case 5:
		send(b, COMMAND_RESUME_TASK, S "}", STR_ARG(id));
		break;
	case 6:
		send(b, COMMAND_CANCEL_TASK, S ",\"propagation\":\"%s\"}", STR_ARG(id),
		     rng_below(&b->rng, 3) ? "children_and_processes" : "self");
		break;
	case 7:
		send(b, COMMAND_RETRY_TASK, S ",\"reason\":\"r\"}", STR_ARG(id));
		break;
	case 8:
	case 9:
		send(b, COMMAND_COMPLETE_TASK, S ",\"runId\":\"%.*s\",\"acceptance\":[\"a\"]}",
		     STR_ARG(id), STR_ARG(run));
		break;
	case 10:
		send(b, COMMAND_FAIL_TASK,
		     S ",\"runId\":\"%.*s\",\"error\":{\"category\":\"environment\",\"message\":"
		       "\"m\"}}",
		     STR_ARG(id), STR_ARG(run));
		break;
	case 11:
		send(b, COMMAND_ARCHIVE_TASK, S "}", STR_ARG(id));
		break;
	case 12:
		send(b, COMMAND_LINK_TASKS,
		     "{\"sessionId\":\"sess_1\",\"fromTaskId\":\"%.*s\",\"toTaskId\":\"%.*s\","
		     "\"relationship\":\"%s\"}",
		     STR_ARG(id), STR_ARG(any(b)), rng_below(&b->rng, 3) ? "blocks" : "parent");
		break;
	case 13:
		send(b, COMMAND_UNLINK_TASKS,
		     "{\"sessionId\":\"sess_1\",\"fromTaskId\":\"%.*s\",\"toTaskId\":\"%.*s\","
		     "\"relationship\":\"blocks\"}",
		     STR_ARG(id), STR_ARG(any(b)));
		break;
	case 14:
	case 15:
		send(b, COMMAND_CLAIM_TASK, S ",\"workerId\":\"w\",\"leaseMs\":200}", STR_ARG(id));
		break;
	case 16:
		send(b, COMMAND_HEARTBEAT_TASK, S ",\"runId\":\"%.*s\",\"workerId\":\"w\"}",
		     STR_ARG(id), STR_ARG(run));
		break;
	case 17:
		send(b, COMMAND_INTERRUPT_TURN, "{\"sessionId\":\"sess_1\"}");
		break;
	case 18:
		if (rng_below(&b->rng, 4) == 0)
			send(b, COMMAND_SUBMIT_TURN,
			     "{\"sessionId\":\"sess_1\",\"input\":\"hi\",\"threadId\":\"thr_%d\"}",
			     (int)rng_below(&b->rng, 2));
		else
			crash(b);
		break;
	case 19:
		time_passes(b);
		break;
	default:
		model_answers(b);
	}
#undef S
}

TEST(any_order_of_commands_answers_crashes_and_deadlines_keeps_to_the_table)
{
	uint32_t seen = 0;
	unsigned accepted = 0, refused = 0;

	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct bench b;
		struct state *back;
		struct error err;

		bench_init(&b, seed);
		for (int i = 0; i < 120; i++)
			one_thing(&b);
		/* What it all came to can be written down and read back. */
		CHECK(state_read(state_text(b.mem, b.w), &back, &err) == OK);
		CHECK(str_eq(state_text(b.mem, back), state_text(b.mem, b.w)));
		state_free(back);
		seen |= b.seen;
		accepted += b.accepted;
		refused += b.refused;
		bench_done(&b);
	}
	CHECK(accepted > 3000 && refused > 1000);
	for (enum task_status s = TASK_STATUS_ACCEPTED; s < TASK_STATUS_STALE; s++)
		if (s !=
		    TASK_STATUS_WAITING_PERMISSION) /* needs a tool that asks; a story has it */
			CHECK((seen >> s) & 1);
}

TEST(a_heartbeat_leaves_no_event_and_extends_the_lease)
{
	struct bench b;
	struct str run;
	uint64_t before;

	bench_init(&b, 7);
	CHECK(send(&b, COMMAND_CREATE_TASK, "{\"taskId\":\"task_0\",\"objective\":\"x\"}"));
	CHECK(send(
		&b, COMMAND_START_TASK,
		"{\"sessionId\":\"s\",\"taskId\":\"task_0\",\"worker\":{\"kind\":\"external\"}}"));
	CHECK(send(
		&b, COMMAND_CLAIM_TASK,
		"{\"sessionId\":\"s\",\"taskId\":\"task_0\",\"workerId\":\"w\",\"leaseMs\":1000}"));
	run = task_run(state_task(b.w, STR("task_0")))->run_id;
	CHECK(step_deadline(b.w, &b.leases) == b.now + 1000);
	before = b.sequence;
	b.now += 900;
	CHECK(send(
		&b, COMMAND_HEARTBEAT_TASK,
		"{\"sessionId\":\"s\",\"taskId\":\"task_0\",\"runId\":\"%.*s\",\"workerId\":\"w\"}",
		STR_ARG(run)));
	CHECK(b.sequence == before);
	CHECK(step_deadline(b.w, &b.leases) == b.now + 1000);
	CHECK(!send(
		&b, COMMAND_HEARTBEAT_TASK,
		"{\"sessionId\":\"s\",\"taskId\":\"task_0\",\"runId\":\"%.*s\",\"workerId\":\"v\"}",
		STR_ARG(run)));
	bench_done(&b);
}

/* Commands are applied without the steps that follow: the turn stays in the middle of its stop. */
TEST(a_child_that_is_closed_while_its_turn_stops_is_closed_after_that)
{
	struct command_call call = { .command = COMMAND_INTERRUPT_TURN,
		                     .caller = { .principal = STR("owner"), .via = STR("test") },
		                     .request_id = STR("req_1"),
		                     .body_hash = STR("00") };
	const struct st_subagent *child;
	const struct st_thread *th;
	struct decision *d;
	struct bench b;

	bench_init(&b, 3);
	CHECK(send(&b, COMMAND_SPAWN_SUBAGENT,
	           "{\"sessionId\":\"sess_1\",\"parentThreadId\":\"%.*s\",\"role\":\"reader\","
	           "\"subagentId\":\"sub_1\",\"input\":\"look\"}",
	           STR_ARG(state_main_thread(b.w)->thread_id)));
	child = subagent_find(b.w, STR("sub_1"));
	th = state_thread(b.w, child->record->thread_id);
	CHECK(state_thread_active(th));
	d = begin(&b, &call);
	decide_interrupt_turn(d, &(struct cmd_interrupt_turn){ .thread_id = th->thread_id });
	apply(&b, d);
	CHECK(state_thread_active(th)->stage == TURN_STAGE_STOPPING);
	call.command = COMMAND_CLOSE_SUBAGENT;
	d = begin(&b, &call);
	decide_close_subagent(d, &(struct cmd_close_subagent){ .subagent_id = STR("sub_1") });
	settle(&b, d);
	CHECK(!state_thread_active(th));
	CHECK(subagent_is_closed(child));
	bench_done(&b);
}

TEST_MAIN()

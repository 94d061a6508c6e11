/* The sequence gate: what is not open is refused, and what is over stays over. */
#include "core/gate.h"
#include "lib/t.h"

static struct event event(enum event_type type)
{
	return (struct event){ .type = type,
		               .session_id = STR("sess_1"),
		               .thread_id = STR("thr_1"),
		               .turn_id = STR("turn_1"),
		               .task_id = STR("task_1"),
		               .run_id = STR("run_1") };
}

static void fold(struct world *w, enum event_type type)
{
	struct event ev = event(type);

	ev.tool_call_id = STR("tool_1");
	ev.model_request_id = STR("mreq_1");
	gate_fold(w, &ev);
}

static bool passes(struct world *w, enum event_type type)
{
	struct event ev = event(type);
	struct error e;

	ev.tool_call_id = STR("tool_1");
	ev.model_request_id = STR("mreq_1");
	return gate_check(w, &ev, &e) == OK;
}

static struct world *running(void)
{
	struct world *w = world_new();

	fold(w, EV_SESSION_CREATED);
	fold(w, EV_THREAD_STARTED);
	fold(w, EV_TASK_CREATED);
	fold(w, EV_TURN_SUBMITTED);
	fold(w, EV_TASK_ATTEMPT_STARTED);
	return w;
}

TEST(a_result_needs_its_start)
{
	struct world *w = running();

	CHECK(!passes(w, EV_TOOL_RESULT));
	fold(w, EV_TOOL_STARTED);
	CHECK(passes(w, EV_TOOL_RESULT));
	world_free(w);
}

TEST(a_call_ends_once)
{
	struct world *w = running();

	fold(w, EV_TOOL_STARTED);
	fold(w, EV_TOOL_RESULT);
	CHECK(!passes(w, EV_TOOL_RESULT));
	CHECK(!passes(w, EV_TOOL_FAILED));
	CHECK(!passes(w, EV_TOOL_PROGRESS));
	world_free(w);
}

TEST(nothing_of_a_request_follows_its_end)
{
	struct world *w = running();

	CHECK(!passes(w, EV_MODEL_DELTA));
	fold(w, EV_MODEL_REQUESTED);
	CHECK(passes(w, EV_MODEL_DELTA));
	CHECK(!passes(w, EV_MODEL_REQUESTED)); /* the same id twice */
	fold(w, EV_MODEL_COMPLETED);
	CHECK(!passes(w, EV_MODEL_DELTA));
	world_free(w);
}

TEST(a_cage_needs_a_permission_that_still_stands)
{
	struct world *w = running();
	struct ev_permission_evaluated allow = { .decision = DECISION_ALLOW },
				       deny = { .decision = DECISION_DENY };
	struct event ev = event(EV_PERMISSION_EVALUATED);

	fold(w, EV_TOOL_STARTED);
	CHECK(!passes(w, EV_SANDBOX_APPLIED));
	ev.tool_call_id = STR("tool_1");
	ev.payload = &allow;
	gate_fold(w, &ev);
	CHECK(passes(w, EV_SANDBOX_APPLIED));
	ev.payload = &deny;
	gate_fold(w, &ev);
	CHECK(!passes(w, EV_SANDBOX_APPLIED));
	world_free(w);
}

TEST(a_rule_on_a_condition_applies_only_then)
{
	struct world *w = running();
	struct ev_tool_progress dispatched = { .kind = TOOL_PROGRESS_KIND_DISPATCHED },
				reported = { .kind = TOOL_PROGRESS_KIND_PROGRESS };
	struct event ev = event(EV_TOOL_PROGRESS);
	struct error e;

	fold(w, EV_TOOL_STARTED);
	ev.tool_call_id = STR("tool_1");
	ev.payload = &reported;
	CHECK(gate_check(w, &ev, &e) == OK);
	ev.payload = &dispatched;
	CHECK(gate_check(w, &ev, &e) != OK);
	world_free(w);
}

TEST(of_alternatives_one_is_enough)
{
	struct world *w = running();
	struct event ev = event(EV_SANDBOX_VIOLATION), applied = event(EV_SANDBOX_APPLIED);
	struct event began = event(EV_PROCESS_STARTED);
	struct error e;

	ev.tool_call_id = applied.tool_call_id = STR("tool_1");
	CHECK(gate_check(w, &ev, &e) != OK);
	gate_fold(w, &applied);
	CHECK(gate_check(w, &ev, &e) == OK);
	fold(w, EV_TOOL_RESULT); /* the sandbox of the call is over, its process is not */
	CHECK(gate_check(w, &ev, &e) != OK);
	began.process_id = ev.process_id = STR("proc_1");
	gate_fold(w, &began);
	CHECK(gate_check(w, &ev, &e) == OK);
	world_free(w);
}

TEST(a_task_is_reopened_by_retrying_alone)
{
	struct world *w = running();

	fold(w, EV_TASK_FAILED);
	CHECK(!passes(w, EV_TASK_STARTED));
	CHECK(!passes(w, EV_TASK_COMPLETED));
	CHECK(passes(w, EV_TASK_RETRYING));
	fold(w, EV_TASK_RETRYING);
	CHECK(passes(w, EV_TASK_COMPLETED));
	world_free(w);
}

TEST_MAIN()

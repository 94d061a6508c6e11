/*
 * The order check: events about something that is not open are refused, and an
 * ended thing stays ended.
 */
#include "core/order_check.h"
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

static void fold(struct state *w, enum event_type type)
{
	struct event ev = event(type);

	ev.tool_call_id = STR("tool_1");
	ev.model_request_id = STR("mreq_1");
	order_check_fold(w, &ev);
}

static bool passes(struct state *w, enum event_type type)
{
	struct event ev = event(type);
	struct error e;

	ev.tool_call_id = STR("tool_1");
	ev.model_request_id = STR("mreq_1");
	return order_check_event(w, &ev, &e) == OK;
}

static struct state *running(void)
{
	struct state *w = state_new();

	fold(w, EV_SESSION_CREATED);
	fold(w, EV_THREAD_STARTED);
	fold(w, EV_TASK_CREATED);
	fold(w, EV_TURN_SUBMITTED);
	fold(w, EV_TASK_ATTEMPT_STARTED);
	return w;
}

TEST(a_result_needs_its_start)
{
	struct state *w = running();

	CHECK(!passes(w, EV_TOOL_RESULT));
	fold(w, EV_TOOL_STARTED);
	CHECK(passes(w, EV_TOOL_RESULT));
	state_free(w);
}

TEST(a_call_ends_once)
{
	struct state *w = running();

	fold(w, EV_TOOL_STARTED);
	fold(w, EV_TOOL_RESULT);
	CHECK(!passes(w, EV_TOOL_RESULT));
	CHECK(!passes(w, EV_TOOL_FAILED));
	CHECK(!passes(w, EV_TOOL_PROGRESS));
	state_free(w);
}

TEST(nothing_of_a_request_follows_its_end)
{
	struct state *w = running();

	CHECK(!passes(w, EV_MODEL_DELTA));
	fold(w, EV_MODEL_REQUESTED);
	CHECK(passes(w, EV_MODEL_DELTA));
	CHECK(!passes(w, EV_MODEL_REQUESTED)); /* the same id twice */
	fold(w, EV_MODEL_COMPLETED);
	CHECK(!passes(w, EV_MODEL_DELTA));
	state_free(w);
}

TEST(a_sandbox_needs_a_permission_that_is_still_valid)
{
	struct state *w = running();
	struct ev_permission_evaluated allow = { .decision = APPROVAL_DECISION_ALLOW },
				       deny = { .decision = APPROVAL_DECISION_DENY };
	struct event ev = event(EV_PERMISSION_EVALUATED);

	fold(w, EV_TOOL_STARTED);
	CHECK(!passes(w, EV_SANDBOX_APPLIED));
	ev.tool_call_id = STR("tool_1");
	ev.payload = &allow;
	order_check_fold(w, &ev);
	CHECK(passes(w, EV_SANDBOX_APPLIED));
	ev.payload = &deny;
	order_check_fold(w, &ev);
	CHECK(!passes(w, EV_SANDBOX_APPLIED));
	state_free(w);
}

TEST(a_rule_on_a_condition_applies_only_then)
{
	struct state *w = running();
	struct ev_tool_progress dispatched = { .kind = TOOL_PROGRESS_KIND_DISPATCHED },
				reported = { .kind = TOOL_PROGRESS_KIND_PROGRESS };
	struct event ev = event(EV_TOOL_PROGRESS);
	struct error e;

	fold(w, EV_TOOL_STARTED);
	ev.tool_call_id = STR("tool_1");
	ev.payload = &reported;
	CHECK(order_check_event(w, &ev, &e) == OK);
	ev.payload = &dispatched;
	CHECK(order_check_event(w, &ev, &e) != OK);
	state_free(w);
}

TEST(of_alternatives_one_is_enough)
{
	struct state *w = running();
	struct event ev = event(EV_SANDBOX_VIOLATION), applied = event(EV_SANDBOX_APPLIED);
	struct event began = event(EV_PROCESS_STARTED);
	struct error e;

	ev.tool_call_id = applied.tool_call_id = STR("tool_1");
	CHECK(order_check_event(w, &ev, &e) != OK);
	order_check_fold(w, &applied);
	CHECK(order_check_event(w, &ev, &e) == OK);
	fold(w, EV_TOOL_RESULT); /* the sandbox of the call has ended, its process has not */
	CHECK(order_check_event(w, &ev, &e) != OK);
	began.process_id = ev.process_id = STR("proc_1");
	order_check_fold(w, &began);
	CHECK(order_check_event(w, &ev, &e) == OK);
	state_free(w);
}

TEST(a_task_is_reopened_by_retrying_alone)
{
	struct state *w = running();

	fold(w, EV_TASK_FAILED);
	CHECK(!passes(w, EV_TASK_STARTED));
	CHECK(!passes(w, EV_TASK_COMPLETED));
	CHECK(passes(w, EV_TASK_RETRYING));
	fold(w, EV_TASK_RETRYING);
	CHECK(passes(w, EV_TASK_COMPLETED));
	state_free(w);
}

TEST_MAIN()

/* Errors in work that outlives a turn which the crash simulator found, one test each. */
#include "disk.h"
#include "sim.h"

#include "base/json.h"
#include "engine/engine_state.h" /* session_find() alone */
#include "engine/session/apply.h"
#include "lib/t.h"
#include "ports/provider.h"

static const char script[] =
	"{ \"version\": 1,"
	"  \"rules\": ["
	"    { \"when\": { \"text\": \"slow\" }, \"reply\": { \"text\": \"slow\", "
	"\"firstDelayMs\": 60000 } },"
	"    { \"when\": { \"text\": \"bad\" }, \"reply\": { \"error\": { \"status\": 400 } } } ],"
	"  \"default\": { \"text\": \"done\" } }";

struct work {
	struct disk *disk;
	struct sim *sim;
	size_t messages; /* that the newest request was sent */
	bool ends_with_user;
};

static void requested(void *owner, const struct model_request *req)
{
	struct work *w = owner;

	w->messages = req->message_count;
	w->ends_with_user = req->messages[req->message_count - 1].role == ROLE_USER;
}

static void work_open(struct work *w)
{
	static const struct sim_watch watch = { .model = requested };
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "workdisk",
	                                         .disk = w->disk,
	                                         .script = str_from(script),
	                                         .watch = &watch,
	                                         .watcher = w,
	                                         .seed = 3 },
	                  &w->sim, &e),
	         &e);
}

static void work_begin(struct work *w)
{
	w->disk = disk_new("workdisk", 1);
	work_open(w);
	CHECK_INT(sim_call(w->sim, "create_session", "{\"sessionId\":\"s\"}")->code, 0);
}

static void work_end(struct work *w)
{
	sim_free(w->sim);
	disk_free(w->disk);
}

static const struct sim_answer *ask(struct work *w, const char *command, const char *params)
{
	const struct sim_answer *a = sim_call(w->sim, command, params);

	CHECK(a->is_done);
	return a;
}

static void does(struct work *w, const char *command, const char *params)
{
	CHECK_INT(ask(w, command, params)->code, 0);
}

static void refuses(struct work *w, enum error_code code, const char *command, const char *params)
{
	CHECK_INT(ask(w, command, params)->code, code);
}

static struct str status_of(struct work *w, const char *task)
{
	struct str params =
		arena_printf(sim_mem(w->sim), "{\"sessionId\":\"s\",\"taskId\":\"%s\"}", task);
	struct json doc;

	CHECK(json_read_trusted(sim_mem(w->sim), ask(w, "get_task", params.ptr)->body, &doc,
	                        NULL) == OK);
	return json_str(JSON_GET(JSON_GET(doc, "task"), "status"));
}

/* A member of the answer, put into the middle of a call. */
static const char *with(struct work *w, const char *format, struct str value)
{
	return arena_printf(sim_mem(w->sim), format, STR_ARG(value)).ptr;
}

TEST(a_turns_own_task_ends_with_its_turn_alone)
{
	struct work w;
	const struct sim_answer *a;
	struct str task;

	work_begin(&w);
	does(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow\"}");
	a = ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"bad\"}");
	task = sim_str(w.sim, a, "taskId"); /* of a turn that waits in the queue */
	refuses(&w, ERROR_CODE_NOT_READY, "complete_task",
	        with(&w, "{\"sessionId\":\"s\",\"taskId\":\"%.*s\"}", task));
	refuses(&w, ERROR_CODE_NOT_READY, "fail_task",
	        with(&w,
	             "{\"sessionId\":\"s\",\"taskId\":\"%.*s\",\"error\":{\"category\":\"network\","
	             "\"message\":\"m\"}}",
	             task));
	sim_run(w.sim, 70000); /* it has its turn now, and fails with it */
	refuses(&w, ERROR_CODE_NOT_RETRYABLE, "retry_task",
	        with(&w, "{\"sessionId\":\"s\",\"taskId\":\"%.*s\",\"reason\":\"r\"}", task));
	work_end(&w);
}

TEST(no_task_holds_up_a_turn)
{
	struct work w;
	const struct sim_answer *a;

	work_begin(&w);
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}");
	does(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow\"}");
	a = ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"quick\"}");
	refuses(&w, ERROR_CODE_INVALID_VALUE, "link_tasks",
	        with(&w,
	             "{\"sessionId\":\"s\",\"fromTaskId\":\"t\",\"toTaskId\":\"%.*s\","
	             "\"relationship\":\"blocks\"}",
	             sim_str(w.sim, a, "taskId")));
	work_end(&w);
}

TEST(a_turn_under_a_task_is_cancelled_with_it)
{
	struct work w;
	const struct sim_answer *active, *queued;

	work_begin(&w);
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}");
	active = ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow\"}");
	queued = ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow too\"}");
	for (int i = 0; i < 2; i++)
		does(&w, "link_tasks",
		     with(&w,
		          "{\"sessionId\":\"s\",\"fromTaskId\":\"%.*s\",\"toTaskId\":\"t\","
		          "\"relationship\":\"parent\"}",
		          sim_str(w.sim, i ? queued : active, "taskId")));
	does(&w, "cancel_task", "{\"sessionId\":\"s\",\"taskId\":\"t\"}");
	sim_run(w.sim, 1000);
	CHECK_SAME(status_of(&w, "t"), STR("cancelled"));
	CHECK_SAME(status_of(&w, with(&w, "%.*s", sim_str(w.sim, active, "taskId"))),
	           STR("cancelled"));
	CHECK_SAME(status_of(&w, with(&w, "%.*s", sim_str(w.sim, queued, "taskId"))),
	           STR("cancelled"));
	work_end(&w);
}

/* By a report, and by a worker that is silent: the policy would try again, the user who paused it would not. */
TEST(a_paused_task_stays_paused_when_its_run_fails)
{
	static const char make[] = "{\"sessionId\":\"s\",\"taskId\":\"t-%.*s\",\"objective\":\"o\","
				   "\"retryPolicy\":{\"maxAttempts\":3,\"backoff\":\"immediate\","
				   "\"nonRetryable\":[]}}";
	struct work w;

	work_begin(&w);
	for (int i = 0; i < 3; i++) {
		struct str n = arena_printf(sim_mem(w.sim), "%d", i);
		const char *task = with(&w, "{\"sessionId\":\"s\",\"taskId\":\"t-%.*s\"}", n);
		const char *failed = i == 1 ? "budget" : "network";
		struct str run;

		does(&w, "create_task", with(&w, make, n));
		run = sim_str(
			w.sim,
			ask(&w, "start_task",
		            with(&w,
		                 "{\"sessionId\":\"s\",\"taskId\":\"t-%.*s\",\"worker\":{\"kind\":"
		                 "\"external\",\"workerId\":\"w\"}}",
		                 n)),
			"runId");
		does(&w, "pause_task", task);
		if (i < 2)
			does(&w, "fail_task",
			     arena_printf(
				     sim_mem(w.sim),
				     "{\"sessionId\":\"s\",\"taskId\":\"t-%d\",\"runId\":\"%.*s\","
				     "\"error\":{\"category\":\"%s\",\"message\":\"m\"}}",
				     i, STR_ARG(run), failed)
			             .ptr);
		else
			sim_run(w.sim, 60000);
		CHECK_SAME(status_of(&w, with(&w, "t-%.*s", n)), STR("paused"));
		does(&w, "resume_task", task);
		CHECK_SAME(status_of(&w, with(&w, "t-%.*s", n)), STR("waiting_resource"));
	}
	work_end(&w);
}

static int64_t last_of(struct work *w)
{
	struct json doc;

	CHECK(json_read_trusted(sim_mem(w->sim),
	                        ask(w, "get_session", "{\"sessionId\":\"s\"}")->body, &doc,
	                        NULL) == OK);
	return json_int(JSON_GET(doc, "sequence"), 0);
}

static void trims_all_but_one(struct work *w, enum error_code code)
{
	refuses(w, code, "trim_log",
	        arena_printf(sim_mem(w->sim), "{\"sessionId\":\"s\",\"through\":%lld}",
	                     (long long)last_of(w) - 1)
	                .ptr);
}

TEST(what_an_open_job_or_task_was_told_is_not_removed)
{
	struct work w;

	work_begin(&w);
	does(&w, "create_job",
	     "{\"sessionId\":\"s\",\"jobId\":\"j\",\"instruction\":\"i\",\"items\":[\"a\"],"
	     "\"start\":false}");
	does(&w, "update_session", "{\"sessionId\":\"s\",\"title\":\"one event more\"}");
	trims_all_but_one(&w, ERROR_CODE_THREAD_BUSY);
	does(&w, "cancel_job", "{\"sessionId\":\"s\",\"jobId\":\"j\"}");
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"before\",\"objective\":\"o\"}");
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}");
	does(&w, "link_tasks",
	     "{\"sessionId\":\"s\",\"fromTaskId\":\"before\",\"toTaskId\":\"t\","
	     "\"relationship\":\"blocks\"}");
	trims_all_but_one(&w, 0);
	does(&w, "start_task", "{\"sessionId\":\"s\",\"taskId\":\"t\",\"input\":\"a wish\"}");
	does(&w, "update_session", "{\"sessionId\":\"s\",\"title\":\"and one more\"}");
	trims_all_but_one(&w, ERROR_CODE_THREAD_BUSY);
	does(&w, "cancel_task", "{\"sessionId\":\"s\",\"taskId\":\"t\"}");
	trims_all_but_one(&w, 0);
	work_end(&w);
}

/* Both are looked up before either is written. */
TEST(of_two_that_bring_one_id_at_the_same_time_one_is_refused)
{
	static const char *const commands[] = { "create_task", "create_job", "spawn_subagent" };
	struct work w;
	struct str thread;

	work_begin(&w);
	thread = sim_str(w.sim, ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"o\"}"),
	                 "threadId");
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		const char *params =
			i == 0   ? "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}"
			: i == 1 ? "{\"sessionId\":\"s\",\"jobId\":\"j\",\"instruction\":\"i\","
				   "\"items\":[1]}"
				 : with(&w,
		                        "{\"sessionId\":\"s\",\"subagentId\":\"c\",\"role\":\"r\","
		                        "\"parentThreadId\":\"%.*s\"}",
		                        thread);
		struct sim_answer *one = sim_send(w.sim, commands[i], params, NULL);
		struct sim_answer *two = sim_send(w.sim, commands[i], params, NULL);

		sim_settle(w.sim);
		CHECK(one->is_done && two->is_done);
		CHECK_INT(one->code, 0);
		CHECK_INT(two->code, ERROR_CODE_ID_CONFLICT);
	}
	work_end(&w);
}

TEST(what_waits_for_a_turn_that_a_restart_lost_is_blocked_by_name)
{
	struct work w;
	struct str task;

	work_begin(&w);
	task = sim_str(w.sim, ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow\"}"),
	               "taskId");
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}");
	does(&w, "link_tasks",
	     with(&w,
	          "{\"sessionId\":\"s\",\"fromTaskId\":\"%.*s\",\"toTaskId\":\"t\","
	          "\"relationship\":\"blocks\"}",
	          task));
	does(&w, "start_task", "{\"sessionId\":\"s\",\"taskId\":\"t\"}");
	CHECK_SAME(status_of(&w, "t"), STR("queued"));
	sim_free(w.sim);
	work_open(&w);
	CHECK_SAME(status_of(&w, "t"), STR("blocked"));
	does(&w, "resume_thread", "{\"sessionId\":\"s\"}");
	sim_run(w.sim, 200000);
	CHECK_SAME(status_of(&w, "t"), STR("completed"));
	work_end(&w);
}

TEST(an_interrupt_reaches_the_tasks_under_its_turn)
{
	static const char *const tasks[] = { "works", "waits", "under" };
	struct work w;
	struct str task;

	work_begin(&w);
	task = sim_str(w.sim, ask(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"slow\"}"),
	               "taskId");
	for (int i = 0; i < 2; i++)
		does(&w, "create_task",
		     arena_printf(sim_mem(w.sim),
		                  "{\"sessionId\":\"s\",\"taskId\":\"%s\",\"objective\":\"slow\","
		                  "\"threadId\":\"thr-%d\",\"parentTaskId\":\"%.*s\",\"start\":%s}",
		                  tasks[i], i, STR_ARG(task), i ? "false" : "true")
		             .ptr);
	does(&w, "create_task",
	     "{\"sessionId\":\"s\",\"taskId\":\"under\",\"objective\":\"o\","
	     "\"parentTaskId\":\"works\"}");
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"beside\",\"objective\":\"o\"}");
	does(&w, "interrupt_turn", "{\"sessionId\":\"s\"}");
	sim_run(w.sim, 1000);
	for (size_t i = 0; i < COUNT_OF(tasks); i++)
		CHECK_SAME(status_of(&w, tasks[i]), STR("cancelled"));
	CHECK_SAME(status_of(&w, with(&w, "%.*s", task)), STR("cancelled"));
	CHECK_SAME(status_of(&w, "beside"), STR("accepted"));
	work_end(&w);
}

/* The second message comes between the first request and the disk. */
TEST(a_conversation_that_is_read_back_misses_nothing_that_came_meanwhile)
{
	struct work w;

	work_begin(&w);
	does(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"one\"}");
	sim_run(w.sim, 1000);
	sim_free(w.sim);
	work_open(&w);
	sim_send(w.sim, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"two\"}", NULL);
	sim_send(w.sim, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"three\"}", NULL);
	sim_run(w.sim, 1000);
	CHECK_INT(w.messages, 5);
	CHECK(w.ends_with_user);
	does(&w, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"four\"}");
	sim_run(w.sim, 1000);
	CHECK_INT(w.messages, 7);
	work_end(&w);
}

TEST(what_was_cancelled_above_counts_when_it_has_left_the_world)
{
	struct work w;

	work_begin(&w);
	does(&w, "create_task", "{\"sessionId\":\"s\",\"taskId\":\"top\",\"objective\":\"o\"}");
	does(&w, "create_task",
	     "{\"sessionId\":\"s\",\"taskId\":\"mid\",\"objective\":\"o\",\"parentTaskId\":"
	     "\"top\"}");
	does(&w, "create_task",
	     "{\"sessionId\":\"s\",\"taskId\":\"low\",\"objective\":\"o\",\"parentTaskId\":"
	     "\"mid\"}");
	does(&w, "cancel_task", "{\"sessionId\":\"s\",\"taskId\":\"top\",\"reason\":\"r\"}");
	sim_run(w.sim, 1000);
	CHECK_SAME(status_of(&w, "low"), STR("cancelled"));
	/* So many others end that none of the three is held any more. */
	for (int i = 0; i < 20; i++) {
		const char *id = arena_printf(sim_mem(w.sim), "t%d", i).ptr;

		does(&w, "create_task",
		     with(&w, "{\"sessionId\":\"s\",\"taskId\":\"%.*s\",\"objective\":\"o\"}",
		          str_from(id)));
		does(&w, "cancel_task",
		     with(&w, "{\"sessionId\":\"s\",\"taskId\":\"%.*s\",\"reason\":\"r\"}",
		          str_from(id)));
	}
	refuses(&w, ERROR_CODE_CANCELLING, "retry_task",
	        "{\"sessionId\":\"s\",\"taskId\":\"low\",\"reason\":\"r\"}");
	refuses(&w, ERROR_CODE_CANCELLING, "retry_task",
	        "{\"sessionId\":\"s\",\"taskId\":\"mid\",\"reason\":\"r\"}");
	does(&w, "retry_task", "{\"sessionId\":\"s\",\"taskId\":\"top\",\"reason\":\"r\"}");
	work_end(&w);
}

/* A bug of the runtime: the second event of a decision breaks the order. */
TEST(what_the_events_before_a_refused_one_name_is_stored)
{
	struct work w = { 0 };
	struct decision *d;
	struct event *ev;
	struct str ref;

	work_begin(&w);
	/* A refused event ends a strict run; a daemon continues. */
	sim_engine(w.sim)->is_strict = false;
	d = apply_begin(session_find(sim_engine(w.sim), STR("s")), NULL);
	ref = arena_keep(sim_mem(w.sim), decision_new_blob(d, STR("text/plain"), STR("kept")));
	ev = EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_CLOCK_JUMP,
	          .message = STR("see the output"));
	decision_add_ref(d, ev, STR("output"), ref);
	ev = EMIT(d, TURN_STARTED, turn_started, .environment_id = STR("env_none"));
	ev->turn_id = STR("turn_none");
	apply_end(session_find(sim_engine(w.sim), STR("s")), d);
	sim_settle(w.sim);
	does(&w, "get_output",
	     arena_printf(sim_mem(w.sim), "{\"outputRef\":\"%.*s\"}", STR_ARG(ref)).ptr);
	work_end(&w);
}

TEST_MAIN()

/*
 * Limits on tasks across sessions: a waiting task says so, slots are given in
 * turn, and a restart changes nothing.
 */
#include "disk.h"
#include "sim.h"

#include "base/json.h"
#include "engine/engine_state.h" /* session_find() alone */
#include "lib/t.h"

#define SLOW_MS 60000

static const char asks[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", "
	"\"result\": { \"text\": \"done\" } } ], \"rules\": [ { \"when\": { \"request\": 1 }, "
	"\"reply\": { \"toolCalls\": [ { \"name\": \"careful\", \"args\": {} } ] } } ],"
	"  \"default\": { \"text\": \"done\" } }";
static const char script[] =
	"{ \"version\": 1, \"default\": { \"text\": \"done\", \"firstDelayMs\": 60000 } }";

struct house {
	struct disk *disk;
	struct sim *sim;
	struct settings_tasks tasks;
	bool asks, starts_only;
};

static void house_open(struct house *h)
{
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "slotdisk",
	                                         .disk = h->disk,
	                                         .script = str_from(h->asks ? asks : script),
	                                         .tasks = h->tasks,
	                                         .starts_only = h->starts_only,
	                                         .idle_evict_ms = h->asks ? 2000 : 0,
	                                         .seed = 5 },
	                  &h->sim, &e),
	         &e);
}

static void house_begin(struct house *h)
{
	h->disk = disk_new("slotdisk", 1);
	house_open(h);
}

static void house_end(struct house *h)
{
	sim_free(h->sim);
	disk_free(h->disk);
}

/* Task n of a session, on its own thread. */
static void start(struct house *h, const char *session, int n)
{
	const struct sim_answer *a = sim_call(
		h->sim, "create_task",
		arena_printf(
			sim_mem(h->sim),
			"{\"sessionId\":\"%s\",\"taskId\":\"%s-%d\",\"threadId\":\"thr-%s-%d\","
			"\"objective\":\"o\",\"start\":true}",
			session, session, n, session, n)
			.ptr);

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
}

static struct json task_of(struct house *h, const char *session, int n)
{
	const struct sim_answer *a = sim_call(
		h->sim, "get_task",
		arena_printf(sim_mem(h->sim), "{\"sessionId\":\"%s\",\"taskId\":\"%s-%d\"}",
	                     session, session, n)
			.ptr);
	struct json doc;

	CHECK(a->is_done && a->code == 0);
	CHECK(json_read_trusted(sim_mem(h->sim), a->body, &doc, NULL) == OK);
	return doc;
}

static bool is(struct house *h, const char *session, int n, const char *status)
{
	struct json task = JSON_GET(task_of(h, session, n), "task");

	return str_eq(json_str(JSON_GET(task, "status")), str_from(status));
}

static int running(struct house *h, const char *session, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += is(h, session, i, "running");
	return sum;
}

static void check_waits_for_room(struct house *h, const char *session, int n, const char *reason)
{
	struct json doc = task_of(h, session, n);

	CHECK_SAME(json_str(JSON_GET(JSON_GET(doc, "task"), "status")), STR("queued"));
	CHECK_SAME(json_str(JSON_GET(JSON_GET(doc, "why"), "waitingFor")), STR("resource"));
	CHECK_SAME(json_str(JSON_GET(JSON_GET(doc, "task"), "statusReason")), str_from(reason));
}

TEST(a_session_with_many_tasks_does_not_keep_out_one_with_few)
{
	struct house h = { .tasks = { .runtime = 2 } };

	house_begin(&h);
	for (int i = 0; i < 6; i++)
		start(&h, "many", i);
	for (int i = 0; i < 2; i++)
		start(&h, "few", i);
	CHECK_INT(running(&h, "many", 6), 2);
	CHECK_INT(running(&h, "few", 2), 0);
	check_waits_for_room(&h, "many", 2, "as many tasks of this runtime run as may");
	check_waits_for_room(&h, "few", 0, "as many tasks of this runtime run as may");
	sim_run(h.sim, SLOW_MS + 1000); /* two have ended: one place for each */
	CHECK_INT(running(&h, "many", 6), 1);
	CHECK_INT(running(&h, "few", 2), 1);
	sim_run(h.sim, SLOW_MS + 1000);
	CHECK_INT(running(&h, "many", 6), 1);
	CHECK_INT(running(&h, "few", 2), 1);
	sim_run(h.sim, SLOW_MS + 1000); /* few has no more: all room is many's */
	CHECK_INT(running(&h, "many", 6), 2);
	sim_run(h.sim, 2 * SLOW_MS);
	for (int i = 0; i < 6; i++)
		CHECK(is(&h, "many", i, "completed"));
	house_end(&h);
}

TEST(the_bound_of_a_tenant_holds_over_its_sessions)
{
	struct house h = { .tasks = { .tenant = 1 } };

	house_begin(&h);
	start(&h, "one", 0);
	start(&h, "two", 0);
	start(&h, "one", 1);
	CHECK(is(&h, "one", 0, "running"));
	check_waits_for_room(&h, "two", 0, "as many tasks of this tenant run as may");
	sim_run(h.sim, SLOW_MS + 1000);
	CHECK(is(&h, "two", 0, "running"));
	CHECK(is(&h, "one", 1, "queued"));
	sim_run(h.sim, 2 * SLOW_MS + 1000);
	CHECK(is(&h, "one", 1, "completed"));
	house_end(&h);
}

TEST(after_a_restart_the_bound_is_what_it_was)
{
	struct house h = { .tasks = { .runtime = 1 } };

	house_begin(&h);
	start(&h, "b", 0);
	start(&h, "a", 0);
	sim_free(h.sim);
	house_open(&h);
	CHECK(!is(&h, "b", 0, "completed"));
	CHECK(is(&h, "a", 0,
	         "queued")); /* the run that was lost can be resumed: it has its place */
	CHECK_INT(sim_call(h.sim, "resume_thread", "{\"sessionId\":\"b\",\"threadId\":\"thr-b-0\"}")
	                  ->code,
	          0);
	CHECK(is(&h, "a", 0, "queued"));
	sim_run(h.sim, SLOW_MS + 1000);
	CHECK(is(&h, "b", 0, "completed"));
	CHECK(is(&h, "a", 0, "running"));
	house_end(&h);
}

/* What waited only for a bound begins when the next runtime has a larger one, or none. */
TEST(a_restart_with_more_room_begins_what_waited)
{
	static const int64_t bounds[] = { 2, 0 };

	for (size_t i = 0; i < COUNT_OF(bounds); i++) {
		struct house h = { .tasks = { .runtime = 1 } };

		house_begin(&h);
		start(&h, "b", 0);
		start(&h, "a", 0);
		sim_free(h.sim);
		h.tasks.runtime = bounds[i];
		house_open(&h);
		sim_run(h.sim, 1000);
		CHECK(is(&h, "a", 0, "running"));
		house_end(&h);
	}
}

/* It waits for an answer, and its session leaves memory meanwhile. */
TEST(a_task_whose_session_sleeps_has_its_place)
{
	struct house h = { .tasks = { .runtime = 1 }, .asks = true };

	house_begin(&h);
	start(&h, "a", 0);
	sim_run(h.sim, 10000);
	CHECK(!session_find(sim_engine(h.sim), STR("a")));
	start(&h, "b", 0);
	CHECK(is(&h, "b", 0, "queued"));
	sim_free(h.sim);
	house_open(&h);
	sim_run(h.sim, 10000);
	CHECK(!session_find(sim_engine(h.sim), STR("a")));
	start(&h, "c", 0);
	sim_run(h.sim, 10000);
	CHECK(is(&h, "b", 0, "queued"));
	CHECK(is(&h, "c", 0, "queued"));
	CHECK_INT(sim_call(h.sim, "cancel_task", "{\"sessionId\":\"a\",\"taskId\":\"a-0\"}")->code,
	          0);
	sim_run(h.sim, 1000);
	CHECK(!is(&h, "b", 0, "queued"));
	CHECK(is(&h, "c", 0, "queued"));
	house_end(&h);
}

/* The counts come from rows: a read before any recovery gets them too. */
TEST(the_bound_holds_while_sessions_are_recovered)
{
	struct house h = { .tasks = { .runtime = 2 }, .asks = true };

	house_begin(&h);
	start(&h, "a", 0);
	start(&h, "b", 0);
	sim_free(h.sim);
	h.starts_only = true;
	house_open(&h);
	start(&h, "c", 0);
	CHECK(is(&h, "c", 0, "queued"));
	sim_run(h.sim, 5000);
	CHECK(is(&h, "c", 0, "queued"));
	CHECK_INT(sim_call(h.sim, "cancel_task", "{\"sessionId\":\"b\",\"taskId\":\"b-0\"}")->code,
	          0);
	sim_run(h.sim, 1000);
	CHECK(!is(&h, "c", 0, "queued"));
	house_end(&h);
}

TEST(a_cancelled_task_gives_its_room_away)
{
	struct house h = { .tasks = { .runtime = 1 } };

	house_begin(&h);
	start(&h, "a", 0);
	start(&h, "b", 0);
	CHECK(is(&h, "b", 0, "queued"));
	CHECK_INT(sim_call(h.sim, "cancel_task", "{\"sessionId\":\"a\",\"taskId\":\"a-0\"}")->code,
	          0);
	sim_run(h.sim, 1000);
	CHECK(is(&h, "b", 0, "running"));
	house_end(&h);
}

TEST(the_bound_of_a_session_is_a_setting)
{
	struct house h = { .tasks = { .session = 1 } };

	house_begin(&h);
	start(&h, "a", 0);
	start(&h, "a", 1);
	start(&h, "b", 0);
	CHECK_INT(running(&h, "a", 2), 1);
	CHECK_INT(running(&h, "b", 1), 1);
	house_end(&h);
}

TEST_MAIN()

/*
 * The clock is set: durations keep their length, times of the wall clock follow
 * it, and timestamps of a session never decrease.  The same while the runtime is
 * down and across a reboot.
 */
#include "disk.h"
#include "sim.h"

#include "base/os/clock.h"
#include "base/json.h"
#include "lib/t.h"

#define DAY_ONE 1794700800000 /* 2026-11-15T00:00:00Z */
#define HOUR ((int64_t)3600000)
#define YEAR (365 * 24 * HOUR)
#define ASKED_MS 600000 /* so long an answer is waited for */

static const char script[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", "
	"\"result\": { \"text\": \"done\" } } ],"
	"  \"rules\": [ { \"when\": { \"text\": \"slow\" }, \"reply\": { \"text\": \"one two "
	"three four five\", \"firstDelayMs\": 40000, \"delayMs\": 40000 } },"
	"    { \"when\": { \"afterTool\": \"careful\" }, \"reply\": { \"text\": "
	"\"allowed\" } },"
	"    { \"when\": { \"text\": \"approve\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ "
	"{ \"name\": \"careful\", \"args\": {} } ] } } ],"
	"  \"default\": { \"text\": \"hello\" } }";

static const int64_t steps[] = { -HOUR, HOUR, -10 * YEAR, 10 * YEAR };

struct house {
	struct disk *disk;
	struct sim *sim;
	int64_t idle_evict_ms;
};

static void house_open(struct house *h, int64_t wall, int64_t boot, const char *boot_id)
{
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "clock",
	                                         .disk = h->disk,
	                                         .script = str_from(script),
	                                         .idle_evict_ms = h->idle_evict_ms,
	                                         .start_ms = wall,
	                                         .boot_ms = boot,
	                                         .boot_id = boot_id,
	                                         .seed = 6 },
	                  &h->sim, &e),
	         &e);
}

static void house_begin(struct house *h)
{
	h->disk = disk_new("clock", 1);
	house_open(h, DAY_ONE, HOUR, "boot-1");
}

static void house_end(struct house *h)
{
	sim_free(h->sim);
	disk_free(h->disk);
}

static struct json ask(struct house *h, const char *command, const char *params)
{
	const struct sim_answer *a = sim_call(h->sim, command, params);
	struct json doc;

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
	CHECK_INT(json_read_trusted(sim_mem(h->sim), a->body, &doc, NULL), OK);
	return doc;
}

static struct json event_at(struct house *h, size_t i)
{
	struct json doc;

	CHECK_INT(json_read_trusted(sim_mem(h->sim), sim_log(h->sim)->lines[i], &doc, NULL), OK);
	return doc;
}

static size_t count_of(struct house *h, const char *type, const char *with)
{
	struct str begin = arena_printf(sim_mem(h->sim), "{\"type\":\"%s\"", type);
	size_t n = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++)
		n += str_starts(sim_log(h->sim)->lines[i], begin) &&
		     str_find(sim_log(h->sim)->lines[i], str_from(with)) >= 0;
	return n;
}

static size_t expired(struct house *h)
{
	return count_of(h, "action.resolved", "timed_out");
}

static int64_t stamp_of(struct json ev, const char *key)
{
	int64_t at = 0;

	CHECK(clock_time_read(json_str(json_get(ev, str_from(key))), &at));
	return at;
}

static void check_stamps(struct house *h, const char *session)
{
	int64_t last = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++) {
		struct json ev = event_at(h, i);

		if (!str_eq(json_str(JSON_GET(ev, "sessionId")), str_from(session)))
			continue;
		CHECK(stamp_of(ev, "timestamp") >= last);
		last = stamp_of(ev, "timestamp");
	}
	CHECK(last);
}

TEST(an_approval_expires_when_its_time_has_passed_whatever_the_clock_says)
{
	static const int64_t idle[] = { 300000, 2000 }; /* in memory, or asleep */

	for (size_t n = 0; n < COUNT_OF(idle); n++)
		for (size_t i = 0; i < COUNT_OF(steps); i++) {
			struct house h = { .idle_evict_ms = idle[n] };

			house_begin(&h);
			ask(&h, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"approve\"}");
			sim_run(h.sim, 100000);
			sim_set_wall(h.sim, steps[i]);
			sim_run(h.sim, ASKED_MS - 100000 - 5000);
			CHECK_INT(expired(&h), 0);
			sim_run(h.sim, 10000);
			CHECK_INT(expired(&h), 1);
			check_stamps(&h, "s");
			house_end(&h);
		}
}

TEST(so_it_does_when_the_clock_is_set_while_the_runtime_is_down_or_the_machine_is_rebooted)
{
	for (int reboots = 0; reboots < 2; reboots++)
		for (size_t i = 0; i < 2; i++) {
			struct house h = { .idle_evict_ms = 2000 };
			int64_t wall, boot, by = reboots ? -HOUR * (int64_t)i : steps[i];

			house_begin(&h);
			ask(&h, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"approve\"}");
			sim_run(h.sim, 100000);
			sim_set_wall(h.sim, -HOUR); /* and before that too */
			sim_run(h.sim, 100000);
			wall = sim_wall_ms(h.sim);
			boot = sim_boot_ms(h.sim);
			sim_free(h.sim);
			/* After a reboot only the wall clock knows how long it took; one that went
			 * back knows nothing. */
			house_open(&h, wall + 100000 + by, reboots ? 5000 : boot + 100000,
			           reboots ? "boot-2" : "boot-1");
			sim_run(h.sim, ASKED_MS - (reboots && by ? 200000 : 300000) - 5000);
			CHECK_INT(expired(&h), 0);
			sim_run(h.sim, 10000);
			CHECK_INT(expired(&h), 1);
			check_stamps(&h, "s");
			house_end(&h);
		}
}

/* Five pieces of text, 40 seconds apart; the limit of silence is 60 seconds. */
TEST(a_task_that_is_active_is_not_taken_for_silent)
{
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		struct house h = { .idle_evict_ms = 300000 };

		house_begin(&h);
		ask(&h, "create_task",
		    "{\"sessionId\":\"s\",\"objective\":\"slow\",\"start\":true,"
		    "\"constraints\":{\"inactivityMs\":60000}}");
		sim_run(h.sim, 130000);
		sim_set_wall(h.sim, steps[i]);
		sim_run(h.sim, 600000);
		CHECK_INT(count_of(&h, "task.timed_out", ""), 0);
		CHECK_INT(count_of(&h, "task.completed", ""), 1);
		house_end(&h);
	}
}

TEST(a_silent_task_times_out_although_the_clock_was_set_back)
{
	struct house h = { .idle_evict_ms = 300000 };

	house_begin(&h);
	ask(&h, "create_task",
	    "{\"sessionId\":\"s\",\"objective\":\"slow\",\"start\":true,"
	    "\"constraints\":{\"inactivityMs\":30000}}");
	sim_run(h.sim, 20000);
	sim_set_wall(h.sim, -HOUR);
	sim_run(h.sim, 15000);
	CHECK_INT(count_of(&h, "task.timed_out", ""), 1);
	house_end(&h);
}

TEST(an_interval_stays_one_and_a_moment_of_the_wall_clock_comes_with_it)
{
	for (size_t i = 0; i < 2; i++) {
		struct house h = { .idle_evict_ms = 2000 };
		struct json every;
		size_t before;

		house_begin(&h);
		every = ask(&h, "create_schedule",
		            "{\"sessionId\":\"every\",\"everyMs\":10000,\"task\":{\"objective\":"
		            "\"o\"}}");
		ask(&h, "create_schedule",
		    "{\"sessionId\":\"at\",\"at\":\"2026-11-15T00:45:00Z\",\"task\":{\"objective\":"
		    "\"o\"}}");
		ask(&h, "create_schedule",
		    "{\"sessionId\":\"cron\",\"cron\":\"30 * * * "
		    "*\",\"task\":{\"objective\":\"o\"}}");
		sim_run(h.sim, 60500);
		before = count_of(&h, "task.created", "\"sessionId\":\"every\"");
		CHECK_INT(before, 6);
		sim_set_wall(h.sim, steps[i]);
		sim_run(h.sim, 60000);
		CHECK_INT(count_of(&h, "task.created", "\"sessionId\":\"every\""), before + 6);
		CHECK_INT(count_of(&h, "task.created", "\"sessionId\":\"at\""), steps[i] > 0);
		CHECK_INT(count_of(&h, "task.created", "\"sessionId\":\"cron\""), steps[i] > 0);
		/* It has shown what it should; hundreds of runs more would show nothing else. */
		ask(&h, "delete_schedule",
		    arena_printf(sim_mem(h.sim),
		                 "{\"sessionId\":\"every\",\"scheduleId\":\"%.*s\"}",
		                 STR_ARG(json_str(JSON_GET(every, "scheduleId"))))
		            .ptr);
		sim_run(h.sim, HOUR);
		CHECK_INT(count_of(&h, "task.created", "\"sessionId\":\"at\""), steps[i] > 0);
		sim_run(h.sim, HOUR);
		CHECK_INT(count_of(&h, "task.created", "\"sessionId\":\"at\""), 1);
		house_end(&h);
	}
}

TEST(a_lease_lasts_as_long_as_it_was_given_for)
{
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		struct house h = { 0 };

		house_begin(&h);
		ask(&h, "create_task",
		    "{\"sessionId\":\"s\",\"taskId\":\"t\",\"objective\":\"o\"}");
		ask(&h, "start_task",
		    "{\"sessionId\":\"s\",\"taskId\":\"t\",\"worker\":{\"kind\":\"external\"}}");
		ask(&h, "claim_task",
		    "{\"sessionId\":\"s\",\"taskId\":\"t\",\"workerId\":\"w\",\"leaseMs\":20000}");
		sim_run(h.sim, 10000);
		sim_set_wall(h.sim, steps[i]);
		sim_run(h.sim, 8000);
		CHECK_INT(count_of(&h, "task.lost", ""), 0);
		sim_run(h.sim, 3000);
		CHECK_INT(count_of(&h, "task.lost", ""), 1);
		house_end(&h);
	}
}

/* Ten years ahead, for a while, and back. */
TEST(a_session_that_was_stamped_in_the_future_says_so_and_its_deadlines_are_right)
{
	struct house h = { .idle_evict_ms = 2000 };
	size_t said = 0;

	house_begin(&h);
	ask(&h, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"hello\"}");
	sim_run(h.sim, 5000);
	sim_set_wall(h.sim, 10 * YEAR);
	sim_run(h.sim, 5000);
	ask(&h, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"hello\"}");
	sim_run(h.sim, 5000);
	sim_set_wall(h.sim, -10 * YEAR);
	sim_run(h.sim, 5000);
	ask(&h, "submit_turn", "{\"sessionId\":\"s\",\"input\":\"approve\"}");
	ask(&h, "submit_turn", "{\"sessionId\":\"new\",\"input\":\"approve\"}");
	sim_run(h.sim, 5000);
	for (size_t i = 0; i < sim_log(h.sim)->count; i++) {
		struct json ev = event_at(&h, i);
		bool is_new = str_eq(json_str(JSON_GET(ev, "sessionId")), STR("new"));

		said += json_int(JSON_GET(JSON_GET(ev, "payload"), "stampAheadMs"), 0) > 9 * YEAR;
		if (is_new)
			CHECK(stamp_of(ev, "timestamp") < DAY_ONE + HOUR);
	}
	CHECK_INT(said, 1);
	check_stamps(&h, "s");
	sim_run(h.sim, ASKED_MS - 15000);
	CHECK_INT(expired(&h), 0);
	sim_run(h.sim, 15000);
	CHECK_INT(expired(&h), 2);
	check_stamps(&h, "s");
	house_end(&h);
}

/* The walk over all idle sessions is cut short: the next start continues it. */
TEST(a_crash_while_deadlines_are_rewritten_loses_none)
{
	struct house h = { .idle_evict_ms = 2000 };
	const size_t count = 200;
	int64_t wall, boot;

	house_begin(&h);
	for (size_t i = 0; i < count; i++)
		ask(&h, "submit_turn",
		    arena_printf(sim_mem(h.sim), "{\"sessionId\":\"s-%zu\",\"input\":\"approve\"}",
		                 i)
		            .ptr);
	sim_run(h.sim, 100000);
	sim_set_wall(h.sim, HOUR);
	for (int i = 0; i < 60 && count_of(&h, "runtime.warning", "clockOffsetMs") < count / 4;
	     i++) {
		sim_advance(h.sim, 1000);
		for (int n = 0; n < 6; n++)
			sim_turn(h.sim);
	}
	CHECK(count_of(&h, "runtime.warning", "clockOffsetMs") < count);
	wall = sim_wall_ms(h.sim);
	boot = sim_boot_ms(h.sim);
	disk_cut(h.disk, DISK_KEEP_SOME);
	sim_crash(h.sim);
	house_open(&h, wall + 10000, boot + 10000, "boot-1");
	sim_run(h.sim, ASKED_MS - 180000);
	CHECK_INT(expired(&h), 0);
	sim_run(h.sim, 80000);
	CHECK_INT(expired(&h), count);
	house_end(&h);
}

TEST_MAIN()

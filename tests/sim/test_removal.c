/* Whole sessions are deleted: power cuts at every moment, and the rule with thousands of sessions. */
#include "disk.h"
#include "sim.h"

#include "base/json.h"
#include "lib/t.h"

#include <stdlib.h>

#define DAY_MS (24 * 3600000ll)
#define BOUND 200 /* turns of the wheel; a command needs far fewer */

/* days: of the rule; 0: none. */
static struct sim *on_disk(struct disk *d, int64_t days)
{
	struct error e = { 0 };
	struct sim *s = NULL;

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "removaldisk",
	                                         .disk = d,
	                                         .seed = 5,
	                                         .version = STR("1"),
	                                         .snapshot_events = 10,
	                                         .sessions_days = days,
	                                         .idle_evict_ms = days ? 60000 : 0 },
	                  &s, &e),
	         &e);
	return s;
}

static const struct sim_answer *call(struct sim *s, const char *command, const char *id)
{
	const struct sim_answer *a = sim_send(
		s, command, arena_printf(sim_mem(s), "{\"sessionId\":\"%s\"}", id).ptr, NULL);

	for (int i = 0; i < 100000 && !a->is_done; i++)
		sim_turn(s);
	CHECK(a->is_done);
	return a;
}

static void turn(struct sim *s, const char *id)
{
	CHECK_INT(
		sim_call(s, "submit_turn",
	                 arena_printf(sim_mem(s), "{\"sessionId\":\"%s\",\"input\":\"hello\"}", id)
	                         .ptr)
			->code,
		0);
	sim_run(s, 3000);
}

static uint64_t sessions_of(struct sim *s)
{
	struct store_stats stats;

	sim_store(s)->ops->stats(sim_store(s), &stats);
	return stats.sessions;
}

/* ---- power cuts ---- */

/* Either all of it or nothing, and what is said agrees with what is there. */
static bool check_one(struct sim *s, const char *id)
{
	const struct sim_answer *read = call(s, "get_session", id);
	bool is_gone = read->code == ERROR_CODE_SESSION_DELETED;

	CHECK(is_gone || !read->code);
	CHECK_SAME(sim_str(s, call(s, "verify_log", id), "status"),
	           is_gone ? STR("removed") : STR("whole"));
	return is_gone;
}

static bool cut_at(uint64_t at, enum disk_fault fault)
{
	struct disk *d = disk_new("removaldisk", at);
	struct sim *s = on_disk(d, 0);
	const struct sim_answer *said;
	bool is_through, was_said;

	for (int i = 0; i < 3; i++)
		turn(s, "s-1");
	turn(s, "s-2");
	disk_plan(d, &(struct disk_plan){
			     .fault = fault, .on = DISK_SYNC, .at = at, .keep = DISK_KEEP_SOME });
	said = sim_send(s, "delete_session", "{\"sessionId\":\"s-1\"}", NULL);
	sim_settle(s);
	is_through = !disk_has_struck(d);
	was_said = said->is_done && !said->code;
	disk_plan(d, &(struct disk_plan){ 0 });
	if (!sim_is_dead(s))
		disk_cut(d, DISK_KEEP_NONE);
	sim_crash(s);

	s = on_disk(d, 0);
	sim_run(s, 3000);
	CHECK(check_one(s, "s-1") || !was_said);
	CHECK(!check_one(s, "s-2"));
	call(s, "delete_session", "s-1");
	CHECK(check_one(s, "s-1"));
	CHECK_SAME(sim_str(s, call(s, "verify_log", "sess_system"), "status"), STR("whole"));
	turn(s, "s-3"); /* its number is another one */
	CHECK(!check_one(s, "s-3"));
	sim_free(s);
	disk_free(d);
	return is_through;
}

TEST(a_cut_at_any_moment_leaves_the_whole_session_or_none_of_it)
{
	static const enum disk_fault faults[] = { DISK_CUT, DISK_CUT_AFTER };

	for (size_t n = 0; n < COUNT_OF(faults); n++) {
		uint64_t at = 1;

		while (!cut_at(at, faults[n]))
			CHECK(++at < 50);
		CHECK(at > 2); /* more than the commit of the event was cut */
	}
}

/* ---- commands at the same time ---- */

TEST(a_command_for_a_session_that_is_being_deleted_waits_and_is_refused)
{
	struct disk *d = disk_new("removaldisk", 1);
	struct sim *s = on_disk(d, 0);
	struct sim_answer *deletion, *again, *read;

	turn(s, "s-1");
	deletion = sim_send(s, "delete_session", "{\"sessionId\":\"s-1\"}", NULL);
	again = sim_send(s, "delete_session", "{\"sessionId\":\"s-1\",\"reason\":\"x\"}", NULL);
	for (int i = 0; i < 1000 && !deletion->is_done; i++) {
		if (i % 7 == 0)
			read = sim_send(s, "get_session", "{\"sessionId\":\"s-1\"}", NULL);
		if (!sim_turn(s))
			sim_advance(s, 1000);
	}
	read = sim_send(s, "get_session", "{\"sessionId\":\"s-1\"}", NULL);
	sim_settle(s);
	CHECK_INT(deletion->code, 0);
	CHECK_SAME(sim_str(s, again, "status"), STR("already_deleted"));
	CHECK_INT(read->code, ERROR_CODE_SESSION_DELETED);
	CHECK_INT(call(s, "create_session", "s-1")->code, ERROR_CODE_SESSION_DELETED);
	sim_free(s);
	disk_free(d);
}

/* ---- what runs or waits ---- */

static void check_held(struct sim *s, const char *command, const char *params, const char *word)
{
	const struct sim_answer *a;

	CHECK_INT(sim_call(s, command, params)->code, 0);
	sim_settle(s);
	a = call(s, "delete_session", "s-1");
	CHECK_INT(a->code, ERROR_CODE_SESSION_ACTIVE);
	CHECK(str_find(a->body, str_from(word)) >= 0);
}

TEST(what_waits_is_named_with_the_way_to_end_it)
{
	struct disk *d = disk_new("removaldisk", 1);
	struct sim *s = on_disk(d, 0);

	check_held(s, "create_task",
	           "{\"sessionId\":\"s-1\",\"taskId\":\"task-1\",\"objective\":\"later\"}",
	           "thole task cancel");
	CHECK_INT(sim_call(s, "cancel_task", "{\"sessionId\":\"s-1\",\"taskId\":\"task-1\"}")->code,
	          0);
	check_held(s, "create_schedule",
	           "{\"sessionId\":\"s-1\",\"scheduleId\":\"sched-1\",\"everyMs\":3600000,"
	           "\"task\":{\"objective\":\"again\"}}",
	           "thole schedule rm");
	CHECK_INT(
		sim_call(s, "delete_schedule", "{\"sessionId\":\"s-1\",\"scheduleId\":\"sched-1\"}")
			->code,
		0);
	CHECK_INT(call(s, "delete_session", "s-1")->code, 0);
	sim_free(s);
	disk_free(d);
}

/* ---- the rule ---- */

static const char *name_of(struct sim *s, int n)
{
	return arena_printf(sim_mem(s), "s-%d", n).ptr;
}

static int thousands(void)
{
	const char *text = getenv("THOLE_TEST_SESSIONS");

	return text ? atoi(text) : 1000;
}

/* A command in the middle of it is answered within a bound. */
static void ask_meanwhile(struct sim *s)
{
	struct sim_answer *a = sim_send(s, "get_session", "{\"sessionId\":\"young\"}", NULL);
	int turns = 0;

	while (!a->is_done) {
		sim_turn(s);
		CHECK(++turns < BOUND);
	}
	CHECK_INT(a->code, 0);
}

TEST(the_rule_deletes_old_sessions_and_other_commands_do_not_wait)
{
	struct disk *d = disk_new("removaldisk", 1);
	struct sim *s = on_disk(d, 30);
	int count = thousands(), asked = 0;
	uint64_t before;

	for (int i = 0; i < count; i++) {
		const struct sim_answer *a =
			sim_call(s, "create_session",
		                 arena_printf(sim_mem(s), "{\"sessionId\":\"s-%d\"}", i).ptr);

		CHECK_INT(a->code, 0);
	}
	CHECK_INT(sim_call(s, "create_task", "{\"sessionId\":\"waits\",\"objective\":\"later\"}")
	                  ->code,
	          0);
	sim_leap(s, 20 * DAY_MS);
	sim_run(s, 2 * 3600000);
	CHECK_INT(call(s, "get_session", name_of(s, 0))->code, 0); /* too young */
	turn(s, "young");
	before = sessions_of(s);
	sim_leap(s, 10 * DAY_MS - 3 * 3600000);
	CHECK_INT((int)sessions_of(s), (int)before);
	while (sessions_of(s) > before - (uint64_t)count) {
		if (sessions_of(s) < before && asked < 50) {
			ask_meanwhile(s);
			asked++;
		}
		if (!sim_turn(s))
			CHECK(sim_advance(s, 3600000));
	}
	sim_run(s, 1000);
	CHECK(asked > 10);
	for (int i = 0; i < count; i += count / 10)
		CHECK_INT(call(s, "get_session", name_of(s, i))->code, ERROR_CODE_SESSION_DELETED);
	CHECK_INT(call(s, "get_session", "young")->code, 0);
	CHECK_INT(call(s, "get_session", "waits")->code, 0);
	CHECK_SAME(sim_str(s, call(s, "verify_log", "sess_system"), "status"), STR("whole"));
	CHECK_SAME(sim_str(s, call(s, "verify_log", "s-1"), "status"), STR("removed"));
	sim_free(s);
	disk_free(d);
}

TEST(a_clock_that_is_set_forward_deletes_nothing)
{
	struct disk *d = disk_new("removaldisk", 1);
	struct sim *s = on_disk(d, 30);

	turn(s, "s-1");
	sim_run(s, 3600000);
	sim_set_wall(s, 400 * DAY_MS);
	sim_run(s, 3 * 3600000);
	CHECK_INT(call(s, "get_session", "s-1")->code, 0);
	sim_leap(s, 31 * DAY_MS);
	sim_run(s, 3 * 3600000);
	CHECK_INT(call(s, "get_session", "s-1")->code, ERROR_CODE_SESSION_DELETED);
	sim_free(s);
	disk_free(d);
}

TEST_MAIN()

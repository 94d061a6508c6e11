/* A disk that is slow or full, a clock that is set, and a runtime that ends. */
#include "disk.h"
#include "slow_store.h"
#include "sim.h"
#include "base/json.h"
#include "lib/t.h"

static const char slow_script[] =
	"{\"version\":1,\"default\":{\"text\":{\"repeat\":\"word {{n}} \",\"count\":150},"
	"\"delayMs\":20}}";

static const char asking_script[] =
	"{\"version\":1,\"tools\":[{\"name\":\"save\",\"policy\":\"ask\",\"result\":{\"text\":"
	"\"saved\"}}],"
	"\"rules\":[{\"when\":{\"text\":\"save\"},\"replies\":[{\"toolCalls\":[{\"name\":\"save\","
	"\"args\":{}}]},{\"text\":\"saved\"}]}],\"default\":{\"text\":\"-\"}}";

struct strain {
	struct disk *disk;
	struct sim *sim;
	struct store *slow_store;
	int paused; /* models and tools that wait now */
};

static struct store *wrap(void *owner, struct store *s)
{
	struct strain *t = owner;

	return t->slow_store = slow_store_open(s, &(struct slow_store_options){ .seed = 1 });
}

static void on_paused(void *owner, bool is_paused)
{
	((struct strain *)owner)->paused += is_paused ? 1 : -1;
}

static int64_t mono_ms(void *arg)
{
	struct clock *c = sim_clock(((struct strain *)arg)->sim);

	return c->ops->mono_ms(c);
}

static void strain_begin_with(struct strain *t, const char *script)
{
	static const struct sim_watch watch = { .store = wrap, .paused = on_paused };

	*t = (struct strain){ .disk = disk_new("strain", 1) };
	t->sim = sim_new(&(struct sim_options){ .dir = "data",
	                                        .vfs = "strain",
	                                        .disk = t->disk,
	                                        .script = str_from(script),
	                                        .seed = 1,
	                                        .watch = &watch,
	                                        .watcher = t });
}

static void strain_begin(struct strain *t)
{
	strain_begin_with(t, slow_script);
}

static void strain_end(struct strain *t)
{
	sim_free(t->sim);
	disk_free(t->disk);
}

static void stick(struct strain *t, bool is_stuck)
{
	slow_store_stick(t->slow_store, is_stuck, mono_ms, t);
}

static size_t count_type(struct strain *t, const char *type)
{
	const struct sim_log *log = sim_log(t->sim);
	size_t count = 0;

	for (size_t i = 0; i < log->count; i++)
		count += str_starts(log->lines[i],
		                    arena_printf(sim_mem(t->sim), "{\"type\":\"%s\"", type));
	return count;
}

/* The text of all deltas, as a reader puts it together. */
static struct str response_text(struct strain *t)
{
	const struct sim_log *log = sim_log(t->sim);
	struct buf text = { 0 };
	struct str kept;

	for (size_t i = 0; i < log->count; i++) {
		struct json doc;

		if (!str_starts(log->lines[i], STR("{\"type\":\"model.delta\"")))
			continue;
		CHECK(json_read_trusted(sim_mem(t->sim), log->lines[i], &doc, NULL) == OK);
		buf_add_str(&text, json_str(JSON_GET(JSON_GET(doc, "payload"), "text")));
	}
	kept = arena_keep(sim_mem(t->sim), buf_str(&text));
	buf_done(&text);
	return kept;
}

static struct str whole_text(struct strain *t)
{
	struct str text = STR("");

	for (int i = 1; i <= 150; i++)
		text = arena_printf(sim_mem(t->sim), "%.*sword %d ", STR_ARG(text), i);
	return text;
}

TEST(models_pause_while_the_disk_does_not_keep_up)
{
	struct strain t;
	size_t before;

	strain_begin(&t);
	CHECK_INT(sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}")->code,
	          0);
	sim_run(t.sim, 500);
	CHECK_INT(t.paused, 0);
	before = count_type(&t, "model.delta");
	CHECK(before > 3);
	stick(&t, true);
	sim_run(t.sim, 200);
	CHECK_INT(t.paused, 0); /* a little patience */
	sim_run(t.sim, 300);
	CHECK_INT(t.paused, 1);
	sim_run(t.sim, 1000);
	CHECK_INT(count_type(&t, "model.delta"), before); /* nothing is shown that is not durable */
	stick(&t, false);
	sim_run(t.sim, 200);
	CHECK_INT(t.paused, 0);
	sim_run(t.sim, 10000);
	CHECK_INT(count_type(&t, "turn.completed"), 1);
	CHECK_SAME(response_text(&t), whole_text(&t));
	strain_end(&t);
}

TEST(commands_are_refused_when_it_lasts_but_what_ends_things_passes)
{
	struct strain t;
	struct sim_answer *stop;
	const struct sim_answer *a;
	struct str thread;

	strain_begin(&t);
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}");
	thread = sim_str(t.sim, a, "threadId");
	sim_run(t.sim, 500);
	stick(&t, true);
	sim_run(t.sim, 2500);
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-2\",\"input\":\"more\"}");
	CHECK_INT(a->code, ERROR_CODE_OVERLOADED);
	CHECK_INT(a->http, 503);
	CHECK(str_find(a->body, STR("\"retryAfterMs\":")) >= 0);
	a = sim_call(t.sim, "list_sessions", "{}"); /* reading continues */
	CHECK(a->is_done && a->code == 0);
	stop = sim_send(t.sim, "interrupt_turn",
	                arena_printf(sim_mem(t.sim),
	                             "{\"sessionId\":\"s-1\",\"threadId\":\"%.*s\"}",
	                             STR_ARG(thread))
	                        .ptr,
	                NULL);
	sim_settle(t.sim);
	CHECK(!stop->is_done); /* taken, and answered when it is durable */
	stick(&t, false);
	sim_run(t.sim, 1000);
	CHECK(stop->is_done && stop->code == 0);
	CHECK_INT(count_type(&t, "turn.failed"), 1);
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-2\",\"input\":\"more\"}");
	CHECK_INT(a->code, 0);
	strain_end(&t);
}

static struct str approve_for_workspace(struct strain *t, struct str session, struct str action)
{
	return arena_printf(sim_mem(t->sim),
	                    "{\"sessionId\":\"%.*s\",\"actionId\":\"%.*s\",\"decision\":\"allow\","
	                    "\"scope\":\"workspace\"}",
	                    STR_ARG(session), STR_ARG(action));
}

static struct str pending_action(struct strain *t)
{
	const struct sim_answer *a = sim_call(t->sim, "list_actions", "{}");
	struct json doc;

	CHECK(json_read_trusted(sim_mem(t->sim), a->body, &doc, NULL) == OK);
	return json_str(JSON_GET(json_at(JSON_GET(doc, "actions"), 0), "actionId"));
}

/* Grants, rules and channels of all sessions: a reply that names no session waits like any other. */
TEST(lists_over_all_sessions_show_what_is_durable)
{
	struct strain t;
	struct sim_answer *grants, *rules, *channels;

	strain_begin_with(&t, asking_script);
	sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"save\"}");
	sim_run(t.sim, 500);
	stick(&t, true);
	sim_send(t.sim, "respond_action",
	         approve_for_workspace(&t, STR("s-1"), pending_action(&t)).ptr, NULL);
	sim_send(t.sim, "reconnect_channel", "{\"sessionId\":\"s-1\",\"channelId\":\"chan_1\"}",
	         NULL);
	sim_run(t.sim, 100);
	grants = sim_send(t.sim, "list_grants", "{}", NULL);
	rules = sim_send(t.sim, "list_rules", "{}", NULL);
	channels = sim_send(t.sim, "list_channels", "{}", NULL);
	sim_run(t.sim, 100);
	CHECK(!grants->is_done && !rules->is_done && !channels->is_done);
	stick(&t, false);
	sim_run(t.sim, 1000);
	CHECK(str_find(grants->body, STR("\"scope\":\"workspace\"")) >= 0);
	CHECK(rules->is_done && rules->code == 0);
	CHECK(str_find(channels->body, STR("chan_1")) >= 0);
	strain_end(&t);
}

static bool log_has(struct strain *t, const char *type, const char *word)
{
	const struct sim_log *log = sim_log(t->sim);

	for (size_t i = 0; i < log->count; i++)
		if (str_starts(log->lines[i],
		               arena_printf(sim_mem(t->sim), "{\"type\":\"%s\"", type)) &&
		    str_find(log->lines[i], str_from(word)) >= 0)
			return true;
	return false;
}

static bool is_ready(struct strain *t)
{
	struct control *c = engine_control(sim_engine(t->sim));
	struct control_health h;

	c->ops->health(c, &h);
	return h.ready;
}

TEST(on_a_full_disk_work_is_ended_in_order_and_reading_goes_on)
{
	struct strain t;
	const struct sim_answer *a;
	uint64_t before;

	strain_begin(&t);
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}");
	CHECK_INT(a->code, 0);
	sim_run(t.sim, 1000);
	before = count_type(&t, "model.delta");
	disk_plan(t.disk, &(struct disk_plan){ .fault = DISK_FULL, .on = DISK_WRITE, .at = 1 });
	sim_run(t.sim, 1000);
	CHECK(disk_has_struck(t.disk));
	CHECK(!sim_fatal(t.sim));
	CHECK(log_has(&t, "model.failed", "storage_full"));
	CHECK_INT(count_type(&t, "turn.failed"), 1);
	CHECK(count_type(&t, "model.delta") >= before);
	CHECK(!is_ready(&t));
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"more\"}");
	CHECK_INT(a->code, ERROR_CODE_STORAGE_FULL);
	CHECK_INT(a->http, 507);
	a = sim_call(t.sim, "get_session", "{\"sessionId\":\"s-1\"}");
	CHECK_INT(a->code, 0);
	a = sim_call(t.sim, "list_events", "{\"sessionId\":\"s-1\"}");
	CHECK_INT(a->code, 0);
	sim_run(t.sim, 10000);
	CHECK(!is_ready(&t)); /* it looks, and there is no room */

	disk_make_room(t.disk);
	sim_run(t.sim, 3000);
	CHECK(is_ready(&t));
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"more\"}");
	CHECK_INT(a->code, 0);
	sim_run(t.sim, 10000);
	CHECK_INT(count_type(&t, "turn.completed"), 1);
	strain_end(&t);
}

/* Its turn cannot even be ended: each load of the session failed, and the deletion loaded it without end. */
TEST(a_session_that_cannot_be_recovered_on_a_full_disk_is_not_deleted_and_the_engine_rests)
{
	struct strain t;
	int refused = 0;

	strain_begin(&t);
	for (int i = 0; i < 40; i++)
		sim_call(
			t.sim, "submit_turn",
			arena_printf(sim_mem(t.sim), "{\"sessionId\":\"s-%d\",\"input\":\"go\"}", i)
				.ptr);
	sim_run(t.sim, 1000);
	disk_plan(t.disk, &(struct disk_plan){ .fault = DISK_FULL, .on = DISK_WRITE, .at = 1 });
	sim_run(t.sim, 5000);
	for (int i = 0; i < 40; i++) {
		const struct sim_answer *a =
			sim_call(t.sim, "delete_session",
		                 arena_printf(sim_mem(t.sim), "{\"sessionId\":\"s-%d\"}", i).ptr);

		CHECK(a->is_done);
		refused += a->code == ERROR_CODE_STORAGE_FULL;
	}
	CHECK(refused > 0);
	disk_make_room(t.disk);
	sim_run(t.sim, 60000);
	/* Recovered now: its turn is lost and waits for its user. */
	CHECK_INT(count_type(&t, "task.lost"), 40);
	CHECK_INT(sim_call(t.sim, "interrupt_turn", "{\"sessionId\":\"s-39\"}")->code, 0);
	CHECK_INT(sim_call(t.sim, "delete_session", "{\"sessionId\":\"s-39\"}")->code, 0);
	strain_end(&t);
}

TEST(a_turn_that_waits_begins_when_there_is_room_again)
{
	struct strain t;

	strain_begin(&t);
	sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}");
	sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"then this\"}");
	sim_run(t.sim, 1000);
	disk_plan(t.disk, &(struct disk_plan){ .fault = DISK_FULL, .on = DISK_WRITE, .at = 1 });
	sim_run(t.sim, 5000);
	CHECK_INT(count_type(&t, "turn.failed"), 1);
	CHECK_INT(count_type(&t, "turn.completed"), 0);
	disk_make_room(t.disk);
	sim_run(t.sim, 20000);
	CHECK_INT(count_type(&t, "turn.completed"), 1);
	CHECK_INT(count_type(&t, "turn.failed"), 1);
	strain_end(&t);
}

TEST(a_jump_of_the_wall_clock_is_said)
{
	struct strain t;
	const struct sim_answer *a;

	strain_begin(&t);
	a = sim_call(t.sim, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}");
	CHECK_INT(a->code, 0);
	sim_run(t.sim, 6000);
	sim_set_wall(t.sim, 30000);
	sim_run(t.sim, 3000);
	CHECK_INT(count_type(&t, "runtime.warning"), 0); /* small ones are not news */
	sim_set_wall(t.sim, 3600000);
	sim_run(t.sim, 3000);
	CHECK_INT(count_type(&t, "runtime.warning"), 1);
	sim_run(t.sim, 60000);
	CHECK_INT(count_type(&t, "runtime.warning"), 1); /* once */
	sim_set_wall(t.sim, -7200000);
	sim_run(t.sim, 3000);
	CHECK_INT(count_type(&t, "runtime.warning"), 2);
	strain_end(&t);
}

/* More about that in test_clock_set.c. */
TEST(a_deadline_that_the_clock_jumped_over_is_not_due)
{
	static const char ask[] = "{\"sessionId\":\"s-1\",\"input\":\"approve it\"}";
	struct disk *disk = disk_new("jump", 1);
	struct sim *s = sim_new(
		&(struct sim_options){ .dir = "data", .vfs = "jump", .disk = disk, .seed = 1 });
	const struct sim_log *log;
	bool timed_out = false;

	CHECK_INT(sim_call(s, "submit_turn", ask)->code, 0);
	sim_run(s, 5000);
	sim_set_wall(s, 601000); /* an action is pending for 600 s */
	sim_run(s, 3000);
	log = sim_log(s);
	for (size_t i = 0; i < log->count; i++)
		timed_out |= str_starts(log->lines[i], STR("{\"type\":\"action.resolved\"")) &&
		             str_find(log->lines[i], STR("timed_out")) >= 0;
	CHECK(!timed_out);
	sim_free(s);
	disk_free(disk);
}

/* ---- starts and stops ---- */

static struct sim *start(struct disk *disk, uint64_t seed)
{
	return sim_new(&(struct sim_options){ .dir = "data",
	                                      .vfs = "runs",
	                                      .disk = disk,
	                                      .version = STR("1.2.3"),
	                                      .seed = seed });
}

/* How the newest start in the log says that the run before it ended. */
static bool ended_before(struct sim *s, const char *how)
{
	const struct sim_log *log = sim_log(s);
	struct str want = arena_printf(sim_mem(s),
	                               "\"runtime\":{\"state\":\"started\",\"version\":\"1.2.3\","
	                               "\"previousEnd\":\"%s\"",
	                               how);

	for (size_t i = log->count; i-- > 0;)
		if (str_find(log->lines[i], STR("\"state\":\"started\"")) >= 0)
			return str_find(log->lines[i], want) >= 0;
	return false;
}

TEST(a_start_says_how_the_run_before_it_ended)
{
	struct disk *disk = disk_new("runs", 1);
	struct sim *s = start(disk, 1);

	sim_run(s, 1000);
	CHECK(ended_before(s, "none"));
	CHECK_INT(sim_call(s, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"go\"}")->code, 0);
	sim_run(s, 5000);
	sim_free(s);
	s = start(disk, 2);
	sim_run(s, 1000);
	CHECK(ended_before(s, "stopped"));
	disk_cut(disk, DISK_KEEP_NONE);
	sim_crash(s);
	s = start(disk, 3);
	sim_run(s, 1000);
	CHECK(ended_before(s, "unclean"));
	sim_free(s);
	disk_free(disk);
}

TEST_MAIN()

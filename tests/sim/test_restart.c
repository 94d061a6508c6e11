/*
 * A restart with thousands of open sessions: each is recovered once, memory
 * stays bounded, work continues meanwhile, and a crash during recovery is just
 * another restart.
 */
#include "disk.h"
#include "sim.h"

#include "base/json.h"
#include "lib/t.h"

#define DAY_ONE 1794700800000 /* 2026-11-15T00:00:00Z */

static const char script[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", "
	"\"result\": { \"text\": \"done\" } } ],"
	"  \"rules\": [ { \"when\": { \"afterTool\": \"careful\" }, \"reply\": { \"text\": "
	"\"allowed\" } },"
	"    { \"when\": { \"text\": \"approve\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ "
	"{ \"name\": \"careful\", \"args\": {} } ] } } ],"
	"  \"default\": { \"text\": \"hello\" } }";

struct house {
	struct disk *disk;
	struct sim *sim;
	unsigned count, starts;
	int64_t session_bytes;
};

/* Each start comes a minute after the last one: a recovered session has changed since. */
static void house_open(struct house *h, bool starts_only)
{
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "restart",
	                                         .disk = h->disk,
	                                         .script = str_from(script),
	                                         .starts_only = starts_only,
	                                         .session_bytes = h->session_bytes,
	                                         .start_ms = DAY_ONE + 60000 * ++h->starts,
	                                         .seed = 9 },
	                  &h->sim, &e),
	         &e);
}

/* ---- sessions with open work ---- */

/* Each has a turn that waits for an approval.  They are made once, and copied for each test. */
static struct disk *made;
static unsigned made_count;

static void make(unsigned count)
{
	struct house h = { .disk = disk_new("restart", 1) };

	house_open(&h, false);
	for (unsigned i = 0; i < count; i++) {
		struct arena *mem = arena_new();

		sim_send(h.sim, "submit_turn",
		         arena_printf(mem, "{\"sessionId\":\"s-%u\",\"input\":\"approve\"}", i).ptr,
		         NULL);
		arena_free(mem);
		if (i % 64 == 63)
			sim_settle(h.sim);
	}
	sim_run(h.sim, 1000);
	disk_cut(h.disk, DISK_KEEP_ALL);
	sim_crash(h.sim);
	disk_put_away(h.disk);
	made = h.disk;
	made_count = count;
}

/* They are there, and the power was cut. */
static void house_begin(struct house *h)
{
	if (!made)
		make(getenv("THOLE_DEEP") ? 10000 : 600);
	h->disk = disk_new("restart", 1);
	disk_copy_files(h->disk, made);
	h->count = made_count;
	h->starts = 1;
}

static void house_end(struct house *h)
{
	sim_free(h->sim);
	disk_free(h->disk);
}

static void cut(struct house *h, enum disk_keep keep)
{
	disk_cut(h->disk, keep);
	sim_crash(h->sim);
}

static struct control_health health_of(struct house *h)
{
	struct control *c = engine_control(sim_engine(h->sim));
	struct control_health health;

	c->ops->health(c, &health);
	return health;
}

static uint64_t left(struct house *h)
{
	return health_of(h).recovery_left;
}

static void open_until_ready(struct house *h)
{
	house_open(h, true);
	for (int i = 0; i < 100000 && !health_of(h).ready; i++)
		sim_turn(h->sim);
	CHECK(health_of(h).ready);
	CHECK_INT(health_of(h).recovery_total, h->count);
}

static const struct sim_answer *ask(struct house *h, const char *command, const char *params)
{
	const struct sim_answer *a = sim_call(h->sim, command, params);

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
	return a;
}

/* ---- what the log says ---- */

/* How often a class was written in each session. */
static unsigned *count_each(struct house *h, const char *type)
{
	struct str begin = arena_printf(sim_mem(h->sim), "{\"type\":\"%s\"", type);
	unsigned *counts = ARENA_ARRAY(sim_mem(h->sim), unsigned, h->count);

	for (size_t i = 0; i < sim_log(h->sim)->count; i++) {
		struct str line = sim_log(h->sim)->lines[i];
		ptrdiff_t at;

		if (!str_starts(line, begin))
			continue;
		at = str_find(line, STR("\"sessionId\":\"s-"));
		if (at >= 0)
			counts[strtoul(line.ptr + at + 15, NULL, 10)]++;
	}
	return counts;
}

/* ---- the tests ---- */

/* As when another node found the run before dead at its first start. */
TEST(a_first_start_after_a_run_that_recorded_nothing_says_why_that_one_failed)
{
	struct disk *disk = disk_new("restart", 1);
	struct error e = { 0 };
	const struct sim_log *log;
	unsigned created = 0, failed = 0, started = 0;
	struct sim *s;

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "restart",
	                                         .disk = disk,
	                                         .script = str_from(script),
	                                         .version = STR("1"),
	                                         .previous_failure = STR("it was found dead"),
	                                         .start_ms = DAY_ONE,
	                                         .seed = 9 },
	                  &s, &e),
	         &e);
	sim_settle(s);
	log = sim_log(s);
	for (size_t i = 0; i < log->count; i++) {
		created += str_find(log->lines[i], STR("\"type\":\"session.created\"")) >= 0;
		failed += str_find(log->lines[i], STR("it was found dead")) >= 0;
		started += str_find(log->lines[i], STR("\"state\":\"started\"")) >= 0;
	}
	CHECK_INT(created, 1);
	CHECK_INT(failed, 1);
	CHECK_INT(started, 1);
	sim_free(s);
	disk_free(disk);
}

TEST(thousands_of_open_sessions_are_recovered_once_each)
{
	struct house h = { 0 };
	unsigned *counts;

	house_begin(&h);
	house_open(&h, false);
	counts = count_each(&h, "history.reconstructed");
	for (unsigned i = 0; i < h.count; i++)
		CHECK_INT(counts[i], 1);
	house_end(&h);
}

TEST(recovered_sessions_leave_memory_while_others_are_recovered)
{
	struct house h = { .session_bytes = 2 << 20 };
	size_t most = 0;

	house_begin(&h);
	open_until_ready(&h);
	while (left(&h)) {
		sim_turn(h.sim);
		sim_advance(h.sim, 5);
		most = MAX(most, health_of(&h).session_bytes);
	}
	CHECK(most < 6 << 20); /* the bound, and those under recovery */
	sim_run(h.sim, 1000);
	CHECK(health_of(&h).session_bytes <= 2 << 20);
	CHECK(health_of(&h).live_sessions > 40);
	house_end(&h);
}

TEST(a_command_to_a_session_that_is_not_recovered_recovers_it_first)
{
	struct house h = { 0 };
	int64_t said = 0, submitted = 0;

	house_begin(&h);
	open_until_ready(&h);
	/* Recently used sessions come first: this one has not been recovered yet. */
	ask(&h, "submit_turn", "{\"sessionId\":\"s-0\",\"input\":\"hello\"}");
	CHECK(left(&h) > h.count / 2);
	sim_settle(h.sim);
	CHECK_INT(left(&h), 0);
	for (size_t i = 0; i < sim_log(h.sim)->count; i++) {
		struct str line = sim_log(h.sim)->lines[i];
		struct json doc;

		if (str_find(line, STR("\"sessionId\":\"s-0\"")) < 0)
			continue;
		CHECK_INT(json_read_trusted(sim_mem(h.sim), line, &doc, NULL), OK);
		if (str_eq(json_str(JSON_GET(doc, "type")), STR("history.reconstructed")))
			said = json_int(JSON_GET(doc, "sequence"), 0);
		if (str_eq(json_str(JSON_GET(doc, "type")), STR("turn.submitted")))
			submitted = json_int(JSON_GET(doc, "sequence"), 0);
	}
	CHECK(said && submitted > said);
	house_end(&h);
}

TEST(work_goes_on_and_progress_is_told_while_sessions_are_recovered)
{
	struct house h = { 0 };
	const struct sim_answer *a;
	struct json doc, progress;

	house_begin(&h);
	open_until_ready(&h);
	a = ask(&h, "list_sessions", "{\"limit\":1}");
	CHECK_INT(json_read_trusted(sim_mem(h.sim), a->body, &doc, NULL), OK);
	progress = JSON_GET(doc, "recovery");
	CHECK_INT(json_int(JSON_GET(progress, "total"), 0), h.count);
	CHECK(json_int(JSON_GET(progress, "recovered"), INT64_MAX) < h.count);
	ask(&h, "submit_turn", "{\"sessionId\":\"new\",\"input\":\"hello\"}");
	do {
		sim_advance(h.sim, 50);
		a = ask(&h, "explain_thread", "{\"sessionId\":\"new\"}");
	} while (left(&h) && str_find(a->body, STR("\"waitingFor\":\"nothing\"")) < 0);
	CHECK(left(&h) > 0);
	sim_settle(h.sim);
	a = ask(&h, "list_sessions", "{\"limit\":1}");
	CHECK(str_find(a->body, STR("\"recovery\"")) < 0);
	house_end(&h);
}

static void allow(struct house *h, unsigned session)
{
	struct arena *mem = sim_mem(h->sim);
	const struct sim_answer *a = ask(
		h, "list_actions",
		arena_printf(mem, "{\"sessionId\":\"s-%u\",\"status\":\"pending\"}", session).ptr);
	struct json doc;
	struct str id;

	CHECK_INT(json_read_trusted(mem, a->body, &doc, NULL), OK);
	id = json_str(JSON_GET(json_at(JSON_GET(doc, "actions"), 0), "actionId"));
	CHECK(str_is(id));
	ask(h, "respond_action",
	    arena_printf(mem,
	                 "{\"sessionId\":\"s-%u\",\"actionId\":\"%.*s\",\"decision\":\"allow\"}",
	                 session, STR_ARG(id))
	            .ptr);
}

TEST(a_crash_in_the_middle_of_recovery_is_just_another_restart)
{
	struct house h = { 0 };
	unsigned *counts;
	const unsigned crashes = 5;

	house_begin(&h);
	for (unsigned i = 1; i <= crashes; i++) {
		open_until_ready(&h);
		while (left(&h) > h.count - h.count * i / (crashes + 2))
			sim_turn(h.sim);
		CHECK(left(&h) > 0);
		cut(&h, i % 2 ? DISK_KEEP_SOME : DISK_KEEP_NONE);
	}
	house_open(&h, false);
	counts = count_each(&h, "history.reconstructed");
	for (unsigned i = 0; i < h.count; i++)
		CHECK(counts[i] >= 1 && counts[i] <= crashes + 1);
	/* And every one of them continues. */
	for (unsigned i = 0; i < h.count; i++)
		allow(&h, i);
	sim_run(h.sim, 5000);
	counts = count_each(&h, "turn.completed");
	for (unsigned i = 0; i < h.count; i++)
		CHECK_INT(counts[i], 1);
	house_end(&h);
}

/* A client may try its token as soon as the program listens. */
TEST(a_login_that_is_refused_before_the_start_is_complete_is_recorded)
{
	struct house h = { .disk = disk_new("restart", 1) };
	struct control *c;
	bool is_found = false;

	house_open(&h, true);
	c = engine_control(sim_engine(h.sim));
	c->ops->stranger(c, STR("http"), STR("192.0.2.7"));
	sim_run(h.sim, 1000);
	for (size_t i = 0; i < sim_log(h.sim)->count; i++)
		is_found |= str_find(sim_log(h.sim)->lines[i], STR("login_refused")) >= 0;
	CHECK(is_found);
	sim_free(h.sim);
	disk_free(h.disk);
}

TEST(what_was_made_for_all_tests_is_thrown_away)
{
	disk_free(made);
	made = NULL;
}

TEST_MAIN()

/*
 * A cap of one dollar per day, fifty turns in parallel, five restarts: recorded
 * costs exceed the cap by at most one reservation, whatever the reported usage.
 */
#include "base/json.h"
#include "base/util.h"
#include "engine/engine_state.h" /* session_find() alone */
#include "lib/sim.h"
#include "lib/t.h"
#include "ports/store.h"

#define TURNS 50
#define RESTARTS 5
#define DOLLAR 1000000000LL

/* About $0.0051 each by estimate; what comes of it is another thing. */
static const char script[] =
	"{\"version\":1,\"maxOutputTokens\":300,"
	"\"price\":{\"inputPerMTok\":3,\"outputPerMTok\":15},"
	"\"rules\":["
	"{\"when\":{\"text\":\"tenfold\"},\"reply\":{\"text\":\"dear\",\"firstDelayMs\":200,"
	"\"usage\":{\"input\":1500,\"output\":3000}}},"
	"{\"when\":{\"text\":\"silent\"},\"reply\":{\"text\":\"who knows\",\"firstDelayMs\":300,"
	"\"usage\":\"unknown\"}},"
	"{\"when\":{\"text\":\"dies\",\"turn\":1},\"reply\":{\"text\":\"never\",\"hang\":true}}],"
	"\"default\":{\"text\":\"fine\",\"firstDelayMs\":100}}";

struct sums {
	int64_t recorded, reserved, dearest;
	int64_t least, most; /* that was set aside for a request */
	size_t requests, blocked, overruns;
};

static int64_t nano_at(struct json e, const char *key)
{
	return json_nano(json_get(JSON_GET(e, "payload"), str_from(key)), 0);
}

static struct sums sum_log(struct sim *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_log *log = sim_log(s);
	struct sums sum = { 0 };

	for (size_t i = 0; i < log->count; i++) {
		struct json e;
		struct str type;

		CHECK(json_read_trusted(mem, log->lines[i], &e, NULL) == OK);
		type = json_str(JSON_GET(e, "type"));
		if (str_eq(type, STR("cost.recorded"))) {
			int64_t amount = nano_at(e, "amountUsd");

			sum.recorded += amount;
			sum.reserved--;
			sum.dearest = MAX(sum.dearest, amount);
			sum.overruns += json_is(json_get(JSON_GET(e, "payload"), STR("overrun")));
		} else if (str_eq(type, STR("cost.estimated"))) {
			int64_t estimate = nano_at(e, "estimatedUsd");

			sum.reserved++;
			sum.most = MAX(sum.most, estimate);
			sum.least = sum.least && sum.least < estimate ? sum.least : estimate;
			sum.requests++;
		} else if (str_eq(type, STR("quota.blocked"))) {
			sum.blocked++;
		}
	}
	return sum;
}

static struct ledger_move account(struct sim *s, const char *prefix)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct ledger_move *rows = NULL, found = { 0 };
	size_t count = 0;
	struct error e;

	CHECK(sim_store(s)->ops->accounts(sim_store(s), mem, &rows, &count, &e) == OK);
	for (size_t i = 0; i < count; i++)
		if (str_starts(rows[i].account, str_from(prefix)))
			found = (struct ledger_move){ STR_NONE, found.spent + rows[i].spent,
				                      found.reserved + rows[i].reserved };
	return found;
}

static void forget(const char *dir)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	CHECK_INT(system(command), 0);
}

static struct sim *open_at(const char *dir, int life)
{
	return sim_new(&(struct sim_options){
		.dir = dir,
		.seed = (uint64_t)life + 1,
		.start_ms = 1794700800000 + life * 60000LL,
		.script = str_from(script),
		.resume_by_itself = true,
		.caps = { .day = DOLLAR, .overrun = 10, .low_percent = 80 },
	});
}

static void submit(struct sim *s, const char *word, int turns)
{
	char body[64];

	snprintf(body, sizeof body, "{\"input\":\"%s\"}", word);
	for (int i = 0; i < turns; i++)
		sim_send(s, "submit_turn", body, NULL);
	sim_settle(s);
}

/* Lives cut short: each has fifty turns, and dies in the middle of them. */
static struct sums live_through(const char *word, char dir[])
{
	struct sim *s = NULL;
	struct sums sum;

	CHECK(mkdtemp(dir));
	for (int life = 0; life <= RESTARTS; life++) {
		s = open_at(dir, life);
		submit(s, word, TURNS);
		if (life < RESTARTS) {
			sim_run(s, 1100);
			sim_crash(s);
		}
	}
	/* Turns that hang are interrupted in the end. */
	sim_run(s, 3600 * 1000);
	sum = sum_log(s);
	CHECK(account(s, "day:").spent == sum.recorded);
	CHECK(account(s, "tenant:").spent == sum.recorded);
	CHECK_INT(account(s, "requests").reserved, sum.reserved);
	sim_free(s);
	forget(dir);
	return sum;
}

static void check(struct sums sum)
{
	CHECK(sum.requests > RESTARTS);
	CHECK(sum.dearest > 0);
	if (sum.recorded > DOLLAR + sum.most)
		t_fail(__FILE__, __LINE__,
		       "%.6f dollars in %zu requests, the largest reservation %.6f",
		       (double)sum.recorded / 1e9, sum.requests, (double)sum.most / 1e9);
}

TEST(usage_at_ten_times_the_estimate_passes_the_cap_by_one_reservation_at_most)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	struct sums sum = live_through("tenfold", dir);

	check(sum);
	CHECK(sum.dearest > 9 * sum.least && sum.dearest <= 10 * sum.least);
	/* What was measured once is set aside from then on: nothing more was begun that did not fit. */
	CHECK(sum.recorded <= DOLLAR);
	CHECK_INT((long long)sum.overruns, 1);
	CHECK(sum.recorded > DOLLAR * 9 / 10);
	CHECK(sum.blocked > 0);
	CHECK_INT(sum.reserved, 0);
}

TEST(missing_usage_counts_as_the_estimate)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	struct sums sum = live_through("silent", dir);

	check(sum);
	CHECK_INT(sum.reserved, 0);
	CHECK(sum.recorded <= DOLLAR);
}

TEST(death_before_usage_keeps_what_was_set_aside)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	struct sums sum = live_through("dies", dir);

	check(sum);
	CHECK(sum.recorded <= DOLLAR);
	/* Of the last life those that hang are still under way, and no more than fit. */
	CHECK(sum.reserved * sum.dearest <= DOLLAR - sum.recorded);
}

TEST(ordinary_turns_run_side_by_side_and_are_held_back_near_the_cap)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	struct sums sum = live_through("ordinary", dir);

	check(sum);
	CHECK_INT(sum.reserved, 0);
	CHECK(sum.recorded <= DOLLAR);
}

TEST(at_most_so_many_requests_are_under_way_and_the_others_wait_for_room)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	struct sim *s;

	CHECK(mkdtemp(dir));
	s = sim_new(&(struct sim_options){
		.dir = dir, .seed = 7, .script = str_from(script), .parallel_requests = 3 });
	submit(s, "ordinary", 20);
	CHECK_INT(account(s, "requests").reserved, 3);
	sim_run(s, 60000);
	CHECK_INT(account(s, "requests").reserved, 0);
	CHECK_INT((long long)sum_log(s).requests, 20);
	sim_free(s);
	forget(dir);
}

/* Task trees may be as deep as the limit, each task with a cap of its own. */
static struct str deepest_task(struct sim *s, struct str *session)
{
	struct str task = STR_NONE;
	char body[320];

	for (int level = 0; level < LIMIT_TASK_DEPTH; level++) {
		const struct sim_answer *a;

		snprintf(body, sizeof body,
		         "{%s%.*s%s\"objective\":\"ordinary\",\"constraints\":{\"costUsd\":5}"
		         "%s%.*s%s}",
		         level ? "\"sessionId\":\"" : "", STR_ARG(*session), level ? "\"," : "",
		         level ? ",\"parentTaskId\":\"" : "", STR_ARG(task), level ? "\"" : "");
		a = sim_call(s, "create_task", body);
		CHECK_INT(a->http, 200);
		*session = sim_str(s, a, "sessionId");
		task = sim_str(s, a, "taskId");
	}
	return task;
}

TEST(the_cap_of_a_day_holds_below_a_deep_tree_of_tasks_with_caps)
{
	char dir[] = "/tmp/thole-money-XXXXXX", body[320];
	struct str session = STR_NONE, task;
	struct sim *s;

	CHECK(mkdtemp(dir));
	s = sim_new(&(struct sim_options){ .dir = dir,
	                                   .seed = 7,
	                                   .script = str_from(script),
	                                   .caps = { .request = DOLLAR,
	                                             .turn = DOLLAR,
	                                             .day = DOLLAR / 10000,
	                                             .overrun = 10,
	                                             .low_percent = 80 } });
	task = deepest_task(s, &session);
	snprintf(body, sizeof body, "{\"sessionId\":\"%.*s\",\"taskId\":\"%.*s\"}",
	         STR_ARG(session), STR_ARG(task));
	CHECK_INT(sim_call(s, "start_task", body)->http, 200);
	sim_run(s, 60000);
	CHECK_INT((long long)sum_log(s).blocked, 1);
	CHECK_INT((long long)sum_log(s).requests, 0);
	sim_free(s);
	forget(dir);
}

TEST(a_running_task_takes_its_reservation_and_costs_to_another_parent_and_back)
{
	char dir[] = "/tmp/thole-money-XXXXXX";
	const struct st_task *top, *running;
	struct sim *s;

	CHECK(mkdtemp(dir));
	s = sim_new(&(struct sim_options){ .dir = dir, .seed = 7, .script = str_from(script) });
	sim_call(s, "create_task",
	         "{\"sessionId\":\"s\",\"taskId\":\"task_top\",\"objective\":\"all\"}");
	sim_call(s, "create_task",
	         "{\"sessionId\":\"s\",\"taskId\":\"task_a\",\"objective\":\"dies\","
	         "\"start\":true}");
	sim_settle(s);
	top = state_task(session_find(sim_engine(s), STR("s"))->state, STR("task_top"));
	running = state_task(session_find(sim_engine(s), STR("s"))->state, STR("task_a"));
	CHECK(running->reserved_usd > 0 && top->reserved_usd == 0);
	CHECK_INT(sim_call(s, "link_tasks",
	                   "{\"sessionId\":\"s\",\"fromTaskId\":\"task_a\",\"toTaskId\":"
	                   "\"task_top\",\"relationship\":\"parent\"}")
	                  ->http,
	          200);
	CHECK_INT(top->reserved_usd, running->reserved_usd);
	sim_call(s, "interrupt_turn", "{\"sessionId\":\"s\"}");
	sim_run(s, 1000);
	CHECK_INT(running->reserved_usd, 0);
	CHECK(running->spent_usd > 0);
	CHECK_INT(top->reserved_usd, 0);
	CHECK_INT(top->spent_usd, running->spent_usd);
	CHECK_INT(sim_call(s, "unlink_tasks",
	                   "{\"sessionId\":\"s\",\"fromTaskId\":\"task_a\",\"toTaskId\":"
	                   "\"task_top\",\"relationship\":\"parent\"}")
	                  ->http,
	          200);
	CHECK_INT(top->spent_usd, 0);
	sim_free(s);
	forget(dir);
}

/* A chain of half the limit below one of more than half is too deep. */
TEST(a_tree_that_is_linked_below_another_is_no_deeper_than_the_limit)
{
	char dir[] = "/tmp/thole-money-XXXXXX", body[320];
	struct str session = STR_NONE, deep;
	struct sim *s;

	CHECK(mkdtemp(dir));
	s = sim_new(&(struct sim_options){ .dir = dir, .seed = 7, .script = str_from(script) });
	deep = deepest_task(s, &session);
	snprintf(body, sizeof body,
	         "{\"sessionId\":\"%.*s\",\"taskId\":\"task_new\",\"objective\":\"x\"}",
	         STR_ARG(session));
	CHECK_INT(sim_call(s, "create_task", body)->http, 200);
	snprintf(body, sizeof body,
	         "{\"sessionId\":\"%.*s\",\"fromTaskId\":\"task_new\",\"toTaskId\":\"%.*s\","
	         "\"relationship\":\"parent\"}",
	         STR_ARG(session), STR_ARG(deep));
	CHECK_INT(sim_call(s, "link_tasks", body)->code, ERROR_CODE_TOO_MANY_OPEN);
	sim_free(s);
	forget(dir);
}

TEST_MAIN()

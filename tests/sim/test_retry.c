/*
 * A failing model is retried as long as the turn's time budget lasts, on virtual
 * time; each wait is an event with its reason and its end.
 */
#include "base/os/clock.h"
#include "base/json.h"
#include "base/util.h"
#include "lib/sim.h"
#include "lib/t.h"

static int64_t asked[64]; /* when */
static size_t asked_count;
static char models[64][32];
static struct sim *now_in;

static void on_model(void *owner, const struct model_request *req)
{
	(void)owner;
	if (asked_count == COUNT_OF(asked))
		return;
	snprintf(models[asked_count], sizeof models[0], "%.*s", STR_ARG(req->model));
	asked[asked_count++] = now_in ? sim_wall_ms(now_in) : 0;
}

static const struct sim_watch watch = { .model = on_model };

static struct sim *open_with_chain(char dir[], const char *script, int64_t budget_ms,
                                   struct str fallback)
{
	CHECK(mkdtemp(dir));
	asked_count = 0;
	now_in = NULL;
	now_in = sim_new(&(struct sim_options){ .dir = dir,
	                                        .seed = 3,
	                                        .script = str_from(script),
	                                        .retry_budget_ms = budget_ms,
	                                        .fallback = fallback,
	                                        .watch = &watch });
	return now_in;
}

static struct sim *open_sim(char dir[], const char *script, int64_t budget_ms)
{
	return open_with_chain(dir, script, budget_ms, STR_NONE);
}

static void close_sim(struct sim *s, const char *dir)
{
	char command[128];

	sim_free(s);
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	CHECK_INT(system(command), 0);
}

static void submit(struct sim *s)
{
	const struct sim_answer *a =
		sim_call(s, "submit_turn",
	                 "{\"sessionId\":\"sess_r\",\"turnId\":\"turn_1\",\"input\":\"hi\"}");

	CHECK(!a->code);
}

static struct json find(struct sim *s, const char *type, size_t from_end)
{
	const struct sim_log *log = sim_log(s);

	for (size_t i = log->count; i-- > 0;) {
		struct json e;

		CHECK(json_read_trusted(sim_mem(s), log->lines[i], &e, NULL) == OK);
		if (str_eq(json_str(JSON_GET(e, "type")), str_from(type)) && !from_end--)
			return e;
	}
	return (struct json){ 0 };
}

static bool has(struct sim *s, const char *type)
{
	return json_is(find(s, type, 0));
}

static const char thrice[] =
	"{\"version\":1,\"rules\":[{\"when\":{\"attempt\":{\"max\":3}},\"reply\":{\"error\":"
	"{\"status\":529,\"message\":\"overloaded\"}}}],\"default\":{\"text\":\"at last\"}}";

TEST(three_times_529_and_then_an_answer_is_an_answer)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, thrice, 0);

	submit(s);
	sim_run(s, 60000);
	CHECK_INT(asked_count, 4);
	CHECK(has(s, "turn.completed") && !has(s, "turn.failed"));
	/* Each wait is longer than the one before it. */
	CHECK(asked[2] - asked[1] > asked[1] - asked[0] &&
	      asked[3] - asked[2] > asked[2] - asked[1]);
	close_sim(s, dir);
}

static const char never[] =
	"{\"version\":1,\"rules\":[{\"when\":{\"text\":\"hi\"},\"reply\":{\"error\":"
	"{\"status\":503,\"message\":\"down\"}}}],\"default\":{\"text\":\"ok\"}}";

TEST(the_wait_grows_to_minutes_and_ends_with_the_budget)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, never, 600000);
	int64_t began, longest = 0;
	struct json status, failed;
	struct str message;

	submit(s);
	began = sim_wall_ms(s);
	sim_run(s, 30000);
	CHECK(!has(s, "turn.failed"));
	/* The wait is recorded when it begins, with its reason, and explain_thread says the same. */
	status = JSON_GET(find(s, "run.status", 0), "payload");
	CHECK_STR(json_str(JSON_GET(status, "kind")), "model_retry");
	CHECK_HAS(json_str(JSON_GET(status, "detail")), "down");
	CHECK(json_is(JSON_GET(JSON_GET(status, "wait"), "until")));
	const struct sim_answer *why = sim_call(s, "explain_thread", "{\"sessionId\":\"sess_r\"}");

	CHECK_HAS(why->body, "down");
	CHECK_HAS(why->body, "\"waitingFor\":\"backoff\"");
	sim_run(s, 3600000);
	for (size_t i = 1; i < asked_count; i++)
		longest = MAX(longest, asked[i] - asked[i - 1]);
	CHECK(longest >= 60000 && longest <= 150000);
	CHECK(has(s, "turn.failed"));
	CHECK(asked[asked_count - 1] - began <= 600000 + 1000);
	CHECK(asked[asked_count - 1] - began >= 500000);
	failed = JSON_GET(find(s, "turn.failed", 0), "payload");
	message = json_str(JSON_GET(failed, "message"));
	CHECK_HAS(message, "gave up after");
	CHECK_HAS(message, "routing.retry_budget_ms");
	close_sim(s, dir);
}

static const char minute[] =
	"{\"version\":1,\"rules\":[{\"when\":{\"attempt\":1},\"reply\":{\"error\":"
	"{\"status\":429,\"message\":\"slow down\",\"retryAfterMs\":90000}}}],"
	"\"default\":{\"text\":\"at last\"}}";

TEST(a_provider_that_says_when_is_not_asked_before_then)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, minute, 0);

	submit(s);
	sim_run(s, 80000);
	CHECK_INT(asked_count, 1);
	/* A turn of another session goes to the same provider and waits too: no other model can do it. */
	CHECK(!sim_call(s, "submit_turn", "{\"sessionId\":\"sess_o\",\"input\":\"you\"}")->code);
	sim_run(s, 300000);
	CHECK(asked_count >= 3);
	CHECK(asked[asked_count - 1] - asked[0] >= 90000);
	CHECK(has(s, "turn.completed") && !has(s, "turn.failed"));
	CHECK(!has(s, "routing.not_possible"));
	close_sim(s, dir);
}

TEST(a_wait_that_is_longer_than_the_budget_fails_at_once_and_says_so)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, minute, 30000);

	submit(s);
	sim_run(s, 1000);
	CHECK_INT(asked_count, 1);
	CHECK(has(s, "turn.failed"));
	CHECK_HAS(json_str(JSON_GET(JSON_GET(find(s, "turn.failed", 0), "payload"), "message")),
	          "asks to wait 90 s");
	close_sim(s, dir);
}

TEST(a_turn_that_waits_can_be_stopped_and_survives_a_crash)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, minute, 0);

	submit(s);
	sim_run(s, 1000);
	sim_crash(s);
	now_in = NULL;
	s = now_in = sim_new(&(struct sim_options){ .dir = dir,
	                                            .seed = 4,
	                                            .script = str_from(minute),
	                                            .start_ms = 1794700810000,
	                                            .watch = &watch });
	CHECK(!has(s, "turn.failed"));
	CHECK(!sim_call(s, "interrupt_turn", "{\"sessionId\":\"sess_r\"}")->code);
	sim_run(s, 1000);
	CHECK(has(s, "turn.failed"));
	CHECK_INT(asked_count, 1);
	close_sim(s, dir);
}

static const char pair[] =
	"{\"version\":1,\"models\":[{\"model\":\"first\"},{\"model\":\"second\"}],"
	"\"rules\":[{\"when\":{\"model\":\"first\"},\"reply\":{\"error\":{\"status\":529,"
	"\"message\":\"overloaded\"}}}],\"default\":{\"text\":\"from the second\"}}";

TEST(another_model_is_tried_before_the_wait_becomes_long)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_with_chain(dir, pair, 0, STR("second"));

	submit(s);
	sim_run(s, 60000);
	CHECK(has(s, "turn.completed") && has(s, "routing.fallback.applied"));
	CHECK_STR(str_from(models[asked_count - 1]), "second");
	CHECK(asked[asked_count - 1] - asked[0] < 10000);
	close_sim(s, dir);
}

TEST(without_a_chain_the_turn_waits_for_its_own_model)
{
	char dir[] = "/tmp/thole-retry-XXXXXX";
	struct sim *s = open_sim(dir, pair, 60000);

	submit(s);
	sim_run(s, 600000);
	CHECK(has(s, "turn.failed") && !has(s, "routing.fallback.applied"));
	for (size_t i = 0; i < asked_count; i++)
		CHECK_STR(str_from(models[i]), "first");
	CHECK(asked[asked_count - 1] - asked[0] >= 30000);
	close_sim(s, dir);
}

TEST_MAIN()

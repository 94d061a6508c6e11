/*
 * Long threads: the model is sent the whole conversation as long as it fits the
 * window, a rollback can reach every turn, and omitted turns are omitted by
 * tokens, in large steps, and recorded.
 */
#include "base/json.h"
#include "base/util.h"
#include "lib/sim.h"
#include "lib/t.h"

static struct buf sent, before; /* all texts of the last request, and of the one before */
static size_t sent_messages, requests, tokens_max;
static char sent_turn[128];

static void on_model(void *owner, const struct model_request *req)
{
	size_t bytes = 0;

	(void)owner;
	if (req->is_summary)
		return;
	buf_clear(&before);
	buf_add_str(&before, buf_str(&sent));
	buf_clear(&sent);
	for (size_t i = 0; i < req->message_count; i++) {
		buf_printf(&sent, "<%d %.*s>\n", (int)req->messages[i].role,
		           STR_ARG(req->messages[i].text));
		bytes += req->messages[i].text.len;
	}
	sent_messages = req->message_count;
	requests++;
	tokens_max = MAX(tokens_max, bytes / 4);
	snprintf(sent_turn, sizeof sent_turn, "%.*s", STR_ARG(req->turn_id));
}

static const struct sim_watch watch = { .model = on_model };

/* Costs grow with the square of the turns; with THOLE_DEEP there are several times as many. */
static int turns(int everyday)
{
	return getenv("THOLE_DEEP") ? 3 * everyday : everyday;
}

static struct sim *open_sim(char dir[], const char *text, int64_t compact_percent)
{
	CHECK(mkdtemp(dir));
	requests = tokens_max = 0;
	return sim_new(&(struct sim_options){ .dir = dir,
	                                      .seed = 3,
	                                      .script = str_from(text),
	                                      .compact_percent = compact_percent,
	                                      .watch = &watch });
}

static void close_sim(struct sim *s, const char *dir)
{
	char command[128];

	sim_free(s);
	buf_done(&sent);
	buf_done(&before);
	sent = before = (struct buf){ 0 };
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	CHECK_INT(system(command), 0);
}

static struct str call(struct sim *s, const char *command, const char *fmt, ...)
{
	char params[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(params, sizeof params, fmt, args);
	va_end(args);
	const struct sim_answer *a = sim_call(s, command, params);

	if (a->code)
		t_fail(__FILE__, __LINE__, "%s %s: %.*s", command, params, STR_ARG(a->body));
	return a->body;
}

static void say(struct sim *s, const char *thread, int n)
{
	call(s, "submit_turn",
	     "{\"sessionId\":\"sess_h\",\"turnId\":\"turn_%s%d\",\"input\":\"word %d.\"%s%s%s}",
	     thread ? thread : "", n, n, thread ? ",\"threadId\":\"" : "", thread ? thread : "",
	     thread ? "\"" : "");
	sim_run(s, 5000);
}

static bool was_sent(int n)
{
	char text[64];

	snprintf(text, sizeof text, "<1 word %d.>", n);
	return str_find(buf_str(&sent), str_from(text)) >= 0;
}

static bool has_text(struct buf *b, const char *text)
{
	return str_find(buf_str(b), str_from(text)) >= 0;
}

static size_t count_of(struct sim *s, const char *text)
{
	const struct sim_log *log = sim_log(s);
	size_t count = 0;

	for (size_t i = 0; i < log->count; i++)
		count += str_find(log->lines[i], str_from(text)) >= 0;
	return count;
}

static const char plain[] = "{\"version\":1,\"rules\":[{\"when\":{\"purpose\":\"summary\"},"
			    "\"reply\":{\"text\":\"the gist\"}}],"
			    "\"default\":{\"text\":\"answer to {{input}}\"}}";

TEST(a_long_thread_is_sent_whole_and_each_request_extends_the_last)
{
	char dir[] = "/tmp/thole-history-XXXXXX";
	struct sim *s = open_sim(dir, plain, 80);
	int count = turns(120);

	for (int i = 1; i <= count; i++) {
		say(s, NULL, i);
		CHECK_INT(requests, i);
		/* The next request begins with what was sent before. */
		CHECK(str_starts(buf_str(&sent), buf_str(&before)));
	}
	for (int i = 1; i <= count; i++)
		CHECK(was_sent(i));
	CHECK_INT(sent_messages, 2 * count - 1);
	CHECK_INT(count_of(s, "\"history.window.loaded\""), 0);
	close_sim(s, dir);
}

TEST(rollback_and_fork_reach_every_turn)
{
	char dir[] = "/tmp/thole-history-XXXXXX";
	struct sim *s = open_sim(dir, plain, 80);
	const struct sim_answer *a;

	for (int i = 1; i <= 200; i++)
		say(s, NULL, i);
	call(s, "fork_thread",
	     "{\"sessionId\":\"sess_h\",\"newThreadId\":\"thr_f\",\"turnId\":\"turn_17\"}");
	say(s, "thr_f", 1000);
	CHECK_INT(sent_messages, 17 * 2 + 1);
	CHECK(was_sent(1) && was_sent(17) && !was_sent(18) && was_sent(1000));
	/* The fork begins earlier, at a turn of its parent. */
	call(s, "rollback_thread",
	     "{\"sessionId\":\"sess_h\",\"threadId\":\"thr_f\",\"toTurnId\":\"turn_9\"}");
	say(s, "thr_f", 1001);
	CHECK_INT(sent_messages, 9 * 2 + 1);
	CHECK(was_sent(9) && !was_sent(10) && !was_sent(1000) && was_sent(1001));
	call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toTurnId\":\"turn_100\"}");
	CHECK(count_of(s, "\"removedCount\":100") > 0);
	say(s, NULL, 2000);
	CHECK_INT(sent_messages, 100 * 2 + 1);
	CHECK(was_sent(1) && was_sent(100) && !was_sent(101) && was_sent(2000));
	/* A removed turn is no target of a rollback; an event before the first turn is. */
	a = sim_call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toTurnId\":\"turn_150\"}");
	CHECK_INT(a->code, ERROR_CODE_TURN_NOT_FOUND);
	a = sim_call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toTurnId\":\"turn_none\"}");
	CHECK_INT(a->code, ERROR_CODE_TURN_NOT_FOUND);
	for (int i = 2001; i <= 2100; i++)
		say(s, NULL, i);
	sim_crash(s);
	s = sim_new(&(struct sim_options){ .dir = dir,
	                                   .seed = 4,
	                                   .script = str_from(plain),
	                                   .compact_percent = 80,
	                                   .start_ms = 1794790900000,
	                                   .watch = &watch });
	call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toTurnId\":\"turn_50\"}");
	say(s, NULL, 3000);
	CHECK_INT(sent_messages, 50 * 2 + 1);
	CHECK(was_sent(50) && !was_sent(51) && !was_sent(2000) && was_sent(3000));
	call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toSequence\":0}");
	say(s, NULL, 3001);
	CHECK_INT(sent_messages, 1);
	close_sim(s, dir);
}

/* A window of 1,500 tokens; no model can write a summary. */
static const char narrow[] = "{\"version\":1,\"windowTokens\":1500,\"maxOutputTokens\":200,"
			     "\"rules\":[{\"when\":{\"purpose\":\"summary\"},"
			     "\"reply\":{\"error\":{\"status\":400}}}],"
			     "\"default\":{\"text\":\"answer to {{input}}\"}}";

TEST(what_does_not_fit_is_cut_in_large_steps_and_that_is_told)
{
	char dir[] = "/tmp/thole-history-XXXXXX";
	struct sim *s = open_sim(dir, narrow, 80);
	size_t kept_prefix = 0, cuts;
	int count = turns(200);

	for (int i = 1; i <= count; i++) {
		say(s, NULL, i);
		CHECK(was_sent(i));
		kept_prefix += str_starts(buf_str(&sent), buf_str(&before));
	}
	cuts = count_of(s, "\"cause\":\"window\"");
	CHECK(cuts >= 2 && cuts <= (size_t)count / 20);
	/* Nearly every request extends the one before it. */
	CHECK(kept_prefix >= (size_t)count - 2 * cuts);
	CHECK(tokens_max <= 1300);
	CHECK(has_text(&sent, "oldest turns of this conversation are left out"));
	CHECK(!was_sent(1) && was_sent(count - 1));
	CHECK(count_of(s, "\"omittedBecause\":\"window\"") > 0);
	CHECK(count_of(s, "tokens do not fit the") > 0);
	CHECK_INT(count_of(s, "\"turn.failed\""), 0);
	close_sim(s, dir);
}

/* The same with a summary that works: nothing is cut. */
static const char summed[] = "{\"version\":1,\"windowTokens\":1500,\"maxOutputTokens\":200,"
			     "\"rules\":[{\"when\":{\"purpose\":\"summary\"},"
			     "\"reply\":{\"text\":\"the gist\"}}],"
			     "\"default\":{\"text\":\"answer to {{input}}\"}}";

TEST(a_long_thread_is_compacted_before_anything_is_cut)
{
	char dir[] = "/tmp/thole-history-XXXXXX";
	struct sim *s = open_sim(dir, summed, 80);
	int count = turns(200);

	for (int i = 1; i <= count; i++)
		say(s, NULL, i);
	CHECK(count_of(s, "\"context.compaction.completed\"") >= 2);
	CHECK_INT(count_of(s, "\"cause\":\"window\""), 0);
	CHECK(has_text(&sent, "the gist") && !was_sent(1) && was_sent(count));
	/* Back before all summaries: the turns themselves are sent. */
	call(s, "rollback_thread", "{\"sessionId\":\"sess_h\",\"toTurnId\":\"turn_20\"}");
	say(s, NULL, 1000);
	CHECK(was_sent(1) && was_sent(20) && !was_sent(21) && !has_text(&sent, "the gist"));
	close_sim(s, dir);
}

/* The provider counts differently from us and refuses; without a threshold it is asked first. */
static const char refusing[] =
	"{\"version\":1,\"windowTokens\":1000,\"enforceWindow\":true,\"maxOutputTokens\":100,"
	"\"rules\":[{\"when\":{\"purpose\":\"summary\"},\"reply\":{\"error\":{\"status\":400}}}],"
	"\"default\":{\"text\":\"answer to {{input}}\"}}";

TEST(a_conversation_that_is_refused_for_its_length_goes_on_with_half_of_it)
{
	char dir[] = "/tmp/thole-history-XXXXXX";
	struct sim *s = open_sim(dir, refusing, 100);
	int count = turns(150);

	for (int i = 1; i <= count; i++)
		say(s, NULL, i);
	CHECK(count_of(s, "\"cause\":\"window\"") >= 1);
	CHECK_INT(count_of(s, "\"turn.failed\""), 0);
	CHECK(was_sent(count) && !was_sent(1));
	close_sim(s, dir);
}

TEST_MAIN()

/*
 * The trajectory writer: order of steps, sums, and what it does when events or
 * texts are missing, and when the reader stops.
 */
#include "base/jw.h"
#include "export/atif/atif.h"
#include "lib/golden.h"
#include "lib/t.h"

/* Everything that was written; the outputs hold their own ref. */
struct taken {
	struct buf text;
	bool has_outputs;
	size_t limit; /* write fails beyond this; 0: never */
	size_t largest;
};

static bool give_output(void *arg, struct str ref, size_t max, struct buf *out)
{
	struct taken *t = arg;

	(void)max;
	if (t->has_outputs)
		buf_add_str(out, ref);
	return t->has_outputs;
}

static bool take_bytes(void *arg, struct str bytes)
{
	struct taken *t = arg;

	t->largest = MAX(t->largest, bytes.len);
	buf_add_str(&t->text, bytes);
	return !t->limit || t->text.len <= t->limit;
}

static struct atif *writer(struct taken *t, const char *thread, const char *turn)
{
	return atif_new(&(struct atif_options){
		.version = STR("1"),
		.thread = thread ? str_from(thread) : STR_NONE,
		.turn = turn ? str_from(turn) : STR_NONE,
		.port = { .arg = t, .read = give_output, .write = take_bytes },
	});
}

/* One event per line; a pass over a thread gets only its events. */
static void feed(struct atif *a, struct str log, struct str thread)
{
	struct arena *mem = arena_new();

	while (log.len) {
		struct str line = str_cut(&log, '\n');
		struct json ev;

		arena_reset(mem);
		if (!line.len || json_read_trusted(mem, line, &ev, NULL) != OK)
			continue;
		if (!str_is(thread) || str_eq(json_str(JSON_GET(ev, "threadId")), thread))
			atif_event(a, ev);
	}
	arena_free(mem);
}

static bool run_writer(struct taken *t, const char *log, const char *thread, const char *turn)
{
	struct atif *a = writer(t, thread, turn);
	struct atif_pass pass;
	bool is_written;

	while (atif_next_pass(a, &pass))
		feed(a, str_from(log), pass.thread);
	is_written = atif_end(a);
	atif_free(a);
	return is_written;
}

static struct json document(struct arena *mem, struct taken *t)
{
	struct error e;
	struct json v;

	CHECK_OK(json_read(mem, buf_str(&t->text), &v, &e), &e);
	return v;
}

/* "source:message" of all steps, with blanks between. */
static struct str steps_of(struct arena *mem, struct json doc)
{
	struct json_iter it = json_iter(JSON_GET(doc, "steps"));
	struct str all = STR(""), key;
	struct json step;

	while (json_next(&it, &key, &step))
		all = arena_printf(mem, "%.*s%s%.*s:%.*s", STR_ARG(all), all.len ? " " : "",
		                   STR_ARG(json_str(JSON_GET(step, "source"))),
		                   STR_ARG(json_str(JSON_GET(step, "message"))));
	return all;
}

#define EV(type, thread, turn, more)                                                               \
	"{\"type\":\"" type "\",\"sessionId\":\"s\",\"threadId\":\"" thread                        \
	"\",\"turnId\":\"" turn "\"," more "}\n"
#define INPUT(turn, text)                                                                          \
	EV("turn.submitted", "t", turn,                                                            \
	   "\"payload\":{\"input\":[{\"type\":\"text\",\"preview\":\"" text "\",\"bytes\":1}]}")
#define STARTED(turn) EV("turn.started", "t", turn, "\"taskId\":\"k\",\"payload\":{}")
#define ASKED(turn, request, more)                                                                 \
	EV("model.requested", "t", turn,                                                           \
	   "\"modelRequestId\":\"" request                                                         \
	   "\",\"payload\":{\"provider\":\"p\",\"model\":\"m\"" more "}")
#define SAID(request, text)                                                                        \
	EV("model.delta", "t", "u1",                                                               \
	   "\"modelRequestId\":\"" request "\",\"payload\":{\"kind\":\"text\",\"text\":\"" text    \
	   "\"}")
#define ENDED(turn)                                                                                \
	EV("turn.completed", "t", turn, "\"taskId\":\"k\",\"payload\":{\"outcome\":\"completed\"}")
#define COST(thread, request, in, usd)                                                             \
	EV("cost.recorded", thread, "u1",                                                          \
	   "\"modelRequestId\":\"" request "\",\"payload\":{\"amountUsd\":" usd                    \
	   ",\"inputTokens\":" in ",\"outputTokens\":1,"                                           \
	   "\"cachedInputTokens\":0}")
#define HEAD EV("thread.started", "t", "", "\"payload\":{}")

TEST(a_queued_turn_is_a_step_when_it_begins_and_a_steer_where_it_was_sent)
{
	static const char log[] = HEAD INPUT("u1", "a") STARTED("u1") ASKED("u1", "r1", "")
		INPUT("u2", "q") INPUT("u3", "x") SAID("r1", "one")
			ASKED("u1", "r2", ",\"mergedTurnIds\":[\"u3\"]") SAID("r2", "two")
				ENDED("u1") STARTED("u2") ASKED("u2", "r3", "") ENDED("u2");
	struct arena *mem = arena_new();
	struct taken t = { 0 };

	CHECK(run_writer(&t, log, NULL, NULL));
	CHECK_STR(steps_of(mem, document(mem, &t)),
	          "user:a agent:one user:x agent:two user:q agent:");
	buf_done(&t.text);
	arena_free(mem);
}

TEST(an_attempt_that_failed_leaves_its_text_and_stays_in_the_step)
{
	static const char log[] = HEAD INPUT("u1", "a") STARTED("u1") ASKED("u1", "r1", "")
		SAID("r1", "half") COST("t", "r1", "5", "0.5")
			EV("model.failed", "t", "u1",
	                   "\"modelRequestId\":\"r1\",\"payload\":{\"category\":\"overloaded\"}")
				ASKED("u1", "r2", "") SAID("r2", "whole")
					COST("t", "r2", "7", "0.25");
	struct arena *mem = arena_new();
	struct taken t = { 0 };
	struct json doc, step;

	CHECK(run_writer(&t, log, NULL, NULL));
	doc = document(mem, &t);
	step = json_at(JSON_GET(doc, "steps"), 1);
	CHECK_STR(steps_of(mem, doc), "user:a agent:whole");
	CHECK(json_int(JSON_GET(step, "llm_call_count"), 0) == 2);
	CHECK(json_int(JSON_GET(JSON_GET(step, "metrics"), "prompt_tokens"), 0) == 12);
	CHECK(json_nano(JSON_GET(JSON_GET(doc, "final_metrics"), "total_cost_usd"), 0) ==
	      750000000);
	CHECK_STR(json_str(JSON_GET(JSON_GET(JSON_GET(doc, "extra"), "outcome"), "status")),
	          "unknown");
	buf_done(&t.text);
	arena_free(mem);
}

TEST(a_compaction_waits_until_the_calls_of_the_open_step_have_ended)
{
	static const char log[] = HEAD INPUT("u1", "a") EV(
		"turn.started", "t", "u1", "\"taskId\":\"k1\",\"payload\":{}") ASKED("u1", "r1", "")
		SAID("r1", "one") EV("tool.started", "t", "u1",
	                             "\"toolCallId\":\"c1\",\"payload\":{\"toolName\":\"x\"}")
			EV("context.compaction.completed", "t", "u9",
	                   "\"payload\":{\"summaryPreview\":\"S\"}") EV("turn.completed", "t", "u9",
	                                                                "\"payload\":{\"outcome\":"
	                                                                "\"completed\"}")
				EV("tool.result", "t", "u1",
	                           "\"toolCallId\":\"c1\",\"payload\":{\"displayPreview\":\"R\"}")
					ASKED("u1", "r2", "") SAID("r2", "two");
	struct arena *mem = arena_new();
	struct taken t = { 0 };
	struct json doc, results;

	CHECK(run_writer(&t, log, NULL, NULL));
	doc = document(mem, &t);
	CHECK_STR(steps_of(mem, doc),
	          "user:a agent:one system:Replaced earlier turns by a summary. "
	          "user:S agent:two");
	results = JSON_GET(JSON_GET(json_at(JSON_GET(doc, "steps"), 1), "observation"), "results");
	CHECK_STR(json_str(JSON_GET(json_at(results, 0), "content")), "R");
	CHECK_STR(json_str(JSON_GET(JSON_GET(JSON_GET(doc, "extra"), "outcome"), "status")),
	          "unknown");
	buf_done(&t.text);
	arena_free(mem);
}

TEST(what_is_missing_is_a_known_gap)
{
	static const char log[] = "{\"gap\":{\"from\":1,\"to\":2}}\n" HEAD EV(
		"turn.submitted", "t", "u1",
		"\"payload\":{\"inputRef\":\"o\",\"input\":[{\"type\":\"text\",\"preview\":\"be\","
		"\"bytes\":9}]}") STARTED("u1") ENDED("u1");
	struct arena *mem = arena_new();
	struct taken t = { 0 };
	struct json gaps;

	CHECK(run_writer(&t, log, NULL, NULL));
	CHECK_STR(steps_of(mem, document(mem, &t)), "user:be");
	gaps = JSON_GET(JSON_GET(JSON_GET(document(mem, &t), "extra"), "outcome"), "knownGaps");
	CHECK_STR(json_text(mem, gaps), "[\"events_missing\",\"outputs_missing\"]");
	buf_done(&t.text);
	arena_free(mem);
}

TEST(a_subagent_is_paid_by_its_parents_and_read_in_a_pass_of_its_own)
{
	static const char log[] = HEAD INPUT("u1", "a") STARTED("u1") ASKED("u1", "r1", "") EV(
		"subagent.spawned", "t", "u1",
		"\"subagentId\":\"c\",\"payload\":{\"parentThreadId\":\"t\",\"childThreadId\":"
		"\"k\",\"role\":\"x\"}") COST("k", "r9", "3", "0.125") COST("t", "r1", "4", "0.5")
		EV("model.requested", "k", "v1",
	           "\"modelRequestId\":\"r9\",\"payload\":{\"provider\":\"p\",\"model\":\"n\"}");
	struct arena *mem = arena_new();
	struct taken t = { 0 };
	struct json doc, child, ref;

	CHECK(run_writer(&t, log, NULL, NULL));
	doc = document(mem, &t);
	child = json_at(JSON_GET(doc, "subagent_trajectories"), 0);
	CHECK_STR(json_str(JSON_GET(child, "trajectory_id")), "c");
	CHECK_STR(json_str(JSON_GET(JSON_GET(child, "agent"), "model_name")), "p/n");
	ref = json_at(
		JSON_GET(JSON_GET(json_at(JSON_GET(doc, "steps"), 1), "observation"), "results"),
		0);
	CHECK_STR(json_text(mem, JSON_GET(ref, "subagent_trajectory_ref")),
	          "[{\"trajectory_id\":\"c\",\"session_id\":\"s\"}]");
	CHECK(json_int(JSON_GET(JSON_GET(doc, "final_metrics"), "total_prompt_tokens"), 0) == 7);
	CHECK(json_int(JSON_GET(JSON_GET(child, "final_metrics"), "total_prompt_tokens"), 0) == 3);
	buf_done(&t.text);
	arena_free(mem);
}

TEST(a_thread_or_turn_that_does_not_exist_is_no_success)
{
	static const char log[] = HEAD INPUT("u1", "a") STARTED("u1") ENDED("u1");
	struct taken t = { 0 };

	CHECK(!run_writer(&t, log, "other", NULL));
	CHECK(!run_writer(&t, log, "t", "other"));
	CHECK(!run_writer(&t, "", NULL, NULL));
	CHECK(run_writer(&t, log, "t", "u1"));
	t.limit = 1;
	CHECK(!run_writer(&t, log, "t", "u1"));
	buf_done(&t.text);
}

TEST(bytes_leave_in_pieces)
{
	struct arena *mem = arena_new();
	struct buf log = { 0 };
	struct taken t = { .has_outputs = true };

	buf_add_c(&log, HEAD);
	for (int i = 0; i < 2000; i++)
		buf_add_c(&log, INPUT("u1", "a") STARTED("u1") ASKED("u1", "r1", "")
		                        SAID("r1", "one") ENDED("u1"));
	buf_add_char(&log, 0);
	CHECK(run_writer(&t, log.ptr, NULL, NULL));
	CHECK(json_count(JSON_GET(document(mem, &t), "steps")) == 4000);
	CHECK(t.largest < 100000);
	buf_done(&log);
	buf_done(&t.text);
	arena_free(mem);
}

/* Steps are numbered from 1 in this document and in all that it embeds. */
static size_t check_numbers(struct json doc)
{
	struct json_iter it = json_iter(JSON_GET(doc, "steps"));
	struct json each;
	struct str key;
	int64_t number = 0;
	size_t documents = 1;

	while (json_next(&it, &key, &each))
		CHECK(json_int(JSON_GET(each, "step_id"), 0) == ++number);
	CHECK(number > 0);
	it = json_iter(JSON_GET(doc, "subagent_trajectories"));
	while (json_next(&it, &key, &each)) {
		CHECK(str_is(json_str(JSON_GET(each, "trajectory_id"))));
		documents += check_numbers(each);
	}
	return documents;
}

/* A log of several sessions gives a document too: the first thread decides. */
static void check_golden(const char *name, const struct str *lines, size_t count, void *arg)
{
	struct arena *mem = arena_new();
	struct buf log = { 0 };
	struct taken t = { .has_outputs = true };

	(void)name;
	for (size_t i = 0; i < count; i++) {
		buf_add_str(&log, lines[i]);
		buf_add_char(&log, '\n');
	}
	buf_add_char(&log, 0);
	(void)run_writer(&t, log.ptr, NULL, NULL);
	*(size_t *)arg += check_numbers(document(mem, &t));
	buf_done(&log);
	buf_done(&t.text);
	arena_free(mem);
}

TEST(every_golden_log_has_a_trajectory)
{
	size_t documents = 0;

	CHECK(golden_files(check_golden, &documents) > 500);
	CHECK(documents > 20);
}

TEST_MAIN()

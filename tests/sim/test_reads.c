/*
 * Reads of the log and of outputs that fail, or that come back when their
 * session has left memory: the caller learns what happened, nothing is repeated
 * for ever, and nothing freed is touched.
 */
#include "sim.h"

#include "base/json.h"
#include "engine/engine_state.h"
#include "engine/maintenance/anchor.h"
#include "lib/t.h"

#include <unistd.h>

static const char script[] =
	"{ \"version\": 1, \"rules\": [ { \"when\": { \"text\": \"rows\" }, \"replies\": ["
	"{ \"text\": \"I list.\", \"toolCalls\": [ { \"name\": \"rows\", \"args\": {} } ] },"
	"{ \"text\": \"done\" } ] }, { \"when\": { \"text\": \"slowly\" }, \"reply\":"
	" { \"text\": \"counted\", \"firstDelayMs\": 1000 } } ], \"default\": { \"text\": "
	"\"hello\" },"
	" \"tools\": [ { \"name\": \"rows\", \"result\":"
	" { \"text\": { \"repeat\": \"{\\\"row\\\":{{n}}}\\n\", \"bytes\": 100000 } } } ] }";

struct house {
	char dir[32];
	struct sim *sim;
};

/* ---- ports that fail on request, one read at a time ---- */

#define NOTHING ((enum read_kind)99)

static struct store_ops store_ops;
static const struct store_ops *real_store;
static enum read_kind bad_kind = NOTHING;
static bool bad_rows, is_rebuilt_at_start;
static void (*read_done)(struct store_read *r);
static void (*batch_done)(struct batch *b);
static struct blob_ops blob_ops;
static const struct blob_ops *real_blobs;
static unsigned blob_reads;

static void fail_read(struct store_read *r)
{
	r->result = fail(&r->error, ERR_IO, "the disk does not answer");
	r->error.detail = STORE_LIVES;
	r->done = read_done;
	r->done(r);
}

static void on_read(struct store *s, struct store_read *r)
{
	if (r->kind == bad_kind) {
		read_done = r->done;
		r->done = fail_read;
	}
	real_store->read(s, r);
}

static void fail_batch(struct batch *b)
{
	fail(&b->error, ERR_IO, "the disk does not answer");
	b->first->state = SLICE_FAILED;
	b->done = batch_done;
	b->done(b);
}

/* A slice without events and with rows is one of the rebuild. */
static void on_submit(struct store *s, struct batch *b)
{
	if (bad_rows && !b->first->event_count && b->first->row_count) {
		batch_done = b->done;
		b->done = fail_batch;
	}
	real_store->submit(s, b);
}

static struct store *wrap_store(void *owner, struct store *s)
{
	(void)owner;
	real_store = s->ops;
	store_ops = *s->ops;
	store_ops.read = on_read;
	store_ops.submit = on_submit;
	s->ops = &store_ops;
	if (is_rebuilt_at_start)
		CHECK_INT(s->ops->set_meta(s, STR("rebuild"), STR("1"), NULL), OK);
	return s;
}

/* Pages of a file are large, items are small: only these are lost. */
static void on_blob_read(struct blobs *b, struct blob_read *r)
{
	if (r->max < 1000) {
		r->ref = STR("out_gone");
		CHECK(++blob_reads < 50);
	}
	real_blobs->read(b, r);
}

static void lose_outputs(struct engine *e)
{
	real_blobs = e->ports.blobs->ops;
	blob_ops = *real_blobs;
	blob_ops.read = on_blob_read;
	e->ports.blobs->ops = &blob_ops;
}

static const struct sim_watch watch = { .store = wrap_store };

/* ---- one runtime ---- */

static void house_open(struct house *h)
{
	h->sim = sim_new(&(struct sim_options){ .dir = h->dir,
	                                        .script = str_from(script),
	                                        .version = STR("0.0.1"),
	                                        .seed = 5,
	                                        .watch = &watch });
}

static void house_begin(struct house *h)
{
	*h = (struct house){ .dir = "/tmp/thole-reads-XXXXXX" };
	bad_kind = NOTHING;
	bad_rows = is_rebuilt_at_start = false;
	blob_reads = 0;
	CHECK(mkdtemp(h->dir));
	house_open(h);
}

static void house_end(struct house *h)
{
	char command[64];

	bad_kind = NOTHING;
	sim_free(h->sim);
	snprintf(command, sizeof command, "rm -rf %s", h->dir);
	CHECK_INT(system(command), 0);
}

static void turn(struct house *h, const char *input)
{
	CHECK_INT(sim_call(h->sim, "submit_turn",
	                   arena_printf(sim_mem(h->sim),
	                                "{\"sessionId\":\"sess_r\",\"input\":\"%s\"}", input)
	                           .ptr)
	                  ->code,
	          0);
	sim_run(h->sim, 2000);
}

/* The first event of a class. */
static struct json event_of(struct house *h, const char *type)
{
	struct json doc;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++) {
		CHECK_INT(json_read_trusted(sim_mem(h->sim), sim_log(h->sim)->lines[i], &doc, NULL),
		          OK);
		if (str_eq(json_str(JSON_GET(doc, "type")), str_from(type)))
			return doc;
	}
	t_fail(__FILE__, __LINE__, "there is no %s", type);
	return (struct json){ NULL };
}

static size_t count_of(struct house *h, const char *text)
{
	size_t count = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++)
		count += str_find(sim_log(h->sim)->lines[i], str_from(text)) >= 0;
	return count;
}

/* ---- old turns ---- */

TEST(a_full_page_of_old_turns_says_how_they_ended)
{
	struct house h;
	struct json doc, row;
	const struct sim_answer *a;
	int64_t submitted;

	house_begin(&h);
	turn(&h, "one");
	submitted = json_int(JSON_GET(event_of(&h, "turn.submitted"), "sequence"), 0);
	CHECK(submitted > 0);
	a = sim_call(h.sim, "get_session",
	             arena_printf(sim_mem(h.sim),
	                          "{\"sessionId\":\"sess_r\",\"window\":1,\"cursor\":\"h.%lld.1\"}",
	                          (long long)submitted + 1)
	                     .ptr);
	CHECK_INT(a->code, 0);
	CHECK_INT(json_read_trusted(sim_mem(h.sim), a->body, &doc, NULL), OK);
	row = json_at(JSON_GET(doc, "history"), 0);
	CHECK_SAME(json_str(JSON_GET(row, "status")), STR("completed"));
	CHECK_INT(json_int(JSON_GET(row, "submittedSequence"), 0), submitted);
	house_end(&h);
}

TEST(a_session_may_leave_while_its_old_turns_are_read)
{
	struct house h;
	struct sim_answer *a;

	house_begin(&h);
	turn(&h, "one");
	a = sim_send(h.sim, "get_session", "{\"sessionId\":\"sess_r\",\"cursor\":\"h.9.1\"}", NULL);
	session_abandon(session_find(sim_engine(h.sim), STR("sess_r")), ERROR_CODE_STORE_FAILED);
	sim_settle(h.sim);
	CHECK(a->is_done);
	CHECK_INT(a->code, ERROR_CODE_STORE_FAILED);
	house_end(&h);
}

/* ---- outputs ---- */

TEST(an_output_whose_log_cannot_be_read_is_not_called_missing)
{
	static const enum read_kind kinds[] = { READ_EVENTS, READ_INDEX, READ_BLOB };
	struct house h;
	struct str ref;
	const char *params;

	house_begin(&h);
	turn(&h, "one");
	ref = json_str(JSON_GET(JSON_GET(event_of(&h, "model.requested"), "refs"), "input"));
	CHECK(str_is(ref));
	params = arena_printf(sim_mem(h.sim), "{\"outputRef\":\"%.*s\"}", STR_ARG(ref)).ptr;
	CHECK_INT(sim_call(h.sim, "get_output", params)->code, 0);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		bad_kind = kinds[i];
		CHECK_INT(sim_call(h.sim, "get_output", params)->code,
		          ERROR_CODE_SESSION_UNREADABLE);
	}
	bad_kind = NOTHING;
	CHECK_INT(sim_call(h.sim, "get_output", params)->code, 0);
	house_end(&h);
}

/* ---- jobs ---- */

TEST(an_item_that_cannot_be_read_ends_its_job)
{
	struct house h;
	struct str ref;

	house_begin(&h);
	turn(&h, "rows");
	ref = json_str(JSON_GET(event_of(&h, "tool.result"), "outputRef"));
	CHECK(str_is(ref));
	CHECK_INT(sim_call(h.sim, "create_job",
	                   arena_printf(sim_mem(h.sim),
	                                "{\"sessionId\":\"sess_r\",\"instruction\":\"slowly\","
	                                "\"inputRef\":\"%.*s\"}",
	                                STR_ARG(ref))
	                           .ptr)
	                  ->code,
	          0);
	sim_settle(h.sim);
	lose_outputs(sim_engine(h.sim));
	sim_run(h.sim, 10000);
	CHECK_INT(count_of(&h, "\"job.failed\""), 1);
	CHECK_INT(blob_reads, 1);
	house_end(&h);
}

TEST(a_page_of_no_rows_is_refused)
{
	static const char *const lists[] = { "list_jobs",      "list_schedules", "list_subagents",
		                             "list_processes", "list_job_items", "list_tasks",
		                             "list_actions",   "list_sessions" };
	static const char *const limits[] = { "0", "-1" };
	struct house h;

	house_begin(&h);
	turn(&h, "one");
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t n = 0; n < COUNT_OF(limits); n++) {
			const char *params =
				arena_printf(
					sim_mem(h.sim), "{%s\"limit\":%s}",
					!strcmp(lists[i], "list_sessions") ? ""
					: !strcmp(lists[i], "list_job_items")
						? "\"sessionId\":\"sess_r\",\"jobId\":\"job_a\","
						: "\"sessionId\":\"sess_r\",",
					limits[n])
					.ptr;
			const struct sim_answer *a = sim_call(h.sim, lists[i], params);

			if (a->code != ERROR_CODE_INVALID_VALUE)
				t_fail(__FILE__, __LINE__, "%s %s: %.*s", lists[i], params,
				       STR_ARG(a->body));
		}
	house_end(&h);
}

/* ---- channels ---- */

TEST(an_acknowledgement_is_checked_although_its_session_is_not_in_memory)
{
	struct house h;
	const char *far = "{\"channelId\":\"chan_a\",\"sessionId\":\"sess_r\",\"sequence\":2000}";
	const char *near = "{\"channelId\":\"chan_a\",\"sessionId\":\"sess_r\",\"sequence\":3}";

	house_begin(&h);
	turn(&h, "one");
	CHECK_INT(sim_call(h.sim, "reconnect_channel",
	                   "{\"channelId\":\"chan_a\",\"sessionId\":\"sess_r\"}")
	                  ->code,
	          0);
	session_abandon(session_find(sim_engine(h.sim), STR("sess_r")), ERROR_CODE_STORE_FAILED);
	CHECK(!session_find(sim_engine(h.sim), STR("sess_r")));
	CHECK_INT(sim_call(h.sim, "ack_events", far)->code, ERROR_CODE_INVALID_VALUE);
	CHECK_INT(sim_call(h.sim, "ack_events", near)->code, 0);
	house_end(&h);
}

/* ---- rows and anchors ---- */

static bool needs_rebuild(struct house *h)
{
	struct store_stats st;

	sim_store(h->sim)->ops->stats(sim_store(h->sim), &st);
	return st.needs_rebuild;
}

TEST(rows_that_could_not_be_made_again_are_made_by_the_next_start)
{
	struct house h;

	house_begin(&h);
	turn(&h, "one");
	sim_free(h.sim);
	is_rebuilt_at_start = true;
	bad_kind = READ_SESSIONS;
	house_open(&h);
	CHECK(needs_rebuild(&h));
	bad_kind = NOTHING;
	sim_free(h.sim);
	bad_rows = true;
	house_open(&h);
	CHECK(needs_rebuild(&h));
	bad_rows = false;
	sim_free(h.sim);
	house_open(&h);
	CHECK(!needs_rebuild(&h));
	house_end(&h);
}

TEST(heads_of_an_anchor_that_was_not_stored_are_in_the_next_one)
{
	struct house h;
	struct engine *e;

	house_begin(&h);
	e = sim_engine(h.sim);
	turn(&h, "one");
	anchor_now(e);
	sim_run(h.sim, 2000);
	CHECK_INT(count_of(&h, "\"rootHash\""), 1);
	turn(&h, "two");
	/* In memory, so that the anchor is applied at once. */
	CHECK_INT(sim_call(h.sim, "get_session", "{\"sessionId\":\"sess_system\"}")->code, 0);
	anchor_now(e);
	session_abandon(session_find(e, STR("sess_system")), ERROR_CODE_STORE_FAILED);
	sim_run(h.sim, 2000);
	CHECK_INT(count_of(&h, "\"rootHash\""), 1);
	anchor_now(e);
	sim_run(h.sim, 2000);
	CHECK_INT(count_of(&h, "\"rootHash\""), 2);
	/* Nothing is anchored twice. */
	anchor_now(e);
	sim_run(h.sim, 2000);
	CHECK_INT(count_of(&h, "\"rootHash\""), 2);
	house_end(&h);
}

TEST(a_failed_read_does_not_make_an_anchor_bad)
{
	struct house h;

	house_begin(&h);
	turn(&h, "one");
	anchor_now(sim_engine(h.sim));
	sim_run(h.sim, 2000);
	bad_kind = READ_BLOB;
	CHECK_INT(sim_call(h.sim, "verify_log", "{\"sessionId\":\"sess_system\"}")->code,
	          ERROR_CODE_SESSION_UNREADABLE);
	bad_kind = NOTHING;
	CHECK_HAS(sim_call(h.sim, "verify_log", "{\"sessionId\":\"sess_system\"}")->body,
	          "\"whole\"");
	CHECK_INT(anchor_read_bad(sim_engine(h.sim)), 0);
	house_end(&h);
}

TEST_MAIN()

/*
 * The journal in the store, and replay by deciding from it: a log is decided
 * again from its own records, and what was changed since is named.
 */
#include "sim.h"
#include "sim_replay.h"

#include "core/journal/journal_feed.h"
#include "lib/t.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", \"result\": "
	"{ "
	"\"text\": \"done with care, \\\"quoted\\\" and\\nbroken into lines\" } },"
	" { \"name\": \"look\", \"policy\": \"allowed\", \"result\": { \"text\": \"what was seen\" "
	"} } ],"
	"  \"rules\": [ { \"when\": { \"afterTool\": \"careful\" }, \"reply\": { \"text\": \"it "
	"was "
	"allowed\" } }, { \"when\": { \"afterTool\": \"look\" }, \"reply\": { \"text\": \"seen\" } "
	"},"
	"    { \"when\": { \"text\": \"careful\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ "
	"{ "
	"\"name\": \"careful\", \"args\": {} } ] } },"
	"    { \"when\": { \"text\": \"look\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ { "
	"\"name\": \"look\", \"args\": { \"at\": \"a place with a name that is long enough\" } } ] "
	"} } ],"
	"  \"default\": { \"text\": \"hello there, and a few words more than that\" } }";

struct place {
	char dir[64], path[80];
	struct sim *sim;
};

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void wake_up(struct place *p, bool is_unrecorded)
{
	p->sim = sim_new(&(struct sim_options){ .dir = p->dir,
	                                        .script = str_from(script),
	                                        .seed = 5,
	                                        .idle_evict_ms = 1000,
	                                        .is_unrecorded = is_unrecorded });
}

static void place_begin(struct place *p)
{
	snprintf(p->dir, sizeof p->dir, "%s/thole-journal-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(p->dir));
	snprintf(p->path, sizeof p->path, "%s/log.db", p->dir);
	wake_up(p, false);
}

static void place_end(struct place *p)
{
	if (p->sim)
		sim_free(p->sim);
	nftw(p->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void turn(struct place *p, const char *text)
{
	char params[128];

	snprintf(params, sizeof params, "{\"sessionId\":\"s\",\"input\":\"%s\"}", text);
	CHECK_INT(sim_call(p->sim, "submit_turn", params)->code, 0);
	sim_run(p->sim, 500);
}

static int64_t sql(const struct place *p, const char *text)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int64_t value;

	CHECK_INT(sqlite3_open(p->path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	value = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

/* ---- reading the log back ---- */

static bool is_read;

static void read_done(struct store_read *r)
{
	is_read = true;
}

static void read_now(struct place *p, struct store_read *r)
{
	struct store *store = sim_store(p->sim);

	is_read = false;
	r->done = read_done;
	store->ops->read(store, r);
	while (!is_read)
		sim_turn(p->sim);
}

/* What a test changes before it decides again. */
struct again {
	struct place *place;
	bool is_dearer;            /* the price of every model */
	enum permission_mode mode; /* 0: unchanged */
	uint64_t edited;           /* an event whose text is changed; 0: none */
	int64_t flips;             /* a byte of that record; -1: none */
	uint64_t counts[REPLAY_VERDICTS];
	uint64_t seq; /* of the first difference */
	char words[300];
};

static struct settings *settings_of(void *owner, struct arena *mem, const struct journal_refs *refs,
                                    const struct state *w)
{
	const struct again *a = owner;
	struct settings *s = ARENA_NEW(mem, struct settings);

	*s = *sim_settings(a->place->sim);
	s->config_ref = refs->config_ref;
	s->inventory_ref = refs->inventory_ref;
	s->rules_ref = refs->rules_ref;
	if (a->mode)
		s->mode = a->mode;
	if (a->is_dearer) {
		struct model_info *models = ARENA_ARRAY(mem, struct model_info, s->model_count);

		for (size_t i = 0; i < s->model_count; i++) {
			struct model_price *prices =
				ARENA_ARRAY(mem, struct model_price, s->models[i].price_count + 1);

			models[i] = s->models[i];
			for (size_t n = 0; n < models[i].price_count; n++) {
				prices[n] = models[i].prices[n];
				prices[n].output += 1;
			}
			models[i].prices = prices;
		}
		s->models = models;
	}
	return s;
}

static struct str blob_of(void *owner, struct arena *mem, struct str ref)
{
	const struct again *a = owner;
	struct store_read r = { .kind = READ_BLOB, .key = ref };
	struct str data;

	read_now(a->place, &r);
	data = r.result == OK ? arena_keep(mem, r.blob.data) : STR_NONE;
	port_store_read_done(&r);
	return data;
}

static void told(void *owner, const struct replay_group *g, const struct replay_result *r)
{
	struct again *a = owner;

	a->counts[r->verdict]++;
	if (r->verdict == REPLAY_SAME || a->seq)
		return;
	a->seq = r->seq;
	snprintf(a->words, sizeof a->words, "%.*s", STR_ARG(r->words));
}

static struct str edited(struct arena *mem, struct str body)
{
	struct str copy = arena_keep(mem, body);
	char *at = memmem(copy.ptr, copy.len, "hello", 5);

	CHECK(at);
	*at = 'j';
	return copy;
}

/* A record of the first kind that is found after the event before `seq`; NULL: none begins there. */
static const struct journal_row *row_at(const struct store_read *r, uint64_t seq)
{
	for (size_t i = 0; i < r->journal_count; i++)
		if (r->journal[i].seq == seq)
			return &r->journal[i];
	return NULL;
}

static void feed(struct again *a, struct journal_feed *f, const struct event_row *row,
                 const struct journal_row *record)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct journal_feed_record given = { 0 };
	struct str body = bytes_str(row->body);

	if (record) {
		given = (struct journal_feed_record){ record->key, record->body };
		if (a->flips >= 0 && given.body.len) {
			struct str copy = arena_keep(mem, given.body);

			((char *)copy.ptr)[(size_t)a->flips % copy.len] ^=
				(char)(1 << a->flips % 7);
			given.body = copy;
		}
	}
	if (a->edited && row->seq == a->edited)
		body = edited(mem, body);
	CHECK(journal_feed_event(f, row->seq, body, row->is_erased, record ? &given : NULL));
}

static void decide_again(struct again *a)
{
	struct journal_replay replay;
	struct journal_feed f = { .replay = &replay, .told = told, .owner = a };
	struct store_read events = { .more = true };

	journal_replay_init(&replay, state_new(), settings_of, blob_of, a);
	while (events.more) {
		uint64_t after = events.scanned;
		struct store_read journal;

		events = (struct store_read){ .kind = READ_EVENTS,
			                      .session = STR("s"),
			                      .after = after };
		read_now(a->place, &events);
		CHECK_INT(events.result, OK);
		for (size_t i = 0; i < events.event_count; i++) {
			uint64_t seq = events.events[i].seq;

			journal = (struct store_read){ .kind = READ_JOURNAL,
				                       .session = STR("s"),
				                       .after = seq - 1,
				                       .until = seq };
			read_now(a->place, &journal);
			CHECK_INT(journal.result, OK);
			feed(a, &f, &events.events[i], row_at(&journal, seq));
			port_store_read_done(&journal);
		}
		port_store_read_done(&events);
	}
	CHECK(journal_feed_end(&f));
	journal_replay_done(&replay);
}

static struct again unchanged(struct place *p)
{
	return (struct again){ .place = p, .flips = -1 };
}

/* A session with answers, a tool that runs and one that a person allows. */
static void work(struct place *p)
{
	char params[200];
	const struct sim_answer *a;
	struct json v;

	turn(p, "hello");
	turn(p, "look");
	turn(p, "careful");
	a = sim_call(p->sim, "list_actions", "{\"sessionId\":\"s\",\"status\":\"pending\"}");
	CHECK_INT(a->code, 0);
	CHECK_OK(json_read_trusted(sim_mem(p->sim), a->body, &v, NULL), NULL);
	v = json_at(JSON_GET(v, "actions"), 0);
	snprintf(params, sizeof params,
	         "{\"sessionId\":\"s\",\"actionId\":\"%.*s\",\"decision\":\"allow\"}",
	         STR_ARG(json_str(JSON_GET(v, "actionId"))));
	CHECK_INT(sim_call(p->sim, "respond_action", params)->code, 0);
	sim_run(p->sim, 500);
	turn(p, "hello again");
}

/* ---- tests ---- */

TEST(every_decision_of_a_log_is_made_again_from_the_store)
{
	struct place p;
	unsigned long before = sim_replay_count();

	place_begin(&p);
	work(&p);

	struct again a = unchanged(&p);

	decide_again(&a);
	CHECK_INT(a.counts[REPLAY_SAME], sql(&p, "SELECT count(journal) FROM event e JOIN session "
	                                         "USING(session_no) WHERE id = 's'"));
	CHECK(a.counts[REPLAY_SAME] > 10 && !a.seq);
	CHECK(sim_replay_count() > before + 10);
	place_end(&p);
}

TEST(a_journal_takes_little_room_beside_its_events)
{
	struct place p;

	place_begin(&p);
	for (int i = 0; i < 20; i++)
		turn(&p, i % 2 ? "look" : "hello");
	CHECK(sql(&p, "SELECT 100 * sum(length(journal)) / sum(length(body)) FROM event") < 8);
	sim_run(p.sim, 600000); /* it is evicted and packed */
	CHECK(sql(&p, "SELECT count(*) FROM pack") > 0);
	CHECK(sql(&p, "SELECT 100 * sum(length(journal)) / sum(length(head) + length(body)) FROM "
	              "pack") < 10);
	place_end(&p);
}

TEST(packed_records_are_decided_again)
{
	struct place p;

	place_begin(&p);
	work(&p);
	sim_run(p.sim, 600000);
	CHECK(sql(&p, "SELECT count(journal) FROM pack") > 0);

	struct again a = unchanged(&p);

	decide_again(&a);
	CHECK(a.counts[REPLAY_SAME] > 10 && !a.seq);
	turn(&p, "hello"); /* rows behind the pack */
	a = unchanged(&p);
	decide_again(&a);
	CHECK(a.counts[REPLAY_SAME] > 12 && !a.seq);
	place_end(&p);
}

TEST(another_price_is_named)
{
	struct place p;

	place_begin(&p);
	work(&p);

	struct again a = unchanged(&p);

	a.is_dearer = true;
	decide_again(&a);
	CHECK(a.counts[REPLAY_DIFFERS] > 0);
	CHECK_HAS(str_from(a.words), "at ");
	place_end(&p);
}

TEST(another_mode_is_named_with_both_decisions)
{
	struct place p;

	place_begin(&p);
	work(&p);

	struct again a = unchanged(&p);

	a.mode = PERMISSION_MODE_BYPASS;
	decide_again(&a);
	CHECK(a.counts[REPLAY_DIFFERS] > 0);
	place_end(&p);
}

/* The text of the answer is part of the record's input by reference, so the end of it disagrees. */
TEST(an_edited_event_is_named)
{
	struct place p;
	char words[32];
	int64_t seq;

	place_begin(&p);
	work(&p);
	seq = sql(
		&p,
		"SELECT seq FROM event JOIN session USING(session_no) WHERE id = 's' AND "
		"CAST(body AS TEXT) LIKE '%turn.submitted%' AND CAST(body AS TEXT) LIKE '%hello%'");
	CHECK(seq > 0);

	struct again a = unchanged(&p);

	a.edited = (uint64_t)seq;
	decide_again(&a);
	CHECK(a.seq);
	snprintf(words, sizeof words, "at %llu", (unsigned long long)a.seq);
	CHECK(strstr(a.words, words));
	place_end(&p);
}

TEST(a_damaged_record_is_never_read_past_its_end)
{
	struct place p;

	place_begin(&p);
	turn(&p, "look");
	for (int64_t at = 0; at < 120; at++) {
		struct again a = unchanged(&p);

		a.flips = at;
		decide_again(&a);
		CHECK(a.seq || a.counts[REPLAY_SAME]);
	}
	place_end(&p);
}

TEST(a_flipped_bit_on_disk_costs_its_record_alone)
{
	struct place p;

	place_begin(&p);
	work(&p);
	sql(&p, "UPDATE event SET journal = CAST(substr(journal, 1, 9) || x'ff' || "
	        "substr(journal, 11) AS BLOB) WHERE seq = 1");

	struct again a = unchanged(&p);

	decide_again(&a);
	CHECK_INT(a.seq, 1);
	/* The key was in that record: what follows is unknown until the next one. */
	CHECK_INT(a.counts[REPLAY_DAMAGED], 1);
	CHECK(a.counts[REPLAY_NOT_RECORDED] > 0 && !a.counts[REPLAY_DIFFERS]);
	place_end(&p);
}

TEST(an_erased_event_takes_its_record_along)
{
	struct place p;
	char params[128];
	int64_t seq;

	place_begin(&p);
	work(&p);
	seq = sql(&p, "SELECT max(seq) FROM event JOIN session USING(session_no) WHERE id = 's' "
	              "AND CAST(body AS TEXT) LIKE '%turn.submitted%'");
	snprintf(params, sizeof params,
	         "{\"sessionId\":\"s\",\"eventSequence\":%lld,\"reason\":\"asked\"}",
	         (long long)seq);
	CHECK_INT(sim_call(p.sim, "erase_event", params)->code, 0);
	sim_run(p.sim, 500);

	struct again a = unchanged(&p);

	decide_again(&a);
	/* And what was decided later on the text that is gone now. */
	CHECK(a.counts[REPLAY_ERASED] >= 1 && a.counts[REPLAY_SAME] > 10);
	CHECK_INT(a.counts[REPLAY_DIFFERS], 0);
	place_end(&p);
}

TEST(without_a_journal_a_log_says_not_recorded)
{
	struct place p;

	place_begin(&p);
	sim_free(p.sim);
	wake_up(&p, true);
	work(&p);
	CHECK_INT(sql(&p, "SELECT count(journal) FROM event"), 0);

	struct again a = unchanged(&p);

	decide_again(&a);
	CHECK_INT(a.counts[REPLAY_SAME], 0);
	CHECK(a.counts[REPLAY_NOT_RECORDED] > 0);
	CHECK_STR(journal_replay_word(REPLAY_NOT_RECORDED), "not_recorded");
	place_end(&p);
}

TEST_MAIN()

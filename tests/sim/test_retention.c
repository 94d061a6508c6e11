/* Operations on a log: trimming, erasing, rebuilding; and automatic repairs. */
#include "disk.h"
#include "sim.h"

#include "base/json.h"
#include "base/jw.h"
#include "lib/t.h"

#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a runtime in a directory that can be looked into ---- */

struct place {
	char dir[64];
	struct sim *sim;
	int64_t retain_events, idle_evict_ms;
};

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void wake_up(struct place *p)
{
	p->sim = sim_new(&(struct sim_options){ .dir = p->dir,
	                                        .seed = 3,
	                                        .snapshot_events = 10,
	                                        .retain_events = p->retain_events,
	                                        .idle_evict_ms = p->idle_evict_ms });
}

static void put_down(struct place *p)
{
	if (p->sim)
		sim_free(p->sim);
	p->sim = NULL;
}

static void place_begin(struct place *p)
{
	snprintf(p->dir, sizeof p->dir, "%s/thole-keep-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(p->dir));
	wake_up(p);
}

static void place_end(struct place *p)
{
	put_down(p);
	nftw(p->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void edit(struct place *p, const char *sql)
{
	char path[128];
	sqlite3 *db;

	snprintf(path, sizeof path, "%s/log.db", p->dir);
	CHECK(sqlite3_open(path, &db) == SQLITE_OK);
	CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_close(db);
}

/* All that a query gives, as one text; the caller frees. */
static char *dump(struct place *p, const char *sql)
{
	struct buf out = { 0 };
	char path[128];
	sqlite3 *db;
	sqlite3_stmt *st;
	size_t len;

	snprintf(path, sizeof path, "%s/log.db", p->dir);
	CHECK(sqlite3_open(path, &db) == SQLITE_OK);
	CHECK(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *text = (const char *)sqlite3_column_text(st, i);

			buf_printf(&out, "%s|", text ? text : "-");
		}
		buf_add_char(&out, '\n');
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	return buf_take(&out, &len);
}

/* ---- what is asked ---- */

static void turn(struct place *p, const char *input)
{
	const struct sim_answer *a = sim_call(
		p->sim, "submit_turn",
		arena_printf(sim_mem(p->sim), "{\"sessionId\":\"s-1\",\"input\":\"%s\"}", input)
			.ptr);

	CHECK_INT(a->code, 0);
	sim_run(p->sim, 5000);
}

static void turns(struct place *p, int count)
{
	for (int i = 0; i < count; i++)
		turn(p, "hello there");
}

static const struct sim_answer *ask(struct place *p, const char *command, const char *params)
{
	const struct sim_answer *a = sim_call(p->sim, command, params);

	CHECK(a->is_done);
	return a;
}

static struct str verified(struct place *p)
{
	return sim_str(p->sim, ask(p, "verify_log", "{\"sessionId\":\"s-1\"}"), "status");
}

static int64_t number(struct place *p, const struct sim_answer *a, const char *key)
{
	struct json doc;

	CHECK(json_read_trusted(sim_mem(p->sim), a->body, &doc, NULL) == OK);
	return json_int(json_get(doc, str_from(key)), -1);
}

/* The session as clients see it, without what a restart may change. */
static struct str seen(struct place *p)
{
	return arena_keep(sim_mem(p->sim), ask(p, "get_session", "{\"sessionId\":\"s-1\"}")->body);
}

static bool has_event(struct place *p, const char *type, const char *word)
{
	const struct sim_answer *a = ask(
		p, "list_events",
		arena_printf(sim_mem(p->sim), "{\"sessionId\":\"s-1\",\"types\":[\"%s\"]}", type)
			.ptr);

	return str_find(a->body, str_from(word)) >= 0;
}

/* ---- removing the beginning ---- */

TEST(the_beginning_is_removed_after_an_event_that_says_so)
{
	struct place p = { 0 };
	const struct sim_answer *a;

	place_begin(&p);
	turns(&p, 4);
	a = ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":60}");
	CHECK_INT(a->code, 0);
	CHECK_INT(number(&p, a, "removedThrough"), 60);
	CHECK(has_event(&p, "snapshot.updated", "\"removedThrough\":60"));
	CHECK_SAME(verified(&p), STR("whole"));
	a = ask(&p, "list_events", "{\"sessionId\":\"s-1\",\"after\":10,\"limit\":1}");
	CHECK(str_find(a->body, STR("\"sequence\":61")) >= 0);
	CHECK(str_find(a->body, STR("\"gap\":{\"from\":11,\"to\":60,\"recoveryMode\":"
	                            "\"retention\",\"reason\":\"retention\"}")) >= 0);
	a = ask(&p, "list_events", "{\"sessionId\":\"s-1\",\"after\":60,\"limit\":1}");
	CHECK(str_find(a->body, STR("\"gap\"")) < 0);
	a = ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":30}"); /* done already */
	CHECK_INT(a->code, 0);
	CHECK_INT(number(&p, a, "removedThrough"), 60);
	turn(&p, "and on it goes");
	CHECK_SAME(verified(&p), STR("whole"));
	place_end(&p);
}

TEST(a_trimmed_session_is_the_same_after_a_restart_with_or_without_its_snapshot)
{
	struct place p = { 0 };
	struct arena *mem = arena_new();
	struct str before;

	place_begin(&p);
	turns(&p, 4);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"keep\":20}")->code, 0);
	before = arena_keep(mem, seen(&p));
	put_down(&p);
	wake_up(&p);
	CHECK_SAME(seen(&p), before);
	put_down(&p);
	edit(&p, "DELETE FROM snapshot");
	wake_up(&p);
	CHECK_SAME(seen(&p), before);
	turn(&p, "more");
	CHECK_SAME(verified(&p), STR("whole"));
	place_end(&p);
	arena_free(mem);
}

TEST(what_is_needed_is_not_removed)
{
	struct place p = { 0 };
	const struct sim_answer *a;

	place_begin(&p);
	turns(&p, 1);
	a = ask(&p, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"approve it\"}");
	CHECK_INT(a->code, 0);
	sim_run(p.sim, 3000); /* it waits for a decision now */
	a = ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"keep\":3}");
	CHECK_INT(a->code, ERROR_CODE_THREAD_BUSY);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":10}")->code, 0);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":100000}")->code,
	          ERROR_CODE_INVALID_VALUE);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\"}")->code, ERROR_CODE_INVALID_VALUE);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-9\",\"keep\":3}")->code,
	          ERROR_CODE_SESSION_NOT_FOUND);
	place_end(&p);
}

static int gaps;
static uint64_t gap_to;

static bool take_event(void *owner, const struct control_event *ev)
{
	*(uint64_t *)owner = ev->seq;
	return true;
}

static void take_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)mode;
	gaps += str_find(snapshot, STR("\"sessionId\":\"s-1\"")) >= 0;
	gap_to = to;
}

static void take_end(void *owner, enum stream_end why)
{
	(void)owner;
	(void)why;
}

TEST(a_reader_below_the_floor_is_told_of_the_gap_once)
{
	static const struct control_sink sink = { .event = take_event,
		                                  .gap = take_gap,
		                                  .end = take_end };
	struct place p = { 0 };
	struct control *c;
	uint64_t last = 0;

	place_begin(&p);
	turns(&p, 3);
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":40}")->code, 0);
	gaps = 0;
	c = engine_control(sim_engine(p.sim));
	c->ops->subscribe(c, &(struct control_stream){
				     .session = STR("s-1"), .sink = &sink, .owner = &last });
	sim_settle(p.sim);
	CHECK_INT(gaps, 1);
	CHECK_INT(gap_to, 40);
	CHECK(last > 40);
	place_end(&p);
}

TEST(a_rule_trims_sessions_that_sleep)
{
	struct place p = { .retain_events = 40, .idle_evict_ms = 2000 };

	place_begin(&p);
	turns(&p, 6);
	sim_run(p.sim, 10000);
	CHECK(has_event(&p, "snapshot.updated", "\"kind\":\"retention\""));
	CHECK_SAME(verified(&p), STR("whole"));
	CHECK(number(&p, ask(&p, "verify_log", "{\"sessionId\":\"s-1\"}"), "events") <= 51);
	turn(&p, "still there");
	place_end(&p);
}

/* ---- cut while it is trimmed ---- */

static struct sim *on_disk(struct disk *d)
{
	struct error e = { 0 };
	struct sim *s = NULL;

	CHECK_OK(sim_open(
			 &(struct sim_options){
				 .dir = "d", .vfs = "keepdisk", .disk = d, .seed = 5 },
			 &s, &e),
	         &e);
	return s;
}

/* How many events of this class with this word in them the session has. */
static int events_with(struct sim *s, const char *type, const char *word)
{
	struct str rest = sim_call(s, "list_events",
	                           arena_printf(sim_mem(s),
	                                        "{\"sessionId\":\"s-1\",\"types\":[\"%s\"]}", type)
	                                   .ptr)
	                          ->body;
	ptrdiff_t at;
	int count = 0;

	while ((at = str_find(rest, str_from(word))) >= 0) {
		rest = str_skip(rest, (size_t)at + 1);
		count++;
	}
	return count;
}

static size_t pending_ops_left(struct sim *s)
{
	struct pending_op *pending_ops;
	struct error e;
	size_t count = 99;

	CHECK_OK(sim_store(s)->ops->pending_ops(sim_store(s), sim_mem(s), &pending_ops, &count, &e),
	         &e);
	return count;
}

/* Cuts the power at the n-th sync after a command; true: no sync was left to cut. */
static bool cut_during(struct disk *d, uint64_t at, enum disk_fault fault, const char *command,
                       const char *params)
{
	struct sim *s = on_disk(d);
	bool is_through;

	for (int i = 0; i < 3; i++) {
		sim_call(s, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"hello Xanthippe\"}");
		sim_run(s, 3000);
	}
	disk_plan(d, &(struct disk_plan){
			     .fault = fault, .on = DISK_SYNC, .at = at, .keep = DISK_KEEP_SOME });
	sim_send(s, command, params, NULL);
	sim_settle(s);
	is_through = !disk_has_struck(d);
	disk_plan(d, &(struct disk_plan){ 0 });
	if (!sim_is_dead(s))
		disk_cut(d, DISK_KEEP_NONE);
	sim_crash(s);
	return is_through;
}

/* The recorded operation completes, however often it is interrupted. */
static void check_removed(struct sim *s)
{
	struct str events = sim_call(s, "list_events", "{\"sessionId\":\"s-1\",\"limit\":1}")->body;
	bool is_said = events_with(s, "snapshot.updated", "\"removedThrough\":50") > 0;

	CHECK(is_said == (str_find(events, STR("\"to\":50,")) >= 0));
	CHECK_SAME(sim_str(s, sim_call(s, "verify_log", "{\"sessionId\":\"s-1\"}"), "status"),
	           STR("whole"));
}

static void check_erased(struct sim *s)
{
	struct str first = sim_call(s, "list_events", "{\"sessionId\":\"s-1\",\"limit\":1}")->body;
	bool is_said = events_with(s, "snapshot.repaired", "erased: ") > 0;

	CHECK(is_said == (str_find(first, STR("[erased]")) >= 0));
	CHECK_INT(events_with(s, "snapshot.repaired", "rebuilt"), is_said);
	CHECK_SAME(sim_str(s, sim_call(s, "verify_log", "{\"sessionId\":\"s-1\"}"), "status"),
	           is_said ? STR("erased") : STR("whole"));
}

static void cut_everywhere(const char *command, const char *params, void (*check)(struct sim *))
{
	static const enum disk_fault faults[] = { DISK_CUT, DISK_CUT_AFTER };

	for (size_t n = 0; n < COUNT_OF(faults); n++)
		for (uint64_t at = 1, is_through = 0; !is_through; at++) {
			struct disk *d = disk_new("keepdisk", at);
			struct sim *s;

			is_through = cut_during(d, at, faults[n], command, params);
			s = on_disk(d);
			sim_settle(s);
			CHECK_INT(pending_ops_left(s), 0);
			check(s);
			/* The erased event named the directory: the session needs another. */
			CHECK_INT(sim_call(s, "update_session",
			                   "{\"sessionId\":\"s-1\",\"cwd\":\"/ws\"}")
			                  ->code,
			          0);
			CHECK_INT(sim_call(s, "submit_turn",
			                   "{\"sessionId\":\"s-1\",\"input\":\"on\"}")
			                  ->code,
			          0);
			sim_free(s);
			disk_free(d);
			CHECK(at < 50);
		}
}

TEST(a_cut_at_any_moment_of_a_removal_leaves_a_whole_log_and_it_goes_on)
{
	cut_everywhere("trim_log", "{\"sessionId\":\"s-1\",\"through\":50}", check_removed);
}

TEST(a_cut_at_any_moment_of_an_erasure_leaves_a_whole_log_and_it_goes_on)
{
	cut_everywhere("erase_event",
	               "{\"sessionId\":\"s-1\",\"eventSequence\":1,\"reason\":\"asked for\"}",
	               check_erased);
}

/* ---- erasing ---- */

static bool file_has(struct place *p, const char *name, const char *word)
{
	char path[128];
	struct buf all = { 0 };
	char part[65536];
	size_t n;
	bool found;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", p->dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(&all, part, n);
	fclose(f);
	found = str_find(buf_str(&all), str_from(word)) >= 0;
	buf_done(&all);
	return found;
}

/* Erases every event that holds the word, and says how many that were. */
static int erase_all(struct place *p, const char *word)
{
	const struct sim_answer *a = ask(p, "list_events", "{\"sessionId\":\"s-1\",\"limit\":256}");
	struct json doc, ev;
	struct json_iter it;
	struct str key;
	int count = 0;

	CHECK(json_read_trusted(sim_mem(p->sim), a->body, &doc, NULL) == OK);
	it = json_iter(JSON_GET(doc, "events"));
	while (json_next(&it, &key, &ev)) {
		struct buf text = { 0 };
		struct json_writer w;

		jw_init(&w, &text);
		jw_value(&w, ev);
		if (str_find(buf_str(&text), str_from(word)) >= 0) {
			a = ask(p, "erase_event",
			        arena_printf(sim_mem(p->sim),
			                     "{\"sessionId\":\"s-1\",\"eventSequence\":%lld,"
			                     "\"reason\":\"asked for\"}",
			                     (long long)json_int(JSON_GET(ev, "sequence"), 0))
			                .ptr);
			CHECK_INT(a->code, 0);
			CHECK_SAME(sim_str(p->sim, a, "status"), STR("erased"));
			count++;
		}
		buf_done(&text);
	}
	return count;
}

TEST(erased_words_are_nowhere_and_the_chain_still_holds)
{
	struct place p = { 0 };
	int count;

	place_begin(&p);
	turn(&p, "my name is Xanthippe");
	turn(&p, "hello");
	CHECK(file_has(&p, "log.db-wal", "Xanthippe"));
	count = erase_all(&p, "Xanthippe");
	CHECK(count > 0);
	CHECK_SAME(verified(&p), STR("erased"));
	CHECK_INT(number(&p, ask(&p, "verify_log", "{\"sessionId\":\"s-1\"}"), "erased"), count);
	CHECK(!has_event(&p, "turn.submitted", "Xanthippe"));
	CHECK(has_event(&p, "snapshot.repaired", "erased: asked for"));
	CHECK(str_find(seen(&p), STR("Xanthippe")) < 0);
	/* session.created was erased with its title, and named the directory. */
	CHECK_INT(ask(&p, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"x\"}")->code,
	          ERROR_CODE_DIRECTORY_UNUSABLE);
	CHECK_INT(ask(&p, "update_session", "{\"sessionId\":\"s-1\",\"cwd\":\"/ws\"}")->code, 0);
	turn(&p, "continue");
	put_down(&p);
	CHECK(!file_has(&p, "log.db", "Xanthippe"));
	wake_up(&p);
	CHECK_SAME(verified(&p), STR("erased"));
	CHECK_INT(ask(&p, "erase_event",
	              "{\"sessionId\":\"s-1\",\"eventSequence\":9999,\"reason\":\"x\"}")
	                  ->code,
	          ERROR_CODE_NOT_FOUND);
	place_end(&p);
}

/* The state that replaces a removed beginning must not hold what is erased later. */
TEST(words_above_the_cut_of_an_earlier_trim_are_erased_too)
{
	struct place p = { 0 };

	place_begin(&p);
	turns(&p, 2);
	turn(&p, "my name is Xanthippe");
	turn(&p, "hello");
	CHECK_INT(ask(&p, "trim_log", "{\"sessionId\":\"s-1\",\"through\":20}")->code, 0);
	CHECK(erase_all(&p, "Xanthippe") > 0);
	CHECK(str_find(seen(&p), STR("Xanthippe")) < 0);
	CHECK_SAME(verified(&p), STR("erased"));
	put_down(&p);
	CHECK(!file_has(&p, "log.db", "Xanthippe"));
	/* Without its snapshot the session is loaded from that state and the events above it. */
	edit(&p, "DELETE FROM snapshot");
	wake_up(&p);
	CHECK(str_find(seen(&p), STR("Xanthippe")) < 0);
	turn(&p, "continue");
	CHECK_SAME(verified(&p), STR("erased"));
	place_end(&p);
}

/* A command with a key, so many turns of the wheel after a trim with another one: both are known again. */
TEST(a_trim_takes_nobodys_key_away)
{
	struct place p = { 0 };

	place_begin(&p);
	turns(&p, 2);
	for (int apart = 0; apart < 6; apart++) {
		struct arena *mem = sim_mem(p.sim);
		const char *trim = arena_printf(mem, "trim-%d", apart).ptr;
		const char *make = arena_printf(mem, "make-%d", apart).ptr;
		static const char task[] = "{\"sessionId\":\"s-1\",\"objective\":\"dig\"}";
		static const char keep[] = "{\"sessionId\":\"s-1\",\"keep\":5}";
		struct sim_answer *a, *b, *again;

		a = sim_send(p.sim, "trim_log", keep, trim);
		for (int i = 0; i < apart; i++)
			sim_turn(p.sim);
		b = sim_send(p.sim, "create_task", task, make);
		sim_settle(p.sim);
		CHECK_INT(a->code, 0);
		CHECK_INT(b->code, 0);
		again = sim_send(p.sim, "create_task", task, make);
		sim_settle(p.sim);
		CHECK(again->is_replay);
		CHECK_SAME(again->body, b->body);
		again = sim_send(p.sim, "trim_log", keep, trim);
		sim_settle(p.sim);
		CHECK(again->is_replay);
	}
	place_end(&p);
}

/* ---- what follows from the log ---- */

#define ROWS                                                                                       \
	"SELECT 't', key, status, parent, at, open, body FROM idx_task UNION ALL "                 \
	"SELECT 'i', key, status, parent, at, open, body FROM idx_id UNION ALL "                   \
	"SELECT 'a', key, status, parent, at, open, body FROM idx_action UNION ALL "               \
	"SELECT 'o', key, status, parent, at, open, body FROM idx_output ORDER BY 1, 2"

TEST(damaged_rows_are_rebuilt)
{
	struct place p = { 0 };
	char *before, *after;

	place_begin(&p);
	turns(&p, 2);
	turn(&p, "big");
	put_down(&p);
	before = dump(&p, ROWS);
	edit(&p, "UPDATE idx_task SET status = 'running', body = '{}';"
	         "DELETE FROM idx_id WHERE rowid % 2;"
	         "DELETE FROM idx_output;"
	         "INSERT INTO idx_action(key, session_no, at, open) VALUES('act_never', 1, 1, 1)");
	wake_up(&p);
	CHECK_INT(ask(&p, "rebuild_session", "{\"sessionId\":\"s-1\"}")->code, 0);
	CHECK(has_event(&p, "snapshot.repaired", "rebuilt from the log"));
	put_down(&p);
	after = dump(&p, ROWS);
	CHECK_SAME(str_from(after), str_from(before));
	free(before);
	free(after);
	place_end(&p);
}

TEST(missing_rows_and_dropped_tables_are_made_again_at_the_start)
{
	static const char *const damage[] = {
		"DELETE FROM idx_session",
		"DELETE FROM idx_id",
		"DROP TABLE idx_session",
		"DROP TABLE idx_task",
		"DROP TABLE idx_timer",
		"DROP TABLE snapshot",
		"DROP TABLE idx_output",
		"DROP INDEX idx_task_by_at",
		"DROP TABLE idx_action; DROP TABLE idx_item; DROP TABLE idx_thread",
	};

	for (size_t i = 0; i < COUNT_OF(damage); i++) {
		struct place p = { 0 };
		char *before, *after;

		place_begin(&p);
		turns(&p, 2);
		put_down(&p);
		before = dump(&p, ROWS);
		edit(&p, damage[i]);
		wake_up(&p);
		CHECK(str_find(ask(&p, "list_sessions", "{}")->body, STR("\"s-1\"")) >= 0);
		CHECK_SAME(verified(&p), STR("whole"));
		put_down(&p);
		after = dump(&p, ROWS);
		CHECK_SAME(str_from(after), str_from(before));
		free(before);
		free(after);
		place_end(&p);
	}
}

TEST(a_damaged_snapshot_or_row_is_repaired_when_the_session_is_loaded)
{
	static const char *const damage[] = {
		"UPDATE snapshot SET body = CAST('{\"sessionId\":' AS BLOB)",
		"UPDATE idx_session SET status = 'running', body = '{}'",
	};
	static const char *const said[] = { "the stored snapshot could not be read",
		                            "the row of the session" };

	for (size_t i = 0; i < COUNT_OF(damage); i++) {
		struct place p = { 0 };

		place_begin(&p);
		turns(&p, 2);
		put_down(&p);
		edit(&p, damage[i]);
		wake_up(&p);
		CHECK(str_find(seen(&p), STR("\"sessionId\":\"s-1\"")) >= 0);
		CHECK(has_event(&p, "snapshot.repaired", said[i]));
		CHECK(str_find(ask(&p, "list_sessions", "{}")->body, STR("\"s-1\"")) >= 0);
		CHECK_SAME(verified(&p), STR("whole"));
		put_down(&p);
		wake_up(&p); /* once is enough */
		seen(&p);
		CHECK_INT(number(&p,
		                 ask(&p, "list_events",
		                     "{\"sessionId\":\"s-1\",\"types\":[\"snapshot.repaired\"],"
		                     "\"limit\":1}"),
		                 "more"),
		          -1);
		place_end(&p);
	}
}

TEST_MAIN()

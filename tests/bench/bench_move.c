/*
 * thole move: a log of 300,000 events of 1.1 KB in 1,000 sessions, interleaved, to PostgreSQL
 * and back, whole: copied, compared, completed.
 *
 * The floor copies the rows of the same log to PostgreSQL by a plain loop of libpq, 64 events
 * in a row of bytes, and compares nothing.  THOLE_TEST_POSTGRES is the address.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "bench_fixture.h"
#include "store/postgres/wire/pg_conn.h"
#include "store/sqlite/sqlite.h"
#include "thole/thole.h"

#include <semaphore.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSIONS 1000
#define ROUNDS_OF_SLICES 20
#define EVENTS 15 /* of a slice */
#define EVENT_BYTES 1100
#define ALL ((double)SESSIONS * ROUNDS_OF_SLICES * EVENTS)
#define TARGET 50000.0

static const char *url;
static char body_text[EVENT_BYTES];
static sem_t woken;
static size_t answered;

static void wake(void *arg)
{
	sem_post(arg);
}

/* ---- the log ---- */

struct one_session {
	char id[24];
	uint64_t seq;
	struct sha256 hash;
};

static void on_batch(struct batch *b)
{
	if (b->first->state != SLICE_COMMITTED)
		die("a slice was refused: %s", b->error.message);
	for (size_t i = 0; i < EVENTS; i++)
		bytes_unref(b->first->events[i].body);
	answered++;
}

/* A body is never the same twice, as in a log. */
static void fill(struct slice *sl, struct store_event *events, struct one_session *s)
{
	*sl = (struct slice){ .session = str_from(s->id),
		              .prev_seq = s->seq,
		              .prev_hash = s->hash,
		              .events = events,
		              .event_count = EVENTS };
	for (size_t i = 0; i < EVENTS; i++) {
		struct bytes *body;

		snprintf(body_text, sizeof body_text, "%s %llu", s->id, (unsigned long long)s->seq);
		body = bytes_new(str_of(body_text, EVENT_BYTES));
		s->hash = sha256_link(&s->hash, bytes_str(body));
		events[i] = (struct store_event){
			.seq = ++s->seq, .type = (uint32_t)i, .hash = s->hash, .body = body
		};
	}
}

struct one_batch {
	struct batch batch;
	struct slice slice;
	struct index_row rows[2];
	struct store_event events[EVENTS];
};

/* As a runtime has them, so that the log does not look as if its rows were lost. */
static void add_rows(struct one_batch *b, size_t round)
{
	struct str id = b->slice.session;

	b->rows[0] = (struct index_row){ .table = INDEX_SESSION, .key = id, .at = (int64_t)round };
	b->rows[1] = (struct index_row){ .table = INDEX_ID, .key = id };
	b->slice.rows = b->rows;
	b->slice.row_count = COUNT_OF(b->rows);
}

static void make_log(const char *dir)
{
	struct store_sqlite_options o = { .dir = dir,
		                          .threads = true,
		                          .durability = DURABILITY_RELAXED,
		                          .wake = wake,
		                          .wake_arg = &woken };
	struct one_session *sessions = calloc(SESSIONS, sizeof *sessions);
	struct one_batch *batches = calloc(SESSIONS, sizeof *batches);
	struct store *store;
	struct error e;

	if (sqlite_open(&o, &store, &e) != OK ||
	    store->ops->set_meta(store, STR("runtime_id"), STR("rt_bench"), &e) != OK)
		die("%s", e.message);
	for (size_t i = 0; i < SESSIONS; i++)
		snprintf(sessions[i].id, sizeof sessions[i].id, "sess_%zu", i);
	for (size_t n = 0; n < ROUNDS_OF_SLICES; n++) {
		answered = 0;
		for (size_t i = 0; i < SESSIONS; i++) {
			fill(&batches[i].slice, batches[i].events, &sessions[i]);
			add_rows(&batches[i], n);
			batches[i].batch =
				(struct batch){ .first = &batches[i].slice, .done = on_batch };
			store->ops->submit(store, &batches[i].batch);
		}
		while (answered < SESSIONS) {
			(void)!sem_wait(&woken);
			store->ops->poll(store);
		}
	}
	store->ops->close(store);
	free(batches);
	free(sessions);
}

/* ---- the move ---- */

static double move(const char *from, const char *to)
{
	struct thole_move m = {
		.from = from, .to = to, .from_schema = "bench_move", .to_schema = "bench_move"
	};
	struct thole_moved moved;
	struct thole_error e;
	int64_t began = now_ns();

	if (thole_move(&m, &moved, &e) != THOLE_OK)
		die("%s", e.message);
	if ((double)moved.events != ALL)
		die("%llu events were moved", moved.events);
	return ALL * 1e9 / (double)(now_ns() - began);
}

/* ---- the floor ---- */

static const struct pg_sql put = { "bare_put", "INSERT INTO bare_moved SELECT * FROM"
	                                       " unnest($1::bigint[], $2::bytea[], $3::bytea[])" };

#define ROWS_AT_ONCE 56 /* of 64 events: as large as a page of a move */

/* False: it was the last one, which may have fewer events. */
static bool next_row(sqlite3_stmt *st, struct buf *const columns[3], uint64_t *count)
{
	CLEANUP(buf_done) struct buf hashes = { 0 };
	CLEANUP(buf_done) struct buf bodies = { 0 };
	size_t events = 0;

	while (events < 64 && sqlite3_step(st) == SQLITE_ROW) {
		buf_add(&hashes, sqlite3_column_blob(st, 1), SHA256_BYTES);
		buf_add(&bodies, sqlite3_column_blob(st, 2), (size_t)sqlite3_column_bytes(st, 2));
		events++;
	}
	*count += events;
	pg_args_put_i64(columns[0], (int64_t)*count);
	pg_args_put_str(columns[1], buf_str(&hashes));
	pg_args_put_str(columns[2], buf_str(&bodies));
	return events == 64;
}

static double run_floor(const char *dir)
{
	struct pg_conn_options o = { .url = url, .schema = "public" };
	struct pg_conn c = { 0 };
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	uint64_t count = 0;
	bool more = true;
	struct error e;
	int64_t began;

	if (pg_conn_open(&c, pg_lib_load(&e), &o, &e) != OK ||
	    pg_conn_run(
		    &c,
		    "CREATE TABLE bare_moved(last bigint PRIMARY KEY, hashes bytea, body bytea);"
		    "ALTER TABLE bare_moved ALTER hashes SET STORAGE EXTERNAL,"
		    " ALTER body SET STORAGE EXTERNAL;",
		    &e) != OK)
		die("%s", e.message);
	if (sqlite3_open_v2(text("%s/log.db", dir), &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "SELECT position, hash, body FROM event ORDER BY position", -1,
	                       &st, NULL) != SQLITE_OK)
		die("%s", sqlite3_errmsg(db));
	began = now_ns();
	while (more) {
		struct pg_args args = { 0 };
		struct buf *columns[3] = { pg_args_array(&args, PG_INT8),
			                   pg_args_array(&args, PG_BYTEA),
			                   pg_args_array(&args, PG_BYTEA) };

		for (size_t i = 0; more && i < ROWS_AT_ONCE; i++)
			more = next_row(st, columns, &count);
		if (pg_conn_tell(&c, &put, &args, &e) != OK)
			die("%s", e.message);
	}
	began = now_ns() - began;
	sqlite3_finalize(st);
	sqlite3_close(db);
	pg_conn_close(&c);
	return (double)count * 1e9 / (double)began;
}

/* ---- rows ---- */

static void put_row(const char *name, double rate, double floor)
{
	ROW(.name = name, .measured = text("%.0f events/s", rate),
	    .floor = floor > 0 ? text("%.0f events/s", floor) : NULL,
	    .ratio = floor > 0 ? rate / floor : 0, .target = text(">= %.0f", TARGET),
	    .reached = rate >= TARGET ? REACHED_YES : REACHED_NO,
	    .note = "copied, then both logs read and compared; the floor only copies");
}

int main(int argc, char **argv)
{
	const char *dir, *back;
	double floor, there;

	bench_fixture_begin(argc, argv);
	url = getenv("THOLE_TEST_POSTGRES");
	if (!url)
		die("run it by tests/bench/run");
	memset(body_text, 'x', sizeof body_text);
	sem_init(&woken, 0, 0);
	dir = bench_fixture_path("data");
	back = bench_fixture_path("back");
	make_log(dir);
	floor = run_floor(dir);
	there = move(dir, url);
	put_row("move, directory to database", there, floor);
	put_row("move, database to directory", move(url, back), 0);
	return 0;
}

#include "bare.h"

#include "base/arena.h"
#include "base/memory.h"
#include "bench_fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define EVENTS_MAX 150000
#define SNAPSHOT_EVENTS 1000
#define CHECKPOINT_PAGES (64 << 20 >> 12)

static const char settings[] =
	"PRAGMA wal_autocheckpoint=0;PRAGMA mmap_size=0;PRAGMA foreign_keys=OFF;"
	"PRAGMA cache_size=-512;PRAGMA temp_store=MEMORY;PRAGMA synchronous=FULL;"
	"PRAGMA page_size=4096;PRAGMA auto_vacuum=INCREMENTAL;PRAGMA journal_mode=WAL;"
	"PRAGMA secure_delete=FAST;PRAGMA journal_size_limit=67108864";

struct event {
	int64_t session_no, seq, type;
	unsigned char hash[32];
	char *body;
	int len;
};

struct row_of_session {
	char key[64], status[32], parent[64], *body;
};

struct tape {
	struct event *events;
	size_t count;
	struct row_of_session *rows; /* by session_no */
	int64_t sessions;
	char *snapshot;
	int snapshot_len;
};

static sqlite3 *open_db(const char *path)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) != SQLITE_OK)
		die("%s: %s", path, sqlite3_errmsg(db));
	return db;
}

static void exec(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK)
		die("%s: %s", sql, sqlite3_errmsg(db));
	return st;
}

static void run(sqlite3_stmt *st)
{
	if (sqlite3_step(st) != SQLITE_DONE)
		die("%s: %s", sqlite3_sql(st), sqlite3_errmsg(sqlite3_db_handle(st)));
	sqlite3_reset(st);
}

static char *copy(const void *bytes, int len)
{
	char *out = memory_alloc((size_t)len + 1);

	memcpy(out, bytes ? bytes : "", (size_t)len);
	out[len] = '\0';
	return out;
}

static void copy_text(char *out, size_t size, sqlite3_stmt *st, int column)
{
	const void *value = sqlite3_column_text(st, column);

	snprintf(out, size, "%s", value ? (const char *)value : "");
}

/* ---- what the daemon wrote ---- */

static void read_events(sqlite3 *db, struct tape *t)
{
	sqlite3_stmt *st = prepare(db, "SELECT session_no, seq, type, hash, body FROM event"
	                               " ORDER BY position LIMIT ?");

	t->events = memory_zeroed(EVENTS_MAX, sizeof *t->events);
	sqlite3_bind_int(st, 1, EVENTS_MAX);
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct event *e = &t->events[t->count++];

		e->session_no = sqlite3_column_int64(st, 0);
		e->seq = sqlite3_column_int64(st, 1);
		e->type = sqlite3_column_int64(st, 2);
		memcpy(e->hash, sqlite3_column_blob(st, 3), sizeof e->hash);
		e->len = sqlite3_column_bytes(st, 4);
		e->body = copy(sqlite3_column_blob(st, 4), e->len);
	}
	sqlite3_finalize(st);
}

static void read_rows(sqlite3 *db, struct tape *t)
{
	sqlite3_stmt *st =
		prepare(db, "SELECT session_no, key, status, parent, body FROM idx_session"
	                    " ORDER BY session_no");
	size_t cap = 100000;

	t->rows = memory_zeroed(cap, sizeof *t->rows);
	while (sqlite3_step(st) == SQLITE_ROW) {
		struct row_of_session *r;

		t->sessions = sqlite3_column_int64(st, 0);
		if (t->sessions >= (int64_t)cap)
			die("too many sessions");
		r = &t->rows[t->sessions];
		copy_text(r->key, sizeof r->key, st, 1);
		copy_text(r->status, sizeof r->status, st, 2);
		copy_text(r->parent, sizeof r->parent, st, 3);
		r->body = copy(sqlite3_column_text(st, 4), sqlite3_column_bytes(st, 4));
	}
	sqlite3_finalize(st);
	st = prepare(db, "SELECT body FROM snapshot LIMIT 1");
	if (sqlite3_step(st) == SQLITE_ROW) {
		t->snapshot_len = sqlite3_column_bytes(st, 0);
		t->snapshot = copy(sqlite3_column_blob(st, 0), t->snapshot_len);
	}
	sqlite3_finalize(st);
}

static void tape_free(struct tape *t)
{
	for (size_t i = 0; i < t->count; i++)
		memory_free(t->events[i].body);
	for (int64_t i = 0; i <= t->sessions; i++)
		memory_free(t->rows[i].body);
	memory_free(t->events);
	memory_free(t->rows);
	memory_free(t->snapshot);
}

/* ---- the same once more ---- */

struct bare {
	sqlite3 *db;
	sqlite3_stmt *begin, *commit, *event, *head, *row, *timer, *snapshot;
	int64_t clock;
};

static void make_tables(struct bare *b, sqlite3 *like, const struct tape *t)
{
	sqlite3_stmt *st = prepare(like, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");

	exec(b->db, settings);
	while (sqlite3_step(st) == SQLITE_ROW)
		exec(b->db, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	st = prepare(
		b->db,
		"INSERT INTO session(session_no, id, last_seq, last_hash, floor_seq, floor_hash) "
		"VALUES(?, ?, 0, zeroblob(32), 0, zeroblob(32))");
	exec(b->db, "BEGIN");
	for (int64_t i = 1; i <= t->sessions; i++) {
		sqlite3_bind_int64(st, 1, i);
		sqlite3_bind_text(st, 2, t->rows[i].key, -1, SQLITE_STATIC);
		run(st);
	}
	exec(b->db, "COMMIT");
	sqlite3_finalize(st);
}

static void prepare_all(struct bare *b)
{
	b->begin = prepare(b->db, "BEGIN IMMEDIATE");
	b->commit = prepare(b->db, "COMMIT");
	b->event = prepare(b->db, "INSERT INTO event(position, session_no, seq, type, hash, body)"
	                          " VALUES(?, ?, ?, ?, ?, ?)");
	b->head = prepare(b->db, "UPDATE session SET last_seq = ?2, last_hash = ?3"
	                         " WHERE session_no = ?1");
	b->row = prepare(b->db, "INSERT INTO idx_session(key, session_no, status, parent, at, open,"
	                        " body) VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO UPDATE SET"
	                        " session_no = excluded.session_no, status = excluded.status,"
	                        " parent = excluded.parent, at = excluded.at, open = excluded.open,"
	                        " body = excluded.body");
	b->timer = prepare(b->db, "DELETE FROM idx_timer WHERE key = ?");
	b->snapshot =
		prepare(b->db, "INSERT OR REPLACE INTO snapshot(session_no, seq, hash, version,"
	                       " body) VALUES(?, ?, ?, '1', ?)");
}

static void put_event(struct bare *b, const struct event *e, size_t position)
{
	sqlite3_bind_int64(b->event, 1, (int64_t)position);
	sqlite3_bind_int64(b->event, 2, e->session_no);
	sqlite3_bind_int64(b->event, 3, e->seq);
	sqlite3_bind_int64(b->event, 4, e->type);
	sqlite3_bind_blob(b->event, 5, e->hash, sizeof e->hash, SQLITE_STATIC);
	sqlite3_bind_blob(b->event, 6, e->body, e->len, SQLITE_STATIC);
	run(b->event);
}

/* The rows that are written once per slice; e is its last event. */
static void end_slice(struct bare *b, const struct tape *t, const struct event *e)
{
	const struct row_of_session *r = &t->rows[e->session_no];

	sqlite3_bind_int64(b->head, 1, e->session_no);
	sqlite3_bind_int64(b->head, 2, e->seq);
	sqlite3_bind_blob(b->head, 3, e->hash, sizeof e->hash, SQLITE_STATIC);
	run(b->head);
	sqlite3_bind_text(b->row, 1, r->key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(b->row, 2, e->session_no);
	sqlite3_bind_text(b->row, 3, r->status, -1, SQLITE_STATIC);
	sqlite3_bind_text(b->row, 4, r->parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(b->row, 5, b->clock);
	sqlite3_bind_int(b->row, 6, 0);
	sqlite3_bind_text(b->row, 7, r->body, -1, SQLITE_STATIC);
	run(b->row);
	sqlite3_bind_text(b->timer, 1, r->key, -1, SQLITE_STATIC);
	run(b->timer);
	if (e->seq % SNAPSHOT_EVENTS < 4 && t->snapshot) {
		sqlite3_bind_int64(b->snapshot, 1, e->session_no);
		sqlite3_bind_int64(b->snapshot, 2, e->seq);
		sqlite3_bind_blob(b->snapshot, 3, e->hash, sizeof e->hash, SQLITE_STATIC);
		sqlite3_bind_blob(b->snapshot, 4, t->snapshot, t->snapshot_len, SQLITE_STATIC);
		run(b->snapshot);
	}
}

static int wal_pages;

static int on_wal(void *arg, sqlite3 *db, const char *name, int pages)
{
	wal_pages = pages;
	return SQLITE_OK;
}

static void replay(struct bare *b, const struct tape *t, size_t batch)
{
	int settled = 0;

	sqlite3_wal_hook(b->db, on_wal, NULL);
	for (size_t i = 0; i < t->count;) {
		size_t until = MIN(i + batch, t->count);

		run(b->begin);
		b->clock++; /* a millisecond or so */
		for (; i < until; i++) {
			put_event(b, &t->events[i], i + 1);
			if (i + 1 == until ||
			    t->events[i + 1].session_no != t->events[i].session_no)
				end_slice(b, t, &t->events[i]);
		}
		run(b->commit);
		if (settled > wal_pages)
			settled = 0;
		if (wal_pages - settled >= CHECKPOINT_PAGES)
			sqlite3_wal_checkpoint_v2(b->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
			                          &settled);
	}
}

double bare_run(const char *log_dir, const char *dir, double events_per_commit)
{
	sqlite3 *log = open_db(text("%s/log.db", log_dir));
	struct tape t = { 0 };
	struct bare b = { 0 };
	sqlite3_stmt *all[7];
	int64_t began, took;

	read_events(log, &t);
	read_rows(log, &t);
	bench_fixture_remove(dir);
	mkdir(dir, 0700);
	b.db = open_db(text("%s/bare.db", dir));
	make_tables(&b, log, &t);
	prepare_all(&b);
	began = now_ns();
	replay(&b, &t, (size_t)MAX(events_per_commit + 0.5, 1));
	took = now_ns() - began;
	memcpy(all, &b.begin, sizeof all);
	for (size_t i = 0; i < COUNT_OF(all); i++)
		sqlite3_finalize(all[i]);
	sqlite3_close(b.db);
	sqlite3_close(log);

	double rate = (double)t.count * 1e9 / (double)took;

	tape_free(&t);
	bench_fixture_remove(dir);
	return rate;
}

#ifndef TESTS_UNIT_TEST_STORE_FIXTURE_H
#define TESTS_UNIT_TEST_STORE_FIXTURE_H
/* A store in its own directory, and sessions that write to it. */
#include "lib/t.h"

#include "base/os/clock.h"
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a store in its own directory ---- */

struct fixture {
	char dir[64];
	struct arena *mem;
	struct store *store;
	sem_t woken;
	bool threads;
	int answered;
};

static inline int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void wake(void *arg)
{
	sem_post(arg);
}

static int64_t fake_ms;
static inline int64_t fake_mono_ms(void)
{
	return fake_ms;
}

static inline struct store_sqlite_options options(struct fixture *g)
{
	return (struct store_sqlite_options){
		.dir = g->dir,
		.threads = g->threads,
		.wake = wake,
		.wake_arg = &g->woken,
		.mono_ms = fake_mono_ms,
	};
}

static inline void fixture_open(struct fixture *g)
{
	struct store_sqlite_options o = options(g);
	struct error e;

	CHECK_OK(sqlite_open(&o, &g->store, &e), &e);
}

static inline void fixture_init(struct fixture *g, bool threads)
{
	*g = (struct fixture){ .threads = threads };
	/* In memory when there is such a place: thousands of fsyncs prove nothing here. */
	snprintf(g->dir, sizeof g->dir, "%s/thole-store-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(g->dir));
	sem_init(&g->woken, 0, 0);
	g->mem = arena_new();
}

static inline void fixture_start(struct fixture *g, bool threads)
{
	fixture_init(g, threads);
	fixture_open(g);
}

static inline void fixture_close(struct fixture *g)
{
	if (g->store)
		g->store->ops->close(g->store);
	g->store = NULL;
}

static inline void fixture_done(struct fixture *g)
{
	fixture_close(g);
	arena_free(g->mem);
	sem_destroy(&g->woken);
	nftw(g->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static inline struct str path_in(struct fixture *g, const char *name)
{
	return arena_printf(g->mem, "%s/%s", g->dir, name);
}

/* Polls until so many answers came, sleeping in between only when threads work. */
static inline void poll_for(struct fixture *g, int answers)
{
	int want = g->answered + answers;

	while (g->answered < want) {
		if (g->threads)
			while (sem_wait(&g->woken) != 0)
				;
		g->store->ops->poll(g->store);
	}
}

/* ---- sessions that write ---- */

struct writer {
	struct str id;
	uint64_t seq;
	struct sha256 hash;
};

static inline void count_batch(struct batch *b)
{
	((struct fixture *)b->owner)->answered++;
}

static inline void count_read(struct store_read *r)
{
	((struct fixture *)r->owner)->answered++;
}

static inline struct str body_of(struct arena *mem, const struct writer *w, uint64_t seq,
                                 size_t size)
{
	struct str head = arena_printf(mem, "{\"s\":\"%.*s\",\"n\":%llu,\"p\":\"", STR_ARG(w->id),
	                               (unsigned long long)seq);
	size_t len = MAX(size, head.len + 2);
	char *text = arena_alloc(mem, len);

	memset(text, 'a' + (int)(seq % 26), len);
	memcpy(text, head.ptr, head.len);
	text[len - 2] = '"';
	text[len - 1] = '}';
	return str_of(text, len);
}

/* A slice that continues at w; w is then after it, whatever becomes of the slice. */
static inline struct slice *slice_of(struct fixture *g, struct writer *w, size_t events,
                                     size_t size)
{
	struct slice *sl = ARENA_NEW(g->mem, struct slice);

	*sl = (struct slice){ .session = w->id, .prev_seq = w->seq, .prev_hash = w->hash };
	sl->events = ARENA_ARRAY(g->mem, struct store_event, events ? events : 1);
	for (size_t i = 0; i < events; i++) {
		struct str body = body_of(g->mem, w, ++w->seq, size);

		w->hash = sha256_link(&w->hash, body);
		sl->events[i] = (struct store_event){
			.seq = w->seq,
			.type = (uint32_t)(w->seq % 7),
			.hash = w->hash,
			.body = bytes_new(body),
		};
	}
	sl->event_count = events;
	return sl;
}

static inline struct batch *batch_of(struct fixture *g, struct slice *first)
{
	struct batch *b = ARENA_NEW(g->mem, struct batch);

	*b = (struct batch){ .first = first, .done = count_batch, .owner = g };
	return b;
}

static inline void batch_done(struct batch *b)
{
	for (struct slice *sl = b->first; sl; sl = sl->next)
		for (size_t i = 0; i < sl->event_count; i++)
			bytes_unref(sl->events[i].body);
}

static inline enum slice_state commit(struct fixture *g, struct slice *sl)
{
	struct batch *b = batch_of(g, sl);

	g->store->ops->submit(g->store, b);
	poll_for(g, 1);
	batch_done(b);
	return sl->state;
}

static inline void ask(struct fixture *g, struct store_read *r)
{
	r->done = count_read;
	r->owner = g;
	g->store->ops->read(g->store, r);
	poll_for(g, 1);
}

static inline struct store_read head_of(struct fixture *g, struct str session)
{
	struct store_read r = { .kind = READ_HEAD, .session = session };

	ask(g, &r);
	return r;
}

/* Reads a session from its start, page by page: gap-free, chained, and ending at its head. */
static inline uint64_t check_session(struct fixture *g, struct str id, uint32_t max_rows)
{
	struct store_read r = { .kind = READ_EVENTS, .session = id, .max_rows = max_rows };
	struct sha256 hash = { 0 };
	bool more = true;

	while (more) {
		ask(g, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++) {
			hash = sha256_link(&hash, bytes_str(r.events[i].body));
			CHECK_INT(r.events[i].seq, r.after + i + 1);
			CHECK(sha256_eq(&hash, &r.events[i].hash));
		}
		more = r.more;
		CHECK(!more || r.event_count);
		if (!more) {
			CHECK_INT(r.head_seq, r.scanned);
			CHECK(sha256_eq(&hash, &r.head_hash));
		}
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	return r.after;
}

static inline struct store_stats stats_of(struct fixture *g)
{
	struct store_stats st;

	g->store->ops->stats(g->store, &st);
	return st;
}

/* One step of maintenance, to its reply. */
static inline void count_maintenance(struct store_maintenance *u)
{
	((struct fixture *)u->owner)->answered++;
}

static inline void maintenance(struct fixture *g, struct store_maintenance *u)
{
	u->done = count_maintenance;
	u->owner = g;
	g->store->ops->maintenance(g->store, u);
	poll_for(g, 1);
}

/* To its end; answers how many events or records that were. */
static inline uint64_t maintenance_all(struct fixture *g, struct store_maintenance *u)
{
	uint64_t sum = 0;

	do {
		maintenance(g, u);
		CHECK_OK(u->result, &u->error);
		sum += u->count;
	} while (u->more);
	return sum;
}

/* The result of a query, on a separate read-only connection. */
static inline int64_t sql_int(struct fixture *g, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t value;

	CHECK(sqlite3_open_v2(path_in(g, "log.db").ptr, &db, SQLITE_OPEN_READWRITE, NULL) ==
	      SQLITE_OK);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	CHECK(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK);
	CHECK(sqlite3_step(st) == SQLITE_ROW);
	value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

/* Changes a file that no process has open. */
static inline void edit_file(struct fixture *g, const char *sql)
{
	sqlite3 *db = NULL;

	CHECK(sqlite3_open(path_in(g, "log.db").ptr, &db) == SQLITE_OK);
	CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
	CHECK(sqlite3_close(db) == SQLITE_OK);
}

#endif

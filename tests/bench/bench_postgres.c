/*
 * Durable appends to PostgreSQL: 64 sessions, batches of 8 slices of 17 events of 1.1 KB,
 * as many under way as there are groups of sessions.
 *
 * The floor is a plain loop with libpq on the same server: the same heads and chunks, as
 * many slices in a transaction as the store had on average, two transactions in the
 * pipeline.  THOLE_TEST_POSTGRES is the address (tests/store/with_postgres.py).
 */
#include "base/arena.h"
#include "bench_fixture.h"
#include "store/postgres/postgres.h"
#include "store/postgres/wire/pg_conn.h"

#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSIONS 64
#define SLICES 8 /* of a batch */
#define GROUPS (SESSIONS / SLICES)
#define EVENTS 17
#define EVENT_BYTES 1100
#define WARM_MS 1000
#define MEASURE_MS 4000
#define UNDER_WAY 2

static const char *url;
static char body_text[EVENT_BYTES];

/* ---- the store ---- */

struct one_session {
	char id[24];
	uint64_t seq;
	struct sha256 hash;
};

struct group {
	struct one_session sessions[SLICES];
	struct batch batch;
	struct slice slices[SLICES];
	struct store_event events[SLICES][EVENTS];
	struct store *store;
	bool is_done;
};

static sem_t woken;
static uint64_t committed;

static void wake(void *arg)
{
	sem_post(arg);
}

static void on_batch(struct batch *b)
{
	struct group *g = b->owner;

	for (size_t i = 0; i < SLICES; i++) {
		if (g->slices[i].state != SLICE_COMMITTED)
			die("a slice was refused: %s", b->error.message);
		for (size_t n = 0; n < EVENTS; n++)
			bytes_unref(g->events[i][n].body);
	}
	committed += (uint64_t)SLICES * EVENTS;
	g->is_done = true;
}

/* Hashing is the owner's work, not the store's: the floor does it too. */
static void submit(struct group *g)
{
	g->batch = (struct batch){ .first = g->slices, .done = on_batch, .owner = g };
	for (size_t i = 0; i < SLICES; i++) {
		struct one_session *s = &g->sessions[i];

		g->slices[i] = (struct slice){ .next = i + 1 < SLICES ? &g->slices[i + 1] : NULL,
			                       .session = str_from(s->id),
			                       .prev_seq = s->seq,
			                       .prev_hash = s->hash,
			                       .events = g->events[i],
			                       .event_count = EVENTS };
		for (size_t n = 0; n < EVENTS; n++) {
			struct bytes *body = bytes_new(str_of(body_text, EVENT_BYTES));

			s->hash = sha256_link(&s->hash, bytes_str(body));
			g->events[i][n] = (struct store_event){
				.seq = ++s->seq, .type = (uint32_t)n, .hash = s->hash, .body = body
			};
			g->batch.bytes += EVENT_BYTES;
		}
	}
	g->is_done = false;
	g->store->ops->submit(g->store, &g->batch);
}

static void run_until(struct store *store, struct group *groups, int64_t until)
{
	while (now_ns() < until) {
		for (size_t i = 0; i < GROUPS; i++)
			if (groups[i].is_done)
				submit(&groups[i]);
		(void)!sem_wait(&woken);
		store->ops->poll(store);
	}
}

static void finish(struct store *store, struct group *groups)
{
	for (size_t i = 0; i < GROUPS; i++)
		while (!groups[i].is_done) {
			(void)!sem_wait(&woken);
			store->ops->poll(store);
		}
}

/* Events a second; *ret_slices: of a transaction, on average. */
static double run_store(const char *schema, double *ret_slices)
{
	struct store_postgres_options o = {
		.url = url, .schema = schema, .wake = wake, .wake_arg = &woken
	};
	struct group *groups = calloc(GROUPS, sizeof *groups);
	struct store_stats before, after;
	struct store *store;
	struct error e;
	int64_t began;
	uint64_t count;

	sem_init(&woken, 0, 0);
	if (postgres_open(&o, &store, &e) != OK)
		die("%s", e.message);
	for (size_t i = 0; i < SESSIONS; i++) {
		groups[i / SLICES].store = store;
		groups[i / SLICES].is_done = true;
		snprintf(groups[i / SLICES].sessions[i % SLICES].id, 24, "sess_%zu", i);
	}
	run_until(store, groups, now_ns() + WARM_MS * 1000000LL);
	store->ops->stats(store, &before);
	count = committed;
	began = now_ns();
	run_until(store, groups, began + MEASURE_MS * 1000000LL);
	count = committed - count;
	began = now_ns() - began;
	store->ops->stats(store, &after);
	finish(store, groups);
	store->ops->close(store);
	free(groups);
	*ret_slices = (double)count / EVENTS / (double)(after.commits - before.commits);
	return (double)count * 1e9 / (double)began;
}

/* ---- the floor ---- */

static const struct pg_sql move_heads = {
	"bare_heads", "UPDATE bare_session s SET last_seq = i.last_seq, last_hash = i.last_hash"
		      " FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[])"
		      " AS i(id, prev_seq, last_seq, last_hash)"
		      " WHERE s.id = i.id AND s.last_seq = i.prev_seq"
};
static const struct pg_sql put_chunks = {
	"bare_chunks", "INSERT INTO bare_chunk SELECT * FROM unnest($1::text[], $2::bigint[],"
		       " $3::bytea[], $4::bytea[])"
};

struct bare {
	struct pg_conn c;
	struct one_session sessions[SESSIONS];
	size_t next, slices;
};

static void bare_open(struct bare *b, const char *schema)
{
	struct pg_conn_options o = { .url = url, .schema = schema };
	struct error e;

	if (pg_conn_open(&b->c, pg_lib_load(&e), &o, &e) != OK ||
	    pg_conn_run(
		    &b->c,
		    "CREATE TABLE bare_session(id text COLLATE \"C\" PRIMARY KEY, last_seq bigint"
		    " NOT NULL, last_hash bytea NOT NULL) WITH (fillfactor = 70);"
		    "CREATE TABLE bare_chunk(id text COLLATE \"C\", last_seq bigint, hashes bytea,"
		    " body bytea, PRIMARY KEY (id, last_seq));"
		    "ALTER TABLE bare_chunk ALTER hashes SET STORAGE EXTERNAL,"
		    " ALTER body SET STORAGE EXTERNAL;"
		    "INSERT INTO bare_session SELECT 'sess_' || n, 0, '' FROM"
		    " generate_series(0, 63) n",
		    &e) != OK ||
	    pg_conn_prepare(&b->c, &move_heads, &e) != OK ||
	    pg_conn_prepare(&b->c, &put_chunks, &e) != OK)
		die("%s", e.message);
	for (size_t i = 0; i < SESSIONS; i++)
		snprintf(b->sessions[i].id, sizeof b->sessions[i].id, "sess_%zu", i);
	if (!b->c.lib->PQenterPipelineMode(b->c.pg))
		die("no pipeline");
	b->c.lib->PQsetnonblocking(b->c.pg, 1);
}

static void bare_send(struct bare *b)
{
	struct pg_args heads = { 0 }, chunks = { 0 };
	struct pg_args_pointers at;
	struct buf *ids = pg_args_array(&heads, PG_TEXT), *prev = pg_args_array(&heads, PG_INT8),
		   *last = pg_args_array(&heads, PG_INT8), *hash = pg_args_array(&heads, PG_BYTEA);
	struct buf *cids = pg_args_array(&chunks, PG_TEXT), *seqs = pg_args_array(&chunks, PG_INT8),
		   *hashes = pg_args_array(&chunks, PG_BYTEA),
		   *bodies = pg_args_array(&chunks, PG_BYTEA);
	const struct pg_lib *lib = b->c.lib;

	for (size_t i = 0; i < b->slices; i++) {
		struct one_session *s = &b->sessions[b->next++ % SESSIONS];

		pg_args_put_str(ids, str_from(s->id));
		pg_args_put_str(cids, str_from(s->id));
		pg_args_put_i64(prev, (int64_t)s->seq);
		pg_args_put_size(hashes, EVENTS * SHA256_BYTES);
		pg_args_put_size(bodies, EVENTS * EVENT_BYTES);
		for (size_t n = 0; n < EVENTS; n++) {
			s->hash = sha256_link(&s->hash, str_of(body_text, EVENT_BYTES));
			buf_add(hashes, s->hash.state, SHA256_BYTES);
			buf_add(bodies, body_text, EVENT_BYTES);
		}
		s->seq += EVENTS;
		pg_args_put_i64(last, (int64_t)s->seq);
		pg_args_put_i64(seqs, (int64_t)s->seq);
		pg_args_put_hash(hash, &s->hash);
	}
	pg_args_point(&heads, &at);
	lib->PQsendQueryPrepared(b->c.pg, move_heads.name, heads.count, at.values, at.lengths,
	                         at.formats, 1);
	pg_args_point(&chunks, &at);
	lib->PQsendQueryPrepared(b->c.pg, put_chunks.name, chunks.count, at.values, at.lengths,
	                         at.formats, 1);
	lib->PQpipelineSync(b->c.pg);
	pg_args_done(&heads);
	pg_args_done(&chunks);
}

/* Waits for input or room; returns how many transactions have ended. */
static int bare_receive(struct bare *b)
{
	const struct pg_lib *lib = b->c.lib;
	bool has_more = lib->PQflush(b->c.pg) == 1;
	struct pollfd fd = { .fd = lib->PQsocket(b->c.pg),
		             .events = (short)(has_more ? POLLIN | POLLOUT : POLLIN) };
	int count = 0, empty = 0;

	poll(&fd, 1, -1);
	if (fd.revents & POLLIN && !lib->PQconsumeInput(b->c.pg))
		die("the connection of the floor broke");
	while (!lib->PQisBusy(b->c.pg) && empty < 2) {
		PGresult *r = lib->PQgetResult(b->c.pg);

		empty = r ? 0 : empty + 1;
		if (!r)
			continue;
		if (lib->PQresultStatus(r) == PGRES_FATAL_ERROR)
			die("the floor: %s", lib->PQresultErrorMessage(r));
		count += lib->PQresultStatus(r) == PGRES_PIPELINE_SYNC;
		lib->PQclear(r);
	}
	return count;
}

static double run_bare(const char *schema, size_t slices)
{
	struct bare *b = calloc(1, sizeof *b);
	int under_way = 0;
	uint64_t ended = 0;
	int64_t began = 0, now, start = now_ns();
	double rate;

	b->slices = slices;
	bare_open(b, schema);
	for (;;) {
		now = now_ns();
		if (!began && now - start > WARM_MS * 1000000LL) {
			began = now;
			ended = 0;
		}
		if (began && now - began > MEASURE_MS * 1000000LL)
			break;
		for (; under_way < UNDER_WAY; under_way++)
			bare_send(b);
		int count = bare_receive(b);

		under_way -= count;
		ended += (uint64_t)count;
	}
	rate = (double)ended * (double)slices * EVENTS * 1e9 / (double)(now - began);
	pg_conn_close(&b->c);
	free(b);
	return rate;
}

int main(int argc, char **argv)
{
	double rates[ROUNDS], floors[ROUNDS], ratios[ROUNDS], slices = SLICES;

	bench_fixture_begin(argc, argv);
	url = getenv("THOLE_TEST_POSTGRES");
	if (!url)
		die("run it by tests/store/with_postgres.py");
	memset(body_text, 'x', sizeof body_text);
	for (int i = 0; i < ROUNDS; i++) {
		const char *schema = text("bench_%d", i);

		rates[i] = run_store(schema, &slices);
		floors[i] = run_bare(schema, (size_t)(slices + 0.5));
		ratios[i] = rates[i] / floors[i];
	}
	ROW(.name = "PostgreSQL: durable append, events a second",
	    .measured = text("%.0f", median(rates, ROUNDS)),
	    .floor = text("%.0f", median(floors, ROUNDS)), .ratio = median(ratios, ROUNDS),
	    .target = ">= 0.6 floors", .reached = median(ratios, ROUNDS) >= 0.6,
	    .note = text("floor: bare libpq, %.1f slices of 17 events in a transaction", slices));
	return 0;
}

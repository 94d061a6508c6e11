#ifndef STORE_POSTGRES_PG_STORE_H
#define STORE_POSTGRES_PG_STORE_H
/*
 * The PostgreSQL store itself, private to its files: the messages between its threads,
 * what they share, and the state of the link to the server.
 *
 *   postgres.c     opening, closing, threads, mail between them, stats
 *   pg_state.c     the state of the link, and what the stats say of it
 *   pg_start.c     checks of the server, at the start and after a connection broke
 *   pg_worker.c    reader and keeper: one request after the other, again when a connection broke
 *   nodes/         incarnation and name, heartbeats, claims, what other nodes committed
 *   reconnect/     what is true after a connection broke: heads (pg_heads.c), commits (pg_doubt.c)
 *   pg_append.c    the writer: transactions in a pipeline
 *   pg_slice.c     the statements of a batch
 *   pg_read.c      the reader: requests, single records; pg_events.c, pg_all.c, pg_list.c
 *   pg_page.c      what reads share
 *   maintenance/   packing, cutting, erasing (pg_maintain.c); deleted sessions (pg_sweep.c)
 *   pg_values.c    the synchronous calls of the port, which nodes/pg_calls.c carries out
 *   pg_move.c      all rows of a log, for another store or from one; pg_move_sql.c
 *   pg_span.c      rows with many events
 *   wire/          one connection (pg_conn.c), its parameters, libpq, addresses
 *   pg_schema.c    tables and their versions
 */
#include "base/list.h"
#include "base/map.h"
#include "base/os/mailbox.h"
#include "store/postgres/nodes/pg_nodes.h"
#include "store/postgres/pg_state.h"
#include "store/postgres/postgres.h"
#include "store/postgres/wire/pg_conn.h"

#include <stdatomic.h>

/* Messages between the owner's thread and ours. */
enum pg_job_kind {
	PG_JOB_BATCH,
	PG_JOB_READ,
	PG_JOB_MAINTENANCE,
	PG_JOB_NODES, /* nodes/pg_nodes.h; both ways */
	PG_JOB_ALLOT,
	PG_JOB_CLOSE,
};
struct pg_job {
	struct mail mail;
	enum pg_job_kind kind;
	struct batch *batch;
	struct store_read *read;
	struct store_maintenance *maintenance;
	struct pg_node_job nodes;
	struct store_allotment *allotment;
	/* Of a batch: its entry in the list of unanswered ones; owner's thread only. */
	struct list waiting;
	int64_t since_ms;
	uint64_t bytes;
};

struct pg_store {
	struct store base;
	struct arena *mem; /* strings below */
	const char *place; /* the address without password, for messages */
	struct pg_conn_options connect;
	int64_t incarnation;
	int lock_fd;
	bool is_closing, is_killed; /* is_killed: for tests; the incarnation does not end */
	atomic_bool needs_rebuild;
	int64_t (*mono_ms)(void);
	void (*wake)(void *arg);
	void *wake_arg;
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	bool is_end_told;

	/* Of the start only, the writer, the reader and the keeper. */
	struct pg_conn start, writer, reader, keeper;
	struct mailbox to_writer, to_reader, to_keeper, answered;
	/* Eventfds: there is mail, or the link is live again. */
	int writer_wake, reader_wake, keeper_wake;
	pthread_t writer_thread, reader_thread, keeper_thread;
	struct pg_nodes nodes;

	uint64_t next_mark;     /* of the writer's thread */
	const char *sweep_from; /* of the keeper's: how far the pass over ids has come */

	/* The owner's thread only. */
	struct list waiting;
	uint64_t waiting_bytes;

	/* After the first error that ends the store: why.  Written once, before is_dead. */
	atomic_bool is_dead;
	struct error cause;

	/* Under the lock, as the cause. */
	pthread_mutex_t lock;
	enum pg_link link;
	uint64_t generation; /* how often the link became live; a connection belongs to one */
	char server[32];     /* of this generation, as in struct pg_backend */
	struct pg_outage outages[PG_USERS];
	struct map behind; /* id → struct pg_behind */
	atomic_size_t behind_count;
	char behind_text[400];
	char standbys[200]; /* for which commits wait; empty: none */

	/* Texts of the last stats; the owner's thread only. */
	struct error told;
	char told_behind[400];

	atomic_uint_least64_t commits, events, bytes, last_commit_us, size_bytes, sessions, packed,
		last_position;
};

/* ---- pg_start.c ---- */

/*
 * Before the first connection: refuses a pool whose clients share sessions of the server, unless the
 * options say that there may be one.
 */
enum err pg_start_check_pool(struct pg_store *s, const struct pg_lib *lib,
                             struct error *e) MUST_USE;
/* On s->start: refuses a server that cannot keep the log. */
enum err pg_start_check(struct pg_store *s, bool is_relaxed, struct error *e) MUST_USE;
/* Counts sessions and events, for the statistics. */
enum err pg_start_count(struct pg_store *s, struct error *e) MUST_USE;
/*
 * Opens a connection of a thread again, to the server of the live link.  ERR_UNAVAILABLE: not
 * now.  The statements of the connection before are over then.
 */
enum err pg_start_open_again(struct pg_store *s, struct pg_conn *c, enum pg_use use,
                             struct error *e) MUST_USE;
/*
 * On the writer's new connection, when the one before is at its end: is this the log that
 * it wrote, and does its incarnation live?  `stop` as in pg_conn_ask_until().
 */
enum err pg_start_check_again(struct pg_store *s, bool (*stop)(void *arg), void *arg,
                              struct error *e) MUST_USE;

/* ---- pg_append.c ---- */

/* The connection of the log, ready for batches. */
enum err pg_append_open(struct pg_store *s, struct error *e) MUST_USE;
/* The writer's thread, until a PG_JOB_CLOSE comes. */
void *pg_append_run(void *store);

/* ---- pg_read.c ---- */

/*
 * Answers one read; r->mem is made here.  ERR_UNAVAILABLE: it has no answer and no result
 * yet, and can be tried again.
 */
enum err pg_read_work(struct pg_store *s, struct store_read *r, struct error *e);

/* ---- pg_maintain.c ---- */

/* The same for one step. */
enum err pg_maintain_work(struct pg_store *s, struct store_maintenance *u, struct error *e);

/* ---- pg_worker.c ---- */

/* The threads of reader and keeper, until a PG_JOB_CLOSE comes. */
void *pg_worker_read(void *store);
void *pg_worker_keep(void *store);

/* ---- pg_sweep.c: one step of what deleted sessions left ---- */

enum err pg_sweep_step(struct pg_store *s, struct store_maintenance *u) MUST_USE;

/* ---- pg_move.c: ports/store_move.h ---- */

extern const struct store_move_ops pg_move_ops;

/* ---- pg_values.c ---- */

/* One statement, which changes nothing when it is run a second time.  Empties args. */
enum err pg_values_ask(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                       struct pg_rows *ret, struct error *e);
/* The same for one that writes: it is durable then. */
enum err pg_values_tell(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                        struct error *e) MUST_USE;
enum err pg_values_get(struct pg_store *s, struct arena *mem, struct str key, struct str *ret,
                       struct error *e);
enum err pg_values_set(struct pg_store *s, struct str key, struct str value, struct error *e);
enum err pg_values_keep(struct pg_store *s, struct arena *mem, struct str key, struct str value,
                        struct str *ret, struct error *e);
enum err pg_values_keep_blob(struct pg_store *s, struct str ref, struct str media_type,
                             struct str data, struct error *e);
enum err pg_values_accounts(struct pg_store *s, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e);
enum err pg_values_pending(struct pg_store *s, struct arena *mem, struct pending_op **ret,
                           size_t *ret_count, struct error *e);

static inline int64_t as_int(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

#endif

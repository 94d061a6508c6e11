#ifndef STORE_POSTGRES_WIRE_PG_CONN_H
#define STORE_POSTGRES_WIRE_PG_CONN_H
/*
 * One connection to PostgreSQL: opening, statements that wait for their reply, values of
 * a reply, and errors.  pg_append.c drives the connection of the log itself.
 *
 * A connection belongs to one thread at a time.  No message contains a password.
 *
 * A connection that is *pooled* may lead to a pool in transaction mode (PgBouncer), where each
 * transaction may run in another session of the server.  Nothing is left in a session
 * then but the name of the application, which pools restore: statements have no names, and
 * every transaction begins with its settings.  Which backend a statement had is not known.
 */
#include "base/map.h"
#include "store/postgres/wire/pg_args.h"
#include "store/postgres/wire/pg_lib.h"

enum pg_use {
	PG_USE_LOG,
	PG_USE_READS, /* read-only */
	PG_USE_NODES, /* heartbeats and claims: a commit waits for no standby */
};

struct pg_conn_options {
	const char *url;    /* checked by pg_url_check() */
	const char *schema; /* where the tables are */
	bool is_relaxed;    /* a commit need not reach the disk */
	enum pg_use use;
	bool is_again;  /* one before it broke: no host is waited for as long as at the start */
	bool is_pooled; /* nothing may be left in the session */
};

/* A process of a server, and when each of them was started: no two are equal. */
struct pg_backend {
	int64_t pid; /* 0: not known */
	char began[32], server[32];
};

struct pg_conn {
	const struct pg_lib *lib;
	PGconn *pg;
	struct map prepared; /* names of statements */
	bool is_lost;        /* the connection broke; every later call fails */
	bool is_pooled;
	char settings[640]; /* of each transaction of one that is pooled, as a statement */
	struct pg_backend backend;
	uint64_t generation; /* of the link, to which it belongs */
};

/* A statement with a name, by which the server keeps it prepared. */
struct pg_sql {
	const char *name, *text;
};

/*
 * Of several hosts the first that takes writes, unless the address says otherwise.  Errors
 * are those of pg_meaning.h; the message begins with a code of docs/reference/store-errors.md.
 */
enum err pg_conn_open(struct pg_conn *c, const struct pg_lib *lib, const struct pg_conn_options *o,
                      struct error *e) MUST_USE;
/*
 * One that sets nothing in its session, for looking only: what it reads is what the role has.
 * No host is waited for longer than the seconds, whatever the address says; 0: as usual.
 */
enum err pg_conn_open_plain(struct pg_conn *c, const struct pg_lib *lib, const char *url,
                            int host_seconds, struct error *e) MUST_USE;
void pg_conn_close(struct pg_conn *c);
/* Closes it and keeps which backend it had, for pg_conn_bury(). */
void pg_conn_break(struct pg_conn *c);
/*
 * Waits until the server has ended a backend whose connection broke, and tells it to.  Then
 * what that backend had under way is committed or will never be.  Of another server, or
 * after a restart, nothing is left to wait for.
 */
enum err pg_conn_bury(struct pg_conn *c, const struct pg_backend *before, struct error *e) MUST_USE;
/* Gives the connection the name by which the next start finds it. */
enum err pg_conn_rename(struct pg_conn *c, const char *schema, int64_t incarnation,
                        struct error *e) MUST_USE;

/* Statements without parameters; their rows are dropped. */
enum err pg_conn_run(struct pg_conn *c, const char *sql, struct error *e) MUST_USE;
/*
 * Makes the statement known to the server; once for each connection.  One that is pooled sends
 * its text each time, and PQsendQueryParams() of its settings first.
 */
enum err pg_conn_prepare(struct pg_conn *c, const struct pg_sql *q, struct error *e) MUST_USE;

/* The rows of a reply; count is 0 after a failure.  Freed by pg_conn_rows_done(). */
struct pg_rows {
	const struct pg_lib *lib;
	PGresult *r;
	int count;
	uint64_t changed; /* rows that the statement wrote */
};

/* Empties args in every case, and returns when the reply is there. */
enum err pg_conn_ask(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                     struct pg_rows *ret, struct error *e) MUST_USE;
/*
 * The same for a statement that may wait without end: `stop` is asked whenever the descriptor
 * `wake` can be read, and ends the wait when it is true, as the time does.  The connection is of
 * no use then.
 */
struct pg_wait {
	int wake;
	bool (*stop)(void *arg);
	void *arg;
	int64_t until_ms; /* monotonic clock; 0: without end */
};
enum err pg_conn_ask_until(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                           const struct pg_wait *wait, struct pg_rows *ret,
                           struct error *e) MUST_USE;
/* Keeps args, so that the statement can be sent again. */
enum err pg_conn_ask_kept(struct pg_conn *c, const struct pg_sql *q, const struct pg_args *args,
                          const struct pg_wait *wait, struct pg_rows *ret,
                          struct error *e) MUST_USE;
/* A statement without a name, until then on the monotonic clock.  ERR_TIMEOUT: no reply came. */
enum err pg_conn_ask_plain(struct pg_conn *c, const char *sql, struct pg_args *args,
                           int64_t until_ms, struct pg_rows *ret, struct error *e) MUST_USE;
/* The same without rows. */
enum err pg_conn_tell(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                      struct error *e) MUST_USE;
void pg_conn_rows_done(struct pg_rows *rows);

/* Values in binary form; bytes live as long as the rows.  NULL is 0, false or absent. */
int64_t pg_conn_i64(const struct pg_rows *rows, int row, int column);
bool pg_conn_bool(const struct pg_rows *rows, int row, int column);
struct str pg_conn_str(const struct pg_rows *rows, int row, int column);
/* False when it is not 32 bytes. */
bool pg_conn_hash(const struct pg_rows *rows, int row, int column, struct sha256 *ret) MUST_USE;

/*
 * Converts the error of a reply, or of the connection when r is NULL, and notes whether the
 * connection is lost.
 */
enum err pg_conn_error(struct pg_conn *c, const PGresult *r, struct error *e);
/* Whether the reply has this SQLSTATE. */
bool pg_conn_state_is(const struct pg_conn *c, const PGresult *r, const char *sqlstate);

#endif

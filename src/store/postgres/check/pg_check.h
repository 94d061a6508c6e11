#ifndef STORE_POSTGRES_CHECK_PG_CHECK_H
#define STORE_POSTGRES_CHECK_PG_CHECK_H
/*
 * Checks of the store for `thole doctor`: what an operator has to know of the server, its
 * settings, rights, standbys, tables and of what others do there, each with a remedy.
 *
 *	pg_check_read() ──► struct pg_check_readings ──► pg_check_judge() ──► findings
 *
 * It needs no runtime and changes nothing.  Any thread.  Strings live in the caller's arena.
 */
#include "base/arena.h"
#include "base/err.h"
#include "store/postgres/wire/pg_pool.h"

struct pg_check_options {
	const char *url, *schema; /* as those of struct store_postgres_options */
	struct str node;          /* the name of this node */
	bool is_relaxed;
	bool is_pooled, has_no_hints; /* as those of struct store_postgres_options */
};

/* Times are milliseconds; -1: not known, or never. */
struct pg_check_standby {
	struct str name, sync; /* sync: "sync", "async", ...; absent: this role is not shown it */
};

struct pg_check_transaction {
	int64_t pid; /* 0: there is none; -1: prepared, `name` is its id */
	struct str user, name, state;
	int64_t age_ms;
	bool blocks; /* a connection of a node waits for it */
};

struct pg_check_table {
	struct str name;
	int64_t bytes, live, dead, cleaned_ms;
	bool is_off; /* autovacuum, for this table */
};

struct pg_check_readings {
	/* The connection was not made (ERR_UNAVAILABLE ...), or a reply did not come. */
	struct error failure;
	struct str failed_at; /* what was asked then; absent: the connection itself */
	struct str place;     /* the address without password */
	/* Filled in this order; what follows a failure is not. */
	size_t steps;

	int64_t version; /* as 150018 */
	struct str version_text, encoding, role, commit, standby_names;
	struct str statement_timeout, idle_timeout; /* "0": none */
	enum pg_pool pool;
	bool is_pooled, has_no_hints, is_relaxed, has_fsync, has_full_pages, has_autovacuum;

	int64_t slots;                      /* connections that ordinary roles may have */
	int64_t others, ours;               /* in use now, by other programs and by nodes */
	int64_t role_limit, database_limit; /* -1: none */
	bool is_super;

	bool has_schema, may_make_schema, may_use, may_create;
	int64_t tables;
	bool is_ours;
	struct str schema, unusable; /* tables without rights, joined; absent: none */
	struct str owners;           /* other roles that own tables; absent: none */
	int64_t format;              /* that a program must know at least; 0: not read */
	int64_t tables_format;       /* that the tables have */

	int64_t nodes; /* that live, and this one */

	struct pg_check_standby *standbys;
	size_t standby_count;
	int64_t waiting, waiting_ms; /* commits that wait for a standby, and the oldest of them */

	int64_t skew_ms; /* the server's clock less this machine's */
	int64_t trip_ms; /* how exact that is */

	struct pg_check_transaction oldest;

	struct pg_check_table *items; /* the largest first */
	size_t item_count;
	int64_t bytes; /* of all */
};

/* What pg_check_judge() may look at; struct pg_check_readings.steps counts them. */
enum pg_check_step {
	PG_CHECK_SERVER,
	PG_CHECK_POOL,
	PG_CHECK_CONNECTIONS,
	PG_CHECK_RIGHTS,
	PG_CHECK_NODES,
	PG_CHECK_STANDBYS,
	PG_CHECK_CLOCK,
	PG_CHECK_TRANSACTIONS,
	PG_CHECK_TABLES,
	PG_CHECK_STEPS,
};

enum pg_check_status { PG_CHECK_OK, PG_CHECK_NOTE, PG_CHECK_BAD };
struct pg_check_finding {
	const char *id;
	enum pg_check_status status;
	struct str detail, remedy; /* remedy: absent when there is nothing to do */
};
#define PG_CHECK_FINDINGS 16

/*
 * Takes at most LIMIT_STORE_CHECK_MS beside the time to find the hosts.  ERR_INVALID and
 * ERR_UNSUPPORTED: address or schema are of the wrong form, libpq is missing.  A server that does
 * not answer is no error but a reading.
 */
enum err pg_check_read(struct arena *mem, const struct pg_check_options *o,
                       struct pg_check_readings *ret, struct error *e) MUST_USE;

/* Pure.  Returns how many there are, each id once. */
size_t pg_check_judge(struct arena *mem, const struct pg_check_readings *r,
                      struct pg_check_finding ret[PG_CHECK_FINDINGS]);

/* Both, as the JSON of thole_store_check(). */
enum err pg_check_report(struct arena *mem, const struct pg_check_options *o, struct str *ret,
                         struct error *e) MUST_USE;

#endif

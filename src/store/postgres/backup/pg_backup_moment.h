#ifndef STORE_POSTGRES_BACKUP_PG_BACKUP_MOMENT_H
#define STORE_POSTGRES_BACKUP_PG_BACKUP_MOMENT_H
/*
 * One moment of a log in PostgreSQL: a transaction that only reads, so that all statements see the
 * same.  It is not a node, locks nothing that work needs, and changes nothing.
 */
#include "store/postgres/wire/pg_pool.h"

struct pg_backup_moment {
	struct pg_conn conn;
	enum pg_pool pool; /* between this program and the server */
	/* Of the log. */
	struct str log_id, at;
	int64_t format, last_position;
};

/*
 * Opens a connection and the moment of the log in this schema; strings live in mem.  ERR_NOT_FOUND: no
 * log is there (store_missing).  ERR_STORE: it cannot be read by this version, or is not whole.
 */
enum err pg_backup_moment_open(struct pg_backup_moment *m, struct arena *mem, const char *url,
                               const char *schema, struct error *e) MUST_USE;
void pg_backup_moment_close(struct pg_backup_moment *m); /* one that is zeroed is fine */

/* Rows as of the moment. */
enum err pg_backup_moment_ask(struct pg_backup_moment *m, const char *sql, struct pg_args *args,
                              struct pg_rows *ret, struct error *e) MUST_USE;
/* The same for what not every server or role has.  ret->count is 0 when the server refuses. */
enum err pg_backup_moment_try(struct pg_backup_moment *m, const char *sql, struct pg_rows *ret,
                              struct error *e) MUST_USE;

#endif

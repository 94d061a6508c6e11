/*
 * What all nodes have in common: the format that a program must know to use the tables, and the
 * revision of events that each of them folds.
 *
 * Both are raised to those of this program when no node of an older one lives.  From then on none can
 * start: a start holds the row of `store` until its own row is there (pg_schema_admit()), and
 * this looks for older nodes when it has that row.
 */
#include "store/postgres/pg_schema.h"
#include "store/postgres/pg_store.h"

#include "base/os/log.h"

#include <stdio.h>

/* Heartbeats must not wait for a start that changes the tables. */
#define TAKE_ROW "SELECT FROM store FOR UPDATE NOWAIT"

static enum err raise_both(struct pg_store *s, struct error *e)
{
	struct pg_conn *c = &s->nodes.members;
	char format[160], rev[160];
	enum err err = pg_conn_run(c, "BEGIN", e);

	snprintf(format, sizeof format,
	         "UPDATE store SET format = greatest(format, %d) WHERE NOT EXISTS (SELECT FROM node"
	         " WHERE ended_at IS NULL AND format < %d)",
	         PG_SCHEMA_FORMAT, PG_SCHEMA_FORMAT);
	snprintf(rev, sizeof rev,
	         "UPDATE upgrade SET rev = greatest(rev, %u) WHERE NOT EXISTS (SELECT FROM node"
	         " WHERE ended_at IS NULL AND rev < %u)",
	         s->nodes.self.rev, s->nodes.self.rev);
	if (err == OK)
		err = pg_conn_run(c, TAKE_ROW, e);
	if (err == OK)
		err = pg_conn_run(c, format, e);
	if (err == OK)
		err = pg_conn_run(c, rev, e);
	if (err == OK)
		return pg_conn_run(c, "COMMIT", e);
	(void)!pg_conn_run(c, "ROLLBACK", NULL);
	return err;
}

void pg_common_look(struct pg_store *s, const struct pg_rows *rows, int row, int column)
{
	unsigned rev = (unsigned)pg_conn_i64(rows, row, column + 1);
	bool can_raise = pg_conn_bool(rows, row, column);
	struct error e;

	atomic_store(&s->nodes.is_mixed, pg_conn_bool(rows, row, column + 2));
	if (rev > atomic_load(&s->nodes.common_rev))
		atomic_store(&s->nodes.common_rev, rev);
	if (can_raise && raise_both(s, &e) == OK)
		log_line(LOG_INFO, "store",
		         "no node of an older program lives: from now on nodes need format %d and "
		         "revision %u",
		         PG_SCHEMA_FORMAT, s->nodes.self.rev);
}

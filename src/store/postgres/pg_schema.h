#ifndef STORE_POSTGRES_PG_SCHEMA_H
#define STORE_POSTGRES_PG_SCHEMA_H
/*
 * The tables of the store in PostgreSQL: made by versioned steps, in one schema of the
 * operator's choice.  docs/formats/postgresql.md describes them.
 */
#include "store/postgres/wire/pg_conn.h"

#define PG_SCHEMA_FORMAT 6

/* Letters, digits and underscores, so that a name needs no quoting in messages; at most 40. */
bool pg_schema_name_is_good(struct str name);
/* ERR_INVALID, for a name that is not. */
enum err pg_schema_bad_name(struct error *e);

/*
 * Makes or updates the tables, all steps in one transaction, while a row of the table
 * `store` is locked against other starts.  ERR_STORE: the schema holds the tables of another
 * program, or a newer format.  ERR_BUSY: a node of an older program uses them.
 * ERR_NOT_FOUND: there are none, and none are to be made.
 */
enum err pg_schema_settle(struct pg_conn *c, const char *schema, bool only_existing,
                          struct error *e) MUST_USE;

#endif

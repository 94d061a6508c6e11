#ifndef STORE_POSTGRES_PG_SCHEMA_H
#define STORE_POSTGRES_PG_SCHEMA_H
/*
 * The tables of the store in PostgreSQL: made by versioned steps, in one schema of the
 * operator's choice.  docs/formats/postgresql.md describes them.
 */
#include "store/postgres/wire/pg_conn.h"

#define PG_SCHEMA_FORMAT 8
/* Programs of this format and later ones work beside this one: all steps behind it are additive. */
#define PG_SCHEMA_BESIDE 6

/* Letters, digits and underscores, so that a name needs no quoting in messages; at most 40. */
bool pg_schema_name_is_good(struct str name);
/* ERR_INVALID, for a name that is not. */
enum err pg_schema_bad_name(struct error *e);

/*
 * Makes or updates the tables while a row of the table `store` is locked against other starts.
 * Additive steps are taken while nodes of older programs work, one in a transaction; all others
 * in one transaction, when those have ended.  ERR_STORE: the schema holds the tables of another
 * program, or only newer programs may use them.  ERR_BUSY: a node of an older program uses them.
 * ERR_NOT_FOUND: there are none, and none are to be made.
 */
enum err pg_schema_settle(struct pg_conn *c, const char *schema, bool only_existing,
                          struct error *e) MUST_USE;

/*
 * Within a transaction, until whose end the answer stays: may a node of this program and revision
 * join?  ERR_STORE: only newer ones may (nodes/pg_common.c).
 */
enum err pg_schema_admit(struct pg_conn *c, const char *schema, uint32_t rev,
                         struct error *e) MUST_USE;

#endif

#ifndef STORE_POSTGRES_PG_READ_H
#define STORE_POSTGRES_PG_READ_H
/* The reads that have a file of their own; pg_read.c calls them on the reader's thread. */
#include "store/postgres/pg_page.h"

/* ---- pg_events.c, pg_all.c, pg_list.c ---- */

enum err pg_events_read(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_events_journal(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_all_read(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_list_read(struct pg_store *s, struct store_read *r) MUST_USE;

#endif

#ifndef STORE_POSTGRES_WIRE_PG_MEANING_H
#define STORE_POSTGRES_WIRE_PG_MEANING_H
/*
 * What an error of PostgreSQL means for the store: the one place that decides.
 *
 * The code is the verdict.  ERR_UNAVAILABLE: the server cannot do it now; the store connects
 * again and tries again.  ERR_INVALID: this statement only.  Every other code: trying again
 * does not help, and a store that runs ends.  A start reports them all.
 */
#include "base/err.h"

struct pg_meaning {
	enum err code;
	const char *name;   /* a code of docs/reference/store-errors.md */
	const char *remedy; /* a sentence without its full stop */
};

/* An error with this SQLSTATE; NULL: none is known (store_failed). */
const struct pg_meaning *pg_meaning_of_state(const char *sqlstate);

/* Whether the server ends the connection with this error. */
bool pg_meaning_ends_connection(const char *sqlstate);

/*
 * A connection that was not made.  There is no SQLSTATE then, only the words of libpq; with
 * several hosts those of all, and the most telling one counts.
 */
const struct pg_meaning *pg_meaning_of_words(struct str words);

#endif

#ifndef STORE_POSTGRES_POSTGRES_H
#define STORE_POSTGRES_POSTGRES_H
/*
 * The store in a PostgreSQL that people already operate (version 14 or later).
 *
 * The log, its bytes, hashes and sequences are those of SQLite's store; only tables and
 * positions belong to PostgreSQL (docs/formats/postgresql.md).  Outputs, the token and the
 * socket stay in the data directory, whose lock the store holds.
 *
 * Four connections: one appends, on a thread that sends the next transaction while the
 * last one commits; one reads and one packs, each on a thread; one belongs to the owner's
 * thread for the synchronous calls of the port.  There is no mode without threads:
 * simulations use SQLite's store and the model.
 *
 * One node at a time.  A start takes a new incarnation, a number that only grows, and
 * waits until the server has closed the connections of the one before, so that no
 * commit of it is still under way.  Every append names the incarnation and the head that it
 * continues; a node whose incarnation has ended writes nothing and its store ends.
 *
 * A connection that breaks ends the store: nothing is acknowledged after it, `ended` is
 * called, and the process exits.  Batches whose commit was sent and not answered are
 * *in doubt*.  They are reported as SLICE_FAILED with ERR_IO, which the owner never
 * reports as a refusal; the next start reads from the log whether they are there.
 *
 * Errors of the server that leave a transaction unwritten and the store alive: no disk
 * space (ERR_FULL).  All others end the store.
 *
 * All calls are for one thread, the owner's.
 */
#include "ports/store.h"

struct store_postgres_options {
	const char *url;         /* postgresql://...; never logged as it is */
	const char *schema;      /* of the tables; made when it is missing */
	const char *dir;         /* the data directory, for its lock; NULL: none is taken */
	const char *version;     /* of this program, for the table `node` */
	bool is_relaxed;         /* commits survive a crash of the process, not of the server */
	void (*wake)(void *arg); /* poll() has results; may be NULL */
	void *wake_arg;
	/* The store has ended by itself: called once, from poll().  May be NULL. */
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	int64_t (*mono_ms)(void); /* for the age of waiting batches; NULL: clock_mono_ms */
};

/*
 * The message of an error begins with a code of docs/reference/store-errors.md.
 * ERR_INVALID: address or schema are of the wrong form.  ERR_UNSUPPORTED: libpq or the
 * server lack something.  ERR_STORE: the schema is not ours, or of a newer format.
 * ERR_BUSY: another node uses the database.  ERR_IO: the server refused.
 */
enum err postgres_open(const struct store_postgres_options *o, struct store **ret,
                       struct error *e) MUST_USE;

/* The password in the address, for the scrubber of logs; absent: none, or no libpq. */
struct arena;
struct str postgres_password(struct arena *mem, const char *url);
/* The address without user, password and parameters, for people. */
struct str postgres_place(struct arena *mem, const char *url);

#endif

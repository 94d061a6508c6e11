#ifndef STORE_POSTGRES_POSTGRES_H
#define STORE_POSTGRES_POSTGRES_H
/*
 * The store in a PostgreSQL that people already operate (version 14 or later).
 *
 * The log, its bytes, hashes and sequences are those of SQLite's store; only tables and
 * positions belong to PostgreSQL (docs/formats/postgresql.md).  Outputs, the token and the
 * socket stay in the data directory, whose lock the store holds.
 *
 * Five connections: one appends, on a thread that sends the next transaction while the
 * last one commits; one reads and one packs, each on a thread; one sends heartbeats; and one, on
 * a thread, claims sessions, polls, and carries out the synchronous calls of the port.  A sixth
 * copies outputs (outputs/).  There is no mode without threads: simulations use SQLite's store
 * and the model.
 *
 * Several nodes may use the same tables (ports/store_nodes.h).  A start takes a name that no
 * other living node has, and a new incarnation, a number that only grows.  Every append names
 * the incarnation and the head that it continues; a node whose incarnation has ended writes
 * nothing and its store ends with STORE_TAKEN.
 *
 * A connection that breaks, or a server that cannot write now, makes the store unavailable:
 * requests wait, and it connects again at growing distances.  Batches whose commit was
 * sent and not answered are *in doubt* meanwhile.  The heads of their sessions tell what became
 * of them; what was not committed is sent again (reconnect/, pg_state.c).  A batch is
 * reported as ERR_UNAVAILABLE only by close(), and may have been committed then.
 *
 * Errors that trying again does not help end the store: another node was started in its
 * place, the tables are of a newer format, or the server reports an error that pg_meaning.h
 * does not know.
 *
 * All calls are for one thread, the owner's.
 */
#include "ports/store.h"

#define POSTGRES_CONNECTIONS 6 /* the most that one node has open */

struct store_postgres_options {
	const char *url;      /* postgresql://...; never logged as it is */
	const char *schema;   /* of the tables; made when it is missing */
	const char *dir;      /* the data directory, for its lock; NULL: none is taken */
	const char *version;  /* of this program, for the table `node` */
	uint32_t rev;         /* its revision (ports/store_nodes.h) */
	const char *name;     /* of this node: letters, digits, - and _; NULL or empty: "local" */
	const char *address;  /* where other nodes reach it; NULL or empty: nowhere */
	const char *place;    /* what it has (struct store_node); NULL or empty: nothing is said */
	int64_t heartbeat_ms; /* 0: 250 */
	int64_t lease_ms;     /* 0: 1000 */
	bool is_relaxed;      /* commits survive a crash of the process, not of the server */
	bool is_pooled;    /* the address may lead to a pool in transaction mode (wire/pg_conn.h) */
	bool has_no_hints; /* other nodes are asked at the usual times only: no LISTEN */
	bool only_existing;      /* no table is made; ERR_NOT_FOUND: there is no log */
	void (*wake)(void *arg); /* poll() has results; may be NULL */
	void *wake_arg;
	/* The store has ended by itself: called once, from poll().  May be NULL. */
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	/* For leases and the age of waiting batches; any thread.  NULL: clock_mono_ms */
	int64_t (*mono_ms)(void);
};

/*
 * The message of an error begins with a code of docs/reference/store-errors.md.
 * ERR_INVALID: address or schema are of the wrong form.  ERR_UNSUPPORTED: libpq or the
 * server lack something, or a pool shares sessions of the server.  ERR_STORE: the schema is not ours, or of a newer format.
 * ERR_BUSY: a living node has the same name.  ERR_IO: the server refused.
 */
enum err postgres_open(const struct store_postgres_options *o, struct store **ret,
                       struct error *e) MUST_USE;

/*
 * For tests.  Closes it as the end of its process would: the incarnation does not end, and other
 * nodes find it dead.
 */
void postgres_kill(struct store *s);
/* For tests.  Sends no heartbeats for a while. */
void postgres_pause_heartbeats(struct store *s, bool is_paused);
/* For tests: without a hint it does not ask what others committed. */
void postgres_ask_on_hints(struct store *s, bool is_on);

/* The password in the address, for the scrubber of logs; absent: none, or no libpq. */
struct arena;
struct str postgres_password(struct arena *mem, const char *url);
/* The address without user, password and parameters, for people. */
struct str postgres_place(struct arena *mem, const char *url);

#endif

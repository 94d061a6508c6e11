#ifndef STORE_POSTGRES_PG_STATE_H
#define STORE_POSTGRES_PG_STATE_H
/*
 * The link to the server: what state it is in, whose requests wait and why, and which sessions
 * are behind.  All threads of the store ask; the lock of struct pg_store guards it.
 */
#include "base/err.h"
#include "ports/store.h"

struct pg_store;

/*
 * The link: the writer's connection as all threads see it.  pg_state.c draws it.  While it is
 * not live, what was sent and not answered is in doubt.
 */
enum pg_link {
	PG_LINK_LIVE,
	PG_LINK_AWAY,       /* waits for the next try */
	PG_LINK_CONNECTING, /* asks the hosts of the address */
	PG_LINK_CHECKING,   /* is this still our log, and what of it is there? */
	PG_LINK_ENDED,
	PG_LINKS,
};

/* Whose requests wait, and why. */
enum pg_user { PG_USER_WRITER, PG_USER_READER, PG_USER_CALLS, PG_USER_KEEPER, PG_USERS };
struct pg_outage {
	int64_t since_ms; /* wall clock; 0: none */
	struct error why;
};

/* A session whose events from..to were reported committed and are not there. */
struct pg_behind {
	struct str id;
	uint64_t from, to;
	char text[];
};

/* When to try again: at growing distances, and not at the same moment as other nodes. */
struct pg_retry {
	unsigned tries;
	int64_t at_ms; /* monotonic clock */
};

/* Moves the link; the writer's thread. */
void pg_state_move(struct pg_store *s, enum pg_link to);
/* Is the link live, and in which generation, on which server? */
bool pg_state_is_live(struct pg_store *s, uint64_t *ret_generation, char ret_server[32]);

/* Requests of this user wait, for this reason, which may change; they do not any more. */
void pg_state_away(struct pg_store *s, enum pg_user user, const struct error *why);
void pg_state_back(struct pg_store *s, enum pg_user user);
/* Fills what the stats say of it; the owner's thread. */
void pg_state_tell(struct pg_store *s, struct store_stats *ret);

/* The session lacks these events. */
void pg_state_behind(struct pg_store *s, struct str id, uint64_t from, uint64_t to);
/* Whether it does; then e has a sentence.  e may be NULL. */
bool pg_state_is_behind(struct pg_store *s, struct str id, struct error *e);

/* Everything up to here is durable, as the stats say. */
void pg_state_reached(struct pg_store *s, uint64_t position);

/* Ends the store, unless the error passes: see pg_meaning.h. */
void pg_state_fail(struct pg_store *s, const struct error *e);
/* The error of a node that others count as ended; with STORE_TAKEN. */
enum err pg_state_taken(struct error *e);
/* Whether the store has ended; then e has the reason. */
bool pg_state_is_dead(struct pg_store *s, struct error *e);
/* The slices that were not committed, refused or behind. */
void pg_state_fail_batch(struct batch *b, const struct error *why);

/* The next try comes later than the last one did, by chance a little earlier or later. */
void pg_state_retry_later(struct pg_retry *r);
/* The same, and never later than that. */
void pg_state_retry_within(struct pg_retry *r, int64_t most_ms);
/* Milliseconds until then; 0: now. */
int pg_state_retry_in(const struct pg_retry *r);

#endif

#ifndef PROVIDER_KEY_RING_H
#define PROVIDER_KEY_RING_H
/*
 * The keys that clients lend (ports/credentials.h), as providers see them.
 *
 * One ring per runtime.  Providers register the variables that they read before
 * the first client connects.  Keys exist only as struct secret.
 */
#include "ports/credentials.h"
#include "provider/keys/keys.h"

struct key_ring;
struct scrub;

/* scrub: knows every key that is lent as long as anybody holds it, outlives the ring; may be NULL. */
struct key_ring *key_ring_new(struct scrub *scrub);
void key_ring_free(struct key_ring *r); /* NULL is fine */

struct credentials *key_ring_port(struct key_ring *r);

enum key_kind {
	KEY_KIND_KEY,      /* a secret that is sent as it is */
	KEY_KIND_IDENTITY, /* a secret that names an account, together with its parts */
	KEY_KIND_PART,     /* a further secret of an account */
	KEY_KIND_POINTER,  /* names an account that is elsewhere: a profile, a file */
	KEY_KIND_PLAIN,    /* no secret, and no credential by itself: a region, an address */
};

/* This provider reads this variable; an absent one is ignored. */
void key_ring_register(struct key_ring *r, struct str provider, struct str variable,
                       enum key_kind kind);

/* Whose loans count: those of a connection, or with 0 those of a session. */
struct key_client {
	uint64_t connection;
	struct str session;
};

/*
 * What this client lent for a provider: the key that is sent as it is, or one
 * variable; NULL: nothing.  It lives until the next call of the port.  A NULL
 * ring is empty.
 */
const struct secret *key_ring_key(const struct key_ring *r, struct key_client client,
                                  struct str provider);
const struct secret *key_ring_variable(const struct key_ring *r, struct key_client client,
                                       struct str provider, struct str variable);
/* Whether that is enough for a request: a key, an identity or a pointer. */
bool key_ring_has(const struct key_ring *r, struct key_client client, struct str provider);

#endif

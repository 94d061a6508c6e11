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

/* scrub: gets every key that is lent, to redact it; may be NULL. */
struct key_ring *key_ring_new(struct scrub *scrub);
void key_ring_free(struct key_ring *r); /* NULL is fine */

struct credentials *key_ring_port(struct key_ring *r);

/* This provider reads this variable; an absent one is ignored. */
void key_ring_register(struct key_ring *r, struct str provider, struct str variable);

/*
 * The key that this session or, with connection, this client lent for a
 * provider; NULL: none.  It lives until the next call of the port.
 */
const struct secret *key_ring_of_session(const struct key_ring *r, struct str session,
                                         struct str provider);
const struct secret *key_ring_of_connection(const struct key_ring *r, uint64_t connection,
                                            struct str provider);

#endif

#ifndef JWT_JWT_METADATA_H
#define JWT_JWT_METADATA_H
/*
 * Where the metadata of an issuer is (RFC 8414, OpenID Connect Discovery), and what it names.  Pure.
 * Addresses are compared byte for byte.
 */
#include "base/arena.h"
#include "base/err.h"

#define JWT_METADATA_URL_MAX 2048

/* https, or http to this machine; without user, query and fragment. */
bool jwt_metadata_is_issuer(struct str url);

/* The places to try, in this order: 0 and 1.  Absent: there are no more. */
struct str jwt_metadata_place(struct arena *mem, struct str issuer, unsigned n);

/* The address of the keys.  The document must be of exactly this issuer. */
enum err jwt_metadata_read(struct arena *mem, struct str text, struct str issuer, struct str *ret,
                           struct error *e) MUST_USE;

/* The same scheme, host and port: such an address is as trusted as the issuer's. */
bool jwt_metadata_is_same_origin(struct str a, struct str b);

#endif

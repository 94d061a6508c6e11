#ifndef JWT_JWT_KEY_H
#define JWT_JWT_KEY_H
/*
 * The public keys of an issuer: a JWK set (RFC 7517) as keys in the form that libcrypto reads
 * (SubjectPublicKeyInfo).  Pure.
 *
 * Keys that cannot check one of the accepted algorithms are left out: symmetric ones, those for
 * encryption, RSA below 2048 bits, other curves.
 */
#include "base/json.h"
#include "jwt/jwt_alg.h"

struct jwt_key {
	struct str kid; /* absent: none */
	const struct jwt_alg
		*alg; /* the only one that it may be used with; NULL: any of its kind */
	bool is_rsa;
	struct str curve; /* absent for RSA */
	struct str der;
	void *loaded; /* jwt_signature.h; NULL: not yet */
};

struct jwt_keys {
	struct jwt_key *items;
	size_t count;
};

/* Only what is no JWK set is an error; a set without a usable key is one too. */
enum err jwt_key_read_all(struct arena *mem, struct str text, struct jwt_keys *ret,
                          struct error *e) MUST_USE;

/* May a signature of this algorithm be checked with the key? */
bool jwt_key_fits(const struct jwt_key *k, const struct jwt_alg *a);

/*
 * The key that a token names.  Without a kid it is the only one that fits the algorithm.  NULL:
 * there is none; *ret_is_unknown says whether the issuer may have published it since.
 */
struct jwt_key *jwt_key_find(const struct jwt_keys *keys, struct str kid, const struct jwt_alg *a,
                             bool *ret_is_unknown);

#endif

#ifndef JWT_JWT_ALG_H
#define JWT_JWT_ALG_H
/*
 * The algorithms that are accepted (RFC 7518, 8037, 9864).  The list is fixed: "none" and the
 * symmetric ones are not in it, so that no header can choose them.
 */
#include "base/str.h"

enum jwt_kind { JWT_RSA, JWT_RSA_PSS, JWT_EC, JWT_ED25519 };

struct jwt_alg {
	const char *name;
	enum jwt_kind kind;
	unsigned hash_bits;   /* 0: the algorithm has its own */
	const char *curve;    /* of a key of the kinds EC and Ed25519 */
	size_t coordinate;    /* of such a key, in bytes */
	size_t signature_len; /* in bytes; 0: that of the key */
};

#define JWT_ALG_COUNT 11
#define JWT_ALG_ALL ((1u << JWT_ALG_COUNT) - 1)
extern const struct jwt_alg jwt_alg_all[JWT_ALG_COUNT];

/* NULL: not in the list.  Names are compared exactly. */
const struct jwt_alg *jwt_alg_find(struct str name);
/* For sets of algorithms. */
unsigned jwt_alg_bit(const struct jwt_alg *a);

#endif

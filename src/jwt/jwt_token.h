#ifndef JWT_JWT_TOKEN_H
#define JWT_JWT_TOKEN_H
/*
 * A token in the compact form of a JWS (RFC 7515) as its parts.  Pure.
 *
 *   header . claims . signature        each in base64url, without padding
 *
 * Nothing here is trusted: the claims count only after the signature was checked with a key of the
 * issuer.  Of the header, alg, kid and typ are read.  Keys and addresses of keys in it (jwk, jku,
 * x5c, x5u) are ignored.  A header with crit is refused, because no extension is known here.
 * Members that occur twice are refused by the JSON reader.
 */
#include "base/json.h"
#include "jwt/jwt_alg.h"

struct jwt_token {
	struct str covered;   /* what the signature covers; a view of the token */
	struct str signature; /* its bytes */
	const struct jwt_alg *alg;
	struct str kid, type; /* absent: none */
	struct json claims;   /* an object */
};

/* NULL, or why the text is not such a token.  Everything lives in mem, which the text outlives. */
const char *jwt_token_read(struct arena *mem, struct str text, struct jwt_token *ret);

#endif

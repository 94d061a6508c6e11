#ifndef JWT_JWT_CLAIMS_H
#define JWT_JWT_CLAIMS_H
/*
 * What the claims of a token must say (RFC 7519, 9068), and who its bearer is.  Pure.
 *
 * Required are iss (exactly that of the rules), aud (one of the rules'), exp, and the claim that
 * names the principal.  nbf and iat must not lie in the future.  A token that is bound to a key of
 * its holder (cnf, RFC 7800) is refused: the proof of possession cannot be checked here.
 */
#include "jwt/jwt_token.h"

#define JWT_CLAIMS_NAME_MAX 255 /* bytes; OpenID Connect permits as many in sub */

/* A word of the token's scope, and what it permits. */
struct jwt_claims_scope {
	struct str word;
	unsigned scopes; /* bits of the caller's */
};

struct jwt_claims_rules {
	struct str issuer;
	const struct str *audiences;
	size_t audience_count;
	bool only_access_tokens; /* typ is at+jwt; otherwise JWT and no typ are taken, too */
	struct str principal_claim, tenant_claim, scope_claim; /* absent: sub, none, scope or scp */
	const struct jwt_claims_scope *scopes;
	size_t scope_count;
	int64_t leeway_s;
};

struct jwt_claims_bearer {
	struct str principal;
	struct str tenant; /* absent: the rules name no claim for it */
	unsigned scopes;   /* of all words of the token that the rules know */
	int64_t until_s;   /* from then on the token is not valid, leeway included */
};

/* The issuer that a token names, for finding its rules; absent: none. */
struct str jwt_claims_issuer(const struct jwt_token *t);

/* Letters, digits and . _ - @, as in the names of tenants that a person chooses. */
bool jwt_claims_is_tenant(struct str name);

/* NULL, or why the token is not accepted.  Texts live as long as the token. */
const char *jwt_claims_check(const struct jwt_token *t, const struct jwt_claims_rules *rules,
                             int64_t now_s, struct jwt_claims_bearer *ret);

#endif

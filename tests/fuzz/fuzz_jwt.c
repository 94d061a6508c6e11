/*
 * A token, a set of keys and metadata of arbitrary bytes.  What is taken satisfies its own rules: a
 * bearer has a name, no key is symmetric, and a signature that was not made is never good.
 */
#include "jwt/jwt_claims.h"
#include "jwt/jwt_metadata.h"
#include "jwt/jwt_signature.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_keys(struct arena *mem, struct str text)
{
	struct str signature =
		STR("0123456789012345678901234567890123456789012345678901234567890123");
	struct jwt_keys keys;
	bool is_unknown;
	struct error e;

	if (jwt_key_read_all(mem, text, &keys, &e) != OK)
		return;
	for (size_t i = 0; i < JWT_ALG_COUNT; i++) {
		struct jwt_key *k = jwt_key_find(&keys, STR_NONE, &jwt_alg_all[i], &is_unknown);

		if (k && (!jwt_key_fits(k, &jwt_alg_all[i]) ||
		          jwt_signature_check(k, &jwt_alg_all[i], text, signature)))
			abort();
	}
	jwt_signature_release(&keys);
}

static void try_token(struct arena *mem, struct str text)
{
	struct str audience = STR("thole");
	struct jwt_claims_rules rules = { .issuer = STR("https://id.example"),
		                          .audiences = &audience,
		                          .audience_count = 1,
		                          .leeway_s = 30 };
	struct jwt_claims_bearer bearer;
	struct jwt_token token;

	if (jwt_token_read(mem, text, &token))
		return;
	if (!token.alg || !token.signature.len || json_type(token.claims) != JSON_OBJ)
		abort();
	if (!jwt_claims_check(&token, &rules, 1000, &bearer) &&
	    (!bearer.principal.len || bearer.until_s <= 1000))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = str_of((const char *)data, size), found;
	struct error e;

	try_token(mem, text);
	try_keys(mem, text);
	if (jwt_metadata_read(mem, text, STR("https://id.example"), &found, &e) == OK && !found.len)
		abort();
	if (jwt_metadata_is_issuer(text) && !str_is(jwt_metadata_place(mem, text, 0)))
		abort();
	return 0;
}

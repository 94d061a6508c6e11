/* The table of algorithms. */
#include "jwt/jwt_alg.h"

const struct jwt_alg jwt_alg_all[JWT_ALG_COUNT] = {
	{ "RS256", JWT_RSA, 256, NULL, 0, 0 },
	{ "RS384", JWT_RSA, 384, NULL, 0, 0 },
	{ "RS512", JWT_RSA, 512, NULL, 0, 0 },
	{ "PS256", JWT_RSA_PSS, 256, NULL, 0, 0 },
	{ "PS384", JWT_RSA_PSS, 384, NULL, 0, 0 },
	{ "PS512", JWT_RSA_PSS, 512, NULL, 0, 0 },
	{ "ES256", JWT_EC, 256, "P-256", 32, 64 },
	{ "ES384", JWT_EC, 384, "P-384", 48, 96 },
	{ "ES512", JWT_EC, 512, "P-521", 66, 132 },
	{ "EdDSA", JWT_ED25519, 0, "Ed25519", 32, 64 },
	{ "Ed25519", JWT_ED25519, 0, "Ed25519", 32, 64 },
};

const struct jwt_alg *jwt_alg_find(struct str name)
{
	for (size_t i = 0; i < JWT_ALG_COUNT; i++)
		if (str_is(name) && str_eq(name, str_from(jwt_alg_all[i].name)))
			return &jwt_alg_all[i];
	return NULL;
}

unsigned jwt_alg_bit(const struct jwt_alg *a)
{
	return 1u << (a - jwt_alg_all);
}

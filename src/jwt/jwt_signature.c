/* Checks signatures with EVP. */
#include "jwt/jwt_signature.h"

#include "base/os/libcrypto.h"

#define EC_DER_MAX 160

bool jwt_signature_is_possible(void)
{
	return libcrypto_load() != NULL;
}

static EVP_PKEY *load_key(const struct libcrypto *c, struct jwt_key *k)
{
	const unsigned char *at = (const unsigned char *)k->der.ptr;

	if (!k->loaded)
		k->loaded = c->d2i_PUBKEY(NULL, &at, (long)k->der.len);
	return k->loaded;
}

/* Appends one of the two numbers as DER; false: it is zero, which no signature has. */
static bool add_number(unsigned char *out, size_t *at, struct str bytes)
{
	bool needs_zero;

	while (bytes.len && !bytes.ptr[0])
		bytes = str_skip(bytes, 1);
	if (!bytes.len)
		return false;
	needs_zero = (unsigned char)bytes.ptr[0] & 0x80;
	out[(*at)++] = 0x02;
	out[(*at)++] = (unsigned char)(bytes.len + needs_zero);
	if (needs_zero)
		out[(*at)++] = 0;
	memcpy(out + *at, bytes.ptr, bytes.len);
	*at += bytes.len;
	return true;
}

/* JWS writes two numbers side by side, OpenSSL reads a sequence of them.  0: not possible. */
static size_t write_pair(struct str raw, unsigned char out[EC_DER_MAX])
{
	unsigned char body[EC_DER_MAX];
	size_t half = raw.len / 2, len = 0, at = 0;

	if (!add_number(body, &len, str_head(raw, half)) ||
	    !add_number(body, &len, str_skip(raw, half)))
		return 0;
	out[at++] = 0x30;
	if (len >= 0x80)
		out[at++] = 0x81;
	out[at++] = (unsigned char)len;
	memcpy(out + at, body, len);
	return at + len;
}

static const EVP_MD *hash_of(const struct libcrypto *c, const struct jwt_alg *a)
{
	switch (a->hash_bits) {
	case 256:
		return c->EVP_sha256();
	case 384:
		return c->EVP_sha384();
	case 512:
		return c->EVP_sha512();
	default:
		return NULL;
	}
}

/* RFC 7518, section 3.5: the salt is as long as the hash. */
static bool set_padding(const struct libcrypto *c, const struct jwt_alg *a, void *ctx)
{
	return a->kind != JWT_RSA_PSS ||
	       (c->EVP_PKEY_CTX_ctrl_str(ctx, "rsa_padding_mode", "pss") > 0 &&
	        c->EVP_PKEY_CTX_ctrl_str(ctx, "rsa_pss_saltlen", "digest") > 0);
}

static bool verify(const struct libcrypto *c, EVP_PKEY *key, const struct jwt_alg *a,
                   struct str text, struct str signature)
{
	EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();
	void *of_key = NULL;
	bool is_good = ctx &&
	               c->EVP_DigestVerifyInit(ctx, &of_key, hash_of(c, a), NULL, key) == 1 &&
	               set_padding(c, a, of_key) &&
	               c->EVP_DigestVerify(ctx, (const unsigned char *)signature.ptr, signature.len,
	                                   (const unsigned char *)text.ptr, text.len) == 1;

	c->EVP_MD_CTX_free(ctx);
	if (!is_good)
		c->ERR_clear_error();
	return is_good;
}

bool jwt_signature_check(struct jwt_key *k, const struct jwt_alg *a, struct str text,
                         struct str signature)
{
	const struct libcrypto *c = libcrypto_load();
	unsigned char der[EC_DER_MAX];
	EVP_PKEY *key = c ? load_key(c, k) : NULL;

	if (!key || (a->signature_len && signature.len != a->signature_len))
		return false;
	if (a->kind == JWT_EC)
		signature = str_of((const char *)der, write_pair(signature, der));
	return signature.len && verify(c, key, a, text, signature);
}

void jwt_signature_release(struct jwt_keys *keys)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i].loaded)
			libcrypto_load()->EVP_PKEY_free(keys->items[i].loaded);
		keys->items[i].loaded = NULL;
	}
}

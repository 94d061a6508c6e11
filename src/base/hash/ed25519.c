/* Makes keys, signs and verifies; nothing is kept between two calls. */
#include "base/hash/ed25519.h"

#include "base/os/libcrypto.h"

#include <string.h>
#include <sys/random.h>

static enum err load(const struct libcrypto **ret, struct error *e)
{
	*ret = libcrypto_load();
	return *ret ? OK
	            : fail(e, ERR_UNSUPPORTED,
	                   "libcrypto could not be loaded; install libssl3 to sign and to check "
	                   "signatures");
}

enum err ed25519_make(struct ed25519_private *ret, struct error *e)
{
	if (getrandom(ret->seed, sizeof ret->seed, 0) != sizeof ret->seed)
		return fail_errno(e, ERR_IO, "no random bytes for a key");
	return OK;
}

void ed25519_clear(struct ed25519_private *key)
{
	explicit_bzero(key, sizeof *key);
}

enum err ed25519_public_of(const struct ed25519_private *key, struct ed25519_public *ret,
                           struct error *e)
{
	const struct libcrypto *c;
	enum err code = load(&c, e);
	size_t len = sizeof ret->bytes;
	EVP_PKEY *pkey;

	if (code)
		return code;
	pkey = c->EVP_PKEY_new_raw_private_key(LIBCRYPTO_ED25519, NULL, key->seed,
	                                       sizeof key->seed);
	if (!pkey || c->EVP_PKEY_get_raw_public_key(pkey, ret->bytes, &len) != 1 ||
	    len != sizeof ret->bytes)
		code = fail(e, ERR_INVALID, "the private key cannot be used");
	c->EVP_PKEY_free(pkey);
	c->ERR_clear_error();
	return code;
}

enum err ed25519_sign(const struct ed25519_private *key, struct str text,
                      struct ed25519_signature *ret, struct error *e)
{
	const unsigned char *in = (const unsigned char *)text.ptr;
	const struct libcrypto *c;
	enum err code = load(&c, e);
	size_t len = sizeof ret->bytes;
	EVP_MD_CTX *ctx;
	EVP_PKEY *pkey;

	if (code)
		return code;
	pkey = c->EVP_PKEY_new_raw_private_key(LIBCRYPTO_ED25519, NULL, key->seed,
	                                       sizeof key->seed);
	ctx = c->EVP_MD_CTX_new();
	if (!pkey || !ctx || c->EVP_DigestSignInit(ctx, NULL, NULL, NULL, pkey) != 1 ||
	    c->EVP_DigestSign(ctx, ret->bytes, &len, in, text.len) != 1 || len != sizeof ret->bytes)
		code = fail(e, ERR_INVALID, "the private key cannot be used");
	c->EVP_MD_CTX_free(ctx);
	c->EVP_PKEY_free(pkey);
	c->ERR_clear_error();
	return code;
}

enum err ed25519_verify(const struct ed25519_public *key, struct str text,
                        const struct ed25519_signature *sig, struct error *e)
{
	const unsigned char *in = (const unsigned char *)text.ptr;
	const struct libcrypto *c;
	enum err code = load(&c, e);
	EVP_MD_CTX *ctx;
	EVP_PKEY *pkey;

	if (code)
		return code;
	pkey = c->EVP_PKEY_new_raw_public_key(LIBCRYPTO_ED25519, NULL, key->bytes,
	                                      sizeof key->bytes);
	ctx = c->EVP_MD_CTX_new();
	if (!pkey || !ctx || c->EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) != 1 ||
	    c->EVP_DigestVerify(ctx, sig->bytes, sizeof sig->bytes, in, text.len) != 1)
		code = fail(e, ERR_INVALID, "the signature is not of this key and text");
	c->EVP_MD_CTX_free(ctx);
	c->EVP_PKEY_free(pkey);
	c->ERR_clear_error();
	return code;
}

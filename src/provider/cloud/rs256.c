/* Signs with an RSA key. */
#include "provider/cloud/rs256.h"

#include "base/os/libcrypto.h"

/* An encrypted key would ask for its password on the terminal. */
static int no_password(char *buf, int size, int is_writing, void *arg)
{
	(void)buf, (void)size, (void)is_writing, (void)arg;
	return 0;
}

static EVP_PKEY *read_key(const struct libcrypto *c, struct str pem)
{
	BIO *bio = c->BIO_new_mem_buf(pem.ptr, (int)pem.len);
	EVP_PKEY *key = NULL;

	if (bio)
		key = c->PEM_read_bio_PrivateKey(bio, NULL, (void *)no_password, NULL);
	c->BIO_free(bio);
	return key;
}

static bool sign_with(const struct libcrypto *c, EVP_PKEY *key, struct str text, struct buf *ret)
{
	EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();
	const unsigned char *in = (const unsigned char *)text.ptr;
	unsigned char out[1024]; /* 8192 bits */
	size_t len = sizeof out;
	bool is_good = ctx && c->EVP_DigestSignInit(ctx, NULL, c->EVP_sha256(), NULL, key) == 1 &&
	               c->EVP_DigestSign(ctx, out, &len, in, text.len) == 1;

	if (is_good)
		buf_add(ret, out, len);
	c->EVP_MD_CTX_free(ctx);
	return is_good;
}

enum err rs256_sign(struct str pem, struct str text, struct buf *ret, struct error *e)
{
	const struct libcrypto *c = libcrypto_load();
	EVP_PKEY *key = c ? read_key(c, pem) : NULL;
	bool is_good = key && sign_with(c, key, text, ret);

	if (!c)
		return fail(e, ERR_UNSUPPORTED,
		            "libcrypto could not be loaded; install libssl3 to use a service "
		            "account");
	c->EVP_PKEY_free(key);
	c->ERR_clear_error();
	return is_good ? OK : fail(e, ERR_INVALID, "its private key cannot be used");
}

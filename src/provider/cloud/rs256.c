/* Signs with an RSA key.  The library's functions are declared here as far as they are used. */
#include "provider/cloud/rs256.h"

#include <dlfcn.h>

typedef struct bio_st BIO;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;

#define CRYPTO_FUNCTIONS(X)                                                                        \
	X(BIO *, BIO_new_mem_buf, (const void *, int))                                             \
	X(int, BIO_free, (BIO *))                                                                  \
	X(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *, EVP_PKEY **, void *, void *))               \
	X(void, EVP_PKEY_free, (EVP_PKEY *))                                                       \
	X(EVP_MD_CTX *, EVP_MD_CTX_new, (void))                                                    \
	X(void, EVP_MD_CTX_free, (EVP_MD_CTX *))                                                   \
	X(const EVP_MD *, EVP_sha256, (void))                                                      \
	X(int, EVP_DigestSignInit, (EVP_MD_CTX *, void **, const EVP_MD *, void *, EVP_PKEY *))    \
	X(int, EVP_DigestSign,                                                                     \
	  (EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t))                \
	X(void, ERR_clear_error, (void))

struct crypto {
#define FIELD(type, name, args) type(*name) args;
	CRYPTO_FUNCTIONS(FIELD)
#undef FIELD
};

/* The library stays loaded: OpenSSL does not support unloading.  Called on the loop thread only. */
static const struct crypto *load(void)
{
	static const char *const names[] = { "libcrypto.so.3", "libcrypto.so.1.1" };
	static struct crypto loaded;
	static bool is_loaded;
	void *handle = NULL;

	for (size_t i = 0; !is_loaded && !handle && i < COUNT_OF(names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (is_loaded || !handle)
		return is_loaded ? &loaded : NULL;
#define LOAD(type, name, args)                                                                     \
	*(void **)&loaded.name = dlsym(handle, #name);                                             \
	if (!loaded.name)                                                                          \
		return NULL;
	CRYPTO_FUNCTIONS(LOAD)
#undef LOAD
	is_loaded = true;
	return &loaded;
}

/* An encrypted key would ask for its password on the terminal. */
static int no_password(char *buf, int size, int is_writing, void *arg)
{
	(void)buf, (void)size, (void)is_writing, (void)arg;
	return 0;
}

static EVP_PKEY *read_key(const struct crypto *c, struct str pem)
{
	BIO *bio = c->BIO_new_mem_buf(pem.ptr, (int)pem.len);
	EVP_PKEY *key = NULL;

	if (bio)
		key = c->PEM_read_bio_PrivateKey(bio, NULL, (void *)no_password, NULL);
	c->BIO_free(bio);
	return key;
}

static bool sign_with(const struct crypto *c, EVP_PKEY *key, struct str text, struct buf *ret)
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
	const struct crypto *c = load();
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

#ifndef BASE_LIBCRYPTO_H
#define BASE_LIBCRYPTO_H
/*
 * OpenSSL's libcrypto, loaded with the first signature and never linked: it costs
 * 3.6 MiB at the start.  libcrypto.c is the only file that loads it; its functions
 * are declared here as far as they are used.
 *
 * Any thread may call; the library stays loaded, because OpenSSL does not support
 * unloading.
 */
#include "base/util.h"

typedef struct bio_st BIO;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;

#define LIBCRYPTO_ED25519 1087 /* EVP_PKEY_ED25519 */

#define LIBCRYPTO_FUNCTIONS(X)                                                                     \
	X(BIO *, BIO_new_mem_buf, (const void *, int))                                             \
	X(int, BIO_free, (BIO *))                                                                  \
	X(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *, EVP_PKEY **, void *, void *))               \
	X(EVP_PKEY *, EVP_PKEY_new_raw_private_key, (int, void *, const unsigned char *, size_t))  \
	X(EVP_PKEY *, EVP_PKEY_new_raw_public_key, (int, void *, const unsigned char *, size_t))   \
	X(int, EVP_PKEY_get_raw_public_key, (const EVP_PKEY *, unsigned char *, size_t *))         \
	X(void, EVP_PKEY_free, (EVP_PKEY *))                                                       \
	X(EVP_MD_CTX *, EVP_MD_CTX_new, (void))                                                    \
	X(void, EVP_MD_CTX_free, (EVP_MD_CTX *))                                                   \
	X(EVP_PKEY *, d2i_PUBKEY, (EVP_PKEY **, const unsigned char **, long))                     \
	X(int, EVP_PKEY_CTX_ctrl_str, (void *, const char *, const char *))                        \
	X(const EVP_MD *, EVP_sha256, (void))                                                      \
	X(const EVP_MD *, EVP_sha384, (void))                                                      \
	X(const EVP_MD *, EVP_sha512, (void))                                                      \
	X(int, EVP_DigestSignInit, (EVP_MD_CTX *, void **, const EVP_MD *, void *, EVP_PKEY *))    \
	X(int, EVP_DigestSign,                                                                     \
	  (EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t))                \
	X(int, EVP_DigestVerifyInit, (EVP_MD_CTX *, void **, const EVP_MD *, void *, EVP_PKEY *))  \
	X(int, EVP_DigestVerify,                                                                   \
	  (EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t))            \
	X(void, ERR_clear_error, (void))

struct libcrypto {
#define FIELD(type, name, args) type(*name) args;
	LIBCRYPTO_FUNCTIONS(FIELD)
#undef FIELD
};

/* NULL: the library is not installed, or lacks a function. */
const struct libcrypto *libcrypto_load(void);

#endif

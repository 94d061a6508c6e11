#ifndef PROVIDER_RS256_H
#define PROVIDER_RS256_H
/*
 * RS256 signatures (RSASSA-PKCS1-v1_5 with SHA-256) by OpenSSL's libcrypto, which is
 * loaded with the first signature (base/os/libcrypto.h).
 */
#include "base/buf.h"
#include "base/err.h"

/* pem: a private key, PKCS #8 or PKCS #1.  ERR_UNSUPPORTED: the library cannot be loaded. */
enum err rs256_sign(struct str pem, struct str text, struct buf *ret, struct error *e) MUST_USE;

#endif

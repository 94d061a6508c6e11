#ifndef PROVIDER_RS256_H
#define PROVIDER_RS256_H
/*
 * RS256 signatures (RSASSA-PKCS1-v1_5 with SHA-256) by OpenSSL's libcrypto.
 *
 * The library is loaded with the first signature and never linked: it costs
 * 3.6 MiB at the start, and libcurl has usually loaded it by then.  This is the
 * only file that knows it.
 */
#include "base/buf.h"
#include "base/err.h"

/* pem: a private key, PKCS #8 or PKCS #1.  ERR_UNSUPPORTED: the library cannot be loaded. */
enum err rs256_sign(struct str pem, struct str text, struct buf *ret, struct error *e) MUST_USE;

#endif

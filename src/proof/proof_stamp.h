#ifndef PROOF_STAMP_H
#define PROOF_STAMP_H
/*
 * Time stamps of RFC 3161: the request for a hash, and what a response says.
 *
 * The signature inside a token is not checked here: that needs the certificate of
 * the authority.  `openssl ts -verify` does it.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/hash/sha256.h"

#define PROOF_STAMP_PATH "manifest.tsr"
#define PROOF_STAMP_MAX (256u << 10)

/* A TimeStampReq that asks for the certificates too. */
void proof_stamp_request(struct buf *out, const struct sha256 *hash);

struct proof_stamp {
	struct sha256 hash; /* that was stamped */
	struct str time;    /* when, as the token says: "20261117024327Z"; in the response */
};
/* ERR_INVALID: not a response with a token about a SHA-256, or the authority has refused. */
enum err proof_stamp_read(struct str response, struct proof_stamp *ret, struct error *e) MUST_USE;

#endif

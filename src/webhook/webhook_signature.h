#ifndef WEBHOOK_SIGNATURE_H
#define WEBHOOK_SIGNATURE_H
/*
 * Signatures of webhooks.
 *
 *   standard  webhook-signature: v1,BASE64 of HMAC-SHA256 over ID.TIMESTAMP.BODY   (Standard Webhooks)
 *   github    X-Hub-Signature-256: sha256=HEX of HMAC-SHA256 over BODY
 *   slack     X-Slack-Signature: v0=HEX of HMAC-SHA256 over v0:TIMESTAMP:BODY
 *   bearer    Authorization: Bearer SECRET
 *
 * Where a timestamp is signed, it may differ from the clock by WEBHOOK_SIGNATURE_SKEW_S.  A secret that
 * begins with whsec_ is base64 behind that, as Standard Webhooks writes secrets.
 */
#include "base/buf.h"

#define WEBHOOK_SIGNATURE_SKEW_S 300

enum webhook_scheme {
	WEBHOOK_STANDARD,
	WEBHOOK_GITHUB,
	WEBHOOK_SLACK,
	WEBHOOK_BEARER,
};

/* While a secret is being replaced, both are valid; absent: there is only one. */
struct webhook_secrets {
	struct str current, previous;
};

/* Headers of a delivery, by what they say; absent: not sent. */
struct webhook_signed {
	struct str id, timestamp, signature; /* of the scheme; authorization for bearer */
	struct str body;
};

/* NULL: the secret can be used.  Otherwise what is wrong with it, in words. */
const char *webhook_signature_fault(enum webhook_scheme scheme, struct str secret);
/* False: there is no such scheme. */
bool webhook_signature_read_scheme(struct str word, enum webhook_scheme *ret) MUST_USE;
/* NULL: the signature is good.  Otherwise what is wrong, in a sentence. */
const char *webhook_signature_check(enum webhook_scheme scheme,
                                    const struct webhook_secrets *secrets,
                                    const struct webhook_signed *d, int64_t now_s);
/* The value of the header webhook-signature: one signature per secret. */
void webhook_signature_write(struct buf *out, const struct webhook_secrets *secrets, struct str id,
                             int64_t timestamp_s, struct str body);

#endif

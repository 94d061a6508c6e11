#ifndef PROOF_ENVELOPE_H
#define PROOF_ENVELOPE_H
/*
 * The signature of a pack: a DSSE envelope over an in-toto statement.
 *
 * The statement names every other file of the pack with its SHA-256, and says by
 * which key, when and until when it was signed.  The public key inside lets anyone
 * see that the signature fits; whether the key is the right one, only a copy
 * from elsewhere tells.
 *
 * An envelope that is read must have the bytes that would be written for its
 * content: a changed byte that changes no value is found as well.
 */
#include "base/buf.h"
#include "base/hash/ed25519.h"
#include "base/hash/sha256.h"
#include "proof/proof_key.h"

#define PROOF_ENVELOPE_PATH "manifest.dsse.json"

struct proof_subject {
	struct str path;
	struct sha256 hash;
};

struct proof_statement {
	struct str evidence_id;
	int64_t signed_at, expires_at; /* wall ms; expires_at 0: never */
	struct ed25519_public key;
	const struct proof_subject *subjects; /* sorted by path */
	size_t count;
};

/* The in-toto statement, and the bytes that are signed for it (DSSE, PAE). */
void proof_envelope_statement(struct buf *out, const struct proof_statement *s);
void proof_envelope_signed(struct buf *out, struct str statement);
void proof_envelope_write(struct buf *out, struct str statement, const struct ed25519_public *key,
                          const struct ed25519_signature *sig);

/* ERR_INVALID: not such an envelope; strings live in mem.  The signature is not checked. */
enum err proof_envelope_read(struct arena *mem, struct str text, struct proof_statement *ret,
                             struct str *ret_statement, struct ed25519_signature *ret_sig,
                             struct error *e) MUST_USE;

#endif

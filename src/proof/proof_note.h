#ifndef PROOF_NOTE_H
#define PROOF_NOTE_H
/*
 * Checkpoints of a hash tree, as signed notes (C2SP: signed-note, tlog-checkpoint).
 *
 *	thole/rt_01m7fr3yr0e0kb5te5crt893zq      origin: names the tree
 *	42                                       leaves
 *	ZlYtbUVtWmtPVjR0eFlZM3lRVGZrc0d3TjQ=     root
 *
 *	— thole/rt_01m7fr3yr0e0kb5te5crt893zq 6g…    signer, and the signature in base64
 *
 * The signature covers the text with its last line end, without the empty line.
 * A note may have further signatures, of witnesses; those of unknown keys are
 * passed by.
 */
#include "base/hash/ed25519.h"
#include "base/hash/sha256.h"
#include "base/buf.h"
#include "proof/proof_key.h"

#define PROOF_NOTE_MAX (64u << 10)
#define PROOF_NOTE_SIGNATURES_MAX 64

struct proof_checkpoint {
	struct str origin; /* no spaces, no plus */
	uint64_t size;
	struct sha256 root;
};

/* The text that is signed. */
void proof_note_text(struct buf *out, const struct proof_checkpoint *c);
/* The whole note: text, empty line, one signature. */
void proof_note_write(struct buf *out, struct str text, struct str name,
                      const struct ed25519_public *key, const struct ed25519_signature *sig);

enum proof_note_result {
	PROOF_NOTE_GOOD,
	PROOF_NOTE_MALFORMED, /* not a checkpoint in a signed note */
	PROOF_NOTE_FOREIGN,   /* no signature is of one of the keys */
	PROOF_NOTE_FORGED,    /* a signature names one of the keys and is not of it */
	PROOF_NOTE_UNCHECKED, /* libcrypto cannot be loaded */
};
/*
 * Strings of *ret point into the note.  ret_key: the key whose signature was good.  With
 * PROOF_NOTE_FOREIGN and PROOF_NOTE_FORGED *ret is filled too.
 */
enum proof_note_result proof_note_read(struct str note, const struct proof_keys *keys,
                                       struct proof_checkpoint *ret,
                                       struct ed25519_public *ret_key);

#endif

#ifndef PROOF_PACK_H
#define PROOF_PACK_H
/*
 * checkpoint.json of a pack: a checkpoint, and the proofs that the head of the
 * pack's chain is a leaf of its tree and that the tree continues the one before.
 *
 * A leaf is the text "sessionId sequence hash".
 */
#include "base/hash/merkle.h"
#include "proof/proof_note.h"

#define PROOF_PACK_PATH "checkpoint.json"

struct proof_pack {
	struct str note;
	struct str leaf;
	uint64_t index;
	struct merkle_proof inclusion;
	/* The tree before the leaves of this checkpoint were added. */
	uint64_t previous_size;
	struct sha256 previous_root;
	struct merkle_proof consistency;
};

void proof_pack_write(struct buf *out, const struct proof_pack *p);
/* ERR_INVALID: not such a document, or not written as one is; strings live in mem. */
enum err proof_pack_read(struct arena *mem, struct str text, struct proof_pack *ret,
                         struct error *e) MUST_USE;
/* NULL: both proofs hold for this checkpoint; else what does not. */
const char *proof_pack_fault(const struct proof_pack *p, const struct proof_checkpoint *c);

#endif

#ifndef BASE_MERKLE_H
#define BASE_MERKLE_H
/*
 * Hash trees of RFC 6962, section 2.1: the root over a list of leaves, and proofs
 * that a leaf is in a tree and that one tree continues another.
 *
 * A tree that grows keeps only its peaks: the roots of its complete subtrees, from
 * left to right, at most one for each bit of its size.  They are enough for the
 * root, for adding leaves, and for proofs about the leaves that are added.
 *
 * Pure.  Proofs that come from outside may be anything: the checks accept any
 * input and are false unless it proves.
 */
#include "base/hash/sha256.h"

/* SHA256(0x00 ‖ leaf) */
struct sha256 merkle_leaf(struct str leaf);
/* Of leaves as merkle_leaf() gives them; none: SHA256 of nothing. */
struct sha256 merkle_root(const struct sha256 *leaves, size_t count);

#define MERKLE_PEAKS_MAX 63
/* Hashes of a proof: a path through 63 levels, and the node where it begins. */
#define MERKLE_PROOF_MAX 64

struct merkle_tree {
	uint64_t size;
	size_t count; /* of peaks */
	struct sha256 peaks[MERKLE_PEAKS_MAX];
};

/* False: that many peaks are not those of a tree of this size.  The peaks are set by the caller. */
bool merkle_tree_is_valid(const struct merkle_tree *t);
void merkle_tree_add(struct merkle_tree *t, const struct sha256 *leaf);
struct sha256 merkle_tree_root(const struct merkle_tree *t);

struct merkle_proof {
	size_t count;
	struct sha256 hashes[MERKLE_PROOF_MAX];
};

/* A tree, and the leaves that were added to it. */
struct merkle_growth {
	const struct merkle_tree *before;
	const struct sha256 *added;
	size_t count;
};
/* That added[index] is in the new tree. */
void merkle_prove_leaf(const struct merkle_growth *g, size_t index, struct merkle_proof *ret);
/* That the new tree begins with the leaves of the old one. */
void merkle_prove_growth(const struct merkle_growth *g, struct merkle_proof *ret);

bool merkle_check_leaf(const struct sha256 *leaf, uint64_t index, uint64_t size,
                       const struct sha256 *root, const struct merkle_proof *proof) MUST_USE;
bool merkle_check_growth(uint64_t size1, const struct sha256 *root1, uint64_t size2,
                         const struct sha256 *root2, const struct merkle_proof *proof) MUST_USE;

#endif

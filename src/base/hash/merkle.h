#ifndef BASE_MERKLE_H
#define BASE_MERKLE_H
/* Hash trees of RFC 6962, section 2.1: the root over a list of leaves. */
#include "base/hash/sha256.h"

/* SHA256(0x00 ‖ leaf) */
struct sha256 merkle_leaf(struct str leaf);
/* Of leaves as merkle_leaf() gives them; none: SHA256 of nothing. */
struct sha256 merkle_root(const struct sha256 *leaves, size_t count);

#endif

/*
 * Hash trees of RFC 6962.  Leaves and inner nodes are hashed with different
 * prefixes, so that a node cannot pass for a leaf.
 */
#include "base/hash/merkle.h"

struct sha256 merkle_leaf(struct str leaf)
{
	struct sha256_stream s;

	sha256_begin(&s);
	sha256_more(&s, str_of("\0", 1));
	sha256_more(&s, leaf);
	return sha256_end(&s);
}

static struct sha256 merkle_node(const struct sha256 *left, const struct sha256 *right)
{
	struct sha256_stream s;

	sha256_begin(&s);
	sha256_more(&s, str_of("\1", 1));
	sha256_more(&s, str_of((const char *)left->state, SHA256_BYTES));
	sha256_more(&s, str_of((const char *)right->state, SHA256_BYTES));
	return sha256_end(&s);
}

/* The recursion is as deep as the logarithm of the count. */
struct sha256 merkle_root(const struct sha256 *leaves, size_t count)
{
	struct sha256 left, right;
	size_t half = 1;

	if (count == 0)
		return sha256_of(STR(""));
	if (count == 1)
		return leaves[0];
	while (half * 2 < count) /* the largest power of two below count */
		half *= 2;
	left = merkle_root(leaves, half);
	right = merkle_root(leaves + half, count - half);
	return merkle_node(&left, &right);
}

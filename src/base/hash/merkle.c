/*
 * Hash trees of RFC 6962.  Leaves and inner nodes are hashed with different
 * prefixes, so that a node cannot pass for a leaf.  The checks of proofs follow
 * RFC 9162, sections 2.1.3.2 and 2.1.4.2.
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

/* The largest power of two below a size above 1. */
static uint64_t half_of(uint64_t size)
{
	return 1ull << (63 - __builtin_clzll(size - 1));
}

/* The recursion is as deep as the logarithm of the count. */
struct sha256 merkle_root(const struct sha256 *leaves, size_t count)
{
	struct sha256 left, right;
	size_t half;

	if (count == 0)
		return sha256_of(STR(""));
	if (count == 1)
		return leaves[0];
	half = (size_t)half_of(count);
	left = merkle_root(leaves, half);
	right = merkle_root(leaves + half, count - half);
	return merkle_node(&left, &right);
}

/* ---- a tree that grows ---- */

bool merkle_tree_is_valid(const struct merkle_tree *t)
{
	return t->size < 1ull << MERKLE_PEAKS_MAX &&
	       t->count == (size_t)__builtin_popcountll(t->size);
}

/* Each bit of the size that is carried joins two subtrees of the same height. */
void merkle_tree_add(struct merkle_tree *t, const struct sha256 *leaf)
{
	struct sha256 node = *leaf;

	for (uint64_t bits = t->size; bits & 1; bits >>= 1)
		node = merkle_node(&t->peaks[--t->count], &node);
	t->peaks[t->count++] = node;
	t->size++;
}

struct sha256 merkle_tree_root(const struct merkle_tree *t)
{
	struct sha256 node;

	if (!t->count)
		return sha256_of(STR(""));
	node = t->peaks[t->count - 1];
	for (size_t i = t->count - 1; i-- > 0;)
		node = merkle_node(&t->peaks[i], &node);
	return node;
}

/* ---- proofs ---- */

/* The peak of the old tree that covers exactly these leaves; NULL: none does. */
static const struct sha256 *peak_of(const struct merkle_tree *t, uint64_t from, uint64_t to)
{
	uint64_t at = 0, left = t->size;

	for (size_t i = 0; i < t->count; i++) {
		uint64_t covers = 1ull << (63 - __builtin_clzll(left));

		if (at == from && at + covers == to)
			return &t->peaks[i];
		at += covers;
		left -= covers;
	}
	return NULL;
}

/* Only nodes above the old tree's peaks are asked for: below them nothing is known. */
static struct sha256 node_over(const struct merkle_growth *g, uint64_t from, uint64_t to)
{
	const struct sha256 *peak = peak_of(g->before, from, to);
	struct sha256 left, right;
	uint64_t middle;

	if (peak)
		return *peak;
	if (from >= g->before->size)
		return merkle_root(g->added + (from - g->before->size), (size_t)(to - from));
	middle = from + half_of(to - from);
	left = node_over(g, from, middle);
	right = node_over(g, middle, to);
	return merkle_node(&left, &right);
}

static void put_node(const struct merkle_growth *g, uint64_t from, uint64_t to,
                     struct merkle_proof *ret)
{
	ret->hashes[ret->count++] = node_over(g, from, to);
}

/* PATH() of RFC 6962: the other half at each level, from the leaf upwards. */
static void put_path(const struct merkle_growth *g, uint64_t index, uint64_t from, uint64_t to,
                     struct merkle_proof *ret)
{
	uint64_t middle;

	if (to - from == 1)
		return;
	middle = from + half_of(to - from);
	if (index < middle) {
		put_path(g, index, from, middle, ret);
		put_node(g, middle, to, ret);
	} else {
		put_path(g, index, middle, to, ret);
		put_node(g, from, middle, ret);
	}
}

void merkle_prove_leaf(const struct merkle_growth *g, size_t index, struct merkle_proof *ret)
{
	ret->count = 0;
	put_path(g, g->before->size + index, 0, g->before->size + g->count, ret);
}

/* SUBPROOF() of RFC 6962.  is_whole: the old root itself is known to who checks. */
static void put_growth(const struct merkle_growth *g, uint64_t from, uint64_t to, bool is_whole,
                       struct merkle_proof *ret)
{
	uint64_t old = g->before->size, middle;

	if (to == old) {
		if (!is_whole)
			put_node(g, from, to, ret);
		return;
	}
	middle = from + half_of(to - from);
	if (old <= middle) {
		put_growth(g, from, middle, is_whole, ret);
		put_node(g, middle, to, ret);
	} else {
		put_growth(g, middle, to, false, ret);
		put_node(g, from, middle, ret);
	}
}

void merkle_prove_growth(const struct merkle_growth *g, struct merkle_proof *ret)
{
	ret->count = 0;
	if (g->before->size && g->count)
		put_growth(g, 0, g->before->size + g->count, true, ret);
}

/* ---- checks ---- */

bool merkle_check_leaf(const struct sha256 *leaf, uint64_t index, uint64_t size,
                       const struct sha256 *root, const struct merkle_proof *proof)
{
	uint64_t at = index, last = size - 1;
	struct sha256 node = *leaf;

	if (index >= size || proof->count > MERKLE_PROOF_MAX)
		return false;
	for (size_t i = 0; i < proof->count; i++) {
		if (!last)
			return false;
		if (at & 1 || at == last) {
			node = merkle_node(&proof->hashes[i], &node);
			while (!(at & 1) && at) {
				at >>= 1;
				last >>= 1;
			}
		} else {
			node = merkle_node(&node, &proof->hashes[i]);
		}
		at >>= 1;
		last >>= 1;
	}
	return !last && sha256_eq(&node, root);
}

/* Both roots are computed from the proof; `first` may be the old root itself. */
static bool growth_leads(uint64_t at, uint64_t last, const struct sha256 *first,
                         const struct sha256 *rest, size_t count, const struct sha256 *root1,
                         const struct sha256 *root2)
{
	struct sha256 one = *first, two = *first;

	for (size_t i = 0; i < count; i++) {
		if (!last)
			return false;
		if (at & 1 || at == last) {
			one = merkle_node(&rest[i], &one);
			two = merkle_node(&rest[i], &two);
			while (!(at & 1) && at) {
				at >>= 1;
				last >>= 1;
			}
		} else {
			two = merkle_node(&two, &rest[i]);
		}
		at >>= 1;
		last >>= 1;
	}
	return !last && sha256_eq(&one, root1) && sha256_eq(&two, root2);
}

bool merkle_check_growth(uint64_t size1, const struct sha256 *root1, uint64_t size2,
                         const struct sha256 *root2, const struct merkle_proof *proof)
{
	bool is_complete = size1 && !(size1 & (size1 - 1));
	uint64_t at = size1 - 1, last = size2 - 1;
	struct sha256 empty = sha256_of(STR(""));

	if (size1 > size2 || proof->count > MERKLE_PROOF_MAX)
		return false;
	if (!size1)
		return !proof->count && sha256_eq(root1, &empty);
	if (size1 == size2)
		return !proof->count && sha256_eq(root1, root2);
	if (!is_complete && !proof->count)
		return false;
	while (at & 1) {
		at >>= 1;
		last >>= 1;
	}
	return is_complete
	               ? growth_leads(at, last, root1, proof->hashes, proof->count, root1, root2)
	               : growth_leads(at, last, proof->hashes, proof->hashes + 1, proof->count - 1,
	                              root1, root2);
}

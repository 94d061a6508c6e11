#include "base/hash/merkle.h"

#include "lib/t.h"

#define LEAVES 40

/* The leaves and roots with which implementations of RFC 6962 are usually compared. */
static const struct {
	const char *leaf, *root;
} known[] = {
	{ "", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
	{ "00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125" },
	{ "10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77" },
	{ "2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7" },
	{ "3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4" },
	{ "40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef" },
	{ "5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c" },
	{ "606162636465666768696a6b6c6d6e6f",
	  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328" },
};

static struct str unhex(struct arena *mem, const char *hex)
{
	size_t len = strlen(hex) / 2;
	char *out = arena_alloc(mem, len + 1);

	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
		out[i] = (char)byte;
	}
	return str_of(out, len);
}

TEST(known_roots_come_out_and_a_growing_tree_has_them_too)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct merkle_tree tree = { 0 };
	struct sha256 leaves[COUNT_OF(known)];
	struct sha256 root = merkle_tree_root(&tree);

	CHECK_STR(sha256_hex(mem, &root),
	          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		leaves[i] = merkle_leaf(unhex(mem, known[i].leaf));
		merkle_tree_add(&tree, &leaves[i]);
		root = merkle_root(leaves, i + 1);
		CHECK_SAME(sha256_hex(mem, &root), str_from(known[i].root));
		root = merkle_tree_root(&tree);
		CHECK_SAME(sha256_hex(mem, &root), str_from(known[i].root));
		CHECK(merkle_tree_is_valid(&tree) && tree.size == i + 1);
	}
}

TEST(a_known_proof_comes_out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct merkle_tree empty = { 0 };
	struct sha256 leaves[COUNT_OF(known)];
	struct merkle_growth g = { &empty, leaves, COUNT_OF(known) };
	struct merkle_proof p;

	for (size_t i = 0; i < COUNT_OF(known); i++)
		leaves[i] = merkle_leaf(unhex(mem, known[i].leaf));
	merkle_prove_leaf(&g, 0, &p);
	CHECK(p.count == 3);
	CHECK_STR(sha256_hex(mem, &p.hashes[0]),
	          "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7");
	CHECK_STR(sha256_hex(mem, &p.hashes[1]),
	          "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e");
	CHECK_STR(sha256_hex(mem, &p.hashes[2]),
	          "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4");
}

/* Everything that a tree of `count` leaves is compared with. */
struct grown {
	struct sha256 leaves[LEAVES], roots[LEAVES + 1];
	struct merkle_tree trees[LEAVES + 1];
};

static void grow(struct grown *g)
{
	struct merkle_tree tree = { 0 };

	for (size_t i = 0; i <= LEAVES; i++) {
		char text[16];

		g->trees[i] = tree;
		g->roots[i] = merkle_root(g->leaves, i);
		if (i == LEAVES)
			return;
		snprintf(text, sizeof text, "leaf %zu", i);
		g->leaves[i] = merkle_leaf(str_from(text));
		merkle_tree_add(&tree, &g->leaves[i]);
	}
}

/* A proof that was changed anywhere, or is shorter or longer, proves nothing. */
static void check_changed_growth(const struct grown *g, size_t m, size_t n,
                                 const struct merkle_proof *p)
{
	struct merkle_proof bad;

	for (size_t i = 0; i < p->count; i++) {
		bad = *p;
		bad.hashes[i].state[i % 32] ^= 1;
		CHECK(!merkle_check_growth(m, &g->roots[m], n, &g->roots[n], &bad));
	}
	bad = *p;
	bad.hashes[bad.count++] = g->leaves[0];
	CHECK(!merkle_check_growth(m, &g->roots[m], n, &g->roots[n], &bad));
	if (p->count) {
		bad = *p;
		bad.count--;
		CHECK(!merkle_check_growth(m, &g->roots[m], n, &g->roots[n], &bad));
	}
}

TEST(every_growth_of_a_tree_is_proved_and_a_changed_proof_is_not)
{
	static struct grown g;

	grow(&g);
	for (size_t m = 0; m <= LEAVES; m++)
		for (size_t n = m; n <= LEAVES; n++) {
			struct merkle_growth growth = { &g.trees[m], g.leaves + m, n - m };
			struct merkle_proof p;

			merkle_prove_growth(&growth, &p);
			CHECK(merkle_check_growth(m, &g.roots[m], n, &g.roots[n], &p));
			check_changed_growth(&g, m, n, &p);
			if (m && m < n)
				CHECK(!merkle_check_growth(m, &g.roots[m - 1], n, &g.roots[n], &p));
			if (m && m < n)
				CHECK(!merkle_check_growth(m, &g.roots[m], n, &g.roots[n - 1], &p));
		}
}

TEST(every_added_leaf_is_proved_and_no_other)
{
	static struct grown g;

	grow(&g);
	for (size_t m = 0; m < LEAVES; m++)
		for (size_t n = m + 1; n <= LEAVES; n++)
			for (size_t i = m; i < n; i++) {
				struct merkle_growth growth = { &g.trees[m], g.leaves + m, n - m };
				struct merkle_proof p;

				merkle_prove_leaf(&growth, i - m, &p);
				CHECK(merkle_check_leaf(&g.leaves[i], i, n, &g.roots[n], &p));
				CHECK(!merkle_check_leaf(&g.leaves[i ? i - 1 : 1], i, n,
				                         &g.roots[n], &p));
				CHECK(!merkle_check_leaf(&g.leaves[i], i + n, n, &g.roots[n], &p));
				if (p.count) {
					p.hashes[p.count - 1].state[0] ^= 1;
					CHECK(!merkle_check_leaf(&g.leaves[i], i, n, &g.roots[n],
					                         &p));
				}
			}
}

TEST(sizes_that_no_tree_has_prove_nothing)
{
	struct sha256 any = sha256_of(STR("x"));
	struct merkle_proof none = { 0 }, many = { .count = MERKLE_PROOF_MAX };
	struct merkle_tree wrong = { .size = 5, .count = 3 };

	CHECK(!merkle_check_leaf(&any, 0, 0, &any, &none));
	CHECK(!merkle_check_leaf(&any, UINT64_MAX, UINT64_MAX, &any, &many));
	CHECK(!merkle_check_leaf(&any, 0, UINT64_MAX, &any, &many));
	CHECK(!merkle_check_growth(2, &any, 1, &any, &none));
	CHECK(!merkle_check_growth(0, &any, 9, &any, &none));
	CHECK(!merkle_check_growth(1, &any, UINT64_MAX, &any, &many));
	CHECK(!merkle_check_growth(UINT64_MAX - 1, &any, UINT64_MAX, &any, &many));
	CHECK(!merkle_tree_is_valid(&wrong));
}

TEST_MAIN()

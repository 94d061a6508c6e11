/*
 * Seeded random requests to a real store and to the model: every reply is the same.
 *
 * Replies are written as text and compared: what ports/store.h promises, and no more.
 * Where it leaves something open, the comparison does too: where pages of READ_ALL and
 * of sessions end, how much of a session PACK packs, how many steps maintenance takes.
 *
 *   test_contract_random              20 seeds; with THOLE_DEEP=1 many more
 *   THOLE_SEED=7 test_contract_random one seed
 *   THOLE_STORE=postgres              this kind of store instead of SQLite's; fewer seeds
 */
#include "random.h"

#define STEPS 2000
#define SEEDS 20
#define SEEDS_DEEP 500
#define SEEDS_OF_KIND 2

static void step(struct run *r)
{
	uint64_t n = random_any(r, 100);

	if (n < 45)
		random_step_batches(r);
	else if (n < 80)
		random_step_read(r);
	else if (n < 92)
		random_step_maintenance(r);
	else
		random_step_other(r);
}

static bool has_lines(struct str all, struct str some)
{
	while (some.len) {
		struct str line = str_cut(&some, '\n');

		if (line.len && str_find(all, line) < 0)
			return false;
	}
	return true;
}

static void compare(uint64_t seed, int at, const struct run *a, const struct run *b)
{
	struct str x = buf_str(a->out), y = buf_str(b->out);

	if (a->is_subset ? has_lines(x, y) : str_eq(x, y))
		return;
	t_fail(__FILE__, __LINE__, "seed %llu, step %d\n%s: %.*s\n%s: %.*s",
	       (unsigned long long)seed, at, a->c->kind->name, (int)MIN(x.len, 900u), x.ptr,
	       b->c->kind->name, (int)MIN(y.len, 900u), y.ptr);
}

static void play(uint64_t seed, const char *kind)
{
	struct contract a, b;
	struct world w = { .rng = rng_of(seed, 18) };

	contract_init(&a, contract_kind(kind));
	contract_init(&b, contract_kind("model"));
	for (int i = 0; i < STEPS; i++) {
		CLEANUP(buf_done) struct buf x = { 0 };
		CLEANUP(buf_done) struct buf y = { 0 };
		struct world copy = w;
		struct run ra = { &w, &a, &x, false }, rb = { &copy, &b, &y, false };

		step(&ra);
		step(&rb);
		compare(seed, i, &ra, &rb);
	}
	contract_done(&a);
	contract_done(&b);
}

TEST(every_reply_is_that_of_the_model)
{
	const char *only = getenv("THOLE_SEED"), *kind = getenv("THOLE_STORE");
	bool is_deep = getenv("THOLE_DEEP");
	uint64_t seeds = kind ? (is_deep ? 10 : 1) * SEEDS_OF_KIND : is_deep ? SEEDS_DEEP : SEEDS;

	if (only) {
		play(strtoull(only, NULL, 10), kind ? kind : "sqlite");
		return;
	}
	for (uint64_t seed = 0; seed < seeds; seed++)
		play(seed, kind ? kind : seed % 4 == 3 ? "sqlite-threads" : "sqlite");
}

TEST_MAIN()

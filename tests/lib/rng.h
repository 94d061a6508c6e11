#ifndef TESTS_RNG_H
#define TESTS_RNG_H
/* Pseudo-random numbers, the same for the same seed: SplitMix64. */
#include "base/util.h"

struct rng {
	uint64_t state;
};

static inline struct rng rng_of(uint64_t seed, uint64_t purpose)
{
	return (struct rng){ seed * 0x9e3779b97f4a7c15ull ^ (purpose + 1) * 0xd1342543de82ef95ull };
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* 0 .. below - 1; of nothing 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t below)
{
	return below ? rng_next(r) % below : 0;
}

/* from .. to, both included. */
static inline int64_t rng_range(struct rng *r, int64_t from, int64_t to)
{
	return from + (int64_t)rng_below(r, (uint64_t)(to - from) + 1);
}

static inline bool rng_percent(struct rng *r, unsigned percent)
{
	return rng_below(r, 100) < percent;
}

#endif

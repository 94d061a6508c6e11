#ifndef POLICY_ANALYSIS_H
#define POLICY_ANALYSIS_H
/*
 * The cost limit of one analysis: steps and bytes, shared by everything that it
 * calls.
 *
 * Every piece of work spends steps, and every larger allocation checks first
 * whether it fits.  A spent budget stays spent: the analysis ends quickly with
 * the result "not understood".  The budget counts steps instead of time, so
 * that the result is always the same.  The first half is for parsing, so that
 * rules can still be compared with what was understood until then.
 */
#include "base/arena.h"
#include "base/gen/limits.h"

struct analysis {
	struct arena *mem;
	size_t bytes_before;
	uint64_t steps, steps_max;
	size_t bytes_max;
	bool is_spent;
};

#define ANALYSIS_SPENT_TEXT "it takes more work to understand than one call may take"

static inline struct analysis analysis_of(struct arena *mem)
{
	return (struct analysis){ .mem = mem,
		                  .bytes_before = arena_used(mem),
		                  .steps_max = LIMIT_ANALYSIS_STEPS / 2,
		                  .bytes_max = LIMIT_ANALYSIS_BYTES / 2 };
}

/* From here on the whole budget is available. */
static inline void analysis_open_rest(struct analysis *b)
{
	b->steps = MIN(b->steps, b->steps_max);
	b->steps_max = LIMIT_ANALYSIS_STEPS;
	b->bytes_max = LIMIT_ANALYSIS_BYTES;
	b->is_spent = false;
}

static inline size_t analysis_bytes(const struct analysis *b)
{
	return arena_used(b->mem) - b->bytes_before;
}

/* False: the budget is spent; give up.  b may be NULL: nothing is counted. */
static inline bool analysis_spend(struct analysis *b, size_t steps)
{
	if (!b)
		return true;
	b->steps += steps;
	if (b->steps > b->steps_max || analysis_bytes(b) > b->bytes_max)
		b->is_spent = true;
	return !b->is_spent;
}

/* Called before so many bytes are allocated; copying them costs steps too. */
static inline bool analysis_fits(struct analysis *b, size_t bytes)
{
	if (!b)
		return true;
	if (bytes > b->bytes_max || analysis_bytes(b) > b->bytes_max - bytes)
		b->is_spent = true;
	return analysis_spend(b, 1 + bytes / 16);
}

static inline bool analysis_is_spent(const struct analysis *b)
{
	return b && b->is_spent;
}

#endif

#ifndef TESTS_STORE_RANDOM_H
#define TESTS_STORE_RANDOM_H
/*
 * Random requests to a store, and their replies as text.
 *
 * A step draws from the world's numbers, sends requests and writes what came back.  Two
 * stores that get the same world get the same requests.
 */
#include "contract.h"

#include "base/buf.h"
#include "rng.h"

#define SESSIONS 8

/* What the sender of requests knows.  Both stores get the same from a copy each. */
struct world {
	struct rng rng;
	struct {
		unsigned generation; /* a deleted id is not used again */
		uint64_t seq;
		struct sha256 hash;
		bool is_packed, is_uncertain; /* records of its journal may have left early */
	} sessions[SESSIONS];
};

struct run {
	struct world *w;
	struct contract *c;
	struct buf *out;
	bool is_subset; /* the model's lines are among the other's, which may have more */
};

uint64_t random_any(struct run *r, uint64_t below);
bool random_chance(struct run *r, unsigned percent);
/* One of `size` names. */
struct str random_pool(struct run *r, const char *prefix, uint64_t size);
/* Any bytes, or absent. */
struct str random_text(struct run *r, size_t max);
/* Letters, or absent: columns that hold text. */
struct str random_word(struct run *r, size_t max);

struct str random_session_id(struct run *r, size_t i, unsigned generation);
/* A session that lives, was deleted, or never was. */
struct str random_any_session(struct run *r, size_t *ret);

void random_put_str(struct run *r, const char *name, struct str s);
void random_put_int(struct run *r, const char *name, long long n);
void random_put_hash(struct run *r, const char *name, const struct sha256 *h);

void random_step_batches(struct run *r);
void random_step_read(struct run *r);
void random_step_maintenance(struct run *r);
void random_step_other(struct run *r);

#endif

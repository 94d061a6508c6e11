#ifndef ENGINE_EVIDENCE_ERASURES_H
#define ENGINE_EVIDENCE_ERASURES_H
/*
 * Does a log record what was erased or removed from it?
 *
 * The chain keeps the digest of an erased text, so it says nothing about the text that
 * replaces it.  Two properties of an erasure are checked instead: the replacement has no
 * text of its own, and a later event of the same log (snapshot.repaired) names it.
 *
 * Likewise the hash at the floor covers what retention removed, and the store alone says
 * where the floor is: an event behind it (snapshot.updated) has to say the same.
 *
 * The class of an event is a column beside its text, which no hash covers: it has to be that of
 * the text.
 *
 * Rows are offered in their order, from the floor on.
 */
#include "ports/store.h"

struct erasures {
	struct arena *mem; /* of the caller */
	struct str session;
	struct erased_row {
		uint64_t seq;
		bool is_named;
	} * rows;
	size_t count, cap, unnamed;
	uint64_t floor; /* which no event names so far; 0: none */
	struct sha256 floor_hash;
};

/* The log begins behind this event. */
void erasures_begin(struct erasures *x, uint64_t floor, const struct sha256 *hash);

/* NULL, or what is wrong with the row: its class, or an erasure that is none. */
const char *erasures_take(struct erasures *x, const struct event_row *row);
/* NULL, or what no event records so far, at which event. */
const char *erasures_unrecorded(const struct erasures *x, uint64_t *ret_seq);

#endif

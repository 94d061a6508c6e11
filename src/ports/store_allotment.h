#ifndef PORTS_STORE_ALLOTMENT_H
#define PORTS_STORE_ALLOTMENT_H
/*
 * What one node may use of an amount that all nodes share: the money of a day, requests at
 * once.  Each node uses only its *allotment*, so that none has to ask for each use.
 *
 * The allotments of living nodes, and what the ended ones have used (the sums that their slices
 * moved, struct ledger_move), never exceed the cap together.  What an ended node had not used is
 * free.  Used is what was spent or is reserved.
 *
 * One call settles one account in one transaction: the node says what it keeps, and what it
 * wants beyond.  It gets a fair part of what is free, at least what it wants if there is so
 * much.  What was not granted is noted: other nodes hear of it (wanted()), and the node that has
 * waited longest is served first.  A call that is repeated grants nothing twice.
 */
#include "base/err.h"
#include "base/str.h"

#define STORE_WISH_MS 3000 /* a wish that is not repeated for so long is none any more */

struct store_allotment {
	struct str account; /* outlives the call */
	int64_t cap;
	int64_t keep; /* not less than what this node has used */
	int64_t want; /* 0: nothing, and nothing is noted any more */
	void (*done)(struct store_allotment *a);
	void *owner;

	enum err result; /* ERR_UNAVAILABLE: at the close */
	struct error error;
	int64_t amount;          /* the allotment from now on */
	int64_t spent, reserved; /* by everyone but this start of this node */
	bool is_alone;           /* no other node lives */
};

/* The allotment of a node, as every node can read it. */
struct store_allotted {
	struct str account;
	int64_t amount;
	int64_t want; /* 0: nothing, or not for STORE_WISH_MS */
};

#endif

#ifndef TESTS_SLOW_STORE_H
#define TESTS_SLOW_STORE_H
/*
 * A store around a store that takes its time: batches wait before they are
 * written, answers wait after, reads overtake commits; all of it by a seed.
 * What the port promises is kept: batches are written and answered in order.
 *
 * It also lies on request.  The two lies are the mutants that the crash
 * tests have to catch; the third, a disk that does not sync, is the disk's.
 */
#include "ports/store.h"

enum slow_store_lie {
	SLOW_STORE_HONEST,
	SLOW_STORE_ACK_EARLY,     /* a batch is reported committed before it is written */
	SLOW_STORE_PUBLISH_EARLY, /* readers see events before they are written */
};

struct slow_store_options {
	uint64_t seed;
	unsigned hold_percent; /* how often something is kept back at a poll */
	enum slow_store_lie lie;
	/* For SLOW_STORE_PUBLISH_EARLY. */
	void (*publish)(void *owner, struct str session, const struct store_event *ev);
	void *owner;
};

/* Takes inner over: closing this one closes that one. */
struct store *slow_store_open(struct store *inner, const struct slow_store_options *o);

/* While it is stuck nothing is written; what is handed over waits, and grows old. */
void slow_store_stick(struct store *s, bool is_stuck, int64_t (*mono_ms)(void *arg), void *arg);

#endif

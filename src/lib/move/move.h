#ifndef LIB_MOVE_MOVE_H
#define LIB_MOVE_MOVE_H
/*
 * Moves a whole log from one store to another, as it is.
 *
 *	look ──► rows, part by part ──► outputs ──► both logs compared ──► the source says where it is
 *
 * Each page of rows is one transaction of the target with how far the move has come, so a move
 * that ended at any moment continues when it is called again.  Until the end a runtime
 * refuses the target (move_refuse()), from then on the source.
 *
 * The source must be used by nothing else, and nothing of it may be running.  Memory is
 * bounded by a page, whatever the length of the log.
 */
#include "base/err.h"
#include "ports/store.h"

struct move_options {
	const char *from, *to;               /* an absolute directory, or an address */
	const char *from_schema, *to_schema; /* of an address */
	const char *files; /* data directory of a node of the source, for outputs that it lacks */
	bool is_forced;    /* also from a log that has been moved already */
	void (*tell)(void *owner, const char *what, uint64_t done); /* how far it is; may be NULL */
	void *owner;
};

struct move_result {
	uint64_t sessions, events, outputs, missing_outputs;
	bool is_again; /* it was complete before */
};

/*
 * The message begins with a code of docs/reference/store-errors.md.  ERR_BUSY: something uses
 * one of the two, or is running.  ERR_INVALID: these two cannot be source and target.
 * ERR_CORRUPT: the source is damaged, or the target is not what was written.
 */
enum err move_run(const struct move_options *o, struct move_result *ret, struct error *e) MUST_USE;

/* For a runtime that has opened this store: a log that is not whole yet, or is elsewhere. */
enum err move_refuse(struct store *s, struct error *e) MUST_USE;

#endif

#ifndef ENGINE_SESSION_JOURNAL_H
#define ENGINE_SESSION_JOURNAL_H
/*
 * The journal of a session: one record for each group of decisions that yielded
 * events, in the slice of those events.
 */
#include "core/journal/journal.h"

struct engine;
struct session;
struct decision;

/* The group that is being decided; sessions never decide at the same time. */
struct group {
	struct journal journal;
	uint64_t after;   /* the last event before it */
	size_t blobs;     /* in the slice before it */
	bool is_recorded; /* all its decisions are noted */
	struct buf key, body;
	struct buf bodies; /* struct str, of its events */
};

void session_journal_done(struct engine *e);
/* The first decision of a group, and each step after it. */
void session_journal_begin(struct session *s, struct decision *d);
void session_journal_step(struct session *s, struct decision *d);
/* An event was made outside the core: the group cannot be decided again. */
void session_journal_spoil(struct engine *e);
/* All events of the group are applied: adds its record to the slice. */
void session_journal_end(struct session *s);

#endif

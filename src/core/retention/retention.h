#ifndef CORE_RETENTION_H
#define CORE_RETENTION_H
/*
 * What an operator does to a log: its beginning is removed, one event is
 * emptied, what follows from it is made anew.  Each leaves a fact.
 */
#include "core/decision.h"

/* Events from here on are still needed by something that is open; 0: none is. */
int64_t retention_needed_from(const struct state *w);

/* Events through this one are about to be removed; the blob holds the state that stands for them. */
void retention_trim(struct decision *d, int64_t through, struct str hash_hex,
                    struct str snapshot_ref);
/* Models were made anew; gap: the event that was emptied, 0: none. */
void retention_rebuilt(struct decision *d, struct str reason, int64_t gap);

/* The same event without its words: text and free JSON go; ids, words of the catalogue and numbers stay. */
struct str retention_erased_text(struct arena *mem, struct event *ev);

#endif

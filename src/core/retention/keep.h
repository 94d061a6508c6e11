#ifndef CORE_KEEP_H
#define CORE_KEEP_H
/*
 * What an operator does to a log: its beginning is removed, one event is
 * emptied, what follows from it is made anew.  Each leaves a fact.
 */
#include "core/outcome.h"

/* Events from here on are still needed by something that is open; 0: none is. */
int64_t keep_needed_from(const struct world *w);

/* Events through this one are about to be removed; the blob holds the state that stands for them. */
void keep_trim(struct outcome *d, int64_t through, struct str hash_hex, struct str snapshot_ref);
/* Models were made anew; gap: the event that was emptied, 0: none. */
void keep_rebuilt(struct outcome *d, struct str reason, int64_t gap);

/* The same event without its words: text and free JSON go; ids, words of the catalogue and numbers stay. */
struct str keep_erased_text(struct arena *mem, struct event *ev);

#endif

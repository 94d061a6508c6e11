#ifndef CORE_RETENTION_H
#define CORE_RETENTION_H
/*
 * An operator's changes to a log: removing its beginning, erasing one event,
 * rebuilding what is derived from it, deleting a whole session.  An event
 * reports each.
 */
#include "core/decision.h"

/* The first event that open work still needs; 0: none. */
int64_t retention_needed_from(const struct state *w);

/* Events through this one are about to be removed; the blob holds the state that replaces them. */
void retention_trim(struct decision *d, int64_t through, struct str hash_hex,
                    struct str snapshot_ref, struct str reason);
/* The same with the text of that state, which becomes the blob; returns its ref. */
struct str retention_cut(struct decision *d, int64_t through, struct str hash_hex, struct str floor,
                         struct str reason);
/* An export that holds an erased event expires with it. */
void retention_export_expired(struct decision *d, struct str ref, struct str sha256, int64_t size);
/* Derived data was rebuilt; gap: the erased event, 0: none. */
void retention_rebuilt(struct decision *d, struct str reason, int64_t gap);

/*
 * What keeps a session from being deleted, as a sentence that says how to end it; NULL: nothing in
 * it runs or waits.  A connected client does not keep it.
 */
const char *retention_hold(const struct state *w);
/* A session is deleted: the last event about it, in the system session. */
void retention_removed(struct decision *d, const struct rec_session_removal *removal);

/*
 * The event without its content: text and free JSON are removed; ids, words of the catalogue and
 * numbers stay.
 */
struct str retention_erased_text(struct arena *mem, struct event *ev);
/* The same with another word in the place of text. */
struct str retention_masked_text(struct arena *mem, struct event *ev, struct str mark);

#endif

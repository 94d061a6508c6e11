#ifndef CORE_COMPACT_H
#define CORE_COMPACT_H
/*
 * Compaction: older turns are replaced, for the model, by a summary.
 *
 * A model writes the summary; nothing that it writes can lose an obligation,
 * because pending actions, open tasks, incidents and artifacts are carried by
 * the runtime beside it.  It is published in one commit; before that, and
 * when it fails, the history is what it was.  Nothing runs again, and the
 * earlier text stays readable.
 *
 *   by itself   before a request that would pass the share of the window
 *               (threshold), or after one that the provider found too long
 *               (overflow): inside the turn
 *   by command  compact_thread: in a system turn of its own
 *
 * spec: contracts/session-history-recovery#compaction; GAP-10, GAP-58
 */
#include "core/turn/turn.h"

/*
 * Begins one when the next request would be too large.  When that was tried,
 * or there is nothing to replace, and the request would not fit, the oldest
 * turns are cut off, many at once, so that the beginning of the requests that
 * follow stays the same.  False: go on.
 */
bool compact_if_full(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct settings_model *m);
/* How much of the turns the request for their summary may hold. */
size_t compact_input_bytes(const struct settings_model *m, const struct st_compaction_run *c);
/* The same after a refusal for length. */
bool compact_after_overflow(struct decision *d, const struct st_thread *th,
                            const struct st_turn *t);

/* The request for the summary leaves, or waits; false: nothing to do now. */
bool compact_step(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* A system turn that compacts, stepped beside the active turn. */
bool compact_step_system_turn(struct decision *d, const struct st_thread *th);
/* It ends without a summary: an interrupt, a cap, a crash. */
void compact_emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         enum error_category category, struct str message, bool retryable);
/* The turn of a compaction was lost with its request. */
void compact_lose(struct decision *d, const struct st_thread *th);

/* The end of the request, with the text of the summary. */
void compact_summary_ended(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct model_end *e);

#endif

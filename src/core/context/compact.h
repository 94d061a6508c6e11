#ifndef CORE_COMPACT_H
#define CORE_COMPACT_H
/*
 * Compaction: older turns are replaced, for the model, by a summary.
 *
 * A model writes the summary; the runtime adds pending actions, open tasks,
 * incidents and artifacts, so that a bad summary cannot lose them.  One commit
 * publishes it; before that, and after a failure, the history is unchanged.  No
 * call runs again, and the earlier text stays readable.
 *
 *   automatic   before a request that would pass the share of the window
 *               (threshold), or after one that the provider found too long
 *               (overflow): inside the turn
 *   by command  compact_thread: in a separate system turn
 *
 * spec: contracts/session-history-recovery#compaction; GAP-10, GAP-58
 */
#include "core/turn/turn.h"

/*
 * Starts a compaction when the next request would be too large.  If that was tried or there is
 * nothing to replace, and the request does not fit, the oldest turns are cut: many at once, so that
 * the following requests keep the same beginning.  False: nothing to do, the turn continues.
 */
bool compact_if_full(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct model_info *m);
/* The largest input of a request for a summary. */
size_t compact_input_bytes(const struct model_info *m, const struct st_compaction_run *c);
/* The same after the provider refused a request for its length. */
bool compact_after_overflow(struct decision *d, const struct st_thread *th,
                            const struct st_turn *t);

/* Sends the request for the summary or waits; false: nothing to do now. */
bool compact_step(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* A system turn that compacts, stepped beside the active turn. */
bool compact_step_system_turn(struct decision *d, const struct st_thread *th);
/* The compaction ends without a summary: an interrupt, a cap, a crash. */
void compact_emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         enum error_category category, struct str message, bool retryable);
/* The turn of a compaction and its request were lost. */
void compact_lose(struct decision *d, const struct st_thread *th);

/* The end of the request, with the text of the summary. */
void compact_summary_ended(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct model_end *e);

#endif

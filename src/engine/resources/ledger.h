#ifndef ENGINE_RESOURCES_LEDGER_H
#define ENGINE_RESOURCES_LEDGER_H
/*
 * The ledger around decisions: what is spent and reserved over all sessions,
 * and which sessions wait.
 */
#include "engine/engine_state.h"

/* Reads the provider limits from before this start; then recovery. */
void ledger_start(struct engine *e);
/* What providers have reported, to any node: asks the store; the engine is the owner of the read. */
void ledger_read_limits(struct engine *e, struct store_read *r, void (*done)(struct store_read *r));
/* Takes the answer, unless a newer report is known. */
void ledger_take_limits(struct engine *e, const struct store_read *r);
const struct ledger_view *ledger_view_for(struct session *s, int64_t now);
/* Before the event is folded: applies its changes at once and adds them to its slice. */
void ledger_fold(struct session *s, const struct event *ev);
void ledger_prepare(struct session *s, struct decision *d);
void ledger_undo(struct engine *e, const struct slice *slice);
/* After the last step: does a request wait for an answer about what nodes share? */
void ledger_stepped(struct session *s, const struct decision *d);
/* After a decision: does the session wait, or has it released something for others? */
void ledger_settled(struct session *s);
void ledger_forget(struct session *s); /* it no longer waits */

#endif

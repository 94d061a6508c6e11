#ifndef ENGINE_RESOURCES_LEDGER_H
#define ENGINE_RESOURCES_LEDGER_H
/*
 * The ledger around decisions: what is spent and reserved over all sessions, and who waits.
 */
#include "engine/engine_state.h"

/* What providers said before this start is read back; then recovery. */
void ledger_start(struct engine *e);
const struct ledger_view *ledger_view_for(struct session *s, int64_t now);
/* Before the event is folded: what it moves, at once and with its slice. */
void ledger_fold(struct session *s, const struct event *ev);
void ledger_prepare(struct session *s, struct decision *d);
void ledger_undo(struct engine *e, const struct slice *slice);
/* After a decision: is it held back, has it made room for others? */
void ledger_settled(struct session *s);
void ledger_forget(struct session *s); /* it waits no more */

#endif

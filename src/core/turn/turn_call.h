#ifndef CORE_TURN_CALL_H
#define CORE_TURN_CALL_H
/*
 * Turns without a model: the caller names one tool and its arguments.  The call is evaluated,
 * approved, run and recorded as if a model had made it, and its end is the end of the turn.
 *
 *   turn.started ─► tool.catalog.resolved (that tool) ─► tool.started ... tool.result ─► turn.completed
 *                                                                     └─ tool.failed ─► turn.failed
 */
#include "core/turn/turn.h"

/* False after a refusal: the command has options that a turn without a model cannot have. */
bool turn_call_check(struct decision *d, const struct cmd_submit_turn *cmd,
                     const struct turn_input *in);
/* What the event of the submission holds of the call; stores its arguments. */
struct rec_requested_tool *turn_call_kept(struct decision *d, const struct rec_tool_request *in);
/* One step before the call is open; false: its arguments or the tools have to be read first. */
bool turn_call_open(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* The call and the hooks after it are over. */
void turn_call_end(struct decision *d, const struct st_thread *th, const struct st_turn *t);

#endif

#ifndef CORE_AGENT_TOOL_H
#define CORE_AGENT_TOOL_H
/*
 * Tools that the runtime runs itself: those by which a model works with its
 * child agents, and its todo list (todo.h).
 *
 * The first are the commands on child agents, issued by a turn instead of a
 * person, with the same bounds and refusals; they reach only the turn's own
 * descendants.  The runtime runs all of them on its state: the action of a call
 * and its result are one commit, so a crash leaves both or neither.  A waiting
 * call is an event with a deadline and continues to wait after a restart.
 */
#include "core/turn/turn.h"

/* The inventory, without compiled schemas. */
const struct tool_info *agent_tool_info_list(size_t *ret_count);

/* Marks the call as dispatched; agent_tool_step() produces its result. */
void agent_tool_dispatch(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c);
/* Runs the call, or checks whether its wait is over; false: not yet. */
bool agent_tool_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c);

/* Ends waits at their deadline with what is known; false: none. */
bool agent_tool_time(struct decision *d);
int64_t agent_tool_deadline(const struct state *w);

#endif

#ifndef CORE_AGENT_TOOL_H
#define CORE_AGENT_TOOL_H
/*
 * Tools that the runtime answers itself: those by which a model works with
 * child agents of its own, and the list that it keeps (todo.h).
 *
 * The first are the commands on child agents, asked by a turn instead of a
 * person, with the same bounds and the same refusals, and they reach no
 * further than the turn's own descendants.  The runtime answers all of them
 * from its state: what a call does and its result are one commit, so a crash
 * leaves both or neither; a call that waits is a fact with a deadline and
 * goes on waiting after a restart.
 */
#include "core/turn/turn.h"

/* The inventory, without compiled schemas. */
const struct settings_tool *agent_tool_info_list(size_t *ret_count);

/* The mark that the call may run; until it is answered by agent_tool_step(). */
void agent_tool_dispatch(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c);
/* Carries the call out, or looks whether what it waits for has happened; false: not yet. */
bool agent_tool_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c);

/* Waits that have taken long enough end with what is known; false: none. */
bool agent_tool_time(struct decision *d);
int64_t agent_tool_deadline(const struct state *w);

#endif

#ifndef CORE_CLIENT_TOOL_H
#define CORE_CLIENT_TOOL_H
/*
 * Tools that the caller of a turn runs.
 *
 * submit_turn offers them, and they belong to that turn: the state keeps their
 * definitions until it ends.  A call is evaluated like any other.  Then it is
 * an event with a deadline, which the caller answers with complete_tool_call;
 * nothing runs in the runtime, so a restart loses nothing.  A caller whose
 * enrolled connection has ended keeps the call for LIMIT_CLIENT_LEFT_MS.
 */
#include "core/turn/turn.h"

/* False after a refusal: a name, a schema or the size is wrong. */
bool client_tool_info_check(struct decision *d, const struct cmd_submit_turn *cmd);

/* The tools of the turn as the settings describe tools, without compiled schemas. */
size_t client_tool_info_list(struct arena *mem, const struct st_turn *t, struct tool_info **ret);
/* One of them; NULL: the turn has none of that name. */
const struct tool_info *client_tool_info_find(struct arena *mem, const struct st_turn *t,
                                              struct str name);

/* Hands the call to the caller. */
void client_tool_dispatch(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c);

/* It was handed over and has no result yet. */
bool client_tool_is_waiting(const struct st_call *c);
/* Ends a call whose deadline has passed; false: none. */
bool client_tool_time(struct decision *d);
int64_t client_tool_deadline(const struct state *w);

#endif

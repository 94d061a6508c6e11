#ifndef CORE_TOOL_ARGS_H
#define CORE_TOOL_ARGS_H
/*
 * Arguments of a tool call, as events and people see them.
 *
 * Arguments may hold secrets, and may be too long for an event.  The event
 * then holds a redacted or shortened text and names the blob that has all.
 */
#include "core/turn/turn.h"

/* The ref of the call's complete arguments. */
struct str tool_args_ref(struct decision *d, const struct st_call *c);
/* The ref of redacted arguments that are too long for the event, or absent. */
struct str tool_args_shown_ref(struct decision *d, const struct ev_tool_args *p, struct str safe);
/* Adds that ref to the event. */
void tool_args_add_shown(struct decision *d, struct event *ev, const struct ev_tool_args *p);
/* Arguments of the call as an event may show them. */
struct str tool_args_shown(struct decision *d, const struct st_call *c, struct str args,
                           bool *ret_redacted);
/*
 * All arguments that the call has now, without secrets; absent when a blob that has them is not
 * known.
 */
struct str tool_args_of_call(struct decision *d, const struct st_call *c);
/*
 * The process of this session that the arguments name: what a permission for the call is about.
 * Absent: the call is about none.
 */
struct str tool_args_process(struct decision *d, const struct st_call *c);
/* Why the tool refuses these arguments, or absent. */
struct str tool_args_wrong(struct decision *d, const struct tool_info *tool, struct json args);

#endif

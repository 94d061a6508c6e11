#ifndef CORE_TOOL_EMIT_H
#define CORE_TOOL_EMIT_H
/*
 * Events of a tool call that several topics emit: a text in place of the
 * tool's result, a failure, a redaction, and the record of stored output.
 */
#include "core/turn/turn.h"

/* How long the call ran; 0: it was not dispatched.  Waiting for an approval does not count. */
int64_t tool_emit_ran_ms(const struct decision *d, const struct st_call *c);
/* Ends the call with a text in place of the tool's result. */
void tool_emit_text(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                    const struct st_call *c, struct str text, bool is_error, struct str structured);
/* Ends the call as failed, cancelled or denied. */
void tool_emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, enum status status, struct tool_error error);
/* The record of output that was stored under ref. */
struct rec_output *tool_emit_output_record(struct decision *d, struct str ref,
                                           enum output_owner owner, struct str owner_id,
                                           const struct tool_end *e);
/* An event without its scope: a secret was removed from the output. */
struct event *tool_emit_redaction(struct decision *d, const struct tool_redaction *r);
/*
 * An event without its scope: a tool or a user changed a file.  Its previous content is stored, so
 * that the change can be shown and undone.
 */
struct event *tool_emit_change(struct decision *d, const struct tool_change *f);
/* An event without its scope: a binary part of a result, which is stored under ret_ref. */
struct event *tool_emit_part(struct decision *d, const struct tool_part *part, struct str owner,
                             struct str *ret_ref);
/* The same for a part that names where a file is: nothing is stored. */
struct event *tool_emit_link(struct decision *d, const struct tool_part *part, struct str owner);
/* Is the output an image that the model gets? */
bool tool_emit_is_image(const struct tool_end *e);

#endif

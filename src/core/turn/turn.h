#ifndef CORE_TURN_H
#define CORE_TURN_H
/*
 * The turn as data.  What happens next is read off the folded state by
 * step_next(); what comes from outside arrives as an input.  Nothing here
 * remembers anything between two calls.
 *
 * Its stages, and which may follow which, are drawn in turn_table.c.
 */
#include "core/io.h"
#include "core/decision.h"

/* ---- inputs from effects ---- */

/* Text that came from the model: one or more pieces, merged. */
void turn_model_pieces(struct decision *d, struct str turn_id, struct str request_id,
                       enum model_piece kind, struct str text, int64_t chunks);

void turn_model_end(struct decision *d, struct str turn_id, struct str request_id,
                    const struct model_end *end);
/* Why a text is not what a schema asks for; absent: it is.  Whitespace around it does not count. */
struct str turn_model_output_schema_error(struct arena *mem, struct str schema, struct str text);

void turn_tool_progress(struct decision *d, struct str turn_id, struct str call_id,
                        struct str message, int64_t completed, int64_t total);
/* A running tool asks a person; the id of the action, absent when nobody can be asked. */
struct str turn_tool_question(struct decision *d, struct str turn_id, struct str call_id,
                              struct str prompt, struct str schema);
/* The tool wants a person to sign in somewhere, and is told whether they did. */
struct str turn_tool_login(struct decision *d, struct str turn_id, struct str call_id,
                           struct str prompt);

/* The same of one in the background, which the call has left. */
void process_live_grew(struct decision *d, struct str process_id, int64_t bytes, int64_t chunks);
void process_live_violation(struct decision *d, struct str process_id,
                            const struct tool_violation *v);
/* The model wrote to it. */
void process_live_written(struct decision *d, struct str process_id, int64_t bytes, bool eof);
/* A command named one that cannot be had. */
void process_live_unavailable(struct decision *d, struct str process_id, struct str command);

void turn_result_tool_end(struct decision *d, struct str turn_id, struct str call_id,
                          const struct tool_end *end);

/* A process in the background ended; of end only what concerns output and exit. */
void process_live_end(struct decision *d, struct str process_id, const struct tool_end *end,
                      const struct input_stop *stop);

/* An answer to what was answered before; also for actions that the world no longer holds. */
/* A call has ended: nobody needs the answer to what it had asked any more. */
void action_withdraw(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c);
/* Nobody answered in time: the answer that the question names for that case counts. */
void action_expire(struct decision *d, const struct st_thread *th, const struct st_action *a);
void action_refuse_late(struct decision *d, const struct st_action *a);

void recover_session(struct decision *d, const struct recovered *r);
/* Its stored snapshot could not be read; the log was folded anew. */
void recover_repaired(struct decision *d);
/* recovery.resume is auto: begin another run of what was lost. */
void recover_resume(struct decision *d);

/* ---- shared by the files of this topic ---- */

/* turn_input.c */
struct turn_input {
	bool takes_images; /* set by whoever reads it; else they are no input */
	struct str text;   /* all text parts, joined */
	struct str parts;  /* the JSON array that is kept */
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} images;
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} files;               /* files and resources, as the event names them */
	struct list_str paths; /* files of the workspace: read with the context */
	struct str wrong;      /* one sentence when it is no input for a reason of its own */
};
/* A string, or an array of text parts and images; false: neither, or without words. */
/* Whether these bytes begin as such an image does. */
bool turn_input_is_image(struct str data, struct str media_type);
bool turn_input_read(struct decision *d, struct str json_input, struct turn_input *ret);
/* Its parts, as the fact of the submission names them. */
void turn_input_submit(struct decision *d, const struct turn_input *in,
                       struct ev_turn_submitted *p);

/* turn_start.c */
void turn_start_begin(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      bool was_queued);
/* False: what it will see has to be read first. */
bool turn_start_prepare(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* False: there is no room for it yet, and that was said before. */
void turn_start_emit_inventory(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t);
bool turn_start_request_model(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t);

/* turn_model.c */

/* history.c */
/* A rollback that waited for the turn to stop; false: nothing to do. */
bool history_step_rollback(struct decision *d, const struct st_thread *th);

/* turn_tool.c */
bool turn_tool_step_calls(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* After a refusal of the cage: is somebody asked whether it may run again with more? */
bool turn_tool_call_asks_more(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, const struct st_call *c,
                              const struct tool_end *e);

/* turn_result.c */
static inline enum approval_decision call_decision(const struct st_call *c)
{
	return c->permission ? c->permission->decision : 0;
}
static inline struct str call_decision_id(const struct st_call *c)
{
	return c->permission ? c->permission->decision_id : STR_NONE;
}
/* A call whose outcome nobody knows; printed: what it had printed, or NULL. */
void turn_result_lose_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, const struct tool_end *printed);

/* turn_end.c */
void turn_end_finish(struct decision *d, const struct st_thread *th, const struct st_turn *t);
void turn_end_fail(struct decision *d, const struct st_thread *th, const struct st_turn *t);
bool turn_end_stop(struct decision *d, const struct st_thread *th, const struct st_turn *t);

/* ---- questions (turn.c) ---- */

/* NULL: the settings have it no more. */
const struct settings_model *turn_model(const struct decision *d, const struct st_turn *t);
/* The tool of this name, if the model of the turn was offered it. */
const struct settings_tool *turn_tool_of(const struct decision *d, const struct st_turn *t,
                                         struct str name);
/* The turn of a thread that waits to ask again, its own or one that compacts; NULL: none. */
STATE_CONST struct st_turn *turn_in_backoff(const struct st_thread *th);
/* Is this turn the one that a compaction runs in? */
bool turn_is_compacting(const struct st_thread *th, const struct st_turn *t);
/* An answer that broke off at its length, or that the provider paused, without a call to act on. */
bool turn_answer_is_cut(const struct ev_model_completed *p);
/* Does something run for it that a restart would end?  A turn that waits lost nothing. */
bool turn_has_effect(const struct st_thread *th, const struct st_turn *t);
/* The same of one call. */
bool turn_call_has_effect(const struct st_call *c);
/* Names the interruption that resume_thread goes on from: another run has another. */
struct str turn_resume_token(struct arena *mem, const struct st_turn *t);
/* The record of a step, for the events that carry it. */
struct rec_item *turn_item(struct decision *d, struct str step_id, enum item_kind kind,
                           int64_t index, enum status status);

#endif

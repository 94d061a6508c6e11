#ifndef CORE_TURN_H
#define CORE_TURN_H
/*
 * The turn as data.
 *
 * step_next() derives the next step from the folded state; everything from
 * outside arrives as an input.  No data survives between two calls.
 * turn_table.c draws the stages and their transitions.
 */
#include "core/io.h"
#include "core/decision.h"

/* ---- inputs from effects ---- */

/* Text that came from the model: one or more pieces, merged. */
void turn_model_pieces(struct decision *d, struct str turn_id, struct str request_id,
                       enum model_piece kind, struct str text, int64_t chunks);

void turn_model_end(struct decision *d, struct str turn_id, struct str request_id,
                    const struct model_end *end);
/* Records a call as requested; it has not run.  index: of its step. */
void turn_model_open_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct model_call *in, int64_t index);
/* Why a text violates a schema; absent: it does not.  Surrounding whitespace does not count. */
struct str turn_model_output_schema_error(struct arena *mem, struct str schema, struct str text);

void turn_tool_progress(struct decision *d, struct str turn_id, struct str call_id,
                        struct str message, int64_t completed, int64_t total);
/* A tool server runs the call as a task, which a restart does not end. */
void turn_tool_remote(struct decision *d, struct str turn_id, struct str call_id,
                      struct str task_ref);
/*
 * A running tool asks a person; returns the id of the action, absent when no person can be asked.
 * requests: what it asks the client that made the call, by key; absent: only people are asked.
 */
struct str turn_tool_question(struct decision *d, struct str turn_id, struct str call_id,
                              struct str prompt, struct str schema, struct str requests);
/* A message of the tool's server for the caller, which asked for such; level: enum tool_log_level. */
void turn_tool_log(struct decision *d, struct str turn_id, struct str call_id, int64_t level,
                   struct str logger, struct str data);
/*
 * The tool asks a person to sign in, and is informed of the answer: an object of the schema, or,
 * without one, only that it was done.
 */
struct str turn_tool_login(struct decision *d, struct str turn_id, struct str call_id,
                           struct str prompt, struct str schema);
/* The person has signed in without an answer: the question is settled, and the turn continues. */
void turn_tool_signed_in(struct decision *d, struct str turn_id, struct str call_id);
/* The tool no longer needs the answer: the question is withdrawn, and the turn continues. */
void turn_tool_withdrawn(struct decision *d, struct str turn_id, struct str call_id);

/* The same for a background process, which the call has left. */
void process_live_grew(struct decision *d, struct str process_id, int64_t bytes, int64_t chunks);
void process_live_violation(struct decision *d, struct str process_id,
                            const struct tool_violation *v);
/* The model wrote to the process. */
void process_live_written(struct decision *d, struct str process_id, int64_t bytes, bool eof);
/* A command named a process that is not available. */
void process_live_unavailable(struct decision *d, struct str process_id, struct str command);

void turn_result_tool_end(struct decision *d, struct str turn_id, struct str call_id,
                          const struct tool_end *end);

/* A background process ended; only the fields of end about output and exit count. */
void process_live_end(struct decision *d, struct str process_id, const struct tool_end *end,
                      const struct input_stop *stop);

/* Withdraws the pending actions of a call that has ended. */
void action_settle(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                   const struct st_call *c, struct str reason);
/* The question of a system turn is no longer asked. */
void action_withdraw_question(struct decision *d, const struct st_thread *th,
                              const struct st_action *a, struct str reason);
void action_withdraw(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c, struct str reason);
/* The deadline passed: the action's default decision applies. */
void action_expire(struct decision *d, const struct st_thread *th, const struct st_action *a);
/* Refuses an answer to a resolved action, also to one that the state no longer holds. */
void action_refuse_late(struct decision *d, const struct st_action *a);

void recover_session(struct decision *d, const struct recovered *r);
/* The stored snapshot could not be read; the state was folded from the log again. */
void recover_repaired(struct decision *d);
/* recovery.resume is auto: starts another run of each lost turn. */
void recover_resume(struct decision *d);

/* ---- shared by the files of this topic ---- */

/* turn_input.c */
struct turn_input_parts {
	struct rec_input_part **items;
	uint32_t count, cap;
};
struct turn_input {
	bool takes_images; /* set by the caller; otherwise images are refused */
	struct str text;   /* all text parts, joined */
	struct str parts;  /* the JSON array that is stored */
	struct turn_input_parts images;
	struct turn_input_parts files; /* files and resources, as the event names them */
	struct {
		struct rec_output **items;
		uint32_t count, cap;
	} uploads;             /* of the images; they become outputs of the turn */
	struct list_str paths; /* files of the workspace: read with the context */
	struct str wrong;      /* one sentence when the input is invalid for a specific reason */
};
/* Do these bytes begin like such an image? */
bool turn_input_is_image(struct str data, struct str media_type);
/* The stored JSON array of an input that is one text. */
struct str turn_input_text_part(struct decision *d, struct str text);
/* A string, or an array of text parts and images; false: neither, or without text. */
bool turn_input_read(struct decision *d, struct str json_input, struct turn_input *ret);
/* Adds the parts to the event of the submission. */
void turn_input_submit(struct decision *d, const struct turn_input *in,
                       struct ev_turn_submitted *p);
/* The images that were uploaded for this turn, as its outputs; after turn.submitted. */
void turn_input_emit_uploads(struct decision *d, const struct turn_input *in,
                             const struct event *submitted);

/* turn_start.c */
void turn_start_begin(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      bool was_queued);
/* False: context has to be read first. */
bool turn_start_prepare(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* Records the tools that the model of the turn gets, again when they changed. */
void turn_start_emit_inventory(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t);
bool turn_start_has_other_tools(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t);
/* False: the request waits for a reservation, which was reported before. */
bool turn_start_request_model(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t);

/* history.c */
/* A rollback that waited for the turn to stop; false: nothing to do. */
bool history_step_rollback(struct decision *d, const struct st_thread *th);

/* turn_tool.c */
bool turn_tool_step_calls(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* After a denial of the sandbox: is a person asked whether it may run again with more access? */
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
/* A call whose result is unknown; printed: its output so far, or NULL. */
void turn_result_lose_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, const struct tool_end *printed);
/* Changes of such a call that were found later: changes and not_covered of the end. */
void turn_result_lost_changes(struct decision *d, struct str turn_id, struct str call_id,
                              const struct tool_end *end);

/* turn_end.c */
void turn_end_finish(struct decision *d, const struct st_thread *th, const struct st_turn *t);
void turn_end_fail(struct decision *d, const struct st_thread *th, const struct st_turn *t);
bool turn_end_stop(struct decision *d, const struct st_thread *th, const struct st_turn *t);

/* ---- queries (turn.c) ---- */

/* NULL: the settings no longer have it. */
const struct model_info *turn_model(const struct decision *d, const struct st_turn *t);
/* The tool of a call: the turn's own of that name, else that of the settings; NULL: none. */
const struct tool_info *turn_call_tool(const struct decision *d, const struct st_call *c);
/* The tools that a model of this provider gets in the turn: those of the settings, then its own. */
size_t turn_tools(struct arena *mem, const struct settings *s, const struct st_turn *t,
                  struct str provider, const struct tool_info ***ret);

/* Adds what a request cost to the sums of its turn: the fold, and what ends a turn before it. */
void turn_cost_add(struct st_turn *t, const struct ev_cost_recorded *p);
/* The tool of this name, if the model of the turn was offered it. */
const struct tool_info *turn_tool_of(const struct decision *d, const struct st_turn *t,
                                     struct str name);
/*
 * The turn of a thread that waits to repeat a request, the active one or a compaction; NULL: none.
 */
STATE_CONST struct st_turn *turn_in_backoff(const struct st_thread *th);
/* Does a compaction run in this turn? */
bool turn_is_compacting(const struct st_thread *th, const struct st_turn *t);
/* A response that ends at its length, or that the provider paused, without a call to run. */
bool turn_answer_is_cut(const struct ev_model_completed *p);
/* Does an effect of the turn run that a restart would end?  A waiting turn loses nothing. */
bool turn_has_effect(const struct st_thread *th, const struct st_turn *t);
/* The same of one call. */
bool turn_call_has_effect(const struct st_call *c);
/* Identifies the interruption that resume_thread resumes: each run has another token. */
struct str turn_resume_token(struct arena *mem, const struct st_turn *t);
/* The record of a step, for the events that carry it. */
struct rec_item *turn_item(struct decision *d, struct str step_id, enum item_kind kind,
                           int64_t index, enum status status);

#endif

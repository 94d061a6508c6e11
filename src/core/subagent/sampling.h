#ifndef CORE_SAMPLING_H
#define CORE_SAMPLING_H
/*
 * A tool server asks for an answer of a model while one of its tools runs.
 *
 * A child thread of the session answers: one for each server and turn, without
 * tools, without instructions of the agent, each request with nothing but its
 * own messages.  So every request is in the log, counted against the caps of
 * the turn, its tasks and the session, and stopped with the call.
 *
 *   tool asks ──► action.required (sampling) ──► allowed ──► a turn of the child ──► answer
 *        └──── the settings of the server allow it ────────────┘
 *
 * Nothing waits beyond the call: a call that a restart has lost has no answer,
 * and the turn of the child is stopped.
 */
#include "core/io.h"
#include "core/decision.h"

#define SAMPLING_ROLE STR("sampling")
#define SAMPLING_PROVENANCE STR("tool_server") /* of model requests */

/* Inputs of the engine.  Absent: accepted; otherwise a sentence for the server, and no event. */

/* A person is asked: action.required is among the events. */
struct str sampling_ask(struct decision *d, struct str turn_id, struct str call_id,
                        const struct sampling_request *r);
/* A model is asked; the child must not be busy.  turn.submitted is among the events. */
struct str sampling_begin(struct decision *d, struct str turn_id, struct str call_id,
                          const struct sampling_request *r);
/* The server does not need the answer of this turn any more. */
void sampling_stop(struct decision *d, struct str turn_id);

/* Does the child of this turn and server answer another request? */
bool sampling_is_busy(const struct state *w, struct str turn_id, struct str server);
/* Is the call that this turn of a child answers for still open? */
bool sampling_is_wanted(const struct state *w, const struct st_subagent *s,
                        const struct st_turn *t);
/* The most tokens that a turn asks its model for. */
int64_t sampling_max_output(const struct model_info *m, const struct st_turn *t);
/* A request of the runtime itself, which is no part of a conversation: a summary. */
bool sampling_is_aside(const struct ev_model_requested *p);

#endif

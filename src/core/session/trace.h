#ifndef CORE_SESSION_TRACE_H
#define CORE_SESSION_TRACE_H
/*
 * The trace of a new turn, when tracing is on.
 *
 * A turn continues the trace of what caused it: of the caller of the command, or
 * of the turn or tool call that made a child agent.  Otherwise a trace begins
 * with the turn, and telemetry.sample_ratio decides whether its spans are sent.
 * The answer is recorded in turn.submitted, so that all later readers agree.
 */
#include "base/hash/trace_context.h"
#include "core/decision.h"

struct trace_start {
	struct str trace_id, span_id;    /* absent: tracing is off */
	struct rec_trace_caller *origin; /* of turn.submitted; NULL: begins here, spans are sent */
};

void trace_begin(struct decision *d, struct str turn_id, struct trace_start *ret);

/*
 * Until the end of this decision, new turns are caused by this object: the turn, its run or one of
 * its tool calls.  A caller's trace counts before it, and so does a cause that was set before.  t may
 * be NULL: nothing changes.
 */
void trace_set_cause(struct decision *d, const struct st_turn *t, struct str object_id);

/*
 * What is sent on with a notification about this event: the span of its tool call, else of its turn.
 * Absent: the event belongs to no turn with a trace.
 */
struct trace_headers trace_about(struct decision *d, const struct event *ev);

/* Sets the trace flags of an event that is about to be written. */
void trace_mark(const struct decision *d, struct event *ev);

#endif

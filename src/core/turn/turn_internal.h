#ifndef CORE_TURN_OWN_H
#define CORE_TURN_OWN_H
/* Turns that the runtime submits itself: for an item of a job, a child agent, a tool server. */
#include "core/turn/turn.h"

struct internal_turn {
	struct str thread_id, turn_id;
	enum turn_kind kind;
	struct str source, family, task_kind;
	struct str text;
	struct str parts;                     /* JSON; absent: one part with the text */
	const struct turn_input_parts *input; /* the same for the event; NULL: the text alone */
	const struct rec_turn_options *options;
	struct str job_id, job_item_id, subagent_id;
};

/* The implicit task and the submission; the thread must be free.  Returns the input's ref. */
struct str turn_internal_emit(struct decision *d, const struct internal_turn *o);

#endif

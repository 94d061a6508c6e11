#ifndef AGUI_RUN_H
#define AGUI_RUN_H
/*
 * The events of a turn as those of a run of AG-UI.  Pure.
 *
 *   RUNNING ──► CALLS       the front end has to run tools: the run ends with their ids
 *      │   └──► INTERRUPTED a person has to answer: the run ends with the question
 *      └──────► ENDED
 *
 * Messages and calls of child agents that the turn starts are part of the run, each with the id of
 * its child.  Those that work on when the run ends are suspended.  Tasks of the session and the todo
 * list are activities.
 *
 * At the end the state of the thread is sent, and then the event that finishes the run.
 *
 * Each function adds server-sent events to `out`.
 */
#include "base/buf.h"
#include "base/json.h"

enum agui_run_end {
	AGUI_RUN_RUNNING,
	AGUI_RUN_CALLS,
	AGUI_RUN_INTERRUPTED,
	AGUI_RUN_ENDED,
};

/* A call that the front end runs. */
struct agui_call {
	struct str id, name, args, args_ref;
	struct agui_call *next;
};

/* The agent itself, or a child agent that it started during the run. */
struct agui_speaker {
	struct str subagent_id;           /* absent: the agent itself */
	struct str thread_id;             /* of a child */
	struct str text_id, reasoning_id; /* of the message that is open; absent: none */
	bool is_over;
	struct agui_speaker *next;
};

/* A task of the session, or the plan of the thread, which the front end has seen. */
struct agui_activity {
	struct str id; /* of its message */
	struct agui_activity *next;
};

struct agui_run {
	struct arena *mem;
	struct buf *out;
	struct str thread_id, run_id, turn_id;
	struct agui_speaker self; /* its children are behind it */
	struct agui_activity *activities;
	size_t activity_count;
	struct str plan_call, plan; /* of update_todo, until its result: the call, and the items */
	struct agui_call *calls;
	size_t open_calls, waiting_calls;
	enum agui_run_end end;
	struct str last; /* the event that finishes the run, until agui_run_close() */
};

void agui_run_begin(struct agui_run *r);
/* An event of the session, in order; after the end nothing is written. */
void agui_run_event(struct agui_run *r, struct json event);
/* A call whose arguments are stored elsewhere; NULL: none. */
struct agui_call *agui_run_wants(const struct agui_run *r);
/* After the end CALLS, when no arguments are missing. */
void agui_run_finish_calls(struct agui_run *r);
/*
 * After the end: what the thread is now, as STATE_SNAPSHOT.  Members of the front end's own state
 * stay; `thole` is ours.  thread: a thread_read_model.
 */
void agui_run_state(struct agui_run *r, struct json state, struct str session_id,
                    struct json thread);
/* The last event, which waited for the state. */
void agui_run_close(struct agui_run *r);
/* Nothing ran: the run showed the thread. */
void agui_run_finish(struct agui_run *r);
void agui_run_fail(struct agui_run *r, struct str message, struct str code);

/* ---- ids of interrupts: ACTION~TURN~KIND ---- */

enum agui_interrupt {
	AGUI_INTERRUPT_PERMISSION, /* answered by {"approved": true or false} */
	AGUI_INTERRUPT_INPUT,      /* answered by a value of its schema */
};

/* False: it is none of ours. */
bool agui_run_read_interrupt(struct str id, struct str *ret_action, struct str *ret_turn,
                             enum agui_interrupt *ret_kind) MUST_USE;

#endif

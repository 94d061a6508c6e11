#ifndef CORE_HOOK_H
#define CORE_HOOK_H
/*
 * Hooks: programs and addresses of the host that are asked at eight points.
 *
 * The hooks of one occasion (a call, a request, a turn's end) run one after
 * the other in the order of the settings.  hook.started is the mark that one
 * may run; what it said is a fact before anything follows from it.  The
 * state counts how many of an occasion have ended, and hook_step() goes on
 * from there: nothing else is remembered.
 *
 * A hook is a source of decisions, never an override: its deny and its
 * question count like a rule's, its allow answers a question that no rule
 * insists on.
 * spec: contracts/hooks-and-policy; GAP-32, GAP-35, GAP-58
 */
#include "core/turn/turn.h"

enum hooks_state {
	HOOKS_OVER,    /* none, or all have ended */
	HOOKS_STARTED, /* a fact was emitted */
	HOOKS_RUNNING, /* wait */
};

/* ---- questions (hook.c) ---- */

/* The n-th hook that an occasion asks, counted from 0; NULL: there are not so many. */
const struct settings_hook *hook_nth(const struct settings *s, enum hook_point point,
                                     const struct st_call *c, int64_t n);
/* Does this run belong to the turn, and to the call unless c is NULL, and has it not ended? */
bool hook_runs(const struct st_hook *h, const struct st_turn *t, const struct st_call *c);
/* Does any hook of the turn run? */
bool hook_is_running(const struct st_thread *th, const struct st_turn *t);
/* Is there one that has not been asked? */
bool hook_is_due(const struct decision *d, const struct st_turn *t, const struct st_call *c,
                 enum hook_point point);
/* How many hooks of the occasion have ended; NULL when there is no such occasion. */
STATE_CONST int64_t *hook_count(const struct st_session *s, const struct st_turn *t,
                                const struct st_call *c, enum hook_point point);
/* A stop hook wants the model to go on, and has not said so too often. */
bool hook_puts_off_stop(const struct st_turn *t);
/* Is the name among those of a hook's match? */
bool hook_covers(struct str match, struct str name);
/* NULL: none of that id at hand.  ret_thread may be NULL. */
STATE_CONST struct st_hook *hook_find(const struct state *w, struct str hook_run_id,
                                      STATE_CONST struct st_thread **ret_thread);

/* ---- asking (hook_step.c, hook_input.c) ---- */

/* Starts the next hook of the occasion.  c may be NULL; t is the system's turn for session_start. */
enum hooks_state hook_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, enum hook_point point);
/* The hooks of a session's start, in a turn of the system, before its first turn. */
enum hooks_state hook_step_session_start(struct decision *d, const struct st_thread *th);
/* What a hook reads on its standard input. */
struct str hook_input(struct arena *mem, const struct state *w, const struct settings *settings,
                      struct str turn_id, struct str hook_run_id, const struct call_input *inputs);
/* A hook ended. */
void hook_step_end(struct decision *d, struct str hook_run_id, const struct input_hook_end *end);
/* The runtime stopped while hooks of this turn ran. */
void hook_step_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t);

/* ---- what a hook answers (hook_answer.c) ---- */

/*
 * Exit status 0: the output is read as JSON if it is an object, otherwise it
 * is text (context at session_start and user_prompt_submit, ignored
 * elsewhere).  Exit status 2: blocked, and the error output says why.  Any
 * other status is a failure.  Over HTTP the body is read the same way.
 */
struct hook_answer {
	enum hook_decision decision; /* with a policy record: what follows from it */
	struct str reason;
	struct str updated_input;         /* JSON object */
	struct str updated_output;        /* text for the model */
	struct str context;               /* text for the model */
	struct rec_policy_record *policy; /* its answer in the words of Agent Policy; NULL: plain */
	struct str policy_text;           /* that record as it came */
	bool suppress_output;
};

enum err hook_answer_read(struct arena *mem, enum hook_point point, int64_t now, int64_t exit_code,
                          struct str out, struct str err_out, struct hook_answer *ret,
                          struct error *e) MUST_USE;

#endif

#ifndef CORE_HOOK_H
#define CORE_HOOK_H
/*
 * Hooks: programs and addresses of the host that are consulted at eight points.
 *
 * The hooks of one occasion (a call, a request, a turn's end) run one after the
 * other in the order of the settings. hook.started permits a run, and its
 * result is an event before anything follows from it.  The state counts how
 * many of an occasion have ended, and hook_step() continues from there.
 *
 * A hook contributes a decision and overrides none: its deny and its question
 * count like a rule's; its allow answers a question that no rule requires.
 * spec: contracts/hooks-and-policy; GAP-32, GAP-35, GAP-58
 */
#include "core/hook/hook_info.h"
#include "core/turn/turn.h"

enum hooks_state {
	HOOKS_OVER,    /* none, or all have ended */
	HOOKS_STARTED, /* an event was emitted */
	HOOKS_RUNNING, /* wait */
};

/* ---- queries (hook.c) ---- */

/* The n-th hook of an occasion, counted from 0; NULL: there are fewer. */
const struct hook_info *hook_nth(const struct settings *s, enum hook_point point,
                                 const struct st_call *c, int64_t n);
/* Does this run belong to the turn, and to the call unless c is NULL, and has it not ended? */
bool hook_runs(const struct st_hook *h, const struct st_turn *t, const struct st_call *c);
/* Does any hook of the turn run? */
bool hook_is_running(const struct st_thread *th, const struct st_turn *t);
/* Is there a hook that has not run yet? */
bool hook_is_due(const struct decision *d, const struct st_turn *t, const struct st_call *c,
                 enum hook_point point);
/* How many hooks of the occasion have ended; NULL when there is no such occasion. */
STATE_CONST int64_t *hook_count(const struct st_session *s, const struct st_turn *t,
                                const struct st_call *c, enum hook_point point);
/* A stop hook wants the model to continue, and the limit of postponements is not reached. */
bool hook_puts_off_stop(const struct st_turn *t);
/* Does the name match a hook's list of tools? */
bool hook_covers(struct str match, struct str name);
/* NULL: the state has no run with that id.  ret_thread may be NULL. */
STATE_CONST struct st_hook *hook_find(const struct state *w, struct str hook_run_id,
                                      STATE_CONST struct st_thread **ret_thread);

/* ---- running (hook_step.c, hook_input.c) ---- */

/* Starts the next hook of the occasion.  c may be NULL; t is the system's turn for session_start. */
enum hooks_state hook_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, enum hook_point point);
/* The hooks of a session's start, in a system turn before its first turn. */
enum hooks_state hook_step_session_start(struct decision *d, const struct st_thread *th);
/* What a hook reads on its standard input. */
struct str hook_input(struct arena *mem, const struct state *w, const struct settings *settings,
                      struct str turn_id, struct str hook_run_id, const struct call_input *inputs);
/* A hook ended. */
void hook_step_end(struct decision *d, struct str hook_run_id, const struct hook_end *end);
/* The runtime stopped while hooks of this turn ran. */
void hook_step_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t);

/* ---- output of a hook (hook_answer.c) ---- */

/*
 * Exit status 0: the output is read as JSON if it is an object, otherwise it is text (context at
 * session_start and user_prompt_submit, ignored elsewhere).  Exit status 2: blocked, with the
 * reason on the error output.  Any other status is a failure.  Over HTTP the body is read the same
 * way.
 */
struct hook_answer {
	enum hook_decision decision; /* derived from the policy record, if there is one */
	struct str reason;
	struct str updated_input;  /* JSON object */
	struct str updated_output; /* text for the model */
	struct str context;        /* text for the model */
	/* the answer as an Agent Policy record; NULL: a plain answer */
	struct rec_policy_record *policy;
	struct str policy_text; /* that record, unparsed */
	bool suppress_output;
};

enum err hook_answer_read(struct arena *mem, enum hook_point point, int64_t now, int64_t exit_code,
                          struct str out, struct str err_out, struct hook_answer *ret,
                          struct error *e) MUST_USE;

#endif

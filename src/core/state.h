#ifndef CORE_STATE_H
#define CORE_STATE_H
/*
 * All folded state of one session.
 *
 * The state holds what is open: live turns, pending actions, queues, open
 * tasks, counters, and windows of the last few ended objects.  All of it
 * consists of records of catalog/state.json, so that a snapshot is simply its
 * text: equal states have equal snapshots, byte for byte.
 *
 * Strings and records live in the state's arena.  Items that are dropped from a
 * list stay there as waste; state_compact() frees them.
 */
#include "base/gen/limits.h"
#include "catalog/catalog.h"

#define IMAGE_TOKENS 1600 /* typical size of a large image; its byte count says nothing */

/* Raised by hand whenever a fold produces another state from the same events. */
#define FOLD_VERSION 23

/* How many ended objects of each kind the state keeps. */
#define WINDOW_TURNS LIMIT_WINDOW_TURNS
#define WINDOW_CALLS LIMIT_TERMINAL_WINDOW
#define WINDOW_ACTIONS LIMIT_TERMINAL_WINDOW
#define WINDOW_TASKS LIMIT_TERMINAL_WINDOW
#define WINDOW_INCIDENTS LIMIT_TERMINAL_WINDOW
#define WINDOW_OUTPUTS LIMIT_TERMINAL_WINDOW
#define WINDOW_CHECKPOINTS 4 /* of one artifact */
#define WINDOW_HISTORY 64
#define WINDOW_STEPS 64
#define WINDOW_PROCESSES LIMIT_TERMINAL_WINDOW
#define WINDOW_HOOKS LIMIT_TERMINAL_WINDOW
#define WINDOW_EXPIRING 1024
#define WINDOW_EVIDENCE 64
#define WINDOW_KEYS 64 /* public keys that have signed */

struct state {
	struct arena *mem;
	bool is_strict; /* an invalid transition aborts: for tests */
	STATE_CONST struct st_session *s;
	/* hash table of task indexes, by a few bits of the id; may be outdated */
	uint32_t *task_places;
};

struct state *state_new(void);
void state_free(struct state *w);

/* Folds one event: a plain assignment of what happened.  It cannot fail. */
void state_fold(struct state *w, const struct event *ev);

/* The state as text, and back.  The text of a damaged snapshot is refused. */
struct str state_text(struct arena *mem, const struct state *w);
enum err state_read(struct str text, struct state **ret, struct error *e) MUST_USE;

/* Copies the state without waste, into as little memory as it needs. */
void state_compact(struct state *w);
size_t state_bytes(const struct state *w);

/* Can anything still happen by itself or by an answer? */
bool state_is_open(const struct state *w);

/* The items of a list of the state, for an event or a view that only reads them. */
#define BORROWED(type, list) ((type *)(list).items)

/* Look-ups; NULL when the state does not hold it. */
STATE_CONST struct st_thread *state_thread(const struct state *w, struct str thread_id);
STATE_CONST struct st_thread *state_main_thread(const struct state *w);
STATE_CONST struct st_turn *state_thread_turn(const struct st_thread *th, struct str turn_id);
STATE_CONST struct st_turn *state_thread_active(const struct st_thread *th);
STATE_CONST struct st_call *state_thread_call(const struct st_thread *th, struct str call_id);
STATE_CONST struct st_action *state_thread_action(const struct st_thread *th, struct str action_id);
STATE_CONST struct st_task *state_task(const struct state *w, struct str task_id);
STATE_CONST struct st_channel *state_channel(const struct state *w, struct str channel_id);
/* In any thread; ret_thread may be NULL. */
STATE_CONST struct st_turn *state_turn(const struct state *w, struct str turn_id,
                                       STATE_CONST struct st_thread **ret_thread);
STATE_CONST struct st_action *state_action(const struct state *w, struct str action_id,
                                           STATE_CONST struct st_thread **ret_thread);

static inline bool turn_is_over(const struct st_turn *t)
{
	return t->stage == TURN_STAGE_ENDED;
}
static inline bool call_is_over(const struct st_call *c)
{
	return c->ended_sequence != 0;
}
static inline bool action_is_pending(const struct st_action *a)
{
	return a->resolved_at == 0;
}
/* Does allowing this action permit a call? */
static inline bool action_permits(const struct st_action *a)
{
	return a->action_type == ACTION_TYPE_TOOL_PERMISSION ||
	       (a->action_type == ACTION_TYPE_ESCALATION && str_is(a->tool_call_id));
}

#endif

/*
 * Creates, loads, compacts and frees the state of a session, and looks things
 * up in it.  Look-ups call no topic; folding is in state_fold.c, above all
 * topics.
 */
#include "core/fold_part.h"
#include "base/memory.h"
#include "core/state.h"

#define TASK_PLACES 64

/*
 * The struct and the places live outside the arena, so that state_compact() can replace the arena
 * under callers that hold the state.
 */
static struct state *state_in(struct arena *mem)
{
	struct state *w = memory_zeroed(1, sizeof *w);

	w->task_places = memory_zeroed(TASK_PLACES, sizeof *w->task_places);
	w->mem = mem;
	w->s = ARENA_NEW(mem, struct st_session);
	return w;
}

struct state *state_new(void)
{
	return state_in(arena_new());
}

void state_free(struct state *w)
{
	if (!w)
		return;
	arena_free(w->mem);
	memory_free(w->task_places);
	memory_free(w);
}

struct str state_text(struct arena *mem, const struct state *w)
{
	return rec_text(mem, &st_session_desc, w->s);
}

enum err state_read(struct str text, struct state **ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	struct st_session *s = ARENA_NEW(scratch, struct st_session);
	struct json doc;
	enum err code = json_read_trusted(scratch, text, &doc, e);

	if (!code)
		code = rec_read(scratch, doc, &st_session_desc, REC_OLDER, s, e);
	/* A snapshot of an older version lacks newer fields, but never these. */
	if (!code && (!str_is(s->session_id) || !s->sequence))
		code = fail(e, ERR_INVALID, "this is no state of a session");
	if (code)
		return code;
	/* A separate copy does not hold on to the parsed document. */
	struct state *w = state_new();

	rec_keep(w->mem, &st_session_desc, w->s, s);
	*ret = w;
	return OK;
}

/*
 * The new arena has room for all that the old one used, so it never grows here.  Pointers into the
 * old state are invalid afterwards.
 */
void state_compact(struct state *w)
{
	struct arena *fresh = arena_new_for(arena_used(w->mem));
	struct st_session *s = ARENA_NEW(fresh, struct st_session);

	rec_keep(fresh, &st_session_desc, s, w->s);
	arena_free(w->mem);
	w->mem = fresh;
	w->s = s;
}

size_t state_bytes(const struct state *w)
{
	return arena_used(w->mem);
}

struct st_thread *state_thread(const struct state *w, struct str thread_id)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++)
		if (str_eq(w->s->threads.items[i]->thread_id, thread_id))
			return w->s->threads.items[i];
	return NULL;
}

struct st_thread *state_main_thread(const struct state *w)
{
	return w->s->threads.count ? w->s->threads.items[0] : NULL;
}

struct st_turn *state_thread_turn(const struct st_thread *th, struct str turn_id)
{
	for (uint32_t i = th->turns.count; i-- > 0;)
		if (str_eq(th->turns.items[i]->turn_id, turn_id))
			return th->turns.items[i];
	return NULL;
}

struct st_turn *state_thread_active(const struct st_thread *th)
{
	return str_is(th->active_turn_id) ? state_thread_turn(th, th->active_turn_id) : NULL;
}

struct st_call *state_thread_call(const struct st_thread *th, struct str call_id)
{
	for (uint32_t i = th->calls.count; i-- > 0;)
		if (str_eq(th->calls.items[i]->tool_call_id, call_id))
			return th->calls.items[i];
	return NULL;
}

struct st_action *state_thread_action(const struct st_thread *th, struct str action_id)
{
	for (uint32_t i = th->actions.count; i-- > 0;)
		if (str_eq(th->actions.items[i]->action_id, action_id))
			return th->actions.items[i];
	return NULL;
}

static bool is_task_at(const struct state *w, uint32_t place, struct str task_id)
{
	return place < w->s->tasks.count &&
	       str_eq(w->s->tasks.items[place]->record->task_id, task_id);
}

/*
 * Thousands of tasks may wait while most events are about the few that run.  A place is a guess
 * that is verified by the id, so folds may move and remove tasks without maintaining the table.
 */
struct st_task *state_task(const struct state *w, struct str task_id)
{
	uint32_t *place = &w->task_places[str_hash(task_id) % TASK_PLACES];

	if (is_task_at(w, *place, task_id))
		return w->s->tasks.items[*place];
	for (uint32_t i = w->s->tasks.count; i-- > 0;)
		if (is_task_at(w, i, task_id)) {
			*place = i;
			return w->s->tasks.items[i];
		}
	return NULL;
}

struct st_channel *state_channel(const struct state *w, struct str channel_id)
{
	for (uint32_t i = 0; i < w->s->channels.count; i++)
		if (str_eq(w->s->channels.items[i]->record->channel_id, channel_id))
			return w->s->channels.items[i];
	return NULL;
}

struct st_turn *state_turn(const struct state *w, struct str turn_id, struct st_thread **ret_thread)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		struct st_turn *t = state_thread_turn(w->s->threads.items[i], turn_id);

		if (!t)
			continue;
		if (ret_thread)
			*ret_thread = w->s->threads.items[i];
		return t;
	}
	return NULL;
}

struct st_action *state_action(const struct state *w, struct str action_id,
                               struct st_thread **ret_thread)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		struct st_action *a = state_thread_action(w->s->threads.items[i], action_id);

		if (!a)
			continue;
		if (ret_thread)
			*ret_thread = w->s->threads.items[i];
		return a;
	}
	return NULL;
}

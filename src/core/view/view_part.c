/* Shared by the views: members of objects, status words, small queries to the state. */
#include "core/view/view_part.h"

#include "base/jw.h"

void view_part_time(struct json_writer *w, struct str key, int64_t at)
{
	if (!at)
		return;
	jw_key(w, key);
	jw_time(w, at);
}

void view_part_rec(struct json_writer *w, struct str key, const struct rec_desc *d, const void *rec)
{
	if (!rec)
		return;
	jw_key(w, key);
	rec_write(w, d, rec);
}

/* The text comes from the state, which wrote it itself, so it is not parsed again. */
void view_part_raw(struct json_writer *w, struct str key, struct str json_text)
{
	if (!str_is(json_text))
		return;
	jw_key(w, key);
	jw_raw(w, json_text);
}

/* Written also when empty: readers expect the member. */
void view_part_strs(struct json_writer *w, struct str key, const struct list_str *l)
{
	jw_key(w, key);
	jw_arr(w);
	for (uint32_t i = 0; i < l->count; i++)
		jw_str(w, l->items[i]);
	jw_arr_end(w);
}

void view_part_list(struct json_writer *w, struct str key, const struct rec_desc *d,
                    const void *list)
{
	const struct list_rec *l = list;

	jw_key(w, key);
	jw_arr(w);
	for (uint32_t i = 0; i < l->count; i++)
		rec_write(w, d, l->items[i]);
	jw_arr_end(w);
}

void view_part_none(struct json_writer *w, struct str key)
{
	jw_key(w, key);
	jw_arr(w);
	jw_arr_end(w);
}

void view_part_honest(struct json_writer *w, struct str key, enum honesty word)
{
	jw_key(w, key);
	jw_obj(w);
	JW_KSTR(w, "status", honesty_word(word));
	jw_obj_end(w);
}

/*
 * A feature whose events this version never emits is unavailable; otherwise the session has not
 * used it (GAP-67).
 */
enum honesty view_part_honesty_of(enum event_type class)
{
	return event_classes[class].is_built ? HONESTY_NOT_APPLICABLE : HONESTY_UNAVAILABLE;
}

bool view_part_is_only_thread(const struct state *state)
{
	return state->s->threads.count == 1;
}

/* ---- pending actions ---- */

size_t view_part_pending_count(const struct st_thread *th)
{
	size_t count = 0;

	for (uint32_t i = 0; i < th->actions.count; i++)
		count += action_is_pending(th->actions.items[i]);
	return count;
}

/* ---- rules and places ---- */

enum permission_mode view_part_mode_of(const struct state *state, const struct settings *settings)
{
	enum permission_mode mode =
		state->s->permission_mode ? state->s->permission_mode : settings->mode;

	return mode ? mode : PERMISSION_MODE_DEFAULT;
}

/* Before the first turn has recorded its environment, the settings describe it. */
const struct rec_execution_environment *view_part_environment_of(const struct state *state,
                                                                 const struct settings *settings)
{
	return state->s->environment ? state->s->environment : settings->environment;
}

const struct st_turn *view_part_routed_turn(const struct st_thread *th)
{
	for (uint32_t i = th->turns.count; i-- > 0;)
		if (str_is(th->turns.items[i]->decision))
			return th->turns.items[i];
	return NULL;
}

/*
 * An output names a call, a process or a hook as its owner, but no thread; the calls in the window
 * tell.
 */
bool view_part_owns_output(const struct st_thread *th, struct str turn_id,
                           const struct rec_output *o)
{
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];
		bool is_its_own = str_is(o->owner_id) && (str_eq(c->tool_call_id, o->owner_id) ||
		                                          str_eq(c->process_id, o->owner_id));

		if ((is_its_own ||
		     (str_is(c->output_ref) && str_eq(c->output_ref, o->output_ref))) &&
		    (!str_is(turn_id) || str_eq(c->turn_id, turn_id)))
			return true;
	}
	return false;
}

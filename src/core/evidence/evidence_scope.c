/*
 * Which events belong to a scope.  A turn is known by its turn.submitted, which
 * names thread, task and job; later events name the turn and sometimes nothing
 * else, so the turns of a task or job are learned first.
 */
#include "core/evidence/evidence.h"

#include "core/job/job.h"
#include "core/task/task.h"

/* ---- ids ---- */

static uint32_t *slot_of(const struct evidence_ids *ids, struct str id)
{
	size_t at = str_hash(id) & (ids->cap * 2 - 1);

	while (ids->slots[at] && !str_eq(ids->items[ids->slots[at] - 1], id))
		at = (at + 1) & (ids->cap * 2 - 1);
	return &ids->slots[at];
}

bool evidence_scope_ids_have(const struct evidence_ids *ids, struct str id)
{
	return ids->count && str_is(id) && *slot_of(ids, id);
}

static void ids_grow(struct arena *mem, struct evidence_ids *ids)
{
	struct evidence_ids more = { .count = ids->count, .cap = ids->cap ? ids->cap * 2 : 16 };

	more.items = ARENA_ARRAY(mem, struct str, more.cap);
	more.slots = ARENA_ARRAY(mem, uint32_t, more.cap * 2);
	for (size_t i = 0; i < ids->count; i++) {
		more.items[i] = ids->items[i];
		*slot_of(&more, more.items[i]) = (uint32_t)i + 1;
	}
	*ids = more;
}

void evidence_scope_ids_add(struct arena *mem, struct evidence_ids *ids, struct str id)
{
	if (!str_is(id) || evidence_scope_ids_have(ids, id))
		return;
	if (ids->count == ids->cap)
		ids_grow(mem, ids);
	ids->items[ids->count] = arena_keep(mem, id);
	*slot_of(ids, ids->items[ids->count]) = (uint32_t)ids->count + 1;
	ids->count++;
}

/* ---- scope ---- */

static bool is_whole(const struct evidence_scope *s)
{
	return !str_is(s->thread_id) && !str_is(s->turn_id) && !str_is(s->task_id) &&
	       !str_is(s->job_id);
}

bool evidence_scope_learns(const struct evidence_scope *s)
{
	return str_is(s->turn_id) || str_is(s->task_id) || str_is(s->job_id);
}

static bool is_or_any(struct str wanted, struct str id)
{
	return !str_is(wanted) || str_eq(wanted, id);
}

void evidence_scope_learn(struct evidence_scope *s, const struct event *ev)
{
	if (ev->type != EV_TURN_SUBMITTED || !is_or_any(s->thread_id, ev->thread_id) ||
	    !is_or_any(s->turn_id, ev->turn_id) || !is_or_any(s->task_id, ev->task_id) ||
	    !is_or_any(s->job_id, ev->job_id))
		return;
	evidence_scope_ids_add(s->mem, &s->turns, ev->turn_id);
	evidence_scope_ids_add(s->mem, &s->threads, ev->thread_id);
}

void evidence_scope_assume(struct evidence_scope *s)
{
	if (str_is(s->turn_id) && !s->turns.count && !str_is(s->task_id) && !str_is(s->job_id))
		evidence_scope_ids_add(s->mem, &s->turns, s->turn_id);
}

bool evidence_scope_is_export(const struct event *ev)
{
	const struct ev_evidence_changed *p = ev->payload;

	if (ev->type == EV_EVIDENCE_CHANGED)
		return p->change == EVIDENCE_CHANGE_EXPORTED;
	return (ev->type == EV_OUTPUT_SPILLED || ev->type == EV_OUTPUT_EXPIRED) &&
	       str_starts(ev->output_ref, STR(CATALOG_EXPORT_PREFIX));
}

/* Names the scope itself: without a turn, or in one of its turns. */
static bool is_named(const struct evidence_scope *s, const struct event *ev)
{
	if (!is_or_any(s->thread_id, ev->thread_id))
		return false;
	if (str_is(s->turn_id) || evidence_scope_ids_have(&s->turns, ev->turn_id))
		return evidence_scope_ids_have(&s->turns, ev->turn_id);
	if (str_is(s->task_id) && !str_eq(s->task_id, ev->task_id))
		return false;
	if (str_is(s->job_id) && !str_eq(s->job_id, ev->job_id))
		return false;
	return true;
}

static bool is_frame(const struct evidence_scope *s, const struct event *ev)
{
	return ev->type == EV_SESSION_CREATED ||
	       (ev->type == EV_THREAD_STARTED &&
	        evidence_scope_ids_have(&s->threads, ev->thread_id));
}

bool evidence_scope_has(const struct evidence_scope *s, const struct event *ev, bool *ret_is_frame)
{
	*ret_is_frame = false;
	if (evidence_scope_is_export(ev))
		return s->has_exports;
	if (is_whole(s) || is_named(s, ev))
		return true;
	*ret_is_frame = is_frame(s, ev);
	return *ret_is_frame;
}

static bool thread_is_idle(const struct st_thread *th)
{
	for (uint32_t i = 0; th && i < th->turns.count; i++)
		if (!turn_is_over(th->turns.items[i]))
			return false;
	return true;
}

bool evidence_scope_is_closed(const struct evidence_scope *s, const struct state *w)
{
	const struct st_task *task = str_is(s->task_id) ? state_task(w, s->task_id) : NULL;
	const struct st_job *job = str_is(s->job_id) ? job_find(w, s->job_id) : NULL;

	if (str_is(s->turn_id)) {
		const struct st_turn *t = state_turn(w, s->turn_id, NULL);

		return !t || turn_is_over(t);
	}
	if (str_is(s->task_id))
		return !task || task_table_status_is_end(task->record->status);
	if (str_is(s->job_id))
		return !job || job_is_over(job);
	if (str_is(s->thread_id))
		return thread_is_idle(state_thread(w, s->thread_id));
	return !state_is_open(w);
}

struct str evidence_scope_kind(const struct evidence_scope *s)
{
	return str_is(s->turn_id)     ? STR("turn")
	       : str_is(s->task_id)   ? STR("task")
	       : str_is(s->job_id)    ? STR("job")
	       : str_is(s->thread_id) ? STR("thread")
	                              : STR("session");
}

struct str evidence_scope_id(const struct evidence_scope *s)
{
	return str_is(s->turn_id)     ? s->turn_id
	       : str_is(s->task_id)   ? s->task_id
	       : str_is(s->job_id)    ? s->job_id
	       : str_is(s->thread_id) ? s->thread_id
	                              : s->session_id;
}

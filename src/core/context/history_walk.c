/*
 * Walks the log to find an old turn that the state no longer lists; history_walk.h says why and by
 * which rules.
 */
#include "core/context/history_walk.h"

#include "core/context/history_marks.h"

struct history_walk_turn {
	struct str turn_id;
	bool is_active; /* no longer queued */
	int64_t ended;
};

/* ---- where to look ---- */

bool history_walk_range(const struct st_thread *th, bool by_turn, int64_t sequence,
                        struct history_walk_range *ret)
{
	uint32_t first = 0, last;

	while (first < th->marks.count && th->marks.items[first]->to_sequence < sequence)
		first++;
	if (first == th->marks.count && (by_turn || !first))
		return false;
	/*
	 * A turn may have been queued while others ended, so it is in this mark or a later one.  The
	 * turn before an event is in this mark or is the last of the previous one.
	 */
	last = by_turn ? th->marks.count - 1 : MIN(first, th->marks.count - 1);
	if (!by_turn && first)
		first--;
	*ret = (struct history_walk_range){ .from = th->marks.items[first]->from_sequence,
		                            .to = th->marks.items[last]->to_sequence };
	for (uint32_t i = 0; i < first; i++) {
		ret->before += th->marks.items[i]->turns;
		ret->after = th->marks.items[i]->to_sequence;
	}
	return true;
}

void history_walk_init(struct history_walk *walk, struct arena *mem, const struct state *w,
                       const struct st_thread *th, const struct history_walk_range *range)
{
	*walk = (struct history_walk){ .mem = mem, .after = range->after, .before = range->before };
	assemble_origins_of(th, w, &walk->origins);
	for (size_t i = 0; i < walk->origins.origin_count; i++)
		walk->origins.origins[i].thread_id =
			arena_keep(mem, walk->origins.origins[i].thread_id);
}

/* ---- walking ---- */

static const enum event_type TYPES[] = {
	EV_TURN_SUBMITTED,
	EV_TURN_STARTED,
	EV_TURN_COMPLETED,
	EV_TURN_FAILED,
	EV_HISTORY_ROLLBACK_COMPLETED,
};

void history_walk_types(uint64_t types[4])
{
	memset(types, 0, 4 * sizeof *types);
	for (size_t i = 0; i < COUNT_OF(TYPES); i++)
		types[TYPES[i] / 64] |= 1ull << (TYPES[i] % 64);
}

static void push_turn(struct arena *mem, struct history_walk_turn ***list, size_t *count,
                      size_t *cap, struct history_walk_turn *t)
{
	if (*count == *cap) {
		size_t grown = *cap ? *cap * 2 : 64;

		*list = arena_grow(mem, *list, *count * sizeof **list, grown * sizeof **list);
		*cap = grown;
	}
	(*list)[(*count)++] = t;
}

static struct history_walk_turn *find_turn(const struct history_walk *walk, struct str turn_id)
{
	for (size_t i = walk->count; i-- > 0;)
		if (str_eq(walk->turns[i]->turn_id, turn_id))
			return walk->turns[i];
	return NULL;
}

static void walk_submitted(struct history_walk *walk, const struct event *ev,
                           const struct ev_turn_submitted *p)
{
	struct history_walk_turn *t;

	if (p->kind == TURN_KIND_SYSTEM || p->kind == TURN_KIND_JOB ||
	    p->kind == TURN_KIND_SAMPLING || str_is(p->merged_into))
		return;
	t = ARENA_NEW(walk->mem, struct history_walk_turn);
	t->turn_id = arena_keep(walk->mem, ev->turn_id);
	t->is_active = ev->status != STATUS_QUEUED;
	push_turn(walk->mem, &walk->turns, &walk->count, &walk->cap, t);
}

/*
 * Turns that end in the queue never were active and are no history; those of earlier marks are
 * counted in `before`.
 */
static void walk_ended(struct history_walk *walk, const struct event *ev)
{
	struct history_walk_turn *t = find_turn(walk, ev->turn_id);

	if (!t || !t->is_active || ev->sequence <= walk->after)
		return;
	t->ended = ev->sequence;
	push_turn(walk->mem, &walk->ended, &walk->ended_count, &walk->ended_cap, t);
}

void history_walk_feed(struct history_walk *walk, const struct event *ev)
{
	struct history_walk_turn *t;

	if (!assemble_comes_from(&walk->origins, ev))
		return;
	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		walk_submitted(walk, ev, ev->payload);
		break;
	case EV_TURN_STARTED:
		t = find_turn(walk, ev->turn_id);
		if (t)
			t->is_active = true;
		break;
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
		walk_ended(walk, ev);
		break;
	case EV_HISTORY_ROLLBACK_COMPLETED: {
		const struct ev_history_rollback_completed *p = ev->payload;

		while (walk->ended_count &&
		       walk->ended[walk->ended_count - 1]->ended > p->target_sequence)
			walk->ended_count--;
		break;
	}
	default:
		break;
	}
}

/* ---- results ---- */

static struct history_point point_at(const struct history_walk *walk, size_t i)
{
	return (struct history_point){ .turn_id = walk->ended[i]->turn_id,
		                       .sequence = walk->ended[i]->ended,
		                       .turns = walk->before + (int64_t)i + 1 };
}

bool history_walk_turn(const struct history_walk *walk, struct str turn_id,
                       struct history_point *ret)
{
	for (size_t i = 0; i < walk->ended_count; i++)
		if (str_eq(walk->ended[i]->turn_id, turn_id)) {
			*ret = point_at(walk, i);
			return true;
		}
	return false;
}

bool history_walk_event(const struct history_walk *walk, int64_t sequence,
                        struct history_point *ret)
{
	for (size_t i = walk->ended_count; i-- > 0;)
		if (walk->ended[i]->ended <= sequence) {
			*ret = point_at(walk, i);
			return true;
		}
	return false;
}

/*
 * Queries about child agents, used by decisions, folds and views: who is whose
 * child, and does any of its work still run?
 * spec: contracts/subagents-and-jobs#subagents; GAP-03
 */
#include "core/subagent/subagent.h"

const struct st_subagent *subagent_find(const struct state *w, struct str subagent_id)
{
	for (uint32_t i = 0; i < w->s->subagents.count; i++)
		if (str_eq(w->s->subagents.items[i]->record->subagent_id, subagent_id))
			return w->s->subagents.items[i];
	return NULL;
}

const struct st_subagent *subagent_of_thread(const struct state *w, struct str thread_id)
{
	for (uint32_t i = 0; i < w->s->subagents.count; i++)
		if (str_eq(w->s->subagents.items[i]->record->thread_id, thread_id))
			return w->s->subagents.items[i];
	return NULL;
}

bool subagent_is_closed(const struct st_subagent *s)
{
	return s->record->status == SUBAGENT_STATUS_CLOSED;
}

bool subagent_is_at_rest(const struct state *w, const struct st_subagent *s)
{
	const struct st_thread *th = state_thread(w, s->record->thread_id);

	return !th || (!str_is(th->active_turn_id) && !th->order.count);
}

/*
 * A parent that waits must not continue before subagent.completed or subagent.failed is written:
 * the turn's end alone is not enough.  A lost turn counts when that was reported, since nothing
 * ends it without a command.
 */
bool subagent_is_settled(const struct state *w, const struct st_subagent *s)
{
	const struct st_thread *th = state_thread(w, s->record->thread_id);
	const struct st_turn *t = th ? state_thread_active(th) : NULL;

	if (!th || subagent_is_closed(s))
		return true;
	if (t || th->order.count)
		return t && t->stage == TURN_STAGE_LOST &&
		       s->record->status == SUBAGENT_STATUS_BLOCKED;
	return !th->last_outcome ||
	       (str_is(s->ended_turn_id) && str_eq(s->ended_turn_id, th->last_outcome->turn_id));
}

bool subagent_is_under(const struct state *w, const struct st_subagent *s, struct str thread_id)
{
	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		if (str_eq(s->record->parent_thread_id, thread_id))
			return true;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return false;
}

/* ---- bounds ---- */

/*
 * How much a mode permits without a question; a child's mode must not permit more than its
 * parent's.  Where two modes cannot be compared exactly (auto and on_failure), calls are evaluated
 * under both (permission.c), so the order only has to be total.
 */
int subagent_mode_width(enum permission_mode m)
{
	static const int widths[] = {
		[PERMISSION_MODE_PLAN] = 0,       [PERMISSION_MODE_NEVER] = 1,
		[PERMISSION_MODE_UNTRUSTED] = 2,  [PERMISSION_MODE_DEFAULT] = 3,
		[PERMISSION_MODE_ON_REQUEST] = 4, [PERMISSION_MODE_AUTO] = 5,
		[PERMISSION_MODE_ON_FAILURE] = 6, [PERMISSION_MODE_BYPASS] = 7,
	};

	return widths[m];
}

enum permission_mode subagent_narrower_mode(enum permission_mode a, enum permission_mode b)
{
	return subagent_mode_width(a) <= subagent_mode_width(b) ? a : b;
}

bool subagent_has_tool(const struct state *w, struct str thread_id, struct str tool)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);

	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		if (rec_list_str_find(&s->record->isolation->tools, tool) < 0)
			return false;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return true;
}

/* ---- budgets ---- */

int64_t subagent_promised(const struct state *w, struct str parent_thread_id,
                          const struct st_subagent *but)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *s = w->s->subagents.items[i];

		if (s != but && !subagent_is_closed(s) && s->has_budget_usd &&
		    s->spent_usd < s->budget_usd &&
		    str_eq(s->record->parent_thread_id, parent_thread_id))
			sum += s->budget_usd - s->spent_usd;
	}
	return sum;
}

/* Folds child agents: identity, bounds, status and spending. */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/subagent/subagent.h"

/* Closed children that stay in the state; open ones always do. */
#define WINDOW_SUBAGENTS 32

void subagent_on_subagent_spawned(struct state *w, const struct event *ev,
                                  const struct ev_subagent_spawned *p)
{
	struct st_subagent *s = rec_list_add(w->mem, &w->s->subagents, &st_subagent_desc);
	struct rec_subagent r = {
		.subagent_id = ev->subagent_id,
		.parent_thread_id = p->parent_thread_id,
		.parent_turn_id = p->parent_turn_id,
		.parent_task_id = p->parent_task_id,
		.parent_subagent_id = p->parent_subagent_id,
		.thread_id = p->child_thread_id,
		.role = p->role,
		.nickname = p->nickname,
		.isolation = p->isolation,
		.model_policy = p->model_policy,
		.model = p->model,
		.agent = p->agent,
		.tool_server = p->tool_server,
		.status = SUBAGENT_STATUS_QUEUED,
	};

	/* From here on the engine sees that a directory has to be made. */
	if (p->isolation && str_is(p->isolation->worktree))
		r.worktree_state = WORKTREE_STATE_MAKING;
	s->record = rec_clone(w->mem, &rec_subagent_desc, &r);
	s->budget_usd = p->budget_usd;
	s->has_budget_usd = p->has_budget_usd;
	s->created_at = s->updated_at = ev->timestamp;
}

/* Takes the status of the envelope; a word that children do not have changes nothing. */
static struct st_subagent *fold_status(struct state *w, const struct event *ev)
{
	struct st_subagent *s = subagent_find(w, ev->subagent_id);
	enum subagent_status now = rec_enum_read(&enum_subagent_status, status_word(ev->status));

	if (!s)
		return NULL;
	if (now)
		s->record->status = now;
	s->updated_at = ev->timestamp;
	return s;
}

void subagent_on_subagent_status(struct state *w, const struct event *ev,
                                 const struct ev_subagent_status *p)
{
	struct st_subagent *s = fold_status(w, ev);

	if (!s || p->kind != SUBAGENT_STATUS_KIND_WORKTREE)
		return;
	s->record->worktree_state = p->worktree_state;
	/* Calls that were opened before this event do not get access to the directory. */
	if (p->worktree_state == WORKTREE_STATE_READY)
		s->worktree_sequence = ev->sequence;
	if (p->worktree_state == WORKTREE_STATE_FAILED)
		s->record->worktree_reason = KEEP(w, p->summary);
}

void subagent_on_subagent_input(struct state *w, const struct event *ev,
                                const struct ev_subagent_input *p)
{
	fold_status(w, ev);
}

/* ended_turn_id marks the turn as reported, so that step_child() reports each end once. */
void subagent_on_subagent_completed(struct state *w, const struct event *ev,
                                    const struct ev_subagent_completed *p)
{
	struct st_subagent *s = fold_status(w, ev);

	if (!s)
		return;
	s->ended_turn_id = KEEP(w, ev->turn_id);
	s->record->last_message_ref = KEEP(w, p->last_message_ref);
}

void subagent_on_subagent_failed(struct state *w, const struct event *ev,
                                 const struct ev_subagent_failed *p)
{
	struct st_subagent *s = fold_status(w, ev);

	if (s)
		s->ended_turn_id = KEEP(w, ev->turn_id);
}

void subagent_on_subagent_closed(struct state *w, const struct event *ev,
                                 const struct ev_subagent_closed *p)
{
	uint32_t closed = 0;

	fold_status(w, ev);
	for (uint32_t i = w->s->subagents.count; i-- > 0;)
		if (subagent_is_closed(w->s->subagents.items[i]) && ++closed > WINDOW_SUBAGENTS)
			rec_list_remove(&w->s->subagents, i);
}

void subagent_on_cost_recorded(struct state *w, const struct event *ev,
                               const struct ev_cost_recorded *p)
{
	struct st_subagent *s = str_is(ev->thread_id) ? subagent_of_thread(w, ev->thread_id) : NULL;

	/* A child's spending is part of its parent's, all the way up. */
	for (int depth = 0; s && p->has_amount_usd && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		s->spent_usd += p->amount_usd;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
}

/* Work that a restart has to report, collected when the log is opened. */
#include "engine/session/clock.h"
#include "crash_run_int.h"

#include "core/subagent/subagent.h"

struct pending {
	struct pending *next;
	enum { PENDING_REQUEST, PENDING_CALL, PENDING_ACTION, PENDING_CHANNEL } kind;
	struct seen *seen;
	struct str id;
	int64_t expires_at; /* in steady time */
	bool may_be_stopped;
};

/* A command has stopped it, or a restart or the clock may: what it asked for ends with it. */
static bool may_be_stopped(const struct state *w, const struct st_turn *turn)
{
	const struct st_task *task = state_task(w, turn->task_id);
	const struct st_subagent *child;
	const struct st_thread *th;

	state_turn(w, turn->turn_id, &th);
	child = subagent_of_thread(w, th->thread_id);
	if (turn->stage == TURN_STAGE_STOPPING || turn->kind == TURN_KIND_JOB)
		return true;
	if (child && str_is(child->record->parent_task_id)) {
		const struct st_task *above = state_task(w, child->record->parent_task_id);

		if (above && above->cancelled)
			return true;
	}
	return task && ((task->record->constraints && task->record->constraints->has_time_ms) ||
	                (task->retry_policy && task->retry_policy->has_timeout_ms));
}

static void pending_add(struct crash_run *t, struct seen *s, int kind, struct str id,
                        int64_t expires_at, const struct st_turn *turn)
{
	struct pending *o = ARENA_NEW(t->mem, struct pending);

	o->kind = kind;
	o->seen = s;
	o->id = arena_keep(t->mem, id);
	o->expires_at = expires_at;
	o->may_be_stopped = turn && may_be_stopped(invariant_state(s->log), turn);
	o->next = t->pending;
	t->pending = o;
}

void pending_find(struct crash_run *t, struct seen *s)
{
	const struct state *w = invariant_state(s->log);

	if (s->is_deleted)
		return;
	for (uint32_t i = 0; i < w->s->channels.count; i++)
		if (w->s->channels.items[i]->status == STATUS_RUNNING)
			pending_add(t, s, PENDING_CHANNEL,
			            w->s->channels.items[i]->record->channel_id, 0, NULL);
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->turns.count; n++)
			if (str_is(th->turns.items[n]->model_request_id))
				pending_add(t, s, PENDING_REQUEST,
				            th->turns.items[n]->model_request_id, 0,
				            th->turns.items[n]);
		for (uint32_t n = 0; n < th->calls.count; n++)
			if (th->calls.items[n]->dispatched && !call_is_over(th->calls.items[n]) &&
			    !th->calls.items[n]->asks_user)
				pending_add(t, s, PENDING_CALL, th->calls.items[n]->tool_call_id, 0,
				            state_thread_turn(th, th->calls.items[n]->turn_id));
		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]))
				pending_add(t, s, PENDING_ACTION, th->actions.items[n]->action_id,
				            th->actions.items[n]->expires_at -
				                    w->s->clock_offset_ms,
				            state_thread_turn(th, th->actions.items[n]->turn_id));
	}
}

/* The event of this run that ends it, or NULL. */
static const struct event *end_of(const struct pending *o)
{
	for (size_t i = o->seen->stored; i < invariant_count(o->seen->log); i++) {
		const struct event *ev = invariant_event(o->seen->log, i);

		if (o->kind == PENDING_REQUEST && ev->type == EV_MODEL_FAILED &&
		    str_eq(ev->model_request_id, o->id))
			return ev;
		if (o->kind == PENDING_CALL && ev->type == EV_TOOL_FAILED &&
		    str_eq(ev->tool_call_id, o->id))
			return ev;
		if (o->kind == PENDING_ACTION && ev->type == EV_ACTION_RESOLVED &&
		    str_eq(ev->action_id, o->id))
			return ev;
		if (o->kind == PENDING_CHANNEL && ev->type == EV_CHANNEL_DISCONNECTED &&
		    str_eq(ev->channel_id, o->id))
			return ev;
	}
	return NULL;
}

static bool is_named_lost(const struct pending *o)
{
	for (size_t i = o->seen->stored; i < invariant_count(o->seen->log); i++) {
		const struct event *ev = invariant_event(o->seen->log, i);
		const struct ev_history_reconstructed *p = ev->payload;

		for (uint32_t n = 0; ev->type == EV_HISTORY_RECONSTRUCTED && n < p->lost.count; n++)
			if (str_eq(p->lost.items[n]->id, o->id))
				return true;
	}
	return false;
}

void pending_check(struct crash_run *t)
{
	int64_t now = sim_steady_ms(t->sim);

	for (const struct pending *o = t->pending; o && !t->why[0]; o = o->next) {
		const struct event *end = end_of(o);

		if (o->kind == PENDING_ACTION) {
			/* Within the jitter the wall clock decides, which may be ahead. */
			bool is_due = o->expires_at <= now + CLOCK_JITTER_MS;

			if (end && !(end->status == STATUS_TIMED_OUT && is_due) &&
			    !o->may_be_stopped)
				crash_run_fail(t, "action %.*s did not survive the restart",
				               STR_ARG(o->id));
			continue;
		}
		if (o->kind == PENDING_CHANNEL) {
			if (!end)
				crash_run_fail(
					t,
					"channel %.*s was connected, and no event says that it is "
					"gone",
					STR_ARG(o->id));
			continue;
		}
		if (!end || end->status != STATUS_LOST)
			crash_run_fail(t, "%.*s was in flight and is %s", STR_ARG(o->id),
			               end ? "not called lost" : "not ended");
		else if (!is_named_lost(o))
			crash_run_fail(t, "history.reconstructed does not name %.*s",
			               STR_ARG(o->id));
	}
	t->pending = NULL;
}

/* Folds the boundaries: what a summary covers, what a rollback removed, what a fork took over. */
#include "core/fold_part.h"
#include "core/turn/turn_table.h"
#include "core/gen/tables.h"
#include "core/context/history.h"
#include "core/context/history_marks.h"
#include "core/tool/todo.h"

static void keep_ids(struct state *w, struct list_str *to, const struct list_str *from)
{
	*to = (struct list_str){ 0 };
	for (uint32_t i = 0; i < from->count; i++)
		rec_list_str_add(w->mem, to, from->items[i]);
}

/* The conversation changed, so the last measured size is invalid. */
static void recount(struct st_thread *th)
{
	const struct st_turn *active = state_thread_active(th);

	th->measured_tokens = th->measured_base = 0;
	th->messages = (active ? active->messages : 0) + (th->compactions.count > 0);
	for (size_t i = 0; i < history_marks_units(th); i++) {
		struct history_unit u = history_marks_unit(th, i);

		if (history_marks_is_sent(th, &u))
			th->messages += u.messages;
	}
}

/* ---- compaction ---- */

/* For an event that lists turns without the last sequence. */
static int64_t through_of(const struct st_thread *th, const struct list_str *turns)
{
	int64_t through = history_marks_covered(th);

	for (uint32_t i = 0; i < th->history.count; i++)
		if (rec_list_str_find(turns, th->history.items[i]->turn_id) >= 0)
			through = MAX(through, th->history.items[i]->to_sequence);
	return through;
}

/*
 * The turn's model is saved, because the summary may use another one and shows it in the same
 * fields.
 */
void context_on_context_compaction_started(struct state *w, const struct event *ev,
                                           const struct ev_context_compaction_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!th || !t)
		return;
	turn_fold_item(w, t, ev);
	th->compaction = ARENA_NEW(w->mem, struct st_compaction_run);
	*th->compaction = (struct st_compaction_run){
		.turn_id = t->turn_id,
		.trigger = p->trigger,
		.reason = KEEP(w, p->reason),
		.tokens_before = p->tokens_before,
		.started_at = ev->timestamp,
		.started_sequence = ev->sequence,
		.step_id = KEEP(w, ev->step_id),
		.step_index = ev->item ? ev->item->index : 0,
		.turn_provider = t->provider,
		.turn_model = t->model,
		.turns = p->has_turns ? p->turns : p->affected_turns.count,
		.through_sequence = p->has_through_sequence ? p->through_sequence
		                                            : through_of(th, &p->affected_turns),
	};
	keep_ids(w, &th->compaction->affected_turns, &p->affected_turns);
	t->compacted_request = t->request_number + 1;
	turn_table_move(w, t, TURN_STAGE_COMPACTING);
	t->status = STATUS_RUNNING;
	t->phase = PHASE_COMPACTING;
	t->last_error = NULL;
}

/* The turn continues at its earlier stage, with the model that was decided for it. */
static void continue_turn(const struct state *w, struct st_turn *t,
                          const struct st_compaction_run *c)
{
	if (c) {
		t->provider = c->turn_provider;
		t->model = c->turn_model;
	}
	if (t->kind == TURN_KIND_SYSTEM || t->stage == TURN_STAGE_STOPPING)
		return;
	turn_table_move(w, t, TURN_STAGE_PREPARING);
	t->phase = PHASE_WORKING;
}

void context_on_context_compaction_completed(struct state *w, const struct event *ev,
                                             const struct ev_context_compaction_completed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);
	struct st_compaction *c;

	if (!th)
		return;
	/*
	 * A summary covers everything that the previous one covers, and more.  Only a rollback
	 * behind it would need the oldest; the turns themselves are sent then.
	 */
	if (th->compactions.count == WINDOW_COMPACTIONS)
		rec_list_remove(&th->compactions, 0);
	int64_t through =
		p->has_through_sequence ? p->through_sequence : through_of(th, &p->affected_turns);

	c = rec_list_add(w->mem, &th->compactions, &st_compaction_desc);
	c->trigger = p->trigger;
	c->turn_id = KEEP(w, ev->turn_id);
	keep_ids(w, &c->affected_turns, &p->affected_turns);
	c->turns = p->has_turns ? p->turns : p->affected_turns.count;
	c->through_sequence = through;
	c->summary_ref = KEEP(w, p->summary_ref);
	c->continuation_ref =
		KEEP(w, str_is(p->continuation_ref) ? p->continuation_ref : p->summary_ref);
	c->started_sequence = th->compaction ? th->compaction->started_sequence : 0;
	c->sequence = ev->sequence;
	c->summary_tokens = p->summary_tokens;
	if (p->tokens) {
		c->tokens_before = p->tokens->before;
		c->tokens_after = p->tokens->after;
	}
	if (t) {
		turn_fold_item(w, t, ev);
		/* The rounds of this turn are in the summary; its input is still sent. */
		if (rec_list_str_find(&c->affected_turns, t->turn_id) >= 0) {
			t->context_tokens = t->input_estimate;
			t->messages = 1;
		}
		continue_turn(w, t, th->compaction);
		/* The next compaction covers what one summary could not. */
		if (th->compaction && str_eq(th->compaction->reason, STR("threshold")))
			t->compacted_request = 0;
	}
	th->compaction = NULL;
	/* The summary covers what was cut. */
	th->cut_through = 0;
	th->context_is_stale = true;
	recount(th);
	w->s->compactions++;
}

/*
 * A failed compaction at the threshold is no failure of the turn: the request is sent as it is, or
 * cut.
 */
void context_on_context_compaction_failed(struct state *w, const struct event *ev,
                                          const struct ev_context_compaction_failed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!th || !th->compaction)
		return;
	if (t) {
		turn_fold_item(w, t, ev);
		if (t->stage == TURN_STAGE_COMPACTING && !th->compaction->is_cut &&
		    str_eq(th->compaction->reason, STR("overflow")))
			turn_fold_failing(
				w, t, ERROR_CATEGORY_CONTEXT_LENGTH,
				STR("The conversation no longer fits the model's window."),
				STR("compact_thread, or continue in another thread"), false);
		else if (t->stage == TURN_STAGE_COMPACTING)
			continue_turn(w, t, th->compaction);
	}
	rec_list_str_add(w->mem, &th->context_warnings, KEEP(w, p->message));
	while (th->context_warnings.count > 4)
		rec_list_str_remove(&th->context_warnings, th->context_warnings.items[0]);
	th->compaction = NULL;
}

/* ---- cut ---- */

/* Other causes (a submit, a fork) only report a window and change nothing. */
void history_on_history_window_loaded(struct state *w, const struct event *ev,
                                      const struct ev_history_window_loaded *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th || p->cause != WINDOW_CAUSE_WINDOW)
		return;
	th->cut_through = p->omitted_through;
	th->cut_room = p->room_tokens;
	th->context_is_stale = true;
	if (th->compaction)
		th->compaction->is_cut = true;
	recount(th);
}

/* ---- rollback ---- */

void history_on_history_rollback_started(struct state *w, const struct event *ev,
                                         const struct ev_history_rollback_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	th->rollback = ARENA_NEW(w->mem, struct st_rollback_run);
	th->rollback->target_sequence = p->target_sequence;
	th->rollback->target_turn_id = KEEP(w, p->target_turn_id);
	keep_ids(w, &th->rollback->removed_turns, &p->removed_turns);
	th->rollback->removed_count = p->removed_count;
	th->rollback->has_removed_count = p->has_removed_count;
	th->rollback->remaining_turns = p->remaining_turns;
	th->rollback->has_remaining_turns = p->has_remaining_turns;
}

static bool is_removed(const struct ev_history_rollback_completed *p, struct str turn_id)
{
	return rec_list_str_find(&p->removed_turns, turn_id) >= 0;
}

/*
 * Pending actions stay until they are resolved.  Compactions after the target are undone by
 * removing their records.
 */
static void remove_turns(struct st_thread *th, const struct ev_history_rollback_completed *p)
{
	history_marks_drop_after(th, p->target_sequence,
	                         p->has_remaining_turns ? p->remaining_turns : -1);
	for (uint32_t i = 0; i < th->turns.count; i++)
		if (is_removed(p, th->turns.items[i]->turn_id))
			rec_list_remove(&th->turns, i--);
	for (uint32_t i = 0; i < th->calls.count; i++)
		if (is_removed(p, th->calls.items[i]->turn_id))
			rec_list_remove(&th->calls, i--);
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (is_removed(p, th->actions.items[i]->turn_id) &&
		    !action_is_pending(th->actions.items[i]))
			rec_list_remove(&th->actions, i--);
	if (th->todo_sequence > p->target_sequence)
		todo_forget(th);
	while (th->compactions.count &&
	       th->compactions.items[th->compactions.count - 1]->sequence > p->target_sequence)
		rec_list_remove(&th->compactions, th->compactions.count - 1);
}

static void last_remaining(struct state *w, struct st_thread *th)
{
	const struct st_turn *last =
		th->history.count
			? state_thread_turn(th, th->history.items[th->history.count - 1]->turn_id)
			: NULL;

	if (!last) {
		th->last_outcome = NULL;
		return;
	}
	th->last_outcome = ARENA_NEW(w->mem, struct rec_last_outcome);
	*th->last_outcome = (struct rec_last_outcome){ .turn_id = last->turn_id,
		                                       .status = last->status,
		                                       .last_message_ref = last->last_message_ref };
}

void history_on_history_rollback_completed(struct state *w, const struct event *ev,
                                           const struct ev_history_rollback_completed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	int64_t removed = p->has_removed_count ? p->removed_count : p->removed_turns.count;

	remove_turns(th, p);
	th->turn_count = MAX(th->turn_count - removed, 0);
	th->ended_turns = MAX(th->ended_turns - removed, 0);
	th->rollback = NULL;
	last_remaining(w, th);
	recount(th);
	w->s->rollbacks++;
}

/* ---- fork ---- */

/*
 * Summaries that existed at the fork are taken over; later ones of the parent do not exist for the
 * fork.
 */
void history_fold_fork(struct state *w, struct st_thread *th, const struct rec_fork_point *from)
{
	const struct st_thread *parent = state_thread(w, from->thread_id);

	th->forked_from = rec_clone(w->mem, &rec_fork_point_desc, from);
	if (parent)
		history_marks_take(w, th, parent, from->sequence,
		                   from->has_turns ? from->turns : -1);
	for (uint32_t i = 0; parent && i < parent->compactions.count; i++)
		if (parent->compactions.items[i]->sequence <= from->sequence)
			rec_keep(w->mem, &st_compaction_desc,
			         rec_list_add(w->mem, &th->compactions, &st_compaction_desc),
			         parent->compactions.items[i]);
	th->ended_turns = th->turn_count = history_marks_turns(th);
	recount(th);
}

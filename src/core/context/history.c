/*
 * Rollback and fork: boundaries in a log that stays unchanged.  Files are not
 * touched; side effects of removed calls are listed, not undone.
 * spec: contracts/session-history-recovery#rollback
 */
#include "core/context/history.h"

#include "core/gen/tables.h"
#include "core/context/history_marks.h"
#include "core/context/history_walk.h"
#include "core/session/session.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

static const struct st_thread *thread_arg(struct decision *d, struct str thread_id)
{
	const struct st_thread *th =
		str_is(thread_id) ? state_thread(d->w, thread_id) : state_main_thread(d->w);

	if (!th)
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
	return th;
}

/* By turn, among the entries of the state. */
static bool find_entry(const struct st_thread *th, struct str turn_id, struct history_point *ret)
{
	int64_t marked = history_marks_turns(th) - th->history.count;

	for (uint32_t i = 0; i < th->history.count; i++)
		if (str_eq(th->history.items[i]->turn_id, turn_id)) {
			*ret = (struct history_point){ turn_id, th->history.items[i]->to_sequence,
				                       marked + i + 1 };
			return true;
		}
	return false;
}

/* By event: the newest entry that ended by it; false: a mark may hold the turn. */
static bool find_by_event(const struct st_thread *th, int64_t sequence, struct history_point *ret)
{
	*ret = (struct history_point){ 0 };
	for (uint32_t i = th->history.count; i-- > 0;)
		if (th->history.items[i]->to_sequence <= sequence)
			return find_entry(th, th->history.items[i]->turn_id, ret);
	return !th->marks.count || th->marks.items[0]->from_sequence > sequence;
}

/*
 * The engine asks before it decides: a walk of the log takes time, so it is done only when a mark
 * may hold the answer.
 */
bool history_is_marked(const struct st_thread *th, struct str turn_id, bool has_sequence,
                       int64_t sequence)
{
	struct history_point p;

	if (!th->marks.count)
		return false;
	if (str_is(turn_id))
		return !find_entry(th, turn_id, &p);
	return has_sequence && !find_by_event(th, sequence, &p);
}

/* Another rollback may have removed it while the log was read. */
static bool point_holds(const struct decision *d, const struct st_thread *th)
{
	return d->point && d->point->turns <= history_marks_turns(th);
}

/*
 * The last turn that stays; false after a refusal.  An entry in the state precedes the point that
 * the engine read from the log.  Without turn and sequence the newest turn is the target.
 */
static bool find_target(struct decision *d, const struct st_thread *th, struct str turn_id,
                        bool has_sequence, int64_t sequence, struct history_point *ret)
{
	*ret = (struct history_point){ 0 };
	if (str_is(turn_id)) {
		if (find_entry(th, turn_id, ret))
			return true;
		if (point_holds(d, th) && str_eq(d->point->turn_id, turn_id)) {
			*ret = *d->point;
			return true;
		}
		decision_refuse(d, ERROR_CODE_TURN_NOT_FOUND,
		                "%.*s is not among the ended turns of this thread",
		                STR_ARG(turn_id));
		return false;
	}
	if (!has_sequence)
		sequence = d->w->s->sequence;
	if (sequence < 0 || sequence > d->w->s->sequence) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "the session has events 1 to %lld",
		                (long long)d->w->s->sequence);
		return false;
	}
	if (!find_by_event(th, sequence, ret) && point_holds(d, th))
		*ret = *d->point;
	return true;
}

/* ---- rollback ---- */

static bool may_roll_back(struct decision *d, const struct st_thread *th,
                          const struct cmd_rollback_thread *cmd)
{
	const struct st_turn *active = state_thread_active(th);

	if (str_is(cmd->to_turn_id) == cmd->has_to_sequence)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "name toTurnId or toSequence, one of them");
	else if (th->compaction)
		decision_refuse(d, ERROR_CODE_COMPACTION_ACTIVE, "the thread is being compacted");
	else if (th->rollback)
		decision_refuse(d, ERROR_CODE_TURN_ACTIVE,
		                "another rollback waits for the turn to stop");
	else if (active && !cmd->interrupt)
		decision_refuse(d, ERROR_CODE_TURN_ACTIVE,
		                "%.*s is running; interrupt: true ends it first",
		                STR_ARG(active->turn_id));
	return !d->refusal;
}

/*
 * Only boundaries change; the log keeps everything.  An active turn has to stop first:
 * rollback.started records the target, and history_step_rollback() completes when the turn has
 * ended.
 */
void decide_rollback_thread(struct decision *d, const struct cmd_rollback_thread *cmd)
{
	const struct st_thread *th = thread_arg(d, cmd->thread_id);
	const struct st_turn *active = th ? state_thread_active(th) : NULL;
	struct ev_history_rollback_started p = { .reason = cmd->reason };
	struct history_point target;

	if (!th || !may_roll_back(d, th, cmd))
		return;
	if (!find_target(d, th, cmd->to_turn_id, cmd->has_to_sequence, cmd->to_sequence, &target))
		return;
	for (uint32_t i = 0; i < th->history.count; i++)
		if (th->history.items[i]->to_sequence > target.sequence)
			rec_list_str_add(d->mem, &p.removed_turns, th->history.items[i]->turn_id);
	if (active)
		rec_list_str_add(d->mem, &p.removed_turns, active->turn_id);
	p.remaining_turns = target.turns;
	p.removed_count = history_marks_turns(th) - target.turns + (active ? 1 : 0);
	p.has_remaining_turns = p.has_removed_count = true;
	if (!p.removed_count) {
		decision_refuse(d, ERROR_CODE_NOTHING_TO_DO, "no turn follows that point");
		return;
	}
	p.target_turn_id = target.turn_id;
	p.target_sequence = target.sequence;
	p.requested_by = decision_actor(d);
	decision_in_thread(decision_emit_event(d, EV_HISTORY_ROLLBACK_STARTED, &p), th);
	/* KEEP: turns that were written for the removed conversation wait for resume_thread. */
	if (active)
		turn_emit_interrupt(d, th, active, STR("rollback_thread"), QUEUE_POLICY_KEEP);
	struct reply_rollback_thread r = { .thread_id = th->thread_id,
		                           .removed_turns = p.removed_turns,
		                           .removed_count = p.removed_count,
		                           .has_removed_count = true };

	d->reply = rec_text(d->mem, &reply_rollback_thread_desc, &r);
}

/*
 * Artifacts of a removed turn that the event does not list.  An artifact does not name its thread;
 * with several threads only the listed turns identify it.
 */
static bool is_older_artifact(const struct decision *d, const struct st_thread *th,
                              const struct st_artifact *a)
{
	const struct st_rollback_run *r = th->rollback;
	int64_t oldest_listed = th->history.count ? th->history.items[0]->from_sequence : INT64_MAX;

	return d->w->s->threads.count == 1 && r->removed_count > r->removed_turns.count &&
	       a->sequence > r->target_sequence && a->sequence < oldest_listed;
}

/* Effects in the world are not undone; the event lists them, so that a user can. */
static struct rec_rollback_effects *effects_of(struct decision *d, const struct st_thread *th)
{
	struct rec_rollback_effects *e = ARENA_NEW(d->mem, struct rec_rollback_effects);
	const struct list_str *turns = &th->rollback->removed_turns;

	for (uint32_t i = 0; i < th->calls.count; i++)
		if (rec_list_str_find(turns, th->calls.items[i]->turn_id) >= 0 &&
		    th->calls.items[i]->dispatched)
			rec_list_str_add(d->mem, &e->tool_call_ids,
			                 th->calls.items[i]->tool_call_id);
	for (uint32_t i = 0; i < d->w->s->artifacts.count; i++)
		if (rec_list_str_find(turns, d->w->s->artifacts.items[i]->turn_id) >= 0 ||
		    is_older_artifact(d, th, d->w->s->artifacts.items[i]))
			rec_list_str_add(d->mem, &e->artifact_ids,
			                 d->w->s->artifacts.items[i]->artifact_id);
	return e;
}

bool history_step_rollback(struct decision *d, const struct st_thread *th)
{
	const struct st_rollback_run *r = th->rollback;
	struct st_turn none = { 0 };
	const struct st_turn *target;
	struct event *ev;

	if (!r || state_thread_active(th))
		return false;
	target = str_is(r->target_turn_id) ? state_thread_turn(th, r->target_turn_id) : NULL;
	ev = decision_in_thread(
		EMIT(d, HISTORY_ROLLBACK_COMPLETED, history_rollback_completed,
	             .target_sequence = r->target_sequence, .removed_turns = r->removed_turns,
	             .removed_count = r->removed_count, .has_removed_count = r->has_removed_count,
	             .remaining_turns = r->remaining_turns,
	             .has_remaining_turns = r->has_remaining_turns, .affected = effects_of(d, th),
	             .repaired_models =
	                     STRINGS(d, STR("session_snapshot"), STR("thread_read_model"),
	                             STR("context_boundary_snapshot"))),
		th);
	ev->history_boundary =
		KEPT(d, struct rec_history_boundary, .layer = HISTORY_LAYER_CONTEXT_BOUNDARY,
	             .through_sequence = r->target_sequence, .to_turn_id = r->target_turn_id);
	ev = decision_in_thread(EMIT(d, THREAD_UPDATED, thread_updated,
	                             .profile_status = target ? target->status : STATUS_IDLE,
	                             .queued = th->order.count, .has_queued = th->order.count > 0,
	                             .cause = STR("history.rollback.completed")),
	                        th);
	ev->status = target ? target->status : STATUS_IDLE;
	turn_emit_snapshot(d, th, &none, RECOVERY_MODE_ROLLBACK);
	return true;
}

/* ---- fork ---- */

/*
 * No event is copied: the new thread refers to its origin, and the assembly reads the events of the
 * origin up to the fork.
 */
void decide_fork_thread(struct decision *d, const struct cmd_fork_thread *cmd)
{
	const struct st_thread *th = thread_arg(d, cmd->thread_id);
	struct reply_fork_thread r = { .session_id = d->session_id };
	struct event *ev;
	struct history_point stay;

	if (!th)
		return;
	if (str_is(cmd->into) && !str_eq(cmd->into, STR("thread"))) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "into: this build forks within the session only");
		return;
	}
	if (str_is(cmd->new_thread_id) && state_thread(d->w, cmd->new_thread_id)) {
		decision_refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s is a thread already",
		                STR_ARG(cmd->new_thread_id));
		return;
	}
	if (!find_target(d, th, cmd->turn_id, cmd->has_sequence, cmd->sequence, &stay))
		return;
	r.thread_id = str_is(cmd->new_thread_id) ? cmd->new_thread_id : decision_new_id(d, "thr");
	r.turn_id = stay.turn_id;
	ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_FORK,
	          .cause = STR("fork_thread"), .title = cmd->title,
	          .parent_thread_id = th->thread_id,
	          .forked_from = KEPT(d, struct rec_fork_point, .thread_id = th->thread_id,
	                              .turn_id = r.turn_id, .sequence = stay.sequence,
	                              .turns = stay.turns, .has_turns = true));
	ev->thread_id = r.thread_id;
	ev->status = STATUS_IDLE;
	ev = EMIT(d, HISTORY_WINDOW_LOADED, history_window_loaded, .cause = WINDOW_CAUSE_FORK,
	          .from_sequence = stay.turns ? history_marks_unit(th, 0).from : 0,
	          .to_sequence = stay.sequence, .turns = stay.turns,
	          .older_turns = MAX(th->ended_turns - history_marks_turns(th), 0));
	ev->thread_id = r.thread_id;
	d->reply = rec_text(d->mem, &reply_fork_thread_desc, &r);
}

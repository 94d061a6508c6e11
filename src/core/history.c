/*
 * Rollback and fork: boundaries in a log that stays as it is.  Files are not
 * touched; what calls did to the world is named, not undone.
 * spec: contracts/session-history-recovery#rollback
 */
#include "core/history.h"

#include "core/gen/tables.h"
#include "core/session.h"
#include "core/turn.h"

static struct st_thread *thread_arg(struct outcome *d, struct str thread_id)
{
	struct st_thread *th =
		str_is(thread_id) ? world_thread(d->w, thread_id) : world_main_thread(d->w);

	if (!th)
		refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
	return th;
}

/* How many ended turns stay, or -1 after a refusal. */
static int64_t find_target(struct outcome *d, const struct st_thread *th, struct str turn_id,
                           bool has_sequence, int64_t sequence)
{
	int64_t stay = 0;

	if (str_is(turn_id)) {
		for (uint32_t i = 0; i < th->history.count; i++)
			if (str_eq(th->history.items[i]->turn_id, turn_id))
				return i + 1;
		refuse(d, ERROR_CODE_TURN_NOT_FOUND,
		       "%.*s is not among the ended turns that this thread has at hand",
		       STR_ARG(turn_id));
		return -1;
	}
	if (!has_sequence)
		return th->history.count;
	if (sequence < 0 || sequence > d->w->s->sequence) {
		refuse(d, ERROR_CODE_INVALID_VALUE, "the session has events 1 to %lld",
		       (long long)d->w->s->sequence);
		return -1;
	}
	while (stay < th->history.count && th->history.items[stay]->to_sequence <= sequence)
		stay++;
	return stay;
}

/* ---- rollback ---- */

static bool may_roll_back(struct outcome *d, const struct st_thread *th,
                          const struct cmd_rollback_thread *cmd)
{
	const struct st_turn *active = thread_active(th);

	if (str_is(cmd->to_turn_id) == cmd->has_to_sequence)
		refuse(d, ERROR_CODE_INVALID_VALUE, "name toTurnId or toSequence, one of them");
	else if (th->compaction)
		refuse(d, ERROR_CODE_COMPACTION_ACTIVE, "the thread is being compacted");
	else if (th->rollback)
		refuse(d, ERROR_CODE_TURN_ACTIVE, "another rollback waits for the turn to stop");
	else if (active && !cmd->interrupt)
		refuse(d, ERROR_CODE_TURN_ACTIVE, "%.*s is running; interrupt: true ends it first",
		       STR_ARG(active->turn_id));
	return !d->refusal;
}

void decide_rollback_thread(struct outcome *d, const struct cmd_rollback_thread *cmd)
{
	struct st_thread *th = thread_arg(d, cmd->thread_id);
	struct st_turn *active = th ? thread_active(th) : NULL;
	struct ev_history_rollback_started p = { .reason = cmd->reason };
	int64_t stay;

	if (!th || !may_roll_back(d, th, cmd))
		return;
	stay = find_target(d, th, cmd->to_turn_id, cmd->has_to_sequence, cmd->to_sequence);
	if (stay < 0)
		return;
	for (uint32_t i = (uint32_t)stay; i < th->history.count; i++)
		list_str_add(d->mem, &p.removed_turns, th->history.items[i]->turn_id);
	if (active)
		list_str_add(d->mem, &p.removed_turns, active->turn_id);
	if (!p.removed_turns.count) {
		refuse(d, ERROR_CODE_NOTHING_TO_DO, "nothing came after that");
		return;
	}
	p.target_turn_id = stay ? th->history.items[stay - 1]->turn_id : STR_NONE;
	p.target_sequence = stay ? th->history.items[stay - 1]->to_sequence : 0;
	p.requested_by = asked_by(d);
	in_thread(emit_event(d, EV_HISTORY_ROLLBACK_STARTED, &p), th);
	if (active)
		emit_interrupt(d, th, active, STR("rollback_thread"), QUEUE_POLICY_KEEP);
	struct reply_rollback_thread r = { .thread_id = th->thread_id,
		                           .removed_turns = p.removed_turns };

	d->reply = rec_text(d->mem, &reply_rollback_thread_desc, &r);
}

static struct rec_rollback_effects *effects_of(struct outcome *d, const struct st_thread *th)
{
	struct rec_rollback_effects *e = ARENA_NEW(d->mem, struct rec_rollback_effects);
	const struct list_str *turns = &th->rollback->removed_turns;

	for (uint32_t i = 0; i < th->calls.count; i++)
		if (list_str_find(turns, th->calls.items[i]->turn_id) >= 0 &&
		    th->calls.items[i]->dispatched)
			list_str_add(d->mem, &e->tool_call_ids, th->calls.items[i]->tool_call_id);
	for (uint32_t i = 0; i < d->w->s->artifacts.count; i++)
		if (list_str_find(turns, d->w->s->artifacts.items[i]->turn_id) >= 0)
			list_str_add(d->mem, &e->artifact_ids,
			             d->w->s->artifacts.items[i]->artifact_id);
	return e;
}

bool step_rollback(struct outcome *d, struct st_thread *th)
{
	const struct st_rollback_run *r = th->rollback;
	struct st_turn none = { 0 };
	const struct st_turn *target;
	struct event *ev;

	if (!r || thread_active(th))
		return false;
	target = str_is(r->target_turn_id) ? thread_turn(th, r->target_turn_id) : NULL;
	ev = in_thread(EMIT(d, HISTORY_ROLLBACK_COMPLETED, history_rollback_completed,
	                    .target_sequence = r->target_sequence,
	                    .removed_turns = r->removed_turns, .affected = effects_of(d, th),
	                    .repaired_models =
	                            STRINGS(d, STR("session_snapshot"), STR("thread_read_model"),
	                                    STR("context_boundary_snapshot"))),
	               th);
	ev->history_boundary =
		KEPT(d, struct rec_history_boundary, .layer = HISTORY_LAYER_CONTEXT_BOUNDARY,
	             .through_sequence = r->target_sequence, .to_turn_id = r->target_turn_id);
	ev = in_thread(EMIT(d, THREAD_UPDATED, thread_updated,
	                    .profile_status = target ? target->status : STATUS_IDLE,
	                    .queued = th->order.count, .has_queued = th->order.count > 0,
	                    .cause = STR("history.rollback.completed")),
	               th);
	ev->status = target ? target->status : STATUS_IDLE;
	snapshot_fact(d, th, &none, RECOVERY_MODE_ROLLBACK);
	return true;
}

/* ---- fork ---- */

void decide_fork_thread(struct outcome *d, const struct cmd_fork_thread *cmd)
{
	struct st_thread *th = thread_arg(d, cmd->thread_id);
	struct reply_fork_thread r = { .session_id = d->session_id };
	struct event *ev;
	int64_t stay;

	if (!th)
		return;
	if (str_is(cmd->into) && !str_eq(cmd->into, STR("thread"))) {
		refuse(d, ERROR_CODE_INVALID_VALUE,
		       "into: this build forks within the session only");
		return;
	}
	if (str_is(cmd->new_thread_id) && world_thread(d->w, cmd->new_thread_id)) {
		refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s is a thread already",
		       STR_ARG(cmd->new_thread_id));
		return;
	}
	stay = find_target(d, th, cmd->turn_id, cmd->has_sequence, cmd->sequence);
	if (stay < 0)
		return;
	r.thread_id = str_is(cmd->new_thread_id) ? cmd->new_thread_id : new_id(d, "thr");
	r.turn_id = stay ? th->history.items[stay - 1]->turn_id : STR_NONE;
	ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_FORK,
	          .cause = STR("fork_thread"), .title = cmd->title,
	          .parent_thread_id = th->thread_id,
	          .forked_from =
	                  KEPT(d, struct rec_fork_point, .thread_id = th->thread_id,
	                       .turn_id = r.turn_id,
	                       .sequence = stay ? th->history.items[stay - 1]->to_sequence : 0));
	ev->thread_id = r.thread_id;
	ev->status = STATUS_IDLE;
	ev = EMIT(d, HISTORY_WINDOW_LOADED, history_window_loaded, .cause = WINDOW_CAUSE_FORK,
	          .from_sequence = stay ? th->history.items[0]->from_sequence : 0,
	          .to_sequence = stay ? th->history.items[stay - 1]->to_sequence : 0, .turns = stay,
	          .older_turns = MAX(th->ended_turns - th->history.count, 0));
	ev->thread_id = r.thread_id;
	d->reply = rec_text(d->mem, &reply_fork_thread_desc, &r);
}

/*
 * Folds tasks: each event adds to the record, attempts are kept whole, ended
 * tasks stay in a window.
 */
#include "core/fold_part.h"
#include "core/notify/delivery.h"
#include "core/gen/tables.h"
#include "core/subagent/subagent.h"
#include "core/task/task.h"

/* A lost task may be resumed as long as its turn is the active one. */
static bool is_given_up(const struct state *w, const struct st_task *t)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *turn = state_thread_active(w->s->threads.items[i]);

		if (turn && str_is(turn->task_id) && str_eq(turn->task_id, t->record->task_id))
			return false;
	}
	return true;
}

static bool is_ended(const struct state *w, const struct st_task *t)
{
	if (t->record->status == TASK_STATUS_LOST)
		return is_given_up(w, t);
	return task_table_status_is_end(t->record->status);
}

/*
 * The latest ended tasks stay, in the order of their ends.  Moving the ended task to the end sorts
 * the list by end, so the window below keeps the latest.  A task whose result is still to be
 * delivered stays beyond the window.
 */
static void drop_oldest_ended(struct state *w, struct st_task *latest)
{
	uint32_t ended = 0, at = 0;

	while (w->s->tasks.items[at] != latest)
		at++;
	for (; at + 1 < w->s->tasks.count; at++)
		w->s->tasks.items[at] = w->s->tasks.items[at + 1];
	w->s->tasks.items[at] = latest;

	for (uint32_t i = w->s->tasks.count; i-- > 0;)
		if (is_ended(w, w->s->tasks.items[i]) && ++ended > WINDOW_TASKS &&
		    !delivery_is_pending(w, w->s->tasks.items[i]->record->task_id))
			rec_list_remove(&w->s->tasks, i);
}

/* A wait ends with the next event that changes the task's status. */
static void clear_wait(struct st_task *t)
{
	t->wait = NULL;
	t->blocker = NULL;
	t->record->status_reason = STR_NONE;
}

/*
 * Every task event changes the fields of its companion record and the status, nothing else.  A
 * change of status ends the wait before the companion is merged, because the companion may carry
 * the next reason.
 */
/* The whole record is reported each time; a later attempt has another one. */
static void keep_remote(struct state *w, struct st_task *t, const struct event *ev)
{
	struct rec_remote_task *r = rec_clone(w->mem, &rec_remote_task_desc, ev->task->remote_task);

	t->record->remote_task = r;
	for (uint32_t i = t->attempts.count; str_is(ev->run_id) && i-- > 0;)
		if (str_eq(t->attempts.items[i]->run_id, ev->run_id))
			t->attempts.items[i]->remote_task = r;
}

static struct st_task *merge_record(struct state *w, const struct event *ev)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (!t)
		return NULL;
	if (ev->task && ev->task->status && ev->task->status != t->record->status)
		clear_wait(t);
	if (ev->task)
		rec_merge(w->mem, &rec_task_desc, t->record, ev->task);
	if (ev->task && ev->task->status && str_is(ev->status_reason))
		t->record->status_reason = KEEP(w, ev->status_reason);
	if (ev->task && ev->task->remote_task)
		keep_remote(w, t, ev);
	t->record->updated_at = ev->timestamp;
	t->changed_sequence = ev->sequence;
	t->shown_status = 0; /* it was reported */
	return t;
}

/*
 * A task that had left the state is restored from the event that is about it again.  The text comes
 * from an index row and may be of an older version.
 */
static void restore_recalled(struct state *w, const struct event *ev, struct str text)
{
	struct st_task *t;
	struct json doc;

	if (!str_is(text) || state_task(w, ev->task_id))
		return;
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	struct st_task *read = ARENA_NEW(scratch, struct st_task);

	if (json_read_trusted(scratch, text, &doc, NULL) != OK ||
	    rec_read(scratch, doc, &st_task_desc, REC_OLDER, read, NULL) != OK)
		return;
	t = rec_list_add(w->mem, &w->s->tasks, &st_task_desc);
	rec_keep(w->mem, &st_task_desc, t, read);
}

void task_on_task_created(struct state *w, const struct event *ev, const struct ev_task_created *p)
{
	struct st_task *t;

	if (!ev->task)
		return;
	t = rec_list_add(w->mem, &w->s->tasks, &st_task_desc);
	t->record = rec_clone(w->mem, &rec_task_desc, ev->task);
	t->record->updated_at = ev->timestamp;
	t->changed_sequence = ev->sequence;
	t->implicit = p->implicit;
	if (p->retry_policy)
		t->retry_policy = rec_clone(w->mem, &rec_retry_policy_desc, p->retry_policy);
}

void task_on_task_accepted(struct state *w, const struct event *ev,
                           const struct ev_task_accepted *p)
{
	merge_record(w, ev);
}

/* input_sequence names the event that first carried this input, for readers of the log. */
static void keep_input(struct state *w, struct st_task *t, const struct event *ev, struct str ref,
                       struct rec_input_part *const *parts, uint32_t count)
{
	if (!str_is(ref))
		return;
	if (!str_is(t->input_ref) || !str_eq(t->input_ref, ref))
		t->input_sequence = ev->sequence;
	t->input_ref = KEEP(w, ref);
	t->input.count = 0;
	for (uint32_t i = 0; i < count; i++)
		rec_keep(w->mem, &rec_input_part_desc,
		         rec_list_add(w->mem, &t->input, &rec_input_part_desc), parts[i]);
}

/* wanted: a run was requested, so the scheduler may start one. */
static void keep_worker(struct state *w, struct st_task *t, const struct event *ev)
{
	t->wanted = true;
	if (ev->worker)
		t->worker = rec_clone(w->mem, &rec_worker_desc, ev->worker);
}

void task_on_task_queued(struct state *w, const struct event *ev, const struct ev_task_queued *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	keep_worker(w, t, ev);
	keep_input(w, t, ev, p->input_ref, p->input.items, p->input.count);
	/* Ids that submit_turn has promised to its caller. */
	if (str_is(p->next_turn_id)) {
		t->next_turn_id = KEEP(w, p->next_turn_id);
		t->next_run_id = KEEP(w, ev->run_id);
		t->next_attempt_id = KEEP(w, ev->attempt_id);
	}
	/* A task that is queued again for another reason keeps its place. */
	if (!t->queued_sequence)
		t->queued_sequence = ev->sequence;
	t->queued_reason = KEEP(w, p->reason);
	t->blocker = NULL;
	t->wait = ARENA_NEW(w->mem, struct rec_wait);
	t->wait->for_ = p->blocked_by.count              ? WAIT_FOR_DEPENDENCY
	                : task_room_is_shared(p->reason) ? WAIT_FOR_RESOURCE
	                                                 : WAIT_FOR_PARALLEL;
	t->wait->since = ev->timestamp;
	t->wait->deadline = STR("none");
	for (uint32_t i = 0; i < p->blocked_by.count; i++)
		rec_list_str_add(
			w->mem, &t->wait->ended_by,
			arena_printf(w->mem, "the end of %.*s", STR_ARG(p->blocked_by.items[i])));
	if (!p->blocked_by.count)
		rec_list_str_add(w->mem, &t->wait->ended_by,
		                 task_room_is_shared(p->reason) ? STR("the end of another task")
		                                                : STR("the scheduler"));
	rec_list_str_add(w->mem, &t->wait->ended_by, STR("cancel_task"));
}

/* The input of its turn is also the input of a retry. */
void task_on_turn_submitted(struct state *w, const struct event *ev,
                            const struct ev_turn_submitted *p)
{
	struct st_task *t = str_is(ev->task_id) ? state_task(w, ev->task_id) : NULL;

	/* A system turn only asks something for the task. */
	if (!t || t->implicit || str_is(p->merged_into) || p->kind == TURN_KIND_SYSTEM)
		return;
	t->wanted = true;
	t->worker = NULL;
	t->next_turn_id = STR_NONE;
	t->record->turn_id = KEEP(w, ev->turn_id);
	keep_input(w, t, ev, p->input_ref, p->input.items, p->input.count);
}

void task_on_task_started(struct state *w, const struct event *ev, const struct ev_task_started *p)
{
	struct st_task *t = merge_record(w, ev);

	if (t)
		t->started_sequence = ev->sequence;
}

void task_on_task_waiting(struct state *w, const struct event *ev, const struct ev_task_waiting *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	t->phase = PHASE_WAITING;
	if (ev->worker)
		keep_worker(w, t, ev);
	t->wait = p->wait ? rec_clone(w->mem, &rec_wait_desc, p->wait) : NULL;
}

void task_on_task_blocked(struct state *w, const struct event *ev, const struct ev_task_blocked *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	t->phase = PHASE_WAITING;
	t->wanted = true;
	t->blocker = rec_clone(w->mem, &rec_blocker_desc, p->blocker);
	t->wait = ARENA_NEW(w->mem, struct rec_wait);
	t->wait->for_ = str_is(p->blocker->task_id) ? WAIT_FOR_DEPENDENCY : WAIT_FOR_RESOURCE;
	t->wait->since = ev->timestamp;
	t->wait->deadline = STR("none");
	for (uint32_t i = 0; i < p->ended_by.count; i++)
		rec_list_str_add(w->mem, &t->wait->ended_by, p->ended_by.items[i]);
}

/* The earlier status is kept before the merge overwrites it. */
void task_on_task_paused(struct state *w, const struct event *ev, const struct ev_task_paused *p)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (t)
		t->paused_from = t->record->status;
	if (!merge_record(w, ev))
		return;
	t->phase = PHASE_WAITING;
	t->record->status_reason = KEEP(w, p->reason);
	t->wait = ARENA_NEW(w->mem, struct rec_wait);
	t->wait->for_ = WAIT_FOR_RESUME;
	t->wait->since = ev->timestamp;
	t->wait->deadline = STR("none");
	rec_list_str_add(w->mem, &t->wait->ended_by, STR("resume_task"));
	rec_list_str_add(w->mem, &t->wait->ended_by, STR("cancel_task"));
}

void task_on_task_updated(struct state *w, const struct event *ev, const struct ev_task_updated *p)
{
	struct st_task *t = merge_record(w, ev);

	if (t && p->stale)
		t->shown_status = TASK_STATUS_STALE;
	for (uint32_t i = 0; t && i < p->declared.count; i++)
		rec_list_str_add(w->mem, &t->declared, p->declared.items[i]);
}

/* Merges counters, refs and phase; fields that the report leaves out stay. */
void task_on_task_progress(struct state *w, const struct event *ev,
                           const struct ev_task_progress *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	if (ev->task_progress) {
		if (!t->record->progress)
			t->record->progress = ARENA_NEW(w->mem, struct rec_task_progress);
		rec_merge(w->mem, &rec_task_progress_desc, t->record->progress, ev->task_progress);
	}
	if (p->phase)
		t->phase = p->phase;
	if (ev->delivery_state)
		t->record->delivery_state =
			rec_clone(w->mem, &rec_delivery_state_desc, ev->delivery_state);
}

void task_on_task_resumed(struct state *w, const struct event *ev, const struct ev_task_resumed *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	t->phase = PHASE_WORKING;
	t->wait = NULL;
	t->record->status_reason = STR_NONE;
	if (t->runs)
		t->run_cause = ATTEMPT_CAUSE_RERUN;
}

/* A task that is tried again no longer counts as ended. */
static void uncount_end(struct state *w, const struct st_task *t)
{
	switch (t->record->status) {
	case TASK_STATUS_FAILED:
		w->s->tasks_failed--;
		break;
	case TASK_STATUS_CANCELLED:
		w->s->tasks_cancelled--;
		break;
	case TASK_STATUS_LOST:
		w->s->tasks_lost--;
		break;
	case TASK_STATUS_TIMED_OUT:
		w->s->tasks_timed_out--;
		break;
	default:
		break;
	}
}

/*
 * Reopens the task: its end no longer counts, and everything about that end is cleared.  After
 * retry_task the policy's count of tries starts again.
 */
void task_on_task_retrying(struct state *w, const struct event *ev,
                           const struct ev_task_retrying *p)
{
	struct st_task *t;

	restore_recalled(w, ev, p->recalled);
	t = state_task(w, ev->task_id);
	if (!t)
		return;
	uncount_end(w, t);
	merge_record(w, ev);
	t->record->status_reason = STR_NONE;
	t->record->ended_at = 0;
	t->record->delivery_state = NULL; /* it was about an end that is no longer valid */
	t->phase = PHASE_RETRYING;
	t->cancelled = false;
	t->next_run_id = KEEP(w, ev->run_id);
	t->next_attempt_id = KEEP(w, ev->attempt_id);
	t->retry_at = p->until;
	t->run_cause = p->cause ? p->cause : ATTEMPT_CAUSE_CRASH_RECOVERY;
	if (t->run_cause == ATTEMPT_CAUSE_RETRY_TASK)
		t->tries = 0;
	if (!p->until)
		return;
	t->wait = ARENA_NEW(w->mem, struct rec_wait);
	t->wait->for_ = WAIT_FOR_BACKOFF;
	t->wait->since = ev->timestamp;
	t->wait->until = p->until;
	rec_list_str_add(w->mem, &t->wait->ended_by, STR("the time of the next attempt"));
	rec_list_str_add(w->mem, &t->wait->ended_by, STR("cancel_task"));
}

void task_on_task_cancel_requested(struct state *w, const struct event *ev,
                                   const struct ev_task_cancel_requested *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	t->phase = PHASE_CANCELLING;
	t->cancelled = true;
	t->propagation = p->propagation;
	t->cancel_reason = KEEP(w, p->reason);
	t->cancel_by = p->requested_by ? rec_clone(w->mem, &rec_actor_desc, p->requested_by) : NULL;
}

/* Common to all ends except lost and archived. */
static void fold_end(struct state *w, const struct event *ev, int64_t *counter)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	(*counter)++;
	t->phase = PHASE_DELIVERING;
	clear_wait(t);
	if (str_is(ev->status_reason))
		t->record->status_reason = KEEP(w, ev->status_reason);
	else if (ev->task && str_is(ev->task->status_reason))
		t->record->status_reason = KEEP(w, ev->task->status_reason);
	drop_oldest_ended(w, t);
}

void task_on_task_timed_out(struct state *w, const struct event *ev,
                            const struct ev_task_timed_out *p)
{
	fold_end(w, ev, &w->s->tasks_timed_out);
}

void task_on_task_archived(struct state *w, const struct event *ev,
                           const struct ev_task_archived *p)
{
	struct st_task *t;

	restore_recalled(w, ev, p->recalled);
	t = merge_record(w, ev);
	if (t)
		drop_oldest_ended(w, t);
}

void task_on_task_cancelled(struct state *w, const struct event *ev,
                            const struct ev_task_cancelled *p)
{
	fold_end(w, ev, &w->s->tasks_cancelled);
}

void task_on_task_failed(struct state *w, const struct event *ev, const struct ev_task_failed *p)
{
	fold_end(w, ev, &w->s->tasks_failed);
}

/*
 * Not fold_end(): the turn may be resumed.  With an effect in flight the shown status is unknown,
 * because the runtime cannot tell whether the work was done (STA-18).
 */
void task_on_task_lost(struct state *w, const struct event *ev, const struct ev_task_lost *p)
{
	struct st_task *t = merge_record(w, ev);

	if (!t)
		return;
	w->s->tasks_lost++;
	if (p->effect_in_flight)
		t->shown_status = TASK_STATUS_UNKNOWN;
	drop_oldest_ended(w, t);
}

void task_on_task_completed(struct state *w, const struct event *ev,
                            const struct ev_task_completed *p)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (t && ev->delivery_state)
		t->record->delivery_state =
			rec_clone(w->mem, &rec_delivery_state_desc, ev->delivery_state);
	fold_end(w, ev, &w->s->tasks_completed);
}

void task_on_task_profile_resolved(struct state *w, const struct event *ev,
                                   const struct ev_task_profile_resolved *p)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (t && ev->task_profile)
		t->record->task_profile =
			rec_clone(w->mem, &rec_task_profile_desc, ev->task_profile);
}

static struct rec_task_attempt *attempt_of(struct st_task *t, struct str run_id)
{
	for (uint32_t i = t->attempts.count; i-- > 0;)
		if (str_eq(t->attempts.items[i]->run_id, run_id))
			return t->attempts.items[i];
	return NULL;
}

/*
 * The next attempt goes to the same agent with the same input, and to another remote task.  What
 * is known about the last one stays in its events.
 */
static void fold_peer(struct state *w, struct st_task *t, const struct event *ev,
                      const struct rec_task_attempt *a)
{
	t->wanted = true;
	t->worker = ARENA_NEW(w->mem, struct rec_worker);
	t->worker->kind = a->worker->kind;
	t->worker->ref = KEEP(w, a->worker->ref);
	t->record->remote_task = NULL;
	t->record->native_status = STR_NONE;
	if (a->input_refs.count)
		keep_input(w, t, ev, a->input_refs.items[0]->ref, NULL, 0);
}

/*
 * The run starts on a thread (preparing) or with an external worker (running at once).  A lease
 * belongs to this attempt only: of the worker, the task keeps just the kind.
 */
void task_on_task_attempt_started(struct state *w, const struct event *ev,
                                  const struct ev_task_attempt_started *p)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (!t || !ev->task_attempt)
		return;
	struct rec_task_attempt *a = rec_list_add(w->mem, &t->attempts, &rec_task_attempt_desc);

	rec_keep(w->mem, &rec_task_attempt_desc, a, ev->task_attempt);
	if (ev->worker)
		a->worker = rec_clone(w->mem, &rec_worker_desc, ev->worker);
	t->runs++;
	t->tries++;
	t->record->current_run_id = a->run_id;
	t->record->status =
		a->status == ATTEMPT_STATUS_RUNNING ? TASK_STATUS_RUNNING : TASK_STATUS_PREPARING;
	t->phase = a->status == ATTEMPT_STATUS_RUNNING ? PHASE_WORKING : PHASE_PREPARING;
	clear_wait(t);
	t->next_run_id = t->next_attempt_id = STR_NONE;
	t->retry_at = 0;
	t->queued_sequence = 0;
	t->record->updated_at = ev->timestamp;
	t->changed_sequence = ev->sequence;
	if (a->worker && a->worker->kind == WORKER_KIND_PEER)
		fold_peer(w, t, ev, a);
	if (!a->worker || !a->worker->lease_until)
		return;
	/* Any worker may claim the next attempt. */
	t->wanted = true;
	t->worker = ARENA_NEW(w->mem, struct rec_worker);
	t->worker->kind = a->worker->kind;
}

static void attempt_ended(struct state *w, const struct event *ev)
{
	struct st_task *t = state_task(w, ev->task_id);
	struct rec_task_attempt *a = t ? attempt_of(t, ev->run_id) : NULL;

	if (!a || !ev->task_attempt)
		return;
	rec_merge(w->mem, &rec_task_attempt_desc, a, ev->task_attempt);
	t->changed_sequence = ev->sequence;
}

void task_on_task_attempt_completed(struct state *w, const struct event *ev,
                                    const struct ev_task_attempt_completed *p)
{
	attempt_ended(w, ev);
}

void task_on_task_attempt_failed(struct state *w, const struct event *ev,
                                 const struct ev_task_attempt_failed *p)
{
	attempt_ended(w, ev);
}

/*
 * Only task events change a task's status, except here (GAP-39).  The first request is the end of
 * preparation.
 */
void task_on_model_requested(struct state *w, const struct event *ev,
                             const struct ev_model_requested *p)
{
	struct st_task *t = state_task(w, ev->task_id);
	struct rec_task_attempt *a = t ? attempt_of(t, ev->run_id) : NULL;

	if (!t)
		return;
	t->model_requests++;
	if (t->record->status == TASK_STATUS_PREPARING)
		t->record->status = TASK_STATUS_RUNNING;
	if (a)
		a->status = ATTEMPT_STATUS_RUNNING;
	t->phase = PHASE_WORKING;
}

void task_on_tool_started(struct state *w, const struct event *ev, const struct ev_tool_started *p)
{
	struct st_task *t = state_task(w, ev->task_id);

	if (t)
		t->tool_calls++;
}

/*
 * A task's output includes everything below it, child agents included.  Two nested walks: up the
 * tasks of this thread, then to the task in which the thread's agent was spawned, and up again.
 */
static void add_output(struct state *w, struct str task_id, struct str thread_id, int64_t bytes)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);
	struct st_task *t = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		for (int up = 0; t && up < LIMIT_TASK_DEPTH; up++) {
			t->output_bytes += bytes;
			t = str_is(t->record->parent_task_id)
			            ? state_task(w, t->record->parent_task_id)
			            : NULL;
		}
		if (!s)
			return;
		t = str_is(s->record->parent_task_id) ? state_task(w, s->record->parent_task_id)
		                                      : NULL;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
}

void task_on_tool_result(struct state *w, const struct event *ev, const struct ev_tool_result *p)
{
	add_output(w, ev->task_id, ev->thread_id, p->output_bytes);
}

void task_on_tool_failed(struct state *w, const struct event *ev, const struct ev_tool_failed *p)
{
	add_output(w, ev->task_id, ev->thread_id, p->output_bytes);
}

void task_on_model_completed(struct state *w, const struct event *ev,
                             const struct ev_model_completed *p)
{
	if (p->text)
		add_output(w, ev->task_id, ev->thread_id, p->text->bytes);
}

/* ---- edges ---- */

static enum edge_kind inverse_of(enum edge_kind k)
{
	return k == EDGE_KIND_PARENT   ? EDGE_KIND_CHILD
	       : k == EDGE_KIND_BLOCKS ? EDGE_KIND_BLOCKED_BY
	                               : 0;
}

/* An edge is identified by kind and target; an update replaces it. */
static void put_edge(struct state *w, struct st_task *t, enum edge_kind kind, struct str target,
                     const struct rec_task_relationship *from)
{
	struct rec_task *r = t->record;
	struct rec_task_relationship *e = NULL;
	uint32_t at = 0;

	for (; at < r->relationships.count && !e; at++)
		if (r->relationships.items[at]->kind == kind &&
		    str_eq(r->relationships.items[at]->target_id, target))
			e = r->relationships.items[at];
	/* `at` is one past the match when the loop has found it. */
	if (from->status == EDGE_STATUS_REMOVED) {
		if (e)
			rec_list_remove(&r->relationships, at - 1);
		return;
	}
	if (!e)
		e = rec_list_add(w->mem, &r->relationships, &rec_task_relationship_desc);
	rec_keep(w->mem, &rec_task_relationship_desc, e, from);
	e->kind = kind;
	e->source_id = r->task_id;
	e->target_id = KEEP(w, target);
}

static bool is_below(const struct state *w, const struct rec_task *r, const struct st_task *top)
{
	for (int up = 0; str_is(r->parent_task_id) && up < 2 * LIMIT_TASK_DEPTH; up++) {
		const struct st_task *parent = state_task(w, r->parent_task_id);

		if (parent == top)
			return true;
		if (!parent)
			return false;
		r = parent->record;
	}
	return false;
}

/*
 * Everything below it moves with it: to the tree of its new parent, or to its own.  A task that was
 * its own root takes every task of its tree along, also those below a task that left the state.
 */
static void take_root(struct state *w, struct st_task *t, struct str root)
{
	struct str old = t->record->root_task_id;
	bool was_root = str_is(old) && str_eq(old, t->record->task_id);

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		struct rec_task *r = w->s->tasks.items[i]->record;

		if (is_below(w, r, t) ||
		    (was_root && str_is(r->root_task_id) && str_eq(r->root_task_id, old)))
			r->root_task_id = root;
	}
	t->record->root_task_id = root;
}

/* The sums of a task include the tasks below it, so they move with these. */
static void move_sums(struct state *w, const struct st_task *t, struct str parent_id, int sign)
{
	struct st_task *up = str_is(parent_id) ? state_task(w, parent_id) : NULL;

	for (int depth = 0; up && depth < 2 * LIMIT_TASK_DEPTH; depth++) {
		up->spent_usd += sign * t->spent_usd;
		up->reserved_usd += sign * t->reserved_usd;
		up->output_bytes += sign * t->output_bytes;
		up = str_is(up->record->parent_task_id) ? state_task(w, up->record->parent_task_id)
		                                        : NULL;
	}
}

/* A created task has its parent already, and nothing to move. */
static void take_parent(struct state *w, struct st_task *t, struct str parent_id)
{
	struct rec_task *r = t->record;

	if (str_is(r->parent_task_id) == str_is(parent_id) &&
	    (!str_is(parent_id) || str_eq(r->parent_task_id, parent_id)))
		return;
	move_sums(w, t, r->parent_task_id, -1);
	r->parent_task_id = str_is(parent_id) ? KEEP(w, parent_id) : STR_NONE;
	move_sums(w, t, r->parent_task_id, 1);
}

/*
 * Both tasks get the edge, each from its side, so that look-ups need no search over all tasks.
 * Either may have left the state.
 */
void task_on_task_dependency_updated(struct state *w, const struct event *ev,
                                     const struct ev_task_dependency_updated *p)
{
	struct st_task *from = state_task(w, p->from_task_id);
	struct st_task *to = str_is(p->to_task_id) ? state_task(w, p->to_task_id) : NULL;
	const struct rec_task_relationship *e = ev->task_relationship;
	bool is_removed = e->status == EDGE_STATUS_REMOVED;

	if (from) {
		put_edge(w, from, e->kind, e->target_id, e);
		from->changed_sequence = ev->sequence;
	}
	if (to && inverse_of(e->kind)) {
		put_edge(w, to, inverse_of(e->kind), p->from_task_id, e);
		to->changed_sequence = ev->sequence;
	}
	if (from && e->kind == EDGE_KIND_PARENT) {
		take_parent(w, from, is_removed ? STR_NONE : e->target_id);
		take_root(w, from,
		          is_removed ? from->record->task_id
		          : to       ? to->record->root_task_id
		                     : from->record->parent_task_id);
	}
}

/* An artifact of a run belongs to the task: completion looks for it here. */
void task_on_artifact_changed(struct state *w, const struct event *ev,
                              const struct ev_artifact_changed *p)
{
	struct st_task *t = str_is(ev->task_id) ? state_task(w, ev->task_id) : NULL;
	struct rec_task_relationship e = {
		.kind = EDGE_KIND_PRODUCED_ARTIFACT,
		.status = EDGE_STATUS_ACTIVE,
		.created_at = ev->timestamp,
		.updated_at = ev->timestamp,
		.reason = p->path,
	};

	/* The limit drops further artifacts from the record; their events stay in the log. */
	if (t && !t->implicit && t->record->relationships.count < LIMIT_EDGES_PER_TASK)
		put_edge(w, t, EDGE_KIND_PRODUCED_ARTIFACT, ev->artifact_id, &e);
}

/*
 * Views of tasks: their attempts, what blocks them, and counts.
 * spec: contracts/agent-task#snapshot-projection, GAP-07, GAP-25
 */
#include "core/notify/delivery.h"
#include "base/jw.h"
#include "core/task/task.h"
#include "core/view/view_part.h"

/*
 * A lost task may be resumed as long as its turn is open; after that it is given up.  A state
 * without the thread cannot tell.
 */
static bool is_given_up(const struct state *state, const struct st_task *t)
{
	const struct rec_task *r = t->record;
	const struct st_thread *th = state_thread(state, r->thread_id);
	const struct st_turn *turn;

	if (r->status != TASK_STATUS_LOST)
		return false;
	/* An external worker does not return to a lost run. */
	if (task_is_external(t))
		return true;
	if (!th || !str_is(r->turn_id))
		return false;
	turn = state_thread_turn(th, r->turn_id);
	return !turn || turn_is_over(turn);
}

bool task_view_is_over(const struct state *state, const struct st_task *t)
{
	if (t->record->status == TASK_STATUS_LOST)
		return is_given_up(state, t);
	return task_table_status_is_end(t->record->status);
}

bool task_view_is_waiting(const struct st_task *t)
{
	switch (t->record->status) {
	case TASK_STATUS_WAITING_INPUT:
	case TASK_STATUS_WAITING_PERMISSION:
	case TASK_STATUS_WAITING_RESOURCE:
	case TASK_STATUS_BLOCKED:
	case TASK_STATUS_PAUSED:
		return true;
	default:
		return false;
	}
}

static bool is_of_thread(const struct st_task *t, struct str thread_id)
{
	return !str_is(thread_id) || str_eq(t->record->thread_id, thread_id);
}

/* ---- attempts ---- */

/*
 * An open attempt has the status of its task, in the fourteen words of the wire; the exact word is
 * a separate field (GAP-07).
 */
static enum attempt_status shown_status(const struct st_task *t, const struct rec_task_attempt *a,
                                        struct str *ret_native)
{
	*ret_native = a->native_status;
	if (a->ended_at || !str_eq(t->record->current_run_id, a->run_id))
		return a->status ? a->status : ATTEMPT_STATUS_UNKNOWN;
	if (task_view_is_waiting(t)) {
		if (t->record->status != TASK_STATUS_BLOCKED)
			*ret_native = task_status_word(t->record->status);
		return ATTEMPT_STATUS_BLOCKED;
	}
	if (t->record->status == TASK_STATUS_CANCELLING) {
		*ret_native = task_status_word(t->record->status);
		return ATTEMPT_STATUS_RUNNING;
	}
	if (t->record->status == TASK_STATUS_LOST) {
		*ret_native = task_status_word(t->record->status);
		return ATTEMPT_STATUS_UNKNOWN;
	}
	return a->status ? a->status : ATTEMPT_STATUS_UNKNOWN;
}

static void write_attempt(struct json_writer *w, const struct st_task *t,
                          const struct rec_task_attempt *a)
{
	struct str native;
	enum attempt_status status = shown_status(t, a, &native);

	jw_obj(w);
	JW_KSTR(w, "runId", a->run_id);
	JW_KSTR(w, "attemptId", a->attempt_id);
	JW_KSTR(w, "status", attempt_status_word(status));
	JW_KINT(w, "attemptCount", a->attempt_count);
	PART_REC(w, "worker", &rec_worker_desc, a->worker);
	PART_LIST(w, "inputRefs", &rec_ref_entry_desc, &a->input_refs);
	PART_LIST(w, "outputRefs", &rec_ref_entry_desc, &a->output_refs);
	PART_LIST(w, "checkpointRefs", &rec_ref_entry_desc, &a->checkpoint_refs);
	PART_TIME(w, "startedAt", a->started_at);
	PART_REC(w, "retryPolicy", &rec_retry_policy_desc, a->retry_policy);
	JW_KOPT(w, "nativeStatus", native);
	PART_TIME(w, "endedAt", a->ended_at);
	PART_REC(w, "lastError", &rec_last_error_desc, a->last_error);
	JW_KOPT(w, "completionSummary", a->completion_summary);
	PART_REC(w, "remoteTask", &rec_remote_task_desc, a->remote_task);
	jw_obj_end(w);
}

/* ---- one task ---- */

/* The declared criteria; in a completed task all of them hold. */
static struct rec_acceptance_count acceptance_of(const struct st_task *t)
{
	const struct rec_task *r = t->record;
	struct rec_acceptance_count n = { .total = r->acceptance.count };

	for (uint32_t i = 0; i < r->acceptance.count; i++)
		n.covered += r->status == TASK_STATUS_COMPLETED ||
		             rec_list_str_find(&t->declared, r->acceptance.items[i]->id) >= 0;
	return n;
}

/* Nothing where none of its turns is active. */
static struct str current_step(const struct state *state, const struct st_task *t)
{
	const struct st_thread *th = state_thread(state, t->record->thread_id);
	const struct st_turn *turn = th ? state_thread_active(th) : NULL;

	if (!turn || !turn->steps.count || !str_eq(turn->task_id, t->record->task_id))
		return STR_NONE;
	return turn->steps.items[turn->steps.count - 1]->step_id;
}

static void write_progress(struct json_writer *w, const struct state *state,
                           const struct st_task *t)
{
	struct rec_task_progress p = { 0 };
	struct rec_acceptance_count covered;

	if (t->record->progress)
		p = *t->record->progress;
	if (t->phase)
		p.phase = t->phase;
	p.current_step_id = current_step(state, t);
	p.tool_calls = t->tool_calls;
	p.model_requests = t->model_requests;
	p.has_tool_calls = p.has_model_requests = true;
	if (t->record->acceptance.count) {
		covered = acceptance_of(t);
		p.acceptance = &covered;
		p.validation = covered.covered == covered.total ? STR("satisfied") : STR("open");
	}
	rec_write(w, &rec_task_progress_desc, &p);
}

static bool has_edge(const struct rec_task *r, enum edge_kind kind)
{
	for (uint32_t i = 0; i < r->relationships.count; i++)
		if (r->relationships.items[i]->kind == kind)
			return true;
	return false;
}

/* The edge to the task's thread is computed: every task has one, and it is no event. */
static void write_relationships(struct json_writer *w, const struct state *state,
                                const struct st_task *t)
{
	const struct rec_task *r = t->record;
	struct rec_task_relationship on_thread = {
		.kind = EDGE_KIND_ASSIGNED_THREAD,
		.target_id = r->thread_id,
		.status = task_view_is_over(state, t) ? EDGE_STATUS_ENDED : EDGE_STATUS_ACTIVE,
		.created_at = r->created_at,
		.updated_at = r->updated_at,
	};

	jw_arr(w);
	if (str_is(r->thread_id) && !has_edge(r, EDGE_KIND_ASSIGNED_THREAD))
		rec_write(w, &rec_task_relationship_desc, &on_thread);
	for (uint32_t i = 0; i < r->relationships.count; i++)
		rec_write(w, &rec_task_relationship_desc, r->relationships.items[i]);
	jw_arr_end(w);
}

/* Its deliverables: those that its end names, or those that its calls have made so far. */
static void write_artifacts(struct json_writer *w, const struct state *state,
                            const struct rec_task *r)
{
	jw_arr(w);
	for (uint32_t i = 0; i < r->artifacts.count; i++)
		rec_write(w, &rec_artifact_ref_desc, r->artifacts.items[i]);
	for (uint32_t i = 0; i < state->s->artifacts.count && !r->artifacts.count; i++) {
		const struct st_artifact *a = state->s->artifacts.items[i];
		struct rec_artifact_ref ref = { a->artifact_id, a->version_id };

		if (str_is(a->task_id) && str_eq(a->task_id, r->task_id))
			rec_write(w, &rec_artifact_ref_desc, &ref);
	}
	jw_arr_end(w);
}

static void write_delivery(struct json_writer *w, const struct rec_delivery_state *d)
{
	struct rec_delivery_state none = { .state = DELIVERY_STATUS_NOT_APPLICABLE };

	rec_write(w, &rec_delivery_state_desc, d ? d : &none);
}

/* spec: STA-18 — stale: its worker is silent; unknown: so is the result of its work. */
static enum task_status task_shown(const struct st_task *t)
{
	return t->shown_status     ? t->shown_status
	       : t->record->status ? t->record->status
	                           : TASK_STATUS_UNKNOWN;
}

/* One task with everything that the state holds about it. */
void view_task(struct json_writer *w, const struct state *state, const struct st_task *t)
{
	const struct rec_task *r = t->record;

	jw_obj(w);
	JW_KSTR(w, "taskId", r->task_id);
	JW_KOPT(w, "parentTaskId", r->parent_task_id);
	JW_KOPT(w, "rootTaskId", r->root_task_id);
	JW_KOPT(w, "sessionId", r->session_id);
	JW_KOPT(w, "threadId", r->thread_id);
	JW_KOPT(w, "turnId", r->turn_id);
	JW_KOPT(w, "title", r->title);
	JW_KOPT(w, "objective", r->objective);
	JW_KOPT(w, "taskKind", r->task_kind);
	JW_KOPT(w, "taskFamily", r->task_family);
	JW_KOPT(w, "visibility", visibility_word(r->visibility));
	JW_KSTR(w, "status", task_status_word(task_shown(t)));
	JW_KOPT(w, "nativeStatus",
	        t->shown_status ? task_status_word(r->status) : r->native_status);
	JW_KOPT(w, "priority", r->priority);
	PART_REC(w, "requestedBy", &rec_actor_desc, r->requested_by);
	PART_REC(w, "owner", &rec_actor_desc, r->owner);
	PART_REC(w, "assignee", &rec_actor_desc, r->assignee);
	PART_REC(w, "scope", &rec_task_scope_desc, r->scope);
	PART_REC(w, "constraints", &rec_constraints_desc, r->constraints);
	PART_LIST(w, "acceptance", &rec_criterion_desc, &r->acceptance);
	PART_TIME(w, "createdAt", r->created_at);
	JW_KOPT(w, "currentRunId", r->current_run_id);
	PART_REC(w, "taskProfile", &rec_task_profile_desc, r->task_profile);
	JW_KEY(w, "progress");
	write_progress(w, state, t);
	JW_KEY(w, "attempts");
	jw_arr(w);
	for (uint32_t i = 0; i < t->attempts.count; i++)
		write_attempt(w, t, t->attempts.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "relationships");
	write_relationships(w, state, t);
	PART_REC(w, "remoteTask", &rec_remote_task_desc, r->remote_task);
	JW_KEY(w, "artifacts");
	write_artifacts(w, state, r);
	PART_STRS(w, "evidenceRefs", &r->evidence_refs);
	JW_KEY(w, "deliveryState");
	write_delivery(w, r->delivery_state);
	PART_TIME(w, "startedAt", r->started_at);
	PART_TIME(w, "updatedAt", r->updated_at);
	JW_KOPT(w, "statusReason", r->status_reason);
	PART_REC(w, "lastError", &rec_last_error_desc, r->last_error);
	PART_TIME(w, "endedAt", r->ended_at);
	PART_REC(w, "wait", &rec_wait_desc, t->wait ? t->wait : r->wait);
	if (!t->implicit)
		JW_KINT(w, "version", MAX(t->changed_sequence, r->version));
	PART_RAW(w, "metadata", r->metadata);
	if (r->labels.count)
		PART_STRS(w, "labels", &r->labels);
	jw_obj_end(w);
}

/* ---- why it waits ---- */

/*
 * The sentence for `thole why`, and a word for programs.  Ends first, then recorded waits, then
 * what works on the task.
 */
static struct str why_detail(struct arena *mem, const struct state *state, const struct st_task *t,
                             struct str *ret_word)
{
	const struct rec_task *r = t->record;
	const struct st_turn *turn = task_turn(state, t, NULL);
	const struct rec_task_attempt *a = task_run(t);

	*ret_word = STR("nothing");
	if (task_table_status_is_end(r->status))
		return arena_printf(mem, "The task has ended as %.*s%s%.*s.",
		                    STR_ARG(task_status_word(r->status)),
		                    str_is(r->status_reason) ? ": " : "",
		                    STR_ARG(str_is(r->status_reason) ? r->status_reason : STR("")));
	if (t->wait) {
		*ret_word = wait_for_word(t->wait->for_);
		if (str_is(r->status_reason))
			return arena_printf(mem, "The task is %.*s: %.*s.",
			                    STR_ARG(task_status_word(r->status)),
			                    STR_ARG(r->status_reason));
		return arena_printf(mem, "The task is %.*s.", STR_ARG(task_status_word(r->status)));
	}
	if (turn) {
		*ret_word = STR("turn");
		return arena_printf(mem,
		                    "The agent works on it in %.*s; `explain_thread` says at what.",
		                    STR_ARG(turn->turn_id));
	}
	if (a && a->worker && a->worker->lease_until) {
		*ret_word = STR("worker");
		return arena_printf(mem, "Worker %.*s works on it in %.*s%s.",
		                    STR_ARG(a->worker->worker_id), STR_ARG(a->run_id),
		                    r->status == TASK_STATUS_CANCELLING ? " and was asked to stop"
		                                                        : "");
	}
	if (r->status == TASK_STATUS_ACCEPTED) {
		*ret_word = STR("start");
		return STR("The task has not been started.");
	}
	*ret_word = r->status == TASK_STATUS_CANCELLING ? STR("cleanup") : STR("start");
	return r->status == TASK_STATUS_CANCELLING ? STR("What it started is being stopped.")
	                                           : STR("The task is about to continue.");
}

/* Names commands, so that a reader knows what to do next. */
static void why_ends(struct arena *mem, const struct st_task *t, bool runs, struct list_str *ret)
{
	if (t->wait)
		for (uint32_t i = 0; i < t->wait->ended_by.count; i++)
			rec_list_str_add(mem, ret, t->wait->ended_by.items[i]);
	else if (task_table_status_is_end(t->record->status))
		rec_list_str_add(mem, ret,
		                 t->record->status == TASK_STATUS_COMPLETED ||
		                                 t->record->status == TASK_STATUS_ARCHIVED
		                         ? STR("nothing")
		                         : STR("retry_task"));
	else if (runs)
		rec_list_str_add(mem, ret, STR("complete_task"));
	else if (t->record->status == TASK_STATUS_ACCEPTED)
		rec_list_str_add(mem, ret, STR("start_task"));
	if (!t->wait && !task_table_status_is_end(t->record->status))
		rec_list_str_add(mem, ret, STR("cancel_task"));
}

void view_explain_task(struct json_writer *w, const struct state *state,
                       const struct leases *leases, const struct st_task *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rec_task_why y = { 0 };

	y.detail = why_detail(mem, state, t, &y.waiting_for);
	y.since = t->wait ? t->wait->since : t->record->updated_at;
	y.until = t->wait ? t->wait->until : task_lease(leases, t);
	why_ends(mem, t, task_run(t), &y.ended_by);
	rec_write(w, &rec_task_why_desc, &y);
}

/* ---- all tasks ---- */

/*
 * Counts of ends come from counters, because ended tasks leave the state; a lost task that is given
 * up is added to them.
 */
void view_task_summary(struct json_writer *w, const struct state *state)
{
	const struct st_session *s = state->s;
	int64_t active = 0, waiting = 0, lost = 0;
	int64_t terminal =
		s->tasks_completed + s->tasks_failed + s->tasks_cancelled + s->tasks_timed_out;

	for (uint32_t i = 0; i < s->tasks.count; i++) {
		const struct st_task *t = s->tasks.items[i];
		bool is_lost = t->record->status == TASK_STATUS_LOST;

		active += !task_view_is_over(state, t) && !is_lost;
		waiting += task_view_is_waiting(t);
		lost += is_lost;
		terminal += is_given_up(state, t);
	}
	jw_obj(w);
	JW_KINT(w, "active", active);
	JW_KINT(w, "waiting", waiting);
	JW_KINT(w, "terminal", terminal);
	JW_KINT(w, "completed", s->tasks_completed);
	JW_KINT(w, "failed", s->tasks_failed);
	JW_KINT(w, "lost", lost);
	JW_KEY(w, "recentTerminal");
	jw_arr(w);
	for (uint32_t i = 0; i < s->tasks.count; i++)
		if (task_view_is_over(state, s->tasks.items[i]))
			jw_str(w, s->tasks.items[i]->record->task_id);
	jw_arr_end(w);
	jw_obj_end(w);
}

static void write_edges(struct json_writer *w, const struct st_task *t)
{
	for (uint32_t n = 0; n < t->record->relationships.count; n++) {
		struct rec_task_relationship edge = *t->record->relationships.items[n];

		if (edge.kind == EDGE_KIND_ASSIGNED_THREAD)
			continue;
		if (!str_is(edge.source_id))
			edge.source_id = t->record->task_id;
		rec_write(w, &rec_task_relationship_desc, &edge);
	}
}

void view_task_tree(struct json_writer *w, const struct state *state, const struct st_task *t)
{
	jw_obj(w);
	JW_KOPT(w, "rootTaskId", t->record->root_task_id);
	JW_KEY(w, "edges");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++)
		if (str_eq(state->s->tasks.items[i]->record->root_task_id, t->record->root_task_id))
			write_edges(w, state->s->tasks.items[i]);
	jw_arr_end(w);
	jw_obj_end(w);
}

void view_task_graph(struct json_writer *w, const struct state *state, struct str thread_id)
{
	jw_obj(w);
	JW_KEY(w, "edges");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++) {
		if (is_of_thread(state->s->tasks.items[i], thread_id))
			write_edges(w, state->s->tasks.items[i]);
	}
	jw_arr_end(w);
	jw_obj_end(w);
}

/* ---- blocked tasks ---- */

static void write_required(struct json_writer *w, const struct state *state, struct str task_id)
{
	JW_KEY(w, "requiredActionIds");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_thread *th = state->s->threads.items[i];
		const struct st_action *a = NULL;

		while ((a = turn_wait_pending(th, STR_NONE, a)))
			if (str_is(a->task_id) && str_eq(a->task_id, task_id))
				jw_str(w, a->action_id);
	}
	jw_arr_end(w);
}

static const struct st_action *first_required(const struct state *state, struct str task_id)
{
	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_action *a = NULL;

		while ((a = turn_wait_pending(state->s->threads.items[i], STR_NONE, a)))
			if (str_is(a->task_id) && str_eq(a->task_id, task_id))
				return a;
	}
	return NULL;
}

/* The blocker by name (STA-07): an action, another task, a lost run, or a missing resource. */
static void find_blocker(const struct st_task *t, const struct st_action *a,
                         struct rec_blocker *ret)
{
	const struct rec_task *r = t->record;

	*ret = (struct rec_blocker){ .kind = STR("resource"), .status = STATUS_UNKNOWN };
	if (t->blocker && !a) {
		*ret = *t->blocker;
		return;
	}
	if (a) {
		*ret = (struct rec_blocker){ .kind = STR("action"), .action_id = a->action_id };
		return;
	}
	if (r->status == TASK_STATUS_LOST) {
		*ret = (struct rec_blocker){ .kind = STR("run"),
			                     .status = STATUS_LOST,
			                     .ref = r->current_run_id };
		return;
	}
	for (uint32_t i = 0; i < r->relationships.count; i++) {
		const struct rec_task_relationship *e = r->relationships.items[i];

		if (e->kind == EDGE_KIND_BLOCKED_BY && e->status == EDGE_STATUS_ACTIVE)
			*ret = (struct rec_blocker){ .kind = STR("task"), .task_id = e->target_id };
	}
}

/* A paused task can continue; a lost one cannot by itself. */
static bool is_blocked(const struct state *state, const struct st_task *t)
{
	if (t->record->status == TASK_STATUS_LOST)
		return !is_given_up(state, t);
	return task_view_is_waiting(t) && t->record->status != TASK_STATUS_PAUSED;
}

void view_blocked_tasks(struct json_writer *w, const struct state *state, struct str thread_id)
{
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++) {
		const struct st_task *t = state->s->tasks.items[i];
		const struct st_action *a = first_required(state, t->record->task_id);
		struct rec_blocker blocker;

		if (!is_of_thread(t, thread_id) || !is_blocked(state, t))
			continue;
		find_blocker(t, a, &blocker);
		jw_obj(w);
		JW_KSTR(w, "taskId", t->record->task_id);
		PART_REC(w, "blocker", &rec_blocker_desc, &blocker);
		PART_TIME(w, "since", a ? a->requested_at : t->record->updated_at);
		PART_TIME(w, "until", a ? a->expires_at : 0);
		write_required(w, state, t->record->task_id);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* The delivery that needs attention most; without one, the newest delivery state of a task. */
void task_view_delivery(struct json_writer *w, const struct state *state, struct str thread_id)
{
	const struct rec_delivery *worst = delivery_worst(state, thread_id);
	struct rec_delivery_state told;
	const struct rec_delivery_state *found = NULL;

	if (worst) {
		told = (struct rec_delivery_state){ worst->state, worst->to, worst->reason };
		found = &told;
	}

	for (uint32_t i = state->s->tasks.count; i-- > 0 && !found;) {
		const struct rec_delivery_state *d =
			state->s->tasks.items[i]->record->delivery_state;

		if (d && d->state != DELIVERY_STATUS_NOT_APPLICABLE &&
		    is_of_thread(state->s->tasks.items[i], thread_id))
			found = d;
	}
	JW_KEY(w, "deliveryState");
	write_delivery(w, found);
}

void view_tasks(struct json_writer *w, const struct state *state)
{
	jw_obj(w);
	JW_KEY(w, "tasks");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++)
		view_task(w, state, state->s->tasks.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "taskSummary");
	view_task_summary(w, state);
	JW_KEY(w, "taskGraph");
	view_task_graph(w, state, STR_NONE);
	JW_KEY(w, "blockedTasks");
	view_blocked_tasks(w, state, STR_NONE);
	task_view_delivery(w, state, STR_NONE);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

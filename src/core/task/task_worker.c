/*
 * External workers: claim a task, send heartbeats, report under the run that
 * the claim returned.  The run is the epoch: a worker that was silent too long
 * is lost, its run has ended, and its later reports are refused.  Heartbeats
 * leave no events.
 * spec: contracts/agent-task#attempts-and-runs; GAP-61, GAP-68
 */
#include "core/task/task.h"

#include "core/gen/tables.h"

/*
 * The events of a claim, and of a run that a remote agent gets. task.started is written once per
 * task, as for the agent (turn_start_begin()).
 */
void task_worker_emit_run(struct decision *d, const struct st_task *t, const struct task_ids *ids,
                          const struct rec_worker *worker, struct str input_ref)
{
	struct rec_task_attempt *a =
		KEPT(d, struct rec_task_attempt, .run_id = ids->run_id,
	             .attempt_id = ids->attempt_id, .status = ATTEMPT_STATUS_RUNNING,
	             .attempt_count = t->runs + 1, .started_at = d->now,
	             .retry_policy = t->retry_policy ? rec_clone(d->mem, &rec_retry_policy_desc,
	                                                         t->retry_policy)
	                                             : NULL);
	struct event *ev;

	if (!t->runs) {
		ev = task_name_run_in(EMIT(d, TASK_STARTED, task_started,
		                           .cause = worker->kind == WORKER_KIND_PEER
		                                            ? STR("remote_agent")
		                                            : STR("external_worker")),
		                      t, a);
		*task_status(d, ev, t->record->task_id, TASK_STATUS_RUNNING) =
			(struct rec_task){ .task_id = t->record->task_id,
			                   .status = TASK_STATUS_RUNNING,
			                   .current_run_id = ids->run_id,
			                   .started_at = d->now };
	}
	/* The worker reads its input by this ref. */
	if (str_is(input_ref)) {
		struct rec_ref_entry *in =
			rec_list_add(d->mem, &a->input_refs, &rec_ref_entry_desc);

		*in = (struct rec_ref_entry){ .kind = STR("task_input"), .ref = input_ref };
		if (str_is(t->input_ref) && str_eq(input_ref, t->input_ref))
			decision_name_blob(d, input_ref);
	}
	ev = task_name_run_in(
		EMIT(d, TASK_ATTEMPT_STARTED, task_attempt_started, .attempt = t->runs + 1,
	             .cause = t->runs && t->run_cause ? t->run_cause : ATTEMPT_CAUSE_FIRST_ATTEMPT),
		t, a);
	ev->status = STATUS_RUNNING;
	ev->task_attempt = a;
	ev->worker = rec_clone(d->mem, &rec_worker_desc, worker);
}

void task_worker_emit_external_run(struct decision *d, const struct st_task *t,
                                   const struct task_ids *ids, struct str worker_id,
                                   int64_t lease_ms)
{
	struct rec_worker w = { .kind = WORKER_KIND_EXTERNAL,
		                .worker_id = worker_id,
		                .lease_until = d->now + lease_ms };

	task_worker_emit_run(d, t, ids, &w, t->input_ref);
}

/*
 * A worker whose lease ran out while the runtime was down may be alive.  The task is shown as stale
 * until a heartbeat or the new lease decides.
 */
static void emit_stale(struct decision *d, const struct st_task *t, bool is_stale)
{
	struct event *ev = task_name_run_in(EMIT(d, TASK_UPDATED, task_updated,
	                                         .changed = STRINGS(d, STR("worker")),
	                                         .stale = is_stale, .has_stale = true),
	                                    t, task_run(t));

	ev->status = rec_enum_read(&enum_status, task_status_word(t->record->status));
	ev->task = KEPT(d, struct rec_task, .task_id = t->record->task_id);
	ev->status_reason =
		is_stale ? STR("the lease of its worker ran out while the runtime was down")
			 : STR("its worker was heard again");
}

void task_worker_recover_leases(struct decision *d, int64_t start)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		const struct rec_task_attempt *a = task_run(t);

		/* A heartbeat leaves no event, so only the lease in the log is certain. */
		if (a && a->worker && a->worker->lease_until && a->worker->lease_until < start &&
		    !task_table_status_is_end(t->record->status) && !t->shown_status)
			emit_stale(d, t, true);
	}
}

static bool read_lease(struct decision *d, bool has, int64_t given, int64_t *ret)
{
	*ret = has ? given : LIMIT_LEASE_MS;
	if (*ret >= LIMIT_LEASE_MIN_MS && *ret <= LIMIT_LEASE_MAX_MS)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "leaseMs: %d to %d", LIMIT_LEASE_MIN_MS,
	                LIMIT_LEASE_MAX_MS);
	return false;
}

/* The first claim wins: the task no longer waits for a worker when the second is decided. */
void decide_claim_task(struct decision *d, const struct cmd_claim_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	struct reply_claim_task r = { .session_id = d->session_id, .task_id = cmd->task_id };
	struct task_ids ids;
	int64_t lease;

	if (!t || !read_lease(d, cmd->has_lease_ms, cmd->lease_ms, &lease))
		return;
	if (!task_wants_worker(t)) {
		decision_refuse(d, ERROR_CODE_NOT_READY, "%.*s is %.*s and waits for no worker",
		                STR_ARG(cmd->task_id),
		                STR_ARG(task_status_word(t->record->status)));
		return;
	}
	ids = (struct task_ids){ .run_id = t->next_run_id, .attempt_id = t->next_attempt_id };
	if (!str_is(ids.run_id)) {
		ids.run_id = decision_new_id(d, "run");
		ids.attempt_id = decision_new_id(d, "att");
	}
	task_worker_emit_external_run(d, t, &ids, cmd->worker_id, lease);
	r.run_id = ids.run_id;
	r.attempt_id = ids.attempt_id;
	r.lease_until = d->now + lease;
	r.task = rec_clone(d->mem, &rec_task_desc, t->record);
	r.task->status = TASK_STATUS_RUNNING;
	r.task->current_run_id = ids.run_id;
	task_reply(d, &reply_claim_task_desc, &r);
}

/*
 * Accepted without an event: `beat` extends the lease outside of the state, so that a heartbeat
 * costs no commit.  The worker must be the one that claimed the run.
 */
void decide_heartbeat_task(struct decision *d, const struct cmd_heartbeat_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	const struct rec_task_attempt *a = t ? task_run(t) : NULL;
	struct reply_heartbeat_task r = { .task_id = cmd->task_id };
	int64_t lease;

	if (!t || !task_is_run(d, t, cmd->run_id) ||
	    !read_lease(d, cmd->has_lease_ms, cmd->lease_ms, &lease))
		return;
	if (!a->worker || !str_is(a->worker->worker_id) ||
	    !str_eq(a->worker->worker_id, cmd->worker_id)) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s is another worker's run",
		                STR_ARG(cmd->run_id));
		return;
	}
	/* The lease of the claim is renewed with its own length. */
	if (!cmd->has_lease_ms)
		lease = a->worker->lease_until - a->started_at;
	r.lease_until = d->now + lease;
	r.status = t->record->status;
	d->beat.until = r.lease_until;
	memcpy(d->beat.run_id, cmd->run_id.ptr, cmd->run_id.len);
	if (t->shown_status == TASK_STATUS_STALE)
		emit_stale(d, t, false);
	task_reply(d, &reply_heartbeat_task_desc, &r);
}

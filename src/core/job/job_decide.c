/*
 * Commands on jobs and their items.  The run of a job is in job_run.c.
 * spec: contracts/subagents-and-jobs#jobs; GAP-61
 */
#include "core/job/job.h"
#include "core/channel/channel.h"
#include "core/gen/tables.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "base/utf8.h"
#include "schema/schema.h"

#define ATTEMPTS_DEFAULT 3

/* The engine has counted the items, also those behind inputRef. */
static bool check_job(struct decision *d, const struct cmd_create_job *c)
{
	struct error err = { 0 };
	int64_t total = d->item_count;

	if (c->items.items && str_is(c->input_ref))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "items or inputRef, not both");
	else if (str_is(c->job_id) && job_find(d->w, c->job_id))
		decision_refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s exists", STR_ARG(c->job_id));
	else if (total < 1)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "items: at least one");
	else if (total > LIMIT_JOB_ITEMS)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "a job has %d items at most",
		                LIMIT_JOB_ITEMS);
	else if (c->has_concurrency &&
	         (c->concurrency < 1 || c->concurrency > LIMIT_JOB_CONCURRENCY))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "concurrency: 1 to %d",
		                LIMIT_JOB_CONCURRENCY);
	else if (c->has_max_attempts &&
	         (c->max_attempts < 1 || c->max_attempts > LIMIT_ATTEMPTS_PER_TASK))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "maxAttempts: 1 to %d",
		                LIMIT_ATTEMPTS_PER_TASK);
	else if (c->has_max_runtime_ms && c->max_runtime_ms < 1)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "maxRuntimeMs: above 0");
	else if (c->output_schema.len > LIMIT_JOB_SCHEMA_BYTES)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "outputSchema: %d bytes at most",
		                LIMIT_JOB_SCHEMA_BYTES);
	else if (str_is(c->output_schema)) {
		struct schema *schema = NULL;

		if (schema_compile_text(NULL, c->output_schema, NULL, &schema, &err) != OK)
			decision_refuse(d, ERROR_CODE_INVALID_VALUE, "outputSchema: %s",
			                err.message);
		schema_compile_free(schema);
	}
	return !d->refusal;
}

/* One line of JSON per item, so that pages of it can be read alone. */
static struct str input_of(struct decision *d, const struct cmd_create_job *c)
{
	struct buf out = { 0 };
	struct str ref;

	if (str_is(c->input_ref))
		return c->input_ref;
	for (uint32_t i = 0; i < c->items.count; i++) {
		buf_add_str(&out, c->items.items[i]);
		buf_add_char(&out, '\n');
	}
	ref = decision_new_blob(d, STR("application/x-ndjson"), buf_str(&out));
	buf_done(&out);
	return ref;
}

static struct rec_job *record_of(struct decision *d, const struct cmd_create_job *c,
                                 struct str input_ref)
{
	struct rec_job *r = KEPT(
		d, struct rec_job,
		.job_id = str_is(c->job_id) ? c->job_id : decision_new_id(d, "job"),
		.task_id = c->task_id, .status = JOB_STATUS_PENDING,
		.instruction_ref = decision_new_blob(d, STR("text/plain"), c->instruction),
		.max_runtime_ms = c->max_runtime_ms, .has_max_runtime_ms = c->has_max_runtime_ms,
		.concurrency = c->has_concurrency ? c->concurrency : 1, .has_concurrency = true,
		.max_attempts = c->has_max_attempts ? c->max_attempts : ATTEMPTS_DEFAULT,
		.has_max_attempts = true,
		.progress = KEPT(d, struct rec_job_counts, .total = d->item_count,
	                         .pending = d->item_count));
	struct rec_ref_entry *in = rec_list_add(d->mem, &r->input_refs, &rec_ref_entry_desc);

	*in = (struct rec_ref_entry){ .kind = STR("items"), .ref = input_ref };
	if (str_is(c->output_schema))
		r->output_schema_ref =
			decision_new_blob(d, STR("application/json"), c->output_schema);
	return r;
}

/* from: the first item that begins. */
static void emit_started(struct decision *d, struct str job_id, struct str cause, int64_t from)
{
	struct event *ev = EMIT(d, JOB_STARTED, job_started, .cause = cause, .started_at = d->now,
	                        .from_item = from);

	ev->job_id = job_id;
	ev->status = STATUS_RUNNING;
}

/* The task is optional; false only after a refusal. */
static bool find_task(struct decision *d, struct str task_id, const struct st_task **ret)
{
	*ret = NULL;
	if (!str_is(task_id))
		return true;
	*ret = task_open(d, task_id);
	if (*ret && (*ret)->cancelled) {
		decision_refuse(d, ERROR_CODE_CANCELLING,
		                "%.*s was cancelled and accepts no new work", STR_ARG(task_id));
		*ret = NULL;
	}
	return *ret;
}

void decide_create_job(struct decision *d, const struct cmd_create_job *c)
{
	struct reply_create_job reply = { .session_id = d->session_id };
	const struct st_task *task;
	struct rec_job *r;
	struct str input_ref;
	struct event *ev;

	if (!check_job(d, c) || !find_task(d, c->task_id, &task))
		return;
	if (!session_exists(d->w)) {
		session_emit(d, &(struct session_birth){
					.title = utf8_preview(d->mem, str_trim(c->instruction), 80),
					.cwd = c->cwd });
		session_emit_thread(d, STR_NONE, STR("session.created"));
		channel_bind(d);
	}
	input_ref = input_of(d, c);
	r = record_of(d, c, input_ref);
	/*
	 * The schema is part of the event, because decisions on reports need its text; the ref is
	 * for readers.
	 */
	ev = EMIT(d, JOB_CREATED, job_created, .item_count = d->item_count,
	          .instruction_ref = r->instruction_ref, .input_ref = input_ref,
	          .max_runtime_ms = c->max_runtime_ms, .has_max_runtime_ms = c->has_max_runtime_ms,
	          .concurrency = r->concurrency, .output_schema = c->output_schema,
	          .budget_usd = c->budget_usd, .has_budget_usd = c->has_budget_usd,
	          .created_by = decision_actor(d));
	ev->job_id = r->job_id;
	ev->task_id = c->task_id;
	ev->status = STATUS_PENDING;
	ev->job = r;
	decision_add_ref(d, ev, STR("input"), input_ref);
	decision_add_ref(d, ev, STR("instruction"), r->instruction_ref);
	if (str_is(r->output_schema_ref))
		decision_add_ref(d, ev, STR("outputSchema"), r->output_schema_ref);
	if (task) {
		task_name_in(EMIT(d, TASK_DELEGATED, task_delegated, .to = STR("job"),
		                  .job_id = r->job_id),
		             task)
			->job_id = r->job_id;
		/* spec: NEG-05 — a job that works for a task depends on it. */
		task_graph_emit_edge(d, &(struct edge){ .thread_id = task->record->thread_id,
		                                        .from = task->record->task_id,
		                                        .to = r->job_id,
		                                        .kind = EDGE_KIND_SPAWNED_JOB,
		                                        .change = EDGE_CHANGE_LINKED });
	}
	reply.job_id = r->job_id;
	reply.item_count = d->item_count;
	reply.status = JOB_STATUS_PENDING;
	if (!c->has_start || c->start) {
		emit_started(d, r->job_id, STR("create_job"), 0);
		reply.status = JOB_STATUS_RUNNING;
	}
	d->reply = rec_text(d->mem, &reply_create_job_desc, &reply);
}

void decide_start_job(struct decision *d, const struct cmd_start_job *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_start_job reply = { .job_id = c->job_id, .status = JOB_STATUS_RUNNING };

	if (!j)
		return;
	if (job_is_over(j)) {
		job_refuse_over(d, j);
		return;
	}
	if (j->record->status == JOB_STATUS_PENDING)
		emit_started(d, c->job_id, STR("start_job"), 0);
	d->reply = rec_text(d->mem, &reply_start_job_desc, &reply);
}

/* The job ends at once; its running items are stopped by the following steps (`stopping`). */
void decide_cancel_job(struct decision *d, const struct cmd_cancel_job *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_cancel_job reply = { .job_id = c->job_id, .status = JOB_STATUS_CANCELLED };
	struct event *ev;

	if (!j)
		return;
	if (job_is_over(j)) {
		job_refuse_over(d, j);
		return;
	}
	ev = EMIT(d, JOB_CANCELLED, job_cancelled,
	          .reason = str_is(c->reason) ? c->reason : STR("cancel_job"),
	          .cancelled_by = decision_actor(d), .progress = j->record->progress);
	ev->job_id = c->job_id;
	ev->status = STATUS_CANCELLED;
	d->reply = rec_text(d->mem, &reply_cancel_job_desc, &reply);
}

/* Another command may have queued the item after its row was read. */
static bool is_in_line(const struct st_job *j, int64_t index)
{
	for (uint32_t i = 0; i < j->waiting.count; i++)
		if (j->waiting.items[i]->index == index)
			return true;
	for (uint32_t i = 0; i < j->running.count; i++)
		if (j->running.items[i]->index == index)
			return true;
	return false;
}

/*
 * The row of the item is read by the engine: the state no longer has ended items.  Retrying an item
 * reopens a job that has completed or failed, but not one that was cancelled.
 */
void decide_retry_job_item(struct decision *d, const struct cmd_retry_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_retry_job_item reply = { .job_id = c->job_id,
		                              .job_item_id = c->job_item_id,
		                              .status = JOB_ITEM_STATUS_PENDING };
	struct event *ev;
	int64_t index;

	if (!j || !job_item_named(d, j, c->job_item_id, &index))
		return;
	if (j->record->status == JOB_STATUS_CANCELLED) {
		job_refuse_over(d, j);
		return;
	}
	if (!d->item || d->item->status != JOB_ITEM_STATUS_FAILED) {
		decision_refuse(
			d, ERROR_CODE_NOT_RETRYABLE,
			"%.*s is %.*s; only what failed is tried again", STR_ARG(c->job_item_id),
			STR_ARG(d->item ? job_item_status_word(d->item->status) : STR("pending")));
		return;
	}
	if (is_in_line(j, index)) {
		decision_refuse(d, ERROR_CODE_NOT_RETRYABLE, "%.*s is being tried again already",
		                STR_ARG(c->job_item_id));
		return;
	}
	ev = EMIT(d, JOB_STARTED, job_started, .started_at = d->now,
	          .cause = str_is(c->reason) ? c->reason : STR("retry_job_item"),
	          .from_item = index, .retry_item = index, .has_retry_item = true,
	          .retry_attempts = d->item->attempt_count, .has_retry_attempts = true);
	ev->job_id = c->job_id;
	ev->status = STATUS_RUNNING;
	d->reply = rec_text(d->mem, &reply_retry_job_item_desc, &reply);
}

/* Only the next item, or one that waits for another attempt, can be assigned. */
void decide_assign_job_item(struct decision *d, const struct cmd_assign_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_assign_job_item reply = { .job_id = c->job_id,
		                               .job_item_id = c->job_item_id,
		                               .status = JOB_ITEM_STATUS_RUNNING };
	int64_t lease, index;
	const struct st_job_item *i;
	bool runs;

	if (!j || !job_item_named(d, j, c->job_item_id, &index) ||
	    !job_lease_read(d, c->has_lease_ms, c->lease_ms, LIMIT_LEASE_MS, &lease))
		return;
	i = job_item_open(j, index, &runs);
	if (job_is_over(j) || (i && runs) || (!i && index < j->record->item_cursor)) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s %s", STR_ARG(c->job_item_id),
		                i && runs ? "runs already" : "has ended");
		return;
	}
	if (!i && index > j->record->item_cursor) {
		decision_refuse(d, ERROR_CODE_NOT_READY, "items begin in order; %.*s is next",
		                STR_ARG(job_item_id(d->mem, c->job_id, j->record->item_cursor)));
		return;
	}
	job_run_emit_item_at_worker(d, j, index,
	                            KEPT(d, struct rec_worker, .kind = WORKER_KIND_EXTERNAL,
	                                 .worker_id = c->worker_id, .lease_until = d->now + lease));
	reply.lease_until = d->now + lease;
	d->reply = rec_text(d->mem, &reply_assign_job_item_desc, &reply);
}

/* Like the heartbeats of tasks: no event is written, and a restart renews the lease. */
void decide_heartbeat_job_item(struct decision *d, const struct cmd_heartbeat_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_heartbeat_job_item reply = { .job_id = c->job_id,
		                                  .job_item_id = c->job_item_id };
	const struct st_job_item *i;
	int64_t index, lease;
	bool runs = false;

	if (!j || !job_item_named(d, j, c->job_item_id, &index))
		return;
	i = job_item_open(j, index, &runs);
	if (!i || !runs) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s does not run",
		                STR_ARG(c->job_item_id));
		return;
	}
	if (!str_is(i->worker_id) || !str_eq(c->worker_id, i->worker_id)) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s is not this worker's",
		                STR_ARG(c->job_item_id));
		return;
	}
	if (!job_lease_read(d, c->has_lease_ms, c->lease_ms, i->lease_until - i->started_at,
	                    &lease))
		return;
	reply.lease_until = d->now + lease;
	reply.status = j->record->status;
	d->beat.until = reply.lease_until;
	memcpy(d->beat.run_id, c->job_item_id.ptr, c->job_item_id.len);
	d->reply = rec_text(d->mem, &reply_heartbeat_job_item_desc, &reply);
}

static bool output_fits(struct decision *d, const struct st_job *j, struct str output)
{
	struct str schema_error =
		str_is(j->output_schema)
			? turn_model_output_schema_error(d->mem, j->output_schema, output)
			: STR_NONE;

	if (str_is(schema_error))
		decision_refuse(d, ERROR_CODE_INVALID_ANSWER, "%.*s", STR_ARG(schema_error));
	return !str_is(schema_error);
}

/*
 * Exactly one of output and error.  An output that violates the schema is refused, not counted as a
 * failure: the worker can correct it.
 */
void decide_report_job_item(struct decision *d, const struct cmd_report_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_report_job_item reply = { .job_id = c->job_id,
		                               .job_item_id = c->job_item_id,
		                               .status = JOB_ITEM_STATUS_REPORTED };
	const struct st_job_item *i;
	int64_t index;
	bool runs;

	if (!j || !job_item_named(d, j, c->job_item_id, &index))
		return;
	i = job_item_open(j, index, &runs);
	if (!i || !runs) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s does not run",
		                STR_ARG(c->job_item_id));
		return;
	}
	if (!str_is(i->worker_id) ||
	    (str_is(c->worker_id) && !str_eq(c->worker_id, i->worker_id))) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s is not this worker's",
		                STR_ARG(c->job_item_id));
		return;
	}
	if (!str_is(c->output) == !c->error) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "output or error, one of them");
		return;
	}
	if (c->error) {
		job_run_emit_item_failed(d, j, i, c->error->category, c->error->message,
		                         !c->error->has_retryable || c->error->retryable, 0);
		reply.status = JOB_ITEM_STATUS_FAILED;
	} else if (output_fits(d, j, c->output)) {
		job_run_emit_item_completed(
			d, j, i, decision_new_blob(d, STR("application/json"), c->output),
			decision_actor(d), 0);
	} else {
		return;
	}
	d->reply = rec_text(d->mem, &reply_report_job_item_desc, &reply);
}

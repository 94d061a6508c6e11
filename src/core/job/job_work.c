/*
 * Jobs over several nodes: which jobs are offered, and the commands that nodes send each other.
 */
#include "core/job/job_work.h"

#include "core/gen/tables.h"
#include "core/session/session.h"
#include "core/turn/turn_emit.h"
#include "core/turn/turn_internal.h"

/* ---- the job's session ---- */

/*
 * A session whose rules, directories or caps are its own is not copied: what an item may do and
 * spend is then known only there.
 */
static bool is_plain(const struct st_session *s)
{
	return !s->has_cap_usd && !str_is(s->rules) && !s->directories.count &&
	       !s->servers_off.count;
}

bool job_work_is_offered(const struct state *w, const struct st_job *j)
{
	return j->record->status == JOB_STATUS_RUNNING && j->record->concurrency > 1 &&
	       !j->has_budget_usd && is_plain(w->s);
}

const struct st_job_offer *job_work_offer(struct arena *mem, const struct state *w,
                                          const struct st_job *j)
{
	const struct st_session *s = w->s;
	struct st_job_offer *o = ARENA_NEW(mem, struct st_job_offer);

	*o = (struct st_job_offer){
		.job_id = j->record->job_id,
		.input_ref = j->input_ref,
		.instruction_ref = j->record->instruction_ref,
		.output_schema = j->output_schema,
		.principal = s->created_by ? s->created_by->principal : STR_NONE,
		.cwd = s->cwd,
		.placement = s->placement,
		.model = s->model,
		.permission_mode = s->permission_mode,
	};
	return o;
}

int64_t job_work_share(const struct st_job *j, uint32_t nodes)
{
	return MAX(MIN(j->record->concurrency / MAX(nodes, 1), JOB_WORK_ITEMS_MAX), 1);
}

struct str job_work_worker(struct arena *mem, struct str node, uint64_t incarnation)
{
	return arena_printf(mem, "node:%.*s:%llu", STR_ARG(node), (unsigned long long)incarnation);
}

int64_t job_work_at(const struct st_job *j, struct str worker_id)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < j->running.count; i++)
		count += str_eq(j->running.items[i]->worker_id, worker_id);
	return count;
}

int64_t job_work_own(const struct st_job *j)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < j->running.count; i++)
		count += !str_is(j->running.items[i]->worker_id);
	return count;
}

static bool may_take(struct decision *d, const struct st_job *j, int64_t *ret_index)
{
	if (job_is_over(j)) {
		job_refuse_over(d, j);
		return false;
	}
	if (!job_work_is_offered(d->w, j) || d->settings->caps.session > 0) {
		decision_refuse(d, ERROR_CODE_NOT_READY, "%.*s runs on one node",
		                STR_ARG(j->record->job_id));
		return false;
	}
	if (job_run_next(j, ret_index))
		return true;
	decision_refuse(d, ERROR_CODE_NOT_READY,
	                "%.*s: no item may begin now; as many run as may, or all have begun",
	                STR_ARG(j->record->job_id));
	return false;
}

/* The share of the node was compared before: which others want items is no part of the state. */
void decide_take_job_item(struct decision *d, const struct cmd_take_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_take_job_item reply = { .job_id = c->job_id };
	int64_t lease;

	if (!j || !may_take(d, j, &reply.index) || !job_lease_read(d, true, c->lease_ms, 0, &lease))
		return;
	reply.lease_until = d->now + lease;
	reply.attempt = job_run_emit_item_at_worker(
		d, j, reply.index,
		KEPT(d, struct rec_worker, .kind = WORKER_KIND_EXTERNAL,
	             .session_id = c->work_session_id, .worker_id = c->worker_id,
	             .lease_until = reply.lease_until));
	reply.job_item_id = job_item_id(d->mem, c->job_id, reply.index);
	d->reply = rec_text(d->mem, &reply_take_job_item_desc, &reply);
}

/* A node whose attempt was given to another one meanwhile has nothing to report. */
void decide_end_job_item(struct decision *d, const struct cmd_end_job_item *c)
{
	const struct st_job *j = job_find_named(d, c->job_id);
	struct reply_end_job_item reply = { .job_id = c->job_id,
		                            .job_item_id = c->job_item_id,
		                            .status = JOB_ITEM_STATUS_REPORTED };
	const struct st_job_item *i;
	int64_t index;
	bool runs = false;

	if (!j || !job_item_named(d, j, c->job_item_id, &index))
		return;
	i = job_item_open(j, index, &runs);
	if (!i || !runs || i->attempts != c->attempt || !str_eq(i->worker_id, c->worker_id)) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED,
		                "attempt %lld at %.*s does not run any more", (long long)c->attempt,
		                STR_ARG(c->job_item_id));
		return;
	}
	if (c->error) {
		job_run_emit_item_failed(d, j, i, c->error->category, c->error->message,
		                         !c->error->has_retryable || c->error->retryable,
		                         c->cost_usd);
		reply.status = JOB_ITEM_STATUS_FAILED;
	} else {
		job_run_emit_item_completed(d, j, i, c->output_ref, decision_actor(d), c->cost_usd);
	}
	d->reply = rec_text(d->mem, &reply_end_job_item_desc, &reply);
}

static const struct st_job_item *item_at(const struct st_job *j, struct str worker_id)
{
	for (uint32_t i = 0; i < j->running.count; i++)
		if (str_eq(j->running.items[i]->worker_id, worker_id))
			return j->running.items[i];
	return NULL;
}

void job_work_lost(struct decision *d, struct str worker_id)
{
	for (uint32_t n = 0; n < d->w->s->jobs.count; n++) {
		const struct st_job *j = d->w->s->jobs.items[n];
		const struct st_job_item *i = item_at(j, worker_id);

		if (!i)
			continue;
		job_run_emit_item_failed(d, j, i, ERROR_CATEGORY_WORKER_LOST,
		                         STR("the node that worked on it has ended"), true, 0);
		return;
	}
}

/* ---- the session of the other node ---- */

bool job_work_is_foreign(const struct state *w, const struct st_turn *t)
{
	return t->kind == TURN_KIND_JOB && str_is(t->job_id) && !job_find(w, t->job_id);
}

static struct str free_thread(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];

		if (th->kind == THREAD_KIND_JOB && job_run_is_free(th))
			return th->thread_id;
	}
	return job_run_new_thread(d);
}

void decide_work_job_item(struct decision *d, const struct cmd_work_job_item *c)
{
	struct reply_work_job_item reply = { .session_id = d->session_id };

	if (!session_exists(d->w)) {
		session_emit(d, &(struct session_birth){
					.title = arena_printf(d->mem, "Items of %.*s",
		                                              STR_ARG(c->job_id)),
					.cwd = c->cwd,
					.model = c->model,
					.mode = c->mode,
					.labels = STRINGS(d, arena_printf(d->mem, "job=%.*s",
		                                                          STR_ARG(c->job_id))) });
		session_emit_thread(d, STR_NONE, STR("session.created"));
	}
	reply.thread_id = free_thread(d);
	if (!str_is(reply.thread_id)) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "the session has %d threads",
		                LIMIT_THREADS_PER_SESSION);
		return;
	}
	reply.turn_id = decision_new_id(d, "turn");
	turn_internal_emit(d, &(struct internal_turn){
				      .thread_id = reply.thread_id,
				      .turn_id = reply.turn_id,
				      .kind = TURN_KIND_JOB,
				      .source = STR("job"),
				      .family = STR("job"),
				      .task_kind = STR("background_job"),
				      .text = c->text,
				      .options = str_is(c->output_schema)
	                                                 ? KEPT(d, struct rec_turn_options,
	                                                        .output_schema = c->output_schema)
	                                                 : NULL,
				      .job_id = c->job_id,
				      .job_item_id = c->job_item_id,
			      });
	d->reply = rec_text(d->mem, &reply_work_job_item_desc, &reply);
}

/* Nothing resumes it here: its job tries the item again. */
bool job_work_step(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];
		const struct st_turn *t = state_thread_active(th);

		if (t && t->stage == TURN_STAGE_LOST && job_work_is_foreign(d->w, t)) {
			turn_emit_interrupt(d, th, t, STR("job_item_lost"), QUEUE_POLICY_CONTINUE);
			return true;
		}
	}
	return false;
}

void job_work_over(struct decision *d, struct str turn_id)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);

	if (t && !turn_is_over(t) && t->stage != TURN_STAGE_STOPPING)
		turn_emit_interrupt(d, th, t, JOB_WORK_OVER, QUEUE_POLICY_CONTINUE);
}

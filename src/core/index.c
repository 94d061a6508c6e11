/*
 * Index rows from events and state.  A row is written when a value changes that
 * a list, a filter or a timer reads.
 */
#include "core/index.h"

#include "base/jw.h"
#include "core/benchmark/trial.h"
#include "core/context/assemble.h"
#include "core/job/job.h"
#include "core/job/job_work.h"
#include "core/process/process.h"
#include "core/schedule/schedule.h"
#include "core/session/placement.h"
#include "core/budget/ledger_view.h"
#include "core/step.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "core/usage/usage.h"
#include "core/view/view.h"

/*
 * The same row twice in one commit: the later one wins.  Searched from the end: a commit writes the
 * same few rows again and again.
 */
static struct index_row *put_row(struct rows *r, enum index_table table, struct str key)
{
	for (size_t i = r->count; i-- > 0;)
		if (r->items[i].table == table && str_eq(r->items[i].key, key)) {
			r->items[i] = (struct index_row){ .table = table, .key = r->items[i].key };
			return &r->items[i];
		}
	if (r->count == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 16;

		r->items = arena_grow(r->mem, r->items, r->count * sizeof *r->items,
		                      cap * sizeof *r->items);
		r->cap = cap;
	}
	r->items[r->count] = (struct index_row){ .table = table, .key = arena_keep(r->mem, key) };
	return &r->items[r->count++];
}

/*
 * Written once, when the object opens.  The row makes ids unique over the runtime and tells which
 * session owns an id.
 */
static void put_id(struct rows *r, const struct event *ev, struct str id, const char *kind)
{
	struct index_row *row;

	if (!str_is(id))
		return;
	row = put_row(r, INDEX_ID, id);
	row->status = str_from(kind);
	row->at = (int64_t)ev->sequence;
}

/*
 * Outputs that are part of the log instead of separate bytes: the row says how to read them.
 * Reading such an output assembles it from events between `from` and `sequence`, so no text is
 * stored twice.  With a start, the row records where the conversation began at that request:
 * compactions and rollbacks that come later do not change what it returns.
 */
static void put_virtual(struct rows *r, const struct event *ev, const char *ref_name,
                        const char *kind, struct str step_id, int64_t from,
                        const struct assembly_start *start)
{
	struct str ref = rec_dict_get(&ev->refs, str_from(ref_name));
	struct index_row *row;
	struct buf out = { 0 };
	struct json_writer w;

	if (!str_is(ref))
		return;
	row = put_row(r, INDEX_OUTPUT, ref);
	row->status = str_from(kind);
	row->parent = arena_keep(r->mem, ev->thread_id);
	row->at = ev->timestamp;
	jw_init(&w, &out);
	jw_obj(&w);
	if (start)
		assemble_start_write(&w, start);
	else
		JW_KINT(&w, "from", from);
	JW_KINT(&w, "sequence", (int64_t)ev->sequence);
	JW_KOPT(&w, "stepId", step_id);
	JW_KOPT(&w, "turnId", ev->turn_id);
	JW_KOPT(&w, "modelRequestId", ev->model_request_id);
	jw_obj_end(&w);
	row->body = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
}

static int64_t from_of(const struct state *w, const struct event *ev)
{
	const struct st_turn *t = state_turn(w, ev->turn_id, NULL);

	return t ? t->submitted_sequence : 1;
}

/* The input of a model request is read back from the start of its conversation. */
static void put_input(struct rows *r, const struct state *w, const struct event *ev)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(w, ev->turn_id, &th);
	struct assembly_start start;

	if (!t)
		return;
	assemble_start_of(th, t, w, &start);
	put_virtual(r, ev, "input", "model_input", STR_NONE, 0, &start);
}

/* A lost task stays open: resume_thread or retry_task may continue it. */
static void put_task(struct rows *r, const struct state *w, struct str task_id)
{
	const struct st_task *t = state_task(w, task_id);
	struct index_row *row;

	if (!t)
		return;
	row = put_row(r, INDEX_TASK, task_id);
	row->status = task_status_word(t->shown_status ? t->shown_status : t->record->status);
	row->parent = arena_keep(r->mem, t->record->thread_id);
	row->at = t->record->updated_at;
	row->open = !task_table_status_is_end(t->record->status) ||
	            t->record->status == TASK_STATUS_LOST;
	row->body = rec_text(r->mem, &st_task_desc, t);
}

/* There are few jobs beside their items: they share the table, under one parent. */
static void put_job(struct rows *r, const struct state *w, struct str job_id)
{
	const struct st_job *j = job_find(w, job_id);
	struct index_row *row;

	if (!j)
		return;
	row = put_row(r, INDEX_ITEM, job_id);
	row->status = job_status_word(j->record->status);
	row->parent = STR("jobs");
	row->at = j->created_at;
	row->open = !job_is_over(j);
	row->body = rec_text(r->mem, &rec_job_desc, j->record);
}

static struct index_row *put_offer_row(struct rows *r, struct str job_id)
{
	return put_row(r, INDEX_ITEM, arena_printf(r->mem, "offer:%.*s", STR_ARG(job_id)));
}

/* For other nodes, which look for jobs that they may work on. */
static void put_offer(struct rows *r, const struct state *w, const struct st_job *j)
{
	struct index_row *row;

	if (j->record->concurrency < 2 || job_is_over(j))
		return;
	row = put_offer_row(r, j->record->job_id);
	row->remove = !job_work_is_offered(w, j);
	if (row->remove)
		return;
	row->parent = STR("job_offers");
	row->at = j->created_at;
	row->open = true;
	row->body = rec_text(r->mem, &st_job_offer_desc, job_work_offer(r->mem, w, j));
}

/* A job that has ended may have left the state with its own end. */
static void put_offers(struct rows *r, const struct state *w, const struct event *ev)
{
	const struct st_job *ended =
		str_is(ev->job_id) && ev->type != EV_JOB_STARTED ? job_find(w, ev->job_id) : NULL;

	if (str_is(ev->job_id) && ev->type != EV_JOB_STARTED &&
	    (!ended || ended->record->concurrency > 1))
		put_offer_row(r, ev->job_id)->remove = true;
	for (uint32_t i = 0; i < w->s->jobs.count; i++)
		put_offer(r, w, w->s->jobs.items[i]);
}

/* What an offer says has changed, or whether there is one. */
static bool changes_offers(enum event_type type)
{
	switch (type) {
	case EV_JOB_STARTED:
	case EV_JOB_COMPLETED:
	case EV_JOB_FAILED:
	case EV_JOB_CANCELLED:
	case EV_SESSION_UPDATED:
	case EV_POLICY_CHANGED:
	case EV_LIMIT_CHANGED:
		return true;
	default:
		return false;
	}
}

/* Trials share the table as well; their ids are unique over the runtime. */
static void put_trial(struct rows *r, const struct state *w, const struct event *ev)
{
	const struct rec_trial_row *t = ev->benchmark && str_is(ev->benchmark->trial_id)
	                                        ? trial_find(w, ev->benchmark->trial_id)
	                                        : NULL;
	struct index_row *row;

	if (!t)
		return;
	if (ev->type == EV_BENCHMARK_TRIAL_STARTED)
		put_id(r, ev, t->trial_id, "trial");
	row = put_row(r, INDEX_ITEM, t->trial_id);
	row->status = status_word(t->status);
	row->parent = STR("trials");
	row->at = t->started_at;
	row->open = !trial_is_over(t);
	row->body = rec_text(r->mem, &rec_trial_row_desc, t);
}

/* A provider's last report to this session; the next start reads the newest over all sessions. */
static void put_limit(struct rows *r, const struct event *ev)
{
	struct st_provider_limit said;
	struct index_row *row;

	if (!limit_said(ev, &said))
		return;
	row = put_row(r, INDEX_ITEM,
	              arena_printf(r->mem, "limit:%.*s:%.*s:%.*s", STR_ARG(said.provider),
	                           STR_ARG(limit_kind_word(said.kind)), STR_ARG(ev->session_id)));
	row->status = limit_status_word(said.state);
	row->parent = STR("limits");
	row->at = ev->timestamp;
	row->body = rec_text(r->mem, &st_provider_limit_desc, &said);
}

/* Schedules share the table as well. */
static void put_schedule(struct rows *r, const struct state *w, struct str id)
{
	const struct st_schedule *s = str_is(id) ? schedule_find(w, id) : NULL;
	struct index_row *row;

	if (!str_is(id))
		return;
	row = put_row(r, INDEX_ITEM, id);
	row->remove = !s;
	if (!s)
		return;
	row->status = schedule_status_word(s->record->status);
	row->parent = STR("schedules");
	row->at = s->created_at;
	row->open = s->record->status == SCHEDULE_STATUS_ACTIVE;
	row->body = rec_text(r->mem, &rec_schedule_desc, s->record);
}

/* ---- counts over all sessions, for the start ---- */

/*
 * The removal of the row at zero keeps the start from reading sessions that have nothing to count.
 */
static struct index_row *put_count(struct rows *r, const struct state *w, const char *what,
                                   int64_t count)
{
	struct index_row *row = put_row(
		r, INDEX_ITEM, arena_printf(r->mem, "%s:%.*s", what, STR_ARG(w->s->session_id)));

	row->remove = !count;
	row->parent = str_from(what);
	row->at = count;
	row->open = count > 0;
	return row;
}

static void put_tasks_under_way(struct rows *r, const struct state *w)
{
	struct index_row *row = put_count(r, w, INDEX_TASKS_UNDER_WAY, task_run_count_under_way(w));

	if (!row->remove)
		row->status = ledger_view_tenant(r->mem, ledger_view_payer(w));
}

static void put_background(struct rows *r, const struct state *w)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->processes.count; n++)
			count += th->processes.items[n]->background &&
			         !process_is_over(th->processes.items[n]);
	}
	put_count(r, w, INDEX_BACKGROUND, count);
}

/* ---- what waits for another node ---- */

/* For the nodes that have the directory of the session: placement_keys(). */
static void put_places(struct rows *r, const struct state *w)
{
	bool is_awaited = placement_is_awaited(w);
	struct str keys[PLACEMENT_KEYS];
	size_t count = placement_keys(r->mem, w->s->placement, keys);

	for (size_t i = 0; i < PLACEMENT_KEYS; i++) {
		struct index_row *row = put_row(
			r, INDEX_ITEM,
			arena_printf(r->mem, "place%zu:%.*s", i, STR_ARG(w->s->session_id)));

		row->remove = !is_awaited || i >= count;
		if (row->remove)
			continue;
		row->parent = keys[i];
		row->status = arena_keep(r->mem, w->s->cwd);
		row->at = w->s->updated_at;
		row->open = true;
		row->body = rec_text(r->mem, &rec_placement_desc, w->s->placement);
	}
}

static bool moves_place(const struct event *ev)
{
	switch (ev->type) {
	case EV_RUN_STATUS:
	case EV_TASK_RESUMED:
	case EV_TURN_FAILED:
		return true;
	case EV_SESSION_UPDATED:
		return ((const struct ev_session_updated *)ev->payload)->placement != NULL;
	default:
		return false;
	}
}

/*
 * An ended turn or process may have left the state with its own end; then the kind is unknown, and
 * the counts are written in any case.
 */
static void count_event(struct rows *r, const struct state *w, const struct event *ev)
{
	const struct st_turn *t;
	const struct st_process *p;

	switch (ev->type) {
	case EV_TURN_SUBMITTED:
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
		t = state_turn(w, ev->turn_id, NULL);
		if (!t || t->kind == TURN_KIND_TASK)
			put_tasks_under_way(r, w);
		break;
	case EV_PROCESS_STARTED:
	case EV_PROCESS_COMPLETED:
	case EV_PROCESS_FAILED:
	case EV_PROCESS_TERMINATED:
		p = process_live_find(w, ev->process_id, NULL);
		if (!p || p->background)
			put_background(r, w);
		break;
	default:
		break;
	}
}

void index_counts(struct rows *r, const struct state *w)
{
	put_tasks_under_way(r, w);
	put_background(r, w);
}

/* The hour that the state counts; rows of earlier hours stay. */
static void put_usage(struct rows *r, const struct state *w, const struct event *ev)
{
	const struct st_usage *u = w->s->usage;
	struct index_row *row;

	switch (ev->type) {
	case EV_COST_RECORDED:
	case EV_MODEL_COMPLETED:
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
	case EV_ACTION_RESOLVED:
	case EV_PERMISSION_EVALUATED:
	case EV_PERMISSION_RESOLVED:
		break;
	default:
		return;
	}
	if (!u)
		return;
	row = put_row(r, INDEX_USAGE,
	              arena_printf(r->mem, "%.*s:%lld", STR_ARG(w->s->session_id),
	                           (long long)(u->hour / USAGE_HOUR_MS)));
	row->status = ledger_view_tenant(r->mem, ledger_view_payer(w));
	row->at = u->hour;
	row->body = rec_text(r->mem, &st_usage_desc, u);
}

static void put_action(struct rows *r, const struct state *w, struct str action_id)
{
	const struct st_action *a = state_action(w, action_id, NULL);
	struct index_row *row;

	if (!a)
		return;
	row = put_row(r, INDEX_ACTION, action_id);
	row->status = action_status_word(a->status);
	row->parent = arena_keep(r->mem, a->thread_id);
	row->at = a->requested_at;
	row->open = action_is_pending(a);
	row->body = rec_text(r->mem, &st_action_desc, a);
}

/* The clock was set: times in lists have moved too. */
static void put_moved(struct rows *r, const struct state *w)
{
	for (uint32_t i = 0; i < w->s->schedules.count; i++)
		if (w->s->schedules.items[i]->record->has_every_ms)
			put_schedule(r, w, w->s->schedules.items[i]->record->schedule_id);
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]))
				put_action(r, w, th->actions.items[n]->action_id);
	}
}

/* Called after the fold, so the state shows what the event has changed. */
void index_event(struct rows *r, const struct state *w, const struct event *ev)
{
	switch (ev->type) {
	case EV_SESSION_CREATED:
		put_id(r, ev, ev->session_id, "session");
		break;
	/* A delivery of a task's result is shown in the task's row. */
	case EV_SESSION_UPDATED: {
		const struct rec_delivery *told =
			((const struct ev_session_updated *)ev->payload)->delivery;

		if (told && told->subject == DELIVERY_SUBJECT_TASK)
			put_task(r, w, told->subject_id);
		break;
	}
	case EV_THREAD_STARTED:
		put_id(r, ev, ev->thread_id, "thread");
		break;
	case EV_TURN_SUBMITTED:
		put_id(r, ev, ev->turn_id, "turn");
		break;
	case EV_JOB_CREATED:
		put_id(r, ev, ev->job_id, "job");
		break;
	case EV_TASK_CREATED:
		put_id(r, ev, ev->task_id, "task");
		put_task(r, w, ev->task_id); /* before the row of its schedule */
		put_schedule(r, w, ((const struct ev_task_created *)ev->payload)->schedule_id);
		break;
	case EV_POLICY_CHANGED: {
		const struct ev_policy_changed *p = ev->payload;

		if (p->change == POLICY_CHANGE_SCHEDULE_ADDED)
			put_id(r, ev, p->schedule_id, "schedule");
		put_schedule(r, w, p->schedule_id);
		break;
	}
	case EV_ACTION_REQUIRED:
	case EV_ACTION_RESOLVED:
		put_action(r, w, ev->action_id);
		break;
	case EV_RUNTIME_WARNING:
		if (((const struct ev_runtime_warning *)ev->payload)->has_clock_offset_ms)
			put_moved(r, w);
		break;
	case EV_MODEL_REQUESTED:
		put_input(r, w, ev);
		break;
	case EV_REASONING_SUMMARY:
		put_virtual(r, ev, "text", "reasoning_text", ev->step_id, from_of(w, ev), NULL);
		break;
	case EV_TURN_COMPLETED:
		put_virtual(r, ev, "lastMessage", "message_text",
		            ((const struct ev_turn_completed *)ev->payload)->step_id,
		            from_of(w, ev), NULL);
		break;
	case EV_SNAPSHOT_UPDATED:
		put_virtual(r, ev, "snapshot", "snapshot", STR_NONE, 1, NULL);
		break;
	case EV_OUTPUT_SPILLED:
		if (ev->output) {
			struct index_row *row = put_row(r, INDEX_OUTPUT, ev->output_ref);

			row->status = STR("spilled");
			row->at = ev->timestamp;
			row->body = rec_text(r->mem, &rec_output_desc, ev->output);
		}
		break;
	/*
	 * The row replaces that of the output: the ref stays known, with a status that explains why
	 * it cannot be read.
	 */
	case EV_OUTPUT_EXPIRED: {
		struct index_row *row = put_row(r, INDEX_OUTPUT, ev->output_ref);

		row->status = STR("expired");
		row->at = ev->timestamp;
		break;
	}
	default:
		break;
	}
	count_event(r, w, ev);
	if (w->s->placement && moves_place(ev))
		put_places(r, w);
	put_usage(r, w, ev);
	put_limit(r, ev);
	put_trial(r, w, ev);
	if (ev->job_item) {
		struct index_row *row = put_row(r, INDEX_ITEM, ev->job_item_id);

		row->status = job_item_status_word(ev->job_item->status);
		row->parent = arena_keep(r->mem, ev->job_id);
		row->at = ev->job_item->index;
		row->open = ev->type == EV_JOB_ITEM_STARTED;
		row->body = rec_text(r->mem, &rec_job_item_desc, ev->job_item);
	}
	if (str_starts(event_type_word(ev->type), STR("job.")))
		put_job(r, w, ev->job_id);
	if (changes_offers(ev->type))
		put_offers(r, w, ev);
	/* Every task event except those per model request changes the row. */
	if (ev->type != EV_TASK_CREATED && str_is(ev->task_id) &&
	    str_starts(event_type_word(ev->type), STR("task.")))
		put_task(r, w, ev->task_id);
	/* A dependency belongs to both of its tasks. */
	if (ev->type == EV_TASK_DEPENDENCY_UPDATED) {
		const struct ev_task_dependency_updated *p = ev->payload;

		if (str_is(p->to_task_id))
			put_task(r, w, p->to_task_id);
	}
}

/*
 * The timer row is what a start reads to know when each session has something to do.  Without a
 * deadline the row is removed, and the session is not loaded for time.
 */
void index_state(struct rows *r, const struct state *w, const struct leases *l)
{
	const struct st_session *s = w->s;
	struct index_row *row;
	int64_t due = step_deadline(w, l);
	struct buf out = { 0 };
	struct json_writer jw;
	const struct st_thread *main = state_main_thread(w);

	if (!str_is(s->session_id))
		return;
	row = put_row(r, INDEX_SESSION, s->session_id);
	row->status = main ? thread_status_word(view_thread_status(main)) : STR_NONE;
	row->parent = arena_keep(r->mem, s->workspace_id);
	row->at = s->updated_at;
	row->open = state_is_open(w);
	jw_init(&jw, &out);
	view_session_row(&jw, w);
	row->body = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
	row = put_row(r, INDEX_TIMER, s->session_id);
	row->remove = due == 0;
	row->at = due;
}

/*
 * Runs of a task: start, pause, resume, cancel, retry.
 * spec: contracts/agent-task#control-plane; GAP-33, GAP-65, GAP-68
 */
#include "core/task/task.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "core/gen/tables.h"
#include "core/session/trace.h"
#include "core/turn/queue.h"
#include "core/task/task_bounds.h"
#include "core/task/task_peer.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

/* ---- launching ---- */

static const struct st_thread *thread_of(const struct decision *d, const struct st_task *t)
{
	return state_thread(d->w, t->record->thread_id);
}

/*
 * Turns count, not tasks: a task that waits for a person holds its slot, because its turn is
 * active.
 */
int64_t task_run_count_under_way(const struct state *w)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *t = state_thread_active(w->s->threads.items[i]);

		count += t && t->kind == TURN_KIND_TASK;
	}
	return count;
}

/* Queued turns of people go first, so a task does not start on a thread with a queue. */
bool task_run_has_thread(const struct decision *d, const struct st_task *t)
{
	const struct st_thread *th = thread_of(d, t);

	return th && !str_is(th->active_turn_id) && !th->order.count;
}

/*
 * Checked from the narrowest limit to the widest.  The ledger view is a copy of shared counts, and
 * others_first says that sessions wait which came before this one.
 */
struct str task_run_lacks_room(const struct decision *d)
{
	const struct settings_tasks *max = &d->settings->tasks;
	const struct ledger_view *now = d->ledger_view;

	if (task_run_count_under_way(d->w) >= (max->session ? max->session : LIMIT_PARALLEL_TASKS))
		return STR("concurrency");
	if (now && max->tenant && now->tenant_tasks >= max->tenant)
		return STR("tenant_concurrency");
	if (now && ((max->runtime && now->tasks >= max->runtime) || now->others_first))
		return STR("runtime_concurrency");
	return STR_NONE;
}

/*
 * The agent's input: the one given for this task, or its objective.  A retry repeats the input of
 * the task; the blob is named again, so that it lives as long as the newest event that refers to
 * it.
 */
static void take_input(struct decision *d, const struct task_launch *l, struct ev_turn_submitted *p)
{
	const struct st_task *t = l->task;

	if (l->input) {
		p->input_ref = decision_new_blob(d, STR("application/json"), l->input->parts);
	} else if (str_is(t->input_ref)) {
		p->input_ref = t->input_ref;
		decision_name_blob(d, t->input_ref);
		p->input.items = BORROWED(struct rec_input_part *, t->input);
		p->input.count = t->input.count;
		return;
	} else {
		struct buf out = { 0 };
		struct json_writer w;

		jw_init(&w, &out);
		jw_arr(&w);
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("text"));
		JW_KSTR(&w, "text", t->record->objective);
		jw_obj_end(&w);
		jw_arr_end(&w);
		p->input_ref = decision_new_blob(d, STR("application/json"), buf_str(&out));
		buf_done(&out);
	}
	struct str text = l->input ? l->input->text : t->record->objective;
	struct rec_input_part *part = rec_list_add(d->mem, &p->input, &rec_input_part_desc);

	*part = (struct rec_input_part){ .type = STR("text"),
		                         .preview = utf8_preview(d->mem, text, LIMIT_PREVIEW),
		                         .bytes = (int64_t)text.len };
}

/* Limits of the task that apply to its turn.  The turn may spend what the task has left. */
static struct rec_turn_options *options_of(struct decision *d, const struct st_task *t)
{
	const struct rec_constraints *c = t->record->constraints;

	if (!c || !c->has_cost_usd)
		return NULL;
	return KEPT(d, struct rec_turn_options, .has_budget_usd = true,
	            .budget_usd = MAX(c->cost_usd - t->spent_usd, 0));
}

/*
 * A turn of a task has no second task and starts at once (GAP-31); the caller has checked thread
 * and slots.
 */
static void submit_task_turn(struct decision *d, const struct task_launch *l, struct task_ids *ids)
{
	const struct st_task *t = l->task;
	struct ev_turn_submitted p = {
		.status = STATUS_ACCEPTED,
		.source = STR("task"),
		.kind = TURN_KIND_TASK,
		.delivery = DELIVERY_QUEUE,
		.config_ref = d->settings->config_ref,
		.rules_ref = d->settings->rules_ref,
		.options = options_of(d, t),
	};
	struct trace_start trace;
	struct event *ev;

	take_input(d, l, &p);
	trace_begin(d, ids->turn_id, &trace);
	p.trace = trace.origin;
	ev = task_name_in(decision_emit_event(d, EV_TURN_SUBMITTED, &p), t);
	ev->turn_id = ids->turn_id;
	ev->run_id = ids->run_id;
	ev->attempt_id = ids->attempt_id;
	ev->status = STATUS_ACCEPTED;
	ev->step_id = decision_new_id(d, "step");
	ev->item = turn_item(d, ev->step_id, ITEM_KIND_USER_MESSAGE, 1, STATUS_COMPLETED);
	ev->trace_id = trace.trace_id;
	ev->span_id = trace.span_id;
	decision_add_ref(d, ev, STR("input"), p.input_ref);
	decision_add_ref(d, ev, STR("config"), d->settings->config_ref);
}

/* The ids that a retry announced, or new ones. */
static struct task_ids ids_of(struct decision *d, const struct st_task *t)
{
	struct task_ids ids = { .run_id = t->next_run_id, .attempt_id = t->next_attempt_id };

	if (!str_is(ids.run_id)) {
		ids.run_id = decision_new_id(d, "run");
		ids.attempt_id = decision_new_id(d, "att");
	}
	return ids;
}

/*
 * Says what the task waits for; the input is stored with the first such event, because the command
 * is not available later.
 */
static void emit_queued(struct decision *d, const struct task_launch *l, struct str reason,
                        const struct list_str *blockers)
{
	const struct st_task *t = l->task;
	struct ev_task_queued p = { .reason = reason, .cause = l->cause };
	struct event *ev;

	if (t->record->status != TASK_STATUS_ACCEPTED)
		p.from = t->record->status;
	if (blockers)
		p.blocked_by = *blockers;
	if (l->input) {
		struct rec_input_part *part = rec_list_add(d->mem, &p.input, &rec_input_part_desc);

		p.input_ref = decision_new_blob(d, STR("application/json"), l->input->parts);
		*part = (struct rec_input_part){
			.type = STR("text"),
			.preview = utf8_preview(d->mem, l->input->text, LIMIT_PREVIEW),
			.bytes = (int64_t)l->input->text.len,
		};
	}
	ev = task_name_in(decision_emit_event(d, EV_TASK_QUEUED, &p), t);
	task_status(d, ev, t->record->task_id, TASK_STATUS_QUEUED);
	if (task_room_is_shared(reason))
		ev->status_reason = str_eq(reason, STR("tenant_concurrency"))
		                            ? STR("as many tasks of this tenant run as may")
		                            : STR("as many tasks of this runtime run as may");
	if (blockers)
		ev->status_reason =
			arena_printf(d->mem, "waits for %.*s", STR_ARG(blockers->items[0]));
	if (str_is(p.input_ref))
		decision_add_ref(d, ev, STR("input"), p.input_ref);
	ev->worker = l->worker ? rec_clone(d->mem, &rec_worker_desc, l->worker) : NULL;
}

/* Reported once: the reason is not repeated each time that the scheduler looks again. */
bool task_run_emit_lacks_room(struct decision *d, const struct st_task *t, struct str reason)
{
	if (task_room_is_shared(t->queued_reason))
		return false;
	emit_queued(d, &(struct task_launch){ .task = t }, reason, NULL);
	return true;
}

static void emit_wants_worker(struct decision *d, const struct task_launch *l)
{
	const struct st_task *t = l->task;
	struct rec_wait *wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_WORKER, .since = d->now,
	                             .deadline = STR("none"),
	                             .ended_by = STRINGS(d, STR("claim_task"), STR("cancel_task")));
	struct event *ev = task_name_in(
		EMIT(d, TASK_WAITING, task_waiting, .for_ = WAIT_FOR_WORKER, .wait = wait), t);

	task_status(d, ev, t->record->task_id, TASK_STATUS_WAITING_RESOURCE);
	ev->status_reason = STR("waits for an external worker to claim it");
	ev->worker = KEPT(d, struct rec_worker, .kind = WORKER_KIND_EXTERNAL);
}

static bool is_external(const struct task_launch *l)
{
	return l->worker ? l->worker->kind == WORKER_KIND_EXTERNAL : task_is_external(l->task);
}

static bool is_peer(const struct task_launch *l)
{
	const struct rec_worker *w = l->worker ? l->worker : l->task->worker;

	return w && w->kind == WORKER_KIND_PEER;
}

/*
 * The only way into a run, for commands, the scheduler and deadlines alike:
 *   open blockers      queued, or blocked if one of them cannot complete
 *   remote agent       runs at once; the adapter sends the work when that is durable
 *   external worker    waits for a claim, or runs if the command names the worker
 *   no thread or slot  queued
 *   otherwise          a turn is submitted
 */
enum task_status task_run_launch(struct decision *d, const struct task_launch *l,
                                 struct task_ids *ret)
{
	struct task_blockers b;
	struct str lacks;

	*ret = (struct task_ids){ 0 };
	task_graph_blockers(d, l->task, STR_NONE, &b);
	if (b.open.count) {
		emit_queued(d, l, STR("dependency"), &b.open);
		if (!str_is(b.bad))
			return TASK_STATUS_QUEUED;
		task_graph_emit_blocked(d, l->task, b.bad, b.bad_status);
		return TASK_STATUS_BLOCKED;
	}
	if (is_peer(l)) {
		if (task_peer_emit_denied(d, l))
			return TASK_STATUS_BLOCKED;
		*ret = ids_of(d, l->task);
		task_peer_emit_run(d, l, ret);
		return TASK_STATUS_RUNNING;
	}
	if (is_external(l)) {
		if (!l->worker || !str_is(l->worker->worker_id)) {
			emit_wants_worker(d, l);
			return TASK_STATUS_WAITING_RESOURCE;
		}
		*ret = ids_of(d, l->task);
		task_worker_emit_external_run(d, l->task, ret, l->worker->worker_id,
		                              LIMIT_LEASE_MS);
		return TASK_STATUS_RUNNING;
	}
	lacks = task_run_has_thread(d, l->task) ? task_run_lacks_room(d) : STR("thread_busy");
	if (str_is(lacks)) {
		emit_queued(d, l, lacks, NULL);
		return TASK_STATUS_QUEUED;
	}
	*ret = ids_of(d, l->task);
	ret->turn_id =
		str_is(l->task->next_turn_id) ? l->task->next_turn_id : decision_new_id(d, "turn");
	submit_task_turn(d, l, ret);
	return TASK_STATUS_PREPARING;
}

/* ---- start ---- */

static bool read_worker(struct decision *d, const struct rec_worker *w)
{
	if (!w || w->kind == WORKER_KIND_EXTERNAL || w->kind == WORKER_KIND_AGENT ||
	    w->kind == WORKER_KIND_IN_PROCESS || w->kind == WORKER_KIND_PEER)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "worker: agent, external or peer");
	return false;
}

/* The runtime cannot keep every promise for work outside of it. */
static bool check_outside(struct decision *d, const struct st_task *t, const struct rec_worker *w)
{
	if (!w || (w->kind != WORKER_KIND_EXTERNAL && w->kind != WORKER_KIND_PEER))
		return true;
	return task_bounds_check_worker(d, t, NULL) &&
	       (w->kind != WORKER_KIND_PEER || task_peer_check(d, t, w));
}

static bool read_given_input(struct decision *d, struct str json, struct turn_input *in,
                             struct task_launch *l)
{
	if (!str_is(json))
		return true;
	if (turn_input_read(d, json, in)) {
		l->input = in;
		return true;
	}
	decision_refuse(d, ERROR_CODE_INVALID_INPUT,
	                "input: text, or an array of {\"type\":\"text\",\"text\":…}, not empty");
	return false;
}

/*
 * Moves the task to another thread; false after refusing.  Changes the caller's copy of the task,
 * so that the launch in the same decision uses the new thread.
 */
static bool move_to_thread(struct decision *d, struct st_task *t, struct str thread_id)
{
	struct rec_task *moved;
	struct event *ev;

	if (!str_is(thread_id) || str_eq(thread_id, t->record->thread_id))
		return true;
	if (!state_thread(d->w, thread_id)) {
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		return false;
	}
	moved = rec_clone(d->mem, &rec_task_desc, t->record);
	moved->thread_id = thread_id;
	t->record = moved;
	ev = task_name_in(EMIT(d, TASK_UPDATED, task_updated,
	                       .changed = STRINGS(d, STR("threadId")),
	                       .updated_by = decision_actor(d)),
	                  t);
	ev->task = KEPT(d, struct rec_task, .task_id = t->record->task_id, .thread_id = thread_id);
	return true;
}

/*
 * Works on a copy of the folded task, because the events of this decision are not folded before it
 * launches.
 */
void decide_start_task(struct decision *d, const struct cmd_start_task *cmd)
{
	const struct st_task *found = task_open(d, cmd->task_id);
	struct task_launch l = { .worker = cmd->worker, .cause = STR("start_task") };
	struct turn_input in = { 0 };
	struct st_task t;
	struct task_ids ids;

	if (!found || !read_worker(d, cmd->worker) || !check_outside(d, found, cmd->worker) ||
	    !read_given_input(d, cmd->input, &in, &l))
		return;
	if (found->record->status == TASK_STATUS_CANCELLING) {
		decision_refuse(d, ERROR_CODE_CANCELLING, "%.*s is being cancelled",
		                STR_ARG(cmd->task_id));
		return;
	}
	if (found->implicit || found->record->status != TASK_STATUS_ACCEPTED) {
		decision_refuse(d, ERROR_CODE_NOT_READY, "%.*s was started and is %.*s",
		                STR_ARG(cmd->task_id),
		                STR_ARG(task_status_word(found->record->status)));
		return;
	}
	rec_keep(d->mem, &st_task_desc, &t, found);
	if (!move_to_thread(d, &t, cmd->thread_id))
		return;
	l.task = &t;
	struct reply_start_task r = { .task_id = cmd->task_id,
		                      .status = task_run_launch(d, &l, &ids) };

	r.run_id = ids.run_id;
	r.attempt_id = ids.attempt_id;
	r.turn_id = ids.turn_id;
	if (r.status == TASK_STATUS_RUNNING)
		r.lease_until = d->now + LIMIT_LEASE_MS;
	task_reply(d, &reply_start_task_desc, &r);
}

/* ---- pause and resume ---- */

struct event *task_run_emit_paused(struct decision *d, const struct st_task *t, struct str reason,
                                   const struct rec_actor *by)
{
	struct event *ev = task_name_in(
		EMIT(d, TASK_PAUSED, task_paused, .reason = reason,
	             .paused_by = by ? rec_clone(d->mem, &rec_actor_desc, by) : decision_actor(d)),
		t);

	task_status(d, ev, t->record->task_id, TASK_STATUS_PAUSED);
	return ev;
}

/* ---- propagation to tasks below ---- */

static bool reaches_children(enum propagation p)
{
	return p == PROPAGATION_CHILDREN || p == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* The runtime cannot pause or retry processes, so such a request is refused. */
static bool check_propagation(struct decision *d, enum propagation p)
{
	if (p != PROPAGATION_PROCESSES && p != PROPAGATION_CHILDREN_AND_PROCESSES)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "propagation: self or children");
	return false;
}

/* Tasks with a running turn are paused by the end of that turn (turn_end.c). */
static void pause_below(struct decision *d, struct str root, struct str reason)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		const struct st_thread *th;
		const struct st_turn *turn;

		if (t->implicit || !task_is_under(d->w, t->record, root) ||
		    !task_table_allows(EV_TASK_PAUSED, t->record->status))
			continue;
		turn = task_turn(d->w, t, &th);
		if (turn && turn->stage != TURN_STAGE_STOPPING)
			turn_emit_interrupt(d, th, turn, STR("pause_task"), QUEUE_POLICY_CONTINUE);
		else if (!turn)
			task_run_emit_paused(d, t, reason, NULL);
	}
}

/* The scheduler starts their runs one after the other, as slots become free. */
static void resume_below(struct decision *d, struct str root)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		struct event *ev;

		if (t->record->status != TASK_STATUS_PAUSED ||
		    !task_is_under(d->w, t->record, root))
			continue;
		ev = task_name_in(EMIT(d, TASK_RESUMED, task_resumed, .from = TASK_STATUS_PAUSED,
		                       .cause = KEPT(d, struct rec_resume_cause,
		                                     .command = STR("resume_task"))),
		                  t);
		task_status(d, ev, t->record->task_id,
		            task_run(t) ? TASK_STATUS_RUNNING
		            : t->wanted ? TASK_STATUS_QUEUED
		                        : TASK_STATUS_ACCEPTED);
	}
}

static void retry_below(struct decision *d, struct str root, struct str reason)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];

		if (t->implicit || !task_is_under(d->w, t->record, root) ||
		    !task_table_status_is_end(t->record->status) ||
		    !task_table_allows(EV_TASK_RETRYING, t->record->status) ||
		    task_turn(d->w, t, NULL))
			continue;
		/* A moment later, so that the scheduler starts it when a slot is free. */
		task_run_emit_retrying(d, t, reason, ATTEMPT_CAUSE_RETRY_TASK, d->now + 1);
	}
}

/*
 * A turn cannot be suspended: it is stopped, and resume_task starts another run.  The reply has the
 * present status then.
 */
void decide_pause_task(struct decision *d, const struct cmd_pause_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	const struct st_thread *th;
	const struct st_turn *turn;
	struct reply_pause_task r = { .task_id = cmd->task_id };

	if (!t || !check_propagation(d, cmd->propagation))
		return;
	if (t->record->status == TASK_STATUS_CANCELLING) {
		decision_refuse(d, ERROR_CODE_CANCELLING, "%.*s is being cancelled",
		                STR_ARG(cmd->task_id));
		return;
	}
	if (t->implicit) {
		decision_refuse(d, ERROR_CODE_NOT_RESUMABLE,
		                "%.*s lives with its turn; interrupt_turn stops that",
		                STR_ARG(cmd->task_id));
		return;
	}
	r.status = t->record->status;
	turn = task_turn(d->w, t, &th);
	if (turn && turn->stage != TURN_STAGE_STOPPING) {
		turn_emit_interrupt(d, th, turn, STR("pause_task"), QUEUE_POLICY_CONTINUE);
	} else if (!turn && r.status != TASK_STATUS_PAUSED) {
		task_run_emit_paused(d, t, str_is(cmd->reason) ? cmd->reason : STR("pause_task"),
		                     NULL);
		r.status = TASK_STATUS_PAUSED;
	}
	if (reaches_children(cmd->propagation))
		pause_below(d, cmd->task_id, str_is(cmd->reason) ? cmd->reason : STR("pause_task"));
	task_reply(d, &reply_pause_task_desc, &r);
}

/*
 * An external run stays open while its task is paused, so the task returns to running; otherwise it
 * is launched like a new one.
 */
void decide_resume_task(struct decision *d, const struct cmd_resume_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	struct reply_resume_task r = { .task_id = cmd->task_id };
	const struct rec_task_attempt *a;
	struct task_ids ids = { 0 };
	struct event *ev;

	if (!t || !check_propagation(d, cmd->propagation))
		return;
	if (t->record->status != TASK_STATUS_PAUSED) {
		decision_refuse(d, ERROR_CODE_NOT_RESUMABLE, "%.*s is %.*s, not paused",
		                STR_ARG(cmd->task_id),
		                STR_ARG(task_status_word(t->record->status)));
		return;
	}
	a = task_run(t);
	r.status = a ? TASK_STATUS_RUNNING : t->wanted ? TASK_STATUS_QUEUED : TASK_STATUS_ACCEPTED;
	ev = task_name_in(
		EMIT(d, TASK_RESUMED, task_resumed, .from = TASK_STATUS_PAUSED,
	             .cause = KEPT(d, struct rec_resume_cause, .command = STR("resume_task"))),
		t);
	task_status(d, ev, t->record->task_id, r.status);
	r.run_id = a ? a->run_id : STR_NONE;
	if (r.status == TASK_STATUS_QUEUED) {
		struct task_launch l = { .task = t, .cause = STR("resume_task") };

		r.status = task_run_launch(d, &l, &ids);
		r.run_id = ids.run_id;
	}
	if (reaches_children(cmd->propagation))
		resume_below(d, cmd->task_id);
	task_reply(d, &reply_resume_task_desc, &r);
}

/* ---- cancel ---- */

static void emit_intent(struct decision *d, const struct st_task *t, struct str reason,
                        enum propagation propagation)
{
	struct event *ev =
		task_name_in(EMIT(d, TASK_CANCEL_REQUESTED, task_cancel_requested, .reason = reason,
	                          .requested_by = decision_actor(d), .propagation = propagation),
	                     t);

	task_status(d, ev, t->record->task_id, TASK_STATUS_CANCELLING);
}

static bool spreads(enum propagation p)
{
	return p == PROPAGATION_CHILDREN || p == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* The implicit task is cancelled with its turn. */
static void cancel_implicit(struct decision *d, const struct st_task *t, struct str reason)
{
	const struct st_thread *th;
	const struct st_turn *turn = state_turn(d->w, t->record->turn_id, &th);

	if (!turn || turn_is_over(turn) || turn->stage == TURN_STAGE_STOPPING)
		return;
	if (turn->stage == TURN_STAGE_QUEUED)
		queue_drop(d, th, turn, reason);
	else
		turn_emit_interrupt(d, th, turn, reason, queue_rules(d, th)->on_interrupt);
}

/*
 * Two passes: in the log, the intents of the whole tree precede the stops.  Turns of these tasks
 * then end as cancelled, not as paused (stop_task_turn()).
 */
void task_run_cancel_tree(struct decision *d, const struct st_task *top, struct str reason,
                          enum propagation p)
{
	const struct st_session *s = d->w->s;

	emit_intent(d, top, reason, p);
	for (uint32_t i = 0; i < s->tasks.count && spreads(p); i++) {
		const struct st_task *t = s->tasks.items[i];

		if (!t->implicit && task_is_under(d->w, t->record, top->record->task_id) &&
		    task_table_allows(EV_TASK_CANCEL_REQUESTED, t->record->status))
			emit_intent(d, t, STR("parent"), p);
	}
	for (uint32_t i = 0; i < s->tasks.count; i++) {
		const struct st_task *t = s->tasks.items[i];
		const struct st_thread *th;
		const struct st_turn *turn = task_turn(d->w, t, &th);

		if (t != top &&
		    !(spreads(p) && task_is_under(d->w, t->record, top->record->task_id)))
			continue;
		if (t->implicit)
			cancel_implicit(d, t, STR("parent"));
		else if (turn && turn->stage != TURN_STAGE_STOPPING)
			turn_emit_interrupt(d, th, turn, STR("cancel_task"), QUEUE_POLICY_CONTINUE);
	}
}

/* Idempotent while the cancellation is under way. */
void decide_cancel_task(struct decision *d, const struct cmd_cancel_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	struct str reason = str_is(cmd->reason) ? cmd->reason : STR("cancel_task");
	struct reply_cancel_task r = { .task_id = cmd->task_id, .status = TASK_STATUS_CANCELLING };

	if (!t)
		return;
	if (t->implicit)
		cancel_implicit(d, t, reason);
	else if (t->record->status != TASK_STATUS_CANCELLING)
		task_run_cancel_tree(d, t, reason,
		                     cmd->propagation ? cmd->propagation
		                                      : PROPAGATION_CHILDREN_AND_PROCESSES);
	task_reply(d, &reply_cancel_task_desc, &r);
}

/* ---- retry ---- */

/*
 * The ids of the next run are fixed here, so that the reply and the events of the run agree, also
 * when the run starts much later.
 */
struct task_ids task_run_emit_retrying(struct decision *d, const struct st_task *t,
                                       struct str reason, enum attempt_cause cause, int64_t until)
{
	struct task_ids ids = { .run_id = decision_new_id(d, "run"),
		                .attempt_id = decision_new_id(d, "att") };
	struct rec_actor *by = decision_actor(d);
	struct event *ev;

	if (d->call)
		by->command = command_classes[d->call->command].name;
	else
		by->policy = STR("retry_policy");
	ev = task_name_in(EMIT(d, TASK_RETRYING, task_retrying, .reason = reason,
	                       .previous_run_id = t->record->current_run_id, .attempt = t->runs + 1,
	                       .requested_by = by, .cause = cause, .until = until,
	                       .inherits = STRINGS(d, STR("constraints"), STR("acceptance")),
	                       .recalled = task_recalled(d, t)),
	                  t);
	ev->run_id = ids.run_id;
	ev->attempt_id = ids.attempt_id;
	task_status(d, ev, t->record->task_id, TASK_STATUS_RETRYING);
	return ids;
}

static bool may_retry(struct decision *d, const struct st_task *t)
{
	if (task_run(t) || !task_table_allows(EV_TASK_RETRYING, t->record->status)) {
		decision_refuse(d, ERROR_CODE_NOT_RETRYABLE, "%.*s is %.*s",
		                STR_ARG(t->record->task_id),
		                STR_ARG(task_status_word(t->record->status)));
		return false;
	}
	const struct st_task *cancelled = task_cancelled_above(d, t);

	if (cancelled) {
		decision_refuse(d, ERROR_CODE_CANCELLING, "%.*s above it was cancelled",
		                STR_ARG(cancelled->record->task_id));
		return false;
	}
	if (t->runs >= LIMIT_ATTEMPTS_PER_TASK) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "%lld attempts are enough",
		                (long long)t->runs);
		return false;
	}
	return true;
}

/*
 * Two ways: a run lost by a crash continues in its turn, anything else gets a new turn.  For the
 * second, the launch needs the task as it will be after task.retrying, so a copy is changed
 * accordingly.
 */
void decide_retry_task(struct decision *d, const struct cmd_retry_task *cmd)
{
	const struct st_task *found = task_named(d, cmd->task_id);
	struct task_launch l = { .worker = cmd->worker, .cause = STR("retry_task") };
	struct reply_retry_task r = { .task_id = cmd->task_id };
	struct turn_input in = { 0 };
	struct task_ids ids, promised;
	const struct st_thread *th;
	const struct st_turn *turn;
	struct rec_task *again;
	struct st_task t;

	/* Without a worker the run goes to the one before, with what the caller says. */
	if (!found || !read_worker(d, cmd->worker) ||
	    !check_outside(d, found, cmd->worker ? cmd->worker : found->worker) ||
	    !check_propagation(d, cmd->propagation) || !read_given_input(d, cmd->input, &in, &l) ||
	    !may_retry(d, found))
		return;
	turn = task_turn(d->w, found, &th);
	if (found->implicit && !(turn && turn->stage == TURN_STAGE_LOST)) {
		decision_refuse(d, ERROR_CODE_NOT_RETRYABLE,
		                "%.*s lived with its turn; submit_turn tries again",
		                STR_ARG(cmd->task_id));
		return;
	}
	if (turn && turn->stage == TURN_STAGE_LOST) {
		/* After a crash: another run of the same turn. */
		turn_emit_resume(d, th, turn, STR("retry_task"));
		r.run_id = d->events[0]->run_id;
		r.attempt_id = d->events[0]->attempt_id;
		r.turn_id = turn->turn_id;
		r.status = TASK_STATUS_RETRYING;
		task_reply(d, &reply_retry_task_desc, &r);
		return;
	}
	promised = task_run_emit_retrying(d, found, cmd->reason, ATTEMPT_CAUSE_RETRY_TASK, 0);
	rec_keep(d->mem, &st_task_desc, &t, found);
	again = rec_clone(d->mem, &rec_task_desc, found->record);
	again->status = TASK_STATUS_RETRYING;
	t.record = again;
	t.next_run_id = promised.run_id;
	t.next_attempt_id = promised.attempt_id;
	l.task = &t;
	r.status = task_run_launch(d, &l, &ids);
	r.run_id = promised.run_id;
	r.attempt_id = promised.attempt_id;
	r.turn_id = ids.turn_id;
	if (str_is(ids.turn_id)) {
		/* It starts at once, on a new turn. */
		d->events[0]->turn_id = ids.turn_id;
		d->events[0]->task->current_run_id = promised.run_id;
	}
	if (reaches_children(cmd->propagation))
		retry_below(d, cmd->task_id, cmd->reason);
	task_reply(d, &reply_retry_task_desc, &r);
}

/*
 * Commands that create and change a task: create, update, report progress,
 * archive.  Runs are in task_run.c, ends in task_end.c.
 * spec: contracts/agent-task#control-plane
 */
#include "core/task/task.h"
#include "core/channel/channel.h"
#include "core/gen/tables.h"
#include "core/session/labels.h"
#include "core/session/session.h"
#include "core/task/task_bounds.h"
#include "core/task/task_peer.h"
#include "core/turn/turn.h"
#include "base/utf8.h"

static bool is_priority(struct str word)
{
	return str_eq(word, STR("low")) || str_eq(word, STR("normal")) ||
	       str_eq(word, STR("high")) || str_eq(word, STR("urgent"));
}

static bool check_priority(struct decision *d, struct str word)
{
	if (!str_is(word) || is_priority(word))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "priority: low, normal, high or urgent");
	return false;
}

/* Each criterion has a unique name. */
static bool check_criteria(struct decision *d, struct rec_criterion *const *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < i; n++)
			if (str_eq(items[i]->id, items[n]->id)) {
				decision_refuse(d, ERROR_CODE_INVALID_VALUE,
				                "acceptance: %.*s is given twice",
				                STR_ARG(items[i]->id));
				return false;
			}
	return true;
}

static bool check_policy(struct decision *d, const struct rec_retry_policy *p)
{
	if (!p || (p->max_attempts >= 1 && p->max_attempts <= LIMIT_ATTEMPTS_PER_TASK &&
	           (!p->has_backoff_ms ||
	            (p->backoff_ms >= 0 && p->backoff_ms <= LIMIT_BACKOFF_MAX_MS)) &&
	           (!p->has_timeout_ms || p->timeout_ms > 0)))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "retryPolicy: 1 to %d attempts, backoffMs up to %d, timeoutMs above 0",
	                LIMIT_ATTEMPTS_PER_TASK, LIMIT_BACKOFF_MAX_MS);
	return false;
}

/* Events carry the record: one that is too large is refused before anything is written. */
static bool check_size(struct decision *d, const struct rec_task *r)
{
	size_t bytes = rec_text(d->mem, &rec_task_desc, r).len;

	if (bytes <= LIMIT_TASK_RECORD_BYTES)
		return true;
	decision_refuse(d, ERROR_CODE_TOO_LARGE, "the task takes %zu bytes of %d", bytes,
	                LIMIT_TASK_RECORD_BYTES);
	return false;
}

/* A parent must be open and not cancelling (TSK-23). */
static const struct st_task *parent_of(struct decision *d, struct str parent_id)
{
	const struct st_task *p = task_named(d, parent_id);
	const struct st_task *up = p;
	int depth = 1;

	if (!p)
		return NULL;
	if (p->cancelled) {
		decision_refuse(d, ERROR_CODE_CANCELLING,
		                "%.*s was cancelled and accepts no new work", STR_ARG(parent_id));
		return NULL;
	}
	if (task_table_status_is_end(p->record->status)) {
		task_refuse_ended(d, p);
		return NULL;
	}
	while (up && str_is(up->record->parent_task_id)) {
		up = state_task(d->w, up->record->parent_task_id);
		depth++;
	}
	if (depth >= LIMIT_TASK_DEPTH) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "tasks go %d levels deep",
		                LIMIT_TASK_DEPTH);
		return NULL;
	}
	return p;
}

/* Implicit tasks count too: each open turn holds one. */
static bool has_room(struct decision *d)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++)
		open += !task_table_status_is_end(d->w->s->tasks.items[i]->record->status);
	if (open < LIMIT_OPEN_TASKS_PER_SESSION)
		return true;
	decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "%u tasks of this session have not ended",
	                open);
	return false;
}

static struct str title_of(struct decision *d, struct str objective)
{
	struct str first = str_trim(objective);
	ptrdiff_t end = str_find_char(first, '\n');

	if (end > 0)
		first = str_head(first, (size_t)end);
	return utf8_preview(d->mem, first, 80);
}

/*
 * The thread is the task's place for its turns; the root groups a tree for lists and for fair
 * scheduling.
 */
static struct rec_task *record_of(struct decision *d, const struct cmd_create_task *cmd,
                                  const struct st_task *parent, struct str thread_id)
{
	struct rec_task *r = ARENA_NEW(d->mem, struct rec_task);

	*r = (struct rec_task){
		.task_id = str_is(cmd->task_id) ? cmd->task_id : decision_new_id(d, "task"),
		.session_id = d->session_id,
		.thread_id = thread_id,
		.title = str_is(cmd->title) ? cmd->title : title_of(d, cmd->objective),
		.objective = cmd->objective,
		.task_kind = str_is(cmd->task_kind) ? cmd->task_kind : STR("task"),
		.task_family = str_is(cmd->task_family) ? cmd->task_family : STR("task"),
		.visibility = cmd->visibility ? cmd->visibility : VISIBILITY_FOREGROUND,
		.status = TASK_STATUS_DRAFT,
		.priority = str_is(cmd->priority) ? cmd->priority : STR("normal"),
		.requested_by = decision_actor(d),
		.owner = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME,
		              .runtime_id = d->settings->runtime_id),
		.assignee = cmd->assignee,
		.scope = cmd->scope,
		.constraints = cmd->constraints,
		.task_profile = cmd->task_profile,
		.created_at = d->now,
		.metadata = cmd->metadata,
	};
	if (!labels_take(d, &cmd->labels, &r->labels))
		return NULL;
	if (r->task_profile) {
		r->task_profile = rec_clone(d->mem, &rec_task_profile_desc, r->task_profile);
		r->task_profile->settings_source = STR("task");
	}
	r->root_task_id = r->task_id;
	if (parent) {
		r->parent_task_id = parent->record->task_id;
		r->root_task_id = parent->record->root_task_id;
	}
	r->acceptance.items =
		ARENA_ARRAY(d->mem, struct rec_criterion *, cmd->acceptance.count + 1);
	r->acceptance.count = cmd->acceptance.count;
	for (uint32_t i = 0; i < cmd->acceptance.count; i++)
		r->acceptance.items[i] = cmd->acceptance.items[i];
	return r;
}

static struct rec_task_acceptance *acceptance_of(struct decision *d, const struct rec_task *r,
                                                 int64_t covered)
{
	struct rec_task_acceptance *a = ARENA_NEW(d->mem, struct rec_task_acceptance);

	a->criteria.items = r->acceptance.items;
	a->criteria.count = r->acceptance.count;
	a->covered = covered;
	return a;
}

/*
 * task.created and task.accepted are one commit: the runtime accepts every task that passes its
 * checks.  An edge to the parent follows, so that the graph is complete in events (GAP-65).
 */
static void emit_created(struct decision *d, const struct cmd_create_task *cmd, struct rec_task *r)
{
	struct event *ev =
		EMIT(d, TASK_CREATED, task_created,
	             .objective = utf8_preview(d->mem, r->objective, LIMIT_PREVIEW),
	             .idempotency_key = cmd->idempotency_key, .parent_task_id = r->parent_task_id,
	             .retry_policy = cmd->retry_policy);

	ev->thread_id = r->thread_id;
	ev->task_id = r->task_id;
	ev->status = STATUS_DRAFT;
	ev->task = r;
	ev->task_acceptance = acceptance_of(d, r, 0);
	ev = EMIT(d, TASK_ACCEPTED, task_accepted, .accepted_by = STR("runtime"));
	ev->thread_id = r->thread_id;
	ev->task_id = r->task_id;
	task_status(d, ev, r->task_id, TASK_STATUS_ACCEPTED);
	if (str_is(r->parent_task_id))
		task_graph_emit_edge(d, &(struct edge){ .thread_id = r->thread_id,
		                                        .from = r->task_id,
		                                        .to = r->parent_task_id,
		                                        .kind = EDGE_KIND_PARENT,
		                                        .change = EDGE_CHANGE_LINKED });
}

/* The task's thread: an existing one, or one that this command creates. */
static bool find_thread(struct decision *d, const struct cmd_create_task *cmd, struct str *ret)
{
	const struct st_thread *th = NULL;

	if (session_exists(d->w))
		th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id)
		                            : state_main_thread(d->w);
	*ret = th ? th->thread_id : STR_NONE;
	if (th)
		return true;
	if (cmd->create == CREATE_POLICY_NEVER) {
		bool has_session = session_exists(d->w);

		decision_refuse(
			d, has_session ? ERROR_CODE_THREAD_NOT_FOUND : ERROR_CODE_SESSION_NOT_FOUND,
			"there is no such %s, and create is never",
			has_session ? "thread" : "session");
		return false;
	}
	return true;
}

/*
 * All checks precede the first event except that of the size, which needs the record with its final
 * ids; a refusal there drops the events of session and thread again.
 */
void decide_create_task(struct decision *d, const struct cmd_create_task *cmd)
{
	const struct st_task *parent = NULL;
	struct str thread_id;
	struct rec_task *r;

	if (!str_trim(cmd->objective).len) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "objective: not empty");
		return;
	}
	struct list_str labels; /* checked before the first event is emitted */

	if (!check_priority(d, cmd->priority) || !check_policy(d, cmd->retry_policy) ||
	    !labels_take(d, &cmd->labels, &labels) || !task_bounds_check(d, cmd->constraints) ||
	    !check_criteria(d, cmd->acceptance.items, cmd->acceptance.count) ||
	    !find_thread(d, cmd, &thread_id) ||
	    !task_bounds_check_scope(d, cmd->scope, thread_id) || !has_room(d))
		return;
	if (str_is(cmd->parent_task_id)) {
		parent = parent_of(d, cmd->parent_task_id);
		if (!parent)
			return;
	}
	bool is_new_session = !session_exists(d->w);

	if (is_new_session)
		session_emit(d, &(struct session_birth){
					.title = str_is(cmd->title) ? cmd->title
		                                                    : title_of(d, cmd->objective),
					.cwd = cmd->cwd });
	if (!str_is(thread_id))
		thread_id = session_emit_thread(d, cmd->thread_id,
		                                is_new_session ? STR("session.created")
		                                               : STR("create_task"));
	if (is_new_session)
		channel_bind(d);
	r = record_of(d, cmd, parent, thread_id);
	if (!r || !check_size(d, r))
		return;
	emit_created(d, cmd, r);
	struct reply_create_task reply = { .session_id = d->session_id,
		                           .thread_id = thread_id,
		                           .task_id = r->task_id,
		                           .status = TASK_STATUS_ACCEPTED };

	if (cmd->start) {
		struct event *ev = EMIT(d, TASK_QUEUED, task_queued, .reason = STR("ready"),
		                        .cause = STR("create_task"));

		ev->thread_id = thread_id;
		ev->task_id = r->task_id;
		task_status(d, ev, r->task_id, TASK_STATUS_QUEUED);
		reply.status = TASK_STATUS_QUEUED;
	}
	task_reply(d, &reply_create_task_desc, &reply);
}

/*
 * spec: TSK-31 — work that continues in the background is a full task.  The ids of the first turn
 * and run are announced in task.queued, so that submit_turn can return them before the task has
 * started.  Model and budget of the command become constraints of the task, which apply to all of
 * its turns.
 */
/* What the submitter demands of the model; its runs read it from the task. */
static struct rec_task_profile *background_profile(struct decision *d,
                                                   const struct cmd_submit_turn *c, struct str kind)
{
	if (!c->fallback && !c->latency)
		return NULL;
	return KEPT(d, struct rec_task_profile, .kind = kind, .source = STR("user"),
	            .latency_target = c->latency ? c->latency : LATENCY_TARGET_INTERACTIVE,
	            .budget_class = c->has_budget_usd ? BUDGET_CLASS_FIXED : BUDGET_CLASS_UNKNOWN,
	            .fallback_policy =
	                    c->fallback ? c->fallback : d->settings->config->routing_fallback);
}

struct rec_task *task_decide_background(struct decision *d, const struct task_background *b,
                                        struct task_ids *ret)
{
	const struct cmd_submit_turn *c = b->cmd;
	struct cmd_create_task make = {
		.objective = utf8_preview(d->mem, b->input->text, LIMIT_PREVIEW),
		.title = c->title,
		.task_kind = str_is(c->task_kind) ? c->task_kind : STR("background_job"),
		.task_family = STR("turn"),
		.visibility = VISIBILITY_BACKGROUND,
		.metadata = c->metadata,
	};
	struct ev_task_queued q = { .reason = STR("ready"),
		                    .cause = STR("submit_turn"),
		                    .next_turn_id = b->turn_id };
	struct rec_input_part *part = rec_list_add(d->mem, &q.input, &rec_input_part_desc);
	struct rec_task *r;
	struct event *ev;

	if (!has_room(d))
		return NULL;
	make.task_profile = background_profile(d, c, make.task_kind);
	if (str_is(c->model) || c->has_budget_usd)
		make.constraints =
			KEPT(d, struct rec_constraints, .cost_usd = c->budget_usd,
		             .has_cost_usd = c->has_budget_usd,
		             .models = str_is(c->model) ? STRINGS(d, c->model) : NO_STRINGS);
	r = record_of(d, &make, NULL, b->thread_id);
	emit_created(d, &make, r);
	*ret = (struct task_ids){ .turn_id = b->turn_id,
		                  .run_id = decision_new_id(d, "run"),
		                  .attempt_id = decision_new_id(d, "att") };
	q.input_ref = decision_new_blob(d, STR("application/json"), b->input->parts);
	*part = (struct rec_input_part){ .type = STR("text"),
		                         .preview = make.objective,
		                         .bytes = (int64_t)b->input->text.len };
	ev = decision_emit_event(d, EV_TASK_QUEUED, &q);
	ev->thread_id = b->thread_id;
	ev->task_id = r->task_id;
	ev->run_id = ret->run_id;
	ev->attempt_id = ret->attempt_id;
	task_status(d, ev, r->task_id, TASK_STATUS_QUEUED);
	decision_add_ref(d, ev, STR("input"), q.input_ref);
	return r;
}

static void add_changed(struct decision *d, struct ev_task_updated *p, const char *name)
{
	rec_list_str_add(d->mem, &p->changed, str_from(name));
}

/*
 * The companion record of task.updated holds only what changes; an absent member leaves the value
 * alone (GAP-46).
 */
static struct rec_task *changes_of(struct decision *d, const struct cmd_update_task *cmd,
                                   struct ev_task_updated *p)
{
	struct rec_task *r = KEPT(d, struct rec_task, .task_id = cmd->task_id, .title = cmd->title,
	                          .objective = cmd->objective, .priority = cmd->priority,
	                          .assignee = cmd->assignee, .visibility = cmd->visibility,
	                          .constraints = cmd->constraints, .metadata = cmd->metadata);

	if (str_is(cmd->title))
		add_changed(d, p, "title");
	if (str_is(cmd->objective))
		add_changed(d, p, "objective");
	if (str_is(cmd->priority))
		add_changed(d, p, "priority");
	if (cmd->assignee)
		add_changed(d, p, "assignee");
	if (cmd->visibility)
		add_changed(d, p, "visibility");
	if (cmd->constraints)
		add_changed(d, p, "constraints");
	/* An empty list is a change, too: it removes all criteria. */
	if (cmd->acceptance.items) {
		add_changed(d, p, "acceptance");
		r->acceptance.items = cmd->acceptance.items;
		r->acceptance.count = cmd->acceptance.count;
	}
	if (str_is(cmd->metadata))
		add_changed(d, p, "metadata");
	return r;
}

/*
 * A version is the sequence of the last event that changed the task.  A client that has read a
 * later sequence has seen that change.
 */
static bool is_version(struct decision *d, const struct st_task *t, bool has, int64_t expected)
{
	if (!has || expected >= t->changed_sequence)
		return true;
	decision_refuse(d, ERROR_CODE_VERSION_MISMATCH, "%.*s was changed by event %lld",
	                STR_ARG(t->record->task_id), (long long)t->changed_sequence);
	d->extra = arena_printf(d->mem, "{\"version\":%lld}", (long long)t->changed_sequence);
	return false;
}

/*
 * The size is checked on the merged record, because that is what later events and the state carry.
 */
void decide_update_task(struct decision *d, const struct cmd_update_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	struct ev_task_updated p = { .updated_by = decision_actor(d) };
	struct rec_task *r, whole;
	struct event *ev;

	if (!t || !is_version(d, t, cmd->has_expected_version, cmd->expected_version) ||
	    !check_priority(d, cmd->priority) || !task_bounds_check(d, cmd->constraints) ||
	    (cmd->constraints && task_is_external(t) &&
	     !task_bounds_check_worker(d, t, cmd->constraints)) ||
	    !check_criteria(d, cmd->acceptance.items, cmd->acceptance.count))
		return;
	/* A remote agent gets the objective: who changes it sends it. */
	if (str_is(cmd->objective) && t->worker && t->worker->kind == WORKER_KIND_PEER &&
	    !task_peer_check(d, t, t->worker))
		return;
	r = changes_of(d, cmd, &p);
	if (!labels_take(d, &cmd->labels, &r->labels))
		return;
	if (r->labels.items)
		add_changed(d, &p, "labels");
	if (!p.changed.count) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "name at least one thing to change");
		return;
	}
	rec_keep(d->mem, &rec_task_desc, &whole, t->record);
	rec_merge(d->mem, &rec_task_desc, &whole, r);
	if (!check_size(d, &whole))
		return;
	ev = task_name_in(decision_emit_event(d, EV_TASK_UPDATED, &p), t);
	ev->status = rec_enum_read(&enum_status, task_status_word(t->record->status));
	ev->task = r;
	if (cmd->acceptance.items)
		ev->task_acceptance = acceptance_of(d, r, 0);
	struct reply_update_task reply = { .task_id = cmd->task_id, .status = t->record->status };

	reply.changed = p.changed;
	task_reply(d, &reply_update_task_desc, &reply);
}

/*
 * Output only grows: an offset behind the last one means that the worker has lost or replaced
 * output.
 */
static bool check_offsets(struct decision *d, const struct st_task *t,
                          const struct cmd_append_task_progress *cmd)
{
	const struct rec_task_progress *old = t->record->progress;

	for (uint32_t i = 0; i < cmd->output_refs.count; i++)
		for (uint32_t n = 0; old && n < old->output_refs.count; n++) {
			const struct rec_ref_entry *a = cmd->output_refs.items[i];
			const struct rec_ref_entry *b = old->output_refs.items[n];

			if (!str_eq(a->ref, b->ref) || a->offset >= b->offset)
				continue;
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "outputRefs: %.*s was at %lld already", STR_ARG(a->ref),
			                (long long)b->offset);
			return false;
		}
	return true;
}

/* Accepted for the current run only; an external worker must name it. */
void decide_append_task_progress(struct decision *d, const struct cmd_append_task_progress *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	const struct rec_task_attempt *a = t ? task_run(t) : NULL;
	struct rec_task_progress *p;
	struct event *ev;

	if (!t || !task_is_run(d, t, cmd->run_id) || !check_offsets(d, t, cmd))
		return;
	if (cmd->has_percent && (cmd->percent < 0 || cmd->percent > 100)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "percent: 0 to 100");
		return;
	}
	if (!cmd->phase && !cmd->has_percent && !str_is(cmd->summary) && !cmd->counters &&
	    !cmd->output_refs.count && !cmd->delivery_state) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "say at least one thing about it");
		return;
	}
	p = KEPT(d, struct rec_task_progress, .phase = cmd->phase, .percent = cmd->percent,
	         .has_percent = cmd->has_percent, .summary = cmd->summary,
	         .counters = cmd->counters);
	p->output_refs.items = cmd->output_refs.items;
	p->output_refs.count = cmd->output_refs.count;
	struct ev_task_progress payload = { .phase = cmd->phase,
		                            .counters = cmd->counters,
		                            .summary = cmd->summary,
		                            .source = decision_actor(d) };

	payload.output_refs.items = cmd->output_refs.items;
	payload.output_refs.count = cmd->output_refs.count;
	ev = task_name_in(decision_emit_event(d, EV_TASK_PROGRESS, &payload), t);
	if (a)
		task_name_run_in(ev, t, a);
	ev->status = rec_enum_read(&enum_status, task_status_word(t->record->status));
	ev->phase = cmd->phase;
	ev->task_progress = p;
	ev->delivery_state = cmd->delivery_state;
	struct reply_append_task_progress reply = { .task_id = cmd->task_id,
		                                    .status = t->record->status };

	task_reply(d, &reply_append_task_progress_desc, &reply);
}

void decide_archive_task(struct decision *d, const struct cmd_archive_task *cmd)
{
	const struct st_task *t = task_named(d, cmd->task_id);
	struct event *ev;

	if (!t)
		return;
	/* The turn of a lost run may still be resumed. */
	if (!task_table_allows(EV_TASK_ARCHIVED, t->record->status) || task_turn(d->w, t, NULL)) {
		decision_refuse(
			d, ERROR_CODE_NOT_READY, "%.*s is %.*s; only what has ended is put away",
			STR_ARG(cmd->task_id), STR_ARG(task_status_word(t->record->status)));
		return;
	}
	ev = task_name_in(EMIT(d, TASK_ARCHIVED, task_archived, .reason = cmd->reason,
	                       .archived_by = decision_actor(d), .recalled = task_recalled(d, t)),
	                  t);
	/* The final status stays readable beside the new one. */
	task_status(d, ev, cmd->task_id, TASK_STATUS_ARCHIVED)->native_status =
		task_status_word(t->record->status);
	ev->native_status = ev->task->native_status;
	if (!t->record->ended_at)
		ev->task->ended_at = d->now;
	struct reply_archive_task reply = { .task_id = cmd->task_id,
		                            .status = TASK_STATUS_ARCHIVED };

	task_reply(d, &reply_archive_task_desc, &reply);
}

/*
 * Edges between tasks, and what the end of one means for the others.
 *
 * An edge is one event, from the side where it starts; the fold adds its
 * inverse to the other task (GAP-65).  Dependencies delay starts: a task waits
 * until everything that blocks it is completed, and is blocked, with a name,
 * when that can no longer happen by itself.
 * spec: contracts/agent-task#task-graph
 */
#include "core/task/task.h"

#include "core/gen/tables.h"

#define GRAPH_EDGES_MAX 15 /* on an event, besides the changed one */

static bool joins_tasks(enum edge_kind k)
{
	return k == EDGE_KIND_PARENT || k == EDGE_KIND_CHILD || k == EDGE_KIND_BLOCKS ||
	       k == EDGE_KIND_BLOCKED_BY || k == EDGE_KIND_SOURCE_TASK;
}

static const struct rec_task_relationship *edge_of(const struct st_task *t, enum edge_kind kind,
                                                   struct str target)
{
	for (uint32_t i = 0; i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];

		if (e->kind == kind && str_eq(e->target_id, target))
			return e;
	}
	return NULL;
}

static enum edge_status status_after(enum edge_change c)
{
	return c == EDGE_CHANGE_LINKED      ? EDGE_STATUS_ACTIVE
	       : c == EDGE_CHANGE_UNLINKED  ? EDGE_STATUS_REMOVED
	       : c == EDGE_CHANGE_SATISFIED ? EDGE_STATUS_SATISFIED
	                                    : EDGE_STATUS_BROKEN;
}

/*
 * The edges of the task where the edge starts, including it; bounded.  For readers that keep no
 * graph: the event shows the task's edges as they are after it.
 */
static struct rec_task_graph *graph_after(struct decision *d, const struct edge *e,
                                          const struct rec_task_relationship *with)
{
	const struct st_task *t = state_task(d->w, e->from);
	struct rec_task_graph *g = KEPT(d, struct rec_task_graph, .root_task_id = e->from);
	struct rec_task_relationship *last;

	if (t && str_is(t->record->root_task_id))
		g->root_task_id = t->record->root_task_id;
	for (uint32_t i = 0; t && i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *r = t->record->relationships.items[i];

		if (g->edges.count == GRAPH_EDGES_MAX)
			break;
		if (r->kind == with->kind && str_eq(r->target_id, with->target_id))
			continue;
		last = rec_list_add(d->mem, &g->edges, &rec_task_relationship_desc);
		*last = *r;
	}
	last = rec_list_add(d->mem, &g->edges, &rec_task_relationship_desc);
	*last = *with;
	return g;
}

struct event *task_graph_emit_edge(struct decision *d, const struct edge *e)
{
	struct event *ev =
		EMIT(d, TASK_DEPENDENCY_UPDATED, task_dependency_updated, .change = e->change,
	             .relationship = e->kind, .from_task_id = e->from,
	             .to_task_id = joins_tasks(e->kind) ? e->to : STR_NONE,
	             .target_id = joins_tasks(e->kind) ? STR_NONE : e->to);

	ev->thread_id = e->thread_id;
	ev->task_id = e->from;
	ev->task_relationship =
		KEPT(d, struct rec_task_relationship, .kind = e->kind, .source_id = e->from,
	             .target_id = e->to, .status = status_after(e->change), .reason = e->reason,
	             .created_at = e->created_at ? e->created_at : d->now, .updated_at = d->now);
	ev->task_graph = graph_after(d, e, ev->task_relationship);
	return ev;
}

/* ---- blockers ---- */

/* A task that left the state with an unmet edge did not complete. */
static enum task_status status_of(const struct decision *d, struct str task_id)
{
	const struct st_task *t = state_task(d->w, task_id);

	return t ? t->record->status : TASK_STATUS_FAILED;
}

static bool is_held_by(const struct rec_task_relationship *e, struct str but)
{
	return e->kind == EDGE_KIND_BLOCKED_BY && e->status == EDGE_STATUS_ACTIVE &&
	       !(str_is(but) && str_eq(e->target_id, but));
}

/* `but` is the task that completes in the same commit: its edge is still active in the state. */
void task_graph_blockers(struct decision *d, const struct st_task *t, struct str but,
                         struct task_blockers *ret)
{
	*ret = (struct task_blockers){ 0 };
	for (uint32_t i = 0; i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];
		enum task_status s;

		if (!is_held_by(e, but))
			continue;
		rec_list_str_add(d->mem, &ret->open, e->target_id);
		s = status_of(d, e->target_id);
		if (task_table_status_is_end(s) && !str_is(ret->bad)) {
			ret->bad = e->target_id;
			ret->bad_status = s;
		}
	}
}

bool task_graph_is_held(const struct st_task *t)
{
	for (uint32_t i = 0; i < t->record->relationships.count; i++)
		if (is_held_by(t->record->relationships.items[i], STR_NONE))
			return true;
	return false;
}

void task_graph_emit_blocked(struct decision *d, const struct st_task *t, struct str by,
                             enum task_status status)
{
	struct event *ev = task_name_in(
		EMIT(d, TASK_BLOCKED, task_blocked,
	             .blocker =
	                     KEPT(d, struct rec_blocker, .kind = STR("task"), .task_id = by,
	                          .status = rec_enum_read(&enum_status, task_status_word(status))),
	             .ended_by = STRINGS(d, arena_printf(d->mem, "retry_task %.*s", STR_ARG(by)),
	                                 STR("unlink_tasks"), STR("cancel_task"))),
		t);

	task_status(d, ev, t->record->task_id, TASK_STATUS_BLOCKED);
	ev->status_reason = arena_printf(d->mem, "blocked by %.*s %.*s",
	                                 STR_ARG(task_status_word(status)), STR_ARG(by));
}

/*
 * The completed task may have been its last blocker.  A blocked task whose other blocker has failed
 * stays blocked.
 */
static void emit_ready(struct decision *d, const struct st_task *t, struct str but)
{
	struct task_blockers b;
	struct event *ev;

	if (!t->wanted ||
	    (t->record->status != TASK_STATUS_BLOCKED && t->record->status != TASK_STATUS_QUEUED))
		return;
	task_graph_blockers(d, t, but, &b);
	if (str_is(b.bad))
		return;
	ev = task_name_in(EMIT(d, TASK_QUEUED, task_queued,
	                       .reason = b.open.count ? STR("dependency") : STR("ready"),
	                       .from = t->record->status, .blocked_by = b.open),
	                  t);
	task_status(d, ev, t->record->task_id, TASK_STATUS_QUEUED);
}

/*
 * spec: golden task-failed-attempt-retry 40, 75-76.  Called where a real task ends; for implicit
 * ones, step_released() calls it later.  A status that is no end releases nothing: a retrying task
 * may still complete.
 */
void task_graph_release(struct decision *d, const struct st_task *t, enum task_status end)
{
	if (!task_table_status_is_end(end))
		return;
	for (uint32_t i = 0; i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];
		const struct st_task *other = state_task(d->w, e->target_id);

		if (e->kind != EDGE_KIND_BLOCKS || e->status != EDGE_STATUS_ACTIVE || !other ||
		    task_table_status_is_end(other->record->status))
			continue;
		if (end == TASK_STATUS_COMPLETED) {
			task_graph_emit_edge(d, &(struct edge){ .thread_id = t->record->thread_id,
			                                        .from = t->record->task_id,
			                                        .to = e->target_id,
			                                        .kind = EDGE_KIND_BLOCKS,
			                                        .change = EDGE_CHANGE_SATISFIED,
			                                        .reason = e->reason,
			                                        .created_at = e->created_at });
			emit_ready(d, other, t->record->task_id);
		} else if (other->record->status == TASK_STATUS_QUEUED && other->wanted) {
			task_graph_emit_blocked(d, other, t->record->task_id, end);
		}
	}
}

/* ---- linking ---- */

/* Is there a path along edges of this kind? */
static bool leads_to(const struct state *w, const struct st_task *from, struct str to,
                     enum edge_kind kind, int depth)
{
	if (str_eq(from->record->task_id, to))
		return true;
	for (uint32_t i = 0; i < from->record->relationships.count && depth; i++) {
		const struct rec_task_relationship *e = from->record->relationships.items[i];
		const struct st_task *next = e->kind == kind ? state_task(w, e->target_id) : NULL;

		if (next && leads_to(w, next, to, kind, depth - 1))
			return true;
	}
	return false;
}

/*
 * Tasks on several paths are visited more than once; the depth bounds that.  Deeper graphs are
 * refused like circles.
 */
#define GRAPH_DEPTH 64

static bool closes_circle(struct decision *d, const struct st_task *from, const struct st_task *to,
                          enum edge_kind kind)
{
	bool is_circle =
		kind == EDGE_KIND_PARENT
			? leads_to(d->w, to, from->record->task_id, EDGE_KIND_PARENT, GRAPH_DEPTH)
			: leads_to(d->w, to, from->record->task_id, EDGE_KIND_BLOCKS,
	                           GRAPH_DEPTH) ||
				  /* A parent ends after its children, so it cannot block one. */
				  leads_to(d->w, to, from->record->task_id, EDGE_KIND_PARENT,
	                                   GRAPH_DEPTH);

	if (is_circle)
		decision_refuse(d, ERROR_CODE_CYCLE, "%.*s depends on %.*s already",
		                STR_ARG(from->record->task_id), STR_ARG(to->record->task_id));
	return is_circle;
}

/* child and blocked_by are the inverse of parent and blocks. */
static void normalise_edge(struct str *from, struct str *to, enum edge_kind *kind)
{
	struct str swapped = *from;

	if (*kind != EDGE_KIND_CHILD && *kind != EDGE_KIND_BLOCKED_BY)
		return;
	*kind = *kind == EDGE_KIND_CHILD ? EDGE_KIND_PARENT : EDGE_KIND_BLOCKS;
	*from = *to;
	*to = swapped;
}

/* Edges to tasks name a task, all others (artifacts, evidence, threads) an opaque target. */
static bool read_ends(struct decision *d, enum edge_kind kind, struct str to_task,
                      struct str target, struct str *ret)
{
	bool has_right = joins_tasks(kind) ? str_is(to_task) && !str_is(target)
	                                   : str_is(target) && !str_is(to_task);

	*ret = joins_tasks(kind) ? to_task : target;
	if (!has_right)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "%.*s wants %s and not the other",
		                STR_ARG(edge_kind_word(kind)),
		                joins_tasks(kind) ? "toTaskId" : "targetId");
	return has_right;
}

/* Levels from this task up to the root of its tree, or to `top`; 0 if `top` is not above it. */
static int levels_up(const struct state *w, const struct st_task *t, const struct st_task *top)
{
	int levels = 1;

	for (; t != top && str_is(t->record->parent_task_id); levels++) {
		t = state_task(w, t->record->parent_task_id);
		if (!t || levels > GRAPH_DEPTH)
			return 0;
	}
	return t == top || !top ? levels : 0;
}

/* A tree that is linked below another must not make that one deeper than create_task allows. */
static bool is_too_deep(struct decision *d, const struct st_task *from, const struct st_task *to)
{
	int below = 1;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++)
		below = MAX(below, levels_up(d->w, d->w->s->tasks.items[i], from));
	if (levels_up(d->w, to, NULL) + below <= LIMIT_TASK_DEPTH)
		return false;
	decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "tasks go %d levels deep", LIMIT_TASK_DEPTH);
	return true;
}

/*
 * A parent must be open, because it ends after its children; a task has one parent.  A task that
 * has ended cannot be blocked any more.
 */
static bool may_link(struct decision *d, const struct st_task *from, const struct st_task *to,
                     enum edge_kind kind)
{
	if (from->record->relationships.count >= LIMIT_EDGES_PER_TASK ||
	    (to && to->record->relationships.count >= LIMIT_EDGES_PER_TASK)) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "a task has %d edges at most",
		                LIMIT_EDGES_PER_TASK);
		return false;
	}
	if (kind == EDGE_KIND_PARENT) {
		if (to->cancelled) {
			decision_refuse(d, ERROR_CODE_CANCELLING,
			                "%.*s was cancelled and accepts no new work",
			                STR_ARG(to->record->task_id));
			return false;
		}
		if (task_table_status_is_end(to->record->status)) {
			task_refuse_ended(d, to);
			return false;
		}
		if (str_is(from->record->parent_task_id)) {
			decision_refuse(d, ERROR_CODE_INVALID_VALUE, "%.*s has a parent: %.*s",
			                STR_ARG(from->record->task_id),
			                STR_ARG(from->record->parent_task_id));
			return false;
		}
	}
	if (kind == EDGE_KIND_BLOCKS && task_table_status_is_end(to->record->status)) {
		task_refuse_ended(d, to);
		return false;
	}
	if (kind == EDGE_KIND_BLOCKS && to->implicit) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "%.*s lives with its turn: no task holds it up",
		                STR_ARG(to->record->task_id));
		return false;
	}
	if (kind != EDGE_KIND_PARENT && kind != EDGE_KIND_BLOCKS)
		return true;
	return !closes_circle(d, from, to, kind) &&
	       (kind != EDGE_KIND_PARENT || !is_too_deep(d, from, to));
}

/* A task that has not started now waits for this one too. */
static void block_by_new_edge(struct decision *d, const struct st_task *from,
                              const struct st_task *to)
{
	struct task_blockers b;
	struct event *ev;

	if (to->record->status != TASK_STATUS_QUEUED || !to->wanted || to->implicit ||
	    from->record->status == TASK_STATUS_COMPLETED)
		return;
	if (task_table_status_is_end(from->record->status)) {
		task_graph_emit_blocked(d, to, from->record->task_id, from->record->status);
		return;
	}
	task_graph_blockers(d, to, STR_NONE, &b);
	rec_list_str_add(d->mem, &b.open, from->record->task_id);
	ev = task_name_in(EMIT(d, TASK_QUEUED, task_queued, .reason = STR("dependency"),
	                       .from = TASK_STATUS_QUEUED, .blocked_by = b.open),
	                  to);
	task_status(d, ev, to->record->task_id, TASK_STATUS_QUEUED);
}

/*
 * Linking twice is not an error.  A blocker that has completed before gives an edge that is
 * satisfied from the start.
 */
void decide_link_tasks(struct decision *d, const struct cmd_link_tasks *cmd)
{
	struct reply_link_tasks r = { .from_task_id = cmd->from_task_id,
		                      .relationship = cmd->relationship };
	struct str from_id = cmd->from_task_id, to_id;
	enum edge_kind kind = cmd->relationship;
	const struct st_task *from, *to = NULL;

	if (!read_ends(d, kind, cmd->to_task_id, cmd->target_id, &to_id))
		return;
	normalise_edge(&from_id, &to_id, &kind);
	from = task_named(d, from_id);
	if (from && joins_tasks(kind))
		to = task_named(d, to_id);
	/*
	 * The engine has noticed that the id belongs to another session; that is a better answer
	 * than `not found`.
	 */
	if (d->refusal) {
		if (str_is(d->foreign) &&
		    (str_eq(d->foreign, from_id) || str_eq(d->foreign, to_id)))
			decision_refuse(d, ERROR_CODE_CROSS_SESSION_LINK,
			                "%.*s lives in another session", STR_ARG(d->foreign));
		return;
	}
	if (!may_link(d, from, to, kind))
		return;
	if (!edge_of(from, kind, to_id)) {
		struct event *ev = task_graph_emit_edge(
			d, &(struct edge){ .thread_id = from->record->thread_id,
		                           .from = from_id,
		                           .to = to_id,
		                           .kind = kind,
		                           .change = EDGE_CHANGE_LINKED,
		                           .reason = cmd->reason });

		if (kind == EDGE_KIND_BLOCKS && from->record->status == TASK_STATUS_COMPLETED)
			ev->task_relationship->status = EDGE_STATUS_SATISFIED;
		if (kind == EDGE_KIND_BLOCKS)
			block_by_new_edge(d, from, to);
	}
	task_reply(d, &reply_link_tasks_desc, &r);
}

void decide_unlink_tasks(struct decision *d, const struct cmd_unlink_tasks *cmd)
{
	struct reply_unlink_tasks r = { .from_task_id = cmd->from_task_id,
		                        .relationship = cmd->relationship };
	struct str from_id = cmd->from_task_id, to_id;
	enum edge_kind kind = cmd->relationship;
	const struct st_task *from, *to;
	const struct rec_task_relationship *e = NULL;

	if (!read_ends(d, kind, cmd->to_task_id, cmd->target_id, &to_id))
		return;
	normalise_edge(&from_id, &to_id, &kind);
	from = task_named(d, from_id);
	if (!from)
		return;
	to = joins_tasks(kind) ? state_task(d->w, to_id) : NULL;
	e = edge_of(from, kind, to_id);
	if (!e && to && kind == EDGE_KIND_BLOCKS) /* the blocker may have left the state */
		e = edge_of(to, EDGE_KIND_BLOCKED_BY, from_id);
	if (!e) {
		decision_refuse(d, ERROR_CODE_EDGE_NOT_FOUND, "%.*s has no such edge",
		                STR_ARG(from_id));
		return;
	}
	task_graph_emit_edge(d, &(struct edge){ .thread_id = from->record->thread_id,
	                                        .from = from_id,
	                                        .to = to_id,
	                                        .kind = kind,
	                                        .change = EDGE_CHANGE_UNLINKED,
	                                        .reason = cmd->reason,
	                                        .created_at = e->created_at });
	if (to && kind == EDGE_KIND_BLOCKS)
		emit_ready(d, to, from_id);
	task_reply(d, &reply_unlink_tasks_desc, &r);
}

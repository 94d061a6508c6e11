/*
 * The bounds of a turn: constraints of tasks and isolation of child agents,
 * combined.  Decisions about permissions, sandboxes, tools and models ask here;
 * no other file reads constraints for that purpose.
 * spec: contracts/agent-task#task-record (constraints); TSK-10, SUB-02
 */
#include "core/task/task_bounds.h"

#include "core/session/session.h"
#include "core/subagent/subagent.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

/* ---- combining ---- */

/* Modes are collected, not compared: permission.c evaluates each of them. */
static void bound_mode(struct task_bounds *b, enum permission_mode mode)
{
	if (mode)
		b->modes |= 1u << mode;
}

/* Words are ordered from narrow to wide in the catalogue, here and for the network. */
static void bound_sandbox(struct task_bounds *b, enum sandbox_mode mode)
{
	if (mode && (!b->sandbox || mode < b->sandbox))
		b->sandbox = mode;
}

static void bound_network(struct task_bounds *b, enum network_mode mode)
{
	if (mode && (!b->network || mode < b->network))
		b->network = mode;
}

static void bound_output(struct task_bounds *b, int64_t left)
{
	left = MAX(left, 0);
	if (!b->has_output_left || left < b->output_left)
		b->output_left = left;
	b->has_output_left = true;
}

static const struct st_task *task_over(const struct state *w, const struct st_task *t)
{
	struct str id = t->record->parent_task_id;

	return str_is(id) ? state_task(w, id) : NULL;
}

/* Every task above counts too: a child may do what its parent may, and no more. */
static void bound_by_task(const struct state *w, struct str task_id, struct task_bounds *b)
{
	const struct st_task *t = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++, t = task_over(w, t)) {
		const struct rec_constraints *c = t->record->constraints;

		if (!c)
			continue;
		bound_mode(b, c->permission_mode);
		bound_sandbox(b, c->sandbox_mode);
		bound_network(b, c->network_mode);
		if (c->has_output_bytes)
			bound_output(b, c->output_bytes - t->output_bytes);
	}
}

/*
 * A child agent is bound by its isolation and by the task in which it was spawned, and so is each
 * agent above it.
 */
void task_bounds_at(const struct state *w, struct str thread_id, struct str task_id,
                    struct task_bounds *ret)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);

	*ret = (struct task_bounds){ 0 };
	bound_by_task(w, task_id, ret);
	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		const struct rec_isolation *i = s->record->isolation;

		bound_mode(ret, i->permission_mode);
		bound_sandbox(ret, i->sandbox_mode);
		bound_network(ret, i->network_mode);
		bound_by_task(w, s->record->parent_task_id, ret);
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
}

void task_bounds_of(const struct state *w, struct str turn_id, struct task_bounds *ret)
{
	const struct st_thread *th = NULL;
	const struct st_turn *t = str_is(turn_id) ? state_turn(w, turn_id, &th) : NULL;

	*ret = (struct task_bounds){ 0 };
	if (t)
		task_bounds_at(w, th->thread_id, t->task_id, ret);
}

static const struct st_subagent *with_worktree(const struct state *w, struct str thread_id)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);

	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		if (str_is(s->record->isolation->worktree))
			return s;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return NULL;
}

/* The innermost directory applies. */
static struct str scope_cwd(const struct state *w, struct str task_id)
{
	const struct st_task *t = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++, t = task_over(w, t))
		if (t->record->scope && str_is(t->record->scope->cwd))
			return t->record->scope->cwd;
	return STR_NONE;
}

struct str task_bounds_cwd(const struct state *w, const struct settings *settings,
                           struct str turn_id)
{
	struct str session = str_is(w->s->cwd) ? w->s->cwd : settings->cwd, dir;
	const struct st_thread *th = NULL;
	const struct st_turn *t = str_is(turn_id) ? state_turn(w, turn_id, &th) : NULL;
	const struct st_subagent *s = t ? with_worktree(w, th->thread_id) : NULL;

	if (!t)
		return session;
	if (s)
		return s->record->isolation->worktree;
	dir = scope_cwd(w, t->task_id);
	return str_is(dir) ? dir : session;
}

struct rec_execution_environment *task_bounds_environment(struct decision *d, struct str turn_id)
{
	struct rec_execution_environment *e =
		decision_kept(d, d->settings->environment, sizeof *d->settings->environment);
	struct str cwd = task_bounds_cwd(d->w, d->settings, turn_id);

	if (str_is(cwd))
		e->cwd = cwd;
	if (str_is(d->w->s->workspace_id))
		e->workspace_id = d->w->s->workspace_id;
	return e;
}

struct list_str task_bounds_directories(const struct state *w, const struct settings *settings,
                                        struct str turn_id)
{
	struct str own = str_is(w->s->cwd) ? w->s->cwd : settings->cwd;
	struct str cwd = task_bounds_cwd(w, settings, turn_id);

	return str_eq(cwd, own) ? w->s->directories : (struct list_str){ 0 };
}

bool task_bounds_narrow(const struct task_bounds *b, struct rec_sandbox_override *into)
{
	bool is_narrower = false;

	/* danger_full_access leaves the session's sandbox unchanged. */
	if (b->sandbox && b->sandbox < SANDBOX_MODE_DANGER_FULL_ACCESS &&
	    (!into->at_most || b->sandbox < into->at_most)) {
		into->at_most = b->sandbox;
		is_narrower = true;
	}
	if (b->network && b->network < NETWORK_MODE_FULL &&
	    (!into->network_at_most || b->network < into->network_at_most)) {
		into->network_at_most = b->network;
		is_narrower = true;
	}
	/*
	 * Output is limited per call to what the task has left, so that one call cannot exceed the
	 * limit by far before task_bounds_step() sees it.
	 */
	if (b->has_output_left) {
		into->output_at_most = b->output_left;
		into->has_output_at_most = true;
		is_narrower = true;
	}
	return is_narrower;
}

/* ---- tools, models ---- */

static struct str tool_bars(struct decision *d, struct str task_id, const struct tool_info *tool)
{
	const struct st_task *t = str_is(task_id) ? state_task(d->w, task_id) : NULL;

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++, t = task_over(d->w, t)) {
		const struct rec_constraints *c = t->record->constraints;

		if (c && c->tools.count && rec_list_str_find(&c->tools, tool->name) < 0)
			return arena_printf(d->mem, "%.*s is not among the tools of %.*s",
			                    STR_ARG(tool->name), STR_ARG(t->record->task_id));
		if (c && c->has_output_bytes && t->output_bytes >= c->output_bytes)
			return arena_printf(
				d->mem, "%.*s has left all the output that it may: %lld bytes",
				STR_ARG(t->record->task_id), (long long)c->output_bytes);
	}
	return STR_NONE;
}

/* Isolation lists its tools; a tool that is not listed does not exist for the child. */
static struct str child_bars(struct decision *d, const struct st_subagent *s,
                             const struct tool_info *tool)
{
	const struct rec_isolation *i = s->record->isolation;

	if (rec_list_str_find(&i->tools, tool->name) < 0)
		return arena_printf(d->mem, "%.*s is outside the isolation of %.*s",
		                    STR_ARG(tool->name), STR_ARG(s->record->subagent_id));
	if (i->permission_mode == PERMISSION_MODE_PLAN && !tool->is_read_only)
		return arena_printf(d->mem, "%.*s may only read", STR_ARG(s->record->subagent_id));
	return tool_bars(d, s->record->parent_task_id, tool);
}

struct str task_bounds_tool(struct decision *d, struct str thread_id, struct str task_id,
                            const struct tool_info *tool)
{
	const struct st_subagent *s = subagent_of_thread(d->w, thread_id);
	struct str barred = tool_bars(d, task_id, tool);

	for (int depth = 0; !str_is(barred) && s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		barred = child_bars(d, s, tool);
		s = subagent_of_thread(d->w, s->record->parent_thread_id);
	}
	return barred;
}

/* `model`, or `provider/model`; a name of a model may contain a slash itself. */
static bool names_model(const struct list_str *models, const struct model_info *m)
{
	for (uint32_t i = 0; i < models->count; i++) {
		struct str rest = models->items[i], provider;

		if (str_eq(rest, m->model))
			return true;
		if (str_find_char(rest, '/') < 0)
			continue;
		provider = str_cut(&rest, '/');
		if (str_eq(provider, m->provider) && str_eq(rest, m->model))
			return true;
	}
	return false;
}

static struct str model_bars(const struct state *w, struct str task_id, const struct model_info *m)
{
	const struct st_task *t = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++, t = task_over(w, t)) {
		const struct rec_constraints *c = t->record->constraints;

		if (c && c->models.count && !names_model(&c->models, m))
			return t->record->task_id;
	}
	return STR_NONE;
}

struct str task_bounds_model(const struct decision *d, const struct st_turn *t,
                             const struct model_info *m)
{
	struct str by = model_bars(d->w, t->task_id, m);
	const struct st_thread *th = NULL;
	const struct st_subagent *s =
		state_turn(d->w, t->turn_id, &th) ? subagent_of_thread(d->w, th->thread_id) : NULL;

	for (int depth = 0; !str_is(by) && s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		by = model_bars(d->w, s->record->parent_task_id, m);
		s = subagent_of_thread(d->w, s->record->parent_thread_id);
	}
	return by;
}

/* ---- refusals ---- */

bool task_bounds_check(struct decision *d, const struct rec_constraints *c)
{
	if (!c)
		return true;
	if (c->has_time_ms && c->time_ms <= 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "constraints.timeMs: above 0");
	else if (c->has_inactivity_ms && c->inactivity_ms <= 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "constraints.inactivityMs: above 0");
	else if (c->has_cost_usd && c->cost_usd < 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "constraints.costUsd: not below 0");
	else if (c->has_output_bytes && c->output_bytes <= 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "constraints.outputBytes: above 0");
	else if (c->sandbox_mode > SANDBOX_MODE_DANGER_FULL_ACCESS)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "constraints.sandboxMode: read_only, workspace_write or "
		                "danger_full_access; "
		                "the runtime cannot keep %.*s",
		                STR_ARG(sandbox_mode_word(c->sandbox_mode)));
	for (uint32_t i = 0; !d->refusal && i < c->tools.count; i++)
		if (!str_is(c->tools.items[i]) || !c->tools.items[i].len)
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "constraints.tools[%u]: not empty", i);
	for (uint32_t i = 0; !d->refusal && i < c->models.count; i++)
		if (!c->models.items[i].len)
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "constraints.models[%u]: not empty", i);
	return !d->refusal;
}

/*
 * Below another directory by its text, without "..". Links are not resolved: the sandbox bounds
 * what the directory really is.
 */
static bool is_below(struct str dir, struct str root)
{
	if (!str_starts(dir, root) || str_find(dir, STR("/../")) >= 0 ||
	    str_ends(dir, STR("/..")) || memchr(dir.ptr, 0, dir.len))
		return false;
	return dir.len == root.len || root.len == 1 || dir.ptr[root.len] == '/';
}

bool task_bounds_check_scope(struct decision *d, const struct rec_task_scope *s,
                             struct str thread_id)
{
	struct str workspace =
		session_exists(d->w) ? d->w->s->workspace_id : d->settings->workspace_id;

	if (!s)
		return true;
	if (str_is(s->cwd) && !is_below(s->cwd, decision_workspace_of(d)))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "scope.cwd: an absolute path in %.*s",
		                STR_ARG(decision_workspace_of(d)));
	else if (str_is(s->thread_id) && str_is(thread_id) && !str_eq(s->thread_id, thread_id))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "scope.threadId: the task works on %.*s", STR_ARG(thread_id));
	else if (str_is(s->workspace_id) && str_is(workspace) &&
	         !str_eq(s->workspace_id, workspace))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "scope.workspaceId: the session is in %.*s", STR_ARG(workspace));
	return !d->refusal;
}

/* The first constraint that only this runtime can enforce, not an external worker; NULL: none. */
static const char *unkept_outside(const struct rec_constraints *c)
{
	return c->permission_mode ? "permissionMode"
	       : c->sandbox_mode  ? "sandboxMode"
	       : c->network_mode  ? "networkMode"
	       : c->tools.count   ? "tools"
	       : c->models.count  ? "models"
	                          : NULL;
}

/*
 * A promise that cannot be kept is refused: an external worker runs outside of this runtime's
 * sandbox and rules.  Tasks above count as well.
 */
bool task_bounds_check_worker(struct decision *d, const struct st_task *t,
                              const struct rec_constraints *own)
{
	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++) {
		const struct rec_constraints *c = !depth && own ? own : t->record->constraints;
		const char *name = c ? unkept_outside(c) : NULL;

		if (name) {
			decision_refuse(
				d, ERROR_CODE_INVALID_VALUE,
				"worker: the runtime cannot keep constraints.%s of %.*s for an "
				"external worker",
				name, STR_ARG(t->record->task_id));
			return false;
		}
		t = task_above(d, t);
	}
	return true;
}

/* ---- output ---- */

static const struct st_task *over_output(const struct state *w, struct str task_id)
{
	const struct st_task *t = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; t && depth < LIMIT_TASK_DEPTH; depth++, t = task_over(w, t)) {
		const struct rec_constraints *c = t->record->constraints;

		if (c && c->has_output_bytes && t->output_bytes > c->output_bytes)
			return t;
	}
	return NULL;
}

/* Output of a child agent counts for its own task and for those of all agents above it. */
static bool is_over_output(const struct state *w, const struct st_thread *th,
                           const struct st_turn *t)
{
	const struct st_subagent *s = subagent_of_thread(w, th->thread_id);
	bool is_over = over_output(w, t->task_id) != NULL;

	for (int depth = 0; s && !is_over && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		is_over = over_output(w, s->record->parent_task_id) != NULL;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return is_over;
}

/*
 * Output counts after the call that wrote it; a task beyond its limit is stopped at the next step.
 */
bool task_bounds_step(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];
		const struct st_turn *t = state_thread_active(th);
		if (!t || t->stage == TURN_STAGE_STOPPING || t->stage == TURN_STAGE_LOST ||
		    t->stage == TURN_STAGE_ENDED)
			continue;
		if (!is_over_output(d->w, th, t))
			continue;
		turn_emit_interrupt(d, th, t, TASK_BOUNDS_OUTPUT, QUEUE_POLICY_CONTINUE);
		return true;
	}
	return false;
}

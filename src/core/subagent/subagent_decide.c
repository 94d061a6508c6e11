/*
 * Commands on child agents: spawn, send input, resume, close; and reports of
 * their status.  A child's bounds are never wider than its parent's.
 * spec: contracts/subagents-and-jobs#subagents; GAP-03
 */
#include "core/subagent/subagent.h"
#include "core/budget/budget.h"
#include "core/gen/tables.h"
#include "core/approval/permission.h"
#include "core/session/trace.h"
#include "core/subagent/agent_definition.h"
#include "core/subagent/sampling.h"
#include "core/subagent/subagent_worktree.h"
#include "core/task/task.h"
#include "core/task/task_bounds.h"
#include "base/jw.h"
#include "core/turn/queue.h"
#include "core/turn/turn.h"
#include "core/turn/turn_call.h"
#include "core/turn/turn_emit.h"
#include "core/turn/turn_internal.h"

static const struct st_subagent *open_named(struct decision *d, struct str id)
{
	const struct st_subagent *s = subagent_find(d->w, id);

	if (!s)
		decision_refuse(d, ERROR_CODE_SUBAGENT_NOT_FOUND,
		                "%.*s is not a child agent of this session", STR_ARG(id));
	else if (subagent_is_closed(s)) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s was closed", STR_ARG(id));
		s = NULL;
	}
	return s;
}

/* What answers a tool server is no agent that people could work with. */
static bool refuses_words(struct decision *d, const struct st_subagent *s)
{
	if (str_is(s->record->tool_server))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "%.*s answers the tool server %.*s and no one else",
		                STR_ARG(s->record->subagent_id), STR_ARG(s->record->tool_server));
	return d->refusal;
}

static enum permission_mode parent_mode(const struct decision *d, const struct task_bounds *b)
{
	enum permission_mode mode = permission_mode_of(d->w, d->settings);

	for (unsigned m = 1; b->modes >> m; m++)
		if (b->modes >> m & 1)
			mode = subagent_narrower_mode(mode, (enum permission_mode)m);
	return mode;
}

/*
 * The most that a child of this thread and task may have.  Tools are listed by name, so that a tool
 * server which connects later gives the child nothing.
 */
struct rec_isolation *subagent_decide_bounds(struct decision *d, struct str thread_id,
                                             struct str task_id)
{
	struct task_bounds b;
	struct rec_isolation *r;

	task_bounds_at(d->w, thread_id, task_id, &b);
	r = KEPT(d, struct rec_isolation, .prompt = STR("own"), .workspace = STR("shared"),
	         .permission_mode = parent_mode(d, &b), .memory = STR("none"),
	         .sandbox_mode = b.sandbox, .network_mode = b.network,
	         .tools = decision_strings(d, 0, NULL));
	for (size_t i = 0; i < d->settings->tool_count; i++)
		if (!str_is(task_bounds_tool(d, thread_id, task_id, &d->settings->tools[i])))
			rec_list_str_add(d->mem, &r->tools, d->settings->tools[i].name);
	return r;
}

/*
 * The record has words for forms of isolation that this version does not build; they are refused,
 * not ignored.
 */
static bool check_words(struct decision *d, const struct rec_isolation *wanted)
{
	if (!rec_enum_read(&enum_isolation_prompt, wanted->prompt))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "isolation.prompt: own");
	else if (!rec_enum_read(&enum_isolation_workspace, wanted->workspace))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "isolation.workspace: shared or worktree");
	else if (!rec_enum_read(&enum_isolation_memory, wanted->memory))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "isolation.memory: none");
	else if (str_is(wanted->worktree))
		decision_refuse(
			d, ERROR_CODE_INVALID_VALUE,
			"isolation.worktree: the runtime chooses the directory; say workspace: "
			"worktree");
	else if (wanted->sandbox_mode > SANDBOX_MODE_DANGER_FULL_ACCESS)
		decision_refuse(
			d, ERROR_CODE_INVALID_VALUE,
			"isolation.sandboxMode: read_only, workspace_write or danger_full_access");
	return !d->refusal;
}

/* The requested bounds must lie within the parent's. */
static bool check_bounds(struct decision *d, const struct rec_isolation *wanted,
                         const struct rec_isolation *most)
{
	if (subagent_mode_width(wanted->permission_mode) >
	    subagent_mode_width(most->permission_mode))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "isolation.permissionMode: %.*s is wider than %.*s",
		                STR_ARG(permission_mode_word(wanted->permission_mode)),
		                STR_ARG(permission_mode_word(most->permission_mode)));
	else if (most->sandbox_mode && wanted->sandbox_mode > most->sandbox_mode)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "isolation.sandboxMode: %.*s is wider than %.*s",
		                STR_ARG(sandbox_mode_word(wanted->sandbox_mode)),
		                STR_ARG(sandbox_mode_word(most->sandbox_mode)));
	else if (most->network_mode && wanted->network_mode > most->network_mode)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "isolation.networkMode: %.*s is wider than %.*s",
		                STR_ARG(network_mode_word(wanted->network_mode)),
		                STR_ARG(network_mode_word(most->network_mode)));
	for (uint32_t i = 0; !d->refusal && i < wanted->tools.count; i++)
		if (rec_list_str_find(&most->tools, wanted->tools.items[i]) < 0)
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "isolation.tools[%u]: the parent has no %.*s", i,
			                STR_ARG(wanted->tools.items[i]));
	return !d->refusal;
}

/* A separate directory, which the engine creates once the event that names it is durable. */
static bool take_worktree(struct decision *d, struct rec_isolation *r, struct str subagent_id)
{
	if (rec_enum_read(&enum_isolation_workspace, r->workspace) != ISOLATION_WORKSPACE_WORKTREE)
		return true;
	if (!str_is(d->settings->worktree_dir))
		decision_refuse(
			d, ERROR_CODE_INVALID_VALUE,
			"isolation.workspace: there is no place for worktrees; set worktrees.dir");
	else if (r->permission_mode == PERMISSION_MODE_PLAN)
		decision_refuse(
			d, ERROR_CODE_INVALID_VALUE,
			"isolation.workspace: mode plan changes nothing, so no worktree is made");
	else
		r->worktree = arena_printf(d->mem, "%.*s/%.*s", STR_ARG(d->settings->worktree_dir),
		                           STR_ARG(subagent_id));
	return !d->refusal;
}

/* An absent sandbox or network mode means `as the parent`, never `unbounded`. */
static struct rec_isolation *isolation_of(struct decision *d, const struct cmd_spawn_subagent *c)
{
	const struct st_turn *t =
		str_is(c->parent_turn_id) ? state_turn(d->w, c->parent_turn_id, NULL) : NULL;
	struct str task_id = str_is(c->parent_task_id) ? c->parent_task_id
	                     : t                       ? t->task_id
	                                               : STR_NONE;
	struct rec_isolation *most = subagent_decide_bounds(d, c->parent_thread_id, task_id);
	struct rec_isolation *r;

	if (!c->isolation)
		return most;
	if (!check_words(d, c->isolation) || !check_bounds(d, c->isolation, most))
		return NULL;
	r = rec_clone(d->mem, &rec_isolation_desc, c->isolation);
	if (!r->sandbox_mode)
		r->sandbox_mode = most->sandbox_mode;
	if (!r->network_mode)
		r->network_mode = most->network_mode;
	return r;
}

static bool has_room(struct decision *d, const struct st_subagent *parent)
{
	const struct st_subagent *up = parent;
	int open = 0, depth = 1;

	for (uint32_t i = 0; i < d->w->s->subagents.count; i++)
		open += !subagent_is_closed(d->w->s->subagents.items[i]);
	for (; up; up = subagent_of_thread(d->w, up->record->parent_thread_id))
		depth++;
	if (open < LIMIT_SUBAGENTS_PER_SESSION && depth <= LIMIT_SUBAGENT_DEPTH)
		return true;
	decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN,
	                depth > LIMIT_SUBAGENT_DEPTH ? "child agents go %d levels deep"
	                                             : "%d child agents are open already",
	                depth > LIMIT_SUBAGENT_DEPTH ? LIMIT_SUBAGENT_DEPTH : open);
	return false;
}

/*
 * What the parent may still give away; false: its spending has no limit.  The parent is a child
 * agent with a budget, or a turn with a cap.  Amounts that other open children may still use are
 * subtracted, so that the sum of all promises stays within the parent's limit.
 */
static bool share_left(const struct decision *d, const struct cmd_spawn_subagent *c,
                       const struct st_subagent *parent, int64_t *ret)
{
	const struct st_turn *t =
		str_is(c->parent_turn_id) ? state_turn(d->w, c->parent_turn_id, NULL) : NULL;
	int64_t left;

	if (parent && parent->has_budget_usd)
		left = parent->budget_usd - parent->spent_usd;
	else if (!parent && t && budget_turn_cap(d, t) > 0)
		left = budget_turn_cap(d, t) - t->spent_usd - t->children_usd;
	else
		return false;
	left -= subagent_promised(d->w, c->parent_thread_id, NULL);
	*ret = MAX(left, 0);
	return true;
}

/* A child's budget is part of its parent's; by default it is what the parent has left. */
static bool take_share(struct decision *d, struct cmd_spawn_subagent *c,
                       const struct st_subagent *parent)
{
	int64_t left;

	if (!share_left(d, c, parent, &left))
		return true;
	if (c->has_budget_usd && c->budget_usd > left) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "budgetUsd: the parent has %.4f left to give", (double)left / 1e9);
		return false;
	}
	if (!c->has_budget_usd) {
		c->has_budget_usd = true;
		c->budget_usd = left;
	}
	return true;
}

/* The delegation of an input to a remote agent; NULL: the child works here. */
static struct rec_tool_request *call_of(struct decision *d, const struct rec_agent_definition *a,
                                        struct str input)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!a || !a->remote)
		return NULL;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "input", input);
	jw_obj_end(&w);
	return KEPT(d, struct rec_tool_request, .tool = agent_definition_tool(d->mem, a->name),
	            .arguments = arena_keep(d->mem, buf_str(&out)));
}

/* A remote agent gets text; files and images of this machine are not for it. */
static bool is_for_remote(struct decision *d, const struct turn_input *in)
{
	if (in->images.count || in->files.count || in->paths.count)
		decision_refuse(d, ERROR_CODE_INVALID_INPUT, "input: a remote agent gets text");
	return !d->refusal;
}

static const struct rec_turn_options *options_of(struct decision *d, struct str model, bool has_usd,
                                                 int64_t usd)
{
	if (!str_is(model) && !has_usd)
		return NULL;
	return KEPT(d, struct rec_turn_options, .model = model, .has_budget_usd = has_usd,
	            .budget_usd = usd);
}

static void emit_spawned(struct decision *d, const struct cmd_spawn_subagent *c,
                         const struct st_subagent *parent, struct rec_isolation *isolation,
                         struct rec_agent_definition *agent, struct str id, struct str thread_id)
{
	struct event *ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_SUBAGENT,
	                        .cause = STR("spawn_subagent"), .title = c->nickname,
	                        .parent_thread_id = c->parent_thread_id);

	ev->thread_id = thread_id;
	ev->status = STATUS_IDLE;
	ev = EMIT(d, SUBAGENT_SPAWNED, subagent_spawned, .parent_thread_id = c->parent_thread_id,
	          .parent_turn_id = c->parent_turn_id, .parent_task_id = c->parent_task_id,
	          .parent_subagent_id = parent ? parent->record->subagent_id : STR_NONE,
	          .child_thread_id = thread_id, .role = c->role, .nickname = c->nickname,
	          .isolation = isolation,
	          .model_policy = c->model_policy ? c->model_policy : MODEL_POLICY_INHERIT,
	          .model = c->model, .budget_usd = c->budget_usd,
	          .has_budget_usd = c->has_budget_usd, .agent = agent);
	ev->subagent_id = id;
	ev->thread_id = c->parent_thread_id;
	ev->status = STATUS_QUEUED;
}

/* The trace of the turn that the command names, or of the running turn of its task, continues. */
static void take_cause(struct decision *d, const struct cmd_spawn_subagent *c,
                       const struct st_task *task)
{
	const struct st_thread *th;
	const struct st_turn *t;

	if (str_is(c->parent_turn_id)) {
		trace_set_cause(d, state_turn(d->w, c->parent_turn_id, NULL), c->parent_turn_id);
		return;
	}
	t = task ? task_turn(d->w, task, &th) : NULL;
	if (t)
		trace_set_cause(d, t, t->attempt_id);
}

/*
 * One commit creates the thread, the child and, with an input, its first turn.  Everything is
 * checked before the first event.  The command is copied, because take_share() fills in the default
 * budget.
 */
void decide_spawn_subagent(struct decision *d, const struct cmd_spawn_subagent *cmd)
{
	struct cmd_spawn_subagent *c = decision_kept(d, cmd, sizeof *cmd);
	const struct st_subagent *parent = subagent_of_thread(d->w, c->parent_thread_id);
	const struct st_task *task = NULL;
	struct rec_agent_definition *agent = NULL;
	struct rec_isolation *isolation;
	struct turn_input in = { 0 };
	struct reply_spawn_subagent r = { .status = SUBAGENT_STATUS_QUEUED };

	if (!state_thread(d->w, c->parent_thread_id)) {
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		return;
	}
	if (str_is(c->parent_turn_id) && !state_turn(d->w, c->parent_turn_id, NULL)) {
		decision_refuse(d, ERROR_CODE_TURN_NOT_FOUND, "there is no such turn here");
		return;
	}
	if (parent && subagent_is_closed(parent)) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "the parent was closed");
		return;
	}
	/* It may have been created while this command waited. */
	if (str_is(c->subagent_id) && subagent_find(d->w, c->subagent_id)) {
		decision_refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s exists", STR_ARG(c->subagent_id));
		return;
	}
	if (str_is(c->parent_task_id)) {
		task = task_open(d, c->parent_task_id);
		if (task && task->cancelled)
			decision_refuse(d, ERROR_CODE_CANCELLING,
			                "%.*s was cancelled and accepts no new work",
			                STR_ARG(c->parent_task_id));
		if (d->refusal)
			return;
	}
	if (str_is(c->input) && !turn_input_read(d, c->input, &in)) {
		decision_refuse(d, ERROR_CODE_INVALID_INPUT, "input: text, not empty");
		return;
	}
	if (str_is(c->agent)) {
		agent = agent_definition_find(d, c->parent_thread_id, c->agent);
		if (!agent)
			return;
	}
	isolation = has_room(d, parent) ? isolation_of(d, c) : NULL;
	if (!isolation || (agent && !agent_definition_allows(d, agent, isolation, c)) ||
	    (agent && agent->remote && !is_for_remote(d, &in)) || !take_share(d, c, parent))
		return;
	if (agent)
		agent_definition_apply(d, agent, isolation, c);
	r.subagent_id = str_is(c->subagent_id) ? c->subagent_id : decision_new_id(d, "sub");
	if (!take_worktree(d, isolation, r.subagent_id))
		return;
	r.thread_id = decision_new_id(d, "thr");
	take_cause(d, c, task);
	emit_spawned(d, c, parent, isolation, agent, r.subagent_id, r.thread_id);
	if (task)
		subagent_emit_delegated(d, task->record->task_id, r.subagent_id);
	if (str_is(c->input)) {
		struct internal_turn o = {
			.thread_id = r.thread_id,
			.turn_id = decision_new_id(d, "turn"),
			.kind = TURN_KIND_SUBAGENT,
			.source = STR("subagent"),
			.family = STR("subagent"),
			.task_kind = STR("chat"),
			.text = in.text,
			.parts = in.parts,
			.options = options_of(d, c->model, c->has_budget_usd, c->budget_usd),
			.subagent_id = r.subagent_id,
		};
		struct rec_tool_request *call = call_of(d, agent, in.text);

		if (call) {
			o.kind = TURN_KIND_CALL;
			o.options =
				KEPT(d, struct rec_turn_options, .call = turn_call_kept(d, call));
		}

		r.turn_id = o.turn_id;
		subagent_emit_input(d, r.subagent_id, r.thread_id, turn_internal_emit(d, &o),
		                    o.turn_id);
	}
	d->reply = rec_text(d->mem, &reply_spawn_subagent_desc, &r);
}

/*
 * Goes through submit_turn, so that queue, steer and interrupt work as for people; the child's
 * model and remaining budget are added.
 */
void decide_send_subagent_input(struct decision *d, const struct cmd_send_subagent_input *c)
{
	const struct st_subagent *s = open_named(d, c->subagent_id);
	struct cmd_submit_turn turn = { .session_id = d->session_id,
		                        .input = c->input,
		                        .delivery = c->delivery,
		                        .create = CREATE_POLICY_NEVER,
		                        .source = STR("subagent") };
	struct reply_send_subagent_input r = { .subagent_id = c->subagent_id };
	const struct event *submitted = NULL;
	struct turn_input in = { 0 };

	if (!s || refuses_words(d, s))
		return;
	turn.thread_id = s->record->thread_id;
	if (s->record->agent && s->record->agent->remote) {
		if (!turn_input_read(d, c->input, &in)) {
			decision_refuse(d, ERROR_CODE_INVALID_INPUT, "input: text, not empty");
			return;
		}
		turn.call = call_of(d, s->record->agent, in.text);
	} else {
		turn.model = s->record->model;
		turn.has_budget_usd = s->has_budget_usd;
		turn.budget_usd = MAX(s->budget_usd - s->spent_usd, 0);
	}
	decide_submit_turn(d, &turn);
	if (d->refusal)
		return;
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_TURN_SUBMITTED)
			submitted = d->events[i];
	r.turn_id = submitted->turn_id;
	r.status = submitted->status == STATUS_QUEUED ? SUBAGENT_STATUS_QUEUED
	                                              : SUBAGENT_STATUS_RUNNING;
	subagent_emit_input(d, c->subagent_id, s->record->thread_id,
	                    ((const struct ev_turn_submitted *)submitted->payload)->input_ref,
	                    r.turn_id);
	d->reply = rec_text(d->mem, &reply_send_subagent_input_desc, &r);
}

void decide_resume_subagent(struct decision *d, const struct cmd_resume_subagent *c)
{
	const struct st_subagent *s = open_named(d, c->subagent_id);
	struct reply_resume_subagent r = { .subagent_id = c->subagent_id,
		                           .status = SUBAGENT_STATUS_RUNNING };
	const struct st_thread *th = s ? state_thread(d->w, s->record->thread_id) : NULL;
	const struct st_turn *t = th ? state_thread_active(th) : NULL;

	if (!s || refuses_words(d, s))
		return;
	if (!t || t->stage != TURN_STAGE_LOST) {
		decision_refuse(d, ERROR_CODE_NOT_RESUMABLE, "nothing of %.*s waits to be resumed",
		                STR_ARG(c->subagent_id));
		return;
	}
	turn_emit_resume(d, th, t, STR("resume_subagent"));
	r.turn_id = t->turn_id;
	d->reply = rec_text(d->mem, &reply_resume_subagent_desc, &r);
}

/* The cause of the stop after which a child is closed. */
#define CLOSE_CAUSE STR("close_subagent")

static void emit_closed(struct decision *d, const struct st_subagent *s, struct str reason)
{
	struct event *ev =
		EMIT(d, SUBAGENT_CLOSED, subagent_closed, .reason = reason,
	             .closed_by = decision_actor(d), .survivors = 0, .has_survivors = true);

	ev->subagent_id = s->record->subagent_id;
	ev->thread_id = s->record->thread_id;
	ev->status = STATUS_CLOSED;
}

/*
 * Running work is stopped first; the child is reported as closed when nothing is left.  Turns that
 * wait in the child's queue end with it, also in one that is held.
 */
static void close_one(struct decision *d, const struct st_subagent *s, struct str reason)
{
	const struct st_thread *th = state_thread(d->w, s->record->thread_id);
	const struct st_turn *t = th ? state_thread_active(th) : NULL;

	if (!t) {
		if (th)
			queue_clear(d, th);
		emit_closed(d, s, reason);
	} else if (t->stage != TURN_STAGE_STOPPING) {
		turn_emit_interrupt(d, th, t, CLOSE_CAUSE, QUEUE_POLICY_CLEAR);
	}
}

/* By command: a turn that stops for another cause is stopped for this one too, or it stays open. */
static void close_by_command(struct decision *d, const struct st_subagent *s, struct str reason)
{
	const struct st_thread *th = state_thread(d->w, s->record->thread_id);
	const struct st_turn *t = th ? state_thread_active(th) : NULL;

	if (t && t->stage == TURN_STAGE_STOPPING && !str_eq(t->stop_cause, CLOSE_CAUSE))
		turn_emit_interrupt(d, th, t, CLOSE_CAUSE, QUEUE_POLICY_CLEAR);
	else
		close_one(d, s, reason);
}

static bool is_active(const struct state *w, const struct st_subagent *s)
{
	const struct st_thread *th = state_thread(w, s->record->thread_id);

	return th && str_is(th->active_turn_id);
}

/*
 * Descendants are closed first.  A closed child can be named once more, to discard a worktree that
 * was kept.
 */
void decide_close_subagent(struct decision *d, const struct cmd_close_subagent *c)
{
	const struct st_subagent *s =
		c->discard_worktree ? subagent_find(d->w, c->subagent_id) : NULL;
	struct str reason = str_is(c->reason) ? c->reason : STR("close_subagent");
	struct reply_close_subagent r = { .subagent_id = c->subagent_id };

	if (s && subagent_is_closed(s)) {
		subagent_worktree_discard(d, s);
		r.status = s->record->status;
		d->reply = rec_text(d->mem, &reply_close_subagent_desc, &r);
		return;
	}
	s = open_named(d, c->subagent_id);
	if (!s)
		return;
	if (c->discard_worktree)
		subagent_worktree_discard(d, s);
	r.status = is_active(d->w, s) ? s->record->status : SUBAGENT_STATUS_CLOSED;
	for (uint32_t i = 0; i < d->w->s->subagents.count; i++) {
		const struct st_subagent *below = d->w->s->subagents.items[i];

		if (!subagent_is_closed(below) &&
		    subagent_is_under(d->w, below, s->record->thread_id))
			close_by_command(d, below, STR("parent_closed"));
	}
	close_by_command(d, s, reason);
	d->reply = rec_text(d->mem, &reply_close_subagent_desc, &r);
}

/* Without an active turn the last reported end stays the status. */
static enum subagent_status status_now(const struct st_thread *th, const struct st_subagent *s)
{
	const struct st_turn *t = state_thread_active(th);

	if (!t)
		return th->order.count ? SUBAGENT_STATUS_QUEUED : s->record->status;
	if (t->stage == TURN_STAGE_LOST || t->stage == TURN_STAGE_BACKING_OFF)
		return SUBAGENT_STATUS_BLOCKED;
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]) &&
		    str_eq(th->actions.items[i]->turn_id, t->turn_id))
			return SUBAGENT_STATUS_BLOCKED;
	return SUBAGENT_STATUS_RUNNING;
}

/* What the child said last; of a remote agent the result of the call, which is stored. */
static struct str last_ref(const struct decision *d, const struct st_subagent *s,
                           const struct st_turn *t)
{
	const struct st_thread *th = state_thread(d->w, s->record->thread_id);

	for (uint32_t i = th && t->kind == TURN_KIND_CALL ? th->calls.count : 0; i-- > 0;)
		if (str_eq(th->calls.items[i]->turn_id, t->turn_id))
			return th->calls.items[i]->output_ref;
	return t->last_message_ref;
}

static void emit_ended(struct decision *d, const struct st_subagent *s, const struct st_turn *t)
{
	struct str said = last_ref(d, s, t);
	struct event *ev;

	if (t->status == STATUS_COMPLETED) {
		ev = EMIT(d, SUBAGENT_COMPLETED, subagent_completed, .last_message_ref = said,
		          .usage = budget_turn_tokens(d, t),
		          .usage_state = t->untold_usage ? HONESTY_UNKNOWN : 0,
		          .cost_usd = t->spent_usd, .has_cost_usd = !t->cost_unknown,
		          .amount_state = t->cost_unknown ? HONESTY_UNKNOWN : 0,
		          .summary = t->last_message_preview);
		if (str_is(said))
			decision_add_ref(d, ev, STR("lastMessage"), said);
		ev->status = STATUS_COMPLETED;
	} else {
		ev = EMIT(d, SUBAGENT_FAILED, subagent_failed,
		          .category = t->last_error              ? t->last_error->category
		                      : t->status == STATUS_LOST ? ERROR_CATEGORY_LOST
		                                                 : ERROR_CATEGORY_CANCELLED,
		          .message = str_is(t->status_reason) ? t->status_reason : STR("it failed"),
		          .retryable = true);
		ev->status = t->status == STATUS_CANCELLED ? STATUS_CANCELLED : STATUS_FAILED;
	}
	ev->subagent_id = s->record->subagent_id;
	ev->thread_id = s->record->thread_id;
	ev->turn_id = t->turn_id;
}

/* The task that the child works for, or that one above it works for, was cancelled. */
static bool is_cancelled_above(const struct state *w, const struct st_subagent *s)
{
	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		const struct st_task *task = str_is(s->record->parent_task_id)
		                                     ? state_task(w, s->record->parent_task_id)
		                                     : NULL;

		if (task && task->cancelled)
			return true;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return false;
}

/*
 * It exists as long as the turn whose tool asked; a request whose call has ended, or was lost in a
 * restart, needs no answer.
 */
static bool step_sampling(struct decision *d, const struct st_subagent *s,
                          const struct st_thread *th)
{
	const struct st_turn *above = state_turn(d->w, s->record->parent_turn_id, NULL);
	const struct st_turn *t = state_thread_active(th);
	size_t before = d->count;

	if (!above || turn_is_over(above))
		close_one(d, s, STR("turn_ended"));
	else if (t && t->stage != TURN_STAGE_STOPPING && !sampling_is_wanted(d->w, s, t))
		turn_emit_interrupt(d, th, t, STR("call_ended"), QUEUE_POLICY_CLEAR);
	return d->count > before;
}

/*
 * Derives the child's events from its thread: the end of a turn is reported exactly once, which
 * ended_turn_id records.  A close that was requested during a turn is completed with that turn's
 * end.
 */
static bool step_child(struct decision *d, const struct st_subagent *s)
{
	const struct st_thread *th = state_thread(d->w, s->record->thread_id);
	const struct st_turn *last;
	enum subagent_status now;
	struct event *ev;

	if (!th || subagent_is_closed(s))
		return false;
	last = th->last_outcome ? state_thread_turn(th, th->last_outcome->turn_id) : NULL;
	if (last && !(str_is(s->ended_turn_id) && str_eq(s->ended_turn_id, last->turn_id))) {
		emit_ended(d, s, last);
		if (str_is(last->stop_cause) && str_eq(last->stop_cause, CLOSE_CAUSE))
			emit_closed(d, s, STR("close_subagent"));
		return true;
	}
	/* spec: SUB-06 — cancelling a task cancels the children that it spawned, and theirs. */
	if (is_cancelled_above(d->w, s)) {
		size_t before = d->count;

		close_one(d, s, STR("parent_cancelled"));
		if (d->count > before)
			return true;
	}
	if (str_is(s->record->tool_server) && step_sampling(d, s, th))
		return true;
	now = status_now(th, s);
	if (now == s->record->status)
		return false;
	ev = EMIT(d, SUBAGENT_STATUS, subagent_status, .kind = SUBAGENT_STATUS_KIND_STATUS,
	          .from = s->record->status);
	ev->subagent_id = s->record->subagent_id;
	ev->thread_id = s->record->thread_id;
	ev->status = rec_enum_read(&enum_status, subagent_status_word(now));
	return true;
}

bool subagent_decide_step(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->subagents.count; i++)
		if (step_child(d, d->w->s->subagents.items[i]))
			return true;
	return false;
}

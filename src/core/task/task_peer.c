/*
 * Remote agents: who may be given a task, and the run that it gets.
 * spec: contracts/agent-task#a2a-mapping; A2T-01
 */
#include "core/task/task_peer.h"

#include "base/jw.h"
#include "core/approval/permission.h"
#include "core/gen/tables.h"
#include "core/session/trace.h"
#include "core/turn/turn.h"

/* ---- who may be given a task ---- */

static const struct tool_info *tool_of(const struct decision *d, struct arena *mem, struct str name)
{
	return decision_settings_tool(d->settings, arena_printf(mem, "peer__%.*s", STR_ARG(name)));
}

static struct str input_of(struct decision *d, const struct st_task *t)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "input", t->record->objective);
	jw_obj_end(&w);
	text = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static struct permission_ask ask_of(struct decision *d, const struct st_task *t,
                                    const struct tool_info *tool)
{
	struct permission_ask ask = { .mem = d->mem,
		                      .w = d->w,
		                      .settings = d->settings,
		                      .now = d->wall,
		                      .tool = tool,
		                      .args = input_of(d, t) };

	permission_bind(&ask, t->record->thread_id, t->record->task_id);
	return ask;
}

/*
 * A rule that denies holds for everyone.  One that asks is answered by the command itself, if its
 * caller may approve.
 */
static bool is_permitted(struct decision *d, const struct st_task *t, const struct tool_info *tool)
{
	struct permission_ask ask = ask_of(d, t, tool);
	struct rec_permission_decision v = { 0 };

	permission_judge_bound(d, &ask, t->record->thread_id, t->record->task_id, &v);
	if (v.decision == APPROVAL_DECISION_ALLOW || v.decision == APPROVAL_DECISION_SANDBOXED)
		return true;
	if (v.decision == APPROVAL_DECISION_ASK && d->call &&
	    (d->call->caller.scopes & 1u << SCOPE_APPROVE))
		return true;
	decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s: %.*s", STR_ARG(tool->name),
	                STR_ARG(v.decision == APPROVAL_DECISION_ASK
	                                ? STR("a person has to approve it, and this caller may "
	                                      "not approve")
	                                : v.decision_reason));
	return false;
}

bool task_peer_check(struct decision *d, const struct st_task *t, const struct rec_worker *w)
{
	const struct tool_info *tool = str_is(w->ref) ? tool_of(d, d->mem, w->ref) : NULL;

	if (!str_is(w->ref)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "worker.ref: a peer is named as agents.remote names it");
		return false;
	}
	if (!tool) {
		decision_refuse(d, ERROR_CODE_NOT_FOUND,
		                "worker.ref: agents.remote has no agent %.*s", STR_ARG(w->ref));
		return false;
	}
	if (d->w->s->delegation_depth >= LIMIT_DELEGATION_DEPTH) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "worker: %lld delegations have led here, and no more than %d may "
		                "follow each other",
		                (long long)d->w->s->delegation_depth, LIMIT_DELEGATION_DEPTH);
		return false;
	}
	return is_permitted(d, t, tool);
}

/* ---- the run ---- */

static struct str agent_of(const struct task_launch *l)
{
	return (l->worker ? l->worker : l->task->worker)->ref;
}

/* Why the agent may not get a run that was allowed before; absent: it may. */
static struct str denied(struct decision *d, const struct task_launch *l)
{
	const struct tool_info *tool = tool_of(d, d->mem, agent_of(l));
	struct rec_permission_decision v = { 0 };
	struct permission_ask ask;

	if (!tool)
		return STR("agents.remote has no such agent any more");
	if (d->w->s->delegation_depth >= LIMIT_DELEGATION_DEPTH)
		return STR("too many delegations have led here");
	ask = ask_of(d, l->task, tool);
	return permission_forbids(&ask, &v) ? v.decision_reason : STR_NONE;
}

/* A retry policy starts runs without a command: a rule that denies holds for them as well. */
bool task_peer_emit_denied(struct decision *d, const struct task_launch *l)
{
	struct str why = denied(d, l);
	struct event *ev;

	if (!str_is(why))
		return false;
	ev = task_name_in(EMIT(d, TASK_BLOCKED, task_blocked,
	                       .blocker = KEPT(d, struct rec_blocker, .kind = STR("resource"),
	                                       .ref = arena_printf(d->mem, "peer__%.*s",
	                                                           STR_ARG(agent_of(l))),
	                                       .status = STATUS_UNAVAILABLE),
	                       .ended_by = STRINGS(d, STR("retry_task"), STR("cancel_task"))),
	                  l->task);
	task_status(d, ev, l->task->record->task_id, TASK_STATUS_BLOCKED);
	ev->status_reason = why;
	return true;
}

void task_peer_emit_run(struct decision *d, const struct task_launch *l, const struct task_ids *ids)
{
	struct rec_worker w = { .kind = WORKER_KIND_PEER,
		                .ref = agent_of(l),
		                .depth = d->w->s->delegation_depth + 1,
		                .has_depth = true };
	struct str input = l->task->input_ref;
	struct trace_start trace;

	if (l->input)
		input = decision_new_blob(d, STR("application/json"), l->input->parts);
	task_worker_emit_run(d, l->task, ids, &w, input);
	/* What is sent to the agent continues the trace of the command that caused it. */
	trace_begin(d, ids->run_id, &trace);
	d->events[d->count - 1]->trace_id = trace.trace_id;
	d->events[d->count - 1]->span_id = trace.span_id;
}

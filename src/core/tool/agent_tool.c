/* Calls of the tools for child agents: running them, waiting, and their results. */
#include "core/tool/agent_tool.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "core/tool/call_input.h"
#include "core/gen/tables.h"
#include "core/session/trace.h"
#include "core/subagent/subagent.h"
#include "core/tool/todo.h"
#include "core/tool/tool_emit.h"

/* Default timeout of wait_agents. */
#define WAIT_MS 300000
#define SUMMARY_BYTES 500

/* One call of a tool of the core, during its step. */
struct asked {
	struct decision *d;
	const struct st_thread *th;
	const struct st_turn *t;
	const struct st_call *c;
	struct json args;
};

/* ---- results ---- */

static struct str last_words(const struct state *w, const struct st_subagent *s)
{
	const struct st_thread *th = state_thread(w, s->record->thread_id);
	const struct st_turn *t =
		th && str_is(s->ended_turn_id) ? state_thread_turn(th, s->ended_turn_id) : NULL;

	return t ? str_is(t->last_message_preview) ? t->last_message_preview : t->status_reason
	         : STR_NONE;
}

static void write_agent(struct json_writer *w, struct decision *d, const struct st_subagent *s)
{
	struct str said = last_words(d->w, s);

	jw_obj(w);
	JW_KSTR(w, "agent", s->record->subagent_id);
	JW_KOPT(w, "nickname", s->record->nickname);
	JW_KSTR(w, "role", s->record->role);
	JW_KSTR(w, "status", subagent_status_word(s->record->status));
	if (str_is(said))
		JW_KSTR(w, "summary", utf8_preview(d->mem, said, SUMMARY_BYTES));
	jw_obj_end(w);
}

static void respond_text(struct asked *a, struct str text)
{
	tool_emit_text(a->d, a->th, a->t, a->c, text, false, STR_NONE);
}

/* The model gets the refusal as a result: nothing happened, and it may try otherwise. */
static void respond_refusal(struct asked *a)
{
	struct str why =
		arena_printf(a->d->mem, "%.*s: %.*s", STR_ARG(error_code_word(a->d->refusal)),
	                     STR_ARG(a->d->detail));

	a->d->refusal = 0;
	a->d->count = 0;
	tool_emit_text(a->d, a->th, a->t, a->c, why, true, STR_NONE);
}

/*
 * The decisions of commands leave a reply or a refusal in the decision.  Both become the result of
 * the call, and none of them may remain: the step itself is not a command.
 */
static void respond_reply(struct asked *a)
{
	if (a->d->refusal)
		respond_refusal(a);
	else
		respond_text(a, a->d->reply);
	a->d->reply = STR_NONE;
}

/* ---- the child that a call names ---- */

/* Not what answers the requests of a tool server: that is no concern of the model. */
static bool is_agent(const struct st_subagent *s)
{
	return !str_is(s->record->tool_server);
}

/*
 * By id or nickname, the newest first.  Only descendants of the calling thread are found, so that
 * an agent cannot address its parent or siblings.
 */
static const struct st_subagent *find_child(const struct asked *a, struct str name)
{
	const struct st_session *w = a->d->w->s;
	const struct st_subagent *found = NULL;

	for (uint32_t i = w->subagents.count; i-- > 0 && !found;) {
		const struct st_subagent *s = w->subagents.items[i];
		bool is_it = str_eq(s->record->subagent_id, name) ||
		             (str_is(s->record->nickname) && str_eq(s->record->nickname, name));

		if (is_it && is_agent(s) && subagent_is_under(a->d->w, s, a->th->thread_id))
			found = s;
	}
	return found;
}

static const struct st_subagent *find_named_child(struct asked *a)
{
	struct str name = json_str(JSON_GET(a->args, "agent"));
	const struct st_subagent *s = find_child(a, name);

	if (!s)
		decision_refuse(a->d, ERROR_CODE_SUBAGENT_NOT_FOUND,
		                "%.*s is not a child agent of yours", STR_ARG(name));
	return s;
}

static struct str input_json(struct asked *a)
{
	return json_text(a->d->mem, JSON_GET(a->args, "input"));
}

/* ---- one tool each ---- */

/*
 * What the call leaves out is inherited from the parent. decide_spawn_subagent() refuses bounds
 * that are wider than the parent's, so a model can only narrow them.
 */
static struct rec_isolation *isolation(struct asked *a)
{
	struct rec_isolation *r = subagent_decide_bounds(a->d, a->th->thread_id, a->t->task_id);
	struct json tools = JSON_GET(a->args, "tools");

	if (json_bool(JSON_GET(a->args, "readOnly"), false))
		r->permission_mode = PERMISSION_MODE_PLAN;
	if (json_bool(JSON_GET(a->args, "worktree"), false))
		r->workspace = isolation_workspace_word(ISOLATION_WORKSPACE_WORKTREE);
	if (json_type(tools) != JSON_ARR)
		return r;
	r->tools = decision_strings(a->d, 0, NULL);
	for (size_t i = 0; i < json_count(tools); i++)
		rec_list_str_add(a->d->mem, &r->tools, json_str(json_at(tools, i)));
	return r;
}

static void spawn_child(struct asked *a)
{
	struct json usd = JSON_GET(a->args, "budgetUsd");
	struct str model = json_str(JSON_GET(a->args, "model"));
	struct cmd_spawn_subagent c = {
		.session_id = a->d->session_id,
		.parent_thread_id = a->th->thread_id,
		.parent_turn_id = a->t->turn_id,
		.parent_task_id = a->t->task_id,
		.role = json_str(JSON_GET(a->args, "role")),
		.nickname = json_str(JSON_GET(a->args, "nickname")),
		.agent = json_str(JSON_GET(a->args, "agent")),
		.input = input_json(a),
		.isolation = isolation(a),
		.model_policy = str_is(model) ? MODEL_POLICY_OVERRIDE : MODEL_POLICY_INHERIT,
		.model = model,
		.has_budget_usd = json_is(usd),
		.budget_usd = (int64_t)(json_real(usd, 0) * 1e9 + 0.5),
	};

	/* Nicknames address children, so two open ones must not share a name. */
	if (str_is(c.nickname) && find_child(a, c.nickname) &&
	    !subagent_is_closed(find_child(a, c.nickname)))
		decision_refuse(a->d, ERROR_CODE_ID_CONFLICT,
		                "a child of yours is called %.*s already", STR_ARG(c.nickname));
	else
		decide_spawn_subagent(a->d, &c);
	respond_reply(a);
}

static void send_to_child(struct asked *a)
{
	const struct st_subagent *s = find_named_child(a);

	if (s)
		decide_send_subagent_input(a->d, &(struct cmd_send_subagent_input){
							 .session_id = a->d->session_id,
							 .subagent_id = s->record->subagent_id,
							 .input = input_json(a),
							 .delivery = DELIVERY_QUEUE });
	respond_reply(a);
}

static void resume_child(struct asked *a)
{
	const struct st_subagent *s = find_named_child(a);

	if (s)
		decide_resume_subagent(a->d, &(struct cmd_resume_subagent){
						     .session_id = a->d->session_id,
						     .subagent_id = s->record->subagent_id });
	respond_reply(a);
}

static void close_child(struct asked *a)
{
	const struct st_subagent *s = find_named_child(a);

	if (s)
		decide_close_subagent(a->d,
		                      &(struct cmd_close_subagent){
					      .session_id = a->d->session_id,
					      .subagent_id = s->record->subagent_id,
					      .reason = json_str(JSON_GET(a->args, "reason")) });
	respond_reply(a);
}

/*
 * The text stays where the child stored it; the model gets it from there. modelText makes the
 * assembly of the conversation read the child's message itself; the event shows a preview.
 */
static void read_child(struct asked *a)
{
	const struct st_subagent *s = find_named_child(a);
	struct event *ev;

	if (!s) {
		respond_refusal(a);
		return;
	}
	if (!str_is(s->record->last_message_ref)) {
		respond_text(a,
		             arena_printf(a->d->mem, "%.*s has not said anything yet; it is %.*s.",
		                          STR_ARG(s->record->subagent_id),
		                          STR_ARG(subagent_status_word(s->record->status))));
		return;
	}
	respond_text(a, utf8_preview(a->d->mem, last_words(a->d->w, s), SUMMARY_BYTES));
	ev = a->d->events[a->d->count - 1];
	decision_add_ref(a->d, ev, STR("modelText"), s->record->last_message_ref);
}

static struct str text_of(struct asked *a, struct buf *out)
{
	struct str text = arena_keep(a->d->mem, buf_str(out));

	buf_done(out);
	return text;
}

static void list_children(struct asked *a)
{
	const struct st_session *w = a->d->w->s;
	struct buf out = { 0 };
	struct json_writer jw;

	jw_init(&jw, &out);
	jw_arr(&jw);
	for (uint32_t i = 0; i < w->subagents.count; i++)
		if (is_agent(w->subagents.items[i]) &&
		    subagent_is_under(a->d->w, w->subagents.items[i], a->th->thread_id))
			write_agent(&jw, a->d, w->subagents.items[i]);
	jw_arr_end(&jw);
	respond_text(a, text_of(a, &out));
}

/* ---- waiting ---- */

/* The children that a call waits for, and how many of them have come to rest. */
struct group {
	const struct st_subagent *items[LIMIT_SUBAGENTS_PER_SESSION];
	size_t count, resting;
};

static void add_member(struct asked *a, struct group *g, const struct st_subagent *s)
{
	if (g->count == COUNT_OF(g->items))
		return;
	g->items[g->count++] = s;
	g->resting += subagent_is_settled(a->d->w, s);
}

/* False after refusing: one of them is no child of this agent. */
static bool collect_group(struct asked *a, struct group *g)
{
	struct json names = JSON_GET(a->args, "agents");
	const struct st_session *w = a->d->w->s;

	for (uint32_t i = 0; json_type(names) != JSON_ARR && i < w->subagents.count; i++)
		if (!subagent_is_closed(w->subagents.items[i]) && is_agent(w->subagents.items[i]) &&
		    str_eq(w->subagents.items[i]->record->parent_thread_id, a->th->thread_id))
			add_member(a, g, w->subagents.items[i]);
	for (size_t i = 0; json_type(names) == JSON_ARR && i < json_count(names); i++) {
		struct str name = json_str(json_at(names, i));
		const struct st_subagent *s = find_child(a, name);

		if (!s) {
			decision_refuse(a->d, ERROR_CODE_SUBAGENT_NOT_FOUND,
			                "%.*s is not a child agent of yours", STR_ARG(name));
			return false;
		}
		add_member(a, g, s);
	}
	return true;
}

/*
 * False: the call continues to wait.  The step after any event checks again, since children make
 * progress by events; agent_tool_time() checks at the deadline, where the result says timedOut
 * instead of failing.
 */
static bool wait_for_children(struct asked *a)
{
	struct group g = { 0 };
	struct buf out = { 0 };
	struct json_writer jw;
	bool is_over, is_late = a->c->until <= a->d->now;

	if (!collect_group(a, &g)) {
		respond_refusal(a);
		return true;
	}
	is_over = json_bool(JSON_GET(a->args, "all"), false) ? g.resting == g.count
	                                                     : g.resting > 0 || !g.count;
	if (!is_over && !is_late)
		return false;
	jw_init(&jw, &out);
	jw_obj(&jw);
	JW_KBOOL(&jw, "timedOut", !is_over);
	JW_KEY(&jw, "agents");
	jw_arr(&jw);
	for (size_t i = 0; i < g.count; i++)
		write_agent(&jw, a->d, g.items[i]);
	jw_arr_end(&jw);
	jw_obj_end(&jw);
	respond_text(a, text_of(a, &out));
	return true;
}

/* ---- the steps of a call ---- */

static bool read_args(struct asked *a)
{
	struct str text = call_input_text(a->d, a->c);

	return str_is(text) && json_read_trusted(a->d->mem, text, &a->args, NULL) == OK;
}

/*
 * The mark precedes the action, as for other tools (GAP-36), although both are one commit here:
 * `until` in it is what a restart continues from.
 */
void agent_tool_dispatch(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct asked a = { d, th, t, c, { 0 } };
	int64_t until = 0;
	struct event *ev;

	if (tool->own == OWN_TOOL_WAIT_AGENTS && read_args(&a)) {
		struct json ms = JSON_GET(a.args, "timeoutMs");

		until = d->now + json_int(ms, WAIT_MS);
	}
	ev = decision_in_call(EMIT(d, TOOL_PROGRESS, tool_progress,
	                           .kind = TOOL_PROGRESS_KIND_DISPATCHED, .by_runtime = true,
	                           .has_by_runtime = true, .until = until),
	                      th, t, c);
	ev->status = STATUS_RUNNING;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
}

/*
 * Runs after dispatch was folded.  A tool that has left the settings and arguments that cannot be
 * read fail the call.
 */
bool agent_tool_step(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct st_call *c)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct asked a = { d, th, t, c, { 0 } };

	if (!tool || !read_args(&a)) {
		tool_emit_failed(d, th, t, c, STATUS_FAILED, tool_error_arguments_too_long());
		return true;
	}
	trace_set_cause(d, t, c->tool_call_id);
	switch (tool->own) {
	case OWN_TOOL_SPAWN_AGENT:
		spawn_child(&a);
		break;
	case OWN_TOOL_SEND_AGENT:
		send_to_child(&a);
		break;
	case OWN_TOOL_WAIT_AGENTS:
		return wait_for_children(&a);
	case OWN_TOOL_READ_AGENT:
		read_child(&a);
		break;
	case OWN_TOOL_RESUME_AGENT:
		resume_child(&a);
		break;
	case OWN_TOOL_CLOSE_AGENT:
		close_child(&a);
		break;
	case OWN_TOOL_LIST_AGENTS:
		list_children(&a);
		break;
	case OWN_TOOL_UPDATE_TODO:
		respond_text(&a, todo_text(d->mem, a.args));
		break;
	default:
		tool_emit_failed(d, th, t, c, STATUS_FAILED,
		                 tool_error_tool_gone(d->mem, c->tool_name));
	}
	return true;
}

/* ---- time ---- */

static bool is_waiting(const struct st_call *c)
{
	return c->by_runtime && c->until && !call_is_over(c);
}

/* A stopping turn ends its calls itself. */
bool agent_tool_time(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];

		for (uint32_t n = 0; n < th->calls.count; n++) {
			const struct st_call *c = th->calls.items[n];
			const struct st_turn *t = state_thread_turn(th, c->turn_id);

			if (t && is_waiting(c) && c->until <= d->now &&
			    t->stage != TURN_STAGE_STOPPING)
				return agent_tool_step(d, th, t, c);
		}
	}
	return false;
}

int64_t agent_tool_deadline(const struct state *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->calls.count; n++)
			if (is_waiting(th->calls.items[n]) &&
			    (!best || th->calls.items[n]->until < best))
				best = th->calls.items[n]->until;
	}
	return best;
}

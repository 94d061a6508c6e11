/*
 * One call of a server's tool, from the engine's request to its end.
 *
 *   mcp_call_start ─► open ─► answered ─► violations reported ─► end
 *                      │ ▲
 *                      ▼ │ mcp_call_answer        timeout, cancel, lost: end at once
 *                    waiting for a user
 *
 * Exactly one end is reported, always from the loop.
 */
#include "mcp/call/mcp_call_int.h"

/* ---- resources ---- */

static void list_resources(struct tool_handle *h)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	mcp_resource_list(h->server, h->call.args, &text);
	mcp_call_end_with_text(h, buf_str(&text));
}

/* Reading changes nothing, so a broken exchange is repeated. */
static void prepare_read(struct tool_handle *h)
{
	h->call.method = STR("resources/read");
	h->call.params = mcp_resource_params(h->mem, h->call.args, &h->uri);
	h->call.is_repeatable = true;
}

/* ---- the port ---- */

/* Before the call is sent, every refusal says EXECUTED_NO, so that the engine may try again. */
struct tool_handle *mcp_call_start(struct toolset *port, const struct tool_start *start,
                                   const struct tool_sink *sink, void *owner)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	const struct mcp_offer *offer = NULL;
	struct mcp_server *s = mcp_inventory_find(set, start->name, &offer);
	bool is_resumed = str_is(start->remote_task), has_rules;
	enum executed executed = is_resumed ? EXECUTED_UNKNOWN : EXECUTED_NO;
	enum mcp_resource_tool own;

	h->mem = mem;
	h->set = set;
	h->sink = *sink;
	h->owner = owner;
	list_add(&set->handles, &h->all);
	/* A running `end` timer means that the process has failed and is about to be ended. */
	if (!s || (!is_resumed && ((s->state != MCP_READY && s->state != MCP_LOGIN) ||
	                           loop_timer_is_running(&s->end)))) {
		mcp_call_end_fail_later(h, executed, tool_error_tool_server_down());
		return h;
	}
	/*
	 * The process has its sandbox since its start and keeps it.  A rule that came later needs a
	 * new process; until that is ready the call must not run.
	 */
	has_rules = mcp_sandbox_keeps(s, mem, start->deny);
	if (!has_rules)
		mcp_sandbox_deny(port, start->deny);
	if (!has_rules && !is_resumed) {
		mcp_call_end_fail_later(h, executed, tool_error_tool_server_restarts());
		return h;
	}
	if (s->call_count >= LIMIT_MCP_CALLS && !is_resumed) {
		mcp_call_end_fail_later(h, executed, tool_error_tool_server_busy());
		return h;
	}
	h->server = s;
	h->name = arena_keep(mem, start->name);
	own = offer ? MCP_RESOURCE_NONE : mcp_resource_find(s, start->name);
	h->is_login_tool = !offer && !own;
	h->call.tool = offer ? arena_keep(mem, offer->tool.name) : STR_NONE;
	h->call.args = arena_keep(mem, start->args);
	h->call.caller = arena_keep(mem, start->caller);
	h->call.trace = trace_context_keep(mem, start->trace);
	if (start->client)
		h->call.client = rec_clone(mem, &rec_call_client_desc, start->client);
	h->output_schema = offer ? arena_keep(mem, offer->tool.output_schema) : STR_NONE;
	list_add(&s->calls, &h->node);
	s->call_count++;
	if (is_resumed) {
		mcp_call_task_keep(h, start->remote_task);
		mcp_call_task_resume(h, has_rules && s->state == MCP_READY &&
		                                !loop_timer_is_running(&s->end));
		return h;
	}
	if (s->state == MCP_LOGIN) {
		mcp_call_login_want(h);
		return h;
	}
	if (own == MCP_RESOURCE_LIST) {
		list_resources(h);
		return h;
	}
	if (own == MCP_RESOURCE_READ)
		prepare_read(h);
	else if (!offer) { /* it was listed while the login was missing */
		mcp_call_end_with_text(h, STR("The user is signed in already."));
		return h;
	}
	h->call.wants_task = offer && offer->tool.takes_task && h->sink.remote;
	mcp_call_end_arm_timeout(h);
	mcp_protocol_call(s->connection, &h->call);
	return h;
}

void mcp_call_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->asked)
		return; /* already ended; the report follows from the loop */
	if (mcp_call_task_cancel(h))
		return;
	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call,
		                    STR("the turn was interrupted"));
	if (h->server && h->login) {
		h->login = CALL_LOGIN_NONE;
		mcp_call_login_changed(h->server); /* another call may have to ask now */
	}
	mcp_call_end_later(
		h, &(struct tool_end){ .cancelled = true,
	                               .executed = EXECUTED_UNKNOWN,
	                               .message = STR("the server was asked to cancel the call") });
}

void mcp_call_leave(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->asked)
		return;
	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call, STR("the program stops"));
	mcp_call_end_later(h,
	                   &(struct tool_end){ .cancelled = true, .executed = EXECUTED_UNKNOWN });
}

/* A result comes as a whole and is bounded, so there is nothing to pause. */
void mcp_call_pause(struct toolset *port, struct tool_handle *h)
{
	(void)port, (void)h;
}

void mcp_call_answer(struct toolset *port, struct tool_handle *h, enum tool_answer action,
                     struct str content)
{
	static const char *const words[] = {
		[TOOL_ACCEPT] = "accept", [TOOL_DECLINE] = "decline", [TOOL_DISMISS] = "cancel"
	};

	(void)port;
	if (!h->server || !h->is_waiting)
		return;
	if (h->login == CALL_LOGIN_ASKS) {
		mcp_call_login_answer(h, action, content);
		return;
	}
	h->is_waiting = false;
	if (!h->call.is_open)
		return; /* the exchange that asked is over */
	mcp_call_end_arm_timeout(h);
	mcp_protocol_answer(h->server->connection, &h->call, str_from(words[action]),
	                    action == TOOL_ACCEPT || h->is_sampling ? content : STR_NONE);
}

/* ---- what the server says ---- */

void mcp_call_asked(struct mcp_call *c, const struct mcp_question *q)
{
	struct tool_handle *h = mcp_call_handle(c);

	if (h->is_cancelling) {
		mcp_protocol_answer(h->server->connection, c, STR("cancel"), STR_NONE);
		return;
	}
	/* A person may take days; the server's timeout does not count that time. */
	h->is_waiting = true;
	h->is_sampling = q->sampling != NULL;
	loop_timer_stop(&h->timer);
	if (q->sampling && h->sink.sample)
		h->sink.sample(h->owner, q->sampling);
	else if (q->sampling)
		mcp_call_answer(&h->set->port, h, TOOL_DISMISS, STR("nothing here asks models"));
	else if (q->is_login && h->sink.login)
		h->sink.login(h->owner, q->message, STR_NONE);
	else
		h->sink.ask(h->owner, q->message, q->schema, q->requests);
}

/* The answer may be on its way from the engine; then `is_waiting` is off when it comes. */
void mcp_call_settled(struct mcp_call *c, bool is_done)
{
	struct tool_handle *h = mcp_call_handle(c);

	if (!h->is_waiting)
		return;
	h->is_waiting = false;
	mcp_call_end_arm_timeout(h);
	if (is_done && h->sink.signed_in)
		h->sink.signed_in(h->owner);
	else if (!is_done && h->sink.withdrawn)
		h->sink.withdrawn(h->owner);
}

void mcp_call_violated(struct mcp_server *s, const struct tool_violation *v)
{
	struct tool_handle *h;

	if (s->call_count != 1)
		return;
	h = LIST_ITEM(s->calls.next, struct tool_handle, node);
	h->sink.violation(h->owner, v);
}

void mcp_call_ended(struct mcp_call *c, const struct mcp_result *r)
{
	struct tool_handle *h = mcp_call_handle(c);
	struct mcp_task task = { 0 };

	loop_timer_stop(&h->timer);
	if (h->is_cancelling) {
		mcp_call_task_cancelled(h, "the server was asked to cancel the task");
		return;
	}
	if (str_is(h->task) && (r->is_lost || !mcp_call_task_is_result(h))) {
		mcp_call_task_answered(h, r);
		return;
	}
	if (r->is_lost) {
		mcp_call_end_lost(h, r);
		return;
	}
	if (r->is_refused) {
		mcp_call_end_refused(h, r);
		return;
	}
	if (str_is(h->uri)) {
		mcp_call_result_resource(h, r);
		return;
	}
	if (!str_is(h->task) && h->sink.remote)
		task = mcp_task_created(r->whole, h->call.wants_task, mcp_call_task_is_modern(h));
	if (task.status)
		mcp_call_task_began(h, &task);
	else if (task.is_bad)
		mcp_call_task_lost(h, STR("its task has no id or status that can be followed"));
	else
		mcp_call_result(h, r);
}

/*
 * The server is gone, and it is not known which calls it executed.  Those that wait for a login were
 * not sent and do not need this connection, unless no other follows.
 */
void mcp_call_lose_all(struct mcp_server *s, struct str why)
{
	LIST_EACH_SAFE (&s->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->login && !h->call.is_open && s->state != MCP_STOPPED)
			continue;
		if (str_is(h->task) && !h->asked && s->state != MCP_STOPPED) {
			if (s->connection)
				mcp_protocol_cancel(s->connection, &h->call, STR("over"));
			mcp_call_task_park(h);
			continue;
		}

		/* The protocol must let go of the call before the handle can be freed. */
		if (s->connection && !h->asked)
			mcp_protocol_cancel(s->connection, &h->call, STR("over"));
		list_remove(&h->node);
		s->call_count--;
		h->server = NULL;
		if (h->asked) {
			mcp_call_end_later(h, &h->end); /* it was answered before */
			continue;
		}
		/* A request that was refused for its login has not run. */
		mcp_call_end_fail_later(
			h, h->login ? EXECUTED_NO : EXECUTED_UNKNOWN,
			tool_error_tool_server_ended(h->mem, str_head(why, MCP_CALL_MESSAGE_MAX)));
	}
}

void mcp_call_drop_all(struct mcp_set *s)
{
	while (!list_is_empty(&s->handles))
		mcp_call_end_free(LIST_ITEM(s->handles.next, struct tool_handle, all));
}

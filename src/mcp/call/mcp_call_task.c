/*
 * Calls that the server runs as tasks.  The call asks for its task from time to time, and neither a
 * broken connection nor the end of this program ends it.
 */
#include "mcp/call/mcp_call_int.h"

#include "net/jsonrpc.h"

#define TASK_ASKS_MAX 16
#define TASK_CUTS_MAX 8
#define TASK_CUT_MAX_MS 30000
#define TASK_CANCEL_MS 5000

bool mcp_call_task_is_modern(const struct tool_handle *h)
{
	return mcp_protocol_version(h->server->connection) == MCP_2026_07_28;
}

void mcp_call_task_keep(struct tool_handle *h, struct str id)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	h->task = arena_keep(h->mem, id);
	h->poll_ms = MCP_TASK_POLL_MS;
	mcp_message_write_one(&params, STR("taskId"), h->task);
	h->task_params = arena_keep(h->mem, buf_str(&params));
}

static void task_send(struct tool_handle *h, const char *method)
{
	h->call.method = str_from(method);
	h->call.params = h->task_params;
	h->call.is_repeatable = true;
	mcp_call_end_arm_timeout(h);
	mcp_protocol_call(h->server->connection, &h->call);
}

/* The exchange with its question is over: an answer has no place to go to. */
static void task_withdraw(struct tool_handle *h)
{
	if (!h->is_waiting)
		return;
	h->is_waiting = false;
	if (h->sink.withdrawn)
		h->sink.withdrawn(h->owner);
}

static void on_poll(struct loop_timer *t)
{
	task_send(OWNER_OF(t, struct tool_handle, timer), "tasks/get");
}

/* Longer after each exchange that broke. */
static void task_wait(struct tool_handle *h)
{
	int64_t longest = MAX(h->poll_ms, (int64_t)TASK_CUT_MAX_MS);

	loop_timer_start(h->set->o.loop, &h->timer, MIN(h->poll_ms << h->task_cuts, longest),
	                 on_poll);
}

void mcp_call_task_lost(struct tool_handle *h, struct str why)
{
	mcp_call_end_lost(
		h, &(struct mcp_result){ .is_lost = true, .was_sent = true, .message = why });
}

static void task_failed(struct tool_handle *h, struct str why)
{
	mcp_call_end_refused(h, &(struct mcp_result){ .is_refused = true, .message = why });
}

void mcp_call_task_cancelled(struct tool_handle *h, const char *what)
{
	mcp_call_end_report(h, &(struct tool_end){ .cancelled = true,
	                                           .executed = EXECUTED_UNKNOWN,
	                                           .message = str_from(what) });
}

static void on_park_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	if (h->is_cancelling)
		mcp_call_task_cancelled(
			h, "the server was away and could not be asked to cancel the task");
	else
		mcp_call_task_lost(h, STR("the server did not come back"));
}

void mcp_call_task_park(struct tool_handle *h)
{
	task_withdraw(h);
	if (h->is_parked)
		return;
	h->is_parked = true;
	loop_timer_start(h->set->o.loop, &h->timer, LIMIT_MCP_TASK_WAIT_MS, on_park_time);
}

/* Something about the task went wrong, which may pass. */
static void task_cut(struct tool_handle *h, struct str why)
{
	if (++h->task_cuts < TASK_CUTS_MAX)
		task_wait(h);
	else
		mcp_call_task_lost(h, why);
}

static void task_completed(struct tool_handle *h, const struct mcp_task *t)
{
	if (json_is(t->result) && json_type(t->result) == JSON_OBJ)
		mcp_call_result(
			h, &(struct mcp_result){
				   .is_error = json_bool(JSON_GET(t->result, "isError"), false),
				   .content = JSON_GET(t->result, "content"),
				   .structured = JSON_GET(t->result, "structuredContent"),
				   .whole = t->result });
	else if (mcp_call_task_is_modern(h))
		mcp_call_task_lost(h, STR("its task has no result"));
	else
		task_send(h, "tasks/result");
}

/* spec: 2025-11-25 — the questions come while the result is requested. */
static void task_asks(struct tool_handle *h)
{
	if (++h->task_asks > TASK_ASKS_MAX)
		mcp_call_task_lost(h, STR("its task asks for more and more"));
	else if (mcp_call_task_is_modern(h))
		task_wait(h);
	else
		task_send(h, "tasks/result");
}

static void task_step(struct tool_handle *h, const struct mcp_task *t)
{
	h->poll_ms = t->poll_ms;
	if (str_is(t->message) && t->message.len)
		mcp_call_end_progress(&h->call, t->message, -1, -1);
	switch (t->status) {
	case MCP_TASK_COMPLETED:
		task_completed(h, t);
		return;
	case MCP_TASK_FAILED:
		h->is_failed = true;
		if (str_is(t->error) || mcp_call_task_is_modern(h))
			task_failed(h, str_is(t->error) ? t->error : STR("its task failed"));
		else
			task_send(h, "tasks/result");
		return;
	case MCP_TASK_INPUT_REQUIRED:
		task_asks(h);
		return;
	case MCP_TASK_CANCELLED:
		task_failed(h, STR("the server cancelled it"));
		return;
	default:
		h->task_cuts = 0;
		task_wait(h);
	}
}

void mcp_call_task_began(struct tool_handle *h, const struct mcp_task *t)
{
	mcp_call_task_keep(h, t->id);
	h->sink.remote(h->owner, h->task);
	task_step(h, t);
}

/* Only these say that the server does not have the task; other errors may pass. */
static bool task_is_unknown(const struct mcp_result *r)
{
	return r->code == JSONRPC_INVALID_PARAMS || r->code == JSONRPC_METHOD_NOT_FOUND;
}

/* A reply about the task, or none. */
void mcp_call_task_answered(struct tool_handle *h, const struct mcp_result *r)
{
	struct mcp_task t =
		r->is_lost || r->is_refused ? (struct mcp_task){ 0 } : mcp_task_read(r->whole);
	bool was_update = str_eq(h->call.method, STR("tasks/update"));

	task_withdraw(h);
	if (r->is_refused && task_is_unknown(r) && !was_update)
		mcp_call_task_lost(h, STR("the server does not know the task any more"));
	else if (r->is_lost || r->is_refused)
		task_cut(h, r->message);
	else if (was_update && ++h->task_asks > TASK_ASKS_MAX)
		mcp_call_task_lost(h, STR("its task asks for more and more"));
	else if (was_update)
		task_wait(h);
	else if (t.status && str_eq(t.id, h->task))
		task_step(h, &t);
	else
		mcp_call_task_lost(h, STR("its reply is not about the task"));
}

bool mcp_call_task_is_result(const struct tool_handle *h)
{
	return str_eq(h->call.method, STR("tasks/result"));
}

/* The task of a call that an earlier start of this program made. */
void mcp_call_task_resume(struct tool_handle *h, bool is_ready)
{
	if (is_ready)
		task_send(h, "tasks/get");
	else
		mcp_call_task_park(h);
}

static void on_cancel_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call, STR("over"));
	mcp_call_task_cancelled(h, "the server was asked to cancel the task");
}

static void task_send_cancel(struct tool_handle *h)
{
	task_send(h, "tasks/cancel");
	loop_timer_start(h->set->o.loop, &h->timer, TASK_CANCEL_MS, on_cancel_time);
}

/* False: it is no task.  A server that is away is asked when it is back. */
bool mcp_call_task_cancel(struct tool_handle *h)
{
	if (!str_is(h->task) || !h->server)
		return false;
	if (h->is_cancelling)
		return true;
	h->is_waiting = false;
	h->is_cancelling = true;
	if (h->is_parked)
		return true;
	mcp_protocol_cancel(h->server->connection, &h->call, STR("the turn was interrupted"));
	task_send_cancel(h);
	return true;
}

/* The server is back. */
void mcp_call_task_unpark(struct tool_handle *h)
{
	h->is_parked = false;
	if (h->is_cancelling)
		task_send_cancel(h);
	else
		task_send(h, "tasks/get");
}

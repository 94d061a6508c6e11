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
#include "base/os/clock.h"
#include "schema/schema.h"
#include "base/utf8.h"
#include "mcp/mcp_int.h"
#include "net/jsonrpc.h"

#define PROGRESS_MS 250 /* between two progress events of one call */
#define MESSAGE_MAX 500
#define TOLD_MS 1000 /* wait for the supervisor to report violations */

struct tool_handle {
	struct list node; /* of its server, as long as it has one */
	struct list all;  /* of the set */
	struct mcp_call call;
	struct mcp_server *server;
	struct arena *mem;
	struct str output_schema; /* absent: results of any form */
	struct mcp_set *set;
	struct tool_sink sink;
	void *owner;
	struct loop_timer timer;
	int64_t reported_at;
	bool is_waiting;     /* for a user: its timeout is stopped */
	uint64_t asked;      /* answered, waiting for reports of violations; 0: not */
	struct tool_end end; /* reported from the loop */
};

static struct tool_handle *handle_of(struct mcp_call *c)
{
	return OWNER_OF(c, struct tool_handle, call);
}

static void free_handle(struct tool_handle *h)
{
	loop_timer_stop(&h->timer);
	list_remove(&h->all);
	if (h->server) {
		list_remove(&h->node);
		h->server->call_count--;
	}
	arena_free(h->mem);
}

static void call_report_end(struct tool_handle *h, const struct tool_end *end)
{
	struct tool_sink sink = h->sink;
	void *owner = h->owner;

	/* the callback may start the next call, which counts against the limit with this one */
	if (h->server) {
		list_remove(&h->node);
		h->server->call_count--;
		h->server = NULL;
	}
	sink.end(owner, end);
	free_handle(h);
}

static void on_later(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	call_report_end(h, &h->end);
}

/* Reports the end from the loop. */
static void end_later(struct tool_handle *h, const struct tool_end *end)
{
	h->end = *end;
	loop_timer_start(h->set->o.loop, &h->timer, 0, on_later);
}

/*
 * The server has answered on its pipe; violations of its sandbox come from the supervisor.  They
 * belong to the call, so the call ends after them.
 */
static void end_after_violations(struct tool_handle *h, const struct tool_end *end)
{
	struct mcp_server *s = h->server;

	/* Without the proxy of a restricted network there is no report to wait for. */
	if (!s || s->plan.network != SANDBOX_NETWORK_RESTRICTED) {
		call_report_end(h, end);
		return;
	}
	h->end = *end;
	/*
	 * Reports are numbered per process: the call ends when as many were received as requested
	 * up to it, or after TOLD_MS if the supervisor does not answer.
	 */
	h->asked = ++s->asked;
	loop_timer_start(h->set->o.loop, &h->timer, TOLD_MS, on_later);
	supervisor_host_tell(h->set->o.host, &s->job);
}

void mcp_call_tell_all(struct mcp_server *s)
{
	struct list *at = s->calls.next;

	s->told++;
	while (at != &s->calls) {
		struct tool_handle *h = LIST_ITEM(at, struct tool_handle, node);

		at = at->next;
		if (h->asked && h->asked <= s->told)
			end_later(h, &h->end);
	}
}

/* The server may have done the work and only be slow to say so, hence EXECUTED_UNKNOWN. */
static void on_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);
	struct tool_error error = tool_error_tool_server_timed_out();
	struct tool_end end = { .executed = EXECUTED_UNKNOWN };

	mcp_protocol_cancel(h->server->connection, &h->call, STR("it took too long"));
	tool_end_fail(&end, &error);
	call_report_end(h, &end);
}

static void call_arm_timeout(struct tool_handle *h)
{
	loop_timer_start(h->set->o.loop, &h->timer, h->server->c.timeout_ms, on_time);
}

/* ---- the port ---- */

static void fail_later(struct tool_handle *h, enum executed executed, struct tool_error error)
{
	struct tool_end end = { .executed = executed };

	tool_end_fail(&end, &error);
	end_later(h, &end);
}

/* Before the call is sent, every refusal says EXECUTED_NO, so that the engine may try again. */
struct tool_handle *mcp_call_start(struct toolset *port, const struct tool_start *start,
                                   const struct tool_sink *sink, void *owner)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	const struct mcp_offer *offer = NULL;
	struct mcp_server *s = mcp_inventory_find(set, start->name, &offer);

	h->mem = mem;
	h->set = set;
	h->sink = *sink;
	h->owner = owner;
	list_add(&set->handles, &h->all);
	/* A running `end` timer means that the process has failed and is about to be ended. */
	if (!s || s->state != MCP_READY || loop_timer_is_running(&s->end)) {
		fail_later(h, EXECUTED_NO, tool_error_tool_server_down());
		return h;
	}
	/*
	 * The process has its sandbox since its start and keeps it.  A rule that came later needs a
	 * new process; until that is ready the call must not run.
	 */
	if (!mcp_sandbox_keeps(s, mem, start->deny)) {
		mcp_sandbox_deny(port, start->deny);
		fail_later(h, EXECUTED_NO, tool_error_tool_server_restarts());
		return h;
	}
	if (s->call_count >= LIMIT_MCP_CALLS) {
		fail_later(h, EXECUTED_NO, tool_error_tool_server_busy());
		return h;
	}
	h->server = s;
	h->call.tool = arena_keep(mem, offer->tool.name);
	h->call.args = arena_keep(mem, start->args);
	h->call.trace = trace_context_keep(mem, start->trace);
	h->output_schema = arena_keep(mem, offer->tool.output_schema);
	list_add(&s->calls, &h->node);
	s->call_count++;
	call_arm_timeout(h);
	mcp_protocol_call(s->connection, &h->call);
	return h;
}

void mcp_call_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->asked)
		return; /* already ended; the report follows from the loop */
	if (h->server)
		mcp_protocol_cancel(h->server->connection, &h->call,
		                    STR("the turn was interrupted"));
	end_later(h,
	          &(struct tool_end){ .cancelled = true,
	                              .executed = EXECUTED_UNKNOWN,
	                              .message = STR("the server was asked to cancel the call") });
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
	h->is_waiting = false;
	call_arm_timeout(h);
	mcp_protocol_answer(h->server->connection, &h->call, str_from(words[action]),
	                    action == TOOL_ACCEPT ? content : STR_NONE);
}

/* ---- what the server says ---- */

void mcp_call_progress(struct mcp_call *c, struct str message, int64_t completed, int64_t total)
{
	struct tool_handle *h = handle_of(c);
	int64_t now = clock_mono_ms();

	if (h->is_waiting)
		return;
	call_arm_timeout(h); /* a sign of life restarts the timeout */
	if (h->reported_at && now - h->reported_at < PROGRESS_MS)
		return;
	h->reported_at = now;
	h->sink.progress(h->owner,
	                 str_is(message)
	                         ? utf8_preview(h->mem, str_head(message, 4096), MESSAGE_MAX)
	                         : STR_NONE,
	                 completed, total);
}

void mcp_call_asked(struct mcp_call *c, const struct mcp_question *q)
{
	struct tool_handle *h = handle_of(c);

	/* A person may take days; the server's timeout does not count that time. */
	h->is_waiting = true;
	loop_timer_stop(&h->timer);
	if (q->is_login && h->sink.login)
		h->sink.login(h->owner, q->message);
	else
		h->sink.ask(h->owner, q->message, q->schema);
}

void mcp_call_violated(struct mcp_server *s, const struct tool_violation *v)
{
	struct tool_handle *h;

	if (s->call_count != 1)
		return;
	h = LIST_ITEM(s->calls.next, struct tool_handle, node);
	h->sink.violation(h->owner, v);
}

static enum error_category category_of(int64_t code)
{
	return code == JSONRPC_INVALID_PARAMS     ? ERROR_CATEGORY_INVALID_INPUT
	       : code == JSONRPC_METHOD_NOT_FOUND ? ERROR_CATEGORY_UNKNOWN_TOOL
	                                          : ERROR_CATEGORY_PROTOCOL;
}

/* An error reply to tools/call.  Only invalid parameters prove that the tool did not run. */
static void end_refused(struct tool_handle *h, const struct mcp_result *r)
{
	struct str said = r->message.len
	                          ? utf8_preview(h->mem, str_head(r->message, 4096), MESSAGE_MAX)
	                          : STR("the server gave no reason");

	end_after_violations(h, &(struct tool_end){ .failed = true,
	                                            .category = category_of(r->code),
	                                            .message = arena_keep(h->mem, said),
	                                            .executed = r->code == JSONRPC_INVALID_PARAMS
	                                                                ? EXECUTED_NO
	                                                                : EXECUTED_UNKNOWN });
}

/* The connection broke, once for this call.  A call that was not sent has not run. */
static void end_lost(struct tool_handle *h, const struct mcp_result *r)
{
	struct tool_error error =
		r->was_sent ? tool_error_tool_server_cut(h->mem, str_head(r->message, MESSAGE_MAX))
			    : tool_error_tool_server_down();

	struct tool_end end = { .executed = r->was_sent ? EXECUTED_UNKNOWN : EXECUTED_NO };

	tool_end_fail(&end, &error);
	call_report_end(h, &end);
}

/* How the result violates the tool's output schema; without a category: it does not. */
static struct tool_error broken_promise(struct tool_handle *h, const struct mcp_result *r)
{
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct schema_report report = { .mem = h->mem, .max = 1 };
	struct error why;

	if (json_is(r->content) ? json_type(r->content) != JSON_ARR : !json_is(r->structured))
		return tool_error_result_no_list();
	if (r->is_error || !str_is(h->output_schema) ||
	    schema_compile_text(NULL, h->output_schema, NULL, &compiled, &why) != OK)
		return (struct tool_error){ 0 };
	if (!json_is(r->structured))
		return tool_error_result_not_structured();
	if (schema_check(compiled, r->structured, &report))
		return (struct tool_error){ 0 };
	return tool_error_result_breaks_schema(
		h->mem, report.errors[0].path.len ? report.errors[0].path : STR("it"),
		report.errors[0].message);
}

void mcp_call_ended(struct mcp_call *c, const struct mcp_result *r)
{
	struct tool_handle *h = handle_of(c);
	CLEANUP(buf_done) struct buf text = { 0 };
	struct tool_end end = { .executed = EXECUTED_YES };
	struct tool_error broken;

	loop_timer_stop(&h->timer);
	if (r->is_lost) {
		end_lost(h, r);
		return;
	}
	if (r->is_refused) {
		end_refused(h, r);
		return;
	}
	mcp_message_content_text(&text, r->content);
	/* The text is what the model reads.  A tool with structured content only shows that. */
	end.structured = json_is(r->structured) ? json_text(h->mem, r->structured) : STR_NONE;
	if (!text.len && str_is(end.structured))
		buf_add_str(&text, end.structured);
	if (r->is_error) {
		end.failed = true;
		end.category = ERROR_CATEGORY_TOOL_FAILED;
		end.message = text.len ? utf8_preview(h->mem, buf_str(&text), MESSAGE_MAX)
		                       : STR("the tool says that it failed");
	}
	broken = broken_promise(h, r);
	if (str_is(broken.category)) {
		tool_end_fail(&end, &broken);
		end.structured = STR_NONE;
	}
	if (text.len)
		h->sink.output(h->owner, buf_str(&text));
	end_after_violations(h, &end);
}

/* The server is gone, and it is not known which calls it executed. */
void mcp_call_lose_all(struct mcp_server *s, struct str why)
{
	while (!list_is_empty(&s->calls)) {
		struct tool_handle *h = LIST_ITEM(s->calls.next, struct tool_handle, node);

		/* The protocol must let go of the call before the handle can be freed. */
		if (s->connection && !h->asked)
			mcp_protocol_cancel(s->connection, &h->call, STR("over"));
		list_remove(&h->node);
		s->call_count--;
		h->server = NULL;
		if (h->asked) {
			end_later(h, &h->end); /* it was answered before */
			continue;
		}
		fail_later(h, EXECUTED_UNKNOWN,
		           tool_error_tool_server_ended(h->mem, str_head(why, MESSAGE_MAX)));
	}
}

void mcp_call_drop_all(struct mcp_set *s)
{
	while (!list_is_empty(&s->handles))
		free_handle(LIST_ITEM(s->handles.next, struct tool_handle, all));
}

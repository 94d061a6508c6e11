/*
 * One call of a server's tool, from the engine's request to its end.
 *
 *   mcp_call_start ─► open ─► answered ─► violations reported ─► end
 *                      │ ▲
 *                      ▼ │ mcp_call_answer        timeout, cancel, lost: end at once
 *                    waiting for a user
 *
 * A server may run the call as a task.  Then the call asks for the task from time to time, and
 * neither a broken connection nor the end of this program ends it.
 *
 * Exactly one end is reported, always from the loop.
 */
#include "base/os/clock.h"
#include "schema/schema.h"
#include "base/utf8.h"
#include "mcp/mcp_int.h"
#include "mcp/offer/mcp_task.h"
#include "net/jsonrpc.h"

#define NO_RESOURCE (-32002) /* before 2026-07-28 */
#define PROGRESS_MS 250      /* between two progress events of one call */
#define PROGRESS_BURST 10    /* that come at once: a short call shows all of its progress */
#define MESSAGE_MAX 500
#define TOLD_MS 1000 /* wait for the supervisor to report violations */

/*
 * A call that needs a login:
 *
 *   WANTS ──► ASKS ──► (the request is sent again) NONE
 *     └─────────┴────► STARTS ──► NONE: the server was not connected
 *
 * One call of a server asks at a time; the others wait for the same login.
 */
enum call_login { CALL_LOGIN_NONE, CALL_LOGIN_WANTS, CALL_LOGIN_ASKS, CALL_LOGIN_STARTS };

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
	unsigned reports;
	bool is_waiting;     /* for a user: its timeout is stopped */
	uint64_t asked;      /* answered, waiting for reports of violations; 0: not */
	struct tool_end end; /* reported from the loop */
	enum call_login login;
	unsigned login_generation; /* of the token that was refused */
	unsigned login_tries;      /* answers that were not of the login */
	unsigned login_rounds;     /* logins that this call has waited for */
	struct str name;           /* of the tool; kept for STARTS */
	bool is_login_tool;        /* the login is all that it does */
	struct str uri;            /* of the resource that it reads; absent: it calls a tool */
	struct str task;           /* the task that runs it; absent: none */
	struct str task_params;    /* of requests about it */
	int64_t poll_ms;
	unsigned task_asks; /* questions of the task */
	unsigned task_cuts; /* exchanges about the task that broke, one after the other */
	bool is_parked;     /* the server is gone; the task is asked for when it is back */
	bool is_cancelling; /* the task is to be cancelled */
	bool is_failed;     /* the task has failed, whatever its result says */
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

static void fail_later(struct tool_handle *h, enum executed executed, struct tool_error error)
{
	struct tool_end end = { .executed = executed };

	tool_end_fail(&end, &error);
	end_later(h, &end);
}

static void end_lost(struct tool_handle *h, const struct mcp_result *r);
static void end_refused(struct tool_handle *h, const struct mcp_result *r);
static void call_result(struct tool_handle *h, const struct mcp_result *r);
static void task_unpark(struct tool_handle *h);

/* ---- calls that need a login ---- */

#define LOGIN_TRIES_MAX 3
#define LOGIN_ROUNDS_MAX 2 /* a login, and one for another scope */
#define LOGIN_SCHEMA                                                                               \
	"{\"type\":\"object\",\"properties\":{\"redirectUrl\":{\"type\":\"string\","               \
	"\"title\":\"Address that the browser was redirected to\"}},"                              \
	"\"additionalProperties\":false}"

static void login_fail(struct tool_handle *h, struct str why)
{
	h->login = CALL_LOGIN_NONE;
	h->is_waiting = false;
	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call, STR("there is no login"));
	fail_later(h, EXECUTED_NO, tool_error_tool_server_login(h->mem, arena_keep(h->mem, why)));
}

static void on_login_pending(struct loop_timer *t)
{
	mcp_call_login_changed(OWNER_OF(t, struct tool_handle, timer)->server);
}

/* The login is begun; mcp_call_login_changed() follows, from the loop. */
static void login_want(struct tool_handle *h)
{
	struct mcp_login *l = h->server->login.login;

	loop_timer_stop(&h->timer);
	h->login = CALL_LOGIN_WANTS;
	h->login_generation = mcp_login_generation(l);
	if (mcp_login_is_declined(l))
		login_fail(h, STR("the user declined to sign in"));
	else if (h->login_rounds++ == LOGIN_ROUNDS_MAX)
		login_fail(h, STR("the server refuses every login"));
	else if (mcp_login_is_pending(l))
		loop_timer_start(h->set->o.loop, &h->timer, 0, on_login_pending);
	else
		mcp_login_ask(l);
}

bool mcp_call_login_wanted(struct mcp_server *s, int64_t id)
{
	LIST_EACH (&s->calls, node) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->call.is_open && h->call.id == id && !h->asked) {
			login_want(h);
			return true;
		}
	}
	return false;
}

static void login_ask(struct tool_handle *h, struct str more)
{
	const struct mcp_server *s = h->server;

	h->login = CALL_LOGIN_ASKS;
	h->is_waiting = true;
	h->sink.login(
		h->owner,
		arena_printf(h->mem,
	                     "%.*s%sThe tool server %.*s (%.*s) requires you to sign in. Open "
	                     "this page in your browser:\n%.*s\nIf the browser cannot show "
	                     "the last page, answer with the address of that page, which "
	                     "begins with %.*s.",
	                     STR_ARG(more), more.len ? "\n" : "", STR_ARG(s->c.name),
	                     STR_ARG(s->c.url), STR_ARG(mcp_login_url(s->login.login)),
	                     STR_ARG(mcp_login_redirect_uri(s->login.login))),
		STR(LOGIN_SCHEMA));
}

/* The server may not have come back by then. */
static void on_start_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);
	struct tool_error error = tool_error_tool_server_down();
	struct tool_end end = { .executed = EXECUTED_NO };

	h->login = CALL_LOGIN_NONE;
	tool_end_fail(&end, &error);
	call_report_end(h, &end);
}

/* A request that was refused is sent again by its exchange. */
static void login_signed_in(struct tool_handle *h)
{
	if (h->login == CALL_LOGIN_ASKS && h->sink.signed_in)
		h->sink.signed_in(h->owner);
	h->is_waiting = false;
	h->login = h->call.is_open ? CALL_LOGIN_NONE : CALL_LOGIN_STARTS;
	if (h->call.is_open)
		call_arm_timeout(h);
	else
		loop_timer_start(h->set->o.loop, &h->timer, LIMIT_MCP_START_MS, on_start_time);
}

static bool login_is_asked(const struct mcp_server *s)
{
	LIST_EACH (&s->calls, node)
		if (LIST_ITEM(node, struct tool_handle, node)->login == CALL_LOGIN_ASKS)
			return true;
	return false;
}

static void login_step(struct tool_handle *h, const struct mcp_login *l)
{
	if (mcp_login_is_pending(l)) {
		if (h->login == CALL_LOGIN_WANTS && mcp_login_state(l) == MCP_LOGIN_ASKING &&
		    !login_is_asked(h->server))
			login_ask(h, STR(""));
	} else if (mcp_login_has_token(l) && mcp_login_generation(l) != h->login_generation) {
		login_signed_in(h);
	} else if (mcp_login_state(l) != MCP_LOGIN_RENEWING) {
		login_fail(h, str_is(mcp_login_error(l)) ? mcp_login_error(l)
		                                         : STR("the login was given up"));
	}
}

void mcp_call_login_changed(struct mcp_server *s)
{
	LIST_EACH_SAFE (&s->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->login == CALL_LOGIN_WANTS || h->login == CALL_LOGIN_ASKS)
			login_step(h, s->login.login);
	}
}

static void end_with_text(struct tool_handle *h, struct str text)
{
	h->sink.output(h->owner, text);
	end_later(h, &(struct tool_end){ .executed = EXECUTED_YES });
}

/* The call as it was requested, now that the tools of the server are known. */
static void login_start(struct tool_handle *h)
{
	const struct mcp_offer *offer = NULL;
	struct mcp_server *s = h->server;

	h->login = CALL_LOGIN_NONE;
	if (h->is_login_tool) {
		end_with_text(h, arena_printf(h->mem,
		                              "The user has signed in. The tools of %.*s are "
		                              "available now.",
		                              STR_ARG(s->c.name)));
		return;
	}
	if (mcp_inventory_find(h->set, h->name, &offer) != s || !offer) {
		fail_later(h, EXECUTED_NO, tool_error_tool_server_down());
		return;
	}
	call_arm_timeout(h);
	mcp_protocol_call(s->connection, &h->call);
}

void mcp_call_login_ready(struct mcp_server *s)
{
	LIST_EACH_SAFE (&s->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->login == CALL_LOGIN_STARTS) {
			login_start(h);
		} else if (h->is_parked) {
			task_unpark(h);
		}
	}
}

/* An address that is not of the login is asked for again, a few times. */
static void login_answer(struct tool_handle *h, enum tool_answer action, struct str content)
{
	struct mcp_login *l = h->server->login.login;
	struct json v = { NULL };
	struct error e;
	struct str url;

	h->is_waiting = false;
	h->login = CALL_LOGIN_WANTS;
	if (action != TOOL_ACCEPT) {
		if (action == TOOL_DECLINE)
			mcp_login_decline(l);
		login_fail(h, action == TOOL_DECLINE ? STR("the user declined to sign in")
		                                     : STR("no user can be asked to sign in"));
		return;
	}
	url = json_read(h->mem, content, &v, &e) == OK ? json_str(JSON_GET(v, "redirectUrl"))
	                                               : STR_NONE;
	if (!url.len)
		(void)!fail(&e, ERR_INVALID, "the login is not complete yet");
	else if (mcp_login_answer(l, url, &e) == OK)
		return;
	if (++h->login_tries >= LOGIN_TRIES_MAX || mcp_login_state(l) != MCP_LOGIN_ASKING)
		login_fail(h, str_from(e.message));
	else
		login_ask(h, arena_printf(h->mem, "That did not work: %s.", e.message));
}

/* ---- tasks ---- */

#define TASK_ASKS_MAX 16
#define TASK_CUTS_MAX 8
#define TASK_CUT_MAX_MS 30000
#define TASK_CANCEL_MS 5000

static bool task_is_modern(const struct tool_handle *h)
{
	return mcp_protocol_version(h->server->connection) == MCP_2026_07_28;
}

static void task_keep(struct tool_handle *h, struct str id)
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
	call_arm_timeout(h);
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

static void task_lost(struct tool_handle *h, struct str why)
{
	end_lost(h, &(struct mcp_result){ .is_lost = true, .was_sent = true, .message = why });
}

static void task_failed(struct tool_handle *h, struct str why)
{
	end_refused(h, &(struct mcp_result){ .is_refused = true, .message = why });
}

static void task_cancelled(struct tool_handle *h, const char *what)
{
	call_report_end(h, &(struct tool_end){ .cancelled = true,
	                                       .executed = EXECUTED_UNKNOWN,
	                                       .message = str_from(what) });
}

static void on_park_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	if (h->is_cancelling)
		task_cancelled(h, "the server was away and could not be asked to cancel the task");
	else
		task_lost(h, STR("the server did not come back"));
}

static void task_park(struct tool_handle *h)
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
		task_lost(h, why);
}

static void task_completed(struct tool_handle *h, const struct mcp_task *t)
{
	if (json_is(t->result) && json_type(t->result) == JSON_OBJ)
		call_result(h, &(struct mcp_result){
				       .is_error = json_bool(JSON_GET(t->result, "isError"), false),
				       .content = JSON_GET(t->result, "content"),
				       .structured = JSON_GET(t->result, "structuredContent"),
				       .whole = t->result });
	else if (task_is_modern(h))
		task_lost(h, STR("its task has no result"));
	else
		task_send(h, "tasks/result");
}

/* spec: 2025-11-25 — the questions come while the result is requested. */
static void task_asks(struct tool_handle *h)
{
	if (++h->task_asks > TASK_ASKS_MAX)
		task_lost(h, STR("its task asks for more and more"));
	else if (task_is_modern(h))
		task_wait(h);
	else
		task_send(h, "tasks/result");
}

static void task_step(struct tool_handle *h, const struct mcp_task *t)
{
	h->poll_ms = t->poll_ms;
	if (str_is(t->message) && t->message.len)
		mcp_call_progress(&h->call, t->message, -1, -1);
	switch (t->status) {
	case MCP_TASK_COMPLETED:
		task_completed(h, t);
		return;
	case MCP_TASK_FAILED:
		h->is_failed = true;
		if (str_is(t->error) || task_is_modern(h))
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

static void task_began(struct tool_handle *h, const struct mcp_task *t)
{
	task_keep(h, t->id);
	h->sink.remote(h->owner, h->task);
	task_step(h, t);
}

/* Only these say that the server does not have the task; other errors may pass. */
static bool task_is_unknown(const struct mcp_result *r)
{
	return r->code == JSONRPC_INVALID_PARAMS || r->code == JSONRPC_METHOD_NOT_FOUND;
}

/* A reply about the task, or none. */
static void task_answered(struct tool_handle *h, const struct mcp_result *r)
{
	struct mcp_task t =
		r->is_lost || r->is_refused ? (struct mcp_task){ 0 } : mcp_task_read(r->whole);
	bool was_update = str_eq(h->call.method, STR("tasks/update"));

	task_withdraw(h);
	if (r->is_refused && task_is_unknown(r) && !was_update)
		task_lost(h, STR("the server does not know the task any more"));
	else if (r->is_lost || r->is_refused)
		task_cut(h, r->message);
	else if (was_update && ++h->task_asks > TASK_ASKS_MAX)
		task_lost(h, STR("its task asks for more and more"));
	else if (was_update)
		task_wait(h);
	else if (t.status && str_eq(t.id, h->task))
		task_step(h, &t);
	else
		task_lost(h, STR("its reply is not about the task"));
}

static bool is_result_of_task(const struct tool_handle *h)
{
	return str_eq(h->call.method, STR("tasks/result"));
}

/* The task of a call that an earlier start of this program made. */
static void task_resume(struct tool_handle *h, bool is_ready)
{
	if (is_ready)
		task_send(h, "tasks/get");
	else
		task_park(h);
}

static void on_cancel_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call, STR("over"));
	task_cancelled(h, "the server was asked to cancel the task");
}

static void task_send_cancel(struct tool_handle *h)
{
	task_send(h, "tasks/cancel");
	loop_timer_start(h->set->o.loop, &h->timer, TASK_CANCEL_MS, on_cancel_time);
}

/* False: it is no task.  A server that is away is asked when it is back. */
static bool task_cancel(struct tool_handle *h)
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
static void task_unpark(struct tool_handle *h)
{
	h->is_parked = false;
	if (h->is_cancelling)
		task_send_cancel(h);
	else
		task_send(h, "tasks/get");
}

void mcp_call_leave(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->asked)
		return;
	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call, STR("the program stops"));
	end_later(h, &(struct tool_end){ .cancelled = true, .executed = EXECUTED_UNKNOWN });
}

/* ---- resources ---- */

static void list_resources(struct tool_handle *h)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	mcp_resource_list(h->server, h->call.args, &text);
	end_with_text(h, buf_str(&text));
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
		fail_later(h, executed, tool_error_tool_server_down());
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
		fail_later(h, executed, tool_error_tool_server_restarts());
		return h;
	}
	if (s->call_count >= LIMIT_MCP_CALLS && !is_resumed) {
		fail_later(h, executed, tool_error_tool_server_busy());
		return h;
	}
	h->server = s;
	h->name = arena_keep(mem, start->name);
	own = offer ? MCP_RESOURCE_NONE : mcp_resource_find(s, start->name);
	h->is_login_tool = !offer && !own;
	h->call.tool = offer ? arena_keep(mem, offer->tool.name) : STR_NONE;
	h->call.args = arena_keep(mem, start->args);
	h->call.trace = trace_context_keep(mem, start->trace);
	h->output_schema = offer ? arena_keep(mem, offer->tool.output_schema) : STR_NONE;
	list_add(&s->calls, &h->node);
	s->call_count++;
	if (is_resumed) {
		task_keep(h, start->remote_task);
		task_resume(h,
		            has_rules && s->state == MCP_READY && !loop_timer_is_running(&s->end));
		return h;
	}
	if (s->state == MCP_LOGIN) {
		login_want(h);
		return h;
	}
	if (own == MCP_RESOURCE_LIST) {
		list_resources(h);
		return h;
	}
	if (own == MCP_RESOURCE_READ)
		prepare_read(h);
	else if (!offer) { /* it was listed while the login was missing */
		end_with_text(h, STR("The user is signed in already."));
		return h;
	}
	h->call.wants_task = offer && offer->tool.takes_task && h->sink.remote;
	call_arm_timeout(h);
	mcp_protocol_call(s->connection, &h->call);
	return h;
}

void mcp_call_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->asked)
		return; /* already ended; the report follows from the loop */
	if (task_cancel(h))
		return;
	if (h->server && h->server->connection)
		mcp_protocol_cancel(h->server->connection, &h->call,
		                    STR("the turn was interrupted"));
	if (h->server && h->login) {
		h->login = CALL_LOGIN_NONE;
		mcp_call_login_changed(h->server); /* another call may have to ask now */
	}
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
	if (h->login == CALL_LOGIN_ASKS) {
		login_answer(h, action, content);
		return;
	}
	h->is_waiting = false;
	if (!h->call.is_open)
		return; /* the exchange that asked is over */
	call_arm_timeout(h);
	mcp_protocol_answer(h->server->connection, &h->call, str_from(words[action]),
	                    action == TOOL_ACCEPT ? content : STR_NONE);
}

/* ---- what the server says ---- */

void mcp_call_progress(struct mcp_call *c, struct str message, int64_t completed, int64_t total)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	struct tool_handle *h = handle_of(c);
	int64_t now = clock_mono_ms();

	if (h->is_waiting || h->is_cancelling)
		return;
	if (h->call.is_open)
		call_arm_timeout(h); /* a sign of life restarts the timeout */
	if (h->reports >= PROGRESS_BURST && now - h->reported_at < PROGRESS_MS)
		return;
	h->reported_at = now;
	h->reports++;
	mem = arena_new_small();
	h->sink.progress(h->owner,
	                 str_is(message) ? utf8_preview(mem, str_head(message, 4096), MESSAGE_MAX)
	                                 : STR_NONE,
	                 completed, total);
}

void mcp_call_asked(struct mcp_call *c, const struct mcp_question *q)
{
	struct tool_handle *h = handle_of(c);

	if (h->is_cancelling) {
		mcp_protocol_answer(h->server->connection, c, STR("cancel"), STR_NONE);
		return;
	}
	/* A person may take days; the server's timeout does not count that time. */
	h->is_waiting = true;
	loop_timer_stop(&h->timer);
	if (q->is_login && h->sink.login)
		h->sink.login(h->owner, q->message, STR_NONE);
	else
		h->sink.ask(h->owner, q->message, q->schema);
}

/* The answer may be on its way from the engine; then `is_waiting` is off when it comes. */
void mcp_call_settled(struct mcp_call *c, bool is_done)
{
	struct tool_handle *h = handle_of(c);

	if (!h->is_waiting)
		return;
	h->is_waiting = false;
	call_arm_timeout(h);
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

/* Also of a resource that does not exist: nothing was done. */
static bool is_wrong_input(const struct tool_handle *h, int64_t code)
{
	return code == JSONRPC_INVALID_PARAMS || (str_is(h->uri) && code == NO_RESOURCE);
}

static enum error_category category_of(const struct tool_handle *h, int64_t code)
{
	return is_wrong_input(h, code)            ? ERROR_CATEGORY_INVALID_INPUT
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
	                                            .category = category_of(h, r->code),
	                                            .message = arena_keep(h->mem, said),
	                                            .executed = is_wrong_input(h, r->code)
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

static void keep_parts(struct tool_handle *h, struct json content, struct tool_end *end)
{
	struct tool_part *parts;

	end->part_count = mcp_message_parts(h->mem, content, &parts);
	end->parts = parts;
}

/* One binary content is the output itself; several are artifacts beside the text. */
static void end_resource(struct tool_handle *h, const struct mcp_result *r)
{
	struct json contents = JSON_GET(r->whole, "contents");
	CLEANUP(buf_done) struct buf out = { 0 };
	struct tool_end end = { .executed = EXECUTED_YES };
	struct tool_error broken = tool_error_result_no_list();

	if (json_type(contents) != JSON_ARR) {
		tool_end_fail(&end, &broken);
	} else {
		mcp_offers_follow(h->server, h->uri);
		end.content = json_text(h->mem, contents);
		if (!mcp_message_binary(&out, contents, &end.media_type)) {
			mcp_message_resource_text(&out, contents);
			keep_parts(h, contents, &end);
		}
		end.media_type = arena_keep(h->mem, end.media_type);
	}
	if (out.len)
		h->sink.output(h->owner, buf_str(&out));
	end_after_violations(h, &end);
}

/* The parts, when they are more than one text; other clients get them as they are. */
static struct str parts_of(struct tool_handle *h, const struct mcp_result *r)
{
	struct json first = json_at(r->content, 0);
	bool is_text = json_count(r->content) == 1 && json_count(first) == 2 &&
	               str_eq(json_str(JSON_GET(first, "type")), STR("text"));

	return json_type(r->content) != JSON_ARR || !json_count(r->content) || is_text
	               ? STR_NONE
	               : json_text(h->mem, r->content);
}

void mcp_call_ended(struct mcp_call *c, const struct mcp_result *r)
{
	struct tool_handle *h = handle_of(c);
	struct mcp_task task = { 0 };

	loop_timer_stop(&h->timer);
	if (h->is_cancelling) {
		task_cancelled(h, "the server was asked to cancel the task");
		return;
	}
	if (str_is(h->task) && (r->is_lost || !is_result_of_task(h))) {
		task_answered(h, r);
		return;
	}
	if (r->is_lost) {
		end_lost(h, r);
		return;
	}
	if (r->is_refused) {
		end_refused(h, r);
		return;
	}
	if (str_is(h->uri)) {
		end_resource(h, r);
		return;
	}
	if (!str_is(h->task) && h->sink.remote)
		task = mcp_task_created(r->whole, h->call.wants_task, task_is_modern(h));
	if (task.status)
		task_began(h, &task);
	else if (task.is_bad)
		task_lost(h, STR("its task has no id or status that can be followed"));
	else
		call_result(h, r);
}

static void call_result(struct tool_handle *h, const struct mcp_result *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct tool_end end = { .executed = EXECUTED_YES };
	struct tool_error broken;

	end.content = r->is_error ? STR_NONE : parts_of(h, r);
	if (!r->is_error && !str_is(h->output_schema) &&
	    mcp_message_binary(&text, r->content, &end.media_type)) {
		end.media_type = arena_keep(h->mem, end.media_type);
		end.structured =
			json_is(r->structured) ? json_text(h->mem, r->structured) : STR_NONE;
		h->sink.output(h->owner, buf_str(&text));
		end_after_violations(h, &end);
		return;
	}
	mcp_message_content_text(&text, r->content);
	keep_parts(h, r->content, &end);
	/* The text is what the model reads.  A tool with structured content only shows that. */
	end.structured = json_is(r->structured) ? json_text(h->mem, r->structured) : STR_NONE;
	if (!text.len && str_is(end.structured))
		buf_add_str(&text, end.structured);
	if (r->is_error || h->is_failed) {
		end.failed = true;
		end.category = ERROR_CATEGORY_TOOL_FAILED;
		end.message = text.len ? utf8_preview(h->mem, buf_str(&text), MESSAGE_MAX)
		                       : STR("the tool says that it failed");
	}
	broken = broken_promise(h, r);
	if (str_is(broken.category)) {
		tool_end_fail(&end, &broken);
		end.structured = end.content = STR_NONE;
	}
	if (text.len)
		h->sink.output(h->owner, buf_str(&text));
	end_after_violations(h, &end);
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
			task_park(h);
			continue;
		}

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
		/* A request that was refused for its login has not run. */
		fail_later(h, h->login ? EXECUTED_NO : EXECUTED_UNKNOWN,
		           tool_error_tool_server_ended(h->mem, str_head(why, MESSAGE_MAX)));
	}
}

void mcp_call_drop_all(struct mcp_set *s)
{
	while (!list_is_empty(&s->handles))
		free_handle(LIST_ITEM(s->handles.next, struct tool_handle, all));
}

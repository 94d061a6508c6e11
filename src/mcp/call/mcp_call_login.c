/*
 * Calls that need a login.
 *
 *   WANTS ──► ASKS ──► (the request is sent again) NONE
 *     └─────────┴────► STARTS ──► NONE: the server was not connected
 *
 * One call of a server asks at a time; the others wait for the same login.
 */
#include "mcp/call/mcp_call_int.h"

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
	mcp_call_end_fail_later(h, EXECUTED_NO,
	                        tool_error_tool_server_login(h->mem, arena_keep(h->mem, why)));
}

static void on_login_pending(struct loop_timer *t)
{
	mcp_call_login_changed(OWNER_OF(t, struct tool_handle, timer)->server);
}

/* The login is begun; mcp_call_login_changed() follows, from the loop. */
void mcp_call_login_want(struct tool_handle *h)
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
			mcp_call_login_want(h);
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
	mcp_call_end_report(h, &end);
}

/* A request that was refused is sent again by its exchange. */
static void login_signed_in(struct tool_handle *h)
{
	if (h->login == CALL_LOGIN_ASKS && h->sink.signed_in)
		h->sink.signed_in(h->owner);
	h->is_waiting = false;
	h->login = h->call.is_open ? CALL_LOGIN_NONE : CALL_LOGIN_STARTS;
	if (h->call.is_open)
		mcp_call_end_arm_timeout(h);
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

/* The call as it was requested, now that the tools of the server are known. */
static void login_start(struct tool_handle *h)
{
	const struct mcp_offer *offer = NULL;
	struct mcp_server *s = h->server;

	h->login = CALL_LOGIN_NONE;
	if (h->is_login_tool) {
		mcp_call_end_with_text(h,
		                       arena_printf(h->mem,
		                                    "The user has signed in. The tools of %.*s are "
		                                    "available now.",
		                                    STR_ARG(s->c.name)));
		return;
	}
	if (mcp_inventory_find(h->set, h->name, &offer) != s || !offer) {
		mcp_call_end_fail_later(h, EXECUTED_NO, tool_error_tool_server_down());
		return;
	}
	mcp_call_end_arm_timeout(h);
	mcp_protocol_call(s->connection, &h->call);
}

void mcp_call_login_ready(struct mcp_server *s)
{
	LIST_EACH_SAFE (&s->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->login == CALL_LOGIN_STARTS) {
			login_start(h);
		} else if (h->is_parked) {
			mcp_call_task_unpark(h);
		}
	}
}

/* An address that is not of the login is asked for again, a few times. */
void mcp_call_login_answer(struct tool_handle *h, enum tool_answer action, struct str content)
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

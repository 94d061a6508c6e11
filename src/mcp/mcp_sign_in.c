/*
 * A server and its login: who is informed of a change, and the login that the
 * user begins.  mcp_login.c has the login itself.
 */
#include "mcp/mcp_int.h"

/* ---- the login that the user begins ---- */

static void end_wait(struct tool_login *w, enum err code, struct str message)
{
	list_remove(&w->node);
	w->message = message;
	w->done(w, code);
}

static void end_waits(struct mcp_server *s, enum err code, struct str message)
{
	while (!list_is_empty(&s->login_waits))
		end_wait(LIST_ITEM(s->login_waits.next, struct tool_login, node), code, message);
}

/* The page is known, or the login is over. */
static void answer_wait(struct mcp_server *s, struct tool_login *w)
{
	const struct mcp_login *l = s->login.login;

	if (mcp_login_state(l) == MCP_LOGIN_ASKING && !str_is(w->redirected)) {
		w->url = mcp_login_url(l);
		w->redirect_uri = mcp_login_redirect_uri(l);
		end_wait(w, OK, STR_NONE);
	} else if (!mcp_login_is_pending(l)) {
		w->is_signed_in = mcp_login_has_token(l) && !str_is(mcp_login_error(l));
		end_wait(w, w->is_signed_in ? OK : ERR_IO,
		         str_is(mcp_login_error(l)) ? mcp_login_error(l)
		                                    : STR("the login was given up"));
	}
}

/* ---- changes ---- */

/* The calls come first: those that waited for the login continue in its new connection. */
static void on_changed(struct mcp_login_watch *w)
{
	struct mcp_server *s = OWNER_OF(w, struct mcp_server, login);

	LIST_EACH_SAFE (&s->login_waits, node, next)
		answer_wait(s, LIST_ITEM(node, struct tool_login, node));
	mcp_call_login_changed(s);
	mcp_http_login_changed(s);
	if (s->state == MCP_LOGIN && mcp_login_has_token(w->login) &&
	    !mcp_login_is_pending(w->login))
		mcp_server_begin(s);
}

void mcp_sign_in_join(struct mcp_server *s)
{
	struct mcp_login_target t = { .url = s->c.url,
		                      .is_guarded = s->c.is_project,
		                      .configured = s->c.oauth };

	if (s->login.login || !str_is(s->c.url) || s->c.has_own_login || !s->set->o.logins)
		return;
	s->login.changed = on_changed;
	mcp_login_join(s->set->o.logins, &t, &s->login);
}

void mcp_sign_in_leave(struct mcp_server *s)
{
	end_waits(s, ERR_CLOSED, STR("the runtime stops"));
	mcp_login_leave(&s->login);
}

/* ---- the port ---- */

static enum err find_server(struct toolset *port, struct str name, struct mcp_server **ret,
                            struct error *e)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);

	for (size_t i = 0; i < set->server_count; i++) {
		struct mcp_server *s = &set->servers[i];

		if (!str_eq(s->c.name, name))
			continue;
		*ret = s;
		if (s->login.login)
			return OK;
		if (s->state == MCP_UNTRUSTED)
			return fail(e, ERR_UNSUPPORTED,
			            "%.*s is not trusted: .mcp.json of the project names it. Run: "
			            "thole mcp trust %.*s",
			            STR_ARG(name), STR_ARG(name));
		return fail(e, ERR_UNSUPPORTED, "%.*s has no login: %s", STR_ARG(name),
		            !str_is(s->c.url)    ? "it is a program"
		            : s->c.has_own_login ? "its headers hold an Authorization"
		                                 : "it is not connected");
	}
	return fail(e, ERR_NOT_FOUND, "there is no server %.*s", STR_ARG(str_head(name, 64)));
}

enum err mcp_sign_in_login(struct toolset *port, struct str server, struct tool_login *l,
                           struct error *e)
{
	struct mcp_server *s;
	enum err code = find_server(port, server, &s, e);

	if (!code && str_is(l->redirected))
		code = mcp_login_answer(s->login.login, l->redirected, e);
	else if (!code)
		mcp_login_begin(s->login.login);
	if (!code)
		list_add(&s->login_waits, &l->node);
	return code;
}

/* The connection begins again without the token. */
enum err mcp_sign_in_logout(struct toolset *port, struct str server, bool *ret, struct error *e)
{
	struct mcp_server *s;
	enum err code = find_server(port, server, &s, e);

	if (code)
		return code;
	*ret = mcp_login_has_token(s->login.login) || mcp_login_can_renew(s->login.login);
	code = mcp_login_forget(s->login.login, e);
	if (s->http)
		mcp_server_renew(s, STR("the user signed out"));
	return code;
}

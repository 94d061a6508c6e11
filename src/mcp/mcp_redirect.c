/* One HTTP server on the loopback, for one page. */
#include "mcp/mcp_redirect.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/http/http_server.h"
#include "net/listener.h"

#include <stdio.h>

#define LEAVE_MS 2000
#define CONNECTIONS_MAX 16

struct mcp_redirect {
	struct loop *loop;
	struct listener *listener;
	struct http_server *http;
	mcp_redirect_arrived *cb; /* NULL: it is left */
	void *owner;
	struct loop_timer end;
	struct mcp_redirect **at;
	char host[64], uri[96];
};

static void reply_text(struct http_request *req, int status, struct str text)
{
	static const struct http_field headers[] = {
		{ STR("Content-Type"), STR("text/plain; charset=utf-8") },
		{ STR("Cache-Control"), STR("no-store") },
		{ STR("Referrer-Policy"), STR("no-referrer") },
		{ STR("X-Content-Type-Options"), STR("nosniff") },
		{ STR("Content-Security-Policy"), STR("default-src 'none'") },
	};

	http_reply(req, status, headers, COUNT_OF(headers), text);
}

/* Another host in the request means that a page elsewhere has sent it here under its own name. */
static void on_request(void *user, struct http_request *req)
{
	struct mcp_redirect *r = user;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str why;

	if (!str_eq(req->in.method, STR("GET")) || !str_eq(req->in.host, str_from(r->host)) ||
	    !str_eq(req->in.path, STR(MCP_REDIRECT_PATH)) || !r->cb) {
		reply_text(req, 404, STR("There is no such page.\n"));
		return;
	}
	why = r->cb(r->owner, arena_printf(mem, "%s?%.*s", r->uri, STR_ARG(req->in.query)));
	if (str_is(why))
		reply_text(req, 400,
		           arena_printf(mem, "The login is not complete: %.*s.\n", STR_ARG(why)));
	else
		reply_text(req, 200,
		           STR("Thole received the login. You can close this page and return to "
		               "where you began it.\n"));
}

static const struct http_handler handler = { .on_request = on_request };

static void on_accept(void *arg, struct stream *s)
{
	http_server_take(((struct mcp_redirect *)arg)->http, s);
}

enum err mcp_redirect_open(struct loop *loop, int port, mcp_redirect_arrived *cb, void *owner,
                           struct mcp_redirect **ret, struct error *e)
{
	struct http_options o = { .body_max = 1, .connections_max = CONNECTIONS_MAX };
	struct mcp_redirect *r = memory_zeroed(1, sizeof *r);
	enum err code;

	r->loop = loop;
	r->cb = cb;
	r->owner = owner;
	snprintf(r->host, sizeof r->host, "127.0.0.1:%d", port);
	r->http = http_server_new(loop, &o, &handler, r);
	code = listener_tcp(loop, str_from(r->host), on_accept, r, &r->listener, e);
	if (code) {
		http_server_free(r->http);
		memory_free(r);
		return code;
	}
	snprintf(r->host, sizeof r->host, "127.0.0.1:%d", listener_port(r->listener));
	snprintf(r->uri, sizeof r->uri, "http://%s" MCP_REDIRECT_PATH, r->host);
	*ret = r;
	return OK;
}

struct str mcp_redirect_uri(const struct mcp_redirect *r)
{
	return str_from(r->uri);
}

void mcp_redirect_free(struct mcp_redirect *r)
{
	if (!r)
		return;
	loop_timer_stop(&r->end);
	listener_close(r->listener);
	http_server_free(r->http);
	memory_free(r);
}

static void on_end(struct loop_timer *t)
{
	struct mcp_redirect *r = OWNER_OF(t, struct mcp_redirect, end);

	*r->at = NULL;
	mcp_redirect_free(r);
}

void mcp_redirect_leave(struct mcp_redirect *r, struct mcp_redirect **at)
{
	r->cb = NULL;
	r->at = at;
	listener_close(r->listener);
	r->listener = NULL;
	http_server_drain(r->http);
	loop_timer_start(r->loop, &r->end, LEAVE_MS, on_end);
}

/*
 * HTTP requests: authentication, routing and replies.  The checks run in the
 * order place, principal, path: without a token a client cannot even find out
 * which paths exist.
 */
#include "serve/http/content_negotiation.h"
#include "base/jw.h"
#include "serve/agui/agui_edge.h"
#include "serve/a2a/a2a_edge.h"
#include "serve/http/api_call.h"
#include "serve/http/assets.h"
#include "serve/http/cors.h"
#include "serve/http/console.h"
#include "serve/auth/pair.h"
#include "serve/auth/resource.h"
#include "base/memory.h"
#include "serve/http/problem.h"
#include "serve/mcp/mcp_edge.h"
#include "serve/openai/openai_edge.h"
#include "serve/trigger/trigger_edge.h"
#include "serve/http/route.h"
#include "serve/node/node_edge.h"
#include "serve/rpc/rpc.h"
#include "serve/serve_int.h"

#include <stdio.h>
#include <stdlib.h>

static void reply_with(struct http_request *req, int status, struct str type, struct str body)
{
	struct http_field headers[] = {
		{ STR("Content-Type"), type },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};

	http_reply(req, status, headers, COUNT_OF(headers), body);
}

/* ---- commands ---- */

static void finish_plainly(struct api_call *c, const struct control_answer *a)
{
	api_call_answer(c->req, a);
}

/*
 * A stated type must be application/json: the types that a form of another site can
 * send without a preflight are refused.  Parameters in the URL are refused too, because
 * URLs are written to logs.
 */
static bool check_post(struct http_request *req)
{
	struct str key = http_parse_find(&req->in, STR("idempotency-key"));

	if (!content_negotiation_is_json(http_parse_find(&req->in, STR("content-type")))) {
		problem_reply(req, ERROR_CODE_UNSUPPORTED_MEDIA_TYPE,
		              "the body must be application/json");
		return false;
	}
	if (req->in.param_count) {
		problem_reply(req, ERROR_CODE_UNKNOWN_FIELD,
		              "params come in the body, not in the query; a token in the "
		              "Authorization header");
		return false;
	}
	if (str_is(key) && (!key.len || key.len > LIMIT_IDEMPOTENCY_KEY_BYTES)) {
		problem_reply(req, ERROR_CODE_INVALID_VALUE, "Idempotency-Key has 1 to %d bytes",
		              LIMIT_IDEMPOTENCY_KEY_BYTES);
		return false;
	}
	return true;
}

/* NULL: the request was answered. */
static struct api_call *take_post(struct serve *s, struct http_request *req,
                                  const struct caller *caller, struct str command)
{
	struct api_call *c;

	if (!check_post(req))
		return NULL;
	c = api_call_new(s, req, caller, command);
	c->call.key = http_parse_find(&req->in, STR("idempotency-key"));
	if (str_trim(req->in.body).len)
		c->call.params = req->in.body;
	c->finish = finish_plainly;
	return c;
}

/* A GET of the catalogue's reads: path and query become the arguments of the command. */
static void open_read(struct serve *s, struct http_request *req, const struct caller *caller,
                      const struct route_match *match)
{
	struct str name = command_classes[match->route->command].name;
	struct api_call *c = api_call_new(s, req, caller, name);
	struct str bad = STR_NONE;
	enum error_code code = route_params(match, &req->in, &c->params, &bad);

	if (code) {
		api_call_free(c);
		problem_reply(req, code, "parameter %.*s of %.*s", STR_ARG(str_head(bad, 64)),
		              STR_ARG(name));
		return;
	}
	c->finish = finish_plainly;
	api_call_send(c);
}

/* ---- the rest ---- */

/* Without authentication only the state is returned. */
static void open_ready(struct serve *s, struct http_request *req, bool is_known)
{
	struct control_health health = { 0 };
	struct buf body = { 0 };
	struct json_writer w;

	s->control->ops->health(s->control, &health);

	bool ready = health.ready && !s->is_draining;

	jw_init(&w, &body);
	jw_obj(&w);
	JW_KSTR(&w, "status", ready ? STR("ready") : STR("not_ready"));
	if (!ready && is_known)
		JW_KSTR(&w, "reason", str_is(health.reason) ? health.reason : STR("stopping"));
	if (ready && is_known)
		JW_KOPT(&w, "waits", health.waits);
	if (health.is_away && is_known)
		JW_KSTR(&w, "code", error_infos[ERROR_CODE_STORE_UNAVAILABLE].code);
	else if (health.is_behind && is_known)
		JW_KSTR(&w, "code", error_infos[ERROR_CODE_SESSION_BEHIND].code);
	if (health.recovery_left && is_known) {
		JW_KEY(&w, "recovery");
		jw_obj(&w);
		JW_KINT(&w, "total", (int64_t)health.recovery_total);
		JW_KINT(&w, "recovered", (int64_t)(health.recovery_total - health.recovery_left));
		jw_obj_end(&w);
	}
	jw_obj_end(&w);
	reply_with(req, ready ? 200 : 503, STR("application/json"), buf_str(&body));
	buf_done(&body);
}

static void open_metrics(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct buf body = { 0 };
	bool is_open = content_negotiation_open_metrics(http_parse_find(&req->in, STR("accept")));

	if (!(caller->scopes & SCOPE_BIT(SCOPE_READ))) {
		problem_reply(req, ERROR_CODE_FORBIDDEN, "metrics need the scope read");
		return;
	}
	if (auth_is_limited(caller)) {
		problem_reply(req, ERROR_CODE_FORBIDDEN,
		              "metrics need a token that reaches all sessions");
		return;
	}
	metrics_write(s, is_open, &body);
	reply_with(req, 200,
	           is_open ? STR("application/openmetrics-text; version=1.0.0; charset=utf-8")
	                   : STR("text/plain; version=0.0.4; charset=utf-8"),
	           buf_str(&body));
	buf_done(&body);
}

static const char home_text[] =
	"<!doctype html>\n"
	"<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Thole</title></head><body>\n"
	"<h1>Thole</h1>\n"
	"<p>A runtime for agent work is listening here. It takes commands at "
	"<code>POST /v1/commands/{name}</code>, sends events at <code>GET /v1/events</code>, and "
	"describes itself at <code>/v1/capabilities</code> and <code>/openapi.json</code>.</p>\n"
	"<p>All paths but <code>/healthz</code> and <code>/readyz</code> need the header "
	"<code>Authorization: Bearer "
	"&lt;token&gt;</code>; <code>thole token</code> prints the token. Try "
	"<code>thole run \"hello\"</code>.</p>\n"
	"<p>The console is not part of this build. <code>./quickstart --console</code> adds it "
	"where "
	"Node 18 or newer is installed; start the daemon again after that.</p>\n"
	"</body></html>\n";

/*
 * Without the console: a page for people who open the address in a browser.  A browser
 * without a token gets the page too: it holds no secret, and the status code is
 * correct.
 */
static void open_home(struct http_request *req, int status)
{
	struct http_field headers[] = {
		{ STR("Content-Type"), STR("text/html; charset=utf-8") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("Content-Security-Policy"),
		  STR("default-src 'none'; base-uri 'none'; form-action 'none'; "
		      "frame-ancestors 'none'") },
		{ STR("Referrer-Policy"), STR("no-referrer") },
		{ STR("X-Frame-Options"), STR("DENY") },
		{ STR("Cross-Origin-Resource-Policy"), STR("same-origin") },
	};

	http_reply(req, status, headers, COUNT_OF(headers),
	           str_of(home_text, sizeof home_text - 1));
}

/* Browsers do not apply CORS to WebSockets, so a cookie is not enough here. */
static void open_rpc(struct serve *s, struct http_request *req, const struct caller *caller)
{
	if (str_eq(caller->via, AUTH_VIA_CONSOLE))
		problem_reply(req, ERROR_CODE_FORBIDDEN, "a WebSocket wants a token, not a cookie");
	else if (!http_parse_has_token(http_parse_find(&req->in, STR("upgrade")), STR("websocket")))
		problem_reply(req, ERROR_CODE_INVALID_REQUEST, "this path wants a WebSocket");
	else
		rpc_open_websocket(s, req, caller);
}

static void open_console(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct buf reply = { 0 };
	struct error detail;
	enum error_code code;

	if (!check_post(req))
		return;
	code = console_open(s, caller, &reply, &detail);
	if (code)
		problem_reply(req, code, "%s", detail.message);
	else
		reply_with(req, 200, STR("application/json"), buf_str(&reply));
	buf_done(&reply);
}

/* Answered by the server and not by the control; the checks of the request are the same. */
static void open_issuers(struct serve *s, struct http_request *req, const struct caller *caller)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct json params = { 0 };
	struct error detail = { 0 };
	enum error_code code = 0;

	if (!check_post(req))
		return;
	if (str_trim(req->in.body).len && json_read(mem, req->in.body, &params, &detail) != OK)
		code = ERROR_CODE_INVALID_JSON;
	else
		code = pair_list(s, caller, params, &reply, &detail);
	if (code)
		problem_reply(req, code, "%s", detail.message);
	else
		reply_with(req, 200, STR("application/json"), buf_str(&reply));
}

static void offer_made(struct api_call *c, const struct control_answer *a)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct pair_offer *offer = c->user;

	if (a->code) {
		api_call_answer(c->req, a);
	} else {
		pair_offer_reply(c->serve, offer, a->body, &reply);
		reply_with(c->req, 200, STR("application/json"), buf_str(&reply));
	}
	pair_offer_free(offer);
}

static void drop_offer(struct api_call *c)
{
	pair_offer_free(c->user);
}

static void open_offer(struct serve *s, struct http_request *req, const struct caller *caller)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json params = { 0 };
	struct error detail = { 0 };
	struct pair_offer *offer;
	enum error_code code = 0;
	struct api_call *c;

	if (!check_post(req))
		return;
	if (str_trim(req->in.body).len && json_read(mem, req->in.body, &params, &detail) != OK)
		code = ERROR_CODE_INVALID_JSON;
	else
		code = pair_offer_new(s, caller, params, &offer, &detail);
	if (code) {
		problem_reply(req, code, "%s", detail.message);
		return;
	}
	c = api_call_new(s, req, caller, command_classes[COMMAND_CHANGE_DEVICE].name);
	c->call.params = offer->params;
	c->call.is_own = true;
	c->user = offer;
	c->finish = offer_made;
	c->drop = drop_offer;
	api_call_send(c);
}

static void dispatch(struct serve *s, struct http_request *req, const struct caller *caller,
                     const struct route_match *match)
{
	struct api_call *c;

	switch (match->route->kind) {
	case ROUTE_COMMAND:
		if (str_eq(match->values[0], command_classes[COMMAND_OPEN_CONSOLE].name)) {
			open_console(s, req, caller);
			return;
		}
		if (pair_is_offer(match->values[0])) {
			open_offer(s, req, caller);
			return;
		}
		if (pair_is_list(match->values[0])) {
			open_issuers(s, req, caller);
			return;
		}
		c = take_post(s, req, caller, match->values[0]);
		if (c && reconnect_is_stream(c))
			reconnect_open(c);
		else if (c)
			api_call_send(c);
		return;
	case ROUTE_RUN:
		c = take_post(s, req, caller, STR("submit_turn"));
		if (c)
			run_open(c);
		return;
	case ROUTE_READ:
		open_read(s, req, caller, match);
		return;
	case ROUTE_EVENTS:
		events_open(s, req, caller);
		return;
	case ROUTE_OUTPUT:
		http_output_open(s, req, caller, match->values[0]);
		return;
	case ROUTE_RPC:
		open_rpc(s, req, caller);
		return;
	case ROUTE_READY:
		open_ready(s, req, true);
		return;
	case ROUTE_METRICS:
		open_metrics(s, req, caller);
		return;
	case ROUTE_OPENAPI:
		assets_reply(req, &openapi_asset, NULL, 0);
		return;
	case ROUTE_ASYNCAPI:
		assets_reply(req, &asyncapi_asset, NULL, 0);
		return;
	case ROUTE_HOME:
		open_home(req, 200);
		return;
	case ROUTE_CONSOLE_SESSION:
		console_session(s, req, caller);
		return;
	case ROUTE_SIGN_OUT:
		console_sign_out(s, req);
		return;
	case ROUTE_MCP:
		if (!str_eq(req->in.method, STR("POST")))
			mcp_edge_open_session(s->mcp, req, caller);
		else if (check_post(req))
			mcp_edge_open(s->mcp, req, caller);
		return;
	case ROUTE_AGUI:
		if (check_post(req))
			agui_edge_open(s, req, caller);
		return;
	case ROUTE_OPENAI:
		if (!str_eq(req->in.method, STR("POST")) || check_post(req))
			openai_edge_open(s, req, caller);
		return;
	case ROUTE_A2A:
		a2a_edge_open(s->a2a, req, caller);
		return;
	case ROUTE_NODE:
	case ROUTE_HEALTH: /* answered before authentication, like two more */
	default:
		problem_reply(req, ERROR_CODE_NOT_FOUND, "%.*s", STR_ARG(req->in.path));
	}
}

/* A device is a channel in the log, so its requests count as signs of life. */
static void dispatch_known(struct serve *s, struct http_request *req, struct caller *caller,
                           const struct route_match *match)
{
	struct device *d = devices_find(&s->auth.devices, caller->principal);

	if (d) {
		devices_seen(&s->auth.devices, d);
		serve_state_watch_devices(s);
		caller->channel_id = d->channel ? d->channel_id : STR_NONE;
	}
	dispatch(s, req, caller, match);
}

/* The refusal is reported to the control as well. */
static void refuse_person(struct serve *s, struct http_request *req, enum error_code path,
                          const struct route_match *match, struct str via)
{
	struct control_health health = { 0 };

	s->control->ops->health(s->control, &health);
	/* Named tokens are known when the system session has been read. */
	if (!health.ready && !health.is_away && !health.is_behind &&
	    str_find(http_parse_find(&req->in, STR("authorization")), STR(CALLER_TOKEN_PREFIX)) >=
	            0) {
		problem_reply(req, ERROR_CODE_STARTING, "named tokens are not known yet");
		return;
	}
	serve_state_refused(s, via, req);
	if (!path && match->route->kind == ROUTE_HOME)
		open_home(req, 401);
	else
		problem_reply(req, ERROR_CODE_UNAUTHORIZED,
		              "send the header Authorization: Bearer <token>; "
		              "`thole token` prints the token");
}

/* Hosts of devices are known when the system session has been read. */
static void refuse_host(struct serve *s, struct http_request *req)
{
	struct control_health health = { .ready = true };

	if (s->auth.devices.store)
		s->control->ops->health(s->control, &health);
	if (!health.ready && !health.is_away && !health.is_behind)
		problem_reply(req, ERROR_CODE_STARTING, "the hosts of devices are not known yet");
	else
		problem_reply(req, ERROR_CODE_HOST_NOT_ALLOWED,
		              "the setting `hosts` lists the names that are served");
}

static void refuse_path(struct http_request *req, enum error_code code,
                        const struct route_match *match)
{
	struct http_field allow = { STR("Allow"), STR_NONE };

	if (code != ERROR_CODE_METHOD_NOT_ALLOWED) {
		problem_reply(req, code, "there is nothing at this path");
		return;
	}
	allow.value = match->route->takes_head ? STR("GET, HEAD") : str_from(match->route->method);
	problem_reply_with(req, code, &allow, STR_NONE);
}

/* Routes without authentication; returns true if the request was answered. */
static bool serve_stranger(struct serve *s, struct http_request *req,
                           const struct route_match *match)
{
	switch (match->route->kind) {
	case ROUTE_HEALTH:
		reply_with(req, 200, STR("application/json"), STR("{\"status\":\"ok\"}"));
		return true;
	case ROUTE_HOME:
		if (console_is_here())
			console_page(req);
		return console_is_here();
	case ROUTE_CONSOLE_FILE:
		console_file(req, match->values[0]);
		return true;
	case ROUTE_SIGN_IN:
		if (check_post(req))
			console_sign_in(s, req);
		return true;
	case ROUTE_A2A_CARD:
		a2a_edge_card(s->a2a, req);
		return true;
	case ROUTE_RESOURCE:
		resource_open(s, req);
		return true;
	case ROUTE_TRIGGER: /* its signature says who asks */
		trigger_edge_open(s, req, match->values[0]);
		return true;
	default:
		return false;
	}
}

static bool is_read(const struct http_request *req)
{
	return str_eq(req->in.method, STR("GET")) || str_eq(req->in.method, STR("HEAD"));
}

/* The stream and the end of a session of MCP before 2026-07-28. */
static bool is_of_session(const struct http_request *req)
{
	return (str_eq(req->in.method, STR("GET")) || str_eq(req->in.method, STR("DELETE"))) &&
	       str_is(http_parse_find(&req->in, STR("mcp-session-id")));
}

/* Paths of an edge that the settings do not enable do not exist. */
static enum error_code find_path(const struct endpoint *endpoint, const struct http_request *req,
                                 struct route_match *match)
{
	const struct serve *s = endpoint->serve;
	enum error_code code = route_find(&req->in, match);

	if (!match->route)
		return code;
	switch (match->route->kind) {
	case ROUTE_OPENAI:
		return s->opt.has_openai ? code : ERROR_CODE_NOT_FOUND;
	case ROUTE_MCP: /* `thole mcp serve` asks on the Unix socket */
		if (is_of_session(req))
			code = 0;
		return s->opt.has_mcp || endpoint->is_unix ? code : ERROR_CODE_NOT_FOUND;
	case ROUTE_AGUI:
		return s->opt.has_agui ? code : ERROR_CODE_NOT_FOUND;
	case ROUTE_NODE:
		return s->opt.node.seal && !endpoint->is_unix ? code : ERROR_CODE_NOT_FOUND;
	case ROUTE_A2A:
	case ROUTE_A2A_CARD:
		return s->a2a ? code : ERROR_CODE_NOT_FOUND;
	case ROUTE_RESOURCE:
		if (!resource_is_path(s, req->in.path))
			return ERROR_CODE_NOT_FOUND;
		return is_read(req) ? code : ERROR_CODE_METHOD_NOT_ALLOWED;
	default:
		return code;
	}
}

/* Only foreign protocols are for pages of other origins; path: what find_path() said. */
static bool is_preflight(const struct http_request *req, enum error_code path,
                         const struct route_match *match)
{
	if (path == ERROR_CODE_NOT_FOUND || !str_eq(req->in.method, STR("OPTIONS")) ||
	    !http_parse_find(&req->in, STR("origin")).len)
		return false;
	switch (match->route->kind) {
	case ROUTE_OPENAI:
	case ROUTE_AGUI:
	case ROUTE_MCP:
	case ROUTE_A2A:
	case ROUTE_A2A_CARD:
	case ROUTE_RESOURCE:
		return true;
	default:
		return false;
	}
}

/* ---- scopes ---- */

/* What a request needs at least, as far as its path says. */
static unsigned needed_scopes(const struct route_match *match)
{
	enum command command;

	switch (match->route->kind) {
	case ROUTE_COMMAND:
		command = catalog_command_find(match->values[0]);
		return command ? SCOPE_BIT(command_classes[command].scope) : 0;
	case ROUTE_READ:
	case ROUTE_EVENTS:
	case ROUTE_OUTPUT:
	case ROUTE_METRICS:
	case ROUTE_MCP:
	case ROUTE_A2A:
		return SCOPE_BIT(SCOPE_READ);
	case ROUTE_RUN:
	case ROUTE_AGUI:
	case ROUTE_OPENAI:
		return SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_WRITE);
	default:
		return 0;
	}
}

/* Foreign protocols have no word for a scope that is missing, but their clients know this reply. */
static bool refuse_scope(struct http_request *req, const struct caller *caller,
                         const struct route_match *match)
{
	switch (match->route->kind) {
	case ROUTE_MCP:
	case ROUTE_A2A:
	case ROUTE_AGUI:
	case ROUTE_OPENAI:
		break;
	default:
		return false;
	}
	if (!caller->until_ms || !(needed_scopes(match) & ~caller->scopes))
		return false;
	problem_reply(req, ERROR_CODE_FORBIDDEN, "the token lacks a scope");
	return true;
}

/* Called for every 401 and 403: the caller is found once more, which costs little. */
static void on_refusal(void *user, const struct http_request *req, int status, struct buf *out)
{
	const struct endpoint *endpoint = user;
	const struct serve *s = endpoint->serve;
	struct route_match match = { 0 };
	struct auth_wait wait = { 0 };
	struct caller caller = { 0 };
	enum auth_answer answer;
	unsigned missing = 0;

	if (status == 403 && !issuer_settings_has_any(s->opt.issuers))
		return;
	if (auth_place(&s->auth, &req->in, endpoint->is_unix))
		return;
	answer = auth_person(&s->auth, &req->in, http_reply_stream_of(req), &caller, &wait);
	if ((answer == AUTH_KNOWN || answer == AUTH_NO_SCOPE) && !find_path(endpoint, req, &match))
		missing = needed_scopes(&match) & ~caller.scopes;
	if (answer == AUTH_NO_SCOPE && !missing)
		missing = SCOPE_BIT(SCOPE_READ);
	resource_challenge(s, req, missing, answer == AUTH_NO_SCOPE ? NULL : wait.why, out);
}

/* ---- requests ---- */

/* A request that waits for the keys of its token's issuer. */
struct waiting_request {
	struct issuers_waiter waiter;
	struct endpoint *endpoint;
	struct http_request *req;
};

static void serve_request(struct endpoint *endpoint, struct http_request *req,
                          struct waiting_request *w);

static void on_keys(struct issuers_waiter *waiter)
{
	struct waiting_request *w = OWNER_OF(waiter, struct waiting_request, waiter);
	struct endpoint *endpoint = w->endpoint;
	struct http_request *req = w->req;

	free(w);
	req->user = NULL;
	req->on_closed = NULL;
	req->ends_at_eof = false;
	serve_request(endpoint, req, NULL);
}

static void on_waiter_closed(struct http_request *req)
{
	struct waiting_request *w = req->user;

	issuers_forget(&w->waiter);
	free(w);
	http_reply_abort(req);
}

static void open_known(struct serve *s, struct http_request *req, enum error_code path,
                       struct caller *caller, const struct route_match *match)
{
	if (path)
		refuse_path(req, path, match);
	else if (!refuse_scope(req, caller, match))
		dispatch_known(s, req, caller, match);
}

static void open_stranger(struct serve *s, struct http_request *req, enum error_code path,
                          const struct route_match *match, struct str via)
{
	if (!path && match->route->kind == ROUTE_READY)
		open_ready(s, req, false);
	else
		refuse_person(s, req, path, match, via);
}

static void refuse_until_keys(struct serve *s, struct http_request *req, const char *why)
{
	char seconds[24], detail[200];
	struct http_field after = { STR("Retry-After"), STR_NONE };

	snprintf(seconds, sizeof seconds, "%lld", (long long)issuers_retry_s(s->auth.issuers));
	snprintf(detail, sizeof detail, "%s; try again later",
	         why ? why : "its keys are being fetched");
	after.value = str_from(seconds);
	problem_reply_with(req, ERROR_CODE_ISSUER_UNAVAILABLE, &after, str_from(detail));
}

/* The token of an issuer is no reason for 401, and still its bearer is not known. */
static void open_unknown(struct serve *s, struct http_request *req, bool is_probe,
                         enum auth_answer answer, const char *why)
{
	if (answer == AUTH_NO_SCOPE && is_probe)
		open_ready(s, req, false);
	else if (answer == AUTH_NO_SCOPE)
		problem_reply(req, ERROR_CODE_FORBIDDEN, "%s", why);
	else if (answer == AUTH_FULL)
		problem_reply(req, ERROR_CODE_TOO_MANY_BEARERS,
		              "%s; those that it knows are served, new ones after a restart", why);
	else
		refuse_until_keys(s, req, why);
}

static struct caller caller_of(const struct http_request *req)
{
	struct str client = http_parse_find(&req->in, STR("thole-client"));
	struct caller caller = { .via = str_eq(client, STR("cli")) ? STR("cli") : STR("http") };

	trace_context_read(http_parse_find(&req->in, STR("traceparent")),
	                   http_parse_find(&req->in, STR("tracestate")), &caller.trace);
	return caller;
}

/* w: memory for waiting, which is freed or used; NULL: the request has waited. */
static void serve_person(struct endpoint *endpoint, struct http_request *req, enum error_code path,
                         const struct route_match *match, struct waiting_request *w)
{
	struct auth_wait wait = { .waiter = w ? &w->waiter : NULL };
	struct caller caller = caller_of(req);
	struct serve *s = endpoint->serve;
	enum auth_answer answer =
		auth_person(&s->auth, &req->in, http_reply_stream_of(req), &caller, &wait);

	if (answer == AUTH_WAIT && w) {
		req->user = w;
		req->on_closed = on_waiter_closed;
		/* Few places for waiting: a client that closed its side makes room for another. */
		req->ends_at_eof = true;
		return;
	}
	free(w);
	if (answer == AUTH_KNOWN)
		open_known(s, req, path, &caller, match);
	else if (answer == AUTH_STRANGER)
		open_stranger(s, req, path, match, caller.via);
	else
		open_unknown(s, req, !path && match->route->kind == ROUTE_READY, answer, wait.why);
}

/*
 * Place, then routes for everyone, then the principal, then the path.  /readyz has a
 * short form without a token, for probes.
 */
static void serve_request(struct endpoint *endpoint, struct http_request *req,
                          struct waiting_request *w)
{
	struct serve *s = endpoint->serve;
	struct route_match match = { 0 };
	enum error_code place = auth_place(&s->auth, &req->in, endpoint->is_unix);
	enum error_code path = find_path(endpoint, req, &match);

	if (!path && match.route->kind == ROUTE_NODE) /* its code says who calls, not the place */
		node_edge_open(s, req);
	else if (place == ERROR_CODE_HOST_NOT_ALLOWED)
		refuse_host(s, req);
	else if (place)
		problem_reply(req, place, "the setting `origins` lists the pages that may ask");
	else if (is_preflight(req, path, &match))
		cors_preflight(req);
	else if (path || !serve_stranger(s, req, &match)) {
		serve_person(endpoint, req, path, &match, w);
		return;
	}
	free(w);
}

/* Clients behind a proxy are counted by their own address. */
static bool is_within_limit(const struct serve *s, struct http_request *req)
{
	struct forwarded from;

	if (!s->auth.proxies.proxies.count)
		return true;
	forwarded_read(&s->auth.proxies, &req->in, http_reply_stream_of(req), &from);
	return !from.is_proxied || http_server_count_for(req, str_from(from.client));
}

static bool is_proxy(void *user, const struct stream *stream)
{
	const struct endpoint *endpoint = user;

	return forwarded_is_proxy(&endpoint->serve->auth.proxies, stream);
}

static void on_request(void *user, struct http_request *req)
{
	struct endpoint *endpoint = user;
	struct waiting_request *w = NULL;

	endpoint->serve->requests++;
	serve_state_touch(endpoint->serve);
	if (!is_within_limit(endpoint->serve, req)) {
		problem_reply(req, ERROR_CODE_OVERLOADED,
		              "there are too many requests from this address");
		return;
	}
	if (issuer_settings_has_any(endpoint->serve->opt.issuers)) {
		w = memory_zeroed(1, sizeof *w);
		w->waiter.done = on_keys;
		w->endpoint = endpoint;
		w->req = req;
	}
	serve_request(endpoint, req, w);
}

/*
 * Only commands have bodies.  Over TCP a client without a token cannot reserve
 * a megabyte: it gets room for a small body, and then a 401.  A token whose keys are
 * being fetched counts as valid: that lasts for seconds of a minute.
 */
static size_t body_max(void *user, const struct http_message *head)
{
	const struct endpoint *endpoint = user;
	const struct serve *s = endpoint->serve;
	struct auth_wait wait = { 0 };
	struct caller caller;
	enum auth_answer answer;

	if (!str_eq(head->method, STR("POST")))
		return 0;
	/* The sender of a webhook is known when its signature has been compared with the body. */
	if (endpoint->is_unix || trigger_edge_may_send(s, head))
		return s->opt.body_max;
	answer = auth_person(&s->auth, head, NULL, &caller, &wait);
	return answer == AUTH_KNOWN || answer == AUTH_WAIT ? s->opt.body_max
	                                                   : MIN(s->opt.body_max, (size_t)16384);
}

const struct http_handler http_api_handler = {
	.on_request = on_request,
	.body_max = body_max,
	.is_proxy = is_proxy,
	.on_refusal = on_refusal,
	.on_problem = problem_of_status,
};

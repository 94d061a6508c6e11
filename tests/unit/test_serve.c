/*
 * src/serve over real sockets, with a control of cardboard behind it
 * (test_serve_fake.h).
 */
#include "test_serve_fake.h"

#include "serve/accept.h"
#include "serve/console.h"
#include "serve/assets.h"
#include "serve/filter.h"
#include "serve/serve.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define TOKEN "s3cret"
#define AUTH "Authorization: Bearer " TOKEN "\r\n"

struct world {
	struct loop *l;
	struct fake *f;
	struct serve *s;
	struct arena *mem;
	int port;
	char dir[64], path[96];
};

static const struct serve_token tokens[] = {
	{ { "reader", 6 }, { "read-only", 9 }, SCOPE_BIT(SCOPE_READ) },
	{ { "writer", 6 }, { "write-only", 10 }, SCOPE_BIT(SCOPE_WRITE) },
};

static void world_init(struct world *w, const struct serve_options *extra)
{
	static const struct str listen[] = { { "127.0.0.1:0", 11 } };
	struct serve_options o = extra ? *extra : (struct serve_options){ 0 };
	struct error e = { 0 };

	*w = (struct world){ .l = loop_new(), .f = xcalloc(1, sizeof *w->f), .mem = arena_new() };
	snprintf(w->dir, sizeof w->dir, "/tmp/test_serve.XXXXXX");
	CHECK(mkdtemp(w->dir));
	snprintf(w->path, sizeof w->path, "%s/socket", w->dir);
	fake_init(w->f, w->l);
	o.listen = listen;
	o.listen_count = 1;
	o.socket_path = str_from(w->path);
	o.token = STR(TOKEN);
	o.tokens = tokens;
	o.token_count = COUNT_OF(tokens);
	o.version = STR("1.2.3");
	o.clock = &w->f->clock;
	w->s = serve_new(w->l, &w->f->control, &o, &e);
	if (!w->s)
		t_fail(__FILE__, __LINE__, "serve_new: %s", e.message);
	w->port = serve_port(w->s);
}

/* Everything must have been given back. */
static void world_done(struct world *w)
{
	serve_free(w->s);
	CHECK_INT(w->f->waiting_count, 0);
	CHECK_INT(w->f->sub_count, 0);
	CHECK_INT(w->f->channels, 0);
	loop_run_once(w->l, 0);
	fake_done(w->f);
	free(w->f);
	loop_free(w->l);
	arena_free(w->mem);
	unlink(w->path);
	rmdir(w->dir);
}

/* ---- a client of HTTP ---- */

struct response {
	int status;
	struct str head, body;
	bool is_whole;
};

static bool dechunk(struct arena *mem, struct str raw, struct str *ret)
{
	struct buf out = { 0 };
	bool is_whole = false;

	while (str_is(raw)) {
		ptrdiff_t end = str_find(raw, STR("\r\n"));
		size_t len = end < 0 ? 0 : strtoul(raw.ptr, NULL, 16);

		if (end < 0 || (size_t)end + 2 + len + 2 > raw.len)
			break;
		if (!len) {
			is_whole = true;
			break;
		}
		buf_add(&out, raw.ptr + end + 2, len);
		raw = str_skip(raw, (size_t)end + 2 + len + 2);
	}
	*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return is_whole;
}

static struct str header(const struct response *r, const char *name)
{
	struct str rest = r->head;

	while (str_is(rest)) {
		struct str line = str_cut(&rest, '\n');
		struct str value = line;
		struct str key = str_cut(&value, ':');

		if (key.len == strlen(name) && !strncasecmp(key.ptr, name, key.len))
			return str_trim(value);
	}
	return STR_NONE;
}

/* What has come so far. */
static struct response response_of(struct arena *mem, struct client *c, bool is_head)
{
	struct response r = { 0 };
	struct str all = buf_str(&c->in);
	ptrdiff_t end = str_find(all, STR("\r\n\r\n"));
	uint64_t len;

	if (end < 0)
		return r;
	CHECK(str_starts(all, STR("HTTP/1.1 ")));
	r.status = atoi(all.ptr + 9);
	r.head = str_head(all, (size_t)end + 2);
	r.body = str_skip(all, (size_t)end + 4);
	if (str_is(header(&r, "transfer-encoding"))) {
		r.is_whole = dechunk(mem, r.body, &r.body) || is_head;
	} else if (str_to_u64(header(&r, "content-length"), &len)) {
		r.is_whole = is_head || r.body.len >= len;
		r.body = str_head(r.body, (size_t)len);
	} else {
		r.is_whole = c->is_eof || r.status == 101 || r.status == 304;
	}
	return r;
}

static bool is_answered(struct world *w, struct client *c, struct response *r, bool is_head)
{
	client_read(c);
	*r = response_of(w->mem, c, is_head);
	return r->is_whole || c->is_eof;
}

static struct response ask_on(struct world *w, struct client *c, struct str request)
{
	struct response r = { 0 };

	buf_clear(&c->in);
	client_send(w->l, c, request);
	UNTIL(w->l, is_answered(w, c, &r, str_starts(request, STR("HEAD"))));
	r.head = arena_keep(w->mem, r.head);
	r.body = arena_keep(w->mem, r.body);
	return r;
}

PRINTF_LIKE(2, 3) static struct response ask(struct world *w, const char *fmt, ...)
{
	struct client c = client_tcp(w->port);
	char *text;
	va_list args;

	va_start(args, fmt);
	CHECK(vasprintf(&text, fmt, args) >= 0);
	va_end(args);

	struct response r = ask_on(w, &c, str_from(text));

	free(text);
	client_done(&c);
	return r;
}

#define GET(w, path, headers)                                                                      \
	ask((w), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:7433\r\n" AUTH "%s\r\n", (path), (headers))
#define POST(w, path, headers, body)                                                               \
	ask((w), "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n" AUTH "Content-Length: %zu\r\n%s\r\n%s", \
	    (path), strlen(body), (headers), (body))

static void send_get(struct world *w, struct client *c, const char *path, const char *headers)
{
	char text[1024];

	snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n" AUTH "%s\r\n", path,
	         headers);
	client_send(w->l, c, str_from(text));
}

/* The body so far of an answer in pieces. */
static struct str body_of(struct world *w, struct client *c)
{
	client_read(c);
	return response_of(w->mem, c, false).body;
}

#define CHECK_PROBLEM(r, status_, code_)                                                           \
	do {                                                                                       \
		CHECK_INT((r).status, status_);                                                    \
		CHECK_HAS((r).body, "\"code\":\"" code_ "\"");                                     \
		CHECK_STR(header(&(r), "content-type"), "application/problem+json");               \
	} while (0)

/* ---- listening ---- */

static enum err try_options(const struct serve_options *o, struct error *e)
{
	struct loop *l = loop_new();
	struct fake *f = xcalloc(1, sizeof *f);
	struct serve *s;

	fake_init(f, l);
	s = serve_new(l, &f->control, o, e);
	serve_free(s);
	loop_run_once(l, 0);
	fake_done(f);
	free(f);
	loop_free(l);
	return s ? OK : e->code;
}

TEST(an_address_beyond_loopback_is_refused_unless_meant)
{
	struct str listen = STR("0.0.0.0:0");
	struct serve_options o = { .listen = &listen, .listen_count = 1, .token = STR("t") };
	struct error e = { 0 };

	CHECK(try_options(&o, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "other machines");
	o.allow_remote = true;
	CHECK_OK(try_options(&o, &e), &e);
}

TEST(a_port_without_a_token_is_refused)
{
	struct str listen = STR("127.0.0.1:0");
	struct serve_options o = { .listen = &listen, .listen_count = 1 };
	struct error e = { 0 };

	CHECK(try_options(&o, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "needs a token");
	o.token = STR("");
	CHECK(try_options(&o, &e) == ERR_INVALID);
	o.listen_count = 0;
	o.token = STR_NONE;
	CHECK_OK(try_options(&o, &e), &e);
}

/* ---- who may come in ---- */

TEST(a_token_is_wanted_on_every_path_but_health)
{
	const struct {
		const char *path, *auth;
		int status;
	} rows[] = {
		{ "/healthz", "", 200 },
		{ "/healthz", "Authorization: Bearer wrong\r\n", 200 },
		{ "/readyz", "", 401 },
		{ "/metrics", "", 401 },
		{ "/openapi.json", "", 401 },
		{ "/", "", console_is_here() ? 200 : 401 },
		{ "/console/none.js", "", 404 },
		{ "/v1/console/session", "", 401 },
		{ "/v1/sessions", "", 401 },
		{ "/v1/events", "", 401 },
		{ "/v1/rpc", "", 401 },
		{ "/v1/outputs/out_1", "", 401 },
		{ "/nothing/here", "", 401 },
		{ "/v1/sessions", "Authorization: Bearer wrong\r\n", 401 },
		{ "/v1/sessions", "Authorization: Bearer\r\n", 401 },
		{ "/v1/sessions", "Authorization: Bearer \r\n", 401 },
		{ "/v1/sessions", "Authorization: Basic " TOKEN "\r\n", 401 },
		{ "/v1/sessions", "Authorization: " TOKEN "\r\n", 401 },
		{ "/v1/sessions", "Authorization: Bearer " TOKEN "x\r\n", 401 },
		{ "/v1/sessions?token=" TOKEN, "", 401 },
		{ "/v1/sessions?access_token=" TOKEN, AUTH, 400 },
		{ "/v1/sessions", AUTH, 200 },
		{ "/v1/sessions", "authorization: bearer " TOKEN "\r\n", 200 },
		{ "/v1/sessions", "Authorization: Bearer read-only\r\n", 200 },
		{ "/metrics", "Authorization: Bearer write-only\r\n", 403 },
		{ "/v1/events?follow=1",
		  "Accept: text/event-stream\r\n"
		  "Authorization: Bearer write-only\r\n",
		  403 },
	};
	struct world w;

	world_init(&w, NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r = ask(&w, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
		                        rows[i].path, rows[i].auth);

		if (r.status != rows[i].status)
			t_fail(__FILE__, __LINE__, "%s with %s: %d", rows[i].path, rows[i].auth,
			       r.status);
		if (r.status == 401)
			CHECK_STR(header(&r, "www-authenticate"), "Bearer realm=\"thole\"");
	}
	CHECK_STR(w.f->principal, "reader");
	CHECK_INT(w.f->scopes, SCOPE_BIT(SCOPE_READ));
	world_done(&w);
}

TEST(the_owner_needs_no_token_on_the_unix_socket)
{
	struct world w;

	world_init(&w, NULL);

	struct client c = client_unix(w.path);
	struct response r = ask_on(&w, &c, STR("GET /v1/sessions HTTP/1.1\r\nHost: thole\r\n\r\n"));

	CHECK_INT(r.status, 200);
	CHECK_STR(w.f->principal, "owner");
	CHECK_INT(w.f->scopes, SCOPES_ALL);
	r = ask_on(&w, &c,
	           STR("GET /v1/sessions HTTP/1.1\r\nHost: thole\r\n"
	               "Authorization: Bearer wrong\r\n\r\n"));
	CHECK_PROBLEM(r, 401, "unauthorized");
	client_done(&c);
	world_done(&w);
}

TEST(another_user_needs_a_token_on_the_unix_socket)
{
	struct world w;

	if (geteuid() != 0)
		return; /* only root can become somebody else */
	world_init(&w, NULL);
	CHECK(chmod(w.dir, 0755) == 0 && chmod(w.path, 0666) == 0);
	CHECK(seteuid(65534) == 0);

	struct client c = client_unix(w.path), d = client_unix(w.path);

	CHECK(seteuid(0) == 0);

	struct response r = ask_on(&w, &c, STR("GET /v1/sessions HTTP/1.1\r\nHost: x\r\n\r\n"));

	CHECK_PROBLEM(r, 401, "unauthorized");
	r = ask_on(&w, &c, STR("GET /v1/sessions HTTP/1.1\r\nHost: x\r\n" AUTH "\r\n"));
	CHECK_INT(r.status, 200);

	SEND(w.l, &d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_sessions\"}\n");
	UNTIL(w.l, client_has(&d, STR("\"code\":-32001")));
	SEND(w.l, &d,
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\","
	     "\"params\":{\"token\":\"wrong\"}}\n");
	UNTIL(w.l, client_has(&d, STR("the token is missing or wrong")));
	SEND(w.l, &d,
	     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\","
	     "\"params\":{\"token\":\"read-only\"}}\n");
	UNTIL(w.l, client_has(&d, STR("\"principal\":\"reader\",\"channelId\":\"chan_1\"")));
	SEND(w.l, &d, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"list_sessions\"}\n");
	UNTIL(w.l, client_has(&d, STR("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}")));
	CHECK_STR(w.f->principal, "reader");
	client_done(&c);
	client_done(&d);
	world_done(&w);
}

TEST(host_and_origin_are_checked_on_tcp)
{
	static const struct {
		const char *headers;
		int status;
		const char *code;
	} rows[] = {
		{ "Host: localhost\r\n", 200, "" },
		{ "Host: LOCALHOST:80\r\n", 200, "" },
		{ "Host: [::1]:7433\r\n", 200, "" },
		{ "Host: 127.0.0.1\r\n", 200, "" },
		{ "Host: evil.example\r\n", 421, "host_not_allowed" },
		{ "Host: localhost.evil.example\r\n", 421, "host_not_allowed" },
		{ "Host: evil.example:7433\r\n", 421, "host_not_allowed" },
		{ "Host: \r\n", 421, "host_not_allowed" },
		{ "Host: localhost\r\nOrigin: https://good.example\r\n", 200, "" },
		{ "Host: localhost\r\nOrigin: https://evil.example\r\n", 403,
		  "origin_not_allowed" },
		{ "Host: localhost\r\nOrigin: http://good.example\r\n", 403, "origin_not_allowed" },
		{ "Host: localhost\r\nOrigin: null\r\n", 403, "origin_not_allowed" },
		/* the page that we served ourselves, behind a proxy too; another port is another page */
		{ "Host: localhost\r\nOrigin: http://localhost\r\n", 200, "" },
		{ "Host: localhost:7433\r\nOrigin: https://localhost:7433\r\n", 200, "" },
		{ "Host: localhost:7433\r\nOrigin: http://localhost:7434\r\n", 403,
		  "origin_not_allowed" },
		{ "Host: localhost\r\nOrigin: ftp://localhost\r\n", 403, "origin_not_allowed" },
	};
	struct str origins[] = { STR("https://good.example"), STR("null") };
	struct serve_options o = { .origins = origins, .origin_count = 2 };
	struct world w;

	world_init(&w, &o);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r =
			ask(&w, "GET /v1/tasks HTTP/1.1\r\n%s" AUTH "\r\n", rows[i].headers);

		if (r.status != rows[i].status || str_find(r.body, str_from(rows[i].code)) < 0)
			t_fail(__FILE__, __LINE__, "%s: %d %.*s", rows[i].headers, r.status,
			       STR_ARG(r.body));
		CHECK(!str_is(header(&r, "access-control-allow-origin")));
	}
	CHECK_INT(ask(&w, "GET /healthz HTTP/1.1\r\nHost: evil\r\n\r\n").status, 421);
	world_done(&w);
}

TEST(given_hosts_replace_the_usual_ones)
{
	struct str hosts[] = { STR("thole.example"), STR("other.example:81") };
	struct serve_options o = { .hosts = hosts, .host_count = 2 };
	struct world w;

	world_init(&w, &o);
#define STATUS(host) ask(&w, "GET /healthz HTTP/1.1\r\nHost: " host "\r\n\r\n").status
	CHECK_INT(STATUS("thole.example:1"), 200);
	CHECK_INT(STATUS("other.example:81"), 200);
	CHECK_INT(STATUS("other.example:82"), 421);
	CHECK_INT(STATUS("localhost"), 421);
	CHECK_INT(STATUS("127.0.0.1"), 200); /* where it listens */
	world_done(&w);
}

/* ---- commands and reads ---- */

static const struct fake_answer answers[] = {
	{ "submit_turn", 0, 202,
	  "{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":5}" },
	{ "create_session", 0, 200, "{\"again\":true}", .is_replay = true },
	{ "respond_action", ERROR_CODE_ALREADY_RESOLVED, 409, "{\"code\":\"already_resolved\"}" },
	{ "interrupt_turn", ERROR_CODE_OVERLOADED, 503, "{\"code\":\"overloaded\"}",
	  .retry_after_ms = 1200 },
	{ NULL },
};

TEST(a_command_is_called_with_body_key_and_trace)
{
	struct world w;

	world_init(&w, NULL);
	w.f->answers = answers;

	struct response r =
		POST(&w, "/v1/commands/submit_turn",
	             "Content-Type: application/json; charset=utf-8\r\nIdempotency-Key: k1\r\n"
	             "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
	             "{\"input\": 1.0}");

	CHECK_INT(r.status, 202);
	CHECK_HAS(r.body, "turn_1");
	CHECK_STR(header(&r, "content-type"), "application/json");
	CHECK(!str_is(header(&r, "idempotent-replayed")));
	CHECK_STR(w.f->command, "submit_turn");
	CHECK_STR(w.f->params, "{\"input\": 1.0}");
	CHECK_STR(w.f->key, "k1");
	CHECK_STR(w.f->trace, "0af7651916cd43dd8448eb211c80319c");
	CHECK_STR(w.f->via, "http");
	CHECK_STR(w.f->principal, "owner");

	r = POST(&w, "/v1/commands/create_session", "Thole-Client: cli\r\ntraceparent: 00-zz\r\n",
	         "");
	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "idempotent-replayed"), "true");
	CHECK_STR(w.f->via, "cli");
	CHECK(!str_is(w.f->params) && !str_is(w.f->key) && !str_is(w.f->trace));

	r = POST(&w, "/v1/commands/respond_action", "", "{}");
	CHECK_PROBLEM(r, 409, "already_resolved");
	r = POST(&w, "/v1/commands/interrupt_turn", "", "{}");
	CHECK_PROBLEM(r, 503, "overloaded");
	CHECK_STR(header(&r, "retry-after"), "2");
	r = POST(&w, "/v1/commands/no_such_thing", "", "{}");
	CHECK_PROBLEM(r, 404, "unknown_command");
	world_done(&w);
}

TEST(plain_gets_are_read_commands)
{
	static const struct {
		const char *path, *command, *params;
	} rows[] = {
		{ "/v1/capabilities", "get_capabilities", "{}" },
		{ "/v1/sessions", "list_sessions", "{}" },
		{ "/v1/sessions?limit=5&archived=true&workspaceId=a%20b&cursor=", "list_sessions",
		  "{\"limit\":5,\"archived\":true,\"workspaceId\":\"a b\",\"cursor\":\"\"}" },
		{ "/v1/sessions?workspace_id=x&system=0", "list_sessions",
		  "{\"workspaceId\":\"x\",\"system\":false}" },
		{ "/v1/sessions/sess_1", "get_session", "{\"sessionId\":\"sess_1\"}" },
		{ "/v1/sessions/sess_1?window=3&sections=a,b", "get_session",
		  "{\"sessionId\":\"sess_1\",\"window\":3,\"sections\":[\"a\",\"b\"]}" },
		{ "/v1/sessions/s/threads", "list_threads", "{\"sessionId\":\"s\"}" },
		{ "/v1/sessions/s/threads/t", "get_thread_read",
		  "{\"sessionId\":\"s\",\"threadId\":\"t\"}" },
		{ "/v1/sessions/s/queue?threadId=t", "list_queue",
		  "{\"sessionId\":\"s\",\"threadId\":\"t\"}" },
		{ "/v1/sessions/s/tools?mode=plan", "get_tool_inventory",
		  "{\"sessionId\":\"s\",\"mode\":\"plan\"}" },
		{ "/v1/sessions/s/tasks/k", "get_task", "{\"sessionId\":\"s\",\"taskId\":\"k\"}" },
		{ "/v1/tasks?status=running", "list_tasks", "{\"status\":\"running\"}" },
		{ "/v1/actions?status=pending", "list_actions", "{\"status\":\"pending\"}" },
		{ "/v1/channels", "list_channels", "{}" },
		{ "/v1/events", "list_events", "{}" },
		{ "/v1/events?session=s&after=7&types=tool.*,turn.started&thread=t&turn=u&limit=9",
		  "list_events",
		  "{\"sessionId\":\"s\",\"after\":7,\"types\":[\"tool.*\",\"turn.started\"],"
		  "\"threadId\":\"t\",\"turnId\":\"u\",\"limit\":9}" },
		{ "/v1/events?after=p.12&follow=0", "list_events", "{\"cursor\":\"p.12\"}" },
	};
	struct world w;

	world_init(&w, NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r = GET(&w, rows[i].path, "");

		if (r.status != 200)
			t_fail(__FILE__, __LINE__, "%s: %d %.*s", rows[i].path, r.status,
			       STR_ARG(r.body));
		CHECK_SAME(w.f->command, str_from(rows[i].command));
		CHECK_SAME(w.f->params, str_from(rows[i].params));
	}
	CHECK_INT(ask(&w, "HEAD /v1/sessions HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n").status,
	          200);
	world_done(&w);
}

TEST(bad_requests_are_told_and_reach_nobody)
{
	static const struct {
		const char *method, *path, *headers, *body;
		int status;
		const char *code;
	} rows[] = {
		{ "GET", "/v1/nothing", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions//threads", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/s/threads/t/x", "", "", 404, "not_found" },
		{ "GET", "/V1/sessions", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/../../etc", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions/a%20b", "", "", 400, "invalid_id" },
		{ "GET", "/v1/sessions?bogus=1", "", "", 400, "unknown_field" },
		{ "GET", "/v1/sessions?limit=many", "", "", 400, "invalid_value" },
		{ "GET", "/v1/sessions?limit=1&limit=2", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions?archived=perhaps", "", "", 400, "invalid_value" },
		{ "GET", "/v1/sessions/s?sessionId=t", "", "", 400, "invalid_request" },
		{ "POST", "/v1/sessions", "", "", 405, "method_not_allowed" },
		{ "GET", "/v1/run", "", "", 405, "method_not_allowed" },
		{ "GET", "/v1/commands/submit_turn", "", "", 405, "method_not_allowed" },
		{ "HEAD", "/v1/events", "", "", 405, "" },
		{ "OPTIONS", "/v1/sessions", "", "", 405, "method_not_allowed" },
		{ "POST", "/v1/commands/submit_turn", "Content-Type: text/plain\r\n", "{}", 415,
		  "unsupported_media_type" },
		{ "POST", "/v1/commands/submit_turn",
		  "Content-Type: application/x-www-form-urlencoded\r\n", "a=b", 415,
		  "unsupported_media_type" },
		{ "POST", "/v1/commands/submit_turn?x=1", "", "{}", 400, "unknown_field" },
		{ "POST", "/v1/commands/submit_turn", "Idempotency-Key: \r\n", "{}", 400,
		  "invalid_value" },
		{ "POST", "/v1/run", "Accept: image/png\r\n", "{}", 406, "not_acceptable" },
		{ "GET", "/v1/events?types=no.such", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?types=tool.result,", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?bogus=1", "Accept: text/event-stream\r\n", "", 400,
		  "unknown_field" },
		{ "GET", "/v1/events?session=a%2Bb%3F", "", "", 400, "invalid_id" },
		{ "GET", "/v1/events?session=s&after=-1", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?session=s&after=p.3", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?after=3", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?after=p.x", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?follow=2", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?follow=1", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?limit=2", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?session=s&session=s", "", "", 400, "invalid_request" },
		{ "GET", "/v1/events", "Accept: image/png\r\n", "", 406, "not_acceptable" },
		{ "GET", "/v1/events?session=s",
		  "Accept: text/event-stream\r\n"
		  "Last-Event-ID: x\r\n",
		  "", 400, "invalid_value" },
		{ "GET", "/v1/outputs/a%20b", "", "", 400, "invalid_id" },
		{ "GET", "/v1/outputs/o?x=1", "", "", 400, "unknown_field" },
		{ "GET", "/v1/rpc", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions", "", "{}", 413, "payload_too_large" },
		{ "BREW", "/v1/sessions", "", "", 400, "invalid_request" },
		{ "TRACE", "/v1/sessions", "", "", 501, "invalid_request" },
		{ "GET", "/v1/sessions", "Host: again\r\n", "", 400, "invalid_request" },
		{ "POST", "/v1/commands/x", "Transfer-Encoding: chunked\r\n", "{}", 400,
		  "invalid_request" },
	};
	struct world w;

	world_init(&w, NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r = ask(&w,
		                        "%s %s HTTP/1.1\r\nHost: localhost\r\n" AUTH
		                        "Content-Length: %zu\r\n%s\r\n%s",
		                        rows[i].method, rows[i].path, strlen(rows[i].body),
		                        rows[i].headers, rows[i].body);

		if (r.status != rows[i].status || str_find(r.body, str_from(rows[i].code)) < 0)
			t_fail(__FILE__, __LINE__, "%s %s %s: %d %.*s", rows[i].method,
			       rows[i].path, rows[i].headers, r.status, STR_ARG(r.body));
		if (r.status == 405)
			CHECK(str_is(header(&r, "allow")));
	}
	CHECK_INT(w.f->calls, 0);
	CHECK_INT(w.f->most_subs, 0);
	world_done(&w);
}

TEST(a_body_above_the_bound_is_refused_before_it_is_read)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	r = ask(&w, "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\n" AUTH
	            "Content-Length: 1048577\r\n\r\n");
	CHECK_PROBLEM(r, 413, "payload_too_large");
	r = ask(&w,
	        "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n");
	CHECK_PROBLEM(r, 413, "payload_too_large"); /* less without a token */
	r = ask(&w,
	        "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
	CHECK_PROBLEM(r, 401, "unauthorized");
	CHECK_INT(w.f->calls, 0);
	world_done(&w);
}

TEST(health_readiness_metrics_and_pages)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	CHECK_STR(GET(&w, "/healthz", "").body, "{\"status\":\"ok\"}");
	r = GET(&w, "/readyz", "");
	CHECK_INT(r.status, 200);
	w.f->is_not_ready = true;
	r = GET(&w, "/readyz", "");
	CHECK_INT(r.status, 503);
	CHECK_HAS(r.body, "the store is being read");
	r = GET(&w, "/metrics", "");
	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "content-type"), "text/plain; version=0.0.4; charset=utf-8");
	CHECK_HAS(r.body, "# HELP thole_commands_total Commands taken.\n"
	                  "# TYPE thole_commands_total counter\nthole_commands_total 0\n");
	CHECK_HAS(r.body, "thole_build_info{version=\"9.8.7\",runtime=\"rt_1\"} 1\n");
	CHECK_HAS(r.body, "thole_ready 0\n");
	CHECK_HAS(r.body, "thole_last_commit_seconds 0.001500\n");
	CHECK_HAS(r.body, "thole_http_requests_total 4\n");
	r = GET(&w, "/openapi.json", "");
	CHECK(str_starts(r.body, STR("{\"openapi\":\"3.1.")));
	CHECK_INT(r.body.len, openapi_asset.plain_len);
	CHECK_STR(header(&r, "content-type"), "application/json");
	r = GET(&w, "/openapi.json", "Accept-Encoding: gzip\r\n");
	CHECK_STR(header(&r, "content-encoding"), "gzip");
	CHECK_INT(r.body.len, openapi_asset.gzip.len);

	r = GET(&w, "/", "");
	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body, "Thole</");
	CHECK_HAS(header(&r, "content-security-policy"), "default-src 'none'");
	CHECK_STR(header(&r, "x-content-type-options"), "nosniff");
	r = ask(&w, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	CHECK_INT(r.status, console_is_here() ? 200 : 401);
	CHECK_HAS(r.body, "Thole</");
	world_done(&w);
}

/* ---- the console ---- */

/* The value of a string member, as long as it holds no quote. */
static struct str member(struct str json, const char *key)
{
	char wanted[64];
	ptrdiff_t at;

	snprintf(wanted, sizeof wanted, "\"%s\":\"", key);
	at = str_find(json, str_from(wanted));
	if (at < 0)
		return STR_NONE;
	json = str_skip(json, (size_t)at + strlen(wanted));
	return str_cut(&json, '"');
}

static struct str new_code(struct world *w, const char *auth)
{
	struct response r = ask(w,
	                        "POST /v1/commands/open_console HTTP/1.1\r\nHost: localhost\r\n%s"
	                        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	                        auth);

	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body, "\"addresses\":[\"http://127.0.0.1:");
	return member(r.body, "code");
}

static struct response sign_in(struct world *w, struct str code, const char *headers)
{
	char body[256];
	int len = snprintf(body, sizeof body, "{\"code\":\"%.*s\"}", STR_ARG(code));

	return ask(w,
	           "POST /v1/console/sign-in HTTP/1.1\r\nHost: localhost:7433\r\n%s"
	           "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
	           headers, len, body);
}

/* "name=value" of Set-Cookie. */
static struct str cookie_of(struct world *w, const struct response *r)
{
	struct str all = header(r, "set-cookie");

	return arena_keep(w->mem, str_cut(&all, ';'));
}

static int status_with(struct world *w, const char *method, struct str cookie, const char *headers)
{
	return ask(w,
	           "%s /v1/commands/list_sessions HTTP/1.1\r\nHost: localhost:7433\r\n"
	           "Cookie: other=1; %.*s\r\nContent-Type: application/json\r\n%s"
	           "Content-Length: 2\r\n\r\n{}",
	           method, STR_ARG(cookie), headers)
	        .status;
}

#define OWN_PAGE "Origin: http://localhost:7433\r\nSec-Fetch-Site: same-origin\r\n"

TEST(a_code_becomes_a_cookie_once_and_in_time)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);

	struct str code = new_code(&w, AUTH);

	CHECK_INT(code.len, SIGNIN_CODE_LEN);
	r = sign_in(&w, STR("00000000000000000000000000000000"), OWN_PAGE);
	CHECK_PROBLEM(r, 401, "unauthorized");
	r = sign_in(&w, code, "Origin: http://evil.example\r\n");
	CHECK_PROBLEM(r, 403, "origin_not_allowed");
	r = sign_in(&w, code, OWN_PAGE);
	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body,
	          "\"principal\":\"owner\",\"scopes\":[\"read\",\"write\",\"approve\",\"admin\"]");
	CHECK_HAS(header(&r, "set-cookie"), "; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
	CHECK(str_find(header(&r, "set-cookie"), STR("Secure")) < 0);
	r = sign_in(&w, code, OWN_PAGE);
	CHECK_PROBLEM(r, 401, "unauthorized");

	code = new_code(&w, AUTH);
	w.f->mono_ms += LIMIT_CONSOLE_CODE_S * 1000;
	r = sign_in(&w, code, OWN_PAGE);
	CHECK_PROBLEM(r, 401, "unauthorized");

	code = new_code(&w, AUTH);
	r = sign_in(&w, code, "Origin: https://localhost:7433\r\n");
	CHECK_HAS(header(&r, "set-cookie"), "SameSite=Strict; Secure");
	world_done(&w);
}

TEST(a_cookie_speaks_for_its_token_and_only_from_our_own_page)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	r = sign_in(&w, new_code(&w, "Authorization: Bearer read-only\r\n"), OWN_PAGE);

	struct str cookie = cookie_of(&w, &r);
	struct str bad = arena_printf(w.mem, "%.*s%c", (int)cookie.len - 1, cookie.ptr,
	                              cookie.ptr[cookie.len - 1] == '0' ? '1' : '0');

	CHECK_INT(status_with(&w, "POST", cookie, OWN_PAGE), 200);
	CHECK_STR(w.f->principal, "reader");
	CHECK_STR(w.f->via, "console");
	CHECK_INT(w.f->scopes, SCOPE_BIT(SCOPE_READ));
	CHECK_INT(status_with(&w, "POST", cookie, "Origin: http://localhost:7433\r\n"), 200);
	CHECK_INT(status_with(&w, "POST", cookie, ""), 401);
	CHECK_INT(status_with(&w, "POST", cookie, "Sec-Fetch-Site: same-site\r\n"), 401);
	CHECK_INT(status_with(&w, "POST", cookie, "Sec-Fetch-Site: cross-site\r\n"), 401);
	CHECK_INT(status_with(&w, "POST", cookie, "Origin: http://localhost:7434\r\n"), 403);
	CHECK_INT(status_with(&w, "POST", bad, OWN_PAGE), 401);
	CHECK_INT(status_with(&w, "POST", STR("x=y"), OWN_PAGE), 401);
	/* who shows a token is judged by it */
	CHECK_INT(status_with(&w, "POST", cookie, OWN_PAGE "Authorization: Bearer no\r\n"), 401);

	r = ask(&w, "GET /v1/console/session HTTP/1.1\r\nHost: localhost\r\nCookie: %.*s\r\n\r\n",
	        STR_ARG(cookie));
	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body, "\"principal\":\"reader\",\"scopes\":[\"read\"],\"expiresAt\":\"2001-");
	r = ask(&w,
	        "POST /v1/commands/open_console HTTP/1.1\r\nHost: localhost:7433\r\n" OWN_PAGE
	        "Cookie: %.*s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	        STR_ARG(cookie));
	CHECK_PROBLEM(r, 403, "forbidden");
	r = ask(&w, "GET /v1/rpc HTTP/1.1\r\nHost: localhost\r\nCookie: %.*s\r\n\r\n",
	        STR_ARG(cookie));
	CHECK_PROBLEM(r, 403, "forbidden");
	r = ask(&w,
	        "POST /v1/console/sign-out HTTP/1.1\r\nHost: localhost:7433\r\n" OWN_PAGE
	        "Cookie: %.*s\r\n\r\n",
	        STR_ARG(cookie));
	CHECK_HAS(header(&r, "set-cookie"), "=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");

	w.f->mono_ms += (int64_t)LIMIT_CONSOLE_SESSION_S * 1000;
	CHECK_INT(status_with(&w, "POST", cookie, OWN_PAGE), 401);
	world_done(&w);
}

/* A crash ends no session; a new token ends them all. */
TEST(a_cookie_is_good_in_the_next_process_with_the_same_token)
{
	static const uint8_t entropy[16] = { 1, 2, 3 };
	struct buf cookie = { 0 };
	int64_t until = 0;

	signin_write_cookie(&cookie, STR("a token"), 5000, entropy);
	CHECK(cookie.len <= SIGNIN_COOKIE_MAX);
	CHECK(signin_is_cookie(buf_str(&cookie), STR("a token"), 4999, &until) && until == 5000);
	CHECK(!signin_is_cookie(buf_str(&cookie), STR("a token"), 5000, &until));
	CHECK(!signin_is_cookie(buf_str(&cookie), STR("another"), 4999, &until));
	for (size_t i = 0; i < cookie.len; i++) {
		cookie.ptr[i] ^= 1;
		CHECK(!signin_is_cookie(buf_str(&cookie), STR("a token"), 4999, &until));
		cookie.ptr[i] ^= 1;
		CHECK(!signin_is_cookie(str_head(buf_str(&cookie), i), STR("a token"), 4999,
		                        &until));
	}
	buf_done(&cookie);
}

TEST(the_oldest_code_makes_room)
{
	struct signin all = { 0 };
	char first[SIGNIN_CODE_LEN];

	for (uint8_t i = 0; i <= LIMIT_CONSOLE_CODES; i++) {
		uint8_t entropy[16] = { i };
		struct str code = signin_mint(&all, STR("p"), 0, entropy);

		if (i == 0)
			memcpy(first, code.ptr, sizeof first);
	}
	CHECK(!str_is(signin_take(&all, str_of(first, sizeof first), 1)));
	CHECK_STR(signin_take(&all, STR("01000000000000000000000000000000"), 1), "p");
	CHECK(!str_is(signin_take(&all, str_of((char[SIGNIN_CODE_LEN]){ 0 }, SIGNIN_CODE_LEN), 1)));
}

TEST(a_daemon_without_a_port_opens_one_for_the_console)
{
	struct loop *l = loop_new();
	struct fake *f = xcalloc(1, sizeof *f);
	struct str hosts[] = { STR("thole.example") };
	struct serve_options o = {
		.token = STR(TOKEN), .clock = &f->clock, .hosts = hosts, .host_count = 1
	};
	struct control_caller owner = { 0 };
	struct buf reply = { 0 };
	struct error e = { 0 };
	struct serve *s;

	fake_init(f, l);
	s = serve_new(l, &f->control, &o, &e);
	auth_owner(&owner);
	CHECK_INT(serve_port(s), 0);
	CHECK_INT(console_open(s, &owner, &reply, &e), 0);
	CHECK_HAS(buf_str(&reply), "\"addresses\":[\"http://127.0.0.1:");
	CHECK(serve_port(s) > 0);

	int port = serve_port(s);
	struct client c = client_tcp(port);

	SEND(l, &c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	UNTIL(l, client_has(&c, STR("{\"status\":\"ok\"}")));
	buf_clear(&reply);
	CHECK_INT(console_open(s, &owner, &reply, &e), 0);
	CHECK_INT(serve_port(s), port); /* one is enough */
	client_done(&c);
	buf_done(&reply);
	serve_free(s);
	loop_run_once(l, 0);
	fake_done(f);
	free(f);
	loop_free(l);
}

TEST(files_of_the_console_are_packed_and_known_again)
{
	struct world w;

	world_init(&w, NULL);
	for (const struct asset *a = console_assets; a->name; a++) {
		struct response r =
			ask(&w, "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n\r\n", a->name);

		CHECK_INT(r.status, 200);
		CHECK_INT(r.body.len, a->plain_len);
		CHECK(!str_is(header(&r, "content-encoding")));
		CHECK_HAS(header(&r, "content-security-policy"), "script-src 'self';");
		r = ask(&w,
		        "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n"
		        "Accept-Encoding: br, gzip\r\n\r\n",
		        a->name);
		CHECK_INT(r.body.len, a->gzip.len);
		CHECK_STR(header(&r, "content-encoding"), "gzip");
		r = ask(&w,
		        "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n"
		        "If-None-Match: \"x\", %s\r\n\r\n",
		        a->name, a->etag);
		CHECK_INT(r.status, 304);
	}
	world_done(&w);
}

TEST(who_asks_for_the_end_is_told_where_it_is)
{
	struct world w;

	world_init(&w, NULL);
	w.f->last_position = 41;

	struct client c = client_tcp(w.port);

	SEND(w.l, &c,
	     "GET /v1/events?after=end HTTP/1.1\r\nHost: localhost\r\n" AUTH
	     "Accept: text/event-stream\r\n\r\n");
	UNTIL(w.l, client_has(&c, STR("retry: 1000\n\n")) && client_has(&c, STR("id: p.41\n\n")));
	CHECK_INT(GET(&w, "/v1/events?after=end&session=sess_1", "Accept: text/event-stream\r\n")
	                  .status,
	          400);
	CHECK_INT(GET(&w, "/v1/events?after=now", "Accept: text/event-stream\r\n").status, 400);
	client_done(&c);
	world_done(&w);
}

/* ---- events ---- */

#define EVENT(seq, type) "{\"type\":\"" type "\",\"sequence\":" #seq ",\"sessionId\":\"sess_1\"}"

static void add_some(struct fake *f)
{
	fake_add(f, "sess_1", 1, EV_SESSION_CREATED, NULL, NULL, 0);
	fake_add(f, "sess_1", 2, EV_TURN_SUBMITTED, "thr_1", "turn_1", 0);
	fake_add(f, "sess_2", 1, EV_SESSION_CREATED, NULL, NULL, 0);
	fake_add(f, "sess_1", 3, EV_TOOL_STARTED, "thr_1", "turn_1", 0);
	fake_add(f, "sess_1", 4, EV_TOOL_RESULT, "thr_2", "turn_2", 0);
}

#define SSE "Accept: text/event-stream\r\n"
#define NDJSON "Accept: application/x-ndjson\r\n"

TEST(sse_frames_are_these_bytes_and_follow)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=1", SSE);
	UNTIL(w.l, str_find(body_of(&w, &c), STR("tool.result")) >= 0);
	CHECK_STR(
		body_of(&w, &c),
		"retry: 1000\n\n"
		"id: 2\nevent: turn.submitted\ndata: " EVENT(
			2, "turn.submitted") "\n\n"
					     "id: 3\nevent: tool.started\ndata: " EVENT(
						     3,
						     "tool.started") "\n\n"
								     "id: 4\nevent: "
								     "tool.result\ndata: " EVENT(
									     4,
									     "tool.result") "\n\n");

	struct response r = response_of(w.mem, &c, false);

	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "content-type"), "text/event-stream");
	CHECK_STR(header(&r, "cache-control"), "no-store");
	CHECK(!r.is_whole);

	buf_clear(&c.in);
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	UNTIL(w.l, client_has(&c, STR("turn.completed\"")));
	CHECK_HAS(buf_str(&c.in), "id: 5\nevent: turn.completed\ndata: {\"type\"");

	buf_clear(&c.in);
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_has(&c, STR("\r\n0\r\n\r\n")));
	CHECK_HAS(buf_str(&c.in), "event: end\ndata: {\"reason\":\"shutdown\"}\n\n");
	client_done(&c);
	world_done(&w);
}

/* The whole body of a stream that ends by itself. */
static struct str events(struct world *w, const char *path, const char *headers)
{
	struct response r = GET(w, path, headers);

	CHECK_INT(r.status, 200);
	CHECK(r.is_whole);
	return r.body;
}

TEST(last_event_id_wins_and_filters_filter)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);
#define FRAME(id, seq, type) "id: " id "\nevent: " type "\ndata: " EVENT(seq, type) "\n\n"
	CHECK_STR(events(&w, "/v1/events?session=sess_1&after=0&follow=0",
	                 SSE "Last-Event-ID: 3\r\n"),
	          "retry: 1000\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&types=tool.*&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("3", 3, "tool.started") FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&types=tool.result,turn.submitted&follow=0",
	                 SSE),
	          "retry: 1000\n\n" FRAME("2", 2, "turn.submitted") FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&thread=thr_2&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&turn=turn_1&types=&follow=0", SSE),
	          "retry: 1000\n\n" FRAME("2", 2, "turn.submitted") FRAME("3", 3, "tool.started"));
	/* over all sessions the place is the store's */
	CHECK_STR(
		events(&w, "/v1/events?after=p.102&follow=false", SSE),
		"retry: 1000\n\n"
		"id: p.103\nevent: session.created\ndata: "
		"{\"type\":\"session.created\",\"sequence\":1,\"sessionId\":\"sess_2\"}\n\n" FRAME(
			"p.104", 3, "tool.started") FRAME("p.105", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?follow=0&types=job.*", SSE), "retry: 1000\n\n");
	world_done(&w);
}

TEST(ndjson_is_the_stored_bytes_line_by_line)
{
	struct world w;
	struct bytes *large;

	world_init(&w, NULL);
	add_some(w.f);
	CHECK_STR(events(&w, "/v1/events?session=sess_1&after=2", NDJSON),
	          EVENT(3, "tool.started") "\n" EVENT(4, "tool.result") "\n");
	large = fake_add(w.f, "sess_1", 5, EV_MODEL_DELTA, "thr_1", "turn_1", 60000);

	struct str body = events(&w, "/v1/events?session=sess_1&after=4", NDJSON);

	CHECK_INT(body.len, large->len + 1);
	CHECK(!memcmp(body.ptr, large->data, large->len) && body.ptr[large->len] == '\n');
	body = events(&w, "/v1/events?session=sess_1&after=4&follow=0", SSE);
	CHECK(str_find(body, bytes_str(large)) > 0 && str_ends(body, STR("\"}\n\n")));

	struct client c = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=4&follow=1", NDJSON);
	UNTIL(w.l, str_ends(body_of(&w, &c), STR("\"}\n")));
	fake_end_all(w.f, STREAM_STORE_FAILED);
	UNTIL(w.l, client_has(&c, STR("{\"end\":{\"reason\":\"store_failed\"}}\n")));
	client_done(&c);
	world_done(&w);
}

TEST(a_gap_is_a_frame_with_its_snapshot)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);
	w.f->floor = 3;
	CHECK_STR(events(&w, "/v1/events?session=sess_1&follow=0", SSE),
	          "retry: 1000\n\n"
	          "id: 3\nevent: gap\ndata: {\"from\":1,\"to\":3,\"recoveryMode\":\"retention\","
	          "\"snapshot\":{\"at\":1}}\n\n" FRAME("4", 4, "tool.result"));
	CHECK_STR(events(&w, "/v1/events?session=sess_1&follow=0&after=2", NDJSON),
	          "{\"gap\":{\"from\":3,\"to\":3,\"recoveryMode\":\"retention\","
	          "\"snapshot\":{\"at\":1}}}\n" EVENT(4, "tool.result") "\n");
	world_done(&w);
}

TEST(a_stream_of_no_session_is_a_problem)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	r = GET(&w, "/v1/events?session=sess_9", SSE);
	CHECK_PROBLEM(r, 404, "session_not_found");
	r = GET(&w, "/v1/events?session=sess_9", NDJSON);
	CHECK_PROBLEM(r, 404, "session_not_found");
	world_done(&w);
}

TEST(quiet_sse_readers_get_pings)
{
	struct serve_options o = { .ping_ms = 30 };
	struct world w;

	world_init(&w, &o);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1&after=4", SSE);
	send_get(&w, &d, "/v1/events?session=sess_1&after=4&follow=1", NDJSON);
	UNTIL(w.l, count_of(body_of(&w, &c), STR(": ping\n\n")) >= 3);
	CHECK(str_starts(body_of(&w, &c), STR("retry: 1000\n\n: ping\n\n: ping\n\n")));
	CHECK_INT(body_of(&w, &d).len, 0);
	CHECK_INT(response_of(w.mem, &d, false).status, 200);
	client_done(&c);
	client_done(&d);
	world_done(&w);
}

TEST(a_reader_that_never_reads_is_bounded_and_hurts_nobody)
{
	struct serve_options o = { .ping_ms = 40, .stall_ms = 120, .client_buffer_max = 65536 };
	struct world w;

	world_init(&w, &o);
	add_some(w.f);

	struct client slow = client_tcp(w.port), quick = client_tcp(w.port);
	int small = 4096;

	setsockopt(slow.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	send_get(&w, &slow, "/v1/events?session=sess_1", SSE);
	send_get(&w, &quick, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, w.f->sub_count == 2 && client_has(&quick, STR("tool.result")));
	for (uint64_t i = 5; i < 405; i++)
		fake_add(w.f, "sess_1", i, EV_MODEL_DELTA, NULL, NULL, 32000);

	size_t before = w.f->delivered;

	UNTIL(w.l, client_has(&quick, STR("id: 404\n")));
	/* 12.8 MB for one, a few hundred KiB (mostly the kernel's) for the other */
	CHECK(w.f->delivered - before < 400 + 250);
	UNTIL(w.l, w.f->sub_count == 1); /* it took nothing for stall_ms */

	fake_add(w.f, "sess_1", 405, EV_MODEL_DELTA, NULL, NULL, 0);
	UNTIL(w.l, client_has(&quick, STR("id: 405\n")));
	client_done(&slow);
	client_done(&quick);
	UNTIL(w.l, w.f->sub_count == 0);
	world_done(&w);
}

TEST(a_reader_that_reads_slowly_gets_everything)
{
	struct serve_options o = { .ping_ms = 1000, .client_buffer_max = 8192 };
	struct world w;
	size_t seen = 0, total;

	world_init(&w, &o);
	for (uint64_t i = 1; i <= 300; i++)
		fake_add(w.f, "sess_1", i, EV_MODEL_DELTA, NULL, NULL, 9000);
	total = (size_t)w.f->events[0].pub.body->len * 300;

	struct client c = client_tcp(w.port);
	char part[5000];

	send_get(&w, &c, "/v1/events?session=sess_1&follow=0", NDJSON);
	while (!str_ends(buf_str(&c.in), STR("0\r\n\r\n"))) {
		ssize_t n = recv(c.fd, part, sizeof part, 0);

		if (n > 0)
			buf_add(&c.in, part, (size_t)n);
		loop_run_once(w.l, 0);
		CHECK(++seen < 2000000);
	}

	struct response r = response_of(w.mem, &c, false);

	CHECK(r.is_whole && r.body.len > total);
	CHECK_INT(count_of(r.body, STR("\n")), 300);
	CHECK_INT(w.f->delivered, 300);
	client_done(&c);
	world_done(&w);
}

TEST(nothing_is_left_when_a_client_goes)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port), e = client_tcp(w.port);

	send_get(&w, &c, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, client_has(&c, STR("tool.result")));
	w.f->is_async = true;
	send_get(&w, &d, "/v1/sessions", "");
	UNTIL(w.l, w.f->waiting_count == 1);
	SEND(w.l, &e,
	     "POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" AUTH "Content-Length: 2\r\n\r\n{}");
	UNTIL(w.l, w.f->waiting_count == 2);

	struct linger hard = { .l_onoff = 1 };

	setsockopt(d.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	setsockopt(e.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	client_done(&c);
	client_done(&d);
	client_done(&e);
	UNTIL(w.l, w.f->sub_count == 0 && w.f->forgotten == 2 && !serve_connections(w.s));
	world_done(&w);
}

TEST(what_is_open_when_serve_ends_is_given_back)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);

	struct client c = client_tcp(w.port), d = client_tcp(w.port), e = client_unix(w.path),
		      f = client_unix(w.path);

	send_get(&w, &c, "/v1/events?session=sess_1", SSE);
	SEND(w.l, &e, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"}\n");
	UNTIL(w.l, w.f->sub_count == 2);
	w.f->is_async = true;
	send_get(&w, &d, "/v1/sessions", "");
	SEND(w.l, &e, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, w.f->waiting_count == 2 && serve_connections(w.s) == 4);
	world_done(&w); /* looks for what is left */
	client_done(&c);
	client_done(&d);
	client_done(&e);
	client_done(&f);
}

/* ---- run ---- */

static void add_turn(struct fake *f, uint64_t seq, const char *turn)
{
	fake_add(f, "sess_1", seq, EV_TASK_CREATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 1, EV_TURN_SUBMITTED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 2, EV_SNAPSHOT_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 3, EV_TURN_COMPLETED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 4, EV_THREAD_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 5, EV_SNAPSHOT_UPDATED, "thr_1", turn, 0);
	fake_add(f, "sess_1", seq + 6, EV_RUNTIME_WARNING, "thr_1", turn, 0);
}

TEST(run_streams_one_turn_to_its_end)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	w.f->answers = answers;
	add_turn(w.f, 1, "turn_0");
	add_turn(w.f, 8, "turn_1");
	r = POST(&w, "/v1/run", "Accept: application/json\r\n", "{\"input\":\"hi\"}");
	CHECK_INT(r.status, 200);
	CHECK(r.is_whole);
	CHECK_STR(w.f->command, "submit_turn");
	CHECK_STR(w.f->params, "{\"input\":\"hi\"}");
	CHECK_STR(header(&r, "content-type"), "application/x-ndjson");
	CHECK_STR(header(&r, "thole-session"), "sess_1");
	CHECK_STR(header(&r, "thole-turn"), "turn_1");
	CHECK_STR(
		r.body,
		EVENT(8, "task.created") "\n" EVENT(9, "turn.submitted") "\n" EVENT(
			10,
			"snapshot"
			".update"
			"d") "\n" EVENT(11,
	                                "turn.completed") "\n" EVENT(12,
	                                                             "thread.updated") "\n" EVENT(13,
	                                                                                          "snapshot."
	                                                                                          "updated") "\n");
	r = POST(&w, "/v1/run", SSE, "{\"input\":\"hi\"}");
	CHECK(str_starts(r.body, STR("retry: 1000\n\nid: 8\nevent: task.created\n")));
	CHECK(str_ends(r.body, STR(EVENT(13, "snapshot.updated") "\n\n")));
	CHECK_INT(w.f->sub_count, 0);
	world_done(&w);
}

TEST(run_ends_a_little_after_a_turn_without_snapshot)
{
	struct world w;

	world_init(&w, NULL);
	w.f->answers = answers;
	fake_add(w.f, "sess_1", 1, EV_TURN_SUBMITTED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 2, EV_TURN_FAILED, "thr_1", "turn_1", 0);

	int64_t start = clock_mono_ms();
	struct response r = POST(&w, "/v1/run", "", "{}");

	CHECK_STR(r.body, EVENT(1, "turn.submitted") "\n" EVENT(2, "turn.failed") "\n");
	CHECK(clock_mono_ms() - start >= 1900);
	world_done(&w);
}

static bool answer_late(struct fake *f, const struct control_call *c, struct control_answer *a)
{
	(void)f;
	(void)c;
	a->http = 202;
	a->body = STR("{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":900}");
	return true;
}

TEST(run_finds_a_turn_that_began_long_ago)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	w.f->hook_answer = answer_late;
	fake_add(w.f, "sess_1", 1, EV_TASK_CREATED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 800, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 801, EV_SNAPSHOT_UPDATED, "thr_1", "turn_1", 0);
	r = POST(&w, "/v1/run", "", "{}");
	CHECK_STR(r.body, EVENT(1, "task.created") "\n" EVENT(800, "turn.completed") "\n" EVENT(
				  801, "snapshot.updated") "\n");
	/* now nothing of it lies within the window */
	while (w.f->event_count > 1)
		bytes_unref(w.f->events[--w.f->event_count].pub.body);
	fake_add(w.f, "sess_1", 2, EV_TURN_COMPLETED, "thr_1", "turn_1", 0);
	fake_add(w.f, "sess_1", 3, EV_SNAPSHOT_UPDATED, "thr_1", "turn_1", 0);
	r = POST(&w, "/v1/run", "", "{}");
	CHECK_HAS(r.body, "snapshot.updated");
	world_done(&w);
}

TEST(run_tells_why_a_turn_was_refused)
{
	static const struct fake_answer refused[] = {
		{ "submit_turn", ERROR_CODE_QUEUE_FULL, 429, "{\"code\":\"queue_full\"}" },
		{ NULL },
	};
	struct world w;
	struct response r;

	world_init(&w, NULL);
	w.f->answers = refused;
	r = POST(&w, "/v1/run", SSE, "{}");
	CHECK_PROBLEM(r, 429, "queue_full");
	world_done(&w);
}

/* ---- outputs ---- */

#define OUTPUT_SIZE 600000

static char output_byte(int64_t at)
{
	return (char)('a' + at % 26);
}

/* An output of 600,000 letters; odd pages come as base64. */
static bool answer_output(struct fake *f, const struct control_call *c, struct control_answer *a)
{
	struct json params;
	struct error e;

	if (!str_eq(c->command, STR("get_output")))
		return false;
	CHECK_OK(json_read(f->mem, c->params, &params, &e), &e);

	int64_t from = json_int(JSON_GET(params, "offset"), 0);
	int64_t len = json_int(JSON_GET(params, "length"), -1);
	struct buf body = { 0 }, bytes = { 0 };
	struct json_writer w;

	CHECK(len > 0 && len <= 262144);
	if (str_eq(json_str(JSON_GET(params, "outputRef")), STR("out_broken")) && from > 0) {
		*a = (struct control_answer){ ERROR_CODE_EXPIRED, 410, -1, STR("x"), STR("{}") };
		return true;
	}
	if (from < 0)
		from = MAX(OUTPUT_SIZE + from, 0);
	if (from >= OUTPUT_SIZE) {
		*a = (struct control_answer){ ERROR_CODE_RANGE_NOT_SATISFIABLE, 416, -32602,
			                      STR("x"),
			                      STR("{\"code\":\"range_not_satisfiable\"}") };
		return true;
	}
	len = MIN(len, OUTPUT_SIZE - from);
	for (int64_t i = 0; i < len; i++)
		buf_add_char(&bytes, output_byte(from + i));
	jw_init(&w, &body);
	jw_obj(&w);
	JW_KEY(&w, "output");
	jw_raw(&w, STR("{\"mediaType\":\"text/plain\",\"sizeBytes\":600000,\"complete\":true}"));
	JW_KINT(&w, "offset", from);
	JW_KINT(&w, "bytes", len);
	if (from / 262144 % 2) {
		struct buf coded = { 0 };
		static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

		for (size_t i = 0; i < bytes.len; i += 3) {
			uint32_t n = 0;
			size_t have = MIN(bytes.len - i, (size_t)3);

			for (size_t k = 0; k < 3; k++)
				n = n << 8 | (k < have ? (unsigned char)bytes.ptr[i + k] : 0);
			for (size_t k = 0; k < 4; k++)
				buf_add_char(&coded,
				             k <= have ? digits[n >> (18 - 6 * k) & 63] : '=');
		}
		JW_KSTR(&w, "base64", buf_str(&coded));
		buf_done(&coded);
	} else {
		JW_KSTR(&w, "text", buf_str(&bytes));
	}
	JW_KBOOL(&w, "eof", from + len == OUTPUT_SIZE);
	jw_obj_end(&w);
	a->body = arena_keep(f->mem, buf_str(&body));
	buf_done(&body);
	buf_done(&bytes);
	return true;
}

static void check_output(struct response *r, int status, int64_t from, size_t len,
                         const char *range)
{
	CHECK_INT(r->status, status);
	CHECK(r->is_whole);
	CHECK_INT(r->body.len, len);
	for (size_t i = 0; i < len; i++)
		if (r->body.ptr[i] != output_byte(from + (int64_t)i))
			t_fail(__FILE__, __LINE__, "byte %zu differs", i);
	CHECK_STR(header(r, "content-type"), "text/plain");
	CHECK_STR(header(r, "content-disposition"), "attachment");
	if (range)
		CHECK_SAME(header(r, "content-range"), str_from(range));
}

TEST(outputs_are_read_whole_and_by_range)
{
	struct world w;
	struct response r;

	world_init(&w, NULL);
	w.f->hook_answer = answer_output;
	r = GET(&w, "/v1/outputs/out_1", "");
	check_output(&r, 200, 0, OUTPUT_SIZE, NULL);
	CHECK_INT(w.f->calls, 3);
	r = GET(&w, "/v1/blobs/out_1", "Range: bytes=10-19\r\n");
	check_output(&r, 206, 10, 10, "bytes 10-19/600000");
	CHECK_STR(header(&r, "content-length"), "10");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=100-\r\n");
	check_output(&r, 206, 100, OUTPUT_SIZE - 100, "bytes 100-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=300000-299999999\r\n");
	check_output(&r, 206, 300000, 300000, "bytes 300000-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=-5\r\n");
	check_output(&r, 206, OUTPUT_SIZE - 5, 5, "bytes 599995-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=600000-\r\n");
	CHECK_PROBLEM(r, 416, "range_not_satisfiable");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=1-2,5-6\r\n");
	check_output(&r, 200, 0, OUTPUT_SIZE, NULL);
	r = ask(&w, "HEAD /v1/outputs/out_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n");
	CHECK_INT(r.status, 200);
	CHECK_INT(r.body.len, 0);
	world_done(&w);
}

TEST(an_output_that_breaks_off_is_not_taken_for_whole)
{
	struct world w;

	world_init(&w, NULL);
	w.f->hook_answer = answer_output;

	struct response r = GET(&w, "/v1/outputs/out_broken", "");

	CHECK_INT(r.status, 200);
	CHECK(!r.is_whole);

	/* and a reader that leaves in the middle leaves nothing behind */
	struct client c = client_tcp(w.port), d = client_tcp(w.port);
	int small = 4096;

	setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	send_get(&w, &c, "/v1/outputs/out_1", "");
	UNTIL(w.l, client_has(&c, STR("abcdef")));
	client_done(&c);
	w.f->is_async = true;
	send_get(&w, &d, "/v1/outputs/out_1", "");
	UNTIL(w.l, w.f->waiting_count == 1);
	fake_answer_one(w.f);
	client_done(&d);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

/* ---- JSON-RPC ---- */

TEST(json_rpc_lines_on_the_unix_socket)
{
	struct world w;

	world_init(&w, NULL);
	w.f->answers = answers;

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"submit_turn\","
	     "\"params\":{\"input\":\"x\",\"idempotencyKey\":\"k\"}}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":"
	          "{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":5}}\n");
	CHECK_STR(w.f->params, "{\"input\":\"x\",\"idempotencyKey\":\"k\"}");
	CHECK(!str_is(w.f->key));
	CHECK_STR(w.f->via, "json_rpc");
	CHECK_STR(w.f->principal, "owner");
	buf_clear(&c.in);
	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"respond_action\"}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32009,\"message\":\"The "
	          "action was answered before; the first answer stands.\",\"data\":"
	          "{\"code\":\"already_resolved\"}}}\n");
	CHECK(!str_is(w.f->params));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

#define INIT(params)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" params "}"

TEST(who_initializes_is_a_channel_until_the_connection_ends)
{
	struct world w;

	world_init(&w, NULL);

	struct client c = client_unix(w.path), d = client_unix(w.path);

	SEND(w.l, &c,
	     INIT("{\"clientInfo\":{\"name\":\"t\"},\"capabilities\":[\"permissions\"]}") "\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocol\":\"agent-runtime\","
	          "\"version\":\"9.8.7\",\"schemaVersion\":\"lime-profile-0.4.0\","
	          "\"runtimeId\":\"rt_1\",\"principal\":\"owner\",\"channelId\":\"chan_1\","
	          "\"resumeToken\":\"next\","
	          "\"scopes\":[\"read\",\"write\",\"approve\",\"admin\"],"
	          "\"capabilities\":[\"commands\",\"events\",\"gap\",\"batch\"]}}\n");
	CHECK_STR(w.f->capability, "permissions");
	CHECK_INT(w.f->transport, TRANSPORT_JSON_RPC);
	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, client_has(&c, STR("\"id\":2")));
	CHECK_STR(w.f->channel, "chan_1");
	SEND(w.l, &c, INIT("{}") "\n");
	UNTIL(w.l, client_has(&c, STR("has been initialized")));
	CHECK_INT(w.f->channels, 1);
	client_done(&c);
	UNTIL(w.l, w.f->channels == 0);
	CHECK_INT(w.f->cause, DISCONNECT_CAUSE_CLOSED);

	SEND(w.l, &d, INIT("{\"channelId\":\"chan_old\",\"resumeToken\":\"guess\"}") "\n");
	UNTIL(w.l, client_has(&d, STR("channel_not_found")));
	SEND(w.l, &d, INIT("{\"channelId\":\"chan_old\",\"resumeToken\":\"again\"}") "\n");
	UNTIL(w.l, client_has(&d, STR("\"channelId\":\"chan_old\"")));
	CHECK_INT(w.f->channels, 1);
	serve_drain(w.s);
	UNTIL(w.l, client_ended(&d));
	client_done(&d);
	UNTIL(w.l, w.f->channels == 0);
	CHECK_INT(w.f->cause, DISCONNECT_CAUSE_SHUTDOWN);
	world_done(&w);
}

TEST(a_batch_is_answered_as_one_and_a_notification_not_at_all)
{
	struct world w;

	world_init(&w, NULL);
	w.f->answers = answers;

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
	     "{\"jsonrpc\":\"2.0\",\"method\":\"ack_events\"},"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"create_session\"}]\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in), "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
	                          "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"again\":true}}]\n");
	CHECK_INT(w.f->calls, 2);
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

TEST(bad_json_rpc_is_told_and_the_connection_goes_on)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{ "{oops", "-32700" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "-32700" },
		{ "\"text\"", "-32600" },
		{ "[]", "-32600" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":5}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\",\"params\":[1]}",
		  "invalid_type" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no_such\"}", "\"code\":-32601" },
		{ INIT("{\"bogus\":1}"), "unknown_field" },
		{ INIT("{\"clientInfo\":1}"), "invalid_type" },
		{ INIT("{\"capabilities\":{}}"), "invalid_type" },
		{ INIT("{\"capabilities\":[1]}"), "invalid_type" },
		{ INIT("{\"channelId\":\"a b\"}"), "invalid_id" },
		{ INIT("{\"peerRole\":\"king\"}"), "invalid_value" },
#define SUB(params)                                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\",\"params\":" params "}"
		{ SUB("{\"bogus\":1}"), "unknown_field" },
		{ SUB("{\"sessionId\":5}"), "invalid_type" },
		{ SUB("{\"sessionId\":\"a b\"}"), "invalid_id" },
		{ SUB("{\"types\":\"turn.started\"}"), "invalid_type" },
		{ SUB("{\"types\":[\"no.such\"]}"), "invalid_value" },
		{ SUB("{\"types\":[7]}"), "invalid_value" },
		{ SUB("{\"after\":\"7\"}"), "invalid_type" },
		{ SUB("{\"after\":7}"), "invalid_value" },
		{ SUB("{\"sessionId\":\"s\",\"after\":-7}"), "invalid_value" },
		{ SUB("{\"cursor\":\"7\"}"), "invalid_value" },
		{ SUB("{\"follow\":1}"), "invalid_type" },
		{ SUB("{\"sessionId\":\"sess_9\"}"), "session_not_found" },
		{ SUB("{\"channelId\":\"chan_9\"}"), "channel_not_found" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"via\",\"params\":{\"via\":\"tcp\"}}",
		  "invalid_value" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\"}",
		  "missing_field" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\","
		  "\"params\":{\"subscriptionId\":\"subs_9\"}}",
		  "subscription_not_found" },
	};
	struct world w;

	world_init(&w, NULL);

	struct client c = client_unix(w.path);

	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		buf_clear(&c.in);
		client_send(w.l, &c, str_from(rows[i].line));
		SEND(w.l, &c, "\n");
		UNTIL(w.l, client_has(&c, STR("\n")));
		if (str_find(buf_str(&c.in), str_from(rows[i].part)) < 0)
			t_fail(__FILE__, __LINE__, "%s: %.*s", rows[i].line,
			       STR_ARG(buf_str(&c.in)));
	}
	CHECK(!c.is_eof);
	CHECK_INT(w.f->sub_count, 0);
	CHECK_INT(w.f->calls, 1); /* no_such went to the control */
	client_done(&c);
	world_done(&w);
}

TEST(too_long_a_line_is_told_and_ends_the_connection)
{
	struct serve_options o = { .body_max = 10000 };
	struct world w;
	char *line = xcalloc(1, 20001);

	world_init(&w, &o);
	memset(line, ' ', 20000);
	line[0] = '{';

	struct client c = client_unix(w.path);

	client_send(w.l, &c, str_of(line, 20000));
	UNTIL(w.l, client_has(&c, STR("the line is too long")));
	UNTIL(w.l, client_ended(&c));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	free(line);
	world_done(&w);
}

TEST(events_come_as_notifications_with_the_stored_bytes)
{
	struct world w;
	char expected[512];

	world_init(&w, NULL);
	add_some(w.f);

	struct client c = client_unix(w.path);

	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\",\"params\":"
	     "{\"sessionId\":\"sess_1\",\"after\":2,\"types\":[\"tool.*\"],"
	     "\"thread_id\":\"thr_1\"}}\n");
	UNTIL(w.l,
	      client_has(&c, STR("\"method\":\"event\"")) && str_ends(buf_str(&c.in), STR("\n")));
	CHECK_STR(buf_str(&c.in),
	          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"subscriptionId\":\"subs_1\","
	          "\"after\":2}}\n"
	          "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
			  3, "tool.started") "}\n");
	buf_clear(&c.in);
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\",\"params\":"
	     "{\"cursor\":\"p.104\",\"follow\":false}}\n");
	UNTIL(w.l, client_has(&c, STR("stream_end")) && str_ends(buf_str(&c.in), STR("\n")));
	CHECK_STR(
		buf_str(&c.in),
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"subscriptionId\":\"subs_2\","
		"\"after\":104,\"cursor\":\"p.104\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
			4,
			"tool.result") "}\n"
				       "{\"jsonrpc\":\"2.0\",\"method\":\"stream_end\",\"params\":"
				       "{\"subscriptionId\":\"subs_2\",\"reason\":\"caught_up\"}}"
				       "\n");
	buf_clear(&c.in);
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"unsubscribe_events\","
	     "\"params\":{\"subscriptionId\":\"subs_1\"}}\n");
	UNTIL(w.l, client_has(&c, STR("\n")));
	CHECK_STR(buf_str(&c.in), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":"
	                          "{\"subscriptionId\":\"subs_1\"}}\n");
	CHECK_INT(w.f->sub_count, 0);

	buf_clear(&c.in);
	w.f->floor = 3;
	SEND(w.l, &c,
	     "{\"jsonrpc\":\"2.0\",\"method\":\"subscribe_events\",\"params\":"
	     "{\"sessionId\":\"sess_1\"}}\n");
	UNTIL(w.l, client_has(&c, STR("tool.result")));
	snprintf(
		expected, sizeof expected,
		"{\"jsonrpc\":\"2.0\",\"method\":\"gap\",\"params\":{\"subscriptionId\":\"subs_3\","
		"\"sessionId\":\"sess_1\",\"from\":1,\"to\":3,\"recoveryMode\":\"retention\","
		"\"snapshot\":{\"at\":1}}}\n");
	CHECK(str_starts(buf_str(&c.in), str_from(expected)));
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_has(&c, STR("\"reason\":\"shutdown\"")));
	client_done(&c);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

TEST(one_connection_follows_so_many_streams_and_no_more)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);

	struct client c = client_unix(w.path);

	for (int i = 0; i <= LIMIT_SUBSCRIPTIONS_PER_CONNECTION; i++)
		SEND(w.l, &c,
		     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		     "\"params\":{\"sessionId\":\"sess_2\"}}\n");
	UNTIL(w.l, client_has(&c, STR("too_many_open")));
	CHECK_INT(w.f->most_subs, LIMIT_SUBSCRIPTIONS_PER_CONNECTION);
	client_done(&c);
	UNTIL(w.l, w.f->sub_count == 0);
	world_done(&w);
}

TEST(reading_pauses_while_too_many_calls_are_in_flight)
{
	struct serve_options o = { .in_flight_max = 8 };
	struct world w;

	world_init(&w, &o);
	w.f->is_async = true;

	struct client c = client_unix(w.path);

	for (int i = 0; i < 100; i++)
		SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, w.f->waiting_count == 8);
	for (int i = 0; i < 20; i++)
		turn(w.l);
	CHECK_INT(w.f->waiting_count, 8);
	fake_answer_one(w.f);
	UNTIL(w.l, w.f->calls == 9);
	CHECK_INT(w.f->waiting_count, 8);
	w.f->is_async = false;
	fake_answer_all(w.f);
	UNTIL(w.l, (client_read(&c), count_of(buf_str(&c.in), STR("\n")) == 100));
	CHECK_INT(w.f->calls, 100);

	/* and calls in flight are forgotten when the peer goes */
	w.f->is_async = true;
	SEND(w.l, &c,
	     "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"},"
	     "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"list_tasks\"}]\n");
	UNTIL(w.l, w.f->waiting_count == 2);
	shutdown(c.fd, SHUT_RDWR);
	client_done(&c);
	for (int i = 0; i < 3; i++)
		turn(w.l);
	/* the end of input alone does not forget: the peer may still read */
	CHECK_INT(w.f->waiting_count + w.f->forgotten, 2);
	fake_answer_all(w.f);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

TEST(a_peer_that_reads_no_answers_is_not_read_either)
{
	struct serve_options o = { .client_buffer_max = 16384, .ping_ms = 40, .stall_ms = 120 };
	static char large[9000];
	struct fake_answer rows[] = { { "list_tasks", 0, 200, large }, { NULL } };
	struct world w;

	world_init(&w, &o);
	snprintf(large, sizeof large, "{\"a\":\"%0*d\"}", 8000, 0);
	w.f->answers = rows;

	struct client c = client_unix(w.path);
	struct str line = STR("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");

	for (int i = 0; i < 3000; i++) {
		if (client_try(&c, line) < line.len)
			break;
		if (i % 16 == 0)
			turn(w.l);
	}
	for (int i = 0; i < 50; i++)
		turn(w.l);
	CHECK(w.f->calls < 200);
	UNTIL(w.l, !serve_connections(w.s)); /* and in the end it is closed */
	client_done(&c);
	world_done(&w);
}

static void count_gone(void *arg)
{
	++*(int *)arg;
}

TEST(descriptors_can_be_attached)
{
	struct world w;
	struct error e;
	int pair[2], in[2], out[2], gone = 0;

	world_init(&w, NULL);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(pipe(in) == 0 && pipe(out) == 0);
	CHECK_OK(serve_attach_fd(w.s, pair[0], count_gone, &gone, &e), &e);
	CHECK_OK(serve_attach_stdio(w.s, in[0], out[1], count_gone, &gone, &e), &e);
	CHECK_INT(serve_connections(w.s), 2);

	struct client c = client_of(pair[1]);

	SEND(w.l, &c, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"list_tasks\"}\n");
	UNTIL(w.l, client_has(&c, STR("\"result\"")));
	CHECK_STR(w.f->via, "c_api");
	CHECK_STR(w.f->principal, "owner");

	/* echo ... | thole rpc: answered although the input has ended */
	struct str line = STR("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"list_tasks\"}");
	char answer[256] = "";
	ssize_t n = 0;

	w.f->is_async = true;
	CHECK(write(in[1], line.ptr, line.len) == (ssize_t)line.len);
	close(in[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	UNTIL(w.l, w.f->waiting_count == 1);
	CHECK_STR(w.f->via, "stdio");
	fake_answer_all(w.f);
	UNTIL(w.l, (n = read(out[0], answer, sizeof answer - 1)) > 0);
	CHECK_SAME(str_of(answer, (size_t)n),
	           STR("{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\n"));
	UNTIL(w.l, gone == 1);
	client_done(&c);
	UNTIL(w.l, gone == 2);
	CHECK_INT(serve_connections(w.s), 0);
	close(out[0]);
	world_done(&w);
}

/* ---- WebSocket ---- */

#define WS_HEAD                                                                                    \
	"GET /v1/rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"                        \
	"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                                     \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static void ws_send(struct world *w, struct client *c, const char *text)
{
	struct buf frame = { 0 };
	size_t len = strlen(text);

	CHECK(len < 65536);
	buf_add_char(&frame, (char)0x81);
	buf_add_char(&frame, (char)(0x80 | (len < 126 ? len : 126)));
	if (len >= 126) {
		buf_add_char(&frame, (char)(len >> 8));
		buf_add_char(&frame, (char)len);
	}
	buf_add(&frame, "\1\2\3\4", 4);
	for (size_t i = 0; i < len; i++)
		buf_add_char(&frame, (char)(text[i] ^ "\1\2\3\4"[i % 4]));
	client_send(w->l, c, buf_str(&frame));
	buf_done(&frame);
}

TEST(a_websocket_speaks_json_rpc)
{
	struct str origins[] = { STR("https://good.example") };
	struct serve_options o = { .origins = origins, .origin_count = 1, .in_flight_max = 4 };
	struct world w;
	struct response r;

	world_init(&w, &o);
	add_some(w.f);
	r = ask(&w, WS_HEAD "\r\n");
	CHECK_PROBLEM(r, 401, "unauthorized");
	r = ask(&w, WS_HEAD AUTH "Origin: https://evil.example\r\n\r\n");
	CHECK_PROBLEM(r, 403, "origin_not_allowed");
	r = ask(&w, "GET /v1/rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
	            "Connection: Upgrade\r\nSec-WebSocket-Version: 12\r\n" AUTH "\r\n");
	CHECK_INT(r.status, 426);

	struct client c = client_tcp(w.port);

	SEND(w.l, &c,
	     WS_HEAD "Authorization: Bearer read-only\r\nOrigin: https://good.example\r\n\r\n");
	UNTIL(w.l, client_has(&c, STR("\r\n\r\n")));
	CHECK(str_starts(buf_str(&c.in), STR("HTTP/1.1 101 ")));
	buf_clear(&c.in);
	ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"list_tasks\"}");
	UNTIL(w.l, client_has(&c, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")));
	CHECK_INT((unsigned char)c.in.ptr[0], 0x81);
	CHECK_STR(w.f->via, "websocket");
	CHECK_STR(w.f->principal, "reader");
	ws_send(&w, &c,
	        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\",\"params\":"
	        "{\"sessionId\":\"sess_1\",\"after\":3}}");
	UNTIL(w.l, client_has(&c, STR("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" EVENT(
					  4, "tool.result") "}")));

	/* more calls in one packet than may be in flight: none is lost, none refused */
	buf_clear(&c.in);
	w.f->is_async = true;
	for (int i = 0; i < 20; i++)
		ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"list_tasks\"}");
	UNTIL(w.l, w.f->waiting_count == 4);
	for (int i = 0; i < 10; i++)
		turn(w.l);
	CHECK_INT(w.f->waiting_count, 4);
	w.f->is_async = false;
	fake_answer_all(w.f);
	UNTIL(w.l, (client_read(&c), count_of(buf_str(&c.in), STR("\"result\":{}")) == 20));

	CHECK_INT(serve_connections(w.s), 1);
	w.f->is_async = true;
	ws_send(&w, &c, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"list_tasks\"}");
	UNTIL(w.l, w.f->waiting_count == 1);
	client_done(&c);
	UNTIL(w.l, w.f->sub_count == 0 && w.f->forgotten == 1 && !serve_connections(w.s));
	world_done(&w);
}

/* ---- stopping, idling ---- */

TEST(draining_answers_what_is_open_and_takes_no_more)
{
	struct world w;

	world_init(&w, NULL);
	add_some(w.f);

	struct client idle = client_tcp(w.port), stream = client_tcp(w.port),
		      call = client_tcp(w.port), rpc = client_unix(w.path),
		      quiet = client_unix(w.path);

	send_get(&w, &idle, "/healthz", "");
	UNTIL(w.l, client_has(&idle, STR("ok")));
	SEND(w.l, &quiet, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
	UNTIL(w.l, client_has(&quiet, STR("\n")));
	send_get(&w, &stream, "/v1/events?session=sess_1", SSE);
	UNTIL(w.l, client_has(&stream, STR("tool.result")));
	w.f->is_async = true;
	send_get(&w, &call, "/v1/sessions", "");
	SEND(w.l, &rpc,
	     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"}\n"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe_events\"}\n");
	UNTIL(w.l, w.f->waiting_count == 2 && w.f->sub_count == 2);

	serve_drain(w.s);
	serve_drain(w.s);
	UNTIL(w.l, client_ended(&idle) && client_ended(&quiet));
	CHECK_INT(serve_port(w.s), 0);
	CHECK(access(w.path, F_OK) < 0);
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, NULL, NULL, 0);
	UNTIL(w.l, client_has(&stream, STR("id: 5\n")) && client_has(&rpc, STR("turn.completed")));
	fake_answer_all(w.f);
	fake_end_all(w.f, STREAM_SHUTDOWN);
	UNTIL(w.l, client_ended(&call) && client_ended(&stream) && client_ended(&rpc));
	CHECK_HAS(buf_str(&call.in), "Connection: close");
	CHECK_HAS(buf_str(&stream.in), "event: end\n");
	CHECK_HAS(buf_str(&rpc.in), "\"id\":1,\"result\"");
	CHECK_HAS(buf_str(&rpc.in), "stream_end");
	client_done(&idle);
	client_done(&stream);
	client_done(&call);
	client_done(&rpc);
	client_done(&quiet);
	UNTIL(w.l, !serve_connections(w.s));
	world_done(&w);
}

TEST(idleness_is_counted_from_the_last_connection)
{
	struct world w;

	world_init(&w, NULL);
	w.f->mono_ms = 5000;
	CHECK_INT(serve_idle_since(w.s), 5000);

	struct client c = client_unix(w.path);

	UNTIL(w.l, serve_connections(w.s) == 1);
	w.f->mono_ms = 9000;
	CHECK_INT(serve_idle_since(w.s), 0);
	client_done(&c);
	UNTIL(w.l, serve_connections(w.s) == 0);
	w.f->mono_ms = 9500;
	CHECK_INT(serve_idle_since(w.s), 500);
	world_done(&w);
}

/* ---- disorder ---- */

static uint64_t dice(uint64_t *state, uint64_t sides)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % sides;
}

#define PEERS 24

struct peer {
	struct client c;
	bool is_open, is_rpc, is_ws;
};

static void peer_open(struct world *w, struct peer *p, uint64_t *seed)
{
	p->is_rpc = dice(seed, 2);
	p->is_ws = !p->is_rpc && !dice(seed, 4);
	p->c = p->is_rpc ? client_unix(w->path) : client_tcp(w->port);
	p->is_open = true;
	if (p->is_ws)
		SEND(w->l, &p->c, WS_HEAD AUTH "\r\n");
}

static void peer_say(struct world *w, struct peer *p, uint64_t *seed)
{
	static const char *const http[] = {
		"GET /v1/events?session=sess_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH SSE "\r\n",
		"GET /v1/events?session=sess_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH NDJSON "\r\n",
		"GET /v1/events?session=sess_9 HTTP/1.1\r\nHost: localhost\r\n" AUTH SSE "\r\n",
		"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n",
		"GET /v1/outputs/out_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n",
		"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" AUTH "Content-Length: 2\r\n\r\n{}",
		"POST /v1/commands/submit_turn HTTP/1.1\r\nHost: localhost\r\n" AUTH
		"Content-Length",
		"\r\n\r\n",
	};
	static const char *const rpc[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		"\"params\":{\"sessionId\":\"sess_9\"}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\","
		"\"params\":{\"follow\":false}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unsubscribe_events\","
		"\"params\":{\"subscriptionId\":\"subs_1\"}}\n",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe_events\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"list_tasks\"}]\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_tasks\"}\n",
		"{\"jsonrpc\":",
		"oops\n",
	};

	if (p->is_ws)
		ws_send(w, &p->c, rpc[dice(seed, 6)]);
	else if (p->is_rpc)
		client_try(&p->c, str_from(rpc[dice(seed, COUNT_OF(rpc))]));
	else
		client_try(&p->c, str_from(http[dice(seed, COUNT_OF(http))]));
}

static void peer_close(struct peer *p, uint64_t *seed)
{
	struct linger hard = { .l_onoff = 1 };

	if (dice(seed, 2))
		setsockopt(p->c.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	client_done(&p->c);
	*p = (struct peer){ 0 };
}

static void disorder(struct world *w, uint64_t seed, int steps)
{
	struct peer peers[PEERS] = { 0 };
	uint64_t seq = 4;

	for (int i = 0; i < steps; i++) {
		struct peer *p = &peers[dice(&seed, PEERS)];

		if (!p->is_open)
			peer_open(w, p, &seed);
		else if (dice(&seed, 8) == 0)
			peer_close(p, &seed);
		else if (dice(&seed, 3) == 0)
			client_read(&p->c);
		else
			peer_say(w, p, &seed);
		if (p->is_open && p->c.in.len > 100000)
			buf_clear(&p->c.in);
		w->f->is_async = dice(&seed, 3) > 0;
		while (w->f->waiting_count && dice(&seed, 3))
			fake_answer_one(w->f);
		if (w->f->event_count < FAKE_EVENTS_MAX - 8 && !dice(&seed, 3))
			fake_add(w->f, "sess_1", ++seq,
			         (enum event_type)(1 + dice(&seed, EV_COUNT - 1)), "thr_1",
			         dice(&seed, 2) ? "turn_1" : NULL, dice(&seed, 30000));
		if (!dice(&seed, 100))
			fake_end_all(w->f, dice(&seed, 2) ? STREAM_SHUTDOWN : STREAM_STORE_FAILED);
		turn(w->l);
	}
	if (dice(&seed, 2)) { /* or all at once, by world_done() */
		for (int i = 0; i < PEERS; i++)
			if (peers[i].is_open)
				peer_close(&peers[i], &seed);
		w->f->is_async = false;
		fake_answer_all(w->f);
		/*
		 * Who sent more while an answer was being streamed is not read any
		 * further, so that only a failed write shows that it has left.
		 */
		for (int i = 0; i < 4; i++) {
			fake_add(w->f, "sess_1", ++seq, EV_MODEL_DELTA, "thr_1", "turn_1", 0);
			for (int k = 0; k < 4; k++)
				turn(w->l);
		}
		UNTIL(w->l, !serve_connections(w->s) && !w->f->sub_count);
	}
	serve_free(w->s);
	w->s = NULL;
	for (int i = 0; i < PEERS; i++)
		if (peers[i].is_open)
			peer_close(&peers[i], &seed);
}

static bool answer_some(struct fake *f, const struct control_call *c, struct control_answer *a)
{
	if (str_eq(c->command, STR("submit_turn")))
		return answer_late(f, c, a);
	return answer_output(f, c, a);
}

TEST(disorder_leaves_nothing_behind)
{
	struct serve_options o = {
		.ping_ms = 30, .stall_ms = 60, .client_buffer_max = 40000, .in_flight_max = 4
	};
	const char *more = getenv("TEST_SERVE_SEEDS");
	int seeds = more ? atoi(more) : 12;

	for (int i = 1; i <= seeds; i++) {
		struct world w;

		world_init(&w, &o);
		add_some(w.f);
		w.f->hook_answer = answer_some;
		disorder(&w, (uint64_t)i, 600);
		world_done(&w);
	}
}

/* ---- many ---- */

#define MANY 1000

TEST(a_thousand_idle_readers_are_cheap)
{
	struct serve_options o = { .connections_max = MANY + 8 };
	struct rlimit files;
	struct world w;
	struct client *cs = xcalloc(MANY, sizeof *cs);
	size_t many = MANY;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < 2 * MANY + 64)
		many = (files.rlim_cur - 64) / 2;
	world_init(&w, &o);
	add_some(w.f);
	for (int i = 0; i < 8; i++)
		turn(w.l);

	size_t before = mallinfo2().uordblks;

	for (size_t i = 0; i < many; i++) {
		cs[i] = client_tcp(w.port);
		send_get(&w, &cs[i], "/v1/events?session=sess_1&after=4&thread=thr_1", SSE);
		turn(w.l);
	}
	UNTIL(w.l, w.f->sub_count == many);
	for (int i = 0; i < 8; i++)
		turn(w.l);

	size_t each = (mallinfo2().uordblks - before) / many;

	/* the subscription is the control's; the figure is without it */
	print_message("%zu idle readers: %zu bytes each, %zu of them the subscription's\n", many,
	              each, sizeof(struct subscription) + 16);
#ifndef __SANITIZE_ADDRESS__
	CHECK(each <= 4096);
#endif
	fake_add(w.f, "sess_1", 5, EV_TURN_COMPLETED, "thr_1", NULL, 0);
	for (size_t i = 0; i < many; i++)
		UNTIL(w.l, client_has(&cs[i], STR("id: 5\n")));
	for (size_t i = 0; i < many; i++)
		client_done(&cs[i]);
	UNTIL(w.l, w.f->sub_count == 0 && !serve_connections(w.s));
	free(cs);
	world_done(&w);
}

/* ---- small readings ---- */

TEST(ranges_traces_and_media_types_are_read)
{
	struct range r;

	CHECK(accept_range(STR("bytes=0-0"), &r) && r.first == 0 && r.count == 1);
	CHECK(accept_range(STR("Bytes = 5-"), &r) && r.first == 5 && r.count == -1);
	CHECK(accept_range(STR("bytes=-7"), &r) && r.first == -7 && r.count == 7);
	CHECK(!accept_range(STR("bytes=7-5"), &r));
	CHECK(!accept_range(STR("bytes=-0"), &r));
	CHECK(!accept_range(STR("bytes="), &r));
	CHECK(!accept_range(STR("bytes=a-b"), &r));
	CHECK(!accept_range(STR("items=1-2"), &r));
	CHECK(!accept_range(STR("bytes=9223372036854775807-9223372036854775807"), &r));
	CHECK(!accept_range(STR("bytes=1-9223372036854775808"), &r));
	CHECK(!accept_range(STR_NONE, &r));

	CHECK(accept_events(STR_NONE) == MEDIA_JSON);
	CHECK(accept_events(STR("text/html, text/event-stream;q=0.5")) == MEDIA_SSE);
	CHECK(accept_events(STR("*/*")) == MEDIA_JSON);
	CHECK(accept_events(STR("text/html")) == MEDIA_NONE);
	CHECK(accept_stream(STR("application/json")) == MEDIA_NDJSON);
	CHECK(accept_is_json(STR("APPLICATION/JSON;charset=utf-8")));
	CHECK(!accept_is_json(STR("application/jsonx")));

#define TRACE "0af7651916cd43dd8448eb211c80319c"
	CHECK_STR(accept_trace_id(STR("00-" TRACE "-b7ad6b7169203331-01")), TRACE);
	CHECK(!str_is(accept_trace_id(STR("ff-" TRACE "-b7ad6b7169203331-01"))));
	CHECK(!str_is(
		accept_trace_id(STR("00-00000000000000000000000000000000-b7ad6b7169203331-01"))));
	CHECK(!str_is(accept_trace_id(STR("00-" TRACE "-0000000000000000-01"))));
	CHECK(!str_is(accept_trace_id(STR("00-" TRACE))));
	CHECK(!str_is(accept_trace_id(STR_NONE)));
}

TEST_MAIN()

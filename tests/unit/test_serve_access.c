/* The addresses on which serve listens, and the clients that it accepts. */
#include "base/memory.h"
#include "test_serve_fixture.h"

#include "serve/http/console.h"

#include <sys/stat.h>

/* ---- listening ---- */

static enum err try_options(const struct serve_options *o, struct error *e)
{
	struct loop *l = loop_new();
	struct fake *f = memory_zeroed(1, sizeof *f);
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

/* ---- which clients are accepted ---- */

TEST(a_stranger_hears_whether_it_is_ready_and_nothing_else)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	r = ask(&w, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
	CHECK_INT(r.status, 200);
	CHECK_STR(r.body, "{\"status\":\"ready\"}");
	w.f->is_not_ready = true;
	r = ask(&w, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n"
	            "Authorization: Bearer wrong\r\n\r\n");
	CHECK_INT(r.status, 503);
	CHECK_STR(r.body, "{\"status\":\"not_ready\"}");
	state_done(&w);
}

TEST(a_token_is_wanted_on_every_path_but_those_that_tell_a_state)
{
	const struct {
		const char *path, *auth;
		int status;
	} rows[] = {
		{ "/healthz", "", 200 },
		{ "/healthz", "Authorization: Bearer wrong\r\n", 200 },
		{ "/readyz", "", 200 },
		{ "/metrics", "", 401 },
		{ "/openapi.json", "", 401 },
		{ "/asyncapi.json", "", 401 },
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
	struct state w;

	state_init(&w, NULL);
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
	state_done(&w);
}

TEST(the_owner_needs_no_token_on_the_unix_socket)
{
	struct state w;

	state_init(&w, NULL);

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
	state_done(&w);
}

TEST(another_user_needs_a_token_on_the_unix_socket)
{
	struct state w;

	if (geteuid() != 0)
		return; /* only root can change its user */
	state_init(&w, NULL);
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
	state_done(&w);
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
		/* the Host is written into addresses: behind the name there is a port or nothing */
		{ "Host: localhost:65535\r\n", 200, "" },
		{ "Host: localhost:\r\n", 421, "host_not_allowed" },
		{ "Host: localhost:123456\r\n", 421, "host_not_allowed" },
		{ "Host: localhost:x@evil.example\r\n", 421, "host_not_allowed" },
		{ "Host: localhost:1/../x\r\n", 421, "host_not_allowed" },
		{ "Host: 127.0.0.1:\"\r\n", 421, "host_not_allowed" },
		{ "Host: [::1]:x@evil.example\r\n", 421, "host_not_allowed" },
		{ "Host: [::1]x@evil.example\r\n", 421, "host_not_allowed" },
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
	struct state w;

	state_init(&w, &o);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r =
			ask(&w, "GET /v1/tasks HTTP/1.1\r\n%s" AUTH "\r\n", rows[i].headers);

		if (r.status != rows[i].status || str_find(r.body, str_from(rows[i].code)) < 0)
			t_fail(__FILE__, __LINE__, "%s: %d %.*s", rows[i].headers, r.status,
			       STR_ARG(r.body));
		CHECK(!str_is(header(&r, "access-control-allow-origin")));
	}
	CHECK_INT(ask(&w, "GET /healthz HTTP/1.1\r\nHost: evil\r\n\r\n").status, 421);
	state_done(&w);
}

TEST(given_hosts_replace_the_usual_ones)
{
	struct str hosts[] = { STR("thole.example"), STR("other.example:81") };
	struct serve_options o = { .hosts = hosts, .host_count = 2 };
	struct state w;

	state_init(&w, &o);
#define STATUS(host) ask(&w, "GET /healthz HTTP/1.1\r\nHost: " host "\r\n\r\n").status
	CHECK_INT(STATUS("thole.example:1"), 200);
	CHECK_INT(STATUS("other.example:81"), 200);
	CHECK_INT(STATUS("other.example:82"), 421);
	CHECK_INT(STATUS("localhost"), 421);
	CHECK_INT(STATUS("127.0.0.1"), 200); /* where it listens */
	state_done(&w);
}

TEST_MAIN()

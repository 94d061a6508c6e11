/* How a browser signs in, and the files it is given. */
#include "base/memory.h"
#include "test_serve_fixture.h"

#include "serve/http/assets.h"
#include "serve/http/console.h"

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

static struct str new_code(struct state *w, const char *auth)
{
	struct response r = ask(w,
	                        "POST /v1/commands/open_console HTTP/1.1\r\nHost: localhost\r\n%s"
	                        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	                        auth);

	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body, "\"addresses\":[\"http://127.0.0.1:");
	return member(r.body, "code");
}

static struct response sign_in(struct state *w, struct str code, const char *headers)
{
	char body[256];
	int len = snprintf(body, sizeof body, "{\"code\":\"%.*s\"}", STR_ARG(code));

	return ask(w,
	           "POST /v1/console/sign-in HTTP/1.1\r\nHost: localhost:7433\r\n%s"
	           "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
	           headers, len, body);
}

/* "name=value" of Set-Cookie. */
static struct str cookie_of(struct state *w, const struct response *r)
{
	struct str all = header(r, "set-cookie");

	return arena_keep(w->mem, str_cut(&all, ';'));
}

static int status_with(struct state *w, const char *method, struct str cookie, const char *headers)
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
	struct state w;
	struct response r;

	state_init(&w, NULL);

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
	state_done(&w);
}

TEST(a_cookie_speaks_for_its_token_and_only_from_our_own_page)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
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
	/* a client with a token is authenticated by it */
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
	state_done(&w);
}

/* A crash ends no session; a new token ends them all. */
TEST(a_cookie_is_good_in_the_next_process_with_the_same_token)
{
	static const uint8_t entropy[16] = { 1, 2, 3 };
	struct buf cookie = { 0 };
	int64_t until = 0;

	signin_write_cookie(&cookie, STR("a token"), STR_NONE, 5000, entropy);
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

TEST(a_cookie_of_a_device_names_it)
{
	static const uint8_t entropy[16] = { 1, 2, 3 };
	struct buf cookie = { 0 }, plain = { 0 };
	int64_t until = 0;

	signin_write_cookie(&cookie, STR("a token"), STR("dev_1"), 5000, entropy);
	signin_write_cookie(&plain, STR("a token"), STR_NONE, 5000, entropy);
	CHECK_STR(signin_cookie_bearer(buf_str(&cookie)), "dev_1");
	CHECK(signin_is_cookie(buf_str(&cookie), STR("a token"), 4999, &until) && until == 5000);
	CHECK(!str_is(signin_cookie_bearer(buf_str(&plain))));
	CHECK(!str_is(signin_cookie_bearer(STR(""))) && !str_is(signin_cookie_bearer(STR_NONE)));
	CHECK(!str_is(signin_cookie_bearer(STR("1.2.3"))));
	/* The id is signed. */
	cookie.ptr[cookie.len - 65 - 1] = '2';
	CHECK_STR(signin_cookie_bearer(buf_str(&cookie)), "dev_2");
	CHECK(!signin_is_cookie(buf_str(&cookie), STR("a token"), 4999, &until));
	buf_done(&cookie);
	buf_done(&plain);
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
	struct fake *f = memory_zeroed(1, sizeof *f);
	struct str hosts[] = { STR("thole.example") };
	struct serve_options o = {
		.token = STR(TOKEN), .clock = &f->clock, .hosts = hosts, .host_count = 1
	};
	struct caller owner = { 0 };
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

/* Whatever other names are served: the printed address can be opened. */
TEST(all_addresses_are_told_as_one_that_can_be_opened)
{
	struct loop *l = loop_new();
	struct fake *f = memory_zeroed(1, sizeof *f);
	struct str listen = STR("0.0.0.0:0"), hosts[] = { STR("thole.example") };
	struct serve_options o = { .token = STR(TOKEN),
		                   .clock = &f->clock,
		                   .hosts = hosts,
		                   .host_count = 1,
		                   .listen = &listen,
		                   .listen_count = 1,
		                   .allow_remote = true };
	struct caller owner = { 0 };
	struct buf reply = { 0 };
	struct error e = { 0 };
	struct serve *s;

	fake_init(f, l);
	s = serve_new(l, &f->control, &o, &e);
	auth_owner(&owner);
	CHECK_INT(console_open(s, &owner, &reply, &e), 0);
	CHECK_HAS(buf_str(&reply), "\"addresses\":[\"http://127.0.0.1:");

	struct client c = client_tcp(serve_port(s));

	SEND(l, &c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n");
	UNTIL(l, client_has(&c, STR("{\"status\":\"ok\"}")));
	SEND(l, &c, "GET /healthz HTTP/1.1\r\nHost: 0.0.0.0:1\r\n\r\n");
	UNTIL(l, client_has(&c, STR("host_not_allowed")));
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
	struct state w;
	char zipped[64];

	state_init(&w, NULL);
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
		CHECK(!str_eq(header(&r, "etag"), str_from(a->etag)));
		snprintf(zipped, sizeof zipped, "%.*s", STR_ARG(header(&r, "etag")));
		r = ask(&w,
		        "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n"
		        "Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n\r\n",
		        a->name, zipped);
		CHECK_INT(r.status, 304);
		r = ask(&w,
		        "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n"
		        "If-None-Match: %s\r\n\r\n",
		        a->name, zipped);
		CHECK_INT(r.status, 200);
		r = ask(&w,
		        "GET /console/%s HTTP/1.1\r\nHost: localhost\r\n"
		        "If-None-Match: \"x\", %s\r\n\r\n",
		        a->name, a->etag);
		CHECK_INT(r.status, 304);
	}
	state_done(&w);
}

TEST_MAIN()

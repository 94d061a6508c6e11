#include "base/json.h"
#include "mcp/login/login_flow.h"
#include "mcp/login/login_url.h"
#include "t.h"

/* ---- challenges ---- */

static struct login_challenge read_challenge(struct arena *mem, const char *text)
{
	struct login_challenge c;

	login_challenge_read(mem, str_from(text), &c);
	return c;
}

TEST(a_challenge_is_read_with_quotes_and_among_others)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_challenge c = read_challenge(
		mem, "Basic realm=\"a, Bearer scope=no\", bEARER error=\"insufficient_scope\" , "
		     "Scope = \"x \\\"y\\\\\", resource_metadata=\"https://a.example/m\"");

	CHECK(c.is_bearer && login_challenge_wants_scope(&c));
	CHECK(str_eq(c.scope, STR("x \"y\\")));
	CHECK(str_eq(c.resource_metadata, STR("https://a.example/m")));
}

TEST(only_the_first_challenge_of_the_scheme_bearer_counts)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_challenge c = read_challenge(
		mem, "Negotiate YII==, Bearer scope=a, scope=b, Digest scope=c, Bearer error=d");

	CHECK(str_eq(c.scope, STR("a")) && !str_is(c.error));
	c = read_challenge(mem, "Digest scope=\"x\"");
	CHECK(!c.is_bearer && !str_is(c.scope));
}

TEST(a_challenge_that_is_cut_yields_what_came_before)
{
	static const char text[] = "Bearer scope=\"a b\", error=\"insufficient_scope\"";

	for (size_t n = 0; n <= sizeof text - 1; n++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct login_challenge c;

		login_challenge_read(mem, str_of(text, n), &c);
		CHECK(c.is_bearer == (n >= 6));
		CHECK(str_is(c.scope) == (n >= 18));
	}
}

/* ---- addresses ---- */

static struct str inserted(struct arena *mem, const char *url)
{
	struct login_url u;

	return login_url_split(str_from(url), &u) ? login_url_insert(mem, &u, STR("x")) : STR_NONE;
}

TEST(well_known_places_are_between_host_and_path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK(str_eq(inserted(mem, "https://a.example"), STR("https://a.example/.well-known/x")));
	CHECK(str_eq(inserted(mem, "https://a.example/"), STR("https://a.example/.well-known/x")));
	CHECK(str_eq(inserted(mem, "https://a.example:8/b/c"),
	             STR("https://a.example:8/.well-known/x/b/c")));
	CHECK(str_eq(inserted(mem, "https://a.example/b?c=d"),
	             STR("https://a.example/.well-known/x/b?c=d")));
	CHECK(str_eq(login_url_inserted_in(mem, STR("https://a.example/.well-known/x/b"), STR("x")),
	             STR("https://a.example/b")));
	CHECK(!str_is(
		login_url_inserted_in(mem, STR("https://a.example/.well-known/xb"), STR("x"))));
}

TEST(addresses_without_https_are_secure_on_this_machine_only)
{
	CHECK(login_url_is_secure(STR("https://a.example")));
	CHECK(login_url_is_secure(STR("http://127.0.0.1:1/x")));
	CHECK(login_url_is_secure(STR("http://[::1]/x")));
	CHECK(login_url_is_secure(STR("http://localhost/x")));
	CHECK(!login_url_is_secure(STR("http://a.example")));
	CHECK(!login_url_is_secure(STR("http://10.0.0.1")));
	CHECK(!login_url_is_secure(STR("http://localhost.evil.example")));
	CHECK(!login_url_is_secure(STR("ftp://127.0.0.1")));
}

TEST(origins_differ_by_scheme_host_and_port)
{
	CHECK(login_url_is_same_origin(STR("https://A.example/x"), STR("https://a.example:443")));
	CHECK(!login_url_is_same_origin(STR("https://a.example"), STR("http://a.example:443")));
	CHECK(!login_url_is_same_origin(STR("https://a.example"), STR("https://a.example:8443")));
	CHECK(!login_url_is_same_origin(STR("https://a.example"), STR("https://a.example.evil")));
}

TEST(parameters_are_decoded_and_must_be_there_once)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str v;

	CHECK(login_url_param(mem, STR("a=1&b=x%26+y&c"), STR("b"), &v) && str_eq(v, STR("x& y")));
	CHECK(login_url_param(mem, STR("a=1&c"), STR("c"), &v) && str_is(v) && !v.len);
	CHECK(login_url_param(mem, STR("a=1"), STR("b"), &v) && !str_is(v));
	CHECK(!login_url_param(mem, STR("a=1&%61=2"), STR("a"), &v));
	CHECK(!login_url_param(mem, STR("a=%4"), STR("a"), &v));
	CHECK(!login_url_param(mem, STR("a=%zz"), STR("a"), &v));
}

TEST(scopes_are_joined_without_doubles_and_bounded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str all = STR_NONE;

	CHECK(str_eq(login_url_scope_join(mem, STR("a  b"), STR("b c")), STR("a b c")));
	CHECK(!str_is(login_url_scope_join(mem, STR_NONE, STR(" "))));
	CHECK(str_eq(login_url_scope_join(mem, STR("a\"b c"), STR_NONE), STR("c")));
	CHECK(login_url_scope_covers(STR("a b"), STR("b")) &&
	      !login_url_scope_covers(STR("ab"), STR("a")));
	for (int i = 0; i < 1000; i++)
		all = login_url_scope_join(mem, all, arena_printf(mem, "scope-%d", i));
	CHECK(all.len <= 4096);
}

/* ---- documents ---- */

TEST(the_challenge_of_pkce_is_that_of_rfc_7636)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK(str_eq(
		login_message_challenge(mem, STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")),
		STR("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")));
}

TEST(token_answers_are_told_apart)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_tokens t;
	struct error e;

	CHECK(login_message_read_tokens(mem, 200,
	                                STR("{\"access_token\":\"a\",\"token_type\":\"bearer\","
	                                    "\"expires_in\":\"5\",\"refresh_token\":\"r\"}"),
	                                &t, &e) == LOGIN_ANSWER_TOKENS);
	CHECK(t.expires_in_s == 5 && str_eq(t.refresh, STR("r")));
	CHECK(login_message_read_tokens(mem, 400, STR("{\"error\":\"invalid_grant\"}"), &t, &e) ==
	      LOGIN_ANSWER_REFUSED);
	CHECK(login_message_read_tokens(mem, 503, STR("<html>"), &t, &e) == LOGIN_ANSWER_FAILED);
	CHECK(login_message_read_tokens(mem, 429, STR("{}"), &t, &e) == LOGIN_ANSWER_FAILED);
	CHECK(login_message_read_tokens(mem, 200, STR("{\"access_token\":\"a\"}"), &t, &e) ==
	      LOGIN_ANSWER_FAILED);
	CHECK(login_message_read_tokens(
		      mem, 400, STR("{\"error\":\"SECRET\",\"error_description\":\"SECRET\"}"), &t,
		      &e) == LOGIN_ANSWER_REFUSED);
	CHECK(!strstr(e.message, "SECRET"));
}

TEST(a_list_of_very_many_scopes_is_cut)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf doc = { 0 };
	struct login_resource r;
	struct error e;

	buf_add_c(&doc, "{\"resource\":\"https://a.example\",\"authorization_servers\":"
	                "[\"https://a.example\"],\"scopes_supported\":[");
	for (int i = 0; i < 60000; i++)
		buf_printf(&doc, "\"%x\",", i);
	buf_add_c(&doc, "\"last\"]}");
	CHECK(login_message_read_resource(mem, buf_str(&doc), &r, &e) == OK);
	CHECK(r.scopes.len > 1000 && r.scopes.len <= 4096);
}

TEST(scopes_of_any_length_take_little_time)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf many = { 0 };
	struct login_challenge c;

	for (int i = 0; i < 100000; i++)
		buf_printf(&many, "%x ", i % 3000);
	CHECK(login_url_scope_join(mem, buf_str(&many), buf_str(&many)).len <= 4096);
	CHECK(str_eq(login_url_scope_join(mem, STR("a"), buf_str(&(struct buf){ 0 })), STR("a")));
	c = read_challenge(
		mem,
		arena_printf(mem, "Bearer scope=\"%.*s\", error=x", 3000, buf_str(&many).ptr).ptr);
	CHECK(c.is_bearer && !str_is(c.scope) && str_eq(c.error, STR("x")));
}

TEST(a_secret_is_sent_in_the_header_that_the_server_offers)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct login_client c = { .id = STR("a b"),
		                  .secret = STR("c:d"),
		                  .auth = LOGIN_AUTH_BASIC };

	CHECK(str_eq(login_message_basic(mem, &c), STR("Basic YSUyMGI6YyUzQWQ=")));
	login_message_write_refresh(&out, &c, STR("r"), STR("https://a.example/"));
	CHECK(str_find(buf_str(&out), STR("client")) < 0);
	c.auth = LOGIN_AUTH_POST;
	login_message_write_refresh(&out, &c, STR("r"), STR("https://a.example/"));
	CHECK(str_find(buf_str(&out), STR("&client_id=a%20b&client_secret=c%3Ad")) > 0);
	CHECK(!str_is(login_message_basic(mem, &c)));
}

/* ---- the flow ---- */

#define URL "https://tools.example/mcp"
#define ISSUER "https://login.example/a"
#define RESOURCE_DOC                                                                               \
	"{\"resource\":\"" URL "\",\"authorization_servers\":[\"" ISSUER "\"],"                    \
	"\"scopes_supported\":[\"one\",\"two\"]}"
#define SERVER_DOC_OF(more)                                                                        \
	"{\"issuer\":\"" ISSUER "\",\"authorization_endpoint\":\"https://login.example/auth\","    \
	"\"token_endpoint\":\"https://login.example/token\","                                      \
	"\"code_challenge_methods_supported\":[\"S256\"]" more "}"
#define SERVER_DOC SERVER_DOC_OF(",\"registration_endpoint\":\"https://login.example/register\"")
#define REDIRECT "http://127.0.0.1:9/callback"

static struct login_options options(void)
{
	return (struct login_options){ .url = STR(URL),
		                       .self = { .name = STR("Thole"),
		                                 .version = STR("1"),
		                                 .redirect_uri = STR(REDIRECT) },
		                       .verifier = STR("verifier"),
		                       .state = STR("the-state") };
}

/* The address of the next request. */
static struct str next_url(struct login_flow *f)
{
	struct login_request r;

	return login_flow_request(f, &r) ? r.url : STR_NONE;
}

static struct login_flow *flow_to_asking(const struct login_options *o, struct str server_doc)
{
	struct login_flow *f = login_flow_new(o);

	login_flow_response(f, 200, STR(RESOURCE_DOC));
	login_flow_response(f, 200, server_doc);
	if (login_flow_state(f) == LOGIN_REGISTER)
		login_flow_response(f, 201, STR("{\"client_id\":\"c\"}"));
	return f;
}

TEST(documents_are_searched_in_the_specified_order)
{
	struct login_options o = options();
	struct login_flow *f = login_flow_new(&o);

	CHECK(str_eq(next_url(f),
	             STR("https://tools.example/.well-known/oauth-protected-resource/mcp")));
	login_flow_response(f, 404, STR(""));
	CHECK(str_eq(next_url(f),
	             STR("https://tools.example/.well-known/oauth-protected-resource")));
	login_flow_response(f, 200, STR(RESOURCE_DOC));
	CHECK(str_eq(next_url(f),
	             STR("https://login.example/.well-known/oauth-authorization-server/a")));
	login_flow_response(f, 404, STR(""));
	CHECK(str_eq(next_url(f), STR("https://login.example/.well-known/openid-configuration/a")));
	login_flow_response(f, 404, STR(""));
	CHECK(str_eq(next_url(f), STR("https://login.example/a/.well-known/openid-configuration")));
	login_flow_response(f, 404, STR(""));
	CHECK(login_flow_state(f) == LOGIN_FAILED && str_is(login_flow_error(f)));
	login_flow_free(f);
}

TEST(a_login_ends_with_tokens)
{
	struct login_options o = options();
	struct login_flow *f = flow_to_asking(&o, STR(SERVER_DOC));
	struct login_request r;
	struct login_result result;
	struct error e;

	CHECK(login_flow_state(f) == LOGIN_ASKING);
	CHECK(str_starts(login_flow_url(f),
	                 STR("https://login.example/auth?response_type=code&client_id=c&")));
	CHECK(str_find(login_flow_url(f), STR("&resource=https%3A%2F%2Ftools.example%2Fmcp")) > 0);
	CHECK(str_find(login_flow_url(f), STR("&scope=one%20two")) > 0);
	CHECK(str_find(login_flow_url(f), STR("verifier")) < 0);
	CHECK(login_flow_redirected(f, STR(REDIRECT "?state=the-state&code=k%2F1"), &e) == OK);
	CHECK(login_flow_request(f, &r) && str_eq(r.url, STR("https://login.example/token")));
	CHECK(str_find(r.body, STR("code=k%2F1")) > 0 &&
	      str_find(r.body, STR("code_verifier=verifier")) > 0 &&
	      str_find(r.body, STR("resource=https")) > 0);
	/* A code is sent once. */
	CHECK(login_flow_redirected(f, STR(REDIRECT "?state=the-state&code=2"), &e) != OK);
	login_flow_response(f, 200, STR("{\"access_token\":\"t\",\"token_type\":\"Bearer\"}"));
	CHECK(login_flow_state(f) == LOGIN_DONE);
	login_flow_result(f, &result);
	CHECK(str_eq(result.tokens.access, STR("t")) && str_eq(result.known.issuer, STR(ISSUER)));
	CHECK(str_eq(result.scopes, STR("one two")));
	login_flow_free(f);
}

TEST(redirects_of_other_logins_change_nothing)
{
	static const char *const wrong[] = {
		REDIRECT "?state=other&code=x",
		REDIRECT "?code=x",
		REDIRECT "?state=the-state&state=the-state&code=x",
		REDIRECT "/?state=the-state&code=x",
		REDIRECT,
		"",
		"https://evil.example/callback?state=the-state&code=x",
		REDIRECT "?state=the-state&code=x&code=y",
		REDIRECT "?state=the-state&code=%",
	};
	struct login_options o = options();
	struct login_flow *f = flow_to_asking(&o, STR(SERVER_DOC));
	struct error e;

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		CHECK(login_flow_redirected(f, str_from(wrong[i]), &e) == ERR_INVALID);
		CHECK(login_flow_state(f) == LOGIN_ASKING);
	}
	CHECK(login_flow_redirected(f, STR(REDIRECT "?state=the-state&code=x#_"), &e) == OK);
	CHECK(login_flow_state(f) == LOGIN_TOKEN);
	login_flow_free(f);
}

static enum login_state state_after(struct str server_doc, const char *redirect)
{
	struct login_options o = options();
	struct login_flow *f = flow_to_asking(&o, server_doc);
	enum login_state state;
	struct error e;

	CHECK(login_flow_redirected(f, str_from(redirect), &e) == OK);
	state = login_flow_state(f);
	login_flow_free(f);
	return state;
}

TEST(the_issuer_of_a_redirect_is_compared_byte_for_byte)
{
	struct str plain = STR(SERVER_DOC),
		   announced = STR(SERVER_DOC_OF(
			   ",\"registration_endpoint\":\"https://login.example/register\","
			   "\"authorization_response_iss_parameter_supported\":true"));

	CHECK(state_after(plain, REDIRECT "?state=the-state&code=x") == LOGIN_TOKEN);
	CHECK(state_after(announced, REDIRECT "?state=the-state&code=x") == LOGIN_FAILED);
	CHECK(state_after(announced,
	                  REDIRECT "?state=the-state&code=x&iss=https%3A%2F%2Flogin.example%2Fa") ==
	      LOGIN_TOKEN);
	CHECK(state_after(announced, REDIRECT
	                  "?state=the-state&code=x&iss=https%3A%2F%2Flogin.example%2Fa%2F") ==
	      LOGIN_FAILED);
	CHECK(state_after(plain,
	                  REDIRECT "?state=the-state&code=x&iss=https%3A%2F%2FLOGIN.example%2Fa") ==
	      LOGIN_FAILED);
}

TEST(an_error_of_another_issuer_is_not_shown)
{
	struct login_options o = options();
	struct login_flow *f = flow_to_asking(&o, STR(SERVER_DOC));
	struct error e;

	CHECK(login_flow_redirected(f, STR(REDIRECT "?state=the-state&error=VISIT-EVIL&iss=x"),
	                            &e) == OK);
	CHECK(login_flow_state(f) == LOGIN_FAILED &&
	      str_find(login_flow_error(f), STR("VISIT")) < 0);
	login_flow_free(f);
}

static struct str resource_doc(struct arena *mem, const char *resource)
{
	return arena_printf(mem, "{\"resource\":\"%s\",\"authorization_servers\":[\"" ISSUER "\"]}",
	                    resource);
}

TEST(the_resource_is_the_server_or_what_the_place_was_made_from)
{
	static const struct {
		const char *place, *resource;
		bool is_fine;
	} cases[] = {
		{ NULL, URL, true },
		{ NULL, "https://tools.example/mcp/", false },
		{ NULL, "https://TOOLS.example/mcp", false },
		{ NULL, "https://tools.example", false },
		{ NULL, "http://tools.example/mcp", false },
		{ "https://tools.example/.well-known/oauth-protected-resource",
		  "https://tools.example", true },
		{ "https://tools.example/.well-known/oauth-protected-resource",
		  "https://tools.example/", true },
		{ "https://tools.example/.well-known/oauth-protected-resource/m",
		  "https://tools.example/m", false },
		{ "https://evil.example/.well-known/oauth-protected-resource",
		  "https://evil.example", false },
		{ "https://evil.example/x", URL, true },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct login_options o = options();
		struct login_flow *f;

		o.challenge.resource_metadata = str_from(cases[i].place);
		f = login_flow_new(&o);
		login_flow_response(f, 200, resource_doc(mem, cases[i].resource));
		CHECK((login_flow_state(f) == LOGIN_SERVER) == cases[i].is_fine);
		login_flow_free(f);
	}
}

TEST(clients_are_chosen_in_the_specified_order)
{
	struct str documents =
		STR(SERVER_DOC_OF(",\"registration_endpoint\":\"https://login.example/register\","
	                          "\"client_id_metadata_document_supported\":true"));
	struct login_options o = options();
	struct login_flow *f;

	o.registered = (struct login_known){ .issuer = STR(ISSUER),
		                             .redirect_uri = STR(REDIRECT),
		                             .client = { .id = STR("known") } };
	f = flow_to_asking(&o, STR(SERVER_DOC));
	CHECK(str_find(login_flow_url(f), STR("client_id=known&")) > 0);
	login_flow_free(f);
	o.registered.issuer = STR("https://other.example");
	f = flow_to_asking(&o, STR(SERVER_DOC));
	CHECK(str_find(login_flow_url(f), STR("client_id=c&")) > 0);
	login_flow_free(f);
	o.document_url = STR("https://me.example/d");
	f = flow_to_asking(&o, documents);
	CHECK(str_find(login_flow_url(f), STR("client_id=https%3A%2F%2Fme.example%2Fd&")) > 0);
	login_flow_free(f);
	o.configured =
		(struct login_known){ .issuer = STR(ISSUER), .client = { .id = STR("own") } };
	f = flow_to_asking(&o, documents);
	CHECK(str_find(login_flow_url(f), STR("client_id=own&")) > 0);
	login_flow_free(f);
	o.configured.issuer = STR("https://other.example");
	f = flow_to_asking(&o, documents);
	CHECK(login_flow_state(f) == LOGIN_FAILED);
	login_flow_free(f);
}

TEST(scopes_come_from_the_challenge_and_earlier_ones_stay)
{
	struct login_options o = options();
	struct login_flow *f;

	o.challenge.scope = STR("three");
	o.scopes = STR("zero");
	f = flow_to_asking(
		&o,
		STR(SERVER_DOC_OF(",\"registration_endpoint\":\"https://login.example/register\","
	                          "\"scopes_supported\":[\"x\",\"offline_access\"]")));
	CHECK(str_find(login_flow_url(f), STR("&scope=zero%20three%20offline_access&")) > 0);
	CHECK(str_ends(login_flow_url(f), STR("&prompt=consent")));
	login_flow_free(f);
}

TEST_MAIN()

/* The state machine of one login.  login_flow.h has the picture. */
#include "mcp/login/login_flow.h"

#include "base/hash/secret.h"
#include "base/utf8.h"
#include "mcp/login/login_url.h"

#include <stdarg.h>
#include <stdio.h>

#define PLACES_MAX 3
#define RESOURCE_WELL_KNOWN STR("oauth-protected-resource")
#define SERVER_WELL_KNOWN STR("oauth-authorization-server")
#define OPENID_WELL_KNOWN STR("openid-configuration")
#define ERROR_MAX 400
#define AUTHORIZE_MAX 6000 /* bytes of the page's address: events show it */
#define FORM STR("application/x-www-form-urlencoded")

struct login_flow {
	struct arena *mem;
	struct login_options o;
	enum login_state state;
	struct str places[PLACES_MAX]; /* of the document that is searched */
	size_t place_count, place;
	bool is_named; /* the place was named by the server */
	struct login_resource resource;
	struct login_server server;
	struct login_client client;
	struct str scopes, url, code;
	struct login_tokens tokens;
	char error[ERROR_MAX];
	struct buf body; /* of the current request */
};

static void PRINTF_LIKE(2, 3) flow_fail(struct login_flow *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->error, sizeof f->error, fmt, args);
	va_end(args);
	f->state = LOGIN_FAILED;
}

/* Text of a peer in a message. */
static struct str shown(struct login_flow *f, struct str text)
{
	return utf8_preview(f->mem, str_head(text, 800), 160);
}

/* ---- the beginning ---- */

static struct login_known keep_known(struct arena *mem, const struct login_known *k)
{
	return (struct login_known){ .issuer = arena_keep(mem, k->issuer),
		                     .redirect_uri = arena_keep(mem, k->redirect_uri),
		                     .client = { .id = arena_keep(mem, k->client.id),
		                                 .secret = arena_keep(mem, k->client.secret),
		                                 .auth = k->client.auth } };
}

static void keep_options(struct login_flow *f, const struct login_options *o)
{
	struct arena *mem = f->mem;

	f->o = (struct login_options){
		.url = arena_keep(mem, o->url),
		.challenge = { .is_bearer = o->challenge.is_bearer,
		               .resource_metadata = arena_keep(mem, o->challenge.resource_metadata),
		               .scope = arena_keep(mem, o->challenge.scope) },
		.scopes = arena_keep(mem, o->scopes),
		.self = { .name = arena_keep(mem, o->self.name),
		          .version = arena_keep(mem, o->self.version),
		          .redirect_uri = arena_keep(mem, o->self.redirect_uri) },
		.configured = keep_known(mem, &o->configured),
		.document_url = arena_keep(mem, o->document_url),
		.registered = keep_known(mem, &o->registered),
		.verifier = arena_keep(mem, o->verifier),
		.state = arena_keep(mem, o->state),
	};
}

/* What the server names is used; else the places that its own address leads to. */
static void find_resource(struct login_flow *f)
{
	struct str named = f->o.challenge.resource_metadata;
	struct login_url u, origin;

	f->state = LOGIN_RESOURCE;
	if (!login_url_split(f->o.url, &u)) {
		flow_fail(f, "its address cannot be used for a login");
		return;
	}
	if (str_is(named)) {
		f->is_named = true;
		f->places[f->place_count++] = named;
		if (!login_url_split(named, &u) || !login_url_is_secure(named))
			flow_fail(f, "its metadata is at no https address: %.*s",
			          STR_ARG(shown(f, named)));
		return;
	}
	origin = (struct login_url){ .origin = u.origin, .path = STR("") };
	f->places[f->place_count++] = login_url_insert(f->mem, &u, RESOURCE_WELL_KNOWN);
	if (u.path.len > 1 || str_is(u.query))
		f->places[f->place_count++] =
			login_url_insert(f->mem, &origin, RESOURCE_WELL_KNOWN);
}

struct login_flow *login_flow_new(const struct login_options *o)
{
	struct arena *mem = arena_new();
	struct login_flow *f = ARENA_NEW(mem, struct login_flow);

	f->mem = mem;
	keep_options(f, o);
	find_resource(f);
	return f;
}

static void wipe(struct str s)
{
	if (s.len)
		explicit_bzero((char *)s.ptr, s.len);
}

void login_flow_free(struct login_flow *f)
{
	if (!f)
		return;
	wipe(f->o.verifier);
	wipe(f->code);
	wipe(f->tokens.access);
	wipe(f->tokens.refresh);
	wipe(f->client.secret);
	wipe(buf_str(&f->body));
	buf_done(&f->body);
	arena_free(f->mem);
}

/* ---- metadata of the resource ---- */

/* Equal, where an address without a path may also be written with one slash. */
static bool is_same_resource(struct str a, struct str b)
{
	struct login_url ua, ub;

	if (str_eq(a, b))
		return true;
	return login_url_split(a, &ua) && login_url_split(b, &ub) && str_eq(ua.origin, ub.origin) &&
	       ua.path.len <= 1 && ub.path.len <= 1 && !str_is(ua.query) && !str_is(ub.query);
}

/* Whether the address is the server's own, or a folder above it on the same origin. */
static bool is_above(struct str above, struct str url)
{
	struct login_url a, u;
	struct str path;

	if (!login_url_split(above, &a) || !login_url_split(url, &u) ||
	    !login_url_is_same_origin(above, url) || str_is(a.query))
		return false;
	path = str_ends(a.path, STR("/")) ? str_head(a.path, a.path.len - 1) : a.path;
	return str_starts(u.path, path) && (u.path.len == path.len || u.path.ptr[path.len] == '/');
}

/*
 * The resource is the address of the server, or, as RFC 9728 says, the address that the place of
 * the document was made from.
 */
static bool is_our_resource(struct login_flow *f, struct str resource)
{
	struct str from = login_url_inserted_in(f->mem, f->places[f->place], RESOURCE_WELL_KNOWN);

	if (is_same_resource(resource, f->o.url))
		return true;
	return str_is(from) && is_above(from, f->o.url) && is_same_resource(resource, from);
}

/* The configured client's server if there is one; else the first that the resource names. */
static struct str choose_issuer(struct login_flow *f)
{
	struct str wanted = f->o.configured.issuer;

	if (!str_is(f->o.configured.client.id))
		return f->resource.servers[0];
	for (size_t i = 0; i < f->resource.server_count; i++)
		if (str_eq(f->resource.servers[i], wanted))
			return wanted;
	flow_fail(f, "it names the authorization server %.*s, and its oauth settings are for %.*s",
	          STR_ARG(shown(f, f->resource.servers[0])), STR_ARG(shown(f, wanted)));
	return STR_NONE;
}

static void find_server(struct login_flow *f, struct str issuer)
{
	struct login_url u;

	f->state = LOGIN_SERVER;
	f->server.issuer = issuer;
	f->place = f->place_count = 0;
	if (!login_url_split(issuer, &u)) {
		flow_fail(f, "its authorization server has no usable address");
		return;
	}
	f->places[f->place_count++] = login_url_insert(f->mem, &u, SERVER_WELL_KNOWN);
	f->places[f->place_count++] = login_url_insert(f->mem, &u, OPENID_WELL_KNOWN);
	if (u.path.len > 1)
		f->places[f->place_count++] = login_url_append(f->mem, &u, OPENID_WELL_KNOWN);
}

/* A place without a document leads to the next one. */
static bool next_place(struct login_flow *f, int status, const char *what)
{
	if (status == 200)
		return false;
	if (status >= 400 && status < 500 && status != 429 && f->place + 1 < f->place_count)
		f->place++;
	else if (status >= 300 && status < 400)
		flow_fail(f,
		          "the metadata of %s redirects (HTTP %d), and redirects are not "
		          "followed",
		          what, status);
	else
		flow_fail(f, "there is no metadata of %s: HTTP %d at %.*s", what, status,
		          STR_ARG(shown(f, f->places[f->place])));
	return true;
}

static void read_resource(struct login_flow *f, int status, struct str body)
{
	struct str issuer;
	struct error e;

	if (next_place(f, status, "the tool server"))
		return;
	if (login_message_read_resource(f->mem, body, &f->resource, &e) != OK) {
		flow_fail(f, "the metadata of the tool server cannot be used: %s", e.message);
		return;
	}
	if (!is_our_resource(f, f->resource.resource)) {
		flow_fail(f, "the metadata is of another resource: %.*s",
		          STR_ARG(shown(f, f->resource.resource)));
		return;
	}
	issuer = choose_issuer(f);
	if (str_is(issuer))
		find_server(f, issuer);
}

/* ---- the client ---- */

/* The challenge decides, then the resource; earlier scopes stay (RFC 6749, RFC 6750). */
static void choose_scopes(struct login_flow *f)
{
	struct str now = str_is(f->o.challenge.scope) ? f->o.challenge.scope : f->resource.scopes;

	f->scopes = login_url_scope_join(f->mem, f->o.scopes, now);
	if (login_url_scope_has(f->server.scopes, STR("offline_access")))
		f->scopes = login_url_scope_join(f->mem, f->scopes, STR("offline_access"));
}

static void ask_person(struct login_flow *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct login_url u;

	choose_scopes(f);
	if (!login_url_split(f->server.authorize_url, &u)) {
		flow_fail(f, "the authorization server has no page for a login");
		return;
	}
	buf_add_str(&out, f->server.authorize_url);
	login_url_add(&out, str_is(u.query) ? '&' : '?', STR("response_type"), STR("code"));
	login_url_add(&out, '&', STR("client_id"), f->client.id);
	login_url_add(&out, '&', STR("redirect_uri"), f->o.self.redirect_uri);
	login_url_add(&out, '&', STR("state"), f->o.state);
	login_url_add(&out, '&', STR("code_challenge"),
	              login_message_challenge(f->mem, f->o.verifier));
	login_url_add(&out, '&', STR("code_challenge_method"), STR("S256"));
	login_url_add(&out, '&', STR("resource"), f->resource.resource);
	if (str_is(f->scopes))
		login_url_add(&out, '&', STR("scope"), f->scopes);
	/* OpenID Connect gives a refresh token only with consent. */
	if (login_url_scope_has(f->scopes, STR("offline_access")))
		login_url_add(&out, '&', STR("prompt"), STR("consent"));
	f->url = arena_keep(f->mem, buf_str(&out));
	f->state = LOGIN_ASKING;
	if (f->url.len > AUTHORIZE_MAX)
		flow_fail(f, "the address of the login page is too long");
}

/* A client of the settings, then the document, then one that is registered. */
static void choose_client(struct login_flow *f)
{
	const struct login_known *had = &f->o.registered;

	if (str_is(f->o.configured.client.id)) {
		f->client = f->o.configured.client;
		f->client.auth = login_message_choose_auth(&f->server, str_is(f->client.secret));
	} else if (str_is(f->o.document_url) && f->server.takes_documents) {
		f->client = (struct login_client){ .id = f->o.document_url };
	} else if (str_is(had->client.id) && str_eq(had->issuer, f->server.issuer) &&
	           str_eq(had->redirect_uri, f->o.self.redirect_uri)) {
		f->client = had->client;
	} else if (str_is(f->server.register_url)) {
		f->state = LOGIN_REGISTER;
		return;
	} else {
		flow_fail(f,
		          "%.*s registers no clients; register one there and set it in the "
		          "server's oauth settings",
		          STR_ARG(shown(f, f->server.issuer)));
		return;
	}
	ask_person(f);
}

static void read_server(struct login_flow *f, int status, struct str body)
{
	struct error e;

	if (next_place(f, status, "the authorization server"))
		return;
	if (login_message_read_server(f->mem, body, f->server.issuer, &f->server, &e) != OK)
		flow_fail(f, "the metadata of the authorization server cannot be used: %s",
		          e.message);
	else
		choose_client(f);
}

static void read_client(struct login_flow *f, int status, struct str body)
{
	struct error e;

	if (login_message_read_registration(f->mem, status, body, &f->server, &f->client, &e) != OK)
		flow_fail(f, "%s", e.message);
	else
		ask_person(f);
}

static void read_tokens(struct login_flow *f, int status, struct str body)
{
	struct error e;

	if (login_message_read_tokens(f->mem, status, body, &f->tokens, &e) != LOGIN_ANSWER_TOKENS)
		flow_fail(f, "%s", e.message);
	else
		f->state = LOGIN_DONE;
}

/* ---- requests ---- */

static struct login_request post_to(struct login_flow *f, struct str url, struct str type)
{
	return (struct login_request){ .url = url,
		                       .content_type = type,
		                       .body = buf_str(&f->body),
		                       .is_named_by_peer = true };
}

bool login_flow_request(struct login_flow *f, struct login_request *ret)
{
	wipe(buf_str(&f->body));
	buf_clear(&f->body);
	switch (f->state) {
	case LOGIN_RESOURCE:
		*ret = (struct login_request){ .url = f->places[f->place],
			                       .is_named_by_peer = f->is_named };
		return true;
	case LOGIN_SERVER:
		*ret = (struct login_request){ .url = f->places[f->place],
			                       .is_named_by_peer = true };
		return true;
	case LOGIN_REGISTER:
		login_message_write_registration(&f->body, &f->o.self, &f->server);
		*ret = post_to(f, f->server.register_url, STR("application/json"));
		return true;
	case LOGIN_TOKEN:
		login_message_write_code(&f->body, &f->client,
		                         &(struct login_code){ f->code, f->o.verifier,
		                                               f->o.self.redirect_uri,
		                                               f->resource.resource });
		*ret = post_to(f, f->server.token_url, FORM);
		ret->authorization = login_message_basic(f->mem, &f->client);
		return true;
	default:
		return false;
	}
}

void login_flow_response(struct login_flow *f, int status, struct str body)
{
	if (f->state == LOGIN_RESOURCE)
		read_resource(f, status, body);
	else if (f->state == LOGIN_SERVER)
		read_server(f, status, body);
	else if (f->state == LOGIN_REGISTER)
		read_client(f, status, body);
	else if (f->state == LOGIN_TOKEN)
		read_tokens(f, status, body);
}

void login_flow_give_up(struct login_flow *f, struct str why)
{
	if (f->state != LOGIN_DONE && f->state != LOGIN_FAILED)
		flow_fail(f, "%.*s", STR_ARG(shown(f, why)));
}

/* ---- the person ---- */

struct redirect {
	struct str code, state, issuer, error;
};

/* Only the redirect address of this login counts, and no parameter may be there twice. */
static bool read_redirect(const struct login_flow *f, struct arena *mem, struct str url,
                          struct redirect *ret)
{
	struct str rest = str_trim(url), place = str_cut(&rest, '?'), query = STR_NONE;

	if (str_is(rest))
		query = str_cut(&rest, '#');
	return str_eq(place, f->o.self.redirect_uri) && str_is(query) &&
	       login_url_param(mem, query, STR("code"), &ret->code) &&
	       login_url_param(mem, query, STR("state"), &ret->state) &&
	       login_url_param(mem, query, STR("iss"), &ret->issuer) &&
	       login_url_param(mem, query, STR("error"), &ret->error);
}

/* RFC 9207: compared byte for byte, and required where it is announced. */
static bool is_our_issuer(const struct login_flow *f, struct str issuer)
{
	return str_is(issuer) ? str_eq(issuer, f->server.issuer) : !f->server.sends_issuer;
}

enum err login_flow_redirected(struct login_flow *f, struct str url, struct error *e)
{
	/* Anyone on this machine may bring an address: what is refused leaves no memory behind. */
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct redirect r = { .code = STR_NONE };

	if (f->state != LOGIN_ASKING)
		return fail(e, ERR_INVALID, "this login waits for no redirect; begin it again");
	if (url.len > 4 * LOGIN_URL_MAX + LOGIN_TOKEN_MAX || !read_redirect(f, mem, url, &r))
		return fail(e, ERR_INVALID, "the address does not begin with %.*s?",
		            STR_ARG(f->o.self.redirect_uri));
	if (!str_is(r.state) || !secret_eq(r.state, f->o.state))
		return fail(e, ERR_INVALID, "the address is of another login: its state differs");
	/* From here on it is the answer to this login, so a fault ends the login. */
	if (!is_our_issuer(f, r.issuer)) {
		flow_fail(f, "the redirect is not from %.*s: its iss %s",
		          STR_ARG(shown(f, f->server.issuer)),
		          str_is(r.issuer) ? "differs" : "is missing");
		return OK;
	}
	if (str_is(r.error) || !str_is(r.code) || !r.code.len || r.code.len > LOGIN_TOKEN_MAX) {
		flow_fail(f, "the authorization server refused: %.*s",
		          STR_ARG(shown(f, str_is(r.error) ? r.error : STR("no code"))));
		return OK;
	}
	f->code = arena_keep(f->mem, r.code);
	f->state = LOGIN_TOKEN;
	return OK;
}

/* ---- reading ---- */

enum login_state login_flow_state(const struct login_flow *f)
{
	return f->state;
}

struct str login_flow_url(const struct login_flow *f)
{
	return f->state == LOGIN_ASKING ? f->url : STR_NONE;
}

struct str login_flow_error(const struct login_flow *f)
{
	return f->state == LOGIN_FAILED ? str_from(f->error) : STR_NONE;
}

void login_flow_result(const struct login_flow *f, struct login_result *ret)
{
	*ret = (struct login_result){
		.known = { .issuer = f->server.issuer,
		           .redirect_uri = f->o.self.redirect_uri,
		           .client = f->client },
		.tokens = f->tokens,
		.resource = f->resource.resource,
		.token_url = f->server.token_url,
		.revoke_url = f->server.revoke_url,
		.scopes = f->scopes,
	};
}

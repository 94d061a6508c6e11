/* Documents of a login.  See login_message.h for what is checked. */
#include "mcp/login/login_message.h"

#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "mcp/login/login_url.h"

#include <strings.h>

#define SCOPES_MAX 8192
#define CLIENT_MAX 4096                     /* bytes of an id or a secret */
#define LIFETIME_MAX_S (10LL * 365 * 86400) /* of a token */

static bool is_visible(struct str s, size_t max)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < ' ' || s.ptr[i] > '~')
			return false;
	return s.len > 0 && s.len <= max;
}

static enum err read_object(struct arena *mem, struct str body, struct json *ret, struct error *e)
{
	if (json_read(mem, body, ret, e) != OK || json_type(*ret) != JSON_OBJ)
		return fail(e, ERR_INVALID, "it is no JSON object");
	return OK;
}

/*
 * A list of scopes as one text; absent: there is no list.  What does not fit is left out before
 * doubles are searched, because that takes the square of the length.
 */
static struct str read_scopes(struct arena *mem, struct json list)
{
	CLEANUP(buf_done) struct buf all = { .max = SCOPES_MAX };
	struct json_iter it = json_iter(list);
	struct json each;
	struct str none;

	while (json_type(list) == JSON_ARR && json_next(&it, &none, &each)) {
		struct str one = json_str(each);

		if (!one.len || all.len + one.len + 1 > SCOPES_MAX)
			continue;
		buf_add_str(&all, one);
		buf_add_char(&all, ' ');
	}
	return login_url_scope_join(mem, buf_str(&all), STR_NONE);
}

static bool lists(struct json list, struct str word)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str none;

	while (json_type(list) == JSON_ARR && json_next(&it, &none, &each))
		if (str_eq(json_str(each), word))
			return true;
	return false;
}

/* ---- metadata ---- */

static enum err read_issuers(struct json doc, struct login_resource *ret, struct error *e)
{
	struct json list = JSON_GET(doc, "authorization_servers"), each;
	struct json_iter it = json_iter(list);
	struct login_url u;
	struct str none;

	while (json_type(list) == JSON_ARR && json_next(&it, &none, &each) &&
	       ret->server_count < LOGIN_SERVERS_MAX) {
		struct str issuer = json_str(each);

		if (str_is(issuer) && login_url_split(issuer, &u) && !str_is(u.query) &&
		    login_url_is_secure(issuer))
			ret->servers[ret->server_count++] = issuer;
	}
	return ret->server_count
	               ? OK
	               : fail(e, ERR_INVALID, "it names no authorization server with https");
}

enum err login_message_read_resource(struct arena *mem, struct str body, struct login_resource *ret,
                                     struct error *e)
{
	struct login_resource r = { .server_count = 0 };
	struct login_url u;
	struct json doc;
	enum err code = read_object(mem, body, &doc, e);

	if (code)
		return code;
	r.resource = json_str(JSON_GET(doc, "resource"));
	r.scopes = read_scopes(mem, JSON_GET(doc, "scopes_supported"));
	if (!str_is(r.resource) || !login_url_split(r.resource, &u))
		return fail(e, ERR_INVALID, "it does not name its resource");
	code = read_issuers(doc, &r, e);
	if (!code)
		*ret = r;
	return code;
}

/* An endpoint; absent: it is not there, or may not carry a credential. */
static struct str read_endpoint(struct json doc, struct str name)
{
	struct str url = json_str(json_get(doc, name));
	struct login_url u;

	return str_is(url) && login_url_split(url, &u) && login_url_is_secure(url) ? url : STR_NONE;
}

/* Without a list it is client_secret_basic (RFC 8414). */
static void read_auths(struct json doc, struct login_server *s)
{
	struct json list = JSON_GET(doc, "token_endpoint_auth_methods_supported");

	s->auths[LOGIN_AUTH_NONE] = lists(list, STR("none"));
	s->auths[LOGIN_AUTH_BASIC] = !json_is(list) || lists(list, STR("client_secret_basic"));
	s->auths[LOGIN_AUTH_POST] = lists(list, STR("client_secret_post"));
}

enum err login_message_read_server(struct arena *mem, struct str body, struct str issuer,
                                   struct login_server *ret, struct error *e)
{
	struct login_server s = { .sends_issuer = false };
	struct json doc;
	enum err code = read_object(mem, body, &doc, e);

	if (code)
		return code;
	s.issuer = json_str(JSON_GET(doc, "issuer"));
	if (!str_is(s.issuer) || !str_eq(s.issuer, issuer))
		return fail(e, ERR_INVALID, "it is of another issuer than %.*s", STR_ARG(issuer));
	s.authorize_url = read_endpoint(doc, STR("authorization_endpoint"));
	s.token_url = read_endpoint(doc, STR("token_endpoint"));
	s.register_url = read_endpoint(doc, STR("registration_endpoint"));
	s.revoke_url = read_endpoint(doc, STR("revocation_endpoint"));
	if (!str_is(s.authorize_url) || !str_is(s.token_url))
		return fail(e, ERR_INVALID, "it lacks an endpoint with https");
	if (!lists(JSON_GET(doc, "code_challenge_methods_supported"), STR("S256")))
		return fail(e, ERR_INVALID, "it does not offer PKCE with S256");
	s.scopes = read_scopes(mem, JSON_GET(doc, "scopes_supported"));
	s.takes_documents =
		json_bool(JSON_GET(doc, "client_id_metadata_document_supported"), false);
	s.sends_issuer =
		json_bool(JSON_GET(doc, "authorization_response_iss_parameter_supported"), false);
	read_auths(doc, &s);
	*ret = s;
	return OK;
}

/* ---- clients ---- */

static const char *const auth_words[] = { [LOGIN_AUTH_NONE] = "none",
	                                  [LOGIN_AUTH_BASIC] = "client_secret_basic",
	                                  [LOGIN_AUTH_POST] = "client_secret_post" };

enum login_auth login_message_choose_auth(const struct login_server *s, bool has_secret)
{
	if (!has_secret)
		return LOGIN_AUTH_NONE;
	return s->auths[LOGIN_AUTH_POST] && !s->auths[LOGIN_AUTH_BASIC] ? LOGIN_AUTH_POST
	                                                                : LOGIN_AUTH_BASIC;
}

static void write_list(struct json_writer *w, struct str key, struct str a, struct str b)
{
	jw_key(w, key);
	jw_arr(w);
	jw_str(w, a);
	if (str_is(b))
		jw_str(w, b);
	jw_arr_end(w);
}

static void write_client(struct json_writer *w, const struct login_self *self, enum login_auth auth)
{
	JW_KSTR(w, "client_name", self->name);
	write_list(w, STR("redirect_uris"), self->redirect_uri, STR_NONE);
	write_list(w, STR("grant_types"), STR("authorization_code"), STR("refresh_token"));
	write_list(w, STR("response_types"), STR("code"), STR_NONE);
	JW_KSTR(w, "token_endpoint_auth_method", str_from(auth_words[auth]));
	JW_KSTR(w, "application_type", STR("native"));
}

/* A client on a user's machine keeps no secret, unless the server insists on one. */
void login_message_write_registration(struct buf *out, const struct login_self *self,
                                      const struct login_server *s)
{
	enum login_auth auth =
		s->auths[LOGIN_AUTH_NONE] ? LOGIN_AUTH_NONE : login_message_choose_auth(s, true);
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	write_client(&w, self, auth);
	JW_KSTR(&w, "software_id", self->name);
	JW_KSTR(&w, "software_version", self->version);
	jw_obj_end(&w);
}

bool login_message_is_document_url(struct str url)
{
	struct login_url u;

	return str_starts(url, STR("https://")) && login_url_split(url, &u) && u.path.len > 1;
}

static struct str error_word(struct json doc)
{
	struct str word = json_str(JSON_GET(doc, "error"));

	for (size_t i = 0; i < word.len; i++)
		if (!(word.ptr[i] >= 'a' && word.ptr[i] <= 'z') && word.ptr[i] != '_')
			return STR("refused");
	return word.len && word.len <= 64 ? word : STR("refused");
}

enum err login_message_read_registration(struct arena *mem, int status, struct str body,
                                         const struct login_server *s, struct login_client *ret,
                                         struct error *e)
{
	struct login_client c = { .auth = LOGIN_AUTH_NONE };
	struct json doc;
	struct str auth;

	if (read_object(mem, body, &doc, e) != OK)
		return fail(e, ERR_INVALID, "the client was not registered (HTTP %d)", status);
	if (status != 200 && status != 201)
		return fail(e, ERR_INVALID, "the client was not registered: %.*s (HTTP %d)",
		            STR_ARG(error_word(doc)), status);
	c.id = json_str(JSON_GET(doc, "client_id"));
	c.secret = json_str(JSON_GET(doc, "client_secret"));
	if (!str_is(c.id) || !is_visible(c.id, CLIENT_MAX) ||
	    (str_is(c.secret) && !is_visible(c.secret, CLIENT_MAX)))
		return fail(e, ERR_INVALID, "the registration holds no usable client_id");
	auth = json_str(JSON_GET(doc, "token_endpoint_auth_method"));
	c.auth = login_message_choose_auth(s, str_is(c.secret));
	for (int i = 0; i < LOGIN_AUTH_COUNT; i++)
		if (str_eq(auth, str_from(auth_words[i])) &&
		    (str_is(c.secret) || i == LOGIN_AUTH_NONE))
			c.auth = (enum login_auth)i;
	*ret = c;
	return OK;
}

/* ---- tokens ---- */

struct str login_message_random(struct arena *mem, struct str bytes)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	base64_write(&out, bytes);
	while (out.len && out.ptr[out.len - 1] == '=')
		out.len--;
	for (size_t i = 0; i < out.len; i++)
		out.ptr[i] = out.ptr[i] == '+' ? '-' : out.ptr[i] == '/' ? '_' : out.ptr[i];
	return arena_keep(mem, buf_str(&out));
}

struct str login_message_challenge(struct arena *mem, struct str verifier)
{
	struct sha256 h = sha256_of(verifier);

	return login_message_random(mem, str_of((const char *)h.state, sizeof h.state));
}

/* The client names itself in the body, unless the header does. */
static void write_self(struct buf *out, const struct login_client *c)
{
	if (c->auth == LOGIN_AUTH_BASIC)
		return;
	login_url_add(out, '&', STR("client_id"), c->id);
	if (c->auth == LOGIN_AUTH_POST)
		login_url_add(out, '&', STR("client_secret"), c->secret);
}

void login_message_write_code(struct buf *out, const struct login_client *c,
                              const struct login_code *code)
{
	login_url_add(out, 0, STR("grant_type"), STR("authorization_code"));
	login_url_add(out, '&', STR("code"), code->code);
	login_url_add(out, '&', STR("redirect_uri"), code->redirect_uri);
	login_url_add(out, '&', STR("code_verifier"), code->verifier);
	login_url_add(out, '&', STR("resource"), code->resource);
	write_self(out, c);
}

void login_message_write_refresh(struct buf *out, const struct login_client *c, struct str refresh,
                                 struct str resource)
{
	login_url_add(out, 0, STR("grant_type"), STR("refresh_token"));
	login_url_add(out, '&', STR("refresh_token"), refresh);
	login_url_add(out, '&', STR("resource"), resource);
	write_self(out, c);
}

void login_message_write_revoke(struct buf *out, const struct login_client *c, struct str token)
{
	login_url_add(out, 0, STR("token"), token);
	write_self(out, c);
}

/* Both parts are encoded first (RFC 6749 section 2.3.1). */
struct str login_message_basic(struct arena *mem, const struct login_client *c)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str header;

	if (c->auth != LOGIN_AUTH_BASIC)
		return STR_NONE;
	login_url_encode(&plain, c->id);
	buf_add_char(&plain, ':');
	login_url_encode(&plain, c->secret);
	buf_add_c(&out, "Basic ");
	base64_write(&out, buf_str(&plain));
	header = arena_keep(mem, buf_str(&out));
	explicit_bzero(plain.ptr, plain.len);
	explicit_bzero(out.ptr, out.len);
	return header;
}

static enum login_answer refuse_tokens(int status, struct json doc, struct error *e)
{
	struct str word = error_word(doc);
	bool may_pass = status >= 500 || status == 429 || status == 408 ||
	                str_eq(word, STR("temporarily_unavailable")) ||
	                str_eq(word, STR("slow_down"));

	(void)!fail(e, ERR_INVALID, "the authorization server gives no token: %.*s (HTTP %d)",
	            STR_ARG(word), status);
	return may_pass ? LOGIN_ANSWER_FAILED : LOGIN_ANSWER_REFUSED;
}

/* A number, or its digits as a text. */
static int64_t read_lifetime(struct json v)
{
	int64_t s = json_int(v, 0);

	if (json_type(v) == JSON_STR && !str_to_i64(json_str(v), &s))
		s = 0;
	return MAX(MIN(s, LIFETIME_MAX_S), (int64_t)0);
}

/* A token goes into a header: visible ASCII without blanks. */
static bool is_token(struct str s)
{
	return is_visible(s, LOGIN_TOKEN_MAX) && str_find_char(s, ' ') < 0;
}

enum login_answer login_message_read_tokens(struct arena *mem, int status, struct str body,
                                            struct login_tokens *ret, struct error *e)
{
	struct login_tokens t = { .expires_in_s = 0 };
	struct json doc = { NULL };
	struct str type;
	bool is_object = read_object(mem, body, &doc, e) == OK;

	if (status != 200)
		return refuse_tokens(status, is_object ? doc : (struct json){ NULL }, e);
	t.access = json_str(JSON_GET(doc, "access_token"));
	t.refresh = json_str(JSON_GET(doc, "refresh_token"));
	t.scope = json_str(JSON_GET(doc, "scope"));
	t.expires_in_s = read_lifetime(JSON_GET(doc, "expires_in"));
	type = json_str(JSON_GET(doc, "token_type"));
	if (!is_object || !str_is(t.access) || !is_token(t.access) ||
	    (str_is(t.refresh) && !is_token(t.refresh)) || type.len != 6 ||
	    strncasecmp(type.ptr, "bearer", 6) != 0) {
		(void)!fail(e, ERR_INVALID,
		            "the authorization server answers with no usable token");
		return LOGIN_ANSWER_FAILED;
	}
	t.scope = login_url_scope_join(mem, t.scope, STR_NONE);
	*ret = t;
	return LOGIN_ANSWER_TOKENS;
}

/*
 * Endpoints of the console: its files, sign-in and sign-out, and the link that
 * `thole open` prints.
 */
#include "serve/http/console.h"

#include "base/json.h"
#include "base/jw.h"
#include "serve/http/api_call.h"
#include "serve/http/assets.h"
#include "serve/http/problem.h"

#include <stdio.h>

#define DEFAULT_ADDRESS STR("127.0.0.1:7433")
#define ANY_ADDRESS STR("127.0.0.1:0")

/*
 * Allows only our own scripts, styles, images and requests: no inline script, no
 * eval, no frame, no form, no text that becomes markup.
 */
#define POLICY                                                                                     \
	STR("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "            \
	    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "    \
	    "require-trusted-types-for 'script'")

/* ---- files ---- */

static const struct asset *find(struct str name)
{
	for (const struct asset *a = console_assets; a->name; a++)
		if (str_eq(name, str_from(a->name)))
			return a;
	return NULL;
}

bool console_is_here(void)
{
	return console_assets[0].name != NULL;
}

static void send_asset(struct http_request *req, const struct asset *a)
{
	const struct http_field guards[] = {
		{ STR("Content-Security-Policy"), POLICY },
		{ STR("Referrer-Policy"), STR("no-referrer") },
		{ STR("X-Frame-Options"), STR("DENY") },
		{ STR("Cross-Origin-Opener-Policy"), STR("same-origin") },
		{ STR("Cross-Origin-Resource-Policy"), STR("same-origin") },
	};

	assets_reply(req, a, guards, COUNT_OF(guards));
}

void console_page(struct http_request *req)
{
	send_asset(req, find(STR("index.html")));
}

void console_file(struct http_request *req, struct str name)
{
	const struct asset *a = find(name);

	if (a)
		send_asset(req, a);
	else
		problem_reply(req, ERROR_CODE_NOT_FOUND, "the console has no such file");
}

/* ---- signing in and out ---- */

/*
 * HttpOnly: scripts cannot read it.  SameSite=Strict: other sites cannot make the
 * browser send it.  Secure only behind https, because a browser would not return it
 * over plain HTTP.
 */
static void reply_cookie(struct serve *s, struct http_request *req, struct str value, int seconds,
                         struct str body)
{
	/* The page's Origin says whether it was reached by https. */
	bool is_secure = str_starts(http_parse_find(&req->in, STR("origin")), STR("https://"));
	struct buf cookie = { 0 };
	struct http_field headers[] = {
		{ STR("Content-Type"), STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("Set-Cookie"), STR_NONE },
	};

	buf_printf(&cookie, "%.*s=%.*s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
	           STR_ARG(s->auth.cookie_name), STR_ARG(value), seconds,
	           is_secure ? "; Secure" : "");
	headers[3].value = buf_str(&cookie);
	http_reply(req, 200, headers, COUNT_OF(headers), body);
	buf_done(&cookie);
}

static int64_t now_of(const struct serve *s)
{
	return s->opt.clock->ops->wall_ms(s->opt.clock);
}

static void write_scopes(struct json_writer *w, unsigned scopes)
{
	JW_KEY(w, "scopes");
	jw_arr(w);
	for (enum scope scope = 1; scope < SCOPE_COUNT; scope++)
		if (scopes & SCOPE_BIT(scope))
			jw_str(w, enum_word(&enum_scope, scope));
	jw_arr_end(w);
}

static void write_session(const struct serve *s, struct buf *out, const struct caller *caller,
                          int64_t until_ms)
{
	struct control_health health = { 0 };
	struct json_writer w;

	s->control->ops->health(s->control, &health);
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "principal", caller->principal);
	write_scopes(&w, caller->scopes);
	if (until_ms) {
		JW_KEY(&w, "expiresAt");
		jw_time(&w, until_ms);
	}
	JW_KSTR(&w, "version", s->opt.version);
	JW_KSTR(&w, "runtimeId", health.runtime_id);
	jw_obj_end(&w);
}

/* The principal of a code, and the key that signs its cookie. */
struct bearer {
	struct caller who;
	struct str key, device; /* device: its id; absent: it is none */
	int seconds;
};

static void refuse_code(struct http_request *req)
{
	problem_reply(req, ERROR_CODE_UNAUTHORIZED,
	              "the code is unknown, used or too old; `thole open` makes a new one for this "
	              "machine, `thole pair` one for another device");
}

/* The code is not even looked at, so that guessing is bounded. */
static void refuse_wait(struct http_request *req, int64_t wait_ms)
{
	char seconds[24];
	struct http_field after = { STR("Retry-After"), STR_NONE };

	snprintf(seconds, sizeof seconds, "%lld", (long long)(wait_ms + 999) / 1000);
	after.value = str_from(seconds);
	problem_reply_with(req, ERROR_CODE_RATE_LIMITED, &after,
	                   STR("too many wrong codes came; none is taken for a minute"));
}

static void response_signed_in(struct serve *s, struct http_request *req, const struct bearer *b)
{
	int64_t until = now_of(s) + (int64_t)b->seconds * 1000;
	struct buf value = { 0 }, body = { 0 };
	uint8_t entropy[16];

	s->opt.clock->ops->entropy(s->opt.clock, entropy);
	signin_write_cookie(&value, b->key, b->device, until, entropy);
	write_session(s, &body, &b->who, until);
	reply_cookie(s, req, buf_str(&value), b->seconds, buf_str(&body));
	buf_done(&value);
	buf_done(&body);
}

static struct signin_tries *tries_of(struct serve *s, const struct http_request *req)
{
	return auth_is_device_place(&s->auth, &req->in) ? &s->auth.signin.devices
	                                                : &s->auth.signin.own;
}

static void sign_in_device(struct serve *s, struct http_request *req, struct device *d)
{
	struct bearer b = { { .principal = d->principal, .scopes = d->scopes },
		            d->key,
		            d->id,
		            LIMIT_DEVICE_SESSION_S };

	devices_seen(&s->auth.devices, d);
	serve_state_watch_devices(s);
	response_signed_in(s, req, &b);
}

/* A failure other than that of the code counts as a good try: the code was right. */
static void device_paired(struct api_call *c, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct serve *s = c->serve;
	bool is_refused = a->code == ERROR_CODE_UNAUTHORIZED;
	struct device *d = NULL;
	struct json reply;

	if (!a->code && json_read_trusted(mem, a->body, &reply, NULL) == OK)
		d = devices_by_id(&s->auth.devices,
		                  json_str(JSON_GET(JSON_GET(reply, "device"), "deviceId")));
	signin_tried(tries_of(s, c->req), !is_refused, now_of(s));
	if (is_refused)
		refuse_code(c->req);
	else if (a->code)
		api_call_answer(c->req, a);
	else if (d)
		sign_in_device(s, c->req, d);
	else
		problem_reply(c->req, ERROR_CODE_UNAUTHORIZED, "this device was revoked");
}

/* One node records what all of them follow, so the code works once. */
static void pair_device(struct serve *s, struct http_request *req, const struct device_offer *offer)
{
	struct caller caller = { .principal = STR("runtime"),
		                 .via = STR("runtime"),
		                 .scopes = SCOPES_ALL };
	struct api_call *c =
		api_call_new(s, req, &caller, command_classes[COMMAND_CHANGE_DEVICE].name);
	struct rec_paired_device device = { .device_id = str_from(offer->id),
		                            .state = PAIRED_DEVICE_STATE_PAIRED };
	struct cmd_change_device cmd = { .device = &device };
	struct json_writer w;

	jw_init(&w, &c->params);
	rec_write(&w, &cmd_change_device_desc, &cmd);
	c->call.is_own = true;
	c->finish = device_paired;
	api_call_send(c);
}

/* At a device's host only its own codes are valid, elsewhere also those of open_console. */
static void take_code(struct serve *s, struct http_request *req, struct str code)
{
	const struct serve_token *token = NULL;
	const struct device_offer *offer;
	struct bearer b;
	int64_t now = now_of(s);

	if (!auth_is_device_place(&s->auth, &req->in))
		token = auth_token_of(&s->auth, signin_take(&s->auth.signin, code, now));
	offer = token ? NULL : devices_find_offer(&s->auth.devices, code, req->in.host, now);
	if (offer) {
		pair_device(s, req, offer);
		return;
	}
	signin_tried(tries_of(s, req), token != NULL, now);
	if (!token) {
		refuse_code(req);
		return;
	}
	b = (struct bearer){ { .principal = token->name, .scopes = token->scopes },
		             token->token,
		             STR_NONE,
		             LIMIT_CONSOLE_SESSION_S };
	response_signed_in(s, req, &b);
}

void console_sign_in(struct serve *s, struct http_request *req)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json body;
	int64_t wait_ms;

	if (!s->opt.clock) {
		problem_reply(req, ERROR_CODE_UNAVAILABLE, "signing in needs a clock");
		return;
	}
	wait_ms = signin_wait_ms(tries_of(s, req), now_of(s));
	if (wait_ms)
		refuse_wait(req, wait_ms);
	else if (json_read(mem, req->in.body, &body, NULL) == OK)
		take_code(s, req, json_str(JSON_GET(body, "code")));
	else
		take_code(s, req, STR_NONE);
}

/*
 * Deletes the browser's copy.  A cookie is not stored here, so it stays valid until it
 * expires for any program that has a copy.
 */
void console_sign_out(struct serve *s, struct http_request *req)
{
	reply_cookie(s, req, STR(""), 0, STR("{}"));
}

void console_session(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct http_field headers[] = {
		{ STR("Content-Type"), STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};
	struct caller ignored;
	struct buf body = { 0 };
	int64_t until = 0;

	if (!auth_cookie(&s->auth, &req->in, &ignored, &until))
		until = 0; /* a token does not expire */
	write_session(s, &body, caller, until);
	http_reply(req, 200, headers, COUNT_OF(headers), buf_str(&body));
	buf_done(&body);
}

/* ---- open_console ---- */

/*
 * The token for the new session; NULL: detail has the reason.  A console session cannot
 * make codes for further sessions; otherwise a stolen cookie could be renewed for ever.
 */
static const struct serve_token *token_behind(const struct serve *s, const struct caller *caller,
                                              struct error *detail)
{
	const struct serve_token *token = auth_token_of(&s->auth, caller->principal);

	if (!(caller->scopes & SCOPE_BIT(SCOPE_READ)))
		fail(detail, ERR_INVALID, "the console needs the scope read");
	else if (str_eq(caller->via, AUTH_VIA_CONSOLE))
		fail(detail, ERR_INVALID, "who signed in with a code cannot make another one");
	else if (!token || !s->opt.clock)
		fail(detail, ERR_INVALID, "this runtime has no token to sign in with");
	else
		return token;
	return NULL;
}

static void write_addresses(const struct serve *s, struct json_writer *w)
{
	char text[SERVE_URL_MAX];
	struct str url;

	JW_KEY(w, "addresses");
	jw_arr(w);
	for (size_t i = 0; str_is(url = serve_state_url(s, i, text)); i++)
		jw_str(w, url);
	jw_arr_end(w);
}

/* Prefers the default port, so that the address stays the same; any other will do. */
bool console_has_port(struct serve *s, struct error *detail)
{
	return serve_state_port(s) ||
	       serve_state_listen_loopback(s, DEFAULT_ADDRESS, detail) == OK ||
	       serve_state_listen_loopback(s, ANY_ADDRESS, detail) == OK;
}

/* The code is valid for a short time and once; the link that contains it is useless afterwards. */
enum error_code console_open(struct serve *s, const struct caller *caller, struct buf *reply,
                             struct error *detail)
{
	const struct serve_token *token = token_behind(s, caller, detail);
	uint8_t entropy[16];
	struct json_writer w;
	int64_t now;

	if (!token)
		return ERROR_CODE_FORBIDDEN;
	if (!console_has_port(s, detail))
		return ERROR_CODE_INTERNAL;
	now = s->opt.clock->ops->wall_ms(s->opt.clock);
	s->opt.clock->ops->entropy(s->opt.clock, entropy);
	jw_init(&w, reply);
	jw_obj(&w);
	JW_KSTR(&w, "code", signin_mint(&s->auth.signin, token->name, now, entropy));
	JW_KEY(&w, "expiresAt");
	jw_time(&w, now + LIMIT_CONSOLE_CODE_S * 1000);
	write_addresses(s, &w);
	JW_KBOOL(&w, "hasConsole", console_is_here());
	jw_obj_end(&w);
	return 0;
}

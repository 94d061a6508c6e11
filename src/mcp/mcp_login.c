/*
 * Tokens of one address: the requests of a login and of a refresh, their timers
 * and their file.  mcp_login.h has the picture; login/ has everything that is pure.
 */
#include "mcp/mcp_login.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "mcp/login/login_store.h"
#include "mcp/login/login_url.h"
#include "mcp/mcp_redirect.h"

#include <stdio.h>
#include <stdlib.h>

#define DOCUMENT_MAX ((uint64_t)262144) /* bytes of a response */
#define FETCH_MS 30000
#define CONNECT_MS 10000
#define PERSON_MS 1800000 /* a login waits so long for a person */
#define EARLY_MS 60000    /* before a token expires it is renewed; of short ones a fifth */
#define AGAIN_MS 1000     /* after a refresh that failed, doubled each time */
#define AGAIN_MAX_MS 60000
#define FRUITLESS_MAX 2 /* tokens in a row that the server refused at once */
#define STEP_UPS_MAX 5  /* logins for more scopes, until the user begins one */

/* One request to an authorization server. */
struct call {
	struct http_client_call *http;
	int status;
	struct buf answer;
};

struct mcp_logins {
	struct arena *mem;
	struct mcp_login_options o;
	struct host_rules rules;
	struct str dir;
	struct list all;
};

struct mcp_login {
	struct list node;
	struct mcp_logins *all;
	struct arena *mem;
	struct mcp_login_target target;
	struct list watches;
	struct loop_timer news, renew, patience;

	struct arena *record_mem; /* NULL: no record */
	struct login_record record;
	struct buf header;
	unsigned generation, fruitless, step_ups, failures;

	struct arena *challenge_mem;
	struct login_challenge challenge; /* the last one */

	struct login_flow *flow; /* NULL: no login was begun */
	struct mcp_redirect *redirect, *leaving;
	struct call asking, renewing;
	bool is_declined;
	char error[512];
	char page[512]; /* why the last redirect was not accepted */
};

static void flow_continue(struct mcp_login *l);
static void renew_later(struct mcp_login *l);
static void login_free(struct mcp_login *l);

/* ---- news ---- */

static void on_news(struct loop_timer *t)
{
	struct mcp_login *l = OWNER_OF(t, struct mcp_login, news);

	LIST_EACH_SAFE (&l->watches, node, next)
		LIST_ITEM(node, struct mcp_login_watch, node)
			->changed(LIST_ITEM(node, struct mcp_login_watch, node));
}

static void tell(struct mcp_login *l)
{
	loop_timer_start(l->all->o.loop, &l->news, 0, on_news);
}

static void note_error(struct mcp_login *l, struct str why)
{
	snprintf(l->error, sizeof l->error, "%.*s", STR_ARG(why));
}

/* ---- the record ---- */

static void wipe(struct buf *b)
{
	if (b->ptr)
		explicit_bzero(b->ptr, b->cap);
	buf_done(b);
}

static void redact(struct mcp_login *l, void (*how)(struct scrub *s, struct str value))
{
	struct scrub *s = l->all->o.scrub;

	if (s && str_is(l->record.access))
		how(s, l->record.access);
	if (s && str_is(l->record.refresh))
		how(s, l->record.refresh);
	if (s && str_is(l->record.client.secret))
		how(s, l->record.client.secret);
}

static void drop_record(struct mcp_login *l)
{
	redact(l, redact_forget);
	if (str_is(l->record.access))
		explicit_bzero((char *)l->record.access.ptr, l->record.access.len);
	if (str_is(l->record.refresh))
		explicit_bzero((char *)l->record.refresh.ptr, l->record.refresh.len);
	arena_free(l->record_mem);
	l->record_mem = NULL;
	l->record = (struct login_record){ .expires_at_ms = 0 };
	wipe(&l->header);
}

static struct login_record copy_record(struct arena *mem, const struct login_record *r)
{
	struct login_record k = *r;

	k.url = arena_keep(mem, r->url);
	k.issuer = arena_keep(mem, r->issuer);
	k.resource = arena_keep(mem, r->resource);
	k.redirect_uri = arena_keep(mem, r->redirect_uri);
	k.token_url = arena_keep(mem, r->token_url);
	k.revoke_url = arena_keep(mem, r->revoke_url);
	k.scopes = arena_keep(mem, r->scopes);
	k.client.id = arena_keep(mem, r->client.id);
	k.client.secret = arena_keep(mem, r->client.secret);
	k.access = arena_keep(mem, r->access);
	k.refresh = arena_keep(mem, r->refresh);
	return k;
}

/* The new record may hold strings of the old one. */
static void take_record(struct mcp_login *l, const struct login_record *r)
{
	struct arena *mem = arena_new();
	struct login_record fresh = copy_record(mem, r);

	drop_record(l);
	l->record_mem = mem;
	l->record = fresh;
	redact(l, redact_know);
	if (!str_is(fresh.access))
		return;
	buf_add_c(&l->header, "Bearer ");
	buf_add_str(&l->header, fresh.access);
	l->generation++;
}

/* A new token counts once it is on disk. */
static bool store_record(struct mcp_login *l, const struct login_record *r)
{
	struct error e;

	if (login_store_save(l->all->dir, r, &e) != OK) {
		note_error(l, str_from(e.message));
		return false;
	}
	if (l->record_mem &&
	    (!str_eq(l->record.issuer, r->issuer) || !str_eq(l->record.resource, r->resource) ||
	     !str_eq(l->record.client.id, r->client.id)) &&
	    login_store_remove(l->all->dir, &l->record, &e) != OK)
		log_line(LOG_WARN, "mcp", "%.*s: %s", STR_ARG(l->target.url), e.message);
	take_record(l, r);
	return true;
}

/* ---- requests ---- */

/* Whether an address that a peer named may be used at all; names are checked again when dialled. */
static bool may_name(const struct mcp_login *l, struct str url)
{
	struct net_host h;
	uint16_t port;

	if (login_url_is_same_origin(url, l->target.url))
		return true;
	if (!net_host_of_url(url, &h, &port))
		return false;
	if (h.is_address && address_kind(&h.address) == ADDRESS_PUBLIC)
		return true;
	if (h.is_address)
		return host_rule_may_reach(&l->all->rules, &h, port, &h.address);
	return (strcmp(h.text, "localhost") != 0 &&
	        !str_ends(str_from(h.text), STR(".localhost"))) ||
	       host_rule_find(&l->all->rules, &h, port);
}

static void call_drop(struct call *c)
{
	if (c->http)
		http_client_cancel(c->http);
	c->http = NULL;
	wipe(&c->answer);
}

static void on_asking_head(void *owner, const struct http_client_head *h)
{
	((struct mcp_login *)owner)->asking.status = h->status;
}

static size_t on_asking_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct mcp_login *)owner)->asking.answer, bytes);
	return bytes.len;
}

static void on_asking_end(void *owner, const struct http_client_end *end)
{
	struct mcp_login *l = owner;

	l->asking.http = NULL;
	if (end->result == HTTP_CLIENT_OK)
		login_flow_response(l->flow, l->asking.status, buf_str(&l->asking.answer));
	else
		login_flow_give_up(l->flow, end->message);
	wipe(&l->asking.answer);
	flow_continue(l);
}

static void on_renewing_head(void *owner, const struct http_client_head *h)
{
	((struct mcp_login *)owner)->renewing.status = h->status;
}

static size_t on_renewing_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct mcp_login *)owner)->renewing.answer, bytes);
	return bytes.len;
}

static void on_renewing_end(void *owner, const struct http_client_end *end);

static const struct http_client_sink asking_sink = { on_asking_head, on_asking_body,
	                                             on_asking_end };
static const struct http_client_sink renewing_sink = { on_renewing_head, on_renewing_body,
	                                               on_renewing_end };

/*
 * Addresses of the server's own origin are guarded as the server is; all others always.  A request
 * is never sent twice by the library: codes and refresh tokens count once.
 */
static bool send_request(struct mcp_login *l, const struct login_request *r, struct call *c,
                         const struct http_client_sink *sink)
{
	struct http_client_header headers[] = {
		{ STR("Accept"), STR("application/json") },
		{ STR("Content-Type"), r->content_type },
		{ STR("Authorization"), r->authorization },
	};
	struct http_client_guard guard = { .rules = l->all->rules };
	struct http_client_request q = {
		.method = str_is(r->content_type) ? STR("POST") : STR("GET"),
		.url = r->url,
		.headers = headers,
		.header_count = !str_is(r->content_type)   ? 1
		                : str_is(r->authorization) ? 3
		                                           : 2,
		.connect_ms = CONNECT_MS,
		.total_ms = FETCH_MS,
		.response_max = DOCUMENT_MAX,
		.is_secret = true,
		.is_once = true,
	};
	bool is_own = login_url_is_same_origin(r->url, l->target.url);
	uint16_t port;

	if (!net_host_of_url(r->url, &guard.host, &port) ||
	    (r->is_named_by_peer && !may_name(l, r->url)))
		return false;
	q.guard = is_own && !l->target.is_guarded ? NULL : &guard;
	if (str_is(r->content_type))
		buf_add_str(&q.body, r->body);
	c->status = 0;
	c->answer.max = DOCUMENT_MAX;
	c->http = http_client_send(l->all->o.http_client, &q, sink, l);
	return true;
}

/* ---- a login ---- */

static void flow_end(struct mcp_login *l)
{
	loop_timer_stop(&l->patience);
	call_drop(&l->asking);
	login_flow_free(l->flow);
	l->flow = NULL;
	if (!l->redirect)
		return;
	mcp_redirect_free(l->leaving);
	l->leaving = l->redirect;
	l->redirect = NULL;
	mcp_redirect_leave(l->leaving, &l->leaving);
}

static void flow_fail(struct mcp_login *l, struct str why)
{
	note_error(l, why);
	flow_end(l);
	tell(l);
}

static int64_t expiry_of(int64_t seconds)
{
	return seconds ? clock_wall_ms() + seconds * 1000 : 0;
}

static void flow_done(struct mcp_login *l)
{
	struct login_result r;
	struct login_record record;

	login_flow_result(l->flow, &r);
	record = (struct login_record){
		.url = l->target.url,
		.issuer = r.known.issuer,
		.resource = r.resource,
		.redirect_uri = r.known.redirect_uri,
		.token_url = r.token_url,
		.revoke_url = r.revoke_url,
		.scopes = r.scopes,
		.client = r.known.client,
		.is_configured = str_is(l->target.configured.client.id),
		.access = r.tokens.access,
		.refresh = r.tokens.refresh,
		.expires_at_ms = expiry_of(r.tokens.expires_in_s),
	};
	call_drop(&l->renewing); /* it renews a token that is replaced now */
	if (!store_record(l, &record)) {
		flow_end(l);
		tell(l);
		return;
	}
	l->error[0] = 0;
	l->is_declined = false;
	l->failures = l->fruitless = 0;
	flow_end(l);
	renew_later(l);
	tell(l);
}

static void on_patience(struct loop_timer *t)
{
	flow_fail(OWNER_OF(t, struct mcp_login, patience),
	          STR("the login was not completed in time"));
}

/* The page and the place of the code are checked before a person is asked. */
static void flow_ask(struct mcp_login *l)
{
	struct login_result r;

	login_flow_result(l->flow, &r);
	if (!may_name(l, login_flow_url(l->flow)) || !may_name(l, r.token_url)) {
		flow_fail(l, STR("the authorization server names an address that is not public; "
		                 "peers.allow_hosts can permit it"));
		return;
	}
	loop_timer_start(l->all->o.loop, &l->patience, PERSON_MS, on_patience);
	tell(l);
}

static void flow_continue(struct mcp_login *l)
{
	struct login_request r;

	if (login_flow_request(l->flow, &r)) {
		if (!send_request(l, &r, &l->asking, &asking_sink))
			flow_fail(l, STR("the login leads to an address that is not public; "
			                 "peers.allow_hosts can permit it"));
	} else if (login_flow_state(l->flow) == LOGIN_ASKING) {
		flow_ask(l);
	} else if (login_flow_state(l->flow) == LOGIN_DONE) {
		flow_done(l);
	} else {
		flow_fail(l, login_flow_error(l->flow));
	}
}

static struct str on_arrived(void *owner, struct str url)
{
	struct mcp_login *l = owner;
	struct error e;

	if (mcp_login_answer(l, url, &e) == OK)
		return mcp_login_error(l);
	snprintf(l->page, sizeof l->page, "%s", e.message);
	return str_from(l->page);
}

/* The port of a client that was registered with one, if that is free. */
static int port_of(const struct mcp_login *l)
{
	struct net_host h;
	uint16_t port;

	if (l->all->o.redirect_port)
		return (int)l->all->o.redirect_port;
	return str_is(l->record.redirect_uri) && net_host_of_url(l->record.redirect_uri, &h, &port)
	               ? port
	               : 0;
}

static enum err open_redirect(struct mcp_login *l, struct error *e)
{
	struct loop *loop = l->all->o.loop;
	enum err code = mcp_redirect_open(loop, port_of(l), on_arrived, l, &l->redirect, e);

	if (code && !l->all->o.redirect_port)
		code = mcp_redirect_open(loop, 0, on_arrived, l, &l->redirect, e);
	return code;
}

static struct str random_text(struct mcp_login *l, struct arena *mem, size_t blocks)
{
	struct clock *c = l->all->o.clock;
	uint8_t bytes[32];

	for (size_t i = 0; i < blocks; i++)
		c->ops->entropy(c, bytes + i * 16);
	return login_message_random(mem, str_of((char *)bytes, blocks * 16));
}

static void flow_begin(struct mcp_login *l)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_options o = {
		.url = l->target.url,
		.challenge = l->challenge,
		.scopes = l->record.scopes,
		.self = { .name = STR("Thole"),
		          .version = l->all->o.version,
		          .redirect_uri = mcp_redirect_uri(l->redirect) },
		.configured = l->target.configured,
		.document_url = l->all->o.document_url.len ? l->all->o.document_url : STR_NONE,
		.verifier = random_text(l, mem, 2),
		.state = random_text(l, mem, 2),
	};

	if (l->record_mem && !l->record.is_configured)
		o.registered = (struct login_known){ .issuer = l->record.issuer,
			                             .redirect_uri = l->record.redirect_uri,
			                             .client = l->record.client };
	l->error[0] = 0;
	l->flow = login_flow_new(&o);
	flow_continue(l);
}

void mcp_login_ask(struct mcp_login *l)
{
	struct error e;

	if (l->flow)
		return;
	if (open_redirect(l, &e) == OK) {
		flow_begin(l);
		return;
	}
	note_error(l, str_from(e.message));
	tell(l);
}

void mcp_login_begin(struct mcp_login *l)
{
	l->is_declined = false;
	l->step_ups = 0;
	if (l->flow)
		tell(l); /* the same page serves everyone who asks for it */
	mcp_login_ask(l);
}

enum err mcp_login_answer(struct mcp_login *l, struct str redirected, struct error *e)
{
	enum err code = l->flow ? login_flow_redirected(l->flow, redirected, e)
	                        : fail(e, ERR_INVALID, "no login waits for a redirect");

	if (!code)
		flow_continue(l);
	return code;
}

void mcp_login_decline(struct mcp_login *l)
{
	l->is_declined = true;
	if (l->flow)
		flow_fail(l, STR("the user declined to sign in"));
}

/* ---- renewing ---- */

static void renew_now(struct mcp_login *l)
{
	CLEANUP(buf_done) struct buf body = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_request r = { .url = l->record.token_url,
		                   .content_type = STR("application/x-www-form-urlencoded"),
		                   .authorization = login_message_basic(mem, &l->record.client),
		                   .is_named_by_peer = true };

	loop_timer_stop(&l->renew);
	login_message_write_refresh(&body, &l->record.client, l->record.refresh,
	                            l->record.resource);
	r.body = buf_str(&body);
	if (!send_request(l, &r, &l->renewing, &renewing_sink))
		note_error(l, STR("the token endpoint is at an address that is not public; "
		                  "peers.allow_hosts can permit it"));
	explicit_bzero(body.ptr, body.len);
}

static void on_renew(struct loop_timer *t)
{
	struct mcp_login *l = OWNER_OF(t, struct mcp_login, renew);

	if (!l->renewing.http && str_is(l->record.refresh))
		renew_now(l);
}

/* Before it expires: a minute, or a fifth of a short life. */
static void renew_later(struct mcp_login *l)
{
	int64_t left = l->record.expires_at_ms - clock_wall_ms();

	loop_timer_stop(&l->renew);
	if (!str_is(l->record.refresh) || !l->record.expires_at_ms)
		return;
	loop_timer_start(l->all->o.loop, &l->renew, MAX(left - MIN(EARLY_MS, left / 5), 0),
	                 on_renew);
}

/* The grant is over.  The client stays registered; a person has to sign in. */
static void renew_refused(struct mcp_login *l, struct str why)
{
	struct login_record r = l->record;

	r.access = r.refresh = STR_NONE;
	r.expires_at_ms = 0;
	(void)store_record(l, &r);
	wipe(&l->header);
	note_error(l, why);
}

/* An expired token is not sent any more. */
static void renew_failed(struct mcp_login *l, struct str why)
{
	int64_t wait = AGAIN_MS;

	for (unsigned i = 0; i < l->failures && wait < AGAIN_MAX_MS; i++)
		wait *= 2;
	l->failures++;
	note_error(l, why);
	if (l->record.expires_at_ms && l->record.expires_at_ms <= clock_wall_ms())
		wipe(&l->header);
	loop_timer_start(l->all->o.loop, &l->renew, MIN(wait, AGAIN_MAX_MS), on_renew);
}

static void renewed(struct mcp_login *l, const struct login_tokens *t)
{
	struct login_record r = l->record;

	r.access = t->access;
	if (str_is(t->refresh))
		r.refresh = t->refresh;
	r.expires_at_ms = expiry_of(t->expires_in_s);
	if (!store_record(l, &r)) {
		renew_failed(l, str_from(l->error));
		return;
	}
	l->failures = 0;
	l->error[0] = 0;
	renew_later(l);
}

static void on_renewing_end(void *owner, const struct http_client_end *end)
{
	struct mcp_login *l = owner;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_tokens t;
	struct error e;
	enum login_answer answer = LOGIN_ANSWER_FAILED;

	l->renewing.http = NULL;
	if (end->result == HTTP_CLIENT_OK)
		answer = login_message_read_tokens(mem, l->renewing.status,
		                                   buf_str(&l->renewing.answer), &t, &e);
	else
		(void)!fail(&e, ERR_IO, "%.*s", STR_ARG(end->message));
	wipe(&l->renewing.answer);
	if (answer == LOGIN_ANSWER_TOKENS)
		renewed(l, &t);
	else if (answer == LOGIN_ANSWER_REFUSED)
		renew_refused(l, str_from(e.message));
	else
		renew_failed(l, str_from(e.message));
	if (list_is_empty(&l->watches))
		login_free(l);
	else
		tell(l);
}

/* ---- refusals of the server ---- */

static void keep_challenge(struct mcp_login *l, struct str header)
{
	struct arena *old = l->challenge_mem;

	l->challenge_mem = arena_new();
	login_challenge_read(l->challenge_mem, header, &l->challenge);
	arena_free(old);
}

/* A 403 leads to a login only if it names scopes that were not requested before. */
static enum mcp_login_verdict judge_scope(struct mcp_login *l)
{
	if (!login_challenge_wants_scope(&l->challenge) || !mcp_login_has_token(l) ||
	    l->is_declined || l->step_ups >= STEP_UPS_MAX || !str_is(l->challenge.scope) ||
	    login_url_scope_covers(l->record.scopes, l->challenge.scope))
		return MCP_LOGIN_NO;
	l->step_ups++;
	return MCP_LOGIN_PERSON;
}

/* A token that was refused although it was renewed a moment ago counts as fruitless. */
enum mcp_login_verdict mcp_login_refused(struct mcp_login *l, unsigned generation, int status,
                                         struct str challenge)
{
	bool has_token = mcp_login_has_token(l);

	if (has_token && generation != l->generation)
		return MCP_LOGIN_AGAIN;
	keep_challenge(l, challenge);
	if (status == 403)
		return judge_scope(l);
	if (l->renewing.http)
		return MCP_LOGIN_LATER;
	l->fruitless += has_token;
	if (str_is(l->record.refresh) && l->fruitless <= FRUITLESS_MAX) {
		renew_now(l);
		if (l->renewing.http)
			return MCP_LOGIN_LATER;
	}
	/* The token is of no use: it is neither sent nor renewed until a person has signed in. */
	loop_timer_stop(&l->renew);
	wipe(&l->header);
	return l->is_declined ? MCP_LOGIN_NO : MCP_LOGIN_PERSON;
}

void mcp_login_worked(struct mcp_login *l)
{
	l->fruitless = 0;
}

/* ---- reading ---- */

enum mcp_login_state mcp_login_state(const struct mcp_login *l)
{
	if (l->flow)
		return login_flow_state(l->flow) == LOGIN_ASKING ? MCP_LOGIN_ASKING
		                                                 : MCP_LOGIN_WORKING;
	return l->renewing.http         ? MCP_LOGIN_RENEWING
	       : mcp_login_has_token(l) ? MCP_LOGIN_VALID
	                                : MCP_LOGIN_NONE;
}

bool mcp_login_is_renewing(const struct mcp_login *l)
{
	return l->renewing.http != NULL;
}

bool mcp_login_is_busy(const struct mcp_logins *all)
{
	LIST_EACH (&all->all, node)
		if (mcp_login_is_renewing(LIST_ITEM(node, struct mcp_login, node)))
			return true;
	return false;
}

bool mcp_login_is_pending(const struct mcp_login *l)
{
	return l->flow != NULL;
}

bool mcp_login_has_token(const struct mcp_login *l)
{
	return l->header.len > 0;
}

bool mcp_login_can_renew(const struct mcp_login *l)
{
	return str_is(l->record.refresh);
}

bool mcp_login_is_declined(const struct mcp_login *l)
{
	return l->is_declined;
}

unsigned mcp_login_generation(const struct mcp_login *l)
{
	return l->generation;
}

struct str mcp_login_header(const struct mcp_login *l)
{
	return l->header.len ? buf_str(&l->header) : STR_NONE;
}

struct str mcp_login_error(const struct mcp_login *l)
{
	return l->error[0] ? str_from(l->error) : STR_NONE;
}

struct str mcp_login_url(const struct mcp_login *l)
{
	return l->flow ? login_flow_url(l->flow) : STR_NONE;
}

struct str mcp_login_redirect_uri(const struct mcp_login *l)
{
	return l->redirect ? mcp_redirect_uri(l->redirect) : STR_NONE;
}

/* ---- forgetting ---- */

static void on_revoked_head(void *owner, const struct http_client_head *h)
{
	(void)owner, (void)h;
}

static size_t on_revoked_body(void *owner, struct str bytes)
{
	(void)owner;
	return bytes.len;
}

static void on_revoked_end(void *owner, const struct http_client_end *e)
{
	(void)owner, (void)e;
}

/* Whether the server hears it makes no difference here: the tokens are forgotten. */
static void revoke(struct mcp_login *l)
{
	static const struct http_client_sink nothing = { on_revoked_head, on_revoked_body,
		                                         on_revoked_end };
	CLEANUP(buf_done) struct buf body = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct call ignored = { .status = 0 };
	struct login_request r = { .url = l->record.revoke_url,
		                   .content_type = STR("application/x-www-form-urlencoded"),
		                   .authorization = login_message_basic(mem, &l->record.client),
		                   .is_named_by_peer = true };

	login_message_write_revoke(&body, &l->record.client,
	                           str_is(l->record.refresh) ? l->record.refresh
	                                                     : l->record.access);
	r.body = buf_str(&body);
	(void)!send_request(l, &r, &ignored, &nothing);
	explicit_bzero(body.ptr, body.len);
}

enum err mcp_login_forget(struct mcp_login *l, struct error *e)
{
	enum err code = OK;

	if (l->flow)
		flow_end(l);
	call_drop(&l->renewing);
	loop_timer_stop(&l->renew);
	if (l->record_mem && mcp_login_has_token(l) && str_is(l->record.revoke_url))
		revoke(l);
	if (l->record_mem)
		code = login_store_remove(l->all->dir, &l->record, e);
	drop_record(l);
	l->generation++;
	l->error[0] = 0;
	tell(l);
	return code;
}

/* ---- all of them ---- */

static struct login_known keep_known(struct arena *mem, const struct login_known *k)
{
	return (struct login_known){ .issuer = arena_keep(mem, k->issuer),
		                     .client = { .id = arena_keep(mem, k->client.id),
		                                 .secret = arena_keep(mem, k->client.secret) } };
}

/* A token that is not known to be valid is not sent; the refresh begins at once. */
static void load_record(struct mcp_login *l)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_record r;
	struct error e;

	if (login_store_find(mem, l->all->dir, l->target.url, l->target.configured.client.id, &r,
	                     &e) != OK)
		return;
	take_record(l, &r);
	if (r.expires_at_ms && r.expires_at_ms <= clock_wall_ms() && str_is(r.refresh))
		wipe(&l->header);
	renew_later(l);
}

static struct mcp_login *login_new(struct mcp_logins *all, const struct mcp_login_target *t)
{
	struct arena *mem = arena_new();
	struct mcp_login *l = ARENA_NEW(mem, struct mcp_login);

	l->mem = mem;
	l->all = all;
	l->target = (struct mcp_login_target){ .url = arena_keep(mem, t->url),
		                               .is_guarded = t->is_guarded,
		                               .configured = keep_known(mem, &t->configured) };
	list_init(&l->watches);
	list_add(&all->all, &l->node);
	load_record(l);
	return l;
}

static void login_free(struct mcp_login *l)
{
	flow_end(l);
	mcp_redirect_free(l->leaving);
	call_drop(&l->renewing);
	loop_timer_stop(&l->news);
	loop_timer_stop(&l->renew);
	drop_record(l);
	arena_free(l->challenge_mem);
	list_remove(&l->node);
	arena_free(l->mem);
}

static bool is_target(const struct mcp_login *l, const struct mcp_login_target *t)
{
	return str_eq(l->target.url, t->url) &&
	       str_eq(l->target.configured.client.id, t->configured.client.id);
}

void mcp_login_join(struct mcp_logins *all, const struct mcp_login_target *t,
                    struct mcp_login_watch *w)
{
	w->login = NULL;
	LIST_EACH (&all->all, node)
		if (is_target(LIST_ITEM(node, struct mcp_login, node), t))
			w->login = LIST_ITEM(node, struct mcp_login, node);
	if (!w->login)
		w->login = login_new(all, t);
	/* An address that the user configured needs no guard, even if a project names it too. */
	w->login->target.is_guarded &= t->is_guarded;
	list_add(&w->login->watches, &w->node);
}

/* Without a user nothing is renewed; the file stays.  A refresh that was sent is awaited: it may bring a rotated token. */
void mcp_login_leave(struct mcp_login_watch *w)
{
	struct mcp_login *l = w->login;

	if (!l)
		return;
	w->login = NULL;
	list_remove(&w->node);
	if (list_is_empty(&l->watches) && !l->renewing.http)
		login_free(l);
}

enum err mcp_login_check_document_url(struct str url, struct error *e)
{
	return !url.len || login_message_is_document_url(url)
	               ? OK
	               : fail(e, ERR_INVALID,
	                      "mcp.client_id_url is an https:// address with a path");
}

struct mcp_logins *mcp_login_open(const struct mcp_login_options *o)
{
	struct arena *mem = arena_new();
	struct mcp_logins *all = ARENA_NEW(mem, struct mcp_logins);
	struct error ignored; /* the rules were read before, by mcp_config_read() */

	all->mem = mem;
	all->o = *o;
	all->o.version = arena_keep(mem, o->version);
	all->o.document_url = arena_keep(mem, o->document_url);
	all->dir = arena_printf(mem, "%.*s/logins", STR_ARG(o->data_dir));
	list_init(&all->all);
	(void)!host_rule_read_all(mem, o->peer_hosts, o->peer_host_count, &all->rules, &ignored);
	return all;
}

void mcp_login_close(struct mcp_logins *all)
{
	if (!all)
		return;
	while (!list_is_empty(&all->all))
		login_free(LIST_ITEM(all->all.next, struct mcp_login, node));
	arena_free(all->mem);
}

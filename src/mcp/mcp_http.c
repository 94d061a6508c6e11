/*
 * A server with an address: one HTTP exchange per message, and one stream for what the server says
 * by itself.
 *
 *   line ──► POST ──► one JSON text, or a stream of events ──► lines ──► mcp_protocol_feed()
 *                          │ breaks
 *                          ├─ 2025-11-25 with an event id: GET with Last-Event-ID, after `retry`
 *                          └─ else: mcp_protocol_lose(), once
 *
 * No request is sent twice by itself: a call that may have run is lost.  Nothing here is contained
 * by a sandbox; addresses of a project's file pass the guard of the client.
 *
 * A callback may close the exchange it came from.  `current` is that exchange, and it is freed when
 * the callback returns.
 */
#include "base/os/clock.h"
#include "mcp/mcp_int.h"

#include <strings.h>

#define CONNECT_MS 10000
#define NOTE_MS 30000     /* of a message without an answer */
#define FAREWELL_MS 2000  /* of the DELETE of a session */
#define EXCHANGES_MAX 256 /* at the same time */
#define RESUMES_MAX 5     /* of one stream, without a message in between */
#define AGAIN_MS 1000     /* before a stream is opened again, unless the server says when */
#define AGAIN_MIN_MS 100
#define AGAIN_MAX_MS 60000
#define RETRY_MAX_MS 3600000 /* of what a server may say */
#define FLOOD_WINDOW_MS 250
#define FLOOD_BYTES (16 << 20)

/* What an exchange is for. */
enum exchange_kind {
	REQUEST, /* a POST with an id, and the GETs that resume its stream */
	NOTE,    /* a POST without an answer */
	GREETED, /* notifications/initialized: later lines wait for its end */
	UNASKED, /* the GET stream of 2025-11-25 */
};

struct exchange {
	struct list node;
	struct mcp_http *http;
	struct arena *mem;
	enum exchange_kind kind;
	struct mcp_http_line line;
	struct http_client_call *call; /* NULL: waits to be resumed, or ended */
	struct mcp_http_reader reader;
	struct str location;
	int status; /* 0: no response yet */
	unsigned resumes;
	struct loop_timer again;
	bool is_over, is_held;
	struct str body;      /* as it was sent; absent: a GET */
	unsigned generation;  /* of the login's token */
	struct buf challenge; /* WWW-Authenticate, several with commas between */
	bool is_parked;       /* refused; sent again with another token */
	bool awaits_person;   /* and not only a refresh */
};

struct waiting_line {
	struct list node;
	struct str text;
};

struct mcp_http {
	struct mcp_server *server;
	struct arena *mem;
	struct list exchanges;
	size_t count;
	struct exchange *current; /* whose callback runs */
	struct buf session;
	struct list waiting; /* struct waiting_line, until the greeting is over */
	struct arena *waiting_mem;
	bool is_greeting;
	struct loop_timer listen, flood;
	unsigned listens; /* streams that ended, one after the other */
	int64_t flood_since, flood_bytes;
};

static void exchange_start(struct exchange *x, struct str body);
static void http_send(struct mcp_server *s, struct str line);

static bool is_older(const struct mcp_http *h)
{
	return mcp_protocol_version(h->server->connection) == MCP_2025_11_25;
}

/* ---- exchanges ---- */

static struct exchange *exchange_new(struct mcp_http *h, enum exchange_kind kind)
{
	struct arena *mem = arena_new();
	struct exchange *x = ARENA_NEW(mem, struct exchange);

	x->mem = mem;
	x->http = h;
	x->kind = kind;
	x->reader.max = LIMIT_MCP_MESSAGE_BYTES;
	list_add(&h->exchanges, &x->node);
	h->count++;
	return x;
}

static void exchange_free(struct exchange *x)
{
	loop_timer_stop(&x->again);
	if (x->call)
		http_client_cancel(x->call);
	list_remove(&x->node);
	x->http->count--;
	mcp_http_message_done(&x->reader);
	buf_done(&x->challenge);
	arena_free(x->mem);
}

/* Closing the connection is the cancellation of 2026-07-28. */
static void exchange_close(struct exchange *x)
{
	if (x == x->http->current)
		x->is_over = true;
	else
		exchange_free(x);
}

/* ---- streams that are opened again ---- */

static int64_t again_after(const struct exchange *x, unsigned tries)
{
	int64_t ms = x->reader.sse.retry_ms;

	if (ms)
		return MIN(MAX(ms, AGAIN_MIN_MS), RETRY_MAX_MS);
	ms = AGAIN_MS;
	for (unsigned i = 0; i < tries && ms < AGAIN_MAX_MS; i++)
		ms *= 2;
	return MIN(ms, AGAIN_MAX_MS);
}

static void on_again(struct loop_timer *t)
{
	exchange_start(OWNER_OF(t, struct exchange, again), STR_NONE);
}

/* The event id is kept; the parser starts at the beginning of the next stream. */
static void expect_response(struct exchange *x)
{
	struct sse_parser next = { .max = x->reader.max, .retry_ms = x->reader.sse.retry_ms };
	struct str id = mcp_http_message_event_id(&x->reader);

	if (str_is(id)) {
		buf_add_str(&next.id, id);
		next.has_id = true;
	}
	mcp_http_message_done(&x->reader);
	x->reader = (struct mcp_http_reader){ .max = x->reader.max, .sse = next };
	x->status = 0;
}

static void resume_later(struct exchange *x)
{
	int64_t wait = again_after(x, x->resumes++);

	expect_response(x);
	loop_timer_start(x->http->server->set->o.loop, &x->again, wait, on_again);
}

static void open_unasked(struct mcp_http *h)
{
	exchange_start(exchange_new(h, UNASKED), STR_NONE);
}

static void on_listen(struct loop_timer *t)
{
	struct mcp_http *h = OWNER_OF(t, struct mcp_http, listen);

	mcp_protocol_listen(h->server->connection);
	/* What changed meanwhile was not announced. */
	mcp_server_relist(h->server);
}

static void listen_later(struct exchange *x)
{
	struct mcp_http *h = x->http;

	loop_timer_start(h->server->set->o.loop, &h->listen, again_after(x, h->listens++),
	                 on_listen);
}

/* ---- the session ---- */

/* An exchange of a session that is over.  Its call may have run. */
static void exchange_drop(struct exchange *x)
{
	struct mcp_protocol *t = x->http->server->connection;
	bool is_call = x->kind == REQUEST && str_eq(x->line.method, STR("tools/call"));
	int64_t id = x->line.id;

	exchange_free(x);
	if (is_call)
		mcp_protocol_lose(t, id, true, STR("the server began a new session"));
}

static void renew_session(struct mcp_http *h, int64_t id)
{
	struct mcp_server *s = h->server;
	struct list old;

	buf_clear(&h->session);
	h->is_greeting = false;
	arena_free(h->waiting_mem);
	h->waiting_mem = NULL;
	list_init(&h->waiting);
	list_init(&old);
	LIST_EACH_SAFE (&h->exchanges, node, next)
		if (LIST_ITEM(node, struct exchange, node) != h->current) {
			list_remove(node);
			list_add(&old, node);
		}
	mcp_server_wait(s, LIMIT_MCP_START_MS);
	/* First the next session: calls that begin when others are lost wait for it. */
	mcp_protocol_renew(s->connection, id);
	while (!list_is_empty(&old))
		exchange_drop(LIST_ITEM(old.next, struct exchange, node));
}

/* Lines that the server must not get before it knows that the session has begun. */
static void send_waiting(struct mcp_http *h)
{
	struct arena *mem = h->waiting_mem;

	h->is_greeting = false;
	h->waiting_mem = NULL;
	while (!list_is_empty(&h->waiting)) {
		struct waiting_line *w = LIST_ITEM(h->waiting.next, struct waiting_line, node);

		list_remove(&w->node);
		http_send(h->server, w->text);
	}
	arena_free(mem);
}

static void keep_waiting(struct mcp_http *h, struct str line)
{
	struct waiting_line *w;

	if (!h->waiting_mem)
		h->waiting_mem = arena_new();
	w = ARENA_NEW(h->waiting_mem, struct waiting_line);
	w->text = arena_keep(h->waiting_mem, line);
	list_add(&h->waiting, &w->node);
}

/* ---- what the server sends ---- */

static void on_line(void *arg, struct str line)
{
	struct exchange *x = arg;

	if (x->is_over)
		return;
	x->resumes = 0;
	x->http->listens = 0;
	mcp_protocol_feed_of(x->http->server->connection, x->line.id, line);
}

static void keep_challenges(struct exchange *x, const struct http_client_head *head)
{
	buf_clear(&x->challenge);
	for (size_t i = 0; i < head->header_count; i++) {
		if (head->headers[i].name.len != 16 ||
		    strncasecmp(head->headers[i].name.ptr, "www-authenticate", 16) != 0)
			continue;
		if (x->challenge.len)
			buf_add_c(&x->challenge, ", ");
		buf_add_str(&x->challenge, head->headers[i].value);
	}
}

/* An id that is no value of a header would be sent back with every request, so it ends the connection. */
static void begin_session(struct exchange *x, struct str session)
{
	if (mcp_http_message_is_session(session)) {
		buf_clear(&x->http->session);
		buf_add_str(&x->http->session, session);
		return;
	}
	mcp_server_fail(x->http->server,
	                STR("its Mcp-Session-Id is invalid: it has to be of visible "
	                    "ASCII characters, at most 1024"));
	x->is_over = true;
}

static void on_head(void *owner, const struct http_client_head *head)
{
	struct exchange *x = owner;
	struct str session = http_client_head_get(head, STR("mcp-session-id"));
	struct mcp_login *login = x->http->server->login.login;

	x->status = head->status;
	if (head->status == 401 || head->status == 403)
		keep_challenges(x, head);
	else if (login && head->status / 100 == 2 && str_is(mcp_login_header(login)))
		mcp_login_worked(login);
	x->location = arena_keep(x->mem, http_client_head_get(head, STR("location")));
	mcp_http_message_begin(&x->reader, head->status / 100 == 2
	                                           ? http_client_head_get(head, STR("content-type"))
	                                           : STR_NONE);
	if (session.len && str_is(x->line.method) && str_eq(x->line.method, STR("initialize")))
		begin_session(x, session);
}

static void on_calm(struct loop_timer *t)
{
	struct mcp_http *h = OWNER_OF(t, struct mcp_http, flood);

	h->flood_bytes = 0;
	h->flood_since = clock_mono_ms();
	LIST_EACH (&h->exchanges, node) {
		struct exchange *x = LIST_ITEM(node, struct exchange, node);

		if (x->is_held && x->call)
			http_client_resume(x->call);
		x->is_held = false;
	}
}

/* Slows down reading from a server that floods, so that others get their turn. */
static void limit_flood(struct exchange *x, size_t bytes)
{
	struct mcp_http *h = x->http;
	int64_t now = clock_mono_ms();

	if (now - h->flood_since > FLOOD_WINDOW_MS) {
		h->flood_since = now;
		h->flood_bytes = 0;
	}
	h->flood_bytes += (int64_t)bytes;
	if (h->flood_bytes <= FLOOD_BYTES || !x->call)
		return;
	x->is_held = true;
	http_client_pause(x->call);
	if (!loop_timer_is_running(&h->flood))
		loop_timer_start(h->server->set->o.loop, &h->flood, FLOOD_WINDOW_MS, on_calm);
}

static void exchange_lose(struct exchange *x, bool was_sent, struct str why)
{
	mcp_protocol_lose(x->http->server->connection, x->line.id, was_sent, why);
}

/* Frees the exchange if it is over: its request was answered, or it was closed. */
static void exchange_settle(struct exchange *x)
{
	struct mcp_http *h = x->http;

	h->current = NULL;
	if (!x->is_over && x->kind == REQUEST &&
	    !mcp_protocol_awaits(h->server->connection, x->line.id)) {
		x->is_over = true;
		if (x->call)
			http_client_release(x->call); /* it usually ends by itself now */
		x->call = NULL;
	}
	if (x->is_over)
		exchange_free(x);
}

static size_t on_body(void *owner, struct str bytes)
{
	struct exchange *x = owner;

	x->http->current = x;
	if (!mcp_http_message_feed(&x->reader, bytes, on_line, x)) {
		exchange_lose(x, true, STR("a message of it is larger than it may be"));
		x->is_over = true;
	}
	if (!x->is_over)
		limit_flood(x, bytes.len);
	exchange_settle(x);
	return bytes.len;
}

/* ---- the end of an exchange ---- */

/* Whether the request cannot have reached the server. */
static bool is_unsent(enum http_client_result r)
{
	return r == HTTP_CLIENT_NO_LIBRARY || r == HTTP_CLIENT_INVALID ||
	       r == HTTP_CLIENT_RESOLVE || r == HTTP_CLIENT_FORBIDDEN || r == HTTP_CLIENT_CONNECT ||
	       r == HTTP_CLIENT_TLS || r == HTTP_CLIENT_UNTRUSTED ||
	       r == HTTP_CLIENT_TIMEOUT_CONNECT;
}

/* The server cannot be reached: the connection ends and is begun again, with growing delays. */
static void end_unreached(struct exchange *x, struct str why)
{
	exchange_lose(x, x->resumes > 0, why);
	mcp_server_fail(x->http->server, why);
	x->is_over = true;
}

/* A status that is no answer to the probe of the newer revision. */
static bool is_no_answer(const struct exchange *x)
{
	return x->status >= 300 && str_eq(x->line.method, STR("server/discover")) &&
	       !mcp_http_message_means_older(x->status);
}

static void end_refused(struct exchange *x)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct mcp_server *s = x->http->server;

	if (is_no_answer(x) || x->status / 100 == 3 || x->status == 401) {
		struct str why = mcp_http_message_status(x->mem, x->status, x->location);

		exchange_lose(x, false, why);
		mcp_server_fail(s, why);
		return;
	}
	mcp_http_message_write_refusal(&line, x->line.id, x->status, buf_str(&x->reader.body));
	mcp_protocol_feed(s->connection, buf_str(&line));
}

/* A stream that ended, or broke, before the answer. */
static void end_unanswered(struct exchange *x, struct str why)
{
	struct mcp_http *h = x->http;
	bool was_listening = str_eq(x->line.method, STR("subscriptions/listen"));

	if (is_older(h) && str_is(mcp_http_message_event_id(&x->reader)) &&
	    x->resumes < RESUMES_MAX) {
		resume_later(x);
		return;
	}
	if (was_listening)
		listen_later(x);
	else if (str_eq(x->line.method, STR("tools/call")))
		mcp_server_relist(h->server); /* finds out whether the server is still there */
	exchange_lose(x, true, why);
	x->is_over = true;
}

static void end_request(struct exchange *x, const struct http_client_end *end)
{
	struct mcp_server *s = x->http->server;
	bool is_whole = end->result == HTTP_CLIENT_OK;

	if (is_whole && x->status >= 300 && !x->resumes)
		end_refused(x);
	else if (is_whole && x->status < 300)
		mcp_http_message_end(&x->reader, on_line, x);
	if (!x->is_over && mcp_protocol_awaits(s->connection, x->line.id))
		end_unanswered(x, is_whole ? STR("its response holds no answer") : end->message);
}

/* Without a stream of its own the server can still answer requests. */
static void end_unasked(struct exchange *x)
{
	bool is_cut = !x->status && x->resumes < RESUMES_MAX;

	if (is_cut || (x->status / 100 == 2 && x->reader.is_stream)) {
		if (!str_is(mcp_http_message_event_id(&x->reader)))
			mcp_server_relist(x->http->server);
		resume_later(x);
	} else {
		x->is_over = true;
	}
}

static void end_greeted(struct exchange *x, const struct http_client_end *end)
{
	struct mcp_http *h = x->http;
	struct str why =
		x->status ? mcp_http_message_status(x->mem, x->status, x->location) : end->message;

	x->is_over = true;
	if (x->status / 100 != 2) {
		mcp_server_fail(h->server, arena_printf(x->mem, "notifications/initialized: %.*s",
		                                        STR_ARG(why)));
		return;
	}
	send_waiting(h);
	open_unasked(h);
}

/*
 * Whether the server does not know the session any more.  Some answer so to a GET although they
 * only offer no stream.
 */
static bool is_forgotten(const struct exchange *x)
{
	const struct mcp_http *h = x->http;

	return x->status == 404 && h->session.len && is_older(h) &&
	       (x->kind != UNASKED || x->resumes);
}

/* ---- logins ---- */

/* Nothing was done by a server that refused the request, so it may be sent again. */
static void send_again(struct exchange *x)
{
	x->is_parked = x->awaits_person = false;
	expect_response(x);
	exchange_start(x, x->body);
}

/* A call asks in its turn; anything else ends the connection until a person has signed in. */
static void await_person(struct exchange *x)
{
	struct mcp_server *s = x->http->server;

	x->awaits_person = x->kind == REQUEST && mcp_call_login_wanted(s, x->line.id);
	x->is_parked = x->awaits_person; /* unless the call has ended meanwhile: is_over */
	if (x->awaits_person)
		return;
	x->is_over = true;
	if (x->kind == REQUEST || x->kind == GREETED)
		mcp_server_need_login(s);
}

/* False: it is no matter of a login. */
static bool end_challenged(struct exchange *x)
{
	struct mcp_login *l = x->http->server->login.login;

	if (!l || (x->status != 401 && x->status != 403))
		return false;
	switch (mcp_login_refused(l, x->generation, x->status, buf_str(&x->challenge))) {
	case MCP_LOGIN_AGAIN:
		send_again(x);
		return true;
	case MCP_LOGIN_LATER:
		x->is_parked = true;
		return true;
	case MCP_LOGIN_PERSON:
		await_person(x);
		return true;
	default:
		return false;
	}
}

/* The token could not be renewed: for now, or for good. */
static void end_parked(struct exchange *x)
{
	struct mcp_server *s = x->http->server;
	struct str why = arena_keep(x->mem, mcp_login_error(s->login.login));

	x->is_parked = false;
	if (!mcp_login_can_renew(s->login.login)) {
		await_person(x);
		return;
	}
	exchange_lose(x, false, why);
	mcp_server_fail(s,
	                arena_printf(x->mem, "its login could not be renewed: %.*s", STR_ARG(why)));
	x->is_over = true;
}

/* Calls that wait for a person are ended by mcp_call.c. */
static void login_changed(struct exchange *x)
{
	const struct mcp_login *l = x->http->server->login.login;

	if (mcp_login_has_token(l) && mcp_login_generation(l) != x->generation)
		send_again(x);
	else if (!x->awaits_person && !mcp_login_is_renewing(l))
		end_parked(x);
}

void mcp_http_login_changed(struct mcp_server *s)
{
	struct mcp_http *h = s->http;

	if (!h)
		return;
	LIST_EACH_SAFE (&h->exchanges, node, next) {
		struct exchange *x = LIST_ITEM(node, struct exchange, node);

		if (!x->is_parked)
			continue;
		h->current = x;
		login_changed(x);
		h->current = NULL;
		if (x->is_over)
			exchange_free(x);
	}
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct exchange *x = owner;
	struct mcp_http *h = x->http;

	x->call = NULL;
	h->current = x;
	if (is_unsent(end->result))
		end_unreached(x, end->message);
	else if (end->result == HTTP_CLIENT_OK && end_challenged(x))
		; /* it waits, or is over */
	else if (is_forgotten(x)) {
		renew_session(h, x->line.id);
		x->is_over = true;
	} else if (x->kind == REQUEST)
		end_request(x, end);
	else if (x->kind == GREETED)
		end_greeted(x, end);
	else if (x->kind == UNASKED)
		end_unasked(x);
	else
		x->is_over = true;
	exchange_settle(x);
}

static const struct http_client_sink sink = { .head = on_head, .body = on_body, .end = on_end };

/* ---- sending ---- */

/* The schema that the tool was offered with: its annotations name what is mirrored. */
static struct json schema_of(struct arena *mem, const struct mcp_server *s, struct str tool)
{
	struct json v = { NULL };
	struct error ignored;

	for (size_t i = 0; str_is(tool) && i < s->offer_count; i++)
		if (str_eq(s->offers[i].tool.name, tool) &&
		    json_read(mem, s->offers[i].tool.input_schema, &v, &ignored) == OK)
			return v;
	return (struct json){ NULL };
}

static size_t write_headers(struct exchange *x, bool is_get, struct http_client_header *at)
{
	struct mcp_server *s = x->http->server;
	bool is_first = str_eq(x->line.method, STR("initialize"));
	struct mcp_http_context c = {
		.version = is_first ? STR_NONE : mcp_protocol_agreed(s->connection),
		.session =
			x->http->session.len && !is_first ? buf_str(&x->http->session) : STR_NONE,
		.last_event_id = is_get ? mcp_http_message_event_id(&x->reader) : STR_NONE,
		.is_get = is_get,
	};
	size_t count = mcp_http_message_headers(x->mem, &c, &x->line,
	                                        schema_of(x->mem, s, x->line.name), at);

	for (size_t i = 0; i < s->c.header_count; i++)
		at[count++] = s->c.headers[i];
	if (s->login.login && mcp_login_has_token(s->login.login))
		at[count++] = (struct http_client_header){ STR("Authorization"),
			                                   mcp_login_header(s->login.login) };
	return count;
}

/* Addresses of the user's own settings need no guard. */
static void send_http(struct mcp_server *s, struct http_client_request *r,
                      const struct http_client_sink *to, struct exchange *x)
{
	struct http_client_guard guard = { .host = s->c.host, .rules = s->set->peer_rules };
	struct http_client_call *call;

	r->url = s->c.url;
	r->connect_ms = CONNECT_MS;
	r->guard = s->c.is_project ? &guard : NULL;
	call = http_client_send(s->set->o.http_client, r, to, x);
	if (x)
		x->call = call;
}

/* An absent body is a GET: the stream of the server's own, or a stream that is resumed. */
static void exchange_start(struct exchange *x, struct str body)
{
	struct mcp_server *s = x->http->server;
	struct http_client_header *headers = ARENA_ARRAY(
		x->mem, struct http_client_header, MCP_HTTP_HEADERS_MAX + 1 + s->c.header_count);
	bool is_get = !str_is(body), is_note = x->kind == NOTE || x->kind == GREETED;
	struct http_client_request r = {
		.method = is_get ? STR("GET") : STR("POST"),
		.headers = headers,
		.header_count = write_headers(x, is_get, headers),
		.total_ms = is_note ? NOTE_MS : 0,
		.is_once = str_eq(x->line.method, STR("tools/call")),
	};

	if (!is_get)
		buf_add_str(&r.body, body);
	/* A request that may be refused is kept, to be sent again. */
	if (s->login.login && !is_get && !str_is(x->body))
		x->body = arena_keep(x->mem, body);
	x->body = is_get ? STR_NONE : x->body;
	x->generation = s->login.login ? mcp_login_generation(s->login.login) : 0;
	send_http(s, &r, &sink, x);
}

static void close_request(struct mcp_http *h, int64_t id)
{
	LIST_EACH_SAFE (&h->exchanges, node, next) {
		struct exchange *x = LIST_ITEM(node, struct exchange, node);

		if (x->kind == REQUEST && x->line.id == id)
			exchange_close(x);
	}
}

static enum exchange_kind kind_of(const struct mcp_http_line *line)
{
	if (line->id)
		return REQUEST;
	return str_eq(line->method, STR("notifications/initialized")) ? GREETED : NOTE;
}

static void http_send(struct mcp_server *s, struct str line)
{
	struct mcp_http *h = s->http;
	struct exchange *x;

	if (!h)
		return;
	if (h->is_greeting) {
		keep_waiting(h, line);
		return;
	}
	if (h->count >= EXCHANGES_MAX) {
		mcp_server_fail(s, STR("it does not answer what it is sent"));
		return;
	}
	x = exchange_new(h, NOTE);
	mcp_http_message_read_line(x->mem, line, &x->line);
	x->kind = kind_of(&x->line);
	h->is_greeting = x->kind == GREETED;
	if (x->line.cancelled)
		close_request(h, x->line.cancelled);
	/* In the newer revision closing the stream cancels, and servers do not ask by requests. */
	if ((x->line.cancelled || !str_is(x->line.method)) && !is_older(h))
		exchange_free(x);
	else
		exchange_start(x, str_head(line, line.len - 1));
}

/* ---- the transport ---- */

static void http_begin(struct mcp_server *s)
{
	struct arena *mem = arena_new();

	if (!s->set->o.http_client) {
		arena_free(mem);
		mcp_server_fail(s, STR("there is no HTTP client"));
		return;
	}
	s->http = ARENA_NEW(mem, struct mcp_http);
	s->http->mem = mem;
	s->http->server = s;
	list_init(&s->http->exchanges);
	list_init(&s->http->waiting);
	mcp_server_converse(s);
}

static void on_farewell_head(void *owner, const struct http_client_head *h)
{
	(void)owner, (void)h;
}

static size_t on_farewell_body(void *owner, struct str bytes)
{
	(void)owner;
	return bytes.len;
}

static void on_farewell_end(void *owner, const struct http_client_end *e)
{
	(void)owner, (void)e;
}

/* Ends the session at the server; whether it hears that makes no difference here. */
static void say_farewell(struct mcp_http *h)
{
	static const struct http_client_sink nothing = { on_farewell_head, on_farewell_body,
		                                         on_farewell_end };
	struct exchange *x = exchange_new(h, NOTE);
	struct http_client_header *headers =
		ARENA_ARRAY(x->mem, struct http_client_header,
	                    MCP_HTTP_HEADERS_MAX + 1 + h->server->c.header_count);
	struct http_client_request r = { .method = STR("DELETE"),
		                         .headers = headers,
		                         .header_count = write_headers(x, true, headers),
		                         .total_ms = FAREWELL_MS,
		                         .response_max = 65536 };

	send_http(h->server, &r, &nothing, NULL);
}

static void http_end(struct mcp_server *s)
{
	struct mcp_http *h = s->http;

	if (!h)
		return;
	s->http = NULL;
	loop_timer_stop(&h->listen);
	loop_timer_stop(&h->flood);
	if (h->session.len)
		say_farewell(h);
	while (!list_is_empty(&h->exchanges))
		exchange_free(LIST_ITEM(h->exchanges.next, struct exchange, node));
	arena_free(h->waiting_mem);
	buf_done(&h->session);
	arena_free(h->mem);
}

const struct mcp_transport mcp_http_transport = { .begin = http_begin,
	                                          .send = http_send,
	                                          .end = http_end };

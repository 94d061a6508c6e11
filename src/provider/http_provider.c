/*
 * A provider over HTTP: builds the request by its dialect, sends it with the
 * HTTP client and delivers the pieces that the dialect reads from the response.
 */
#include "provider/http_provider_int.h"

#include "base/os/log.h"
#include "base/gen/limits.h"
#include "base/memory.h"
#include "provider/http_config.h"
#include "provider/models/effort.h"

#include <stdlib.h>
#include <strings.h>

#define HEADERS_MAX HTTP_PROVIDER_HEADERS_MAX

/* One request.  Either `call` or `later` is active, or it is inside a callback. */
struct model_handle {
	struct list node;
	struct http_provider *p; /* NULL once the provider is closed */
	struct model_sink sink;
	void *owner;
	struct response *response;
	struct secret *lent;           /* the key that the session's client lent; NULL: none */
	struct cloud_pass pass;        /* credentials of a cloud; zeroed: none */
	bool sends_key;                /* a key in a header, although it is a cloud's provider */
	struct outgoing *out;          /* the request, while it may have to be sent (again) */
	struct http_client_call *call; /* NULL: not started, or ended */
	struct loop_timer later;       /* continues without news from the HTTP client */
	bool is_busy;                  /* inside a callback */
	bool is_cancelled;             /* cancelled inside that callback */
	bool is_paused;
};

/* A request that waits for its credentials, or that may have to be sent with others. */
struct outgoing {
	struct arena *mem;
	const struct dialect *dialect;
	struct str base, path, request_id;
	struct trace_headers trace;
	struct buf body;
	bool is_renewed; /* it was sent with two tokens: the next refusal is final */
};

/* ---- keys ---- */

static void drop_key(const struct http_provider *p, struct secret *key)
{
	if (key && p->o.scrub)
		redact_forget(p->o.scrub, keys_secret_for_header(key));
	keys_secret_free(key);
}

static void take_key(struct http_provider *p, struct key_found found)
{
	if (keys_secret_is_same(found.key, p->key.key)) {
		keys_secret_free(found.key);
		found.key = p->key.key;
	} else {
		if (p->key.key) {
			drop_key(p, p->old_key);
			p->old_key = p->key.key;
		}
		if (found.key && p->o.scrub)
			redact_know(p->o.scrub, keys_secret_for_header(found.key));
	}
	p->key = found;
}

/* A local server that the settings do not name is used once it has answered. */
static bool can_be_asked(const struct http_provider *p)
{
	if (p->key.key || p->has_account)
		return true;
	return p->o.needs_no_key && (!p->o.is_implicit || p->is_up);
}

static enum key_origin origin_of(const struct http_provider *p)
{
	if (p->key.key || p->has_account)
		return p->key.origin;
	return p->o.needs_no_key ? KEY_ORIGIN_NOT_NEEDED : 0;
}

/* Kept only if it is new: this is asked often, and p->mem only grows. */
static void keep_text(struct http_provider *p, struct str *kept, struct str text)
{
	if (!str_eq(*kept, text))
		*kept = arena_keep(p->mem, text);
}

/* The daemon's own account; a key in a header counts before it. */
static void look_for_account(struct http_provider *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cloud_found found;

	cloud_look(p->cloud, mem, (struct key_client){ 0 }, p->o.base_url, &found);
	keep_text(p, &p->address, found.address);
	p->has_account = found.is_there && !p->key.key;
	if (!p->has_account)
		return;
	keep_text(p, &p->account_name, found.where.name);
	p->key.origin = found.where.origin;
	p->key.name = p->account_name;
}

/* For every request: a key may be added, changed or removed at any time. */
static void look_for_key(struct http_provider *p)
{
	struct key_source from = { p->o.name, p->o.key_variable, p->o.key_dir,
		                   p->o.other_key_variable };
	struct key_found found = { 0 };
	struct error e;

	/* Google takes tokens only: a key would be a second credential in the same header. */
	if (p->o.account != PROVIDERS_ACCOUNT_GOOGLE && keys_look(&from, &found, &e) != OK &&
	    !p->has_warned) {
		p->has_warned = true;
		log_line(LOG_WARN, "provider", "the key of %.*s: %s", STR_ARG(p->o.name),
		         e.message);
	}
	take_key(p, found);
	if (p->cloud)
		look_for_account(p);
	for (size_t i = 0; i < p->models.count; i++) {
		struct model_info *m = &p->models.items[i];

		m->has_credential = can_be_asked(p);
		m->key_from = origin_of(p);
		m->key_name = p->key.name.len ? p->key.name : p->o.key_variable;
		m->base_url = p->address;
		m->remedy = p->remedy;
		m->is_implicit = p->o.is_implicit;
		m->timeout_ms = p->o.total_ms;
	}
}

static struct str no_key_sentence(const struct http_provider *p, struct arena *mem)
{
	if (p->o.key_variable.len)
		return arena_printf(mem, "there is no key; set %.*s or run: thole auth add %.*s",
		                    STR_ARG(p->o.key_variable), STR_ARG(p->o.name));
	return arena_printf(mem, "there is no key; run: thole auth add %.*s", STR_ARG(p->o.name));
}

static struct str hide_keys(const struct model_handle *h, struct arena *mem, struct str text)
{
	text = keys_secret_hide(h->p->key.key, mem, text);
	text = keys_secret_hide(h->p->old_key, mem, text);
	text = cloud_hide(&h->pass, mem, text);
	return keys_secret_hide(h->lent, mem, text);
}

/* ---- the end ---- */

static void outgoing_free(struct outgoing *out)
{
	if (!out)
		return;
	buf_done(&out->body);
	arena_free(out->mem);
	memory_free(out);
}

static void handle_free(struct model_handle *h)
{
	loop_timer_stop(&h->later);
	response_free(h->response);
	keys_secret_free(h->lent);
	cloud_done(&h->pass);
	outgoing_free(h->out);
	memory_free(h);
}

/*
 * The request leaves the list before the callback, which may close the provider.  A
 * response that ended before its connection did releases the connection for reuse.
 */
static void handle_finish(struct model_handle *h)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_end end;

	response_end(h->response, &end);
	/* A server may quote a refused key in its message. */
	end.message = hide_keys(h, mem, end.message);
	end.raw = hide_keys(h, mem, end.raw);
	list_remove(&h->node);
	if (h->call)
		http_client_release(h->call);
	h->sink.end(h->owner, &end);
	handle_free(h); /* the provider itself may be closed by now */
}

/* ---- pieces ---- */

/* Returns false if the callback cancelled the request. */
static bool deliver_piece(struct model_handle *h, const struct response_piece *piece)
{
	h->is_busy = true;
	h->sink.piece(h->owner, piece->kind, piece->text);
	h->is_busy = false;
	if (!h->is_cancelled)
		return true;
	handle_free(h);
	return false;
}

/*
 * Delivers pieces until the bytes are used up or the caller pauses; returns how many
 * bytes were used.  After RESPONSE_END or a cancellation h is freed, so `given` and not
 * the handle is returned.
 */
static size_t advance(struct model_handle *h, struct str bytes)
{
	size_t given = bytes.len;
	struct response_piece piece;

	while (!h->is_paused) {
		switch (response_next(h->response, &bytes, &piece)) {
		case RESPONSE_MORE:
			return given;
		case RESPONSE_END:
			handle_finish(h);
			return given;
		case RESPONSE_PIECE:
			if (!deliver_piece(h, &piece))
				return given;
			break;
		}
	}
	return given - bytes.len;
}

/*
 * Pieces or the end of a response that needs no more bytes: after resuming, or for a
 * request that was never sent.
 */
static void on_later(struct loop_timer *t)
{
	advance(OWNER_OF(t, struct model_handle, later), STR(""));
}

/* ---- the wire ---- */

static void send_again(struct model_handle *h);

/* A token may be revoked before it expires: the request goes out once more, with a new one. */
static void on_head(void *owner, const struct http_client_head *head)
{
	struct model_handle *h = owner;

	if (head->status == 401 && h->pass.token && !h->out->is_renewed) {
		send_again(h);
		return;
	}
	outgoing_free(h->out);
	h->out = NULL;
	response_head(h->response, head);
}

static size_t on_body(void *owner, struct str bytes)
{
	return advance(owner, bytes);
}

static const struct {
	enum error_category category;
	bool retryable;
	/*
 * Results of the connection, before or instead of a response.  A certificate that is
 * not trusted stays so; other failures of the network may pass.
 */
} troubles[] = {
	[HTTP_CLIENT_NO_LIBRARY] = { ERROR_CATEGORY_UNAVAILABLE, false },
	[HTTP_CLIENT_INVALID] = { ERROR_CATEGORY_INVALID_REQUEST, false },
	[HTTP_CLIENT_RESOLVE] = { ERROR_CATEGORY_NETWORK, true },
	[HTTP_CLIENT_CONNECT] = { ERROR_CATEGORY_NETWORK, true },
	[HTTP_CLIENT_TLS] = { ERROR_CATEGORY_NETWORK, true },
	[HTTP_CLIENT_UNTRUSTED] = { ERROR_CATEGORY_NETWORK, false },
	[HTTP_CLIENT_CUT] = { ERROR_CATEGORY_NETWORK, true },
	[HTTP_CLIENT_NOT_HTTP] = { ERROR_CATEGORY_PROTOCOL, false },
	[HTTP_CLIENT_TOO_LARGE] = { ERROR_CATEGORY_PROTOCOL, false },
	[HTTP_CLIENT_TIMEOUT_CONNECT] = { ERROR_CATEGORY_TIMEOUT, true },
	[HTTP_CLIENT_TIMEOUT_FIRST_BYTE] = { ERROR_CATEGORY_TIMEOUT, true },
	[HTTP_CLIENT_TIMEOUT_STALL] = { ERROR_CATEGORY_TIMEOUT, true },
	[HTTP_CLIENT_TIMEOUT_TOTAL] = { ERROR_CATEGORY_TIMEOUT, true },
	[HTTP_CLIENT_FAILED] = { ERROR_CATEGORY_NETWORK, true },
};

/*
 * The connection is gone, but pieces may remain undelivered; advance() delivers them
 * and then the end.
 */
static void on_end(void *owner, const struct http_client_end *end)
{
	struct model_handle *h = owner;

	h->call = NULL;
	if (end->result == HTTP_CLIENT_OK)
		response_eof(h->response);
	else
		response_break(h->response, troubles[end->result].category,
		               troubles[end->result].retryable, end->message);
	advance(h, STR(""));
}

static const struct http_client_sink http_client_sink = { on_head, on_body, on_end };

/* ---- requests ---- */

/* BASE[?QUERY] and /PATH[?MORE] become BASE/PATH[?QUERY&MORE]. */
struct str http_provider_url(struct arena *mem, struct str base, struct str more)
{
	struct str query = base, more_query = more;
	struct str before = str_cut(&query, '?'), path = str_cut(&more_query, '?');
	bool has_both = str_is(query) && str_is(more_query);

	while (str_ends(before, STR("/")))
		before.len--;
	return arena_printf(mem, "%.*s%.*s%s%.*s%s%.*s", STR_ARG(before), STR_ARG(path),
	                    str_is(query) || str_is(more_query) ? "?" : "", STR_ARG(query),
	                    has_both ? "&" : "", STR_ARG(more_query));
}

/* By the settings. */
static bool is_set(const struct http_provider *p, struct str header)
{
	for (size_t i = 0; i < p->o.header_count; i++)
		if (p->o.headers[i].name.len == header.len &&
		    !strncasecmp(p->o.headers[i].name.ptr, header.ptr, header.len))
			return true;
	return false;
}

/* Headers of the settings come last and may replace the dialect's own header, such as a version. */
size_t http_provider_headers(const struct http_provider *p, const struct dialect *d,
                             struct str accept, struct str credential,
                             struct http_client_header out[HTTP_PROVIDER_HEADERS_MAX])
{
	size_t count = 0;

	out[count++] = (struct http_client_header){ STR("Content-Type"), STR("application/json") };
	out[count++] = (struct http_client_header){ STR("Accept"), accept };
	if (d->header.name.len && !is_set(p, d->header.name))
		out[count++] = d->header;
	if (credential.len)
		out[count++] = (struct http_client_header){
			p->o.key_header.len ? p->o.key_header : STR("Authorization"), credential
		};
	for (size_t i = 0; i < p->o.header_count; i++)
		out[count++] = p->o.headers[i];
	return count;
}

static size_t write_headers(const struct http_provider *p, const struct outgoing *o,
                            struct str credential, struct http_client_header *out)
{
	size_t count = http_provider_headers(p, o->dialect, o->dialect->accept, credential, out);

	if (o->trace.parent.len)
		out[count++] = (struct http_client_header){ STR("traceparent"), o->trace.parent };
	if (o->trace.state.len)
		out[count++] = (struct http_client_header){ STR("tracestate"), o->trace.state };
	if (o->request_id.len)
		out[count++] =
			(struct http_client_header){ STR("X-Client-Request-Id"), o->request_id };
	return count;
}

struct buf http_provider_credential(const struct http_provider *p, const struct secret *key)
{
	struct str text = key ? keys_secret_for_header(key) : STR("");
	struct buf credential = { 0 };

	buf_reserve(&credential, text.len + 7); /* once: a reallocation would leave a copy */
	if (text.len && !p->o.key_header.len)
		buf_add_c(&credential, "Bearer ");
	buf_add_str(&credential, text);
	return credential;
}

void http_provider_wipe(struct buf *credential)
{
	if (credential->ptr)
		explicit_bzero(credential->ptr, credential->cap);
	buf_done(credential);
}

/* The headers of an account are added behind the others, which count Content-Type as their first. */
size_t http_provider_prove(const struct cloud_pass *pass, struct str method, struct str url,
                           struct str body, struct buf *secret, struct http_client_header *headers,
                           size_t count)
{
	struct cloud_request r = { method, url, body, headers[0] };

	return count + (pass->cloud ? cloud_headers(pass, &r, secret, headers + count) : 0);
}

/* The key is copied once into the header's buffer and wiped after the HTTP client has taken it. */
static void send_request(struct model_handle *h)
{
	struct http_provider *p = h->p;
	struct outgoing *o = h->out;
	struct str base = h->pass.cloud ? cloud_base(&h->pass, o->mem, o->base) : o->base;
	bool has_account = h->pass.cloud && !h->sends_key;
	struct buf credential = http_provider_credential(p, has_account ? NULL
	                                                    : h->lent   ? h->lent
	                                                                : p->key.key);
	struct buf secret = { 0 };
	struct http_client_header headers[HEADERS_MAX];
	struct http_client_request r = {
		.url = http_provider_url(o->mem, base, o->path),
		.headers = headers,
		.connect_ms = p->o.connect_ms,
		.first_byte_ms = p->o.first_byte_ms,
		.stall_ms = p->o.stall_ms,
		.total_ms = p->o.total_ms,
		.response_max = LIMIT_WIRE_RESPONSE_BYTES,
	};

	r.header_count = write_headers(p, o, buf_str(&credential), headers);
	r.header_count = http_provider_prove(&h->pass, STR("POST"), r.url, buf_str(&o->body),
	                                     &secret, headers, r.header_count);
	if (h->pass.token && !o->is_renewed) {
		buf_add_str(&r.body, buf_str(&o->body)); /* it may be needed again */
	} else {
		r.body = o->body;
		o->body = (struct buf){ 0 };
	}
	h->call = http_client_send(p->o.http_client, &r, &http_client_sink, h);
	if (h->is_paused) /* while it waited for its credentials */
		http_client_pause(h->call);
	http_provider_wipe(&credential);
	http_provider_wipe(&secret);
}

/* Sends nothing; the end comes on the loop's next turn. */
static void handle_refuse(struct model_handle *h, enum error_category category, struct str message)
{
	response_break(h->response, category, false, message);
	loop_timer_start(h->p->o.loop, &h->later, 0, on_later);
}

/* The credentials have come, or will not. */
static void on_pass(struct cloud_pass *pass)
{
	struct model_handle *h = OWNER_OF(pass, struct model_handle, pass);

	if (pass->has_failed) {
		response_break(h->response, pass->category, pass->retryable, pass->message);
		loop_timer_start(h->p->o.loop, &h->later, 0, on_later);
	} else {
		send_request(h);
	}
}

static void send_again(struct model_handle *h)
{
	http_client_cancel(h->call);
	h->call = NULL;
	h->out->is_renewed = true;
	if (cloud_renew(&h->pass))
		on_pass(&h->pass);
}

/* Credentials of a cloud are needed unless a client's or the runtime's own key is sent instead. */
static void begin_request(struct model_handle *h, struct key_client client)
{
	struct http_provider *p = h->p;
	bool has_lent = key_ring_has(p->o.ring, client, p->o.name);
	bool has_key = h->lent || (p->key.key && !has_lent);
	bool has_none = !has_key && !has_lent && !p->has_account && p->o.needs_no_key;

	if (!p->cloud || has_none || (has_key && str_find_char(h->out->base, '{') < 0)) {
		send_request(h);
		return;
	}
	h->sends_key = has_key;
	h->pass.ready = on_pass;
	if (cloud_get(p->cloud, client, has_key, &h->pass))
		on_pass(&h->pass);
}

/* The key that the session's client lent counts before the runtime's own. */
static struct secret *lent_key(const struct http_provider *p, struct key_client client)
{
	const struct secret *key = key_ring_key(p->o.ring, client, p->o.name);

	return key ? keys_secret_new(keys_secret_for_header(key)) : NULL;
}

/* An address counts only with a credential of the same client: a key never goes to another's. */
static const struct secret *lent_address(const struct http_provider *p, struct key_client client)
{
	if (!p->o.is_url_open || !str_is(p->o.url_variable) ||
	    !key_ring_has(p->o.ring, client, p->o.name))
		return NULL;
	return key_ring_variable(p->o.ring, client, p->o.name, p->o.url_variable);
}

/* The variable of the daemon's environment is for the daemon's own key. */
static bool is_own_address(const struct http_provider *p, struct key_client client)
{
	return p->o.url_from.len && !key_ring_has(p->o.ring, client, p->o.name);
}

struct str http_provider_base(const struct http_provider *p, struct arena *mem,
                              struct key_client client)
{
	const struct secret *lent = lent_address(p, client);

	if (lent)
		return http_provider_url(mem, keys_secret_for_header(lent), p->o.url_path);
	return is_own_address(p, client) || !p->o.url_from.len ? p->o.base_url : p->o.usual_url;
}

struct str http_provider_refusal(const struct http_provider *p, struct arena *mem, struct str base)
{
	if (http_config_is_url(base))
		return STR_NONE;
	return arena_printf(mem, "the address in %.*s does not begin with http:// or https://",
	                    STR_ARG(p->o.url_variable));
}

static struct outgoing *outgoing_new(const struct http_provider *p, const struct model_request *req,
                                     struct key_client client, const struct dialect *d)
{
	struct outgoing *o = memory_zeroed(1, sizeof *o);

	o->mem = arena_new_small();
	o->dialect = d;
	o->base = http_provider_base(p, o->mem, client);
	o->path = d->path(o->mem, req);
	o->trace = trace_context_keep(o->mem, req->trace);
	o->request_id = arena_keep(o->mem, req->request_id);
	return o;
}

/* "." and ".." would be taken out of the path, which then leads elsewhere. */
static struct str refusal_of(const struct http_provider *p, const struct outgoing *o,
                             const struct model_request *req)
{
	if (str_eq(req->model, STR(".")) || str_eq(req->model, STR("..")))
		return arena_printf(o->mem, "\"%.*s\" is not the name of a model",
		                    STR_ARG(req->model));
	return http_provider_refusal(p, o->mem, o->base);
}

/*
 * Every outcome comes through the sink, also that of a request that could not be sent;
 * the caller has one path.
 */
static struct model_handle *provider_start(struct provider *port, const struct model_request *req,
                                           const struct model_sink *sink, void *owner)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);
	const struct dialect *d =
		p->o.dialect->of_model ? p->o.dialect->of_model(req->model) : p->o.dialect;
	struct response_options ao = { d, p->o.name, req->model, req->request_id, p->o.limits };
	struct key_client client = { .session = req->session_id };
	struct model_handle *h = memory_zeroed(1, sizeof *h);
	struct body_options options = p->o.body;
	struct str refusal;
	struct error e;

	effort_choose(req->effort, model_list_find(&p->models, req->model), &options);
	h->p = p;
	h->sink = *sink;
	h->owner = owner;
	h->response = response_new(&ao);
	list_add(&p->requests, &h->node);
	look_for_key(p);
	h->lent = lent_key(p, client);
	h->out = outgoing_new(p, req, client, d);
	refusal = refusal_of(p, h->out, req);
	if (refusal.len) {
		handle_refuse(h, ERROR_CATEGORY_INVALID_REQUEST, refusal);
	} else if (!h->lent && !p->key.key && !p->o.needs_no_key && !p->cloud) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();

		handle_refuse(h, ERROR_CATEGORY_AUTH, no_key_sentence(p, mem));
	} else if (d->write(req, &options, &h->out->body, &e) != OK) {
		handle_refuse(h, ERROR_CATEGORY_INVALID_REQUEST, str_from(e.message));
	} else {
		begin_request(h, client);
	}
	return h;
}

static void provider_cancel(struct provider *port, struct model_handle *h)
{
	(void)port;
	list_remove(&h->node);
	if (h->call)
		http_client_cancel(h->call);
	h->call = NULL;
	if (h->is_busy)
		h->is_cancelled = true; /* freed when the callback returns */
	else
		handle_free(h);
}

static void provider_pause(struct provider *port, struct model_handle *h)
{
	(void)port;
	h->is_paused = true;
	loop_timer_stop(&h->later);
	if (h->call)
		http_client_pause(h->call);
}

/*
 * Without a connection the rest of the response is delivered from a timer, because
 * callbacks never come from inside a call.
 */
static void provider_resume(struct provider *port, struct model_handle *h)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);

	if (!h->is_paused)
		return;
	h->is_paused = false;
	if (h->call)
		http_client_resume(h->call);
	else if (!h->is_busy) /* else the delivering loop continues */
		loop_timer_start(p->o.loop, &h->later, 0, on_later);
}

static size_t provider_models(struct provider *port, const struct model_info **ret)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);

	look_for_key(p);
	*ret = p->models.items;
	return p->models.count;
}

static uint64_t provider_version(struct provider *port)
{
	return OWNER_OF(port, struct http_provider, port)->models.version;
}

static void provider_about(struct provider *port, struct provider_about *ret)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);

	look_for_key(p);
	*ret = (struct provider_about){
		.base_url = p->address,
		.variables = { p->o.key_variable, p->o.other_key_variable },
		.lent = p->lent_variables,
		.lent_count = p->lent_count,
		.default_model = p->models.count ? p->models.items[0].model : STR_NONE,
		.key_from = origin_of(p),
		.key_name = p->key.name,
		.remedy = p->remedy,
		.has_credential = can_be_asked(p),
		.needs_no_key = p->o.needs_no_key,
		.is_implicit = p->o.is_implicit,
		.is_local = p->models.is_local,
	};
}

static struct provider_address provider_address(struct provider *port, struct arena *mem,
                                                uint64_t connection)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);
	struct key_client client = { .connection = connection };
	bool has_variable = lent_address(p, client) || is_own_address(p, client);
	struct provider_address a = { http_provider_base(p, mem, client),
		                      has_variable ? p->o.url_variable : STR_NONE };
	struct cloud_found found;

	if (p->cloud) {
		cloud_look(p->cloud, mem, client, a.base_url, &found);
		a.base_url = found.address;
	}
	return a;
}

static bool provider_admit(struct provider *port, struct str provider, struct str model)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);

	return str_eq(provider, p->o.name) && model_list_admit(&p->models, model);
}

static void provider_close(struct provider *port)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);

	LIST_EACH_SAFE (&p->requests, node, next)
		provider_cancel(port, LIST_ITEM(node, struct model_handle, node));
	http_listing_cancel_all(p);
	drop_key(p, p->key.key);
	drop_key(p, p->old_key);
	cloud_free(p->cloud);
	body_tools_done(&p->tools);
	arena_free(p->mem);
	memory_free(p);
}

/* ---- opening ---- */

/* Eight places are reserved for headers that write_headers() adds. */
static enum err check_options(const struct http_provider_options *o, struct error *e)
{
	struct str u = o->base_url;

	if (!o->name.len)
		return fail(e, ERR_INVALID, "a provider has no name");
	/* That of a variable is refused with each request: the other providers can be used. */
	if (!http_config_is_url(u) && !o->url_from.len)
		return fail(e, ERR_INVALID,
		            "the base URL of %.*s does not begin with http:// or https://",
		            STR_ARG(o->name));
	if (o->header_count > HEADERS_MAX - 8)
		return fail(e, ERR_INVALID, "%.*s has more than %d headers", STR_ARG(o->name),
		            HEADERS_MAX - 8);
	return OK;
}

static void keep_strings(struct http_provider *p)
{
	struct http_provider_options *o = &p->o;
	struct http_client_header *headers =
		ARENA_ARRAY(p->mem, struct http_client_header, o->header_count + 1);

	o->name = arena_keep(p->mem, o->name);
	o->base_url = arena_keep(p->mem, o->base_url);
	o->usual_url = arena_keep(p->mem, o->usual_url);
	o->key_variable = arena_keep(p->mem, o->key_variable);
	o->other_key_variable = arena_keep(p->mem, o->other_key_variable);
	o->list_path = arena_keep(p->mem, o->list_path);
	o->check_path = arena_keep(p->mem, o->check_path);
	o->list_url = arena_keep(p->mem, o->list_url);
	o->url_variable = arena_keep(p->mem, o->url_variable);
	o->url_path = arena_keep(p->mem, o->url_path);
	o->url_from = arena_keep(p->mem, o->url_from);
	o->account_settings.region = arena_keep(p->mem, o->account_settings.region);
	o->account_settings.profile = arena_keep(p->mem, o->account_settings.profile);
	o->account_settings.project = arena_keep(p->mem, o->account_settings.project);
	o->account_settings.location = arena_keep(p->mem, o->account_settings.location);
	o->key_dir = arena_keep(p->mem, o->key_dir.len ? o->key_dir : o->data_dir);
	o->data_dir = arena_keep(p->mem, o->data_dir);
	o->key_header =
		arena_keep(p->mem, o->key_header.len ? o->key_header : o->dialect->key_header);
	o->body.extra_body = arena_keep(p->mem, o->body.extra_body);
	for (size_t i = 0; i < o->header_count; i++)
		headers[i] = (struct http_client_header){ arena_keep(p->mem, o->headers[i].name),
			                                  arena_keep(p->mem, o->headers[i].value) };
	o->headers = headers;
}

static const struct model_price *keep_prices(struct arena *mem, const struct model_info *m)
{
	struct model_price *out = ARENA_ARRAY(mem, struct model_price, m->price_count + 1);

	for (size_t i = 0; i < m->price_count; i++) {
		out[i] = m->prices[i];
		out[i].from = arena_keep(mem, out[i].from);
	}
	return out;
}

static bool is_on_this_machine(struct str url)
{
	static const struct str places[] = { STR("http://127.0.0.1"), STR("http://localhost"),
		                             STR("http://[::1]") };

	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (str_starts(url, places[i]))
			return true;
	return false;
}

/* Models without stated capabilities can use tools, like nearly every model that is offered. */
static void keep_models(struct http_provider *p)
{
	struct model_info *given = ARENA_ARRAY(p->mem, struct model_info, p->o.model_count + 1);

	for (size_t i = 0; i < p->o.model_count; i++) {
		struct model_info *m = &given[i];

		*m = p->o.models[i];
		m->provider = p->o.name;
		m->model = arena_keep(p->mem, m->model);
		m->capabilities = arena_keep(p->mem, m->capabilities.len ? m->capabilities
		                                                         : STR("[\"tool_use\"]"));
		m->prices = keep_prices(p->mem, m);
	}
	model_list_init(&p->models, p->mem, p->o.name, given, p->o.model_count, p->o.is_open);
	p->models.is_by_request = p->o.account != PROVIDERS_ACCOUNT_KEY;
	p->models.is_local = p->o.port || (p->o.needs_no_key && is_on_this_machine(p->o.base_url));
	p->o.models = NULL;
}

static void lend_variable(struct http_provider *p, struct str name, enum key_kind kind)
{
	if (!name.len)
		return;
	if (p->o.ring)
		key_ring_register(p->o.ring, p->o.name, name, kind);
	if (kind != KEY_KIND_KEY && p->lent_count < COUNT_OF(p->lent_variables))
		p->lent_variables[p->lent_count++] = name;
}

static enum key_kind kind_of(const struct providers_variable *v)
{
	if (v->is_secret)
		return v->is_credential ? KEY_KIND_IDENTITY : KEY_KIND_PART;
	return v->is_credential ? KEY_KIND_POINTER : KEY_KIND_PLAIN;
}

/* What clients may lend: the key, the parts of an account, another address. */
static void register_variables(struct http_provider *p)
{
	lend_variable(p, p->o.key_variable, KEY_KIND_KEY);
	lend_variable(p, p->o.other_key_variable, KEY_KIND_KEY);
	for (size_t i = 0; p->cloud && i < COUNT_OF(providers_variables); i++)
		if (providers_variables[i].account == p->o.account)
			lend_variable(p, providers_variables[i].name,
			              kind_of(&providers_variables[i]));
	if (p->o.is_url_open)
		lend_variable(p, p->o.url_variable, KEY_KIND_PLAIN);
}

static void open_account(struct http_provider *p)
{
	struct cloud_options co = { p->o.account, p->o.http_client, p->o.scrub,
		                    p->o.ring,    p->o.name,        p->o.account_settings };

	if (p->o.account == PROVIDERS_ACCOUNT_KEY)
		return;
	p->cloud = cloud_new(&co);
	p->remedy = cloud_remedy(p->cloud, p->mem);
}

static void or_default(int64_t *ms, int64_t otherwise)
{
	if (*ms == 0)
		*ms = otherwise;
}

/*
 * A missing key is no error here, see http_provider.h: models() reports it, and a key
 * may be added while the daemon runs.
 */
enum err http_provider_open(const struct http_provider_options *o, struct provider **ret,
                            struct error *e)
{
	enum err err = check_options(o, e);

	if (err)
		return err;

	struct http_provider *p = memory_zeroed(1, sizeof *p);

	p->mem = arena_new();
	p->o = *o;
	if (!p->o.dialect)
		p->o.dialect = &openai_chat_event_dialect;
	or_default(&p->o.connect_ms, 10000);
	or_default(&p->o.first_byte_ms, 300000);
	or_default(&p->o.stall_ms, (int64_t)LIMIT_MODEL_IDLE_S * 1000);
	or_default(&p->o.total_ms, (int64_t)LIMIT_MODEL_TIMEOUT_S * 1000);
	p->o.body.tools = &p->tools;
	keep_strings(p);
	keep_models(p);
	list_init(&p->requests);
	list_init(&p->listings);
	if (p->o.is_open)
		http_listing_recall(p);
	p->address = p->o.base_url;
	open_account(p);
	register_variables(p);
	p->ops = (struct provider_ops){
		.name = p->o.name,
		.models = provider_models,
		.version = provider_version,
		.admit = p->o.is_open ? provider_admit : NULL,
		.about = provider_about,
		.address = provider_address,
		.list = p->cloud || (p->o.is_open && p->o.list_path.len) ? http_listing_start
		                                                         : NULL,
		.start = provider_start,
		.cancel = provider_cancel,
		.pause = provider_pause,
		.resume = provider_resume,
		.close = provider_close,
	};
	p->port.ops = &p->ops;
	look_for_key(p);
	*ret = &p->port;
	return OK;
}

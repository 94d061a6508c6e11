/* The paths of A2A, and what is checked before an operation begins. */
#include "serve/a2a/a2a_edge.h"

#include "a2a/a2a_id.h"
#include "base/memory.h"
#include "serve/a2a/a2a_op.h"
#include "serve/a2a/a2a_place.h"
#include "serve/a2a/a2a_sign.h"
#include "serve/http/cors.h"
#include "serve/http/problem.h"

static const struct peers_kind kind = { "a2a", "serve:a2a_peers", PEER_ROLE_PEER_AGENT };

struct a2a_edge *a2a_edge_new(struct serve *s, const struct serve_a2a *o, struct error *e)
{
	struct arena *mem = arena_new_small();
	struct a2a_edge *edge = ARENA_NEW(mem, struct a2a_edge);
	struct str url = arena_keep(mem, o->url);

	edge->mem = mem;
	edge->serve = s;
	edge->opt = *o;
	edge->opt.name = arena_keep(mem, o->name);
	edge->opt.description = arena_keep(mem, o->description);
	while (url.len && url.ptr[url.len - 1] == '/')
		url.len--;
	edge->opt.url = url;
	edge->opt.grpc_url = arena_keep(mem, o->grpc_url);
	if (a2a_extension_read_all(mem, o->extensions, &edge->extensions, e) != OK) {
		a2a_edge_free(edge);
		return NULL;
	}
	edge->sign = o->signer ? a2a_sign_new(edge, o->signer) : NULL;
	if (peers_init(&edge->peers, &kind, s->loop, s->control, s->opt.store, s->opt.clock, e) ==
	    OK)
		edge->pushes = a2a_push_new(edge, e);
	if (edge->pushes)
		return edge;
	a2a_edge_free(edge);
	return NULL;
}

void a2a_edge_free(struct a2a_edge *edge)
{
	if (!edge)
		return;
	a2a_push_free(edge->pushes);
	a2a_sign_free(edge->sign);
	if (edge->peers.loop)
		peers_done(&edge->peers);
	memory_free(edge->places);
	arena_free(edge->mem);
}

/* ---- the card ---- */

struct a2a_card a2a_edge_describe(const struct a2a_edge *edge, struct arena *mem,
                                  const struct http_request *req)
{
	return (struct a2a_card){ .url = a2a_place_url(edge, mem, req),
		                  .grpc_url = edge->opt.grpc_url,
		                  .name = edge->opt.name,
		                  .description = edge->opt.description,
		                  .version = edge->serve->opt.version,
		                  .protocol_extensions = edge->extensions };
}

void a2a_edge_reply_card(struct http_request *req, const struct a2a_card *card)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct http_field headers[3 + CORS_HEADERS_MAX] = {
		{ STR("Content-Type"), STR("application/json") },
		{ STR("Cache-Control"), STR("max-age=60") },
		HEADER_NO_SNIFF,
	};
	struct json_writer w;

	jw_init(&w, &out);
	a2a_card_write(&w, card);
	http_reply(req, 200, headers, cors_headers(req, headers, 3), buf_str(&out));
}

void a2a_edge_card(struct a2a_edge *edge, struct http_request *req)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct a2a_card card = a2a_edge_describe(edge, mem, req);

	if (!edge->sign || a2a_sign_card(edge->sign, mem, &card))
		a2a_edge_reply_card(req, &card);
	else
		a2a_sign_wait(edge->sign, &card, req);
}

/* ---- requests ---- */

/* An error before there is an op. */
static void refuse(struct http_request *req, struct str rpc_id, const struct a2a_error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	bool is_rpc = str_is(rpc_id);
	struct http_field headers[3 + CORS_HEADERS_MAX] = {
		{ STR("Content-Type"),
		  is_rpc ? STR("application/json") : STR("application/a2a+json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};
	struct json_writer w;

	jw_init(&w, &out);
	if (is_rpc) {
		jw_obj(&w);
		JW_KSTR(&w, "jsonrpc", STR("2.0"));
		JW_KEY(&w, "id");
		jw_raw(&w, rpc_id);
		JW_KEY(&w, "error");
		a2a_error_write_rpc(&w, e);
		jw_obj_end(&w);
	} else {
		a2a_error_write_http(&w, e);
	}
	http_reply(req, is_rpc ? 200 : a2a_error_http(e->code), headers,
	           cors_headers(req, headers, 3), buf_str(&out));
}

static bool is_rpc_path(const struct http_request *req)
{
	return str_eq(req->in.path, STR("/a2a"));
}

/* Types that a form of another site can send without a preflight are refused. */
static bool is_json_body(const struct http_request *req)
{
	struct str type = http_parse_find(&req->in, STR("content-type")), rest = type;

	if (!str_eq(req->in.method, STR("POST")))
		return true;
	if (!str_is(type))
		return !req->in.body.len;
	rest = str_trim(str_cut(&rest, ';'));
	return str_eq(rest, STR("application/json")) || str_eq(rest, STR("application/a2a+json"));
}

static struct str version_of(const struct http_request *req)
{
	struct str version = http_parse_find(&req->in, STR("a2a-version"));

	for (size_t i = 0; !version.len && i < req->in.param_count; i++)
		if (str_eq(req->in.params[i].name, STR("A2A-Version")))
			version = req->in.params[i].value;
	return version;
}

static bool read_request(struct arena *mem, const struct http_request *req, struct a2a_request *ret,
                         struct a2a_error *e)
{
	struct a2a_query query[HTTP_PARAMS_MAX];
	struct a2a_http in = { .method = req->in.method, .body = req->in.body, .query = query };

	if (is_rpc_path(req))
		return a2a_request_read_rpc(mem, req->in.body, ret, e);
	in.path = str_skip(req->in.path, strlen(A2A_HTTP_PATH));
	for (size_t i = 0; i < req->in.param_count; i++)
		if (!str_eq(req->in.params[i].name, STR("A2A-Version")))
			query[in.query_count++] = (struct a2a_query){ req->in.params[i].name,
				                                      req->in.params[i].value };
	return a2a_request_read_http(mem, &in, ret, e);
}

/* A principal of a tenant is named TENANT/NAME. */
static bool is_own_tenant(const struct caller *caller, struct str tenant)
{
	struct str rest = caller->principal, own = str_cut(&rest, '/');

	return !str_is(tenant) || (str_is(rest) && str_eq(own, tenant));
}

/*
 * Those that the card does not declare are ignored.  What the card requires is required of every
 * operation but the one that shows the card.
 */
static bool has_extensions(const struct a2a_edge *edge, struct arena *mem,
                           const struct http_request *req, struct a2a_request *in,
                           struct a2a_error *e)
{
	uint64_t active = a2a_extension_active(&edge->extensions,
	                                       http_parse_find(&req->in, STR("a2a-extensions")));
	const struct a2a_extension *missing = a2a_extension_missing(&edge->extensions, active);

	in->extensions = a2a_extension_header(mem, &edge->extensions, active);
	if (!missing || in->method == A2A_GET_EXTENDED_CARD)
		return true;
	*e = (struct a2a_error){
		.code = A2A_EXTENSION_REQUIRED,
		.message = arena_printf(mem,
		                        "The extension %.*s is required; name it in A2A-Extensions",
		                        STR_ARG(missing->uri))
	};
	return false;
}

static bool check(const struct a2a_edge *edge, struct arena *mem, const struct http_request *req,
                  const struct caller *caller, struct a2a_request *in, struct a2a_error *e)
{
	bool ok = read_request(mem, req, in, e);

	/* The version first, but with the id that was read. */
	if (!a2a_request_is_version(version_of(req))) {
		*e = (struct a2a_error){ .code = A2A_VERSION_NOT_SUPPORTED };
		return false;
	}
	if (ok && !has_extensions(edge, mem, req, in, e))
		return false;
	if (!is_json_body(req)) {
		*e = (struct a2a_error){ .code = A2A_CONTENT_TYPE_NOT_SUPPORTED,
			                 .message = STR("The body must be application/json or "
			                                "application/a2a+json") };
		return false;
	}
	/* Every reply shows a task, so nothing begins without that right. */
	if (ok && !(caller->scopes & SCOPE_BIT(SCOPE_READ))) {
		*e = (struct a2a_error){ .code = A2A_PERMISSION_DENIED,
			                 .message = STR("The token lacks the scope read") };
		return false;
	}
	if (ok && !is_own_tenant(caller, in->tenant)) {
		*e = (struct a2a_error){ .code = A2A_PERMISSION_DENIED,
			                 .message = STR("The token is not one of this tenant") };
		return false;
	}
	return ok;
}

void a2a_edge_open(struct a2a_edge *edge, struct http_request *req, const struct caller *caller)
{
	struct arena *mem = arena_new();
	struct caller peer = *caller;
	struct a2a_request in;
	struct a2a_error e;
	struct peer_channel *p;

	if (!check(edge, mem, req, caller, &in, &e)) {
		refuse(req, is_rpc_path(req) ? in.rpc_id : STR_NONE, &e);
		arena_free(mem);
		return;
	}
	peer.via = STR("a2a");
	p = peers_seen(&edge->peers, caller);
	if (!p) {
		e = (struct a2a_error){ .code = A2A_UNAVAILABLE };
		refuse(req, is_rpc_path(req) ? in.rpc_id : STR_NONE, &e);
		arena_free(mem);
		return;
	}
	peer.channel_id = p->channel_id;
	a2a_methods_begin(a2a_op_new(edge, req, &peer, p, mem, &in));
}

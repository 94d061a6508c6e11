/* The requests of one fetch, one after the other. */
#include "serve/auth/issuer_fetch.h"

#include "jwt/jwt_metadata.h"

#include <stdio.h>

enum { AT_AUTHORIZATION_SERVER, AT_OPENID, KEYS };

static void finish(struct issuer_fetch *f, const char *why)
{
	struct arena *mem = f->mem;

	if (why)
		f->mem = NULL;
	buf_done(&f->body);
	f->done(f, why);
	if (why)
		arena_free(mem);
}

static void on_head(void *owner, const struct http_client_head *h)
{
	struct issuer_fetch *f = owner;

	f->status = h->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	struct issuer_fetch *f = owner;

	buf_add_str(&f->body, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *end);
static const struct http_client_sink sink = { .head = on_head, .body = on_body, .end = on_end };

/* An address of the issuer's own origin is the user's; others are guarded. */
static void request_document(struct issuer_fetch *f, struct str url)
{
	struct http_client_guard guard = { .rules = f->all->rules };
	struct http_client_header accept = { STR("Accept"), STR("application/json") };
	struct http_client_request r = { .url = url,
		                         .headers = &accept,
		                         .header_count = 1,
		                         .total_ms = LIMIT_JWT_FETCH_MS,
		                         .response_max = LIMIT_JWT_KEYS_BYTES };
	uint16_t port;

	if (!jwt_metadata_is_same_origin(url, f->issuer->url) && !str_is(f->issuer->keys_url) &&
	    net_host_of_url(url, &guard.host, &port))
		r.guard = &guard;
	f->status = 0;
	buf_clear(&f->body);
	f->call = http_client_send(f->all->http_client, &r, &sink, f);
}

static void take_keys(struct issuer_fetch *f)
{
	struct error e;

	f->hash = sha256_of(buf_str(&f->body));
	finish(f,
	       jwt_key_read_all(f->mem, buf_str(&f->body), &f->keys, &e) == OK ? NULL : e.message);
}

static void take_metadata(struct issuer_fetch *f)
{
	struct str url;
	struct error e;

	if (jwt_metadata_read(f->mem, buf_str(&f->body), f->issuer->url, &url, &e) != OK) {
		finish(f, e.message);
		return;
	}
	f->step = KEYS;
	request_document(f, url);
}

/* Only an answer leads to the second place: an issuer that is down is asked once. */
static void on_end(void *owner, const struct http_client_end *end)
{
	struct issuer_fetch *f = owner;
	char why[256];

	f->call = NULL;
	if (end->result != HTTP_CLIENT_OK) {
		snprintf(why, sizeof why, "%.*s", STR_ARG(end->message));
		finish(f, why);
	} else if (f->status == 200) {
		if (f->step == KEYS)
			take_keys(f);
		else
			take_metadata(f);
	} else if (f->step == AT_AUTHORIZATION_SERVER) {
		f->step = AT_OPENID;
		request_document(f, jwt_metadata_place(f->mem, f->issuer->url, AT_OPENID));
	} else {
		snprintf(why, sizeof why, "it answers %s with the status %d",
		         f->step == KEYS ? "the request for its keys"
		                         : "both requests for metadata",
		         f->status);
		finish(f, why);
	}
}

void issuer_fetch_begin(struct issuer_fetch *f)
{
	bool is_known = str_is(f->issuer->keys_url);

	f->mem = arena_new_small();
	f->keys = (struct jwt_keys){ 0 };
	f->step = is_known ? KEYS : AT_AUTHORIZATION_SERVER;
	request_document(f, is_known ? f->issuer->keys_url
	                             : jwt_metadata_place(f->mem, f->issuer->url, f->step));
}

void issuer_fetch_cancel(struct issuer_fetch *f)
{
	if (!f->call)
		return;
	http_client_cancel(f->call);
	f->call = NULL;
	buf_done(&f->body);
	arena_free(f->mem);
	f->mem = NULL;
}

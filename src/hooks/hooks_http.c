/*
 * Hooks that are addresses: sends the input by POST and reads the answer from the body.  Every
 * status but 2xx is a failure, for which the hook's failure policy decides.
 */
#include "base/hash/sha256.h"
#include "hooks/hooks_int.h"

static void on_head(void *owner, const struct http_client_head *head)
{
	((struct hook_handle *)owner)->status = head->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct hook_handle *)owner)->out, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct hook_handle *h = owner;

	h->call = NULL;
	if (e->result != HTTP_CLIENT_OK) {
		hooks_tell(h, &(struct hook_end){ .result = HOOK_BROKE,
		                                  .message = arena_keep(h->mem, e->message) });
		return;
	}
	if (h->status < 200 || h->status > 299) {
		hooks_tell(h, &(struct hook_end){ .result = HOOK_BROKE,
		                                  .message = arena_printf(h->mem, "it answered %d",
		                                                          h->status) });
		return;
	}
	hooks_tell(h, &(struct hook_end){ .result = HOOK_ANSWERED });
}

static const struct http_client_sink sink = { .head = on_head, .body = on_body, .end = on_end };

/* HMAC-SHA256 of the body, so that the receiver can verify the sender. */
static struct str signature(struct hook_handle *h)
{
	struct sha256 mac;

	if (!str_is(h->row->secret))
		return STR_NONE;
	mac = sha256_hmac(h->row->secret, h->input);
	return arena_printf(h->mem, "sha256=%.*s", STR_ARG(sha256_hex(h->mem, &mac)));
}

void hooks_http(struct hook_handle *h)
{
	/* The signature comes last, so that header_count can leave it out. */
	struct http_client_header headers[] = { { STR("content-type"), STR("application/json") },
		                                { STR("accept"), STR("application/json") },
		                                { STR("x-thole-hook-run"), h->id },
		                                { STR("x-thole-signature"), signature(h) } };
	struct http_client_request r = { .url = h->row->url,
		                         .headers = headers,
		                         .header_count =
		                                 COUNT_OF(headers) - !str_is(h->row->secret),
		                         .total_ms = h->row->info.timeout_ms,
		                         .response_max = HOOK_OUTPUT_MAX };

	if (!h->set->o.http_client) {
		hooks_trouble(h, STR("nothing can be sent from here"));
		return;
	}
	buf_add_str(&r.body, h->input);
	h->call = http_client_send(h->set->o.http_client, &r, &sink, h);
}

void hooks_http_drop(struct hook_handle *h)
{
	if (h->call)
		http_client_cancel(h->call);
	h->call = NULL;
}

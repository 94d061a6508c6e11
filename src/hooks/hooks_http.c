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

	mac = sha256_hmac(h->row->secret, h->input);
	return arena_printf(h->mem, "sha256=%.*s", STR_ARG(sha256_hex(h->mem, &mac)));
}

static size_t add_optional(struct hook_handle *h, struct http_client_header *out, size_t count)
{
	if (str_is(h->row->secret))
		out[count++] =
			(struct http_client_header){ STR("x-thole-signature"), signature(h) };
	if (str_is(h->trace.parent))
		out[count++] = (struct http_client_header){ STR("traceparent"), h->trace.parent };
	if (str_is(h->trace.state))
		out[count++] = (struct http_client_header){ STR("tracestate"), h->trace.state };
	return count;
}

static struct str kind_of(const struct hook_row *row)
{
	return row->is_stamp ? STR("application/timestamp-query")
	       : row->is_raw ? STR("text/plain; charset=utf-8")
	                     : STR("application/json");
}

void hooks_http(struct hook_handle *h)
{
	struct str accept =
		h->row->is_stamp ? STR("application/timestamp-reply") : STR("application/json");
	/* Those that may be absent come last. */
	struct http_client_header headers[6] = { { STR("content-type"), kind_of(h->row) },
		                                 { STR("accept"), accept },
		                                 { STR("x-thole-hook-run"), h->id } };
	size_t count = add_optional(h, headers, 3);
	struct http_client_request r = { .url = h->row->url,
		                         .headers = headers,
		                         .header_count = count,
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

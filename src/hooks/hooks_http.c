/*
 * Hooks that are addresses: sends the input by POST and reads the answer from the body.  Every
 * status but 2xx is a failure, for which the hook's failure policy decides.
 */
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/os/clock.h"
#include "hooks/hooks_int.h"
#include "webhook/webhook_signature.h"

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

/* ---- signing ---- */

/* HMAC-SHA256 of the body, so that the receiver can verify the sender. */
static struct str signature(struct hook_handle *h, struct str body)
{
	struct sha256 mac = sha256_hmac(h->row->secret, body);

	return arena_printf(h->mem, "sha256=%.*s", STR_ARG(sha256_hex(h->mem, &mac)));
}

/* A notification that is sent again has the same id, so that its receiver recognises it. */
static struct str id_of(const struct hook_handle *h, struct json input)
{
	struct str id = json_str(JSON_GET(input, "deliveryId"));

	return str_is(id) && id.len ? id : h->id;
}

/* The headers of Standard Webhooks. */
static size_t add_standard(struct hook_handle *h, struct str id, struct str body,
                           struct http_client_header *out, size_t count)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct webhook_secrets secrets = { h->row->secret, h->row->previous_secret };
	int64_t now_s = clock_wall_ms() / 1000;

	webhook_signature_write(&text, &secrets, id, now_s, body);
	out[count++] = (struct http_client_header){ STR("webhook-id"), id };
	out[count++] =
		(struct http_client_header){ STR("webhook-timestamp"),
		                             arena_printf(h->mem, "%lld", (long long)now_s) };
	out[count++] = (struct http_client_header){ STR("webhook-signature"),
		                                    arena_keep(h->mem, buf_str(&text)) };
	return count;
}

static size_t add_optional(struct hook_handle *h, struct str id, struct str body,
                           struct http_client_header *out, size_t count)
{
	if (str_is(h->row->secret)) {
		out[count++] =
			(struct http_client_header){ STR("x-thole-signature"), signature(h, body) };
		count = add_standard(h, id, body, out, count);
	}
	if (str_is(h->trace.parent))
		out[count++] = (struct http_client_header){ STR("traceparent"), h->trace.parent };
	if (str_is(h->trace.state))
		out[count++] = (struct http_client_header){ STR("tracestate"), h->trace.state };
	return count;
}

/* ---- the body ---- */

/* The notification as a CloudEvent in structured mode. */
static void write_cloudevent(struct buf *out, struct str id, struct json input)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str at = json_str(JSON_GET(input, "endedAt")), subject;
	struct json_writer w;

	subject = json_str(JSON_GET(input, "subject"));
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "specversion", STR("1.0"));
	JW_KSTR(&w, "id", id);
	JW_KSTR(&w, "source",
	        arena_printf(mem, "/sessions/%.*s",
	                     STR_ARG(json_str(JSON_GET(input, "sessionId")))));
	JW_KSTR(&w, "type", arena_printf(mem, "dev.agentruntime.delivery.%.*s", STR_ARG(subject)));
	JW_KOPT(&w, "time", str_is(at) ? at : json_str(JSON_GET(input, "askedAt")));
	JW_KSTR(&w, "datacontenttype", STR("application/json"));
	JW_KEY(&w, "data");
	jw_value(&w, input);
	jw_obj_end(&w);
}

static struct str kind_of(const struct hook_row *row)
{
	return row->is_stamp        ? STR("application/timestamp-query")
	       : row->is_raw        ? STR("text/plain; charset=utf-8")
	       : row->is_cloudevent ? STR("application/cloudevents+json")
	                            : STR("application/json");
}

void hooks_http(struct hook_handle *h)
{
	struct str accept =
		h->row->is_stamp ? STR("application/timestamp-reply") : STR("application/json");
	/* Those that may be absent come last. */
	struct http_client_header headers[9] = { { STR("content-type"), kind_of(h->row) },
		                                 { STR("accept"), accept },
		                                 { STR("x-thole-hook-run"), h->id } };
	struct json input = { 0 };
	struct str id;
	struct http_client_request r = { .url = h->row->url,
		                         .headers = headers,
		                         .total_ms = h->row->info.timeout_ms,
		                         .response_max = HOOK_OUTPUT_MAX };

	if (!h->set->o.http_client) {
		hooks_trouble(h, STR("nothing can be sent from here"));
		return;
	}
	if (json_read_trusted(h->mem, h->input, &input, NULL) != OK)
		input = (struct json){ 0 };
	id = id_of(h, input);
	if (h->row->is_cloudevent)
		write_cloudevent(&r.body, id, input);
	else
		buf_add_str(&r.body, h->input);
	r.header_count = add_optional(h, id, buf_str(&r.body), headers, 3);
	h->call = http_client_send(h->set->o.http_client, &r, &sink, h);
}

void hooks_http_drop(struct hook_handle *h)
{
	if (h->call)
		http_client_cancel(h->call);
	h->call = NULL;
}

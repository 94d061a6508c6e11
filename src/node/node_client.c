/*
 * Sends commands to other nodes over HTTP, and takes their answers.
 *
 * An answer counts when its code fits the call.  Everything else says at most that the call was not
 * carried out, when the connection was never made, or that this is not known.
 */
#include "node/node_client.h"

#include "base/buf.h"
#include "base/hash/secret.h"
#include "base/json.h"
#include "base/list.h"
#include "base/memory.h"
#include "node/node_message.h"

#define CONNECT_MS 1000
#define ANSWER_MS 120000 /* a command may wait for work of its owner */
#define STALL_MS 10000
#define ANSWER_MAX ((uint64_t)64 << 20)

struct node_client {
	struct node_link link;
	struct node_client_options o;
	struct list calls;
};

struct sending {
	struct list node;
	struct node_client *client;
	struct node_call *call; /* NULL: it was forgotten */
	struct http_client_call *http;
	struct arena *mem;
	struct str nonce, seal, result;
	struct buf body;
	int status;
};

static void sending_free(struct sending *s)
{
	list_remove(&s->node);
	buf_done(&s->body);
	arena_free(s->mem);
	memory_free(s);
}

/* ---- the answer ---- */

static void on_head(void *owner, const struct http_client_head *h)
{
	struct sending *s = owner;

	s->status = h->status;
	s->seal = arena_keep(s->mem, http_client_head_get(h, NODE_SEAL_ANSWER_HEADER));
	s->result = arena_keep(s->mem, http_client_head_get(h, NODE_SEAL_CODE_HEADER));
}

static size_t on_body(void *owner, struct str bytes)
{
	struct sending *s = owner;

	buf_add_str(&s->body, bytes);
	return bytes.len;
}

static bool was_unsent(enum http_client_result r)
{
	switch (r) {
	case HTTP_CLIENT_NO_LIBRARY:
	case HTTP_CLIENT_INVALID:
	case HTTP_CLIENT_RESOLVE:
	case HTTP_CLIENT_FORBIDDEN:
	case HTTP_CLIENT_CONNECT:
	case HTTP_CLIENT_TLS:
	case HTTP_CLIENT_UNTRUSTED:
	case HTTP_CLIENT_TIMEOUT_CONNECT:
		return true;
	default:
		return false;
	}
}

static bool is_refusal(enum error_code code)
{
	return code == ERROR_CODE_NODE_CALL_INVALID || code == ERROR_CODE_NODE_CALL_LATE ||
	       code == ERROR_CODE_NODE_CALL_REPEATED;
}

/* Why the other side refused.  Without a seal the answer may be of any program. */
static enum node_link_result read_refusal(struct sending *s)
{
	struct node_call *c = s->call;
	struct json v;
	struct str code, detail;

	if (json_read(s->mem, buf_str(&s->body), &v, NULL) != OK)
		v = (struct json){ 0 };
	code = json_str(JSON_GET(v, "code"));
	detail = json_str(JSON_GET(v, "detail"));
	if (str_is(s->seal) || str_eq(code, error_infos[ERROR_CODE_NODE_CALL_INVALID].code)) {
		(void)fail(&c->error, ERR_INVALID, "%.*s: %.*s", STR_ARG(code),
		           STR_ARG(str_head(detail, 200)));
		return NODE_LINK_REFUSED;
	}
	(void)fail(&c->error, ERR_INVALID,
	           "what listens at %.*s answers with HTTP %d and is not a node of this "
	           "installation",
	           STR_ARG(c->node.address), s->status);
	return NODE_LINK_REFUSED;
}

static enum node_link_result read_answer(struct sending *s)
{
	struct node_call *c = s->call;
	struct str body = buf_str(&s->body);
	struct str expected =
		node_seal_answer(s->client->o.seal, s->mem, s->nonce, s->status, s->result, body);

	if (!str_is(s->seal))
		return read_refusal(s);
	if (!secret_eq(s->seal, expected) ||
	    !node_message_read_result(s->result, s->status, &c->answer)) {
		(void)fail(&c->error, ERR_INVALID, "its answer is not authentic");
		return NODE_LINK_UNKNOWN;
	}
	if (is_refusal(c->answer.code))
		return read_refusal(s);
	c->answer.body = body;
	return NODE_LINK_ANSWERED;
}

/* The sending lives until the callback returns: the answer's body is in it. */
static void on_end(void *owner, const struct http_client_end *e)
{
	struct sending *s = owner;
	struct node_call *c = s->call;

	s->http = NULL;
	if (e->result == HTTP_CLIENT_OK) {
		c->result = read_answer(s);
	} else {
		c->result = was_unsent(e->result) ? NODE_LINK_UNSENT : NODE_LINK_UNKNOWN;
		(void)fail(&c->error, ERR_CLOSED, "%s at %.*s%s%.*s",
		           c->result == NODE_LINK_UNSENT ? "it cannot be reached" : "it was asked",
		           STR_ARG(c->node.address), str_is(e->message) ? ": " : "",
		           STR_ARG(e->message));
	}
	c->impl = NULL;
	c->done(c);
	sending_free(s);
}

static const struct http_client_sink sink = { .head = on_head, .body = on_body, .end = on_end };

/* ---- the call ---- */

static struct str new_nonce(struct clock *clock, struct arena *mem)
{
	uint8_t bytes[16];
	struct sha256 wide = { 0 };

	clock->ops->entropy(clock, bytes);
	memcpy(wide.state, bytes, sizeof bytes);
	return str_head(sha256_hex(mem, &wide), 2 * sizeof bytes);
}

static struct str trim_slash(struct str address)
{
	while (address.len && address.ptr[address.len - 1] == '/')
		address.len--;
	return address;
}

static void client_send(struct node_link *link, struct node_call *c)
{
	struct node_client *client = OWNER_OF(link, struct node_client, link);
	struct clock *clock = client->o.clock;
	struct sending *s = memory_zeroed(1, sizeof *s);
	struct buf body = { 0 };

	s->client = client;
	s->call = c;
	s->mem = arena_new_small();
	s->nonce = new_nonce(clock, s->mem);
	list_add(&client->calls, &s->node);
	c->impl = s;
	node_message_write(&body, c);

	struct http_client_header headers[] = {
		{ STR("Content-Type"), STR("application/json") },
		{ NODE_SEAL_HEADER,
		  node_seal_write(client->o.seal, s->mem,
		                  &(struct node_seal_call){ .from = client->o.incarnation,
		                                            .to = c->node.incarnation,
		                                            .time_ms = clock->ops->wall_ms(clock),
		                                            .nonce = s->nonce,
		                                            .body = buf_str(&body) }) },
	};
	struct http_client_request r = {
		.method = STR("POST"),
		.url = arena_printf(s->mem, "%.*s%.*s", STR_ARG(trim_slash(c->node.address)),
		                    STR_ARG(NODE_SEAL_PATH)),
		.headers = headers,
		.header_count = COUNT_OF(headers),
		.body = body,
		.connect_ms = CONNECT_MS,
		.first_byte_ms = ANSWER_MS,
		.stall_ms = STALL_MS,
		.response_max = ANSWER_MAX,
		.is_direct = true,
		.is_secret = true,
		.is_once = true,
	};

	s->http = http_client_send(client->o.http_client, &r, &sink, s);
}

static void client_forget(struct node_link *link, struct node_call *c)
{
	struct sending *s = c->impl;

	if (!s)
		return;
	if (s->http)
		http_client_cancel(s->http);
	c->impl = NULL;
	sending_free(s);
}

static const struct node_link_ops client_ops = { .send = client_send, .forget = client_forget };

struct node_client *node_client_new(const struct node_client_options *o)
{
	struct node_client *c = memory_zeroed(1, sizeof *c);

	c->link.ops = &client_ops;
	c->o = *o;
	list_init(&c->calls);
	return c;
}

void node_client_free(struct node_client *c)
{
	if (!c)
		return;
	while (!list_is_empty(&c->calls)) {
		struct sending *s = LIST_ITEM(c->calls.next, struct sending, node);

		client_forget(&c->link, s->call);
	}
	memory_free(c);
}

struct node_link *node_client_link(struct node_client *c)
{
	return c ? &c->link : NULL;
}

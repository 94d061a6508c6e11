/* Signs and checks calls between nodes; node_seal.h has the rules. */
#include "node/node_seal.h"

#include "base/hash/secret.h"
#include "base/memory.h"

#include <stdlib.h>

#define NONCE_MIN 16
#define NONCE_MAX 64

struct node_nonce {
	struct list node;
	int64_t until_ms; /* a call with it is too old from then on */
	size_t len;
	char text[];
};

void node_seal_init(struct node_seal *s, struct str secret)
{
	struct sha256 key = sha256_hmac(secret, STR("thole calls between nodes v1"));

	*s = (struct node_seal){ 0 };
	memcpy(s->key, key.state, sizeof s->key);
	list_init(&s->by_time);
}

static void forget_nonce(struct node_seal *s, struct node_nonce *n)
{
	map_remove(&s->nonces, str_of(n->text, n->len));
	list_remove(&n->node);
	memory_free(n);
}

void node_seal_done(struct node_seal *s)
{
	while (!list_is_empty(&s->by_time))
		forget_nonce(s, LIST_ITEM(s->by_time.next, struct node_nonce, node));
	map_done(&s->nonces);
}

static struct str key_of(const struct node_seal *s)
{
	return str_of(s->key, sizeof s->key);
}

/* ---- calls ---- */

static struct str code_of(const struct node_seal *s, struct arena *mem,
                          const struct node_seal_call *c)
{
	struct sha256 body = sha256_of(c->body), mac;

	mac = sha256_hmac(key_of(s),
	                  arena_printf(mem, "call v1\nPOST\n%.*s\n%llu\n%llu\n%lld\n%.*s\n%.*s",
	                               STR_ARG(NODE_SEAL_PATH), (unsigned long long)c->from,
	                               (unsigned long long)c->to, (long long)c->time_ms,
	                               STR_ARG(c->nonce), STR_ARG(sha256_hex(mem, &body))));
	return sha256_hex(mem, &mac);
}

struct str node_seal_write(const struct node_seal *s, struct arena *mem,
                           const struct node_seal_call *c)
{
	return arena_printf(mem, "v1,%llu,%llu,%lld,%.*s,%.*s", (unsigned long long)c->from,
	                    (unsigned long long)c->to, (long long)c->time_ms, STR_ARG(c->nonce),
	                    STR_ARG(code_of(s, mem, c)));
}

static bool read_header(struct arena *mem, struct str header, struct node_seal_call *ret,
                        struct str *ret_mac)
{
	struct str rest = header, from, to, time, nonce;

	if (!str_is(header) || !str_eq(str_cut(&rest, ','), STR("v1")))
		return false;
	from = str_cut(&rest, ',');
	to = str_cut(&rest, ',');
	time = str_cut(&rest, ',');
	nonce = str_cut(&rest, ',');
	if (!str_is(rest) || nonce.len < NONCE_MIN || nonce.len > NONCE_MAX ||
	    !str_to_u64(from, &ret->from) || !str_to_u64(to, &ret->to) ||
	    !str_to_i64(time, &ret->time_ms))
		return false;
	ret->nonce = arena_keep(mem, nonce);
	*ret_mac = rest;
	return true;
}

static enum error_code refuse(struct str *why, enum error_code code, struct str text)
{
	*why = text;
	return code;
}

/* They came about in the order of their times. */
static void forget_old(struct node_seal *s, int64_t now_ms)
{
	LIST_EACH_SAFE (&s->by_time, node, next) {
		struct node_nonce *n = LIST_ITEM(node, struct node_nonce, node);

		if (n->until_ms >= now_ms)
			break;
		forget_nonce(s, n);
	}
}

static void remember(struct node_seal *s, const struct node_seal_call *c)
{
	struct node_nonce *n = memory_zeroed(1, sizeof *n + c->nonce.len + 1);

	memcpy(n->text, c->nonce.ptr, c->nonce.len);
	n->len = c->nonce.len;
	n->until_ms = c->time_ms + NODE_SEAL_WINDOW_MS;
	map_put(&s->nonces, str_of(n->text, n->len), n);
	list_add(&s->by_time, &n->node);
}

/* The code first: what it does not cover is not believed. */
enum error_code node_seal_check(struct node_seal *s, struct arena *mem, struct str header,
                                struct str body, uint64_t self, int64_t now_ms,
                                struct node_seal_call *ret, struct str *why)
{
	struct node_seal_call c = { .body = body };
	struct str mac;
	int64_t off;

	if (!read_header(mem, header, &c, &mac))
		return refuse(why, ERROR_CODE_NODE_CALL_INVALID,
		              STR("the header Thole-Node is absent or not of its form"));
	if (!secret_eq(mac, code_of(s, mem, &c)))
		return refuse(why, ERROR_CODE_NODE_CALL_INVALID,
		              STR("the message authentication code is not the one of this call and "
		                  "this installation"));
	*ret = c;
	if (c.to != self)
		return refuse(why, ERROR_CODE_SESSION_MOVED,
		              STR("the call is for another start of this node"));
	off = c.time_ms - now_ms;
	if (llabs(off) > NODE_SEAL_WINDOW_MS)
		return refuse(why, ERROR_CODE_NODE_CALL_LATE,
		              arena_printf(mem,
		                           "the call was made %lld ms %s by the clock of this "
		                           "node, and %d ms are allowed: set the clocks of both "
		                           "machines",
		                           llabs(off), off < 0 ? "ago" : "ahead",
		                           NODE_SEAL_WINDOW_MS));
	forget_old(s, now_ms);
	if (map_get(&s->nonces, c.nonce))
		return refuse(why, ERROR_CODE_NODE_CALL_REPEATED,
		              STR("a call with this nonce was received before"));
	if (s->nonces.count >= NODE_SEAL_NONCES_MAX)
		return refuse(why, ERROR_CODE_OVERLOADED,
		              STR("too many calls of other nodes at once"));
	remember(s, &c);
	return 0;
}

/* ---- answers ---- */

struct str node_seal_answer(const struct node_seal *s, struct arena *mem, struct str nonce,
                            int status, struct str code, struct str body)
{
	struct sha256 hash = sha256_of(body), mac;

	mac = sha256_hmac(key_of(s),
	                  arena_printf(mem, "answer v1\n%.*s\n%d\n%.*s\n%.*s", STR_ARG(nonce),
	                               status, STR_ARG(code), STR_ARG(sha256_hex(mem, &hash))));
	return sha256_hex(mem, &mac);
}

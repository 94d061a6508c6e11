/*
 * SHA-256 and HMAC-SHA-256 over nettle.  nettle's state lives in an opaque
 * array of the header, so that no other file needs nettle's types.
 */
#include "base/hash/sha256.h"

#include <assert.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>

static_assert(SHA256_BYTES == SHA256_DIGEST_SIZE, "one hash, one size");
static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sha256_stream),
              "nettle's state fits into ours");

static struct sha256_ctx *state_of(struct sha256_stream *s)
{
	return (struct sha256_ctx *)(void *)s->opaque;
}

void sha256_begin(struct sha256_stream *s)
{
	sha256_init(state_of(s));
}

void sha256_more(struct sha256_stream *s, struct str data)
{
	if (data.len)
		sha256_update(state_of(s), data.len, (const uint8_t *)data.ptr);
}

struct sha256 sha256_end(struct sha256_stream *s)
{
	struct sha256 h;

	sha256_digest(state_of(s), sizeof h.state, h.state);
	return h;
}

struct sha256 sha256_of(struct str s)
{
	struct sha256_stream stream;

	sha256_begin(&stream);
	sha256_more(&stream, s);
	return sha256_end(&stream);
}

/*
 * The chain hashes the hash of a body, not the body: an erased event keeps its body's
 * hash, and the chain behind it stays verifiable.
 */
struct sha256 sha256_link_hash(const struct sha256 *prev, const struct sha256 *of_body)
{
	struct sha256 both[2] = { *prev, *of_body };

	static_assert(sizeof both == 2 * SHA256_BYTES, "two hashes side by side");
	return sha256_of(str_of((const char *)both, sizeof both));
}

struct sha256 sha256_link(const struct sha256 *prev, struct str body)
{
	struct sha256 of_body = sha256_of(body);

	return sha256_link_hash(prev, &of_body);
}

struct sha256 sha256_hmac(struct str key, struct str text)
{
	struct hmac_sha256_ctx ctx;
	struct sha256 mac;

	hmac_sha256_set_key(&ctx, key.len, (const uint8_t *)key.ptr);
	hmac_sha256_update(&ctx, text.len, (const uint8_t *)text.ptr);
	hmac_sha256_digest(&ctx, sizeof mac.state, mac.state);
	return mac;
}

struct str sha256_hex(struct arena *mem, const struct sha256 *h)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = arena_alloc_raw(mem, 2 * SHA256_BYTES + 1);

	for (size_t i = 0; i < SHA256_BYTES; i++) {
		hex[2 * i] = digits[h->state[i] >> 4];
		hex[2 * i + 1] = digits[h->state[i] & 15];
	}
	hex[2 * SHA256_BYTES] = '\0';
	return str_of(hex, 2 * SHA256_BYTES);
}

/* The value of a lower-case digit, plus one; 0: no digit. */
static const uint8_t digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool sha256_read_hex(struct str hex, struct sha256 *ret)
{
	struct sha256 h;
	bool is_hex = true;

	if (hex.len != 2 * SHA256_BYTES)
		return false;
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		unsigned high = digits[(unsigned char)hex.ptr[2 * i]];
		unsigned low = digits[(unsigned char)hex.ptr[2 * i + 1]];

		is_hex &= high && low;
		h.state[i] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	if (is_hex)
		*ret = h;
	return is_hex;
}

/* Not for secrets: the time depends on the content (secret_eq()). */
bool sha256_eq(const struct sha256 *a, const struct sha256 *b)
{
	return memcmp(a->state, b->state, SHA256_BYTES) == 0;
}

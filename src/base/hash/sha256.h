#ifndef BASE_SHA256_H
#define BASE_SHA256_H
/* SHA-256 over nettle; sha256.c is the only file that sees it. */
#include "base/arena.h"

#define SHA256_BYTES 32

struct sha256 {
	uint8_t state[SHA256_BYTES];
};

struct sha256_stream {
	_Alignas(16) unsigned char opaque[128];
};

struct sha256 sha256_of(struct str s);
/* The link of a chain: SHA256(prev ‖ SHA256(body)). */
struct sha256 sha256_link(const struct sha256 *prev, struct str body);
/* The same where only the body's own hash is left. */
struct sha256 sha256_link_hash(const struct sha256 *prev, const struct sha256 *of_body);
void sha256_begin(struct sha256_stream *s);
void sha256_more(struct sha256_stream *s, struct str data);
struct sha256 sha256_end(struct sha256_stream *s);

struct str sha256_hex(struct arena *mem, const struct sha256 *h); /* 64 lower-case digits */
bool sha256_read_hex(struct str hex, struct sha256 *ret) MUST_USE;
bool sha256_eq(const struct sha256 *a, const struct sha256 *b);

/* HMAC (RFC 2104) with a key of any length. */
struct sha256 sha256_hmac(struct str key, struct str text);

#endif

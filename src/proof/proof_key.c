/*
 * Reads and writes Ed25519 keys.  Their DER has one form: a fixed beginning, then
 * the 32 bytes of the key, so no parser of ASN.1 is needed.
 */
#include "proof/proof_key.h"

#include "base/hash/base64.h"

#include <stdio.h>
#include <string.h>

#define ALGORITHM 1 /* Ed25519, in verifier keys */
#define PUBLIC_BEGIN "-----BEGIN PUBLIC KEY-----"
#define PUBLIC_END "-----END PUBLIC KEY-----"
#define PRIVATE_BEGIN "-----BEGIN PRIVATE KEY-----"
#define PRIVATE_END "-----END PRIVATE KEY-----"

/* SubjectPublicKeyInfo and PrivateKeyInfo of Ed25519 (RFC 8410), up to the key. */
static const uint8_t public_der[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
	                              0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };
static const uint8_t private_der[] = { 0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
	                               0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20 };

static struct str bytes_of(const void *ptr, size_t len)
{
	return str_of(ptr, len);
}

struct str proof_key_id(struct arena *mem, const struct ed25519_public *key)
{
	struct sha256_stream s;
	struct sha256 sum;

	sha256_begin(&s);
	sha256_more(&s, bytes_of(public_der, sizeof public_der));
	sha256_more(&s, bytes_of(key->bytes, sizeof key->bytes));
	sum = sha256_end(&s);
	return sha256_hex(mem, &sum);
}

static void write_pem(struct buf *out, const char *begin, const char *end, const uint8_t *der,
                      size_t der_len, const uint8_t *key)
{
	uint8_t whole[sizeof private_der + ED25519_KEY_BYTES];

	memcpy(whole, der, der_len);
	memcpy(whole + der_len, key, ED25519_KEY_BYTES);
	buf_printf(out, "%s\n", begin);
	base64_write(out, bytes_of(whole, der_len + ED25519_KEY_BYTES));
	buf_printf(out, "\n%s\n", end);
	memset(whole, 0, sizeof whole);
}

void proof_key_write(struct buf *out, const struct ed25519_public *key)
{
	write_pem(out, PUBLIC_BEGIN, PUBLIC_END, public_der, sizeof public_der, key->bytes);
}

void proof_key_write_private(struct buf *out, const struct ed25519_private *key)
{
	write_pem(out, PRIVATE_BEGIN, PRIVATE_END, private_der, sizeof private_der, key->seed);
}

/* ---- PEM ---- */

/*
 * Cuts the next block out of *text.  False: there is none, or it has no end.  The base64 of a key
 * may be broken into lines.
 */
static bool next_block(struct str *text, struct str begin, struct str end, struct str *ret)
{
	ptrdiff_t at = str_find(*text, begin), to;
	struct str rest;

	if (at < 0)
		return false;
	rest = str_skip(*text, (size_t)at + begin.len);
	to = str_find(rest, end);
	if (to < 0)
		return false;
	*ret = str_head(rest, (size_t)to);
	*text = str_skip(rest, (size_t)to + end.len);
	return true;
}

static bool read_block(struct str block, const uint8_t *der, size_t der_len, uint8_t *ret)
{
	struct buf packed = { .max = 256 }, raw = { .max = 256 };
	bool is_good;

	for (size_t i = 0; i < block.len; i++)
		if (block.ptr[i] != '\n' && block.ptr[i] != '\r' && block.ptr[i] != ' ')
			buf_add_char(&packed, block.ptr[i]);
	is_good = !packed.overflowed && base64_read(&raw, buf_str(&packed)) &&
	          raw.len == der_len + ED25519_KEY_BYTES && memcmp(raw.ptr, der, der_len) == 0;
	if (is_good)
		memcpy(ret, raw.ptr + der_len, ED25519_KEY_BYTES);
	if (raw.ptr)
		memset(raw.ptr, 0, raw.len);
	if (packed.ptr)
		memset(packed.ptr, 0, packed.len);
	buf_done(&raw);
	buf_done(&packed);
	return is_good;
}

enum err proof_key_read_private(struct str text, struct ed25519_private *ret, struct error *e)
{
	struct str block;

	if (!next_block(&text, STR(PRIVATE_BEGIN), STR(PRIVATE_END), &block) ||
	    !read_block(block, private_der, sizeof private_der, ret->seed))
		return fail(e, ERR_INVALID, "not a private Ed25519 key in PEM (PKCS #8)");
	return OK;
}

/* ---- verifier keys ---- */

uint32_t proof_key_hash(struct str name, const struct ed25519_public *key)
{
	static const uint8_t kind[] = { '\n', ALGORITHM };
	struct sha256_stream s;
	struct sha256 sum;

	sha256_begin(&s);
	sha256_more(&s, name);
	sha256_more(&s, bytes_of(kind, sizeof kind));
	sha256_more(&s, bytes_of(key->bytes, sizeof key->bytes));
	sum = sha256_end(&s);
	return (uint32_t)sum.state[0] << 24 | (uint32_t)sum.state[1] << 16 |
	       (uint32_t)sum.state[2] << 8 | sum.state[3];
}

void proof_key_write_verifier(struct buf *out, struct str name, const struct ed25519_public *key)
{
	uint8_t raw[1 + ED25519_KEY_BYTES] = { ALGORITHM };

	memcpy(raw + 1, key->bytes, ED25519_KEY_BYTES);
	buf_printf(out, "%.*s+%08x+", STR_ARG(name), proof_key_hash(name, key));
	base64_write(out, bytes_of(raw, sizeof raw));
}

/* *ret_is_one: it has the form of a verifier key, good or bad. */
static bool read_verifier(struct str line, struct ed25519_public *ret, bool *ret_is_one)
{
	struct str rest = line, name = str_cut(&rest, '+'), hash;
	CLEANUP(buf_done) struct buf raw = { .max = 256 };
	char want[16];

	*ret_is_one = str_is(rest) && name.len && str_find_char(rest, '+') == 8 &&
	              str_find_char(name, ' ') < 0;
	if (!*ret_is_one)
		return false;
	hash = str_cut(&rest, '+');
	if (!base64_read(&raw, rest) || raw.len != 1 + ED25519_KEY_BYTES || raw.ptr[0] != ALGORITHM)
		return false;
	memcpy(ret->bytes, raw.ptr + 1, ED25519_KEY_BYTES);
	snprintf(want, sizeof want, "%08x", proof_key_hash(name, ret));
	return str_eq(hash, str_from(want));
}

/* ---- all keys of a text ---- */

static enum err read_blocks(struct str text, struct proof_keys *ret, struct error *e)
{
	struct str block;

	while (next_block(&text, STR(PUBLIC_BEGIN), STR(PUBLIC_END), &block)) {
		if (ret->count == PROOF_KEYS_MAX)
			return fail(e, ERR_TOO_LARGE, "more than %d keys", PROOF_KEYS_MAX);
		if (!read_block(block, public_der, sizeof public_der, ret->items[ret->count].bytes))
			return fail(e, ERR_INVALID, "not a public Ed25519 key in PEM");
		ret->count++;
	}
	return OK;
}

/* The base64 of a PEM block may look like a verifier key, so blocks are passed by. */
static enum err read_lines(struct str text, struct proof_keys *ret, struct error *e)
{
	bool is_block = false;

	while (str_is(text)) {
		struct str line = str_trim(str_cut(&text, '\n'));
		bool is_one;

		if (str_starts(line, STR("-----")))
			is_block = str_starts(line, STR("-----BEGIN "));
		if (is_block)
			continue;
		if (ret->count == PROOF_KEYS_MAX)
			return fail(e, ERR_TOO_LARGE, "more than %d keys", PROOF_KEYS_MAX);
		if (read_verifier(line, &ret->items[ret->count], &is_one))
			ret->count++;
		else if (is_one)
			return fail(e, ERR_INVALID, "not a verifier key of a signed note");
	}
	return OK;
}

enum err proof_key_read_all(struct str text, struct proof_keys *ret, struct error *e)
{
	enum err code;

	ret->count = 0;
	code = read_blocks(text, ret, e);
	if (!code)
		code = read_lines(text, ret, e);
	if (!code && !ret->count)
		code = fail(e, ERR_INVALID, "no public Ed25519 key was found");
	return code;
}

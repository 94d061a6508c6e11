/*
 * Codes that work once, and the signed cookies that they are exchanged for.
 */
#include "serve/auth/signin.h"

#include "base/hash/secret.h"
#include "base/hash/sha256.h"

#include <string.h>

/* Any other text that is signed with a token must have another prefix. */
#define PURPOSE "thole console session\n"

void signin_write_code(char out[SIGNIN_CODE_LEN], const uint8_t bytes[16])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 16; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
}

/* ---- codes ---- */

/* A new code replaces the oldest, so a flood of codes cannot take memory. */
struct str signin_mint(struct signin *s, struct str principal, int64_t now_ms,
                       const uint8_t entropy[16])
{
	struct signin_code *c = &s->codes[s->next];

	s->next = (s->next + 1) % COUNT_OF(s->codes);
	signin_write_code(c->text, entropy);
	c->principal = principal;
	c->until_ms = now_ms + LIMIT_CONSOLE_CODE_S * 1000;
	return str_of(c->text, sizeof c->text);
}

struct str signin_take(struct signin *s, struct str code, int64_t now_ms)
{
	struct signin_code *found = NULL;
	struct str principal;

	/* Compares with all codes, so that timing reveals nothing. */
	for (size_t i = 0; i < COUNT_OF(s->codes); i++) {
		struct signin_code *c = &s->codes[i];

		if (secret_eq(str_of(c->text, sizeof c->text), code) && c->until_ms > now_ms)
			found = c;
	}
	if (!found)
		return STR_NONE;
	principal = found->principal;
	*found = (struct signin_code){ 0 };
	return principal;
}

/* ---- tries ---- */

int64_t signin_wait_ms(const struct signin_tries *t, int64_t now_ms)
{
	return t->until_ms > now_ms ? t->until_ms - now_ms : 0;
}

/* A right code ends the series of wrong ones. */
void signin_tried(struct signin_tries *t, bool was_good, int64_t now_ms)
{
	t->wrong = was_good ? 0 : t->wrong + 1;
	if (t->wrong < LIMIT_SIGN_IN_TRIES)
		return;
	t->wrong = 0;
	t->until_ms = now_ms + 60000;
}

/* ---- cookies ---- */

static struct str mac_of(struct arena *mem, struct str token, struct str claim)
{
	struct str text = arena_printf(mem, PURPOSE "%.*s", STR_ARG(claim));
	struct sha256 mac = sha256_hmac(token, text);

	return sha256_hex(mem, &mac);
}

void signin_write_cookie(struct buf *out, struct str token, struct str device, int64_t until_ms,
                         const uint8_t entropy[16])
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char nonce[SIGNIN_CODE_LEN];
	struct str claim;

	signin_write_code(nonce, entropy);
	claim = arena_printf(mem, "%lld.%.*s%s%.*s", (long long)until_ms, (int)sizeof nonce, nonce,
	                     str_is(device) ? "." : "", STR_ARG(device));
	buf_add_str(out, claim);
	buf_add_char(out, '.');
	buf_add_str(out, mac_of(mem, token, claim));
}

struct str signin_cookie_bearer(struct str value)
{
	struct str rest = value, device;

	if (value.len > SIGNIN_COOKIE_MAX)
		return STR_NONE;
	(void)str_cut(&rest, '.');
	(void)str_cut(&rest, '.');
	device = str_cut(&rest, '.');
	return str_is(rest) ? device : STR_NONE;
}

/*
 * The length is checked before any work.  The mac comes before the expiry: the expiry
 * is trusted only if it was signed.
 */
bool signin_is_cookie(struct str value, struct str token, int64_t now_ms, int64_t *ret_until_ms)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	const size_t mac_len = 2 * SHA256_BYTES;
	struct str claim, until, mac;
	int64_t until_ms;

	if (value.len > SIGNIN_COOKIE_MAX || value.len < mac_len + 1 ||
	    value.ptr[value.len - mac_len - 1] != '.')
		return false;
	claim = str_head(value, value.len - mac_len - 1);
	mac = str_skip(value, claim.len + 1);
	mem = arena_new();
	if (!secret_eq(mac_of(mem, token, claim), mac))
		return false;
	until = str_cut(&claim, '.');
	if (!str_to_i64(until, &until_ms) || until_ms <= now_ms)
		return false;
	*ret_until_ms = until_ms;
	return true;
}

struct str signin_find_cookie(struct str header, struct str name)
{
	while (str_is(header)) {
		struct str pair = str_trim(str_cut(&header, ';'));
		struct str key = str_cut(&pair, '=');

		if (str_is(pair) && str_eq(key, name))
			return pair;
	}
	return STR_NONE;
}

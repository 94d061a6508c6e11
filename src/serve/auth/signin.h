#ifndef SERVE_SIGNIN_H
#define SERVE_SIGNIN_H
/*
 * How a browser becomes somebody: a code for a cookie.
 *
 *   person with a token ─ open_console ─► code, in a URL's fragment
 *   browser ─ POST /v1/console/sign-in ─► cookie, HttpOnly and SameSite=Strict
 *
 * A code is 128 random bits, works once and for LIMIT_CONSOLE_CODE_S; codes are
 * kept in memory and go with the process.
 *
 * A cookie holds "<expiry>.<nonce>.<mac>".  The mac is an HMAC whose key is the
 * token that the code was asked for with, so nothing is stored: a cookie is
 * good on the other side of a crash, for LIMIT_CONSOLE_SESSION_S, and ends
 * at once with its token.  Its bearer is who the token's bearer is.
 *
 * No clock and no randomness here: both come with the call.
 */
#include "base/buf.h"
#include "base/gen/limits.h"

#define SIGNIN_CODE_LEN 32
#define SIGNIN_COOKIE_MAX 128

struct signin_code {
	char text[SIGNIN_CODE_LEN]; /* hex; of an unused place: zero */
	struct str principal;       /* lives as long as the tokens do */
	int64_t until_ms;
};

/* Of wrong codes: too many in a row, and none is looked at for a minute. */
struct signin_tries {
	unsigned wrong;
	int64_t until_ms;
};

struct signin {
	struct signin_code codes[LIMIT_CONSOLE_CODES]; /* the oldest makes room for a new one */
	size_t next;
	/* Strangers at the hosts of devices do not lock the owner out. */
	struct signin_tries own, devices;
};

/* 128 random bits as text. */
void signin_write_code(char out[SIGNIN_CODE_LEN], const uint8_t bytes[16]);
/* How long no code is looked at; 0: one is. */
int64_t signin_wait_ms(const struct signin_tries *t, int64_t now_ms);
void signin_tried(struct signin_tries *t, bool was_good, int64_t now_ms);

/* The code's text. */
struct str signin_mint(struct signin *s, struct str principal, int64_t now_ms,
                       const uint8_t entropy[16]);
/* Whose code it is, once; absent when it is unknown, used or too old. */
struct str signin_take(struct signin *s, struct str code, int64_t now_ms);

/* A cookie's value for the bearer of this token. */
void signin_write_cookie(struct buf *out, struct str token, int64_t until_ms,
                         const uint8_t entropy[16]);
/* Was this value written with this token, and is it still good? */
bool signin_is_cookie(struct str value, struct str token, int64_t now_ms,
                      int64_t *ret_until_ms) MUST_USE;

/* The value of a cookie in a Cookie header; absent without it. */
struct str signin_find_cookie(struct str header, struct str name);

#endif

#ifndef SERVE_SIGNIN_H
#define SERVE_SIGNIN_H
/*
 * How a browser signs in: it exchanges a code for a cookie.
 *
 *   person with a token ─ open_console ─► code, in a URL's fragment
 *   browser ─ POST /v1/console/sign-in ─► cookie, HttpOnly and SameSite=Strict
 *
 * A code is 128 random bits, works once and for LIMIT_CONSOLE_CODE_S; codes are
 * kept in memory and go with the process.
 *
 * A cookie holds "<expiry>.<nonce>.<mac>", that of a paired device
 * "<expiry>.<nonce>.<device>.<mac>".  The mac is an HMAC whose key is the
 * token that requested the code, so nothing is stored: a cookie stays valid
 * after a crash, for LIMIT_CONSOLE_SESSION_S, and becomes invalid with its
 * token.  Its bearer has the principal of the token.
 *
 * No clock and no randomness here: both come with the call.
 */
#include "base/buf.h"
#include "base/gen/limits.h"

#define SIGNIN_CODE_LEN 32
#define SIGNIN_COOKIE_MAX 192

struct signin_code {
	char text[SIGNIN_CODE_LEN]; /* hex; of an unused place: zero */
	struct str principal;       /* lives as long as the tokens do */
	int64_t until_ms;
};

/* Wrong codes: after too many in a row, none is accepted for a minute. */
struct signin_tries {
	unsigned wrong;
	int64_t until_ms;
};

struct signin {
	struct signin_code codes[LIMIT_CONSOLE_CODES]; /* a new one replaces the oldest */
	size_t next;
	/* Counted separately, so that attempts at device hosts do not lock out the owner. */
	struct signin_tries own, devices;
};

/* 128 random bits as text. */
void signin_write_code(char out[SIGNIN_CODE_LEN], const uint8_t bytes[16]);
/* How long codes are refused; 0: they are accepted. */
int64_t signin_wait_ms(const struct signin_tries *t, int64_t now_ms);
void signin_tried(struct signin_tries *t, bool was_good, int64_t now_ms);

/* The code's text. */
struct str signin_mint(struct signin *s, struct str principal, int64_t now_ms,
                       const uint8_t entropy[16]);
/* Consumes a code and returns its principal; absent when it is unknown, used or expired. */
struct str signin_take(struct signin *s, struct str code, int64_t now_ms);

/* A cookie's value for the bearer of this token.  device: its id; absent: it is no device's. */
void signin_write_cookie(struct buf *out, struct str token, struct str device, int64_t until_ms,
                         const uint8_t entropy[16]);
/* The device that a value names; absent without one.  Nothing of it is checked. */
struct str signin_cookie_bearer(struct str value);
/* Whether this value was signed with this token and has not expired. */
bool signin_is_cookie(struct str value, struct str token, int64_t now_ms,
                      int64_t *ret_until_ms) MUST_USE;

/* The value of a cookie in a Cookie header; absent without it. */
struct str signin_find_cookie(struct str header, struct str name);

#endif

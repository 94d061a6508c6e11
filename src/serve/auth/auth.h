#ifndef SERVE_AUTH_H
#define SERVE_AUTH_H
/*
 * Authentication of requests.
 *
 * Two checks, in this order.  The place: on TCP the Host must be one
 * of ours, so that a name that a web page rebinds to this machine does not
 * work; an Origin, when there is one, must be the page that we served
 * ourselves or be allowed, and "null" never is.
 * The principal: a bearer token in the Authorization header (never in the URL,
 * where it would be written to logs), or the cookie of a console that signed
 * in (signin.h), or, on the Unix socket, the peer's user id from the kernel,
 * which must be this user or root.
 *
 * A paired device (devices.h) uses its own host: only its cookie is accepted
 * there, and only there.
 *
 * A browser sends its cookie by itself, and to every port of this machine, so
 * a cookie counts only when the browser says that our own page is asking
 * (Sec-Fetch-Site), or, without that header, for reads and for requests whose
 * Origin was checked.
 */
#include "net/http/http_parse.h"
#include "net/stream.h"
#include "serve/auth/devices.h"
#include "serve/serve.h"
#include "serve/auth/forwarded.h"
#include "serve/auth/issuers.h"
#include "serve/auth/signin.h"

struct auth {
	struct control *control; /* knows the named tokens */
	struct serve_token *tokens;
	size_t token_count;
	struct str *hosts;
	size_t host_count;
	struct str *origins;
	size_t origin_count;
	struct forwarded_options proxies;
	struct issuers *issuers; /* NULL: no issuer is configured */
	struct clock *clock;     /* NULL: sign-in is disabled */
	struct signin signin;
	struct devices devices;
	struct str cookie_name; /* differs from runtime to runtime: ports share cookies */
};

/* The value of `via` for calls with a cookie. */
#define AUTH_VIA_CONSOLE STR("console")

/* Copies the options into mem. */
enum err auth_init(struct auth *a, struct arena *mem, struct control *control,
                   const struct serve_options *o, struct error *e) MUST_USE;

/* 0, or ERROR_CODE_HOST_NOT_ALLOWED, or ERROR_CODE_ORIGIN_NOT_ALLOWED. */
enum error_code auth_place(const struct auth *a, const struct http_message *m, bool is_unix);

/* Whether this host belongs to a device and is no other name of ours. */
bool auth_is_device_place(const struct auth *a, const struct http_message *m);

enum auth_answer {
	AUTH_STRANGER,
	AUTH_KNOWN,
	AUTH_WAIT,        /* the keys of the token's issuer are being fetched */
	AUTH_UNAVAILABLE, /* they cannot be had now */
	AUTH_NO_SCOPE,    /* a valid token that permits nothing */
	AUTH_FULL,        /* too many bearers of tokens of issuers */
};

/* What auth_person() needs besides the request, and what it says besides its answer. */
struct auth_wait {
	struct issuers_waiter *waiter; /* is called after AUTH_WAIT; NULL: nothing waits */
	const char *why;               /* what is wrong with a token of an issuer; NULL: nothing */
};

/* Fills principal and scopes.  stream may be NULL. */
enum auth_answer auth_person(const struct auth *a, const struct http_message *m,
                             const struct stream *stream, struct caller *ret,
                             struct auth_wait *wait) MUST_USE;

/* The part of it that looks at the cookie alone. */
bool auth_cookie(const struct auth *a, const struct http_message *m, struct caller *ret,
                 int64_t *ret_until_ms) MUST_USE;
/* The token of that name; NULL without one. */
const struct serve_token *auth_token_of(const struct auth *a, struct str name);
/* Replaces the owner's token, with codes, cookies and devices; there is one. */
void auth_set_token(struct auth *a, struct arena *mem, struct str token);
/* One more name to be reached by; there is room for one. */
void auth_add_host(struct auth *a, struct arena *mem, struct str host);

/* The same for a token by itself. */
enum auth_answer auth_token(const struct auth *a, struct str token, struct caller *ret,
                            struct auth_wait *wait) MUST_USE;

/* "https://host:port": how the request reached this runtime, or its proxy.  The Host was checked. */
struct str auth_url(const struct auth *a, struct arena *mem, const struct http_message *m,
                    const struct stream *stream);

/* Whether the caller reaches only some sessions: what shows all of them is not for it. */
bool auth_is_limited(const struct caller *caller);

/* Does the kernel say that the peer of this Unix socket is this user or root? */
bool auth_is_owner(const struct stream *stream);
void auth_owner(struct caller *ret);

/* Can only this machine reach an address of the form "host:port"? */
bool auth_is_loopback(struct str address);
/*
 * The host by which this machine reaches what listens there: the same, but
 * for "all addresses" loopback, since those are nowhere to go to.
 */
struct str auth_reached_at(struct str address);

#endif

#ifndef SERVE_AUTH_H
#define SERVE_AUTH_H
/*
 * Who is asking, and may they come in by this door?
 *
 * Two questions, asked in this order.  The place: on TCP the Host must be one
 * of ours, so that a name that a web page rebinds to this machine does not
 * work; an Origin, when there is one, must be allowed, and "null" never is.
 * The person: a bearer token in the Authorization header (never in the URL,
 * where it would be written to logs), or, on the Unix socket, the kernel's
 * word that the peer is this user or root.
 */
#include "net/http_parse.h"
#include "net/stream.h"
#include "serve/serve.h"

struct auth {
	struct serve_token *tokens;
	size_t token_count;
	struct str *hosts;
	size_t host_count;
	struct str *origins;
	size_t origin_count;
};

/* Copies what the options say into mem. */
enum err auth_init(struct auth *a, struct arena *mem, const struct serve_options *o,
                   struct error *e) MUST_USE;

/* 0, or ERROR_CODE_HOST_NOT_ALLOWED, or ERROR_CODE_ORIGIN_NOT_ALLOWED. */
enum error_code auth_place(const struct auth *a, const struct http_message *m, bool is_unix);

/* Fills principal and scopes.  stream may be NULL. */
bool auth_person(const struct auth *a, const struct http_message *m, const struct stream *stream,
                 struct control_caller *ret) MUST_USE;

/* The same for a token by itself. */
bool auth_token(const struct auth *a, struct str token, struct control_caller *ret) MUST_USE;

/* Does the kernel say that the peer of this Unix socket is this user or root? */
bool auth_is_owner(const struct stream *stream);
void auth_owner(struct control_caller *ret);

/* Can only this machine reach an address of the form "host:port"? */
bool auth_is_loopback(struct str address);

#endif

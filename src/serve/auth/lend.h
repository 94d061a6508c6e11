#ifndef SERVE_AUTH_LEND_H
#define SERVE_AUTH_LEND_H
/*
 * lend_keys: a client lends the keys of its environment (ports/credentials.h).
 *
 * Only a JSON-RPC connection that the kernel shows to be the owner's may do so:
 * on the Unix socket, or inside this process.  A token, a cookie and a
 * forwarder are not enough, because keys must not travel through them.
 */
#include "serve/serve_int.h"

/* Writes the reply to out.  The texts of the keys in params are wiped. */
enum error_code lend_take(struct serve *s, const struct caller *caller, struct json params,
                          struct buf *out, struct error *detail) MUST_USE;
/* The connection has ended. */
void lend_end(struct serve *s, const struct caller *caller);

#endif

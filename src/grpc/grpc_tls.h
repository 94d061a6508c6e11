#ifndef GRPC_TLS_H
#define GRPC_TLS_H
/*
 * TLS to an agent, without a socket: bytes of the network go in and come out.
 *
 *   plain ──► grpc_tls_write() ──► grpc_tls_out() ──► network
 *   plain ◄── on_plain ◄────────── grpc_tls_take() ◄── network
 *
 * The certificate has to be valid for the name of the agent, and the agent has to choose HTTP/2; both
 * are known before the first plain byte leaves.  Nothing falls back to a connection without TLS.
 *
 * libssl is loaded with the first context: an adapter without TLS does not need it.  Loop thread only.
 */
#include "base/buf.h"
#include "base/err.h"

struct grpc_tls_context;
struct grpc_tls;

/* ca_file: certificates that are trusted instead of those of the system; NULL: those. */
enum err grpc_tls_context_new(const char *ca_file, struct grpc_tls_context **ret,
                              struct error *e) MUST_USE;
void grpc_tls_context_free(struct grpc_tls_context *c); /* NULL is fine */

/* host: a name, or an address.  owner: of on_plain. */
struct grpc_tls *grpc_tls_new(struct grpc_tls_context *c, const char *host,
                              void (*on_plain)(void *owner, struct str bytes), void *owner);
void grpc_tls_free(struct grpc_tls *t); /* NULL is fine */

/* Before the handshake is complete the bytes wait. */
void grpc_tls_write(struct grpc_tls *t, struct str plain);
/* NULL: all is well.  Otherwise why the connection has to be closed; it lives as long as t. */
const char *grpc_tls_take(struct grpc_tls *t, struct str bytes);
/* What has to be sent now is added to out. */
void grpc_tls_out(struct grpc_tls *t, struct buf *out);

#endif

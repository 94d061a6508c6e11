#ifndef GRPC_REMOTE_H
#define GRPC_REMOTE_H
/*
 * Calls of an agent that speaks A2A over gRPC.  One connection of HTTP/2 in clear text carries all
 * calls.  It is opened by the first call and again by the next one after it broke or the agent
 * announced its end.  No call is repeated.  Loop thread only.
 *
 *   grpc_remote_call() ──► message ──► message ... ──► end
 *        └── grpc_remote_cancel(): nothing follows
 *
 * Callbacks come from the loop, never from inside a call.  Inside a callback the owner may cancel,
 * pause and resume.
 */
#include "base/err.h"
#include "grpc/grpc_status.h"
#include "grpc/grpc_tls.h"
#include "net/loop.h"
#include "proto/proto.h"
#include "sandbox/net_host.h"

struct grpc_remote;
struct grpc_ask;

struct grpc_remote_field {
	struct str name, value;
};

struct grpc_remote_sink {
	/* One message in wire form.  It lives until this returns. */
	void (*message)(void *owner, struct str wire);
	/* The call is gone when this returns. */
	void (*end)(void *owner, const struct grpc_status *s);
};

/*
 * host is a name or an address.  tls: NULL for plain connections; otherwise it lives longer than the
 * remote.  Nothing is connected yet.
 */
struct grpc_remote *grpc_remote_new(struct loop *l, const struct net_host *host, uint16_t port,
                                    struct grpc_tls_context *tls);
/* Open calls end without callback.  NULL is fine. */
void grpc_remote_free(struct grpc_remote *r);

/* Everything is copied. */
struct grpc_ask *grpc_remote_call(struct grpc_remote *r, const struct proto_method *m,
                                  const struct grpc_remote_field *fields, size_t count,
                                  struct str wire, const struct grpc_remote_sink *sink,
                                  void *owner);
void grpc_remote_cancel(struct grpc_ask *a);
/* While paused the agent may send one window of 64 KiB more, and what that completes still comes. */
void grpc_remote_pause(struct grpc_ask *a);
void grpc_remote_resume(struct grpc_ask *a);

#endif

#ifndef GRPC_SERVER_H
#define GRPC_SERVER_H
/*
 * The service of A2A over gRPC, forwarded to the HTTP+JSON binding of a runtime.  Callers connect
 * with HTTP/2 in clear text and prior knowledge.  Nothing is stored, and no caller is known here: the
 * credential of each call goes to the runtime, which decides.  Loop thread only.
 */
#include "base/err.h"
#include "net/loop.h"

struct grpc_server;

struct grpc_server_options {
	struct loop *loop;
	struct str listen; /* "127.0.0.1:7434" */
	struct str to;     /* address of the interface: "http://127.0.0.1:7433/a2a/v1" */
};

/* on_done is called when a drained server has no connection left. */
enum err grpc_server_new(const struct grpc_server_options *o, void (*on_done)(void *arg), void *arg,
                         struct grpc_server **ret, struct error *e) MUST_USE;
/* The address with the port that was bound. */
struct str grpc_server_address(const struct grpc_server *s);
/* No new calls; those under way have LIMIT_GRPC_DRAIN_S. */
void grpc_server_drain(struct grpc_server *s);
/* NULL is fine. */
void grpc_server_free(struct grpc_server *s);

#endif

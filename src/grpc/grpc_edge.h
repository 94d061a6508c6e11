#ifndef GRPC_EDGE_H
#define GRPC_EDGE_H
/*
 * The HTTP+JSON interface of an agent that speaks gRPC only: each request becomes a call.  The
 * card that it serves is the agent's, with this interface instead of its own.  Requests of web
 * pages are refused.  Loop thread only.
 */
#include "base/err.h"
#include "grpc/grpc_tls.h"
#include "net/loop.h"
#include "sandbox/net_host.h"

struct grpc_edge;

struct grpc_edge_options {
	struct loop *loop;
	struct str listen;
	struct net_host agent;
	uint16_t port;
	struct grpc_tls_context *tls; /* NULL: the agent is called without TLS */
	struct str card; /* address of the agent's card; absent: the agent is asked over gRPC */
};

enum err grpc_edge_new(const struct grpc_edge_options *o, struct grpc_edge **ret,
                       struct error *e) MUST_USE;
struct str grpc_edge_address(const struct grpc_edge *g);
/* NULL is fine. */
void grpc_edge_free(struct grpc_edge *g);

#endif

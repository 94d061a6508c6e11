#ifndef GRPC_ROUTE_H
#define GRPC_ROUTE_H
/*
 * Methods of the service and requests of the HTTP+JSON binding, in both directions.  The table of
 * proto.h has the paths.  Pure.
 */
#include "base/arena.h"
#include "base/err.h"
#include "proto/proto.h"

/* path: "/lf.a2a.v1.A2AService/GetTask".  NULL: there is no such method. */
const struct proto_method *grpc_route_method(struct str path);

struct grpc_route {
	struct str verb;   /* "GET" */
	struct str target; /* path and query, encoded: "/tasks/x?historyLength=1" */
	struct str body;   /* JSON; absent: the request has none */
};

/*
 * request: ProtoJSON.  Views live in mem.  A value that the path needs and that is empty, or that
 * would change the meaning of the path, is an error.
 */
enum err grpc_route_request(struct arena *mem, const struct proto_method *m, struct str request,
                            struct grpc_route *ret, struct error *e) MUST_USE;

struct grpc_route_param {
	struct str name, value;
};

/* A request of the HTTP+JSON binding: path decoded, behind the address of the interface. */
struct grpc_route_http {
	struct str verb, path, body;
	const struct grpc_route_param *params;
	size_t param_count;
};

/* NULL: no method is at this path.  The request becomes ProtoJSON in *ret_request. */
const struct proto_method *grpc_route_find(struct arena *mem, const struct grpc_route_http *in,
                                           struct str *ret_request, struct error *e) MUST_USE;

#endif

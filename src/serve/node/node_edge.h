#ifndef SERVE_NODE_NODE_EDGE_H
#define SERVE_NODE_NODE_EDGE_H
/*
 * POST /v1/node/call: a command of another node of this installation.
 */
#include "serve/serve_int.h"

/* Ends the request, now or when the control answers. */
void node_edge_open(struct serve *s, struct http_request *req);

#endif

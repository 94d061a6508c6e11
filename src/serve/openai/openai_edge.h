#ifndef SERVE_OPENAI_EDGE_H
#define SERVE_OPENAI_EDGE_H
/*
 * Requests of clients of the OpenAI APIs, below /openai/v1/.  The request is the edge's from then
 * on.  Loop thread only.
 */
#include "serve/serve_int.h"

void openai_edge_open(struct serve *s, struct http_request *req, const struct caller *caller);

#endif

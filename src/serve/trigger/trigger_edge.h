#ifndef SERVE_TRIGGER_EDGE_H
#define SERVE_TRIGGER_EDGE_H
/* A delivery of a webhook. */
#include "serve/serve_int.h"

void trigger_edge_open(struct serve *s, struct http_request *req, struct str name);

#endif

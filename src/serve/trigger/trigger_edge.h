#ifndef SERVE_TRIGGER_EDGE_H
#define SERVE_TRIGGER_EDGE_H
/* A delivery of a webhook. */
#include "serve/serve_int.h"

/* Does a trigger have this path, and does the request say that it is signed? */
bool trigger_edge_may_send(const struct serve *s, const struct http_message *head);
void trigger_edge_open(struct serve *s, struct http_request *req, struct str name);

#endif

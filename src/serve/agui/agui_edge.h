#ifndef SERVE_AGUI_EDGE_H
#define SERVE_AGUI_EDGE_H
/* POST /ag-ui.  The request is the edge's from then on.  Loop thread only. */
#include "serve/serve_int.h"

void agui_edge_open(struct serve *s, struct http_request *req, const struct caller *caller);

#endif

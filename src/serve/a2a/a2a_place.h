#ifndef SERVE_A2A_PLACE_H
#define SERVE_A2A_PLACE_H
/* What requests, streams and push notifications need of the edge. */
#include "serve/a2a/a2a_edge.h"

/* "http://host:port" of the request, or the setting; lives in mem. */
struct str a2a_place_url(const struct a2a_edge *edge, struct arena *mem,
                         const struct http_request *req);

/*
 * Adds the headers that let a page of another origin read the reply.  Origins that the setting
 * `origins` does not name were refused before.  There must be room for two.
 */

/* The events that a2a_task_event() reads, as in control_stream. */
extern const uint64_t a2a_place_types[2];

/* The sequence before the first event of a task, as far as it is known. */
uint64_t a2a_place_of(const struct a2a_edge *edge, struct str session_id, struct str task_id);
void a2a_place_learn(struct a2a_edge *edge, struct str session_id, struct str task_id,
                     uint64_t first_sequence);

#endif

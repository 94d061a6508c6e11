#ifndef SERVE_A2A_EDGE_H
#define SERVE_A2A_EDGE_H
/*
 * The edge to A2A peers: what the daemon does with requests at /.well-known/agent-card.json, /a2a
 * (JSON-RPC) and below /a2a/v1 (HTTP+JSON).  It exists only if a setting turns it on.
 * Loop thread only.
 */
#include "base/gen/limits.h"
#include "serve/a2a/a2a_peers.h"
#include "serve/a2a/a2a_push.h"
#include "serve/serve_int.h"

#define A2A_HTTP_PATH "/a2a/v1"

/* Where the events of a task begin; a guess is checked by the fold. */
struct a2a_place {
	uint64_t key, sequence;
};

struct a2a_edge {
	struct serve *serve;
	struct arena *mem;
	struct serve_a2a opt;
	struct a2a_peers peers;
	struct a2a_pushes *pushes;
	struct a2a_place *places; /* LIMIT_A2A_PLACES; NULL: none yet */
};

/* NULL: e says why. */
struct a2a_edge *a2a_edge_new(struct serve *s, const struct serve_a2a *o, struct error *e) MUST_USE;
/* When no connection is left.  NULL is fine. */
void a2a_edge_free(struct a2a_edge *edge);

/* The card, for everyone. */
void a2a_edge_card(struct a2a_edge *edge, struct http_request *req);
/* A request of a known caller at one of the two addresses. */
void a2a_edge_open(struct a2a_edge *edge, struct http_request *req, const struct caller *caller);

/* "http://host:port" of the request, or the setting; lives in mem. */
struct str a2a_edge_url(const struct a2a_edge *edge, struct arena *mem,
                        const struct http_request *req);

/* The events that a2a_task_event() reads, as in control_stream. */
extern const uint64_t a2a_edge_types[2];

/* The sequence before the first event of a task, as far as it is known. */
uint64_t a2a_edge_place(const struct a2a_edge *edge, struct str session_id, struct str task_id);
void a2a_edge_learn(struct a2a_edge *edge, struct str session_id, struct str task_id,
                    uint64_t first_sequence);

#endif

#ifndef SERVE_A2A_EDGE_H
#define SERVE_A2A_EDGE_H
/*
 * The edge to A2A peers: what the daemon does with requests at /.well-known/agent-card.json, /a2a
 * (JSON-RPC) and below /a2a/v1 (HTTP+JSON).  It exists only if a setting turns it on.
 * Loop thread only.
 */
#include "a2a/a2a_card.h"
#include "base/gen/limits.h"
#include "serve/peers.h"
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
	struct peers peers;
	struct a2a_pushes *pushes;
	struct a2a_place *places; /* LIMIT_A2A_PLACES; NULL: none yet */
	struct a2a_extensions extensions;
	struct a2a_sign *sign; /* NULL: the card is not signed */
};

/* NULL: e says why. */
struct a2a_edge *a2a_edge_new(struct serve *s, const struct serve_a2a *o, struct error *e) MUST_USE;
/* When no connection is left.  NULL is fine. */
void a2a_edge_free(struct a2a_edge *edge);

/* The card, for everyone. */
void a2a_edge_card(struct a2a_edge *edge, struct http_request *req);
/* The card as it is, without a signature. */
struct a2a_card a2a_edge_describe(const struct a2a_edge *edge, struct arena *mem,
                                  const struct http_request *req);
void a2a_edge_reply_card(struct http_request *req, const struct a2a_card *card);
/* A request of a known caller at one of the two addresses. */
void a2a_edge_open(struct a2a_edge *edge, struct http_request *req, const struct caller *caller);

#endif

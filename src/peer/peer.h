#ifndef PEER_PEER_H
#define PEER_PEER_H
/*
 * Remote agents as workers of tasks (A2A), and as tools `peer__NAME` behind ports/tool.h.
 *
 *	"agents": { "remote": {
 *	  "reviewer": { "card": "https://review.example.org/.well-known/agent-card.json",
 *	                "headers": { "Authorization": "Bearer ${REVIEW_TOKEN}" },
 *	                "description": "Reviews changes." } } }
 *
 * Headers are sent to the origin of the card alone.  Everything belongs to the loop's thread.
 */
#include "net/http/http_client.h"
#include "ports/agents.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "ports/store.h"
#include "ports/tool.h"

struct peer_options {
	struct loop *loop;
	struct clock *clock;
	struct store *store;             /* pins of cards, ids of channels */
	struct http_client *http_client; /* NULL: nothing is sent; for checks */
	struct json settings;            /* agents.remote; must outlive the set */
	const struct str *allow_hosts;   /* peers.allow_hosts */
	size_t allow_host_count;
	char *const *environ;
};

/* Reads the settings and opens nothing; ERR_INVALID names the agent that is none. */
enum err peer_check(const struct peer_options *o, struct error *e) MUST_USE;
enum err peer_open(const struct peer_options *o, struct toolset **ret, struct error *e) MUST_USE;
/* Follows the log from now on and continues open delegations. */
void peer_start(struct toolset *t, struct control *control);
/* Drops connections; open delegations continue after the next start.  The control still exists. */
void peer_stop(struct toolset *t);
/* The same set, for display. */
struct agents *peer_agents(struct toolset *t);
/* Delegations are open: the runtime does not stop for idleness. */
bool peer_is_busy(const struct toolset *t);

#endif

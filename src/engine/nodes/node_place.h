#ifndef ENGINE_NODES_NODE_PLACE_H
#define ENGINE_NODES_NODE_PLACE_H
/*
 * Brings sessions to the node that has their directory (core/session/placement.h).
 *
 *   a command for a session at rest ──► the node with the directory, if one lives
 *   a new session with a placement  ──► a node that meets it, or a refusal
 *   a turn that waits for a node    ──► a row of the store; that node finds it and claims the session
 *
 * Nothing else moves a session: while no such node lives, the one that was asked reads and decides.
 */
#include "engine/request/request.h"
#include "ports/store_read.h"

struct node_place {
	struct clock_timer timer;
	struct store_read read;
	struct arena *mem, *page; /* NULL before the first look */
	const struct str *keys;   /* of placement_keys_of_node() */
	size_t key_count, key;    /* key: the one that is being read */
	struct str from_key;      /* where the next page begins, in `page` */
	int64_t from_at;
	size_t found; /* sessions that this pass has tried to claim */
	size_t loads; /* the same since the last pause */
	bool is_due, is_reading;
};

/* What this node has, as it told the store; NULL: no other node is expected. */
const struct rec_node_place *node_place_own(struct engine *e);
/* Of another node. */
const struct rec_node_place *node_place_read(struct arena *mem, struct str text);
/* Others have written, or this node begins: looks for turns that wait for it. */
void node_place_look(struct engine *e);
/* The session was loaded: a turn of it that waited for this node continues. */
void node_place_load(struct session *s, enum load_phase phase);
/* A new session with a placement that this node does not meet.  True: it is carried out elsewhere, or refused. */
bool node_place_route(struct request *r);
/* A step of REQUEST_GATHER: another node may have the directory of the session. */
bool node_place_gather(struct request *r);
void node_place_free(struct engine *e);

#endif

#ifndef ENGINE_NODES_NODE_REV_H
#define ENGINE_NODES_NODE_REV_H
/*
 * Nodes of neighbouring versions: which events this program folds, and which every node does
 * (ports/store_nodes.h).
 *
 * A slice names the highest revision of its events, so the store gives a session that has newer ones
 * to no older node.  The system session is for all nodes: a command that would write newer events
 * there is refused until the last older node has ended.
 *
 * Tests with THOLE_STRICT=1 make a program another one with THOLE_TEST_REV: its revision, and names of
 * event classes that came with that revision, with spaces between them.
 */
#include "catalog/catalog.h"

struct engine;
struct session;
struct decision;

struct node_rev {
	uint32_t program;
	uint32_t of_class[EV_COUNT];
};

uint32_t node_rev_of_program(void);
void node_rev_init(struct node_rev *r);
/* What a node needs to fold an event of this class. */
uint32_t node_rev_of(const struct session *s, enum event_type type);
/* Nodes of two programs live: what another one derived may differ without being wrong. */
bool node_rev_is_mixed(const struct engine *e);
/* A node lives, or may start, that cannot fold an event of this class. */
bool node_rev_is_early(const struct engine *e, enum event_type type);
/* Why that is refused where all nodes follow; with the name of the class. */
#define NODE_REV_TOO_EARLY                                                                         \
	"a node of an older version lives, which does not know %.*s; `thole node ls` shows it. "   \
	"Repeat the command when all nodes have this version"
/* Refuses the decision about a command in the system session if its events are too early. */
void node_rev_check(const struct session *s, struct decision *d);
/*
 * Is it a decision there that no command made, with an event that is too early?  It is left out: an
 * older node would read the session that all follow as damaged.
 */
bool node_rev_leaves_out(const struct session *s, const struct decision *d);

#endif

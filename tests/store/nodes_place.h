#ifndef TESTS_STORE_NODES_PLACE_H
#define TESTS_STORE_NODES_PLACE_H
/*
 * Several nodes in one place, for the tests of ports/store_nodes.h: what each of them was
 * sent, and requests carried to their reply while all are polled.
 *
 * THOLE_STORE names the kind of store.
 */
#include "contract.h"

#include "base/os/clock.h"

#define NODES_MAX 5
#define NODE_SESSIONS 16

struct node {
	struct contract c;
	/* What store_watch reported. */
	struct node_moved {
		char id[40];
		uint64_t seq;
		unsigned times;
	} moved[NODE_SESSIONS];
	size_t moved_count;
	uint64_t position;
	char orphans[NODE_SESSIONS][40];
	size_t orphan_count;
	unsigned expelled, ended;
	struct node_wanted {
		char account[40];
		int64_t amount;
		bool is_first;
		unsigned times;
	} wanted;          /* the last one */
	uint64_t all_seen; /* the last one */
};

struct nodes {
	struct node all[NODES_MAX];
	size_t count;
};

/* Opens `count` nodes, named a, b, c ... at http://a:1, http://b:1 ... */
void nodes_start(struct nodes *p, size_t count);
/* Opens node i again after it was closed, killed or expelled. */
void nodes_open(struct nodes *p, size_t i);
void nodes_done(struct nodes *p);
void nodes_kill(struct nodes *p, size_t i);
void nodes_pause(struct nodes *p, size_t i, bool is_paused);

/* Delivers what is there on all open nodes, and lets a moment pass. */
void nodes_poll(struct nodes *p);
void nodes_poll_for(struct nodes *p, int64_t ms);
#define NODES_UNTIL(p, condition)                                                                  \
	do {                                                                                       \
		int64_t deadline = clock_mono_ms() + 120000;                                       \
		while (!(condition)) {                                                             \
			if (clock_mono_ms() > deadline)                                            \
				t_fail(__FILE__, __LINE__, "waited in vain for: %s", #condition);  \
			nodes_poll(p);                                                             \
		}                                                                                  \
	} while (0)

static inline const struct store_nodes_ops *nodes_ops(struct nodes *p, size_t i)
{
	return p->all[i].c.store->nodes;
}

/* A claim to its reply, which port_store_claim_done() frees. */
struct store_claim nodes_claim(struct nodes *p, size_t i, struct str session);
/* Claims it, which must succeed, and continues at its head. */
struct writer nodes_take(struct nodes *p, size_t i, struct str session);
void nodes_release(struct nodes *p, size_t i, struct str session);
/* Its head, read by node i. */
struct writer nodes_head(struct nodes *p, size_t i, struct str session);
struct store_nodes_read nodes_list(struct nodes *p, size_t i, bool with_ended);
/* The ended ones too, and what each may use. */
struct store_nodes_read nodes_list_allotments(struct nodes *p, size_t i);
/* The state in which node i sees the newest incarnation with this name. */
enum store_node_state nodes_state(struct nodes *p, size_t i, const char *name);

/* Settles one account to its reply, which must be OK. */
void nodes_note_allotment(struct store_allotment *a); /* clears its owner */
struct store_allotment nodes_allot(struct nodes *p, size_t i, const char *account, int64_t cap,
                                   int64_t keep, int64_t want);

const struct node_moved *nodes_moved(const struct nodes *p, size_t i, const char *session);
bool nodes_has_orphan(const struct nodes *p, size_t i, const char *session);

/* A row with which a session has open work. */
void nodes_add_open(struct nodes *p, size_t i, struct slice *sl, bool is_open);

#endif

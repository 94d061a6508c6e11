#ifndef TESTS_LIB_SIM_NODES_H
#define TESTS_LIB_SIM_NODES_H
/*
 * Several runtimes on one store and one clock, in one process: each is a whole simulation (sim.h)
 * on the model of a store (model_store.h), and commands for sessions of others go over a link of
 * messages that the test can cut.
 *
 * A node may be killed, stalled (nothing of it runs, time passes) and started again.
 */
#include "model_store.h"
#include "sim.h"

#define SIM_NODES_MAX 3
#define SIM_NODES_EPOCH_MS 1794700800000 /* of the store's clock */

struct sim_nodes;

struct sim_nodes_options {
	unsigned count;
	struct sim_options sim; /* of each; watch, watcher, link and seed are set here */
	uint64_t seed;
	const char *places
		[SIM_NODES_MAX]; /* what each has, as struct store_node has it; NULL: nothing */
	/* Something outside begins on a node; may be NULL. */
	void (*begins)(void *owner, unsigned node, struct str what);
	void *owner;
};

struct sim_nodes *sim_nodes_new(const struct sim_nodes_options *o);
void sim_nodes_free(struct sim_nodes *n);

/* NULL: it does not run. */
struct sim *sim_nodes_at(struct sim_nodes *n, unsigned node);
struct model_disk *sim_nodes_disk(struct sim_nodes *n);
/* On the store's clock. */
int64_t sim_nodes_now(const struct sim_nodes *n);

void sim_nodes_start(struct sim_nodes *n, unsigned node);
/* Which program its starts from now on are (THOLE_TEST_REV of engine/nodes/node_rev.h); NULL: this one. */
void sim_nodes_set_program(struct sim_nodes *n, unsigned node, const char *rev);
void sim_nodes_kill(struct sim_nodes *n, unsigned node); /* as kill -9 */
void sim_nodes_stop(struct sim_nodes *n, unsigned node); /* in order */
void sim_nodes_stall(struct sim_nodes *n, unsigned node, bool is_stalled);
/* Its heartbeats do not arrive, and it does not learn what the others make of that. */
void sim_nodes_mute(struct sim_nodes *n, unsigned node, bool is_mute);
/* The wall clock of its machine is set, and stays so over restarts. */
void sim_nodes_set_clock(struct sim_nodes *n, unsigned node, int64_t by_ms);
/* The link of the node reaches no other node, and none reaches it. */
void sim_nodes_cut(struct sim_nodes *n, unsigned node, bool is_cut);

/* One turn of each wheel and one delivery of each message.  False: nothing was left to do. */
bool sim_nodes_turn(struct sim_nodes *n);
void sim_nodes_settle(struct sim_nodes *n);
/* So much time passes, timer by timer. */
void sim_nodes_run(struct sim_nodes *n, int64_t ms);
/* Sends a command to a node and settles; time passes if it has to. */
const struct sim_answer *sim_nodes_call(struct sim_nodes *n, unsigned node, const char *command,
                                        const char *params, const char *key);

#endif

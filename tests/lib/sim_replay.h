#ifndef TESTS_SIM_REPLAY_H
#define TESTS_SIM_REPLAY_H
/*
 * Decides every commit of a simulation a second time, from its journal records.
 *
 * Each session has a second state, folded from the bytes that the engine hands
 * to its store.  A group whose record does not lead to the same bytes ends the
 * test.  After a restart the state is folded again from the bytes that were
 * handed over before, up to where the log continues.
 */
struct engine;
struct store;

struct sim_replay;

/* From now on batches for the store are decided again first. */
struct sim_replay *sim_replay_new(struct store *store);
void sim_replay_engine(struct sim_replay *r, struct engine *e);
void sim_replay_free(struct sim_replay *r); /* NULL is fine; the store may be closed */

/* Groups that were decided again, over all simulations of this process. */
unsigned long sim_replay_count(void);

#endif

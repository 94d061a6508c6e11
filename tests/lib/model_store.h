#ifndef TESTS_LIB_MODEL_STORE_H
#define TESTS_LIB_MODEL_STORE_H
/*
 * A store in memory, written from ports/store.h alone: arrays and linear search.
 *
 * Other stores are compared with it, so it shares no code with any of them and
 * does nothing for speed.  It has no threads: every request is carried out inside
 * poll(), in the order of submission.  It never fails and is never full.
 *
 * A model_disk is what outlives close(): a store that is opened on it again has
 * what was committed before.
 */
#include "ports/store.h"

struct model_disk;

struct model_disk *model_disk_new(void);
void model_disk_free(struct model_disk *d); /* NULL is fine */

/* One at a time on each disk.  `wake` may be NULL. */
struct store *model_store_open(struct model_disk *d, void (*wake)(void *arg), void *wake_arg);

#endif

#ifndef ENGINE_MAINTENANCE_ANCHOR_H
#define ENGINE_MAINTENANCE_ANCHOR_H
/*
 * Anchors: heads of sessions, recorded in the system session at intervals, so
 * that a log that was rewritten as a whole is detected.
 */
#include "engine/engine_state.h"

void anchor_start(struct engine *e);
void anchor_free(struct engine *e);
void anchor_published(struct engine *e, const struct pending_slice *p);
void anchor_drop(struct session *s); /* an anchor that is not durable yet is forgotten */
void anchor_now(struct engine *e);
/* Reads the part of sess_system that was not read yet, then calls back. */
void anchor_learn(struct request *r, void (*then)(struct request *r));
/* The newest head of a session that an anchor names; false: none. */
bool anchor_find(const struct engine *e, struct str session, uint64_t *ret_seq,
                 struct sha256 *ret_hash, uint64_t *ret_anchor);
/* The first event of sess_system whose leaves are missing or have another root; 0: none. */
uint64_t anchor_bad(const struct engine *e);

#endif

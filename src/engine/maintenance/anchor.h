#ifndef ENGINE_MAINTENANCE_ANCHOR_H
#define ENGINE_MAINTENANCE_ANCHOR_H
/*
 * Anchors: heads of sessions, recorded in the system session at intervals, so
 * that a log that was rewritten as a whole is detected.
 */
#include "engine/engine_state.h"
#include "proof/proof_pack.h"

void anchor_start(struct engine *e);
void anchor_free(struct engine *e);
void anchor_published(struct engine *e, const struct pending_slice *p);
void anchor_drop(struct session *s); /* an anchor that is not durable yet is forgotten */
void anchor_now(struct engine *e);
/*
 * The session is being deleted: anchors from now on do not name it, so that they need no event about
 * its deletion.  If it is not deleted after all, its head is remembered again.
 */
void anchor_forget(struct engine *e, struct str session);
void anchor_remember(struct engine *e, struct str session, uint64_t seq, const struct sha256 *hash);
void anchor_ready(struct engine *e); /* continues what the run before did not finish */

/*
 * An export that needs a leaf in the next anchor, and a signed checkpoint with its proofs.  The owner
 * keeps the struct; list_remove(&w->node) withdraws it.
 */
struct anchor_want {
	struct list node;
	struct str session;
	uint64_t seq;
	struct sha256 hash;
	/* Once; strings of the proof live until it returns. */
	void (*done)(struct anchor_want *w);
	void *owner;
	enum err result; /* ERR_NOT_FOUND: there is no key */
	struct error error;
	struct proof_pack proof;
};
/* False: no anchor can be written now. */
bool anchor_want(struct engine *e, struct anchor_want *w) MUST_USE;
/* Why the last anchor has no signature; absent: it has one, or there is no key. */
struct str anchor_sign_trouble(const struct engine *e);
/* The name of this installation's tree in checkpoints: thole/ and its id. */
struct str anchor_origin(const struct engine *e, struct arena *mem);

/*
 * Reads the part of sess_system that was not read yet, then calls back; all of it again when its
 * beginning was removed since.
 */
void anchor_read_learn(struct request *r, void (*then)(struct request *r));
/* The newest head of a session that an anchor names; false: none. */
bool anchor_read_find(const struct engine *e, struct str session, uint64_t *ret_seq,
                      struct sha256 *ret_hash, uint64_t *ret_anchor);
/* The same of a session that was deleted: its last head, and the event that says so. */
bool anchor_read_removed(const struct engine *e, struct str session, uint64_t *ret_seq,
                         struct sha256 *ret_hash, uint64_t *ret_event);
/* How many sessions were deleted, as events of sess_system record. */
size_t anchor_read_removed_count(const struct engine *e);
/* All sessions that an anchor names. */
size_t anchor_read_sessions(const struct engine *e, struct arena *mem, struct str **ret);
/* The first event of sess_system whose leaves are missing or have another root; 0: none. */
uint64_t anchor_read_bad(const struct engine *e);

#endif

#ifndef ENGINE_SESSION_COMMIT_H
#define ENGINE_SESSION_COMMIT_H
/*
 * Commits: everything that was applied in one iteration of the loop is one batch, with one slice
 * per session.
 */
#include "core/index.h"
#include "engine/listeners.h"
#include "ports/store.h"

struct engine;
struct session;

/* An effect that starts when the event that authorises it is durable. */
struct due_effect {
	enum effect kind;
	uint64_t seq;
	struct str turn_id, object_id; /* id of the request or call */
};

/* What one session adds to a batch, and what waits for it. */
struct pending_slice {
	struct slice slice;
	struct session *session;
	struct rows rows;
	struct due_effect *effects;
	size_t effect_count, effect_cap;
	size_t event_cap, blob_cap, move_cap, pending_cap, journal_cap;
};

struct pending_batch {
	struct batch batch;
	struct arena *mem;
	struct engine *engine;
	struct pending_slice **slices;
	size_t count, cap;
};

struct pending_slice *commit_slice(struct session *s);
void commit_flush(struct engine *e);
void commit_discard(struct engine *e); /* at the very end: what was not handed over is gone */
void commit_forget(struct session *s); /* drops what it has in the batch being filled */
void commit_store_failed(struct engine *e, const struct error *err);

#endif

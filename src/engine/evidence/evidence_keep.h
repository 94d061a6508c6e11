#ifndef ENGINE_EVIDENCE_KEEP_H
#define ENGINE_EVIDENCE_KEEP_H
/*
 * What an export keeps in memory between counting a file and writing it.
 *
 * A small pack is read and derived once.  The sum is bounded: a file that does not fit is dropped
 * as a whole, and the writer makes it from the log again.  An erasure makes the export stale, so
 * no kept text outlives the event that it came from.
 *
 * Loop thread.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "ports/store.h"

/* All files and texts of one export together. */
#define KEEP_BYTES (4u << 20)

struct kept_file {
	struct buf text;
	bool is_dropped;
};

/* A small text of the pack, without secrets. */
struct kept_text {
	struct str ref;
	struct str text; /* absent: it did not fit and is read again */
};

struct evidence_keep {
	struct arena *mem; /* of the texts */
	size_t bytes;
	struct map texts; /* struct kept_text by ref: every text that the pack has */
	struct kept_file chain;
};

/* Reads of the store that are under way together. */
struct export_batch {
	struct store_read reads[16];
	size_t count, open; /* open: that have not come back */
};

void evidence_keep_add(struct evidence_keep *k, struct kept_file *f, struct str data);
/* Moves the first `size` bytes out.  False: they were not kept, and ret stays as it is. */
bool evidence_keep_take(struct evidence_keep *k, struct kept_file *f, uint64_t size,
                        struct buf *ret);
void evidence_keep_drop(struct evidence_keep *k, struct kept_file *f);

void evidence_keep_text(struct evidence_keep *k, struct str ref, struct str text);
/* NULL: the pack has no such text. */
const struct kept_text *evidence_keep_find(const struct evidence_keep *k, struct str ref);

/* The next text or output that an event names, behind *at, which moves on; absent: there is none. */
struct str evidence_keep_next_ref(struct str body, size_t *at);

#endif

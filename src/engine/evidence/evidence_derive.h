#ifndef ENGINE_EVIDENCE_DERIVE_H
#define ENGINE_EVIDENCE_DERIVE_H
/*
 * Documents of other standards in a pack: the trajectory (ATIF) and the trace (OTLP).
 *
 * Both follow from the events and texts that the pack shows, so they hold nothing that it does
 * not.  An archive needs the size of a file before its bytes: one that is too long to be kept
 * is made twice, once to count it and once to write it.
 *
 *   PAGE ──► event ──► texts that it names ──► event ... ──► next pass
 *
 * The writer of trajectories asks for texts while it writes a step.  Reads of the store come
 * later, so the texts that an event names are read before the event is fed.  The newest of
 * them are kept; for one that has left, the preview of the event is written.
 */
#include "engine/evidence/evidence_journal.h"
#include "engine/evidence/evidence_keep.h"
#include "export/atif/atif.h"
#include "ports/store.h"
#include "ports/trace.h"

struct export;
struct derive_text;

enum derived { DERIVED_TRAJECTORY, DERIVED_TRACE, DERIVED_COUNT };

struct export_derive {
	/* Of the first run: whether there is such a document, and its size and hash. */
	bool is_there[DERIVED_COUNT];
	struct export_stream counted[DERIVED_COUNT];
	struct kept_file kept[DERIVED_COUNT];
	struct str thread; /* of the first event of the scope */

	enum derived kind;
	struct atif *trajectory;
	struct trace_writer *trace;
	struct str only;        /* events of this thread; absent: all */
	struct store_read page; /* its events are being fed */
	uint64_t types[4];      /* classes of events that a trajectory is made of */
	struct arena *row_mem;  /* of the event that is being fed */
	size_t at, ref_at;      /* in the page; in the event, behind texts that were read */
	uint64_t seq;           /* events through here were read */
	struct store_read text_read;
	struct derive_text *texts, **last_text; /* the oldest first */
	size_t text_bytes;
	void (*put)(struct export *x, struct str data);
	void (*end)(struct export *x);
	void (*counted_all)(struct export *x);
};

/* Counts the documents that this scope has, then calls back. */
void evidence_derive_count(struct export *x, void (*then)(struct export *x));
/* Writes one that was counted. */
void evidence_derive_write(struct export *x, enum derived kind,
                           void (*put)(struct export *x, struct str data),
                           void (*end)(struct export *x));
void evidence_derive_done(struct export *x);

#endif

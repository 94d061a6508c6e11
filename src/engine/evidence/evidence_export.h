#ifndef ENGINE_EVIDENCE_EXPORT_H
#define ENGINE_EVIDENCE_EXPORT_H
/*
 * One export of evidence, from export_evidence to its reply.
 *
 *   LEARN ──► START ──► COUNT ──► CONFIG ──► PROBE ──► DERIVE ──► STORED ──► SIGN ──► WRITE ──► SEAL ──► RECORD
 *     │                                                             │                                       ▲
 *     └ turns of a task or job                                      └─ the same pack exists ────────────────┘
 *
 * The log is read in pages and never held: its deltas once to find secrets that are
 * divided between them, all events once to judge, hash, count and fold them (COUNT),
 * and once for each file that lists them (WRITE).  Between the passes stay one byte per
 * event, the folded state, the small documents, and files that are small enough to keep
 * (evidence_keep.h).  The next page is read while the events of one are judged.
 * An archive needs the size of a file before its bytes, and its manifest needs
 * the hashes of all files: so everything is counted before anything is written.
 *
 * Nothing is recorded before the archive is sealed.  A crash before that leaves a
 * file that the next start removes; a crash after it leaves a sealed file that no
 * event names, which the next start removes too (evidence_orphans.c).
 *
 * An erasure may change the log between the passes.  Each part is compared with what was
 * counted, and an erasure of the session makes its exports stale: they fail and leave no file.
 *
 * Loop thread.  Each page costs a few milliseconds at most, because it is small.
 */
#include "archive/archive.h"
#include "core/evidence/evidence.h"
#include "core/replay/replay.h"
#include "engine/engine_state.h"
#include "engine/evidence/evidence_derive.h"
#include "engine/evidence/evidence_journal.h"
#include "engine/evidence/evidence_sign.h"
#include "text/redact_seams.h"

enum export_stage {
	EXPORT_LEARN,
	EXPORT_START,
	EXPORT_COUNT,
	EXPORT_CONFIG,
	EXPORT_PROBE,
	EXPORT_DERIVE,
	EXPORT_STORED,
	EXPORT_SIGN,
	EXPORT_WRITE,
	EXPORT_SEAL,
	EXPORT_RECORD,
};

/* Counts behind the last event of the scope: what follows it is not part of the pack. */
struct export_mark {
	uint64_t seq;
	struct sha256 head;
	struct export_stream events, chain;
	int64_t out_of_scope;
};

enum part_source {
	PART_TEXT, /* in memory */
	PART_EVENTS,
	PART_CHAIN,
	PART_OUTPUT, /* a stored output */
	PART_STORED, /* a small text of the store */
	PART_JOURNAL,
	PART_DERIVED, /* a trajectory or a trace */
};

/* One file of the pack, in the order of the archive. */
struct export_part {
	struct evidence_file file;
	enum part_source source;
	enum derived derived;
	struct buf text;
	struct str ref;
};

struct export_output {
	struct str ref, sha256;
	int64_t size;
	bool is_expired;
	bool is_withheld; /* a secret was found in it, or it does not fit */
};

struct export_pass;

struct export
{
	struct request *request;
	struct engine *engine;
	struct arena *mem; /* of the request */
	const char *kind;  /* pack, replay or review */
	enum export_stage stage;
	enum evidence_redaction redaction;
	int64_t max_bytes;

	struct evidence_scope scope;
	struct evidence_tally tally;
	struct evidence_document document;
	struct replay replay;
	struct scrub_stream removed;
	struct redact_seams *seams; /* NULL: no text is searched for secrets */
	uint64_t removed_before;    /* from the state before the first event */
	struct str floor_text;      /* the state before the first event; absent: none */

	uint64_t floor, until; /* the log has events floor+1..until */
	uint64_t at;           /* last event of the current pass that was read */
	const struct export_pass *pass;
	struct store_read pages[2]; /* of the pass: one is read while the other is judged */
	bool is_narrow;             /* not the whole session */
	struct sha256 link;         /* of the chain, there */
	uint8_t *states;            /* enum chain_state of each event, from floor+1 */
	size_t state_cap;
	int64_t matched; /* events that name the scope */
	struct export_stream events, chain;
	struct export_mark mark;
	int64_t out_of_scope;
	struct event_row *held; /* events about exports that nothing follows so far */
	size_t held_count, held_cap;

	struct export_journal journal;
	struct export_derive derive;
	struct evidence_keep keep;
	struct list_str configs;
	struct evidence_ids refs, spilled; /* that events name; that are outputs */
	struct export_output *outputs;
	size_t output_count, output_cap;
	size_t asked;              /* config, text or output that is read next */
	struct export_batch batch; /* texts */
	struct scrub_stream found; /* in the output that is being read */
	int64_t fitting;           /* bytes of the outputs that were read */

	struct export_part *parts;
	size_t part_count, part_cap, part_at;
	uint64_t output_at;           /* of the output or text that is being copied */
	size_t burst;                 /* bytes that were written since other work had its turn */
	struct export_stream written; /* of the current part */
	bool is_stale;                /* what was counted is not what is stored now */
	struct blob_writer *writer;
	struct archive_writer *archive;
	struct str pack_ref, sha256;
	int64_t size;
	bool is_stored;
	bool is_sealed, is_recorded; /* a pack that no event names is removed */
	struct list behind; /* struct request: exports of the same pack, which wait for this one */
	struct buf line, text; /* of the chain; of a redacted event */

	struct export_sign sign;
};

/* ---- evidence_count.c ---- */

/* The form in which an event is exported. */
struct export_form {
	enum chain_state state;
	struct sha256 digest, shown; /* of the original; of the text, if it is another one */
	struct str text;             /* absent: the event is not shown */
	bool is_frame;
	const struct event *event;
};
/* Judges an event; strings live until the next call. */
void evidence_count_judge(struct export *x, const struct event_row *row, struct export_form *ret);
/* The same for an event that was judged before. */
void evidence_count_again(struct export *x, const struct event_row *row, struct export_form *ret);
void evidence_count_event(struct export *x, const struct event_row *row);
/* Finds parts of divided secrets in the deltas of a page, before any event is judged. */
void evidence_count_seams(struct export *x, const struct event_row *row);
/* A text without secrets, as it is exported. */
struct str evidence_count_clean(struct export *x, struct arena *mem, struct str text);
/* Drops the events that were held back. */
void evidence_count_forget(struct export *x);

/* ---- evidence_write.c ---- */

/* A part behind those that there are; the caller fills it. */
struct export_part *evidence_write_part(struct export *x);
/* Lists the files, computes the id, and writes the documents into memory. */
void evidence_write_plan(struct export *x);
/* Writes part after part; ends with EXPORT_SEAL. */
void evidence_write_begin(struct export *x);

/* ---- evidence_export.c ---- */

/* Reads the next page of the log and calls `row` for each event, then `end`. */
struct export_pass {
	void (*row)(struct export *x, const struct event_row *row);
	void (*end)(struct export *x);
	const uint64_t *types; /* NULL: all */
};
void evidence_export_pass(struct export *x, const struct export_pass *pass, uint64_t until);
void evidence_export_fail(struct export *x, enum error_code code, const char *why);
/* The log or the rules changed between the passes: the caller may try again. */
void evidence_export_stale(struct export *x);
/* The text of an event is removed: exports of the session that run now fail. */
void evidence_export_erased(struct engine *e, struct str session);
/* Is it one of the commands that make a pack? */
bool evidence_export_is(const struct request *r);
/* The archive is sealed. */
void evidence_export_sealed(struct export *x);

#endif

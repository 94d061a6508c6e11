#ifndef CORE_EVIDENCE_H
#define CORE_EVIDENCE_H
/*
 * Evidence: what an export covers, what it shows, and what is recorded about it.
 *
 * A scope is a session, a thread, a turn, a task or a job.  Its events are those
 * that name it, the events of its turns, and the beginnings of its session and
 * threads, without which they cannot be folded; of those no text is shown.  Events about exports are never
 * part of an export: so the same scope gives the same pack however often it is
 * exported.
 *
 * A tally counts what was exported, by the signals and sections of
 * catalog/evidence.json.  The runtime makes no verdict of its own: outcomes
 * enter by record_evidence, with their source, and are passed through.
 *
 * Pure; strings live in the arena that the caller gives.
 */
#include "base/hash/sha256.h"
#include "catalog/gen/evidence.h"
#include "core/decision.h"

/* ---- evidence_scope.c ---- */

/* Ids in the order of their arrival, found by hash. */
struct evidence_ids {
	struct str *items;
	uint32_t *slots; /* index + 1; 0: free */
	size_t count, cap;
};

bool evidence_scope_ids_have(const struct evidence_ids *ids, struct str id);
/* Adds a copy, once. */
void evidence_scope_ids_add(struct arena *mem, struct evidence_ids *ids, struct str id);

struct evidence_scope {
	struct arena *mem;
	struct str session_id;
	struct str thread_id, turn_id, task_id, job_id; /* absent: all */
	struct evidence_ids turns, threads;             /* of a turn, task or job */
	/* Events about exports belong to it too: decisions depend on them. */
	bool has_exports;
};

/* Are there turns to learn before an event can be judged? */
bool evidence_scope_learns(const struct evidence_scope *s);
/* Called for every turn.submitted of the session, in order. */
void evidence_scope_learn(struct evidence_scope *s, const struct event *ev);
/* The beginning of the log was removed, and with it perhaps that of the turn. */
void evidence_scope_assume(struct evidence_scope *s);
/* Is the event part of the export?  ret_is_frame: only as the beginning of what it is about. */
bool evidence_scope_has(const struct evidence_scope *s, const struct event *ev, bool *ret_is_frame);
/* Is it about an export? */
bool evidence_scope_is_export(const struct event *ev);
/* Has the scope ended?  What the state has no more is over. */
bool evidence_scope_is_closed(const struct evidence_scope *s, const struct state *w);
/* The name of the narrowest id that it has: session, thread, turn, task or job. */
struct str evidence_scope_kind(const struct evidence_scope *s);
struct str evidence_scope_id(const struct evidence_scope *s);

/* ---- evidence_tally.c ---- */

#define EVIDENCE_TRACES_MAX 16
#define EVIDENCE_ACCESS "access" /* kind of evidence.changed: a read with scope admin */

/* How often a rule of the redactor removed something. */
struct evidence_rule {
	struct str name;
	int64_t count;
};

struct evidence_tally {
	struct arena *mem;
	int64_t events;
	int64_t states[CHAIN_STATE_COUNT];
	int64_t signals[SIGNAL_COUNT];
	int64_t sections[SECTION_COUNT], first[SECTION_COUNT], last[SECTION_COUNT];
	int64_t untraced; /* events of a run without a trace id */
	int64_t first_at, last_at;
	struct str runtime_id;                          /* of the first event */
	struct str thread_id, turn_id, task_id, run_id; /* of the last event that has one */
	struct list_str traces;
	bool is_unsampled;                 /* a caller decided that spans are not sent */
	int64_t outputs, output_bytes;     /* included */
	int64_t withheld, withheld_bytes;  /* named by their hash only */
	int64_t secret_outputs;            /* withheld, because a rule matches them */
	int64_t expired_outputs;           /* recorded, and removed since */
	int64_t texts, text_bytes;         /* small texts that events name by ref, included */
	int64_t withheld_texts;            /* they do not fit, or the text is redacted */
	int64_t missing_texts;             /* named and not stored */
	int64_t missing_settings;          /* records of settings and rules that turns name */
	int64_t expired_through;           /* events that retention removed; 0: none */
	int64_t removed;                   /* secrets that the redactor removed from events */
	int64_t settings_removed;          /* and from settings and the state before the events */
	const struct evidence_rule *rules; /* by which rule, in all files */
	size_t rule_count;
};

/* An event of the scope, as it is exported. */
void evidence_tally_event(struct evidence_tally *t, const struct event *ev);
enum evidence_signal evidence_tally_status(const struct evidence_tally *t, size_t signal);
/* What applies to the scope and is missing. */
struct list_str evidence_tally_gaps(const struct evidence_tally *t, struct arena *mem);

/* ---- evidence_document.c ---- */

/* One file of a pack. */
struct evidence_file {
	struct str path, role, media_type;
	uint64_t size;
	struct sha256 hash;
};

struct evidence_document {
	const struct evidence_scope *scope;
	const struct evidence_tally *tally;
	const struct evidence_file *files; /* without manifest.json */
	size_t file_count;
	struct str evidence_id, version;
	enum evidence_redaction redaction;
	int64_t from, to;           /* sequences */
	struct sha256 before, head; /* hash of the chain before `from` and at `to` */
	bool is_partial, can_replay;
	bool is_searched; /* for secrets, by the rules of the redactor */
};

/* The id that pack.json and replay.json have while the id of the pack is computed from them. */
#define EVIDENCE_NO_ID "evd_0000000000000000000000000000000000000000"

/*
 * Derived from all files but manifest.json: the same content has the same id.  pack.json and
 * replay.json hold the id, so they are written with EVIDENCE_NO_ID first.
 */
struct str evidence_document_id(struct arena *mem, const struct evidence_document *d);
void evidence_document_pack(struct buf *out, const struct evidence_document *d);
void evidence_document_replay(struct buf *out, const struct evidence_document *d);
/*
 * Names every file with its hash.  Its own hash is computed with sixty-four zeros in the place of
 * the digits.
 */
void evidence_document_manifest(struct buf *out, const struct evidence_document *d);

/* One line of chain.jsonl. shown: hash of the exported text, if it is not the original. */
void evidence_document_link(struct buf *out, uint64_t sequence, const struct sha256 *digest,
                            enum chain_state state, const struct sha256 *shown);

/* ---- evidence_decide.c ---- */

/*
 * An export that is complete and sealed: an input of the core (catalog/inputs.json).  What was
 * counted while the pack was written is here as text, because a tally is not kept.
 */
struct evidence_export {
	struct str evidence_id, thread_id, turn_id, task_id, job_id;
	struct str pack_ref, sha256, head_hash;
	struct str signals; /* JSON */
	struct str kind;    /* what was asked for: pack, replay or review; all are in the pack */
	struct list_str known_gaps;
	enum evidence_redaction redaction;
	int64_t from, to; /* sequences */
	int64_t size;
	bool is_partial;
	bool is_stored;      /* an earlier export has recorded the same output */
	struct str trace_id; /* of what is exported, if it belongs to one trace */
	bool is_traced;      /* the pack has spans */
};
/* All but kind, pack_ref, sha256, size and is_stored, which the document does not know. */
struct evidence_export evidence_decide_summary(struct arena *mem,
                                               const struct evidence_document *doc);
void evidence_decide_exported(struct decision *d, const struct evidence_export *x);
/* In the system session: who read what with scope admin.  session absent: not that of one. */
void evidence_decide_access(struct decision *d, struct str command, struct str principal,
                            struct str session);

#endif

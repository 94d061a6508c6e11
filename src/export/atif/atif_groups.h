#ifndef EXPORT_ATIF_GROUPS_H
#define EXPORT_ATIF_GROUPS_H
/* Counts and last known states of one trajectory, for its `extra`. */
#include "base/str.h"

#define ATIF_LISTED 64 /* refs that a group lists; the rest is counted */

/* A short text that changes from turn to turn; longer ones are cut. */
struct atif_word {
	char bytes[260];
	size_t len;
};

struct atif_groups {
	int64_t turns, steers, attachments;
	int64_t requests, retries, model_failures, fallbacks;
	int64_t contexts, missing, omissions, compactions, compactions_failed;
	int64_t tools, calls, calls_failed, calls_lost;
	int64_t allowed, asked, denied, sandboxed, answers, violations;
	int64_t processes, exits_bad, processes_failed;
	int64_t artifacts, evidence;
	int64_t warnings, errors, gaps, texts_missing, redacted;
	int64_t first_sequence, last_sequence;
	struct str options;                /* JSON, of the first turn */
	struct atif_word source, delivery; /* last seen, as the next four */
	struct atif_word catalog_hash, mode, sandbox, tier;
	int64_t window_tokens, context_tokens;
	struct str models[8]; /* PROVIDER/MODEL */
	size_t model_count;
	struct str artifact_refs[ATIF_LISTED], evidence_ids[ATIF_LISTED];
	size_t artifact_count, evidence_count;
	struct atif_word status, category, reason; /* of the last turn; empty: it has not ended */
	struct str benchmark, forked_from;         /* JSON */
	struct atif_word ids[8];                   /* last seen, by the list in atif_groups.c */
	bool is_open;                              /* a turn has begun and not ended */
	struct atif_word open_turn;
};

#endif

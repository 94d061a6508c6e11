#ifndef ENGINE_EVIDENCE_JOURNAL_H
#define ENGINE_EVIDENCE_JOURNAL_H
/*
 * The journal in an evidence pack: what each decision was given.
 */
#include "base/hash/sha256.h"
#include "catalog/catalog.h"

struct export;
struct request;

/* A file that lists events: its size and hash so far. */
struct export_stream {
	uint64_t size;
	struct sha256_stream sum;
};

/* The records of decisions, if the caller wants them. */
struct export_journal {
	bool is_wanted;
	struct str key; /* of the journal before the first event; absent: none */
	struct export_stream stream;
	uint64_t at; /* records up to this event were read */
	void (*take)(struct export *x, struct str line);
	void (*end)(struct export *x);
};

/* False: refused. */
bool evidence_journal_check(struct request *r, const struct cmd_export_evidence *c);
/* Takes the key of the journal from the text of the floor. */
void evidence_journal_floor(struct export *x, struct str floor);
/* Counts and hashes the lines, if they are wanted, then calls `end`. */
void evidence_journal_count(struct export *x, void (*end)(struct export *x));
/* The same lines, one after the other. */
void evidence_journal_write(struct export *x, void (*put)(struct export *x, struct str line),
                            void (*end)(struct export *x));

#endif

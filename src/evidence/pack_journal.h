#ifndef EVIDENCE_PACK_JOURNAL_H
#define EVIDENCE_PACK_JOURNAL_H
/*
 * Are the lines of journal.jsonl records of a journal, in order and of events of the pack?
 *
 * What a record says that a decision was given is judged by making the decision again
 * (pack_decide.h).
 */
#include "base/arena.h"

struct pack_journal {
	uint64_t first, last; /* events of the pack */
	int64_t before;       /* sequence of the line before; -1: none */
};

void pack_journal_begin(struct pack_journal *j, uint64_t first, uint64_t last);
/* NULL, or what is wrong with the line.  *ret: its sequence; -1: it has none. */
const char *pack_journal_fault(struct pack_journal *j, struct arena *mem, struct str line,
                               int64_t *ret);

#endif

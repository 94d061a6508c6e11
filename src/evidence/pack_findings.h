#ifndef EVIDENCE_PACK_FINDINGS_H
#define EVIDENCE_PACK_FINDINGS_H
/*
 * What is wrong with a pack: the file, and the byte or the event where they are
 * known.  The first ones are kept, all are counted; one about the whole pack is
 * always kept and comes first.
 */
#include "base/arena.h"

#define PACK_FINDINGS_MAX 20

struct pack_finding {
	struct str file;        /* absent: the pack */
	int64_t sequence, byte; /* of the event, in the file; -1: not known */
	struct str what;
	struct str code; /* a word of enum proof_finding; absent: none */
};
struct pack_findings {
	struct arena *mem;
	struct pack_finding items[PACK_FINDINGS_MAX];
	size_t count; /* may be larger than what is kept */
};

void pack_findings_add(struct pack_findings *f, struct str file, int64_t sequence, int64_t byte,
                       const char *fmt, ...) PRINTF_LIKE(5, 6);
/* With a stable word, about a file as a whole. */
void pack_findings_add_code(struct pack_findings *f, struct str code, struct str file,
                            const char *fmt, ...) PRINTF_LIKE(4, 5);
struct json_writer;
void pack_findings_write(struct json_writer *w, const struct pack_findings *f);

#endif

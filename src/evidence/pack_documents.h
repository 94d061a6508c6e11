#ifndef EVIDENCE_PACK_DOCUMENTS_H
#define EVIDENCE_PACK_DOCUMENTS_H
/*
 * What manifest.json, pack.json and replay.json say of each other and of the
 * files of a pack.  A forger who rewrites all of them consistently is not found: that
 * needs a signature.
 */
#include "base/json.h"
#include "evidence/pack_findings.h"

struct sha256;

struct pack_documents {
	struct arena *mem;
	struct pack_findings *findings;
	struct json manifest, pack, replay;
	struct str pack_text, replay_text;
};

void pack_documents_check(const struct pack_documents *d);

/* "sha256:" and its digits. */
bool pack_documents_hash(struct json v, struct sha256 *ret) MUST_USE;

#endif

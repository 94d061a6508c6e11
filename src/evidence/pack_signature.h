#ifndef EVIDENCE_PACK_SIGNATURE_H
#define EVIDENCE_PACK_SIGNATURE_H
/*
 * The signature of a pack, its checkpoint and its time stamp: manifest.dsse.json,
 * checkpoint.json and manifest.tsr, which the manifest does not name.
 *
 * Without a key of the caller the signature is checked with the public key that the
 * envelope holds: that shows which key signed, and not whose key it is.
 */
#include "base/buf.h"
#include "base/json.h"
#include "evidence/pack_findings.h"
#include "proof/proof_envelope.h"
#include "proof/proof_pack.h"

struct json_writer;

/* How a pack is checked, besides its own content. */
struct pack_trust {
	const struct proof_keys *keys; /* that may have signed; NULL: any */
	int64_t now;                   /* wall ms */
};

struct pack_signature {
	struct arena *mem;
	struct pack_findings *findings;
	struct pack_trust trust;
	struct buf envelope, checkpoint, stamp; /* their content, so far */
	struct sha256 stamped;                  /* of the envelope, or of the manifest */
	struct proof_subject *seen;             /* all files but the envelope */
	size_t seen_count, seen_cap;
	/* What was found out. */
	bool has_envelope, has_checkpoint, has_stamp;
	struct str status; /* of the signature; absent: nothing is wrong with it */
	struct str time;   /* of the time stamp */
	struct proof_statement statement;
	struct proof_checkpoint tree;
};

void pack_signature_done(struct pack_signature *s);
/* Is it a file that the manifest does not name? */
bool pack_signature_is_outside(struct str path);
/* False: it is longer than such a file may be. */
bool pack_signature_take(struct pack_signature *s, struct str path, struct str data) MUST_USE;
/* A file was read to its end. */
void pack_signature_seen(struct pack_signature *s, struct str path, const struct sha256 *hash);
/* When all files were read; pack: pack.json. */
void pack_signature_check(struct pack_signature *s, struct json pack);
/* Members `signature` and `checkpoint` of the report, if the pack has them. */
void pack_signature_write(struct json_writer *w, const struct pack_signature *s);

#endif

#ifndef ENGINE_EVIDENCE_SIGN_H
#define ENGINE_EVIDENCE_SIGN_H
/*
 * The stage SIGN of an export: a checkpoint with the proofs of the pack's head, an
 * envelope over all files, and perhaps a time stamp.  Their files are outside of the
 * manifest and of the id.
 *
 * Without a key the stage is empty.  A key that cannot be used lets the export fail:
 * a pack that should be signed is never made without a signature.
 */
#include "engine/maintenance/anchor.h"

struct export;
struct stamp_run;

struct export_sign {
	struct str key_id; /* who signs; absent: no one does */
	bool is_unwanted;  /* the caller wants no signature */
	void (*then)(struct export *x);
	struct anchor_want want;
	struct str statement;
	struct signer_call call;
	bool is_signing;
	/* evidence_stamp.c */
	struct str stamp_url;    /* absent: no time stamp is wanted */
	struct stamp_run *stamp; /* that is being asked for; NULL: none */
	struct sha256 stamped;
};

/* Then continues, or the export has failed: the key cannot be used, or it is recorded and not here. */
void evidence_sign_find_key(struct export *x, void (*then)(struct export *x));
/* The ref of the stored pack: who signs is a part of it. */
struct str evidence_sign_ref(const struct export *x, struct str ref);
/* Adds checkpoint, signature and time stamp, then writes the archive. */
void evidence_sign_begin(struct export *x);
void evidence_sign_done(struct export *x);
/* A part that the manifest does not name, at this place; takes the text. */
void evidence_sign_add(struct export *x, size_t at, const char *path, struct buf *text);

/* ---- evidence_stamp.c ---- */

/* False: refused. */
bool evidence_stamp_check(struct request *r, const struct cmd_export_evidence *c) MUST_USE;
/* Adds a time stamp if one is wanted, then writes the archive. */
void evidence_stamp_begin(struct export *x);
void evidence_stamp_done(struct export *x);

#endif

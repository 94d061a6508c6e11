#ifndef ENGINE_RESOURCES_UPLOADS_H
#define ENGINE_RESOURCES_UPLOADS_H
/*
 * Images that clients send before the turn that names them.
 *
 *   upload_output (pieces) ──► blob ──sealed──► unused ──submit_turn──► output of the turn
 *                                                  │
 *                                                  └── an hour later, or a restart: removed
 *
 * An upload belongs to the principal that sent it and is in no log until a turn
 * names it; the table of unused ones is in memory.  After a restart no table
 * knows them, and the start removes blobs that no event names
 * (evidence_orphans.c).
 */
#include "base/list.h"
#include "base/str.h"

struct engine;
struct request;

void uploads_init(struct engine *e);
/* Does an unused upload have this ref? */
bool uploads_has(const struct engine *e, struct str ref);
/* Before the blobs are closed: ends unfinished ones.  What is stored is removed by the next start. */
void uploads_close(struct engine *e);
void uploads_free(struct engine *e);
/* Removes those that no turn has named in time. */
void uploads_expire(struct engine *e);

/* Is this an unused upload of the caller? */
bool uploads_is_own(const struct request *r, struct str ref);
/*
 * A step of submit_turn: an unused upload that it names has to be the caller's own, as large as the
 * part says, and with the same hash.
 */
bool uploads_gather(struct request *r);
/* The turn was accepted: its uploads are outputs of its session now. */
void uploads_accepted(struct request *r);

#endif

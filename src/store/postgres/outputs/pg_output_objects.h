#ifndef STORE_POSTGRES_PG_OUTPUT_OBJECTS_H
#define STORE_POSTGRES_PG_OUTPUT_OBJECTS_H
/*
 * Outputs in an object store.  The bytes are in the bucket; the database says which objects have
 * them, and its row seals an output.
 *
 *	REF/parts-...    an upload in parts while an output grows; readable when it is complete
 *	REF/tail-OFFSET  what is behind the last part, at most 8 MiB, replaced while it grows
 *	REF/sha256-...   the sealed content
 *
 * The row comes last, when a HEAD has shown the object with its size.  Two nodes that seal the same
 * output write two objects, and the row names one of them: a node that is dead and does not know it
 * yet overwrites nothing.
 *
 * Errors: ERR_UNAVAILABLE waits and is tried again; others are results of the job.
 */
#include "ports/blob.h"
#include "store/bucket/bucket.h"
#include "store/postgres/outputs/pg_output_job.h"
#include "store/postgres/wire/pg_conn.h"

/* What the jobs use; of the thread. */
struct pg_output_objects {
	struct bucket bucket;
	struct pg_conn *conn;
	const struct blobs *files; /* of store/blobs.h */
};

enum err pg_output_objects_put(struct pg_output_objects *o, struct pg_output_job *job,
                               struct error *e) MUST_USE;
enum err pg_output_objects_seal(struct pg_output_objects *o, struct pg_output_job *job,
                                struct error *e) MUST_USE;
enum err pg_output_objects_recover(struct pg_output_objects *o, struct pg_output_job *job,
                                   struct error *e) MUST_USE;
/* is_away: the bucket did not answer a moment ago and is not asked. */
enum err pg_output_objects_read(struct pg_output_objects *o, struct pg_output_job *job,
                                bool is_away, struct error *e) MUST_USE;
/* Removes the objects of one removed output.  ret_more: there may be others. */
enum err pg_output_objects_sweep(struct pg_output_objects *o, bool *ret_more,
                                 struct error *e) MUST_USE;

#endif

#ifndef STORE_POSTGRES_PG_OUTPUTS_H
#define STORE_POSTGRES_PG_OUTPUTS_H
/*
 * Outputs that every node can read: files of this machine, copied to the database or to an object
 * store.
 *
 *	write ──► file ──► every 2 s or 1 MiB: chunks of 256 KiB ──► seal: the rest, size and hash
 *
 * An output is sealed when its row with size and hash is committed, which happens before the
 * event that names it.  A seal therefore waits while the database is away.  Chunks of an
 * output only grow, so a node that is dead and does not know it yet changes nothing that another
 * node has sealed.
 *
 * In an object store a piece is a part of at least 8 MiB; what is behind the last part is written
 * every 2 s to an object of its own.  The row of the database comes when the object is there.
 *
 * Reads ask the file first if it is sealed or being written here, else the database.  Of a node
 * that died, the last two seconds or the last MiB of a growing output may be missing:
 * recover_seal() seals what is there.  Raw files of background processes stay on their machine.
 *
 * All calls are for one thread, the owner's.
 */
#include "ports/blob.h"
#include "store/bucket/bucket.h"

struct pg_outputs_options {
	const char *url, *schema; /* as those of struct store_postgres_options, with its tables */
	bool is_relaxed, is_pooled;
	void (*wake)(void *arg); /* poll() has results; may be NULL */
	void *wake_arg;
	int64_t flush_ms;                    /* how long written bytes stay here alone; 0: 2000 */
	const struct bucket_options *bucket; /* the object store; NULL: chunks in the database */
};

/*
 * Takes `files` over, which are of store/blobs.h, also when it fails.  A bucket that does not answer
 * is waited for; one that refuses is an error whose message begins with its code.
 */
enum err pg_outputs_open(const struct pg_outputs_options *o, struct blobs *files,
                         struct blobs **ret, struct error *e) MUST_USE;

#endif

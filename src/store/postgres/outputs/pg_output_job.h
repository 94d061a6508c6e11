#ifndef STORE_POSTGRES_PG_OUTPUT_JOB_H
#define STORE_POSTGRES_PG_OUTPUT_JOB_H
/* A job about an output, on its way between the owner and the thread. */
#include "base/err.h"
#include "base/os/mailbox.h"
#include "ports/store_move.h"
#include "store/blob_digest.h"

#define PG_OUTPUT_CHUNK STORE_OUTPUT_CHUNK
#define PG_OUTPUT_REF_MAX 255

enum pg_output_kind {
	/*
	 * In chunks: data is chunk `no`, or its beginning; is_final: whatever is there.
	 * In objects: what the file has, a part at most; is_first: nothing that is there counts;
	 * is_final: up to `size`.  `copied` and is_more come back.  ERR_CORRUPT: what was copied
	 * before is lost.
	 */
	PG_OUTPUT_PUT,
	PG_OUTPUT_SEAL, /* size and hash; ERR_CORRUPT: a part of it is missing */
	/*
	 * Looks it up.  If it is sealed, or with is_final if there is anything of it, which seals
	 * what is there: size, hash and digest.  ERR_NOT_FOUND: not sealed, or not there.
	 */
	PG_OUTPUT_RECOVER,
	PG_OUTPUT_READ, /* data from offset on, `size` so far; is_probe: no data */
	PG_OUTPUT_REMOVE,
	PG_OUTPUT_TICK, /* comes from the thread: flush_ms have passed */
	PG_OUTPUT_WAITS, /* comes from the thread: jobs wait, for the reason in error, or no more (OK) */
	PG_OUTPUT_CLOSE,
};

struct pg_output_job {
	struct mail mail;
	enum pg_output_kind kind;
	void *owner;
	char ref[PG_OUTPUT_REF_MAX + 1];
	int64_t no;
	uint64_t offset;
	uint32_t max; /* READ */
	bool is_final, is_first, is_more, is_probe;
	char *data; /* malloc(); READ fills it */
	size_t len;
	uint64_t size, copied;
	struct sha256 hash;
	bool is_sealed;
	struct blob_digest *digest; /* RECOVER; memory_alloc() */
	enum err result;
	struct error error;
};

struct pg_output_job *pg_output_job_new(enum pg_output_kind kind, const char *ref, void *owner);
void pg_output_job_free(struct pg_output_job *job);

#endif

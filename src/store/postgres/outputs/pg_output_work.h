#ifndef STORE_POSTGRES_PG_OUTPUT_WORK_H
#define STORE_POSTGRES_PG_OUTPUT_WORK_H
/*
 * The thread that has the connection for outputs, and its jobs.
 *
 * Jobs are done in the order in which they were posted.  One that cannot be done now keeps its
 * place and is tried again, at growing distances; each can be repeated.  After
 * pg_output_work_close() it fails instead (ERR_UNAVAILABLE).
 */
#include "base/os/mailbox.h"
#include "store/blob_digest.h"
#include "store/postgres/pg_state.h"
#include "store/postgres/wire/pg_conn.h"

#include <stdatomic.h>

#define PG_OUTPUT_CHUNK (256u << 10)
#define PG_OUTPUT_REF_MAX 255

enum pg_output_kind {
	/* data is chunk `no`, or its beginning; is_final: whatever is there */
	PG_OUTPUT_PUT,
	PG_OUTPUT_SEAL, /* size and hash; ERR_CORRUPT: chunks are missing */
	/*
	 * Looks it up.  If it is sealed, or with is_final if there is any chunk of it, which seals
	 * what is there: size, hash and digest.  ERR_NOT_FOUND: not sealed, or not there.
	 */
	PG_OUTPUT_RECOVER,
	PG_OUTPUT_READ, /* data from offset on, `size` so far */
	PG_OUTPUT_REMOVE,
	PG_OUTPUT_TICK, /* comes from the thread: flush_ms have passed */
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
	bool is_final;
	char *data; /* malloc(); READ fills it */
	size_t len;
	uint64_t size;
	struct sha256 hash;
	bool is_sealed;
	struct blob_digest *digest; /* RECOVER; memory_alloc() */
	enum err result;
	struct error error;
};

struct pg_output_work {
	struct pg_conn conn;
	struct pg_conn_options connect;
	struct arena *mem;
	struct mailbox jobs, answered;
	int wake; /* eventfd: there are jobs */
	pthread_t thread;
	int64_t flush_ms, ticked_ms;
	atomic_size_t growing; /* outputs that wait for ticks */
	atomic_bool is_closing;
	struct pg_retry retry;
	bool is_waiting;
	struct mail *queue, **queue_end;
};

/* Connects and starts the thread.  `answered` is the owner's to init. */
enum err pg_output_work_start(struct pg_output_work *w, struct error *e) MUST_USE;
struct pg_output_job *pg_output_work_job_new(enum pg_output_kind kind, const char *ref,
                                             void *owner);
void pg_output_work_job_free(struct pg_output_job *job);
/* One output more waits for ticks. */
void pg_output_work_grows(struct pg_output_work *w);
void pg_output_work_post(struct pg_output_work *w, struct pg_output_job *job);
/* Ends the thread.  Jobs that are left were answered. */
void pg_output_work_close(struct pg_output_work *w);

#endif

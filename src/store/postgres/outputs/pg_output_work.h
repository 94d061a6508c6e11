#ifndef STORE_POSTGRES_PG_OUTPUT_WORK_H
#define STORE_POSTGRES_PG_OUTPUT_WORK_H
/*
 * The thread that has the connection for outputs, and the bucket if there is one.
 *
 * Jobs are done in the order in which they were posted.  One that cannot be done now keeps its
 * place and is tried again, at growing distances; each can be repeated.  While the bucket is away,
 * reads and removals pass those that wait for it; a read that needs it fails (ERR_UNAVAILABLE).
 * After pg_output_work_closing() a job that would wait fails instead.
 */
#include "store/postgres/outputs/pg_output_job.h"
#include "store/postgres/outputs/pg_output_objects.h"
#include "store/postgres/pg_state.h"

struct pg_output_work {
	struct pg_conn conn;
	struct pg_conn_options connect;
	struct pg_output_objects objects;
	bool has_bucket;
	struct arena *mem;
	struct mailbox jobs, answered;
	int wake; /* eventfd: there are jobs */
	pthread_t thread;
	int64_t flush_ms, ticked_ms;
	atomic_size_t growing; /* outputs that wait for ticks */
	atomic_bool is_closing;
	struct pg_retry retry, gone_retry;
	bool is_waiting, is_bucket_away; /* the second: for the bucket */
	bool has_gone;                   /* removed outputs may have objects */
	char away_why[sizeof((struct error *)0)->message];
	struct mail *queue, **queue_end;
};

/*
 * Connects and starts the thread.  `answered` is the owner's to init.  bucket: NULL, or where
 * outputs are kept; one that does not answer is waited for, one that refuses is an error.
 */
enum err pg_output_work_start(struct pg_output_work *w, const struct bucket_options *bucket,
                              const struct blobs *files, struct error *e) MUST_USE;
/* One output more waits for ticks. */
void pg_output_work_grows(struct pg_output_work *w);
void pg_output_work_post(struct pg_output_work *w, struct pg_output_job *job);
/* Nothing is waited for any more. */
void pg_output_work_closing(struct pg_output_work *w);
/* Ends the thread.  Jobs that are left were answered. */
void pg_output_work_close(struct pg_output_work *w);

#endif

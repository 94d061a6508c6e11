/*
 * The thread that does the jobs about outputs: in chunks of the database, or in objects of a bucket
 * whose rows are in the database.
 *
 *	queue ──► first job ──► answered
 *	              └── the server is away: the job keeps its place; the next try comes later
 *
 * While the bucket alone is away, reads and removals pass the jobs that wait for it.
 */
#include "store/postgres/outputs/pg_output_work.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "store/bucket/bucket_object.h"
#include "store/postgres/outputs/pg_output_chunks.h"
#include "store/postgres/wire/pg_lib.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A connection that nothing uses is given back after this time. */
#define IDLE_MS 5000
/* How the messages of a bucket begin. */
#define BUCKET_CODE "object_store"

static struct pg_output_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_output_job, mail);
}

/* ---- jobs ---- */

/* All removals that follow each other are one statement.  Objects are noted, and removed later. */
static enum err remove_all(struct pg_output_work *w, struct error *e)
{
	static const struct pg_sql q = {
		"remove_outputs",
		"WITH gone AS (INSERT INTO output_gone(ref, object, upload)"
		" SELECT r.ref, g.object, g.upload"
		" FROM (SELECT DISTINCT unnest($1::text[]) AS ref) r"
		" LEFT JOIN output o ON o.ref = r.ref LEFT JOIN output_growing g ON g.ref = r.ref"
		" WHERE o.object IS NOT NULL OR g.ref IS NOT NULL ON CONFLICT DO NOTHING),"
		" sealed AS (DELETE FROM output WHERE ref = ANY($1::text[])),"
		" growing AS (DELETE FROM output_growing WHERE ref = ANY($1::text[])),"
		" part AS (DELETE FROM output_part WHERE ref = ANY($1::text[]))"
		" DELETE FROM output_chunk WHERE ref = ANY($1::text[])"
	};
	struct pg_args args = { 0 };
	struct buf *refs = pg_args_array(&args, PG_TEXT);

	w->has_gone = true;
	for (struct mail *m = w->queue; m && job_of(m)->kind == PG_OUTPUT_REMOVE; m = m->next)
		pg_args_put_str(refs, str_from(job_of(m)->ref));
	return pg_conn_tell(&w->conn, &q, &args, e);
}

static enum err do_in_chunks(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	switch (job->kind) {
	case PG_OUTPUT_PUT:
		return pg_output_chunks_put(&w->conn, job, e);
	case PG_OUTPUT_SEAL:
		return pg_output_chunks_seal(&w->conn, job, e);
	case PG_OUTPUT_RECOVER:
		return pg_output_chunks_recover(&w->conn, job, e);
	case PG_OUTPUT_READ:
		return pg_output_chunks_read(&w->conn, job, e);
	default:
		return OK;
	}
}

static enum err do_in_objects(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	switch (job->kind) {
	case PG_OUTPUT_PUT:
		return pg_output_objects_put(&w->objects, job, e);
	case PG_OUTPUT_SEAL:
		return pg_output_objects_seal(&w->objects, job, e);
	case PG_OUTPUT_RECOVER:
		return pg_output_objects_recover(&w->objects, job, e);
	case PG_OUTPUT_READ:
		return pg_output_objects_read(&w->objects, job, w->is_bucket_away, e);
	default:
		return OK;
	}
}

static enum err do_job(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	if (job->kind == PG_OUTPUT_REMOVE)
		return remove_all(w, e);
	return w->has_bucket ? do_in_objects(w, job, e) : do_in_chunks(w, job, e);
}

/* ---- the thread ---- */

static struct pg_output_job *take_first(struct pg_output_work *w)
{
	struct mail *m = w->queue;

	w->queue = m->next;
	if (!w->queue)
		w->queue_end = &w->queue;
	return job_of(m);
}

static void answer(struct pg_output_work *w, enum err result, const struct error *e)
{
	struct pg_output_job *job = take_first(w);

	job->result = result;
	if (result != OK)
		job->error = *e;
	mailbox_post(&w->answered, &job->mail);
}

static enum err has_connection(struct pg_output_work *w, struct error *e)
{
	struct pg_conn_options again = w->connect;

	if (!w->conn.is_lost)
		return OK;
	again.is_again = true;
	pg_conn_close(&w->conn);
	return pg_conn_open(&w->conn, w->conn.lib ? w->conn.lib : pg_lib_load(e), &again, e);
}

/* An error ends a transaction by itself: each statement is one. */
static enum err try_first(struct pg_output_work *w, struct error *e)
{
	enum err err;

	/* One try for all that is left. */
	if (w->is_waiting && atomic_load(&w->is_closing))
		return fail(e, ERR_UNAVAILABLE, "%s: the store was closed while %s was away",
		            w->is_bucket_away ? "object_store_unreachable" : "store_lost",
		            w->is_bucket_away ? "the object store" : "PostgreSQL");
	err = has_connection(w, e);
	return err == OK ? do_job(w, job_of(w->queue), e) : err;
}

/* The owner gets the reason, too. */
static void tell_owner(struct pg_output_work *w, enum err result, const struct error *why)
{
	struct pg_output_job *job = pg_output_job_new(PG_OUTPUT_WAITS, "", NULL);

	job->result = result;
	if (result != OK)
		job->error = *why;
	mailbox_post(&w->answered, &job->mail);
}

static bool has_same_code(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");

	return len == strcspn(b, ":") && !memcmp(a, b, len);
}

static void note_away(struct pg_output_work *w, const struct error *why)
{
	bool is_bucket = str_starts(str_from(why->message), STR(BUCKET_CODE));

	if (!w->is_waiting || strcmp(w->away_why, why->message) != 0)
		tell_owner(w, why->code, why);
	if (!w->is_waiting || !has_same_code(w->away_why, why->message))
		log_line(LOG_WARN, "store", "outputs wait for %s: %s",
		         is_bucket ? "the object store" : "PostgreSQL", why->message);
	memcpy(w->away_why, why->message, sizeof w->away_why);
	w->is_waiting = true;
	w->is_bucket_away = is_bucket;
}

static void note_back(struct pg_output_work *w)
{
	if (w->is_waiting) {
		log_line(LOG_INFO, "store", "outputs are copied again");
		tell_owner(w, OK, NULL);
	}
	w->is_waiting = w->is_bucket_away = false;
	w->retry = (struct pg_retry){ 0 };
}

static bool is_removal(const struct pg_output_work *w)
{
	return w->queue && job_of(w->queue)->kind == PG_OUTPUT_REMOVE;
}

/* The job, or all removals of its statement. */
static void answer_first(struct pg_output_work *w, enum err err, const struct error *e)
{
	bool is_more = is_removal(w);

	do
		answer(w, err, e);
	while (is_more && is_removal(w));
}

/* A read that the bucket does not answer fails; what writes outputs waits. */
static bool is_passing(const struct pg_output_work *w)
{
	return w->has_bucket && w->queue && job_of(w->queue)->kind == PG_OUTPUT_READ &&
	       !w->conn.is_lost;
}

static void work_on_first(struct pg_output_work *w)
{
	struct error e = { 0 };
	uint64_t answered = w->objects.bucket.answered;
	enum err err = try_first(w, &e);
	bool is_away = err == ERR_UNAVAILABLE || w->conn.is_lost;

	if (is_away && is_passing(w)) {
		answer(w, err, &e);
		return;
	}
	if (is_away)
		note_away(w, &e);
	if (is_away && !atomic_load(&w->is_closing)) {
		pg_state_retry_later(&w->retry);
		return;
	}
	/* A job that needed the database alone says nothing of the bucket. */
	if (!is_away && (!w->is_bucket_away || w->objects.bucket.answered != answered))
		note_back(w);
	answer_first(w, err, &e);
}

/* The first job that does not wait for the bucket comes to the front. */
static bool bring_passing(struct pg_output_work *w)
{
	for (struct mail **at = &w->queue; *at; at = &(*at)->next) {
		struct mail *m = *at;

		if (job_of(m)->kind != PG_OUTPUT_READ && job_of(m)->kind != PG_OUTPUT_REMOVE)
			continue;
		*at = m->next;
		if (!*at)
			w->queue_end = at;
		m->next = w->queue;
		w->queue = m;
		if (w->queue_end == &w->queue)
			w->queue_end = &m->next;
		return true;
	}
	return false;
}

/* Reads and removals, in their order.  The database answers, or all of them wait for it. */
static void work_on_passing(struct pg_output_work *w)
{
	struct error e = { 0 };
	enum err err;

	while (w->is_bucket_away && bring_passing(w)) {
		err = has_connection(w, &e);
		if (err == OK)
			err = do_job(w, job_of(w->queue), &e);
		if (w->conn.is_lost || (err == ERR_UNAVAILABLE && is_removal(w))) {
			note_away(w, &e);
			w->is_bucket_away = false;
			return;
		}
		answer_first(w, err, &e);
	}
}

/* ---- a bucket that was away at the start ---- */

static bool may_look(const struct pg_output_work *w)
{
	return w->has_bucket && w->is_waiting && !w->queue && pg_state_retry_in(&w->retry) == 0 &&
	       !atomic_load(&w->is_closing);
}

/* No job waits for it that would find out. */
static void look_again(struct pg_output_work *w)
{
	struct error e = { 0 };

	if (bucket_object_probe(&w->objects.bucket, &e) == OK) {
		note_back(w);
		return;
	}
	note_away(w, &e);
	pg_state_retry_later(&w->retry);
}

/* ---- objects of removed outputs ---- */

static bool may_sweep(const struct pg_output_work *w)
{
	return w->has_bucket && w->has_gone && !w->is_waiting && !w->queue &&
	       pg_state_retry_in(&w->gone_retry) == 0 && !atomic_load(&w->is_closing);
}

static void sweep(struct pg_output_work *w)
{
	struct error e = { 0 };
	enum err err = has_connection(w, &e);

	if (err == OK)
		err = pg_output_objects_sweep(&w->objects, &w->has_gone, &e);
	if (err == OK) {
		w->gone_retry = (struct pg_retry){ 0 };
		return;
	}
	w->has_gone = true;
	if (!w->gone_retry.tries)
		log_line(LOG_WARN, "store", "removed outputs are still in the object store: %s",
		         e.message);
	pg_state_retry_later(&w->gone_retry);
}

/* ---- the thread's turns ---- */

static bool take_mail(struct pg_output_work *w)
{
	bool is_over = false;

	for (struct mail *m = mailbox_take(&w->jobs), *next; m; m = next) {
		next = m->next;
		if (job_of(m)->kind == PG_OUTPUT_CLOSE) {
			is_over = true;
			pg_output_job_free(job_of(m));
			continue;
		}
		m->next = NULL;
		*w->queue_end = m;
		w->queue_end = &m->next;
	}
	return is_over;
}

static void tick(struct pg_output_work *w)
{
	int64_t now = clock_mono_ms();

	if (!atomic_load(&w->growing) || now - w->ticked_ms < w->flush_ms)
		return;
	w->ticked_ms = now;
	mailbox_post(&w->answered, &pg_output_job_new(PG_OUTPUT_TICK, "", NULL)->mail);
}

static void wait_for_news(struct pg_output_work *w)
{
	struct pollfd fd = { .fd = w->wake, .events = POLLIN };
	bool is_idle = !w->queue && !atomic_load(&w->growing) && !w->is_waiting &&
	               !(w->has_bucket && w->has_gone);
	int64_t most = !is_idle ? w->flush_ms : w->conn.is_lost ? -1 : IDLE_MS;
	uint64_t count;

	if (w->is_waiting && pg_state_retry_in(&w->retry) < most)
		most = pg_state_retry_in(&w->retry);
	if (w->has_bucket && w->has_gone && !w->is_waiting &&
	    pg_state_retry_in(&w->gone_retry) < most)
		most = pg_state_retry_in(&w->gone_retry);
	if (poll(&fd, 1, (int)most) > 0)
		(void)!read(w->wake, &count, sizeof count);
	else if (is_idle)
		pg_conn_close(&w->conn);
}

static bool may_work(const struct pg_output_work *w)
{
	return w->queue &&
	       (!w->is_waiting || pg_state_retry_in(&w->retry) == 0 || atomic_load(&w->is_closing));
}

static void *run(void *arg)
{
	struct pg_output_work *w = arg;
	bool is_over = false;

	while (!is_over || w->queue) {
		is_over |= take_mail(w);
		work_on_passing(w);
		while (may_work(w))
			work_on_first(w);
		if (may_look(w))
			look_again(w);
		if (may_sweep(w))
			sweep(w);
		tick(w);
		if (!is_over)
			wait_for_news(w);
	}
	return NULL;
}

static void wake_thread(void *arg)
{
	uint64_t one = 1;

	(void)!write(*(int *)arg, &one, sizeof one);
}

void pg_output_work_post(struct pg_output_work *w, struct pg_output_job *job)
{
	mailbox_post(&w->jobs, &job->mail);
}

/* The thread sleeps without end while there is none. */
void pg_output_work_grows(struct pg_output_work *w)
{
	if (atomic_fetch_add(&w->growing, 1) == 0)
		wake_thread(&w->wake);
}

/* One that does not answer now may later; one that refuses has settings that are wrong. */
static enum err look_at_bucket(struct pg_output_work *w, struct error *e)
{
	enum err err = bucket_object_probe(&w->objects.bucket, e);

	if (err == OK || (w->objects.bucket.is_refused && err == ERR_UNAVAILABLE))
		return err;
	note_away(w, e);
	pg_state_retry_later(&w->retry);
	return OK;
}

static enum err open_bucket(struct pg_output_work *w, const struct bucket_options *bucket,
                            const struct blobs *files, struct error *e)
{
	if (!bucket)
		return OK;
	w->objects.conn = &w->conn;
	w->objects.files = files;
	if (bucket_open(&w->objects.bucket, bucket, e) != OK)
		return e->code;
	w->has_bucket = true;
	return look_at_bucket(w, e);
}

/* Signals belong to the program, so this thread blocks them. */
static enum err start_thread(struct pg_output_work *w, struct error *e)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return fail(e, ERR_IO, "cannot start the thread for outputs");
	pthread_setname_np(w->thread, "thole-pg-out");
	return OK;
}

static void release(struct pg_output_work *w)
{
	pg_conn_close(&w->conn);
	bucket_close(&w->objects.bucket);
	mailbox_done(&w->jobs);
	close(w->wake);
}

enum err pg_output_work_start(struct pg_output_work *w, const struct bucket_options *bucket,
                              const struct blobs *files, struct error *e)
{
	const struct pg_lib *lib = pg_lib_load(e);
	enum err err;

	if (!lib)
		return ERR_UNSUPPORTED;
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0)
		return fail_errno(e, ERR_IO, "cannot start the thread for outputs");
	w->queue_end = &w->queue;
	w->has_gone = true; /* an earlier process may have left some */
	mailbox_init(&w->jobs, wake_thread, &w->wake);
	err = pg_conn_open(&w->conn, lib, &w->connect, e);
	if (err == OK)
		err = open_bucket(w, bucket, files, e);
	if (err == OK)
		err = start_thread(w, e);
	if (err != OK)
		release(w);
	return err;
}

void pg_output_work_closing(struct pg_output_work *w)
{
	atomic_store(&w->is_closing, true);
	atomic_store(&w->objects.bucket.is_closing, true);
}

void pg_output_work_close(struct pg_output_work *w)
{
	pg_output_work_closing(w);
	pg_output_work_post(w, pg_output_job_new(PG_OUTPUT_CLOSE, "", NULL));
	pthread_join(w->thread, NULL);
	release(w);
}

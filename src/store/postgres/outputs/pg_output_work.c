/*
 * The statements about outputs, and the thread that runs them.
 *
 * A chunk of a growing output is written again when it is longer, and none is written any more
 * once the output is sealed.  So neither the order of repeated statements nor a node that was
 * declared dead can damage one.
 */
#include "store/postgres/outputs/pg_output_work.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "store/postgres/wire/pg_lib.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How many chunks a read for a digest asks for at once. */
#define CHUNKS_AT_ONCE 4
/* A connection that nothing uses is given back after this time. */
#define IDLE_MS 5000

/* ---- jobs ---- */

struct pg_output_job *pg_output_work_job_new(enum pg_output_kind kind, const char *ref, void *owner)
{
	struct pg_output_job *job = memory_zeroed(1, sizeof *job);

	job->kind = kind;
	job->owner = owner;
	snprintf(job->ref, sizeof job->ref, "%s", ref);
	return job;
}

void pg_output_work_job_free(struct pg_output_job *job)
{
	memory_free(job->digest);
	free(job->data);
	memory_free(job);
}

static struct pg_output_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_output_job, mail);
}

/* ---- statements ---- */

static enum err put_chunk(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	static const struct pg_sql q = {
		"put_chunk",
		"INSERT INTO output_chunk(ref, no, data) SELECT $1::text, $2::bigint, $3::bytea"
		" WHERE NOT EXISTS (SELECT FROM output WHERE ref = $1::text)"
		" ON CONFLICT (ref, no) DO UPDATE SET data = excluded.data"
		" WHERE length(output_chunk.data) < length(excluded.data) OR $4::boolean"
	};
	struct pg_args args = { 0 };

	pg_args_str(&args, str_from(job->ref));
	pg_args_i64(&args, job->no);
	pg_args_str(&args, str_of(job->data, job->len));
	pg_args_bool(&args, job->is_final);
	return pg_conn_tell(&w->conn, &q, &args, e);
}

/* A server that lost chunks which were there (an asynchronous standby) must not get the row. */
static enum err seal(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	static const struct pg_sql q = {
		"seal_output",
		"WITH put AS (INSERT INTO output(ref, size, hash)"
		" SELECT $1::text, $2::bigint, $3::bytea WHERE (SELECT coalesce(sum(length(data)), "
		"0)"
		" FROM output_chunk WHERE ref = $1::text) >= $2::bigint"
		" ON CONFLICT (ref) DO NOTHING RETURNING 1)"
		" SELECT true FROM put UNION ALL"
		" SELECT size = $2::bigint AND hash = $3::bytea FROM output WHERE ref = $1::text"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_from(job->ref));
	pg_args_i64(&args, (int64_t)job->size);
	pg_args_hash(&args, &job->hash);
	err = pg_conn_ask(&w->conn, &q, &args, &rows, e);
	if (err == OK && !rows.count)
		err = fail(e, ERR_CORRUPT, "the database lacks a part of %s", job->ref);
	else if (err == OK && !pg_conn_bool(&rows, 0, 0))
		err = fail(e, ERR_INVALID, "%s was sealed before with other content", job->ref);
	pg_conn_rows_done(&rows);
	return err;
}

/* Rows of (size and hash of a sealed one, bytes that are there, number of a chunk, its bytes). */
static enum err ask_chunks(struct pg_output_work *w, const char *ref, int64_t first, int64_t last,
                           struct pg_rows *ret, struct error *e)
{
	static const struct pg_sql q = {
		"ask_chunks",
		"SELECT o.size, o.hash, coalesce((SELECT no * $4::bigint + length(data) "
		"FROM output_chunk"
		" WHERE ref = $1::text ORDER BY no DESC LIMIT 1), -1), c.no, c.data"
		" FROM (SELECT 1) one LEFT JOIN output o ON o.ref = $1::text"
		" LEFT JOIN output_chunk c ON c.ref = $1::text AND c.no BETWEEN "
		"$2::bigint AND $3::bigint"
		" ORDER BY c.no"
	};
	struct pg_args args = { 0 };

	pg_args_str(&args, str_from(ref));
	pg_args_i64(&args, first);
	pg_args_i64(&args, last);
	pg_args_i64(&args, PG_OUTPUT_CHUNK);
	return pg_conn_ask(&w->conn, &q, &args, ret, e);
}

/* What the first row says of the output.  ERR_NOT_FOUND: there is none. */
static enum err take_output(struct pg_output_job *job, const struct pg_rows *rows, struct error *e)
{
	int64_t there = pg_conn_i64(rows, 0, 2);

	job->is_sealed = pg_conn_hash(rows, 0, 1, &job->hash);
	if (!job->is_sealed && there < 0)
		return fail(e, ERR_NOT_FOUND, "there is no output %s", job->ref);
	job->size = (uint64_t)(job->is_sealed ? pg_conn_i64(rows, 0, 0) : there);
	return OK;
}

/* The part of a chunk that was asked for, behind what is there. */
static void take_part(struct pg_output_job *job, uint64_t from, struct str data)
{
	uint64_t at = job->offset + job->len;
	uint64_t end = MIN(MIN(from + data.len, job->offset + job->max), job->size);

	if (from > at || end <= at)
		return;
	memcpy(job->data + job->len, data.ptr + (at - from), (size_t)(end - at));
	job->len += (size_t)(end - at);
}

static enum err read_range(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	int64_t first = (int64_t)(job->offset / PG_OUTPUT_CHUNK);
	int64_t last = (int64_t)((job->offset + MAX(job->max, 1u) - 1) / PG_OUTPUT_CHUNK);
	struct pg_rows rows;
	enum err err = ask_chunks(w, job->ref, first, last, &rows, e);

	if (err == OK)
		err = take_output(job, &rows, e);
	if (err == OK) {
		free(job->data);
		job->data = memory_alloc(job->max + 1);
		job->len = 0;
		for (int i = 0; i < rows.count; i++)
			take_part(job, (uint64_t)pg_conn_i64(&rows, i, 3) * PG_OUTPUT_CHUNK,
			          pg_conn_str(&rows, i, 4));
		job->data[job->len] = '\0';
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* From the beginning to the first gap, or to the sealed size. */
static enum err digest_chunks(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	struct blob_digest *d = job->digest;
	enum err err = OK;
	bool is_more = true;

	blob_digest_begin(d);
	for (int64_t no = 0; err == OK && is_more; no += CHUNKS_AT_ONCE) {
		struct pg_rows rows;

		is_more = false;
		err = ask_chunks(w, job->ref, no, no + CHUNKS_AT_ONCE - 1, &rows, e);
		for (int i = 0; i < rows.count && d->size < job->size; i++) {
			struct str data = pg_conn_str(&rows, i, 4);

			if (!data.len ||
			    (uint64_t)pg_conn_i64(&rows, i, 3) * PG_OUTPUT_CHUNK != d->size)
				break;
			blob_digest_more(d, str_head(data, job->size - d->size));
			is_more = data.len == PG_OUTPUT_CHUNK;
		}
		pg_conn_rows_done(&rows);
	}
	return err;
}

static enum err seal_what_is_there(struct pg_output_work *w, struct pg_output_job *job,
                                   struct error *e)
{
	bool was_sealed = job->is_sealed;
	struct sha256 hash = blob_digest_end(job->digest);

	if (!was_sealed) {
		job->hash = hash;
		job->size = job->digest->size;
		return seal(w, job, e);
	}
	if (job->digest->size != job->size || memcmp(&hash, &job->hash, sizeof hash) != 0)
		return fail(e, ERR_CORRUPT, "the content of %s does not have its hash", job->ref);
	return OK;
}

static enum err recover(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	struct pg_rows rows;
	enum err err = ask_chunks(w, job->ref, 0, -1, &rows, e);

	if (err == OK)
		err = take_output(job, &rows, e);
	pg_conn_rows_done(&rows);
	if (err == OK && !job->is_sealed && !job->is_final)
		err = fail(e, ERR_NOT_FOUND, "%s is not sealed", job->ref);
	if (err == OK && !job->digest)
		job->digest = memory_alloc(sizeof *job->digest);
	if (err == OK)
		err = digest_chunks(w, job, e);
	return err == OK ? seal_what_is_there(w, job, e) : err;
}

/* All removals that follow each other are one statement. */
static enum err remove_all(struct pg_output_work *w, struct error *e)
{
	static const struct pg_sql q = {
		"remove_outputs", "WITH gone AS (DELETE FROM output WHERE ref = ANY($1::text[]))"
				  " DELETE FROM output_chunk WHERE ref = ANY($1::text[])"
	};
	struct pg_args args = { 0 };
	struct buf *refs = pg_args_array(&args, PG_TEXT);

	for (struct mail *m = w->queue; m && job_of(m)->kind == PG_OUTPUT_REMOVE; m = m->next)
		pg_args_put_str(refs, str_from(job_of(m)->ref));
	return pg_conn_tell(&w->conn, &q, &args, e);
}

static enum err do_job(struct pg_output_work *w, struct pg_output_job *job, struct error *e)
{
	switch (job->kind) {
	case PG_OUTPUT_PUT:
		return put_chunk(w, job, e);
	case PG_OUTPUT_SEAL:
		return seal(w, job, e);
	case PG_OUTPUT_RECOVER:
		return recover(w, job, e);
	case PG_OUTPUT_READ:
		return read_range(w, job, e);
	case PG_OUTPUT_REMOVE:
		return remove_all(w, e);
	case PG_OUTPUT_TICK:
	case PG_OUTPUT_CLOSE:
		break;
	}
	return OK;
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

/* An error ends a transaction by itself: each statement is one. */
static enum err try_first(struct pg_output_work *w, struct error *e)
{
	enum err err = OK;

	/* One try for all that is left. */
	if (w->is_waiting && atomic_load(&w->is_closing))
		return fail(e, ERR_UNAVAILABLE,
		            "store_lost: the store was closed while PostgreSQL was away");
	if (w->conn.is_lost) {
		struct pg_conn_options again = w->connect;

		again.is_again = true;
		pg_conn_close(&w->conn);
		err = pg_conn_open(&w->conn, w->conn.lib ? w->conn.lib : pg_lib_load(e), &again, e);
	}
	return err == OK ? do_job(w, job_of(w->queue), e) : err;
}

static void work_on_first(struct pg_output_work *w)
{
	bool is_removal = job_of(w->queue)->kind == PG_OUTPUT_REMOVE;
	struct error e;
	enum err err = try_first(w, &e);
	bool is_away = err == ERR_UNAVAILABLE || w->conn.is_lost;

	if (is_away && !w->is_waiting)
		log_line(LOG_WARN, "store", "outputs wait for PostgreSQL: %s", e.message);
	w->is_waiting = is_away;
	if (is_away && !atomic_load(&w->is_closing)) {
		pg_state_retry_later(&w->retry);
		return;
	}
	w->retry = (struct pg_retry){ 0 };
	if (!is_removal) {
		answer(w, err, &e);
		return;
	}
	while (w->queue && job_of(w->queue)->kind == PG_OUTPUT_REMOVE)
		answer(w, err, &e);
}

static bool take_mail(struct pg_output_work *w)
{
	bool is_over = false;

	for (struct mail *m = mailbox_take(&w->jobs), *next; m; m = next) {
		next = m->next;
		if (job_of(m)->kind == PG_OUTPUT_CLOSE) {
			is_over = true;
			pg_output_work_job_free(job_of(m));
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
	mailbox_post(&w->answered, &pg_output_work_job_new(PG_OUTPUT_TICK, "", NULL)->mail);
}

static void wait_for_news(struct pg_output_work *w)
{
	struct pollfd fd = { .fd = w->wake, .events = POLLIN };
	bool is_idle = !w->queue && !atomic_load(&w->growing);
	int64_t most = !is_idle ? w->flush_ms : w->conn.is_lost ? -1 : IDLE_MS;
	uint64_t count;

	if (w->is_waiting && pg_state_retry_in(&w->retry) < most)
		most = pg_state_retry_in(&w->retry);
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
		while (may_work(w))
			work_on_first(w);
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

/* Signals belong to the program, so this thread blocks them. */
enum err pg_output_work_start(struct pg_output_work *w, struct error *e)
{
	const struct pg_lib *lib = pg_lib_load(e);
	sigset_t all, old;
	int rc;

	if (!lib)
		return ERR_UNSUPPORTED;
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0)
		return fail_errno(e, ERR_IO, "cannot start the thread for outputs");
	if (pg_conn_open(&w->conn, lib, &w->connect, e) != OK) {
		close(w->wake);
		return e->code;
	}
	w->queue_end = &w->queue;
	mailbox_init(&w->jobs, wake_thread, &w->wake);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0) {
		pthread_setname_np(w->thread, "thole-pg-out");
		return OK;
	}
	pg_conn_close(&w->conn);
	mailbox_done(&w->jobs);
	close(w->wake);
	return fail(e, ERR_IO, "cannot start the thread for outputs");
}

void pg_output_work_close(struct pg_output_work *w)
{
	atomic_store(&w->is_closing, true);
	pg_output_work_post(w, pg_output_work_job_new(PG_OUTPUT_CLOSE, "", NULL));
	pthread_join(w->thread, NULL);
	pg_conn_close(&w->conn);
	mailbox_done(&w->jobs);
	close(w->wake);
}

/*
 * The SQLite store: opening and closing, the writer and reader threads, and the
 * mailboxes between them and the owner.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/memory.h"
#include "base/os/clock.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without a commit for this long the writer counts as idle. */
#define IDLE_MS 500
/* The interval of its idle steps. */
#define IDLE_STEP_MS 10

static struct sqlite_store *self(struct store *base)
{
	return OWNER_OF(base, struct sqlite_store, base);
}

/* ---- threads ---- */

static void post_sem(void *arg)
{
	sem_post(arg);
}

/*
 * False when nothing came in time.  On the monotonic clock: a change of the wall clock
 * must neither wake the writer nor keep it asleep.
 */
static bool wait_mail(sem_t *mail, int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	return sem_clockwait(mail, CLOCK_MONOTONIC, &until) == 0;
}

/*
 * Cuts the list before JOB_CLOSE, which is always the last job: the owner posts nothing
 * after it, and the reader, which posts plans to the writer, has ended before the
 * writer gets its JOB_CLOSE.
 */
static bool cut_close(struct mail **jobs)
{
	for (struct mail **at = jobs; *at; at = &(*at)->next)
		if (OWNER_OF(*at, struct job, mail)->kind == JOB_CLOSE) {
			assert(!(*at)->next);
			free(OWNER_OF(*at, struct job, mail));
			*at = NULL;
			return true;
		}
	return false;
}

/*
 * Reads are answered to the owner; a maintenance job is planned here and passed on to
 * the writer.
 */
static void read_all_jobs(struct sqlite_store *s, struct mail *jobs)
{
	for (struct mail *m = jobs, *next; m; m = next) {
		next = m->next; /* the job belongs to the receiver after posting */
		struct job *job = OWNER_OF(m, struct job, mail);

		if (job->kind == JOB_MAINTENANCE) {
			sqlite_plan_make(s, job);
			mailbox_post(&s->to_writer, m);
		} else {
			sqlite_read_work(s, job->read);
			mailbox_post(&s->answered, m);
		}
	}
}

/* After the idle work is done, the writer sleeps without timeout: no wake-ups in an idle process. */
static void *run_writer(void *arg)
{
	struct sqlite_store *s = arg;
	/* The ballast is made in the first idle period, so the writer does not begin asleep. */
	bool is_closed = false, is_idle = s->ballast_bytes == 0, has_more = false;

	while (!is_closed) {
		if (is_idle) {
			while (sem_wait(&s->writer_mail) != 0)
				;
		} else if (!wait_mail(&s->writer_mail, has_more ? IDLE_STEP_MS : IDLE_MS)) {
			has_more = sqlite_idle_work(s);
			is_idle = !has_more;
			continue;
		}

		struct mail *jobs = mailbox_take(&s->to_writer);

		is_closed = cut_close(&jobs);
		sqlite_write_work(s, jobs);
		is_idle = has_more = false;
	}
	return NULL;
}

static void *run_reader(void *arg)
{
	struct sqlite_store *s = arg;
	bool is_closed = false;

	while (!is_closed) {
		while (sem_wait(&s->reader_mail) != 0)
			;

		struct mail *jobs = mailbox_take(&s->to_reader);

		is_closed = cut_close(&jobs);
		read_all_jobs(s, jobs);
	}
	return NULL;
}

/* Signals belong to the program, so our threads block them. */
static int start_thread(pthread_t *ret, void *(*run)(void *), struct sqlite_store *s,
                        const char *name)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);

	int rc = pthread_create(ret, NULL, run, s);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0)
		pthread_setname_np(*ret, name);
	return rc;
}

static struct job *job_new(enum job_kind kind)
{
	struct job *job = memory_zeroed(1, sizeof *job);

	job->kind = kind;
	list_init(&job->waiting);
	return job;
}

static void stop_thread(struct mailbox *inbox, pthread_t thread)
{
	mailbox_post(inbox, &job_new(JOB_CLOSE)->mail);
	pthread_join(thread, NULL);
}

static enum err start_threads(struct sqlite_store *s, struct error *e)
{
	if (start_thread(&s->writer_thread, run_writer, s, "thole-store") != 0)
		return fail(e, ERR_IO, "cannot start the store's writer thread");
	if (start_thread(&s->reader_thread, run_reader, s, "thole-store-rd") != 0) {
		stop_thread(&s->to_writer, s->writer_thread);
		return fail(e, ERR_IO, "cannot start the store's reader thread");
	}
	return OK;
}

/* ---- the port ---- */

/*
 * A request that arrives while the store closes fails, through poll() like every other
 * result: a callback never runs inside the call that submits.
 */
static void response_closed(struct sqlite_store *s, struct job *job)
{
	struct error e;

	fail(&e, ERR_CLOSED, "the store is being closed");
	if (job->batch) {
		sqlite_write_fail_batch(job->batch, &e);
	} else if (job->maintenance) {
		job->maintenance->result = ERR_CLOSED;
		job->maintenance->error = e;
	} else {
		job->read->result = ERR_CLOSED;
		job->read->error = e;
	}
	mailbox_post(&s->answered, &job->mail);
}

/* The batch stays in `waiting` until it is delivered; backpressure is computed from this list. */
static void sq_submit(struct store *base, struct batch *b)
{
	struct sqlite_store *s = self(base);
	struct job *job = job_new(JOB_BATCH);

	for (struct slice *sl = b->first; sl; sl = sl->next)
		sl->state = SLICE_WAITING;
	job->batch = b;
	job->bytes = sqlite_write_batch_weight(b);
	job->since_ms = s->mono_ms();
	list_add(&s->waiting, &job->waiting);
	s->waiting_bytes += job->bytes;
	if (s->is_closing)
		response_closed(s, job);
	else
		mailbox_post(&s->to_writer, &job->mail);
}

/*
 * Reads of lists take the way through the writer while rows are deferred, so that they
 * see every acknowledged row.
 */
static void sq_read(struct store *base, struct store_read *r)
{
	struct sqlite_store *s = self(base);
	struct job *job = job_new(JOB_READ);

	job->read = r;
	if (s->is_closing)
		response_closed(s, job);
	else if (sqlite_rowlog_is_behind(s, r))
		mailbox_post(&s->to_writer, &job->mail);
	else
		mailbox_post(&s->to_reader, &job->mail);
}

/* The reader thread plans the step, then the writer thread writes it. */
static void sq_maintenance(struct store *base, struct store_maintenance *u)
{
	struct sqlite_store *s = self(base);
	struct job *job = job_new(JOB_MAINTENANCE);

	u->result = OK;
	u->error = (struct error){ 0 };
	u->count = 0;
	u->more = false;
	u->mem = NULL;
	u->found_count = 0;
	job->maintenance = u;
	if (s->is_closing)
		response_closed(s, job);
	else
		mailbox_post(&s->to_reader, &job->mail);
}

/* The job is freed before the callback, which may submit again. */
static void job_deliver(struct sqlite_store *s, struct job *job)
{
	struct batch *b = job->batch;
	struct store_read *r = job->read;
	struct store_maintenance *u = job->maintenance;

	list_remove(&job->waiting);
	s->waiting_bytes -= job->bytes;
	free(job);
	if (b)
		b->done(b);
	else if (u)
		u->done(u);
	else
		r->done(r);
}

static size_t deliver_all(struct sqlite_store *s)
{
	size_t count = 0;

	for (struct mail *m = mailbox_take(&s->answered), *next; m; m = next) {
		next = m->next; /* the callback may free the job and post again */
		job_deliver(s, OWNER_OF(m, struct job, mail));
		count++;
	}
	return count;
}

/*
 * Without threads, poll() does what both threads would do, in a fixed order, so that
 * simulations are repeatable.
 */
static void work_inline(struct sqlite_store *s)
{
	struct mail *batches = mailbox_take(&s->to_writer), *reads;

	sqlite_write_work(s, batches); /* may pass reads to the reader */
	reads = mailbox_take(&s->to_reader);
	if (!batches && !reads)
		sqlite_idle_work(s);
	read_all_jobs(s, reads);
	sqlite_write_work(s, mailbox_take(&s->to_writer)); /* the planned maintenance */
}

/* The end of the store is reported once, after the results that led to it. */
static size_t sq_poll(struct store *base)
{
	struct sqlite_store *s = self(base);

	struct error why;
	size_t count;

	if (!s->has_threads)
		work_inline(s);
	count = deliver_all(s);
	if (!s->is_end_told && sqlite_state_is_dead(s, &why)) {
		s->is_end_told = true;
		if (s->ended)
			s->ended(s->ended_arg, &why);
	}
	return count;
}

static enum err sq_get_meta(struct store *base, struct arena *mem, struct str key, struct str *ret,
                            struct error *e)
{
	return sqlite_read_meta(self(base), mem, key, ret, e);
}

static enum err sq_set_meta(struct store *base, struct str key, struct str value, struct error *e)
{
	return sqlite_write_meta(self(base), key, value, e);
}

/* This process alone has the file. */
static enum err sq_keep_meta(struct store *base, struct arena *mem, struct str key,
                             struct str value, struct str *ret, struct error *e)
{
	struct error own;
	enum err err = sqlite_read_meta(self(base), mem, key, ret, &own);

	if (err == OK)
		return OK;
	if (err != ERR_NOT_FOUND) {
		if (e)
			*e = own;
		return err;
	}
	err = sqlite_write_meta(self(base), key, value, e);
	if (err == OK)
		*ret = arena_keep(mem, value);
	return err;
}

static enum err sq_keep_blob(struct store *base, struct str ref, struct str media_type,
                             struct str data, struct error *e)
{
	struct sqlite_store *s = self(base);

	if (sqlite_read_has_blob(s, ref))
		return OK;
	return sqlite_write_blob(
		s, &(struct blob_row){ .ref = ref, .media_type = media_type, .data = data }, e);
}

static void sq_stats(struct store *base, struct store_stats *ret)
{
	struct sqlite_store *s = self(base);

	*ret = (struct store_stats){
		.commits = atomic_load(&s->commits),
		.events = atomic_load(&s->events),
		.bytes = atomic_load(&s->bytes),
		.waiting_bytes = s->waiting_bytes,
		.last_commit_us = atomic_load(&s->last_commit_us),
		.wal_bytes = atomic_load(&s->wal_bytes),
		.size_bytes = atomic_load(&s->size_bytes),
		.sessions = atomic_load(&s->sessions),
		.packed = atomic_load(&s->packed),
		.is_low = atomic_load(&s->is_low),
		.needs_rebuild = s->needs_rebuild,
		.last_position = atomic_load(&s->last_position),
	};
	/* Batches are answered in order, so the first has waited longest. */
	if (!list_is_empty(&s->waiting))
		ret->oldest_waiting_ms =
			s->mono_ms() - LIST_ITEM(s->waiting.next, struct job, waiting)->since_ms;
}

/* The reader closes first: the last connection checkpoints, and only the writer may do that. */
static void store_release(struct sqlite_store *s)
{
	sqlite_watch_stop(s);
	if (s->is_closing)
		sqlite_identity_count(s);
	sqlite_conn_close(&s->reader);
	sqlite_write_done(s);
	sqlite_space_close(s);
	sqlite_identity_close(s);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	mailbox_done(&s->to_writer);
	mailbox_done(&s->to_reader);
	mailbox_done(&s->answered);
	sem_destroy(&s->writer_mail);
	sem_destroy(&s->reader_mail);
	pthread_mutex_destroy(&s->cause_lock);
	free(s->watch.dir);
	free(s->path);
	free(s->ballast_path);
	sqlite_coalesce_free(s->coalesce);
	sqlite_reads_free(s->reads);
	free(s);
}

/*
 * On the owner's thread, so the writer's connection is locked.  The writer may be
 * inside a commit; the call then waits for it.
 */
static enum err sq_accounts(struct store *base, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e)
{
	struct sqlite_store *s = self(base);

	pthread_mutex_lock(&s->writer.lock);
	enum err err = sqlite_ledger_read(&s->writer, mem, ret, ret_count, e);

	pthread_mutex_unlock(&s->writer.lock);
	return err;
}

static enum err sq_pending_ops(struct store *base, struct arena *mem, struct pending_op **ret,
                               size_t *ret_count, struct error *e)
{
	struct sqlite_store *s = self(base);

	pthread_mutex_lock(&s->writer.lock);
	enum err err = sqlite_pending_read(&s->writer, mem, ret, ret_count, e);

	pthread_mutex_unlock(&s->writer.lock);
	return err;
}

/*
 * Each of the threads gives the other one work, so something may be left when both have ended.
 * Reads are carried out.  Nothing is written any more: the store may be closing because it cannot.
 */
static void finish_left(struct sqlite_store *s)
{
	read_all_jobs(s, mailbox_take(&s->to_reader));
	for (struct mail *m = mailbox_take(&s->to_writer), *next; m; m = next) {
		next = m->next;
		response_closed(s, OWNER_OF(m, struct job, mail));
	}
}

/*
 * The reader ends first: it passes plans to the writer, which still runs then.  A
 * callback may submit again; that request fails and is delivered in the next round.
 */
static void sq_close(struct store *base)
{
	struct sqlite_store *s = self(base);

	s->is_closing = true;
	sqlite_watch_stop(s); /* closing removes the WAL */
	if (s->has_threads) {
		stop_thread(&s->to_reader, s->reader_thread);
		stop_thread(&s->to_writer, s->writer_thread);
		finish_left(s);
	} else {
		work_inline(s);
	}
	while (deliver_all(s))
		;
	store_release(s);
}

static const struct store_ops ops = {
	.submit = sq_submit,
	.read = sq_read,
	.maintenance = sq_maintenance,
	.poll = sq_poll,
	.get_meta = sq_get_meta,
	.set_meta = sq_set_meta,
	.keep_meta = sq_keep_meta,
	.keep_blob = sq_keep_blob,
	.accounts = sq_accounts,
	.pending_ops = sq_pending_ops,
	.stats = sq_stats,
	.close = sq_close,
};

static enum err move_take(struct store *base, struct store_page *page, struct error *e)
{
	return sqlite_move_take(self(base), page, e);
}

static enum err move_put(struct store *base, const struct store_page *page, struct str progress,
                         struct error *e)
{
	return sqlite_move_put(self(base), page, progress, e);
}

static enum err move_look(struct store *base, struct arena *mem, struct store_contents *ret,
                          struct error *e)
{
	(void)mem;
	return sqlite_move_look(self(base), ret, e);
}

static const struct store_move_ops move_ops = {
	.take = move_take,
	.put = move_put,
	.look = move_look,
};

/* ---- opening ---- */

/*
 * With threads, replies wake the owner's poll; without, submitting work does.  The
 * chain of VFSs is: coalesce (writer only), reads, the system's.  A caller's VFS is
 * used as it is, so that a simulation sees every call.
 */
static struct sqlite_store *store_new(const struct store_sqlite_options *o)
{
	struct sqlite_store *s = memory_zeroed(1, sizeof *s);
	size_t path_size = strlen(o->dir) + sizeof "/log.db";

	s->base.ops = &ops;
	s->base.move = &move_ops;
	s->has_threads = o->threads;
	s->lock_fd = -1;
	s->space.fd = -1;
	s->watch.inotify = s->watch.stop[0] = s->watch.stop[1] = -1;
	s->ended = o->ended;
	s->ended_arg = o->ended_arg;
	s->mono_ms = o->mono_ms ? o->mono_ms : clock_mono_ms;
	s->path = memory_alloc(path_size);
	snprintf(s->path, path_size, "%s/log.db", o->dir);
	s->vfs = sqlite3_vfs_find(o->vfs);
	if (!s->vfs) /* SQLite could not be initialised: out of memory */
		memory_exhausted();
	if (!o->vfs) {
		s->reads = sqlite_reads_new(s->vfs);
		s->vfs = sqlite_reads_vfs(s->reads);
	}
	if (o->durability != DURABILITY_RELAXED)
		s->coalesce = sqlite_coalesce_new(s->vfs);
	s->ballast_bytes = o->ballast_bytes;
	s->ballast_path = memory_alloc(path_size + 1);
	snprintf(s->ballast_path, path_size + 1, "%s/ballast", o->dir);
	sem_init(&s->writer_mail, 0, 0);
	sem_init(&s->reader_mail, 0, 0);
	pthread_mutex_init(&s->cause_lock, NULL);
	list_init(&s->waiting);
	if (o->threads) {
		mailbox_init(&s->to_writer, post_sem, &s->writer_mail);
		mailbox_init(&s->to_reader, post_sem, &s->reader_mail);
		mailbox_init(&s->answered, o->wake, o->wake_arg);
	} else {
		mailbox_init(&s->to_writer, o->wake, o->wake_arg);
		mailbox_init(&s->to_reader, o->wake, o->wake_arg);
		mailbox_init(&s->answered, NULL, NULL);
	}
	return s;
}

/* Creates missing tables again.  The owner refills the rows of derived ones. */
static enum err make_tables(struct sqlite_store *s, struct error *e)
{
	bool is_any = false, is_derived = false;
	enum err err = sqlite_file_missing(&s->writer, &is_any, &is_derived, e);

	if (err != OK || !is_any)
		return err;
	s->needs_rebuild = is_derived;
	if (sqlite_conn_run(sqlite_writer_stmt(s, W_BEGIN)) && sqlite_identity_mark(s) &&
	    sqlite_ledger_make(&s->writer) && sqlite_pending_make(&s->writer) &&
	    sqlite_removed_make(&s->writer) && sqlite_file_make_derived(&s->writer) &&
	    sqlite_conn_run(sqlite_writer_stmt(s, W_COMMIT))) {
		sqlite_identity_marked(s);
		return OK;
	}
	return sqlite_conn_error(&s->writer, "cannot make the tables of", e);
}

/*
 * Takes the directory, checks that the WAL belongs to the log, then opens both
 * connections.
 *
 * The order matters: the lock comes before any file is opened; the WAL is compared
 * before SQLite opens the log, because opening replays it; the writer makes missing
 * tables before the reader prepares statements on them.
 */
static enum err open_files(struct sqlite_store *s, const struct store_sqlite_options *o,
                           struct error *e)
{
	const char *companion = NULL;
	char wal[4200];
	struct stat log = { 0 };
	bool had_wal;
	enum err err = OK;

	snprintf(wal, sizeof wal, "%s-wal", s->path);
	/* Before SQLite makes one. */
	had_wal = !o->vfs && access(wal, F_OK) == 0;
	if (!o->vfs) {
		err = sqlite_dir_take(o->dir, &s->lock_fd, &companion, e);
		if (err == OK)
			err = sqlite_identity_check_wal(o->dir, e);
		if (err == OK && !companion)
			err = sqlite_new_write_log(s->path, e);
		if (err == OK && stat(s->path, &log) != 0)
			err = fail_errno(e, ERR_IO, "cannot look at %s", s->path);
	}
	if (err == OK)
		err = sqlite_file_open_writer(&s->writer, s->path,
		                              s->coalesce ? sqlite_coalesce_name(s->coalesce)
		                                          : s->vfs->zName,
		                              o, companion, e);
	if (err == OK)
		err = sqlite_identity_read(s, e);
	if (err == OK)
		err = make_tables(s, e);
	if (err == OK)
		err = sqlite_identity_open(s, o->vfs ? NULL : o->dir, &log, had_wal, e);
	if (err == OK)
		err = sqlite_write_start(s, e);
	if (err == OK)
		err = sqlite_file_open_reader(&s->reader, s->path, s->vfs->zName, e);
	if (err == OK && !o->vfs)
		sqlite_space_open(s);
	return err;
}

/* The mark for missing rows stays until the rebuild is complete, also across a crash. */
static enum err settle_rebuild(struct sqlite_store *s, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str wanted = STR("0");
	struct error ignored;

	if (s->needs_rebuild)
		return sqlite_write_meta(s, STR("rebuild"), STR("1"), e);
	s->needs_rebuild = sqlite_read_meta(s, mem, STR("rebuild"), &wanted, &ignored) == OK &&
	                   str_eq(wanted, STR("1"));
	return OK;
}

/* Threads start last: until then this thread may use both connections without their locks. */
enum err sqlite_open(const struct store_sqlite_options *o, struct store **ret, struct error *e)
{
	struct sqlite_store *s = store_new(o);
	enum err err = open_files(s, o, e);

	if (err == OK && !o->vfs)
		err = sqlite_watch_start(s, o->dir, e);
	if (err == OK)
		err = settle_rebuild(s, e);
	if (err == OK && s->has_threads)
		err = start_threads(s, e);
	if (err != OK) {
		store_release(s);
		return err;
	}
	*ret = &s->base;
	return OK;
}

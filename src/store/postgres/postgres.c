/*
 * The PostgreSQL store: opening and closing, its threads, and the mailboxes between
 * them and the owner.
 */
#include "store/postgres/postgres.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "store/data_dir.h"
#include "store/postgres/pg_slice.h"
#include "store/postgres/pg_schema.h"
#include "store/postgres/pg_store.h"
#include "store/postgres/wire/pg_url.h"

#include <assert.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct pg_store *self(struct store *base)
{
	return OWNER_OF(base, struct pg_store, base);
}

static struct pg_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_job, mail);
}

static struct pg_job *job_new(enum pg_job_kind kind)
{
	struct pg_job *job = memory_zeroed(1, sizeof *job);

	job->kind = kind;
	list_init(&job->waiting);
	return job;
}

/* ---- threads ---- */

static void wake_thread(void *arg)
{
	uint64_t one = 1;

	(void)!write(*(int *)arg, &one, sizeof one);
}

/* Signals belong to the program, so our threads block them. */
static enum err start_thread(pthread_t *ret, void *(*run)(void *), struct pg_store *s,
                             const char *name, struct error *e)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(ret, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return fail(e, ERR_IO, "cannot start a thread of the store");
	pthread_setname_np(*ret, name);
	return OK;
}

/* It ends after what was posted before. */
static void stop_thread(struct mailbox *to, pthread_t thread)
{
	mailbox_post(to, &job_new(PG_JOB_CLOSE)->mail);
	pthread_join(thread, NULL);
}

/* Heartbeats begin before everything that takes time. */
static enum err start_members(struct pg_store *s, struct error *e)
{
	enum err err = start_thread(&s->nodes.members_thread, pg_members_run, s, "thole-pg-hb", e);

	s->nodes.has_members = err == OK;
	return err;
}

static void stop_members(struct pg_store *s)
{
	atomic_store(&s->nodes.is_stopped, true);
	if (!s->nodes.has_members)
		return;
	wake_thread(&s->nodes.members_wake);
	pthread_join(s->nodes.members_thread, NULL);
	s->nodes.has_members = false;
}

static enum err start_threads(struct pg_store *s, struct error *e)
{
	if (start_thread(&s->writer_thread, pg_append_run, s, "thole-pg", e) != OK)
		return e->code;
	if (start_thread(&s->reader_thread, pg_worker_read, s, "thole-pg-rd", e) != OK) {
		stop_thread(&s->to_writer, s->writer_thread);
		return e->code;
	}
	if (start_thread(&s->keeper_thread, pg_worker_keep, s, "thole-pg-mt", e) != OK) {
		stop_thread(&s->to_reader, s->reader_thread);
		stop_thread(&s->to_writer, s->writer_thread);
		return e->code;
	}
	if (start_thread(&s->nodes.claims_thread, pg_claims_run, s, "thole-pg-cl", e) != OK) {
		stop_thread(&s->to_keeper, s->keeper_thread);
		stop_thread(&s->to_reader, s->reader_thread);
		stop_thread(&s->to_writer, s->writer_thread);
		return e->code;
	}
	s->nodes.has_claims = true;
	return OK;
}

/* ---- the port ---- */

/*
 * A request that arrives while the store closes fails, through poll() like every other
 * result: a callback never runs inside the call that submits.
 */
static void response_closed(struct pg_store *s, struct pg_job *job)
{
	struct error e;

	fail(&e, ERR_CLOSED, "the store is being closed");
	if (job->batch) {
		pg_state_fail_batch(job->batch, &e);
	} else if (job->maintenance) {
		job->maintenance->result = ERR_CLOSED;
		job->maintenance->error = e;
	} else {
		job->read->result = ERR_CLOSED;
		job->read->error = e;
	}
	mailbox_post(&s->answered, &job->mail);
}

static void post(struct pg_store *s, struct mailbox *to, struct pg_job *job)
{
	if (s->is_closing)
		response_closed(s, job);
	else
		mailbox_post(to, &job->mail);
}

/* The batch stays in `waiting` until it is delivered; backpressure is computed from this list. */
static void port_submit(struct store *base, struct batch *b)
{
	struct pg_store *s = self(base);
	struct pg_job *job = job_new(PG_JOB_BATCH);

	for (struct slice *sl = b->first; sl; sl = sl->next) {
		sl->state = SLICE_WAITING;
		sl->first_position = 0;
		job->bytes += pg_slice_weight(sl);
	}
	job->batch = b;
	job->since_ms = s->mono_ms();
	list_add(&s->waiting, &job->waiting);
	s->waiting_bytes += job->bytes;
	post(s, &s->to_writer, job);
}

static void port_read(struct store *base, struct store_read *r)
{
	struct pg_store *s = self(base);
	struct pg_job *job = job_new(PG_JOB_READ);

	job->read = r;
	post(s, &s->to_reader, job);
}

static void port_maintenance(struct store *base, struct store_maintenance *u)
{
	struct pg_store *s = self(base);
	struct pg_job *job = job_new(PG_JOB_MAINTENANCE);

	u->result = OK;
	u->error = (struct error){ 0 };
	u->count = 0;
	u->more = false;
	u->mem = NULL;
	u->found_count = 0;
	job->maintenance = u;
	post(s, &s->to_keeper, job);
}

/* The job is freed before the callback, which may submit again. */
static void job_deliver(struct pg_store *s, struct pg_job *job)
{
	struct batch *b = job->batch;
	struct store_read *r = job->read;
	struct store_maintenance *u = job->maintenance;
	struct pg_node_job nodes = job->nodes;
	struct store_allotment *a = job->allotment;
	bool is_of_nodes = job->kind == PG_JOB_NODES;

	list_remove(&job->waiting);
	s->waiting_bytes -= job->bytes;
	memory_free(job);
	if (is_of_nodes)
		pg_nodes_deliver(s, &nodes);
	else if (b)
		b->done(b);
	else if (u)
		u->done(u);
	else if (a)
		a->done(a);
	else
		r->done(r);
}

/* How many requests were answered; reports of other nodes answer none. */
static size_t deliver_all(struct pg_store *s, bool *ret_is_any)
{
	size_t count = 0;

	*ret_is_any = false;
	for (struct mail *m = mailbox_take(&s->answered), *next; m; m = next) {
		next = m->next; /* the callback may free the job and post again */
		*ret_is_any = true;
		count += !job_of(m)->nodes.report;
		job_deliver(s, job_of(m));
	}
	return count;
}

/* The end of the store is reported once, after the results that led to it. */
static size_t port_poll(struct store *base)
{
	struct pg_store *s = self(base);
	bool is_any;
	size_t count = deliver_all(s, &is_any);
	struct error why;

	if (!s->is_end_told && pg_state_is_dead(s, &why)) {
		s->is_end_told = true;
		if (why.detail == STORE_TAKEN && s->nodes.watch.expelled)
			s->nodes.watch.expelled(s->nodes.watch.owner, why.message);
		if (s->ended)
			s->ended(s->ended_arg, &why);
	}
	return count;
}

static enum err port_get_meta(struct store *base, struct arena *mem, struct str key,
                              struct str *ret, struct error *e)
{
	return pg_values_get(self(base), mem, key, ret, e);
}

static enum err port_set_meta(struct store *base, struct str key, struct str value, struct error *e)
{
	return pg_values_set(self(base), key, value, e);
}

static enum err port_keep_meta(struct store *base, struct arena *mem, struct str key,
                               struct str value, struct str *ret, struct error *e)
{
	return pg_values_keep(self(base), mem, key, value, ret, e);
}

static enum err port_keep_blob(struct store *base, struct str ref, struct str media_type,
                               struct str data, struct error *e)
{
	return pg_values_keep_blob(self(base), ref, media_type, data, e);
}

static enum err port_accounts(struct store *base, struct arena *mem, struct ledger_move **ret,
                              size_t *ret_count, struct error *e)
{
	return pg_values_accounts(self(base), mem, ret, ret_count, e);
}

static enum err port_pending_ops(struct store *base, struct arena *mem, struct pending_op **ret,
                                 size_t *ret_count, struct error *e)
{
	return pg_values_pending(self(base), mem, ret, ret_count, e);
}

static void port_stats(struct store *base, struct store_stats *ret)
{
	struct pg_store *s = self(base);

	*ret = (struct store_stats){
		.commits = atomic_load(&s->commits),
		.events = atomic_load(&s->events),
		.bytes = atomic_load(&s->bytes),
		.waiting_bytes = s->waiting_bytes,
		.last_commit_us = atomic_load(&s->last_commit_us),
		.size_bytes = atomic_load(&s->size_bytes),
		.sessions = atomic_load(&s->sessions),
		.packed = atomic_load(&s->packed),
		.needs_rebuild = atomic_load(&s->needs_rebuild),
		.last_position = atomic_load(&s->last_position),
	};
	/* Batches are answered in order, so the first has waited longest. */
	if (!list_is_empty(&s->waiting))
		ret->oldest_waiting_ms =
			s->mono_ms() - LIST_ITEM(s->waiting.next, struct pg_job, waiting)->since_ms;
	pg_state_tell(s, ret);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void free_behind(struct pg_store *s)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&s->behind, &i, &slot);)
		memory_free(slot->value);
	map_done(&s->behind);
}

/* Heartbeats end last, and what one of them reported has no reader any more. */
static void drop_reports(struct pg_store *s)
{
	for (struct mail *m = mailbox_take(&s->answered), *next; m; m = next) {
		next = m->next;
		pg_nodes_job_done(&job_of(m)->nodes);
		memory_free(job_of(m));
	}
}

static void store_free(struct pg_store *s)
{
	stop_members(s);
	drop_reports(s);
	if (!s->is_killed)
		pg_join_end(s);
	pg_nodes_done(s);
	pg_conn_close(&s->writer);
	pg_conn_close(&s->reader);
	pg_conn_close(&s->keeper);
	pg_conn_close(&s->start);
	mailbox_done(&s->to_writer);
	mailbox_done(&s->to_reader);
	mailbox_done(&s->to_keeper);
	mailbox_done(&s->answered);
	pthread_mutex_destroy(&s->lock);
	free_behind(s);
	close_fd(s->writer_wake);
	close_fd(s->reader_wake);
	close_fd(s->keeper_wake);
	close_fd(s->lock_fd);
	memory_free((char *)s->sweep_from);
	arena_free(s->mem);
	memory_free(s);
}

/* A callback may submit again; that request fails and is delivered in the next round. */
static void port_close(struct store *base)
{
	struct pg_store *s = self(base);
	bool is_any;

	s->is_closing = true;
	stop_thread(&s->to_reader, s->reader_thread);
	stop_thread(&s->to_keeper, s->keeper_thread);
	stop_thread(&s->nodes.to_claims, s->nodes.claims_thread);
	s->nodes.has_claims = false;
	stop_thread(&s->to_writer, s->writer_thread);
	do
		(void)deliver_all(s, &is_any);
	while (is_any);
	store_free(s);
}

void postgres_kill(struct store *base)
{
	struct pg_store *s = self(base);

	s->is_killed = true;
	stop_members(s);
	port_close(base);
}

void postgres_pause_heartbeats(struct store *base, bool is_paused)
{
	atomic_store(&self(base)->nodes.is_paused, is_paused);
}

void postgres_ask_on_hints(struct store *base, bool is_on)
{
	atomic_store(&self(base)->nodes.asks_on_hints, is_on);
}

static const struct store_ops ops = {
	.submit = port_submit,
	.read = port_read,
	.maintenance = port_maintenance,
	.poll = port_poll,
	.get_meta = port_get_meta,
	.set_meta = port_set_meta,
	.keep_meta = port_keep_meta,
	.keep_blob = port_keep_blob,
	.accounts = port_accounts,
	.pending_ops = port_pending_ops,
	.stats = port_stats,
	.close = port_close,
};

/* ---- opening ---- */

static struct pg_store *store_new(const struct store_postgres_options *o)
{
	struct pg_store *s = memory_zeroed(1, sizeof *s);

	s->base.ops = &ops;
	s->base.nodes = &pg_nodes_ops;
	s->base.move = &pg_move_ops;
	s->mem = arena_new();
	s->lock_fd = -1;
	s->writer_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->reader_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->keeper_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->place = pg_url_plain(s->mem, o->url).ptr;
	s->connect = (struct pg_conn_options){
		.url = arena_keep(s->mem, str_from(o->url)).ptr,
		.schema = arena_keep(s->mem, str_from(o->schema)).ptr,
		.is_relaxed = o->is_relaxed,
		.is_pooled = o->is_pooled,
	};
	s->mono_ms = o->mono_ms ? o->mono_ms : clock_mono_ms;
	s->wake = o->wake;
	s->wake_arg = o->wake_arg;
	s->ended = o->ended;
	s->ended_arg = o->ended_arg;
	pthread_mutex_init(&s->lock, NULL);
	list_init(&s->waiting);
	mailbox_init(&s->to_writer, wake_thread, &s->writer_wake);
	mailbox_init(&s->to_reader, wake_thread, &s->reader_wake);
	mailbox_init(&s->to_keeper, wake_thread, &s->keeper_wake);
	mailbox_init(&s->answered, o->wake, o->wake_arg);
	pg_nodes_init(s, o);
	return s;
}

/* The first two connections: whose database is it, and may this start have the name? */
/*
 * A daemon that runs waits for these as for a server that is away.  At the start they are settings
 * that are wrong, and starting again would not help.  A server that takes no writes is not among
 * them: during a failover only the standby answers, until it is promoted.
 */
static enum err settle_refusal(enum err err, struct error *e)
{
	static const char *const settings[] = { "store_login", "store_rights" };

	for (size_t i = 0; err == ERR_UNAVAILABLE && i < COUNT_OF(settings); i++)
		if (str_starts(str_from(e->message), str_from(settings[i])))
			return e->code = ERR_INVALID;
	return err;
}

static enum err open_first(struct pg_store *s, const struct store_postgres_options *o,
                           const struct pg_lib *lib, struct error *e)
{
	enum err err = pg_start_check_pool(s, lib, e);

	if (err == OK)
		err = pg_conn_open(&s->start, lib, &s->connect, e);
	if (err == OK)
		err = pg_start_check(s, o->is_relaxed, e);
	if (err == OK)
		err = pg_schema_settle(&s->start, s->connect.schema, o->only_existing, e);
	if (err == OK)
		err = pg_members_open(s, e);
	if (err == OK)
		err = pg_join_take(s, e);
	if (err == OK)
		err = start_members(s, e);
	if (err == OK)
		err = pg_start_count(s, e);
	return settle_refusal(err, e);
}

/* Their names tell the next start whether this one still has connections. */
static enum err open_named(struct pg_store *s, struct pg_conn *c, enum pg_use use, struct error *e)
{
	struct pg_conn_options o = s->connect;
	enum err err;

	o.use = use;
	err = pg_conn_open(c, s->start.lib, &o, e);
	return err == OK ? pg_conn_rename(c, s->connect.schema, s->incarnation, e) : err;
}

/* The one of the start is not needed any more. */
static enum err open_others(struct pg_store *s, struct error *e)
{
	enum err err;

	pg_conn_close(&s->start);
	err = open_named(s, &s->reader, PG_USE_READS, e);
	if (err == OK)
		err = open_named(s, &s->keeper, PG_USE_LOG, e);
	if (err == OK)
		err = open_named(s, &s->nodes.claims, PG_USE_NODES, e);
	return err == OK ? pg_append_open(s, e) : err;
}

static enum err check_options(const struct store_postgres_options *o, const struct pg_lib *lib,
                              struct error *e)
{
	enum err err = pg_url_check(lib, o->url, e);

	if (err == OK)
		err = pg_nodes_check(o, e);
	if (err == OK && !pg_schema_name_is_good(str_from(o->schema)))
		err = pg_schema_bad_name(e);
	return err;
}

enum err postgres_open(const struct store_postgres_options *o, struct store **ret, struct error *e)
{
	const struct pg_lib *lib = pg_lib_load(e);
	struct error own;
	struct pg_store *s;
	enum err err;

	e = e ? e : &own;
	if (!lib)
		return ERR_UNSUPPORTED;
	err = check_options(o, lib, e);
	if (err != OK)
		return err;
	s = store_new(o);
	if (s->writer_wake < 0 || s->reader_wake < 0 || s->keeper_wake < 0 ||
	    s->nodes.members_wake < 0 || s->nodes.claims_wake < 0)
		err = fail_errno(e, ERR_IO, "cannot open the store");
	if (err == OK && o->dir)
		err = data_dir_take(o->dir, &s->lock_fd, e);
	if (err == OK)
		err = open_first(s, o, lib, e);
	if (err == OK)
		err = open_others(s, e);
	if (err == OK)
		err = start_threads(s, e);
	if (err != OK) {
		store_free(s);
		return err;
	}
	*ret = &s->base;
	return OK;
}

struct str postgres_place(struct arena *mem, const char *url)
{
	return pg_url_plain(mem, url);
}

struct str postgres_password(struct arena *mem, const char *url)
{
	const struct pg_lib *lib = pg_lib_load(NULL);

	return lib ? pg_url_password(mem, lib, url) : STR_NONE;
}

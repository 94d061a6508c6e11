/*
 * Outputs as files and, behind them, in the database or in an object store.
 *
 * The file is the source: an output that grows is read from its file, a chunk at a time,
 * and copied.  One step is under way for each output:
 *
 *	written ──► read the file ──► put the chunk ──► … ──► all of it ──► idle
 *	                                                        │
 *	                                      sealed file: put size and hash ──► done
 *
 * For an object store the thread reads the file itself, a part at a time.
 */
#include "store/postgres/outputs/pg_outputs.h"

#include "base/list.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/id.h"
#include "store/bucket/bucket_parts.h"
#include "store/postgres/outputs/pg_output_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FLUSH_MS 2000
/* So many bytes are not left waiting for the next tick.  In an object store they make a part. */
#define FLUSH_BYTES ((uint64_t)1 << 20)
#define FLUSH_BYTES_OBJECT BUCKET_PARTS_FIRST
/* How often all of it is sent again when the server has lost chunks. */
#define AGAIN_MOST 3
#define CLOSE_PAUSE_US 500

struct outputs {
	struct blobs base;
	struct blobs *files;
	struct pg_output_work work;
	struct map growing; /* ref → struct growing */
	struct map writers; /* the pointer of a writer → struct growing */
	size_t under_way;   /* steps, reads and jobs that will be answered */
	uint64_t flush_bytes;
	int64_t waits_since_ms;                                  /* wall clock; 0: nothing waits */
	char waits_why[sizeof((struct error *)0)->message + 80]; /* with that time */
};

/* An output whose bytes this process has, until it is sealed or removed. */
struct growing {
	struct outputs *o;
	char ref[PG_OUTPUT_REF_MAX + 1];
	struct blob_writer *writer; /* of the file; NULL: none */
	uint64_t copied;            /* bytes that the database has */
	uint64_t fresh;             /* written since the file was looked at */
	bool is_remade;             /* made of a raw one: its bytes may change until it is sealed */
	bool is_moving;             /* a step is under way */
	bool has_begun;             /* a step has ended: what is there is ours */
	bool is_over;               /* removed or abandoned: freed after its step */
	unsigned again;
	struct blob_read read;
	/* Of a seal. */
	bool is_file_sealed;
	struct blob_sealed sealed; /* head and tail are copies */
	void (*done)(void *owner, const struct blob_sealed *s);
	void *owner;
};

/* A read that may go to the database. */
struct asked {
	struct outputs *o;
	struct blob_read *wanted; /* the caller's */
	struct blob_read file;
};

static struct outputs *self(struct blobs *base)
{
	return OWNER_OF(base, struct outputs, base);
}

/* The files refuse any other. */
static bool is_ref(struct str ref)
{
	return ref.len <= PG_OUTPUT_REF_MAX && id_is_valid(ref);
}

/* ---- which outputs grow ---- */

static struct str pointer_key(struct blob_writer *const *w)
{
	return str_of((const char *)w, sizeof *w);
}

static struct growing *growing_new(struct outputs *o, struct str ref)
{
	struct growing *g = memory_zeroed(1, sizeof *g);

	g->o = o;
	snprintf(g->ref, sizeof g->ref, "%.*s", (int)MIN(ref.len, PG_OUTPUT_REF_MAX), ref.ptr);
	/* A second one of the same ref fails in its file, and is known by its writer only. */
	if (!map_get(&o->growing, str_from(g->ref)))
		map_put(&o->growing, str_from(g->ref), g);
	pg_output_work_grows(&o->work);
	return g;
}

static struct growing *growing_find(struct outputs *o, struct str ref)
{
	struct growing *g = map_get(&o->growing, ref);

	return g ? g : growing_new(o, ref);
}

static void forget_writer(struct growing *g)
{
	if (g->writer)
		map_remove(&g->o->writers, pointer_key(&g->writer));
	g->writer = NULL;
}

static void growing_free(struct growing *g)
{
	struct outputs *o = g->o;

	forget_writer(g);
	if (map_get(&o->growing, str_from(g->ref)) == g)
		map_remove(&o->growing, str_from(g->ref));
	atomic_fetch_sub(&o->work.growing, 1);
	memory_free((char *)g->sealed.head.ptr);
	memory_free((char *)g->sealed.tail.ptr);
	memory_free(g);
}

/* Its step, if one is under way, frees it. */
static void growing_end(struct growing *g)
{
	g->is_over = true;
	if (!g->is_moving)
		growing_free(g);
}

/* ---- copying ---- */

static void move(struct growing *g);

static void step_ends(struct growing *g)
{
	g->is_moving = false;
	g->o->under_way--;
}

/* The result of a seal, which is the file's unless there is a worse one. */
static void sealed(struct growing *g, enum err result, const struct error *why)
{
	if (result != OK) {
		g->sealed.result = result;
		g->sealed.error = *why;
	}
	g->done(g->owner, &g->sealed);
	growing_free(g);
}

static void post(struct growing *g, enum pg_output_kind kind, struct pg_output_job *job)
{
	job->kind = kind;
	pg_output_work_post(&g->o->work, job);
}

static void put_seal(struct growing *g)
{
	struct pg_output_job *job = pg_output_job_new(PG_OUTPUT_SEAL, g->ref, g);

	job->size = g->sealed.size;
	job->hash = g->sealed.hash;
	post(g, PG_OUTPUT_SEAL, job);
}

/* Everything that the file has is in the database. */
static void all_is_copied(struct growing *g)
{
	if (g->is_file_sealed && g->sealed.result == OK) {
		put_seal(g);
		return;
	}
	step_ends(g);
	if (g->is_file_sealed)
		sealed(g, OK, NULL);
	else if (g->is_over)
		growing_free(g);
	else if (g->fresh >= g->o->flush_bytes)
		move(g);
}

/* Without a seal the next tick tries again. */
static void cannot_copy(struct growing *g, enum err result, const struct error *why)
{
	step_ends(g);
	if (g->is_file_sealed)
		sealed(g, result, why);
	else if (g->is_over)
		growing_free(g);
}

static void file_was_read(struct blob_read *r)
{
	struct growing *g = r->owner;
	struct pg_output_job *job;

	if (r->result != OK) {
		struct error why = r->error;

		port_blob_read_done(r);
		cannot_copy(g, why.code, &why);
		return;
	}
	if (r->offset + r->len <= g->copied || g->is_over) {
		port_blob_read_done(r);
		all_is_copied(g);
		return;
	}
	job = pg_output_job_new(PG_OUTPUT_PUT, g->ref, g);
	job->no = (int64_t)(r->offset / PG_OUTPUT_CHUNK);
	job->is_final = g->is_file_sealed;
	job->data = r->data; /* it is the job's now */
	job->len = r->len;
	r->data = NULL;
	port_blob_read_done(r);
	post(g, PG_OUTPUT_PUT, job);
}

static void read_file(struct growing *g)
{
	g->read = (struct blob_read){ .ref = str_from(g->ref),
		                      .offset = g->copied / PG_OUTPUT_CHUNK * PG_OUTPUT_CHUNK,
		                      .max = PG_OUTPUT_CHUNK,
		                      .done = file_was_read,
		                      .owner = g };
	g->o->files->ops->read(g->o->files, &g->read);
}

static void copy_part(struct growing *g)
{
	struct pg_output_job *job = pg_output_job_new(PG_OUTPUT_PUT, g->ref, g);

	job->offset = g->copied;
	job->is_first = !g->has_begun;
	job->is_final = g->is_file_sealed;
	job->size = g->sealed.size;
	post(g, PG_OUTPUT_PUT, job);
}

static void copy_next(struct growing *g)
{
	if (g->o->work.has_bucket)
		copy_part(g);
	else
		read_file(g);
}

static void move(struct growing *g)
{
	if (g->is_moving)
		return;
	g->is_moving = true;
	g->fresh = 0;
	g->o->under_way++;
	copy_next(g);
}

/* Of what was copied before a part is missing: all of it is copied again. */
static void copy_again(struct growing *g)
{
	g->again++;
	g->copied = 0;
	copy_next(g);
}

/* The file may have been sealed while a piece of it was on its way. */
static bool is_more(const struct growing *g, const struct pg_output_job *job)
{
	if (g->o->work.has_bucket)
		return !g->is_over && (job->is_more || (g->is_file_sealed && !job->is_final));
	return job->len == PG_OUTPUT_CHUNK || (g->is_file_sealed && g->copied < g->sealed.size);
}

static void piece_was_put(struct growing *g, const struct pg_output_job *job)
{
	if (job->result == ERR_CORRUPT && g->again < AGAIN_MOST && !g->is_over) {
		copy_again(g);
		return;
	}
	if (job->result != OK) {
		cannot_copy(g, job->result, &job->error);
		return;
	}
	g->has_begun = true;
	g->copied = g->o->work.has_bucket ? job->copied
	                                  : (uint64_t)job->no * PG_OUTPUT_CHUNK + job->len;
	if (is_more(g, job))
		copy_next(g);
	else
		all_is_copied(g);
}

/* Chunks are missing when another server took over that did not have them yet. */
static void seal_was_put(struct growing *g, const struct pg_output_job *job)
{
	if (job->result == ERR_CORRUPT && g->again < AGAIN_MOST) {
		copy_again(g);
		return;
	}
	step_ends(g);
	sealed(g, job->result, &job->error);
}

/* ---- sealing ---- */

static struct str keep_copy(struct str s)
{
	char *copy = memory_alloc(s.len + 1);

	if (s.len)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return str_of(copy, s.len);
}

/* The previews live during the callback only. */
static void keep_sealed(struct growing *g, const struct blob_sealed *s)
{
	memory_free((char *)g->sealed.head.ptr);
	memory_free((char *)g->sealed.tail.ptr);
	g->sealed = *s;
	g->sealed.head = keep_copy(s->head);
	g->sealed.tail = keep_copy(s->tail);
}

static void file_was_sealed(void *owner, const struct blob_sealed *s)
{
	struct growing *g = owner;

	g->o->under_way--;
	keep_sealed(g, s);
	if (s->result != OK && !g->is_moving) {
		sealed(g, OK, NULL);
		return;
	}
	g->is_file_sealed = true; /* a step that is under way continues with it */
	move(g);
}

static void port_seal(struct blobs *base, struct blob_writer *w,
                      void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	struct outputs *o = self(base);
	struct growing *g = map_get(&o->writers, pointer_key(&w));

	forget_writer(g);
	if (!done) {
		o->files->ops->seal(o->files, w, NULL, NULL);
		growing_end(g);
		return;
	}
	g->done = done;
	g->owner = owner;
	o->under_way++;
	o->files->ops->seal(o->files, w, file_was_sealed, g);
}

/* ---- sealing what an earlier run or another node left ---- */

static void look_up(struct growing *g, bool is_final)
{
	struct pg_output_job *job = pg_output_job_new(PG_OUTPUT_RECOVER, g->ref, g);

	job->is_final = is_final;
	g->o->under_way++;
	post(g, PG_OUTPUT_RECOVER, job);
}

/* Without a file, the database has what there is. */
static void file_was_recovered(void *owner, const struct blob_sealed *s)
{
	struct growing *g = owner;

	if (s->result != ERR_NOT_FOUND) {
		file_was_sealed(owner, s);
		return;
	}
	g->o->under_way--;
	look_up(g, true);
}

static void was_looked_up(struct growing *g, struct pg_output_job *job)
{
	struct outputs *o = g->o;

	o->under_way--;
	if (job->result == ERR_NOT_FOUND && !job->is_final) {
		o->under_way++;
		o->files->ops->recover_seal(o->files, str_from(g->ref), file_was_recovered, g);
		return;
	}
	if (job->result == OK) {
		struct blob_sealed s = { .size = job->size,
			                 .hash = job->hash,
			                 .head = blob_digest_head(job->digest),
			                 .tail = blob_digest_tail(job->digest),
			                 .is_text = job->digest->is_text };

		keep_sealed(g, &s);
		/* What this machine has of it was never sealed. */
		if (!job->is_final)
			o->files->ops->remove(o->files, str_from(g->ref));
	}
	sealed(g, job->result, &job->error);
}

static void port_recover_seal(struct blobs *base, struct str ref,
                              void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	struct outputs *o = self(base);
	struct growing *g = is_ref(ref) ? growing_find(o, ref) : NULL;

	if (!g) {
		o->files->ops->recover_seal(o->files, ref, done, owner);
		return;
	}
	/* Two at once: the second has a record of its own. */
	if (g->done)
		g = growing_new(o, ref);
	g->done = done;
	g->owner = owner;
	look_up(g, false);
}

/* ---- writing ---- */

static struct blob_writer *port_open(struct blobs *base, struct str ref)
{
	struct outputs *o = self(base);
	struct growing *g = growing_new(o, ref);

	g->writer = o->files->ops->open(o->files, ref);
	map_put(&o->writers, pointer_key(&g->writer), g);
	return g->writer;
}

static void note_written(struct growing *g, size_t len)
{
	g->fresh += len;
	if (g->fresh >= g->o->flush_bytes)
		move(g);
}

static void port_write(struct blobs *base, struct blob_writer *w, struct str data)
{
	struct outputs *o = self(base);

	o->files->ops->write(o->files, w, data);
	note_written(map_get(&o->writers, pointer_key(&w)), data.len);
}

static uint64_t port_pending(const struct blobs *base, const struct blob_writer *w)
{
	const struct outputs *o = OWNER_OF(base, const struct outputs, base);

	return o->files->ops->pending(o->files, w);
}

static void port_extend(struct blobs *base, struct str ref, uint64_t offset, struct str data,
                        bool is_last)
{
	struct outputs *o = self(base);

	o->files->ops->extend(o->files, ref, offset, data, is_last);
	if (is_ref(ref))
		growing_find(o, ref)->is_remade = true;
}

static void flush_all(struct outputs *o)
{
	struct map_slot *slot;

	if (atomic_load(&o->work.is_closing))
		return;
	for (size_t i = 0; map_next(&o->growing, &i, &slot);) {
		struct growing *g = slot->value;

		if (g->fresh)
			move(g);
	}
}

/* ---- files of this machine only ---- */

static struct str port_raw(struct blobs *base, struct arena *mem, struct str ref)
{
	return self(base)->files->ops->raw(self(base)->files, mem, ref);
}

static void port_drop_raw(struct blobs *base, struct str ref)
{
	self(base)->files->ops->drop_raw(self(base)->files, ref);
}

static void port_sweep_raw(struct blobs *base, const struct str *refs, size_t count)
{
	self(base)->files->ops->sweep_raw(self(base)->files, refs, count);
}

/* Of this node: another one looks after what it made. */
static void port_each(struct blobs *base, struct str prefix,
                      void (*take)(void *arg, struct str ref), void *arg)
{
	self(base)->files->ops->each(self(base)->files, prefix, take, arg);
}

/* ---- reading ---- */

/* The result is from `data` on; the request stays the caller's. */
static void take_result(struct blob_read *to, const struct blob_read *from)
{
	to->result = from->result;
	to->error = from->error;
	to->data = from->data;
	to->len = from->len;
	to->size = from->size;
	to->sealed = from->sealed;
}

static void asked_done(struct asked *a)
{
	struct blob_read *wanted = a->wanted;

	a->o->under_way--;
	memory_free(a);
	wanted->done(wanted);
}

/* A file that is not being written may be older than what another node has sealed. */
static void file_was_asked(struct blob_read *r)
{
	struct asked *a = r->owner;
	struct pg_output_job *job;

	if ((r->result == OK && r->sealed) || !is_ref(r->ref)) {
		take_result(a->wanted, r);
		asked_done(a);
		return;
	}
	job = pg_output_job_new(PG_OUTPUT_READ, "", a);
	snprintf(job->ref, sizeof job->ref, "%.*s", STR_ARG(r->ref));
	job->offset = r->offset;
	job->max = MIN(r->max, BLOB_READ_MAX);
	job->is_probe = r->is_probe;
	pg_output_work_post(&a->o->work, job);
}

static void database_was_asked(struct asked *a, struct pg_output_job *job)
{
	if (a->file.result == OK && !(job->result == OK && job->is_sealed)) {
		take_result(a->wanted, &a->file);
		asked_done(a);
		return;
	}
	port_blob_read_done(&a->file);
	a->wanted->result = job->result;
	a->wanted->error = job->error;
	a->wanted->data = job->data;
	a->wanted->len = (uint32_t)job->len;
	a->wanted->size = job->size;
	a->wanted->sealed = job->is_sealed;
	job->data = NULL;
	asked_done(a);
}

static bool is_written_here(struct outputs *o, struct str ref)
{
	struct growing *g = map_get(&o->growing, ref);

	return g && (g->writer || g->is_remade);
}

static void port_read(struct blobs *base, struct blob_read *r)
{
	struct outputs *o = self(base);
	struct asked *a;

	if (r->is_raw || is_written_here(o, r->ref)) {
		o->files->ops->read(o->files, r);
		return;
	}
	a = memory_zeroed(1, sizeof *a);
	a->o = o;
	a->wanted = r;
	a->file = *r;
	a->file.done = file_was_asked;
	a->file.owner = a;
	o->under_way++;
	o->files->ops->read(o->files, &a->file);
}

static void port_remove(struct blobs *base, struct str ref)
{
	struct outputs *o = self(base);
	struct growing *g = map_get(&o->growing, ref);

	o->files->ops->remove(o->files, ref);
	if (!is_ref(ref))
		return;
	if (g && !g->writer && !g->done)
		growing_end(g);

	struct pg_output_job *job = pg_output_job_new(PG_OUTPUT_REMOVE, "", NULL);

	snprintf(job->ref, sizeof job->ref, "%.*s", STR_ARG(ref));
	o->under_way++;
	pg_output_work_post(&o->work, job);
}

/* ---- answers ---- */

/* The reason may change while they wait. */
static void note_waits(struct outputs *o, const struct pg_output_job *job)
{
	char since[TIME_TEXT_MAX];

	if (job->result == OK) {
		o->waits_since_ms = 0;
		return;
	}
	if (!o->waits_since_ms)
		o->waits_since_ms = clock_wall_ms();
	clock_time_write(o->waits_since_ms, since);
	snprintf(o->waits_why, sizeof o->waits_why, "outputs wait since %s: %s", since,
	         job->error.message);
}

static struct str port_waits(struct blobs *base)
{
	struct outputs *o = self(base);

	return o->waits_since_ms ? str_from(o->waits_why) : STR_NONE;
}

static void take_answer(struct outputs *o, struct pg_output_job *job)
{
	switch (job->kind) {
	case PG_OUTPUT_PUT:
		piece_was_put(job->owner, job);
		break;
	case PG_OUTPUT_SEAL:
		seal_was_put(job->owner, job);
		break;
	case PG_OUTPUT_RECOVER:
		was_looked_up(job->owner, job);
		break;
	case PG_OUTPUT_READ:
		database_was_asked(job->owner, job);
		break;
	case PG_OUTPUT_REMOVE:
		o->under_way--;
		break;
	case PG_OUTPUT_TICK:
		flush_all(o);
		break;
	case PG_OUTPUT_WAITS:
		note_waits(o, job);
		break;
	case PG_OUTPUT_CLOSE:
		break;
	}
	pg_output_job_free(job);
}

static size_t port_poll(struct blobs *base)
{
	struct outputs *o = self(base);
	size_t count = o->files->ops->poll(o->files);

	for (struct mail *m = mailbox_take(&o->work.answered), *next; m; m = next) {
		next = m->next;
		take_answer(o, OWNER_OF(m, struct pg_output_job, mail));
		count++;
	}
	return count;
}

/* ---- opening and closing ---- */

static void outputs_free(struct outputs *o)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&o->writers, &i, &slot); i = 0)
		growing_free(slot->value);
	for (size_t i = 0; map_next(&o->growing, &i, &slot); i = 0)
		growing_free(slot->value);
	map_done(&o->growing);
	map_done(&o->writers);
	mailbox_done(&o->work.answered);
	arena_free(o->work.mem);
	memory_free(o);
}

/* What is under way is answered; while the database is away, with ERR_UNAVAILABLE. */
static void port_close(struct blobs *base)
{
	struct outputs *o = self(base);

	pg_output_work_closing(&o->work);
	while (o->under_way)
		if (!port_poll(base))
			usleep(CLOSE_PAUSE_US);
	pg_output_work_close(&o->work);
	(void)port_poll(base);
	o->files->ops->close(o->files);
	outputs_free(o);
}

static const struct blob_ops ops = {
	.open = port_open,
	.write = port_write,
	.pending = port_pending,
	.seal = port_seal,
	.recover_seal = port_recover_seal,
	.extend = port_extend,
	.raw = port_raw,
	.drop_raw = port_drop_raw,
	.sweep_raw = port_sweep_raw,
	.read = port_read,
	.remove = port_remove,
	.each = port_each,
	.waits = port_waits,
	.poll = port_poll,
	.close = port_close,
};

enum err pg_outputs_open(const struct pg_outputs_options *o, struct blobs *files,
                         struct blobs **ret, struct error *e)
{
	struct outputs *s = memory_zeroed(1, sizeof *s);
	struct pg_output_work *w = &s->work;
	enum err err;

	s->base.ops = &ops;
	s->files = files;
	s->flush_bytes = o->bucket ? FLUSH_BYTES_OBJECT : FLUSH_BYTES;
	w->mem = arena_new_small();
	w->flush_ms = o->flush_ms ? o->flush_ms : FLUSH_MS;
	w->connect =
		(struct pg_conn_options){ .url = arena_keep(w->mem, str_from(o->url)).ptr,
		                          .schema = arena_keep(w->mem, str_from(o->schema)).ptr,
		                          .is_relaxed = o->is_relaxed,
		                          .is_pooled = o->is_pooled };
	mailbox_init(&w->answered, o->wake, o->wake_arg);
	err = pg_output_work_start(w, o->bucket, files, e);
	if (err != OK) {
		files->ops->close(files);
		outputs_free(s);
		return err;
	}
	*ret = &s->base;
	return OK;
}

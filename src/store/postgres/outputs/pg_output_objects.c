/*
 * Jobs about outputs in an object store.  Each asks the database first what is there, and can be
 * done again after any of its steps.
 */
#include "store/postgres/outputs/pg_output_objects.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "store/blobs.h"
#include "store/bucket/bucket_object.h"
#include "store/bucket/bucket_parts.h"
#include "store/postgres/outputs/pg_output_chunks.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much is read for a digest at once. */
#define DIGEST_PIECE ((size_t)1 << 20)
/* How often parts are put together again while another node changes them. */
#define ASSEMBLE_TRIES 3

/* What the database says of an output. */
struct pieces {
	struct arena *mem;
	struct str ref;
	bool is_sealed, is_growing;
	bool is_taken; /* another node seals what there is */
	bool is_gone;  /* an output of this ref was removed, and its objects were not yet */
	uint64_t size;
	struct sha256 hash;
	struct str object; /* that has it, or grows; absent: chunks, or no parts yet */
	struct str upload; /* absent: no parts yet */
	struct bucket_part *parts;
	size_t count;
	uint64_t end; /* of the last part */
};

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* ---- what is there ---- */

static void take_row(struct pieces *p, const struct pg_rows *rows)
{
	p->is_sealed = pg_conn_hash(rows, 0, 1, &p->hash);
	p->size = (uint64_t)pg_conn_i64(rows, 0, 0);
	p->is_growing = pg_conn_bool(rows, 0, 3);
	p->is_taken = pg_conn_bool(rows, 0, 6);
	p->is_gone = pg_conn_bool(rows, 0, 10);
	p->object = arena_keep(p->mem, pg_conn_str(rows, 0, p->is_sealed ? 2 : 4));
	p->upload = arena_keep(p->mem, pg_conn_str(rows, 0, 5));
}

static void take_parts(struct pieces *p, const struct pg_rows *rows)
{
	p->parts = ARENA_ARRAY(p->mem, struct bucket_part, (size_t)rows->count + 1);
	for (int i = 0; i < rows->count; i++) {
		int64_t no = pg_conn_i64(rows, i, 7);

		if (no != (int64_t)p->count + 1)
			return; /* there are none, or a server lacks one */
		p->parts[p->count++] =
			(struct bucket_part){ no, arena_keep(p->mem, pg_conn_str(rows, i, 9)) };
		p->end += (uint64_t)pg_conn_i64(rows, i, 8);
	}
}

static enum err ask(struct pg_output_objects *o, const char *ref, struct pieces *ret,
                    struct error *e)
{
	static const struct pg_sql q = {
		"ask_objects",
		"SELECT o.size, o.hash, o.object, g.ref IS NOT NULL, g.object, g.upload,"
		" coalesce(g.is_taken, false), p.no, p.size, p.etag,"
		" EXISTS (SELECT FROM output_gone WHERE ref = $1::text) FROM (SELECT 1) one"
		" LEFT JOIN output o ON o.ref = $1::text"
		" LEFT JOIN output_growing g ON g.ref = $1::text"
		" LEFT JOIN output_part p ON p.ref = $1::text ORDER BY p.no"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	*ret = (struct pieces){ .mem = ret->mem, .ref = str_from(ref) };
	pg_args_str(&args, ret->ref);
	err = pg_conn_ask(o->conn, &q, &args, &rows, e);
	if (err == OK) {
		take_row(ret, &rows);
		take_parts(ret, &rows);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static struct str key_of(const struct pieces *p, struct str name)
{
	return arena_printf(p->mem, "%.*s/%.*s", STR_ARG(p->ref), STR_ARG(name));
}

static struct str tail_name(const struct pieces *p)
{
	return arena_printf(p->mem, "tail-%llu", (unsigned long long)p->end);
}

static struct str content_name(const struct pieces *p, const struct sha256 *hash)
{
	return arena_printf(p->mem, "sha256-%.*s", STR_ARG(sha256_hex(p->mem, hash)));
}

/* ---- rows of an output that grows ---- */

static enum err tell(struct pg_output_objects *o, const struct pg_sql *q, const struct pieces *p,
                     struct str object, struct str upload, struct error *e)
{
	struct pg_args args = { 0 };

	pg_args_str(&args, p->ref);
	pg_args_str(&args, object);
	pg_args_str(&args, upload);
	return pg_conn_tell(o->conn, q, &args, e);
}

/* Comes before the first object, so that removal and other nodes know of it. */
static enum err note_growing(struct pg_output_objects *o, struct pieces *p, struct str object,
                             struct str upload, struct error *e)
{
	static const struct pg_sql q = {
		"note_growing", "INSERT INTO output_growing(ref, object, upload)"
				" SELECT $1::text, $2::text, $3::text"
				" WHERE NOT EXISTS (SELECT FROM output WHERE ref = $1::text)"
				" ON CONFLICT (ref) DO UPDATE SET object = excluded.object, upload "
				"= excluded.upload"
				" WHERE NOT output_growing.is_taken"
	};
	enum err err = tell(o, &q, p, object, upload, e);

	if (err != OK)
		return err;
	p->is_growing = true;
	p->object = object;
	p->upload = upload;
	return OK;
}

static enum err note_part(struct pg_output_objects *o, const struct pieces *p, int64_t no,
                          uint64_t size, const char *etag, struct error *e)
{
	static const struct pg_sql q = {
		"note_part",
		"INSERT INTO output_part(ref, no, size, etag)"
		" SELECT $1::text, $2::bigint, $3::bigint, $4::text FROM output_growing"
		" WHERE ref = $1::text AND upload = $5::text AND NOT is_taken"
		" ON CONFLICT (ref, no) DO UPDATE SET size = excluded.size, etag = excluded.etag"
	};
	struct pg_args args = { 0 };

	pg_args_str(&args, p->ref);
	pg_args_i64(&args, no);
	pg_args_i64(&args, (int64_t)size);
	pg_args_str(&args, str_from(etag));
	pg_args_str(&args, p->upload);
	return pg_conn_tell(o->conn, &q, &args, e);
}

/* Parts of this upload count no more; what another node has taken stays, unless is_first. */
static enum err forget_rows(struct pg_output_objects *o, const struct pieces *p, bool is_first,
                            struct error *e)
{
	static const struct pg_sql q = {
		"forget_parts", "WITH gone AS (DELETE FROM output_growing WHERE ref = $1::text"
				" AND ($2::boolean OR NOT is_taken) RETURNING ref)"
				" DELETE FROM output_part WHERE ref IN (SELECT ref FROM gone)"
	};
	struct pg_args args = { 0 };

	pg_args_str(&args, p->ref);
	pg_args_bool(&args, is_first);
	return pg_conn_tell(o->conn, &q, &args, e);
}

/* What a bucket refuses here its lifecycle rules remove. */
static enum err abort_upload(struct pg_output_objects *o, struct str key, struct str upload,
                             struct error *e)
{
	enum err err = upload.len ? bucket_object_abort(&o->bucket, key, upload, e) : OK;

	return err != OK && o->bucket.is_refused ? OK : err;
}

/* An earlier process of this machine began: its file counts, which is sent again. */
static enum err start_over(struct pg_output_objects *o, struct pieces *p, struct error *e)
{
	enum err err = abort_upload(o, key_of(p, p->object), p->upload, e);

	if (err == OK)
		err = forget_rows(o, p, true, e);
	if (err != OK)
		return err;
	*p = (struct pieces){ .mem = p->mem, .ref = p->ref };
	return OK;
}

/* The upload is over, because another node has ended it, or a rule of the bucket has. */
static enum err lose_parts(struct pg_output_objects *o, const struct pieces *p, struct error *e)
{
	enum err err = forget_rows(o, p, false, e);

	if (err != OK)
		return err;
	return fail(e, ERR_CORRUPT, "the bucket lacks parts of %.*s", STR_ARG(p->ref));
}

/* ---- removing ---- */

static enum err forget_gone(struct pg_output_objects *o, struct str ref, struct error *e)
{
	static const struct pg_sql q = { "forget_gone",
		                         "DELETE FROM output_gone WHERE ref = $1::text" };
	struct pg_args args = { 0 };

	pg_args_str(&args, ref);
	return pg_conn_tell(o->conn, &q, &args, e);
}

static enum err remove_objects(struct pg_output_objects *o, const struct pieces *p, struct error *e)
{
	enum err err = abort_upload(o, key_of(p, p->object), p->upload, e);

	if (err == OK)
		err = bucket_object_sweep(&o->bucket, key_of(p, STR("")), STR_NONE, e);
	return err == OK ? forget_gone(o, p->ref, e) : err;
}

static enum err remove_locked(struct pg_output_objects *o, struct str ref, size_t *ret_count,
                              struct error *e)
{
	static const struct pg_sql q = {
		"lock_gone",
		"SELECT ref, object, upload FROM output_gone"
		" WHERE $1::text IS NULL OR ref = $1::text ORDER BY ref LIMIT 1 FOR UPDATE"
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, ref);
	err = pg_conn_ask(o->conn, &q, &args, &rows, e);
	*ret_count = (size_t)rows.count;
	if (err == OK && rows.count) {
		struct pieces p = { .mem = mem,
			            .ref = pg_conn_str(&rows, 0, 0),
			            .object = pg_conn_str(&rows, 0, 1),
			            .upload = pg_conn_str(&rows, 0, 2) };

		err = remove_objects(o, &p, e);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/*
 * Objects of this output, or of the first one.  A ref may be used again, as that of a pack is: the
 * lock keeps another node from removing what was written since.
 */
static enum err remove_gone(struct pg_output_objects *o, struct str ref, size_t *ret_count,
                            struct error *e)
{
	enum err err = pg_conn_run(o->conn, "BEGIN", e);
	struct error ignored;

	*ret_count = 0;
	if (err == OK)
		err = remove_locked(o, ref, ret_count, e);
	if (err == OK)
		return pg_conn_run(o->conn, "COMMIT", e);
	(void)!pg_conn_run(o->conn, "ROLLBACK", &ignored);
	return err;
}

enum err pg_output_objects_sweep(struct pg_output_objects *o, bool *ret_more, struct error *e)
{
	size_t count = 0;
	enum err err = remove_gone(o, STR_NONE, &count, e);

	*ret_more = count > 0;
	return err;
}

/* ---- copying ---- */

static enum err begin_upload(struct pg_output_objects *o, struct pieces *p, struct error *e)
{
	char upload[BUCKET_UPLOAD_MAX];
	struct str name =
		arena_printf(p->mem, "parts-%lld-%d", (long long)clock_wall_ms(), (int)getpid());
	enum err err = bucket_object_begin(&o->bucket, key_of(p, name), upload, e);

	if (err == OK)
		err = note_growing(o, p, name, arena_keep(p->mem, str_from(upload)), e);
	return err;
}

static enum err send_part(struct pg_output_objects *o, struct pieces *p, int64_t no, int fd,
                          uint64_t size, struct error *e)
{
	struct bucket_body body = { .fd = fd, .from = p->end, .size = size };
	char etag[BUCKET_ETAG_MAX];
	enum err err = p->upload.len ? OK : begin_upload(o, p, e);

	if (err == OK)
		err = bucket_object_part(&o->bucket, key_of(p, p->object), p->upload, no, &body,
		                         etag, e);
	if (err == ERR_NOT_FOUND)
		return lose_parts(o, p, e);
	if (err == OK)
		err = note_part(o, p, no, size, etag, e);
	return err;
}

static enum err send_tail(struct pg_output_objects *o, struct pieces *p, int fd, uint64_t size,
                          struct error *e)
{
	struct bucket_body body = { .fd = fd, .from = p->end, .size = size };
	enum err err = p->is_growing ? OK : note_growing(o, p, STR_NONE, STR_NONE, e);

	if (err != OK)
		return err;
	return bucket_object_put(&o->bucket, key_of(p, tail_name(p)), &body, e);
}

static enum err send_next(struct pg_output_objects *o, struct pieces *p, struct pg_output_job *job,
                          int fd, uint64_t total, struct error *e)
{
	int64_t no = (int64_t)p->count + 1;
	uint64_t left = total - p->end;
	enum err err = OK;

	job->copied = p->end;
	job->is_more = false;
	if (bucket_parts_is_due(no, left, job->is_final)) {
		uint64_t size = MIN(left, bucket_parts_size(no));

		err = send_part(o, p, no, fd, size, e);
		job->copied = p->end + size;
		job->is_more = left > size;
	} else if (!job->is_final && left) {
		err = send_tail(o, p, fd, MIN(left, BUCKET_PARTS_FIRST), e);
	}
	return err;
}

static enum err put(struct pg_output_objects *o, struct pieces *p, struct pg_output_job *job,
                    struct error *e)
{
	CLEANUP(closep) int fd = blobs_descriptor(o->files, p->ref);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return fail_errno(e, ERR_IO, "the file of %.*s cannot be read", STR_ARG(p->ref));

	uint64_t total = job->is_final ? job->size : (uint64_t)st.st_size;

	if ((uint64_t)st.st_size < total || total < p->end)
		return lose_parts(o, p, e);
	return send_next(o, p, job, fd, total, e);
}

enum err pg_output_objects_put(struct pg_output_objects *o, struct pg_output_job *job,
                               struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pieces p = { .mem = mem };
	enum err err = ask(o, job->ref, &p, e);
	size_t count;

	if (err == OK && p.is_gone)
		err = remove_gone(o, p.ref, &count, e);
	if (err == OK && job->is_first && p.is_growing && !p.is_sealed)
		err = start_over(o, &p, e);
	if (err != OK)
		return err;
	job->copied = job->offset;
	job->is_more = false;
	/* Its seal is refused. */
	return p.is_sealed || p.is_taken ? OK : put(o, &p, job, e);
}

/* ---- sealing ---- */

/* The object is looked at before its row says that it is there. */
static enum err check_object(struct pg_output_objects *o, const struct pieces *p, struct str name,
                             uint64_t size, struct error *e)
{
	uint64_t there = 0;
	enum err err = bucket_object_size(&o->bucket, key_of(p, name), &there, e);

	if ((err != OK && err != ERR_NOT_FOUND) || (err == OK && there == size))
		return err;
	return fail(
		e, ERR_UNAVAILABLE,
		"object_store_lost_write: the bucket %.*s at %.*s took %.*s and has %llu of its "
		"%llu bytes. Outputs wait until it keeps what it takes",
		STR_ARG(o->bucket.place.bucket), STR_ARG(o->bucket.place.shown), STR_ARG(p->ref),
		(unsigned long long)there, (unsigned long long)size);
}

/* ERR_INVALID: another node has sealed it with other content. */
static enum err record(struct pg_output_objects *o, const struct pieces *p, struct str name,
                       uint64_t size, const struct sha256 *hash, struct error *e)
{
	static const struct pg_sql q = {
		"seal_object",
		"WITH put AS (INSERT INTO output(ref, size, hash, object)"
		" VALUES ($1::text, $2::bigint, $3::bytea, $4::text)"
		" ON CONFLICT (ref) DO NOTHING RETURNING 1),"
		" growing AS (DELETE FROM output_growing WHERE ref = $1::text),"
		" part AS (DELETE FROM output_part WHERE ref = $1::text)"
		" SELECT true FROM put UNION ALL"
		" SELECT size = $2::bigint AND hash = $3::bytea FROM output WHERE ref = $1::text"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, p->ref);
	pg_args_i64(&args, (int64_t)size);
	pg_args_hash(&args, hash);
	pg_args_str(&args, name);
	err = pg_conn_ask(o->conn, &q, &args, &rows, e);
	if (err == OK && !(rows.count && pg_conn_bool(&rows, 0, 0)))
		err = fail(e, ERR_INVALID, "%.*s was sealed before with other content",
		           STR_ARG(p->ref));
	pg_conn_rows_done(&rows);
	return err;
}

/* Checks, records, and removes what has led there.  What cannot be removed now goes with the output. */
static enum err finish(struct pg_output_objects *o, const struct pieces *p, struct str name,
                       uint64_t size, const struct sha256 *hash, struct error *e)
{
	enum err err = check_object(o, p, name, size, e);
	struct error ignored;

	if (err == OK)
		err = record(o, p, name, size, hash, e);
	if (err == OK && p->is_growing)
		(void)!bucket_object_sweep(&o->bucket, key_of(p, STR("")), key_of(p, name),
		                           &ignored);
	return err;
}

static enum err put_whole(struct pg_output_objects *o, const struct pieces *p, struct str name,
                          uint64_t size, struct error *e)
{
	CLEANUP(closep) int fd = blobs_descriptor(o->files, p->ref);
	struct bucket_body body = { .fd = fd, .size = size };

	if (fd < 0)
		return fail_errno(e, ERR_IO, "the file of %.*s cannot be read", STR_ARG(p->ref));
	return bucket_object_put(&o->bucket, key_of(p, name), &body, e);
}

/* OK also if it was complete before; ret_size: what is there then. */
static enum err complete(struct pg_output_objects *o, const struct pieces *p, uint64_t *ret_size,
                         struct error *e)
{
	enum err err = bucket_object_complete(&o->bucket, key_of(p, p->object), p->upload, p->parts,
	                                      p->count, e);

	if (err == OK || err == ERR_NOT_FOUND)
		err = bucket_object_size(&o->bucket, key_of(p, p->object), ret_size, e);
	return err;
}

/* A copy by one request has a bound; a larger object keeps the name that it grew with. */
static enum err name_content(struct pg_output_objects *o, const struct pieces *p, uint64_t size,
                             struct str *name, struct error *e)
{
	if (size > o->bucket.options.copy_max) {
		*name = p->object;
		return OK;
	}
	return bucket_object_copy(&o->bucket, key_of(p, p->object), key_of(p, *name), e);
}

static enum err seal_parts(struct pg_output_objects *o, const struct pieces *p, uint64_t size,
                           struct str *name, struct error *e)
{
	uint64_t there = 0;
	enum err err = complete(o, p, &there, e);

	if (err == ERR_NOT_FOUND || err == ERR_CORRUPT || (err == OK && there != size))
		return lose_parts(o, p, e);
	if (err == OK)
		err = name_content(o, p, size, name, e);
	return err == ERR_NOT_FOUND ? lose_parts(o, p, e) : err;
}

static enum err check_sealed(const struct pieces *p, const struct pg_output_job *job,
                             struct error *e)
{
	if (p->is_sealed && p->size == job->size && sha256_eq(&p->hash, &job->hash))
		return OK;
	return fail(e, ERR_INVALID, "%s was sealed before with other content", job->ref);
}

enum err pg_output_objects_seal(struct pg_output_objects *o, struct pg_output_job *job,
                                struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pieces p = { .mem = mem };
	enum err err = ask(o, job->ref, &p, e);
	struct str name;

	if (err != OK)
		return err;
	if (p.is_sealed || p.is_taken)
		return check_sealed(&p, job, e);
	if (p.count && p.end != job->size)
		return lose_parts(o, &p, e);
	name = content_name(&p, &job->hash);
	err = p.count ? seal_parts(o, &p, job->size, &name, e)
	              : put_whole(o, &p, name, job->size, e);
	return err == OK ? finish(o, &p, name, job->size, &job->hash, e) : err;
}

/* ---- sealing what another node left ---- */

static void begin_digest(struct pg_output_job *job)
{
	if (!job->digest)
		job->digest = memory_alloc(sizeof *job->digest);
	blob_digest_begin(job->digest);
}

static enum err digest_object(struct pg_output_objects *o, struct pg_output_job *job,
                              struct str key, uint64_t size, struct error *e)
{
	char *piece = memory_alloc(DIGEST_PIECE);
	enum err err = OK;
	uint64_t at = 0;

	begin_digest(job);
	while (err == OK && at < size) {
		size_t len = 0;

		err = bucket_object_get(&o->bucket, key, at, MIN(DIGEST_PIECE, size - at), piece,
		                        &len, e);
		if (err == OK && !len)
			err = fail(e, ERR_CORRUPT, "the bucket has %llu of %llu bytes of %s",
			           (unsigned long long)at, (unsigned long long)size, job->ref);
		blob_digest_more(job->digest, str_of(piece, len));
		at += len;
	}
	memory_free(piece);
	return err;
}

static void take_digest(struct pg_output_job *job)
{
	job->hash = blob_digest_end(job->digest);
	job->size = job->digest->size;
}

static enum err look_at_sealed(struct pg_output_objects *o, const struct pieces *p,
                               struct pg_output_job *job, struct error *e)
{
	enum err err = digest_object(o, job, key_of(p, p->object), p->size, e);

	if (err != OK)
		return err;
	take_digest(job);
	job->is_sealed = true;
	if (job->size != p->size || !sha256_eq(&job->hash, &p->hash))
		return fail(e, ERR_CORRUPT, "the content of %s does not have its hash", job->ref);
	return OK;
}

/* The bytes behind the last part; none is no error. */
static enum err get_tail(struct pg_output_objects *o, const struct pieces *p, char **ret,
                         size_t *ret_len, struct error *e)
{
	enum err err;

	*ret = memory_alloc(BUCKET_PARTS_FIRST);
	*ret_len = 0;
	err = bucket_object_get(&o->bucket, key_of(p, tail_name(p)), 0, BUCKET_PARTS_FIRST, *ret,
	                        ret_len, e);
	return err == ERR_NOT_FOUND ? OK : err;
}

static enum err seal_tail(struct pg_output_objects *o, const struct pieces *p,
                          struct pg_output_job *job, struct str tail, struct error *e)
{
	struct bucket_body body = { .text = tail, .size = tail.len };
	struct str name;
	enum err err;

	begin_digest(job);
	blob_digest_more(job->digest, tail);
	take_digest(job);
	name = content_name(p, &job->hash);
	err = bucket_object_put(&o->bucket, key_of(p, name), &body, e);
	return err == OK ? finish(o, p, name, job->size, &job->hash, e) : err;
}

/* The tail becomes the last part; that the upload is over is seen when it is completed. */
static enum err add_tail(struct pg_output_objects *o, struct pieces *p, struct str tail,
                         struct error *e)
{
	struct bucket_body body = { .text = tail, .size = tail.len };
	int64_t no = (int64_t)p->count + 1;
	char etag[BUCKET_ETAG_MAX];
	enum err err =
		bucket_object_part(&o->bucket, key_of(p, p->object), p->upload, no, &body, etag, e);

	if (err == OK)
		p->parts[p->count++] =
			(struct bucket_part){ no, arena_keep(p->mem, str_from(etag)) };
	return err == ERR_NOT_FOUND ? OK : err;
}

static enum err assemble(struct pg_output_objects *o, struct pieces *p, struct str tail,
                         uint64_t *ret_size, struct error *e)
{
	size_t count = p->count;
	enum err err = ERR_CORRUPT;

	/* A node that is dead and does not know it yet may replace the last part once more. */
	for (int tries = 0; tries < ASSEMBLE_TRIES && err == ERR_CORRUPT; tries++) {
		p->count = count;
		err = tail.len ? add_tail(o, p, tail, e) : OK;
		if (err == OK)
			err = complete(o, p, ret_size, e);
	}
	return err == ERR_NOT_FOUND
	               ? fail(e, ERR_CORRUPT, "the bucket lacks parts of %.*s", STR_ARG(p->ref))
	               : err;
}

static enum err seal_left_parts(struct pg_output_objects *o, struct pieces *p,
                                struct pg_output_job *job, struct str tail, struct error *e)
{
	struct str name;
	uint64_t size = 0;
	enum err err = assemble(o, p, tail, &size, e);

	if (err == OK)
		err = digest_object(o, job, key_of(p, p->object), size, e);
	if (err != OK)
		return err;
	take_digest(job);
	name = content_name(p, &job->hash);
	err = name_content(o, p, size, &name, e);
	return err == OK ? finish(o, p, name, job->size, &job->hash, e) : err;
}

/* From now on the node that wrote it adds nothing. */
static enum err take_over(struct pg_output_objects *o, const char *ref, struct error *e)
{
	static const struct pg_sql q = {
		"take_output", "UPDATE output_growing SET is_taken = true WHERE ref = $1::text"
	};
	struct pg_args args = { 0 };

	pg_args_str(&args, str_from(ref));
	return pg_conn_tell(o->conn, &q, &args, e);
}

static enum err seal_what_is_there(struct pg_output_objects *o, struct pieces *p,
                                   struct pg_output_job *job, struct error *e)
{
	char *tail;
	size_t len;
	enum err err = get_tail(o, p, &tail, &len, e);

	if (err == OK && p->count)
		err = seal_left_parts(o, p, job, str_of(tail, len), e);
	else if (err == OK && len)
		err = seal_tail(o, p, job, str_of(tail, len), e);
	else if (err == OK)
		err = fail(e, ERR_NOT_FOUND, "nothing of %s was copied", job->ref);
	memory_free(tail);
	return err;
}

enum err pg_output_objects_recover(struct pg_output_objects *o, struct pg_output_job *job,
                                   struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pieces p = { .mem = mem };
	enum err err = job->is_final ? take_over(o, job->ref, e) : OK;

	if (err == OK)
		err = ask(o, job->ref, &p, e);
	if (err != OK)
		return err;
	if (p.is_sealed && str_is(p.object))
		return look_at_sealed(o, &p, job, e);
	if (p.is_sealed || !p.is_growing)
		return pg_output_chunks_recover(o->conn, job, e);
	if (!job->is_final)
		return fail(e, ERR_NOT_FOUND, "%s is not sealed", job->ref);
	return seal_what_is_there(o, &p, job, e);
}

/* ---- reading ---- */

static enum err read_object(struct pg_output_objects *o, const struct pieces *p,
                            struct pg_output_job *job, bool is_away, struct error *e)
{
	bool has_bytes = job->offset < p->size && !job->is_probe;
	size_t want = has_bytes ? (size_t)MIN(job->max, p->size - job->offset) : 0;

	job->is_sealed = true;
	job->size = p->size;
	job->hash = p->hash;
	job->len = 0;
	free(job->data);
	job->data = memory_zeroed(1, want + 1);
	if (!want)
		return OK;
	if (is_away)
		return fail(e, ERR_UNAVAILABLE,
		            "%s is in the object store, which does not answer now; see /readyz",
		            job->ref);
	return bucket_object_get(&o->bucket, key_of(p, p->object), job->offset, want, job->data,
	                         &job->len, e);
}

enum err pg_output_objects_read(struct pg_output_objects *o, struct pg_output_job *job,
                                bool is_away, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct pieces p = { .mem = mem };
	enum err err = ask(o, job->ref, &p, e);

	if (err != OK)
		return err;
	if (p.is_sealed && str_is(p.object))
		return read_object(o, &p, job, is_away, e);
	if (p.is_sealed || !p.is_growing)
		return pg_output_chunks_read(o->conn, job, e);
	return fail(e, ERR_UNAVAILABLE,
	            "%s grows on another node, which can read it; others can when it is complete",
	            job->ref);
}

/*
 * Outputs in chunks of the database.
 *
 * A chunk of a growing output is written again when it is longer, and none is written any more
 * once the output is sealed.  So neither the order of repeated statements nor a node that was
 * declared dead can damage one.
 */
#include "store/postgres/outputs/pg_output_chunks.h"

#include "base/memory.h"

#include <stdlib.h>

/* How many chunks a read for a digest asks for at once. */
#define CHUNKS_AT_ONCE 4

enum err pg_output_chunks_put(struct pg_conn *c, struct pg_output_job *job, struct error *e)
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
	return pg_conn_tell(c, &q, &args, e);
}

/* A server that lost chunks which were there (an asynchronous standby) must not get the row. */
enum err pg_output_chunks_seal(struct pg_conn *c, struct pg_output_job *job, struct error *e)
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
	err = pg_conn_ask(c, &q, &args, &rows, e);
	if (err == OK && !rows.count)
		err = fail(e, ERR_CORRUPT, "the database lacks a part of %s", job->ref);
	else if (err == OK && !pg_conn_bool(&rows, 0, 0))
		err = fail(e, ERR_INVALID, "%s was sealed before with other content", job->ref);
	pg_conn_rows_done(&rows);
	return err;
}

/* Rows of (size and hash of a sealed one, bytes that are there, number of a chunk, its bytes, object). */
static enum err ask_chunks(struct pg_conn *c, const char *ref, int64_t first, int64_t last,
                           struct pg_rows *ret, struct error *e)
{
	static const struct pg_sql q = {
		"ask_chunks",
		"SELECT o.size, o.hash, coalesce((SELECT no * $4::bigint + length(data) "
		"FROM output_chunk"
		" WHERE ref = $1::text ORDER BY no DESC LIMIT 1), -1), c.no, c.data, o.object"
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
	return pg_conn_ask(c, &q, &args, ret, e);
}

/* What the first row says of the output.  ERR_NOT_FOUND: there is none. */
static enum err take_output(struct pg_output_job *job, const struct pg_rows *rows, struct error *e)
{
	int64_t there = pg_conn_i64(rows, 0, 2);

	if (str_is(pg_conn_str(rows, 0, 5)))
		return fail(e, ERR_INVALID,
		            "%s is in an object store, and store.outputs of this node is not "
		            "object_store",
		            job->ref);
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

enum err pg_output_chunks_read(struct pg_conn *c, struct pg_output_job *job, struct error *e)
{
	int64_t first = (int64_t)(job->offset / PG_OUTPUT_CHUNK);
	int64_t last = (int64_t)((job->offset + MAX(job->max, 1u) - 1) / PG_OUTPUT_CHUNK);
	struct pg_rows rows;
	enum err err = ask_chunks(c, job->ref, first, last, &rows, e);

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
static enum err digest_chunks(struct pg_conn *c, struct pg_output_job *job, struct error *e)
{
	struct blob_digest *d = job->digest;
	enum err err = OK;
	bool is_more = true;

	blob_digest_begin(d);
	for (int64_t no = 0; err == OK && is_more; no += CHUNKS_AT_ONCE) {
		struct pg_rows rows;

		is_more = false;
		err = ask_chunks(c, job->ref, no, no + CHUNKS_AT_ONCE - 1, &rows, e);
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

static enum err seal_what_is_there(struct pg_conn *c, struct pg_output_job *job, struct error *e)
{
	bool was_sealed = job->is_sealed;
	struct sha256 hash = blob_digest_end(job->digest);

	if (!was_sealed) {
		job->hash = hash;
		job->size = job->digest->size;
		return pg_output_chunks_seal(c, job, e);
	}
	if (job->digest->size != job->size || memcmp(&hash, &job->hash, sizeof hash) != 0)
		return fail(e, ERR_CORRUPT, "the content of %s does not have its hash", job->ref);
	return OK;
}

enum err pg_output_chunks_recover(struct pg_conn *c, struct pg_output_job *job, struct error *e)
{
	struct pg_rows rows;
	enum err err = ask_chunks(c, job->ref, 0, -1, &rows, e);

	if (err == OK)
		err = take_output(job, &rows, e);
	pg_conn_rows_done(&rows);
	if (err == OK && !job->is_sealed && !job->is_final)
		err = fail(e, ERR_NOT_FOUND, "%s is not sealed", job->ref);
	if (err == OK && !job->digest)
		job->digest = memory_alloc(sizeof *job->digest);
	if (err == OK)
		err = digest_chunks(c, job, e);
	return err == OK ? seal_what_is_there(c, job, e) : err;
}

/*
 * Compares a copy of a log with a backup.
 *
 * Sessions, heads of the backup and rows with events come in the order of the sessions' numbers, so one pass
 * over each is enough and memory is bounded by a page.  The chain of every session is computed from the
 * bodies of its events, and the hash at the head of the backup is compared on the way: the copy may be
 * newer than the backup.  Findings are noted and the rest is looked at all the same.
 */
#include "store/postgres/backup/pg_backup.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "ports/store_move.h"
#include "store/backup.h"
#include "store/blobs.h"
#include "store/bucket/bucket_object.h"
#include "store/postgres/backup/pg_backup_heads.h"
#include "store/postgres/backup/pg_backup_manifest.h"
#include "store/postgres/backup/pg_backup_moment.h"
#include "store/postgres/pg_span.h"
#include "store/postgres/wire/pg_url.h"

#include <stdarg.h>
#include <stdio.h>

/* How many of them a report lists. */
#define FINDINGS_MAX 100

#define OLDER "backup_older"
#define DIFFERS "backup_differs"
#define DAMAGED "backup_damaged"
#define OUTPUT_MISSING "backup_output_missing"

struct finding {
	const char *code;
	struct str session; /* absent: it is about all of them */
	struct str detail;
};

/* Rows of `pack` or `chunk` in the order of sessions and sequences, a page at a time. */
struct rows_of {
	const char *sql;
	struct pg_rows rows;
	int at;
	int64_t no; /* of the last row of the page */
	uint64_t seq;
	bool is_over;
};

/* The session that is compared. */
struct session_now {
	int64_t no;
	struct str id;
	uint64_t seq, last_seq, floor; /* seq: compared up to there */
	struct sha256 hash, last_hash;
	const struct pg_backup_head *want; /* NULL: the backup does not have it */
	bool is_broken;                    /* a finding says so; its other rows are passed over */
};

struct comparing {
	const struct pg_backup_compare_options *o;
	struct arena *mem, *span_mem;
	struct pg_backup_manifest m;
	struct pg_backup_heads heads;
	struct pg_backup_head head; /* the next one of the backup */
	bool has_head;
	struct pg_backup_moment copy;
	struct rows_of packs, chunks;
	struct bucket bucket;
	bool has_bucket;
	/* What the report counts. */
	struct finding findings[FINDINGS_MAX];
	uint64_t finding_count, sessions, events, continued, removed, expired, outputs;
	bool has_dump;
};

static bool is_older(const struct comparing *c)
{
	return c->copy.last_position < c->m.last_position;
}

static void PRINTF_LIKE(4, 5)
	find(struct comparing *c, const char *code, struct str session, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (c->finding_count < FINDINGS_MAX)
		c->findings[c->finding_count] =
			(struct finding){ code, arena_keep(c->mem, session),
			                  arena_keep(c->mem, str_from(text)) };
	c->finding_count++;
}

/* ---- rows with events ---- */

/* Pages as those of a move: they end behind the row that reaches 4 MiB. */
#define PAGE(columns, table)                                                                       \
	"SELECT " columns " FROM (SELECT p.*, sum(octet_length(body)) OVER (ORDER BY session_no,"  \
	" last_seq) - octet_length(body) AS before FROM (SELECT * FROM " table                     \
	" WHERE (session_no, last_seq) > ($1::bigint, $2::bigint) ORDER BY session_no, last_seq"   \
	" LIMIT 2048) p) p WHERE before < 4194304 ORDER BY session_no, last_seq"

static const char packs_sql[] = PAGE(PG_SPAN_PACK, "pack");
static const char chunks_sql[] = PAGE(PG_SPAN_CHUNK, "chunk");

static enum err next_page(struct comparing *c, struct rows_of *r, struct error *e)
{
	struct pg_args args = { 0 };
	enum err err;

	pg_conn_rows_done(&r->rows);
	r->at = 0;
	pg_args_i64(&args, r->no);
	pg_args_i64(&args, (int64_t)r->seq);
	err = pg_backup_moment_ask(&c->copy, r->sql, &args, &r->rows, e);
	r->is_over = !r->rows.count;
	if (!r->is_over) {
		r->no = pg_conn_i64(&r->rows, r->rows.count - 1, 1);
		r->seq = (uint64_t)pg_conn_i64(&r->rows, r->rows.count - 1, 3);
	}
	return err;
}

/* Whose the next row is; INT64_MAX: there is none. */
static enum err whose(struct comparing *c, struct rows_of *r, int64_t *ret, struct error *e)
{
	enum err err = r->at == r->rows.count && !r->is_over ? next_page(c, r, e) : OK;

	*ret = r->at < r->rows.count ? pg_conn_i64(&r->rows, r->at, 1) : INT64_MAX;
	return err;
}

static void broken(struct comparing *c, struct session_now *s, uint64_t seq, const char *what)
{
	find(c, DAMAGED, s->id, "event %llu %s", (unsigned long long)seq, what);
	s->is_broken = true;
}

static void compare_head(struct comparing *c, struct session_now *s, const struct sha256 *hash)
{
	if (sha256_eq(hash, &s->want->hash)) {
		c->continued++;
		return;
	}
	find(c, DIFFERS, s->id, "event %llu is another one than in the backup",
	     (unsigned long long)s->want->seq);
}

/* Events up to the floor may be there until they are removed. */
static void take_events(struct comparing *c, struct session_now *s, const struct pg_span *span)
{
	uint64_t first = span->first_seq;
	bool is_next = first == s->seq + 1;
	const struct sha256 *before = is_next ? &span->prev_hash : &span->hashes[s->seq - first];

	if (!sha256_eq(before, &s->hash)) {
		broken(c, s, s->seq + 1, "does not continue the chain");
		return;
	}
	if (s->want && s->want->seq > s->seq && s->want->seq <= span->last_seq)
		compare_head(c, s, &span->hashes[s->want->seq - first]);
	c->events += span->last_seq - s->seq;
	s->seq = span->last_seq;
	s->hash = span->last_hash;
}

static void take_span(struct comparing *c, struct session_now *s, const struct pg_rows *rows,
                      int row)
{
	struct pg_span span;
	bool is_head = pg_span_head(c->span_mem, rows, row, &span);

	if (span.last_seq <= s->seq)
		return;
	if (span.first_seq > s->seq + 1)
		broken(c, s, s->seq + 1, "is missing");
	else if (!is_head || !pg_span_text(c->span_mem, &span))
		broken(c, s, MAX(span.first_seq + span.sound, s->seq + 1),
		       "is not what was written");
	else
		take_events(c, s, &span);
}

/* Rows before those of the session are of deleted ones. */
static enum err take_rows(struct comparing *c, struct session_now *s, struct rows_of *r,
                          struct error *e)
{
	int64_t no;
	enum err err = whose(c, r, &no, e);

	while (err == OK && no <= s->no) {
		if (no == s->no && !s->is_broken)
			take_span(c, s, &r->rows, r->at);
		arena_reset(c->span_mem);
		r->at++;
		err = whose(c, r, &no, e);
	}
	return err;
}

/* ---- sessions ---- */

/* What the backup has of it, as far as its events say nothing about that. */
static void begin_session(struct comparing *c, struct session_now *s)
{
	const struct pg_backup_head *want = s->want;

	c->sessions++;
	if (!want)
		return;
	if (!str_eq(str_from(want->id), s->id)) {
		find(c, DIFFERS, s->id, "it is %s in the backup", want->id);
		s->want = NULL;
	} else if (want->seq > s->last_seq) {
		find(c, OLDER, s->id, "it ends at event %llu, in the backup at event %llu",
		     (unsigned long long)s->last_seq, (unsigned long long)want->seq);
		s->want = NULL;
	} else if (want->seq == s->floor) {
		compare_head(c, s, &s->hash);
	} else if (want->seq < s->floor) {
		c->expired++;
	}
}

static enum err compare_session(struct comparing *c, struct session_now *s, struct error *e)
{
	enum err err;

	begin_session(c, s);
	err = take_rows(c, s, &c->packs, e);
	if (err == OK)
		err = take_rows(c, s, &c->chunks, e);
	if (err != OK || s->is_broken)
		return err;
	if (s->seq < s->last_seq)
		broken(c, s, s->seq + 1, "is missing");
	else if (s->seq > s->last_seq || !sha256_eq(&s->hash, &s->last_hash))
		broken(c, s, s->last_seq, "is not the last one, as the list of sessions says");
	return OK;
}

/* A session of the backup that the copy does not have: it was deleted since, and a row says so. */
static enum err compare_absent(struct comparing *c, const struct pg_backup_head *want,
                               struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	struct str id = str_from(want->id);
	uint64_t seq;
	struct sha256 hash;
	enum err err;

	pg_args_i64(&args, want->no);
	pg_args_str(&args, id);
	err = pg_backup_moment_ask(&c->copy,
	                           "SELECT last_seq, last_hash FROM removed"
	                           " WHERE session_no = $1::bigint AND id = $2::text",
	                           &args, &rows, e);
	if (err == OK && !rows.count) {
		find(c, is_older(c) ? OLDER : DAMAGED, id, "the session is missing");
	} else if (err == OK) {
		seq = (uint64_t)pg_conn_i64(&rows, 0, 0);
		if (!pg_conn_hash(&rows, 0, 1, &hash) || seq < want->seq ||
		    (seq == want->seq && !sha256_eq(&hash, &want->hash)))
			find(c, DIFFERS, id, "another log was deleted under this id");
		else
			c->removed++;
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* Heads of the backup before this number, and the one that has it. */
static enum err take_heads(struct comparing *c, int64_t no, struct error *e)
{
	enum err err = OK;

	while (err == OK && c->has_head && c->head.no < no) {
		err = compare_absent(c, &c->head, e);
		if (err == OK)
			err = pg_backup_heads_next(&c->heads, &c->head, &c->has_head, e);
	}
	return err;
}

static enum err take_session(struct comparing *c, const struct pg_rows *rows, int row,
                             struct error *e)
{
	struct pg_backup_head want;
	struct session_now s = { .no = pg_conn_i64(rows, row, 0),
		                 .id = pg_conn_str(rows, row, 1),
		                 .last_seq = (uint64_t)pg_conn_i64(rows, row, 2),
		                 .floor = (uint64_t)pg_conn_i64(rows, row, 4) };
	enum err err = take_heads(c, s.no, e);

	if (err != OK)
		return err;
	if (c->has_head && c->head.no == s.no) {
		want = c->head;
		s.want = &want;
		err = pg_backup_heads_next(&c->heads, &c->head, &c->has_head, e);
	}
	s.seq = s.floor;
	if (!pg_conn_hash(rows, row, 3, &s.last_hash) || !pg_conn_hash(rows, row, 5, &s.hash))
		broken(c, &s, s.last_seq, "has no hash");
	return err == OK ? compare_session(c, &s, e) : err;
}

static enum err session_page(struct comparing *c, int64_t *no, bool *ret_more, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, *no);
	err = pg_backup_moment_ask(
		&c->copy,
		"SELECT session_no, id, last_seq, last_hash, floor_seq, floor_hash"
		" FROM session WHERE session_no > $1::bigint AND last_seq > 0"
		" ORDER BY session_no LIMIT 2048",
		&args, &rows, e);
	*ret_more = rows.count > 0;
	for (int i = 0; err == OK && i < rows.count; i++)
		err = take_session(c, &rows, i, e);
	if (err == OK && rows.count)
		*no = pg_conn_i64(&rows, rows.count - 1, 0);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err compare_sessions(struct comparing *c, struct error *e)
{
	int64_t no = 0;
	bool more = true;
	enum err err = pg_backup_heads_next(&c->heads, &c->head, &c->has_head, e);

	c->packs.sql = packs_sql;
	c->chunks.sql = chunks_sql;
	while (err == OK && more)
		err = session_page(c, &no, &more, e);
	pg_conn_rows_done(&c->packs.rows);
	pg_conn_rows_done(&c->chunks.rows);
	return err == OK ? take_heads(c, INT64_MAX, e) : err;
}

/* ---- outputs ---- */

struct output_now {
	struct str ref, session;
	struct str object; /* absent: it is not in an object store */
	uint64_t size;
	struct sha256 hash; /* that the event names */
	bool is_sealed;     /* the database has a row about it */
};

/* The hash of the event; the row in `output` is compared with it. */
static bool read_hash(struct str body, const struct pg_rows *rows, int row, struct sha256 *ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct sha256 stored;
	struct json doc;

	if (!str_is(body) || json_read_trusted(mem, body, &doc, NULL) != OK ||
	    !sha256_read_hex(json_str(JSON_GET(doc, "sha256")), ret))
		return pg_conn_hash(rows, row, 4, ret);
	return !str_is(pg_conn_str(rows, row, 4)) ||
	       (pg_conn_hash(rows, row, 4, &stored) && sha256_eq(&stored, ret));
}

/* Adds up to 4 MiB of its chunks; what is behind its size does not count. */
static enum err hash_page(struct comparing *c, const struct output_now *out, int64_t *no,
                          uint64_t *left, struct sha256_stream *sum, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, out->ref);
	pg_args_i64(&args, *no);
	err = pg_backup_moment_ask(&c->copy,
	                           "SELECT no, data FROM output_chunk WHERE ref = $1::text"
	                           " AND no >= $2::bigint ORDER BY no LIMIT 16",
	                           &args, &rows, e);
	if (err == OK && !rows.count)
		*left = 0;
	for (int i = 0; err == OK && i < rows.count && *left; i++) {
		struct str data = str_head(pg_conn_str(&rows, i, 1), (size_t)MIN(*left, SIZE_MAX));

		/* One that is missing makes another hash. */
		sha256_more(sum, data);
		*left -= data.len;
		*no = pg_conn_i64(&rows, i, 0) + 1;
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err find_chunks(struct comparing *c, const struct output_now *out, bool *ret,
                            struct error *e)
{
	struct sha256_stream sum;
	struct sha256 have;
	uint64_t left = out->size;
	int64_t no = 0;
	enum err err = OK;

	sha256_begin(&sum);
	while (err == OK && left)
		err = hash_page(c, out, &no, &left, &sum, e);
	have = sha256_end(&sum);
	*ret = err == OK && sha256_eq(&have, &out->hash);
	return err;
}

/* Its bytes are not fetched: the name of most objects has the hash. */
static enum err find_object(struct comparing *c, const struct output_now *out, bool *ret,
                            struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str key = arena_printf(mem, "%.*s/%.*s", STR_ARG(out->ref), STR_ARG(out->object));
	uint64_t found = 0;
	enum err err = OK;

	if (!c->o->bucket)
		return fail(e, ERR_INVALID,
		            "object_store_settings: the output %.*s is in an object store, and no "
		            "setting names one. Set store.outputs and object_store.bucket",
		            STR_ARG(out->ref));
	if (!c->has_bucket)
		err = bucket_open(&c->bucket, c->o->bucket, e);
	c->has_bucket |= err == OK;
	if (err == OK)
		err = bucket_object_size(&c->bucket, key, &found, e);
	*ret = err == OK && found == out->size;
	return err == ERR_NOT_FOUND ? OK : err;
}

static bool find_file(const char *dir, const struct output_now *out)
{
	FD_SCOPE fd = dir ? blobs_open_sealed(dir, out->ref) : -1;
	struct sha256 have;
	struct error none;
	int64_t bytes;

	return fd >= 0 && backup_hash_file(fd, "an output", &have, &bytes, &none) == OK &&
	       sha256_eq(&have, &out->hash);
}

static enum err compare_output(struct comparing *c, const struct pg_rows *rows, int row,
                               struct error *e)
{
	struct output_now out = { .ref = pg_conn_str(rows, row, 0),
		                  .session = pg_conn_str(rows, row, 1),
		                  .size = (uint64_t)pg_conn_i64(rows, row, 2),
		                  .object = pg_conn_str(rows, row, 3),
		                  .is_sealed = str_is(pg_conn_str(rows, row, 4)) };
	bool is_there = false;
	enum err err = OK;

	c->outputs++;
	if (!read_hash(pg_conn_str(rows, row, 5), rows, row, &out.hash)) {
		find(c, OUTPUT_MISSING, out.session,
		     "the output %.*s in the database is another one", STR_ARG(out.ref));
		return OK;
	}
	if (str_is(out.object))
		err = find_object(c, &out, &is_there, e);
	else if (out.is_sealed)
		err = find_chunks(c, &out, &is_there, e);
	if (err != OK || is_there || find_file(c->o->backup, &out) || find_file(c->o->data, &out))
		return err;
	find(c, OUTPUT_MISSING, out.session, "the output %.*s is not in %s", STR_ARG(out.ref),
	     str_is(out.object) ? "the object store with its size"
	     : out.is_sealed    ? "the database as it was written"
	                        : "the database, and its file is not here");
	return OK;
}

static enum err output_page(struct comparing *c, struct arena *mem, struct str *after,
                            bool *ret_more, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, INDEX_OUTPUT);
	pg_args_str(&args, *after);
	err = pg_backup_moment_ask(
		&c->copy,
		"SELECT i.key, s.id, coalesce(o.size, 0), o.object, o.hash, i.body FROM"
		" (SELECT key, session_no, body FROM idx WHERE tbl = $1::bigint"
		" AND status = 'spilled' AND key > $2::text ORDER BY key LIMIT 256) i"
		" LEFT JOIN output o ON o.ref = i.key LEFT JOIN session s USING (session_no)"
		" ORDER BY i.key",
		&args, &rows, e);
	*ret_more = rows.count > 0;
	for (int i = 0; err == OK && i < rows.count; i++)
		err = compare_output(c, &rows, i, e);
	if (err == OK && rows.count) {
		arena_reset(mem);
		*after = arena_keep(mem, pg_conn_str(&rows, rows.count - 1, 0));
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err compare_outputs(struct comparing *c, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str after = STR("");
	bool more = true;
	enum err err = OK;

	while (err == OK && more)
		err = output_page(c, mem, &after, &more, e);
	return err;
}

/* ---- the backup itself ---- */

/* A dump that was put elsewhere is not looked at. */
static enum err compare_dump(struct comparing *c, struct error *e)
{
	FD_SCOPE dir = open(c->o->backup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_SCOPE fd = openat(dir, BACKUP_DUMP, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct sha256 have;
	int64_t bytes;
	enum err err;

	if (!c->m.has_dump || (fd < 0 && errno == ENOENT))
		return OK;
	err = backup_hash_file(fd, BACKUP_DUMP, &have, &bytes, e);
	if (err == OK && !sha256_eq(&have, &c->m.dump))
		find(c, DAMAGED, STR_NONE,
		     BACKUP_DUMP " of the backup is not what pg_dump has written");
	c->has_dump = err == OK;
	return err;
}

static enum err open_both(struct comparing *c, struct error *e)
{
	enum err err = pg_backup_manifest_load(c->mem, c->o->backup, &c->m, e);

	if (err == OK)
		err = pg_backup_heads_open(&c->heads, c->o->backup, &c->m.heads, e);
	if (err == OK)
		err = pg_backup_moment_open(&c->copy, c->mem, c->o->url, c->o->schema, e);
	if (err != OK || str_eq(c->copy.log_id, c->m.log_id))
		return err;
	return fail(e, ERR_INVALID,
	            "backup_other_log: the schema %s has the log %.*s, and the backup is of %.*s. "
	            "Name the database that was restored from this backup",
	            c->o->schema, STR_ARG(c->copy.log_id), STR_ARG(c->m.log_id));
}

static enum err compare_all(struct comparing *c, struct error *e)
{
	enum err err = open_both(c, e);

	if (err == OK && is_older(c))
		find(c, OLDER, STR_NONE,
		     "the log ends at position %lld here, in the backup at position %lld",
		     (long long)c->copy.last_position, (long long)c->m.last_position);
	if (err == OK)
		err = compare_dump(c, e);
	if (err == OK)
		err = compare_sessions(c, e);
	return err == OK ? compare_outputs(c, e) : err;
}

/* ---- the report ---- */

static void write_findings(struct json_writer *w, const struct comparing *c)
{
	JW_KINT(w, "findingCount", (int64_t)c->finding_count);
	JW_KEY(w, "findings");
	jw_arr(w);
	for (size_t i = 0; i < MIN(c->finding_count, FINDINGS_MAX); i++) {
		jw_obj(w);
		JW_KSTR(w, "code", str_from(c->findings[i].code));
		JW_KOPT(w, "sessionId", c->findings[i].session);
		JW_KSTR(w, "detail", c->findings[i].detail);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static struct str write_report(const struct comparing *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KBOOL(&w, "whole", !c->finding_count);
	JW_KSTR(&w, "logId", c->m.log_id);
	JW_KSTR(&w, "backupAt", c->m.at);
	JW_KINT(&w, "backupSessions", c->m.sessions);
	JW_KSTR(&w, "place", pg_url_plain(c->mem, c->o->url));
	JW_KSTR(&w, "schema", str_from(c->o->schema));
	JW_KINT(&w, "sessions", (int64_t)c->sessions);
	JW_KINT(&w, "events", (int64_t)c->events);
	JW_KINT(&w, "continued", (int64_t)c->continued);
	JW_KINT(&w, "removed", (int64_t)c->removed);
	JW_KINT(&w, "expired", (int64_t)c->expired);
	JW_KINT(&w, "outputs", (int64_t)c->outputs);
	JW_KBOOL(&w, "dumpCompared", c->has_dump);
	JW_KBOOL(&w, "isNewer", c->copy.last_position > c->m.last_position);
	write_findings(&w, c);
	jw_obj_end(&w);
	return arena_keep(c->mem, buf_str(&out));
}

enum err pg_backup_compare(struct arena *mem, const struct pg_backup_compare_options *o,
                           struct str *ret, bool *ret_whole, struct error *e)
{
	struct comparing *c = ARENA_NEW(mem, struct comparing);
	enum err err;

	c->o = o;
	c->mem = mem;
	c->span_mem = arena_new();
	err = compare_all(c, e);
	if (err == OK) {
		*ret = write_report(c);
		*ret_whole = !c->finding_count;
	}
	pg_backup_moment_close(&c->copy);
	pg_backup_heads_close(&c->heads);
	bucket_close(&c->bucket);
	arena_free(c->span_mem);
	return err;
}

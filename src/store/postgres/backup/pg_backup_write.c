/*
 * Describes one moment of a log in a directory.
 *
 *	moment ──► heads ──► pg_dump of the same snapshot ──► files of the node ──► backup.json
 *
 * The server keeps the moment only until the dump is made.  Files come after it: an output is
 * sealed before an event names it, so all that the moment names are there.
 */
#include "store/postgres/backup/pg_backup.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "ports/store_move.h"
#include "store/backup.h"
#include "store/backup_copy.h"
#include "store/postgres/backup/pg_backup_heads.h"
#include "store/postgres/backup/pg_backup_manifest.h"
#include "store/postgres/backup/pg_backup_moment.h"
#include "store/postgres/wire/pg_url.h"

#include <stdio.h>
#include <sys/stat.h>

struct writing {
	const struct pg_backup_options *o;
	struct arena *mem;
	struct pg_backup_moment moment;
	struct pg_backup_manifest m;
	int into;
};

static struct str keep(struct writing *w, const struct pg_rows *rows, int column)
{
	return arena_keep(w->mem, pg_conn_str(rows, 0, column));
}

static enum err cannot_write(const char *name, struct error *e)
{
	return fail_errno(e, errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_IO,
	                  "cannot write %s", name);
}

/* ---- what the server says of itself ---- */

/*
 * What was committed before the moment is in the write-ahead log before this place, because the moment
 * came first.
 */
static enum err read_place(struct writing *w, struct error *e)
{
	struct pg_rows rows;
	enum err err = pg_backup_moment_try(
		&w->moment,
		"SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN"
		" pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text,"
		" CASE WHEN NOT pg_is_in_recovery() THEN"
		" pg_walfile_name(pg_current_wal_insert_lsn()) END",
		&rows, e);

	if (rows.count) {
		w->m.is_standby = pg_conn_bool(&rows, 0, 0);
		w->m.lsn = keep(w, &rows, 1);
		w->m.wal_file = keep(w, &rows, 2);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_server(struct writing *w, struct error *e)
{
	struct pg_rows rows;
	enum err err = pg_backup_moment_try(&w->moment, "SELECT current_setting('server_version')",
	                                    &rows, e);

	if (rows.count)
		w->m.server_version = keep(w, &rows, 0);
	pg_conn_rows_done(&rows);
	if (err == OK)
		err = pg_backup_moment_try(
			&w->moment, "SELECT system_identifier::text FROM pg_control_system()",
			&rows, e);
	if (rows.count)
		w->m.system_id = keep(w, &rows, 0);
	pg_conn_rows_done(&rows);
	return err == OK ? read_place(w, e) : err;
}

static enum err read_nodes(struct writing *w, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, PG_BACKUP_NODES_MAX);
	err = pg_backup_moment_ask(&w->moment,
	                           "SELECT name FROM node WHERE ended_at IS NULL ORDER BY name"
	                           " LIMIT $1::bigint",
	                           &args, &rows, e);
	for (int i = 0; i < rows.count; i++)
		w->m.nodes[w->m.node_count++] = arena_keep(w->mem, pg_conn_str(&rows, i, 0));
	pg_conn_rows_done(&rows);
	return err;
}

static enum err count_outputs(struct writing *w, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, INDEX_OUTPUT);
	err = pg_backup_moment_ask(
		&w->moment,
		"SELECT count(*) FILTER (WHERE o.ref IS NOT NULL AND o.object IS NULL),"
		" count(*) FILTER (WHERE o.object IS NOT NULL), count(*) FILTER (WHERE o.ref IS "
		"NULL)"
		" FROM idx i LEFT JOIN output o ON o.ref = i.key"
		" WHERE i.tbl = $1::bigint AND i.status = 'spilled'",
		&args, &rows, e);
	if (err == OK) {
		w->m.outputs_database = pg_conn_i64(&rows, 0, 0);
		w->m.outputs_bucket = pg_conn_i64(&rows, 0, 1);
		w->m.outputs_files = pg_conn_i64(&rows, 0, 2);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- heads ---- */

/* Text of a page, for the file and its hash. */
static bool put_rows(struct writing *w, const struct pg_rows *rows, struct buf *out)
{
	for (int i = 0; i < rows->count; i++) {
		struct pg_backup_head h = { .no = pg_conn_i64(rows, i, 0),
			                    .seq = (uint64_t)pg_conn_i64(rows, i, 1),
			                    .floor = (uint64_t)pg_conn_i64(rows, i, 3) };
		struct str id = pg_conn_str(rows, i, 4);

		if (id.len >= sizeof h.id || !pg_conn_hash(rows, i, 2, &h.hash))
			return false;
		snprintf(h.id, sizeof h.id, "%.*s", STR_ARG(id));
		pg_backup_heads_put(out, &h);
		w->m.sessions++;
		w->m.events += (int64_t)(h.seq - h.floor);
	}
	return true;
}

static enum err write_page(struct writing *w, int fd, struct sha256_stream *sum, int64_t *no,
                           bool *ret_more, struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, *no);
	err = pg_backup_moment_ask(
		&w->moment,
		"SELECT session_no, last_seq, last_hash, floor_seq, id FROM session"
		" WHERE session_no > $1::bigint AND last_seq > 0"
		" ORDER BY session_no LIMIT 2048",
		&args, &rows, e);
	*ret_more = rows.count > 0;
	if (err == OK && !put_rows(w, &rows, &text))
		err = fail(
			e, ERR_STORE,
			"backup_damaged: a row of the table session behind number %lld is damaged; "
			"`thole verify` looks further",
			(long long)*no);
	if (err == OK && rows.count)
		*no = pg_conn_i64(&rows, rows.count - 1, 0);
	pg_conn_rows_done(&rows);
	sha256_more(sum, buf_str(&text));
	if (err == OK && !sys_write_all(fd, text.ptr, text.len))
		err = cannot_write(BACKUP_HEADS, e);
	return err;
}

static enum err write_heads(struct writing *w, struct error *e)
{
	FD_SCOPE fd = openat(w->into, BACKUP_HEADS,
	                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct sha256_stream sum;
	int64_t no = 0;
	bool more = true;
	enum err err = fd < 0 ? cannot_write(BACKUP_HEADS, e) : OK;

	sha256_begin(&sum);
	while (err == OK && more)
		err = write_page(w, fd, &sum, &no, &more, e);
	w->m.heads = sha256_end(&sum);
	return err;
}

/* ---- the dump ---- */

static enum err hash_dump(struct writing *w, struct error *e)
{
	FD_SCOPE fd = openat(w->into, BACKUP_DUMP, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fchmod(fd, 0600) != 0)
		return fail_errno(e, ERR_IO, "backup_dump: pg_dump has left no " BACKUP_DUMP);
	w->m.has_dump = true;
	return backup_hash_file(fd, BACKUP_DUMP, &w->m.dump, &w->m.dump_bytes, e);
}

static enum err export_snapshot(struct writing *w, struct str *ret, struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err =
		pg_backup_moment_ask(&w->moment, "SELECT pg_export_snapshot()", &none, &rows, e);

	if (err == OK)
		*ret = keep(w, &rows, 0);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err make_dump(struct writing *w, struct error *e)
{
	const struct pg_lib *lib = w->moment.conn.lib;
	struct str password = pg_url_password(w->mem, lib, w->o->url), snapshot;
	struct pg_backup_dump d = {
		.schema = w->o->schema,
		.database = pg_url_without_secrets(w->mem, lib, w->o->url).ptr,
		.password = password.ptr,
		.file = arena_printf(w->mem, "%s/" BACKUP_DUMP, w->o->into).ptr,
	};
	enum err err = export_snapshot(w, &snapshot, e);

	if (err != OK)
		return err;
	d.snapshot = snapshot.ptr;
	err = w->o->dump(w->o->arg, &d, e);
	/* What it may have made of it is no part of the backup. */
	if (err == ERR_NOT_FOUND)
		return unlinkat(w->into, BACKUP_DUMP, 0) != 0 && errno != ENOENT
		               ? cannot_write(BACKUP_DUMP, e)
		               : OK;
	return err == OK ? hash_dump(w, e) : err;
}

/* The settings that pg_dump makes would stay in sessions that the pool gives to others. */
static enum err refuse_pool(const struct writing *w, struct error *e)
{
	if (!w->o->dump || w->moment.pool != PG_POOL_SHARED)
		return OK;
	return fail(
		e, ERR_INVALID,
		"store_pool: a pool in transaction mode is between, and pg_dump would change "
		"sessions of other programs there. Name the server itself with --store, or leave "
		"the dump out with --no-dump");
}

/* ---- all of it ---- */

static enum err read_moment(struct writing *w, struct error *e)
{
	enum err err = pg_backup_moment_open(&w->moment, w->mem, w->o->url, w->o->schema, e);

	if (err == OK)
		err = refuse_pool(w, e);
	if (err == OK)
		err = read_server(w, e);
	if (err == OK)
		err = read_nodes(w, e);
	if (err == OK)
		err = count_outputs(w, e);
	if (err == OK)
		err = write_heads(w, e);
	if (err == OK && w->o->dump)
		err = make_dump(w, e);
	return err;
}

static enum err write_manifest(struct writing *w, struct str *ret, struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	w->m.version = STR(THOLE_VERSION);
	w->m.at = w->moment.at;
	w->m.log_id = w->moment.log_id;
	w->m.place = pg_url_plain(w->mem, w->o->url);
	w->m.schema = str_from(w->o->schema);
	w->m.store_format = w->moment.format;
	w->m.last_position = w->moment.last_position;
	w->m.with_keys = w->o->with_keys;
	if (w->o->bucket) {
		w->m.bucket = w->o->bucket->bucket;
		w->m.prefix = w->o->bucket->prefix;
		w->m.endpoint = w->o->bucket->endpoint;
	}
	pg_backup_manifest_write(&text, &w->m);
	*ret = arena_keep(w->mem, buf_str(&text));
	return backup_copy_text(w->into, BACKUP_MANIFEST, *ret, e);
}

enum err pg_backup_write(struct arena *mem, const struct pg_backup_options *o, struct str *ret,
                         struct error *e)
{
	FD_SCOPE into = open(o->into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct writing w = { .o = o, .mem = mem, .into = into };
	enum err err = into < 0 ? fail_errno(e, ERR_NOT_FOUND, "cannot open %s", o->into)
	                        : read_moment(&w, e);

	pg_backup_moment_close(&w.moment);
	if (err == OK)
		err = backup_write_files(o->data, o->into, w.m.outputs_files > 0, o->with_keys, e);
	if (err == OK)
		err = write_manifest(&w, ret, e);
	if (err == OK && syncfs(into) != 0)
		err = cannot_write(o->into, e);
	return err;
}

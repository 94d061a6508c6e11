/*
 * Backup and restore of a data directory.
 *
 * The order makes the copy consistent.  Outputs are copied, then the log in
 * one read transaction, then outputs again: an output is sealed before an
 * event names it, so the second pass has all that the log names, and the first
 * one has those that expire in between.
 *
 * A log in use is read by a connection of its own that neither writes nor
 * checkpoints, so that the one connection that does both (docs/formats) stays
 * the only one.  It is opened by SQLite alone: closing another descriptor of it
 * in this process would drop SQLite's locks.  A log that is not in use is
 * copied as files, under a shared lock.
 */
#include "store/backup.h"

#include "base/hash/sha256.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/os/sys.h"
#include "store/backup_copy.h"
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#define BUSY_MS 10000
#define ID_LEN 32

static enum err no_room_or_io(void)
{
	return errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_IO;
}

/* ---- the log ---- */

static enum err sql_error(sqlite3 *db, const char *what, const char *path, struct error *e)
{
	int rc = sqlite3_errcode(db);

	return fail(e,
	            rc == SQLITE_FULL   ? ERR_FULL
	            : rc == SQLITE_BUSY ? ERR_BUSY
	                                : ERR_STORE,
	            "%s %s: %s", what, path, sqlite3_errmsg(db));
}

/* SQLite makes files readable for others; this one is made first. */
static enum err open_target(const char *path, sqlite3 **ret, struct error *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail_errno(e, no_room_or_io(), "cannot make %s", path);
	close(fd);
	if (sqlite3_open_v2(path, ret, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return sql_error(*ret, "cannot open", path, e);
	return OK;
}

static enum err open_source(const char *path, sqlite3 **ret, struct error *e)
{
	if (sqlite3_open_v2(path, ret, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return sql_error(*ret, "cannot open", path, e);
	sqlite3_busy_timeout(*ret, BUSY_MS);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return OK;
}

/* All pages in one step: one read transaction, one moment of the log. */
static enum err copy_pages(sqlite3 *from, sqlite3 *to, const char *path, struct error *e)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
	int rc;

	if (!b)
		return sql_error(to, "cannot write", path, e);
	do
		rc = sqlite3_backup_step(b, -1);
	while ((rc == SQLITE_BUSY || rc == SQLITE_LOCKED) && sqlite3_sleep(20));
	sqlite3_backup_finish(b);
	return rc == SQLITE_DONE ? OK : sql_error(to, "cannot write", path, e);
}

static bool number(sqlite3 *db, const char *sql, int64_t *ret)
{
	sqlite3_stmt *st = NULL;
	bool is_good = sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	               sqlite3_step(st) == SQLITE_ROW;

	if (is_good)
		*ret = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return is_good;
}

/* The mark holds "THOLE-LOG-MARK:", the id and a generation. */
static bool read_id(sqlite3 *db, char ret[ID_LEN + 1])
{
	static const char sql[] = "SELECT substr(CAST(data AS TEXT), 16, 32) FROM mark";
	sqlite3_stmt *st = NULL;
	bool is_good = sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	               sqlite3_step(st) == SQLITE_ROW && sqlite3_column_bytes(st, 0) == ID_LEN;

	if (is_good)
		snprintf(ret, ID_LEN + 1, "%s", (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return is_good;
}

/* A format 3 log has no mark and gets its identity when a runtime opens it. */
static enum err describe(sqlite3 *db, const char *path, char id[ID_LEN + 1],
                         struct backup_size *size, struct error *e)
{
	int64_t application = 0, packed = 0;

	if (!number(db, "PRAGMA application_id", &application) ||
	    application != STORE_APPLICATION ||
	    !number(db, "SELECT count(*) FROM session WHERE last_seq > 0", &size->sessions) ||
	    !number(db, "SELECT total(last_seq - floor_seq) FROM session", &packed))
		return fail(e, ERR_STORE, "%s is not a log of Thole", path);
	size->events = packed;
	if (!read_id(db, id))
		id[0] = 0;
	return OK;
}

/* Of a log that a runtime uses. */
static enum err copy_open_log(const char *from_path, const char *to_path, sqlite3 **ret,
                              struct error *e)
{
	sqlite3 *from = NULL;
	enum err err = open_source(from_path, &from, e);

	if (err == OK)
		err = open_target(to_path, ret, e);
	if (err == OK)
		err = copy_pages(from, *ret, to_path, e);
	sqlite3_close(from);
	return err;
}

/*
 * Of a log that no runtime uses: both files, and the copy takes the write-ahead log in.  The
 * directory may be read-only, and nothing is left in it.
 */
static enum err copy_closed_log(int from, int to, const char *to_path, sqlite3 **ret,
                                struct backup_size *size, struct error *e)
{
	enum err err = backup_copy_entry(from, to, "log.db", size, e);

	if (err == OK)
		err = backup_copy_entry(from, to, "log.db-wal", size, e);
	if (err == OK && (sqlite3_open_v2(to_path, ret, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	                  sqlite3_wal_checkpoint_v2(*ret, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
	                                            NULL) != SQLITE_OK))
		err = sql_error(*ret, "cannot open", to_path, e);
	return err;
}

/* The directories by name and as descriptors; is_used: a runtime has the log open. */
struct places {
	const char *data, *into;
	int from, to;
	bool is_used;
};

static enum err copy_log(const struct places *p, char id[ID_LEN + 1], struct backup_size *size,
                         struct error *e)
{
	char from_path[4096], to_path[4096];
	sqlite3 *to = NULL;
	enum err err;

	if ((size_t)snprintf(from_path, sizeof from_path, "%s/log.db", p->data) >=
	            sizeof from_path ||
	    (size_t)snprintf(to_path, sizeof to_path, "%s/log.db", p->into) >= sizeof to_path)
		return fail(e, ERR_INVALID, "the path is too long");
	if (access(from_path, R_OK) != 0)
		return fail_errno(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s", from_path);
	err = p->is_used ? copy_open_log(from_path, to_path, &to, e)
	                 : copy_closed_log(p->from, p->to, to_path, &to, size, e);
	if (err == OK)
		err = describe(to, to_path, id, size, e);
	if (sqlite3_close(to) != SQLITE_OK && err == OK)
		err = fail(e, ERR_IO, "cannot close %s", to_path);
	return err;
}

/* ---- backup.json ---- */

enum err backup_hash_file(int fd, const char *name, struct sha256 *ret, int64_t *ret_bytes,
                          struct error *e)
{
	struct sha256_stream s;
	char piece[65536];
	ssize_t got = fd < 0 ? -1 : 0;

	sha256_begin(&s);
	*ret_bytes = 0;
	while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0) {
		sha256_more(&s, str_of(piece, (size_t)got));
		*ret_bytes += got;
	}
	*ret = sha256_end(&s);
	return got < 0 ? fail_errno(e, ERR_IO, "cannot read %s of the backup", name) : OK;
}

static enum err hash_log(int dir, struct sha256 *ret, int64_t *ret_bytes, struct error *e)
{
	FD_SCOPE fd = openat(dir, "log.db", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return backup_hash_file(fd, "log.db", ret, ret_bytes, e);
}

static void write_json(struct buf *out, const char *id, const struct sha256 *log,
                       const struct backup_size *size, bool with_keys)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "format", BACKUP_FORMAT_DIRECTORY);
	JW_KSTR(&w, "version", STR(THOLE_VERSION));
	JW_KSTR(&w, "logId", str_from(id));
	JW_KSTR(&w, "logSha256", sha256_hex(mem, log));
	JW_KINT(&w, "sessions", size->sessions);
	JW_KINT(&w, "events", size->events);
	JW_KBOOL(&w, "withKeys", with_keys);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

static enum err write_manifest(int dir, const char *id, struct backup_size *size, bool with_keys,
                               struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sha256 log;
	int64_t bytes;
	enum err err = hash_log(dir, &log, &bytes, e);

	if (err != OK)
		return err;
	size->bytes += bytes;
	write_json(&text, id, &log, size, with_keys);
	return backup_copy_text(dir, BACKUP_MANIFEST, buf_str(&text), e);
}

/* The directory is complete if it has one: it is written last. */
static enum err read_manifest(const char *path, int dir, struct arena *mem, struct json *ret,
                              struct error *e)
{
	FD_SCOPE fd = openat(dir, BACKUP_MANIFEST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	CLEANUP(buf_done) struct buf text = { .max = BACKUP_MANIFEST_MAX };
	char piece[4096];
	ssize_t got;

	if (fd < 0)
		return fail_errno(e, ERR_INVALID, "%s is no backup: its backup.json", path);
	while ((got = read(fd, piece, sizeof piece)) > 0)
		buf_add(&text, piece, (size_t)got);
	if (got < 0 || text.overflowed ||
	    json_read(mem, arena_keep(mem, buf_str(&text)), ret, NULL) != OK)
		return fail(e, ERR_INVALID, "%s is no backup: its backup.json cannot be read",
		            path);
	if (json_int(JSON_GET(*ret, "format"), 0) == BACKUP_FORMAT_DATABASE)
		return fail(e, ERR_UNSUPPORTED,
		            "backup_database: %s is of a log in PostgreSQL, whose own tools "
		            "restore it: "
		            "docs/how-to/backup.md",
		            path);
	if (json_int(JSON_GET(*ret, "format"), 0) != BACKUP_FORMAT_DIRECTORY)
		return fail(e, ERR_UNSUPPORTED, "%s has a format that this version does not know",
		            path);
	return OK;
}

static enum err check_manifest(int dir, struct json manifest, struct error *e)
{
	struct sha256 want, have;
	int64_t bytes;
	enum err err = hash_log(dir, &have, &bytes, e);

	if (err != OK)
		return err;
	if (!sha256_read_hex(json_str(JSON_GET(manifest, "logSha256")), &want) ||
	    !sha256_eq(&want, &have))
		return fail(e, ERR_STORE,
		            "log.db of the backup is not what was written: it is damaged or was "
		            "exchanged");
	return OK;
}

/* ---- both ways ---- */

static const char *const key_files[] = { "token", "keys", "sign.key" };

static enum err copy_keys(int from, int to, struct backup_size *size, struct error *e)
{
	enum err err = OK;

	for (size_t i = 0; i < COUNT_OF(key_files) && err == OK; i++)
		err = backup_copy_entry(from, to, key_files[i], size, e);
	return err;
}

enum err backup_write_files(const char *data, const char *into, bool with_outputs, bool with_keys,
                            struct error *e)
{
	FD_SCOPE from = data ? open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	FD_SCOPE to = open(into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct backup_size size = { 0 };
	enum err err = OK;

	if (to < 0 || (from < 0 && data && errno != ENOENT))
		return fail_errno(e, ERR_NOT_FOUND, "cannot open %s", to < 0 ? into : data);
	if (from < 0)
		return OK;
	if (with_outputs && faccessat(from, "blobs", F_OK, 0) == 0)
		err = backup_copy_outputs(from, to, &size, e);
	if (err == OK)
		err = backup_copy_entry(from, to, "chat_history.jsonl", &size, e);
	return err == OK && with_keys ? copy_keys(from, to, &size, e) : err;
}

static enum err write_blobs_id(int into, const char *id, struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	FD_SCOPE blobs = openat(into, "blobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (blobs < 0)
		return fail_errno(e, ERR_IO, "cannot open blobs of the backup");
	if (!*id)
		return OK;
	buf_printf(&text, "%s\n", id);
	return backup_copy_text(blobs, "log.id", buf_str(&text), e);
}

static enum err write_all_parts(const struct places *p, bool with_keys, struct backup_size *ret,
                                struct error *e)
{
	char id[ID_LEN + 1] = "";
	/* A write-ahead log of another log would be replayed; with a runtime it is its own. */
	enum err err = p->is_used ? OK : sqlite_identity_check_wal(p->data, e);

	if (err == OK)
		err = backup_copy_outputs(p->from, p->to, ret, e);
	if (err == OK)
		err = copy_log(p, id, ret, e);
	if (err == OK)
		err = backup_copy_outputs(p->from, p->to, ret, e);
	if (err == OK)
		err = write_blobs_id(p->to, id, e);
	if (err == OK)
		err = backup_copy_entry(p->from, p->to, "chat_history.jsonl", ret, e);
	if (err == OK && with_keys)
		err = copy_keys(p->from, p->to, ret, e);
	return err == OK ? write_manifest(p->to, id, ret, with_keys, e) : err;
}

/* The shared lock keeps a runtime from starting while a closed log is copied. */
enum err backup_write(const char *data, const char *into, bool with_keys, struct backup_size *ret,
                      struct error *e)
{
	FD_SCOPE from = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_SCOPE to = open(into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_SCOPE lock = from < 0 ? -1 : openat(from, "lock", O_RDONLY | O_CLOEXEC);
	struct places p = { data, into, from, to,
		            .is_used = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 };
	enum err err;

	*ret = (struct backup_size){ 0 };
	if (from < 0 || to < 0)
		return fail_errno(e, ERR_NOT_FOUND, "cannot open %s", from < 0 ? data : into);
	err = write_all_parts(&p, with_keys, ret, e);
	if (err == OK && syncfs(to) != 0)
		err = fail_errno(e, no_room_or_io(), "cannot sync %s", into);
	return err;
}

enum err backup_read(const char *from_path, const char *into, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	FD_SCOPE from = open(from_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_SCOPE to = open(into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct backup_size size = { 0 };
	struct json manifest;
	enum err err;

	if (from < 0 || to < 0)
		return fail_errno(e, ERR_NOT_FOUND, "cannot open %s", from < 0 ? from_path : into);
	err = read_manifest(from_path, from, mem, &manifest, e);
	if (err == OK)
		err = backup_copy_entry(from, to, "log.db", &size, e);
	if (err == OK)
		err = check_manifest(to, manifest, e);
	if (err == OK)
		err = backup_copy_outputs(from, to, &size, e);
	/* An id that is not the log's is found when a runtime opens it. */
	if (err == OK)
		err = write_blobs_id(to, arena_keep(mem, json_str(JSON_GET(manifest, "logId"))).ptr,
		                     e);
	if (err == OK)
		err = backup_copy_entry(from, to, "chat_history.jsonl", &size, e);
	if (err == OK)
		err = copy_keys(from, to, &size, e);
	if (err == OK && syncfs(to) != 0)
		err = fail_errno(e, no_room_or_io(), "cannot sync %s", into);
	return err;
}

/*
 * The identity of a log, which the files beside log.db repeat.
 *
 * The table `mark` holds the log's id and a generation.  The first
 * transaction of every write-ahead log raises the generation, so that each
 * write-ahead log has a page with it; the file `log.id` in the data directory
 * and in blobs/ repeats the id.  Before the log is opened these are compared:
 * a write-ahead log of another log, or of an older state of this one, would
 * otherwise overwrite pages that it does not match.
 *
 * log.id also holds the number of derived rows when the log was closed, to
 * detect that another program has written to the file since.  After a crash
 * that number is unknown.  But a crash leaves the write-ahead log, and another
 * program that opens and closes the file removes it, which is detected too.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/memory.h"
#include "base/os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_HEAD "THOLE-LOG-MARK:"
#define MARK_ID 32
#define MARK_LEN (sizeof MARK_HEAD - 1 + MARK_ID + 16)

struct mark {
	char id[MARK_ID + 1];
	uint64_t generation;
};

static bool mark_read(struct str data, struct mark *ret)
{
	char digits[17] = "";

	if (data.len < MARK_LEN || memcmp(data.ptr, MARK_HEAD, sizeof MARK_HEAD - 1) != 0)
		return false;
	memcpy(ret->id, data.ptr + sizeof MARK_HEAD - 1, MARK_ID);
	ret->id[MARK_ID] = 0;
	memcpy(digits, data.ptr + sizeof MARK_HEAD - 1 + MARK_ID, 16);
	ret->generation = strtoull(digits, NULL, 16);
	return true;
}

/* ---- log.db without its write-ahead log ---- */

/*
 * immutable=1 makes SQLite ignore the write-ahead log and take no lock.  Characters
 * with a meaning in a URI are escaped; three bytes per character are enough.
 */
static char *uri_of(const char *path)
{
	char *uri = memory_alloc(3 * strlen(path) + sizeof "file:?immutable=1");
	char *at = uri + sprintf(uri, "file:");

	for (; *path; path++)
		at += sprintf(at, strchr("?#%", *path) ? "%%%02x" : "%c", *path);
	sprintf(at, "?immutable=1");
	return uri;
}

/* Reads the mark from log.db without its WAL, and its page; false: none, or not readable. */
static bool file_mark(const char *path, struct mark *ret, uint32_t *ret_page)
{
	char *uri = uri_of(path);
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	bool is_there = false;

	if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db,
	                       "SELECT data, (SELECT rootpage FROM sqlite_schema"
	                       " WHERE name = 'mark') FROM mark",
	                       -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		is_there = mark_read(sqlite_conn_column_str(st, 0), ret);
		*ret_page = (uint32_t)sqlite3_column_int64(st, 1);
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	free(uri);
	return is_there;
}

/* ---- the write-ahead log without log.db: https://sqlite.org/fileformat2.html#walformat ---- */

#define WAL_HEAD 32
#define FRAME_HEAD 24

/*
 * A write-ahead log that is read here and not by SQLite: opening the database would
 * replay it, and the question is whether it may be replayed.
 */
struct wal {
	FILE *file;
	bool is_big; /* order of bytes in checksums */
	uint32_t salt[2], sum[2];
	uint8_t frame[FRAME_HEAD + STORE_PAGE];
};

static uint32_t number(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The running checksum of WAL frames, over pairs of 32-bit numbers. */
static void sum_add(struct wal *w, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i += 8) {
		uint32_t a = number(data + i), b = number(data + i + 4);

		if (!w->is_big) {
			a = __builtin_bswap32(a);
			b = __builtin_bswap32(b);
		}
		w->sum[0] += a + w->sum[1];
		w->sum[1] += b + w->sum[0];
	}
}

/* The magic number's lowest bit states the byte order of the checksums. */
static bool wal_begin(struct wal *w)
{
	uint8_t head[WAL_HEAD];

	if (fread(head, 1, sizeof head, w->file) != sizeof head ||
	    (number(head) & 0xfffffffe) != 0x377f0682 || number(head + 8) != STORE_PAGE)
		return false;
	w->is_big = number(head) & 1;
	w->salt[0] = number(head + 16);
	w->salt[1] = number(head + 20);
	sum_add(w, head, 24);
	return number(head + 24) == w->sum[0] && number(head + 28) == w->sum[1];
}

/*
 * The next frame that SQLite would take; false: there is none.  Frames of an earlier
 * generation of the file, behind the valid ones, have another salt.
 */
static bool wal_next(struct wal *w)
{
	if (fread(w->frame, 1, sizeof w->frame, w->file) != sizeof w->frame ||
	    number(w->frame + 8) != w->salt[0] || number(w->frame + 12) != w->salt[1])
		return false;
	sum_add(w, w->frame, 8);
	sum_add(w, w->frame + FRAME_HEAD, STORE_PAGE);
	return number(w->frame + 16) == w->sum[0] && number(w->frame + 20) == w->sum[1];
}

/* The marks in the frames that SQLite would replay. */
struct marks {
	struct mark first, last;
	bool has_commit, has_mark, is_mixed;
};

/* Looks for the mark in frames of the mark's page only: its text could occur in an event. */
static void take_frame(const struct wal *w, uint32_t page, struct marks *so_far)
{
	struct str body = str_of((const char *)w->frame + FRAME_HEAD, STORE_PAGE);
	struct mark m;
	const char *at;

	if (number(w->frame) != page)
		return;
	at = memmem(body.ptr, body.len, MARK_HEAD, sizeof MARK_HEAD - 1);
	if (!at || !mark_read(str_of(at, body.len - (size_t)(at - body.ptr)), &m))
		return;
	if (!so_far->has_mark)
		so_far->first = m;
	so_far->is_mixed |= so_far->has_mark && strcmp(so_far->last.id, m.id) != 0;
	so_far->last = m;
	so_far->has_mark = true;
}

/* Only whole transactions count: SQLite discards frames after the last commit frame. */
static struct marks wal_marks(const char *path, uint32_t page)
{
	struct wal *w = memory_zeroed(1, sizeof *w);
	struct marks so_far = { 0 }, whole = { 0 };

	w->file = fopen(path, "re");
	if (w->file && wal_begin(w))
		while (wal_next(w)) {
			take_frame(w, page, &so_far);
			if (number(w->frame + 4)) { /* the last frame of a transaction */
				whole = so_far;
				whole.has_commit = true;
			}
		}
	if (w->file)
		fclose(w->file);
	memory_free(w);
	return whole;
}

/*
 * The write-ahead log begins with generation `first`.  log.db holds everything
 * before it, and as much of the log itself as was checkpointed.
 */
enum err sqlite_identity_check_wal(const char *dir, struct error *e)
{
	char path[4096], wal[4100];
	struct mark own;
	struct marks m;
	uint32_t page = 0;

	if ((size_t)snprintf(path, sizeof path, "%s/log.db", dir) >= sizeof path)
		return fail(e, ERR_INVALID, "the path of the data directory is too long");
	snprintf(wal, sizeof wal, "%s-wal", path);
	if (!file_mark(path, &own, &page))
		return OK; /* of an older format, or all of it is in the write-ahead log */
	m = wal_marks(wal, page);
	if (!m.has_commit ||
	    (m.has_mark && !m.is_mixed && strcmp(m.first.id, own.id) == 0 &&
	     m.first.generation <= own.generation + 1 && own.generation <= m.last.generation))
		return OK;
	return fail(e, ERR_STORE,
	            "%s does not belong to %s: it is of another log, or of another age of this one "
	            "(a copy that was put back without its own). Put back both files of the same "
	            "moment, or move the -wal away if log.db alone is what you want",
	            wal, path);
}

/* ---- generations ---- */

bool sqlite_identity_mark(struct sqlite_store *s)
{
	char text[MARK_LEN + 1];
	sqlite3_stmt *st;

	if (!s->mark_is_due)
		return true;
	st = sqlite_writer_stmt(s, W_MARK);
	if (!st)
		return false;
	snprintf(text, sizeof text, MARK_HEAD "%s%016llx", s->log_id,
	         (unsigned long long)s->generation + 1);
	sqlite3_bind_blob64(st, 1, text, MARK_LEN, SQLITE_TRANSIENT);
	return sqlite_conn_run(st);
}

void sqlite_identity_marked(struct sqlite_store *s)
{
	s->generation += s->mark_is_due;
	s->mark_is_due = false;
}

/* ---- log.id ---- */

static void id_path(char out[4200], const char *dir, const char *name)
{
	snprintf(out, 4200, "%s/%s", dir, name);
}

/* Absent: ret is empty. */
static void read_id(const char *path, char ret[512])
{
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(ret, 1, 511, f) : 0;

	ret[len] = 0;
	if (f)
		fclose(f);
}

/*
 * A new file, synced and renamed over the old one, so that a crash leaves one of the two whole.
 * The directory is not synced here, because that costs milliseconds at each start: with the old
 * file after a power cut the next start rebuilds derived rows, which is safe.
 */
static enum err write_id(const char *path, const char *text, struct error *e)
{
	char fresh[4210];
	size_t len = strlen(text);
	int fd;

	snprintf(fresh, sizeof fresh, "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot make %s", fresh);
	if (write(fd, text, len) != (ssize_t)len || fsync(fd) != 0) {
		fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot write %s", fresh);
		close(fd);
		return e->code;
	}
	close(fd);
	if (rename(fresh, path) != 0)
		return fail_errno(e, ERR_IO, "cannot rename %s", fresh);
	return OK;
}

/*
 * No file, or an empty one, is accepted: it is written when the log is opened for the
 * first time.
 */
static enum err check_id(struct sqlite_store *s, const char *path, const char *text,
                         struct error *e)
{
	if (!*text || strncmp(text, s->log_id, MARK_ID) == 0)
		return OK;
	return fail(e, ERR_STORE,
	            "%s is not the log that this directory belongs to (%s names another). Put the "
	            "right log.db back; if you exchanged it on purpose, delete %s",
	            s->path, path, path);
}

/* The first transaction after a start may begin a write-ahead log, so a mark is due. */
enum err sqlite_identity_read(struct sqlite_store *s, struct error *e)
{
	sqlite3_stmt *st = NULL;
	struct mark m;
	enum err err = OK;

	if (sqlite3_prepare_v2(s->writer.db, "SELECT data FROM mark", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW && mark_read(sqlite_conn_column_str(st, 0), &m)) {
		memcpy(s->log_id, m.id, sizeof s->log_id);
		s->generation = m.generation;
	} else {
		err = fail(e, ERR_STORE, "%s is damaged: it has no identity", s->path);
	}
	sqlite3_finalize(st);
	s->mark_is_due = true;
	return err;
}

/* ---- derived rows ---- */

#define COUNTED (INDEX_TABLES + 1) /* and the snapshots */

/* False if a table cannot be counted; the caller rebuilds then. */
static bool count_rows(struct sqlite_store *s, int64_t counts[COUNTED])
{
	for (int i = 0; i < COUNTED; i++) {
		char sql[64];
		sqlite3_stmt *st = NULL;
		bool is_good;

		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s",
		         i < INDEX_TABLES ? sqlite_file_index_table[i] : "snapshot");
		is_good = sqlite3_prepare_v2(s->writer.db, sql, -1, &st, NULL) == SQLITE_OK &&
		          sqlite3_step(st) == SQLITE_ROW;
		if (is_good)
			counts[i] = sqlite3_column_int64(st, 0);
		sqlite3_finalize(st);
		if (!is_good)
			return false;
	}
	return true;
}

/* Whether sessions have events but none of their index rows, neither in tables nor in row_log. */
static bool are_rows_gone(struct sqlite_store *s)
{
	static const char sql[] =
		"SELECT EXISTS(SELECT 1 FROM session WHERE last_seq > 0)"
		" AND NOT (EXISTS(SELECT 1 FROM idx_session) AND EXISTS(SELECT 1 FROM idx_id))"
		" AND NOT EXISTS(SELECT 1 FROM row_log)";
	sqlite3_stmt *st = NULL;
	bool is_gone = sqlite3_prepare_v2(s->writer.db, sql, -1, &st, NULL) == SQLITE_OK &&
	               sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0);

	sqlite3_finalize(st);
	return is_gone;
}

/*
 * " closed MTIME SIZE COUNT...": equal time and size mean that no other program
 * has written since; otherwise the numbers of rows must be equal.
 */
static bool do_rows_differ(struct sqlite_store *s, const char *text, const struct stat *log)
{
	int64_t counts[COUNTED];
	long long at, size, count;
	int used = 0;

	if (sscanf(text, "%*s closed %lld %lld%n", &at, &size, &used) != 2 || !used)
		return false;
	if (at == (long long)log->st_mtim.tv_sec * 1000000000 + log->st_mtim.tv_nsec &&
	    size == (long long)log->st_size)
		return false;
	if (!count_rows(s, counts))
		return true;
	for (int i = 0; i < COUNTED; i++) {
		int more = 0;

		text += used;
		if (sscanf(text, "%lld%n", &count, &more) != 1 || count != counts[i])
			return true;
		used = more;
	}
	return false;
}

/* The log was open at the last exit and its WAL is gone: another program has opened it since. */
static bool was_handled(const char *text, bool had_wal)
{
	return *text && !had_wal && !strstr(text, " closed ");
}

/* ---- opening and closing ---- */

/*
 * Decides whether derived rows must be rebuilt, and writes log.id without the counts:
 * until the log is closed in order, they are unknown.  blobs/log.id is written once,
 * because it never changes.
 */
enum err sqlite_identity_open(struct sqlite_store *s, const char *dir, const struct stat *log,
                              bool had_wal, struct error *e)
{
	char path[4200], blobs[4200], place[4200], own[512], theirs[512], line[64];
	enum err err;

	if (are_rows_gone(s))
		s->needs_rebuild = true;
	if (!dir)
		return OK;
	id_path(path, dir, "log.id");
	id_path(blobs, dir, "blobs/log.id");
	read_id(path, own);
	read_id(blobs, theirs);
	err = check_id(s, path, own, e);
	if (err == OK)
		err = check_id(s, blobs, theirs, e);
	if (err != OK)
		return err;
	if (do_rows_differ(s, own, log) || was_handled(own, had_wal))
		s->needs_rebuild = true;
	snprintf(line, sizeof line, "%s\n", s->log_id);
	id_path(place, dir, "blobs");
	if (mkdir(place, 0700) != 0 && errno != EEXIST)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot make %s", place);
	err = write_id(path, line, e);
	if (err == OK && !*theirs)
		err = write_id(blobs, line, e);
	return err;
}

/*
 * Counts only what is complete: not on a failed disk, not during a rebuild, and not
 * before deferred rows are in their tables.  Without counts, log.id stays as it was at
 * the start, and the next start sees a log that was not closed in order.
 */
void sqlite_identity_count(struct sqlite_store *s)
{
	int64_t counts[COUNTED];
	struct error ignored;
	int len = 0;

	s->closing_counts[0] = 0;
	if (!s->writer.db || atomic_load(&s->is_dead) || s->needs_rebuild ||
	    sqlite_rowlog_catch_up(s, &ignored) != OK || !count_rows(s, counts))
		return;
	for (int i = 0; i < COUNTED; i++)
		len += snprintf(s->closing_counts + len, sizeof s->closing_counts - (size_t)len,
		                " %lld", (long long)counts[i]);
}

/* After the last connection is closed: its checkpoint changes time and size of log.db. */
void sqlite_identity_close(struct sqlite_store *s)
{
	char path[4200], line[512];
	struct error ignored;
	struct stat st;

	if (!s->closing_counts[0] || !s->watch.dir || stat(s->path, &st) != 0)
		return;
	snprintf(line, sizeof line, "%s closed %lld %lld%s\n", s->log_id,
	         (long long)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	         (long long)st.st_size, s->closing_counts);
	id_path(path, s->watch.dir, "log.id");
	/* Synced, so that a power cut after a stop in order does not cost a rebuild. */
	if (write_id(path, line, &ignored) == OK)
		sys_sync_dir_of(path);
}

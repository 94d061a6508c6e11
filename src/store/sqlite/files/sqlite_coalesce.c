/*
 * A VFS that joins consecutive writes to the write-ahead log and writes them when
 * the log is synced or read.
 */
#include "store/sqlite/files/sqlite_coalesce.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/util.h"

#include <stdio.h>
#include <string.h>

#define COALESCE_MAX 65536

struct coalesce {
	sqlite3_vfs vfs;
	sqlite3_vfs *base;
	char name[40];
};

/* A write-ahead log.  The base VFS's file follows it in memory. */
struct log_file {
	sqlite3_file file;
	sqlite3_file *real;
	char *bytes; /* not written yet: len bytes that belong at `at` */
	size_t len;
	sqlite3_int64 at;
};

static struct log_file *log_of(sqlite3_file *f)
{
	return OWNER_OF(f, struct log_file, file);
}

/* ---- the file ---- */

static int write_out(struct log_file *l)
{
	int len = (int)l->len;

	l->len = 0; /* after a failure too: SQLite abandons the commit and writes all of it again */
	return len ? l->real->pMethods->xWrite(l->real, l->bytes, len, l->at) : SQLITE_OK;
}

/*
 * SQLite writes a frame as header and page, one after the other.  Pieces that continue
 * the buffer are joined; any other write sends the buffer first, so the order on disk
 * stays SQLite's.
 */
static int log_write(sqlite3_file *f, const void *data, int len, sqlite3_int64 at)
{
	struct log_file *l = log_of(f);
	size_t size = (size_t)len;
	int rc;

	if (l->len && (at != l->at + (sqlite3_int64)l->len || l->len + size > COALESCE_MAX)) {
		rc = write_out(l);
		if (rc != SQLITE_OK)
			return rc;
	}
	if (size > COALESCE_MAX)
		return l->real->pMethods->xWrite(l->real, data, len, at);
	if (!l->bytes)
		l->bytes = memory_alloc(COALESCE_MAX);
	if (!l->len)
		l->at = at;
	memcpy(l->bytes + l->len, data, size);
	l->len += size;
	return SQLITE_OK;
}

/* SQLite reads its own frames back, so the buffer is written before every read. */
static int log_read(sqlite3_file *f, void *to, int len, sqlite3_int64 at)
{
	struct log_file *l = log_of(f);
	int rc = write_out(l);

	return rc == SQLITE_OK ? l->real->pMethods->xRead(l->real, to, len, at) : rc;
}

static int log_sync(sqlite3_file *f, int flags)
{
	struct log_file *l = log_of(f);
	int rc = write_out(l);

	return rc == SQLITE_OK ? l->real->pMethods->xSync(l->real, flags) : rc;
}

static int log_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct log_file *l = log_of(f);
	int rc = write_out(l);

	return rc == SQLITE_OK ? l->real->pMethods->xTruncate(l->real, size) : rc;
}

static int log_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	struct log_file *l = log_of(f);
	int rc = write_out(l);

	return rc == SQLITE_OK ? l->real->pMethods->xFileSize(l->real, ret) : rc;
}

/* Unsynced bytes were never acknowledged; they are still written. */
static int log_close(sqlite3_file *f)
{
	struct log_file *l = log_of(f);
	int written = write_out(l);
	int closed = l->real->pMethods->xClose(l->real);

	memory_free(l->bytes);
	l->bytes = NULL;
	return written == SQLITE_OK ? closed : written;
}

static int log_lock(sqlite3_file *f, int level)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xLock(l->real, level);
}

static int log_unlock(sqlite3_file *f, int level)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xUnlock(l->real, level);
}

static int log_is_reserved(sqlite3_file *f, int *ret)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xCheckReservedLock(l->real, ret);
}

static int log_control(sqlite3_file *f, int op, void *arg)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xFileControl(l->real, op, arg);
}

static int log_sector(sqlite3_file *f)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xSectorSize(l->real);
}

static int log_traits(sqlite3_file *f)
{
	struct log_file *l = log_of(f);

	return l->real->pMethods->xDeviceCharacteristics(l->real);
}

static const sqlite3_io_methods log_methods = {
	.iVersion = 1, /* shared memory and mapping belong to the database file, not to the WAL */
	.xClose = log_close,
	.xRead = log_read,
	.xWrite = log_write,
	.xTruncate = log_truncate,
	.xSync = log_sync,
	.xFileSize = log_size,
	.xLock = log_lock,
	.xUnlock = log_unlock,
	.xCheckReservedLock = log_is_reserved,
	.xFileControl = log_control,
	.xSectorSize = log_sector,
	.xDeviceCharacteristics = log_traits,
};

/* ---- the VFS: the base's, but for logs ---- */

static sqlite3_vfs *base_of(sqlite3_vfs *v)
{
	return OWNER_OF(v, struct coalesce, vfs)->base;
}

/* Only the write-ahead log is wrapped; the base opens all other files in the same memory. */
static int coalesce_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret)
{
	sqlite3_vfs *base = base_of(v);
	struct log_file *l = log_of(f);
	int rc;

	if (!(flags & SQLITE_OPEN_WAL))
		return base->xOpen(base, name, f, flags, ret);
	*l = (struct log_file){ .real = (sqlite3_file *)(l + 1) };
	rc = base->xOpen(base, name, l->real, flags, ret);
	/* Without methods SQLite does not close it. */
	if (l->real->pMethods)
		l->file.pMethods = &log_methods;
	return rc;
}

static int coalesce_delete(sqlite3_vfs *v, const char *name, int sync_dir)
{
	return base_of(v)->xDelete(base_of(v), name, sync_dir);
}

static int coalesce_access(sqlite3_vfs *v, const char *name, int flags, int *ret)
{
	return base_of(v)->xAccess(base_of(v), name, flags, ret);
}

static int coalesce_path(sqlite3_vfs *v, const char *name, int size, char *out)
{
	return base_of(v)->xFullPathname(base_of(v), name, size, out);
}

static int coalesce_randomness(sqlite3_vfs *v, int len, char *out)
{
	return base_of(v)->xRandomness(base_of(v), len, out);
}

static int coalesce_sleep(sqlite3_vfs *v, int us)
{
	return base_of(v)->xSleep(base_of(v), us);
}

static int coalesce_time(sqlite3_vfs *v, double *ret)
{
	return base_of(v)->xCurrentTime(base_of(v), ret);
}

static int coalesce_last_error(sqlite3_vfs *v, int len, char *out)
{
	return base_of(v)->xGetLastError(base_of(v), len, out);
}

/*
 * The name contains the address, so that several stores in one process have one VFS
 * each.  szOsFile has room for both structs, because the base's file lies behind ours.
 */
struct coalesce *sqlite_coalesce_new(sqlite3_vfs *base)
{
	struct coalesce *g = memory_zeroed(1, sizeof *g);

	g->base = base;
	snprintf(g->name, sizeof g->name, "thole-%p", (void *)g);
	g->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = (int)sizeof(struct log_file) + base->szOsFile,
		.mxPathname = base->mxPathname,
		.zName = g->name,
		.xOpen = coalesce_open,
		.xDelete = coalesce_delete,
		.xAccess = coalesce_access,
		.xFullPathname = coalesce_path,
		.xRandomness = coalesce_randomness,
		.xSleep = coalesce_sleep,
		.xCurrentTime = coalesce_time,
		.xGetLastError = coalesce_last_error,
	};
	sqlite3_vfs_register(&g->vfs, 0);
	return g;
}

const char *sqlite_coalesce_name(const struct coalesce *g)
{
	return g->name;
}

void sqlite_coalesce_free(struct coalesce *g)
{
	if (!g)
		return;
	sqlite3_vfs_unregister(&g->vfs);
	memory_free(g);
}

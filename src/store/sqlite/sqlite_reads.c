/*
 * A VFS that remembers which file failed to be read, so that a failing disk is
 * not reported as a damaged log.
 */
#include "store/sqlite/sqlite_reads.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/util.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The methods of one kind of file, with our read function. */
struct methods {
	struct list node;
	sqlite3_io_methods ours;
	const sqlite3_io_methods *real;
	const char *file;
};

struct reads {
	sqlite3_vfs vfs;
	sqlite3_vfs *base;
	char name[40];
	pthread_mutex_t lock; /* of the list: two threads open files */
	struct list methods;
};

/* Set by a failed read; sqlite_conn_error() asks for it on the same thread. */
static _Thread_local const char *failed_file;

const char *sqlite_reads_failed_file(void)
{
	return failed_file;
}

/*
 * SQLite treats SQLITE_IOERR_CORRUPTFS as damage of the database.  Here it is a failing
 * disk, so it becomes an ordinary read error, which is repeated.  A short read is no
 * failure: SQLite fills the rest with zeros.
 */
static int reads_read(sqlite3_file *f, void *to, int len, sqlite3_int64 at)
{
	const struct methods *m = OWNER_OF(f->pMethods, struct methods, ours);
	int rc = m->real->xRead(f, to, len, at);

	if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
		return rc;
	failed_file = m->file;
	return rc == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : rc;
}

/*
 * One entry per method table of the base and kind of file; there are two or three, and
 * none is freed before the store is closed, because open files point to them.
 */
static const struct methods *find_methods(struct reads *r, const sqlite3_io_methods *real,
                                          const char *file)
{
	struct methods *m;

	LIST_EACH (&r->methods, node) {
		m = LIST_ITEM(node, struct methods, node);
		if (m->real == real && m->file == file)
			return m;
	}
	m = memory_zeroed(1, sizeof *m);
	m->ours = *real;
	m->ours.xRead = reads_read;
	m->real = real;
	m->file = file;
	list_add(&r->methods, &m->node);
	return m;
}

static const struct methods *methods_of(struct reads *r, const sqlite3_io_methods *real,
                                        const char *file)
{
	const struct methods *m;

	pthread_mutex_lock(&r->lock);
	m = find_methods(r, real, file);
	pthread_mutex_unlock(&r->lock);
	return m;
}

static int reads_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret)
{
	static const char log[] = "log.db", wal[] = "log.db-wal";
	struct reads *r = OWNER_OF(v, struct reads, vfs);
	int rc = r->base->xOpen(r->base, name, f, flags, ret);

	/* The file stays the base's, so only the method table is replaced. */
	if (f->pMethods && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))
		f->pMethods =
			&methods_of(r, f->pMethods, flags & SQLITE_OPEN_WAL ? wal : log)->ours;
	return rc;
}

struct reads *sqlite_reads_new(sqlite3_vfs *base)
{
	struct reads *r = memory_zeroed(1, sizeof *r);

	r->base = base;
	pthread_mutex_init(&r->lock, NULL);
	list_init(&r->methods);
	snprintf(r->name, sizeof r->name, "thole-reads-%p", (void *)r);
	r->vfs = *base; /* all other calls reach the base unchanged */
	r->vfs.pNext = NULL;
	r->vfs.zName = r->name;
	r->vfs.xOpen = reads_open;
	sqlite3_vfs_register(&r->vfs, 0);
	return r;
}

sqlite3_vfs *sqlite_reads_vfs(struct reads *r)
{
	return &r->vfs;
}

void sqlite_reads_free(struct reads *r)
{
	if (!r)
		return;
	sqlite3_vfs_unregister(&r->vfs);
	while (!list_is_empty(&r->methods)) {
		struct methods *m = LIST_ITEM(r->methods.next, struct methods, node);

		list_remove(&m->node);
		memory_free(m);
	}
	pthread_mutex_destroy(&r->lock);
	memory_free(r);
}

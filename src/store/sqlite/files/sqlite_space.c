/*
 * Space on the disk for pages that are still in the write-ahead log.
 *
 * A checkpoint copies the WAL into log.db, which may grow by that.  On a full
 * disk it cannot, so the WAL could never be emptied, and it would take whatever
 * deletions free.  So log.db gets the space right after the commit, beyond its
 * end and without growing (FALLOC_FL_KEEP_SIZE).  When there is none the ballast
 * goes, and from then on a transaction begins only if log.db has the space for
 * it already.  So a checkpoint always completes.
 *
 * File systems that know no such reservation are used without it.  The
 * writer's thread only, under its lock.
 */
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Reserved ahead of what is needed, and how many pages the WAL grows between two looks. */
#define AHEAD (1u << 20)
#define LOOK_PAGES 64
#define MARGIN (16u * STORE_PAGE)

/*
 * SQLite's locks on log.db belong to the process, and end when the process closes any
 * descriptor of the file.  So this one stays open until SQLite has closed its own.
 */
void sqlite_space_open(struct sqlite_store *s)
{
	s->space.fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

void sqlite_space_close(struct sqlite_store *s)
{
	if (s->space.fd >= 0)
		close(s->space.fd);
	s->space.fd = -1;
}

/* A checkpoint may cut off what lies beyond the end of the file. */
void sqlite_space_forget(struct sqlite_store *s)
{
	s->space.reserved = s->space.seen_pages = 0;
}

static uint64_t log_bytes(struct sqlite_store *s)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_PAGES);
	int64_t pages = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_reset(st);
	return (uint64_t)pages * STORE_PAGE;
}

static bool is_reserved(struct sqlite_store *s, uint64_t bytes)
{
	int rc;

	do
		rc = fallocate(s->space.fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes);
	while (rc != 0 && errno == EINTR);
	return rc == 0;
}

static void reserve(struct sqlite_store *s)
{
	uint64_t need = log_bytes(s);

	s->space.seen_pages = s->wal_pages;
	if (need <= s->space.reserved)
		return;
	if (is_reserved(s, need + AHEAD))
		s->space.reserved = need + AHEAD;
	else if (errno != ENOSPC && errno != EDQUOT)
		s->space.is_unknown = true;
	else if (is_reserved(s, need))
		s->space.reserved = need;
	else
		(void)!sqlite_room_drop_ballast(s); /* which reserves again */
}

void sqlite_space_reserve_now(struct sqlite_store *s)
{
	if (s->space.fd >= 0 && !s->space.is_unknown)
		reserve(s);
}

/*
 * What a transaction adds to the file is not known before; the margin is for pages of
 * indexes.  Where nothing can be reserved, nothing is known.
 */
bool sqlite_space_allows(struct sqlite_store *s, uint64_t bytes)
{
	uint64_t need;

	if (!atomic_load(&s->is_low) || s->space.fd < 0 || s->space.is_unknown)
		return true;
	need = log_bytes(s) + 2 * bytes + MARGIN;
	if (need > s->space.reserved && is_reserved(s, need))
		s->space.reserved = need;
	return need <= s->space.reserved;
}

void sqlite_space_reserve(struct sqlite_store *s)
{
	if (s->wal_pages < s->space.seen_pages || s->wal_pages - s->space.seen_pages >= LOOK_PAGES)
		sqlite_space_reserve_now(s);
}

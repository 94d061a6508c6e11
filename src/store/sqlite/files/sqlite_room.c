/*
 * The ballast: a file that is deleted when the disk is full, so that running
 * work can still record its end.  It is written through the VFS, so that a
 * simulated disk has one too.  The writer's thread only.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/memory.h"

#include <stdlib.h>
#include <sys/stat.h>

#define PIECE 65536

/* Random bytes: a file system that compresses would store zeros in no space. */
static void fill_random(char *piece, uint64_t *seed)
{
	for (size_t i = 0; i < PIECE; i += sizeof *seed) {
		*seed ^= *seed << 13;
		*seed ^= *seed >> 7;
		*seed ^= *seed << 17;
		memcpy(piece + i, seed, sizeof *seed);
	}
}

/* Writes twice the size and keeps half, to prove that free space remains beside it. */
static bool write_ballast(sqlite3_file *f, uint64_t bytes)
{
	char *piece = memory_alloc(PIECE);
	uint64_t seed = 0x9e3779b97f4a7c15u;
	bool is_good = true;

	for (uint64_t at = 0; at < 2 * bytes && is_good; at += PIECE) {
		fill_random(piece, &seed);
		is_good = f->pMethods->xWrite(f, piece, PIECE, (sqlite3_int64)at) == SQLITE_OK;
	}
	memory_free(piece);
	return is_good && f->pMethods->xTruncate(f, (sqlite3_int64)bytes) == SQLITE_OK &&
	       f->pMethods->xSync(f, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

static sqlite3_file *ballast_open(struct sqlite_store *s, int flags)
{
	sqlite3_file *f = memory_zeroed(1, (size_t)s->vfs->szOsFile);

	/* A file type for which SQLite takes no lock and looks for no journal. */
	if (s->vfs->xOpen(s->vfs, s->ballast_path, f,
	                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_TRANSIENT_DB | flags,
	                  NULL) == SQLITE_OK)
		return f;
	if (f->pMethods)
		f->pMethods->xClose(f);
	memory_free(f);
	return NULL;
}

static void ballast_close(sqlite3_file *f)
{
	f->pMethods->xClose(f);
	memory_free(f);
}

/* Whether an earlier run left a complete ballast. */
static bool is_there(struct sqlite_store *s)
{
	sqlite3_file *f = ballast_open(s, 0);
	sqlite3_int64 size = 0;
	bool is_whole;

	if (!f)
		return false;
	is_whole =
		f->pMethods->xFileSize(f, &size) == SQLITE_OK && (uint64_t)size == s->ballast_bytes;
	ballast_close(f);
	return is_whole;
}

/*
 * Called when the writer is idle, and later by MAINTENANCE_ROOM to find out whether
 * space is available again.  Writing the ballast is that test; a partial one is
 * deleted.
 */
enum err sqlite_room_make_ballast(struct sqlite_store *s, struct error *e)
{
	sqlite3_file *f;
	bool is_good;

	s->ballast_is_settled = true;
	if (!s->ballast_bytes || s->has_ballast || is_there(s)) {
		s->has_ballast = s->ballast_bytes > 0;
		atomic_store(&s->is_low, false);
		return OK;
	}
	f = ballast_open(s, SQLITE_OPEN_CREATE);
	/* SQLite makes files that others may read; under a file system of tests there is none */
	if (f)
		(void)!chmod(s->ballast_path, 0600);
	is_good = f && write_ballast(f, s->ballast_bytes);
	if (f)
		ballast_close(f);
	if (!is_good) {
		s->vfs->xDelete(s->vfs, s->ballast_path, 0);
		return fail(e, ERR_FULL, "there is no room for %s", s->ballast_path);
	}
	s->has_ballast = true;
	atomic_store(&s->is_low, false);
	return OK;
}

/*
 * Returns whether space was gained, so that the caller repeats its commit.  is_low is
 * set in both cases: the owner stops accepting work.
 */
bool sqlite_room_drop_ballast(struct sqlite_store *s)
{
	bool was_there = s->has_ballast || (s->ballast_bytes && is_there(s));

	s->has_ballast = false;
	s->ballast_is_settled = true; /* it is created again when the owner asks */
	atomic_store(&s->is_low, true);
	if (!was_there || s->vfs->xDelete(s->vfs, s->ballast_path, 1) != SQLITE_OK)
		return false;
	sqlite_space_reserve_now(s);
	return true;
}

#ifndef TESTS_DISK_H
#define TESTS_DISK_H
/*
 * A disk in memory, as a VFS of SQLite: what was written is volatile until
 * it is synced, and the power may be cut.
 *
 * Every file has two pictures: what the process sees, and what the platter
 * has.  A write changes the first and is remembered; a sync carries all that
 * is remembered over to the second.  When the power is cut each file keeps
 * its second picture and, of the writes remembered since the last sync, all,
 * none, the first few, or any: chosen by the seed, torn at sectors of 512
 * bytes, each file for itself, so that writes of different files come out of
 * order.  A file that was made and never synced may be missing, one that was
 * deleted without a sync of the directory may be back.
 *
 * The cut happens inside an operation or between two.  A user that still holds
 * files open from before it gets I/O errors from then on, whatever it does:
 * the process is dead, it only does not know it yet.
 *
 * It claims what the Unix VFS claims (sectors of 4096, powersafe overwrite),
 * because that is what the shipped store runs on.  One thread only.
 */
#include "base/str.h"

struct disk;

enum disk_op {
	DISK_OPEN,
	DISK_READ,
	DISK_WRITE,
	DISK_TRUNCATE,
	DISK_SYNC,
	DISK_DELETE,
	DISK_OPS,
	DISK_ANY_OP = DISK_OPS, /* in a plan: whatever it is */
};

/* What becomes of writes that were not synced. */
enum disk_keep {
	DISK_KEEP_SEED, /* the seed chooses one of the others */
	DISK_KEEP_NONE,
	DISK_KEEP_ALL, /* as kill -9 does: the kernel continues */
	DISK_KEEP_FIRST,
	DISK_KEEP_SOME,
};

enum disk_fault {
	DISK_NO_FAULT,
	DISK_CUT,       /* the power fails before the operation has a lasting effect */
	DISK_CUT_AFTER, /* the same behind it, before its caller hears of it */
	DISK_IOERR,     /* it fails once */
	DISK_FULL, /* no file gets longer, but for what deleting leaves, until disk_make_room() */
};

struct disk_plan {
	enum disk_fault fault;
	enum disk_op on;
	uint64_t at; /* the so-manieth operation of that kind from now on, from 1 */
	enum disk_keep keep;
};

/* Registers a VFS of this name, as the default one; the name must live on. */
struct disk *disk_new(const char *name, uint64_t seed);
void disk_free(struct disk *d);

/* SQLite forgets it; what is on the platter can be copied. */
void disk_put_away(struct disk *d);
void disk_copy_files(struct disk *to, const struct disk *from);

void disk_plan(struct disk *d, const struct disk_plan *plan);
/* Has the plan been carried out? */
bool disk_has_struck(const struct disk *d);
void disk_make_room(struct disk *d);

/* Cuts the power now. */
void disk_cut(struct disk *d, enum disk_keep keep);
/* How often that has happened. */
unsigned disk_cuts(const struct disk *d);
/* Called at the moment of a cut. */
void disk_on_cut(struct disk *d, void (*fn)(void *arg), void *arg);

/* Operations so far. */
uint64_t disk_count(const struct disk *d, enum disk_op op);

/* A disk that says that it has synced and has not. */
void disk_lie_about_sync(struct disk *d, bool lies);

#endif

#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H
/*
 * The default store: one SQLite file in the data directory, one writer.
 *
 * In the directory are `log.db` with its -wal and -shm, `ballast`, and `lock`, held by
 * flock for as long as the store is open and naming the process that holds
 * it.  docs/formats/event-log.md describes the bytes.
 *
 * With threads, a writer thread commits and a reader thread reads.  While
 * one commit runs, everything that arrives waits and goes into the next
 * transaction together, so that many turns share one fsync.  Without threads
 * all of it happens inside poll(): commits first, in the order in which they
 * were submitted, then reads; given the same calls, the file gets the same
 * bytes.
 *
 * Only the writer's connection ever writes or checkpoints.  All others,
 * including tools that open a live file, must only read: SQLite before 3.51.3
 * can lose commits when two connections write or checkpoint at the same moment
 * (the WAL-reset bug).
 *
 * All calls are for one thread, the owner's.
 */
#include "ports/store.h"

enum durability {
	DURABILITY_FULL,    /* a committed batch survives a power cut */
	DURABILITY_RELAXED, /* it survives a crash of the process */
};

struct store_sqlite_options {
	const char *dir; /* made with mode 0700 when missing; its parent has to exist */
	bool threads;
	enum durability durability;
	void (*wake)(void *arg); /* poll() has results; may be NULL */
	void *wake_arg;
	/*
	 * The store has ended by itself, while nothing was being written: called
	 * once, from poll().  A failed batch reports the same.  May be NULL.
	 */
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	/*
	 * A VFS registered with SQLite, for simulated disks.  Then `dir` is a
	 * name inside that VFS: nothing is made, locked or looked at outside it.
	 */
	const char *vfs;
	int64_t (*mono_ms)(void); /* for the age of waiting batches; NULL: clock_mono_ms */
	uint64_t ballast_bytes;   /* reserve for the last events on a full disk; 0: none */
	uint32_t max_pages;       /* bound on log.db in pages of 4 KiB; 0: none but the disk's */
};

/*
 * ERR_BUSY: another process has the directory.  ERR_UNSUPPORTED: it lies on
 * a network file system, where neither locks nor fsync can be relied on.
 * ERR_STORE: the file is damaged, not ours, or of a newer format.  ERR_IO,
 * ERR_FULL: the system refused.
 */
enum err sqlite_open(const struct store_sqlite_options *o, struct store **ret,
                     struct error *e) MUST_USE;

#endif

#ifndef STORE_SQLITE_STORE_H
#define STORE_SQLITE_STORE_H
/*
 * The SQLite store itself: the messages between its threads, what they share, and
 * whether the store still works.
 */
#include "base/list.h"
#include "base/os/mailbox.h"
#include "store/sqlite/files/sqlite_coalesce.h"
#include "store/sqlite/sqlite_conn.h"
#include "store/sqlite/sqlite_reads.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

/* The stored head of a recently written session. */
struct head {
	char *id; /* NULL: the slot is free */
	size_t id_len;
	int64_t no;
	uint64_t seq;
	uint64_t floor; /* when it was read */
	struct sha256 hash;
};

/* A power of two; 64 bytes each.  A session that is not here costs one lookup. */
#define HEAD_SLOTS 512

/* Messages between the owner's thread and ours. */
struct rewrite;
enum job_kind { JOB_BATCH, JOB_READ, JOB_MAINTENANCE, JOB_CLOSE };
struct job {
	struct mail mail;
	enum job_kind kind;
	struct batch *batch;
	struct store_read *read;
	struct store_maintenance *maintenance;
	struct rewrite *rewrite; /* the reader's plan; NULL: nothing to do */
	/* Of a move, on the owner's thread. */
	const struct store_page *page;
	struct str progress;
	/* Of a batch: its entry in the list of unanswered ones; owner's thread only. */
	struct list waiting;
	int64_t since_ms;
	uint64_t bytes;
};

/* Files of the directory that must not be replaced while the store is open. */
enum kept_file { KEPT_LOG, KEPT_WAL, KEPT_LOCK, KEPT_FILES };

struct watch {
	char *dir;     /* absolute; NULL: nothing is watched */
	bool has_file; /* `dev` and `ino` are filled in */
	dev_t dev[KEPT_FILES];
	ino_t ino[KEPT_FILES];
	int inotify, stop[2];
	bool has_thread;
	pthread_t thread;
};

struct sqlite_store {
	struct store base;
	bool has_threads;
	bool is_closing;
	int lock_fd;
	int64_t (*mono_ms)(void);
	char *path; /* of log.db, for messages */
	struct watch watch;
	char log_id[33];
	uint64_t generation;      /* of write-ahead logs, as the table `mark` has it */
	bool mark_is_due;         /* the next transaction may begin a write-ahead log */
	bool needs_rebuild;       /* derived rows are missing */
	bool has_erased;          /* free pages may hold erased text; of the writer's thread */
	char closing_counts[256]; /* how many there are, when closing */
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	bool is_end_told;

	struct {
		int64_t at, end; /* rows of idx_id; end 0: no pass over them */
	} sweep;                 /* of the writer's thread (sqlite_removed.c) */

	struct conn writer;
	struct head heads[HEAD_SLOTS];
	uint64_t next_position;
	uint64_t wal_pages;   /* in the WAL after the last commit */
	uint64_t wal_settled; /* of these, copied to log.db */

	sqlite3_vfs *vfs;
	struct reads *reads;       /* NULL: the VFS is the caller's */
	struct coalesce *coalesce; /* before it, for the writer; NULL: commits do not sync */
	char *ballast_path;
	uint64_t ballast_bytes;
	bool has_ballast, ballast_is_settled;
	struct {
		int fd;              /* of log.db; -1: none */
		bool is_unknown;     /* the file system reserves nothing */
		uint64_t reserved;   /* bytes that log.db can grow to */
		uint64_t seen_pages; /* in the WAL at the last look */
	} space;                     /* of the writer's thread (sqlite_space.c) */

	struct conn reader;

	struct mailbox to_writer, to_reader, answered;
	sem_t writer_mail, reader_mail;
	pthread_t writer_thread, reader_thread;

	/* The owner's thread only. */
	struct list waiting;
	uint64_t waiting_bytes;

	/* After the first I/O error: why.  Written once, before is_dead. */
	atomic_bool is_dead;
	atomic_bool is_low; /* the ballast is gone */
	pthread_mutex_t cause_lock;
	struct error cause;

	atomic_uint_least64_t wal_bytes, commits, events, bytes, last_commit_us, size_bytes,
		sessions, packed, last_position;
	atomic_uint_fast64_t rewrites;    /* maintenance steps that were written */
	atomic_uint_fast64_t rowlog_rows; /* upper bound of the rows in row_log; 0: none */
	size_t rowlog_bytes;              /* of these; the writer's own */
};

/* ---- sqlite_state.c ---- */

/*
 * Decides what an error means for the store: lack of space and a lock of another
 * program are temporary, every other error ends the store.
 */
void sqlite_state_fail(struct sqlite_store *s, const struct error *e);

/* Whether the store has ended; then e has the reason. */
bool sqlite_state_is_dead(struct sqlite_store *s, struct error *e);

#endif

/*
 * The writer's work between commits: copies the WAL into the file, and returns
 * free pages to the file system.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/gen/limits.h"

/* WAL pages that are not yet in the file: the first limit counts when idle, the second under load. */
#define IDLE_PAGES (256u * 1024 / STORE_PAGE)
#define BUSY_PAGES (LIMIT_WAL_BYTES / STORE_PAGE)

/* How long a full disk waits for readers of the WAL. */
#define SHRINK_WAIT_MS 100

/* Free pages that are kept for the next writes; the others are returned in steps. */
#define FREE_PAGES 16
#define VACUUM_STEP "PRAGMA incremental_vacuum(256)"

/* Runs in a transaction that includes the mark, when one is due. */
static bool vacuum_step(struct sqlite_store *s)
{
	bool is_good = sqlite_conn_run(sqlite_writer_stmt(s, W_BEGIN)) && sqlite_identity_mark(s) &&
	               sqlite3_exec(s->writer.db, VACUUM_STEP, NULL, NULL, NULL) == SQLITE_OK &&
	               sqlite_conn_run(sqlite_writer_stmt(s, W_COMMIT));

	if (is_good)
		sqlite_identity_marked(s);
	return is_good;
}

/* Copies the WAL into the file as far as readers allow; never waits for them. */
static void checkpoint(struct sqlite_store *s)
{
	struct error e;
	int pages = 0, settled = 0;
	int rc = sqlite3_wal_checkpoint_v2(s->writer.db, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages,
	                                   &settled);

	if (rc == SQLITE_OK) {
		s->wal_pages = (uint64_t)pages;
		s->wal_settled = (uint64_t)settled;
		s->mark_is_due |= pages == settled; /* the next commit may restart the WAL */
		sqlite_space_forget(s);
		sqlite_writer_measure(s);
	} else if (!sqlite_writer_failed_to_read(s)) { /* an unreadable page stays in the WAL */
		sqlite_conn_error(&s->writer, "cannot checkpoint", &e);
		sqlite_state_fail(s, &e);
	}
}

/*
 * On a full disk the write-ahead log may hold most of what deletions freed: the file keeps its
 * size, and they wrote it.  It is emptied then, unless a reader uses it; the next step or probe
 * tries again.  A failure changes nothing: the pages stay where they are.
 */
bool sqlite_idle_shrink(struct sqlite_store *s)
{
	int rc;

	pthread_mutex_lock(&s->writer.lock);
	sqlite3_busy_timeout(s->writer.db, SHRINK_WAIT_MS);
	rc = atomic_load(&s->is_dead)
	             ? SQLITE_OK
	             : sqlite3_wal_checkpoint_v2(s->writer.db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
	                                         NULL, NULL);
	if (rc == SQLITE_OK && !atomic_load(&s->is_dead)) {
		s->wal_pages = s->wal_settled = 0;
		s->mark_is_due = true; /* the next commit begins a WAL */
		sqlite_space_forget(s);
		sqlite_writer_measure(s);
	}
	sqlite3_busy_timeout(s->writer.db, STORE_BUSY_MS);
	pthread_mutex_unlock(&s->writer.lock);
	return (rc & 0xff) != SQLITE_BUSY;
}

/* 24 bytes is the header of a frame in the WAL. */
int sqlite_idle_on_wal(void *arg, sqlite3 *db, const char *name, int pages)
{
	struct sqlite_store *s = arg;

	uint64_t now = (uint64_t)pages, before = s->wal_pages;

	(void)db;
	(void)name;
	if (s->wal_settled > now)
		s->wal_settled = 0; /* the WAL was restarted */
	/* After a restart of the WAL its pages count from its beginning. */
	atomic_fetch_add(&s->wal_bytes, (now > before ? now - before : now) * (STORE_PAGE + 24));
	s->wal_pages = now;
	return SQLITE_OK;
}

static void checkpoint_above(struct sqlite_store *s, uint64_t pages)
{
	pthread_mutex_lock(&s->writer.lock);
	if (s->wal_pages - s->wal_settled >= pages && !atomic_load(&s->is_dead))
		checkpoint(s);
	pthread_mutex_unlock(&s->writer.lock);
}

static int64_t free_pages(struct sqlite_store *s)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_FREE);
	int64_t pages = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_reset(st);
	return pages;
}

/*
 * After an erasure no free page stays: one that was released earlier, as of a replaced
 * snapshot, may hold the erased text.
 */
static bool has_too_many(struct sqlite_store *s)
{
	int64_t pages = free_pages(s);

	s->has_erased &= pages > 0;
	return pages > (s->has_erased ? 0 : FREE_PAGES);
}

/* Returns a bounded number of free pages to the file system. */
static bool give_back(struct sqlite_store *s)
{
	struct error e;
	bool more = false;

	pthread_mutex_lock(&s->writer.lock);
	if (!atomic_load(&s->is_dead) && has_too_many(s)) {
		if (vacuum_step(s)) {
			more = has_too_many(s);
		} else {
			sqlite_writer_error(s, &e);
			sqlite_state_fail(s, &e);
			if (!sqlite3_get_autocommit(s->writer.db))
				(void)!sqlite_conn_run(sqlite_writer_stmt(s, W_ROLLBACK));
		}
		sqlite_writer_measure(s);
	}
	pthread_mutex_unlock(&s->writer.lock);
	return more;
}

/*
 * Deferred rows come first: they fill pages that the checkpoint then copies once.
 * On a full disk the WAL is emptied before anything is added to it.  While free pages are being returned the larger limit holds, because more steps
 * follow at once.
 */
bool sqlite_idle_work(struct sqlite_store *s)
{
	struct error e;
	bool more;

	/* The next probe of a full disk comes here again. */
	if (atomic_load(&s->is_low) && !sqlite_idle_shrink(s))
		return false;
	(void)!sqlite_rowlog_catch_up(s, &e);
	more = give_back(s);

	/* A missing ballast is no error yet; the owner learns of it when it is needed. */
	if (!s->ballast_is_settled)
		(void)!sqlite_room_make_ballast(s, &e);

	checkpoint_above(s, more ? BUSY_PAGES : IDLE_PAGES);
	return more;
}

void sqlite_idle_checkpoint(struct sqlite_store *s)
{
	checkpoint_above(s, BUSY_PAGES);
}

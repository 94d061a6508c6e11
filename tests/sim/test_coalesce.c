/* The pages of a commit reach the disk together, before the commit is acknowledged. */
#include "disk.h"

#include "lib/t.h"
#include "store/sqlite/files/sqlite_coalesce.h"

#define VFS "test-gather"

struct fixture {
	struct disk *disk;
	struct coalesce *coalesce; /* NULL: the bare disk */
	sqlite3 *writer, *reader;
};

static int run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static sqlite3 *open_db(const char *vfs)
{
	sqlite3 *db;

	CHECK_INT(sqlite3_open_v2("d/x.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
	          SQLITE_OK);
	CHECK_INT(run(db, "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
	                  "PRAGMA wal_autocheckpoint=0;PRAGMA cache_size=-2000"),
	          SQLITE_OK);
	return db;
}

static void fixture_init(struct fixture *r, bool gathers)
{
	*r = (struct fixture){ .disk = disk_new(VFS, 1) };
	if (gathers)
		r->coalesce = sqlite_coalesce_new(sqlite3_vfs_find(VFS));
	r->writer = open_db(r->coalesce ? sqlite_coalesce_name(r->coalesce) : VFS);
	CHECK_INT(run(r->writer, "CREATE TABLE t(x)"), SQLITE_OK);
	r->reader = open_db(VFS);
}

static void fixture_done(struct fixture *r)
{
	sqlite3_close(r->reader);
	sqlite3_close(r->writer);
	sqlite_coalesce_free(r->coalesce);
	disk_free(r->disk);
}

static int rows(sqlite3 *db)
{
	sqlite3_stmt *st;
	int n;

	CHECK_INT(sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &st, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* Twenty rows, a page each, in one commit. */
static int commit_some(struct fixture *r)
{
	return run(r->writer,
	           "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
	           "INSERT INTO t SELECT randomblob(3000) FROM c");
}

static uint64_t writes_of_a_commit(bool gathers)
{
	struct fixture r;
	uint64_t before, took;

	fixture_init(&r, gathers);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	before = disk_count(r.disk, DISK_WRITE);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	took = disk_count(r.disk, DISK_WRITE) - before;
	CHECK_INT(rows(r.reader), 40);
	fixture_done(&r);
	return took;
}

TEST(a_commit_is_a_few_writes)
{
	CHECK(writes_of_a_commit(false) >= 40); /* each page and its head */
	CHECK(writes_of_a_commit(true) <= 3);
}

TEST(another_connection_sees_each_commit_at_once)
{
	struct fixture r;

	fixture_init(&r, true);
	for (int i = 1; i <= 10; i++) {
		CHECK_INT(commit_some(&r), SQLITE_OK);
		CHECK_INT(rows(r.reader), 20 * i);
	}
	CHECK_INT(run(r.writer, "PRAGMA wal_checkpoint(TRUNCATE)"), SQLITE_OK);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	CHECK_INT(rows(r.reader), 220);
	fixture_done(&r);
}

TEST(pages_that_are_written_early_are_found_again)
{
	struct fixture r;

	fixture_init(&r, true);
	CHECK_INT(run(r.writer, "PRAGMA cache_size=5;BEGIN"), SQLITE_OK);
	for (int i = 0; i < 5; i++)
		CHECK_INT(commit_some(&r), SQLITE_OK);
	CHECK_INT(rows(r.writer), 100); /* most of them went to the log for want of room */
	CHECK_INT(rows(r.reader), 0);
	CHECK_INT(run(r.writer, "COMMIT"), SQLITE_OK);
	CHECK_INT(rows(r.reader), 100);
	CHECK_INT(run(r.reader, "PRAGMA integrity_check"), SQLITE_OK);
	fixture_done(&r);
}

static void fails_once(enum disk_fault fault, enum disk_op on)
{
	struct fixture r;

	fixture_init(&r, true);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	disk_plan(r.disk, &(struct disk_plan){ .fault = fault, .on = on, .at = 1 });
	CHECK(commit_some(&r) != SQLITE_OK);
	CHECK(disk_has_struck(r.disk));
	CHECK_INT(rows(r.reader), 20);
	disk_make_room(r.disk);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	CHECK_INT(rows(r.reader), 40);
	fixture_done(&r);
}

TEST(a_commit_whose_write_fails_is_none_and_the_next_is_whole)
{
	fails_once(DISK_FULL, DISK_WRITE);
	fails_once(DISK_IOERR, DISK_WRITE);
	fails_once(DISK_IOERR, DISK_SYNC);
}

TEST(what_was_committed_is_there_after_a_power_cut)
{
	struct fixture r;
	sqlite3 *db;

	fixture_init(&r, true);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	CHECK_INT(run(r.writer, "BEGIN"), SQLITE_OK);
	CHECK_INT(commit_some(&r), SQLITE_OK);
	disk_cut(r.disk, DISK_KEEP_NONE);
	sqlite3_close(r.reader);
	sqlite3_close(r.writer);
	db = open_db(VFS);
	CHECK_INT(rows(db), 20);
	sqlite3_close(db);
	sqlite_coalesce_free(r.coalesce);
	disk_free(r.disk);
}

TEST_MAIN()

/* The simulated disk: what it loses, what it keeps, and that SQLite works on it. */
#include "disk.h"

#include "lib/t.h"

#include <sqlite3.h>

#define VFS "test-disk"

static sqlite3 *open_db(void)
{
	sqlite3 *db;

	CHECK_INT(sqlite3_open_v2("d/x.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, VFS),
	          SQLITE_OK);
	CHECK_INT(sqlite3_exec(db,
	                       "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
	                       "PRAGMA wal_autocheckpoint=0;"
	                       "CREATE TABLE IF NOT EXISTS t(x)",
	                       NULL, NULL, NULL),
	          SQLITE_OK);
	return db;
}

static int count_rows(sqlite3 *db)
{
	sqlite3_stmt *st;
	int n;

	CHECK_INT(sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &st, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return n;
}

static int insert(sqlite3 *db)
{
	return sqlite3_exec(db, "INSERT INTO t VALUES(randomblob(3000))", NULL, NULL, NULL);
}

/* Commits so many rows, cuts the power, and returns how many are left. */
static int rows_left(uint64_t seed, enum disk_keep keep, bool lies, const char *last)
{
	struct disk *d = disk_new(VFS, seed);
	sqlite3 *db = open_db();
	int left;

	disk_lie_about_sync(d, lies);
	for (int i = 0; i < 5; i++)
		CHECK_INT(insert(db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, last, NULL, NULL, NULL), SQLITE_OK);
	disk_cut(d, keep);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	CHECK(insert(db) != SQLITE_OK); /* the process is dead */
	sqlite3_close(db);
	disk_lie_about_sync(d, false);
	db = open_db();
	left = count_rows(db);
	sqlite3_close(db);
	disk_free(d);
	return left;
}

TEST(what_was_committed_survives_every_cut)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		CHECK_INT(rows_left(seed, DISK_KEEP_SEED, false, "BEGIN; INSERT INTO t VALUES(1)"),
		          5);
	CHECK_INT(rows_left(1, DISK_KEEP_NONE, false, "SELECT 1"), 5);
	CHECK_INT(rows_left(1, DISK_KEEP_ALL, false, "SELECT 1"), 5);
}

TEST(what_was_committed_survives_a_cut_while_it_is_checkpointed)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct disk *d = disk_new(VFS, seed);
		sqlite3 *db = open_db();

		for (int i = 0; i < 30; i++)
			CHECK_INT(insert(db), SQLITE_OK);
		disk_plan(d,
		          &(struct disk_plan){ .fault = DISK_CUT, .on = DISK_ANY_OP, .at = seed });
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
		disk_plan(d, &(struct disk_plan){ 0 });
		disk_cut(d, DISK_KEEP_SEED);
		sqlite3_close(db);
		db = open_db();
		CHECK_INT(count_rows(db), 30);
		sqlite3_close(db);
		disk_free(d);
	}
}

TEST(a_disk_that_lies_about_sync_loses_what_was_committed)
{
	int least = 5;

	for (uint64_t seed = 1; seed <= 10; seed++)
		least = MIN(least, rows_left(seed, DISK_KEEP_SEED, true, "SELECT 1"));
	CHECK(least < 5);
}

TEST(the_planned_operation_fails_once)
{
	struct disk *d = disk_new(VFS, 7);
	sqlite3 *db = open_db();

	disk_plan(d, &(struct disk_plan){ .fault = DISK_IOERR, .on = DISK_WRITE, .at = 2 });
	CHECK((insert(db) & 0xff) == SQLITE_IOERR);
	CHECK(disk_has_struck(d));
	CHECK_INT(insert(db), SQLITE_OK);
	CHECK_INT(count_rows(db), 1);
	sqlite3_close(db);
	disk_free(d);
}

TEST(a_full_disk_is_full_until_there_is_room)
{
	struct disk *d = disk_new(VFS, 7);
	sqlite3 *db = open_db();

	disk_plan(d, &(struct disk_plan){ .fault = DISK_FULL, .on = DISK_WRITE, .at = 1 });
	CHECK_INT(insert(db), SQLITE_FULL);
	CHECK_INT(insert(db), SQLITE_FULL);
	disk_make_room(d);
	CHECK_INT(insert(db), SQLITE_OK);
	CHECK_INT(count_rows(db), 1);
	sqlite3_close(db);
	disk_free(d);
}

TEST_MAIN()

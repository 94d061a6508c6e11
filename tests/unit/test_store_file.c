/* The directory of a store, its file, and the state after a crash. */
#include "test_store_fixture.h"
#include "base/memory.h"

/* ---- the directory and the file ---- */

TEST(a_second_opener_is_refused_and_told_who_holds_it)
{
	struct fixture g;
	struct store *second = NULL;
	struct error e;

	fixture_start(&g, false);

	struct store_sqlite_options o = options(&g);

	CHECK_INT(sqlite_open(&o, &second, &e), ERR_BUSY);
	CHECK(strstr(e.message, g.dir));
	CHECK(strstr(e.message, arena_printf(g.mem, "process %d", (int)getpid()).ptr));
	CHECK(!second);
	fixture_close(&g);
	fixture_open(&g); /* the lock went with its holder */
	fixture_done(&g);
}

static unsigned view_part_mode_of(struct str path)
{
	struct stat st;

	CHECK(stat(path.ptr, &st) == 0);
	return st.st_mode & 0777;
}

TEST(the_directory_is_made_for_its_owner_alone)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_init(&g, false);
	CHECK(rmdir(g.dir) == 0);
	fixture_open(&g);
	commit(&g, slice_of(&g, &w, 1, 10));
	CHECK_INT(view_part_mode_of(str_from(g.dir)), 0700);
	CHECK_INT(view_part_mode_of(path_in(&g, "log.db")), 0600);
	CHECK_INT(view_part_mode_of(path_in(&g, "log.db-wal")), 0600);
	CHECK_INT(view_part_mode_of(path_in(&g, "lock")), 0600);
	fixture_done(&g);
}

TEST(a_path_that_cannot_be_a_directory_is_an_error)
{
	struct fixture g;
	struct store *store = NULL;
	struct error e;
	struct store_sqlite_options o = { .dir = "/proc/no/such" };

	CHECK_INT(sqlite_open(&o, &store, &e), ERR_IO);
	CHECK(e.os_errno == ENOENT && !store);
	fixture_start(&g, false);
	o.dir = path_in(&g, "log.db").ptr;
	CHECK_INT(sqlite_open(&o, &store, &e), ERR_INVALID);
	fixture_done(&g);
}

TEST(a_newer_format_is_refused_with_both_versions)
{
	struct fixture g;
	struct store *store = NULL;
	struct error e;

	fixture_start(&g, false);
	fixture_close(&g);
	edit_file(&g, "PRAGMA user_version=7");

	struct store_sqlite_options o = options(&g);

	CHECK_INT(sqlite_open(&o, &store, &e), ERR_STORE);
	CHECK(strstr(e.message, "format 7") && strstr(e.message, "up to 5"));
	edit_file(&g, "PRAGMA user_version=5");
	fixture_open(&g);
	fixture_done(&g);
}

/* What a flipped bit in the text of the schema does. */
static void rename_column(struct fixture *g, const char *table)
{
	edit_file(g, arena_printf(g->mem,
	                          "PRAGMA writable_schema=ON;"
	                          "UPDATE sqlite_schema SET sql=replace(sql,'body ','bodx ') "
	                          "WHERE name='%s'",
	                          table)
	                     .ptr);
}

TEST(a_table_without_its_columns_is_noticed_at_the_start)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store *store = NULL;
	struct error e;

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 3, 10));
	fixture_close(&g);
	/* It can be made again. */
	rename_column(&g, "idx_session");
	fixture_open(&g);
	fixture_close(&g);
	/* Events cannot. */
	rename_column(&g, "event");

	struct store_sqlite_options o = options(&g);

	CHECK_INT(sqlite_open(&o, &store, &e), ERR_STORE);
	CHECK(strstr(e.message, "its table event") && strstr(e.message, "restore"));
	fixture_done(&g);
}

TEST(a_file_of_another_program_is_left_alone)
{
	struct fixture g;
	struct store *store = NULL;
	struct error e;

	fixture_init(&g, false);
	edit_file(&g, "CREATE TABLE t(x); PRAGMA user_version=1");

	struct store_sqlite_options o = options(&g);

	CHECK_INT(sqlite_open(&o, &store, &e), ERR_STORE);
	CHECK(strstr(e.message, "is not an event log"));

	/* Nor is something that is no database at all. */
	FILE *f = fopen(path_in(&g, "log.db").ptr, "w");

	for (int i = 0; i < 1000; i++)
		fputs("plain text\n", f);
	fclose(f);
	CHECK_INT(sqlite_open(&o, &store, &e), ERR_STORE);
	fixture_done(&g);
}

static int64_t pragma(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	int64_t value;

	CHECK(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK);
	CHECK(sqlite3_step(st) == SQLITE_ROW);
	value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return value;
}

/* The invariant that keeps the WAL-reset bug of older SQLite versions away. */
TEST(only_the_writers_connection_can_write_or_checkpoint)
{
	struct fixture g;

	fixture_start(&g, false);

	struct sqlite_store *s = OWNER_OF(g.store, struct sqlite_store, base);
	int keeps_wal = 0;

	CHECK_INT(pragma(s->writer.db, "PRAGMA wal_autocheckpoint"), 0);
	CHECK_INT(pragma(s->writer.db, "PRAGMA synchronous"), 2);
	CHECK_INT(pragma(s->writer.db, "PRAGMA auto_vacuum"), 2);
	CHECK_INT(pragma(s->writer.db, "PRAGMA page_size"), 4096);
	CHECK_INT(pragma(s->reader.db, "PRAGMA wal_autocheckpoint"), 0);
	CHECK_INT(pragma(s->reader.db, "PRAGMA query_only"), 1);
	sqlite3_db_config(s->reader.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &keeps_wal);
	CHECK_INT(keeps_wal, 1);
	CHECK(sqlite3_exec(s->reader.db, "DELETE FROM event", NULL, NULL, NULL) == SQLITE_READONLY);
	fixture_done(&g);
}

TEST(relaxed_durability_syncs_at_checkpoints_only)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct error e;

	fixture_init(&g, false);

	struct store_sqlite_options o = options(&g);

	o.durability = DURABILITY_RELAXED;
	CHECK_OK(sqlite_open(&o, &g.store, &e), &e);
	CHECK_INT(pragma(OWNER_OF(g.store, struct sqlite_store, base)->writer.db,
	                 "PRAGMA synchronous"),
	          1);
	CHECK_INT(commit(&g, slice_of(&g, &w, 1, 10)), SLICE_COMMITTED);
	fixture_done(&g);
}

static off_t size_of(struct str path)
{
	struct stat st;

	return stat(path.ptr, &st) == 0 ? st.st_size : -1;
}

TEST(the_wal_moves_into_the_file_when_idle_and_is_used_again)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);

	off_t empty = size_of(path_in(&g, "log.db"));

	commit(&g, slice_of(&g, &w, 300, 2000));

	off_t wal = size_of(path_in(&g, "log.db-wal"));

	CHECK_INT(size_of(path_in(&g, "log.db")), empty);
	g.store->ops->poll(g.store);
	CHECK(size_of(path_in(&g, "log.db")) > empty + 500000);
	commit(&g, slice_of(&g, &w, 3, 2000));
	CHECK_INT(size_of(path_in(&g, "log.db-wal")), wal);
	CHECK_INT(check_session(&g, w.id, 0), 303);
	fixture_done(&g);
}

/* A start that ended before the new log was in its place leaves an empty file and half a log beside it. */
TEST(what_a_broken_first_start_left_is_no_obstacle)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	FILE *half;

	fixture_init(&g, false);
	CHECK(mkdir(path_in(&g, "").ptr, 0700) == 0 || errno == EEXIST);
	half = fopen(path_in(&g, "log.db.new").ptr, "w");
	CHECK(half && fputs("SQLite format 3", half) >= 0 && fclose(half) == 0);
	half = fopen(path_in(&g, "log.db").ptr, "w");
	CHECK(half && fclose(half) == 0);
	fixture_open(&g);
	commit(&g, slice_of(&g, &w, 3, 100));
	CHECK_INT(check_session(&g, w.id, 0), 3);
	CHECK_INT(size_of(path_in(&g, "log.db.new")), -1);
	fixture_done(&g);
}

/* ---- crashes ---- */

static void copy_file(struct str from, struct str to, off_t len, off_t flip)
{
	FILE *in = fopen(from.ptr, "r"), *out = fopen(to.ptr, "w");
	char *data = memory_alloc((size_t)len + 1);

	CHECK(in && out);
	CHECK_INT(fread(data, 1, (size_t)len, in), len);
	if (flip >= 0)
		data[flip] ^= 1;
	CHECK_INT(fwrite(data, 1, (size_t)len, out), len);
	free(data);
	fclose(in);
	fclose(out);
}

/* A store as a crash left it: log.db, and its WAL cut at `cut` with the byte at `flip` wrong. */
static uint64_t survives(struct fixture *g, struct str session, off_t cut, off_t flip)
{
	struct fixture after;
	uint64_t last;

	fixture_init(&after, false);
	copy_file(path_in(g, "log.db"), path_in(&after, "log.db"), size_of(path_in(g, "log.db")),
	          -1);
	copy_file(path_in(g, "log.db-wal"), path_in(&after, "log.db-wal"), cut, flip);
	fixture_open(&after);
	last = check_session(&after, session, 0);
	fixture_done(&after);
	return last;
}

TEST(a_torn_wal_keeps_every_commit_before_the_tear_and_nothing_of_the_next)
{
	enum { COMMITS = 12 };
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	off_t wal[COMMITS + 1];

	fixture_start(&g, false);
	wal[0] = MAX(size_of(path_in(&g, "log.db-wal")), 0);
	for (int i = 1; i <= COMMITS; i++) {
		commit(&g, slice_of(&g, &w, 1, 900 * (size_t)i));
		wal[i] = size_of(path_in(&g, "log.db-wal"));
		CHECK(wal[i] > wal[i - 1]);
	}

	int whole = 0;

	for (off_t cut = wal[0]; cut <= wal[COMMITS]; cut += 4001) {
		while (whole < COMMITS && wal[whole + 1] <= cut)
			whole++;
		CHECK_INT(survives(&g, w.id, cut, -1), whole);
	}
	for (int i = 1; i <= COMMITS; i++) {
		CHECK_INT(survives(&g, w.id, wal[i], -1), i);
		CHECK_INT(survives(&g, w.id, wal[i] - 1, -1), i - 1);
		CHECK_INT(survives(&g, w.id, wal[COMMITS], wal[i] - 100), i - 1);
	}
	/* Torn inside the first commit, and nothing of it there at all. */
	CHECK_INT(survives(&g, w.id, 5000, -1), 0);
	CHECK_INT(survives(&g, w.id, 0, -1), 0);
	fixture_done(&g);
}

TEST_MAIN()

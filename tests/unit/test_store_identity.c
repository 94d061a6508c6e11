/* The identity of a log: a lost log.db, write-ahead logs and companion files of other logs. */
#include "test_store_fixture.h"

#include <sys/stat.h>
#include <sys/syscall.h>

static int synced_dirs;

/* Instead of that of libc. */
int fsync(int fd)
{
	struct stat st;

	synced_dirs += fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	return (int)syscall(SYS_fsync, fd);
}

static void copy(struct str from, struct str to)
{
	FILE *in = fopen(from.ptr, "r"), *out = fopen(to.ptr, "w");
	char part[65536];
	size_t len;

	CHECK(in && out);
	while ((len = fread(part, 1, sizeof part, in)) > 0)
		CHECK_INT(fwrite(part, 1, len, out), len);
	fclose(in);
	fclose(out);
}

static void make_empty(struct str path)
{
	FILE *f = fopen(path.ptr, "w");

	CHECK(f);
	fclose(f);
}

static void write_text(struct str path, const char *text)
{
	FILE *f = fopen(path.ptr, "w");

	CHECK(f && fputs(text, f) >= 0);
	fclose(f);
}

/* ERR_STORE, with a message that has this word in it, and nothing was changed. */
static void check_refused(struct fixture *g, const char *word)
{
	struct store_sqlite_options o = options(g);
	struct store *store = NULL;
	struct error e;

	CHECK_INT(sqlite_open(&o, &store, &e), ERR_STORE);
	if (!strstr(e.message, word))
		printf("%s\n", e.message);
	CHECK(strstr(e.message, word));
	CHECK(!store);
}

/* A store with some events, closed in order. */
static void fixture_with_log(struct fixture *g, struct writer *w, size_t events)
{
	fixture_start(g, false);
	CHECK_INT(commit(g, slice_of(g, w, events, 500)), SLICE_COMMITTED);
	fixture_close(g);
}

TEST(a_log_that_was_closed_in_order_stays_so_after_a_power_cut)
{
	struct fixture g;
	int before;

	fixture_start(&g, false);
	before = synced_dirs;
	fixture_close(&g);
	CHECK(synced_dirs > before);
	fixture_done(&g);
}

TEST(a_log_that_is_missing_or_empty_beside_its_companions_is_refused)
{
	static const char *const kept[] = { "log.id", "blobs", "token" };

	for (size_t i = 0; i < COUNT_OF(kept); i++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };

		fixture_with_log(&g, &w, 5);
		write_text(path_in(&g, "token"), "secret\n");
		for (size_t n = 0; n < COUNT_OF(kept); n++)
			if (n != i) {
				remove(path_in(&g, "blobs/log.id").ptr);
				remove(path_in(&g, kept[n]).ptr);
			}
		CHECK(unlink(path_in(&g, "log.db").ptr) == 0);
		check_refused(&g, "log.db is missing");
		check_refused(&g, kept[i]);
		make_empty(path_in(&g, "log.db"));
		check_refused(&g, "log.db is empty");
		fixture_done(&g);
	}
}

TEST(a_write_ahead_log_without_its_log_is_refused_and_kept)
{
	struct fixture g;
	struct fixture after;
	struct writer w = { .id = STR("sess_a") };
	struct stat st;

	fixture_start(&g, false);
	CHECK_INT(commit(&g, slice_of(&g, &w, 5, 500)), SLICE_COMMITTED);
	fixture_init(&after, false);
	copy(path_in(&g, "log.db-wal"), path_in(&after, "log.db-wal"));
	check_refused(&after, "log.db-wal");
	CHECK(stat(path_in(&after, "log.db-wal").ptr, &st) == 0 && st.st_size > 0);
	fixture_done(&after);
	fixture_done(&g);
}

TEST(the_write_ahead_log_of_another_log_is_refused_and_kept)
{
	struct fixture a, b;
	struct writer w = { .id = STR("sess_a") }, v = { .id = STR("sess_b") };
	struct stat st;

	fixture_with_log(&a, &w, 20);
	fixture_with_log(&b, &v, 20);
	fixture_open(&b);
	for (int i = 0; i < 10; i++)
		CHECK_INT(commit(&b, slice_of(&b, &v, 5, 900)), SLICE_COMMITTED);
	copy(path_in(&b, "log.db-wal"), path_in(&a, "log.db-wal"));
	check_refused(&a, "does not belong to");
	CHECK(stat(path_in(&a, "log.db-wal").ptr, &st) == 0 && st.st_size > 0);
	/* Without it the log is what it was. */
	CHECK(unlink(path_in(&a, "log.db-wal").ptr) == 0);
	fixture_open(&a);
	CHECK_INT(check_session(&a, w.id, 0), 20);
	fixture_done(&a);
	fixture_done(&b);
}

/* A backup of log.db that was put back beside the write-ahead log of later days. */
TEST(a_write_ahead_log_that_is_younger_than_its_log_is_refused)
{
	struct fixture g, old;
	struct writer w = { .id = STR("sess_a") };

	fixture_with_log(&g, &w, 20);
	fixture_init(&old, false);
	copy(path_in(&g, "log.db"), path_in(&old, "log.db"));
	for (int i = 0; i < 3; i++) {
		fixture_open(&g);
		CHECK_INT(commit(&g, slice_of(&g, &w, 40, 900)), SLICE_COMMITTED);
		if (i < 2)
			fixture_close(&g);
	}
	copy(path_in(&g, "log.db-wal"), path_in(&old, "log.db-wal"));
	check_refused(&old, "another age");
	fixture_done(&old);
	fixture_done(&g);
}

/* Whenever a crash comes, with checkpoints in between: what it leaves is taken. */
TEST(what_a_crash_leaves_is_never_taken_for_anothers)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	for (int i = 0; i < 60; i++) {
		struct fixture after;

		CHECK_INT(commit(&g, slice_of(&g, &w, 1 + (size_t)i % 7, 3000)), SLICE_COMMITTED);
		if (i % 5 == 4)
			for (int n = 0; n < 3; n++)
				g.store->ops->poll(g.store); /* idle: the WAL moves into the file */
		if (i % 20 == 19) {
			fixture_close(&g);
			fixture_open(&g);
		}
		fixture_init(&after, false);
		copy(path_in(&g, "log.db"), path_in(&after, "log.db"));
		copy(path_in(&g, "log.db-wal"), path_in(&after, "log.db-wal"));
		copy(path_in(&g, "log.id"), path_in(&after, "log.id"));
		fixture_open(&after);
		CHECK_INT(check_session(&after, w.id, 0), w.seq);
		fixture_done(&after);
	}
	fixture_done(&g);
}

TEST(companions_of_another_log_are_refused)
{
	static const char *const files[] = { "log.id", "blobs/log.id" };

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };

		fixture_with_log(&g, &w, 5);
		write_text(path_in(&g, files[i]), "0123456789abcdef0123456789abcdef\n");
		check_refused(&g, files[i]);
		CHECK(unlink(path_in(&g, files[i]).ptr) == 0); /* the remedy that it names */
		fixture_open(&g);
		CHECK_INT(check_session(&g, w.id, 0), 5);
		fixture_done(&g);
	}
}

TEST(deleted_rows_are_noticed_and_a_copy_is_not_mistaken_for_that)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct slice *sl;
	struct index_row rows[] = {
		{ .table = INDEX_SESSION, .key = STR("sess_a"), .at = 1, .body = STR("{}") },
		{ .table = INDEX_ID, .key = STR("sess_a"), .at = 1 },
		{ .table = INDEX_TASK, .key = STR("task_1"), .at = 1 },
		{ .table = INDEX_TASK, .key = STR("task_2"), .at = 2 },
	};

	fixture_start(&g, false);
	sl = slice_of(&g, &w, 3, 100);
	sl->rows = rows;
	sl->row_count = COUNT_OF(rows);
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
	fixture_close(&g);
	fixture_open(&g);
	CHECK(!stats_of(&g).needs_rebuild);
	fixture_close(&g);
	copy(path_in(&g, "log.db"), path_in(&g, "copy")); /* as a backup is put back */
	CHECK(rename(path_in(&g, "copy").ptr, path_in(&g, "log.db").ptr) == 0);
	fixture_open(&g);
	CHECK(!stats_of(&g).needs_rebuild);
	fixture_close(&g);
	edit_file(&g, "DELETE FROM idx_task WHERE key = 'task_2'");
	fixture_open(&g);
	CHECK(stats_of(&g).needs_rebuild);
	fixture_close(&g);
	fixture_open(&g); /* until they were made */
	CHECK(stats_of(&g).needs_rebuild);
	CHECK_OK(g.store->ops->set_meta(g.store, STR("rebuild"), STR("0"), NULL), NULL);
	CHECK(!stats_of(&g).needs_rebuild);
	fixture_close(&g);
	fixture_open(&g);
	CHECK(!stats_of(&g).needs_rebuild);
	fixture_done(&g);
}

TEST_MAIN()

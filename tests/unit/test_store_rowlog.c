/*
 * Deferred index rows: everything that a commit acknowledged is in the lists,
 * whenever they are read and whatever happened in between.
 */
#include "test_store_fixture.h"

#include <dirent.h>
#include <sched.h>

#define TASKS 700 /* more than are put off at most */

static struct index_row row_of(struct fixture *g, int n, const char *status)
{
	return (struct index_row){ .table = INDEX_TASK,
		                   .key = arena_printf(g->mem, "task_%d", n),
		                   .status = str_from(status),
		                   .parent = STR("thr_1"),
		                   .at = n,
		                   .open = true,
		                   .body = arena_printf(g->mem, "{\"n\":%d}", n) };
}

static void commit_row(struct fixture *g, struct writer *w, struct index_row row)
{
	struct slice *sl = slice_of(g, w, 1, 100);

	sl->rows = ARENA_NEW(g->mem, struct index_row);
	*sl->rows = row;
	sl->row_count = 1;
	commit(g, sl);
}

static size_t count_rows(struct fixture *g, struct store_read r)
{
	size_t count = 0;
	bool more = true;

	while (more) {
		ask(g, &r);
		CHECK_INT(r.result, OK);
		count += r.row_count;
		more = r.more;
		if (r.row_count) {
			r.from_at = r.rows[r.row_count - 1].at;
			r.from_key = arena_keep(g->mem, r.rows[r.row_count - 1].key);
		}
		port_store_read_done(&r);
	}
	return count;
}

static uint64_t rows_behind(struct fixture *g)
{
	return atomic_load(&OWNER_OF(g->store, struct sqlite_store, base)->rowlog_rows);
}

static void rows_are_there(bool threads)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, threads);
	for (int i = 0; i < TASKS; i++) {
		commit_row(&g, &w, row_of(&g, i, "running"));
		CHECK(rows_behind(&g) <
		      TASKS - 100); /* applied behind the answer, so a little more than 512 */
	}
	CHECK(rows_behind(&g) > 0);
	CHECK_INT(count_rows(&g, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }),
	          TASKS);
	CHECK_INT(rows_behind(&g), 0);
	/* The same key in several commits: the last one counts. */
	commit_row(&g, &w, row_of(&g, 3, "waiting"));
	commit_row(&g, &w, row_of(&g, 3, "completed"));
	CHECK_INT(count_rows(&g, (struct store_read){ .kind = READ_INDEX,
	                                              .table = INDEX_TASK,
	                                              .session = w.id,
	                                              .status = STR("completed") }),
	          1);
	fixture_done(&g);
}

TEST(a_list_shows_every_row_that_was_committed)
{
	rows_are_there(false);
}

TEST(and_so_with_threads)
{
	rows_are_there(true);
}

static void note_answer(struct store_read *r)
{
	*(bool *)r->owner = true;
}

static bool reader_runs(void)
{
	char name[32], path[300];
	bool is_found = false;
	struct dirent *task;
	DIR *tasks = opendir("/proc/self/task");

	while ((task = readdir(tasks)) && !is_found) {
		snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
		FILE *f = fopen(path, "r");

		is_found =
			f && fgets(name, sizeof name, f) && strcmp(name, "thole-store-rd\n") == 0;
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return is_found;
}

struct blocker {
	pthread_mutex_t *writer;
	pthread_barrier_t has_lock;
};

/* Holds the writer's lock, which the list waits for, until the reader thread has ended. */
static void *block_writer(void *owner)
{
	struct blocker *b = owner;

	pthread_mutex_lock(b->writer);
	pthread_barrier_wait(&b->has_lock);
	while (reader_runs())
		sched_yield();
	pthread_mutex_unlock(b->writer);
	return NULL;
}

TEST(a_list_that_waits_for_rows_is_answered_by_a_store_that_closes)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	bool is_answered = false;
	struct store_read r = {
		.kind = READ_INDEX, .table = INDEX_TASK, .done = note_answer, .owner = &is_answered
	};
	struct blocker b;
	pthread_t helper;

	fixture_start(&g, true);
	commit_row(&g, &w, row_of(&g, 1, "running"));
	b.writer = &OWNER_OF(g.store, struct sqlite_store, base)->writer.lock;
	pthread_barrier_init(&b.has_lock, NULL, 2);
	CHECK_INT(pthread_create(&helper, NULL, block_writer, &b), 0);
	pthread_barrier_wait(&b.has_lock);
	g.store->ops->read(g.store, &r);
	fixture_close(&g);
	pthread_join(helper, NULL);
	pthread_barrier_destroy(&b.has_lock);
	CHECK(is_answered);
	CHECK_INT(r.result, OK);
	CHECK_INT(r.row_count, 1);
	port_store_read_done(&r);
	fixture_done(&g);
}

/* The files as a crash leaves them: no close, no checkpoint. */
static void copy_files(struct fixture *from, struct fixture *to)
{
	static const char *const names[] = { "log.db", "log.db-wal" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char command[256];

		snprintf(command, sizeof command, "cp %s/%s %s/", from->dir, names[i], to->dir);
		CHECK_INT(system(command), 0);
	}
}

TEST(what_a_crash_leaves_behind_is_applied_at_the_next_start)
{
	struct fixture g, again;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	fixture_init(&again, false);
	for (int i = 0; i < 20; i++)
		commit_row(&g, &w, row_of(&g, i, "running"));
	commit_row(&g, &w,
	           (struct index_row){ .table = INDEX_TASK, .remove = true, .key = STR("task_7") });
	CHECK(rows_behind(&g) == 21);
	copy_files(&g, &again);
	fixture_open(&again);
	CHECK(rows_behind(&again) > 0);
	CHECK_INT(
		count_rows(&again, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }),
		19);
	fixture_done(&again);
	fixture_done(&g);
}

TEST(rebuilt_rows_replace_those_on_their_way)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	for (int i = 0; i < 20; i++)
		commit_row(&g, &w, row_of(&g, i, "running"));

	struct slice *sl = slice_of(&g, &w, 1, 100);
	struct index_row row = row_of(&g, 1, "completed");

	sl->clears_rows = true;
	sl->rows = &row;
	sl->row_count = 1;
	commit(&g, sl);
	CHECK_INT(count_rows(&g, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }),
	          1);
	fixture_done(&g);
}

TEST(a_damaged_record_costs_its_own_rows_and_nothing_else)
{
	struct fixture g, again;
	struct writer w = { .id = STR("sess_a") };
	sqlite3 *db;

	fixture_start(&g, false);
	fixture_init(&again, false);
	for (int i = 0; i < 20; i++)
		commit_row(&g, &w, row_of(&g, i, "running"));
	copy_files(&g, &again);
	CHECK_INT(sqlite3_open(path_in(&again, "log.db").ptr, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "UPDATE row_log SET rows = zeroblob(7) WHERE no = 5", 0, 0, 0),
	          SQLITE_OK);
	sqlite3_close(db);
	fixture_open(&again);
	CHECK_INT(
		count_rows(&again, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }),
		19);
	fixture_done(&again);
	fixture_done(&g);
}

TEST_MAIN()

/*
 * Opening the ends of a move.  A directory is opened as SQLite's store, whatever note lies in
 * it; an address as a node named "move", so that a second move finds it.
 */
#include "lib/move/move_end.h"

#include "base/os/clock.h"
#include "engine/nodes/node_rev.h"
#include "lib/files.h"
#include "store/blobs.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define NODE_NAME "move"
#define WAIT_MS 50

static void wake(void *arg)
{
	sem_post(arg);
}

void move_end_init(struct move_end *end, struct arena *mem, const char *name, const char *schema,
                   sem_t *woken)
{
	*end = (struct move_end){ .name = name, .schema = schema, .woken = woken };
	end->is_database = strstr(name, "://") != NULL;
	end->place = end->is_database ? arena_printf(mem, "%.*s (schema %s)",
	                                             STR_ARG(postgres_place(mem, name)), schema)
	                                        .ptr
	                              : name;
}

/* ---- opening ---- */

static enum err open_directory(struct move_end *end, struct error *e)
{
	struct store_sqlite_options o = {
		.dir = end->name, .threads = true, .wake = wake, .wake_arg = end->woken
	};
	enum err err = sqlite_open(&o, &end->store, e);
	struct error why = *e;

	if (err != ERR_BUSY)
		return err;
	return fail(e, err,
	            "move_in_use: %s. Stop what uses it; a daemon stops with: thole serve --stop "
	            "--data %s",
	            why.message, end->name);
}

static enum err open_database(struct move_end *end, bool is_source, struct error *e)
{
	struct store_postgres_options o = { .url = end->name,
		                            .schema = end->schema,
		                            .version = THOLE_VERSION,
		                            .rev = node_rev_of_program(),
		                            .name = NODE_NAME,
		                            .only_existing = is_source,
		                            .wake = wake,
		                            .wake_arg = end->woken };

	return postgres_open(&o, &end->store, e);
}

static bool has_file(const char *dir, const char *name)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

enum err move_end_open_source(struct move_end *end, struct error *e)
{
	if (end->is_database)
		return open_database(end, true, e);
	if (has_file(end->name, "log.db"))
		return open_directory(end, e);
	return fail(e, ERR_INVALID, "move_source_missing: there is no log in %s%s", end->name,
	            has_file(end->name, "log.db.moved")
	                    ? "; it was moved away, and log.db.moved is what is left"
	                    : "");
}

/* A lock is what a move leaves that was killed before it made the log. */
static bool is_empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	bool is_empty = true;

	while (dir && (d = readdir(dir)))
		is_empty &= strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		            strcmp(d->d_name, "lock") == 0;
	if (dir)
		closedir(dir);
	return is_empty;
}

enum err move_end_open_target(struct move_end *end, struct error *e)
{
	if (end->is_database)
		return open_database(end, false, e);
	if (!has_file(end->name, "log.db") && !is_empty_dir(end->name))
		return fail(e, ERR_INVALID,
		            "move_target_not_empty: %s has other files. Name a new directory",
		            end->name);
	if (files_dir_make(end->name, e) != OK)
		return e->code;
	return open_directory(end, e);
}

enum err move_end_open_files(struct move_end *end, const char *dir, struct error *e)
{
	struct blobs_options o = { .dir = dir, .wake = wake, .wake_arg = end->woken };

	return blobs_open(&o, &end->files, e);
}

void move_end_close(struct move_end *end)
{
	if (end->store)
		end->store->ops->close(end->store);
	if (end->files)
		end->files->ops->close(end->files);
	end->store = NULL;
	end->files = NULL;
}

/* ---- requests ---- */

/* What is there may be about the other end, so each wait is short. */
void move_end_poll(struct move_end *end)
{
	struct timespec until;

	if (end->store->ops->poll(end->store))
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	(void)!sem_clockwait(end->woken, CLOCK_MONOTONIC, &until);
	end->store->ops->poll(end->store);
}

static void read_done(struct store_read *r)
{
	*(bool *)r->owner = true;
}

enum err move_end_read(struct move_end *end, struct store_read *r, struct error *e)
{
	bool is_done = false;

	r->done = read_done;
	r->owner = &is_done;
	end->store->ops->read(end->store, r);
	while (!is_done)
		move_end_poll(end);
	if (r->result != OK)
		*e = r->error;
	return r->result;
}

enum err move_end_value(struct move_end *end, struct arena *mem, const char *key, struct str *ret,
                        struct error *e)
{
	enum err err;

	*ret = STR_NONE;
	err = end->store->ops->get_meta(end->store, mem, str_from(key), ret, e);
	return err == ERR_NOT_FOUND ? OK : err;
}

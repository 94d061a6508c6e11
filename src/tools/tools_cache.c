/*
 * Caches of package managers, one directory per workspace.
 *
 * They are beside the data directory, so that what one command downloaded is
 * there for the next.  Only commands of the agent in this workspace see them:
 * what they hold may have been written by any of those commands, so hooks, tool
 * servers and the user never read it.
 *
 * A thread removes those that were used longest ago while all together are too
 * large: at the start, and after commands.  It leaves what a command uses.
 */
#include "tools/tools_snapshot.h"

#include "base/hash/sha256.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/remove_tree.h"
#include "base/path/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_DIGITS 16
#define CACHES_MAX 1024
#define USED_MAX 256
#define LEFTOVER ".removed-" /* a cache that is being removed */
#define REST_SHARE 20        /* a round is followed by a rest of this many times its duration */
#define REST_MIN_MS 1000

/*
 * Shared by the loop and the thread of a round.  A cache that is handed out during a round is noted
 * before its command starts, under the same lock under which the thread takes a cache away.
 */
struct tools_cache_watch {
	pthread_mutex_t lock;
	unsigned refs;
	bool is_busy;    /* a round is under way */
	int64_t next_ms; /* the next one begins then at the earliest */
	size_t used_count;
	char used[USED_MAX][NAME_DIGITS + 1]; /* by running commands, and since the round began */
};

static void watch_unref(struct tools_cache_watch *w)
{
	bool is_last;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	is_last = --w->refs == 0;
	pthread_mutex_unlock(&w->lock);
	if (!is_last)
		return;
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void tools_cache_close(struct tools *t)
{
	watch_unref(t->caches);
	t->caches = NULL;
}

/* Under the lock.  A full table holds everything: nothing more is removed in this round. */
static void note_used(struct tools_cache_watch *w, struct str name)
{
	if (w->used_count < USED_MAX)
		snprintf(w->used[w->used_count++], sizeof w->used[0], "%.*s", STR_ARG(name));
}

static bool is_used(const struct tools_cache_watch *w, const char *name)
{
	if (w->used_count == USED_MAX)
		return true;
	for (size_t i = 0; i < w->used_count; i++)
		if (strcmp(w->used[i], name) == 0)
			return true;
	return false;
}

static struct str name_of(struct arena *mem, struct str cwd)
{
	struct sha256 hash = sha256_of(cwd);

	return str_head(sha256_hex(mem, &hash), NAME_DIGITS);
}

bool tools_cache_make(struct str dir)
{
	struct stat st;

	/* A directory of another user, or a link, is not used. */
	return (mkdir(dir.ptr, 0700) == 0 || errno == EEXIST) && lstat(dir.ptr, &st) == 0 &&
	       S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

bool tools_cache_is_apart(const struct tools *t, struct str cwd)
{
	return str_is(t->o.cache_dir) && !path_is_under(t->o.cache_dir, cwd);
}

void tools_cache_touch(struct str dir)
{
	utimensat(AT_FDCWD, dir.ptr, NULL, 0);
}

struct str tools_cache_of(struct tools *t, struct arena *mem, struct str cwd)
{
	struct str name = name_of(mem, cwd), all, one;
	bool is_made;

	if (!tools_cache_is_apart(t, cwd))
		return STR_NONE;
	all = arena_printf(mem, "%.*s/workspaces", STR_ARG(t->o.cache_dir));
	one = arena_printf(mem, "%.*s/%.*s", STR_ARG(all), STR_ARG(name));
	pthread_mutex_lock(&t->caches->lock);
	note_used(t->caches, name);
	is_made =
		tools_cache_make(t->o.cache_dir) && tools_cache_make(all) && tools_cache_make(one);
	pthread_mutex_unlock(&t->caches->lock);
	if (!is_made)
		return STR_NONE;
	tools_cache_touch(one);
	return one;
}

/* A manager creates its own directory. */
static const char *const variables[][2] = {
	{ "npm_config_cache", "npm" },   { "npm_config_store_dir", "pnpm" },
	{ "YARN_CACHE_FOLDER", "yarn" }, { "PIP_CACHE_DIR", "pip" },
	{ "UV_CACHE_DIR", "uv" },        { "CARGO_HOME", "cargo" },
	{ "GOMODCACHE", "go/mod" },      { "GOCACHE", "go/build" },
	{ "CCACHE_DIR", "ccache" },      { "GRADLE_USER_HOME", "gradle" },
};

size_t tools_cache_env_max(void)
{
	return COUNT_OF(variables) + 1;
}

void tools_cache_env(struct arena *mem, struct str dir, struct sandbox_paths *own)
{
	for (size_t i = 0; i < COUNT_OF(variables); i++)
		own->at[own->count++] = arena_printf(mem, "%s=%.*s/%s", variables[i][0],
		                                     STR_ARG(dir), variables[i][1]);
	/* Maven has no variable for it. */
	own->at[own->count++] =
		arena_printf(mem, "MAVEN_OPTS=-Dmaven.repo.local=%.*s/maven", STR_ARG(dir));
}

/* ---- size ---- */

struct cache {
	char *path;
	int64_t bytes;
	int64_t used_s;
};

struct trim {
	struct tools_cache_watch *watch; /* NULL: nothing of this directory is in use */
	char *dir;
	int64_t max;
	struct cache all[CACHES_MAX];
	size_t count;
};

static _Thread_local int64_t counted;

static int count_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)type, (void)ftw;
	counted += (int64_t)st->st_blocks * 512;
	return 0;
}

static int by_use(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return x->used_s < y->used_s ? -1 : x->used_s > y->used_s;
}

/*
 * The directory of all caches is ours; what is in one of them belongs to commands, which may still
 * change it.  What cannot be removed stays; the next start tries again.
 */
static void remove_cache(const struct trim *t, const char *path)
{
	int dir = open(t->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return;
	(void)!remove_tree_at(dir, strrchr(path, '/') + 1);
	close(dir);
}

static int64_t read_caches(struct trim *t)
{
	DIR *d = opendir(t->dir);
	int64_t sum = 0;
	struct dirent *e;

	while (d && t->count < CACHES_MAX && (e = readdir(d))) {
		char path[4096];
		struct stat st;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    snprintf(path, sizeof path, "%s/%s", t->dir, e->d_name) >= (int)sizeof path ||
		    lstat(path, &st) != 0)
			continue;
		if (str_starts(str_from(e->d_name), STR(LEFTOVER))) {
			remove_cache(t, path); /* an earlier round was interrupted */
			continue;
		}
		counted = 0;
		nftw(path, count_entry, 16, FTW_PHYS | FTW_MOUNT);
		sum += counted;
		t->all[t->count++] =
			(struct cache){ memory_strdup(path), counted, (int64_t)st.st_mtim.tv_sec };
	}
	if (d)
		closedir(d);
	return sum;
}

/*
 * Takes the cache away from its name at once, so that a command that starts now gets an empty one.
 * False: it is in use, and stays.
 */
static bool take_away(struct trim *t, const char *path, char *ret, size_t size)
{
	const char *name = strrchr(path, '/') + 1;
	bool is_taken;

	if (!t->watch) {
		snprintf(ret, size, "%s", path);
		return true;
	}
	snprintf(ret, size, "%s/" LEFTOVER "%s", t->dir, name);
	pthread_mutex_lock(&t->watch->lock);
	is_taken = !is_used(t->watch, name) && rename(path, ret) == 0;
	pthread_mutex_unlock(&t->watch->lock);
	return is_taken;
}

static void trim_free(struct trim *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->all[i].path);
	watch_unref(t->watch);
	free(t->dir);
	free(t);
}

static void round_ended(struct tools_cache_watch *w, int64_t began_ms)
{
	int64_t now = clock_mono_ms();

	pthread_mutex_lock(&w->lock);
	w->is_busy = false;
	w->next_ms = now + MAX((now - began_ms) * REST_SHARE, REST_MIN_MS);
	pthread_mutex_unlock(&w->lock);
}

static void *trim_main(void *arg)
{
	struct trim *t = arg;
	int64_t began = clock_mono_ms(), sum = read_caches(t);
	char path[4096];

	qsort(t->all, t->count, sizeof t->all[0], by_use);
	for (size_t i = 0; i < t->count && sum > t->max; i++) {
		if (!take_away(t, t->all[i].path, path, sizeof path))
			continue;
		log_line(LOG_INFO, "tools", "%s is removed: caches have %lld MiB", t->all[i].path,
		         (long long)sum >> 20);
		remove_cache(t, path);
		sum -= t->all[i].bytes;
	}
	if (t->watch)
		round_ended(t->watch, began);
	trim_free(t);
	return NULL;
}

static void trim_below(const struct tools *t, const char *name, struct tools_cache_watch *watch)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct trim *all = memory_zeroed(1, sizeof *all);
	pthread_attr_t how;
	pthread_t thread;

	all->dir = memory_strdup(arena_printf(mem, "%.*s/%s", STR_ARG(t->o.cache_dir), name).ptr);
	all->max = t->o.cache_bytes;
	all->watch = watch;
	pthread_attr_init(&how);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &how, trim_main, all) != 0) {
		if (watch)
			round_ended(watch, clock_mono_ms());
		trim_free(all);
	}
	pthread_attr_destroy(&how);
}

/* False: one is under way, or the last one was a moment ago. */
static bool begin_round(struct tools *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct tools_cache_watch *w = t->caches;
	bool may_begin;

	pthread_mutex_lock(&w->lock);
	may_begin = !w->is_busy && clock_mono_ms() >= w->next_ms;
	if (may_begin) {
		w->is_busy = true;
		w->refs++;
		w->used_count = 0;
		LIST_EACH (&t->calls, node)
			note_used(w, name_of(mem, LIST_ITEM(node, struct tool_handle, node)->cwd));
	}
	pthread_mutex_unlock(&w->lock);
	return may_begin;
}

/* Which cache a background process uses is not known after a restart, so all stay while one runs. */
void tools_cache_trim(struct tools *t)
{
	if (str_is(t->o.cache_dir) && list_is_empty(&t->background) && begin_round(t))
		trim_below(t, "workspaces", t->caches);
}

void tools_cache_open(struct tools *t)
{
	t->caches = memory_zeroed(1, sizeof *t->caches);
	pthread_mutex_init(&t->caches->lock, NULL);
	t->caches->refs = 1;
	/* Processes of an earlier runtime may use the caches; they are known when the first command ends. */
	if (!str_is(t->o.cache_dir))
		return;
	trim_below(t, TOOLS_SNAPSHOT_DIR, NULL);
}

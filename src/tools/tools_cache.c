/*
 * Caches of package managers, one directory per workspace.
 *
 * They are beside the data directory, so that what one command downloaded is
 * there for the next.  Only commands of the agent in this workspace see them:
 * what they hold may have been written by any of those commands, so hooks, tool
 * servers and the user never read it.
 */
#include "tools/tools_snapshot.h"

#include "base/hash/sha256.h"
#include "base/memory.h"
#include "base/os/log.h"
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
	struct sha256 hash = sha256_of(cwd);
	struct str all, one;

	if (!tools_cache_is_apart(t, cwd))
		return STR_NONE;
	all = arena_printf(mem, "%.*s/workspaces", STR_ARG(t->o.cache_dir));
	one = arena_printf(mem, "%.*s/%.*s", STR_ARG(all),
	                   STR_ARG(str_head(sha256_hex(mem, &hash), NAME_DIGITS)));
	if (!tools_cache_make(t->o.cache_dir) || !tools_cache_make(all) || !tools_cache_make(one))
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

/* What cannot be removed stays; the next start tries again. */
static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	(void)!remove(path);
	return 0;
}

/* Go makes the directories of its modules read-only. */
static int open_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type == FTW_D || type == FTW_DNR)
		(void)!chmod(path, 0700);
	return 0;
}

static int by_use(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return x->used_s < y->used_s ? -1 : x->used_s > y->used_s;
}

static int64_t read_caches(struct trim *t)
{
	DIR *d = opendir(t->dir);
	int64_t sum = 0;
	struct dirent *e;

	while (d && t->count < CACHES_MAX && (e = readdir(d))) {
		char path[4096];
		struct stat st;

		if (e->d_name[0] == '.' ||
		    snprintf(path, sizeof path, "%s/%s", t->dir, e->d_name) >= (int)sizeof path ||
		    lstat(path, &st) != 0)
			continue;
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

static void *trim_main(void *arg)
{
	struct trim *t = arg;
	int64_t sum = read_caches(t);

	qsort(t->all, t->count, sizeof t->all[0], by_use);
	for (size_t i = 0; i < t->count; i++) {
		if (sum > t->max) {
			log_line(LOG_INFO, "tools", "%s is removed: caches have %lld MiB",
			         t->all[i].path, (long long)sum >> 20);
			nftw(t->all[i].path, open_entry, 16, FTW_PHYS | FTW_MOUNT);
			nftw(t->all[i].path, remove_entry, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
			sum -= t->all[i].bytes;
		}
		free(t->all[i].path);
	}
	free(t->dir);
	free(t);
	return NULL;
}

static void trim_below(const struct tools *t, const char *name)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct trim *all = memory_zeroed(1, sizeof *all);
	pthread_attr_t how;
	pthread_t thread;

	all->dir = memory_strdup(arena_printf(mem, "%.*s/%s", STR_ARG(t->o.cache_dir), name).ptr);
	all->max = t->o.cache_bytes;
	pthread_attr_init(&how);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &how, trim_main, all) != 0) {
		free(all->dir);
		free(all);
	}
	pthread_attr_destroy(&how);
}

void tools_cache_trim(const struct tools *t)
{
	if (!str_is(t->o.cache_dir))
		return;
	trim_below(t, "workspaces");
	trim_below(t, TOOLS_SNAPSHOT_DIR);
}

/* Paths: the data directory, settings files, and a temporary data directory. */
#include "app/cli/print/out.h"

#include "base/os/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define REMOVE_TRIES 20

/*
 * Needs no file: the path may not exist yet.  The daemon has another working directory, so every
 * path that it gets goes through here.
 */
const char *paths_absolute(struct cli *c, const char *path)
{
	char *cwd;
	struct str whole;

	if (path[0] == '/')
		return path;
	while (strncmp(path, "./", 2) == 0)
		path += 2 + strspn(path + 2, "/");
	cwd = getcwd(NULL, 0);
	whole = arena_printf(c->mem, "%s/%s", cwd ? cwd : "", path);
	free(cwd);
	return whole.ptr;
}

int paths_work_dir(struct cli *c, const char **ret)
{
	struct stat st;
	char *path;

	if (c->is_remote) {
		*ret = c->opts.dir ? c->opts.dir : c->remote_dir;
		return (*ret)[0] == '/' ? CODE_DONE
		                        : opt_usage(c, "With --host, -C wants a whole path of "
		                                       "that machine.");
	}
	path = realpath(c->opts.dir ? c->opts.dir : ".", NULL);

	if (!path || stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
		out_error(c, "%s is no directory. Name the directory to work in: -C DIR.",
		          c->opts.dir ? c->opts.dir : "The current directory");
		free(path);
		return CODE_USAGE;
	}
	*ret = arena_keep(c->mem, str_from(path)).ptr;
	free(path);
	return CODE_DONE;
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The XDG variable's directory, or its default below the home directory; NULL without a home. */
static const char *xdg(struct cli *c, const char *name, const char *below_home)
{
	const char *dir = env(name), *home = env("HOME");

	if (dir && dir[0] == '/')
		return arena_printf(c->mem, "%s/thole", dir).ptr;
	return home ? arena_printf(c->mem, "%s/%s/thole", home, below_home).ptr : NULL;
}

const char *paths_in_data(struct cli *c, const char *name)
{
	return arena_printf(c->mem, "%s/%s", c->data, name).ptr;
}

const char *paths_user_config(struct cli *c)
{
	const char *dir = xdg(c, "XDG_CONFIG_HOME", ".config");

	return dir ? arena_printf(c->mem, "%s/config.json", dir).ptr : NULL;
}

/* Of a name that is there mkdir() may say that the file system is read-only, or full. */
static bool has_made(const char *path)
{
	int saved;
	bool is_there;

	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return true;
	saved = errno;
	is_there = access(path, F_OK) == 0;
	errno = saved;
	return is_there;
}

const char *paths_make_parents(struct cli *c, const char *path)
{
	char *copy = (char *)arena_keep(c->mem, str_from(path)).ptr;

	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		if (!has_made(copy))
			return copy;
		*p = '/';
	}
	return NULL;
}

const char *paths_make_dir(struct cli *c, const char *path)
{
	const char *missing = paths_make_parents(c, path);

	return missing ? missing : has_made(path) ? NULL : path;
}

int paths_find(struct cli *c)
{
	const char *dir = c->opts.data ? c->opts.data : env("THOLE_DATA");

	if (!dir)
		dir = xdg(c, "XDG_STATE_HOME", ".local/state");
	if (!dir) {
		out_error(c, "There is no HOME, so the data directory must be named: --data DIR.");
		return CODE_CONFIG;
	}
	c->data = paths_absolute(c, dir);
	c->socket = paths_in_data(c, "socket");
	return CODE_DONE;
}

int paths_make_temporary(struct cli *c)
{
	const char *base = env("TMPDIR");
	char *dir = (char *)arena_printf(c->mem, "%s/thole-XXXXXX", base ? base : "/tmp").ptr;

	if (!mkdtemp(dir)) {
		out_error(c, "No throw-away directory in %s: %s.", base ? base : "/tmp",
		          strerror(errno));
		return CODE_CONFIG;
	}
	/* SIGPIPE must not end the program before the directory is removed. */
	signal(SIGPIPE, SIG_IGN);
	c->data = dir;
	c->socket = paths_in_data(c, "socket");
	c->is_temporary = true;
	return CODE_DONE;
}

/* Another process may create and delete files inside meanwhile, as the housekeeping of git does. */
bool paths_remove_dir(const char *path)
{
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (remove_tree_at(AT_FDCWD, path))
			return true;
		if (errno != ENOENT && errno != ENOTEMPTY)
			return false;
	}
	return false;
}

void paths_done(struct cli *c)
{
	if (c->is_temporary) {
		paths_remove_dir(c->data);
		/* what commands cached beside it */
		paths_remove_dir(arena_printf(c->mem, "%s-cache", c->data).ptr);
	}
	c->is_temporary = false;
}

static struct str read_up_to(struct arena *mem, int fd, size_t max, bool to_the_end)
{
	struct buf all = { .max = max };
	struct str kept = STR_NONE;
	ssize_t got = 1;

	while (got > 0 && (to_the_end || !all.overflowed)) {
		char piece[16384];

		got = read(fd, piece, sizeof piece);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			buf_add(&all, piece, (size_t)got);
	}
	if (got == 0 && !all.overflowed)
		kept = arena_keep(mem, buf_str(&all));
	else if (got >= 0)
		errno = EFBIG;
	buf_done(&all);
	return kept;
}

struct str paths_read_fd(struct arena *mem, int fd, size_t max)
{
	return read_up_to(mem, fd, max, false);
}

struct str paths_drain_fd(struct arena *mem, int fd, size_t max)
{
	return read_up_to(mem, fd, max, true);
}

static struct str read_and_close(struct arena *mem, int fd, size_t max)
{
	struct str text = fd < 0 ? STR_NONE : paths_read_fd(mem, fd, max);
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return text;
}

/* A terminal would wait, and other devices have no end; /dev/null is an empty file. */
static bool has_an_end(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISDIR(st.st_mode) ||
	        (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)));
}

struct str paths_read_file(struct arena *mem, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && !has_an_end(fd)) {
		close(fd);
		errno = ENOTSUP;
		return STR_NONE;
	}
	return read_and_close(mem, fd, max);
}

struct str paths_read_regular(struct arena *mem, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (!has_an_end(fd) || fstat(fd, &st) != 0 || S_ISFIFO(st.st_mode))) {
		close(fd);
		errno = ENOTSUP;
		return STR_NONE;
	}
	return read_and_close(mem, fd, max);
}

const char *paths_reason(void)
{
	return errno == ENOTSUP ? "it is no ordinary file" : strerror(errno);
}

struct str paths_read_own(struct arena *mem, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return STR_NONE;
	}
	return read_and_close(mem, fd, max);
}

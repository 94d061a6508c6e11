/*
 * Removes directories by their descriptors.
 *
 * One descriptor is open for each level.  What lies deeper than that is moved up to the top and removed
 * from there, so any depth needs the same number of descriptors and no long paths.
 */
#include "base/os/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32
#define ROUNDS_MAX 100000 /* over the top: each moves at least one directory up */

struct removal {
	int top;
	dev_t device;
	unsigned long long moved;
	bool has_moved; /* in this round */
	int error;      /* the first; 0: none */
};

static void note_error(struct removal *r)
{
	if (!r->error && errno != ENOENT)
		r->error = errno;
}

/*
 * Opens a directory for reading, also one that its owner may not read: Go makes the directories of its
 * modules read-only.  -1: it is none, or one of another file system.
 */
static int open_dir(int parent, const char *name, const struct removal *r)
{
	int at = openat(parent, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct stat st;
	char link[64];

	if (at < 0)
		return -1;
	if (fstat(at, &st) == 0 && S_ISDIR(st.st_mode) && (!r || st.st_dev == r->device)) {
		/* The descriptor stays that of this directory, whatever its name is now. */
		snprintf(link, sizeof link, "/proc/self/fd/%d", at);
		if ((st.st_mode & 0700) != 0700)
			(void)!chmod(link, 0700);
		fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	close(at);
	return fd;
}

static void move_up(struct removal *r, int parent, const char *name)
{
	char to[64];

	snprintf(to, sizeof to, ".deep-%d-%llu", (int)getpid(), r->moved++);
	if (renameat(parent, name, r->top, to) == 0)
		r->has_moved = true;
	else
		note_error(r);
}

static void remove_below(struct removal *r, int fd, unsigned depth);

static void remove_entry(struct removal *r, int parent, const char *name, unsigned depth)
{
	int fd;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return;
	/* A directory is refused with EISDIR, or EPERM. */
	fd = open_dir(parent, name, r);
	if (fd < 0) {
		note_error(r);
		return;
	}
	if (depth == DEPTH_MAX) {
		close(fd);
		if (unlinkat(parent, name, AT_REMOVEDIR) != 0)
			move_up(r, parent, name);
		return;
	}
	remove_below(r, fd, depth + 1);
	if (unlinkat(parent, name, AT_REMOVEDIR) != 0)
		note_error(r);
}

/* Closes fd. */
static void remove_below(struct removal *r, int fd, unsigned depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	if (!d) {
		note_error(r);
		close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_entry(r, dirfd(d), e->d_name, depth);
	closedir(d);
}

/* Again while directories came up from below. */
static int empty_top(int top)
{
	struct removal r = { .top = top };
	struct stat st;

	if (fstat(top, &st) != 0)
		return errno;
	r.device = st.st_dev;
	for (int i = 0; i < ROUNDS_MAX; i++) {
		int fd = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return errno;
		r.error = 0;
		r.has_moved = false;
		remove_below(&r, fd, 1);
		if (!r.has_moved)
			break;
	}
	return r.error;
}

bool remove_tree_at(int dir, const char *name)
{
	int top, error;

	if (unlinkat(dir, name, 0) == 0)
		return true;
	if (errno == ENOENT)
		return true;
	top = open_dir(dir, name, NULL);
	if (top < 0)
		return false;
	error = empty_top(top);
	close(top);
	if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return true;
	if (error)
		errno = error;
	return false;
}

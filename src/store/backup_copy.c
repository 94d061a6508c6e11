/*
 * The files of a backup.  See backup_copy.h.
 *
 * A reflink or a copy in the kernel comes first, because outputs may be large.
 * One syncfs() by the caller replaces an fsync per file.
 */
#include "store/backup_copy.h"

#include "base/os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define LINK_HEAD "../../sha256/"
#define DEPTH_MAX 4 /* blobs/sha256/ab/cdef */

struct copying {
	struct backup_size *size;
	bool replaces; /* files that are there already may have grown */
	bool takes_links;
	struct error *e;
};

static enum err cannot(struct copying *c, const char *what, const char *name)
{
	return fail_errno(c->e, errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_IO,
	                  "cannot %s %s", what, name);
}

static bool copy_by_hand(int from, int to)
{
	char piece[65536];
	ssize_t got;

	if (lseek(from, 0, SEEK_SET) < 0 || ftruncate(to, 0) != 0 || lseek(to, 0, SEEK_SET) < 0)
		return false;
	while ((got = read(from, piece, sizeof piece)) > 0)
		if (!sys_write_all(to, piece, (size_t)got))
			return false;
	return got == 0;
}

static bool copy_bytes(int from, int to)
{
	ssize_t got;

	if (ioctl(to, FICLONE, from) == 0)
		return true;
	while ((got = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	return got == 0 || copy_by_hand(from, to);
}

static enum err copy_file(struct copying *c, int from_dir, int to_dir, const char *name)
{
	int more = c->replaces ? O_TRUNC : O_EXCL;
	FD_SCOPE from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FD_SCOPE to = -1;
	struct stat st;

	if (from < 0)
		return errno == ENOENT ? OK : cannot(c, "read", name);
	to = openat(to_dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | more, 0600);
	if (to < 0)
		return errno == EEXIST ? OK : cannot(c, "make", name);
	if (!copy_bytes(from, to) || fstat(to, &st) != 0)
		return cannot(c, "copy", name);
	c->size->files++;
	c->size->bytes += st.st_size;
	return OK;
}

/* Another link could lead a reader of the output anywhere. */
static enum err copy_link(struct copying *c, int from_dir, int to_dir, const char *name)
{
	char target[256];
	ssize_t len = readlinkat(from_dir, name, target, sizeof target - 1);

	if (len < 0)
		return errno == ENOENT ? OK : cannot(c, "read", name);
	target[len] = 0;
	if (!c->takes_links || strncmp(target, LINK_HEAD, sizeof LINK_HEAD - 1) != 0 ||
	    strstr(target + sizeof LINK_HEAD - 1, ".."))
		return fail(c->e, ERR_INVALID, "%s is a link to %s, which no backup has", name,
		            target);
	if (symlinkat(target, to_dir, name) != 0 && errno != EEXIST)
		return cannot(c, "make", name);
	return OK;
}

static enum err copy_dir(struct copying *c, int from_dir, int to_dir, const char *name, int depth);

static enum err copy_any(struct copying *c, int from_dir, int to_dir, const char *name, int depth)
{
	struct stat st;

	if (fstatat(from_dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? OK : cannot(c, "look at", name);
	if (S_ISDIR(st.st_mode))
		return copy_dir(c, from_dir, to_dir, name, depth + 1);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, from_dir, to_dir, name);
	if (S_ISREG(st.st_mode))
		return copy_file(c, from_dir, to_dir, name);
	return fail(c->e, ERR_INVALID, "%s is neither a file nor a directory", name);
}

static enum err copy_dir(struct copying *c, int from_dir, int to_dir, const char *name, int depth)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from = openat(from_dir, name, flags);
	FD_SCOPE to = -1;
	enum err err = OK;
	struct dirent *d;
	DIR *list;

	if (from < 0)
		return errno == ENOENT ? OK : cannot(c, "open", name);
	list = fdopendir(from);
	if (depth > DEPTH_MAX || !list || (mkdirat(to_dir, name, 0700) != 0 && errno != EEXIST)) {
		err = cannot(c, "copy", name);
		list ? closedir(list) : close(from);
		return err;
	}
	to = openat(to_dir, name, flags);
	if (to < 0)
		err = cannot(c, "open", name);
	while (err == OK && (d = readdir(list)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			err = copy_any(c, dirfd(list), to, d->d_name, depth);
	closedir(list);
	return err;
}

/* Growing outputs first: one that is sealed meanwhile is then found under its hash. */
enum err backup_copy_outputs(int from_dir, int to_dir, struct backup_size *size, struct error *e)
{
	static const struct {
		const char *name;
		bool grows, has_links;
	} parts[] = { { "open", true, false },
		      { "raw", true, false },
		      { "sha256", false, false },
		      { "ref", false, true } };
	FD_SCOPE from = openat(from_dir, "blobs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	FD_SCOPE to = -1;
	enum err err = OK;

	if (mkdirat(to_dir, "blobs", 0700) != 0 && errno != EEXIST)
		return fail_errno(e, ERR_IO, "cannot make blobs");
	to = openat(to_dir, "blobs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (size_t i = 0; from >= 0 && i < COUNT_OF(parts) && err == OK; i++) {
		struct copying c = { size, parts[i].grows, parts[i].has_links, e };

		err = copy_any(&c, from, to, parts[i].name, 0);
	}
	return err;
}

enum err backup_copy_entry(int from, int to, const char *name, struct backup_size *size,
                           struct error *e)
{
	struct copying c = { .size = size, .e = e };

	return copy_any(&c, from, to, name, 0);
}

enum err backup_copy_text(int dir, const char *name, struct str text, struct error *e)
{
	FD_SCOPE fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || !sys_write_all(fd, text.ptr, text.len) || fsync(fd) != 0)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot write %s", name);
	return OK;
}

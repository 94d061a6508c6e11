/*
 * Creates the temporary file of an approved change and moves it; see the header for why.
 *
 * A placeholder may serve as a stage.  Its mode forbids changes, so it is opened for the moment of
 * each change.  What a supervisor that dies leaves is noted (files/staged_note.h).
 */
#include "supervisor/files/staged_file.h"

#include "base/os/sys.h"
#include "sandbox/sandbox_plan.h"
#include "supervisor/files/protected_paths.h"
#include "supervisor/files/staged_note.h"
#include "supervisor/program.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define DEPTH_MAX 64
#define ACL_ACCESS "system.posix_acl_access"
#define ACL_DEFAULT "system.posix_acl_default"

/* ---- its place ---- */

/* True: the name is a directory that stays, and *dir is it. */
static bool enter(int *dir, const char *name)
{
	int next;

	if (protected_paths_is_placeholder(*dir, name)) {
		errno = ENOENT;
		return false;
	}
	next = openat(*dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return false;
	close(*dir);
	*dir = next;
	return true;
}

static bool choose_name(struct staged_file *f)
{
	uint64_t nonce = 0;

	if (getrandom(&nonce, sizeof nonce, 0) < 0)
		return false;
	snprintf(f->name, sizeof f->name, SANDBOX_PLAN_TEMP_BEGIN "%016llx" SANDBOX_PLAN_TEMP_END,
	         (unsigned long long)nonce);
	return true;
}

enum err staged_file_look(struct arena *mem, struct str root, struct str path, bool maps_owners,
                          struct staged_file *ret, struct error *e)
{
	struct staged_file f = { .parent_fd = -1, .at_fd = -1, .note_fd = -1, .lock_fd = -1 };
	struct str rest = str_skip(path, root.len + 1);
	FD_SCOPE dir = sys_open_place(AT_FDCWD, arena_keep(mem, root).ptr);
	struct stat st;
	size_t at = root.len;

	if (dir < 0 || fstat(dir, &st) < 0 || !choose_name(&f))
		return fail_errno(e, ERR_IO, "write root %s", root.ptr);
	f.uid = maps_owners ? st.st_uid : (uid_t)-1;
	f.gid = maps_owners ? st.st_gid : (gid_t)-1;
	for (;;) {
		struct str name = arena_keep(mem, str_cut(&rest, '/'));

		f.is_dir = rest.len > 0;
		f.parent = arena_keep(mem, str_head(path, at));
		f.entry = arena_keep(mem, str_head(path, at + 1 + name.len));
		if (!f.is_dir)
			break;
		if (!enter(&dir, name.ptr)) {
			if (errno != ENOENT)
				return fail_errno(e, ERR_IO, "%s", f.entry.ptr);
			break;
		}
		at += 1 + name.len;
	}
	/* New files and directories get the group of such a directory. */
	if (fstat(dir, &st) == 0 && st.st_mode & S_ISGID)
		f.gid = st.st_gid;
	f.parent_fd = dir;
	dir = -1;
	*ret = f;
	return OK;
}

/* ---- making and moving it ---- */

/* A directory, readable, so that its mode can be changed. */
static int open_dir(struct str path)
{
	FD_SCOPE place = sys_open_place(AT_FDCWD, path.ptr);

	return place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The mode of a directory that has to be opened for a change, or 0. */
static mode_t locked_mode(int dir)
{
	struct stat st;

	return fstat(dir, &st) < 0 || st.st_mode & S_IWUSR ? 0 : st.st_mode & 07777;
}

/* Returns the mode to set again, or 0. */
static mode_t unlock(int dir)
{
	mode_t mode = locked_mode(dir);

	return mode && fchmod(dir, mode | S_IWUSR) == 0 ? mode : 0;
}

static void lock(int dir, mode_t mode)
{
	int os_errno = errno;

	if (mode)
		(void)!fchmod(dir, mode);
	errno = os_errno;
}

static int create(const struct staged_file *f, int dir)
{
	if (!f->is_dir && !f->is_placeholder)
		return openat(dir, f->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		              0600);
	if (mkdirat(dir, f->name, 0700) < 0)
		return -1;
	return openat(dir, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * The group of a directory with the set-group-ID bit counts for what is made in it, also for a user
 * who is no member; such a user's file can only get it from the kernel, so it has to do without.
 */
static bool give_away(const struct staged_file *f, int fd)
{
	if (f->uid == (uid_t)-1 && f->gid == (gid_t)-1)
		return true;
	return fchown(fd, f->uid, f->gid) == 0 || f->uid == (uid_t)-1;
}

/* False: the parent has none, or it cannot be read. */
static bool copy_acl(const struct staged_file *f, int fd)
{
	char acl[4096];
	FD_SCOPE parent = openat(f->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t len = parent < 0 ? -1 : fgetxattr(parent, ACL_DEFAULT, acl, sizeof acl);

	if (len <= 0)
		return false;
	if (f->is_dir && fsetxattr(fd, ACL_DEFAULT, acl, (size_t)len, 0) < 0)
		return false;
	return fsetxattr(fd, ACL_ACCESS, acl, (size_t)len, 0) == 0;
}

/* Access control lists come from the directory in which a file is made; that may be a stage. */
static bool inherit_acl(const struct staged_file *f, int fd)
{
	if (copy_acl(f, fd))
		return true;
	/* of the stage; that there is none is the usual error */
	(void)!fremovexattr(fd, ACL_ACCESS);
	if (f->is_dir)
		(void)!fremovexattr(fd, ACL_DEFAULT);
	return false;
}

/* As the tool itself would have made it.  The tool gives a file its final mode. */
static bool adjust(struct staged_file *f, int fd)
{
	struct stat st, parent;
	mode_t mode = f->is_placeholder ? 0700 : 0600;
	bool has_acl;

	if (fstat(f->parent_fd, &parent) < 0 || !give_away(f, fd))
		return false;
	has_acl = !f->is_placeholder && inherit_acl(f, fd);
	if (fstat(fd, &st) < 0)
		return false;
	/* the list says it, and the umask does not count */
	if (f->is_dir)
		mode = (has_acl ? st.st_mode & 0777 : 0777 & ~program_umask) |
		       (parent.st_mode & S_ISGID);
	if (fchmod(fd, mode) < 0 || fstat(fd, &st) < 0)
		return false;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return true;
}

enum err staged_file_make(struct staged_file *f, struct str dir, struct error *e)
{
	int at = open_dir(dir), os_errno;
	FD_SCOPE fd = -1;
	mode_t mode;

	if (at < 0)
		return fail_errno(e, ERR_IO, "a temporary file in %s", dir.ptr);
	staged_note_add(&f->note_fd, f->name, dir, locked_mode(at));
	mode = unlock(at);
	fd = create(f, at);
	lock(at, mode);
	if (fd < 0) {
		os_errno = errno;
		staged_note_done(&f->note_fd, f->name);
		sys_close(&at);
		errno = os_errno;
		return fail_errno(e, ERR_IO, "a temporary file in %s", dir.ptr);
	}
	f->at_fd = at;
	if (!adjust(f, fd) || (f->is_placeholder && flock(fd, LOCK_SH | LOCK_NB) < 0))
		return fail_errno(e, ERR_IO, "a temporary file in %s", dir.ptr);
	if (f->is_placeholder) {
		f->lock_fd = fd;
		fd = -1;
	}
	return OK;
}

enum err staged_file_move(struct staged_file *f, struct str dir, struct error *e)
{
	bool is_home = str_eq(dir, f->parent);
	int to = is_home ? fcntl(f->parent_fd, F_DUPFD_CLOEXEC, 3) : open_dir(dir);
	mode_t from_mode, to_mode;
	bool is_moved;

	staged_note_add(&f->note_fd, f->name, dir, is_home || to < 0 ? 0 : locked_mode(to));
	from_mode = unlock(f->at_fd);
	to_mode = is_home || to < 0 ? 0 : unlock(to);
	is_moved = to >= 0 && renameat(f->at_fd, f->name, to, f->name) == 0;
	lock(f->at_fd, from_mode);
	lock(to, to_mode);
	if (!is_moved) {
		int os_errno = errno;

		sys_close(&to);
		errno = os_errno;
		return fail_errno(e, ERR_IO, "move a temporary file to %s", dir.ptr);
	}
	close(f->at_fd);
	f->at_fd = to;
	return OK;
}

/* Not before: a directory that changes its parent is written. */
enum err staged_file_finish(struct staged_file *f, struct error *e)
{
	if (!f->is_placeholder || fchmod(f->lock_fd, PROTECTED_PATHS_PLACEHOLDER_MODE) == 0)
		return OK;
	return fail_errno(e, ERR_IO, "a placeholder for %s", f->entry.ptr);
}

bool staged_file_is_placed(const struct staged_file *f)
{
	struct str name = str_skip(f->entry, f->parent.len + 1);
	struct stat st;

	return fstatat(f->parent_fd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == f->dev && st.st_ino == f->ino;
}

/* ---- removing it ---- */

/* Files of a tool that died before it was done; only the tool could put them there. */
static void remove_tree(int dir, const char *name, int depth)
{
	FD_SCOPE fd = -1;
	struct dirent *d;
	DIR *list;

	if (unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0 ||
	    errno != ENOTEMPTY || depth == DEPTH_MAX)
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	list = fd < 0 ? NULL : fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3));
	while (list && (d = readdir(list)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			remove_tree(fd, d->d_name, depth + 1);
	if (list)
		closedir(list);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static void remove_it(struct staged_file *f)
{
	if (f->at_fd >= 0) {
		mode_t mode = unlock(f->at_fd);

		remove_tree(f->at_fd, f->name, 0);
		lock(f->at_fd, mode);
		staged_note_done(&f->note_fd, f->name);
	}
	sys_close(&f->at_fd);
	sys_close(&f->lock_fd);
}

void staged_file_drop(struct staged_file *f)
{
	remove_it(f);
	/* Cannot fail: it did not fail when the first name was made. */
	(void)!choose_name(f);
}

void staged_file_done(struct staged_file *f)
{
	remove_it(f);
	sys_close(&f->parent_fd);
}

/* ---- what another one has left ---- */

static void remove_left(struct str dir, const char *name, mode_t mode)
{
	FD_SCOPE at = open_dir(dir);
	struct stat st;
	mode_t again;

	if (at < 0)
		return;
	again = unlock(at);
	remove_tree(at, name, 0);
	if (mode && fstat(at, &st) == 0 && (st.st_mode & 07777) == (mode | S_IWUSR))
		again = mode;
	lock(at, again);
}

void staged_file_begin(const char *notes)
{
	staged_note_open(notes, remove_left);
}

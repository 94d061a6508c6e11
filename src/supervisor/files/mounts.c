/*
 * The mount calls that work on descriptors, and mount targets inside the root
 * file system that is being built.
 */
#include "supervisor/files/mounts.h"

#include "base/os/sys.h"

#include <errno.h>
#include <sys/mount.h>

/* MS_PRIVATE, so that mounts of the host never propagate into the sandbox. */
int mounts_flags(int fd, uint64_t set, int idmap_fd)
{
	struct mount_attr attr = { .attr_set = set, .propagation = MS_PRIVATE };

	if (idmap_fd >= 0) {
		attr.attr_set |= MOUNT_ATTR_IDMAP;
		attr.userns_fd = (uint64_t)idmap_fd;
	}
	return mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr);
}

/* A detached copy of what is mounted at the descriptor's place. */
int mounts_copy(int place)
{
	return open_tree(place, "",
	                 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
}

int mounts_attach(int mount_fd, int place)
{
	return move_mount(mount_fd, "", place, "",
	                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* A new file system, mounted nowhere yet; options are name, value pairs. */
int mounts_new(const char *type, const char *const *options, uint64_t attrs)
{
	FD_SCOPE fs = fsopen(type, FSOPEN_CLOEXEC);

	if (fs < 0)
		return -1;
	for (; options && *options; options += 2)
		if (fsconfig(fs, FSCONFIG_SET_STRING, options[0], options[1], 0) < 0)
			return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attrs);
}

/* Only on the sandbox's tmpfs: a mount target is never created in a root of the host. */
static bool may_make(struct places *at, int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return false;
	if (st.st_dev == at->dev)
		return true;
	errno = ENOENT;
	return false;
}

/* Component by component with O_NOFOLLOW: a link inside a root must not redirect a mount. */
static int open_dir(struct places *at, struct str path)
{
	int dir = fcntl(at->root, F_DUPFD_CLOEXEC, 0);
	struct str rest = str_skip(path, 1);

	while (dir >= 0 && rest.len) {
		struct str name = arena_keep(at->mem, str_cut(&rest, '/'));
		int next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (next < 0 && errno == ENOENT && may_make(at, dir) &&
		    mkdirat(dir, name.ptr, 0755) == 0)
			next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
	}
	return dir;
}

/*
 * The directory above path, created where it is missing; the descriptor stays in `at`.  *ret_name
 * is the last component.  Many mounts have the same parent (the system's roots in /), so the last
 * one is kept open.
 */
int mounts_target_parent(struct places *at, struct str path, const char **ret_name)
{
	size_t len = path.len;

	while (path.ptr[len - 1] != '/')
		len--;
	*ret_name = path.ptr + len;
	if (len == 1)
		return at->root;
	if (at->near_fd >= 0 && str_eq(at->near_path, str_head(path, len - 1)))
		return at->near_fd;
	sys_close(&at->near_fd);
	at->near_path = str_head(path, len - 1);
	at->near_fd = open_dir(at, at->near_path);
	return at->near_fd;
}

/* A new mount may cover the directory that the kept descriptor refers to. */
void mounts_target_forget(struct places *at)
{
	sys_close(&at->near_fd);
}

/*
 * An existing place, reached without a link.  path + 1, because RESOLVE_BENEATH refuses absolute
 * paths.
 */
int mounts_target_find(struct places *at, struct str path)
{
	return sys_openat2(at->root, path.ptr + 1, O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* A place to mount on: a directory or an empty file, made where it is missing. */
int mounts_target_open(struct places *at, struct str path, bool is_dir)
{
	int fd = mounts_target_find(at, path), dir;
	const char *name;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	dir = mounts_target_parent(at, path, &name);
	if (dir < 0 || !may_make(at, dir))
		return -1;
	if ((is_dir ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0644, 0)) < 0)
		return -1;
	return openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* The same for a finished mount: only on the tmpfs, where no other process creates anything. */
int mounts_target_attach(struct places *at, int mount_fd, struct str path, bool is_dir)
{
	const char *name;
	int dir = mounts_target_parent(at, path, &name);

	if (dir < 0)
		return -1;
	if ((is_dir ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0644, 0)) < 0 &&
	    errno != EEXIST)
		return -1;
	return move_mount(mount_fd, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH);
}

enum err mounts_target_link(struct places *at, struct str path, const char *target, struct error *e)
{
	const char *name;
	int dir = mounts_target_parent(at, path, &name);

	if (dir < 0 || (symlinkat(target, dir, name) < 0 && errno != EEXIST))
		return fail_errno(e, ERR_IO, "link %s", path.ptr);
	return OK;
}

enum err mounts_target_file(struct places *at, struct str path, const char *text, struct error *e)
{
	const char *name;
	int dir = mounts_target_parent(at, path, &name);
	FD_SCOPE fd = dir < 0 ? -1
	                      : openat(dir, name,
	                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	ssize_t len = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)len) != len)
		return fail_errno(e, ERR_IO, "file %s", path.ptr);
	return OK;
}

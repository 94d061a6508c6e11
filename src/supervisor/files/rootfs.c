/*
 * Builds the root file system of a sandbox and enters it.
 *
 * The order matters: a directory is mounted before what lies inside it, and at
 * one place the stricter mount comes last.  The tree is finished and read-only
 * before pivot_root makes it the root.
 */
#include "supervisor/files/rootfs.h"

#include "base/memory.h"
#include "base/os/sys.h"
#include "supervisor/files/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define PRIVATE_BYTES_DEFAULT (2LL << 30)
/* Empty files cost memory without bytes, so their number is limited too. */
#define PRIVATE_INODES "262144"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* Ordered by strictness: at one path the later kind is mounted over the earlier ones. */
enum op_kind { OP_READ, OP_WRITE, OP_PRIVATE, OP_PIN, OP_CLOSE, OP_DENY };

struct op {
	struct str path;
	enum op_kind kind;
	int fd;           /* the mount, or -1 */
	bool is_finished; /* opened outside by rootfs_open_root(), with its flags */
	/* a read root directly on the tmpfs; see is_plain() */
	bool is_plain;
};

struct build {
	const struct rootfs *t;
	struct arena *mem;
	struct error *e;
	struct places at;
	struct op *ops;
	size_t count, masks;
};

/* ---- roots ---- */

/*
 * A detached copy of the mount; -1 for a read root that is a symbolic link, which stays a link
 * inside.
 */
static enum err open_root(const char *path, bool is_writable, int *ret, struct error *e)
{
	FD_SCOPE place = sys_open_place(AT_FDCWD, path);
	struct stat st;

	if (place < 0 || fstat(place, &st) < 0)
		return fail_errno(e, ERR_IO, "root %s", path);
	if (S_ISLNK(st.st_mode)) {
		if (is_writable)
			return fail(e, ERR_INVALID, "write root %s is a symbolic link", path);
		*ret = -1;
		return OK;
	}
	*ret = mounts_copy(place);
	if (*ret < 0)
		return fail_errno(e, ERR_IO, "copy the mount of %s", path);
	return OK;
}

/* The flags are set while the mount is detached: at no moment is a root visible without them. */
enum err rootfs_open_root(const char *path, bool is_writable, int idmap_fd, int *ret,
                          struct error *e)
{
	int fd;
	enum err err = open_root(path, is_writable, &fd, e);

	if (!err && fd >= 0 &&
	    mounts_flags(fd, is_writable ? SAFE : SAFE | MOUNT_ATTR_RDONLY, idmap_fd) < 0) {
		err = fail_errno(e, ERR_UNSUPPORTED, "%s %s", path,
		                 idmap_fd < 0 ? "cannot be made safe"
		                              : "takes no mapping of owners");
		close(fd);
	}
	if (!err)
		*ret = fd;
	return err;
}

/* ---- the plan's mounts ---- */

static void add_op(struct build *b, struct str path, enum op_kind kind, int fd)
{
	b->ops = arena_grow(b->mem, b->ops, b->count * sizeof *b->ops,
	                    (b->count + 1) * sizeof *b->ops);
	b->ops[b->count++] =
		(struct op){ .path = path, .kind = kind, .fd = fd, .is_finished = fd >= 0 };
}

/* /proc and /dev of the host must not be roots: they would show its processes and devices. */
static bool is_ours(struct str path)
{
	return path_is_under(path, STR("/proc")) || path_is_under(path, STR("/dev"));
}

static bool is_listed(struct str path, const struct sandbox_paths *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(path, l->at[i]))
			return true;
	return false;
}

/* The read root /: each directory of the host, without those that the sandbox replaces. */
static enum err add_everything(struct build *b)
{
	static const char *const own[] = { ".", "..", "proc", "dev", "sys", "tmp", "run" };
	DIR *dir = opendir("/");
	struct dirent *d;

	if (!dir)
		return fail_errno(b->e, ERR_IO, "list /");
	while ((d = readdir(dir))) {
		bool skip = false;

		for (size_t i = 0; i < COUNT_OF(own); i++)
			skip |= !strcmp(d->d_name, own[i]);
		if (!skip)
			add_op(b, arena_printf(b->mem, "/%s", d->d_name), OP_READ, -1);
	}
	closedir(dir);
	return OK;
}

/* The plan as a list of mounts, in no order yet. */
static enum err collect_ops(struct build *b)
{
	const struct rootfs *t = b->t;
	const struct sandbox_plan *p = t->plan;

	for (size_t i = 0; i < p->read_roots.count; i++) {
		struct str root = p->read_roots.at[i];

		if (is_ours(root))
			return fail(b->e, ERR_UNSUPPORTED, "root %s: the sandbox has its own",
			            root.ptr);
		if (root.len == 1) {
			enum err err = add_everything(b);

			if (err)
				return err;
			continue;
		}
		/* one mount per place: the workspace is listed under both */
		if (!is_listed(root, &p->write_roots))
			add_op(b, root, OP_READ, t->read_fds ? t->read_fds[i] : -1);
	}
	for (size_t i = 0; i < p->write_roots.count; i++) {
		if (is_ours(p->write_roots.at[i]))
			return fail(b->e, ERR_UNSUPPORTED, "root %s: the sandbox has its own",
			            p->write_roots.at[i].ptr);
		add_op(b, p->write_roots.at[i], OP_WRITE, t->write_fds ? t->write_fds[i] : -1);
	}
	for (size_t i = 0; i < p->private_dirs.count; i++)
		add_op(b, p->private_dirs.at[i], OP_PRIVATE, -1);
	for (size_t i = 0; i < t->protected->shield_count; i++)
		add_op(b, t->protected->shields[i].path,
		       t->protected->shields[i].kind == SHIELD_PIN     ? OP_PIN
		       : t->protected->shields[i].kind == SHIELD_CLOSE ? OP_CLOSE
		                                                       : OP_DENY,
		       -1);
	for (size_t i = 0; i < p->denied_paths.count; i++)
		add_op(b, p->denied_paths.at[i], OP_DENY, -1);
	return OK;
}

/*
 * The system's own roots come first, sorted by path: they lie directly on the tmpfs and get their
 * flags in one call for all.  Then the rest, a directory before what lies inside it; at one path
 * the stricter mount comes last.
 */
static bool is_plain(const struct build *b, const struct op *op)
{
	const struct sandbox_plan *p = b->t->plan;

	if (op->kind != OP_READ || op->is_finished)
		return false;
	for (size_t i = 0; i < p->read_roots.count; i++)
		if (!str_eq(p->read_roots.at[i], op->path) &&
		    path_is_under(op->path, p->read_roots.at[i]) && p->read_roots.at[i].len > 1)
			return false;
	return !PATH_UNDER_ANY(op->path, &p->write_roots) &&
	       !PATH_UNDER_ANY(op->path, &p->private_dirs);
}

/* A path is longer than every path that contains it, so the length is enough as depth. */
static int by_depth(const void *a, const void *b)
{
	const struct op *x = a, *y = b;

	if (x->is_plain != y->is_plain)
		return x->is_plain ? -1 : 1;
	if (!x->is_plain && x->path.len != y->path.len)
		return x->path.len < y->path.len ? -1 : 1;
	int r = str_cmp(x->path, y->path);

	return r ? r : (int)x->kind - (int)y->kind;
}

/* Roots are opened while the host's tree is still in place. */
static enum err open_roots(struct build *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct op *op = &b->ops[i];
		enum err err;

		if (op->is_finished || op->kind > OP_WRITE)
			continue;
		err = op->is_plain ? open_root(op->path.ptr, false, &op->fd, b->e)
		                   : rootfs_open_root(op->path.ptr, op->kind == OP_WRITE, -1,
		                                      &op->fd, b->e);
		if (err)
			return err;
	}
	return OK;
}

/*
 * The target of a link is read from the host now; inside, it resolves only to what the sandbox
 * shows.
 */
static enum err do_root(struct build *b, const struct op *op)
{
	struct stat st;

	if (op->fd < 0) {
		char target[PATH_MAX];
		ssize_t len = readlink(op->path.ptr, target, sizeof target - 1);

		if (len < 0)
			return fail_errno(b->e, ERR_IO, "link %s", op->path.ptr);
		target[len] = '\0';
		return mounts_target_link(&b->at, op->path, target, b->e);
	}
	if (fstat(op->fd, &st) < 0)
		return fail_errno(b->e, ERR_IO, "root %s", op->path.ptr);
	if (op->is_plain) {
		if (mounts_target_attach(&b->at, op->fd, op->path, S_ISDIR(st.st_mode)) < 0)
			return fail_errno(b->e, ERR_IO, "mount root %s", op->path.ptr);
		return OK;
	}

	FD_SCOPE place = mounts_target_open(&b->at, op->path, S_ISDIR(st.st_mode));

	if (place < 0 || mounts_attach(op->fd, place) < 0)
		return fail_errno(b->e, ERR_IO, "mount root %s", op->path.ptr);
	return OK;
}

/*
 * One recursive call makes all plain roots read-only; then only the tmpfs, which is still being
 * built, becomes writable again.
 */
static enum err close_plain(struct build *b)
{
	struct mount_attr reopen = { .attr_clr = MOUNT_ATTR_RDONLY };

	mounts_target_forget(&b->at);
	if (mounts_flags(b->at.root, SAFE | MOUNT_ATTR_RDONLY, -1) < 0 ||
	    mount_setattr(b->at.root, "", AT_EMPTY_PATH, &reopen, sizeof reopen) < 0)
		return fail_errno(b->e, ERR_IO, "make the roots read-only");
	return OK;
}

/*
 * Mounts a path on itself.  With no flags this pins a directory: a mount point cannot be renamed
 * or removed.
 */
static enum err do_self(struct build *b, const struct op *op, uint64_t attrs)
{
	FD_SCOPE place = mounts_target_open(&b->at, op->path, true);
	FD_SCOPE copy = place < 0 ? -1 : mounts_copy(place);
	struct rootfs_stages *stages = b->t->stages;
	struct stat st;

	if (copy < 0 || (attrs && mounts_flags(copy, attrs, -1) < 0) ||
	    mounts_attach(copy, place) < 0)
		return fail_errno(b->e, ERR_IO, "mount %s", op->path.ptr);
	if (op->kind == OP_CLOSE && stages && stages->count < ROOTFS_STAGES_MAX &&
	    fstat(place, &st) == 0 && S_ISDIR(st.st_mode)) {
		stages->fds[stages->count++] = place;
		place = -1;
	}
	return OK;
}

/*
 * On the tmpfs a private directory is a part of it, mounted on itself, because the tmpfs becomes
 * read-only at the end.
 */
static enum err do_private(struct build *b, const struct op *op)
{
	const char *name;
	int dir = mounts_target_parent(&b->at, op->path, &name);
	struct stat st;

	if (dir < 0 || fstat(dir, &st) < 0)
		return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
	if (st.st_dev == b->at.dev) {
		/*
		 * /tmp is writable for every user, as programs expect; the sandbox has only one
		 */
		mode_t mode = str_eq(op->path, STR("/tmp")) ? 01777 : 0700;

		if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
			return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
		if (fchmodat(dir, name, mode, 0) < 0)
			return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
		return do_self(b, op, 0);
	}

	/* inside a root: a tmpfs of its own over what is there */
	char bytes[32];
	const char *const options[] = { "mode",      "0700",         "size", bytes,
		                        "nr_inodes", PRIVATE_INODES, NULL };

	snprintf(bytes, sizeof bytes, "%lld",
	         b->t->plan->limits.private_bytes ? (long long)b->t->plan->limits.private_bytes
	                                          : PRIVATE_BYTES_DEFAULT);
	FD_SCOPE fs = mounts_new("tmpfs", options, SAFE);
	FD_SCOPE place = mounts_target_open(&b->at, op->path, true);

	if (fs < 0 || place < 0 || mounts_attach(fs, place) < 0)
		return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
	return OK;
}

/* Without a watch the path is denied all the same; only the report is missing. */
static void watch_mask(struct build *b, struct str name, struct str path, bool is_dir)
{
	struct rootfs_masks *m = b->t->masks;
	/* attach_new_root() attached the new root at /proc */
	struct str at = arena_printf(b->mem, "/proc%.*s", STR_ARG(name));

	if (!m)
		return;
	if (!m->count)
		m->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (m->fd < 0)
		return;

	struct rootfs_mask one = { .wd = inotify_add_watch(m->fd, at.ptr, IN_OPEN),
		                   .is_dir = is_dir,
		                   .path = memory_alloc(path.len + 1) };

	memcpy(one.path, path.ptr, path.len + 1);
	m->at = memory_resize(m->at, (m->count + 1) * sizeof *m->at);
	m->at[m->count++] = one;
}

/*
 * Each denied path gets its own empty file or directory, so that the watch tells which one was
 * opened.  The name in the tmpfs is removed at once; the mount keeps the inode.
 */
static enum err mask_over(struct build *b, const struct op *op, int place, bool is_dir)
{
	struct str mask = arena_printf(b->mem, "/.closed-%zu", b->masks++);
	FD_SCOPE source = mounts_target_open(&b->at, mask, is_dir);
	FD_SCOPE copy = -1;

	if (source < 0 || fchmodat(b->at.root, mask.ptr + 1, is_dir ? 0555 : 0444, 0) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	copy = mounts_copy(source);
	if (copy < 0 || mounts_flags(copy, SAFE | MOUNT_ATTR_RDONLY, -1) < 0 ||
	    mounts_attach(copy, place) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	watch_mask(b, mask, op->path, is_dir);
	unlinkat(b->at.root, mask.ptr + 1, is_dir ? AT_REMOVEDIR : 0);
	return OK;
}

/* Covers a path with an empty file or directory.  A path that does not exist needs none. */
static enum err do_deny(struct build *b, const struct op *op)
{
	FD_SCOPE place = mounts_target_find(&b->at, op->path);
	struct stat st;

	/*
	 * this process has the command's uid already: what it cannot reach, the command cannot
	 * either
	 */
	if (place < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return OK;
	if (place < 0 || fstat(place, &st) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	if (S_ISLNK(st.st_mode)) {
		/* the target of the link is covered */
		close(place);
		place = sys_openat2(b->at.root, op->path.ptr + 1, O_PATH | O_CLOEXEC,
		                    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		if (place < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
			return OK;
		if (place < 0 || fstat(place, &st) < 0)
			return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	}

	return mask_over(b, op, place, S_ISDIR(st.st_mode));
}

static enum err do_op(struct build *b, const struct op *op)
{
	switch (op->kind) {
	case OP_READ:
	case OP_WRITE:
		return do_root(b, op);
	case OP_PRIVATE:
		return do_private(b, op);
	case OP_PIN:
		return do_self(b, op, 0);
	case OP_CLOSE:
		return do_self(b, op, MOUNT_ATTR_RDONLY);
	case OP_DENY:
		return do_deny(b, op);
	}
	return OK;
}

/* ---- what every sandbox has ---- */

static enum err add_devices(struct build *b)
{
	static const char *const nodes[] = { "/dev/null",   "/dev/zero",    "/dev/full",
		                             "/dev/random", "/dev/urandom", "/dev/tty" };
	static const char *const links[][2] = { { "/dev/fd", "/proc/self/fd" },
		                                { "/dev/stdin", "/proc/self/fd/0" },
		                                { "/dev/stdout", "/proc/self/fd/1" },
		                                { "/dev/stderr", "/proc/self/fd/2" },
		                                { "/dev/ptmx", "pts/ptmx" } };
	static const char *const pts[] = { "ptmxmode", "0666", "mode", "0620", NULL };

	for (size_t i = 0; i < COUNT_OF(nodes); i++) {
		FD_SCOPE copy =
			open_tree(AT_FDCWD, nodes[i],
		                  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);

		/*
		 * a read-only mount protects the node (its mode and owner); the device itself
		 * stays writable
		 */
		if (copy < 0 ||
		    mounts_flags(copy, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
		                 -1) < 0 ||
		    mounts_target_attach(&b->at, copy, str_from(nodes[i]), false) < 0)
			return fail_errno(b->e, ERR_IO, "device %s", nodes[i]);
	}
	for (size_t i = 0; i < COUNT_OF(links); i++) {
		enum err err = mounts_target_link(&b->at, str_from(links[i][0]), links[i][1], b->e);

		if (err)
			return err;
	}

	FD_SCOPE fs = mounts_new("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

	if (fs < 0 || mounts_target_attach(&b->at, fs, STR("/dev/pts"), true) < 0)
		return fail_errno(b->e, ERR_IO, "terminals of its own");
	return do_private(b, &(struct op){ .path = STR("/dev/shm"), .kind = OP_PRIVATE, .fd = -1 });
}

/* Read-only as a whole, so that no sysctl can be written. */
static enum err add_proc(struct build *b)
{
	const uint64_t attrs = SAFE | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC;

	if (!b->t->own_proc)
		return mkdirat(b->at.root, "proc", 0555) < 0 ? fail_errno(b->e, ERR_IO, "/proc")
		                                             : OK;

	FD_SCOPE fs = mounts_new("proc", NULL, attrs);

	if (fs < 0 || mounts_target_attach(&b->at, fs, STR("/proc"), true) < 0)
		return fail_errno(b->e, ERR_UNSUPPORTED, "/proc of its own");
	return OK;
}

/* Do read roots of the plan contain this path already? */
static bool is_in_read_root(const struct build *b, const char *path)
{
	return PATH_UNDER_ANY(str_from(path), &b->t->plan->read_roots);
}

/* A copy of the content: the file is often a link into /run, which the sandbox does not have. */
static enum err copy_at(struct build *b, struct str path)
{
	char text[65536];
	FD_SCOPE fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (len < 0 || is_in_read_root(b, path.ptr))
		return OK; /* the host has none, or a root shows it already */
	text[len] = '\0';
	return mounts_target_file(&b->at, path, text, b->e);
}

/*
 * A minimal passwd and group, so that programs find their user; the host's list of users stays
 * hidden.
 */
static enum err add_users(struct build *b)
{
	const struct rootfs *t = b->t;
	const char *user = t->plan->user.ptr;
	enum err err = OK;

	if (!is_in_read_root(b, "/etc/passwd")) {
		struct str text =
			arena_printf(b->mem,
		                     "root:x:0:0:root:/root:/usr/sbin/nologin\n"
		                     "%s:x:%u:%u:%s:%s:/bin/sh\n"
		                     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		                     user, t->uid, t->gid, user, t->plan->home.ptr);

		err = mounts_target_file(&b->at, STR("/etc/passwd"), text.ptr, b->e);
	}
	if (!err && !is_in_read_root(b, "/etc/group")) {
		struct str text = arena_printf(b->mem, "root:x:0:\n%s:x:%u:\nnogroup:x:65534:\n",
		                               user, t->gid);

		err = mounts_target_file(&b->at, STR("/etc/group"), text.ptr, b->e);
	}
	return err;
}

/*
 * Names can be resolved only with the network `full`; otherwise the proxy resolves them outside.
 */
static enum err add_etc(struct build *b)
{
	enum err err = add_users(b);

	if (!err && b->t->plan->network == SANDBOX_NETWORK_FULL) {
		err = copy_at(b, STR("/etc/resolv.conf"));
		return err ? err : copy_at(b, STR("/etc/hosts"));
	}
	if (!err && !is_in_read_root(b, "/etc/hosts"))
		err = mounts_target_file(&b->at, STR("/etc/hosts"),
		                         "127.0.0.1 localhost\n::1 localhost\n", b->e);
	return err;
}

static enum err add_own(struct build *b)
{
	enum err err = add_proc(b);

	if (!err)
		err = add_devices(b);
	if (!err)
		err = add_etc(b);
	if (!err && !is_in_read_root(b, "/var/tmp"))
		err = mounts_target_link(&b->at, STR("/var/tmp"), "../tmp", b->e);
	return err;
}

/* ---- later ---- */

/*
 * After pivot_root the tmpfs is read-only and nothing can be created there, so masks for files
 * that are denied later are created now.
 */
static enum err keep_spares(struct build *b)
{
	struct rootfs_spares *s = b->t->spares;

	if (!s)
		return OK;
	s->file = mounts_target_open(&b->at, STR("/.closed-file"), false);
	s->dir = mounts_target_open(&b->at, STR("/.closed-dir"), true);
	if (s->file < 0 || s->dir < 0 || fchmodat(b->at.root, ".closed-file", 0444, 0) < 0 ||
	    fchmodat(b->at.root, ".closed-dir", 0555, 0) < 0)
		return fail_errno(b->e, ERR_IO, "masks for later");
	return OK;
}

/* No process can enter the directory above it, and the tree is read-only, so none can change that. */
static enum err keep_hidden(struct build *b)
{
	struct rootfs_stages *s = b->t->stages;

	if (!s)
		return OK;
	s->hidden = mounts_target_open(&b->at, STR("/.hidden/mounts"), true);
	mounts_target_forget(&b->at);
	if (s->hidden < 0 || fchmodat(b->at.root, ".hidden", 0, 0) < 0)
		return fail_errno(b->e, ERR_IO, "a place for mounts that no process reaches");
	return OK;
}

static bool is_mount_root(int place)
{
	struct statx x;

	return statx(place, "", AT_EMPTY_PATH, 0, &x) == 0 &&
	       x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/*
 * Is the shield still mounted?  A mask lies on the sandbox's own tmpfs; a pin is a mount; a
 * closed path is also read-only.
 */
static bool is_standing(int place, const struct stat *st, enum shield_kind kind)
{
	struct statvfs fs;
	struct stat root;

	if (kind == SHIELD_DENY)
		return stat("/", &root) == 0 && st->st_dev == root.st_dev;
	if (!is_mount_root(place))
		return false;
	return kind == SHIELD_PIN || (fstatvfs(place, &fs) == 0 && fs.f_flag & ST_RDONLY);
}

static enum err protect_once(const struct rootfs_spares *spares, const struct shield *s,
                             struct error *e)
{
	FD_SCOPE place = sys_openat2(AT_FDCWD, s->path.ptr, O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                             RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	FD_SCOPE copy = -1;
	struct stat st;
	uint64_t attrs = s->kind == SHIELD_PIN    ? 0
	                 : s->kind == SHIELD_DENY ? SAFE | MOUNT_ATTR_RDONLY
	                                          : MOUNT_ATTR_RDONLY;

	if (place < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES))
		return OK; /* nothing is shown there; what a link leads to has its own shield */
	if (place < 0 || fstat(place, &st) < 0)
		return fail_errno(e, ERR_IO, "denied path %s", s->path.ptr);
	if (is_standing(place, &st, s->kind) || (s->kind == SHIELD_DENY && S_ISLNK(st.st_mode)))
		return OK;
	copy = mounts_copy(s->kind != SHIELD_DENY ? place
	                   : S_ISDIR(st.st_mode)  ? spares->dir
	                                          : spares->file);
	if (copy < 0 || (attrs && mounts_flags(copy, attrs, -1) < 0) ||
	    mounts_attach(copy, place) < 0)
		return fail_errno(e, ERR_IO, "denied path %s", s->path.ptr);
	return OK;
}

enum err rootfs_protect(const struct rootfs_spares *spares, const struct shield *s, struct error *e)
{
	enum err err = ERR_IO;

	/* the file may be replaced between opening and mounting */
	for (int tries = 0; tries < 5 && err; tries++)
		err = protect_once(spares, s, e);
	return err;
}

/* What the sandbox shows there is on which mount?  0: not known. */
static uint64_t mount_id(int place)
{
	struct statx x;

	return statx(place, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) == 0 && x.stx_mask & STATX_MNT_ID
	               ? x.stx_mnt_id
	               : 0;
}

static bool is_closed_place(int place)
{
	struct statvfs fs;

	return fstatvfs(place, &fs) == 0 && fs.f_flag & ST_RDONLY;
}

/* A path from this descriptor on does not enter the mount over it. */
static int open_in_stage(int stage, const char *name, dev_t dev, ino_t ino)
{
	FD_SCOPE place = openat(stage, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (place < 0 || fstat(place, &st) < 0 || st.st_dev != dev || st.st_ino != ino)
		return -1;
	return fcntl(place, F_DUPFD_CLOEXEC, 3);
}

static bool close_place(int place)
{
	FD_SCOPE copy = mounts_copy(place);

	return copy >= 0 && mounts_flags(copy, MOUNT_ATTR_RDONLY, -1) == 0 &&
	       mounts_attach(copy, place) == 0;
}

/* A mount over it stays wherever it is moved; a read-only parent says nothing about other stages. */
static bool close_for_good(struct rootfs_stages *stages, int place, const char *name)
{
	if (!close_place(place))
		return false;
	snprintf(stages->closed, sizeof stages->closed, "%s", name);
	return true;
}

/* ---- the way to a file that was approved ---- */

/*
 * A directory that contains a mount can be renamed; one that is a mount point cannot.  Directories
 * that were made since the sandbox began are no mount points yet.  A mount on one of them where
 * processes are would give its content a second view, in which what is closed there is open.  So it
 * is a mount point in a twin of the write root, which no process reaches: the kernel refuses to
 * rename a mount point of any mount.
 */
static int twin_of(struct rootfs_stages *s, const struct sandbox_plan *p, size_t root)
{
	if (!s->twins) {
		s->twins = memory_alloc(p->write_roots.count * sizeof *s->twins);
		for (size_t i = 0; i < p->write_roots.count; i++)
			s->twins[i] = -1;
	}
	if (s->twins[root] >= 0)
		return s->twins[root];

	FD_SCOPE place =
		sys_openat2(AT_FDCWD, p->write_roots.at[root].ptr, O_PATH | O_DIRECTORY | O_CLOEXEC,
	                    RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	FD_SCOPE copy = place < 0 ? -1 : mounts_copy(place);

	if (copy < 0 || mounts_flags(copy, SAFE | MOUNT_ATTR_RDONLY, -1) < 0 ||
	    mounts_attach(copy, s->hidden) < 0)
		return -1;
	s->twins[root] = copy;
	copy = -1;
	return s->twins[root];
}

static int open_way(int from, const char *path)
{
	return sys_openat2(from, path, O_PATH | O_DIRECTORY | O_CLOEXEC,
	                   RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

enum way { WAY_LOST, WAY_NEW, WAY_PINNED }; /* NEW: it was no mount point before */

/* The directory of this path below the root, in its twin. */
static enum way pin_in_twin(int twin, const char *path)
{
	FD_SCOPE place = twin < 0 ? -1 : open_way(twin, path);
	FD_SCOPE copy = -1;

	if (place < 0)
		return WAY_LOST;
	if (is_mount_root(place))
		return WAY_PINNED;
	copy = mounts_copy(place);
	return copy >= 0 && mounts_attach(copy, place) == 0 ? WAY_NEW : WAY_LOST;
}

/*
 * From the root on downwards: what is pinned stays where it is.  Below a directory that is closed
 * nothing can be renamed.
 */
static enum way pin_way_once(const struct sandbox_plan *p, struct rootfs_stages *s, size_t root,
                             const char *parent)
{
	size_t at = p->write_roots.at[root].len;
	enum way all = WAY_PINNED;
	char path[PATH_MAX];

	while (parent[at]) {
		FD_SCOPE there = -1;
		enum way way = WAY_PINNED;

		at += 1 + strcspn(parent + at + 1, "/");
		if ((size_t)snprintf(path, sizeof path, "%.*s", (int)at, parent) >= sizeof path)
			return WAY_LOST;
		there = open_way(AT_FDCWD, path);
		if (there >= 0 && is_mount_root(there) && is_closed_place(there))
			return all;
		if (there < 0 || !is_mount_root(there))
			way = pin_in_twin(twin_of(s, p, root),
			                  path + p->write_roots.at[root].len + 1);
		if (way == WAY_LOST)
			return way;
		if (way == WAY_NEW)
			all = way;
	}
	return all;
}

static bool pin_way(const struct sandbox_plan *p, struct rootfs_stages *s, const char *parent)
{
	size_t root = p->write_roots.count;
	enum way way = WAY_NEW;

	for (size_t i = 0; i < p->write_roots.count; i++)
		if (path_is_under(str_from(parent), p->write_roots.at[i]) &&
		    (root == p->write_roots.count ||
		     p->write_roots.at[i].len > p->write_roots.at[root].len))
			root = i;
	/* once more after the last new one: a directory may have been moved while it was pinned */
	for (int tries = 0; tries < 5 && way == WAY_NEW && root < p->write_roots.count; tries++)
		way = pin_way_once(p, s, root, parent);
	return way == WAY_PINNED;
}

/* Is it the directory that the supervisor will move the file to? */
static bool is_that_parent(int there, const struct rootfs_staged_file *f)
{
	struct stat st;

	return fstat(there, &st) == 0 && st.st_dev == f->parent_dev && st.st_ino == f->parent_ino;
}

/*
 * A mount belongs to a directory entry of one other mount, so the stage and the parent must be on
 * the same one.
 */
enum rootfs_staged rootfs_close_staged(const struct sandbox_plan *p, struct rootfs_stages *stages,
                                       const struct rootfs_staged_file *f)
{
	bool is_pinned = pin_way(p, stages, f->parent);
	FD_SCOPE there = open_way(AT_FDCWD, f->parent);
	bool is_read_only = there >= 0 && is_closed_place(there);
	uint64_t id = there < 0 ? 0 : mount_id(there);
	enum rootfs_staged found = ROOTFS_STAGED_OPEN;

	if (there >= 0 && (!is_pinned || (!is_read_only && !is_that_parent(there, f))))
		return ROOTFS_STAGED_OPEN;
	if (!strcmp(stages->closed, f->name))
		return ROOTFS_STAGED_CLOSED;
	for (size_t i = 0; i < stages->count && found != ROOTFS_STAGED_CLOSED; i++) {
		FD_SCOPE place = open_in_stage(stages->fds[i], f->name, f->dev, f->ino);

		if (place < 0)
			continue;
		found = ROOTFS_STAGED_ELSEWHERE;
		if (is_read_only || (id && mount_id(stages->fds[i]) == id &&
		                     close_for_good(stages, place, f->name)))
			found = ROOTFS_STAGED_CLOSED;
	}
	return found;
}

/* ---- putting it together ---- */

static enum err attach_new_root(struct build *b)
{
	char bytes[32];
	const char *const options[] = { "mode",      "0755",         "size", bytes,
		                        "nr_inodes", PRIVATE_INODES, NULL };
	FD_SCOPE over = -1;
	struct stat st;

	snprintf(bytes, sizeof bytes, "%lld",
	         b->t->plan->limits.private_bytes ? (long long)b->t->plan->limits.private_bytes
	                                          : PRIVATE_BYTES_DEFAULT);
	/*
	 * Mounts made here do not propagate to the host, and later ones of the host do not come
	 * in.
	 */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail_errno(b->e, ERR_IO, "make mounts private");
	enum err err = open_roots(b);

	if (err)
		return err;
	b->at.root = mounts_new("tmpfs", options, SAFE);
	if (b->at.root < 0 || fstat(b->at.root, &st) < 0)
		return fail_errno(b->e, ERR_UNSUPPORTED, "a tmpfs of its own");
	b->at.dev = st.st_dev;
	/*
	 * pivot_root() needs a mount point; no root lies below /proc, so it hides nothing that is
	 * needed.
	 */
	over = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (over < 0 || mounts_attach(b->at.root, over) < 0)
		return fail_errno(b->e, ERR_IO, "attach the new root");
	return OK;
}

/*
 * pivot_root(".", ".") stacks the old root over the new one at the same place; the umount removes
 * it, and no directory for the old root is needed in the read-only tree.
 */
static enum err pivot_to_new_root(struct build *b)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	if (mount_setattr(b->at.root, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		return fail_errno(b->e, ERR_IO, "close the new root");
	if (fchdir(b->at.root) < 0 || sys_pivot_root(".", ".") < 0)
		return fail_errno(b->e, ERR_IO, "enter the new root");
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return fail_errno(b->e, ERR_IO, "leave the old root");
	return OK;
}

/*
 * Each step after the plain roots may have covered the directory that mounts.c keeps open, so
 * that is forgotten.
 */
static enum err build_tree(struct build *b)
{
	enum err err = collect_ops(b);
	size_t i = 0;

	if (err)
		return err;
	for (size_t k = 0; k < b->count; k++)
		b->ops[k].is_plain = is_plain(b, &b->ops[k]);
	qsort(b->ops, b->count, sizeof *b->ops, by_depth);
	err = attach_new_root(b);
	for (; i < b->count && b->ops[i].is_plain && !err; i++)
		err = do_root(b, &b->ops[i]);
	if (!err)
		err = close_plain(b);
	for (; i < b->count && !err; i++) {
		err = do_op(b, &b->ops[i]);
		mounts_target_forget(&b->at);
	}
	/* The device nodes are the host's, so they come while its tree can be seen. */
	if (!err)
		err = add_own(b);
	if (!err)
		err = keep_spares(b);
	if (!err)
		err = keep_hidden(b);
	return err ? err : pivot_to_new_root(b);
}

/* umask 0, because the modes of what is created here are chosen exactly. */
enum err rootfs_enter(const struct rootfs *t, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct build b = {
		.t = t, .mem = mem, .e = e, .at = { .mem = mem, .root = -1, .near_fd = -1 }
	};
	mode_t mask = umask(0);
	enum err err = build_tree(&b);

	umask(mask);
	for (size_t i = 0; i < b.count; i++)
		sys_close(&b.ops[i].fd);
	sys_close(&b.at.near_fd);
	sys_close(&b.at.root);
	return err;
}

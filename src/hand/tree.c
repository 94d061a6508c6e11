#include "hand/tree.h"

#include "hand/sys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define PRIVATE_BYTES_DEFAULT (1LL << 30)
#define PRIVATE_INODES "262144"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

enum op_kind { OP_READ, OP_WRITE, OP_PRIVATE, OP_PIN, OP_CLOSE, OP_DENY };

struct op {
	struct str path;
	enum op_kind kind;
	int fd;           /* the mount, or -1 */
	bool is_finished; /* it came with its flags */
	bool is_plain;
};

struct build {
	const struct tree *t;
	struct arena *mem;
	struct error *e;
	int root;  /* of the new tree */
	dev_t dev; /* of its tmpfs */
	struct op *ops;
	size_t count;
	struct str near_path; /* the directory that was worked in last */
	int near_fd;
};

/* ---- mounts ---- */

static int set_attr(int fd, uint64_t set, int idmap_fd)
{
	struct mount_attr attr = { .attr_set = set, .propagation = MS_PRIVATE };

	if (idmap_fd >= 0) {
		attr.attr_set |= MOUNT_ATTR_IDMAP;
		attr.userns_fd = (uint64_t)idmap_fd;
	}
	return mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr);
}

/* A detached copy of what is mounted at the descriptor's place. */
static int clone_at(int place)
{
	return open_tree(place, "",
	                 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
}

static int attach(int mount_fd, int place)
{
	return move_mount(mount_fd, "", place, "",
	                  MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* -1 for a link that may be one. */
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
	*ret = clone_at(place);
	if (*ret < 0)
		return fail_errno(e, ERR_IO, "copy the mount of %s", path);
	return OK;
}

enum err tree_open_root(const char *path, bool is_writable, int idmap_fd, int *ret, struct error *e)
{
	int fd;
	enum err err = open_root(path, is_writable, &fd, e);

	if (!err && fd >= 0 &&
	    set_attr(fd, is_writable ? SAFE : SAFE | MOUNT_ATTR_RDONLY, idmap_fd) < 0) {
		err = fail_errno(e, ERR_UNSUPPORTED, "%s %s", path,
		                 idmap_fd < 0 ? "cannot be made safe"
		                              : "takes no mapping of owners");
		close(fd);
	}
	if (!err)
		*ret = fd;
	return err;
}

/* A new file system, mounted nowhere yet; options are name, value pairs. */
static int new_fs(const char *type, const char *const *options, uint64_t attrs)
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

/* ---- places in the new tree ---- */

/* Only on our own tmpfs: a root is never changed for the sake of a mount. */
static bool may_make(struct build *b, int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return false;
	if (st.st_dev == b->dev)
		return true;
	errno = ENOENT;
	return false;
}

static int open_dir(struct build *b, struct str path)
{
	int dir = fcntl(b->root, F_DUPFD_CLOEXEC, 0);
	struct str rest = str_skip(path, 1);

	while (dir >= 0 && rest.len) {
		struct str name = arena_keep(b->mem, str_cut(&rest, '/'));
		int next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (next < 0 && errno == ENOENT && may_make(b, dir) &&
		    mkdirat(dir, name.ptr, 0755) == 0)
			next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
	}
	return dir;
}

/*
 * The directory above path, made where it is missing; the descriptor stays
 * the build's.  *ret_name is the last component.
 */
static int open_parent(struct build *b, struct str path, const char **ret_name)
{
	size_t len = path.len;

	while (path.ptr[len - 1] != '/')
		len--;
	*ret_name = path.ptr + len;
	if (len == 1)
		return b->root;
	if (b->near_fd >= 0 && str_eq(b->near_path, str_head(path, len - 1)))
		return b->near_fd;
	sys_close(&b->near_fd);
	b->near_path = str_head(path, len - 1);
	b->near_fd = open_dir(b, b->near_path);
	return b->near_fd;
}

/* What was mounted lies over what the kept descriptor means. */
static void forget_near(struct build *b)
{
	sys_close(&b->near_fd);
}

/* An existing place, reached without a link. */
static int find_place(struct build *b, struct str path)
{
	return sys_openat2(b->root, path.ptr + 1, O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* A place to mount on: a directory or an empty file, made where it is missing. */
static int open_place(struct build *b, struct str path, bool is_dir)
{
	int fd = find_place(b, path), dir;
	const char *name;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	dir = open_parent(b, path, &name);
	if (dir < 0 || !may_make(b, dir))
		return -1;
	if ((is_dir ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0644, 0)) < 0)
		return -1;
	return openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* The same for a mount that is ready: on the tmpfs, where nobody else makes anything. */
static int attach_at(struct build *b, int mount_fd, struct str path, bool is_dir)
{
	const char *name;
	int dir = open_parent(b, path, &name);

	if (dir < 0)
		return -1;
	if ((is_dir ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0644, 0)) < 0 &&
	    errno != EEXIST)
		return -1;
	return move_mount(mount_fd, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH);
}

static enum err link_at(struct build *b, struct str path, const char *target)
{
	const char *name;
	int dir = open_parent(b, path, &name);

	if (dir < 0 || (symlinkat(target, dir, name) < 0 && errno != EEXIST))
		return fail_errno(b->e, ERR_IO, "link %s", path.ptr);
	return OK;
}

static enum err file_at(struct build *b, struct str path, const char *text)
{
	const char *name;
	int dir = open_parent(b, path, &name);
	FD_SCOPE fd = dir < 0 ? -1
	                      : openat(dir, name,
	                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	ssize_t len = (ssize_t)strlen(text);

	if (fd < 0 || write(fd, text, (size_t)len) != len)
		return fail_errno(b->e, ERR_IO, "file %s", path.ptr);
	return OK;
}

/* ---- the plan's mounts ---- */

static void add_op(struct build *b, struct str path, enum op_kind kind, int fd)
{
	b->ops = arena_grow(b->mem, b->ops, b->count * sizeof *b->ops,
	                    (b->count + 1) * sizeof *b->ops);
	b->ops[b->count++] =
		(struct op){ .path = path, .kind = kind, .fd = fd, .is_finished = fd >= 0 };
}

static bool is_ours(struct str path)
{
	return path_is_under(path, STR("/proc")) || path_is_under(path, STR("/dev"));
}

static bool is_listed(struct str path, const struct plan_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(path, l->at[i]))
			return true;
	return false;
}

/* The whole host, without what the cage has of its own. */
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

static enum err collect(struct build *b)
{
	const struct tree *t = b->t;
	const struct plan *p = t->plan;

	for (size_t i = 0; i < p->read_roots.count; i++) {
		struct str root = p->read_roots.at[i];

		if (is_ours(root))
			return fail(b->e, ERR_UNSUPPORTED, "root %s: the cage has its own",
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
			return fail(b->e, ERR_UNSUPPORTED, "root %s: the cage has its own",
			            p->write_roots.at[i].ptr);
		add_op(b, p->write_roots.at[i], OP_WRITE, t->write_fds ? t->write_fds[i] : -1);
	}
	for (size_t i = 0; i < p->private_dirs.count; i++)
		add_op(b, p->private_dirs.at[i], OP_PRIVATE, -1);
	for (size_t i = 0; i < t->cover->shield_count; i++)
		add_op(b, t->cover->shields[i].path,
		       t->cover->shields[i].kind == SHIELD_PIN ? OP_PIN : OP_CLOSE, -1);
	for (size_t i = 0; i < p->denied_paths.count; i++)
		add_op(b, p->denied_paths.at[i], OP_DENY, -1);
	return OK;
}

/*
 * The system's own roots first, sorted by path: they lie directly on the
 * tmpfs and take their flags all at once.  Then the rest, what is above
 * before what is inside it; at the same place the stricter comes last.
 */
static bool is_plain(const struct build *b, const struct op *op)
{
	const struct plan *p = b->t->plan;

	if (op->kind != OP_READ || op->is_finished)
		return false;
	for (size_t i = 0; i < p->read_roots.count; i++)
		if (!str_eq(p->read_roots.at[i], op->path) &&
		    path_is_under(op->path, p->read_roots.at[i]) && p->read_roots.at[i].len > 1)
			return false;
	return !path_is_under_any(op->path, &p->write_roots) &&
	       !path_is_under_any(op->path, &p->private_dirs);
}

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
		                   : tree_open_root(op->path.ptr, op->kind == OP_WRITE, -1, &op->fd,
		                                    b->e);
		if (err)
			return err;
	}
	return OK;
}

static enum err do_root(struct build *b, const struct op *op)
{
	struct stat st;

	if (op->fd < 0) {
		char target[PATH_MAX];
		ssize_t len = readlink(op->path.ptr, target, sizeof target - 1);

		if (len < 0)
			return fail_errno(b->e, ERR_IO, "link %s", op->path.ptr);
		target[len] = '\0';
		return link_at(b, op->path, target);
	}
	if (fstat(op->fd, &st) < 0)
		return fail_errno(b->e, ERR_IO, "root %s", op->path.ptr);
	if (op->is_plain) {
		if (attach_at(b, op->fd, op->path, S_ISDIR(st.st_mode)) < 0)
			return fail_errno(b->e, ERR_IO, "mount root %s", op->path.ptr);
		return OK;
	}

	FD_SCOPE place = open_place(b, op->path, S_ISDIR(st.st_mode));

	if (place < 0 || attach(op->fd, place) < 0)
		return fail_errno(b->e, ERR_IO, "mount root %s", op->path.ptr);
	return OK;
}

/* Everything that is mounted so far becomes read-only; the tmpfs itself is still being built. */
static enum err close_plain(struct build *b)
{
	struct mount_attr reopen = { .attr_clr = MOUNT_ATTR_RDONLY };

	forget_near(b);
	if (set_attr(b->root, SAFE | MOUNT_ATTR_RDONLY, -1) < 0 ||
	    mount_setattr(b->root, "", AT_EMPTY_PATH, &reopen, sizeof reopen) < 0)
		return fail_errno(b->e, ERR_IO, "make the roots read-only");
	return OK;
}

/* A place mounted on itself, with its own flags. */
static enum err do_self(struct build *b, const struct op *op, uint64_t attrs)
{
	FD_SCOPE place = open_place(b, op->path, true);
	FD_SCOPE copy = place < 0 ? -1 : clone_at(place);

	if (copy < 0 || (attrs && set_attr(copy, attrs, -1) < 0) || attach(copy, place) < 0)
		return fail_errno(b->e, ERR_IO, "mount %s", op->path.ptr);
	return OK;
}

static enum err do_private(struct build *b, const struct op *op)
{
	const char *name;
	int dir = open_parent(b, op->path, &name);
	struct stat st;

	if (dir < 0 || fstat(dir, &st) < 0)
		return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
	if (st.st_dev == b->dev) {
		/* /tmp belongs to everybody, as people expect; the cage has one user anyway */
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
	FD_SCOPE fs = new_fs("tmpfs", options, SAFE);
	FD_SCOPE place = open_place(b, op->path, true);

	if (fs < 0 || place < 0 || attach(fs, place) < 0)
		return fail_errno(b->e, ERR_IO, "private directory %s", op->path.ptr);
	return OK;
}

/* An empty thing of the same kind that nobody may open.  What is absent needs none. */
static enum err do_deny(struct build *b, const struct op *op)
{
	FD_SCOPE place = find_place(b, op->path);
	struct stat st;

	if (place < 0 && (errno == ENOENT || errno == ENOTDIR))
		return OK;
	if (place < 0 || fstat(place, &st) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	if (S_ISLNK(st.st_mode)) {
		/* what the link shows is closed; as another name it has none of its own */
		close(place);
		place = sys_openat2(b->root, op->path.ptr + 1, O_PATH | O_CLOEXEC,
		                    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		if (place < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
			return OK;
		if (place < 0 || fstat(place, &st) < 0)
			return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	}

	struct str mask = S_ISDIR(st.st_mode) ? STR("/.closed-directory") : STR("/.closed-file");
	FD_SCOPE source = open_place(b, mask, S_ISDIR(st.st_mode));
	FD_SCOPE copy = -1;

	if (source < 0 || fchmodat(b->root, mask.ptr + 1, 0, 0) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	copy = clone_at(source);
	if (copy < 0 || set_attr(copy, SAFE | MOUNT_ATTR_RDONLY, -1) < 0 || attach(copy, place) < 0)
		return fail_errno(b->e, ERR_IO, "denied path %s", op->path.ptr);
	return OK;
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

/* ---- what every cage has ---- */

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

		/* read-only does not keep one from writing to a device, only from changing it */
		if (copy < 0 ||
		    set_attr(copy, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, -1) <
		            0 ||
		    attach_at(b, copy, str_from(nodes[i]), false) < 0)
			return fail_errno(b->e, ERR_IO, "device %s", nodes[i]);
	}
	for (size_t i = 0; i < COUNT_OF(links); i++) {
		enum err err = link_at(b, str_from(links[i][0]), links[i][1]);

		if (err)
			return err;
	}

	FD_SCOPE fs = new_fs("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

	if (fs < 0 || attach_at(b, fs, STR("/dev/pts"), true) < 0)
		return fail_errno(b->e, ERR_IO, "terminals of its own");
	return do_private(b, &(struct op){ .path = STR("/dev/shm"), .kind = OP_PRIVATE, .fd = -1 });
}

static enum err add_proc(struct build *b)
{
	const uint64_t attrs = SAFE | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC;

	if (!b->t->own_proc)
		return mkdirat(b->root, "proc", 0555) < 0 ? fail_errno(b->e, ERR_IO, "/proc") : OK;

	FD_SCOPE fs = new_fs("proc", NULL, attrs);

	if (fs < 0 || attach_at(b, fs, STR("/proc"), true) < 0)
		return fail_errno(b->e, ERR_UNSUPPORTED, "/proc of its own");
	return OK;
}

static bool brings(const struct build *b, const char *path)
{
	return path_is_under_any(str_from(path), &b->t->plan->read_roots);
}

/* Often a link into /run, which the cage does not have. */
static enum err copy_at(struct build *b, struct str path)
{
	char text[65536];
	FD_SCOPE fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (len < 0 || brings(b, path.ptr))
		return OK; /* the host has none either */
	text[len] = '\0';
	return file_at(b, path, text);
}

static enum err add_etc(struct build *b)
{
	const struct tree *t = b->t;
	enum err err = OK;

	if (!brings(b, "/etc/passwd"))
		err = file_at(
			b, STR("/etc/passwd"),
			arena_printf(b->mem,
		                     "root:x:0:0:root:/root:/usr/sbin/nologin\n"
		                     "%s:x:%u:%u:%s:%s:/bin/sh\n"
		                     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		                     t->plan->user.ptr, t->uid, t->gid, t->plan->user.ptr,
		                     t->plan->home.ptr)
				.ptr);
	if (!err && !brings(b, "/etc/group"))
		err = file_at(b, STR("/etc/group"),
		              arena_printf(b->mem, "root:x:0:\n%s:x:%u:\nnogroup:x:65534:\n",
		                           t->plan->user.ptr, t->gid)
		                      .ptr);
	if (t->plan->network == NETWORK_FULL) {
		if (!err)
			err = copy_at(b, STR("/etc/resolv.conf"));
		return err ? err : copy_at(b, STR("/etc/hosts"));
	}
	if (!err && !brings(b, "/etc/hosts"))
		err = file_at(b, STR("/etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
	return err;
}

static enum err add_own(struct build *b)
{
	enum err err = add_proc(b);

	if (!err)
		err = add_devices(b);
	if (!err)
		err = add_etc(b);
	if (!err && !brings(b, "/var/tmp"))
		err = link_at(b, STR("/var/tmp"), "../tmp");
	return err;
}

/* ---- putting it together ---- */

static enum err start(struct build *b)
{
	char bytes[32];
	const char *const options[] = { "mode",      "0755",         "size", bytes,
		                        "nr_inodes", PRIVATE_INODES, NULL };
	FD_SCOPE over = -1;
	struct stat st;

	snprintf(bytes, sizeof bytes, "%lld",
	         b->t->plan->limits.private_bytes ? (long long)b->t->plan->limits.private_bytes
	                                          : PRIVATE_BYTES_DEFAULT);
	/* Nothing that we mount comes back to the host, nothing of the host comes in later. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail_errno(b->e, ERR_IO, "make mounts private");
	enum err err = open_roots(b);

	if (err)
		return err;
	b->root = new_fs("tmpfs", options, SAFE);
	if (b->root < 0 || fstat(b->root, &st) < 0)
		return fail_errno(b->e, ERR_UNSUPPORTED, "a tmpfs of its own");
	b->dev = st.st_dev;
	/* Any directory will do until it is the root; no root lies below this one. */
	over = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (over < 0 || attach(b->root, over) < 0)
		return fail_errno(b->e, ERR_IO, "attach the new root");
	return OK;
}

static enum err finish(struct build *b)
{
	unlinkat(b->root, ".closed-directory", AT_REMOVEDIR);
	unlinkat(b->root, ".closed-file", 0);

	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	if (mount_setattr(b->root, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		return fail_errno(b->e, ERR_IO, "close the new root");
	if (fchdir(b->root) < 0 || sys_pivot_root(".", ".") < 0)
		return fail_errno(b->e, ERR_IO, "enter the new root");
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return fail_errno(b->e, ERR_IO, "leave the old root");
	return OK;
}

static enum err build(struct build *b)
{
	enum err err = collect(b);
	size_t i = 0;

	if (err)
		return err;
	for (size_t k = 0; k < b->count; k++)
		b->ops[k].is_plain = is_plain(b, &b->ops[k]);
	qsort(b->ops, b->count, sizeof *b->ops, by_depth);
	err = start(b);
	for (; i < b->count && b->ops[i].is_plain && !err; i++)
		err = do_root(b, &b->ops[i]);
	if (!err)
		err = close_plain(b);
	for (; i < b->count && !err; i++) {
		err = do_op(b, &b->ops[i]);
		forget_near(b);
	}
	/* The device nodes are the host's, so they come while its tree can be seen. */
	if (!err)
		err = add_own(b);
	return err ? err : finish(b);
}

enum err tree_enter(const struct tree *t, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct build b = { .t = t, .mem = mem, .e = e, .root = -1, .near_fd = -1 };
	mode_t mask = umask(0);
	enum err err = build(&b);

	umask(mask);
	for (size_t i = 0; i < b.count; i++)
		sys_close(&b.ops[i].fd);
	sys_close(&b.near_fd);
	sys_close(&b.root);
	return err;
}

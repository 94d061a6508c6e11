/*
 * Finds out which path a held call means and whether the sandbox denies it.
 *
 * The caller can change its memory and the tree meanwhile.  So a result is a
 * report, not a permission: the kernel decides again when the call continues.
 */
#include "supervisor/kernel/seccomp_notify_path.h"

#include "base/path/path.h"
#include "base/path/path_glob.h"
#include "base/os/sys.h"
#include "supervisor/kernel/process_files.h"
#include "supervisor/kernel/seccomp_notify_walk.h"

#include <ctype.h>

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/uio.h>

#define ONE_PATH .other_dir_arg = -1, .other_arg = -1, .from_dir_arg = -1, .from_arg = -1
#define LOOKS_MAX 8 /* at a name that is replaced again and again */
#define NO_FLAGS .flags_arg = -1, .nofollow_arg = -1
#define OPEN(n, dir, path, flags)                                                                  \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .flags_arg = flags,                   \
		.nofollow_arg = -1, .creates = true, ONE_PATH                                      \
	}
#define MAKE(n, dir, path)                                                                         \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .creates = true, .keeps_link = true,  \
		ONE_PATH, NO_FLAGS                                                                 \
	}
#define REMOVE(n, dir, path)                                                                       \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .keeps_link = true, ONE_PATH,         \
		NO_FLAGS                                                                           \
	}
#define RENAME(n, dir, path, other_dir, other)                                                     \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .other_dir_arg = other_dir,           \
		.other_arg = other, .from_dir_arg = -1, .from_arg = -1, .creates = true,           \
		.keeps_link = true, NO_FLAGS                                                       \
	}
#define LINK(n, from_dir, from, dir, path)                                                         \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .other_dir_arg = -1, .other_arg = -1, \
		.from_dir_arg = from_dir, .from_arg = from, .creates = true, .keeps_link = true,   \
		NO_FLAGS                                                                           \
	}
#define METADATA(n, dir, path, nofollow)                                                           \
	{                                                                                          \
		.name = n, .dir_arg = dir, .path_arg = path, .flags_arg = -1,                      \
		.nofollow_arg = nofollow, .is_metadata = true, ONE_PATH                            \
	}

const struct seccomp_notify_path_call seccomp_notify_path_calls[] = {
	OPEN("openat", 0, 1, 2),
	OPEN("open", -1, 0, 1),
	OPEN("creat", -1, 0, -1),
	MAKE("mkdirat", 0, 1),
	MAKE("mkdir", -1, 0),
	MAKE("mknodat", 0, 1),
	MAKE("mknod", -1, 0),
	REMOVE("unlinkat", 0, 1),
	REMOVE("unlink", -1, 0),
	REMOVE("rmdir", -1, 0),
	RENAME("renameat", 0, 1, 2, 3),
	RENAME("renameat2", 0, 1, 2, 3),
	RENAME("rename", -1, 0, -1, 1),
	LINK("linkat", 0, 1, 2, 3),
	LINK("link", -1, 0, -1, 1),
	MAKE("symlinkat", 1, 2),
	MAKE("symlink", -1, 1),
	{ .name = "truncate", .dir_arg = -1, .path_arg = 0, ONE_PATH, NO_FLAGS },
	METADATA("fchmodat", 0, 1, -1),
	METADATA("chmod", -1, 0, -1),
	METADATA("fchownat", 0, 1, 4),
	METADATA("chown", -1, 0, -1),
	METADATA("lchown", -1, 0, SECCOMP_NOTIFY_PATH_NEVER_FOLLOWS),
	METADATA("utimensat", 0, 1, 3),
	METADATA("futimesat", 0, 1, -1),
	METADATA("utimes", -1, 0, -1),
	METADATA("utime", -1, 0, -1),
	METADATA("setxattr", -1, 0, -1),
	METADATA("lsetxattr", -1, 0, SECCOMP_NOTIFY_PATH_NEVER_FOLLOWS),
	METADATA("removexattr", -1, 0, -1),
	METADATA("lremovexattr", -1, 0, SECCOMP_NOTIFY_PATH_NEVER_FOLLOWS),
	{ .name = NULL },
};
const uint64_t seccomp_notify_path_write_flags[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC };
const size_t seccomp_notify_path_write_flag_count = COUNT_OF(seccomp_notify_path_write_flags);

/*
 * Resolved by name once: numbers differ between architectures, and some calls do not exist on
 * all.
 */
static const struct seccomp_notify_path_call *find_call(const struct seccomp_data *call)
{
	static int numbers[COUNT_OF(seccomp_notify_path_calls)];
	static bool is_read;

	for (size_t i = 0; !is_read && seccomp_notify_path_calls[i].name; i++)
		numbers[i] = seccomp_syscall_resolve_name(seccomp_notify_path_calls[i].name);
	is_read = true;
	for (size_t i = 0; seccomp_notify_path_calls[i].name; i++)
		if (numbers[i] >= 0 && numbers[i] == call->nr)
			return &seccomp_notify_path_calls[i];
	return NULL;
}

/* Opening for reading is never held: it is by far the most frequent call. */
static bool is_writing(const struct seccomp_notify_path_call *c, const struct seccomp_data *call)
{
	uint64_t flags = c->flags_arg < 0 ? 0 : call->args[c->flags_arg];

	for (size_t i = 0; c->flags_arg >= 0 && i < seccomp_notify_path_write_flag_count; i++)
		if (flags & seccomp_notify_path_write_flags[i])
			return true;
	return c->flags_arg < 0;
}

bool seccomp_notify_path_is(const struct seccomp_data *call)
{
	const struct seccomp_notify_path_call *c = find_call(call);

	return c && is_writing(c, call);
}

/* ---- what the caller means ---- */

/*
 * process_vm_readv() stops between elements at a page that is not mapped.  The read is divided at
 * the page boundary, so that a path at the end of mapped memory is still read.  room has PATH_MAX
 * bytes, the longest path that the kernel takes with its NUL.  Returns an errno; 0: it was read.
 */
static int read_path(pid_t pid, uint64_t at, char room[PATH_MAX])
{
	size_t first = MIN((size_t)PATH_MAX, 4096 - (size_t)(at & 4095));
	struct iovec local = { room, PATH_MAX };
	struct iovec remote[] = { { (void *)(uintptr_t)at, first },
		                  { (void *)(uintptr_t)(at + first), PATH_MAX - first } };
	ssize_t got = process_vm_readv(pid, &local, 1, remote, 2, 0);

	if (got <= 0)
		return got < 0 ? errno : EFAULT;
	if (memchr(room, 0, (size_t)got))
		return 0;
	return got == PATH_MAX ? ENAMETOOLONG : EFAULT;
}

/* Is a name refused here, which nothing else refuses? */
static bool refuses_names(const struct sandbox_plan *p)
{
	return p->protected_paths.count || p->deny_rules.count;
}

/*
 * The directory from which the caller resolves the path.  The init opens it through /proc/PID, so
 * both see the same directory even if it was renamed.
 */
static int open_base(pid_t pid, const char *path, int dir)
{
	char name[32] = "cwd";

	if (*path == '/')
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir != AT_FDCWD)
		snprintf(name, sizeof name, "fd/%d", dir);
	return process_files_open(pid, name);
}

/* /proc/self would name the init; the caller means its own process. */
static void name_self(char *path, pid_t pid)
{
	if (!strcmp(path, "/proc/self") || !strcmp(path, "/proc/thread-self"))
		snprintf(path, PATH_MAX, "/proc/%d", pid);
}

/*
 * Where a path that does not exist would lead: every link on the way is followed by its text, the
 * last one too.  False: too long, or too many links.
 */
static bool resolve_text(pid_t pid, const char *base, const char *path, char out[PATH_MAX])
{
	char rest[2 * PATH_MAX], target[PATH_MAX];
	size_t at = 0;

	snprintf(out, PATH_MAX, "%s", *path == '/' || !strcmp(base, "/") ? "" : base);
	if ((size_t)snprintf(rest, sizeof rest, "%s", path) >= sizeof rest)
		return false;
	for (int links = 0; rest[at];) {
		size_t len = strcspn(rest + at, "/"), had = strlen(out);
		ssize_t got;

		if (len == 2 && !memcmp(rest + at, "..", 2)) {
			char *cut = strrchr(out, '/');

			if (cut)
				*cut = 0;
		} else if (len && !(len == 1 && rest[at] == '.')) {
			if (had + len + 2 > PATH_MAX)
				return false;
			snprintf(out + had, PATH_MAX - had, "/%.*s", (int)len, rest + at);
			name_self(out, pid);
		}
		at += len + (rest[at + len] == '/');
		got = *out && strlen(out) > had ? readlink(out, target, sizeof target - 1) : -1;
		if (got <= 0)
			continue;
		target[got] = 0;
		if (++links > SECCOMP_NOTIFY_WALK_LINKS ||
		    (size_t)got + 1 + strlen(rest + at) >= sizeof rest)
			return false;
		memmove(rest + got + 1, rest + at, strlen(rest + at) + 1);
		memcpy(rest, target, (size_t)got);
		rest[got] = '/';
		at = 0;
		out[*target == '/' ? 0 : had] = 0;
	}
	return true;
}

/* ---- does the sandbox refuse it? ---- */

struct target {
	const struct sandbox_plan *plan;
	int parent;          /* directory; -1: it is not there */
	int self;            /* -1: it is not there */
	char path[PATH_MAX]; /* absolute, as far as it could be resolved; empty: not */
	bool is_hidden;      /* it would lie where the sandbox shows nothing */
	bool keeps_link;     /* a link itself is meant */
	bool is_gone;        /* what was found has no name any more */
};

static bool is_read_only(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) == 0 && fs.f_flag & ST_RDONLY;
}

static bool is_mount(int fd)
{
	struct statx x;

	return statx(fd, "", AT_EMPTY_PATH, 0, &x) == 0 &&
	       x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT &&
	       x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* For tiers without namespaces, where no mount says what is writable. */
static bool is_outside(const struct sandbox_plan *p, const char *path)
{
	struct str s = str_from(path);

	return !PATH_UNDER_ANY(s, &p->write_roots) && !PATH_UNDER_ANY(s, &p->private_dirs) &&
	       !(str_is(p->tmp_dir) && path_is_under(s, p->tmp_dir)) &&
	       !path_is_under(s, STR("/dev")) && !path_is_under(s, STR("/proc"));
}

/*
 * A read-only mount is authoritative with namespaces; the plan's paths are only an approximation
 * of Landlock's rules.
 */
static bool is_closed(const struct target *t, int fd, const char *path)
{
	return sandbox_tier_has_namespaces(t->plan->tier) ? is_read_only(fd)
	                                                  : is_outside(t->plan, path);
}

/* A process of the host, which has no number in here. */
static bool is_hidden_process(const char *path)
{
	struct stat st;
	char dir[64];

	return sscanf(path, "/proc/%40[0-9]", dir + 6) == 1 && memcpy(dir, "/proc/", 6) &&
	       stat(dir, &st) < 0 && errno == ENOENT;
}

/*
 * The deepest existing directory is on the sandbox's own tmpfs, so the sandbox shows nothing
 * there.  Only the supervisor can see whether the path exists outside.
 */
static bool leads_nowhere(const char *absolute)
{
	struct stat root, st;
	char path[PATH_MAX];

	if (is_hidden_process(absolute))
		return true;
	snprintf(path, sizeof path, "%s", absolute);
	if (stat("/", &root) < 0)
		return false;
	for (char *cut; (cut = strrchr(path, '/'));) {
		*cut = 0;
		if (stat(*path ? path : "/", &st) == 0)
			return st.st_dev == root.st_dev;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

/* Links of procfs lead to the file of a descriptor, which may have no name and stays what it is. */
static bool is_procfs(int dir)
{
	struct statfs fs;

	return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * The name of a directory entry that was removed while the file has others: procfs adds a word to
 * it, and under that name nothing is found.
 */
static bool is_deleted(int fd, const char *path)
{
	struct stat st, there;

	return str_ends(str_from(path), STR(" (deleted)")) && fstat(fd, &st) == 0 &&
	       (lstat(path, &there) < 0 || there.st_ino != st.st_ino || there.st_dev != st.st_dev);
}

/*
 * The file has lost its last name since it was opened: another one is there by now.  What procfs
 * says about the old one names no path.
 */
static bool is_gone(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink == 0;
}

/*
 * Opens the target and its parent as far as they exist, and computes the target's absolute path
 * for the report: by the target itself, by its parent and name, or by the text of the path.
 */
static void open_target_once(pid_t pid, int base, const char *path, struct target *t)
{
	struct seccomp_notify_walk found;
	char real[PATH_MAX];

	seccomp_notify_walk(pid, base, path, !t->keeps_link, &found);
	t->self = found.self;
	t->parent = found.parent;
	if (t->self >= 0 && process_files_path(t->self, t->path, sizeof t->path)) {
		t->is_gone =
			(is_gone(t->self) || is_deleted(t->self, t->path)) && !is_procfs(t->parent);
		return;
	}
	if (t->parent >= 0 && process_files_path(t->parent, real, sizeof real)) {
		if ((size_t)snprintf(t->path, sizeof t->path, "%s/%s",
		                     strcmp(real, "/") ? real : "", found.name) >= sizeof t->path)
			t->path[0] = 0;
		return;
	}
	sys_close(&t->parent);
	if (!process_files_path(base, real, sizeof real) || !resolve_text(pid, real, path, t->path))
		t->path[0] = 0;
	t->is_hidden = t->path[0] == '/' && sandbox_tier_has_namespaces(t->plan->tier) &&
	               leads_nowhere(t->path);
}

/* A name that another process keeps replacing is looked at a few times. */
static void open_target(pid_t pid, int base, const char *path, struct target *t)
{
	open_target_once(pid, base, path, t);
	for (int tries = 0; tries < LOOKS_MAX && t->is_gone; tries++) {
		sys_close(&t->self);
		sys_close(&t->parent);
		t->is_gone = false;
		open_target_once(pid, base, path, t);
	}
}

/* A device or terminal that this /dev does not have. */
static bool is_missing_device(const struct sandbox_plan *p, const struct target *t)
{
	return t->self < 0 && sandbox_tier_has_namespaces(p->tier) &&
	       path_is_under(str_from(t->path), STR("/dev")) &&
	       !path_is_under(str_from(t->path), STR("/dev/shm"));
}

static bool keeps_link(const struct seccomp_notify_path_call *c, const struct seccomp_data *call)
{
	return c->keeps_link || c->nofollow_arg == SECCOMP_NOTIFY_PATH_NEVER_FOLLOWS ||
	       (c->nofollow_arg >= 0 && call->args[c->nofollow_arg] & AT_SYMLINK_NOFOLLOW);
}

/*
 * Creating a device is never allowed; known from the arguments alone.  The device 0:0 is an
 * overlayfs whiteout, which the kernel allows to every user.
 */
static bool makes_device(const struct seccomp_notify_path_call *c, const struct seccomp_data *call)
{
	bool is_at = !strcmp(c->name, "mknodat");
	uint64_t mode = call->args[is_at ? 2 : 1], dev = call->args[is_at ? 3 : 2];

	return (is_at || !strcmp(c->name, "mknod")) && (S_ISCHR(mode) || S_ISBLK(mode)) && dev;
}

/*
 * The errno with which the sandbox's mounts (or Landlock) will refuse the call; 0: they will not.
 * Errors that have another cause (the file exists, ordinary permissions) must give 0: they are
 * not violations.
 */
static int refusal_errno(const struct seccomp_notify_path_call *c, const struct seccomp_data *call,
                         const struct target *t)
{
	struct stat st;

	if (makes_device(c, call))
		return EPERM;
	if (t->self >= 0 && c->flags_arg >= 0 && call->args[c->flags_arg] & O_CREAT &&
	    call->args[c->flags_arg] & O_EXCL)
		return 0; /* the file exists, so the kernel answers EEXIST */
	if (t->self < 0) {
		if (t->is_hidden)
			return ENOENT;
		if (c->flags_arg >= 0 && is_missing_device(t->plan, t))
			return ENOENT;
		if (!c->creates)
			return 0;
		return t->parent >= 0 && is_closed(t, t->parent, t->path) ? EROFS : 0;
	}
	if (c->is_metadata)
		return is_closed(t, t->self, t->path) ? EROFS : 0;
	if (fstat(t->self, &st) < 0 ||
	    (!c->keeps_link && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0; /* writing to a device or pipe does not depend on the mount */
	if (c->keeps_link && c->creates && call->nr != SCMP_SYS(renameat) &&
	    call->nr != SCMP_SYS(renameat2) && strcmp(c->name, "rename"))
		return 0; /* mkdir -p and ln: the target exists, so the kernel answers EEXIST */
	if (c->keeps_link && is_mount(t->self))
		return EBUSY;
	if (c->keeps_link)
		return t->parent >= 0 && is_closed(t, t->parent, t->path) ? EROFS : 0;
	return is_closed(t, t->self, t->path) ? EROFS : 0;
}

/*
 * Would the call create a name that a pattern of a deny rule covers?  Paths without wildcards
 * have mounts or placeholders and need no check here.
 */
static bool is_denied_name(const struct sandbox_plan *p, const struct target *t)
{
	for (size_t i = 0; i < p->deny_rules.count && t->self < 0; i++) {
		struct str rule = p->deny_rules.at[i];
		struct path_glob g;

		if (str_starts(rule, STR(SANDBOX_PLAN_DENY_WRITE)))
			rule = str_skip(rule, sizeof SANDBOX_PLAN_DENY_WRITE - 1);
		if (path_glob_read(rule, &g) && !g.is_plain &&
		    path_glob_covers(&g, str_from(t->path)))
			return true;
	}
	return false;
}

/* The states of the pattern after the whole path. */
static uint64_t states_at(const struct path_glob *g, struct str path)
{
	uint64_t at = path_glob_begin(g);

	while (str_is(path)) {
		struct str name = str_cut(&path, '/');

		if (name.len)
			at = path_glob_step(g, at, name);
	}
	return at;
}

/*
 * A directory that is renamed: could a path below it match a pattern under the new name that did
 * not match under the old one?
 */
static bool brings_denied_names(const struct sandbox_plan *p, const char *from, const char *to)
{
	for (size_t i = 0; i < p->deny_rules.count; i++) {
		struct str rule = p->deny_rules.at[i];
		struct path_glob g;

		if (str_starts(rule, STR(SANDBOX_PLAN_DENY_WRITE)))
			rule = str_skip(rule, sizeof SANDBOX_PLAN_DENY_WRITE - 1);
		if (path_glob_read(rule, &g) && !g.is_plain &&
		    states_at(&g, str_from(to)) & ~states_at(&g, str_from(from)))
			return true;
	}
	return false;
}

static bool is_dir(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * A file tool puts a directory that it has prepared at a place above a file that a person let it
 * write.  It holds that file alone.
 */
static bool is_way_to_opened(const struct sandbox_plan *p, struct str path)
{
	for (size_t i = 0; i < p->opened_paths.count && p->openat2; i++)
		if (path_is_under(p->opened_paths.at[i], path))
			return true;
	return false;
}

/*
 * Would the call create a protected name, or bring one under another name by moving a directory
 * above it?  No mount can cover a path that does not exist; a directory also replaces one that is
 * there and empty.
 */
static bool is_protected_name(const struct seccomp_notify_path_call *c,
                              const struct sandbox_plan *p, const struct target *t)
{
	struct str path = str_from(t->path);
	bool is_rename = c->other_arg >= 0, is_new = t->self < 0;
	bool is_link = str_starts(str_from(c->name), STR("symlink"));

	if (is_rename && is_way_to_opened(p, path))
		return false;
	for (size_t i = 0; i < p->protected_paths.count; i++)
		if ((is_new && path_is_under(path, p->protected_paths.at[i])) ||
		    ((is_rename || (is_link && is_new)) &&
		     path_is_under(p->protected_paths.at[i], path)))
			return true;
	return false;
}

/*
 * The name under which a file tool prepares a new content (filetool/file_change.c): who writes it,
 * or puts another file there, would change what a person has approved.
 */
static bool is_of_file_tool(const struct sandbox_plan *p, const struct target *t)
{
	const char *slash = strrchr(t->path, '/');
	struct str name = str_from(slash ? slash + 1 : t->path);

	return !p->openat2 && str_starts(name, STR(SANDBOX_PLAN_TEMP_BEGIN)) &&
	       str_ends(name, STR(SANDBOX_PLAN_TEMP_END));
}

/*
 * Would the call change a protected path that exists and has no mount?  A person made it after the
 * sandbox began, perhaps in place of a placeholder: the kernel takes the mount away together with
 * the directory that it is on.
 */
static bool is_uncovered(const struct seccomp_notify_path_call *c, const struct seccomp_data *call,
                         const struct sandbox_plan *p, const struct target *t)
{
	bool is_rename = str_starts(str_from(c->name), STR("rename"));

	if (t->self < 0 || (c->keeps_link && c->creates && !is_rename) ||
	    (c->flags_arg >= 0 && call->args[c->flags_arg] & O_CREAT &&
	     call->args[c->flags_arg] & O_EXCL))
		return false; /* the file exists, so the kernel answers EEXIST */
	return sandbox_plan_protects(p, str_from(t->path));
}

/* err: the kernel's answer.  response: the answer of the init instead, or 0. */
static void note_file(struct report *r, const char *path, int err, int response)
{
	size_t len = strnlen(path, sizeof r->violation.path - 1);

	snprintf(r->violation.kind, sizeof r->violation.kind, "filesystem");
	snprintf(r->violation.operation, sizeof r->violation.operation, "write");
	memcpy(r->violation.path, path, len);
	r->violation.path[len] = 0;
	r->violation.os_errno = response ? response : err;
	r->violation.is_hidden = err == ENOENT;
}

/* The first path of a rename, which its second one is compared with. */
struct moved {
	char path[PATH_MAX]; /* empty: not known yet */
	bool is_dir;
};

/* renameat2() with this flag moves both ways. */
static bool is_exchange(const struct seccomp_notify_path_call *c, const struct seccomp_data *call)
{
	return !strcmp(c->name, "renameat2") && call->args[4] & RENAME_EXCHANGE;
}

/* Does the rename bring names below a directory that a pattern denies at the new place? */
static bool moves_denied_names(const struct seccomp_notify_path_call *c,
                               const struct sandbox_plan *p, const struct seccomp_data *call,
                               const struct moved *from, const struct target *to)
{
	if (!*from->path)
		return false;
	return (from->is_dir && brings_denied_names(p, from->path, to->path)) ||
	       (is_exchange(c, call) && is_dir(to->self) &&
	        brings_denied_names(p, to->path, from->path));
}

/*
 * The errno that the init answers with although the kernel would refuse the call as well.  A mount
 * that is renamed into another one gets EXDEV from the kernel, and mv then copies what it may and
 * removes what it can: a repository would be in two halves.
 */
static int better_errno(const struct seccomp_notify_path_call *c, int err)
{
	return c->other_arg >= 0 && err == EBUSY ? EBUSY : 0;
}

/* Does the init refuse the call, because nothing else would? */
static bool is_refused_here(const struct seccomp_notify_path_call *c, const struct sandbox_plan *p,
                            const struct seccomp_data *call, const struct moved *moved,
                            const struct target *t)
{
	bool removes = !c->creates && c->keeps_link && !c->is_metadata;

	/* Where it leads is not known: the path or its links are longer than any that is honest. */
	if (!t->path[0])
		return c->creates && refuses_names(p);
	/* It may be a protected one by now. */
	if (t->is_gone)
		return refuses_names(p);
	if (c->creates && (is_denied_name(p, t) || is_protected_name(c, p, t) ||
	                   moves_denied_names(c, p, call, moved, t)))
		return true;
	return is_uncovered(c, call, p, t) || (!removes && is_of_file_tool(p, t));
}

/* A path that cannot be read cannot be checked; the kernel might be able to read it. */
static bool refuse_unread(const struct sandbox_plan *p, int err, struct report *r, int *ret_err)
{
	if (!refuses_names(p))
		return false;
	*ret_err = err;
	note_file(r, "", 0, err);
	return true;
}

/* Evaluates one path argument.  The first one of a rename fills `moved`. */
static bool evaluate_path(const struct seccomp_notify_path_call *c, const struct sandbox_plan *p,
                          pid_t pid, const struct seccomp_data *call, int dir_arg, int path_arg,
                          struct moved *moved, struct report *r, int *ret_err)
{
	char path[PATH_MAX];
	struct target t = {
		.plan = p, .parent = -1, .self = -1, .keeps_link = keeps_link(c, call)
	};
	int dir = dir_arg < 0 ? AT_FDCWD : (int)call->args[dir_arg], err;
	FD_SCOPE base = -1;

	err = read_path(pid, call->args[path_arg], path);
	if (err)
		return refuse_unread(p, err, r, ret_err);
	if (!*path)
		return false; /* ENOENT, or the descriptor itself */
	base = open_base(pid, path, dir);
	if (base < 0)
		return refuse_unread(p, EBADF, r, ret_err);
	open_target(pid, base, path, &t);
	err = refusal_errno(c, call, &t);
	bool creates = c->other_arg >= 0   ? path_arg == c->other_arg
	               : c->flags_arg >= 0 ? call->args[c->flags_arg] & O_CREAT
	                                   : c->creates;

	*ret_err = err ? better_errno(c, err) : is_refused_here(c, p, call, moved, &t) ? EACCES : 0;
	if (c->other_arg >= 0 && path_arg != c->other_arg) {
		snprintf(moved->path, sizeof moved->path, "%s", t.path);
		moved->is_dir = is_dir(t.self);
	}
	bool no_device = is_missing_device(p, &t);

	sys_close(&t.self);
	sys_close(&t.parent);
	if (!err && !*ret_err)
		return false;
	note_file(r, t.path, err, *ret_err);
	/* a rename takes its first path away and makes its second */
	r->violation.is_file = !creates || no_device;
	/* programs that look for a device usually work without it */
	r->violation.has_fallback |= err == ENOENT && no_device;
	return true;
}

/*
 * The source of a hard link: a second name for a hidden file, or for one that may not be changed
 * under its first name.
 */
static bool evaluate_link(const struct seccomp_notify_path_call *c, const struct sandbox_plan *p,
                          pid_t pid, const struct seccomp_data *call, struct report *r,
                          int *ret_err)
{
	bool follows = !strcmp(c->name, "linkat") && call->args[4] & AT_SYMLINK_FOLLOW;
	struct target t = { .plan = p, .parent = -1, .self = -1, .keeps_link = !follows };
	int dir = c->from_dir_arg < 0 ? AT_FDCWD : (int)call->args[c->from_dir_arg], err = 0;
	char path[PATH_MAX];
	FD_SCOPE base = -1;

	err = read_path(pid, call->args[c->from_arg], path);
	if (err)
		return refuse_unread(p, err, r, ret_err);
	if (!*path)
		return false;
	base = open_base(pid, path, dir);
	if (base < 0)
		return refuse_unread(p, EBADF, r, ret_err);
	open_target(pid, base, path, &t);
	if (t.self >= 0)
		err = is_closed(&t, t.self, t.path) ? EXDEV : 0;
	else if (t.is_hidden)
		err = ENOENT;
	if (!err && t.is_gone && refuses_names(p))
		*ret_err = EACCES;
	if (!err && t.self >= 0 &&
	    (sandbox_plan_protects(p, str_from(t.path)) || is_of_file_tool(p, &t)))
		*ret_err = EACCES;
	sys_close(&t.self);
	sys_close(&t.parent);
	if (!err && !*ret_err)
		return false;
	note_file(r, t.path, err, *ret_err);
	r->violation.is_file = true;
	/* programs that cannot link copy the file */
	r->violation.has_fallback = err == EXDEV;
	return true;
}

bool seccomp_notify_path_evaluate(const struct sandbox_plan *p, pid_t pid,
                                  const struct seccomp_data *call, struct report *r, int *ret_err)
{
	const struct seccomp_notify_path_call *c = find_call(call);

	struct moved moved = { .path = "" };

	*ret_err = 0;
	/* Landlock does not restrict these calls */
	if (c->is_metadata && !sandbox_tier_has_namespaces(p->tier))
		return false;
	if (evaluate_path(c, p, pid, call, c->dir_arg, c->path_arg, &moved, r, ret_err))
		return true;
	if (c->from_arg >= 0)
		return evaluate_link(c, p, pid, call, r, ret_err);
	return c->other_arg >= 0 &&
	       evaluate_path(c, p, pid, call, c->other_dir_arg, c->other_arg, &moved, r, ret_err);
}

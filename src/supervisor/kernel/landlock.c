/*
 * The Landlock ruleset of a plan.  Rights that the kernel does not know are left
 * out by its ABI number.
 */
#include "supervisor/kernel/landlock.h"

#include "base/os/sys.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sys/stat.h>

/* Newer than the headers of Debian 12, which stop at ABI 2. */
#define FS_TRUNCATE (1ULL << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#define NET_BIND_TCP (1ULL << 0)  /* ABI 4 */
#define NET_CONNECT_TCP (1ULL << 1)
#define SCOPE_ABSTRACT_UNIX (1ULL << 0) /* ABI 6 */
#define SCOPE_SIGNAL (1ULL << 1)

/* struct landlock_ruleset_attr of ABI 6, with the members that older headers lack. */
struct ruleset_attr {
	uint64_t handled_fs, handled_net, scoped;
};

#define READ                                                                                       \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define MAKE                                                                                       \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                          \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                               \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)
#define WRITE (READ | MAKE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE)
#define DEVICE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE)
#define TERMINAL (DEVICE | FS_IOCTL_DEV)
/* Handled and never granted: creating character and block devices. */
#define NEVER (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)
/* The rights that the kernel accepts in a rule on something that is not a directory. */
#define ON_FILE                                                                                    \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |                               \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

struct rules {
	int fd;
	uint64_t known; /* rights that this kernel has */
	struct error *e;
};

/*
 * A right that is handled but not granted by a rule is denied, so every right that the kernel
 * knows is listed here.
 */
static struct ruleset_attr attr_for(const struct sandbox_plan *p, int abi)
{
	struct ruleset_attr a = { .handled_fs = WRITE | NEVER | FS_IOCTL_DEV };

	if (abi < 2)
		a.handled_fs &= ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
	if (abi < 3)
		a.handled_fs &= ~FS_TRUNCATE;
	if (abi < 5)
		a.handled_fs &= ~FS_IOCTL_DEV;
	/*
	 * A private loopback needs no second restriction, and servers inside must be able to
	 * listen.
	 */
	if (abi >= 4 && p->network == SANDBOX_NETWORK_OFF)
		a.handled_net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (abi >= 6)
		a.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
	return a;
}

/* An older kernel refuses a larger struct unless the additional bytes are zero. */
static size_t attr_size(int abi)
{
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

/*
 * A symbolic link grants nothing: its target has its own rule or none.  Write roots must exist; a
 * read root that vanished since the plan was made is only left out.
 */
static enum err allow(struct rules *r, const char *path, uint64_t rights, bool must_exist)
{
	FD_SCOPE fd = sys_open_place(AT_FDCWD, path);
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) && !must_exist)
		return OK;
	if (fd < 0)
		return fail_errno(r->e, ERR_IO, "landlock: open %s", path);
	if (fstat(fd, &st) < 0)
		return fail_errno(r->e, ERR_IO, "landlock: look at %s", path);
	if (S_ISLNK(st.st_mode))
		return OK;

	struct landlock_path_beneath_attr rule = { .parent_fd = fd,
		                                   .allowed_access = rights & r->known };

	if (!S_ISDIR(st.st_mode))
		rule.allowed_access &= ON_FILE;
	if (syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return fail_errno(r->e, ERR_IO, "landlock: rule for %s", path);
	return OK;
}

static enum err allow_list(struct rules *r, const struct sandbox_paths *list, uint64_t rights)
{
	for (size_t i = 0; i < list->count; i++) {
		enum err err = allow(r, list->at[i].ptr, rights, rights == WRITE);

		if (err)
			return err;
	}
	return OK;
}

static enum err allow_devices(struct rules *r, bool own_dev)
{
	static const char *const plain[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
		                             "/dev/urandom" };
	enum err err = OK;

	for (size_t i = 0; i < COUNT_OF(plain) && !err; i++)
		err = allow(r, plain[i], DEVICE, false);
	if (!err)
		err = allow(r, "/dev/tty", TERMINAL, false);
	/* The host's /dev/pts holds terminals of other programs and users. */
	if (!err && own_dev)
		err = allow(r, "/dev/pts", TERMINAL | READ, false);
	if (!err && own_dev)
		err = allow(r, "/dev/ptmx", TERMINAL, false);
	if (!err && own_dev)
		err = allow(r, "/dev/shm", WRITE, false);
	return err;
}

/*
 * With namespaces the new root contains only what the plan shows, so one rule on / is enough for
 * reading.
 */
static enum err allow_all(struct rules *r, const struct sandbox_plan *p, const char *tty)
{
	bool own_root = sandbox_tier_has_namespaces(p->tier);
	enum err err = own_root ? allow(r, "/", READ, true) : allow_list(r, &p->read_roots, READ);

	if (!err)
		err = allow_list(r, &p->write_roots, WRITE);
	if (!err)
		err = allow_list(r, &p->private_dirs, WRITE);
	if (!err && str_is(p->tmp_dir))
		err = allow(r, p->tmp_dir.ptr, WRITE, true);
	if (!err)
		err = allow_devices(r, own_root);
	/* Programs read /proc/self; nothing is executed from there. */
	if (!err && !own_root)
		err = allow(r, "/proc", READ & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE, false);
	if (!err && tty)
		err = allow(r, tty, TERMINAL, true);
	return err;
}

enum err landlock_apply(const struct sandbox_plan *p, int abi, const char *tty, struct error *e)
{
	struct ruleset_attr attr = attr_for(p, abi);
	FD_SCOPE fd = (int)syscall(SYS_landlock_create_ruleset, &attr, attr_size(abi), 0);

	if (fd < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "landlock: ruleset");

	struct rules r = { .fd = fd, .known = attr.handled_fs, .e = e };
	enum err err = allow_all(&r, p, tty);

	if (err)
		return err;
	if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "landlock: restrict");
	return OK;
}

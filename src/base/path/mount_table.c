/*
 * Reads /proc/self/mountinfo and answers which paths are on a local file
 * system.  The table is read again when the kernel reports a change.
 */
#include "base/path/mount_table.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/memory.h"
#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define LINKS_MAX 40
#define TABLE_BYTES_MAX (4u << 20)

struct mount {
	char *point;
	size_t len;
	bool is_local; /* by its type; an unknown type is not local */
};

/* One table per process; the loop and worker threads use it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mount *mounts;
static size_t mount_count, mount_cap;
static int table_fd = -1; /* of the process that opened it */
static pid_t table_pid;

bool mount_table_is_local_type(long type)
{
	static const unsigned long list[] = {
		0xef53 /* ext */,          0x58465342 /* xfs */,
		0x9123683e /* btrfs */,    0x01021994 /* tmpfs */,
		0x794c7630 /* overlay */,  0xf2f52010 /* f2fs */,
		0x2fc12fc1 /* zfs */,      0x858458f6 /* ramfs */,
		0xca451a4e /* bcachefs */, 0x73717368 /* squashfs */
	};

	for (size_t i = 0; i < COUNT_OF(list); i++)
		if ((unsigned long)type == list[i])
			return true;
	return false;
}

/* The list above and the kernel's own file systems, which never block. */
static bool is_local_name(struct str name)
{
	static const char *const list[] = { "ext2",     "ext3",    "ext4",     "xfs",      "btrfs",
		                            "tmpfs",    "overlay", "f2fs",     "zfs",      "ramfs",
		                            "bcachefs", "rootfs",  "squashfs", "devtmpfs", "proc",
		                            "sysfs",    "devpts",  "cgroup2",  "mqueue" };

	for (size_t i = 0; i < COUNT_OF(list); i++)
		if (str_eq(name, str_from(list[i])))
			return true;
	return false;
}

static void drop_mounts(void)
{
	for (size_t i = 0; i < mount_count; i++)
		free(mounts[i].point);
	mount_count = 0;
}

/* Blanks are escaped as \040. */
static char *unescape(struct str s, size_t *ret_len)
{
	char *out = memory_alloc(s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' && i + 3 < s.len) {
			out[n++] = (char)((s.ptr[i + 1] - '0') * 64 + (s.ptr[i + 2] - '0') * 8 +
			                  (s.ptr[i + 3] - '0'));
			i += 3;
		} else {
			out[n++] = s.ptr[i];
		}
	}
	out[n] = 0;
	*ret_len = n;
	return out;
}

/* 36 35 98:0 /root /point options tags - type source options */
static void add_line(struct str line)
{
	struct str word = STR_NONE, point = STR_NONE;
	struct mount *m;

	for (int i = 0; i < 5; i++) {
		point = str_cut(&line, ' ');
		if (!str_is(line))
			return;
	}
	while (str_is(line) && !str_eq(word, STR("-")))
		word = str_cut(&line, ' ');
	if (!str_is(line))
		return;
	word = str_cut(&line, ' ');
	if (mount_count == mount_cap) {
		mount_cap = mount_cap ? mount_cap * 2 : 32;
		mounts = memory_resize(mounts, mount_cap * sizeof *mounts);
	}
	m = &mounts[mount_count++];
	m->point = unescape(point, &m->len);
	m->is_local = is_local_name(word);
	if (m->len == 1) /* so that every path continues with a slash */
		m->len = 0;
}

/* A table that cannot be read makes every path non-local, so that nothing blocks the loop. */
static bool read_table(void)
{
	CLEANUP(buf_done) struct buf text = { .max = TABLE_BYTES_MAX };
	struct str rest;
	char part[16384];
	ssize_t got;

	drop_mounts();
	if (lseek(table_fd, 0, SEEK_SET) < 0)
		return false;
	while ((got = read(table_fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			buf_add(&text, part, (size_t)got);
	if (got < 0 || text.overflowed)
		return false;
	rest = buf_str(&text);
	while (rest.len)
		add_line(str_cut(&rest, '\n'));
	return mount_count > 0;
}

/*
 * poll() on the file reports a changed table.  After a fork the descriptor shows the
 * parent's mounts, and the child may be in another namespace, so the table is opened
 * again.
 */
static bool table_renew(void)
{
	struct pollfd p;

	if (table_fd >= 0 && table_pid != getpid()) {
		close(table_fd);
		table_fd = -1;
	}
	if (table_fd < 0) {
		table_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
		table_pid = getpid();
		return table_fd >= 0 && read_table();
	}
	p = (struct pollfd){ .fd = table_fd, .events = POLLPRI };
	if (poll(&p, 1, 0) > 0 && !read_table())
		drop_mounts();
	return mount_count > 0;
}

/* The longest matching mount; of several at one path the last. */
static bool is_local(struct str path)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < mount_count; i++) {
		const struct mount *m = &mounts[i];

		if (m->len <= path.len && (!best || m->len >= best->len) &&
		    !memcmp(m->point, path.ptr, m->len) &&
		    (m->len == path.len || path.ptr[m->len] == '/'))
			best = m;
	}
	return best && best->is_local;
}

bool mount_table_is_local(struct str path)
{
	bool is;

	if (!path.len || path.ptr[0] != '/')
		return false;
	pthread_mutex_lock(&lock);
	is = table_renew() && is_local(path);
	pthread_mutex_unlock(&lock);
	return is;
}

/* at: what was resolved so far, without a slash at its end. */
static void step_up(char *at, size_t *len)
{
	while (*len && at[*len - 1] != '/')
		--*len;
	*len -= *len > 0;
	at[*len] = 0;
}

/*
 * Under the lock.  Resolves the path as the kernel would, but asks the table before it
 * touches a component: readlink() itself blocks on a mount whose server is gone.
 */
static bool may_follow(struct str path)
{
	char at[PATH_MAX] = "", todo[2 * PATH_MAX], target[PATH_MAX];
	unsigned links = 0;
	size_t len = 0;
	struct str rest;

	if (path.len >= PATH_MAX)
		return false;
	memcpy(todo, path.ptr, path.len);
	rest = str_of(todo, path.len);
	while (str_is(rest)) {
		struct str each = str_cut(&rest, '/');
		ssize_t n;

		if (!each.len || str_eq(each, STR(".")))
			continue;
		if (str_eq(each, STR(".."))) {
			step_up(at, &len);
			continue;
		}
		if (len + 1 + each.len >= sizeof at)
			return false;
		at[len] = '/';
		memcpy(at + len + 1, each.ptr, each.len);
		len += 1 + each.len;
		at[len] = 0;
		if (!is_local(str_of(at, len)))
			return false;
		n = readlink(at, target, sizeof target);
		if (n < 0 && errno != EINVAL)
			return true; /* missing or no permission: nothing below is accessed */
		if (n <= 0)
			continue;
		if (++links > LINKS_MAX)
			return true; /* the kernel fails here too (ELOOP) */
		/* The kernel has no limit on the sum of targets: what does not fit is not known. */
		if (n == (ssize_t)sizeof target || (size_t)n + 1 + rest.len >= sizeof todo)
			return false;
		if (str_is(rest)) {
			memmove(todo + n + 1, rest.ptr, rest.len);
			todo[n] = '/';
			rest = str_of(todo, (size_t)n + 1 + rest.len);
		} else {
			rest = str_of(todo, (size_t)n);
		}
		memcpy(todo, target, (size_t)n);
		if (target[0] == '/')
			len = 0;
		else
			step_up(at, &len);
		at[len] = 0;
	}
	return true;
}

bool mount_table_may_follow(struct str path)
{
	bool may;

	if (!path.len || path.ptr[0] != '/' || memchr(path.ptr, 0, path.len))
		return false;
	pthread_mutex_lock(&lock);
	may = table_renew() && may_follow(path);
	pthread_mutex_unlock(&lock);
	return may;
}

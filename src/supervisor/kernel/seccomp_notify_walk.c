/* Opens what a path means for another process, name by name where that matters. */
#include "supervisor/kernel/seccomp_notify_walk.h"

#include "base/os/sys.h"

#include <linux/magic.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define PROC_ROOT 1 /* the inode of the root of every procfs */

struct walk {
	pid_t pid;
	int at; /* a directory; -1: the way has ended */
	int links;
	size_t pos;
	char rest[2 * PATH_MAX]; /* what is left of the path, from pos on */
};

/* ---- procfs ---- */

static bool is_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

static bool is_proc_root(int fd)
{
	struct stat st;

	return is_proc(fd) && fstat(fd, &st) == 0 && st.st_ino == PROC_ROOT;
}

/* A held call names the thread; /proc/self is its process. */
static pid_t process_of(pid_t thread)
{
	char path[64], line[128];
	int found = thread;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", thread);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &found) == 1)
			break;
	if (f)
		fclose(f);
	return found;
}

/* ---- one name after the other ---- */

static void move_to(struct walk *w, int fd)
{
	sys_close(&w->at);
	w->at = fd;
}

/* False: the path is over, or the name is too long for any file. */
static bool take_name(struct walk *w, char name[NAME_MAX + 1])
{
	size_t len;

	w->pos += strspn(w->rest + w->pos, "/");
	len = strcspn(w->rest + w->pos, "/");
	if (!len || len > NAME_MAX)
		return false;
	memcpy(name, w->rest + w->pos, len);
	name[len] = 0;
	w->pos += len;
	return true;
}

static bool has_more(const struct walk *w)
{
	return w->rest[w->pos + strspn(w->rest + w->pos, "/")];
}

/* Puts a text before what is left of the path. */
static bool prepend(struct walk *w, const char *text)
{
	size_t len = strlen(text), left = strlen(w->rest + w->pos);

	if (++w->links > SECCOMP_NOTIFY_WALK_LINKS || len + 1 + left >= sizeof w->rest)
		return false;
	memmove(w->rest + len + 1, w->rest + w->pos, left + 1);
	memcpy(w->rest, text, len);
	w->rest[len] = '/';
	w->pos = 0;
	if (*text == '/')
		move_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return w->at >= 0;
}

/* `self` in the root of a procfs: the text of the link that the other process would see. */
static bool self_text(const struct walk *w, const char *name, char text[64])
{
	bool is_thread = !strcmp(name, "thread-self");
	pid_t process;

	if ((!is_thread && strcmp(name, "self") != 0) || !is_proc_root(w->at))
		return false;
	process = process_of(w->pid);
	if (is_thread)
		snprintf(text, 64, "%d/task/%d", process, w->pid);
	else
		snprintf(text, 64, "%d", process);
	return true;
}

/*
 * Links of a process in procfs (cwd, root, exe, fd, map_files) lead to a file itself; their text is
 * only a description of it.  Those in the root of a procfs are ordinary links.
 */
static bool is_direct(const struct walk *w)
{
	return is_proc(w->at) && !is_proc_root(w->at);
}

static bool is_link(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Follows the link of this name.  False: it leads nowhere. */
static bool follow_text(struct walk *w, const char *name)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(w->at, name, text, sizeof text - 1);

	if (len <= 0)
		return false;
	text[len] = 0;
	return prepend(w, text);
}

static void end(struct walk *w, const char *name, int self, struct seccomp_notify_walk *ret)
{
	ret->self = self;
	ret->parent = w->at;
	w->at = -1;
	snprintf(ret->name, sizeof ret->name, "%s", name);
}

/*
 * One name.  False: the walk has ended, with a result or without one.  What is not there can only
 * be the last name.
 */
static bool step(struct walk *w, const char *name, bool follows, struct seccomp_notify_walk *ret)
{
	bool is_last = !has_more(w);
	char text[64];
	int fd;

	if ((!is_last || follows) && self_text(w, name, text))
		return prepend(w, text);
	fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && is_link(fd) && (!is_last || follows)) {
		sys_close(&fd);
		if (!is_direct(w))
			return follow_text(w, name);
		fd = openat(w->at, name, O_PATH | O_CLOEXEC);
	}
	if (is_last)
		end(w, name, fd, ret);
	else
		move_to(w, fd);
	return !is_last && fd >= 0;
}

/*
 * The parent in one call, if no link on the way depends on the process that follows it.  A parent
 * in procfs may be the wrong process's.
 */
static bool jump_to_parent(struct walk *w)
{
	char *slash = strrchr(w->rest, '/');
	int fd;

	if (!slash || slash == w->rest || !slash[1])
		return false;
	*slash = 0;
	fd = sys_openat2(w->at, w->rest, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_MAGICLINKS);
	*slash = '/';
	if (fd < 0 || is_proc(fd)) {
		sys_close(&fd);
		return false;
	}
	move_to(w, fd);
	w->pos = (size_t)(slash + 1 - w->rest);
	return true;
}

void seccomp_notify_walk(pid_t pid, int base, const char *path, bool follows,
                         struct seccomp_notify_walk *ret)
{
	struct walk w = { .pid = pid };
	char name[NAME_MAX + 1];

	*ret = (struct seccomp_notify_walk){ .parent = -1, .self = -1 };
	if ((size_t)snprintf(w.rest, sizeof w.rest, "%s", path) >= sizeof w.rest)
		return;
	w.at = *path == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
	                    : fcntl(base, F_DUPFD_CLOEXEC, 0);
	if (w.at >= 0)
		jump_to_parent(&w);
	while (w.at >= 0) {
		if (!take_name(&w, name)) {
			if (!has_more(
				    &w)) /* the path is a directory: a root, or what a link led to */
				end(&w, "", openat(w.at, ".", O_PATH | O_CLOEXEC), ret);
			break;
		}
		if (!step(&w, name, follows, ret))
			break;
	}
	sys_close(&w.at);
}

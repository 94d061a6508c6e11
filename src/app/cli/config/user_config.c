/* The user's settings file: read as strict JSON, because comments would be lost when it is written. */
#include "app/cli/config/user_config.h"

#include "app/cli/print/out.h"
#include "base/os/clock.h"
#include "base/os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BACKUPS_MAX 1000
#define FRESH_MAX 1000 /* names that are tried for the new file */
#define LOCK_WAIT_MS 10000
#define LOCK_AGAIN_NS 5000000

static void free_text(char **text)
{
	free(*text);
}

bool user_config_read(struct cli *c, const char *path, struct str *ret)
{
	*ret = paths_read_regular(c->mem, path, USER_CONFIG_MAX);
	return str_is(*ret) || errno == ENOENT;
}

bool user_config_parse(struct cli *c, struct str text, struct json *ret)
{
	if (!str_is(text) || !str_trim(text).len)
		return json_read_trusted(c->mem, STR("{}"), ret, NULL) == OK;
	return json_read(c->mem, text, ret, NULL) == OK && json_type(*ret) == JSON_OBJ;
}

/* The file itself: people keep their settings elsewhere and have a link here.  NULL: errno. */
static const char *target_of(struct cli *c, const char *path)
{
	CLEANUP(free_text) char *target = NULL;
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return path;
	target = realpath(path, NULL);
	return target ? arena_keep(c->mem, str_from(target)).ptr : NULL;
}

/* ---- the lock ---- */

static const char *dir_of(struct cli *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	return slash == path ? "/" : arena_keep(c->mem, str_of(path, (size_t)(slash - path))).ptr;
}

/* False: another command has it all the time. */
static bool wait_for_lock(int fd)
{
	int64_t end = clock_mono_ms() + LOCK_WAIT_MS;

	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EINTR)
			continue;
		/* A file system without locks must not make the settings unchangeable. */
		if (errno != EWOULDBLOCK)
			return true;
		if (clock_mono_ms() >= end)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_AGAIN_NS }, NULL);
	}
	return true;
}

int user_config_lock(struct cli *c, const char *path, int *ret)
{
	const char *target = target_of(c, path), *missing;
	int fd;

	if (!target)
		target = path;
	missing = paths_make_parents(c, target);
	if (missing) {
		out_error(c, "%s cannot be made: %s. Nothing was written.",
		          out_safe(c->mem, str_from(missing)), strerror(errno));
		return CODE_CONFIG;
	}
	fd = open(dir_of(c, target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		out_error(c, "%s: %s. Nothing was written.", out_safe(c->mem, str_from(path)),
		          strerror(errno));
		return CODE_CONFIG;
	}
	if (!wait_for_lock(fd)) {
		close(fd);
		out_error(c, "%s: another command is changing it. Nothing was written; try again.",
		          out_safe(c->mem, str_from(path)));
		return CODE_CONFIG;
	}
	*ret = fd;
	return CODE_DONE;
}

void user_config_unlock(int *lock)
{
	if (*lock >= 0)
		close(*lock);
	*lock = -1;
}

/* ---- writing ---- */

static bool write_text(int fd, struct str text)
{
	while (text.len) {
		ssize_t put = write(fd, text.ptr, text.len);

		if (put < 0 && errno != EINTR)
			return false;
		text = str_skip(text, put < 0 ? 0 : (size_t)put);
	}
	return fsync(fd) == 0;
}

/* A limit of file sizes is an error here, and must not end the program. */
static bool write_all(int fd, struct str text)
{
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	bool is_done = write_text(fd, text);
	int saved = errno;

	signal(SIGXFSZ, before);
	errno = saved;
	return is_done;
}

/* A file of this command alone: a name that is taken is left alone, whatever it is. */
static int open_fresh(struct cli *c, const char *target, mode_t mode, const char **ret)
{
	for (int n = 0; n < FRESH_MAX; n++) {
		const char *name =
			arena_printf(c->mem, "%s.%ld-%d.new", target, (long)getpid(), n).ptr;
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

		*ret = name;
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* What is there must be a file: a rename would replace a device or a pipe. */
static bool is_file_or_none(const char *target, mode_t *mode)
{
	struct stat st;

	if (lstat(target, &st) != 0)
		return errno == ENOENT;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOTSUP;
		return false;
	}
	if (!*mode)
		*mode = st.st_mode & 0777;
	return true;
}

/* mode 0: the file's own, or that of other new files. */
static bool write_file(struct cli *c, const char *target, struct str text, mode_t mode)
{
	const char *fresh;
	bool is_done;
	int fd, saved;

	if (paths_make_parents(c, target) || !is_file_or_none(target, &mode))
		return false;
	fd = open_fresh(c, target, mode ? mode : 0666, &fresh);
	if (fd < 0)
		return false;
	is_done = (!mode || fchmod(fd, mode) == 0) && write_all(fd, text);
	saved = errno;
	close(fd);
	if (is_done && rename(fresh, target) == 0) {
		(void)!sys_sync_dir_of(
			target); /* it is written; a crash may bring the old one back */
		return true;
	}
	saved = is_done ? errno : saved;
	unlink(fresh);
	errno = saved;
	return false;
}

bool user_config_write(struct cli *c, const char *path, struct str text)
{
	const char *target = target_of(c, path);

	return target && write_file(c, target, text, 0600);
}

bool user_config_write_shared(struct cli *c, const char *path, struct str text)
{
	return write_file(c, path, text, 0);
}

static bool write_new(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool is_done;
	int saved;

	if (fd < 0)
		return false;
	is_done = write_all(fd, text);
	saved = errno;
	close(fd);
	if (!is_done)
		unlink(path);
	errno = saved;
	return is_done;
}

const char *user_config_backup(struct cli *c, const char *path, struct str text)
{
	for (int n = 1; n <= BACKUPS_MAX; n++) {
		const char *name = arena_printf(c->mem, "%s.before-import-%d", path, n).ptr;

		if (write_new(name, text))
			return name;
		if (errno != EEXIST)
			return NULL;
	}
	return NULL;
}

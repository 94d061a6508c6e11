/* The user's settings file: read as strict JSON, because comments would be lost when it is written. */
#include "app/cli/config/user_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUPS_MAX 1000

static void free_text(char **text)
{
	free(*text);
}

bool user_config_read(struct cli *c, const char *path, struct str *ret)
{
	*ret = paths_read_file(c->mem, path, USER_CONFIG_MAX);
	return str_is(*ret) || errno == ENOENT;
}

bool user_config_parse(struct cli *c, struct str text, struct json *ret)
{
	if (!str_is(text) || !str_trim(text).len)
		return json_read_trusted(c->mem, STR("{}"), ret, NULL) == OK;
	return json_read(c->mem, text, ret, NULL) == OK && json_type(*ret) == JSON_OBJ;
}

static void make_parents(struct cli *c, const char *path)
{
	char *copy = (char *)arena_keep(c->mem, str_from(path)).ptr;

	for (char *at = copy + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = 0;
		mkdir(copy, 0700);
		*at = '/';
	}
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

/* mode 0: the file's own, or that of other new files. */
static bool write_file(struct cli *c, const char *target, struct str text, mode_t mode)
{
	const char *fresh = arena_printf(c->mem, "%s.new", target).ptr;
	struct stat st;
	bool is_done;
	int fd;

	if (!mode && stat(target, &st) == 0)
		mode = st.st_mode & 0777;
	make_parents(c, target);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode ? mode : 0666);
	if (fd < 0)
		return false;
	is_done = (!mode || fchmod(fd, mode) == 0) &&
	          write(fd, text.ptr, text.len) == (ssize_t)text.len && fsync(fd) == 0;
	close(fd);
	return is_done && rename(fresh, target) == 0;
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

	if (fd < 0)
		return false;
	is_done = write(fd, text.ptr, text.len) == (ssize_t)text.len && fsync(fd) == 0;
	close(fd);
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

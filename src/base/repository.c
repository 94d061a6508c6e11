#include "base/repository.h"

#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX 65536
#define DEPTH_MAX 64
#define MODULES_MAX 64

/* ---- settings ---- */

struct config_line {
	char section[64]; /* in small letters, without the name in quotes */
	char key[64];
	struct str value;
};

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The beginning that consists of letters, digits, - and . */
static size_t copy_name(char *out, size_t size, struct str s)
{
	size_t n = 0;

	for (; n < s.len && n + 1 < size; n++) {
		char c = small(s.ptr[n]);

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'))
			break;
		out[n] = c;
	}
	out[n] = 0;
	return n;
}

static bool is_key(const struct config_line *l, const char *section, const char *key)
{
	return !strcmp(l->section, section) && !strcmp(l->key, key);
}

static bool is_switch(struct str value)
{
	static const char *const words[] = {
		"", "true", "false", "yes", "no", "on", "off", "0", "1"
	};
	char low[8];
	size_t n = copy_name(low, sizeof low, value);

	if (n != value.len)
		return false;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (!strcmp(low, words[i]))
			return true;
	return false;
}

static bool names_program(const struct config_line *l)
{
	if (is_key(l, "core", "fsmonitor"))
		return !is_switch(l->value);
	if (!strcmp(l->section, "pager"))
		return !is_switch(l->value) && !str_eq(l->value, STR("cat"));
	if (!strcmp(l->section, "filter") || !strcmp(l->section, "include") ||
	    !strcmp(l->section, "includeif"))
		return strcmp(l->key, "required") != 0;
	return is_key(l, "core", "hookspath") || is_key(l, "core", "pager") ||
	       is_key(l, "core", "alternaterefscommand") || is_key(l, "core", "gitproxy") ||
	       is_key(l, "core", "sshcommand") || is_key(l, "diff", "external") ||
	       is_key(l, "diff", "textconv") || is_key(l, "diff", "command") ||
	       is_key(l, "merge", "driver") || is_key(l, "gpg", "program") ||
	       is_key(l, "interactive", "difffilter");
}

bool repository_config_runs_code(struct str text)
{
	struct config_line l = { 0 };

	if (memchr(text.ptr ? text.ptr : "", 0, text.len))
		return true;
	while (text.len) {
		struct str line = str_trim(str_cut(&text, '\n'));

		/* [section "name"] key = value may stand on one line */
		while (str_starts(line, STR("["))) {
			ptrdiff_t end = str_find_char(line, ']');
			size_t n = copy_name(l.section, sizeof l.section, str_skip(line, 1));
			char *dot;

			if (end < 0 || (size_t)end < n || (n + 1 == sizeof l.section))
				return true; /* odd: a name with ] in quotes, or a very long one */
			dot = strchr(l.section, '.'); /* the old form [diff.name] */
			if (dot)
				*dot = 0;
			line = str_trim(str_skip(line, (size_t)end + 1));
		}
		if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
			continue;
		if (copy_name(l.key, sizeof l.key, line) + 1 == sizeof l.key)
			return true;
		l.value = line;
		str_cut(&l.value, '=');
		l.value = str_is(l.value) ? str_trim(l.value) : STR("");
		if (names_program(&l))
			return true;
	}
	return false;
}

/* ---- files ---- */

enum found { FOUND_NONE, FOUND_TEXT, FOUND_ODD };

/* Plain files only: nothing that waits, nothing behind a link. */
static enum found read_plain(const char *path, char *text, size_t size, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	size_t len = 0;
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? FOUND_NONE : FOUND_ODD;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size >= size) {
		close(fd);
		return FOUND_ODD;
	}
	while (len < size && (got = read(fd, text + len, size - len)) > 0)
		len += (size_t)got;
	close(fd);
	*ret_len = len;
	return len < size ? FOUND_TEXT : FOUND_ODD;
}

static bool config_runs_code(const char *dir, const char *name)
{
	char path[PATH_MAX], *text;
	size_t len = 0;
	enum found found;
	bool runs;

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return true;
	text = malloc(CONFIG_MAX);
	if (!text)
		return true;
	found = read_plain(path, text, CONFIG_MAX, &len);
	runs = found == FOUND_ODD ||
	       (found == FOUND_TEXT && repository_config_runs_code(str_of(text, len)));
	free(text);
	return runs;
}

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
	       lstat(path, &st) == 0;
}

/* One line that names a directory: "gitdir: X" of a .git file, or commondir. */
static enum found read_pointer(const char *base, const char *name, const char *prefix, char *ret)
{
	char path[PATH_MAX], text[PATH_MAX];
	size_t len = 0, skip = strlen(prefix);
	enum found found;
	struct str line;

	if (snprintf(path, sizeof path, "%s/%s", base, name) >= (int)sizeof path)
		return FOUND_ODD;
	found = read_plain(path, text, sizeof text, &len);
	if (found != FOUND_TEXT)
		return found;
	line = str_of(text, len);
	if (!str_starts(line, str_from(prefix)))
		return FOUND_ODD;
	line = str_trim(str_skip(line, skip));
	if (!line.len || memchr(line.ptr, '\n', line.len))
		return FOUND_ODD;
	if (line.ptr[0] == '/')
		snprintf(ret, PATH_MAX, "%.*s", STR_ARG(line));
	else if (snprintf(ret, PATH_MAX, "%s/%.*s", base, STR_ARG(line)) >= PATH_MAX)
		return FOUND_ODD;
	return FOUND_TEXT;
}

static bool settings_run_code(const char *git_dir)
{
	return config_runs_code(git_dir, "config") ||
	       config_runs_code(git_dir, "config.worktree") ||
	       exists(git_dir, "hooks/post-index-change");
}

static bool modules_run_code(const char *git_dir)
{
	char path[PATH_MAX];
	bool runs = false;
	unsigned count = 0;
	struct dirent *d;
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/modules", git_dir) >= (int)sizeof path)
		return true;
	dir = opendir(path);
	while (dir && !runs && (d = readdir(dir))) {
		char module[PATH_MAX];

		if (d->d_name[0] == '.')
			continue;
		if (++count > MODULES_MAX || snprintf(module, sizeof module, "%s/%s", path,
		                                      d->d_name) >= (int)sizeof module) {
			runs = true;
			break;
		}
		/* a name with a slash lies deeper: its settings are not looked for */
		runs = exists(module, "config") ? settings_run_code(module) : true;
	}
	if (dir)
		closedir(dir);
	return runs;
}

static bool git_dir_runs_code(const char *git_dir)
{
	char common[PATH_MAX];
	enum found found = read_pointer(git_dir, "commondir", "", common);

	if (found == FOUND_ODD)
		return true;
	return settings_run_code(git_dir) || (found == FOUND_TEXT && settings_run_code(common)) ||
	       modules_run_code(found == FOUND_TEXT ? common : git_dir);
}

bool repository_runs_code(void *owner, struct str dir)
{
	char at[PATH_MAX], git_dir[PATH_MAX];

	(void)owner;
	if (dir.len >= sizeof at - 8 || !str_starts(dir, STR("/")))
		return true;
	snprintf(at, sizeof at, "%.*s", STR_ARG(dir));
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		char *slash = strrchr(at, '/');
		struct stat st;

		if (snprintf(git_dir, sizeof git_dir, "%s/.git", at) >= (int)sizeof git_dir)
			return true;
		if (stat(git_dir, &st) == 0 && S_ISDIR(st.st_mode))
			return git_dir_runs_code(git_dir);
		switch (read_pointer(at, ".git", "gitdir:", git_dir)) {
		case FOUND_TEXT:
			return git_dir_runs_code(git_dir);
		case FOUND_ODD:
			return true;
		default:
			break;
		}
		/* a bare repository */
		if (exists(at, "HEAD") && exists(at, "objects") && exists(at, "refs"))
			return git_dir_runs_code(at);
		if (!slash || !at[0])
			return false;
		*slash = 0;
	}
	return true;
}

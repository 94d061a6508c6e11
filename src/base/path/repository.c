/*
 * Reads a repository's git settings as data and finds programs that git would
 * run.  What cannot be read counts as if it named a program.
 */
#include "base/path/repository.h"

#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACEHOLDER_MODE 0555
/* Larger settings count as naming a program; real ones have a few hundred bytes. */
#define CONFIG_MAX 65536
#define DEPTH_MAX 64
#define MODULES_MAX 64

/* ---- settings ---- */

/* One line of git's settings with the section that it belongs to. */
struct config_line {
	char section[64]; /* in small letters, without the name in quotes */
	char name[128];   /* the one in quotes, or behind the dot */
	char key[64];
	struct str value;
};

static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The beginning that consists of letters, digits, - and . */
static size_t copy_name(char *out, size_t size, struct str s)
{
	size_t n = 0;

	for (; n < s.len && n + 1 < size; n++) {
		char c = lower_case(s.ptr[n]);

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

/* A switch is no program: git's own monitor is chosen by true. */
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

/* The address of a remote, or its substitute: prefixes such as "ext::" start a helper program. */
static bool names_helper(struct str url)
{
	ptrdiff_t at = str_find(url, STR("::"));

	return at > 0 && str_find_char(str_head(url, (size_t)at), '/') < 0;
}

/* Errs on the side of yes: any value of these keys counts, even one that git would ignore. */
static bool names_program(const struct config_line *l)
{
	static const struct {
		const char *section, *key;
	} programs[] = {
		{ "core", "hookspath" },
		{ "core", "pager" },
		{ "core", "alternaterefscommand" },
		{ "core", "gitproxy" },
		{ "core", "sshcommand" },
		{ "core", "askpass" },
		{ "core", "editor" },
		{ "sequence", "editor" },
		{ "diff", "external" },
		{ "diff", "textconv" },
		{ "diff", "command" },
		{ "merge", "driver" },
		{ "gpg", "program" },
		{ "gpg", "defaultkeycommand" },
		{ "interactive", "difffilter" },
		{ "credential", "helper" },
		{ "trailer", "command" },
		{ "trailer", "cmd" },
		{ "uploadpack", "packobjectshook" },
		{ "remote", "uploadpack" },
		{ "remote", "receivepack" },
		{ "remote", "vcs" },
		{ "difftool", "cmd" },
		{ "difftool", "path" },
		{ "mergetool", "cmd" },
		{ "mergetool", "path" },
		{ "guitool", "cmd" },
		{ "browser", "cmd" },
		{ "browser", "path" },
		{ "man", "cmd" },
		{ "man", "path" },
		{ "instaweb", "httpd" },
		{ "instaweb", "browser" },
		{ "gc", "recentobjectshook" },
		{ "hook", "command" },
		{ "imap", "tunnel" },
		{ "tar", "command" },
		{ "lfs", "path" }, /* of a custom transfer */
		{ "sendemail", "smtpserver" },
		{ "sendemail", "sendmailcmd" },
		{ "sendemail", "tocmd" },
		{ "sendemail", "cccmd" },
		{ "sendemail", "headercmd" },
	};

	if (is_key(l, "core", "fsmonitor"))
		return !is_switch(l->value);
	if (!strcmp(l->section, "pager"))
		return !is_switch(l->value) && !str_eq(l->value, STR("cat"));
	if (!strcmp(l->section, "filter") || !strcmp(l->section, "include") ||
	    !strcmp(l->section, "includeif"))
		return strcmp(l->key, "required") != 0;
	if (is_key(l, "remote", "url") || is_key(l, "remote", "pushurl"))
		return names_helper(l->value);
	if (is_key(l, "url", "insteadof") || is_key(l, "url", "pushinsteadof"))
		return names_helper(str_from(l->name));
	if (is_key(l, "submodule", "update"))
		return str_starts(l->value, STR("!"));
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		if (is_key(l, programs[i].section, programs[i].key))
			return true;
	return false;
}

/* [section "name"]: false when it is odd (a ] in the name, a very long one). */
static bool read_section(struct config_line *l, struct str *line)
{
	ptrdiff_t end = str_find_char(*line, ']');
	size_t n = copy_name(l->section, sizeof l->section, str_skip(*line, 1)), len = 0;
	struct str quoted;
	char *dot;

	if (end < 0 || (size_t)end < n || n + 1 == sizeof l->section)
		return false;
	quoted = str_head(*line, (size_t)end);
	*line = str_trim(str_skip(*line, (size_t)end + 1));
	l->name[0] = 0;
	dot = strchr(l->section, '.'); /* the old form [diff.name] */
	if (dot) {
		*dot = 0;
		snprintf(l->name, sizeof l->name, "%s", dot + 1);
	}
	str_cut(&quoted, '"');
	for (size_t i = 0; str_is(quoted) && i < quoted.len && quoted.ptr[i] != '"'; i++) {
		if (quoted.ptr[i] == '\\' && i + 1 < quoted.len)
			i++;
		if (len + 1 == sizeof l->name)
			return false;
		l->name[len++] = quoted.ptr[i];
		l->name[len] = 0;
	}
	return true;
}

/* Calls `each` per line until it returns true.  Unusual syntax also returns true. */
static bool walk_config(struct str text, bool (*each)(const struct config_line *l, void *arg),
                        void *arg)
{
	struct config_line l = { 0 };

	/* A NUL could make git read other settings than this code does. */
	if (memchr(text.ptr ? text.ptr : "", 0, text.len))
		return true;
	while (text.len) {
		struct str line = str_trim(str_cut(&text, '\n'));

		/* [section "name"] key = value may be on one line */
		while (str_starts(line, STR("[")))
			if (!read_section(&l, &line))
				return true;
		if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
			continue;
		if (copy_name(l.key, sizeof l.key, line) + 1 == sizeof l.key)
			return true;
		l.value = line;
		str_cut(&l.value, '=');
		l.value = str_is(l.value) ? str_trim(l.value) : STR("");
		if (each(&l, arg))
			return true;
	}
	return false;
}

static bool is_program_line(const struct config_line *l, void *arg)
{
	(void)arg;
	return names_program(l);
}

bool repository_config_runs_code(struct str text)
{
	return walk_config(text, is_program_line, NULL);
}

/* ---- files ---- */

enum found { FOUND_NONE, FOUND_TEXT, FOUND_ODD };

/* Regular files only: nothing that can block, no links. */
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

/*
 * The empty directory that a sandbox puts in the place of a missing protected file while it exists
 * (supervisor/files/protected_paths.h).  git reads no settings from it.
 */
static bool is_placeholder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool is_empty = dir != NULL;
	struct dirent *d;
	struct stat st;

	if (fd >= 0 && !dir)
		close(fd);
	if (dir && (fstat(fd, &st) < 0 || (st.st_mode & 07777) != PLACEHOLDER_MODE))
		is_empty = false;
	while (is_empty && (d = readdir(dir)))
		is_empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	if (dir)
		closedir(dir);
	return is_empty;
}

/* A file that cannot be read plainly counts as yes; a missing one as no. */
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
	runs = (found == FOUND_ODD && !is_placeholder(path)) ||
	       (found == FOUND_TEXT && repository_config_runs_code(str_of(text, len)));
	free(text);
	return runs;
}

static bool file_exists(const char *dir, const char *name)
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

/* post-index-change runs after reading commands, too: `git status` writes the index. */
static bool settings_run_code(const char *git_dir)
{
	return config_runs_code(git_dir, "config") ||
	       config_runs_code(git_dir, "config.worktree") ||
	       file_exists(git_dir, "hooks/post-index-change");
}

/*
 * Reading commands look into submodules, whose settings are inside the git directory of
 * the superproject.
 */
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
		/* a name with a slash is nested deeper, where settings are not searched */
		runs = file_exists(module, "config") ? settings_run_code(module) : true;
	}
	if (dir)
		closedir(dir);
	return runs;
}

/* A linked worktree has its own settings and those of the common directory. */
static bool git_dir_runs_code(const char *git_dir)
{
	char common[PATH_MAX];
	enum found found = read_pointer(git_dir, "commondir", "", common);

	if (found == FOUND_ODD)
		return true;
	return settings_run_code(git_dir) || (found == FOUND_TEXT && settings_run_code(common)) ||
	       modules_run_code(found == FOUND_TEXT ? common : git_dir);
}

/* The git directory that git finds from an absolute directory. */
static enum found find_git_dir(struct str dir, char git_dir[PATH_MAX])
{
	char at[PATH_MAX];

	if (dir.len >= sizeof at - 8 || !str_starts(dir, STR("/")))
		return FOUND_ODD;
	snprintf(at, sizeof at, "%.*s", STR_ARG(dir));
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		char *slash = strrchr(at, '/');
		enum found found;
		struct stat st;

		if (snprintf(git_dir, PATH_MAX, "%s/.git", at) >= PATH_MAX)
			return FOUND_ODD;
		if (stat(git_dir, &st) == 0 && S_ISDIR(st.st_mode))
			return FOUND_TEXT;
		found = read_pointer(at, ".git", "gitdir:", git_dir);
		if (found != FOUND_NONE)
			return found;
		/* a bare repository */
		if (file_exists(at, "HEAD") && file_exists(at, "objects") &&
		    file_exists(at, "refs")) {
			snprintf(git_dir, PATH_MAX, "%s", at);
			return FOUND_TEXT;
		}
		if (!slash || !at[0])
			return FOUND_NONE;
		*slash = 0;
	}
	return FOUND_ODD;
}

bool repository_runs_code(void *owner, struct str dir)
{
	char git_dir[PATH_MAX];
	enum found found = find_git_dir(dir, git_dir);

	(void)owner;
	return found == FOUND_ODD || (found == FOUND_TEXT && git_dir_runs_code(git_dir));
}

/* ---- hooks ---- */

/* Names that git does not know count too; only samples do not. */
bool repository_runs_hooks(void *owner, struct str dir)
{
	char git_dir[PATH_MAX], common[PATH_MAX], path[PATH_MAX];
	enum found found = find_git_dir(dir, git_dir);
	bool runs = false;
	struct dirent *d;
	DIR *hooks;

	(void)owner;
	if (found != FOUND_TEXT)
		return found == FOUND_ODD;
	found = read_pointer(git_dir, "commondir", "", common);
	if (found == FOUND_ODD ||
	    snprintf(path, sizeof path, "%s/hooks", found == FOUND_TEXT ? common : git_dir) >=
	            (int)sizeof path)
		return true;
	hooks = opendir(path);
	while (hooks && !runs && (d = readdir(hooks)))
		runs = d->d_name[0] != '.' && !str_ends(str_from(d->d_name), STR(".sample"));
	if (hooks)
		closedir(hooks);
	return runs;
}

/* Calls each for the lines of a file; one that cannot be read has none. */
static void read_lines(const char *dir, const char *name,
                       bool (*each)(const struct config_line *l, void *arg), void *arg)
{
	char path[PATH_MAX], *text;
	size_t len = 0;

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return;
	text = malloc(CONFIG_MAX);
	if (text && read_plain(path, text, CONFIG_MAX, &len) == FOUND_TEXT)
		(void)!walk_config(str_of(text, len), each, arg);
	free(text);
}

/* ---- drivers ---- */

struct drivers {
	struct repository_driver *at;
	size_t count;
	bool is_users;
};

/* The first definition of a name counts; the caller reads the repository before the user. */
static bool add_driver(const struct config_line *l, void *arg)
{
	struct drivers *all = arg;
	struct repository_driver *d;
	enum repository_driver_kind kind = !strcmp(l->section, "filter")   ? REPOSITORY_FILTER
	                                   : is_key(l, "diff", "textconv") ? REPOSITORY_TEXTCONV
	                                   : is_key(l, "diff", "command")  ? REPOSITORY_DIFF
	                                   : is_key(l, "diff", "external") ? REPOSITORY_DIFF
	                                                                   : 0;

	if (!kind)
		return false;
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].kind == kind && !strcmp(all->at[i].name, l->name))
			return false;
	if (all->count == REPOSITORY_DRIVERS_MAX)
		return true;
	d = &all->at[all->count++];
	*d = (struct repository_driver){ .kind = kind, .is_users = all->is_users };
	snprintf(d->name, sizeof d->name, "%s", l->name);
	return false;
}

/* A file that cannot be read adds nothing; repository_runs_code() counts such a file as yes. */
size_t repository_drivers(struct str dir, const char *home,
                          struct repository_driver ret[REPOSITORY_DRIVERS_MAX])
{
	char git_dir[PATH_MAX], common[PATH_MAX];
	struct drivers all = { .at = ret };

	if (find_git_dir(dir, git_dir) == FOUND_TEXT) {
		read_lines(git_dir, "config", add_driver, &all);
		read_lines(git_dir, "config.worktree", add_driver, &all);
		if (read_pointer(git_dir, "commondir", "", common) == FOUND_TEXT)
			read_lines(common, "config", add_driver, &all);
	}
	all.is_users = true;
	if (home) {
		read_lines(home, ".gitconfig", add_driver, &all);
		read_lines(home, ".config/git/config", add_driver, &all);
	}
	return all.count;
}

/* ---- the user ---- */

/* A value without its quotes, escapes and comment; false: too long, or with control characters. */
static bool plain_value(struct str value, char *ret, size_t size)
{
	bool is_quoted = false;
	size_t len = 0, end = 0;

	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (c == '"') {
			is_quoted = !is_quoted;
			end = len;
			continue;
		}
		if (!is_quoted && (c == '#' || c == ';'))
			break;
		if (c == '\\' && i + 1 < value.len)
			c = value.ptr[++i];
		if ((unsigned char)c < ' ' || c == 127 || len + 1 == size)
			return false;
		ret[len++] = c;
		if (is_quoted || c != ' ')
			end = len;
	}
	ret[end] = 0;
	return !is_quoted;
}

static bool add_user(const struct config_line *l, void *arg)
{
	struct repository_user *u = arg;
	const struct {
		const char *section, *key;
		char *to;
		size_t size;
	} known[] = { { "user", "name", u->name, sizeof u->name },
		      { "user", "email", u->email, sizeof u->email },
		      { "init", "defaultbranch", u->branch, sizeof u->branch } };
	char value[256];

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (is_key(l, known[i].section, known[i].key) && !l->name[0] &&
		    plain_value(l->value, value, MIN(sizeof value, known[i].size)))
			snprintf(known[i].to, known[i].size, "%s", value);
	return false;
}

static bool add_signs(const struct config_line *l, void *arg)
{
	char value[8];

	/* the last one counts; a key without a value is true */
	if (is_key(l, "commit", "gpgsign") && plain_value(l->value, value, sizeof value))
		*(bool *)arg = !value[0] || !strcasecmp(value, "true") || !strcmp(value, "1") ||
		               !strcasecmp(value, "yes") || !strcasecmp(value, "on");
	return false;
}

/* The user's own files may be links, as managers of such files make them. */
static void read_user_lines(const char *home, bool (*each)(const struct config_line *l, void *arg),
                            void *arg)
{
	static const char *const names[] = { ".config/git/config", ".gitconfig" };
	char path[PATH_MAX], full[PATH_MAX];

	for (size_t i = 0; home && i < COUNT_OF(names); i++)
		if (snprintf(path, sizeof path, "%s/%s", home, names[i]) < (int)sizeof path &&
		    realpath(path, full))
			read_lines("", full + 1, each, arg);
}

void repository_user(const char *home, struct repository_user *ret)
{
	*ret = (struct repository_user){ 0 };
	read_user_lines(home, add_user, ret);
}

bool repository_signs(struct str dir, const char *home)
{
	char git_dir[PATH_MAX], common[PATH_MAX];
	bool signs = false;

	read_user_lines(home, add_signs, &signs);
	if (find_git_dir(dir, git_dir) != FOUND_TEXT)
		return signs;
	if (read_pointer(git_dir, "commondir", "", common) == FOUND_TEXT)
		read_lines(common, "config", add_signs, &signs);
	read_lines(git_dir, "config", add_signs, &signs);
	return signs;
}

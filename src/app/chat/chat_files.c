/*
 * The files that "@" offers: those below a directory, without what .gitignore
 * and .ignore files name.  git itself is not run, because a repository can make
 * it run programs.
 *
 * Patterns are those of gitignore: comments, "!" takes back, "/" at the end
 * means directories, a "/" inside ties the pattern to the file's directory, and
 * "**" spans directories.  The last pattern that matches decides.
 */
#include "app/chat/chat_complete.h"

#include "app/cli/print/out.h"
#include "app/cli/verbs.h"
#include "base/utf8.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 24
#define IGNORE_BYTES (256u << 10)

struct pattern {
	const char *text; /* for fnmatch */
	size_t base;      /* length of the directory that it belongs to */
	bool is_negated, is_dir, is_tied;
	struct pattern *before;
};

struct walk {
	struct arena *mem;
	int root;
	struct str *files;
	size_t count, max, room;
	struct pattern *last;
};

/* ---- ignore files ---- */

static void add_pattern(struct walk *w, struct str line, size_t base)
{
	struct pattern *p = ARENA_NEW(w->mem, struct pattern);

	p->before = w->last;
	p->base = base;
	if (str_starts(line, STR("!"))) {
		p->is_negated = true;
		line = str_skip(line, 1);
	}
	if (str_ends(line, STR("/"))) {
		p->is_dir = true;
		line.len--;
	}
	p->is_tied = line.len && memchr(line.ptr, '/', line.len);
	if (str_starts(line, STR("**/"))) {
		line = str_skip(line, 3);
		p->is_tied = memchr(line.ptr, '/', line.len) != NULL;
	}
	if (str_starts(line, STR("/")))
		line = str_skip(line, 1);
	if (!line.len)
		return;
	p->text = arena_keep(w->mem, line).ptr;
	w->last = p;
}

static void read_ignore(struct walk *w, const char *dir, const char *name)
{
	char path[4096];
	char *text;
	struct str rest;
	ssize_t len;
	int fd;

	snprintf(path, sizeof path, "%s%s%s", dir, *dir ? "/" : "", name);
	fd = openat(w->root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	text = arena_alloc_raw(w->mem, IGNORE_BYTES);
	len = read(fd, text, IGNORE_BYTES);
	close(fd);
	rest = str_of(text, len > 0 ? (size_t)len : 0);
	while (rest.len) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (line.len && line.ptr[0] != '#')
			add_pattern(w, line, *dir ? strlen(dir) + 1 : 0);
	}
}

static bool matches(const struct pattern *p, const char *path, const char *name)
{
	const char *inside = path + p->base;

	if (!p->is_tied)
		return fnmatch(p->text, name, 0) == 0;
	return fnmatch(p->text, inside, strstr(p->text, "**") ? 0 : FNM_PATHNAME) == 0;
}

static bool is_ignored(const struct walk *w, const char *path, const char *name, bool is_dir)
{
	for (const struct pattern *p = w->last; p; p = p->before)
		if ((is_dir || !p->is_dir) && matches(p, path, name))
			return !p->is_negated;
	return false;
}

/* ---- the walk ---- */

/* Names that a terminal would not show as they are are not offered. */
static bool is_plain_name(const char *path)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	utf8_add_safe(&safe, str_from(path), false);
	return str_eq(buf_str(&safe), str_from(path));
}

static void add_file(struct walk *w, const char *path)
{
	if (!is_plain_name(path))
		return;
	if (w->count == w->room) {
		size_t room = MAX(256, w->room * 2);

		w->files = arena_grow(w->mem, w->files, w->room * sizeof *w->files,
		                      room * sizeof *w->files);
		w->room = room;
	}
	w->files[w->count++] = arena_keep(w->mem, str_from(path));
}

static bool is_directory(struct walk *w, const struct dirent *d, const char *path)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return fstatat(w->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void walk_dir(struct walk *w, const char *dir, int depth)
{
	struct pattern *outer = w->last;
	struct dirent *d;
	DIR *stream;
	int fd = openat(w->root, *dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	stream = fd >= 0 ? fdopendir(fd) : NULL;
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	read_ignore(w, dir, ".gitignore");
	read_ignore(w, dir, ".ignore");
	while (w->count < w->max && (d = readdir(stream))) {
		char path[4096];
		bool is_dir;

		if (d->d_name[0] == '.' && (!d->d_name[1] || strcmp(d->d_name, "..") == 0 ||
		                            strcmp(d->d_name, ".git") == 0))
			continue;
		if (snprintf(path, sizeof path, "%s%s%s", dir, *dir ? "/" : "", d->d_name) >=
		    (int)sizeof path)
			continue;
		is_dir = is_directory(w, d, path);
		if (is_ignored(w, path, d->d_name, is_dir))
			continue;
		if (!is_dir)
			add_file(w, path);
		else if (depth < DEPTH_MAX)
			walk_dir(w, path, depth + 1);
	}
	closedir(stream);
	w->last = outer;
}

size_t chat_files_list(struct arena *mem, const char *dir, struct str **ret, size_t max)
{
	struct walk w = { .mem = mem, .max = max };

	w.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w.root < 0)
		return 0;
	walk_dir(&w, "", 0);
	close(w.root);
	*ret = w.files;
	return w.count;
}

/* ---- the verb ---- */

/* A name with a line break would be two. */
int verb_files(struct cli *c)
{
	struct str *files;
	const char *dir;
	size_t count;
	int code = paths_work_dir(c, &dir);

	if (code)
		return code;
	count = chat_files_list(c->mem, dir, &files, CHAT_FILES_MAX);
	for (size_t i = 0; i < count; i++)
		if (!memchr(files[i].ptr, '\n', files[i].len))
			printf("%s\n", out_safe(c->mem, files[i]));
	return CODE_DONE;
}

/*
 * Reads ignore files while a directory is walked.  The agent can write them, so
 * each is bounded, and what is not a regular file is not opened.
 */
#include "filetool/file_ignore.h"

#include "base/path/foreign_file.h"

#include "base/os/sys.h"
#include "filetool/file_pattern.h"

#define IGNORE_BYTES_MAX (256 << 10) /* of one file; a longer one is as if it were not there */

/* ---- reading ---- */

/* A blank after a backslash belongs to the pattern, as in git. */
static struct str trimmed(struct str line)
{
	while (line.len && strchr(" \t\r", line.ptr[line.len - 1]) &&
	       !(line.len > 1 && line.ptr[line.len - 2] == '\\'))
		line.len--;
	return line;
}

/*
 * One line.  A pattern without a slash matches at any depth, so it gets a leading double star;
 * one with a slash starts at the file's directory.  False: a comment or an empty line.
 */
static bool read_rule(struct arena *mem, struct str line, struct ignore_rule *ret)
{
	struct str s = trimmed(line);
	bool is_anchored;

	*ret = (struct ignore_rule){ 0 };
	if (!s.len || s.ptr[0] == '#')
		return false;
	if (s.ptr[0] == '!') {
		ret->is_kept = true;
		s = str_skip(s, 1);
	}
	is_anchored = s.len && s.ptr[0] == '/';
	if (is_anchored)
		s = str_skip(s, 1);
	if (s.len && s.ptr[s.len - 1] == '/') {
		ret->is_dirs_only = true;
		s.len--;
	}
	if (!s.len)
		return false;
	ret->pattern = is_anchored || str_find_char(s, '/') >= 0
	                       ? arena_keep(mem, s)
	                       : arena_printf(mem, "**/%.*s", STR_ARG(s));
	return true;
}

static struct ignore_list read_list(struct arena *mem, int dir, const char *name)
{
	struct ignore_list l = { 0 };
	struct foreign_file file;
	struct error ignored;
	struct str text;
	size_t lines = 1;

	if (foreign_file_read_at(mem, dir, name, IGNORE_BYTES_MAX, &file, &ignored) != OK)
		return l;
	text = file.text;
	for (size_t i = 0; i < text.len; i++)
		lines += text.ptr[i] == '\n';
	l.rules = ARENA_ARRAY(mem, struct ignore_rule, lines);
	while (str_is(text))
		l.count += read_rule(mem, str_cut(&text, '\n'), &l.rules[l.count]);
	return l;
}

static const char *const ignore_names[] = { [IGNORE_RG] = ".rgignore",
	                                    [IGNORE_PLAIN] = ".ignore",
	                                    [IGNORE_GIT] = ".gitignore",
	                                    [IGNORE_EXCLUDE] = ".git/info/exclude" };

/* Asked before ripgrep starts: it would open a FIFO with such a name and wait. */
bool file_ignore_is_plain(int dir)
{
	for (size_t i = 0; i < COUNT_OF(ignore_names); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct foreign_file file;
		struct error ignored;
		enum err code = foreign_file_read_at(mem, dir, ignore_names[i], IGNORE_BYTES_MAX,
		                                     &file, &ignored);

		if (code && code != ERR_NOT_FOUND)
			return false;
	}
	return true;
}

const struct ignore_dir *file_ignore_enter(struct arena *mem, const struct ignore_dir *up, int fd,
                                           struct str path)
{
	const char *const *names = ignore_names;
	struct ignore_dir *d = ARENA_NEW(mem, struct ignore_dir);

	*d = (struct ignore_dir){ .up = up,
		                  .path = arena_keep(mem, path),
		                  .is_repository =
		                          faccessat(fd, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0 };
	for (size_t i = 0; i < IGNORE_KINDS; i++)
		d->lists[i] = read_list(mem, fd, names[i]);
	return d;
}

/*
 * Ignore files above the searched directory count too; directories that the sandbox does not show
 * are skipped.
 */
const struct ignore_dir *file_ignore_above(struct file_call *c, struct str path)
{
	const struct ignore_dir *d = NULL;

	for (size_t len = 1; len <= path.len; len++) {
		struct str part = str_head(path, len);

		if (len > 1 && len < path.len && path.ptr[len] != '/')
			continue;

		FD_SCOPE fd = file_path_open(c, arena_keep(c->mem, part), O_RDONLY | O_DIRECTORY);

		if (fd >= 0)
			d = file_ignore_enter(c->mem, d, fd, part);
	}
	return d;
}

/* ---- matching ---- */

/* From the end: of one file the last line that matches decides. */
static const struct ignore_rule *find_rule(const struct ignore_list *l, struct str path,
                                           bool is_dir)
{
	for (size_t i = l->count; i-- > 0;)
		if ((is_dir || !l->rules[i].is_dirs_only) &&
		    file_pattern_path_matches(l->rules[i].pattern, path))
			return &l->rules[i];
	return NULL;
}

/*
 * From the deepest directory up, the first rule of each kind counts; then the kinds decide in
 * their order.
 */
bool file_ignore_is_left_out(const struct ignore_dir *d, struct str path, bool is_dir)
{
	const struct ignore_rule *found[IGNORE_KINDS] = { 0 };
	bool is_outside = false; /* of the repository */

	for (; d; d = d->up) {
		struct str below = str_skip(path, d->path.len > 1 ? d->path.len + 1 : 1);

		for (int k = 0; k < IGNORE_KINDS; k++)
			if (!found[k] && !(k >= IGNORE_GIT && is_outside))
				found[k] = find_rule(&d->lists[k], below, is_dir);
		is_outside |= d->is_repository;
	}
	for (int k = 0; k < IGNORE_KINDS; k++)
		if (found[k])
			return !found[k]->is_kept;
	return false;
}

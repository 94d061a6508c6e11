/* Files and lines of logs.  The files are those of others: nothing about them is trusted. */
#include "conform/log_source.h"

#include "base/gen/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

/* ---- which files ---- */

static bool is_log_name(const char *name)
{
	return str_ends(str_from(name), STR(".jsonl")) || str_ends(str_from(name), STR(".ndjson"));
}

static bool is_plain_file(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void add_file(struct arena *mem, struct log_files *f, struct str path)
{
	f->paths = arena_grow(mem, f->paths, f->count * sizeof path, (f->count + 1) * sizeof path);
	f->paths[f->count++] = path;
}

static enum err list_dir(struct arena *mem, DIR *dir, struct str path, struct log_files *ret,
                         struct error *e)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (!is_log_name(entry->d_name) || !is_plain_file(dirfd(dir), entry->d_name))
			continue;
		if (ret->count >= LIMIT_CONFORM_FILES)
			return fail(e, ERR_TOO_LARGE, "%s has more than %d logs", path.ptr,
			            LIMIT_CONFORM_FILES);
		add_file(mem, ret, arena_printf(mem, "%s/%s", path.ptr, entry->d_name));
	}
	if (!ret->count)
		return fail(e, ERR_NOT_FOUND, "%s has no file that ends in .jsonl or .ndjson",
		            path.ptr);
	qsort(ret->paths, ret->count, sizeof *ret->paths, compare_paths);
	return OK;
}

enum err log_source_files(struct arena *mem, struct str path, struct log_files *ret,
                          struct error *e)
{
	struct str kept = arena_keep(mem, path);
	DIR *dir = opendir(kept.ptr);
	enum err code;

	*ret = (struct log_files){ 0 };
	if (!dir && errno != ENOTDIR)
		return fail_errno(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s cannot be read",
		                  kept.ptr);
	if (!dir || is_plain_file(dirfd(dir), "events.jsonl")) {
		add_file(mem, ret, dir ? arena_printf(mem, "%s/events.jsonl", kept.ptr) : kept);
		code = OK;
	} else {
		code = list_dir(mem, dir, kept, ret, e);
	}
	if (dir)
		closedir(dir);
	return code;
}

/* ---- lines ---- */

/* A pipe would be waited for, and a device has no end. */
enum err log_source_open(struct log_source *s, struct str path, struct error *e)
{
	struct stat st;

	*s = (struct log_source){ .fd = open(path.ptr,
		                             O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
	if (s->fd < 0 || fstat(s->fd, &st) != 0)
		return fail_errno(e, ERR_IO, "%s cannot be read", path.ptr);
	if (!S_ISREG(st.st_mode))
		return fail(e, ERR_INVALID, "%s is no regular file", path.ptr);
	if (st.st_size > LIMIT_CONFORM_LOG_BYTES)
		return fail(e, ERR_TOO_LARGE, "%s is longer than %lld bytes", path.ptr,
		            (long long)LIMIT_CONFORM_LOG_BYTES);
	return OK;
}

void log_source_close(struct log_source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	buf_done(&s->ahead);
	*s = (struct log_source){ .fd = -1 };
}

/* Room for more: what was handed out leaves, and so does the beginning of a line that is too long. */
static void make_room(struct log_source *s)
{
	buf_drop(&s->ahead, s->used);
	s->used = 0;
	if (s->ahead.len > LIMIT_CONFORM_LINE_BYTES) {
		s->is_skipping = true;
		buf_clear(&s->ahead);
	}
}

static enum err read_more(struct log_source *s, struct error *e)
{
	ssize_t got;

	make_room(s);
	got = read(s->fd, buf_reserve(&s->ahead, CHUNK), CHUNK);
	if (got < 0)
		return fail_errno(e, ERR_IO, "the log cannot be read");
	s->ahead.len += (size_t)got;
	s->is_end = !got;
	return OK;
}

/* The next line that is complete, or at the end what is left. */
static bool take_line(struct log_source *s, size_t *scanned, struct log_line *ret)
{
	const char *from = s->ahead.ptr ? s->ahead.ptr + s->used : "";
	size_t left = s->ahead.len - s->used;
	const char *end = left > *scanned ? memchr(from + *scanned, '\n', left - *scanned) : NULL;

	*scanned = left;
	if (!end && (!s->is_end || (!left && !s->is_skipping)))
		return false;
	*ret = (struct log_line){ .text = str_of(from, end ? (size_t)(end - from) : left),
		                  .number = ++s->line };
	ret->is_too_long = s->is_skipping || ret->text.len > LIMIT_CONFORM_LINE_BYTES;
	s->is_skipping = false;
	s->used += ret->text.len + (end ? 1 : 0);
	return true;
}

enum err log_source_next(struct log_source *s, struct log_line *ret, struct error *e)
{
	size_t scanned = 0;
	enum err code;

	for (;;) {
		if (take_line(s, &scanned, ret)) {
			scanned = 0;
			if (str_trim(ret->text).len || ret->is_too_long)
				return OK;
			continue;
		}
		if (s->is_end)
			return ERR_NOT_FOUND;
		scanned = s->ahead.len - s->used;
		code = read_more(s, e);
		if (code != OK)
			return code;
		scanned = MIN(scanned, s->ahead.len);
	}
}

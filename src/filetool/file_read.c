/*
 * read_file and list_dir.  Content goes out as it is read, within the bounds on
 * lines and bytes; images go out whole.
 */
#include "base/os/sys.h"
#include "base/jw.h"
#include "filetool/filetool.h"
#include "filetool/gen/filetool_table.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A longer list would fill the model's context; the number of the others is given. */
#define ENTRIES_MAX 2000
#define CHUNK 65536

/* ---- read_file ---- */

struct range {
	int64_t line;        /* of the next byte, from 1 */
	int64_t first, last; /* wanted */
	int64_t bytes;       /* given */
	int64_t given_last;  /* the last line of which something was given */
	bool is_cut;         /* the bound on bytes was met */
	bool has_more;       /* lines follow */
};

/* False when nothing more is wanted. */
static bool take_chunk(struct range *r, struct str chunk)
{
	while (chunk.len) {
		ptrdiff_t end = str_find_char(chunk, '\n');
		struct str piece = end < 0 ? chunk : str_head(chunk, (size_t)end + 1);

		if (r->line > r->last) {
			r->has_more = true;
			return false;
		}
		if (r->line >= r->first) {
			if (r->bytes + (int64_t)piece.len > FILE_READ_BYTES_MAX) {
				piece = str_head(piece, (size_t)(FILE_READ_BYTES_MAX - r->bytes));
				r->is_cut = r->has_more = true;
			}
			file_call_out(piece);
			r->bytes += (int64_t)piece.len;
			r->given_last = r->line;
			if (r->is_cut)
				return false;
		}
		r->line += end >= 0;
		chunk = str_skip(chunk, piece.len);
	}
	return true;
}

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static int open_regular(struct file_call *c, struct str path, struct stat *ret)
{
	int fd = file_path_open(c, path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode)) {
		errno = S_ISDIR(ret->st_mode) ? EISDIR : EINVAL;
		sys_close(&fd);
	}
	return fd;
}

static void report_range(struct file_call *c, const struct range *r, struct str path, off_t size)
{
	JW_KSTR(&c->w, "path", file_path_shown(c, path));
	JW_KINT(&c->w, "sizeBytes", size);
	JW_KINT(&c->w, "startLine", r->first);
	JW_KINT(&c->w, "endLine", r->given_last);
	JW_KBOOL(&c->w, "truncated", r->has_more);
	if (r->has_more && !r->is_cut)
		JW_KINT(&c->w, "nextOffset", r->given_last + 1);
	if (!r->has_more)
		return;

	struct str note = r->is_cut ? arena_printf(c->mem, "\n[cut at %d bytes, in line %lld]\n",
	                                           FILE_READ_BYTES_MAX, (long long)r->given_last)
	                            : arena_printf(c->mem, "[more follows from line %lld on]\n",
	                                           (long long)r->given_last + 1);

	file_call_out(note);
}

/* Of binary files a model can use only images. */
static bool read_binary(struct file_call *c, struct str path, int fd, int64_t size, struct str head)
{
	struct str type = file_path_image_type(head), shown = file_path_shown(c, path), all;

	if (!str_is(type))
		return file_call_fail(c, tool_error_binary_file(c->mem, shown, size));
	if (size > FILE_IMAGE_BYTES_MAX)
		return file_call_fail(
			c, tool_error_image_too_large(c->mem, shown, size, FILE_IMAGE_BYTES_MAX));
	if (lseek(fd, 0, SEEK_SET) < 0 || !file_path_read_all(c, fd, FILE_IMAGE_BYTES_MAX, &all))
		return file_call_fail_errno(c, "read", path, errno);
	file_call_out(all);
	JW_KSTR(&c->w, "path", shown);
	JW_KINT(&c->w, "sizeBytes", (int64_t)all.len);
	JW_KSTR(&c->w, "mediaType", type);
	return true;
}

/*
 * The file can be opened here, so its text in an editor may be shown too.  False: it is the same as on
 * disk.
 */
static bool read_unsaved(struct file_call *c, int fd, struct range *r, off_t *ret_size)
{
	struct str saved;

	if (!str_is(c->unsaved) || file_path_is_binary(c->unsaved) || lseek(fd, 0, SEEK_SET) < 0)
		return false;
	if (file_path_read_all(c, fd, FILE_CONTENT_MAX, &saved) && str_eq(saved, c->unsaved))
		return false;
	take_chunk(r, c->unsaved);
	*ret_size = (off_t)c->unsaved.len;
	return true;
}

static void note_unsaved(struct file_call *c, struct range *r)
{
	bool has_break = !r->given_last || str_ends(c->unsaved, STR("\n")) || r->has_more;

	file_call_out(has_break ? STR("") : STR("\n"));
	file_call_out(
		STR("[this is the text in the user's editor, which is not saved; the file on disk "
	            "differs, and tools that write see that file]\n"));
	JW_KBOOL(&c->w, "unsaved", true);
}

/*
 * Whether the file is binary is decided by the first piece: the rest is written to stdout as it
 * is read.
 */
bool tool_read_file(struct file_call *c)
{
	struct tool_args_read_file a = tool_args_read_file(c->args);
	struct str path = file_path(c, a.path);
	struct range r = { .line = 1, .first = a.offset ? a.offset : 1 };
	int64_t limit = a.limit ? a.limit : FILE_LINES_DEFAULT;
	struct stat st = { 0 };
	FD_SCOPE fd = open_regular(c, path, &st);
	static char chunk[CHUNK];
	bool is_unsaved = false;
	ssize_t n = 1;

	r.last = r.first > INT64_MAX - limit ? INT64_MAX : r.first + limit - 1;
	if (fd < 0)
		return file_call_fail_errno(c, "read", path, errno);
	if (!file_path_is_decided_file(c, &st, path))
		return file_call_fail(c,
		                      tool_error_led_elsewhere(c->mem, file_path_shown(c, path)));
	for (bool is_first = true; n > 0; is_first = false) {
		n = read(fd, chunk, sizeof chunk);
		if (n < 0)
			return file_call_fail_errno(c, "read", path, errno);
		if (is_first && file_path_is_binary(str_of(chunk, (size_t)n)))
			return read_binary(c, path, fd, st.st_size, str_of(chunk, (size_t)n));
		is_unsaved = is_first && read_unsaved(c, fd, &r, &st.st_size);
		if (is_unsaved)
			break;
		if (is_first && lseek(fd, n, SEEK_SET) < 0) /* behind the first piece again */
			return file_call_fail_errno(c, "read", path, errno);
		if (!take_chunk(&r, str_of(chunk, (size_t)n)))
			break;
	}
	if (!r.given_last && st.st_size && r.first > 1)
		return file_call_fail(
			c, tool_error_no_such_line(c->mem, file_path_shown(c, path), r.first));
	report_range(c, &r, path, st.st_size);
	if (is_unsaved)
		note_unsaved(c, &r);
	return true;
}

/* ---- list_dir ---- */

static int by_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static const char *mark_of(int dir, const struct dirent *d)
{
	struct stat st;
	unsigned char type = d->d_type;

	if (type == DT_UNKNOWN && fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		type = (unsigned char)IFTODT(st.st_mode);
	return type == DT_DIR ? "/" : type == DT_LNK ? "@" : type == DT_REG ? "" : "?";
}

/*
 * A placeholder of a sandbox (supervisor/files/protected_paths.h) is not a file of the user.  One for a
 * protected name is known by its form.  One that a deny rule needed has any name, and a directory that
 * the rule closes here looks the same: only the runtime can tell.
 */
static bool is_of_sandbox(const struct file_call *c, int dir, struct str path, const char *name)
{
	if (c->host->is_placeholder(dir, name))
		return true;
	for (size_t i = 0; i < c->placeholders.count; i++) {
		struct str dir_of = c->placeholders.at[i], last = str_from(name);

		if (!str_ends(dir_of, last) || dir_of.len <= last.len + 1)
			continue;
		dir_of.len -= last.len + 1;
		if (dir_of.ptr[dir_of.len] == '/' && str_eq(dir_of, path))
			return c->host->is_placeholder_by_form(dir, name);
	}
	return false;
}

bool tool_list_dir(struct file_call *c)
{
	struct str arg = tool_args_list_dir(c->args).path;
	struct str path = file_path(c, str_is(arg) ? arg : STR("."));
	int fd = file_path_open(c, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct str *names = ARENA_ARRAY(c->mem, struct str, ENTRIES_MAX);
	size_t count = 0, total = 0;
	struct dirent *d;

	if (!dir)
		return file_call_fail_errno(c, "list", path, errno);
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    is_of_sandbox(c, fd, path, d->d_name))
			continue;
		total++;
		if (count < ENTRIES_MAX)
			names[count++] = arena_printf(c->mem, "%s%s\n", d->d_name, mark_of(fd, d));
	}
	closedir(dir);
	qsort(names, count, sizeof *names, by_name);
	for (size_t i = 0; i < count; i++)
		file_call_out(names[i]);
	if (total > count)
		file_call_out(arena_printf(c->mem, "[%zu more]\n", total - count));
	JW_KSTR(&c->w, "path", file_path_shown(c, path));
	JW_KINT(&c->w, "entries", (int64_t)total);
	JW_KBOOL(&c->w, "truncated", total > count);
	return true;
}

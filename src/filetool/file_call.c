/*
 * What every tool needs: its output to the reader, and failures with a category, a sentence and
 * an advice for the model.
 */
#include "filetool/file_call.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define OUT_SIZE 65536

/* ---- stdout ---- */

static char out_data[OUT_SIZE];
static size_t out_len;

/* _exit(): without a reader there is no result to report. */
void file_call_write(int fd, struct str data)
{
	while (data.len) {
		ssize_t n = write(fd, data.ptr, data.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		data = str_skip(data, (size_t)n);
	}
}

void file_call_out_flush(void)
{
	file_call_write(STDOUT_FILENO, str_of(out_data, out_len));
	out_len = 0;
}

void file_call_out(struct str data)
{
	if (out_len + data.len > OUT_SIZE)
		file_call_out_flush();
	if (data.len > OUT_SIZE) {
		file_call_write(STDOUT_FILENO, data);
		return;
	}
	memcpy(out_data + out_len, data.ptr, data.len);
	out_len += data.len;
}

/* ---- failing ---- */

bool file_call_fail(struct file_call *c, const char *category, struct str message,
                    const char *advice)
{
	c->category = category;
	c->message = message;
	c->advice = str_from(advice);
	return false;
}

/*
 * How an errno is shown to the model: what happened, and what to try.  ELOOP and EXDEV come from
 * openat2() with RESOLVE_BENEATH and from O_NOFOLLOW.
 */
struct word {
	int os_errno;
	const char *category, *what, *advice;
};

static const struct word words[] = {
	{ ENOENT, "not_found", "is not there", "list_dir and glob show what is there." },
	{ EACCES, "permission", "may not be opened", NULL },
	{ EPERM, "permission", "may not be changed", NULL },
	{ EROFS, "permission", "cannot be written here", NULL },
	{ EXDEV, "permission", "leads out of the workspace through a link",
	  "Name the place that the link leads to." },
	{ ELOOP, "invalid_input", "is a symbolic link", "Name the file that the link leads to." },
	{ ENOTDIR, "invalid_input", "goes through a file as if it were a directory",
	  "list_dir shows what is there." },
	{ EISDIR, "invalid_input", "is a directory", "list_dir shows what is in it." },
	{ EINVAL, "invalid_input", "is not a file", NULL },
	{ ENAMETOOLONG, "invalid_input", "is too long a name", NULL },
	{ EFBIG, "invalid_input", "is too large", "Use shell for files of this size." },
	{ ENOSPC, "tool_failed", "cannot be written: no space is left", "Make room first." },
	{ EDQUOT, "tool_failed", "cannot be written: the quota is used up", "Make room first." },
};

bool file_call_fail_errno(struct file_call *c, const char *operation, struct str path, int os_errno)
{
	struct str shown = file_path_shown(c, path);

	c->operation = operation;
	c->path = path;
	c->os_errno = os_errno;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (words[i].os_errno == os_errno)
			return file_call_fail(
				c, words[i].category,
				arena_printf(c->mem, "%.*s %s", STR_ARG(shown), words[i].what),
				words[i].advice);
	return file_call_fail(
		c, "tool_failed",
		arena_printf(c->mem, "%s %.*s: %s", operation, STR_ARG(shown), strerror(os_errno)),
		NULL);
}

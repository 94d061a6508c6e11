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

bool file_call_fail(struct file_call *c, struct tool_error error)
{
	c->error = error;
	return false;
}

/* ELOOP and EXDEV come from openat2() with RESOLVE_BENEATH and from O_NOFOLLOW. */
bool file_call_fail_errno(struct file_call *c, const char *operation, struct str path, int os_errno)
{
	struct str shown = file_path_shown(c, path);
	struct tool_error error;

	c->operation = operation;
	c->path = path;
	c->os_errno = os_errno;
	if (!tool_error_of_errno(c->mem, os_errno, shown, &error))
		error = tool_error_system_error(c->mem, str_from(operation), shown,
		                                str_from(strerror(os_errno)));
	return file_call_fail(c, error);
}

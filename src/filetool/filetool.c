#include "filetool/filetool.h"

#include "base/sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define OUT_SIZE 65536

/* ---- stdout ---- */

static char out_data[OUT_SIZE];
static size_t out_len;

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		data += n;
		len -= (size_t)n;
	}
}

void filetool_out_flush(void)
{
	write_all(STDOUT_FILENO, out_data, out_len);
	out_len = 0;
}

void filetool_out(struct str data)
{
	if (out_len + data.len > OUT_SIZE)
		filetool_out_flush();
	if (data.len > OUT_SIZE) {
		write_all(STDOUT_FILENO, data.ptr, data.len);
		return;
	}
	memcpy(out_data + out_len, data.ptr, data.len);
	out_len += data.len;
}

/* ---- failing ---- */

bool filetool_fail(struct file_call *c, const char *category, struct str message,
                   const char *advice)
{
	c->category = category;
	c->message = message;
	c->advice = str_from(advice);
	return false;
}

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

bool filetool_fail_errno(struct file_call *c, const char *operation, struct str path, int os_errno)
{
	struct str shown = file_path_shown(c, path);

	c->operation = operation;
	c->path = path;
	c->os_errno = os_errno;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (words[i].os_errno == os_errno)
			return filetool_fail(
				c, words[i].category,
				arena_printf(c->mem, "%.*s %s", STR_ARG(shown), words[i].what),
				words[i].advice);
	return filetool_fail(
		c, "tool_failed",
		arena_printf(c->mem, "%s %.*s: %s", operation, STR_ARG(shown), strerror(os_errno)),
		NULL);
}

/* ---- the report ---- */

static void write_failure(struct json_writer *w, const struct file_call *c)
{
	const char *name = c->os_errno ? strerrorname_np(c->os_errno) : NULL;

	JW_KSTR(w, "category", str_from(c->category));
	JW_KSTR(w, "message", c->message);
	JW_KOPT(w, "advice", c->advice);
	JW_KBOOL(w, "retryable", c->retryable);
	JW_KSTR(w, "executed", str_from(c->executed));
	JW_KOPT(w, "operation", str_from(c->operation));
	JW_KOPT(w, "path", c->path);
	JW_KOPT(w, "errno", str_from(name));
}

static void report(const struct file_call *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	if (c->category) {
		write_failure(&w, c);
	} else {
		JW_KEY(&w, "structured");
		jw_raw(&w, buf_str(&c->structured));
		if (c->text.len)
			JW_KSTR(&w, "text", buf_str(&c->text));
	}
	jw_obj_end(&w);
	write_all(STDERR_FILENO, text.ptr, text.len);
}

/* ---- the request ---- */

/* A byte at a time would be slow, and what follows the line is another's answer: it comes later. */
static bool read_line(struct buf *line)
{
	line->max = FILE_REQUEST_MAX;
	while (!line->overflowed) {
		char *room = buf_reserve(line, OUT_SIZE);
		ssize_t n = room ? read(STDIN_FILENO, room, OUT_SIZE) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		line->len += (size_t)n;
		if (line->ptr[line->len - 1] == '\n') {
			line->len--;
			return true;
		}
	}
	return false;
}

static bool run(struct file_call *c, struct str tool)
{
	static const struct {
		const char *name;
		bool (*run)(struct file_call *c);
	} tools[] = { { "read_file", file_read },       { "write_file", file_write },
		      { "edit_file", file_write_edit }, { "apply_patch", file_patch },
		      { "list_dir", file_read_list },   { "glob", file_walk_glob },
		      { "search", file_search } };

	for (size_t i = 0; i < COUNT_OF(tools); i++)
		if (str_is(tool) && str_eq(tool, str_from(tools[i].name)))
			return tools[i].run(c);
	return filetool_fail(c, "unknown_tool",
	                     arena_printf(c->mem, "there is no file tool %.*s", STR_ARG(tool)),
	                     NULL);
}

int filetool_run(const struct filetool_host *host)
{
	struct arena *mem = arena_new();
	struct file_call c = { .mem = mem, .host = host, .executed = "no" };
	struct buf line = { 0 };
	struct json request;
	struct error e;

	umask(host->umask); /* files that are made here are for people */
	if (!read_line(&line) || json_read(mem, buf_str(&line), &request, &e) ||
	    sandbox_plan_read_strings(mem, JSON_GET(request, "roots"), "roots",
	                              SANDBOX_PLAN_PATHS_MAX, 4096, &c.roots, &e)) {
		fputs("thole-supervisor: file-tool: no request\n", stderr);
		return 2;
	}
	buf_done(&line);
	c.args = JSON_GET(request, "args");
	c.cwd = json_str(JSON_GET(request, "cwd"));
	if (!path_is_clean(c.cwd)) {
		fputs("thole-supervisor: file-tool: no working directory\n", stderr);
		return 2;
	}
	jw_init(&c.w, &c.structured);
	jw_obj(&c.w);

	bool is_done = run(&c, json_str(JSON_GET(request, "tool")));

	filetool_out_flush();
	jw_obj_end(&c.w);
	report(&c);
	return is_done ? 0 : 1;
}

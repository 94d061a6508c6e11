/*
 * One call of a file tool: reads the request, runs the tool and reports its
 * result.
 */
#include "filetool/filetool.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "filetool/gen/filetool_table.h"
#include "filetool/snapshot/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define OUT_SIZE 65536

/* ---- the report ---- */

static void write_failure(struct json_writer *w, const struct file_call *c)
{
	const char *name = c->os_errno ? strerrorname_np(c->os_errno) : NULL;

	JW_KSTR(w, "category", c->error.category);
	JW_KSTR(w, "message", c->error.message);
	JW_KOPT(w, "advice", c->error.advice);
	JW_KBOOL(w, "retryable", c->error.is_retryable);
	JW_KSTR(w, "executed", str_from(c->executed));
	JW_KOPT(w, "operation", str_from(c->operation));
	JW_KOPT(w, "path", c->path);
	JW_KOPT(w, "errno", str_from(name));
}

/* On stderr, because stdout is the content itself. */
static void write_report(const struct file_call *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	if (str_is(c->error.category)) {
		write_failure(&w, c);
	} else {
		JW_KEY(&w, "structured");
		jw_raw(&w, buf_str(&c->structured));
		if (c->text.len)
			JW_KSTR(&w, "text", buf_str(&c->text));
	}
	jw_obj_end(&w);
	file_call_write(STDERR_FILENO, buf_str(&text));
}

/* ---- the request ---- */

/*
 * Reads to the line break in large pieces.  Nothing follows the line until the tool asks for it,
 * so no byte of the next answer is taken.
 */
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

/* Calls of the runtime itself; no model can name them, because its tools are rows of the catalogue. */
static const struct {
	const char *name;
	bool (*run)(struct file_call *c);
} own_calls[] = {
	{ "snapshot-take", snapshot_take },
	{ "snapshot-compare", snapshot_compare },
};

static bool run_tool(struct file_call *c, struct str tool)
{
	for (size_t i = 0; i < COUNT_OF(own_calls); i++)
		if (str_is(tool) && str_eq(tool, str_from(own_calls[i].name)))
			return own_calls[i].run(c);
	for (size_t i = 0; i < COUNT_OF(filetool_table); i++)
		if (str_is(tool) && str_eq(tool, str_from(filetool_table[i].name)))
			return filetool_table[i].run(c);
	return file_call_fail(c, tool_error_no_file_tool(c->mem, tool));
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
	                              SANDBOX_PLAN_PATHS_MAX, 4096, &c.roots, &e) ||
	    (json_is(JSON_GET(request, "protected")) &&
	     sandbox_plan_read_strings(mem, JSON_GET(request, "protected"), "protected",
	                               SANDBOX_PLAN_PATHS_MAX, 4096, &c.protected, &e)) ||
	    (json_is(JSON_GET(request, "opened")) &&
	     sandbox_plan_read_strings(mem, JSON_GET(request, "opened"), "opened",
	                               SANDBOX_PLAN_PATHS_MAX, 4096, &c.opened, &e)) ||
	    (json_is(JSON_GET(request, "denied")) &&
	     sandbox_plan_read_strings(mem, JSON_GET(request, "denied"), "denied",
	                               SANDBOX_PLAN_PATHS_MAX,
	                               4096 + sizeof SANDBOX_PLAN_DENY_WRITE, &c.denied, &e)) ||
	    (json_is(JSON_GET(request, "placeholders")) &&
	     sandbox_plan_read_strings(mem, JSON_GET(request, "placeholders"), "placeholders",
	                               SANDBOX_PLAN_PATHS_MAX, 4096, &c.placeholders, &e)) ||
	    (json_is(JSON_GET(request, "resolved")) &&
	     sandbox_plan_read_strings(mem, JSON_GET(request, "resolved"), "resolved",
	                               SANDBOX_PLAN_PATHS_MAX, 4096, &c.resolved, &e))) {
		fputs("thole-supervisor: file-tool: no request\n", stderr);
		return 2;
	}
	buf_done(&line);
	c.args = JSON_GET(request, "args");
	c.cwd = json_str(JSON_GET(request, "cwd"));
	c.unsaved = json_str(JSON_GET(request, "unsaved"));
	c.restore = JSON_GET(request, "restore");
	c.has_resolved = json_is(JSON_GET(request, "resolved"));
	if (!path_is_clean(c.cwd)) {
		fputs("thole-supervisor: file-tool: no working directory\n", stderr);
		return 2;
	}
	jw_init(&c.w, &c.structured);
	jw_obj(&c.w);

	bool is_done = run_tool(&c, json_str(JSON_GET(request, "tool")));

	file_call_out_flush();
	jw_obj_end(&c.w);
	write_report(&c);
	return is_done ? 0 : 1;
}

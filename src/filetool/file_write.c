/*
 * write_file and edit_file: the whole new content, or a replacement of text
 * that occurs in the file.
 */
#include "filetool/file_change.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "filetool/gen/filetool_table.h"

#include <errno.h>

/*
 * N or B and the old content go out before anything is changed; see filetool.h.  A file that
 * would not change is not written, so its time stays.
 */
static bool apply_change(struct file_change *g)
{
	file_call_out(g->is_new ? STR("N") : STR("B"));
	file_call_out(g->old);
	if (!file_change_wait_for_go(g->c) || !file_change_is_untouched(g))
		return false;
	if ((g->is_new || !str_eq(g->old, g->new)) &&
	    !(file_change_prepare(g) && file_change_commit(g)))
		return false;
	file_change_settle(g);
	g->c->executed = "yes";
	file_change_report(g);
	return true;
}

static bool finish_change(struct file_change *g, bool is_done)
{
	file_change_done(g);
	return is_done;
}

bool tool_write_file(struct file_call *c)
{
	struct tool_args_write_file a = tool_args_write_file(c->args);
	struct file_change g = { .c = c, .dir = -1, .new = a.content };

	g.path = file_path(c, a.path);
	if (g.new.len > FILE_CONTENT_MAX)
		return file_call_fail_errno(c, "write", g.path, EFBIG);
	return finish_change(&g, file_change_look(&g) && apply_change(&g));
}

/* A text that occurs several times is refused without replaceAll: the model meant one place. */
static bool substitute(struct file_change *g, struct str from, struct str to, bool all)
{
	CLEANUP(buf_done) struct buf out = { .max = FILE_CONTENT_MAX };
	struct str rest = g->old;
	int64_t count = 0;
	ptrdiff_t at;

	while ((at = str_find(rest, from)) >= 0) {
		count++;
		buf_add_str(&out, str_head(rest, (size_t)at));
		buf_add_str(&out, to);
		rest = str_skip(rest, (size_t)at + from.len);
	}
	buf_add_str(&out, rest);
	if (!count)
		return file_call_fail(g->c, tool_error_old_text_not_found(
						    g->c->mem, file_path_shown(g->c, g->path)));
	if (count > 1 && !all)
		return file_call_fail(
			g->c, tool_error_old_text_not_unique(g->c->mem, count,
		                                             file_path_shown(g->c, g->path)));
	if (out.overflowed)
		return file_call_fail_errno(g->c, "write", g->path, EFBIG);
	JW_KINT(&g->c->w, "replacements", count);
	g->new = arena_keep(g->c->mem, buf_str(&out));
	return true;
}

static bool exists(struct file_change *g)
{
	return !g->is_new || file_call_fail_errno(g->c, "write", g->path, ENOENT);
}

bool tool_edit_file(struct file_call *c)
{
	struct tool_args_edit_file a = tool_args_edit_file(c->args);
	struct file_change g = { .c = c, .dir = -1 };

	g.path = file_path(c, a.path);
	if (!a.old_text.len || !str_is(a.new_text))
		return file_call_fail(c, tool_error_old_text_empty());

	/* a file to edit must exist; this reports a missing one with its errno */
	FD_SCOPE there = file_path_open(c, g.path, O_PATH);

	if (there < 0)
		return file_call_fail_errno(c, "write", g.path, errno);
	/* an empty directory that a sandbox made in its place is no file either */
	return finish_change(&g, file_change_look(&g) && exists(&g) &&
	                                 substitute(&g, a.old_text, a.new_text, a.replace_all) &&
	                                 apply_change(&g));
}

/* Reads a unified diff line by line. */
#include "acp/message/acp_diff.h"

#define FILES_MAX 200 /* hunks or files of one call that are shown */

struct hunk {
	struct json_writer *w;
	bool has_files_only; /* hunks are not written */
	struct arena *mem;
	struct str cwd;
	struct str path;    /* of the current file, absolute; absent: before the first file */
	struct str old;     /* its name before, as in the diff */
	bool is_new, is_in; /* the file did not exist; lines of a hunk follow */
	struct buf before, after;
	size_t count;
};

/* "a/x" and "b/x" are x below the directory; "/dev/null" is none. */
static struct str path_of(struct hunk *h, struct str name)
{
	struct str shown = str_cut(&name, '\t');

	if (str_eq(shown, STR("/dev/null")))
		return STR_NONE;
	if (str_starts(shown, STR("a/")) || str_starts(shown, STR("b/")))
		shown = str_skip(shown, 2);
	if (str_starts(shown, STR("/")) || !h->cwd.len)
		return shown;
	return arena_printf(h->mem, "%.*s/%.*s", STR_ARG(h->cwd), STR_ARG(shown));
}

static void end_hunk(struct hunk *h)
{
	bool has_text = h->before.len || h->after.len;

	if (h->is_in && has_text && h->path.len && !h->has_files_only && h->count < FILES_MAX) {
		jw_obj(h->w);
		JW_KSTR(h->w, "type", STR("diff"));
		JW_KSTR(h->w, "path", h->path);
		if (!h->is_new)
			JW_KSTR(h->w, "oldText", buf_str(&h->before));
		JW_KSTR(h->w, "newText", buf_str(&h->after));
		jw_obj_end(h->w);
		h->count++;
	}
	h->is_in = false;
	buf_clear(&h->before);
	buf_clear(&h->after);
}

static void add_line(struct buf *out, struct str line)
{
	buf_add_str(out, line);
	buf_add_char(out, '\n');
}

static void take_line(struct hunk *h, struct str line)
{
	struct str rest = str_skip(line, line.len ? 1 : 0);

	if (str_starts(line, STR("+")) || !line.len || line.ptr[0] == ' ')
		add_line(&h->after, rest);
	if (str_starts(line, STR("-")) || !line.len || line.ptr[0] == ' ')
		add_line(&h->before, rest);
}

/* Of a deleted file the old name counts.  True: another file begins. */
static bool take_header(struct hunk *h, struct str line, struct str next)
{
	if (!str_starts(line, STR("--- ")) || !str_starts(next, STR("+++ ")))
		return false;
	end_hunk(h);
	h->old = path_of(h, str_skip(line, 4));
	h->path = path_of(h, str_skip(next, 4));
	h->is_new = !str_is(h->old);
	if (!str_is(h->path))
		h->path = h->old;
	return true;
}

static void write_place(struct hunk *h)
{
	if (!h->has_files_only || !h->path.len || h->count == FILES_MAX)
		return;
	jw_obj(h->w);
	JW_KSTR(h->w, "path", h->path);
	jw_obj_end(h->w);
	h->count++;
}

static void walk(struct hunk *h, struct str diff)
{
	while (diff.len) {
		struct str line = str_cut(&diff, '\n'), after = diff;
		struct str following = str_cut(&after, '\n');

		if (take_header(h, line, following)) {
			diff = after;
			write_place(h);
		} else if (str_starts(line, STR("@@ "))) {
			end_hunk(h);
			h->is_in = true;
		} else if (h->is_in) {
			take_line(h, line);
		}
	}
	end_hunk(h);
	buf_done(&h->before);
	buf_done(&h->after);
}

size_t acp_diff_write(struct json_writer *w, struct arena *mem, struct str diff, struct str cwd)
{
	struct hunk h = { .w = w, .mem = mem, .cwd = cwd };

	walk(&h, diff);
	return h.count;
}

size_t acp_diff_write_places(struct json_writer *w, struct arena *mem, struct str diff,
                             struct str cwd)
{
	struct hunk h = { .w = w, .mem = mem, .cwd = cwd, .has_files_only = true };

	walk(&h, diff);
	return h.count;
}

/*
 * apply_patch: several files, all of them or none.
 *
 * Every file is looked at and every hunk placed before anything is written;
 * what the files will be is made beside them; only then are they put in
 * place, one after the other.  If one of those steps fails, those before it
 * are taken back.
 *
 * On stdout goes M, and for each file of the patch the number of bytes that it
 * holds and a line break, or -1 for one that is new, and behind it the bytes.
 */
#include "filetool/file_change.h"

#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/os/sys.h"
#include "filetool/gen/filetool_table.h"
#include "text/patch.h"

#include <errno.h>
#include <unistd.h>

struct work {
	struct file_call *c;
	struct patch patch;
	struct file_change all[PATCH_FILES_MAX];
	size_t count;
};

/* What exists must be what the patch expects. */
static bool is_as_said(struct file_change *g, enum patch_kind kind)
{
	struct str shown = file_path_shown(g->c, g->path);

	if (kind == PATCH_ADD && !g->is_new)
		return file_call_fail(g->c, tool_error_patch_adds_existing(g->c->mem, shown));
	if (kind != PATCH_ADD && g->is_new)
		return file_call_fail_errno(g->c, "write", g->path, ENOENT);
	if (kind == PATCH_UPDATE && file_path_is_binary(g->old))
		return file_call_fail(g->c, tool_error_patch_of_binary(g->c->mem, shown));
	return true;
}

/* A unified diff names the lines that go with the file; others in it would be lost unseen. */
static bool is_what_it_deletes(struct file_change *g, const struct patch_file *f)
{
	struct str left = STR("");
	struct error e = { 0 };

	if (f->kind != PATCH_DELETE || !str_trim(f->hunks).len)
		return true;
	if (patch_apply(g->c->mem, f, g->old, &left, &e) == OK && !left.len)
		return true;
	return file_call_fail(g->c, tool_error_patch_deletes_other_lines(
					    g->c->mem, file_path_shown(g->c, g->path)));
}

/*
 * A file that is named twice is refused: the second change would be computed from the old content
 * and overwrite the first.
 */
static bool look_at(struct work *w, const struct patch_file *f)
{
	struct file_change *g = &w->all[w->count];
	struct error e = { 0 };

	*g = (struct file_change){ .c = w->c,
		                   .dir = -1,
		                   .path = file_path(w->c, f->path),
		                   .is_gone = f->kind == PATCH_DELETE,
		                   .new = STR("") };
	for (size_t i = 0; i < w->count; i++)
		if (str_eq(w->all[i].path, g->path))
			return file_call_fail(
				w->c, tool_error_patch_names_twice(w->c->mem,
			                                           file_path_shown(w->c, g->path)));
	w->count++;
	if (!file_change_look(g) || !is_as_said(g, f->kind) || !is_what_it_deletes(g, f))
		return false;
	if (!g->is_gone && patch_apply(w->c->mem, f, g->old, &g->new, &e) != OK)
		return file_call_fail(
			w->c, tool_error_patch_does_not_apply(w->c->mem, str_from(e.message)));
	if (g->new.len > FILE_CONTENT_MAX)
		return file_call_fail_errno(w->c, "write", g->path, EFBIG);
	return true;
}

/* ---- whole files ---- */

/* What is there must be what the caller saw: its hash, or nothing. */
static bool is_as_expected(struct file_change *g, struct str expect)
{
	struct sha256 hash = sha256_of(g->old);
	struct str why;

	if (g->is_new ? !str_is(expect) : str_eq(expect, sha256_hex(g->c->mem, &hash)))
		return true;
	why = arena_printf(g->c->mem, "%.*s is not what it was then",
	                   STR_ARG(file_path_shown(g->c, g->path)));
	return file_call_fail(g->c, tool_error_patch_does_not_apply(g->c->mem, why));
}

static bool read_mode(struct str text, mode_t *ret)
{
	unsigned mode = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '7' || mode > 0777)
			return false;
		mode = mode * 8 + (unsigned)(text.ptr[i] - '0');
	}
	*ret = mode & 0777;
	return text.len > 0;
}

/* One entry of `restore`: {"path", "content" in base64 (absent: it goes), "mode", "expect"}. */
static bool look_at_whole(struct work *w, struct json v)
{
	struct file_change *g = &w->all[w->count++];
	struct str coded = json_str(JSON_GET(v, "content")), mode = json_str(JSON_GET(v, "mode"));
	CLEANUP(buf_done) struct buf bytes = { 0 };

	*g = (struct file_change){ .c = w->c,
		                   .dir = -1,
		                   .path = file_path(w->c, json_str(JSON_GET(v, "path"))),
		                   .is_gone = !str_is(coded),
		                   .new = STR("") };
	if (!file_change_look(g) || !is_as_expected(g, json_str(JSON_GET(v, "expect"))))
		return false;
	if (g->is_gone && g->is_new)
		return file_call_fail_errno(w->c, "write", g->path, ENOENT);
	g->has_mode = str_is(mode);
	if ((g->has_mode && !read_mode(mode, &g->mode)) ||
	    (str_is(coded) && !base64_read(&bytes, coded)))
		return file_call_fail_errno(w->c, "write", g->path, EINVAL);
	if (bytes.len > FILE_CONTENT_MAX)
		return file_call_fail_errno(w->c, "write", g->path, EFBIG);
	g->new = arena_keep(w->c->mem, buf_str(&bytes));
	return true;
}

static bool look_at_restored(struct work *w)
{
	struct json_iter it = json_iter(w->c->restore);
	struct json v;
	struct str key;
	size_t bytes = 0;

	while (json_next(&it, &key, &v)) {
		if (w->count == PATCH_FILES_MAX)
			return file_call_fail(w->c, tool_error_patch_too_large());
		if (!look_at_whole(w, v))
			return false;
		bytes += w->all[w->count - 1].old.len;
	}
	return bytes <= FILE_CONTENT_MAX || file_call_fail(w->c, tool_error_patch_too_large());
}

/* ---- all of them ---- */

/* The old contents go to the runtime together and are bounded like one file. */
static bool look_at_all(struct work *w)
{
	size_t bytes = 0;

	w->c->named = w->patch.count;
	for (size_t i = 0; i < w->patch.count; i++) {
		if (!look_at(w, &w->patch.files[i]))
			return false;
		bytes += w->all[i].old.len;
	}
	if (bytes > FILE_CONTENT_MAX)
		return file_call_fail(w->c, tool_error_patch_too_large());
	return true;
}

static void send_old(struct work *w)
{
	file_call_out(STR("M"));
	for (size_t i = 0; i < w->count; i++) {
		long long len = w->all[i].is_new ? -1 : (long long)w->all[i].old.len;

		file_call_out(arena_printf(w->c->mem, "%lld\n", len));
		file_call_out(w->all[i].old);
	}
}

/*
 * Restores the first `count` files.  The call reports why the patch failed; if a file could
 * not be restored, it names that one instead, because the user has to look at it.
 */
static void undo_all(struct work *w, size_t count)
{
	struct file_call *c = w->c;
	struct str why = c->error.message, stays = STR_NONE;

	while (count-- > 0)
		if (!file_change_undo(&w->all[count]))
			stays = w->all[count].path;
	if (!str_is(stays))
		return;
	c->executed = "partly";
	file_call_fail(c, tool_error_patch_half_undone(c->mem, why, file_path_shown(c, stays)));
}

/*
 * In three passes, so that most failures (a changed file, no space, no permission) happen before
 * the first file is replaced.
 */
static bool put_in_place(struct work *w)
{
	size_t done = 0;

	for (size_t i = 0; i < w->count; i++)
		if (!file_change_is_untouched(&w->all[i]))
			return false;
	while (done < w->count && file_change_prepare(&w->all[done]))
		done++;
	if (done < w->count) {
		while (done-- > 0)
			file_change_drop(&w->all[done]);
		return false;
	}
	for (done = 0; done < w->count && file_change_commit(&w->all[done]); done++)
		;
	for (size_t i = 0; i < w->count && done == w->count; i++)
		file_change_settle(&w->all[i]);
	if (done == w->count)
		return true;
	for (size_t i = done + 1; i < w->count; i++)
		file_change_drop(&w->all[i]);
	undo_all(w, done);
	return false;
}

static void report_files(struct work *w)
{
	struct json_writer *out = &w->c->w;

	JW_KEY(out, "files");
	jw_arr(out);
	for (size_t i = 0; i < w->count; i++) {
		jw_obj(out);
		file_change_report(&w->all[i]);
		jw_obj_end(out);
	}
	jw_arr_end(out);
}

static bool apply_files(struct work *w)
{
	if (json_is(w->c->restore) ? !look_at_restored(w) : !look_at_all(w))
		return false;
	send_old(w);
	if (!file_change_wait_for_go(w->c) || !put_in_place(w))
		return false;
	w->c->executed = "yes";
	report_files(w);
	return true;
}

bool tool_apply_patch(struct file_call *c)
{
	struct work *w = ARENA_NEW(c->mem, struct work);
	struct error e = { 0 };
	bool is_done;

	w->c = c;
	if (!json_is(c->restore) &&
	    patch_read(tool_args_apply_patch(c->args).patch, &w->patch, &e) != OK)
		return file_call_fail(c, tool_error_patch_wrong(c->mem, str_from(e.message)));
	is_done = apply_files(w);
	for (size_t i = 0; i < w->count; i++)
		file_change_done(&w->all[i]);
	return is_done;
}

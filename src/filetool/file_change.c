/*
 * One file on its way from old to new.
 *
 *	look ──► old content out ──► wait for "go" ──► is_untouched ──► prepare ──► commit
 *	                                  │                  │             │          │
 *	                                  ▼                  ▼             ▼          ▼
 *	                              cancelled      changed meanwhile    drop     undo (patch)
 *
 * The new content is written beside the file and renamed into its place, so a reader sees the old
 * file or the new one, whole.  Before that the old content went out and the runtime confirmed
 * that it is saved.
 */
#include "filetool/file_change.h"

#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/os/sys.h"
#include "base/utf8.h"
#include "schema/content_check.h"
#include "schema/schema.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

/* Bytes of the diff in the result; the model reads it. */
#define DIFF_MAX 65536

/* ---- what is there ---- */

/*
 * The list of what was decided has an upper bound (rules_evaluate.c): when the call names more
 * files, the list says nothing about the rest.  A directory that may not be entered cannot be
 * located.
 */
static bool is_decided(struct file_change *g)
{
	struct file_call *c = g->c;
	struct str shown = file_path_shown(c, g->path);

	if (g->dir >= 0 && faccessat(g->dir, ".", F_OK, 0) < 0)
		return file_call_fail_errno(c, "write", g->path, errno);
	if (file_path_is_decided(c, g->dir, g->path))
		return true;
	return file_call_fail(c, c->named > c->resolved.count
	                                 ? tool_error_too_many_through_links(c->mem, shown)
	                                 : tool_error_led_elsewhere(c->mem, shown));
}

/*
 * O_NOFOLLOW: a link is not replaced by a file without notice.  O_NONBLOCK: a FIFO must not block
 * the call.
 */
bool file_change_look(struct file_change *g)
{
	g->dir = file_path_open_parent(g->c, g->path, false, &g->name);
	if (g->dir < 0 && errno != ENOENT)
		return file_call_fail_errno(g->c, "write", g->path, errno);
	if (!*g->name)
		return file_call_fail_errno(g->c, "write", g->path, EISDIR);

	if (!is_decided(g))
		return false;

	FD_SCOPE fd = g->dir < 0 ? -1
	                         : openat(g->dir, g->name,
	                                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	int os_errno = errno;

	g->old = STR("");
	g->is_opened = file_change_opened_is(g);
	g->is_new = g->dir < 0 || (fd < 0 && os_errno == ENOENT) ||
	            (g->is_opened && fd >= 0 && g->c->host->is_placeholder(g->dir, g->name));
	if (g->is_new && file_path_is_protected(g->c, g->dir, g->path))
		return file_call_fail_errno(g->c, "write", g->path, EROFS);
	if (g->is_new)
		return true;
	if (fd < 0 || fstat(fd, &g->before) < 0)
		return file_call_fail_errno(g->c, "write", g->path, fd < 0 ? os_errno : errno);
	if (!S_ISREG(g->before.st_mode))
		return file_call_fail_errno(g->c, "write", g->path,
		                            S_ISDIR(g->before.st_mode) ? EISDIR : EINVAL);
	if (!file_path_read_all(g->c, fd, FILE_CONTENT_MAX, &g->old))
		return file_call_fail_errno(g->c, "write", g->path, errno);
	return true;
}

/* The line behind "go"; nothing follows it. */
static bool read_prepared(struct file_call *c)
{
	CLEANUP(buf_done) struct buf line = { .max = FILE_REQUEST_MAX };
	struct error e;

	while (!line.overflowed && !(line.len && line.ptr[line.len - 1] == '\n')) {
		char *room = buf_reserve(&line, 4096);
		ssize_t n = room ? read(STDIN_FILENO, room, 4096) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		line.len += (size_t)n;
	}
	return json_read(c->mem, arena_keep(c->mem, buf_str(&line)), &c->prepared, &e) == OK &&
	       json_type(c->prepared) == JSON_ARR;
}

/*
 * The end of stdout tells the runtime that the old content is complete.  /dev/null takes the
 * descriptor's place, so that nothing opened later becomes stdout.  If the daemon dies, input
 * ends and nothing is changed.
 */
bool file_change_wait_for_go(struct file_call *c)
{
	char response[4] = "";
	size_t len = 0;
	ssize_t n = 1;

	file_call_out_flush();
	close(STDOUT_FILENO);
	if (open("/dev/null", O_WRONLY) != STDOUT_FILENO)
		return file_call_fail(c, tool_error_no_null_device());
	while (len < 3 && n > 0) {
		n = read(STDIN_FILENO, response + len, 3 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (strcmp(response, "go\n") != 0 || (c->opened.count && !read_prepared(c)))
		return file_call_fail(c, tool_error_told_to_stop());
	return true;
}

/* Other programs work in the same directory. */
static bool is_unchanged(const struct file_change *g)
{
	if (g->dir < 0)
		return true; /* not even its directory was there */
	if (!g->is_new)
		return file_path_is_as_seen(g->dir, g->name, &g->before);
	/* placeholders come and go with the sandboxes that need them */
	return (faccessat(g->dir, g->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) ||
	       (g->is_opened && g->c->host->is_placeholder(g->dir, g->name));
}

/* ---- changing it ---- */

static bool write_whole(int fd, struct str text)
{
	while (text.len) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text = str_skip(text, (size_t)n);
	}
	return true;
}

static bool fail_write(struct file_change *g, int os_errno)
{
	return file_call_fail_errno(g->c, "write", g->path, os_errno);
}

/* In the same directory, because a rename cannot cross file systems. */
static int make_temp(struct file_change *g)
{
	uint64_t nonce = 0;
	int fd;

	if (g->dir < 0)
		g->dir = file_path_open_parent(g->c, g->path, true, &g->name);
	if (g->dir < 0 || getrandom(&nonce, sizeof nonce, 0) < 0) {
		fail_write(g, errno);
		return -1;
	}
	if (!is_decided(g))
		return -1; /* its directory is new */
	snprintf(g->temp, sizeof g->temp, SANDBOX_PLAN_TEMP_BEGIN "%016llx" SANDBOX_PLAN_TEMP_END,
	         (unsigned long long)nonce);
	fd = openat(g->dir, g->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		g->temp[0] = '\0';
		fail_write(g, errno);
	}
	return fd;
}

/*
 * fdatasync() before the rename: after a power loss the name must not lead to an empty file.
 */
bool file_change_prepare(struct file_change *g)
{
	/* a file that is restored had a mode before */
	mode_t mode = g->has_mode         ? g->mode
	              : g->before.st_mode ? g->before.st_mode & 0777
	                                  : 0666 & ~g->c->host->umask;

	if (g->is_gone)
		return !g->is_opened || file_change_opened_take_placeholder(g);

	FD_SCOPE fd = g->is_opened ? file_change_opened_take(g) : make_temp(g);

	if (fd < 0)
		return false;
	if (write_whole(fd, g->new) && fchmod(fd, mode) == 0 && fdatasync(fd) == 0)
		return true;

	int os_errno = errno;

	file_change_drop(g);
	return fail_write(g, os_errno);
}

/* A temporary file of the supervisor's is removed by the supervisor. */
void file_change_drop(struct file_change *g)
{
	if (g->temp[0] && !g->is_prepared)
		unlinkat(g->dir, g->temp, 0);
	g->temp[0] = '\0';
}

/*
 * RENAME_NOREPLACE for a new file: one that another program created meanwhile is not overwritten.
 */
static bool put_in_place(struct file_change *g)
{
	if (g->is_prepared)
		return file_change_opened_commit(g);
	if (g->is_gone)
		return unlinkat(g->dir, g->name, 0) == 0;
	return renameat2(g->dir, g->temp, g->dir, g->name, g->is_new ? RENAME_NOREPLACE : 0) == 0;
}

bool file_change_commit(struct file_change *g)
{
	int os_errno;

	if (put_in_place(g)) {
		if (!g->keeps_old)
			g->temp[0] = '\0';
		return true;
	}
	os_errno = errno;
	file_change_drop(g);
	if (os_errno == EEXIST)
		return file_call_fail(g->c, tool_error_created_meanwhile(
						    g->c->mem, file_path_shown(g->c, g->path)));
	if (os_errno == ESTALE && g->is_prepared)
		return file_call_fail(g->c, tool_error_changed_meanwhile(
						    g->c->mem, file_path_shown(g->c, g->path)));
	if (os_errno == EOPNOTSUPP && g->needs_exchange)
		return file_call_fail(g->c, tool_error_name_would_be_free(
						    g->c->mem, file_path_shown(g->c, g->path)));
	return fail_write(g, os_errno);
}

void file_change_settle(struct file_change *g)
{
	if (g->is_prepared)
		file_change_opened_settle(g);
}

/*
 * The change in reverse: what was new is removed, what was removed is new.  What has changed places
 * with the old file changes back; where that was not possible, the file is restored as any other
 * is, one that was deleted in the temporary file that it did not need.
 */
bool file_change_undo(struct file_change *g)
{
	struct file_change back = *g;

	if (g->keeps_old && file_change_opened_undo(g)) {
		g->keeps_old = false;
		unlinkat(g->dir, g->temp, g->is_gone ? AT_REMOVEDIR : 0);
		g->temp[0] = '\0';
		return true;
	}
	back.new = g->old;
	back.is_gone = g->is_new;
	back.is_new = g->is_gone;
	back.has_mode = false;
	back.is_opened = g->is_opened && g->is_gone;
	back.is_prepared = back.keeps_old = false;
	return file_change_prepare(&back) && file_change_commit(&back);
}

/* The schema that a JSON document names by a relative path, read with the rights of the call. */
static struct str schema_of(struct file_change *g, struct str shown, bool *ret_is_elsewhere)
{
	struct file_call *c = g->c;
	struct str type = content_check_media_type(shown), text = STR_NONE, path;
	size_t dir = g->path.len;

	*ret_is_elsewhere = false;
	if (!str_ends(type, STR("json")))
		return STR_NONE;
	path = content_check_schema_path(c->mem, g->new, ret_is_elsewhere);
	if (!str_is(path))
		return STR_NONE;
	while (dir > 0 && g->path.ptr[dir - 1] != '/')
		dir--;
	path = file_path(c, arena_printf(c->mem, "%.*s%.*s", (int)dir, g->path.ptr, STR_ARG(path)));

	FD_SCOPE fd = file_path_open(c, path, O_RDONLY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !file_path_read_all(c, fd, SCHEMA_TEXT_MAX, &text))
		text = STR_NONE;
	*ret_is_elsewhere = !str_is(text);
	return text;
}

/*
 * Checks the content against what its name and content declare (a media type, a schema).  The
 * model reads the issues too, but they do not fail the call.
 */
static void report_validation(struct file_change *g)
{
	struct file_call *c = g->c;
	struct content_declared is = { .name = file_path_shown(c, g->path) };
	struct content_check found;

	is.schema = schema_of(g, is.name, &is.has_other_schema);
	content_check(c->mem, g->new, &is, &found);
	JW_KOPT(&c->w, "mediaType", found.media_type);
	JW_KEY(&c->w, "validation");
	content_check_write(&c->w, &found);
	if (!found.issues)
		return;
	buf_printf(&c->text, "Validation of %.*s found %lld %s:\n", STR_ARG(is.name),
	           (long long)found.issues, found.issues == 1 ? "issue" : "issues");
	for (size_t i = 0; i < found.message_count; i++)
		buf_printf(&c->text, "- %.*s\n", STR_ARG(found.messages[i]));
}

static bool is_text(struct str content)
{
	return !file_path_is_binary(content) && utf8_is_valid(content);
}

static void report_modes(struct file_change *g)
{
	JW_KSTR(&g->c->w, "mode", arena_printf(g->c->mem, "%04o", (unsigned)g->mode));
	JW_KSTR(&g->c->w, "previousMode",
	        arena_printf(g->c->mem, "%04o", (unsigned)g->before.st_mode & 0777));
}

void file_change_report(struct file_change *g)
{
	struct file_call *c = g->c;
	struct buf diff = { 0 };
	struct file_diff d = { 0 };
	struct sha256 old = sha256_of(g->old), new = sha256_of(g->new);
	bool has_new_mode = g->has_mode && !g->is_new && g->mode != (g->before.st_mode & 0777);
	bool is_same = !g->is_new && !g->is_gone && str_eq(g->old, g->new) && !has_new_mode;

	if (is_text(g->old) && is_text(g->new))
		d = file_diff(c->mem, file_path_shown(c, g->path), g->is_new ? STR_NONE : g->old,
		              g->is_gone ? STR_NONE : g->new, DIFF_MAX, &diff);
	if (has_new_mode)
		report_modes(g);

	JW_KSTR(&c->w, "path", file_path_shown(c, g->path));
	JW_KOPT(&c->w, "place", file_path_place(c, g->dir, g->path));
	JW_KSTR(&c->w, "change",
	        g->is_gone  ? STR("deleted")
	        : g->is_new ? STR("created")
	        : is_same   ? STR("unchanged")
	                    : STR("updated"));
	if (!g->is_new) {
		JW_KINT(&c->w, "beforeBytes", (int64_t)g->old.len);
		JW_KSTR(&c->w, "beforeSha256", sha256_hex(c->mem, &old));
	}
	if (!g->is_gone) {
		JW_KINT(&c->w, "afterBytes", (int64_t)g->new.len);
		JW_KSTR(&c->w, "afterSha256", sha256_hex(c->mem, &new));
	}
	JW_KINT(&c->w, "linesAdded", d.added);
	JW_KINT(&c->w, "linesRemoved", d.removed);
	JW_KSTR(&c->w, "diff", buf_str(&diff));
	JW_KBOOL(&c->w, "diffTruncated", d.is_cut);
	if (is_same)
		buf_printf(&c->text, "%.*s already holds exactly this.\n",
		           STR_ARG(file_path_shown(c, g->path)));
	else
		buf_add_str(&c->text, buf_str(&diff));
	buf_done(&diff);
	if (!g->is_gone && !is_same && is_text(g->new))
		report_validation(g);
}

bool file_change_is_untouched(struct file_change *g)
{
	if (is_unchanged(g))
		return true;
	return file_call_fail(
		g->c, tool_error_changed_meanwhile(g->c->mem, file_path_shown(g->c, g->path)));
}

void file_change_done(struct file_change *g)
{
	sys_close(&g->dir);
}

/*
 * Finds, compares, removes and restores one changed file.
 */
#include "app/cli/changes/change_place.h"
#include "base/os/sys.h"

#include "base/gen/words.h"
#include "base/hash/sha256.h"
#include "base/path/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding ---- */

static int step_into(int dir, struct str name, bool makes)
{
	char text[256];
	int next = -1, why = ELOOP;

	if (name.len < sizeof text && !str_eq(name, STR(".."))) {
		snprintf(text, sizeof text, "%.*s", STR_ARG(name));
		if (makes)
			(void)mkdirat(dir, text, 0777);
		next = openat(dir, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		why = errno;
	}
	close(dir);
	errno = why;
	return next;
}

static void read_kind(struct change_place *p)
{
	struct str kind = json_str(JSON_GET(p->change, "kind"));
	struct str word = json_str(JSON_GET(p->change, "change"));

	p->kind = str_eq(kind, STR("link"))        ? CHANGE_LINK
	          : str_eq(kind, STR("directory")) ? CHANGE_DIRECTORY
	                                           : CHANGE_FILE;
	p->is_created = str_eq(word, STR(WORD_ARTIFACT_CHANGE_CREATED));
	p->is_deleted = str_eq(word, STR(WORD_ARTIFACT_CHANGE_DELETED));
}

/*
 * An absolute path outside the directory is walked from the root, also without following links.
 */
struct change_place change_place_of(const struct changes *ch, struct json e, bool makes)
{
	struct arena *mem = ch->c->mem;
	struct str path = changes_path(e), rest = path, name;
	struct str cwd = arena_printf(mem, "%.*s/", STR_ARG(ch->cwd));
	bool is_beneath = !str_starts(path, STR("/")) || str_starts(path, cwd);
	struct change_place p = { .change = JSON_GET(e, "payload"),
		                  .dir = open(is_beneath ? cwd.ptr : "/",
		                              O_PATH | O_DIRECTORY | O_CLOEXEC) };

	read_kind(&p);
	if (str_starts(path, cwd))
		rest = str_skip(path, cwd.len);
	p.path = str_starts(path, STR("/"))
	                 ? arena_keep(mem, path).ptr
	                 : arena_printf(mem, "%s%.*s", cwd.ptr, STR_ARG(path)).ptr;
	for (name = str_cut(&rest, '/'); str_is(rest) && p.dir >= 0; name = str_cut(&rest, '/'))
		if (name.len)
			p.dir = step_into(p.dir, name, makes);
	p.why = p.dir < 0 ? errno : 0;
	p.name = arena_keep(mem, name).ptr;
	return p;
}

void change_place_done(struct change_place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}

/* ---- comparing ---- */

/* The current content, or the target of a link; absent: no such file. */
static struct str content_at(struct arena *mem, const struct change_place *p)
{
	struct str text;
	int fd;

	if (p->kind == CHANGE_LINK) {
		char target[PATH_MAX];
		ssize_t n = readlinkat(p->dir, p->name, target, sizeof target);

		return n < 0 ? STR_NONE : arena_keep(mem, str_of(target, (size_t)n));
	}
	fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return STR_NONE;
	text = paths_read_fd(mem, fd, CHANGES_FILE_MAX);
	close(fd);
	return text;
}

static bool is_missing(const struct change_place *p)
{
	struct stat st;

	if (p->dir < 0)
		return p->why == ENOENT;
	return fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

static bool is_directory(const struct change_place *p)
{
	struct stat st;

	return p->dir >= 0 && fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

/* Also where a later change made it again: it is not made twice. */
bool change_place_is_as_left(struct arena *mem, const struct change_place *p)
{
	struct str want = json_str(JSON_GET(p->change, "sha256")), now;
	struct sha256 h;

	if (p->kind == CHANGE_DIRECTORY)
		return p->is_deleted ? is_missing(p) || is_directory(p) : is_directory(p);
	if (p->is_deleted)
		return is_missing(p);
	now = p->dir < 0 ? STR_NONE : content_at(mem, p);
	if (!str_is(now) || !str_is(want))
		return false;
	h = sha256_of(now);
	return str_eq(sha256_hex(mem, &h), want);
}

bool change_place_is_as_before(struct arena *mem, const struct change_place *p, struct str before)
{
	struct str now;

	if (p->is_created)
		return is_missing(p);
	if (p->kind == CHANGE_DIRECTORY)
		return false; /* it is cheap to set its mode again */
	now = p->dir < 0 ? STR_NONE : content_at(mem, p);
	return str_is(now) && str_is(before) && str_eq(now, before);
}

/* Whether this change, of the same place, left (or, with is_before, found) what is there now. */
static bool had(const struct changes *ch, struct change_place at, struct json e, bool is_before)
{
	struct str ref = changes_ref(e, "checkpoint");
	struct arena *mem = ch->c->mem;

	at.change = JSON_GET(e, "payload");
	read_kind(&at);
	if (!is_before)
		return change_place_is_as_left(mem, &at);
	return change_place_is_as_before(mem, &at,
	                                 str_is(ref) ? changes_output(ch->c, ref) : STR_NONE);
}

static bool is_undone_at(const struct changes *ch, const struct change_place *p, size_t at)
{
	struct str path = changes_path(ch->found.items[at]);
	bool is_gone = false;

	if (p->kind == CHANGE_DIRECTORY)
		return p->is_created ? is_missing(p) : p->is_deleted && is_directory(p);
	for (size_t i = ch->found.count; i-- > 0;) {
		struct json e = ch->found.items[i];

		if (!str_eq(changes_path(e), path))
			continue;
		if (had(ch, *p, e, false))
			return is_gone;
		is_gone |= i == at;
		if (is_gone && had(ch, *p, e, true))
			return true;
	}
	return false;
}

bool change_place_is_undone(const struct changes *ch, size_t at)
{
	struct change_place p = change_place_of(ch, ch->found.items[at], false);
	bool is_undone = (p.dir >= 0 || p.why == ENOENT) && is_undone_at(ch, &p, at);

	change_place_done(&p);
	return is_undone;
}

/* ---- changing ---- */

bool change_place_remove(const struct change_place *p)
{
	return unlinkat(p->dir, p->name, p->kind == CHANGE_DIRECTORY ? AT_REMOVEDIR : 0) == 0;
}

/* The mode before the change, or -1 if the event does not say. */
static long mode_of(const struct change_place *p)
{
	struct str text = json_str(JSON_GET(p->change, "previousMode"));
	long mode = 0;

	if (!str_is(text) || !text.len || text.len > 4)
		return -1;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '7')
			return -1;
		mode = mode * 8 + (text.ptr[i] - '0');
	}
	return mode & 0777;
}

/* Keeps the owner of the file that it replaces, and its mode if the change did not set another. */
static bool take_rights(const struct change_place *p, int fd)
{
	long mode = mode_of(p);
	struct stat st;

	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode)) {
		/* Only root can change the owner; other users own the file already. */
		if (fchown(fd, st.st_uid, st.st_gid) != 0)
			errno = 0;
		if (mode < 0)
			mode = st.st_mode & 0777;
	}
	return mode < 0 || fchmod(fd, (mode_t)mode) == 0;
}

static bool write_back(const struct change_place *p, struct str text)
{
	bool is_good;
	char tmp[300];
	int fd;

	if (snprintf(tmp, sizeof tmp, "%s.thole-undo", p->name) >= (int)sizeof tmp)
		return false;
	fd = openat(p->dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	is_good = sys_write_all(fd, text.ptr, text.len) && take_rights(p, fd);
	if (close(fd) != 0 || !is_good || renameat(p->dir, tmp, p->dir, p->name) != 0) {
		int why = errno;

		unlinkat(p->dir, tmp, 0);
		errno = why;
		return false;
	}
	return true;
}

static bool make_directory(const struct change_place *p)
{
	long mode = mode_of(p);

	if (mkdirat(p->dir, p->name, 0777) != 0 && errno != EEXIST)
		return false;
	return mode < 0 || !is_directory(p) || fchmodat(p->dir, p->name, (mode_t)mode, 0) == 0;
}

bool change_place_restore(struct arena *mem, const struct change_place *p, struct str before)
{
	if (p->kind == CHANGE_DIRECTORY)
		return make_directory(p);
	if (p->kind == CHANGE_FILE)
		return write_back(p, before);
	if (!is_missing(p) && unlinkat(p->dir, p->name, 0) != 0)
		return false;
	return symlinkat(arena_keep(mem, before).ptr, p->dir, p->name) == 0;
}

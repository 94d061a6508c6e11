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
#include <sys/random.h>
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

/*
 * Sandboxes keep the name of a protected file that was deleted by an empty directory of this form
 * (supervisor/files/protected_paths.h).  That it is empty shows when it is removed.
 */
static bool is_placeholder(const struct change_place *p, const struct stat *st)
{
	return p->kind != CHANGE_DIRECTORY && S_ISDIR(st->st_mode) && st->st_nlink <= 2 &&
	       (st->st_mode & 07777) == 0555;
}

static bool is_missing(const struct change_place *p)
{
	struct stat st;

	if (p->dir < 0)
		return p->why == ENOENT;
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT;
	return is_placeholder(p, &st);
}

static bool is_directory(const struct change_place *p)
{
	struct stat st;

	return p->dir >= 0 && fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

/* ---- permission bits ---- */

/* The bits that the event has under this name, or -1 if it has none. */
static long mode_of(const struct change_place *p, const char *key)
{
	struct str text = json_str(json_get(p->change, str_from(key)));
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

/* Did the change set other bits? An event names them also where only the content is new. */
static bool has_new_mode(const struct change_place *p)
{
	long mode = mode_of(p, "mode"), before = mode_of(p, "previousMode");

	return mode >= 0 && before >= 0 && mode != before;
}

/* Are the bits those of this name? A change that set none has nothing to say about them. */
static bool has_mode(const struct change_place *p, const char *key)
{
	struct stat st;

	return !has_new_mode(p) || (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	                            (st.st_mode & 0777) == (mode_t)mode_of(p, key));
}

/* ---- what is there ---- */

/* Also where a later change made it again: it is not made twice. */
bool change_place_is_as_left(struct arena *mem, const struct change_place *p)
{
	struct str want = json_str(JSON_GET(p->change, "sha256")), now;
	struct sha256 h;

	if (p->kind == CHANGE_DIRECTORY)
		return p->is_deleted ? is_missing(p) || is_directory(p)
		                     : is_directory(p) && has_mode(p, "mode");
	if (p->is_deleted)
		return is_missing(p);
	now = p->dir < 0 ? STR_NONE : content_at(mem, p);
	if (!str_is(now) || !str_is(want) || !has_mode(p, "mode"))
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
		return is_directory(p) && has_new_mode(p) && has_mode(p, "previousMode");
	now = p->dir < 0 ? STR_NONE : content_at(mem, p);
	return str_is(now) && str_is(before) && str_eq(now, before) && has_mode(p, "previousMode");
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

/*
 * Keeps owner and bits of the file that it replaces; of the bits only those that the change set go
 * back.  One that is gone gets the bits that it had.
 */
static bool take_rights(const struct change_place *p, int fd)
{
	long mode = mode_of(p, "previousMode");
	struct stat st;

	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode)) {
		/* Only root can change the owner; other users own the file already. */
		if (fchown(fd, st.st_uid, st.st_gid) != 0)
			errno = 0;
		mode = has_new_mode(p) ? mode | (st.st_mode & 07000) : st.st_mode & 07777;
	}
	return mode < 0 || fchmod(fd, (mode_t)mode) == 0;
}

/*
 * A name of its own: one that is made from the file's name can be too long, and an undo that was
 * killed may have left it.
 */
static bool name_temporary(char *ret, size_t size)
{
	uint64_t nonce;

	if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
		return false;
	snprintf(ret, size, ".thole-undo-%016llx", (unsigned long long)nonce);
	return true;
}

/* Anything but an empty directory changes places again. */
static bool replace_placeholder(const struct change_place *p, const char *tmp)
{
	if (renameat2(p->dir, tmp, p->dir, p->name, RENAME_EXCHANGE) == 0) {
		if (unlinkat(p->dir, tmp, AT_REMOVEDIR) == 0)
			return true;
		(void)!renameat2(p->dir, tmp, p->dir, p->name, RENAME_EXCHANGE);
	} else if (errno == EINVAL && unlinkat(p->dir, p->name, AT_REMOVEDIR) == 0 &&
	           renameat2(p->dir, tmp, p->dir, p->name, RENAME_NOREPLACE) == 0) {
		return true;
	}
	errno = EEXIST;
	return false;
}

/* What appeared at a place that was empty is not overwritten. */
static bool move_into_place(const struct change_place *p, const char *tmp)
{
	unsigned flags = is_missing(p) ? RENAME_NOREPLACE : 0;
	int why;

	if (renameat2(p->dir, tmp, p->dir, p->name, flags) == 0)
		return true;
	if (flags && errno == EEXIST && replace_placeholder(p, tmp))
		return true;
	/* A file system that knows no flags. */
	if (flags && errno == EINVAL && renameat(p->dir, tmp, p->dir, p->name) == 0)
		return true;
	why = errno;
	unlinkat(p->dir, tmp, 0);
	errno = why;
	return false;
}

/* The content is on disk before the name leads to it. */
static bool write_back(const struct change_place *p, struct str text)
{
	bool is_good;
	char tmp[40];
	int fd;

	if (!name_temporary(tmp, sizeof tmp))
		return false;
	fd = openat(p->dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	is_good = sys_write_all(fd, text.ptr, text.len) && take_rights(p, fd) && fdatasync(fd) == 0;
	if (close(fd) != 0 || !is_good) {
		int why = errno;

		unlinkat(p->dir, tmp, 0);
		errno = why;
		return false;
	}
	return move_into_place(p, tmp);
}

/* Made beside it first: an undo that is killed leaves the link of the turn or the one before. */
static bool link_back(const struct change_place *p, const char *target)
{
	char tmp[40];

	return name_temporary(tmp, sizeof tmp) && symlinkat(target, p->dir, tmp) == 0 &&
	       move_into_place(p, tmp);
}

static bool make_directory(const struct change_place *p)
{
	long mode = mode_of(p, "previousMode");

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
	return link_back(p, arena_keep(mem, before).ptr);
}

bool change_place_has_other_names(const struct change_place *p)
{
	struct stat st;

	return p->kind == CHANGE_FILE && !p->is_created && p->dir >= 0 &&
	       fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_nlink > 1;
}

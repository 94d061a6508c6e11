/* Writes a trajectory through thole_atif(): to stdout, or beside a file that it then replaces. */
#include "app/cli/export/export_atif.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/jw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int export_atif_open(struct cli *c)
{
	if (c->t || c->is_remote)
		return connection_open(c);
	if (connection_is_up(c)) {
		c->opts.here = false;
		return connection_open(c);
	}
	if (access(paths_in_data(c, "log.db"), F_OK) != 0) {
		out_error(c, "There is no log in %s.", c->data);
		return CODE_FAILED;
	}
	return connection_open_copy(c);
}

/* ---- the file ---- */

/*
 * A regular file is written without a name, or as `part` where the file system cannot do that, and
 * gets its name when it is complete.  Anything else, a pipe, say, is written directly.
 */
struct export_atif_file {
	const char *path; /* NULL: stdout */
	const char *part; /* NULL: no regular file */
	int fd;
	bool has_name; /* whether `part` exists */
	int failure;   /* errno of the write that failed */
};

static int tell_path(struct cli *c, const char *path, const char *why)
{
	out_error(c, "%s cannot be written: %s.", out_safe(c->mem, str_from(path)), why);
	return CODE_USAGE;
}

/* A pipe without a reader would wait for one, so that is an error; later writes wait as usual. */
static int open_special(struct cli *c, struct export_atif_file *f)
{
	f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return tell_path(c, f->path,
		                 errno == ENXIO ? "no program reads from it" : strerror(errno));
	signal(SIGPIPE, SIG_IGN); /* a reader that leaves is an error of the write */
	(void)fcntl(f->fd, F_SETFL, fcntl(f->fd, F_GETFL) & ~O_NONBLOCK);
	return CODE_DONE;
}

static struct str dir_of(struct cli *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return STR(".");
	return arena_keep(c->mem, str_of(path, MAX((size_t)(slash - path), 1)));
}

/* Only the owner may read it, unless the file exists already: it keeps its mode. */
static int open_regular(struct cli *c, struct export_atif_file *f, const struct stat *there)
{
	f->part = arena_printf(c->mem, "%s.%ld.part", f->path, (long)getpid()).ptr;
	f->fd = open(dir_of(c, f->path).ptr, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (f->fd < 0) {
		f->fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		f->has_name = f->fd >= 0;
	}
	if (f->fd < 0)
		return tell_path(c, f->path, strerror(errno));
	if (there)
		(void)fchmod(f->fd, there->st_mode & 0777);
	return CODE_DONE;
}

/* A link is followed, so that it stays a link. */
static int open_path(struct cli *c, const char *path, struct export_atif_file *f)
{
	char real[PATH_MAX];
	struct stat st;
	bool is_there = stat(path, &st) == 0;

	f->path = path;
	if (is_there && !S_ISREG(st.st_mode))
		return open_special(c, f);
	if (!is_there && errno != ENOENT)
		return tell_path(c, path, strerror(errno));
	if (is_there && realpath(path, real))
		f->path = arena_keep(c->mem, str_from(real)).ptr;
	else if (is_there)
		return tell_path(c, path, strerror(errno));
	else if (lstat(path, &st) == 0)
		return tell_path(c, path, "it is a link to a file that does not exist");
	return open_regular(c, f, is_there ? &st : NULL);
}

int export_atif_prepare(struct cli *c, const char *path, struct export_atif_file **ret)
{
	struct export_atif_file *f = ARENA_NEW(c->mem, struct export_atif_file);

	*f = (struct export_atif_file){ .fd = STDOUT_FILENO };
	*ret = f;
	if (!path)
		return CODE_DONE;
	if (!path[0])
		return opt_usage(c, "The name of the file for the trajectory is empty.");
	return open_path(c, path, f);
}

void export_atif_drop(struct export_atif_file *f)
{
	if (f->path && f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (f->has_name)
		unlink(f->part);
	f->has_name = false;
}

/* A file without a name cannot replace another, so it gets the name of the part first. */
static bool give_name(struct export_atif_file *f)
{
	char own[64];

	if (!f->has_name) {
		snprintf(own, sizeof own, "/proc/self/fd/%d", f->fd);
		f->has_name = linkat(AT_FDCWD, own, AT_FDCWD, f->part, AT_SYMLINK_FOLLOW) == 0;
	}
	if (!f->has_name || rename(f->part, f->path) != 0)
		return false;
	f->has_name = false;
	return true;
}

static int write_bytes(void *arg, const char *bytes, size_t len)
{
	struct export_atif_file *f = arg;

	while (len) {
		ssize_t n = write(f->fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			f->failure = n < 0 ? errno : EIO;
			return -1;
		}
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The end of a complete document.  close() is where some file systems report a full disk. */
static bool finish(struct export_atif_file *f)
{
	bool is_done;

	if (!f->path)
		return true;
	is_done = !f->part || give_name(f);
	if (is_done && close(f->fd) == 0) {
		f->fd = -1;
		return true;
	}
	f->failure = errno;
	return false;
}

/* ---- writing ---- */

static struct str params_of(struct cli *c, const struct ref *ref)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", ref->session);
	if (ref->kind != REF_SESSION)
		JW_KOPT(&w, "threadId", ref->thread);
	if (ref->kind == REF_TURN)
		JW_KOPT(&w, "turnId", ref->turn);
	jw_obj_end(&w);
	return arena_keep(c->mem, buf_str(&text));
}

static int tell_failure(struct cli *c, const struct export_atif_file *f, const char *why)
{
	const char *where = f->path ? f->path : "stdout";

	if (f->failure)
		out_error(c, "The trajectory was not written: %s: %s.",
		          out_safe(c->mem, str_from(where)), strerror(f->failure));
	else
		out_error(c, "The trajectory was not written: %s.",
		          out_safe(c->mem, str_from(why)));
	return CODE_FAILED;
}

int export_atif_write(struct cli *c, const struct ref *ref, struct export_atif_file *f)
{
	struct thole_error e = { 0 };
	int code = CODE_DONE;

	fflush(stdout);
	if (thole_atif(c->t, params_of(c, ref).ptr, write_bytes, f, &e) != THOLE_OK || !finish(f))
		code = tell_failure(c, f, e.message);
	export_atif_drop(f);
	return code;
}

int export_atif(struct cli *c, const struct ref *ref, const char *path)
{
	struct export_atif_file *f;
	int code;

	if (ref->kind > REF_TURN)
		return opt_usage(c, "A trajectory is that of a session, a thread or a turn.");
	code = export_atif_prepare(c, path, &f);
	return code ? code : export_atif_write(c, ref, f);
}

/*
 * backup and restore: a copy of the data directory, and the way back.
 *
 *   TARGET.part/data  ──► copied (thole_backup) ──► verified ──► renamed to TARGET
 *
 * Nothing bears the final name before it is complete, so an end at any moment
 * leaves a directory TARGET.part at most, which the next call removes.  A lock
 * on that directory tells it from one that is still being written.  A name that
 * ends in .tar, .tar.gz, .tgz or .tar.zst is one file, packed by tar(1).  Of a log in PostgreSQL
 * the content of the directory is made by backup_database.c.
 */
#include "app/cli/admin/backup_database.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include "base/os/sys.h"
#include "base/path/path.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Where the work is done before anything has its final name. */
struct staging {
	struct cli *c;
	const char *part; /* TARGET.part */
	const char *data; /* TARGET.part/data */
	int lock;
};

static bool is_packed(const char *name)
{
	static const char *const ends[] = { ".tar", ".tar.gz", ".tgz", ".tar.zst" };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_ends(str_from(name), str_from(ends[i])))
			return true;
	return false;
}

/* ---- staging ---- */

static int cannot(struct cli *c, const char *what, const char *path)
{
	out_error(c, "%s could not be %s: %s.", out_safe(c->mem, str_from(path)), what,
	          strerror(errno));
	return CODE_STORE;
}

/* True: it is ours now.  A lock that no process holds is left by a call that was killed. */
static bool take_part(struct staging *s)
{
	s->lock = open(s->part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0;
}

static int staging_begin(struct staging *s, struct cli *c, const char *target)
{
	*s = (struct staging){ .c = c, .lock = -1 };
	s->part = arena_printf(c->mem, "%s.part", target).ptr;
	s->data = arena_printf(c->mem, "%s/data", s->part).ptr;
	if (access(s->part, F_OK) == 0) {
		if (!take_part(s)) {
			out_error(c, "%s is being written by another process.",
			          out_safe(c->mem, str_from(s->part)));
			return CODE_FAILED;
		}
		paths_remove_dir(s->part);
		close(s->lock);
	}
	if (mkdir(s->part, 0700) != 0 || !take_part(s) || mkdir(s->data, 0700) != 0)
		return cannot(c, "made", s->part);
	return CODE_DONE;
}

static void staging_end(struct staging *s)
{
	if (s->lock < 0)
		return;
	paths_remove_dir(s->part);
	close(s->lock);
}

/* The last step: the name appears with everything in it, and survives a power cut. */
static int staging_publish(struct staging *s, const char *made, const char *target)
{
	if (rename(made, target) != 0 || sys_sync_dir_of(target) != 0)
		return cannot(s->c, "put in its place", target);
	return CODE_DONE;
}

/* ---- tar ---- */

static int run_tar(struct cli *c, const char *const *argv)
{
	int status, failed;
	pid_t pid;

	failed = posix_spawnp(&pid, "tar", NULL, NULL, (char *const *)argv, environ);
	if (failed) {
		out_error(c, "tar cannot be run: %s.", strerror(failed));
		return CODE_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return CODE_DONE;
	out_error(c, "tar failed.");
	return CODE_FAILED;
}

/* The suffix says how tar compresses, so the file has the last name's. */
static int pack(struct staging *s, const char *target, const char **ret)
{
	const char *base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	const char *file = arena_printf(s->c->mem, "%s/%s", s->part, base).ptr;
	const char *argv[] = {
		"tar",   "--create",    "--auto-compress", "--file",      file, "-C",
		s->data, "--owner=0:0", "--numeric-owner", "--sort=name", ".",  NULL
	};
	FD_SCOPE fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = fd < 0 ? cannot(s->c, "made", file) : run_tar(s->c, argv);

	*ret = file;
	if (!code && fsync(fd) != 0)
		code = cannot(s->c, "written", file);
	return code;
}

/* A dump is for pg_restore alone, and may be large. */
static int unpack(struct staging *s, const char *file, const char **ret)
{
	const char *into = arena_printf(s->c->mem, "%s/unpacked", s->part).ptr;
	const char *argv[] = { "tar",
		               "--extract",
		               "--file",
		               file,
		               "-C",
		               into,
		               "--no-same-owner",
		               "--no-overwrite-dir",
		               "--exclude=./log.dump",
		               NULL };

	*ret = into;
	if (mkdir(into, 0700) != 0)
		return cannot(s->c, "made", into);
	return run_tar(s->c, argv);
}

/* ---- verifying ---- */

/*
 * Opens a copy of the copy with a runtime that only reads: opening the directory itself would write
 * to it.  The copy lies beside it, where a file system can share the blocks.
 */
static int check_copy(struct staging *s, struct verify_sum *ret)
{
	struct cli v = *s->c;
	const char *before = getenv("TMPDIR");
	int code;

	v.t = NULL;
	v.data = s->data;
	v.arg_count = 0;
	v.opts.json = false;
	setenv("TMPDIR", s->part, 1);
	code = connection_open_copy(&v);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	if (!code)
		code = verify_all(&v, ret);
	connection_close(&v);
	paths_done(&v);
	if (!code && (ret->broken || ret->missing)) {
		out_error(s->c,
		          "The copy is not whole: %lld sessions are broken, %lld outputs are "
		          "missing.",
		          (long long)ret->broken, (long long)ret->missing);
		fprintf(stderr, "  `thole verify` says whether the original is.\n");
		code = CODE_FAILED;
	}
	return code;
}

static void put_result(struct cli *c, const char *what, const char *path,
                       const struct verify_sum *sum)
{
	if (c->opts.json)
		printf("{\"path\":\"%s\",\"sessions\":%lld,\"events\":%lld,\"verified\":true}\n",
		       out_safe(c->mem, str_from(path)), (long long)sum->sessions,
		       (long long)sum->events);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, str_from(path)));
	else
		printf("%s %s: %lld event%s in %lld session%s, verified\n", what,
		       out_safe(c->mem, str_from(path)), (long long)sum->events,
		       sum->events == 1 ? "" : "s", (long long)sum->sessions,
		       sum->sessions == 1 ? "" : "s");
}

/* ---- backup ---- */

static int print_error(struct cli *c, const struct thole_error *e)
{
	out_error(c, "%s.", out_safe(c->mem, str_from(e->message)));
	return e->code == THOLE_CONFIG ? CODE_USAGE
	       : e->code == THOLE_IO   ? CODE_FAILED
	                               : CODE_STORE;
}

static int check_target(struct cli *c, const char *target, bool is_database)
{
	struct stat st;

	if (lstat(target, &st) == 0)
		return opt_usage(c, "%s exists, and a backup replaces nothing. Choose a new name.",
		                 target);
	if (!is_database && c->opts.no_dump)
		return opt_usage(c, "--no-dump is about a log in PostgreSQL.");
	if (!is_database && access(paths_in_data(c, "log.db"), F_OK) != 0) {
		out_error(c, "There is no log in %s, so there is nothing to back up.", c->data);
		return CODE_FAILED;
	}
	if (path_is_under(str_from(target), str_from(c->data)))
		return opt_usage(c, "%s lies in the data directory itself; choose another place.",
		                 target);
	return CODE_DONE;
}

static int backup_of_database(struct staging *s, const char *target)
{
	const char *made = s->data;
	struct json manifest;
	int code = backup_database_write(s->c, s->data, &manifest);

	if (!code && is_packed(target))
		code = pack(s, target, &made);
	if (!code)
		code = staging_publish(s, made, target);
	if (!code)
		backup_database_show(s->c, target, manifest);
	return code;
}

static int backup_of_directory(struct staging *s, const char *target)
{
	struct verify_sum sum = { 0 };
	struct thole_error e = { 0 };
	const char *made = s->data;
	int code;

	if (thole_backup(s->c->data, s->data, s->c->opts.with_keys, &e) != THOLE_OK)
		return print_error(s->c, &e);
	code = check_copy(s, &sum);
	if (!code && is_packed(target))
		code = pack(s, target, &made);
	if (!code)
		code = staging_publish(s, made, target);
	if (!code)
		put_result(s->c, "backup", target, &sum);
	return code;
}

/* An archive is unpacked in a directory that is removed. */
static int check_packed(struct cli *c, const char *file)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = (char *)arena_printf(c->mem, "%s/thole-check-XXXXXX", tmp ? tmp : "/tmp").ptr;
	const char *unpacked;
	struct staging s;
	int code;

	if (!mkdtemp(dir))
		return cannot(c, "made", dir);
	code = staging_begin(&s, c, arena_printf(c->mem, "%s/backup", dir).ptr);
	if (!code)
		code = unpack(&s, file, &unpacked);
	if (!code)
		code = backup_database_compare(c, unpacked);
	staging_end(&s);
	rmdir(dir);
	return code;
}

static int check_backup(struct cli *c, const char *from, bool is_database)
{
	if (!is_database)
		return opt_usage(
			c, "--check compares a database with a backup of it: name the database "
			   "with --store URL.");
	if (c->opts.with_keys || c->opts.no_dump)
		return opt_usage(c, "--check makes no backup: leave the other options out.");
	return is_packed(from) ? check_packed(c, from) : backup_database_compare(c, from);
}

int verb_backup(struct cli *c)
{
	const char *target = paths_absolute(c, c->args[0]);
	bool is_database = false;
	struct staging s;
	int code = backup_database_find(c, &is_database);

	if (!code && c->opts.check)
		return check_backup(c, target, is_database);
	if (!code)
		code = check_target(c, target, is_database);
	if (code)
		return code;
	umask(077);
	code = staging_begin(&s, c, target);
	if (!code)
		code = is_database ? backup_of_database(&s, target)
		                   : backup_of_directory(&s, target);
	staging_end(&s);
	if (!code && c->opts.with_keys)
		out_note(c, TONE_ASK,
		         "The backup has the keys of providers and the token: keep it as secret.");
	return code;
}

/* ---- restore ---- */

static bool is_empty_dir(const char *path)
{
	DIR *d = opendir(path);
	int entries = 0;

	while (d && readdir(d))
		entries++;
	if (d)
		closedir(d);
	return d && entries <= 2;
}

static int check_place(struct cli *c)
{
	int lock = open(paths_in_data(c, "lock"), O_RDONLY | O_CLOEXEC);
	bool is_held = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0;

	if (lock >= 0)
		close(lock);
	if (is_held) {
		out_error(c, "A daemon uses %s. A restore needs a directory of its own.", c->data);
		fprintf(stderr,
		        "  Name another with --data DIR; or stop the daemon (thole serve --stop) "
		        "and move the directory away.\n");
		return CODE_FAILED;
	}
	if (access(c->data, F_OK) == 0 && !is_empty_dir(c->data)) {
		out_error(c, "%s is not empty, and a restore replaces nothing.", c->data);
		fprintf(stderr, "  Move it away first: mv %s %s.old\n", c->data, c->data);
		return CODE_FAILED;
	}
	return CODE_DONE;
}

static int tell_restore(struct cli *c, const char *from, const char *dir)
{
	backup_database_show_restore(c, from, dir, from != dir);
	return CODE_FAILED;
}

static int restore(struct staging *s, const char *file)
{
	struct verify_sum sum = { 0 };
	struct thole_error e = { 0 };
	struct cli *c = s->c;
	const char *from = file;
	int code = is_packed(file) ? unpack(s, file, &from) : CODE_DONE;

	if (code)
		return code;
	if (backup_database_is(c, from))
		return tell_restore(c, file, from);
	if (thole_restore(from, s->data, &e) != THOLE_OK)
		return print_error(c, &e);
	code = check_copy(s, &sum);
	/* An empty directory is replaced by rename(2); any other makes it fail. */
	if (!code)
		code = staging_publish(s, s->data, c->data);
	if (!code)
		put_result(c, "restored", c->data, &sum);
	return code;
}

int verb_restore(struct cli *c)
{
	const char *from = paths_absolute(c, c->args[0]), *missing;
	struct staging s;
	int code;

	if (access(from, R_OK) != 0) {
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(from)), strerror(errno));
		return CODE_USAGE;
	}
	/* Nothing is made then, so it does not matter who uses the data directory. */
	if (backup_database_is(c, from))
		return tell_restore(c, from, from);
	code = check_place(c);
	if (code)
		return code;
	umask(077);
	/* The data directory's parent may not exist yet on a new machine. */
	missing = paths_make_parents(c, c->data);
	if (missing)
		return cannot(c, "made", missing);
	code = staging_begin(&s, c, c->data);
	if (!code)
		code = restore(&s, from);
	staging_end(&s);
	return code;
}

/*
 * Notices that files of the data directory were moved or replaced while the
 * store is open.
 *
 * A commit goes to descriptors; the next start uses names.  When the
 * directory, log.db, its write-ahead log or the lock was deleted or replaced,
 * the two no longer mean the same file and every later commit would be lost
 * at exit.  So names and files are compared after each commit, and a thread
 * that sleeps in inotify compares them when the directory changes.
 *
 * After the start, everything here except the end of the store is read-only.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kept_name[KEPT_FILES] = {
	[KEPT_LOG] = "log.db",
	[KEPT_WAL] = "log.db-wal",
	[KEPT_LOCK] = "lock",
};

#define WATCHED                                                                                    \
	(IN_DELETE_SELF | IN_MOVE_SELF | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE |     \
	 IN_ONLYDIR)

static bool stat_kept(const struct watch *w, enum kept_file file, struct stat *ret)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof path, "%s/%s", w->dir, kept_name[file]) <
	               sizeof path &&
	       stat(path, ret) == 0;
}

/*
 * Three stat() calls per commit, small beside its fsync.  Compared are device and
 * inode, not times: a file with the same content under the same name is still another
 * file.
 */
enum err sqlite_watch_check(const struct sqlite_store *s, struct error *e)
{
	const struct watch *w = &s->watch;

	for (int i = 0; w->has_file && i < KEPT_FILES; i++) {
		struct stat st;
		bool is_there = stat_kept(w, (enum kept_file)i, &st);

		if (is_there && st.st_dev == w->dev[i] && st.st_ino == w->ino[i])
			continue;
		fail(e, ERR_IO,
		     "%s/%s was %s while this process had it open; nothing more is accepted, "
		     "because it would be lost at exit. Put the data directory back and start "
		     "again",
		     w->dir, kept_name[i], is_there ? "replaced" : "deleted or moved away");
		e->detail = STORE_MOVED;
		return ERR_IO;
	}
	return OK;
}

/* ---- the thread ---- */

static bool is_kept_name(const struct inotify_event *ev)
{
	if (!ev->len)
		return true; /* the directory itself */
	for (int i = 0; i < KEPT_FILES; i++)
		if (strcmp(ev->name, kept_name[i]) == 0)
			return true;
	return false;
}

/* Reads inotify events; returns whether one concerns our files. */
static bool take_events(int inotify)
{
	_Alignas(struct inotify_event) char text[4096];
	bool is_ours = false;
	ssize_t len;

	while ((len = read(inotify, text, sizeof text)) > 0)
		for (ssize_t at = 0; at < len;) {
			const struct inotify_event *ev = (const void *)(text + at);

			is_ours |= (ev->mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) || is_kept_name(ev);
			at += (ssize_t)(sizeof *ev + ev->len);
		}
	return is_ours;
}

/*
 * Ends the store on its own when a file is gone, and wakes the owner, because no commit
 * may be under way that would report it.
 */
static void *run_watch(void *arg)
{
	struct sqlite_store *s = arg;
	struct pollfd fds[] = { { .fd = s->watch.inotify, .events = POLLIN },
		                { .fd = s->watch.stop[0], .events = POLLIN } };
	struct error e;

	for (;;) {
		if (poll(fds, COUNT_OF(fds), -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[1].revents)
			return NULL;
		if (fds[0].revents && take_events(s->watch.inotify) &&
		    sqlite_watch_check(s, &e) != OK) {
			sqlite_state_fail(s, &e);
			if (s->answered.wake)
				s->answered.wake(s->answered.wake_arg);
			return NULL;
		}
	}
}

/* Without the thread a change is noticed by the next commit. */
static void start_thread(struct sqlite_store *s)
{
	struct watch *w = &s->watch;
	sigset_t all, old;

	w->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->inotify < 0 || inotify_add_watch(w->inotify, w->dir, WATCHED) < 0 ||
	    pipe2(w->stop, O_CLOEXEC) != 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->has_thread = pthread_create(&w->thread, NULL, run_watch, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (w->has_thread)
		pthread_setname_np(w->thread, "thole-store-wd");
}

/* ---- start and stop ---- */

/* Links stay unresolved: a link that later leads elsewhere counts as a replaced directory. */
static char *absolute(const char *dir)
{
	char here[PATH_MAX];
	size_t size = strlen(dir) + sizeof here + 2;
	char *path = memory_alloc(size);

	if (dir[0] == '/' || !getcwd(here, sizeof here))
		snprintf(path, size, "%s", dir);
	else
		snprintf(path, size, "%s/%s", here, dir);
	return path;
}

/*
 * Called when both connections are open, so that the WAL exists.  Remembers what the
 * names mean at that moment.
 */
enum err sqlite_watch_start(struct sqlite_store *s, const char *dir, struct error *e)
{
	struct watch *w = &s->watch;

	w->dir = absolute(dir);
	for (int i = 0; i < KEPT_FILES; i++) {
		struct stat st;

		if (!stat_kept(w, (enum kept_file)i, &st))
			return fail_errno(e, ERR_IO, "cannot look at %s/%s", dir, kept_name[i]);
		w->dev[i] = st.st_dev;
		w->ino[i] = st.st_ino;
	}
	w->has_file = true;
	if (s->has_threads)
		start_thread(s);
	return OK;
}

/*
 * The pipe ends poll() in the thread.  Safe to call twice: closing calls it first,
 * because it removes the WAL itself.
 */
void sqlite_watch_stop(struct sqlite_store *s)
{
	struct watch *w = &s->watch;

	if (w->has_thread) {
		(void)!write(w->stop[1], "", 1);
		pthread_join(w->thread, NULL);
	}
	w->has_thread = false;
	for (int i = 0; i < 2; i++) {
		if (w->stop[i] >= 0)
			close(w->stop[i]);
		w->stop[i] = -1;
	}
	if (w->inotify >= 0)
		close(w->inotify);
	w->inotify = -1;
}

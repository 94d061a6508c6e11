#ifndef BASE_FOREIGN_FILE_H
#define BASE_FOREIGN_FILE_H
/*
 * Files that somebody else put there: rules, hooks, tool servers, instructions
 * and ignore files of a repository, and what lies in .git.  One way to open
 * and read them, because each of them may be a trap:
 *
 *	a link that leads out of the tree            not followed
 *	a FIFO, a device, a socket                   not opened for reading
 *	a file of proc, sysfs, cgroup, bpf, ...      refused
 *	endless, or longer than expected             read to a bound
 *	a file system that does not answer           given up at a deadline
 *
 * A directory of that name is no such file: a sandbox puts one there while it
 * stands.  On a local file system nothing waits, so files there are read at
 * once.  Elsewhere a thread of its own reads, and it depends on who asks: an
 * ordinary thread waits for it up to the deadline; the thread of an event loop
 * (foreign_file_on_loop) never waits and gets what the last probe of the
 * directory read.  Before work begins in a directory the loop asks
 * foreign_file_root() until the directory is known, and lets the request wait.
 */
#include "base/arena.h"
#include "base/err.h"

#define FOREIGN_FILE_DEADLINE_MS 500
/* What a probe of a directory read is used for so long when work begins there. */
#define FOREIGN_FILE_FRESH_MS 1000
/* A directory that answered so lately is trusted to answer once more. */
#define FOREIGN_FILE_TRUSTED_MS 30000

enum foreign_root {
	FOREIGN_ROOT_LOCAL,   /* nothing waits there, or there is no such directory */
	FOREIGN_ROOT_ANSWERS, /* it did, a moment ago */
	FOREIGN_ROOT_UNKNOWN, /* a probe is under way: ask again soon */
	FOREIGN_ROOT_STUCK,   /* it has not answered within the deadline */
};

struct foreign_stamp {
	uint64_t device, inode, size, changed_ns;
	uint64_t names; /* hard links */
	bool is_there;  /* something has that name, be it a trap */
};

struct foreign_file {
	struct str text; /* a NUL stands behind it */
	struct foreign_stamp stamp;
};

/*
 * name is relative to the directory root.  ERR_NOT_FOUND; ERR_TOO_LARGE: above
 * max; ERR_INVALID: not a regular file of an ordinary file system, or a link
 * that leads out of root; ERR_TIMEOUT: it did not answer; ERR_IO.
 */
enum err foreign_file_read(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_file *ret, struct error *e) MUST_USE;
/* How it stands; the same errors but for ERR_TOO_LARGE.  ret is filled as far as it is known. */
enum err foreign_file_look(struct str root, const char *name, struct foreign_stamp *ret,
                           struct error *e) MUST_USE;

/* The calling thread runs an event loop: from now on it waits for no file. */
void foreign_file_on_loop(void);
bool foreign_file_is_on_loop(void);
/*
 * How the directory stands, by a probe that is no older than that; begins one
 * unless one is under way.  What lies below a known directory stands as it
 * does.  Never waits.
 */
enum foreign_root foreign_file_root(struct str path, int64_t age_ms);
/* As repository_runs_code(); on the loop, true of what only a wait could tell. */
bool foreign_file_runs_code(void *owner, struct str dir);
bool foreign_file_runs_hooks(void *owner, struct str dir);

/* The same on an open directory, without a deadline: for processes that have one themselves. */
enum err foreign_file_read_at(struct arena *mem, int dir, const char *name, size_t max,
                              struct foreign_file *ret, struct error *e) MUST_USE;

#endif

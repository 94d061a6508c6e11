#ifndef BASE_FOREIGN_FILE_H
#define BASE_FOREIGN_FILE_H
/*
 * Files of untrusted origin: rules, hooks, tool servers, instructions and
 * ignore files of a repository, and the content of .git.  They are opened and
 * read in one place, because each of them may be a trap:
 *
 *	a link that leads out of the tree            not followed
 *	a FIFO, a device, a socket                   not opened for reading
 *	a file of proc, sysfs, cgroup, bpf, ...      refused
 *	endless, or longer than expected             read to a bound
 *	a file system that does not answer           given up at a deadline
 *
 * A directory of that name counts as no file: a sandbox places one there while
 * it runs.  Local file systems do not block, so their files are read directly.
 * Elsewhere a separate thread reads.  An ordinary caller waits for it up to the
 * deadline; the thread of an event loop (foreign_file_on_loop) never waits and
 * gets what the last probe of the directory read.  Before work begins in a
 * directory, the loop calls foreign_file_root() until the directory is known,
 * and lets the request wait.
 */
#include "base/arena.h"
#include "base/err.h"

#define FOREIGN_FILE_DEADLINE_MS 500
/* How long the result of a probe is used when work begins in the directory. */
#define FOREIGN_FILE_FRESH_MS 1000
/* How long a directory that answered is expected to answer again. */
#define FOREIGN_FILE_TRUSTED_MS 30000

enum foreign_root {
	FOREIGN_ROOT_LOCAL,   /* never blocks, or does not exist */
	FOREIGN_ROOT_ANSWERS, /* it answered recently */
	FOREIGN_ROOT_UNKNOWN, /* a probe is running: ask again soon */
	FOREIGN_ROOT_STUCK,   /* it has not answered within the deadline */
};

struct foreign_stamp {
	uint64_t device, inode, size, changed_ns;
	uint64_t names; /* hard links */
	bool is_there;  /* something of that name exists, of any kind */
};

struct foreign_file {
	struct str text; /* NUL-terminated */
	struct foreign_stamp stamp;
};

/*
 * name is relative to the directory root.  ERR_NOT_FOUND; ERR_TOO_LARGE: above
 * max; ERR_INVALID: not a regular file of an ordinary file system, or a link
 * that leads out of root; ERR_TIMEOUT: it did not answer; ERR_IO.
 */
enum err foreign_file_read(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_file *ret, struct error *e) MUST_USE;
/*
 * Opens it for a caller that reads a large file piece by piece, without a deadline; the same errors
 * except ERR_TOO_LARGE.  The caller closes *ret_fd.  Never called by the thread of a loop.
 */
enum err foreign_file_open(struct str root, const char *name, int *ret_fd,
                           struct foreign_stamp *ret, struct error *e) MUST_USE;
/* Examines the file; the same errors except ERR_TOO_LARGE.  ret is filled as far as known. */
enum err foreign_file_look(struct str root, const char *name, struct foreign_stamp *ret,
                           struct error *e) MUST_USE;

struct foreign_list {
	/* one line per entry, in no order: d (directory), l (link), f (file) or ?, then its name */
	struct str lines;
	bool has_more; /* than max */
};

/* The entries of a directory, with the same errors; never called by the thread of a loop. */
enum err foreign_file_list(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_list *ret, struct error *e) MUST_USE;

/* The calling thread runs an event loop: from now on it waits for no file. */
void foreign_file_on_loop(void);
bool foreign_file_is_on_loop(void);
/*
 * The state of the directory by a probe of at most this age; starts a probe if
 * needed.  A known directory also answers for those below it.  Never waits.
 */
enum foreign_root foreign_file_root(struct str path, int64_t age_ms);
/*
 * 0 if this is a directory that can be read and entered, else the reason as an
 * errno.  Never waits: elsewhere than on local file systems, what the last probe
 * of exactly this directory found; 0 if there was none.
 */
int foreign_file_root_errno(struct str path);
/* As repository_runs_code(); on the loop, true where the answer would need a wait. */
bool foreign_file_runs_code(void *owner, struct str dir);
bool foreign_file_runs_hooks(void *owner, struct str dir);

/* The same on an open directory, without a deadline: for processes that have one themselves. */
enum err foreign_file_read_at(struct arena *mem, int dir, const char *name, size_t max,
                              struct foreign_file *ret, struct error *e) MUST_USE;

#endif

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
 * stands.  Opening and reading happen on a thread of their own, unless the
 * root was found on a local file system a moment ago, where nothing waits.
 */
#include "base/arena.h"
#include "base/err.h"

#define FOREIGN_FILE_DEADLINE_MS 500

struct foreign_stamp {
	uint64_t device, inode, size, changed_ns;
	uint64_t names; /* hard links */
	bool is_there; /* something has that name, be it a trap */
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

/* The same on an open directory, without a deadline: for processes that have one themselves. */
enum err foreign_file_read_at(struct arena *mem, int dir, const char *name, size_t max,
                              struct foreign_file *ret, struct error *e) MUST_USE;

#endif

#ifndef SUPERVISOR_FILES_ROOTFS_H
#define SUPERVISOR_FILES_ROOTFS_H
/*
 * The file tree of a sandbox: a small tmpfs that becomes the root, with the
 * plan's roots mounted into it at their own paths and everything else absent.
 *
 *	/             tmpfs, read-only once it is built
 *	roots         bind mounts, nosuid and nodev; read roots read-only
 *	/tmp, ...     private directories: parts of the tmpfs that stay writable
 *	/dev          null zero full random urandom tty, own pts, private shm
 *	/proc         of the sandbox's own pid namespace, read-only, so /proc/sys is too
 *	/etc          passwd, group and hosts of its own, unless a root brings them
 *
 * Everything is done on descriptors that were reached without following a
 * link, because the roots hold what untrusted programs left there.
 */
#include "supervisor/files/protected_paths.h"

#include <sys/types.h>

/*
 * A detached, finished mount of one root; attach it with rootfs_enter().  With
 * idmap_fd >= 0 (a user namespace) the owners on disk are mapped by it: that
 * takes a caller with power over the file system, so real root does this
 * before it gives its power up.
 *
 * *ret is -1 for a read root that is a symbolic link.
 */
enum err rootfs_open_root(const char *path, bool is_writable, int idmap_fd, int *ret,
                          struct error *e) MUST_USE;

/* An empty file or directory covers each denied path; inotify shows when it is opened. */
struct rootfs_mask {
	int wd;
	bool is_dir;
	char *path; /* the denied path */
};
struct rootfs_masks {
	int fd; /* inotify; -1: nothing is watched */
	struct rootfs_mask *at;
	size_t count;
};

/* An empty file and directory for masks that are needed later; -1: none. */
struct rootfs_spares {
	int file, dir;
};

/*
 * Directories that were closed before the command began, each opened below the mount that closes
 * it.  No process of the sandbox reaches what is put into one of them, so it can be closed there
 * and then be moved to its place.
 */
#define ROOTFS_STAGES_MAX 128
struct rootfs_stages {
	int fds[ROOTFS_STAGES_MAX];
	size_t count;
	char closed[64]; /* the name of the last file that was mounted over; none comes twice */
	int hidden;      /* a directory that no process of the sandbox reaches */
	int *twins;      /* per write root a mount of it there; -1 or NULL: not needed yet */
};

struct rootfs {
	const struct sandbox_plan *plan;
	const struct protected_paths *protected;
	const int *write_fds; /* from rootfs_open_root, one per write root; NULL: open them here */
	const int *read_fds;  /* the same for read roots; -1 entries are opened here */
	uid_t uid;            /* of the command, as seen inside */
	gid_t gid;
	struct rootfs_masks *masks;   /* filled; of the caller, who never frees it */
	struct rootfs_spares *spares; /* filled; NULL: not wanted */
	struct rootfs_stages *stages; /* filled; NULL: not wanted */
	bool own_proc;                /* false: the kernel would not let us, /proc stays empty */
};

/*
 * Builds the tree and moves the calling process into it.  The process is
 * alone in a new mount namespace and may mount there.
 */
enum err rootfs_enter(const struct rootfs *t, struct error *e) MUST_USE;

/*
 * In the running sandbox: mounts the shield if its path exists.  A mount that was lost because a
 * program outside replaced the file under it is made again.
 */
enum err rootfs_protect(const struct rootfs_spares *spares, const struct shield *s,
                        struct error *e) MUST_USE;

/* A file or directory that is in a stage and will be moved to `parent`, which is a directory. */
struct rootfs_staged_file {
	const char *parent, *name;
	dev_t dev, parent_dev;
	ino_t ino, parent_ino;
};

/*
 * Can the sandbox change it?  CLOSED: neither now nor there; it is mounted over, or all of `parent`
 * is read-only, and no directory above it can be renamed or removed.  ELSEWHERE: not now, but
 * `parent` is on another mount than that stage.  OPEN: no stage has it, or another directory is at
 * `parent`.
 */
enum rootfs_staged { ROOTFS_STAGED_OPEN, ROOTFS_STAGED_ELSEWHERE, ROOTFS_STAGED_CLOSED };
enum rootfs_staged rootfs_close_staged(const struct sandbox_plan *p, struct rootfs_stages *stages,
                                       const struct rootfs_staged_file *f) MUST_USE;

#endif

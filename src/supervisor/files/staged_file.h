#ifndef SUPERVISOR_FILES_STAGED_FILE_H
#define SUPERVISOR_FILES_STAGED_FILE_H
/*
 * The empty file or directory in which a file tool prepares what a person approved.
 *
 * Other sandboxes must not reach it at any moment: who has opened it once, even without reading,
 * can write to it for ever.  So it is created in a directory that those sandboxes closed before
 * their commands began (a stage), is closed there by their inits (rootfs_close_staged), and is
 * then moved beside the approved file.  The mount that closes it stays on it through this rename
 * and through the one that puts it in place.
 *
 *	/ws/.thole/.thole-N.new  ──►  /ws/.thole-N.new  ──►  /ws/AGENTS.md
 *	closed in each sandbox        filled by the tool     renamed by the tool
 *
 * Where directories are missing above the approved file, or are placeholders, it is a directory
 * that takes the place of the first of them, and everything below is made in it.
 */
#include "base/arena.h"
#include "base/err.h"

#include <sys/types.h>

struct staged_file {
	struct str parent; /* the deepest directory above it that stays */
	struct str entry;  /* in the parent: the file, or the first directory that is missing */
	char name[48];     /* in the parent: the file or directory that will become the entry */
	bool is_dir;
	bool is_placeholder; /* an empty directory, for a file that may be removed */
	uid_t uid;           /* who it will belong to; -1: its creator, and the group alike */
	gid_t gid;
	int parent_fd;
	int at_fd; /* the directory that it is in; -1: not made */
	int note_fd;
	int lock_fd; /* of a placeholder: the lock by which other supervisors leave it */
	dev_t dev;
	ino_t ino;
};

/* Removes what a supervisor that was killed has left, as it noted in this directory of its own. */
void staged_file_begin(const char *notes);
/*
 * Finds its place, from the root on without following links.  ERR_IO: it cannot be reached.
 * maps_owners: of the sandbox of its tool.
 */
enum err staged_file_look(struct arena *mem, struct str root, struct str path, bool maps_owners,
                          struct staged_file *ret, struct error *e) MUST_USE;
/* Creates it in this directory; the second moves it to another one. */
enum err staged_file_make(struct staged_file *f, struct str dir, struct error *e) MUST_USE;
enum err staged_file_move(struct staged_file *f, struct str dir, struct error *e) MUST_USE;
/* It is in the parent, where it stays: a placeholder gets its form. */
enum err staged_file_finish(struct staged_file *f, struct error *e) MUST_USE;
/* Does it have the name of the entry now? */
bool staged_file_is_placed(const struct staged_file *f);
/* Removes it; the next one has another name. */
void staged_file_drop(struct staged_file *f);
/* Removes it, with what is in it, if it was not put in place.  Not made is fine. */
void staged_file_done(struct staged_file *f);

#endif

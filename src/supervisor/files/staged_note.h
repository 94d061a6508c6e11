#ifndef SUPERVISOR_FILES_STAGED_NOTE_H
#define SUPERVISOR_FILES_STAGED_NOTE_H
/*
 * What a supervisor that is killed leaves of approved changes, for the next one to remove.
 *
 * DIR/NAME says in which directories the temporary file NAME may be.  It is written before the file
 * is made or moved, and locked as long as its supervisor lives.  A note that cannot be written stops
 * no call.
 */
#include "base/str.h"

#include <sys/types.h>

/* mode: of the directory before it was opened for a change; 0: it was not. */
typedef void staged_note_fn(struct str dir, const char *name, mode_t mode);

/* Notes are kept here from now on.  Calls `left` for each directory of those without a lock. */
void staged_note_open(const char *dir, staged_note_fn *left);
/* *fd is -1 before the first directory of a file. */
void staged_note_add(int *fd, const char *name, struct str dir, mode_t mode);
/* The file is gone, or has its final name. */
void staged_note_done(int *fd, const char *name);

#endif

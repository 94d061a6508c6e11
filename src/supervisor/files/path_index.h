#ifndef SUPERVISOR_FILES_PATH_INDEX_H
#define SUPERVISOR_FILES_PATH_INDEX_H
/*
 * Which files below a directory match patterns, and which other names a file has there, answered
 * for every call of a sandbox.
 *
 * The first question walks the directory.  After that inotify reports changes, so that the next
 * question costs what has changed since and not the size of the tree.  Where directories cannot
 * be watched (the user has too many watches, or the file system has no inotify), each question
 * walks again.
 *
 * Only directories are opened.  A symbolic link to a directory is followed when a pattern could
 * match below it only under the link's name.  A walk ends at PATH_INDEX_ENTRIES_MAX entries with
 * ERR_TOO_LARGE: an answer that may be incomplete is none.
 */
#include "base/path/path_glob.h"
#include "sandbox/sandbox_plan.h"

#include <sys/types.h>

#define PATH_INDEX_ENTRIES_MAX 1000000
#define PATH_INDEX_GLOBS_MAX 256

/*
 * Adds the paths below root, or root itself, that a pattern covers; below one
 * of them nothing is listed.  At most PATH_INDEX_GLOBS_MAX patterns.  Strings
 * live in mem.
 */
enum err path_index_find(struct arena *mem, struct str root, const struct path_glob *globs,
                         size_t count, struct sandbox_paths *into, struct error *e) MUST_USE;

/*
 * The same for a question whose answer may be missing: it gives up at
 * PATH_INDEX_SOME_MAX entries, and does not try again for a minute.
 */
#define PATH_INDEX_SOME_MAX 200000
enum err path_index_find_some(struct arena *mem, struct str root, const struct path_glob *globs,
                              size_t count, struct sandbox_paths *into, struct error *e) MUST_USE;

/* Adds the files below root that have more than one name. */
enum err path_index_linked(struct arena *mem, struct str root, struct sandbox_paths *into,
                           struct error *e) MUST_USE;

struct path_index_file {
	dev_t dev;
	ino_t ino;
};
/* Adds every name below root of these files, which are sorted by it. */
enum err path_index_links(struct arena *mem, struct str root, struct path_index_file *files,
                          size_t count, struct sandbox_paths *into, struct error *e) MUST_USE;

/* Readable when something changed in a kept tree; never closed.  -1: not available. */
int path_index_fd(void);
/* Applies the changes.  True: an earlier answer may be incomplete. */
bool path_index_take(void);

/* For tests: how many directories were listed so far; and dropping all trees. */
uint64_t path_index_listed(void);
void path_index_reset(void);

#endif

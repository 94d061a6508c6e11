#ifndef HAND_PATH_INDEX_H
#define HAND_PATH_INDEX_H
/*
 * Which files below a directory match patterns, and which other names a file
 * has there, answered for every call of a sandbox.
 *
 * The first question walks the directory.  After that inotify tells what has
 * changed, so that the next question costs what has changed since and not the
 * size of the tree.  Where directories cannot be watched (too many watches of
 * the user, a file system that does not tell), each question walks again.
 *
 * Nothing is followed or opened but directories, and a walk ends at
 * PATH_INDEX_ENTRIES_MAX entries with ERR_TOO_LARGE: an answer that may be
 * incomplete is none.
 */
#include "base/path_glob.h"
#include "hand/plan.h"

#define PATH_INDEX_ENTRIES_MAX 1000000
#define PATH_INDEX_GLOBS_MAX 256

/*
 * Adds the paths below root, or root itself, that a pattern covers; below one
 * of them nothing is listed.  At most PATH_INDEX_GLOBS_MAX patterns.  Strings
 * live in mem.
 */
enum err path_index_find(struct arena *mem, struct str root, const struct path_glob *globs,
                         size_t count, struct plan_list *into, struct error *e) MUST_USE;

/*
 * The same for a question whose answer may be missing: it gives up at
 * PATH_INDEX_SOME_MAX entries, and does not try again for a minute.
 */
#define PATH_INDEX_SOME_MAX 200000
enum err path_index_find_some(struct arena *mem, struct str root, const struct path_glob *globs,
                              size_t count, struct plan_list *into, struct error *e) MUST_USE;

/* Adds every name below root of the file with that inode on that device. */
enum err path_index_links(struct arena *mem, struct str root, dev_t dev, ino_t ino,
                          struct plan_list *into, struct error *e) MUST_USE;

/* For tests: directories that were listed so far, and all that is kept goes. */
uint64_t path_index_listed(void);
void path_index_reset(void);

#endif

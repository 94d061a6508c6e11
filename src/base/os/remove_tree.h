#ifndef BASE_OS_REMOVE_TREE_H
#define BASE_OS_REMOVE_TREE_H
/*
 * Removes a directory with all that is in it, while other processes may change it.  Every directory is
 * opened from the one above it and never through a link, so a directory that is replaced by a link
 * leads nowhere: the link itself is removed.  Another file system that is mounted inside stays.
 */
#include <stdbool.h>

/* name: below the directory dir (or AT_FDCWD).  False: something could not be removed; errno says why. */
bool remove_tree_at(int dir, const char *name);

#endif

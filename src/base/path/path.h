#ifndef BASE_PATH_H
#define BASE_PATH_H
/* Absolute paths as text: nothing here looks at a file system. */
#include "base/str.h"

/* Absolute, shorter than PATH_MAX, no empty, "." or ".." component, no slash at the end, no NUL. */
bool path_is_clean(struct str path);
/* Is path the same as root or below it?  Both are clean. */
bool path_is_under(struct str path, struct str root);
bool path_is_under_any(struct str path, const struct str *roots, size_t count);
/* list: a pointer to a struct with at and count */
#define PATH_UNDER_ANY(path, list) path_is_under_any((path), (list)->at, (list)->count)

#endif

/*
 * Checks and compares absolute paths as text.  Names are compared whole: /ab is
 * not under /a.
 */
#include "base/path/path.h"

#include <limits.h>

/* Text that is compared by prefix must have one form: /a/../b would pass a check for /a. */
bool path_is_clean(struct str path)
{
	struct str rest = str_skip(path, 1);

	if (!path.len || path.len >= PATH_MAX || path.ptr[0] != '/' ||
	    memchr(path.ptr, '\0', path.len))
		return false;
	while (path.len > 1 && str_is(rest)) {
		struct str part = str_cut(&rest, '/');

		if (!part.len || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

bool path_is_under(struct str path, struct str root)
{
	if (root.len == 1)
		return true;
	return str_starts(path, root) && (path.len == root.len || path.ptr[root.len] == '/');
}

bool path_is_under_any(struct str path, const struct str *roots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (path_is_under(path, roots[i]))
			return true;
	return false;
}

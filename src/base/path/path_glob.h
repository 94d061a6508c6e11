#ifndef BASE_PATH_GLOB_H
#define BASE_PATH_GLOB_H
/*
 * Patterns over absolute paths, matched name by name on the way down a tree:
 * * and ? inside one name, ** for any number of names.  A pattern that has
 * matched a path covers everything below it.  The same language as the
 * permission rules'.
 */
#include "base/arena.h"

#define PATH_GLOB_NAMES_MAX 62

struct path_glob {
	struct str names[PATH_GLOB_NAMES_MAX];
	size_t count;
	uint64_t any;  /* a bit for each name that is ** */
	bool is_plain; /* no name holds a wildcard */
};

/* False: too many names.  The names point into pattern. */
bool path_glob_read(struct str pattern, struct path_glob *ret) MUST_USE;

/* Where one may be in the pattern, as bits: before any name, and after one more. */
uint64_t path_glob_begin(const struct path_glob *g);
uint64_t path_glob_step(const struct path_glob *g, uint64_t at, struct str name);
/* The path so far is covered. */
bool path_glob_is_match(const struct path_glob *g, uint64_t at);
/* The whole of an absolute path at once. */
bool path_glob_covers(const struct path_glob *g, struct str path);

#endif

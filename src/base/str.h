#ifndef BASE_STR_H
#define BASE_STR_H
/*
 * String views: a pointer and a length, borrowed.
 *
 * Nothing here owns or frees memory, and nothing relies on a final NUL.  A
 * view with ptr == NULL is *absent*; one with len == 0 and ptr != NULL is
 * *empty*.  The difference matters: absent fields are omitted on the wire.
 */
#include "base/util.h"

#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_NONE ((struct str){ NULL, 0 })

/* For printf: "%.*s" takes STR_ARG(s). */
#define STR_ARG(s) ((int)(s).len), ((s).ptr ? (s).ptr : "")

/* NULL gives an absent view. */
struct str str_from(const char *c);
static inline struct str str_of(const char *ptr, size_t len)
{
	return (struct str){ ptr, len };
}
static inline bool str_is(struct str s)
{
	return s.ptr != NULL;
}

/* Absent equals absent only. */
bool str_eq(struct str a, struct str b);
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_skip(struct str s, size_t count);
struct str str_head(struct str s, size_t count);
struct str str_trim(struct str s);

/* Position of the first occurrence, or -1. */
ptrdiff_t str_find(struct str s, struct str what);
ptrdiff_t str_find_char(struct str s, char c);

/*
 * Cuts s at the first c: returns the part before it, and s becomes the part
 * after it.  Without c everything is returned and s becomes absent.
 */
struct str str_cut(struct str *s, char c);

/* The whole of s must be a decimal number that fits. */
bool str_to_u64(struct str s, uint64_t *ret_value) MUST_USE;
bool str_to_i64(struct str s, int64_t *ret_value) MUST_USE;

/*
 * The edit distance: insertions, deletions, substitutions and swaps of neighbours.  Only the first
 * STR_DISTANCE_MAX bytes count.
 */
#define STR_DISTANCE_MAX 32
int str_distance(struct str a, struct str b);

uint64_t str_hash(struct str s); /* XXH3, seed 0: stable within a process, not a format */

#endif

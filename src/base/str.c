/*
 * Comparing, cutting and searching string views, and reading numbers.  No
 * function allocates or needs a final NUL.
 */
#define _GNU_SOURCE 1 /* memmem */
#define XXH_INLINE_ALL

#include "base/str.h"

#include <xxhash.h>

struct str str_from(const char *c)
{
	return c ? (struct str){ c, strlen(c) } : STR_NONE;
}

static bool same_bytes(const char *a, const char *b, size_t len)
{
	/* memcmp may not see NULL, even for no bytes at all */
	return len == 0 || memcmp(a, b, len) == 0;
}

/* An absent and an empty string differ. */
bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && !a.ptr == !b.ptr && same_bytes(a.ptr, b.ptr, a.len);
}

/* By bytes: for UTF-8 that is the order of code points. */
int str_cmp(struct str a, struct str b)
{
	size_t common = MIN(a.len, b.len);
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	if (order)
		return order;
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return str_is(a) - str_is(b); /* absent before empty */
}

bool str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len && same_bytes(s.ptr, prefix.ptr, prefix.len);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
	       (!suffix.len || !memcmp(s.ptr + (s.len - suffix.len), suffix.ptr, suffix.len));
}

struct str str_skip(struct str s, size_t count)
{
	if (!s.ptr)
		return s;
	count = MIN(count, s.len);
	return str_of(s.ptr + count, s.len - count);
}

struct str str_head(struct str s, size_t count)
{
	return str_of(s.ptr, MIN(count, s.len));
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.len && is_space(s.ptr[0]))
		s = str_skip(s, 1);
	while (s.len && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

ptrdiff_t str_find(struct str s, struct str what)
{
	if (!what.len)
		return 0;
	if (what.len > s.len)
		return -1;

	const char *at = memmem(s.ptr, s.len, what.ptr, what.len);

	return at ? at - s.ptr : -1;
}

ptrdiff_t str_find_char(struct str s, char c)
{
	const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return at ? at - s.ptr : -1;
}

/* `while (str_is(rest))` with this visits every part, an empty last one included. */
struct str str_cut(struct str *s, char c)
{
	ptrdiff_t at = str_find_char(*s, c);
	struct str head = *s;

	if (at < 0) {
		*s = STR_NONE;
		return head;
	}
	*s = str_skip(head, (size_t)at + 1);
	return str_head(head, (size_t)at);
}

/* No sign, no blanks, no locale: cursors and sequences come from outside. */
bool str_to_u64(struct str s, uint64_t *ret_value)
{
	uint64_t n = 0;

	if (!s.len)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned digit = (unsigned char)s.ptr[i] - (unsigned)'0';

		if (digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*ret_value = n;
	return true;
}

bool str_to_i64(struct str s, int64_t *ret_value)
{
	bool negative = str_starts(s, STR("-"));
	uint64_t n;

	if (!str_to_u64(str_skip(s, negative), &n) || n > (uint64_t)INT64_MAX + negative)
		return false;
	*ret_value = negative ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

/* Each cell is the distance of two prefixes. */
int str_distance(struct str a, struct str b)
{
	int rows[STR_DISTANCE_MAX + 1][STR_DISTANCE_MAX + 1];
	int la = (int)MIN(a.len, STR_DISTANCE_MAX), lb = (int)MIN(b.len, STR_DISTANCE_MAX);

	for (int i = 0; i <= la; i++)
		for (int j = 0; j <= lb; j++) {
			int best = i + j;

			if (i && j) {
				best = MIN(rows[i - 1][j], rows[i][j - 1]) + 1;
				best = MIN(best,
				           rows[i - 1][j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]));
			}
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1])
				best = MIN(best, rows[i - 2][j - 2] + 1);
			rows[i][j] = best;
		}
	return rows[la][lb];
}

uint64_t str_hash(struct str s)
{
	return XXH3_64bits(s.ptr, s.len);
}

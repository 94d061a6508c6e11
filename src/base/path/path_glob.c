/*
 * Matches patterns with *, ? and ** name by name, so that a walk down a tree can
 * stop where no pattern can match any more.
 */
#include "base/path/path_glob.h"

static bool is_any(struct str name)
{
	return name.len == 2 && name.ptr[0] == '*' && name.ptr[1] == '*';
}

static bool has_wildcard(struct str name)
{
	return str_find_char(name, '*') >= 0 || str_find_char(name, '?') >= 0;
}

/* Empty names and "." are skipped, so that a//b and a/./b are a/b. */
bool path_glob_read(struct str pattern, struct path_glob *ret)
{
	struct path_glob g = { .is_plain = true };

	while (str_is(pattern)) {
		struct str name = str_cut(&pattern, '/');

		if (!name.len || (name.len == 1 && name.ptr[0] == '.'))
			continue;
		if (g.count == PATH_GLOB_NAMES_MAX)
			return false;
		g.is_plain &= !has_wildcard(name);
		if (is_any(name))
			g.any |= 1ULL << g.count;
		g.names[g.count++] = name;
	}
	*ret = g;
	return true;
}

/*
 * Returns to the last star only, so the time is at most the product of both lengths; a
 * pattern with many stars cannot make it exponential.
 */
static bool name_matches(struct str pattern, struct str name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, from = 0;
	char end = pattern.len ? pattern.ptr[pattern.len - 1] : '*';

	/* quick check: most names end in another character */
	if (end != '*' && end != '?' && (!name.len || name.ptr[name.len - 1] != end))
		return false;
	while (n < name.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			from = n;
		} else if (p < pattern.len &&
		           (pattern.ptr[p] == '?' || pattern.ptr[p] == name.ptr[n])) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			n = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

/* ** also matches zero names. */
static uint64_t past_any(const struct path_glob *g, uint64_t at)
{
	for (uint64_t more; (more = (at & g->any) << 1 & ~at);)
		at |= more;
	return at;
}

uint64_t path_glob_begin(const struct path_glob *g)
{
	return past_any(g, 1);
}

/*
 * All positions that the pattern can have reached are followed at once, one bit each: no
 * backtracking over names.
 */
uint64_t path_glob_step(const struct path_glob *g, uint64_t at, struct str name)
{
	uint64_t end = 1ULL << g->count;
	uint64_t next = at & (g->any | end); /* a match covers everything below */

	for (uint64_t left = at & ~(g->any | end); left; left &= left - 1) {
		int i = __builtin_ctzll(left);

		if (name_matches(g->names[i], name))
			next |= 1ULL << (i + 1);
	}
	return past_any(g, next);
}

bool path_glob_is_match(const struct path_glob *g, uint64_t at)
{
	return at >> g->count & 1;
}

/* Ends early when no position is left. */
bool path_glob_covers(const struct path_glob *g, struct str path)
{
	uint64_t at = path_glob_begin(g);

	while (at && str_is(path)) {
		struct str name = str_cut(&path, '/');

		if (name.len)
			at = path_glob_step(g, at, name);
	}
	return path_glob_is_match(g, at);
}

/*
 * Patterns of the tools and of ignore files: * and ? in a name, ** for any
 * number of directories, {a,b} for either.
 */
#include "filetool/file_pattern.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>

/* Alternatives that are tried in all: nested braces multiply. */
#define BRACES_MAX 64
#define STARS_MAX 8 /* of **, each of which may mean any depth */

static bool match_part(struct str pattern, struct str name)
{
	char p[NAME_MAX + 1], n[NAME_MAX + 1];

	if (pattern.len > NAME_MAX || name.len > NAME_MAX)
		return false;
	memcpy(p, pattern.ptr, pattern.len);
	p[pattern.len] = '\0';
	memcpy(n, name.ptr, name.len);
	n[name.len] = '\0';
	return fnmatch(p, n, 0) == 0;
}

/* Each ** tries every depth, so their number is bounded: the cost grows exponentially with it. */
static bool match_parts(struct str pattern, struct str path, int stars)
{
	while (str_is(pattern)) {
		struct str rest = pattern, part = str_cut(&rest, '/');

		if (str_eq(part, STR("**"))) {
			if (!str_is(rest))
				return str_is(path); /* what is inside, not the directory itself */
			if (stars >= STARS_MAX)
				return false;
			for (; str_is(path); str_cut(&path, '/'))
				if (match_parts(rest, path, stars + 1))
					return true;
			return false;
		}
		if (!str_is(path) || !match_part(part, str_cut(&path, '/')))
			return false;
		pattern = rest;
	}
	return !str_is(path);
}

/* Replaces the first {a,b} by each alternative and matches the result. */
static bool match_braces(struct str pattern, struct str path, int *budget)
{
	ptrdiff_t open = str_find_char(pattern, '{');
	ptrdiff_t close = open < 0 ? -1 : str_find_char(str_skip(pattern, (size_t)open), '}');
	char text[PATH_MAX];

	if (close < 0)
		return match_parts(pattern, path, 0);

	struct str head = str_head(pattern, (size_t)open);
	struct str words = str_of(pattern.ptr + open + 1, (size_t)close - 1);
	struct str tail = str_skip(pattern, (size_t)(open + close) + 1);

	while (str_is(words) && (*budget)-- > 0) {
		struct str word = str_cut(&words, ',');
		size_t len = head.len + word.len + tail.len;

		if (len >= sizeof text)
			return false;
		memcpy(text, head.ptr, head.len);
		memcpy(text + head.len, word.ptr, word.len);
		memcpy(text + head.len + word.len, tail.ptr, tail.len);
		if (match_braces(str_of(text, len), path, budget))
			return true;
	}
	return false;
}

bool file_pattern_path_matches(struct str pattern, struct str path)
{
	int budget = BRACES_MAX;

	return match_braces(pattern, path, &budget);
}

struct str file_pattern_of(struct str pattern)
{
	return str_starts(pattern, STR("./")) ? str_skip(pattern, 2) : pattern;
}

/* Without a slash only the last name of the path is compared, as ripgrep does. */
bool file_pattern_matches(struct str pattern, struct str path)
{
	if (str_find_char(pattern, '/') < 0)
		while (str_find_char(path, '/') >= 0)
			str_cut(&path, '/');
	return file_pattern_path_matches(
		str_starts(pattern, STR("/")) ? str_skip(pattern, 1) : pattern, path);
}

bool file_pattern_is_skipped(struct str pattern, const char *name)
{
	return (!strcmp(name, ".git") || !strcmp(name, "node_modules")) &&
	       (!str_is(pattern) || str_find(pattern, str_from(name)) < 0);
}

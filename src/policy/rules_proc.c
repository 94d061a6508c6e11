/*
 * Paths that each process sees differently: /proc/self/cwd, /proc/7/root, /dev/fd/3/name.
 *
 * The runtime is another process than the command, so that resolving such a path here would give the
 * runtime's own directory and files.
 */
#include "policy/rules_proc.h"

#include "policy/rules_internal.h"

#define PARTS_MAX 8 /* /proc/self/task/7/fd/3 has six */

static bool is_wild(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (strchr("*?[", name.ptr[i]))
			return true;
	return false;
}

static bool is_own(struct str name)
{
	return str_eq(name, STR("self")) || str_eq(name, STR("thread-self"));
}

static bool is_process(struct str name)
{
	size_t digits = 0;

	while (digits < name.len && name.ptr[digits] >= '0' && name.ptr[digits] <= '9')
		digits++;
	return (name.len && digits == name.len) || is_own(name) || is_wild(name);
}

/* The links of a process that lead out of /proc; those below fd and map_files do. */
static bool leads_out(const struct str *parts, size_t count)
{
	static const char *const names[] = { "cwd", "root", "exe" };

	for (size_t i = 0; count && i < COUNT_OF(names); i++)
		if (str_eq(parts[0], str_from(names[i])))
			return true;
	return count > 1 && (str_eq(parts[0], STR("fd")) || str_eq(parts[0], STR("map_files")) ||
	                     is_wild(parts[0]));
}

static enum rules_way way_in_proc(const struct str *parts, size_t count)
{
	if (count < 2 || !is_process(parts[0]))
		return RULES_WAY_PLAIN;
	if (is_own(parts[0]) && str_eq(parts[1], STR("cwd")))
		return RULES_WAY_OWN_DIRECTORY;
	if (count > 2 && str_eq(parts[1], STR("task")) && is_process(parts[2]))
		return leads_out(parts + 3, count - 3) ? RULES_WAY_UNKNOWN : RULES_WAY_PLAIN;
	return leads_out(parts + 1, count - 1) ? RULES_WAY_UNKNOWN : RULES_WAY_PLAIN;
}

/* /dev/fd is a link to /proc/self/fd; a descriptor itself is what the line has opened. */
static enum rules_way way_in_dev(const struct str *parts, size_t count, bool has_more)
{
	bool is_stream =
		count && (str_eq(parts[0], STR("stdin")) || str_eq(parts[0], STR("stdout")) ||
	                  str_eq(parts[0], STR("stderr")));
	bool is_descriptor = count == 2 && str_eq(parts[0], STR("fd"));

	return (is_stream || is_descriptor) && has_more ? RULES_WAY_UNKNOWN : RULES_WAY_PLAIN;
}

static enum rules_way way_so_far(const struct str *parts, size_t count, bool has_more)
{
	if (count && str_eq(parts[0], STR("proc")))
		return way_in_proc(parts + 1, count - 1);
	if (count && str_eq(parts[0], STR("dev")))
		return way_in_dev(parts + 1, count - 1, has_more);
	return RULES_WAY_PLAIN;
}

/* ".." from /dev/fd leads to /proc/self. */
static bool is_descriptors(const struct str *parts, size_t depth)
{
	return depth == 2 && str_eq(parts[0], STR("dev")) && str_eq(parts[1], STR("fd"));
}

/* The names so far; deeper ones are counted alone, since every link of a process is above them. */
struct way {
	struct str parts[PARTS_MAX];
	size_t depth;
};

static enum rules_way way_step(struct way *w, struct str name, bool has_more)
{
	if (str_eq(name, STR(".")))
		return RULES_WAY_PLAIN;
	if (str_eq(name, STR(".."))) {
		if (is_descriptors(w->parts, w->depth))
			return RULES_WAY_UNKNOWN;
		w->depth -= w->depth > 0;
		return RULES_WAY_PLAIN;
	}
	if (w->depth < PARTS_MAX)
		w->parts[w->depth] = name;
	return ++w->depth <= PARTS_MAX ? way_so_far(w->parts, w->depth, has_more) : RULES_WAY_PLAIN;
}

enum rules_way rules_proc_way(struct str dir, struct str text, struct str *ret_rest)
{
	struct way w = { .depth = 0 };
	struct str name;

	while (!str_starts(text, STR("/")) && rules_paths_next_component(&dir, &name))
		if (way_step(&w, name, true))
			return RULES_WAY_UNKNOWN;
	while (rules_paths_next_component(&text, &name)) {
		enum rules_way way;

		while (str_starts(text, STR("/")))
			text = str_skip(text, 1);
		way = way_step(&w, name, text.len > 0);
		if (way) {
			*ret_rest = text;
			return way;
		}
	}
	return RULES_WAY_PLAIN;
}

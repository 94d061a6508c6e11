/*
 * Environment variables of commands: an allow-list of the caller's, and those
 * of the call.
 */
#include "sandbox/sandbox_env.h"

#include "base/path/path.h"

struct str sandbox_env_path(struct arena *mem, const struct sandbox_plan *p, struct str path)
{
	struct str out = STR("");

	if (p->tier == SANDBOX_NONE)
		return arena_keep(mem, path);
	while (str_is(path)) {
		struct str dir = str_cut(&path, ':');

		/*
		 * without mounts stat() still finds a hidden program, and a shell would take it
		 * for one that runs
		 */
		if (path_is_clean(dir) && sandbox_plan_shows(p, dir))
			out = arena_printf(mem, "%.*s%s%.*s", STR_ARG(out), out.len ? ":" : "",
			                   STR_ARG(dir));
	}
	return out;
}

static struct str variable(char *const *from, struct str name)
{
	for (; from && *from; from++) {
		struct str v = str_from(*from);

		if (str_starts(v, name) && v.len > name.len && v.ptr[name.len] == '=')
			return v;
	}
	return STR_NONE;
}

void sandbox_env(struct arena *mem, char *const *from, const struct sandbox_paths *allowed,
                 const struct sandbox_paths *own, struct sandbox_paths *ret)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, allowed->count + own->count + 1),
		                   0 };

	for (size_t i = 0; i < allowed->count; i++) {
		struct str v = variable(from, allowed->at[i]);

		if (str_is(v))
			l.at[l.count++] = arena_keep(mem, v);
	}
	for (size_t i = 0; i < own->count; i++) {
		struct str v = own->at[i], name = str_cut(&v, '=');

		/* the call's own value replaces an inherited one */
		for (size_t k = 0; k < l.count; k++)
			if (str_starts(l.at[k], name) && l.at[k].ptr[name.len] == '=')
				l.at[k--] = l.at[--l.count];
		l.at[l.count++] = arena_keep(mem, own->at[i]);
	}
	*ret = l;
}

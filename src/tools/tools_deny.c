/*
 * Decides whether the sandbox refused an operation.  A missing file may be one
 * that the sandbox hides, and a missing permission may be the user's own.
 */
#include "tools/tools_int.h"

#include "base/jw.h"
#include "base/path/path.h"
#include "base/path/path_glob.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(struct str name, const char *const *names)
{
	for (; *names; names++)
		if (str_eq(name, str_from(*names)))
			return true;
	return false;
}

static bool is_hidden(const struct sandbox_plan *p, struct str path)
{
	return !PATH_UNDER_ANY(path, &p->read_roots) && !PATH_UNDER_ANY(path, &p->write_roots);
}

/* Outside of the write roots the sandbox is the cause, even where the user may not write either. */
static bool is_write_denied(const struct sandbox_plan *p, struct str path, struct str err_name)
{
	static const char *const always[] = { "EROFS", "EXDEV", NULL };

	/* a placeholder at a missing protected path gives another errno */
	return is_one_of(err_name, always) || PATH_UNDER_ANY(path, &p->protected_paths) ||
	       PATH_UNDER_ANY(path, &p->denied_paths) || !PATH_UNDER_ANY(path, &p->write_roots);
}

/* A hidden file does not exist in the sandbox, so ENOENT may be a refusal. */
static bool is_read_denied(const struct sandbox_plan *p, struct str path, struct str err_name)
{
	static const char *const seen[] = { "ENOENT", "EACCES", "EPERM", "ENOTDIR", NULL };

	if (str_eq(err_name, STR("EXDEV")))
		return true;
	return is_one_of(err_name, seen) &&
	       (PATH_UNDER_ANY(path, &p->denied_paths) || is_hidden(p, path));
}

static struct str parent_of(struct str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] != '/')
		path.len--;
	return str_head(path, path.len > 1 ? path.len - 1 : 1);
}

static bool is_rule_denied(const struct sandbox_plan *p, struct str path)
{
	for (size_t i = 0; i < p->deny_rules.count; i++) {
		struct str rule = p->deny_rules.at[i];
		struct path_glob g;

		if (str_starts(rule, STR("write:")))
			rule = str_skip(rule, 6);
		if (path_glob_read(rule, &g) && path_glob_covers(&g, path))
			return true;
	}
	return false;
}

/* No approval opens protected or denied paths. */
static struct str rule_for(struct arena *mem, const struct sandbox_plan *p, bool is_write,
                           struct str path, struct str err_name)
{
	if ((str_is(err_name) && str_eq(err_name, STR("EXDEV"))) || is_rule_denied(p, path) ||
	    PATH_UNDER_ANY(path, &p->protected_paths) || PATH_UNDER_ANY(path, &p->denied_paths))
		return STR_NONE;
	if (is_write && p->mode == SANDBOX_READ_ONLY && path_is_under(path, p->cwd))
		return STR("sandbox mode workspace_write (needs a person)");
	return arena_printf(mem, "%s root %.*s (needs a person)", is_write ? "write" : "read",
	                    STR_ARG(parent_of(path)));
}

/* The deepest existing parent directory without links; absent: none. */
static struct str real_parent(struct arena *mem, struct str path)
{
	char full[PATH_MAX];

	for (path = parent_of(path); path.len > 1; path = parent_of(path))
		if (realpath(arena_keep(mem, path).ptr, full))
			return strcmp(full, "/") ? arena_keep(mem, str_from(full)) : STR_NONE;
	return STR_NONE;
}

/* The record sandbox_override that rule_for() is about. */
static struct str needs_of(struct arena *mem, const struct sandbox_plan *p, bool is_write,
                           struct str path, struct str err_name)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;
	struct str root;

	if (!str_is(rule_for(mem, p, is_write, path, err_name)))
		return STR_NONE;
	jw_init(&w, &text);
	jw_obj(&w);
	if (is_write && p->mode == SANDBOX_READ_ONLY && path_is_under(path, p->cwd)) {
		JW_KSTR(&w, "mode", sandbox_plan_mode_name(SANDBOX_WORKSPACE_WRITE));
	} else {
		root = real_parent(mem, path);
		if (!str_is(root))
			return STR_NONE;
		if (is_write)
			JW_KEY(&w, "writeRoots");
		else
			JW_KEY(&w, "readRoots");
		jw_arr(&w);
		jw_str(&w, root);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&text));
}

bool tools_deny_file(struct tool_handle *h, struct str operation, struct str path,
                     struct str err_name, struct tool_violation *ret)
{
	bool is_write = str_is(operation) && str_eq(operation, STR("write"));

	if (h->plan.tier == SANDBOX_NONE || !str_is(path) || !str_is(err_name))
		return false;
	if (!(is_write ? is_write_denied(&h->plan, path, err_name)
	               : is_read_denied(&h->plan, path, err_name)))
		return false;
	*ret = (struct tool_violation){
		.kind = VIOLATION_KIND_FILESYSTEM,
		.operation = operation,
		.path = path,
		.err_name = err_name,
		.is_blocked = true,
		.would_allow = rule_for(h->mem, &h->plan, is_write, path, err_name),
		.needs = needs_of(h->mem, &h->plan, is_write, path, err_name)
	};
	return true;
}

/* Refused reads concern denied paths, which no approval opens, so there is no advice for them. */
void tools_deny_advise(struct arena *mem, const struct sandbox_plan *p, struct tool_violation *v)
{
	bool is_write = str_eq(v->operation, STR("write"));

	v->would_allow = is_write ? rule_for(mem, p, true, v->path, v->err_name) : STR_NONE;
	v->needs = is_write ? needs_of(mem, p, true, v->path, v->err_name) : STR_NONE;
}

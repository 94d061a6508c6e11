/*
 * Environment variables for git inside the sandbox.
 *
 * A filter that cannot run there must not be skipped: without "required" git
 * silently stores the unfiltered content.  So every configured filter of the
 * repository or the user is required; one that only the user's settings name,
 * which the sandbox hides, fails with a remedy.
 *
 * If no user approved the call, git runs no program to read files: no file
 * system monitor, no text conversion, no other program for
 * differences, no pager, no remote helper, no credential helper.
 */
#include "base/path/repository.h"
#include "tools/tools_int.h"

#include <stdlib.h>

#define SETTINGS_MAX (2 * REPOSITORY_DRIVERS_MAX + 16)

struct git_env {
	struct arena *mem;
	struct sandbox_paths *own;
	unsigned count;
};

static void set_config(struct git_env *g, struct str key, struct str value)
{
	if (g->count == SETTINGS_MAX)
		return;
	g->own->at[g->own->count++] =
		arena_printf(g->mem, "GIT_CONFIG_KEY_%u=%.*s", g->count, STR_ARG(key));
	g->own->at[g->own->count++] =
		arena_printf(g->mem, "GIT_CONFIG_VALUE_%u=%.*s", g->count, STR_ARG(value));
	g->count++;
}

/* Names with characters that could end the surrounding text are refused. */
static bool is_plain_name(const char *name)
{
	for (; *name; name++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
		            *name))
			return false;
	return true;
}

static void require_filter(struct git_env *g, const struct repository_driver *d, bool is_hidden)
{
	struct str remedy = arena_printf(
		g->mem,
		"echo 'thole: the git filter %s is set up in your own settings, which the sandbox "
		"does not show. Set it up in the repository (git config filter.%s.clean ...), or "
		"let this command run outside of the sandbox.' >&2; false",
		is_plain_name(d->name) ? d->name : "of this file",
		is_plain_name(d->name) ? d->name : "NAME");

	set_config(g, arena_printf(g->mem, "filter.%s.required", d->name), STR("true"));
	if (!is_hidden)
		return;
	set_config(g, arena_printf(g->mem, "filter.%s.clean", d->name), remedy);
	set_config(g, arena_printf(g->mem, "filter.%s.smudge", d->name), remedy);
}

/* A text conversion or diff program cannot be unset, so it is replaced by git's default behaviour. */
static void replace_driver(struct git_env *g, const struct repository_driver *d)
{
	if (d->kind == REPOSITORY_TEXTCONV)
		set_config(g, arena_printf(g->mem, "diff.%s.textconv", d->name), STR("cat"));
	if (d->kind == REPOSITORY_DIFF)
		set_config(
			g,
			d->name[0] ? arena_printf(g->mem, "diff.%s.command", d->name)
				   : STR("diff.external"),
			STR("f() { git --no-pager diff --no-ext-diff --no-textconv --no-index -- "
		            "\"$2\" \"$5\"; true; }; f"));
}

static void turn_off_programs(struct git_env *g)
{
	set_config(g, STR("core.fsmonitor"), STR("false"));
	set_config(g, STR("core.pager"), STR("cat"));
	set_config(g, STR("core.askPass"), STR("true"));
	set_config(g, STR("credential.helper"), STR(""));
	set_config(g, STR("protocol.ext.allow"), STR("never"));
	set_config(g, STR("help.autoCorrect"), STR("never"));
	set_config(g, STR("gc.auto"), STR("0"));
	set_config(g, STR("interactive.diffFilter"), STR("cat"));
	g->own->at[g->own->count++] = STR("GIT_PAGER=cat");
	g->own->at[g->own->count++] = STR("GIT_TERMINAL_PROMPT=0");
}

size_t tools_git_env_max(void)
{
	return 2 * SETTINGS_MAX + 3;
}

void tools_git_env(struct arena *mem, const struct sandbox_plan *p, struct str cwd, bool is_unasked,
                   struct sandbox_paths *own)
{
	struct repository_driver drivers[REPOSITORY_DRIVERS_MAX];
	struct git_env g = { .mem = mem, .own = own };
	const char *home = getenv("HOME");
	bool is_home_hidden = false;
	size_t count;

	if (p->tier == SANDBOX_NONE)
		return;
	for (size_t i = 0; home && i < p->private_dirs.count; i++)
		is_home_hidden |= str_eq(p->private_dirs.at[i], p->home);
	count = repository_drivers(cwd, home, drivers);
	if (is_unasked)
		turn_off_programs(&g);
	for (size_t i = 0; i < count; i++)
		if (drivers[i].kind == REPOSITORY_FILTER)
			require_filter(&g, &drivers[i], drivers[i].is_users && is_home_hidden);
		else if (is_unasked)
			replace_driver(&g, &drivers[i]);
	if (g.count)
		own->at[own->count++] = arena_printf(mem, "GIT_CONFIG_COUNT=%u", g.count);
}

/*
 * What git is told by its environment inside the sandbox.
 *
 * A filter that cannot run there must not be passed over: without "required"
 * git stores the unfiltered content and says nothing.  So every filter that the
 * repository or the user has set up is required; one that only the user's own
 * settings name, which the sandbox does not show, fails with the remedy.
 *
 * When nobody was asked about the call, git runs no program for looking at
 * files: no file system monitor, no text conversion, no other program for
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

static void set(struct git_env *g, struct str key, struct str value)
{
	if (g->count == SETTINGS_MAX)
		return;
	g->own->at[g->own->count++] =
		arena_printf(g->mem, "GIT_CONFIG_KEY_%u=%.*s", g->count, STR_ARG(key));
	g->own->at[g->own->count++] =
		arena_printf(g->mem, "GIT_CONFIG_VALUE_%u=%.*s", g->count, STR_ARG(value));
	g->count++;
}

/* A name that could end the text that it is put into is not put into it. */
static bool is_plain_name(const char *name)
{
	for (; *name; name++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
		            *name))
			return false;
	return true;
}

static void require(struct git_env *g, const struct repository_driver *d, bool is_hidden)
{
	struct str remedy = arena_printf(
		g->mem,
		"echo 'thole: the git filter %s is set up in your own settings, which the sandbox "
		"does not show. Set it up in the repository (git config filter.%s.clean ...), or "
		"let this command run outside of the sandbox.' >&2; false",
		is_plain_name(d->name) ? d->name : "of this file",
		is_plain_name(d->name) ? d->name : "NAME");

	set(g, arena_printf(g->mem, "filter.%s.required", d->name), STR("true"));
	if (!is_hidden)
		return;
	set(g, arena_printf(g->mem, "filter.%s.clean", d->name), remedy);
	set(g, arena_printf(g->mem, "filter.%s.smudge", d->name), remedy);
}

/* A text conversion and a program for differences cannot be unset: they become what git does without. */
static void replace(struct git_env *g, const struct repository_driver *d)
{
	if (d->kind == REPOSITORY_TEXTCONV)
		set(g, arena_printf(g->mem, "diff.%s.textconv", d->name), STR("cat"));
	if (d->kind == REPOSITORY_DIFF)
		set(g,
		    d->name[0] ? arena_printf(g->mem, "diff.%s.command", d->name)
		               : STR("diff.external"),
		    STR("f() { git --no-pager diff --no-ext-diff --no-textconv --no-index -- "
		        "\"$2\" \"$5\"; true; }; f"));
}

static void turn_off(struct git_env *g)
{
	set(g, STR("core.fsmonitor"), STR("false"));
	set(g, STR("core.pager"), STR("cat"));
	set(g, STR("core.askPass"), STR("true"));
	set(g, STR("credential.helper"), STR(""));
	set(g, STR("protocol.ext.allow"), STR("never"));
	set(g, STR("help.autoCorrect"), STR("never"));
	set(g, STR("gc.auto"), STR("0"));
	set(g, STR("interactive.diffFilter"), STR("cat"));
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
		turn_off(&g);
	for (size_t i = 0; i < count; i++)
		if (drivers[i].kind == REPOSITORY_FILTER)
			require(&g, &drivers[i], drivers[i].is_users && is_home_hidden);
		else if (is_unasked)
			replace(&g, &drivers[i]);
	if (g.count)
		own->at[own->count++] = arena_printf(mem, "GIT_CONFIG_COUNT=%u", g.count);
}

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
#include "base/memory.h"
#include "base/path/repository.h"
#include "tools/tools_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SETTINGS_MAX (2 * REPOSITORY_DRIVERS_MAX + 18)

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

/* ---- the user's settings, reduced ---- */

static void add_setting(struct buf *out, const char *section, const char *key, const char *value)
{
	if (!*value)
		return;
	buf_add_c(out, section);
	buf_add_c(out, key);
	buf_add_c(out, " = \"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, *value);
	}
	buf_add_c(out, "\"\n");
}

/* Replaces the file in one step, so that a command that runs sees the old or the new one. */
static bool replace_file(struct arena *mem, struct str path, struct str text)
{
	const char *draft = arena_printf(mem, "%.*s.new", STR_ARG(path)).ptr;
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;

	if (fd >= 0)
		close(fd);
	return ok && rename(draft, path.ptr) == 0;
}

struct str tools_git_file(struct tools *t, struct arena *mem, struct str cwd)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct repository_user user;
	struct str path, text;

	/* where the workspace holds the home directory, it holds the settings too */
	if (!tools_cache_is_apart(t, cwd) || !tools_cache_make(t->o.cache_dir))
		return STR_NONE;
	path = arena_printf(mem, "%.*s/gitconfig", STR_ARG(t->o.cache_dir));
	repository_user(getenv("HOME"), &user);
	buf_add_c(&out,
	          "# Written by thole from your git settings, for commands in the sandbox.\n");
	add_setting(&out, "[user]\n", "name", user.name);
	add_setting(&out, "[user]\n", "email", user.email);
	add_setting(&out, "[init]\n", "defaultBranch", user.branch);
	text = buf_str(&out);
	if (t->git_text && str_eq(text, str_from(t->git_text)) && access(path.ptr, R_OK) == 0)
		return path;
	if (!replace_file(mem, path, text))
		return STR_NONE;
	free(t->git_text);
	t->git_text = memory_strdup(arena_keep(mem, text).ptr);
	return path;
}

/* Does the line call git with this verb? */
static bool calls_git(struct str line, const char *verb)
{
	ptrdiff_t at = str_find(line, STR("git "));

	return at >= 0 && str_find(str_skip(line, (size_t)at), str_from(verb)) >= 0;
}

struct str tools_git_unsigned(struct str cwd, struct str command)
{
	static const char *const verbs[] = { "commit", "merge", "rebase", "cherry-pick", "revert" };
	bool commits = false;

	for (size_t i = 0; i < COUNT_OF(verbs); i++)
		commits |= str_is(command) && calls_git(command, verbs[i]);
	if (!commits || !repository_signs(cwd, getenv("HOME")))
		return STR_NONE;
	return STR("thole: commits made in the sandbox are not signed, although your git settings "
	           "ask for it (commit.gpgSign): the key is not in the sandbox. To sign the last "
	           "one, run outside of it: git commit --amend --no-edit -S\n");
}

size_t tools_git_env_max(void)
{
	return 2 * SETTINGS_MAX + 4;
}

void tools_git_env(struct arena *mem, const struct sandbox_plan *p, struct str cwd, struct str file,
                   bool is_unasked, struct sandbox_paths *own)
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
	if (str_is(file)) {
		own->at[own->count++] = arena_printf(mem, "GIT_CONFIG_GLOBAL=%.*s", STR_ARG(file));
		is_home_hidden = true;
	}
	/* No key is in the sandbox; tools_git_unsigned() says that a signature is missing. */
	set_config(&g, STR("commit.gpgSign"), STR("false"));
	set_config(&g, STR("tag.gpgSign"), STR("false"));
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

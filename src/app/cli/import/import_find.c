/* Finds session files of other programs; import_find.h says what a path may be. */
#include "app/cli/import/import_find.h"

#include "app/cli/print/out.h"
#include "base/path/foreign_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRIES_MAX 20000 /* of one folder */
#define DEPTH_MAX 4       /* sessions/YYYY/MM/DD */

static void add_file(struct cli *c, struct import_place *p, struct str root, struct str name)
{
	if (p->count == IMPORT_FILES_MAX) {
		p->has_more = true;
		return;
	}
	if (p->count == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;

		p->files = arena_grow(c->mem, p->files, p->count * sizeof *p->files,
		                      cap * sizeof *p->files);
		p->cap = cap;
	}
	p->files[p->count++] = (struct import_file){ root, arena_keep(c->mem, name) };
}

/* Subagents have files of their own there; they are part of another session. */
static bool is_session(enum session_program program, struct str name)
{
	if (!str_ends(name, STR(".jsonl")))
		return false;
	return program == SESSION_CODEX ? str_starts(name, STR("rollout-"))
	                                : !str_starts(name, STR("agent-"));
}

static void walk(struct cli *c, struct import_place *p, struct str dir, int depth)
{
	struct foreign_list list = { 0 };
	struct str rest, line;

	if (foreign_file_list(c->mem, p->home, dir.ptr, ENTRIES_MAX, &list, NULL) != OK)
		return;
	p->has_more |= list.has_more;
	rest = list.lines;
	while (rest.len) {
		struct str name;

		line = str_cut(&rest, '\n');
		if (line.len < 2)
			continue;
		name = arena_printf(c->mem, "%.*s/%.*s", STR_ARG(dir), STR_ARG(str_skip(line, 1)));
		if (line.ptr[0] == 'd' && depth > 1)
			walk(c, p, name, depth - 1);
		else if (line.ptr[0] != 'd' && is_session(p->program, str_skip(line, 1)))
			add_file(c, p, p->home, name);
	}
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct import_file *)a)->name,
	               ((const struct import_file *)b)->name);
}

static const char *default_home(struct cli *c, enum session_program program)
{
	const char *own = getenv(program == SESSION_CLAUDE ? "CLAUDE_CONFIG_DIR" : "CODEX_HOME");
	const char *home = getenv("HOME");

	if (own && *own)
		return own;
	if (!home || !*home)
		return NULL;
	return arena_printf(c->mem, "%s/%s", home, program == SESSION_CLAUDE ? ".claude" : ".codex")
	        .ptr;
}

static struct str resolved(struct cli *c, const char *path)
{
	char *full = realpath(path, NULL);
	struct str kept = full ? arena_keep(c->mem, str_from(full)) : STR_NONE;

	free(full);
	return kept;
}

static bool has_sessions(struct cli *c, struct str dir, enum session_program program)
{
	struct stat st;
	const char *path = arena_printf(c->mem, "%.*s/%s", STR_ARG(dir),
	                                program == SESSION_CLAUDE ? "projects" : "sessions")
	                           .ptr;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int take_one(struct cli *c, struct import_place *p, struct str path)
{
	size_t slash = path.len;

	while (slash && path.ptr[slash - 1] != '/')
		slash--;
	p->is_file = true;
	add_file(c, p, slash > 1 ? arena_keep(c->mem, str_head(path, slash - 1)) : STR("/"),
	         str_skip(path, slash));
	return CODE_DONE;
}

static int no_such(struct cli *c, const char *path)
{
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(path)), strerror(errno));
	return CODE_USAGE;
}

int import_find(struct cli *c, enum session_program program, const char *path,
                struct import_place *ret)
{
	const char *home = default_home(c, program);
	struct str given = path ? resolved(c, path) : STR_NONE;
	struct stat st;

	*ret = (struct import_place){ .program = program };
	if (path && (!str_is(given) || stat(given.ptr, &st) != 0))
		return no_such(c, path);
	if (path && !S_ISDIR(st.st_mode))
		return take_one(c, ret, given);
	if (path && has_sessions(c, given, program)) {
		ret->home = given;
	} else {
		ret->only_dir = given;
		ret->home = home ? resolved(c, home) : STR_NONE;
	}
	if (!str_is(ret->home)) {
		out_error(c, "There is no folder of %s.",
		          program == SESSION_CLAUDE ? "Claude Code" : "codex");
		fprintf(stderr, "  Name it, or a session file: thole import %s PATH\n",
		        program == SESSION_CLAUDE ? "claude" : "codex");
		return CODE_USAGE;
	}
	if (program == SESSION_CLAUDE) {
		walk(c, ret, STR("projects"), 2);
	} else {
		walk(c, ret, STR("sessions"), DEPTH_MAX);
		walk(c, ret, STR("archived_sessions"), DEPTH_MAX);
	}
	if (ret->count)
		qsort(ret->files, ret->count, sizeof *ret->files, by_name);
	return CODE_DONE;
}

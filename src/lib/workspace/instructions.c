/*
 * Reads instruction files of the user, of a directory and of its parents, and
 * what they import, on a thread, because their file system may not answer.
 * Links out of the tree and denied paths are not read.
 */
#include "lib/workspace/instructions.h"

#include "base/memory.h"
#include "base/path/foreign_file.h"
#include "base/gen/limits.h"
#include "lib/workspace/extension_files.h"
#include "lib/workspace/workspace_file.h"
#include "text/markdown_imports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define USER_FILE "AGENTS.md"
#define HEAD_BYTES_MAX 4096
#define DEPTH_MAX 64

struct source {
	struct context port;
	struct instructions_options o;
	struct mailbox asked, answered;
	pthread_t thread;
};

/* One read, while it runs. */
struct gathering {
	const struct instructions_options *o;
	struct context_read *r;
	size_t cap;      /* of r->found */
	size_t root_len; /* the part of r->cwd that is the project's root */
	struct sandbox_paths rules;
};

static struct context_found *found_add(struct gathering *g, enum context_kind kind)
{
	struct context_read *r = g->r;

	if (r->count == g->cap) {
		size_t grown = g->cap ? g->cap * 2 : 8;

		r->found = arena_grow(r->mem, r->found, r->count * sizeof *r->found,
		                      grown * sizeof *r->found);
		g->cap = grown;
	}
	r->found[r->count] = (struct context_found){ .kind = kind };
	return &r->found[r->count++];
}

/* ---- imports ---- */

#define IMPORT_DEPTH_MAX 5

/* A file on the way from an instruction file to what is being read, and the tree that it is in. */
struct importer {
	const struct importer *above; /* NULL: the instruction file itself */
	struct str root;              /* imports stay below it */
	const char *prefix;           /* of refs: "file:", "user:" */
	struct str path;              /* of the file, relative to the root */
	int depth;
	size_t *count; /* imports of all files of this read */
};

static struct str dir_of(struct str path)
{
	while (path.len && path.ptr[path.len - 1] != '/')
		path.len--;
	return path.len ? str_head(path, path.len - 1) : STR("");
}

static bool is_above(const struct importer *at, struct str path)
{
	while (at && !str_eq(at->path, path))
		at = at->above;
	return at != NULL;
}

static bool is_found(const struct context_read *r, struct str ref)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->found[i].kind == CONTEXT_KIND_INSTRUCTION && str_eq(r->found[i].ref, ref))
			return true;
	return false;
}

/* "@param" and "@name" are words, unless there is a file of that name. */
static bool is_like_path(struct str written)
{
	return str_find_char(written, '/') >= 0 || str_find_char(written, '.') > 0;
}

static enum missing_reason why_not_imported(const struct importer *at, struct str path)
{
	return !str_is(path)                             ? MISSING_REASON_DENIED
	       : is_above(at, path)                      ? MISSING_REASON_IMPORT_CYCLE
	       : at->depth >= IMPORT_DEPTH_MAX           ? MISSING_REASON_IMPORT_DEPTH
	       : *at->count >= LIMIT_INSTRUCTION_IMPORTS ? MISSING_REASON_OMITTED_BY_BUDGET
	                                                 : 0;
}

static void add_imports(struct gathering *g, const struct importer *at, struct str text);

/* Behind the file that imports it, with a line that says what it is. */
static void add_import(struct gathering *g, const struct importer *at, struct str written)
{
	struct arena *mem = g->r->mem;
	struct str path = workspace_file_resolve(mem, dir_of(at->path), written);
	struct importer next = { at, at->root, at->prefix, path, at->depth + 1, at->count };
	struct str ref =
		arena_printf(mem, "%s%.*s", at->prefix, STR_ARG(str_is(path) ? path : written));
	enum missing_reason missing = why_not_imported(at, path);
	struct workspace_file file = { .missing = missing };
	struct context_found *f;

	if ((missing && !is_like_path(written)) || (is_found(g->r, ref) && !missing))
		return;
	if (!missing)
		workspace_file_read(mem, at->root, path.ptr, g->o->max_bytes, &g->rules, &file);
	if (file.missing == MISSING_REASON_NOT_FOUND && !is_like_path(written))
		return;
	f = found_add(g, CONTEXT_KIND_INSTRUCTION);
	f->ref = ref;
	f->missing = file.missing;
	++*at->count;
	if (file.missing)
		return;
	f->text = arena_printf(mem, "%.*s, imported by %.*s:\n\n%.*s", STR_ARG(path),
	                       STR_ARG(at->path), STR_ARG(file.text));
	add_imports(g, &next, file.text);
}

static void add_imports(struct gathering *g, const struct importer *at, struct str text)
{
	struct markdown_imports m;
	struct str written;

	markdown_imports_begin(&m, text);
	while (markdown_imports_next(&m, &written) && *at->count <= LIMIT_INSTRUCTION_IMPORTS)
		add_import(g, at, written);
}

/* ---- instruction files, from the root of the project down ---- */

/* The length of the part of cwd that is the project's root; without a project all of it. */
static size_t root_length(struct str cwd, bool *ret_is_repository)
{
	size_t len = cwd.len;

	*ret_is_repository = false;
	for (int depth = 0; len && depth < DEPTH_MAX; depth++) {
		struct foreign_stamp st;
		struct error e = { 0 };
		enum err code = foreign_file_look(str_head(cwd, len), ".git", &st, &e);

		/* a file in a worktree; else a directory, which is no file but there */
		if (code == ERR_TIMEOUT)
			return cwd.len;
		if (!code || (code == ERR_NOT_FOUND && !e.os_errno)) {
			*ret_is_repository = true;
			return len;
		}
		while (len && cwd.ptr[len - 1] != '/')
			len--;
		while (len && cwd.ptr[len - 1] == '/')
			len--;
	}
	return cwd.len; /* no project: the directory alone */
}

/* Where HEAD is: in .git, or in the directory that the file .git of a worktree names. */
static struct str git_dir(struct arena *mem, struct str root)
{
	struct str prefix = STR("gitdir: ");
	struct foreign_file file;
	struct error ignored;
	struct str path;

	if (foreign_file_read(mem, root, ".git", HEAD_BYTES_MAX, &file, &ignored) != OK)
		return arena_printf(mem, "%.*s/.git", STR_ARG(root));
	path = str_trim(str_skip(file.text, MIN(prefix.len, file.text.len)));
	if (!str_starts(file.text, prefix) || !path.len || path.ptr[0] != '/')
		return STR_NONE;
	return path;
}

/*
 * Trust in a repository holds in its worktrees: the file .git of a worktree names the repository.
 * It may name any other; trust is in texts, so that gains nothing.
 */
static struct str project_of(struct str git)
{
	ptrdiff_t at = str_find(git, STR("/.git/worktrees/"));

	return at > 0 ? str_head(git, (size_t)at) : STR_NONE;
}

/* The name of the branch, from files only: git would run programs that the repository names. */
static void read_branch(struct context_read *r, struct str root)
{
	struct str prefix = STR("ref: refs/heads/");
	struct str dir;
	struct foreign_file file;
	struct error ignored;

	r->root = arena_keep(r->mem, root.len ? root : STR("/"));
	dir = git_dir(r->mem, r->root);
	r->project = str_is(dir) ? project_of(dir) : STR_NONE;
	if (str_is(dir) &&
	    foreign_file_read(r->mem, dir, "HEAD", HEAD_BYTES_MAX, &file, &ignored) == OK &&
	    str_starts(file.text, prefix))
		r->branch = str_trim(str_skip(file.text, prefix.len));
}

/* Finds the project; false: the directory is no place to read from. */
static bool find_project(struct gathering *g)
{
	struct context_read *r = g->r;
	bool is_repository;

	while (r->cwd.len > 1 && r->cwd.ptr[r->cwd.len - 1] == '/')
		r->cwd.len--;
	if (!r->cwd.len || r->cwd.ptr[0] != '/' || r->cwd.len >= 4096)
		return false;
	g->root_len = root_length(r->cwd, &is_repository);
	if (is_repository)
		read_branch(r, str_head(r->cwd, g->root_len));
	return true;
}

/*
 * The first of the names that the directory has: CLAUDE.md counts where there is no AGENTS.md.
 * The files are optional, so their absence is no gap (NEG-37).
 */
static void read_dir(struct gathering *g, struct str root, struct str below, size_t *imports)
{
	struct context_read *r = g->r;

	for (size_t i = 0; i < g->o->name_count; i++) {
		struct str path = arena_printf(r->mem, "%.*s%s%.*s", STR_ARG(below),
		                               below.len ? "/" : "", STR_ARG(g->o->names[i]));
		struct str dir =
			below.len ? arena_printf(r->mem, "%.*s/%.*s", STR_ARG(root), STR_ARG(below))
				  : root;
		struct importer at = { NULL, root, "file:", path, 0, imports };
		struct workspace_file file;
		struct context_found *f;

		workspace_file_read(r->mem, dir.len ? dir : STR("/"),
		                    arena_keep(r->mem, g->o->names[i]).ptr, g->o->max_bytes,
		                    &g->rules, &file);
		if (file.missing == MISSING_REASON_NOT_FOUND)
			continue;
		f = found_add(g, CONTEXT_KIND_INSTRUCTION);
		f->ref = arena_printf(r->mem, "file:%.*s", STR_ARG(path));
		f->text = file.text;
		f->missing = file.missing;
		if (!file.missing)
			add_imports(g, &at, file.text);
		return;
	}
}

/* The user's own instructions apply everywhere, and come before those of a project. */
static void read_user(struct gathering *g)
{
	struct context_read *r = g->r;
	size_t imports = 0;
	struct importer at = {
		NULL, g->o->places.config_dir, "user:", STR(USER_FILE), 0, &imports
	};
	struct workspace_file file;
	struct context_found *f;

	if (!str_is(g->o->places.config_dir) || !g->o->name_count)
		return;
	workspace_file_read_own(
		r->mem, arena_printf(r->mem, "%.*s/" USER_FILE, STR_ARG(g->o->places.config_dir)),
		g->o->max_bytes, &g->rules, &file);
	if (file.missing == MISSING_REASON_NOT_FOUND)
		return;
	f = found_add(g, CONTEXT_KIND_INSTRUCTION);
	f->ref = STR("user:" USER_FILE);
	f->text = file.text;
	f->missing = file.missing;
	if (!file.missing)
		add_imports(g, &at, file.text);
}

/* From the root down, so that the instructions nearest to the directory come last. */
static void read_instructions(struct gathering *g)
{
	struct str cwd = g->r->cwd, root = str_head(cwd, g->root_len);
	size_t at = root.len, imports = 0;

	while (at <= cwd.len) {
		read_dir(g, root, str_skip(str_head(cwd, at), MIN(root.len + 1, at)), &imports);
		if (at == cwd.len)
			return;
		at++;
		while (at < cwd.len && cwd.ptr[at] != '/')
			at++;
	}
}

/* ---- files that were named ---- */

static bool is_plain(struct str part)
{
	return part.len && part.len < 256 && !str_eq(part, STR("..")) && !str_eq(part, STR(".")) &&
	       !memchr(part.ptr, 0, part.len);
}

/* Only paths below the directory: the caller may be a remote device. */
static void read_named(struct gathering *g, struct str ref, struct context_found *f)
{
	struct workspace_file file;
	struct str rest = str_starts(ref, STR("file:")) ? str_skip(ref, 5) : ref;
	struct str name = arena_keep(g->r->mem, rest);

	f->missing = MISSING_REASON_DENIED;
	if (!rest.len || rest.len >= 4096)
		return;
	while (str_is(rest))
		if (!is_plain(str_cut(&rest, '/')))
			return;
	workspace_file_read(g->r->mem, g->r->cwd, name.ptr, g->o->max_bytes, &g->rules, &file);
	f->text = file.text;
	f->missing = file.missing;
}

/*
 * Runs on the thread.  A missing file is part of the result, not an error: the turn begins
 * anyway.
 */
void instructions_gather(const struct instructions_options *o, struct context_read *r)
{
	struct gathering g = { .o = o, .r = r };
	bool has_project;

	r->mem = arena_new();
	sandbox_plan_read_deny_rules(r->mem, r->deny, &g.rules);
	has_project = find_project(&g);
	if (r->kinds)
		extension_files_read(&o->places, r, str_head(r->cwd, g.root_len), &g.rules);
	if (r->is_for_turn) {
		read_user(&g);
		if (has_project)
			read_instructions(&g);
	}
	for (size_t i = 0; i < r->file_count; i++) {
		struct context_found *f = found_add(&g, CONTEXT_KIND_FILE);

		f->ref = arena_keep(r->mem, r->files[i]);
		if (r->cwd.len && r->cwd.len < 4096)
			read_named(&g, f->ref, f);
		else
			f->missing = MISSING_REASON_NOT_FOUND;
	}
}

/* ---- the thread ---- */

static void *thread_main(void *arg)
{
	struct source *s = arg;
	struct mail *next;

	for (struct mail *m; (m = mailbox_wait(&s->asked));)
		for (; m; m = next) {
			next = m->next;
			instructions_gather(&s->o, OWNER_OF(m, struct context_read, mail));
			mailbox_post(&s->answered, m);
		}
	return NULL;
}

static void on_read(struct context *c, struct context_read *r)
{
	struct source *s = OWNER_OF(c, struct source, port);

	mailbox_post(&s->asked, &r->mail);
}

static void on_poll(struct context *c)
{
	struct source *s = OWNER_OF(c, struct source, port);
	struct mail *next;

	for (struct mail *m = mailbox_take(&s->answered); m; m = next) {
		struct context_read *r = OWNER_OF(m, struct context_read, mail);

		next = m->next;
		r->done(r);
	}
}

/* Reads that were not reported belong to the engine, which frees them after this. */
static void on_close(struct context *c)
{
	struct source *s = OWNER_OF(c, struct source, port);

	mailbox_close(&s->asked);
	pthread_join(s->thread, NULL);
	mailbox_take(&s->asked);
	mailbox_take(&s->answered);
	mailbox_done(&s->asked);
	mailbox_done(&s->answered);
	free(s);
}

static enum context_dir on_dir(struct context *c, struct str cwd)
{
	(void)c;
	switch (foreign_file_root(cwd, FOREIGN_FILE_FRESH_MS)) {
	case FOREIGN_ROOT_UNKNOWN:
		return CONTEXT_DIR_UNKNOWN;
	case FOREIGN_ROOT_STUCK:
		return CONTEXT_DIR_STUCK;
	default:
		return CONTEXT_DIR_ANSWERS;
	}
}

static enum context_dir_fault on_fault(struct context *c, struct str cwd)
{
	(void)c;
	switch (foreign_file_root_errno(cwd)) {
	case 0:
		return CONTEXT_DIR_USABLE;
	case ENOENT:
		return CONTEXT_DIR_MISSING;
	case ENOTDIR:
		return CONTEXT_DIR_NO_DIRECTORY;
	default:
		return CONTEXT_DIR_UNREADABLE;
	}
}

static const struct context_ops ops = {
	.read = on_read, .poll = on_poll, .dir = on_dir, .fault = on_fault, .close = on_close
};

enum err instructions_open(const struct instructions_options *o, struct context **ret,
                           struct error *e)
{
	struct source *s = memory_zeroed(1, sizeof *s);

	s->port.ops = &ops;
	s->o = *o;
	mailbox_init(&s->asked, NULL, NULL);
	mailbox_init(&s->answered, o->wake, o->wake_arg);
	if (pthread_create(&s->thread, NULL, thread_main, s) != 0) {
		mailbox_done(&s->asked);
		mailbox_done(&s->answered);
		free(s);
		return fail(e, ERR_IO, "no thread for instruction files");
	}
	*ret = &s->port;
	return OK;
}

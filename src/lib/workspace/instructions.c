/*
 * Reads instruction files of a directory and its parents on a thread, because
 * their file system may not answer.  Links and denied paths are not read.
 */
#include "lib/workspace/instructions.h"

#include "base/memory.h"
#include "base/path/foreign_file.h"
#include "base/path/path_glob.h"
#include "base/utf8.h"
#include "sandbox/sandbox_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES_MAX 4096
#define DEPTH_MAX 64

struct source {
	struct context port;
	struct instructions_options o;
	struct mailbox asked, answered;
	pthread_t thread;
};

/* ---- one file ---- */

static struct context_found *found_add(struct context_read *r, size_t *cap, enum context_kind kind)
{
	if (r->count == *cap) {
		size_t grown = *cap ? *cap * 2 : 8;

		r->found = arena_grow(r->mem, r->found, r->count * sizeof *r->found,
		                      grown * sizeof *r->found);
		*cap = grown;
	}
	r->found[r->count] = (struct context_found){ .kind = kind };
	return &r->found[r->count++];
}

/* The model gets a note which named files are missing and why; it must not guess their content. */
static enum missing_reason why_not(enum err code)
{
	switch (code) {
	case ERR_NOT_FOUND:
		return MISSING_REASON_NOT_FOUND;
	case ERR_TOO_LARGE:
		return MISSING_REASON_TOO_LARGE;
	default:
		return MISSING_REASON_UNREADABLE;
	}
}

/*
 * A link that leads out of the directory counts as denied, and so does a file without read
 * permission.
 */
static bool is_denied(enum err code, const struct error *e)
{
	return code == ERR_INVALID ? e->os_errno == EXDEV || e->os_errno == ELOOP
	                           : e->os_errno == EACCES || e->os_errno == EPERM;
}

/* ---- what rules deny ---- */

static bool is_covered(const struct sandbox_paths *rules, struct str path)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct path_glob g;

		/* one that is for writing only has a word in front and covers no absolute path */
		if (!path_glob_read(rules->at[i], &g) || path_glob_covers(&g, path))
			return true;
	}
	return false;
}

/*
 * The daemon reads with the user's rights and not in a sandbox, so a link to a denied file
 * would expose it.  The other names of a file are unknown here, so a file with more than
 * one link is not read.
 */
static bool is_ruled_out(struct arena *mem, const struct sandbox_paths *rules, struct str dir,
                         const char *name, const struct foreign_stamp *read)
{
	char real[PATH_MAX];
	struct stat st;

	if (!rules->count)
		return false;
	struct str path = arena_printf(mem, "%.*s/%s", STR_ARG(dir), name);

	return read->names > 1 || !realpath(path.ptr, real) || stat(real, &st) < 0 ||
	       st.st_ino != read->inode || st.st_dev != read->device || is_covered(rules, path) ||
	       is_covered(rules, str_from(real));
}

/*
 * Rules are checked after the read, with the identity of what was read: a file that is
 * exchanged in between must not pass under another one's name.
 */
static void read_at(struct str dir, const char *name, int64_t max, struct arena *mem,
                    const struct sandbox_paths *rules, struct context_found *f)
{
	struct foreign_file file;
	struct error e = { 0 };
	enum err code = foreign_file_read(mem, dir, name, (size_t)max, &file, &e);

	if (code) {
		f->missing = is_denied(code, &e) ? MISSING_REASON_DENIED : why_not(code);
		return;
	}
	if (is_ruled_out(mem, rules, dir, name, &file.stamp)) {
		f->missing = MISSING_REASON_DENIED;
		return;
	}
	f->text = file.text;
	f->missing = utf8_is_valid(f->text) ? 0 : MISSING_REASON_UNREADABLE;
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

/* The name of the branch, from files only: git would run programs that the repository names. */
static void read_branch(struct context_read *r, struct str root)
{
	struct str prefix = STR("ref: refs/heads/");
	struct str dir;
	struct foreign_file file;
	struct error ignored;

	r->root = arena_keep(r->mem, root.len ? root : STR("/"));
	dir = git_dir(r->mem, r->root);
	if (str_is(dir) &&
	    foreign_file_read(r->mem, dir, "HEAD", HEAD_BYTES_MAX, &file, &ignored) == OK &&
	    str_starts(file.text, prefix))
		r->branch = str_trim(str_skip(file.text, prefix.len));
}

static void read_dir(const struct instructions_options *o, struct context_read *r, size_t *cap,
                     const struct sandbox_paths *rules, struct str dir, size_t root)
{
	for (size_t i = 0; i < o->name_count; i++) {
		struct context_found *f = found_add(r, cap, CONTEXT_KIND_INSTRUCTION);
		struct str below = str_skip(dir, MIN(root + 1, dir.len));
		char name[256];

		snprintf(name, sizeof name, "%.*s", STR_ARG(o->names[i]));
		f->ref = arena_printf(r->mem, "file:%.*s%s%s", STR_ARG(below), below.len ? "/" : "",
		                      name);
		read_at(dir.len ? dir : STR("/"), name, o->max_bytes, r->mem, rules, f);
		/* The file is optional, so its absence is no gap (NEG-37). */
		if (f->missing == MISSING_REASON_NOT_FOUND)
			r->count--;
	}
}

/* From the root down, so that the instructions nearest to the directory come last. */
static void read_instructions(const struct instructions_options *o, struct context_read *r,
                              size_t *cap, const struct sandbox_paths *rules)
{
	struct str cwd = r->cwd;
	bool is_repository;
	size_t root, at;

	while (cwd.len > 1 && cwd.ptr[cwd.len - 1] == '/')
		cwd.len--;
	r->cwd = cwd;
	if (!cwd.len || cwd.ptr[0] != '/' || cwd.len >= 4096)
		return;
	root = at = root_length(cwd, &is_repository);
	if (is_repository)
		read_branch(r, str_head(cwd, root));
	while (at <= cwd.len) {
		read_dir(o, r, cap, rules, str_head(cwd, at), root);
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
static void read_named(const struct instructions_options *o, struct context_read *r, struct str ref,
                       const struct sandbox_paths *rules, struct context_found *f)
{
	struct str rest = str_starts(ref, STR("file:")) ? str_skip(ref, 5) : ref;
	struct str name = arena_keep(r->mem, rest);

	f->missing = MISSING_REASON_DENIED;
	if (!rest.len || rest.len >= 4096)
		return;
	while (str_is(rest))
		if (!is_plain(str_cut(&rest, '/')))
			return;
	read_at(r->cwd, name.ptr, o->max_bytes, r->mem, rules, f);
}

/*
 * Runs on the thread.  A missing file is part of the result, not an error: the turn begins
 * anyway.
 */
void instructions_gather(const struct instructions_options *o, struct context_read *r)
{
	size_t cap = 0;
	struct sandbox_paths rules = { 0 };

	r->mem = arena_new();
	sandbox_plan_read_deny_rules(r->mem, r->deny, &rules);
	read_instructions(o, r, &cap, &rules);
	for (size_t i = 0; i < r->file_count; i++) {
		struct context_found *f = found_add(r, &cap, CONTEXT_KIND_FILE);

		f->ref = arena_keep(r->mem, r->files[i]);
		if (r->cwd.len && r->cwd.len < 4096)
			read_named(o, r, f->ref, &rules, f);
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

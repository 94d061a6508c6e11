/*
 * Worktrees of sessions: run --worktree makes one, diff shows what changed in
 * it, apply brings that to the repository, discard removes it.
 *
 * A worktree is directly below the directory of worktrees and has the branch
 * thole/NAME/work; the sandbox lets commands commit there and nowhere else in
 * the repository (tools/tools_worktree.c).  Everything is read back from git, so
 * a call that was killed leaves a state that the next one continues from.
 *
 * git runs here with the user's rights.  A repository whose own settings name
 * programs is refused, hooks and file system monitors are off.
 */
#include "app/cli/worktree.h"

#include "app/cli/print/out.h"
#include "base/path/repository.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIT_OUTPUT_MAX (64u << 20)
#define GIT_WORDS_MAX 40
#define ENVIRONMENT_MAX 1000

extern char **environ;

struct worktree {
	const char *base; /* the directory of worktrees */
	struct str name;
	const char *path; /* the worktree */
	const char *git;  /* the .git directory of the repository */
	const char *top;  /* the directory that holds it */
};

/* ---- git ---- */

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs a program and waits.  into: its output; NULL: that goes to ours. */
static int run_program(struct cli *c, const char *file, const char *const *argv, char *const *env,
                       struct buf *into)
{
	posix_spawn_file_actions_t files;
	int pipes[2] = { -1, -1 }, failed;
	pid_t pid;

	if (into && pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&files);
	if (into) {
		posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	}
	failed = posix_spawnp(&pid, file, &files, NULL, (char *const *)argv, env);
	posix_spawn_file_actions_destroy(&files);
	if (into) {
		close(pipes[1]);
		if (!failed)
			buf_add_str(into, paths_drain_fd(c->mem, pipes[0], GIT_OUTPUT_MAX));
		close(pipes[0]);
	}
	return failed ? -1 : wait_for(pid);
}

/* Our environment without what would lead git elsewhere. */
static char **git_environment(struct cli *c)
{
	char **env = ARENA_ARRAY(c->mem, char *, ENVIRONMENT_MAX + 2);
	int n = 0;

	for (char **v = environ; *v && n < ENVIRONMENT_MAX; v++)
		if (strncmp(*v, "GIT_", 4) != 0)
			env[n++] = *v;
	env[n] = (char *)"GIT_TERMINAL_PROMPT=0";
	return env;
}

/* Runs git in dir; the words end with NULL. */
static int git(struct cli *c, const char *dir, struct buf *into, ...)
{
	const char *argv[GIT_WORDS_MAX + 1] = { "git", "--no-pager",
		                                "-c",  "core.hooksPath=/dev/null",
		                                "-c",  "core.fsmonitor=false",
		                                "-c",  "submodule.recurse=false",
		                                "-c",  "gc.auto=0",
		                                "-C",  dir };
	int n = 12;
	va_list more;

	va_start(more, into);
	while (n < GIT_WORDS_MAX && (argv[n] = va_arg(more, const char *)))
		n++;
	va_end(more);
	return run_program(c, "git", argv, git_environment(c), into);
}

/* One line of git's output; NULL: git failed. */
#define GIT_LINE(c, dir, ...)                                                                      \
	({                                                                                         \
		CLEANUP(buf_done) struct buf line_ = { 0 };                                        \
		int code_ = git(c, dir, &line_, __VA_ARGS__, NULL);                                \
		code_ == 0 ? arena_keep((c)->mem, str_trim(buf_str(&line_))).ptr : NULL;           \
	})

/* ---- places ---- */

bool worktree_is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char x = name.ptr[i];

		if (!((x >= 'a' && x <= 'z') || (x >= '0' && x <= '9') || (x == '-' && i)))
			return false;
	}
	return name.len && name.len <= WORKTREE_NAME_MAX;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The repository of dir; false after printing why there is none. */
static bool find_repository(struct cli *c, const char *dir, struct worktree *w)
{
	char full[PATH_MAX];

	w->git = GIT_LINE(c, dir, "rev-parse", "--path-format=absolute", "--git-common-dir");
	if (!w->git || !realpath(w->git, full) || !str_ends(str_from(full), STR("/.git"))) {
		out_error(c,
		          "%s is in no git repository with a worktree, so there is nothing to "
		          "make a worktree of.",
		          out_safe(c->mem, str_from(dir)));
		fprintf(stderr, "  `git init` and a first commit make it one.\n");
		return false;
	}
	w->git = arena_keep(c->mem, str_from(full)).ptr;
	w->top = arena_printf(c->mem, "%.*s", (int)strlen(full) - 5, full).ptr;
	if (!repository_runs_code(NULL, str_from(w->top)))
		return true;
	out_error(
		c,
		"The settings of %s name programs that git would run, so thole runs no git there.",
		out_safe(c->mem, str_from(w->top)));
	fprintf(stderr,
	        "  Look at %s/config. Or make the worktree yourself (git worktree add), and "
	        "use -C.\n",
	        out_safe(c->mem, str_from(w->git)));
	return false;
}

static void name_places(struct cli *c, struct worktree *w)
{
	w->path = arena_printf(c->mem, "%s/%.*s", w->base, STR_ARG(w->name)).ptr;
}

/* Is w->path a worktree of w->git, whole and usable? */
static bool is_whole(struct cli *c, const struct worktree *w)
{
	const char *common;
	char full[PATH_MAX];

	if (!is_dir(w->path))
		return false;
	common = GIT_LINE(c, w->path, "rev-parse", "--path-format=absolute", "--git-common-dir");
	return common && realpath(common, full) && strcmp(full, w->git) == 0 &&
	       GIT_LINE(c, w->path, "rev-parse", "--verify", "--quiet", "HEAD");
}

/* ---- making ---- */

static void random_name(struct cli *c, struct worktree *w)
{
	unsigned char bytes[4] = { 0 };

	(void)!getrandom(bytes, sizeof bytes, 0);
	w->name =
		arena_printf(c->mem, "w-%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* The directories to which the sandbox confines the branches of this worktree. */
static void make_parts(struct cli *c, const struct worktree *w)
{
	static const char *const parts[] = { "refs/heads/thole", "logs/refs", "logs/refs/heads",
		                             "logs/refs/heads/thole" };

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		mkdir(arena_printf(c->mem, "%s/%s", w->git, parts[i]).ptr, 0777);
	mkdir(arena_printf(c->mem, "%s/%s/%.*s", w->git, parts[0], STR_ARG(w->name)).ptr, 0777);
	mkdir(arena_printf(c->mem, "%s/%s/%.*s", w->git, parts[3], STR_ARG(w->name)).ptr, 0777);
}

/* An earlier call was killed while it made or removed this worktree; its branch stays. */
static void remove_remains(struct cli *c, const struct worktree *w)
{
	const char *state = arena_printf(c->mem, "%s/worktrees/%.*s", w->git, STR_ARG(w->name)).ptr;

	if (is_dir(state))
		paths_remove_dir(state);
}

/*
 * While a sandbox exists in the repository, a missing .git/worktrees is an empty directory that
 * no one may write.  The sandbox has its own read-only mount on it, which a change of the mode here
 * does not open.
 */
static void open_placeholder(struct cli *c, const struct worktree *w)
{
	const char *path = arena_printf(c->mem, "%s/worktrees", w->git).ptr;
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && !(st.st_mode & S_IWUSR))
		chmod(path, 0755);
}

static int add_worktree(struct cli *c, const struct worktree *w)
{
	const char *branch = arena_printf(c->mem, "thole/%.*s/work", STR_ARG(w->name)).ptr;
	bool has_branch = GIT_LINE(c, w->top, "rev-parse", "--verify", "--quiet",
	                           arena_printf(c->mem, "refs/heads/%s", branch).ptr) != NULL;
	int code = has_branch ? git(c, w->top, NULL, "worktree", "add", "--quiet", w->path, branch,
	                            NULL)
	                      : git(c, w->top, NULL, "worktree", "add", "--quiet", "-b", branch,
	                            w->path, "HEAD", NULL);

	if (code == 0)
		return CODE_DONE;
	out_error(c, "git could not make the worktree %s.", out_safe(c->mem, str_from(w->path)));
	if (!GIT_LINE(c, w->top, "rev-parse", "--verify", "--quiet", "HEAD"))
		fprintf(stderr, "  The repository has no commit yet; make one first.\n");
	return CODE_FAILED;
}

int worktree_open(struct cli *c, const char *base, const char *name, const char *dir,
                  const char **ret)
{
	struct worktree w = { .base = base, .name = name ? str_from(name) : STR_NONE };
	int code;

	if (!find_repository(c, dir, &w))
		return CODE_FAILED;
	if (!name)
		random_name(c, &w);
	name_places(c, &w);
	*ret = w.path;
	if (is_whole(c, &w)) {
		make_parts(c, &w);
		out_note(c, TONE_DIM, "continues in the worktree %s", w.path);
		return CODE_DONE;
	}
	if (is_dir(w.path) && rmdir(w.path) != 0) {
		out_error(c, "%s exists and is no worktree of this repository.", w.path);
		fprintf(stderr, "  Choose another name, or remove it: thole discard %.*s\n",
		        STR_ARG(w.name));
		return CODE_FAILED;
	}
	mkdir(base, 0700);
	remove_remains(c, &w);
	open_placeholder(c, &w);
	code = add_worktree(c, &w);
	if (code)
		return code;
	make_parts(c, &w);
	out_note(c, TONE_DIM, "works in the worktree %s; thole diff, thole apply, thole discard",
	         w.path);
	return CODE_DONE;
}

/* ---- finding ---- */

/* The repository that the worktree names; its directory may be gone. */
static bool find_origin(struct cli *c, struct worktree *w)
{
	const char *common = is_dir(w->path)
	                             ? GIT_LINE(c, w->path, "rev-parse", "--path-format=absolute",
	                                        "--git-common-dir")
	                             : NULL;
	const char *here = arena_printf(c->mem, "%s/.git", w->path).ptr;

	/* git looks upwards, so what it found must not be a repository around the worktrees */
	return find_repository(c, common && access(here, F_OK) == 0 ? w->path : ".", w);
}

/* ---- what changed ---- */

struct state {
	const char *base; /* the last commit that both have */
	const char *tree; /* everything in the worktree now, committed or not */
};

/*
 * The files of the worktree as a tree, by an index of its own.  In a sandbox: the
 * agent may have left repositories in it whose settings name programs.
 */
static const char *read_tree(struct cli *c, const struct worktree *w)
{
	static const char script[] =
		"export GIT_INDEX_FILE=/tmp/index\n"
		"run() { git -c core.hooksPath=/dev/null -c core.fsmonitor=false \"$@\"; }\n"
		"run read-tree HEAD && run add --all . && run write-tree\n";
	const char *objects = arena_printf(c->mem, "%s/objects", w->git).ptr;
	const char *argv[] = { "thole-supervisor",
		               "sandbox-run",
		               "--profile",
		               "workspace_write",
		               "--net",
		               "off",
		               "--timeout",
		               "120",
		               "-C",
		               w->path,
		               "--read",
		               w->git,
		               "--write",
		               objects,
		               "--",
		               "sh",
		               "-c",
		               script,
		               NULL };
	const char *supervisor = cli_sandbox_find_supervisor(c);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!supervisor || run_program(c, supervisor, argv, git_environment(c), &line) != 0)
		return NULL;
	return arena_keep(c->mem, str_trim(buf_str(&line))).ptr;
}

static bool read_state(struct cli *c, const struct worktree *w, struct state *ret)
{
	const char *theirs = GIT_LINE(c, w->top, "rev-parse", "HEAD");
	const char *ours = GIT_LINE(c, w->path, "rev-parse", "HEAD");

	ret->base = theirs && ours ? GIT_LINE(c, w->top, "merge-base", theirs, ours) : NULL;
	ret->tree = ret->base ? read_tree(c, w) : NULL;
	if (!ret->tree)
		out_error(c, "git cannot read the worktree %s in a sandbox.",
		          out_safe(c->mem, str_from(w->path)));
	return ret->tree;
}

static int open_place(struct cli *c, const struct worktree_place *p, struct worktree *w)
{
	*w = (struct worktree){ .base = p->base, .name = p->name, .path = p->path };
	if (!p->path) {
		out_error(c, "There is no worktree %.*s.", STR_ARG(p->name));
		return CODE_FAILED;
	}
	return find_origin(c, w) ? CODE_DONE : CODE_FAILED;
}

int worktree_diff(struct cli *c, const struct worktree_place *p, struct str *ret)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct state s;
	struct worktree w;
	int code = open_place(c, p, &w);

	if (code)
		return code;
	if (!read_state(c, &w, &s) || git(c, w.top, &text, "diff", "--no-ext-diff", "--no-textconv",
	                                  s.base, s.tree, NULL) != 0)
		return CODE_FAILED;
	*ret = arena_keep(c->mem, buf_str(&text));
	return CODE_DONE;
}

/* ---- apply ---- */

static const char *write_patch(struct cli *c, const struct worktree *w, const struct state *s,
                               bool *ret_is_empty)
{
	const char *file = arena_printf(c->mem, "%s/worktree-patch-%d", c->data, (int)getpid()).ptr;
	CLEANUP(buf_done) struct buf patch = { 0 };
	int code = git(c, w->top, &patch, "diff", "--no-ext-diff", "--no-textconv", "--binary",
	               "--full-index", s->base, s->tree, NULL);
	int fd = code == 0 ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	bool ok = fd >= 0 && write(fd, patch.ptr, patch.len) == (ssize_t)patch.len;

	if (fd >= 0)
		close(fd);
	*ret_is_empty = !patch.len;
	return ok ? file : NULL;
}

static int apply_patch(struct cli *c, const struct worktree *w, const char *file)
{
	if (git(c, w->top, NULL, "apply", "--check", file, NULL) != 0) {
		out_error(c,
		          "The changes do not apply to %s, which has changed too. Nothing was "
		          "changed.",
		          out_safe(c->mem, str_from(w->top)));
		fprintf(stderr, "  Have the agent commit, then merge: git merge thole/%.*s/work\n",
		        STR_ARG(w->name));
		return CODE_FAILED;
	}
	if (git(c, w->top, NULL, "apply", file, NULL) != 0) {
		out_error(c, "git could not apply the changes to %s.",
		          out_safe(c->mem, str_from(w->top)));
		return CODE_FAILED;
	}
	out_note(c, TONE_GOOD,
	         "applied to %s, not committed; thole discard %.*s removes the worktree",
	         out_safe(c->mem, str_from(w->top)), STR_ARG(w->name));
	return CODE_DONE;
}

int worktree_apply(struct cli *c, const struct worktree_place *p)
{
	struct worktree w;
	struct state s;
	bool is_empty = false;
	const char *file;
	int code = open_place(c, p, &w);

	if (code)
		return code;
	if (!read_state(c, &w, &s))
		return CODE_FAILED;
	file = write_patch(c, &w, &s, &is_empty);
	if (is_empty)
		out_note(c, TONE_PLAIN, "nothing has changed in %s", w.path);
	else
		code = file ? apply_patch(c, &w, file) : CODE_FAILED;
	if (file)
		unlink(file);
	return code;
}

/* ---- discard ---- */

/* A commit that holds everything, so that git keeps it for a while; NULL: nothing to keep. */
static const char *keep_state(struct cli *c, const struct worktree *w)
{
	const char *head = GIT_LINE(c, w->path, "rev-parse", "HEAD");
	struct state s;

	if (!head || !read_state(c, w, &s))
		return head;
	return GIT_LINE(c, w->path, "-c", "user.name=thole", "-c", "user.email=thole@localhost",
	                "commit-tree", s.tree, "-p", head, "-m", "discarded worktree");
}

static int remove_worktree(struct cli *c, struct worktree *w)
{
	const char *branch = arena_printf(c->mem, "thole/%.*s/work", STR_ARG(w->name)).ptr;
	const char *kept = w->path && is_dir(w->path) ? keep_state(c, w) : NULL;

	if (w->path && is_dir(w->path) && !paths_remove_dir(w->path)) {
		out_error(c, "%s could not be removed: %s.", w->path, strerror(errno));
		return CODE_FAILED;
	}
	remove_remains(c, w);
	(void)!git(c, w->top, &(struct buf){ 0 }, "branch", "--quiet", "-D", branch, NULL);
	out_note(c, TONE_GOOD, "the worktree %.*s and its branch are removed", STR_ARG(w->name));
	if (kept)
		out_note(c, TONE_DIM, "git keeps its last state for a while: git show %.12s", kept);
	return CODE_DONE;
}

int worktree_discard(struct cli *c, const struct worktree_place *p)
{
	struct worktree w = { .base = p->base, .name = p->name };

	name_places(c, &w);
	return find_origin(c, &w) ? remove_worktree(c, &w) : CODE_FAILED;
}

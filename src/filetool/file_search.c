/*
 * search: ripgrep where the sandbox shows one, because it is fast; otherwise a walk with
 * PCRE2, which gives the same answer.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/os/sys.h"
#include "base/jw.h"
#include "filetool/file_ignore.h"
#include "filetool/file_pattern.h"
#include "filetool/filetool.h"
#include "filetool/gen/filetool_table.h"

#include <errno.h>
#include <pcre2.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define RESULTS_DEFAULT 200
#define LINE_MAX_BYTES 400
#define SEARCHED_MAX (8 << 20) /* of one file */
/* PCRE2 backtracks: some patterns take exponential time without a limit. */
#define MATCH_LIMIT 1000000

extern char **environ;

struct search {
	struct file_call *c;
	struct str pattern, glob, base;
	bool ignore_case, takes_ignored;
	int64_t max, count;
	bool is_cut;
};

/* ---- ripgrep ---- */

/* Only absolute directories: a relative one would be below the workspace. */
static const char *find_rg(struct file_call *c)
{
	struct str rest = str_from(getenv("PATH"));

	while (str_is(rest)) {
		struct str dir = str_cut(&rest, ':');
		struct str file = arena_printf(c->mem, "%.*s/rg", STR_ARG(dir));

		if (dir.len && dir.ptr[0] == '/' && access(file.ptr, X_OK) == 0)
			return file.ptr;
	}
	return NULL;
}

/*
 * The options make ripgrep independent of the user's configuration and give it the same rules as
 * file_walk().
 */
static pid_t start_rg(struct search *s, const char *rg, const char *what, int *ret_out)
{
	char *argv[24] = {
		(char *)"rg",           (char *)"--no-config",     (char *)"--line-number",
		(char *)"--no-heading", (char *)"--with-filename", (char *)"--color=never",
		(char *)"--sort=path",  (char *)"--hidden",        (char *)"--no-ignore-global"
	};
	posix_spawn_file_actions_t files;
	int n = 9, pipes[2], failed;
	pid_t pid;

	/* the repository may be above what the sandbox shows */
	argv[n++] = (char *)(s->takes_ignored ? "--no-ignore" : "--no-require-git");
	if (s->ignore_case)
		argv[n++] = (char *)"--ignore-case";
	if (str_is(s->glob))
		argv[n++] = (char *)arena_printf(s->c->mem, "--glob=%.*s", STR_ARG(s->glob)).ptr;
	/* the last glob that matches decides, so exclusions come after the caller's glob */
	if (file_pattern_is_skipped(s->glob, ".git"))
		argv[n++] = (char *)"--glob=!.git";
	if (file_pattern_is_skipped(s->glob, "node_modules"))
		argv[n++] = (char *)"--glob=!node_modules";
	argv[n++] = (char *)"-e";
	argv[n++] = (char *)s->pattern.ptr;
	argv[n++] = (char *)"--";
	argv[n++] = (char *)what;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	failed = posix_spawn(&pid, rg, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipes[1]);
	if (failed) {
		close(pipes[0]);
		return -1;
	}
	*ret_out = pipes[0];
	return pid;
}

static void put_line(struct search *s, struct str line)
{
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;

	struct str cut = str_head(line, LINE_MAX_BYTES);

	s->count++;
	file_call_out(cut);
	file_call_out(cut.len < line.len ? STR("…\n") : STR("\n"));
}

/*
 * One line of ripgrep, with its path made relative to cwd.  Its note about a binary file is no
 * match.
 */
static void take_rg(struct search *s, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str head = str_head(line, LINE_MAX_BYTES + 3), base = file_path_shown(s->c, s->base);

	if (str_find(line, STR(": WARNING: stopped searching binary file after match (")) >= 0)
		return;
	if (!str_starts(head, STR("./")))
		put_line(s, line);
	else if (str_eq(base, STR(".")))
		put_line(s, str_skip(line, 2));
	else
		put_line(s,
		         arena_printf(mem, "%.*s%.*s", STR_ARG(base), STR_ARG(str_skip(head, 1))));
}

/*
 * Exit code 2 is an error of ripgrep, mostly in the pattern; the other engine then reports it in
 * its own words.  A partial result with matches is kept.
 */
static bool relay_rg(struct search *s, pid_t pid, int out)
{
	FILE *lines = fdopen(out, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int status = 0;

	while (lines && (len = getline(&line, &cap, lines)) > 0) {
		if (s->count == s->max) {
			s->is_cut = true;
			kill(pid, SIGKILL);
			break;
		}
		take_rg(s, str_of(line, (size_t)len - (line[len - 1] == '\n')));
	}
	free(line);
	if (lines)
		fclose(lines);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return s->is_cut || (WIFEXITED(status) && (WEXITSTATUS(status) < 2 || s->count));
}

/* ---- our own ---- */

struct engine {
	struct search *s;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

/*
 * NEVER_BACKSLASH_C: \C could split a character.  MATCH_INVALID_UTF: files may have other
 * encodings.
 */
static bool compile(struct engine *g)
{
	struct search *s = g->s;
	uint32_t options = PCRE2_MULTILINE | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
	                   PCRE2_NEVER_BACKSLASH_C | (s->ignore_case ? PCRE2_CASELESS : 0);
	PCRE2_SIZE at;
	int code;

	g->code = pcre2_compile((PCRE2_SPTR)s->pattern.ptr, s->pattern.len, options, &code, &at,
	                        NULL);
	if (!g->code) {
		PCRE2_UCHAR why[128];

		pcre2_get_error_message(code, why, sizeof why);
		return file_call_fail(s->c, "invalid_input",
		                      arena_printf(s->c->mem, "the pattern is wrong at %zu: %s",
		                                   (size_t)at, (const char *)why),
		                      "A backslash makes ( [ { . * + ? | stand for themselves.");
	}
	pcre2_jit_compile(g->code, PCRE2_JIT_COMPLETE);
	g->data = pcre2_match_data_create(1, NULL);
	g->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(g->limits, MATCH_LIMIT);
	return true;
}

static void put_match(struct engine *g, struct str path, int64_t number, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	put_line(g->s,
	         arena_printf(mem, "%.*s:%lld:%.*s", STR_ARG(file_path_shown(g->s->c, path)),
	                      (long long)number, STR_ARG(str_head(line, LINE_MAX_BYTES + 1))));
}

/* A line with several matches is reported once.  False: enough. */
static bool search_text(struct engine *g, struct str path, struct str text)
{
	size_t at = 0, counted = 0;
	int64_t number = 1;

	while (at <= text.len && pcre2_match(g->code, (PCRE2_SPTR)text.ptr, text.len, at, 0,
	                                     g->data, g->limits) >= 0) {
		size_t start = pcre2_get_ovector_pointer(g->data)[0], begin = start, end = start;

		if (g->s->count == g->s->max) {
			g->s->is_cut = true;
			return false;
		}
		while (begin && text.ptr[begin - 1] != '\n')
			begin--;
		while (end < text.len && text.ptr[end] != '\n')
			end++;
		for (; counted < begin; counted++)
			number += text.ptr[counted] == '\n';
		/* an empty match after the last newline is in no line */
		if (begin < text.len)
			put_match(g, path, number, str_of(text.ptr + begin, end - begin));
		at = end + 1;
	}
	return true;
}

static bool search_fd(struct engine *g, int fd, struct str path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct file_call c = { .mem = mem };
	struct str text;

	if (fd < 0 || !file_path_read_all(&c, fd, SEARCHED_MAX, &text) || file_path_is_binary(text))
		return true;
	return search_text(g, path, text);
}

static bool on_file(struct file_walk *w, int dir, const char *name, struct str path)
{
	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return search_fd(w->arg, fd, path);
}

static bool search_all(struct engine *g)
{
	struct search *s = g->s;
	struct file_walk w = { .c = s->c,
		               .base = s->base,
		               .pattern = s->glob,
		               .takes_ignored = s->takes_ignored,
		               .visit = on_file,
		               .arg = g };
	FD_SCOPE fd = file_path_open(s->c, s->base, O_RDONLY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return file_call_fail_errno(s->c, "read", s->base, errno);
	if (S_ISREG(st.st_mode)) {
		search_fd(g, fd, s->base);
		return true;
	}
	if (!file_walk(&w))
		return file_call_fail_errno(s->c, "read", s->base, errno);
	s->is_cut |= w.is_cut;
	return true;
}

static bool search_own(struct search *s)
{
	struct engine g = { .s = s };
	bool is_done = compile(&g) && search_all(&g);

	pcre2_match_context_free(g.limits);
	pcre2_match_data_free(g.data);
	pcre2_code_free(g.code);
	return is_done;
}

/* ---- the tool ---- */

/*
 * False: the other engine is used, which also reports a path that cannot be opened with its
 * errno.
 */
static bool try_rg(struct search *s, const char *rg)
{
	FD_SCOPE fd = file_path_open(s->c, s->base, O_PATH);
	struct stat st;
	pid_t pid;
	int out;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode) && !s->takes_ignored && !file_ignore_is_plain(fd))
		return false;
	/* in the directory itself, so that globs start there, as they do in file_walk() */
	if (S_ISDIR(st.st_mode) ? fchdir(fd) < 0 : chdir(s->c->cwd.ptr) < 0)
		return false;
	pid = start_rg(s, rg, S_ISDIR(st.st_mode) ? "." : file_path_shown(s->c, s->base).ptr, &out);
	return pid > 0 && relay_rg(s, pid, out);
}

bool tool_search(struct file_call *c)
{
	struct tool_args_search a = tool_args_search(c->args);
	struct search s = { .c = c,
		            .pattern = a.pattern,
		            .glob = file_pattern_of(a.glob),
		            .base = file_path(c, str_is(a.path) ? a.path : STR(".")),
		            .ignore_case = a.ignore_case,
		            .takes_ignored = a.ignored,
		            .max = a.max_results ? a.max_results : RESULTS_DEFAULT };
	const char *rg = find_rg(c);
	bool is_rg = rg && try_rg(&s, rg);

	if (!is_rg && !search_own(&s))
		return false;
	if (s.is_cut)
		file_call_out(STR("[more follows; take a narrower pattern or path]\n"));
	JW_KINT(&c->w, "matches", s.count);
	JW_KBOOL(&c->w, "truncated", s.is_cut);
	JW_KSTR(&c->w, "engine", is_rg ? STR("ripgrep") : STR("pcre2"));
	return true;
}

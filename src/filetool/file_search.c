/*
 * search: a walk that honours ignore files, and PCRE2 on each text file.  Every
 * machine has the same engine, so a pattern means the same everywhere.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/os/sys.h"
#include "base/jw.h"
#include "filetool/file_pattern.h"
#include "filetool/filetool.h"
#include "filetool/gen/filetool_table.h"

#include <errno.h>
#include <pcre2.h>
#include <sys/stat.h>

#define RESULTS_DEFAULT 200
#define LINE_MAX_BYTES 400
#define SEARCHED_MAX (8 << 20) /* of one file */
#define MATCH_LIMIT 1000000

struct search {
	struct file_call *c;
	struct str pattern, glob, base;
	bool ignore_case, takes_ignored;
	int64_t max, count;
	bool is_cut;
	int64_t left_out; /* texts that are larger than SEARCHED_MAX */
	struct str first_left_out;
};

static void put_line(struct search *s, struct str line)
{
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;

	struct str cut = str_head(line, LINE_MAX_BYTES);

	s->count++;
	file_call_out(cut);
	file_call_out(cut.len < line.len ? STR("…\n") : STR("\n"));
}

struct engine {
	struct search *s;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	bool is_too_costly; /* for at least one file */
};

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
		return file_call_fail(s->c, tool_error_pattern_wrong(s->c->mem, (int64_t)at,
		                                                     str_from((const char *)why)));
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

/* False: no further match, or the pattern took more steps than a search may. */
static bool find_next(struct engine *g, struct str text, size_t at)
{
	int code = pcre2_match(g->code, (PCRE2_SPTR)text.ptr, text.len, at, 0, g->data, g->limits);

	g->is_too_costly |= code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
	                    code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_JIT_STACKLIMIT;
	return code >= 0;
}

/* A line with several matches is reported once.  False: enough. */
static bool search_text(struct engine *g, struct str path, struct str text)
{
	size_t at = 0, counted = 0;
	int64_t number = 1;

	while (at <= text.len && find_next(g, text, at)) {
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
		/* behind the last newline is no line */
		if (begin < text.len)
			put_match(g, path, number, str_of(text.ptr + begin, end - begin));
		at = end + 1;
	}
	return true;
}

/* By its beginning, as for a file that is read. */
static bool is_text(int fd)
{
	char head[8192];
	ssize_t len = pread(fd, head, sizeof head, 0);

	return len > 0 && !file_path_is_binary(str_of(head, (size_t)len));
}

/* A text that is too large to search: the answer is not complete and names it. */
static void leave_out(struct search *s, struct str path)
{
	if (!s->left_out++)
		s->first_left_out = arena_keep(s->c->mem, path);
}

static bool search_fd(struct engine *g, int fd, struct str path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct file_call c = { .mem = mem };
	struct str text;

	if (fd < 0)
		return true;
	if (!file_path_read_all(&c, fd, SEARCHED_MAX, &text)) {
		if (errno == EFBIG && is_text(fd))
			leave_out(g->s, path);
		return true;
	}
	if (file_path_is_binary(text))
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

static bool search_run(struct search *s)
{
	struct engine g = { .s = s };
	bool is_done = compile(&g) && search_all(&g);

	if (is_done && g.is_too_costly)
		is_done = file_call_fail(s->c, tool_error_pattern_too_costly());
	pcre2_match_context_free(g.limits);
	pcre2_match_data_free(g.data);
	pcre2_code_free(g.code);
	return is_done;
}

/* ---- the tool ---- */

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

	if (!search_run(&s))
		return false;
	if (s.is_cut)
		file_call_out(STR("[more follows; take a narrower pattern or path]\n"));
	if (s.left_out)
		file_call_out(arena_printf(
			c->mem, "[not searched, because it is larger than %d MiB: %.*s%s]\n",
			SEARCHED_MAX >> 20, STR_ARG(file_path_shown(c, s.first_left_out)),
			s.left_out > 1 ? " and others" : ""));
	JW_KINT(&c->w, "matches", s.count);
	JW_KBOOL(&c->w, "truncated", s.is_cut || s.left_out);
	return true;
}

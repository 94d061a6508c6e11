/* Does a rule match an act: no, maybe, yes. */
#include "policy/rules_internal.h"

static bool is_known(const struct act_word *w)
{
	return (w->flags & (ACT_WORD_KNOWN | ACT_WORD_MANY)) == ACT_WORD_KNOWN;
}

static struct str base_name(struct str path)
{
	for (size_t i = path.len; i; i--)
		if (path.ptr[i - 1] == '/')
			return str_skip(path, i);
	return path;
}

/* Where the system keeps its programs: there /bin/ls is ls, elsewhere it is another's. */
static bool is_system_program(struct str path)
{
	static const char *const dirs[] = { "/bin/",  "/usr/bin/",  "/usr/local/bin/",
		                            "/sbin/", "/usr/sbin/", "/usr/local/sbin/" };

	for (size_t i = 0; i < COUNT_OF(dirs); i++) {
		struct str dir = str_from(dirs[i]);

		if (str_starts(path, dir) && str_find_char(str_skip(path, dir.len), '/') < 0)
			return true;
	}
	return false;
}

static bool word_matches(struct analysis *b, struct str pattern, struct str text)
{
	return str_find_char(pattern, '*') >= 0 || str_find_char(pattern, '?') >= 0
	               ? rules_paths_glob_word(b, pattern, text)
	               : str_eq(pattern, text);
}

static bool is_any(struct str pattern)
{
	return str_eq(pattern, STR("**"));
}

/* ---- allow: what is known, word by word ---- */

static bool program_strictly(struct analysis *b, struct str pattern, const struct act_word *w)
{
	if (!is_known(w))
		return false;
	if (str_eq(pattern, STR("*")) || is_any(pattern))
		return true;
	return word_matches(b, pattern, w->text) ||
	       (is_system_program(w->text) && word_matches(b, pattern, base_name(w->text)));
}

/* One word, known or not; ** was dealt with. */
static bool word_strictly(struct analysis *b, struct str pattern, const struct act_word *w)
{
	if (w->flags & ACT_WORD_MANY)
		return false;
	if (str_eq(pattern, STR("*")))
		return true;
	return is_known(w) && word_matches(b, pattern, w->text);
}

/*
 * The pattern is a prefix of the words; a grant covers exactly what was
 * asked.  ** takes any number of words, whatever they are.
 */
static bool words_strictly(struct analysis *b, const struct rule *r, const struct act *a)
{
	uint32_t p = 1, w = 1, star = 0, from = 0;
	bool has_star = false;

	if (!a->word_count || !program_strictly(b, r->command.items[0], &a->words[0]))
		return false;
	if (is_any(r->command.items[0]))
		return true;
	for (;;) {
		bool at_end = p == r->command.count;

		if (!analysis_spend(b, 1))
			return false;
		if (at_end && (w == a->word_count || r->source != RULE_GRANT))
			return true;
		if (!at_end && is_any(r->command.items[p])) {
			if (p + 1 == r->command.count)
				return true;
			has_star = true;
			star = p++;
			from = w;
		} else if (!at_end && w < a->word_count &&
		           word_strictly(b, r->command.items[p], &a->words[w])) {
			p++;
			w++;
		} else if (has_star && from < a->word_count) {
			p = star + 1;
			w = ++from;
		} else {
			return false;
		}
	}
}

bool rules_match_words_strictly(const struct rule *r, const struct judgement *j,
                                const struct act *a)
{
	return !r->has_command || words_strictly(j->budget, r, a);
}

/* Patterns before the first ** stand at their words. */
static bool stands_at(const struct rule *r, uint32_t word)
{
	for (uint32_t i = 0; i <= word; i++)
		if (i >= r->command.count || is_any(r->command.items[i]))
			return false;
	return true;
}

bool rules_match_names_word(const struct rule *r, const struct act *a, uint32_t word)
{
	(void)a;
	return r->has_command && stands_at(r, word) && !str_eq(r->command.items[word], STR("*"));
}

bool rules_match_reaches_word(const struct rule *r, const struct act *a, uint32_t word)
{
	(void)a;
	if (!r->has_command)
		return false;
	for (uint32_t i = 0; i < r->command.count; i++)
		if (is_any(r->command.items[i]))
			return true;
	return word < r->command.count;
}

/* ---- deny and ask: what cannot be excluded ---- */

static bool is_option(struct str s)
{
	return s.len > 1 && s.ptr[0] == '-';
}

static bool may_be_option(const struct act_word *w)
{
	return !is_known(w) &&
	       (w->flags & ACT_WORD_MANY || !w->text.len || w->text.ptr[0] == '-' ||
	        w->text.ptr[0] == '$' || w->text.ptr[0] == '"' || w->text.ptr[0] == '`' ||
	        w->text.ptr[0] == '*' || w->text.ptr[0] == '?' || w->text.ptr[0] == '[' ||
	        w->text.ptr[0] == '{' || w->text.ptr[0] == '\'');
}

static bool has_letter(struct str cluster, char c)
{
	if (cluster.len < 2 || cluster.ptr[0] != '-' || cluster.ptr[1] == '-')
		return false;
	for (size_t i = 1; i < cluster.len; i++)
		if (cluster.ptr[i] == c || (c == 'r' && cluster.ptr[i] == 'R') ||
		    (c == 'R' && cluster.ptr[i] == 'r'))
			return true;
	return false;
}

static struct str long_of(char letter)
{
	switch (letter) {
	case 'f':
		return STR("--force");
	case 'r':
	case 'R':
		return STR("--recursive");
	default:
		return STR_NONE;
	}
}

/* --forc is --force to most programs. */
static bool is_long_option(struct str arg, struct str wanted)
{
	ptrdiff_t end = str_find_char(arg, '=');

	if (end >= 0)
		arg.len = (size_t)end;
	return arg.len > 2 && str_starts(arg, STR("--")) && str_starts(wanted, arg);
}

static enum match option_letter(struct analysis *b, const struct act *a, char letter)
{
	enum match m = MATCH_NO;

	for (uint32_t i = 1; i < a->word_count; i++) {
		const struct act_word *w = &a->words[i];

		if (!analysis_spend(b, 1 + w->text.len / 16))
			return MATCH_MAYBE;
		if (is_known(w) &&
		    (has_letter(w->text, letter) ||
		     (str_is(long_of(letter)) && is_long_option(w->text, long_of(letter)))))
			return MATCH_YES;
		if (may_be_option(w))
			m = MATCH_MAYBE;
	}
	return m;
}

static enum match option_long(struct analysis *b, const struct act *a, struct str wanted)
{
	enum match m = MATCH_NO;

	for (uint32_t i = 1; i < a->word_count; i++) {
		const struct act_word *w = &a->words[i];

		if (!analysis_spend(b, 1 + w->text.len / 16))
			return MATCH_MAYBE;
		if (is_known(w) &&
		    (str_eq(w->text, wanted) || is_long_option(w->text, wanted) ||
		     (str_eq(wanted, STR("--force")) && has_letter(w->text, 'f')) ||
		     (str_eq(wanted, STR("--recursive")) && has_letter(w->text, 'r'))))
			return MATCH_YES;
		if (may_be_option(w))
			m = MATCH_MAYBE;
	}
	return m;
}

/* An option of the pattern may stand anywhere, alone or in a cluster: -rf is -r -f. */
static enum match option_broadly(struct analysis *b, const struct act *a, struct str wanted)
{
	enum match m = MATCH_YES;

	if (str_starts(wanted, STR("--")) || str_find_char(wanted, '*') >= 0 || wanted.len == 1)
		return option_long(b, a, wanted);
	for (uint32_t i = 1; i < a->word_count; i++)
		if (is_known(&a->words[i]) && str_eq(a->words[i].text, wanted))
			return MATCH_YES;
	for (size_t i = 1; i < wanted.len; i++)
		m = MIN(m, option_letter(b, a, wanted.ptr[i]));
	return m;
}

/*
 * The words of the pattern that are no options, as a prefix of the command's
 * words that are no options.  An option that is not known may take the next
 * word as its value, so that is left open: maybe.  From the end to the
 * beginning, one row of answers per pattern word.
 */
#define WIDTH_MAX 512

static enum match operands_broadly(struct analysis *b, const struct rule *r, const struct act *a)
{
	enum match row[WIDTH_MAX + 3];
	uint32_t n = a->word_count;

	if (n > WIDTH_MAX)
		return MATCH_MAYBE;
	for (uint32_t w = 0; w < n + 3; w++)
		row[w] = MATCH_YES; /* nothing left to match */
	for (uint32_t p = r->command.count - 1; p; p--) {
		struct str want = r->command.items[p];
		enum match next[WIDTH_MAX + 3];

		if (is_option(want))
			continue;
		if (!analysis_spend(b, 1 + n))
			return MATCH_MAYBE;
		memcpy(next, row, (n + 3) * sizeof *next);
		row[n] = row[n + 1] = row[n + 2] = is_any(want) ? next[n] : MATCH_NO;
		for (uint32_t w = n; w-- > 1;) {
			const struct act_word *x = &a->words[w];
			enum match m;

			if (is_any(want)) {
				m = MAX(next[w], row[w + 1]);
			} else if (x->flags & ACT_WORD_MANY) {
				m = MATCH_MAYBE;
			} else if (!is_known(x)) {
				m = MIN(MATCH_MAYBE, MAX(next[w + 1], row[w + 1]));
			} else if (x->flags & ACT_WORD_VALUE) {
				m = row[w + 1];
			} else if (is_option(x->text)) {
				m = row[w + 1];
				if (w + 1 < n && !(a->words[w + 1].flags & ACT_WORD_VALUE) &&
				    str_find_char(x->text, '=') < 0)
					m = MAX(m, MIN(MATCH_MAYBE, row[w + 2]));
			} else {
				m = word_matches(b, want, x->text) ? next[w + 1] : MATCH_NO;
			}
			row[w] = m;
		}
	}
	return row[1];
}

static enum match words_broadly(struct analysis *b, const struct rule *r, const struct act *a)
{
	struct str program = r->command.items[0];
	const struct act_word *w = a->words;
	enum match m;

	if (!a->word_count)
		return MATCH_NO;
	if (!is_known(w))
		return MATCH_MAYBE;
	if (!word_matches(b, program, w->text) && !word_matches(b, program, base_name(w->text)) &&
	    !word_matches(b, base_name(program), base_name(w->text)))
		return MATCH_NO;
	m = operands_broadly(b, r, a);
	for (uint32_t i = 1; i < r->command.count && m; i++)
		if (is_option(r->command.items[i]))
			m = MIN(m, option_broadly(b, a, r->command.items[i]));
	return m;
}

/*
 * Could some words of the act be a command that the rule is about?  Only for programs that may run
 * their words; where the command begins is not known, so each of them is taken for it.
 */
static bool may_run_inside(struct analysis *b, const struct rule *r, const struct act *a)
{
	struct act part = { 0 };

	if (!a->inside_count || is_any(r->command.items[0]) ||
	    str_eq(r->command.items[0], STR("*")))
		return false;
	for (uint32_t i = 0; i < a->inside_count && analysis_spend(b, 1); i++) {
		if (!is_known(&a->inside[i]) || !a->inside[i].text.len)
			continue;
		part.words = a->inside + i;
		part.word_count = MIN(a->inside_count - i, WIDTH_MAX);
		if (words_broadly(b, r, &part) != MATCH_NO)
			return true;
	}
	return a->has_more_inside;
}

/* ---- paths and hosts ---- */

static bool is_access(const struct rule *r, unsigned use)
{
	switch (r->access) {
	case RULE_READ:
		return use & (ACT_READS | ACT_LISTS);
	case RULE_WRITE:
		return use & (ACT_WRITES | ACT_DELETES);
	default:
		return true;
	}
}

static struct str rule_path(const struct rule *r, const struct judgement *j, char *room,
                            size_t size)
{
	struct str path = r->path, base = STR("");

	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	if (str_starts(path, STR("/")) || str_starts(path, STR("**")))
		return path;
	if (str_eq(path, STR("~")) || str_starts(path, STR("~/"))) {
		base = j->home;
		path = str_skip(path, 1);
	} else {
		base = j->root;
		if (str_eq(path, STR(".")))
			path = STR("");
	}
	if (base.len + path.len + 1 > size)
		return STR(
			"/"); /* too long to be told apart: everything, which is stern for deny */
	if (base.len)
		memcpy(room, base.ptr, base.len);
	room[base.len] = '/';
	if (path.len)
		memcpy(room + base.len + 1, path.ptr, path.len);
	return str_of(room, base.len + 1 + path.len);
}

#define PATH_ROOM (2 * RULE_BYTES_MAX)

struct str rules_match_path(struct arena *mem, const struct rule *r, const struct judgement *j)
{
	size_t size = r->path.len + j->home.len + j->root.len + 2;

	return rules_paths_resolve(mem, STR("/"), rule_path(r, j, arena_alloc(mem, size), size));
}

static enum match paths_broadly(const struct rule *r, const struct judgement *j,
                                const struct act *a)
{
	char room[PATH_ROOM];
	struct str pattern = rule_path(r, j, room, sizeof room);
	enum match m = MATCH_NO;

	for (uint32_t i = 0; i < a->path_count && m != MATCH_YES; i++) {
		const struct act_path *p = &a->paths[i];
		enum match one;

		if (!is_access(r, p->use) || p->flags & ACT_PATH_HARMLESS)
			continue;
		one = rules_paths_broadly(j->budget, pattern, p);
		/* a name in a listing is not the thing itself */
		if (one == MATCH_MAYBE && !(p->use & ~(unsigned)ACT_LISTS))
			one = MATCH_NO;
		m = MAX(m, one);
	}
	return m;
}

/* What was granted for one directory is not granted for another. */
static bool is_there(const struct rule *r, const struct act *a)
{
	return !str_is(r->cwd) || (str_is(a->cwd) && str_eq(r->cwd, a->cwd));
}

bool rules_match_path_allowed(const struct rule *r, const struct judgement *j, const struct act *a,
                              const struct act_path *p)
{
	char room[PATH_ROOM];

	if (!str_is(r->path) || (r->path.len && j->root.len + r->path.len + 2 > PATH_ROOM) ||
	    !is_there(r, a) || !is_access(r, p->use) ||
	    (r->has_command && !words_strictly(j->budget, r, a)) ||
	    (str_is(r->tool) && !word_matches(j->budget, r->tool, a->tool)) || str_is(r->host) ||
	    str_is(r->mcp))
		return false;
	return rules_paths_strictly(j->budget, rule_path(r, j, room, sizeof room), p);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool rules_match_host(struct str pattern, struct str host)
{
	char p[256], h[256];

	while (host.len && host.ptr[host.len - 1] == '.')
		host.len--;
	if (pattern.len > sizeof p || host.len > sizeof h || !host.len)
		return false;
	for (size_t i = 0; i < pattern.len; i++)
		p[i] = lower(pattern.ptr[i]);
	for (size_t i = 0; i < host.len; i++)
		h[i] = lower(host.ptr[i]);
	return rules_paths_glob_word(NULL, str_of(p, pattern.len), str_of(h, host.len));
}

static enum match hosts_broadly(const struct rule *r, const struct act *a)
{
	for (uint32_t i = 0; i < a->hosts.count; i++)
		if (rules_match_host(r->host, a->hosts.items[i]))
			return MATCH_YES;
	return a->has_unknown_host ? MATCH_MAYBE : MATCH_NO;
}

static bool mcp_matches(struct analysis *b, const struct rule *r, const struct act *a)
{
	struct str tool = r->mcp, server = str_cut(&tool, '/');

	return str_is(a->mcp_server) && word_matches(b, server, a->mcp_server) &&
	       (!str_is(tool) || (str_is(a->mcp_tool) && word_matches(b, tool, a->mcp_tool)));
}

/* ---- whole rules ---- */

static enum match commands_broadly(struct analysis *b, const struct rule *r, const struct act *a)
{
	enum match m = words_broadly(b, r, a);

	return m == MATCH_NO && may_run_inside(b, r, a) ? MATCH_MAYBE : m;
}

enum match rules_match_broadly(const struct rule *r, const struct judgement *j, const struct act *a)
{
	enum match m = MATCH_YES;

	if (str_is(r->tool) && !word_matches(j->budget, r->tool, a->tool) &&
	    !(str_is(a->like) && word_matches(j->budget, r->tool, a->like)))
		return MATCH_NO;
	if (str_is(r->mcp) && !mcp_matches(j->budget, r, a))
		return MATCH_NO;
	if (r->has_command)
		m = MIN(m, commands_broadly(j->budget, r, a));
	if (m && str_is(r->path))
		m = MIN(m, paths_broadly(r, j, a));
	if (m && str_is(r->host))
		m = MIN(m, hosts_broadly(r, a));
	return m;
}

/* A rule allows the tool that was known, a grant the one that it was given for. */
static bool is_definition(const struct rule *r, const struct act *a)
{
	return str_is(r->definition) ? str_eq(r->definition, a->definition) : !a->is_changed;
}

static bool all_hosts(const struct rule *r, const struct act *a)
{
	for (uint32_t i = 0; i < a->hosts.count; i++)
		if (!rules_match_host(r->host, a->hosts.items[i]))
			return false;
	return a->hosts.count && !a->has_unknown_host;
}

bool rules_match_strictly(const struct rule *r, const struct judgement *j, const struct act *a)
{
	if (str_is(r->tool) && !word_matches(j->budget, r->tool, a->tool))
		return false;
	if (str_is(r->mcp) && !mcp_matches(j->budget, r, a))
		return false;
	if (!is_definition(r, a) || !is_there(r, a) || !rules_match_words_strictly(r, j, a))
		return false;
	if (str_is(r->host) && !all_hosts(r, a))
		return false;
	for (uint32_t i = 0; str_is(r->path) && i < a->path_count; i++)
		if (!(a->paths[i].flags & (ACT_PATH_HARMLESS | ACT_PATH_GUESS)) &&
		    is_access(r, a->paths[i].use) &&
		    !rules_match_path_allowed(r, j, a, &a->paths[i]))
			return false;
	return !str_is(r->path) || a->path_count;
}

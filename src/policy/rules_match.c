/*
 * Does a rule match an act: no, maybe, yes.
 *
 * There are two directions of doubt.  An allow rule must cover every word, path and host as
 * known values ("strictly").  A deny or ask rule matches everything that cannot be excluded
 * ("broadly"): options in any order, abbreviated or clustered, words that are known only at run
 * time.  The same pattern is therefore compared by two separate sets of functions.
 */
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

/*
 * Directories of system programs: there /bin/ls is ls; elsewhere a file named ls may be anything.
 */
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

/* ---- allow: only what is known, word by word ---- */

/* An allow rule on "ls" covers /bin/ls but not ./ls: the workspace may contain any program. */
static bool program_strictly(struct analysis *b, struct str pattern, const struct act_word *w)
{
	if (!is_known(w))
		return false;
	if (str_eq(pattern, STR("*")) || is_any(pattern))
		return true;
	return word_matches(b, pattern, w->text) ||
	       (is_system_program(w->text) && word_matches(b, pattern, base_name(w->text)));
}

/* One word, known or not; ** is handled before. */
static bool word_strictly(struct analysis *b, struct str pattern, const struct act_word *w)
{
	if (w->flags & ACT_WORD_MANY)
		return false;
	if (str_eq(pattern, STR("*")))
		return true;
	return is_known(w) && word_matches(b, pattern, w->text);
}

/*
 * The pattern is a prefix of the words; a grant covers exactly the words that were shown. **
 * matches any number of words.
 */
static bool words_strictly(struct analysis *b, const struct rule *r, const struct act *a)
{
	uint32_t p = 1, w = 1, star = 0, from = 0;
	bool has_star = false;

	if (!a->word_count || !program_strictly(b, r->command.items[0], &a->words[0]))
		return false;
	if (is_any(r->command.items[0]))
		return true;
	/*
	 * The usual glob loop: after a mismatch, the last ** takes one word more.  Earlier ones
	 * never need a second try, so the work is words × pattern.
	 */
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
	if (r->source == RULE_GRANT && a->flags & ACT_STEERED)
		return false;
	return !r->has_command || words_strictly(j->budget, r, a);
}

/* Patterns before the first ** correspond to words by position. */
static bool is_at_position(const struct rule *r, uint32_t word)
{
	for (uint32_t i = 0; i <= word; i++)
		if (i >= r->command.count || is_any(r->command.items[i]))
			return false;
	return true;
}

/* Has it more than wildcards and dashes: does it say which words it means? */
static bool says_something(struct str pattern)
{
	for (size_t i = 0; i < pattern.len; i++)
		if (!strchr("*?-", pattern.ptr[i]))
			return true;
	return !pattern.len;
}

/*
 * "*", "??" or "-*" match a word without naming it.  After a ** the position is unknown, so it
 * names nothing.
 */
bool rules_match_names_word(const struct rule *r, const struct act *a, uint32_t word)
{
	(void)a;
	return r->has_command && is_at_position(r, word) && says_something(r->command.items[word]);
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

/* ---- deny and ask: everything that cannot be excluded ---- */

static bool is_option(struct str s)
{
	return s.len > 1 && s.ptr[0] == '-';
}

/*
 * An unknown word has its text as written.  If it begins with a literal letter, its value does
 * too, so it is no option; an expansion, a quote or a wildcard at the front may become one.
 */
static bool may_be_option(const struct act_word *w)
{
	return !is_known(w) &&
	       (w->flags & ACT_WORD_MANY || !w->text.len || w->text.ptr[0] == '-' ||
	        w->text.ptr[0] == '$' || w->text.ptr[0] == '"' || w->text.ptr[0] == '`' ||
	        w->text.ptr[0] == '*' || w->text.ptr[0] == '?' || w->text.ptr[0] == '[' ||
	        w->text.ptr[0] == '{' || w->text.ptr[0] == '\'');
}

/*
 * Is the letter in a cluster of short options?  r and R are one letter: for rm and cp both mean
 * "recursive", and a rule on one would otherwise miss the other.
 */
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

/* Most programs accept --forc for --force, and --force=x. */
static bool is_long_option(struct str arg, struct str wanted)
{
	ptrdiff_t end = str_find_char(arg, '=');

	if (end >= 0)
		arg.len = (size_t)end;
	return arg.len > 2 && str_starts(arg, STR("--")) && str_starts(wanted, arg);
}

/*
 * Spent budget is MAYBE throughout the broad direction: a deny rule is not excluded by giving
 * up.
 */
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
		    (word_matches(b, wanted, w->text) || is_long_option(w->text, wanted) ||
		     (str_eq(wanted, STR("--force")) && has_letter(w->text, 'f')) ||
		     (str_eq(wanted, STR("--recursive")) && has_letter(w->text, 'r'))))
			return MATCH_YES;
		if (may_be_option(w))
			m = MATCH_MAYBE;
	}
	return m;
}

/* An option of the pattern may be anywhere, alone or in a cluster: -rf is -r -f. */
static enum match option_broadly(struct analysis *b, const struct act *a, struct str wanted)
{
	enum match m = MATCH_YES;

	if (str_starts(wanted, STR("--")) || str_find_char(wanted, '*') >= 0 ||
	    str_find_char(wanted, '?') >= 0 || wanted.len == 1)
		return option_long(b, a, wanted);
	/*
	 * Some programs have long options with one dash (find -delete), so the whole word is tried
	 * before its letters.
	 */
	for (uint32_t i = 1; i < a->word_count; i++)
		if (is_known(&a->words[i]) && str_eq(a->words[i].text, wanted))
			return MATCH_YES;
	for (size_t i = 1; i < wanted.len; i++)
		m = MIN(m, option_letter(b, a, wanted.ptr[i]));
	return m;
}

/*
 * Matches the words of the pattern that are no options as a prefix of the command's words that
 * are no options.  An unknown option may take the next word as its value, so both readings
 * count: maybe.  From the end to the beginning, one row of results per pattern word: row[w] is
 * the result of the pattern words from p on against the command's words from w on, next[] the
 * same from p + 1.  Two elements of padding serve row[w + 2].  Wider commands than WIDTH_MAX are
 * MAYBE, to bound the stack.
 */
#define WIDTH_MAX 512

static enum match operands_broadly(struct analysis *b, const struct rule *r, const struct act *a)
{
	enum match row[WIDTH_MAX + 3];
	uint32_t n = a->word_count;

	if (n > WIDTH_MAX)
		return MATCH_MAYBE;
	for (uint32_t w = 0; w < n + 3; w++)
		row[w] = MATCH_YES; /* no pattern words left */
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

/*
 * The program is compared by base name as well: a deny rule on rm also stops ./rm and /bin/rm,
 * and one on /bin/rm also stops rm.
 */
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
 * Could some words of the act be a command of the rule?  Only for programs that may run their
 * words; the start of the command is unknown, so each word is tried.
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

/*
 * ~ without a home directory matches nothing.
 */
bool rules_match_has_place(const struct rule *r, const struct judgement *j)
{
	return j->home.len || !(str_eq(r->path, STR("~")) || str_starts(r->path, STR("~/")));
}

/*
 * The rule's path as an absolute pattern, in the caller's buffer; absent if it is too long.  A
 * pattern that begins with ** is left alone: it applies in every directory.
 */
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
		return STR_NONE;
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

	if (!rules_match_has_place(r, j))
		return MATCH_NO;
	if (!str_is(pattern)) /* too long to compare: everything */
		pattern = STR("/");
	for (uint32_t i = 0; i < a->path_count && m != MATCH_YES; i++) {
		const struct act_path *p = &a->paths[i];
		enum match one;

		if (!is_access(r, p->use) || p->flags & ACT_PATH_HARMLESS)
			continue;
		one = rules_paths_broadly(j->budget, pattern, p);
		/* A name in a listing is not the file itself. */
		if (one == MATCH_MAYBE && !(p->use & ~(unsigned)ACT_LISTS))
			one = MATCH_NO;
		m = MAX(m, one);
	}
	return m;
}

/* A grant for one directory does not apply to another. */
static bool is_in_directory(const struct rule *r, const struct act *a)
{
	return !str_is(r->cwd) || (str_is(a->cwd) && str_eq(r->cwd, a->cwd));
}

/* The file that was approved may be a directory later, and a link may lead elsewhere. */
static bool is_granted_path(const struct rule *r, const struct judgement *j, struct str pattern,
                            const struct act_path *p)
{
	struct act_path as_written = *p;

	as_written.real = p->path;
	return str_eq(pattern, p->path) &&
	       str_eq(p->real, str_is(r->path_real) ? r->path_real : p->path) &&
	       rules_paths_strictly(j->budget, pattern, &as_written);
}

bool rules_match_path_allowed(const struct rule *r, const struct judgement *j, const struct act *a,
                              const struct act_path *p)
{
	char room[PATH_ROOM];
	struct str pattern;

	if (!str_is(r->path) || !rules_match_has_place(r, j) || !is_in_directory(r, a) ||
	    !is_access(r, p->use) || !rules_match_words_strictly(r, j, a) ||
	    (str_is(r->tool) && !word_matches(j->budget, r->tool, a->tool)) || str_is(r->host) ||
	    str_is(r->mcp))
		return false;
	pattern = rule_path(r, j, room, sizeof room);
	if (!str_is(pattern))
		return false;
	return r->source == RULE_GRANT ? is_granted_path(r, j, pattern, p)
	                               : rules_paths_strictly(j->budget, pattern, p);
}

static char lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* No name of a host is longer than this; what a client makes of one is not known. */
#define HOST_MAX 256

/* Names of hosts ignore case, and a trailing dot is the same host. */
bool rules_match_host(struct str pattern, struct str host)
{
	char p[HOST_MAX], h[HOST_MAX];

	while (host.len && host.ptr[host.len - 1] == '.')
		host.len--;
	if (pattern.len > sizeof p || host.len > sizeof h || !host.len)
		return false;
	for (size_t i = 0; i < pattern.len; i++)
		p[i] = lower_char(pattern.ptr[i]);
	for (size_t i = 0; i < host.len; i++)
		h[i] = lower_char(host.ptr[i]);
	return rules_paths_glob_word(NULL, str_of(p, pattern.len), str_of(h, host.len));
}

#define AFTER_PROTOCOL STR("://")

/* The host of tcp://HOST:PORT; neither part contains a colon. */
static struct str host_of_opened(struct str opened)
{
	struct str rest = str_skip(opened, (size_t)str_find(opened, AFTER_PROTOCOL) + 3);

	return str_cut(&rest, ':');
}

/*
 * A rule names a host, with all of its ports, or the protocol and the port too.  A grant covers
 * nothing but the connection that its question showed.
 */
static bool matches_opened(const struct rule *r, struct str opened)
{
	bool is_whole = r->source == RULE_GRANT || str_find(r->host, AFTER_PROTOCOL) >= 0;

	return rules_match_host(r->host, is_whole ? opened : host_of_opened(opened));
}

bool rules_match_host_allowed(const struct rule *r, const struct judgement *j, const struct act *a,
                              struct str opened)
{
	return str_is(r->host) && !str_is(r->path) && !str_is(r->mcp) && is_in_directory(r, a) &&
	       rules_match_words_strictly(r, j, a) && matches_opened(r, opened) &&
	       (!str_is(r->tool) || word_matches(j->budget, r->tool, a->tool));
}

static enum match hosts_broadly(const struct rule *r, const struct act *a)
{
	enum match m = a->has_unknown_host ? MATCH_MAYBE : MATCH_NO;

	for (uint32_t i = 0; i < a->hosts.count; i++) {
		if (rules_match_host(r->host, a->hosts.items[i]))
			return MATCH_YES;
		if (a->hosts.items[i].len > HOST_MAX || r->host.len > HOST_MAX)
			m = MATCH_MAYBE;
	}
	for (uint32_t i = 0; i < a->opened.count; i++) {
		if (rules_match_host(r->host, a->opened.items[i]))
			return MATCH_YES;
		if (a->opened.items[i].len > HOST_MAX)
			m = MATCH_MAYBE;
	}
	return a->opens_unknown && str_find(r->host, AFTER_PROTOCOL) >= 0 ? MATCH_MAYBE : m;
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

/* All members must match; the least certain one decides how certain the whole rule is. */
enum match rules_match_broadly(const struct rule *r, const struct judgement *j, const struct act *a)
{
	enum match m = MATCH_YES;

	/*
	 * A rule on another tool with the same effect applies too, so that a new tool is no way
	 * around a deny rule on an old one.  Allow rules do not get this benefit.
	 */
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

/* A rule allows the pinned tool, a grant the definition that it was given for. */
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
	if (!is_definition(r, a) || !is_in_directory(r, a) || !rules_match_words_strictly(r, j, a))
		return false;
	if (str_is(r->host) && !all_hosts(r, a))
		return false;
	/*
	 * Paths with another access than the rule's do not count against it: with_program() looks
	 * for a rule for each of them.
	 */
	for (uint32_t i = 0; str_is(r->path) && i < a->path_count; i++)
		if (!(a->paths[i].flags & (ACT_PATH_HARMLESS | ACT_PATH_GUESS)) &&
		    is_access(r, a->paths[i].use) &&
		    !rules_match_path_allowed(r, j, a, &a->paths[i]))
			return false;
	return !str_is(r->path) || a->path_count;
}

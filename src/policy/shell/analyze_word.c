/*
 * Possible values of a word at run time, and the paths and hosts in it.
 *
 * A token is known (one exact text), one of at most VALUES_MAX values, or anything.  Every
 * possible value adds its path to the act, so a rule has to allow all of them.
 */
#include "policy/shell/analyze_internal.h"

#include "policy/rules_proc.h"

#define PATHS_MAX 256 /* of one act; more become one unknown path */

/* ---- values ---- */

const struct values *analyze_word_one_value(struct judge *j, struct str text, enum value_kind kind)
{
	struct values *v = ARENA_NEW(j->mem, struct values);

	v->items[0] = (struct value){ text, kind };
	v->count = 1;
	return v;
}

static bool has_value(const struct values *v, const struct value *x)
{
	for (uint32_t i = 0; i < v->count; i++)
		if (v->items[i].kind == x->kind && str_eq(v->items[i].text, x->text))
			return true;
	return false;
}

/* More than VALUES_MAX values are any value: NULL. */
const struct values *analyze_word_join_values(struct judge *j, const struct values *a,
                                              const struct values *b)
{
	struct values *out;

	if (!a || !b)
		return NULL;
	if (a == b)
		return a;
	out = ARENA_NEW(j->mem, struct values);
	*out = *a;
	for (uint32_t i = 0; i < b->count; i++) {
		if (has_value(out, &b->items[i]))
			continue;
		if (out->count == VALUES_MAX)
			return NULL;
		out->items[out->count++] = b->items[i];
	}
	return out;
}

/* Text that an unquoted expansion does not change: no blanks to split at, no wildcards. */
static bool is_inert(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		switch (s.ptr[i]) {
		case ' ':
		case '\t':
		case '\n':
		case '*':
		case '?':
		case '[':
		case ']':
		case '\\':
			return false;
		default:
			break;
		}
	return s.len > 0;
}

/* The possible values of a part; false: any. */
static bool values_of_part(struct judge *j, const struct flow *f, const struct shell_part *p,
                           struct values *ret)
{
	const struct values *v;
	bool is_set;

	ret->count = 0;
	switch (p->kind) {
	case SHELL_LITERAL:
		ret->items[ret->count++] = (struct value){ p->text, VALUE_TEXT };
		return true;
	case SHELL_NUMBER:
		ret->items[ret->count++] = (struct value){ STR("0"), VALUE_NUMBER };
		return true;
	/* An operator such as ${x%y} computes a new value; that is not followed. */
	case SHELL_VARIABLE:
		v = p->op ? NULL : analyze_walk_var_values(j, f, p->text, &is_set);
		if (!v)
			return false;
		for (uint32_t i = 0; i < v->count; i++)
			if (!spend(j, 1 + v->items[i].text.len / 16) ||
			    (!p->is_quoted && v->items[i].kind == VALUE_TEXT &&
			     !is_inert(v->items[i].text)))
				return false;
		*ret = *v;
		return true;
	default:
		return false;
	}
}

/* A number beside text is any text without a slash: a pattern. */
static struct value concat(struct judge *j, struct value a, struct value b)
{
	if (!b.text.len)
		return a;
	if (!a.text.len)
		return b;
	if (!fits(j, a.text.len + b.text.len))
		return a; /* the caller checks the budget */
	if (a.kind == VALUE_NUMBER)
		a = (struct value){ STR("*"), VALUE_PATTERN };
	if (b.kind == VALUE_NUMBER)
		b = (struct value){ STR("*"), VALUE_PATTERN };
	return (struct value){ arena_printf(j->mem, "%.*s%.*s", STR_ARG(a.text), STR_ARG(b.text)),
		               MAX(a.kind, b.kind) };
}

/* The product of the possible values of its parts; NULL: any value. */
static const struct values *values_of_word(struct judge *j, const struct flow *f,
                                           const struct shell_word *w)
{
	struct values *all = ARENA_NEW(j->mem, struct values), *next, part;

	all->items[all->count++] = (struct value){ STR(""), VALUE_TEXT };
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (!spend(j, 4) || !values_of_part(j, f, p, &part) ||
		    all->count * part.count > VALUES_MAX)
			return NULL;
		next = ARENA_NEW(j->mem, struct values);
		for (uint32_t a = 0; a < all->count; a++)
			for (uint32_t b = 0; b < part.count; b++) {
				/* A suffix after a name below a directory cannot be followed. */
				if ((all->items[a].kind == VALUE_BELOW ||
				     all->items[a].kind == VALUE_BARE) &&
				    part.items[b].text.len)
					return NULL;
				next->items[next->count++] =
					concat(j, all->items[a], part.items[b]);
			}
		all = next;
	}
	if (analysis_is_spent(j->budget))
		return NULL;
	if (w->flags & SHELL_GLOB)
		for (uint32_t i = 0; i < all->count; i++)
			if (all->items[i].kind == VALUE_TEXT)
				all->items[i].kind = VALUE_PATTERN;
	return all;
}

static struct str at_home(struct judge *j, struct str text)
{
	return arena_printf(j->mem, "%.*s%.*s", STR_ARG(j->place->home),
	                    STR_ARG(str_skip(text, 1)));
}

/* $(git ls-files) and the like: names below a directory. */
static const struct values *names_of_substitution(struct judge *j, const struct flow *f,
                                                  const struct shell_word *w);

/*
 * From most to least certain: literal, tilde, pattern, variables, names from a substitution.
 * is_literal stays false for everything that depends on a variable or on the home directory.
 */
struct token analyze_word_token_of(struct judge *j, const struct flow *f,
                                   const struct shell_word *w)
{
	struct token t = { .word = w, .text = w->value };

	t.is_many = w->flags & (SHELL_SPLITS | SHELL_GLOB);
	if (!spend(j, 1 + w->value.len / 64))
		return t;
	if (shell_is_known(w)) {
		t.is_known = t.is_literal = true;
		return t;
	}
	if (w->flags & SHELL_TILDE && !(w->flags & (SHELL_DYNAMIC | SHELL_GLOB))) {
		if (!str_is(j->place->home))
			return t;
		t.text = at_home(j, w->value);
		t.is_known = true;
		return t;
	}
	if (w->flags & SHELL_TILDE && w->flags & SHELL_GLOB && !(w->flags & SHELL_DYNAMIC)) {
		if (str_is(j->place->home))
			t.values = analyze_word_one_value(j, at_home(j, w->pattern), VALUE_PATTERN);
		return t;
	}
	if (!(w->flags & SHELL_DYNAMIC)) {
		t.values = analyze_word_one_value(j, w->pattern, VALUE_PATTERN);
		return t;
	}
	if (w->flags & (SHELL_ARRAY | SHELL_TILDE | SHELL_OPEN))
		return t;
	t.values = values_of_word(j, f, w);
	if (!t.values)
		t.values = names_of_substitution(j, f, w);
	if (t.values && t.values->count == 1 && t.values->items[0].kind == VALUE_TEXT) {
		t.text = t.values->items[0].text;
		t.is_known = true;
		t.is_many = false;
	} else if (t.values && !(w->flags & SHELL_GLOB)) {
		bool is_one = true;

		for (uint32_t i = 0; i < t.values->count; i++)
			is_one &= t.values->items[i].kind != VALUE_BELOW &&
			          t.values->items[i].kind != VALUE_BARE;
		t.is_many &= !is_one;
	}
	return t;
}

struct token analyze_word_made_token(struct str text)
{
	return (struct token){ .text = text, .is_known = true, .is_literal = true };
}

/*
 * Evaluates the substitution separately, only for its output.  Its acts go to a list that is
 * thrown away: the walk has listed them already, and twice would ask twice.
 */
static const struct values *names_of_substitution(struct judge *j, const struct flow *f,
                                                  const struct shell_word *w)
{
	const struct shell_part *p = w->parts;
	const struct shell_node *n;
	struct shell_acts none = { 0 };
	struct judge apart = *j;
	struct command *c;
	struct token *tokens;
	uint32_t i = 0;

	if (!p || p->next || p->kind != SHELL_COMMAND || !p->body || p->body->first->next)
		return NULL;
	n = p->body->first;
	if (n->kind != SHELL_SIMPLE || n->assigns || !n->words || j->depth >= JUDGE_DEPTH_MAX)
		return NULL;
	for (const struct shell_redir *d = n->redirs; d; d = d->next)
		if (d->fd != 2)
			return NULL;
	if (!shell_is_known(n->words))
		return NULL;
	if (!programs_find(n->words->value))
		return NULL;
	apart.out = &none;
	apart.depth++;
	tokens = ARENA_ARRAY(j->mem, struct token, n->word_count);
	for (const struct shell_word *x = n->words; x; x = x->next)
		tokens[i++] = analyze_word_token_of(&apart, f, x);
	c = analyze_begin_command(&apart, tokens, i, f, 0, -1);
	analyze_command(&apart, c);
	return c->act->flags & ACT_READ_ONLY && none.count == 1 ? c->names : NULL;
}

/* ---- queries ---- */

/*
 * Errs towards true: a word that may begin with a dash may be an option, and options change
 * what a program does.
 */
bool analyze_word_may_lead_dash(const struct token *t)
{
	if (t->is_known)
		return t->text.len && t->text.ptr[0] == '-';
	if (t->values) {
		for (uint32_t i = 0; i < t->values->count; i++) {
			struct str s = t->values->items[i].text;

			if (!s.len || strchr("-*?[", s.ptr[0]) ||
			    t->values->items[i].kind == VALUE_BARE)
				return true;
		}
		return false;
	}
	if (t->is_many || !t->word || !t->word->parts)
		return true;

	const struct shell_part *p = t->word->parts;

	while (p && p->kind == SHELL_LITERAL && !p->text.len)
		p = p->next;
	return !p || p->kind != SHELL_LITERAL || p->text.ptr[0] == '-';
}

bool analyze_word_is_word(const struct command *c, uint32_t i, const char *text)
{
	return i < c->n && c->w[i].is_known && str_eq(c->w[i].text, str_from(text));
}

bool analyze_word_starts_with(const struct command *c, uint32_t i, const char *text)
{
	return i < c->n && c->w[i].is_known && str_starts(c->w[i].text, str_from(text));
}

/* ---- paths ---- */

/* Absolute, without . and ..; absent when .. follows a wildcard, because its base is unknown. */
struct str analyze_word_resolve(struct judge *j, struct str dir, struct str text)
{
	if (!fits(j, dir.len + text.len))
		return STR_NONE;
	return rules_paths_resolve(j->mem, dir, text);
}

/* The array doubles at powers of two, so no capacity is stored. */
static struct act_path *new_path(struct judge *j, struct act *a)
{
	if (a->path_count && !(a->path_count & (a->path_count - 1)))
		a->paths = arena_grow(j->mem, a->paths, a->path_count * sizeof *a->paths,
		                      2 * a->path_count * sizeof *a->paths);
	else if (!a->path_count)
		a->paths = ARENA_NEW(j->mem, struct act_path);
	return &a->paths[a->path_count++];
}

/* One more than PATHS_MAX is kept: it represents all that follow. */
static void add_unknown(struct judge *j, struct command *c, struct str given, int word,
                        unsigned use, unsigned flags)
{
	struct act *a = c->act;

	if (a->path_count > PATHS_MAX)
		return;
	*new_path(j, a) = (struct act_path){ .given = given,
		                             .path = given,
		                             .real = given,
		                             .use = use,
		                             .flags = flags | ACT_PATH_UNKNOWN,
		                             .word = word };
}

/* Only in these directories a guessed path is worth a question. */
static bool is_homely(const struct judge *j, struct str path)
{
	struct str home = j->place->home;

	return str_starts(path, STR("/home/")) || str_starts(path, STR("/root")) ||
	       str_starts(path, STR("/Users/")) || (home.len > 1 && str_starts(path, home));
}

/* These directories contain private parts. */
static bool holds_others(struct str path)
{
	static const char *const dirs[] = { "/", "/etc", "/proc", "/dev", "/run", "/var" };

	for (size_t i = 0; i < COUNT_OF(dirs); i++)
		if (str_eq(path, str_from(dirs[i])))
			return true;
	return false;
}

/* Resolves links up to the first wildcard; the names that it matches are unknown. */
static struct str real_of(struct judge *j, struct str dir, struct str text, bool is_pattern)
{
	struct str whole = str_starts(text, STR("/"))
	                           ? text
	                           : arena_printf(j->mem, "%.*s/%.*s", STR_ARG(dir), STR_ARG(text));
	size_t end = whole.len;
	struct str head;

	if (!spend(j, REAL_STEPS + whole.len / 4))
		return STR_NONE;

	for (size_t i = 0; is_pattern && i < end; i++)
		if (strchr("*?[", whole.ptr[i]))
			end = i;
	while (is_pattern && end && end < whole.len && whole.ptr[end - 1] != '/')
		end--;
	head = j->place->real(j->place->owner, j->mem, end > 1 ? str_head(whole, end) : STR("/"));
	if (!str_is(head) || end == whole.len)
		return head;
	return arena_printf(j->mem, "%.*s/%.*s", STR_ARG(str_eq(head, STR("/")) ? STR("") : head),
	                    STR_ARG(str_skip(whole, end)));
}

struct str analyze_word_real(struct judge *j, struct str dir, struct str text)
{
	return j->place->real ? real_of(j, dir, text, false) : STR_NONE;
}

/*
 * Classifies the path by its text and by its target.  A guess is not looked up in the file
 * system: there may be hundreds in one line, and most are no paths.
 */
static void add_resolved(struct judge *j, struct command *c, struct str dir, struct str text,
                         int word, unsigned use, unsigned flags)
{
	struct str path = analyze_word_resolve(j, dir, text), real = STR_NONE, rest;
	unsigned place;

	if (!str_is(path) || c->act->path_count >= PATHS_MAX || path.len > RULES_PATH_MAX ||
	    !spend(j, rules_paths_place_steps(path))) {
		add_unknown(j, c, text, word, use, flags);
		return;
	}
	place = rules_paths_place(path, j->place->home, j->roots, j->root_count);
	if (rules_proc_way(dir, text, &rest)) {
		/* Another process would resolve it to something of its own. */
		place = (place & ~(unsigned)ACT_PATH_HARMLESS) | ACT_PATH_SECRET |
		        ACT_PATH_PROTECTED;
		flags |= ACT_PATH_UNKNOWN;
		real = path;
	} else if (j->place->real && !(flags & ACT_PATH_GUESS) && !(place & ACT_PATH_HARMLESS))
		real = real_of(j, dir, text, flags & ACT_PATH_PATTERN);
	else
		real = path;
	if (!str_is(real)) /* its target is not known */
		flags |= ACT_PATH_UNKNOWN;
	else if (!str_eq(real, path))
		place = rules_paths_place_behind(place, real, j->place->home, j->roots,
		                                 j->root_count);
	if (flags & ACT_PATH_DEEP && holds_others(path))
		place |= ACT_PATH_PERSONAL;
	if (flags & ACT_PATH_GUESS && !is_homely(j, path))
		place &= ~(unsigned)ACT_PATH_PERSONAL;
	*new_path(j, c->act) = (struct act_path){ .given = text,
		                                  .path = path,
		                                  .real = str_is(real) ? real : path,
		                                  .use = use,
		                                  .flags = flags | place,
		                                  .word = word };
}

/* /proc/self/cwd/REST: REST in the directory of the command. */
static void add_own_path(struct judge *j, struct command *c, struct str text, struct str rest,
                         int word, unsigned use, unsigned flags)
{
	uint32_t from = c->act->path_count;

	if (!c->flow.dir_count)
		add_unknown(j, c, text, word, use, flags);
	for (uint32_t i = 0; i < c->flow.dir_count; i++)
		add_resolved(j, c, c->flow.dirs[i], rest.len ? rest : STR("."), word, use, flags);
	for (; from < c->act->path_count; from++)
		c->act->paths[from].given = text;
}

static struct str plain_host(struct str host);

#define PORT_MAX 65535

/*
 * The one spelling that rules know: decimal, without leading zeros.  Absent when the port is not
 * known: the name of a service depends on the machine, and a larger number is taken modulo 65536.
 */
static struct str plain_port(struct str s)
{
	unsigned port = 0;

	while (s.len > 1 && s.ptr[0] == '0')
		s = str_skip(s, 1);
	for (size_t i = 0; i < s.len && port <= PORT_MAX; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return STR_NONE;
		port = port * 10 + (unsigned)(s.ptr[i] - '0');
	}
	return s.len && port <= PORT_MAX ? s : STR_NONE;
}

/* A name with a dot at its end is the same host. */
static struct str without_dots(struct str host)
{
	while (host.len && host.ptr[host.len - 1] == '.')
		host.len--;
	return host;
}

/* way: HOST/PORT behind /dev/tcp/ or /dev/udp/. */
static void open_connection(struct judge *j, struct command *c, const char *protocol,
                            struct str way)
{
	struct str rest = way, host = str_cut(&rest, '/'), plain = plain_host(host);
	struct str port = plain_port(rest);

	analyze_word_add_host(j, c, host);
	if (!str_is(plain) || !str_eq(plain, without_dots(host)) || !str_is(port)) {
		c->act->opens_unknown = true;
		return;
	}
	rec_list_str_add(
		j->mem, &c->act->opened,
		arena_printf(j->mem, "%s://%.*s:%.*s", protocol, STR_ARG(plain), STR_ARG(port)));
}

/* A relative path counts once for every directory that the shell may be in. */
void analyze_word_add_text_path(struct judge *j, struct command *c, struct str text, int word,
                                unsigned use, unsigned flags)
{
	struct str rest;

	/* The shell opens these itself: network connections, not files. */
	if (flags & ACT_PATH_REDIRECTED &&
	    (str_starts(text, STR("/dev/tcp/")) || str_starts(text, STR("/dev/udp/")))) {
		open_connection(j, c, text.ptr[5] == 't' ? "tcp" : "udp", str_skip(text, 9));
		analyze_unsafe(c, STR("send"), STR("it opens a network connection"));
		c->act->flags |= ACT_NETWORK;
		return;
	}
	if (!text.len)
		return; /* no program opens an empty name */
	if (str_starts(text, STR("/")) &&
	    rules_proc_way(STR("/"), text, &rest) == RULES_WAY_OWN_DIRECTORY) {
		add_own_path(j, c, text, rest, word, use, flags);
		return;
	}
	if (str_starts(text, STR("/"))) {
		add_resolved(j, c, STR("/"), text, word, use, flags);
		return;
	}
	if (!c->flow.dir_count)
		add_unknown(j, c, text, word, use, flags);
	for (uint32_t i = 0; i < c->flow.dir_count; i++)
		add_resolved(j, c, c->flow.dirs[i], text, word, use, flags);
}

void analyze_word_add_path(struct judge *j, struct command *c, const struct token *t, int word,
                           unsigned use, unsigned flags)
{
	if (t->is_known) {
		analyze_word_add_text_path(j, c, t->text, word, use, flags);
		return;
	}
	/* <(…) is a pipe to a command that is evaluated separately. */
	if (t->word && t->word->parts && !t->word->parts->next &&
	    t->word->parts->kind == SHELL_PROCESS)
		return;
	if (!t->values) {
		add_unknown(j, c, t->text, word, use, flags);
		return;
	}
	for (uint32_t i = 0; i < t->values->count; i++) {
		const struct value *v = &t->values->items[i];
		unsigned more = v->kind == VALUE_PATTERN ? ACT_PATH_PATTERN
		                : v->kind == VALUE_BELOW ? ACT_PATH_DEEP | ACT_PATH_LISTED
		                : v->kind == VALUE_BARE  ? ACT_PATH_DEEP | ACT_PATH_LISTED
		                                         : 0;

		analyze_word_add_text_path(j, c, v->text, word, use, flags | more);
	}
}

void analyze_word_add_word_path(struct judge *j, struct command *c, uint32_t i, unsigned use,
                                unsigned flags)
{
	analyze_word_add_path(j, c, &c->w[i], (int)i, use, flags);
}

void analyze_word_add_current(struct judge *j, struct command *c, unsigned use, unsigned flags)
{
	analyze_word_add_text_path(j, c, STR("."), -1, use, flags);
}

#define PARTS_MAX 8

/* dir:/mount and a,b: each part may be a path.  A text with blanks is prose. */
static void add_parts(struct judge *j, struct command *c, struct str s, int word)
{
	size_t start = 0, parts = 0;

	if (str_find(s, STR("://")) >= 0 || str_find_char(s, ' ') >= 0 ||
	    (str_find_char(s, ':') < 0 && str_find_char(s, ',') < 0))
		return;
	for (size_t i = 0; i <= s.len && parts < PARTS_MAX; i++) {
		if (i < s.len && s.ptr[i] != ':' && s.ptr[i] != ',')
			continue;
		if (i > start + 1)
			analyze_word_add_text_path(j, c, str_of(s.ptr + start, i - start), word,
			                           ACT_READS, ACT_PATH_GUESS);
		parts++;
		start = i + 1;
	}
}

/*
 * Tries the ways in which programs take a file in an argument: --opt=file, -Ifile, key=file,
 * @file, file://.  The result only matters if it names a sensitive place (is_free() in
 * rules_evaluate.c).
 */
void analyze_word_add_guess(struct judge *j, struct command *c, uint32_t i)
{
	const struct token *t = &c->w[i];
	struct str s = t->text;
	ptrdiff_t at;

	if (!t->is_known) {
		if (t->values)
			analyze_word_add_word_path(j, c, i, ACT_READS, ACT_PATH_GUESS);
		return;
	}
	if (s.len > 1 && s.ptr[0] == '-') {
		at = str_find_char(s, '=');
		/* -f.env, -I/etc and -vI/etc, not -rf. */
		if (at < 0 && s.ptr[1] != '-' && s.len > 2) {
			if (str_find_char(s, '/') > 2)
				analyze_word_add_text_path(
					j, c, str_skip(s, (size_t)str_find_char(s, '/')), (int)i,
					ACT_READS, ACT_PATH_GUESS);
			at = str_find_char(s, '/') > 0 || str_find_char(s, '.') > 0 ||
			                     str_find_char(s, '~') > 0
			             ? 1
			             : -1;
		}
		if (at < 0)
			return;
		s = str_skip(s, (size_t)at + 1);
	} else if ((at = str_find_char(s, '=')) > 0 &&
	           str_find_char(str_head(s, (size_t)at), '/') < 0) {
		analyze_word_add_text_path(j, c, s, (int)i, ACT_READS, ACT_PATH_GUESS);
		s = str_skip(s, (size_t)at + 1);
	}
	if (str_starts(s, STR("@"))) /* curl and similar read files this way */
		s = str_skip(s, 1);
	if (str_starts(s, STR("file://")))
		s = str_skip(s, 7);
	if ((str_eq(s, STR("~")) || str_starts(s, STR("~/"))) && str_is(j->place->home))
		s = at_home(j, s);
	if (s.len && s.len < 4096) {
		analyze_word_add_text_path(j, c, s, (int)i, ACT_READS, ACT_PATH_GUESS);
		add_parts(j, c, s, (int)i);
	}
}

/* ---- hosts ---- */

/* 127.1, 0x7f.1 and 2130706433 are 127.0.0.1: only four plain numbers are an address. */
static bool is_odd_number(struct str s)
{
	unsigned numbers = 0, others = 0;

	while (str_is(s)) {
		struct str part = str_cut(&s, '.');
		bool is_number = part.len && part.ptr[0] >= '0' && part.ptr[0] <= '9';

		if (str_starts(part, STR("0")) && part.len > 1)
			return true; /* octal or hexadecimal */
		for (size_t i = 0; i < part.len; i++)
			is_number &= part.ptr[i] >= '0' && part.ptr[i] <= '9';
		numbers += is_number;
		others += !is_number;
	}
	return !others && numbers != 4;
}

/*
 * Letters, digits and a few marks.  Clients expand {a,b} and [1-9], decode %2e and map other
 * characters, so that a name with these may be any host.
 */
static bool is_plain_host(struct str s)
{
	bool is_v6 = str_find_char(s, ':') >= 0;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '-' || c == '_' || (is_v6 && c == ':')))
			return false;
	}
	return s.len && (is_v6 || !is_odd_number(s));
}

/* Of user@host:port and [v6]:port; absent when it may be any host. */
static struct str plain_host(struct str s)
{
	for (size_t i = s.len; i; i--)
		if (s.ptr[i - 1] == '@') {
			s = str_skip(s, i);
			break;
		}
	if (str_starts(s, STR("["))) {
		ptrdiff_t end = str_find_char(s, ']');

		s = end < 0 ? s : str_of(s.ptr + 1, (size_t)end - 1);
	} else if (str_find_char(s, ':') >= 0) {
		s = str_head(s, (size_t)str_find_char(s, ':'));
	}
	s = without_dots(s);
	return is_plain_host(s) ? s : STR_NONE;
}

void analyze_word_add_host(struct judge *j, struct command *c, struct str host)
{
	struct str s = plain_host(host);

	if (!str_is(s)) {
		c->act->has_unknown_host = true;
		return;
	}
	if (rec_list_str_find(&c->act->hosts, s) < 0 && c->act->hosts.count < 64)
		rec_list_str_add(j->mem, &c->act->hosts, s);
}

bool analyze_word_add_hosts_of(struct judge *j, struct command *c, uint32_t i)
{
	struct str s = c->w[i].text;
	ptrdiff_t at = str_find(s, STR("://"));

	if (!c->w[i].is_known) {
		c->act->has_unknown_host = true;
		return true;
	}
	if (at > 0) {
		s = str_skip(s, (size_t)at + 3);
		/*
		 * A backslash ends the host too: some clients read it as a slash, and a rule on the
		 * part before it must not be evaded.  For others the host is another one.
		 */
		for (size_t k = 0; k < s.len; k++)
			if (strchr("/?#\\", s.ptr[k])) {
				c->act->has_unknown_host |= s.ptr[k] == '\\';
				s.len = k;
				break;
			}
		analyze_word_add_host(j, c, s);
		return true;
	}
	/* git@host:path */
	at = str_find_char(s, ':');
	if (at > 0 && str_find_char(str_head(s, (size_t)at), '@') > 0 &&
	    str_find_char(str_head(s, (size_t)at), '/') < 0) {
		analyze_word_add_host(j, c, str_head(s, (size_t)at));
		return true;
	}
	return false;
}

/*
 * Analyses one simple command: its name, its row in the table of programs, its options and
 * operands.
 *
 *   analyze_line ─► walk (analyze_walk.c) ─► analyze_command ─► table row ─► options, operands
 *                                              ▲                  │
 *                                              └── wrappers ◄─────┘ run words or a text
 *
 * Each command becomes one act, and a wrapper is appended before the commands it runs.
 * Whatever is not certain moves an act in one direction only: from read-only to unsafe to
 * opaque.
 */
#include "policy/shell/analyze_internal.h"

/* ---- acts ---- */

/*
 * Beyond the limit the act exists but is not listed, so that callers need no check; is_full
 * makes the whole line opaque at the end.
 */
static struct act *new_act(struct judge *j, int outer, unsigned context)
{
	/* A function or a trap runs at a time that is not followed, with the input of that time. */
	const unsigned steers = SHELL_HAS_INPUT | SHELL_IN_FUNCTION | SHELL_IN_TRAP;

	struct shell_acts *out = j->out;
	struct act *a = ARENA_NEW(j->mem, struct act);

	a->tool = STR("shell");
	a->outer = outer;
	a->context = context;
	a->flags = context & steers || j->is_steered || j->is_flowless ? ACT_STEERED : 0;
	if (out->count == SHELL_ACTS_MAX) {
		j->is_full = true;
		return a;
	}
	if (out->count == out->cap) {
		uint32_t cap = out->cap ? out->cap * 2 : 8;

		out->items = arena_grow(j->mem, out->items, out->cap * sizeof *out->items,
		                        cap * sizeof *out->items);
		out->cap = cap;
	}
	out->items[out->count++] = a;
	return a;
}

/* A link in a directory of the line may lead elsewhere next time; the start directory has none. */
static struct str real_directory(struct judge *j, struct str dir)
{
	return j->place->real && !str_eq(dir, j->place->cwd) ? analyze_word_real(j, STR("/"), dir)
	                                                     : dir;
}

/* outer is the index of the wrapper that runs it, or -1. */
struct command *analyze_begin_command(struct judge *j, struct token *w, uint32_t n,
                                      const struct flow *f, unsigned context, int outer)
{
	struct command *c = ARENA_NEW(j->mem, struct command);

	c->w = w;
	c->n = n;
	c->flow = *f;
	c->context = context;
	c->act = new_act(j, outer, context);
	/* A grant is bound to a directory only if exactly one is possible, by its real name. */
	if (f->dir_count == 1)
		c->act->cwd = real_directory(j, f->dirs[0]);
	c->index = (int)j->out->count - 1;
	c->act->words = ARENA_ARRAY(j->mem, struct act_word, n + 1);
	c->act->word_count = n;
	for (uint32_t i = 0; i < n; i++) {
		spend(j, 1 + w[i].text.len / 16);
		c->act->words[i].text = w[i].text;
		c->act->words[i].flags =
			(w[i].is_known ? ACT_WORD_KNOWN : 0) | (w[i].is_many ? ACT_WORD_MANY : 0);
	}
	c->operands = ARENA_ARRAY(j->mem, uint32_t, n + 1);
	return c;
}

void analyze_add_opaque(struct judge *j, struct str text, struct str why, unsigned context)
{
	struct act *a = new_act(j, -1, context);

	a->words = ARENA_NEW(j->mem, struct act_word);
	a->words[0].text = str_head(text, 200);
	a->word_count = 1;
	a->flags |= ACT_OPAQUE | ACT_RUNS_CODE;
	a->effect = STR("unknown");
	a->why = why;
}

/* ---- notes ---- */

/* The first reason is kept: it belongs to the word that comes first in the command. */
void analyze_set_why(struct command *c, struct str why)
{
	if (!str_is(c->act->why))
		c->act->why = why;
}

void analyze_unsafe(struct command *c, struct str effect, struct str why)
{
	c->act->flags &= ~(unsigned)(ACT_READ_ONLY | ACT_NEUTRAL);
	if (!str_is(c->act->effect) || str_eq(c->act->effect, STR("read")))
		c->act->effect = effect;
	analyze_set_why(c, why);
}

void analyze_opaque(struct command *c, struct str why)
{
	c->act->flags &= ~(unsigned)(ACT_READ_ONLY | ACT_NEUTRAL | ACT_COMPLETE);
	c->act->flags |= ACT_OPAQUE;
	if (!str_is(c->act->effect) || str_eq(c->act->effect, STR("read")))
		c->act->effect = STR("unknown");
	c->act->why = why; /* the most serious reason wins */
}

/* Takes back the flags of the row, unless an option has set another effect. */
void analyze_read_only(struct command *c)
{
	struct act *a = c->act;

	if (a->flags & ACT_OPAQUE)
		return;
	for (uint32_t i = 0; i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST)
			return;

	a->flags &= ~(unsigned)(ACT_NETWORK | ACT_SYSTEM | ACT_RUNS_CODE | ACT_DESTRUCTIVE);
	a->flags |= ACT_READ_ONLY | ACT_COMPLETE;
	a->effect = STR("read");
	a->why = STR_NONE;
	a->rollback = STR_NONE;
}

struct str analyze_explain(struct judge *j, const struct command *c, uint32_t i, const char *what)
{
	return arena_printf(j->mem, "%.*s %s", STR_ARG(str_head(c->w[i].text, 80)), what);
}

void analyze_twist(struct judge *j, struct command *c, uint32_t i, const char *what)
{
	c->act->words[i].flags |= ACT_WORD_TWIST;
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	analyze_unsafe(c, STR("execute"), analyze_explain(j, c, i, what));
}

/* ---- options ---- */

bool analyze_in_list(const char *list, struct str name, bool is_long)
{
	struct str rest = str_from(list), word;

	if (!list || !name.len)
		return false;
	while (str_is(rest)) {
		word = str_cut(&rest, ' ');
		if (!word.len || (word.len == 1) == is_long)
			continue;
		/*
		 * A long option may be shortened: --outp is --output.  An ambiguous prefix matches
		 * too; for the program that is an error, so nothing is lost.
		 */
		if (is_long ? str_starts(word, name) : str_eq(word, name))
			return true;
	}
	return false;
}

/* What an option does with a value. */
enum role { ROLE_FLAG, ROLE_TEXT, ROLE_READS, ROLE_WRITES };

bool analyze_is_among(const char *list, struct str name)
{
	struct str rest = str_from(list);

	while (list && str_is(rest))
		if (str_eq(str_cut(&rest, ' '), name))
			return true;
	return false;
}

static enum role role_of(const struct program *p, struct str name, bool is_long)
{
	if (!p)
		return ROLE_FLAG;
	if (analyze_in_list(p->writes, name, is_long))
		return ROLE_WRITES;
	if (analyze_in_list(p->reads, name, is_long))
		return ROLE_READS;
	if (!analyze_in_list(p->values, name, is_long))
		return ROLE_FLAG;
	/* --color is no shortened --colors where the program has both. */
	return is_long && analyze_is_among(p->flags, name) ? ROLE_FLAG : ROLE_TEXT;
}

/*
 * One cluster of short options: does it have one of the letters?  A letter with a value ends it;
 * ret_takes_next says whether the value is the next word.
 */
static bool cluster_has(const struct program *p, struct str s, const char *letters,
                        bool *ret_takes_next)
{
	for (size_t k = 1; k < s.len; k++) {
		if (strchr(letters, s.ptr[k]))
			return true;
		if (role_of(p, str_of(s.ptr + k, 1), false)) {
			*ret_takes_next = k + 1 == s.len;
			return false;
		}
	}
	return false;
}

/*
 * Anywhere among the words, since most programs accept options after operands.  Values of other
 * options are left out: the c in "gzip -S.c" is no -c.
 */
bool analyze_has_flag(const struct command *c, const char *letters, const char *long_name)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;
		bool takes_next = false;

		if (!c->w[i].is_known || s.len < 2 || s.ptr[0] != '-')
			continue;
		if (s.ptr[1] == '-') {
			struct str value = str_skip(s, 2), name = str_cut(&value, '=');

			if (s.len == 2)
				return false;
			if (long_name && s.len > 3 && str_starts(str_from(long_name), name))
				return true;
			takes_next = !str_is(value) && role_of(c->program, name, true);
		} else if (cluster_has(c->program, s, letters, &takes_next)) {
			return true;
		}
		i += takes_next;
	}
	return false;
}

void analyze_by_option(struct command *c, uint32_t from, uint32_t option)
{
	for (uint32_t i = from; i < c->act->path_count; i++)
		c->act->paths[i].option = option;
}

static bool is_stdin(const struct command *c, uint32_t i)
{
	return analyze_word_is_word(c, i, "-");
}

/*
 * The paths from `from` on are the value of the option at word i.  A program that only reads
 * writes them because of this option, and a rule on the program does not mean that.
 */
static void note_value(struct judge *j, struct command *c, const struct program *p, uint32_t from,
                       uint32_t i, enum role role)
{
	if (role != ROLE_WRITES)
		return;
	if (!(p->kind & (P_WRITES | P_COPIES | P_DELETES | P_RUNS)))
		analyze_by_option(c, from, i);
	analyze_unsafe(c, STR("write"), analyze_explain(j, c, i, "writes a file"));
}

/* Option at word i without its value attached: the next word is the value. */
static uint32_t take_value(struct judge *j, struct command *c, const struct program *p, uint32_t i,
                           enum role role)
{
	uint32_t before = c->act->path_count;

	if (i + 1 >= c->n)
		return i;
	c->act->words[i + 1].flags |= ACT_WORD_VALUE;
	if (c->w[i + 1].is_many && role != ROLE_WRITES) /* several words: the rest is unknown */
		analyze_twist(j, c, i + 1, "may become several words");
	if (role == ROLE_TEXT)
		analyze_word_add_guess(j, c, i + 1);
	else if (role == ROLE_WRITES || !is_stdin(c, i + 1))
		analyze_word_add_word_path(j, c, i + 1,
		                           role == ROLE_WRITES ? ACT_WRITES : ACT_READS, 0);
	note_value(j, c, p, before, i, role);
	return i + 1;
}

/* The value is a part of word i. */
static void take_attached(struct judge *j, struct command *c, const struct program *p, uint32_t i,
                          struct str value, enum role role)
{
	uint32_t before = c->act->path_count;

	if (role == ROLE_TEXT || role == ROLE_FLAG)
		analyze_word_add_guess(j, c, i);
	else if (role == ROLE_WRITES || !str_eq(value, STR("-")))
		analyze_word_add_text_path(j, c, value, (int)i,
		                           role == ROLE_WRITES ? ACT_WRITES : ACT_READS, 0);
	note_value(j, c, p, before, i, role);
}

/* Both return the index of the last word that the option takes. */
static uint32_t scan_long(struct judge *j, struct command *c, const struct program *p, uint32_t i)
{
	struct str value = str_skip(c->w[i].text, 2), name = str_cut(&value, '=');
	enum role role = role_of(p, name, true);

	/* Some programs do not distinguish --w from -w. */
	if (analyze_in_list(p->bad, name, true) ||
	    (name.len == 1 && analyze_in_list(p->bad, name, false)))
		analyze_twist(j, c, i, "makes it do something else");
	if (str_is(value))
		take_attached(j, c, p, i, value, role);
	else if (role)
		return take_value(j, c, p, i, role);
	return i;
}

/*
 * A letter with a value takes the rest of the cluster: -n5, -ofile.  A letter that the row does
 * not list is a harmless flag by the definition of a row.
 */
static uint32_t scan_short(struct judge *j, struct command *c, const struct program *p, uint32_t i)
{
	struct str s = c->w[i].text;

	for (size_t k = 1; k < s.len && spend(j, LETTER_STEPS); k++) {
		struct str letter = str_of(s.ptr + k, 1), rest = str_skip(s, k + 1);
		enum role role = role_of(p, letter, false);

		if (analyze_in_list(p->bad, letter, false))
			analyze_twist(j, c, i, "makes it do something else");
		if (role && !rest.len)
			return take_value(j, c, p, i, role);
		if (role) {
			take_attached(j, c, p, i, rest, role);
			return i;
		}
	}
	if (s.len > 2)
		analyze_word_add_guess(j, c, i);
	/* -Idir of a program whose options are not known. */
	if (s.len > 4 && p->kind & P_RUNS)
		analyze_word_add_text_path(j, c, str_skip(s, 2), (int)i, ACT_READS, ACT_PATH_GUESS);
	return i;
}

/*
 * A word that may begin with a dash.  A wildcard matches names in a directory, so as an option
 * of a program that writes anyway it can only name another place there.
 */
static void take_doubtful(struct judge *j, struct command *c, const struct program *p, uint32_t i)
{
	bool writes_anyway = p->kind & (P_WRITES | P_COPIES | P_RUNS);

	if (p->bad || (p->writes && !(writes_anyway && (c->w[i].values || p->kind & P_RUNS))))
		analyze_twist(j, c, i, "may turn out to be an option");
	else if (p->writes)
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP | ACT_PATH_GUESS);
}

void analyze_scan_options(struct judge *j, struct command *c, const struct program *p,
                          uint32_t from)
{
	for (uint32_t i = from; i < c->n; i++) {
		const struct token *t = &c->w[i];

		if (!c->has_ended && t->is_known && str_eq(t->text, STR("--"))) {
			c->has_ended = true;
		} else if (c->has_ended ||
		           (t->is_known && (t->text.len < 2 || t->text.ptr[0] != '-'))) {
			c->operands[c->operand_count++] = i;
		} else if (!t->is_known) {
			if (analyze_word_may_lead_dash(t))
				take_doubtful(j, c, p, i);
			c->operands[c->operand_count++] = i;
		} else if (t->text.ptr[1] == '-') {
			i = scan_long(j, c, p, i);
		} else {
			i = scan_short(j, c, p, i);
		}
	}
}

/* ---- operands ---- */

/* A pattern that the program could read as an option, and thus as a file. */
static void take_first_text(struct judge *j, struct command *c, uint32_t i)
{
	if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i]) && !c->has_ended)
		analyze_word_add_word_path(j, c, i, ACT_READS, 0);
}

static unsigned use_of(unsigned kind)
{
	return (kind & P_READS ? ACT_READS : 0) | (kind & P_LISTS ? ACT_LISTS : 0) |
	       (kind & P_WRITES ? ACT_WRITES : 0) | (kind & P_DELETES ? ACT_DELETES : 0);
}

/*
 * -r and -R make the access recursive for every kind of program, so no row has to say it.  -e,
 * -f and --regexp supply the pattern, and then the first operand of grep is a file already.
 */
void analyze_take_operands(struct judge *j, struct command *c, const struct program *p)
{
	unsigned deep = p->kind & P_DEEP || (p->kind & (P_READS | P_WRITES | P_DELETES) &&
	                                     analyze_has_flag(c, "rR", "recursive"))
	                        ? ACT_PATH_DEEP
	                        : 0;
	bool has_text = analyze_has_flag(c, "ef", "regexp") || analyze_has_flag(c, "", "file");
	uint32_t paths = 0;

	if (p->kind & P_TEXT || !use_of(p->kind))
		return;
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];

		if (!k && p->kind & P_FIRST_TEXT && !has_text) {
			take_first_text(j, c, i);
			continue;
		}
		paths++;
		if (!is_stdin(c, i))
			analyze_word_add_word_path(j, c, i, use_of(p->kind), deep);
	}
	/* ls, and grep -r, work on the current directory when no operand names one. */
	if (!paths && (p->kind & P_NEEDS || (deep && p->kind & P_READS)))
		analyze_word_add_current(j, c, use_of(p->kind), deep);
}

/* A filter without file operands passes on the names that it reads. */
static void note_names(struct command *c, const struct program *p)
{
	if (p->kind & P_FILTER && !c->operand_count)
		c->names = c->input;
}

/* The strongest kind names the effect; the order is by what a person most needs to know. */
static struct str effect_of(unsigned kind)
{
	return kind & P_INSTALLS                 ? STR("install")
	       : kind & (P_DELETES | P_DESTROYS) ? STR("delete")
	       : kind & P_SYSTEM                 ? STR("change")
	       : kind & P_NETWORK                ? STR("send")
	       : kind & P_RUNS                   ? STR("execute")
	       : kind & (P_WRITES | P_COPIES)    ? STR("write")
	                                         : STR("read");
}

static const char *why_of(unsigned kind)
{
	return kind & P_ELEVATES              ? "takes more rights"
	       : kind & P_DESTROYS            ? "destroys what it is given"
	       : kind & P_INSTALLS            ? "installs software"
	       : kind & P_SYSTEM              ? "changes the system"
	       : kind & P_NETWORK             ? "uses the network"
	       : kind & P_RUNS                ? "runs code that is not seen here"
	       : kind & P_DELETES             ? "deletes files"
	       : kind & (P_WRITES | P_COPIES) ? "writes files"
	                                      : NULL;
}

static struct str rollback_of(unsigned kind)
{
	if (kind & (P_DELETES | P_DESTROYS))
		return STR("restore from version control or a backup; what is in neither is gone");
	if (kind & P_INSTALLS)
		return STR(
			"uninstall what was added, and restore the lock file from version control");
	if (kind & P_SYSTEM)
		return STR("the old state has to be set again by hand");
	if (kind & (P_WRITES | P_COPIES))
		return STR("restore the files from version control or from the turn's checkpoint");
	return STR_NONE;
}

/*
 * The flags that follow from the kind alone.  Programs that run code, install, use the network
 * or change the system have effects beyond their operands, so they are never "complete".
 */
void analyze_apply_kind(struct judge *j, struct command *c, unsigned kind)
{
	struct act *a = c->act;
	const char *why = why_of(kind);

	a->effect = effect_of(kind);
	a->rollback = rollback_of(kind);
	if (kind & P_NETWORK)
		a->flags |= ACT_NETWORK;
	if (kind & P_SYSTEM)
		a->flags |= ACT_SYSTEM;
	if (kind & P_ELEVATES)
		a->flags |= ACT_ELEVATES;
	if (kind & P_DESTROYS)
		a->flags |= ACT_DESTRUCTIVE;
	if (kind & (P_RUNS | P_INSTALLS))
		a->flags |= ACT_RUNS_CODE;
	if (!why)
		a->flags |= ACT_READ_ONLY | ACT_COMPLETE;
	else if (!(kind & (P_RUNS | P_INSTALLS | P_SYSTEM | P_ELEVATES | P_NETWORK)))
		a->flags |= ACT_COMPLETE;
	if (why)
		analyze_set_why(c, analyze_explain(j, c, 0, why));
}

/* Exactly two words: any other argument could make the program do its real work. */
static bool asks_version(const struct command *c, const struct program *p)
{
	return c->n == 2 && c->w[1].is_literal &&
	       (analyze_is_among("--version --help", c->w[1].text) ||
	        analyze_is_among(p->shows, c->w[1].text));
}

void analyze_plainly(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	analyze_take_operands(j, c, p);
	if (p->kind & P_RUNS ||
	    !(p->kind & (P_TEXT | P_READS | P_LISTS | P_WRITES | P_DELETES | P_COPIES)))
		for (uint32_t k = 0; k < c->operand_count; k++)
			analyze_word_add_guess(j, c, c->operands[k]);
	note_names(c, p);
}

/* ---- programs that are not in the table ---- */

void analyze_note_script(struct judge *j, struct command *c, uint32_t i)
{
	if (c->w[i].is_known && c->flow.dir_count == 1)
		c->act->script = analyze_word_resolve(j, c->flow.dirs[0], c->w[i].text);
}

/*
 * An unknown program can do anything.  Its words are still examined for paths and hosts,
 * because deny rules on those apply, and a guess at a secret is worth a question.
 */
static void analyze_unknown(struct judge *j, struct command *c)
{
	static const struct program stranger = { .kind = P_RUNS };

	c->act->flags |= ACT_RUNS_CODE;
	c->act->effect = STR("execute");
	if (str_find_char(c->w[0].text, '/') >= 0)
		analyze_note_script(j, c, 0);
	analyze_set_why(c, analyze_explain(j, c, 0, "is not known to be read-only"));
	analyze_scan_options(j, c, &stranger, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_guess(j, c, c->operands[k]);
	for (uint32_t i = 1; i < c->n; i++)
		if (c->w[i].is_known && str_find(c->w[i].text, STR("://")) > 0)
			analyze_word_add_hosts_of(j, c, i);
	if (c->act->hosts.count)
		c->act->flags |= ACT_NETWORK;
}

/* /usr/bin/ls is ls; ./ls may be any program. */
static struct str plain_name(struct str name)
{
	static const char *const dirs[] = { "/bin/",  "/usr/bin/",  "/usr/local/bin/",
		                            "/sbin/", "/usr/sbin/", "/usr/local/sbin/" };

	for (size_t i = 0; i < COUNT_OF(dirs); i++) {
		struct str dir = str_from(dirs[i]);

		if (str_starts(name, dir) && str_find_char(str_skip(name, dir.len), '/') < 0)
			return str_skip(name, dir.len);
	}
	return name;
}

/*
 * The first word is held to ASCII, since no common program has another name.  Arguments with
 * blanks are prose, such as commit messages, where other scripts are normal.
 */
static void check_names(struct command *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct token *t = &c->w[i];
		bool is_prose =
			str_find_char(t->text, ' ') >= 0 || str_find_char(t->text, '\n') >= 0;
		unsigned odd = i && is_prose ? 0 : expand_odd_name(t->text);

		if (!i && !odd)
			for (size_t k = 0; k < t->text.len; k++)
				odd |= (unsigned char)t->text.ptr[k] >= 0x80 ? SHELL_ODD_LOOKALIKE
				                                             : 0;
		if (odd) {
			analyze_opaque(c, expand_shell_oddity_text(odd));
			return;
		}
	}
}

/* ---- words that may be run as commands ---- */

#define INSIDE_MAX 4096

/* Blanks and every character that separates words in a shell, a list in code, or an option. */
static bool is_word_separator(char c)
{
	return strchr(" \t\n;|&(){}[]<>`'\"$,=:!@#%^\\", c) != NULL;
}

static void add_inside(struct judge *j, struct act *a, struct str text, unsigned flags)
{
	if (a->inside_count == INSIDE_MAX || !spend(j, 2)) {
		a->has_more_inside = true;
		return;
	}
	/* The capacity is 2^n - 1, so the array grows at these counts only. */
	if (!(a->inside_count & (a->inside_count + 1)))
		a->inside = arena_grow(j->mem, a->inside, a->inside_count * sizeof *a->inside,
		                       (2 * a->inside_count + 1) * sizeof *a->inside);
	a->inside[a->inside_count++] = (struct act_word){ text, flags };
}

/* rm -rf x, ["rm","-rf","x"] and --exec=rm all contain a command that may be run. */
static void cut_word(struct judge *j, struct act *a, const struct act_word *w)
{
	size_t start = 0;

	if (!(w->flags & ACT_WORD_KNOWN)) {
		add_inside(j, a, w->text, w->flags);
		return;
	}
	for (size_t i = 0; i <= w->text.len; i++) {
		if (i < w->text.len && !is_word_separator(w->text.ptr[i]))
			continue;
		if (i > start)
			add_inside(j, a, str_of(w->text.ptr + start, i - start), w->flags);
		start = i + 1;
	}
}

/*
 * Only for programs that may run their words: otherwise "grep rm" would ask because of a rule
 * on rm.
 */
static void note_inside(struct judge *j, struct command *c)
{
	struct act *a = c->act;
	bool may_run = a->flags & ACT_RUNS_CODE;

	for (uint32_t i = 0; i < a->word_count; i++)
		may_run |= (a->words[i].flags & ACT_WORD_TWIST) != 0;
	if (!may_run || c->has_known_inner)
		return;
	for (uint32_t i = 1; i < a->word_count && !a->has_more_inside; i++)
		cut_word(j, a, &a->words[i]);
}

/* The strictest flags apply, in whatever order they were set. */
static void apply_strictest_flags(struct command *c)
{
	struct act *a = c->act;
	bool is_twisted = a->flags & ACT_OPAQUE;

	for (uint32_t i = 0; i < a->word_count; i++)
		is_twisted |= a->words[i].flags & ACT_WORD_TWIST;
	if (is_twisted)
		a->flags &= ~(unsigned)(ACT_READ_ONLY | ACT_NEUTRAL);
	if (a->flags & ACT_OPAQUE)
		a->flags &= ~(unsigned)ACT_COMPLETE;
}

/* Builtins that affect only the shell itself. */
static bool is_shells_own(struct str name)
{
	static const char *const names[] = { ":",    "[",     "break", "cd",    "continue",
		                             "exit", "false", "popd",  "pushd", "return",
		                             "set",  "shift", "test",  "true",  "wait" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(name, str_from(names[i])))
			return true;
	return false;
}

void analyze_command(struct judge *j, struct command *c)
{
	const struct program *p;
	struct str name;

	if (!c->n)
		return;
	if (!spend(j, 4 + j->functions.count)) {
		analyze_opaque(c, STR(ANALYSIS_SPENT_TEXT));
		return;
	}
	/*
	 * A name that comes from a variable is not accepted even with a known value: the analysis
	 * of variables is for arguments, and here an error would hide a whole program.
	 */
	if (!c->w[0].is_literal || !c->w[0].is_known) {
		c->act->flags |= ACT_RUNS_CODE;
		analyze_opaque(c, STR("which program it is is known only when it runs"));
		return;
	}
	if (!c->w[0].text.len) {
		analyze_opaque(c, STR("the name of the program is empty"));
		return;
	}
	if (++j->depth > JUDGE_DEPTH_MAX) {
		analyze_opaque(c, STR("commands run commands too deeply"));
		j->depth--;
		return;
	}
	name = plain_name(c->w[0].text);
	p = c->program = programs_find(name);
	/* A wrapper runs programs, never functions of the shell. */
	if (c->act->outer < 0 && rec_list_str_find(&j->functions, c->w[0].text) >= 0) {
		/* The function was evaluated at its definition, for any arguments. */
		c->act->flags |= ACT_NEUTRAL;
		c->act->effect = STR("execute");
	} else if (p && p->kind & P_VERSION && asks_version(c, p)) {
		/* Not complete: rustup starts the cargo that a file of the directory names. */
		c->act->flags |= ACT_READ_ONLY;
		c->act->effect = STR("read");
	} else if (p) {
		analyze_apply_kind(j, c, p->kind);
		if (p->judge)
			p->judge(j, c, p);
		else
			analyze_plainly(j, c, p);
		if (p->kind & P_UNREADS)
			analyze_opaque(c,
			               analyze_explain(j, c, 0,
			                               "changes how the shell reads what follows"));
	} else {
		analyze_unknown(j, c);
	}
	check_names(c);
	if (c->act->flags & ACT_READ_ONLY && is_shells_own(c->w[0].text))
		c->act->flags |= ACT_NEUTRAL;
	apply_strictest_flags(c);
	note_inside(j, c);
	j->depth--;
}

/* ---- commands in commands ---- */

void analyze_run_tokens(struct judge *j, struct command *c, struct token *w, uint32_t n)
{
	struct command *inner;

	if (!n)
		return;
	inner = analyze_begin_command(j, w, n, &c->flow, c->context, c->index);
	inner->input = c->input;
	inner->act->flags |= c->act->flags & ACT_STEERED;
	analyze_command(j, inner);
	c->names = inner->names;
}

void analyze_run_words(struct judge *j, struct command *c, uint32_t at)
{
	if (at < c->n) {
		c->act->inner_at = at;
		analyze_run_tokens(j, c, c->w + at, c->n - at);
	}
}

/*
 * sh -c, eval and the like.  The text is evaluated without the variables and functions of the
 * line, so the state of the walk is saved and restored around it.
 */
void analyze_run_text(struct judge *j, struct command *c, const struct token *t,
                      enum shell_dialect dialect, unsigned context)
{
	struct shell_script *s;
	bool is_flowless = j->is_flowless, is_placeless = j->is_placeless;
	struct flow f = c->flow, base = j->base;
	struct list_str functions = j->functions;

	if (!t->is_known || !t->is_literal) {
		analyze_opaque(c, STR("what it runs is known only when it runs"));
		return;
	}
	if (++j->depth > JUDGE_DEPTH_MAX) {
		analyze_opaque(c, STR("commands run commands too deeply"));
		j->depth--;
		return;
	}
	s = parse_shell_read(j->mem, t->text, dialect, j->budget);
	if (str_is(s->trouble))
		analyze_opaque(c,
		               arena_printf(j->mem, "%.*s, in what it runs", STR_ARG(s->trouble)));
	f.vars = NULL;
	j->is_flowless = j->is_placeless = false;
	j->functions = (struct list_str){ 0 };
	if (c->act->flags & ACT_STEERED)
		context |= SHELL_HAS_INPUT;
	analyze_walk_script(j, s, f, c->context | context);
	j->is_flowless = is_flowless;
	j->is_placeless = is_placeless;
	j->base = base;
	j->functions = functions;
	j->depth--;
}

/* eval and watch join their words with blanks before they parse them. */
void analyze_run_joined(struct judge *j, struct command *c, uint32_t at, enum shell_dialect dialect)
{
	struct token all = { .is_known = true, .is_literal = true };
	size_t len = 0;
	char *out;

	for (uint32_t i = at; i < c->n; i++) {
		all.is_known &= c->w[i].is_known && c->w[i].is_literal;
		len += c->w[i].text.len + 1;
	}
	if (!fits(j, len)) {
		analyze_opaque(c, STR(ANALYSIS_SPENT_TEXT));
		return;
	}
	out = arena_alloc(j->mem, len + 1);
	all.text = str_of(out, 0);
	for (uint32_t i = at; i < c->n; i++) {
		if (i > at)
			out[all.text.len++] = ' ';
		if (c->w[i].text.len)
			memcpy(out + all.text.len, c->w[i].text.ptr, c->w[i].text.len);
		all.text.len += c->w[i].text.len;
	}
	analyze_run_text(j, c, &all, dialect, SHELL_IN_LITERAL);
}

/* ---- the whole line ---- */

/* One act represents the part that was not analysed. */
static void note_rest(struct judge *j, struct str line)
{
	struct shell_acts *out = j->out;
	struct str why = j->is_full ? STR("it has too many commands") : STR(ANALYSIS_SPENT_TEXT);

	/* The last act gives way: a list without an opaque act would look complete. */
	if (out->count == SHELL_ACTS_MAX)
		out->count--;
	analyze_add_opaque(j, line, why, 0);
}

void analyze_line(struct arena *mem, struct str line, const struct shell_place *place,
                  struct shell_acts *ret)
{
	struct analysis own = analysis_of(mem);
	struct judge j = { .mem = mem,
		           .budget = place->budget ? place->budget : &own,
		           .place = place,
		           .out = ret };
	struct shell_script *s = parse_shell_read(mem, line, SHELL_BASH, j.budget);

	*ret = (struct shell_acts){ .script = s };
	j.roots = place->root_count ? place->roots : &place->cwd;
	j.root_count = place->root_count ? place->root_count : 1;
	if (str_is(s->trouble))
		analyze_add_opaque(
			&j, line,
			arena_printf(mem, "%.*s (at byte %zu)", STR_ARG(s->trouble), s->trouble_at),
			0);
	/* The commands are still walked, so that deny rules apply to what was understood. */
	else if (s->oddities)
		analyze_add_opaque(&j, line, expand_shell_oddity_text(s->oddities), 0);
	if (!str_is(s->trouble))
		analyze_walk_script(&j, s, analyze_walk_first_flow(&j), 0);
	analyze_script_note_changes(&j);
	if (j.is_full || (analysis_is_spent(j.budget) && !str_is(s->trouble)))
		note_rest(&j, line);
}

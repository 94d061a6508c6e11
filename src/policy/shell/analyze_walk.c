/*
 * Walks the tree in execution order: possible directories and values of variables at each
 * command.  Whatever cannot be followed is unknown, which causes a question and never a wrong
 * decision.
 *
 * A flow is the state of the shell at one point.  Branches copy it and join it again: values
 * are united, and where they are too many, "any" remains.  A loop is walked once, after
 * everything that its body may change has been widened, which replaces a fixed point.
 */
#include "policy/shell/analyze_internal.h"

#include "policy/rules_proc.h"

/* ---- flows ---- */

struct flow analyze_walk_lost_flow(void)
{
	return (struct flow){ 0 };
}

struct flow analyze_walk_first_flow(struct judge *j)
{
	struct flow f = { .dir_count = 1 };

	if (!str_is(j->place->cwd))
		return analyze_walk_lost_flow();
	f.dirs[0] = analyze_word_resolve(j, STR("/"), j->place->cwd);
	f.dir_count = str_is(f.dirs[0]);
	return f;
}

/*
 * The environment is not known here.  Only HOME, PWD and variables that always hold a number
 * have a value without an assignment in the line.
 */
const struct values *analyze_walk_var_values(const struct judge *j, const struct flow *f,
                                             struct str name, bool *ret_is_set)
{
	struct judge *mut = (struct judge *)j;

	*ret_is_set = true;
	if (j->is_flowless)
		return NULL;
	for (const struct var *v = f->vars; v; v = v->next)
		if (!spend(j, 1))
			return NULL;
		else if (str_eq(v->name, name))
			return v->values;
	*ret_is_set = false;
	if (str_eq(name, STR("HOME")) && str_is(j->place->home))
		return analyze_word_one_value(mut, j->place->home, VALUE_TEXT);
	if (str_eq(name, STR("PWD")) && f->dir_count == 1)
		return analyze_word_one_value(mut, f->dirs[0], VALUE_TEXT);
	if (str_eq(name, STR("?")) || str_eq(name, STR("#")) || str_eq(name, STR("$")) ||
	    str_eq(name, STR("!")) || str_eq(name, STR("UID")) || str_eq(name, STR("RANDOM")) ||
	    str_eq(name, STR("SECONDS")) || str_eq(name, STR("LINENO")) ||
	    str_eq(name, STR("EUID")) || str_eq(name, STR("PPID")))
		return analyze_word_one_value(mut, STR("0"), VALUE_NUMBER);
	return NULL;
}

void analyze_walk_set_var(struct judge *j, struct flow *f, struct str name,
                          const struct values *values)
{
	struct var *v = ARENA_NEW(j->mem, struct var);

	if (++j->var_count > VARS_MAX)
		j->is_flowless = true;
	v->next = f->vars;
	v->name = name;
	v->values = values;
	f->vars = v;
}

/* Too many possible directories are any directory. */
static void add_dir(struct flow *f, struct str dir)
{
	for (uint32_t i = 0; i < f->dir_count; i++)
		if (str_eq(f->dirs[i], dir))
			return;
	if (f->dir_count < DIRS_MAX)
		f->dirs[f->dir_count++] = dir;
	else
		f->dir_count = 0;
}

/* A variable that only one branch set may have its earlier value. */
static const struct var *join_vars(struct judge *j, const struct flow *a, const struct flow *b)
{
	struct flow out = { .vars = b->vars };
	unsigned steps = 0; /* lines with that many variables are not followed */

	/*
	 * Lists share their tails, so equal heads mean equal variables, and the walk below ends
	 * where one list reaches the other's head.
	 */
	if (a->vars == b->vars)
		return a->vars;
	for (int side = 0; side < 2; side++)
		for (const struct var *v = side ? b->vars : a->vars; v; v = v->next) {
			bool set_a, set_b;
			const struct values *in_a, *in_b;

			if (v == (side ? a->vars : b->vars) || ++steps > 256 || !spend(j, 1))
				break;
			in_a = analyze_walk_var_values(j, a, v->name, &set_a);
			in_b = analyze_walk_var_values(j, b, v->name, &set_b);
			analyze_walk_set_var(
				j, &out, v->name,
				set_a && set_b ? analyze_word_join_values(j, in_a, in_b) : NULL);
		}
	if (steps > 256)
		j->is_flowless = true;
	return out.vars;
}

static struct flow join_flows(struct judge *j, const struct flow *a, const struct flow *b)
{
	struct flow out = *a;

	if (!a->dir_count || !b->dir_count)
		out.dir_count = 0;
	for (uint32_t i = 0; i < b->dir_count && out.dir_count; i++)
		add_dir(&out, b->dirs[i]);
	out.vars = join_vars(j, a, b);
	return out;
}

static struct after after_both(struct flow f)
{
	return (struct after){ f, f };
}

static struct flow join_after(struct judge *j, const struct after *a)
{
	return join_flows(j, &a->ok, &a->failed);
}

/* ---- hidden effects of a line ---- */

static bool is_among(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(name, str_from(names[i])))
			return true;
	return false;
}

/* Builtins that can change variables, aliases or parsing in ways that the walk does not follow. */
static bool changes_hidden(struct str name)
{
	static const char *const names[] = { "eval",      "source",  ".",      "trap", "alias",
		                             "unalias",   "shopt",   "enable", "set",  "mapfile",
		                             "readarray", "getopts", "let",    "bind", "complete" };

	return is_among(name, names, COUNT_OF(names));
}

static bool is_mover(struct str name)
{
	static const char *const names[] = { "cd", "pushd", "popd" };

	return is_among(name, names, COUNT_OF(names));
}

/* command cd, builtin read: a builtin, one word later. */
static bool is_hidden_builtin(const struct shell_node *n)
{
	static const char *const names[] = { "cd",      "pushd",   "popd",    "read",     "export",
		                             "declare", "typeset", "local",   "readonly", "unset",
		                             "printf",  "wait",    "command", "builtin",  "exec" };
	const struct shell_word *w = n->words->next;

	if (!str_eq(n->words->value, STR("command")) && !str_eq(n->words->value, STR("builtin")))
		return false;
	while (w && shell_is_known(w) && str_starts(w->value, STR("-")))
		w = w->next;
	return w && (!shell_is_known(w) || changes_hidden(w->value) ||
	             is_among(w->value, names, COUNT_OF(names)));
}

/* set with common letters changes no variable. */
static bool is_plain_set(const struct shell_node *n)
{
	if (!str_eq(n->words->value, STR("set")))
		return false;
	for (const struct shell_word *w = n->words->next; w; w = w->next) {
		if (!shell_is_known(w))
			return false;
		if (str_eq(w->value, STR("pipefail")) || str_eq(w->value, STR("-o")) ||
		    str_eq(w->value, STR("+o")))
			continue;
		if (w->value.len < 2 || (w->value.ptr[0] != '-' && w->value.ptr[0] != '+'))
			return false;
		for (size_t i = 1; i < w->value.len; i++)
			if (!strchr("euxovnC", w->value.ptr[i]))
				return false;
	}
	return n->word_count > 1;
}

/* An unknown name, or -n, which makes a reference to another variable. */
static bool hides_names(const struct shell_node *n, const struct shell_word *w)
{
	if (!shell_is_known(w))
		return !(w->flags & SHELL_ARRAY) &&
		       !analyze_env_is_name(analyze_env_name_of_assignment(w->value));
	return w->value.len > 1 && w->value.ptr[0] == '-' &&
	       !str_eq(n->words->value, STR("read")) && memchr(w->value.ptr, 'n', w->value.len);
}

/* SHELL_HAS_INPUT when one of them says what is on standard input; nothing is in /dev/null. */
static unsigned input_of(const struct shell_redir *d)
{
	for (; d; d = d->next) {
		bool is_in = d->op == SHELL_IN || d->op == SHELL_IN_OUT || d->op == SHELL_DUP_IN ||
		             d->op == SHELL_HEREDOC || d->op == SHELL_HERESTRING;
		bool is_empty = d->op == SHELL_IN && d->target && shell_is_known(d->target) &&
		                str_eq(d->target->value, STR("/dev/null"));

		if (!str_is(d->fd_name) && (d->fd < 0 ? is_in : d->fd == 0) && !is_empty)
			return SHELL_HAS_INPUT;
	}
	return 0;
}

/* Looked at before the walk: a function or trap at the end of the line affects its beginning. */
struct hidden_effects {
	struct judge *j;
	bool has_functions;
};

/*
 * Later programs may obey a variable that the line sets, and they read what exec opens.  Neither
 * appears among their words.
 */
static bool steers_others(const struct shell_node *n)
{
	static const char *const names[] = { "export", "declare", "typeset", "local",
		                             "unset",  "read",    "readonly" };

	if (!n->words)
		return n->assigns;
	if (str_eq(n->words->value, STR("printf")))
		return n->words->next && (!shell_is_known(n->words->next) ||
		                          str_starts(n->words->next->value, STR("-v")));
	return is_among(n->words->value, names, COUNT_OF(names)) ||
	       (input_of(n->redirs) &&
	        (is_hidden_builtin(n) || str_eq(n->words->value, STR("exec"))));
}

static void note_hidden_effects(void *owner, const struct shell_node *n)
{
	static const char *const declarers[] = { "declare", "typeset", "local", "read" };
	struct hidden_effects *b = owner;
	struct judge *j = b->j;

	j->is_steered |= steers_others(n);
	if (!n->words)
		return;
	if (!shell_is_known(n->words) || is_hidden_builtin(n) ||
	    (changes_hidden(n->words->value) && !is_plain_set(n)))
		j->is_flowless = j->is_placeless = true;
	/* A cd inside a function happens at its call, which is not followed. */
	if (b->has_functions && is_mover(n->words->value))
		j->is_placeless = true;
	if (is_among(n->words->value, declarers, COUNT_OF(declarers)))
		for (const struct shell_word *w = n->words->next; w; w = w->next)
			j->is_flowless |= hides_names(n, w);
}

/* ---- loops: what may change inside ---- */

/* After a loop body the variable has its old values or the new ones. */
static void widen_var(struct judge *j, struct flow *f, struct str name, const struct values *more)
{
	bool is_set;
	const struct values *now = analyze_walk_var_values(j, f, name, &is_set);

	analyze_walk_set_var(j, f, name, is_set ? analyze_word_join_values(j, now, more) : NULL);
}

static const struct values *values_now(struct judge *j, const struct flow *f,
                                       const struct shell_word *w)
{
	struct token t;

	if (!w)
		return analyze_word_one_value(j, STR(""), VALUE_TEXT);
	if (w->parts && !w->parts->next && w->parts->kind == SHELL_NUMBER)
		return analyze_word_one_value(j, STR("0"), VALUE_NUMBER);
	t = analyze_word_token_of(j, f, w);
	if (t.is_known)
		return analyze_word_one_value(j, t.text, VALUE_TEXT);
	return t.values;
}

/* Names after read, export and similar; for others none. */
static void widen_by_words(struct judge *j, struct flow *f, const struct shell_node *n)
{
	static const char *const names[] = { "read",     "export", "declare", "typeset", "local",
		                             "readonly", "unset",  "printf",  "wait" };
	bool is_setter = n->words && is_among(n->words->value, names, COUNT_OF(names));

	if (!n->words)
		return;
	for (const struct shell_word *w = n->words->next; w && is_setter; w = w->next) {
		struct str name = str_is(analyze_env_name_of_assignment(w->value))
		                          ? analyze_env_name_of_assignment(w->value)
		                          : w->value;

		if (analyze_env_is_name(name))
			analyze_walk_set_var(j, f, name, NULL);
	}
	if (is_setter && str_eq(n->words->value, STR("read")))
		analyze_walk_set_var(j, f, STR("REPLY"), NULL);
	if (is_mover(n->words->value))
		f->dir_count = 0;
}

/* Names that an expression sets become numbers; if they were something else: unknown. */
static void widen_by_expression(struct judge *j, struct flow *f, struct str s)
{
	if (str_find_char(s, '=') < 0 && str_find(s, STR("++")) < 0 && str_find(s, STR("--")) < 0)
		return;
	for (size_t i = 0; i < s.len;) {
		size_t start = i;

		i += analyze_env_name_length(str_skip(s, i));
		if (i > start && spend(j, i - start))
			widen_var(j, f, str_of(s.ptr + start, i - start),
			          analyze_word_one_value(j, STR("0"), VALUE_NUMBER));
		i += i == start;
	}
}

/* What expanding a word sets: $((x=1)), ${x:=y}, ${a[x=1]}. */
static void widen_by_word(struct judge *j, struct flow *f, const struct shell_word *w,
                          bool is_arithmetic)
{
	for (const struct shell_part *p = w ? w->parts : NULL; p && spend(j, 1); p = p->next) {
		if (p->kind == SHELL_LITERAL && is_arithmetic)
			widen_by_expression(j, f, p->text);
		if (p->kind == SHELL_VARIABLE && p->op == '=')
			analyze_walk_set_var(j, f, p->text, NULL);
		for (const struct shell_word *in = p->inner; in; in = in->next)
			widen_by_word(j, f, in,
			              p->kind == SHELL_NUMBER || p->op == ':' || p->op == '[');
	}
}

static void widen(struct judge *j, struct flow *f, const struct shell_node *n);

static void widen_inside(struct judge *j, struct flow *f, const struct shell_node *n)
{
	if (!spend(j, 1))
		return;
	for (const struct shell_word *w = n->words; w; w = w->next)
		widen_by_word(j, f, w, false);
	for (const struct shell_node *c = n->first; c; c = c->next)
		widen(j, f, c);
}

/* Applies everything that n may change, without deciding whether it runs. */
static void widen(struct judge *j, struct flow *f, const struct shell_node *n)
{
	if (n->kind == SHELL_SUBSHELL || n->kind == SHELL_PIPE || n->is_background)
		return; /* a subprocess: its variables do not come back */
	for (const struct shell_assign *a = n->assigns; a; a = a->next) {
		widen_by_word(j, f, a->value, false);
		widen_var(j, f, a->name,
		          a->is_append || str_is(a->subscript) ? NULL : values_now(j, f, a->value));
	}
	for (const struct shell_redir *d = n->redirs; d; d = d->next) {
		widen_by_word(j, f, d->target, false);
		if (str_is(d->fd_name))
			analyze_walk_set_var(j, f, d->fd_name, NULL);
	}
	if (n->kind == SHELL_SIMPLE)
		widen_by_words(j, f, n);
	if ((n->kind == SHELL_FOR || n->kind == SHELL_COPROC) && str_is(n->name))
		analyze_walk_set_var(j, f, n->name, NULL);
	widen_inside(j, f, n);
}

/* ---- arithmetic that may run commands ---- */

static bool is_numeric(struct str s)
{
	size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');

	if (i == s.len)
		return !s.len;
	for (; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return true;
}

/*
 * Values that the line itself assigned decide; the environment's are not the line's doing.
 * bash evaluates the content of a variable in arithmetic, so x='a[$(rm f)]' makes $((x)) run
 * rm.
 */
static bool is_risky_name(struct judge *j, const struct flow *f, struct str name)
{
	bool is_set;
	const struct values *v;

	if (name.len == 1 && strchr("?#$!", name.ptr[0]))
		return false;
	if (!analyze_env_is_name(name))
		return true; /* $1, $@: any argument of the caller */
	if (analyze_env_risk_of_variable(name, NULL, false) == VAR_DANGEROUS)
		return true; /* an expression may set it: ((PATH=1)) */
	v = analyze_walk_var_values(j, f, name, &is_set);
	if (!is_set)
		return false;
	if (!v)
		return true;
	for (uint32_t i = 0; i < v->count; i++)
		if (v->items[i].kind != VALUE_NUMBER &&
		    !(v->items[i].kind == VALUE_TEXT && is_numeric(v->items[i].text)))
			return true;
	return false;
}

static bool has_risky_names(struct judge *j, const struct flow *f, struct str s)
{
	for (size_t i = 0; i < s.len;) {
		size_t start = i;

		if (s.ptr[i] >= '0' && s.ptr[i] <= '9') { /* 0xff and 16#ff are numbers */
			while (i < s.len &&
			       (analyze_env_is_name(str_of(s.ptr + i, 1)) || s.ptr[i] == '#' ||
			        (s.ptr[i] >= '0' && s.ptr[i] <= '9')))
				i++;
			continue;
		}
		i += analyze_env_name_length(str_skip(s, i));
		if (!spend(j, 1 + (i - start) / 4))
			return true;
		if (i > start && is_risky_name(j, f, str_of(s.ptr + start, i - start)))
			return true;
		i += i == start;
	}
	return false;
}

bool analyze_walk_is_risky_arithmetic(struct judge *j, const struct flow *f,
                                      const struct shell_word *w)
{
	for (const struct shell_part *p = w ? w->parts : NULL; p; p = p->next) {
		if (p->kind == SHELL_LITERAL && has_risky_names(j, f, p->text))
			return true;
		if (p->kind == SHELL_VARIABLE && is_risky_name(j, f, p->text))
			return true;
		if (p->kind == SHELL_COMMAND || p->kind == SHELL_UNKNOWN)
			return true;
		if (p->inner && analyze_walk_is_risky_arithmetic(j, f, p->inner))
			return true;
	}
	return false;
}

/* Expansions in a word with further effects. */
static const char *risk_in_word(struct judge *j, const struct flow *f, const struct shell_word *w)
{
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		const char *risk = NULL;

		if (p->kind == SHELL_NUMBER && analyze_walk_is_risky_arithmetic(j, f, p->inner))
			return "arithmetic on a value that may hold a command";
		if (p->kind == SHELL_VARIABLE) {
			if (p->op == '@' && p->transform == 'P')
				return "${…@P} runs what the variable holds";
			if (p->op == '=' &&
			    analyze_env_risk_of_variable(p->text, NULL, false) == VAR_DANGEROUS)
				return "${…=…} sets a variable that changes what programs do";
			if (p->op == '!' && is_risky_name(j, f, p->text))
				return "${!…} on a value that may hold a command";
			if ((p->op == '[' || p->op == ':') &&
			    analyze_walk_is_risky_arithmetic(j, f, p->inner))
				return "arithmetic on a value that may hold a command";
		}
		for (const struct shell_word *in = p->inner; in && !risk; in = in->next)
			risk = risk_in_word(j, f, in);
		if (risk)
			return risk;
	}
	return NULL;
}

/* ---- words ---- */

static struct after walk_node(struct judge *j, const struct shell_node *n, const struct flow *f,
                              unsigned context, const struct values *input,
                              const struct values **ret_names);

/* In >(…) the command reads what another one writes. */
static unsigned is_fed_by(const struct shell_part *p)
{
	return p->kind == SHELL_PROCESS && str_starts(p->text, STR(">")) ? SHELL_HAS_INPUT : 0;
}

/* The commands of substitutions in a word, each in its own subshell. */
void analyze_walk_word(struct judge *j, const struct shell_word *w, const struct flow *f,
                       unsigned context)
{
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		for (const struct shell_word *in = p->inner; in; in = in->next)
			analyze_walk_word(j, in, f, context);
		if (p->body)
			walk_node(j, p->body, f, context | SHELL_IN_SUBSTITUTION | is_fed_by(p),
			          NULL, NULL);
	}
}

/*
 * Lists the commands of substitutions as acts, and an opaque act for an expansion that may run
 * more.
 */
static void walk_words(struct judge *j, const struct shell_word *w, const struct flow *f,
                       unsigned context)
{
	for (; w; w = w->next) {
		const char *risk = risk_in_word(j, f, w);

		analyze_walk_word(j, w, f, context);
		if (risk)
			analyze_add_opaque(j, w->raw, str_from(risk), context);
	}
}

/* ---- commands ---- */

static bool opens_file(const struct shell_redir *d)
{
	return !d->is_dup && d->op != SHELL_HEREDOC && d->op != SHELL_HERESTRING;
}

/* Redirections are opened even if the command then fails, so they count whatever the program is. */
static void add_redirections(struct judge *j, struct command *c, const struct shell_redir *d)
{
	for (; d; d = d->next) {
		unsigned use = d->op == SHELL_IN || d->op == SHELL_DUP_IN ? ACT_READS
		               : d->op == SHELL_IN_OUT                    ? ACT_READS | ACT_WRITES
		                                                          : ACT_WRITES;
		struct token t;

		if (str_is(d->fd_name) &&
		    analyze_env_risk_of_variable(d->fd_name, NULL, false) == VAR_DANGEROUS)
			analyze_opaque(
				c,
				STR("a redirection sets a variable that changes what programs do"));
		if (!opens_file(d) || !d->target)
			continue;
		t = analyze_word_token_of(j, &c->flow, d->target);
		if (t.values && t.is_many)
			t.values = NULL; /* several names: an error in bash, not followed here */
		analyze_word_add_path(j, c, &t, -1, use, ACT_PATH_REDIRECTED);
	}
}

static void walk_redirections(struct judge *j, const struct shell_redir *d, const struct flow *f,
                              unsigned context)
{
	for (; d; d = d->next)
		walk_words(j, d->target, f, context);
}

/* Redirections of a compound command are an act of the shell itself. */
static void add_compound_redirections(struct judge *j, const struct shell_node *n,
                                      const struct flow *f, unsigned context)
{
	struct command *c;
	bool opens = false;

	walk_redirections(j, n->redirs, f, context);
	for (const struct shell_redir *d = n->redirs; d; d = d->next)
		opens |= opens_file(d);
	if (!opens)
		return;
	c = analyze_begin_command(j, NULL, 0, f, context, -1);
	c->act->flags |= ACT_READ_ONLY;
	c->act->effect = STR("write");
	add_redirections(j, c, n->redirs);
}

/* Of a command that runs code anyway: no allow rule on its words covers the code that this chooses. */
static void note_module_path(struct judge *j, struct command *c, struct str name)
{
	c->act->flags = (c->act->flags & ~(unsigned)ACT_COMPLETE) | ACT_OTHER_CODE;
	analyze_unsafe(c, STR("execute"),
	               arena_printf(j->mem, "%.*s chooses the code that it loads", STR_ARG(name)));
}

/* The command, and those that it runs. */
static void steer_from(struct judge *j, const struct command *c)
{
	for (uint32_t i = (uint32_t)c->index; i < j->out->count; i++)
		j->out->items[i]->flags |= ACT_STEERED;
}

/*
 * c is the command that the assignments precede, whose environment they enter; NULL: they
 * change the shell itself.
 */
static void check_assignments(struct judge *j, const struct shell_node *n, struct command *c,
                              const struct flow *f, unsigned context)
{
	for (const struct shell_assign *a = n->assigns; a; a = a->next) {
		struct token value = { 0 };
		enum var_risk risk;

		if (a->value)
			value = analyze_word_token_of(j, f, a->value);
		risk = analyze_env_risk_of_variable(a->name, a->value ? &value : NULL, c && c->n);
		if (c && c->act->flags & ACT_RUNS_CODE &&
		    analyze_env_is_module_path(a->name, a->value ? &value : NULL)) {
			note_module_path(j, c, a->name);
		} else if (risk == VAR_DANGEROUS) {
			struct str why = arena_printf(j->mem, "%.*s changes what programs do",
			                              STR_ARG(a->name));

			if (c)
				analyze_opaque(c, why);
			else
				analyze_add_opaque(j, n->text, why, context);
		} else if (risk == VAR_UNKNOWN && c) {
			analyze_unsafe(c, STR("execute"),
			               arena_printf(j->mem,
			                            "the variable %.*s may change what it does",
			                            STR_ARG(a->name)));
			steer_from(j, c);
		}
		if (str_is(a->subscript) && has_risky_names(j, f, a->subscript))
			analyze_add_opaque(j, n->text, STR("a subscript that may hold a command"),
			                   context);
	}
}

/*
 * Where "cd text" leads from dir.  bash goes by the text first, and by links where that fails; the
 * two can differ behind a name that ".." follows.  Absent: not certain.
 */
static struct str dir_after_cd(struct judge *j, struct str dir, const struct value *v)
{
	struct str to, by_text, by_links, rest;

	if (v->kind != VALUE_TEXT || !v->text.len || rules_proc_way(dir, v->text, &rest))
		return STR_NONE;
	to = analyze_word_resolve(j, dir, v->text);
	if (!str_is(to) || !j->place->real || str_find(v->text, STR("..")) < 0)
		return to;
	by_text = analyze_word_real(j, STR("/"), to);
	by_links = analyze_word_real(j, dir, v->text);
	return str_is(by_text) && str_is(by_links) && str_eq(by_text, by_links) ? to : STR_NONE;
}

/* The operand of cd; c->n: there is none.  False: an option makes it follow links, or is not known. */
static bool find_cd_operand(const struct command *c, uint32_t *ret)
{
	uint32_t i = 1;

	while (analyze_word_is_word(c, i, "-L"))
		i++;
	if (analyze_word_is_word(c, i, "--"))
		i++;
	else if (i < c->n && analyze_word_may_lead_dash(&c->w[i]))
		return false;
	*ret = i;
	return true;
}

/* The directory after cd. */
static struct after after_cd(struct judge *j, const struct command *c)
{
	struct after a = after_both(c->flow);
	uint32_t i;
	const struct values *v;

	a.ok.dir_count = 0;
	if (!find_cd_operand(c, &i))
		return a;
	if (i == c->n && str_is(j->place->home)) {
		add_dir(&a.ok, j->place->home);
		return a;
	}
	/* "cd -" leads anywhere. */
	if (i + 1 != c->n || !c->flow.dir_count || analyze_word_is_word(c, i, "-"))
		return a;
	v = c->w[i].is_known ? analyze_word_one_value(j, c->w[i].text, VALUE_TEXT) : c->w[i].values;
	for (uint32_t k = 0; v && k < v->count; k++)
		for (uint32_t d = 0; d < c->flow.dir_count; d++) {
			struct str dir = dir_after_cd(j, c->flow.dirs[d], &v->items[k]);

			if (!str_is(dir) || (a.ok.dir_count == DIRS_MAX)) {
				a.ok.dir_count = 0;
				return a;
			}
			add_dir(&a.ok, dir);
		}
	return a;
}

/* Assignments before a command end with it; only those without a command stay. */
static struct after after_command(struct judge *j, const struct shell_node *n, struct command *c,
                                  const struct flow *f)
{
	struct after a = after_both(*f);
	struct str name = c && c->n && c->w[0].is_known ? c->w[0].text : STR_NONE;

	if (!n->words)
		for (const struct shell_assign *s = n->assigns; s; s = s->next) {
			const struct values *v = s->is_append || str_is(s->subscript)
			                                 ? NULL
			                                 : values_now(j, &a.ok, s->value);

			analyze_walk_set_var(j, &a.ok, s->name, v);
			a.failed = a.ok;
		}
	if (str_eq(name, STR("cd")))
		return after_cd(j, c);
	if (n->words)
		widen_by_words(j, &a.ok, n);
	a.failed = a.ok;
	return a;
}

/*
 * input: names of files that arrive on standard input, for xargs.  ret_names: those that it
 * prints.  Substitutions run first, as in bash, so their acts precede the command's.
 */
static struct after walk_simple(struct judge *j, const struct shell_node *n, const struct flow *f,
                                unsigned context, const struct values *input,
                                const struct values **ret_names)
{
	struct token *tokens = ARENA_ARRAY(j->mem, struct token, n->word_count + 1);
	struct command *c = NULL;
	uint32_t i = 0;
	bool opens = false;

	for (const struct shell_assign *a = n->assigns; a; a = a->next)
		walk_words(j, a->value, f, context);
	walk_words(j, n->words, f, context);
	walk_redirections(j, n->redirs, f, context);
	for (const struct shell_redir *d = n->redirs; d; d = d->next)
		opens |= opens_file(d);
	context |= input_of(n->redirs);
	for (const struct shell_word *w = n->words; w; w = w->next)
		tokens[i++] = analyze_word_token_of(j, f, w);
	if (i || opens) {
		c = analyze_begin_command(j, tokens, i, f, context, -1);
		c->input = input;
		if (i)
			analyze_command(j, c);
		else
			c->act->flags |= ACT_READ_ONLY;
		check_assignments(j, n, c, f, context);
		add_redirections(j, c, n->redirs);
		if (ret_names && c->act->flags & ACT_READ_ONLY)
			*ret_names = c->names;
	} else {
		check_assignments(j, n, NULL, f, context);
	}
	return after_command(j, n, c, f);
}

/* ---- compound commands ---- */

/* The next command runs whether or not the previous one succeeded. */
static struct after walk_list(struct judge *j, const struct shell_node *n, const struct flow *f,
                              unsigned context, const struct values *input,
                              const struct values **ret_names)
{
	struct after a = after_both(*f);

	for (const struct shell_node *c = n->first; c; c = c->next) {
		struct flow now = join_after(j, &a);
		bool is_only = c == n->first && !c->next;

		if (c->is_background)
			walk_node(j, c, &now, context | SHELL_IN_BACKGROUND, NULL, NULL);
		else
			a = walk_node(j, c, &now, context, is_only ? input : NULL,
			              is_only ? ret_names : NULL);
		if (c->is_background)
			a = after_both(now);
	}
	return a;
}

/*
 * After "cd dir && make" make runs in dir, after "cd dir; make" perhaps not: this is why ok and
 * failed are separate flows.
 */
static struct after walk_and_or(struct judge *j, const struct shell_node *n, const struct flow *f,
                                unsigned context)
{
	struct after a = after_both(*f), b;

	for (const struct shell_node *c = n->first; c; c = c->next) {
		if (c == n->first) {
			a = walk_node(j, c, f, context, NULL, NULL);
		} else if (c->join == SHELL_AND) {
			b = walk_node(j, c, &a.ok, context, NULL, NULL);
			a.ok = b.ok;
			a.failed = join_flows(j, &a.failed, &b.failed);
		} else {
			b = walk_node(j, c, &a.failed, context, NULL, NULL);
			a.ok = join_flows(j, &a.ok, &b.ok);
			a.failed = b.failed;
		}
	}
	return a;
}

/* Each member is a subshell: no variable and no cd comes back. */
static void walk_pipe(struct judge *j, const struct shell_node *n, const struct flow *f,
                      unsigned context, const struct values **ret_names)
{
	const struct values *names = NULL;

	for (const struct shell_node *c = n->first; c; c = c->next) {
		const struct values *out = NULL;

		walk_node(j, c, f, context | SHELL_IN_PIPE, names, &out);
		context |= SHELL_HAS_INPUT;
		names = out;
	}
	if (ret_names)
		*ret_names = names;
}

/* now is the state before the next condition, out the joined states after the branches so far. */
static struct after walk_if(struct judge *j, const struct shell_node *n, const struct flow *f,
                            unsigned context)
{
	struct flow now = *f, out = { 0 };
	bool has_out = false;

	for (const struct shell_node *c = n->first; c;) {
		struct after a, b;

		if (!c->next) { /* else */
			a = walk_node(j, c, &now, context, NULL, NULL);
			now = join_after(j, &a);
			break;
		}
		a = walk_node(j, c, &now, context, NULL, NULL);
		b = walk_node(j, c->next, &a.ok, context, NULL, NULL);

		struct flow ended = join_after(j, &b);

		out = has_out ? join_flows(j, &out, &ended) : ended;
		has_out = true;
		now = a.failed;
		c = c->next->next;
	}
	return after_both(has_out ? join_flows(j, &out, &now) : now);
}

static struct after walk_while(struct judge *j, const struct shell_node *n, const struct flow *f,
                               unsigned context)
{
	struct flow now = *f;
	struct after a;

	widen_inside(j, &now, n);
	a = walk_node(j, n->first, &now, context | SHELL_IN_LOOP, NULL, NULL);
	if (n->first && n->first->next) {
		struct flow inside = join_after(j, &a); /* until inverts the condition */

		walk_node(j, n->first->next, &inside, context | SHELL_IN_LOOP, NULL, NULL);
	}
	return after_both(join_after(j, &a));
}

/* All possible values of a loop's words; NULL: any. */
static const struct values *values_of_loop(struct judge *j, const struct shell_node *n,
                                           const struct flow *f)
{
	const struct values *all = NULL;

	if (!n->has_in)
		return NULL;
	for (const struct shell_word *w = n->words; w; w = w->next) {
		struct token t = analyze_word_token_of(j, f, w);
		const struct values *v =
			t.is_known ? analyze_word_one_value(j, t.text, VALUE_TEXT) : t.values;

		all = w == n->words ? v : analyze_word_join_values(j, all, v);
		if (!all)
			return NULL;
	}
	return all;
}

static struct after walk_for(struct judge *j, const struct shell_node *n, const struct flow *f,
                             unsigned context)
{
	struct flow now = *f;
	const struct values *v = values_of_loop(j, n, f);
	struct after a;

	j->is_steered = true; /* its variable */
	walk_words(j, n->words, f, context);
	if (analyze_env_risk_of_variable(n->name, NULL, false) == VAR_DANGEROUS)
		analyze_add_opaque(j, n->text,
		                   STR("a loop over a variable that changes what programs do"),
		                   context);
	for (const struct shell_node *c = n->first; c; c = c->next)
		widen(j, &now, c);
	analyze_walk_set_var(j, &now, n->name, n->is_select ? NULL : v);
	a = n->first ? walk_node(j, n->first, &now, context | SHELL_IN_LOOP, NULL, NULL)
	             : after_both(now);

	struct flow out = join_after(j, &a);

	/* The list may be empty, so the body may not run at all. */
	out = join_flows(j, &out, &now);
	analyze_walk_set_var(j, &out, n->name, NULL);
	return after_both(out);
}

static struct after walk_for_number(struct judge *j, const struct shell_node *n,
                                    const struct flow *f, unsigned context)
{
	struct flow now = *f;

	walk_words(j, n->words, f, context);
	widen_inside(j, &now, n);
	if (n->first)
		walk_node(j, n->first, &now, context | SHELL_IN_LOOP, NULL, NULL);
	return after_both(now);
}

static struct after walk_case(struct judge *j, const struct shell_node *n, const struct flow *f,
                              unsigned context)
{
	struct flow out = *f;

	walk_words(j, n->words, f, context);
	/* ;& continues with the next branch, with the changes of the first one. */
	for (const struct shell_node *c = n->first; c; c = c->next)
		widen(j, &out, c);
	for (const struct shell_node *c = n->first; c; c = c->next)
		walk_node(j, c, &out, context, NULL, NULL);
	return after_both(out);
}

/*
 * The time and the arguments of its call are unknown, so the body is evaluated once, here, with
 * an empty set of variables and the directory in which the script starts.
 */
static void walk_function(struct judge *j, const struct shell_node *n, unsigned context)
{
	struct flow f = j->is_placeless ? analyze_walk_lost_flow() : j->base;

	/* Otherwise "ls() { rm -r .; }; ls" would be evaluated as the program ls. */
	if (programs_find(n->name) || str_eq(n->name, STR("command_not_found_handle")))
		analyze_add_opaque(j, n->text, STR("it redefines the name of a program"), context);
	else
		rec_list_str_add(j->mem, &j->functions, n->name);
	for (const struct shell_node *c = n->first; c; c = c->next)
		walk_node(j, c, &f, context | SHELL_IN_FUNCTION, NULL, NULL);
}

static bool is_comparing(struct str op)
{
	return op.len == 3 && op.ptr[0] == '-' && !str_eq(op, STR("-nt")) &&
	       !str_eq(op, STR("-ot")) && !str_eq(op, STR("-ef"));
}

/* [[ a -eq b ]] is arithmetic; -v and -R evaluate subscripts. */
static void walk_test(struct judge *j, const struct shell_node *n, const struct flow *f,
                      unsigned context)
{
	const struct shell_word *before = NULL;
	bool is_risky = false;

	walk_words(j, n->words, f, context);
	for (const struct shell_word *w = n->words; w; before = w, w = w->next) {
		if (!shell_is_known(w))
			continue;
		if (is_comparing(w->value) && before && w->next)
			is_risky |= analyze_walk_is_risky_arithmetic(j, f, before) ||
			            analyze_walk_is_risky_arithmetic(j, f, w->next);
		if ((str_eq(w->raw, STR("-v")) || str_eq(w->raw, STR("-R"))) && w->next)
			is_risky |=
				!shell_is_known(w->next) || !analyze_env_is_name(w->next->value);
		if (is_comparing(w->value) && before && shell_is_known(before) && w->next &&
		    (str_find_char(before->value, '[') >= 0 ||
		     (shell_is_known(w->next) && str_find_char(w->next->value, '[') >= 0)))
			is_risky = true;
	}
	if (is_risky)
		analyze_add_opaque(j, n->text,
		                   STR("[[ ]] computes with a value that may hold a command"),
		                   context);
}

/*
 * The first switch handles kinds that have no redirections of their own; for the others those
 * come first, since the shell opens the files before the body runs.
 */
static struct after walk_kind(struct judge *j, const struct shell_node *n, const struct flow *f,
                              unsigned context, const struct values *input,
                              const struct values **ret_names)
{
	struct after a = after_both(*f);

	switch (n->kind) {
	case SHELL_SIMPLE:
		return walk_simple(j, n, f, context, input, ret_names);
	case SHELL_LIST:
		return walk_list(j, n, f, context, input, ret_names);
	case SHELL_AND_OR:
		return walk_and_or(j, n, f, context);
	case SHELL_PIPE:
		walk_pipe(j, n, f, context, ret_names);
		return a;
	case SHELL_FUNCTION:
		walk_function(j, n, context);
		return a;
	default:
		add_compound_redirections(j, n, f, context);
		context |= input_of(n->redirs) | (n->kind == SHELL_COPROC ? SHELL_HAS_INPUT : 0);
	}
	switch (n->kind) {
	case SHELL_GROUP:
		return n->first ? walk_node(j, n->first, f, context, NULL, NULL) : a;
	case SHELL_SUBSHELL:
	case SHELL_COPROC:
		if (str_is(n->name) &&
		    analyze_env_risk_of_variable(n->name, NULL, false) == VAR_DANGEROUS)
			analyze_add_opaque(
				j, n->text,
				STR("a coprocess sets a variable that changes what programs do"),
				context);
		if (n->first)
			walk_node(j, n->first, f, context | SHELL_IN_SUBSHELL, NULL, NULL);
		if (str_is(n->name))
			analyze_walk_set_var(j, &a.ok, n->name, NULL);
		return after_both(a.ok);
	case SHELL_IF:
		return walk_if(j, n, f, context);
	case SHELL_WHILE:
		return walk_while(j, n, f, context);
	case SHELL_FOR:
		return walk_for(j, n, f, context);
	case SHELL_FOR_NUMBER:
		return walk_for_number(j, n, f, context);
	case SHELL_CASE:
		return walk_case(j, n, f, context);
	case SHELL_TEST:
		walk_test(j, n, f, context);
		return a;
	case SHELL_NUMERIC:
		walk_words(j, n->words, f, context);
		widen_inside(j, &a.ok, n);
		return after_both(a.ok);
	default:
		return a;
	}
}

/* Variables set by expanding its words: $((x=1)), ${x:=y}, {fd}>file. */
static void set_by_words(struct judge *j, struct flow *f, const struct shell_node *n)
{
	for (const struct shell_word *w = n->words; w; w = w->next)
		widen_by_word(j, f, w, false);
	for (const struct shell_assign *a = n->assigns; a; a = a->next)
		widen_by_word(j, f, a->value, false);
	for (const struct shell_redir *d = n->redirs; d; d = d->next) {
		widen_by_word(j, f, d->target, false);
		if (str_is(d->fd_name))
			analyze_walk_set_var(j, f, d->fd_name, NULL);
	}
}

static struct after walk_node(struct judge *j, const struct shell_node *n, const struct flow *f,
                              unsigned context, const struct values *input,
                              const struct values **ret_names)
{
	struct after a;

	if (!spend(j, 8))
		return after_both(*f);
	a = walk_kind(j, n, f, context, input, ret_names);
	set_by_words(j, &a.ok, n);
	set_by_words(j, &a.failed, n);
	return n->is_negated ? after_both(join_after(j, &a)) : a;
}

struct flow analyze_walk_script(struct judge *j, const struct shell_script *s, struct flow f,
                                unsigned context)
{
	struct hidden_effects b = { .j = j, .has_functions = s->has_functions };
	struct after a;

	if (!s->root)
		return f;
	expand_shell_each(s->root, note_hidden_effects, &b);
	j->is_flowless |= s->has_functions;
	if (j->is_placeless)
		f = analyze_walk_lost_flow();
	j->base = f;
	j->base.vars = NULL;
	a = walk_node(j, s->root, &f, context, NULL, NULL);
	return join_after(j, &a);
}

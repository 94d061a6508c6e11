/*
 * Programs that run others (env, sh, su, ssh, docker …): both the wrapper and its command are
 * evaluated.
 *
 * A wrapper that adds nothing itself is ACT_NEUTRAL.  To find where the inner command begins,
 * every option before it has to be known: with one unknown option, its value could be taken for
 * the program.
 */
#include "policy/shell/programs.h"

static bool is_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len > 0;
}

/* The value of an option that names a file: the rest of word i, or the next word. */
static void take_file(struct judge *j, struct command *c, uint32_t i, struct str value, bool writes)
{
	unsigned use = writes ? ACT_WRITES : ACT_READS;

	if (str_is(value))
		analyze_word_add_text_path(j, c, value, (int)i, use, 0);
	else if (i + 1 < c->n)
		analyze_word_add_word_path(j, c, i + 1, use, 0);
	if (writes)
		analyze_unsafe(c, STR("write"), analyze_explain(j, c, i, "writes a file"));
}

/*
 * An option by its name, with the value that is attached to it, or absent.  Returns how many words
 * it takes, 0 when it is not known; ret_has_value when the rest of a cluster is its value.
 */
static uint32_t skip_option(struct judge *j, struct command *c, const struct program *p, uint32_t i,
                            struct str name, bool is_long, struct str value, bool *ret_has_value)
{
	bool is_bad = analyze_in_list(p->bad, name, is_long);
	bool writes = analyze_in_list(p->writes, name, is_long);
	bool reads = analyze_in_list(p->reads, name, is_long);

	if (is_bad)
		analyze_twist(j, c, i, "makes it do something else");
	if (writes || reads)
		take_file(j, c, i, value, writes);
	*ret_has_value = writes || reads || analyze_in_list(p->values, name, is_long);
	if (*ret_has_value)
		return str_is(value) ? 1 : 2;
	return is_bad || analyze_in_list(p->flags, name, is_long) ? 1 : 0;
}

/* One cluster of short options; returns how many words it takes, 0 when it is not understood. */
static uint32_t skip_short(struct judge *j, struct command *c, const struct program *p, uint32_t i)
{
	struct str s = c->w[i].text;

	if (p->flags && analyze_in_list(p->flags, STR("0"), false) && is_digits(str_skip(s, 1)))
		return 1; /* nice -5 */
	for (size_t k = 1; k < s.len && spend(j, LETTER_STEPS); k++) {
		struct str rest = k + 1 < s.len ? str_skip(s, k + 1) : STR_NONE;
		bool has_value;
		uint32_t step =
			skip_option(j, c, p, i, str_of(s.ptr + k, 1), false, rest, &has_value);

		if (has_value || !step)
			return step;
	}
	return 1;
}

/* Like skip_short(). */
static uint32_t skip_long(struct judge *j, struct command *c, const struct program *p, uint32_t i)
{
	struct str value = str_skip(c->w[i].text, 2), name = str_cut(&value, '=');
	bool has_value;

	return skip_option(j, c, p, i, name, true, value, &has_value);
}

/*
 * Where the command of a wrapper begins; c->n: there is none.  Every option must be known for that.
 */
static uint32_t find_inner(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1, operands = 0;

	while (i < c->n) {
		uint32_t step = 1;

		if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i]) && operands == 0) {
			analyze_opaque(
				c, analyze_explain(j, c, i,
			                           "may turn out to be an option or a command"));
			return c->n;
		}
		if (analyze_word_is_word(c, i, "--") && !operands) {
			i++;
			break;
		}
		if (!analyze_word_starts_with(c, i, "-") || c->w[i].text.len < 2 || operands)
			break;
		step = c->w[i].text.ptr[1] == '-' ? skip_long(j, c, p, i) : skip_short(j, c, p, i);
		if (!step) {
			analyze_opaque(
				c, analyze_explain(j, c, i, "is an option that is not followed"));
			return c->n;
		}
		for (uint32_t k = i + 1; k < i + step && k < c->n; k++) {
			c->act->words[k].flags |= ACT_WORD_VALUE;
			if (c->w[k].is_many)
				analyze_opaque(
					c, analyze_explain(j, c, k, "may become several words"));
		}
		i += step;
	}
	for (operands = 0; operands < p->skip && i < c->n; operands++, i++)
		if (c->w[i].is_many)
			analyze_opaque(c, analyze_explain(j, c, i, "may become several words"));
	return i;
}

/* Skips NAME=value words, which become variables of the command. */
static uint32_t skip_assignments(struct judge *j, struct command *c, uint32_t i)
{
	for (; i < c->n; i++) {
		struct str name = analyze_env_name_of_assignment(c->w[i].text);
		struct token value = c->w[i];
		enum var_risk risk;

		if (str_find_char(c->w[i].text, '=') <= 0 || (!c->w[i].is_known && !str_is(name)))
			break;
		if (!str_is(name)) {
			analyze_opaque(
				c, analyze_explain(j, c, i, "sets a variable with an odd name"));
			continue;
		}
		value.text = str_skip(value.text, name.len + 1);
		risk = analyze_env_risk_of_variable(name, &value, true);
		if (risk == VAR_DANGEROUS)
			analyze_opaque(c, arena_printf(j->mem, "%.*s changes what programs do",
			                               STR_ARG(name)));
		else if (risk == VAR_UNKNOWN)
			analyze_unsafe(c, STR("execute"),
			               arena_printf(j->mem,
			                            "the variable %.*s may change what it does",
			                            STR_ARG(name)));
		if (risk != VAR_HARMLESS)
			c->act->flags |= ACT_STEERED;
	}
	return i;
}

/* An option of the wrapper that gives the command another directory or another root. */
static bool is_moving(const struct program *p, struct str s)
{
	static const struct {
		const char *name, *letters, *longs;
	} moves[] = {
		{ "env", "C", "chdir" },
		{ "sudo", "DR", "chdir chroot" },
		{ "nsenter", "wr", "wd root" },
		{ "unshare", "wR", "wd root" },
	};
	struct str value = str_skip(s, 2), name = str_cut(&value, '=');

	for (size_t i = 0; i < COUNT_OF(moves); i++) {
		if (!str_eq(str_from(p->name), str_from(moves[i].name)))
			continue;
		if (str_starts(s, STR("--")))
			return analyze_in_list(moves[i].longs, name, true);
		for (size_t k = 1; k < s.len; k++) {
			if (strchr(moves[i].letters, s.ptr[k]))
				return true;
			if (analyze_in_list(p->values, str_of(s.ptr + k, 1), false))
				return false;
		}
	}
	return false;
}

/* Where the command will run; behind an option that moves it, relative paths are not known. */
static void follow_moves(struct command *c, const struct program *p, uint32_t inner)
{
	for (uint32_t i = 1; i < inner && i < c->n; i++)
		if (analyze_word_starts_with(c, i, "-") && is_moving(p, c->w[i].text))
			c->flow.dir_count = 0;
	if (str_eq(str_from(p->name), STR("chroot")))
		c->flow.dir_count = 0;
}

/* The command runs as another user, or with variables that are not seen here. */
static bool changes_surroundings(const struct program *p)
{
	return p->kind & P_ELEVATES ||
	       analyze_is_among("dbus-run-session eatmydata fakechroot fakeroot faketime xvfb-run",
	                        str_from(p->name));
}

void analyze_wrappers_plain(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i;

	if (changes_surroundings(p))
		c->act->flags |= ACT_STEERED;
	if (!(p->kind & (P_ELEVATES | P_SYSTEM)))
		c->act->flags |= ACT_NEUTRAL;
	c->act->flags &= ~(unsigned)(ACT_READ_ONLY | ACT_COMPLETE);
	i = find_inner(j, c, p);
	follow_moves(c, p, i);
	/* sudo accepts assignments before the command. */
	if (p->kind & P_ELEVATES)
		i = skip_assignments(j, c, i);
	analyze_run_words(j, c, i);
}

/* -i, -u and most others change what the command gets; "-" is -i.  Returns where NAME=value begin. */
static uint32_t note_env_options(struct command *c, uint32_t end)
{
	for (uint32_t i = 1; i < end && i < c->n; i++)
		if (analyze_word_starts_with(c, i, "-") &&
		    !analyze_is_among("-- -v --debug", c->w[i].text))
			c->act->flags |= ACT_STEERED;
	if (!analyze_word_is_word(c, end, "-"))
		return end;
	c->act->flags |= ACT_STEERED;
	return end + 1;
}

void analyze_wrappers_env(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i;

	c->act->flags |= ACT_NEUTRAL;
	c->act->flags &= ~(unsigned)ACT_READ_ONLY;
	for (i = 1; i < c->n; i++)
		if (analyze_word_starts_with(c, i, "-S") ||
		    analyze_word_starts_with(c, i, "--split-string")) {
			struct token text = c->w[i];
			ptrdiff_t at = str_find_char(text.text, '=');

			if (analyze_word_starts_with(c, i, "-S") && text.text.len > 2)
				text.text = str_skip(text.text, 2);
			else if (analyze_word_starts_with(c, i, "--") && at > 0)
				text.text = str_skip(text.text, (size_t)at + 1);
			else if (i + 1 < c->n)
				text = c->w[i + 1];
			analyze_run_text(j, c, &text, SHELL_POSIX, SHELL_IN_LITERAL);
			analyze_opaque(c, STR("env -S makes a command out of a text"));
			return;
		}
	i = find_inner(j, c, p);
	follow_moves(c, p, i);
	i = note_env_options(c, i);
	i = skip_assignments(j, c, i);
	analyze_run_words(j, c, i);
}

/* ---- shells ---- */

/* -c and harmless letters; -o pipefail. */
static bool is_shell_option(struct str s, bool *ret_is_command)
{
	if (s.len < 2 || (s.ptr[0] != '-' && s.ptr[0] != '+'))
		return false;
	if (str_eq(s, STR("--norc")) || str_eq(s, STR("--noprofile")) ||
	    str_eq(s, STR("--login")) || str_eq(s, STR("--posix")))
		return true;
	for (size_t k = 1; k < s.len; k++) {
		if (s.ptr[k] == 'c')
			*ret_is_command = true;
		else if (!strchr("leuxvnp", s.ptr[k]))
			return false;
	}
	return true;
}

/*
 * Three ways to run: -c TEXT is parsed and evaluated, a script file is named in the act so that a
 * grant can be bound to its content, and standard input is never known.
 */
void analyze_wrappers_shell(struct judge *j, struct command *c, const struct program *p)
{
	bool is_bash = p->kind & P_READS; /* from the table row */
	bool is_command = false;
	uint32_t i = 1;

	c->act->flags &= ~(unsigned)(ACT_READ_ONLY | ACT_COMPLETE);
	c->act->effect = STR("execute");
	for (; i < c->n && c->w[i].is_known; i++) {
		if (analyze_word_is_word(c, i, "--")) {
			i++;
			break;
		}
		if (analyze_word_is_word(c, i, "-o") &&
		    analyze_word_is_word(c, i + 1, "pipefail")) {
			i++;
			continue;
		}
		if (!is_shell_option(c->w[i].text, &is_command))
			break;
	}
	if (i < c->n && analyze_word_starts_with(c, i, "-") && !analyze_word_is_word(c, i, "-")) {
		analyze_opaque(c, analyze_explain(j, c, i, "is an option that is not followed"));
	} else if (is_command && i < c->n) {
		c->act->flags |= ACT_NEUTRAL;
		analyze_run_text(j, c, &c->w[i], is_bash ? SHELL_BASH : SHELL_POSIX,
		                 SHELL_IN_LITERAL);
	} else if (i < c->n) {
		c->act->flags |= ACT_RUNS_CODE;
		analyze_set_why(c, analyze_explain(j, c, 0, "runs a script that is not seen here"));
		analyze_word_add_word_path(j, c, i, ACT_READS, 0);
		analyze_note_script(j, c, i);
		if (!c->w[i].is_known || analyze_word_is_word(c, i, "-") ||
		    analyze_word_starts_with(c, i, "/dev/"))
			analyze_opaque(c, STR("what it runs is known only when it runs"));
	} else {
		c->act->flags |= ACT_RUNS_CODE;
		analyze_opaque(c, STR("it runs what comes on its standard input"));
	}
}

/*
 * Shells with another grammar: the text of -c is parsed like sh, so that rules on commands match
 * it, and only a person may allow it.
 */
void analyze_wrappers_other_shell(struct judge *j, struct command *c, const struct program *p)
{
	analyze_wrappers_interpreter(j, c, p);
	for (uint32_t i = 1; i + 1 < c->n; i++)
		if (analyze_word_starts_with(c, i, "-") && !analyze_word_starts_with(c, i, "--") &&
		    memchr(c->w[i].text.ptr, 'c', c->w[i].text.len)) {
			analyze_run_text(j, c, &c->w[i + 1], SHELL_POSIX, SHELL_IN_LITERAL);
			analyze_opaque(c,
			               analyze_explain(j, c, 0, "reads commands in its own way"));
			return;
		}
}

/* script -c 'text' FILE, flock FILE -c 'text': otherwise like any wrapper. */
void analyze_wrappers_text(struct judge *j, struct command *c, const struct program *p)
{
	for (uint32_t i = 1; i < c->n; i++) {
		struct token text = c->w[i];
		ptrdiff_t at = str_find_char(text.text, '=');

		if (analyze_word_is_word(c, i, "--"))
			break;
		if (analyze_word_starts_with(c, i, "--command=") && at > 0)
			text.text = str_skip(text.text, (size_t)at + 1);
		else if (analyze_word_starts_with(c, i, "-") &&
		         !analyze_word_starts_with(c, i, "--") && i + 1 < c->n &&
		         str_ends(text.text, STR("c")))
			text = c->w[i + 1];
		else if (analyze_word_is_word(c, i, "--command") && i + 1 < c->n)
			text = c->w[i + 1];
		else
			continue;
		c->act->flags |= ACT_RUNS_CODE;
		analyze_run_text(j, c, &text, SHELL_POSIX, SHELL_IN_LITERAL);
		for (uint32_t k = 1; k < c->n; k++)
			if (k != i && k != i + 1 && !analyze_word_starts_with(c, k, "-"))
				analyze_word_add_word_path(j, c, k, ACT_WRITES, 0);
		analyze_unsafe(c, STR("execute"),
		               analyze_explain(j, c, i, "runs a text as a command"));
		return;
	}
	if (p->skip)
		analyze_wrappers_plain(j, c, p);
	else
		analyze_opaque(c, analyze_explain(j, c, 0, "starts a shell"));
	/* The lock precedes the command; without one it is a descriptor. */
	if (p->skip && c->act->inner_at > 1)
		analyze_word_add_word_path(j, c, c->act->inner_at - 1, ACT_WRITES, 0);
}

/* su -c 'text' user */
void analyze_wrappers_su(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	c->act->flags |= ACT_STEERED;
	for (uint32_t i = 1; i < c->n; i++)
		if ((analyze_word_is_word(c, i, "-c") || analyze_word_is_word(c, i, "--command")) &&
		    i + 1 < c->n)
			analyze_run_text(j, c, &c->w[i + 1], SHELL_POSIX, SHELL_IN_LITERAL);
		else if (analyze_word_starts_with(c, i, "--command="))
			analyze_opaque(c, STR("it runs a command as another user"));
}

/* ---- others ---- */

/* busybox APPLET …: the applet is evaluated like the program of that name. */
void analyze_wrappers_busybox(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	/* The applet is another program than the one of that name. */
	c->act->flags |= ACT_NEUTRAL | ACT_STEERED;
	c->act->flags &= ~(unsigned)ACT_READ_ONLY;
	if (analyze_word_is_word(c, 1, "--list") || analyze_word_is_word(c, 1, "--help"))
		return;
	if (c->n > 1 && analyze_word_may_lead_dash(&c->w[1]))
		analyze_opaque(c, analyze_explain(j, c, 1, "is an option that is not followed"));
	else
		analyze_run_words(j, c, 1);
}

/* Joins its words and passes them to sh. */
void analyze_wrappers_watch(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i;

	c->act->flags |= ACT_NEUTRAL;
	c->act->flags &= ~(unsigned)ACT_READ_ONLY;
	i = find_inner(j, c, p);
	if (i < c->n && analyze_has_flag(c, "x", "exec"))
		analyze_run_words(j, c, i);
	else if (i < c->n)
		analyze_run_joined(j, c, i, SHELL_POSIX);
}

void analyze_wrappers_parallel(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1, end = c->n;

	(void)p;
	/* Its command passes through a shell, with inserted words from elsewhere. */
	analyze_opaque(c, STR("parallel puts words that are not known here into commands"));
	while (i < c->n && analyze_word_starts_with(c, i, "-"))
		i++;
	for (uint32_t k = i; k < c->n; k++)
		if (analyze_word_starts_with(c, k, ":::")) {
			end = k;
			break;
		}
	if (i < end) {
		c->act->inner_at = i;
		if (c->w[i].is_known && str_find_char(c->w[i].text, ' ') >= 0)
			analyze_run_text(j, c, &c->w[i], SHELL_POSIX, SHELL_IN_LITERAL);
		else
			analyze_run_tokens(j, c, c->w + i, end - i);
	}
}

/* ssh host command: the remote command is shown and needs an approval with it. */
void analyze_wrappers_ssh(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	if (c->operand_count)
		analyze_word_add_host(j, c, c->w[c->operands[0]].text);
	/* -J, -W and forwarded ports lead to further hosts. */
	if (!c->operand_count || !c->w[c->operands[0]].is_known ||
	    analyze_has_flag(c, "JWLRDw", NULL))
		c->act->has_unknown_host = true;
	if (c->operand_count > 1) {
		c->act->flags |= ACT_RUNS_CODE;
		analyze_run_joined(j, c, c->operands[1], SHELL_POSIX);
	}
}

static uint32_t word_behind(const struct command *c, const char *word)
{
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_is_word(c, i, word))
			return i + 1;
	return 0;
}

/* docker, podman: some subcommands only read. */
void analyze_wrappers_container(struct judge *j, struct command *c, const struct program *p)
{
	static const struct program options = {
		.values = "H l c host log-level config context e v w u p name env volume workdir "
			  "user "
			  "publish entrypoint network mount env-file label add-host cpus memory m "
			  "hostname h platform shm-size tmpfs ulimit cap-add cap-drop security-opt "
			  "device f format n since until tail filter",
	};
	uint32_t run = word_behind(c, "run"), exec = word_behind(c, "exec");
	uint32_t at = run ? run : exec, seen = 0;

	if (analyze_tools_is_query(j, c, p, "ps images version info"))
		return;
	/* Without run, exec, build or compose no word of the line runs as a command. */
	c->has_known_inner = !at && !word_behind(c, "build") && !word_behind(c, "compose");
	analyze_scan_options(j, c, &options, 1);
	for (uint32_t i = 1; i < c->n; i++)
		analyze_word_add_guess(j, c, i);
	/* An image may come from any registry, and its name need not say from which. */
	c->act->has_unknown_host = true;
	/* the image or container, then the command */
	for (uint32_t k = 0; at && k < c->operand_count; k++)
		if (c->operands[k] >= at && ++seen == 2) {
			analyze_run_words(j, c, c->operands[k]);
			c->act->inner_at = c->operands[k];
			break;
		}
}

/* python -c, perl -e: code in another language is not analysed. */
void analyze_wrappers_interpreter(struct judge *j, struct command *c, const struct program *p)
{
	for (uint32_t i = 1; i < c->n; i++) {
		if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i])) {
			analyze_twist(j, c, i, "may turn out to be an option");
			break;
		}
		if (!analyze_word_starts_with(c, i, "-") || analyze_word_is_word(c, i, "-")) {
			if (analyze_word_is_word(c, i, "-"))
				analyze_opaque(c, STR("it runs what comes on its standard input"));
			else
				analyze_note_script(j, c, i);
			break;
		}
		if (analyze_word_is_word(c, i, "--"))
			break;
		analyze_twist(j, c, i, "runs code or changes what is run");
		if (analyze_in_list(p->values, str_of(c->w[i].text.ptr + c->w[i].text.len - 1, 1),
		                    false))
			i++;
	}
	if (c->n == 1)
		analyze_opaque(c, STR("it runs what comes on its standard input"));
	for (uint32_t i = 1; i < c->n; i++)
		if (!analyze_word_starts_with(c, i, "-"))
			analyze_word_add_guess(j, c, i);
}

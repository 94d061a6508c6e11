/*
 * The decisions of `thole policy test` as a separate program; it also drives the
 * tests of the parser and of the evaluation.
 *
 *   policy_test [--rules [SOURCE=]FILE]... [-C DIR] [--mode MODE] [--root DIR]... [--home DIR]
 *               [--non-interactive] [--no-sandbox] [--trust] [--links] COMMAND
 *
 * writes the decision as JSON.  SOURCE is host_policy, user (the default), project, session;
 * --trust makes the allow rules of projects count; --links follows links of this machine.
 *
 *   policy_test --read             commands on standard input, a NUL behind each: the simple
 *                                  commands that the reader sees, one line of JSON per command
 *   policy_test --acts             the same of the judge: with what wrappers and literals run, and
 *                                  the places that ./here may be
 *   policy_test --corpus FILE...   expected decisions, see corpus/README
 *   policy_test --bench FILE...    how long a decision takes
 *   policy_test --modes [FILE]     the table of modes, as the judge decides; with FILE: is it that one?
 */
#include "policy/shell/analyze.h"

#include "base/json.h"
#include "base/jw.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 16

struct options {
	struct policy_file files[FILES_MAX];
	size_t file_count;
	struct str roots[FILES_MAX];
	struct str reachable;
	struct policy_call call;
	bool trusts;
};

static NORETURN void die(const char *what, const char *name)
{
	fprintf(stderr, "policy_test: %s %s\n", what, name);
	exit(2);
}

static struct str read_all(struct arena *mem, FILE *f)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	char part[65536];

	for (size_t n; (n = fread(part, 1, sizeof part, f));)
		buf_add(&all, part, n);
	return arena_keep(mem, buf_str(&all));
}

static struct str read_file(struct arena *mem, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct str text;

	if (!f)
		die("cannot open", path);
	text = read_all(mem, f);
	fclose(f);
	return text;
}

/* As real callers of the evaluation do: the real path, as far as it exists. */
static struct str real_path(void *owner, struct arena *mem, struct str path)
{
	char *name = strndup(path.ptr, path.len), *real = realpath(name, NULL);
	struct str response = real ? arena_keep(mem, str_from(real)) : STR_NONE;

	(void)owner;
	free(real);
	free(name);
	return response;
}

/* ---- modes ---- */

static const struct {
	const char *what, *command;
} samples[] = {
	{ "read in the workspace", "cat README.md" },
	{ "read what says which system this is", "cat /etc/os-release" },
	{ "list or read elsewhere, homes above all", "ls /root" },
	{ "look for names in all of the machine", "find / -name id_rsa" },
	{ "read what may hold secrets", "cat .env" },
	{ "write in the workspace", "touch notes.txt" },
	{ "write a protected file", "touch .vscode/tasks.json" },
	{ "write elsewhere", "touch /opt/x" },
	{ "delete a tree in the workspace", "rm -rf build" },
	{ "run the project's code", "make test" },
	{ "run a program that is not known", "./tool" },
	{ "use the network", "curl https://example.org/" },
	{ "take more rights", "sudo ls" },
	{ "what is not understood", "$tool now" },
};

static void write_column(struct buf *out, struct arena *mem, struct str title,
                         struct policy_call *call)
{
	struct rules none = { .mem = mem };

	buf_printf(out, "| %.*s |", STR_ARG(title));
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct rec_permission_decision d;

		call->command = str_from(samples[i].command);
		evaluate_command(mem, &none, call, &d);
		buf_printf(out, " %.*s |", STR_ARG(approval_decision_word(d.decision)));
	}
	buf_add_c(out, "\n");
}

static struct str table_of_modes(struct arena *mem, struct options *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct policy_call call = o->call;

	buf_add_c(&out, "# What each mode does\n\n"
	                "Written by `policy_test --modes` from the code that decides; a "
	                "test fails "
	                "when they differ.\n\n"
	                "What is decided about a command that no rule covers, with a sandbox at "
	                "hand. `sandboxed`: it runs in the\n"
	                "sandbox, without a question. Where no user can be asked, `ask` is `deny`. "
	                "Deny rules come before every mode,\n"
	                "allow rules and grants before all but `plan` "
	                "(docs/explanation/permissions.md).\n\n| mode |");
	for (size_t i = 0; i < COUNT_OF(samples); i++)
		buf_printf(&out, " %s: `%s` |", samples[i].what, samples[i].command);
	buf_add_c(&out, "\n| --- |");
	for (size_t i = 0; i < COUNT_OF(samples); i++)
		buf_add_c(&out, " --- |");
	buf_add_c(&out, "\n");
	for (uint32_t mode = 1; mode < PERMISSION_MODE_COUNT; mode++) {
		call.how.mode = mode;
		write_column(&out, mem,
		             arena_printf(mem, "`%.*s`", STR_ARG(permission_mode_word(mode))),
		             &call);
	}
	call.how.mode = PERMISSION_MODE_DEFAULT;
	call.how.denies_by_default = true;
	write_column(&out, mem, STR("any, with `permission.default: deny`"), &call);
	return arena_keep(mem, buf_str(&out));
}

static int tell_modes(struct arena *mem, struct options *o, const char *file)
{
	struct str table = table_of_modes(mem, o);

	if (!file) {
		printf("%.*s", STR_ARG(table));
		return 0;
	}
	if (str_eq(read_file(mem, file), table))
		return 0;
	fprintf(stderr, "%s is not what policy_test --modes writes\n", file);
	return 1;
}

/* ---- one decision ---- */

static void add_rules(struct options *o, struct arena *mem, const char *arg)
{
	struct str path = str_from(arg), source = path;
	enum rule_source from = rules_source_read(str_cut(&source, '='));

	if (o->file_count == FILES_MAX)
		die("too many files at", arg);
	if (from)
		path = source;
	o->files[o->file_count++] = (struct policy_file){ .name = path,
		                                          .text = read_file(mem, path.ptr),
		                                          .from.source = from ? from : RULE_USER };
}

static int response(struct arena *mem, struct options *o, const char *command)
{
	struct error e = { 0 };
	struct str json;

	o->call.command = str_from(command);
	for (size_t i = 0; i < o->file_count; i++)
		o->files[i].from.is_trusted = o->trusts;
	if (evaluate_command_test(mem, o->files, o->file_count, &o->call, &json, &e)) {
		fprintf(stderr, "policy_test: %s\n", e.message);
		return 2;
	}
	printf("%.*s\n", STR_ARG(json));
	return 0;
}

/* ---- what is seen ---- */

static void write_words(void *owner, const struct shell_node *n)
{
	struct json_writer *w = owner;

	if (!n->words)
		return;
	jw_arr(w);
	for (const struct shell_word *x = n->words; x; x = x->next) {
		jw_obj(w);
		JW_KSTR(w, "kind",
		        x->flags & SHELL_SPLITS ? STR("many")
		        : x->flags & SHELL_GLOB ? STR("glob")
		        : shell_is_known(x)     ? STR("known")
		                                : STR("one"));
		JW_KSTR(w, "text", x->value);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_acts(struct json_writer *w, const struct shell_acts *acts)
{
	for (uint32_t i = 0; i < acts->count; i++) {
		const struct act *a = acts->items[i];

		if (!a->word_count)
			continue;
		jw_obj(w);
		/* the directory that the analysis assumes for the shell: how it resolves ./here */
		JW_KEY(w, "at");
		jw_arr(w);
		for (uint32_t k = 0; k < a->path_count; k++)
			if (a->flags & ACT_OPAQUE || a->paths[k].flags & ACT_PATH_UNKNOWN)
				jw_str(w, STR("anywhere"));
			else if (str_eq(a->paths[k].given, STR("./here")))
				jw_str(w, a->paths[k].path);
		jw_arr_end(w);
		JW_KEY(w, "words");
		jw_arr(w);
		/* a command that cannot be analyzed may run anything */
		for (uint32_t k = 0; k < (a->flags & ACT_OPAQUE ? 1 : a->word_count); k++) {
			unsigned f = a->flags & ACT_OPAQUE ? ACT_WORD_MANY : a->words[k].flags;

			jw_obj(w);
			JW_KSTR(w, "kind",
			        f & ACT_WORD_MANY    ? STR("many")
			        : f & ACT_WORD_KNOWN ? STR("known")
			                             : STR("one"));
			JW_KSTR(w, "text", a->words[k].text);
			jw_obj_end(w);
		}
		jw_arr_end(w);
		jw_obj_end(w);
	}
}

static int show_all(bool judges, const struct options *o)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(arena_freep) struct arena *step = arena_new();
	struct str input = read_all(mem, stdin);

	while (input.len) {
		CLEANUP(buf_done) struct buf out = { 0 };
		struct str line = str_cut(&input, '\0');
		struct shell_script *s = parse_shell_read(step, line, SHELL_BASH, NULL);
		struct shell_acts acts;
		struct json_writer w;

		jw_init(&w, &out);
		jw_obj(&w);
		JW_KBOOL(&w, "understood", !str_is(s->trouble));
		JW_KSTR(&w, "trouble", s->trouble);
		JW_KEY(&w, "commands");
		jw_arr(&w);
		if (judges) {
			analyze_line(step, line, &o->call.place, &acts);
			write_acts(&w, &acts);
		} else {
			expand_shell_each(s->root, write_words, &w);
		}
		jw_arr_end(&w);
		jw_obj_end(&w);
		printf("%.*s\n", STR_ARG(buf_str(&out)));
		arena_reset(step);
	}
	return 0;
}

/* ---- the corpus ---- */

/* One line is an expectation, a tab and a command with escaped characters. */
static struct str unfold(struct arena *mem, struct str line)
{
	static const struct {
		const char *sign;
		char c;
	} signs[] = { { "␤", '\n' }, { "␍", '\r' }, { "␉", '\t' }, { "␛", '\033' },
		      { "␀", 0 },    { "␈", '\b' }, { "␇", '\a' }, { "␡", 0x7f } };
	char *out = arena_alloc(mem, line.len + 1);
	size_t n = 0;

	while (line.len) {
		bool found = false;

		for (size_t i = 0; i < COUNT_OF(signs) && !found; i++)
			if (str_starts(line, str_from(signs[i].sign))) {
				out[n++] = signs[i].c;
				line = str_skip(line, strlen(signs[i].sign));
				found = true;
			}
		if (!found) {
			out[n++] = line.ptr[0];
			line = str_skip(line, 1);
		}
	}
	return str_of(out, n);
}

static bool meets(struct str want, enum approval_decision got)
{
	if (str_eq(want, STR("any")))
		return true;
	if (str_eq(want, STR("never"))) /* whatever, but not to run unseen */
		return got == APPROVAL_DECISION_ASK || got == APPROVAL_DECISION_DENY;
	return str_eq(want, approval_decision_word(got));
}

struct tally {
	unsigned lines, wrong, asks, asks_max;
	uint64_t nanoseconds;
	size_t bytes;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* "# mode never" and "# rules {…}" hold for the lines that follow. */
static void take_setting(struct arena *mem, struct str line, struct options *o, struct rules *rs,
                         struct tally *t)
{
	struct str rest = str_trim(str_skip(line, 1)), word = str_cut(&rest, ' ');
	struct error e;
	uint64_t n;

	if (str_eq(word, STR("asks")) && str_to_u64(str_trim(rest), &n)) {
		t->asks_max = (unsigned)n;
	} else if (str_eq(word, STR("mode"))) {
		o->call.how.mode = rec_enum_read(&enum_permission_mode, str_trim(rest));
		if (!o->call.how.mode)
			die("no such mode in", "the corpus");
	} else if (str_eq(word, STR("rules"))) {
		*rs = (struct rules){ .mem = mem };
		if (rest.len && rules_add(rs, rest, (struct rule_origin){ RULE_USER, true }, &e))
			die("rules in the corpus:", e.message);
	} else if (str_eq(word, STR("project"))) {
		if (rules_add(rs, rest, (struct rule_origin){ RULE_PROJECT, false }, &e))
			die("rules in the corpus:", e.message);
	} else if (str_eq(word, STR("interactive"))) {
		o->call.how.is_interactive = str_eq(str_trim(rest), STR("yes"));
	} else if (str_eq(word, STR("reachable"))) {
		o->reachable = str_trim(rest);
		o->call.how.reachable = &o->reachable;
		o->call.how.reachable_count = o->reachable.len > 0;
	} else if (str_eq(word, STR("default"))) {
		o->call.how.denies_by_default = str_eq(str_trim(rest), STR("deny"));
	}
}

static void try_line(struct arena *mem, struct arena *step, struct str line, struct options *o,
                     const struct rules *rs, struct tally *t, unsigned repeat)
{
	struct str command = line, want = str_cut(&command, '\t');
	struct rec_permission_decision d;
	uint64_t start;

	(void)mem;
	if (!str_is(command))
		die("a line without a tab:", arena_keep(mem, line).ptr);
	o->call.command = unfold(mem, command);
	start = now_ns();
	for (unsigned i = 0; i < repeat; i++) {
		arena_reset(step);
		evaluate_command(step, rs, &o->call, &d);
	}
	t->nanoseconds += now_ns() - start;
	t->bytes += command.len;
	t->lines++;
	t->asks += d.decision == APPROVAL_DECISION_ASK;
	if (meets(want, d.decision))
		return;
	t->wrong++;
	printf("expected %.*s, got %.*s: %.*s\n    %.*s\n", STR_ARG(want),
	       STR_ARG(approval_decision_word(d.decision)), STR_ARG(command),
	       STR_ARG(d.decision_reason));
}

static int try_corpus(char **paths, int count, struct options *o, unsigned repeat)
{
	struct tally all = { 0 };

	for (int i = 0; i < count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		CLEANUP(arena_freep) struct arena *step = arena_new();
		struct options here = *o;
		struct rules rs = { .mem = mem };
		struct str text = read_file(mem, paths[i]);
		struct tally t = { .asks_max = UINT_MAX };

		while (str_is(text)) {
			struct str line = str_cut(&text, '\n');

			if (str_starts(line, STR("#")))
				take_setting(mem, line, &here, &rs, &t);
			else if (line.len)
				try_line(mem, step, line, &here, &rs, &t, repeat);
		}
		if (t.asks > t.asks_max) {
			printf("%s: more than %u asked\n", paths[i], t.asks_max);
			t.wrong++;
		}
		printf("%s: %u lines, %u wrong, %u asked", paths[i], t.lines, t.wrong, t.asks);
		if (repeat > 1 && t.lines)
			printf(", %.2f us and %zu bytes a line",
			       (double)t.nanoseconds / 1000 / t.lines / repeat, t.bytes / t.lines);
		printf("\n");
		all.lines += t.lines;
		all.wrong += t.wrong;
	}
	printf("%u lines, %u wrong\n", all.lines, all.wrong);
	return all.wrong ? 1 : 0;
}

/* ---- options ---- */

static struct str current_dir(struct arena *mem)
{
	char here[PATH_MAX];

	return arena_keep(mem, str_from(getcwd(here, sizeof here) ? here : "/"));
}

static void read_option(struct arena *mem, struct options *o, int c)
{
	struct shell_place *place = &o->call.place;

	switch (c) {
	case 'r':
		add_rules(o, mem, optarg);
		break;
	case 'C':
		place->cwd = str_from(optarg);
		break;
	case 'R':
		if (place->root_count == FILES_MAX)
			die("too many roots at", optarg);
		o->roots[place->root_count++] = str_from(optarg);
		break;
	case 'H':
		place->home = str_from(optarg);
		break;
	case 'm':
		o->call.how.mode = rec_enum_read(&enum_permission_mode, str_from(optarg));
		if (!o->call.how.mode)
			die("no such mode:", optarg);
		break;
	case 'n':
		o->call.how.is_interactive = false;
		break;
	case 'g':
		o->call.how.is_sandboxed = false;
		break;
	case 't':
		o->trusts = true;
		break;
	case 'l':
		place->real = real_path;
		break;
	default:
		die("see the head of", "tests/policy/policy_test.c");
	}
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "rules", required_argument, NULL, 'r' },
		{ "mode", required_argument, NULL, 'm' },
		{ "root", required_argument, NULL, 'R' },
		{ "home", required_argument, NULL, 'H' },
		{ "non-interactive", no_argument, NULL, 'n' },
		{ "no-sandbox", no_argument, NULL, 'g' },
		{ "trust", no_argument, NULL, 't' },
		{ "links", no_argument, NULL, 'l' },
		{ "json", no_argument, NULL, 'j' },
		{ "read", no_argument, NULL, 1 },
		{ "acts", no_argument, NULL, 2 },
		{ "corpus", no_argument, NULL, 3 },
		{ "bench", no_argument, NULL, 4 },
		{ "modes", no_argument, NULL, 5 },
		{ 0 },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct options o = { .call.how = { .mode = PERMISSION_MODE_DEFAULT,
		                           .is_interactive = true,
		                           .is_sandboxed = true } };
	int what = 0;

	o.call.place = (struct shell_place){ .cwd = STR("/ws"), .home = STR("/home/u") };
	o.call.place.roots = o.roots;
	for (int c; (c = getopt_long(argc, argv, "C:", longs, NULL)) != -1;) {
		if (c >= 1 && c <= 5)
			what = c;
		else if (c != 'j')
			read_option(mem, &o, c);
	}
	if (what == 1 || what == 2)
		return show_all(what == 2, &o);
	if (what == 5)
		return tell_modes(mem, &o, argv[optind]);
	if (what >= 3)
		return try_corpus(argv + optind, argc - optind, &o, what == 4 ? 200 : 1);
	if (optind + 1 != argc)
		die("it takes one command; see the head of", "tests/policy/policy_test.c");
	if (str_eq(o.call.place.cwd, STR("."))) {
		o.call.place.cwd = current_dir(mem);
		o.call.place.home = str_from(getenv("HOME"));
	}
	return response(mem, &o, argv[optind]);
}

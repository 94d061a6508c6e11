/*
 * No command line makes the analysis expensive: each shape here grows faster than its text, in
 * memory or in work.  A shape is judged at several sizes up to the longest line that is read; the
 * memory it took and the processor time of its thread are compared with bounds that are many times
 * what the budget (policy/analysis.h) allows.
 */
#include "policy/shell/analyze.h"
#include "lib/t.h"

#include "base/buf.h"

#include <time.h>

#define BYTES_MAX (2 * (size_t)LIMIT_ANALYSIS_BYTES)
#define MS_MAX 2000 /* of the processor, for a few tens that it takes; sanitizers are slow */

typedef void shape(struct buf *out, unsigned n);

static void repeat(struct buf *out, const char *text, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_add_str(out, str_from(text));
}

static void doubled_variables(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a0=x"));
	for (unsigned i = 1; i < MIN(n, 400); i++)
		buf_printf(out, ";a%u=$a%u$a%u", i, i - 1, i - 1);
	buf_printf(out, ";cat $a%u", MIN(n, 400) - 1);
}

static void doubled_in_quotes(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a=x"));
	for (unsigned i = 1; i < MIN(n, 900); i++)
		buf_add_str(out, STR(";a=\"$a-$a\""));
	buf_add_str(out, STR(";cat \"$a\""));
}

static void doubled_in_a_directory(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("d=aa/"));
	for (unsigned i = 1; i < MIN(n, 60); i++)
		buf_add_str(out, STR(";d=$d$d"));
	repeat(out, ";cd $d", MIN(n, 400));
	buf_add_str(out, STR(";cat x"));
}

static void a_long_way_down(struct buf *out, unsigned n)
{
	repeat(out, "cd a;", n);
	buf_add_str(out, STR("cat x"));
}

static void doubled_in_a_branch(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a=x;b=y"));
	for (unsigned i = 0; i < MIN(n, 300); i++)
		buf_add_str(out, STR(";if true; then a=$a$b; else b=$b$a; fi"));
	buf_add_str(out, STR(";rm $a $b"));
}

static void doubled_in_a_loop(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a=x"));
	for (unsigned i = 0; i < MIN(n, 900); i++)
		buf_add_str(out, STR(";for i in $a$a; do a=$i$i; done"));
	buf_add_str(out, STR(";cat $a"));
}

static void nested_substitutions(struct buf *out, unsigned n)
{
	unsigned depth = MIN(n, 38);

	repeat(out, "ls $(ls ", depth);
	repeat(out, ")", depth);
}

static void substitutions_side_by_side(struct buf *out, unsigned n)
{
	unsigned depth = MIN(n, 11);

	for (unsigned k = 0; k < MIN(n, 200); k++) {
		buf_add_str(out, STR("x=$("));
		repeat(out, "find $(", depth);
		buf_add_str(out, STR("ls"));
		repeat(out, ")", depth);
		buf_add_str(out, STR(");"));
	}
	buf_add_str(out, STR("cat $x"));
}

static void shells_in_shells(struct buf *out, unsigned n)
{
	repeat(out, "env sh -c \"$(echo ", MIN(n, 30));
	repeat(out, ")\"", MIN(n, 30));
}

static void evals_of_doubles(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a=x"));
	for (unsigned i = 1; i < MIN(n, 100); i++)
		buf_add_str(out, STR(";a=$a$a"));
	repeat(out, ";sh -c \"$a\" $a;eval $a", MIN(n, 2000));
}

static void braces_of_a_long_word(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("echo "));
	repeat(out, "longword", n / 4);
	repeat(out, "{a,b}", 9);
}

static void braces_that_never_close(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("echo "));
	repeat(out, "{", MIN(n * 2, 60000));
	buf_add_str(out, STR("{a,b}"));
}

static void many_ansi_quotes(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("echo "));
	repeat(out, "$'a'", MIN(n, 9000));
}

static void many_backquotes(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("echo "));
	repeat(out, "`a`", MIN(n, 3900));
}

static void one_name_in_arithmetic(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("while (("));
	repeat(out, "abcd", n);
	buf_add_str(out, STR("=1)); do ls; done"));
}

static void one_name_in_awk(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("awk '{ "));
	repeat(out, "abcd", n);
	buf_add_str(out, STR(" }'"));
}

static void one_cluster_of_letters(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("ls -"));
	repeat(out, "abcd", n);
	buf_add_str(out, STR("; git push -"));
	repeat(out, "x", MIN(n, 2000));
}

static void many_words(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("cat"));
	repeat(out, " a", n);
}

static void many_hidden_files(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("cat"));
	repeat(out, " .?*", n);
}

static void a_deep_path(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("cat x"));
	repeat(out, "/.?*", n);
}

static void many_redirections(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("ls"));
	repeat(out, " >a a", MIN(n, 3000));
}

static void many_branches(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("if a; then b"));
	repeat(out, "; elif a; then b=$b$b", MIN(n, 2500));
	buf_add_str(out, STR("; fi"));
}

static void many_functions(struct buf *out, unsigned n)
{
	for (unsigned i = 0; i < MIN(n, 1500); i++)
		buf_printf(out, "f%u(){ f%u; };", i, i);
	repeat(out, "fx;", MIN(n, 1000));
}

static void many_commands(struct buf *out, unsigned n)
{
	repeat(out, "rm -f a/b c/d;", n);
}

static void many_variables(struct buf *out, unsigned n)
{
	for (unsigned i = 0; i < MIN(n, 3000); i++)
		buf_printf(out, "v%u=1||v%u=2;", i, i);
}

static void joined_by_find(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("find ."));
	repeat(out, " -exec env sh -c 'ls {}' \\;", n);
}

static void wrappers_in_wrappers(struct buf *out, unsigned n)
{
	repeat(out, "env ", n);
	buf_add_str(out, STR("ls"));
	repeat(out, " a", n);
}

static void documents(struct buf *out, unsigned n)
{
	for (unsigned i = 0; i < MIN(n, 1000); i++)
		buf_add_str(out, STR("cat <<A\n$(ls $(ls $(ls)))\nA\n"));
}

static void doubled_by_defaults(struct buf *out, unsigned n)
{
	buf_add_str(out, STR("a=x"));
	for (unsigned i = 1; i < MIN(n, 900); i++)
		buf_add_str(out, STR(";: ${b:=$a$a};a=$b$a$b"));
	buf_add_str(out, STR(";cat $a"));
}

static void doubled_by_home(struct buf *out, unsigned n)
{
	repeat(out, "cd;cd $HOME$PWD$HOME$PWD;", n);
	buf_add_str(out, STR("cat $PWD$PWD$PWD"));
}

static const struct {
	const char *name;
	shape *fill;
} shapes[] = {
	{ "doubled variables", doubled_variables },
	{ "doubled in quotes", doubled_in_quotes },
	{ "doubled in a directory", doubled_in_a_directory },
	{ "a long way down", a_long_way_down },
	{ "doubled in a branch", doubled_in_a_branch },
	{ "doubled in a loop", doubled_in_a_loop },
	{ "nested substitutions", nested_substitutions },
	{ "substitutions side by side", substitutions_side_by_side },
	{ "shells in shells", shells_in_shells },
	{ "evals of doubles", evals_of_doubles },
	{ "braces of a long word", braces_of_a_long_word },
	{ "braces that never close", braces_that_never_close },
	{ "many ansi quotes", many_ansi_quotes },
	{ "many backquotes", many_backquotes },
	{ "one name in arithmetic", one_name_in_arithmetic },
	{ "one name in awk", one_name_in_awk },
	{ "one cluster of letters", one_cluster_of_letters },
	{ "many words", many_words },
	{ "many hidden files", many_hidden_files },
	{ "a deep path", a_deep_path },
	{ "many redirections", many_redirections },
	{ "many branches", many_branches },
	{ "many functions", many_functions },
	{ "many commands", many_commands },
	{ "many variables", many_variables },
	{ "joined by find", joined_by_find },
	{ "wrappers in wrappers", wrappers_in_wrappers },
	{ "documents", documents },
	{ "doubled by defaults", doubled_by_defaults },
	{ "doubled by home", doubled_by_home },
};

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What a hostile repository may bring: many rules, with patterns that backtrack. */
static void add_rules(struct rules *rs, unsigned n)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error e;

	buf_add_str(&text, STR("{\"rules\":[{\"effect\":\"allow\",\"tool\":\"x\"}"));
	for (unsigned i = 0; i < n; i++)
		buf_printf(&text,
		           ",{\"effect\":\"deny\",\"command\":[\"zz%u\",\"*a*b*c*d*e\",\"-rf\"]},"
		           "{\"effect\":\"ask\",\"path\":\"**/a%u/**/*b*/**/c?\"},"
		           "{\"effect\":\"allow\",\"command\":[\"**\",\"*a*a*a*b\"]}",
		           i, i);
	buf_add_str(&text, STR("]}"));
	CHECK_OK(rules_add(rs, buf_str(&text), (struct rule_origin){ RULE_USER, true }, &e), &e);
}

static struct str same_path(void *owner, struct arena *mem, struct str path)
{
	(void)owner;
	return arena_keep(mem, path);
}

static void judge_shape(const char *name, struct str line, const struct rules *rs)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct policy_call call = {
		.command = line,
		.place = { .cwd = STR("/ws"), .home = STR("/home/u"), .real = same_path },
		.how = { .is_interactive = true }
	};
	struct rec_permission_decision d;
	int64_t begin = cpu_ms(), took;

	evaluate_command(mem, rs, &call, &d);
	took = cpu_ms() - begin;
	if (getenv("SHOW_COST"))
		fprintf(stderr, "%-28s %6zu bytes: %5lld ms %8zu KiB %.*s %.*s\n", name, line.len,
		        (long long)took, arena_used(mem) / 1024,
		        STR_ARG(approval_decision_word(d.decision)),
		        STR_ARG(str_head(d.decision_reason, 60)));
	if (took > MS_MAX || arena_used(mem) > BYTES_MAX)
		fprintf(stderr, "%s, %zu bytes: %lld ms, %zu bytes of memory\n", name, line.len,
		        (long long)took, arena_used(mem));
	CHECK(took <= MS_MAX);
	CHECK(arena_used(mem) <= BYTES_MAX);
	CHECK(d.decision && d.decision_reason.len);
}

static void judge_shapes(unsigned rule_count)
{
	static const unsigned sizes[] = { 3, 12, 40, 60, 300, 1000, 4000, 13000 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rules rs = { .mem = mem };

	add_rules(&rs, rule_count);
	for (size_t i = 0; i < COUNT_OF(shapes); i++)
		for (size_t k = 0; k < COUNT_OF(sizes); k++) {
			CLEANUP(buf_done) struct buf line = { 0 };

			shapes[i].fill(&line, sizes[k]);
			if (line.len <= SHELL_BYTES_MAX)
				judge_shape(shapes[i].name, buf_str(&line), &rs);
		}
}

TEST(no_line_costs_more_than_its_budget)
{
	judge_shapes(0);
}

TEST(nor_do_the_rules_that_it_is_compared_with)
{
	judge_shapes(1300);
}

TEST(what_is_beyond_the_budget_is_not_understood)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf line = { 0 };
	struct rules rs = { .mem = mem };
	struct policy_call call = { .place = { .cwd = STR("/ws") } };
	struct rec_permission_decision d;

	doubled_variables(&line, 60);
	call.command = buf_str(&line);
	call.how.is_interactive = true;
	evaluate_command(mem, &rs, &call, &d);
	CHECK_INT(d.decision, APPROVAL_DECISION_ASK);
	CHECK_HAS(d.decision_reason, "not understood");
	call.how.is_interactive = false;
	evaluate_command(mem, &rs, &call, &d);
	CHECK_INT(d.decision, APPROVAL_DECISION_DENY);
	call.how.mode = PERMISSION_MODE_BYPASS;
	evaluate_command(mem, &rs, &call, &d);
	CHECK_INT(d.decision, APPROVAL_DECISION_DENY);
}

/* Whatever is after or around it. */
TEST(what_is_denied_stays_denied_when_the_budget_runs_out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf line = { 0 };
	struct rules rs = { .mem = mem };
	struct policy_call call = { .place = { .cwd = STR("/ws") }, .how.is_interactive = true };
	struct rec_permission_decision d;
	struct error e;

	CHECK_OK(rules_add(&rs, STR("{\"rules\":[{\"effect\":\"deny\",\"command\":\"rm -rf\"}]}"),
	                   (struct rule_origin){ RULE_USER, true }, &e),
	         &e);
	buf_add_str(&line, STR("rm -rf src;"));
	doubled_variables(&line, 100);
	call.command = buf_str(&line);
	evaluate_command(mem, &rs, &call, &d);
	CHECK_INT(d.decision, APPROVAL_DECISION_DENY);
	buf_clear(&line);
	many_commands(&line, 2000);
	buf_add_str(&line, STR("rm -rf src"));
	call.command = buf_str(&line);
	evaluate_command(mem, &rs, &call, &d);
	CHECK(d.decision == APPROVAL_DECISION_ASK || d.decision == APPROVAL_DECISION_DENY);
}

TEST_MAIN()

/* The parser of command lines: which simple commands it finds, and what it refuses to parse. */
#include "policy/shell/parse.h"
#include "lib/t.h"

#include "base/buf.h"

/* ---- what is seen, as text: words with | between, commands with ; ---- */

static void write_command(void *owner, const struct shell_node *n)
{
	struct buf *out = owner;

	if (!n->words)
		return;
	if (out->len)
		buf_add_str(out, STR("; "));
	for (const struct shell_word *w = n->words; w; w = w->next) {
		if (w != n->words)
			buf_add_str(out, STR("|"));
		if (w->flags & SHELL_SPLITS)
			buf_add_str(out, STR("@"));
		else if (!shell_is_known(w))
			buf_add_str(out, STR("?"));
		else
			buf_add_str(out, w->value);
	}
}

static bool sees_as(const char *line, enum shell_dialect dialect, const char *wanted)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct shell_script *s = parse_shell_read(mem, str_from(line), dialect, NULL);

	if (str_is(s->trouble))
		buf_add_str(&out, STR("trouble"));
	else
		expand_shell_each(s->root, write_command, &out);
	if (str_eq(buf_str(&out), str_from(wanted)))
		return true;
	printf("%s\n  seen   %.*s\n  wanted %s\n", line, STR_ARG(buf_str(&out)), wanted);
	return false;
}

static bool sees(const char *line, const char *wanted)
{
	return sees_as(line, SHELL_BASH, wanted);
}

static bool refuses(const char *line)
{
	return sees(line, "trouble");
}

/* ---- words ---- */

TEST(quotes_are_removed_and_words_are_kept_together)
{
	CHECK(sees("echo 'a b' \"c d\" e\\ f", "echo|a b|c d|e f"));
	CHECK(sees("l's' \"-\"'l'a", "ls|-la"));
	CHECK(sees("$'l\\x73' $'a\\tb'", "ls|a\tb"));
	CHECK(sees("echo '' \"\"", "echo||"));
	CHECK(sees("c\\\nat x", "cat|x"));
}

TEST(a_word_that_depends_on_the_moment_is_not_known)
{
	CHECK(sees("cat \"$f\"", "cat|?"));
	CHECK(sees("cat $f", "cat|@"));
	CHECK(sees("cat *.c", "cat|?"));
	CHECK(sees("cat ~/x", "cat|?"));
	CHECK(sees("echo \"a$((1+1))\"", "echo|?"));
	CHECK(sees("$x y", "@|y"));
}

TEST(braces_make_several_words_of_one)
{
	CHECK(sees("{rm,-rf,x}", "rm|-rf|x"));
	CHECK(sees("echo a{b,c}d", "echo|abd|acd"));
	CHECK(sees("echo {1..3}", "echo|1|2|3"));
	CHECK(sees("echo '{a,b}' {a}", "echo|{a,b}|{a}"));
}

TEST(comments_begin_where_bash_says)
{
	CHECK(sees("ls # rm x", "ls"));
	CHECK(sees("ls a#b", "ls|a#b"));
	CHECK(sees("ls #x\nrm y", "ls; rm|y"));
	CHECK(sees("echo \"#\" x", "echo|#|x"));
}

/* ---- commands ---- */

TEST(every_simple_command_of_a_line_is_seen)
{
	CHECK(sees("a; b && c || d | e & f", "a; b; c; d; e; f"));
	CHECK(sees("(a; b); { c; }", "a; b; c"));
	CHECK(sees("! a", "a"));
	CHECK(sees("if a; then b; elif c; then d; else e; fi", "a; b; c; d; e"));
	CHECK(sees("while a; do b; done; until c; do d; done", "a; b; c; d"));
	CHECK(sees("for x in 1 2; do a \"$x\"; done", "a|?"));
	CHECK(sees("case $x in a) b;; *) c;; esac", "b; c"));
	CHECK(sees("f() { a; }; f", "a; f"));
	CHECK(sees("time a", "a"));
	CHECK(sees("coproc a", "a"));
	CHECK(sees("a\nb", "a; b"));
}

TEST(substitutions_are_commands_wherever_they_stand)
{
	CHECK(sees("echo $(a)", "a; echo|@"));
	CHECK(sees("echo `a`", "a; echo|@"));
	CHECK(sees("echo \"x$(a \"$(b)\")\"", "b; a|?; echo|?"));
	CHECK(sees("diff <(a) <(b)", "a; b; diff|?|?"));
	CHECK(sees("echo ${x:-$(a)}", "a; echo|@"));
	CHECK(sees("x=$(a) b", "a; b"));
	CHECK(sees("ls > $(a)", "a; ls"));
	CHECK(sees("echo $(( $(a) + 1 ))", "a; echo|@"));
	CHECK(sees("echo '$(a)' \\$\\(b\\)", "echo|$(a)|$(b)"));
}

TEST(here_documents_are_read_as_bash_reads_them)
{
	CHECK(sees("cat <<E\n$(a)\nE\nb", "a; cat; b"));
	CHECK(sees("cat <<'E'\n$(a)\nE\nb", "cat; b"));
	CHECK(sees("cat <<-E\n\tx\n\tE\nb", "cat; b"));
	CHECK(sees("cat <<E; b\nx\nE", "cat; b"));
	CHECK(sees("cat <<< \"$(a)\"", "a; cat"));
	CHECK(refuses("cat <<E\nx"));
}

/* ---- trouble ---- */

TEST(what_is_not_whole_is_trouble)
{
	static const char *const lines[] = { "ls &&",  "(ls",     "ls )",     "\"ls",   "'ls",
		                             "ls |",   "if ls",   "for x in", "case x", "$(ls",
		                             "`ls",    "echo ${", "ls ;; x",  "&& ls",  "| ls",
		                             "{ ls; ", "}",       "done",     "[[ x",   "((1",
		                             "ls > ",  "f() ",    "ls & & x", "cat <<" };

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		CHECK(refuses(lines[i]));
}

TEST(sh_is_not_taken_for_bash)
{
	CHECK(sees_as("cat <(a)", SHELL_POSIX, "trouble"));
	CHECK(sees_as("[[ a = b ]]", SHELL_POSIX, "trouble"));
	CHECK(sees_as("a; b", SHELL_POSIX, "a; b"));
}

TEST(a_nul_is_never_a_part_of_a_line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct shell_script *s = parse_shell_read(mem, str_of("ls\0rm x", 7), SHELL_BASH, NULL);

	CHECK(str_is(s->trouble) || s->oddities);
}

static unsigned oddities_of(const char *line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	return parse_shell_read(mem, str_from(line), SHELL_BASH, NULL)->oddities;
}

TEST(what_meets_the_eye_must_be_what_runs)
{
	CHECK(oddities_of("ls \033[2J") & SHELL_ODD_CONTROL);
	CHECK(oddities_of("ls \xe2\x80\xae x") & SHELL_ODD_BIDI);
	CHECK(oddities_of("l\xe2\x80\x8bs") & SHELL_ODD_INVISIBLE);
	CHECK(oddities_of("ls \xff") & SHELL_ODD_BYTES);
	CHECK(expand_odd_name(STR("\xd1\x81url")) & SHELL_ODD_LOOKALIKE); /* a Cyrillic letter */
	CHECK(!oddities_of("grep \"gr\xc3\xbc\xc3\x9f"
	                   "e\" x"));
	CHECK(!oddities_of("echo 'a\tb'"));
}

TEST(bounds_are_trouble_and_never_a_short_answer)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *line = arena_alloc(mem, SHELL_BYTES_MAX + 16);
	char deep[4 * SHELL_DEPTH_MAX + 8] = "";

	memset(line, 'a', SHELL_BYTES_MAX + 1);
	CHECK(str_is(parse_shell_read(mem, str_of(line, SHELL_BYTES_MAX + 1), SHELL_BASH, NULL)
	                     ->trouble));
	CHECK(!str_is(
		parse_shell_read(mem, str_of(line, SHELL_BYTES_MAX), SHELL_BASH, NULL)->trouble));
	for (int i = 0; i < SHELL_DEPTH_MAX + 1; i++)
		strcat(deep, "( ");
	strcat(deep, "ls");
	for (int i = 0; i < SHELL_DEPTH_MAX + 1; i++)
		strcat(deep, ")");
	CHECK(refuses(deep));
	CHECK(sees("( ( ( ls ) ) )", "ls"));
}

TEST(redirections_and_assignments_are_kept)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct shell_node *n =
		parse_shell_read(mem, STR("A=1 ls 2>&1 > out < in"), SHELL_BASH, NULL)->root->first;

	while (n->first)
		n = n->first;
	CHECK(n->kind == SHELL_SIMPLE && str_eq(n->assigns->name, STR("A")));
	CHECK(n->redirs->op == SHELL_DUP_OUT && n->redirs->is_dup && n->redirs->fd == 2);
	CHECK(n->redirs->next->op == SHELL_OUT &&
	      str_eq(n->redirs->next->target->value, STR("out")));
	CHECK(n->redirs->next->next->op == SHELL_IN);
}

TEST_MAIN()

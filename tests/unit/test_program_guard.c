/* The guard of privileged programs, and the agent's directories that it knows. */
#include "lib/t.h"

#include "supervisor_client/program_guard.h"

#include <stdio.h>

static enum err check(struct program_guard *g, struct arena *mem, const char *program,
                      struct error *e)
{
	struct str words[] = { str_from(program) };
	struct program_found found;

	return program_guard_check(g, mem, &(struct sandbox_paths){ words, 1 }, STR("/nowhere"),
	                           false, &found, e);
}

TEST(a_program_below_any_of_thousands_of_write_roots_is_refused)
{
	struct arena *mem = arena_new();
	struct program_guard *g = program_guard_new(STR_NONE);
	struct error e;

	CHECK_INT(check(g, mem, "/usr/bin/true", &e), OK);
	for (int i = 0; i < 20000; i++)
		program_guard_add(g, arena_printf(mem, "/work-%d/tree", i));
	program_guard_add(g, STR("/work-7/tree/below")); /* is known */
	CHECK_INT(program_guard_roots(g).count, 20000);
	CHECK_INT(check(g, mem, "/usr/bin/true", &e), OK);
	program_guard_add(g, STR("/usr/bin"));
	CHECK_INT(check(g, mem, "/usr/bin/true", &e), ERR_INVALID);
	CHECK(strstr(e.message, "lies in /usr/bin"));
	program_guard_free(g);
	arena_free(mem);
}

TEST(when_a_write_root_cannot_be_kept_in_mind_nothing_is_privileged)
{
	struct arena *mem = arena_new();
	struct program_guard *g = program_guard_new(STR_NONE);
	struct error e;
	char path[32];

	for (int i = 0; i <= 65536; i++) {
		snprintf(path, sizeof path, "/work-%d", i);
		program_guard_add(g, str_from(path));
	}
	CHECK_INT(check(g, mem, "/usr/bin/true", &e), ERR_INVALID);
	CHECK(strstr(e.message, "more directories than are kept in mind"));
	program_guard_free(g);
	arena_free(mem);
}

TEST_MAIN()

/* The guard of privileged programs, and the agent's directories that it knows. */
#include "lib/t.h"

#include "supervisor_client/program_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A program, and a file that it is given if there is one. */
static enum err check_with(struct program_guard *g, struct arena *mem, const char *program,
                           const char *file, struct error *e)
{
	struct str words[] = { str_from(program), file ? str_from(file) : STR_NONE };
	struct program_found found;

	return program_guard_check(g, mem, &(struct sandbox_paths){ words, file ? 2 : 1 },
	                           STR("/nowhere"), false, &found, e);
}

static enum err check(struct program_guard *g, struct arena *mem, const char *program,
                      struct error *e)
{
	return check_with(g, mem, program, NULL, e);
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

/* Only root can make devices and give files away; elsewhere there is nothing to look at. */
TEST(the_owner_of_a_file_counts_and_the_owner_of_dev_null_does_not)
{
	struct arena *mem = arena_new();
	struct program_guard *g = program_guard_new(STR_NONE);
	char null[64], file[] = "/tmp/thole-guard-XXXXXX";
	int fd = mkstemp(file);
	struct error e;

	CHECK(fd >= 0);
	snprintf(null, sizeof null, "/dev/thole-guard-%d", (int)getpid());
	if (!mknod(null, S_IFCHR | 0666, makedev(1, 3)) && !chown(null, 10001, 10001) &&
	    !fchown(fd, 10001, 10001)) {
		CHECK_INT(check_with(g, mem, "/usr/bin/true", null, &e), OK);
		CHECK_INT(check_with(g, mem, "/usr/bin/true", file, &e), ERR_INVALID);
		CHECK(strstr(e.message, "belongs to another user"));
	}
	unlink(null);
	unlink(file);
	close(fd);
	program_guard_free(g);
	arena_free(mem);
}

TEST_MAIN()

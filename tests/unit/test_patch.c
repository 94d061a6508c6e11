/* Patches: both formats, hunks that match in one place, and clear messages about all others. */
#include "text/patch.h"

#include "lib/t.h"

static const char old_text[] =
	"int main(void)\n{\n\tone();\n\ttwo();\n}\n\nint other(void)\n{\n\tone();\n}\n";

/* What the only file of the patch becomes; absent with what went wrong in message. */
static struct str applied(struct arena *mem, const char *text, const char *old, struct error *e)
{
	struct patch p;
	struct str new = STR_NONE;

	if (patch_read(str_from(text), &p, e) != OK || p.count != 1 ||
	    patch_apply(mem, &p.files[0], str_from(old), &new, e) != OK)
		return STR_NONE;
	return new;
}

TEST(both_forms_name_files_and_what_becomes_of_them)
{
	struct patch p;
	struct error e;

	CHECK_OK(patch_read(STR("*** Begin Patch\n*** Update File: src/a.c\n@@\n-x\n+y\n*** Add "
	                        "File: new.txt\n+a\n"
	                        "*** Delete File: old.txt\n*** End Patch\n"),
	                    &p, &e),
	         &e);
	CHECK(p.count == 3);
	CHECK(p.files[0].kind == PATCH_UPDATE && p.files[1].kind == PATCH_ADD &&
	      p.files[2].kind == PATCH_DELETE);
	CHECK_STR(p.files[1].path, "new.txt");

	CHECK_OK(patch_read(STR("diff --git a/src/a.c b/src/a.c\nindex 1..2 100644\n--- "
	                        "a/src/a.c\t2024\n+++ b/src/a.c\n"
	                        "@@ -1 +1 @@\n-x\n+y\ndiff --git a/n b/n\nnew file mode "
	                        "100644\n--- /dev/null\n+++ b/n\n"
	                        "@@ -0,0 +1 @@\n+a\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n"),
	                    &p, &e),
	         &e);
	CHECK(p.count == 3);
	CHECK_STR(p.files[0].path, "src/a.c");
	CHECK(p.files[1].kind == PATCH_ADD && p.files[2].kind == PATCH_DELETE);
	CHECK_STR(p.files[2].path, "o");
}

TEST(a_removed_and_an_added_line_that_look_like_a_header_are_none)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct error e;
	struct patch p;

	/* The numbers of the hunk say that they are lines of it, even before another hunk. */
	CHECK_STR(applied(mem,
	                  "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n"
	                  "@@ -4 +4 @@\n-c\n+d\n",
	                  "a\n-- x\nb\nc\n", &e),
	          "a\n++ y\nb\nd\n");
	/* Without numbers, and with wrong ones, a header is followed by a hunk. */
	CHECK_STR(applied(mem, "--- a/q.sql\n+++ b/q.sql\n@@\n a\n--- x\n+++ y\n", "a\n-- x\nb\n",
	                  &e),
	          "a\n++ y\nb\n");
	CHECK_STR(applied(mem, "--- a/q.sql\n+++ b/q.sql\n@@ -1,9 +1,9 @@\n a\n--- x\n+++ y\n b\n",
	                  "a\n-- x\nb\n", &e),
	          "a\n++ y\nb\n");
	CHECK_OK(patch_read(STR("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y\n+++ b/y\n"
	                        "@@ -1 +1 @@\n-a\n+b\n"),
	                    &p, &e),
	         &e);
	CHECK(p.count == 2);
}

TEST(what_is_no_patch_is_an_error_that_names_the_line)
{
	static const char *const bad[] = {
		"",
		"hello\n",
		"*** Begin Patch\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@\n-x\n",
		"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch\n",
		"*** Begin Patch\n*** Add File: \n+x\n*** End Patch\n",
		"--- a/x\n+++ b/y\n@@ -1 +1 @@\n-x\n+y\n",
		"*** Begin Patch\n*** Add File: a\n+x\n*** Add File: a\n+y\n*** End Patch\n",
	};
	struct patch p;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct error e = { 0 };

		CHECK(patch_read(str_from(bad[i]), &p, &e) == ERR_INVALID);
		CHECK(strstr(e.message, "line "));
	}
}

TEST(a_hunk_goes_where_its_lines_stand)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct error e;

	CHECK_STR(applied(mem,
	                  "*** Begin Patch\n*** Update File: a\n@@\n "
	                  "\tone();\n-\ttwo();\n+\t2();\n*** End Patch\n",
	                  old_text, &e),
	          "int main(void)\n{\n\tone();\n\t2();\n}\n\nint other(void)\n{\n\tone();\n}\n");
	/* the second of two, by the line above it, and by its number */
	CHECK_STR(applied(mem,
	                  "*** Begin Patch\n*** Update File: a\n@@ int "
	                  "other(void)\n-\tone();\n+\t1();\n*** End Patch\n",
	                  old_text, &e),
	          "int main(void)\n{\n\tone();\n\ttwo();\n}\n\nint other(void)\n{\n\t1();\n}\n");
	CHECK_STR(applied(mem, "--- a/a\n+++ b/a\n@@ -9 +9 @@\n-\tone();\n+\t1();\n", old_text, &e),
	          "int main(void)\n{\n\tone();\n\ttwo();\n}\n\nint other(void)\n{\n\t1();\n}\n");
	/* numbers that are off, where there is one place only; two hunks */
	CHECK_STR(applied(mem,
	                  "--- a/a\n+++ b/a\n@@ -2,2 +2,2 @@\n-\ttwo();\n+\t2();\n@@ -7 +7 "
	                  "@@\n-int other(void)\n+int last(void)\n",
	                  old_text, &e),
	          "int main(void)\n{\n\tone();\n\t2();\n}\n\nint last(void)\n{\n\tone();\n}\n");
}

TEST(what_fits_nowhere_or_twice_changes_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct error e = { 0 };

	CHECK(!str_is(applied(
		mem, "*** Begin Patch\n*** Update File: a\n@@\n-\tone();\n+x\n*** End Patch\n",
		old_text, &e)));
	CHECK(strstr(e.message, "several places"));
	CHECK(!str_is(applied(
		mem, "*** Begin Patch\n*** Update File: a\n@@\n-\tthree();\n+x\n*** End Patch\n",
		old_text, &e)));
	CHECK(strstr(e.message, "do not stand there"));
	CHECK(!str_is(applied(mem,
	                      "*** Begin Patch\n*** Update File: a\n@@ no such "
	                      "line\n-\ttwo();\n+x\n*** End Patch\n",
	                      old_text, &e)));
	CHECK(!str_is(applied(mem, "*** Begin Patch\n*** Update File: a\n@@\n*** End Patch\n",
	                      old_text, &e)));
	CHECK(!str_is(applied(mem, "*** Begin Patch\n*** Update File: a\nno mark\n*** End Patch\n",
	                      old_text, &e)));
	/* in the wrong order */
	CHECK(!str_is(applied(mem,
	                      "*** Begin Patch\n*** Update File: a\n@@\n-int "
	                      "other(void)\n+x\n@@\n-\ttwo();\n+y\n*** End Patch\n",
	                      old_text, &e)));
}

TEST(ends_of_files_stay_as_they_are_unless_it_is_said)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct error e;

	CHECK_STR(applied(mem, "*** Begin Patch\n*** Update File: a\n@@\n-b\n+c\n*** End Patch\n",
	                  "a\nb", &e),
	          "a\nc");
	CHECK_STR(applied(mem,
	                  "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of "
	                  "file\n+c\n",
	                  "a\nb", &e),
	          "a\nc\n");
	CHECK_STR(applied(mem,
	                  "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of "
	                  "file\n",
	                  "a\nb\n", &e),
	          "a\nc");
	CHECK_STR(applied(mem, "*** Begin Patch\n*** Add File: n\n+one\n+\n+two\n*** End Patch\n",
	                  "", &e),
	          "one\n\ntwo\n");
}

TEST_MAIN()

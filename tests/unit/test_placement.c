/* Which node has the directory of a session, and what a node says about itself. */
#include "lib/t.h"

#include "base/os/machine.h"
#include "core/session/placement.h"

#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *read_text(struct arena *mem, const struct rec_desc *desc, const char *text)
{
	void *rec = arena_alloc(mem, desc->size);
	struct json doc;
	struct error e;

	CHECK_INT(json_read(mem, str_from(text), &doc, &e), OK);
	CHECK_INT(rec_read(mem, doc, desc, REC_TRUSTED, rec, &e), OK);
	return rec;
}

static const char node[] = "{\"name\":\"a\",\"machine\":\"m1\",\"isReached\":true,\"labels\":["
			   "\"gpu\",\"disk\"],\"workspaces\":["
			   "{\"name\":\"own\",\"path\":\"/own\",\"isShared\":false},"
			   "{\"name\":\"docs\",\"path\":\"/docs\",\"isShared\":true}]}";

TEST(a_node_fits_by_its_name_its_machine_or_a_shared_workspace_and_has_every_label)
{
	static const struct {
		const char *placement, *cwd;
		bool fits;
	} cases[] = {
		{ "{}", "/x", true },
		{ "{\"node\":\"a\"}", "/x", true },
		{ "{\"node\":\"b\"}", "/x", false },
		{ "{\"node\":\"b\",\"machine\":\"m1\"}", "/x", true },
		{ "{\"node\":\"b\",\"machine\":\"m2\"}", "/x", false },
		/* After the machine was started again. */
		{ "{\"node\":\"a\",\"machine\":\"m0\"}", "/x", true },
		{ "{\"labels\":[\"gpu\"]}", "/x", true },
		{ "{\"labels\":[\"gpu\",\"tape\"]}", "/x", false },
		{ "{\"node\":\"a\",\"labels\":[\"tape\"]}", "/x", false },
		{ "{\"workspace\":\"docs\"}", "/docs/a", true },
		{ "{\"workspace\":\"docs\"}", "/docsa", false },
		{ "{\"workspace\":\"docs\"}", NULL, true },
		/* Another node's copy. */
		{ "{\"workspace\":\"own\"}", "/own", false },
		{ "{\"workspace\":\"own\",\"node\":\"a\"}", "/own", true },
		{ "{\"workspace\":\"own\",\"node\":\"b\"}", "/own", false },
		{ "{\"workspace\":\"none\"}", "/x", false },
	};
	struct arena *mem = arena_new();
	const struct rec_node_place *own = read_text(mem, &rec_node_place_desc, node);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct rec_placement *p =
			read_text(mem, &rec_placement_desc, cases[i].placement);

		if (placement_fits(p, str_from(cases[i].cwd), own) != cases[i].fits)
			fprintf(stderr, "%s in %s\n", cases[i].placement, cases[i].cwd);
		CHECK(placement_fits(p, str_from(cases[i].cwd), own) == cases[i].fits);
		CHECK(placement_fits(p, str_from(cases[i].cwd), NULL));
	}
	CHECK(placement_fits(NULL, STR("/x"), own));
	arena_free(mem);
}

/* Otherwise a turn would wait for a node that never finds it. */
TEST(a_node_that_fits_looks_for_one_of_the_words_of_the_placement)
{
	static const char *const placements[] = {
		"{\"node\":\"a\",\"machine\":\"m9\"}",
		"{\"node\":\"b\",\"machine\":\"m1\"}",
		"{\"workspace\":\"docs\"}",
		"{\"workspace\":\"docs\",\"labels\":[\"gpu\"]}",
		"{\"labels\":[\"disk\",\"gpu\"]}",
		"{\"node\":\"a\",\"workspace\":\"own\"}",
	};
	struct arena *mem = arena_new();
	const struct rec_node_place *own = read_text(mem, &rec_node_place_desc, node);
	const struct str *mine;
	size_t count = placement_keys_of_node(mem, own, &mine);

	for (size_t i = 0; i < COUNT_OF(placements); i++) {
		const struct rec_placement *p = read_text(mem, &rec_placement_desc, placements[i]);
		struct str keys[PLACEMENT_KEYS];
		size_t key_count = placement_keys(mem, p, keys), met = 0;

		CHECK(placement_fits(p, STR_NONE, own));
		for (size_t k = 0; k < key_count; k++)
			for (size_t m = 0; m < count; m++)
				met += str_eq(keys[k], mine[m]);
		CHECK_INT(met, 1);
	}
	arena_free(mem);
}

TEST(names_have_letters_digits_and_three_signs)
{
	CHECK(placement_is_name(STR("gpu-1_a.b")));
	CHECK(!placement_is_name(STR("")));
	CHECK(!placement_is_name(STR("a b")));
	CHECK(!placement_is_name(STR("a=b")));
	CHECK(!placement_is_name(STR("\303\244")));
	CHECK(placement_is_name(STR("0123456789012345678901234567890123456789")));
	CHECK(!placement_is_name(STR("01234567890123456789012345678901234567890")));
}

TEST(processes_of_one_machine_see_the_same_files_and_those_with_other_mounts_do_not)
{
	struct arena *mem = arena_new();
	struct str here = machine_files(mem);
	int ends[2], status;
	char there[64] = { 0 };
	pid_t child;

	CHECK_INT(here.len, 16);
	CHECK(str_eq(machine_files(mem), here));
	CHECK_INT(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct str word;

		if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
			_exit(77);
		word = machine_files(mem);
		_exit(write(ends[1], word.ptr, word.len) == (ssize_t)word.len ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) != 77) {
		CHECK_INT(WEXITSTATUS(status), 0);
		CHECK_INT(read(ends[0], there, sizeof there), 16);
		CHECK(!str_eq(str_from(there), here));
	}
	close(ends[0]);
	close(ends[1]);
	arena_free(mem);
}

TEST_MAIN()

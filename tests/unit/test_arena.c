#include "base/arena.h"
#include "base/memory.h"

#include "lib/t.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

TEST(memory_is_zeroed_and_aligned_whatever_the_size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	for (int round = 0; round < 3; round++) {
		for (size_t size = 0; size < 70000; size = size * 2 + 1) {
			char *p = arena_alloc(a, size);

			CHECK(p && (uintptr_t)p % 16 == 0);
			CHECK(is_zero(p, size));
			memset(p, 0xee, size);
		}
		arena_reset(a);
	}
}

TEST(allocations_do_not_overlap)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	unsigned char *all[1000];
	size_t sizes[1000];

	for (size_t i = 0; i < 1000; i++) {
		sizes[i] = i * 7919 % 3000 + (i % 100 == 0 ? 40000 : 0);
		all[i] = arena_alloc(a, sizes[i]);
		memset(all[i], (int)(i % 251), sizes[i]);
	}
	for (size_t i = 0; i < 1000; i++)
		for (size_t at = 0; at < sizes[i]; at++)
			CHECK(all[i][at] == i % 251);
}

TEST(use_is_counted_until_a_reset)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	CHECK_INT(arena_used(a), 0);
	arena_alloc(a, 100);
	CHECK(arena_used(a) >= 100 && arena_used(a) < 130);
	arena_alloc(a, 1000000);
	CHECK(arena_used(a) >= 1000100 && arena_used(a) < 1000200);
	arena_reset(a);
	CHECK_INT(arena_used(a), 0);
}

TEST(a_reset_gives_the_same_first_block_again)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	void *first = arena_alloc(a, 8);

	for (int i = 0; i < 100; i++)
		arena_alloc(a, 5000);
	arena_reset(a);
	CHECK(arena_alloc(a, 8) == first);
	for (int i = 0; i < 100; i++)
		CHECK(is_zero(arena_alloc(a, 5000), 5000));
	arena_reset(a);
	arena_reset(a);
	CHECK(arena_alloc(a, 8) == first);
}

TEST(the_newest_array_grows_and_shrinks_in_place)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char *p = arena_alloc(a, 10);

	memset(p, 'x', 10);
	CHECK(arena_grow(a, p, 10, 50) == p);
	CHECK(p[9] == 'x' && is_zero(p + 10, 40));
	memset(p, 'y', 50);
	CHECK(arena_grow(a, p, 50, 5) == p);

	size_t used = arena_used(a);

	CHECK(arena_grow(a, p, 5, 50) == p);
	CHECK(p[4] == 'y' && is_zero(p + 5, 45));
	CHECK_INT(arena_used(a), used + 45);
}

TEST(an_older_array_grows_by_moving)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char *p = arena_alloc(a, 10);

	memset(p, 'x', 10);
	arena_alloc(a, 1);
	CHECK(arena_grow(a, p, 10, 4) == p);

	char *q = arena_grow(a, p, 10, 9000);

	CHECK(q != p && q[0] == 'x' && q[9] == 'x' && is_zero(q + 10, 8990));
	q = arena_grow(a, q, 9000, 200000);
	CHECK(q[9] == 'x' && is_zero(q + 10, 199990));
	CHECK(is_zero(arena_grow(a, NULL, 0, 64), 64));
}

TEST(an_array_that_grows_step_by_step_keeps_its_content)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int *n = NULL;

	for (int count = 0; count < 20000; count++) {
		n = arena_grow(a, n, sizeof *n * (size_t)count, sizeof *n * (size_t)(count + 1));
		n[count] = count;
		if (count % 777 == 0)
			arena_alloc(a, 1);
	}
	for (int i = 0; i < 20000; i++)
		CHECK(n[i] == i);
}

TEST(kept_strings_are_copies_with_a_nul)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char text[] = "abc";
	struct str kept = arena_keep(a, str_of(text, 3));

	text[0] = 'x';
	CHECK_STR(kept, "abc");
	CHECK(kept.ptr[3] == '\0');
	CHECK(!str_is(arena_keep(a, STR_NONE)));
	CHECK_STR(arena_keep(a, STR("")), "");
	CHECK_STR(arena_keep(a, STR("a\0b")), "a\0b");
}

TEST(printing_takes_any_length)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	CHECK_STR(arena_printf(a, "%d-%s", 7, "x"), "7-x");
	CHECK_STR(arena_printf(a, "%s", ""), "");
	for (int width = 1; width < 40000; width = width * 3 + 1) {
		struct str s = arena_printf(a, "%*d", width, 5);

		CHECK_INT(s.len, width);
		CHECK(s.ptr[width - 1] == '5' && s.ptr[width] == '\0');
	}
}

TEST(every_place_in_a_block_is_a_good_end)
{
	for (size_t fill = 3900; fill < 4100; fill++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();

		memset(arena_alloc(a, fill), 1, fill);
		CHECK_STR(arena_keep(a, STR("x")), "x"); /* leaves the next one to be aligned */
		memset(arena_alloc(a, 40), 2, 40);
		CHECK_STR(arena_keep(a, STR("0123456789")), "0123456789");
		CHECK_STR(arena_printf(a, "%s", "0123456789"), "0123456789");
		CHECK(is_zero(arena_alloc(a, 33), 33));
	}
}

static void say_so(void)
{
	_exit(42);
}

static int how_a_child_ends(void (*run)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		run();
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void ask_for_too_much(void)
{
	memory_on_oom(say_so);
	arena_alloc(arena_new(), SIZE_MAX - 8);
}

static void ask_for_too_much_unheard(void)
{
	signal(SIGABRT, SIG_DFL);
	arena_alloc(arena_new(), SIZE_MAX / 2 + 1);
}

TEST(out_of_memory_calls_the_hook_or_aborts)
{
	CHECK_INT(how_a_child_ends(ask_for_too_much), 42);
	CHECK_INT(how_a_child_ends(ask_for_too_much_unheard), 1000 + SIGABRT);
}

TEST(nothing_is_freed_twice_or_not_at_all)
{
	arena_free(NULL);
	free(memory_alloc(0));
	free(memory_zeroed(0, 8));
	free(memory_resize(NULL, 0));
}

TEST_MAIN()

#include "base/map.h"

#include "base/arena.h"
#include "lib/t.h"

static int one, two;

TEST(an_empty_map_has_nothing)
{
	struct map m = { 0 };
	struct map_slot *slot;
	size_t at = 0;

	CHECK(!map_get(&m, STR("a")) && !map_remove(&m, STR("a")));
	CHECK(!map_get(&m, STR_NONE) && !map_remove(&m, STR_NONE));
	CHECK(!map_next(&m, &at, &slot));
	map_done(&m);
}

TEST(putting_tells_what_was_there)
{
	CLEANUP(map_done) struct map m = { 0 };

	CHECK(map_put(&m, STR("a"), &one) == NULL);
	CHECK(map_put(&m, STR("a"), &two) == &one);
	CHECK(map_get(&m, STR("a")) == &two && m.count == 1);
	CHECK(!map_get(&m, STR("A")) && !map_get(&m, STR("")) && !map_get(&m, STR_NONE));
	CHECK(map_remove(&m, STR("a")) == &two && m.count == 0);
	CHECK(!map_get(&m, STR("a")) && !map_remove(&m, STR("a")));
}

TEST(the_empty_key_is_a_key)
{
	CLEANUP(map_done) struct map m = { 0 };

	CHECK(!map_put(&m, STR(""), &one));
	CHECK(map_get(&m, STR("")) == &one && !map_get(&m, STR_NONE));
}

TEST(a_new_value_brings_its_own_key)
{
	CLEANUP(map_done) struct map m = { 0 };
	char first[] = "key", second[] = "key";

	map_put(&m, str_from(first), &one);
	map_put(&m, str_from(second), &two);
	first[0] = 'x';
	CHECK(map_get(&m, STR("key")) == &two);
}

/* Against the simplest map there is: an array indexed by the number in the key. */
TEST(random_work_agrees_with_an_array)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(map_done) struct map m = { 0 };
	enum { KEYS = 500 };
	struct str keys[KEYS];
	void *want[KEYS] = { 0 };
	uint64_t r = 1;
	size_t count = 0;

	for (int i = 0; i < KEYS; i++)
		keys[i] = arena_printf(mem, "key-%d", i);
	for (int step = 0; step < 200000; step++) {
		r = r * 6364136223846793005u + 1442695040888963407u;

		size_t k = (r >> 33) % (step / 20000 % 2 ? KEYS : 40);

		if ((r >> 60) < 8) {
			CHECK(map_put(&m, keys[k], &want[k]) == want[k]);
			count += !want[k];
			want[k] = &want[k];
		} else {
			CHECK(map_remove(&m, keys[k]) == want[k]);
			count -= !!want[k];
			want[k] = NULL;
		}
		CHECK(m.count == count);
		k = (r >> 20) % KEYS;
		CHECK(map_get(&m, keys[k]) == want[k]);
	}
	for (int i = 0; i < KEYS; i++)
		CHECK(map_get(&m, keys[i]) == want[i]);
}

TEST(a_walk_sees_everything_once)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(map_done) struct map m = { 0 };
	bool seen[1000] = { 0 };
	struct map_slot *slot;
	size_t count = 0;

	for (int i = 0; i < 1000; i++)
		map_put(&m, arena_printf(mem, "%d", i), &seen[i]);
	for (size_t at = 0; map_next(&m, &at, &slot); count++) {
		bool *mark = slot->value;

		CHECK(!*mark);
		*mark = true;
		CHECK_SAME(slot->key, arena_printf(mem, "%d", (int)(mark - seen)));
	}
	CHECK_INT(count, 1000);
}

TEST_MAIN()

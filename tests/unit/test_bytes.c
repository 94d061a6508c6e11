#include "base/bytes.h"

#include "lib/t.h"

#include <pthread.h>

TEST(bytes_are_a_copy_with_a_nul)
{
	char text[] = "a\0b";
	struct bytes *b = bytes_new(str_of(text, 3));

	text[0] = 'x';
	CHECK_STR(bytes_str(b), "a\0b");
	CHECK(b->data[3] == '\0');
	bytes_unref(b);
}

TEST(absent_and_empty_give_no_bytes)
{
	struct bytes *b = bytes_new(STR_NONE);

	CHECK_STR(bytes_str(b), "");
	bytes_unref(b);
	b = bytes_new(STR(""));
	CHECK_STR(bytes_str(b), "");
	bytes_unref(b);
	bytes_unref(NULL);
}

TEST(every_reference_keeps_the_bytes)
{
	struct bytes *b = bytes_new(STR("abc"));

	CHECK(bytes_ref(b) == b);
	bytes_unref(b);
	CHECK_STR(bytes_str(b), "abc");
	bytes_unref(b);
}

static void *use_and_drop(void *arg)
{
	struct bytes *b = arg;

	for (int i = 0; i < 1000; i++)
		bytes_unref(bytes_ref(b));
	bytes_unref(b);
	return NULL;
}

TEST(references_may_be_dropped_on_any_thread)
{
	pthread_t threads[4];
	struct bytes *b = bytes_new(STR("shared"));

	for (size_t i = 0; i < COUNT_OF(threads); i++)
		CHECK(pthread_create(&threads[i], NULL, use_and_drop, bytes_ref(b)) == 0);
	bytes_unref(b);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
}

TEST_MAIN()

#include "base/err.h"

#include "lib/t.h"

#include <errno.h>

TEST(a_failure_says_what_and_why)
{
	struct error e = { .os_errno = 5 };

	CHECK(fail(&e, ERR_STORE, "append of %d events: %s", 3, "full") == ERR_STORE);
	CHECK(e.code == ERR_STORE && e.os_errno == 0);
	CHECK_STR(str_from(e.message), "append of 3 events: full");
}

TEST(an_error_may_be_ignored)
{
	CHECK(fail(NULL, ERR_IO, "x") == ERR_IO);
	CHECK(fail_errno(NULL, ERR_IO, "x") == ERR_IO);
}

TEST(the_systems_reason_follows_the_message)
{
	struct error e;

	errno = ENOENT;
	CHECK(fail_errno(&e, ERR_IO, "open %s", "/x") == ERR_IO);
	CHECK(e.os_errno == ENOENT && errno == ENOENT);
	CHECK_STR(str_from(e.message), "open /x: No such file or directory");
}

TEST(a_message_may_be_wrapped_into_a_longer_one)
{
	struct error e;

	(void)fail(&e, ERR_IO, "inner");
	(void)fail(&e, ERR_STORE, "outer: %s", e.message);
	CHECK_STR(str_from(e.message), "outer: inner");
}

TEST(a_long_message_is_cut_between_characters)
{
	struct error e;

	for (int width = 500; width < 520; width++) {
		(void)fail(&e, ERR_INVALID, "%*d😀é", width, 1);

		size_t len = strlen(e.message);

		CHECK(len < sizeof e.message);
		CHECK(len == (size_t)MIN(width, 511) || len == (size_t)width + 4 ||
		      len == (size_t)width + 6);
	}
	errno = EIO;
	(void)fail_errno(&e, ERR_IO, "%5000d", 1);
	CHECK_INT(strlen(e.message), sizeof e.message - 1);
}

TEST(every_code_has_its_own_name)
{
	for (int a = OK; a <= ERR_UNSUPPORTED; a++) {
		CHECK(strcmp(err_name((enum err)a), "unknown") != 0);
		for (int b = OK; b < a; b++)
			CHECK(strcmp(err_name((enum err)a), err_name((enum err)b)) != 0);
	}
	CHECK_STR(str_from(err_name(ERR_INVALID)), "invalid");
	CHECK_STR(str_from(err_name((enum err)99)), "unknown");
}

TEST_MAIN()

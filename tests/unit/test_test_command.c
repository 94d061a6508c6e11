/* Which command lines count as a run of the project's tests. */
#include "core/notice/test_command.h"

#include "lib/t.h"

TEST(common_runners_are_recognised)
{
	static const char *const lines[] = {
		"make test",
		"make check -j4",
		"cd src && make test",
		"CI=1 npm test",
		"npm run test:unit",
		"timeout 60 pytest -q tests/x.py",
		"python3 -m pytest",
		"time cargo test --workspace",
		"go test ./...",
		"./test --fast",
		"make build; make test 2>&1",
		"env A=b ./gradlew test",
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		CHECK(test_command_is(str_from(lines[i])));
}

TEST(other_lines_are_not)
{
	static const char *const lines[] = {
		"",
		"make",
		"echo make test",
		"make test | tail -5",
		"make test && git commit -m x",
		"make test; echo done",
		"grep -r pytest .",
		"cat ./test",
		"pytest_helper",
		"npm run build",
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		CHECK(!test_command_is(str_from(lines[i])));
}

TEST_MAIN()

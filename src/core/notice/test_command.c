/*
 * A plain reading of a command line: its last command, without assignments and wrappers, compared
 * with a table.  Quotes are not resolved; a runner inside of quotes is not recognised, which costs
 * a notice and nothing else.
 */
#include "core/notice/test_command.h"

/* The words with which a test run begins; a word that ends with * is a prefix. */
static const char *const runners[] = {
	"make test*",
	"make check*",
	"ninja test*",
	"meson test",
	"ctest",
	"npm test",
	"npm t",
	"npm run test*",
	"pnpm test",
	"pnpm run test*",
	"yarn test",
	"yarn run test*",
	"bun test",
	"deno test",
	"npx jest",
	"npx vitest",
	"npx mocha",
	"jest",
	"vitest",
	"mocha",
	"pytest",
	"py.test",
	"python -m pytest",
	"python3 -m pytest",
	"python -m unittest",
	"python3 -m unittest",
	"tox",
	"nox",
	"uv run pytest",
	"poetry run pytest",
	"cargo test",
	"cargo nextest",
	"go test",
	"mvn test",
	"mvn verify",
	"./mvnw test",
	"gradle test",
	"./gradlew test",
	"./gradlew check",
	"bundle exec rspec",
	"rspec",
	"rake test",
	"mix test",
	"dotnet test",
	"swift test",
	"zig build test",
	"php artisan test",
	"phpunit",
	"vendor/bin/phpunit",
	"bazel test",
	"just test*",
	"./test",
	"./test.sh",
	"./run_tests*",
};

static struct str next_word(struct str *rest)
{
	struct str word;
	size_t len = 0;

	*rest = str_trim(*rest);
	while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t')
		len++;
	word = str_head(*rest, len);
	*rest = str_skip(*rest, len);
	return word;
}

/* Behind the last separator of commands; absent when the last command reads from a pipe. */
static struct str last_command(struct str line)
{
	size_t from = 0;
	bool is_piped = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.ptr[i];
		bool is_double = i + 1 < line.len && line.ptr[i + 1] == c;

		if (c != ';' && c != '\n' && c != '|' && c != '&')
			continue;
		/* 2>&1 and &> redirect; they separate nothing. */
		if (c == '&' &&
		    ((i && line.ptr[i - 1] == '>') || (i + 1 < line.len && line.ptr[i + 1] == '>')))
			continue;
		is_piped = c == '|' && !is_double;
		i += is_double && c != ';' && c != '\n';
		from = i + 1;
	}
	return is_piped ? STR_NONE : str_trim(str_skip(line, from));
}

static bool is_assignment(struct str word)
{
	ptrdiff_t at = str_find_char(word, '=');

	return at > 0 && word.ptr[0] != '-' && word.ptr[0] != '.' && word.ptr[0] != '/';
}

/* Programs that run another one and pass on its exit code. */
static bool is_wrapper(struct str word)
{
	static const char *const names[] = { "time",    "env",  "nice",  "sudo",
		                             "command", "exec", "stdbuf" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(word, str_from(names[i])))
			return true;
	return false;
}

static struct str without_wrappers(struct str command)
{
	for (;;) {
		struct str rest = command, word = next_word(&rest);

		if (str_eq(word, STR("timeout")))
			next_word(&rest); /* the time */
		else if (!is_assignment(word) && !is_wrapper(word))
			return command;
		command = str_trim(rest);
	}
}

static bool begins_with(struct str command, struct str words)
{
	while (str_trim(words).len) {
		struct str wanted = next_word(&words), word = next_word(&command);
		bool is_prefix = wanted.ptr[wanted.len - 1] == '*';

		if (is_prefix ? !str_starts(word, str_head(wanted, wanted.len - 1))
		              : !str_eq(word, wanted))
			return false;
	}
	return true;
}

bool test_command_is(struct str line)
{
	struct str command = last_command(line);

	if (!command.len)
		return false;
	command = without_wrappers(command);
	for (size_t i = 0; i < COUNT_OF(runners); i++)
		if (begins_with(command, str_from(runners[i])))
			return true;
	return false;
}

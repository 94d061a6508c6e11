#ifndef TESTS_LIB_T_H
#define TESTS_LIB_T_H
/*
 * A thin layer on cmocka: tests register themselves and read as sentences.
 *
 *	TEST(an_empty_map_has_nothing)
 *	{
 *		struct map m = { 0 };
 *
 *		CHECK(map_get(&m, STR("a")) == NULL);
 *	}
 *
 *	TEST_MAIN()
 *
 * A failed check ends its test; the program continues with the next one and
 * exits non-zero.  Checks belong on the main thread: what another thread saw
 * is handed over and checked after it was joined.  Given arguments, only tests
 * whose sentence contains one of them are run.
 */
#include "base/err.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail /* ours, of base/err.h, is meant */

#define T_MAX 256

static struct CMUnitTest t_tests[T_MAX];
static size_t t_count;

static inline void t_register(const char *name, CMUnitTestFunction fn)
{
	char *sentence = strdup(name);

	if (!sentence || t_count == T_MAX)
		abort();
	for (char *c = sentence; *c; c++)
		if (*c == '_')
			*c = ' ';
	t_tests[t_count++] = (struct CMUnitTest){ .name = sentence, .test_func = fn };
}

#define TEST(sentence)                                                                             \
	static void sentence(void);                                                                \
	static void t_run_##sentence(void **state)                                                 \
	{                                                                                          \
		(void)state;                                                                       \
		sentence();                                                                        \
	}                                                                                          \
	__attribute__((constructor)) static void t_add_##sentence(void)                            \
	{                                                                                          \
		t_register(#sentence, t_run_##sentence);                                           \
	}                                                                                          \
	static void sentence(void)

static inline int t_main(const char *file, int argc, char **argv)
{
	size_t kept = 0;
	int failed;

	for (size_t i = 0; i < t_count; i++) {
		bool wanted = argc < 2;

		for (int a = 1; a < argc && !wanted; a++)
			wanted = strstr(t_tests[i].name, argv[a]);
		if (wanted)
			t_tests[kept++] = t_tests[i];
		else
			free((char *)t_tests[i].name);
	}
	if (!kept) {
		fprintf(stderr, "%s: no such test\n", file);
		return 2;
	}
	failed = _cmocka_run_group_tests(file, t_tests, kept, NULL, NULL);
	for (size_t i = 0; i < kept; i++)
		free((char *)t_tests[i].name);
	fflush(NULL);
	/* A failed test has left memory behind: the report of it would hide which check failed. */
	if (failed)
		_Exit(1);
	return 0;
}

#define TEST_MAIN()                                                                                \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return t_main(__FILE__, argc, argv);                                               \
	}

PRINTF_LIKE(3, 4)
NORETURN static inline void t_fail(const char *file, int line, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	print_error("%s\n", text);
	_fail(file, line);
	abort(); /* _fail has jumped away */
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			t_fail(__FILE__, __LINE__, "not so: %s", #condition);                      \
	} while (0)

static inline void t_check_int(const char *file, int line, const char *what, long long got,
                               long long want)
{
	if (got != want)
		t_fail(file, line, "%s is %lld, expected %lld", what, got, want);
}

static inline void t_check_str(const char *file, int line, const char *what, struct str got,
                               struct str want)
{
	if (!str_is(got) && str_is(want))
		t_fail(file, line, "%s is absent, expected \"%.*s\"", what, STR_ARG(want));
	if (!str_eq(got, want))
		t_fail(file, line, "%s is \"%.*s\" (%zu bytes), expected \"%.*s\" (%zu bytes)",
		       what, STR_ARG(got), got.len, STR_ARG(want), want.len);
}

static inline void t_check_ok(const char *file, int line, const char *what, enum err err,
                              const struct error *e)
{
	if (err)
		t_fail(file, line, "%s failed: %s: %s", what, err_name(err), e->message);
}

static inline void t_check_has(const char *file, int line, const char *what, struct str got,
                               struct str part)
{
	if (str_find(got, part) < 0)
		t_fail(file, line, "%s is \"%.*s\", without \"%.*s\"", what, STR_ARG(got),
		       STR_ARG(part));
}

/* Integers, shown when they differ. */
#define CHECK_INT(got, want) t_check_int(__FILE__, __LINE__, #got, (got), (want))
/* A struct str against a literal, which may hold NULs. */
#define CHECK_STR(got, literal) t_check_str(__FILE__, __LINE__, #got, (got), STR(literal))
/* A struct str against another. */
#define CHECK_SAME(got, want) t_check_str(__FILE__, __LINE__, #got, (got), (want))
/* A struct str that contains a literal. */
#define CHECK_HAS(got, literal) t_check_has(__FILE__, __LINE__, #got, (got), STR(literal))
/* An enum err that must be OK; the message is shown otherwise. */
#define CHECK_OK(call, error_ptr) t_check_ok(__FILE__, __LINE__, #call, (call), (error_ptr))

#endif

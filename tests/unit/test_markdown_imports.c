#include "text/markdown_imports.h"

#include "lib/t.h"

/* All imports, each in brackets. */
static const char *imports(const char *text)
{
	static char out[1024];
	struct markdown_imports m;
	struct str path;

	*out = 0;
	markdown_imports_begin(&m, str_from(text));
	while (markdown_imports_next(&m, &path))
		snprintf(out + strlen(out), sizeof out - strlen(out), "[%.*s]", STR_ARG(path));
	return out;
}

#define CHECK_IMPORTS(text, wanted) CHECK_STR(str_from(imports(text)), wanted)

TEST(a_word_with_an_at_sign_is_an_import)
{
	CHECK_IMPORTS("@a.md", "[a.md]");
	CHECK_IMPORTS("see @docs/style.md, and (@b/c).", "[docs/style.md][b/c]");
	CHECK_IMPORTS("- @one.md\n- @two.md\r\n", "[one.md][two.md]");
	CHECK_IMPORTS("**@bold.md**", "[bold.md]");
	CHECK_IMPORTS("a@b.c @ @. @@x", "[@x]");
	CHECK_IMPORTS("", "");
}

TEST(code_holds_no_imports)
{
	CHECK_IMPORTS("`@a.md` @b.md", "[b.md]");
	CHECK_IMPORTS("``x ` @a.md`` @b.md", "[b.md]");
	CHECK_IMPORTS("`open @a.md", "[a.md]");
	CHECK_IMPORTS("```\n@a.md\n```\n@b.md", "[b.md]");
	CHECK_IMPORTS("~~~ sh\n@a.md\n```\n@b.md\n~~~~\n@c.md", "[c.md]");
	CHECK_IMPORTS("   ```\n@a.md", "");
	CHECK_IMPORTS("```x``` @a.md", "[a.md]");
}

TEST(no_text_breaks_it)
{
	static const char parts[] = "@`~\n \t./a([-*\\\"'";
	uint32_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		char text[40];
		size_t len = i % (sizeof text - 1);

		for (size_t n = 0; n < len; n++) {
			seed = seed * 1664525u + 1013904223u;
			text[n] = parts[(seed >> 16) % (sizeof parts - 1)];
		}
		text[len] = 0;
		imports(text);
	}
}

TEST_MAIN()

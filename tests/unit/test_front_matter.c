#include "text/front_matter.h"

#include "lib/t.h"

static struct arena *mem;

static struct str get(const char *text, const char *key)
{
	struct front_matter m;

	if (!mem)
		mem = arena_new();
	front_matter_split(str_from(text), &m);
	return front_matter_get(mem, &m, key);
}

TEST(a_head_ends_at_its_second_line)
{
	struct front_matter m;

	front_matter_split(STR("---\nname: a\n---\nbody\n---\n"), &m);
	CHECK_STR(m.head, "name: a\n");
	CHECK_STR(m.body, "body\n---\n");
	CHECK(!m.is_open);
	front_matter_split(STR("\xef\xbb\xbf---\r\nname: a\r\n---\r\nbody"), &m);
	CHECK_STR(m.body, "body");
	front_matter_split(STR("no head\n---\n"), &m);
	CHECK(!m.head.len && !m.is_open);
	CHECK_STR(m.body, "no head\n---\n");
	front_matter_split(STR("---\nname: a\n"), &m);
	CHECK(m.is_open);
	front_matter_split(STR("---\n---"), &m);
	CHECK(!m.is_open && !m.body.len);
	front_matter_split(STR(""), &m);
	CHECK(!m.is_open && !m.body.len);
}

TEST(values_are_read_as_files_in_use_write_them)
{
	CHECK_STR(get("---\nname: pdf\n---\n", "name"), "pdf");
	CHECK_STR(get("---\nname: \"a \\\"b\\\" c\"\n---\n", "name"), "a \"b\" c");
	CHECK_STR(get("---\nname: 'it''s'\n---\n", "name"), "it''s");
	CHECK_STR(get("---\ndescription: Use when: x\n---\n", "description"), "Use when: x");
	CHECK_STR(get("---\nargument-hint: [a] [b]\n---\n", "argument-hint"), "[a] [b]");
	CHECK_STR(get("---\ntools: [Read, \"Bash(git *)\"]\n---\n", "tools"), "Read, Bash(git *)");
	CHECK_STR(get("---\ntools:\n  - Read\n  - Grep\nmodel: x\n---\n", "tools"), "Read, Grep");
	CHECK_STR(get("---\ntools:\n- Read\n- Grep\nmodel: x\n---\n", "model"), "x");
	CHECK_STR(get("---\nd: >\n  one\n  two\ne: 1\n---\n", "d"), "one two");
	CHECK_STR(get("---\nd: |-\n  one\n  two\n---\n", "d"), "one\ntwo");
	CHECK_STR(get("---\nd:\n---\n", "d"), "");
	CHECK(!str_is(get("---\nnames: x\n---\n", "name")));
	CHECK(!str_is(get("---\n  name: nested\n---\n", "name")));
	CHECK(!str_is(get("name: x\n", "name")));
}

TEST(items_are_cut_at_commas_and_blanks)
{
	struct str rest = STR("Read, Bash(git log, x) 'Web Fetch'\tGrep,,"), item;

	CHECK(front_matter_next_item(&rest, &item));
	CHECK_STR(item, "Read");
	CHECK(front_matter_next_item(&rest, &item));
	CHECK_STR(item, "Bash(git log, x)");
	CHECK(front_matter_next_item(&rest, &item));
	CHECK(front_matter_next_item(&rest, &item));
	CHECK(front_matter_next_item(&rest, &item));
	CHECK_STR(item, "Grep");
	CHECK(!front_matter_next_item(&rest, &item));
}

TEST(no_text_breaks_it)
{
	static const char parts[] = "-\n: nadesc'\"[]>|,\\\r";
	uint32_t seed = 3;

	for (int i = 0; i < 20000; i++) {
		char text[64] = "---\n";
		size_t len = 4 + i % (sizeof text - 5);

		for (size_t n = 4; n < len; n++) {
			seed = seed * 1664525u + 1013904223u;
			text[n] = parts[(seed >> 16) % (sizeof parts - 1)];
		}
		text[len] = 0;
		get(text, "d");
		get(text, "name");
		arena_reset(mem);
	}
	arena_free(mem);
	mem = NULL;
}

TEST_MAIN()

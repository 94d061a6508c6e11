#include "app/cli/import/toml.h"

#include "base/buf.h"
#include "lib/t.h"

static struct str read(struct arena *mem, const char *text)
{
	struct json v;
	struct error e = { 0 };

	if (toml_read(mem, str_from(text), &v, &e) != OK)
		return arena_keep(mem, str_from(e.message));
	return json_text(mem, v);
}

TEST(tables_dotted_keys_and_inline_tables_become_objects)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read(mem,
	               "a = 1\n[b]\nc = true # no\n[b.d]\ne.f = \"x\"\n[g.\"h i\"]\n'k' = -2.5\n"),
	          "{\"a\":1,\"b\":{\"c\":true,\"d\":{\"e\":{\"f\":\"x\"}}},\"g\":{\"h "
	          "i\":{\"k\":-2.5}}}");
	CHECK_STR(read(mem, "env = { A = \"1\", B = { c = [] } }\n"),
	          "{\"env\":{\"A\":\"1\",\"B\":{\"c\":[]}}}");
	CHECK_STR(read(mem, "[[t]]\nn = 1\n[[t]]\nn = 2\n[t.sub]\nx = 3\n"),
	          "{\"t\":[{\"n\":1},{\"n\":2,\"sub\":{\"x\":3}}]}");
	CHECK_STR(read(mem, ""), "{}");
	CHECK_STR(read(mem, "\xef\xbb\xbf# only\r\n\r\na=1\r\n"), "{\"a\":1}");
}

TEST(strings_of_all_four_kinds_are_read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read(mem, "a = \"q\\\"\\t\\u00e9\\U0001F600\"\nb = 'c:\\d'\n"),
	          "{\"a\":\"q\\\"\\t\xc3\xa9\xf0\x9f\x98\x80\",\"b\":\"c:\\\\d\"}");
	CHECK_STR(read(mem, "a = \"\"\"\nx\\\n   y\"\"\"\"\nb = '''\n'z''''\n"),
	          "{\"a\":\"xy\\\"\",\"b\":\"'z'\"}");
}

TEST(numbers_are_numbers_and_dates_are_text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read(mem,
	               "a = +1_000\nb = 1e3\nc = 1979-05-27T07:32:00Z\nd = [1, 2,\n 3, # x\n]\n"),
	          "{\"a\":1000,\"b\":1000.0,\"c\":\"1979-05-27T07:32:00Z\",\"d\":[1,2,3]}");
}

TEST(what_is_no_toml_is_refused_with_its_line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read(mem, "a = 1\na = 2\n"), "line 2: a key is defined twice");
	CHECK_STR(read(mem, "a = 1\n\n[a]\n"), "line 3: a key is used for two things");
	CHECK_STR(read(mem, "[a]\n[a]\n"), "line 2: a table is defined twice");
	CHECK_STR(read(mem, "a = {b=1}\n[a.c]\n"), "line 2: a key is used for two things");
	CHECK_STR(read(mem, "a = \"x\nb\"\n"), "line 1: a string has no end");
	CHECK_STR(read(mem, "a = [1 2]\n"), "line 1: an array has no end");
	CHECK_STR(read(mem, "a = yes\n"), "line 1: a value is wanted");
	CHECK_STR(read(mem, "a = 1 b = 2\n"), "line 1: there is more text behind the value");
	CHECK_STR(read(mem, "= 1\n"), "line 1: a key is wanted");
	CHECK_STR(read(mem, "a = \"\\ud800\"\n"), "line 1: an escape has no character");
	CHECK_STR(read(mem, "a = \xff\n"), "the file is no text in UTF-8");
}

TEST(depth_and_size_are_bounded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf deep = { 0 };
	struct json v;
	struct error e;

	buf_add_c(&deep, "a = ");
	for (int i = 0; i < 100000; i++)
		buf_add_char(&deep, '[');
	CHECK(toml_read(mem, buf_str(&deep), &v, &e) == ERR_INVALID);
	CHECK_STR(str_from(e.message), "line 1: values are nested too deeply");
	buf_clear(&deep);
	buf_add_char(&deep, '[');
	for (int i = 0; i < 1000; i++)
		buf_add_c(&deep, "a.");
	buf_add_c(&deep, "a]\n");
	CHECK(toml_read(mem, buf_str(&deep), &v, &e) == ERR_INVALID);
	buf_clear(&deep);
	for (unsigned i = 0; i <= TOML_BYTES_MAX / 2; i++)
		buf_add_c(&deep, "#\n");
	CHECK(toml_read(mem, buf_str(&deep), &v, &e) == ERR_TOO_LARGE);
}

TEST_MAIN()

#include "base/json.h"
#include "base/jw.h"
#include "base/utf8.h"

#include "lib/t.h"

#include <float.h>
#include <math.h>

static struct arena *mem;
static struct error e;

/* One arena for all tests; what it holds at the end is freed by main's exit. */
static struct json read(struct str text)
{
	struct json v = { 0 };

	if (!mem)
		mem = arena_new();
	CHECK_OK(json_read(mem, text, &v, &e), &e);
	return v;
}
#define READ(literal) read(STR(literal))

/* The message of a refusal. */
static struct str refused(struct str text)
{
	struct json v = { &e };

	if (!mem)
		mem = arena_new();
	CHECK(json_read(mem, text, &v, &e) == ERR_INVALID);
	CHECK(v.val == &e); /* untouched on failure */
	CHECK(json_read(mem, text, &v, NULL) == ERR_INVALID);
	return str_from(e.message);
}
#define REFUSED(literal) refused(STR(literal))

TEST(every_type_is_told_apart)
{
	static const struct {
		const char *text;
		enum json_type type;
		const char *name;
	} cases[] = {
		{ "null", JSON_NULL, "null" },
		{ "true", JSON_BOOL, "boolean" },
		{ "0", JSON_INT, "integer" },
		{ "-0", JSON_INT, "integer" },
		{ "9223372036854775807", JSON_INT, "integer" },
		{ "-9223372036854775808", JSON_INT, "integer" },
		{ "9223372036854775808", JSON_UINT, "integer" },
		{ "18446744073709551615", JSON_UINT, "integer" },
		{ "18446744073709551616", JSON_REAL, "number" },
		{ "-9223372036854775809", JSON_REAL, "number" },
		{ "1.0", JSON_REAL, "number" },
		{ "1e2", JSON_REAL, "number" },
		{ "\"\"", JSON_STR, "string" },
		{ "[]", JSON_ARR, "array" },
		{ "{}", JSON_OBJ, "object" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json v = read(str_from(cases[i].text));

		CHECK_INT(json_type(v), cases[i].type);
		CHECK_SAME(str_from(json_type_name(v)), str_from(cases[i].name));
	}
}

TEST(nothing_answers_every_question)
{
	struct json none = { 0 };
	struct json_iter it = json_iter(none);
	struct json v;
	struct str key;

	CHECK(!json_is(none) && json_type(none) == JSON_NONE);
	CHECK(strcmp(json_type_name(none), "nothing") == 0);
	CHECK(json_bool(none, true) && !json_bool(none, false));
	CHECK_INT(json_int(none, 7), 7);
	CHECK_INT(json_uint(none, 7), 7);
	CHECK(json_real(none, 0.5) == 0.5);
	CHECK_INT(json_nano(none, 7), 7);
	CHECK(!str_is(json_str(none)));
	CHECK(!json_is(JSON_GET(none, "a")) && !json_is(json_at(none, 0)));
	CHECK_INT(json_count(none), 0);
	CHECK(!json_next(&it, &key, &v));
	CHECK(json_equal(none, none) && !json_equal(none, READ("null")));
	CHECK(!str_is(json_text(mem, none)) && !str_is(json_text_canonical(mem, none)));
}

TEST(members_are_found_by_name_and_in_order)
{
	struct json v = READ("{\"a\":1,\"b\":{\"c\":[10,[20],30]},\"\":true,\"n\":null}");
	static const char *const names[] = { "a", "b", "", "n" };
	struct json_iter it = json_iter(v);
	struct json member;
	struct str key;
	size_t count = 0;

	CHECK_INT(json_count(v), 4);
	CHECK_INT(json_int(JSON_GET(v, "a"), 0), 1);
	CHECK(json_bool(JSON_GET(v, ""), false));
	CHECK(json_type(JSON_GET(v, "n")) == JSON_NULL);
	CHECK(!json_is(JSON_GET(v, "c")) && !json_is(json_get(v, STR_NONE)));
	for (; json_next(&it, &key, &member); count++)
		CHECK_SAME(key, str_from(names[count]));
	CHECK_INT(count, 4);

	struct json arr = JSON_GET(JSON_GET(v, "b"), "c");

	CHECK_INT(json_count(arr), 3);
	CHECK_INT(json_int(json_at(arr, 2), 0), 30);
	CHECK_INT(json_int(json_at(json_at(arr, 1), 0), 0), 20);
	CHECK(!json_is(json_at(arr, 3)) && !json_is(json_at(v, 0)) && !json_is(JSON_GET(arr, "a")));
	it = json_iter(arr);
	for (count = 0; json_next(&it, &key, &member); count++)
		CHECK(!str_is(key) && json_is(member));
	CHECK_INT(count, 3);
	CHECK(!json_next(&it, &key, &member));
}

TEST(integers_are_exact_to_both_borders)
{
	CHECK(json_int(READ("9223372036854775807"), 0) == INT64_MAX);
	CHECK(json_int(READ("-9223372036854775808"), 0) == INT64_MIN);
	CHECK_INT(json_int(READ("9223372036854775808"), 7), 7);
	CHECK(json_uint(READ("18446744073709551615"), 0) == UINT64_MAX);
	CHECK_INT(json_uint(READ("-1"), 7), 7);
	CHECK_INT(json_uint(READ("5"), 7), 5);
	CHECK_INT(json_uint(READ("5.0"), 7), 5);
	CHECK_INT(json_uint(READ("-5.0"), 7), 7);
	CHECK_INT(json_int(READ("-3.0"), 7), -3);
	CHECK_INT(json_int(READ("1e3"), 7), 1000);
	CHECK_INT(json_int(READ("1.5"), 7), 7);
	CHECK_INT(json_int(READ("9223372036854775808.0"), 7), 7);
	CHECK(json_int(READ("-9223372036854775808.0"), 7) == INT64_MIN);
	CHECK_INT(json_int(READ("1e300"), 7), 7);
	CHECK_INT(json_uint(READ("18446744073709551616"), 7), 7);
	CHECK_INT(json_int(READ("\"1\""), 7), 7);
	CHECK(json_real(READ("18446744073709551616"), 0) == 0x1p64);
	CHECK(json_real(READ("-2"), 0) == -2.0 && json_real(READ("0.25"), 0) == 0.25);
}

TEST(strings_keep_every_character)
{
	CHECK_STR(json_str(READ("\"a\\u0000b\"")), "a\0b");
	CHECK_STR(json_str(READ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")), "\"\\/\b\f\n\r\t");
	CHECK_STR(json_str(READ("\"\\u00e9\\ud83d\\ude00\"")), "é😀");
	CHECK_STR(json_str(READ("\"é😀\"")), "é😀");
	CHECK_STR(json_str(READ("\"\"")), "");
	CHECK(!str_is(json_str(READ("1"))));
	CHECK_STR(json_str(JSON_GET(READ("{\"a\\u0000b\":\"x\"}"), "a\0b")), "x");
}

TEST(what_is_not_json_is_refused_with_its_place)
{
	CHECK_HAS(REFUSED("{\"a\":1,}"), "byte 6");
	CHECK_HAS(REFUSED("[1 2]"), "byte 3");
	CHECK_HAS(REFUSED("{} x"), "byte 3");
	CHECK_HAS(REFUSED(""), "empty");
	CHECK_HAS(refused(STR_NONE), "empty");
	REFUSED("   ");
	REFUSED("{");
	REFUSED("[1,]");
	REFUSED("{'a':1}");
	REFUSED("{a:1}");
	REFUSED("// no\n1");
	REFUSED("\xef\xbb\xbf{}");
	REFUSED("1\0");
	REFUSED("01");
	REFUSED("+1");
	REFUSED(".5");
	REFUSED("1.");
	REFUSED("tru");
	REFUSED("\"a\nb\"");
	REFUSED("\"\\x41\"");
	REFUSED("\"abc");
}

TEST(numbers_without_a_finite_value_are_refused)
{
	REFUSED("NaN");
	REFUSED("Infinity");
	REFUSED("-inf");
	REFUSED("1e999");
	REFUSED("-1e999");
	CHECK(json_real(READ("1e308"), 0) == 1e308);
	CHECK(json_real(READ("1e-999"), 1) == 0.0);
}

TEST(strings_that_are_not_utf8_are_refused)
{
	REFUSED("\"\xff\"");
	REFUSED("\"\xc3\"");
	REFUSED("\"\xc0\x80\"");
	REFUSED("\"\xed\xa0\x80\"");
	REFUSED("\"\xf4\x90\x80\x80\"");
	REFUSED("\"\\ud800\"");
	REFUSED("\"\\udc00\\ud800\"");
}

TEST(a_key_that_stands_twice_is_named)
{
	CHECK_HAS(REFUSED("{\"a\":1,\"b\":2,\"a\":3}"), "\"a\" at byte 13");
	CHECK_HAS(REFUSED("[0,{\"x\":{\"deep\":1,\"deep\":1}}]"), "\"deep\"");
	CHECK_HAS(REFUSED("{\"a\":1,\"\\u0061\":2}"), "\"a\" at byte 7");
	CHECK_HAS(REFUSED("{\"\":1,\"\":2}"), "duplicate key \"\"");
	READ("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}");
	READ("{\"a\":1,\"a\\u0000\":2,\"A\":3}");
}

static struct str many_members(size_t count, size_t repeated)
{
	struct buf b = { 0 };
	struct json_writer w;
	char key[32];

	jw_init(&w, &b);
	jw_obj(&w);
	for (size_t i = 0; i < count; i++) {
		snprintf(key, sizeof key, "k%zu", (i == count - 1 ? repeated : i) * 7919);
		jw_kint(&w, str_from(key), (int64_t)i);
	}
	jw_obj_end(&w);

	struct str text = arena_keep(mem, buf_str(&b));

	buf_done(&b);
	return text;
}

TEST(repeated_keys_are_found_in_objects_of_any_size)
{
	READ("0");
	for (size_t count = 1; count < 40; count++) {
		read(many_members(count, count - 1));
		for (size_t at = 0; at + 1 < count; at++)
			CHECK_HAS(refused(many_members(count, at)), "duplicate key");
	}
	CHECK_INT(json_count(read(many_members(50000, 49999))), 50000);
	CHECK_HAS(refused(many_members(50000, 3)), "\"k23757\"");
}

TEST(a_long_duplicate_key_does_not_flood_the_message)
{
	char text[2000];
	int len = snprintf(text, sizeof text, "{\"%0800d\":1,\"%0800d\":2}", 1, 1);

	CHECK(refused(str_of(text, (size_t)len)).len < 200);
}

static struct str nested(size_t depth, const char *open, const char *close)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < depth; i++)
		buf_add_c(&b, open);
	buf_add_c(&b, "0");
	for (size_t i = 0; i < depth; i++)
		buf_add_c(&b, close);

	struct str text = arena_keep(mem, buf_str(&b));

	buf_done(&b);
	return text;
}

TEST(nesting_ends_at_the_limit)
{
	READ("0");
	read(nested(JSON_DEPTH_MAX, "[", "]"));
	read(nested(JSON_DEPTH_MAX, "{\"a\":", "}"));
	read(nested(JSON_DEPTH_MAX / 2, "{\"]\\\"\":[", "]}"));
	CHECK_HAS(refused(nested(JSON_DEPTH_MAX + 1, "[", "]")), "too deeply at byte 64");
	CHECK_HAS(refused(nested(JSON_DEPTH_MAX + 1, "{\"a\":", "}")), "too deeply at byte 320");
	CHECK_HAS(refused(nested(JSON_DEPTH_MAX + 1, "{\"[\\\"\":", "}")),
	          "too deeply at byte 448");
	refused(nested(1000000, "[", "]"));
	refused(nested(1000000, "{\"a\":[", "]}"));
}

TEST(wide_documents_are_not_deep)
{
	struct buf b = { 0 };

	buf_add_c(&b, "[");
	for (int i = 0; i < 1000; i++)
		buf_add_c(&b, i ? ",[{}]" : "[{}]");
	buf_add_c(&b, "]");
	CHECK_INT(json_count(read(buf_str(&b))), 1000);
	buf_done(&b);
}

TEST(our_own_text_may_wrap_what_others_brought)
{
	struct json v;

	READ("0");
	CHECK_OK(json_read_trusted(mem, nested(JSON_DEPTH_TRUSTED_MAX, "[", "]"), &v, &e), &e);
	CHECK(json_read_trusted(mem, nested(JSON_DEPTH_TRUSTED_MAX + 1, "[", "]"), &v, &e) ==
	      ERR_INVALID);
	CHECK_OK(json_read_trusted(mem, STR("{\"a\":1,\"a\":2}"), &v, &e), &e);
	CHECK_INT(json_int(JSON_GET(v, "a"), 0), 1);
	CHECK(json_read_trusted(mem, STR("{\"a\":"), &v, &e) == ERR_INVALID);
	CHECK(json_read_trusted(mem, STR("\"\xff\""), &v, &e) == ERR_INVALID);
}

TEST(a_configuration_may_have_comments_and_trailing_commas)
{
	struct json v;

	READ("0");
	CHECK_OK(json_read_config(mem, STR("// [ \"\n{ /* { */ \"a\": [1, 2,], }\n"), &v, &e), &e);
	CHECK_INT(json_count(JSON_GET(v, "a")), 2);
	CHECK(json_read_config(mem, STR("{\n  \"é\": tru\n}"), &v, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "line 2, column 8");
	CHECK(json_read_config(mem, STR("{\"a\":1,\n\n \"a\":2}"), &v, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "\"a\" at line 3, column 2");

	struct str deep = nested(JSON_DEPTH_MAX + 1, "/* [ */[ // {\n", "]");

	CHECK(json_read_config(mem, deep, &v, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "too deeply at line 65, column 8");
}

TEST(a_document_outlives_its_text)
{
	CLEANUP(arena_freep) struct arena *own = arena_new();
	char text[] = "{\"key\":[\"value\",\"esc\\naped\"]}";
	struct json v;

	CHECK_OK(json_read(own, str_from(text), &v, &e), &e);
	memset(text, 'x', sizeof text);
	for (int i = 0; i < 100; i++)
		memset(arena_alloc(own, 100), 'y', 100);
	CHECK_STR(json_text(own, v), "{\"key\":[\"value\",\"esc\\naped\"]}");
}

TEST(the_arena_keeps_no_more_than_text_and_values)
{
	CLEANUP(arena_freep) struct arena *own = arena_new();
	char text[1100] = "[\"";
	struct json v;

	memset(text + 2, 'a', 1000);
	strcpy(text + 1002, "\"]");
	CHECK_OK(json_read_trusted(own, str_from(text), &v, &e), &e);
	CHECK(arena_used(own) < 1200);
}

TEST(every_cut_of_a_text_is_refused)
{
	struct str whole = STR("{\"a\":[1,-2.5e3,true,null,\"\\u00e9\\n\"],\"b\":{\"c\":\"😀\"}}");

	read(whole);
	for (size_t len = 0; len < whole.len; len++)
		refused(str_head(whole, len));
}

TEST(equality_is_by_value)
{
	CHECK(json_equal(READ("1"), READ("1.0")));
	CHECK(json_equal(READ("-3"), READ("-3e0")));
	CHECK(json_equal(READ("0"), READ("-0.0")));
	CHECK(json_equal(READ("18446744073709551615"), READ("18446744073709551615")));
	CHECK(!json_equal(READ("-1"), READ("18446744073709551615")));
	CHECK(!json_equal(READ("9007199254740993"), READ("9007199254740992.0")));
	CHECK(!json_equal(READ("18446744073709551615"), READ("18446744073709551616")));
	CHECK(json_equal(READ("9223372036854775808"), READ("9223372036854775808.0")));
	CHECK(!json_equal(READ("1"), READ("1.5")) && !json_equal(READ("1"), READ("\"1\"")));
	CHECK(!json_equal(READ("1"), READ("true")) && !json_equal(READ("null"), READ("false")));
	CHECK(json_equal(READ("[1,[2]]"), READ("[1.0,[2.0]]")));
	CHECK(!json_equal(READ("[1,2]"), READ("[2,1]")) && !json_equal(READ("[1]"), READ("[1,1]")));
	CHECK(json_equal(READ("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}"),
	                 READ("{\"b\":{\"d\":3,\"c\":2},\"a\":1}")));
	CHECK(!json_equal(READ("{\"a\":1}"), READ("{\"b\":1}")));
	CHECK(!json_equal(READ("{\"a\":1}"), READ("{\"a\":1,\"b\":1}")));
	CHECK(!json_equal(READ("{}"), READ("[]")));
	CHECK(json_equal(READ("\"\\u0061\""), READ("\"a\"")));
	CHECK(!json_equal(READ("\"a\""), READ("\"b\"")));
	CHECK(json_equal(READ("true"), READ("true")) && !json_equal(READ("true"), READ("false")));
}

/* ---- writing ---- */

static struct buf out;
static struct json_writer w;

static struct json_writer *fresh(void)
{
	buf_done(&out);
	out = (struct buf){ 0 };
	jw_init(&w, &out);
	return &w;
}

TEST(commas_and_colons_are_the_writers_business)
{
	fresh();
	jw_obj(&w);
	JW_KSTR(&w, "a", STR("x"));
	JW_KOPT(&w, "gone", STR_NONE);
	JW_KOPT(&w, "empty", STR(""));
	JW_KEY(&w, "list");
	jw_arr(&w);
	jw_int(&w, 1);
	jw_obj(&w);
	jw_obj_end(&w);
	jw_arr(&w);
	jw_arr_end(&w);
	jw_null(&w);
	jw_raw(&w, STR("{\"r\":[]}"));
	jw_arr_end(&w);
	JW_KINT(&w, "n", -5);
	JW_KBOOL(&w, "t", true);
	JW_KBOOL(&w, "f", false);
	JW_KSTR(&w, "none", STR_NONE);
	jw_obj_end(&w);
	CHECK_STR(buf_str(&out), "{\"a\":\"x\",\"empty\":\"\",\"list\":[1,{},[],null,{\"r\":[]}],"
	                         "\"n\":-5,\"t\":true,\"f\":false,\"none\":\"\"}");
}

TEST(every_container_begins_without_a_comma)
{
	fresh();
	jw_arr(&w);
	for (int i = 0; i < 3; i++) {
		jw_obj(&w);
		JW_KINT(&w, "a", i);
		JW_KEY(&w, "b");
		jw_arr(&w);
		jw_int(&w, i);
		jw_arr_end(&w);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "[{\"a\":0,\"b\":[0]},{\"a\":1,\"b\":[1]},{\"a\":2,\"b\":[2]}]");
}

TEST(values_at_the_top_follow_without_commas)
{
	fresh();
	jw_int(&w, 1);
	buf_add_char(&out, '\n');
	jw_arr(&w);
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "1\n[]");
}

TEST(the_writer_nests_to_the_limit)
{
	fresh();
	for (int i = 0; i < JSON_DEPTH_MAX; i++) {
		jw_arr(&w);
		jw_int(&w, i);
	}
	for (int i = 0; i < JSON_DEPTH_MAX; i++) {
		jw_int(&w, i);
		jw_arr_end(&w);
	}
	CHECK_INT(json_count(read(buf_str(&out))), 3);
}

static struct str written(struct str s)
{
	jw_str(fresh(), s);
	return buf_str(&out);
}
#define WRITTEN(literal) written(STR(literal))

TEST(only_what_must_be_escaped_is)
{
	CHECK_STR(WRITTEN("plain"), "\"plain\"");
	CHECK_STR(WRITTEN(""), "\"\"");
	CHECK_STR(written(STR_NONE), "\"\"");
	CHECK_STR(WRITTEN("\"\\/\b\f\n\r\t"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
	CHECK_STR(WRITTEN("\0\x01\x1f \x7f"), "\"\\u0000\\u0001\\u001f \x7f\"");
	CHECK_STR(WRITTEN("é😀\xe2\x80\xa8"), "\"é😀\xe2\x80\xa8\"");
}

TEST(invalid_bytes_become_the_replacement_character)
{
	CHECK_STR(WRITTEN("a\xff"
	                  "b"),
	          "\"a\xef\xbf\xbd"
	          "b\"");
	CHECK_STR(WRITTEN("\xc3"), "\"\xef\xbf\xbd\"");
	CHECK_STR(WRITTEN("\xc3\xa9\xc3"), "\"é\xef\xbf\xbd\"");
	CHECK_STR(WRITTEN("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_STR(WRITTEN("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(every_byte_at_every_place_reads_back)
{
	for (int c = 0; c < 128; c++)
		for (size_t at = 0; at < 20; at++) {
			char text[20];

			memset(text, 'a', sizeof text);
			text[at] = (char)c;
			CHECK_SAME(json_str(read(written(str_of(text, sizeof text)))),
			           str_of(text, sizeof text));
			arena_reset(mem);
		}
	for (int c = 128; c < 256; c++)
		for (size_t at = 0; at < 20; at++) {
			char text[20];

			memset(text, 'a', sizeof text);
			text[at] = (char)c;
			CHECK_INT(written(str_of(text, sizeof text)).len, 24);
			CHECK(memcmp(out.ptr + 1 + at, "\xef\xbf\xbd", 3) == 0);
		}
}

TEST(keys_are_escaped_like_strings)
{
	fresh();
	jw_obj(&w);
	jw_kint(&w, STR("a\"\n"), 1);
	jw_kint(&w, STR("é\xff"), 2);
	jw_obj_end(&w);
	CHECK_STR(buf_str(&out), "{\"a\\\"\\n\":1,\"é\xef\xbf\xbd\":2}");
}

static struct str real(double n)
{
	jw_real(fresh(), n);
	return buf_str(&out);
}

TEST(reals_stay_reals_and_read_back_equal)
{
	static const double numbers[] = {
		0.1,     1.0 / 3, 1e21, 1e22, 1e-7, 123456789.123, DBL_MAX,
		DBL_MIN, 5e-324,  -2.5, 1e15, 1e16, 1e17,          9007199254740993.0
	};

	CHECK_STR(real(1.0), "1.0");
	CHECK_STR(real(0.0), "0.0");
	CHECK_STR(real(-0.0), "-0.0");
	CHECK_STR(real(0.1), "0.1");
	CHECK_STR(real(0.1 + 0.2), "0.30000000000000004");
	CHECK_STR(real(NAN), "null");
	CHECK_STR(real(-INFINITY), "null");
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		struct json v = read(real(numbers[i]));

		CHECK(json_type(v) == JSON_REAL && json_real(v, 0) == numbers[i]);
	}
}

TEST(integers_are_written_whole)
{
	fresh();
	jw_arr(&w);
	jw_int(&w, INT64_MIN);
	jw_int(&w, INT64_MAX);
	jw_int(&w, 0);
	jw_int(&w, -1);
	jw_uint(&w, UINT64_MAX);
	jw_uint(&w, 0);
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "[-9223372036854775808,9223372036854775807,0,-1,"
	                         "18446744073709551615,0]");
}

static struct str nano(int64_t n)
{
	jw_nano(fresh(), n);
	return buf_str(&out);
}

TEST(nanos_are_exact_decimals)
{
	CHECK_STR(nano(2385000), "0.002385");
	CHECK_STR(nano(1500000000), "1.5");
	CHECK_STR(nano(0), "0.0");
	CHECK_STR(nano(1), "0.000000001");
	CHECK_STR(nano(-1), "-0.000000001");
	CHECK_STR(nano(-1500000000), "-1.5");
	CHECK_STR(nano(1000000000), "1.0");
	CHECK_STR(nano(10000000000), "10.0");
	CHECK_STR(nano(999999999), "0.999999999");
	CHECK_STR(nano(INT64_MAX), "9223372036.854775807");
	CHECK_STR(nano(INT64_MIN), "-9223372036.854775808");
}

TEST(nanos_read_back)
{
	uint64_t n = 1;

	CHECK_INT(json_nano(READ("0.002385"), 0), 2385000);
	CHECK_INT(json_nano(READ("3"), 0), 3000000000);
	CHECK_INT(json_nano(READ("-1.5"), 0), -1500000000);
	CHECK_INT(json_nano(READ("0.0000000004"), 7), 0);
	CHECK_INT(json_nano(READ("0.0000000006"), 7), 1);
	CHECK_INT(json_nano(READ("-0.0000000006"), 7), -1);
	CHECK_INT(json_nano(READ("9223372037"), 7), 7);
	CHECK_INT(json_nano(READ("1e30"), 7), 7);
	CHECK_INT(json_nano(READ("-1e30"), 7), 7);
	CHECK_INT(json_nano(READ("18446744073709551615"), 7), 7);
	CHECK_INT(json_nano(READ("\"1\""), 7), 7);
	for (int i = 0; i < 20000; i++) {
		n = n * 6364136223846793005u + 1442695040888963407u;

		int64_t one = (int64_t)(n >> 13) >> (n & 31); /* up to 2^51: exact by proof */

		one = i & 1 ? -one : one;
		CHECK_INT(json_nano(read(nano(one)), 0), one);
		arena_reset(mem);
	}
}

TEST(times_are_written_as_strings)
{
	fresh();
	jw_arr(&w);
	jw_time(&w, 0);
	jw_time(&w, 1794733200000);
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "[\"1970-01-01T00:00:00.000Z\",\"2026-11-15T09:00:00.000Z\"]");
}

TEST(a_value_is_written_as_it_was_read)
{
	struct str text = STR("{\"b\":[1,-2,18446744073709551615,2.5,1.0,true,false,null],"
	                      "\"a\":{\"\":\"\\n\\u0000é\",\"o\":{},\"l\":[]}}");
	struct json v = read(text);

	CHECK_SAME(json_text(mem, v), text);
	fresh();
	jw_obj(&w);
	JW_KEY(&w, "v");
	jw_value(&w, v);
	JW_KEY(&w, "none");
	jw_value(&w, (struct json){ 0 });
	JW_KINT(&w, "n", 1);
	jw_obj_end(&w);
	CHECK_SAME(buf_str(&out), arena_printf(mem, "{\"v\":%s,\"none\":null,\"n\":1}", text.ptr));
	fresh();
	jw_arr(&w);
	jw_value(&w, READ("[[]]"));
	jw_value(&w, READ("1"));
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "[[[]],1]");
}

TEST(a_value_is_written_with_a_member_of_ours)
{
	struct json v = READ("[{\"a\":1,\"by\":\"me\",\"b\":[{}]},{},7,[\"by\"]]");

	fresh();
	jw_arr(&w);
	for (size_t i = 0; i < json_count(v); i++)
		jw_value_with(&w, json_at(v, i), STR("by"), STR("us"));
	jw_arr_end(&w);
	CHECK_STR(buf_str(&out), "[{\"a\":1,\"b\":[{}],\"by\":\"us\"},{\"by\":\"us\"},7,[\"by\"]]");
}

TEST(a_value_of_full_depth_can_be_wrapped)
{
	READ("0");

	struct json v = read(nested(JSON_DEPTH_MAX, "[", "]"));

	fresh();
	for (int i = 0; i < 3; i++)
		jw_arr(&w);
	jw_value(&w, v);
	jw_value(&w, v);
	for (int i = 0; i < 3; i++)
		jw_arr_end(&w);
	CHECK_OK(json_read_trusted(mem, buf_str(&out), &v, &e), &e);
	CHECK_SAME(json_text(mem, v), buf_str(&out));
}

TEST(the_canonical_text_is_sorted_at_every_level)
{
	struct json v =
		READ("{ \"b\" : 1, \"a\" : [ {\"d\":1, \"c\":2} ], \"B\":3, \"\":0, \"aa\":4 }");

	CHECK_STR(json_text_canonical(mem, v),
	          "{\"\":0,\"B\":3,\"a\":[{\"c\":2,\"d\":1}],\"aa\":4,\"b\":1}");
	CHECK_STR(json_text_canonical(mem, READ("[]")), "[]");
	CHECK_STR(json_text_canonical(mem, READ("\"x\"")), "\"x\"");
	CHECK_SAME(json_text_canonical(mem, READ("{\"x\":{\"b\":1,\"a\":2}}")),
	           json_text_canonical(mem, READ("{\"x\":{\"a\":2,\"b\":1}}")));
}

TEST(a_full_buffer_is_noticed_at_the_end)
{
	struct str text = STR("{\"key\":[\"va\\nlue\",1,2.5,true]}");
	struct json v = read(text);

	for (size_t max = 1; max < text.len + 3; max++) {
		CLEANUP(buf_done) struct buf small = { .max = max };
		struct json_writer to_small;

		jw_init(&to_small, &small);
		jw_value(&to_small, v);
		CHECK(small.overflowed == (max < text.len));
		CHECK(small.len <= max);
	}
}

TEST(a_head_takes_no_more_than_its_room)
{
	struct str text = STR("ab\"\n\x01\xc3\xa9\xff\xe2\x82\xac plain text behind it");

	for (size_t max = 0; max < 60; max++) {
		CLEANUP(buf_done) struct buf one = { 0 }, more = { 0 };
		struct str head = jw_head(text, max);
		struct json_writer to;

		jw_init(&to, &one);
		jw_str(&to, head);
		CHECK(one.len <= max + 2);
		if (head.len == text.len)
			continue;
		/* One character more would be too much. */
		size_t next = utf8_read(str_skip(text, head.len), NULL);

		jw_init(&to, &more);
		jw_str(&to, str_head(text, head.len + MAX(next, 1)));
		CHECK(more.len > max + 2);
	}
	CHECK(jw_head(STR(""), 10).len == 0);
}

TEST_MAIN()

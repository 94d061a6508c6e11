/* One member is added to the text of settings, or removed from it; every other byte stays. */
#include "app/cli/config/config_text.h"

#include "base/json.h"
#include "lib/t.h"

static const struct str nested[] = { STR("mcp"), STR("servers"), STR("new") };

static bool adds(const char *before, const char *after)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = config_text_add(mem, str_from(before), nested, 3, STR("{\"a\":1}"));
	struct json doc;
	bool is_equal = str_eq(text, str_from(after));

	if (!is_equal)
		printf("# %.*s\n", STR_ARG(text));
	return is_equal && json_read_config(mem, text, &doc, NULL) == OK;
}

static bool removes(const char *before, const char *after)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = config_text_remove(mem, str_from(before), nested, 3);
	struct json doc;
	bool is_equal = str_eq(text, str_from(after));

	if (!is_equal)
		printf("# %.*s\n", STR_ARG(text));
	return is_equal && json_read_config(mem, text, &doc, NULL) == OK;
}

TEST(an_empty_object_gets_lines)
{
	CHECK(adds(
		"{}\n",
		"{\n  \"mcp\": {\n    \"servers\": {\n      \"new\": {\"a\":1}\n    }\n  }\n}\n"));
}

TEST(an_object_on_one_line_stays_on_it)
{
	CHECK(adds("{\"model\":\"x\"}",
	           "{\"model\":\"x\", \"mcp\": {\n  \"servers\": {\n    \"new\": "
	           "{\"a\":1}\n  }\n}}"));
}

TEST(the_indentation_is_that_of_the_other_members)
{
	CHECK(adds(
		"{\n\t\"mcp\": {\n\t\t\"servers\": {\n\t\t\t\"old\": {}\n\t\t}\n\t},\n\t\"model\": "
		"\"x\"\n}\n",
		"{\n\t\"mcp\": {\n\t\t\"servers\": {\n\t\t\t\"old\": {},\n\t\t\t\"new\": "
		"{\"a\":1}\n\t\t}\n\t},\n\t\"model\": \"x\"\n}\n"));
}

TEST(braces_in_texts_and_comments_are_none)
{
	CHECK(adds("{ // mine\n  \"mcp\": { \"servers\": { \"old\": \"}\\\"{\" } } /* { */\n}",
	           "{ // mine\n  \"mcp\": { \"servers\": { \"old\": \"}\\\"{\", \"new\": {\"a\":1} "
	           "} } "
	           "/* { */\n}"));
}

TEST(a_comment_stays_on_its_line)
{
	CHECK(adds("{\n  \"mcp\": {\n    \"servers\": {\n      \"old\": 1 // note\n    }\n  }\n}",
	           "{\n  \"mcp\": {\n    \"servers\": {\n      \"old\": 1, // note\n      \"new\": "
	           "{\"a\":1}\n    }\n  }\n}"));
}

TEST(a_comma_at_the_end_is_used_and_a_member_deeper_down_is_another_one)
{
	CHECK(adds("{\"mcp\":{\"servers\":{\"old\":[1,{\"new\":2}],}}}",
	           "{\"mcp\":{\"servers\":{\"old\":[1,{\"new\":2}], \"new\": {\"a\":1}}}}"));
}

TEST(a_key_is_what_it_means_however_it_is_written)
{
	CHECK(adds("{\"\\u006dcp\":{\"servers\":{}}}",
	           "{\"\\u006dcp\":{\"servers\":{\n  \"new\": {\"a\":1}\n}}}"));
}

TEST(nothing_is_added_where_the_name_is_taken_or_no_object_is)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const char *const texts[] = { "{\"mcp\":{\"servers\":{\"new\":1}}}",
		                             "{\"mcp\":{\"servers\":[]}}", "{\"mcp\":1}", "[]",
		                             "" };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		CHECK(!str_is(config_text_add(mem, str_from(texts[i]), nested, 3, STR("{}"))));
}

TEST(removing_the_first_of_two)
{
	CHECK(removes("{\"mcp\":{\"servers\":{\"new\":{\"a\":[1,2]},\"b\":2}}}",
	              "{\"mcp\":{\"servers\":{\"b\":2}}}"));
}

TEST(removing_the_last_of_two_removes_the_comma_before_it)
{
	CHECK(removes("{\"mcp\": {\"servers\": {\"a\": 1, \"new\": 2}}}",
	              "{\"mcp\": {\"servers\": {\"a\": 1}}}"));
}

TEST(removing_the_only_one_leaves_an_empty_object)
{
	CHECK(removes("{\n  \"mcp\": {\n    \"servers\": {\n      \"new\": {}\n    }\n  }\n}\n",
	              "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n"));
}

TEST(a_removed_member_goes_with_its_line)
{
	CHECK(removes("{\"mcp\":{\"servers\":{\n  \"a\": 1,\n  \"new\": 2,\n  // about b\n  \"b\": "
	              "3\n}}}",
	              "{\"mcp\":{\"servers\":{\n  \"a\": 1,\n  // about b\n  \"b\": 3\n}}}"));
}

/* What was added and removed again is the text from before, but for objects that were made for it. */
TEST(adding_and_removing_changes_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const char before[] = "{\n    \"mcp\": {\"servers\": {\n        \"x\": {}, // one\n "
				     "       \"y\": []\n    "
				     "}}\n}\n";
	struct str text = config_text_add(mem, str_from(before), nested, 3, STR("{\"a\":1}"));

	CHECK(str_eq(config_text_remove(mem, text, nested, 3), str_from(before)));
	CHECK(!str_is(config_text_remove(mem, str_from(before), nested, 3)));
}

/* Whatever the text is, the scanner ends inside it. */
TEST(a_text_that_ends_anywhere_does_no_harm)
{
	static const char whole[] =
		"{\"mcp\": {\"servers\": {\"a\\\"\": [1, {\"b\": \"/*\"}], /* x "
		"*/ \"new\": -1.5e3 // y\n}}, \"z\": [}";
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_good = true;

	for (size_t len = 0; len < sizeof whole; len++) {
		struct str text = str_of(whole, len), added, removed;

		added = config_text_add(mem, text, nested, 3, STR("1"));
		removed = config_text_remove(mem, text, nested, 3);
		is_good = is_good && added.len < 2 * sizeof whole && removed.len <= len;
	}
	CHECK(is_good);
}

TEST_MAIN()

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

TEST(a_comma_at_the_end_is_kept_as_the_style_and_a_member_deeper_down_is_another_one)
{
	CHECK(adds("{\"mcp\":{\"servers\":{\"old\":[1,{\"new\":2}],}}}",
	           "{\"mcp\":{\"servers\":{\"old\":[1,{\"new\":2}], \"new\": {\"a\":1},}}}"));
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

TEST(comments_before_and_behind_a_removed_member_stay)
{
	CHECK(removes("{\"mcp\":{\"servers\":{\n  \"a\": 1, // keep\n  \"new\": 2\n}}}",
	              "{\"mcp\":{\"servers\":{\n  \"a\": 1 // keep\n}}}"));
	CHECK(removes("{\"mcp\":{\"servers\":{\n  // one\n  \"new\": 2 /* two */, // three\n  "
	              "\"b\": 3\n}}}",
	              "{\"mcp\":{\"servers\":{\n  // one\n  /* two */ // three\n  \"b\": 3\n}}}"));
	CHECK(removes("{\"mcp\":{\"servers\":{\"a\": 1, // one\n  \"new\": 2, \"b\": 3}}}",
	              "{\"mcp\":{\"servers\":{\"a\": 1, // one\n  \"b\": 3}}}"));
	CHECK(removes("{\"mcp\":{\"servers\":{\"a\": 1, // one\n  \"new\": 2}}}",
	              "{\"mcp\":{\"servers\":{\"a\": 1 // one\n  }}}"));
}

TEST(lines_end_as_those_of_the_text)
{
	CHECK(adds("{\r\n  \"mcp\": {\"servers\": {\r\n    \"a\": 1 // one\r\n  }}\r\n}\r\n",
	           "{\r\n  \"mcp\": {\"servers\": {\r\n    \"a\": 1, // one\r\n    \"new\": "
	           "{\"a\":1}\r\n  }}\r\n}\r\n"));
	CHECK(adds("{\r\n  \"mcp\": {\"servers\": {}}\r\n}\r\n",
	           "{\r\n  \"mcp\": {\"servers\": {\r\n    \"new\": {\"a\":1}\r\n  }}\r\n}\r\n"));
}

/* ---- texts of all kinds ---- */

struct maker {
	uint64_t state;
	const char *line; /* how lines end */
	struct buf out;
};

static unsigned pick(struct maker *m, unsigned count)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(m->state >> 33) % count;
}

/* Blanks and comments, also such that look like members. */
static void put_gap(struct maker *m)
{
	for (unsigned n = pick(m, 4); n; n--)
		switch (pick(m, 6)) {
		case 0:
			buf_add_c(&m->out, "// \"x\": 1, }");
			buf_add_c(&m->out, pick(m, 2) ? "  " : "");
			buf_add_c(&m->out, m->line);
			break;
		case 1:
			buf_add_c(&m->out, "/* , { // */");
			break;
		case 2:
			buf_printf(&m->out, "/* a%s b */", m->line);
			break;
		case 3:
			buf_add_c(&m->out, m->line);
			break;
		default:
			buf_add_c(&m->out, pick(m, 2) ? "  " : "\t");
		}
}

static void put_members(struct maker *m, unsigned count)
{
	static const char *const values[] = { "1", "{}", "\"}, \\\" // no\"",
		                              "[1, /* x */ {\"new\": 2}]",
		                              "{\"command\": \"a\", // b\n}" };

	for (unsigned i = 0; i < count; i++) {
		put_gap(m);
		buf_printf(&m->out, "\"m%u\"", i);
		put_gap(m);
		buf_add_char(&m->out, ':');
		put_gap(m);
		buf_add_c(&m->out, values[pick(m, COUNT_OF(values))]);
		put_gap(m);
		if (i + 1 < count || !pick(m, 3))
			buf_add_char(&m->out, ',');
	}
}

/* {"mcp": {"servers": {...}}}; *ret_bare: the inner object holds nothing but blanks. */
static struct str put_text(struct maker *m, bool *ret_bare)
{
	static const char *const opens[] = { "{", "\"mcp\":", "{", "\"servers\":", "{" };
	size_t inner;

	for (size_t i = 0; i < COUNT_OF(opens); i++) {
		put_gap(m);
		buf_add_c(&m->out, opens[i]);
	}
	inner = m->out.len;
	put_members(m, pick(m, 4));
	put_gap(m);
	*ret_bare = !str_trim(str_skip(buf_str(&m->out), inner)).len;
	buf_add_c(&m->out, "}");
	put_gap(m);
	buf_add_c(&m->out, "}");
	put_gap(m);
	buf_add_c(&m->out, "}");
	put_gap(m);
	return buf_str(&m->out);
}

/* Members of the servers, with the new one. */
static size_t count_servers(struct arena *mem, struct str text)
{
	struct json doc;

	if (json_read_config(mem, text, &doc, NULL) != OK)
		return SIZE_MAX;
	return json_count(JSON_GET(JSON_GET(doc, "mcp"), "servers"));
}

static bool comes_back(struct maker *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_bare;
	struct str before = put_text(m, &is_bare), added, after;
	size_t count = count_servers(mem, before);

	added = config_text_add(mem, before, nested, 3, STR("{\"a\":1}"));
	after = config_text_remove(mem, added, nested, 3);
	if (count != SIZE_MAX && count_servers(mem, added) == count + 1 &&
	    (is_bare ? count_servers(mem, after) == 0 : str_eq(after, before)))
		return true;
	printf("# before: %.*s\n# added: %.*s\n# after: %.*s\n", STR_ARG(before), STR_ARG(added),
	       STR_ARG(after));
	return false;
}

/* Every member can be removed: the others and all comments stay. */
static bool each_goes(struct maker *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_bare;
	struct str text = put_text(m, &is_bare), name, rest;
	size_t count = count_servers(mem, text);

	for (size_t i = 0; i < count; i++) {
		struct str path[] = { STR("mcp"), STR("servers"), STR_NONE };

		name = arena_printf(mem, "m%zu", i);
		path[2] = name;
		rest = config_text_remove(mem, text, path, 3);
		if (count_servers(mem, rest) == count - 1)
			continue;
		printf("# %.*s of: %.*s\n# left: %.*s\n", STR_ARG(name), STR_ARG(text),
		       STR_ARG(rest));
		return false;
	}
	return true;
}

TEST(thousands_of_texts_come_back)
{
	bool is_good = true;

	for (uint64_t seed = 0; is_good && seed < 20000; seed++) {
		struct maker m = { .state = seed, .line = seed % 3 ? "\n" : "\r\n" };

		is_good = comes_back(&m);
		buf_done(&m.out);
	}
	CHECK(is_good);
}

TEST(each_member_of_thousands_of_texts_can_be_removed)
{
	bool is_good = true;

	for (uint64_t seed = 0; is_good && seed < 20000; seed++) {
		struct maker m = { .state = seed, .line = seed % 3 ? "\n" : "\r\n" };

		is_good = each_goes(&m);
		buf_done(&m.out);
	}
	CHECK(is_good);
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

#include "base/jw.h"
#include "lib/t.h"

#include "schema/schema.h"

#include <pthread.h>

/* ---- what the tests below say it with ---- */

static struct json read_json(struct arena *mem, struct str text)
{
	struct json v;
	struct error e = { 0 };

	CHECK_OK(json_read(mem, text, &v, &e), &e);
	return v;
}

static struct schema *compile(const struct schema_set *set, const char *text, bool formats)
{
	struct schema_options options = { .assert_formats = formats };
	struct schema *s = NULL;
	struct error e = { 0 };

	CHECK_OK(schema_compile_text(set, str_from(text), &options, &s, &e), &e);
	return s;
}

static bool fits_in(const struct schema_set *set, const char *schema, const char *value,
                    bool formats)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_freep) struct schema *s = compile(set, schema, formats);
	struct schema_report r = { .mem = mem };
	struct json v = read_json(mem, str_from(value));
	bool ok = schema_check(s, v, NULL);

	/* words do not change the verdict, and a verdict of no has words */
	CHECK(schema_check(s, v, &r) == ok);
	CHECK(ok == (r.count == 0));
	CHECK(!r.gave_up);
	return ok;
}

static bool fits(const char *schema, const char *value)
{
	return fits_in(NULL, schema, value, false);
}

/* The report on a value that does not fit. */
static struct schema_report faults(struct arena *mem, const char *schema, const char *value)
{
	CLEANUP(schema_freep) struct schema *s = compile(NULL, schema, true);
	struct schema_report r = { .mem = mem };

	CHECK(!schema_check(s, read_json(mem, str_from(value)), &r));
	CHECK(r.count > 0);
	return r;
}

static struct str message(struct arena *mem, const char *schema, const char *value)
{
	struct schema_report r = faults(mem, schema, value);

	CHECK(!r.gave_up);
	return r.errors[0].message;
}

static enum err refusal(const struct schema_set *set, const char *text, struct error *e)
{
	struct schema *s = NULL;
	enum err err = schema_compile_text(set, str_from(text), NULL, &s, e);

	CHECK(err != OK);
	CHECK(s == NULL);
	return err;
}

static void add(struct schema_set *set, const char *uri, const char *text)
{
	struct error e = { 0 };

	CHECK_OK(schema_set_add(set, str_from(uri), str_from(text), &e), &e);
}

/* text many times, with something between; the caller frees */
static char *repeat(const char *before, const char *text, const char *between, size_t count,
                    const char *after)
{
	struct buf b = { 0 };

	buf_add_c(&b, before);
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_c(&b, between);
		buf_add_c(&b, text);
	}
	buf_add_c(&b, after);
	return buf_take(&b, &(size_t){ 0 });
}

static void free_text(char **text)
{
	free(*text);
}

/* ---- keywords, beyond what the conformance suite asks ---- */

TEST(true_takes_anything_and_false_nothing)
{
	CHECK(fits("true", "{\"a\":[1]}"));
	CHECK(fits("{}", "null"));
	CHECK(!fits("false", "null"));
}

TEST(an_integer_may_be_written_with_a_point)
{
	CHECK(fits("{\"type\":\"integer\"}", "1.0"));
	CHECK(fits("{\"type\":\"integer\"}", "1e30"));
	CHECK(!fits("{\"type\":\"integer\"}", "1.5"));
	CHECK(fits("{\"const\":1}", "1.0"));
}

TEST(bounds_are_exact_beyond_the_precision_of_doubles)
{
	CHECK(!fits("{\"maximum\":9007199254740992}", "9007199254740993"));
	CHECK(fits("{\"minimum\":9007199254740993}", "9007199254740993"));
	CHECK(!fits("{\"maximum\":18446744073709551614}", "18446744073709551615"));
	CHECK(!fits("{\"exclusiveMinimum\":-9223372036854775808}", "-9223372036854775808"));
	CHECK(fits("{\"maximum\":9223372036854775807.5}", "9223372036854775807"));
}

TEST(multiples_are_decimal)
{
	CHECK(fits("{\"multipleOf\":0.0001}", "0.0075"));
	CHECK(!fits("{\"multipleOf\":0.0001}", "0.00751"));
	CHECK(fits("{\"multipleOf\":0.01}", "19.99"));
	CHECK(fits("{\"multipleOf\":0.1}", "-4.7"));
	CHECK(fits("{\"multipleOf\":1e-8}", "12391239123"));
	CHECK(fits("{\"multipleOf\":0.5}", "1e308"));
	CHECK(!fits("{\"multipleOf\":0.123456789}", "1e308"));
	CHECK(!fits("{\"multipleOf\":1e300}", "1"));
	CHECK(fits("{\"multipleOf\":3}", "18446744073709551615"));
	CHECK(!fits("{\"multipleOf\":2}", "18446744073709551615"));
	CHECK(fits("{\"multipleOf\":7}", "0"));
	CHECK(fits("{\"multipleOf\":0.3}", "0.0"));
}

TEST(length_counts_characters_not_bytes)
{
	CHECK(fits("{\"maxLength\":2}", "\"\\ud83d\\udca9\\u00e9\""));
	CHECK(!fits("{\"minLength\":3}", "\"\\ud83d\\udca9\\u00e9\""));
	CHECK(fits("{\"minLength\":2.0}", "\"ab\""));
}

TEST(items_are_unique_as_values)
{
	CHECK(!fits("{\"uniqueItems\":true}", "[1,\"1\",1.0]"));
	CHECK(!fits("{\"uniqueItems\":true}", "[{\"a\":1,\"b\":[2]},{\"b\":[2.0],\"a\":1}]"));
	CHECK(fits("{\"uniqueItems\":true}",
	           "[[1],[[1]],{\"a\":1},{\"a\":true},true,null,0,false,\"\"]"));
}

TEST(many_items_are_unique_without_comparing_each_with_each)
{
	struct buf b = { 0 };

	buf_add_c(&b, "[");
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%s[%d,\"x\"]", i ? "," : "", i);
	buf_add_c(&b, "]");

	CLEANUP(free_text) char *value = buf_take(&b, &(size_t){ 0 });

	CHECK(fits("{\"uniqueItems\":true}", value));
}

TEST(more_members_than_fit_in_a_word_are_kept_apart)
{
	struct buf value = { 0 }, schema = { 0 };

	buf_add_c(&schema, "{\"allOf\":[{\"properties\":{");
	buf_add_c(&value, "{");
	for (int i = 0; i < 400; i++) {
		buf_printf(&value, "%s\"m%d\":%d", i ? "," : "", i, i);
		buf_printf(&schema, "%s\"m%d\":{\"type\":\"integer\"}", i ? "," : "", i);
	}
	buf_add_c(&schema, "}}],\"anyOf\":[{\"properties\":{\"x\":true}}],");
	buf_add_c(&schema, "\"unevaluatedProperties\":false}");
	buf_add_char(&value, 0);
	value.len--;

	CLEANUP(free_text) char *known = buf_take(&schema, &(size_t){ 0 });
	CLEANUP(free_text) char *open = buf_take(&value, &(size_t){ 0 });
	CLEANUP(free_text) char *whole = repeat(open, "}", "", 1, "");
	CLEANUP(free_text) char *more = repeat(open, ",\"x\":1}", "", 1, "");
	CLEANUP(free_text) char *too_many = repeat(open, ",\"y\":1}", "", 1, "");

	CHECK(fits(known, whole));
	CHECK(fits(known, more));
	CHECK(!fits(known, too_many));
}

TEST(what_a_failed_branch_has_seen_does_not_count)
{
	const char *schema = "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}}},"
			     "{\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}";

	CHECK(fits(schema, "{\"a\":\"x\"}"));
	CHECK(!fits(schema, "{\"a\":1}"));
	CHECK(fits(schema, "{\"b\":1}"));
	CHECK(fits(schema, "{\"a\":\"x\",\"b\":1}"));
}

TEST(a_dynamic_reference_goes_to_the_outermost_schema)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();

	add(set, "http://x/tree",
	    "{\"$id\":\"http://x/"
	    "tree\",\"$dynamicAnchor\":\"node\",\"type\":\"object\",\"properties\":{"
	    "\"children\":{\"type\":\"array\",\"items\":{\"$dynamicRef\":\"#node\"}}}}");

	const char *strict = "{\"$id\":\"http://x/strict\",\"$dynamicAnchor\":\"node\","
			     "\"$ref\":\"tree\",\"unevaluatedProperties\":false}";

	CHECK(fits_in(set, strict, "{\"children\":[{\"children\":[]}]}", false));
	CHECK(!fits_in(set, strict, "{\"children\":[{\"daat\":1}]}", false));
	CHECK(fits_in(set, "{\"$ref\":\"http://x/tree\"}", "{\"children\":[{\"daat\":1}]}", false));
}

TEST(a_vocabulary_switches_keywords_off)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();

	add(set, "http://x/meta",
	    "{\"$id\":\"http://x/meta\",\"$vocabulary\":{"
	    "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
	    "\"https://json-schema.org/draft/2020-12/vocab/applicator\":true,"
	    "\"https://json-schema.org/draft/2020-12/vocab/format-assertion\":true}}");

	const char *schema = "{\"$schema\":\"http://x/meta\",\"properties\":{"
			     "\"n\":{\"minimum\":3},\"no\":false,\"ip\":{\"format\":\"ipv4\"}}}";

	CHECK(fits_in(set, schema, "{\"n\":1}", false));
	CHECK(!fits_in(set, schema, "{\"no\":1}", false));
	CHECK(!fits_in(set, schema, "{\"ip\":\"1.2.3\"}", false));
}

TEST(an_unknown_vocabulary_that_is_required_is_refused)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	struct error e = { 0 };

	add(set, "http://x/meta", "{\"$vocabulary\":{\"http://x/strange\":true}}");
	CHECK_INT(refusal(set, "{\"$schema\":\"http://x/meta\"}", &e), ERR_UNSUPPORTED);
	CHECK_HAS(str_from(e.message), "http://x/strange");
}

#define DRAFT7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\""

TEST(draft_07_is_read_by_its_own_rules)
{
	CHECK(fits("{" DRAFT7 ",\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}",
	           "[\"a\"]"));
	CHECK(!fits("{" DRAFT7 ",\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}",
	            "[\"a\",1]"));
	/* a $ref hides its siblings */
	CHECK(fits("{" DRAFT7 ",\"definitions\":{\"x\":{}},\"properties\":{"
	           "\"a\":{\"$ref\":\"#/definitions/x\",\"type\":\"string\"}}}",
	           "{\"a\":1}"));
	CHECK(fits("{" DRAFT7 ",\"definitions\":{\"x\":{\"$id\":\"#n\",\"type\":\"integer\"}},"
	           "\"properties\":{\"a\":{\"$ref\":\"#n\"}}}",
	           "{\"a\":1}"));
}

TEST(dependencies_work_in_their_old_and_new_form)
{
	CHECK(!fits("{\"dependencies\":{\"a\":[\"b\"]}}", "{\"a\":1}"));
	CHECK(!fits("{\"dependencies\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}"));
	CHECK(!fits("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}"));
	CHECK(!fits("{\"dependentSchemas\":{\"a\":{\"maxProperties\":1}}}", "{\"a\":1,\"b\":2}"));
	CHECK(fits("{\"dependentRequired\":{\"a\":[\"b\"]},\"dependentSchemas\":{\"c\":false}}",
	           "{\"a\":1,\"b\":2}"));
}

/* ---- sets ---- */

TEST(a_document_is_known_by_its_id_and_by_the_uri_it_was_added_under)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();

	add(set, "http://mirror/s.json",
	    "{\"$id\":\"http://x/s.json\",\"$defs\":{\"t\":"
	    "{\"$anchor\":\"t\",\"type\":\"string\"}}}");
	CHECK(fits_in(set, "{\"$ref\":\"http://x/s.json#t\"}", "\"a\"", false));
	CHECK(!fits_in(set, "{\"$ref\":\"http://mirror/s.json#/$defs/t\"}", "1", false));
}

TEST(an_equal_document_may_get_further_names)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	const char *text = "{\"$id\":\"http://x/s.json\",\"type\":\"string\"}";

	add(set, NULL, text);
	add(set, "http://y/s.json", text);
	add(set, "http://y/s.json", text);
	CHECK(!fits_in(set, "{\"$ref\":\"http://y/s.json\"}", "1", false));
}

TEST(a_uri_belongs_to_one_document)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	struct error e = { 0 };

	add(set, "http://x/a", "{\"type\":\"string\"}");
	CHECK_INT(schema_set_add(set, STR("http://x/a"), STR("{\"type\":\"null\"}"), &e), ERR_BUSY);
	CHECK_HAS(str_from(e.message), "http://x/a");

	/* and nothing of a document that was refused stays behind */
	CHECK_INT(schema_set_add(
			  set, STR("http://x/b"),
			  STR("{\"$defs\":{\"i\":{\"$id\":\"inner\"},\"j\":{\"$id\":\"a\"}}}"), &e),
	          ERR_BUSY);
	CHECK_INT(refusal(set, "{\"$ref\":\"http://x/inner\"}", &e), ERR_NOT_FOUND);
	CHECK_INT(refusal(set, "{\"$ref\":\"http://x/b\"}", &e), ERR_NOT_FOUND);
	add(set, "http://x/b", "{\"$defs\":{\"i\":{\"$id\":\"inner\"}}}");
	CHECK(fits_in(set, "{\"$ref\":\"http://x/inner\"}", "1", false));
}

TEST(a_document_without_any_name_is_refused)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	struct error e = { 0 };

	CHECK_INT(schema_set_add(set, STR_NONE, STR("{}"), &e), ERR_INVALID);
	CHECK_INT(schema_set_add(set, STR("http://x/a"), STR("[]"), &e), ERR_INVALID);
	CHECK_INT(schema_set_add(set, STR("http://x/a"), STR("{"), &e), ERR_INVALID);
	CHECK_INT(schema_set_add(set, STR("http://x/a"),
	                         STR("{\"$defs\":{\"a\":{\"$anchor\":\"x\"},"
	                             "\"b\":{\"$anchor\":\"x\"}}}"),
	                         &e),
	          ERR_INVALID);
}

TEST(a_text_may_take_an_id_that_the_set_has)
{
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();

	add(set, "http://x/a", "{\"type\":\"string\"}");
	CHECK(fits_in(set, "{\"$id\":\"http://x/a\",\"type\":\"integer\"}", "1", false));
	CHECK(!fits_in(set, "{\"$ref\":\"http://x/a\"}", "1", false));
}

TEST(references_are_resolved_against_the_nearest_id)
{
	const char *schema =
		"{\"$id\":\"http://x/dir/root.json\",\"$ref\":\"../other/./a.json#/$defs/n\","
		"\"$defs\":{\"e\":{\"$id\":\"http://x/other/a.json\",\"$defs\":{"
		"\"n\":{\"$ref\":\"b.json\"}}},"
		"\"f\":{\"$id\":\"/other/b.json\",\"type\":\"null\"}}}";

	CHECK(fits(schema, "null"));
	CHECK(!fits(schema, "1"));
}

TEST(pointers_are_unescaped)
{
	const char *schema = "{\"$defs\":{\"a/b~c%\":{\"type\":\"null\"}},"
			     "\"$ref\":\"#/%24defs/a~1b~0c%25\"}";

	CHECK(fits(schema, "null"));
	CHECK(!fits(schema, "1"));
}

TEST(part_of_a_document_can_be_compiled_by_itself)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	CLEANUP(schema_freep) struct schema *s = NULL;
	struct schema_report r = { .mem = mem };
	struct error e = { 0 };

	add(set, "http://x/a", "{\"$defs\":{\"n\":{\"type\":\"null\"}},\"type\":\"string\"}");
	CHECK_OK(schema_compile(set, STR("http://x/a#/$defs/n"), NULL, &s, &e), &e);
	CHECK(!schema_check(s, read_json(mem, STR("1")), &r));
	CHECK_STR(r.errors[0].location, "http://x/a#/$defs/n/type");
	CHECK_INT(schema_compile(set, STR("http://x/b"), NULL, &s, &e), ERR_NOT_FOUND);
}

/* ---- schemas that are refused ---- */

TEST(a_reference_that_leads_nowhere_is_named)
{
	struct error e = { 0 };

	CHECK_INT(refusal(NULL, "{\"properties\":{\"a\":{\"$ref\":\"http://x/gone\"}}}", &e),
	          ERR_NOT_FOUND);
	CHECK_STR(str_from(e.message),
	          "#/properties/a/$ref: no schema is known for \"http://x/gone\"");
	CHECK_INT(refusal(NULL, "{\"$ref\":\"#/$defs/x\"}", &e), ERR_NOT_FOUND);
	CHECK_INT(refusal(NULL, "{\"$ref\":\"#x\"}", &e), ERR_NOT_FOUND);
	CHECK_INT(refusal(NULL, "{\"allOf\":[true],\"$ref\":\"#/allOf/1\"}", &e), ERR_NOT_FOUND);
	CHECK_INT(refusal(NULL, "{\"allOf\":[true],\"$ref\":\"#/allOf/00\"}", &e), ERR_NOT_FOUND);
}

TEST(a_keyword_with_a_value_of_the_wrong_form_is_located)
{
	static const char *const wrong[][2] = {
		{ "{\"type\":\"strin\"}", "#/type must be" },
		{ "{\"type\":[]}", "#/type must be" },
		{ "{\"type\":[\"string\",1]}", "#/type must be" },
		{ "{\"properties\":{\"a~/b\":{\"minLength\":-1}}}",
		  "#/properties/a~0~1b/minLength must be a whole number" },
		{ "{\"minItems\":1.5}", "#/minItems" },
		{ "{\"minimum\":\"1\"}", "#/minimum must be a number" },
		{ "{\"exclusiveMinimum\":true}", "#/exclusiveMinimum must be a number" },
		{ "{\"multipleOf\":0}", "#/multipleOf must be a number above 0" },
		{ "{\"required\":true}", "#/required must be an array of strings" },
		{ "{\"required\":[1]}", "#/required must be an array of strings" },
		{ "{\"enum\":{}}", "#/enum must be an array" },
		{ "{\"uniqueItems\":1}", "#/uniqueItems" },
		{ "{\"allOf\":[]}", "#/allOf must be an array of schemas, not empty" },
		{ "{\"anyOf\":[true,{\"not\":3}]}", "#/anyOf/1/not must be a schema, not integer" },
		{ "{\"items\":[true]}", "#/items must be a schema, not array" },
		{ "{\"properties\":[]}", "#/properties must be an object" },
		{ "{\"patternProperties\":{\"(\":true}}", "#/patternProperties: the pattern (" },
		{ "{\"pattern\":\"a**\"}", "#/pattern: the pattern a**" },
		{ "{\"pattern\":1}", "#/pattern must be a string" },
		{ "{\"format\":1}", "#/format must be a string" },
		{ "{\"$ref\":1}", "#/$ref must be a string" },
		{ "{\"$id\":1}", "#/$id must be a string" },
		{ "{\"dependentRequired\":{\"a\":\"b\"}}", "#/dependentRequired" },
		{ "{\"dependentSchemas\":{\"a\":[\"b\"]}}",
		  "#/dependentSchemas/a must be a schema" },
	};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct error e = { 0 };

		CHECK_INT(refusal(NULL, wrong[i][0], &e), ERR_INVALID);
		if (str_find(str_from(e.message), str_from(wrong[i][1])) < 0)
			t_fail(__FILE__, __LINE__, "%s: %s", wrong[i][0], e.message);
	}
}

TEST(unknown_keywords_and_odd_annotations_are_no_trouble)
{
	CHECK(fits("{\"title\":1,\"x-foo\":{\"type\":7},\"default\":[],\"$comment\":\"\",\"$defs\":"
	           "{}}",
	           "1"));
	CHECK(fits("{\"maxContains\":0,\"then\":false}", "[1]"));
}

TEST(schemas_have_bounds)
{
	struct error e = { 0 };
	CLEANUP(free_text)
	char *large = repeat("{\"x\":\"", "0123456789", "", SCHEMA_TEXT_MAX / 10, "\"}");
	CLEANUP(free_text)
	char *many = repeat("{\"allOf\":[", "{}", ",", SCHEMA_NODES_MAX + 1, "]}");
	CLEANUP(free_text) char *deep = repeat("", "{\"not\":", "", 100, "{}");
	CLEANUP(free_text)
	char *pattern = repeat("{\"pattern\":\"", "a", "", SCHEMA_PATTERN_MAX + 1, "\"}");
	CLEANUP(free_text)
	char *uri = repeat("{\"$defs\":{\"a\":{\"$id\":\"", "a", "", SCHEMA_URI_MAX + 1, "\"}}}");

	CHECK_INT(refusal(NULL, large, &e), ERR_TOO_LARGE);
	CHECK_INT(refusal(NULL, many, &e), ERR_TOO_LARGE);
	CHECK_INT(refusal(NULL, deep, &e), ERR_INVALID);
	CHECK_INT(refusal(NULL, pattern, &e), ERR_TOO_LARGE);
	CHECK_INT(refusal(NULL, uri, &e), ERR_TOO_LARGE);
}

TEST(patterns_have_a_bound_on_their_compiled_size)
{
	struct buf b = { 0 };
	struct error e = { 0 };

	buf_add_c(&b, "{\"patternProperties\":{");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%s\"%d(?:[^a]b){1000}\":true", i ? "," : "", i);
	buf_add_c(&b, "}}");

	CLEANUP(free_text) char *text = buf_take(&b, &(size_t){ 0 });

	CHECK_INT(refusal(NULL, text, &e), ERR_TOO_LARGE);
}

/* ---- messages about a value ---- */

TEST(a_fault_says_what_is_needed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(message(mem, "{\"required\":[\"name\"]}", "{}"), "needs the member \"name\"");
	CHECK_STR(message(mem, "{\"type\":[\"string\",\"null\"]}", "1"),
	          "must be string or null, not integer");
	CHECK_STR(message(mem, "{\"type\":[\"number\",\"array\",\"object\"]}", "\"\""),
	          "must be number, array or object, not string");
	CHECK_STR(message(mem, "{\"enum\":[\"a\",2,null]}", "1"),
	          "must be one of \"a\", 2 or null");
	CHECK_STR(message(mem, "{\"enum\":[1,2,3,4,5,6,7,8,9]}", "0"),
	          "must be one of 1, 2, 3, 4, 5, 6, 7, 8, … (9 in all)");
	CHECK_STR(message(mem, "{\"const\":\"x\\ny\"}", "1"), "must be \"x\\ny\"");
	CHECK_STR(message(mem, "{\"minimum\":0.5}", "0"), "must be at least 0.5");
	CHECK_STR(message(mem, "{\"minLength\":1}", "\"\""),
	          "must have at least 1 character, not 0");
	CHECK_STR(message(mem, "{\"maxItems\":2}", "[1,2,3]"), "must have at most 2 items, not 3");
	CHECK_STR(message(mem, "{\"pattern\":\"^a\"}", "\"b\""), "must match the pattern ^a");
	CHECK_STR(message(mem, "{\"format\":\"ipv4\"}", "\"b\""), "must have the format \"ipv4\"");
	CHECK_STR(message(mem, "{\"additionalProperties\":false}", "{\"a\":1}"),
	          "must not have the member \"a\"");
	CHECK_STR(message(mem, "{\"unevaluatedProperties\":false}", "{\"a\":1}"),
	          "must not have the member \"a\"");
	CHECK_STR(message(mem, "{\"unevaluatedItems\":false}", "[1]"),
	          "must not have an item at 0");
	CHECK_STR(message(mem, "{\"uniqueItems\":true}", "[1,2,1]"),
	          "must not repeat an item, but items 0 and 2 are equal");
	CHECK_STR(message(mem, "{\"contains\":{\"const\":1}}", "[2]"),
	          "must contain at least 1 fitting item, not 0");
	CHECK_STR(message(mem, "{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}"),
	          "must not have a member named \"ab\": the name must have at most 1 character, "
	          "not 2");
	CHECK_STR(message(mem, "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}"),
	          "needs the member \"b\", because it has \"a\"");
	CHECK_STR(message(mem, "{\"not\":{}}", "1"), "must not fit the schema under \"not\"");
	CHECK_STR(message(mem, "{\"properties\":{\"a\":false}}", "{\"a\":1}"), "must not be here");
	CHECK_STR(message(mem, "{\"oneOf\":[true,true,false]}", "1"),
	          "must fit exactly one of 3 schemas, not several");
	CHECK_STR(message(mem, "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1"),
	          "must fit at least one of 2 schemas: must be string, not integer; "
	          "or must be null, not integer");
}

TEST(a_fault_is_located_in_the_value_and_in_the_schema)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct schema_report r =
		faults(mem,
	               "{\"$id\":\"http://x/s\",\"properties\":{\"a/b\":{\"items\":"
	               "{\"$ref\":\"#/$defs/n~m\"}}},\"$defs\":{\"n~m\":"
	               "{\"type\":\"integer\"}}}",
	               "{\"a/b\":[1,{}]}");

	CHECK_INT(r.count, 1);
	CHECK_STR(r.errors[0].path, "/a~1b/1");
	CHECK_STR(r.errors[0].keyword, "type");
	CHECK_STR(r.errors[0].location, "http://x/s#/$defs/n~0m/type");
}

TEST(the_branch_that_got_furthest_explains_a_choice)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct schema_report r =
		faults(mem,
	               "{\"anyOf\":[{\"type\":\"string\"},{\"properties\":{\"kind\":"
	               "{\"const\":\"a\"},\"size\":{\"minimum\":3}}}]}",
	               "{\"kind\":\"a\",\"size\":1}");

	CHECK_INT(r.count, 2);
	CHECK_STR(r.errors[0].path, "");
	CHECK_STR(r.errors[1].path, "/size");
	CHECK_STR(r.errors[1].message, "must be at least 3");
}

TEST(a_report_holds_as_many_faults_as_wanted_and_no_fault_twice)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_freep)
	struct schema *s = compile(
		NULL, "{\"items\":{\"type\":\"null\"},\"allOf\":[{\"items\":{\"type\":\"null\"}}]}",
		false);
	struct json v = read_json(mem, STR("[1,2,3,4,5,6,7,8,9,10,11,12]"));
	struct schema_report r = { .mem = mem };

	CHECK(!schema_check(s, v, &r));
	CHECK_INT(r.count, SCHEMA_ERRORS);
	CHECK_STR(r.errors[7].path, "/7");
	r.max = 100;
	CHECK(!schema_check(s, v, &r));
	CHECK_INT(r.count, 12);
	r.max = 1;
	CHECK(!schema_check(s, v, &r));
	CHECK_INT(r.count, 1);
	CHECK(schema_check(s, read_json(mem, STR("[null]")), &r));
	CHECK_INT(r.count, 0);
}

TEST(long_texts_are_cut_in_a_report)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(free_text) char *value = repeat("{\"", "é", "", 5000, "\":1}");
	struct str said = message(mem, "{\"additionalProperties\":false}", value);
	struct schema_report r =
		faults(mem, "{\"additionalProperties\":{\"type\":\"null\"}}", value);

	CHECK(said.len < 200);
	CHECK(r.errors[0].path.len < 1100);
	CHECK(str_ends(r.errors[0].path, STR("…")));
}

/* ---- hostile schemas ---- */

static bool gives_up(const char *schema, const char *value)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_freep) struct schema *s = compile(NULL, schema, true);
	struct schema_report r = { .mem = mem };
	struct json v = read_json(mem, str_from(value));

	CHECK(!schema_check(s, v, &r));
	CHECK(r.count > 0);
	return r.gave_up;
}

TEST(a_reference_to_itself_gives_up)
{
	CHECK(gives_up("{\"$ref\":\"#\"}", "1"));
	CHECK(gives_up("{\"not\":{\"$ref\":\"#\"}}", "1"));
	CHECK(gives_up("{\"not\":{\"not\":{\"allOf\":[{\"$ref\":\"#/not\"}]}}}", "1"));
	CHECK(gives_up("{\"$dynamicAnchor\":\"a\",\"anyOf\":[{\"$dynamicRef\":\"#a\"}]}", "{}"));
}

TEST(schemas_that_double_at_every_level_give_up)
{
	struct buf b = { 0 };

	buf_add_c(&b, "{\"$ref\":\"#/$defs/a0\",\"$defs\":{");
	for (int i = 0; i < 60; i++)
		buf_printf(&b,
		           "\"a%d\":{\"allOf\":[{\"$ref\":\"#/$defs/a%d\"},{\"$ref\":\"#/$defs/"
		           "a%d\"}]},",
		           i, i + 1, i + 1);
	buf_add_c(&b, "\"a60\":{\"type\":\"integer\"}}}");

	CLEANUP(free_text) char *text = buf_take(&b, &(size_t){ 0 });

	CHECK(gives_up(text, "1"));
	CHECK(!gives_up(text, "\"\"")); /* the first fault is found at once */
}

TEST(catastrophic_patterns_give_up)
{
	CLEANUP(free_text) char *some = repeat("\"", "a", "", 40, "!\"");
	CLEANUP(free_text) char *much = repeat("\"", "a", "", 1000000, "\"");

	CHECK(gives_up("{\"pattern\":\"^(a+)+$\"}", some));
	CHECK(gives_up("{\"pattern\":\"^(a|a)*$\"}", some));
	CHECK(gives_up("{\"pattern\":\"(?:a|aa)+(?=b|c)\"}", some));
	CHECK(gives_up("{\"pattern\":\"a*(?:b|c)\"}", much));
	CHECK(gives_up("{\"pattern\":\"a{60000}(?:b|c)\"}", much));
	CHECK(gives_up("{\"pattern\":\"(a*)\\\\1(?:b|c)\"}", much));
	CHECK(gives_up("{\"pattern\":\"^(?:a|b)*$\"}", much));
	CHECK(gives_up("{\"not\":{\"pattern\":\"^(a+)+$\"}}", some));
}

TEST(ordinary_patterns_take_long_texts)
{
	CLEANUP(free_text) char *much = repeat("\"", "ab ", "", 300000, "x\"");

	CHECK(fits("{\"pattern\":\"^[a-z ]*$\"}", much));
	CHECK(fits("{\"pattern\":\"x$\"}", much));
	CHECK(!fits("{\"pattern\":\"xy\"}", much));
	CHECK(!fits("{\"pattern\":\"^x\"}", much));
}

TEST(steps_can_be_limited)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(schema_freep) struct schema *s = NULL;
	struct schema_options options = { .max_steps = 10 };
	struct schema_report r = { .mem = mem };
	struct error e = { 0 };

	CHECK_OK(schema_compile_text(NULL, STR("{\"items\":{\"type\":\"integer\"}}"), &options, &s,
	                             &e),
	         &e);
	CHECK(schema_check(s, read_json(mem, STR("[1,2,3]")), &r));
	CHECK(!schema_check(s, read_json(mem, STR("[1,2,3,4,5,6,7,8,9,10,11]")), &r));
	CHECK(r.gave_up);
	CHECK_HAS(r.errors[0].message, "could not be checked");
	CHECK(!schema_check(s, read_json(mem, STR("[1,\"\"]")), &r));
	CHECK(!r.gave_up);
	CHECK_INT(r.count, 1);
}

/* ---- patterns ---- */

static bool matches(const char *pattern, const char *subject)
{
	struct buf b = { 0 };
	struct json_writer w;

	jw_init(&w, &b);
	jw_obj(&w);
	jw_kstr(&w, STR("pattern"), str_from(pattern));
	jw_obj_end(&w);
	buf_add_char(&b, 0);

	CLEANUP(free_text) char *schema = buf_take(&b, &(size_t){ 0 });

	jw_init(&w, &b);
	jw_str(&w, str_from(subject));
	buf_add_char(&b, 0);

	CLEANUP(free_text) char *value = buf_take(&b, &(size_t){ 0 });

	return fits(schema, value);
}

TEST(patterns_mean_what_ecma_262_says)
{
	CHECK(matches("a", "xay"));
	CHECK(matches("^\\d+$", "12"));
	CHECK(!matches("^\\d$", "\u0663")); /* an Arabic digit */
	CHECK(!matches("^\\w$", "é"));
	CHECK(matches("^\\W$", "é"));
	CHECK(matches("^\\s$", "\u00a0"));
	CHECK(matches("^\\s$", "\ufeff"));
	CHECK(!matches("^\\S$", "\u2003"));
	CHECK(matches("^[\\s\\d]+$", "1\u3000"));
	CHECK(matches("^[\\S]$", "é"));
	CHECK(!matches("^[^\\S]$", "é"));
	CHECK(!matches("a$", "a\n"));
	CHECK(!matches("^.$", "\n"));
	CHECK(!matches("^.$", "\u2028"));
	CHECK(matches("^.$", "\U0001f409"));
	CHECK(matches("^[\U0001f400-\U0001f410]$", "\U0001f409"));
	CHECK(matches("^\\ud83d\\udc09$", "\U0001f409"));
	CHECK(matches("^\\u{1f409}$", "\U0001f409"));
	CHECK(matches("^\\u0041\\x42$", "AB"));
	CHECK(!matches("^\\cA\\0$", "\x01"));
	CHECK(matches("^\\cA\\v\\t$", "\x01\x0b\t"));
	CHECK(!matches("^\\v$", "\n"));
	CHECK(matches("^[]$|x", "x"));
	CHECK(matches("^[^]$", "\n"));
	CHECK(matches("^[[:alpha:]]$", "a]"));
	CHECK(matches("^a{,3}$", "a{,3}"));
	CHECK(matches("^a{2}$", "aa"));
	CHECK(matches("^a{$", "a{"));
	CHECK(matches("^(?<n>a|b)\\k<n>$", "aa"));
	CHECK(matches("^(a)?\\1b$", "b")); /* a group that took no part matches nothing */
	CHECK(matches("^\\p{Letter}\\p{Lu}\\p{Script=Greek}$", "éÉα"));
	CHECK(matches("^[\\p{L}-]$", "-"));
	CHECK(matches("^[\\w-.]+$", "a-b.c"));
	CHECK(matches("^[\\b]$", "\b"));
	CHECK(matches("(?<=a)b(?!c)", "abd"));
	CHECK(matches("^[\\ud800-\\udfffa]$", "a"));
	CHECK(matches("^\\/\\-\\.$", "/-."));
	CHECK(matches("", ""));
}

TEST(patterns_that_are_not_ecma_262_are_refused)
{
	static const char *const wrong[] = {
		"\\\\Z",
		"\\\\A",
		"\\\\a",
		"\\\\e",
		"\\\\h",
		"\\\\R",
		"\\\\Qx\\\\E",
		"\\\\K",
		"\\\\C",
		"\\\\G",
		"\\\\N",
		"\\\\X",
		"\\\\o{7}",
		"\\\\g1",
		"\\\\01",
		"\\\\u12",
		"\\\\u{}",
		"\\\\u{110000}",
		"\\\\x1",
		"\\\\c1",
		"\\\\p{}",
		"\\\\p",
		"\\\\pL",
		"\\\\p{^L}",
		"\\\\p{Nonsense}",
		"(?i)a",
		"(?#x)",
		"(?>a)",
		"(?|a)",
		"(?P<n>a)",
		"(?'n'a)",
		"(?R)",
		"(?1)",
		"(?C)",
		"(*UTF)a",
		"(*LIMIT_MATCH=1)a",
		"(?",
		"(?<",
		"(?<1a>x)",
		"a++",
		"a*+",
		"a{2}+",
		"a???",
		"*a",
		"a|*",
		"(",
		")",
		"[a",
		"[z-a]",
		"\\\\",
		"\\\\1",
		"\\\\k<n>",
		"\\\\k",
		"a{99999}",
		"[\\\\B]",
	};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		char text[128];
		struct error e = { 0 };
		struct schema *s = NULL;

		snprintf(text, sizeof text, "{\"pattern\":\"%s\"}", wrong[i]);
		if (schema_compile_text(NULL, str_from(text), NULL, &s, &e) != ERR_INVALID)
			t_fail(__FILE__, __LINE__, "%s was taken", wrong[i]);
	}
}

/* ---- formats ---- */

struct formats {
	const char *name;
	const char *good[9], *bad[9];
};

static bool has_format(const char *name, const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str schema = arena_printf(mem, "{\"format\":\"%s\"}", name);
	struct str value = arena_printf(mem, "\"%s\"", text);

	return fits_in(NULL, schema.ptr, value.ptr, true);
}

TEST(formats_are_checked_when_asserted)
{
	static const struct formats all[] = {
		{ "date-time",
		  { "2026-11-15T14:00:00.000Z", "1990-12-31t23:59:60z",
		    "2024-02-29T00:00:00+23:59" },
		  { "yesterday", "2026-11-15T14:00:00", "2026-11-15 14:00:00Z",
		    "2023-02-29T00:00:00Z", "2026-11-15T24:00:00Z", "1990-12-31T23:58:60Z",
		    "2026-11-15T14:00:00.Z", "2026-11-15T14:00:00Zx" } },
		{ "date",
		  { "2024-02-29" },
		  { "2023-02-29", "24-02-29", "2024-13-01", "2024-2-9" } },
		{ "time",
		  { "08:30:06Z", "15:59:60-08:00" },
		  { "08:30:06", "8:30:06Z", "22:59:60Z" } },
		{ "duration",
		  { "P1Y2M3DT4H5M6S", "P2W", "PT0S" },
		  { "P", "PT", "P1Y2D", "1Y", "P1S" } },
		{ "email",
		  { "joe@example.com", "\\\"a b\\\"@x.org", "a@[127.0.0.1]", "a@[IPv6:::1]" },
		  { "joe", ".a@b", "a..b@c", "a@b_c", "a@[1.2.3]", "é@b" } },
		{ "idn-email", { "é@exämple.de" }, { "é" } },
		{ "hostname", { "a.b-c.de" }, { "", "-a", "a-", "a_b", "a..b", "é" } },
		{ "ipv4", { "127.0.0.1" }, { "127.0.0", "256.0.0.1", "01.2.3.4", "1.2.3.4 " } },
		{ "ipv6", { "::1", "::ffff:1.2.3.4" }, { "1::2::3", "12345::", "::1%eth0" } },
		{ "uri",
		  { "http://u@x:80/a?b#c", "urn:a:b", "http://[::1]/", "mailto:a@b", "x:" },
		  { "/a", "http://a b", "http://x/%zz", "://x", "http://[::1", "http://x:8a" } },
		{ "uri-reference",
		  { "/a", "", "../x?y", "#f", "//h/p" },
		  { "1a:b", "a\\\\b", "<x>" } },
		{ "iri", { "http://exämple.de/ü" }, { "/ü" } },
		{ "iri-reference", { "ü" }, { "a b" } },
		{ "uri-template", { "/a/{b}{?c,d*}", "{+x:3}" }, { "{", "{}", "}", "{a:0}" } },
		{ "uuid",
		  { "2EB8AA08-aa98-11ea-b4aa-73b441d16380" },
		  { "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380" } },
		{ "json-pointer", { "", "/a~0b/~1", "/" }, { "a", "/~", "/~2" } },
		{ "relative-json-pointer", { "0", "1/a", "2#" }, { "", "-1", "01", "0##" } },
		{ "regex", { "^a+$" }, { "^(a", "\\\\Z" } },
		{ "no-such-format", { "anything" }, { 0 } },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		for (const char *const *good = all[i].good; *good; good++)
			if (!has_format(all[i].name, *good))
				t_fail(__FILE__, __LINE__, "\"%s\" is a %s", *good, all[i].name);
		for (const char *const *bad = all[i].bad; *bad; bad++)
			if (has_format(all[i].name, *bad))
				t_fail(__FILE__, __LINE__, "\"%s\" is no %s", *bad, all[i].name);
	}
}

TEST(formats_are_annotations_otherwise)
{
	CHECK(fits("{\"format\":\"date-time\"}", "\"yesterday\""));
	CHECK(fits_in(NULL, "{\"format\":\"date-time\"}", "7", true));
}

/* ---- threads ---- */

TEST(what_a_form_leaves_out_is_what_it_says)
{
	static const char *const cases[][3] = {
		{ "{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":null},\"c\":{}}}",
		  "{}", "{\"a\":1,\"b\":null}" },
		{ "{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":[2]}}}",
		  "{\"z\":0,\"a\":false}", "{\"z\":0,\"a\":false,\"b\":[2]}" },
		{ "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"default\":1}}}}}", "{\"a\":{}}",
		  "{\"a\":{}}" },
		{ "{\"properties\":{\"a\":{\"default\":1}}}", "[]", "[]" },
		{ "{\"properties\":{\"a\":true}}", "{}", "{}" },
		{ "true", "{\"a\":2}", "{\"a\":2}" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();

		CHECK(str_eq(schema_fill(mem, read_json(mem, str_from(cases[i][0])),
		                         read_json(mem, str_from(cases[i][1]))),
		             str_from(cases[i][2])));
	}
}

struct worker {
	const struct schema *s;
	unsigned wrong;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json good = read_json(mem, STR("{\"a\":\"abc\",\"l\":[1,2]}"));
	struct json bad = read_json(mem, STR("{\"a\":\"abd\",\"l\":[1,1]}"));

	for (int i = 0; i < 200; i++) {
		struct schema_report r = { .mem = mem };

		w->wrong += !schema_check(w->s, good, &r);
		w->wrong += schema_check(w->s, bad, &r) || r.count != 2;
	}
	return NULL;
}

TEST(one_schema_serves_many_threads)
{
	CLEANUP(schema_freep)
	struct schema *s = compile(NULL,
	                           "{\"properties\":{\"a\":{\"pattern\":\"^a.c$\"},"
	                           "\"l\":{\"uniqueItems\":true}},\"unevaluatedProperties\":false}",
	                           true);
	struct worker workers[4];
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		workers[i] = (struct worker){ .s = s };
		CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		CHECK_INT(workers[i].wrong, 0);
}

TEST_MAIN()

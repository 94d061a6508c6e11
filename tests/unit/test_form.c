#include "app/cli/print/form.h"

#include "lib/t.h"

static const char *read_word(const char *schema, const char *word)
{
	struct arena *mem = arena_new();
	static char text[512];
	struct form form;
	const char *why = "";
	struct str value;
	struct json v;

	CHECK(json_read(
		      mem,
		      arena_printf(mem, "{\"properties\":{\"x\":%s},\"required\":[\"x\"]}", schema),
		      &v, NULL) == OK);
	form_read(&form, v);
	CHECK(form.count == 1);
	if (form_value_read(mem, &form.fields[0], str_from(word), &value, &why))
		snprintf(text, sizeof(text), "%.*s", STR_ARG(value));
	else
		snprintf(text, sizeof(text), "no: %s", why);
	arena_free(mem);
	return text;
}

TEST(a_choice_is_its_value_its_title_its_number_or_a_beginning)
{
	static const struct {
		const char *schema, *word, *value;
	} rows[] = {
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "BLUE", "\"blue\"" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "2", "\"rose\"" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "b", "\"blue\"" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "r", "no: it must be one of the list" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "4", "no: it must be one of the list" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "0", "no: it must be one of the list" },
		{ "{\"enum\":[\"red\",\"rose\",\"blue\"]}", "-1",
		  "no: it must be one of the list" },
		/* A value that looks like a number is meant before the number of a choice. */
		{ "{\"enum\":[10,20,1]}", "1", "1" },
		/* The list is not numbered then. */
		{ "{\"enum\":[10,20,1]}", "3", "no: it must be one of the list" },
		{ "{\"enum\":[\"3\",\"2\",\"1\"]}", "1", "\"1\"" },
		{ "{\"enum\":[\"1 pear\",\"10 pears\"]}", "2", "\"10 pears\"" },
		{ "{\"type\":\"string\",\"oneOf\":[{\"const\":\"a1\",\"title\":\"Tea\"},"
		  "{\"const\":\"a2\",\"title\":\"Coffee\"}]}",
		  "coffee", "\"a2\"" },
		{ "{\"oneOf\":[{\"const\":\"a1\",\"title\":\"Tea\"},{\"const\":\"a2\"}]}", "a2",
		  "\"a2\"" },
		{ "{\"enum\":[\"p1\",\"p2\"],\"enumNames\":[\"Cat\",\"Dog\"]}", "do", "\"p2\"" },
		{ "{\"enum\":[\"p1\",\"p2\"],\"enumNames\":[\"Cat\"]}", "cat",
		  "no: it must be one of the list" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		t_check_str(__FILE__, __LINE__, rows[i].word,
		            str_from(read_word(rows[i].schema, rows[i].word)),
		            str_from(rows[i].value));
}

TEST(several_values_have_commas_between_them)
{
	static const char several[] = "{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":"
				      "{\"enum\":[\"a\",\"b\","
				      "\"c, d\",\"1\",\"11\"]}}";
	static const char titled[] =
		"{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":1,\"title\":\"One\"},"
		"{\"const\":11,\"title\":\"Eleven\"}]}}";

	CHECK_STR(str_from(read_word(several, "a, b")), "[\"a\",\"b\"]");
	CHECK_STR(str_from(read_word(several, " b ,,a,")), "[\"b\",\"a\"]");
	CHECK_STR(str_from(read_word(several, "a,a,1")), "[\"a\",\"1\"]");
	CHECK_STR(str_from(read_word(several, "11,1")), "[\"11\",\"1\"]");
	CHECK_STR(str_from(read_word(several, "c, d")), "[\"c, d\"]");
	CHECK_STR(str_from(read_word(several, "[\"b\"]")), "[\"b\"]");
	CHECK_STR(str_from(read_word(several, "a,x")), "no: each must be one of the list");
	CHECK_STR(str_from(read_word(several, ",")), "no: it must have at least 1 item, not 0");
	CHECK_STR(str_from(read_word(several, "a,b,11")),
	          "no: it must have at most 2 items, not 3");
	CHECK_STR(str_from(read_word(titled, "eleven, one")), "[11,1]");
	CHECK_STR(str_from(read_word("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
	                             "x, y z")),
	          "[\"x\",\"y z\"]");
	CHECK_STR(
		str_from(read_word("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", "4,x")),
		"no: each must be a number");
}

TEST(a_value_is_checked_when_it_is_typed)
{
	static const struct {
		const char *schema, *word, *value;
	} rows[] = {
		{ "{\"type\":\"string\",\"format\":\"email\"}", "ada@example.org",
		  "\"ada@example.org\"" },
		{ "{\"type\":\"string\",\"format\":\"email\"}", "ada",
		  "no: it must have the format \"email\"" },
		{ "{\"type\":\"string\",\"minLength\":3}", "ab",
		  "no: it must have at least 3 characters, not 2" },
		{ "{\"type\":\"integer\",\"maximum\":9}", "10", "no: it must be at most 9" },
		{ "{\"type\":\"integer\"}", "1.5", "no: it must be integer, not number" },
		{ "{\"type\":\"integer\"}", "many", "no: it must be a number" },
		{ "{\"type\":\"number\"}", "1.5", "1.5" },
		{ "{\"type\":\"boolean\"}", "Yes", "true" },
		{ "{\"type\":\"boolean\"}", "sure", "no: it must be yes or no" },
		{ "{\"type\":\"object\",\"required\":[\"a\"]}", "{\"a\":1}", "{\"a\":1}" },
		{ "{\"type\":\"object\",\"required\":[\"a\"]}", "{}",
		  "no: it needs the member \"a\"" },
		{ "{\"type\":\"object\"}", "word", "no: it must be JSON" },
		/* A reference to another part of the form is left to the runtime. */
		{ "{\"$ref\":\"#/$defs/other\"}", "word", "\"word\"" },
		{ "{}", "a \"word\"", "\"a \\\"word\\\"\"" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		t_check_str(__FILE__, __LINE__, rows[i].word,
		            str_from(read_word(rows[i].schema, rows[i].word)),
		            str_from(rows[i].value));
}

static void read_form(struct arena *mem, const char *schema, struct form *ret)
{
	struct json v;

	CHECK(json_read(mem, str_from(schema), &v, NULL) == OK);
	form_read(ret, v);
}

TEST(one_word_answers_a_form_that_needs_one_field)
{
	struct arena *mem = arena_new();
	struct form form;
	struct str payload;
	const char *why;

	read_form(mem,
	          "{\"properties\":{\"a\":{\"type\":\"boolean\"},\"b\":{\"type\":\"string\"}},"
	          "\"required\":[\"b\"]}",
	          &form);
	CHECK(form_fill(mem, &form, STR("yes"), &payload, &why));
	CHECK_STR(payload, "{\"b\":\"yes\"}");
	read_form(mem, "{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"a\",\"b\"]}", &form);
	CHECK(!form_fill(mem, &form, STR("yes"), &payload, &why));
	read_form(mem, "{}", &form);
	CHECK(form_fill(mem, &form, STR("yes"), &payload, &why));
	CHECK_STR(payload, "\"yes\"");
	read_form(mem, "{\"type\":\"object\",\"properties\":{}}", &form);
	CHECK(form.is_consent && form_fill(mem, &form, STR("yes"), &payload, &why));
	CHECK_STR(payload, "{}");
	CHECK(!form_fill(mem, &form, STR("maybe"), &payload, &why) && why);
	arena_free(mem);
}

TEST(a_default_that_does_not_fit_is_none)
{
	struct arena *mem = arena_new();
	struct form form;

	read_form(mem,
	          "{\"properties\":{\"a\":{\"type\":\"integer\",\"default\":4},"
	          "\"b\":{\"type\":\"integer\",\"default\":\"x\"},\"c\":{}}}",
	          &form);
	CHECK_STR(form_value_preset(mem, &form.fields[0]), "4");
	CHECK(!str_is(form_value_preset(mem, &form.fields[1])));
	CHECK(!str_is(form_value_preset(mem, &form.fields[2])));
	arena_free(mem);
}

/* More fields than LIMIT_FORM_FIELDS, thousands of choices, and shapes that are no schema. */
TEST(hostile_schemas_are_read_within_bounds)
{
	static const char *const odd[] = { "[]",
		                           "3",
		                           "null",
		                           "{\"properties\":[]}",
		                           "{}",
		                           "{\"properties\":{\"a\":7}}",
		                           "{\"properties\":{\"a\":{\"enum\":{}}}}",
		                           "{\"properties\":{\"a\":{\"type\":\"array\"}}}" };
	struct arena *mem = arena_new();
	struct buf text = { 0 };
	struct form form;

	for (size_t i = 0; i < COUNT_OF(odd); i++) {
		read_form(mem, odd[i], &form);
		CHECK(form.count <= 1);
	}
	buf_add_c(&text, "{\"properties\":{\"f0\":{}");
	for (int i = 1; i <= LIMIT_FORM_FIELDS; i++)
		buf_printf(&text, ",\"f%d\":{}", i);
	buf_add_c(&text, "}}");
	buf_add_char(&text, 0);
	read_form(mem, text.ptr, &form);
	CHECK(!form.count);
	buf_done(&text);
	arena_free(mem);
}

/* {"properties": {"f0": {}, ...}} */
static struct json schema_of(struct arena *mem, size_t count)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json v;

	buf_add_str(&text, STR("{\"properties\":{"));
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s\"f%zu\":{\"type\":\"string\"}", i ? "," : "", i);
	buf_add_str(&text, STR("}}"));
	CHECK(json_read(mem, arena_keep(mem, buf_str(&text)), &v, NULL) == OK);
	return v;
}

TEST(more_fields_than_the_limit_are_no_form)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct form form;

	form_read(&form, schema_of(mem, LIMIT_FORM_FIELDS));
	CHECK_INT(form.count, LIMIT_FORM_FIELDS);
	form_read(&form, schema_of(mem, LIMIT_FORM_FIELDS + 1));
	CHECK_INT(form.count, 0);
}

TEST_MAIN()

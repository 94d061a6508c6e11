#include "core/tool/safe_args.h"
#include "lib/t.h"

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"user\":{\"type\":\"string\"},"
	"\"password\":{\"type\":\"string\",\"writeOnly\":true},"
	"\"pin\":{\"type\":\"string\",\"format\":\"password\"},"
	"\"path\":{\"type\":\"string\",\"writeOnly\":true},"
	"\"login\":{\"type\":\"object\",\"properties\":{\"token\":{\"writeOnly\":true},"
	"\"path\":{\"writeOnly\":true}}},"
	"\"keys\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
	"\"value\":{\"writeOnly\":true}}}}}}";

static struct str shown(struct arena *mem, const char *rules, const char *args, bool *ret_hidden)
{
	struct json v;

	CHECK_INT(json_read_trusted(mem, str_from(args), &v, NULL), OK);
	return safe_args(mem, rules ? str_from(rules) : STR_NONE, v, ret_hidden);
}

TEST(what_a_schema_calls_secret_is_left_out_at_any_depth)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool hidden;

	CHECK_STR(
		shown(mem, schema,
	              "{\"user\":\"ann\",\"password\":\"x\",\"pin\":\"1\",\"login\":{\"token\":"
	              "\"t\","
	              "\"path\":\"p\",\"n\":1.5},\"keys\":[{\"value\":\"v\"},7]}",
	              &hidden),
		"{\"user\":\"ann\",\"password\":\"[redacted]\",\"pin\":\"[redacted]\",\"login\":{"
		"\"token\":\"[redacted]\",\"path\":\"[redacted]\",\"n\":1.5},\"keys\":[{\"value\":"
		"\"[redacted]\"},7]}");
	CHECK(hidden);
	/* a secret that is no string is one all the same */
	CHECK_STR(shown(mem, schema, "{\"password\":{\"a\":[1]}}", &hidden),
	          "{\"password\":\"[redacted]\"}");
	CHECK(hidden);
}

TEST(what_is_judged_is_shown_whatever_a_schema_says)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool hidden;

	CHECK_STR(shown(mem, schema, "{\"path\":\"/etc/shadow\"}", &hidden),
	          "{\"path\":\"/etc/shadow\"}");
	CHECK(!hidden);
}

TEST(nothing_is_secret_without_a_declaration)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const char *const rules[] = { NULL, "", "{}", "true", "[1]", "{\"properties\":7}" };
	bool hidden;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		CHECK_STR(shown(mem, rules[i], "{\"password\":\"x\",\"other\":[{}]}", &hidden),
		          "{\"password\":\"x\",\"other\":[{}]}");
		CHECK(!hidden);
	}
}

TEST_MAIN()

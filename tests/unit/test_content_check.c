/* The declared type of a file is checked, and unchecked types are reported as such. */
#include "schema/content_check.h"
#include "base/hash/sha256.h"
#include "lib/t.h"

#define ARENA(name) CLEANUP(arena_freep) struct arena *name = arena_new()

#define NOTHING ((struct content_declared){ 0 })

static struct content_check checked(struct arena *mem, const char *name, struct str content,
                                    struct content_declared is)
{
	struct content_check c;

	is.name = str_of(name, strlen(name));
	content_check(mem, content, &is, &c);
	return c;
}

TEST(json_by_its_name_has_to_parse)
{
	ARENA(mem);
	struct content_check good = checked(mem, "a/b.json", STR("{\"a\":[1]}"), NOTHING);
	struct content_check bad = checked(mem, "b.json", STR("{\"a\":[1}"), NOTHING);

	CHECK(good.state == CONTENT_CHECK_PASSED && good.checked_json && !good.checked_schema);
	CHECK_STR(good.media_type, "application/json");
	CHECK(bad.state == CONTENT_CHECK_FAILED && bad.issues == 1);
	CHECK(str_find(bad.messages[0], STR("not valid JSON")) == 0);
	CHECK(checked(mem, "b.json", STR(""), NOTHING).state == CONTENT_CHECK_FAILED);
	CHECK(checked(mem, "b.json", STR("{\"a\":1,\"a\":2}"), NOTHING).state ==
	      CONTENT_CHECK_FAILED);
}

TEST(names_that_declare_nothing_are_not_checked)
{
	ARENA(mem);
	static const char *const names[] = { "tsconfig.json",
		                             "x/tsconfig.build.json",
		                             ".vscode/settings.json",
		                             "a.c",
		                             "Makefile",
		                             ".json",
		                             "" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		CHECK(checked(mem, names[i], STR("{ // note\n}"), NOTHING).state ==
		      CONTENT_CHECK_NOT_APPLICABLE);
	CHECK(checked(mem, "tsconfigs.json", STR("{ // note\n}"), NOTHING).state ==
	      CONTENT_CHECK_FAILED);
}

TEST(text_is_utf8_unless_it_says_otherwise)
{
	ARENA(mem);
	struct content_declared latin = { .media_type = STR("text/plain; charset=iso-8859-1") };

	CHECK(checked(mem, "a.txt", STR("caf\xc3\xa9"), NOTHING).state == CONTENT_CHECK_PASSED);
	CHECK(checked(mem, "a.txt", STR("caf\xe9"), NOTHING).state == CONTENT_CHECK_FAILED);
	CHECK(checked(mem, "a.txt", STR("caf\xe9"), latin).state == CONTENT_CHECK_NOT_APPLICABLE);
	CHECK(checked(mem, "empty.txt", STR(""), NOTHING).state == CONTENT_CHECK_PASSED);
}

TEST(a_schema_holds_or_every_issue_is_counted)
{
	ARENA(mem);
	struct content_declared is = {
		.schema = STR("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}")
	};
	struct content_check bad =
		checked(mem, "a", STR("[1,\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"), is);

	CHECK(checked(mem, "a", STR("[1,2]"), is).state == CONTENT_CHECK_PASSED);
	CHECK(bad.state == CONTENT_CHECK_FAILED && bad.checked_schema);
	CHECK(bad.issues >= 6 && bad.message_count == CONTENT_CHECK_MESSAGES);
}

TEST(what_cannot_be_checked_never_passes)
{
	ARENA(mem);
	struct content_declared elsewhere = { .has_other_schema = true };
	struct content_declared broken = { .schema = STR("{\"type\":17}") };
	struct content_declared on_text = { .media_type = STR("text/plain"), .schema = STR("{}") };
	struct content_check deep;
	struct buf nested = { 0 };

	CHECK(checked(mem, "a.json", STR("{}"), elsewhere).state == CONTENT_CHECK_UNCHECKED);
	CHECK(checked(mem, "a.json", STR("{}"), broken).state == CONTENT_CHECK_UNCHECKED);
	CHECK(checked(mem, "a", STR("{}"), on_text).state == CONTENT_CHECK_UNCHECKED);
	for (int i = 0; i < 100; i++)
		buf_add_str(&nested, STR("["));
	for (int i = 0; i < 100; i++)
		buf_add_str(&nested, STR("]"));
	deep = checked(mem, "a.json", buf_str(&nested), NOTHING);
	CHECK(deep.state == CONTENT_CHECK_UNCHECKED && deep.left_json && !deep.issues);
	buf_done(&nested);
}

TEST(size_and_hash_are_those_declared)
{
	ARENA(mem);
	struct sha256 hash = sha256_of(STR("abc"));
	struct content_declared is = { .sha256 = sha256_hex(mem, &hash),
		                       .size = 3,
		                       .has_size = true };
	struct content_check bad = checked(mem, "x.bin", STR("abcd"), is);

	CHECK(checked(mem, "x.bin", STR("abc"), is).state == CONTENT_CHECK_PASSED);
	CHECK(bad.state == CONTENT_CHECK_FAILED && bad.issues == 2);
}

TEST(only_a_relative_path_is_a_schema_beside_it)
{
	ARENA(mem);
	bool elsewhere;

	CHECK_STR(content_check_schema_path(mem, STR("{\"$schema\":\"../s.json\"}"), &elsewhere),
	          "../s.json");
	CHECK(!elsewhere);
	CHECK(!str_is(
		content_check_schema_path(mem, STR("{\"$schema\":\"https://a/b\"}"), &elsewhere)));
	CHECK(elsewhere);
	CHECK(!str_is(content_check_schema_path(mem, STR("{\"$schema\":\"/etc/x\"}"), &elsewhere)));
	CHECK(elsewhere);
	CHECK(!str_is(content_check_schema_path(mem, STR("{\"$schema\":7}"), &elsewhere)));
	CHECK(!elsewhere);
	CHECK(!str_is(content_check_schema_path(mem, STR("no JSON"), &elsewhere)));
	CHECK(!elsewhere);
}

TEST_MAIN()

#include "acp/message/acp_form.h"

#include "base/gen/limits.h"
#include "lib/t.h"

/* Is a form of so many fields, the first of which has so many choices, shown in an editor? */
static bool is_shown(size_t fields, size_t choices)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 }, out = { 0 };
	struct json_writer w;
	struct json v;

	buf_add_str(
		&text,
		STR("{\"type\":\"object\",\"properties\":{\"f0\":{\"type\":\"string\",\"enum\":["));
	for (size_t i = 0; i < choices; i++)
		buf_printf(&text, "%s\"c%zu\"", i ? "," : "", i);
	buf_add_str(&text, STR("]}"));
	for (size_t i = 1; i < fields; i++)
		buf_printf(&text, ",\"f%zu\":{\"type\":\"string\"}", i);
	buf_add_str(&text, STR("}}"));
	CHECK(json_read(mem, buf_str(&text), &v, NULL) == OK);
	jw_init(&w, &out);
	return acp_form_write(&w, v);
}

/* What a tool server may ask can be answered in an editor. */
TEST(a_form_is_shown_up_to_the_limits_of_forms)
{
	CHECK(is_shown(LIMIT_FORM_FIELDS, LIMIT_FORM_CHOICES));
	CHECK(!is_shown(LIMIT_FORM_FIELDS + 1, LIMIT_FORM_CHOICES));
	CHECK(!is_shown(LIMIT_FORM_FIELDS, LIMIT_FORM_CHOICES + 1));
}

TEST_MAIN()

/*
 * An untrusted schema and an untrusted value: the first line is the schema, the
 * rest the value.  The result comes in bounded time, is the same with and
 * without error messages, and the messages are UTF-8.
 */
#include "schema/schema.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_report(const struct schema_report *r, bool is_valid)
{
	MUST(is_valid == (r->count == 0));
	MUST(r->count <= SCHEMA_ERRORS);
	MUST(!is_valid || !r->gave_up);
	for (size_t i = 0; i < r->count; i++) {
		MUST(r->errors[i].message.len > 0);
		MUST(utf8_is_valid(r->errors[i].message));
		MUST(utf8_is_valid(r->errors[i].path));
		MUST(utf8_is_valid(r->errors[i].location));
	}
}

static void check_value(const struct schema *s, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct schema_report r = { .mem = mem };
	struct json value;
	struct error e;

	if (json_read(mem, text, &value, &e))
		return;

	bool is_valid = schema_check(s, value, &r);

	check_report(&r, is_valid);
	MUST(is_valid == schema_check(s, value, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schema_options options = { .assert_formats = true, .max_steps = 20000 };
	CLEANUP(schema_set_freep) struct schema_set *set = schema_set_new();
	CLEANUP(schema_freep) struct schema *alone = NULL, *in_set = NULL;
	struct str value = str_of((const char *)data, size);
	struct str text = str_cut(&value, '\n');
	struct error e = { 0 };

	if (!data)
		return 0;
	if (!schema_compile_text(NULL, text, &options, &alone, &e) && str_is(value))
		check_value(alone, value);

	/* once more with a name, and again under another one */
	if (schema_set_add(set, STR("http://x.example/a/b"), text, &e))
		return 0;
	MUST(!schema_set_add(set, STR("http://x.example/a/b"), text, &e));
	if (!schema_compile(set, STR("http://x.example/a/b"), &options, &in_set, &e) &&
	    str_is(value))
		check_value(in_set, value);
	return 0;
}

/* Writes arguments of a call without the values that its schema marks as secret. */
#include "core/tool/safe_args.h"

#include "base/jw.h"

/* Members of the arguments that acts are derived from (permission.c); they are always shown. */
static const char *const judged[] = { "command", "path", "paths",    "from",  "to",  "url",
	                              "host",    "cwd",  "escalate", "patch", "env", "file_path" };

static bool is_always_shown(struct str key)
{
	for (size_t i = 0; i < COUNT_OF(judged); i++)
		if (str_eq(key, str_from(judged[i])))
			return true;
	return false;
}

/* The two annotations of JSON Schema for values that are accepted and not shown. */
static bool is_secret(struct json schema)
{
	struct str format = json_str(JSON_GET(schema, "format"));

	return json_bool(JSON_GET(schema, "writeOnly"), false) ||
	       (str_is(format) && str_eq(format, STR("password")));
}

struct walk {
	struct arena *mem;
	struct json_writer w;
	bool has_hidden;
};

/* Only members that the schema describes can be secret; unknown ones are shown. */
static void write_value(struct walk *k, struct json schema, struct json v, bool is_top)
{
	struct json_iter it = json_iter(v);
	struct json item, part;
	struct str key;

	switch (json_type(v)) {
	case JSON_OBJ:
		jw_obj(&k->w);
		while (json_next(&it, &key, &item)) {
			part = json_get(JSON_GET(schema, "properties"), key);
			jw_key(&k->w, key);
			if (is_secret(part) && !(is_top && is_always_shown(key))) {
				jw_str(&k->w, STR("[redacted]"));
				k->has_hidden = true;
			} else {
				write_value(k, part, item, false);
			}
		}
		jw_obj_end(&k->w);
		break;
	case JSON_ARR:
		jw_arr(&k->w);
		while (json_next(&it, &key, &item))
			write_value(k, JSON_GET(schema, "items"), item, false);
		jw_arr_end(&k->w);
		break;
	default:
		jw_raw(&k->w, json_text(k->mem, v));
	}
}

/*
 * Without a hidden value the canonical text is returned, so that equal arguments have equal text.
 */
struct str safe_args(struct arena *mem, struct str schema, struct json args, bool *ret_hidden)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct walk k = { .mem = mem };
	struct json marks;

	*ret_hidden = false;
	if (!str_is(schema) || json_read_trusted(mem, schema, &marks, NULL) != OK)
		return json_text(mem, args);
	jw_init(&k.w, &out);
	write_value(&k, marks, args, true);
	*ret_hidden = k.has_hidden;
	return k.has_hidden ? arena_keep(mem, buf_str(&out)) : json_text(mem, args);
}

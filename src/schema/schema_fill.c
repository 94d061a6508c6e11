#include "schema/schema.h"

#include "base/jw.h"

struct str schema_fill(struct arena *mem, struct json schema, struct json value)
{
	struct json properties = JSON_GET(schema, "properties"), each;
	struct json_iter has = json_iter(value), all = json_iter(properties);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct str key;

	if (json_type(value) != JSON_OBJ || json_type(properties) != JSON_OBJ)
		return json_text(mem, value);
	jw_init(&w, &out);
	jw_obj(&w);
	while (json_next(&has, &key, &each)) {
		jw_key(&w, key);
		jw_value(&w, each);
	}
	while (json_next(&all, &key, &each)) {
		struct json standard = JSON_GET(each, "default");

		if (!json_is(standard) || json_is(json_get(value, key)))
			continue;
		jw_key(&w, key);
		jw_value(&w, standard);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/* Members and content parts that several files of the writer write. */
#include "export/atif/atif_int.h"

void atif_put(struct json_writer *w, const char *key, struct json v)
{
	if (!json_is(v))
		return;
	jw_key(w, str_from(key));
	jw_value(w, v);
}

void atif_put_ids(struct json_writer *w, struct json ev)
{
	static const char *const kept[] = { "turnId", "taskId", "runId", "attemptId", "sequence" };

	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(w, kept[i], json_get(ev, str_from(kept[i])));
}

void atif_put_text_part(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

static bool is_image_type(struct str type)
{
	static const char *const known[] = { "image/jpeg", "image/png", "image/gif", "image/webp" };

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(type, str_from(known[i])))
			return true;
	return false;
}

void atif_put_part(struct json_writer *w, struct json part)
{
	struct str type = atif_text(part, "mediaType"), ref = atif_text(part, "ref");
	struct str name = atif_text(part, "name");

	if (!is_image_type(type) || !str_is(ref)) {
		atif_put_text_part(w, str_is(name) ? name : atif_text(part, "preview"));
		return;
	}
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KEY(w, "source");
	jw_obj(w);
	JW_KSTR(w, "media_type", type);
	JW_KSTR(w, "path", ref);
	jw_obj_end(w);
	jw_obj_end(w);
}

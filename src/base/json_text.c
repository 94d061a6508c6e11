/* JSON values as text: compact, canonical, or with one more member. */
#include "base/jw.h"

static struct str text_in(struct arena *mem, struct json v, bool sorted)
{
	struct buf out = { 0 };
	struct json_writer w;

	if (!json_is(v))
		return STR_NONE;
	jw_init(&w, &out);
	if (sorted)
		jw_value_sorted(&w, v);
	else
		jw_value(&w, v);

	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

struct str json_text(struct arena *mem, struct json v)
{
	return text_in(mem, v, false);
}

/* The same request must have the same hash in any order of its members. */
struct str json_text_canonical(struct arena *mem, struct json v)
{
	return text_in(mem, v, true);
}

/* ---- one more member ---- */

/* The members are copied as one raw value: the writer then places the comma before the new one. */
static void begin_with(struct json_writer *w, struct buf *out, struct str object)
{
	bool is_empty = object.len <= 2;

	jw_init(w, out);
	jw_obj(w);
	if (!is_empty)
		jw_raw(w, str_of(object.ptr + 1, object.len - 2));
}

struct str json_text_add_int(struct arena *mem, struct str object, const char *key, int64_t value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	begin_with(&w, &out, object);
	jw_key(&w, str_from(key));
	jw_int(&w, value);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

struct str json_text_add_str(struct arena *mem, struct str object, const char *key,
                             struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	begin_with(&w, &out, object);
	jw_key(&w, str_from(key));
	jw_str(&w, value);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

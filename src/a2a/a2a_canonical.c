/* Members sorted, no blanks, numbers as JavaScript writes them. */
#include "a2a/a2a_canonical.h"

#include "base/hash/base64.h"
#include "base/jw.h"

#include <stdlib.h>

/* Empty texts, lists and objects, and what holds nothing else. */
static bool is_empty(struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	switch (json_type(v)) {
	case JSON_NULL:
		return true;
	case JSON_STR:
		return !json_str(v).len;
	case JSON_ARR:
	case JSON_OBJ:
		while (json_next(&it, &key, &each))
			if (!is_empty(each))
				return false;
		return true;
	default:
		return false;
	}
}

static void write_value(struct json_writer *w, struct json v, enum a2a_canonical_form form);

static bool is_left_out(struct json v, enum a2a_canonical_form form)
{
	return form == A2A_CANONICAL_WITHOUT_EMPTY && is_empty(v);
}

static void write_members(struct json_writer *w, struct json v, struct str without,
                          enum a2a_canonical_form form)
{
	size_t count;
	struct json_member *sorted = json_sorted(v, &count);

	jw_obj(w);
	for (size_t i = 0; i < count; i++) {
		if ((str_is(without) && str_eq(sorted[i].key, without)) ||
		    is_left_out(sorted[i].value, form))
			continue;
		jw_key(w, sorted[i].key);
		write_value(w, sorted[i].value, form);
	}
	jw_obj_end(w);
	free(sorted);
}

static void write_items(struct json_writer *w, struct json v, enum a2a_canonical_form form)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	jw_arr(w);
	while (json_next(&it, &key, &each))
		if (!is_left_out(each, form))
			write_value(w, each, form);
	jw_arr_end(w);
}

static void write_value(struct json_writer *w, struct json v, enum a2a_canonical_form form)
{
	switch (json_type(v)) {
	case JSON_OBJ:
		write_members(w, v, STR_NONE, form);
		return;
	case JSON_ARR:
		write_items(w, v, form);
		return;
	case JSON_REAL:
		/* 1.0 is written as 1. */
		if (json_int(v, INT64_MIN) != INT64_MIN) {
			jw_int(w, json_int(v, 0));
			return;
		}
		/* fall through */
	default:
		jw_value(w, v);
	}
}

struct str a2a_canonical_card(struct arena *mem, struct json card, enum a2a_canonical_form form)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	write_members(&w, card, STR("signatures"), form);
	return arena_keep(mem, buf_str(&out));
}

struct str a2a_canonical_covered(struct arena *mem, struct str protected_header, struct str card)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, protected_header);
	buf_add_char(&out, '.');
	base64_write_url(&out, card);
	return arena_keep(mem, buf_str(&out));
}

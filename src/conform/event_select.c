/* Selectors and places.  Every value of an event may have any type. */
#include "conform/event_select.h"

/* ---- places ---- */

static struct json walk(struct json v, struct str path)
{
	while (str_is(path)) {
		struct str name = str_cut(&path, '.');

		v = json_type(v) == JSON_OBJ ? json_get(v, name) : (struct json){ 0 };
	}
	return json_type(v) == JSON_NULL ? (struct json){ 0 } : v;
}

struct json event_select_place(struct json event, struct str place)
{
	struct json found = { 0 };

	while (str_is(place) && !json_is(found))
		found = walk(event, str_cut(&place, '|'));
	return found;
}

struct str event_select_id(struct json event, struct str place)
{
	struct str id = json_str(event_select_place(event, place));

	return id.len ? id : STR_NONE;
}

/* ---- selectors ---- */

bool event_select_pattern(struct str pattern, struct str type)
{
	if (str_eq(pattern, STR("*")))
		return true;
	if (str_ends(pattern, STR(".*")))
		return str_starts(type, str_head(pattern, pattern.len - 1));
	return str_eq(pattern, type);
}

/* "*" is any value. */
static bool has_value(struct json wanted, struct json value)
{
	struct json_iter it = json_iter(wanted);
	struct json each;
	struct str key;

	if (str_eq(json_str(wanted), STR("*")))
		return json_is(value);
	if (json_type(wanted) != JSON_ARR)
		return json_is(value) && json_equal(wanted, value);
	while (json_next(&it, &key, &each))
		if (json_is(value) && json_equal(each, value))
			return true;
	return false;
}

static bool selector_has(const struct event_selector *s, struct str type, struct json event)
{
	if (!event_select_pattern(s->pattern, type))
		return false;
	for (size_t i = 0; i < s->where_count; i++)
		if (!has_value(s->where[i].value, event_select_place(event, s->where[i].place)))
			return false;
	return true;
}

bool event_select_has(const struct event_select *s, struct str type, struct json event)
{
	for (size_t i = s->count; i > 0; i--)
		if (selector_has(&s->items[i - 1], type, event))
			return !s->items[i - 1].is_not;
	return false;
}

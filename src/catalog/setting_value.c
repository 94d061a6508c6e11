/*
 * Checks the value of a setting against its row of the catalogue.
 */
#include "catalog/setting_value.h"

ptrdiff_t setting_value_find(struct str key)
{
	for (size_t i = 0; i < setting_count; i++)
		if (str_eq(settings[i].key, key))
			return (ptrdiff_t)i;
	return -1;
}

static bool is_list_of_strings(struct json v)
{
	struct json_iter it = json_iter(v);
	struct str key;
	struct json each;

	while (json_type(v) == JSON_ARR && json_next(&it, &key, &each))
		if (json_type(each) != JSON_STR)
			return false;
	return json_type(v) == JSON_ARR;
}

bool setting_value_fits(const struct setting *s, struct json v)
{
	switch (s->type) {
	case SETTING_STR:
		return json_type(v) == JSON_STR;
	case SETTING_INT:
		return json_type(v) == JSON_INT;
	case SETTING_REAL:
	case SETTING_USD:
		return json_type(v) == JSON_INT || json_type(v) == JSON_REAL;
	case SETTING_BOOL:
		return json_type(v) == JSON_BOOL;
	case SETTING_ENUM:
		return rec_enum_read(s->words, json_str(v)) != 0;
	case SETTING_NAMES:
		return is_list_of_strings(v);
	case SETTING_LIST:
		return json_type(v) == JSON_ARR;
	case SETTING_JSON:
		return json_type(v) == JSON_OBJ;
	}
	return false;
}

bool setting_value_in_bounds(const struct setting *s, struct json v)
{
	if (s->type == SETTING_REAL)
		return json_real(v, 0) >= (double)s->min && json_real(v, 0) <= (double)s->max;
	return s->type != SETTING_INT || (json_int(v, 0) >= s->min && json_int(v, 0) <= s->max);
}

/* Turns schemas of answers into forms.  Only members that the protocol knows are passed on. */
#include "acp/message/acp_form.h"

#include "base/gen/limits.h"

static void copy_member(struct json_writer *w, struct json from, const char *name,
                        enum json_type type)
{
	struct json v = json_get(from, str_from(name));
	bool is_number = type == JSON_REAL && json_type(v) == JSON_INT;

	if (json_type(v) != type && !is_number)
		return;
	jw_key(w, str_from(name));
	jw_value(w, v);
}

static void copy_words(struct json_writer *w, struct json property)
{
	copy_member(w, property, "title", JSON_STR);
	copy_member(w, property, "description", JSON_STR);
}

static bool are_texts(struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_type(list) != JSON_ARR || !json_count(list) ||
	    json_count(list) > LIMIT_FORM_CHOICES)
		return false;
	while (json_next(&it, &key, &v))
		if (!str_is(json_str(v)))
			return false;
	return true;
}

/* [{"const":"a","title":"A"}] */
static bool are_titled(struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_type(list) != JSON_ARR || !json_count(list) ||
	    json_count(list) > LIMIT_FORM_CHOICES)
		return false;
	while (json_next(&it, &key, &v))
		if (!str_is(json_str(JSON_GET(v, "const"))) ||
		    !str_is(json_str(JSON_GET(v, "title"))))
			return false;
	return true;
}

static bool write_string(struct json_writer *w, struct json p)
{
	static const char *const formats[] = { "email", "uri", "date", "date-time" };
	struct str format = json_str(JSON_GET(p, "format"));
	struct json words = JSON_GET(p, "enum"), titled = JSON_GET(p, "oneOf");

	if ((json_is(words) && !are_texts(words)) || (json_is(titled) && !are_titled(titled)))
		return false;
	copy_member(w, p, "minLength", JSON_INT);
	copy_member(w, p, "maxLength", JSON_INT);
	copy_member(w, p, "pattern", JSON_STR);
	copy_member(w, p, "default", JSON_STR);
	copy_member(w, p, "enum", JSON_ARR);
	copy_member(w, p, "oneOf", JSON_ARR);
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (str_eq(format, str_from(formats[i])))
			JW_KSTR(w, "format", format);
	return true;
}

static bool write_number(struct json_writer *w, struct json p, enum json_type type)
{
	copy_member(w, p, "minimum", type);
	copy_member(w, p, "maximum", type);
	copy_member(w, p, "default", type);
	return !json_is(JSON_GET(p, "enum"));
}

static bool write_several(struct json_writer *w, struct json p)
{
	struct json items = JSON_GET(p, "items");

	if (!are_texts(JSON_GET(items, "enum")) && !are_titled(JSON_GET(items, "anyOf")))
		return false;
	copy_member(w, p, "minItems", JSON_INT);
	copy_member(w, p, "maxItems", JSON_INT);
	JW_KEY(w, "items");
	jw_value(w, items);
	return true;
}

static bool write_property(struct json_writer *w, struct json p)
{
	struct str type = json_str(JSON_GET(p, "type"));
	bool is_shown = false;

	jw_obj(w);
	JW_KSTR(w, "type", type);
	copy_words(w, p);
	if (str_eq(type, STR("string"))) {
		is_shown = write_string(w, p);
	} else if (str_eq(type, STR("integer"))) {
		is_shown = write_number(w, p, JSON_INT);
	} else if (str_eq(type, STR("number"))) {
		is_shown = write_number(w, p, JSON_REAL);
	} else if (str_eq(type, STR("boolean"))) {
		copy_member(w, p, "default", JSON_BOOL);
		is_shown = true;
	} else if (str_eq(type, STR("array"))) {
		is_shown = write_several(w, p);
	}
	jw_obj_end(w);
	return is_shown;
}

bool acp_form_write(struct json_writer *w, struct json schema)
{
	struct json properties = JSON_GET(schema, "properties"),
		    required = JSON_GET(schema, "required");
	struct json_iter it = json_iter(properties);
	struct json property;
	struct str key;

	if (!str_eq(json_str(JSON_GET(schema, "type")), STR("object")) ||
	    json_type(properties) != JSON_OBJ || json_count(properties) > LIMIT_FORM_FIELDS)
		return false;
	jw_obj(w);
	JW_KSTR(w, "type", STR("object"));
	copy_words(w, schema);
	JW_KEY(w, "properties");
	jw_obj(w);
	while (json_next(&it, &key, &property)) {
		jw_key(w, key);
		if (!write_property(w, property))
			return false;
	}
	jw_obj_end(w);
	if (are_texts(required)) {
		JW_KEY(w, "required");
		jw_value(w, required);
	}
	jw_obj_end(w);
	return true;
}

static void add_choices(struct json list, bool is_titled, struct acp_form_choice *ret)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (ret->count < ACP_FORM_CHOICES_MAX && json_next(&it, &key, &v)) {
		ret->values[ret->count] = is_titled ? json_str(JSON_GET(v, "const")) : json_str(v);
		ret->names[ret->count] = is_titled ? json_str(JSON_GET(v, "title")) : json_str(v);
		ret->count++;
	}
}

bool acp_form_read_choice(struct json schema, struct acp_form_choice *ret)
{
	struct json properties = JSON_GET(schema, "properties");
	struct json_iter it = json_iter(properties);
	struct json property = { 0 }, words, titled;

	*ret = (struct acp_form_choice){ 0 };
	if (json_count(properties) != 1 || !json_next(&it, &ret->property, &property) ||
	    !str_eq(json_str(JSON_GET(property, "type")), STR("string")))
		return false;
	words = JSON_GET(property, "enum");
	titled = JSON_GET(property, "oneOf");
	if (json_count(words) > ACP_FORM_CHOICES_MAX || json_count(titled) > ACP_FORM_CHOICES_MAX)
		return false;
	if (are_texts(words))
		add_choices(words, false, ret);
	else if (are_titled(titled))
		add_choices(titled, true, ret);
	return ret->count > 0;
}

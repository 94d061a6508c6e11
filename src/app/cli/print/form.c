/* Questions with a schema: splits it into fields that a user answers with words. */
#include "app/cli/print/form.h"

#include "base/gen/words.h"

/* ---- reading ---- */

static bool is_in(struct json arr, struct str word)
{
	struct json_iter it = json_iter(arr);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(v), word))
			return true;
	return false;
}

/* [{"const": ..., "title": ...}], as oneOf and anyOf have them. */
static bool are_titled(struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_type(list) != JSON_ARR || !json_count(list))
		return false;
	while (json_next(&it, &key, &v))
		if (!json_is(JSON_GET(v, "const")))
			return false;
	return true;
}

static struct json choices_of(struct json schema)
{
	struct json list = JSON_GET(schema, "enum");

	if (json_type(list) == JSON_ARR && json_count(list))
		return list;
	list = JSON_GET(schema, "oneOf");
	if (!are_titled(list))
		list = JSON_GET(schema, "anyOf");
	return are_titled(list) ? list : (struct json){ 0 };
}

static struct json titles_of(struct json schema, struct json choices)
{
	struct json titles = JSON_GET(schema, "enumNames");

	return json_type(titles) == JSON_ARR && json_count(titles) == json_count(choices)
	               ? titles
	               : (struct json){ 0 };
}

static enum field_kind kind_of_array(const struct field *f)
{
	struct str type = json_str(JSON_GET(JSON_GET(f->schema, "items"), "type"));

	if (json_is(f->choices))
		return FIELD_SEVERAL;
	return str_eq(type, STR("string")) || str_eq(type, STR("integer")) ||
	                       str_eq(type, STR("number"))
	               ? FIELD_LIST
	               : FIELD_JSON;
}

static enum field_kind kind_of(const struct field *f)
{
	static const struct {
		const char *type;
		enum field_kind kind;
	} kinds[] = { { "string", FIELD_TEXT },
		      { "integer", FIELD_NUMBER },
		      { "number", FIELD_NUMBER },
		      { "boolean", FIELD_BOOL } };
	struct str type = json_str(JSON_GET(f->schema, "type"));

	if (str_eq(type, STR("array")))
		return kind_of_array(f);
	if (json_is(f->choices))
		return FIELD_ONE;
	if (!str_is(type))
		return FIELD_TEXT;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_eq(type, str_from(kinds[i].type)))
			return kinds[i].kind;
	return FIELD_JSON;
}

static void read_field(struct field *f, struct str name, struct json schema)
{
	bool is_array = str_eq(json_str(JSON_GET(schema, "type")), STR("array"));
	struct json one = is_array ? JSON_GET(schema, "items") : schema;
	struct str title = json_str(JSON_GET(schema, "title"));

	*f = (struct field){ .name = name,
		             .title = title.len ? title : name,
		             .about = json_str(JSON_GET(schema, "description")),
		             .schema = schema,
		             .choices = choices_of(one),
		             .preset = JSON_GET(schema, "default") };
	f->titles = titles_of(one, f->choices);
	f->kind = kind_of(f);
}

/* A schema with more fields than a person would fill in is asked for as JSON. */
void form_read(struct form *f, struct json schema)
{
	struct json properties = JSON_GET(schema, "properties");
	struct json_iter it = json_iter(properties);
	struct json required = JSON_GET(schema, "required"), prop;
	struct str name;

	f->count = 0;
	f->is_consent = json_type(properties) == JSON_OBJ && !json_count(properties);
	if (json_count(properties) > LIMIT_FORM_FIELDS)
		return;
	while (json_next(&it, &name, &prop)) {
		struct field *field = &f->fields[f->count++];

		read_field(field, name, prop);
		field->is_required = is_in(required, name);
	}
}

/* ---- filling in ---- */

const struct field *form_only_field(const struct form *f)
{
	const struct field *only = NULL;

	if (f->count == 1)
		return &f->fields[0];
	for (size_t i = 0; i < f->count; i++) {
		if (!f->fields[i].is_required)
			continue;
		if (only)
			return NULL;
		only = &f->fields[i];
	}
	return only;
}

/* For `thole approve --answer`. */
bool form_fill(struct arena *mem, const struct form *f, struct str word, struct str *ret,
               const char **ret_why)
{
	const struct field *only = form_only_field(f);
	struct json v;

	*ret_why = NULL;
	if (f->is_consent) {
		*ret = STR("{}");
		*ret_why = "it must be yes; to decline: thole deny";
		return str_eq(word, STR("yes")) || str_eq(word, STR("y"));
	}
	if (!f->count) {
		*ret = json_read(mem, word, &v, NULL) == OK ? word : form_value_quote(mem, word);
		return true;
	}
	if (!only || !form_value_read(mem, only, word, ret, ret_why))
		return false;
	*ret = arena_printf(mem, "{%.*s:%.*s}", STR_ARG(form_value_quote(mem, only->name)),
	                    STR_ARG(*ret));
	return true;
}

/* ---- actions ---- */

bool form_is_question(struct json action)
{
	struct str type = json_str(JSON_GET(action, "actionType"));

	return str_eq(type, STR(WORD_ACTION_TYPE_STRUCTURED_INPUT)) ||
	       (str_eq(type, STR(WORD_ACTION_TYPE_CREDENTIAL)) &&
	        json_is(JSON_GET(action, "schema")));
}

/*
 * The fields of ATIF-v1.7: which objects have which members, and of what type.
 * Members that are not listed are findings, except inside extra and arguments.
 * An optional member may be null, except for one with a default.
 *
 * What is accepted is what the models of Harbor accept: 2.0 is an integer, an
 * integer may be longer than 64 bits, and only two counts have a minimum.
 */
#include "app/cli/conform/conform.h"

#include <math.h>

enum shape_type {
	SHAPE_TEXT,
	SHAPE_INT,
	SHAPE_COUNT, /* an integer from 0 on */
	SHAPE_NUMBER,
	SHAPE_BOOL,
	SHAPE_ANY_OBJECT,
	SHAPE_TEXT_OR_NUMBER,
	SHAPE_TEXT_OR_PARTS,
	SHAPE_INTS,
	SHAPE_NUMBERS,
	SHAPE_OBJECTS, /* any objects */
	SHAPE_ONE,     /* of the row's own shape */
	SHAPE_LIST,
};

struct shape;

struct shape_field {
	const char *name;
	enum shape_type type;
	bool is_required;
	const struct shape *of;
	const char *words; /* allowed words, separated by |; NULL: any */
	bool has_default;
};

struct shape {
	const char *name;
	const struct shape_field *fields; /* ends with a row without name */
};

static const struct shape_field image_fields[] = {
	{ "media_type", SHAPE_TEXT, true, NULL, "image/jpeg|image/png|image/gif|image/webp" },
	{ "path", SHAPE_TEXT, true },
	{ 0 },
};
static const struct shape image_shape = { "image source", image_fields };

static const struct shape_field part_fields[] = {
	{ "type", SHAPE_TEXT, true, NULL, "text|image" },
	{ "text", SHAPE_TEXT },
	{ "source", SHAPE_ONE, false, &image_shape },
	{ 0 },
};
static const struct shape part_shape = { "content part", part_fields };

static const struct shape_field ref_fields[] = {
	{ "trajectory_id", SHAPE_TEXT },
	{ "session_id", SHAPE_TEXT },
	{ "trajectory_path", SHAPE_TEXT },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape ref_shape = { "subagent reference", ref_fields };

static const struct shape_field result_fields[] = {
	{ "source_call_id", SHAPE_TEXT },
	{ "content", SHAPE_TEXT_OR_PARTS },
	{ "subagent_trajectory_ref", SHAPE_LIST, false, &ref_shape },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape result_shape = { "result", result_fields };

static const struct shape_field observation_fields[] = {
	{ "results", SHAPE_LIST, true, &result_shape },
	{ 0 },
};
static const struct shape observation_shape = { "observation", observation_fields };

static const struct shape_field call_fields[] = {
	{ "tool_call_id", SHAPE_TEXT, true },
	{ "function_name", SHAPE_TEXT, true },
	{ "arguments", SHAPE_ANY_OBJECT, true },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape call_shape = { "tool call", call_fields };

static const struct shape_field metrics_fields[] = {
	{ "prompt_tokens", SHAPE_INT },
	{ "completion_tokens", SHAPE_INT },
	{ "cached_tokens", SHAPE_INT },
	{ "cost_usd", SHAPE_NUMBER },
	{ "prompt_token_ids", SHAPE_INTS },
	{ "completion_token_ids", SHAPE_INTS },
	{ "logprobs", SHAPE_NUMBERS },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape metrics_shape = { "metrics", metrics_fields };

static const struct shape_field step_fields[] = {
	{ "step_id", SHAPE_INT, true },
	{ "timestamp", SHAPE_TEXT },
	{ "source", SHAPE_TEXT, true, NULL, "system|user|agent" },
	{ "model_name", SHAPE_TEXT },
	{ "reasoning_effort", SHAPE_TEXT_OR_NUMBER },
	{ "message", SHAPE_TEXT_OR_PARTS, true },
	{ "reasoning_content", SHAPE_TEXT },
	{ "tool_calls", SHAPE_LIST, false, &call_shape },
	{ "observation", SHAPE_ONE, false, &observation_shape },
	{ "metrics", SHAPE_ONE, false, &metrics_shape },
	{ "is_copied_context", SHAPE_BOOL },
	{ "llm_call_count", SHAPE_COUNT },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape step_shape = { "step", step_fields };

static const struct shape_field agent_fields[] = {
	{ "name", SHAPE_TEXT, true },  { "version", SHAPE_TEXT, true },
	{ "model_name", SHAPE_TEXT },  { "tool_definitions", SHAPE_OBJECTS },
	{ "extra", SHAPE_ANY_OBJECT }, { 0 },
};
static const struct shape agent_shape = { "agent", agent_fields };

static const struct shape_field final_fields[] = {
	{ "total_prompt_tokens", SHAPE_INT },
	{ "total_completion_tokens", SHAPE_INT },
	{ "total_cached_tokens", SHAPE_INT },
	{ "total_cost_usd", SHAPE_NUMBER },
	{ "total_steps", SHAPE_COUNT },
	{ "extra", SHAPE_ANY_OBJECT },
	{ 0 },
};
static const struct shape final_shape = { "final metrics", final_fields };

static const struct shape document_shape;

static const struct shape_field document_fields[] = {
	{ "schema_version", SHAPE_TEXT, false, NULL,
	  "ATIF-v1.0|ATIF-v1.1|ATIF-v1.2|ATIF-v1.3|ATIF-v1.4|ATIF-v1.5|ATIF-v1.6|ATIF-v1.7", true },
	{ "session_id", SHAPE_TEXT },
	{ "trajectory_id", SHAPE_TEXT },
	{ "agent", SHAPE_ONE, true, &agent_shape },
	{ "steps", SHAPE_LIST, true, &step_shape },
	{ "notes", SHAPE_TEXT },
	{ "final_metrics", SHAPE_ONE, false, &final_shape },
	{ "continued_trajectory_ref", SHAPE_TEXT },
	{ "extra", SHAPE_ANY_OBJECT },
	{ "subagent_trajectories", SHAPE_LIST, false, &document_shape },
	{ 0 },
};
static const struct shape document_shape = { "trajectory", document_fields };

/* ---- checking ---- */

static void check_object(struct findings *f, struct json v, const struct shape *shape);

static bool is_integer(struct json v)
{
	double real = json_real(v, 0.5);

	return json_type(v) == JSON_INT || json_type(v) == JSON_UINT ||
	       (json_type(v) == JSON_REAL && floor(real) == real);
}

static bool is_number(struct json v)
{
	return is_integer(v) || json_type(v) == JSON_REAL;
}

static void expect(struct findings *f, struct json v, bool is_met, const char *what)
{
	if (!is_met)
		conform_find(f, "type", "expected %s, found %s", what, json_type_name(v));
}

static void check_list(struct findings *f, struct json v, const struct shape *of)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	size_t at = 0, len;

	expect(f, v, json_type(v) == JSON_ARR, "a list");
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &each)) {
		len = conform_enter(f, "[%zu]", at++);
		if (of)
			check_object(f, each, of);
		else
			expect(f, each, json_type(each) == JSON_OBJ, "an object");
		conform_leave(f, len);
	}
}

/* Long lists of plain numbers: one finding is enough. */
static void check_numbers(struct findings *f, struct json v, bool (*is_right)(struct json v),
                          const char *what)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	expect(f, v, json_type(v) == JSON_ARR, "a list");
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &each))
		if (!is_right(each)) {
			expect(f, each, false, what);
			return;
		}
}

static void check_words(struct findings *f, struct json v, const char *words)
{
	struct str rest = str_from(words), text = json_str(v);

	if (!str_is(text))
		return;
	while (str_is(rest))
		if (str_eq(str_cut(&rest, '|'), text))
			return;
	conform_find(f, "enum", "\"%.*s\" is not one of: %s", (int)MIN(text.len, 64), text.ptr,
	             words);
}

static void check_value(struct findings *f, struct json v, const struct shape_field *field)
{
	enum json_type type = json_type(v);

	switch (field->type) {
	case SHAPE_TEXT:
		expect(f, v, type == JSON_STR, "a string");
		break;
	case SHAPE_INT:
		expect(f, v, is_integer(v), "an integer");
		break;
	case SHAPE_COUNT:
		expect(f, v, is_integer(v), "an integer");
		if (is_number(v) && json_real(v, 0) < 0)
			conform_find(f, "minimum", "it is less than 0");
		break;
	case SHAPE_NUMBER:
		expect(f, v, is_number(v), "a number");
		break;
	case SHAPE_BOOL:
		expect(f, v, type == JSON_BOOL, "true or false");
		break;
	case SHAPE_ANY_OBJECT:
		expect(f, v, type == JSON_OBJ, "an object");
		break;
	case SHAPE_TEXT_OR_NUMBER:
		expect(f, v, type == JSON_STR || is_number(v), "a string or a number");
		break;
	case SHAPE_TEXT_OR_PARTS:
		if (type != JSON_STR)
			check_list(f, v, &part_shape);
		break;
	case SHAPE_INTS:
		check_numbers(f, v, is_integer, "integers");
		break;
	case SHAPE_NUMBERS:
		check_numbers(f, v, is_number, "numbers");
		break;
	case SHAPE_OBJECTS:
	case SHAPE_LIST:
		check_list(f, v, field->of);
		break;
	case SHAPE_ONE:
		check_object(f, v, field->of);
		break;
	}
	if (field->words)
		check_words(f, v, field->words);
}

static const struct shape_field *find_field(const struct shape *shape, struct str name)
{
	for (const struct shape_field *field = shape->fields; field->name; field++)
		if (str_eq(str_from(field->name), name))
			return field;
	return NULL;
}

static void check_member(struct findings *f, struct str key, struct json v,
                         const struct shape *shape)
{
	const struct shape_field *field = find_field(shape, key);
	size_t len;

	if (!field) {
		conform_find(f, "unknown_field", "a %s has no member \"%.*s\"", shape->name,
		             (int)MIN(key.len, 64), key.ptr);
		return;
	}
	if (json_type(v) == JSON_NULL && !field->is_required && !field->has_default)
		return;
	len = conform_enter(f, "%s%s", f->place_len ? "." : "", field->name);
	check_value(f, v, field);
	conform_leave(f, len);
}

static void check_object(struct findings *f, struct json v, const struct shape *shape)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	expect(f, v, json_type(v) == JSON_OBJ, "an object");
	if (json_type(v) != JSON_OBJ)
		return;
	while (json_next(&it, &key, &each))
		check_member(f, key, each, shape);
	for (const struct shape_field *field = shape->fields; field->name; field++)
		if (field->is_required && !json_is(json_get(v, str_from(field->name))))
			conform_find(f, "required", "a %s needs \"%s\"", shape->name, field->name);
}

void atif_shape_check(struct findings *f, struct json doc)
{
	check_object(f, doc, &document_shape);
}

/* Questions with a schema: splits it into fields that a user answers with words. */
#include "app/cli/print/out.h"
#include "base/jw.h"
#include "app/cli/follow/turn.h"
#include "base/gen/words.h"

#include <strings.h>

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

/* What a person can type in one line. */
static bool is_scalar(struct json schema)
{
	struct str type = json_str(JSON_GET(schema, "type"));

	return json_is(JSON_GET(schema, "enum")) || !str_is(type) || str_eq(type, STR("string")) ||
	       str_eq(type, STR("integer")) || str_eq(type, STR("number")) ||
	       str_eq(type, STR("boolean"));
}

static struct str title_of(struct str name, struct json schema)
{
	struct str title = json_str(JSON_GET(schema, "description"));

	if (!title.len)
		title = json_str(JSON_GET(schema, "title"));
	return title.len ? title : name;
}

/* A schema that cannot be asked field by field is asked for as JSON. */
void form_read(struct form *f, struct json schema)
{
	struct json_iter it = json_iter(JSON_GET(schema, "properties"));
	struct json required = JSON_GET(schema, "required"), prop;
	struct str name;

	f->count = 0;
	while (json_next(&it, &name, &prop)) {
		bool is_needed = is_in(required, name);

		if (is_scalar(prop) && f->count < FORM_MAX) {
			f->fields[f->count++] = (struct field){ .name = name,
				                                .title = title_of(name, prop),
				                                .schema = prop,
				                                .choices = JSON_GET(prop, "enum"),
				                                .is_required = is_needed };
		} else if (is_needed) {
			f->count = 0;
			return;
		}
	}
}

/* ---- filling in ---- */

static struct str quoted(struct arena *mem, struct str word)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str kept;

	jw_init(&w, &out);
	jw_str(&w, word);
	kept = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return kept;
}

static struct str choice_text(struct arena *mem, struct json choice)
{
	return json_type(choice) == JSON_STR ? json_str(choice) : json_text(mem, choice);
}

/* Accepts the choice itself, its number, or a unique beginning. */
static bool choose(struct arena *mem, struct json choices, struct str word, struct str *ret)
{
	struct json_iter it = json_iter(choices);
	struct json v, near = { 0 };
	int64_t number = 0, at = 0, count = 0;
	struct str key;

	if (!str_to_i64(word, &number))
		number = 0;
	while (json_next(&it, &key, &v)) {
		struct str text = choice_text(mem, v);

		at++;
		if (str_eq(text, word)) {
			*ret = json_text(mem, v);
			return true;
		}
		if (at == number || (word.len && text.len >= word.len &&
		                     strncasecmp(text.ptr, word.ptr, word.len) == 0)) {
			near = v;
			count++;
		}
	}
	if (count != 1)
		return false;
	*ret = json_text(mem, near);
	return true;
}

static bool read_bool(struct str word, struct str *ret)
{
	static const char *const yes[] = { "y", "yes", "true" }, *const no[] = { "n", "no",
		                                                                 "false" };

	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		if (str_eq(word, str_from(yes[i])))
			*ret = STR("true");
		else if (str_eq(word, str_from(no[i])))
			*ret = STR("false");
		else
			continue;
		return true;
	}
	return false;
}

bool form_field_value(struct arena *mem, const struct field *f, struct str word, struct str *ret)
{
	struct str type = json_str(JSON_GET(f->schema, "type"));
	struct json v;

	if (json_is(f->choices))
		return choose(mem, f->choices, word, ret);
	if (str_eq(type, STR("boolean")))
		return read_bool(word, ret);
	if (str_eq(type, STR("integer")) || str_eq(type, STR("number"))) {
		if (json_read(mem, word, &v, NULL) != OK || json_type(v) < JSON_INT ||
		    json_type(v) > JSON_REAL)
			return false;
		*ret = json_text(mem, v);
		return true;
	}
	*ret = quoted(mem, word);
	return true;
}

/* For `thole approve --answer`: one word answers a form only if one field is enough. */
bool form_fill(struct arena *mem, const struct form *f, struct str word, struct str *ret)
{
	const struct field *only = f->count == 1 ? &f->fields[0] : NULL;
	struct json v;
	size_t needed = 0;

	if (!f->count) {
		*ret = json_read(mem, word, &v, NULL) == OK ? word : quoted(mem, word);
		return true;
	}
	for (size_t i = 0; i < f->count && f->count > 1; i++)
		if (f->fields[i].is_required && !needed++)
			only = &f->fields[i];
	if (!only || needed > 1 || !form_field_value(mem, only, word, ret))
		return false;
	*ret = arena_printf(mem, "{%.*s:%.*s}", STR_ARG(quoted(mem, only->name)), STR_ARG(*ret));
	return true;
}

/* ---- showing ---- */

void form_print(struct cli *c, const struct form *f, FILE *out)
{
	for (size_t i = 0; i < f->count; i++) {
		struct json_iter it = json_iter(f->fields[i].choices);
		struct json v;
		struct str key;
		int n = 0;

		if (f->count > 1)
			fprintf(out, "  %s%s\n", out_safe(c->mem, f->fields[i].title),
			        f->fields[i].is_required ? "" : " (may be left out)");
		while (json_next(&it, &key, &v))
			fprintf(out, "  %2d  %s\n", ++n, out_safe(c->mem, choice_text(c->mem, v)));
	}
}

static const char *data_option(struct cli *c)
{
	return c->opts.data ? arena_printf(c->mem, " --data %s", c->opts.data).ptr : "";
}

bool form_is_question(struct json action)
{
	struct str type = json_str(JSON_GET(action, "actionType"));

	return str_eq(type, STR(WORD_ACTION_TYPE_STRUCTURED_INPUT)) ||
	       (str_eq(type, STR(WORD_ACTION_TYPE_CREDENTIAL)) &&
	        json_is(JSON_GET(action, "schema")));
}

void form_decision_hint(struct cli *c, struct json action)
{
	const char *id = out_id(c, json_str(JSON_GET(action, "actionId")));
	const char *data = data_option(c);
	struct str until = json_str(JSON_GET(action, "expiresAt"));

	if (form_is_question(action))
		fprintf(stderr, "  to answer:  thole approve %s --answer TEXT%s\n", id, data);
	else
		fprintf(stderr, "  to allow:   thole approve %s%s\n", id, data);
	fprintf(stderr, "  to refuse:  thole deny %s%s\n", id, data);
	if (str_is(until))
		fprintf(stderr, "  without an answer it counts as %s %s\n",
		        out_safe(c->mem, json_str(JSON_GET(action, "onExpiry"))),
		        out_until(c->mem, until));
}

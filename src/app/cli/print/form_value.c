/*
 * Typed words as JSON values.
 *
 * A value is checked against the schema of its field as soon as it is typed, so that a person can
 * mend it at once.  The runtime checks the whole answer again.
 */
#include "app/cli/print/form.h"

#include "base/buf.h"
#include "base/jw.h"
#include "schema/schema.h"

#include <strings.h>

struct str form_value_quote(struct arena *mem, struct str word)
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

/* ---- choices ---- */

static struct str text_of(struct arena *mem, struct json v)
{
	return json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v);
}

static struct json item_at(struct json list, size_t i)
{
	struct json_iter it = json_iter(list);
	struct json v = { 0 };
	struct str key;

	while (json_next(&it, &key, &v))
		if (!i--)
			return v;
	return (struct json){ 0 };
}

static struct str title_of(struct arena *mem, const struct field *f, size_t i, struct json choice,
                           struct json value)
{
	struct str title =
		json_str(json_is(f->titles) ? item_at(f->titles, i) : JSON_GET(choice, "title"));

	return title.len ? title : text_of(mem, value);
}

bool form_value_choice(struct arena *mem, const struct field *f, size_t i, struct json *ret,
                       struct str *ret_title)
{
	struct json choice = item_at(f->choices, i), value = JSON_GET(choice, "const");

	if (i >= json_count(f->choices))
		return false;
	*ret = json_is(value) ? value : choice;
	*ret_title = title_of(mem, f, i, choice, *ret);
	return true;
}

static bool is_equal(struct str a, struct str b)
{
	return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

static bool is_beginning(struct str text, struct str word)
{
	return word.len && text.len >= word.len && strncasecmp(text.ptr, word.ptr, word.len) == 0;
}

bool form_value_has_numbers(struct arena *mem, const struct field *f)
{
	struct str title;
	struct json v;
	int64_t number;

	for (size_t i = 0; form_value_choice(mem, f, i, &v, &title); i++)
		if (str_to_i64(title, &number) || str_to_i64(text_of(mem, v), &number))
			return true;
	return false;
}

/* Accepts the choice itself or its title, then its number, then a beginning that only one has. */
static bool choose(struct arena *mem, const struct field *f, struct str word, struct json *ret)
{
	struct json v, near = { 0 };
	struct str title;
	int64_t number = 0;
	size_t count = 0;

	for (size_t i = 0; form_value_choice(mem, f, i, &v, &title); i++) {
		struct str value = text_of(mem, v);

		if (is_equal(value, word) || is_equal(title, word)) {
			*ret = v;
			return true;
		}
		if (!is_beginning(title, word) && !is_beginning(value, word))
			continue;
		near = v;
		count++;
	}
	if (str_to_i64(word, &number) && number > 0 && !form_value_has_numbers(mem, f) &&
	    form_value_choice(mem, f, (size_t)number - 1, ret, &title))
		return true;
	*ret = near;
	return count == 1;
}

static bool read_choice(struct arena *mem, const struct field *f, struct str word, struct str *ret)
{
	struct json v;

	if (!choose(mem, f, word, &v))
		return false;
	*ret = json_text(mem, v);
	return true;
}

/* ---- lists ---- */

/* Is the value one of these, which are separated by commas? */
static bool is_listed(struct arena *mem, struct str items, struct str value)
{
	struct json list, v;
	struct json_iter it;
	struct str key;

	if (json_read(mem, arena_printf(mem, "[%.*s]", STR_ARG(items)), &list, NULL) != OK)
		return false;
	it = json_iter(list);
	while (json_next(&it, &key, &v))
		if (str_eq(json_text(mem, v), value))
			return true;
	return false;
}

static bool read_number(struct arena *mem, struct str word, struct str *ret)
{
	struct json v;

	if (json_read(mem, word, &v, NULL) != OK || json_type(v) < JSON_INT ||
	    json_type(v) > JSON_REAL)
		return false;
	*ret = json_text(mem, v);
	return true;
}

static bool read_item(struct arena *mem, const struct field *f, struct str word, struct str *ret)
{
	struct str type = json_str(JSON_GET(JSON_GET(f->schema, "items"), "type"));

	if (f->kind == FIELD_SEVERAL)
		return read_choice(mem, f, word, ret);
	if (!str_eq(type, STR("string")))
		return read_number(mem, word, ret);
	*ret = form_value_quote(mem, word);
	return true;
}

/* Parts between commas; the same choice twice counts once. */
static bool add_items(struct arena *mem, const struct field *f, struct str word, struct buf *out)
{
	bool is_set = f->kind == FIELD_SEVERAL;

	while (word.len) {
		const char *comma = memchr(word.ptr, ',', word.len);
		size_t len = comma ? (size_t)(comma - word.ptr) : word.len;
		struct str part = str_trim(str_head(word, len)), value;

		word = str_skip(word, MIN(len + 1, word.len));
		if (!part.len)
			continue;
		if (!read_item(mem, f, part, &value))
			return false;
		if (is_set && is_listed(mem, buf_str(out), value))
			continue;
		buf_add_c(out, out->len ? "," : "");
		buf_add_str(out, value);
	}
	return true;
}

static bool read_json(struct arena *mem, struct str word, struct str *ret)
{
	struct json v;

	if (json_read(mem, word, &v, NULL) != OK)
		return false;
	*ret = json_text(mem, v);
	return true;
}

static bool read_list(struct arena *mem, const struct field *f, struct str word, struct str *ret)
{
	CLEANUP(buf_done) struct buf items = { 0 };

	if (str_starts(word, STR("[")) && read_json(mem, word, ret))
		return true;
	if (f->kind == FIELD_SEVERAL && read_choice(mem, f, word, ret)) {
		*ret = arena_printf(mem, "[%.*s]", STR_ARG(*ret));
		return true;
	}
	if (!add_items(mem, f, word, &items))
		return false;
	*ret = arena_printf(mem, "[%.*s]", STR_ARG(buf_str(&items)));
	return true;
}

/* ---- one field ---- */

static bool read_bool(struct str word, struct str *ret)
{
	static const char *const yes[] = { "y", "yes", "true" }, *const no[] = { "n", "no",
		                                                                 "false" };

	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		if (is_equal(word, str_from(yes[i])))
			*ret = STR("true");
		else if (is_equal(word, str_from(no[i])))
			*ret = STR("false");
		else
			continue;
		return true;
	}
	return false;
}

static bool read_word(struct arena *mem, const struct field *f, struct str word, struct str *ret)
{
	switch (f->kind) {
	case FIELD_ONE:
		return read_choice(mem, f, word, ret);
	case FIELD_SEVERAL:
	case FIELD_LIST:
		return read_list(mem, f, word, ret);
	case FIELD_BOOL:
		return read_bool(word, ret);
	case FIELD_NUMBER:
		return read_number(mem, word, ret);
	case FIELD_JSON:
		return read_json(mem, word, ret);
	case FIELD_TEXT:
		break;
	}
	*ret = form_value_quote(mem, word);
	return true;
}

/* What refers to other parts of the form cannot be checked alone; the runtime does it. */
static bool fits(struct arena *mem, const struct field *f, struct str value, const char **ret_why)
{
	struct schema_options options = { .assert_formats = true };
	struct schema_report report = { .mem = mem, .max = 1 };
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct error e;
	struct json v;

	if (schema_compile_text(NULL, json_text(mem, f->schema), &options, &schema, &e) != OK ||
	    json_read(mem, value, &v, NULL) != OK || schema_check(schema, v, &report) ||
	    report.gave_up)
		return true;
	*ret_why = arena_printf(mem, "it %.*s", STR_ARG(report.errors[0].message)).ptr;
	return false;
}

bool form_value_read(struct arena *mem, const struct field *f, struct str word, struct str *ret,
                     const char **ret_why)
{
	static const char *const wanted[] = { [FIELD_TEXT] = "it must be text",
		                              [FIELD_NUMBER] = "it must be a number",
		                              [FIELD_BOOL] = "it must be yes or no",
		                              [FIELD_ONE] = "it must be one of the list",
		                              [FIELD_SEVERAL] = "each must be one of the list",
		                              [FIELD_LIST] = "each must be a number",
		                              [FIELD_JSON] = "it must be JSON" };

	*ret_why = wanted[f->kind];
	return read_word(mem, f, word, ret) && fits(mem, f, *ret, ret_why);
}

struct str form_value_preset(struct arena *mem, const struct field *f)
{
	struct str text;
	const char *why;

	if (!json_is(f->preset))
		return STR_NONE;
	text = json_text(mem, f->preset);
	return fits(mem, f, text, &why) ? text : STR_NONE;
}

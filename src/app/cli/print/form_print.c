/* Shows the fields of a form. */
#include "app/cli/print/form.h"

#include "app/cli/print/out.h"
#include "base/buf.h"

#include <string.h>
#include <strings.h>

#define VALUE_COLUMNS 40

/* ---- which values fit ---- */

/* "1 to 3", "at least 1", "at most 3"; NULL: no bounds. */
static const char *range(struct arena *mem, struct json schema, const char *least, const char *most)
{
	struct json from = json_get(schema, str_from(least)), to = json_get(schema, str_from(most));
	struct str low = json_is(from) ? json_text(mem, from) : STR_NONE,
		   high = json_is(to) ? json_text(mem, to) : STR_NONE;

	if (str_is(low) && str_is(high))
		return arena_printf(mem, "%.*s to %.*s", STR_ARG(low), STR_ARG(high)).ptr;
	if (str_is(low))
		return arena_printf(mem, "at least %.*s", STR_ARG(low)).ptr;
	return str_is(high) ? arena_printf(mem, "at most %.*s", STR_ARG(high)).ptr : NULL;
}

static const char *about_text(struct arena *mem, const struct field *f)
{
	static const char *const formats[][2] = {
		{ "email", "an e-mail address" },
		{ "uri", "an address such as https://example.org" },
		{ "date", "a date such as 2026-01-31" },
		{ "date-time", "a date and time such as 2026-01-31T12:00:00Z" },
	};
	struct str format = json_str(JSON_GET(f->schema, "format"));
	const char *chars = range(mem, f->schema, "minLength", "maxLength");

	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (str_eq(format, str_from(formats[i][0])))
			return formats[i][1];
	return chars ? arena_printf(mem, "%s characters", chars).ptr : NULL;
}

static const char *about_number(struct arena *mem, const struct field *f)
{
	bool is_whole = str_eq(json_str(JSON_GET(f->schema, "type")), STR("integer"));
	const char *bounds = range(mem, f->schema, "minimum", "maximum");

	return arena_printf(mem, "%s%s%s", is_whole ? "a whole number" : "a number",
	                    bounds ? ", " : "", bounds ? bounds : "")
	        .ptr;
}

static const char *about_items(struct arena *mem, const struct field *f, const char *what)
{
	const char *bounds = range(mem, f->schema, "minItems", "maxItems");

	return arena_printf(mem, "%s, with commas between them%s%s", what, bounds ? "; " : "",
	                    bounds ? bounds : "")
	        .ptr;
}

/* NULL: nothing needs to be said. */
static const char *expected(struct arena *mem, const struct field *f)
{
	switch (f->kind) {
	case FIELD_TEXT:
		return about_text(mem, f);
	case FIELD_NUMBER:
		return about_number(mem, f);
	case FIELD_BOOL:
		return "yes or no";
	case FIELD_ONE: /* the list says it */
		return NULL;
	case FIELD_SEVERAL:
		return about_items(mem, f, "numbers or words of this list");
	case FIELD_LIST:
		return about_items(mem, f, "values");
	case FIELD_JSON:
		break;
	}
	return "JSON";
}

/* ---- showing ---- */

/* Choices that are numbers themselves are not numbered. */
static void print_choices(struct cli *c, const struct field *f, FILE *out)
{
	size_t count = json_count(f->choices), shown = MIN(count, LIMIT_FORM_CHOICES);
	bool has_numbers = form_value_has_numbers(c->mem, f);
	struct str title;
	struct json v;

	for (size_t i = 0; i < shown && form_value_choice(c->mem, f, i, &v, &title); i++)
		if (has_numbers)
			fprintf(out, "      %s\n", out_safe(c->mem, title));
		else
			fprintf(out, "  %2zu  %s\n", i + 1, out_safe(c->mem, title));
	if (count > shown)
		fprintf(out, "      and %zu more\n", count - shown);
}

static bool has_word(struct str text, const char *word)
{
	size_t len = strlen(word);

	for (; text.len >= len; text = str_skip(text, 1))
		if (strncasecmp(text.ptr, word, len) == 0)
			return true;
	return false;
}

/* Forms are not for secrets; a tool server asks for them by a page of its own. */
static bool is_secret(const struct field *f)
{
	static const char *const words[] = { "password", "passwd",     "passphrase", "secret",
		                             "api key",  "api_key",    "apikey",     "access token",
		                             "token",    "private key" };

	for (size_t i = 0; f->kind == FIELD_TEXT && i < COUNT_OF(words); i++)
		if (has_word(f->name, words[i]) || has_word(f->title, words[i]))
			return true;
	return false;
}

void form_print_field(struct cli *c, const struct field *f, FILE *out)
{
	const char *values = expected(c->mem, f);

	if (is_secret(f))
		fprintf(out,
		        "    %sThe log keeps your answer: type no password and no key here.%s\n",
		        out_tone_on(c->color_err, TONE_ASK), out_tone_off(c->color_err));

	if (f->about.len && !str_eq(f->about, f->title))
		fprintf(out, "    %s\n", out_safe(c->mem, f->about));
	if (values)
		fprintf(out, "    %s%s\n", values, json_is(f->choices) ? ":" : "");
	print_choices(c, f, out);
}

void form_print_alone(struct cli *c, const struct field *f, FILE *out)
{
	if (!str_eq(f->title, f->name))
		fprintf(out, "    %s\n", out_safe(c->mem, f->title));
	form_print_field(c, f, out);
}

/* The name is what --payload wants. */
void form_print(struct cli *c, const struct form *f, FILE *out)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->fields[i];

		if (f->count == 1) {
			form_print_alone(c, field, out);
			return;
		}
		fprintf(out, "  %s%s%s%s%s\n", out_safe(c->mem, field->name),
		        str_eq(field->name, field->title) ? "" : " (",
		        str_eq(field->name, field->title) ? "" : out_safe(c->mem, field->title),
		        str_eq(field->name, field->title) ? "" : ")",
		        field->is_required ? "" : ", may be left out");
		form_print_field(c, field, out);
	}
}

/* ---- values ---- */

static struct str choice_title(struct arena *mem, const struct field *f, struct str value)
{
	struct str title;
	struct json v;

	for (size_t i = 0; form_value_choice(mem, f, i, &v, &title); i++)
		if (str_eq(json_text(mem, v), value))
			return title;
	return STR_NONE;
}

static struct str one_text(struct arena *mem, const struct field *f, struct json v)
{
	struct str text = choice_title(mem, f, json_text(mem, v));

	if (str_is(text))
		return text;
	if (json_type(v) == JSON_BOOL)
		return json_bool(v, false) ? STR("yes") : STR("no");
	return json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v);
}

static void add_list(struct arena *mem, const struct field *f, struct json list, struct buf *out)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		buf_add_c(out, out->len ? ", " : "");
		buf_add_str(out, one_text(mem, f, v));
	}
}

const char *form_print_value(struct arena *mem, const struct field *f, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json v;

	if (json_read(mem, value, &v, NULL) != OK)
		return "";
	if (json_type(v) == JSON_ARR && f->kind != FIELD_JSON && json_count(v))
		add_list(mem, f, v, &out);
	else
		buf_add_str(&out, one_text(mem, f, v));
	return out_safe_cut(mem, buf_str(&out), VALUE_COLUMNS);
}

/* ---- how to answer ---- */

static const char *data_option(struct cli *c)
{
	return c->opts.data ? arena_printf(c->mem, " --data %s", c->opts.data).ptr : "";
}

/* One word cannot answer a form with several required fields. */
static const char *answer_option(struct json action)
{
	struct form form;

	form_read(&form, JSON_GET(action, "schema"));
	return form.count && !form_only_field(&form) ? "--payload JSON" : "--answer TEXT";
}

void form_print_hint(struct cli *c, struct json action)
{
	const char *id = out_id(c, json_str(JSON_GET(action, "actionId")));
	const char *data = data_option(c);
	struct str until = json_str(JSON_GET(action, "expiresAt"));

	if (form_is_question(action))
		fprintf(stderr, "  to answer:  thole approve %s %s%s\n", id, answer_option(action),
		        data);
	else
		fprintf(stderr, "  to allow:   thole approve %s%s\n", id, data);
	fprintf(stderr, "  to refuse:  thole deny %s%s\n", id, data);
	if (str_is(until))
		fprintf(stderr, "  without an answer it counts as %s %s\n",
		        out_safe(c->mem, json_str(JSON_GET(action, "onExpiry"))),
		        out_until(c->mem, until));
}

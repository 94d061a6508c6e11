#ifndef APP_FORM_H
#define APP_FORM_H
/*
 * The fields of a question, from its JSON Schema, and the values that a person types into them.
 *
 * form.c reads the schema, form_value.c turns typed words into JSON, form_print.c shows fields.
 */
#include "app/cli/cli.h"
#include "base/gen/limits.h"
#include "base/json.h"

#include <stdio.h>

enum field_kind {
	FIELD_TEXT,
	FIELD_NUMBER,
	FIELD_BOOL,
	FIELD_ONE,     /* of choices */
	FIELD_SEVERAL, /* of choices */
	FIELD_LIST,    /* of texts or numbers */
	FIELD_JSON,    /* anything else */
};

struct field {
	struct str name, title;
	struct str about; /* its description; absent: none */
	struct json schema;
	enum field_kind kind;
	struct json choices; /* values, or objects with const and title; JSON_NONE: none */
	struct json titles;  /* of values, in the same order; JSON_NONE: none */
	struct json preset;  /* the schema's default; JSON_NONE: none */
	bool is_required;
};

/* More than LIMIT_FORM_FIELDS fields are asked for as JSON. */
struct form {
	struct field fields[LIMIT_FORM_FIELDS];
	size_t count;    /* 0: any JSON, as text */
	bool is_consent; /* an object without fields: yes or no is all that is asked */
};

void form_read(struct form *f, struct json schema);
/* The field that one word answers: the only one, or the only required one; NULL: none. */
const struct field *form_only_field(const struct form *f);
/* The payload for one word, if the form needs only one field. */
/* false: it does not fit; *ret_why says why, NULL: there is no such field. */
bool form_fill(struct arena *mem, const struct form *f, struct str word, struct str *ret,
               const char **ret_why);

/* Whether the action asks for a form to be filled in: a question, or a login with an answer. */
bool form_is_question(struct json action);

/* ---- form_value.c ---- */

/* Are some choices numbers?  Then they are not numbered, because both could be meant. */
bool form_value_has_numbers(struct arena *mem, const struct field *f);
/* Choice i of a field, from 0: its value and the text that is shown for it. */
bool form_value_choice(struct arena *mem, const struct field *f, size_t i, struct json *ret,
                       struct str *ret_title);
/* The JSON value of typed words.  false: they do not fit; *ret_why says why. */
bool form_value_read(struct arena *mem, const struct field *f, struct str word, struct str *ret,
                     const char **ret_why);
/* The default as JSON, if it fits the field itself; absent otherwise. */
struct str form_value_preset(struct arena *mem, const struct field *f);
struct str form_value_quote(struct arena *mem, struct str word);

/* ---- form_print.c ---- */

void form_print(struct cli *c, const struct form *f, FILE *out);
/* What the field is about, which values fit, and its choices, each on a line. */
void form_print_field(struct cli *c, const struct field *f, FILE *out);
/* The only field of a form, whose name says nothing beside the question. */
void form_print_alone(struct cli *c, const struct field *f, FILE *out);
/* A value as a person would type it: titles of choices, "yes" and "no". */
const char *form_print_value(struct arena *mem, const struct field *f, struct str value);
/* Prints the commands that answer this action. */
void form_print_hint(struct cli *c, struct json action);

#endif

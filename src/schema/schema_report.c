/*
 * Messages about invalid values: JSON pointers, values in sentences, and the
 * list of findings with its limits.
 */
#include "schema/schema_parts.h"

#include "base/jw.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define PATH_BYTES 1024
#define LOCATION_BYTES (SCHEMA_URI_MAX + 1024)
#define VALUE_MAX_BYTES 60
#define VALUES_MAX 8

/* ---- JSON pointers ---- */

static void add_token(struct buf *out, struct str token)
{
	buf_add_char(out, '/');
	for (size_t i = 0; i < token.len && !out->overflowed; i++) {
		if (token.ptr[i] == '~')
			buf_add_c(out, "~0");
		else if (token.ptr[i] == '/')
			buf_add_c(out, "~1");
		else
			buf_add_char(out, token.ptr[i]);
	}
}

/* Recursive from the root down; the depth is bounded by the JSON reader. */
static void add_path(struct buf *out, const struct schema_path *p)
{
	if (!p || !p->up)
		return;
	add_path(out, p->up);
	if (str_is(p->key))
		add_token(out, p->key);
	else
		buf_printf(out, "/%zu", p->index);
}

static void add_place(struct buf *out, const struct schema_place *p)
{
	if (!p)
		return;
	add_place(out, p->up);
	add_token(out, p->token);
}

/* Moves the buffer's content into mem; a text that was too long ends in "…". */
static struct str keep_text(struct arena *mem, struct buf *b)
{
	struct str s = buf_str(b);

	s.len -= utf8_unfinished(s);
	s = b->overflowed ? arena_printf(mem, "%.*s…", STR_ARG(s)) : arena_keep(mem, s);
	buf_done(b);
	return s;
}

struct str schema_report_location(struct arena *mem, const struct schema_resource *r,
                                  const struct schema_place *place, struct str keyword)
{
	struct buf b = { .max = LOCATION_BYTES };

	buf_add_str(&b, r->uri);
	buf_add_char(&b, '#');
	add_place(&b, place);
	if (str_is(keyword))
		add_token(&b, keyword);
	return keep_text(mem, &b);
}

/* ---- values in sentences ---- */

const char *schema_report_say_str(struct arena *mem, struct str s)
{
	struct buf b = { 0 };
	struct json_writer w;

	jw_init(&w, &b);
	jw_str(&w, utf8_preview(mem, s, VALUE_MAX_BYTES));
	return keep_text(mem, &b).ptr;
}

/* Large values are named by their kind, to keep the message short. */
const char *schema_report_say(struct arena *mem, struct json v)
{
	switch (json_type(v)) {
	case JSON_STR:
		return schema_report_say_str(mem, json_str(v));
	case JSON_ARR:
		return json_count(v) ? "a certain array" : "[]";
	case JSON_OBJ:
		return json_count(v) ? "a certain object" : "{}";
	default:
		return arena_keep(mem, json_text(mem, v)).ptr;
	}
}

const char *schema_report_say_types(struct arena *mem, unsigned types)
{
	static const struct {
		unsigned types;
		const char *name;
	} names[] = {
		{ TYPE_INT | TYPE_REAL, "number" },
		{ TYPE_INT, "integer" },
		{ TYPE_STR, "string" },
		{ TYPE_BOOL, "boolean" },
		{ TYPE_ARR, "array" },
		{ TYPE_OBJ, "object" },
		{ TYPE_NULL, "null" },
	};
	struct buf b = { 0 };

	/* "number" comes first and takes both bits, so that it is not listed as "integer". */
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if ((types & names[i].types) != names[i].types)
			continue;
		types &= ~names[i].types;
		if (b.len)
			buf_add_c(&b, types ? ", " : " or ");
		buf_add_c(&b, names[i].name);
	}
	return keep_text(mem, &b).ptr;
}

const char *schema_report_say_values(struct arena *mem, struct json list)
{
	struct buf b = { 0 };
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;
	size_t count = json_count(list);

	for (size_t i = 0; i < VALUES_MAX && json_next(&it, &key, &v); i++) {
		if (i)
			buf_add_c(&b, i + 1 == count ? " or " : ", ");
		buf_add_c(&b, schema_report_say(mem, v));
	}
	if (count > VALUES_MAX)
		buf_printf(&b, ", … (%zu in all)", count);
	return keep_text(mem, &b).ptr;
}

/* ---- findings ---- */

static size_t depth_of(const struct schema_path *p)
{
	size_t depth = 0;

	for (; p && p->up; p = p->up)
		depth++;
	return depth;
}

/* Several schemas of an allOf often report the same. */
static bool is_said(const struct schema_findings *f, struct str path, struct str message)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->items[i].error.message, message) &&
		    str_eq(f->items[i].error.path, path))
			return true;
	return false;
}

/* Messages, paths and their number are all limited: they go into events and to models. */
void schema_report_found(struct schema_findings *f, const struct schema_node *n,
                         const struct schema_path *path, const char *keyword, const char *fmt, ...)
{
	struct str name = str_from(keyword);
	struct buf pointer = { .max = PATH_BYTES };
	char message[512];
	va_list args;

	if (f->count == f->max)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof message, fmt, args);
	va_end(args);

	struct str text = str_from(message);

	text.len -= utf8_unfinished(text); /* vsnprintf may have cut inside a character */
	add_path(&pointer, path);

	struct schema_error error = { .path = keep_text(f->mem, &pointer), .keyword = name };

	if (is_said(f, error.path, text))
		return;
	error.location = schema_report_location(f->mem, n->scope->resource, n->place, name);
	error.message = arena_keep(f->mem, text);
	f->items[f->count++] = (struct schema_finding){ error, depth_of(path) };
}

/*
 * Secrets in what was written.  Outputs of tools were redacted before they were
 * stored, but a person may have typed a key into a prompt, and a model may
 * repeat it.
 *
 * Text is looked at first, because nearly all of it has no secret.  Only if it
 * has one, its strings are redacted one by one: then it stays JSON.  Names of
 * members are strings too: a model chooses those of arguments.
 */
#include "export/atif/atif_int.h"

#include <string.h>

#define DEPTH_MAX 40 /* deeper values become one string, so that the writer's depth suffices */

/* The strings of one value. */
struct cleaning {
	struct atif *a;
	struct arena *mem;
	struct json_writer w;
	unsigned depth;
	unsigned names; /* that were redacted: each gets a number, so that they stay different */
};

static struct str redacted(struct cleaning *c, struct str text)
{
	struct str clean = c->a->o.port.redact(c->a->o.port.arg, c->mem, text);

	c->a->groups.redacted += !str_eq(clean, text);
	return clean;
}

static struct str redacted_name(struct cleaning *c, struct str name)
{
	struct str clean = redacted(c, name);

	if (str_eq(clean, name))
		return name;
	return arena_printf(c->mem, "%.*s %u", STR_ARG(clean), ++c->names);
}

static void write_members(struct cleaning *c, struct json v);

static void write_value(struct cleaning *c, struct json v)
{
	enum json_type type = json_type(v);

	if (type == JSON_STR)
		jw_str(&c->w, redacted(c, json_str(v)));
	else if (type != JSON_OBJ && type != JSON_ARR)
		jw_value(&c->w, v);
	else if (c->depth >= DEPTH_MAX)
		jw_str(&c->w, redacted(c, json_text(c->mem, v)));
	else
		write_members(c, v);
}

static void write_members(struct cleaning *c, struct json v)
{
	bool is_obj = json_type(v) == JSON_OBJ;
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	c->depth++;
	is_obj ? jw_obj(&c->w) : jw_arr(&c->w);
	while (json_next(&it, &key, &each)) {
		if (is_obj)
			jw_key(&c->w, redacted_name(c, key));
		write_value(c, each);
	}
	is_obj ? jw_obj_end(&c->w) : jw_arr_end(&c->w);
	c->depth--;
}

/* What does not read back as JSON was never written by us, and is left out. */
static void replace(struct atif *a, size_t from, struct arena *mem)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct cleaning c = { .a = a, .mem = mem };
	struct json v;

	jw_init(&c.w, &out);
	if (json_read_trusted(mem, str_skip(buf_str(&a->out), from), &v, NULL) == OK)
		write_value(&c, v);
	else
		buf_add_c(&out, "{}");
	a->out.len = from;
	buf_add_str(&a->out, buf_str(&out));
}

/* ---- looking ---- */

static bool is_secret(struct atif *a, struct arena *mem, struct str text)
{
	return !str_eq(a->o.port.redact(a->o.port.arg, mem, text), text);
}

static bool has_secret(struct atif *a, struct arena *mem, struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) == JSON_STR)
		return is_secret(a, mem, json_str(v));
	while ((json_type(v) == JSON_OBJ || json_type(v) == JSON_ARR) &&
	       json_next(&it, &key, &each))
		if (is_secret(a, mem, key) || has_secret(a, mem, each))
			return true;
	return false;
}

/* An escape hides a secret: \nsk-... begins with no n, and a password may hold a quote. */
static bool is_hidden(struct atif *a, struct arena *mem, struct str text)
{
	struct json v;

	if (!memchr(text.ptr, '\\', text.len))
		return false;
	return json_read_trusted(mem, text, &v, NULL) != OK || has_secret(a, mem, v);
}

void atif_clean_from(struct atif *a, size_t from)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	struct str text;

	if (!a->o.port.redact)
		return;
	from += from < a->out.len && a->out.ptr[from] == ',';
	text = str_skip(buf_str(&a->out), from);
	if (!text.len)
		return;
	mem = arena_new();
	if (is_secret(a, mem, text) || is_hidden(a, mem, text))
		replace(a, from, mem);
}

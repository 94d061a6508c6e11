/*
 * Merges the layers of settings and checks every key and value against the
 * catalogue.  The result is a typed struct with one member per setting.
 */
#include "lib/config.h"

#include "base/jw.h"
#include "catalog/setting_value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct config {
	struct arena *mem;
	struct json *values; /* one per setting; JSON_NONE: the default */
	bool is_project;     /* the layer that is being added */
};

struct config *config_new(void)
{
	struct arena *mem = arena_new();
	struct config *c = ARENA_NEW(mem, struct config);

	c->mem = mem;
	c->values = ARENA_ARRAY(mem, struct json, setting_count);
	for (size_t i = 0; i < setting_count; i++)
		if (json_read_trusted(mem, settings[i].otherwise, &c->values[i], NULL) != OK)
			assert(!"a default of the catalogue is not JSON");
	return c;
}

void config_free(struct config *c)
{
	if (c)
		arena_free(c->mem);
}

/* The rank of the value among those that a project may choose; -1: not allowed. */
static int project_rank(struct json values, struct json v)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_iter it = json_iter(values);
	struct str key, text = json_text(mem, v);
	struct json each;

	for (int i = 0; json_next(&it, &key, &each); i++)
		if (str_eq(json_text(mem, each), text))
			return i;
	return -1;
}

/* A project cannot widen permissions, nor redirect requests and secrets. */
static enum err check_project(struct config *c, struct str layer, const struct setting *s,
                              struct json v, struct json now, struct error *e)
{
	struct json values;

	if (!str_is(s->project))
		return fail(e, ERR_INVALID, "%.*s: %.*s is not a project's to set", STR_ARG(layer),
		            STR_ARG(s->key));
	if (json_read_trusted(c->mem, s->project, &values, NULL) != OK)
		assert(!"a list of the catalogue is not JSON");
	if (json_type(values) == JSON_ARR &&
	    (project_rank(values, v) < 0 || project_rank(values, v) < project_rank(values, now)))
		return fail(e, ERR_INVALID, "%.*s: %.*s: a project may only be stricter (%.*s)",
		            STR_ARG(layer), STR_ARG(s->key), STR_ARG(s->project));
	return OK;
}

/* "one of: off restricted full" */
static struct str words_of(struct arena *mem, const struct enum_desc *words)
{
	struct str out = STR("one of:");

	for (uint32_t i = 1; i < words->count; i++)
		if (str_is(words->words[i]))
			out = arena_printf(mem, "%.*s %.*s", STR_ARG(out),
			                   STR_ARG(words->words[i]));
	return out;
}

/* A name that no model can have: empty, with an empty part, or with blanks.  Absent: there is none. */
static struct str odd_model_name(struct json list)
{
	struct json_iter it = json_iter(list);
	struct str key, name;
	struct json v;

	while (json_next(&it, &key, &v)) {
		name = json_str(v);
		if (!name.len || name.ptr[0] == '/' || name.ptr[name.len - 1] == '/')
			return str_is(name) ? name : STR("");
		for (size_t i = 0; i < name.len; i++)
			if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == 0x7f)
				return name;
	}
	return STR_NONE;
}

/*
 * One value of one layer.  A setting that this build does not use is an error and not
 * ignored: an operator who sets a limit has to know that nothing enforces it.
 */
static enum err setting_set(struct config *c, struct str layer, struct str key, struct json v,
                            struct error *e)
{
	static const char *wanted[] = {
		[SETTING_STR] = "a string",       [SETTING_INT] = "a whole number",
		[SETTING_REAL] = "a number",      [SETTING_USD] = "a number",
		[SETTING_BOOL] = "true or false", [SETTING_NAMES] = "a list of strings",
		[SETTING_LIST] = "a list",        [SETTING_JSON] = "an object",
	};
	ptrdiff_t at = setting_value_find(key);

	if (at < 0)
		return fail(e, ERR_INVALID, "%.*s: there is no setting %.*s", STR_ARG(layer),
		            STR_ARG(key));
	if (!settings[at].is_built)
		return fail(e, ERR_UNSUPPORTED, "%.*s: %.*s is not used by this build yet",
		            STR_ARG(layer), STR_ARG(key));
	if (!setting_value_fits(&settings[at], v))
		return fail(e, ERR_INVALID, "%.*s: %.*s wants %s", STR_ARG(layer), STR_ARG(key),
		            settings[at].type == SETTING_ENUM
		                    ? words_of(c->mem, settings[at].words).ptr
		                    : wanted[settings[at].type]);
	if (!setting_value_in_bounds(&settings[at], v))
		return fail(e, ERR_INVALID, "%.*s: %.*s wants a number from %lld to %lld",
		            STR_ARG(layer), STR_ARG(key), (long long)settings[at].min,
		            (long long)settings[at].max);
	if (str_eq(key, STR("routing.fallback_chain")) && str_is(odd_model_name(v)))
		return fail(
			e, ERR_INVALID,
			"%.*s: %.*s wants names of models, PROVIDER/MODEL or MODEL, not \"%.*s\"",
			STR_ARG(layer), STR_ARG(key), STR_ARG(str_head(odd_model_name(v), 200)));
	if (c->is_project) {
		enum err code = check_project(c, layer, &settings[at], v, c->values[at], e);

		if (code)
			return code;
	}
	c->values[at] = v;
	return OK;
}

/* An object whose path is no setting is a group; one whose path is a setting is its value. */
static enum err add_object(struct config *c, struct str layer, struct str prefix, struct json obj,
                           struct error *e)
{
	struct json_iter it = json_iter(obj);
	struct str key;
	struct json v;

	while (json_next(&it, &key, &v)) {
		struct str full = prefix.len ? arena_printf(c->mem, "%.*s.%.*s", STR_ARG(prefix),
		                                            STR_ARG(key))
		                             : key;
		enum err code = json_type(v) == JSON_OBJ && setting_value_find(full) < 0
		                        ? add_object(c, layer, full, v, e)
		                        : setting_set(c, layer, full, v, e);

		if (code)
			return code;
	}
	return OK;
}

/* A layer that is refused changes nothing, also if its first settings were valid. */
enum err config_add(struct config *c, struct str layer, struct str text, struct error *e)
{
	struct json *before = ARENA_ARRAY(c->mem, struct json, setting_count), obj;
	struct error why;
	enum err code;

	if (json_read_config(c->mem, text, &obj, &why) != OK)
		return fail(e, ERR_INVALID, "%.*s: %s", STR_ARG(layer), why.message);
	if (json_type(obj) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%.*s: an object is wanted", STR_ARG(layer));
	memcpy(before, c->values, setting_count * sizeof *before);
	code = add_object(c, layer, STR(""), obj, e);
	if (code)
		memcpy(c->values, before, setting_count * sizeof *before);
	return code;
}

enum err config_add_project(struct config *c, struct str layer, struct str text, struct error *e)
{
	enum err code;

	c->is_project = true;
	code = config_add(c, layer, text, e);
	c->is_project = false;
	return code;
}

/* Words are taken as they are; everything else must be JSON. */
enum err config_add_env(struct config *c, struct error *e)
{
	for (size_t i = 0; i < setting_count; i++) {
		const struct setting *s = &settings[i];
		const char *raw = str_is(s->env) && s->is_built ? getenv(s->env.ptr) : NULL;
		struct str text;
		struct json v;
		struct buf quoted = { 0 };
		struct json_writer w;

		if (!raw)
			continue;
		text = arena_keep(c->mem, str_from(raw));
		if (s->type == SETTING_STR || s->type == SETTING_ENUM) {
			jw_init(&w, &quoted);
			jw_str(&w, text);
			text = arena_keep(c->mem, buf_str(&quoted));
			buf_done(&quoted);
		}
		if (json_read(c->mem, text, &v, NULL) != OK)
			return fail(e, ERR_INVALID, "%s: not a value of this setting", s->env.ptr);
		enum err code = setting_set(c, s->env, s->key, v, e);

		if (code)
			return code;
	}
	return OK;
}

static struct config_names names_of(struct arena *mem, struct json list)
{
	struct str *items = ARENA_ARRAY(mem, struct str, json_count(list) + 1);
	struct json_iter it = json_iter(list);
	size_t count = 0;
	struct str key;
	struct json v;

	while (json_next(&it, &key, &v))
		if (str_is(json_str(v)))
			items[count++] = json_str(v);
	return (struct config_names){ items, count };
}

/*
 * at: the member of struct config_values that the row names.  Struct and offsets are
 * generated from the catalogue, so the type of the row is the type of the member.
 */
static void bind_value(struct arena *mem, const struct setting *s, struct json v, void *at)
{
	switch (s->type) {
	case SETTING_STR:
		*(struct str *)at = json_str(v).len ? json_str(v) : STR_NONE;
		break;
	case SETTING_INT:
		*(int64_t *)at = json_int(v, 0);
		break;
	case SETTING_REAL:
		*(double *)at = json_real(v, 0);
		break;
	case SETTING_USD:
		*(int64_t *)at = MAX(json_nano(v, 0), 0);
		break;
	case SETTING_BOOL:
		*(bool *)at = json_bool(v, false);
		break;
	case SETTING_ENUM:
		*(uint32_t *)at = rec_enum_read(s->words, json_str(v));
		break;
	case SETTING_NAMES:
		*(struct config_names *)at = names_of(mem, v);
		break;
	case SETTING_LIST:
	case SETTING_JSON:
		*(struct json *)at = v;
		break;
	}
}

/* Settings that this build does not use have no member. */
const struct config_values *config_values(struct config *c)
{
	struct config_values *v = ARENA_NEW(c->mem, struct config_values);

	for (size_t i = 0; i < setting_count; i++)
		if (settings[i].is_built)
			bind_value(c->mem, &settings[i], c->values[i],
			           (char *)v + settings[i].offset);
	return v;
}

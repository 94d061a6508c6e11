/* Reads the setting `triggers`.  A mistake stops the start: a webhook that is silently off is noticed late. */
#include "serve/trigger/trigger_settings.h"

#include "base/json.h"
#include "catalog/catalog.h"

#include <stdlib.h>

#define TRIGGERS_MAX 64
#define NAME_MAX_BYTES 32

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return false;
	}
	return name.len && name.len <= NAME_MAX_BYTES;
}

static enum err wrong(struct error *e, const struct serve_trigger *t, struct str key,
                      const char *what)
{
	return fail(e, ERR_INVALID, "triggers.%.*s: %.*s%s%s", STR_ARG(t->name), STR_ARG(key),
	            key.len ? " " : "", what);
}

static enum err read_secret(struct arena *mem, const struct serve_trigger *t, struct str key,
                            struct json v, struct str *ret, struct error *e)
{
	struct str name = json_str(v);
	const char *value = str_is(name) && name.len ? getenv(arena_keep(mem, name).ptr) : NULL;

	if (!value || !*value)
		return wrong(e, t, key, "names a variable without a secret");
	*ret = arena_keep(mem, str_from(value));
	return OK;
}

static enum err read_events(struct arena *mem, struct serve_trigger *t, struct json v,
                            struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return wrong(e, t, STR("events"), "is a list of types");
	while (json_next(&it, &key, &item)) {
		if (!str_is(json_str(item)) || t->event_count == SERVE_TRIGGER_EVENTS_MAX)
			return wrong(e, t, STR("events"), "is a list of at most 32 types");
		t->events[t->event_count++] = arena_keep(mem, json_str(item));
	}
	return OK;
}

static enum err read_text(struct arena *mem, const struct serve_trigger *t, struct str key,
                          struct json v, struct str *ret, struct error *e)
{
	if (!str_is(json_str(v)) || !json_str(v).len)
		return wrong(e, t, key, "is a text");
	*ret = arena_keep(mem, json_str(v));
	return OK;
}

static enum err read_session(struct serve_trigger *t, struct json v, struct error *e)
{
	struct str word = json_str(v);

	t->is_one_session = str_is(word) && str_eq(word, STR("one"));
	if (t->is_one_session || (str_is(word) && str_eq(word, STR("new"))))
		return OK;
	return wrong(e, t, STR("session"), "is new or one");
}

static enum err read_work(struct serve_trigger *t, struct json v, struct error *e)
{
	struct str word = json_str(v);

	t->is_task = str_is(word) && str_eq(word, STR("task"));
	if (t->is_task || (str_is(word) && str_eq(word, STR("turn"))))
		return OK;
	return wrong(e, t, STR("work"), "is turn or task");
}

static enum err read_member(struct arena *mem, struct serve_trigger *t, struct str key,
                            struct json v, struct error *e)
{
	if (str_eq(key, STR("signature")))
		return str_is(json_str(v)) && webhook_signature_read_scheme(json_str(v), &t->scheme)
		               ? OK
		               : wrong(e, t, key, "is standard, github, slack or bearer");
	if (str_eq(key, STR("secret_env")))
		return read_secret(mem, t, key, v, &t->secrets.current, e);
	if (str_eq(key, STR("previous_secret_env")))
		return read_secret(mem, t, key, v, &t->secrets.previous, e);
	if (str_eq(key, STR("prompt")))
		return read_text(mem, t, key, v, &t->prompt, e);
	if (str_eq(key, STR("cwd")))
		return read_text(mem, t, key, v, &t->cwd, e);
	if (str_eq(key, STR("model")))
		return read_text(mem, t, key, v, &t->model, e);
	if (str_eq(key, STR("mode"))) {
		if (!str_is(json_str(v)) || !rec_enum_read(&enum_permission_mode, json_str(v)))
			return wrong(e, t, key, "is not a permission mode");
		return read_text(mem, t, key, v, &t->mode, e);
	}
	if (str_eq(key, STR("session")))
		return read_session(t, v, e);
	if (str_eq(key, STR("work")))
		return read_work(t, v, e);
	if (str_eq(key, STR("events")))
		return read_events(mem, t, v, e);
	return wrong(e, t, key, "is not known");
}

/* NULL: both can be used. */
static const char *secrets_fault(const struct serve_trigger *t)
{
	const char *fault = str_is(t->secrets.current)
	                            ? webhook_signature_fault(t->scheme, t->secrets.current)
	                            : NULL;

	if (!fault && str_is(t->secrets.previous))
		fault = webhook_signature_fault(t->scheme, t->secrets.previous);
	return fault;
}

static enum err read_trigger(struct arena *mem, struct serve_trigger *t, struct json row,
                             struct error *e)
{
	struct json_iter it = json_iter(row);
	struct json value;
	struct str key;

	if (json_type(row) != JSON_OBJ || !is_name(t->name))
		return wrong(e, t, STR(""),
		             "a name of at most 32 characters a-z, 0-9, - and _, with an object");
	while (json_next(&it, &key, &value))
		if (read_member(mem, t, key, value, e) != OK)
			return e->code;
	if (secrets_fault(t))
		return wrong(e, t, STR("the secret"), secrets_fault(t));
	if (!json_is(JSON_GET(row, "signature")) || !str_is(t->secrets.current) ||
	    !str_is(t->prompt))
		return wrong(e, t, STR(""), "signature, secret_env and prompt are needed");
	if (str_is(t->cwd) && t->cwd.ptr[0] != '/')
		return wrong(e, t, STR("cwd"), "is an absolute path");
	return OK;
}

enum err trigger_settings_read(struct arena *mem, struct json rows,
                               const struct serve_trigger **ret, size_t *ret_count, struct error *e)
{
	struct serve_trigger *all;
	struct json_iter it;
	struct json row;
	struct str name;
	size_t count = 0;

	*ret = NULL;
	*ret_count = 0;
	if (!json_is(rows))
		return OK;
	if (json_type(rows) != JSON_OBJ || json_count(rows) > TRIGGERS_MAX)
		return fail(e, ERR_INVALID, "triggers: an object with at most %d members is wanted",
		            TRIGGERS_MAX);
	all = ARENA_ARRAY(mem, struct serve_trigger, json_count(rows) + 1);
	it = json_iter(rows);
	while (json_next(&it, &name, &row)) {
		all[count].name = arena_keep(mem, name);
		if (read_trigger(mem, &all[count], row, e) != OK)
			return e->code;
		count++;
	}
	*ret = all;
	*ret_count = count;
	return OK;
}

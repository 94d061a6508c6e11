/*
 * Puts changed values into the text of recorded settings and reads the result.
 */
#include "core/settings/settings_change.h"

#include "base/jw.h"
#include "catalog/setting_value.h"
#include "core/settings/model_prices.h"
#include "core/settings/settings_read.h"
#include "core/settings/settings_text.h"

#define DEPTH_MAX 4

/* Settings that have another name in the record.  All others have their own, in `config`. */
static const struct place {
	const char *key, *group, *name; /* group "": at the top */
} places[] = {
	{ "model", "", "model" },
	{ "routing.retry_wait_max_ms", "", "retryWaitMaxMs" },
	{ "routing.retry_budget_ms", "", "retryBudgetMs" },
	{ "queue.on_busy", "", "onBusy" },
	{ "budget.request_usd", "caps", "request" },
	{ "budget.turn_usd", "caps", "turn" },
	{ "budget.task_usd", "caps", "task" },
	{ "budget.session_usd", "caps", "session" },
	{ "budget.day_usd", "caps", "day" },
	{ "budget.tenant_usd", "caps", "tenant" },
	{ "budget.overrun", "caps", "overrun" },
	{ "budget.low_percent", "caps", "lowPercent" },
	{ "limits.tasks_session", "tasks", "session" },
	{ "limits.tasks_tenant", "tasks", "tenant" },
	{ "limits.tasks_runtime", "tasks", "runtime" },
};

struct changed_value {
	struct changed_value *next;
	struct str group, name;
	struct json value;
};

struct settings_change {
	struct changed_value *values;
	struct json prices; /* the table; absent: those of the record */
};

/* ---- the file ---- */

/* context.compact_percent is contextCompactPercent in the record. */
static struct str camel_of(struct arena *mem, struct str key)
{
	struct buf out = { 0 };
	bool is_upper = false;

	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];

		if (c == '.' || c == '_') {
			is_upper = true;
			continue;
		}
		buf_add_char(&out, is_upper && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
		is_upper = false;
	}
	key = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return key;
}

static bool is_recorded(struct str name)
{
	for (uint32_t i = 0; i < settings_config_desc.count; i++)
		if (str_eq(field_name(&settings_config_desc.fields[i]), name))
			return true;
	return false;
}

/* Recorded, but no decision that a replay compares depends on them. */
static bool has_no_effect(struct str key)
{
	static const char *const keys[] = { "sandbox.env", "output.keep_days", "evidence.keep_days",
		                            "trace" };

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_eq(key, str_from(keys[i])))
			return true;
	return false;
}

static bool find_place(struct arena *mem, struct str key, struct changed_value *ret)
{
	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (str_eq(key, str_from(places[i].key))) {
			ret->group = str_from(places[i].group);
			ret->name = str_from(places[i].name);
			return true;
		}
	ret->group = STR("config");
	ret->name = camel_of(mem, key);
	return is_recorded(ret->name);
}

static enum err check_prices(struct arena *mem, struct json prices, struct error *e)
{
	struct json_iter it = json_iter(prices);
	struct str key;
	struct json v;
	enum err code = OK;

	while (!code && json_next(&it, &key, &v)) {
		struct str model = key, provider = str_cut(&model, '/');
		struct model_info m = { .provider = provider, .model = model }, out;

		code = str_is(model) ? model_prices_take(mem, prices, &m, &out, e)
		                     : fail(e, ERR_INVALID, "prices: %.*s is no PROVIDER/MODEL",
		                            STR_ARG(key));
	}
	return code;
}

static enum err take_value(struct arena *mem, struct settings_change *c, struct str key,
                           struct json v, struct error *e)
{
	ptrdiff_t at = setting_value_find(key);
	struct changed_value *value = ARENA_NEW(mem, struct changed_value);

	if (at < 0)
		return fail(e, ERR_INVALID, "there is no setting %.*s", STR_ARG(key));
	if (!setting_value_fits(&settings[at], v) || !setting_value_in_bounds(&settings[at], v))
		return fail(e, ERR_INVALID, "%.*s cannot have this value", STR_ARG(key));
	if (str_eq(key, STR("prices"))) {
		c->prices = v;
		return check_prices(mem, v, e);
	}
	if (has_no_effect(key) || !find_place(mem, key, value))
		return fail(e, ERR_INVALID,
		            "%.*s is not one of the settings that a replay can change",
		            STR_ARG(key));
	value->value = v;
	value->next = c->values;
	c->values = value;
	return OK;
}

/* An object whose path is no setting is a group of them. */
static enum err take_object(struct arena *mem, struct settings_change *c, struct str prefix,
                            struct json obj, int depth, struct error *e)
{
	struct json_iter it = json_iter(obj);
	struct str key;
	struct json v;
	enum err code = OK;

	while (!code && json_next(&it, &key, &v)) {
		struct str full =
			prefix.len ? arena_printf(mem, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(key))
				   : key;

		code = json_type(v) == JSON_OBJ && setting_value_find(full) < 0 && depth < DEPTH_MAX
		               ? take_object(mem, c, full, v, depth + 1, e)
		               : take_value(mem, c, full, v, e);
	}
	return code;
}

enum err settings_change_read(struct arena *mem, struct json file, struct settings_change **ret,
                              struct error *e)
{
	*ret = ARENA_NEW(mem, struct settings_change);
	if (json_type(file) != JSON_OBJ)
		return fail(e, ERR_INVALID, "settings are an object");
	return take_object(mem, *ret, STR(""), file, 0, e);
}

/* ---- the record ---- */

static const struct changed_value *find_value(const struct settings_change *c, struct str group,
                                              struct str name)
{
	for (const struct changed_value *v = c->values; v; v = v->next)
		if (str_eq(v->group, group) && str_eq(v->name, name))
			return v;
	return NULL;
}

static void put_value(struct json_writer *w, const struct changed_value *v)
{
	jw_key(w, v->name);
	jw_value(w, v->value);
}

/* Writes an object of the record with its changed members; what it did not have comes last. */
static void put_object(struct json_writer *w, const struct settings_change *c, struct str group,
                       struct json obj, int depth)
{
	struct json_iter it = json_iter(obj);
	struct json each;
	struct str name;

	jw_obj(w);
	while (json_next(&it, &name, &each)) {
		if (find_value(c, group, name))
			continue;
		jw_key(w, name);
		if (!depth && json_type(each) == JSON_OBJ)
			put_object(w, c, name, each, 1);
		else
			jw_value(w, each);
	}
	for (const struct changed_value *v = c->values; v; v = v->next)
		if (str_eq(v->group, group))
			put_value(w, v);
	jw_obj_end(w);
}

static enum err change_text(struct arena *mem, const struct settings_change *c, struct str record,
                            struct str *ret, struct error *e)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct json doc;
	enum err code = json_read(mem, record, &doc, e);

	if (code != OK)
		return code;
	jw_init(&w, &out);
	put_object(&w, c, STR(""), doc, 0);
	*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return OK;
}

static bool has_price(struct arena *mem, struct json prices, const struct model_info *m)
{
	return json_is(json_get(
		prices, arena_printf(mem, "%.*s/%.*s", STR_ARG(m->provider), STR_ARG(m->model))));
}

static enum err change_prices(struct arena *mem, struct json prices, struct settings *s,
                              struct error *e)
{
	struct model_info *models = ARENA_ARRAY(mem, struct model_info, s->model_count + 1);
	enum err code = OK;

	for (size_t i = 0; !code && i < s->model_count; i++) {
		struct model_info bare = s->models[i];

		models[i] = bare;
		bare.price_count = 0; /* the table replaces every price, whatever its day */
		if (has_price(mem, prices, &bare))
			code = model_prices_take(mem, prices, &bare, &models[i], e);
	}
	s->models = models;
	return code;
}

enum err settings_change_apply(struct arena *mem, const struct settings_change *change,
                               struct str record, struct str rules, struct settings *ret,
                               struct error *e)
{
	struct str text = record;
	enum err code = change && change->values ? change_text(mem, change, record, &text, e) : OK;

	if (!code)
		code = settings_read(mem, text, rules, ret, e);
	if (code || !change)
		return code;
	ret->config_ref = settings_text_ref(mem, record);
	if (ret->environment)
		((struct rec_execution_environment *)ret->environment)->env_ref = ret->config_ref;
	if (!json_is(change->prices))
		return OK;
	code = change_prices(mem, change->prices, ret, e);
	if (code)
		settings_read_done(ret);
	return code;
}

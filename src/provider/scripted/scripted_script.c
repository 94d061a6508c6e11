/*
 * Reads a whole script: checks the version first, because another version has
 * other keys, then rules, tools and defaults.
 */
#include "provider/gen/question_table.h"
#include "provider/scripted/scripted_read.h"

#include "base/os/clock.h"

#include <stdio.h>

#define VERSION 1

/* Was looked at before anything else: another version has other keys. */
static enum err read_version(struct script_reader *r, struct json v, const struct script_key *k,
                             void *into)
{
	(void)r;
	(void)v;
	(void)k;
	(void)into;
	return OK;
}

/* Before all other keys: a message about an unknown key of a newer version would mislead. */
static enum err check_version(struct json root, struct error *e)
{
	struct json version = JSON_GET(root, "version");

	if (json_type(root) != JSON_OBJ)
		return fail(e, ERR_INVALID, "the script: expected an object");
	if (!json_is(version))
		return fail(e, ERR_INVALID, "the script: version is missing; write \"version\": 1");
	if (json_int(version, 0) != VERSION)
		return fail(e, ERR_INVALID, "version: expected %d, the only one known here",
		            VERSION);
	return OK;
}

static enum err read_price(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	double n = json_real(v, -1);

	(void)k;
	if (!(n >= 0 && n <= 1000000))
		return scripted_read_wrong(r, v, "a number of dollars from 0 to 1000000");
	*(int64_t *)into = json_nano(v, 0);
	return OK;
}

static enum err read_date(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	enum err err = scripted_read_str(r, v, k, into);
	char whole_day[40];
	int64_t ms;

	if (err)
		return err;
	snprintf(whole_day, sizeof whole_day, "%.*sT00:00:00Z", STR_ARG(json_str(v)));
	if (!clock_time_read(json_str(v), &ms) && !clock_time_read(str_from(whole_day), &ms))
		return scripted_read_wrong(
			r, v, "a date such as 2026-01-31, or a date and time of RFC 3339");
	return OK;
}

#define DOLLAR (int64_t)1000000000

/* The price of a model for which the script names none, and of what a named price leaves out. */
static const struct model_price default_price = {
	.from = STR("2026-01-01"),
	.input = 3 * DOLLAR,
	.cached_input = 3 * DOLLAR / 10,
	.cache_write = 3 * DOLLAR,
	.output = 15 * DOLLAR,
	.source = PRICE_SOURCE_SCRIPT,
};

static const struct script_key price_keys[] = {
	KEY("inputPerMTok", read_price, AT(model_price, input)),
	KEY("cachedInputPerMTok", read_price, AT(model_price, cached_input)),
	KEY("cacheWritePerMTok", read_price, AT(model_price, cache_write)),
	KEY("outputPerMTok", read_price, AT(model_price, output)),
	KEY("effectiveFrom", read_date, AT(model_price, from), .min = 1, .max = 30),
	{ 0 },
};

/* "unknown" tries how budgets treat a model without a price. */
static enum err read_prices(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	struct model_info *m = into;

	(void)k;
	if (str_eq(json_str(v), STR("unknown"))) {
		m->price_count = 0;
		return OK;
	}
	if (json_type(v) != JSON_OBJ)
		return scripted_read_wrong(r, v, "an object or \"unknown\"");

	struct model_price *price = ARENA_NEW(r->mem, struct model_price);
	enum err err;

	*price = default_price;
	err = scripted_read_members(r, v, price_keys, price);
	if (!json_is(JSON_GET(v, "cacheWritePerMTok")))
		price->cache_write = price->input;
	m->prices = price;
	m->price_count = 1;
	return err;
}

/* ---- several models ---- */

static void model_defaults(struct model_info *m);

static const struct script_key model_keys[] = {
	KEY("provider", scripted_read_name, AT(model_info, provider), .min = 1, .max = 63),
	KEY("model", scripted_read_str, AT(model_info, model), .min = 1, .max = 128),
	KEY("price", read_prices, 0),
	KEY("capabilities", scripted_read_words, AT(model_info, capabilities), .min = 0, .max = 32),
	KEY("windowTokens", scripted_read_int, AT(model_info, window_tokens), .min = 1,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("maxOutputTokens", scripted_read_int, AT(model_info, max_output_tokens), .min = 1,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("efforts", scripted_read_str, AT(model_info, efforts), .min = 1, .max = 64),
	KEY("credential", scripted_read_bool, AT(model_info, has_credential)),
	KEY("local", scripted_read_bool, AT(model_info, is_local)),
	{ 0 },
};

static enum err read_model(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	(void)k;
	model_defaults(into);
	return scripted_read_members(r, v, model_keys, into);
}

static bool is_twice(const struct script *s, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_eq(s->models[i].provider, s->models[at].provider) &&
		    str_eq(s->models[i].model, s->models[at].model))
			return true;
	return false;
}

static enum err read_models(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	struct script *s = into;
	void *items = NULL;
	enum err err = scripted_read_items(r, v, k, sizeof *s->models, read_model, &items,
	                                   &s->model_count);

	if (err)
		return err;
	s->models = items;
	for (size_t i = 0; i < s->model_count; i++)
		if (is_twice(s, i))
			return scripted_read_bad(r, "two models have the same provider and name");
	return OK;
}

static const struct script_key script_keys[] = {
	KEY("version", read_version, 0),
	KEY("model", scripted_read_str, AT(script, model.model), .min = 1, .max = 128),
	KEY("price", read_prices, AT(script, model)),
	KEY("capabilities", scripted_read_words, AT(script, model.capabilities), .min = 0,
	    .max = 32),
	KEY("windowTokens", scripted_read_int, AT(script, model.window_tokens), .min = 1,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("maxOutputTokens", scripted_read_int, AT(script, model.max_output_tokens), .min = 1,
	    .max = SCRIPT_TOKENS_MAX),
	KEY("models", read_models, 0, .min = 1, .max = 64),
	KEY("enforceWindow", scripted_read_bool, AT(script, enforces_window)),
	KEY("rules", scripted_rule_read_rules, 0, .min = 0, .max = 10000),
	KEY("tools", scripted_tool_read_tools, 0, .min = 0, .max = 256),
	KEY("default", scripted_rule_read_default, AT(script, otherwise)),
	{ 0 },
};

/* A plausible model with prices, so that a script needs none of these keys. */
static void model_defaults(struct model_info *m)
{
	*m = (struct model_info){
		.provider = STR("scripted"),
		.model = STR("demo"),
		.capabilities = STR("[\"tool_use\",\"reasoning\",\"structured_output\"]"),
		.prices = &default_price,
		.price_count = 1,
		.window_tokens = 200000,
		.max_output_tokens = 8192,
		.has_credential = true,
		.is_local = true,
	};
}

/* One model, said by the script's own keys, or a list of them: not both. */
static enum err settle_models(struct script *s, struct json root, struct error *e)
{
	static const char *const alone[] = { "model", "price", "capabilities", "windowTokens",
		                             "maxOutputTokens" };

	for (size_t i = 0; s->models && i < COUNT_OF(alone); i++)
		if (json_is(json_get(root, str_from(alone[i]))))
			return fail(
				e, ERR_INVALID,
				"the script: %s belongs to one of the models when they are listed",
				alone[i]);
	if (!s->models) {
		s->model.is_stand_in = true;
		s->models = &s->model;
		s->model_count = 1;
	}
	return OK;
}

/* Comments are allowed (json_read_config()), because scripts are written by people. */
enum err scripted_script_read(struct arena *mem, struct str text, struct script **ret,
                              struct error *e)
{
	struct script_reader r = { .mem = mem, .e = e };
	struct script *s = ARENA_NEW(mem, struct script);
	struct json root;
	enum err err;

	if (text.len > SCRIPT_TEXT_MAX)
		return fail(e, ERR_TOO_LARGE, "the script: %zu bytes are more than %d", text.len,
		            SCRIPT_TEXT_MAX);
	err = json_read_config(mem, text, &root, e);
	if (!err)
		err = check_version(root, e);
	if (err)
		return err;
	model_defaults(&s->model);
	s->tools = ARENA_NEW(mem, struct tool_info);
	s->tool_count = 1;
	err = scripted_read_members(&r, root, script_keys, s);
	if (!err)
		err = settle_models(s, root, e);
	if (err)
		return err;
	s->tools[0] = question_table[0]; /* ask_user is first; the script's own follow */
	s->times_count = r.times_count;
	*ret = s;
	return OK;
}

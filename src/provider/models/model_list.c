/*
 * Which models a provider offers: settings, rows of the catalogue, the server's
 * own list, and names that were asked for.
 *
 * Servers list models in a few shapes; members that tell the window, the output
 * limit, prices and modalities are read where they are known.
 */
#include "provider/models/model_list.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "provider/gen/providers_table.h"

#include <stdlib.h>

#define NAME_MAX_BYTES 256
#define NANO_PER_MTOK 1e15 /* from dollars a token to 1e-9 dollars a million tokens */
#define PRICE_MAX 1e3      /* dollars a token; anything above is no price */

/* ---- rows ---- */

static const struct providers_model *find_row(struct str provider, struct str model)
{
	for (size_t i = 0; i < COUNT_OF(providers_models); i++)
		if (str_eq(providers_models[i].provider, provider) &&
		    str_eq(providers_models[i].model, model))
			return &providers_models[i];
	return NULL;
}

/* What may follow a row's name in the names of a cloud: -20260101-v1:0, @20260101, -v1. */
static bool is_version(struct str rest)
{
	return !rest.len || str_starts(rest, STR("-20")) || str_starts(rest, STR("-v")) ||
	       str_starts(rest, STR("@"));
}

/* A model that a cloud offers is known by its vendor's row: us.anthropic.claude-x-20260101-v1:0. */
static const struct providers_model *find_vendor_row(struct str model)
{
	ptrdiff_t at = str_find(model, STR("anthropic."));

	if (at >= 0)
		model = str_skip(model, (size_t)at + 10);
	for (size_t i = 0; i < COUNT_OF(providers_models); i++) {
		const struct providers_model *row = &providers_models[i];

		if ((str_eq(row->provider, STR("anthropic")) ||
		     str_eq(row->provider, STR("gemini"))) &&
		    str_starts(model, row->model) && is_version(str_skip(model, row->model.len)))
			return row;
	}
	return NULL;
}

/* The row that tells about a model; is_own: its price holds, too. */
static const struct providers_model *row_about(const struct model_list *l, struct str model,
                                               bool *ret_is_own)
{
	const struct providers_model *row = find_row(l->provider, model);

	*ret_is_own = row != NULL;
	return row || !l->is_by_request ? row : find_vendor_row(model);
}

static struct str words_of(bool sees, bool reasons)
{
	if (sees)
		return reasons ? STR("[\"tool_use\",\"structured_output\",\"vision\","
		                     "\"reasoning\"]")
		               : STR("[\"tool_use\",\"structured_output\",\"vision\"]");
	return reasons ? STR("[\"tool_use\",\"structured_output\",\"reasoning\"]")
	               : STR("[\"tool_use\",\"structured_output\"]");
}

static void set_price(struct model_list *l, struct model_info *m, struct model_price price)
{
	struct model_price *kept = ARENA_NEW(l->mem, struct model_price);

	*kept = price;
	m->prices = kept;
	m->price_count = 1;
}

static struct model_price price_of(const struct providers_model *row)
{
	return (struct model_price){ .from = row->date,
		                     .input = row->input,
		                     .cached_input = row->cached_input,
		                     .cache_write = row->cache_write,
		                     .output = row->output_price,
		                     .above_tokens = row->above_tokens,
		                     .above_input = row->above_input,
		                     .above_cached_input = row->above_cached_input,
		                     .above_cache_write = row->above_cache_write,
		                     .above_output = row->above_output,
		                     .source = PRICE_SOURCE_CATALOG };
}

/* A price counts only for the provider that asks it. */
static void take_row(struct model_list *l, const struct providers_model *row, bool is_own,
                     struct model_info *m)
{
	m->window_tokens = row->window;
	m->max_output_tokens = MIN(row->output, LIMIT_OUTPUT_TOKENS);
	m->efforts = row->efforts;
	m->reasons = row->reasons;
	m->capabilities = words_of(row->sees, row->reasons);
	if (is_own)
		set_price(l, m, price_of(row));
}

/* What is known about a model of this name without its server. */
static struct model_info known_of(struct model_list *l, struct str model)
{
	bool is_own;
	const struct providers_model *row = row_about(l, model, &is_own);
	struct model_info m = { .provider = l->provider,
		                .model = arena_keep(l->mem, model),
		                .capabilities = words_of(false, false),
		                .is_local = l->is_local };

	if (row)
		take_row(l, row, is_own, &m);
	else if (l->is_local)
		set_price(l, &m, (struct model_price){ .source = PRICE_SOURCE_CATALOG });
	return m;
}

static void add(struct model_list *l, struct model_info m)
{
	if (l->count == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->items = arena_grow(l->mem, l->items, l->count * sizeof *l->items,
		                      cap * sizeof *l->items);
		l->cap = cap;
	}
	m.by_request_only = l->is_open && (l->count || l->is_by_request);
	l->items[l->count++] = m;
	l->version++;
}

static void add_rows(struct model_list *l)
{
	for (size_t i = 0; i < COUNT_OF(providers_models); i++)
		if (str_eq(providers_models[i].provider, l->provider))
			add(l, known_of(l, providers_models[i].model));
}

void model_list_init(struct model_list *l, struct arena *mem, struct str provider,
                     const struct model_info *given, size_t count, bool is_open)
{
	*l = (struct model_list){ .mem = mem, .provider = provider, .is_open = is_open };
	for (size_t i = 0; i < count; i++)
		add(l, given[i]);
	if (is_open)
		add_rows(l);
}

const struct model_info *model_list_find(const struct model_list *l, struct str model)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->items[i].model, model))
			return &l->items[i];
	return NULL;
}

bool model_list_admit(struct model_list *l, struct str model)
{
	if (model_list_find(l, model))
		return true;
	if (!l->is_open || l->count >= LIMIT_MODELS_LISTED || !model.len ||
	    model.len > NAME_MAX_BYTES)
		return false;
	add(l, known_of(l, model));
	return true;
}

/* ---- a server's list ---- */

/* A key may end with a star: servers call the window context_length, context_window and so on. */
static bool is_key(struct str name, struct str key)
{
	return str_ends(key, STR("*")) ? str_starts(name, str_head(key, key.len - 1))
	                               : str_eq(name, key);
}

static int64_t first_int(struct json v, const char *const *keys)
{
	for (; *keys; keys++) {
		struct json_iter it = json_iter(v);
		struct json member;
		struct str name;

		while (json_type(v) == JSON_OBJ && json_next(&it, &name, &member)) {
			int64_t n = json_int(member, 0);

			if (is_key(name, str_from(*keys)) && n > 0 && n <= INT32_MAX)
				return n;
		}
	}
	return 0;
}

/* OpenRouter writes dollars a token as text; -1: not known. */
static int64_t price_at(struct json pricing, const char *key)
{
	struct str text = json_str(json_get(pricing, str_from(key)));
	char number[64];
	double usd;

	if (!text.len || text.len >= sizeof number)
		return -1;
	memcpy(number, text.ptr, text.len);
	number[text.len] = 0;
	usd = strtod(number, NULL);
	return usd >= 0 && usd < PRICE_MAX ? (int64_t)(usd * NANO_PER_MTOK + 0.5) : -1;
}

static void take_pricing(struct model_list *l, struct json pricing, struct model_info *m)
{
	struct model_price p = { .input = price_at(pricing, "prompt"),
		                 .output = price_at(pricing, "completion"),
		                 .cached_input = price_at(pricing, "input_cache_read"),
		                 .cache_write = price_at(pricing, "input_cache_write"),
		                 .source = PRICE_SOURCE_PROVIDER };

	if (p.input < 0 || p.output < 0)
		return;
	p.cached_input = p.cached_input < 0 ? p.input : p.cached_input;
	p.cache_write = p.cache_write < 0 ? p.input : p.cache_write;
	set_price(l, m, p);
}

static bool has_word(struct json list, struct str word)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (str_eq(json_str(each), word))
			return true;
	return false;
}

/* Its server knows best, except about the window of a row, which ends where the price rises. */
static void take_details(struct model_list *l, struct json v, struct model_info *m)
{
	static const char *const windows[] = { "context_*",        "max_context_length",
		                               "max_model_len",    "inputTokenLimit",
		                               "max_input_tokens", NULL };
	static const char *const outputs[] = { "max_completion_tokens", "outputTokenLimit",
		                               "max_tokens", NULL };
	struct json modalities = JSON_GET(JSON_GET(v, "architecture"), "input_modalities");
	struct json top = JSON_GET(v, "top_provider");
	int64_t output = MAX(first_int(v, outputs), first_int(top, outputs));
	bool sees = has_word(modalities, STR("image")) ||
	            json_bool(JSON_GET(JSON_GET(v, "capabilities"), "vision"), false);
	bool is_own;

	if (row_about(l, m->model, &is_own))
		return;
	m->window_tokens = first_int(v, windows);
	m->max_output_tokens = MIN(output, LIMIT_OUTPUT_TOKENS);
	m->reasons = has_word(JSON_GET(v, "supported_parameters"), STR("reasoning"));
	m->capabilities = words_of(sees, m->reasons);
	take_pricing(l, JSON_GET(v, "pricing"), m);
}

/* Lists name models of every kind; these words mark those that hold no conversation. */
static bool holds_conversation(struct json v, struct str name)
{
	static const struct str others[] = {
		STR("embed"),      STR("whisper"),    STR("tts"),     STR("dall-e"),
		STR("moderation"), STR("transcribe"), STR("-image"),  STR("realtime"),
		STR("sora"),       STR("babbage"),    STR("davinci"), STR("rerank"),
		STR("ocr"),        STR("-audio"),
	};
	struct json methods = JSON_GET(v, "supportedGenerationMethods");

	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (str_find(name, others[i]) >= 0)
			return false;
	return !json_is(methods) || has_word(methods, STR("generateContent"));
}

/* "models/gemini-x" is gemini-x. */
static struct str name_of(struct json v)
{
	static const struct str keys[] = { STR("id"), STR("inferenceProfileId"), STR("modelId"),
		                           STR("name") };
	struct str name = STR("");

	for (size_t i = 0; !name.len && i < COUNT_OF(keys); i++)
		name = json_str(json_get(v, keys[i]));
	return str_starts(name, STR("models/")) ? str_skip(name, 7) : name;
}

/* A row without a date stands for the newest dated one: claude-x for claude-x-20260101. */
static bool is_listed(const struct model_list *fresh, struct str model)
{
	for (size_t i = 0; i < fresh->count; i++) {
		struct str name = fresh->items[i].model;

		if (str_eq(name, model) ||
		    (str_starts(name, model) && str_starts(str_skip(name, model.len), STR("-20"))))
			return true;
	}
	return false;
}

static struct json list_in(struct json listed)
{
	static const struct str keys[] = { STR("data"), STR("models"),
		                           STR("inferenceProfileSummaries"),
		                           STR("modelSummaries") };

	for (size_t i = 0; json_type(listed) != JSON_ARR && i < COUNT_OF(keys); i++)
		if (json_type(json_get(listed, keys[i])) == JSON_ARR)
			return json_get(listed, keys[i]);
	return listed;
}

/* Rows that are listed come first, in their order: the default stays the default. */
static void replace(struct model_list *l, const struct model_list *fresh)
{
	struct model_list out = *l;

	out.items = NULL;
	out.count = out.cap = 0;
	for (size_t i = 0; i < COUNT_OF(providers_models); i++)
		if (str_eq(providers_models[i].provider, l->provider) &&
		    is_listed(fresh, providers_models[i].model))
			add(&out, known_of(&out, providers_models[i].model));
	for (size_t i = 0; i < fresh->count; i++)
		if (!model_list_find(&out, fresh->items[i].model))
			add(&out, fresh->items[i]);
	for (size_t i = 0; i < l->count; i++) /* what was asked for may be in use */
		if (!model_list_find(&out, l->items[i].model) &&
		    !find_row(l->provider, l->items[i].model))
			add(&out, l->items[i]);
	*l = out;
}

static enum err take_list(struct model_list *fresh, struct json listed, struct error *e)
{
	struct json list = list_in(listed), v;
	struct json_iter it = json_iter(list);
	struct str key;

	if (json_type(list) != JSON_ARR)
		return fail(e, ERR_INVALID, "the answer is no list of models");
	while (fresh->count < LIMIT_MODELS_LISTED && json_next(&it, &key, &v)) {
		struct str name = name_of(v);
		struct model_info m;

		if (!name.len || name.len > NAME_MAX_BYTES || !holds_conversation(v, name) ||
		    model_list_find(fresh, name))
			continue;
		m = known_of(fresh, name);
		take_details(fresh, v, &m);
		add(fresh, m);
	}
	return OK;
}

enum err model_list_take(struct model_list *l, const struct json *lists, size_t count,
                         struct error *e)
{
	struct model_list fresh = { .mem = l->mem,
		                    .provider = l->provider,
		                    .is_local = l->is_local,
		                    .is_by_request = l->is_by_request };
	enum err err = OK;

	for (size_t i = 0; !err && i < count; i++)
		err = take_list(&fresh, lists[i], e);
	if (!err && l->is_open && fresh.count)
		replace(l, &fresh);
	return err;
}

/* ---- between runs ---- */

static void write_price(struct json_writer *w, const struct model_price *p)
{
	JW_KEY(w, "price");
	jw_obj(w);
	JW_KINT(w, "input", p->input);
	JW_KINT(w, "cachedInput", p->cached_input);
	JW_KINT(w, "cacheWrite", p->cache_write);
	JW_KINT(w, "output", p->output);
	jw_obj_end(w);
}

void model_list_write(const struct model_list *l, struct str base_url, struct buf *out)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "version", 1);
	JW_KSTR(&w, "baseUrl", base_url);
	JW_KEY(&w, "models");
	jw_arr(&w);
	for (size_t i = 0; i < l->count; i++) {
		const struct model_info *m = &l->items[i];

		jw_obj(&w);
		JW_KSTR(&w, "model", m->model);
		JW_KINT(&w, "windowTokens", m->window_tokens);
		JW_KINT(&w, "maxOutputTokens", m->max_output_tokens);
		JW_KBOOL(&w, "reasons", m->reasons);
		JW_KBOOL(&w, "sees", str_find(m->capabilities, STR("vision")) >= 0);
		if (m->price_count && m->prices[0].source == PRICE_SOURCE_PROVIDER)
			write_price(&w, m->prices);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
}

static void read_kept(struct model_list *l, struct json v, struct model_info *m)
{
	struct json price = JSON_GET(v, "price");
	bool is_own;

	*m = known_of(l, json_str(JSON_GET(v, "model")));
	if (row_about(l, m->model, &is_own))
		return;
	m->window_tokens = json_int(JSON_GET(v, "windowTokens"), 0);
	m->max_output_tokens = json_int(JSON_GET(v, "maxOutputTokens"), 0);
	m->reasons = json_bool(JSON_GET(v, "reasons"), false);
	m->capabilities = words_of(json_bool(JSON_GET(v, "sees"), false), m->reasons);
	if (json_is(price))
		set_price(l, m,
		          (struct model_price){
				  .input = json_int(JSON_GET(price, "input"), 0),
				  .cached_input = json_int(JSON_GET(price, "cachedInput"), 0),
				  .cache_write = json_int(JSON_GET(price, "cacheWrite"), 0),
				  .output = json_int(JSON_GET(price, "output"), 0),
				  .source = PRICE_SOURCE_PROVIDER });
}

bool model_list_read(struct model_list *l, struct str base_url, struct str text)
{
	struct model_list fresh = { .mem = l->mem,
		                    .provider = l->provider,
		                    .is_local = l->is_local,
		                    .is_by_request = l->is_by_request };
	struct json doc, v;
	struct str key;

	if (!l->is_open || json_read(l->mem, text, &doc, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(doc, "baseUrl")), base_url))
		return false;
	struct json_iter it = json_iter(JSON_GET(doc, "models"));

	while (fresh.count < LIMIT_MODELS_LISTED && json_next(&it, &key, &v)) {
		struct model_info m;

		if (!json_str(JSON_GET(v, "model")).len)
			continue;
		read_kept(l, v, &m);
		add(&fresh, m);
	}
	if (fresh.count)
		replace(l, &fresh);
	return fresh.count > 0;
}

/*
 * The models of the settings: taken into the setup with their prices, and
 * listed for whoever asks what can be used now.
 */
#include "base/clock.h"
#include "core/budget.h"
#include "core/route.h"
#include "engine/internal.h"

#include <stdlib.h>

/* ---- prices ---- */

static enum price_source price_source_of(struct str word)
{
	enum price_source s = enum_read(&enum_price_source, word);

	return s ? s : PRICE_SOURCE_TABLE;
}

/* A date means its first moment, in UTC. */
static bool read_day(struct str text, int64_t *ret)
{
	char whole[40];

	if (time_read(text, ret))
		return true;
	if (text.len != 10)
		return false;
	memcpy(whole, text.ptr, 10);
	memcpy(whole + 10, "T00:00:00Z", sizeof "T00:00:00Z");
	return time_read(str_from(whole), ret);
}

static bool take_price(struct json v, const char *key, int64_t otherwise, int64_t *ret)
{
	struct json n = json_get(v, str_from(key));

	if (!json_is(n)) {
		*ret = otherwise;
		return otherwise >= 0;
	}
	*ret = json_nano(n, -1);
	return *ret >= 0;
}

static enum err read_price(struct str name, struct json v, struct setup_price *ret,
                           struct error *err)
{
	struct str from = json_str(JSON_GET(v, "effectiveFrom"));

	*ret = (struct setup_price){ .source = PRICE_SOURCE_TABLE, .from = from };
	if (json_type(v) != JSON_OBJ || !take_price(v, "inputPerMTok", -1, &ret->input) ||
	    !take_price(v, "outputPerMTok", -1, &ret->output) ||
	    !take_price(v, "cachedInputPerMTok", ret->input, &ret->cached_input) ||
	    !take_price(v, "cacheWritePerMTok", ret->input, &ret->cache_write))
		return fail(err, ERR_INVALID,
		            "prices: %.*s: wants inputPerMTok and outputPerMTok in dollars",
		            STR_ARG(name));
	if (str_is(from) && !read_day(from, &ret->from_ms))
		return fail(err, ERR_INVALID, "prices: %.*s: effectiveFrom is not a date",
		            STR_ARG(name));
	return OK;
}

static int by_start(const void *a, const void *b)
{
	const struct setup_price *x = a, *y = b;

	return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

/* The provider's own price, then the table's; of the same day the table's holds. */
static enum err take_prices(struct engine *e, const struct model_info *info, struct setup_model *m,
                            struct error *err)
{
	struct str name =
		arena_printf(e->mem, "%.*s/%.*s", STR_ARG(info->provider), STR_ARG(info->model));
	struct json table = json_get(e->settings.prices, name);
	bool is_list = json_type(table) == JSON_ARR;
	size_t rows = is_list ? json_count(table) : json_is(table);
	struct setup_price *out = ARENA_ARRAY(e->mem, struct setup_price, rows + 1);
	struct json_iter it = json_iter(table);
	struct str key;
	struct json row;
	enum err code = OK;

	if (info->priced) {
		out[m->price_count] = (struct setup_price){
			.from = info->price_from,
			.input = info->input_per_mtok,
			.cached_input = info->cached_input_per_mtok,
			.cache_write = info->cache_write_per_mtok,
			.output = info->output_per_mtok,
			.source = price_source_of(info->price_source),
		};
		if (str_is(info->price_from) &&
		    !read_day(info->price_from, &out[m->price_count].from_ms))
			out[m->price_count].from_ms = 0;
		m->price_count++;
	}
	if (json_is(table) && !is_list)
		code = read_price(name, table, &out[m->price_count++], err);
	while (!code && is_list && json_next(&it, &key, &row))
		code = read_price(name, row, &out[m->price_count++], err);
	qsort(out, m->price_count, sizeof *out, by_start);
	m->prices = out;
	return code;
}

/* ---- the setup ---- */

enum err take_models(struct engine *e, struct error *err)
{
	struct setup_model *out;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;

		total += e->ports.providers[i]->ops->models(e->ports.providers[i], &infos);
	}
	out = ARENA_ARRAY(e->mem, struct setup_model, total + 1);
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;
		size_t count = e->ports.providers[i]->ops->models(e->ports.providers[i], &infos);

		for (size_t n = 0; n < count; n++, at++) {
			out[at] = (struct setup_model){
				.provider = infos[n].provider,
				.model = infos[n].model,
				.base_url = infos[n].base_url,
				.capabilities = infos[n].capabilities,
				.window_tokens = infos[n].window_tokens,
				.max_output_tokens = infos[n].max_output_tokens,
				.timeout_ms = infos[n].timeout_ms,
				.has_credential = infos[n].has_credential,
				.is_local = infos[n].is_local,
				.by_name_only = infos[n].by_name_only,
			};
			enum err code = take_prices(e, &infos[n], &out[at], err);

			if (code)
				return code;
		}
	}
	e->setup.models = out;
	e->setup.model_count = total;
	return OK;
}

void write_prices(struct json_writer *w, const struct setup_model *m)
{
	JW_KEY(w, "prices");
	jw_arr(w);
	for (size_t i = 0; i < m->price_count; i++) {
		jw_obj(w);
		JW_KOPT(w, "effectiveFrom", m->prices[i].from);
		JW_KEY(w, "inputPerMTok");
		jw_nano(w, m->prices[i].input);
		JW_KEY(w, "cachedInputPerMTok");
		jw_nano(w, m->prices[i].cached_input);
		JW_KEY(w, "cacheWritePerMTok");
		jw_nano(w, m->prices[i].cache_write);
		JW_KEY(w, "outputPerMTok");
		jw_nano(w, m->prices[i].output);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_names(struct json_writer *w, const char *key, const struct setup_names *names)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (size_t i = 0; i < names->count; i++)
		jw_str(w, names->items[i]);
	jw_arr_end(w);
}

void write_money(struct json_writer *w, const struct setup *setup)
{
	const struct setup_caps *c = &setup->caps;
	const struct {
		const char *name;
		int64_t usd;
	} caps[] = { { "request", c->request }, { "turn", c->turn }, { "task", c->task },
		     { "session", c->session }, { "day", c->day },   { "tenant", c->tenant } };

	JW_KSTR(w, "fallback", fallback_policy_word(setup->fallback));
	JW_KSTR(w, "unpriced", unpriced_policy_word(setup->unpriced));
	write_names(w, "fallbackChain", &setup->fallback_chain);
	write_names(w, "allow", &setup->allow);
	write_names(w, "deny", &setup->deny);
	JW_KEY(w, "capsUsd");
	jw_obj(w);
	for (size_t i = 0; i < COUNT_OF(caps); i++) {
		jw_key(w, str_from(caps[i].name));
		jw_nano(w, caps[i].usd);
	}
	jw_obj_end(w);
	JW_KINT(w, "overrun", c->overrun);
	JW_KINT(w, "parallelRequests", setup->parallel_requests);
}

/* ---- the list ---- */

static bool is_default(const struct setup *s, const struct setup_model *m)
{
	struct str rest = s->model;
	struct str provider = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;

	return str_is(s->model) &&
	       (str_eq(s->model, m->model) ||
	        (str_is(rest) && str_eq(provider, m->provider) && str_eq(rest, m->model)));
}

static void add_row(struct outcome *d, struct reply_list_models *reply, const struct setup_model *m)
{
	struct rec_model_row *row = list_rec_add(d->mem, &reply->models, &rec_model_row_desc);
	struct str detail;
	enum exclusion_reason why = cannot_ask(d, m, &detail);
	int64_t percent = reckoned_percent(d, m);

	*row = (struct rec_model_row){
		.provider = m->provider,
		.model = m->model,
		/* who writes a password into an address has it shown to nobody */
		.base_url = str_find_char(m->base_url, '@') < 0 ? m->base_url : STR_NONE,
		.state = why ? exclusion_reason_word(why) : STR("available"),
		.has_credential = m->has_credential,
		.cost_class = cost_class_of(m, d->now),
		.price = price_of(d, m),
		.price_state = price_at(m, d->now) ? 0 : HONESTY_UNKNOWN,
		.rate = limit_part(d, m, LIMIT_KIND_RATE),
		.quota = limit_part(d, m, LIMIT_KIND_QUOTA),
		.window_tokens = m->window_tokens,
		.max_output_tokens = m->max_output_tokens,
		.reckoned_percent = percent,
		.has_reckoned_percent = percent != 100,
		.is_default = is_default(d->setup, m),
	};
	add_words(d, &row->capabilities, m->capabilities);
}

static void add_budget(struct outcome *d, struct reply_list_models *reply, enum limit_scope scope,
                       int64_t cap, const struct shared_account *a)
{
	struct rec_budget *b;

	if (!cap)
		return;
	b = list_rec_add(d->mem, &reply->budgets, &rec_budget_desc);
	*b = (struct rec_budget){ scope, cap, a->spent, a->reserved };
}

void list_models(struct request *r, const struct cmd_list_models *c)
{
	struct engine *e = r->engine;
	struct reply_list_models reply = { 0 };
	struct world *nobody = world_new();
	struct st_session *empty = ARENA_NEW(nobody->mem, struct st_session);
	struct rec_actor *payer = ARENA_NEW(nobody->mem, struct rec_actor);
	struct session caller = { .engine = e, .world = nobody };
	struct outcome d = { .mem = r->mem,
		             .w = nobody,
		             .setup = &e->setup,
		             .now = e->ports.clock->ops->wall_ms(e->ports.clock) };

	payer->principal = r->caller.principal;
	empty->created_by = payer;
	nobody->s = empty;
	d.shared = money_shared(&caller, d.now);
	for (size_t i = 0; i < e->setup.model_count; i++)
		if (!str_is(c->provider) || str_eq(c->provider, e->setup.models[i].provider))
			add_row(&d, &reply, &e->setup.models[i]);
	if (d.shared) {
		add_budget(&d, &reply, LIMIT_SCOPE_DAY, e->setup.caps.day, &d.shared->day);
		add_budget(&d, &reply, LIMIT_SCOPE_TENANT, e->setup.caps.tenant, &d.shared->tenant);
	}
	r->reply = rec_text(r->mem, &reply_list_models_desc, &reply);
	world_free(nobody);
	request_answer(r);
}

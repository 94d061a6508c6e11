/*
 * The models of all providers, added to the settings with their prices: those
 * of the configuration, of the catalogue and of the servers' own lists.
 */
#include "engine/settings/models.h"

#include "base/os/clock.h"
#include "engine/engine_state.h"

#include <stdlib.h>

/* ---- prices ---- */

/* A date means its first moment, in UTC. */
static bool read_day(struct str text, int64_t *ret)
{
	char whole[40];

	if (clock_time_read(text, ret))
		return true;
	if (text.len != 10)
		return false;
	memcpy(whole, text.ptr, 10);
	memcpy(whole + 10, "T00:00:00Z", sizeof "T00:00:00Z");
	return clock_time_read(str_from(whole), ret);
}

/* In billionths of a dollar.  otherwise below 0: the member is required. */
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

/*
 * Reading from and writing to a cache cost the normal input price unless the table says
 * otherwise.
 */
static enum err read_price(struct str name, struct json v, struct model_price *ret,
                           struct error *err)
{
	struct str from = json_str(JSON_GET(v, "effectiveFrom"));

	*ret = (struct model_price){ .source = PRICE_SOURCE_TABLE, .from = from };
	if (json_type(v) != JSON_OBJ || !take_price(v, "inputPerMTok", -1, &ret->input) ||
	    !take_price(v, "outputPerMTok", -1, &ret->output) ||
	    !take_price(v, "cachedInputPerMTok", ret->input, &ret->cached_input) ||
	    !take_price(v, "cacheWritePerMTok", ret->input, &ret->cache_write))
		return fail(err, ERR_INVALID,
		            "prices: %.*s: needs inputPerMTok and outputPerMTok in dollars",
		            STR_ARG(name));
	if (str_is(from) && !read_day(from, &ret->from_ms))
		return fail(err, ERR_INVALID, "prices: %.*s: effectiveFrom is not a date",
		            STR_ARG(name));
	return OK;
}

/*
 * By their day; for the same day the order in which they came.  qsort() does not keep that
 * order, and the last price of a day counts.
 */
static void sort_prices(struct model_price *prices, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct model_price each = prices[i];
		size_t at = i;

		for (; at && prices[at - 1].from_ms > each.from_ms; at--)
			prices[at] = prices[at - 1];
		prices[at] = each;
	}
}

/* The provider's price, then the table's; for the same day the table's counts. */
static enum err take_prices(struct engine *e, const struct model_info *info, struct model_info *m,
                            struct error *err)
{
	struct str name = arena_printf(e->models_mem, "%.*s/%.*s", STR_ARG(info->provider),
	                               STR_ARG(info->model));
	struct json table = json_get(e->options.config->prices, name);
	bool is_list = json_type(table) == JSON_ARR;
	size_t rows = is_list ? json_count(table) : json_is(table);
	struct model_price *out =
		ARENA_ARRAY(e->models_mem, struct model_price, info->price_count + rows + 1);
	struct json_iter it = json_iter(table);
	struct str key;
	struct json row;
	enum err code = OK;

	/* A price of the settings replaces that of the catalogue or of the server, whatever its day. */
	m->price_count = 0;
	for (size_t i = 0; i < info->price_count; i++) {
		struct model_price *p = &out[m->price_count];
		bool is_given = info->prices[i].source != PRICE_SOURCE_CATALOG &&
		                info->prices[i].source != PRICE_SOURCE_PROVIDER;

		if (rows && !is_given)
			continue;
		*p = info->prices[i];
		if (!is_given || (str_is(p->from) && !read_day(p->from, &p->from_ms)))
			p->from_ms = 0;
		m->price_count++;
	}
	if (json_is(table) && !is_list)
		code = read_price(name, table, &out[m->price_count++], err);
	while (!code && is_list && json_next(&it, &key, &row))
		code = read_price(name, row, &out[m->price_count++], err);
	sort_prices(out, m->price_count);
	m->prices = out;
	return code;
}

/* ---- the settings ---- */

static size_t models_of(struct provider *p, const struct model_info **ret)
{
	return p->ops->models(p, ret);
}

static uint64_t version_of(const struct engine *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < e->ports.provider_count; i++) {
		struct provider *p = e->ports.providers[i];

		sum += p->ops->version ? p->ops->version(p) : 0;
	}
	return sum;
}

static enum err take_all(struct engine *e, struct model_info *out, struct error *err)
{
	size_t at = 0;

	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;
		size_t count = models_of(e->ports.providers[i], &infos);

		for (size_t n = 0; n < count; n++, at++) {
			out[at] = infos[n];

			enum err code = take_prices(e, &infos[n], &out[at], err);

			if (code)
				return code;
		}
	}
	return OK;
}

/* A price that cannot be read stops the start: budgets would be computed from a wrong one. */
enum err models_take(struct engine *e, struct error *err)
{
	struct arena *before = e->models_mem;
	struct model_info *out;
	size_t total = 0;
	enum err code;

	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;

		total += models_of(e->ports.providers[i], &infos);
	}
	e->models_mem = arena_new();
	e->models_version = version_of(e);
	out = ARENA_ARRAY(e->models_mem, struct model_info, total + 1);
	code = take_all(e, out, err);
	if (code) {
		arena_free(e->models_mem);
		e->models_mem = before;
		return code;
	}
	e->settings.models = out;
	e->settings.model_count = total;
	arena_free(before);
	return OK;
}

void models_free(struct engine *e)
{
	arena_free(e->models_mem);
}

void models_look_for_keys(struct engine *e)
{
	struct model_info *models = (struct model_info *)e->settings.models;
	struct error ignored;
	size_t at = 0;

	/* The prices of the settings were valid at the start, and new models add none. */
	if (version_of(e) != e->models_version && models_take(e, &ignored) == OK)
		return;
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;
		size_t count = models_of(e->ports.providers[i], &infos);

		for (size_t n = 0; n < count; n++, at++) {
			models[at].has_credential = infos[n].has_credential;
			models[at].key_from = infos[n].key_from;
			models[at].key_name = infos[n].key_name;
			models[at].remedy = infos[n].remedy;
		}
	}
}

void models_admit(struct engine *e, struct str name)
{
	struct str model = name, provider = str_is(name) ? str_cut(&model, '/') : STR_NONE;

	if (!str_is(provider) || !str_is(model))
		return;
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		struct provider *p = e->ports.providers[i];

		if (p->ops->admit && p->ops->admit(p, provider, model))
			break;
	}
	models_look_for_keys(e);
}

static bool is_lent(const struct model_info *m, const struct str *lent, size_t lent_count)
{
	for (size_t i = 0; i < lent_count; i++)
		if (str_eq(lent[i], m->provider))
			return true;
	return false;
}

bool models_is_shown(const struct model_info *m, const struct str *lent, size_t lent_count)
{
	return !m->is_implicit || m->has_credential || is_lent(m, lent, lent_count);
}

bool models_is_any_usable(const struct engine *e, const struct str *lent, size_t lent_count)
{
	for (size_t i = 0; i < e->settings.model_count; i++) {
		const struct model_info *m = &e->settings.models[i];

		if (!m->is_stand_in && (m->has_credential || is_lent(m, lent, lent_count)))
			return true;
	}
	return false;
}

/* ---- sessions ---- */

void models_prepare(struct session *s, struct decision *d)
{
	struct credentials *c = s->engine->ports.credentials;

	if (c)
		d->lent_count = c->ops->of_session(c, s->id, &d->lent);
}

void models_load(struct session *s, enum load_phase phase)
{
	const struct st_session *state = phase == LOAD_READ && s->state ? s->state->s : NULL;

	if (!state)
		return;
	models_admit(s->engine, state->model);
	for (uint32_t i = 0; i < state->threads.count; i++) {
		const struct st_thread *th = state->threads.items[i];

		models_admit(s->engine, th->last_model);
		for (uint32_t n = 0; n < th->turns.count; n++)
			models_admit(s->engine, th->turns.items[n]->requested_model);
	}
}

/* Commands that begin work for the client that sends them. */
static bool begins_work(enum command command)
{
	switch (command) {
	case COMMAND_SUBMIT_TURN:
	case COMMAND_RESUME_THREAD:
	case COMMAND_COMPACT_THREAD:
	case COMMAND_START_TASK:
	case COMMAND_RETRY_TASK:
	case COMMAND_RESUME_TASK:
	case COMMAND_SPAWN_SUBAGENT:
	case COMMAND_SEND_SUBAGENT_INPUT:
	case COMMAND_RESUME_SUBAGENT:
	case COMMAND_CREATE_JOB:
	case COMMAND_START_JOB:
	case COMMAND_RETRY_JOB_ITEM:
	case COMMAND_CREATE_SCHEDULE:
		return true;
	default:
		return false;
	}
}

static bool is_offered(const struct engine *e, struct str name)
{
	struct str model = name, provider = str_cut(&model, '/');

	for (size_t i = 0; i < e->settings.model_count; i++)
		if (str_eq(e->settings.models[i].provider, provider) &&
		    str_eq(e->settings.models[i].model, model))
			return true;
	return false;
}

bool models_gather(struct request *r)
{
	struct engine *e = r->engine;
	struct credentials *c = e->ports.credentials;

	if (r->command.command == COMMAND_SUBMIT_TURN)
		models_admit(e, ((const struct cmd_submit_turn *)r->args)->model);
	/* The setting may name a model that its server does not list, as a turn may. */
	if (begins_work(r->command.command) && str_is(e->settings.model) &&
	    !is_offered(e, e->settings.model))
		models_admit(e, e->settings.model);
	if (c && r->caller.connection && str_is(r->session_id) && begins_work(r->command.command))
		c->ops->bind(c, r->caller.connection, r->session_id);
	return false;
}

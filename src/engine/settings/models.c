/*
 * The models of all providers, added to the settings with their prices: those
 * of the configuration, of the catalogue and of the servers' own lists.
 */
#include "engine/settings/models.h"

#include "core/settings/model_prices.h"
#include "engine/settings/settings_record.h"
#include "engine/engine_state.h"

#include <stdlib.h>

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

			enum err code = model_prices_take(e->models_mem, e->options.config->prices,
			                                  &infos[n], &out[at], err);

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
	settings_record_changed(e);
	arena_free(before);
	return OK;
}

void models_free(struct engine *e)
{
	arena_free(e->models_mem);
}

static bool is_same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

static bool has_same_key(const struct model_info *a, const struct model_info *b)
{
	return a->has_credential == b->has_credential && is_same(a->key_name, b->key_name) &&
	       is_same(a->remedy, b->remedy);
}

void models_look_for_keys(struct engine *e)
{
	struct model_info *models = (struct model_info *)e->settings.models;
	struct error ignored;
	bool is_changed = false;
	size_t at = 0;

	/* The prices of the settings were valid at the start, and new models add none. */
	if (version_of(e) != e->models_version && models_take(e, &ignored) == OK)
		return;
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;
		size_t count = models_of(e->ports.providers[i], &infos);

		for (size_t n = 0; n < count; n++, at++) {
			is_changed |= !has_same_key(&models[at], &infos[n]);
			models[at].has_credential = infos[n].has_credential;
			models[at].key_from = infos[n].key_from;
			models[at].key_name = infos[n].key_name;
			models[at].remedy = infos[n].remedy;
		}
	}
	if (is_changed)
		settings_record_changed(e);
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
	case COMMAND_START_BENCHMARK_TRIAL:
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
	case COMMAND_WORK_JOB_ITEM:
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

static void admit_missing(struct engine *e, struct str name)
{
	if (str_is(name) && !is_offered(e, name))
		models_admit(e, name);
}

void models_admit_named(struct engine *e)
{
	const struct settings_config *config = e->settings.config;

	admit_missing(e, e->settings.model);
	for (size_t i = 0; config && i < config->routing_fallback_chain.count; i++)
		admit_missing(e, config->routing_fallback_chain.items[i]);
}

bool models_gather(struct request *r)
{
	struct engine *e = r->engine;
	struct credentials *c = e->ports.credentials;

	if (r->turn)
		models_admit(e, r->turn->model);
	if (begins_work(r->command.command))
		models_admit_named(e);
	if (c && r->caller.connection && str_is(r->session_id) && begins_work(r->command.command))
		c->ops->bind(c, r->caller.connection, r->session_id);
	return false;
}

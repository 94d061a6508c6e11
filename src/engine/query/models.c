/*
 * list_models: which models there are, what each costs now, and whether it is
 * available.  On request the providers are asked for their lists first.
 */
#include "core/budget/budget.h"
#include "core/routing/route.h"
#include "engine/query/query.h"
#include "engine/resources/ledger.h"
#include "engine/settings/models.h"
#include "engine/engine_state.h"

#define LOCAL_AGAIN_MS 10000 /* a turn without a model looks for local servers this often */

/* ---- asking the providers ---- */

struct asked {
	struct provider_listing listing;
	struct asking *all;
	struct str provider;
};

struct asking {
	struct request *r;
	size_t pending, count;
	struct asked *items;
};

static void on_listed(struct provider_listing *l)
{
	struct asked *one = l->owner;
	struct asking *all = one->all;

	if (--all->pending)
		return;
	all->r->found.is_listed = true;
	models_look_for_keys(all->r->engine);
	request_restart(all->r);
}

/* False: no provider was asked. */
static bool ask_providers(struct request *r, struct str only, enum list_refresh how,
                          bool (*may_ask)(struct provider *p))
{
	struct engine *e = r->engine;
	struct asking *all = ARENA_NEW(r->mem, struct asking);

	all->r = r;
	all->items = ARENA_ARRAY(r->mem, struct asked, e->ports.provider_count + 1);
	r->work = all;
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		struct provider *p = e->ports.providers[i];
		struct asked *one = &all->items[all->count];

		if (!p->ops->list || (str_is(only) && !str_eq(only, p->ops->name)) ||
		    (may_ask && !may_ask(p)))
			continue;
		*one = (struct asked){ .listing = { .connection = r->caller.connection,
			                            .is_for_missing = how == LIST_REFRESH_MISSING,
			                            .is_test = how == LIST_REFRESH_TEST,
			                            .is_named = str_is(only),
			                            .done = on_listed,
			                            .owner = one },
			               .all = all,
			               .provider = p->ops->name };
		if (!p->ops->list(p, &one->listing))
			continue;
		all->count++;
		all->pending++;
	}
	return all->pending > 0;
}

static bool is_local(struct provider *p)
{
	struct provider_about a = { 0 };

	if (p->ops->about)
		p->ops->about(p, &a);
	return a.is_local;
}

/*
 * Without any other model a server on this machine answers, if one runs.  The stand-in of the
 * tests' scripts is no reason to look: then no provider of the catalogue is open.
 */
static bool look_for_local(struct request *r)
{
	struct engine *e = r->engine;
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);
	const struct str *lent = NULL;
	struct credentials *c = e->ports.credentials;
	size_t count = c ? c->ops->of_connection(c, r->caller.connection, &lent) : 0;

	if (models_is_any_usable(e, lent, count) ||
	    (e->looked_for_local && now - e->looked_for_local < LOCAL_AGAIN_MS))
		return false;
	e->looked_for_local = now;
	return ask_providers(r, STR_NONE, LIST_REFRESH_ALL, is_local);
}

static void add_troubles(struct request *r, struct reply_list_models *reply)
{
	const struct asking *all = r->work;

	for (size_t i = 0; all && i < all->count; i++)
		if (all->items[i].listing.failed)
			rec_list_str_add(r->mem, &reply->troubles,
			                 arena_printf(r->mem, "%.*s: %s",
			                              STR_ARG(all->items[i].provider),
			                              all->items[i].listing.message));
}

/* ---- rows ---- */

/* NULL: it has no address. */
static struct provider *find_provider(struct request *r, struct str name)
{
	for (size_t i = 0; i < r->engine->ports.provider_count; i++)
		if (r->engine->ports.providers[i]->ops->address &&
		    str_eq(r->engine->ports.providers[i]->ops->name, name))
			return r->engine->ports.providers[i];
	return NULL;
}

static bool is_lent(const struct decision *d, const struct model_info *m)
{
	for (size_t i = 0; i < d->lent_count; i++)
		if (str_eq(d->lent[i], m->provider))
			return true;
	return false;
}

/* The setting may name a model with or without its provider. */
static bool is_named_by(const struct settings *s, const struct model_info *m)
{
	struct str rest = s->model;
	struct str provider = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;

	return str_is(s->model) &&
	       (str_eq(s->model, m->model) ||
	        (str_is(rest) && str_eq(provider, m->provider) && str_eq(rest, m->model)));
}

/* What a turn that names no model gets: the settings' choice, else the first that can be asked. */
static const struct model_info *default_of(const struct decision *d)
{
	const struct model_info *first = NULL;

	for (size_t i = 0; i < d->settings->model_count; i++) {
		const struct model_info *m = &d->settings->models[i];
		struct str ignored;

		if (is_named_by(d->settings, m))
			return m;
		if (!m->by_request_only && !route_cannot_ask(d, m, &ignored) &&
		    (!first || (first->is_stand_in && !m->is_stand_in)))
			first = m;
	}
	return str_is(d->settings->model) ? NULL : first;
}

static void add_efforts(struct decision *d, struct rec_model_row *row, struct str words)
{
	if (str_eq(words, STR("none")))
		return;
	while (str_is(words) && words.len)
		rec_list_str_add(d->mem, &row->efforts, str_cut(&words, ' '));
}

/* A password in an address is never shown. */
static struct str shown_address(struct str url)
{
	return str_find_char(url, '@') < 0 ? url : STR_NONE;
}

/* The caller may have lent another address than the runtime's own. */
static void set_addresses(struct request *r, struct reply_list_models *reply)
{
	struct provider_address at = { 0 };
	struct str of = STR_NONE;

	for (uint32_t i = 0; i < reply->models.count; i++) {
		struct rec_model_row *row = reply->models.items[i];
		struct provider *p =
			str_eq(of, row->provider) ? NULL : find_provider(r, row->provider);

		if (p)
			at = p->ops->address(p, r->mem, r->caller.connection);
		of = p || str_eq(of, row->provider) ? row->provider : STR_NONE;
		if (!str_is(of))
			continue;
		row->base_url = shown_address(at.base_url);
		row->address_from = at.variable;
	}
}

static void add_row(struct decision *d, struct reply_list_models *reply, const struct model_info *m,
                    bool is_default)
{
	struct rec_model_row *row = rec_list_add(d->mem, &reply->models, &rec_model_row_desc);
	struct str detail;
	enum exclusion_reason why = route_cannot_ask(d, m, &detail);
	int64_t percent = budget_overrun_reckoned_percent(d, m);

	*row = (struct rec_model_row){
		.provider = m->provider,
		.model = m->model,
		.base_url = shown_address(m->base_url),
		.state = why ? exclusion_reason_word(why) : STR("available"),
		.has_credential = m->has_credential || is_lent(d, m),
		.key_from = is_lent(d, m) ? KEY_ORIGIN_CLIENT_ENVIRONMENT : m->key_from,
		.key_name = m->key_name,
		.remedy = m->remedy,
		.cost_class = budget_cost_class_of(m, d->now),
		.price = budget_price_of(d, m),
		.price_state = decision_price_at(m, d->now) ? 0 : HONESTY_UNKNOWN,
		.rate = budget_limit_part(d, m, LIMIT_KIND_RATE),
		.quota = budget_limit_part(d, m, LIMIT_KIND_QUOTA),
		.window_tokens = m->window_tokens,
		.max_output_tokens = m->max_output_tokens,
		.reckoned_percent = percent,
		.has_reckoned_percent = percent != 100,
		.is_default = is_default,
	};
	route_add_words(d, &row->capabilities, m->capabilities);
	add_efforts(d, row, m->efforts);
}

static void add_budget(struct decision *d, struct reply_list_models *reply, enum limit_scope scope,
                       int64_t cap, const struct ledger_view_account *a)
{
	struct rec_budget *b;

	if (!cap)
		return;
	b = rec_list_add(d->mem, &reply->budgets, &rec_budget_desc);
	*b = (struct rec_budget){ scope, cap, a->spent, a->reserved + a->elsewhere };
}

static void find_lent(struct request *r, const struct cmd_list_models *c, struct decision *d)
{
	struct credentials *keys = r->engine->ports.credentials;

	if (!keys)
		return;
	d->lent_count = str_is(c->session_id)
	                        ? keys->ops->of_session(keys, c->session_id, &d->lent)
	                        : keys->ops->of_connection(keys, r->caller.connection, &d->lent);
}

/*
 * Routing and budgets are computed for a session; this query has none, so an empty one
 * with the caller as its payer is passed to them.
 */
void query_list_models(struct request *r, const struct cmd_list_models *c)
{
	struct engine *e = r->engine;
	struct reply_list_models reply = { 0 };
	struct state *no_session = state_new();
	struct st_session *empty = ARENA_NEW(no_session->mem, struct st_session);
	struct rec_actor *payer = ARENA_NEW(no_session->mem, struct rec_actor);
	struct session caller = { .engine = e, .state = no_session };
	struct decision d = { .mem = r->mem,
		              .w = no_session,
		              .settings = &e->settings,
		              .now = e->ports.clock->ops->wall_ms(e->ports.clock) };

	payer->principal = r->caller.principal;
	empty->created_by = payer;
	no_session->s = empty;
	d.ledger_view = ledger_view_for(&caller, d.now);
	find_lent(r, c, &d);
	reply.not_offered = route_chain_not_offered(&d);
	const struct model_info *chosen = default_of(&d);

	for (size_t i = 0; i < e->settings.model_count; i++)
		if ((!str_is(c->provider) || str_eq(c->provider, e->settings.models[i].provider)) &&
		    models_is_shown(&e->settings.models[i], d.lent, d.lent_count))
			add_row(&d, &reply, &e->settings.models[i],
			        &e->settings.models[i] == chosen);
	set_addresses(r, &reply);
	add_troubles(r, &reply);
	if (d.ledger_view) {
		if (!str_is(r->caller.reach)) /* it is what all spend */
			add_budget(&d, &reply, LIMIT_SCOPE_DAY, e->settings.caps.day,
			           &d.ledger_view->day);
		add_budget(&d, &reply, LIMIT_SCOPE_TENANT, e->settings.caps.tenant,
		           &d.ledger_view->tenant);
	}
	r->response.reply = rec_text(r->mem, &reply_list_models_desc, &reply);
	state_free(no_session);
	request_reply(r);
}

static void add_provider(struct request *r, struct reply_list_providers *reply, struct provider *p)
{
	struct credentials *keys = r->engine->ports.credentials;
	struct rec_provider_row *row =
		rec_list_add(r->mem, &reply->providers, &rec_provider_row_desc);
	const struct str *lent = NULL;
	size_t lent_count = keys ? keys->ops->of_connection(keys, r->caller.connection, &lent) : 0;
	struct provider_about a;
	bool is_ours = false;

	p->ops->about(p, &a);
	struct provider_address at = p->ops->address(p, r->mem, r->caller.connection);

	for (size_t i = 0; i < lent_count; i++)
		is_ours |= str_eq(lent[i], p->ops->name);
	*row = (struct rec_provider_row){
		.provider = p->ops->name,
		.base_url = shown_address(at.base_url),
		.address_from = at.variable,
		.has_credential = a.has_credential || is_ours,
		.key_from = is_ours ? KEY_ORIGIN_CLIENT_ENVIRONMENT : a.key_from,
		.key_name = a.key_name,
		.remedy = a.remedy,
		.default_model = a.default_model,
		.is_configured = !a.is_implicit,
		.is_local = a.is_local,
	};
	for (size_t i = 0; i < COUNT_OF(a.variables) && !a.is_local; i++)
		if (a.variables[i].len)
			rec_list_str_add(r->mem, &row->key_variables, a.variables[i]);
	for (size_t i = 0; i < a.lent_count; i++)
		rec_list_str_add(r->mem, &row->lent_variables, a.lent[i]);
}

void query_list_providers(struct request *r, const struct cmd_list_providers *c)
{
	struct reply_list_providers reply = { 0 };

	(void)c;
	for (size_t i = 0; i < r->engine->ports.provider_count; i++)
		if (r->engine->ports.providers[i]->ops->address)
			add_provider(r, &reply, r->engine->ports.providers[i]);
	r->response.reply = rec_text(r->mem, &reply_list_providers_desc, &reply);
	request_reply(r);
}

/* Keys may have been added or removed since the last request; routing depends on them. */
bool query_models_gather(struct request *r)
{
	enum command command = r->command.command;
	const struct cmd_list_models *list = command == COMMAND_LIST_MODELS ? r->args : NULL;

	if (!r->turn && command != COMMAND_GET_CAPABILITIES && !list)
		return false;
	/* Once for each request: it is a file for each provider, and steps that wait come here again. */
	if (!r->found.has_keys)
		models_look_for_keys(r->engine);
	r->found.has_keys = true;
	if (list)
		models_admit_named(r->engine);
	if (r->found.is_listed)
		return false;
	if (list)
		return list->refresh && ask_providers(r, list->provider, list->refresh, NULL);
	return r->turn && look_for_local(r);
}

/* list_models: which models there are, what each costs now, and whether it is available. */
#include "core/budget/budget.h"
#include "core/routing/route.h"
#include "engine/query/query.h"
#include "engine/resources/ledger.h"
#include "engine/settings/models.h"
#include "engine/engine_state.h"

/* The setting may name a model with or without its provider. */
static bool is_default(const struct settings *s, const struct model_info *m)
{
	struct str rest = s->model;
	struct str provider = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;

	return str_is(s->model) &&
	       (str_eq(s->model, m->model) ||
	        (str_is(rest) && str_eq(provider, m->provider) && str_eq(rest, m->model)));
}

static void add_row(struct decision *d, struct reply_list_models *reply, const struct model_info *m)
{
	struct rec_model_row *row = rec_list_add(d->mem, &reply->models, &rec_model_row_desc);
	struct str detail;
	enum exclusion_reason why = route_cannot_ask(d, m, &detail);
	int64_t percent = budget_overrun_reckoned_percent(d, m);

	*row = (struct rec_model_row){
		.provider = m->provider,
		.model = m->model,
		/* A password in an address is never shown. */
		.base_url = str_find_char(m->base_url, '@') < 0 ? m->base_url : STR_NONE,
		.state = why ? exclusion_reason_word(why) : STR("available"),
		.has_credential = m->has_credential,
		.cost_class = budget_cost_class_of(m, d->now),
		.price = budget_price_of(d, m),
		.price_state = decision_price_at(m, d->now) ? 0 : HONESTY_UNKNOWN,
		.rate = budget_limit_part(d, m, LIMIT_KIND_RATE),
		.quota = budget_limit_part(d, m, LIMIT_KIND_QUOTA),
		.window_tokens = m->window_tokens,
		.max_output_tokens = m->max_output_tokens,
		.reckoned_percent = percent,
		.has_reckoned_percent = percent != 100,
		.is_default = is_default(d->settings, m),
	};
	route_add_words(d, &row->capabilities, m->capabilities);
}

static void add_budget(struct decision *d, struct reply_list_models *reply, enum limit_scope scope,
                       int64_t cap, const struct ledger_view_account *a)
{
	struct rec_budget *b;

	if (!cap)
		return;
	b = rec_list_add(d->mem, &reply->budgets, &rec_budget_desc);
	*b = (struct rec_budget){ scope, cap, a->spent, a->reserved };
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
	for (size_t i = 0; i < e->settings.model_count; i++)
		if (!str_is(c->provider) || str_eq(c->provider, e->settings.models[i].provider))
			add_row(&d, &reply, &e->settings.models[i]);
	if (d.ledger_view) {
		add_budget(&d, &reply, LIMIT_SCOPE_DAY, e->settings.caps.day, &d.ledger_view->day);
		add_budget(&d, &reply, LIMIT_SCOPE_TENANT, e->settings.caps.tenant,
		           &d.ledger_view->tenant);
	}
	r->response.reply = rec_text(r->mem, &reply_list_models_desc, &reply);
	state_free(no_session);
	request_reply(r);
}

/* Keys may have been added or removed since the last request; routing depends on them. */
bool query_models_gather(struct request *r)
{
	if (r->command.command == COMMAND_SUBMIT_TURN ||
	    r->command.command == COMMAND_GET_CAPABILITIES ||
	    r->command.command == COMMAND_LIST_MODELS)
		models_look_for_keys(r->engine);
	return false;
}

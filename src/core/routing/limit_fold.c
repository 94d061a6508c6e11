/*
 * Folds the limits that providers report, and what a cap stopped.
 */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/budget/ledger_view.h"

#define SESSION_LIMITS 16

/* The session keeps a copy, so that a restart knows the limits before any provider is asked. */
static void keep_limit(struct state *w, const struct event *ev)
{
	struct st_provider_limit said, *kept = NULL;

	if (!limit_said(ev, &said))
		return;
	for (uint32_t i = 0; i < w->s->limits.count && !kept; i++)
		if (str_eq(w->s->limits.items[i]->provider, said.provider) &&
		    w->s->limits.items[i]->kind == said.kind)
			kept = w->s->limits.items[i];
	if (!kept) {
		if (w->s->limits.count == SESSION_LIMITS)
			rec_list_remove(&w->s->limits, 0);
		kept = rec_list_add(w->mem, &w->s->limits, &st_provider_limit_desc);
	}
	*kept = said;
	kept->provider = KEEP(w, said.provider);
}

static void keep_state(struct state *w, const struct event *ev)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && ev->limit_state)
		t->limit = rec_text(w->mem, &rec_limit_state_desc, ev->limit_state);
	keep_limit(w, ev);
}

void routing_on_rate_limit_hit(struct state *w, const struct event *ev,
                               const struct ev_rate_limit_hit *p)
{
	keep_state(w, ev);
}

void routing_on_quota_low(struct state *w, const struct event *ev, const struct ev_quota_low *p)
{
	keep_state(w, ev);
}

/* A provider's quota ends its request; routing decides whether the turn ends. */
void routing_on_quota_blocked(struct state *w, const struct event *ev,
                              const struct ev_quota_blocked *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	keep_state(w, ev);
	if (!t || p->scope == LIMIT_SCOPE_PROVIDER)
		return;
	t->blocked = ARENA_NEW(w->mem, struct rec_limit_event);
	if (ev->limit_event)
		rec_keep(w->mem, &rec_limit_event_desc, t->blocked, ev->limit_event);
	t->blocked->kind = LIMIT_EVENT_KIND_QUOTA_BLOCKED;
	t->blocked->scope = p->scope;
	turn_fold_failing(w, t, ERROR_CATEGORY_BUDGET, ev->status_reason, p->remedy, false);
}

void routing_on_limit_changed(struct state *w, const struct event *ev,
                              const struct ev_limit_changed *p)
{
	if (p->kind == LIMIT_KIND_BUDGET && p->scope == LIMIT_SCOPE_SESSION && p->after) {
		w->s->cap_usd = p->after->cap_usd;
		w->s->has_cap_usd = p->after->has_cap_usd;
	}
	keep_state(w, ev);
}

/*
 * What providers say about their limits: read off the facts, kept by the
 * session that met them and, for all others, by the engine.
 * spec: contracts/model-routing-limits; GAP-50
 */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/shared.h"

#define SESSION_LIMITS 16

static void take_part(const struct rec_limit_part *part, struct st_provider_limit *ret)
{
	if (!part)
		return;
	ret->state = part->state;
	ret->until = part->until;
	ret->used = part->used;
	ret->has_used = part->has_used;
	ret->limit = part->limit;
	ret->has_limit = part->has_limit;
}

bool limit_said(const struct event *ev, struct st_provider_limit *ret)
{
	const struct rec_limit_event *e = ev->limit_event;
	const struct rec_limit_state *l = ev->limit_state;

	if (!e || !l || !str_is(e->provider))
		return false;
	*ret = (struct st_provider_limit){ .provider = e->provider, .sequence = ev->sequence };
	switch (ev->type) {
	case EV_RATE_LIMIT_HIT:
		ret->kind = LIMIT_KIND_RATE;
		take_part(l->rate, ret);
		return true;
	case EV_QUOTA_BLOCKED:
	case EV_QUOTA_LOW:
		ret->kind = LIMIT_KIND_QUOTA;
		take_part(l->quota, ret);
		return e->scope == LIMIT_SCOPE_PROVIDER;
	case EV_LIMIT_CHANGED:
		ret->kind = ((const struct ev_limit_changed *)ev->payload)->kind;
		take_part(ret->kind == LIMIT_KIND_QUOTA ? l->quota : l->rate, ret);
		return ret->kind == LIMIT_KIND_QUOTA || ret->kind == LIMIT_KIND_RATE;
	default:
		return false;
	}
}

/* ---- in the session ---- */

static void keep_limit(struct world *w, const struct event *ev)
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
			list_rec_remove(&w->s->limits, 0);
		kept = list_rec_add(w->mem, &w->s->limits, &st_provider_limit_desc);
	}
	*kept = said;
	kept->provider = KEEP(w, said.provider);
}

static void keep_state(struct world *w, const struct event *ev)
{
	struct st_turn *t = turn_of(w, ev);

	if (t && ev->limit_state)
		t->limit = rec_text(w->mem, &rec_limit_state_desc, ev->limit_state);
	keep_limit(w, ev);
}

void routing_on_rate_limit_hit(struct world *w, const struct event *ev,
                               const struct ev_rate_limit_hit *p)
{
	keep_state(w, ev);
}

void routing_on_quota_low(struct world *w, const struct event *ev, const struct ev_quota_low *p)
{
	keep_state(w, ev);
}

/* A provider's quota ends its request; whether the turn ends is routing's to say. */
void routing_on_quota_blocked(struct world *w, const struct event *ev,
                              const struct ev_quota_blocked *p)
{
	struct st_turn *t = turn_of(w, ev);

	keep_state(w, ev);
	if (!t || p->scope == LIMIT_SCOPE_PROVIDER)
		return;
	fold_failing(w, t, ERROR_CATEGORY_BUDGET, ev->status_reason, p->remedy, false);
}

void routing_on_limit_changed(struct world *w, const struct event *ev,
                              const struct ev_limit_changed *p)
{
	if (p->kind == LIMIT_KIND_BUDGET && p->scope == LIMIT_SCOPE_SESSION && p->after) {
		w->s->cap_usd = p->after->cap_usd;
		w->s->has_cap_usd = p->after->has_cap_usd;
	}
	keep_state(w, ev);
}

/* ---- in the engine ---- */

static struct limit_entry *find(const struct limits *l, struct str provider, enum limit_kind kind)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->items[i].kind == kind && str_eq(str_from(l->items[i].provider), provider))
			return (struct limit_entry *)&l->items[i];
	return NULL;
}

void limits_note(struct limits *l, const struct event *ev)
{
	struct st_provider_limit said;

	if (limit_said(ev, &said))
		limits_put(l, &said);
}

void limits_put(struct limits *l, const struct st_provider_limit *said)
{
	struct limit_entry *e;

	if (said->provider.len >= LIMIT_NAME_MAX)
		return;
	e = find(l, said->provider, said->kind);
	if (!e) {
		if (l->count == LIMITS_MAX) {
			memmove(&l->items[0], &l->items[1], (LIMITS_MAX - 1) * sizeof l->items[0]);
			l->count--;
		}
		e = &l->items[l->count++];
	}
	*e = (struct limit_entry){ .kind = said->kind,
		                   .state = said->state,
		                   .until = said->until,
		                   .used = said->used,
		                   .has_used = said->has_used,
		                   .limit = said->limit,
		                   .has_limit = said->has_limit };
	memcpy(e->provider, said->provider.ptr, said->provider.len);
}

const struct limit_entry *limits_find(const struct limits *l, struct str provider,
                                      enum limit_kind kind, int64_t now)
{
	const struct limit_entry *e = l ? find(l, provider, kind) : NULL;

	return e && (!e->until || e->until > now) ? e : NULL;
}

/*
 * Limits that providers report: read from events, kept by the session that met
 * them and, for all other sessions, by the engine.
 * spec: contracts/model-routing-limits; GAP-50
 */
#include "core/budget/ledger_view.h"

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

/*
 * Caps of the user share classes and records with limits of providers; the provider's name and the
 * scope tell them apart.
 */
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

/* ---- in the engine ---- */

static struct limit_entry *find_limit(const struct limits *l, struct str provider,
                                      enum limit_kind kind)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->items[i].kind == kind && str_eq(str_from(l->items[i].provider), provider))
			return (struct limit_entry *)&l->items[i];
	return NULL;
}

void limit_note(struct limits *l, const struct event *ev)
{
	struct st_provider_limit said;

	if (limit_said(ev, &said))
		limit_put(l, &said, ev->timestamp);
}

/* One report per provider and kind, the newest; a full table drops the oldest entry. */
void limit_put(struct limits *l, const struct st_provider_limit *said, int64_t at)
{
	struct limit_entry *e;

	if (said->provider.len >= LIMIT_NAME_MAX)
		return;
	e = find_limit(l, said->provider, said->kind);
	if (e && e->at > at)
		return;
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
		                   .at = at,
		                   .used = said->used,
		                   .has_used = said->has_used,
		                   .limit = said->limit,
		                   .has_limit = said->has_limit };
	memcpy(e->provider, said->provider.ptr, said->provider.len);
}

/* A limit without an end never expires: only the next report replaces it. */
const struct limit_entry *limit_find(const struct limits *l, struct str provider,
                                     enum limit_kind kind, int64_t now)
{
	const struct limit_entry *e = l ? find_limit(l, provider, kind) : NULL;

	return e && (!e->until || e->until > now) ? e : NULL;
}

/*
 * Folds what an hour cost, how long turns took and how they ended.
 *
 * The state holds the current hour alone: core/index.c writes it as a row, and the
 * rows of the hours before stay as they are.  An event belongs to the hour in
 * which it was written, so a long turn counts where it ended.
 */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/usage/usage.h"

static struct st_usage *hour_of(struct state *w, const struct event *ev)
{
	int64_t hour = ev->timestamp - ev->timestamp % USAGE_HOUR_MS;

	/* A clock that was set back does not reopen an hour whose row is written. */
	if (!w->s->usage || w->s->usage->hour < hour)
		w->s->usage = ARENA_NEW(w->mem, struct st_usage);
	if (w->s->usage->hour < hour)
		w->s->usage->hour = hour;
	return w->s->usage;
}

/* list may be NULL: nothing was counted yet. */
static struct st_usage_durations *count_duration(struct state *w, struct st_usage_durations *list,
                                                 int64_t ms)
{
	int64_t bound = usage_bucket_bound(usage_bucket_of(ms));
	struct st_usage_bucket *b;

	if (!list)
		list = ARENA_NEW(w->mem, struct st_usage_durations);
	for (uint32_t i = 0; i < list->buckets.count; i++)
		if (list->buckets.items[i]->up_to_ms == bound) {
			list->buckets.items[i]->count++;
			return list;
		}
	b = rec_list_add(w->mem, &list->buckets, &st_usage_bucket_desc);
	b->up_to_ms = bound;
	b->count = 1;
	return list;
}

static struct st_usage_model *model_of(struct state *w, struct st_usage *u, const struct st_turn *t)
{
	struct str provider = t ? t->provider : STR_NONE, model = t ? t->model : STR_NONE;
	struct st_usage_model *m;

	for (uint32_t i = 0; i < u->models.count; i++) {
		m = u->models.items[i];
		if (str_eq(m->provider, provider) && str_eq(m->model, model))
			return m;
	}
	if (u->models.count > USAGE_MODELS_MAX)
		return u->models.items[USAGE_MODELS_MAX];
	m = rec_list_add(w->mem, &u->models, &st_usage_model_desc);
	m->provider = KEEP(w, u->models.count > USAGE_MODELS_MAX ? STR_NONE : provider);
	m->model = KEEP(w, u->models.count > USAGE_MODELS_MAX ? STR("other") : model);
	return m;
}

void usage_on_cost_recorded(struct state *w, const struct event *ev,
                            const struct ev_cost_recorded *p)
{
	struct st_usage_model *m = model_of(w, hour_of(w, ev), turn_fold_turn(w, ev));

	m->requests++;
	m->input_tokens += p->input_tokens;
	m->cached_input_tokens += p->cached_input_tokens;
	m->output_tokens += p->output_tokens;
	m->reasoning_tokens += p->reasoning_tokens;
	if (p->has_amount_usd)
		m->spent_usd += p->amount_usd;
	else if (p->amount_state)
		m->unknown_costs++;
}

void usage_on_model_completed(struct state *w, const struct event *ev,
                              const struct ev_model_completed *p)
{
	struct st_usage *u = hour_of(w, ev);

	if (p->has_time_to_first_token_ms)
		u->first_delta = count_duration(w, u->first_delta, p->time_to_first_token_ms);
}

/* Turns of the runtime itself and those of an import are not what a user waited for. */
static const struct st_turn *counted_turn(struct state *w, const struct event *ev)
{
	const struct st_turn *t = turn_fold_turn(w, ev);

	return t && t->kind != TURN_KIND_SYSTEM && t->kind != TURN_KIND_IMPORTED ? t : NULL;
}

void usage_on_turn_completed(struct state *w, const struct event *ev,
                             const struct ev_turn_completed *p)
{
	const struct st_turn *t = counted_turn(w, ev);
	struct st_usage *u;

	if (!t || p->outcome == TURN_OUTCOME_MERGED)
		return;
	u = hour_of(w, ev);
	u->completed++;
	u->turns = count_duration(w, u->turns, ev->timestamp - t->submitted_at);
}

/* A turn that a person ended says nothing about how long turns take. */
void usage_on_turn_failed(struct state *w, const struct event *ev, const struct ev_turn_failed *p)
{
	const struct st_turn *t = counted_turn(w, ev);
	struct st_usage *u;

	if (!t)
		return;
	u = hour_of(w, ev);
	if (p->outcome == TURN_OUTCOME_CANCELLED) {
		u->cancelled++;
		return;
	}
	if (p->outcome == TURN_OUTCOME_LOST)
		u->lost++;
	else
		u->failed++;
	u->turns = count_duration(w, u->turns, ev->timestamp - t->submitted_at);
}

void usage_on_action_resolved(struct state *w, const struct event *ev,
                              const struct ev_action_resolved *p)
{
	hour_of(w, ev)->waited_ms += p->waited_ms;
}

void usage_on_permission_evaluated(struct state *w, const struct event *ev,
                                   const struct ev_permission_evaluated *p)
{
	struct st_usage *u = hour_of(w, ev);

	if (p->decision == APPROVAL_DECISION_ALLOW || p->decision == APPROVAL_DECISION_SANDBOXED)
		u->allowed++;
	else if (p->decision != APPROVAL_DECISION_ASK)
		u->denied++;
}

void usage_on_permission_resolved(struct state *w, const struct event *ev,
                                  const struct ev_permission_resolved *p)
{
	struct st_usage *u = hour_of(w, ev);

	if (p->decision == APPROVAL_DECISION_ALLOW)
		u->allowed++;
	else
		u->denied++;
}

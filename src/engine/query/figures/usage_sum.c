/* Adds hours to the row they belong to, and writes the rows in their order. */
#include "engine/query/figures/usage_sum.h"

#include "base/os/clock.h"

#include <stdlib.h>

void usage_sum_init(struct usage_sums *s, struct arena *mem, enum usage_group by)
{
	*s = (struct usage_sums){ .mem = mem, .by = by, .total = { .key = STR("total") } };
}

void usage_sum_done(struct usage_sums *s)
{
	map_done(&s->by_key);
	map_done(&s->sessions);
}

/* ---- adding ---- */

/* The first characters of RFC 3339: a day, or with the hour. */
static struct str time_key(const struct usage_sums *s, int64_t hour)
{
	char text[TIME_TEXT_MAX];

	clock_time_write(hour, text);
	return s->by == USAGE_GROUP_HOUR ? arena_printf(s->mem, "%.13s:00Z", text)
	                                 : arena_printf(s->mem, "%.10s", text);
}

static struct str model_key(const struct usage_sums *s, const struct st_usage_model *m)
{
	if (!str_is(m->provider))
		return str_is(m->model) ? m->model : STR("unknown");
	return arena_printf(s->mem, "%.*s/%.*s", STR_ARG(m->provider), STR_ARG(m->model));
}

/* The account of a caller is named tenant:CALLER. */
static struct str tenant_key(struct str account)
{
	struct str prefix = STR("tenant:");

	if (!str_is(account))
		return STR("unknown");
	return str_starts(account, prefix) ? str_skip(account, prefix.len) : account;
}

static struct usage_sum *sum_of(struct usage_sums *s, struct str key)
{
	struct usage_sum *sum = map_get(&s->by_key, key);

	if (sum)
		return sum;
	sum = ARENA_NEW(s->mem, struct usage_sum);
	sum->key = arena_keep(s->mem, key);
	map_put(&s->by_key, sum->key, sum);
	return sum;
}

static void add_cost(struct st_usage_model *to, const struct st_usage_model *m)
{
	to->requests += m->requests;
	to->input_tokens += m->input_tokens;
	to->cached_input_tokens += m->cached_input_tokens;
	to->output_tokens += m->output_tokens;
	to->reasoning_tokens += m->reasoning_tokens;
	to->spent_usd += m->spent_usd;
	to->unknown_costs += m->unknown_costs;
}

static void add_hour(struct usage_sum *sum, const struct st_usage *u)
{
	struct st_usage *c = &sum->counts;

	c->completed += u->completed;
	c->failed += u->failed;
	c->cancelled += u->cancelled;
	c->lost += u->lost;
	c->allowed += u->allowed;
	c->denied += u->denied;
	c->waited_ms += u->waited_ms;
	usage_histogram_add(&sum->first_delta, u->first_delta);
	usage_histogram_add(&sum->turns, u->turns);
	for (uint32_t i = 0; i < u->models.count; i++)
		add_cost(&sum->cost, u->models.items[i]);
}

void usage_sum_add(struct usage_sums *s, struct str session, struct str tenant,
                   const struct st_usage *u)
{
	if (!map_get(&s->sessions, session))
		map_put(&s->sessions, arena_keep(s->mem, session), s);
	add_hour(&s->total, u);
	switch (s->by) {
	case USAGE_GROUP_MODEL:
		for (uint32_t i = 0; i < u->models.count; i++)
			add_cost(&sum_of(s, model_key(s, u->models.items[i]))->cost,
			         u->models.items[i]);
		break;
	case USAGE_GROUP_TENANT:
		add_hour(sum_of(s, tenant_key(tenant)), u);
		break;
	case USAGE_GROUP_SESSION:
		add_hour(sum_of(s, session), u);
		break;
	default:
		add_hour(sum_of(s, time_key(s, u->hour)), u);
	}
}

/* ---- writing ---- */

static const struct rec_usage_quantiles *quantiles(struct arena *mem,
                                                   const struct usage_histogram *h)
{
	struct rec_usage_quantiles *q;

	if (!h->total)
		return NULL;
	q = ARENA_NEW(mem, struct rec_usage_quantiles);
	*q = (struct rec_usage_quantiles){ .count = h->total,
		                           .p50_ms = usage_histogram_quantile(h, 50),
		                           .p95_ms = usage_histogram_quantile(h, 95) };
	return q;
}

/* A turn may ask several models, so a model has no turns of its own. */
static void write_sum(struct usage_sums *s, const struct usage_sum *sum, bool has_turns,
                      struct json_writer *w)
{
	const struct st_usage *c = &sum->counts;
	const struct st_usage_model *m = &sum->cost;
	struct rec_usage_row row = { .key = sum->key,
		                     .requests = m->requests,
		                     .input_tokens = m->input_tokens,
		                     .cached_input_tokens = m->cached_input_tokens,
		                     .output_tokens = m->output_tokens,
		                     .reasoning_tokens = m->reasoning_tokens,
		                     .spent_usd = m->spent_usd,
		                     .unknown_costs = m->unknown_costs,
		                     .has_completed = has_turns,
		                     .completed = c->completed,
		                     .has_failed = has_turns,
		                     .failed = c->failed,
		                     .has_cancelled = has_turns,
		                     .cancelled = c->cancelled,
		                     .has_lost = has_turns,
		                     .lost = c->lost,
		                     .has_allowed = has_turns,
		                     .allowed = c->allowed,
		                     .has_denied = has_turns,
		                     .denied = c->denied,
		                     .has_waited_ms = has_turns,
		                     .waited_ms = c->waited_ms };

	if (has_turns) {
		row.first_delta = (void *)quantiles(s->mem, &sum->first_delta);
		row.turns = (void *)quantiles(s->mem, &sum->turns);
	}
	rec_write(w, &rec_usage_row_desc, &row);
}

static int by_time(const void *a, const void *b)
{
	return str_cmp((*(const struct usage_sum *const *)a)->key,
	               (*(const struct usage_sum *const *)b)->key);
}

static int by_cost(const void *a, const void *b)
{
	const struct usage_sum *x = *(const struct usage_sum *const *)a,
			       *y = *(const struct usage_sum *const *)b;

	if (x->cost.spent_usd != y->cost.spent_usd)
		return x->cost.spent_usd > y->cost.spent_usd ? -1 : 1;
	return str_cmp(x->key, y->key);
}

static const struct usage_sum **sorted(struct usage_sums *s, size_t *ret_count)
{
	const struct usage_sum **all =
		ARENA_ARRAY(s->mem, const struct usage_sum *, s->by_key.count + 1);
	bool is_time = s->by == USAGE_GROUP_DAY || s->by == USAGE_GROUP_HOUR;
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&s->by_key, &i, &slot);)
		all[count++] = slot->value;
	qsort(all, count, sizeof *all, is_time ? by_time : by_cost);
	*ret_count = count;
	return all;
}

/* Of too many hours the last ones are shown. */
void usage_sum_write(struct usage_sums *s, size_t limit, struct json_writer *w)
{
	bool is_time = s->by == USAGE_GROUP_DAY || s->by == USAGE_GROUP_HOUR;
	size_t count;
	const struct usage_sum **all = sorted(s, &count);
	size_t shown = MIN(count, limit), from = is_time ? count - shown : 0;

	JW_KEY(w, "rows");
	jw_arr(w);
	for (size_t i = 0; i < shown; i++)
		write_sum(s, all[from + i], s->by != USAGE_GROUP_MODEL, w);
	jw_arr_end(w);
	JW_KINT(w, "omitted", (int64_t)(count - shown));
	JW_KEY(w, "total");
	write_sum(s, &s->total, true, w);
	JW_KINT(w, "sessions", (int64_t)s->sessions.count);
}

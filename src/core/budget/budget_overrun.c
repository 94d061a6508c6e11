/*
 * Requests that cost more than their estimate.
 *
 * The highest overrun of a model, in percent of its estimate, is stored for the
 * day on an account of the ledger and applies until the end of the next day.  An
 * event raises it (cost.recorded, `overrun`), so it survives a restart; a
 * provider without further overruns returns to plain estimates.
 */
#include "core/budget/budget.h"

/* One absurd report must not make every later estimate exceed the caps: at most 1000 times. */
#define PERCENT_MAX 100000
#define DAY_MS (24LL * 3600 * 1000)

static struct str overrun_account(struct arena *mem, const struct model_info *m, int64_t wall_ms)
{
	struct str day = ledger_view_day(mem, wall_ms);

	return arena_printf(mem, "overrun:%.*s:%.*s/%.*s",
	                    STR_ARG(str_skip(day, sizeof "day:" - 1)), STR_ARG(m->provider),
	                    STR_ARG(m->model));
}

/* The account holds the part above 100. */
static int64_t measured_percent(const struct decision *d, const struct model_info *m,
                                int64_t wall_ms)
{
	const struct ledger_view *s = d->ledger_view;

	if (!s || !s->spent)
		return 100;
	return 100 + s->spent(s->owner, overrun_account(d->mem, m, wall_ms));
}

/* Yesterday counts too, so that midnight does not forget a measured overrun. */
int64_t budget_overrun_reckoned_percent(const struct decision *d, const struct model_info *m)
{
	int64_t today, before;

	if (!m)
		return 100;
	today = measured_percent(d, m, d->now);
	before = measured_percent(d, m, d->now - DAY_MS);
	return MAX(today, before);
}

/* Rounded up, and computed in parts against overflow. */
int64_t budget_overrun_usd(int64_t plain, int64_t percent)
{
	return plain / 100 * percent + (plain % 100 * percent + 99) / 100;
}

/*
 * Compares with the plain estimate: the reservation may have been scaled already, and a factor must
 * not multiply itself.
 */
struct rec_overrun *budget_overrun_of(struct decision *d, const struct model_info *m,
                                      const struct st_turn *t, int64_t amount)
{
	int64_t percent = MAX(t->has_reckoned_percent ? t->reckoned_percent : 100, 100);
	int64_t plain = t->reserved_usd / percent * 100 + t->reserved_usd % percent * 100 / percent;
	int64_t today = measured_percent(d, m, d->now);

	if (plain <= 0 || amount <= plain)
		return NULL;
	percent = amount / plain >= PERCENT_MAX / 100
	                  ? PERCENT_MAX
	                  : amount / plain * 100 + (amount % plain * 100 + plain - 1) / plain;
	if (percent <= today)
		return NULL;
	return KEPT(d, struct rec_overrun, .account = overrun_account(d->mem, m, d->now),
	            .percent = percent, .before_percent = today);
}

struct str budget_overrun_reckoning(struct decision *d, const struct st_turn *t)
{
	int64_t percent = budget_overrun_reckoned_percent(d, turn_model(d, t));

	if (percent == 100)
		return STR("");
	return arena_printf(d->mem, " (this model was measured at %.2f times its estimate)",
	                    (double)percent / 100);
}

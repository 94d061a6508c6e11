/*
 * The ledger accounts that a session pays from, and the changes that an event
 * causes.  The engine applies the changes; decisions only read the balances.
 */
#include "core/budget/ledger_view.h"
#include "core/state.h"
#include "base/os/clock.h"

/* The date in UTC: one day for all sessions, wherever their users are. */
struct str ledger_view_day(struct arena *mem, int64_t wall_ms)
{
	char text[TIME_TEXT_MAX];

	clock_time_write(wall_ms, text);
	return arena_printf(mem, "day:%.10s", text);
}

struct str ledger_view_payer(const struct state *w)
{
	return w->s->created_by ? w->s->created_by->principal : STR_NONE;
}

struct str ledger_view_tenant(struct arena *mem, struct str principal)
{
	return arena_printf(mem, "tenant:%.*s",
	                    STR_ARG(str_is(principal) ? principal : STR("owner")));
}

static void add_move(struct money_move *out, size_t *count, struct str account, int64_t spent,
                     int64_t reserved)
{
	if (*count < MONEY_MOVES_MAX && (spent || reserved))
		out[(*count)++] = (struct money_move){ account, spent, reserved };
}

/*
 * Computed from the state before the fold, because the fold clears the reservation. estimate_open
 * guards against settling a request twice.
 */
size_t ledger_view_moves(struct arena *mem, const struct state *before, const struct event *ev,
                         struct money_move ret[MONEY_MOVES_MAX])
{
	const struct st_turn *t;
	size_t count = 0;

	if (ev->type != EV_COST_ESTIMATED && ev->type != EV_COST_RECORDED)
		return 0;
	t = state_turn(before, ev->turn_id, NULL);
	if (!t)
		return 0;
	if (ev->type == EV_COST_ESTIMATED) {
		const struct rec_reservation *r =
			((const struct ev_cost_estimated *)ev->payload)->reservation;

		add_move(ret, &count, REQUESTS_ACCOUNT, 0, 1);
		for (uint32_t i = 0; r && i < r->accounts.count; i++)
			add_move(ret, &count, arena_keep(mem, r->accounts.items[i]), 0,
			         r->amount_usd);
		return count;
	}
	const struct ev_cost_recorded *p = ev->payload;

	if (t->estimate_open)
		add_move(ret, &count, REQUESTS_ACCOUNT, 0, -1);
	if (p->overrun)
		add_move(ret, &count, arena_keep(mem, p->overrun->account),
		         p->overrun->percent - p->overrun->before_percent, 0);
	for (uint32_t i = 0; i < t->reserved_against.count; i++)
		add_move(ret, &count, arena_keep(mem, t->reserved_against.items[i]),
		         p->has_amount_usd ? p->amount_usd : 0, -t->reserved_usd);
	return count;
}

/*
 * The ledger around decisions: each decision sees the accounts that its session
 * pays from, its changes apply at once, and sessions that wait for a
 * reservation are tried again when another one is released.
 */
#include "engine/resources/ledger.h"

#include "core/gen/inputs.h"
#include "core/step.h"
#include "engine/resources/task_slots.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

/* ---- at the start ---- */

/* One page of the newest is enough. */
void ledger_take_limits(struct engine *e, const struct store_read *r)
{
	for (size_t i = r->result == OK ? r->row_count : 0; i-- > 0;) {
		struct st_provider_limit said;
		struct json doc;

		if (json_read_trusted(r->mem, r->rows[i].body, &doc, NULL) == OK &&
		    rec_read(r->mem, doc, &st_provider_limit_desc, REC_OLDER, &said, NULL) == OK)
			limit_put(&e->limits, &said, r->rows[i].at);
	}
}

/* Without them a provider at its limit gets one more request, and reports the limit again. */
static void limits_read(struct store_read *r)
{
	struct engine *e = r->owner;

	ledger_take_limits(e, r);
	port_store_read_done(r);
	LISTENERS_CALL(e->listeners->ledger_read, e);
}

void ledger_read_limits(struct engine *e, struct store_read *r, void (*done)(struct store_read *r))
{
	*r = (struct store_read){ .kind = READ_INDEX,
		                  .table = INDEX_ITEM,
		                  .parent = STR("limits"),
		                  .newest_first = true,
		                  .done = done,
		                  .owner = e };
	e->ports.store->ops->read(e->ports.store, r);
}

static void look_again(struct clock_timer *t);

static void look_soon(struct engine *e)
{
	e->room.fire = look_again;
	e->ports.clock->ops->start(e->ports.clock, &e->room, 0);
}

/* Requests and tasks that wait may find more now. */
static void on_more(void *owner)
{
	struct engine *e = owner;

	if (e->is_closing || e->has_failed)
		return;
	look_soon(e);
	task_slots_look(e);
}

/* What the first requests will ask for. */
static void open_accounts(struct engine *e)
{
	struct ledger *l = e->ports.ledger;
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);

	if (!l)
		return;
	l->ops->watch(l, on_more, e);
	if (e->options.config->store_read_only)
		return;
	l->ops->open(l, REQUESTS_ACCOUNT, e->settings.config->limits_parallel_requests);
	l->ops->open(l, TASKS_ACCOUNT, e->settings.tasks.runtime);
	l->ops->open(l, ledger_view_day(e->scratch, now), e->settings.caps.day);
}

void ledger_start(struct engine *e)
{
	open_accounts(e);
	ledger_read_limits(e, &e->start_read, limits_read);
}

/* ---- before a decision ---- */

static struct ledger_view_account account_of(struct engine *e, struct str name)
{
	struct ledger *l = e->ports.ledger;
	struct ledger_balance b = l->ops->balance(l, name);

	return (struct ledger_view_account){ name, b.spent, b.reserved, b.elsewhere };
}

static int64_t spent_on(void *owner, struct str name)
{
	return account_of(owner, name).spent;
}

static enum ledger_room room_for(void *owner, const struct ledger_question *q)
{
	struct engine *e = owner;
	struct ledger *l = e->ports.ledger;

	if (str_eq(q->account, LEAVING_ACCOUNT))
		return e->is_leaving ? LEDGER_ASKS : LEDGER_HAS_ROOM;
	return l->ops->room(l, q);
}

/* One view per engine: it is valid for the decision that is being made. */
const struct ledger_view *ledger_view_for(struct session *s, int64_t now)
{
	struct engine *e = s->engine;

	if (!e->ports.ledger)
		return NULL;
	e->money = (struct ledger_view){
		.day = account_of(e, ledger_view_day(e->scratch, now)),
		.tenant =
			account_of(e, ledger_view_tenant(e->scratch, ledger_view_payer(s->state))),
		.requests = account_of(e, REQUESTS_ACCOUNT).reserved,
		.may_leave = e->is_leaving,
		.limits = &e->limits,
		.spent = spent_on,
		.room = room_for,
		.owner = e,
	};
	return &e->money;
}

void ledger_prepare(struct session *s, struct decision *d)
{
	d->ledger_view = ledger_view_for(s, d->now);
}

/* ---- while it is applied ---- */

/* Stored in the slice of the events, so that balances and events never differ after a crash. */
static void add_move(struct session *s, const struct ledger_move *m)
{
	struct pending_slice *p = commit_slice(s);
	struct arena *mem = s->engine->filling->mem;
	struct slice *sl = &p->slice;

	if (sl->move_count == p->move_cap) {
		size_t cap = p->move_cap ? p->move_cap * 2 : 8;

		sl->moves = arena_grow(mem, sl->moves, sl->move_count * sizeof *sl->moves,
		                       cap * sizeof *sl->moves);
		p->move_cap = cap;
	}
	sl->moves[sl->move_count] = *m;
	sl->moves[sl->move_count++].account = arena_keep(mem, m->account);
}

/*
 * Balances change when an event is applied, not when it is durable: two sessions that
 * decide in the same iteration must not spend the same money.  A slice that fails is taken
 * back by ledger_undo().
 */
void ledger_fold(struct session *s, const struct event *ev)
{
	struct engine *e = s->engine;
	struct money_move moves[MONEY_MOVES_MAX];
	size_t count;

	limit_note(&e->limits, ev);
	if (!e->ports.ledger)
		return;
	count = ledger_view_moves(e->scratch, s->state, ev, moves);
	for (size_t i = 0; i < count; i++) {
		struct ledger_move m = { moves[i].account, moves[i].spent, moves[i].reserved };

		e->ports.ledger->ops->move(e->ports.ledger, &m, 1);
		add_move(s, &m);
	}
	/* A cost ends a reservation.  The timer waits for the end of this decision. */
	if (count && ev->type == EV_COST_RECORDED)
		look_soon(e);
}

void ledger_undo(struct engine *e, const struct slice *slice)
{
	if (e->ports.ledger)
		e->ports.ledger->ops->undo(e->ports.ledger, slice->moves, slice->move_count);
}

/* ---- sessions that wait ---- */

static bool is_held(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *t = state_thread_active(w->s->threads.items[i]);

		if (t && t->stage == TURN_STAGE_WAITING && t->waiting_for != WAIT_FOR_RESOURCE)
			return true;
	}
	return false;
}

void ledger_forget(struct session *s)
{
	if (s->is_held)
		list_remove(&s->held);
	s->is_held = false;
}

void ledger_stepped(struct session *s, const struct decision *d)
{
	s->awaits_room = d->awaits_room;
}

/* A session that waits already keeps its place in the order. */
void ledger_settled(struct session *s)
{
	if (!is_held(s->state) && !s->awaits_room) {
		ledger_forget(s);
	} else if (!s->is_held) {
		s->is_held = true;
		list_add(&s->engine->held, &s->held);
	}
}

static bool has_requests_left(struct engine *e)
{
	return account_of(e, REQUESTS_ACCOUNT).reserved <
	       e->settings.config->limits_parallel_requests;
}

/*
 * Longest wait first, one after the other, so that each sees what the one before took.  A session
 * that waits for money does not block those behind it; when no request may start any more, the pass
 * ends.
 */
static void look_again(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, room);
	struct list *last = e->held.prev, *at = e->held.next;

	for (bool has_next = !list_is_empty(&e->held); has_next && has_requests_left(e);) {
		struct session *s = LIST_ITEM(at, struct session, held);
		struct decision *d;

		has_next = at != last; /* sessions that are held again are queued behind it */
		at = at->next;
		d = apply_begin(s, NULL);
		input_step_next(d);
		ledger_stepped(s, d);
		apply_end(s, d);
	}
}

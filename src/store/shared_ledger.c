/*
 * The ledger on a store that several nodes share: this node uses only what was allotted to it
 * (struct store_allotment of ports/store_nodes.h).
 *
 * What is spent is what this start has moved, known at once, and what all others have, known from
 * the last call about the account.  A call is made when an account is used for the first time, when
 * what is left does not suffice, when another node needs a part, and now and then while the
 * account is used, so that its balance is not old.
 *
 * A wish is asked for again, less and less often, until it is granted, or until no request has
 * needed it for a while.
 */
#include "store/ledger.h"

#include "base/list.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "base/util.h"

#include <stdlib.h>

/* Between two calls for a wish; each pause is longer than the one before. */
#define PAUSE_FIRST_MS 50
#define PAUSE_MOST_MS 1000
static_assert(PAUSE_MOST_MS < STORE_WISH_MS, "the store would forget a wish between two calls");
/* How old the balance of an account in use may be. */
#define REFRESH_MS 2000
/* Nodes pass a part on within two heartbeats; a wait that is no longer is not worth telling. */
#define TELL_MS 1000
/* A request that waits asks again at least this often; later its wish is dropped. */
#define TOLD_MS PAUSE_MOST_MS
#define NEEDED_MS (3 * TOLD_MS)
/* Accounts without use for so long are not refreshed, and those of a node alone more rarely. */
#define UNUSED_MS 60000
#define ALONE_MS 30000
/* Between two looks for the oldest balance. */
#define STALE_MS 1000

struct shared_ledger;

struct account {
	struct shared_ledger *ledger;
	struct ledger_balance own, others;
	int64_t lowest; /* that own.reserved was: what it settled for ended nodes; not above 0 */
	int64_t cap, allotted, overrun;
	int64_t wish;      /* beyond what is allotted; 0: none */
	int64_t wished_ms; /* when it was last said */
	int64_t began_ms;  /* when it was first said */
	int64_t asked_ms, pause_ms;
	int64_t used_ms; /* the last reservation, or question for one */
	bool is_known, is_asked;
	bool is_refused;   /* the last answer left a wish */
	bool is_unsettled; /* the store may not know what the last call said */
	bool is_opened;    /* kept up to date without being used */
	bool is_alone;     /* no other node lived at the last answer */
	struct store_allotment call;
	struct list waiting; /* in ledger->waiting while there is a wish */
	struct str name;
	char text[];
};

struct shared_ledger {
	struct ledger port;
	struct store *store;
	struct clock *clock;
	struct clock_timer timer;
	struct map accounts;       /* name → struct account */
	struct list waiting;       /* accounts with a wish */
	struct account *refreshed; /* one at a time */
	int64_t stale_ms, told_ms; /* when stale() last looked, and `more` was last called */
	void (*more)(void *owner);
	void *owner;
};

static int64_t now_ms(const struct shared_ledger *l)
{
	return l->clock->ops->mono_ms(l->clock);
}

static struct account *find(struct shared_ledger *l, struct str name)
{
	return map_get(&l->accounts, name);
}

static struct account *account_of(struct shared_ledger *l, struct str name)
{
	struct account *a = find(l, name);

	if (a)
		return a;
	a = memory_zeroed(1, sizeof *a + name.len + 1);
	memcpy(a->text, name.ptr, name.len);
	a->name = str_of(a->text, name.len);
	a->ledger = l;
	a->overrun = 1;
	list_init(&a->waiting);
	map_put(&l->accounts, a->name, a);
	return a;
}

/* ---- sums ---- */

static int64_t used(const struct account *a)
{
	return a->own.spent + a->own.reserved;
}

/*
 * Of requests that this node began.  What it settles for an ended node lowers own.reserved, and
 * says nothing about these.
 */
static int64_t in_flight(const struct account *a)
{
	return a->own.reserved - a->lowest;
}

/* What its requests may still cost stays here. */
static int64_t needed(const struct account *a, int64_t more, int64_t overrun)
{
	int64_t running = in_flight(a);

	return used(a) + more + (running > 0 ? (running + more) * (overrun - 1) : 0);
}

static int64_t spare(const struct account *a)
{
	return MAX(a->allotted - needed(a, 0, a->overrun), 0);
}

/* ---- calls ---- */

static void answered(struct store_allotment *call);

/* The allotment is what it keeps until the answer says what it got. */
static void ask(struct account *a, int64_t keep)
{
	struct shared_ledger *l = a->ledger;

	a->is_asked = a->is_unsettled = true;
	a->asked_ms = now_ms(l);
	a->allotted = MAX(keep, used(a));
	a->call = (struct store_allotment){ .account = a->name,
		                            .cap = a->cap,
		                            .keep = a->allotted,
		                            .want = a->wish,
		                            .done = answered,
		                            .owner = a };
	l->store->nodes->allot(l->store, &a->call);
}

static void drop_wish(struct account *a)
{
	a->wish = 0;
	a->pause_ms = PAUSE_FIRST_MS;
	list_remove(&a->waiting);
}

static void look(struct clock_timer *t);

/* The timer fires when the first of them is due. */
static void set_timer(struct shared_ledger *l)
{
	int64_t now = now_ms(l), first = INT64_MAX;

	LIST_EACH (&l->waiting, node) {
		const struct account *a = LIST_ITEM(node, struct account, waiting);

		if (!a->is_asked)
			first = MIN(first, a->asked_ms + a->pause_ms);
	}
	l->timer.fire = look;
	if (first == INT64_MAX)
		l->clock->ops->stop(l->clock, &l->timer);
	else
		l->clock->ops->start(l->clock, &l->timer, MAX(first - now, 1));
}

/* The last call about a wish that no request has takes it back. */
static void look(struct clock_timer *t)
{
	struct shared_ledger *l = OWNER_OF(t, struct shared_ledger, timer);
	int64_t now = now_ms(l);

	LIST_EACH_SAFE (&l->waiting, node, next) {
		struct account *a = LIST_ITEM(node, struct account, waiting);

		if (a->is_asked || a->asked_ms + a->pause_ms > now)
			continue;
		if (now - a->wished_ms > NEEDED_MS)
			drop_wish(a);
		else
			a->pause_ms = MIN(a->pause_ms * 2, PAUSE_MOST_MS);
		ask(a, a->allotted);
	}
	set_timer(l);
}

/*
 * Of a cap that was changed meanwhile it keeps what it has used.  False: a request that waits would
 * find what it found before.
 */
static bool note_answer(struct account *a, const struct store_allotment *call)
{
	bool is_news = !a->is_known || call->amount > call->keep || a->is_alone != call->is_alone ||
	               a->others.spent != call->spent || a->others.reserved != call->reserved;

	a->is_unsettled = false;
	a->is_refused = call->want > call->amount - call->keep;
	a->is_known = call->cap == a->cap;
	a->allotted = a->is_known ? call->amount : used(a);
	a->others.spent = call->spent;
	a->others.reserved = call->reserved;
	a->is_alone = call->is_alone;
	a->wish = MAX(a->wish - (call->amount - call->keep), 0);
	if (!a->wish)
		drop_wish(a);
	return is_news;
}

/* Without news now and then: requests that wait say again that they do. */
static void tell(struct shared_ledger *l, bool is_news)
{
	if (!l->more || (!is_news && now_ms(l) - l->told_ms < TOLD_MS))
		return;
	l->told_ms = now_ms(l);
	l->more(l->owner);
}

static void answered(struct store_allotment *call)
{
	struct account *a = call->owner;
	struct shared_ledger *l = a->ledger;
	bool is_news = false;

	a->is_asked = false;
	if (l->refreshed == a)
		l->refreshed = NULL;
	if (call->result == OK)
		is_news = note_answer(a, call);
	else
		log_line(LOG_DEBUG, "ledger", "%.*s: %s", STR_ARG(a->name), call->error.message);
	/* A wish is dropped when no request needs it after an answer; this is none. */
	if (call->result != OK && a->wish)
		a->wished_ms = now_ms(l);
	set_timer(l);
	tell(l, is_news);
}

static void wish_for(struct account *a, int64_t amount)
{
	struct shared_ledger *l = a->ledger;

	a->wished_ms = now_ms(l);
	if (!a->wish) {
		list_add(&l->waiting, &a->waiting);
		a->began_ms = a->wished_ms;
	}
	/* A smaller one may be another request. */
	a->wish = MAX(a->wish, amount);
	if (a->is_asked)
		return;
	if (a->wish > a->call.want || !a->pause_ms)
		a->pause_ms = PAUSE_FIRST_MS;
	/* One that was not granted just now is asked for by the timer. */
	if (a->is_refused && now_ms(l) - a->asked_ms < a->pause_ms && a->call.want >= a->wish)
		set_timer(l);
	else
		ask(a, a->allotted);
}

/* ---- the port ---- */

static struct shared_ledger *self(struct ledger *port)
{
	return OWNER_OF(port, struct shared_ledger, port);
}

/*
 * What ended nodes had reserved is settled by the node that takes their sessions over, so only one that
 * is alone can count it with its own.
 */
static struct ledger_balance port_balance(struct ledger *port, struct str name)
{
	const struct account *a = find(self(port), name);
	struct ledger_balance b = { 0 };

	if (!a)
		return b;
	b.spent = a->own.spent + a->others.spent;
	if (a->is_alone) {
		b.reserved = a->own.reserved + a->others.reserved;
		return b;
	}
	b.reserved = in_flight(a);
	b.elsewhere = MAX(a->others.reserved + a->lowest, 0);
	return b;
}

/* What was allotted of another cap says nothing about this one. */
static void note_cap(struct account *a, int64_t cap, int64_t overrun)
{
	a->overrun = overrun;
	if (a->cap == cap)
		return;
	a->cap = cap;
	a->is_known = false;
	a->allotted = used(a);
}

static enum ledger_room port_room(struct ledger *port, const struct ledger_question *q)
{
	struct account *a;
	int64_t lacking;

	if (q->cap <= 0)
		return LEDGER_HAS_ROOM;
	a = account_of(self(port), q->account);
	a->used_ms = now_ms(a->ledger);
	note_cap(a, q->cap, q->overrun);
	lacking = needed(a, q->amount, q->overrun) - a->allotted;
	if (a->is_known && lacking <= 0)
		return LEDGER_HAS_ROOM;
	wish_for(a, MAX(lacking, q->amount));
	return a->is_known && now_ms(a->ledger) - a->began_ms >= TELL_MS ? LEDGER_ELSEWHERE
	                                                                 : LEDGER_ASKS;
}

static bool port_fits(struct ledger *port, struct str name, int64_t cap, int64_t amount)
{
	const struct account *a = find(self(port), name);

	return cap <= 0 || (a && a->is_known && a->cap == cap && used(a) + amount <= a->allotted);
}

static void port_open(struct ledger *port, struct str name, int64_t cap)
{
	struct account *a;

	if (cap <= 0)
		return;
	a = account_of(self(port), name);
	a->is_opened = true;
	if (a->is_known || a->is_asked || a->cap == cap)
		return;
	note_cap(a, cap, a->overrun);
	wish_for(a, 1);
}

/* Half of what it does not need, and all of it to a node that waits longer than this one. */
static void port_wanted(struct ledger *port, struct str name, int64_t amount, bool is_first)
{
	struct account *a = find(self(port), name);
	int64_t free;

	if (!a || !a->is_known || a->is_asked || (a->wish && !is_first))
		return;
	free = spare(a);
	if (!a->wish)
		free = MIN(free, MAX(amount, free / 2));
	if (free > 0 || a->is_unsettled)
		ask(a, a->allotted - free);
}

static void refresh(struct account *a)
{
	struct shared_ledger *l = a->ledger;
	int64_t age = now_ms(l) - a->asked_ms;

	if (!a->is_known || a->is_asked || l->refreshed ||
	    age < (a->is_alone ? ALONE_MS : REFRESH_MS))
		return;
	l->refreshed = a;
	ask(a, a->allotted);
}

/* One at a time: there may be thousands. */
static void port_stale(struct ledger *port)
{
	struct shared_ledger *l = self(port);
	struct account *oldest = NULL;
	struct map_slot *slot;
	int64_t now = now_ms(l);

	if (now - l->stale_ms < STALE_MS)
		return;
	l->stale_ms = now;
	for (size_t i = 0; map_next(&l->accounts, &i, &slot);) {
		struct account *a = slot->value;
		bool is_used = a->is_opened || (a->used_ms && now - a->used_ms < UNUSED_MS);

		if (is_used && a->is_known && !a->is_asked &&
		    (!oldest || a->asked_ms < oldest->asked_ms))
			oldest = a;
	}
	if (oldest)
		refresh(oldest);
}

static void add_moves(struct shared_ledger *l, const struct ledger_move *moves, size_t count,
                      int sign)
{
	for (size_t i = 0; i < count; i++) {
		struct account *a = account_of(l, moves[i].account);

		a->own.spent += sign * moves[i].spent;
		a->own.reserved += sign * moves[i].reserved;
		a->lowest = MIN(a->lowest, a->own.reserved);
	}
}

static void port_move(struct ledger *port, const struct ledger_move *moves, size_t count)
{
	struct shared_ledger *l = self(port);

	add_moves(l, moves, count, 1);
	for (size_t i = 0; i < count; i++)
		refresh(account_of(l, moves[i].account));
}

static void port_undo(struct ledger *port, const struct ledger_move *moves, size_t count)
{
	add_moves(self(port), moves, count, -1);
}

static void port_watch(struct ledger *port, void (*more)(void *owner), void *owner)
{
	struct shared_ledger *l = self(port);

	l->more = more;
	l->owner = owner;
}

static void port_close(struct ledger *port)
{
	struct shared_ledger *l = self(port);
	struct map_slot *slot;

	l->clock->ops->stop(l->clock, &l->timer);
	for (size_t i = 0; map_next(&l->accounts, &i, &slot);)
		memory_free(slot->value);
	map_done(&l->accounts);
	memory_free(l);
}

static const struct ledger_ops ops = {
	.balance = port_balance,
	.room = port_room,
	.fits = port_fits,
	.open = port_open,
	.stale = port_stale,
	.wanted = port_wanted,
	.watch = port_watch,
	.move = port_move,
	.undo = port_undo,
	.close = port_close,
};

struct ledger *shared_ledger_new(struct store *s, struct clock *c, const struct ledger_move *rows,
                                 size_t count)
{
	struct shared_ledger *l = memory_zeroed(1, sizeof *l);

	l->port.ops = &ops;
	l->store = s;
	l->clock = c;
	list_init(&l->waiting);
	for (size_t i = 0; i < count; i++) {
		struct account *a = account_of(l, rows[i].account);

		a->others = (struct ledger_balance){ rows[i].spent, rows[i].reserved, 0 };
		a->is_alone = true;
	}
	return &l->port;
}

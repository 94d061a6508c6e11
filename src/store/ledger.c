/*
 * The ledger of one process that owns its store: balances in memory, loaded once
 * at the start.
 */
#include "store/ledger.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/util.h"

#include <stdlib.h>

struct account {
	struct ledger_balance balance;
	struct str name;
	char text[];
};

struct local_ledger {
	struct ledger port;
	struct map accounts; /* name → struct account */
};

static struct account *account_of(struct local_ledger *l, struct str name)
{
	struct account *a = map_get(&l->accounts, name);

	if (a)
		return a;
	a = memory_zeroed(1, sizeof *a + name.len + 1);
	memcpy(a->text, name.ptr, name.len);
	a->name = str_of(a->text, name.len);
	map_put(&l->accounts, a->name, a);
	return a;
}

/* An account without moves has a zero balance; asking does not create it. */
static struct ledger_balance balance(struct ledger *port, struct str name)
{
	struct local_ledger *l = OWNER_OF(port, struct local_ledger, port);
	struct account *a = map_get(&l->accounts, name);

	return a ? a->balance : (struct ledger_balance){ 0 };
}

static void move(struct ledger *port, const struct ledger_move *moves, size_t count)
{
	struct local_ledger *l = OWNER_OF(port, struct local_ledger, port);

	for (size_t i = 0; i < count; i++) {
		struct account *a = account_of(l, moves[i].account);

		a->balance.spent += moves[i].spent;
		a->balance.reserved += moves[i].reserved;
	}
}

/* For moves whose slice was not committed. */
static void undo(struct ledger *port, const struct ledger_move *moves, size_t count)
{
	for (size_t i = 0; i < count; i++)
		move(port,
		     &(const struct ledger_move){ moves[i].account, -moves[i].spent,
		                                  -moves[i].reserved },
		     1);
}

/* This node is the only one. */
static enum ledger_room room(struct ledger *port, const struct ledger_question *q)
{
	return LEDGER_HAS_ROOM;
}

static bool fits(struct ledger *port, struct str name, int64_t cap, int64_t amount)
{
	return true;
}

static void open_account(struct ledger *port, struct str name, int64_t cap)
{
}

static void wanted(struct ledger *port, struct str name, int64_t amount, bool is_first)
{
}

static void stale(struct ledger *port)
{
}

static void watch(struct ledger *port, void (*more)(void *owner), void *owner)
{
}

static void close_ledger(struct ledger *port)
{
	struct local_ledger *l = OWNER_OF(port, struct local_ledger, port);
	struct map_slot *slot;

	for (size_t i = 0; map_next(&l->accounts, &i, &slot);)
		free(slot->value);
	map_done(&l->accounts);
	free(l);
}

static const struct ledger_ops ops = {
	.balance = balance,
	.room = room,
	.fits = fits,
	.open = open_account,
	.stale = stale,
	.wanted = wanted,
	.watch = watch,
	.move = move,
	.undo = undo,
	.close = close_ledger,
};

/* The stored rows are sums, so loading is one move per account. */
enum err ledger_open(struct store *s, struct clock *c, struct ledger **ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct local_ledger *l;
	struct ledger_move *rows = NULL;
	size_t count = 0;
	enum err code = s->ops->accounts(s, mem, &rows, &count, e);

	if (code)
		return code;
	if (s->nodes) {
		*ret = shared_ledger_new(s, c, rows, count);
		return OK;
	}
	l = memory_zeroed(1, sizeof *l);
	l->port.ops = &ops;
	move(&l->port, rows, count);
	*ret = &l->port;
	return OK;
}

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

static void close_ledger(struct ledger *port)
{
	struct local_ledger *l = OWNER_OF(port, struct local_ledger, port);
	struct map_slot *slot;

	for (size_t i = 0; map_next(&l->accounts, &i, &slot);)
		free(slot->value);
	map_done(&l->accounts);
	free(l);
}

static const struct ledger_ops ops = { balance, move, undo, close_ledger };

/* The stored rows are sums, so loading is one move per account. */
enum err ledger_open(struct store *s, struct ledger **ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct local_ledger *l = memory_zeroed(1, sizeof *l);
	struct ledger_move *rows = NULL;
	size_t count = 0;
	enum err code = s->ops->accounts(s, mem, &rows, &count, e);

	l->port.ops = &ops;
	if (code) {
		close_ledger(&l->port);
		return code;
	}
	move(&l->port, rows, count);
	*ret = &l->port;
	return OK;
}

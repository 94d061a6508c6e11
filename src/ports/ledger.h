#ifndef PORTS_LEDGER_H
#define PORTS_LEDGER_H
/*
 * Accounts across sessions: what a day and a tenant have spent and reserved,
 * and how many requests are running.
 *
 * Every change follows from an event (cost.estimated, cost.recorded), so an
 * account is the sum over the log.  The change is committed in the same
 * transaction as the event (struct slice of ports/store.h): after a crash there
 * is neither a reservation without a request nor a request without a
 * reservation.
 *
 * A decision reads the ledger and updates it at once, before the event is
 * durable, so that two decisions never spend the same dollar. undo() takes back
 * what the store then fails to commit.
 */
#include "base/str.h"

struct ledger_move {
	struct str account;
	int64_t spent, reserved; /* amounts to add; 1e-9 dollars, or requests */
};

struct ledger_balance {
	int64_t spent, reserved;
};

struct ledger;
struct ledger_ops {
	/* An account without any move has zero in both. */
	struct ledger_balance (*balance)(struct ledger *l, struct str account);
	void (*move)(struct ledger *l, const struct ledger_move *moves, size_t count);
	/* The slice with these moves did not become durable. */
	void (*undo)(struct ledger *l, const struct ledger_move *moves, size_t count);
	void (*close)(struct ledger *l);
};
struct ledger {
	const struct ledger_ops *ops;
};

#endif

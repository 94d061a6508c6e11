#ifndef PORTS_LEDGER_H
#define PORTS_LEDGER_H
/*
 * Accounts that reach over sessions: what a day and a tenant have spent and
 * set aside, and how many requests are under way.
 *
 * Every change follows from a fact (cost.estimated, cost.recorded), so an
 * account is the sum over the log.  Its moves ride in the same transaction as
 * that fact (struct slice of ports/store.h): after a crash there is neither
 * money set aside for a request that never was, nor a request without money.
 *
 * A ledger is asked at the moment of the decision and told at once what was
 * decided, before the disk has it: two decisions never spend the same dollar.
 * What the disk then refuses is taken back with undo().
 */
#include "base/str.h"

struct ledger_move {
	struct str account;
	int64_t spent, reserved; /* what is added to each; 1e-9 dollars, or requests */
};

struct ledger_balance {
	int64_t spent, reserved;
};

struct ledger;
struct ledger_ops {
	/* Nothing has ever moved on it: zero and zero. */
	struct ledger_balance (*balance)(struct ledger *l, struct str account);
	void (*move)(struct ledger *l, const struct ledger_move *moves, size_t count);
	/* The slice that carried them did not become durable. */
	void (*undo)(struct ledger *l, const struct ledger_move *moves, size_t count);
	void (*close)(struct ledger *l);
};
struct ledger {
	const struct ledger_ops *ops;
};

#endif

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
 *
 * On a store that several nodes share, a node uses only what was allotted to it
 * (struct store_allotment of ports/store_nodes.h), so this also holds for two decisions of
 * two nodes.  On any other store there is always room.
 */
#include "base/str.h"
#include "core/budget/ledger_view.h"

struct ledger_move {
	struct str account;
	int64_t spent, reserved; /* amounts to add; 1e-9 dollars, or requests */
};

struct ledger_balance {
	int64_t spent;
	int64_t reserved;  /* by this node */
	int64_t elsewhere; /* reserved by others */
};

struct ledger;
struct ledger_ops {
	/* An account without any move has zero in all.  What others did may be some seconds old. */
	struct ledger_balance (*balance)(struct ledger *l, struct str account);
	/*
	 * May this node reserve the amount, and `overrun` times it and all that it has in flight if that
	 * is not nothing?  If not, it asks other nodes for the rest, and `more` is called when there
	 * may be more.  Whether the cap has room for it is the caller's question.
	 */
	enum ledger_room (*room)(struct ledger *l, const struct ledger_question *q);
	/* The same question, without asking anyone. */
	bool (*fits)(struct ledger *l, struct str account, int64_t cap, int64_t amount);
	/* Asks for a part of the account, so that the first room() finds it. */
	void (*open)(struct ledger *l, struct str account, int64_t cap);
	/* Other nodes wrote events: what is known of them may be old. */
	void (*stale)(struct ledger *l);
	/* Another node waits for so much of the account; struct store_watch says more. */
	void (*wanted)(struct ledger *l, struct str account, int64_t amount, bool is_first);
	/* Called from store_poll(). */
	void (*watch)(struct ledger *l, void (*more)(void *owner), void *owner);
	void (*move)(struct ledger *l, const struct ledger_move *moves, size_t count);
	/* The slice with these moves did not become durable. */
	void (*undo)(struct ledger *l, const struct ledger_move *moves, size_t count);
	void (*close)(struct ledger *l);
};
struct ledger {
	const struct ledger_ops *ops;
};

#endif

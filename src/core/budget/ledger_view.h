#ifndef CORE_LEDGER_VIEW_H
#define CORE_LEDGER_VIEW_H
/*
 * What decisions see beyond their own session: the ledger's accounts that it
 * pays from, and what providers last said about their limits.  It comes with
 * the moment, as time does; what was decided on it stands in the facts.
 */
#include "catalog/catalog.h"

/* ---- accounts ---- */

struct ledger_view_account {
	struct str name;         /* day:2026-11-15, tenant:owner */
	int64_t spent, reserved; /* 1e-9 dollars */
};

/* What an event moves on an account.  Not money but requests under way on REQUESTS_ACCOUNT. */
struct money_move {
	struct str account;
	int64_t spent, reserved;
};
#define REQUESTS_ACCOUNT STR("requests")
#define MONEY_MOVES_MAX 8

struct state;
/* Taken from the event and the state before it; returns how many.  Names live in mem. */
size_t ledger_view_moves(struct arena *mem, const struct state *before, const struct event *ev,
                         struct money_move ret[MONEY_MOVES_MAX]);

/* The names of the accounts of a session at a moment. */
struct str ledger_view_day(struct arena *mem, int64_t wall_ms);
struct str ledger_view_tenant(struct arena *mem, struct str principal);
/* Who made it, and pays; absent: the owner. */
struct str ledger_view_payer(const struct state *w);

/* ---- providers ---- */

#define LIMITS_MAX 64
#define LIMIT_NAME_MAX 64

struct limit_entry {
	char provider[LIMIT_NAME_MAX];
	enum limit_kind kind; /* rate or quota */
	enum limit_status state;
	int64_t until; /* wall ms; 0: not said */
	int64_t used, limit;
	bool has_used, has_limit;
};

/* The newest word of each provider on each kind; the oldest are forgotten. */
struct limits {
	struct limit_entry items[LIMITS_MAX];
	size_t count;
};

void limit_note(struct limits *l, const struct event *ev);
/* The same from what was kept of it. */
void limit_put(struct limits *l, const struct st_provider_limit *said);
/* NULL: it never said anything, or what it said has run out. */
const struct limit_entry *limit_find(const struct limits *l, struct str provider,
                                     enum limit_kind kind, int64_t now);

/* What an event says about a provider's limits; false: nothing. */
bool limit_said(const struct event *ev, struct st_provider_limit *ret);

struct ledger_view {
	struct ledger_view_account day, tenant;
	int64_t requests;            /* under way, over all sessions */
	int64_t tasks, tenant_tasks; /* that agents carry out, counted when they are bounded */
	bool others_first;           /* room for a task is somebody else's */
	const struct limits *limits;
	/* What is spent on any account. */
	int64_t (*spent)(void *owner, struct str account);
	void *owner;
};

#endif

#ifndef CORE_LEDGER_VIEW_H
#define CORE_LEDGER_VIEW_H
/*
 * What decisions see beyond their own session: the ledger's accounts that the
 * session pays from, and the limits that providers last reported.  Like the
 * time it is an input of the decision; events record what was decided on it.
 */
#include "catalog/catalog.h"

/* ---- accounts ---- */

struct ledger_view_account {
	struct str name;         /* day:2026-11-15, tenant:owner */
	int64_t spent, reserved; /* 1e-9 dollars */
	int64_t elsewhere;       /* reserved by other nodes; no decision counts it */
};

/* A change of an account by an event; on REQUESTS_ACCOUNT it counts running requests, not money. */
struct money_move {
	struct str account;
	int64_t spent, reserved;
};
#define REQUESTS_ACCOUNT STR("requests")
#define MONEY_MOVES_MAX 8

struct state;
/* Derived from the event and the state before it; returns how many.  Names live in mem. */
size_t ledger_view_moves(struct arena *mem, const struct state *before, const struct event *ev,
                         struct money_move ret[MONEY_MOVES_MAX]);

/* The names of the accounts of a session at a moment. */
struct str ledger_view_day(struct arena *mem, int64_t wall_ms);
struct str ledger_view_tenant(struct arena *mem, struct str principal);
/* The principal that created the session and pays; absent: the owner. */
struct str ledger_view_payer(const struct state *w);

/* ---- providers ---- */

#define LIMITS_MAX 64
#define LIMIT_NAME_MAX 64

struct limit_entry {
	char provider[LIMIT_NAME_MAX];
	enum limit_kind kind; /* rate or quota */
	enum limit_status state;
	int64_t until; /* wall ms; 0: not reported */
	int64_t at;    /* of the report */
	int64_t used, limit;
	bool has_used, has_limit;
};

/* The newest report of each provider on each kind; the oldest are dropped. */
struct limits {
	struct limit_entry items[LIMITS_MAX];
	size_t count;
};

void limit_note(struct limits *l, const struct event *ev);
/* The same from a row; `at` is the time of the report. */
void limit_put(struct limits *l, const struct st_provider_limit *said, int64_t at);
/* NULL: nothing was reported, or the report has expired. */
const struct limit_entry *limit_find(const struct limits *l, struct str provider,
                                     enum limit_kind kind, int64_t now);

/* The provider limit that an event reports; false: none. */
bool limit_said(const struct event *ev, struct st_provider_limit *ret);

/* No account: has a node that is about to end room for more work? */
#define LEAVING_ACCOUNT STR("leaving")

/* Whether this node may use an amount of what all nodes share. */
enum ledger_room {
	LEDGER_HAS_ROOM,
	LEDGER_ASKS,      /* not known yet: others were asked a moment ago */
	LEDGER_ELSEWHERE, /* other nodes have it, or have used it */
};

/* An amount under a cap; `overrun` times all that is in flight has to fit below it. */
struct ledger_question {
	struct str account;
	int64_t cap, amount, overrun;
};

struct ledger_view {
	struct ledger_view_account day, tenant;
	int64_t requests;            /* running, over all sessions */
	int64_t tasks, tenant_tasks; /* run by agents; counted only if there is a limit */
	bool others_first;           /* another session is next for a task slot */
	bool may_leave; /* the node may be about to end: ask room() for LEAVING_ACCOUNT */
	const struct limits *limits;
	/* The amount spent on any account. */
	int64_t (*spent)(void *owner, struct str account);
	enum ledger_room (*room)(void *owner, const struct ledger_question *q);
	void *owner;
};

#endif

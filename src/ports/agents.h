#ifndef PORTS_AGENTS_H
#define PORTS_AGENTS_H
/*
 * Remote agents, for display and for checks.  Work reaches them through tasks (worker kind peer),
 * not through this port.  Everything belongs to the loop's thread.
 */
#include "base/arena.h"
#include "base/list.h"
#include "base/str.h"

/* Strings live in the arena of list() or as long as the agents. */
struct agent_row {
	struct str name, card_url, description;
	struct str status; /* a word of enum peer_status */
	struct str detail; /* why it cannot be used; may be absent */
	/* Of its card, once that was read: */
	struct str agent, version, url, binding, card_hash, signed_by;
	const struct str *headers; /* names of the headers that it is sent */
	size_t header_count;
	int64_t open; /* delegations */
};

/* Cards are read now.  Part of the caller's struct; done is called once, later. */
struct agents_check {
	struct list node; /* of the agents */
	struct str name;  /* absent: all */
	void (*done)(struct agents_check *c);
	void *owner;
};

struct agents;
struct agents_ops {
	size_t (*list)(struct agents *a, struct arena *mem, const struct agent_row **ret);
	void (*check)(struct agents *a, struct agents_check *c);
};
struct agents {
	const struct agents_ops *ops;
};

#endif

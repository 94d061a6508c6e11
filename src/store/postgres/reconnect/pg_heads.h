#ifndef STORE_POSTGRES_RECONNECT_PG_HEADS_H
#define STORE_POSTGRES_RECONNECT_PG_HEADS_H
/*
 * The heads that were reported committed lately, of this start.
 *
 * After the server was replaced they tell which sessions it lacks events of.  Only so many are
 * kept, those that were written last.  Of the others the highest position is kept: a
 * server whose log reaches that far lacks nothing of them, because positions are one order.
 *
 * The writer's thread only.
 */
#include "base/hash/sha256.h"
#include "base/list.h"
#include "base/map.h"

#define PG_HEADS_MAX 16384

struct pg_head {
	struct list node; /* by age */
	struct str id;
	uint64_t seq, position; /* of its last event */
	struct sha256 hash;
	char text[];
};

struct pg_heads {
	struct map by_id;
	struct list by_age;          /* the one that was written last is last */
	uint64_t forgotten_position; /* the highest of those that are not kept; 0: none */
};

void pg_heads_init(struct pg_heads *h);
void pg_heads_done(struct pg_heads *h);
void pg_heads_note(struct pg_heads *h, struct str id, uint64_t seq, const struct sha256 *hash,
                   uint64_t position);

#endif

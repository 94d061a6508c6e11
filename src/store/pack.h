#ifndef STORE_PACK_H
#define STORE_PACK_H
/*
 * Events at rest: many of them in two zstd frames.
 *
 * The head says of each event where it is in the store's order, its class,
 * its length and a mark; it is small, and a filter by class looks at nothing
 * else.  The text is the bodies, one behind the other.  Hashes are not kept,
 * because 32 random bytes an event would be most of a pack: they follow from
 * the bodies and the hash before the first.  The mark is the first two bytes
 * of each, so that a body that was changed is found where it is and not at
 * the end of the pack.  docs/formats/event-log.md describes the bytes.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash/sha256.h"

/* A pack takes this much, unless a single event is larger. */
#define PACK_EVENTS 512
#define PACK_BYTES (512u * 1024)

struct pack_item {
	uint64_t position;
	uint32_t type;
	uint32_t len;
	uint8_t mark[2];
	bool is_erased;
	struct sha256 digest; /* of the body that was erased */
};

struct pack {
	struct pack_item *items;
	size_t count;
	struct str text;
};

/* Both frames, appended to what the buffers hold. */
void pack_write(const struct pack *p, struct buf *head, struct buf *text);

/* False: the frame is damaged. */
bool pack_read_head(struct arena *mem, struct str frame, uint64_t first_position,
                    struct pack *ret) MUST_USE;
/* Needs the head; fills text. */
bool pack_read_text(struct arena *mem, struct str frame, struct pack *p) MUST_USE;

/* The link that the item with this body adds to the chain. */
struct sha256 pack_link(const struct sha256 *prev, const struct pack_item *item, struct str body);

#endif

#ifndef STORE_PACK_H
#define STORE_PACK_H
/*
 * Packed events: many events in two zstd frames.
 *
 * The head has each event's position in the store's order, its class, its
 * length and a mark; it is small, and a filter by class reads nothing else.
 * The text frame has the bodies, concatenated.  Hashes are not stored, because
 * 32 random bytes per event would be most of a pack: they are computed from the
 * bodies and the hash before the first.  The mark is the first two bytes of
 * each hash, so that a changed body is located exactly and not only at the end
 * of the pack.  docs/formats/event-log.md describes the bytes.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash/sha256.h"

/* Limits of a pack, unless a single event is larger. */
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

/* Appends both frames to the buffers. */
void pack_write(const struct pack *p, struct buf *head, struct buf *text);

/* Returns false if the frame is damaged. */
bool pack_read_head(struct arena *mem, struct str frame, uint64_t first_position,
                    struct pack *ret) MUST_USE;
/* Needs the head; fills text. */
bool pack_read_text(struct arena *mem, struct str frame, struct pack *p) MUST_USE;

/* The head without its frame, for events that are not compressed. */
void pack_put_items(const struct pack *p, struct buf *out);
bool pack_take_items(struct arena *mem, struct str plain, uint64_t first_position,
                     struct pack *ret) MUST_USE;

/* One zstd frame with content size and checksum, and back; false: it is damaged. */
void pack_write_frame(struct buf *to, struct str plain);
bool pack_read_frame(struct arena *mem, struct str frame, struct str *ret) MUST_USE;

/* The link that the item with this body adds to the chain. */
struct sha256 pack_link(const struct sha256 *prev, const struct pack_item *item, struct str body);

#endif

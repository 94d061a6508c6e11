#ifndef ENGINE_MAINTENANCE_FLOOR_TEXT_H
#define ENGINE_MAINTENANCE_FLOOR_TEXT_H
/*
 * The blob that replaces the removed beginning of a log: the state at the floor
 * and the last key of the journal before it, without which the records behind
 * the floor cannot be read (docs/formats/event-log.md).
 *
 * The key names balances of the installation, so it leaves it with no export.
 */
#include "base/hash/sha256.h"
#include "core/state.h"

struct floor_text {
	uint64_t sequence;
	struct sha256 hash;
	const struct state *state;
	struct str key; /* of the journal; absent: there is none */
};

struct str floor_text_write(struct arena *mem, const struct floor_text *f);
/* The journal's key; absent: the text has none. */
struct str floor_text_key(struct arena *mem, struct str text);
/* The text without it. */
struct str floor_text_public(struct arena *mem, struct str text);

#endif

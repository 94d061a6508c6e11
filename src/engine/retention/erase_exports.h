#ifndef ENGINE_MAINTENANCE_ERASE_EXPORTS_H
#define ENGINE_MAINTENANCE_ERASE_EXPORTS_H
/*
 * Exports that hold an event whose text is about to be erased.
 *
 * The log says which exports were made, what they cover and which of them have
 * expired since.  A redacted export holds no text, and one of another turn does
 * not hold this event; both stay.
 */
#include "engine/engine_state.h"

struct erase_export {
	struct str ref, sha256;
	int64_t size;
	bool holds;
};

struct erase_exports {
	struct store_read read;
	uint64_t at;
	uint64_t types[4];                /* of the events that are read */
	const struct event *event, *turn; /* to be erased; its turn.submitted, or NULL */
	struct erase_export *items;
	size_t count, cap;
};

/* Reads the log and then calls request_restart(); `ev` lives as long as the request. */
void erase_exports_find(struct request *r, const struct event *ev, struct erase_exports *ret);
/* Was one found? */
bool erase_exports_any(const struct erase_exports *x);
/* Emits output.expired for each that was found; its file is removed when that is durable. */
void erase_exports_expire(struct decision *d, const struct erase_exports *x);

#endif

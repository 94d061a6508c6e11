#ifndef ENGINE_REQUEST_CURSOR_H
#define ENGINE_REQUEST_CURSOR_H
/*
 * Cursors of lists.  To callers they are opaque words that are returned
 * unchanged; an unknown one is refused, never interpreted.
 */
#include "base/arena.h"

/* (at, key): the key makes it unique, so that pages neither lose nor repeat rows. */
struct str cursor_text(struct arena *mem, int64_t at, struct str key);
/* key is borrowed from the cursor. */
bool cursor_read(struct str cursor, int64_t *ret_at, struct str *ret_key) MUST_USE;

/* A position in the log of all sessions. */
struct str cursor_position_text(struct arena *mem, uint64_t position);
bool cursor_read_position(struct str cursor, uint64_t *ret) MUST_USE;

#endif

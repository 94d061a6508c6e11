/*
 * Encodes and decodes the cursors of lists and of the log of all sessions.  A
 * cursor is opaque to callers; one that does not decode exactly is refused.
 */
#include "engine/request/cursor.h"

#include "base/os/id.h"
#include "engine/engine_state.h"

struct str cursor_text(struct arena *mem, int64_t at, struct str key)
{
	return arena_printf(mem, "%lld~%.*s", (long long)at, STR_ARG(key));
}

/* The key is checked as an id, because it becomes part of a query of the store. */
bool cursor_read(struct str cursor, int64_t *ret_at, struct str *ret_key)
{
	struct str key = cursor;
	struct str at = str_cut(&key, '~');
	int64_t number;

	if (!str_is(key) || !id_is_valid(key) || !str_to_i64(at, &number))
		return false;
	*ret_at = number;
	*ret_key = key;
	return true;
}

struct str cursor_position_text(struct arena *mem, uint64_t position)
{
	return arena_printf(mem, "p.%llu", (unsigned long long)position);
}

bool cursor_read_position(struct str cursor, uint64_t *ret)
{
	return str_starts(cursor, STR("p.")) && str_to_u64(str_skip(cursor, 2), ret);
}

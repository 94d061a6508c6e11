/* Looks up the channels that are connected now, by their ids. */
#include "engine/request/channel.h"

#include "engine/engine_state.h"

const struct rec_channel *channel_of(struct engine *e, struct str channel_id)
{
	struct channel *ch = str_is(channel_id) ? map_get(&e->channels, channel_id) : NULL;

	return ch ? ch->record : NULL;
}

/*
 * Only this installation can compute it, and every node of it does: so a channel of one node is
 * resumed at another.
 */
struct str channel_token(struct engine *e, struct arena *mem, struct str channel_id)
{
	struct sha256 h =
		sha256_of(arena_printf(mem, "%.*s\n%.*s", STR_ARG(e->secret), STR_ARG(channel_id)));

	return sha256_hex(mem, &h);
}

ptrdiff_t channel_session_at(struct channel *ch, struct str session_id)
{
	return rec_list_str_find(&ch->sessions, session_id);
}

/* Both lists grow together: acked[i] belongs to sessions[i]. */
void channel_bound(struct engine *e, struct str channel_id, struct str session_id)
{
	struct channel *ch = str_is(channel_id) ? map_get(&e->channels, channel_id) : NULL;

	if (!ch || channel_session_at(ch, session_id) >= 0)
		return;
	rec_list_str_add(ch->mem, &ch->sessions, session_id);
	ch->acked.items = arena_grow(ch->mem, ch->acked.items, ch->acked.count * sizeof(int64_t),
	                             (ch->acked.count + 1) * sizeof(int64_t));
	ch->acked.items[ch->acked.count++] = 0;
}

void channel_resumed(struct engine *e, struct str channel_id, struct str session_id, int64_t acked)
{
	struct channel *ch = str_is(channel_id) ? map_get(&e->channels, channel_id) : NULL;
	ptrdiff_t at;

	channel_bound(e, channel_id, session_id);
	at = ch ? channel_session_at(ch, session_id) : -1;
	if (at >= 0)
		ch->acked.items[at] = MAX(ch->acked.items[at], acked);
}

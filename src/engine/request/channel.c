/* Looks up the channels that are connected now, by their ids. */
#include "engine/request/channel.h"

#include "engine/engine_state.h"

const struct rec_channel *channel_of(struct engine *e, struct str channel_id)
{
	struct channel *ch = str_is(channel_id) ? map_get(&e->channels, channel_id) : NULL;

	return ch ? ch->record : NULL;
}

struct str channel_token(struct engine *e, struct str channel_id)
{
	struct channel *ch = map_get(&e->channels, channel_id);

	return ch ? ch->handle.resume_token : STR_NONE;
}

ptrdiff_t channel_session_at(struct channel *ch, struct str session_id)
{
	return rec_list_str_find(&ch->sessions, session_id);
}

/* Both lists grow together: acked[i] belongs to sessions[i]. */
void channel_bound(struct engine *e, struct str channel_id, struct session *s)
{
	struct channel *ch = str_is(channel_id) ? map_get(&e->channels, channel_id) : NULL;

	if (!ch || channel_session_at(ch, s->id) >= 0)
		return;
	rec_list_str_add(ch->mem, &ch->sessions, s->id);
	ch->acked.items = arena_grow(ch->mem, ch->acked.items, ch->acked.count * sizeof(int64_t),
	                             (ch->acked.count + 1) * sizeof(int64_t));
	ch->acked.items[ch->acked.count++] = 0;
}

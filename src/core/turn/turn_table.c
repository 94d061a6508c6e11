/*
 * The stages of a turn and their transitions.
 *
 *   (new) ─► QUEUED ─► ACCEPTED ─► PREPARING ─► SAMPLING ─► ACTING ─► SAMPLING ...
 *     │        ▲                     ▲    ▲        │
 *     ▼        │                     │    │        ▼
 *   MERGING ───┘       COMPACTING ───┘    │    FINISHING ─► ENDED
 *     │                WAITING, LOST ─────┘        │
 *     ▼                                            ▼ a steer or a stop hook asks for more
 *   ENDED                                       SAMPLING
 *
 *   any stage between ACCEPTED and FINISHING ─► FAILING, STOPPING or LOST
 *   FAILING ─► ENDED, or on with BACKING_OFF, COMPACTING, WAITING or another run (PREPARING)
 *   STOPPING ─► ENDED
 *   ACCEPTED ─► ENDED: an imported turn, which never runs here
 *   PREPARING ─► ACTING ─► ENDED: a turn without a model, which makes one call
 *
 *   BACKING_OFF  until the request to the same model is repeated
 *   COMPACTING   between two requests; a system turn may do nothing else
 *   WAITING      for a reservation under a cap, or for an available model
 *   LOST         a crash ended the run; resume_thread begins another
 *   MERGING      a message to the running turn, until that takes it
 */
#include "core/fold_part.h"
#include "core/turn/turn_table.h"

#define TO(stage) (1u << TURN_STAGE_##stage)
/* A turn can be stopped, fail, or be interrupted by a crash. */
#define BROKEN (TO(STOPPING) | TO(FAILING) | TO(LOST))
/* A request is sent, held under a cap, or preceded by a compaction. */
#define REQUEST (TO(SAMPLING) | TO(WAITING) | TO(COMPACTING))

static const unsigned transitions[TURN_STAGE_COUNT] = {
	[TURN_STAGE_ABSENT] = TO(ACCEPTED) | TO(QUEUED) | TO(MERGING),
	[TURN_STAGE_MERGING] = TO(QUEUED) | TO(ENDED),
	[TURN_STAGE_QUEUED] = TO(ACCEPTED) | TO(ENDED),
	[TURN_STAGE_ACCEPTED] = TO(PREPARING) | TO(ENDED) | BROKEN,
	/* To itself: another run begins before the first request of this one. */
	[TURN_STAGE_PREPARING] = REQUEST | TO(ACTING) | TO(PREPARING) | TO(ENDED) | BROKEN,
	/* To PREPARING: a truncated response is continued. */
	[TURN_STAGE_SAMPLING] = TO(ACTING) | TO(FINISHING) | TO(PREPARING) | BROKEN,
	[TURN_STAGE_ACTING] = REQUEST | TO(ENDED) | BROKEN,
	[TURN_STAGE_WAITING] = REQUEST | TO(PREPARING) | BROKEN,
	[TURN_STAGE_BACKING_OFF] = REQUEST | BROKEN,
	/* To itself: the request for the summary is sent. */
	[TURN_STAGE_COMPACTING] = REQUEST | TO(PREPARING) | TO(BACKING_OFF) | TO(ENDED) | BROKEN,
	[TURN_STAGE_FINISHING] = REQUEST | TO(ENDED) | BROKEN,
	/* To WAITING: no model is available, and the settings demand to wait for one. */
	[TURN_STAGE_FAILING] =
		TO(BACKING_OFF) | TO(COMPACTING) | TO(PREPARING) | TO(WAITING) | TO(ENDED) | BROKEN,
	/* To FAILING: an event of its end was refused. */
	[TURN_STAGE_STOPPING] = TO(STOPPING) | TO(FAILING) | TO(ENDED),
	[TURN_STAGE_LOST] = TO(PREPARING) | TO(STOPPING) | TO(FAILING) | TO(ENDED),
	[TURN_STAGE_ENDED] = 0,
};

bool turn_table_may(enum turn_stage from, enum turn_stage to)
{
	return (transitions[from] >> to) & 1;
}

/*
 * Tests and THOLE_STRICT=1 verify the table; a daemon in the field follows the log, because
 * refusing an event that happened would lose a session.
 */
void turn_table_move(const struct state *w, struct st_turn *t, enum turn_stage to)
{
	assert(!w->is_strict || turn_table_may(t->stage, to));
	t->stage = to;
}

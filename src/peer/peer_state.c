/*
 * What all files of this folder may do with a delegation: find it, wait, note why it is held up.
 * What follows is decided by peer_run_next(), which is called from the loop.
 */
#include "base/gen/limits.h"
#include "base/os/clock.h"
#include "base/utf8.h"
#include "peer/peer_int.h"

#define WHY_MAX 512
#define CARD_AGAIN_MS 5000

struct peer *peer_state_find_agent(struct peer_set *s, struct str name)
{
	for (size_t i = 0; i < s->count; i++)
		if (str_is(name) && str_eq(s->peers[i].name, name))
			return &s->peers[i];
	return NULL;
}

struct peer_run *peer_state_find(struct peer_set *s, struct str run_id)
{
	for (size_t i = 0; i < s->count; i++)
		LIST_EACH (&s->peers[i].runs, node) {
			struct peer_run *r = LIST_ITEM(node, struct peer_run, node);

			if (str_eq(r->run_id, run_id))
				return r;
		}
	return NULL;
}

/* ---- waits ---- */

static void on_timer(struct loop_timer *t)
{
	struct peer_run *r = OWNER_OF(t, struct peer_run, timer);

	r->peer->set->next(r);
}

void peer_state_later(struct peer_run *r, int64_t ms)
{
	loop_timer_start(r->peer->set->o.loop, &r->timer, ms, on_timer);
}

/* Nothing is sent to the agent before a wait has passed, which grows until something changes. */
void peer_state_wait(struct peer_run *r)
{
	r->wait_ms = r->wait_ms ? MIN(2 * r->wait_ms, (int64_t)LIMIT_PEER_POLL_MAX_MS)
	                        : (int64_t)LIMIT_PEER_POLL_MS;
	r->not_before_ms = clock_mono_ms() + r->wait_ms;
}

void peer_state_hurry(struct peer_run *r)
{
	r->not_before_ms = 0;
	peer_state_later(r, 0);
}

void peer_state_say(struct peer_run *r, struct str why)
{
	buf_clear(&r->why);
	buf_add_str(&r->why, utf8_head(why, WHY_MAX));
}

void peer_state_down(struct peer_run *r, struct str why)
{
	struct peer *p = r->peer;

	peer_state_say(r, why.len ? why : STR("The agent cannot be reached"));
	r->is_down = true;
	peer_state_wait(r);
	/* It may have moved, or the credential may have changed: its card is read again. */
	if (!p->card_call && clock_mono_ms() - p->card_read_ms >= CARD_AGAIN_MS)
		p->card_read_ms = 0;
}

void peer_state_up(struct peer_run *r)
{
	r->is_down = false;
	if (r->is_down_told)
		r->wants_report = true;
	r->is_down_told = false;
}

void peer_state_fail(struct peer_run *r, const char *category, struct str why)
{
	if (r->failed)
		return;
	peer_state_say(r, why);
	r->failed = category;
}

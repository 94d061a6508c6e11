/*
 * Anchors: heads of sessions, written into the system session.
 *
 * A hash chain reveals a change anywhere but at its end: deleting the newest
 * events of a session and resetting its record leaves a valid chain.  So every
 * few minutes, at each export and at the stop one event of sess_system names the
 * heads of all sessions that changed since: the root of a hash tree (RFC 6962), and
 * a blob with its leaves.
 *
 *   leaf: "<session id> <sequence> <hash in hex>", sorted by id, one a line
 *
 * The leaves of all anchors together are one tree that only grows.  With a signing
 * key its size and root are a signed checkpoint, which can be kept elsewhere.
 *
 * This file collects heads, and anchor_seed.c those of the run before; anchor_round.c makes an anchor, anchor_send.c sends its
 * checkpoint, anchor_read.c reads anchors for verify_log.
 */
#include "engine/maintenance/anchor_parts.h"

#include "base/memory.h"
#include "core/runtime_events.h"
#include "engine/engine_state.h"

#include <string.h>

struct str anchor_head_id(const struct head_seen *h)
{
	return str_of(h->id, h->len);
}

struct head_seen *anchor_head_in(struct map *m, struct str id)
{
	struct head_seen *h = map_get(m, id);

	if (h)
		return h;
	h = memory_zeroed(1, sizeof *h + id.len + 1);
	memcpy(h->id, id.ptr, id.len);
	h->len = id.len;
	map_put(m, anchor_head_id(h), h);
	return h;
}

void anchor_heads_drop(struct map *m)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(m, &i, &slot);)
		memory_free(slot->value);
	map_done(m);
	*m = (struct map){ 0 };
}

struct str anchor_origin(const struct engine *e, struct arena *mem)
{
	return arena_printf(mem, "thole/%.*s", STR_ARG(e->runtime_id));
}

struct str anchor_sign_trouble(const struct engine *e)
{
	return e->anchors && e->anchors->sign_trouble.code
	               ? str_from(e->anchors->sign_trouble.message)
	               : STR_NONE;
}

void anchor_drop(struct session *s)
{
	if (s->engine->anchors && str_eq(s->id, ANCHOR_SYSTEM))
		anchor_round_dropped(s->engine);
}

/*
 * Only durable heads are anchored.  Events of the system session do not make an anchor
 * necessary: each would make the next one necessary.  Its head is a leaf of every anchor.
 */
void anchor_published(struct engine *e, const struct pending_slice *p)
{
	const struct slice *slice = &p->slice;
	const struct store_event *last;
	struct head_seen *h;

	if (!e->anchors || !slice->event_count)
		return;
	last = &slice->events[slice->event_count - 1];
	if (str_eq(slice->session, ANCHOR_SYSTEM)) {
		anchor_round_durable(e, last->seq);
		return;
	}
	h = anchor_head_in(&e->anchors->changed, slice->session);
	h->seq = last->seq;
	h->hash = last->hash;
}

void anchor_forget(struct engine *e, struct str session)
{
	struct head_seen *h = e->anchors ? map_get(&e->anchors->changed, session) : NULL;

	if (!h)
		return;
	anchor_round_forget(e->anchors, session);
	map_remove(&e->anchors->changed, session);
	memory_free(h);
}

void anchor_remember(struct engine *e, struct str session, uint64_t seq, const struct sha256 *hash)
{
	struct head_seen *h;

	if (!e->anchors)
		return;
	h = anchor_head_in(&e->anchors->changed, session);
	h->seq = seq;
	h->hash = *hash;
}

static bool may_write(const struct engine *e)
{
	return e->anchors && e->is_ready && !e->is_stopping && !e->has_failed && !e->is_full;
}

void anchor_now(struct engine *e)
{
	if (may_write(e) && (e->anchors->changed.count || !list_is_empty(&e->anchors->wants)))
		request_job(e, ANCHOR_SYSTEM, true, anchor_round_begin, e);
}

bool anchor_want(struct engine *e, struct anchor_want *w)
{
	if (!may_write(e))
		return false;
	list_add(&e->anchors->wants, &w->node);
	anchor_now(e);
	return true;
}

static void on_timer(struct clock_timer *t)
{
	struct anchors *a = OWNER_OF(t, struct anchors, timer);
	struct engine *e = a->engine;

	anchor_now(e);
	anchor_send_again(a);
	e->ports.clock->ops->start(e->ports.clock, t,
	                           e->options.config->anchor_minutes * 60 * 1000);
}

/* An embedded runtime without a version writes no events about itself, and so no anchors. */
void anchor_start(struct engine *e)
{
	struct anchors *a;

	if (!str_is(e->options.version))
		return;
	a = e->anchors = memory_zeroed(1, sizeof *e->anchors);
	a->engine = e;
	a->timer.fire = on_timer;
	list_init(&a->wants);
	anchor_send_init(a);
	e->ports.clock->ops->start(e->ports.clock, &a->timer,
	                           e->options.config->anchor_minutes * 60 * 1000);
}

/* The run before may have ended before it sent its last checkpoint. */
static void send_last(struct session *s, void *arg)
{
	struct engine *e = arg;

	if (s && s->phase == SESSION_LIVE && e->anchors && s->state->s->tree &&
	    str_is(s->state->s->tree->checkpoint))
		anchor_send(e->anchors, s->state->s->tree->checkpoint);
}

void anchor_ready(struct engine *e)
{
	if (e->anchors)
		anchor_seed_begin(e->anchors);
	if (e->anchors && e->anchors->sending)
		request_job_with(e, ANCHOR_SYSTEM, false, ELSEWHERE_NONE, send_last, e);
}

/* Requests own the wants; their nodes stay valid. */
void anchor_free(struct engine *e)
{
	struct anchors *a = e->anchors;

	if (!a)
		return;
	e->ports.clock->ops->stop(e->ports.clock, &a->timer);
	anchor_round_free(a);
	anchor_seed_free(a);
	while (!list_is_empty(&a->wants))
		list_remove(a->wants.next);
	anchor_send_free(a);
	anchor_heads_drop(&a->changed);
	anchor_heads_drop(&a->named);
	anchor_heads_drop(&a->removed);
	memory_free(a);
	e->anchors = NULL;
}

/*
 * A cache of conversations of active sessions.
 *
 * A request contains everything that its thread said so far.  Reading that from
 * the log for every request gets more expensive with every turn, so the
 * conversation is built while events are folded, and copied for each request.
 * The cache holds nothing that the log does not: it is dropped when the session
 * has been idle for a moment, when it grows too large, and when the past of the
 * thread changes (a compaction, a rollback, retention), and is read again when
 * needed.
 */
#include "engine/session/conversation_cache.h"

#include "base/memory.h"
#include "core/context/assemble.h"
#include "core/context/history_marks.h"
#include "engine/engine_state.h"

#define HELD_MAX_BYTES (8u << 20)  /* of one conversation: about 10,000 short turns */
#define ALL_MAX_BYTES (64u << 20)  /* of all sessions */
#define REST_MAX_BYTES (16u << 20) /* the same, when one session is idle */

struct held {
	struct held *next;
	struct arena *mem;
	struct assembly assembly;
	struct str thread_id;
	int64_t said; /* the newest event in it that a request would see */
	bool is_read; /* false: the request at `said` reads it, and adds it here */
	size_t fresh; /* bytes when it was last without waste */
	size_t bytes; /* as they are counted in the engine */
};

/* Unsigned wrap-around is intended: the sum stays right when a conversation shrinks. */
static void count_bytes(struct session *s, struct held *h, size_t bytes)
{
	s->engine->conversation_bytes += bytes - h->bytes;
	h->bytes = bytes;
}

static struct held **cache_find(struct session *s, struct str thread_id)
{
	struct held **at = &s->conversations;

	while (*at && !str_eq((*at)->thread_id, thread_id))
		at = &(*at)->next;
	return at;
}

static void cache_drop(struct session *s, struct held **at)
{
	struct held *h = *at;

	*at = h->next;
	count_bytes(s, h, 0);
	assemble_done(&h->assembly);
	arena_free(h->mem);
	memory_free(h);
}

void conversation_cache_forget(struct session *s)
{
	while (s->conversations)
		cache_drop(s, &s->conversations);
}

void conversation_cache_settled(struct session *s)
{
	if (s->conversations && !state_is_open(s->state) &&
	    s->engine->conversation_bytes > REST_MAX_BYTES)
		conversation_cache_forget(s);
}

/* An entry without content; cache_begin() or the read of a request fills it. */
static struct held *cache_hold(struct session *s, const struct event *ev)
{
	struct held *h = memory_zeroed(1, sizeof *h);

	h->mem = arena_new();
	h->thread_id = arena_keep(h->mem, ev->thread_id);
	h->said = ev->sequence;
	h->next = s->conversations;
	s->conversations = h;
	return h;
}

/* Do this request and all later ones begin with this turn? */
static bool begins_with(const struct st_thread *th, struct str turn_id)
{
	if (history_marks_units(th))
		return false;
	for (uint32_t i = 0; i < th->turns.count; i++)
		if (!turn_is_over(th->turns.items[i]) &&
		    !str_eq(th->turns.items[i]->turn_id, turn_id))
			return false;
	return true;
}

/*
 * Two ways into the cache: a thread whose whole conversation begins with this turn needs
 * no read at all; otherwise the next request reads the log and leaves its result here.
 * The conversation of a compacted thread begins with a summary, and only a read finds it.  A forked
 * thread has parts of other histories and is not cached.
 */
static void cache_begin(struct session *s, const struct event *ev)
{
	const struct st_thread *th = state_thread(s->state, ev->thread_id);
	struct assembly_start start = { .from = ev->sequence, .origin_count = 1 };
	struct held *h;

	if (!th || th->forked_from)
		return;
	/* An event between the request and its read makes the read outdated. */
	if (ev->type == EV_MODEL_REQUESTED) {
		cache_hold(s, ev);
		return;
	}
	if (ev->type != EV_TURN_SUBMITTED || th->compactions.count || !begins_with(th, ev->turn_id))
		return;
	h = cache_hold(s, ev);
	start.origins[0] = (struct assembly_origin){ h->thread_id, INT64_MAX };
	assemble_init(&h->assembly, h->mem, &start);
	h->is_read = true;
	assemble_feed(&h->assembly, ev);
}

/*
 * Keeps the cached conversation equal to what a read of the log would give.  Events that
 * change the past drop it; so does any event between a request and its read.
 */
void conversation_cache_folded(struct session *s, const struct event *ev)
{
	struct held **at, *h;

	if (!str_is(ev->thread_id) || !assemble_takes(ev->type))
		return;
	at = cache_find(s, ev->thread_id);
	h = *at;
	if (!h) {
		cache_begin(s, ev);
		return;
	}
	if (!h->is_read || ev->type == EV_CONTEXT_COMPACTION_COMPLETED ||
	    ev->type == EV_HISTORY_ROLLBACK_COMPLETED) {
		cache_drop(s, at);
		if (ev->type == EV_MODEL_REQUESTED)
			cache_begin(s, ev);
		return;
	}
	assemble_feed(&h->assembly, ev);
	/* A queued turn is no part of the conversation of the running one. */
	if (ev->type != EV_TURN_SUBMITTED)
		h->said = ev->sequence;
	count_bytes(s, h, arena_used(h->mem));
	if (h->bytes > HELD_MAX_BYTES || s->engine->conversation_bytes > ALL_MAX_BYTES)
		cache_drop(s, at);
}

/* Messages before the start are no longer sent; the copy drops them when they are half of all. */
static void cache_slim(struct session *s, struct held *h, const struct assembly_start *start)
{
	struct arena *mem;
	struct assembly copy;

	if (arena_used(h->mem) < 2 * h->fresh + (64u << 10))
		return;
	mem = arena_new();
	assemble_copy(&h->assembly, start, mem, &copy);
	h->thread_id = arena_keep(mem, h->thread_id);
	assemble_done(&h->assembly);
	arena_free(h->mem);
	h->mem = mem;
	h->assembly = copy;
	h->fresh = arena_used(mem);
	count_bytes(s, h, h->fresh);
}

/*
 * The copy serves only the request whose event is the newest in it: a later event would
 * put text into a request that was decided without it.
 */
bool conversation_cache_take(struct session *s, struct str thread_id, int64_t seq,
                             const struct assembly_start *start, struct arena *mem,
                             struct assembly *ret)
{
	struct held *h = *cache_find(s, thread_id);

	if (!h || !h->is_read || h->said != seq || h->assembly.start.from > start->from ||
	    !str_eq(h->assembly.start.summary.ref, start->summary.ref))
		return false;
	cache_slim(s, h, start);
	assemble_copy(&h->assembly, start, mem, ret);
	return true;
}

void conversation_cache_were_read(struct session *s, struct str thread_id, int64_t seq,
                                  const struct assembly *a)
{
	struct held *h = *cache_find(s, thread_id);

	if (!h || h->is_read || h->said != seq)
		return;
	assemble_copy(a, &a->start, h->mem, &h->assembly);
	h->fresh = arena_used(h->mem);
	count_bytes(s, h, h->fresh);
	h->is_read = true;
}

/*
 * Conversations that go on, kept while their session is at work.
 *
 * A request is made of what its thread said so far.  Reading that back from
 * the log for every request costs more with every turn, and with every
 * thread beside it; so a conversation is held as it is folded, and copied
 * for each request.  What is held is nothing but the log read earlier: it
 * goes when the session has rested for a moment, when it grows too large, and
 * when the past of the thread changes (a summary, a rollback, a trim), and is
 * read anew when wanted.
 */
#include "engine/session/conversation_cache.h"

#include "base/memory.h"
#include "core/context/assemble.h"
#include "core/context/history_marks.h"
#include "engine/engine_state.h"

#define HELD_MAX_BYTES (8u << 20)  /* of one conversation: some 10,000 short turns */
#define ALL_MAX_BYTES (64u << 20)  /* of all sessions */
#define REST_MAX_BYTES (16u << 20) /* the same, when one of them rests */

struct held {
	struct held *next;
	struct arena *mem;
	struct assembly assembly;
	struct str thread_id;
	int64_t said; /* the newest event in it that a request would see: no mere arrival */
	bool is_read; /* false: the request at `said` reads it, and hands it over */
	size_t fresh; /* bytes when it was last without waste */
	size_t bytes; /* as they are counted in the engine */
};

static void count_bytes(struct session *s, struct held *h, size_t bytes)
{
	s->engine->conversation_bytes += bytes - h->bytes;
	h->bytes = bytes;
}

static struct held **find(struct session *s, struct str thread_id)
{
	struct held **at = &s->conversations;

	while (*at && !str_eq((*at)->thread_id, thread_id))
		at = &(*at)->next;
	return at;
}

static void drop(struct session *s, struct held **at)
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
		drop(s, &s->conversations);
}

void conversation_cache_settled(struct session *s)
{
	if (s->conversations && !state_is_open(s->state) &&
	    s->engine->conversation_bytes > REST_MAX_BYTES)
		conversation_cache_forget(s);
}

static struct held *hold(struct session *s, const struct event *ev)
{
	struct held *h = memory_zeroed(1, sizeof *h);

	h->mem = arena_new();
	h->thread_id = arena_keep(h->mem, ev->thread_id);
	h->said = ev->sequence;
	h->next = s->conversations;
	s->conversations = h;
	return h;
}

/* Nothing before this turn will be sent with it, nor with what comes after it. */
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

static void begin(struct session *s, const struct event *ev)
{
	const struct st_thread *th = state_thread(s->state, ev->thread_id);
	struct conversation_start start = { .from = ev->sequence, .origin_count = 1 };
	struct held *h;

	if (!th || th->compactions.count || th->forked_from)
		return;
	/* Whatever is said between the request and its reading makes the reading stale. */
	if (ev->type == EV_MODEL_REQUESTED) {
		hold(s, ev);
		return;
	}
	if (ev->type != EV_TURN_SUBMITTED || !begins_with(th, ev->turn_id))
		return;
	h = hold(s, ev);
	start.origins[0] = (struct conversation_origin){ h->thread_id, INT64_MAX };
	assemble_init(&h->assembly, h->mem, &start);
	h->is_read = true;
	assemble_feed(&h->assembly, ev);
}

void conversation_cache_folded(struct session *s, const struct event *ev)
{
	struct held **at, *h;

	if (!str_is(ev->thread_id) || !assemble_takes(ev->type))
		return;
	at = find(s, ev->thread_id);
	h = *at;
	if (!h) {
		begin(s, ev);
		return;
	}
	if (!h->is_read || ev->type == EV_CONTEXT_COMPACTION_COMPLETED ||
	    ev->type == EV_HISTORY_ROLLBACK_COMPLETED) {
		drop(s, at);
		if (ev->type == EV_MODEL_REQUESTED)
			begin(s, ev);
		return;
	}
	assemble_feed(&h->assembly, ev);
	if (ev->type != EV_TURN_SUBMITTED)
		h->said = ev->sequence;
	count_bytes(s, h, arena_used(h->mem));
	if (h->bytes > HELD_MAX_BYTES || s->engine->conversation_bytes > ALL_MAX_BYTES)
		drop(s, at);
}

/* What was said before the start is not sent any more; its waste goes when it is half of all. */
static void slim(struct session *s, struct held *h, const struct conversation_start *start)
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

bool conversation_cache_take(struct session *s, struct str thread_id, int64_t seq,
                             const struct conversation_start *start, struct arena *mem,
                             struct assembly *ret)
{
	struct held *h = *find(s, thread_id);

	if (!h || !h->is_read || h->said != seq || h->assembly.start.from > start->from)
		return false;
	slim(s, h, start);
	assemble_copy(&h->assembly, start, mem, ret);
	return true;
}

void conversation_cache_were_read(struct session *s, struct str thread_id, int64_t seq,
                                  const struct assembly *a)
{
	struct held *h = *find(s, thread_id);

	if (!h || h->is_read || h->said != seq)
		return;
	assemble_copy(a, &a->start, h->mem, &h->assembly);
	h->fresh = arena_used(h->mem);
	count_bytes(s, h, h->fresh);
	h->is_read = true;
}

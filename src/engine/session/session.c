/*
 * Sessions in memory: their map, the requests that wait for one, and how one
 * leaves. load.c loads a session from the store, eviction.c evicts an idle one.
 */
#include "engine/session/session.h"

#include "base/memory.h"
#include "engine/engine_state.h"

struct session *session_find(struct engine *e, struct str id)
{
	return map_get(&e->sessions, id);
}

static struct session *session_alloc(struct engine *e, struct str id, bool is_new)
{
	struct session *s = memory_zeroed(1, sizeof *s);
	char *copy = memory_alloc(id.len + 1);

	memcpy(copy, id.ptr, id.len);
	copy[id.len] = 0;
	s->engine = e;
	s->id = str_of(copy, id.len);
	list_init(&s->waiting);
	list_init(&s->arriving);
	list_init(&s->watching);
	list_init(&s->effects);
	list_init(&s->recent);
	s->is_new = is_new;
	s->phase = is_new ? SESSION_LIVE : SESSION_LOADING;
	if (is_new)
		s->state = state_new();
	list_init(&s->by_use);
	return s;
}

/*
 * A new session is live at once: its first decision writes session.created.  The caller
 * loads any other one.
 */
struct session *session_make(struct engine *e, struct str id, bool is_new)
{
	struct session *s = session_alloc(e, id, is_new);

	e->ports.clock->ops->entropy(e->ports.clock, s->journal.seed);
	session_touch(s);
	map_put(&e->sessions, s->id, s);
	return s;
}

struct session *session_peek(struct engine *e, struct str id)
{
	struct session *s = session_alloc(e, id, false);

	s->is_peek = true;
	return s;
}

/* The session has left the map before, or the engine ends. */
void session_free(struct session *s)
{
	s->engine->ports.clock->ops->stop(s->engine->ports.clock, &s->timer);
	s->engine->session_bytes -= s->bytes;
	list_remove(&s->by_use);
	LISTENERS_CALL(s->engine->listeners->freed, s);
	state_free(s->state);
	lease_done(&s->leases);
	memory_free((char *)s->id.ptr);
	memory_free(s);
}

void session_touch(struct session *s)
{
	s->used_at = s->engine->ports.clock->ops->mono_ms(s->engine->ports.clock);
	list_remove(&s->by_use);
	list_add(&s->engine->by_use, &s->by_use);
}

/*
 * For sessions that were loaded only to be recovered or because of a deadline: thousands
 * of them must not push out those that clients use.
 */
void session_untouch(struct session *s)
{
	s->used_at -= SESSION_CROWDED_REST_MS;
	s->is_slim = true; /* not worth the copy */
	list_remove(&s->by_use);
	list_add_before(s->engine->by_use.next, &s->by_use);
}

void session_weigh(struct session *s)
{
	size_t bytes = sizeof *s + (s->state ? arena_held(s->state->mem) : 0);

	s->engine->session_bytes += bytes - s->bytes; /* wraps around when smaller */
	s->bytes = bytes;
}

/* From here on a request for the same id loads the session again. */
void session_leave(struct session *s)
{
	map_remove(&s->engine->sessions, s->id);
	LISTENERS_CALL(s->engine->listeners->left, s);
	s->phase = SESSION_GONE;
	s->engine->ports.clock->ops->stop(s->engine->ports.clock, &s->timer);
}

/* ---- waiters ---- */

/*
 * A waiter may add or remove others in its callback, so the list is read from its head
 * each time.
 */
static void lose_all(struct list *waiters, enum error_code why, const char *detail)
{
	while (!list_is_empty(waiters)) {
		struct session_waiter *w = LIST_ITEM(waiters->next, struct session_waiter, node);

		list_remove(&w->node);
		w->ops->lost(w, why, detail);
	}
}

void session_wait(struct session *s, struct session_waiter *w)
{
	w->seq = s->applied;
	list_add(&s->waiting, &w->node);
}

void session_durable(struct session *s)
{
	LIST_EACH_SAFE (&s->waiting, node, tmp) {
		struct session_waiter *w = LIST_ITEM(node, struct session_waiter, node);

		if (w->seq > s->durable)
			continue;
		list_remove(&w->node);
		w->ops->durable(w);
	}
}

void session_arrive(struct session *s)
{
	while (!list_is_empty(&s->arriving)) {
		struct session_waiter *w = LIST_ITEM(s->arriving.next, struct session_waiter, node);

		list_remove(&w->node);
		w->ops->arrived(w);
	}
}

/* ---- dropped sessions are loaded again ---- */

/*
 * A dropped session is loaded again after this delay even if no client asks for it: its
 * deadlines and its interrupted work must not wait for one.
 */
#define COME_BACK_MS 2000

bool session_was_dropped(struct engine *e, struct str id)
{
	LIST_EACH (&e->dropped, node) {
		struct session_dropped *d = LIST_ITEM(node, struct session_dropped, node);

		if (!str_eq(d->id, id))
			continue;
		list_remove(&d->node);
		memory_free(d);
		return true;
	}
	return false;
}

static void note_dropped(struct session *s)
{
	struct engine *e = s->engine;
	struct session_dropped *d = memory_zeroed(1, sizeof *d + s->id.len + 1);

	memcpy(d->text, s->id.ptr, s->id.len);
	d->id = str_of(d->text, s->id.len);
	list_add(&e->dropped, &d->node);
	session_come_back(e);
}

void session_come_back(struct engine *e)
{
	e->ports.clock->ops->start(e->ports.clock, &e->come_back, COME_BACK_MS);
}

void session_forget_dropped(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->come_back);
	while (!list_is_empty(&e->dropped))
		session_was_dropped(e,
		                    LIST_ITEM(e->dropped.next, struct session_dropped, node)->id);
}

/*
 * Events that were applied but not durable never happened: no client has seen them.  The session is
 * loaded by its next use, or soon by itself; running effects are lost by then, and recorded as
 * lost.
 */
void session_drop(struct session *s, enum error_code why, const char *detail)
{
	if (s->phase == SESSION_GONE)
		return;
	s->gone_why = why;
	/* A session without a durable event does not exist; there is nothing to load. */
	if (s->durable)
		note_dropped(s);
	LISTENERS_CALL(s->engine->listeners->drop, s);
	commit_forget(s);
	session_leave(s);
	LISTENERS_CALL(s->engine->listeners->dropped, s);
	lose_all(&s->waiting, why, detail);
	lose_all(&s->arriving, why, detail);
	lose_all(&s->watching, why, detail);
}

void session_release(struct session *s)
{
	if (s->phase == SESSION_GONE && !s->readers && !s->in_flight)
		session_free(s);
}

void session_abandon(struct session *s, enum error_code why)
{
	session_drop(s, why, "");
	session_release(s); /* otherwise the last reader does */
}

/* Leases exist in memory only: a session whose workers send heartbeats stays. */
bool session_is_unused(const struct session *s)
{
	return session_is_settled(s) && list_is_empty(&s->waiting) && !s->is_held &&
	       !s->is_in_line && !s->readers && list_is_empty(&s->watching) && !s->leases.count &&
	       !s->feed && !s->sending && (!s->items || s->engine->is_leaving);
}

bool session_is_settled(const struct session *s)
{
	return s->phase == SESSION_LIVE && !s->slice && !s->in_flight &&
	       list_is_empty(&s->effects) && s->applied == s->durable;
}

/*
 * Batches appended events, and releases what waited for them.
 *
 * Everything that was applied in one iteration of the loop is one batch, with
 * one slice per session.  When the store reports it durable, and only then,
 * replies are sent, subscribers see the events, and effects start.
 */
#include "engine/session/commit.h"

#include "base/os/log.h"
#include "engine/maintenance/damage.h"
#include "engine/engine_state.h"

static void batch_done(struct batch *b);

/* The batch of this iteration of the loop.  `dirty` asks the owner to flush before sleeping. */
static struct pending_batch *filling_batch(struct engine *e)
{
	struct arena *mem;

	if (e->filling)
		return e->filling;
	mem = arena_new();
	e->filling = ARENA_NEW(mem, struct pending_batch);
	e->filling->mem = mem;
	e->filling->engine = e;
	e->filling->batch.owner = e->filling;
	e->filling->batch.done = batch_done;
	if (e->hooks.dirty)
		e->hooks.dirty(e->hooks.owner);
	return e->filling;
}

/*
 * A slice without events is valid: rows, a snapshot or a pending operation can be all
 * there is to write.  prev_seq and prev_hash let the store refuse the slice if another
 * owner wrote in between.
 */
struct pending_slice *commit_slice(struct session *s)
{
	struct pending_batch *b = filling_batch(s->engine);
	struct pending_slice *p;

	if (s->slice)
		return s->slice;
	p = ARENA_NEW(b->mem, struct pending_slice);
	p->session = s;
	p->slice.session = arena_keep(b->mem, s->id);
	p->slice.prev_seq = s->applied;
	p->slice.prev_hash = s->hash;
	p->rows.mem = b->mem;
	if (b->count == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 16;

		b->slices = arena_grow(b->mem, b->slices, b->count * sizeof *b->slices,
		                       cap * sizeof *b->slices);
		b->cap = cap;
	}
	b->slices[b->count++] = p;
	s->slice = p;
	return p;
}

/*
 * A slice contains a snapshot after every so many events, so that loading stays short; a large
 * state less often, when about as much was written since.
 */
static void take_snapshot(struct pending_batch *b, struct pending_slice *p)
{
	struct session *s = p->session;
	uint64_t wanted = (uint64_t)s->engine->options.config->session_snapshot_events;
	uint64_t worth = state_bytes(s->state) >> 10; /* an event is a kilobyte */

	if (!s->wants_snapshot && s->applied < s->snapshot_seq + MAX(wanted, worth))
		return;
	s->wants_snapshot = false;
	p->slice.snapshot = state_text(b->mem, s->state);
	p->slice.snapshot_seq = s->applied;
	p->slice.snapshot_version = arena_printf(b->mem, "%d", FOLD_VERSION);
	s->snapshot_seq = s->applied;
}

/* The session is dropped: its uncommitted events are not submitted. */
void commit_forget(struct session *s)
{
	struct pending_batch *b = s->engine->filling;
	struct pending_slice *p = s->slice;

	if (!p)
		return;
	LISTENERS_CALL(s->engine->listeners->undone, s->engine, &p->slice);
	s->slice = NULL;
	for (size_t i = 0; i < b->count; i++)
		if (b->slices[i] == p) {
			memmove(&b->slices[i], &b->slices[i + 1],
			        (b->count - i - 1) * sizeof *b->slices);
			b->count--;
			break;
		}
	for (size_t i = 0; i < p->slice.event_count; i++) {
		b->batch.bytes -= p->slice.events[i].body->len;
		bytes_unref(p->slice.events[i].body);
	}
}

static void free_batch(struct pending_batch *b);

void commit_discard(struct engine *e)
{
	if (e->filling)
		free_batch(e->filling);
	e->filling = NULL;
}

/*
 * Hands the batch to the store.  From then on the batch belongs to the store until
 * batch_done(); sessions may fill the next one meanwhile, and `in_flight` keeps their
 * memory.
 */
void commit_flush(struct engine *e)
{
	struct pending_batch *b = e->filling;
	struct slice **at;

	if (!b)
		return;
	e->filling = NULL;
	if (!b->count) {
		free_batch(b);
		return;
	}
	at = &b->batch.first;
	for (size_t i = 0; i < b->count; i++) {
		struct pending_slice *p = b->slices[i];

		p->slice.rows = p->rows.items;
		p->slice.row_count = p->rows.count;
		take_snapshot(b, p);
		p->session->slice = NULL;
		p->session->in_flight++;
		*at = &p->slice;
		at = &p->slice.next;
	}
	*at = NULL;
	e->batches++;
	e->ports.store->ops->submit(e->ports.store, &b->batch);
	LISTENERS_CALL(e->listeners->batch_moved, e);
}

/* ---- done ---- */

/*
 * Subscribers get the events even if the session was dropped by a later batch: they are
 * durable.  Effects and waiters of a dropped session do not continue; `lost` has reached
 * the waiters.
 */
static void slice_committed(struct engine *e, struct pending_slice *p)
{
	const struct listeners *l = e->listeners;
	struct session *s = p->session;

	if (p->slice.event_count)
		s->durable = p->slice.events[p->slice.event_count - 1].seq;
	s->is_new = false;
	LISTENERS_CALL(l->published, e, p);
	if (s->phase != SESSION_LIVE)
		return;
	for (size_t i = 0; i < p->effect_count; i++)
		LISTENERS_CALL(l->effect_due, s, &p->effects[i]);
	LISTENERS_CALL(l->durable, s);
}

static void free_batch(struct pending_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		for (size_t n = 0; n < b->slices[i]->slice.event_count; n++)
			bytes_unref(b->slices[i]->slice.events[n].body);
	arena_free(b->mem);
}

/*
 * An I/O error ends the process; a full disk or a conflict drops only the session.  A store that
 * is closed while it is unavailable leaves open whether the slice was committed.
 */
static void slice_failed(struct engine *e, struct pending_slice *p, const struct error *err)
{
	struct session *s = p->session;

	LISTENERS_CALL(e->listeners->undone, e, &p->slice);
	if (p->slice.state == SLICE_FENCED) {
		session_drop(s, ERROR_CODE_SESSION_MOVED, "another node owns this session now");
		session_was_dropped(e, s->id); /* that node recovers it */
	} else if (p->slice.state == SLICE_CONFLICT) {
		session_drop(s, ERROR_CODE_SESSION_MOVED, "another owner wrote to this session");
	} else if (p->slice.state == SLICE_BEHIND) {
		session_drop(s, ERROR_CODE_SESSION_BEHIND,
		             "the database lacks events of this session that were acknowledged");
	} else if (p->slice.state == SLICE_CORRUPT) {
		damage_note(e, s->id, 0, 0, "its record in the table `session` is damaged");
		session_drop(s, ERROR_CODE_SESSION_UNREADABLE,
		             "the record of the session is damaged on disk");
	} else if (err->code == ERR_UNREADABLE) {
		damage_note(e, s->id, 0, 0, err->message);
		session_drop(s, ERROR_CODE_SESSION_UNREADABLE, err->message);
	} else if (err->code == ERR_FULL) {
		session_drop(s, ERROR_CODE_STORAGE_FULL, "no space left in the data directory");
	} else if (err->code == ERR_UNAVAILABLE) {
		session_drop(s, ERROR_CODE_STORE_UNAVAILABLE, err->message);
	} else {
		session_drop(s, ERROR_CODE_STORE_FAILED, err->message);
	}
}

/*
 * Reports the first failure only.  A full disk and an unreadable record are local: the
 * store accepts later batches.  An unavailable store has not failed.
 */
void commit_store_failed(struct engine *e, const struct error *err)
{
	if (e->has_failed || err->code == ERR_FULL || err->code == ERR_UNREADABLE ||
	    err->code == ERR_UNAVAILABLE)
		return;
	e->has_failed = true;
	e->failure = *err;
	log_line(LOG_ERROR, "store", "%s", err->message);
	LISTENERS_CALL(e->listeners->store_failed, e);
	if (e->hooks.fatal)
		e->hooks.fatal(e->hooks.owner, err);
}

/*
 * Each slice is committed or refused separately.  session_release() after each: a session
 * that was dropped while its batch was pending is freed with its last batch.
 */
static void batch_done(struct batch *batch)
{
	struct pending_batch *b = batch->owner;
	struct engine *e = b->engine;

	e->batches--;
	e->commits++;
	for (size_t i = 0; i < b->count; i++) {
		struct pending_slice *p = b->slices[i];
		struct session *s = p->session;

		s->in_flight--;
		if (p->slice.state == SLICE_COMMITTED)
			slice_committed(e, p);
		else
			slice_failed(e, p, &batch->error);
		session_release(s);
	}
	if (batch->error.code)
		commit_store_failed(e, &batch->error);
	LISTENERS_CALL(e->listeners->batch_done, e, &batch->error);
	free_batch(b);
	LISTENERS_CALL(e->listeners->batch_moved, e);
}

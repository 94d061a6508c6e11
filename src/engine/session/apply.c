/*
 * Applies one decision and everything that follows from it.
 *
 * Events get their sequence, pass the checks, are serialised once, and are
 * folded.  Folding the bytes later must give the same state: an event whose
 * bytes do not hold exactly the same values is folded from its bytes, and test
 * runs (THOLE_STRICT=1) read every event back and compare.  Steps run until
 * none follows, so that everything that follows from one input is one slice of
 * one commit.
 */
#include "engine/session/apply.h"

#include "engine/request/channel.h"

#include "core/gen/inputs.h"
#include "base/jw.h"
#include "base/os/log.h"
#include "core/notify/delivery.h"
#include "core/order_check.h"
#include "core/session/trace.h"
#include "core/step.h"
#include "engine/nodes/node_rev.h"
#include "engine/engine_state.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Test runs (THOLE_STRICT=1) check that a decision changes nothing: the state has the same bytes
 * when its events are applied as when it started.
 */
static uint64_t state_hash(const struct session *s)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (!s->engine->is_strict)
		return 0;
	mem = arena_new();
	return str_hash(state_text(mem, s->state)) | 1;
}

static void check_state(const struct session *s, const struct decision *d)
{
	if (!d->state_hash || d->state_hash == state_hash(s))
		return;
	log_line(LOG_ERROR, "engine", "a decision changed the state of %.*s", STR_ARG(s->id));
	abort();
}

/*
 * Collects everything that a decision may depend on: state, time, entropy and what the
 * listeners add.  A decision reads nothing else, so the same input gives the same events.
 * The decision lives in the scratch arena until apply_end(); decisions of two sessions are
 * never open at once.
 */
static struct decision *decision_for(struct session *s, const struct command_call *call)
{
	struct engine *e = s->engine;
	struct decision *d = ARENA_NEW(e->scratch, struct decision);

	d->mem = e->scratch;
	d->w = s->state;
	d->leases = &s->leases;
	d->call = call;
	d->session_id = s->id;
	d->now = clock_of(s);
	d->wall = e->ports.clock->ops->wall_ms(e->ports.clock);
	d->clock_offset = e->time.offset;
	d->context = s->picture;
	d->inputs = s->inputs;
	LISTENERS_CALL(e->listeners->prepare, s, d);
	/*
	 * Ids sort by time: they never fall behind the last event, even if the wall clock was set
	 * back.
	 */
	d->ids = ARENA_NEW(e->scratch, struct id_source);
	journal_ids(&s->journal, s->journal.decisions, MAX(d->now, s->state->s->updated_at),
	            d->ids);
	d->state_hash = state_hash(s);
	return d;
}

struct decision *apply_begin(struct session *s, struct command_call *call)
{
	struct decision *d;

	/* The connection may have ended while the request waited. */
	if (call && s && !call->is_channel_foreign)
		call->channel = channel_of(s->engine, call->caller.channel_id);
	d = decision_for(s, call);
	session_journal_begin(s, d);
	return d;
}

/* The members that a decision cannot know.  The sequence counts applied events, durable or not. */
static void fill_envelope(struct session *s, struct decision *d, struct event *ev)
{
	ev->event_id = decision_new_id(d, "evt");
	ev->sequence = (int64_t)s->applied + 1;
	/* Timestamps of a session never decrease, whatever the wall clock does. */
	ev->timestamp = MAX(d->now, s->state->s->updated_at);
	ev->schema_version = SCHEMA_VERSION;
	ev->runtime_id = s->engine->runtime_id;
	ev->session_id = s->id;
	decision_name_span(d->mem, ev);
	trace_mark(d, ev);
}

/*
 * Adds the serialised event to the batch and extends the hash chain.  From here on the
 * event counts as applied: `applied` and `hash` move together, and only dropping the
 * session takes them back.
 */
static void add_event(struct session *s, const struct event *ev)
{
	struct pending_slice *p = commit_slice(s);
	struct arena *mem = s->engine->filling->mem;
	struct slice *sl = &p->slice;

	if (sl->event_count == p->event_cap) {
		size_t cap = p->event_cap ? p->event_cap * 2 : 32;

		sl->events = arena_grow(mem, sl->events, sl->event_count * sizeof *sl->events,
		                        cap * sizeof *sl->events);
		p->event_cap = cap;
	}
	s->hash = sha256_link(&s->hash, buf_str(&s->engine->line));
	s->applied = (uint64_t)ev->sequence;
	struct store_event *out = &sl->events[sl->event_count++];

	sl->needs_rev = MAX(sl->needs_rev, node_rev_of(s, ev->type));
	out->seq = s->applied;
	out->type = ev->type;
	out->hash = s->hash;
	out->body = bytes_new(buf_str(&s->engine->line));
	s->engine->filling->batch.bytes += out->body->len;
	s->engine->events++;
}

/* Of tool.progress: a run begins, or follows a task that a restart did not end. */
static bool authorises(const struct ev_tool_progress *p)
{
	return p->kind == TOOL_PROGRESS_KIND_DISPATCHED || p->kind == TOOL_PROGRESS_KIND_CONTINUED;
}

/*
 * Remembers the effect that an event authorises.  The effect starts when the slice is
 * durable, so a crash can lose an effect that was announced but never run one that was
 * not.
 */
static void add_effect(struct session *s, const struct event *ev)
{
	enum effect kind = event_classes[ev->type].effect;
	struct pending_slice *p = s->slice;
	struct arena *mem = s->engine->filling->mem;

	if (kind == EFFECT_NONE)
		return;
	if (ev->type == EV_TOOL_PROGRESS && !authorises(ev->payload))
		return;
	if (p->effect_count == p->effect_cap) {
		size_t cap = p->effect_cap ? p->effect_cap * 2 : 4;

		p->effects = arena_grow(mem, p->effects, p->effect_count * sizeof *p->effects,
		                        cap * sizeof *p->effects);
		p->effect_cap = cap;
	}
	p->effects[p->effect_count++] = (struct due_effect){
		.kind = kind,
		.seq = (uint64_t)ev->sequence,
		.turn_id = arena_keep(mem, ev->turn_id),
		.object_id = arena_keep(mem, kind == EFFECT_MODEL_REQUEST ? ev->model_request_id
		                             : kind == EFFECT_HOOK_RUN ? ev->hook_run->hook_run_id
		                             : kind == EFFECT_OUTPUT_DROP ? ev->output_ref
		                                                          : ev->tool_call_id),
	};
}

/*
 * Reads back the event that was just serialised.  Failing here means that the log would
 * hold an event that no later start can fold, so the process ends before the commit.
 */
static struct event *read_line(struct session *s, struct arena *mem)
{
	struct event *ev = ARENA_NEW(mem, struct event);
	struct error err = { 0 };
	struct json doc;

	if (json_read_trusted(mem, buf_str(&s->engine->line), &doc, &err) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, &err) != OK) {
		log_line(LOG_ERROR, "engine", "an event that was just written cannot be read: %s",
		         err.message);
		abort();
	}
	return ev;
}

/*
 * Leases and the ledger look at the state before the fold, index rows and effects at the
 * state after it.
 */
static void fold_event(struct session *s, const struct event *ev)
{
	const struct listeners *l = s->engine->listeners;

	LISTENERS_CALL(l->fold, s, ev);
	lease_on_event(&s->leases, s->state, ev);
	s->state->is_strict = s->engine->is_strict;
	state_fold(s->state, ev);
	LISTENERS_CALL(l->folded, s, ev);
	index_event(&s->slice->rows, s->state, ev);
	add_effect(s, ev);
}

/* Strict runs only: the bytes must hold exactly the values that are about to be folded. */
static void check_line(struct session *s, const struct event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str field;

	if (rec_same(&event_desc, ev, read_line(s, mem), &field))
		return;
	log_line(LOG_ERROR, "engine", "%.*s: %.*s is another one when it is read back",
	         STR_ARG(event_type_word(ev->type)), STR_ARG(field));
	abort();
}

/* Folds a copy: a decision may have put parts of the state into its event. */
static void fold_written(struct session *s, const struct event *ev, bool is_altered)
{
	struct arena *mem = s->engine->folding;

	if (!is_altered && s->engine->is_strict)
		check_line(s, ev);
	fold_event(s, is_altered ? read_line(s, mem) : rec_clone(mem, &event_desc, ev));
	arena_reset(mem);
}

/* Checks run before anything changes: a refused event leaves no trace in state, chain or batch. */
static bool apply_event(struct session *s, struct decision *d, struct event *ev, struct error *err)
{
	struct json_writer w;

	fill_envelope(s, d, ev);
	if (catalog_event_check(ev, err) != OK || order_check_event(s->state, ev, err) != OK)
		return false;
	buf_clear(&s->engine->line);
	jw_init(&w, &s->engine->line);
	rec_write(&w, &event_desc, ev);
	if (s->engine->line.len > LIMIT_EVENT_BYTES) {
		fail(err, ERR_TOO_LARGE, "%.*s: %zu bytes", STR_ARG(event_type_word(ev->type)),
		     s->engine->line.len);
		return false;
	}
	add_event(s, ev);
	LISTENERS_CALL(s->engine->listeners->written, s, d, ev);
	fold_written(s, ev, w.is_altered);
	return true;
}

/* Blobs are stored in the slice of the events that refer to them, so a ref always has its blob. */
static void add_blobs(struct session *s, const struct decision *d)
{
	struct pending_slice *p;
	struct arena *mem;

	if (!d->blob_count)
		return;
	p = commit_slice(s);
	mem = s->engine->filling->mem;
	for (size_t i = 0; i < d->blob_count; i++) {
		if (p->slice.blob_count == p->blob_cap) {
			size_t cap = p->blob_cap ? p->blob_cap * 2 : 8;

			p->slice.blobs = arena_grow(mem, p->slice.blobs,
			                            p->slice.blob_count * sizeof *p->slice.blobs,
			                            cap * sizeof *p->slice.blobs);
			p->blob_cap = cap;
		}
		p->slice.blobs[p->slice.blob_count++] = (struct blob_row){
			arena_keep(mem, d->blobs[i].ref), arena_keep(mem, d->blobs[i].media_type),
			arena_keep(mem, d->blobs[i].data), d->blobs[i].is_again
		};
	}
}

/*
 * An event that fails the checks is reported and not stored.  This is a bug: tests stop here
 * (THOLE_STRICT=1), a daemon ends the turn and continues.
 */
static void record_refused(struct session *s, const struct event *bad, const struct error *why)
{
	struct decision *d = decision_for(s, NULL);
	const struct st_thread *th =
		str_is(bad->thread_id) ? state_thread(s->state, bad->thread_id) : NULL;
	const struct st_turn *t =
		th && str_is(bad->turn_id) ? state_thread_turn(th, bad->turn_id) : NULL;
	struct error err;

	s->journal.decisions++;
	session_journal_spoil(s->engine);
	log_line(LOG_ERROR, "engine", "append refused in %.*s: %s", STR_ARG(s->id), why->message);
	if (s->engine->is_strict)
		abort();
	struct event *ev =
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_APPEND_REFUSED,
	             .message = arena_keep(d->mem, str_from(why->message)),
	             .refused_type = event_type_word(bad->type));

	if (t && !turn_is_over(t)) {
		decision_in_turn(ev, th, t);
		ev->status = STATUS_FAILED;
	} else if (th) {
		decision_in_thread(ev, th);
	}
	if (!apply_event(s, d, ev, &err))
		log_line(LOG_ERROR, "engine", "and so was the error itself: %s", err.message);
}

/*
 * False: nothing was applied, or an event was refused.  The events before a refused one
 * stay applied; the error event that record_refused() adds ends their turn.
 */
static bool apply_decision(struct session *s, struct decision *d)
{
	struct error err = { 0 };

	delivery_follow(d);
	check_state(s, d);
	if (node_rev_leaves_out(s, d))
		return false;
	for (size_t i = 0; i < d->count; i++)
		if (!apply_event(s, d, d->events[i], &err)) {
			record_refused(s, d->events[i], &err);
			/* The events before it stay, and they may name these. */
			add_blobs(s, d);
			return false;
		}
	add_blobs(s, d);
	return d->count > 0;
}

/*
 * Something in the session is due.  The timer may fire early after the clock was set;
 * step_time() compares with the session's clock and may find nothing.
 */
static void on_deadline(struct clock_timer *t)
{
	struct session *s = OWNER_OF(t, struct session, timer);
	struct decision *d;

	s->timer_at = 0;
	if (s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_step_time(d);
	apply_end(s, d);
}

/*
 * One timer per session, for the earliest deadline of its state.  A running timer for the
 * same deadline stays: most decisions do not change it.
 */
static void arm_timer(struct session *s)
{
	struct clock *c = s->engine->ports.clock;
	int64_t due = s->engine->is_leaving ? 0 : step_deadline(s->state, &s->leases);

	if (due == s->timer_at && due)
		return;
	s->timer_at = due;
	s->timer.fire = on_deadline;
	if (due)
		c->ops->start(c, &s->timer, MAX(due - clock_of(s), 0));
	else
		c->ops->stop(c, &s->timer);
}

void apply_arm_timer(struct session *s)
{
	s->timer_at = 0;
	arm_timer(s);
}

/*
 * Applies the decision and then every step that follows from it, in one slice.
 * step_next() bounds the number of steps and ends a turn that never comes to rest.
 *
 * Rows are derived once, from the final state.  Listeners of `over` may make decisions in
 * other sessions, so they run when the scratch arena is free again.
 */
void apply_end(struct session *s, struct decision *d)
{
	const struct listeners *l = s->engine->listeners;
	bool changed = !d->refusal && apply_decision(s, d);

	for (int steps = 0; changed; steps++) {
		struct decision *next = decision_for(s, NULL);

		next->step = steps;
		session_journal_step(s, next);
		step_next(next);
		if (!next->count) {
			LISTENERS_CALL(l->stepped, s, next);
			break;
		}
		apply_decision(s, next);
	}
	session_journal_end(s);
	if (s->slice)
		index_state(&s->slice->rows, s->state, &s->leases);
	/*
	 * Compaction copies the whole state; doubling the threshold keeps its cost proportional to
	 * growth.
	 */
	if (state_bytes(s->state) > s->compact_at) {
		state_compact(s->state);
		s->compact_at = 2 * state_bytes(s->state) + (32 << 10);
	}
	arm_timer(s);
	LISTENERS_CALL(l->settled, s);
	session_touch(s);
	session_weigh(s);
	s->is_slim = false;
	arena_reset(s->engine->scratch);
	LISTENERS_CALL(l->over, s->engine);
}

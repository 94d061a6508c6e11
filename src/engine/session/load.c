/*
 * Loads a session from the store: reads its newest snapshot, and folds the
 * later events page by page.  A bounded number of requests can wait for it.  A
 * session that an earlier runtime left with open work is recovered before they
 * are decided.
 *
 *   claim ──► snapshot ──► events … ──► row of the list ──► outputs of open calls ──► live
 *     │          └─ beginning removed: the state at the floor ─┘
 *     └─ elsewhere, or only a newer node can fold it
 *
 * The claim is there when several nodes share the store (ports/store_nodes.h): what is read after
 * it is the end of the log, and no other node writes.  A peek claims nothing: it reads a state.
 */
#include "base/os/log.h"
#include "core/gen/inputs.h"
#include "base/jw.h"
#include "base/memory.h"
#include "core/retention/retention.h"
#include "core/task/task.h"
#include "engine/maintenance/damage.h"
#include "engine/nodes/node_rev.h"
#include "engine/resources/metrics.h"
#include "engine/session/apply.h"
#include "engine/settings/project_tools.h"
#include "engine/engine_state.h"

#include <stdlib.h>

struct load {
	struct session *session;
	struct store_claim claim;
	bool is_unclaimed; /* there was no such session to claim */
	bool is_orphan;    /* its owner before ended without a release */
	struct store_read read;
	/* Recovery: outputs of calls that were running, sealed one after the other. */
	struct arena *mem;
	const struct st_call **running;
	size_t running_count, sealing;
	struct recovered_output *outputs;
	size_t output_count;
	const char *repair; /* what was wrong with derived data; NULL: nothing */
	/* Then a check whether stored outputs still exist. */
	struct blob_read probe;
	struct list_str missing;
	uint32_t probed;
	bool was_damaged;       /* the snapshot */
	enum error_code broken; /* why it cannot be read */
	/* Of a peek. */
	void (*peeked)(struct session *s, void *arg);
	void *arg;
};

static void load_claim(struct load *l);
static void load_events(struct load *l);

static void report_phase(struct session *s, enum load_phase phase)
{
	if (s->is_peek)
		return;
	LISTENERS_CALL(s->engine->listeners->load, s, phase);
}

static void free_load(struct load *l)
{
	arena_free(l->mem);
	memory_free(l);
}

/* The state is complete, or (found: false) there is none. */
static void peek_finished(struct load *l, bool found)
{
	struct session *s = l->session;

	s->load = NULL;
	list_remove(&s->by_use);
	l->peeked(found ? s : NULL, l->arg);
	free_load(l);
	session_free(s);
}

/* When a worker was heard of last: before the start, or by the node that worked until now. */
static int64_t leases_since(const struct session *s)
{
	struct clock *c = s->engine->ports.clock;

	return s->is_taken_over ? c->ops->wall_ms(c) : s->engine->started_ms;
}

/* Nothing follows from it: the session is only read. */
static void load_to_read(struct load *l)
{
	struct session *s = l->session;

	free_load(l);
	session_weigh(s);
	session_arrive(s);
}

/*
 * The state is complete.  What follows is a sequence of decisions: the clock first,
 * because recovery computes deadlines; then events about repaired data; then the end of
 * lost work.  Only then do requests see the session, so no command is decided against work
 * that is lost.
 */
static void load_finished(struct load *l)
{
	struct session *s = l->session;

	s->load = NULL;
	s->phase = SESSION_LIVE;
	s->live_at = clock_of(s);
	lease_restart(&s->leases, s->state, s->live_at);
	session_weigh(s);
	report_phase(s, LOAD_READ);
	if (s->engine->options.config->store_read_only) {
		load_to_read(l);
		return;
	}
	if (!l->repair)
		clock_align_open(s);
	if (l->repair) {
		struct decision *d = apply_begin(s, NULL);

		input_retention_rebuilt(d, str_from(l->repair), 0);
		apply_end(s, d);
		s->wants_snapshot = true;
	}
	if (l->was_damaged) {
		struct decision *d = apply_begin(s, NULL);

		input_recover_repaired(d);
		apply_end(s, d);
		s->wants_snapshot = true;
	}
	if (s->needs_recovery) {
		struct decision *d = apply_begin(s, NULL);
		struct recovered found = { l->outputs, l->output_count, l->missing };

		s->needs_recovery = false;
		input_task_worker_recover_leases(d, leases_since(s));
		input_recover_session(d, &found);
		apply_end(s, d);
		report_phase(s, LOAD_RECOVERED);
		if (s->engine->options.config->recovery_resume == RESUME_POLICY_AUTO) {
			d = apply_begin(s, NULL);
			input_recover_resume(d);
			apply_end(s, d);
		}
	} else {
		struct decision *d = apply_begin(s, NULL);

		input_task_worker_recover_leases(d, leases_since(s));
		apply_end(s, d); /* sets its timer */
	}
	free_load(l);
	session_weigh(s);
	if (s->is_at_start || s->is_due)
		session_untouch(s);
	report_phase(s, LOAD_ARRIVES);
	session_arrive(s);
	report_phase(s, LOAD_DONE);
}

/* ---- outputs ---- */

static void probe_next(struct load *l);

/* A missing output makes the recovery degraded, and is named. */
static void output_probed(struct blob_read *r)
{
	struct load *l = r->owner;

	if (r->result == ERR_NOT_FOUND)
		rec_list_str_add(l->mem, &l->missing, r->ref);
	port_blob_read_done(r);
	probe_next(l);
}

/*
 * One look at each stored output: recovery reports an output whose file is gone, instead of a
 * reader finding out months later.
 */
static void probe_next(struct load *l)
{
	const struct st_session *s = l->session->state->s;
	struct blobs *b = l->session->engine->ports.blobs;

	if (l->probed == s->outputs.count) {
		load_finished(l);
		return;
	}
	l->probe = (struct blob_read){ .ref = s->outputs.items[l->probed++]->output_ref,
		                       .max = 1,
		                       .is_probe = true,
		                       .done = output_probed,
		                       .owner = l };
	b->ops->read(b, &l->probe);
}

static void seal_next(struct load *l);

/*
 * The output of a call that the crash interrupted: what was written until then is kept and
 * becomes part of the call's end.
 */
static void output_sealed(void *owner, const struct blob_sealed *b)
{
	struct load *l = owner;
	const struct st_call *c = l->running[l->sealing++];

	if (b->result == OK && b->size) {
		struct recovered_output *o = &l->outputs[l->output_count++];

		/* Copies: a decision before the recovery may move the state in memory. */
		o->call_id = arena_keep(l->mem, c->tool_call_id);
		o->end = (struct tool_end){
			.output_ref = arena_keep(l->mem, c->output_ref),
			.output_bytes = (int64_t)b->size,
			.sha256 = sha256_hex(l->mem, &b->hash),
			.head = arena_keep(l->mem, b->head),
			.tail = arena_keep(l->mem, b->tail),
			.is_text = b->is_text,
		};
	}
	seal_next(l);
}

static void seal_next(struct load *l)
{
	struct blobs *b = l->session->engine->ports.blobs;

	if (l->sealing == l->running_count)
		probe_next(l);
	else
		b->ops->recover_seal(b, l->running[l->sealing]->output_ref, output_sealed, l);
}

/* Calls that were running when the earlier runtime ended or the session was dropped. */
static void seal_outputs(struct load *l)
{
	const struct st_session *s = l->session->state->s;
	size_t most = 0;

	for (uint32_t i = 0; i < s->threads.count; i++)
		most += s->threads.items[i]->calls.count;
	if (!l->mem)
		l->mem = arena_new();
	l->running = ARENA_ARRAY(l->mem, const struct st_call *, most + 1);
	l->outputs = ARENA_ARRAY(l->mem, struct recovered_output, most + 1);
	for (uint32_t i = 0; i < s->threads.count; i++)
		for (uint32_t n = 0; n < s->threads.items[i]->calls.count; n++) {
			const struct st_call *c = s->threads.items[i]->calls.items[n];

			const struct tool_info *tool =
				project_tools_of_session(l->session, c->tool_name);

			/* The output of a background process may still grow. */
			if (c->dispatched && !call_is_over(c) && str_is(c->output_ref) &&
			    !c->by_client && !(tool && tool->is_background))
				l->running[l->running_count++] = c;
		}
	seal_next(l);
}

/* The session leaves the map before its waiters are called: one of them may create it. */
static void load_missing(struct load *l)
{
	struct session *s = l->session;

	if (s->is_peek) {
		peek_finished(l, false);
		return;
	}
	s->load = NULL;
	free_load(l);
	report_phase(s, LOAD_MISSING);
	session_leave(s);
	while (!list_is_empty(&s->arriving)) {
		struct session_waiter *w = LIST_ITEM(s->arriving.next, struct session_waiter, node);

		list_remove(&w->node);
		w->ops->missing(w);
	}
	session_free(s);
}

/* Another node owns it.  As in load_missing(), it leaves first: the next use claims it again. */
static void load_elsewhere(struct load *l)
{
	struct session *s = l->session;
	struct store_claim claim = l->claim;

	s->load = NULL;
	free_load(l);
	report_phase(s, LOAD_ELSEWHERE);
	session_leave(s);
	while (!list_is_empty(&s->arriving)) {
		struct session_waiter *w = LIST_ITEM(s->arriving.next, struct session_waiter, node);

		list_remove(&w->node);
		w->ops->elsewhere(w, &claim.node);
	}
	session_free(s);
	port_store_claim_done(&claim);
}

/* No damage, and nothing that this node recovers: a node of a newer version continues it. */
static void load_too_new(struct load *l)
{
	struct session *s = l->session;
	struct error why = l->claim.error;

	s->load = NULL;
	free_load(l);
	report_phase(s, LOAD_ELSEWHERE);
	session_drop(s, ERROR_CODE_SESSION_NEEDS_NEWER, why.message);
	session_free(s);
}

/*
 * Nothing is decided without the whole log.  The damage stays local: other sessions
 * continue, and requests for this one are refused with session_unreadable.
 */
static void load_broken(struct load *l, const char *why)
{
	struct session *s = l->session;
	enum error_code code = l->broken ? l->broken : ERROR_CODE_SESSION_UNREADABLE;

	if (s->is_peek) {
		peek_finished(l, false);
		return;
	}
	s->load = NULL;
	free_load(l);
	report_phase(s, LOAD_BROKEN);
	if (code == ERROR_CODE_SESSION_UNREADABLE || code == ERROR_CODE_SESSION_BEHIND)
		damage_note(s->engine, s->id, 0, 0, why);
	if (!s->needs_recovery)
		s->durable = 0; /* the next use loads it again; no request is pending */
	session_drop(s, code, why);
	session_free(s);
}

/* False: the bytes are no event. */
static bool fold_row(struct session *s, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
		return false;
	state_fold(s->state, ev);
	s->applied = s->durable = row->seq;
	s->hash = row->hash;
	return true;
}

/*
 * What the owner before had begun is lost.  A session without open work needs no recovery, as after
 * a start.
 */
static void rows_are_sound(struct load *l)
{
	struct session *s = l->session;

	if (l->is_orphan && !s->needs_recovery && state_is_open(s->state))
		s->needs_recovery = s->is_taken_over = true;
	if (s->needs_recovery && s->engine->ports.blobs)
		seal_outputs(l);
	else
		load_finished(l);
}

/* The row for lists is derived from the state; a different one is rebuilt. */
static bool is_same_row(struct session *s, const struct index_found *found)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rows rows = { .mem = mem };

	index_state(&rows, s->state, &s->leases);
	for (size_t i = 0; i < rows.count; i++) {
		const struct index_row *row = &rows.items[i];

		if (row->table == INDEX_SESSION)
			return found->at == row->at && found->open == row->open &&
			       str_eq(found->status, row->status) && str_eq(found->body, row->body);
	}
	return true;
}

static void row_read(struct store_read *r)
{
	struct load *l = r->owner;

	/* A node of another version writes its own words into the row, whenever it works on the session. */
	if (r->result == OK && !node_rev_is_mixed(l->session->engine) &&
	    (!r->row_count || !is_same_row(l->session, &r->rows[0])))
		l->repair = "the row of the session was not what follows from its log";
	port_store_read_done(r);
	rows_are_sound(l);
}

static void check_row(struct load *l)
{
	struct session *s = l->session;

	l->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_SESSION,
		                       .key = s->id,
		                       .done = row_read,
		                       .owner = l };
	s->engine->ports.store->ops->read(s->engine->ports.store, &l->read);
}

/* A log without a single event is a session that does not exist. */
static void events_read(struct store_read *r)
{
	struct load *l = r->owner;
	struct session *s = l->session;
	bool more = r->more;

	s->floor = r->floor_seq;
	s->removed_by = r->removed_by;
	if (r->result != OK) {
		char why[512];

		l->broken = damage_code(r);

		strcpy(why, r->error.message);
		port_store_read_done(r);
		load_broken(l, why);
		return;
	}
	for (size_t i = 0; i < r->event_count; i++)
		if (!fold_row(s, &r->events[i])) {
			port_store_read_done(r);
			load_broken(l, "an event does not have the form of one");
			return;
		}
	port_store_read_done(r);
	if (more) {
		load_events(l);
		return;
	}
	if (!s->applied)
		load_missing(l);
	else if (s->is_peek)
		peek_finished(l, true);
	else if (l->is_unclaimed)
		load_claim(l);
	else
		check_row(l);
}

static void load_events(struct load *l)
{
	struct session *s = l->session;

	l->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = s->id,
		                       .after = s->applied,
		                       .done = events_read,
		                       .owner = l };
	s->engine->ports.store->ops->read(s->engine->ports.store, &l->read);
}

/* The text is written by floor_text() in retention.c: sequence, hash and state in one object. */
bool load_floor_read(struct str text, struct state **ret, uint64_t *ret_seq,
                     struct sha256 *ret_hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf state = { 0 };
	struct json_writer w;
	struct json doc;
	bool is_good;

	if (json_read_trusted(mem, text, &doc, NULL) != OK ||
	    !sha256_read_hex(json_str(JSON_GET(doc, "hash")), ret_hash))
		return false;
	*ret_seq = (uint64_t)json_int(JSON_GET(doc, "sequence"), 0);
	jw_init(&w, &state);
	jw_value(&w, JSON_GET(doc, "state"));
	is_good = *ret_seq && state_read(buf_str(&state), ret, NULL) == OK;
	buf_done(&state);
	return is_good;
}

/* The beginning was removed, and the snapshot with it: a blob replaces both. */
static void floor_found(struct store_read *r)
{
	struct load *l = r->owner;
	struct session *s = l->session;
	uint64_t seq;

	if (r->result != OK && r->result != ERR_NOT_FOUND)
		l->broken = damage_code(r);
	if (r->result != OK || !load_floor_read(r->blob.data, &s->state, &seq, &s->hash)) {
		port_store_read_done(r);
		load_broken(l, "the state that replaces its removed beginning cannot be read");
		return;
	}
	s->applied = s->durable = seq;
	port_store_read_done(r);
	load_events(l);
}

/*
 * Chooses where folding begins: at the snapshot, at the floor, or at the first event.  A
 * snapshot below the floor is useless, because the events behind it are gone.
 */
static void snapshot_read(struct store_read *r)
{
	struct load *l = r->owner;
	struct session *s = l->session;
	uint64_t floor = r->floor_seq;
	bool is_there = r->result == OK && r->snapshot_seq >= floor;

	/* A damaged snapshot or one of another fold version is ignored: the log is the truth. */
	if (is_there && state_read(r->snapshot, &s->state, NULL) == OK) {
		s->applied = s->durable = s->snapshot_seq = r->snapshot_seq;
		s->hash = r->snapshot_hash;
		port_store_read_done(r);
		load_events(l);
		return;
	}
	if (r->result != OK && r->result != ERR_NOT_FOUND && r->result != ERR_CORRUPT) {
		char why[512];

		l->broken = damage_code(r);
		strcpy(why, r->error.message);
		port_store_read_done(r);
		load_broken(l, why); /* the state before the tail is not known */
		return;
	}
	l->was_damaged = r->result == ERR_CORRUPT || (is_there && r->snapshot.len);
	if (!floor) {
		s->state = state_new();
		port_store_read_done(r);
		load_events(l);
		return;
	}
	if (!l->mem)
		l->mem = arena_new();
	struct str ref = arena_keep(l->mem, r->floor_ref);

	port_store_read_done(r);
	l->read = (struct store_read){
		.kind = READ_BLOB, .key = ref, .done = floor_found, .owner = l
	};
	s->engine->ports.store->ops->read(s->engine->ports.store, &l->read);
}

#define TEXT(n) #n
#define TEXT_OF(macro) TEXT(macro)

static void load_snapshot(struct load *l)
{
	struct session *s = l->session;

	l->read = (struct store_read){ .kind = READ_SNAPSHOT,
		                       .session = s->id,
		                       .snapshot_version = STR(TEXT_OF(FOLD_VERSION)),
		                       .done = snapshot_read,
		                       .owner = l };
	s->engine->ports.store->ops->read(s->engine->ports.store, &l->read);
}

/* ---- several nodes: first the session has to be this one's ---- */

/*
 * Without such a session there is nothing to own, and the store is asked all the same: it may have
 * been deleted, or made by another node since.
 */
static void claimed(struct store_claim *c)
{
	struct load *l = c->owner;

	l->is_unclaimed = c->result == ERR_NOT_FOUND;
	l->is_orphan |= c->result == OK && c->is_orphan;
	l->session->is_orphan = l->is_orphan;
	if (c->result == OK)
		metrics_claimed(l->session->engine, c->is_orphan);
	if (c->result == ERR_BUSY) {
		load_elsewhere(l);
	} else if (c->result == ERR_UNSUPPORTED) {
		load_too_new(l);
	} else if (c->result == OK || l->is_unclaimed) {
		load_snapshot(l);
	} else {
		l->broken = ERROR_CODE_STORE_UNAVAILABLE;
		load_broken(l, "the store was closed before it said who owns the session");
	}
}

/* Again: what was read before the session was this node's may not be its end. */
static void load_claim(struct load *l)
{
	struct session *s = l->session;

	state_free(s->state);
	s->state = NULL;
	s->applied = s->durable = s->snapshot_seq = 0;
	s->hash = (struct sha256){ 0 };
	l->claim = (struct store_claim){ .session = s->id, .done = claimed, .owner = l };
	s->engine->ports.store->nodes->claim(s->engine->ports.store, &l->claim);
}

static struct load *load_new(struct session *s)
{
	struct load *l = memory_zeroed(1, sizeof *l);

	l->session = s;
	s->load = l;
	return l;
}

void load_session(struct session *s)
{
	struct engine *e = s->engine;
	struct load *l;

	s->is_parked = map_get(&e->removing, s->id) != NULL;
	if (s->is_parked)
		return;
	l = load_new(s);
	if (session_was_dropped(e, s->id))
		s->needs_recovery = true;
	report_phase(s, LOAD_BEGINS);
	if (e->ports.store->nodes && !e->options.config->store_read_only)
		load_claim(l);
	else
		load_snapshot(l);
}

void load_peek(struct engine *e, struct str id, void (*then)(struct session *s, void *arg),
               void *arg)
{
	struct session *s = session_peek(e, id);
	struct load *l = load_new(s);

	l->peeked = then;
	l->arg = arg;
	load_snapshot(l);
}

/* ---- dropped sessions are loaded again ---- */

static void come_back(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, come_back);

	while (!list_is_empty(&e->dropped) && !e->is_stopping && !e->has_failed && !e->is_full) {
		struct session_dropped *d =
			LIST_ITEM(e->dropped.next, struct session_dropped, node);

		if (session_find(e, d->id)) { /* used in between */
			session_was_dropped(e, d->id);
			continue;
		}
		load_session(session_make(e, d->id, false));
	}
}

void load_init(struct engine *e)
{
	list_init(&e->dropped);
	e->come_back.fire = come_back;
}

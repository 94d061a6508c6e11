/*
 * Recovery after a start: loads sessions with open work and records what was
 * lost.
 *
 * Before anything is written, the rows are read that name these sessions and
 * hold their counts; then the runtime is ready.  The sessions are recovered
 * after that, a few at a time.  Each stays in the list until it is loaded: a
 * command to a listed session recovers it before the decision.  A session is in
 * recovery until its events are durable; then it may leave memory, so that
 * thousands need no more space than a few.
 */
#include "engine/maintenance/recovery.h"

#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "engine/effects/processes.h"
#include "engine/resources/access.h"
#include "engine/resources/grants.h"
#include "engine/resources/task_slots.h"
#include "engine/engine_state.h"

/* Sessions between their first read and the commit of their recovery. */
#define AT_ONCE 48

/* How often the log reports progress. */
#define LOG_EVERY_MS 1000

/* This value marks that every open session has its rows of counts. */
#define ROWS_KEY STR("rows:counts")

struct unrecovered {
	struct list node;
	struct str id;
	bool is_claimant; /* it may have background processes */
	bool is_late;     /* another node worked on it until a moment ago */
	char text[];
};

static int64_t mono_ms(struct engine *e)
{
	return e->ports.clock->ops->mono_ms(e->ports.clock);
}

/* ---- the list ---- */

static void list_session(struct engine *e, struct str id, bool is_claimant)
{
	struct recovery *r = &e->recovery;
	struct unrecovered *u;

	if (map_get(&r->listed, id))
		return;
	u = memory_zeroed(1, sizeof *u + id.len + 1);
	memcpy(u->text, id.ptr, id.len);
	u->id = str_of(u->text, id.len);
	u->is_claimant = is_claimant;
	map_put(&r->listed, u->id, u);
	list_add(&r->queue, &u->node);
	r->claimants += is_claimant;
	r->total++;
}

static void unlist_session(struct engine *e, struct unrecovered *u)
{
	map_remove(&e->recovery.listed, u->id);
	list_remove(&u->node);
	memory_free(u);
}

/*
 * The session is being loaded, by the queue or by a request: it leaves the list and is
 * recovered when it arrives.
 */
static void take_session(struct session *s)
{
	struct recovery *r = &s->engine->recovery;
	struct unrecovered *u = map_get(&r->listed, s->id);

	if (!u || s->engine->options.config->store_read_only)
		return;
	s->needs_recovery = s->is_at_start = true;
	s->is_claimant = u->is_claimant;
	s->is_taken_over = u->is_late;
	unlist_session(s->engine, u);
	r->active++;
}

/* ---- the queue ---- */

uint64_t recovery_left(const struct engine *e)
{
	return e->recovery.listed.count + e->recovery.active;
}

void recovery_write(struct json_writer *w, const struct engine *e)
{
	uint64_t left = recovery_left(e);
	struct rec_recovery_progress progress = {
		.total = (int64_t)e->recovery.total,
		.recovered = (int64_t)(e->recovery.total - left),
	};

	if (!left)
		return;
	JW_KEY(w, "recovery");
	rec_write(w, &rec_recovery_progress_desc, &progress);
}

static bool is_over(const struct engine *e)
{
	return !e->recovery.is_listing && list_is_empty(&e->recovery.queue) && !e->recovery.active;
}

/* Logged at most once a second; a recovery of less than a second is not logged. */
static void log_progress(struct engine *e)
{
	struct recovery *r = &e->recovery;
	int64_t now = mono_ms(e);
	uint64_t left = recovery_left(e);

	if (!r->total || (!is_over(e) && now - r->logged_at < LOG_EVERY_MS))
		return;
	r->logged_at = now;
	if (!is_over(e))
		log_line(LOG_INFO, "engine", "%llu of %llu sessions with open work are recovered",
		         (unsigned long long)(r->total - left), (unsigned long long)r->total);
	else if (left)
		log_line(LOG_WARN, "engine", "%llu of %llu sessions with open work cannot be read",
		         (unsigned long long)left, (unsigned long long)r->total);
	else if (now - r->began_at >= LOG_EVERY_MS)
		log_line(LOG_INFO, "engine", "all %llu sessions with open work are recovered",
		         (unsigned long long)r->total);
}

/*
 * Bounded by AT_ONCE, so that a start with thousands of open sessions neither fills the
 * memory nor delays commands.  Backpressure stops it; the listeners of throttle_changed
 * and disk_has_room call it again.  load_session() takes the session out of the queue.
 */
void recovery_pump(struct engine *e)
{
	struct recovery *r = &e->recovery;

	if (!e->is_ready || e->is_leaving)
		return;
	while (r->active < AT_ONCE && !list_is_empty(&r->queue) && !e->is_stopping &&
	       !e->has_failed && !e->is_full && !e->is_throttled) {
		struct unrecovered *u = LIST_ITEM(r->queue.next, struct unrecovered, node);

		load_session(session_make(e, u->id, false));
	}
}

/* All counts are exact from now on. */
static void counts_are_known(struct engine *e)
{
	e->are_slots_known = true;
	task_slots_look(e);
}

/* Background processes without a session by now are ended. */
static void look_for_claims(struct engine *e)
{
	if (e->recovery.is_listing || e->recovery.claimants || e->is_settled)
		return;
	e->is_settled = true;
	processes_settle(e);
}

static void no_claimant(struct session *s)
{
	if (!s->is_claimant)
		return;
	s->is_claimant = false;
	s->engine->recovery.claimants--;
	look_for_claims(s->engine);
}

/*
 * Its processes were claimed when it was recovered (processes.c), so the others need not
 * wait for it.
 */
static void was_read(struct session *s)
{
	if (!s->is_at_start)
		return;
	/* A log that is older than these rows gets them now. */
	if (!s->engine->recovery.has_rows && s->phase == SESSION_LIVE)
		index_counts(&commit_slice(s)->rows, s->state);
	no_claimant(s);
}

/*
 * Makes room for the next one.  Reached once per session: after its commit, or when it is
 * missing, broken or dropped.
 */
void recovery_ended(struct session *s)
{
	struct engine *e = s->engine;

	if (!s->is_at_start)
		return;
	no_claimant(s);
	s->is_at_start = false;
	e->recovery.active--;
	recovery_pump(e);
	log_progress(e);
	if (is_over(e) && !e->are_slots_known)
		counts_are_known(e);
}

/* Lists it again for its next use; no request waits for it. */
static void list_again(struct session *s)
{
	struct recovery *r = &s->engine->recovery;
	struct unrecovered *u;

	if (!s->is_at_start && !s->is_orphan)
		return;
	list_session(s->engine, s->id, false);
	u = map_get(&r->listed, s->id);
	u->is_late = s->is_taken_over || !s->is_at_start;
	list_remove(&u->node);
	list_init(&u->node);
	if (!s->is_at_start)
		return;
	r->total--;
	recovery_ended(s);
}

/* They are recovered as after a start, in the same queue; what is in memory is being claimed. */
void recovery_orphans(struct engine *e, const struct str *sessions, size_t count)
{
	struct recovery *r = &e->recovery;

	/* The start lists them itself, with what it knows of their processes; a report comes again. */
	if (!e->is_ready || r->is_listing)
		return;
	if (is_over(e))
		r->began_at = r->logged_at = mono_ms(e);
	for (size_t i = 0; i < count; i++) {
		if (session_find(e, sessions[i]) || map_get(&r->listed, sessions[i]))
			continue;
		list_session(e, sessions[i], false);
		((struct unrecovered *)map_get(&r->listed, sessions[i]))->is_late = true;
	}
	recovery_pump(e);
}

void recovery_load(struct session *s, enum load_phase phase)
{
	switch (phase) {
	case LOAD_BEGINS:
		take_session(s);
		break;
	case LOAD_ARRIVES:
		was_read(s);
		break;
	case LOAD_DONE:
		if (!s->slice) /* otherwise when that is durable */
			recovery_ended(s);
		break;
	case LOAD_MISSING:
	case LOAD_ELSEWHERE: /* its owner continues it */
		recovery_ended(s);
		break;
	case LOAD_BROKEN:
		list_again(s);
		break;
	case LOAD_READ:
	case LOAD_RECOVERED:
		break;
	}
}

/* ---- reading the rows ---- */

static void read_rows(struct engine *e);

/* The list is complete, and commands may be accepted: each session recovers when it is loaded. */
static void all_is_listed(struct engine *e)
{
	struct recovery *r = &e->recovery;

	r->is_listing = false;
	arena_free(r->mem);
	r->mem = NULL;
	r->began_at = r->logged_at = mono_ms(e);
	if (r->total >= 1000)
		log_line(LOG_INFO, "engine", "%llu sessions have open work: recovering them",
		         (unsigned long long)r->total);
	if (r->has_rows || !r->total)
		counts_are_known(e);
	look_for_claims(e);
	grants_learn(e);
	access_learn(e);
	e->recovering--;
	LISTENERS_CALL(e->listeners->start_moved, e);
}

static void take_row(struct engine *e, const struct index_found *row)
{
	struct recovery *r = &e->recovery;

	switch (r->stage) {
	case RECOVERY_TASKS:
		task_slots_sleep(e, row->session, row->status, row->at);
		break;
	case RECOVERY_BACKGROUND:
		list_session(e, row->session, true);
		break;
	case RECOVERY_SESSIONS:
		list_session(e, row->key, !r->has_rows);
		break;
	}
}

/* Without these rows the runtime cannot know which work was lost, so a failing read ends it. */
static void rows_read(struct store_read *read)
{
	struct engine *e = read->owner;
	struct recovery *r = &e->recovery;
	bool more = read->more;

	if (read->result != OK && read->result != ERR_NOT_FOUND) {
		e->has_failed = true;
		e->failure = read->error;
		port_store_read_done(read);
		if (e->hooks.fatal)
			e->hooks.fatal(e->hooks.owner, &e->failure);
		return;
	}
	for (size_t i = 0; i < read->row_count; i++)
		take_row(e, &read->rows[i]);
	r->from_key = STR_NONE;
	if (more && read->row_count) {
		const struct index_found *last = &read->rows[read->row_count - 1];

		arena_reset(r->mem);
		r->from_at = last->at;
		r->from_key = arena_keep(r->mem, last->key);
	}
	port_store_read_done(read);
	if (!more && r->stage == RECOVERY_SESSIONS) {
		all_is_listed(e);
		return;
	}
	if (!more)
		r->stage++;
	read_rows(e);
}

/*
 * The pages are ordered by a column that recovery changes.  Nothing is written before the last page
 * was read, so no row is seen twice or missed.
 */
static void read_rows(struct engine *e)
{
	struct recovery *r = &e->recovery;
	bool is_count = r->stage != RECOVERY_SESSIONS;

	e->start_read = (struct store_read){
		.kind = READ_INDEX,
		.table = is_count ? INDEX_ITEM : INDEX_SESSION,
		.parent = r->stage == RECOVERY_TASKS        ? STR(INDEX_TASKS_UNDER_WAY)
		          : r->stage == RECOVERY_BACKGROUND ? STR(INDEX_BACKGROUND)
		                                            : STR_NONE,
		.open_only = true,
		.without_body = true,
		.newest_first = true, /* the last used sessions are likely to be used first */
		.from_at = r->from_at,
		.from_key = r->from_key,
		.done = rows_read,
		.owner = e,
	};
	e->ports.store->ops->read(e->ports.store, &e->start_read);
}

/*
 * Without rows of counts (a log of an earlier version) every open session is loaded, and
 * the counts are known when all were.
 */
void recovery_begin(struct engine *e)
{
	struct recovery *r = &e->recovery;
	struct str value;

	r->mem = arena_new_small();
	r->has_rows =
		e->ports.store->ops->get_meta(e->ports.store, r->mem, ROWS_KEY, &value, NULL) == OK;
	r->stage = r->has_rows ? RECOVERY_TASKS : RECOVERY_SESSIONS;
	read_rows(e);
}

/* Late, so that the start does not wait for it; without it the next start counts by loading. */
void recovery_keep_rows(struct engine *e)
{
	struct error why;

	if (e->recovery.has_rows || !is_over(e) || e->recovery.listed.count || e->has_failed ||
	    e->is_full)
		return;
	e->recovery.has_rows =
		e->ports.store->ops->set_meta(e->ports.store, ROWS_KEY, STR("1"), &why) == OK;
}

void recovery_free(struct engine *e)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&e->recovery.listed, &i, &slot);)
		memory_free(slot->value);
	map_done(&e->recovery.listed);
	arena_free(e->recovery.mem);
}

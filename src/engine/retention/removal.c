/*
 * Deletes a session.
 *
 *   LOOK ──► (load) ──► JUDGE ──► RECORD ──► durable ──► reply, sweep
 *     ▲                   │
 *     └── not settled ────┘
 *
 * One transaction writes the event in sess_system and takes the session out of the store, so
 * a crash leaves either the whole session or none of it, with the event.  From JUDGE until
 * that transaction has ended the session is not in memory, and a load of it waits
 * (`removing` of the engine): nothing is written to a session that is being deleted.
 */
#include "engine/session/session_place.h"
#include "engine/nodes/nodes.h"
#include "engine/retention/removal_parts.h"

#include "base/jw.h"
#include "core/gen/inputs.h"
#include "core/retention/retention.h"
#include "engine/gen/queries.h"
#include "engine/maintenance/anchor.h"
#include "engine/retention/retention.h"
#include "engine/session/apply.h"
#include "engine/session/fanout.h"

#define SYSTEM STR("sess_system")
#define DAY_MS (24 * 60 * 60 * (int64_t)1000)
/* Commands that read take milliseconds; an export may take longer, and is not waited for. */
#define TRIES 100
#define TRY_MS 20
#define LOADS 3 /* of a session that leaves memory again before it is judged */

/* The work data of one deletion. */
struct removal {
	struct request *request;
	int64_t days;   /* of the rule; 0: a command */
	unsigned tries; /* while other commands use the session */
	unsigned loads;
	bool is_marked, is_recorded;
	uint64_t last_seq, floor;
	struct sha256 hash;
};

static void removal_look(struct request *r);

/* ---- the mark ---- */

static void mark(struct removal *k)
{
	struct request *r = k->request;

	k->is_marked = true;
	map_put(&r->engine->removing, r->session_id, r);
}

/* Also when the request fails: then a load that waited finds the session. */
static void removal_done(void *work)
{
	struct removal *k = work;
	struct engine *e = k->request->engine;
	struct session *s;

	if (k->is_marked)
		map_remove(&e->removing, k->request->session_id);
	if (!e->removals)
		return; /* the engine ends */
	if (k->is_marked && !k->is_recorded)
		anchor_remember(e, k->request->session_id, k->last_seq, &k->hash);
	s = k->is_marked ? session_find(e, k->request->session_id) : NULL;
	if (s && s->is_parked)
		load_session(s);
	if (k->days)
		e->removals->ended(e);
}

void removal_yield(struct request *r)
{
	struct removal *k = r->work;

	if (k && k->is_marked) {
		map_remove(&r->engine->removing, r->session_id);
		anchor_remember(r->engine, r->session_id, k->last_seq, &k->hash);
		k->is_marked = false;
	}
	session_place_release(r->engine, r->session_id);
}

static struct removal *removal_of_request(struct request *r)
{
	struct removal *k = r->work;

	if (k)
		return k;
	(void)removal_sweep_state(r->engine);
	k = r->work = ARENA_NEW(r->mem, struct removal);
	k->request = r;
	r->work_done = removal_done;
	return k;
}

/* ---- the reply ---- */

static void write_reply(struct request *r, const char *status, uint64_t last_seq,
                        const struct sha256 *hash, uint64_t by)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", r->session_id);
	JW_KSTR(&w, "status", str_from(status));
	JW_KINT(&w, "lastSequence", (int64_t)last_seq);
	JW_KSTR(&w, "headHash", sha256_hex(r->mem, hash));
	JW_KINT(&w, "sequence", (int64_t)by);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
}

static void refuse_active(struct request *r, const char *why)
{
	request_fail(r, ERROR_CODE_SESSION_ACTIVE, "%s", why);
	request_reply(r);
}

/* ---- RECORD ---- */

/* The event and the end of the session are durable. */
static void recorded(struct request *r)
{
	struct removal *k = r->work;

	k->is_recorded = true;
	fanout_removed(r->engine, r->session_id);
	if (!k->days)
		removal_sweep(r->engine);
	request_reply(r);
}

static struct rec_session_removal removal_record(struct request *r, const struct removal *k)
{
	const struct cmd_delete_session *c = r->args;

	return (struct rec_session_removal){
		.session_id = r->session_id,
		.last_sequence = (int64_t)k->last_seq,
		.head_hash = sha256_hex(r->mem, &k->hash),
		.has_removed_before = k->floor > 0,
		.removed_before = (int64_t)k->floor,
		.reason = c->reason,
		.rule = k->days ? arena_printf(r->mem, "retention.sessions_days: %lld",
		                               (long long)k->days)
		                : STR_NONE,
	};
}

static void record(struct session *system, void *arg)
{
	struct request *r = arg;
	struct removal *k = r->work;
	struct rec_session_removal what = removal_record(r, k);
	struct decision *d;
	uint64_t by;

	if (!system || system->phase != SESSION_LIVE) {
		request_fail(r, ERROR_CODE_STORE_FAILED, "the deletion could not be recorded");
		request_reply(r);
		return;
	}
	r->session = system;
	anchor_forget(r->engine, r->session_id);
	d = apply_begin(system, k->days ? NULL : &r->command);
	input_retention_removed(d, &what);
	by = system->applied + d->count; /* steps may follow the event */
	apply_end(system, d);
	retention_add_pending(system, &(struct pending_op){ .kind = MAINTENANCE_SWEEP,
	                                                    .seq = by,
	                                                    .ref = r->session_id,
	                                                    .last_seq = k->last_seq,
	                                                    .last_hash = k->hash });
	write_reply(r, "deleted", k->last_seq, &k->hash, by);
	idempotency_keep(r);
	r->then = recorded;
	request_wait(r);
}

/* ---- JUDGE ---- */

/* Changes the session later, an export for example, and holds no pointer to it meanwhile. */
static bool will_change(const struct request *q, struct str session)
{
	return q->command.command && q->command.command != COMMAND_DELETE_SESSION &&
	       command_classes[q->command.command].mutates && str_eq(q->session_id, session);
}

/* Another command of this session is being carried out. */
static bool is_in_use(const struct request *r, const struct session *s)
{
	const struct engine *e = r->engine;

	for (const struct list *n = e->requests.next; n != &e->requests; n = n->next) {
		const struct request *q = LIST_ITEM(n, struct request, all);

		if (q != r && (q->session == s || will_change(q, r->session_id)))
			return true;
	}
	return !session_is_unused(s);
}

static void on_try(struct clock_timer *t)
{
	removal_look(OWNER_OF(t, struct request, timer));
}

static void try_again(struct request *r)
{
	r->timer.fire = on_try;
	r->engine->ports.clock->ops->start(r->engine->ports.clock, &r->timer, TRY_MS);
}

/*
 * Its age by its own clock: a wall clock that was set forward deletes nothing.  Its last event may
 * be newer than its row in the list.
 */
static bool is_too_young(struct session *s, const struct removal *k)
{
	return k->days && clock_of(s) - s->state->s->updated_at < k->days * DAY_MS;
}

static void judge(struct request *r, struct session *s)
{
	struct removal *k = r->work;
	const char *hold = retention_hold(s->state);
	bool is_used = !hold && is_in_use(r, s);

	if (is_used && k->tries++ < TRIES) {
		try_again(r);
		return;
	}
	if (is_used)
		hold = "a command of this session is being carried out; try again then";
	if (!hold && is_too_young(s, k))
		hold = "it was used meanwhile";
	if (hold) {
		refuse_active(r, hold);
		return;
	}
	k->last_seq = s->durable;
	k->hash = s->hash;
	k->floor = s->floor;
	mark(k);
	session_leave(s);
	session_free(s);
	request_job_with(r->engine, SYSTEM, true, ELSEWHERE_FORWARD, record, r);
}

/* ---- LOOK ---- */

/* It may leave again before its head was read; then it is loaded again. */
static void loaded(struct session *s, void *arg)
{
	struct request *r = arg;

	if (s && s->phase != SESSION_LIVE) {
		request_fail(r, ERROR_CODE_SESSION_UNREADABLE,
		             "the session cannot be loaded, so it is not known what runs in it");
		request_reply(r);
		return;
	}
	removal_look(r);
}

/*
 * On a full disk each load fails: the events of its recovery cannot be written, and the session is
 * dropped.
 */
static void load_to_judge(struct request *r)
{
	struct removal *k = r->work;

	if (k->loads++ < LOADS) {
		request_job_with(r->engine, r->session_id, false, ELSEWHERE_FORWARD, loaded, r);
		return;
	}
	if (r->engine->is_full)
		request_fail(r, ERROR_CODE_STORAGE_FULL,
		             "no space left to record what was running in the session; delete "
		             "another one first");
	else
		request_fail(r, ERROR_CODE_OVERLOADED,
		             "the session left memory before it could be deleted; try again");
	request_reply(r);
}

static void look_again(struct request *r)
{
	r->session = NULL;
	removal_look(r);
}

static void head_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct session *s = session_find(r->engine, r->session_id);
	bool is_there = read->result == OK, was_deleted = read->is_removed;

	if (request_read_failed(read))
		return;
	if (was_deleted)
		write_reply(r, "already_deleted", read->removed_seq, &read->removed_hash,
		            read->removed_by);
	port_store_read_done(read);
	if (was_deleted) {
		request_reply(r);
	} else if (!is_there) {
		request_no_session(r, 0);
	} else if (!s || s->phase != SESSION_LIVE) {
		load_to_judge(r);
	} else if (s->applied != s->durable || s->slice || s->in_flight) {
		r->session = s;
		r->then = look_again;
		request_wait(r);
	} else {
		judge(r, s);
	}
}

/*
 * The head is read again after every wait.  Its callback comes from the store and not from the
 * session, so the session can be freed there.
 */
static void removal_look(struct request *r)
{
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = r->session_id, .done = head_found, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

void query_delete_session(struct request *r, const struct cmd_delete_session *c)
{
	(void)removal_of_request(r);
	if (caller_ids_is_reserved(c->session_id)) {
		request_fail(r, ERROR_CODE_RESERVED_ID,
		             "%.*s belongs to the runtime and is not deleted",
		             STR_ARG(c->session_id));
		request_reply(r);
		return;
	}
	removal_look(r);
}

void removal_start(struct engine *e, struct str session, int64_t days)
{
	struct request *r = request_own(e, session, COMMAND_DELETE_SESSION);
	struct cmd_delete_session *args = ARENA_NEW(r->mem, struct cmd_delete_session);

	args->session_id = r->session_id;
	r->args = args;
	removal_of_request(r)->days = days;
	request_restart(r);
}

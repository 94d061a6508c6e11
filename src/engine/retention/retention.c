/*
 * Operations on the log of a session: removing its beginning, erasing one
 * event, rebuilding derived data.
 *
 * Each is recorded by an event first, and carried out when that is durable.  The
 * operation is stored in the same commit as its event (a pending operation of
 * the store), so that the next runtime continues an interrupted one.
 *
 * A request that had to read the store returns through request_restart(),
 * because its session may have left memory in between; its results so far are
 * in its work data.
 */
#include "engine/retention/retention.h"

#include "core/gen/inputs.h"
#include "base/jw.h"
#include "base/os/log.h"
#include "core/retention/retention.h"
#include "core/step.h"
#include "engine/evidence/evidence_export.h"
#include "engine/maintenance/damage.h"
#include "engine/retention/erase_exports.h"
#include "engine/retention/floor_text.h"
#include "engine/session/apply.h"
#include "engine/session/conversation_cache.h"
#include "engine/session/fanout.h"
#include "engine/gen/queries.h"
#include "engine/engine_state.h"

/* Packing may work on the same place: then the step is tried again. */
#define TRIES 100

/* The work data of one operation; survives request_restart(). */
struct keeping {
	struct store_maintenance step;
	unsigned tries;
	bool has_read;
	bool is_pending_op; /* a pending operation: its event exists already */
	uint64_t seq;
	/* Of a trim. */
	struct sha256 hash;
	uint64_t erasures; /* of the engine, when folding began */
	/* Of an erasure. */
	struct str stub;
	struct list_str refs;
	struct erase_exports exports; /* which hold the event */
	bool is_erased;               /* and rows with the erased content have to be rebuilt */
	/* Of a rebuild, and of the state at the cut of a trim. */
	struct state *fresh;
	struct rows rows;
	uint64_t until; /* the last event to fold, which has `hash`; 0: the head, with rows */
	uint64_t folded, floor;
	struct sha256 floor_hash; /* at the event where folding began */
	struct str key;           /* the last one of the journal before the cut */
	uint64_t keyed;           /* records through here were read for it */
	int64_t events;
};

static void keeping_done(void *work)
{
	state_free(((struct keeping *)work)->fresh);
}

static struct keeping *keeping_of(struct request *r)
{
	if (!r->work) {
		r->work = ARENA_NEW(r->mem, struct keeping);
		r->work_done = keeping_done;
	}
	return r->work;
}

static void refuse_now(struct request *r, enum error_code code, const char *why)
{
	request_fail(r, code, "%s", why);
	request_reply(r);
}

/* Open work still needs the event. */
static bool is_needed(struct request *r, uint64_t seq)
{
	int64_t from = retention_needed_from(r->session->state);

	if (!from || seq < (uint64_t)from)
		return false;
	request_fail(r, ERROR_CODE_THREAD_BUSY,
	             "events from %lld on belong to something that is not over", (long long)from);
	request_reply(r);
	return true;
}

/* A missing record is a failure too: it has to exist. */
static bool read_failed(struct store_read *read)
{
	struct request *r = read->owner;

	if (read->result == OK)
		return false;
	damage_of(r->engine, read);
	request_fail(r, damage_code(read), "%s", read->error.message);
	port_store_read_done(read);
	request_reply(r);
	return true;
}

static void read_one(struct request *r, uint64_t seq, void (*done)(struct store_read *))
{
	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = seq - 1,
		                       .until = seq,
		                       .max_rows = 1,
		                       .done = done,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* ---- pending operations ---- */

/* In the slice of the event: neither exists without the other. */
void retention_add_pending(struct session *s, const struct pending_op *c)
{
	struct pending_slice *p = commit_slice(s);
	struct arena *mem = s->engine->filling->mem;
	struct slice *sl = &p->slice;

	if (sl->pending_count == p->pending_cap) {
		size_t cap = p->pending_cap ? p->pending_cap * 2 : 4;

		sl->pending_ops = arena_grow(mem, sl->pending_ops,
		                             sl->pending_count * sizeof *sl->pending_ops,
		                             cap * sizeof *sl->pending_ops);
		p->pending_cap = cap;
	}
	sl->pending_ops[sl->pending_count] = *c;
	sl->pending_ops[sl->pending_count++].ref = arena_keep(mem, c->ref);
}

/* ---- execution ---- */

/* It is loaded again by its next use, if it can leave memory now. */
static void forget_state(struct session *s)
{
	conversation_cache_forget(s);
	if (!session_is_settled(s) || !list_is_empty(&s->waiting) || !list_is_empty(&s->watching) ||
	    s->readers || s->feed) {
		s->holds_erased = true;
		session_untouch(s);
		return;
	}
	deadlines_watch(s->engine, step_deadline(s->state, &s->leases));
	session_leave(s);
	session_free(s);
}

static void step_done(struct store_maintenance *u);
static void rebuild_session(struct request *r, struct keeping *k);

/* The event is durable.  Each step of the store is short and reports whether more remains. */
static void do_step(struct request *r)
{
	struct keeping *k = r->work;

	r->session = NULL; /* it may leave memory now */
	k->step.done = step_done;
	k->step.owner = r;
	r->engine->ports.store->ops->maintenance(r->engine->ports.store, &k->step);
}

/*
 * Everything in memory that may hold removed or erased bytes is dropped here: events for
 * subscribers, cached conversations, and after an erasure the state itself.
 */
static void step_done(struct store_maintenance *u)
{
	struct request *r = u->owner;
	struct keeping *k = r->work;
	struct session *s = session_find(r->engine, r->session_id);

	if ((u->result == OK && u->more) || (u->result == ERR_BUSY && k->tries++ < TRIES)) {
		do_step(r);
		return;
	}
	/*
	 * The event is durable, and so is the pending operation: the next round or start tries
	 * again.
	 */
	if (u->result != OK)
		log_line(
			LOG_WARN, "store",
			"%.*s: the operation of event %llu is still pending and is tried again: %s",
			STR_ARG(r->session_id), (unsigned long long)u->seq, u->error.message);
	if (u->result == OK && (u->kind == MAINTENANCE_CUT || u->kind == MAINTENANCE_ERASE))
		fanout_forget_recent(r->engine);
	if (s && u->result == OK && u->kind == MAINTENANCE_CUT) {
		s->floor = MAX(s->floor, u->seq);
		conversation_cache_forget(s);
	}
	if (s && u->result == OK && u->kind == MAINTENANCE_ERASE)
		forget_state(s); /* it may hold erased content */
	if (u->result == OK && u->kind == MAINTENANCE_ERASE) {
		r->engine->erasures++;
		evidence_export_erased(r->engine, r->session_id);
		k->is_erased = true;
		k->has_read = false;
		request_restart(r);
	} else {
		request_reply(r);
	}
}

/* Folds the session from its floor to `until`, and calls request_restart(). */
static void fold_from_floor(struct request *r, struct keeping *k);

/* ---- trim ---- */

static void reply_trimmed(struct request *r, uint64_t through, const struct sha256 *hash,
                          struct str ref)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", r->session_id);
	JW_KINT(&w, "removedThrough", (int64_t)through);
	if (hash)
		JW_KSTR(&w, "headHash", sha256_hex(r->mem, hash));
	JW_KOPT(&w, "snapshotRef", ref);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
}

/* The state that replaces the removed events. */
static struct str floor_text(struct arena *mem, const struct keeping *k)
{
	return floor_text_write(mem,
	                        &(struct floor_text){
					.sequence = k->folded,
					.hash = k->folded == k->until ? k->hash : k->floor_hash,
					.state = k->fresh,
					.key = k->key,
				});
}

/*
 * The hash of the last removed event, for the event that announces the removal: with it
 * the rest of the chain can be verified.
 */
static void trim_hash(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;
	uint64_t floor = read->floor_seq;
	bool is_there = read->event_count == 1;

	if (request_lost_session(read) || read_failed(read))
		return;
	if (is_there)
		k->hash = read->events[0].hash;
	port_store_read_done(read);
	if (!is_there) { /* below the floor: done already */
		reply_trimmed(r, floor, NULL, STR_NONE);
		request_keep(r);
		request_wait(r);
		return;
	}
	k->until = k->seq;
	fold_from_floor(r, k);
}

/*
 * The blob holds the state at the cut and nothing of later events: one of those may be
 * erased, and its content must not stay here.  A session whose snapshot is lost is loaded
 * from it.  Blobs of older versions hold the state at the head of that time.
 */
static void trim_now(struct request *r, struct keeping *k, struct str reason)
{
	struct session *s = r->session;
	struct decision *d = apply_begin(s, &r->command);
	struct str ref = arena_keep(r->mem, input_retention_cut(d, (int64_t)k->seq,
	                                                        sha256_hex(d->mem, &k->hash),
	                                                        floor_text(d->mem, k), reason));

	apply_end(s, d);
	s->wants_snapshot = true;
	reply_trimmed(r, k->seq, &k->hash, ref);
	request_keep(r);
	retention_add_pending(
		s, &(struct pending_op){ .kind = MAINTENANCE_CUT, .seq = k->seq, .ref = ref });
	k->step = (struct store_maintenance){
		.kind = MAINTENANCE_CUT, .session = r->session_id, .seq = k->seq, .ref = ref
	};
	r->then = do_step;
	request_wait(r);
}

/*
 * Called twice per request: to read the hash, and again to write the event.  A pending
 * operation of an earlier run needs neither.
 */
void query_trim_log(struct request *r, const struct cmd_trim_log *c)
{
	struct keeping *k = keeping_of(r);
	int64_t applied = (int64_t)r->session->applied;
	int64_t through = c->has_through ? c->through : applied - c->keep;

	if (k->is_pending_op) {
		do_step(r);
		return;
	}
	if (c->has_through == c->has_keep || (c->has_keep && c->keep < 1)) {
		refuse_now(r, ERROR_CODE_INVALID_VALUE,
		           "name the last event to remove (through), or how many stay (keep)");
		return;
	}
	if (c->has_through && (through < 1 || through >= applied)) {
		refuse_now(r, ERROR_CODE_INVALID_VALUE,
		           "through: an event of this session before its last one");
		return;
	}
	if (through < 1) { /* the log is shorter than the part to keep */
		reply_trimmed(r, 0, NULL, STR_NONE);
		request_keep(r);
		request_wait(r);
		return;
	}
	if (is_needed(r, (uint64_t)through))
		return;
	if (k->has_read && k->erasures == r->engine->erasures) {
		trim_now(r, k, c->reason);
		return;
	}
	k->seq = (uint64_t)through;
	read_one(r, k->seq, trim_hash);
}

/* ---- erasure ---- */

/* Small blobs of the event hold its content too. */
static void find_refs(struct request *r, struct keeping *k, struct str body)
{
	struct str rest = body;
	ptrdiff_t at;

	while ((at = str_find(rest, STR("\"out_"))) >= 0) {
		rest = str_skip(rest, (size_t)at + 1);
		rec_list_str_add(r->mem, &k->refs, str_cut(&rest, '"'));
	}
}

static void reply_erased(struct request *r, uint64_t seq, struct str status)
{
	r->response.reply = arena_printf(
		r->mem, "{\"sessionId\":\"%.*s\",\"eventSequence\":%llu,\"status\":\"%.*s\"}",
		STR_ARG(r->session_id), (unsigned long long)seq, STR_ARG(status));
	request_keep(r);
}

/*
 * Prepares the stub: what remains of the event must still have the form of one.  A pending
 * operation whose event is erased already only lacks the rebuild.
 */
static void erase_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;
	struct event *ev = ARENA_NEW(r->mem, struct event);
	bool is_there = read->event_count == 1, is_erased = is_there && read->events[0].is_erased;
	struct str body = is_there ? arena_keep(r->mem, bytes_str(read->events[0].body)) : STR_NONE;
	struct json doc;

	if (request_lost_session(read) || read_failed(read))
		return;
	port_store_read_done(read);
	if (!is_there) {
		refuse_now(r, ERROR_CODE_NOT_FOUND, "there is no such event");
		return;
	}
	if (is_erased && k->is_pending_op) {
		k->is_erased = true;
		request_restart(r);
		return;
	}
	if (is_erased) {
		reply_erased(r, k->seq, STR("already_erased"));
		request_wait(r);
		return;
	}
	if (json_read_trusted(r->mem, body, &doc, NULL) != OK ||
	    rec_read(r->mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK) {
		refuse_now(r, ERROR_CODE_STORE_FAILED, "the event does not have the form of one");
		return;
	}
	find_refs(r, k, body);
	k->stub = retention_erased_text(r->mem, ev);
	k->has_read = true;
	erase_exports_find(r, ev, &k->exports);
}

static void record_erasure(struct request *r, struct keeping *k, const struct cmd_erase_event *c)
{
	struct decision *d = apply_begin(r->session, &r->command);

	input_retention_rebuilt(d, arena_printf(d->mem, "erased: %.*s", STR_ARG(c->reason)),
	                        (int64_t)k->seq);
	erase_exports_expire(d, &k->exports);
	apply_end(r->session, d);
	evidence_export_erased(r->engine, r->session_id);
	reply_erased(r, k->seq, STR("erased"));
	retention_add_pending(r->session,
	                      &(struct pending_op){ .kind = MAINTENANCE_ERASE, .seq = k->seq });
}

/* Packs that were made since the erasure was recorded, while it was pending. */
static void expire_exports(struct request *r, struct keeping *k)
{
	struct decision *d;

	if (!erase_exports_any(&k->exports))
		return;
	d = apply_begin(r->session, &r->command);
	erase_exports_expire(d, &k->exports);
	apply_end(r->session, d);
}

static void erase_now(struct request *r, struct keeping *k, const struct cmd_erase_event *c)
{
	k->step = (struct store_maintenance){ .kind = MAINTENANCE_ERASE,
		                              .session = r->session_id,
		                              .seq = k->seq,
		                              .body = k->stub,
		                              .refs = k->refs.items,
		                              .ref_count = k->refs.count };
	if (k->is_pending_op)
		expire_exports(r, k);
	else
		record_erasure(r, k, c);
	r->then = do_step;
	request_wait(r);
}

/*
 * Read, record, erase, rebuild: rows and snapshots hold parts of the content, so they are
 * derived again from the log without it.
 */
void query_erase_event(struct request *r, const struct cmd_erase_event *c)
{
	struct keeping *k = keeping_of(r);

	if (k->is_erased) {
		rebuild_session(r, k);
		return;
	}
	if (c->event_sequence < 1 || (uint64_t)c->event_sequence > r->session->durable) {
		refuse_now(r, ERROR_CODE_NOT_FOUND, "there is no such event");
		return;
	}
	if (is_needed(r, (uint64_t)c->event_sequence))
		return;
	if (k->has_read) {
		erase_now(r, k, c);
		return;
	}
	if (r->session->applied != r->session->durable) {
		request_wait_durable(r); /* an export that was just recorded has to be found */
		return;
	}
	k->seq = (uint64_t)c->event_sequence;
	read_one(r, k->seq, erase_read);
}

/* ---- rebuild ---- */

static void rebuild_page(struct store_read *read);
static void key_page(struct store_read *read);

static void key_more(struct request *r)
{
	struct keeping *k = r->work;

	r->read = (struct store_read){ .kind = READ_JOURNAL,
		                       .session = r->session_id,
		                       .after = k->keyed,
		                       .until = k->until,
		                       .done = key_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* A record without a body is damaged: it may have had a key, and the one before it is not used. */
static void key_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;
	uint64_t before = k->keyed;
	bool is_read = read->result == OK;

	for (size_t i = 0; is_read && i < read->journal_count; i++) {
		const struct journal_row *row = &read->journal[i];

		if (!str_is(row->body))
			k->key = STR_NONE;
		else if (str_is(row->key))
			k->key = arena_keep(r->mem, row->key);
	}
	k->keyed = is_read ? read->scanned : k->until;
	if (!is_read)
		k->key = STR_NONE;
	port_store_read_done(read);
	if (k->keyed < k->until && k->keyed > before) {
		key_more(r);
		return;
	}
	k->has_read = true;
	request_restart(r);
}

/* All events are folded.  A trim also needs the key of the records that stay. */
static void folded_all(struct request *r)
{
	struct keeping *k = r->work;

	k->keyed = k->floor;
	if (k->until > k->floor) {
		key_more(r);
		return;
	}
	k->has_read = true;
	request_restart(r);
}

static void rebuild_more(struct request *r)
{
	struct keeping *k = r->work;

	if (k->until && k->folded >= k->until) { /* a blob of an older version is ahead */
		folded_all(r);
		return;
	}
	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = k->folded,
		                       .until = k->until,
		                       .done = rebuild_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static bool fold_page(struct request *r, struct keeping *k, const struct store_read *read)
{
	for (size_t i = 0; i < read->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_trusted(mem, bytes_str(read->events[i].body), &doc, NULL) != OK ||
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
			return false;
		state_fold(k->fresh, ev);
		if (!k->until)
			index_event(&k->rows, k->fresh, ev);
		k->folded = read->events[i].seq;
		k->events++;
	}
	return true;
}

static void rebuild_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;
	bool more = read->more, is_good = read->result == OK && fold_page(r, k, read);

	if (!is_good) {
		damage_of(r->engine, read);
		request_fail(r, damage_code(read), "%s",
		             read->result == OK ? "an event does not have the form of one"
		                                : read->error.message);
		port_store_read_done(read);
		request_reply(r);
		return;
	}
	port_store_read_done(read);
	if (more) {
		rebuild_more(r);
		return;
	}
	folded_all(r);
}

/* The rows outlive the request when its session is dropped, so they belong to the batch. */
static void give_rows(struct session *s, struct keeping *k)
{
	struct pending_slice *p = commit_slice(s);
	struct arena *mem = s->engine->filling->mem;

	size_t had = p->rows.count;

	p->slice.clears_rows = k->floor == 0;
	p->rows.items = arena_grow(mem, p->rows.items, had * sizeof *p->rows.items,
	                           (had + k->rows.count + 1) * sizeof *p->rows.items);
	p->rows.count = had + k->rows.count;
	p->rows.cap = p->rows.count + 1;
	for (size_t i = 0; i < k->rows.count; i++) {
		struct index_row *row = &p->rows.items[had + i];

		*row = k->rows.items[i];
		row->key = arena_keep(mem, row->key);
		row->status = arena_keep(mem, row->status);
		row->parent = arena_keep(mem, row->parent);
		row->body = arena_keep(mem, row->body);
	}
}

/*
 * The session did not change since its last page was read (rebuild_session() checks that), so the
 * fresh state replaces the one in memory.
 */
static void rebuild_write(struct request *r, struct keeping *k)
{
	struct session *s = r->session;
	struct decision *d;

	give_rows(s, k);
	state_free(s->state); /* the state in memory is derived as well */
	s->state = k->fresh;
	k->fresh = NULL;
	d = apply_begin(s, &r->command);
	input_retention_rebuilt(d, STR("rebuilt from the log"), 0);
	apply_end(s, d);
	s->wants_snapshot = true;
	if (k->is_erased) { /* the reply exists already */
		retention_add_pending(s, &(struct pending_op){ .kind = MAINTENANCE_ERASE,
		                                               .seq = k->seq,
		                                               .is_done = true });
		request_wait(r);
		return;
	}
	r->response.reply = arena_printf(
		r->mem, "{\"sessionId\":\"%.*s\",\"events\":%lld,\"rows\":%llu}",
		STR_ARG(r->session_id), (long long)k->events, (unsigned long long)k->rows.count);
	request_keep(r);
	request_wait(r);
}

/* The state that replaces a removed beginning; rows of that time stay unchanged. */
static void rebuild_floor(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;

	if (read_failed(read))
		return;
	if (!load_floor_read(read->blob.data, &k->fresh, &k->folded, &k->floor_hash)) {
		port_store_read_done(read);
		refuse_now(r, ERROR_CODE_STORE_FAILED, "the state at the floor cannot be read");
		return;
	}
	k->key = floor_text_key(r->mem, read->blob.data);
	port_store_read_done(read);
	if (k->is_erased && k->seq <= k->folded)
		log_line(
			LOG_WARN, "store",
			"%.*s: an earlier version removed the beginning of this session and stored "
			"a state that may hold content of the erased event %llu",
			STR_ARG(r->session_id), (unsigned long long)k->seq);
	rebuild_more(r);
}

/* The floor decides where folding begins. */
static void rebuild_head(struct store_read *read)
{
	struct request *r = read->owner;
	struct keeping *k = r->work;
	struct str ref = arena_keep(r->mem, read->floor_ref);

	if (read_failed(read))
		return;
	k->floor = read->floor_seq;
	port_store_read_done(read);
	if (!k->floor) {
		k->fresh = state_new();
		rebuild_more(r);
		return;
	}
	r->read = (struct store_read){
		.kind = READ_BLOB, .key = ref, .done = rebuild_floor, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void fold_from_floor(struct request *r, struct keeping *k)
{
	state_free(k->fresh);
	k->fresh = NULL;
	k->key = STR_NONE;
	k->folded = k->floor = 0;
	k->events = 0;
	k->erasures = r->engine->erasures;
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = r->session_id, .done = rebuild_head, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/*
 * Waits for a moment in which nothing runs and everything is durable: the fresh state is
 * folded from the log and must equal the one that it replaces.  After an erasure the
 * rebuild is put off instead of refused, because the content is to disappear.
 */
static void rebuild_session(struct request *r, struct keeping *k)
{
	if (!list_is_empty(&r->session->effects) && k->is_erased) {
		r->session->owes = k->seq; /* when it is idle */
		request_reply(r);
	} else if (!list_is_empty(&r->session->effects)) {
		refuse_now(r, ERROR_CODE_THREAD_BUSY, "something is running in this session");
	} else if (r->session->applied != r->session->durable) {
		r->then = request_restart; /* the last decision has to be durable first */
		request_wait(r);
	} else if (k->has_read && k->folded == r->session->durable) {
		rebuild_write(r, k);
	} else if (k->has_read) { /* the session has changed in between */
		rebuild_more(r);
	} else {
		k->rows.mem = r->mem;
		fold_from_floor(r, k);
	}
}

void query_rebuild_session(struct request *r, const struct cmd_rebuild_session *c)
{
	rebuild_session(r, keeping_of(r));
}

/* ---- by rule, and pending operations ---- */

static struct keeping *own_request(struct engine *e, struct str session, enum command command,
                                   struct request **ret)
{
	*ret = request_own(e, session, command);
	return keeping_of(*ret);
}

static void cut_again(struct engine *e, const struct pending_op *c)
{
	struct request *r;
	struct keeping *k = own_request(e, c->session, COMMAND_TRIM_LOG, &r);
	struct cmd_trim_log *args = ARENA_NEW(r->mem, struct cmd_trim_log);

	args->session_id = r->session_id;
	r->args = args;
	k->is_pending_op = true;
	k->step = (struct store_maintenance){ .kind = MAINTENANCE_CUT,
		                              .session = r->session_id,
		                              .seq = c->seq,
		                              .ref = arena_keep(r->mem, c->ref) };
	request_restart(r);
}

static void erase_again(struct engine *e, struct str session, uint64_t seq)
{
	struct request *r;
	struct keeping *k = own_request(e, session, COMMAND_ERASE_EVENT, &r);
	struct cmd_erase_event *args = ARENA_NEW(r->mem, struct cmd_erase_event);

	*args = (struct cmd_erase_event){ .session_id = r->session_id,
		                          .event_sequence = (int64_t)seq };
	r->args = args;
	k->is_pending_op = true;
	request_restart(r);
}

/*
 * A pending operation may belong to a request that is still running: it must not be
 * started twice.
 */
static bool is_running(const struct engine *e)
{
	for (const struct list *n = e->requests.next; n != &e->requests; n = n->next) {
		const struct request *r = LIST_ITEM(n, struct request, all);

		if (r->command.command == COMMAND_TRIM_LOG ||
		    r->command.command == COMMAND_ERASE_EVENT)
			return true;
	}
	return false;
}

/* At the start and hourly: operations that a crash or an error interrupted. */
void retention_resume(struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = e->ports.store;
	struct pending_op *pending_ops;
	struct error err;
	size_t count;

	if (is_running(e))
		return;
	if (st->ops->pending_ops(st, mem, &pending_ops, &count, &err) != OK) {
		log_line(LOG_WARN, "store", "%s", err.message);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (pending_ops[i].kind == MAINTENANCE_CUT)
			cut_again(e, &pending_ops[i]);
		else
			erase_again(e, pending_ops[i].session, pending_ops[i].seq);
}

static void trim_by_rule(struct session *s, int64_t keep)
{
	struct request *r = request_own(s->engine, s->id, COMMAND_TRIM_LOG);
	struct cmd_trim_log *args = ARENA_NEW(r->mem, struct cmd_trim_log);

	*args = (struct cmd_trim_log){ .session_id = r->session_id,
		                       .has_keep = true,
		                       .keep = keep };
	r->args = args;
	request_restart(r);
}

/* Called when an idle session is about to leave memory.  True: it stays until this is done. */
bool retention_by_rule(struct session *s)
{
	uint64_t keep = (uint64_t)s->engine->options.config->retention_log_events, owes = s->owes;

	if (owes) {
		s->owes = 0;
		erase_again(s->engine, s->id, owes);
		return true;
	}
	/*
	 * Waits for a quarter more than that: an event and a snapshot per removed event would save
	 * nothing.
	 */
	if (!keep || s->is_trimming || s->applied - s->floor <= keep + keep / 4)
		return false;
	s->is_trimming = true; /* once per load */
	trim_by_rule(s, (int64_t)keep);
	return true;
}

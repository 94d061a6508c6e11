/*
 * verify_log: checks the hash chain of a session, page by page, and then the files of its outputs.
 *
 * A session that was removed as a whole is in no list.  The anchors name it, so the check of
 * sess_system looks for each session that they name.  One that was deleted by a command or a
 * rule is recorded by an event of sess_system, with the last hash of its log.
 */
#include "engine/maintenance/anchor.h"
#include "base/jw.h"
#include "engine/maintenance/damage.h"
#include "engine/evidence/erasures.h"
#include "engine/query/query.h"
#include "engine/engine_state.h"

/* Refs in one reply. */
#define MISSING_TOLD 100

struct verify {
	struct sha256 hash;
	uint64_t seq, events, erased;
	/* The session's head in the newest anchor; 0: none. */
	uint64_t anchored, anchor;
	struct sha256 anchored_hash;
	struct erasures erasures;
	/* Files. */
	struct str *refs; /* of the current page */
	size_t ref_count, ref_at;
	uint64_t outputs;
	struct list_str missing;
	int64_t from_at;
	struct str from_key;
	bool more;
	uint64_t removed_by; /* the event of sess_system about its deletion; 0: it is there */
	/* Of sess_system: the sessions that anchors name. */
	struct str *named;
	size_t named_count, named_at;
};

static void verify_page(struct store_read *read);

static bool is_system(const struct request *r)
{
	return str_eq(r->session_id, STR("sess_system"));
}

static void verify_next(struct request *r, struct verify *v)
{
	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = v->seq,
		                       .done = verify_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* `expected` is the hash computed up to there, `found` the stored or anchored one. */
static void verify_done_of(struct request *r, struct verify *v, struct str status,
                           struct str bad_session, uint64_t bad_seq, const struct sha256 *found,
                           struct str reason)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "status", status);
	JW_KINT(&w, "sessions", 1);
	JW_KINT(&w, "events", (int64_t)v->events);
	if (bad_seq) {
		JW_KEY(&w, "firstBad");
		jw_obj(&w);
		JW_KSTR(&w, "sessionId", bad_session);
		JW_KINT(&w, "sequence", (int64_t)bad_seq);
		JW_KSTR(&w, "expected", sha256_hex(r->mem, &v->hash));
		JW_KSTR(&w, "found", sha256_hex(r->mem, found));
		JW_KSTR(&w, "reason", reason);
		jw_obj_end(&w);
	}
	JW_KINT(&w, "erased", (int64_t)v->erased);
	JW_KSTR(&w, "headHash", sha256_hex(r->mem, &v->hash));
	if (v->anchored)
		JW_KINT(&w, "anchoredSequence", (int64_t)v->anchored);
	if (v->removed_by)
		JW_KINT(&w, "removedBy", (int64_t)v->removed_by);
	if (is_system(r) && anchor_read_removed_count(r->engine))
		JW_KINT(&w, "removedSessions", (int64_t)anchor_read_removed_count(r->engine));
	if (!bad_seq) {
		JW_KINT(&w, "outputs", (int64_t)v->outputs);
		JW_KEY(&w, "missingOutputs");
		jw_arr(&w);
		for (uint32_t i = 0; i < v->missing.count; i++)
			jw_str(&w, v->missing.items[i]);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
	request_reply(r);
}

static void verify_done(struct request *r, struct verify *v, struct str status, uint64_t bad_seq,
                        const struct sha256 *found, struct str reason)
{
	verify_done_of(r, v, status, r->session_id, bad_seq, found, reason);
}

static void verify_broken(struct store_read *read, struct verify *v, uint64_t seq,
                          struct sha256 found, struct str reason)
{
	struct request *r = read->owner;

	port_store_read_done(read);
	verify_done(r, v, STR("broken"), seq, &found, reason);
}

/* False: the row does not match the chain, and the reply says so. */
static bool verify_row(struct store_read *read, struct verify *v, const struct event_row *row)
{
	const char *fault;

	if (row->seq != v->seq + 1) {
		verify_broken(read, v, v->seq + 1, row->hash, STR("the event is missing"));
		return false;
	}
	v->hash = port_event_row_link(&v->hash, row);
	v->seq = row->seq;
	v->events++;
	v->erased += row->is_erased;
	if (!sha256_eq(&v->hash, &row->hash)) {
		verify_broken(read, v, v->seq, row->hash, STR("the event is not what was chained"));
		return false;
	}
	fault = erasures_take(&v->erasures, row);
	if (fault) {
		verify_broken(read, v, v->seq, row->hash, str_from(fault));
		return false;
	}
	if (v->seq == v->anchored && !sha256_eq(&v->hash, &v->anchored_hash)) {
		verify_broken(read, v, v->seq, v->anchored_hash,
		              arena_printf(((struct request *)read->owner)->mem,
		                           "event %llu of sess_system anchored another event here",
		                           (unsigned long long)v->anchor));
		return false;
	}
	return true;
}

/* The log ends before an anchored event: its tail was cut off. */
static bool verify_tail(struct store_read *read, struct verify *v)
{
	if (v->seq >= v->anchored)
		return true;
	verify_broken(
		read, v, v->seq + 1, v->anchored_hash,
		arena_printf(((struct request *)read->owner)->mem,
	                     "the events up to %llu are gone, which event %llu of sess_system "
	                     "anchored",
	                     (unsigned long long)v->anchored, (unsigned long long)v->anchor));
	return false;
}

/* What was erased or removed is recorded by the rest of the log; what was deleted is not there. */
static bool verify_recorded(struct store_read *read, struct verify *v)
{
	struct request *r = read->owner;
	struct sha256 hash;
	uint64_t seq, event;
	const char *fault = erasures_unrecorded(&v->erasures, &seq);

	if (!fault && anchor_read_removed(r->engine, r->session_id, &seq, &hash, &event))
		fault = arena_printf(r->mem,
		                     "the session is there, and event %llu of sess_system records "
		                     "its deletion",
		                     (unsigned long long)event)
		                .ptr;
	if (fault)
		verify_broken(read, v, seq, v->hash, str_from(fault));
	return !fault;
}

/* ---- outputs: does the file of each completely stored output exist? ---- */

static void outputs_next(struct request *r, struct verify *v);

static void verify_end(struct request *r, struct verify *v)
{
	verify_done(r, v,
	            v->missing.count ? STR("incomplete")
	            : v->erased      ? STR("erased")
	                             : STR("whole"),
	            0, &v->hash, STR_NONE);
}

/* ---- deleted sessions ---- */

/*
 * Does an event of sess_system record the deletion, of a log that the anchors agree with?
 */
static bool is_recorded(struct request *r, struct str id, uint64_t *ret_event,
                        struct sha256 *ret_hash)
{
	struct sha256 anchored_hash;
	uint64_t seq, anchored, anchor;

	if (!anchor_read_removed(r->engine, id, &seq, ret_hash, ret_event))
		return false;
	if (!anchor_read_find(r->engine, id, &anchored, &anchored_hash, &anchor))
		return true;
	return anchored < seq || (anchored == seq && sha256_eq(&anchored_hash, ret_hash));
}

/* There are no events of this session.  The reply says why. */
static void verify_absent(struct store_read *read, struct verify *v)
{
	struct request *r = read->owner;
	uint64_t removed_by = read->removed_by;

	if (is_recorded(r, r->session_id, &v->removed_by, &v->hash)) {
		port_store_read_done(read);
		verify_done(r, v, STR("removed"), 0, &v->hash, STR_NONE);
	} else if (v->anchored) {
		(void)!verify_tail(read, v);
	} else {
		port_store_read_done(read);
		request_no_session(r, removed_by);
	}
}

/* ---- sess_system: is each session there that an anchor names? ---- */

static void named_next(struct request *r, struct verify *v);

static void named_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct verify *v = r->work;
	bool is_there = read->result == OK && read->head_seq;
	struct str id = v->named[v->named_at++];
	struct sha256 hash;
	uint64_t seq, anchor, event;

	if (read->result != ERR_NOT_FOUND && request_read_failed(read))
		return;
	port_store_read_done(read);
	is_there = is_there || is_recorded(r, id, &event, &hash);
	if (is_there || !anchor_read_find(r->engine, id, &seq, &hash, &anchor)) {
		named_next(r, v);
		return;
	}
	verify_done_of(r, v, STR("broken"), id, seq, &hash,
	               arena_printf(r->mem,
	                            "the session is gone, which event %llu of sess_system anchored",
	                            (unsigned long long)anchor));
}

static void named_next(struct request *r, struct verify *v)
{
	if (v->named_at == v->named_count) {
		verify_end(r, v);
		return;
	}
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = v->named[v->named_at], .done = named_found, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void verify_named(struct request *r, struct verify *v)
{
	if (is_system(r))
		v->named_count = anchor_read_sessions(r->engine, r->mem, &v->named);
	named_next(r, v);
}

static void output_probed(struct blob_read *b)
{
	struct request *r = b->owner;
	struct verify *v = r->work;

	v->outputs++;
	if (b->result == ERR_NOT_FOUND && v->missing.count < MISSING_TOLD)
		rec_list_str_add(r->mem, &v->missing, b->ref);
	port_blob_read_done(b);
	outputs_next(r, v);
}

/* Rows of outputs that are complete and in a file. */
static void take_outputs(struct request *r, struct verify *v, const struct store_read *read)
{
	v->refs = ARENA_ARRAY(r->mem, struct str, read->row_count + 1);
	v->ref_count = v->ref_at = 0;
	for (size_t i = 0; i < read->row_count; i++) {
		const struct index_found *row = &read->rows[i];
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json body;

		if (str_eq(row->status, STR("spilled")) &&
		    json_read_trusted(mem, row->body, &body, NULL) == OK &&
		    json_bool(JSON_GET(body, "complete"), false))
			v->refs[v->ref_count++] = arena_keep(r->mem, row->key);
	}
}

static void outputs_listed(struct store_read *read)
{
	struct request *r = read->owner;
	struct verify *v = r->work;

	if (request_read_failed(read))
		return;
	take_outputs(r, v, read);
	v->more = read->more && read->row_count;
	if (v->more) {
		v->from_at = read->rows[read->row_count - 1].at;
		v->from_key = arena_keep(r->mem, read->rows[read->row_count - 1].key);
	}
	port_store_read_done(read);
	outputs_next(r, v);
}

static void outputs_list(struct request *r, struct verify *v)
{
	v->more = false;
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_OUTPUT,
		                       .session = r->session_id,
		                       .from_at = v->from_at,
		                       .from_key = v->from_key,
		                       .done = outputs_listed,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void outputs_next(struct request *r, struct verify *v)
{
	struct blobs *b = r->engine->ports.blobs;

	if (!b) {
		verify_named(r, v);
	} else if (!v->refs || (v->ref_at == v->ref_count && v->more)) {
		outputs_list(r, v);
	} else if (v->ref_at == v->ref_count) {
		verify_named(r, v);
	} else {
		r->blob_read = (struct blob_read){
			.ref = v->refs[v->ref_at++], .max = 1, .done = output_probed, .owner = r
		};
		b->ops->read(b, &r->blob_read);
	}
}

/*
 * The chain is computed from the stored bytes and compared with the stored hashes event by
 * event, so the first difference is the place of the change.
 */
static void verify_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct verify *v = r->work;
	bool more = read->more;

	if (read->result == OK && !read->head_seq) {
		verify_absent(read, v);
		return;
	}
	if (read->result == ERR_CORRUPT && read->is_corrupt) {
		struct str why = arena_keep(r->mem, str_from(read->error.message));

		damage_of(r->engine, read);
		verify_broken(read, v, read->corrupt_from, (struct sha256){ 0 }, why);
		return;
	}
	if (request_read_failed(read))
		return;
	if (!v->seq) { /* the hash at the floor covers what retention removed */
		v->seq = read->floor_seq;
		v->hash = read->floor_hash;
		erasures_begin(&v->erasures, read->floor_seq, &read->floor_hash);
	}
	for (size_t i = 0; i < read->event_count; i++)
		if (!verify_row(read, v, &read->events[i]))
			return;
	if (!more && v->seq != read->head_seq) {
		verify_broken(read, v, v->seq + 1, read->head_hash, STR("the event is missing"));
		return;
	}
	if (!more && (!verify_tail(read, v) || !verify_recorded(read, v)))
		return;
	port_store_read_done(read);
	if (more)
		verify_next(r, v);
	else
		outputs_next(r, v);
}

/*
 * The anchors are known.  A bad one is an error of the system session, whose event or blob
 * was changed.
 */
static void verify_begin(struct request *r)
{
	struct verify *v = r->work;
	uint64_t bad = anchor_read_bad(r->engine);

	if (!anchor_read_find(r->engine, r->session_id, &v->anchored, &v->anchored_hash,
	                      &v->anchor))
		v->anchored = 0;
	if (bad && is_system(r))
		verify_done(r, v, STR("broken"), bad, &(struct sha256){ 0 },
		            STR("the leaves of this anchor are missing, or do not have its root"));
	else
		verify_next(r, v);
}

void query_verify_log(struct request *r, const struct cmd_verify_log *c)
{
	struct verify *v;

	if (!str_is(c->session_id)) {
		request_fail(r, ERROR_CODE_MISSING_FIELD, "sessionId: name the session to verify");
		request_reply(r);
		return;
	}
	r->work = v = ARENA_NEW(r->mem, struct verify);
	v->erasures = (struct erasures){ .mem = r->mem, .session = r->session_id };
	anchor_read_learn(r, verify_begin);
}

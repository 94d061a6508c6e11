/*
 * verify_checkpoint: do the data continue a checkpoint that was kept elsewhere?
 *
 *   SIGNATURE ──► TREE ──► SESSIONS ──► reply
 *
 * The tree is computed again from the leaves of all anchors: the root of its first
 * leaves must be that of the checkpoint.  Then the log of each session that one of
 * those leaves names is followed to that event, which must have the leaf's hash.
 *
 * Nothing here trusts the anchors: leaves that were changed give another root.
 */
#include "base/hash/merkle.h"
#include "base/memory.h"
#include "core/runtime_events.h"
#include "engine/maintenance/anchor.h"
#include "engine/maintenance/damage.h"
#include "engine/evidence/erasures.h"
#include "engine/query/query.h"
#include "engine/engine_state.h"
#include "proof/proof_note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM STR("sess_system")
#define FINDINGS_TOLD 100
#define PAGE 256 /* events of one read */

/* The newest leaf of a session that the checkpoint covers. */
struct covered {
	struct str id;
	uint64_t seq;
	struct sha256 hash;
};

struct checking {
	struct request *request;
	struct proof_checkpoint checkpoint;
	struct reply_verify_checkpoint reply;
	struct merkle_tree tree; /* of the leaves so far */
	struct sha256 root;      /* when it had the size of the checkpoint */
	bool has_root, is_begun;
	uint64_t unread;    /* leaves whose anchors were removed: they are only a root */
	struct map covered; /* id → struct covered */
	struct map removed; /* id → struct covered: the last heads of deleted sessions */
	struct covered **order;
	size_t count, at;
	/* The page of sess_system that is being read. */
	struct found_leaves {
		uint64_t seq;
		char ref[80]; /* empty: it is longer, and no ref of ours */
	} * found;            /* PAGE of them, for every page */
	size_t found_count, found_at;
	uint64_t scanned;
	bool more;
	/* The session that is being followed. */
	uint64_t seq;
	struct sha256 hash;
	bool is_started; /* its floor is known */
	struct erasures erasures;
};

static void checking_done(void *work)
{
	struct checking *k = work;

	map_done(&k->covered);
	map_done(&k->removed);
}

/* ---- findings ---- */

static void find(struct checking *k, enum proof_finding code, struct str session, uint64_t seq,
                 struct str what)
{
	struct arena *mem = k->request->mem;
	struct rec_checkpoint_finding *f;

	if (k->reply.finding_count++ >= FINDINGS_TOLD)
		return;
	f = rec_list_add(mem, &k->reply.findings, &rec_checkpoint_finding_desc);
	f->code = code;
	f->session_id = session;
	f->sequence = (int64_t)seq;
	f->has_sequence = seq > 0;
	f->what = what;
}

static void check_end(struct checking *k)
{
	struct request *r = k->request;

	k->reply.status = k->reply.finding_count ? STR("broken") : STR("continues");
	r->response.reply = rec_text(r->mem, &reply_verify_checkpoint_desc, &k->reply);
	request_reply(r);
}

/* ---- SESSIONS ---- */

static void session_next(struct checking *k);
static void session_page(struct store_read *read);

static void session_read(struct checking *k, const struct covered *c)
{
	struct request *r = k->request;

	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = c->id,
		                       .after = k->seq,
		                       .until = k->seq < c->seq ? c->seq : 0,
		                       .done = session_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void rewritten(struct checking *k, const struct covered *c, uint64_t seq, const char *what)
{
	find(k, PROOF_FINDING_SESSION_REWRITTEN, c->id, seq,
	     arena_printf(k->request->mem, "its log was rewritten: %s", what));
}

/* False: the log does not lead to the leaf, and a finding says so. */
static bool follow_rows(struct checking *k, const struct covered *c, const struct store_read *read)
{
	for (size_t i = 0; i < read->event_count; i++) {
		const struct event_row *row = &read->events[i];
		const char *fault;

		if (row->seq != k->seq + 1) {
			rewritten(k, c, k->seq + 1, "an event is missing");
			return false;
		}
		k->hash = port_event_row_link(&k->hash, row);
		k->seq = row->seq;
		if (!sha256_eq(&k->hash, &row->hash)) {
			rewritten(k, c, k->seq, "the event is not what was chained");
			return false;
		}
		fault = erasures_take(&k->erasures, row);
		if (fault) {
			rewritten(k, c, k->seq, fault);
			return false;
		}
		if (k->seq == c->seq && !sha256_eq(&k->hash, &c->hash)) {
			rewritten(k, c, c->seq, "this event or one before it is another one");
			return false;
		}
	}
	return true;
}

static void cut(struct checking *k, const struct covered *c, uint64_t head)
{
	struct arena *mem = k->request->mem;

	find(k, PROOF_FINDING_SESSION_CUT, c->id, head + 1,
	     arena_printf(mem, "its log ends at event %llu, and the checkpoint covers event %llu",
	                  (unsigned long long)head, (unsigned long long)c->seq));
}

/*
 * True: nothing more is to be read.  What was erased or removed before the leaf may be recorded
 * behind it; then the rest of the log is read as well.
 */
static bool is_followed(struct checking *k, const struct covered *c, const struct store_read *read)
{
	bool is_end = !read->more && (!read->until || k->seq < c->seq);
	uint64_t seq;
	const char *fault = erasures_unrecorded(&k->erasures, &seq);

	if (!is_end)
		return k->seq >= c->seq && !fault;
	if (k->seq < MIN(c->seq, read->head_seq))
		rewritten(k, c, k->seq + 1, "an event is missing");
	else if (fault)
		rewritten(k, c, seq, fault);
	return true;
}

/* False: what is below the floor is another log, and a finding says so. */
static bool start_at_floor(struct checking *k, const struct covered *c,
                           const struct store_read *read)
{
	k->is_started = true;
	k->seq = read->floor_seq;
	k->hash = read->floor_hash;
	erasures_begin(&k->erasures, read->floor_seq, &read->floor_hash);
	if (k->seq != c->seq || sha256_eq(&k->hash, &c->hash))
		return true;
	rewritten(k, c, c->seq, "this event or one before it is another one");
	return false;
}

/* There is no such session: was it deleted as an event of sess_system says, behind the leaf? */
static void judge_absent(struct checking *k, const struct covered *c)
{
	const struct covered *last = map_get(&k->removed, c->id);

	if (!last || last->seq < c->seq) {
		find(k, PROOF_FINDING_SESSION_REMOVED, c->id, c->seq,
		     STR("the session was removed"));
		return;
	}
	if (last->seq == c->seq && !sha256_eq(&last->hash, &c->hash)) {
		rewritten(k, c, c->seq, "the log that was deleted was another one");
		return;
	}
	k->reply.removed++;
	if (k->reply.removed_sessions.count < FINDINGS_TOLD)
		rec_list_str_add(k->request->mem, &k->reply.removed_sessions, c->id);
}

/* True: nothing more is to be read of this session. */
static bool judge_page(struct checking *k, const struct covered *c, const struct store_read *read)
{
	int64_t found = k->reply.finding_count;

	if (!read->head_seq) {
		judge_absent(k, c);
		return true;
	}
	if (read->head_seq < c->seq) {
		cut(k, c, read->head_seq);
		return true;
	}
	if (!k->is_started && !start_at_floor(k, c, read))
		return true;
	if (!follow_rows(k, c, read))
		return true;
	if (!is_followed(k, c, read))
		return false;
	k->reply.expired += read->floor_seq > c->seq && found == k->reply.finding_count;
	return true;
}

static void session_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct checking *k = r->work;
	const struct covered *c = k->order[k->at];
	bool is_over = true;

	if (read->result == ERR_CORRUPT && read->is_corrupt) {
		rewritten(k, c, read->corrupt_from, read->error.message);
		damage_of(r->engine, read);
	} else if (request_read_failed(read)) {
		return;
	} else {
		is_over = judge_page(k, c, read);
	}
	port_store_read_done(read);
	if (is_over) {
		k->at++;
		session_next(k);
	} else {
		session_read(k, c);
	}
}

static void session_next(struct checking *k)
{
	k->seq = 0;
	k->hash = (struct sha256){ 0 };
	k->is_started = false;
	k->erasures = (struct erasures){ .mem = k->request->mem };
	if (k->at == k->count) {
		check_end(k);
		return;
	}
	k->reply.sessions++;
	k->erasures.session = k->order[k->at]->id;
	session_read(k, k->order[k->at]);
}

static int by_id(const void *a, const void *b)
{
	return str_cmp((*(struct covered *const *)a)->id, (*(struct covered *const *)b)->id);
}

static void sessions_begin(struct checking *k)
{
	struct map_slot *slot;

	k->order = ARENA_ARRAY(k->request->mem, struct covered *, k->covered.count + 1);
	for (size_t i = 0; map_next(&k->covered, &i, &slot);)
		k->order[k->count++] = slot->value;
	if (k->count)
		qsort(k->order, k->count, sizeof *k->order, by_id);
	session_next(k);
}

/* ---- TREE ---- */

static void tree_read(struct checking *k);
static void tree_next(struct checking *k);

static void tree_end(struct checking *k)
{
	const struct proof_checkpoint *c = &k->checkpoint;
	struct arena *mem = k->request->mem;

	k->reply.current_size = (int64_t)k->tree.size;
	if (k->unread)
		find(k, PROOF_FINDING_CHECKPOINT_MISSING, SYSTEM, 0,
		     arena_printf(mem,
		                  "the anchors of the first %llu leaves were removed from "
		                  "sess_system; the sessions that they name were not compared",
		                  (unsigned long long)k->unread));
	if (k->checkpoint.size < k->unread)
		; /* nothing of it is left */
	else if (k->tree.size < c->size)
		find(k, PROOF_FINDING_TREE_CUT, SYSTEM, 0,
		     arena_printf(mem,
		                  "sess_system was cut: its anchors have %llu leaves, and the "
		                  "checkpoint has %llu",
		                  (unsigned long long)k->tree.size, (unsigned long long)c->size));
	else if (!k->has_root || !sha256_eq(&k->root, &c->root))
		find(k, PROOF_FINDING_TREE_REWRITTEN, SYSTEM, 0,
		     arena_printf(mem,
		                  "the anchors of sess_system were rewritten: their first %llu "
		                  "leaves have another root than the checkpoint",
		                  (unsigned long long)c->size));
	sessions_begin(k);
}

static void note_root(struct checking *k)
{
	if (k->tree.size != k->checkpoint.size || k->has_root)
		return;
	k->root = merkle_tree_root(&k->tree);
	k->has_root = true;
}

/* A leaf that is no leaf changes the root; no more is needed to find it. */
static void cover(struct checking *k, struct str line)
{
	struct arena *mem = k->request->mem;
	struct str rest = line, id = str_cut(&rest, ' '), number = str_cut(&rest, ' ');
	struct covered *c;
	struct sha256 hash;
	uint64_t seq;

	if (!id.len || !str_is(number) || !str_is(rest) || !str_to_u64(number, &seq) || !seq ||
	    !sha256_read_hex(rest, &hash))
		return;
	c = map_get(&k->covered, id);
	if (!c) {
		c = ARENA_NEW(mem, struct covered);
		c->id = arena_keep(mem, id);
		map_put(&k->covered, c->id, c);
	}
	if (seq >= c->seq) {
		c->seq = seq;
		c->hash = hash;
	}
}

static void take_leaves(struct checking *k, struct str text)
{
	while (text.len) {
		struct str line = str_cut(&text, '\n');
		struct sha256 leaf = merkle_leaf(line);

		if (k->tree.size < k->checkpoint.size)
			cover(k, line);
		merkle_tree_add(&k->tree, &leaf);
		note_root(k);
	}
}

/* Missing leaves are leaves of another tree. */
static void leaves_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct checking *k = r->work;
	uint64_t seq = k->found[k->found_at++].seq;

	if (read->result == OK) {
		take_leaves(k, read->blob.data);
	} else if (read->result == ERR_NOT_FOUND || read->result == ERR_CORRUPT) {
		find(k, PROOF_FINDING_TREE_REWRITTEN, SYSTEM, seq,
		     STR("the leaves of this anchor are missing or damaged"));
	} else if (request_read_failed(read)) {
		return;
	}
	port_store_read_done(read);
	tree_next(k);
}

static void tree_next(struct checking *k)
{
	struct request *r = k->request;

	if (k->found_at < k->found_count) {
		r->read = (struct store_read){ .kind = READ_BLOB,
			                       .key = str_from(k->found[k->found_at].ref),
			                       .done = leaves_found,
			                       .owner = r };
		r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
	} else if (k->more) {
		tree_read(k);
	} else {
		tree_end(k);
	}
}

/*
 * Retention has removed the anchors before this one: the tree starts with the peaks that it names.
 * Wrong ones give another root.
 */
static bool start_later(struct checking *k, struct json anchor)
{
	struct json_iter it = json_iter(JSON_GET(anchor, "logPeaks"));
	int64_t size = json_int(JSON_GET(anchor, "logSize"), 0);
	struct merkle_tree t = { .size = (uint64_t)size };
	struct json peak;
	struct str key;

	if (k->is_begun || size == json_int(JSON_GET(anchor, "treeSize"), 0))
		return false;
	while (t.count < MERKLE_PEAKS_MAX && json_next(&it, &key, &peak))
		if (!sha256_read_hex(json_str(peak), &t.peaks[t.count++]))
			return false;
	if (!merkle_tree_is_valid(&t))
		return false;
	k->tree = t;
	k->unread = t.size;
	note_root(k);
	return true;
}

static void add_leaves(struct checking *k, uint64_t seq, struct str ref)
{
	struct found_leaves *f = &k->found[k->found_count++];

	f->seq = seq;
	snprintf(f->ref, sizeof f->ref, "%.*s", ref.len < sizeof f->ref ? (int)ref.len : 0,
	         ref.len ? ref.ptr : "");
}

static void take_removal(struct checking *k, struct json removal)
{
	struct arena *mem = k->request->mem;
	struct str id = json_str(JSON_GET(removal, "sessionId"));
	struct covered *c;
	struct sha256 hash;

	if (!id.len || !sha256_read_hex(json_str(JSON_GET(removal, "headHash")), &hash))
		return;
	c = ARENA_NEW(mem, struct covered);
	*c = (struct covered){ .id = arena_keep(mem, id),
		               .seq = (uint64_t)json_int(JSON_GET(removal, "lastSequence"), 0),
		               .hash = hash };
	if (!map_get(&k->removed, c->id))
		map_put(&k->removed, c->id, c);
}

static void take_anchor(struct checking *k, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new(); /* there may be many anchors */
	struct json doc, anchor;

	if (k->found_count == PAGE ||
	    json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK)
		return;
	take_removal(k, JSON_GET(JSON_GET(doc, "payload"), "removed"));
	anchor = JSON_GET(JSON_GET(doc, "payload"), "anchor");
	if (!json_is(JSON_GET(anchor, "logSize")))
		return; /* of a version that had no tree over all anchors */
	k->reply.unsigned_anchors = str_is(json_str(JSON_GET(anchor, "checkpoint")))
	                                    ? 0
	                                    : k->reply.unsigned_anchors + 1;
	k->reply.has_unsigned_anchors = k->reply.unsigned_anchors > 0;
	if (!start_later(k, anchor))
		add_leaves(k, row->seq, json_str(JSON_GET(anchor, "leavesRef")));
	k->is_begun = true;
}

static void tree_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct checking *k = r->work;

	if (read->result != ERR_CORRUPT && request_read_failed(read))
		return;
	if (!k->found)
		k->found = ARENA_ARRAY(r->mem, struct found_leaves, PAGE);
	k->found_count = k->found_at = 0;
	for (size_t i = 0; read->result == OK && i < read->event_count; i++)
		take_anchor(k, &read->events[i]);
	k->scanned = MAX(read->scanned, read->floor_seq);
	k->more = read->result == OK && read->more;
	if (read->result != OK)
		damage_of(r->engine, read);
	port_store_read_done(read);
	tree_next(k);
}

static void tree_read(struct checking *k)
{
	static const uint64_t types[4] = { 1ull << EV_SESSION_UPDATED };
	struct request *r = k->request;

	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = SYSTEM,
		                       .after = k->scanned,
		                       .types = types,
		                       .done = tree_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* ---- SIGNATURE ---- */

static bool judge_note(struct checking *k, enum proof_note_result result)
{
	static const struct {
		enum proof_finding code;
		const char *what;
	} words[] = {
		[PROOF_NOTE_MALFORMED] = { PROOF_FINDING_CHECKPOINT_MALFORMED,
		                           "this is not a checkpoint in a signed note" },
		[PROOF_NOTE_FOREIGN] = { PROOF_FINDING_KEY_FOREIGN,
		                         "no signature is of one of the keys" },
		[PROOF_NOTE_FORGED] = { PROOF_FINDING_SIGNATURE_INVALID,
		                        "the signature is not of the checkpoint's text" },
		[PROOF_NOTE_UNCHECKED] = { PROOF_FINDING_SIGNATURE_UNCHECKED,
		                           "libcrypto could not be loaded; install libssl3" },
	};

	if (result != PROOF_NOTE_GOOD)
		find(k, words[result].code, STR_NONE, 0, str_from(words[result].what));
	return result == PROOF_NOTE_GOOD;
}

/* What was signed by another key or for another tree says nothing about this one. */
static void check_begin(struct checking *k, const struct proof_keys *keys, struct str note)
{
	struct request *r = k->request;
	struct str own = anchor_origin(r->engine, r->mem);
	struct ed25519_public by;

	if (!judge_note(k, proof_note_read(note, keys, &k->checkpoint, &by))) {
		check_end(k);
		return;
	}
	k->reply.origin = k->checkpoint.origin;
	k->reply.tree_size = (int64_t)k->checkpoint.size;
	k->reply.has_tree_size = true;
	k->reply.key_id = proof_key_id(r->mem, &by);
	if (!str_eq(own, k->checkpoint.origin)) {
		find(k, PROOF_FINDING_CHECKPOINT_OTHER_TREE, STR_NONE, 0,
		     arena_printf(r->mem, "the checkpoint is of %.*s, and this is %.*s",
		                  STR_ARG(k->checkpoint.origin), STR_ARG(own)));
		check_end(k);
		return;
	}
	note_root(k); /* of no leaves */
	tree_read(k);
}

static void add_recorded(const struct session *s, struct proof_keys *keys)
{
	for (uint32_t i = 0; i < s->state->s->signing_keys.count; i++) {
		struct proof_keys one;

		if (keys->count < PROOF_KEYS_MAX &&
		    proof_key_read_all(s->state->s->signing_keys.items[i]->public_key, &one,
		                       NULL) == OK)
			keys->items[keys->count++] = one.items[0];
	}
}

static void check_with_recorded(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_verify_checkpoint *c = r->args;
	struct proof_keys keys = { 0 };

	if (s && s->state)
		add_recorded(s, &keys);
	check_begin(r->work, &keys, c->checkpoint);
}

void query_verify_checkpoint(struct request *r, const struct cmd_verify_checkpoint *c)
{
	struct checking *k = r->work = ARENA_NEW(r->mem, struct checking);
	struct proof_keys keys;
	struct error e;

	r->work_done = checking_done;
	k->request = r;
	if (!str_is(c->public_keys)) {
		request_job_with(r->engine, SYSTEM, false, ELSEWHERE_READ, check_with_recorded, r);
	} else if (proof_key_read_all(c->public_keys, &keys, &e) != OK) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "publicKeys: %s", e.message);
		request_reply(r);
	} else {
		check_begin(k, &keys, c->checkpoint);
	}
}

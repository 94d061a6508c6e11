/*
 * Reads the anchors from sess_system, and which sessions were deleted, for verify_log: all
 * at its first use, later only the new ones.  When the beginning of sess_system was removed
 * since, all is read again, so that a daemon that runs says what one that starts would say.
 */
#include "engine/maintenance/anchor_parts.h"

#include "engine/maintenance/damage.h"
#include "engine/engine_state.h"

#include <stdio.h>

/* Anchors of the current page of sess_system. */
struct anchor_read {
	struct request *r;
	void (*then)(struct request *r);
	struct store_read read;
	struct found_anchor *found; /* ANCHOR_PAGE of them, for every page */
	size_t count, at;
	uint64_t scanned;
	unsigned generation; /* of the page */
	bool more;
};

static void read_on(struct anchor_read *ar);
static void next_blob(struct anchor_read *ar);

/*
 * False: the line is no leaf.  The newest anchor of a session counts: earlier ones name
 * events below its head.
 */
static bool take_leaf(struct anchors *a, uint64_t anchor, struct str line)
{
	struct str rest = line, id = str_cut(&rest, ' '), number = str_cut(&rest, ' ');
	struct head_seen *h;
	struct sha256 hash;
	uint64_t seq;

	if (!id.len || !str_to_u64(number, &seq) || !sha256_read_hex(rest, &hash))
		return false;
	h = anchor_head_in(&a->named, id);
	if (seq >= h->seq) {
		h->seq = seq;
		h->hash = hash;
		h->anchor = anchor;
	}
	return true;
}

/* The leaves must have the root of the event; otherwise none of them is trusted. */
static bool take_leaves(struct anchors *a, const struct found_anchor *f, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sha256 *leaves, root, said;
	struct str rest = text;
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	leaves = ARENA_ARRAY(mem, struct sha256, count + 1);
	for (size_t i = 0; i < count; i++)
		leaves[i] = merkle_leaf(str_cut(&rest, '\n'));
	root = merkle_root(leaves, count);
	if (!sha256_read_hex(str_from(f->root), &said) || !sha256_eq(&root, &said))
		return false;
	for (rest = text; count; count--)
		if (!take_leaf(a, f->seq, str_cut(&rest, '\n')))
			return false;
	return true;
}

/*
 * A read that fails says nothing about the anchor.  verify_log fails, and the next one
 * reads this page again.
 */
static bool anchor_read_failed(struct anchor_read *ar)
{
	struct request *r = ar->r;

	if (ar->read.result == OK || ar->read.result == ERR_NOT_FOUND ||
	    ar->read.result == ERR_CORRUPT)
		return false;
	damage_of(r->engine, &ar->read);
	request_fail(r, damage_code(&ar->read), "%s", ar->read.error.message);
	port_store_read_done(&ar->read);
	request_reply(r);
	return true;
}

/* The first bad anchor is kept; verify_log reports it for sess_system. */
static void blob_found(struct store_read *read)
{
	struct anchor_read *ar = read->owner;
	struct request *r = ar->r;
	struct anchors *a = r->engine->anchors;
	const struct found_anchor *f = &ar->found[ar->at++];

	if (anchor_read_failed(ar))
		return;
	if ((read->result != OK || !take_leaves(a, f, read->blob.data)) && !a->bad)
		a->bad = f->seq;
	port_store_read_done(read);
	next_blob(ar);
}

/*
 * `through` moves when all anchors of a page were read, so that a later verify_log reads
 * none twice.
 */
static void next_blob(struct anchor_read *ar)
{
	struct request *r = ar->r;

	if (ar->at < ar->count) {
		ar->read = (struct store_read){ .kind = READ_BLOB,
			                        .key = str_from(ar->found[ar->at].ref),
			                        .done = blob_found,
			                        .owner = ar };
		r->engine->ports.store->ops->read(r->engine->ports.store, &ar->read);
		return;
	}
	if (ar->generation == r->engine->anchors->generation)
		r->engine->anchors->through = ar->scanned;
	else
		ar->more = true; /* another one found that all has to be read again */
	if (ar->more)
		read_on(ar);
	else
		ar->then(r);
}

static void keep_word(char *to, size_t size, struct str word)
{
	snprintf(to, size, "%.*s", word.len < size ? (int)word.len : 0, word.len ? word.ptr : "");
}

static void take_removal(struct anchors *a, uint64_t event, struct json removal)
{
	struct str id = json_str(JSON_GET(removal, "sessionId"));
	struct head_seen *h;
	struct sha256 hash;

	if (!id.len || !sha256_read_hex(json_str(JSON_GET(removal, "headHash")), &hash))
		return;
	h = anchor_head_in(&a->removed, id);
	h->seq = (uint64_t)json_int(JSON_GET(removal, "lastSequence"), 0);
	h->hash = hash;
	h->anchor = event;
}

/* Memory of one event at a time: sess_system has an anchor for every few minutes of its life. */
static void take_anchor(struct anchor_read *ar, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct found_anchor *f = &ar->found[ar->count];
	struct json doc, anchor, removal;

	if (ar->count == ANCHOR_PAGE ||
	    json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK)
		return;
	removal = JSON_GET(JSON_GET(doc, "payload"), "removed");
	if (json_is(removal))
		take_removal(ar->r->engine->anchors, row->seq, removal);
	anchor = JSON_GET(JSON_GET(doc, "payload"), "anchor");
	if (!json_is(anchor))
		return;
	f->seq = row->seq;
	keep_word(f->root, sizeof f->root, json_str(JSON_GET(anchor, "rootHash")));
	keep_word(f->ref, sizeof f->ref, json_str(JSON_GET(anchor, "leavesRef")));
	ar->count++;
}

static void forget_all(struct anchors *a, uint64_t floor)
{
	anchor_heads_drop(&a->named);
	anchor_heads_drop(&a->removed);
	a->bad = a->through = 0;
	a->floor = floor;
	a->generation++;
}

/* Anchors are events of the class session.updated with an `anchor` in their payload. */
static void page_found(struct store_read *read)
{
	struct anchor_read *ar = read->owner;
	struct request *r = ar->r;

	if (anchor_read_failed(ar))
		return;
	if (read->result == OK && read->floor_seq > r->engine->anchors->floor) {
		forget_all(r->engine->anchors, read->floor_seq);
		port_store_read_done(read);
		read_on(ar);
		return;
	}
	if (!ar->found)
		ar->found = ARENA_ARRAY(r->mem, struct found_anchor, ANCHOR_PAGE);
	ar->count = ar->at = 0;
	for (size_t i = 0; read->result == OK && i < read->event_count; i++)
		take_anchor(ar, &read->events[i]);
	ar->scanned = MAX(read->scanned, read->floor_seq);
	ar->more = read->result == OK && read->more;
	if (read->result != OK)
		damage_of(r->engine, read);
	port_store_read_done(read);
	next_blob(ar);
}

static void read_on(struct anchor_read *ar)
{
	static const uint64_t types[4] = { 1ull << EV_SESSION_UPDATED };
	struct request *r = ar->r;

	ar->generation = r->engine->anchors->generation;
	ar->read = (struct store_read){ .kind = READ_EVENTS,
		                        .session = ANCHOR_SYSTEM,
		                        .after = r->engine->anchors->through,
		                        .types = types,
		                        .done = page_found,
		                        .owner = ar };
	r->engine->ports.store->ops->read(r->engine->ports.store, &ar->read);
}

void anchor_read_learn(struct request *r, void (*then)(struct request *r))
{
	struct anchor_read *ar;

	if (!r->engine->anchors) {
		then(r);
		return;
	}
	ar = ARENA_NEW(r->mem, struct anchor_read);
	ar->r = r;
	ar->then = then;
	read_on(ar);
}

static bool give_head(const struct head_seen *h, uint64_t *ret_seq, struct sha256 *ret_hash,
                      uint64_t *ret_event)
{
	if (!h)
		return false;
	*ret_seq = h->seq;
	*ret_hash = h->hash;
	*ret_event = h->anchor;
	return true;
}

bool anchor_read_find(const struct engine *e, struct str session, uint64_t *ret_seq,
                      struct sha256 *ret_hash, uint64_t *ret_anchor)
{
	return give_head(e->anchors ? map_get(&e->anchors->named, session) : NULL, ret_seq,
	                 ret_hash, ret_anchor);
}

bool anchor_read_removed(const struct engine *e, struct str session, uint64_t *ret_seq,
                         struct sha256 *ret_hash, uint64_t *ret_event)
{
	return give_head(e->anchors ? map_get(&e->anchors->removed, session) : NULL, ret_seq,
	                 ret_hash, ret_event);
}

size_t anchor_read_removed_count(const struct engine *e)
{
	return e->anchors ? e->anchors->removed.count : 0;
}

size_t anchor_read_sessions(const struct engine *e, struct arena *mem, struct str **ret)
{
	const struct anchors *a = e->anchors;
	struct map_slot *slot;
	size_t count = 0;

	*ret = ARENA_ARRAY(mem, struct str, (a ? a->named.count : 0) + 1);
	for (size_t i = 0; a && map_next(&a->named, &i, &slot);)
		(*ret)[count++] = arena_keep(mem, anchor_head_id(slot->value));
	return count;
}

uint64_t anchor_read_bad(const struct engine *e)
{
	return e->anchors ? e->anchors->bad : 0;
}

/*
 * Anchors: heads of sessions, written into the system session.
 *
 * A hash chain reveals a change anywhere but at its end: deleting the newest
 * events of a session and resetting its record leaves a valid chain.  So every
 * few minutes and at the stop one event of sess_system names the heads of all
 * sessions that changed since: the root of a hash tree (RFC 6962), and a blob
 * with its leaves. verify_log compares them.
 *
 *   leaf: "<session id> <sequence> <hash in hex>", sorted by id, one a line
 *
 * verify_log reads the anchors from sess_system at its first use, and later
 * only the new ones.
 */
#include "engine/maintenance/anchor.h"

#include "base/os/log.h"
#include "base/hash/merkle.h"
#include "base/memory.h"
#include "core/runtime_events.h"
#include "engine/maintenance/damage.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#include <stdlib.h>
#include <string.h>

#define SYSTEM STR("sess_system")
/* Heads in one anchor; the rest follow with the next one. */
#define LEAVES_MAX 10000

/* The head of a session. */
struct head_seen {
	uint64_t seq;
	struct sha256 hash;
	uint64_t anchor; /* the event of sess_system that names it */
	uint64_t taken;  /* the sequence in the anchor that is being written; 0: in none */
	size_t len;
	char id[];
};

/*
 * `changed` collects heads for the next anchor; `named` holds those that earlier anchors
 * name, up to event `through` of sess_system.
 */
struct anchors {
	struct engine *engine;
	struct map changed; /* since the last durable anchor */
	uint64_t writing;   /* the anchor that is not durable yet; 0: none */
	struct clock_timer timer;
	/* For verify_log. */
	struct map named;
	uint64_t through, bad;
};

static struct str id_of(const struct head_seen *h)
{
	return str_of(h->id, h->len);
}

static struct head_seen *head_in(struct map *m, struct str id)
{
	struct head_seen *h = map_get(m, id);

	if (h)
		return h;
	h = memory_zeroed(1, sizeof *h + id.len + 1);
	memcpy(h->id, id.ptr, id.len);
	h->len = id.len;
	map_put(m, id_of(h), h);
	return h;
}

static void heads_free(struct map *m)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(m, &i, &slot);)
		memory_free(slot->value);
	map_done(m);
	*m = (struct map){ 0 };
}

/* ---- writing ---- */

/* The anchor is durable: heads that have not moved since need no other. */
static void drop_taken(struct anchors *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct head_seen **gone = ARENA_ARRAY(mem, struct head_seen *, a->changed.count + 1);
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&a->changed, &i, &slot);) {
		struct head_seen *h = slot->value;

		if (h->taken == h->seq)
			gone[count++] = h;
		h->taken = 0;
	}
	for (size_t i = 0; i < count; i++) {
		map_remove(&a->changed, id_of(gone[i]));
		memory_free(gone[i]);
	}
	a->writing = 0;
}

/* The anchor never happened: its heads wait for the next one. */
void anchor_drop(struct session *s)
{
	struct anchors *a = s->engine->anchors;
	struct map_slot *slot;

	if (!a || !str_eq(s->id, SYSTEM))
		return;
	for (size_t i = 0; map_next(&a->changed, &i, &slot);)
		((struct head_seen *)slot->value)->taken = 0;
	a->writing = 0;
}

/*
 * Only durable heads are anchored.  The system session itself is left out: each anchor
 * would make the next one necessary, and its chain contains the anchors anyway.
 */
void anchor_published(struct engine *e, const struct pending_slice *p)
{
	const struct slice *slice = &p->slice;
	const struct store_event *last;
	struct head_seen *h;

	if (!e->anchors || !slice->event_count)
		return;
	last = &slice->events[slice->event_count - 1];
	if (str_eq(slice->session, SYSTEM)) {
		if (e->anchors->writing && last->seq >= e->anchors->writing)
			drop_taken(e->anchors);
		return;
	}
	h = head_in(&e->anchors->changed, slice->session);
	h->seq = last->seq;
	h->hash = last->hash;
}

static int by_id(const void *a, const void *b)
{
	return str_cmp(id_of(*(struct head_seen *const *)a), id_of(*(struct head_seen *const *)b));
}

/*
 * Sorted, at most LEAVES_MAX.  They stay in the map until the anchor is durable, because
 * its commit may fail.
 */
static size_t take_heads(struct anchors *a, struct arena *mem, struct head_seen ***ret)
{
	struct head_seen **heads = ARENA_ARRAY(mem, struct head_seen *, a->changed.count + 1);
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&a->changed, &i, &slot);)
		heads[count++] = slot->value;
	qsort(heads, count, sizeof *heads, by_id);
	count = MIN(count, (size_t)LEAVES_MAX);
	for (size_t i = 0; i < count; i++)
		heads[i]->taken = heads[i]->seq;
	*ret = heads;
	return count;
}

/* The leaves are sorted, so that the same heads always give the same root. */
static void write_anchor(struct session *s, void *arg)
{
	struct engine *e = arg;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct head_seen **heads;
	struct sha256 *leaves, root;
	struct decision *d;
	size_t count;

	if (!s || s->phase != SESSION_LIVE || !e->anchors || e->anchors->writing)
		return;
	count = take_heads(e->anchors, mem, &heads);
	if (!count)
		return;
	leaves = ARENA_ARRAY(mem, struct sha256, count);
	for (size_t i = 0; i < count; i++) {
		struct str hex = sha256_hex(mem, &heads[i]->hash);
		size_t from = text.len;

		buf_printf(&text, "%.*s %llu %.*s", STR_ARG(id_of(heads[i])),
		           (unsigned long long)heads[i]->seq, STR_ARG(hex));
		leaves[i] = merkle_leaf(str_of(text.ptr + from, text.len - from));
		buf_add_char(&text, '\n');
	}
	root = merkle_root(leaves, count);
	d = apply_begin(s, NULL);
	runtime_events_anchor(d, (int64_t)count, sha256_hex(d->mem, &root), buf_str(&text));
	apply_end(s, d);
	e->anchors->writing = s->applied;
}

void anchor_now(struct engine *e)
{
	if (e->anchors && e->anchors->changed.count && e->is_ready && !e->is_stopping &&
	    !e->has_failed && !e->is_full)
		request_job(e, SYSTEM, true, write_anchor, e);
}

static void on_timer(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct anchors, timer)->engine;

	anchor_now(e);
	e->ports.clock->ops->start(e->ports.clock, t, LIMIT_ANCHOR_INTERVAL_S * 1000);
}

/* An embedded runtime without a version writes no events about itself, and so no anchors. */
void anchor_start(struct engine *e)
{
	if (!str_is(e->options.version))
		return;
	e->anchors = memory_zeroed(1, sizeof *e->anchors);
	e->anchors->engine = e;
	e->anchors->timer.fire = on_timer;
	e->ports.clock->ops->start(e->ports.clock, &e->anchors->timer,
	                           LIMIT_ANCHOR_INTERVAL_S * 1000);
}

void anchor_free(struct engine *e)
{
	if (!e->anchors)
		return;
	e->ports.clock->ops->stop(e->ports.clock, &e->anchors->timer);
	heads_free(&e->anchors->changed);
	heads_free(&e->anchors->named);
	memory_free(e->anchors);
	e->anchors = NULL;
}

/* ---- reading ---- */

/* Anchors of the current page of sess_system. */
struct anchor_read {
	struct request *r;
	void (*then)(struct request *r);
	struct store_read read;
	struct found_anchor {
		uint64_t seq;
		struct str root, ref;
	} * found;
	size_t count, at;
	uint64_t scanned;
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
	h = head_in(&a->named, id);
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
	if (!sha256_read_hex(f->root, &said) || !sha256_eq(&root, &said))
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
			                        .key = ar->found[ar->at].ref,
			                        .done = blob_found,
			                        .owner = ar };
		r->engine->ports.store->ops->read(r->engine->ports.store, &ar->read);
		return;
	}
	r->engine->anchors->through = ar->scanned;
	if (ar->more)
		read_on(ar);
	else
		ar->then(r);
}

/* Anchors are events of the class session.updated with an `anchor` in their payload. */
static void page_found(struct store_read *read)
{
	struct anchor_read *ar = read->owner;
	struct request *r = ar->r;

	if (anchor_read_failed(ar))
		return;
	ar->found = ARENA_ARRAY(r->mem, struct found_anchor, read->event_count + 1);
	ar->count = ar->at = 0;
	for (size_t i = 0; read->result == OK && i < read->event_count; i++) {
		struct json doc, anchor;

		if (json_read_trusted(r->mem, arena_keep(r->mem, bytes_str(read->events[i].body)),
		                      &doc, NULL) != OK)
			continue;
		anchor = JSON_GET(JSON_GET(doc, "payload"), "anchor");
		if (json_is(anchor))
			ar->found[ar->count++] =
				(struct found_anchor){ read->events[i].seq,
				                       json_str(JSON_GET(anchor, "rootHash")),
				                       json_str(JSON_GET(anchor, "leavesRef")) };
	}
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

	ar->read = (struct store_read){ .kind = READ_EVENTS,
		                        .session = SYSTEM,
		                        .after = r->engine->anchors->through,
		                        .types = types,
		                        .done = page_found,
		                        .owner = ar };
	r->engine->ports.store->ops->read(r->engine->ports.store, &ar->read);
}

void anchor_learn(struct request *r, void (*then)(struct request *r))
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

bool anchor_find(const struct engine *e, struct str session, uint64_t *ret_seq,
                 struct sha256 *ret_hash, uint64_t *ret_anchor)
{
	const struct head_seen *h = e->anchors ? map_get(&e->anchors->named, session) : NULL;

	if (!h)
		return false;
	*ret_seq = h->seq;
	*ret_hash = h->hash;
	*ret_anchor = h->anchor;
	return true;
}

uint64_t anchor_bad(const struct engine *e)
{
	return e->anchors ? e->anchors->bad : 0;
}

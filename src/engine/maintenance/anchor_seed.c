/*
 * Finds the sessions that changed before a crash and are in no anchor.
 *
 *   HEAD of sess_system ──► WINDOWS, backwards, to the last anchor but one ──► ALL events behind it
 *
 * An anchor names heads that were durable when it was begun, and events of others may be stored
 * before its own; they are behind the anchor before it.  Some heads are named twice, which says
 * nothing new.
 */
#include "engine/maintenance/anchor_parts.h"

#include "base/memory.h"
#include "engine/maintenance/damage.h"
#include "engine/engine_state.h"

#define WINDOW 256 /* events of sess_system */

struct anchor_seed {
	struct engine *engine;
	struct store_read read;
	uint64_t first, last;   /* the window: events behind `first`, through `last` */
	unsigned wanted;        /* anchors, counted from the end */
	unsigned count;         /* of the window */
	uint64_t newest, older; /* positions of its last two */
};

static void seed_end(struct anchors *a)
{
	port_store_read_done(&a->seed->read);
	memory_free(a->seed);
	a->seed = NULL;
}

/* What cannot be read is no head; verify_log reports it. */
static bool seed_failed(struct anchors *a)
{
	struct store_read *read = &a->seed->read;

	if (read->result == OK)
		return false;
	damage_of(a->engine, read);
	seed_end(a);
	return true;
}

static void seed_read(struct anchor_seed *s, void (*done)(struct store_read *))
{
	struct store *store = s->engine->ports.store;

	s->read.done = done;
	s->read.owner = s;
	store->ops->read(store, &s->read);
}

/* ---- ALL ---- */

static void take_head(struct anchors *a, const struct event_row *row)
{
	struct head_seen *h;

	if (str_eq(row->session, ANCHOR_SYSTEM))
		return;
	h = anchor_head_in(&a->changed, row->session);
	if (row->seq > h->seq) {
		h->seq = row->seq;
		h->hash = row->hash;
	}
}

static void all_page(struct store_read *read);

static void all_read(struct anchor_seed *s, uint64_t after)
{
	s->read = (struct store_read){ .kind = READ_ALL, .after = after, .takes_gaps = true };
	seed_read(s, all_page);
}

static void all_page(struct store_read *read)
{
	struct anchor_seed *s = read->owner;
	struct anchors *a = s->engine->anchors;
	uint64_t after = read->scanned;

	if (seed_failed(a))
		return;
	for (size_t i = 0; i < read->event_count; i++)
		take_head(a, &read->events[i]);
	if (!read->more) {
		seed_end(a);
		return;
	}
	port_store_read_done(read);
	all_read(s, after);
}

/* ---- WINDOWS ---- */

static void window_page(struct store_read *read);

static void window_read(struct anchor_seed *s, uint64_t after)
{
	static const uint64_t types[4] = { 1ull << EV_SESSION_UPDATED };

	s->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = ANCHOR_SYSTEM,
		                       .after = after,
		                       .until = s->last,
		                       .types = types };
	seed_read(s, window_page);
}

static void window_begin(struct anchor_seed *s, uint64_t last)
{
	s->last = last;
	s->first = last > WINDOW ? last - WINDOW : 0;
	s->count = 0;
	window_read(s, s->first);
}

static void window_end(struct anchor_seed *s)
{
	if (s->count >= s->wanted) {
		all_read(s, s->wanted == 2 ? s->older : s->newest);
	} else if (!s->first) {
		all_read(s, 0);
	} else {
		s->wanted -= s->count;
		window_begin(s, s->first);
	}
}

static void take_anchor(struct anchor_seed *s, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc;

	if (json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK ||
	    !json_is(JSON_GET(JSON_GET(doc, "payload"), "anchor")))
		return;
	s->older = s->newest;
	s->newest = row->position;
	s->count++;
}

static void window_page(struct store_read *read)
{
	struct anchor_seed *s = read->owner;
	uint64_t scanned = read->scanned;
	bool more = read->more;

	if (seed_failed(s->engine->anchors))
		return;
	for (size_t i = 0; i < read->event_count; i++)
		take_anchor(s, &read->events[i]);
	if (read->floor_seq >= s->first)
		s->first = 0; /* what is before it was removed */
	port_store_read_done(read);
	if (more)
		window_read(s, scanned);
	else
		window_end(s);
}

/* ---- HEAD ---- */

static void head_read(struct store_read *read)
{
	struct anchor_seed *s = read->owner;
	struct anchors *a = s->engine->anchors;
	uint64_t head = read->head_seq;

	if (read->result != ERR_NOT_FOUND && seed_failed(a))
		return;
	port_store_read_done(read);
	if (head)
		window_begin(s, head);
	else
		all_read(s, 0);
}

void anchor_seed_begin(struct anchors *a)
{
	struct anchor_seed *s = a->seed = memory_zeroed(1, sizeof *s);

	s->engine = a->engine;
	s->wanted = 2;
	s->read = (struct store_read){ .kind = READ_HEAD, .session = ANCHOR_SYSTEM };
	seed_read(s, head_read);
}

void anchor_seed_free(struct anchors *a)
{
	memory_free(a->seed);
	a->seed = NULL;
}

/* Reads the events of a system session that another node owns; node_system.h says why. */
#include "engine/nodes/node_system.h"

#include "engine/nodes/nodes.h"
#include "engine/resources/access.h"
#include "engine/resources/grants.h"
#include "engine/engine_state.h"

static void read_next(struct node_system *y);
static void tell_seen(struct node_system *y);

static bool is_system(const struct session *s)
{
	return s->engine->nodes && str_eq(s->id, NODE_SYSTEM);
}

void node_system_init(struct node_system *y, struct engine *e)
{
	y->engine = e;
	y->types[EV_POLICY_CHANGED / 64] |= 1ull << (EV_POLICY_CHANGED % 64);
	y->types[EV_SESSION_UPDATED / 64] |= 1ull << (EV_SESSION_UPDATED % 64);
}

/* ---- as a whole ---- */

static void take_state(struct node_system *y, const struct session *s)
{
	grants_take(y->engine, s);
	access_take(y->engine, s);
	y->seen = s ? (uint64_t)s->state->s->sequence : 0;
}

void node_system_learnt(struct engine *e, const struct session *s)
{
	if (!e->nodes)
		return;
	e->nodes->system.is_known = true;
	e->nodes->system.seen = s && s->state ? (uint64_t)s->state->s->sequence : 0;
	read_next(&e->nodes->system);
}

/* It was another node's until now: its state has what was not read yet. */
void node_system_load(struct session *s, enum load_phase phase)
{
	struct node_system *y;

	if (phase != LOAD_READ || !is_system(s))
		return;
	y = &s->engine->nodes->system;
	if (y->is_known && y->seen != s->applied)
		take_state(y, s);
}

static void peeked(struct session *s, void *arg)
{
	struct node_system *y = arg;

	y->is_reading = false;
	if (!session_find(y->engine, NODE_SYSTEM))
		take_state(y, s);
	read_next(y);
}

static void read_whole(struct node_system *y)
{
	y->is_doubtful = false;
	y->is_reading = true;
	load_peek(y->engine, NODE_SYSTEM, peeked, y);
}

/* What was folded and never became durable is taken back. */
void node_system_dropped(struct session *s)
{
	struct node_system *y;

	if (!is_system(s) || s->engine->has_failed || s->engine->is_closing)
		return;
	y = &s->engine->nodes->system;
	y->is_doubtful = y->is_known;
	if (y->is_doubtful && !y->is_reading)
		read_whole(y);
}

/* ---- what other nodes hear ---- */

/* Of its own events the owner tells the durable ones: the others may never be there. */
static void tell_seen(struct node_system *y)
{
	struct engine *e = y->engine;
	const struct session *s = session_find(e, NODE_SYSTEM);
	bool is_owner = s && s->phase == SESSION_LIVE;

	if (y->is_known && !y->is_reading && !e->has_failed && !e->is_closing)
		e->ports.store->nodes->tell_seen(e->ports.store, is_owner ? s->durable : y->seen);
}

/* ---- event by event ---- */

void node_system_folded(struct session *s, const struct event *ev)
{
	if (is_system(s))
		s->engine->nodes->system.seen = (uint64_t)ev->sequence;
}

static void take_event(struct node_system *y, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (row->seq <= y->seen || json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
		return;
	grants_foreign(y->engine, ev);
	access_foreign(y->engine, ev);
}

static void page_read(struct store_read *r)
{
	struct node_system *y = r->owner;
	bool is_good = r->result == OK;
	uint64_t scanned = r->scanned;

	y->is_reading = false;
	for (size_t i = 0; is_good && i < r->event_count; i++)
		take_event(y, &r->events[i]);
	y->seen = MAX(y->seen, is_good ? scanned : 0);
	/* An unreadable page is tried again with the next report. */
	if (!is_good || scanned < r->after + 1)
		y->wanted = 0;
	else if (r->more)
		y->wanted = scanned + 1;
	port_store_read_done(r);
	if (y->is_doubtful && !y->engine->has_failed && !y->engine->is_closing)
		read_whole(y);
	else
		read_next(y);
}

static void read_next(struct node_system *y)
{
	struct engine *e = y->engine;

	tell_seen(y);
	if (!y->is_known || y->is_reading || y->wanted <= y->seen || e->has_failed || e->is_closing)
		return;
	y->is_reading = true;
	y->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = NODE_SYSTEM,
		                       .after = y->seen,
		                       .types = y->types,
		                       .done = page_read,
		                       .owner = y };
	e->ports.store->ops->read(e->ports.store, &y->read);
}

/* Following the session would ask the database ten times a second, also when nothing happens. */
void node_system_look(struct node_system *y)
{
	const struct session *s = session_find(y->engine, NODE_SYSTEM);

	if (s && s->phase == SESSION_LIVE) {
		tell_seen(y);
		return;
	}
	y->wanted = MAX(y->wanted, y->seen + 1);
	read_next(y);
}

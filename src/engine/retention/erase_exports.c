/* Finds the exports that hold an erased event, and expires them. */
#include "engine/retention/erase_exports.h"

#include "core/evidence/evidence.h"
#include "core/gen/inputs.h"

static void want_types(uint64_t types[4])
{
	static const unsigned char wanted[] = { EV_TURN_SUBMITTED, EV_EVIDENCE_CHANGED,
		                                EV_OUTPUT_SPILLED, EV_OUTPUT_EXPIRED };

	for (size_t i = 0; i < sizeof wanted; i++)
		types[wanted[i] / 64] |= 1ull << wanted[i] % 64;
}

static struct erase_export *find(struct erase_exports *x, struct str ref)
{
	for (size_t i = 0; i < x->count; i++)
		if (str_eq(x->items[i].ref, ref))
			return &x->items[i];
	return NULL;
}

static void take_output(struct arena *mem, struct erase_exports *x, const struct event *ev)
{
	const struct ev_output_spilled *p = ev->payload;
	struct erase_export *e = find(x, ev->output_ref);

	if (!str_starts(ev->output_ref, STR(CATALOG_EXPORT_PREFIX)))
		return;
	if (!e) {
		if (x->count == x->cap) {
			size_t cap = x->cap ? x->cap * 2 : 16;

			x->items = arena_grow(mem, x->items, x->count * sizeof *x->items,
			                      cap * sizeof *x->items);
			x->cap = cap;
		}
		e = &x->items[x->count++];
	}
	*e = (struct erase_export){ .ref = arena_keep(mem, ev->output_ref),
		                    .sha256 = arena_keep(mem, ev->output ? ev->output->sha256
		                                                         : STR_NONE),
		                    .size = p->size_bytes };
}

/*
 * Does the pack show the event?  By the rule of its scope: an event that names a turn and no task
 * belongs to the task of that turn.  Of a turn whose beginning was removed this is not known.
 */
static bool holds(struct arena *mem, const struct erase_exports *x, const struct event *ev)
{
	const struct ev_evidence_changed *p = ev->payload;
	struct evidence_scope scope = { .mem = mem,
		                        .session_id = ev->session_id,
		                        .thread_id = ev->thread_id,
		                        .turn_id = ev->turn_id,
		                        .task_id = ev->task_id,
		                        .job_id = ev->job_id };
	bool is_frame;

	if (p->change != EVIDENCE_CHANGE_EXPORTED ||
	    (p->redaction && p->redaction != EVIDENCE_REDACTION_RULES) ||
	    x->event->sequence < p->from_sequence || x->event->sequence > p->to_sequence)
		return false;
	if (evidence_scope_learns(&scope) && str_is(x->event->turn_id) && !x->turn)
		return true;
	if (evidence_scope_learns(&scope) && x->turn)
		evidence_scope_learn(&scope, x->turn);
	return evidence_scope_has(&scope, x->event, &is_frame) && !is_frame;
}

/* The beginning of the event's turn, which names its task and job. */
static void take_turn(struct arena *mem, struct erase_exports *x, const struct event *ev)
{
	struct event *turn;

	if (!str_is(x->event->turn_id) || !str_eq(ev->turn_id, x->event->turn_id))
		return;
	x->turn = turn = ARENA_NEW(mem, struct event);
	*turn = (struct event){ .type = ev->type,
		                .thread_id = arena_keep(mem, ev->thread_id),
		                .turn_id = arena_keep(mem, ev->turn_id),
		                .task_id = arena_keep(mem, ev->task_id),
		                .job_id = arena_keep(mem, ev->job_id) };
}

static void take_event(struct arena *mem, struct erase_exports *x, const struct event *ev)
{
	const struct ev_evidence_changed *p = ev->payload;
	struct erase_export *e =
		find(x, ev->type == EV_EVIDENCE_CHANGED ? p->pack_ref : ev->output_ref);

	if (ev->type == EV_TURN_SUBMITTED)
		take_turn(mem, x, ev);
	else if (ev->type == EV_OUTPUT_SPILLED)
		take_output(mem, x, ev);
	else if (e && ev->type == EV_OUTPUT_EXPIRED)
		*e = x->items[--x->count];
	else if (e && ev->type == EV_EVIDENCE_CHANGED)
		e->holds |= holds(mem, x, ev);
}

static void search_page(struct store_read *read);

static void search_more(struct request *r, struct erase_exports *x)
{
	x->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = x->at,
		                       .types = x->types,
		                       .done = search_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &x->read);
}

static void search_page(struct store_read *read)
{
	struct erase_exports *x = OWNER_OF(read, struct erase_exports, read);
	struct request *r = read->owner;
	bool more = read->more;

	if (request_read_failed(read))
		return;
	for (size_t i = 0; i < read->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_trusted(mem, bytes_str(read->events[i].body), &doc, NULL) == OK &&
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK)
			take_event(r->mem, x, ev);
	}
	x->at = read->scanned;
	port_store_read_done(read);
	if (more)
		search_more(r, x);
	else
		request_restart(r);
}

void erase_exports_find(struct request *r, const struct event *ev, struct erase_exports *ret)
{
	*ret = (struct erase_exports){ .event = ev };
	want_types(ret->types);
	r->session = NULL; /* it may leave memory now */
	search_more(r, ret);
}

bool erase_exports_any(const struct erase_exports *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->items[i].holds)
			return true;
	return false;
}

void erase_exports_expire(struct decision *d, const struct erase_exports *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->items[i].holds)
			input_retention_export_expired(d, x->items[i].ref, x->items[i].sha256,
			                               x->items[i].size);
}

/*
 * The order of events about one object: what opens it, what needs it open, what
 * closes it.
 *
 *	(unknown) ── opens ──► OPEN ── closes, drops ──► CLOSED
 *	                        ▲                          │
 *	                        └──────── reopens ─────────┘   unless a final event closed it
 *
 * An object whose beginning is not in the log (it was cut, or a line could not
 * be read) is taken as open when it is first needed.
 */
#include "conform/event_select.h"
#include "conform/row_check.h"

#define SHOWN 80

enum object_state { OBJECT_OPEN, OBJECT_CLOSED };

struct object {
	enum object_state state;
	bool is_final;
	int64_t closed_at; /* line */
	struct str id, within;
	struct object *next; /* of the same whole */
};

struct order_step {
	struct check *c;
	const struct log_event *e;
	struct str id;
	struct object *o; /* NULL: not known */
};

static bool is_one_of(const struct event_select *s, const struct log_event *e)
{
	return s->count && event_select_has(s, e->type, e->v);
}

static void complain(struct order_step *s, const char *what)
{
	log_finding_add(s->e->p, s->c, &s->e->spot, "%.*s %s %.*s %.*s",
	                STR_ARG(str_head(s->e->type, SHOWN)), what, STR_ARG(s->c->object),
	                STR_ARG(str_head(s->id, SHOWN)));
}

static struct object *add_object(struct order_step *s)
{
	struct arena *mem = s->e->p->log;
	struct object *o = ARENA_NEW(mem, struct object);

	o->id = arena_keep(mem, s->id);
	map_put(&s->c->known, log_finding_key(s->e, s->id), o);
	return o;
}

/* ---- parts of a whole ---- */

static struct str whole_key(const struct log_event *e, struct str whole)
{
	/* Ids of others may hold any character: the length of the first keeps the parts apart. */
	return arena_printf(e->p->log, "whole %zu %.*s%.*s", e->session.len, STR_ARG(e->session),
	                    STR_ARG(whole));
}

static void join_whole(struct order_step *s)
{
	struct str whole = str_is(s->c->within) ? event_select_id(s->e->v, s->c->within) : STR_NONE;

	if (!str_is(whole) || str_is(s->o->within)) /* it stays in one list */
		return;
	s->o->within = arena_keep(s->e->p->log, whole);
	s->o->next = map_put(&s->c->known, whole_key(s->e, whole), s->o);
}

/* The whole has ended; its parts must have. */
static void end_whole(struct check *c, const struct log_event *e)
{
	struct str whole = event_select_id(e->v, c->within);
	struct object *o = str_is(whole) ? map_remove(&c->known, whole_key(e, whole)) : NULL;

	for (; o; o = o->next)
		if (o->state == OBJECT_OPEN && str_eq(o->within, whole))
			log_finding_add(e->p, c, &e->spot, "%.*s leaves the %.*s %.*s open",
			                STR_ARG(str_head(e->type, SHOWN)), STR_ARG(c->object),
			                STR_ARG(str_head(o->id, SHOWN)));
}

/* ---- transitions ---- */

static void open_object(struct order_step *s)
{
	if (s->o && !s->c->is_repeatable)
		complain(s, s->o->state == OBJECT_OPEN ? "opens a second time the"
		                                       : "opens again the ended");
	if (!s->o)
		s->o = add_object(s);
	s->o->state = OBJECT_OPEN;
	join_whole(s);
}

static void need_object(struct order_step *s)
{
	if (s->o && s->o->state == OBJECT_CLOSED) {
		complain(s, "follows the end of the");
	} else if (!s->o && s->e->is_partial) {
		open_object(s);
	} else if (!s->o) {
		complain(s, "comes before the beginning of the");
		open_object(s);
	}
}

static void close_object(struct order_step *s)
{
	if (!s->o)
		return;
	s->o->state = OBJECT_CLOSED;
	s->o->is_final = is_one_of(&s->c->final, s->e);
	s->o->closed_at = s->e->spot.line;
}

static void reopen_object(struct order_step *s)
{
	if (s->o && s->o->state == OBJECT_CLOSED && s->o->is_final)
		complain(s, "continues the completed");
	if (!s->o)
		need_object(s);
	else
		s->o->state = OBJECT_OPEN;
}

static void take_step(struct order_step *s)
{
	struct check *c = s->c;

	if (is_one_of(&c->opens, s->e))
		open_object(s);
	if (is_one_of(&c->reopens, s->e))
		reopen_object(s);
	if (is_one_of(&c->needs, s->e) || is_one_of(&c->closes, s->e))
		need_object(s);
	if (is_one_of(&c->forbids, s->e) && s->o && s->o->state == OBJECT_OPEN)
		complain(s, "must not follow within the");
	if (is_one_of(&c->closes, s->e) || is_one_of(&c->drops, s->e))
		close_object(s);
}

/* Events that only end or forbid something show nothing by themselves. */
static bool shows(const struct check *c, const struct log_event *e)
{
	return is_one_of(&c->opens, e) || is_one_of(&c->needs, e) || is_one_of(&c->closes, e) ||
	       is_one_of(&c->reopens, e);
}

void check_order_event(struct check *c, const struct log_event *e)
{
	struct order_step s = { .c = c, .e = e, .id = event_select_id(e->v, c->id) };

	if (str_is(s.id) && (shows(c, e) || is_one_of(&c->drops, e) || is_one_of(&c->forbids, e))) {
		c->seen += shows(c, e);
		s.o = map_get(&c->known, log_finding_key(e, s.id));
		take_step(&s);
	}
	if (is_one_of(&c->ends, e))
		end_whole(c, e);
}

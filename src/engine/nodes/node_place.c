/* Brings sessions to the node that has their directory; node_place.h. */
#include "engine/nodes/node_place.h"

#include "core/gen/inputs.h"
#include "core/session/placement.h"
#include "engine/nodes/node_forward.h"
#include "engine/nodes/nodes.h"
#include "engine/session/apply.h"
#include "engine/session/eviction.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

#define LOOK_MS 1000
/* Until a session that left memory here can be claimed elsewhere. */
#define RELEASE_MS 300
/* Sessions that one pass loads; what is left is for the next one. */
#define LOADS_MAX 64

static struct node_place *place_of(const struct engine *e)
{
	return &e->nodes->place;
}

const struct rec_node_place *node_place_read(struct arena *mem, struct str text)
{
	struct rec_node_place *place = ARENA_NEW(mem, struct rec_node_place);
	struct json doc;

	if (!str_is(text) || json_read_trusted(mem, text, &doc, NULL) != OK ||
	    rec_read(mem, doc, &rec_node_place_desc, REC_TRUSTED, place, NULL) != OK)
		return NULL;
	return place;
}

const struct rec_node_place *node_place_own(struct engine *e)
{
	struct store *st = e->ports.store;

	return st->nodes ? node_place_read(e->mem, st->nodes->self(st)->place) : NULL;
}

/* ---- turns that wait for this node ---- */

static void read_key(struct engine *e);

static bool is_for_this_node(struct engine *e, const struct index_found *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct rec_placement *p = ARENA_NEW(mem, struct rec_placement);
	struct json doc;

	return json_read_trusted(mem, row->body, &doc, NULL) == OK &&
	       rec_read(mem, doc, &rec_placement_desc, REC_TRUSTED, p, NULL) == OK &&
	       placement_fits(p, row->status, e->settings.place);
}

/* A load is no decision: the turn continues with the next step. */
void node_place_load(struct session *s, enum load_phase phase)
{
	struct decision *d;

	if (phase != LOAD_DONE || s->phase != SESSION_LIVE || !s->state->s->placement ||
	    !placement_is_awaited(s->state) || !session_place_is_here(s) ||
	    s->engine->options.config->store_read_only)
		return;
	d = apply_begin(s, NULL);
	input_step_next(d);
	apply_end(s, d);
}

static void take_row(struct engine *e, const struct index_found *row)
{
	struct node_place *n = place_of(e);

	n->from_at = row->at;
	arena_reset(n->page);
	n->from_key = arena_keep(n->page, row->key);
	if (session_find(e, row->session) || !is_for_this_node(e, row))
		return;
	/* Its owner may not have released it yet; then the next pass claims it. */
	n->found++;
	n->loads++;
	load_session(session_make(e, row->session, false));
}

static void next_key(struct node_place *n)
{
	n->key++;
	n->from_key = STR_NONE;
	n->from_at = 0;
}

/* All keys are read.  What could not be claimed is looked for again, also when no one writes. */
static void pass_ends(struct engine *e)
{
	struct node_place *n = place_of(e);

	n->key = 0;
	if (n->found)
		node_place_look(e);
	n->found = 0;
}

static void on_read(struct store_read *r)
{
	struct engine *e = r->owner;
	struct node_place *n = place_of(e);
	bool is_over = e->is_closing || e->has_failed || e->is_leaving;
	bool has_more = r->result == OK && r->more && r->row_count;

	n->is_reading = false;
	for (size_t i = 0; r->result == OK && !is_over && i < r->row_count; i++)
		take_row(e, &r->rows[i]);
	if (!has_more)
		next_key(n);
	port_store_read_done(r);
	if (is_over || n->key == n->key_count)
		pass_ends(e);
	else if (n->loads < LOADS_MAX)
		read_key(e);
	else
		node_place_look(e); /* continues there */
}

static void read_key(struct engine *e)
{
	struct node_place *n = place_of(e);
	struct store *st = e->ports.store;

	n->is_reading = true;
	n->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ITEM,
		                       .parent = n->keys[n->key],
		                       .open_only = true,
		                       .max_rows = LOADS_MAX,
		                       .from_at = n->from_at,
		                       .from_key = n->from_key,
		                       .done = on_read,
		                       .owner = e };
	st->ops->read(st, &n->read);
}

static void on_due(struct clock_timer *t)
{
	struct node_place *n = OWNER_OF(t, struct node_place, timer);
	struct engine *e = OWNER_OF(n, struct nodes, place)->engine;

	n->is_due = false;
	if (e->is_closing || e->has_failed || e->is_leaving)
		return;
	if (!n->mem) {
		n->mem = arena_new_small();
		n->page = arena_new_small();
		n->key_count = placement_keys_of_node(n->mem, e->settings.place, &n->keys);
	}
	n->loads = 0;
	read_key(e);
}

void node_place_look(struct engine *e)
{
	struct node_place *n = place_of(e);

	if (!e->settings.place || !e->is_ready || e->is_closing || n->is_due || n->is_reading ||
	    e->options.config->store_read_only)
		return;
	n->is_due = true;
	n->timer.fire = on_due;
	e->ports.clock->ops->start(e->ports.clock, &n->timer, LOOK_MS);
}

void node_place_free(struct engine *e)
{
	struct node_place *n = place_of(e);

	e->ports.clock->ops->stop(e->ports.clock, &n->timer);
	arena_free(n->page);
	arena_free(n->mem);
}

/* ---- commands ---- */

/* Which nodes live is read for one request. */
struct place_look {
	struct store_nodes_read read;
	struct request *request;
	const struct rec_placement_choice *choice; /* of a new session; NULL: one exists */
	const struct rec_placement *placement;     /* of the one that exists */
	struct str cwd;
};

static bool is_fit(const struct place_look *l, const struct rec_node_place *place)
{
	if (!place)
		return false;
	return l->choice ? placement_is_met(l->choice, l->cwd, place)
	                 : placement_fits(l->placement, l->cwd, place);
}

/* Of several the one that owns the fewest sessions. */
static const struct store_node *choose(const struct place_look *l)
{
	struct request *r = l->request;
	const struct store_node *best = NULL;

	for (size_t i = 0; i < l->read.count; i++) {
		const struct store_node *n = &l->read.nodes[i];

		if (n->is_self || !node_handover_is_free(n) || !str_is(n->address) ||
		    !n->address.len || !is_fit(l, node_place_read(r->mem, n->place)))
			continue;
		if (!best || n->sessions < best->sessions)
			best = n;
	}
	return best;
}

static void look(struct request *r, const struct place_look *what,
                 void (*done)(struct store_nodes_read *read))
{
	struct store *st = r->engine->ports.store;
	struct place_look *l = ARENA_NEW(r->mem, struct place_look);

	*l = *what;
	l->request = r;
	l->read = (struct store_nodes_read){ .done = done, .owner = l };
	r->is_placed = true;
	st->nodes->list(st, &l->read);
}

static bool may_move(const struct request *r)
{
	const struct engine *e = r->engine;

	return e->nodes && e->settings.place && !r->is_placed && !r->job.run && str_is(r->params) &&
	       e->ports.link && !e->is_stopping;
}

static void refuse_failed(struct request *r, const struct error *why)
{
	request_fail(r, ERROR_CODE_STORE_UNAVAILABLE, "%s", why->message);
	request_reply(r);
}

/* ---- a new session ---- */

/* The look is in the request, which the reply frees: the list is kept beside it. */
static void choice_listed(struct store_nodes_read *read)
{
	struct place_look *l = read->owner;
	struct store_nodes_read list = *read;
	struct request *r = l->request;
	const struct store_node *to = list.result == OK ? choose(l) : NULL;

	if (list.result != OK) {
		refuse_failed(r, &list.error);
	} else if (to) {
		node_forward_new(r, to);
	} else {
		request_fail(r, ERROR_CODE_PLACEMENT_UNMET,
		             "placement: no node that lives has %.*s; `thole node ls` shows them",
		             STR_ARG(placement_text(r->mem, l->choice)));
		request_reply(r);
	}
	port_store_nodes_read_done(&list);
}

bool node_place_route(struct request *r)
{
	struct engine *e = r->engine;
	const struct rec_placement_choice *c =
		r->command.command == COMMAND_UPDATE_SESSION ? NULL : request_placement(r);
	struct str cwd = c ? request_arg(r, "cwd") : STR_NONE;

	if (!c || r->forwarded || !may_move(r) || str_is(placement_bad_name(c)) ||
	    (!e->is_leaving && placement_is_met(c, cwd, e->settings.place)))
		return false;
	look(r, &(struct place_look){ .choice = c, .cwd = cwd }, choice_listed);
	return true;
}

/* ---- a session that exists ---- */

/* It left memory meanwhile, or another request works on it: then it is decided here. */
static bool give(struct engine *e, struct str id)
{
	struct session *s = session_find(e, id);

	return !s || eviction_give(s);
}

/* The node that was asked by a client looks again: it has the directory, or sends it there. */
static void on_given(struct clock_timer *t)
{
	struct request *r = OWNER_OF(t, struct request, timer);

	request_fail(r, ERROR_CODE_SESSION_MOVED, "the directory of session %.*s is elsewhere",
	             STR_ARG(r->session_id));
	request_reply(r);
}

static void give_back(struct request *r)
{
	struct clock *c = r->engine->ports.clock;

	r->timer.fire = on_given;
	c->ops->start(c, &r->timer, RELEASE_MS);
}

static void session_listed(struct store_nodes_read *read)
{
	struct place_look *l = read->owner;
	struct store_nodes_read list = *read;
	struct request *r = l->request;
	const struct store_node *to = list.result == OK ? choose(l) : NULL;

	if (list.result != OK)
		refuse_failed(r, &list.error);
	else if (!to || !give(r->engine, r->session_id))
		request_restart(r);
	else if (r->forwarded)
		give_back(r);
	else
		node_forward_given(r, to);
	port_store_nodes_read_done(&list);
}

/* These say themselves where the session is to be, or that it is not to be. */
static bool is_about_place(const struct request *r)
{
	return r->command.command == COMMAND_DELETE_SESSION || request_placement(r);
}

bool node_place_gather(struct request *r)
{
	struct session *s = r->session;
	const struct st_session *st = s && s->phase == SESSION_LIVE ? s->state->s : NULL;

	if (!st || s->is_new || session_place_is_here(s) || !may_move(r) ||
	    !command_classes[r->command.command].mutates || r->is_lookup || is_about_place(r) ||
	    !session_is_unused(s))
		return false;
	r->session = NULL;
	look(r,
	     &(struct place_look){ .placement =
	                                   rec_clone(r->mem, &rec_placement_desc, st->placement),
	                           .cwd = arena_keep(r->mem, st->cwd) },
	     session_listed);
	return true;
}

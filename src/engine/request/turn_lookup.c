/*
 * Finds the old turn that a rollback or a fork goes back to.
 *
 * The state lists the newest turns of a thread and counts older ones in
 * marks.  A command that names an older turn, or an event before the listed
 * ones, waits here while the marks around it are read from the log.
 */
#include "engine/request/turn_lookup.h"

#include "core/context/history.h"
#include "core/context/history_walk.h"
#include "engine/engine_state.h"

/* Lives in the request's work data while pages are read. */
struct find_turn {
	struct str thread_id, turn_id;
	bool has_sequence;
	int64_t sequence;
	struct history_walk walk;
	struct history_walk_range range;
	struct history_point point;
	uint64_t types[4];
};

/* The target of the command; false: it has none. */
static bool read_target(const struct request *r, struct find_turn *f)
{
	if (r->command.command == COMMAND_ROLLBACK_THREAD) {
		const struct cmd_rollback_thread *c = r->args;

		f->thread_id = c->thread_id;
		f->turn_id = c->to_turn_id;
		f->has_sequence = c->has_to_sequence;
		f->sequence = c->to_sequence;
		return true;
	}
	if (r->command.command == COMMAND_FORK_THREAD) {
		const struct cmd_fork_thread *c = r->args;

		f->thread_id = c->thread_id;
		f->turn_id = c->turn_id;
		f->has_sequence = c->has_sequence;
		f->sequence = c->sequence;
		return true;
	}
	return false;
}

static const struct st_thread *thread_of(const struct request *r, const struct find_turn *f)
{
	const struct state *w = r->session->state;

	return str_is(f->thread_id) ? state_thread(w, f->thread_id) : state_main_thread(w);
}

static void read_page(struct request *r, uint64_t after);

/*
 * The turn is found only when the whole range was read: marks count turns, so each event
 * between two marks matters.  Without a point the decision refuses the command.
 */
static void page_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct find_turn *f = r->work;
	uint64_t scanned = read->scanned;
	bool more = read->more;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	for (size_t i = 0; i < read->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_trusted(mem, bytes_str(read->events[i].body), &doc, NULL) == OK &&
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK)
			history_walk_feed(&f->walk, ev);
	}
	port_store_read_done(read);
	if (more) {
		read_page(r, scanned);
		return;
	}
	if (str_is(f->turn_id) ? history_walk_turn(&f->walk, f->turn_id, &f->point)
	                       : history_walk_event(&f->walk, f->sequence, &f->point))
		r->found.point = &f->point;
	request_continue(r);
}

static void read_page(struct request *r, uint64_t after)
{
	struct find_turn *f = r->work;

	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session->id,
		                       .after = after,
		                       .until = (uint64_t)f->range.to,
		                       .types = f->types,
		                       .done = page_read,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* False: no mark can hold it, and the decision refuses the command. */
static bool walk_begin(struct request *r, int64_t sequence)
{
	struct find_turn *f = r->work;
	const struct st_thread *th = thread_of(r, f);

	if (!th || !history_walk_range(th, str_is(f->turn_id), sequence, &f->range))
		return false;
	history_walk_init(&f->walk, r->mem, r->session->state, th, &f->range);
	history_walk_types(f->types);
	read_page(r, (uint64_t)MAX(f->range.from - 1, 0));
	return true;
}

static void id_read(struct store_read *read)
{
	struct request *r = read->owner;
	int64_t submitted = 0;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	if (read->row_count && str_eq(read->rows[0].session, r->session->id))
		submitted = read->rows[0].at;
	port_store_read_done(read);
	if (!submitted || !walk_begin(r, submitted))
		request_continue(r);
}

/* A turn that the state still lists needs no read. */
bool turn_lookup_gather(struct request *r)
{
	struct find_turn *f;
	const struct st_thread *th;

	if (r->found.is_point_read || !r->session)
		return false;
	f = ARENA_NEW(r->mem, struct find_turn);
	if (!read_target(r, f))
		return false;
	th = thread_of(r, f);
	if (!th || !history_is_marked(th, f->turn_id, f->has_sequence, f->sequence))
		return false;
	/* The rows of ids follow the log. */
	if (r->session->applied > r->session->durable) {
		request_wait_durable(r);
		return true;
	}
	r->found.is_point_read = true;
	r->work = f;
	if (!str_is(f->turn_id))
		return walk_begin(r, f->sequence);
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ID,
		                       .key = f->turn_id,
		                       .done = id_read,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
	return true;
}

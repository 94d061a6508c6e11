/*
 * Deadlines of sessions outside memory.
 *
 * Their rows in the store hold the due times.  One timer runs for the earliest
 * of them; when it fires, the rows are read in that order, page by page, and
 * the due sessions are loaded, a bounded number at once.
 */
#include "engine/session/deadlines.h"

#include "engine/engine_state.h"

/* Sessions that are loaded at once for a deadline. */
#define DUE_AT_ONCE 64

static void read_due(struct engine *e);
static void start_pass(struct engine *e);

/*
 * is_moved tells clock_jump.c that every row has the new offset; a pass that failed
 * half-way does not count.
 */
static void pass_ends(struct engine *e, bool is_whole)
{
	struct due_pass *p = &e->due_pass;

	p->is_on = false;
	arena_free(p->mem);
	p->mem = NULL;
	p->from_key = STR_NONE;
	p->is_moved = p->takes_all && is_whole;
	if (p->is_wanted) {
		p->is_wanted = false;
		start_pass(e);
	}
}

/* Loading is enough: the session's own timer fires for whatever is due (apply.c). */
static void load_due(struct engine *e, struct str id)
{
	struct session *s = session_make(e, id, false);

	s->is_due = true;
	e->due_pass.loading++;
	load_session(s);
}

/*
 * A session in memory has its own timer, and its row may be outdated: a row that was seen is not
 * looked at again before the next pass.
 */
static void due_read(struct store_read *r)
{
	struct engine *e = r->owner;
	struct due_pass *p = &e->due_pass;
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock), next = 0;
	bool is_good = r->result == OK, has_next_page = is_good && r->more && r->row_count;

	e->is_asking_due = false;
	for (size_t i = 0; r->result == OK && i < r->row_count; i++) {
		bool is_there = session_find(e, r->rows[i].key) != NULL;

		if (r->rows[i].at > now && !p->takes_all) {
			has_next_page = false;
			/*
			 * Behind a page of sessions in memory, no session is due before the last
			 * row of the page.
			 */
			if (!is_there || i + 1 == r->row_count) {
				next = r->rows[i].at;
				break;
			}
		} else if (!is_there) {
			load_due(e, r->rows[i].key);
		}
	}
	if (has_next_page) {
		const struct index_found *last = &r->rows[r->row_count - 1];

		arena_reset(p->mem);
		p->from_at = last->at;
		p->from_key = arena_keep(p->mem, last->key);
	}
	port_store_read_done(r);
	if (!has_next_page)
		pass_ends(e, is_good);
	else if (p->loading < DUE_AT_ONCE)
		read_due(e);
	if (next)
		deadlines_watch(e, next);
}

static void read_due(struct engine *e)
{
	e->is_asking_due = true;
	e->due_read = (struct store_read){ .kind = READ_INDEX,
		                           .table = INDEX_TIMER,
		                           .max_rows = DUE_AT_ONCE,
		                           .from_at = e->due_pass.from_at,
		                           .from_key = e->due_pass.from_key,
		                           .done = due_read,
		                           .owner = e };
	e->ports.store->ops->read(e->ports.store, &e->due_read);
}

/*
 * A session that is missing, broken or elsewhere counts as done, too; otherwise the pass would wait for it
 * for ever.  Reading continues at half the limit, so that loads and reads of rows overlap.
 */
void deadlines_load(struct session *s, enum load_phase phase)
{
	struct engine *e = s->engine;

	if (!s->is_due || (phase != LOAD_DONE && phase != LOAD_MISSING && phase != LOAD_BROKEN &&
	                   phase != LOAD_ELSEWHERE))
		return;
	s->is_due = false;
	e->due_pass.loading--;
	if (e->due_pass.is_on && !e->is_asking_due && !e->is_stopping && !e->has_failed &&
	    e->due_pass.loading < DUE_AT_ONCE / 2)
		read_due(e);
}

/*
 * Nothing may be pending: a row that is not durable yet would be read with the old offset
 * after a crash.
 */
bool deadlines_are_moved(const struct engine *e)
{
	const struct due_pass *p = &e->due_pass;

	return p->is_moved && !p->is_on && !p->loading && !e->filling && !e->batches;
}

static void start_pass(struct engine *e)
{
	if (e->has_failed)
		return;
	/* A session that became due during a pass may have a row before its position. */
	if (e->due_pass.is_on) {
		e->due_pass.is_wanted = true;
		return;
	}
	e->due_pass.is_on = true;
	e->due_pass.is_moved = false;
	/* After the clock was set every row may be due. */
	e->due_pass.takes_all = e->time.is_moving_rows;
	e->due_pass.mem = arena_new_small();
	read_due(e);
}

static void on_due(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, due);

	e->due_at = 0;
	start_pass(e);
}

/* A later deadline than the watched one is found by the pass that the watched one starts. */
void deadlines_watch(struct engine *e, int64_t at)
{
	struct clock *c = e->ports.clock;

	if (!at || (e->due_at && e->due_at <= at))
		return;
	e->due_at = at;
	e->due.fire = on_due;
	c->ops->start(c, &e->due, MAX(at - c->ops->wall_ms(c), 0));
}

void deadlines_look(struct engine *e)
{
	e->due_at = 0;
	start_pass(e);
}

void deadlines_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->due);
	arena_free(e->due_pass.mem);
}

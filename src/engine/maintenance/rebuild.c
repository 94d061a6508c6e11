/*
 * Rebuilds missing derived rows at the start, session by session, before
 * anything else: recovery, deadlines and lists depend on them.  Until then
 * commands are refused with `rebuilding` (503).
 *
 * A session is read and folded separately, and its rows are written in one
 * slice without events.  A session with unreadable events keeps the rows it
 * has.  After a failed list or write the mark stays, so the next start begins
 * again; damage in the log does not keep it, because it would be found each time.
 */
#include "engine/maintenance/rebuild.h"

#include "base/memory.h"
#include "base/os/log.h"
#include "engine/maintenance/damage.h"
#include "engine/resources/ledger.h"
#include "engine/engine_state.h"

/* One session at a time; memory is bounded by the largest. */
struct rebuild {
	struct engine *engine;
	struct store_read list, read;
	struct arena *names; /* of the current page of sessions */
	struct str *sessions;
	size_t count, at;
	uint64_t after;
	bool more;
	bool is_unfinished; /* rows are missing that another attempt may make */
	/* The current session. */
	struct arena *mem;
	struct state *state;
	struct rows rows;
	uint64_t folded, floor;
	struct batch batch;
	struct slice slice;
};

static void next_session(struct rebuild *b);

static void list_more(struct rebuild *b);

static void session_over(struct rebuild *b)
{
	state_free(b->state);
	arena_free(b->mem);
	b->state = NULL;
	b->mem = NULL;
	b->at++;
	next_session(b);
}

/* The rebuild continues: one damaged session must not keep the runtime from starting. */
static void leave_out(struct rebuild *b, const char *why)
{
	log_line(LOG_ERROR, "store", "the rows of %.*s are not made again: %s",
	         STR_ARG(b->sessions[b->at]), why);
	session_over(b);
}

/* A read that failed may succeed at the next start; damaged or missing data is no such read. */
static void note_failure(struct rebuild *b, const struct store_read *r)
{
	if (r->result != OK && r->result != ERR_CORRUPT && r->result != ERR_NOT_FOUND)
		b->is_unfinished = true;
}

static void rows_written(struct batch *batch)
{
	struct rebuild *b = batch->owner;

	if (b->slice.state == SLICE_COMMITTED) {
		b->engine->rebuilt++;
		session_over(b);
		return;
	}
	b->is_unfinished = true;
	leave_out(b, batch->error.code ? batch->error.message : "the log has moved on");
}

/*
 * prev_seq and prev_hash are the head itself: the slice adds rows and a snapshot, no
 * events.  Rows of a removed beginning cannot be derived any more, so they are not
 * cleared.
 */
static void write_rows(struct rebuild *b, uint64_t head, const struct sha256 *hash)
{
	struct engine *e = b->engine;

	index_state(&b->rows, b->state, NULL);
	b->slice = (struct slice){ .session = b->sessions[b->at],
		                   .prev_seq = head,
		                   .prev_hash = *hash,
		                   .clears_rows = b->floor == 0,
		                   .snapshot = state_text(b->mem, b->state),
		                   .snapshot_seq = head,
		                   .snapshot_version = arena_printf(b->mem, "%d", FOLD_VERSION) };
	b->slice.rows = b->rows.items;
	b->slice.row_count = b->rows.count;
	b->batch = (struct batch){ .first = &b->slice, .done = rows_written, .owner = b };
	e->ports.store->ops->submit(e->ports.store, &b->batch);
}

static bool fold_row(struct rebuild *b, const struct event_row *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (json_read_trusted(mem, bytes_str(row->body), &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) != OK)
		return false;
	state_fold(b->state, ev);
	index_event(&b->rows, b->state, ev);
	b->folded = row->seq;
	return true;
}

static void read_events(struct rebuild *b);

static void page_read(struct store_read *r)
{
	struct rebuild *b = r->owner;
	struct engine *e = b->engine;
	bool more = r->more, is_good = r->result == OK;
	uint64_t head = r->head_seq;
	struct sha256 hash = r->head_hash;

	for (size_t i = 0; is_good && i < r->event_count; i++)
		is_good = fold_row(b, &r->events[i]);
	if (!is_good) {
		struct error why = r->error;

		note_failure(b, r);
		damage_of(e, r);
		port_store_read_done(r);
		leave_out(b, why.code ? why.message : "an event does not have the form of one");
		return;
	}
	port_store_read_done(r);
	if (more)
		read_events(b);
	else
		write_rows(b, head, &hash);
}

static void read_events(struct rebuild *b)
{
	struct engine *e = b->engine;

	b->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = b->sessions[b->at],
		                       .after = b->folded,
		                       .done = page_read,
		                       .owner = b };
	e->ports.store->ops->read(e->ports.store, &b->read);
}

static void floor_found(struct store_read *r)
{
	struct rebuild *b = r->owner;
	struct sha256 hash;
	bool is_good =
		r->result == OK && load_floor_read(r->blob.data, &b->state, &b->folded, &hash);

	note_failure(b, r);
	port_store_read_done(r);
	if (is_good)
		read_events(b);
	else
		leave_out(b, "the state that replaces its removed beginning cannot be read");
}

/* A session with a removed beginning starts from the blob that replaces it. */
static void head_found(struct store_read *r)
{
	struct rebuild *b = r->owner;
	struct engine *e = b->engine;
	struct str ref = arena_keep(b->mem, r->floor_ref);

	if (r->result != OK) {
		struct error why = r->error;

		note_failure(b, r);
		port_store_read_done(r);
		leave_out(b, why.message);
		return;
	}
	b->floor = r->floor_seq;
	port_store_read_done(r);
	if (!b->floor) {
		b->state = state_new();
		read_events(b);
		return;
	}
	b->read = (struct store_read){
		.kind = READ_BLOB, .key = ref, .done = floor_found, .owner = b
	};
	e->ports.store->ops->read(e->ports.store, &b->read);
}

/* The mark comes last: after a crash the next start begins again. */
static void all_done(struct rebuild *b)
{
	struct engine *e = b->engine;
	struct store *st = e->ports.store;
	struct error err;

	if (b->is_unfinished)
		log_line(LOG_ERROR, "store",
		         "rows are still missing, so lists are incomplete; the next start makes "
		         "them again");
	else if (st->ops->set_meta(st, STR("rebuild"), STR("0"), &err) != OK)
		log_line(LOG_WARN, "store", "%s", err.message);
	log_line(LOG_INFO, "store", "the rows of %llu sessions were made again from the log",
	         (unsigned long long)e->rebuilt);
	arena_free(b->names);
	memory_free(b);
	e->rebuild = NULL;
	ledger_start(e);
}

static void next_session(struct rebuild *b)
{
	struct engine *e = b->engine;

	if (e->is_stopping || e->has_failed)
		return; /* the next start continues */
	if (b->at == b->count && b->more) {
		list_more(b);
		return;
	}
	if (b->at == b->count) {
		all_done(b);
		return;
	}
	b->mem = arena_new();
	b->rows = (struct rows){ .mem = b->mem };
	b->folded = b->floor = 0;
	b->read = (struct store_read){
		.kind = READ_HEAD, .session = b->sessions[b->at], .done = head_found, .owner = b
	};
	e->ports.store->ops->read(e->ports.store, &b->read);
}

static void sessions_listed(struct store_read *r)
{
	struct rebuild *b = r->owner;
	bool is_good = r->result == OK;

	if (!is_good) {
		b->is_unfinished = true;
		log_line(LOG_ERROR, "store", "sessions cannot be listed: %s", r->error.message);
	}
	arena_free(b->names);
	b->names = arena_new();
	b->count = is_good ? r->row_count : 0;
	b->sessions = ARENA_ARRAY(b->names, struct str, b->count + 1);
	for (size_t i = 0; i < b->count; i++)
		b->sessions[i] = arena_keep(b->names, r->rows[i].session);
	b->at = 0;
	b->after = r->scanned;
	b->more = is_good && r->more;
	port_store_read_done(r);
	next_session(b);
}

static void list_more(struct rebuild *b)
{
	struct engine *e = b->engine;

	b->list = (struct store_read){
		.kind = READ_SESSIONS, .after = b->after, .done = sessions_listed, .owner = b
	};
	e->ports.store->ops->read(e->ports.store, &b->list);
}

void rebuild_start(struct engine *e)
{
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	if (!st.needs_rebuild) {
		ledger_start(e);
		return;
	}
	log_line(LOG_WARN, "store",
	         "rows that follow from the log are missing; they are made again first");
	e->rebuild = memory_zeroed(1, sizeof *e->rebuild);
	e->rebuild->engine = e;
	list_more(e->rebuild);
}

void rebuild_free(struct engine *e)
{
	if (!e->rebuild)
		return;
	state_free(e->rebuild->state);
	arena_free(e->rebuild->mem);
	arena_free(e->rebuild->names);
	memory_free(e->rebuild);
}

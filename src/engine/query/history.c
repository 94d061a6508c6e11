/*
 * Turns that have left the folded state, read back from the log: get_session
 * with a cursor.
 *
 * The log is read backwards in windows of PAGE_EVENTS sequences, so a page
 * costs a bounded number of reads however long the session is; each page names
 * the cursor of the next older one.
 * spec: contracts/state-snapshots (old sessions); SNP-17, ACC-09, GAP-52
 */
#include "engine/query/query.h"
#include "base/jw.h"
#include "engine/settings/rules_cache.h"
#include "engine/engine_state.h"

#define PAGE_EVENTS 256
#define PAGE_READS 64 /* windows that one page may read */
#define PAGE_TURNS 20 /* when the caller gives no window */

/* What the events of a turn say about it; the strings live in the request. */
struct past_turn {
	struct str turn_id, thread_id, task_id, kind, preview, status, submitted_at, ended_at;
	int64_t submitted, ended;
};

struct history_page {
	struct request *r;
	struct past_turn *turns; /* newest first */
	size_t count, want;
	struct past_turn *ends; /* ends whose submission is further back */
	size_t end_count, end_cap;
	uint64_t first_before, before, floor; /* everything from `before` on is known */
	int64_t older;                        /* turns before the requested page */
	unsigned reads;
	bool is_forward; /* reads ends behind the page */
	uint64_t types[4];
};

static void set_type(uint64_t types[4], enum event_type type)
{
	types[type / 64] |= UINT64_C(1) << (type % 64);
}

/*
 * The number of older turns travels in the cursor, because counting them would read the
 * whole log.
 */
struct str history_cursor(struct arena *mem, int64_t before, int64_t older)
{
	return arena_printf(mem, "h.%lld.%lld", (long long)before, (long long)older);
}

static bool read_cursor(struct str cursor, uint64_t *ret_before, int64_t *ret_older)
{
	struct str rest = cursor, head;

	if (!str_starts(cursor, STR("h.")))
		return false;
	rest = str_skip(rest, 2);
	head = str_cut(&rest, '.');
	return str_to_u64(head, ret_before) && *ret_before > 0 && *ret_before <= INT64_MAX &&
	       str_to_i64(rest, ret_older) && *ret_older >= 0;
}

/* Reading backwards, the end of a turn comes first and waits for its submission. */
static void note_end(struct history_page *p, const struct past_turn *end)
{
	for (size_t i = 0; i < p->count; i++)
		if (!p->turns[i].ended && str_eq(p->turns[i].turn_id, end->turn_id)) {
			p->turns[i].ended = end->ended;
			p->turns[i].status = end->status;
			p->turns[i].ended_at = end->ended_at;
			return;
		}
	if (p->end_count == p->end_cap) {
		size_t cap = p->end_cap ? p->end_cap * 2 : 32;

		p->ends = arena_grow(p->r->mem, p->ends, p->end_count * sizeof *p->ends,
		                     cap * sizeof *p->ends);
		p->end_cap = cap;
	}
	p->ends[p->end_count++] = *end;
}

static void note_submitted(struct history_page *p, struct past_turn *t)
{
	for (size_t i = 0; i < p->end_count; i++)
		if (str_eq(p->ends[i].turn_id, t->turn_id)) {
			t->ended = p->ends[i].ended;
			t->status = p->ends[i].status;
			t->ended_at = p->ends[i].ended_at;
		}
	p->turns[p->count++] = *t;
}

/* Turns of the system are not shown. */
static void note_event(struct history_page *p, const struct event_row *row)
{
	struct arena *mem = p->r->mem;
	struct past_turn t = { 0 };
	struct json ev, payload, part;

	if (json_read(mem, arena_keep(mem, bytes_str(row->body)), &ev, NULL) != OK)
		return;
	payload = JSON_GET(ev, "payload");
	t.turn_id = json_str(JSON_GET(ev, "turnId"));
	t.status = json_str(JSON_GET(ev, "status"));
	if (row->type != EV_TURN_SUBMITTED) {
		t.ended = (int64_t)row->seq;
		t.ended_at = json_str(JSON_GET(ev, "timestamp"));
		note_end(p, &t);
		return;
	}
	t.kind = json_str(JSON_GET(payload, "kind"));
	if (p->is_forward || str_eq(t.kind, turn_kind_word(TURN_KIND_SYSTEM)))
		return;
	part = json_at(JSON_GET(payload, "input"), 0);
	t.preview = json_str(JSON_GET(part, "preview"));
	t.thread_id = json_str(JSON_GET(ev, "threadId"));
	t.task_id = json_str(JSON_GET(ev, "taskId"));
	t.submitted = (int64_t)row->seq;
	t.submitted_at = json_str(JSON_GET(ev, "timestamp"));
	note_submitted(p, &t);
}

static void write_past_turn(struct json_writer *w, const struct past_turn *t)
{
	jw_obj(w);
	JW_KSTR(w, "turnId", t->turn_id);
	JW_KOPT(w, "threadId", t->thread_id);
	JW_KOPT(w, "taskId", t->task_id);
	JW_KOPT(w, "kind", t->kind);
	JW_KSTR(w, "status", t->ended ? t->status : status_word(STATUS_UNKNOWN));
	JW_KOPT(w, "inputPreview", t->preview);
	JW_KINT(w, "submittedSequence", t->submitted);
	if (t->ended)
		JW_KINT(w, "endedSequence", t->ended);
	JW_KOPT(w, "submittedAt", t->submitted_at);
	JW_KOPT(w, "endedAt", t->ended_at);
	jw_obj_end(w);
}

/*
 * Without named sections the reply has the page only: the client knows the current state
 * already.
 */
static void page_answer(struct history_page *p)
{
	struct request *r = p->r;
	const struct cmd_get_session *c = r->args;
	struct list_str none = { 0 };
	struct view_want want = { .sections = c->sections.count ? &c->sections : &none };
	struct view_page page = { 0 };
	struct buf history = { 0 };
	struct json_writer w;
	struct reply out;

	jw_init(&w, &history);
	jw_arr(&w);
	for (size_t i = 0; i < p->count; i++)
		write_past_turn(&w, &p->turns[i]);
	jw_arr_end(&w);
	page.from = (int64_t)p->before;
	page.to = (int64_t)p->first_before - 1;
	page.turns = (int64_t)p->count;
	page.older = MAX(p->older - (int64_t)p->count, 0);
	if (p->before > p->floor + 1)
		page.cursor = history_cursor(r->mem, (int64_t)p->before, page.older);
	page.history = arena_keep(r->mem, buf_str(&history));
	buf_done(&history);
	want.page = &page;
	reply_begin(&out, r);
	view_session_with(&out.w, r->session->state, rules_cache_settings(r->session, r->mem, true),
	                  &want);
	reply_end(&out);
}

static void read_window(struct history_page *p);

static bool lacks_ends(const struct history_page *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!p->turns[i].ended)
			return true;
	return false;
}

static void page_end(struct history_page *p)
{
	/* Turns overlap: some end behind the start of the page. */
	if (!p->is_forward && lacks_ends(p)) {
		p->is_forward = true;
		read_window(p);
		return;
	}
	page_answer(p);
}

/* Backwards until the page is full; a window behind the page has ends only. */
static void note_events(struct history_page *p, const struct store_read *read)
{
	for (size_t i = read->event_count; i-- > 0 && (p->is_forward || p->count < p->want);) {
		note_event(p, &read->events[i]);
		if (!p->is_forward && p->count == p->want)
			p->before = read->events[i].seq;
	}
}

/*
 * `before` moves down by a window even if the window had no turn, so that a page ends
 * after a bounded number of reads; its cursor continues there.
 */
static void window_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct history_page *p = r->work;
	bool is_full;

	if (request_lost_session(read) || request_read_failed(read))
		return;
	p->floor = MAX(p->floor, read->floor_seq);
	note_events(p, read);
	is_full = p->count == p->want;
	if (!p->is_forward && !is_full)
		p->before = read->after + 1;
	port_store_read_done(read);
	if (p->is_forward || is_full || p->before <= p->floor + 1 || ++p->reads == PAGE_READS)
		page_end(p);
	else
		read_window(p);
}

/*
 * Backwards: the window below `before`.  Forwards: one window behind the page, for ends of
 * its turns.
 */
static void read_window(struct history_page *p)
{
	struct request *r = p->r;
	uint64_t last = p->is_forward ? 0 : p->before - 1;
	uint64_t after = p->is_forward        ? p->first_before - 1
	                 : last > PAGE_EVENTS ? last - PAGE_EVENTS
	                                      : 0;

	r->read = (struct store_read){
		.kind = READ_EVENTS,
		.session = r->session->id,
		.after = MAX(after, p->is_forward ? 0 : p->floor),
		.until = last,
		.max_rows = PAGE_EVENTS,
		.types = p->types,
		.done = window_read,
		.owner = r,
	};
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

void history_get(struct request *r, const struct cmd_get_session *c)
{
	struct history_page *p = ARENA_NEW(r->mem, struct history_page);

	p->r = r;
	r->work = p;
	if (!reply_check_least(r, "window", c->has_window, c->window, 1))
		return;
	if (!read_cursor(c->cursor, &p->before, &p->older)) {
		request_fail(r, ERROR_CODE_EXPIRED_CURSOR,
		             "cursor: not one that historyWindow of this runtime gave out");
		request_reply(r);
		return;
	}
	p->want = (size_t)MIN(c->has_window ? c->window : PAGE_TURNS, LIMIT_LIST_ROWS);
	p->turns = ARENA_ARRAY(r->mem, struct past_turn, p->want + 1);
	p->first_before = p->before;
	p->floor = (uint64_t)r->session->state->s->removed_through;
	set_type(p->types, EV_TURN_SUBMITTED);
	set_type(p->types, EV_TURN_COMPLETED);
	set_type(p->types, EV_TURN_FAILED);
	if (p->before <= p->floor + 1)
		page_answer(p);
	else
		read_window(p);
}

/*
 * get_time_use: what took the time of a session and of its turns.  The log is read
 * page by page; the newest turns and the sums are all that is kept.
 */
#include "core/usage/time_use.h"
#include "engine/engine_state.h"
#include "engine/query/query.h"
#include "engine/session/session.h"

/* Pages are small, so that other sessions do not wait for one. */
#define PAGE_ROWS 64
#define PAGE_BYTES (64u << 10)
#define TURNS_DEFAULT 100
#define TURNS_MAX 1000

struct timing {
	struct time_use use;
	struct arena *event; /* one event */
	uint64_t until, at;
	bool has_begun;
};

static void timing_done(void *work)
{
	struct timing *t = work;

	time_use_done(&t->use);
	arena_free(t->event);
}

/* ---- the reply ---- */

static void write_turn(struct json_writer *w, const struct time_turn *t)
{
	struct rec_time_use time;
	struct rec_turn_time row = { .turn_id = t->turn_id,
		                     .thread_id = t->thread_id,
		                     .started_at = t->started_at,
		                     .ended_at = t->ended_at,
		                     .time = &time };

	time_use_record(&t->sum, &time);
	rec_write(w, &rec_turn_time_desc, &row);
}

static void reply_with(struct request *r, struct timing *t)
{
	struct rec_time_use session;
	struct reply p;

	time_use_close(&t->use, r->engine->ports.clock->ops->wall_ms(r->engine->ports.clock));
	time_use_record(&t->use.session, &session);
	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KEY(&p.w, "session");
	rec_write(&p.w, &rec_time_use_desc, &session);
	JW_KEY(&p.w, "turns");
	jw_arr(&p.w);
	for (const struct time_turn *turn = t->use.first; turn; turn = turn->next)
		write_turn(&p.w, turn);
	jw_arr_end(&p.w);
	JW_KINT(&p.w, "omitted", t->use.omitted);
	JW_KINT(&p.w, "sequence", (int64_t)t->at);
	jw_obj_end(&p.w);
	r->response.reply = arena_keep(r->mem, buf_str(&p.out));
	buf_done(&p.out);
	request_reply(r);
}

/* ---- pages ---- */

static void page_read(struct store_read *read);

static void next_page(struct request *r, struct timing *t)
{
	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = t->at,
		                       .until = t->until,
		                       .max_rows = PAGE_ROWS,
		                       .max_bytes = PAGE_BYTES,
		                       .done = page_read,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void add_event(struct timing *t, struct str line)
{
	struct event *ev;
	struct json doc;

	arena_reset(t->event);
	ev = ARENA_NEW(t->event, struct event);
	if (json_read_trusted(t->event, line, &doc, NULL) == OK &&
	    rec_read(t->event, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK)
		time_use_add(&t->use, ev);
}

/* What retention removed has no times: a turn that began there is not counted. */
static void page_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct timing *t = r->work;
	bool is_below = !t->has_begun && read->floor_seq > t->at;
	bool more = is_below || (read->more && read->scanned < t->until);

	if (request_read_failed(read))
		return;
	t->has_begun = true;
	for (size_t i = 0; !is_below && i < read->event_count; i++)
		add_event(t, bytes_str(read->events[i].body));
	t->at = is_below ? read->floor_seq : read->scanned;
	port_store_read_done(read);
	if (more)
		next_page(r, t);
	else
		reply_with(r, t);
}

/* ---- the command ---- */

static void timing_begin(struct request *r)
{
	r->session = NULL; /* it may leave memory now */
	next_page(r, r->work);
}

void query_get_time_use(struct request *r, const struct cmd_get_time_use *c)
{
	struct timing *t;

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	if (str_is(c->thread_id) && !state_thread(r->session->state, c->thread_id)) {
		request_fail(r, ERROR_CODE_THREAD_NOT_FOUND, "there is no thread %.*s",
		             STR_ARG(c->thread_id));
		request_wait(r);
		return;
	}
	t = ARENA_NEW(r->mem, struct timing);
	*t = (struct timing){ .event = arena_new(), .until = r->session->applied };
	time_use_init(&t->use, r->mem, c->thread_id,
	              c->has_limit ? (size_t)MIN(c->limit, TURNS_MAX) : TURNS_DEFAULT);
	r->work = t;
	r->work_done = timing_done;
	r->then = timing_begin; /* when the events of the state are durable */
	request_wait(r);
}

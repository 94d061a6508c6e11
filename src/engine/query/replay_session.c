/*
 * replay_session: folds the events of a session again and compares the read models
 * with those of the state in memory.  Nothing is recorded and nothing is stored.
 *
 * The read models of the session are hashed first, and the log is read up to the
 * event that they reflect; what comes later does not matter.
 */
#include "core/replay/replay.h"
#include "engine/engine_state.h"
#include "engine/gen/queries.h"
#include "engine/session/session.h"

/* Pages are small, so that other sessions do not wait for one. */
#define PAGE_ROWS 64
#define PAGE_BYTES (64u << 10)

struct folding {
	struct request *request;
	struct replay replay;
	struct sha256 *want; /* of each view */
	uint64_t until, at;
	int64_t unreadable;
	bool has_begun;
};

static void folding_done(void *work)
{
	struct folding *f = work;

	replay_done(&f->replay);
}

static struct sha256 hash_of_view(const struct replay *r, size_t view)
{
	struct buf text = { 0 };
	struct sha256 hash;

	replay_view_write(&text, r, view);
	hash = sha256_of(buf_str(&text));
	buf_done(&text);
	return hash;
}

/* The same settings as in the replay: a read model also shows settings that no event records. */
static void take_wanted(struct folding *f, struct state *state)
{
	struct replay live = f->replay;

	live.state = state;
	f->want = ARENA_ARRAY(f->request->mem, struct sha256, replay_view_count());
	for (size_t i = 0; i < replay_view_count(); i++)
		if (replay_view_is_of_state(i))
			f->want[i] = hash_of_view(&live, i);
}

/* ---- the reply ---- */

static void compare_views(struct folding *f, struct reply_replay_session *reply)
{
	struct arena *mem = f->request->mem;

	for (size_t i = 0; i < replay_view_count(); i++) {
		struct sha256 got;

		if (!replay_view_is_of_state(i))
			continue;
		got = hash_of_view(&f->replay, i);
		reply->views++;
		if (!sha256_eq(&got, &f->want[i]))
			rec_list_str_add(mem, &reply->different, replay_view_path(i));
	}
}

static void reply_with(struct folding *f, const char *status)
{
	struct reply_replay_session reply = { .events = (int64_t)f->replay.events,
		                              .to_sequence = (int64_t)f->at,
		                              .fold_version = FOLD_VERSION,
		                              .unreadable = f->unreadable };

	if (!status)
		compare_views(f, &reply);
	reply.status = str_from(status                                   ? status
	                        : reply.different.count || f->unreadable ? "different"
	                                                                 : "same");
	f->request->response.reply = rec_text(f->request->mem, &reply_replay_session_desc, &reply);
	request_reply(f->request);
}

/* ---- pages ---- */

static void page_read(struct store_read *read);

static void next_page(struct folding *f)
{
	struct request *r = f->request;

	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = r->session_id,
		                       .after = f->at,
		                       .until = f->until,
		                       .max_rows = PAGE_ROWS,
		                       .max_bytes = PAGE_BYTES,
		                       .done = page_read,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* The state that replaces what retention removed. */
static void floor_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct folding *f = r->work;
	struct state *state = NULL;
	struct sha256 hash;
	uint64_t seq = 0;
	bool is_read;

	if (request_read_failed(read))
		return;
	is_read = read->result == OK && load_floor_read(read->blob.data, &state, &seq, &hash);
	port_store_read_done(read);
	if (!is_read) {
		state_free(state);
		reply_with(f, "unavailable");
		return;
	}
	state_free(f->replay.state);
	f->replay.state = state;
	f->at = seq;
	next_page(f);
}

static void read_floor(struct folding *f, struct str ref)
{
	struct request *r = f->request;

	r->read = (struct store_read){
		.kind = READ_BLOB, .key = ref, .done = floor_read, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static void fold_rows(struct folding *f, const struct store_read *read)
{
	for (size_t i = 0; i < read->event_count; i++) {
		struct event *ev = replay_read_own(&f->replay, bytes_str(read->events[i].body));

		if (ev)
			replay_fold(&f->replay, ev);
		else
			f->unreadable++;
	}
	f->at = read->scanned;
}

static void page_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct folding *f = r->work;
	bool is_first = !f->has_begun;
	struct str floor = read->floor_seq ? arena_keep(r->mem, read->floor_ref) : STR_NONE;
	bool more = read->more && read->scanned < f->until;

	if (request_read_failed(read))
		return;
	f->has_begun = true;
	if (is_first && str_is(floor)) {
		port_store_read_done(read);
		read_floor(f, floor);
		return;
	}
	fold_rows(f, read);
	port_store_read_done(read);
	if (more)
		next_page(f);
	else
		reply_with(f, NULL);
}

/* ---- the command ---- */

static void folding_begin(struct request *r)
{
	r->session = NULL; /* it may leave memory now */
	next_page(r->work);
}

void query_replay_session(struct request *r, const struct cmd_replay_session *c)
{
	struct folding *f = ARENA_NEW(r->mem, struct folding);

	*f = (struct folding){ .request = r, .until = r->session->applied };
	replay_init(&f->replay);
	f->replay.settings.runtime_id = r->engine->runtime_id;
	r->work = f;
	r->work_done = folding_done;
	take_wanted(f, r->session->state);
	r->then = folding_begin; /* when the events that the state has are durable */
	request_wait(r);
}

/*
 * Starts the items of jobs.
 *
 * An item begins when its text is loaded.  One is read at a time.  When a job begins, or comes to this
 * node, the shares of other nodes are left to them for a moment, whether they have asked or not.
 */
#include "engine/jobs/job_feed.h"

#include "core/gen/inputs.h"
#include "base/memory.h"
#include "base/os/id.h"
#include "core/job/job_work.h"
#include "engine/jobs/job_items.h"
#include "engine/session/apply.h"
#include "engine/session/clock.h"
#include "engine/engine_state.h"

#include <stdio.h>

/* A node that asks for items does so every second. */
#define ASKED_FRESH_MS 3000
/*
 * How long a job waits for other nodes to ask: they hear of it within a second, look a second later, and
 * read where its items are, which takes them as long as it takes here.
 */
#define FIRST_ASK_MS 2500
#define NODES_MAX 16
/* What keeps the items from being read for the moment is waited for. */
#define READ_AGAIN_MS 1000

/* Another node that wants items. */
struct asker {
	char worker_id[ID_MAX + 1];
	int64_t at; /* mono, ms */
};

/* Of a session: the job whose items are being started, and who else wants some. */
struct job_feed {
	struct session *session;
	struct job_items *items; /* NULL: of no job */
	struct str job_id;       /* in `items` */
	int64_t opened_at;       /* mono, ms */
	int64_t open_ms;         /* how long it took to find where the items are */
	int64_t read_again_at;   /* mono, ms; 0: they can be read */
	struct asker nodes[NODES_MAX];
	size_t node_count;
	struct clock_timer timer;
};

static struct job_feed *feed_of(struct session *s)
{
	if (!s->feed) {
		s->feed = memory_zeroed(1, sizeof *s->feed);
		s->feed->session = s;
	}
	return s->feed;
}

static int64_t mono_now(const struct session *s)
{
	struct clock *c = s->engine->ports.clock;

	return c->ops->mono_ms(c);
}

/* ---- other nodes ---- */

/* The entry of the node, or the oldest one. */
static struct asker *asker_of(struct job_feed *f, struct str worker_id)
{
	struct asker *oldest = &f->nodes[0];

	for (size_t i = 0; i < f->node_count; i++) {
		if (str_eq(str_from(f->nodes[i].worker_id), worker_id))
			return &f->nodes[i];
		if (f->nodes[i].at < oldest->at)
			oldest = &f->nodes[i];
	}
	return f->node_count < NODES_MAX ? &f->nodes[f->node_count++] : oldest;
}

static uint32_t other_nodes(const struct session *s)
{
	struct store *st = s->engine->ports.store;
	struct store_versions v = { 0 };

	if (s->engine->nodes)
		st->nodes->versions(st, &v);
	return (uint32_t)MIN(v.others, NODES_MAX);
}

/* May other nodes take its items? */
static bool is_shared(const struct session *s, const struct st_job *j)
{
	return job_work_is_offered(s->state, j) && !s->engine->settings.caps.session;
}

/*
 * For so long after a job begins, or comes to this node, every node that lives counts.  Items that run for
 * long would otherwise all have begun here before another one can ask.
 */
static int64_t first_ask_left(struct session *s, const struct st_job *j)
{
	const struct job_feed *f = s->feed;
	bool is_open = f && f->items && str_eq(f->job_id, j->record->job_id);

	return MAX(j->started_at, s->live_at) + (is_open ? f->open_ms : 0) + FIRST_ASK_MS -
	       clock_of(s);
}

/* Those that share the items now, this node among them. */
static uint32_t node_count(struct session *s, const struct st_job *j)
{
	const struct job_feed *f = s->feed;
	int64_t now = mono_now(s);
	uint32_t count = 0;

	if (!is_shared(s, j))
		return 1;
	for (size_t i = 0; f && i < f->node_count; i++)
		count += f->nodes[i].at + ASKED_FRESH_MS > now;
	if (first_ask_left(s, j) > 0)
		count = MAX(count, other_nodes(s));
	return 1 + count;
}

/* The job of which an item may begin here. */
static const struct st_job *next_job(struct session *s, int64_t *ret_index)
{
	const struct st_session *st = s->state->s;

	for (uint32_t i = 0; i < st->jobs.count; i++) {
		const struct st_job *j = st->jobs.items[i];
		uint32_t nodes = node_count(s, j);
		/* What cannot be divided begins here. */
		int64_t most = j->record->concurrency - job_work_share(j, nodes) * (nodes - 1);

		if (job_run_next(j, ret_index) && (nodes == 1 || job_work_own(j) < MAX(most, 1)))
			return j;
	}
	return NULL;
}

/* ---- waiting ---- */

/* Milliseconds until a node stops counting, or the items are read again; INT64_MAX: nothing is awaited. */
static int64_t next_change(struct session *s)
{
	const struct st_session *st = s->state->s;
	const struct job_feed *f = s->feed;
	int64_t now = mono_now(s), next = INT64_MAX;

	for (uint32_t i = 0; i < st->jobs.count; i++) {
		const struct st_job *j = st->jobs.items[i];

		if (!is_shared(s, j))
			continue;
		if (first_ask_left(s, j) > 0 && other_nodes(s))
			next = MIN(next, first_ask_left(s, j));
		for (size_t k = 0; f && k < f->node_count; k++)
			if (f->nodes[k].at + ASKED_FRESH_MS > now)
				next = MIN(next, f->nodes[k].at + ASKED_FRESH_MS - now);
	}
	if (f && f->read_again_at > now)
		next = MIN(next, f->read_again_at - now);
	return next;
}

static void on_timer(struct clock_timer *t)
{
	job_feed_run(OWNER_OF(t, struct job_feed, timer)->session);
}

/* True: the feed stays, and runs again by itself. */
static bool wait_for_change(struct session *s)
{
	struct clock *c = s->engine->ports.clock;
	int64_t ms = next_change(s);

	if (ms == INT64_MAX)
		return false;
	feed_of(s)->timer.fire = on_timer;
	c->ops->start(c, &s->feed->timer, MAX(ms, 1));
	return true;
}

static void note_node(struct session *s, struct str worker_id)
{
	struct asker *a = asker_of(feed_of(s), worker_id);

	snprintf(a->worker_id, sizeof a->worker_id, "%.*s", STR_ARG(worker_id));
	a->at = mono_now(s);
	(void)wait_for_change(s);
}

/* ---- the items ---- */

static void begin_item(struct session *s, int64_t index, struct str text)
{
	struct decision *d = apply_begin(s, NULL);

	input_job_run_item(d, s->feed->job_id, index, text);
	apply_end(s, d);
}

static void drop_items(struct job_feed *f)
{
	if (f->items)
		job_items_free(f->items);
	f->items = NULL;
}

/* The pending read frees it, if there is one. */
void job_feed_forget(struct session *s)
{
	struct job_feed *f = s->feed;

	if (!f || (f->items && f->items->is_busy))
		return;
	s->engine->ports.clock->ops->stop(s->engine->ports.clock, &f->timer);
	drop_items(f);
	memory_free(f);
	s->feed = NULL;
}

/* A read has ended.  False: the session was dropped meanwhile, and nothing is left. */
static bool comes_back(struct session *s)
{
	s->readers--;
	if (s->phase == SESSION_LIVE)
		return true;
	job_feed_forget(s);
	session_release(s);
	return false;
}

/* Input that cannot be read ends its job, if that has not ended meanwhile. */
static void end_job(struct session *s, const char *why)
{
	uint64_t before = s->applied;
	struct decision *d = apply_begin(s, NULL);

	input_job_run_broken(d, s->feed->job_id, str_from(why));
	drop_items(s->feed);
	apply_end(s, d);
	if (s->applied == before)
		job_feed_forget(s);
}

/* Where the items are does not answer now.  They are found again later. */
static void read_later(struct session *s)
{
	drop_items(s->feed);
	s->feed->read_again_at = mono_now(s) + READ_AGAIN_MS;
	(void)wait_for_change(s);
}

static void on_opened(struct job_items *it, const char *why)
{
	struct session *s = it->owner;

	if (!comes_back(s))
		return;
	s->feed->open_ms = mono_now(s) - s->feed->opened_at;
	if (why && it->is_unavailable)
		read_later(s);
	else if (why)
		end_job(s, why);
	else
		job_feed_run(s);
}

/* Another node may have taken it while it was read. */
static bool is_next(struct session *s, int64_t index)
{
	int64_t next;
	const struct st_job *j = next_job(s, &next);

	return !j || (next == index && str_eq(j->record->job_id, s->feed->job_id));
}

/*
 * An item that could not begin (no free thread) is tried again with the session's next events, not
 * at once.
 */
static void on_arrived(struct job_items *it, int64_t index, struct str text)
{
	struct session *s = it->owner;
	uint64_t before;

	if (!comes_back(s))
		return;
	if (!str_is(text) && it->is_unavailable) {
		read_later(s);
		return;
	}
	if (!str_is(text)) {
		end_job(s, "an item cannot be read, or has expired");
		return;
	}
	before = s->applied;
	begin_item(s, index, text);
	if (s->applied != before || !is_next(s, index))
		job_feed_run(s);
}

static void open_items(struct session *s, const struct st_job *j)
{
	struct job_feed *f = feed_of(s);

	f->items = job_items_new(s->engine, j->input_ref);
	f->job_id = arena_keep(f->items->mem, j->record->job_id);
	f->items->owner = s;
	f->items->opened = on_opened;
	f->items->arrived = on_arrived;
	f->opened_at = mono_now(s);
	f->open_ms = 0;
	s->readers++;
	job_items_open(f->items, j->record->instruction_ref);
}

/* ---- feeding ---- */

/* Starts one.  False: the next one has to wait. */
static bool feed_one(struct session *s, const struct st_job *j, int64_t index)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct job_feed *f = s->feed;
	uint64_t before = s->applied;
	struct str text;

	if (f && f->read_again_at > mono_now(s))
		return false;
	if (f && f->items && !str_eq(f->job_id, j->record->job_id))
		drop_items(f);
	if (!f || !f->items) {
		/* The input of a job is readable when its creation is durable. */
		if (s->applied == s->durable)
			open_items(s, j);
		return false;
	}
	if ((size_t)index >= f->items->count) {
		end_job(s, "there are fewer items than were counted");
		return false;
	}
	if (!job_items_text(f->items, mem, index, &text)) {
		s->readers++;
		return false;
	}
	begin_item(s, index, text);
	/* If the decision wrote nothing, the same item would come again. */
	return s->applied != before;
}

/* Starts the items that may begin.  Called whenever events of the session become durable. */
void job_feed_run(struct session *s)
{
	const struct st_job *j;
	int64_t index;

	if (s->is_feeding || s->phase != SESSION_LIVE ||
	    (s->feed && s->feed->items && s->feed->items->is_busy) || s->engine->is_stopping)
		return;
	if (s->engine->is_leaving) {
		job_feed_forget(s);
		return;
	}
	s->is_feeding = true;
	while ((j = next_job(s, &index)))
		if (!feed_one(s, j, index))
			break;
	if (!wait_for_change(s) && !j)
		job_feed_forget(s);
	s->is_feeding = false;
}

void job_feed_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_DONE)
		job_feed_run(s);
}

/* ---- before a command ---- */

static void on_counted(struct job_items *it, const char *why)
{
	struct request *r = it->owner;

	r->found.item_count = (int64_t)it->count;
	job_items_free(it);
	if (!why) {
		request_restart(r); /* its session may have left memory in between */
		return;
	}
	request_fail(r, ERROR_CODE_OUTPUT_NOT_FOUND, "inputRef: %s", why);
	request_reply(r);
}

/*
 * The decision needs the number of items for the job's progress.  Items in the command
 * itself are counted without a read.
 */
static bool count_items(struct request *r)
{
	const struct cmd_create_job *c = r->args;
	struct job_items *it;

	if (r->found.is_counted)
		return false;
	r->found.is_counted = true;
	r->found.item_count = c->items.count;
	if (!str_is(c->input_ref) || c->items.count)
		return false;
	it = job_items_new(r->engine, c->input_ref);
	it->owner = r;
	it->opened = on_counted;
	job_items_open(it, STR_NONE);
	return true;
}

/* A node that has its share leaves the next item to others. */
static bool refuse_more(struct request *r)
{
	const struct cmd_take_job_item *c = r->args;
	const struct st_job *j = job_find(r->session->state, c->job_id);

	if (!j || !is_shared(r->session, j))
		return false; /* the decision says why */
	note_node(r->session, c->worker_id);
	if (job_work_at(j, c->worker_id) < job_work_share(j, node_count(r->session, j)))
		return false;
	request_fail(r, ERROR_CODE_NOT_READY, "%.*s has its share of the items of %.*s",
	             STR_ARG(c->worker_id), STR_ARG(c->job_id));
	request_reply(r);
	return true;
}

bool job_feed_gather(struct request *r)
{
	switch (r->command.command) {
	case COMMAND_CREATE_JOB:
		return count_items(r);
	case COMMAND_TAKE_JOB_ITEM:
		return refuse_more(r);
	default:
		return false;
	}
}

/*
 * Subscribers: each holds a cursor into a session's log (or into the whole
 * store) and nothing else.
 *
 * A commit wakes the subscribers of its session and keeps its events for a
 * moment.  The pump then moves each of them forward: over the events that are
 * still kept, else by pages from the store.  It serves a bounded number per
 * iteration of the loop, so that thousands of subscribers of one session do
 * not delay the effects of that session or the commands of others.
 *
 *   READY (in the pump's list) ──► at the head ──► READY on the next commit
 *     │            ▲                 │
 *     ▼            │                 ▼
 *   reading a page ┘               full: until fanout_resume()
 *
 * A subscriber that does not keep up costs a cursor, not a buffer.
 */
#include "engine/session/fanout.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/memory.h"
#include "core/view/view.h"
#include "engine/maintenance/damage.h"
#include "engine/resources/holders.h"
#include "engine/engine_state.h"
#include "export/export.h"

#include <stdio.h>

/* The events of one committed slice. */
struct recent {
	struct list all;        /* struct engine.recent: in the order of commits */
	struct list of_session; /* struct session.recent; alone when the session has left */
	struct str session;
	uint64_t first_seq, first_position;
	size_t count, bytes;
	struct recent_event {
		struct bytes *body;
		enum event_type type;
	} events[]; /* followed by the session's id */
};

/* The subscribers of one session. */
struct audience {
	struct list members; /* struct subscription.of_audience */
	struct str session;
	char text[];
};

struct subscription {
	struct list node;
	struct list of_audience;
	struct list ready; /* struct engine.ready, when is_ready */
	struct engine *engine;
	struct audience *audience; /* NULL: all sessions */
	struct str session;        /* absent: all */
	struct str thread, turn;   /* as the envelope spells the member, or absent */
	struct str reach, token;   /* of the caller, or absent */
	uint64_t floor;            /* retention removed the events up to here */
	uint64_t next;             /* sequence or position of the last one delivered or skipped */
	uint64_t head;             /* of the session, when the cursor was ahead of it */
	uint64_t moved;            /* another node wrote up to here */
	uint64_t types[4];         /* for the store */
	bool has_types;
	enum event_form form;
	bool follow, is_ready, is_full, is_reading, is_dirty, has_caught_up, is_gone;
	int64_t until_ms;      /* when the caller's token expires; 0: its holder says */
	struct holder *holder; /* whose streams it counts among; NULL: no named token's */
	bool is_revoked;       /* the caller's token is not valid any more */
	bool is_too_many;      /* it has as many streams as may be */
	const struct control_sink *sink;
	void *owner;
	struct store_read read;
	char text[]; /* the strings */
};

static void read_more(struct subscription *sub);
static void make_ready(struct subscription *sub);

/* ---- subscribers per session ---- */

/*
 * A commit has to find the subscribers of its session without looking at all others, so
 * they are grouped by session.  The group outlives the session's stay in memory.
 */
static void audience_join(struct engine *e, struct subscription *sub)
{
	const struct store_nodes_ops *nodes = e->ports.store->nodes;
	struct audience *a;

	list_init(&sub->of_audience);
	if (!str_is(sub->session)) {
		if (nodes && list_is_empty(&e->all_audience))
			nodes->follow_all(e->ports.store, true);
		list_add(&e->all_audience, &sub->of_audience);
		return;
	}
	a = map_get(&e->audiences, sub->session);
	if (!a) {
		a = memory_zeroed(1, sizeof *a + sub->session.len + 1);
		memcpy(a->text, sub->session.ptr, sub->session.len);
		a->session = str_of(a->text, sub->session.len);
		list_init(&a->members);
		map_put(&e->audiences, a->session, a);
		if (nodes)
			nodes->follow(e->ports.store, a->session);
	}
	list_add(&a->members, &sub->of_audience);
	sub->audience = a;
}

static void audience_leave(struct engine *e, struct subscription *sub)
{
	const struct store_nodes_ops *nodes = e->is_closing ? NULL : e->ports.store->nodes;
	struct audience *a = sub->audience;

	list_remove(&sub->of_audience);
	sub->audience = NULL;
	if (!a && nodes && list_is_empty(&e->all_audience))
		nodes->follow_all(e->ports.store, false);
	if (a && list_is_empty(&a->members)) {
		if (nodes)
			nodes->unfollow(e->ports.store, a->session);
		map_remove(&e->audiences, a->session);
		memory_free(a);
	}
}

/* ---- recently committed events ---- */

static void recent_free(struct engine *e, struct recent *r)
{
	e->recent_bytes -= r->bytes;
	list_remove(&r->all);
	list_remove(&r->of_session);
	for (size_t i = 0; i < r->count; i++)
		bytes_unref(r->events[i].body);
	memory_free(r);
}

/*
 * Keeps the events of a slice for a moment: subscribers at the head get them from memory,
 * and the store is read only for those that fall behind.  The bytes are shared with the
 * batch, not copied.  The oldest slices leave first, so the kept events of a session always
 * end at its head.
 */
static void recent_add(struct engine *e, struct session *s, const struct slice *sl)
{
	struct recent *r;
	char *text;

	if (!sl->event_count)
		return;
	r = memory_zeroed(1, sizeof *r + sl->event_count * sizeof *r->events + sl->session.len + 1);
	text = (char *)&r->events[sl->event_count];
	memcpy(text, sl->session.ptr, sl->session.len);
	r->session = str_of(text, sl->session.len);
	r->first_seq = sl->events[0].seq;
	r->first_position = sl->first_position;
	r->count = sl->event_count;
	for (size_t i = 0; i < sl->event_count; i++) {
		r->events[i] =
			(struct recent_event){ bytes_ref(sl->events[i].body), sl->events[i].type };
		r->bytes += sl->events[i].body->len;
	}
	list_add(&e->recent, &r->all);
	list_add(&s->recent, &r->of_session);
	e->recent_bytes += r->bytes;
	while (e->recent_bytes > LIMIT_FANOUT_RECENT_BYTES)
		recent_free(e, LIST_ITEM(e->recent.next, struct recent, all));
}

void fanout_forget_recent(struct engine *e)
{
	while (!list_is_empty(&e->recent))
		recent_free(e, LIST_ITEM(e->recent.next, struct recent, all));
}

/*
 * Only subscribers of all sessions still need the events of a session that has left.  Without any,
 * thousands of small blocks would keep the pages of what the session frees.
 */
void fanout_freed(struct session *s)
{
	bool is_needed = !list_is_empty(&s->engine->all_audience);

	while (!list_is_empty(&s->recent)) {
		struct recent *r = LIST_ITEM(s->recent.next, struct recent, of_session);

		list_remove(&r->of_session);
		list_init(&r->of_session);
		if (!is_needed)
			recent_free(s->engine, r);
	}
}

/* ---- one subscriber ---- */

/*
 * The owner may unsubscribe while an event is delivered to it.  is_reading is set around
 * deliveries, so the code that delivers frees the subscription.
 */
static void free_sub(struct subscription *sub)
{
	holders_leave(sub->holder, HOLDERS_STREAM);
	sub->holder = NULL;
	list_remove(&sub->node);
	audience_leave(sub->engine, sub);
	if (sub->is_ready)
		list_remove(&sub->ready);
	sub->is_ready = false;
	if (sub->is_reading)
		sub->is_gone = true; /* the pending read frees it */
	else
		memory_free(sub);
}

static bool sub_wants(const struct subscription *sub, enum event_type type)
{
	return !sub->has_types || (sub->types[type / 64] >> (type % 64) & 1);
}

/* Filters by thread and turn search the envelope; they are rare and mostly for one turn. */
bool fanout_event_has(struct str body, const char *key, struct str value)
{
	char wanted[ID_MAX + 32];
	int len;

	if (!str_is(value))
		return true;
	len = snprintf(wanted, sizeof wanted, "\"%s\":\"%.*s\"", key, STR_ARG(value));
	return len > 0 && str_find(body, str_of(wanted, (size_t)len)) >= 0;
}

bool fanout_event_export(struct engine *e, enum event_form form, struct str body, struct buf *out,
                         struct str *ret_name)
{
	struct json_writer w;
	struct json ev;
	bool is_exported;

	jw_init(&w, out);
	is_exported = json_read_trusted(e->forms, body, &ev, NULL) == OK &&
	              export_write(form, ev, &w, ret_name);
	arena_reset(e->forms);
	return is_exported;
}

/* An event without a counterpart in the format is skipped; the cursor advances. */
static void deliver_export(struct subscription *sub, const struct control_event *ev)
{
	struct buf out = { 0 };
	struct control_event exported = *ev;

	if (fanout_event_export(sub->engine, sub->form, bytes_str(ev->body), &out,
	                        &exported.name)) {
		exported.body = bytes_new(buf_str(&out));
		if (!sub->sink->event(sub->owner, &exported))
			sub->is_full = true;
		bytes_unref(exported.body);
	}
	buf_done(&out);
}

static bool has_member(struct str body, struct str member)
{
	return !str_is(member) || str_find(body, member) >= 0;
}

/* Of all sessions those that the caller may read, at places that tell nothing of the others. */
static bool is_in_reach(const struct subscription *sub, struct control_event *ev)
{
	if (!str_is(sub->reach) || str_is(sub->session))
		return true;
	if (!str_starts(ev->session, sub->reach))
		return false;
	ev->position = holders_show_place(sub->engine, sub->reach, ev->position);
	return true;
}

static void deliver_event(struct subscription *sub, struct control_event *ev)
{
	if (!sub_wants(sub, ev->type) || !has_member(bytes_str(ev->body), sub->thread) ||
	    !has_member(bytes_str(ev->body), sub->turn) || !is_in_reach(sub, ev))
		return;
	if (sub->form) {
		deliver_export(sub, ev);
		return;
	}
	if (!sub->sink->event(sub->owner, ev))
		sub->is_full = true;
}

/* Freed before the callback, which may subscribe again. */
static void end_sub(struct subscription *sub, enum stream_end why)
{
	const struct control_sink *sink = sub->sink;
	void *owner = sub->owner;

	free_sub(sub);
	sink->end(owner, why);
}

/* ---- reading pages ---- */

/*
 * Reached the head.  A reader that does not follow is done; a follower gets caught_up once
 * and then waits for the next commit.
 */
static void caught_up(struct subscription *sub)
{
	if (!sub->follow) {
		end_sub(sub, STREAM_CAUGHT_UP);
		return;
	}
	if (!sub->has_caught_up && sub->sink->caught_up) {
		sub->has_caught_up = true;
		sub->sink->caught_up(
			sub->owner,
			str_is(sub->session)
				? sub->next
				: holders_show_place(sub->engine, sub->reach, sub->next));
	}
}

/* It is loaded, or its state was read although another node owns it. */
static bool is_shown(const struct session *s)
{
	return s && (s->phase == SESSION_LIVE || s->is_peek);
}

/*
 * The requested events were removed: one frame reports that, with the session's current state, and
 * reading continues above the floor.  No event is written.
 */
static void report_removed(struct session *s, void *arg)
{
	struct subscription *sub = arg;
	struct buf snapshot = { 0 };
	struct json_writer w;

	/*
	 * The snapshot must not show events that are not durable; without it the client reads the
	 * session.
	 */
	if (!sub->is_gone && is_shown(s) && s->applied == s->durable) {
		jw_init(&w, &snapshot);
		view_session_with(&w, s->state, &sub->engine->settings, &(struct view_want){ 0 });
	}
	if (!sub->is_gone && sub->sink->gap)
		sub->sink->gap(sub->owner, sub->next, sub->floor,
		               recovery_mode_word(RECOVERY_MODE_RETENTION), buf_str(&snapshot));
	buf_done(&snapshot);
	sub->is_reading = false;
	if (sub->is_gone) {
		memory_free(sub);
		return;
	}
	sub->next = sub->floor;
	read_more(sub);
}

/* True: the page is not delivered, because events before it are gone. */
static bool found_gap(struct subscription *sub, struct store_read *r)
{
	if (r->result != OK || !str_is(sub->session) || sub->is_gone || r->floor_seq <= sub->next)
		return false;
	sub->floor = r->floor_seq;
	port_store_read_done(r);
	/* Still marked as reading: the session may have to be loaded first. */
	request_job_with(sub->engine, sub->session, false, ELSEWHERE_READ, report_removed, sub);
	return true;
}

/* The session is loaded, or does not exist. */
static void report_truncated(struct session *s, void *arg)
{
	struct subscription *sub = arg;
	struct buf snapshot = { 0 };
	struct json_writer w;

	if (is_shown(s) && !sub->is_gone) {
		if (s->applied == s->durable) { /* as in report_removed() */
			jw_init(&w, &snapshot);
			view_session(&w, s->state, &sub->engine->settings);
		}
		sub->sink->gap(sub->owner, sub->next - 1, sub->head, STR("truncation"),
		               buf_str(&snapshot));
		buf_done(&snapshot);
		sub->next = sub->head;
	}
	sub->is_reading = false;
	if (sub->is_gone)
		memory_free(sub);
	else if (is_shown(s))
		read_more(sub);
	else
		end_sub(sub, STREAM_STORE_FAILED);
}

/* Damaged events are left out and reported to the subscriber. */
static void report_corrupt(struct subscription *sub, const struct store_read *r)
{
	struct control_corrupt c = { .session = str_is(sub->session) ? sub->session
		                                                     : r->corrupt_session,
		                     .from = r->corrupt_from,
		                     .to = r->corrupt_to,
		                     .place = r->scanned };

	damage_of(sub->engine, r);
	sub->next = r->scanned;
	if (!str_is(sub->session) && str_is(sub->reach)) {
		if (!str_starts(c.session, sub->reach))
			return;
		c.place = holders_show_place(sub->engine, sub->reach, c.place);
	}
	if (sub->sink->corrupt)
		sub->sink->corrupt(sub->owner, &c);
}

/*
 * A page has arrived.  The order of the checks: removed events first, because the page
 * does not begin where the cursor is; then the events; then damage behind them; then a
 * cursor ahead of the log, which a log from a backup causes.
 */
static void page_read(struct store_read *r)
{
	struct subscription *sub = r->owner;
	bool more = r->more;
	bool is_ahead = str_is(sub->session) && r->head_seq && sub->next > r->head_seq;
	enum err result = r->result;

	if (found_gap(sub, r))
		return;
	/* Still marked as reading: one that unsubscribes inside the callback is freed below. */
	for (size_t i = 0; i < r->event_count && !sub->is_full && !sub->is_gone; i++) {
		const struct event_row *row = &r->events[i];
		struct control_event ev = { row->body,
			                    str_is(sub->session) ? sub->session : row->session,
			                    row->seq, row->position, row->type };

		sub->next = str_is(sub->session) ? row->seq : row->position;
		deliver_event(sub, &ev);
	}
	if (r->is_corrupt && !sub->is_full && !sub->is_gone)
		report_corrupt(sub, r);
	if (result == OK && is_ahead && !sub->is_gone) {
		sub->head = r->head_seq;
		port_store_read_done(r);
		request_job_with(sub->engine, sub->session, false, ELSEWHERE_READ, report_truncated,
		                 sub);
		return;
	}
	sub->is_reading = false;
	if (sub->is_gone) {
		port_store_read_done(r);
		memory_free(sub);
		return;
	}
	/*
	 * Filtered events were read too: the cursor passes them, so that they are not read again.
	 */
	if (!sub->is_full && r->scanned > sub->next)
		sub->next = r->scanned;
	bool is_removed = r->is_removed;
	bool is_unknown =
		str_is(sub->session) && !r->head_seq && !session_find(sub->engine, sub->session);

	bool is_unreadable = result != OK && damage_code(r) == ERROR_CODE_SESSION_UNREADABLE;

	if (is_unreadable)
		damage_of(sub->engine, r);
	port_store_read_done(r);
	if (result == OK && is_unknown) {
		end_sub(sub, is_removed ? STREAM_DELETED : STREAM_NO_SESSION);
		return;
	}
	if (is_unreadable) {
		end_sub(sub, STREAM_UNREADABLE);
		return;
	}
	if (result != OK && result != ERR_NOT_FOUND) {
		end_sub(sub, STREAM_STORE_FAILED);
		return;
	}
	if (sub->is_full)
		return;
	if (more)
		read_more(sub);
	else if (sub->is_dirty)
		make_ready(sub);
	else
		caught_up(sub);
}

/* is_dirty notes a commit during the read: the page may miss its events. */
static void read_more(struct subscription *sub)
{
	struct store *st = sub->engine->ports.store;

	sub->is_dirty = false;
	sub->is_reading = true;
	sub->read = (struct store_read){
		.kind = str_is(sub->session) ? READ_EVENTS : READ_ALL,
		.session = sub->session,
		.after = sub->next,
		.types = sub->has_types ? sub->types : NULL,
		.takes_gaps = true,
		.done = page_read,
		.owner = sub,
	};
	st->ops->read(st, &sub->read);
}

/* ---- recent events ---- */

/* Delivers the events of a slice that it has not seen; stops when it is full or gone. */
static void take_recent(struct subscription *sub, const struct recent *r)
{
	for (size_t i = 0; i < r->count && !sub->is_full && !sub->is_gone; i++) {
		struct control_event ev = { r->events[i].body, r->session, r->first_seq + i,
			                    r->first_position + i, r->events[i].type };
		uint64_t place = str_is(sub->session) ? ev.seq : ev.position;

		if (place <= sub->next)
			continue;
		sub->next = place;
		deliver_event(sub, &ev);
	}
}

/*
 * Moves it to the head over the events in memory.  False: some are missing there, and the store has
 * to be read.  During a callback the list may lose members, but only at its beginning and never the
 * current one: sinks do not commit.
 */
static bool take_all_recent(struct subscription *sub)
{
	struct engine *e = sub->engine;
	struct session *s = NULL;
	struct list *head = &e->recent;
	uint64_t end;

	if (str_is(sub->session)) {
		s = session_find(e, sub->session);
		if (!s || s->phase != SESSION_LIVE || sub->next < s->floor ||
		    sub->moved > MAX(sub->next, s->durable))
			return false;
		head = &s->recent;
		end = s->durable;
	} else {
		end = e->published_position;
	}
	if (!end || sub->next >= end)
		return end && sub->next == end;
	for (struct list *node = head->next; node != head; node = node->next) {
		const struct recent *r = s ? LIST_ITEM(node, struct recent, of_session)
		                           : LIST_ITEM(node, struct recent, all);
		uint64_t first = s ? r->first_seq : r->first_position;

		if (sub->next + 1 < first)
			return false;
		take_recent(sub, r);
		if (sub->is_full || sub->is_gone)
			return true;
	}
	return sub->next == end;
}

/* One subscriber, to the head if possible: from memory, or by starting a read. */
static void advance_sub(struct subscription *sub)
{
	bool is_there;

	if (sub->is_revoked || sub->is_too_many) {
		end_sub(sub, sub->is_revoked ? STREAM_REVOKED : STREAM_TOO_MANY);
		return;
	}
	/* Marks a subscriber that is freed inside its own callback. */
	sub->is_reading = true;
	is_there = take_all_recent(sub);
	sub->is_reading = false;
	if (sub->is_gone)
		memory_free(sub);
	else if (sub->is_full)
		return;
	else if (is_there)
		caught_up(sub);
	else
		read_more(sub);
}

/* A bounded number per iteration; a timer of zero continues in the next one, behind other work. */
static void pump_ready(struct engine *e)
{
	for (int i = 0; i < LIMIT_FANOUT_READERS_PER_TURN && !list_is_empty(&e->ready); i++) {
		struct subscription *sub = LIST_ITEM(e->ready.next, struct subscription, ready);

		list_remove(&sub->ready);
		sub->is_ready = false;
		advance_sub(sub);
	}
	if (!list_is_empty(&e->ready))
		e->ports.clock->ops->start(e->ports.clock, &e->pump_timer, 0);
}

static void on_pump(struct clock_timer *t)
{
	pump_ready(OWNER_OF(t, struct engine, pump_timer));
}

static void make_ready(struct subscription *sub)
{
	struct engine *e = sub->engine;

	if (sub->is_reading)
		sub->is_dirty = true;
	else if (!sub->is_full && !sub->is_ready) {
		sub->is_ready = true;
		list_add(&e->ready, &sub->ready);
		e->ports.clock->ops->start(e->ports.clock, &e->pump_timer, 0);
	}
}

/*
 * Marks subscribers only.  Delivery follows in fanout_batch_done(), after the effects of
 * the batch have started.
 */
void fanout_published(struct engine *e, const struct pending_slice *p)
{
	const struct slice *sl = &p->slice;
	const struct audience *a = map_get(&e->audiences, sl->session);

	if (!sl->event_count)
		return;
	recent_add(e, p->session, sl);
	e->published_position =
		MAX(e->published_position, sl->first_position + sl->event_count - 1);
	if (a)
		LIST_EACH (&a->members, node)
			make_ready(LIST_ITEM(node, struct subscription, of_audience));
	LIST_EACH (&e->all_audience, node)
		make_ready(LIST_ITEM(node, struct subscription, of_audience));
}

/* Marks those that are behind; they read the store, because the events are not in memory. */
void fanout_moved(struct engine *e, struct str session, uint64_t seq)
{
	const struct audience *a = map_get(&e->audiences, session);

	if (!a)
		return;
	LIST_EACH (&a->members, node) {
		struct subscription *sub = LIST_ITEM(node, struct subscription, of_audience);

		sub->moved = MAX(sub->moved, seq);
		if (sub->next < seq)
			make_ready(sub);
	}
}

/*
 * Positions are given in the order of commits, so a page of the store has every event below its
 * end, whichever node wrote it.
 */
void fanout_position(struct engine *e, uint64_t position)
{
	if (position <= e->published_position)
		return;
	e->published_position = position;
	LIST_EACH (&e->all_audience, node)
		make_ready(LIST_ITEM(node, struct subscription, of_audience));
}

/* Its subscribers read the store, which says that there is no such session any more. */
void fanout_removed(struct engine *e, struct str session)
{
	const struct audience *a = map_get(&e->audiences, session);

	fanout_forget_recent(e);
	if (a)
		LIST_EACH (&a->members, node)
			make_ready(LIST_ITEM(node, struct subscription, of_audience));
}

void fanout_batch_done(struct engine *e, const struct error *why)
{
	if (!list_is_empty(&e->ready))
		pump_ready(e);
}

/* ---- streams that end at a time ---- */

#define UNTIL_LOOK_MS 3600000 /* the wall clock may jump */

static void watch_until(struct engine *e, int64_t until_ms, int64_t now)
{
	if (e->until_next_ms && e->until_next_ms <= until_ms)
		return;
	e->until_next_ms = until_ms;
	e->ports.clock->ops->start(e->ports.clock, &e->until_timer,
	                           MIN(MAX(until_ms - now, 1), UNTIL_LOOK_MS));
}

static struct subscription *find_expired(struct engine *e, int64_t now)
{
	LIST_EACH (&e->subscriptions, node) {
		struct subscription *sub = LIST_ITEM(node, struct subscription, node);

		if (sub->until_ms && sub->until_ms <= now)
			return sub;
	}
	return NULL;
}

/* A callback may end other subscriptions, so the search begins again after each. */
static void end_expired(struct engine *e)
{
	struct clock *clock = e->ports.clock;
	int64_t now = clock->ops->wall_ms(clock);
	struct subscription *sub;

	e->until_next_ms = 0;
	while ((sub = find_expired(e, now)))
		end_sub(sub, STREAM_REVOKED);
	LIST_EACH (&e->subscriptions, node) {
		int64_t until_ms = LIST_ITEM(node, struct subscription, node)->until_ms;

		if (until_ms)
			watch_until(e, until_ms, now);
	}
}

static void on_until(struct clock_timer *timer)
{
	end_expired(OWNER_OF(timer, struct engine, until_timer));
}

void fanout_init(struct engine *e)
{
	list_init(&e->subscriptions);
	list_init(&e->all_audience);
	list_init(&e->recent);
	list_init(&e->ready);
	e->pump_timer.fire = on_pump;
	e->until_timer.fire = on_until;
}

void fanout_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->pump_timer);
	e->ports.clock->ops->stop(e->ports.clock, &e->until_timer);
	fanout_forget_recent(e);
	map_done(&e->audiences);
}

/* ---- the port ---- */

/* Writes `"key":"value"` as envelopes spell it to *at, which advances; absent when the value is. */
static struct str put_member(char **at, const char *key, struct str value)
{
	char *from = *at;

	if (!str_is(value))
		return STR_NONE;
	*at += sprintf(*at, "\"%s\":\"%.*s\"", key, STR_ARG(value));
	return str_of(from, (size_t)(*at - from));
}

/* Copies a text to *at, which advances; absent stays absent. */
static struct str put_text(char **at, struct str text)
{
	char *from = *at;

	if (!str_is(text))
		return STR_NONE;
	memcpy(from, text.ptr, text.len);
	*at += text.len;
	return str_of(from, text.len);
}

/* No session has this id, and none that is foreign to the caller is looked up. */
#define NO_SESSION STR("-")

struct subscription *fanout_subscribe(struct control *c, const struct control_stream *stream)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct caller caller = { .reach = stream->reach,
		                 .token = stream->token,
		                 .until_ms = stream->until_ms };
	bool is_foreign = str_is(stream->session) && !holders_reaches(&caller, stream->session);
	size_t bytes = stream->session.len + stream->thread.len + stream->turn.len +
	               stream->reach.len + stream->token.len + 40;
	struct subscription *sub = memory_zeroed(1, sizeof *sub + bytes + 1);
	char *at = sub->text;

	sub->engine = e;
	sub->is_revoked = !holders_is_valid(e, &caller);
	sub->is_too_many = !holders_enter(e, &caller, HOLDERS_STREAM, &sub->holder);
	sub->session = put_text(&at, is_foreign ? NO_SESSION : stream->session);
	sub->reach = put_text(&at, stream->reach);
	sub->token = put_text(&at, stream->token);
	sub->thread = put_member(&at, "threadId", stream->thread);
	sub->turn = put_member(&at, "turnId", stream->turn);
	sub->next = str_is(stream->session) ? stream->after
	                                    : holders_read_place(e, stream->reach, stream->after);
	sub->types[0] = stream->types[0];
	sub->types[1] = stream->types[1];
	sub->has_types = stream->types[0] || stream->types[1];
	sub->form = stream->form;
	sub->follow = stream->follow;
	sub->sink = stream->sink;
	sub->owner = stream->owner;
	sub->until_ms = sub->is_revoked ? 0 : stream->until_ms;
	list_add(&e->subscriptions, &sub->node);
	audience_join(e, sub);
	make_ready(sub);
	if (sub->until_ms)
		watch_until(e, sub->until_ms, e->ports.clock->ops->wall_ms(e->ports.clock));
	return sub;
}

void fanout_resume(struct control *c, struct subscription *sub)
{
	if (!sub->is_full)
		return;
	sub->is_full = false;
	make_ready(sub);
}

void fanout_unsubscribe(struct control *c, struct subscription *sub)
{
	free_sub(sub);
}

void fanout_end(struct engine *e, enum stream_end why)
{
	while (!list_is_empty(&e->subscriptions))
		end_sub(LIST_ITEM(e->subscriptions.next, struct subscription, node), why);
}

/* A callback may end other subscriptions, so the search begins again after each. */
static unsigned end_tokens(struct engine *e, struct str token, bool is_prefix)
{
	unsigned count = 0;
	bool has_found;

	do {
		has_found = false;
		LIST_EACH (&e->subscriptions, node) {
			struct subscription *sub = LIST_ITEM(node, struct subscription, node);

			if (!str_is(sub->token) || !(is_prefix ? str_starts(sub->token, token)
			                                       : str_eq(sub->token, token)))
				continue;
			end_sub(sub, STREAM_REVOKED);
			count++;
			has_found = true;
			break;
		}
	} while (has_found);
	return count;
}

unsigned fanout_end_token(struct engine *e, struct str token)
{
	return end_tokens(e, token, false);
}

unsigned fanout_end_issuer(struct engine *e, struct str prefix)
{
	return end_tokens(e, prefix, true);
}

void fanout_store_failed(struct engine *e)
{
	fanout_end(e, STREAM_STORE_FAILED);
}

/*
 * Readers: each holds a place in a session's log (or in the whole store) and
 * nothing else.  At the head events are handed over as they become durable;
 * behind it they are read from the store in pages.  A reader that does not
 * keep up costs a place, not a buffer.
 */
#include "core/form.h"
#include "core/view.h"
#include "engine/internal.h"

#include <stdio.h>

struct subscription {
	struct list node;
	struct engine *engine;
	struct str session; /* absent: all */
	struct str thread, turn;
	uint64_t floor;    /* what was removed ends here */
	uint64_t next;     /* the last one delivered or skipped: sequence or position */
	uint64_t head;     /* of the session, when the reader was ahead of it */
	uint64_t types[4]; /* for the store */
	bool has_types;
	enum event_form form;
	bool follow, is_live, is_full, is_reading, is_dirty, has_caught_up, is_gone;
	const struct control_sink *sink;
	void *owner;
	struct store_read read;
	char text[]; /* the strings */
};

static void read_more(struct subscription *sub);

static void free_sub(struct subscription *sub)
{
	list_remove(&sub->node);
	if (sub->is_reading)
		sub->is_gone = true; /* the answer is on its way and frees it */
	else
		xfree(sub);
}

static bool wants(const struct subscription *sub, enum event_type type)
{
	return !sub->has_types || (sub->types[type / 64] >> (type % 64) & 1);
}

/* Filters by thread and turn look into the envelope; they are rare and for one turn mostly. */
bool event_has(struct str body, const char *key, struct str value)
{
	char wanted[ID_MAX + 32];
	int len;

	if (!str_is(value))
		return true;
	len = snprintf(wanted, sizeof wanted, "\"%s\":\"%.*s\"", key, STR_ARG(value));
	return len > 0 && str_find(body, str_of(wanted, (size_t)len)) >= 0;
}

bool event_tell(struct engine *e, enum event_form form, struct str body, struct buf *out,
                struct str *ret_name)
{
	struct json_writer w;
	struct json ev;
	bool is_told;

	jw_init(&w, out);
	is_told = json_read_own(e->forms, body, &ev, NULL) == OK &&
	          form_write(form, ev, &w, ret_name);
	arena_reset(e->forms);
	return is_told;
}

/* What the form has no word for is passed over; the place has moved on all the same. */
static void deliver_as(struct subscription *sub, const struct control_event *ev)
{
	struct buf out = { 0 };
	struct control_event told = *ev;

	if (event_tell(sub->engine, sub->form, bytes_str(ev->body), &out, &told.name)) {
		told.body = bytes_new(buf_str(&out));
		if (!sub->sink->event(sub->owner, &told))
			sub->is_full = true;
		bytes_unref(told.body);
	}
	buf_done(&out);
}

static void deliver(struct subscription *sub, const struct control_event *ev)
{
	if (!wants(sub, ev->type) || !event_has(bytes_str(ev->body), "threadId", sub->thread) ||
	    !event_has(bytes_str(ev->body), "turnId", sub->turn))
		return;
	if (sub->form) {
		deliver_as(sub, ev);
		return;
	}
	if (!sub->sink->event(sub->owner, ev))
		sub->is_full = true;
}

static void end(struct subscription *sub, enum stream_end why)
{
	const struct control_sink *sink = sub->sink;
	void *owner = sub->owner;

	free_sub(sub);
	sink->end(owner, why);
}

/* ---- behind the head ---- */

static void caught_up(struct subscription *sub)
{
	if (!sub->follow) {
		end(sub, STREAM_CAUGHT_UP);
		return;
	}
	sub->is_live = true;
	if (!sub->has_caught_up && sub->sink->caught_up) {
		sub->has_caught_up = true;
		sub->sink->caught_up(sub->owner, sub->next);
	}
}

/*
 * What the reader asks for was removed: one frame says so, with the session
 * as it stands, and reading goes on above the floor.  Nothing is written.
 */
static void say_gap(struct session *s, void *arg)
{
	struct subscription *sub = arg;
	struct buf snapshot = { 0 };
	struct json_writer w;

	if (!sub->is_gone && s && s->state == SESSION_LIVE && s->applied == s->durable) {
		jw_init(&w, &snapshot);
		view_session_with(&w, s->world, &sub->engine->setup, &(struct view_want){ 0 });
	}
	if (!sub->is_gone && sub->sink->gap)
		sub->sink->gap(sub->owner, sub->next, sub->floor,
		               recovery_mode_word(RECOVERY_MODE_RETENTION), buf_str(&snapshot));
	buf_done(&snapshot);
	sub->is_reading = false;
	if (sub->is_gone) {
		xfree(sub);
		return;
	}
	sub->next = sub->floor;
	read_more(sub);
}

/* True: the page is not delivered, because something before it is gone. */
static bool found_gap(struct subscription *sub, struct store_read *r)
{
	if (r->result != OK || !str_is(sub->session) || sub->is_gone || r->floor_seq <= sub->next)
		return false;
	sub->floor = r->floor_seq;
	store_read_done(r);
	/* Still marked as reading: the session may have to be loaded first. */
	request_job(sub->engine, sub->session, false, say_gap, sub);
	return true;
}

/* The session is loaded, or it is not there after all. */
static void tell_gap(struct session *s, void *arg)
{
	struct subscription *sub = arg;
	struct buf snapshot = { 0 };
	struct json_writer w;

	if (s && s->state == SESSION_LIVE && !sub->is_gone) {
		jw_init(&w, &snapshot);
		view_session(&w, s->world, &sub->engine->setup);
		sub->sink->gap(sub->owner, sub->next - 1, sub->head, STR("truncation"),
		               buf_str(&snapshot));
		buf_done(&snapshot);
		sub->next = sub->head;
	}
	sub->is_reading = false;
	if (sub->is_gone)
		xfree(sub);
	else if (s && s->state == SESSION_LIVE)
		read_more(sub);
	else
		end(sub, STREAM_STORE_FAILED);
}

/* Events that are damaged on disk are left out, and the reader is told which. */
static void tell_corrupt(struct subscription *sub, const struct store_read *r)
{
	struct control_corrupt c = { .session = str_is(sub->session) ? sub->session
		                                                     : r->corrupt_session,
		                     .from = r->corrupt_from,
		                     .to = r->corrupt_to,
		                     .place = r->scanned };

	damage_of(sub->engine, r);
	sub->next = r->scanned;
	if (sub->sink->corrupt)
		sub->sink->corrupt(sub->owner, &c);
}

static void page_read(struct store_read *r)
{
	struct subscription *sub = r->owner;
	bool more = r->more;
	bool is_ahead = str_is(sub->session) && r->head_seq && sub->next > r->head_seq;
	enum err result = r->result;

	if (found_gap(sub, r))
		return;
	/* Still marked as reading: who unsubscribes from inside the callback is freed below. */
	for (size_t i = 0; i < r->event_count && !sub->is_full && !sub->is_gone; i++) {
		const struct event_row *row = &r->events[i];
		struct control_event ev = { row->body,
			                    str_is(sub->session) ? sub->session : row->session,
			                    row->seq, row->position, row->type };

		sub->next = str_is(sub->session) ? row->seq : row->position;
		deliver(sub, &ev);
	}
	if (r->is_corrupt && !sub->is_full && !sub->is_gone)
		tell_corrupt(sub, r);
	if (result == OK && is_ahead && !sub->is_gone) {
		sub->head = r->head_seq;
		store_read_done(r);
		request_job(sub->engine, sub->session, false, tell_gap, sub);
		return;
	}
	sub->is_reading = false;
	if (sub->is_gone) {
		store_read_done(r);
		xfree(sub);
		return;
	}
	if (!sub->is_full && r->scanned > sub->next)
		sub->next = r->scanned;
	bool is_unknown =
		str_is(sub->session) && !r->head_seq && !session_find(sub->engine, sub->session);

	bool is_unreadable = result != OK && damage_code(r) == ERROR_CODE_SESSION_UNREADABLE;

	if (is_unreadable)
		damage_of(sub->engine, r);
	store_read_done(r);
	if (result == OK && is_unknown) {
		end(sub, STREAM_NO_SESSION);
		return;
	}
	if (is_unreadable) {
		end(sub, STREAM_UNREADABLE);
		return;
	}
	if (result != OK && result != ERR_NOT_FOUND) {
		end(sub, STREAM_STORE_FAILED);
		return;
	}
	if (sub->is_full)
		return;
	if (more || sub->is_dirty)
		read_more(sub);
	else
		caught_up(sub);
}

static void read_more(struct subscription *sub)
{
	struct store *st = sub->engine->ports.store;

	sub->is_dirty = false;
	sub->is_reading = true;
	sub->is_live = false;
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

/* ---- at the head ---- */

void fanout_publish(struct engine *e, const struct pending_slice *p)
{
	const struct slice *sl = &p->slice;

	LIST_EACH_SAFE (&e->subscriptions, node, tmp) {
		struct subscription *sub = LIST_ITEM(node, struct subscription, node);

		if (str_is(sub->session) && !str_eq(sub->session, sl->session))
			continue;
		if (!sub->is_live) {
			sub->is_dirty = true;
			continue;
		}
		/* Reading marks a subscriber that is freed from inside its own callback. */
		sub->is_reading = true;
		for (size_t i = 0; i < sl->event_count && !sub->is_gone; i++) {
			struct control_event ev = { sl->events[i].body, sl->session,
				                    sl->events[i].seq, sl->first_position + i,
				                    sl->events[i].type };
			uint64_t place = str_is(sub->session) ? ev.seq : ev.position;

			if (place <= sub->next)
				continue;
			if (sub->is_full) {
				sub->is_live = false;
				sub->is_dirty = true;
				break;
			}
			sub->next = place;
			deliver(sub, &ev);
		}
		sub->is_reading = false;
		if (sub->is_gone)
			xfree(sub);
	}
}

/* ---- the port ---- */

struct subscription *fanout_subscribe(struct control *c, const struct control_stream *stream)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	size_t bytes = stream->session.len + stream->thread.len + stream->turn.len;
	struct subscription *sub = xcalloc(1, sizeof *sub + bytes + 1);
	char *at = sub->text;

	sub->engine = e;
	if (str_is(stream->session)) {
		memcpy(at, stream->session.ptr, stream->session.len);
		sub->session = str_of(at, stream->session.len);
		at += stream->session.len;
	}
	if (str_is(stream->thread)) {
		memcpy(at, stream->thread.ptr, stream->thread.len);
		sub->thread = str_of(at, stream->thread.len);
		at += stream->thread.len;
	}
	if (str_is(stream->turn)) {
		memcpy(at, stream->turn.ptr, stream->turn.len);
		sub->turn = str_of(at, stream->turn.len);
	}
	sub->next = stream->after;
	sub->types[0] = stream->types[0];
	sub->types[1] = stream->types[1];
	sub->has_types = stream->types[0] || stream->types[1];
	sub->form = stream->form;
	sub->follow = stream->follow;
	sub->sink = stream->sink;
	sub->owner = stream->owner;
	list_add(&e->subscriptions, &sub->node);
	read_more(sub);
	return sub;
}

void fanout_resume(struct control *c, struct subscription *sub)
{
	if (!sub->is_full)
		return;
	sub->is_full = false;
	if (!sub->is_live && !sub->is_reading)
		read_more(sub);
}

void fanout_unsubscribe(struct control *c, struct subscription *sub)
{
	free_sub(sub);
}

void fanout_end(struct engine *e, enum stream_end why)
{
	while (!list_is_empty(&e->subscriptions))
		end(LIST_ITEM(e->subscriptions.next, struct subscription, node), why);
}

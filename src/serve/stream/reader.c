/*
 * One subscriber to events over HTTP: frames as SSE or NDJSON, pauses while the
 * peer does not read, and ends.
 */
#include "serve/stream/reader.h"

#include "base/jw.h"
#include "base/memory.h"
#include "net/http/sse.h"
#include "serve/stream/filter.h"
#include "serve/http/problem.h"

#include <stdio.h>
#include <stdlib.h>

#define RETRY_MS 1000
#define ONE_PIECE 2048 /* frames up to here are copied into one chunk, larger ones share bytes */

static bool is_one_session(const struct reader *r)
{
	return str_is(r->ask.session);
}

/* ---- frames ---- */

static void write_text(struct reader *r, struct str text)
{
	keepalive_wrote(&r->keepalive, text.len);
	http_reply_stream_write(r->req, text);
}

/*
 * Small frames are one chunk and one piece of the stream's buffer; for large ones
 * sharing the stored bytes costs less than a copy per subscriber.
 */
static void write_framed(struct reader *r, struct str head, struct bytes *body, struct str tail)
{
	char whole[ONE_PIECE];
	size_t len = head.len + body->len + tail.len;

	if (len <= sizeof whole) {
		memcpy(whole, head.ptr, head.len);
		memcpy(whole + head.len, body->data, body->len);
		memcpy(whole + head.len + body->len, tail.ptr, tail.len);
		write_text(r, str_of(whole, len));
		return;
	}
	if (head.len)
		write_text(r, head);
	keepalive_wrote(&r->keepalive, body->len);
	http_reply_stream_write_bytes(r->req, body);
	write_text(r, tail);
}

static void write_event(struct reader *r, const struct control_event *ev)
{
	struct str type = str_is(ev->name) ? ev->name : event_type_word(ev->type);
	char cursor[CURSOR_MAX], head[256];
	int len;

	if (!r->is_sse) {
		write_framed(r, STR(""), ev->body, STR("\n"));
		return;
	}
	filter_write_after(cursor, is_one_session(r), is_one_session(r) ? ev->seq : ev->position);
	len = snprintf(head, sizeof head, "id: %s\nevent: %.*s\ndata: ", cursor, STR_ARG(type));
	write_framed(r, str_of(head, (size_t)len), ev->body, STR("\n\n"));
}

/*
 * The same notice in both formats: an event with a name, or an object with that name as
 * its only member.
 */
void reader_notice(struct reader *r, struct str id, struct str name, struct str json)
{
	struct buf out = { 0 };

	if (r->is_sse) {
		sse_event(&out, id, name, json);
	} else {
		struct json_writer w;

		jw_init(&w, &out);
		jw_obj(&w);
		jw_key(&w, name);
		jw_raw(&w, json);
		jw_obj_end(&w);
		buf_add_char(&out, '\n');
	}
	write_text(r, buf_str(&out));
	buf_done(&out);
}

/*
 * `retry` makes a browser reconnect after a second.  A place without an event is an SSE
 * id that a browser sends back as Last-Event-ID.
 */
void reader_begin(struct reader *r, const struct http_field *extra, size_t count)
{
	struct http_field headers[8] = {
		{ STR("Content-Type"),
		  r->is_sse ? STR("text/event-stream") : STR("application/x-ndjson") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("X-Accel-Buffering"), STR("no") }, /* for proxies that gather */
	};

	if (r->is_begun)
		return;
	r->is_begun = true;
	for (size_t i = 0; i < count; i++)
		headers[4 + i] = extra[i];
	http_reply_stream_begin(r->req, 200, headers, 4 + count);
	if (r->is_sse) {
		char retry[32];

		snprintf(retry, sizeof retry, "retry: %d\n\n", RETRY_MS);
		write_text(r, str_from(retry));
	}
	if (r->is_sse && r->tells_place) {
		char cursor[CURSOR_MAX], place[64];

		filter_write_after(cursor, is_one_session(r), r->ask.after);
		snprintf(place, sizeof place, "id: %s\n\n", cursor);
		write_text(r, str_from(place));
	}
}

/* ---- what the control says ---- */

/* Returns false when the client's buffer is full; on_drain() resumes. */
static bool on_event(void *owner, const struct control_event *ev)
{
	struct reader *r = owner;

	reader_begin(r, NULL, 0);
	write_event(r, ev);
	if (r->run && !run_continues(r, ev->type))
		return false;
	r->is_paused = http_reply_pending(r->req) > r->serve->opt.client_buffer_max;
	return !r->is_paused;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str recovery_mode,
                   struct str snapshot)
{
	struct reader *r = owner;
	struct buf json = { 0 };
	char cursor[CURSOR_MAX];
	struct json_writer w;

	reader_begin(r, NULL, 0);
	jw_init(&w, &json);
	jw_obj(&w);
	filter_write_gap(&w, from, to, recovery_mode, snapshot);
	jw_obj_end(&w);
	/* A client that reconnects after the snapshot does not get the gap again. */
	filter_write_after(cursor, is_one_session(r), to);
	reader_notice(r, str_from(cursor), STR("gap"), buf_str(&json));
	buf_done(&json);
}

static void on_corrupt(void *owner, const struct control_corrupt *c)
{
	struct reader *r = owner;
	struct buf json = { 0 };
	char cursor[CURSOR_MAX];
	struct json_writer w;

	reader_begin(r, NULL, 0);
	jw_init(&w, &json);
	jw_obj(&w);
	filter_write_corrupt(&w, c);
	jw_obj_end(&w);
	filter_write_after(cursor, is_one_session(r), c->place);
	reader_notice(r, str_from(cursor), STR("gap"), buf_str(&json));
	buf_done(&json);
}

static void on_caught_up(void *owner, uint64_t seq)
{
	struct reader *r = owner;

	(void)seq;
	reader_begin(r, NULL, 0);
}

static void write_end(struct reader *r, enum stream_end why)
{
	struct buf json = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	jw_obj(&w);
	JW_KSTR(&w, "reason", filter_end_word(why));
	jw_obj_end(&w);
	reader_notice(r, STR_NONE, STR("end"), buf_str(&json));
	buf_done(&json);
}

static void reader_free(struct reader *r)
{
	keepalive_stop(&r->serve->pulses, &r->keepalive);
	list_remove(&r->of_devices);
	r->serve->readers--;
	run_free(r->run);
	free(r);
}

/*
 * Before the first frame the end is a status code; afterwards it is the last frame of a
 * complete response.
 */
static void on_end(void *owner, enum stream_end why)
{
	struct reader *r = owner;

	r->sub = NULL;
	if (!r->is_begun && why != STREAM_CAUGHT_UP) {
		problem_reply(r->req, filter_end_code(why), "events of %.*s",
		              STR_ARG(is_one_session(r) ? r->ask.session : STR("all sessions")));
		reader_free(r);
		return;
	}
	reader_begin(r, NULL, 0);
	if (why != STREAM_CAUGHT_UP)
		write_end(r, why);
	reader_end(r);
}

static const struct control_sink sink = {
	.event = on_event,
	.gap = on_gap,
	.corrupt = on_corrupt,
	.caught_up = on_caught_up,
	.end = on_end,
};

/* ---- what the peer does ---- */

/* Aborts the response without its last chunk, so that the client sees that it is incomplete. */
static void reader_cut(struct reader *r)
{
	reader_unsubscribe(r);
	http_reply_abort(r->req);
	reader_free(r);
}

static void on_closed(struct http_request *req)
{
	reader_cut(req->user);
}

static void on_drain(struct http_request *req)
{
	struct reader *r = req->user;

	if (!r->is_paused || !r->sub)
		return;
	r->is_paused = false;
	r->serve->control->ops->resume(r->serve->control, r->sub);
}

/*
 * The first beat also begins the response of a stream without events, so that the
 * client gets its headers.  No ping is added to unread bytes.
 */
static void on_beat(struct keepalive *p)
{
	struct reader *r = OWNER_OF(p, struct reader, keepalive);
	size_t pending = http_reply_pending(r->req);

	if (keepalive_is_stalled(&r->serve->pulses, p, pending)) {
		reader_cut(r);
		return;
	}
	reader_begin(r, NULL, 0);
	if (r->is_sse && !pending)
		write_text(r, STR(": ping\n\n"));
}

/* ---- life ---- */

/* Streams of paired devices are listed, so that revoking a device can cut them. */
struct reader *reader_new(struct serve *s, struct http_request *req, const struct caller *caller,
                          const struct control_stream *ask, bool is_sse)
{
	struct reader *r = memory_zeroed(1, sizeof *r + filter_room(ask));

	r->serve = s;
	r->req = req;
	r->is_sse = is_sse;
	r->ask = filter_keep(ask, r->text);
	r->ask.sink = &sink;
	r->ask.owner = r;
	r->ask.reach = caller->reach;
	r->ask.token = caller->token;
	r->ask.until_ms = caller->until_ms;
	req->user = r;
	req->on_closed = on_closed;
	req->on_drain = on_drain;
	s->readers++;
	list_init(&r->of_devices);
	r->device = devices_find(&s->auth.devices, caller->principal);
	if (r->device)
		list_add(&s->device_readers, &r->of_devices);
	keepalive_start(&s->pulses, &r->keepalive, on_beat);
	return r;
}

bool reader_subscribe(struct reader *r)
{
	r->is_paused = false;
	r->sub = r->serve->control->ops->subscribe(r->serve->control, &r->ask);
	if (r->sub)
		return true;
	on_end(r, STREAM_SHUTDOWN);
	return false;
}

void reader_unsubscribe(struct reader *r)
{
	if (r->sub)
		r->serve->control->ops->unsubscribe(r->serve->control, r->sub);
	r->sub = NULL;
}

void reader_end(struct reader *r)
{
	reader_unsubscribe(r);
	http_reply_stream_end(r->req);
	reader_free(r);
}

unsigned reader_cut_device(struct serve *s, const struct device *device)
{
	unsigned count = 0;

	LIST_EACH_SAFE (&s->device_readers, node, next) {
		struct reader *r = LIST_ITEM(node, struct reader, of_devices);

		if (r->device != device)
			continue;
		reader_cut(r);
		count++;
	}
	return count;
}

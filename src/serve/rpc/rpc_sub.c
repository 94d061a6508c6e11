/*
 * Subscriptions of a JSON-RPC connection: confirms them, sends events as
 * notifications, and pauses while the peer does not read.
 */
#include "base/os/id.h"
#include "base/jw.h"
#include "base/memory.h"
#include "serve/stream/filter.h"
#include "serve/rpc/rpc.h"

#include <stdio.h>
#include <stdlib.h>

struct rpc_sub {
	struct list node;
	struct rpc *c;
	struct subscription *sub;
	struct jsonrpc_call *reply; /* until the control's first word */
	uint64_t number;
	bool is_paused;
	bool has_waited;           /* one beat */
	bool is_follower;          /* of reconnect_channel: one per session */
	struct control_stream ask; /* its views point to text */
	char text[];
};

#define SUB_PREFIX "subs_"
#define SUB_MAX 32

static void write_id(char out[SUB_MAX], const struct rpc_sub *sub)
{
	snprintf(out, SUB_MAX, SUB_PREFIX "%llu", (unsigned long long)sub->number);
}

static void sub_free(struct rpc_sub *sub)
{
	list_remove(&sub->node);
	sub->c->sub_count--;
	free(sub);
}

/* ---- what the control says ---- */

/* The control's first event or end confirms the subscription. */
static void confirm(struct rpc_sub *sub)
{
	struct jsonrpc_call *reply = sub->reply;
	struct buf result = { 0 };
	struct json_writer w;
	char id[SUB_MAX], cursor[CURSOR_MAX];

	if (!reply)
		return;
	sub->reply = NULL;
	write_id(id, sub);
	jw_init(&w, &result);
	jw_obj(&w);
	JW_KSTR(&w, "subscriptionId", str_from(id));
	JW_KINT(&w, "after", (int64_t)sub->ask.after);
	if (!str_is(sub->ask.session)) {
		filter_write_after(cursor, false, sub->ask.after);
		JW_KSTR(&w, "cursor", str_from(cursor));
	}
	jw_obj_end(&w);
	rpc_reply(reply, &result);
}

/*
 * Returns false when the peer's buffer is full: the control then stops reading the log
 * for this subscription until resume().
 */
static bool on_event(void *owner, const struct control_event *ev)
{
	struct rpc_sub *sub = owner;
	struct rpc *c = sub->c;

	confirm(sub);
	rpc_send_event(c, ev->body);
	sub->is_paused = rpc_pending(c) > c->serve->opt.client_buffer_max;
	return !sub->is_paused;
}

static void begin_notice(struct json_writer *w, struct buf *out, const struct rpc_sub *sub)
{
	char id[SUB_MAX];

	write_id(id, sub);
	jw_init(w, out);
	jw_obj(w);
	JW_KSTR(w, "subscriptionId", str_from(id));
}

static void send_notice(struct rpc *c, struct str method, struct json_writer *w, struct buf *params)
{
	struct buf text = { 0 };

	jw_obj_end(w);
	jsonrpc_write_call(&text, STR_NONE, method, buf_str(params));
	rpc_send(c, buf_str(&text));
	buf_done(&text);
	buf_done(params);
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str recovery_mode,
                   struct str snapshot)
{
	struct rpc_sub *sub = owner;
	struct buf params = { 0 };
	struct json_writer w;

	confirm(sub);
	begin_notice(&w, &params, sub);
	JW_KOPT(&w, "sessionId", sub->ask.session);
	filter_write_gap(&w, from, to, recovery_mode, snapshot);
	send_notice(sub->c, STR("gap"), &w, &params);
}

static void on_corrupt(void *owner, const struct control_corrupt *c)
{
	struct rpc_sub *sub = owner;
	struct buf params = { 0 };
	struct json_writer w;

	confirm(sub);
	begin_notice(&w, &params, sub);
	filter_write_corrupt(&w, c);
	send_notice(sub->c, STR("gap"), &w, &params);
}

static void on_caught_up(void *owner, uint64_t seq)
{
	(void)seq;
	confirm(owner);
}

/*
 * An end before the first event is the reply to subscribe_events; afterwards it is a
 * notification.
 */
static void on_end(void *owner, enum stream_end why)
{
	struct rpc_sub *sub = owner;
	struct rpc *c = sub->c;
	struct buf params = { 0 };
	struct json_writer w;

	if (sub->reply && why != STREAM_CAUGHT_UP) {
		rpc_refuse(sub->reply, filter_end_code(why), sub->ask.session);
	} else {
		confirm(sub);
		begin_notice(&w, &params, sub);
		JW_KSTR(&w, "reason", filter_end_word(why));
		send_notice(c, STR("stream_end"), &w, &params);
	}
	sub_free(sub);
	rpc_settle(c);
}

static const struct control_sink sink = {
	.event = on_event,
	.gap = on_gap,
	.corrupt = on_corrupt,
	.caught_up = on_caught_up,
	.end = on_end,
};

/* ---- params ---- */

struct asked {
	struct control_stream stream;
	struct str cursor, channel;
	bool has_after;
};

static enum error_code take_id(struct str *ret, struct json v)
{
	*ret = json_str(v);
	return !str_is(*ret)       ? ERROR_CODE_INVALID_TYPE
	       : id_is_valid(*ret) ? 0
	                           : ERROR_CODE_INVALID_ID;
}

static enum error_code take_types(struct asked *a, struct json v)
{
	struct json_iter it = json_iter(v);
	struct str key;
	struct json item;

	if (json_type(v) != JSON_ARR)
		return ERROR_CODE_INVALID_TYPE;
	while (json_next(&it, &key, &item))
		if (!filter_add_type(a->stream.types, json_str(item)))
			return ERROR_CODE_INVALID_VALUE;
	return 0;
}

static enum error_code take_after(struct asked *a, struct json v)
{
	int64_t after = json_int(v, -1);

	a->stream.after = (uint64_t)after;
	a->has_after = true;
	return json_type(v) != JSON_INT ? ERROR_CODE_INVALID_TYPE
	       : after < 0              ? ERROR_CODE_INVALID_VALUE
	                                : 0;
}

static bool is_named(struct str key, const char *name, const char *alias)
{
	return str_eq(key, str_from(name)) || str_eq(key, str_from(alias));
}

static enum error_code take_member(struct asked *a, struct str key, struct json v)
{
	if (is_named(key, "sessionId", "session_id"))
		return take_id(&a->stream.session, v);
	if (is_named(key, "threadId", "thread_id"))
		return take_id(&a->stream.thread, v);
	if (is_named(key, "turnId", "turn_id"))
		return take_id(&a->stream.turn, v);
	if (is_named(key, "channelId", "channel_id"))
		return take_id(&a->channel, v);
	if (str_eq(key, STR("types")))
		return take_types(a, v);
	if (str_eq(key, STR("as")))
		return json_type(v) != JSON_STR                         ? ERROR_CODE_INVALID_TYPE
		       : filter_read_form(json_str(v), &a->stream.form) ? 0
		                                                        : ERROR_CODE_INVALID_VALUE;
	if (str_eq(key, STR("after")))
		return take_after(a, v);
	if (str_eq(key, STR("cursor"))) {
		a->cursor = json_str(v);
		return str_is(a->cursor) ? 0 : ERROR_CODE_INVALID_TYPE;
	}
	if (str_eq(key, STR("follow"))) {
		a->stream.follow = json_bool(v, false);
		return json_type(v) == JSON_BOOL ? 0 : ERROR_CODE_INVALID_TYPE;
	}
	return ERROR_CODE_UNKNOWN_FIELD;
}

/*
 * A sequence counts in one session, a cursor in the whole log; each is refused where it
 * has no meaning.
 */
static enum error_code read_params(const struct rpc *c, struct json params, struct asked *a,
                                   struct str *bad)
{
	struct json_iter it = json_iter(params);
	struct control *control = c->serve->control;
	struct json v;

	a->stream.follow = true;
	while (json_next(&it, bad, &v)) {
		enum error_code code = take_member(a, *bad, v);

		if (code)
			return code;
	}
	*bad = STR("after");
	if (a->has_after && !str_is(a->stream.session) && a->stream.after)
		return ERROR_CODE_INVALID_VALUE; /* a sequence is of one session */
	*bad = STR("cursor");
	if (str_eq(a->cursor, STR("end")) && !a->has_after && !str_is(a->stream.session)) {
		a->stream.after = control->ops->last_place(control, c->caller.reach);
		return 0;
	}
	if (str_is(a->cursor) &&
	    (a->has_after ||
	     !filter_read_after(a->cursor, str_is(a->stream.session), &a->stream.after)))
		return ERROR_CODE_INVALID_VALUE;
	return 0;
}

/* ---- methods ---- */

/*
 * The reply is sent by the first callback (confirm()), so that an unknown session is an
 * error and not an empty stream.
 */
static struct rpc_sub *open_sub(struct rpc *c, struct jsonrpc_call *reply,
                                const struct control_stream *ask)
{
	struct rpc_sub *sub = memory_zeroed(1, sizeof *sub + filter_room(ask));
	struct control *control = c->serve->control;

	sub->c = c;
	sub->reply = reply;
	sub->number = ++c->next_sub;
	sub->ask = filter_keep(ask, sub->text);
	sub->ask.sink = &sink;
	sub->ask.owner = sub;
	sub->ask.reach = c->caller.reach;
	sub->ask.token = c->caller.token;
	sub->ask.until_ms = c->caller.until_ms;
	list_init(&sub->node);
	list_add(&c->subs, &sub->node);
	c->sub_count++;
	sub->sub = control->ops->subscribe(control, &sub->ask);
	if (sub->sub)
		return sub;
	on_end(sub, STREAM_SHUTDOWN);
	return NULL;
}

static void sub_drop(struct rpc_sub *sub);

/* A new subscription to the same session replaces the follower, so that each event is sent once. */
static void drop_follower(struct rpc *c, struct str session)
{
	LIST_EACH_SAFE (&c->subs, node, next) {
		struct rpc_sub *sub = LIST_ITEM(node, struct rpc_sub, node);

		if (sub->is_follower && str_eq(sub->ask.session, session))
			sub_drop(sub);
	}
}

/*
 * After reconnect_channel: the reply with the snapshot, then the events from
 * fromSequence on.  When no stream is wanted or possible, the reply is passed on
 * unchanged.
 */
void rpc_sub_follow(struct rpc *c, struct jsonrpc_call *reply, struct str params, struct str body)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct control_stream ask = { .follow = true };
	struct json asked = { 0 }, told = { 0 };
	struct rpc_sub *sub;
	char id[SUB_MAX];
	int64_t from;
	bool is_wanted;

	if (str_is(params) && json_read_trusted(mem, params, &asked, NULL) == OK) {
		ask.session = json_str(JSON_GET(asked, "sessionId"));
		if (!str_is(ask.session))
			ask.session = json_str(JSON_GET(asked, "session_id"));
	}
	is_wanted = c->channel && str_is(ask.session) &&
	            json_bool(JSON_GET(asked, "follow"), true) &&
	            c->caller.scopes & SCOPE_BIT(SCOPE_READ) && body.len > 2 &&
	            json_read_trusted(mem, body, &told, NULL) == OK;
	from = json_int(JSON_GET(told, "fromSequence"), 0);
	if (is_wanted)
		drop_follower(c, ask.session);
	if (!is_wanted || from < 1 || c->sub_count >= LIMIT_SUBSCRIPTIONS_PER_CONNECTION) {
		if (reply)
			jsonrpc_reply(reply, body);
		return;
	}
	/* The snapshot is sent first, because the events apply to it. */
	snprintf(id, sizeof id, SUB_PREFIX "%llu", (unsigned long long)c->next_sub + 1);
	if (reply)
		jsonrpc_reply(reply, arena_printf(mem, "%.*s,\"subscriptionId\":\"%s\"}",
		                                  (int)body.len - 1, body.ptr, id));
	ask.after = (uint64_t)from - 1;
	sub = open_sub(c, NULL, &ask);
	if (sub)
		sub->is_follower = true;
}

/* A channel continues after its last acknowledged event, unless the call gives a cursor. */
static bool take_channel(struct rpc *c, struct asked *a)
{
	struct control *control = c->serve->control;

	if (!str_is(a->channel))
		return true;
	if (!c->channel || !str_eq(a->channel, c->channel->id))
		return false;
	if (str_is(a->stream.session) && !a->has_after && !str_is(a->cursor))
		a->stream.after = control->ops->acked(control, c->channel, a->stream.session);
	return true;
}

/*
 * Permission and limits come before the parameters.  A subscription of the channel
 * itself replaces the follower that reconnect_channel began.
 */
void rpc_sub_subscribe(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct asked a = { 0 };
	struct str bad;
	enum error_code code = read_params(c, params, &a, &bad);

	if (!(c->caller.scopes & SCOPE_BIT(SCOPE_READ)))
		rpc_refuse(reply, ERROR_CODE_FORBIDDEN, STR("reading events needs the scope read"));
	else if (c->sub_count >= LIMIT_SUBSCRIPTIONS_PER_CONNECTION)
		rpc_refuse(reply, ERROR_CODE_TOO_MANY_OPEN,
		           STR("this connection follows as many streams as it may"));
	else if (code)
		rpc_refuse(reply, code, bad);
	else if (!take_channel(c, &a))
		rpc_refuse(reply, ERROR_CODE_CHANNEL_NOT_FOUND,
		           STR("this connection is not that channel"));
	else {
		if (str_is(a.channel))
			drop_follower(c, a.stream.session);
		open_sub(c, reply, &a.stream);
	}
}

static struct rpc_sub *find(struct rpc *c, struct str id)
{
	LIST_EACH (&c->subs, node) {
		struct rpc_sub *sub = LIST_ITEM(node, struct rpc_sub, node);
		char text[SUB_MAX];

		write_id(text, sub);
		if (str_eq(id, str_from(text)))
			return sub;
	}
	return NULL;
}

/* A subscription that was never confirmed still has to answer its caller. */
static void sub_drop(struct rpc_sub *sub)
{
	struct control *control = sub->c->serve->control;

	control->ops->unsubscribe(control, sub->sub);
	rpc_refuse(sub->reply, ERROR_CODE_SHUTTING_DOWN, STR("it was ended"));
	sub_free(sub);
}

void rpc_sub_unsubscribe(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct json id = JSON_GET(params, "subscriptionId");
	struct rpc_sub *sub;
	struct buf result = { 0 };
	struct json_writer w;

	if (!json_is(id))
		id = JSON_GET(params, "subscription_id");
	if (!str_is(json_str(id))) {
		rpc_refuse(reply, json_is(id) ? ERROR_CODE_INVALID_TYPE : ERROR_CODE_MISSING_FIELD,
		           STR("subscriptionId"));
		return;
	}
	sub = find(c, json_str(id));
	if (!sub) {
		rpc_refuse(reply, ERROR_CODE_SUBSCRIPTION_NOT_FOUND, json_str(id));
		return;
	}
	jw_init(&w, &result);
	jw_obj(&w);
	JW_KSTR(&w, "subscriptionId", json_str(id));
	jw_obj_end(&w);
	sub_drop(sub);
	rpc_reply(reply, &result);
}

/* ---- for the connection ---- */

static struct rpc_sub *first_paused(struct rpc *c)
{
	LIST_EACH (&c->subs, node) {
		struct rpc_sub *sub = LIST_ITEM(node, struct rpc_sub, node);

		if (sub->is_paused)
			return sub;
	}
	return NULL;
}

void rpc_sub_resume_all(struct rpc *c)
{
	struct control *control = c->serve->control;
	struct rpc_sub *sub;

	/* A resumed one may deliver at once, fill the pipe, or end. */
	while (rpc_pending(c) <= c->serve->opt.client_buffer_max && (sub = first_paused(c))) {
		sub->is_paused = false;
		list_remove(&sub->node); /* to the end: each gets its turn */
		list_add(&c->subs, &sub->node);
		control->ops->resume(control, sub->sub);
	}
}

/*
 * A subscription to a quiet log has nothing to report, so it is confirmed after one
 * whole beat without a word from the control.
 */
void rpc_sub_tick(struct rpc *c)
{
	LIST_EACH (&c->subs, node) {
		struct rpc_sub *sub = LIST_ITEM(node, struct rpc_sub, node);

		if (sub->has_waited)
			confirm(sub);
		sub->has_waited = true;
	}
}

/* only_followers: those that read up to the end of the log are allowed to finish. */
void rpc_sub_drop_all(struct rpc *c, bool only_followers)
{
	LIST_EACH_SAFE (&c->subs, node, next) {
		struct rpc_sub *sub = LIST_ITEM(node, struct rpc_sub, node);

		if (sub->ask.follow || !only_followers)
			sub_drop(sub);
	}
}

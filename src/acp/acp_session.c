/*
 * The order of a conversation with an editor: initialize, sessions, and the way of messages between
 * editor and runtime.  Prompts are in acp_prompt.c, questions to the user in acp_ask.c.
 */
#include "acp/acp_session_int.h"

#include "base/gen/limits.h"
#include "base/memory.h"

#include <stdio.h>

#define CLIENT_NAME_MAX 128
#define CLIENT_VERSION_MAX 64

/* ---- sessions that the editor has opened ---- */

static void open_call_free(struct acp_open_call *c)
{
	list_remove(&c->node);
	memory_free(c->cwd);
	memory_free(c);
}

static struct acp_thread *thread_new(struct acp_session *s, struct str id, struct str cwd)
{
	struct acp_thread *t = memory_zeroed(1, sizeof *t);

	t->s = s;
	snprintf(t->id, sizeof t->id, "%.*s", STR_ARG(id));
	t->cwd = memory_strndup(cwd.ptr ? cwd.ptr : "", cwd.len);
	t->past_through = -1;
	list_init(&t->node);
	list_init(&t->asks);
	list_add(&s->threads, &t->node);
	s->thread_count++;
	return t;
}

static void thread_free(struct acp_thread *t)
{
	acp_ask_free_all(t);
	list_remove(&t->node);
	t->s->thread_count--;
	LIST_EACH (&t->s->calls, node) {
		struct acp_open_call *c = LIST_ITEM(node, struct acp_open_call, node);

		if (c->thread == t)
			c->thread = NULL;
	}
	memory_free(t->cwd);
	memory_free(t->commands);
	memory_free(t->held);
	memory_free(t);
}

/* Sessions that are being created count too. */
static bool has_room(struct acp_session *s, const struct jsonrpc_message *m)
{
	size_t count = s->thread_count;

	LIST_EACH (&s->calls, node)
		count += LIST_ITEM(node, struct acp_open_call, node)->what == ACP_CALL_NEW;
	if (count < LIMIT_ACP_SESSIONS)
		return true;
	acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
	                    "Too many sessions are open in this connection; start another one.");
	return false;
}

/* Tool servers of an editor are not started: the user learns it where the editor can show it. */
static void tell_servers(struct acp_thread *t)
{
	struct buf params = { 0 };

	if (!t->server_count || !t->s->has_notices)
		return;
	acp_update_write_notice(
		&params, str_from(t->id),
		arena_printf(
			t->s->mem,
			"Tool servers of the editor are not used (%zu). Name them in .mcp.json or "
			"in the settings of Thole.",
			t->server_count));
	acp_peer_notify(t->s, "session/update", &params);
}

/* ---- session/new ---- */

static void begin_new(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_place place;
	struct acp_open_call *c;
	struct acp_request *r;
	struct acp_params p;
	struct error e;

	if (acp_message_read_place(m->params, false, &place, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	if (!has_room(s, m) || !(r = acp_peer_keep(s, m)))
		return;
	acp_config_ask_models(s);
	acp_peer_begin_call(&p, STR_NONE);
	JW_KSTR(&p.w, "cwd", place.cwd);
	acp_peer_add_key(s, &p);
	c = acp_peer_call(s, ACP_CALL_NEW, "create_session", &p);
	c->request = r;
	c->cwd = memory_strndup(place.cwd.ptr, place.cwd.len);
	c->server_count = place.server_count;
}

static void on_new(struct acp_session *s, const struct acp_open_call *c, struct json reply)
{
	struct acp_thread *t =
		thread_new(s, json_str(JSON_GET(reply, "sessionId")), str_from(c->cwd));

	t->opening = c->request;
	t->is_new = t->is_silent = true;
	t->server_count = c->server_count;
	t->past_through = json_int(JSON_GET(reply, "sequence"), 0);
	s->ops->follow(s->owner, str_from(t->id), 0);
}

/* ---- session/load, session/resume ---- */

/* Binds the channel to the session, so that the session's log names this editor. */
static void call_bind(struct acp_thread *t)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "channelId", str_from(t->s->channel));
	JW_KINT(&p.w, "lastAckedSequence", t->seen);
	JW_KBOOL(&p.w, "follow", false);
	acp_peer_add_key(t->s, &p);
	acp_peer_call(t->s, ACP_CALL_OTHER, "reconnect_channel", &p);
}

/* The session is read first: one that does not exist is refused before anything is written. */
static void call_open(struct acp_thread *t)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KEY(&p.w, "sections");
	jw_arr(&p.w);
	jw_str(&p.w, STR("cursor"));
	jw_arr_end(&p.w);
	acp_peer_call(t->s, ACP_CALL_OPEN, "get_session", &p)->thread = t;
}

static void begin_open(struct acp_session *s, const struct jsonrpc_message *m, bool is_silent)
{
	struct acp_place place;
	struct acp_thread *t;
	struct acp_request *r;
	struct error e;

	if (acp_message_read_place(m->params, true, &place, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	t = acp_peer_thread(s, place.session_id);
	if (t && (t->opening || t->prompt)) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "This session is busy in this connection.");
		return;
	}
	if ((!t && !has_room(s, m)) || !(r = acp_peer_keep(s, m)))
		return;
	acp_config_ask_models(s);
	if (t) /* it is opened once more */
		thread_free(t);
	t = thread_new(s, place.session_id, place.cwd);
	t->opening = r;
	t->is_silent = is_silent;
	t->server_count = place.server_count;
	t->has_title = true;
	call_open(t);
}

static void begin_load(struct acp_session *s, const struct jsonrpc_message *m)
{
	begin_open(s, m, false);
}

static void begin_resume(struct acp_session *s, const struct jsonrpc_message *m)
{
	begin_open(s, m, true);
}

/* The past has been sent: the request is answered, and what waits for the user is asked. */
static void end_open(struct acp_thread *t)
{
	struct acp_request *r = t->opening;
	CLEANUP(buf_done) struct buf result = { 0 };
	struct json_writer w;

	t->opening = NULL;
	jw_init(&w, &result);
	jw_obj(&w);
	if (t->is_new)
		JW_KSTR(&w, "sessionId", str_from(t->id));
	acp_mode_write(t, &w);
	acp_config_write(t, &w);
	jw_obj_end(&w);
	acp_peer_answer(r, buf_str(&result));
	acp_ask_send_pending(t);
	acp_command_ask(t);
	if (!t->is_new)
		call_bind(t);
	tell_servers(t);
}

static void on_open(struct acp_session *s, struct acp_thread *t, struct json reply)
{
	t->past_through = json_int(JSON_GET(reply, "sequence"), 0);
	s->ops->follow(s->owner, str_from(t->id), 0);
	if (!t->past_through)
		end_open(t);
}

/* ---- session/list ---- */

static void begin_list(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct str cwd = json_str(JSON_GET(m->params, "cwd"));
	struct acp_request *r = acp_peer_keep(s, m);
	struct acp_open_call *c;
	struct acp_params p;

	if (!r)
		return;
	acp_peer_begin_call(&p, STR_NONE);
	JW_KOPT(&p.w, "cursor", json_str(JSON_GET(m->params, "cursor")));
	JW_KBOOL(&p.w, "archived", false);
	c = acp_peer_call(s, ACP_CALL_LIST, "list_sessions", &p);
	c->request = r;
	c->cwd = str_is(cwd) ? memory_strndup(cwd.ptr, cwd.len) : NULL;
}

static void on_list(const struct acp_open_call *c, struct json reply)
{
	CLEANUP(buf_done) struct buf result = { 0 };

	acp_message_write_sessions(&result, reply, str_from(c->cwd));
	acp_peer_answer(c->request, buf_str(&result));
}

/* ---- initialize, authenticate ---- */

static char *kept(struct str text, size_t max)
{
	struct str head = str_head(text, max);

	return text.len ? memory_strndup(head.ptr, head.len) : NULL;
}

static void begin_conversation(struct acp_session *s, const struct jsonrpc_message *m)
{
	CLEANUP(buf_done) struct buf result = { 0 };
	struct acp_client client;
	struct error e;

	if (acp_message_read_initialize(m->params, &client, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	if (s->is_initialized) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "This connection is initialized already.");
		return;
	}
	s->is_initialized = true;
	s->has_notices = client.has_notices;
	s->client_name = kept(client.name, CLIENT_NAME_MAX);
	s->client_version = kept(client.version, CLIENT_VERSION_MAX);
	acp_message_write_initialized(&result, str_from(s->version));
	jsonrpc_reply(m->call, buf_str(&result));
}

static void refuse_authenticate(struct acp_session *s, const struct jsonrpc_message *m)
{
	(void)s;
	acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS,
	                    "There is nothing to sign in to: authMethods of initialize is empty.");
}

/* ---- notifications of the editor ---- */

static void on_cancel(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t = acp_peer_thread(s, json_str(JSON_GET(m->params, "sessionId")));

	if (t)
		acp_prompt_cancel(t);
}

/* Of all requests only a prompt can be cancelled; the others are answered soon. */
static void on_cancel_request(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct str id = json_text(s->mem, JSON_GET(m->params, "requestId"));

	LIST_EACH (&s->threads, node) {
		struct acp_thread *t = LIST_ITEM(node, struct acp_thread, node);

		if (t->prompt && str_is(id) && str_eq(str_from(t->prompt->id), id))
			acp_prompt_cancel(t);
	}
}

/* ---- methods ---- */

struct method {
	const char *name;
	void (*take)(struct acp_session *s, const struct jsonrpc_message *m);
	bool is_early; /* before initialize too */
};

static const struct method requests[] = {
	{ "initialize", begin_conversation, true },
	{ "authenticate", refuse_authenticate, false },
	{ "session/new", begin_new, false },
	{ "session/load", begin_load, false },
	{ "session/resume", begin_resume, false },
	{ "session/list", begin_list, false },
	{ "session/set_mode", acp_mode_begin, false },
	{ "session/set_config_option", acp_config_begin, false },
	{ "session/prompt", acp_prompt_begin, false },
};

static const struct method notifications[] = {
	{ "session/cancel", on_cancel, false },
	{ "$/cancel_request", on_cancel_request, false },
};

static const struct method *find_method(const struct method *list, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(name, str_from(list[i].name)))
			return &list[i];
	return NULL;
}

/* A notification of the protocol that has an id is refused and does nothing. */
static void take_request(struct acp_session *s, const struct jsonrpc_message *m)
{
	const struct method *found = find_method(requests, COUNT_OF(requests), m->method);

	if (found && (s->is_initialized || found->is_early))
		found->take(s, m);
	else if (found)
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST, "Send initialize first.");
	else if (find_method(notifications, COUNT_OF(notifications), m->method))
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "This method is a notification: send it without an id.");
	else
		acp_peer_refuse_now(m, JSONRPC_METHOD_NOT_FOUND, "There is no such method.");
}

static void take_notification(struct acp_session *s, const struct jsonrpc_message *m)
{
	const struct method *found = find_method(notifications, COUNT_OF(notifications), m->method);

	if (found && s->is_initialized)
		found->take(s, m);
}

static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct acp_session *s = user;

	if (m->kind == JSONRPC_CALL)
		take_request(s, m);
	else if (m->kind == JSONRPC_NOTIFICATION)
		take_notification(s, m);
	else
		acp_ask_answered(s, m);
}

static void on_send(void *user, struct str text)
{
	struct acp_session *s = user;

	s->ops->send(s->owner, text);
}

/* ---- life ---- */

struct acp_session *acp_session_new(const struct acp_session_options *o,
                                    const struct acp_session_ops *ops, void *owner)
{
	static const struct jsonrpc_ops peer_ops = { .on_message = on_message, .send = on_send };
	struct jsonrpc_options peer = { .line_max = o->line_max };
	struct acp_session *s = memory_zeroed(1, sizeof *s);

	s->ops = ops;
	s->owner = owner;
	s->mem = arena_new();
	s->ids = o->ids;
	s->params_max = o->params_max;
	s->version = memory_strndup(o->version.ptr, o->version.len);
	list_init(&s->threads);
	list_init(&s->requests);
	list_init(&s->calls);
	s->peer = jsonrpc_new(&peer, &peer_ops, s);
	return s;
}

/* The peer goes first: replies to open requests are then dropped. */
void acp_session_free(struct acp_session *s)
{
	if (!s)
		return;
	jsonrpc_free(s->peer);
	while (!list_is_empty(&s->requests))
		acp_peer_answer(LIST_ITEM(s->requests.next, struct acp_request, node), STR("{}"));
	while (!list_is_empty(&s->calls))
		open_call_free(LIST_ITEM(s->calls.next, struct acp_open_call, node));
	while (!list_is_empty(&s->threads))
		thread_free(LIST_ITEM(s->threads.next, struct acp_thread, node));
	acp_config_free(s);
	arena_free(s->mem);
	memory_free(s->version);
	memory_free(s->client_name);
	memory_free(s->client_version);
	memory_free(s);
}

void acp_session_at(struct acp_session *s, int64_t wall_ms)
{
	s->ids.wall_ms = wall_ms;
	arena_reset(s->mem);
}

bool acp_session_feed(struct acp_session *s, struct str bytes)
{
	return jsonrpc_feed(s->peer, bytes);
}

/* ---- the runtime ---- */

static void write_client(const struct acp_session *s, struct json_writer *w)
{
	if (!s->client_name)
		return;
	JW_KEY(w, "clientInfo");
	jw_obj(w);
	JW_KSTR(w, "name", str_from(s->client_name));
	JW_KOPT(w, "version", str_from(s->client_version));
	jw_obj_end(w);
}

void acp_session_write_enrol(const struct acp_session *s, struct buf *out)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "peerRole", STR("client"));
	JW_KSTR(&w, "nativeProtocol", STR("acp"));
	JW_KEY(&w, "capabilities");
	jw_arr(&w);
	jw_str(&w, STR("permissions"));
	jw_arr_end(&w);
	write_client(s, &w);
	if (*s->channel) {
		JW_KSTR(&w, "channelId", str_from(s->channel));
		JW_KSTR(&w, "resumeToken", str_from(s->resume_token));
	}
	jw_obj_end(&w);
}

/* A channel that cannot be taken back is replaced by a new one, once. */
bool acp_session_enrolled(struct acp_session *s, bool is_ok, struct json reply)
{
	bool had_channel = *s->channel;

	if (!is_ok) {
		s->channel[0] = s->resume_token[0] = 0;
		return !had_channel;
	}
	snprintf(s->channel, sizeof s->channel, "%.*s",
	         STR_ARG(json_str(JSON_GET(reply, "channelId"))));
	snprintf(s->resume_token, sizeof s->resume_token, "%.*s",
	         STR_ARG(json_str(JSON_GET(reply, "resumeToken"))));
	return true;
}

/* A session whose first call is open needs nothing here: that call is sent again. */
void acp_session_reconnected(struct acp_session *s)
{
	LIST_EACH (&s->threads, node) {
		struct acp_thread *t = LIST_ITEM(node, struct acp_thread, node);

		if (t->opening && t->past_through < 0)
			continue;
		if (*s->channel && !t->opening)
			call_bind(t);
		s->ops->follow(s->owner, str_from(t->id), t->seen);
	}
}

static void on_refused(struct acp_session *s, const struct acp_open_call *c, struct json problem)
{
	if (c->request) {
		acp_peer_refuse_by(s, c->request, problem);
	} else if (c->what == ACP_CALL_OPEN && c->thread) {
		acp_peer_refuse_by(s, c->thread->opening, problem);
		thread_free(c->thread);
	} else if (c->what == ACP_CALL_ANSWER) {
		acp_ask_refused(c, problem);
	}
}

static void on_reply(struct acp_session *s, const struct acp_open_call *c, struct json reply)
{
	if (c->what == ACP_CALL_NEW)
		on_new(s, c, reply);
	else if (c->what == ACP_CALL_LIST)
		on_list(c, reply);
	else if (c->what == ACP_CALL_COMMANDS && c->thread)
		acp_command_listed(c->thread, reply);
	else if (c->what == ACP_CALL_MODELS)
		acp_config_models(s, reply);
	else if (c->what == ACP_CALL_CONFIG)
		acp_config_changed(c);
	else if (c->what == ACP_CALL_MODE)
		acp_peer_answer(c->request, STR("{}"));
	else if (c->what == ACP_CALL_OPEN && c->thread)
		on_open(s, c->thread, reply);
}

static bool is_of_prompt(const struct acp_open_call *c)
{
	return c->what == ACP_CALL_EXPAND || c->what == ACP_CALL_SUBMIT ||
	       c->what == ACP_CALL_STOP || c->what == ACP_CALL_UNQUEUE;
}

void acp_session_replied(struct acp_session *s, uint64_t tag, bool is_ok, struct json reply)
{
	LIST_EACH (&s->calls, node) {
		struct acp_open_call *c = LIST_ITEM(node, struct acp_open_call, node);

		if (c->tag != tag)
			continue;
		list_remove(&c->node);
		if (is_of_prompt(c))
			acp_prompt_replied(c, is_ok, reply);
		else if (is_ok)
			on_reply(s, c, reply);
		else
			on_refused(s, c, reply);
		open_call_free(c);
		return;
	}
}

/* The session is no longer open: the editor may load it again. */
void acp_session_unfollowed(struct acp_session *s, struct str session_id, struct json problem)
{
	struct acp_thread *t = acp_peer_thread(s, session_id);

	if (!t)
		return;
	if (t->opening)
		acp_peer_refuse_by(s, t->opening, problem);
	acp_prompt_refuse(t, problem);
	thread_free(t);
}

/* ---- events ---- */

/* The main thread is the first. */
static void note_main(struct acp_thread *t, struct str type, struct json event)
{
	if (!*t->main && str_eq(type, STR("thread.started")))
		snprintf(t->main, sizeof t->main, "%.*s",
		         STR_ARG(json_str(JSON_GET(event, "threadId"))));
}

static bool is_shown(const struct acp_thread *t, struct json event)
{
	struct str thread_id = json_str(JSON_GET(event, "threadId"));

	return !str_is(thread_id) || str_eq(thread_id, str_from(t->main));
}

/* What the user has written in this editor is there already. */
static void send_update(struct acp_thread *t, struct json event)
{
	struct acp_view v = { .session_id = str_from(t->id), .cwd = str_from(t->cwd) };
	struct buf params = { 0 };

	v.shows_input = t->state == ACP_PROMPT_NONE ||
	                !str_eq(json_str(JSON_GET(event, "turnId")), str_from(t->turn));
	if (is_shown(t, event) && acp_update_write(&params, &v, event))
		acp_peer_notify(t->s, "session/update", &params);
	buf_done(&params);
}

void acp_session_event(struct acp_session *s, struct str session_id, struct json event)
{
	struct acp_thread *t = acp_peer_thread(s, session_id);
	struct str type = json_str(JSON_GET(event, "type"));
	int64_t sequence = json_int(JSON_GET(event, "sequence"),
	                            json_int(JSON_GET(JSON_GET(event, "gap"), "to"), 0));
	bool is_past;

	if (!t || sequence <= t->seen)
		return;
	t->seen = sequence;
	is_past = t->opening != NULL;
	note_main(t, type, event);
	acp_mode_event(t, type, event);
	acp_config_event(t, type, event);
	if (!is_past || !t->is_silent)
		send_update(t, event);
	acp_ask_event(t, type, event, is_past);
	acp_prompt_event(t, type, event);
	/* A tool server may have connected, and its prompts are commands. */
	if (!is_past && str_eq(type, STR("tool.catalog.resolved")) && is_shown(t, event))
		acp_command_ask(t);
	if (is_past && sequence >= t->past_through)
		end_open(t);
}

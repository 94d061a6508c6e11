/*
 * The order of a conversation with an editor: initialize, sessions, and the way of messages between
 * editor and runtime.  Prompts are in acp_prompt.c, questions to the user in acp_ask.c.
 */
#include "acp/acp_parts.h"

#include "base/memory.h"

#include <stdio.h>

#define CLIENT_NAME_MAX 128
#define CLIENT_VERSION_MAX 64

static void open_call_free(struct acp_open_call *c)
{
	list_remove(&c->node);
	buf_done(&c->rows);
	memory_free(c->cwd);
	memory_free(c->servers);
	memory_free(c);
}

/* ---- initialize ---- */

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
	s->client_name = kept(client.name, CLIENT_NAME_MAX);
	s->client_version = kept(client.version, CLIENT_VERSION_MAX);
	client.name = client.version = STR_NONE;
	s->client = client;
	acp_message_write_initialized(&result, &client, str_from(s->version));
	jsonrpc_reply(m->call, buf_str(&result));
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
	{ "authenticate", acp_auth_begin, false },
	{ "logout", acp_auth_end, false },
	{ "session/new", acp_open_new, false },
	{ "session/load", acp_open_load, false },
	{ "session/resume", acp_open_resume, false },
	{ "session/list", acp_open_list, false },
	{ "session/close", acp_open_close, false },
	{ "session/delete", acp_open_delete, false },
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
	else if (!acp_file_answered(s, m))
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

/* Requests of the editor that wait for it were answered before. */
static void drop_thread(struct acp_thread *t)
{
	t->opening = t->closing = NULL;
	acp_open_free(t, (struct json){ 0 });
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
		drop_thread(LIST_ITEM(s->threads.next, struct acp_thread, node));
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
	if (s->client.reads_files)
		jw_str(&w, STR("file_text"));
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

void acp_session_reconnected(struct acp_session *s)
{
	LIST_EACH (&s->threads, node)
		acp_open_reconnected(LIST_ITEM(node, struct acp_thread, node));
}

static void on_refused(struct acp_session *s, const struct acp_open_call *c, struct json problem)
{
	if (c->request)
		acp_peer_refuse_by(s, c->request, problem);
	else if (c->what == ACP_CALL_ANSWER)
		acp_ask_refused(c, problem);
}

static void on_reply(struct acp_session *s, const struct acp_open_call *c, struct json reply)
{
	if (c->what == ACP_CALL_COMMANDS && c->thread)
		acp_command_listed(c->thread, reply);
	else if (c->what == ACP_CALL_MODELS)
		acp_config_models(s, reply);
	else if (c->what == ACP_CALL_CONFIG)
		acp_config_changed(c);
	else if (c->what == ACP_CALL_MODE)
		acp_peer_answer(c->request, STR("{}"));
}

static bool is_of_opening(const struct acp_open_call *c)
{
	return c->what == ACP_CALL_NEW || c->what == ACP_CALL_OPEN || c->what == ACP_CALL_LIST ||
	       c->what == ACP_CALL_ATTACH || c->what == ACP_CALL_DETACH ||
	       c->what == ACP_CALL_DELETE;
}

static bool is_of_prompt(const struct acp_open_call *c)
{
	return c->what == ACP_CALL_EXPAND || c->what == ACP_CALL_SUBMIT ||
	       c->what == ACP_CALL_STOP || c->what == ACP_CALL_UNQUEUE;
}

static void take_reply(struct acp_session *s, struct acp_open_call *c, bool is_ok,
                       struct json reply)
{
	if (is_of_prompt(c))
		acp_prompt_replied(c, is_ok, reply);
	else if (is_of_opening(c))
		acp_open_replied(s, c, is_ok, reply);
	else if (c->what == ACP_CALL_AUTH)
		acp_auth_replied(s, c, is_ok, reply);
	else if (c->what == ACP_CALL_READ)
		acp_fetch_replied(c, is_ok, reply);
	else if (is_ok)
		on_reply(s, c, reply);
	else
		on_refused(s, c, reply);
}

/* A reply may free the session it is about; its open calls then know none. */
void acp_session_replied(struct acp_session *s, uint64_t tag, bool is_ok, struct json reply)
{
	LIST_EACH (&s->calls, node) {
		struct acp_open_call *c = LIST_ITEM(node, struct acp_open_call, node);

		if (c->tag != tag)
			continue;
		take_reply(s, c, is_ok, reply);
		if (c->thread)
			acp_open_taken(c->thread);
		if (c->thread)
			acp_open_settle(c->thread);
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
	acp_prompt_refuse(t, problem);
	acp_open_free(t, problem);
}

bool acp_session_is_held(const struct acp_session *s, struct str session_id)
{
	const struct acp_thread *t = acp_peer_thread((struct acp_session *)s, session_id);

	return t && t->hold;
}

/* ---- events ---- */

/* The main thread is the first. */
static void note_main(struct acp_thread *t, struct str type, struct json event)
{
	if (!*t->main && str_eq(type, STR("thread.started")))
		snprintf(t->main, sizeof t->main, "%.*s",
		         STR_ARG(json_str(JSON_GET(event, "threadId"))));
}

/* Paths of tools are relative to the session's directory, whichever the editor names. */
static void note_directory(struct acp_thread *t, struct str type, struct json event)
{
	struct str cwd = json_str(JSON_GET(JSON_GET(event, "payload"), "cwd"));

	if (!cwd.len ||
	    (!str_eq(type, STR("session.created")) && !str_eq(type, STR("session.updated"))))
		return;
	memory_free(t->cwd);
	t->cwd = memory_strndup(cwd.ptr, cwd.len);
}

static bool is_shown(const struct acp_thread *t, struct json event)
{
	struct str thread_id = json_str(JSON_GET(event, "threadId"));

	return !str_is(thread_id) || str_eq(thread_id, str_from(t->main));
}

/* What the user has written in this editor is there already. */
static void send_update(struct acp_thread *t, struct str type, struct json event)
{
	struct acp_view v = { .session_id = str_from(t->id),
		              .cwd = str_from(t->cwd),
		              .shows_compaction = t->s->client.has_compaction };
	struct buf params = { 0 };

	v.shows_input = t->state == ACP_PROMPT_NONE ||
	                !str_eq(json_str(JSON_GET(event, "turnId")), str_from(t->turn));
	if (!is_shown(t, event) || (v.shows_input && acp_past_hold(t, type, event)))
		return;
	if (acp_update_write(&params, &v, event))
		acp_peer_notify(t->s, "session/update", &params);
	buf_done(&params);
	acp_past_hold_images(t, type, event);
}

/* The parts that keep something of their own see every event, those of the past too. */
static void take_event(struct acp_thread *t, struct str type, struct json event, bool is_past)
{
	bool is_sent = !is_past || !t->is_silent;

	note_main(t, type, event);
	note_directory(t, type, event);
	acp_mode_event(t, type, event);
	acp_config_event(t, type, event);
	if (is_sent)
		send_update(t, type, event);
	acp_plan_event(t, type, event, is_sent);
	acp_plan_usage_event(t, type, event, is_sent);
	if (!is_past && is_shown(t, event)) {
		acp_output_event(t, type, event);
		acp_file_event(t, type, event);
	}
	acp_ask_event(t, type, event, is_past);
	acp_prompt_event(t, type, event);
	/* A tool server may have connected, and its prompts are commands. */
	if (!is_past && str_eq(type, STR("tool.catalog.resolved")) && is_shown(t, event))
		acp_command_ask(t);
}

void acp_session_event(struct acp_session *s, struct str session_id, struct json event)
{
	struct acp_thread *t = acp_peer_thread(s, session_id);
	struct str type = json_str(JSON_GET(event, "type"));
	int64_t sequence = json_int(JSON_GET(event, "sequence"),
	                            json_int(JSON_GET(JSON_GET(event, "gap"), "to"), 0));

	if (!t || sequence <= t->seen)
		return;
	t->seen = sequence;
	take_event(t, type, event, t->opening != NULL);
	if (!t->hold)
		acp_open_taken(t);
	acp_open_settle(t);
}

/*
 * Sessions of an editor: new, load, resume, list, close and delete.
 *
 * A session is opened in steps: the runtime creates or finds it, gets the tool servers that the
 * editor names, and sends all its events.  session/load is answered behind the last event of the
 * past.  A session that is closed first ends its prompt, then its tool servers.
 */
#include "acp/acp_parts.h"

#include "acp/message/acp_server.h"
#include "base/gen/limits.h"
#include "base/memory.h"

#include <stdio.h>

/* Pages that one session/list reads to find a session of its directory. */
#define PAGES_MAX 50

/* ---- life ---- */

static struct acp_thread *thread_new(struct acp_session *s, struct str id, struct str cwd)
{
	struct acp_thread *t = memory_zeroed(1, sizeof *t);

	t->s = s;
	snprintf(t->id, sizeof t->id, "%.*s", STR_ARG(id));
	t->cwd = memory_strndup(cwd.ptr ? cwd.ptr : "", cwd.len);
	t->past_through = -1;
	list_init(&t->node);
	list_init(&t->asks);
	list_init(&t->outputs);
	list_init(&t->files);
	list_add(&s->threads, &t->node);
	s->thread_count++;
	return t;
}

static void forget_calls(struct acp_thread *t)
{
	LIST_EACH (&t->s->calls, node) {
		struct acp_open_call *c = LIST_ITEM(node, struct acp_open_call, node);

		if (c->thread == t)
			c->thread = NULL;
	}
}

static void end_request(struct acp_thread *t, struct acp_request *r, struct json problem)
{
	if (r && json_is(problem))
		acp_peer_refuse_by(t->s, r, problem);
	else if (r)
		acp_peer_answer(r, STR("{}"));
}

void acp_open_free(struct acp_thread *t, struct json problem)
{
	end_request(t, t->opening, problem);
	end_request(t, t->closing, problem);
	acp_past_free(t);
	acp_output_free_all(t);
	acp_file_free_all(t);
	acp_plan_free(t);
	acp_ask_free_all(t);
	forget_calls(t);
	list_remove(&t->node);
	t->s->thread_count--;
	memory_free(t->cwd);
	memory_free(t->servers);
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
	                    "Too many sessions are open in this connection; close one of them.");
	return false;
}

/* ---- tool servers that the editor names ---- */

/* Without a key: after a restart the runtime has to start them again, not to repeat its reply. */
static void call_attach(struct acp_thread *t, enum acp_call what, const char *servers)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KEY(&p.w, "servers");
	jw_raw(&p.w, str_from(servers));
	acp_peer_call(t->s, what, "attach_tool_servers", &p)->thread = t;
}

static void attach(struct acp_thread *t)
{
	if (!t->servers)
		return;
	t->is_attaching = true;
	call_attach(t, ACP_CALL_ATTACH, t->servers);
}

/* A server that cannot be used does not keep the session from working. */
static void tell_unused(struct acp_thread *t, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "servers"));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row)) {
		struct str detail = json_str(JSON_GET(row, "detail"));

		if (detail.len)
			acp_peer_notice(t, arena_printf(t->s->mem,
			                                "The tool server %.*s is not used: %.*s",
			                                STR_ARG(json_str(JSON_GET(row, "name"))),
			                                STR_ARG(detail)));
	}
}

/* ---- opening ---- */

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
}

static void maybe_end_open(struct acp_thread *t)
{
	if (t->opening && !t->is_attaching && !t->hold && t->past_through >= 0 &&
	    t->seen >= t->past_through)
		end_open(t);
}

void acp_open_taken(struct acp_thread *t)
{
	maybe_end_open(t);
}

static void follow(struct acp_thread *t, struct json reply)
{
	t->past_through = json_int(JSON_GET(reply, "sequence"), 0);
	attach(t);
	t->s->ops->follow(t->s->owner, str_from(t->id), 0);
	maybe_end_open(t);
}

/* False: the request was refused. */
static bool read_place(struct acp_session *s, const struct jsonrpc_message *m, bool names_session,
                       struct acp_place *ret, char **ret_servers)
{
	CLEANUP(buf_done) struct buf servers = { 0 };
	struct error e;
	size_t count;

	*ret_servers = NULL;
	if (acp_peer_needs_login(s, m))
		return false;
	if (acp_message_read_place(m->params, names_session, ret, &e) != OK ||
	    acp_server_write(&servers, s->mem, ret->servers, &count, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return false;
	}
	if (count)
		*ret_servers = memory_strndup(servers.ptr, servers.len);
	return true;
}

/* ---- session/new ---- */

void acp_open_new(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_place place;
	struct acp_open_call *c;
	struct acp_request *r;
	struct acp_params p;
	char *servers;

	if (!read_place(s, m, false, &place, &servers))
		return;
	if (!has_room(s, m) || !(r = acp_peer_keep(s, m))) {
		memory_free(servers);
		return;
	}
	acp_config_ask_models(s);
	acp_peer_begin_call(&p, STR_NONE);
	JW_KSTR(&p.w, "cwd", place.cwd);
	acp_peer_add_key(s, &p);
	c = acp_peer_call(s, ACP_CALL_NEW, "create_session", &p);
	c->request = r;
	c->cwd = memory_strndup(place.cwd.ptr, place.cwd.len);
	c->servers = servers;
}

static void on_new(struct acp_session *s, struct acp_open_call *c, struct json reply)
{
	struct acp_thread *t =
		thread_new(s, json_str(JSON_GET(reply, "sessionId")), str_from(c->cwd));

	t->opening = c->request;
	t->is_new = t->is_silent = true;
	t->servers = c->servers;
	c->servers = NULL;
	follow(t, reply);
}

/* ---- session/load, session/resume ---- */

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
	struct acp_request *r = NULL;
	char *servers;

	if (!read_place(s, m, true, &place, &servers))
		return;
	t = acp_peer_thread(s, place.session_id);
	if (t && (t->opening || t->prompt || t->closing))
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "This session is busy in this connection.");
	else if (t || has_room(s, m))
		r = acp_peer_keep(s, m);
	if (!r) {
		memory_free(servers);
		return;
	}
	acp_config_ask_models(s);
	if (t && t->servers && !servers) /* those that it had end */
		servers = memory_strdup("{}");
	if (t) /* it is opened once more */
		acp_open_free(t, (struct json){ 0 });
	t = thread_new(s, place.session_id, place.cwd);
	t->opening = r;
	t->is_silent = is_silent;
	t->servers = servers;
	t->has_title = true;
	call_open(t);
}

void acp_open_load(struct acp_session *s, const struct jsonrpc_message *m)
{
	begin_open(s, m, false);
}

void acp_open_resume(struct acp_session *s, const struct jsonrpc_message *m)
{
	begin_open(s, m, true);
}

/* A session whose first call is open needs nothing here: that call is sent again. */
void acp_open_reconnected(struct acp_thread *t)
{
	if (t->opening && t->past_through < 0)
		return;
	if (*t->s->channel && !t->opening)
		call_bind(t);
	if (!t->is_attaching && !t->closing)
		attach(t);
	t->s->ops->follow(t->s->owner, str_from(t->id), t->seen);
}

/* ---- session/list ---- */

static void call_list(struct acp_session *s, struct acp_request *r, struct str cwd,
                      struct str cursor, struct buf *rows, unsigned pages)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, STR_NONE);
	JW_KOPT(&p.w, "cursor", cursor);
	JW_KBOOL(&p.w, "archived", false);
	c = acp_peer_call(s, ACP_CALL_LIST, "list_sessions", &p);
	c->request = r;
	c->cwd = str_is(cwd) ? memory_strndup(cwd.ptr, cwd.len) : NULL;
	c->rows = *rows;
	c->pages = pages;
	*rows = (struct buf){ 0 };
}

void acp_open_list(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct str cwd = STR_NONE, cursor = STR_NONE;
	struct buf none = { 0 };
	struct acp_request *r;
	struct error e;

	if (acp_message_read_list(m->params, &cwd, &cursor, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	r = acp_peer_keep(s, m);
	if (r)
		call_list(s, r, cwd, cursor, &none, 0);
}

static void answer_list(struct acp_request *r, struct str rows, struct str cursor)
{
	CLEANUP(buf_done) struct buf result = { 0 };
	struct json_writer w;

	jw_init(&w, &result);
	jw_obj(&w);
	JW_KEY(&w, "sessions");
	jw_raw(&w, rows);
	JW_KOPT(&w, "nextCursor", cursor);
	jw_obj_end(&w);
	acp_peer_answer(r, buf_str(&result));
}

/* A page without a session of the directory is not shown: the next one may have some. */
static void on_list(struct acp_session *s, struct acp_open_call *c, struct json reply)
{
	struct str cursor = json_str(JSON_GET(reply, "nextCursor"));
	struct json_writer w;
	size_t count;

	buf_clear(&c->rows);
	jw_init(&w, &c->rows);
	jw_arr(&w);
	count = acp_message_write_sessions(&w, reply, str_from(c->cwd));
	jw_arr_end(&w);
	if (!count && str_is(cursor) && c->pages < PAGES_MAX)
		call_list(s, c->request, str_from(c->cwd), cursor, &c->rows, c->pages + 1);
	else
		answer_list(c->request, buf_str(&c->rows), cursor);
}

/* ---- session/close, session/delete ---- */

static void call_delete(struct acp_session *s, struct acp_request *r, struct str id)
{
	struct acp_params p;

	acp_peer_begin_call(&p, id);
	JW_KSTR(&p.w, "reason", STR("deleted in an editor"));
	acp_peer_add_key(s, &p);
	acp_peer_call(s, ACP_CALL_DELETE, "delete_session", &p)->request = r;
}

/* The runtime may forget the session, although the editor stays connected. */
static void call_leave(struct acp_thread *t)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	acp_peer_add_key(t->s, &p);
	acp_peer_call(t->s, ACP_CALL_OTHER, "leave_session", &p);
}

/* Nothing of the session is needed here any more. */
static void finish(struct acp_thread *t)
{
	struct acp_session *s = t->s;
	struct acp_request *r = t->closing;
	struct str id = arena_keep(s->mem, str_from(t->id));
	bool is_deleted = t->is_deleted;

	t->closing = NULL;
	call_leave(t);
	s->ops->unfollow(s->owner, id);
	acp_open_free(t, (struct json){ 0 });
	if (is_deleted)
		call_delete(s, r, id);
	else
		acp_peer_answer(r, STR("{}"));
}

void acp_open_settle(struct acp_thread *t)
{
	if (!t->closing || t->state != ACP_PROMPT_NONE)
		return;
	if (!t->servers || t->is_detached) {
		finish(t);
	} else if (!t->is_attaching) {
		t->is_attaching = true;
		call_attach(t, ACP_CALL_DETACH, "{}");
	}
}

/* Work of this editor is cancelled; a turn of another client continues. */
static void begin_close(struct acp_thread *t, struct acp_request *r, bool is_deleted)
{
	t->closing = r;
	t->is_deleted = is_deleted;
	acp_prompt_cancel(t);
	acp_open_settle(t);
}

/* NULL: it is not open.  *ret_refused: it is busy, and the request was refused. */
static struct acp_thread *thread_to_close(struct acp_session *s, const struct jsonrpc_message *m,
                                          struct str id, bool *ret_refused)
{
	struct acp_thread *t = acp_peer_thread(s, id);

	*ret_refused = t && (t->opening || t->closing);
	if (*ret_refused)
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "This session is busy in this connection.");
	return t;
}

static void close_or_delete(struct acp_session *s, const struct jsonrpc_message *m, bool is_deleted)
{
	struct acp_request *r;
	struct acp_thread *t;
	bool is_refused;
	struct error e;
	struct str id;

	if (acp_message_read_session_id(m->params, &id, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	t = thread_to_close(s, m, id, &is_refused);
	if (is_refused)
		return;
	if (!t && !is_deleted) {
		acp_peer_refuse_now(m, ACP_NOT_FOUND, ACP_NOT_OPEN);
		return;
	}
	r = acp_peer_keep(s, m);
	if (r && t)
		begin_close(t, r, is_deleted);
	else if (r)
		call_delete(s, r, id);
}

void acp_open_close(struct acp_session *s, const struct jsonrpc_message *m)
{
	close_or_delete(s, m, false);
}

void acp_open_delete(struct acp_session *s, const struct jsonrpc_message *m)
{
	close_or_delete(s, m, true);
}

/* What does not exist needs no deletion. */
static void on_deleted(struct acp_session *s, const struct acp_open_call *c, bool is_ok,
                       struct json reply)
{
	if (is_ok || acp_message_code_of(reply) == ACP_NOT_FOUND)
		acp_peer_answer(c->request, STR("{}"));
	else
		acp_peer_refuse_by(s, c->request, reply);
}

/* ---- replies ---- */

static void on_attached(struct acp_thread *t, bool is_ok, struct json reply)
{
	t->is_attaching = false;
	if (is_ok)
		tell_unused(t, reply);
	else
		acp_peer_notice(t, arena_printf(t->s->mem,
		                                "The tool servers of the editor are not used: %.*s",
		                                STR_ARG(acp_message_text_of(reply))));
	maybe_end_open(t);
	acp_open_settle(t);
}

static void on_refused(struct acp_session *s, const struct acp_open_call *c, struct json problem)
{
	if (c->request)
		acp_peer_refuse_by(s, c->request, problem);
	else if (c->thread)
		acp_open_free(c->thread, problem);
}

void acp_open_replied(struct acp_session *s, struct acp_open_call *c, bool is_ok, struct json reply)
{
	if (c->what == ACP_CALL_DELETE) {
		on_deleted(s, c, is_ok, reply);
	} else if (c->what == ACP_CALL_ATTACH) {
		if (c->thread)
			on_attached(c->thread, is_ok, reply);
	} else if (c->what == ACP_CALL_DETACH) {
		if (c->thread)
			c->thread->is_attaching = false, c->thread->is_detached = true;
	} else if (!is_ok) {
		on_refused(s, c, reply);
	} else if (c->what == ACP_CALL_NEW) {
		on_new(s, c, reply);
	} else if (c->what == ACP_CALL_LIST) {
		on_list(s, c, reply);
	} else if (c->thread) {
		follow(c->thread, reply);
	}
}

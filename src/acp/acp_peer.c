/*
 * What the parts of a conversation share: messages to the editor, commands to the runtime, and the
 * look-up of open sessions.
 */
#include "acp/acp_parts.h"

#include "base/memory.h"

#include <stdio.h>

/* ---- messages to the editor ---- */

void acp_peer_notify(struct acp_session *s, const char *method, struct buf *params)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	jsonrpc_write_call(&line, STR_NONE, str_from(method), buf_str(params));
	s->ops->send(s->owner, buf_str(&line));
	buf_done(params);
}

int64_t acp_peer_ask(struct acp_session *s, const char *method, struct buf *params)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	char id[24];

	snprintf(id, sizeof id, "%lld", (long long)++s->last_request);
	jsonrpc_write_call(&line, str_from(id), str_from(method), buf_str(params));
	s->ops->send(s->owner, buf_str(&line));
	buf_done(params);
	return s->last_request;
}

void acp_peer_notice(struct acp_thread *t, struct str text)
{
	struct buf params = { 0 };

	if (!t->s->client.has_notices)
		return;
	acp_update_write_notice(&params, str_from(t->id), text);
	acp_peer_notify(t->s, "session/update", &params);
}

/* ---- requests of the editor ---- */

bool acp_peer_needs_login(struct acp_session *s, const struct jsonrpc_message *m)
{
	if (s->is_logged_out)
		acp_peer_refuse_now(m, ACP_AUTH_REQUIRED,
		                    "You have logged out in this editor; sign in again.");
	return s->is_logged_out;
}

static void request_free(struct acp_request *r)
{
	list_remove(&r->node);
	memory_free(r->id);
	memory_free(r);
}

void acp_peer_answer(struct acp_request *r, struct str result)
{
	jsonrpc_reply(r->call, result);
	request_free(r);
}

void acp_peer_refuse(struct acp_request *r, int64_t code, struct str message, struct str data)
{
	jsonrpc_reply_error(r->call, code, message, data);
	request_free(r);
}

/* The problem itself is the error's data, so that a client can read its code. */
void acp_peer_refuse_by(struct acp_session *s, struct acp_request *r, struct json problem)
{
	acp_peer_refuse(r, acp_message_code_of(problem), acp_message_text_of(problem),
	                json_text(s->mem, problem));
}

void acp_peer_refuse_now(const struct jsonrpc_message *m, int64_t code, const char *message)
{
	jsonrpc_reply_error(m->call, code, str_from(message), STR_NONE);
}

static bool is_open(const struct acp_session *s, struct str id)
{
	LIST_EACH (&s->requests, node)
		if (str_eq(str_from(LIST_ITEM(node, struct acp_request, node)->id), id))
			return true;
	return false;
}

struct acp_request *acp_peer_keep(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_request *r;

	if (is_open(s, m->id)) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_REQUEST,
		                    "A request with this id is open; use another id.");
		return NULL;
	}
	r = memory_zeroed(1, sizeof *r);
	r->call = m->call;
	r->id = memory_strndup(m->id.ptr, m->id.len);
	list_init(&r->node);
	list_add(&s->requests, &r->node);
	return r;
}

/* ---- commands to the runtime ---- */

void acp_peer_begin_call(struct acp_params *p, struct str session_id)
{
	*p = (struct acp_params){ 0 };
	jw_init(&p->w, &p->text);
	jw_obj(&p->w);
	JW_KOPT(&p->w, "sessionId", session_id);
}

void acp_peer_add_key(struct acp_session *s, struct acp_params *p)
{
	JW_KSTR(&p->w, "idempotencyKey", id_make(s->mem, &s->ids, "acp"));
}

struct acp_open_call *acp_peer_call(struct acp_session *s, enum acp_call what, const char *command,
                                    struct acp_params *p)
{
	struct acp_open_call *c = memory_zeroed(1, sizeof *c);

	jw_obj_end(&p->w);
	c->what = what;
	c->tag = ++s->last_tag;
	list_init(&c->node);
	list_add(&s->calls, &c->node);
	s->ops->call(s->owner, c->tag, command, buf_str(&p->text));
	buf_done(&p->text);
	return c;
}

/* ---- open sessions ---- */

struct acp_thread *acp_peer_thread(struct acp_session *s, struct str session_id)
{
	LIST_EACH (&s->threads, node) {
		struct acp_thread *t = LIST_ITEM(node, struct acp_thread, node);

		if (str_eq(str_from(t->id), session_id))
			return t;
	}
	return NULL;
}

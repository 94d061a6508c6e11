/*
 * session/prompt and session/cancel.  A prompt is a turn whose id is chosen here, so that it can be
 * recognised in events that arrive before the reply, and submitted again over a new connection.
 */
#include "acp/acp_parts.h"

#include "base/gen/words.h"
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>

#define TO(state) (1u << ACP_PROMPT_##state)

/* The picture is in acp_session.h. */
static const unsigned prompt_transitions[ACP_PROMPT_STATES] = {
	[ACP_PROMPT_NONE] = TO(SUBMITTED),
	[ACP_PROMPT_SUBMITTED] = TO(RUNNING) | TO(STOPPING) | TO(NONE),
	[ACP_PROMPT_RUNNING] = TO(STOPPING) | TO(NONE),
	[ACP_PROMPT_STOPPING] = TO(NONE),
};

static void enter(struct acp_thread *t, enum acp_prompt_state to)
{
	assert(prompt_transitions[t->state] & (1u << to));
	t->state = to;
}

/* The prompt has ended; the caller answers the request that is returned. */
static struct acp_request *end_prompt(struct acp_thread *t)
{
	struct acp_request *r = t->prompt;

	acp_ask_withdraw(t, str_from(t->turn));
	enter(t, ACP_PROMPT_NONE);
	t->prompt = NULL;
	t->turn[0] = t->stop[0] = 0;
	t->wants_cancel = false;
	memory_free(t->held);
	t->held = NULL;
	return r;
}

static void end_stopped(struct acp_thread *t, struct str reason)
{
	CLEANUP(buf_done) struct buf result = { 0 };

	acp_message_write_stopped(&result, reason);
	acp_peer_answer(end_prompt(t), buf_str(&result));
}

/* ---- session/prompt ---- */

/* NULL: the request was refused. */
static struct acp_thread *idle_thread(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t;
	struct str id;
	struct error e;

	if (acp_peer_needs_login(s, m))
		return NULL;
	if (acp_message_read_session_id(m->params, &id, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return NULL;
	}
	t = acp_peer_thread(s, id);
	if (!t || t->opening || t->closing) {
		acp_peer_refuse_now(m, ACP_NOT_FOUND, ACP_NOT_OPEN);
		return NULL;
	}
	if (t->state != ACP_PROMPT_NONE) {
		acp_peer_refuse_now(
			m, JSONRPC_INVALID_REQUEST,
			"A prompt is running in this session; cancel it or wait for its end.");
		return NULL;
	}
	return t;
}

/* A session that begins in an editor is named after its first prompt. */
static void name_session(struct acp_thread *t, struct str title)
{
	struct acp_params p;

	if (t->has_title || !str_is(title))
		return;
	t->has_title = true;
	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "title", title);
	acp_peer_add_key(t->s, &p);
	acp_peer_call(t->s, ACP_CALL_OTHER, "update_session", &p);
}

/* model: of a command that asks for one; else absent. */
static void submit(struct acp_thread *t, struct str input, struct str model)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "turnId", str_from(t->turn));
	JW_KSTR(&p.w, "create", STR("never"));
	JW_KSTR(&p.w, "source", STR("acp"));
	if (*t->effort)
		JW_KSTR(&p.w, "effort", str_from(t->effort));
	JW_KOPT(&p.w, "model", model);
	JW_KEY(&p.w, "input");
	jw_raw(&p.w, input);
	c = acp_peer_call(t->s, ACP_CALL_SUBMIT, "submit_turn", &p);
	c->thread = t;
	snprintf(c->about, sizeof c->about, "%s", t->turn);
}

/* A prompt that begins with a command waits for the text of its file. */
static void expand(struct acp_thread *t, struct json params, struct str name, struct str arguments)
{
	struct str held = json_text(t->s->mem, params);
	struct acp_open_call *c;
	struct acp_params p;

	t->held = memory_strndup(held.ptr, held.len);
	acp_peer_begin_call(&p, STR_NONE);
	JW_KSTR(&p.w, "cwd", str_from(t->cwd));
	JW_KSTR(&p.w, "name", name);
	JW_KSTR(&p.w, "arguments", arguments);
	c = acp_peer_call(t->s, ACP_CALL_EXPAND, "expand_command", &p);
	c->thread = t;
	snprintf(c->about, sizeof c->about, "%s", t->turn);
}

static enum err read_prompt(struct acp_session *s, struct json params, struct str first,
                            struct buf *input, struct str *ret_title, struct error *e)
{
	enum err code = acp_message_read_prompt(s->mem, params, first, input, ret_title, e);

	if (!code && input->len > s->params_max)
		code = fail(e, ERR_TOO_LARGE, "The prompt is too large for one turn.");
	return code;
}

void acp_prompt_begin(struct acp_session *s, const struct jsonrpc_message *m)
{
	CLEANUP(buf_done) struct buf input = { 0 };
	struct acp_thread *t = idle_thread(s, m);
	struct str title, name, arguments;
	struct error e;

	if (!t)
		return;
	if (read_prompt(s, m->params, STR_NONE, &input, &title, &e) != OK) {
		acp_peer_refuse_now(m, JSONRPC_INVALID_PARAMS, e.message);
		return;
	}
	t->prompt = acp_peer_keep(s, m);
	if (!t->prompt)
		return;
	enter(t, ACP_PROMPT_SUBMITTED);
	snprintf(t->turn, sizeof t->turn, "%.*s", STR_ARG(id_make(s->mem, &s->ids, "turn")));
	name_session(t, title);
	if (acp_command_find(t, m->params, &name, &arguments))
		expand(t, m->params, name, arguments);
	else
		submit(t, buf_str(&input), STR_NONE);
}

/* The rest of the prompt stays; a cancelled one is not submitted. */
static void on_expanded(struct acp_thread *t, bool is_ok, struct json reply)
{
	CLEANUP(buf_done) struct buf input = { 0 };
	struct str title;
	struct json held;
	struct error e;

	if (!is_ok) {
		acp_peer_refuse_by(t->s, end_prompt(t), reply);
	} else if (t->wants_cancel) {
		end_stopped(t, STR(ACP_STOP_CANCELLED));
	} else if (json_read(t->s->mem, str_from(t->held), &held, &e) != OK ||
	           read_prompt(t->s, held, json_str(JSON_GET(reply, "text")), &input, &title, &e) !=
	                   OK) {
		acp_peer_refuse(end_prompt(t), JSONRPC_INVALID_PARAMS, str_from(e.message),
		                STR_NONE);
	} else {
		submit(t, buf_str(&input), json_str(JSON_GET(reply, "model")));
	}
}

/* ---- session/cancel ---- */

static void call_stop(struct acp_thread *t, enum acp_call what, const char *command,
                      const char *key)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	jw_kstr(&p.w, str_from(key), str_from(t->turn));
	JW_KSTR(&p.w, "reason", STR(WORD_INTERRUPT_REASON_USER));
	acp_peer_add_key(t->s, &p);
	c = acp_peer_call(t->s, what, command, &p);
	c->thread = t;
	snprintf(c->about, sizeof c->about, "%s", t->turn);
}

static void stop(struct acp_thread *t)
{
	enter(t, ACP_PROMPT_STOPPING);
	call_stop(t, ACP_CALL_STOP, "interrupt_turn", "turnId");
}

/* A turn that the runtime does not know yet cannot be stopped: that follows its acceptance. */
void acp_prompt_cancel(struct acp_thread *t)
{
	if (t->state == ACP_PROMPT_SUBMITTED)
		t->wants_cancel = true;
	else if (t->state == ACP_PROMPT_RUNNING)
		stop(t);
}

static void on_submitted(struct acp_thread *t, bool is_ok, struct json reply)
{
	if (!is_ok)
		acp_peer_refuse_by(t->s, end_prompt(t), reply);
	else if (t->state != ACP_PROMPT_SUBMITTED)
		return;
	else if (t->wants_cancel)
		stop(t);
	else
		enter(t, ACP_PROMPT_RUNNING);
}

/* A prompt that waits behind another client's turn is removed from the queue instead. */
void acp_prompt_replied(const struct acp_open_call *c, bool is_ok, struct json reply)
{
	struct acp_thread *t = c->thread;

	if (!t || t->state == ACP_PROMPT_NONE || !str_eq(str_from(c->about), str_from(t->turn)))
		return; /* an event has ended it */
	if (c->what == ACP_CALL_EXPAND)
		on_expanded(t, is_ok, reply);
	else if (c->what == ACP_CALL_SUBMIT)
		on_submitted(t, is_ok, reply);
	else if (c->what == ACP_CALL_STOP && !is_ok)
		call_stop(t, ACP_CALL_UNQUEUE, "remove_queued_turn", "queuedTurnId");
}

/* ---- the end of the turn ---- */

/* The words of StopReason that a failed turn has; absent: it is an error. */
static struct str stop_of_failure(struct json payload)
{
	static const struct {
		const char *category, *reason;
	} stops[] = {
		{ WORD_ERROR_CATEGORY_MAX_STEPS, ACP_STOP_MAX_REQUESTS },
		{ WORD_ERROR_CATEGORY_CONTEXT_LENGTH, ACP_STOP_MAX_TOKENS },
		{ WORD_ERROR_CATEGORY_REFUSAL, ACP_STOP_REFUSAL },
		{ WORD_ERROR_CATEGORY_CONTENT_FILTER, ACP_STOP_REFUSAL },
	};
	struct str category = json_str(JSON_GET(payload, "category"));

	if (str_eq(json_str(JSON_GET(payload, "outcome")), STR(WORD_TURN_OUTCOME_CANCELLED)))
		return STR(ACP_STOP_CANCELLED);
	for (size_t i = 0; i < COUNT_OF(stops); i++)
		if (str_eq(category, str_from(stops[i].category)))
			return str_from(stops[i].reason);
	return STR_NONE;
}

/* Of a completed turn its last model response says why it ended. */
static struct str stop_of_success(const struct acp_thread *t)
{
	struct str last = str_from(t->stop);

	if (str_eq(last, STR(WORD_STOP_REASON_MAX_TOKENS)))
		return STR(ACP_STOP_MAX_TOKENS);
	if (str_eq(last, STR(WORD_STOP_REASON_REFUSAL)) ||
	    str_eq(last, STR(WORD_STOP_REASON_CONTENT_FILTER)))
		return STR(ACP_STOP_REFUSAL);
	return STR(ACP_STOP_END_TURN);
}

static void end_failed(struct acp_thread *t, struct json payload)
{
	struct str message = json_str(JSON_GET(payload, "message"));
	struct str reason = stop_of_failure(payload);
	struct str category = json_str(JSON_GET(payload, "category"));
	bool needs_key = str_eq(category, STR(WORD_ERROR_CATEGORY_AUTH));

	if (str_is(reason))
		end_stopped(t, reason);
	else
		acp_peer_refuse(end_prompt(t),
		                needs_key ? ACP_AUTH_REQUIRED : JSONRPC_INTERNAL_ERROR,
		                message.len ? message : STR("The turn failed."),
		                json_text(t->s->mem, payload));
}

/* The channel's cursor: list_channels shows how far the editor has read. */
static void acknowledge(struct acp_thread *t)
{
	struct acp_params p;

	if (!*t->s->channel)
		return;
	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "channelId", str_from(t->s->channel));
	JW_KINT(&p.w, "sequence", t->seen);
	acp_peer_call(t->s, ACP_CALL_OTHER, "ack_events", &p);
}

void acp_prompt_refuse(struct acp_thread *t, struct json problem)
{
	if (t->state != ACP_PROMPT_NONE)
		acp_peer_refuse_by(t->s, end_prompt(t), problem);
}

void acp_prompt_event(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");

	if (t->state == ACP_PROMPT_NONE ||
	    !str_eq(json_str(JSON_GET(event, "turnId")), str_from(t->turn)))
		return;
	if (str_eq(type, STR("model.completed")))
		snprintf(t->stop, sizeof t->stop, "%.*s",
		         STR_ARG(json_str(JSON_GET(payload, "stopReason"))));
	else if (str_eq(type, STR("turn.completed")))
		end_stopped(t, stop_of_success(t));
	else if (str_eq(type, STR("turn.failed")))
		end_failed(t, payload);
	if (t->state == ACP_PROMPT_NONE)
		acknowledge(t);
}

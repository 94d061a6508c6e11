/*
 * Questions to the user of an editor: approvals of the runtime, questions with a typed answer, logins, and whether a turn
 * that a restart has interrupted continues.  A question is open from its event until another event settles it, not
 * until the editor answers: another client may be faster, and the log says who was.
 *
 * How it is asked depends on what the editor has declared: an approval and a choice as a permission, a typed answer as a
 * form, a login as a page.  What the editor cannot show stays answerable elsewhere, and the user learns how.
 */
#include "acp/acp_parts.h"

#include "acp/message/acp_form.h"
#include "base/gen/words.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>

#define TITLE_MAX 2000
#define REQUEST_MAX 1600 /* of a request to a model that the title shows completely */

struct acp_ask {
	struct list node;
	char action[ACP_ID_MAX]; /* "": whether the turn continues */
	char turn[ACP_ID_MAX];
	char call[ACP_ID_MAX]; /* the tool call that it is shown at */
	char *title;
	char *schema;    /* of a typed answer; or NULL */
	char *url;       /* the page of a login; or NULL */
	int64_t request; /* id of the open request; 0: not asked, or answered */
	bool has_session_scope, has_workspace_scope;
	bool is_choice;    /* it can be answered by allow or deny */
	bool has_decline;  /* a typed answer can be declined */
	bool is_url_shown; /* the editor shows the page until the login has ended */
	enum ask_form { ASK_PERMISSION, ASK_FORM, ASK_URL, ASK_CHOICE } form; /* as it was asked */
};

/* ---- options ---- */

static const struct option {
	struct acp_option shown;
	const char *decision, *scope;
} options[] = {
	{ { "allow_once", "Allow once", "allow_once" },
	  WORD_APPROVAL_DECISION_ALLOW,
	  WORD_GRANT_SCOPE_ONCE },
	{ { "allow_session", "Allow for this session", "allow_always" },
	  WORD_APPROVAL_DECISION_ALLOW,
	  WORD_GRANT_SCOPE_SESSION },
	{ { "allow_workspace", "Always allow in this workspace", "allow_always" },
	  WORD_APPROVAL_DECISION_ALLOW,
	  WORD_GRANT_SCOPE_WORKSPACE },
	{ { "reject_once", "Reject", "reject_once" }, WORD_APPROVAL_DECISION_DENY, NULL },
};

static const struct acp_option resume_options[] = {
	{ "continue", "Continue", "allow_once" },
	{ "stop", "Stop", "reject_once" },
};

static bool is_offered(const struct acp_ask *a, const struct option *o)
{
	struct str scope = str_from(o->scope);

	return str_eq(scope, STR(WORD_GRANT_SCOPE_SESSION))     ? a->has_session_scope
	       : str_eq(scope, STR(WORD_GRANT_SCOPE_WORKSPACE)) ? a->has_workspace_scope
	                                                        : true;
}

static size_t list_options(const struct acp_ask *a, struct acp_option *ret)
{
	size_t count = 0;

	for (size_t i = 0; !*a->action && i < COUNT_OF(resume_options); i++)
		ret[count++] = resume_options[i];
	for (size_t i = 0; *a->action && i < COUNT_OF(options); i++)
		if (is_offered(a, &options[i]))
			ret[count++] = options[i].shown;
	return count;
}

/* ---- asking ---- */

static void send_note(struct acp_thread *t, const struct acp_ask *a, struct str text)
{
	struct buf params = { 0 };

	acp_update_write_note(&params, str_from(t->id), str_from(a->call), text);
	acp_peer_notify(t->s, "session/update", &params);
}

/* The editor cannot answer it, or has not: the user learns how, because the turn waits. */
static void tell_elsewhere(struct acp_thread *t, const struct acp_ask *a)
{
	struct arena *mem = t->s->mem;

	if (!*a->action)
		send_note(t, a,
		          arena_printf(mem, "Waiting: %s To continue, run: thole resume %s",
		                       a->title, t->id));
	else
		send_note(t, a,
		          arena_printf(mem, "Waiting: %s To decide, run: thole approve %s%s",
		                       a->title, a->action, a->is_choice ? "" : " --answer TEXT"));
}

static void ask_permission(struct acp_thread *t, struct acp_ask *a)
{
	struct acp_option shown[COUNT_OF(options)];
	struct acp_permission p = {
		.session_id = str_from(t->id),
		.call_id = str_from(a->call),
		.title = str_from(a->title),
		.options = shown,
		.option_count = list_options(a, shown),
	};
	struct buf params = { 0 };

	acp_message_write_permission(&params, &p);
	a->form = ASK_PERMISSION;
	a->request = acp_peer_ask(t->s, "session/request_permission", &params);
}

static bool read_schema(struct acp_thread *t, const struct acp_ask *a, struct json *ret)
{
	return a->schema && json_read(t->s->mem, str_from(a->schema), ret, NULL) == OK;
}

static void begin_elicitation(struct acp_thread *t, const struct acp_ask *a, struct json_writer *w,
                              const char *mode)
{
	jw_obj(w);
	JW_KSTR(w, "sessionId", str_from(t->id));
	JW_KSTR(w, "toolCallId", str_from(a->call));
	JW_KSTR(w, "mode", str_from(mode));
	JW_KSTR(w, "message", str_from(a->title));
}

/* False: the answer has no form. */
static bool ask_form(struct acp_thread *t, struct acp_ask *a)
{
	struct buf params = { 0 };
	struct json_writer w;
	struct json schema;

	if (!t->s->client.has_forms || a->url || !read_schema(t, a, &schema))
		return false;
	jw_init(&w, &params);
	begin_elicitation(t, a, &w, "form");
	JW_KEY(&w, "requestedSchema");
	if (!acp_form_write(&w, schema)) {
		buf_done(&params);
		return false;
	}
	jw_obj_end(&w);
	a->form = ASK_FORM;
	a->request = acp_peer_ask(t->s, "elicitation/create", &params);
	return true;
}

/* The page is for the user's browser; nothing of the login passes through the editor. */
static bool ask_url(struct acp_thread *t, struct acp_ask *a)
{
	struct buf params = { 0 };
	struct json_writer w;

	if (!t->s->client.has_urls || !a->url)
		return false;
	jw_init(&w, &params);
	begin_elicitation(t, a, &w, "url");
	JW_KSTR(&w, "elicitationId", str_from(a->action));
	JW_KSTR(&w, "url", str_from(a->url));
	jw_obj_end(&w);
	a->form = ASK_URL;
	a->is_url_shown = true;
	a->request = acp_peer_ask(t->s, "elicitation/create", &params);
	return true;
}

/* A question with few answers, in an editor without forms: options as those of a permission. */
static bool ask_choice(struct acp_thread *t, struct acp_ask *a)
{
	struct acp_option shown[ACP_FORM_CHOICES_MAX + 1];
	struct acp_permission p = { .session_id = str_from(t->id),
		                    .call_id = str_from(a->call),
		                    .title = str_from(a->title),
		                    .options = shown };
	struct acp_form_choice choice;
	struct buf params = { 0 };
	struct json schema;

	if (a->url || !read_schema(t, a, &schema) || !acp_form_read_choice(schema, &choice))
		return false;
	for (size_t i = 0; i < choice.count; i++)
		shown[p.option_count++] =
			(struct acp_option){ arena_printf(t->s->mem, "answer_%zu", i).ptr,
			                     arena_keep(t->s->mem, choice.names[i]).ptr,
			                     "allow_once" };
	if (a->has_decline)
		shown[p.option_count++] =
			(struct acp_option){ "decline", "Do not answer", "reject_once" };
	acp_message_write_permission(&params, &p);
	a->form = ASK_CHOICE;
	a->request = acp_peer_ask(t->s, "session/request_permission", &params);
	return true;
}

static void send_ask(struct acp_thread *t, struct acp_ask *a)
{
	if (ask_url(t, a))
		return;
	if (a->is_choice && !a->url)
		ask_permission(t, a);
	else if (!ask_form(t, a) && !ask_choice(t, a))
		tell_elsewhere(t, a);
}

void acp_ask_send_pending(struct acp_thread *t)
{
	LIST_EACH (&t->asks, node)
		send_ask(t, LIST_ITEM(node, struct acp_ask, node));
}

/* ---- opening ---- */

static void copy_id(char *to, struct json event, const char *name)
{
	snprintf(to, ACP_ID_MAX, "%.*s", STR_ARG(json_str(json_get(event, str_from(name)))));
}

static bool has_word(struct json list, struct str word)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(v), word))
			return true;
	return false;
}

/* Which decisions are offered; a question with a typed answer offers no `allow`. */
static void read_decisions(struct acp_ask *a, struct json decisions)
{
	struct json_iter it = json_iter(decisions);
	struct json d;
	struct str key;

	while (json_next(&it, &key, &d)) {
		struct json scopes = JSON_GET(d, "scopes");

		a->has_decline |= str_eq(json_str(JSON_GET(d, "decision")),
		                         STR(WORD_APPROVAL_DECISION_DECLINE));
		if (!str_eq(json_str(JSON_GET(d, "decision")), STR(WORD_APPROVAL_DECISION_ALLOW)))
			continue;
		a->is_choice = true;
		a->has_session_scope = has_word(scopes, STR(WORD_GRANT_SCOPE_SESSION));
		a->has_workspace_scope = has_word(scopes, STR(WORD_GRANT_SCOPE_WORKSPACE));
	}
}

static struct acp_ask *add_ask(struct acp_thread *t, struct json event, struct str title)
{
	struct acp_ask *a = memory_zeroed(1, sizeof *a);
	struct str shown = utf8_head(title, TITLE_MAX);

	a->title = memory_strndup(shown.ptr ? shown.ptr : "", shown.len);
	copy_id(a->turn, event, "turnId");
	copy_id(a->call, event, "toolCallId");
	list_init(&a->node);
	list_add(&t->asks, &a->node);
	return a;
}

/* The page of a login is a line of its own in the question. */
static char *find_page(struct str text)
{
	while (text.len) {
		struct str line = str_trim(str_cut(&text, '\n'));
		bool is_page =
			str_starts(line, STR("https://")) || str_starts(line, STR("http://"));

		if (is_page && str_find_char(line, ' ') < 0)
			return memory_strndup(line.ptr, line.len);
	}
	return NULL;
}

static struct acp_ask *open_action(struct acp_thread *t, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct json schema = JSON_GET(payload, "schema");
	struct str prompt = json_str(JSON_GET(payload, "prompt")), text;
	struct acp_ask *a = add_ask(t, event, prompt);

	if (json_is(schema)) {
		text = json_text(t->s->mem, schema);
		a->schema = memory_strndup(text.ptr, text.len);
	}
	if (str_eq(json_str(JSON_GET(payload, "actionType")), STR(WORD_ACTION_TYPE_CREDENTIAL)))
		a->url = find_page(prompt);

	copy_id(a->action, event, "actionId");
	if (!*a->call)
		copy_id(a->call, event, "actionId");
	read_decisions(a, JSON_GET(payload, "decisions"));
	/* An approval covers what was shown, and an editor shows no more than the title. */
	if (str_eq(json_str(JSON_GET(payload, "actionType")), STR(WORD_ACTION_TYPE_SAMPLING)) &&
	    json_int(JSON_GET(payload, "inputBytes"), 0) > REQUEST_MAX)
		a->is_choice = false;
	return a;
}

/* Only the user decides whether work continues that a restart has interrupted. */
static struct acp_ask *open_resume(struct acp_thread *t, struct json event)
{
	struct acp_ask *a = add_ask(
		t, event,
		STR("A restart interrupted this turn; what was in flight is lost. Continue?"));

	copy_id(a->call, event, "turnId");
	a->is_choice = true;
	return a;
}

/* ---- closing ---- */

static void ask_free(struct acp_ask *a)
{
	list_remove(&a->node);
	memory_free(a->title);
	memory_free(a->schema);
	memory_free(a->url);
	memory_free(a);
}

/* The editor takes the question from the screen; its answer, if one comes, is ignored. */
static void withdraw(struct acp_thread *t, struct acp_ask *a)
{
	struct buf params = { 0 };

	if (a->request) {
		acp_message_write_cancel(&params, a->request);
		acp_peer_notify(t->s, "$/cancel_request", &params);
	} else if (a->is_url_shown) {
		acp_message_write_complete(&params, str_from(a->action));
		acp_peer_notify(t->s, "elicitation/complete", &params);
	}
	ask_free(a);
}

void acp_ask_withdraw(struct acp_thread *t, struct str turn_id)
{
	LIST_EACH_SAFE (&t->asks, node, next) {
		struct acp_ask *a = LIST_ITEM(node, struct acp_ask, node);

		if (str_eq(str_from(a->turn), turn_id))
			withdraw(t, a);
	}
}

void acp_ask_free_all(struct acp_thread *t)
{
	while (!list_is_empty(&t->asks))
		ask_free(LIST_ITEM(t->asks.next, struct acp_ask, node));
}

static void close_action(struct acp_thread *t, struct str action_id)
{
	LIST_EACH_SAFE (&t->asks, node, next) {
		struct acp_ask *a = LIST_ITEM(node, struct acp_ask, node);

		if (*a->action && str_eq(str_from(a->action), action_id))
			withdraw(t, a);
	}
}

static void close_resume(struct acp_thread *t, struct str turn_id)
{
	LIST_EACH_SAFE (&t->asks, node, next) {
		struct acp_ask *a = LIST_ITEM(node, struct acp_ask, node);

		if (!*a->action && str_eq(str_from(a->turn), turn_id))
			withdraw(t, a);
	}
}

void acp_ask_event(struct acp_thread *t, struct str type, struct json event, bool is_past)
{
	struct str turn_id = json_str(JSON_GET(event, "turnId"));
	struct str kind = json_str(JSON_GET(JSON_GET(event, "payload"), "kind"));
	struct acp_ask *a = NULL;

	if (str_eq(type, STR("action.required")))
		a = open_action(t, event);
	else if (str_eq(type, STR("action.resolved")))
		close_action(t, json_str(JSON_GET(event, "actionId")));
	else if (str_eq(type, STR("run.status")) &&
	         str_eq(kind, STR(WORD_RUN_STATUS_KIND_RESUME_REQUIRED)))
		a = open_resume(t, event);
	else if (str_eq(type, STR("task.retrying")))
		close_resume(t, turn_id);
	else if (str_eq(type, STR("turn.completed")) || str_eq(type, STR("turn.failed")))
		acp_ask_withdraw(t, turn_id);
	if (a && !is_past)
		send_ask(t, a);
}

/* ---- answers ---- */

static struct acp_ask *find_request(struct acp_session *s, int64_t id, struct acp_thread **ret)
{
	LIST_EACH (&s->threads, outer) {
		*ret = LIST_ITEM(outer, struct acp_thread, node);
		LIST_EACH (&(*ret)->asks, node) {
			struct acp_ask *a = LIST_ITEM(node, struct acp_ask, node);

			if (a->request == id)
				return a;
		}
	}
	return NULL;
}

/* payload: the JSON of a typed answer; or absent. */
static void respond(struct acp_thread *t, const struct acp_ask *a, const char *decision,
                    const char *scope, struct str payload)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "actionId", str_from(a->action));
	JW_KSTR(&p.w, "decision", str_from(decision));
	JW_KOPT(&p.w, "scope", str_from(scope));
	if (str_is(payload)) {
		JW_KEY(&p.w, "payload");
		jw_raw(&p.w, payload);
	}
	acp_peer_add_key(t->s, &p);
	c = acp_peer_call(t->s, ACP_CALL_ANSWER, "respond_action", &p);
	c->thread = t;
	snprintf(c->about, sizeof c->about, "%s", a->action);
}

static void answer_resume(struct acp_thread *t, const struct acp_ask *a, bool continues)
{
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	if (!continues) {
		JW_KSTR(&p.w, "turnId", str_from(a->turn));
		JW_KSTR(&p.w, "reason", STR(WORD_INTERRUPT_REASON_USER));
	}
	acp_peer_add_key(t->s, &p);
	acp_peer_call(t->s, ACP_CALL_OTHER, continues ? "resume_thread" : "interrupt_turn", &p);
}

/* False: the option is not one that was offered. */
static bool take_option(struct acp_thread *t, const struct acp_ask *a, struct str id)
{
	for (size_t i = 0; *a->action && i < COUNT_OF(options); i++)
		if (str_eq(id, str_from(options[i].shown.id)) && is_offered(a, &options[i])) {
			respond(t, a, options[i].decision, options[i].scope, STR_NONE);
			return true;
		}
	for (size_t i = 0; !*a->action && i < COUNT_OF(resume_options); i++)
		if (str_eq(id, str_from(resume_options[i].id))) {
			answer_resume(t, a, i == 0);
			return true;
		}
	return false;
}

/* ---- typed answers ---- */

static bool decline(struct acp_thread *t, const struct acp_ask *a)
{
	respond(t, a, a->has_decline ? WORD_APPROVAL_DECISION_DECLINE : WORD_APPROVAL_DECISION_DENY,
	        NULL, STR_NONE);
	return true;
}

/* The runtime checks the content by the schema of the question. */
static bool take_form(struct acp_thread *t, const struct acp_ask *a, struct json result)
{
	struct str action = json_str(JSON_GET(result, "action"));
	struct json content = JSON_GET(result, "content");

	if (str_eq(action, STR("decline")))
		return decline(t, a);
	if (!str_eq(action, STR("accept")))
		return false;
	respond(t, a, WORD_APPROVAL_DECISION_ANSWER, NULL,
	        json_type(content) == JSON_OBJ ? json_text(t->s->mem, content) : STR("{}"));
	return true;
}

/* The user opens the page: the login itself ends the question. */
static bool take_url(struct acp_thread *t, struct acp_ask *a, struct json result)
{
	struct str action = json_str(JSON_GET(result, "action"));

	if (str_eq(action, STR("accept")))
		return true;
	a->is_url_shown = false;
	return str_eq(action, STR("decline")) && decline(t, a);
}

static bool take_choice(struct acp_thread *t, const struct acp_ask *a, struct str option)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct acp_form_choice choice;
	struct json_writer w;
	struct json schema;
	int64_t number;

	if (str_eq(option, STR("decline")) && a->has_decline)
		return decline(t, a);
	if (!str_starts(option, STR("answer_")) || !str_to_i64(str_skip(option, 7), &number) ||
	    !read_schema(t, a, &schema) || !acp_form_read_choice(schema, &choice) || number < 0 ||
	    (size_t)number >= choice.count)
		return false;
	jw_init(&w, &answer);
	jw_obj(&w);
	jw_kstr(&w, choice.property, choice.values[number]);
	jw_obj_end(&w);
	respond(t, a, WORD_APPROVAL_DECISION_ANSWER, NULL, buf_str(&answer));
	return true;
}

static bool take_result(struct acp_thread *t, struct acp_ask *a, struct json result)
{
	switch (a->form) {
	case ASK_FORM:
		return take_form(t, a, result);
	case ASK_URL:
		return take_url(t, a, result);
	case ASK_CHOICE:
		return take_choice(t, a, acp_message_read_selected(result));
	case ASK_PERMISSION:
		break;
	}
	return take_option(t, a, acp_message_read_selected(result));
}

/* No answer is not consent: an error, a closed question or an unknown option decides nothing. */
void acp_ask_answered(struct acp_session *s, const struct jsonrpc_message *m)
{
	struct acp_thread *t;
	struct acp_ask *a;
	int64_t id;

	if (!str_to_i64(m->id, &id) || id <= 0 || !(a = find_request(s, id, &t)))
		return;
	a->request = 0;
	if (m->kind == JSONRPC_RESULT && take_result(t, a, m->result))
		return;
	if (t->state != ACP_PROMPT_STOPPING)
		tell_elsewhere(t, a);
}

/* Another client was faster: the event that says so closes the question. */
void acp_ask_refused(const struct acp_open_call *c, struct json problem)
{
	if (!c->thread || str_eq(json_str(JSON_GET(problem, "code")), STR("already_resolved")))
		return;
	LIST_EACH (&c->thread->asks, node) {
		struct acp_ask *a = LIST_ITEM(node, struct acp_ask, node);

		if (str_eq(str_from(a->action), str_from(c->about)))
			tell_elsewhere(c->thread, a);
	}
}

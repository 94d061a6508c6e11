/*
 * Questions to the user of an editor: approvals of the runtime, and whether a turn that a restart
 * has interrupted continues.  A question is open from its event until another event settles it, not
 * until the editor answers: another client may be faster, and the log says who was.
 */
#include "acp/acp_session_int.h"

#include "base/gen/words.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>

#define TITLE_MAX 2000

struct acp_ask {
	struct list node;
	char action[ACP_ID_MAX]; /* "": whether the turn continues */
	char turn[ACP_ID_MAX];
	char call[ACP_ID_MAX]; /* the tool call that it is shown at */
	char *title;
	int64_t request; /* id of the open request; 0: not asked, or answered */
	bool has_session_scope, has_workspace_scope;
	bool is_choice; /* it can be answered by allow or deny */
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

static void send_ask(struct acp_thread *t, struct acp_ask *a)
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

	if (!a->is_choice) {
		tell_elsewhere(t, a);
		return;
	}
	acp_message_write_permission(&params, &p);
	a->request = acp_peer_ask(t->s, "session/request_permission", &params);
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

static struct acp_ask *open_action(struct acp_thread *t, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct acp_ask *a = add_ask(t, event, json_str(JSON_GET(payload, "prompt")));

	copy_id(a->action, event, "actionId");
	if (!*a->call)
		copy_id(a->call, event, "actionId");
	read_decisions(a, JSON_GET(payload, "decisions"));
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
	memory_free(a);
}

/* The editor takes the question from the screen; its answer, if one comes, is ignored. */
static void withdraw(struct acp_thread *t, struct acp_ask *a)
{
	struct buf params = { 0 };

	if (a->request) {
		acp_message_write_cancel(&params, a->request);
		acp_peer_notify(t->s, "$/cancel_request", &params);
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

static void answer_action(struct acp_thread *t, const struct acp_ask *a, const struct option *o)
{
	struct acp_open_call *c;
	struct acp_params p;

	acp_peer_begin_call(&p, str_from(t->id));
	JW_KSTR(&p.w, "actionId", str_from(a->action));
	JW_KSTR(&p.w, "decision", str_from(o->decision));
	JW_KOPT(&p.w, "scope", str_from(o->scope));
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
		JW_KSTR(&p.w, "reason", STR("user"));
	}
	acp_peer_add_key(t->s, &p);
	acp_peer_call(t->s, ACP_CALL_OTHER, continues ? "resume_thread" : "interrupt_turn", &p);
}

/* False: the option is not one that was offered. */
static bool take_option(struct acp_thread *t, const struct acp_ask *a, struct str id)
{
	for (size_t i = 0; *a->action && i < COUNT_OF(options); i++)
		if (str_eq(id, str_from(options[i].shown.id)) && is_offered(a, &options[i])) {
			answer_action(t, a, &options[i]);
			return true;
		}
	for (size_t i = 0; !*a->action && i < COUNT_OF(resume_options); i++)
		if (str_eq(id, str_from(resume_options[i].id))) {
			answer_resume(t, a, i == 0);
			return true;
		}
	return false;
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
	if (m->kind == JSONRPC_RESULT && take_option(t, a, acp_message_read_selected(m->result)))
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

/* Writes the events of a turn as those of a run. */
#include "agui/agui_write.h"

#include "base/gen/words.h"

#define KIND_PERMISSION "permission"
#define KIND_INPUT "answer"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_word(struct str s, const char *word)
{
	return str_is(s) && str_eq(s, str_from(word));
}

/* ---- events ---- */

/* RUN_FINISHED waits until the state was sent. */
static void send_last(struct agui_run *r, struct agui_writing *x)
{
	struct buf out = { 0 }, *before = r->out;

	r->out = &out;
	agui_write_send(r, x);
	r->out = before;
	r->last = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
}

void agui_run_close(struct agui_run *r)
{
	if (str_is(r->last))
		buf_add_str(r->out, r->last);
	r->last = STR_NONE;
}

static void send_delta(struct agui_run *r, const struct agui_speaker *s, const char *type,
                       const char *id_name, struct str id, struct str delta)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, type);

	jw_kstr(w, str_from(id_name), id);
	JW_KSTR(w, "delta", delta);
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	agui_write_send(r, &x);
}

static struct json_writer *begin_finish(struct agui_run *r, struct agui_writing *x)
{
	struct json_writer *w = agui_write_begin(x, "RUN_FINISHED");

	JW_KSTR(w, "threadId", r->thread_id);
	JW_KSTR(w, "runId", r->run_id);
	JW_KEY(w, "outcome");
	jw_obj(w);
	return w;
}

void agui_run_begin(struct agui_run *r)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, "RUN_STARTED");

	JW_KSTR(w, "threadId", r->thread_id);
	JW_KSTR(w, "runId", r->run_id);
	agui_write_send(r, &x);
}

void agui_run_fail(struct agui_run *r, struct str message, struct str code)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, "RUN_ERROR");

	JW_KSTR(w, "message", message);
	JW_KOPT(w, "code", code);
	agui_write_send(r, &x);
	r->end = AGUI_RUN_ENDED;
}

/* ---- messages ---- */

static void on_delta(struct agui_run *r, struct agui_speaker *s, struct json event,
                     struct json payload)
{
	struct str kind = text_at(payload, "kind"), piece = text_at(payload, "text");

	if (!piece.len || is_word(kind, WORD_DELTA_KIND_TOOL_ARGUMENTS))
		return;
	agui_write_end_reasoning(r, s);
	if (!str_is(s->text_id)) {
		s->text_id = arena_keep(r->mem, text_at(event, "stepId"));
		agui_write_message(r, s, "TEXT_MESSAGE_START", s->text_id, "assistant");
	}
	send_delta(r, s, "TEXT_MESSAGE_CONTENT", "messageId", s->text_id, piece);
}

static void on_reasoning(struct agui_run *r, struct agui_speaker *s, struct json event,
                         struct json payload)
{
	struct str piece = text_at(payload, "text");

	if (!piece.len || str_is(s->text_id))
		return;
	if (!str_is(s->reasoning_id)) {
		s->reasoning_id = arena_keep(r->mem, text_at(event, "stepId"));
		agui_write_message(r, s, "REASONING_START", s->reasoning_id, NULL);
		agui_write_message(r, s, "REASONING_MESSAGE_START", s->reasoning_id, "reasoning");
	}
	send_delta(r, s, "REASONING_MESSAGE_CONTENT", "messageId", s->reasoning_id, piece);
}

static void on_answered(struct agui_run *r, struct agui_speaker *s, struct json event,
                        struct json payload)
{
	(void)event;
	(void)payload;
	agui_write_end_messages(r, s);
}

/* ---- calls ---- */

static void send_call(struct agui_run *r, const struct agui_speaker *s, struct str id,
                      struct str name, struct str args)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, "TOOL_CALL_START");

	JW_KSTR(w, "toolCallId", id);
	JW_KSTR(w, "toolCallName", name);
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	agui_write_send(r, &x);
	if (args.len)
		send_delta(r, s, "TOOL_CALL_ARGS", "toolCallId", id, args);
	w = agui_write_begin(&x, "TOOL_CALL_END");
	JW_KSTR(w, "toolCallId", id);
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	agui_write_send(r, &x);
}

static bool is_of_client(struct json payload)
{
	return is_word(text_at(payload, "runtimeOwner"), "connector:client");
}

static void on_started(struct agui_run *r, struct agui_speaker *s, struct json event,
                       struct json payload)
{
	if (s == &r->self)
		r->open_calls++;
	if (!is_of_client(payload))
		send_call(r, s, text_at(event, "toolCallId"), text_at(payload, "toolName"),
		          json_text(r->mem, JSON_GET(payload, "safeArgs")));
}

/* All other calls of the round have ended or wait for the front end too. */
static void look_at_calls(struct agui_run *r)
{
	if (r->waiting_calls && r->waiting_calls == r->open_calls) {
		agui_write_end_messages(r, &r->self);
		agui_child_suspend(r, NULL, STR_NONE);
		r->end = AGUI_RUN_CALLS;
	}
}

static void on_progress(struct agui_run *r, struct agui_speaker *s, struct json event,
                        struct json payload)
{
	struct json args = JSON_GET(payload, "args");
	struct agui_call **last = &r->calls, *c;

	if (s != &r->self || !json_bool(JSON_GET(payload, "byClient"), false))
		return;
	while (*last)
		last = &(*last)->next;
	c = *last = ARENA_NEW(r->mem, struct agui_call);
	c->id = arena_keep(r->mem, text_at(event, "toolCallId"));
	c->name = arena_keep(r->mem, text_at(payload, "toolName"));
	if (json_is(args))
		c->args = json_text(r->mem, args);
	else
		c->args_ref = arena_keep(r->mem, text_at(payload, "inputRef"));
	r->waiting_calls++;
	look_at_calls(r);
}

/* Results that the front end gave itself are not sent back. */
static void on_call_ended(struct agui_run *r, struct agui_speaker *s, struct json event,
                          struct json payload)
{
	struct str id = text_at(event, "toolCallId");
	struct agui_writing x;
	struct json_writer *w;

	if (s == &r->self && !r->open_calls)
		return; /* it began in an earlier run */
	if (s == &r->self)
		r->open_calls--;
	w = agui_write_begin(&x, "TOOL_CALL_RESULT");
	JW_KSTR(w, "messageId", arena_printf(r->mem, "result_%.*s", STR_ARG(id)));
	JW_KSTR(w, "toolCallId", id);
	JW_KSTR(w, "content", text_at(payload, "displayPreview"));
	JW_KSTR(w, "role", STR("tool"));
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	agui_write_send(r, &x);
	look_at_calls(r);
}

/* ---- the end ---- */

static bool is_input(struct json payload)
{
	return is_word(text_at(payload, "actionType"), WORD_ACTION_TYPE_STRUCTURED_INPUT);
}

/* The id leads back to the turn of this run, also if a child asks. */
static struct str interrupt_id(struct agui_run *r, struct json event, struct json payload)
{
	return arena_printf(r->mem, "%.*s~%.*s~%s", STR_ARG(text_at(event, "actionId")),
	                    STR_ARG(r->turn_id), is_input(payload) ? KIND_INPUT : KIND_PERMISSION);
}

static void write_interrupt(struct json_writer *w, const struct agui_speaker *s, struct str id,
                            struct json event, struct json payload)
{
	struct json schema = JSON_GET(payload, "schema"), wait = JSON_GET(payload, "wait");

	jw_obj(w);
	JW_KSTR(w, "id", id);
	JW_KSTR(w, "reason", text_at(payload, "actionType"));
	JW_KSTR(w, "message", text_at(payload, "prompt"));
	JW_KOPT(w, "toolCallId", text_at(event, "toolCallId"));
	JW_KOPT(w, "subagentRunId", s->subagent_id);
	JW_KEY(w, "responseSchema");
	if (is_input(payload) && json_type(schema) == JSON_OBJ)
		jw_value(w, schema);
	else
		jw_raw(w, STR("{\"type\":\"object\",\"properties\":{\"approved\":{\"type\":"
		              "\"boolean\"}},\"required\":[\"approved\"]}"));
	JW_KOPT(w, "expiresAt", text_at(wait, "until"));
	jw_obj_end(w);
}

static void on_asked(struct agui_run *r, struct agui_speaker *s, struct json event,
                     struct json payload)
{
	struct str id = interrupt_id(r, event, payload);
	struct agui_writing x;
	struct json_writer *w;

	agui_write_end_messages(r, &r->self);
	agui_child_suspend(r, s, id);
	w = begin_finish(r, &x);
	JW_KSTR(w, "type", STR("interrupt"));
	JW_KEY(w, "interrupts");
	jw_arr(w);
	write_interrupt(w, s, id, event, payload);
	jw_arr_end(w);
	jw_obj_end(w);
	send_last(r, &x);
	r->end = AGUI_RUN_INTERRUPTED;
}

static void finish(struct agui_run *r, const char *outcome)
{
	struct agui_writing x;
	struct json_writer *w;

	agui_write_end_messages(r, &r->self);
	agui_child_suspend(r, NULL, STR_NONE);
	w = begin_finish(r, &x);
	JW_KSTR(w, "type", str_from(outcome));
	jw_obj_end(w);
	send_last(r, &x);
	r->end = AGUI_RUN_ENDED;
}

void agui_run_finish(struct agui_run *r)
{
	finish(r, "success");
}

/* The end of a child's turn is not that of the run. */
static void on_completed(struct agui_run *r, struct agui_speaker *s, struct json event,
                         struct json payload)
{
	(void)event;
	(void)payload;
	if (s == &r->self)
		finish(r, "success");
}

static void on_failed(struct agui_run *r, struct agui_speaker *s, struct json event,
                      struct json payload)
{
	(void)event;
	if (s != &r->self)
		return;
	if (is_word(text_at(payload, "outcome"), WORD_TURN_OUTCOME_CANCELLED)) {
		finish(r, "cancelled");
		return;
	}
	agui_write_end_messages(r, &r->self);
	agui_child_suspend(r, NULL, STR_NONE);
	agui_run_fail(r, text_at(payload, "message"), text_at(payload, "category"));
}

static const struct {
	const char *type;
	void (*take)(struct agui_run *r, struct agui_speaker *s, struct json event,
	             struct json payload);
} rows[] = {
	{ "model.delta", on_delta },        { "reasoning.delta", on_reasoning },
	{ "model.completed", on_answered }, { "model.failed", on_answered },
	{ "tool.started", on_started },     { "tool.progress", on_progress },
	{ "tool.result", on_call_ended },   { "tool.failed", on_call_ended },
	{ "action.required", on_asked },    { "turn.completed", on_completed },
	{ "turn.failed", on_failed },
};

/* NULL: an event of neither the turn nor a child of it. */
static struct agui_speaker *speaker_of(struct agui_run *r, struct json event)
{
	struct str turn_id = text_at(event, "turnId");

	if (!str_is(turn_id))
		return NULL;
	return str_eq(turn_id, r->turn_id) ? &r->self
	                                   : agui_child_find(r, text_at(event, "threadId"));
}

void agui_run_event(struct agui_run *r, struct json event)
{
	struct str type = text_at(event, "type");
	struct agui_speaker *s;

	if (r->end || !str_is(type))
		return;
	agui_child_event(r, type, event);
	agui_activity_event(r, type, event);
	s = speaker_of(r, event);
	if (!s || s->is_over)
		return;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(type, str_from(rows[i].type)))
			rows[i].take(r, s, event, JSON_GET(event, "payload"));
}

struct agui_call *agui_run_wants(const struct agui_run *r)
{
	for (struct agui_call *c = r->calls; c; c = c->next)
		if (!str_is(c->args))
			return c;
	return NULL;
}

void agui_run_finish_calls(struct agui_run *r)
{
	struct agui_writing x;
	struct json_writer *w;

	for (const struct agui_call *c = r->calls; c; c = c->next)
		send_call(r, &r->self, c->id, c->name, c->args);
	w = begin_finish(r, &x);
	JW_KSTR(w, "type", STR("success"));
	JW_KEY(w, "pendingToolCallIds");
	jw_arr(w);
	for (const struct agui_call *c = r->calls; c; c = c->next)
		jw_str(w, c->id);
	jw_arr_end(w);
	jw_obj_end(w);
	send_last(r, &x);
}

/* ---- the state ---- */

static void write_some(struct json_writer *w, struct json from, const char *const *names)
{
	for (; *names; names++) {
		struct json v = json_get(from, str_from(*names));

		if (!json_is(v))
			continue;
		jw_key(w, str_from(*names));
		jw_value(w, v);
	}
}

/* The rows of a list, with some of their members. */
static void write_list(struct json_writer *w, const char *key, struct json list,
                       const char *const *names)
{
	struct json_iter it = json_iter(list);
	struct json row;
	struct str name;

	jw_key(w, str_from(key));
	jw_arr(w);
	while (json_next(&it, &name, &row)) {
		jw_obj(w);
		write_some(w, row, names);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_thread(struct json_writer *w, struct str session_id, struct json thread)
{
	static const char *const whole[] = { "threadId", "status", "statusReason", "todo", NULL };
	static const char *const tasks[] = { "taskId", "title", "status", "statusReason", NULL };
	static const char *const children[] = { "subagentId", "role", "nickname", "status", NULL };
	static const char *const cost[] = { "state", "recordedUsd", "tokens", NULL };

	jw_obj(w);
	JW_KSTR(w, "sessionId", session_id);
	write_some(w, thread, whole);
	write_list(w, "tasks", JSON_GET(thread, "tasks"), tasks);
	write_list(w, "subagents", JSON_GET(thread, "subagents"), children);
	JW_KEY(w, "cost");
	jw_obj(w);
	write_some(w, JSON_GET(thread, "costState"), cost);
	jw_obj_end(w);
	jw_obj_end(w);
}

void agui_run_state(struct agui_run *r, struct json state, struct str session_id,
                    struct json thread)
{
	struct agui_writing x;
	struct json_writer *w = agui_write_begin(&x, "STATE_SNAPSHOT");
	struct json_iter it = json_iter(state);
	struct json v;
	struct str key;

	JW_KEY(w, "snapshot");
	jw_obj(w);
	while (json_type(state) == JSON_OBJ && json_next(&it, &key, &v)) {
		if (str_eq(key, STR("thole")))
			continue;
		jw_key(w, key);
		jw_value(w, v);
	}
	JW_KEY(w, "thole");
	write_thread(w, session_id, thread);
	jw_obj_end(w);
	agui_write_send(r, &x);
}

/* ---- interrupts ---- */

bool agui_run_read_interrupt(struct str id, struct str *ret_action, struct str *ret_turn,
                             enum agui_interrupt *ret_kind)
{
	struct str rest = id;

	*ret_action = str_cut(&rest, '~');
	*ret_turn = str_is(rest) ? str_cut(&rest, '~') : STR_NONE;
	if (!ret_action->len || !str_is(*ret_turn) || !ret_turn->len || !str_is(rest))
		return false;
	*ret_kind =
		str_eq(rest, STR(KIND_INPUT)) ? AGUI_INTERRUPT_INPUT : AGUI_INTERRUPT_PERMISSION;
	return str_eq(rest, STR(KIND_INPUT)) || str_eq(rest, STR(KIND_PERMISSION));
}

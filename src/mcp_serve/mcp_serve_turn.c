/* Folds the events of a turn to the result of a call. */
#include "mcp_serve/mcp_serve_turn.h"

#include "base/gen/words.h"
#include "mcp_serve/mcp_serve_id.h"

static const char *const state_words[] = {
	[MCP_SERVE_RUNNING] = "running",     [MCP_SERVE_WAITING] = "waiting",
	[MCP_SERVE_COMPLETED] = "completed", [MCP_SERVE_FAILED] = "failed",
	[MCP_SERVE_CANCELLED] = "cancelled",
};

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_word(struct str s, const char *word)
{
	return str_is(s) && str_eq(s, str_from(word));
}

void mcp_serve_turn_init(struct mcp_serve_turn *t, struct str session_id, struct str turn_id,
                         uint64_t first_sequence)
{
	struct arena *mem = arena_new();

	*t = (struct mcp_serve_turn){ .mem = mem,
		                      .session_id = arena_keep(mem, session_id),
		                      .turn_id = arena_keep(mem, turn_id),
		                      .first_sequence = first_sequence };
}

void mcp_serve_turn_done(struct mcp_serve_turn *t)
{
	arena_free(t->mem);
	buf_done(&t->text);
	*t = (struct mcp_serve_turn){ 0 };
}

/* ---- one event each ---- */

static void on_requested(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	(void)payload;
	buf_clear(&t->text);
	t->steps++;
	t->doing = STR("asks the model");
}

static void on_delta(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	struct str kind = text_at(payload, "kind");

	(void)event;
	if (is_word(kind, WORD_DELTA_KIND_TEXT) || is_word(kind, WORD_DELTA_KIND_STRUCTURED) ||
	    is_word(kind, WORD_DELTA_KIND_REFUSAL))
		buf_add_str(&t->text, text_at(payload, "text"));
}

static void on_tool(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	t->steps++;
	t->doing =
		arena_printf(t->mem, "runs the tool %.*s", STR_ARG(text_at(payload, "toolName")));
}

static void on_asked(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	struct mcp_serve_wait *wait = ARENA_NEW(t->mem, struct mcp_serve_wait);
	struct json schema = JSON_GET(payload, "schema");

	wait->action_id = arena_keep(t->mem, text_at(event, "actionId"));
	wait->type = arena_keep(t->mem, text_at(payload, "actionType"));
	wait->prompt = arena_keep(t->mem, text_at(payload, "prompt"));
	if (is_word(wait->type, WORD_ACTION_TYPE_STRUCTURED_INPUT) && json_is(schema))
		wait->schema = json_text(t->mem, schema);
	wait->next = t->waits;
	t->waits = wait;
	t->state = MCP_SERVE_WAITING;
	t->doing = STR("waits for a decision");
}

static bool is_waiting(const struct mcp_serve_turn *t)
{
	for (const struct mcp_serve_wait *w = t->waits; w; w = w->next)
		if (!w->is_over)
			return true;
	return false;
}

static void on_resolved(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	struct str id = text_at(event, "actionId");

	(void)payload;
	for (struct mcp_serve_wait *w = t->waits; w; w = w->next)
		if (str_is(id) && str_eq(w->action_id, id))
			w->is_over = true;
	if (!is_waiting(t))
		t->state = MCP_SERVE_RUNNING;
}

static void on_completed(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	(void)payload;
	t->state = MCP_SERVE_COMPLETED;
}

static void on_failed(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	t->error_code = arena_keep(t->mem, text_at(payload, "category"));
	t->error_message = arena_keep(t->mem, text_at(payload, "message"));
	t->state = is_word(text_at(payload, "outcome"), WORD_TURN_OUTCOME_CANCELLED)
	                   ? MCP_SERVE_CANCELLED
	                   : MCP_SERVE_FAILED;
}

static const struct {
	const char *type;
	void (*take)(struct mcp_serve_turn *t, struct json event, struct json payload);
} rows[] = {
	{ "model.requested", on_requested }, { "model.delta", on_delta },
	{ "tool.started", on_tool },         { "action.required", on_asked },
	{ "action.resolved", on_resolved },  { "turn.completed", on_completed },
	{ "turn.failed", on_failed },
};

void mcp_serve_turn_event(struct mcp_serve_turn *t, struct json event)
{
	struct str type = text_at(event, "type"), turn_id = text_at(event, "turnId");

	if (mcp_serve_turn_has_ended(t) || !str_is(type) || !str_is(turn_id) ||
	    !str_eq(turn_id, t->turn_id))
		return;
	if (!str_is(t->created_at))
		t->created_at = arena_keep(t->mem, text_at(event, "timestamp"));
	if (!str_is(t->thread_id))
		t->thread_id = arena_keep(t->mem, text_at(event, "threadId"));
	if (!str_is(t->task_id))
		t->task_id = arena_keep(t->mem, text_at(event, "taskId"));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!str_eq(type, str_from(rows[i].type)))
			continue;
		rows[i].take(t, event, JSON_GET(event, "payload"));
		if (!str_eq(type, STR("model.delta")))
			t->updated_at = arena_keep(t->mem, text_at(event, "timestamp"));
	}
}

/* ---- the result ---- */

const struct mcp_serve_wait *mcp_serve_turn_question(const struct mcp_serve_turn *t)
{
	for (const struct mcp_serve_wait *w = t->waits; w; w = w->next)
		if (!w->is_over && str_is(w->schema))
			return w;
	return NULL;
}

/* What a client that shows only texts shows. */
static struct str words_of(const struct mcp_serve_turn *t, struct arena *mem, struct str task)
{
	const struct mcp_serve_wait *wait = t->waits;

	while (wait && wait->is_over)
		wait = wait->next;
	switch (t->state) {
	case MCP_SERVE_RUNNING:
		return arena_printf(mem, "Still running. Call wait with task %.*s for the result.",
		                    STR_ARG(task));
	case MCP_SERVE_WAITING:
		return arena_printf(mem, "Waiting: %.*s\n%s Then call wait with task %.*s.",
		                    STR_ARG(wait ? wait->prompt : STR("")),
		                    wait && str_is(wait->schema)
		                            ? "Answer with send and this task."
		                            : "A person decides this, in the console, the chat or "
		                              "another client.",
		                    STR_ARG(task));
	case MCP_SERVE_COMPLETED:
		return buf_str(&t->text);
	case MCP_SERVE_CANCELLED:
		return STR("Cancelled.");
	default:
		return arena_printf(mem, "Failed: %.*s", STR_ARG(t->error_message));
	}
}

static void write_waits(const struct mcp_serve_turn *t, struct arena *mem, struct json_writer *w)
{
	JW_KEY(w, "waitingFor");
	jw_arr(w);
	for (const struct mcp_serve_wait *wait = t->waits; wait; wait = wait->next) {
		if (wait->is_over)
			continue;
		jw_obj(w);
		JW_KSTR(w, "action", mcp_serve_id_pair(mem, t->session_id, wait->action_id));
		JW_KSTR(w, "type", wait->type);
		JW_KSTR(w, "prompt", wait->prompt);
		if (str_is(wait->schema)) {
			JW_KEY(w, "schema");
			jw_raw(w, wait->schema);
		}
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_error(const struct mcp_serve_turn *t, struct json_writer *w)
{
	JW_KEY(w, "error");
	jw_obj(w);
	JW_KSTR(w, "code", t->error_code);
	JW_KSTR(w, "message", t->error_message);
	jw_obj_end(w);
}

void mcp_serve_turn_write(const struct mcp_serve_turn *t, struct json_writer *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_serve_task_id id = { t->session_id, t->task_id, t->turn_id, t->first_sequence };
	struct str task = mcp_serve_id_task(mem, &id);

	JW_KEY(w, "content");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", words_of(t, mem, task));
	jw_obj_end(w);
	jw_arr_end(w);
	JW_KEY(w, "structuredContent");
	jw_obj(w);
	JW_KSTR(w, "status", str_from(state_words[t->state]));
	JW_KSTR(w, "text", buf_str(&t->text));
	JW_KSTR(w, "thread", mcp_serve_id_pair(mem, t->session_id, t->thread_id));
	JW_KSTR(w, "task", task);
	if (t->state == MCP_SERVE_WAITING)
		write_waits(t, mem, w);
	if (t->state == MCP_SERVE_FAILED)
		write_error(t, w);
	jw_obj_end(w);
	JW_KBOOL(w, "isError", t->state == MCP_SERVE_FAILED);
}

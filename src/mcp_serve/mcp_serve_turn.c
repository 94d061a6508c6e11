/* Folds the events of a turn to the result of a call. */
#include "mcp_serve/mcp_serve_turn.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"
#include "base/utf8.h"
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

static void on_submitted(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	t->is_call = is_word(text_at(payload, "kind"), WORD_TURN_KIND_CALL);
}

/* Only the newest is kept: it is written at once, or not at all. */
static void on_log(struct mcp_serve_turn *t, struct json payload)
{
	t->logs++;
	t->log_level = arena_keep(t->mem, text_at(payload, "level"));
	t->logger = arena_keep(t->mem, text_at(payload, "logger"));
	t->log_data = json_text(t->mem, JSON_GET(payload, "data"));
}

static void on_progress(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	if (t->is_call && is_word(text_at(payload, "kind"), WORD_TOOL_PROGRESS_KIND_LOG)) {
		on_log(t, payload);
		return;
	}
	if (!t->is_call || !is_word(text_at(payload, "kind"), WORD_TOOL_PROGRESS_KIND_PROGRESS))
		return;
	t->is_moving = true;
	t->steps++;
	t->progress = json_int(JSON_GET(payload, "completed"), (int64_t)t->steps);
	t->total = json_int(JSON_GET(payload, "total"), 0);
	t->doing = arena_keep(t->mem, text_at(payload, "message"));
}

static void on_result(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	struct json image = json_at(JSON_GET(payload, "images"), 0);

	(void)event;
	if (!t->is_call)
		return;
	buf_clear(&t->text);
	buf_add_str(&t->text, text_at(payload, "displayPreview"));
	t->is_tool_error = json_bool(JSON_GET(payload, "isError"), false);
	t->content_ref = arena_keep(t->mem, text_at(payload, "contentRef"));
	t->structured_ref = arena_keep(t->mem, text_at(payload, "structuredContentRef"));
	t->output_ref = str_is(t->content_ref)
	                        ? STR_NONE
	                        : arena_keep(t->mem, text_at(payload, "rawOutputRef"));
	t->image_type = arena_keep(t->mem, text_at(image, "mediaType"));
}

/* What the tool wrote says more than the first words of it, which are the reason. */
static void on_tool_failed(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	struct str shown = text_at(payload, "displayPreview");

	if (!t->is_call)
		return;
	buf_clear(&t->text);
	if (is_word(text_at(payload, "category"), WORD_ERROR_CATEGORY_TOOL_FAILED) &&
	    str_is(shown) && shown.len)
		buf_add_str(&t->text, shown);
	else
		buf_printf(&t->text, "%.*s %.*s", STR_ARG(text_at(event, "statusReason")),
		           STR_ARG(text_at(payload, "advice")));
	t->is_tool_error = true;
	t->output_ref = arena_keep(t->mem, text_at(payload, "rawOutputRef"));
}

static void on_tool(struct mcp_serve_turn *t, struct json event, struct json payload)
{
	(void)event;
	if (t->is_call)
		return; /* it says itself how far it is */
	t->steps++;
	t->doing =
		arena_printf(t->mem, "runs the tool %.*s", STR_ARG(text_at(payload, "toolName")));
}

/* What the client itself is asked.  One form is answered like a question of any tool. */
static void take_requests(struct mcp_serve_turn *t, struct mcp_serve_wait *wait,
                          struct json requests)
{
	struct json_iter it = json_iter(requests);
	struct json first;

	wait->key = wait->action_id;
	if (json_type(requests) != JSON_OBJ || !json_next(&it, &wait->key, &first))
		return;
	wait->key = arena_keep(t->mem, wait->key);
	wait->requests = json_text(t->mem, requests);
	wait->is_keyed = json_count(requests) != 1 ||
	                 !is_word(text_at(first, "method"), "elicitation/create");
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
	take_requests(t, wait, JSON_GET(payload, "inputRequests"));
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
	{ "tool.progress", on_progress },    { "tool.result", on_result },
	{ "tool.failed", on_tool_failed },   { "turn.submitted", on_submitted },
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

struct mcp_serve_wait *mcp_serve_turn_question(const struct mcp_serve_turn *t)
{
	for (struct mcp_serve_wait *w = t->waits; w; w = w->next)
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

static void write_error(struct json_writer *w, struct str code, struct str message)
{
	JW_KEY(w, "error");
	jw_obj(w);
	JW_KSTR(w, "code", code);
	JW_KSTR(w, "message", message);
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
		write_error(w, t->error_code, t->error_message);
	jw_obj_end(w);
	JW_KBOOL(w, "isError", t->state == MCP_SERVE_FAILED);
}

/* ---- the result of a tool ---- */

struct str mcp_serve_turn_next_ref(const struct mcp_serve_turn *t)
{
	return str_is(t->content_ref)  ? t->content_ref
	       : str_is(t->output_ref) ? t->output_ref
	                               : t->structured_ref;
}

static bool is_json(struct str text, enum json_type type)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	return json_read(mem, text, &v, NULL) == OK && json_type(v) == type;
}

/* An image, or other bytes that are no text: as the protocol carries them. */
static struct str binary_part(struct mcp_serve_turn *t, struct str bytes)
{
	CLEANUP(buf_done) struct buf out = { 0 }, coded = { 0 };
	struct json_writer w;

	base64_write(&coded, bytes);
	jw_init(&w, &out);
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "type", str_is(t->image_type) ? STR("image") : STR("resource"));
	if (!str_is(t->image_type)) {
		JW_KEY(&w, "resource");
		jw_obj(&w);
		JW_KSTR(&w, "uri",
		        arena_printf(t->mem, "thole://sessions/%.*s/outputs/%.*s",
		                     STR_ARG(t->session_id), STR_ARG(t->output_ref)));
	}
	JW_KSTR(&w, "mimeType",
	        str_is(t->image_type) ? t->image_type : STR("application/octet-stream"));
	jw_kstr(&w, str_is(t->image_type) ? STR("data") : STR("blob"), buf_str(&coded));
	if (!str_is(t->image_type))
		jw_obj_end(&w);
	jw_obj_end(&w);
	jw_arr_end(&w);
	return arena_keep(t->mem, buf_str(&out));
}

void mcp_serve_turn_take(struct mcp_serve_turn *t, struct str bytes)
{
	if (str_is(t->content_ref)) {
		if (is_json(bytes, JSON_ARR))
			t->content = arena_keep(t->mem, bytes);
		t->content_ref = STR_NONE;
	} else if (str_is(t->output_ref)) {
		if (bytes.len && (str_is(t->image_type) || !utf8_is_valid(bytes))) {
			t->content = binary_part(t, bytes);
		} else if (bytes.len) {
			buf_clear(&t->text);
			buf_add_str(&t->text, bytes);
		}
		t->output_ref = STR_NONE;
	} else {
		if (is_json(bytes, JSON_OBJ))
			t->structured = arena_keep(t->mem, bytes);
		t->structured_ref = STR_NONE;
	}
}

void mcp_serve_turn_lose(struct mcp_serve_turn *t, struct str code, struct str message)
{
	t->lost_code = arena_keep(t->mem, code);
	t->lost_message = arena_keep(t->mem, message);
}

/* Of a tool that failed, the first words say enough. */
void mcp_serve_turn_skip(struct mcp_serve_turn *t, struct str code, struct str message)
{
	if (t->state == MCP_SERVE_COMPLETED)
		mcp_serve_turn_lose(t, code, message);
	mcp_serve_turn_take(t, STR(""));
}

/* What a client that shows only texts shows. */
static struct str result_words(const struct mcp_serve_turn *t, struct arena *mem)
{
	struct mcp_serve_task_id id = { t->session_id, t->task_id, t->turn_id, t->first_sequence };

	if (str_is(t->lost_code))
		return t->lost_message;
	return t->state == MCP_SERVE_COMPLETED || (t->state == MCP_SERVE_FAILED && t->text.len)
	               ? buf_str(&t->text)
	               : words_of(t, mem, mcp_serve_id_task(mem, &id));
}

void mcp_serve_turn_write_result(const struct mcp_serve_turn *t, struct json_writer *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_there = t->state == MCP_SERVE_COMPLETED && !str_is(t->lost_code);

	JW_KEY(w, "content");
	if (is_there && str_is(t->content)) {
		jw_raw(w, t->content);
	} else {
		jw_arr(w);
		jw_obj(w);
		JW_KSTR(w, "type", STR("text"));
		JW_KSTR(w, "text", result_words(t, mem));
		jw_obj_end(w);
		jw_arr_end(w);
	}
	if (is_there && str_is(t->structured)) {
		JW_KEY(w, "structuredContent");
		jw_raw(w, t->structured);
	} else if (str_is(t->lost_code)) {
		JW_KEY(w, "structuredContent");
		jw_obj(w);
		write_error(w, t->lost_code, t->lost_message);
		jw_obj_end(w);
	}
	JW_KBOOL(w, "isError", !is_there || t->is_tool_error);
}

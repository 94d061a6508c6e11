/* Folds the events of a session to the messages of its thread. */
#include "agui/agui_messages.h"

#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "base/memory.h"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_word(struct str s, const char *word)
{
	return str_is(s) && str_eq(s, str_from(word));
}

void agui_messages_init(struct agui_messages *m)
{
	*m = (struct agui_messages){ .mem = arena_new_small() };
	m->list = memory_zeroed(LIMIT_AGUI_MESSAGES, sizeof *m->list);
}

static void message_free(struct agui_message *one)
{
	buf_done(&one->text);
	arena_free(one->mem);
}

void agui_messages_done(struct agui_messages *m)
{
	for (size_t i = 0; i < m->count; i++)
		message_free(m->list[i]);
	memory_free(m->list);
	arena_free(m->mem);
	*m = (struct agui_messages){ 0 };
}

/* ---- the list ---- */

static void drop(struct agui_messages *m, size_t at)
{
	struct agui_message *one = m->list[at];

	m->bytes -= one->text.len;
	if (m->text == one)
		m->text = NULL;
	if (m->broken == one)
		m->broken = NULL;
	message_free(one);
	m->count--;
	memmove(m->list + at, m->list + at + 1, (m->count - at) * sizeof *m->list);
}

static void drop_older(struct agui_messages *m)
{
	while (m->bytes > LIMIT_AGUI_MESSAGES_BYTES && m->count > 1)
		drop(m, 0);
}

static struct agui_message *add(struct agui_messages *m, enum agui_message_kind kind,
                                const char *prefix, struct str id)
{
	struct arena *mem = arena_new_small();
	struct agui_message *one = ARENA_NEW(mem, struct agui_message);

	if (m->count == LIMIT_AGUI_MESSAGES)
		drop(m, 0);
	*one = (struct agui_message){ .mem = mem,
		                      .kind = kind,
		                      .sequence = m->sequence,
		                      .id = arena_printf(mem, "%s%.*s", prefix, STR_ARG(id)) };
	m->list[m->count++] = one;
	return one;
}

static void add_text(struct agui_messages *m, struct agui_message *one, struct str text)
{
	buf_add_str(&one->text, text);
	m->bytes += text.len;
	drop_older(m);
}

/* ---- events ---- */

static void on_submitted(struct agui_messages *m, struct json event, struct json payload)
{
	struct agui_message *one = add(m, AGUI_MESSAGE_USER, "", text_at(event, "turnId"));
	struct json_iter it = json_iter(JSON_GET(payload, "input"));
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct str preview = text_at(part, "preview");

		if (one->text.len)
			add_text(m, one, STR("\n"));
		add_text(m, one, str_is(preview) ? preview : text_at(part, "name"));
		if (is_word(text_at(part, "type"), "text") &&
		    json_int(JSON_GET(part, "bytes"), 0) > (int64_t)preview.len) {
			one->ref = arena_keep(one->mem, text_at(payload, "inputRef"));
			one->is_parts = true;
		}
	}
}

/* A request was sent again: what its first try wrote is no part of the thread. */
static void drop_broken(struct agui_messages *m, struct str turn_id)
{
	for (size_t i = 0; m->broken && i < m->count; i++)
		if (m->list[i] == m->broken && str_eq(m->broken->turn_id, turn_id))
			drop(m, i);
	m->broken = NULL;
}

static void on_delta(struct agui_messages *m, struct json event, struct json payload)
{
	struct str piece = text_at(payload, "text"), step = text_at(event, "stepId");

	if (!piece.len || is_word(text_at(payload, "kind"), WORD_DELTA_KIND_TOOL_ARGUMENTS))
		return;
	if (!m->text || !str_eq(m->text->id, step)) {
		drop_broken(m, text_at(event, "turnId"));
		m->text = add(m, AGUI_MESSAGE_ASSISTANT, "", step);
		m->text->turn_id = arena_keep(m->text->mem, text_at(event, "turnId"));
	}
	add_text(m, m->text, piece);
}

/* What it wrote stays if nothing follows: a front end has shown it. */
static void on_request_failed(struct agui_messages *m, struct json event, struct json payload)
{
	(void)payload;
	if (m->text && str_eq(m->text->id, text_at(event, "stepId")))
		m->broken = m->text;
	m->text = NULL;
}

/* The end of the history was removed.  A rollback of a session's first thread counts alone. */
static void on_rollback(struct agui_messages *m, struct json event, struct json payload)
{
	uint64_t last = json_uint(JSON_GET(payload, "targetSequence"), 0);

	(void)event;
	while (m->count && m->list[m->count - 1]->sequence > last)
		drop(m, m->count - 1);
}

static struct agui_message *add_call(struct agui_messages *m, struct json event,
                                     struct json payload)
{
	struct str id = text_at(event, "toolCallId");
	struct agui_message *one = add(m, AGUI_MESSAGE_CALL, "", id);

	one->call_id = arena_keep(one->mem, id);
	one->name = arena_keep(one->mem, text_at(payload, "toolName"));
	return one;
}

/* Calls that the front end runs have their arguments in the event that hands them over. */
static void on_started(struct agui_messages *m, struct json event, struct json payload)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (is_word(text_at(payload, "runtimeOwner"), "connector:client"))
		return;
	mem = arena_new_small();
	add_text(m, add_call(m, event, payload), json_text(mem, JSON_GET(payload, "safeArgs")));
}

static void on_progress(struct agui_messages *m, struct json event, struct json payload)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	struct json args = JSON_GET(payload, "args");
	struct agui_message *one;

	if (!json_bool(JSON_GET(payload, "byClient"), false))
		return;
	mem = arena_new_small();
	one = add_call(m, event, payload);
	if (json_is(args))
		add_text(m, one, json_text(mem, args));
	else
		one->ref = arena_keep(one->mem, text_at(payload, "inputRef"));
}

static void on_ended(struct agui_messages *m, struct json event, struct json payload)
{
	struct str id = text_at(event, "toolCallId");
	struct agui_message *one = add(m, AGUI_MESSAGE_RESULT, "result_", id);

	one->call_id = arena_keep(one->mem, id);
	add_text(m, one, text_at(payload, "displayPreview"));
}

static const struct {
	const char *type;
	void (*take)(struct agui_messages *m, struct json event, struct json payload);
} rows[] = {
	{ "turn.submitted", on_submitted },    { "model.delta", on_delta },
	{ "tool.started", on_started },        { "tool.progress", on_progress },
	{ "tool.result", on_ended },           { "tool.failed", on_ended },
	{ "model.failed", on_request_failed }, { "history.rollback.completed", on_rollback },
};

void agui_messages_event(struct agui_messages *m, struct json event)
{
	struct str type = text_at(event, "type"), thread_id = text_at(event, "threadId");

	if (!str_is(m->thread_id) && str_is(thread_id))
		m->thread_id = arena_keep(m->mem, thread_id);
	if (!str_is(thread_id) || !str_eq(thread_id, m->thread_id))
		return;
	m->sequence = json_uint(JSON_GET(event, "sequence"), 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (is_word(type, rows[i].type))
			rows[i].take(m, event, JSON_GET(event, "payload"));
}

/* ---- texts that are stored elsewhere ---- */

struct agui_message *agui_messages_wants(const struct agui_messages *m)
{
	for (size_t i = m->count; i-- > 0;)
		if (str_is(m->list[i]->ref))
			return m->list[i];
	return NULL;
}

static void take_parts(struct agui_message *one, struct str text)
{
	struct json parts, part;
	struct json_iter it;
	struct str key;

	if (json_read(one->mem, text, &parts, NULL) != OK)
		return;
	buf_clear(&one->text);
	it = json_iter(parts);
	while (json_next(&it, &key, &part)) {
		struct str words = text_at(part, "text");

		if (one->text.len)
			buf_add_char(&one->text, '\n');
		buf_add_str(&one->text, str_is(words) ? words : text_at(part, "name"));
	}
}

/* Newer messages are whole by now, so older ones leave when there is too much. */
void agui_messages_give(struct agui_messages *m, struct agui_message *one, struct str text)
{
	one->ref = STR_NONE;
	m->bytes -= one->text.len;
	if (str_is(text) && one->is_parts) {
		take_parts(one, text);
	} else if (str_is(text)) {
		buf_clear(&one->text);
		buf_add_str(&one->text, text);
	}
	m->bytes += one->text.len;
	drop_older(m);
}

/* ---- writing ---- */

static void write_call(struct json_writer *w, const struct agui_message *one, struct str args)
{
	JW_KSTR(w, "role", STR("assistant"));
	JW_KEY(w, "toolCalls");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "id", one->call_id);
	JW_KSTR(w, "type", STR("function"));
	JW_KEY(w, "function");
	jw_obj(w);
	JW_KSTR(w, "name", one->name);
	JW_KSTR(w, "arguments", args);
	jw_obj_end(w);
	jw_obj_end(w);
	jw_arr_end(w);
}

static void write_message(struct json_writer *w, const struct agui_message *one)
{
	struct str text = one->text.len ? buf_str(&one->text) : STR("");

	jw_obj(w);
	JW_KSTR(w, "id", one->id);
	switch (one->kind) {
	case AGUI_MESSAGE_USER:
	case AGUI_MESSAGE_ASSISTANT:
		JW_KSTR(w, "role", one->kind == AGUI_MESSAGE_USER ? STR("user") : STR("assistant"));
		JW_KSTR(w, "content", text);
		break;
	case AGUI_MESSAGE_CALL:
		write_call(w, one, text);
		break;
	case AGUI_MESSAGE_RESULT:
		JW_KSTR(w, "role", STR("tool"));
		JW_KSTR(w, "toolCallId", one->call_id);
		JW_KSTR(w, "content", text);
	}
	jw_obj_end(w);
}

/* A result whose call was left out has nothing that it belongs to. */
static bool has_call(const struct agui_messages *m, size_t at)
{
	if (m->list[at]->kind != AGUI_MESSAGE_RESULT)
		return true;
	for (size_t i = at; i-- > 0;)
		if (m->list[i]->kind == AGUI_MESSAGE_CALL &&
		    str_eq(m->list[i]->call_id, m->list[at]->call_id))
			return true;
	return false;
}

void agui_messages_write(struct buf *out, const struct agui_messages *m)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("MESSAGES_SNAPSHOT"));
	JW_KEY(&w, "messages");
	jw_arr(&w);
	for (size_t i = 0; i < m->count; i++)
		if (has_call(m, i))
			write_message(&w, m->list[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	buf_add_str(out, STR("data: "));
	buf_add_str(out, buf_str(&json));
	buf_add_str(out, STR("\n\n"));
}

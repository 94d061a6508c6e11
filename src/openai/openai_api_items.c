/* Folds the events of a session to one page of its items. */
#include "openai/openai_api_items.h"

#include "base/gen/words.h"
#include "base/jw.h"
#include "base/memory.h"
#include "openai/openai_api_id.h"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_word(struct str s, const char *word)
{
	return str_is(s) && str_eq(s, str_from(word));
}

static void listed_free(struct openai_api_listed *i)
{
	buf_done(&i->text);
	arena_free(i->mem);
}

void openai_api_items_init(struct openai_api_items *t, struct str session_id,
                           const struct openai_api_page *page)
{
	struct arena *mem = arena_new_small();

	*t = (struct openai_api_items){ .mem = mem,
		                        .session_id = arena_keep(mem, session_id),
		                        .page = *page };
	t->page.after = arena_keep(mem, page->after);
	t->page.only = arena_keep(mem, page->only);
	t->listed = memory_zeroed(page->limit + 1, sizeof *t->listed);
}

void openai_api_items_done(struct openai_api_items *t)
{
	for (size_t i = 0; i < t->count; i++)
		listed_free(t->listed[i]);
	memory_free(t->listed);
	memory_free(t->gaps);
	arena_free(t->mem);
	*t = (struct openai_api_items){ 0 };
}

/* ---- the page ---- */

/* Does no later event change the items of the page? */
static bool has_ended(const struct openai_api_items *t)
{
	for (size_t i = 0; i < t->count && i < t->page.limit + !t->page.is_ascending; i++)
		if (t->listed[i]->is_open)
			return false;
	return true;
}

/* A page is complete with the item behind it, when each of its own has ended. */
static void look_at_end(struct openai_api_items *t)
{
	bool is_full = t->page.is_ascending ? t->count == t->page.limit + 1 : t->has_seen_after;

	if (!str_is(t->page.only) && is_full && has_ended(t))
		t->is_over = true;
	if (str_is(t->page.only) && t->count && !t->listed[0]->is_open)
		t->is_over = true;
}

/* Is the item of this id on the page, as far as is known now? */
static bool is_wanted(struct openai_api_items *t, struct str id)
{
	bool is_after = str_is(t->page.after) && str_eq(id, t->page.after);

	if (str_is(t->page.only))
		return str_eq(id, t->page.only);
	if (!t->page.is_ascending) {
		t->has_seen_after |= is_after;
		return !t->has_seen_after;
	}
	if (str_is(t->page.after) && !t->has_seen_after) {
		t->has_seen_after = is_after;
		return false;
	}
	return t->count <= t->page.limit;
}

static void drop_first(struct openai_api_items *t)
{
	if (t->text == t->listed[0])
		t->text = NULL;
	listed_free(t->listed[0]);
	t->count--;
	memmove(t->listed, t->listed + 1, t->count * sizeof *t->listed);
}

/* NULL: it is not on the page. */
static struct openai_api_listed *add(struct openai_api_items *t, enum openai_api_listed_kind kind,
                                     const char *prefix, struct str id)
{
	struct arena *mem = arena_new_small();
	struct str whole = arena_printf(mem, "%s%.*s", prefix, STR_ARG(id));
	struct openai_api_listed *item;

	if (t->is_over || !is_wanted(t, whole)) {
		arena_free(mem);
		return NULL;
	}
	if (t->count == t->page.limit + 1)
		drop_first(t);
	item = ARENA_NEW(mem, struct openai_api_listed);
	*item = (struct openai_api_listed){ .mem = mem, .kind = kind, .id = whole };
	t->listed[t->count++] = item;
	return item;
}

static struct openai_api_listed *find(const struct openai_api_items *t,
                                      enum openai_api_listed_kind kind, size_t prefix,
                                      struct str id)
{
	for (size_t i = t->count; i-- > 0;)
		if (t->listed[i]->kind == kind && str_eq(str_skip(t->listed[i]->id, prefix), id))
			return t->listed[i];
	return NULL;
}

/* ---- messages ---- */

static void on_submitted(struct openai_api_items *t, struct json event, struct json payload)
{
	struct json_iter it = json_iter(JSON_GET(payload, "input"));
	struct openai_api_listed *item =
		add(t, OPENAI_API_LISTED_USER, "msg_", text_at(event, "turnId"));
	struct json part;
	struct str key;

	while (item && json_next(&it, &key, &part)) {
		struct str preview = text_at(part, "preview");

		if (item->text.len)
			buf_add_char(&item->text, '\n');
		buf_add_str(&item->text, str_is(preview) ? preview : text_at(part, "name"));
		if (is_word(text_at(part, "type"), "text") &&
		    json_int(JSON_GET(part, "bytes"), 0) > (int64_t)preview.len) {
			item->ref = arena_keep(item->mem, text_at(payload, "inputRef"));
			item->is_parts = true;
		}
	}
}

static void end_text(struct openai_api_items *t)
{
	if (t->text)
		t->text->is_open = false;
	t->text = NULL;
	t->text_step = 0;
}

static void on_delta(struct openai_api_items *t, struct json event, struct json payload)
{
	struct str kind = text_at(payload, "kind"), piece = text_at(payload, "text");
	struct str step = text_at(event, "stepId");

	if (!piece.len || is_word(kind, WORD_DELTA_KIND_TOOL_ARGUMENTS))
		return;
	if (t->text_step != str_hash(step)) {
		end_text(t);
		t->text_step = str_hash(step);
		t->text = add(t, OPENAI_API_LISTED_ASSISTANT, "msg_", step);
		if (t->text)
			t->text->is_open = true;
	}
	if (t->text)
		buf_add_str(&t->text->text, piece);
}

static void on_answered(struct openai_api_items *t, struct json event, struct json payload)
{
	(void)payload;
	if (t->text)
		t->text->has_failed = is_word(text_at(event, "type"), "model.failed");
	end_text(t);
}

/* ---- calls ---- */

/* A call of the client is remembered also if it is not on the page: its result may be. */
static uint64_t *open_call(struct openai_api_items *t, uint64_t hash)
{
	for (size_t i = 0; i < COUNT_OF(t->open_calls); i++)
		if (t->open_calls[i] == hash)
			return &t->open_calls[i];
	return NULL;
}

static void on_started(struct openai_api_items *t, struct json event, struct json payload)
{
	struct openai_api_listed *item;

	if (is_word(text_at(payload, "runtimeOwner"), "connector:client"))
		return;
	item = add(t, OPENAI_API_LISTED_OWN_CALL, "thole_", text_at(event, "toolCallId"));
	if (!item)
		return;
	item->name = arena_keep(item->mem, text_at(payload, "toolName"));
	item->is_open = true;
}

static void on_progress(struct openai_api_items *t, struct json event, struct json payload)
{
	struct str id = text_at(event, "toolCallId");
	struct json args = JSON_GET(payload, "args");
	struct openai_api_listed *item;
	uint64_t *room;

	if (!json_bool(JSON_GET(payload, "byClient"), false))
		return;
	room = open_call(t, 0);
	if (room)
		*room = str_hash(id);
	item = add(t, OPENAI_API_LISTED_CALL, "fc_", id);
	if (!item)
		return;
	item->call_id = openai_api_id_make(item->mem, OPENAI_API_ID_CALL, t->session_id, id);
	item->name = arena_keep(item->mem, text_at(payload, "toolName"));
	if (json_is(args))
		buf_add_str(&item->text, json_text(item->mem, args));
	else
		item->ref = arena_keep(item->mem, text_at(payload, "inputRef"));
}

static void add_result(struct openai_api_items *t, struct json event, struct json payload)
{
	struct str id = text_at(event, "toolCallId"), preview = text_at(payload, "displayPreview");
	struct openai_api_listed *item = add(t, OPENAI_API_LISTED_RESULT, "fco_", id);

	if (!item)
		return;
	item->call_id = openai_api_id_make(item->mem, OPENAI_API_ID_CALL, t->session_id, id);
	buf_add_str(&item->text, preview);
	if (json_int(JSON_GET(payload, "outputBytes"), 0) > (int64_t)preview.len)
		item->ref = arena_keep(item->mem, text_at(payload, "rawOutputRef"));
}

static void on_call_ended(struct openai_api_items *t, struct json event, struct json payload)
{
	struct str id = text_at(event, "toolCallId");
	struct openai_api_listed *own = find(t, OPENAI_API_LISTED_OWN_CALL, strlen("thole_"), id);
	uint64_t *of_client = open_call(t, str_hash(id));

	if (own) {
		own->is_open = false;
		own->has_failed = is_word(text_at(event, "type"), "tool.failed") ||
		                  json_bool(JSON_GET(payload, "isError"), false);
	}
	if (of_client) {
		*of_client = 0;
		add_result(t, event, payload);
	}
}

/* ---- approvals ---- */

static struct str ask_id(struct openai_api_items *t, struct arena *mem, struct json event)
{
	return arena_printf(mem, "%s%.*s~%.*s~%.*s", OPENAI_API_ID_APPROVAL, STR_ARG(t->session_id),
	                    STR_ARG(text_at(event, "actionId")), STR_ARG(text_at(event, "turnId")));
}

static void on_asked(struct openai_api_items *t, struct json event, struct json payload)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str tool = text_at(payload, "toolName");
	struct openai_api_listed *item = add(t, OPENAI_API_LISTED_ASK, "", ask_id(t, mem, event));

	if (!item)
		return;
	item->name = arena_keep(item->mem, str_is(tool) ? tool : text_at(payload, "actionType"));
	buf_add_str(&item->text, text_at(payload, "prompt"));
}

static void on_resolved(struct openai_api_items *t, struct json event, struct json payload)
{
	struct openai_api_listed *item =
		add(t, OPENAI_API_LISTED_ANSWER, "mcpa_", text_at(event, "actionId"));
	struct str decision = text_at(payload, "decision");

	if (!item)
		return;
	item->call_id = ask_id(t, item->mem, event);
	item->is_approved = is_word(decision, "allow") || is_word(decision, "answer");
	item->reason = arena_keep(item->mem, text_at(payload, "reason"));
}

/* ---- rollbacks ---- */

/* A rollback that goes further back than those before it takes them in. */
static void add_gap(struct openai_api_items *t, struct json event)
{
	struct openai_api_gap gap = {
		.thread = str_hash(text_at(event, "threadId")),
		.after = json_uint(JSON_GET(JSON_GET(event, "payload"), "targetSequence"), 0),
		.until = json_uint(JSON_GET(event, "sequence"), 0),
	};

	while (t->gap_count && t->gaps[t->gap_count - 1].thread == gap.thread &&
	       t->gaps[t->gap_count - 1].after >= gap.after)
		t->gap_count--;
	if (t->gap_count == t->gap_cap) {
		t->gap_cap = t->gap_cap ? 2 * t->gap_cap : 16;
		t->gaps = memory_resize(t->gaps, t->gap_cap * sizeof *t->gaps);
	}
	t->gaps[t->gap_count++] = gap;
}

/* Events come in order, so gaps that end before this one are not looked at again. */
static bool is_removed(struct openai_api_items *t, struct str thread_id, struct json event)
{
	uint64_t sequence = json_uint(JSON_GET(event, "sequence"), 0);
	uint64_t thread = str_hash(thread_id);

	while (t->gap_at < t->gap_count && t->gaps[t->gap_at].until <= sequence)
		t->gap_at++;
	for (size_t i = t->gap_at; i < t->gap_count; i++)
		if (t->gaps[i].thread == thread && t->gaps[i].after < sequence)
			return true;
	return false;
}

/* ---- events ---- */

static const struct {
	const char *type;
	void (*take)(struct openai_api_items *t, struct json event, struct json payload);
} rows[] = {
	{ "turn.submitted", on_submitted }, { "model.delta", on_delta },
	{ "model.completed", on_answered }, { "model.failed", on_answered },
	{ "tool.started", on_started },     { "tool.progress", on_progress },
	{ "tool.result", on_call_ended },   { "tool.failed", on_call_ended },
	{ "action.required", on_asked },    { "action.resolved", on_resolved },
};

static void take_metadata(struct openai_api_items *t, struct json payload)
{
	struct json metadata = JSON_GET(payload, "metadata");

	if (json_type(metadata) == JSON_OBJ)
		t->metadata = json_text(t->mem, metadata);
}

void openai_api_items_event(struct openai_api_items *t, struct json event)
{
	struct str type = text_at(event, "type"), thread_id = text_at(event, "threadId");
	struct json payload = JSON_GET(event, "payload");

	if (t->is_over || !str_is(type))
		return;
	if (str_starts(type, STR("session."))) {
		take_metadata(t, payload);
		return;
	}
	if (str_eq(type, STR("history.rollback.completed"))) {
		add_gap(t, event);
		return;
	}
	if (!str_is(t->thread_id) && str_is(thread_id))
		t->thread_id = arena_keep(t->mem, thread_id);
	if (!str_is(thread_id) || !str_eq(thread_id, t->thread_id) ||
	    is_removed(t, thread_id, event))
		return;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(type, str_from(rows[i].type)))
			rows[i].take(t, event, payload);
	look_at_end(t);
}

/* ---- texts that are stored elsewhere ---- */

struct openai_api_listed *openai_api_items_wants(const struct openai_api_items *t)
{
	for (size_t i = 0; i < t->count && i < t->page.limit + !t->page.is_ascending; i++)
		if (str_is(t->listed[i]->ref))
			return t->listed[i];
	return NULL;
}

/* The texts of a list of parts, with line breaks between. */
static void add_parts(struct openai_api_listed *item, struct str text)
{
	struct json parts, part;
	struct json_iter it;
	struct str key;

	if (json_read(item->mem, text, &parts, NULL) != OK)
		return;
	buf_clear(&item->text);
	it = json_iter(parts);
	while (json_next(&it, &key, &part)) {
		struct str words = text_at(part, "text");

		if (item->text.len)
			buf_add_char(&item->text, '\n');
		buf_add_str(&item->text, str_is(words) ? words : text_at(part, "name"));
	}
}

void openai_api_items_give(struct openai_api_listed *item, struct str text)
{
	item->ref = STR_NONE;
	if (!str_is(text))
		return;
	if (item->is_parts) {
		add_parts(item, text);
		return;
	}
	buf_clear(&item->text);
	buf_add_str(&item->text, text);
}

/* ---- writing ---- */

static void write_annotations(struct json_writer *w)
{
	JW_KEY(w, "annotations");
	jw_arr(w);
	jw_arr_end(w);
}

static void write_message(struct json_writer *w, const struct openai_api_listed *i)
{
	bool is_user = i->kind == OPENAI_API_LISTED_USER;

	JW_KSTR(w, "type", STR("message"));
	JW_KSTR(w, "status",
	        i->is_open      ? STR("in_progress")
	        : i->has_failed ? STR("incomplete")
	                        : STR("completed"));
	JW_KSTR(w, "role", is_user ? STR("user") : STR("assistant"));
	JW_KEY(w, "content");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "type", is_user ? STR("input_text") : STR("output_text"));
	JW_KSTR(w, "text", i->text.len ? buf_str(&i->text) : STR(""));
	if (!is_user)
		write_annotations(w);
	jw_obj_end(w);
	jw_arr_end(w);
}

static void write_answer(struct json_writer *w, const struct openai_api_listed *i)
{
	JW_KSTR(w, "type", STR("mcp_approval_response"));
	JW_KSTR(w, "approval_request_id", i->call_id);
	JW_KBOOL(w, "approve", i->is_approved);
	JW_KOPT(w, "reason", i->reason);
}

static void write_call(struct json_writer *w, const struct openai_api_listed *i)
{
	struct str text = i->text.len ? buf_str(&i->text) : STR("");

	switch (i->kind) {
	case OPENAI_API_LISTED_CALL:
		JW_KSTR(w, "type", STR("function_call"));
		JW_KSTR(w, "status", STR("completed"));
		JW_KSTR(w, "call_id", i->call_id);
		JW_KSTR(w, "name", i->name);
		JW_KSTR(w, "arguments", text);
		break;
	case OPENAI_API_LISTED_RESULT:
		JW_KSTR(w, "type", STR("function_call_output"));
		JW_KSTR(w, "status", STR("completed"));
		JW_KSTR(w, "call_id", i->call_id);
		JW_KSTR(w, "output", text);
		break;
	case OPENAI_API_LISTED_ASK:
		JW_KSTR(w, "type", STR("mcp_approval_request"));
		JW_KSTR(w, "server_label", STR("thole"));
		JW_KSTR(w, "name", i->name);
		JW_KSTR(w, "arguments", text);
		break;
	default:
		JW_KSTR(w, "type", STR("thole:tool_call"));
		JW_KSTR(w, "status",
		        i->is_open      ? STR("in_progress")
		        : i->has_failed ? STR("failed")
		                        : STR("completed"));
		JW_KSTR(w, "name", i->name);
	}
}

static void write_listed(struct json_writer *w, const struct openai_api_listed *i)
{
	jw_obj(w);
	JW_KSTR(w, "id", i->id);
	if (i->kind == OPENAI_API_LISTED_USER || i->kind == OPENAI_API_LISTED_ASSISTANT)
		write_message(w, i);
	else if (i->kind == OPENAI_API_LISTED_ANSWER)
		write_answer(w, i);
	else
		write_call(w, i);
	jw_obj_end(w);
}

static void write_id(struct json_writer *w, const char *key, const struct openai_api_listed *i)
{
	jw_key(w, str_from(key));
	if (i)
		jw_str(w, i->id);
	else
		jw_null(w);
}

/* A descending page has the one that says "more" at its front, an ascending one at its end. */
void openai_api_items_write(struct buf *out, const struct openai_api_items *t)
{
	bool has_more = t->count > t->page.limit;
	size_t shown = has_more ? t->page.limit : t->count;
	size_t first = has_more && !t->page.is_ascending ? 1 : 0;
	const struct openai_api_listed *head = NULL, *tail = NULL;
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "object", STR("list"));
	JW_KEY(&w, "data");
	jw_arr(&w);
	for (size_t i = 0; i < shown; i++) {
		size_t at = t->page.is_ascending ? first + i : first + shown - 1 - i;

		write_listed(&w, t->listed[at]);
		head = head ? head : t->listed[at];
		tail = t->listed[at];
	}
	jw_arr_end(&w);
	write_id(&w, "first_id", head);
	write_id(&w, "last_id", tail);
	JW_KBOOL(&w, "has_more", has_more);
	jw_obj_end(&w);
}

bool openai_api_items_write_one(struct buf *out, const struct openai_api_items *t)
{
	struct json_writer w;

	if (!t->count)
		return false;
	jw_init(&w, out);
	write_listed(&w, t->listed[0]);
	return true;
}

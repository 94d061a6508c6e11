/* Folds the events of a turn to the items of a response. */
#include "openai/openai_api_turn.h"

#include "base/gen/words.h"
#include "base/os/clock.h"
#include "openai/openai_api_id.h"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_word(struct str s, const char *word)
{
	return str_is(s) && str_eq(s, str_from(word));
}

void openai_api_turn_init(struct openai_api_turn *t, struct str session_id, struct str turn_id,
                          uint64_t first_sequence)
{
	struct arena *mem = arena_new();

	*t = (struct openai_api_turn){ .mem = mem,
		                       .session_id = arena_keep(mem, session_id),
		                       .turn_id = arena_keep(mem, turn_id),
		                       .first_sequence = first_sequence };
}

void openai_api_turn_done(struct openai_api_turn *t)
{
	for (struct openai_api_item *i = t->items; i; i = i->next)
		buf_done(&i->text);
	arena_free(t->mem);
	*t = (struct openai_api_turn){ 0 };
}

static void step(struct openai_api_turn *t, enum openai_api_step what, struct openai_api_item *item,
                 struct str piece)
{
	if (t->step)
		t->step(t->owner, what, item, piece);
}

static struct openai_api_item *add_item(struct openai_api_turn *t, enum openai_api_item_kind kind,
                                        const char *prefix, struct str id)
{
	struct openai_api_item *item = ARENA_NEW(t->mem, struct openai_api_item);

	item->kind = kind;
	item->id = arena_printf(t->mem, "%s%.*s", prefix, STR_ARG(id));
	if (t->last)
		t->last->next = item;
	else
		t->items = item;
	t->last = item;
	return item;
}

static void end_text(struct openai_api_turn *t)
{
	if (!t->text)
		return;
	t->text->is_done = true;
	step(t, OPENAI_API_ITEM_ENDS, t->text, STR_NONE);
	t->text = NULL;
}

static void end_turn(struct openai_api_turn *t, enum openai_api_end end)
{
	end_text(t);
	t->end = end;
}

/* ---- one event each ---- */

static void on_delta(struct openai_api_turn *t, struct json event, struct json payload)
{
	struct str kind = text_at(payload, "kind"), piece = text_at(payload, "text");

	if (!is_word(kind, WORD_DELTA_KIND_TEXT) && !is_word(kind, WORD_DELTA_KIND_STRUCTURED) &&
	    !is_word(kind, WORD_DELTA_KIND_REFUSAL))
		return;
	if (!piece.len)
		return;
	if (!t->text) {
		t->text = add_item(t, OPENAI_API_MESSAGE, "msg_", text_at(event, "stepId"));
		step(t, OPENAI_API_ITEM_BEGINS, t->text, STR_NONE);
	}
	buf_add_str(&t->text->text, piece);
	step(t, OPENAI_API_ITEM_GROWS, t->text, piece);
}

static void on_requested(struct openai_api_turn *t, struct json event, struct json payload)
{
	(void)event;
	if (!str_is(t->model))
		t->model = arena_printf(t->mem, "%.*s/%.*s", STR_ARG(text_at(payload, "provider")),
		                        STR_ARG(text_at(payload, "model")));
}

static void add_usage(struct openai_api_turn *t, struct json usage)
{
	t->input_tokens += json_int(JSON_GET(usage, "inputTokens"), 0);
	t->cached_tokens += json_int(JSON_GET(usage, "cachedInputTokens"), 0);
	t->output_tokens += json_int(JSON_GET(usage, "outputTokens"), 0);
	t->reasoning_tokens += json_int(JSON_GET(usage, "reasoningTokens"), 0);
}

static void on_answered(struct openai_api_turn *t, struct json event, struct json payload)
{
	(void)event;
	add_usage(t, JSON_GET(payload, "usage"));
	t->is_cut = is_word(text_at(payload, "stopReason"), WORD_STOP_REASON_MAX_TOKENS);
	end_text(t);
}

static void on_started(struct openai_api_turn *t, struct json event, struct json payload)
{
	struct openai_api_item *item;

	t->open_calls++;
	if (is_word(text_at(payload, "runtimeOwner"), "connector:client"))
		return;
	item = add_item(t, OPENAI_API_OWN_CALL, "thole_", text_at(event, "toolCallId"));
	item->name = arena_keep(t->mem, text_at(payload, "toolName"));
	step(t, OPENAI_API_ITEM_BEGINS, item, STR_NONE);
}

/* All other calls of the round have ended or wait for the client too. */
static void look_at_calls(struct openai_api_turn *t)
{
	if (!t->waits_out && t->waiting_calls && t->waiting_calls == t->open_calls)
		end_turn(t, OPENAI_API_CALLS);
}

static void on_progress(struct openai_api_turn *t, struct json event, struct json payload)
{
	struct str call_id = text_at(event, "toolCallId");
	struct json args = JSON_GET(payload, "args");
	struct openai_api_item *item;

	if (!json_bool(JSON_GET(payload, "byClient"), false))
		return;
	item = add_item(t, OPENAI_API_CALL, "fc_", call_id);
	item->call_id = openai_api_id_make(t->mem, OPENAI_API_ID_CALL, t->session_id, call_id);
	item->name = arena_keep(t->mem, text_at(payload, "toolName"));
	if (json_is(args))
		item->args = json_text(t->mem, args);
	else
		item->args_ref = arena_keep(t->mem, text_at(payload, "inputRef"));
	t->waiting_calls++;
	look_at_calls(t);
}

static void on_call_ended(struct openai_api_turn *t, struct json event, bool has_failed)
{
	struct str id = text_at(event, "toolCallId");

	/* A call that the client answered began before this response. */
	if (t->open_calls)
		t->open_calls--;
	for (struct openai_api_item *i = t->items; i; i = i->next)
		if (i->kind == OPENAI_API_OWN_CALL && !i->is_done &&
		    str_eq(str_skip(i->id, 6), id)) {
			i->is_done = true;
			i->has_failed = has_failed;
			step(t, OPENAI_API_ITEM_ENDS, i, STR_NONE);
		}
	look_at_calls(t);
}

static void on_result(struct openai_api_turn *t, struct json event, struct json payload)
{
	on_call_ended(t, event, json_bool(JSON_GET(payload, "isError"), false));
}

static void on_call_failed(struct openai_api_turn *t, struct json event, struct json payload)
{
	(void)payload;
	on_call_ended(t, event, true);
}

static void on_asked(struct openai_api_turn *t, struct json event, struct json payload)
{
	struct str action_id = text_at(event, "actionId");
	struct openai_api_item *item;

	end_text(t);
	item = add_item(t, OPENAI_API_APPROVAL_ASK, "", STR(""));
	item->id = arena_printf(t->mem, "%s%.*s~%.*s~%.*s", OPENAI_API_ID_APPROVAL,
	                        STR_ARG(t->session_id), STR_ARG(action_id), STR_ARG(t->turn_id));
	item->name = arena_keep(t->mem, str_is(text_at(payload, "toolName"))
	                                        ? text_at(payload, "toolName")
	                                        : text_at(payload, "actionType"));
	item->call_id = arena_keep(t->mem, action_id);
	buf_add_str(&item->text, text_at(payload, "prompt"));
	item->is_done = true;
	step(t, OPENAI_API_ITEM_BEGINS, item, STR_NONE);
	step(t, OPENAI_API_ITEM_ENDS, item, STR_NONE);
	t->end = OPENAI_API_APPROVAL;
}

static void on_completed(struct openai_api_turn *t, struct json event, struct json payload)
{
	(void)event;
	(void)payload;
	end_turn(t, OPENAI_API_COMPLETED);
}

static void on_failed(struct openai_api_turn *t, struct json event, struct json payload)
{
	struct str outcome = text_at(payload, "outcome");

	(void)event;
	t->error_code = arena_keep(t->mem, text_at(payload, "category"));
	t->error_message = arena_keep(t->mem, text_at(payload, "message"));
	end_turn(t, is_word(outcome, WORD_TURN_OUTCOME_CANCELLED) ? OPENAI_API_CANCELLED
	                                                          : OPENAI_API_FAILED);
}

static const struct {
	const char *type;
	void (*take)(struct openai_api_turn *t, struct json event, struct json payload);
} rows[] = {
	{ "model.requested", on_requested }, { "model.delta", on_delta },
	{ "model.completed", on_answered },  { "model.failed", on_answered },
	{ "tool.started", on_started },      { "tool.progress", on_progress },
	{ "tool.result", on_result },        { "tool.failed", on_call_failed },
	{ "action.required", on_asked },     { "turn.completed", on_completed },
	{ "turn.failed", on_failed },
};

void openai_api_turn_event(struct openai_api_turn *t, struct json event)
{
	struct str type = text_at(event, "type");
	int64_t at;

	struct str turn_id = text_at(event, "turnId");

	if (t->end || !str_is(type) || !str_is(turn_id) || !str_eq(turn_id, t->turn_id))
		return;
	if (!t->created_s && clock_time_read(text_at(event, "timestamp"), &at))
		t->created_s = at / 1000;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(type, str_from(rows[i].type)))
			rows[i].take(t, event, JSON_GET(event, "payload"));
}

/* ---- calls ---- */

struct openai_api_item *openai_api_turn_wants(const struct openai_api_turn *t)
{
	for (struct openai_api_item *i = t->items; i; i = i->next)
		if (i->kind == OPENAI_API_CALL && !str_is(i->args))
			return i;
	return NULL;
}

void openai_api_turn_show_calls(struct openai_api_turn *t)
{
	for (struct openai_api_item *i = t->items; i; i = i->next) {
		if (i->kind != OPENAI_API_CALL || i->is_done)
			continue;
		step(t, OPENAI_API_ITEM_BEGINS, i, STR_NONE);
		step(t, OPENAI_API_ITEM_GROWS, i, i->args);
		i->is_done = true;
		step(t, OPENAI_API_ITEM_ENDS, i, STR_NONE);
	}
}

#include "core/assemble.h"

void assembly_init(struct assembly *a, struct arena *mem, struct str thread_id)
{
	*a = (struct assembly){ .mem = mem, .thread_id = thread_id };
}

void assembly_done(struct assembly *a)
{
	buf_done(&a->text);
}

static const enum event_type TYPES[] = {
	EV_TURN_SUBMITTED, EV_TURN_STARTED, EV_MODEL_REQUESTED, EV_MODEL_DELTA,
	EV_MODEL_COMPLETED, EV_MODEL_FAILED, EV_TOOL_STARTED, EV_TOOL_ARGS,
	EV_TOOL_RESULT, EV_TOOL_FAILED, EV_HOOK_COMPLETED,
};

void assembly_types(uint64_t types[4])
{
	memset(types, 0, 4 * sizeof *types);
	for (size_t i = 0; i < COUNT_OF(TYPES); i++)
		types[TYPES[i] / 64] |= 1ull << (TYPES[i] % 64);
}

static void push(struct arena *mem, struct talk ***list, size_t *count, size_t *cap, struct talk *t)
{
	if (*count == *cap) {
		size_t grown = *cap ? *cap * 2 : 16;

		*list = arena_grow(mem, *list, *count * sizeof **list, grown * sizeof **list);
		*cap = grown;
	}
	(*list)[(*count)++] = t;
}

static struct talk *say(struct assembly *a, enum talk_role role, struct str turn_id)
{
	struct talk *t = ARENA_NEW(a->mem, struct talk);

	t->role = role;
	t->turn_id = arena_keep(a->mem, turn_id);
	push(a->mem, &a->talks, &a->count, &a->cap, t);
	return t;
}

/* ---- people ---- */

static void submitted(struct assembly *a, const struct event *ev,
                      const struct ev_turn_submitted *p)
{
	struct talk *t = ARENA_NEW(a->mem, struct talk);
	size_t whole = 0;

	if (p->kind == TURN_KIND_SYSTEM)
		return;
	t->role = TALK_USER;
	t->turn_id = arena_keep(a->mem, ev->turn_id);
	for (uint32_t i = 0; i < p->input.count; i++)
		whole += (size_t)p->input.items[i]->bytes;
	if (p->input.count == 1 && p->input.items[0]->preview.len == whole) {
		t->text = arena_keep(a->mem, p->input.items[0]->preview);
	} else {
		t->ref = arena_keep(a->mem, p->input_ref);
		t->ref_is_input = true;
	}
	push(a->mem, &a->waiting, &a->waiting_count, &a->waiting_cap, t);
}

/* The message takes its place where its turn begins. */
static void begin(struct assembly *a, struct str turn_id)
{
	for (size_t i = 0; i < a->waiting_count; i++) {
		struct talk *t = a->waiting[i];

		if (!str_eq(t->turn_id, turn_id))
			continue;
		push(a->mem, &a->talks, &a->count, &a->cap, t);
		memmove(&a->waiting[i], &a->waiting[i + 1],
		        (a->waiting_count - i - 1) * sizeof *a->waiting);
		a->waiting_count--;
		return;
	}
}

/* ---- the model ---- */

static void requested(struct assembly *a, const struct event *ev,
                      const struct ev_model_requested *p)
{
	/* Never between calls and their results. */
	for (size_t i = 0; i < a->added_count; i++)
		push(a->mem, &a->talks, &a->count, &a->cap, a->added[i]);
	a->added_count = 0;
	for (uint32_t i = 0; i < p->merged_turn_ids.count; i++)
		begin(a, p->merged_turn_ids.items[i]);
	buf_clear(&a->text);
	a->request_id = arena_keep(a->mem, ev->model_request_id);
}

static void delta(struct assembly *a, const struct event *ev, const struct ev_model_delta *p)
{
	if (p->kind == DELTA_KIND_TEXT && str_is(a->request_id) &&
	    str_eq(a->request_id, ev->model_request_id))
		buf_add_str(&a->text, p->text);
}

static void completed(struct assembly *a, const struct event *ev)
{
	struct talk *t = say(a, TALK_ASSISTANT, ev->turn_id);

	t->text = arena_keep(a->mem, buf_str(&a->text));
	buf_clear(&a->text);
}

/* ---- tools ---- */

static struct talk *last_answer(struct assembly *a)
{
	for (size_t i = a->count; i-- > 0;)
		if (a->talks[i]->role == TALK_ASSISTANT)
			return a->talks[i];
	return NULL;
}

static struct talk_call *find_call(struct assembly *a, struct str tool_call_id)
{
	for (size_t i = a->count; i-- > 0;)
		for (size_t n = 0; n < a->talks[i]->call_count; n++)
			if (str_eq(a->talks[i]->calls[n].tool_call_id, tool_call_id))
				return &a->talks[i]->calls[n];
	return NULL;
}

static void call_started(struct assembly *a, const struct event *ev,
                         const struct ev_tool_started *p)
{
	struct talk *t = last_answer(a);

	if (!t)
		return;
	if (t->call_count == t->call_cap) {
		size_t cap = t->call_cap ? t->call_cap * 2 : 4;

		t->calls = arena_grow(a->mem, t->calls, t->call_count * sizeof *t->calls,
		                      cap * sizeof *t->calls);
		t->call_cap = cap;
	}
	t->calls[t->call_count++] = (struct talk_call){
		.call_id = arena_keep(a->mem, p->provider_call_id),
		.name = arena_keep(a->mem, p->tool_name),
		.args = arena_keep(a->mem, p->safe_args),
		.tool_call_id = arena_keep(a->mem, ev->tool_call_id),
	};
}

static void call_args(struct assembly *a, const struct event *ev, const struct ev_tool_args *p)
{
	struct talk_call *c = find_call(a, ev->tool_call_id);

	if (!c)
		return;
	if (str_is(p->safe_args))
		c->args = arena_keep(a->mem, p->safe_args);
	else
		c->args_ref = arena_keep(a->mem, p->input_ref);
}

static struct talk *answer_call(struct assembly *a, const struct event *ev)
{
	struct talk_call *c = find_call(a, ev->tool_call_id);
	struct talk *t;

	if (!c)
		return NULL;
	t = say(a, TALK_TOOL, ev->turn_id);
	t->call_id = c->call_id;
	t->tool_call_id = c->tool_call_id;
	t->tool_name = c->name;
	return t;
}

static void call_result(struct assembly *a, const struct event *ev, const struct ev_tool_result *p)
{
	struct talk *t = answer_call(a, ev);
	struct str model_text = dict_get(&ev->refs, STR("modelText"));

	if (!t)
		return;
	t->is_error = p->is_error;
	t->text = arena_keep(a->mem, p->display_preview);
	if (str_is(model_text))
		t->ref = arena_keep(a->mem, model_text);
}

static void call_failed(struct assembly *a, const struct event *ev, const struct ev_tool_failed *p)
{
	struct talk *t = answer_call(a, ev);

	if (!t)
		return;
	t->is_error = true;
	t->text = arena_printf(a->mem, "%.*s: %.*s %.*s",
	                       STR_ARG(error_category_word(p->category)), STR_ARG(ev->status_reason),
	                       STR_ARG(p->advice));
}

/* ---- hooks ---- */

static void hooked(struct assembly *a, const struct event *ev, const struct ev_hook_completed *p)
{
	struct str output = dict_get(&ev->refs, STR("outputAfter"));

	for (uint32_t i = 0; i < p->additional_context_refs.count; i++) {
		struct talk *t = ARENA_NEW(a->mem, struct talk);

		t->role = TALK_USER;
		t->turn_id = arena_keep(a->mem, ev->turn_id);
		t->ref = arena_keep(a->mem, p->additional_context_refs.items[i]);
		/* What the start of the session added stands before all that people say. */
		if (p->point == HOOK_POINT_SESSION_START)
			push(a->mem, &a->talks, &a->count, &a->cap, t);
		else
			push(a->mem, &a->added, &a->added_count, &a->added_cap, t);
	}
	for (size_t i = a->count; str_is(output) && i-- > 0;)
		if (str_is(a->talks[i]->tool_call_id) &&
		    str_eq(a->talks[i]->tool_call_id, ev->tool_call_id)) {
			a->talks[i]->ref = arena_keep(a->mem, output);
			break;
		}
}

void assembly_feed(struct assembly *a, const struct event *ev)
{
	if (!str_is(ev->thread_id) || !str_eq(ev->thread_id, a->thread_id))
		return;
	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		submitted(a, ev, ev->payload);
		break;
	case EV_TURN_STARTED:
		begin(a, ev->turn_id);
		break;
	case EV_MODEL_REQUESTED:
		requested(a, ev, ev->payload);
		break;
	case EV_MODEL_DELTA:
		delta(a, ev, ev->payload);
		break;
	case EV_MODEL_COMPLETED:
		completed(a, ev);
		break;
	case EV_MODEL_FAILED:
		buf_clear(&a->text);
		break;
	case EV_TOOL_STARTED:
		call_started(a, ev, ev->payload);
		break;
	case EV_TOOL_ARGS:
		call_args(a, ev, ev->payload);
		break;
	case EV_TOOL_RESULT:
		call_result(a, ev, ev->payload);
		break;
	case EV_TOOL_FAILED:
		call_failed(a, ev, ev->payload);
		break;
	case EV_HOOK_COMPLETED:
		hooked(a, ev, ev->payload);
		break;
	default:
		break;
	}
}

struct str input_text(struct arena *mem, struct str parts_json)
{
	struct buf out = { 0 };
	struct json parts, part;
	struct str key;

	if (json_read_own(mem, parts_json, &parts, NULL) != OK)
		return STR("");
	struct json_iter it = json_iter(parts);

	while (json_next(&it, &key, &part)) {
		if (out.len)
			buf_add_char(&out, '\n');
		buf_add_str(&out, json_str(JSON_GET(part, "text")));
	}
	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

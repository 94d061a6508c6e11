/* Child agents of a run: when they begin and end, and which events are theirs. */
#include "agui/agui_write.h"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

struct agui_speaker *agui_child_find(struct agui_run *r, struct str thread_id)
{
	for (struct agui_speaker *s = r->self.next; s; s = s->next)
		if (str_is(thread_id) && str_eq(s->thread_id, thread_id))
			return s;
	return NULL;
}

static struct agui_speaker *find_by_id(struct agui_run *r, struct str subagent_id)
{
	for (struct agui_speaker *s = r->self.next; s; s = s->next)
		if (str_is(subagent_id) && str_eq(s->subagent_id, subagent_id))
			return s;
	return NULL;
}

static void on_spawned(struct agui_run *r, struct json event, struct json payload)
{
	struct str turn_id = text_at(payload, "parentTurnId"), name = text_at(payload, "nickname");
	struct agui_speaker *parent = agui_child_find(r, text_at(payload, "parentThreadId"));
	struct agui_speaker *child, **last = &r->self.next;
	struct agui_writing x;
	struct json_writer *w;

	if (!parent && (!str_is(turn_id) || !str_eq(turn_id, r->turn_id)))
		return; /* of another turn of the session */
	while (*last)
		last = &(*last)->next;
	child = *last = ARENA_NEW(r->mem, struct agui_speaker);
	*child = (struct agui_speaker){
		.subagent_id = arena_keep(r->mem, text_at(event, "subagentId")),
		.thread_id = arena_keep(r->mem, text_at(payload, "childThreadId")),
	};
	w = agui_write_begin(&x, "SUBAGENT_STARTED");
	JW_KSTR(w, "subagentRunId", child->subagent_id);
	JW_KSTR(w, "name", name.len ? name : text_at(payload, "role"));
	JW_KOPT(w, "description", text_at(payload, "role"));
	JW_KOPT(w, "parentSubagentRunId", parent ? parent->subagent_id : STR_NONE);
	agui_write_send(r, &x);
}

static void on_completed(struct agui_run *r, struct agui_speaker *s, struct json payload)
{
	struct agui_writing x;
	struct json_writer *w;

	agui_write_end_messages(r, s);
	w = agui_write_begin(&x, "SUBAGENT_FINISHED");
	JW_KSTR(w, "subagentRunId", s->subagent_id);
	JW_KOPT(w, "result", text_at(payload, "summary"));
	agui_write_send(r, &x);
	s->is_over = true;
}

static void on_failed(struct agui_run *r, struct agui_speaker *s, struct json payload)
{
	struct str message = text_at(payload, "message");
	struct agui_writing x;
	struct json_writer *w;

	agui_write_end_messages(r, s);
	w = agui_write_begin(&x, "SUBAGENT_ERROR");
	JW_KSTR(w, "subagentRunId", s->subagent_id);
	JW_KSTR(w, "message", message.len ? message : STR("The child agent failed."));
	JW_KOPT(w, "code", text_at(payload, "category"));
	agui_write_send(r, &x);
	s->is_over = true;
}

void agui_child_event(struct agui_run *r, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct agui_speaker *s;

	if (!str_starts(type, STR("subagent.")))
		return;
	if (str_eq(type, STR("subagent.spawned"))) {
		on_spawned(r, event, payload);
		return;
	}
	s = find_by_id(r, text_at(event, "subagentId"));
	if (!s || s->is_over)
		return;
	if (str_eq(type, STR("subagent.completed")) || str_eq(type, STR("subagent.closed")))
		on_completed(r, s, payload);
	else if (str_eq(type, STR("subagent.failed")))
		on_failed(r, s, payload);
}

static void suspend(struct agui_run *r, struct agui_speaker *s, struct str interrupt)
{
	struct agui_writing x;
	struct json_writer *w;

	agui_write_end_messages(r, s);
	w = agui_write_begin(&x, "SUBAGENT_FINISHED");
	JW_KSTR(w, "subagentRunId", s->subagent_id);
	JW_KEY(w, "outcome");
	jw_obj(w);
	JW_KSTR(w, "type", STR("suspended"));
	if (str_is(interrupt)) {
		JW_KEY(w, "interruptIds");
		jw_arr(w);
		jw_str(w, interrupt);
		jw_arr_end(w);
	}
	jw_obj_end(w);
	agui_write_send(r, &x);
	s->is_over = true;
}

void agui_child_suspend(struct agui_run *r, const struct agui_speaker *asks, struct str interrupt)
{
	for (struct agui_speaker *s = r->self.next; s; s = s->next)
		if (!s->is_over)
			suspend(r, s, s == asks ? interrupt : STR_NONE);
}

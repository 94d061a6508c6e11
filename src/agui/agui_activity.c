/*
 * Activities of a run: tasks of the session, but for those that turns have for themselves, and the
 * todo list.  The first time an activity is seen it is sent whole, then as changes.
 */
#include "agui/agui_write.h"

#include "base/gen/limits.h"

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_known(const struct agui_run *r, struct str id)
{
	for (const struct agui_activity *a = r->activities; a; a = a->next)
		if (str_eq(a->id, id))
			return true;
	return false;
}

/* False: there are too many; further ones are in the state. */
static bool remember(struct agui_run *r, struct str id)
{
	struct agui_activity *a;

	if (r->activity_count == LIMIT_AGUI_ACTIVITIES)
		return false;
	r->activity_count++;
	a = ARENA_NEW(r->mem, struct agui_activity);
	*a = (struct agui_activity){ .id = arena_keep(r->mem, id), .next = r->activities };
	r->activities = a;
	return true;
}

static struct json_writer *begin(struct agui_writing *x, const char *type, struct str id,
                                 const char *kind)
{
	struct json_writer *w = agui_write_begin(x, type);

	JW_KSTR(w, "messageId", id);
	JW_KSTR(w, "activityType", str_from(kind));
	return w;
}

static void write_replacement(struct json_writer *w, const char *path)
{
	jw_obj(w);
	JW_KSTR(w, "op", STR("add")); /* of RFC 6902: also replaces what is there */
	JW_KSTR(w, "path", str_from(path));
	JW_KEY(w, "value");
}

/* ---- tasks ---- */

static void show_task(struct agui_run *r, struct str id, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct agui_writing x;
	struct json_writer *w;

	if (json_bool(JSON_GET(payload, "implicit"), false) || !remember(r, id))
		return;
	w = begin(&x, "ACTIVITY_SNAPSHOT", id, "TASK");
	JW_KEY(w, "content");
	jw_obj(w);
	JW_KSTR(w, "taskId", text_at(event, "taskId"));
	JW_KOPT(w, "objective", text_at(payload, "objective"));
	JW_KSTR(w, "status", text_at(event, "status"));
	jw_obj_end(w);
	agui_write_send(r, &x);
}

static void change_task(struct agui_run *r, struct str id, struct json event)
{
	struct str status = text_at(event, "status");
	struct str summary = text_at(JSON_GET(event, "payload"), "summary");
	struct agui_writing x;
	struct json_writer *w;

	if (!is_known(r, id) || (!status.len && !summary.len))
		return;
	w = begin(&x, "ACTIVITY_DELTA", id, "TASK");
	JW_KEY(w, "patch");
	jw_arr(w);
	if (status.len) {
		write_replacement(w, "/status");
		jw_str(w, status);
		jw_obj_end(w);
	}
	if (summary.len) {
		write_replacement(w, "/progress");
		jw_str(w, summary);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	agui_write_send(r, &x);
}

/* ---- the todo list ---- */

static void show_plan(struct agui_run *r)
{
	struct str id = arena_printf(r->mem, "plan_%.*s", STR_ARG(r->turn_id));
	struct agui_writing x;
	struct json_writer *w;

	if (is_known(r, id)) {
		w = begin(&x, "ACTIVITY_DELTA", id, "PLAN");
		JW_KEY(w, "patch");
		jw_arr(w);
		write_replacement(w, "/items");
		jw_raw(w, r->plan);
		jw_obj_end(w);
		jw_arr_end(w);
	} else if (remember(r, id)) {
		w = begin(&x, "ACTIVITY_SNAPSHOT", id, "PLAN");
		JW_KEY(w, "content");
		jw_obj(w);
		JW_KEY(w, "items");
		jw_raw(w, r->plan);
		jw_obj_end(w);
	} else {
		return;
	}
	agui_write_send(r, &x);
}

/* The list counts when its call has succeeded. */
static void on_tool(struct agui_run *r, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct json items = JSON_GET(JSON_GET(payload, "safeArgs"), "items");
	struct str call = text_at(event, "toolCallId");

	if (str_eq(type, STR("tool.started")) &&
	    str_eq(text_at(payload, "toolName"), STR("update_todo")) &&
	    json_type(items) == JSON_ARR) {
		r->plan_call = arena_keep(r->mem, call);
		r->plan = json_text(r->mem, items);
	} else if (str_eq(type, STR("tool.result")) && str_is(r->plan_call) &&
	           str_eq(call, r->plan_call)) {
		r->plan_call = STR_NONE;
		if (!json_bool(JSON_GET(payload, "isError"), false))
			show_plan(r);
	}
}

void agui_activity_event(struct agui_run *r, struct str type, struct json event)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	struct str turn_id = text_at(event, "turnId"), id;

	if (str_starts(type, STR("tool."))) {
		if (str_is(turn_id) && str_eq(turn_id, r->turn_id))
			on_tool(r, type, event);
		return;
	}
	if (!str_starts(type, STR("task.")) || str_starts(type, STR("task.attempt.")))
		return;
	mem = arena_new_small();
	id = arena_printf(mem, "activity_%.*s", STR_ARG(text_at(event, "taskId")));
	if (str_eq(type, STR("task.created")))
		show_task(r, id, event);
	else
		change_task(r, id, event);
}

/*
 * Projects events to updates.  Each event class that an editor shows is one row of the table at the
 * end; everything else is left out.
 */
#include "acp/acp_update.h"

#include "acp/acp_message.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "base/utf8.h"

#define TITLE_MAX 200

/* ---- the common parts ---- */

struct update {
	struct json_writer w;
	const struct acp_view *v;
	struct json event, payload;
};

static struct str member(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

/* The caller adds the members of its kind and calls end(). */
static void begin(struct update *u, const char *kind)
{
	jw_obj(&u->w);
	JW_KSTR(&u->w, "sessionId", u->v->session_id);
	JW_KEY(&u->w, "update");
	jw_obj(&u->w);
	JW_KSTR(&u->w, "sessionUpdate", str_from(kind));
}

static void end(struct update *u)
{
	jw_obj_end(&u->w);
	jw_obj_end(&u->w);
}

static void write_text_block(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

static bool chunk(struct update *u, const char *kind, struct str text, struct str message_id)
{
	if (!text.len)
		return false;
	begin(u, kind);
	JW_KEY(&u->w, "content");
	write_text_block(&u->w, text);
	JW_KOPT(&u->w, "messageId", message_id);
	end(u);
	return true;
}

/* ---- messages ---- */

/* Turns that the runtime makes itself have a text too, which no person has written. */
static bool is_of_person(struct json payload)
{
	struct str kind = member(payload, "kind");

	return !kind.len || str_eq(kind, STR(WORD_TURN_KIND_USER)) ||
	       str_eq(kind, STR(WORD_TURN_KIND_TASK)) || str_eq(kind, STR(WORD_TURN_KIND_IMPORTED));
}

/* A long message is a preview here: its whole text is behind inputRef. */
static bool on_submitted(struct update *u)
{
	struct json_iter it = json_iter(JSON_GET(u->payload, "input"));
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json part;
	struct str key;

	if (!u->v->shows_input || !is_of_person(u->payload))
		return false;
	while (json_next(&it, &key, &part)) {
		if (text.len)
			buf_add_char(&text, '\n');
		if (member(part, "preview").len)
			buf_add_str(&text, member(part, "preview"));
		else
			buf_printf(&text, "[%.*s]", STR_ARG(member(part, "type")));
	}
	return chunk(u, "user_message_chunk", buf_str(&text), member(u->event, "turnId"));
}

static bool on_delta(struct update *u)
{
	if (str_eq(member(u->payload, "kind"), STR(WORD_DELTA_KIND_TOOL_ARGUMENTS)))
		return false;
	return chunk(u, "agent_message_chunk", member(u->payload, "text"),
	             member(u->event, "modelRequestId"));
}

static bool on_reasoning(struct update *u)
{
	return chunk(u, "agent_thought_chunk", member(u->payload, "text"),
	             member(u->event, "modelRequestId"));
}

/* ---- tool calls ---- */

/* Tools that come with the runtime; all others are of kind `other`. */
static const struct tool_look {
	const char *name, *kind;
	const char *subject; /* the argument that says what the call is about */
} tool_looks[] = {
	{ .name = "read_file", .kind = "read", .subject = "path" },
	{ .name = "list_dir", .kind = "read", .subject = "path" },
	{ .name = "read_output", .kind = "read", .subject = "outputRef" },
	{ .name = "read_process", .kind = "read", .subject = "processId" },
	{ .name = "read_skill", .kind = "read", .subject = "name" },
	{ .name = "read_agent", .kind = "read", .subject = "agent" },
	{ .name = "glob", .kind = "search", .subject = "pattern" },
	{ .name = "search", .kind = "search", .subject = "pattern" },
	{ .name = "web_search", .kind = "fetch", .subject = "query" },
	{ .name = "fetch_url", .kind = "fetch", .subject = "url" },
	{ .name = "edit_file", .kind = "edit", .subject = "path" },
	{ .name = "write_file", .kind = "edit", .subject = "path" },
	{ .name = "apply_patch", .kind = "edit" },
	{ .name = "shell", .kind = "execute", .subject = "command" },
	{ .name = "start_process", .kind = "execute", .subject = "command" },
	{ .name = "write_process", .kind = "execute", .subject = "processId" },
	{ .name = "stop_process", .kind = "execute", .subject = "processId" },
	{ .name = "exit_plan", .kind = "switch_mode" },
	{ .name = "ask_user", .kind = "other", .subject = "question" },
	{ .name = "spawn_agent", .kind = "other", .subject = "nickname" },
};

static const struct tool_look *look_of(struct str tool)
{
	static const struct tool_look other = { "", "other", NULL };

	for (size_t i = 0; i < COUNT_OF(tool_looks); i++)
		if (str_eq(tool, str_from(tool_looks[i].name)))
			return &tool_looks[i];
	return &other;
}

/* A command is its own title; of everything else the tool's name comes first. */
static void write_title(struct update *u, struct arena *mem, struct json args)
{
	struct str tool = member(u->payload, "toolName");
	const struct tool_look *look = look_of(tool);
	struct str subject = look->subject ? member(args, look->subject) : STR_NONE;
	bool is_command = str_eq(str_from(look->kind), STR("execute"));

	JW_KSTR(&u->w, "title",
	        !subject.len ? tool
	        : is_command ? utf8_preview(mem, subject, TITLE_MAX)
	                     : arena_printf(mem, "%.*s %.*s", STR_ARG(tool),
	                                    STR_ARG(utf8_preview(mem, subject, TITLE_MAX))));
	JW_KSTR(&u->w, "name", tool);
	JW_KSTR(&u->w, "kind", str_from(look->kind));
}

/* The protocol has absolute paths only. */
static struct str whole_path(struct update *u, struct arena *mem, struct json args)
{
	struct str path = member(args, "path");

	if (!path.len || path.ptr[0] == '/')
		return path;
	if (!u->v->cwd.len)
		return STR_NONE;
	return arena_printf(mem, "%.*s/%.*s", STR_ARG(u->v->cwd), STR_ARG(path));
}

static void write_locations(struct update *u, struct str path)
{
	if (!path.len)
		return;
	JW_KEY(&u->w, "locations");
	jw_arr(&u->w);
	jw_obj(&u->w);
	JW_KSTR(&u->w, "path", path);
	jw_obj_end(&u->w);
	jw_arr_end(&u->w);
}

/* Of write_file the old text is not known before it runs, and null would say that the file is new. */
static void write_diff(struct update *u, struct str path, struct json args)
{
	struct str tool = member(u->payload, "toolName");
	struct str after = member(args, "newText");

	if (!path.len || !str_eq(tool, STR("edit_file")) || !str_is(after))
		return;
	JW_KEY(&u->w, "content");
	jw_arr(&u->w);
	jw_obj(&u->w);
	JW_KSTR(&u->w, "type", STR("diff"));
	JW_KSTR(&u->w, "path", path);
	JW_KSTR(&u->w, "oldText", member(args, "oldText"));
	JW_KSTR(&u->w, "newText", after);
	jw_obj_end(&u->w);
	jw_arr_end(&u->w);
}

static bool write_plan(struct update *u, struct json items)
{
	struct json_iter it = json_iter(items);
	struct json item;
	struct str key;

	begin(u, "plan");
	JW_KEY(&u->w, "entries");
	jw_arr(&u->w);
	while (json_next(&it, &key, &item)) {
		struct str status = member(item, "status");
		bool is_known = str_eq(status, STR(ACP_CALL_IN_PROGRESS)) ||
		                str_eq(status, STR(ACP_CALL_COMPLETED));

		jw_obj(&u->w);
		JW_KSTR(&u->w, "content", member(item, "text"));
		JW_KSTR(&u->w, "priority", STR("medium"));
		JW_KSTR(&u->w, "status", is_known ? status : STR(ACP_CALL_PENDING));
		jw_obj_end(&u->w);
	}
	jw_arr_end(&u->w);
	end(u);
	return true;
}

static bool on_tool_started(struct update *u)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json args = JSON_GET(u->payload, "safeArgs");
	struct str path = whole_path(u, mem, args);

	if (str_eq(member(u->payload, "toolName"), STR("update_todo")))
		return write_plan(u, JSON_GET(args, "items"));
	begin(u, "tool_call");
	JW_KSTR(&u->w, "toolCallId", member(u->event, "toolCallId"));
	write_title(u, mem, args);
	JW_KSTR(&u->w, "status", STR(ACP_CALL_PENDING));
	write_locations(u, path);
	write_diff(u, path, args);
	if (json_is(args)) {
		JW_KEY(&u->w, "rawInput");
		jw_value(&u->w, args);
	}
	end(u);
	return true;
}

static void begin_call_update(struct update *u, struct str call_id)
{
	begin(u, "tool_call_update");
	JW_KSTR(&u->w, "toolCallId", call_id);
}

static void write_content_text(struct json_writer *w, struct str text)
{
	JW_KEY(w, "content");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "type", STR("content"));
	JW_KEY(w, "content");
	write_text_block(w, text);
	jw_obj_end(w);
	jw_arr_end(w);
}

static bool on_tool_progress(struct update *u)
{
	struct str message = member(u->payload, "message");

	if (str_eq(member(JSON_GET(u->event, "item"), "kind"), STR("todo")))
		return false;
	begin_call_update(u, member(u->event, "toolCallId"));
	JW_KSTR(&u->w, "status", STR(ACP_CALL_IN_PROGRESS));
	if (message.len)
		write_content_text(&u->w, message);
	end(u);
	return true;
}

/*
 * The todo list is a plan, not a call.  The diff of an edit stays: content of an update replaces all of
 * it.
 */
static bool on_tool_end(struct update *u)
{
	struct str tool = member(u->payload, "toolName");
	struct str text = member(u->payload, "displayPreview");
	bool has_failed = str_eq(member(u->event, "type"), STR("tool.failed")) ||
	                  json_bool(JSON_GET(u->payload, "isError"), false);

	if (str_eq(tool, STR("update_todo")))
		return false;
	if (!text.len && has_failed)
		text = member(u->payload, "reason");
	begin_call_update(u, member(u->event, "toolCallId"));
	JW_KSTR(&u->w, "status", has_failed ? STR(ACP_CALL_FAILED) : STR(ACP_CALL_COMPLETED));
	if (text.len && (has_failed || !str_eq(tool, STR("edit_file"))))
		write_content_text(&u->w, text);
	end(u);
	return true;
}

/* ---- the session ---- */

static bool on_context(struct update *u)
{
	struct json budget = JSON_GET(u->payload, "budget");
	int64_t size = json_int(JSON_GET(budget, "windowTokens"), 0);
	int64_t used = json_int(JSON_GET(budget, "estimatedTokens"), -1);

	if (size <= 0 || used < 0)
		return false;
	begin(u, "usage_update");
	JW_KINT(&u->w, "used", used);
	JW_KINT(&u->w, "size", size);
	end(u);
	return true;
}

static bool on_session_updated(struct update *u)
{
	struct str title = member(u->payload, "title");

	if (!title.len)
		return false;
	begin(u, "session_info_update");
	JW_KSTR(&u->w, "title", title);
	end(u);
	return true;
}

static bool on_policy_changed(struct update *u)
{
	struct str mode = member(u->payload, "mode");

	if (!mode.len)
		return false;
	begin(u, "current_mode_update");
	JW_KSTR(&u->w, "currentModeId", mode);
	end(u);
	return true;
}

static const struct {
	const char *type;
	bool (*write)(struct update *u);
} projections[] = {
	{ "turn.submitted", on_submitted },
	{ "model.delta", on_delta },
	{ "reasoning.delta", on_reasoning },
	{ "tool.started", on_tool_started },
	{ "tool.progress", on_tool_progress },
	{ "tool.result", on_tool_end },
	{ "tool.failed", on_tool_end },
	{ "context.resolved", on_context },
	{ "session.updated", on_session_updated },
	{ "policy.changed", on_policy_changed },
};

bool acp_update_write(struct buf *out, const struct acp_view *v, struct json event)
{
	struct update u = { .v = v, .event = event, .payload = JSON_GET(event, "payload") };
	struct str type = member(event, "type");

	for (size_t i = 0; i < COUNT_OF(projections); i++)
		if (str_eq(type, str_from(projections[i].type))) {
			jw_init(&u.w, out);
			return projections[i].write(&u);
		}
	return false;
}

void acp_update_write_note(struct buf *out, struct str session_id, struct str call_id,
                           struct str text)
{
	struct acp_view v = { .session_id = session_id };
	struct update u = { .v = &v };

	jw_init(&u.w, out);
	begin_call_update(&u, call_id);
	write_content_text(&u.w, text);
	end(&u);
}

void acp_update_write_notice(struct buf *out, struct str session_id, struct str text)
{
	struct acp_view v = { .session_id = session_id };
	struct update u = { .v = &v };

	jw_init(&u.w, out);
	begin(&u, "notice");
	JW_KSTR(&u.w, "severity", STR("warning"));
	JW_KSTR(&u.w, "title", text);
	end(&u);
}

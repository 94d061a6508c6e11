/*
 * Tool calls as an editor shows them: title, kind, files and changes when they begin, output or changes when they end.
 */
#include "acp/message/acp_diff.h"
#include "acp/message/acp_part.h"
#include "base/gen/words.h"
#include "base/utf8.h"

#define TITLE_MAX 200
#define CONTENT_MAX 32768 /* of a new file, before the call runs */

#define member acp_part_member

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
static void write_title(struct acp_part *u, struct arena *mem, struct json args)
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
static struct str whole_path(struct acp_part *u, struct arena *mem, struct json args)
{
	struct str path = member(args, "path");

	if (!path.len || path.ptr[0] == '/')
		return path;
	if (!u->v->cwd.len)
		return STR_NONE;
	return arena_printf(mem, "%.*s/%.*s", STR_ARG(u->v->cwd), STR_ARG(path));
}

/* ---- content ---- */

static void write_content(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("content"));
	JW_KEY(w, "content");
	acp_part_write_text(w, text);
	jw_obj_end(w);
}

void acp_tool_write_text(struct json_writer *w, struct str text)
{
	JW_KEY(w, "content");
	jw_arr(w);
	write_content(w, text);
	jw_arr_end(w);
}

void acp_tool_write_images(struct json_writer *w, struct str text, struct str blocks)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json list, block;
	struct json_iter it;
	struct str key;

	JW_KEY(w, "content");
	jw_arr(w);
	if (text.len)
		write_content(w, text);
	if (json_read_trusted(mem, blocks, &list, NULL) == OK) {
		it = json_iter(list);
		while (json_next(&it, &key, &block)) {
			jw_obj(w);
			JW_KSTR(w, "type", STR("content"));
			JW_KEY(w, "content");
			jw_value(w, block);
			jw_obj_end(w);
		}
	}
	jw_arr_end(w);
}

/* What an edit replaces: the lines around it are not known before it runs. */
static void write_edit(struct json_writer *w, struct str path, struct json args)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("diff"));
	JW_KSTR(w, "path", path);
	JW_KSTR(w, "oldText", member(args, "oldText"));
	JW_KSTR(w, "newText", member(args, "newText"));
	jw_obj_end(w);
}

/*
 * The change before it runs, for the decision about it.  Of write_file the old text is not known, and a change without
 * one would say that the file is new: the new text is shown as text.
 */
static void write_intent(struct acp_part *u, struct arena *mem, struct str path, struct json args)
{
	struct str tool = member(u->payload, "toolName");
	struct str patch = member(args, "patch"), text = member(args, "content");

	if (!str_eq(str_from(look_of(tool)->kind), STR("edit")))
		return;
	JW_KEY(&u->w, "content");
	jw_arr(&u->w);
	if (patch.len && !acp_diff_write(&u->w, mem, patch, u->v->cwd))
		write_content(&u->w, utf8_head(patch, CONTENT_MAX));
	if (path.len && str_is(member(args, "newText")))
		write_edit(&u->w, path, args);
	if (text.len)
		write_content(&u->w, utf8_head(text, CONTENT_MAX));
	jw_arr_end(&u->w);
}

static void write_locations(struct acp_part *u, struct arena *mem, struct str path,
                            struct json args)
{
	struct str patch = member(args, "patch");
	int64_t line = json_int(JSON_GET(args, "offset"), 0);

	if (!path.len && !patch.len)
		return;
	JW_KEY(&u->w, "locations");
	jw_arr(&u->w);
	if (path.len) {
		jw_obj(&u->w);
		JW_KSTR(&u->w, "path", path);
		if (line > 0 && line <= UINT32_MAX)
			JW_KINT(&u->w, "line", line);
		jw_obj_end(&u->w);
	} else {
		acp_diff_write_places(&u->w, mem, patch, u->v->cwd);
	}
	jw_arr_end(&u->w);
}

/* ---- events ---- */

bool acp_tool_started(struct acp_part *u)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json args = JSON_GET(u->payload, "safeArgs");
	struct str path = whole_path(u, mem, args);

	if (str_eq(member(u->payload, "toolName"), STR(ACP_TODO_TOOL)))
		return false; /* a plan, not a call */
	acp_part_begin(u, "tool_call");
	JW_KSTR(&u->w, "toolCallId", member(u->event, "toolCallId"));
	write_title(u, mem, args);
	JW_KSTR(&u->w, "status", STR(ACP_CALL_PENDING));
	write_locations(u, mem, path, args);
	write_intent(u, mem, path, args);
	if (json_is(args)) {
		JW_KEY(&u->w, "rawInput");
		jw_value(&u->w, args);
	}
	acp_part_end(u);
	return true;
}

void acp_tool_begin(struct acp_part *u, struct str call_id)
{
	acp_part_begin(u, "tool_call_update");
	JW_KSTR(&u->w, "toolCallId", call_id);
}

bool acp_tool_progress(struct acp_part *u)
{
	struct str message = member(u->payload, "message");

	if (str_eq(member(JSON_GET(u->event, "item"), "kind"), STR("todo")))
		return false;
	acp_tool_begin(u, member(u->event, "toolCallId"));
	JW_KSTR(&u->w, "status", STR(ACP_CALL_IN_PROGRESS));
	if (message.len)
		acp_tool_write_text(&u->w, message);
	acp_part_end(u);
	return true;
}

/* The result of a tool that changes files is a diff; a long one is cut, and then it is shown as text too. */
static void write_result(struct acp_part *u, struct arena *mem, struct str text, bool has_failed)
{
	bool is_edit = str_eq(str_from(look_of(member(u->payload, "toolName"))->kind), STR("edit"));
	struct str cut = member(u->payload, "truncation");
	bool is_whole = str_eq(cut, STR(WORD_TRUNCATION_NONE));
	size_t count = 0;

	JW_KEY(&u->w, "content");
	jw_arr(&u->w);
	if (is_edit && !has_failed)
		count = acp_diff_write(&u->w, mem, text, u->v->cwd);
	if (!count || !is_whole)
		write_content(&u->w, text);
	jw_arr_end(&u->w);
}

bool acp_tool_end(struct acp_part *u)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str text = member(u->payload, "displayPreview");
	bool has_failed = str_eq(member(u->event, "type"), STR("tool.failed")) ||
	                  json_bool(JSON_GET(u->payload, "isError"), false);

	if (str_eq(member(u->payload, "toolName"), STR(ACP_TODO_TOOL)))
		return false;
	if (!text.len && has_failed)
		text = member(u->payload, "reason");
	acp_tool_begin(u, member(u->event, "toolCallId"));
	JW_KSTR(&u->w, "status", has_failed ? STR(ACP_CALL_FAILED) : STR(ACP_CALL_COMPLETED));
	if (text.len)
		write_result(u, mem, text, has_failed);
	acp_part_end(u);
	return true;
}

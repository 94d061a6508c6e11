/*
 * Translates hook settings of Claude Code, and what such hooks read.
 *
 * A hook there blocks by exit status 2 alone, and any other failure is ignored.  Here that holds
 * for hooks that decide nothing; a guard that fails blocks, because it often fails for our own
 * sake: it has fewer rights than there.  Matchers are patterns; lists of names and prefixes are
 * translated, others are left out and told.
 */
#include "hooks/hooks_claude.h"

#include "base/jw.h"
#include "base/os/log.h"

#define TIMEOUT_MAX_S 600

static const struct {
	const char *theirs, *ours;
} points[] = {
	{ "PreToolUse", "pre_tool_use" },
	{ "PostToolUse", "post_tool_use" },
	{ "PostToolUseFailure", "post_tool_failure" },
	{ "PermissionRequest", "permission_request" },
	{ "UserPromptSubmit", "user_prompt_submit" },
	{ "SessionStart", "session_start" },
	{ "Stop", "stop" },
};

/* Several of ours may do what one of theirs does; the first is the one that is reported back. */
static const struct {
	const char *theirs, *ours;
} tools[] = {
	{ "Bash", "shell" },
	{ "Bash", "start_process" },
	{ "Bash", "write_process" },
	{ "Read", "read_file" },
	{ "Write", "write_file" },
	{ "Edit", "edit_file" },
	{ "Edit", "apply_patch" },
	{ "MultiEdit", "edit_file" },
	{ "MultiEdit", "apply_patch" },
	{ "Glob", "glob" },
	{ "Grep", "search" },
	{ "LS", "list_dir" },
	{ "WebFetch", "fetch_url" },
	{ "WebSearch", "web_search" },
	{ "Task", "spawn_agent" },
	{ "TodoWrite", "update_todo" },
	{ "ExitPlanMode", "exit_plan" },
	{ "AskUserQuestion", "ask_user" },
	{ "BashOutput", "read_process" },
	{ "KillShell", "stop_process" },
};

static const struct {
	const char *ours, *theirs;
} members[] = {
	{ "path", "file_path" },
	{ "oldText", "old_string" },
	{ "newText", "new_string" },
};

/* ---- settings ---- */

static const char *point_of(struct str theirs)
{
	for (size_t i = 0; i < COUNT_OF(points); i++)
		if (str_eq(theirs, str_from(points[i].theirs)))
			return points[i].ours;
	return NULL;
}

static bool is_plain_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr(".*+?()[]{}^$\\", s.ptr[i]))
			return false;
	return s.len > 0;
}

static void add_name(struct buf *out, struct str name, bool is_prefix)
{
	if (out->len)
		buf_add_char(out, '|');
	buf_add_str(out, name);
	if (is_prefix)
		buf_add_char(out, '*');
}

static void leave_out(struct buf *left, struct str point, struct str what, const char *why)
{
	buf_printf(left, "%.*s %.*s: %s\n", STR_ARG(point), STR_ARG(str_head(what, 80)), why);
}

/* False: it is neither a name nor the beginning of one that is known here. */
static bool translate_word(struct str word, struct buf *out)
{
	bool is_prefix = str_ends(word, STR(".*"));
	struct str name = is_prefix ? str_head(word, word.len - 2) : word;
	size_t before = out->len;

	if (!is_plain_name(name))
		return false;
	if (str_starts(name, STR("mcp__")))
		add_name(out, name, is_prefix);
	for (size_t i = 0; i < COUNT_OF(tools); i++)
		if (is_prefix ? str_starts(str_from(tools[i].theirs), name)
		              : str_eq(name, str_from(tools[i].theirs)))
			add_name(out, str_from(tools[i].ours), false);
	return out->len > before;
}

/* The list of our names; absent: all tools.  Words that cannot be translated go to `left`. */
static struct str translate_matcher(struct arena *mem, struct str point, struct str matcher,
                                    struct buf *left, bool *ret_is_known)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	*ret_is_known = true;
	if (!str_is(matcher) || !matcher.len || str_eq(matcher, STR("*")) ||
	    str_eq(matcher, STR(".*")))
		return STR_NONE;
	while (str_is(matcher)) {
		struct str word = str_trim(str_cut(&matcher, '|'));

		if (!translate_word(word, &out))
			leave_out(left, point, word,
			          "its matcher names no tool that is known here");
	}
	*ret_is_known = out.len > 0;
	return arena_keep(mem, buf_str(&out));
}

/* A guard that cannot run must not let everything pass. */
static bool is_guard(struct str point)
{
	return str_eq(point, STR("PreToolUse")) || str_eq(point, STR("PermissionRequest"));
}

static void write_hook(struct json_writer *w, struct str point, struct str match, struct json hook)
{
	int64_t timeout_s = json_int(JSON_GET(hook, "timeout"), 60);

	jw_obj(w);
	if (str_is(match))
		JW_KSTR(w, "match", match);
	JW_KSTR(w, "command", json_str(JSON_GET(hook, "command")));
	JW_KINT(w, "timeout_ms", 1000 * MAX(1, MIN(timeout_s, TIMEOUT_MAX_S)));
	JW_KSTR(w, "on_failure", is_guard(point) ? STR("closed") : STR("open"));
	jw_obj_end(w);
}

/* One entry: a matcher and the hooks behind it. */
static void write_entry(struct json_writer *w, struct arena *mem, struct str point,
                        struct json entry, struct buf *left)
{
	struct json_iter it = json_iter(JSON_GET(entry, "hooks"));
	struct str matcher = json_str(JSON_GET(entry, "matcher")), match, key;
	bool is_about_tools =
		str_find(point, STR("Tool")) >= 0 || str_eq(point, STR("PermissionRequest"));
	bool is_known = true;
	struct json hook;

	match = is_about_tools ? translate_matcher(mem, point, matcher, left, &is_known) : STR_NONE;
	if (!is_known)
		return;
	while (json_next(&it, &key, &hook)) {
		if (str_is(json_str(JSON_GET(hook, "command"))) &&
		    str_eq(json_str(JSON_GET(hook, "type")), STR("command")))
			write_hook(w, point, match, hook);
		else
			leave_out(left, point, json_str(JSON_GET(hook, "type")),
			          "only commands are run");
	}
}

struct json hooks_claude_points(struct arena *mem, struct json hooks, struct str *ret_left)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf left = { 0 };
	struct json_iter it = json_iter(hooks);
	struct json list, entry, points_of_ours;
	struct json_writer w;
	struct str point, key;

	jw_init(&w, &text);
	jw_obj(&w);
	while (json_next(&it, &point, &list)) {
		struct json_iter in = json_iter(list);

		if (!point_of(point)) {
			leave_out(&left, point, STR("hooks"), "there is no such point here");
			continue;
		}
		jw_key(&w, str_from(point_of(point)));
		jw_arr(&w);
		while (json_next(&in, &key, &entry))
			write_entry(&w, mem, point, entry, &left);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	*ret_left = arena_keep(mem, buf_str(&left));
	if (json_read(mem, arena_keep(mem, buf_str(&text)), &points_of_ours, NULL) != OK)
		return (struct json){ NULL };
	return points_of_ours;
}

/* ---- what a hook reads ---- */

static struct str their_tool(struct str ours)
{
	for (size_t i = 0; i < COUNT_OF(tools); i++)
		if (str_eq(ours, str_from(tools[i].ours)))
			return str_from(tools[i].theirs);
	return ours;
}

/* The first file that a patch names; absent: none. */
static struct str file_of_patch(struct str patch)
{
	static const char *const heads[] = { "*** Update File: ", "*** Add File: ",
		                             "*** Delete File: ", "+++ b/" };

	while (patch.len) {
		struct str line = str_cut(&patch, '\n');

		for (size_t i = 0; i < COUNT_OF(heads); i++)
			if (str_starts(line, str_from(heads[i])))
				return str_trim(str_skip(line, strlen(heads[i])));
	}
	return STR_NONE;
}

static struct str absolute(struct arena *mem, struct str path, struct str cwd)
{
	return path.len && path.ptr[0] != '/' && str_is(cwd)
	               ? arena_printf(mem, "%.*s/%.*s", STR_ARG(cwd), STR_ARG(path))
	               : path;
}

/* Ours and theirs side by side.  Their paths are absolute. */
static void write_tool_input(struct json_writer *w, struct arena *mem, struct json input,
                             struct str cwd)
{
	struct json_iter it = json_iter(input);
	struct json v;
	struct str key;

	if (json_type(input) != JSON_OBJ) {
		jw_value(w, input);
		return;
	}
	jw_obj(w);
	while (json_next(&it, &key, &v)) {
		jw_key(w, key);
		jw_value(w, v);
		for (size_t i = 0; i < COUNT_OF(members); i++) {
			struct str text = json_str(v);

			if (!str_eq(key, str_from(members[i].ours)) || !str_is(text) ||
			    json_is(json_get(input, str_from(members[i].theirs))))
				continue;
			if (i == 0)
				text = absolute(mem, text, cwd);
			jw_kstr(w, str_from(members[i].theirs), text);
		}
		if (str_eq(key, STR("patch")) && str_is(json_str(v)) &&
		    str_is(file_of_patch(json_str(v))))
			JW_KSTR(w, "file_path", absolute(mem, file_of_patch(json_str(v)), cwd));
	}
	jw_obj_end(w);
}

struct str hooks_claude_input(struct arena *mem, struct str input)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;
	struct json doc, v;
	struct json_iter it;
	struct str key;

	if (json_read(mem, input, &doc, NULL) != OK || json_type(doc) != JSON_OBJ)
		return input;
	it = json_iter(doc);
	jw_init(&w, &text);
	jw_obj(&w);
	while (json_next(&it, &key, &v)) {
		jw_key(&w, key);
		if (str_eq(key, STR("tool_name")))
			jw_str(&w, their_tool(json_str(v)));
		else if (str_eq(key, STR("tool_input")))
			write_tool_input(&w, mem, v, json_str(JSON_GET(doc, "cwd")));
		else
			jw_value(&w, v);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&text));
}

/* ---- what a hook answers ---- */

static struct str our_member(struct str theirs)
{
	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (str_eq(theirs, str_from(members[i].theirs)))
			return str_from(members[i].ours);
	return theirs;
}

/* A hook that got both spellings may answer with both: then its own one counts. */
static void write_updated(struct json_writer *w, struct json input)
{
	struct json_iter it = json_iter(input);
	struct json v;
	struct str key;

	jw_obj(w);
	while (json_next(&it, &key, &v)) {
		bool is_replaced = false;

		for (size_t i = 0; i < COUNT_OF(members); i++)
			is_replaced |= str_eq(key, str_from(members[i].ours)) &&
			               json_is(json_get(input, str_from(members[i].theirs)));
		if (is_replaced)
			continue;
		jw_key(w, our_member(key));
		jw_value(w, v);
	}
	jw_obj_end(w);
}

static void write_answer(struct json_writer *w, struct json answer)
{
	struct json_iter it = json_iter(answer);
	struct json v;
	struct str key;

	jw_obj(w);
	while (json_next(&it, &key, &v)) {
		jw_key(w, key);
		if (str_eq(key, STR("updatedInput")) && json_type(v) == JSON_OBJ)
			write_updated(w, v);
		else if (str_eq(key, STR("hookSpecificOutput")) && json_type(v) == JSON_OBJ)
			write_answer(w, v);
		else
			jw_value(w, v);
	}
	jw_obj_end(w);
}

struct str hooks_claude_output(struct arena *mem, struct str output)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;
	struct json answer;

	if (str_find(output, STR("updatedInput")) < 0 ||
	    json_read(mem, output, &answer, NULL) != OK || json_type(answer) != JSON_OBJ)
		return output;
	jw_init(&w, &text);
	write_answer(&w, answer);
	return arena_keep(mem, buf_str(&text));
}

void hooks_claude_tell(struct str where, struct str left)
{
	while (left.len) {
		struct str line = str_cut(&left, '\n');

		log_line(LOG_WARN, "hooks", "%.*s: left out: %.*s", STR_ARG(where), STR_ARG(line));
	}
}

/* ---- files of a project ---- */

/* False: it has no hooks.  *ret_off: it turns hooks off. */
static bool read_file_hooks(struct arena *mem, struct str text, struct json *ret, bool *ret_off)
{
	struct json doc;

	if (!str_is(text) || json_read_config(mem, arena_keep(mem, text), &doc, NULL) != OK)
		return false;
	*ret_off |= json_bool(JSON_GET(doc, "disableAllHooks"), false);
	*ret = JSON_GET(doc, "hooks");
	return json_type(*ret) == JSON_OBJ && json_count(*ret) > 0;
}

static void add_entries(struct json_writer *w, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		jw_value(w, v);
}

/* Points of both, each with the entries of both. */
static struct str joined_text(struct arena *mem, struct json shared, struct json local)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct json files[] = { shared, local };
	struct json_writer w;
	struct json v;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "hooks");
	jw_obj(&w);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct json_iter it = json_iter(files[i]);

		while (json_next(&it, &key, &v)) {
			if (i && json_is(json_get(shared, key)))
				continue;
			jw_key(&w, key);
			jw_arr(&w);
			add_entries(&w, json_get(shared, key));
			add_entries(&w, json_get(local, key));
			jw_arr_end(&w);
		}
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

struct str hooks_claude_text(struct arena *mem, struct str shared, struct str local)
{
	struct json of_shared = { 0 }, of_local = { 0 };
	bool is_off = false;
	bool has_shared = read_file_hooks(mem, shared, &of_shared, &is_off);
	bool has_local = read_file_hooks(mem, local, &of_local, &is_off);

	if (is_off || (!has_shared && !has_local))
		return STR_NONE;
	if (!has_local)
		return shared;
	return has_shared ? joined_text(mem, of_shared, of_local) : local;
}

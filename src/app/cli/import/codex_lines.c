/*
 * Lines of codex's session files (sessions/YYYY/MM/DD/rollout-*.jsonl).
 *
 * A line is {timestamp, type, payload}; the conversation is in those of type
 * response_item.  Files of early versions have the items themselves as lines.
 * A rollback takes back the newest messages of the person, with what followed
 * them.
 */
#include "app/cli/import/session_reader.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

/* The item of a line; its own type is in *ret_type. */
static struct json item_of(struct json line, struct str *ret_type)
{
	struct str type = json_str(JSON_GET(line, "type"));
	struct json payload = JSON_GET(line, "payload");

	*ret_type = type;
	if (str_eq(type, STR("response_item"))) {
		*ret_type = json_str(JSON_GET(payload, "type"));
		return payload;
	}
	return json_is(payload) ? (struct json){ 0 } : line;
}

static struct str text_of(struct session_reader *r, struct json content)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	if (json_type(content) == JSON_STR)
		return json_str(content);
	while (json_next(&it, &key, &part)) {
		struct str text = json_str(JSON_GET(part, "text"));

		buf_add_c(&out, out.len ? "\n" : "");
		if (str_is(text))
			buf_add_str(&out, text);
		else
			buf_printf(&out, "[%.*s]",
			           STR_ARG(str_head(json_str(JSON_GET(part, "type")), 40)));
	}
	return arena_keep(r->line, buf_str(&out));
}

/* Context that the program itself writes as a message of the person. */
static bool is_of_program(struct str text)
{
	static const char *const starts[] = { "<environment_context>",     "<user_instructions>",
		                              "# AGENTS.md instructions",  "<turn_aborted>",
		                              "<permissions instructions", "<skill>",
		                              "<user_shell_command>",      "<subagent_notification",
		                              "<collaboration_mode>",      "<INSTRUCTIONS>",
		                              "<apps_instructions>",       "<personality_spec>" };

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (str_starts(text, str_from(starts[i])))
			return true;
	return false;
}

/* The message of a person; absent: it is none. */
static struct str user_text(struct session_reader *r, struct json item, struct str type)
{
	struct str text;

	if (!str_eq(type, STR("message")) || !str_eq(json_str(JSON_GET(item, "role")), STR("user")))
		return STR_NONE;
	text = str_trim(text_of(r, JSON_GET(item, "content")));
	return text.len && !is_of_program(text) ? text : STR_NONE;
}

/* ---- first pass ---- */

static void count_message(struct session_reader *r)
{
	if (r->message_count == SESSION_LINKS_MAX)
		return;
	if (r->message_count == r->message_cap) {
		r->message_cap = r->message_cap ? r->message_cap * 2 : 64;
		r->dropped = memory_resize(r->dropped, r->message_cap * sizeof *r->dropped);
	}
	r->dropped[r->message_count++] = false;
}

static void roll_back(struct session_reader *r, int64_t count)
{
	for (size_t i = r->message_count; i-- > 0 && count > 0;) {
		count -= !r->dropped[i];
		r->dropped[i] = true;
	}
}

static void scan_meta(struct session_reader *r, struct json meta)
{
	session_reader_note(r, &r->head.source_id, json_str(JSON_GET(meta, "id")), false);
	session_reader_note(r, &r->head.cwd, json_str(JSON_GET(meta, "cwd")), false);
	session_reader_note(r, &r->head.version, json_str(JSON_GET(meta, "cli_version")), false);
	session_reader_note(r, &r->head.branch, json_str(JSON_GET(JSON_GET(meta, "git"), "branch")),
	                    false);
}

static void codex_scan(struct session_reader *r, struct json line)
{
	struct str type, whole = json_str(JSON_GET(line, "type"));
	struct json item = item_of(line, &type), payload = JSON_GET(line, "payload");

	session_reader_time(r, line);
	if (str_eq(whole, STR("session_meta")))
		scan_meta(r, payload);
	else if (!str_is(whole)) /* the first line of early versions */
		scan_meta(r, line);
	else if (str_eq(whole, STR("turn_context")))
		session_reader_note(r, &r->head.cwd, json_str(JSON_GET(payload, "cwd")), false);
	else if (str_eq(json_str(JSON_GET(payload, "type")), STR("thread_rolled_back")))
		roll_back(r, json_int(JSON_GET(payload, "num_turns"), 0));
	else if (json_is(item) && str_is(user_text(r, item, type)))
		count_message(r);
}

static void codex_mark(struct session_reader *r)
{
	(void)r;
}

/* ---- second pass ---- */

/* The output of a call in the forms of several versions. */
static struct str output_of(struct session_reader *r, struct json output, bool *ret_failed)
{
	struct str text = text_of(r, output);
	struct json v;

	if (json_type(output) == JSON_OBJ) {
		*ret_failed = !json_bool(JSON_GET(output, "success"), true);
		return text_of(r, JSON_GET(output, "content"));
	}
	if (!str_starts(text, STR("{")) || json_read(r->line, text, &v, NULL) != OK ||
	    !str_is(json_str(JSON_GET(v, "output"))))
		return text;
	*ret_failed = json_int(JSON_GET(JSON_GET(v, "metadata"), "exit_code"), 0) != 0;
	return json_str(JSON_GET(v, "output"));
}

static void take_call(struct session_reader *r, struct session_item item, struct json from,
                      struct str type)
{
	struct json args = JSON_GET(from, "arguments");

	item.kind = SESSION_ITEM_CALL;
	item.id = json_str(JSON_GET(from, "call_id"));
	item.name = json_str(JSON_GET(from, "name"));
	if (!json_is(args))
		args = JSON_GET(from, "input");
	if (!json_is(args))
		args = JSON_GET(from, "action");
	if (!str_is(item.name))
		item.name = str_head(type, MAX(type.len, 5) - 5); /* local_shell_call */
	item.text = json_type(args) == JSON_STR ? json_str(args) : json_text(r->line, args);
	session_reader_item(r, item);
}

static void take_output(struct session_reader *r, struct session_item item, struct json from)
{
	item.kind = SESSION_ITEM_RESULT;
	item.id = json_str(JSON_GET(from, "call_id"));
	item.text = output_of(r, JSON_GET(from, "output"), &item.is_error);
	session_reader_item(r, item);
}

static void take_message(struct session_reader *r, struct json line, struct json from,
                         struct str type)
{
	struct str text = user_text(r, from, type);

	if (str_is(text)) {
		r->skips = r->message < r->message_count && r->dropped[r->message];
		r->message++;
		if (!r->skips)
			session_reader_user(r, text, json_str(JSON_GET(from, "id")),
			                    session_reader_at(line));
	} else if (str_eq(json_str(JSON_GET(from, "role")), STR("assistant")) && !r->skips) {
		session_reader_item(
			r, (struct session_item){ .id = json_str(JSON_GET(from, "id")),
		                                  .at = session_reader_at(line),
		                                  .text = text_of(r, JSON_GET(from, "content")) });
	}
}

static bool is_one_of(struct str type, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(type, str_from(list[i])))
			return true;
	return false;
}

static void take_item(struct session_reader *r, struct json line, struct json item, struct str type)
{
	static const char *const calls[] = { "function_call", "custom_tool_call",
		                             "local_shell_call", "web_search_call" };
	static const char *const outputs[] = { "function_call_output", "custom_tool_call_output" };
	static const char *const silent[] = { "reasoning", "ghost_snapshot", "compaction",
		                              "compaction_summary", "other" };
	struct session_item made = { .at = session_reader_at(line) };

	if (str_eq(type, STR("message")))
		take_message(r, line, item, type);
	else if (is_one_of(type, calls, COUNT_OF(calls)) && !r->skips)
		take_call(r, made, item, type);
	else if (is_one_of(type, outputs, COUNT_OF(outputs)) && !r->skips)
		take_output(r, made, item);
	else if (r->skips)
		r->head.aside++;
	else
		r->head.unknown += !is_one_of(type, silent, COUNT_OF(silent));
}

static void codex_take(struct session_reader *r, struct json line)
{
	static const char *const silent[] = { "session_meta", "event_msg", "compacted" };
	struct str type, whole = json_str(JSON_GET(line, "type"));
	struct json item = item_of(line, &type);

	if (str_eq(whole, STR("turn_context"))) {
		struct str model = json_str(JSON_GET(JSON_GET(line, "payload"), "model"));

		if (model.len && !str_eq(model, r->model))
			r->model = arena_keep(r->keep, utf8_head(model, 256));
	} else if (!str_is(whole)) {
		/* The first line, and records of state, of early versions. */
		r->head.unknown +=
			!json_is(JSON_GET(line, "id")) && !json_is(JSON_GET(line, "record_type"));
	} else if (json_is(item)) {
		take_item(r, line, item, type);
	} else {
		r->head.unknown += !is_one_of(whole, silent, COUNT_OF(silent));
	}
}

const struct session_dialect codex_lines_dialect = { codex_scan, codex_mark, codex_take };

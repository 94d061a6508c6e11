/*
 * Commands that are files of the user or of a trusted project, as slash commands of an editor.  A prompt
 * that begins with the name of one is replaced by the text of its file.
 */
#include "acp/acp_parts.h"

#include "base/memory.h"

#define COMMANDS_MAX 200

void acp_command_ask(struct acp_thread *t)
{
	struct acp_params p;

	acp_peer_begin_call(&p, STR_NONE);
	JW_KSTR(&p.w, "cwd", str_from(t->cwd));
	JW_KSTR(&p.w, "kind", STR("command"));
	acp_peer_call(t->s, ACP_CALL_COMMANDS, "list_extensions", &p)->thread = t;
}

/* Files with an error cannot run, those that are not trusted must not. */
static bool is_usable(struct json row)
{
	return json_str(JSON_GET(row, "name")).len && !str_is(json_str(JSON_GET(row, "error"))) &&
	       json_bool(JSON_GET(row, "isTrusted"), false);
}

static void write_command(struct json_writer *w, struct json row)
{
	struct str hint = json_str(JSON_GET(row, "argumentHint"));

	jw_obj(w);
	JW_KSTR(w, "name", json_str(JSON_GET(row, "name")));
	JW_KSTR(w, "description", json_str(JSON_GET(row, "description")));
	if (hint.len) {
		JW_KEY(w, "input");
		jw_obj(w);
		JW_KSTR(w, "hint", hint);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static size_t write_commands(struct acp_thread *t, struct json_writer *w, struct json rows,
                             bool *ret_is_new)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	struct json_iter it = json_iter(rows);
	size_t count = 0;
	struct json row;
	struct str key;

	while (count < COMMANDS_MAX && json_next(&it, &key, &row)) {
		if (!is_usable(row))
			continue;
		write_command(w, row);
		buf_printf(&names, "\n%.*s", STR_ARG(json_str(JSON_GET(row, "name"))));
		count++;
	}
	buf_add_char(&names, '\n');
	*ret_is_new = !t->commands || !str_eq(str_from(t->commands), buf_str(&names));
	memory_free(t->commands);
	t->commands = memory_strndup(names.ptr, names.len);
	return count;
}

void acp_command_listed(struct acp_thread *t, struct json reply)
{
	struct buf params = { 0 };
	struct json_writer w;
	bool had_some = t->commands && t->commands[0] && t->commands[1], is_new;
	size_t count;

	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", str_from(t->id));
	JW_KEY(&w, "update");
	jw_obj(&w);
	JW_KSTR(&w, "sessionUpdate", STR("available_commands_update"));
	JW_KEY(&w, "availableCommands");
	jw_arr(&w);
	count = write_commands(t, &w, JSON_GET(reply, "extensions"), &is_new);
	jw_arr_end(&w);
	jw_obj_end(&w);
	jw_obj_end(&w);
	if (is_new && (count || had_some))
		acp_peer_notify(t->s, "session/update", &params);
	buf_done(&params);
}

bool acp_command_find(const struct acp_thread *t, struct json params, struct str *ret_name,
                      struct str *ret_arguments)
{
	struct str text = json_str(JSON_GET(json_at(JSON_GET(params, "prompt"), 0), "text"));
	size_t end = 1;

	if (!t->commands || !str_starts(text, STR("/")))
		return false;
	while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != '\n')
		end++;
	*ret_name = str_of(text.ptr + 1, end - 1);
	*ret_arguments = str_trim(str_skip(text, end));
	return ret_name->len &&
	       str_find(str_from(t->commands),
	                arena_printf(t->s->mem, "\n%.*s\n", STR_ARG(*ret_name))) >= 0;
}

/*
 * Removes secrets from outputs of programs that a command brings, before it is
 * decided: the texts of import_session, and the results of tools that the
 * caller runs.
 */
#include "engine/request/output_redact.h"

#include "base/jw.h"
#include "engine/engine_state.h"
#include "text/redact.h"

static void redact_value(struct request *r, struct scrub_stream *counts, struct str *text)
{
	if (text->len)
		*text = redact_text(r->engine->ports.scrub, r->mem, *text, counts);
}

static void redact_import(struct request *r, struct scrub_stream *counts)
{
	struct cmd_import_session *cmd = r->args;

	redact_value(r, counts, &cmd->title);
	for (uint32_t i = 0; i < cmd->turns.count; i++) {
		struct rec_import_turn *turn = cmd->turns.items[i];

		redact_value(r, counts, &turn->text);
		for (uint32_t n = 0; n < turn->items.count; n++)
			redact_value(r, counts, &turn->items.items[n]->text);
	}
}

static struct str json_string(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_str(&w, text);
	return arena_keep(mem, buf_str(&out));
}

/* A pattern may have removed quotes and braces; the rest is then kept as a text. */
static void redact_result(struct request *r, struct scrub_stream *counts)
{
	struct cmd_complete_tool_call *cmd = r->args;
	struct str before = cmd->output, text = cmd->output;
	bool is_text = false;
	struct json v;

	if (json_read_trusted(r->mem, cmd->output, &v, NULL) == OK && json_type(v) == JSON_STR) {
		is_text = true;
		before = text = json_str(v);
	}
	redact_value(r, counts, &text);
	if (str_eq(text, before))
		return;
	if (is_text || json_read(r->mem, text, &v, NULL) != OK)
		text = json_string(r->mem, text);
	cmd->output = text;
}

bool output_redact_gather(struct request *r)
{
	struct scrub_stream counts = { 0 };

	if (!r->engine->ports.scrub)
		return false;
	if (r->command.command == COMMAND_IMPORT_SESSION)
		redact_import(r, &counts);
	else if (r->command.command == COMMAND_COMPLETE_TOOL_CALL)
		redact_result(r, &counts);
	redact_stream_done(&counts);
	return false;
}

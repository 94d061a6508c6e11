/*
 * Removes secrets from the texts of import_session before they are decided on:
 * files of other programs hold outputs of commands as they were printed.
 */
#include "engine/request/import_redact.h"

#include "engine/engine_state.h"
#include "text/redact.h"

static void redact_value(struct request *r, struct scrub_stream *counts, struct str *text)
{
	if (text->len)
		*text = redact_text(r->engine->ports.scrub, r->mem, *text, counts);
}

bool import_redact_gather(struct request *r)
{
	struct cmd_import_session *cmd =
		r->command.command == COMMAND_IMPORT_SESSION ? r->args : NULL;
	struct scrub_stream counts = { 0 };

	if (!cmd || !r->engine->ports.scrub)
		return false;
	redact_value(r, &counts, &cmd->title);
	for (uint32_t i = 0; i < cmd->turns.count; i++) {
		struct rec_import_turn *turn = cmd->turns.items[i];

		redact_value(r, &counts, &turn->text);
		for (uint32_t n = 0; n < turn->items.count; n++)
			redact_value(r, &counts, &turn->items.items[n]->text);
	}
	redact_stream_done(&counts);
	return false;
}

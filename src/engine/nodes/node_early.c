/* Refuses what all nodes would have to read while one of them cannot; node_early.h. */
#include "engine/nodes/node_early.h"

#include "engine/gen/queries.h"
#include "engine/nodes/node_rev.h"
#include "engine/engine_state.h"

bool node_early_gather(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];

	if (!r->engine->nodes || !class->mutates || class->target != TARGET_RUNTIME || r->job.run)
		return false;
	for (const enum event_type *type = query_emits(r->command.command); *type; type++) {
		if (!node_rev_is_early(r->engine, *type))
			continue;
		request_fail(r, ERROR_CODE_UPGRADE_UNFINISHED, NODE_REV_TOO_EARLY,
		             STR_ARG(event_type_word(*type)));
		request_reply(r);
		return true;
	}
	return false;
}

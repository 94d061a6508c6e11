#ifndef ACP_ACP_UPDATE_H
#define ACP_ACP_UPDATE_H
/*
 * Events of the runtime as updates for an editor.  Pure: the same event gives
 * the same update, when it happens and when a session is loaded later.
 *
 *   turn.submitted                  user_message_chunk (only with shows_input)
 *   model.delta, reasoning.delta    agent_message_chunk, agent_thought_chunk
 *   tool.started                    tool_call (pending); of the todo list: plan
 *   tool.progress                   tool_call_update (in_progress)
 *   tool.result, tool.failed        tool_call_update (completed, failed) with the output
 *   context.resolved                usage_update
 *   session.updated                 session_info_update
 *   policy.changed                  current_mode_update (of the permission mode)
 */
#include "base/buf.h"
#include "base/json.h"

struct acp_view {
	struct str session_id;
	struct str cwd;   /* of the session: relative paths of tools begin there */
	bool shows_input; /* messages of users too: the editor has not written them */
};

/* Adds the params of one session/update.  False: the editor does not need this event. */
bool acp_update_write(struct buf *out, const struct acp_view *v, struct json event);
/* A text below a tool call, such as what it waits for. */
void acp_update_write_note(struct buf *out, struct str session_id, struct str call_id,
                           struct str text);
/* A text outside the history; only for an editor that has declared notices. */
void acp_update_write_notice(struct buf *out, struct str session_id, struct str text);

#endif

#ifndef ACP_ACP_UPDATE_H
#define ACP_ACP_UPDATE_H
/*
 * Events of the runtime as updates for an editor.  Pure: the same event gives
 * the same update, when it happens and when a session is loaded later.
 *
 *   turn.submitted                  user_message_chunk (only with shows_input)
 *   model.delta, reasoning.delta    agent_message_chunk, agent_thought_chunk
 *   tool.started                    tool_call (pending), with the change of a patch or an edit
 *   tool.progress                   tool_call_update (in_progress)
 *   tool.result, tool.failed        tool_call_update (completed, failed) with output or changes
 *   context.compaction.*            compaction_update (only with shows_compaction)
 *   session.updated                 session_info_update
 *   policy.changed                  current_mode_update (of the permission mode)
 */
#include "base/buf.h"
#include "base/json.h"

struct acp_view {
	struct str session_id;
	struct str cwd;   /* of the session: relative paths of tools begin there */
	bool shows_input; /* messages of users too: the editor has not written them */
	bool shows_compaction;
};

/* Adds the params of one session/update.  False: the editor does not need this event. */
bool acp_update_write(struct buf *out, const struct acp_view *v, struct json event);
/* A text below a tool call, such as what it waits for. */
void acp_update_write_note(struct buf *out, struct str session_id, struct str call_id,
                           struct str text);
/* The end of the output of a call that runs. */
void acp_update_write_output(struct buf *out, struct str session_id, struct str call_id,
                             struct str text);
/* One part of a user's message; block: the JSON of a content block. */
void acp_update_write_user(struct buf *out, struct str session_id, struct str message_id,
                           struct str block);
/* The end of a call whose result has images; blocks: a JSON list of content blocks. */
void acp_update_write_images(struct buf *out, struct str session_id, struct str call_id,
                             struct str text, struct str blocks);
/* Of turn.submitted: a person has written it. */
bool acp_update_is_of_person(struct json payload);
/* A text outside the history; only for an editor that has declared notices. */
void acp_update_write_notice(struct buf *out, struct str session_id, struct str text);

#endif

#ifndef ACP_ACP_PART_H
#define ACP_ACP_PART_H
/* Parts of updates; shared by acp_update.c and acp_tool.c only. */
#include "acp/message/acp_message.h"
#include "acp/message/acp_update.h"
#include "base/jw.h"

/* One update that is being written. */
struct acp_part {
	struct json_writer w;
	const struct acp_view *v;
	struct json event, payload;
};

struct str acp_part_member(struct json v, const char *name);
/* The caller adds the members of its kind and calls acp_part_end(). */
void acp_part_begin(struct acp_part *u, const char *kind);
void acp_part_end(struct acp_part *u);
/* A content block. */
void acp_part_write_text(struct json_writer *w, struct str text);

/* ---- acp_tool.c: tool calls ---- */

bool acp_tool_started(struct acp_part *u);
bool acp_tool_progress(struct acp_part *u);
bool acp_tool_end(struct acp_part *u);
/* A tool_call_update of that call. */
void acp_tool_begin(struct acp_part *u, struct str call_id);
/* The member `content`: a text; a text and images. */
void acp_tool_write_text(struct json_writer *w, struct str text);
void acp_tool_write_images(struct json_writer *w, struct str text, struct str blocks);

#endif

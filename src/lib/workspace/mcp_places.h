#ifndef LIB_MCP_PLACES_H
#define LIB_MCP_PLACES_H
/*
 * Tool servers of the directories that sessions work in, behind ports/tool.h: a directory's
 * .mcp.json is read when work begins there, what runs is what was read then, and it is stale when
 * the file says another text.  Trust is given to that text; until it is, its servers are listed
 * and nothing of them runs.  A server of the settings has priority over one of the same name.
 */
#include "mcp/mcp_tools.h"

/* The options apply to the servers of all directories; o->settings belongs to another toolset. */
struct tool_places *mcp_places_open(const struct mcp_options *o);
/* From now on servers are started, and are channels of the control. */
void mcp_places_start(struct tool_places *p, struct control *control);
/* Ends them and reports that to the control, which must still exist. */
void mcp_places_stop(struct tool_places *p);

#endif

/* The tools that the core runs itself: rows of catalog/tools/ whose set is "agent". */
#include "core/gen/agent_tools_table.h"
#include "core/tool/agent_tool.h"

const struct tool_info *agent_tool_info_list(size_t *ret_count)
{
	*ret_count = COUNT_OF(agent_tools_table);
	return agent_tools_table;
}

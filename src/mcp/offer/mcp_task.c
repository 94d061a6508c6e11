/* Reads tasks of both revisions; numbers and ids of a server are bounded. */
#include "mcp/offer/mcp_task.h"
#include "base/util.h"

/* The server names the time between two questions, within these. */
#define POLL_MIN_MS 50
#define POLL_MAX_MS 60000
#define ID_MAX 1024 /* as in tool.progress */

static enum mcp_task_status status_of(struct str word)
{
	static const char *const words[] = {
		[MCP_TASK_WORKING] = "working",     [MCP_TASK_INPUT_REQUIRED] = "input_required",
		[MCP_TASK_COMPLETED] = "completed", [MCP_TASK_FAILED] = "failed",
		[MCP_TASK_CANCELLED] = "cancelled",
	};

	for (size_t i = 1; i < COUNT_OF(words); i++)
		if (str_is(word) && str_eq(word, str_from(words[i])))
			return (enum mcp_task_status)i;
	return MCP_TASK_NONE;
}

struct mcp_task mcp_task_read(struct json v)
{
	struct json poll = JSON_GET(v, "pollIntervalMs");
	struct mcp_task t = { .status = status_of(json_str(JSON_GET(v, "status"))),
		              .id = json_str(JSON_GET(v, "taskId")),
		              .message = json_str(JSON_GET(v, "statusMessage")),
		              .result = JSON_GET(v, "result"),
		              .error = json_str(JSON_GET(JSON_GET(v, "error"), "message")) };

	if (!json_is(poll))
		poll = JSON_GET(v, "pollInterval");
	t.poll_ms = MAX(MIN(json_int(poll, MCP_TASK_POLL_MS), POLL_MAX_MS), POLL_MIN_MS);
	if (!t.id.len || t.id.len > ID_MAX)
		t.status = MCP_TASK_NONE;
	return t;
}

struct mcp_task mcp_task_created(struct json reply, bool was_requested, bool is_modern)
{
	struct json task = JSON_GET(reply, "task");
	struct str type = json_str(JSON_GET(reply, "resultType"));
	struct mcp_task t = { 0 };

	if (!is_modern && was_requested && json_is(task) && json_type(task) == JSON_OBJ)
		t = mcp_task_read(task);
	else if (is_modern && str_is(type) && str_eq(type, STR("task")))
		t = mcp_task_read(reply);
	else
		return t;
	t.is_bad = !t.status;
	return t;
}

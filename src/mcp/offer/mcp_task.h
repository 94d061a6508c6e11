#ifndef MCP_TASK_H
#define MCP_TASK_H
/*
 * Tasks of tool servers: a call that the server runs by itself, and that is asked for by its id.
 * In 2025-11-25 the client requests a task and fetches its result separately; in 2026-07-28 the
 * server decides, and the task has its result.  Pure.
 */
#include "base/json.h"

/* Between two questions about a task, if the server does not say. */
#define MCP_TASK_POLL_MS 1000

enum mcp_task_status {
	MCP_TASK_NONE, /* the reply is no task */
	MCP_TASK_WORKING,
	MCP_TASK_INPUT_REQUIRED,
	MCP_TASK_COMPLETED,
	MCP_TASK_FAILED,
	MCP_TASK_CANCELLED,
};

struct mcp_task {
	enum mcp_task_status status;
	struct str id;
	struct str message; /* what the server says about it; or absent */
	int64_t poll_ms;    /* how long to wait before it is asked for again */
	struct json result; /* of a completed one that has it */
	struct str error;   /* why it failed; or absent */
	bool is_bad;        /* it has no id, or no status that is known */
};

/*
 * The reply to tools/call: MCP_TASK_NONE if it is a result, or (is_bad) a task that cannot be
 * followed.  was_requested: a task of 2025-11-25 was; otherwise the reply is of 2026-07-28.
 */
struct mcp_task mcp_task_created(struct json reply, bool was_requested, bool is_modern);
/* The reply to tasks/get. */
struct mcp_task mcp_task_read(struct json reply);

#endif

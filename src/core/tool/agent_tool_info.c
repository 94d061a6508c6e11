/* What the runtime's own tools are called and what they take: the words that a model reads. */
#include "core/tool/agent_tool.h"

#define TEXT(literal)                                                                              \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	}
#define OBJECT "{\"type\":\"object\",\"additionalProperties\":false,"
#define AGENT                                                                                      \
	"\"agent\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256,"                        \
	"\"description\":\"Its id, or its nickname.\"}"
#define INPUT "\"input\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":32768,\"description\":"

#define SPAWN_SCHEMA                                                                               \
	OBJECT "\"required\":[\"role\",\"input\"],\"properties\":{"                                \
	       "\"role\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256,"                  \
	       "\"description\":\"What it is for, in a few words.\"}," INPUT                       \
	       "\"Its task, complete: it sees nothing of this conversation.\"},"                   \
	       "\"nickname\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128},"             \
	       "\"tools\":{\"type\":\"array\",\"maxItems\":64,\"items\":{\"type\":\"string\"},"    \
	       "\"description\":\"Tools it may use; yours when absent.\"},"                        \
	       "\"worktree\":{\"type\":\"boolean\",\"description\":\"It works in a git worktree "  \
	       "of "                                                                               \
	       "its own, made from the last commit; you can read what it leaves there.\"},"        \
	       "\"readOnly\":{\"type\":\"boolean\",\"description\":\"It may change nothing.\"},"   \
	       "\"model\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256},"                \
	       "\"budgetUsd\":{\"type\":\"number\",\"minimum\":0}}}"
#define SEND_SCHEMA                                                                                \
	OBJECT "\"required\":[\"agent\",\"input\"],\"properties\":{" AGENT "," INPUT               \
	       "\"What it is told.\"}}}"
#define WAIT_SCHEMA                                                                                \
	OBJECT "\"properties\":{"                                                                  \
	       "\"agents\":{\"type\":\"array\",\"maxItems\":32,\"items\":{\"type\":\"string\","    \
	       "\"maxLength\":256},"                                                               \
	       "\"description\":\"Ids or nicknames; all your children when absent.\"},"            \
	       "\"all\":{\"type\":\"boolean\",\"description\":\"Until all of them rest; "          \
	       "otherwise until one does.\"},"                                                     \
	       "\"timeoutMs\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":3600000,"            \
	       "\"description\":\"When to stop waiting; five minutes when absent.\"}}}"
#define ONE_SCHEMA OBJECT "\"required\":[\"agent\"],\"properties\":{" AGENT "}}"
#define CLOSE_SCHEMA                                                                               \
	OBJECT "\"required\":[\"agent\"],\"properties\":{" AGENT                                   \
	       ",\"reason\":{\"type\":\"string\",\"maxLength\":2000}}}"
#define TODO_SCHEMA                                                                                \
	OBJECT "\"required\":[\"items\"],\"properties\":{\"items\":{\"type\":\"array\","           \
	       "\"maxItems\":50,\"description\":\"The whole list; it stands in place of the "      \
	       "one before.\",\"items\":" OBJECT "\"required\":[\"text\",\"status\"],"             \
	       "\"properties\":{\"text\":{\"type\":\"string\",\"minLength\":1,"                    \
	       "\"maxLength\":200},\"status\":{\"enum\":[\"pending\",\"in_progress\","             \
	       "\"completed\"]}}}}}}"
#define PLAN_SCHEMA                                                                                \
	OBJECT "\"required\":[\"plan\"],\"properties\":{\"plan\":{\"type\":\"string\","            \
	       "\"minLength\":1,\"maxLength\":32768,\"description\":\"What you would do, step by " \
	       "step.\"}}}"
#define NONE_SCHEMA OBJECT "\"properties\":{}}"

#define TOOL(which, word, takes, says, ...)                                                        \
	{                                                                                          \
		.name = TEXT(word), .description = TEXT(says), .input_schema = TEXT(takes),        \
		.capabilities = TEXT("[\"custom\"]"), .policy = TOOL_POLICY_ALLOWED,               \
		.owner = TEXT("runtime"),                                                          \
		.kind = OWN_TOOL_##which == OWN_TOOL_TODO ? ITEM_KIND_TODO : ITEM_KIND_TOOL_CALL,  \
		.own = OWN_TOOL_##which, .interrupt = INTERRUPT_BEHAVIOR_CANCEL, __VA_ARGS__       \
	}

static const struct settings_tool rows[] = {
	TOOL(SPAWN, "spawn_agent", SPAWN_SCHEMA,
	     "Start a child agent on a task of its own. It works while you go on; answers with its "
	     "id.", ),
	TOOL(SEND, "send_agent", SEND_SCHEMA,
	     "Tell a child agent something more. If it is busy, it reads that when it is done.", ),
	TOOL(WAIT, "wait_agents", WAIT_SCHEMA,
	     "Wait until one or all of your child agents rest. Time that is up is no failure of "
	     "theirs.",
	     .is_read_only = true, .is_concurrency_safe = true),
	TOOL(READ, "read_agent", ONE_SCHEMA, "Read the whole last message of a child agent.",
	     .is_read_only = true, .is_concurrency_safe = true),
	TOOL(RESUME, "resume_agent", ONE_SCHEMA,
	     "Let a child agent go on that a restart of the runtime interrupted.", ),
	TOOL(CLOSE, "close_agent", CLOSE_SCHEMA,
	     "End a child agent and everything below it. What it wrote stays readable.", ),
	TOOL(LIST, "list_agents", NONE_SCHEMA, "List your child agents and where they stand.",
	     .is_read_only = true, .is_concurrency_safe = true),
	TOOL(TODO, "update_todo", TODO_SCHEMA,
	     "Keep a list of what there is to do, for longer work. People see it; it changes "
	     "nothing else.",
	     .is_read_only = true),
	TOOL(PLAN, "exit_plan", PLAN_SCHEMA,
	     "In plan mode, when the plan stands: show it to the person. If they accept it, the "
	     "mode is left and you can carry it out.",
	     .is_read_only = true, .asks_user = true),
};

const struct settings_tool *agent_tool_info_list(size_t *ret_count)
{
	*ret_count = COUNT_OF(rows);
	return rows;
}

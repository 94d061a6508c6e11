/* The tools for MCP clients: one table for their schemas and for reading their arguments. */
#include "mcp_serve/mcp_serve_tool.h"

#include <stddef.h>

#define WAIT_MS MCP_SERVE_WAIT_MS
#define WAIT_MS_MAX 600000
#define TEXT_MAX (512u << 10)

static const struct tool {
	const char *name, *title, *description;
	bool is_read_only, needs_approve, has_turn; /* has_turn: the result is that of a turn */
} tools[MCP_SERVE_TOOLS] = {
	[MCP_SERVE_RUN] = { "run", "Run an agent",
	                    "Gives an agent a task in a new thread and returns its answer. The "
	                    "agent "
	                    "works with its own tools, in a sandbox, under the permissions of this "
	                    "runtime. If the work takes longer than waitMs, the result has the "
	                    "status "
	                    "running and a task to wait for.",
	                    .has_turn = true },
	[MCP_SERVE_SEND] = { "send", "Send a message",
	                     "Sends a message to a thread, as its next turn, or to a task: it "
	                     "answers "
	                     "the question that the task asks, or else steers its work.",
	                     .has_turn = true },
	[MCP_SERVE_WAIT] = { "wait", "Wait for a task",
	                     "Waits until a task ends or needs a decision, and returns its state "
	                     "and "
	                     "its answer.",
	                     .is_read_only = true, .has_turn = true },
	[MCP_SERVE_STOP] = { "stop", "Stop a task", "Stops a running task.", .has_turn = true },
	[MCP_SERVE_READ] = { "read", "Read threads",
	                     "Reads a thread: its turns, plan and state. Without a thread: the "
	                     "list of "
	                     "sessions, newest first.",
	                     .is_read_only = true },
	[MCP_SERVE_DECIDE] = { "decide", "Decide an approval",
	                       "Allows or denies what a thread waits for. What this client caused "
	                       "itself has to be decided by a person elsewhere.",
	                       .needs_approve = true },
};

#define OF(tool) (1u << MCP_SERVE_##tool)
#define AT(member) offsetof(struct mcp_serve_args, member)

static const struct argument {
	const char *name, *description;
	unsigned required, optional; /* bits of tools */
	size_t at;                   /* of the text; 0 is "prompt" */
} arguments[] = {
	{ "prompt", "What the agent has to do.", OF(RUN), 0, AT(prompt) },
	{ "cwd",
	  "The directory that it works in, an absolute path; if absent, the one that the client or "
	  "the runtime was started in.",
	  0, OF(RUN), AT(cwd) },
	{ "title", "A title for the thread.", 0, OF(RUN), AT(title) },
	{ "model", "The model, as provider/model; the configured one if absent.", 0, OF(RUN),
	  AT(model) },
	{ "thread", "A thread, as another call returned it.", 0, OF(SEND) | OF(READ), AT(thread) },
	{ "task", "A task, as another call returned it.", OF(WAIT) | OF(STOP), OF(SEND), AT(task) },
	{ "message", "The text.", OF(SEND), 0, AT(message) },
	{ "reason", "Why; it is recorded.", 0, OF(STOP) | OF(DECIDE), AT(reason) },
	{ "action", "What waits, as waitingFor names it.", OF(DECIDE), 0, AT(action) },
	{ "decision", "allow or deny.", OF(DECIDE), 0, AT(decision) },
};

#define TAKES_WAIT (OF(RUN) | OF(SEND) | OF(WAIT))

/* ---- schemas ---- */

static void write_property(struct json_writer *w, const char *name, const char *type,
                           const char *description)
{
	jw_key(w, str_from(name));
	jw_obj(w);
	JW_KSTR(w, "type", str_from(type));
	JW_KSTR(w, "description", str_from(description));
}

static void write_input(struct json_writer *w, unsigned bit)
{
	JW_KEY(w, "inputSchema");
	jw_obj(w);
	JW_KSTR(w, "type", STR("object"));
	JW_KEY(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < COUNT_OF(arguments); i++) {
		const struct argument *a = &arguments[i];

		if (!((a->required | a->optional) & bit))
			continue;
		write_property(w, a->name, "string", a->description);
		if (a->at == AT(decision)) {
			JW_KEY(w, "enum");
			jw_raw(w, STR("[\"allow\",\"deny\"]"));
		}
		jw_obj_end(w);
	}
	if (TAKES_WAIT & bit) {
		write_property(w, "waitMs", "integer",
		               "How long this call waits for the end of the turn, in "
		               "milliseconds; 50000 if absent, 0 for not at all.");
		JW_KINT(w, "minimum", 0);
		JW_KINT(w, "maximum", WAIT_MS_MAX);
		jw_obj_end(w);
	}
	jw_obj_end(w);
	JW_KEY(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < COUNT_OF(arguments); i++)
		if (arguments[i].required & bit)
			jw_str(w, str_from(arguments[i].name));
	jw_arr_end(w);
	JW_KBOOL(w, "additionalProperties", false);
	jw_obj_end(w);
}

static void write_output(struct json_writer *w)
{
	JW_KEY(w, "outputSchema");
	jw_raw(w, STR("{\"type\":\"object\",\"properties\":{"
	              "\"status\":{\"enum\":[\"running\",\"waiting\",\"completed\",\"failed\","
	              "\"cancelled\"]},"
	              "\"text\":{\"type\":\"string\",\"description\":\"The newest answer.\"},"
	              "\"thread\":{\"type\":\"string\"},\"task\":{\"type\":\"string\"},"
	              "\"waitingFor\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
	              "\"error\":{\"type\":\"object\"}},"
	              "\"required\":[\"status\",\"text\",\"thread\",\"task\"]}"));
}

static bool may_call(enum mcp_serve_tool tool, const struct mcp_serve_rights *rights)
{
	if (!rights->may_read)
		return false;
	if (tools[tool].needs_approve)
		return rights->may_approve;
	return tools[tool].is_read_only || rights->may_write;
}

static void write_tool(struct json_writer *w, enum mcp_serve_tool tool, bool is_modern)
{
	const struct tool *t = &tools[tool];

	jw_obj(w);
	JW_KSTR(w, "name", str_from(t->name));
	JW_KSTR(w, "title", str_from(t->title));
	JW_KSTR(w, "description", str_from(t->description));
	write_input(w, 1u << tool);
	if (t->has_turn)
		write_output(w);
	JW_KEY(w, "annotations");
	jw_obj(w);
	JW_KBOOL(w, "readOnlyHint", t->is_read_only);
	JW_KBOOL(w, "destructiveHint", tool == MCP_SERVE_RUN || tool == MCP_SERVE_SEND);
	jw_obj_end(w);
	if (!is_modern) {
		JW_KEY(w, "execution");
		jw_obj(w);
		JW_KSTR(w, "taskSupport",
		        tool == MCP_SERVE_RUN || tool == MCP_SERVE_SEND ? STR("optional")
		                                                        : STR("forbidden"));
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

void mcp_serve_tool_list(struct json_writer *w, const struct mcp_serve_rights *rights,
                         bool is_modern)
{
	for (enum mcp_serve_tool t = 0; t < MCP_SERVE_TOOLS; t++)
		if (may_call(t, rights))
			write_tool(w, t, is_modern);
}

bool mcp_serve_tool_is_own(struct str name)
{
	for (enum mcp_serve_tool t = 0; str_is(name) && t < MCP_SERVE_TOOLS; t++)
		if (str_eq(name, str_from(tools[t].name)))
			return true;
	return false;
}

bool mcp_serve_tool_find(struct str name, const struct mcp_serve_rights *rights,
                         enum mcp_serve_tool *ret)
{
	for (enum mcp_serve_tool t = 0; t < MCP_SERVE_TOOLS; t++)
		if (str_eq(name, str_from(tools[t].name)) && may_call(t, rights)) {
			*ret = t;
			return true;
		}
	return false;
}

/* ---- arguments ---- */

static const struct argument *find_argument(struct str name, unsigned bit)
{
	for (size_t i = 0; i < COUNT_OF(arguments); i++)
		if (str_eq(name, str_from(arguments[i].name)) &&
		    (arguments[i].required | arguments[i].optional) & bit)
			return &arguments[i];
	return NULL;
}

static struct str *place_of(struct mcp_serve_args *args, const struct argument *a)
{
	return (struct str *)((char *)args + a->at);
}

static bool read_wait(struct json value, struct mcp_serve_args *ret)
{
	ret->wait_ms = json_int(value, -1);
	return ret->wait_ms >= 0 && ret->wait_ms <= WAIT_MS_MAX;
}

static bool read_all(struct arena *mem, unsigned bit, struct json arguments_given,
                     struct mcp_serve_args *ret, struct str *ret_wrong)
{
	struct json_iter it = json_iter(arguments_given);
	const struct argument *a;
	struct json value;
	struct str key, text;

	while (json_next(&it, &key, &value)) {
		if (TAKES_WAIT & bit && str_eq(key, STR("waitMs"))) {
			if (read_wait(value, ret))
				continue;
			*ret_wrong = STR("waitMs is an integer from 0 to 600000.");
			return false;
		}
		a = find_argument(key, bit);
		text = json_str(value);
		if (!a || !str_is(text) || !text.len || text.len > TEXT_MAX) {
			*ret_wrong = arena_printf(mem,
			                          a ? "%.*s is a text of 1 byte to 512 KiB."
			                            : "This tool has no argument %.*s.",
			                          STR_ARG(str_of(key.ptr, MIN(key.len, 64))));
			return false;
		}
		*place_of(ret, a) = text;
	}
	return true;
}

bool mcp_serve_tool_read(struct arena *mem, enum mcp_serve_tool tool, struct json given,
                         struct mcp_serve_args *ret, struct str *ret_wrong)
{
	unsigned bit = 1u << tool;

	*ret = (struct mcp_serve_args){ .wait_ms = WAIT_MS };
	if (json_is(given) && json_type(given) != JSON_OBJ) {
		*ret_wrong = STR("arguments is an object.");
		return false;
	}
	if (!read_all(mem, bit, given, ret, ret_wrong))
		return false;
	for (size_t i = 0; i < COUNT_OF(arguments); i++)
		if (arguments[i].required & bit && !str_is(*place_of(ret, &arguments[i]))) {
			*ret_wrong = arena_printf(mem, "%s is missing.", arguments[i].name);
			return false;
		}
	if (tool == MCP_SERVE_SEND && str_is(ret->thread) == str_is(ret->task)) {
		*ret_wrong = STR("Either thread or task is needed.");
		return false;
	}
	if (str_is(ret->decision) && !str_eq(ret->decision, STR("allow")) &&
	    !str_eq(ret->decision, STR("deny"))) {
		*ret_wrong = STR("decision is allow or deny.");
		return false;
	}
	return true;
}

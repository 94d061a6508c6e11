/* The tools that the caller of a turn offers: what is accepted, and how they are described. */
#include "core/tool/client_tool.h"

#include "base/gen/limits.h"
#include "schema/schema.h"

#define TIMEOUT_MS_MAX (30LL * 24 * 3600 * 1000)

/* Names that every provider accepts. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-')
			return false;
	}
	return name.len > 0;
}

static bool is_repeated(const struct cmd_submit_turn *cmd, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (str_eq(cmd->tools.items[i]->name, cmd->tools.items[at]->name))
			return true;
	return false;
}

/* Arguments of providers are objects, so a schema of anything else would fail every call. */
static bool is_object_schema(struct decision *d, struct str text, struct error *err)
{
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct json v;

	if (json_read_trusted(d->mem, text, &v, NULL) != OK || json_type(v) != JSON_OBJ ||
	    (json_is(JSON_GET(v, "type")) &&
	     !str_eq(json_str(JSON_GET(v, "type")), STR("object")))) {
		fail(err, ERR_INVALID, "the schema of an object is wanted");
		return false;
	}
	return schema_compile_text(NULL, text, NULL, &compiled, err) == OK;
}

static bool is_sound(struct decision *d, const struct cmd_submit_turn *cmd, uint32_t at)
{
	const struct rec_client_tool *tool = cmd->tools.items[at];
	struct error err;

	if (!is_name(tool->name))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "tools[%u].name: letters, digits, _ and -, at least one", at);
	else if (is_repeated(cmd, at))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "tools[%u].name: %.*s is there twice",
		                at, STR_ARG(tool->name));
	else if (tool->has_timeout_ms &&
	         (tool->timeout_ms < 1 || tool->timeout_ms > TIMEOUT_MS_MAX))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "tools[%u].timeoutMs: 1 to %lld", at,
		                TIMEOUT_MS_MAX);
	else if (str_is(tool->input_schema) && !is_object_schema(d, tool->input_schema, &err))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "tools[%u].inputSchema: %s", at,
		                err.message);
	else
		return true;
	return false;
}

bool client_tool_info_check(struct decision *d, const struct cmd_submit_turn *cmd)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < cmd->tools.count; i++) {
		/* As the event has it: characters may take more bytes there. */
		bytes += rec_text(d->mem, &rec_client_tool_desc, cmd->tools.items[i]).len;
		if (!is_sound(d, cmd, i))
			return false;
	}
	if (bytes <= LIMIT_CLIENT_TOOLS_BYTES)
		return true;
	decision_refuse(d, ERROR_CODE_TOO_LARGE,
	                "tools: they have %zu bytes together, and at most %d are taken", bytes,
	                LIMIT_CLIENT_TOOLS_BYTES);
	return false;
}

static struct tool_info info_of(const struct rec_client_tool *tool)
{
	return (struct tool_info){
		.name = tool->name,
		.description = str_is(tool->description) ? tool->description : STR(""),
		.input_schema = str_is(tool->input_schema) ? tool->input_schema
		                                           : STR("{\"type\":\"object\"}"),
		.capabilities = STR("[]"),
		.policy = TOOL_POLICY_ALLOWED,
		.owner = STR("connector:client"),
		.kind = ITEM_KIND_TOOL_CALL,
		.is_read_only = tool->read_only,
		.is_concurrency_safe = true,
		.interrupt = INTERRUPT_BEHAVIOR_CANCEL,
		.timeout_ms = tool->timeout_ms,
		.is_client = true,
	};
}

size_t client_tool_info_list(struct arena *mem, const struct st_turn *t, struct tool_info **ret)
{
	*ret = ARENA_ARRAY(mem, struct tool_info, t->tools.count + 1);
	for (uint32_t i = 0; i < t->tools.count; i++)
		(*ret)[i] = info_of(t->tools.items[i]);
	return t->tools.count;
}

const struct tool_info *client_tool_info_find(struct arena *mem, const struct st_turn *t,
                                              struct str name)
{
	for (uint32_t i = 0; i < t->tools.count; i++)
		if (str_eq(t->tools.items[i]->name, name)) {
			struct tool_info *found = ARENA_NEW(mem, struct tool_info);

			*found = info_of(t->tools.items[i]);
			return found;
		}
	return NULL;
}

/*
 * The tools that may be called, and what the policy says about each.
 * spec: contracts/tool-context-capabilities#tool-inventory
 */
#include "core/view_part.h"

static bool is_granted(const struct world *world, struct str tool_name)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (uint32_t i = 0; i < world->s->grants.count; i++) {
		const struct st_grant *g = world->s->grants.items[i];
		struct json match;

		/* A grant of one turn says nothing about the next. */
		if (str_is(g->turn_id) ||
		    (g->expires_at && g->expires_at <= world->s->updated_at) || !str_is(g->match) ||
		    json_read_own(mem, g->match, &match, NULL) != OK)
			continue;
		if (str_eq(json_str(JSON_GET(match, "tool")), tool_name))
			return true;
	}
	return false;
}

/* The same order of rules as judge() in turn_tool.c, for a call that was not made yet. */
static enum tool_policy policy_under(const struct world *world, const struct setup *setup,
                                     const struct setup_tool *tool, enum permission_mode mode,
                                     struct str *ret_reason)
{
	bool asks = tool->policy == TOOL_POLICY_ASK;

	*ret_reason = STR_NONE;
	if (tool->policy == TOOL_POLICY_DENIED) {
		*ret_reason = STR("the tool is denied by its policy");
		return TOOL_POLICY_DENIED;
	}
	if (tool->policy == TOOL_POLICY_UNAVAILABLE || tool->policy == TOOL_POLICY_ABSENT) {
		*ret_reason = STR("the tool cannot be used here");
		return TOOL_POLICY_UNAVAILABLE;
	}
	if (tool->asks_user)
		return TOOL_POLICY_ALLOWED;
	if (mode == PERMISSION_MODE_PLAN && !tool->is_read_only) {
		*ret_reason = STR("mode plan runs read-only tools only");
		return TOOL_POLICY_DENIED;
	}
	if (mode == PERMISSION_MODE_BYPASS)
		return TOOL_POLICY_ALLOWED;
	if (mode == PERMISSION_MODE_UNTRUSTED && !tool->is_read_only)
		asks = true;
	if (!asks)
		return tool->policy;
	if (is_granted(world, tool->name)) {
		*ret_reason = STR("granted before by a person");
		return TOOL_POLICY_ALLOWED;
	}
	if (mode == PERMISSION_MODE_NEVER || !setup->is_interactive) {
		*ret_reason =
			STR("it would need a person's consent and nobody is asked in this mode");
		return TOOL_POLICY_DENIED;
	}
	return TOOL_POLICY_ASK;
}

static void write_tool(struct json_writer *w, const struct world *world, const struct setup *setup,
                       const struct setup_tool *tool, enum permission_mode mode)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str reason;
	enum tool_policy policy = policy_under(world, setup, tool, mode, &reason);

	jw_obj(w);
	JW_KSTR(w, "toolName", tool->name);
	JW_KSTR(w, "description", tool->description);
	PART_RAW(w, "capabilities", str_is(tool->capabilities) ? tool->capabilities : STR("[]"));
	JW_KSTR(w, "policy", tool_policy_word(policy));
	JW_KSTR(w, "runtimeOwner", str_is(tool->owner) ? tool->owner : STR("unknown"));
	JW_KBOOL(w, "isReadOnly", tool->is_read_only);
	JW_KBOOL(w, "isConcurrencySafe", tool->is_concurrency_safe);
	JW_KBOOL(w, "isDestructive", tool->is_destructive);
	JW_KSTR(w, "interruptBehavior",
	        interrupt_behavior_word(tool->interrupt ? tool->interrupt
	                                                : INTERRUPT_BEHAVIOR_CANCEL));
	JW_KSTR(w, "inputSchemaRef", arena_printf(mem, "schema:tool:%.*s:1", STR_ARG(tool->name)));
	PART_RAW(w, "inputSchema", tool->input_schema);
	JW_KOPT(w, "reason", reason);
	jw_obj_end(w);
}

void view_inventory(struct json_writer *w, const struct world *world, const struct setup *setup,
                    struct str thread_id, enum permission_mode mode)
{
	if (!mode)
		mode = mode_of(world, setup);
	jw_obj(w);
	JW_KSTR(w, "sessionId", world->s->session_id);
	JW_KOPT(w, "threadId", thread_id);
	JW_KSTR(w, "mode", permission_mode_word(mode));
	JW_KINT(w, "toolCount", (int64_t)setup->tool_count);
	JW_KEY(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < setup->tool_count; i++)
		write_tool(w, world, setup, &setup->tools[i], mode);
	jw_arr_end(w);
	JW_KOPT(w, "toolInventoryRef", world->s->inventory_ref);
	JW_KINT(w, "sequence", world->s->sequence);
	jw_obj_end(w);
}

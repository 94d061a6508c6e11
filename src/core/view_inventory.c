/*
 * The tools that may be called, and what the policy says about each.
 * spec: contracts/tool-context-capabilities#tool-inventory
 */
#include "core/permission.h"
#include "core/view_part.h"

static void write_tool(struct json_writer *w, const struct world *world, const struct setup *setup,
                       const struct setup_tool *tool, enum permission_mode mode)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct permission_ask ask = { .mem = mem,
		                      .w = world,
		                      .setup = setup,
		                      .tool = tool,
		                      .mode = mode,
		                      .now = world->s->updated_at };
	struct str reason;
	enum tool_policy policy = permission_policy(&ask, &reason);

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
	JW_KOPT(w, "nativeName", tool->native_name);
	if (str_is(tool->annotations))
		PART_RAW(w, "annotations", tool->annotations);
	JW_KOPT(w, "definitionHash", tool->definition);
	if (tool->is_changed)
		JW_KBOOL(w, "definitionChanged", true);
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

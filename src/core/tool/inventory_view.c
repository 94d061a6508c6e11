/*
 * Views of the callable tools and of the policy for each.
 * spec: contracts/tool-context-capabilities#tool-inventory
 */
#include "core/approval/permission.h"
#include "base/jw.h"
#include "core/view/view_part.h"
#include "core/subagent/subagent.h"
#include "core/task/task_bounds.h"

/* The agent that would call, and its thread and task. */
struct inventory_caller {
	struct str id, thread_id, task_id;
	unsigned modes;
};

/*
 * The caller is a child agent or a task: its bounds narrow modes and tools.  An unknown id gets the
 * session's view.
 */
static struct inventory_caller caller_of(const struct state *state, const struct settings *settings,
                                         struct str id, enum permission_mode mode)
{
	const struct st_subagent *s = str_is(id) ? subagent_find(state, id) : NULL;
	const struct st_task *t = str_is(id) ? state_task(state, id) : NULL;
	struct inventory_caller c = { .id = id };
	struct task_bounds bounds;

	if (s)
		c.thread_id = s->record->thread_id;
	else if (t)
		c.thread_id = t->record->thread_id, c.task_id = id;
	else
		return c;
	task_bounds_at(state, c.thread_id, c.task_id, &bounds);
	c.modes = bounds.modes
	                  ? bounds.modes | 1u << (mode ? mode : view_part_mode_of(state, settings))
	                  : 0;
	return c;
}

/*
 * The policy without arguments is an approximation: rules on paths, hosts and commands apply when a
 * call is known.
 */
static void write_tool(struct json_writer *w, const struct state *state,
                       const struct settings *settings, const struct tool_info *tool,
                       enum permission_mode mode, const struct inventory_caller *caller)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct decision look = { .mem = mem, .w = state, .settings = settings };
	struct permission_ask ask = { .mem = mem,
		                      .w = state,
		                      .settings = settings,
		                      .tool = tool,
		                      .mode = mode,
		                      .modes = caller->modes,
		                      .now = state->s->updated_at };
	struct str reason, barred = STR_NONE;
	enum tool_policy policy = permission_policy(&ask, &reason);

	if (str_is(caller->thread_id))
		barred = task_bounds_tool(&look, caller->thread_id, caller->task_id, tool);
	if (str_is(barred)) {
		policy = TOOL_POLICY_DENIED;
		reason = barred;
	}
	if (decision_settings_tool_is_off(tool, &state->s->servers_off)) {
		policy = TOOL_POLICY_UNAVAILABLE;
		reason = STR("its tool server is switched off for this session: thole mcp on NAME");
	}
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

/*
 * The provider of the model that would get the tools: the last turn's, or the one in the settings;
 * absent: not known.
 */
static struct str provider_of(const struct state *state, const struct settings *settings,
                              struct str thread_id)
{
	struct str wanted = str_is(state->s->model) ? state->s->model : settings->model;

	for (uint32_t i = state->s->threads.count; i-- > 0;) {
		const struct st_thread *th = state->s->threads.items[i];

		if (str_is(thread_id) && !str_eq(th->thread_id, thread_id))
			continue;
		for (uint32_t n = th->turns.count; n-- > 0;)
			if (str_is(th->turns.items[n]->provider))
				return th->turns.items[n]->provider;
	}
	/*
	 * Before the first turn: the model that the settings request, by name or as provider/model.
	 */
	for (size_t i = 0; i < settings->model_count; i++) {
		const struct model_info *m = &settings->models[i];

		if (!str_is(wanted) || str_eq(wanted, m->model) ||
		    (str_starts(wanted, m->provider) && wanted.len > m->provider.len &&
		     wanted.ptr[m->provider.len] == '/'))
			return m->provider;
	}
	return STR_NONE;
}

static void write_servers_off(struct json_writer *w, const struct state *state)
{
	const struct list_str *off = &state->s->servers_off;

	if (!off->count)
		return;
	JW_KEY(w, "serversOff");
	jw_arr(w);
	for (uint32_t i = 0; i < off->count; i++)
		jw_str(w, off->items[i]);
	jw_arr_end(w);
}

void view_inventory(struct json_writer *w, const struct state *state,
                    const struct settings *settings, struct str thread_id,
                    enum permission_mode mode, struct str caller)
{
	struct inventory_caller who = caller_of(state, settings, caller, mode);
	struct str provider =
		provider_of(state, settings, str_is(thread_id) ? thread_id : who.thread_id);

	if (!mode)
		mode = view_part_mode_of(state, settings);
	jw_obj(w);
	JW_KSTR(w, "sessionId", state->s->session_id);
	JW_KOPT(w, "threadId", str_is(thread_id) ? thread_id : who.thread_id);
	JW_KOPT(w, "caller", who.id);
	JW_KSTR(w, "mode", permission_mode_word(mode));
	JW_KINT(w, "toolCount",
	        (int64_t)(str_is(provider) ? decision_settings_tools_for(settings, provider)
	                                   : settings->tool_count));
	JW_KEY(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < settings->tool_count; i++)
		if (!str_is(provider) ||
		    decision_settings_tool_is_for(&settings->tools[i], provider))
			write_tool(w, state, settings, &settings->tools[i], mode, &who);
	jw_arr_end(w);
	write_servers_off(w, state);
	JW_KOPT(w, "toolInventoryRef", state->s->inventory_ref);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

/*
 * The input of a hook: ids, directories and modes, the redacted arguments of
 * the call, and refs to everything else.  It holds no secrets, no environment
 * and no file contents.  Besides our own names it has those that common hook
 * scripts read (session_id, hook_event_name, tool_name, tool_input …).
 * spec: contracts/hooks-and-policy#input
 */
#include "core/hook/hook.h"
#include "core/task/task_bounds.h"

#include "base/json.h"
#include "base/jw.h"
#include "core/tool/client_tool.h"
#include "core/tool/call_input.h"
#include "core/tool/safe_args.h"

/* Names that existing hook scripts compare with. */
static const char *event_name(enum hook_point point)
{
	switch (point) {
	case HOOK_POINT_SESSION_START:
		return "SessionStart";
	case HOOK_POINT_USER_PROMPT_SUBMIT:
		return "UserPromptSubmit";
	case HOOK_POINT_PRE_TOOL_USE:
		return "PreToolUse";
	case HOOK_POINT_PERMISSION_REQUEST:
		return "PermissionRequest";
	case HOOK_POINT_POST_TOOL_USE:
		return "PostToolUse";
	case HOOK_POINT_POST_TOOL_FAILURE:
		return "PostToolUseFailure";
	case HOOK_POINT_POST_SAMPLING:
		return "PostSampling";
	case HOOK_POINT_STOP:
		return "Stop";
	default:
		return "";
	}
}

/* An input that is not loaded is null, so that a hook does not take it for an empty one. */
static struct str args_of(struct arena *mem, const struct settings *settings,
                          const struct call_input *inputs, const struct st_turn *t,
                          const struct st_call *c)
{
	const struct tool_info *own = client_tool_info_find(mem, t, c->tool_name);
	const struct tool_info *tool = own ? own : decision_settings_tool(settings, c->tool_name);
	bool is_hidden;
	struct json v;

	if (str_is(c->args) || !str_is(c->args_ref))
		return str_is(c->args) ? c->args : STR("{}");
	for (const struct call_input *i = inputs; i; i = i->next) {
		if (!str_eq(i->ref, c->args_ref) || !str_is(i->text))
			continue;
		if (!c->redacted)
			return i->text;
		if (tool && json_read_trusted(mem, i->text, &v, NULL) == OK)
			return safe_args(mem, tool->input_schema, v, &is_hidden);
	}
	return STR("null");
}

/* Twice under two spellings: ours, and that of common hook scripts. */
static void write_call(struct json_writer *w, const struct st_call *c, struct str args)
{
	JW_KSTR(w, "toolCallId", c->tool_call_id);
	JW_KSTR(w, "toolName", c->tool_name);
	JW_KEY(w, "toolInput");
	jw_raw(w, args);
	JW_KOPT(w, "toolInputRef", c->args_ref);
	JW_KSTR(w, "tool_use_id", c->tool_call_id);
	JW_KSTR(w, "tool_name", c->tool_name);
	JW_KEY(w, "tool_input");
	jw_raw(w, args);
	JW_KOPT(w, "permissionDecision",
	        c->permission ? approval_decision_word(c->permission->decision) : STR_NONE);
	if (!call_is_over(c))
		return;
	JW_KEY(w, "toolResult");
	jw_obj(w);
	JW_KSTR(w, "status", status_word(c->status));
	JW_KBOOL(w, "isError", c->is_error);
	JW_KOPT(w, "preview", c->preview);
	JW_KOPT(w, "outputRef", c->output_ref);
	JW_KOPT(w, "category", error_category_word(c->category));
	jw_obj_end(w);
	JW_KOPT(w, "tool_response", c->preview);
}

/* The mode is the session's; bounds of a task may narrow it further for the call. */
static void write_place(struct json_writer *w, const struct state *state,
                        const struct settings *settings, struct str turn_id)
{
	const struct st_session *s = state->s;
	const struct rec_execution_environment *env =
		s->environment ? s->environment : settings->environment;
	struct str mode =
		permission_mode_word(s->permission_mode ? s->permission_mode : settings->mode);

	JW_KSTR(w, "cwd", task_bounds_cwd(state, settings, turn_id));
	JW_KOPT(w, "workspaceId",
	        str_is(s->workspace_id) ? s->workspace_id : settings->workspace_id);
	JW_KSTR(w, "permissionMode", mode);
	JW_KSTR(w, "permission_mode", mode);
	if (env && env->sandbox_profile) {
		JW_KEY(w, "sandbox");
		jw_obj(w);
		JW_KSTR(w, "mode", sandbox_mode_word(env->sandbox_profile->mode));
		JW_KOPT(w, "tier", env->sandbox_profile->tier);
		jw_obj_end(w);
	}
	JW_KEY(w, "policyRefs");
	jw_arr(w);
	jw_str(w, settings->config_ref);
	jw_arr_end(w);
	JW_KOPT(w, "inventoryRef", s->inventory_ref);
}

/* Previews and refs; a hook that needs the whole text reads it by its ref. */
static void write_turn(struct json_writer *w, const struct st_turn *t)
{
	JW_KSTR(w, "turnId", t->turn_id);
	JW_KOPT(w, "taskId", t->task_id);
	JW_KOPT(w, "runId", t->run_id);
	if (str_is(t->input_preview)) {
		JW_KSTR(w, "prompt", t->input_preview);
		JW_KOPT(w, "promptRef", t->input_ref);
	}
	if (str_is(t->provider)) {
		JW_KEY(w, "routing");
		jw_obj(w);
		JW_KSTR(w, "provider", t->provider);
		JW_KOPT(w, "model", t->model);
		jw_obj_end(w);
	}
	JW_KOPT(w, "lastMessage", t->last_message_preview);
	JW_KEY(w, "transcript");
	jw_obj(w);
	JW_KINT(w, "fromSequence", t->submitted_sequence);
	jw_obj_end(w);
}

/* Computed from the state alone, when the engine starts the hook. */
struct str hook_input(struct arena *mem, const struct state *state, const struct settings *settings,
                      struct str turn_id, struct str hook_run_id, const struct call_input *inputs)
{
	const struct st_thread *th;
	const struct st_hook *h = hook_find(state, hook_run_id, &th);
	const struct st_turn *t = h ? state_thread_turn(th, turn_id) : NULL;
	const struct st_call *c =
		t && str_is(h->tool_call_id) ? state_thread_call(th, h->tool_call_id) : NULL;
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	if (!t)
		return STR_NONE;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "point", hook_point_word(h->run->point));
	JW_KSTR(&w, "hook_event_name", str_from(event_name(h->run->point)));
	JW_KSTR(&w, "hookRunId", h->run->hook_run_id);
	JW_KSTR(&w, "handlerRef", h->run->handler_ref);
	JW_KSTR(&w, "runtimeId", settings->runtime_id);
	JW_KSTR(&w, "sessionId", state->s->session_id);
	JW_KSTR(&w, "session_id", state->s->session_id);
	JW_KSTR(&w, "threadId", th->thread_id);
	write_turn(&w, t);
	write_place(&w, state, settings, turn_id);
	if (c)
		write_call(&w, c, args_of(mem, settings, inputs, t, c));
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

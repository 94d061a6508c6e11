/*
 * Events of Agent Tool 0.2.0: which tools a model gets, its calls, the decision
 * about each, their progress and results.
 *
 *	tool.catalog.resolved              tool.surface.resolved
 *	tool.started                       tool.invocation.created
 *	permission.evaluated, of a call    tool.permission.decided
 *	tool.progress                      tool.progress.updated
 *	tool.result, tool.failed           tool.result.created
 *	output.spilled, of a call          tool.result.persisted
 *
 * The id of a tool is its name, the id of an invocation that of the call.
 * spec: agent-runtime-checklist#ECO-03
 */
#include "export/export.h"

#include "base/jw.h"
#include "export/form.h"

#define TOOL_SCHEMA STR("0.2.0")

/* ---- the envelope ---- */

static void record_begin(struct form *f, enum agent_tool_class type, struct str tool,
                         struct str *ret_name)
{
	*ret_name = agent_tool_class_word(type);
	form_begin_record(f, TOOL_SCHEMA, *ret_name);
	/* The list of tools has an id of a call in our envelope, and is no invocation. */
	if (type != AGENT_TOOL_CLASS_TOOL_SURFACE_RESOLVED)
		form_put_text(f, "invocation_id", form_text(f->ev, "toolCallId"));
	form_put_text(f, "tool_id", tool);
	form_obj(f, "data");
}

static void record_end(struct form *f)
{
	jw_obj_end(f->w);
	form_put_trace(f, "trace_refs");
	jw_obj_end(f->w);
}

/* Opens one record of the data: every kind has its schema's version. */
static void data_obj(struct form *f, const char *key)
{
	form_obj(f, key);
	JW_KSTR(f->w, "schema_version", TOOL_SCHEMA);
}

/* ---- the tools ---- */

static bool is_blocked(struct json tool)
{
	struct str policy = form_text(tool, "policy");

	return str_eq(policy, tool_policy_word(TOOL_POLICY_DENIED)) ||
	       str_eq(policy, tool_policy_word(TOOL_POLICY_UNAVAILABLE));
}

static void put_declaration(struct form *f, struct json tool)
{
	struct json schema = JSON_GET(tool, "inputSchema");

	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", TOOL_SCHEMA);
	JW_KSTR(f->w, "tool_id", form_text(tool, "toolName"));
	JW_KSTR(f->w, "namespace", form_text(tool, "runtimeOwner"));
	JW_KSTR(f->w, "name", form_text(tool, "toolName"));
	JW_KSTR(f->w, "description", form_text(tool, "description"));
	JW_KSTR(f->w, "lifecycle",
	        str_eq(form_text(tool, "policy"), tool_policy_word(TOOL_POLICY_UNAVAILABLE))
	                ? STR("disabled")
	                : STR("available"));
	JW_KSTR(f->w, "tool_kind", STR("function"));
	form_put_value(f, "capability_refs", JSON_GET(tool, "capabilities"));
	form_put_value(f, "input_contract", schema);
	JW_KSTR(f->w, "interface_ref", form_text(tool, "toolName"));
	form_put_value(f, "annotations", JSON_GET(tool, "annotations"));
	jw_obj_end(f->w);
}

static void put_interface(struct form *f, struct json tool)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", TOOL_SCHEMA);
	JW_KSTR(f->w, "interface_id", form_text(tool, "toolName"));
	JW_KSTR(f->w, "tool_id", form_text(tool, "toolName"));
	JW_KSTR(f->w, "name", form_text(tool, "toolName"));
	form_put_value(f, "model_input_schema", JSON_GET(tool, "inputSchema"));
	JW_KSTR(f->w, "schema_visibility",
	        json_is(JSON_GET(tool, "inputSchema")) ? STR("loaded") : STR("native_ref"));
	JW_KBOOL(f->w, "is_enabled", !is_blocked(tool));
	form_put_value(f, "is_read_only", JSON_GET(tool, "isReadOnly"));
	form_put_value(f, "is_concurrency_safe", JSON_GET(tool, "isConcurrencySafe"));
	form_put_value(f, "is_destructive", JSON_GET(tool, "isDestructive"));
	JW_KSTR(f->w, "permission_profile_ref", form_text(tool, "policy"));
	jw_obj_end(f->w);
}

static void put_blocked(struct form *f, struct json tool)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "tool_id", form_text(tool, "toolName"));
	JW_KSTR(f->w, "policy", form_text(tool, "policy"));
	form_put_text(f, "reason", form_text(tool, "reason"));
	jw_obj_end(f->w);
}

static void put_name(struct form *f, struct json tool)
{
	jw_str(f->w, form_text(tool, "toolName"));
}

enum which { ALL, LOADED, BLOCKED };

static void put_tools(struct form *f, const char *key, struct json tools, enum which which,
                      void put(struct form *f, struct json tool))
{
	struct json_iter it = json_iter(tools);
	struct json each;
	struct str name;

	form_arr(f, key);
	while (json_next(&it, &name, &each))
		if (which == ALL || is_blocked(each) == (which == BLOCKED))
			put(f, each);
	jw_arr_end(f->w);
}

/* Without a list the tools are those of an earlier surface with the same id. */
static void put_surface_tools(struct form *f, struct json tools)
{
	if (!json_is(tools))
		return;
	put_tools(f, "tool_refs", tools, ALL, put_name);
	put_tools(f, "loaded_tools", tools, LOADED, put_name);
	put_tools(f, "blocked_tools", tools, BLOCKED, put_blocked);
}

static void put_surface(struct form *f, struct str id, struct json from)
{
	data_obj(f, "surface");
	JW_KSTR(f->w, "surface_id", id);
	JW_KSTR(f->w, "scope", str_is(form_text(f->ev, "turnId")) ? STR("turn") : STR("session"));
	form_put_text(f, "created_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "producer", form_text(f->ev, "runtimeId"));
	put_surface_tools(f, JSON_GET(from, "tools"));
	form_obj(f, "selection_policy");
	JW_KSTR(f->w, "mode", form_text(from, "mode"));
	form_put_value(f, "tool_count", JSON_GET(from, "toolCount"));
	form_put_value(f, "truncated", JSON_GET(from, "toolsTruncated"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
}

static void put_inventory(struct form *f, struct str id, struct json from)
{
	put_surface(f, id, from);
	put_tools(f, "declarations", JSON_GET(from, "tools"), ALL, put_declaration);
	put_tools(f, "interfaces", JSON_GET(from, "tools"), ALL, put_interface);
}

static void write_surface(struct form *f, struct str *ret_name)
{
	struct str id = form_text(f->payload, "catalogHash");

	record_begin(f, AGENT_TOOL_CLASS_TOOL_SURFACE_RESOLVED, STR_NONE, ret_name);
	put_inventory(f, str_is(id) ? id : form_text(f->ev, "eventId"), f->payload);
	record_end(f);
}

void agent_tool_write_inventory(struct json view, struct json_writer *w)
{
	struct form f = { .ev = view, .payload = view, .w = w };
	struct str id = form_text(view, "toolInventoryRef");

	jw_obj(w);
	put_inventory(&f, str_is(id) ? id : form_text(view, "sessionId"), view);
	jw_obj_end(w);
}

/* ---- calls ---- */

static void write_invocation(struct form *f, struct str *ret_name)
{
	struct str tool = form_text(f->payload, "toolName");

	record_begin(f, AGENT_TOOL_CLASS_TOOL_INVOCATION_CREATED, tool, ret_name);
	data_obj(f, "invocation");
	JW_KSTR(f->w, "invocation_id", form_text(f->ev, "toolCallId"));
	JW_KSTR(f->w, "tool_id", tool);
	form_put_text(f, "native_call_id", form_text(f->payload, "providerCallId"));
	JW_KSTR(f->w, "status", form_text(f->ev, "status"));
	form_put_value(f, "observable_input", JSON_GET(f->payload, "safeArgs"));
	form_put_text(f, "observable_input_ref", form_text(f->payload, "argsRef"));
	form_put_text(f, "actor_ref", form_text(f->ev, "subagentId"));
	form_arr(f, "runtime_refs");
	jw_str(f->w, form_text(f->ev, "eventId"));
	jw_arr_end(f->w);
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	jw_obj_end(f->w);
	record_end(f);
}

static void put_permission(struct form *f, struct json d)
{
	data_obj(f, "permission_decision");
	JW_KSTR(f->w, "decision_id", form_text(d, "decisionId"));
	JW_KSTR(f->w, "invocation_id", form_text(f->ev, "toolCallId"));
	JW_KSTR(f->w, "behavior", form_decision(form_text(d, "decision")));
	form_put_text(f, "mode", form_text(d, "mode"));
	form_put_text(f, "source", form_text(d, "decisionSource"));
	form_obj(f, "reason");
	form_put_text(f, "text", form_text(d, "decisionReason"));
	form_put_text(f, "decision", form_text(d, "decision"));
	jw_obj_end(f->w);
	form_put_value(f, "rule_refs", JSON_GET(d, "ruleRefs"));
	form_put_text(f, "updated_input_ref", form_text(d, "updatedInputRef"));
	JW_KSTR(f->w, "decided_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "expires_at", form_text(d, "expiresAt"));
	jw_obj_end(f->w);
}

static bool write_permission(struct form *f, struct str *ret_name)
{
	struct json d = JSON_GET(f->ev, "permissionDecision");

	if (!str_is(form_text(d, "decisionId")) || !str_is(form_text(f->ev, "toolCallId")))
		return false;
	record_begin(f, AGENT_TOOL_CLASS_TOOL_PERMISSION_DECIDED, form_text(f->payload, "toolName"),
	             ret_name);
	put_permission(f, d);
	record_end(f);
	return true;
}

static void put_percent(struct form *f)
{
	int64_t total = json_int(JSON_GET(f->payload, "total"), 0);
	int64_t done = json_int(JSON_GET(f->payload, "completed"), 0);

	if (total <= 0 || done < 0 || done > total)
		return;
	jw_key(f->w, STR("percent"));
	jw_real(f->w, 100.0 * (double)done / (double)total);
}

static void write_progress(struct form *f, struct str *ret_name)
{
	record_begin(f, AGENT_TOOL_CLASS_TOOL_PROGRESS_UPDATED, STR_NONE, ret_name);
	data_obj(f, "progress");
	JW_KSTR(f->w, "progress_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "invocation_id", form_text(f->ev, "toolCallId"));
	form_put_value(f, "sequence", JSON_GET(f->ev, "sequence"));
	JW_KSTR(f->w, "status",
	        str_is(form_text(f->payload, "kind")) ? form_text(f->payload, "kind")
	                                              : STR("running"));
	form_put_text(f, "message", form_text(f->payload, "message"));
	put_percent(f);
	JW_KSTR(f->w, "timestamp", form_text(f->ev, "timestamp"));
	jw_obj_end(f->w);
	record_end(f);
}

/* ---- results ---- */

static void put_content(struct form *f)
{
	struct str preview = form_text(f->payload, "displayPreview");

	form_arr(f, "content");
	if (str_is(preview)) {
		jw_obj(f->w);
		JW_KSTR(f->w, "type", STR("text"));
		JW_KSTR(f->w, "text", preview);
		jw_obj_end(f->w);
	}
	jw_arr_end(f->w);
}

static void put_result_refs(struct form *f)
{
	struct json_iter it = json_iter(JSON_GET(f->payload, "artifactRefs"));
	struct json each;
	struct str key;

	form_arr(f, "resource_refs");
	form_put_ref(f, "output", form_text(f->payload, "rawOutputRef"));
	form_put_ref(f, "structured_content", form_text(f->payload, "structuredContentRef"));
	form_put_ref(f, "error", form_text(f->payload, "errorRef"));
	jw_arr_end(f->w);
	form_arr(f, "artifact_refs");
	while (json_next(&it, &key, &each)) {
		struct str ref = json_str(each);

		form_put_ref(f, "artifact",
		             str_starts(ref, STR("artifact:")) ? str_skip(ref, 9) : ref);
	}
	jw_arr_end(f->w);
	form_arr(f, "policy_refs");
	if (str_is(form_text(f->payload, "decisionId")))
		jw_str(f->w, form_text(f->payload, "decisionId"));
	jw_arr_end(f->w);
}

static void put_error(struct form *f)
{
	form_obj(f, "error");
	form_put_text(f, "code", form_text(f->payload, "category"));
	form_put_text(f, "message", form_text(f->payload, "reason"));
	form_put_value(f, "retryable", JSON_GET(f->payload, "retryable"));
	form_put_text(f, "executed", form_text(f->payload, "executed"));
	jw_obj_end(f->w);
}

static void write_result(struct form *f, bool is_failed, struct str *ret_name)
{
	struct str tool = form_text(f->payload, "toolName");

	record_begin(f, AGENT_TOOL_CLASS_TOOL_RESULT_CREATED, tool, ret_name);
	data_obj(f, "result");
	JW_KSTR(f->w, "result_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "invocation_id", form_text(f->ev, "toolCallId"));
	JW_KSTR(f->w, "status", form_text(f->ev, "status"));
	JW_KBOOL(f->w, "is_error", is_failed || json_bool(JSON_GET(f->payload, "isError"), false));
	put_content(f);
	put_result_refs(f);
	if (is_failed)
		put_error(f);
	form_put_value(f, "exit_code", JSON_GET(f->payload, "exitCode"));
	form_put_value(f, "duration_ms", JSON_GET(f->payload, "durationMs"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	jw_obj_end(f->w);
	record_end(f);
}

static bool write_persistence(struct form *f, struct str *ret_name)
{
	if (!str_is(form_text(f->ev, "toolCallId")))
		return false;
	record_begin(f, AGENT_TOOL_CLASS_TOOL_RESULT_PERSISTED, STR_NONE, ret_name);
	data_obj(f, "result_persistence");
	JW_KSTR(f->w, "decision_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "invocation_id", form_text(f->ev, "toolCallId"));
	JW_KSTR(f->w, "strategy", STR("preview_and_persist"));
	form_put_value(f, "original_size_bytes", JSON_GET(f->payload, "sizeBytes"));
	form_obj(f, "persisted_ref");
	JW_KSTR(f->w, "type", STR("output"));
	JW_KSTR(f->w, "id", form_text(f->ev, "outputRef"));
	form_put_value(f, "complete", JSON_GET(f->payload, "complete"));
	jw_obj_end(f->w);
	form_put_text(f, "reason", form_text(f->payload, "policy"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	jw_obj_end(f->w);
	record_end(f);
	return true;
}

bool agent_tool_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };

	switch ((enum event_type)rec_enum_read(&enum_event_type, form_text(ev, "type"))) {
	case EV_TOOL_CATALOG_RESOLVED:
		write_surface(&f, ret_name);
		return true;
	case EV_TOOL_STARTED:
		write_invocation(&f, ret_name);
		return true;
	case EV_PERMISSION_EVALUATED:
		return write_permission(&f, ret_name);
	case EV_TOOL_PROGRESS:
		write_progress(&f, ret_name);
		return true;
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
		write_result(&f, str_eq(form_text(ev, "type"), STR("tool.failed")), ret_name);
		return true;
	case EV_OUTPUT_SPILLED:
		return write_persistence(&f, ret_name);
	default:
		return false;
	}
}

/*
 * What the writers of export formats share.
 */
#include "export/form.h"

#include "catalog/catalog.h"

struct str form_text(struct json v, const char *key)
{
	return json_str(json_get(v, str_from(key)));
}

void form_put_text(struct form *f, const char *key, struct str s)
{
	jw_kopt(f->w, str_from(key), s);
}

void form_put_value(struct form *f, const char *key, struct json v)
{
	if (!json_is(v))
		return;
	jw_key(f->w, str_from(key));
	jw_value(f->w, v);
}

void form_obj(struct form *f, const char *key)
{
	jw_key(f->w, str_from(key));
	jw_obj(f->w);
}

void form_arr(struct form *f, const char *key)
{
	jw_key(f->w, str_from(key));
	jw_arr(f->w);
}

void form_put_party(struct form *f, const char *key, const char *type, struct str id,
                    struct str name)
{
	form_obj(f, key);
	JW_KSTR(f->w, "type", str_from(type));
	form_put_text(f, "id", id);
	form_put_text(f, "name", name);
	jw_obj_end(f->w);
}

void form_put_ref(struct form *f, const char *type, struct str id)
{
	if (!str_is(id))
		return;
	jw_obj(f->w);
	JW_KSTR(f->w, "type", str_from(type));
	JW_KSTR(f->w, "id", id);
	jw_obj_end(f->w);
}

static const struct {
	const char *theirs, *ours;
} ids[] = {
	{ "runtime_id", "runtimeId" },
	{ "session_id", "sessionId" },
	{ "thread_id", "threadId" },
	{ "turn_id", "turnId" },
	{ "task_id", "taskId" },
	{ "run_id", "runId" },
	{ "attempt_id", "attemptId" },
	{ "step_id", "stepId" },
	{ "tool_call_id", "toolCallId" },
	{ "action_id", "actionId" },
	{ "evidence_id", "evidenceId" },
	{ "artifact_id", "artifactId" },
	{ "process_id", "processId" },
	{ "subagent_id", "subagentId" },
	{ "request_id", "requestId" },
	{ "model_request_id", "modelRequestId" },
	{ "job_id", "jobId" },
	{ "job_item_id", "jobItemId" },
	{ "queue_id", "queueId" },
	{ "channel_id", "channelId" },
	{ "parent_task_id", "parentTaskId" },
	{ "root_task_id", "rootTaskId" },
};

void form_put_ids(struct form *f)
{
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		form_put_text(f, ids[i].theirs, form_text(f->ev, ids[i].ours));
}

void form_begin_record(struct form *f, struct str schema, struct str type)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", schema);
	JW_KSTR(f->w, "event_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "event_type", type);
	JW_KSTR(f->w, "source", form_text(f->ev, "runtimeId"));
	form_put_text(f, "subject", form_text(f->ev, "sessionId"));
	JW_KSTR(f->w, "time", form_text(f->ev, "timestamp"));
	form_put_value(f, "sequence", JSON_GET(f->ev, "sequence"));
	form_put_ids(f);
}

void form_put_trace(struct form *f, const char *key)
{
	form_arr(f, key);
	form_put_ref(f, "trace", form_text(f->ev, "traceId"));
	form_put_ref(f, "span", form_text(f->ev, "spanId"));
	jw_arr_end(f->w);
}

void form_put_each(struct form *f, const char *list)
{
	struct json_iter it = json_iter(json_get(f->payload, str_from(list)));
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		jw_value(f->w, each);
}

/* spec: GAP-20 */
struct str form_decision(struct str decision)
{
	switch ((enum approval_decision)rec_enum_read(&enum_approval_decision, decision)) {
	case APPROVAL_DECISION_ALLOW:
	case APPROVAL_DECISION_SANDBOXED:
		return STR("allow");
	case APPROVAL_DECISION_ASK:
		return STR("ask");
	default:
		return STR("deny");
	}
}

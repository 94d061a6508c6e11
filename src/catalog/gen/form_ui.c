/* Written by scripts/catalog.py from catalog/; do not edit. */

#include "catalog/form_ui.h"

#define STRC(s) { s, sizeof(s) - 1 }

const struct ui_key ui_keys[UI_WORD_COUNT] = {
	[UI_WORD_TYPE] = { STRC("type"), &enum_ui_type },
	[UI_WORD_OWNER] = { STRC("owner"), &enum_ui_owner },
	[UI_WORD_SCOPE] = { STRC("scope"), &enum_ui_scope },
	[UI_WORD_PHASE] = { STRC("phase"), &enum_ui_phase },
	[UI_WORD_SURFACE] = { STRC("surface"), &enum_ui_surface },
	[UI_WORD_PERSISTENCE] = { STRC("persistence"), &enum_ui_persistence },
	[UI_WORD_CONTROL] = { STRC("control"), &enum_ui_control },
	[UI_WORD_ENTITY] = { STRC("runtimeEntity"), &enum_ui_entity },
	[UI_WORD_ARTIFACT] = { STRC("artifactStatus"), &enum_ui_artifact_status },
};

const struct ui_rename ui_renames[] = {
	{ STRC("type"), STRC("runtimeType") },
	{ STRC("phase"), STRC("runtimePhase") },
	{ STRC("schemaVersion"), STRC("runtimeSchemaVersion") },
};
const size_t ui_rename_count = sizeof ui_renames / sizeof ui_renames[0];

const enum ui_status ui_statuses[STATUS_COUNT] = {
	[STATUS_IDLE] = UI_STATUS_IDLE,
	[STATUS_ACCEPTED] = UI_STATUS_ACCEPTED,
	[STATUS_QUEUED] = UI_STATUS_QUEUED,
	[STATUS_PREPARING] = UI_STATUS_PREPARING,
	[STATUS_RUNNING] = UI_STATUS_RUNNING,
	[STATUS_STREAMING] = UI_STATUS_RUNNING,
	[STATUS_WAITING_INPUT] = UI_STATUS_NEEDS_INPUT,
	[STATUS_WAITING_PERMISSION] = UI_STATUS_NEEDS_INPUT,
	[STATUS_WAITING_RESOURCE] = UI_STATUS_WAITING,
	[STATUS_BLOCKED] = UI_STATUS_WAITING,
	[STATUS_PAUSED] = UI_STATUS_WAITING,
	[STATUS_RETRYING] = UI_STATUS_PREPARING,
	[STATUS_CANCELLING] = UI_STATUS_RUNNING,
	[STATUS_CANCELLED] = UI_STATUS_CANCELLED,
	[STATUS_TIMED_OUT] = UI_STATUS_FAILED,
	[STATUS_FAILED] = UI_STATUS_FAILED,
	[STATUS_LOST] = UI_STATUS_ABORTED,
	[STATUS_COMPLETED] = UI_STATUS_COMPLETED,
	[STATUS_ARCHIVED] = UI_STATUS_CLOSED,
	[STATUS_STALE] = UI_STATUS_UNKNOWN,
	[STATUS_UNKNOWN] = UI_STATUS_UNKNOWN,
	[STATUS_UNAVAILABLE] = UI_STATUS_UNKNOWN,
	[STATUS_NOT_APPLICABLE] = UI_STATUS_UNKNOWN,
	[STATUS_DRAFT] = UI_STATUS_SUBMITTED,
	[STATUS_CLOSED] = UI_STATUS_CLOSED,
	[STATUS_PENDING] = UI_STATUS_QUEUED,
	[STATUS_EXITED] = UI_STATUS_COMPLETED,
	[STATUS_REPORTED] = UI_STATUS_COMPLETED,
};

static const struct ui_from thread_updated_from[] = {
	{ STRC("latestTurnStatus"), STRC("payload.profileStatus"), true },
	{ STRC("queuedTurnCount"), STRC("payload.queued"), false },
};
static const struct ui_when turn_submitted_when[] = {
	{ STRC("payload.kind"), STRC("subagent"), { { [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } } },
	{ STRC("payload.kind"), STRC("job"), { { [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } } },
	{ STRC("payload.kind"), STRC("system"), { { [UI_WORD_ENTITY] = UI_ENTITY_UNKNOWN } } },
	{ STRC("status"), STRC("queued"), { { [UI_WORD_PHASE] = UI_PHASE_SUBMITTED } } },
};
static const struct ui_from turn_submitted_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from turn_started_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from turn_completed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when turn_failed_when[] = {
	{ STRC("status"), STRC("cancelled"), { { [UI_WORD_TYPE] = UI_TYPE_RUN_FINISHED, [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
	{ STRC("status"), STRC("lost"), { { [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED } } },
};
static const struct ui_from turn_failed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_created_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_accepted_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_queued_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
	{ STRC("queueReason"), STRC("payload.reason"), false },
};
static const struct ui_when task_started_when[] = {
	{ STRC("status"), STRC("running"), { { [UI_WORD_PHASE] = UI_PHASE_ACTING } } },
};
static const struct ui_from task_started_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_updated_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when task_progress_when[] = {
	{ STRC("phase"), STRC("planning"), { { [UI_WORD_PHASE] = UI_PHASE_PLANNING } } },
	{ STRC("phase"), STRC("verifying"), { { [UI_WORD_PHASE] = UI_PHASE_REVIEWING } } },
	{ STRC("phase"), STRC("delivering"), { { [UI_WORD_PHASE] = UI_PHASE_PRODUCING } } },
	{ STRC("phase"), STRC("waiting"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
};
static const struct ui_from task_progress_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_waiting_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_blocked_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_paused_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when task_resumed_when[] = {
	{ STRC("status"), STRC("queued"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
	{ STRC("status"), STRC("accepted"), { { [UI_WORD_PHASE] = UI_PHASE_ACCEPTED } } },
};
static const struct ui_from task_resumed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_retrying_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_cancel_requested_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_cancelled_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_timed_out_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_failed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_lost_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_completed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from task_archived_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when run_status_when[] = {
	{ STRC("payload.kind"), STRC("resume_required"), { { [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED } } },
	{ STRC("payload.kind"), STRC("model_retry"), { { [UI_WORD_PHASE] = UI_PHASE_PREPARING } } },
	{ STRC("payload.kind"), STRC("long_preparation"), { { [UI_WORD_PHASE] = UI_PHASE_PREPARING } } },
	{ STRC("payload.kind"), STRC("rate_wait"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
	{ STRC("payload.kind"), STRC("resource_wait"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
	{ STRC("payload.kind"), STRC("interrupt_requested"), { { [UI_WORD_PHASE] = UI_PHASE_RECONCILING } } },
	{ STRC("payload.kind"), STRC("drain"), { { [UI_WORD_PHASE] = UI_PHASE_RECONCILING } } },
};
static const struct ui_from run_status_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when model_delta_when[] = {
	{ STRC("payload.kind"), STRC("tool_arguments"), { { [UI_WORD_TYPE] = UI_TYPE_TOOL_ARGS, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI } } },
};
static const struct ui_when model_completed_when[] = {
	{ STRC("stepId"), { NULL, 0 }, { { [UI_WORD_TYPE] = UI_TYPE_TEXT_FINAL, [UI_WORD_SCOPE] = UI_SCOPE_PART, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_CONVERSATION, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_TRANSCRIPT } } },
};
static const struct ui_when model_failed_when[] = {
	{ STRC("status"), STRC("cancelled"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
	{ STRC("status"), STRC("lost"), { { [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED } } },
};
static const struct ui_when tool_started_when[] = {
	{ STRC("item.kind"), STRC("todo"), { { [UI_WORD_PHASE] = UI_PHASE_PLANNING } } },
};
static const struct ui_when tool_progress_when[] = {
	{ STRC("item.kind"), STRC("todo"), { { [UI_WORD_PHASE] = UI_PHASE_PLANNING } } },
};
static const struct ui_when tool_result_when[] = {
	{ STRC("payload.isError"), STRC("true"), { { [UI_WORD_TYPE] = UI_TYPE_TOOL_FAILED, [UI_WORD_PHASE] = UI_PHASE_FAILED } } },
};
static const struct ui_when tool_failed_when[] = {
	{ STRC("status"), STRC("cancelled"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
	{ STRC("status"), STRC("lost"), { { [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED } } },
};
static const struct ui_when action_required_when[] = {
	{ STRC("payload.decisionKind"), STRC("answer_or_decline"), { { [UI_WORD_CONTROL] = UI_CONTROL_ANSWER } } },
	{ STRC("payload.decisionKind"), STRC("provide_or_decline"), { { [UI_WORD_CONTROL] = UI_CONTROL_ANSWER } } },
};
static const struct ui_when action_resolved_when[] = {
	{ STRC("payload.decision"), STRC("allow"), { { [UI_WORD_CONTROL] = UI_CONTROL_APPROVE } } },
	{ STRC("payload.decision"), STRC("deny"), { { [UI_WORD_CONTROL] = UI_CONTROL_REJECT } } },
	{ STRC("payload.decision"), STRC("decline"), { { [UI_WORD_CONTROL] = UI_CONTROL_REJECT } } },
	{ STRC("payload.decision"), STRC("answer"), { { [UI_WORD_CONTROL] = UI_CONTROL_ANSWER } } },
	{ STRC("payload.decision"), STRC("cancel"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
};
static const struct ui_when queue_changed_when[] = {
	{ STRC("payload.change"), STRC("started"), { { [UI_WORD_PHASE] = UI_PHASE_PREPARING } } },
	{ STRC("payload.change"), STRC("removed"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
	{ STRC("payload.change"), STRC("cleared"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
};
static const struct ui_from queue_changed_from[] = {
	{ STRC("queueReason"), STRC("payload.reason"), false },
};
static const struct ui_when artifact_changed_when[] = {
	{ STRC("payload.change"), STRC("created"), { { [UI_WORD_TYPE] = UI_TYPE_ARTIFACT_CREATED, [UI_WORD_ARTIFACT] = UI_ARTIFACT_STATUS_READY } } },
	{ STRC("payload.change"), STRC("updated"), { { [UI_WORD_TYPE] = UI_TYPE_ARTIFACT_UPDATED, [UI_WORD_ARTIFACT] = UI_ARTIFACT_STATUS_READY } } },
	{ STRC("payload.change"), STRC("deleted"), { { [UI_WORD_TYPE] = UI_TYPE_ARTIFACT_DELETED, [UI_WORD_ARTIFACT] = UI_ARTIFACT_STATUS_DELETED } } },
};
static const struct ui_from artifact_changed_from[] = {
	{ STRC("artifactKind"), STRC("payload.kind"), false },
	{ STRC("artifactVersionId"), STRC("payload.versionId"), false },
	{ STRC("artifactReadRef"), STRC("refs.read"), false },
	{ STRC("artifactDiffRef"), STRC("refs.diff"), false },
};
static const struct ui_from evidence_changed_from[] = {
	{ STRC("evidencePackRef"), STRC("payload.packRef"), false },
	{ STRC("replayRef"), STRC("payload.replayRef"), false },
	{ STRC("reviewRef"), STRC("payload.reviewRef"), false },
};
static const struct ui_from subagent_spawned_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
	{ STRC("agentName"), STRC("payload.nickname"), false },
	{ STRC("agentRole"), STRC("payload.role"), false },
};
static const struct ui_when subagent_status_when[] = {
	{ STRC("status"), STRC("blocked"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
	{ STRC("status"), STRC("queued"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
};
static const struct ui_from subagent_status_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from subagent_completed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when subagent_failed_when[] = {
	{ STRC("status"), STRC("cancelled"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
};
static const struct ui_from subagent_failed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from subagent_closed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when runtime_warning_when[] = {
	{ STRC("turnId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TURN } } },
};
static const struct ui_when runtime_error_when[] = {
	{ STRC("turnId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TURN } } },
};
static const struct ui_when permission_evaluated_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL } } },
	{ STRC("payload.decision"), STRC("ask"), { { [UI_WORD_PHASE] = UI_PHASE_WAITING } } },
};
static const struct ui_when hook_started_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL } } },
};
static const struct ui_when hook_completed_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL } } },
};
static const struct ui_when hook_failed_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL } } },
};
static const struct ui_from task_delegated_from[] = {
	{ STRC("remoteTaskId"), STRC("payload.remoteTask.remoteTaskId"), false },
};
static const struct ui_when task_attempt_started_when[] = {
	{ STRC("status"), STRC("running"), { { [UI_WORD_PHASE] = UI_PHASE_ACTING } } },
};
static const struct ui_when task_attempt_failed_when[] = {
	{ STRC("status"), STRC("cancelled"), { { [UI_WORD_PHASE] = UI_PHASE_CANCELLED } } },
	{ STRC("status"), STRC("lost"), { { [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED } } },
};
static const struct ui_from cost_estimated_from[] = {
	{ STRC("metricName"), STRC("type"), false },
};
static const struct ui_from cost_recorded_from[] = {
	{ STRC("metricName"), STRC("type"), false },
};
static const struct ui_from channel_message_from[] = {
	{ STRC("remoteTaskId"), STRC("payload.remoteTask.remoteTaskId"), false },
};
static const struct ui_from job_created_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_started_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_progress_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_item_started_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_item_completed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_item_failed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_completed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_failed_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_from job_cancelled_from[] = {
	{ STRC("runtimeStatus"), STRC("status"), true },
};
static const struct ui_when output_spilled_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
};
static const struct ui_when output_truncated_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI } } },
};
static const struct ui_when output_redacted_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI } } },
};
static const struct ui_when output_expired_when[] = {
	{ STRC("toolCallId"), { NULL, 0 }, { { [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI } } },
};

const struct ui_row ui_rows[EV_COUNT] = {
	[EV_SESSION_CREATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_OPENED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_SESSION_UPDATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_UPDATED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_THREAD_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_OPENED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_THREAD_UPDATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_UPDATED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = thread_updated_from, .from_count = 2 },
	[EV_TURN_SUBMITTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ACCEPTED, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_TRANSCRIPT, [UI_WORD_ENTITY] = UI_ENTITY_AGENT_TURN } },
		.when = turn_submitted_when, .when_count = 4,
		.from = turn_submitted_from, .from_count = 1 },
	[EV_TURN_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STARTED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = turn_started_from, .from_count = 1 },
	[EV_TURN_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_FINISHED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.from = turn_completed_from, .from_count = 1 },
	[EV_TURN_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_FAILED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = turn_failed_when, .when_count = 2,
		.from = turn_failed_from, .from_count = 1 },
	[EV_TASK_CREATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_SUBMITTED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_created_from, .from_count = 1 },
	[EV_TASK_ACCEPTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACCEPTED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_accepted_from, .from_count = 1 },
	[EV_TASK_QUEUED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_queued_from, .from_count = 2 },
	[EV_TASK_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.when = task_started_when, .when_count = 1,
		.from = task_started_from, .from_count = 1 },
	[EV_TASK_UPDATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_updated_from, .from_count = 1 },
	[EV_TASK_PROGRESS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.when = task_progress_when, .when_count = 4,
		.from = task_progress_from, .from_count = 1 },
	[EV_TASK_WAITING] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_waiting_from, .from_count = 1 },
	[EV_TASK_BLOCKED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_blocked_from, .from_count = 1 },
	[EV_TASK_PAUSED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_paused_from, .from_count = 1 },
	[EV_TASK_RESUMED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.when = task_resumed_when, .when_count = 2,
		.from = task_resumed_from, .from_count = 1 },
	[EV_TASK_RETRYING] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_retrying_from, .from_count = 1 },
	[EV_TASK_CANCEL_REQUESTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_cancel_requested_from, .from_count = 1 },
	[EV_TASK_CANCELLED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_CANCELLED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_cancelled_from, .from_count = 1 },
	[EV_TASK_TIMED_OUT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_timed_out_from, .from_count = 1 },
	[EV_TASK_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_failed_from, .from_count = 1 },
	[EV_TASK_LOST] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_INTERRUPTED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_lost_from, .from_count = 1 },
	[EV_TASK_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_completed_from, .from_count = 1 },
	[EV_TASK_ARCHIVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ARCHIVED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.from = task_archived_from, .from_count = 1 },
	[EV_RUN_STATUS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.when = run_status_when, .when_count = 7,
		.from = run_status_from, .from_count = 1 },
	[EV_MODEL_REQUESTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } } },
	[EV_MODEL_DELTA] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TEXT_DELTA, [UI_WORD_OWNER] = UI_OWNER_MODEL, [UI_WORD_SCOPE] = UI_SCOPE_PART, [UI_WORD_PHASE] = UI_PHASE_PRODUCING, [UI_WORD_SURFACE] = UI_SURFACE_CONVERSATION, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } },
		.when = model_delta_when, .when_count = 1 },
	[EV_MODEL_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_MODEL, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = model_completed_when, .when_count = 1 },
	[EV_MODEL_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_MODEL, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = model_failed_when, .when_count = 2 },
	[EV_REASONING_DELTA] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_REASONING_DELTA, [UI_WORD_OWNER] = UI_OWNER_MODEL, [UI_WORD_SCOPE] = UI_SCOPE_PART, [UI_WORD_PHASE] = UI_PHASE_REASONING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } } },
	[EV_REASONING_SUMMARY] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_REASONING_SUMMARY, [UI_WORD_OWNER] = UI_OWNER_MODEL, [UI_WORD_SCOPE] = UI_SCOPE_PART, [UI_WORD_PHASE] = UI_PHASE_REASONING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TOOL_CATALOG_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_CONTEXT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_CONTEXT, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TOOL_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_STARTED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = tool_started_when, .when_count = 1 },
	[EV_TOOL_ARGS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_ARGS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TOOL_PROGRESS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } },
		.when = tool_progress_when, .when_count = 1 },
	[EV_TOOL_RESULT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_RESULT, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = tool_result_when, .when_count = 1 },
	[EV_TOOL_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_FAILED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = tool_failed_when, .when_count = 2 },
	[EV_ACTION_REQUIRED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_ACTION_REQUIRED, [UI_WORD_OWNER] = UI_OWNER_ACTION, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_CONTROL] = UI_CONTROL_APPROVE } },
		.when = action_required_when, .when_count = 2 },
	[EV_ACTION_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_ACTION_RESOLVED, [UI_WORD_OWNER] = UI_OWNER_ACTION, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = action_resolved_when, .when_count = 5 },
	[EV_QUEUE_CHANGED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_QUEUE_CHANGED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.when = queue_changed_when, .when_count = 3,
		.from = queue_changed_from, .from_count = 1 },
	[EV_CONTEXT_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_CONTEXT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_CONTEXT, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_CONTEXT_COMPACTION_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_CONTEXT_COMPACTION_STARTED, [UI_WORD_OWNER] = UI_OWNER_CONTEXT, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } } },
	[EV_CONTEXT_COMPACTION_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_CONTEXT_COMPACTION_COMPLETED, [UI_WORD_OWNER] = UI_OWNER_CONTEXT, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_CONTEXT_COMPACTION_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_CONTEXT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_CONTEXT, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ARTIFACT_CHANGED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_ARTIFACT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_ARTIFACT, [UI_WORD_SCOPE] = UI_SCOPE_ARTIFACT, [UI_WORD_PHASE] = UI_PHASE_PRODUCING, [UI_WORD_SURFACE] = UI_SURFACE_ARTIFACT_WORKSPACE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARTIFACT_STORE } },
		.when = artifact_changed_when, .when_count = 3,
		.from = artifact_changed_from, .from_count = 4 },
	[EV_EVIDENCE_CHANGED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_EVIDENCE_CHANGED, [UI_WORD_OWNER] = UI_OWNER_EVIDENCE, [UI_WORD_SCOPE] = UI_SCOPE_EVIDENCE, [UI_WORD_PHASE] = UI_PHASE_PRODUCING, [UI_WORD_SURFACE] = UI_SURFACE_TIMELINE_EVIDENCE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } },
		.from = evidence_changed_from, .from_count = 3 },
	[EV_SUBAGENT_SPAWNED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_SPAWNED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_ACCEPTED, [UI_WORD_SURFACE] = UI_SURFACE_DELEGATION_GRAPH, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } },
		.from = subagent_spawned_from, .from_count = 3 },
	[EV_SUBAGENT_STATUS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TEAM_ROSTER, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } },
		.when = subagent_status_when, .when_count = 2,
		.from = subagent_status_from, .from_count = 1 },
	[EV_SUBAGENT_INPUT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_SUBMITTED, [UI_WORD_SURFACE] = UI_SURFACE_TEAMMATE_TRANSCRIPT, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_TRANSCRIPT, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } } },
	[EV_SUBAGENT_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_COMPLETED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TEAM_ROSTER, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } },
		.from = subagent_completed_from, .from_count = 1 },
	[EV_SUBAGENT_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_COMPLETED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TEAM_ROSTER, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } },
		.when = subagent_failed_when, .when_count = 1,
		.from = subagent_failed_from, .from_count = 1 },
	[EV_SUBAGENT_CLOSED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_PHASE] = UI_PHASE_ARCHIVED, [UI_WORD_SURFACE] = UI_SURFACE_TEAM_ROSTER, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE, [UI_WORD_ENTITY] = UI_ENTITY_SUBAGENT_TURN } },
		.from = subagent_closed_from, .from_count = 1 },
	[EV_LIMIT_CHANGED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_SNAPSHOT_UPDATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_STATE_SNAPSHOT, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_RUNTIME_WARNING] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_DIAGNOSTICS, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = runtime_warning_when, .when_count = 1 },
	[EV_RUNTIME_ERROR] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_DIAGNOSTICS, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = runtime_error_when, .when_count = 1 },
	[EV_PERMISSION_EVALUATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_INLINE_PROCESS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = permission_evaluated_when, .when_count = 2 },
	[EV_PERMISSION_REQUESTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_PERMISSION_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_SANDBOX_APPLIED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_SANDBOX_VIOLATION] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_HOOK_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = hook_started_when, .when_count = 1 },
	[EV_HOOK_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = hook_completed_when, .when_count = 1 },
	[EV_HOOK_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = hook_failed_when, .when_count = 1 },
	[EV_POLICY_CHANGED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_PROCESS_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_PROCESS_OUTPUT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_OUTPUT_DELTA, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EPHEMERAL_LIVE } } },
	[EV_PROCESS_INPUT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_PROCESS_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_PROCESS_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_PROCESS_TERMINATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TOOL_PROGRESS, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_TOOL_CALL, [UI_WORD_PHASE] = UI_PHASE_CANCELLED, [UI_WORD_SURFACE] = UI_SURFACE_TOOL_UI, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TASK_PROFILE_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ROUTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ROUTING_CANDIDATES_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ROUTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ROUTING_DECIDED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ROUTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ROUTING_FALLBACK_APPLIED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ROUTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ROUTING_NOT_POSSIBLE] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_ROUTING_SINGLE_CANDIDATE] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_ROUTING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TASK_DELEGATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_SURFACE] = UI_SURFACE_DELEGATION_GRAPH, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } },
		.from = task_delegated_from, .from_count = 1 },
	[EV_TASK_DEPENDENCY_UPDATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_SURFACE] = UI_SURFACE_WORK_BOARD, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_TASK_ATTEMPT_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = task_attempt_started_when, .when_count = 1 },
	[EV_TASK_ATTEMPT_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_TASK_ATTEMPT_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } },
		.when = task_attempt_failed_when, .when_count = 2 },
	[EV_COST_ESTIMATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_METRIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_RUN, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.from = cost_estimated_from, .from_count = 1 },
	[EV_COST_RECORDED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_METRIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_RUN, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.from = cost_recorded_from, .from_count = 1 },
	[EV_RATE_LIMIT_HIT] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_RUNTIME, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_QUOTA_LOW] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_SURFACE] = UI_SURFACE_RUNTIME_STATUS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_QUOTA_BLOCKED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_RUN_STATUS, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_TURN, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_CHANNEL_CONNECTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } } },
	[EV_CHANNEL_DISCONNECTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } } },
	[EV_CHANNEL_RESUMED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } } },
	[EV_CHANNEL_MESSAGE] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_AGENT_CHANGED, [UI_WORD_OWNER] = UI_OWNER_AGENT, [UI_WORD_SCOPE] = UI_SCOPE_AGENT, [UI_WORD_SURFACE] = UI_SURFACE_REMOTE_TEAMMATE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_TRANSCRIPT } },
		.from = channel_message_from, .from_count = 1 },
	[EV_CHANNEL_PERMISSION_FORWARDED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_WAITING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_CHANNEL_PERMISSION_RETURNED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_PERMISSION_CHANGED, [UI_WORD_OWNER] = UI_OWNER_POLICY, [UI_WORD_SCOPE] = UI_SCOPE_ACTION_REQUEST, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_HITL, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_JOB_CREATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACCEPTED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_created_from, .from_count = 1 },
	[EV_JOB_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_started_from, .from_count = 1 },
	[EV_JOB_PROGRESS] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_progress_from, .from_count = 1 },
	[EV_JOB_ITEM_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_item_started_from, .from_count = 1 },
	[EV_JOB_ITEM_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_item_completed_from, .from_count = 1 },
	[EV_JOB_ITEM_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_item_failed_from, .from_count = 1 },
	[EV_JOB_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_completed_from, .from_count = 1 },
	[EV_JOB_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_failed_from, .from_count = 1 },
	[EV_JOB_CANCELLED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_CANCELLED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT, [UI_WORD_ENTITY] = UI_ENTITY_AUTOMATION_JOB } },
		.from = job_cancelled_from, .from_count = 1 },
	[EV_OUTPUT_SPILLED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = output_spilled_when, .when_count = 1 },
	[EV_OUTPUT_TRUNCATED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = output_truncated_when, .when_count = 1 },
	[EV_OUTPUT_REDACTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = output_redacted_when, .when_count = 1 },
	[EV_OUTPUT_EXPIRED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TOOL, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_DIAGNOSTICS_LOG } },
		.when = output_expired_when, .when_count = 1 },
	[EV_HISTORY_WINDOW_LOADED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_HYDRATED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_HYDRATING, [UI_WORD_SURFACE] = UI_SURFACE_CONVERSATION, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_HISTORY_RECONSTRUCTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_HYDRATED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_HYDRATING, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_HISTORY_ROLLBACK_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_SESSION_UPDATED, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_CONVERSATION, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_ARCHIVE } } },
	[EV_HISTORY_ROLLBACK_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_MESSAGES_SNAPSHOT, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_THREAD, [UI_WORD_PHASE] = UI_PHASE_RECONCILING, [UI_WORD_SURFACE] = UI_SURFACE_CONVERSATION, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_TRANSCRIPT } } },
	[EV_SNAPSHOT_REPAIRED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_STATE_SNAPSHOT, [UI_WORD_OWNER] = UI_OWNER_SESSION, [UI_WORD_SCOPE] = UI_SCOPE_SESSION, [UI_WORD_PHASE] = UI_PHASE_HYDRATING, [UI_WORD_SURFACE] = UI_SURFACE_SESSION_TABS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_SNAPSHOT } } },
	[EV_BENCHMARK_DATASET_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_EVIDENCE, [UI_WORD_SCOPE] = UI_SCOPE_EVIDENCE, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_CONFIGURATION_RESOLVED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_DIAGNOSTIC_CHANGED, [UI_WORD_OWNER] = UI_OWNER_EVIDENCE, [UI_WORD_SCOPE] = UI_SCOPE_EVIDENCE, [UI_WORD_PHASE] = UI_PHASE_PREPARING, [UI_WORD_SURFACE] = UI_SURFACE_DIAGNOSTICS, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_TRIAL_STARTED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_ACTING, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_TRIAL_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_TRIAL_FAILED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_TASK_CHANGED, [UI_WORD_OWNER] = UI_OWNER_TASK, [UI_WORD_SCOPE] = UI_SCOPE_TASK, [UI_WORD_PHASE] = UI_PHASE_FAILED, [UI_WORD_SURFACE] = UI_SURFACE_TASK_CAPSULE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_REWARD_RECORDED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_REVIEW_COMPLETED, [UI_WORD_OWNER] = UI_OWNER_EVIDENCE, [UI_WORD_SCOPE] = UI_SCOPE_EVIDENCE, [UI_WORD_PHASE] = UI_PHASE_REVIEWING, [UI_WORD_SURFACE] = UI_SURFACE_REVIEW_LANE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
	[EV_BENCHMARK_COMPARISON_COMPLETED] = { .say = { { [UI_WORD_TYPE] = UI_TYPE_EVIDENCE_CHANGED, [UI_WORD_OWNER] = UI_OWNER_EVIDENCE, [UI_WORD_SCOPE] = UI_SCOPE_EVIDENCE, [UI_WORD_PHASE] = UI_PHASE_COMPLETED, [UI_WORD_SURFACE] = UI_SURFACE_TIMELINE_EVIDENCE, [UI_WORD_PERSISTENCE] = UI_PERSISTENCE_EVIDENCE_PACK } } },
};

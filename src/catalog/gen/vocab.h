/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef CATALOG_GEN_VOCAB_H
#define CATALOG_GEN_VOCAB_H
#include "catalog/rec.h"

enum status {
	STATUS_ABSENT,
	STATUS_IDLE,
	STATUS_ACCEPTED,
	STATUS_QUEUED,
	STATUS_PREPARING,
	STATUS_RUNNING,
	STATUS_STREAMING,
	STATUS_WAITING_INPUT,
	STATUS_WAITING_PERMISSION,
	STATUS_WAITING_RESOURCE,
	STATUS_BLOCKED,
	STATUS_PAUSED,
	STATUS_RETRYING,
	STATUS_CANCELLING,
	STATUS_CANCELLED,
	STATUS_TIMED_OUT,
	STATUS_FAILED,
	STATUS_LOST,
	STATUS_COMPLETED,
	STATUS_ARCHIVED,
	STATUS_STALE,
	STATUS_UNKNOWN,
	STATUS_UNAVAILABLE,
	STATUS_NOT_APPLICABLE,
	STATUS_DRAFT,
	STATUS_CLOSED,
	STATUS_PENDING,
	STATUS_EXITED,
	STATUS_REPORTED,
	STATUS_COUNT
};
extern const struct enum_desc enum_status;

static inline struct str status_word(enum status v)
{
	return enum_word(&enum_status, v);
}

enum thread_status {
	THREAD_STATUS_ABSENT,
	THREAD_STATUS_IDLE,
	THREAD_STATUS_QUEUED,
	THREAD_STATUS_RUNNING,
	THREAD_STATUS_BLOCKED,
	THREAD_STATUS_COMPLETED,
	THREAD_STATUS_FAILED,
	THREAD_STATUS_CANCELLED,
	THREAD_STATUS_STALE,
	THREAD_STATUS_UNKNOWN,
	THREAD_STATUS_COUNT
};
extern const struct enum_desc enum_thread_status;

static inline struct str thread_status_word(enum thread_status v)
{
	return enum_word(&enum_thread_status, v);
}

enum task_status {
	TASK_STATUS_ABSENT,
	TASK_STATUS_DRAFT,
	TASK_STATUS_ACCEPTED,
	TASK_STATUS_QUEUED,
	TASK_STATUS_PREPARING,
	TASK_STATUS_RUNNING,
	TASK_STATUS_WAITING_INPUT,
	TASK_STATUS_WAITING_PERMISSION,
	TASK_STATUS_WAITING_RESOURCE,
	TASK_STATUS_BLOCKED,
	TASK_STATUS_PAUSED,
	TASK_STATUS_RETRYING,
	TASK_STATUS_CANCELLING,
	TASK_STATUS_CANCELLED,
	TASK_STATUS_TIMED_OUT,
	TASK_STATUS_FAILED,
	TASK_STATUS_LOST,
	TASK_STATUS_COMPLETED,
	TASK_STATUS_ARCHIVED,
	TASK_STATUS_STALE,
	TASK_STATUS_UNKNOWN,
	TASK_STATUS_COUNT
};
extern const struct enum_desc enum_task_status;

static inline struct str task_status_word(enum task_status v)
{
	return enum_word(&enum_task_status, v);
}

enum attempt_status {
	ATTEMPT_STATUS_ABSENT,
	ATTEMPT_STATUS_IDLE,
	ATTEMPT_STATUS_QUEUED,
	ATTEMPT_STATUS_PREPARING,
	ATTEMPT_STATUS_RUNNING,
	ATTEMPT_STATUS_BLOCKED,
	ATTEMPT_STATUS_STREAMING,
	ATTEMPT_STATUS_RETRYING,
	ATTEMPT_STATUS_COMPLETED,
	ATTEMPT_STATUS_FAILED,
	ATTEMPT_STATUS_CANCELLED,
	ATTEMPT_STATUS_STALE,
	ATTEMPT_STATUS_UNKNOWN,
	ATTEMPT_STATUS_UNAVAILABLE,
	ATTEMPT_STATUS_NOT_APPLICABLE,
	ATTEMPT_STATUS_COUNT
};
extern const struct enum_desc enum_attempt_status;

static inline struct str attempt_status_word(enum attempt_status v)
{
	return enum_word(&enum_attempt_status, v);
}

enum subagent_status {
	SUBAGENT_STATUS_ABSENT,
	SUBAGENT_STATUS_QUEUED,
	SUBAGENT_STATUS_RUNNING,
	SUBAGENT_STATUS_BLOCKED,
	SUBAGENT_STATUS_COMPLETED,
	SUBAGENT_STATUS_FAILED,
	SUBAGENT_STATUS_CANCELLED,
	SUBAGENT_STATUS_CLOSED,
	SUBAGENT_STATUS_COUNT
};
extern const struct enum_desc enum_subagent_status;

static inline struct str subagent_status_word(enum subagent_status v)
{
	return enum_word(&enum_subagent_status, v);
}

enum job_status {
	JOB_STATUS_ABSENT,
	JOB_STATUS_PENDING,
	JOB_STATUS_RUNNING,
	JOB_STATUS_COMPLETED,
	JOB_STATUS_FAILED,
	JOB_STATUS_CANCELLED,
	JOB_STATUS_COUNT
};
extern const struct enum_desc enum_job_status;

static inline struct str job_status_word(enum job_status v)
{
	return enum_word(&enum_job_status, v);
}

enum job_item_status {
	JOB_ITEM_STATUS_ABSENT,
	JOB_ITEM_STATUS_PENDING,
	JOB_ITEM_STATUS_RUNNING,
	JOB_ITEM_STATUS_COMPLETED,
	JOB_ITEM_STATUS_FAILED,
	JOB_ITEM_STATUS_REPORTED,
	JOB_ITEM_STATUS_COUNT
};
extern const struct enum_desc enum_job_item_status;

static inline struct str job_item_status_word(enum job_item_status v)
{
	return enum_word(&enum_job_item_status, v);
}

enum process_status {
	PROCESS_STATUS_ABSENT,
	PROCESS_STATUS_IDLE,
	PROCESS_STATUS_RUNNING,
	PROCESS_STATUS_EXITED,
	PROCESS_STATUS_FAILED,
	PROCESS_STATUS_LOST,
	PROCESS_STATUS_COUNT
};
extern const struct enum_desc enum_process_status;

static inline struct str process_status_word(enum process_status v)
{
	return enum_word(&enum_process_status, v);
}

enum hook_status {
	HOOK_STATUS_ABSENT,
	HOOK_STATUS_RUNNING,
	HOOK_STATUS_COMPLETED,
	HOOK_STATUS_FAILED,
	HOOK_STATUS_COUNT
};
extern const struct enum_desc enum_hook_status;

static inline struct str hook_status_word(enum hook_status v)
{
	return enum_word(&enum_hook_status, v);
}

enum action_status {
	ACTION_STATUS_ABSENT,
	ACTION_STATUS_PENDING,
	ACTION_STATUS_RESOLVED,
	ACTION_STATUS_TIMED_OUT,
	ACTION_STATUS_CANCELLED,
	ACTION_STATUS_COUNT
};
extern const struct enum_desc enum_action_status;

static inline struct str action_status_word(enum action_status v)
{
	return enum_word(&enum_action_status, v);
}

enum edge_status {
	EDGE_STATUS_ABSENT,
	EDGE_STATUS_ACTIVE,
	EDGE_STATUS_SATISFIED,
	EDGE_STATUS_BROKEN,
	EDGE_STATUS_ENDED,
	EDGE_STATUS_REMOVED,
	EDGE_STATUS_COUNT
};
extern const struct enum_desc enum_edge_status;

static inline struct str edge_status_word(enum edge_status v)
{
	return enum_word(&enum_edge_status, v);
}

enum runtime_state {
	RUNTIME_STATE_ABSENT,
	RUNTIME_STATE_STARTED,
	RUNTIME_STATE_STOPPED,
	RUNTIME_STATE_COUNT
};
extern const struct enum_desc enum_runtime_state;

static inline struct str runtime_state_word(enum runtime_state v)
{
	return enum_word(&enum_runtime_state, v);
}

enum runtime_end {
	RUNTIME_END_ABSENT,
	RUNTIME_END_NONE,
	RUNTIME_END_STOPPED,
	RUNTIME_END_UNCLEAN,
	RUNTIME_END_STORE_FAILED,
	RUNTIME_END_COUNT
};
extern const struct enum_desc enum_runtime_end;

static inline struct str runtime_end_word(enum runtime_end v)
{
	return enum_word(&enum_runtime_end, v);
}

enum delivery_subject {
	DELIVERY_SUBJECT_ABSENT,
	DELIVERY_SUBJECT_TASK,
	DELIVERY_SUBJECT_JOB,
	DELIVERY_SUBJECT_TURN,
	DELIVERY_SUBJECT_ACTION,
	DELIVERY_SUBJECT_COUNT
};
extern const struct enum_desc enum_delivery_subject;

static inline struct str delivery_subject_word(enum delivery_subject v)
{
	return enum_word(&enum_delivery_subject, v);
}

enum delivery_status {
	DELIVERY_STATUS_ABSENT,
	DELIVERY_STATUS_PENDING,
	DELIVERY_STATUS_DELIVERED,
	DELIVERY_STATUS_QUEUED,
	DELIVERY_STATUS_FAILED,
	DELIVERY_STATUS_PARENT_MISSING,
	DELIVERY_STATUS_NOT_APPLICABLE,
	DELIVERY_STATUS_COUNT
};
extern const struct enum_desc enum_delivery_status;

static inline struct str delivery_status_word(enum delivery_status v)
{
	return enum_word(&enum_delivery_status, v);
}

enum cost_status {
	COST_STATUS_ABSENT,
	COST_STATUS_ESTIMATED,
	COST_STATUS_RECORDED,
	COST_STATUS_UNKNOWN,
	COST_STATUS_COUNT
};
extern const struct enum_desc enum_cost_status;

static inline struct str cost_status_word(enum cost_status v)
{
	return enum_word(&enum_cost_status, v);
}

enum limit_status {
	LIMIT_STATUS_ABSENT,
	LIMIT_STATUS_OK,
	LIMIT_STATUS_LOW,
	LIMIT_STATUS_LIMITED,
	LIMIT_STATUS_BLOCKED,
	LIMIT_STATUS_UNKNOWN,
	LIMIT_STATUS_UNAVAILABLE,
	LIMIT_STATUS_NOT_APPLICABLE,
	LIMIT_STATUS_COUNT
};
extern const struct enum_desc enum_limit_status;

static inline struct str limit_status_word(enum limit_status v)
{
	return enum_word(&enum_limit_status, v);
}

enum reconcile_status {
	RECONCILE_STATUS_ABSENT,
	RECONCILE_STATUS_SATISFIED,
	RECONCILE_STATUS_PRESENT,
	RECONCILE_STATUS_DELIVERED,
	RECONCILE_STATUS_PENDING,
	RECONCILE_STATUS_MISSING,
	RECONCILE_STATUS_UNMET,
	RECONCILE_STATUS_FAILED,
	RECONCILE_STATUS_UNKNOWN,
	RECONCILE_STATUS_NOT_APPLICABLE,
	RECONCILE_STATUS_COUNT
};
extern const struct enum_desc enum_reconcile_status;

static inline struct str reconcile_status_word(enum reconcile_status v)
{
	return enum_word(&enum_reconcile_status, v);
}

enum phase {
	PHASE_ABSENT,
	PHASE_PREPARING,
	PHASE_PLANNING,
	PHASE_WORKING,
	PHASE_STREAMING,
	PHASE_VERIFYING,
	PHASE_DELIVERING,
	PHASE_WAITING,
	PHASE_RETRYING,
	PHASE_CANCELLING,
	PHASE_RECOVERING,
	PHASE_COMPACTING,
	PHASE_DRAINING,
	PHASE_COUNT
};
extern const struct enum_desc enum_phase;

static inline struct str phase_word(enum phase v)
{
	return enum_word(&enum_phase, v);
}

enum todo_status {
	TODO_STATUS_ABSENT,
	TODO_STATUS_PENDING,
	TODO_STATUS_IN_PROGRESS,
	TODO_STATUS_COMPLETED,
	TODO_STATUS_COUNT
};
extern const struct enum_desc enum_todo_status;

static inline struct str todo_status_word(enum todo_status v)
{
	return enum_word(&enum_todo_status, v);
}

enum item_kind {
	ITEM_KIND_ABSENT,
	ITEM_KIND_USER_MESSAGE,
	ITEM_KIND_AGENT_MESSAGE,
	ITEM_KIND_REASONING,
	ITEM_KIND_TOOL_CALL,
	ITEM_KIND_COMMAND,
	ITEM_KIND_FILE_CHANGE,
	ITEM_KIND_WEB_SEARCH,
	ITEM_KIND_TODO,
	ITEM_KIND_ERROR,
	ITEM_KIND_CATALOG,
	ITEM_KIND_COMPACTION,
	ITEM_KIND_COUNT
};
extern const struct enum_desc enum_item_kind;

static inline struct str item_kind_word(enum item_kind v)
{
	return enum_word(&enum_item_kind, v);
}

enum thread_kind {
	THREAD_KIND_ABSENT,
	THREAD_KIND_MAIN,
	THREAD_KIND_FORK,
	THREAD_KIND_SUBAGENT,
	THREAD_KIND_JOB,
	THREAD_KIND_SYSTEM,
	THREAD_KIND_COUNT
};
extern const struct enum_desc enum_thread_kind;

static inline struct str thread_kind_word(enum thread_kind v)
{
	return enum_word(&enum_thread_kind, v);
}

enum turn_kind {
	TURN_KIND_ABSENT,
	TURN_KIND_USER,
	TURN_KIND_TASK,
	TURN_KIND_SYSTEM,
	TURN_KIND_SUBAGENT,
	TURN_KIND_JOB,
	TURN_KIND_COUNT
};
extern const struct enum_desc enum_turn_kind;

static inline struct str turn_kind_word(enum turn_kind v)
{
	return enum_word(&enum_turn_kind, v);
}

enum turn_outcome {
	TURN_OUTCOME_ABSENT,
	TURN_OUTCOME_COMPLETED,
	TURN_OUTCOME_MERGED,
	TURN_OUTCOME_FAILED,
	TURN_OUTCOME_CANCELLED,
	TURN_OUTCOME_TIMED_OUT,
	TURN_OUTCOME_LOST,
	TURN_OUTCOME_COUNT
};
extern const struct enum_desc enum_turn_outcome;

static inline struct str turn_outcome_word(enum turn_outcome v)
{
	return enum_word(&enum_turn_outcome, v);
}

enum delivery {
	DELIVERY_ABSENT,
	DELIVERY_QUEUE,
	DELIVERY_STEER,
	DELIVERY_INTERRUPT,
	DELIVERY_REJECT,
	DELIVERY_IMMEDIATE,
	DELIVERY_COUNT
};
extern const struct enum_desc enum_delivery;

static inline struct str delivery_word(enum delivery v)
{
	return enum_word(&enum_delivery, v);
}

enum create_policy {
	CREATE_POLICY_ABSENT,
	CREATE_POLICY_IF_MISSING,
	CREATE_POLICY_NEVER,
	CREATE_POLICY_COUNT
};
extern const struct enum_desc enum_create_policy;

static inline struct str create_policy_word(enum create_policy v)
{
	return enum_word(&enum_create_policy, v);
}

enum on_busy {
	ON_BUSY_ABSENT,
	ON_BUSY_QUEUE,
	ON_BUSY_STEER,
	ON_BUSY_INTERRUPT,
	ON_BUSY_REJECT,
	ON_BUSY_COUNT
};
extern const struct enum_desc enum_on_busy;

static inline struct str on_busy_word(enum on_busy v)
{
	return enum_word(&enum_on_busy, v);
}

enum queue_policy {
	QUEUE_POLICY_ABSENT,
	QUEUE_POLICY_KEEP,
	QUEUE_POLICY_CLEAR,
	QUEUE_POLICY_CONTINUE,
	QUEUE_POLICY_COUNT
};
extern const struct enum_desc enum_queue_policy;

static inline struct str queue_policy_word(enum queue_policy v)
{
	return enum_word(&enum_queue_policy, v);
}

enum queue_change {
	QUEUE_CHANGE_ABSENT,
	QUEUE_CHANGE_ADDED,
	QUEUE_CHANGE_REMOVED,
	QUEUE_CHANGE_PROMOTED,
	QUEUE_CHANGE_MOVED,
	QUEUE_CHANGE_STARTED,
	QUEUE_CHANGE_CLEARED,
	QUEUE_CHANGE_HELD,
	QUEUE_CHANGE_RELEASED,
	QUEUE_CHANGE_COUNT
};
extern const struct enum_desc enum_queue_change;

static inline struct str queue_change_word(enum queue_change v)
{
	return enum_word(&enum_queue_change, v);
}

enum approval_decision {
	APPROVAL_DECISION_ABSENT,
	APPROVAL_DECISION_ALLOW,
	APPROVAL_DECISION_DENY,
	APPROVAL_DECISION_ASK,
	APPROVAL_DECISION_SANDBOXED,
	APPROVAL_DECISION_UNAVAILABLE,
	APPROVAL_DECISION_ANSWER,
	APPROVAL_DECISION_DECLINE,
	APPROVAL_DECISION_CANCEL,
	APPROVAL_DECISION_COUNT
};
extern const struct enum_desc enum_approval_decision;

static inline struct str approval_decision_word(enum approval_decision v)
{
	return enum_word(&enum_approval_decision, v);
}

enum policy_record_kind {
	POLICY_RECORD_KIND_ABSENT,
	POLICY_RECORD_KIND_DECISION,
	POLICY_RECORD_KIND_APPROVAL,
	POLICY_RECORD_KIND_GRANT,
	POLICY_RECORD_KIND_WAIVER,
	POLICY_RECORD_KIND_COUNT
};
extern const struct enum_desc enum_policy_record_kind;

static inline struct str policy_record_kind_word(enum policy_record_kind v)
{
	return enum_word(&enum_policy_record_kind, v);
}

enum policy_result {
	POLICY_RESULT_ABSENT,
	POLICY_RESULT_ALLOW,
	POLICY_RESULT_DENY,
	POLICY_RESULT_ASK,
	POLICY_RESULT_DEFER,
	POLICY_RESULT_ESCALATE,
	POLICY_RESULT_WAIVE,
	POLICY_RESULT_NOT_APPLICABLE,
	POLICY_RESULT_INDETERMINATE,
	POLICY_RESULT_COUNT
};
extern const struct enum_desc enum_policy_result;

static inline struct str policy_result_word(enum policy_result v)
{
	return enum_word(&enum_policy_result, v);
}

enum risk_level {
	RISK_LEVEL_ABSENT,
	RISK_LEVEL_NONE,
	RISK_LEVEL_LOW,
	RISK_LEVEL_MEDIUM,
	RISK_LEVEL_HIGH,
	RISK_LEVEL_CRITICAL,
	RISK_LEVEL_UNKNOWN,
	RISK_LEVEL_COUNT
};
extern const struct enum_desc enum_risk_level;

static inline struct str risk_level_word(enum risk_level v)
{
	return enum_word(&enum_risk_level, v);
}

enum risk_scope {
	RISK_SCOPE_ABSENT,
	RISK_SCOPE_TOOL_CALL,
	RISK_SCOPE_MODEL_CALL,
	RISK_SCOPE_ARTIFACT_EXPORT,
	RISK_SCOPE_SOURCE_ACCESS,
	RISK_SCOPE_CREDENTIAL_USE,
	RISK_SCOPE_FILESYSTEM,
	RISK_SCOPE_NETWORK,
	RISK_SCOPE_REMOTE_AGENT,
	RISK_SCOPE_DATA_RETENTION,
	RISK_SCOPE_REDACTION,
	RISK_SCOPE_HUMAN_ACTION,
	RISK_SCOPE_MEMORY_WRITE,
	RISK_SCOPE_TASK_DELEGATION,
	RISK_SCOPE_UI_SURFACE,
	RISK_SCOPE_COST_OR_QUOTA,
	RISK_SCOPE_COUNT
};
extern const struct enum_desc enum_risk_scope;

static inline struct str risk_scope_word(enum risk_scope v)
{
	return enum_word(&enum_risk_scope, v);
}

enum approval_status {
	APPROVAL_STATUS_ABSENT,
	APPROVAL_STATUS_PENDING,
	APPROVAL_STATUS_APPROVED,
	APPROVAL_STATUS_DENIED,
	APPROVAL_STATUS_MODIFIED,
	APPROVAL_STATUS_EXPIRED,
	APPROVAL_STATUS_ESCALATED,
	APPROVAL_STATUS_CANCELLED,
	APPROVAL_STATUS_COUNT
};
extern const struct enum_desc enum_approval_status;

static inline struct str approval_status_word(enum approval_status v)
{
	return enum_word(&enum_approval_status, v);
}

enum policy_grant_status {
	POLICY_GRANT_STATUS_ABSENT,
	POLICY_GRANT_STATUS_ACTIVE,
	POLICY_GRANT_STATUS_EXPIRED,
	POLICY_GRANT_STATUS_REVOKED,
	POLICY_GRANT_STATUS_SUPERSEDED,
	POLICY_GRANT_STATUS_PENDING,
	POLICY_GRANT_STATUS_COUNT
};
extern const struct enum_desc enum_policy_grant_status;

static inline struct str policy_grant_status_word(enum policy_grant_status v)
{
	return enum_word(&enum_policy_grant_status, v);
}

enum decision_kind {
	DECISION_KIND_ABSENT,
	DECISION_KIND_ALLOW_OR_DENY,
	DECISION_KIND_ANSWER_OR_DECLINE,
	DECISION_KIND_PROVIDE_OR_DECLINE,
	DECISION_KIND_APPROVE_OR_REVISE,
	DECISION_KIND_COUNT
};
extern const struct enum_desc enum_decision_kind;

static inline struct str decision_kind_word(enum decision_kind v)
{
	return enum_word(&enum_decision_kind, v);
}

enum decision_source {
	DECISION_SOURCE_ABSENT,
	DECISION_SOURCE_RULE,
	DECISION_SOURCE_MODE,
	DECISION_SOURCE_HOOK,
	DECISION_SOURCE_CLASSIFIER,
	DECISION_SOURCE_HUMAN,
	DECISION_SOURCE_HOST_POLICY,
	DECISION_SOURCE_SANDBOX_OVERRIDE,
	DECISION_SOURCE_TOOL_CONTRACT,
	DECISION_SOURCE_COUNT
};
extern const struct enum_desc enum_decision_source;

static inline struct str decision_source_word(enum decision_source v)
{
	return enum_word(&enum_decision_source, v);
}

enum decision_subject {
	DECISION_SUBJECT_ABSENT,
	DECISION_SUBJECT_TOOL,
	DECISION_SUBJECT_PROCESS,
	DECISION_SUBJECT_ACTION,
	DECISION_SUBJECT_PEER_TASK,
	DECISION_SUBJECT_COUNT
};
extern const struct enum_desc enum_decision_subject;

static inline struct str decision_subject_word(enum decision_subject v)
{
	return enum_word(&enum_decision_subject, v);
}

enum decided_side {
	DECIDED_SIDE_ABSENT,
	DECIDED_SIDE_LOCAL,
	DECIDED_SIDE_REMOTE,
	DECIDED_SIDE_POLICY,
	DECIDED_SIDE_TIMER,
	DECIDED_SIDE_COUNT
};
extern const struct enum_desc enum_decided_side;

static inline struct str decided_side_word(enum decided_side v)
{
	return enum_word(&enum_decided_side, v);
}

enum bridge_source {
	BRIDGE_SOURCE_ABSENT,
	BRIDGE_SOURCE_RESPONSE,
	BRIDGE_SOURCE_TIMEOUT,
	BRIDGE_SOURCE_POLICY_DENY,
	BRIDGE_SOURCE_AUTH_FAILURE,
	BRIDGE_SOURCE_COUNT
};
extern const struct enum_desc enum_bridge_source;

static inline struct str bridge_source_word(enum bridge_source v)
{
	return enum_word(&enum_bridge_source, v);
}

enum permission_default {
	PERMISSION_DEFAULT_ABSENT,
	PERMISSION_DEFAULT_MODE,
	PERMISSION_DEFAULT_DENY,
	PERMISSION_DEFAULT_COUNT
};
extern const struct enum_desc enum_permission_default;

static inline struct str permission_default_word(enum permission_default v)
{
	return enum_word(&enum_permission_default, v);
}

enum grant_scope {
	GRANT_SCOPE_ABSENT,
	GRANT_SCOPE_ONCE,
	GRANT_SCOPE_TURN,
	GRANT_SCOPE_SESSION,
	GRANT_SCOPE_WORKSPACE,
	GRANT_SCOPE_ORGANIZATION,
	GRANT_SCOPE_HOST_POLICY,
	GRANT_SCOPE_COUNT
};
extern const struct enum_desc enum_grant_scope;

static inline struct str grant_scope_word(enum grant_scope v)
{
	return enum_word(&enum_grant_scope, v);
}

enum action_type {
	ACTION_TYPE_ABSENT,
	ACTION_TYPE_TOOL_PERMISSION,
	ACTION_TYPE_STRUCTURED_INPUT,
	ACTION_TYPE_CREDENTIAL,
	ACTION_TYPE_PLAN,
	ACTION_TYPE_ESCALATION,
	ACTION_TYPE_COUNT
};
extern const struct enum_desc enum_action_type;

static inline struct str action_type_word(enum action_type v)
{
	return enum_word(&enum_action_type, v);
}

enum ask_from {
	ASK_FROM_ABSENT,
	ASK_FROM_HUMAN,
	ASK_FROM_HOST_POLICY,
	ASK_FROM_PEER,
	ASK_FROM_COUNT
};
extern const struct enum_desc enum_ask_from;

static inline struct str ask_from_word(enum ask_from v)
{
	return enum_word(&enum_ask_from, v);
}

enum permission_mode {
	PERMISSION_MODE_ABSENT,
	PERMISSION_MODE_DEFAULT,
	PERMISSION_MODE_UNTRUSTED,
	PERMISSION_MODE_ON_REQUEST,
	PERMISSION_MODE_ON_FAILURE,
	PERMISSION_MODE_NEVER,
	PERMISSION_MODE_PLAN,
	PERMISSION_MODE_BYPASS,
	PERMISSION_MODE_AUTO,
	PERMISSION_MODE_COUNT
};
extern const struct enum_desc enum_permission_mode;

static inline struct str permission_mode_word(enum permission_mode v)
{
	return enum_word(&enum_permission_mode, v);
}

enum policy_change {
	POLICY_CHANGE_ABSENT,
	POLICY_CHANGE_MODE_CHANGED,
	POLICY_CHANGE_RULE_ADDED,
	POLICY_CHANGE_RULE_REMOVED,
	POLICY_CHANGE_RULES_RELOADED,
	POLICY_CHANGE_RULES_KEPT,
	POLICY_CHANGE_GRANT_ADDED,
	POLICY_CHANGE_GRANT_REVOKED,
	POLICY_CHANGE_GRANT_EXPIRED,
	POLICY_CHANGE_CONFIG_RELOADED,
	POLICY_CHANGE_TRUST_RECORDED,
	POLICY_CHANGE_SCHEDULE_ADDED,
	POLICY_CHANGE_SCHEDULE_PAUSED,
	POLICY_CHANGE_SCHEDULE_RESUMED,
	POLICY_CHANGE_SCHEDULE_REMOVED,
	POLICY_CHANGE_SCHEDULE_MISSED,
	POLICY_CHANGE_SCHEDULE_SKIPPED,
	POLICY_CHANGE_SCHEDULE_FAILED,
	POLICY_CHANGE_SCHEDULE_ENDED,
	POLICY_CHANGE_COUNT
};
extern const struct enum_desc enum_policy_change;

static inline struct str policy_change_word(enum policy_change v)
{
	return enum_word(&enum_policy_change, v);
}

enum schedule_status {
	SCHEDULE_STATUS_ABSENT,
	SCHEDULE_STATUS_ACTIVE,
	SCHEDULE_STATUS_PAUSED,
	SCHEDULE_STATUS_ENDED,
	SCHEDULE_STATUS_COUNT
};
extern const struct enum_desc enum_schedule_status;

static inline struct str schedule_status_word(enum schedule_status v)
{
	return enum_word(&enum_schedule_status, v);
}

enum missed_policy {
	MISSED_POLICY_ABSENT,
	MISSED_POLICY_SKIP,
	MISSED_POLICY_ONCE,
	MISSED_POLICY_ALL,
	MISSED_POLICY_COUNT
};
extern const struct enum_desc enum_missed_policy;

static inline struct str missed_policy_word(enum missed_policy v)
{
	return enum_word(&enum_missed_policy, v);
}

enum overlap_policy {
	OVERLAP_POLICY_ABSENT,
	OVERLAP_POLICY_SKIP,
	OVERLAP_POLICY_QUEUE,
	OVERLAP_POLICY_CANCEL,
	OVERLAP_POLICY_COUNT
};
extern const struct enum_desc enum_overlap_policy;

static inline struct str overlap_policy_word(enum overlap_policy v)
{
	return enum_word(&enum_overlap_policy, v);
}

enum policy_source {
	POLICY_SOURCE_ABSENT,
	POLICY_SOURCE_HUMAN,
	POLICY_SOURCE_COMMAND,
	POLICY_SOURCE_CONFIG,
	POLICY_SOURCE_HOST,
	POLICY_SOURCE_HOOK,
	POLICY_SOURCE_RUNTIME,
	POLICY_SOURCE_COUNT
};
extern const struct enum_desc enum_policy_source;

static inline struct str policy_source_word(enum policy_source v)
{
	return enum_word(&enum_policy_source, v);
}

enum tool_policy {
	TOOL_POLICY_ABSENT,
	TOOL_POLICY_ALLOWED,
	TOOL_POLICY_ASK,
	TOOL_POLICY_DENIED,
	TOOL_POLICY_SANDBOXED,
	TOOL_POLICY_UNAVAILABLE,
	TOOL_POLICY_COUNT
};
extern const struct enum_desc enum_tool_policy;

static inline struct str tool_policy_word(enum tool_policy v)
{
	return enum_word(&enum_tool_policy, v);
}

enum interrupt_behavior {
	INTERRUPT_BEHAVIOR_ABSENT,
	INTERRUPT_BEHAVIOR_CANCEL,
	INTERRUPT_BEHAVIOR_WAIT,
	INTERRUPT_BEHAVIOR_DETACH,
	INTERRUPT_BEHAVIOR_COUNT
};
extern const struct enum_desc enum_interrupt_behavior;

static inline struct str interrupt_behavior_word(enum interrupt_behavior v)
{
	return enum_word(&enum_interrupt_behavior, v);
}

enum args_kind {
	ARGS_KIND_ABSENT,
	ARGS_KIND_FINAL,
	ARGS_KIND_UPDATED,
	ARGS_KIND_COUNT
};
extern const struct enum_desc enum_args_kind;

static inline struct str args_kind_word(enum args_kind v)
{
	return enum_word(&enum_args_kind, v);
}

enum updated_by {
	UPDATED_BY_ABSENT,
	UPDATED_BY_HOOK,
	UPDATED_BY_HUMAN,
	UPDATED_BY_RUNTIME,
	UPDATED_BY_COUNT
};
extern const struct enum_desc enum_updated_by;

static inline struct str updated_by_word(enum updated_by v)
{
	return enum_word(&enum_updated_by, v);
}

enum tool_progress_kind {
	TOOL_PROGRESS_KIND_ABSENT,
	TOOL_PROGRESS_KIND_DISPATCHED,
	TOOL_PROGRESS_KIND_PROGRESS,
	TOOL_PROGRESS_KIND_COUNT
};
extern const struct enum_desc enum_tool_progress_kind;

static inline struct str tool_progress_kind_word(enum tool_progress_kind v)
{
	return enum_word(&enum_tool_progress_kind, v);
}

enum executed {
	EXECUTED_ABSENT,
	EXECUTED_NO,
	EXECUTED_YES,
	EXECUTED_PARTLY,
	EXECUTED_UNKNOWN,
	EXECUTED_COUNT
};
extern const struct enum_desc enum_executed;

static inline struct str executed_word(enum executed v)
{
	return enum_word(&enum_executed, v);
}

enum sandbox_mode {
	SANDBOX_MODE_ABSENT,
	SANDBOX_MODE_READ_ONLY,
	SANDBOX_MODE_WORKSPACE_WRITE,
	SANDBOX_MODE_DANGER_FULL_ACCESS,
	SANDBOX_MODE_EXTERNAL_SANDBOX,
	SANDBOX_MODE_UNAVAILABLE,
	SANDBOX_MODE_COUNT
};
extern const struct enum_desc enum_sandbox_mode;

static inline struct str sandbox_mode_word(enum sandbox_mode v)
{
	return enum_word(&enum_sandbox_mode, v);
}

enum enforcement {
	ENFORCEMENT_ABSENT,
	ENFORCEMENT_EXACT_OR_FAIL,
	ENFORCEMENT_BEST_EFFORT,
	ENFORCEMENT_COUNT
};
extern const struct enum_desc enum_enforcement;

static inline struct str enforcement_word(enum enforcement v)
{
	return enum_word(&enum_enforcement, v);
}

enum network_mode {
	NETWORK_MODE_ABSENT,
	NETWORK_MODE_OFF,
	NETWORK_MODE_RESTRICTED,
	NETWORK_MODE_FULL,
	NETWORK_MODE_COUNT
};
extern const struct enum_desc enum_network_mode;

static inline struct str network_mode_word(enum network_mode v)
{
	return enum_word(&enum_network_mode, v);
}

enum stdin_policy {
	STDIN_POLICY_ABSENT,
	STDIN_POLICY_CLOSED,
	STDIN_POLICY_PIPE,
	STDIN_POLICY_TTY,
	STDIN_POLICY_COUNT
};
extern const struct enum_desc enum_stdin_policy;

static inline struct str stdin_policy_word(enum stdin_policy v)
{
	return enum_word(&enum_stdin_policy, v);
}

enum violation_kind {
	VIOLATION_KIND_ABSENT,
	VIOLATION_KIND_FILESYSTEM,
	VIOLATION_KIND_NETWORK,
	VIOLATION_KIND_SYSCALL,
	VIOLATION_KIND_PROCESS,
	VIOLATION_KIND_PERMISSION,
	VIOLATION_KIND_COUNT
};
extern const struct enum_desc enum_violation_kind;

static inline struct str violation_kind_word(enum violation_kind v)
{
	return enum_word(&enum_violation_kind, v);
}

enum process_stream {
	PROCESS_STREAM_ABSENT,
	PROCESS_STREAM_STDOUT,
	PROCESS_STREAM_STDERR,
	PROCESS_STREAM_PTY,
	PROCESS_STREAM_COUNT
};
extern const struct enum_desc enum_process_stream;

static inline struct str process_stream_word(enum process_stream v)
{
	return enum_word(&enum_process_stream, v);
}

enum on_turn_end {
	ON_TURN_END_ABSENT,
	ON_TURN_END_TERMINATE,
	ON_TURN_END_KEEP,
	ON_TURN_END_COUNT
};
extern const struct enum_desc enum_on_turn_end;

static inline struct str on_turn_end_word(enum on_turn_end v)
{
	return enum_word(&enum_on_turn_end, v);
}

enum terminated_by {
	TERMINATED_BY_ABSENT,
	TERMINATED_BY_USER,
	TERMINATED_BY_POLICY,
	TERMINATED_BY_PARENT,
	TERMINATED_BY_SHUTDOWN,
	TERMINATED_BY_COUNT
};
extern const struct enum_desc enum_terminated_by;

static inline struct str terminated_by_word(enum terminated_by v)
{
	return enum_word(&enum_terminated_by, v);
}

enum liveness {
	LIVENESS_ABSENT,
	LIVENESS_GONE,
	LIVENESS_ALIVE,
	LIVENESS_UNKNOWN,
	LIVENESS_COUNT
};
extern const struct enum_desc enum_liveness;

static inline struct str liveness_word(enum liveness v)
{
	return enum_word(&enum_liveness, v);
}

enum hook_point {
	HOOK_POINT_ABSENT,
	HOOK_POINT_SESSION_START,
	HOOK_POINT_USER_PROMPT_SUBMIT,
	HOOK_POINT_PRE_TOOL_USE,
	HOOK_POINT_PERMISSION_REQUEST,
	HOOK_POINT_POST_TOOL_USE,
	HOOK_POINT_POST_TOOL_FAILURE,
	HOOK_POINT_POST_SAMPLING,
	HOOK_POINT_STOP,
	HOOK_POINT_DELIVERY,
	HOOK_POINT_COUNT
};
extern const struct enum_desc enum_hook_point;

static inline struct str hook_point_word(enum hook_point v)
{
	return enum_word(&enum_hook_point, v);
}

enum hook_handler {
	HOOK_HANDLER_ABSENT,
	HOOK_HANDLER_COMMAND,
	HOOK_HANDLER_HTTP,
	HOOK_HANDLER_IN_PROCESS,
	HOOK_HANDLER_COUNT
};
extern const struct enum_desc enum_hook_handler;

static inline struct str hook_handler_word(enum hook_handler v)
{
	return enum_word(&enum_hook_handler, v);
}

enum hook_decision {
	HOOK_DECISION_ABSENT,
	HOOK_DECISION_CONTINUE,
	HOOK_DECISION_BLOCK,
	HOOK_DECISION_ALLOW,
	HOOK_DECISION_DENY,
	HOOK_DECISION_ASK,
	HOOK_DECISION_COUNT
};
extern const struct enum_desc enum_hook_decision;

static inline struct str hook_decision_word(enum hook_decision v)
{
	return enum_word(&enum_hook_decision, v);
}

enum tool_server_status {
	TOOL_SERVER_STATUS_ABSENT,
	TOOL_SERVER_STATUS_UNTRUSTED,
	TOOL_SERVER_STATUS_UNSUPPORTED,
	TOOL_SERVER_STATUS_DISABLED,
	TOOL_SERVER_STATUS_STARTING,
	TOOL_SERVER_STATUS_READY,
	TOOL_SERVER_STATUS_DOWN,
	TOOL_SERVER_STATUS_STOPPED,
	TOOL_SERVER_STATUS_COUNT
};
extern const struct enum_desc enum_tool_server_status;

static inline struct str tool_server_status_word(enum tool_server_status v)
{
	return enum_word(&enum_tool_server_status, v);
}

enum hook_trust {
	HOOK_TRUST_ABSENT,
	HOOK_TRUST_HOST,
	HOOK_TRUST_USER,
	HOOK_TRUST_HASH_RECORDED,
	HOOK_TRUST_UNTRUSTED,
	HOOK_TRUST_COUNT
};
extern const struct enum_desc enum_hook_trust;

static inline struct str hook_trust_word(enum hook_trust v)
{
	return enum_word(&enum_hook_trust, v);
}

enum hook_sandbox {
	HOOK_SANDBOX_ABSENT,
	HOOK_SANDBOX_AGENT,
	HOOK_SANDBOX_GUARDED,
	HOOK_SANDBOX_NONE,
	HOOK_SANDBOX_COUNT
};
extern const struct enum_desc enum_hook_sandbox;

static inline struct str hook_sandbox_word(enum hook_sandbox v)
{
	return enum_word(&enum_hook_sandbox, v);
}

enum command_rights {
	COMMAND_RIGHTS_ABSENT,
	COMMAND_RIGHTS_AGENT,
	COMMAND_RIGHTS_NONE,
	COMMAND_RIGHTS_COUNT
};
extern const struct enum_desc enum_command_rights;

static inline struct str command_rights_word(enum command_rights v)
{
	return enum_word(&enum_command_rights, v);
}

enum fail_policy {
	FAIL_POLICY_ABSENT,
	FAIL_POLICY_OPEN,
	FAIL_POLICY_CLOSED,
	FAIL_POLICY_COUNT
};
extern const struct enum_desc enum_fail_policy;

static inline struct str fail_policy_word(enum fail_policy v)
{
	return enum_word(&enum_fail_policy, v);
}

enum delta_kind {
	DELTA_KIND_ABSENT,
	DELTA_KIND_TEXT,
	DELTA_KIND_STRUCTURED,
	DELTA_KIND_REFUSAL,
	DELTA_KIND_TOOL_ARGUMENTS,
	DELTA_KIND_COUNT
};
extern const struct enum_desc enum_delta_kind;

static inline struct str delta_kind_word(enum delta_kind v)
{
	return enum_word(&enum_delta_kind, v);
}

enum reasoning_kind {
	REASONING_KIND_ABSENT,
	REASONING_KIND_TEXT,
	REASONING_KIND_REDACTED,
	REASONING_KIND_COUNT
};
extern const struct enum_desc enum_reasoning_kind;

static inline struct str reasoning_kind_word(enum reasoning_kind v)
{
	return enum_word(&enum_reasoning_kind, v);
}

enum reasoning_channel {
	REASONING_CHANNEL_ABSENT,
	REASONING_CHANNEL_THINKING,
	REASONING_CHANNEL_SUMMARY,
	REASONING_CHANNEL_PLAN,
	REASONING_CHANNEL_COUNT
};
extern const struct enum_desc enum_reasoning_channel;

static inline struct str reasoning_channel_word(enum reasoning_channel v)
{
	return enum_word(&enum_reasoning_channel, v);
}

enum summary_source {
	SUMMARY_SOURCE_ABSENT,
	SUMMARY_SOURCE_PROVIDER,
	SUMMARY_SOURCE_RUNTIME,
	SUMMARY_SOURCE_COUNT
};
extern const struct enum_desc enum_summary_source;

static inline struct str summary_source_word(enum summary_source v)
{
	return enum_word(&enum_summary_source, v);
}

enum stop_reason {
	STOP_REASON_ABSENT,
	STOP_REASON_END_TURN,
	STOP_REASON_TOOL_USE,
	STOP_REASON_MAX_TOKENS,
	STOP_REASON_STOP_SEQUENCE,
	STOP_REASON_CONTEXT_FULL,
	STOP_REASON_REFUSAL,
	STOP_REASON_CONTENT_FILTER,
	STOP_REASON_PAUSE_TURN,
	STOP_REASON_CANCELLED,
	STOP_REASON_UNKNOWN,
	STOP_REASON_COUNT
};
extern const struct enum_desc enum_stop_reason;

static inline struct str stop_reason_word(enum stop_reason v)
{
	return enum_word(&enum_stop_reason, v);
}

enum usage_source {
	USAGE_SOURCE_ABSENT,
	USAGE_SOURCE_PROVIDER,
	USAGE_SOURCE_ESTIMATE,
	USAGE_SOURCE_COUNT
};
extern const struct enum_desc enum_usage_source;

static inline struct str usage_source_word(enum usage_source v)
{
	return enum_word(&enum_usage_source, v);
}

enum error_category {
	ERROR_CATEGORY_ABSENT,
	ERROR_CATEGORY_AUTH,
	ERROR_CATEGORY_INVALID_REQUEST,
	ERROR_CATEGORY_NOT_FOUND,
	ERROR_CATEGORY_CONTEXT_LENGTH,
	ERROR_CATEGORY_CONTENT_FILTER,
	ERROR_CATEGORY_REFUSAL,
	ERROR_CATEGORY_RATE_LIMITED,
	ERROR_CATEGORY_OVERLOADED,
	ERROR_CATEGORY_SERVER_ERROR,
	ERROR_CATEGORY_NETWORK,
	ERROR_CATEGORY_TIMEOUT,
	ERROR_CATEGORY_PROTOCOL,
	ERROR_CATEGORY_QUOTA,
	ERROR_CATEGORY_BUDGET,
	ERROR_CATEGORY_PRICE_MISSING,
	ERROR_CATEGORY_NO_CANDIDATE,
	ERROR_CATEGORY_MAX_STEPS,
	ERROR_CATEGORY_INVALID_INPUT,
	ERROR_CATEGORY_UNKNOWN_TOOL,
	ERROR_CATEGORY_TOOL_FAILED,
	ERROR_CATEGORY_PERMISSION,
	ERROR_CATEGORY_HOOK_BLOCKED,
	ERROR_CATEGORY_HOOK_FAILED,
	ERROR_CATEGORY_SANDBOX_DENIED,
	ERROR_CATEGORY_SANDBOX_UNAVAILABLE,
	ERROR_CATEGORY_SPAWN_FAILED,
	ERROR_CATEGORY_OUTPUT_LIMIT,
	ERROR_CATEGORY_PROCESS_FAILED,
	ERROR_CATEGORY_INTERRUPTED,
	ERROR_CATEGORY_CANCELLED,
	ERROR_CATEGORY_LOST,
	ERROR_CATEGORY_ACCEPTANCE_UNMET,
	ERROR_CATEGORY_DELIVERY_FAILED,
	ERROR_CATEGORY_DEPENDENCY_FAILED,
	ERROR_CATEGORY_WORKER_LOST,
	ERROR_CATEGORY_UNAVAILABLE,
	ERROR_CATEGORY_VERIFIER_ERROR,
	ERROR_CATEGORY_ENVIRONMENT,
	ERROR_CATEGORY_APPEND_REFUSED,
	ERROR_CATEGORY_STORE_FAILED,
	ERROR_CATEGORY_STORAGE_FULL,
	ERROR_CATEGORY_INTERNAL,
	ERROR_CATEGORY_UNKNOWN,
	ERROR_CATEGORY_COUNT
};
extern const struct enum_desc enum_error_category;

static inline struct str error_category_word(enum error_category v)
{
	return enum_word(&enum_error_category, v);
}

enum warning_category {
	WARNING_CATEGORY_ABSENT,
	WARNING_CATEGORY_PROCESS_LOST,
	WARNING_CATEGORY_HOOK_FAILED_OPEN,
	WARNING_CATEGORY_MISSING_CORRELATION,
	WARNING_CATEGORY_CLOCK_JUMP,
	WARNING_CATEGORY_LOG_TRUNCATED,
	WARNING_CATEGORY_CONFIG_IGNORED,
	WARNING_CATEGORY_SANDBOX_DEGRADED,
	WARNING_CATEGORY_CHANNEL_LAGGING,
	WARNING_CATEGORY_QUOTA_UNKNOWN,
	WARNING_CATEGORY_PROVIDER_ODD,
	WARNING_CATEGORY_PROCESS_UNAVAILABLE,
	WARNING_CATEGORY_VERIFIER_TRAJECTORY_MISSING,
	WARNING_CATEGORY_OVERDUE_WAIT,
	WARNING_CATEGORY_LOGIN_REFUSED,
	WARNING_CATEGORY_OTHER,
	WARNING_CATEGORY_COUNT
};
extern const struct enum_desc enum_warning_category;

static inline struct str warning_category_word(enum warning_category v)
{
	return enum_word(&enum_warning_category, v);
}

enum latency_target {
	LATENCY_TARGET_ABSENT,
	LATENCY_TARGET_INTERACTIVE,
	LATENCY_TARGET_BACKGROUND,
	LATENCY_TARGET_BATCH,
	LATENCY_TARGET_COUNT
};
extern const struct enum_desc enum_latency_target;

static inline struct str latency_target_word(enum latency_target v)
{
	return enum_word(&enum_latency_target, v);
}

enum budget_class {
	BUDGET_CLASS_ABSENT,
	BUDGET_CLASS_LOW,
	BUDGET_CLASS_MEDIUM,
	BUDGET_CLASS_HIGH,
	BUDGET_CLASS_FIXED,
	BUDGET_CLASS_UNKNOWN,
	BUDGET_CLASS_COUNT
};
extern const struct enum_desc enum_budget_class;

static inline struct str budget_class_word(enum budget_class v)
{
	return enum_word(&enum_budget_class, v);
}

enum fallback_policy {
	FALLBACK_POLICY_ABSENT,
	FALLBACK_POLICY_ALLOW,
	FALLBACK_POLICY_DENY,
	FALLBACK_POLICY_ASK,
	FALLBACK_POLICY_LOCAL_ONLY,
	FALLBACK_POLICY_HOST_ONLY,
	FALLBACK_POLICY_COUNT
};
extern const struct enum_desc enum_fallback_policy;

static inline struct str fallback_policy_word(enum fallback_policy v)
{
	return enum_word(&enum_fallback_policy, v);
}

enum cost_class {
	COST_CLASS_ABSENT,
	COST_CLASS_LOW,
	COST_CLASS_MEDIUM,
	COST_CLASS_HIGH,
	COST_CLASS_UNKNOWN,
	COST_CLASS_COUNT
};
extern const struct enum_desc enum_cost_class;

static inline struct str cost_class_word(enum cost_class v)
{
	return enum_word(&enum_cost_class, v);
}

enum cost_basis {
	COST_BASIS_ABSENT,
	COST_BASIS_PROVIDER_USAGE,
	COST_BASIS_REFUSED_BEFORE_OUTPUT,
	COST_BASIS_ESTIMATE,
	COST_BASIS_COUNT
};
extern const struct enum_desc enum_cost_basis;

static inline struct str cost_basis_word(enum cost_basis v)
{
	return enum_word(&enum_cost_basis, v);
}

enum price_source {
	PRICE_SOURCE_ABSENT,
	PRICE_SOURCE_TABLE,
	PRICE_SOURCE_SCRIPT,
	PRICE_SOURCE_CONFIG,
	PRICE_SOURCE_COUNT
};
extern const struct enum_desc enum_price_source;

static inline struct str price_source_word(enum price_source v)
{
	return enum_word(&enum_price_source, v);
}

enum unpriced_policy {
	UNPRICED_POLICY_ABSENT,
	UNPRICED_POLICY_ALLOW_UNPRICED,
	UNPRICED_POLICY_ASK_UNPRICED,
	UNPRICED_POLICY_REFUSE_UNPRICED,
	UNPRICED_POLICY_COUNT
};
extern const struct enum_desc enum_unpriced_policy;

static inline struct str unpriced_policy_word(enum unpriced_policy v)
{
	return enum_word(&enum_unpriced_policy, v);
}

enum routing_mode {
	ROUTING_MODE_ABSENT,
	ROUTING_MODE_NO_CANDIDATE,
	ROUTING_MODE_SINGLE_CANDIDATE,
	ROUTING_MODE_MULTI_CANDIDATE,
	ROUTING_MODE_COUNT
};
extern const struct enum_desc enum_routing_mode;

static inline struct str routing_mode_word(enum routing_mode v)
{
	return enum_word(&enum_routing_mode, v);
}

enum routing_source {
	ROUTING_SOURCE_ABSENT,
	ROUTING_SOURCE_EXPLICIT,
	ROUTING_SOURCE_SESSION,
	ROUTING_SOURCE_TASK_PREFERENCE,
	ROUTING_SOURCE_HOST_POLICY,
	ROUTING_SOURCE_POLICY_AUTO,
	ROUTING_SOURCE_RUNTIME_FALLBACK,
	ROUTING_SOURCE_COUNT
};
extern const struct enum_desc enum_routing_source;

static inline struct str routing_source_word(enum routing_source v)
{
	return enum_word(&enum_routing_source, v);
}

enum exclusion_reason {
	EXCLUSION_REASON_ABSENT,
	EXCLUSION_REASON_CREDENTIAL_MISSING,
	EXCLUSION_REASON_CAPABILITY_MISSING,
	EXCLUSION_REASON_QUOTA_BLOCKED,
	EXCLUSION_REASON_RATE_LIMITED,
	EXCLUSION_REASON_NETWORK_UNAVAILABLE,
	EXCLUSION_REASON_POLICY_DENIED,
	EXCLUSION_REASON_BUDGET_EXCEEDED,
	EXCLUSION_REASON_PRICE_MISSING,
	EXCLUSION_REASON_CONTEXT_TOO_SMALL,
	EXCLUSION_REASON_DISABLED,
	EXCLUSION_REASON_COUNT
};
extern const struct enum_desc enum_exclusion_reason;

static inline struct str exclusion_reason_word(enum exclusion_reason v)
{
	return enum_word(&enum_exclusion_reason, v);
}

enum constraint_strength {
	CONSTRAINT_STRENGTH_ABSENT,
	CONSTRAINT_STRENGTH_HARD,
	CONSTRAINT_STRENGTH_PREFERENCE,
	CONSTRAINT_STRENGTH_COUNT
};
extern const struct enum_desc enum_constraint_strength;

static inline struct str constraint_strength_word(enum constraint_strength v)
{
	return enum_word(&enum_constraint_strength, v);
}

enum rate_action {
	RATE_ACTION_ABSENT,
	RATE_ACTION_WAIT,
	RATE_ACTION_RETRY,
	RATE_ACTION_FALLBACK,
	RATE_ACTION_FAIL,
	RATE_ACTION_COUNT
};
extern const struct enum_desc enum_rate_action;

static inline struct str rate_action_word(enum rate_action v)
{
	return enum_word(&enum_rate_action, v);
}

enum limit_kind {
	LIMIT_KIND_ABSENT,
	LIMIT_KIND_BUDGET,
	LIMIT_KIND_RATE,
	LIMIT_KIND_QUOTA,
	LIMIT_KIND_PARALLEL,
	LIMIT_KIND_POLICY,
	LIMIT_KIND_COUNT
};
extern const struct enum_desc enum_limit_kind;

static inline struct str limit_kind_word(enum limit_kind v)
{
	return enum_word(&enum_limit_kind, v);
}

enum limit_scope {
	LIMIT_SCOPE_ABSENT,
	LIMIT_SCOPE_REQUEST,
	LIMIT_SCOPE_TURN,
	LIMIT_SCOPE_SESSION,
	LIMIT_SCOPE_TASK,
	LIMIT_SCOPE_DAY,
	LIMIT_SCOPE_TENANT,
	LIMIT_SCOPE_PROVIDER,
	LIMIT_SCOPE_COUNT
};
extern const struct enum_desc enum_limit_scope;

static inline struct str limit_scope_word(enum limit_scope v)
{
	return enum_word(&enum_limit_scope, v);
}

enum limit_source {
	LIMIT_SOURCE_ABSENT,
	LIMIT_SOURCE_COMMAND,
	LIMIT_SOURCE_CONFIG,
	LIMIT_SOURCE_PROVIDER_HEADERS,
	LIMIT_SOURCE_PROVIDER,
	LIMIT_SOURCE_HOST,
	LIMIT_SOURCE_GOVERNOR,
	LIMIT_SOURCE_COUNT
};
extern const struct enum_desc enum_limit_source;

static inline struct str limit_source_word(enum limit_source v)
{
	return enum_word(&enum_limit_source, v);
}

enum limit_event_kind {
	LIMIT_EVENT_KIND_ABSENT,
	LIMIT_EVENT_KIND_RATE_LIMIT_HIT,
	LIMIT_EVENT_KIND_QUOTA_LOW,
	LIMIT_EVENT_KIND_QUOTA_BLOCKED,
	LIMIT_EVENT_KIND_PARALLEL_BUDGET_REACHED,
	LIMIT_EVENT_KIND_COUNT
};
extern const struct enum_desc enum_limit_event_kind;

static inline struct str limit_event_kind_word(enum limit_event_kind v)
{
	return enum_word(&enum_limit_event_kind, v);
}

enum wait_for {
	WAIT_FOR_ABSENT,
	WAIT_FOR_INPUT,
	WAIT_FOR_PERMISSION,
	WAIT_FOR_RESOURCE,
	WAIT_FOR_DEPENDENCY,
	WAIT_FOR_WORKER,
	WAIT_FOR_RESUME,
	WAIT_FOR_CLEANUP,
	WAIT_FOR_BACKOFF,
	WAIT_FOR_RATE_LIMIT,
	WAIT_FOR_QUOTA,
	WAIT_FOR_PARALLEL,
	WAIT_FOR_HOOK,
	WAIT_FOR_COUNT
};
extern const struct enum_desc enum_wait_for;

static inline struct str wait_for_word(enum wait_for v)
{
	return enum_word(&enum_wait_for, v);
}

enum run_status_kind {
	RUN_STATUS_KIND_ABSENT,
	RUN_STATUS_KIND_INTERRUPT_REQUESTED,
	RUN_STATUS_KIND_MODEL_RETRY,
	RUN_STATUS_KIND_RATE_WAIT,
	RUN_STATUS_KIND_RESOURCE_WAIT,
	RUN_STATUS_KIND_RESUME_REQUIRED,
	RUN_STATUS_KIND_DRAIN,
	RUN_STATUS_KIND_LONG_PREPARATION,
	RUN_STATUS_KIND_COUNT
};
extern const struct enum_desc enum_run_status_kind;

static inline struct str run_status_kind_word(enum run_status_kind v)
{
	return enum_word(&enum_run_status_kind, v);
}

enum attempt_cause {
	ATTEMPT_CAUSE_ABSENT,
	ATTEMPT_CAUSE_FIRST_ATTEMPT,
	ATTEMPT_CAUSE_CRASH_RECOVERY,
	ATTEMPT_CAUSE_FALLBACK,
	ATTEMPT_CAUSE_RETRY_TASK,
	ATTEMPT_CAUSE_WORKER_LOSS,
	ATTEMPT_CAUSE_RERUN,
	ATTEMPT_CAUSE_RETRY_POLICY,
	ATTEMPT_CAUSE_COUNT
};
extern const struct enum_desc enum_attempt_cause;

static inline struct str attempt_cause_word(enum attempt_cause v)
{
	return enum_word(&enum_attempt_cause, v);
}

enum backoff {
	BACKOFF_ABSENT,
	BACKOFF_IMMEDIATE,
	BACKOFF_FIXED,
	BACKOFF_EXPONENTIAL,
	BACKOFF_COUNT
};
extern const struct enum_desc enum_backoff;

static inline struct str backoff_word(enum backoff v)
{
	return enum_word(&enum_backoff, v);
}

enum visibility {
	VISIBILITY_ABSENT,
	VISIBILITY_FOREGROUND,
	VISIBILITY_BACKGROUND,
	VISIBILITY_INTERNAL,
	VISIBILITY_HIDDEN,
	VISIBILITY_UNKNOWN,
	VISIBILITY_COUNT
};
extern const struct enum_desc enum_visibility;

static inline struct str visibility_word(enum visibility v)
{
	return enum_word(&enum_visibility, v);
}

enum edge_kind {
	EDGE_KIND_ABSENT,
	EDGE_KIND_PARENT,
	EDGE_KIND_CHILD,
	EDGE_KIND_BLOCKS,
	EDGE_KIND_BLOCKED_BY,
	EDGE_KIND_SOURCE_TASK,
	EDGE_KIND_SOURCE_ATTEMPT,
	EDGE_KIND_SPAWNED_SUBAGENT,
	EDGE_KIND_SPAWNED_JOB,
	EDGE_KIND_ASSIGNED_THREAD,
	EDGE_KIND_PRODUCED_ARTIFACT,
	EDGE_KIND_CONSUMED_ARTIFACT,
	EDGE_KIND_EVIDENCE,
	EDGE_KIND_COUNT
};
extern const struct enum_desc enum_edge_kind;

static inline struct str edge_kind_word(enum edge_kind v)
{
	return enum_word(&enum_edge_kind, v);
}

enum edge_change {
	EDGE_CHANGE_ABSENT,
	EDGE_CHANGE_LINKED,
	EDGE_CHANGE_UNLINKED,
	EDGE_CHANGE_SATISFIED,
	EDGE_CHANGE_BROKEN,
	EDGE_CHANGE_COUNT
};
extern const struct enum_desc enum_edge_change;

static inline struct str edge_change_word(enum edge_change v)
{
	return enum_word(&enum_edge_change, v);
}

enum worker_kind {
	WORKER_KIND_ABSENT,
	WORKER_KIND_IN_PROCESS,
	WORKER_KIND_AGENT,
	WORKER_KIND_EXTERNAL,
	WORKER_KIND_SUBAGENT,
	WORKER_KIND_JOB,
	WORKER_KIND_PEER,
	WORKER_KIND_COUNT
};
extern const struct enum_desc enum_worker_kind;

static inline struct str worker_kind_word(enum worker_kind v)
{
	return enum_word(&enum_worker_kind, v);
}

enum actor_kind {
	ACTOR_KIND_ABSENT,
	ACTOR_KIND_USER,
	ACTOR_KIND_RUNTIME,
	ACTOR_KIND_AGENT,
	ACTOR_KIND_WORKER,
	ACTOR_KIND_CHANNEL,
	ACTOR_KIND_PEER,
	ACTOR_KIND_HOOK,
	ACTOR_KIND_POLICY,
	ACTOR_KIND_WORKFLOW,
	ACTOR_KIND_SYSTEM,
	ACTOR_KIND_COUNT
};
extern const struct enum_desc enum_actor_kind;

static inline struct str actor_kind_word(enum actor_kind v)
{
	return enum_word(&enum_actor_kind, v);
}

enum propagation {
	PROPAGATION_ABSENT,
	PROPAGATION_SELF,
	PROPAGATION_CHILDREN,
	PROPAGATION_PROCESSES,
	PROPAGATION_CHILDREN_AND_PROCESSES,
	PROPAGATION_COUNT
};
extern const struct enum_desc enum_propagation;

static inline struct str propagation_word(enum propagation v)
{
	return enum_word(&enum_propagation, v);
}

enum validation_state {
	VALIDATION_STATE_ABSENT,
	VALIDATION_STATE_PASSED,
	VALIDATION_STATE_FAILED,
	VALIDATION_STATE_NOT_APPLICABLE,
	VALIDATION_STATE_UNCHECKED,
	VALIDATION_STATE_COUNT
};
extern const struct enum_desc enum_validation_state;

static inline struct str validation_state_word(enum validation_state v)
{
	return enum_word(&enum_validation_state, v);
}

enum artifact_change {
	ARTIFACT_CHANGE_ABSENT,
	ARTIFACT_CHANGE_CREATED,
	ARTIFACT_CHANGE_UPDATED,
	ARTIFACT_CHANGE_DELETED,
	ARTIFACT_CHANGE_OBSERVED,
	ARTIFACT_CHANGE_COUNT
};
extern const struct enum_desc enum_artifact_change;

static inline struct str artifact_change_word(enum artifact_change v)
{
	return enum_word(&enum_artifact_change, v);
}

enum evidence_change {
	EVIDENCE_CHANGE_ABSENT,
	EVIDENCE_CHANGE_EXPORTED,
	EVIDENCE_CHANGE_OBSERVED,
	EVIDENCE_CHANGE_COUNT
};
extern const struct enum_desc enum_evidence_change;

static inline struct str evidence_change_word(enum evidence_change v)
{
	return enum_word(&enum_evidence_change, v);
}

enum evidence_signal {
	EVIDENCE_SIGNAL_ABSENT,
	EVIDENCE_SIGNAL_EXPORTED,
	EVIDENCE_SIGNAL_NOT_APPLICABLE,
	EVIDENCE_SIGNAL_UNSUPPORTED,
	EVIDENCE_SIGNAL_NOT_RECORDED,
	EVIDENCE_SIGNAL_MISSING_CORRELATION,
	EVIDENCE_SIGNAL_UNAVAILABLE,
	EVIDENCE_SIGNAL_COUNT
};
extern const struct enum_desc enum_evidence_signal;

static inline struct str evidence_signal_word(enum evidence_signal v)
{
	return enum_word(&enum_evidence_signal, v);
}

enum truncation {
	TRUNCATION_ABSENT,
	TRUNCATION_NONE,
	TRUNCATION_HEAD,
	TRUNCATION_TAIL,
	TRUNCATION_MIDDLE,
	TRUNCATION_HEAD_TAIL,
	TRUNCATION_TOKENS,
	TRUNCATION_COUNT
};
extern const struct enum_desc enum_truncation;

static inline struct str truncation_word(enum truncation v)
{
	return enum_word(&enum_truncation, v);
}

enum truncated_for {
	TRUNCATED_FOR_ABSENT,
	TRUNCATED_FOR_MODEL,
	TRUNCATED_FOR_PREVIEW,
	TRUNCATED_FOR_EVENT,
	TRUNCATED_FOR_HOOK,
	TRUNCATED_FOR_COUNT
};
extern const struct enum_desc enum_truncated_for;

static inline struct str truncated_for_word(enum truncated_for v)
{
	return enum_word(&enum_truncated_for, v);
}

enum redaction {
	REDACTION_ABSENT,
	REDACTION_NONE,
	REDACTION_SECRET,
	REDACTION_POLICY,
	REDACTION_PROVIDER_ENCRYPTED,
	REDACTION_COUNT
};
extern const struct enum_desc enum_redaction;

static inline struct str redaction_word(enum redaction v)
{
	return enum_word(&enum_redaction, v);
}

enum output_owner {
	OUTPUT_OWNER_ABSENT,
	OUTPUT_OWNER_TOOL,
	OUTPUT_OWNER_PROCESS,
	OUTPUT_OWNER_HOOK,
	OUTPUT_OWNER_MODEL,
	OUTPUT_OWNER_ARTIFACT,
	OUTPUT_OWNER_EVIDENCE,
	OUTPUT_OWNER_TURN,
	OUTPUT_OWNER_RUNTIME,
	OUTPUT_OWNER_COUNT
};
extern const struct enum_desc enum_output_owner;

static inline struct str output_owner_word(enum output_owner v)
{
	return enum_word(&enum_output_owner, v);
}

enum expiry_reason {
	EXPIRY_REASON_ABSENT,
	EXPIRY_REASON_AGE,
	EXPIRY_REASON_SIZE,
	EXPIRY_REASON_COMMAND,
	EXPIRY_REASON_COUNT
};
extern const struct enum_desc enum_expiry_reason;

static inline struct str expiry_reason_word(enum expiry_reason v)
{
	return enum_word(&enum_expiry_reason, v);
}

enum gap_reason {
	GAP_REASON_ABSENT,
	GAP_REASON_RETENTION,
	GAP_REASON_TRUNCATION,
	GAP_REASON_CORRUPT,
	GAP_REASON_COUNT
};
extern const struct enum_desc enum_gap_reason;

static inline struct str gap_reason_word(enum gap_reason v)
{
	return enum_word(&enum_gap_reason, v);
}

enum recovery_mode {
	RECOVERY_MODE_ABSENT,
	RECOVERY_MODE_NONE,
	RECOVERY_MODE_RESTART,
	RECOVERY_MODE_COMPACTION,
	RECOVERY_MODE_ROLLBACK,
	RECOVERY_MODE_TRUNCATION,
	RECOVERY_MODE_RETENTION,
	RECOVERY_MODE_REPAIR,
	RECOVERY_MODE_GAP,
	RECOVERY_MODE_COUNT
};
extern const struct enum_desc enum_recovery_mode;

static inline struct str recovery_mode_word(enum recovery_mode v)
{
	return enum_word(&enum_recovery_mode, v);
}

enum history_layer {
	HISTORY_LAYER_ABSENT,
	HISTORY_LAYER_EVENT_LOG,
	HISTORY_LAYER_ROLLOUT_LOG,
	HISTORY_LAYER_SESSION_SNAPSHOT,
	HISTORY_LAYER_THREAD_READ_MODEL,
	HISTORY_LAYER_CONTEXT_BOUNDARY,
	HISTORY_LAYER_EVIDENCE_EXPORT,
	HISTORY_LAYER_COUNT
};
extern const struct enum_desc enum_history_layer;

static inline struct str history_layer_word(enum history_layer v)
{
	return enum_word(&enum_history_layer, v);
}

enum history_cause {
	HISTORY_CAUSE_ABSENT,
	HISTORY_CAUSE_RESTART,
	HISTORY_CAUSE_REPAIR,
	HISTORY_CAUSE_FAILOVER,
	HISTORY_CAUSE_COUNT
};
extern const struct enum_desc enum_history_cause;

static inline struct str history_cause_word(enum history_cause v)
{
	return enum_word(&enum_history_cause, v);
}

enum log_tail {
	LOG_TAIL_ABSENT,
	LOG_TAIL_INTACT,
	LOG_TAIL_TORN,
	LOG_TAIL_COUNT
};
extern const struct enum_desc enum_log_tail;

static inline struct str log_tail_word(enum log_tail v)
{
	return enum_word(&enum_log_tail, v);
}

enum window_cause {
	WINDOW_CAUSE_ABSENT,
	WINDOW_CAUSE_RESUME,
	WINDOW_CAUSE_FORK,
	WINDOW_CAUSE_CHANNEL,
	WINDOW_CAUSE_SUBMIT,
	WINDOW_CAUSE_WINDOW,
	WINDOW_CAUSE_COUNT
};
extern const struct enum_desc enum_window_cause;

static inline struct str window_cause_word(enum window_cause v)
{
	return enum_word(&enum_window_cause, v);
}

enum compaction_trigger {
	COMPACTION_TRIGGER_ABSENT,
	COMPACTION_TRIGGER_MANUAL,
	COMPACTION_TRIGGER_AUTO,
	COMPACTION_TRIGGER_MEMORY,
	COMPACTION_TRIGGER_BUDGET,
	COMPACTION_TRIGGER_REMOTE,
	COMPACTION_TRIGGER_SYSTEM,
	COMPACTION_TRIGGER_COUNT
};
extern const struct enum_desc enum_compaction_trigger;

static inline struct str compaction_trigger_word(enum compaction_trigger v)
{
	return enum_word(&enum_compaction_trigger, v);
}

enum transport {
	TRANSPORT_ABSENT,
	TRANSPORT_WEBSOCKET,
	TRANSPORT_SSE,
	TRANSPORT_JSON_RPC,
	TRANSPORT_GRPC,
	TRANSPORT_HTTP_JSON,
	TRANSPORT_STDIO,
	TRANSPORT_IN_PROCESS,
	TRANSPORT_CUSTOM,
	TRANSPORT_COUNT
};
extern const struct enum_desc enum_transport;

static inline struct str transport_word(enum transport v)
{
	return enum_word(&enum_transport, v);
}

enum peer_role {
	PEER_ROLE_ABSENT,
	PEER_ROLE_CLIENT,
	PEER_ROLE_HOST,
	PEER_ROLE_WORKER,
	PEER_ROLE_REMOTE_RUNTIME,
	PEER_ROLE_PEER_AGENT,
	PEER_ROLE_TOOL_SERVER,
	PEER_ROLE_COUNT
};
extern const struct enum_desc enum_peer_role;

static inline struct str peer_role_word(enum peer_role v)
{
	return enum_word(&enum_peer_role, v);
}

enum disconnect_cause {
	DISCONNECT_CAUSE_ABSENT,
	DISCONNECT_CAUSE_CLOSED,
	DISCONNECT_CAUSE_HEARTBEAT_MISSED,
	DISCONNECT_CAUSE_NETWORK,
	DISCONNECT_CAUSE_AUTH,
	DISCONNECT_CAUSE_SHUTDOWN,
	DISCONNECT_CAUSE_LAGGING,
	DISCONNECT_CAUSE_COUNT
};
extern const struct enum_desc enum_disconnect_cause;

static inline struct str disconnect_cause_word(enum disconnect_cause v)
{
	return enum_word(&enum_disconnect_cause, v);
}

enum delivery_mechanism {
	DELIVERY_MECHANISM_ABSENT,
	DELIVERY_MECHANISM_POLLING,
	DELIVERY_MECHANISM_STREAMING,
	DELIVERY_MECHANISM_SUBSCRIPTION,
	DELIVERY_MECHANISM_PUSH,
	DELIVERY_MECHANISM_CUSTOM,
	DELIVERY_MECHANISM_COUNT
};
extern const struct enum_desc enum_delivery_mechanism;

static inline struct str delivery_mechanism_word(enum delivery_mechanism v)
{
	return enum_word(&enum_delivery_mechanism, v);
}

enum subagent_status_kind {
	SUBAGENT_STATUS_KIND_ABSENT,
	SUBAGENT_STATUS_KIND_STATUS,
	SUBAGENT_STATUS_KIND_OUTPUT,
	SUBAGENT_STATUS_KIND_WORKTREE,
	SUBAGENT_STATUS_KIND_COUNT
};
extern const struct enum_desc enum_subagent_status_kind;

static inline struct str subagent_status_kind_word(enum subagent_status_kind v)
{
	return enum_word(&enum_subagent_status_kind, v);
}

enum continuity {
	CONTINUITY_ABSENT,
	CONTINUITY_NEW,
	CONTINUITY_THREAD,
	CONTINUITY_RESUMED,
	CONTINUITY_COUNT
};
extern const struct enum_desc enum_continuity;

static inline struct str continuity_word(enum continuity v)
{
	return enum_word(&enum_continuity, v);
}

enum isolation_prompt {
	ISOLATION_PROMPT_ABSENT,
	ISOLATION_PROMPT_OWN,
	ISOLATION_PROMPT_COUNT
};
extern const struct enum_desc enum_isolation_prompt;

static inline struct str isolation_prompt_word(enum isolation_prompt v)
{
	return enum_word(&enum_isolation_prompt, v);
}

enum isolation_workspace {
	ISOLATION_WORKSPACE_ABSENT,
	ISOLATION_WORKSPACE_SHARED,
	ISOLATION_WORKSPACE_WORKTREE,
	ISOLATION_WORKSPACE_COUNT
};
extern const struct enum_desc enum_isolation_workspace;

static inline struct str isolation_workspace_word(enum isolation_workspace v)
{
	return enum_word(&enum_isolation_workspace, v);
}

enum isolation_memory {
	ISOLATION_MEMORY_ABSENT,
	ISOLATION_MEMORY_NONE,
	ISOLATION_MEMORY_COUNT
};
extern const struct enum_desc enum_isolation_memory;

static inline struct str isolation_memory_word(enum isolation_memory v)
{
	return enum_word(&enum_isolation_memory, v);
}

enum worktree_state {
	WORKTREE_STATE_ABSENT,
	WORKTREE_STATE_MAKING,
	WORKTREE_STATE_READY,
	WORKTREE_STATE_FAILED,
	WORKTREE_STATE_KEPT,
	WORKTREE_STATE_DISCARDING,
	WORKTREE_STATE_REMOVED,
	WORKTREE_STATE_COUNT
};
extern const struct enum_desc enum_worktree_state;

static inline struct str worktree_state_word(enum worktree_state v)
{
	return enum_word(&enum_worktree_state, v);
}

enum model_policy {
	MODEL_POLICY_ABSENT,
	MODEL_POLICY_INHERIT,
	MODEL_POLICY_OVERRIDE,
	MODEL_POLICY_COUNT
};
extern const struct enum_desc enum_model_policy;

static inline struct str model_policy_word(enum model_policy v)
{
	return enum_word(&enum_model_policy, v);
}

enum trial_role {
	TRIAL_ROLE_ABSENT,
	TRIAL_ROLE_BASELINE,
	TRIAL_ROLE_CANDIDATE,
	TRIAL_ROLE_CONTROL,
	TRIAL_ROLE_COUNT
};
extern const struct enum_desc enum_trial_role;

static inline struct str trial_role_word(enum trial_role v)
{
	return enum_word(&enum_trial_role, v);
}

enum context_kind {
	CONTEXT_KIND_ABSENT,
	CONTEXT_KIND_INSTRUCTION,
	CONTEXT_KIND_MEMORY,
	CONTEXT_KIND_KNOWLEDGE,
	CONTEXT_KIND_SKILL,
	CONTEXT_KIND_FILE,
	CONTEXT_KIND_BROWSER,
	CONTEXT_KIND_COUNT
};
extern const struct enum_desc enum_context_kind;

static inline struct str context_kind_word(enum context_kind v)
{
	return enum_word(&enum_context_kind, v);
}

enum missing_reason {
	MISSING_REASON_ABSENT,
	MISSING_REASON_NOT_FOUND,
	MISSING_REASON_DENIED,
	MISSING_REASON_TOO_LARGE,
	MISSING_REASON_UNREADABLE,
	MISSING_REASON_EXPIRED,
	MISSING_REASON_OMITTED_BY_BUDGET,
	MISSING_REASON_COUNT
};
extern const struct enum_desc enum_missing_reason;

static inline struct str missing_reason_word(enum missing_reason v)
{
	return enum_word(&enum_missing_reason, v);
}

enum honesty {
	HONESTY_ABSENT,
	HONESTY_UNKNOWN,
	HONESTY_UNAVAILABLE,
	HONESTY_NOT_APPLICABLE,
	HONESTY_STALE,
	HONESTY_BLOCKED,
	HONESTY_LOST,
	HONESTY_COUNT
};
extern const struct enum_desc enum_honesty;

static inline struct str honesty_word(enum honesty v)
{
	return enum_word(&enum_honesty, v);
}

enum durability_mode {
	DURABILITY_MODE_ABSENT,
	DURABILITY_MODE_FULL,
	DURABILITY_MODE_RELAXED,
	DURABILITY_MODE_COUNT
};
extern const struct enum_desc enum_durability_mode;

static inline struct str durability_mode_word(enum durability_mode v)
{
	return enum_word(&enum_durability_mode, v);
}

enum resume_policy {
	RESUME_POLICY_ABSENT,
	RESUME_POLICY_ASK,
	RESUME_POLICY_AUTO,
	RESUME_POLICY_COUNT
};
extern const struct enum_desc enum_resume_policy;

static inline struct str resume_policy_word(enum resume_policy v)
{
	return enum_word(&enum_resume_policy, v);
}

enum no_candidate_policy {
	NO_CANDIDATE_POLICY_ABSENT,
	NO_CANDIDATE_POLICY_FAIL,
	NO_CANDIDATE_POLICY_WAIT,
	NO_CANDIDATE_POLICY_COUNT
};
extern const struct enum_desc enum_no_candidate_policy;

static inline struct str no_candidate_policy_word(enum no_candidate_policy v)
{
	return enum_word(&enum_no_candidate_policy, v);
}

enum log_verbosity {
	LOG_VERBOSITY_ABSENT,
	LOG_VERBOSITY_ERROR,
	LOG_VERBOSITY_WARN,
	LOG_VERBOSITY_INFO,
	LOG_VERBOSITY_DEBUG,
	LOG_VERBOSITY_COUNT
};
extern const struct enum_desc enum_log_verbosity;

static inline struct str log_verbosity_word(enum log_verbosity v)
{
	return enum_word(&enum_log_verbosity, v);
}

enum log_style {
	LOG_STYLE_ABSENT,
	LOG_STYLE_TEXT,
	LOG_STYLE_JSON,
	LOG_STYLE_COUNT
};
extern const struct enum_desc enum_log_style;

static inline struct str log_style_word(enum log_style v)
{
	return enum_word(&enum_log_style, v);
}

enum event_form {
	EVENT_FORM_ABSENT,
	EVENT_FORM_AGENT_UI,
	EVENT_FORM_AGENT_POLICY,
	EVENT_FORM_COUNT
};
extern const struct enum_desc enum_event_form;

static inline struct str event_form_word(enum event_form v)
{
	return enum_word(&enum_event_form, v);
}

enum policy_event {
	POLICY_EVENT_ABSENT,
	POLICY_EVENT_POLICY_DECISION_CREATED,
	POLICY_EVENT_POLICY_DECISION_UPDATED,
	POLICY_EVENT_POLICY_APPROVAL_REQUESTED,
	POLICY_EVENT_POLICY_APPROVAL_RESPONDED,
	POLICY_EVENT_POLICY_GRANT_ISSUED,
	POLICY_EVENT_POLICY_GRANT_REVOKED,
	POLICY_EVENT_POLICY_WAIVER_CREATED,
	POLICY_EVENT_POLICY_TRACE_LINKED,
	POLICY_EVENT_COUNT
};
extern const struct enum_desc enum_policy_event;

static inline struct str policy_event_word(enum policy_event v)
{
	return enum_word(&enum_policy_event, v);
}

enum ui_type {
	UI_TYPE_ABSENT,
	UI_TYPE_SESSION_OPENED,
	UI_TYPE_SESSION_HYDRATED,
	UI_TYPE_SESSION_UPDATED,
	UI_TYPE_SESSION_CLOSED,
	UI_TYPE_RUN_STARTED,
	UI_TYPE_RUN_STATUS,
	UI_TYPE_RUN_FINISHED,
	UI_TYPE_RUN_FAILED,
	UI_TYPE_PLAN_DELTA,
	UI_TYPE_PLAN_FINAL,
	UI_TYPE_TEXT_DELTA,
	UI_TYPE_TEXT_FINAL,
	UI_TYPE_REASONING_DELTA,
	UI_TYPE_REASONING_SUMMARY,
	UI_TYPE_TOOL_STARTED,
	UI_TYPE_TOOL_ARGS,
	UI_TYPE_TOOL_PROGRESS,
	UI_TYPE_TOOL_OUTPUT_DELTA,
	UI_TYPE_TOOL_RESULT,
	UI_TYPE_TOOL_FAILED,
	UI_TYPE_ACTION_REQUIRED,
	UI_TYPE_ACTION_RESOLVED,
	UI_TYPE_QUEUE_CHANGED,
	UI_TYPE_TASK_CHANGED,
	UI_TYPE_AGENT_CHANGED,
	UI_TYPE_CONTEXT_CHANGED,
	UI_TYPE_CONTEXT_COMPACTION_STARTED,
	UI_TYPE_CONTEXT_COMPACTION_COMPLETED,
	UI_TYPE_PERMISSION_CHANGED,
	UI_TYPE_ARTIFACT_CREATED,
	UI_TYPE_ARTIFACT_UPDATED,
	UI_TYPE_ARTIFACT_PREVIEW_READY,
	UI_TYPE_ARTIFACT_VERSION_CREATED,
	UI_TYPE_ARTIFACT_DIFF_READY,
	UI_TYPE_ARTIFACT_EXPORT_STARTED,
	UI_TYPE_ARTIFACT_EXPORT_COMPLETED,
	UI_TYPE_ARTIFACT_FAILED,
	UI_TYPE_ARTIFACT_DELETED,
	UI_TYPE_ARTIFACT_CHANGED,
	UI_TYPE_EVIDENCE_CHANGED,
	UI_TYPE_STATE_SNAPSHOT,
	UI_TYPE_STATE_DELTA,
	UI_TYPE_MESSAGES_SNAPSHOT,
	UI_TYPE_DIAGNOSTIC_CHANGED,
	UI_TYPE_METRIC_CHANGED,
	UI_TYPE_AGENT_SPAWNED,
	UI_TYPE_AGENT_COMPLETED,
	UI_TYPE_AGENT_HANDOFF,
	UI_TYPE_TEAM_CHANGED,
	UI_TYPE_WORKER_NOTIFICATION,
	UI_TYPE_REVIEW_REQUESTED,
	UI_TYPE_REVIEW_COMPLETED,
	UI_TYPE_COUNT
};
extern const struct enum_desc enum_ui_type;

static inline struct str ui_type_word(enum ui_type v)
{
	return enum_word(&enum_ui_type, v);
}

enum ui_owner {
	UI_OWNER_ABSENT,
	UI_OWNER_RUNTIME,
	UI_OWNER_MODEL,
	UI_OWNER_TOOL,
	UI_OWNER_ACTION,
	UI_OWNER_ARTIFACT,
	UI_OWNER_EVIDENCE,
	UI_OWNER_CONTEXT,
	UI_OWNER_POLICY,
	UI_OWNER_TASK,
	UI_OWNER_SESSION,
	UI_OWNER_DIAGNOSTICS,
	UI_OWNER_UI_PROJECTION,
	UI_OWNER_UNKNOWN,
	UI_OWNER_AGENT,
	UI_OWNER_TEAM,
	UI_OWNER_COUNT
};
extern const struct enum_desc enum_ui_owner;

static inline struct str ui_owner_word(enum ui_owner v)
{
	return enum_word(&enum_ui_owner, v);
}

enum ui_scope {
	UI_SCOPE_ABSENT,
	UI_SCOPE_APPLICATION,
	UI_SCOPE_WORKSPACE,
	UI_SCOPE_SESSION,
	UI_SCOPE_THREAD,
	UI_SCOPE_RUN,
	UI_SCOPE_TURN,
	UI_SCOPE_MESSAGE,
	UI_SCOPE_PART,
	UI_SCOPE_TASK,
	UI_SCOPE_AGENT,
	UI_SCOPE_TOOL_CALL,
	UI_SCOPE_ACTION_REQUEST,
	UI_SCOPE_ARTIFACT,
	UI_SCOPE_EVIDENCE,
	UI_SCOPE_UNKNOWN,
	UI_SCOPE_TEAM,
	UI_SCOPE_COUNT
};
extern const struct enum_desc enum_ui_scope;

static inline struct str ui_scope_word(enum ui_scope v)
{
	return enum_word(&enum_ui_scope, v);
}

enum ui_phase {
	UI_PHASE_ABSENT,
	UI_PHASE_DRAFT,
	UI_PHASE_SUBMITTED,
	UI_PHASE_ACCEPTED,
	UI_PHASE_ROUTING,
	UI_PHASE_PREPARING,
	UI_PHASE_PLANNING,
	UI_PHASE_REASONING,
	UI_PHASE_ACTING,
	UI_PHASE_WAITING,
	UI_PHASE_PRODUCING,
	UI_PHASE_RECONCILING,
	UI_PHASE_COMPLETED,
	UI_PHASE_FAILED,
	UI_PHASE_CANCELLED,
	UI_PHASE_INTERRUPTED,
	UI_PHASE_ARCHIVED,
	UI_PHASE_HYDRATING,
	UI_PHASE_UNKNOWN,
	UI_PHASE_REVIEWING,
	UI_PHASE_COUNT
};
extern const struct enum_desc enum_ui_phase;

static inline struct str ui_phase_word(enum ui_phase v)
{
	return enum_word(&enum_ui_phase, v);
}

enum ui_surface {
	UI_SURFACE_ABSENT,
	UI_SURFACE_COMPOSER,
	UI_SURFACE_CONVERSATION,
	UI_SURFACE_INLINE_PROCESS,
	UI_SURFACE_RUNTIME_STATUS,
	UI_SURFACE_TOOL_UI,
	UI_SURFACE_HITL,
	UI_SURFACE_TASK_CAPSULE,
	UI_SURFACE_ARTIFACT_WORKSPACE,
	UI_SURFACE_TIMELINE_EVIDENCE,
	UI_SURFACE_SESSION_TABS,
	UI_SURFACE_DIAGNOSTICS,
	UI_SURFACE_CUSTOM,
	UI_SURFACE_UNKNOWN,
	UI_SURFACE_TEAM_ROSTER,
	UI_SURFACE_WORK_BOARD,
	UI_SURFACE_DELEGATION_GRAPH,
	UI_SURFACE_HANDOFF_LANE,
	UI_SURFACE_WORKER_NOTIFICATIONS,
	UI_SURFACE_REVIEW_LANE,
	UI_SURFACE_TEAMMATE_TRANSCRIPT,
	UI_SURFACE_BACKGROUND_TEAMMATE,
	UI_SURFACE_REMOTE_TEAMMATE,
	UI_SURFACE_TEAM_POLICY,
	UI_SURFACE_COUNT
};
extern const struct enum_desc enum_ui_surface;

static inline struct str ui_surface_word(enum ui_surface v)
{
	return enum_word(&enum_ui_surface, v);
}

enum ui_persistence {
	UI_PERSISTENCE_ABSENT,
	UI_PERSISTENCE_EPHEMERAL_LIVE,
	UI_PERSISTENCE_TRANSCRIPT,
	UI_PERSISTENCE_SNAPSHOT,
	UI_PERSISTENCE_ARCHIVE,
	UI_PERSISTENCE_ARTIFACT_STORE,
	UI_PERSISTENCE_EVIDENCE_PACK,
	UI_PERSISTENCE_DIAGNOSTICS_LOG,
	UI_PERSISTENCE_UI_LOCAL,
	UI_PERSISTENCE_UNKNOWN,
	UI_PERSISTENCE_COUNT
};
extern const struct enum_desc enum_ui_persistence;

static inline struct str ui_persistence_word(enum ui_persistence v)
{
	return enum_word(&enum_ui_persistence, v);
}

enum ui_control {
	UI_CONTROL_ABSENT,
	UI_CONTROL_SEND,
	UI_CONTROL_QUEUE,
	UI_CONTROL_STEER,
	UI_CONTROL_INTERRUPT,
	UI_CONTROL_APPROVE,
	UI_CONTROL_REJECT,
	UI_CONTROL_ANSWER,
	UI_CONTROL_EDIT,
	UI_CONTROL_RETRY,
	UI_CONTROL_ROLLBACK,
	UI_CONTROL_EXPORT,
	UI_CONTROL_OPEN_DETAIL,
	UI_CONTROL_NONE,
	UI_CONTROL_UNKNOWN,
	UI_CONTROL_DELEGATE,
	UI_CONTROL_ASSIGN,
	UI_CONTROL_CONTINUE_AGENT,
	UI_CONTROL_WAIT,
	UI_CONTROL_STOP,
	UI_CONTROL_CLOSE,
	UI_CONTROL_REQUEST_REVIEW,
	UI_CONTROL_COUNT
};
extern const struct enum_desc enum_ui_control;

static inline struct str ui_control_word(enum ui_control v)
{
	return enum_word(&enum_ui_control, v);
}

enum ui_entity {
	UI_ENTITY_ABSENT,
	UI_ENTITY_AGENT_TURN,
	UI_ENTITY_SUBAGENT_TURN,
	UI_ENTITY_AUTOMATION_JOB,
	UI_ENTITY_EXTERNAL_TASK,
	UI_ENTITY_WORK_ITEM,
	UI_ENTITY_UNKNOWN,
	UI_ENTITY_COUNT
};
extern const struct enum_desc enum_ui_entity;

static inline struct str ui_entity_word(enum ui_entity v)
{
	return enum_word(&enum_ui_entity, v);
}

enum ui_status {
	UI_STATUS_ABSENT,
	UI_STATUS_IDLE,
	UI_STATUS_QUEUED,
	UI_STATUS_SUBMITTED,
	UI_STATUS_ACCEPTED,
	UI_STATUS_PREPARING,
	UI_STATUS_RUNNING,
	UI_STATUS_WAITING,
	UI_STATUS_NEEDS_INPUT,
	UI_STATUS_PLAN_READY,
	UI_STATUS_COMPLETED,
	UI_STATUS_FAILED,
	UI_STATUS_ABORTED,
	UI_STATUS_CANCELLED,
	UI_STATUS_CLOSED,
	UI_STATUS_NOT_FOUND,
	UI_STATUS_UNKNOWN,
	UI_STATUS_COUNT
};
extern const struct enum_desc enum_ui_status;

static inline struct str ui_status_word(enum ui_status v)
{
	return enum_word(&enum_ui_status, v);
}

enum ui_artifact_status {
	UI_ARTIFACT_STATUS_ABSENT,
	UI_ARTIFACT_STATUS_CREATING,
	UI_ARTIFACT_STATUS_READY,
	UI_ARTIFACT_STATUS_UPDATING,
	UI_ARTIFACT_STATUS_FAILED,
	UI_ARTIFACT_STATUS_STALE,
	UI_ARTIFACT_STATUS_SUPERSEDED,
	UI_ARTIFACT_STATUS_DELETED,
	UI_ARTIFACT_STATUS_UNKNOWN,
	UI_ARTIFACT_STATUS_COUNT
};
extern const struct enum_desc enum_ui_artifact_status;

static inline struct str ui_artifact_status_word(enum ui_artifact_status v)
{
	return enum_word(&enum_ui_artifact_status, v);
}

enum problem_category {
	PROBLEM_CATEGORY_ABSENT,
	PROBLEM_CATEGORY_REQUEST,
	PROBLEM_CATEGORY_AUTH,
	PROBLEM_CATEGORY_NOT_FOUND,
	PROBLEM_CATEGORY_CONFLICT,
	PROBLEM_CATEGORY_LIMIT,
	PROBLEM_CATEGORY_CAPACITY,
	PROBLEM_CATEGORY_STORE,
	PROBLEM_CATEGORY_INTERNAL,
	PROBLEM_CATEGORY_COUNT
};
extern const struct enum_desc enum_problem_category;

static inline struct str problem_category_word(enum problem_category v)
{
	return enum_word(&enum_problem_category, v);
}

enum turn_stage {
	TURN_STAGE_ABSENT,
	TURN_STAGE_ACCEPTED,
	TURN_STAGE_QUEUED,
	TURN_STAGE_PREPARING,
	TURN_STAGE_SAMPLING,
	TURN_STAGE_ACTING,
	TURN_STAGE_WAITING,
	TURN_STAGE_BACKING_OFF,
	TURN_STAGE_STOPPING,
	TURN_STAGE_LOST,
	TURN_STAGE_ENDED,
	TURN_STAGE_MERGING,
	TURN_STAGE_FINISHING,
	TURN_STAGE_FAILING,
	TURN_STAGE_COMPACTING,
	TURN_STAGE_COUNT
};
extern const struct enum_desc enum_turn_stage;

static inline struct str turn_stage_word(enum turn_stage v)
{
	return enum_word(&enum_turn_stage, v);
}

enum event_type {
	EV_ABSENT,
	EV_SESSION_CREATED,
	EV_SESSION_UPDATED,
	EV_THREAD_STARTED,
	EV_THREAD_UPDATED,
	EV_TURN_SUBMITTED,
	EV_TURN_STARTED,
	EV_TURN_COMPLETED,
	EV_TURN_FAILED,
	EV_TASK_CREATED,
	EV_TASK_ACCEPTED,
	EV_TASK_QUEUED,
	EV_TASK_STARTED,
	EV_TASK_UPDATED,
	EV_TASK_PROGRESS,
	EV_TASK_WAITING,
	EV_TASK_BLOCKED,
	EV_TASK_PAUSED,
	EV_TASK_RESUMED,
	EV_TASK_RETRYING,
	EV_TASK_CANCEL_REQUESTED,
	EV_TASK_CANCELLED,
	EV_TASK_TIMED_OUT,
	EV_TASK_FAILED,
	EV_TASK_LOST,
	EV_TASK_COMPLETED,
	EV_TASK_ARCHIVED,
	EV_RUN_STATUS,
	EV_MODEL_REQUESTED,
	EV_MODEL_DELTA,
	EV_MODEL_COMPLETED,
	EV_MODEL_FAILED,
	EV_REASONING_DELTA,
	EV_REASONING_SUMMARY,
	EV_TOOL_CATALOG_RESOLVED,
	EV_TOOL_STARTED,
	EV_TOOL_ARGS,
	EV_TOOL_PROGRESS,
	EV_TOOL_RESULT,
	EV_TOOL_FAILED,
	EV_ACTION_REQUIRED,
	EV_ACTION_RESOLVED,
	EV_QUEUE_CHANGED,
	EV_CONTEXT_RESOLVED,
	EV_CONTEXT_COMPACTION_STARTED,
	EV_CONTEXT_COMPACTION_COMPLETED,
	EV_CONTEXT_COMPACTION_FAILED,
	EV_ARTIFACT_CHANGED,
	EV_EVIDENCE_CHANGED,
	EV_SUBAGENT_SPAWNED,
	EV_SUBAGENT_STATUS,
	EV_SUBAGENT_INPUT,
	EV_SUBAGENT_COMPLETED,
	EV_SUBAGENT_FAILED,
	EV_SUBAGENT_CLOSED,
	EV_LIMIT_CHANGED,
	EV_SNAPSHOT_UPDATED,
	EV_RUNTIME_WARNING,
	EV_RUNTIME_ERROR,
	EV_PERMISSION_EVALUATED,
	EV_PERMISSION_REQUESTED,
	EV_PERMISSION_RESOLVED,
	EV_SANDBOX_APPLIED,
	EV_SANDBOX_VIOLATION,
	EV_HOOK_STARTED,
	EV_HOOK_COMPLETED,
	EV_HOOK_FAILED,
	EV_POLICY_CHANGED,
	EV_PROCESS_STARTED,
	EV_PROCESS_OUTPUT,
	EV_PROCESS_INPUT,
	EV_PROCESS_COMPLETED,
	EV_PROCESS_FAILED,
	EV_PROCESS_TERMINATED,
	EV_TASK_PROFILE_RESOLVED,
	EV_ROUTING_CANDIDATES_RESOLVED,
	EV_ROUTING_DECIDED,
	EV_ROUTING_FALLBACK_APPLIED,
	EV_ROUTING_NOT_POSSIBLE,
	EV_ROUTING_SINGLE_CANDIDATE,
	EV_TASK_DELEGATED,
	EV_TASK_DEPENDENCY_UPDATED,
	EV_TASK_ATTEMPT_STARTED,
	EV_TASK_ATTEMPT_COMPLETED,
	EV_TASK_ATTEMPT_FAILED,
	EV_COST_ESTIMATED,
	EV_COST_RECORDED,
	EV_RATE_LIMIT_HIT,
	EV_QUOTA_LOW,
	EV_QUOTA_BLOCKED,
	EV_CHANNEL_CONNECTED,
	EV_CHANNEL_DISCONNECTED,
	EV_CHANNEL_RESUMED,
	EV_CHANNEL_MESSAGE,
	EV_CHANNEL_PERMISSION_FORWARDED,
	EV_CHANNEL_PERMISSION_RETURNED,
	EV_JOB_CREATED,
	EV_JOB_STARTED,
	EV_JOB_PROGRESS,
	EV_JOB_ITEM_STARTED,
	EV_JOB_ITEM_COMPLETED,
	EV_JOB_ITEM_FAILED,
	EV_JOB_COMPLETED,
	EV_JOB_FAILED,
	EV_JOB_CANCELLED,
	EV_OUTPUT_SPILLED,
	EV_OUTPUT_TRUNCATED,
	EV_OUTPUT_REDACTED,
	EV_OUTPUT_EXPIRED,
	EV_HISTORY_WINDOW_LOADED,
	EV_HISTORY_RECONSTRUCTED,
	EV_HISTORY_ROLLBACK_STARTED,
	EV_HISTORY_ROLLBACK_COMPLETED,
	EV_SNAPSHOT_REPAIRED,
	EV_BENCHMARK_DATASET_RESOLVED,
	EV_BENCHMARK_CONFIGURATION_RESOLVED,
	EV_BENCHMARK_TRIAL_STARTED,
	EV_BENCHMARK_TRIAL_COMPLETED,
	EV_BENCHMARK_TRIAL_FAILED,
	EV_BENCHMARK_REWARD_RECORDED,
	EV_BENCHMARK_COMPARISON_COMPLETED,
	EV_COUNT
};
extern const struct enum_desc enum_event_type;

enum error_code {
	ERROR_CODE_ABSENT,
	ERROR_CODE_INVALID_REQUEST,
	ERROR_CODE_INVALID_JSON,
	ERROR_CODE_UNKNOWN_FIELD,
	ERROR_CODE_MISSING_FIELD,
	ERROR_CODE_INVALID_TYPE,
	ERROR_CODE_INVALID_VALUE,
	ERROR_CODE_INVALID_ID,
	ERROR_CODE_RESERVED_ID,
	ERROR_CODE_TOO_LARGE,
	ERROR_CODE_INVALID_DECISION,
	ERROR_CODE_INVALID_ANSWER,
	ERROR_CODE_INVALID_INPUT,
	ERROR_CODE_UNKNOWN_COMMAND,
	ERROR_CODE_UNAVAILABLE,
	ERROR_CODE_UNAUTHORIZED,
	ERROR_CODE_FORBIDDEN,
	ERROR_CODE_HOST_NOT_ALLOWED,
	ERROR_CODE_ORIGIN_NOT_ALLOWED,
	ERROR_CODE_METHOD_NOT_ALLOWED,
	ERROR_CODE_NOT_ACCEPTABLE,
	ERROR_CODE_PAYLOAD_TOO_LARGE,
	ERROR_CODE_UNSUPPORTED_MEDIA_TYPE,
	ERROR_CODE_HEADER_TOO_LARGE,
	ERROR_CODE_NOT_FOUND,
	ERROR_CODE_SESSION_NOT_FOUND,
	ERROR_CODE_THREAD_NOT_FOUND,
	ERROR_CODE_TURN_NOT_FOUND,
	ERROR_CODE_QUEUED_TURN_NOT_FOUND,
	ERROR_CODE_TASK_NOT_FOUND,
	ERROR_CODE_ACTION_NOT_FOUND,
	ERROR_CODE_GRANT_NOT_FOUND,
	ERROR_CODE_TOOL_SERVER_NOT_FOUND,
	ERROR_CODE_OUTPUT_NOT_FOUND,
	ERROR_CODE_PROCESS_NOT_FOUND,
	ERROR_CODE_SUBAGENT_NOT_FOUND,
	ERROR_CODE_JOB_NOT_FOUND,
	ERROR_CODE_JOB_ITEM_NOT_FOUND,
	ERROR_CODE_SCHEDULE_NOT_FOUND,
	ERROR_CODE_CHANNEL_NOT_FOUND,
	ERROR_CODE_SUBSCRIPTION_NOT_FOUND,
	ERROR_CODE_TRIAL_NOT_FOUND,
	ERROR_CODE_EDGE_NOT_FOUND,
	ERROR_CODE_IDEMPOTENCY_CONFLICT,
	ERROR_CODE_ID_CONFLICT,
	ERROR_CODE_ALREADY_RESOLVED,
	ERROR_CODE_ALREADY_ENDED,
	ERROR_CODE_NOT_RETRYABLE,
	ERROR_CODE_NOT_RESUMABLE,
	ERROR_CODE_NOT_INTERRUPTIBLE,
	ERROR_CODE_NOT_READY,
	ERROR_CODE_ACCEPTANCE_UNMET,
	ERROR_CODE_THREAD_BUSY,
	ERROR_CODE_TURN_ACTIVE,
	ERROR_CODE_TURN_MISMATCH,
	ERROR_CODE_COMPACTION_ACTIVE,
	ERROR_CODE_NOTHING_TO_DO,
	ERROR_CODE_VERSION_MISMATCH,
	ERROR_CODE_STALE_RUN,
	ERROR_CODE_CYCLE,
	ERROR_CODE_CROSS_SESSION_LINK,
	ERROR_CODE_CANCELLING,
	ERROR_CODE_STDIN_CLOSED,
	ERROR_CODE_TRIAL_MISMATCH,
	ERROR_CODE_EXPIRED_CURSOR,
	ERROR_CODE_OUTPUT_MISSING,
	ERROR_CODE_EXPIRED,
	ERROR_CODE_RANGE_NOT_SATISFIABLE,
	ERROR_CODE_QUEUE_FULL,
	ERROR_CODE_TOO_MANY_OPEN,
	ERROR_CODE_RATE_LIMITED,
	ERROR_CODE_BUDGET_EXHAUSTED,
	ERROR_CODE_OVERLOADED,
	ERROR_CODE_SHUTTING_DOWN,
	ERROR_CODE_SESSION_MOVED,
	ERROR_CODE_TIMEOUT,
	ERROR_CODE_STORE_FAILED,
	ERROR_CODE_SESSION_UNREADABLE,
	ERROR_CODE_REBUILDING,
	ERROR_CODE_STORAGE_FULL,
	ERROR_CODE_INTERNAL,
	ERROR_CODE_COUNT
};
extern const struct enum_desc enum_error_code;

static inline struct str error_code_word(enum error_code v)
{
	return enum_word(&enum_error_code, v);
}

enum gate_kind {
	GATE_KIND_ABSENT,
	GATE_KIND_SESSION,
	GATE_KIND_THREAD,
	GATE_KIND_TURN,
	GATE_KIND_TASK,
	GATE_KIND_RUN,
	GATE_KIND_STEP,
	GATE_KIND_TOOL,
	GATE_KIND_PERMIT,
	GATE_KIND_CAGE,
	GATE_KIND_PROCESS,
	GATE_KIND_MREQ,
	GATE_KIND_HOOK,
	GATE_KIND_ACTION,
	GATE_KIND_QUEUE,
	GATE_KIND_OUTPUT,
	GATE_KIND_CHANNEL,
	GATE_KIND_SUBAGENT,
	GATE_KIND_JOB,
	GATE_KIND_ITEM,
	GATE_KIND_COMPACTION,
	GATE_KIND_ROLLBACK,
	GATE_KIND_TRIAL,
	GATE_KIND_COUNT
};
extern const struct enum_desc enum_gate_kind;

static inline struct str gate_kind_word(enum gate_kind v)
{
	return enum_word(&enum_gate_kind, v);
}

enum scope {
	SCOPE_ABSENT,
	SCOPE_READ,
	SCOPE_WRITE,
	SCOPE_APPROVE,
	SCOPE_ADMIN,
	SCOPE_COUNT
};
extern const struct enum_desc enum_scope;

static inline struct str scope_word(enum scope v)
{
	return enum_word(&enum_scope, v);
}

/* What a problem says besides its code. */
struct error_info {
	struct str code, category, title;
	int http, jsonrpc;
	bool retryable;
};
extern const struct error_info error_infos[];


#endif

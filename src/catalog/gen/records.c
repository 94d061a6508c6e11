/* Written by scripts/catalog.py from catalog/; do not edit. */

#include "catalog/gen/records.h"

#define STRC(s) { s, sizeof(s) - 1 }

static const struct field rec_item_fields[] = {
	{ .name = STRC("itemId"), .alias = STRC("item_id"), .type = FIELD_ID, .offset = offsetof(struct rec_item, item_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_item, kind), .required = true, .words = &enum_item_kind },
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct rec_item, index), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_item, status), .required = true, .words = &enum_status },
};
const struct rec_desc rec_item_desc = { "item", rec_item_fields, 4, sizeof(struct rec_item) };


static const struct field rec_command_fact_fields[] = {
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct rec_command_fact, name), .required = true },
	{ .name = STRC("principal"), .alias = STRC("principal"), .type = FIELD_STR, .offset = offsetof(struct rec_command_fact, principal), .required = true },
	{ .name = STRC("bodyHash"), .alias = STRC("body_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_command_fact, body_hash), .required = true },
	{ .name = STRC("keyHash"), .alias = STRC("key_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_command_fact, key_hash) },
};
const struct rec_desc rec_command_fact_desc = { "command_fact", rec_command_fact_fields, 4, sizeof(struct rec_command_fact) };


static const struct field rec_device_fields[] = {
	{ .name = STRC("deviceId"), .alias = STRC("device_id"), .type = FIELD_ID, .offset = offsetof(struct rec_device, device_id), .required = true },
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct rec_device, name), .required = true },
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct rec_device, host), .required = true },
	{ .name = STRC("scopes"), .alias = STRC("scopes"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_device, scopes), .required = true },
	{ .name = STRC("pairedAt"), .alias = STRC("paired_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_device, paired_at), .required = true },
	{ .name = STRC("lastSeenAt"), .alias = STRC("last_seen_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_device, last_seen_at), .required = true },
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct rec_device, channel_id) },
};
const struct rec_desc rec_device_desc = { "device", rec_device_fields, 7, sizeof(struct rec_device) };


static const struct field rec_actor_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_actor, kind), .required = true, .words = &enum_actor_kind },
	{ .name = STRC("via"), .alias = STRC("via"), .type = FIELD_STR, .offset = offsetof(struct rec_actor, via) },
	{ .name = STRC("principal"), .alias = STRC("principal"), .type = FIELD_STR, .offset = offsetof(struct rec_actor, principal) },
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct rec_actor, runtime_id) },
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct rec_actor, channel_id) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_STR, .offset = offsetof(struct rec_actor, command) },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_STR, .offset = offsetof(struct rec_actor, policy) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_actor, ref) },
};
const struct rec_desc rec_actor_desc = { "actor", rec_actor_fields, 8, sizeof(struct rec_actor) };


static const struct field rec_ref_entry_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_ref_entry, kind) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_ref_entry, ref), .required = true },
	{ .name = STRC("offset"), .alias = STRC("offset"), .type = FIELD_INT, .offset = offsetof(struct rec_ref_entry, offset), .has_offset = offsetof(struct rec_ref_entry, has_offset) },
};
const struct rec_desc rec_ref_entry_desc = { "ref_entry", rec_ref_entry_fields, 3, sizeof(struct rec_ref_entry) };


static const struct field rec_last_error_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct rec_last_error, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct rec_last_error, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct rec_last_error, retryable), .has_offset = offsetof(struct rec_last_error, has_retryable) },
	{ .name = STRC("modelRequestId"), .alias = STRC("model_request_id"), .type = FIELD_ID, .offset = offsetof(struct rec_last_error, model_request_id) },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct rec_last_error, remedy) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_last_error, tool_call_id) },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct rec_last_error, exit_code), .has_offset = offsetof(struct rec_last_error, has_exit_code) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_last_error, ref) },
};
const struct rec_desc rec_last_error_desc = { "last_error", rec_last_error_fields, 8, sizeof(struct rec_last_error) };


static const struct field rec_retry_policy_fields[] = {
	{ .name = STRC("maxAttempts"), .alias = STRC("max_attempts"), .type = FIELD_INT, .offset = offsetof(struct rec_retry_policy, max_attempts), .required = true },
	{ .name = STRC("backoff"), .alias = STRC("backoff"), .type = FIELD_ENUM, .offset = offsetof(struct rec_retry_policy, backoff), .required = true, .words = &enum_backoff },
	{ .name = STRC("nonRetryable"), .alias = STRC("non_retryable"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_retry_policy, non_retryable), .required = true },
	{ .name = STRC("backoffMs"), .alias = STRC("backoff_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_retry_policy, backoff_ms), .has_offset = offsetof(struct rec_retry_policy, has_backoff_ms) },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_retry_policy, timeout_ms), .has_offset = offsetof(struct rec_retry_policy, has_timeout_ms) },
};
const struct rec_desc rec_retry_policy_desc = { "retry_policy", rec_retry_policy_fields, 5, sizeof(struct rec_retry_policy) };


static const struct field rec_criterion_fields[] = {
	{ .name = STRC("id"), .alias = STRC("id"), .type = FIELD_STR, .offset = offsetof(struct rec_criterion, id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_criterion, kind), .required = true },
	{ .name = STRC("description"), .alias = STRC("description"), .type = FIELD_STR, .offset = offsetof(struct rec_criterion, description) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_criterion, ref) },
};
const struct rec_desc rec_criterion_desc = { "criterion", rec_criterion_fields, 4, sizeof(struct rec_criterion) };


static const struct field rec_acceptance_count_fields[] = {
	{ .name = STRC("covered"), .alias = STRC("covered"), .type = FIELD_INT, .offset = offsetof(struct rec_acceptance_count, covered), .required = true },
	{ .name = STRC("total"), .alias = STRC("total"), .type = FIELD_INT, .offset = offsetof(struct rec_acceptance_count, total), .required = true },
};
const struct rec_desc rec_acceptance_count_desc = { "acceptance_count", rec_acceptance_count_fields, 2, sizeof(struct rec_acceptance_count) };


static const struct field rec_task_acceptance_fields[] = {
	{ .name = STRC("criteria"), .alias = STRC("criteria"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_acceptance, criteria), .required = true, .rec = &rec_criterion_desc },
	{ .name = STRC("covered"), .alias = STRC("covered"), .type = FIELD_INT, .offset = offsetof(struct rec_task_acceptance, covered), .required = true },
};
const struct rec_desc rec_task_acceptance_desc = { "task_acceptance", rec_task_acceptance_fields, 2, sizeof(struct rec_task_acceptance) };


static const struct field rec_constraints_fields[] = {
	{ .name = STRC("tools"), .alias = STRC("tools"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_constraints, tools) },
	{ .name = STRC("permissionMode"), .alias = STRC("permission_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_constraints, permission_mode), .words = &enum_permission_mode },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_constraints, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("networkMode"), .alias = STRC("network_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_constraints, network_mode), .words = &enum_network_mode },
	{ .name = STRC("models"), .alias = STRC("models"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_constraints, models) },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_constraints, cost_usd), .has_offset = offsetof(struct rec_constraints, has_cost_usd) },
	{ .name = STRC("timeMs"), .alias = STRC("time_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_constraints, time_ms), .has_offset = offsetof(struct rec_constraints, has_time_ms) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_constraints, output_bytes), .has_offset = offsetof(struct rec_constraints, has_output_bytes) },
	{ .name = STRC("inactivityMs"), .alias = STRC("inactivity_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_constraints, inactivity_ms), .has_offset = offsetof(struct rec_constraints, has_inactivity_ms) },
};
const struct rec_desc rec_constraints_desc = { "constraints", rec_constraints_fields, 9, sizeof(struct rec_constraints) };


static const struct field rec_counters_fields[] = {
	{ .name = STRC("toolCalls"), .alias = STRC("tool_calls"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, tool_calls), .has_offset = offsetof(struct rec_counters, has_tool_calls) },
	{ .name = STRC("modelRequests"), .alias = STRC("model_requests"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, model_requests), .has_offset = offsetof(struct rec_counters, has_model_requests) },
	{ .name = STRC("items"), .alias = STRC("items"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, items), .has_offset = offsetof(struct rec_counters, has_items) },
	{ .name = STRC("childTasks"), .alias = STRC("child_tasks"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, child_tasks), .has_offset = offsetof(struct rec_counters, has_child_tasks) },
	{ .name = STRC("jobItems"), .alias = STRC("job_items"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, job_items), .has_offset = offsetof(struct rec_counters, has_job_items) },
	{ .name = STRC("tests"), .alias = STRC("tests"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, tests), .has_offset = offsetof(struct rec_counters, has_tests) },
	{ .name = STRC("files"), .alias = STRC("files"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, files), .has_offset = offsetof(struct rec_counters, has_files) },
	{ .name = STRC("acceptanceCovered"), .alias = STRC("acceptance_covered"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, acceptance_covered), .has_offset = offsetof(struct rec_counters, has_acceptance_covered) },
	{ .name = STRC("acceptanceTotal"), .alias = STRC("acceptance_total"), .type = FIELD_INT, .offset = offsetof(struct rec_counters, acceptance_total), .has_offset = offsetof(struct rec_counters, has_acceptance_total) },
};
const struct rec_desc rec_counters_desc = { "counters", rec_counters_fields, 9, sizeof(struct rec_counters) };


static const struct field rec_task_progress_fields[] = {
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_progress, phase), .words = &enum_phase },
	{ .name = STRC("percent"), .alias = STRC("percent"), .type = FIELD_INT, .offset = offsetof(struct rec_task_progress, percent), .has_offset = offsetof(struct rec_task_progress, has_percent) },
	{ .name = STRC("currentStepId"), .alias = STRC("current_step_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_progress, current_step_id) },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct rec_task_progress, summary) },
	{ .name = STRC("counters"), .alias = STRC("counters"), .type = FIELD_REC, .offset = offsetof(struct rec_task_progress, counters), .rec = &rec_counters_desc },
	{ .name = STRC("toolCalls"), .alias = STRC("tool_calls"), .type = FIELD_INT, .offset = offsetof(struct rec_task_progress, tool_calls), .has_offset = offsetof(struct rec_task_progress, has_tool_calls) },
	{ .name = STRC("modelRequests"), .alias = STRC("model_requests"), .type = FIELD_INT, .offset = offsetof(struct rec_task_progress, model_requests), .has_offset = offsetof(struct rec_task_progress, has_model_requests) },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_progress, output_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_REC, .offset = offsetof(struct rec_task_progress, acceptance), .rec = &rec_acceptance_count_desc },
	{ .name = STRC("validation"), .alias = STRC("validation"), .type = FIELD_STR, .offset = offsetof(struct rec_task_progress, validation) },
};
const struct rec_desc rec_task_progress_desc = { "task_progress", rec_task_progress_fields, 10, sizeof(struct rec_task_progress) };


static const struct field rec_artifact_ref_fields[] = {
	{ .name = STRC("artifactId"), .alias = STRC("artifact_id"), .type = FIELD_ID, .offset = offsetof(struct rec_artifact_ref, artifact_id), .required = true },
	{ .name = STRC("versionId"), .alias = STRC("version_id"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_ref, version_id) },
};
const struct rec_desc rec_artifact_ref_desc = { "artifact_ref", rec_artifact_ref_fields, 2, sizeof(struct rec_artifact_ref) };


static const struct field rec_task_scope_fields[] = {
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct rec_task_scope, workspace_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_scope, thread_id) },
	{ .name = STRC("accountRef"), .alias = STRC("account_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_task_scope, account_ref) },
	{ .name = STRC("environmentId"), .alias = STRC("environment_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_scope, environment_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_task_scope, cwd) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_task_scope, ref) },
};
const struct rec_desc rec_task_scope_desc = { "task_scope", rec_task_scope_fields, 6, sizeof(struct rec_task_scope) };


static const struct field rec_remote_task_fields[] = {
	{ .name = STRC("nativeProtocol"), .alias = STRC("native_protocol"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, native_protocol), .required = true },
	{ .name = STRC("remoteTaskId"), .alias = STRC("remote_task_id"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, remote_task_id), .required = true },
	{ .name = STRC("remoteContextId"), .alias = STRC("remote_context_id"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, remote_context_id) },
	{ .name = STRC("remoteAgentRef"), .alias = STRC("remote_agent_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, remote_agent_ref) },
	{ .name = STRC("agentCardRef"), .alias = STRC("agent_card_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, agent_card_ref) },
	{ .name = STRC("deliveryMechanism"), .alias = STRC("delivery_mechanism"), .type = FIELD_ENUM, .offset = offsetof(struct rec_remote_task, delivery_mechanism), .words = &enum_delivery_mechanism },
	{ .name = STRC("remoteStatus"), .alias = STRC("remote_status"), .type = FIELD_STR, .offset = offsetof(struct rec_remote_task, remote_status) },
	{ .name = STRC("remoteArtifactRefs"), .alias = STRC("remote_artifact_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_remote_task, remote_artifact_refs) },
};
const struct rec_desc rec_remote_task_desc = { "remote_task", rec_remote_task_fields, 8, sizeof(struct rec_remote_task) };


static const struct field rec_delivery_fields[] = {
	{ .name = STRC("deliveryId"), .alias = STRC("delivery_id"), .type = FIELD_ID, .offset = offsetof(struct rec_delivery, delivery_id), .required = true },
	{ .name = STRC("to"), .alias = STRC("to"), .type = FIELD_STR, .offset = offsetof(struct rec_delivery, to), .required = true },
	{ .name = STRC("subject"), .alias = STRC("subject"), .type = FIELD_ENUM, .offset = offsetof(struct rec_delivery, subject), .required = true, .words = &enum_delivery_subject },
	{ .name = STRC("subjectId"), .alias = STRC("subject_id"), .type = FIELD_ID, .offset = offsetof(struct rec_delivery, subject_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_delivery, status), .words = &enum_status },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_delivery, ended_at) },
	{ .name = STRC("askedAt"), .alias = STRC("asked_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_delivery, asked_at) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_delivery, expires_at) },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct rec_delivery, summary) },
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_delivery, state), .required = true, .words = &enum_delivery_status },
	{ .name = STRC("attempts"), .alias = STRC("attempts"), .type = FIELD_INT, .offset = offsetof(struct rec_delivery, attempts), .required = true },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_delivery, next_at) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_delivery, reason) },
};
const struct rec_desc rec_delivery_desc = { "delivery", rec_delivery_fields, 13, sizeof(struct rec_delivery) };


static const struct field rec_log_anchor_fields[] = {
	{ .name = STRC("treeSize"), .alias = STRC("tree_size"), .type = FIELD_INT, .offset = offsetof(struct rec_log_anchor, tree_size), .required = true },
	{ .name = STRC("rootHash"), .alias = STRC("root_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_log_anchor, root_hash), .required = true },
	{ .name = STRC("leavesRef"), .alias = STRC("leaves_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_log_anchor, leaves_ref), .required = true },
};
const struct rec_desc rec_log_anchor_desc = { "log_anchor", rec_log_anchor_fields, 3, sizeof(struct rec_log_anchor) };


static const struct field rec_runtime_run_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_runtime_run, state), .required = true, .words = &enum_runtime_state },
	{ .name = STRC("version"), .alias = STRC("version"), .type = FIELD_STR, .offset = offsetof(struct rec_runtime_run, version), .required = true },
	{ .name = STRC("previousEnd"), .alias = STRC("previous_end"), .type = FIELD_ENUM, .offset = offsetof(struct rec_runtime_run, previous_end), .words = &enum_runtime_end },
	{ .name = STRC("recovered"), .alias = STRC("recovered"), .type = FIELD_INT, .offset = offsetof(struct rec_runtime_run, recovered), .has_offset = offsetof(struct rec_runtime_run, has_recovered) },
};
const struct rec_desc rec_runtime_run_desc = { "runtime_run", rec_runtime_run_fields, 4, sizeof(struct rec_runtime_run) };


static const struct field rec_delivery_state_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_delivery_state, state), .required = true, .words = &enum_delivery_status },
	{ .name = STRC("to"), .alias = STRC("to"), .type = FIELD_STR, .offset = offsetof(struct rec_delivery_state, to) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_delivery_state, reason) },
};
const struct rec_desc rec_delivery_state_desc = { "delivery_state", rec_delivery_state_fields, 3, sizeof(struct rec_delivery_state) };


static const struct field rec_worker_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_worker, kind), .required = true, .words = &enum_worker_kind },
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct rec_worker, runtime_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_worker, thread_id) },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct rec_worker, worker_id) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_worker, ref) },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct rec_worker, lease_until) },
};
const struct rec_desc rec_worker_desc = { "worker", rec_worker_fields, 6, sizeof(struct rec_worker) };


static const struct field rec_task_attempt_fields[] = {
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_attempt, run_id), .required = true },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_attempt, attempt_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_attempt, status), .required = true, .words = &enum_attempt_status },
	{ .name = STRC("nativeStatus"), .alias = STRC("native_status"), .type = FIELD_STR, .offset = offsetof(struct rec_task_attempt, native_status) },
	{ .name = STRC("attemptCount"), .alias = STRC("attempt_count"), .type = FIELD_INT, .offset = offsetof(struct rec_task_attempt, attempt_count), .required = true },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct rec_task_attempt, worker), .rec = &rec_worker_desc },
	{ .name = STRC("inputRefs"), .alias = STRC("input_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_attempt, input_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_attempt, started_at) },
	{ .name = STRC("retryPolicy"), .alias = STRC("retry_policy"), .type = FIELD_REC, .offset = offsetof(struct rec_task_attempt, retry_policy), .rec = &rec_retry_policy_desc },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_attempt, ended_at) },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_attempt, output_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("checkpointRefs"), .alias = STRC("checkpoint_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_attempt, checkpoint_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("lastError"), .alias = STRC("last_error"), .type = FIELD_REC, .offset = offsetof(struct rec_task_attempt, last_error), .rec = &rec_last_error_desc },
	{ .name = STRC("completionSummary"), .alias = STRC("completion_summary"), .type = FIELD_STR, .offset = offsetof(struct rec_task_attempt, completion_summary) },
};
const struct rec_desc rec_task_attempt_desc = { "task_attempt", rec_task_attempt_fields, 14, sizeof(struct rec_task_attempt) };


static const struct field rec_task_relationship_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_relationship, kind), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("sourceId"), .alias = STRC("source_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_relationship, source_id) },
	{ .name = STRC("targetId"), .alias = STRC("target_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_relationship, target_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_relationship, status), .words = &enum_edge_status },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_relationship, created_at) },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_relationship, updated_at) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_task_relationship, reason) },
};
const struct rec_desc rec_task_relationship_desc = { "task_relationship", rec_task_relationship_fields, 7, sizeof(struct rec_task_relationship) };


static const struct field rec_task_graph_fields[] = {
	{ .name = STRC("rootTaskId"), .alias = STRC("root_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task_graph, root_task_id) },
	{ .name = STRC("edges"), .alias = STRC("edges"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task_graph, edges), .required = true, .rec = &rec_task_relationship_desc },
};
const struct rec_desc rec_task_graph_desc = { "task_graph", rec_task_graph_fields, 2, sizeof(struct rec_task_graph) };


static const struct field rec_task_profile_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_task_profile, kind), .required = true },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct rec_task_profile, source), .required = true },
	{ .name = STRC("requiredCapabilities"), .alias = STRC("required_capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_task_profile, required_capabilities), .required = true },
	{ .name = STRC("latencyTarget"), .alias = STRC("latency_target"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_profile, latency_target), .required = true, .words = &enum_latency_target },
	{ .name = STRC("budgetClass"), .alias = STRC("budget_class"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_profile, budget_class), .required = true, .words = &enum_budget_class },
	{ .name = STRC("fallbackPolicy"), .alias = STRC("fallback_policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_profile, fallback_policy), .required = true, .words = &enum_fallback_policy },
	{ .name = STRC("settingsSource"), .alias = STRC("settings_source"), .type = FIELD_STR, .offset = offsetof(struct rec_task_profile, settings_source), .required = true },
	{ .name = STRC("continuity"), .alias = STRC("continuity"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task_profile, continuity), .words = &enum_continuity },
};
const struct rec_desc rec_task_profile_desc = { "task_profile", rec_task_profile_fields, 8, sizeof(struct rec_task_profile) };


static const struct field rec_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, task_id), .required = true },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, parent_task_id) },
	{ .name = STRC("rootTaskId"), .alias = STRC("root_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, root_task_id) },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, turn_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct rec_task, title) },
	{ .name = STRC("objective"), .alias = STRC("objective"), .type = FIELD_STR, .offset = offsetof(struct rec_task, objective) },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct rec_task, task_kind) },
	{ .name = STRC("taskFamily"), .alias = STRC("task_family"), .type = FIELD_STR, .offset = offsetof(struct rec_task, task_family) },
	{ .name = STRC("visibility"), .alias = STRC("visibility"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task, visibility), .words = &enum_visibility },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_task, status), .words = &enum_task_status },
	{ .name = STRC("nativeStatus"), .alias = STRC("native_status"), .type = FIELD_STR, .offset = offsetof(struct rec_task, native_status) },
	{ .name = STRC("priority"), .alias = STRC("priority"), .type = FIELD_STR, .offset = offsetof(struct rec_task, priority) },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct rec_task, requested_by), .rec = &rec_actor_desc },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_REC, .offset = offsetof(struct rec_task, owner), .rec = &rec_actor_desc },
	{ .name = STRC("assignee"), .alias = STRC("assignee"), .type = FIELD_REC, .offset = offsetof(struct rec_task, assignee), .rec = &rec_actor_desc },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_REC, .offset = offsetof(struct rec_task, scope), .rec = &rec_task_scope_desc },
	{ .name = STRC("constraints"), .alias = STRC("constraints"), .type = FIELD_REC, .offset = offsetof(struct rec_task, constraints), .rec = &rec_constraints_desc },
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task, acceptance), .rec = &rec_criterion_desc },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task, created_at) },
	{ .name = STRC("currentRunId"), .alias = STRC("current_run_id"), .type = FIELD_ID, .offset = offsetof(struct rec_task, current_run_id) },
	{ .name = STRC("taskProfile"), .alias = STRC("task_profile"), .type = FIELD_REC, .offset = offsetof(struct rec_task, task_profile), .rec = &rec_task_profile_desc },
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct rec_task, progress), .rec = &rec_task_progress_desc },
	{ .name = STRC("attempts"), .alias = STRC("attempts"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task, attempts), .rec = &rec_task_attempt_desc },
	{ .name = STRC("relationships"), .alias = STRC("relationships"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task, relationships), .rec = &rec_task_relationship_desc },
	{ .name = STRC("remoteTask"), .alias = STRC("remote_task"), .type = FIELD_REC, .offset = offsetof(struct rec_task, remote_task), .rec = &rec_remote_task_desc },
	{ .name = STRC("artifacts"), .alias = STRC("artifacts"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_task, artifacts), .rec = &rec_artifact_ref_desc },
	{ .name = STRC("evidenceRefs"), .alias = STRC("evidence_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_task, evidence_refs) },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct rec_task, delivery_state), .rec = &rec_delivery_state_desc },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task, started_at) },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task, updated_at) },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_task, status_reason) },
	{ .name = STRC("lastError"), .alias = STRC("last_error"), .type = FIELD_REC, .offset = offsetof(struct rec_task, last_error), .rec = &rec_last_error_desc },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_task, ended_at) },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct rec_task, wait), .rec = &rec_wait_desc },
	{ .name = STRC("version"), .alias = STRC("version"), .type = FIELD_INT, .offset = offsetof(struct rec_task, version), .has_offset = offsetof(struct rec_task, has_version) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct rec_task, metadata), .max = 4096 },
};
const struct rec_desc rec_task_desc = { "task", rec_task_fields, 38, sizeof(struct rec_task) };


static const struct field rec_task_why_fields[] = {
	{ .name = STRC("waitingFor"), .alias = STRC("waiting_for"), .type = FIELD_STR, .offset = offsetof(struct rec_task_why, waiting_for), .required = true },
	{ .name = STRC("since"), .alias = STRC("since"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_why, since) },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_task_why, until) },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_task_why, ended_by), .required = true },
	{ .name = STRC("detail"), .alias = STRC("detail"), .type = FIELD_STR, .offset = offsetof(struct rec_task_why, detail), .required = true },
};
const struct rec_desc rec_task_why_desc = { "task_why", rec_task_why_fields, 5, sizeof(struct rec_task_why) };


static const struct field rec_blocker_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_blocker, kind), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_blocker, task_id) },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct rec_blocker, action_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_blocker, status), .words = &enum_status },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_blocker, ref) },
};
const struct rec_desc rec_blocker_desc = { "blocker", rec_blocker_fields, 5, sizeof(struct rec_blocker) };


static const struct field rec_resume_cause_fields[] = {
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct rec_resume_cause, action_id) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_STR, .offset = offsetof(struct rec_resume_cause, command) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_resume_cause, task_id) },
	{ .name = STRC("timer"), .alias = STRC("timer"), .type = FIELD_STR, .offset = offsetof(struct rec_resume_cause, timer) },
};
const struct rec_desc rec_resume_cause_desc = { "resume_cause", rec_resume_cause_fields, 4, sizeof(struct rec_resume_cause) };


static const struct field rec_reconciled_fields[] = {
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_ENUM, .offset = offsetof(struct rec_reconciled, acceptance), .required = true, .words = &enum_reconcile_status },
	{ .name = STRC("artifacts"), .alias = STRC("artifacts"), .type = FIELD_ENUM, .offset = offsetof(struct rec_reconciled, artifacts), .required = true, .words = &enum_reconcile_status },
	{ .name = STRC("evidence"), .alias = STRC("evidence"), .type = FIELD_ENUM, .offset = offsetof(struct rec_reconciled, evidence), .required = true, .words = &enum_reconcile_status },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct rec_reconciled, delivery), .required = true, .words = &enum_reconcile_status },
};
const struct rec_desc rec_reconciled_desc = { "reconciled", rec_reconciled_fields, 4, sizeof(struct rec_reconciled) };


static const struct field rec_wait_fields[] = {
	{ .name = STRC("for"), .alias = STRC("for"), .type = FIELD_ENUM, .offset = offsetof(struct rec_wait, for_), .required = true, .words = &enum_wait_for },
	{ .name = STRC("since"), .alias = STRC("since"), .type = FIELD_TIME, .offset = offsetof(struct rec_wait, since), .required = true },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_wait, until) },
	{ .name = STRC("deadline"), .alias = STRC("deadline"), .type = FIELD_STR, .offset = offsetof(struct rec_wait, deadline) },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_wait, ended_by), .required = true },
	{ .name = STRC("overdueAt"), .alias = STRC("overdue_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_wait, overdue_at) },
	{ .name = STRC("resumeToken"), .alias = STRC("resume_token"), .type = FIELD_STR, .offset = offsetof(struct rec_wait, resume_token) },
};
const struct rec_desc rec_wait_desc = { "wait", rec_wait_fields, 7, sizeof(struct rec_wait) };


static const struct field rec_thing_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_thing, kind), .required = true },
	{ .name = STRC("id"), .alias = STRC("id"), .type = FIELD_ID, .offset = offsetof(struct rec_thing, id), .required = true },
};
const struct rec_desc rec_thing_desc = { "thing", rec_thing_fields, 2, sizeof(struct rec_thing) };


static const struct field rec_impact_fields[] = {
	{ .name = STRC("paths"), .alias = STRC("paths"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_impact, paths) },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_impact, hosts) },
	{ .name = STRC("effect"), .alias = STRC("effect"), .type = FIELD_STR, .offset = offsetof(struct rec_impact, effect), .required = true },
};
const struct rec_desc rec_impact_desc = { "impact", rec_impact_fields, 3, sizeof(struct rec_impact) };


static const struct field rec_subcommand_fields[] = {
	{ .name = STRC("argv"), .alias = STRC("argv"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_subcommand, argv), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_subcommand, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct rec_subcommand, destructive), .required = true },
	{ .name = STRC("ruleRef"), .alias = STRC("rule_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_subcommand, rule_ref) },
};
const struct rec_desc rec_subcommand_desc = { "subcommand", rec_subcommand_fields, 4, sizeof(struct rec_subcommand) };


static const struct field rec_path_check_fields[] = {
	{ .name = STRC("inside"), .alias = STRC("inside"), .type = FIELD_BOOL, .offset = offsetof(struct rec_path_check, inside), .required = true },
	{ .name = STRC("resolved"), .alias = STRC("resolved"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_path_check, resolved), .required = true },
};
const struct rec_desc rec_path_check_desc = { "path_check", rec_path_check_fields, 2, sizeof(struct rec_path_check) };


static const struct field rec_policy_record_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_policy_record, kind), .required = true, .words = &enum_policy_record_kind },
	{ .name = STRC("recordId"), .alias = STRC("record_id"), .type = FIELD_STR, .offset = offsetof(struct rec_policy_record, record_id), .required = true },
	{ .name = STRC("decisionId"), .alias = STRC("decision_id"), .type = FIELD_STR, .offset = offsetof(struct rec_policy_record, decision_id) },
	{ .name = STRC("result"), .alias = STRC("result"), .type = FIELD_ENUM, .offset = offsetof(struct rec_policy_record, result), .required = true, .words = &enum_policy_result },
	{ .name = STRC("policySetId"), .alias = STRC("policy_set_id"), .type = FIELD_STR, .offset = offsetof(struct rec_policy_record, policy_set_id) },
	{ .name = STRC("policyVersion"), .alias = STRC("policy_version"), .type = FIELD_STR, .offset = offsetof(struct rec_policy_record, policy_version) },
	{ .name = STRC("reasonCodes"), .alias = STRC("reason_codes"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_policy_record, reason_codes), .required = true },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_JSON, .offset = offsetof(struct rec_policy_record, scope) },
	{ .name = STRC("obligations"), .alias = STRC("obligations"), .type = FIELD_JSON, .offset = offsetof(struct rec_policy_record, obligations) },
	{ .name = STRC("by"), .alias = STRC("by"), .type = FIELD_JSON, .offset = offsetof(struct rec_policy_record, by) },
	{ .name = STRC("justification"), .alias = STRC("justification"), .type = FIELD_STR, .offset = offsetof(struct rec_policy_record, justification) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_policy_record, expires_at) },
	{ .name = STRC("recordRef"), .alias = STRC("record_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_policy_record, record_ref) },
};
const struct rec_desc rec_policy_record_desc = { "policy_record", rec_policy_record_fields, 13, sizeof(struct rec_policy_record) };


static const struct field rec_permission_decision_fields[] = {
	{ .name = STRC("decisionId"), .alias = STRC("decision_id"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_decision, decision_id) },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_decision, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_decision, decision_source), .required = true, .words = &enum_decision_source },
	{ .name = STRC("decisionReason"), .alias = STRC("decision_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_permission_decision, decision_reason), .required = true },
	{ .name = STRC("ruleRefs"), .alias = STRC("rule_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_permission_decision, rule_refs), .required = true },
	{ .name = STRC("approvalActionId"), .alias = STRC("approval_action_id"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_decision, approval_action_id) },
	{ .name = STRC("updatedInputRef"), .alias = STRC("updated_input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_decision, updated_input_ref) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_decision, scope), .required = true, .words = &enum_grant_scope },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_permission_decision, expires_at) },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_decision, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct rec_permission_decision, destructive), .required = true },
	{ .name = STRC("impact"), .alias = STRC("impact"), .type = FIELD_REC, .offset = offsetof(struct rec_permission_decision, impact), .rec = &rec_impact_desc },
	{ .name = STRC("rollbackAdvice"), .alias = STRC("rollback_advice"), .type = FIELD_STR, .offset = offsetof(struct rec_permission_decision, rollback_advice) },
	{ .name = STRC("subcommands"), .alias = STRC("subcommands"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_permission_decision, subcommands), .rec = &rec_subcommand_desc },
	{ .name = STRC("subcommandsOmitted"), .alias = STRC("subcommands_omitted"), .type = FIELD_INT, .offset = offsetof(struct rec_permission_decision, subcommands_omitted), .has_offset = offsetof(struct rec_permission_decision, has_subcommands_omitted) },
	{ .name = STRC("pathCheck"), .alias = STRC("path_check"), .type = FIELD_REC, .offset = offsetof(struct rec_permission_decision, path_check), .rec = &rec_path_check_desc },
	{ .name = STRC("networkDecision"), .alias = STRC("network_decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_decision, network_decision), .words = &enum_network_mode },
	{ .name = STRC("policyRecords"), .alias = STRC("policy_records"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_permission_decision, policy_records), .rec = &rec_policy_record_desc },
};
const struct rec_desc rec_permission_decision_desc = { "permission_decision", rec_permission_decision_fields, 18, sizeof(struct rec_permission_decision) };


static const struct field rec_decision_option_fields[] = {
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_decision_option, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("scopes"), .alias = STRC("scopes"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_decision_option, scopes) },
	{ .name = STRC("mayEditInput"), .alias = STRC("may_edit_input"), .type = FIELD_BOOL, .offset = offsetof(struct rec_decision_option, may_edit_input), .has_offset = offsetof(struct rec_decision_option, has_may_edit_input) },
	{ .name = STRC("mayGiveReason"), .alias = STRC("may_give_reason"), .type = FIELD_BOOL, .offset = offsetof(struct rec_decision_option, may_give_reason), .has_offset = offsetof(struct rec_decision_option, has_may_give_reason) },
};
const struct rec_desc rec_decision_option_desc = { "decision_option", rec_decision_option_fields, 4, sizeof(struct rec_decision_option) };


static const struct field rec_action_scope_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_scope, turn_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_action_scope, cwd) },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct rec_action_scope, path) },
	{ .name = STRC("paths"), .alias = STRC("paths"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_action_scope, paths) },
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct rec_action_scope, host) },
};
const struct rec_desc rec_action_scope_desc = { "action_scope", rec_action_scope_fields, 5, sizeof(struct rec_action_scope) };


static const struct field rec_action_policy_fields[] = {
	{ .name = STRC("decisionId"), .alias = STRC("decision_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_policy, decision_id) },
	{ .name = STRC("ruleRefs"), .alias = STRC("rule_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_action_policy, rule_refs), .required = true },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct rec_action_policy, destructive), .required = true },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_policy, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("policyRecords"), .alias = STRC("policy_records"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_action_policy, policy_records), .rec = &rec_policy_record_desc },
};
const struct rec_desc rec_action_policy_desc = { "action_policy", rec_action_policy_fields, 5, sizeof(struct rec_action_policy) };


static const struct field rec_grant_match_fields[] = {
	{ .name = STRC("tool"), .alias = STRC("tool"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, tool) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_grant_match, command) },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, path) },
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, host) },
	{ .name = STRC("definition"), .alias = STRC("definition"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, definition) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, cwd) },
	{ .name = STRC("script"), .alias = STRC("script"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, script) },
	{ .name = STRC("scriptReal"), .alias = STRC("script_real"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, script_real) },
	{ .name = STRC("scriptHash"), .alias = STRC("script_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_grant_match, script_hash) },
};
const struct rec_desc rec_grant_match_desc = { "grant_match", rec_grant_match_fields, 9, sizeof(struct rec_grant_match) };


static const struct field rec_network_profile_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_network_profile, mode), .required = true, .words = &enum_network_mode },
	{ .name = STRC("allow"), .alias = STRC("allow"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_network_profile, allow) },
	{ .name = STRC("loopback"), .alias = STRC("loopback"), .type = FIELD_BOOL, .offset = offsetof(struct rec_network_profile, loopback), .has_offset = offsetof(struct rec_network_profile, has_loopback) },
};
const struct rec_desc rec_network_profile_desc = { "network_profile", rec_network_profile_fields, 3, sizeof(struct rec_network_profile) };


static const struct field rec_reached_host_fields[] = {
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct rec_reached_host, host), .required = true },
	{ .name = STRC("port"), .alias = STRC("port"), .type = FIELD_INT, .offset = offsetof(struct rec_reached_host, port), .has_offset = offsetof(struct rec_reached_host, has_port) },
	{ .name = STRC("count"), .alias = STRC("count"), .type = FIELD_INT, .offset = offsetof(struct rec_reached_host, count), .required = true },
};
const struct rec_desc rec_reached_host_desc = { "reached_host", rec_reached_host_fields, 3, sizeof(struct rec_reached_host) };


static const struct field rec_process_limits_fields[] = {
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, timeout_ms), .required = true },
	{ .name = STRC("inactivityMs"), .alias = STRC("inactivity_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, inactivity_ms), .required = true },
	{ .name = STRC("maxOutputBytes"), .alias = STRC("max_output_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, max_output_bytes), .required = true },
	{ .name = STRC("maxProcesses"), .alias = STRC("max_processes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, max_processes), .required = true },
	{ .name = STRC("maxMemoryBytes"), .alias = STRC("max_memory_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, max_memory_bytes), .has_offset = offsetof(struct rec_process_limits, has_max_memory_bytes) },
	{ .name = STRC("maxFileBytes"), .alias = STRC("max_file_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, max_file_bytes), .has_offset = offsetof(struct rec_process_limits, has_max_file_bytes) },
	{ .name = STRC("privateBytes"), .alias = STRC("private_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_limits, private_bytes), .has_offset = offsetof(struct rec_process_limits, has_private_bytes) },
	{ .name = STRC("tty"), .alias = STRC("tty"), .type = FIELD_BOOL, .offset = offsetof(struct rec_process_limits, tty), .required = true },
	{ .name = STRC("stdin"), .alias = STRC("stdin"), .type = FIELD_ENUM, .offset = offsetof(struct rec_process_limits, stdin), .required = true, .words = &enum_stdin_policy },
};
const struct rec_desc rec_process_limits_desc = { "process_limits", rec_process_limits_fields, 9, sizeof(struct rec_process_limits) };


static const struct field rec_sandbox_override_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_override, mode), .words = &enum_sandbox_mode },
	{ .name = STRC("network"), .alias = STRC("network"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_override, network), .words = &enum_network_mode },
	{ .name = STRC("unixSockets"), .alias = STRC("unix_sockets"), .type = FIELD_BOOL, .offset = offsetof(struct rec_sandbox_override, unix_sockets), .has_offset = offsetof(struct rec_sandbox_override, has_unix_sockets) },
	{ .name = STRC("readRoots"), .alias = STRC("read_roots"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_override, read_roots) },
	{ .name = STRC("writeRoots"), .alias = STRC("write_roots"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_override, write_roots) },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_override, hosts) },
	{ .name = STRC("readFiles"), .alias = STRC("read_files"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_override, read_files) },
	{ .name = STRC("writeFiles"), .alias = STRC("write_files"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_override, write_files) },
	{ .name = STRC("atMost"), .alias = STRC("at_most"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_override, at_most), .words = &enum_sandbox_mode },
	{ .name = STRC("networkAtMost"), .alias = STRC("network_at_most"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_override, network_at_most), .words = &enum_network_mode },
	{ .name = STRC("outputAtMost"), .alias = STRC("output_at_most"), .type = FIELD_INT, .offset = offsetof(struct rec_sandbox_override, output_at_most), .has_offset = offsetof(struct rec_sandbox_override, has_output_at_most) },
};
const struct rec_desc rec_sandbox_override_desc = { "sandbox_override", rec_sandbox_override_fields, 11, sizeof(struct rec_sandbox_override) };


static const struct field rec_sandbox_profile_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_profile, mode), .required = true, .words = &enum_sandbox_mode },
	{ .name = STRC("tier"), .alias = STRC("tier"), .type = FIELD_STR, .offset = offsetof(struct rec_sandbox_profile, tier), .required = true },
	{ .name = STRC("requestedMode"), .alias = STRC("requested_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_profile, requested_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("enforcement"), .alias = STRC("enforcement"), .type = FIELD_ENUM, .offset = offsetof(struct rec_sandbox_profile, enforcement), .words = &enum_enforcement },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_sandbox_profile, cwd) },
	{ .name = STRC("readRoots"), .alias = STRC("read_roots"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, read_roots) },
	{ .name = STRC("writeRoots"), .alias = STRC("write_roots"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, write_roots) },
	{ .name = STRC("protectedPaths"), .alias = STRC("protected_paths"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, protected_paths) },
	{ .name = STRC("deniedPaths"), .alias = STRC("denied_paths"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, denied_paths) },
	{ .name = STRC("unreported"), .alias = STRC("unreported"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, unreported) },
	{ .name = STRC("network"), .alias = STRC("network"), .type = FIELD_REC, .offset = offsetof(struct rec_sandbox_profile, network), .rec = &rec_network_profile_desc },
	{ .name = STRC("environmentRef"), .alias = STRC("environment_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_sandbox_profile, environment_ref) },
	{ .name = STRC("processLimits"), .alias = STRC("process_limits"), .type = FIELD_REC, .offset = offsetof(struct rec_sandbox_profile, process_limits), .rec = &rec_process_limits_desc },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_profile, violation_refs) },
};
const struct rec_desc rec_sandbox_profile_desc = { "sandbox_profile", rec_sandbox_profile_fields, 14, sizeof(struct rec_sandbox_profile) };


static const struct field rec_resource_limits_fields[] = {
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_resource_limits, timeout_ms), .required = true },
	{ .name = STRC("inactivityMs"), .alias = STRC("inactivity_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_resource_limits, inactivity_ms), .required = true },
	{ .name = STRC("maxOutputBytes"), .alias = STRC("max_output_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_resource_limits, max_output_bytes), .required = true },
	{ .name = STRC("maxProcesses"), .alias = STRC("max_processes"), .type = FIELD_INT, .offset = offsetof(struct rec_resource_limits, max_processes), .required = true },
	{ .name = STRC("maxParallelTools"), .alias = STRC("max_parallel_tools"), .type = FIELD_INT, .offset = offsetof(struct rec_resource_limits, max_parallel_tools), .required = true },
};
const struct rec_desc rec_resource_limits_desc = { "resource_limits", rec_resource_limits_fields, 5, sizeof(struct rec_resource_limits) };


static const struct field rec_execution_environment_fields[] = {
	{ .name = STRC("environmentId"), .alias = STRC("environment_id"), .type = FIELD_ID, .offset = offsetof(struct rec_execution_environment, environment_id), .required = true },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, workspace_id), .required = true },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, cwd), .required = true },
	{ .name = STRC("additionalRoots"), .alias = STRC("additional_roots"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_execution_environment, additional_roots), .required = true },
	{ .name = STRC("shell"), .alias = STRC("shell"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, shell), .required = true },
	{ .name = STRC("os"), .alias = STRC("os"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, os), .required = true },
	{ .name = STRC("arch"), .alias = STRC("arch"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, arch), .required = true },
	{ .name = STRC("networkProfile"), .alias = STRC("network_profile"), .type = FIELD_REC, .offset = offsetof(struct rec_execution_environment, network_profile), .required = true, .rec = &rec_network_profile_desc },
	{ .name = STRC("resourceLimits"), .alias = STRC("resource_limits"), .type = FIELD_REC, .offset = offsetof(struct rec_execution_environment, resource_limits), .required = true, .rec = &rec_resource_limits_desc },
	{ .name = STRC("envRef"), .alias = STRC("env_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_execution_environment, env_ref), .required = true },
	{ .name = STRC("sandboxProfile"), .alias = STRC("sandbox_profile"), .type = FIELD_REC, .offset = offsetof(struct rec_execution_environment, sandbox_profile), .required = true, .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("overrideReason"), .alias = STRC("override_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_execution_environment, override_reason) },
};
const struct rec_desc rec_execution_environment_desc = { "execution_environment", rec_execution_environment_fields, 12, sizeof(struct rec_execution_environment) };


static const struct field rec_price_fields[] = {
	{ .name = STRC("currency"), .alias = STRC("currency"), .type = FIELD_STR, .offset = offsetof(struct rec_price, currency), .required = true },
	{ .name = STRC("inputPerMTok"), .alias = STRC("input_per_mtok"), .type = FIELD_USD, .offset = offsetof(struct rec_price, input_per_mtok), .required = true },
	{ .name = STRC("cachedInputPerMTok"), .alias = STRC("cached_input_per_mtok"), .type = FIELD_USD, .offset = offsetof(struct rec_price, cached_input_per_mtok), .has_offset = offsetof(struct rec_price, has_cached_input_per_mtok) },
	{ .name = STRC("cacheWritePerMTok"), .alias = STRC("cache_write_per_mtok"), .type = FIELD_USD, .offset = offsetof(struct rec_price, cache_write_per_mtok), .has_offset = offsetof(struct rec_price, has_cache_write_per_mtok) },
	{ .name = STRC("outputPerMTok"), .alias = STRC("output_per_mtok"), .type = FIELD_USD, .offset = offsetof(struct rec_price, output_per_mtok), .required = true },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_price, source), .required = true, .words = &enum_price_source },
	{ .name = STRC("effectiveFrom"), .alias = STRC("effective_from"), .type = FIELD_STR, .offset = offsetof(struct rec_price, effective_from) },
};
const struct rec_desc rec_price_desc = { "price", rec_price_fields, 7, sizeof(struct rec_price) };


static const struct field rec_candidate_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_candidate, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_candidate, model), .required = true },
	{ .name = STRC("capabilities"), .alias = STRC("capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_candidate, capabilities), .required = true },
	{ .name = STRC("costClass"), .alias = STRC("cost_class"), .type = FIELD_ENUM, .offset = offsetof(struct rec_candidate, cost_class), .required = true, .words = &enum_cost_class },
	{ .name = STRC("price"), .alias = STRC("price"), .type = FIELD_REC, .offset = offsetof(struct rec_candidate, price), .rec = &rec_price_desc },
	{ .name = STRC("priceState"), .alias = STRC("price_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_candidate, price_state), .words = &enum_honesty },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_candidate, limit_state), .required = true, .words = &enum_limit_status },
};
const struct rec_desc rec_candidate_desc = { "candidate", rec_candidate_fields, 7, sizeof(struct rec_candidate) };


static const struct field rec_exclusion_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_exclusion, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_exclusion, model), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_ENUM, .offset = offsetof(struct rec_exclusion, reason), .required = true, .words = &enum_exclusion_reason },
	{ .name = STRC("detail"), .alias = STRC("detail"), .type = FIELD_STR, .offset = offsetof(struct rec_exclusion, detail) },
	{ .name = STRC("constraint"), .alias = STRC("constraint"), .type = FIELD_ENUM, .offset = offsetof(struct rec_exclusion, constraint), .required = true, .words = &enum_constraint_strength },
};
const struct rec_desc rec_exclusion_desc = { "exclusion", rec_exclusion_fields, 5, sizeof(struct rec_exclusion) };


static const struct field rec_gaps_fields[] = {
	{ .name = STRC("credential"), .alias = STRC("credential"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_gaps, credential), .required = true },
	{ .name = STRC("quota"), .alias = STRC("quota"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_gaps, quota), .required = true },
	{ .name = STRC("network"), .alias = STRC("network"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_gaps, network), .required = true },
};
const struct rec_desc rec_gaps_desc = { "gaps", rec_gaps_fields, 3, sizeof(struct rec_gaps) };


static const struct field rec_candidate_model_set_fields[] = {
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct rec_candidate_model_set, candidate_count), .required = true },
	{ .name = STRC("singleCandidate"), .alias = STRC("single_candidate"), .type = FIELD_BOOL, .offset = offsetof(struct rec_candidate_model_set, single_candidate), .required = true },
	{ .name = STRC("candidates"), .alias = STRC("candidates"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_candidate_model_set, candidates), .required = true, .rec = &rec_candidate_desc },
	{ .name = STRC("excluded"), .alias = STRC("excluded"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_candidate_model_set, excluded), .required = true, .rec = &rec_exclusion_desc },
	{ .name = STRC("hardConstraints"), .alias = STRC("hard_constraints"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_candidate_model_set, hard_constraints), .required = true },
	{ .name = STRC("preferences"), .alias = STRC("preferences"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_candidate_model_set, preferences), .required = true },
	{ .name = STRC("gaps"), .alias = STRC("gaps"), .type = FIELD_REC, .offset = offsetof(struct rec_candidate_model_set, gaps), .required = true, .rec = &rec_gaps_desc },
};
const struct rec_desc rec_candidate_model_set_desc = { "candidate_model_set", rec_candidate_model_set_fields, 7, sizeof(struct rec_candidate_model_set) };


static const struct field rec_chain_entry_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_chain_entry, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_chain_entry, model), .required = true },
	{ .name = STRC("tried"), .alias = STRC("tried"), .type = FIELD_BOOL, .offset = offsetof(struct rec_chain_entry, tried), .required = true },
	{ .name = STRC("outcome"), .alias = STRC("outcome"), .type = FIELD_ENUM, .offset = offsetof(struct rec_chain_entry, outcome), .words = &enum_error_category },
};
const struct rec_desc rec_chain_entry_desc = { "chain_entry", rec_chain_entry_fields, 4, sizeof(struct rec_chain_entry) };


static const struct field rec_limit_part_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_part, state), .required = true, .words = &enum_limit_status },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_limit_part, provider) },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_limit_part, until) },
	{ .name = STRC("used"), .alias = STRC("used"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_part, used), .has_offset = offsetof(struct rec_limit_part, has_used) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_part, limit), .has_offset = offsetof(struct rec_limit_part, has_limit) },
};
const struct rec_desc rec_limit_part_desc = { "limit_part", rec_limit_part_fields, 5, sizeof(struct rec_limit_part) };


static const struct field rec_budget_fields[] = {
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct rec_budget, scope), .required = true, .words = &enum_limit_scope },
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_budget, cap_usd), .required = true },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_budget, spent_usd), .required = true },
	{ .name = STRC("reservedUsd"), .alias = STRC("reserved_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_budget, reserved_usd), .required = true },
};
const struct rec_desc rec_budget_desc = { "budget", rec_budget_fields, 4, sizeof(struct rec_budget) };


static const struct field rec_limit_state_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_state, state), .required = true, .words = &enum_limit_status },
	{ .name = STRC("hostAccess"), .alias = STRC("host_access"), .type = FIELD_STR, .offset = offsetof(struct rec_limit_state, host_access) },
	{ .name = STRC("rate"), .alias = STRC("rate"), .type = FIELD_REC, .offset = offsetof(struct rec_limit_state, rate), .required = true, .rec = &rec_limit_part_desc },
	{ .name = STRC("quota"), .alias = STRC("quota"), .type = FIELD_REC, .offset = offsetof(struct rec_limit_state, quota), .required = true, .rec = &rec_limit_part_desc },
	{ .name = STRC("parallel"), .alias = STRC("parallel"), .type = FIELD_REC, .offset = offsetof(struct rec_limit_state, parallel), .required = true, .rec = &rec_limit_part_desc },
	{ .name = STRC("budgets"), .alias = STRC("budgets"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_limit_state, budgets), .required = true, .rec = &rec_budget_desc },
};
const struct rec_desc rec_limit_state_desc = { "limit_state", rec_limit_state_fields, 6, sizeof(struct rec_limit_state) };


static const struct field rec_routing_decision_fields[] = {
	{ .name = STRC("routingMode"), .alias = STRC("routing_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_routing_decision, routing_mode), .required = true, .words = &enum_routing_mode },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_routing_decision, decision_source), .required = true, .words = &enum_routing_source },
	{ .name = STRC("decisionReason"), .alias = STRC("decision_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, decision_reason), .required = true },
	{ .name = STRC("selectedProvider"), .alias = STRC("selected_provider"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, selected_provider) },
	{ .name = STRC("selectedModel"), .alias = STRC("selected_model"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, selected_model) },
	{ .name = STRC("requestedProvider"), .alias = STRC("requested_provider"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, requested_provider) },
	{ .name = STRC("requestedModel"), .alias = STRC("requested_model"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, requested_model) },
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct rec_routing_decision, candidate_count), .required = true },
	{ .name = STRC("fallbackChain"), .alias = STRC("fallback_chain"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_routing_decision, fallback_chain), .required = true, .rec = &rec_chain_entry_desc },
	{ .name = STRC("capabilityGap"), .alias = STRC("capability_gap"), .type = FIELD_STR, .offset = offsetof(struct rec_routing_decision, capability_gap), .required = true },
	{ .name = STRC("requiresUserOverride"), .alias = STRC("requires_user_override"), .type = FIELD_BOOL, .offset = offsetof(struct rec_routing_decision, requires_user_override), .required = true },
	{ .name = STRC("limitStateSnapshot"), .alias = STRC("limit_state_snapshot"), .type = FIELD_REC, .offset = offsetof(struct rec_routing_decision, limit_state_snapshot), .required = true, .rec = &rec_limit_state_desc },
};
const struct rec_desc rec_routing_decision_desc = { "routing_decision", rec_routing_decision_fields, 12, sizeof(struct rec_routing_decision) };


static const struct field rec_limit_event_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_event, kind), .required = true, .words = &enum_limit_event_kind },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_limit_event, provider) },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_limit_event, model) },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_event, source), .required = true, .words = &enum_limit_source },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_event, scope), .words = &enum_limit_scope },
	{ .name = STRC("retryAfterMs"), .alias = STRC("retry_after_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_event, retry_after_ms), .has_offset = offsetof(struct rec_limit_event, has_retry_after_ms) },
	{ .name = STRC("resetAt"), .alias = STRC("reset_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_limit_event, reset_at) },
	{ .name = STRC("used"), .alias = STRC("used"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_event, used), .has_offset = offsetof(struct rec_limit_event, has_used) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_event, limit), .has_offset = offsetof(struct rec_limit_event, has_limit) },
};
const struct rec_desc rec_limit_event_desc = { "limit_event", rec_limit_event_fields, 9, sizeof(struct rec_limit_event) };


static const struct field rec_limit_value_fields[] = {
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_limit_value, cap_usd), .has_offset = offsetof(struct rec_limit_value, has_cap_usd) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct rec_limit_value, limit), .has_offset = offsetof(struct rec_limit_value, has_limit) },
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_limit_value, state), .words = &enum_limit_status },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_limit_value, until) },
};
const struct rec_desc rec_limit_value_desc = { "limit_value", rec_limit_value_fields, 4, sizeof(struct rec_limit_value) };


static const struct field rec_tokens_fields[] = {
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_tokens, input_tokens), .required = true },
	{ .name = STRC("cachedInputTokens"), .alias = STRC("cached_input_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_tokens, cached_input_tokens), .required = true },
	{ .name = STRC("cacheWriteTokens"), .alias = STRC("cache_write_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_tokens, cache_write_tokens), .has_offset = offsetof(struct rec_tokens, has_cache_write_tokens) },
	{ .name = STRC("outputTokens"), .alias = STRC("output_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_tokens, output_tokens), .required = true },
	{ .name = STRC("reasoningTokens"), .alias = STRC("reasoning_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_tokens, reasoning_tokens), .required = true },
};
const struct rec_desc rec_tokens_desc = { "tokens", rec_tokens_fields, 5, sizeof(struct rec_tokens) };


static const struct field rec_usage_fields[] = {
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_usage, input_tokens), .required = true },
	{ .name = STRC("cachedInputTokens"), .alias = STRC("cached_input_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_usage, cached_input_tokens), .required = true },
	{ .name = STRC("cacheWriteTokens"), .alias = STRC("cache_write_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_usage, cache_write_tokens), .has_offset = offsetof(struct rec_usage, has_cache_write_tokens) },
	{ .name = STRC("outputTokens"), .alias = STRC("output_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_usage, output_tokens), .required = true },
	{ .name = STRC("reasoningTokens"), .alias = STRC("reasoning_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_usage, reasoning_tokens), .required = true },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_usage, source), .required = true, .words = &enum_usage_source },
};
const struct rec_desc rec_usage_desc = { "usage", rec_usage_fields, 6, sizeof(struct rec_usage) };


static const struct field rec_cost_state_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_cost_state, state), .required = true, .words = &enum_cost_status },
	{ .name = STRC("currency"), .alias = STRC("currency"), .type = FIELD_STR, .offset = offsetof(struct rec_cost_state, currency) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_cost_state, reason) },
	{ .name = STRC("estimatedUsd"), .alias = STRC("estimated_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_cost_state, estimated_usd), .has_offset = offsetof(struct rec_cost_state, has_estimated_usd) },
	{ .name = STRC("recordedUsd"), .alias = STRC("recorded_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_cost_state, recorded_usd), .required = true },
	{ .name = STRC("reservedUsd"), .alias = STRC("reserved_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_cost_state, reserved_usd), .has_offset = offsetof(struct rec_cost_state, has_reserved_usd) },
	{ .name = STRC("tokens"), .alias = STRC("tokens"), .type = FIELD_REC, .offset = offsetof(struct rec_cost_state, tokens), .rec = &rec_tokens_desc },
	{ .name = STRC("tokensState"), .alias = STRC("tokens_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_cost_state, tokens_state), .words = &enum_honesty },
	{ .name = STRC("price"), .alias = STRC("price"), .type = FIELD_REC, .offset = offsetof(struct rec_cost_state, price), .rec = &rec_price_desc },
};
const struct rec_desc rec_cost_state_desc = { "cost_state", rec_cost_state_fields, 9, sizeof(struct rec_cost_state) };


static const struct field rec_reservation_fields[] = {
	{ .name = STRC("amountUsd"), .alias = STRC("amount_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_reservation, amount_usd), .required = true },
	{ .name = STRC("accounts"), .alias = STRC("accounts"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_reservation, accounts) },
	{ .name = STRC("against"), .alias = STRC("against"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_reservation, against), .required = true },
	{ .name = STRC("key"), .alias = STRC("key"), .type = FIELD_STR, .offset = offsetof(struct rec_reservation, key) },
};
const struct rec_desc rec_reservation_desc = { "reservation", rec_reservation_fields, 4, sizeof(struct rec_reservation) };


static const struct field rec_overrun_fields[] = {
	{ .name = STRC("account"), .alias = STRC("account"), .type = FIELD_STR, .offset = offsetof(struct rec_overrun, account), .required = true },
	{ .name = STRC("percent"), .alias = STRC("percent"), .type = FIELD_INT, .offset = offsetof(struct rec_overrun, percent), .required = true },
	{ .name = STRC("beforePercent"), .alias = STRC("before_percent"), .type = FIELD_INT, .offset = offsetof(struct rec_overrun, before_percent), .required = true },
};
const struct rec_desc rec_overrun_desc = { "overrun", rec_overrun_fields, 3, sizeof(struct rec_overrun) };


static const struct field rec_model_name_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_model_name, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_model_name, model), .required = true },
};
const struct rec_desc rec_model_name_desc = { "model_name", rec_model_name_fields, 2, sizeof(struct rec_model_name) };


static const struct field rec_text_summary_fields[] = {
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_text_summary, bytes), .required = true },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct rec_text_summary, preview), .required = true },
};
const struct rec_desc rec_text_summary_desc = { "text_summary", rec_text_summary_fields, 2, sizeof(struct rec_text_summary) };


static const struct field rec_hook_run_fields[] = {
	{ .name = STRC("hookRunId"), .alias = STRC("hook_run_id"), .type = FIELD_ID, .offset = offsetof(struct rec_hook_run, hook_run_id), .required = true },
	{ .name = STRC("point"), .alias = STRC("point"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, point), .required = true, .words = &enum_hook_point },
	{ .name = STRC("handlerRef"), .alias = STRC("handler_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_run, handler_ref), .required = true },
	{ .name = STRC("handlerKind"), .alias = STRC("handler_kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, handler_kind), .required = true, .words = &enum_hook_handler },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_hook_run, timeout_ms), .required = true },
	{ .name = STRC("failPolicy"), .alias = STRC("fail_policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, fail_policy), .required = true, .words = &enum_fail_policy },
	{ .name = STRC("trust"), .alias = STRC("trust"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, trust), .required = true, .words = &enum_hook_trust },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, status), .required = true, .words = &enum_hook_status },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_hook_run, started_at) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_hook_run, duration_ms), .has_offset = offsetof(struct rec_hook_run, has_duration_ms) },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct rec_hook_run, exit_code), .has_offset = offsetof(struct rec_hook_run, has_exit_code) },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_run, decision), .words = &enum_hook_decision },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_hook_run, input_ref) },
	{ .name = STRC("updatedInputRef"), .alias = STRC("updated_input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_hook_run, updated_input_ref) },
	{ .name = STRC("updatedToolOutputRef"), .alias = STRC("updated_tool_output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_hook_run, updated_tool_output_ref) },
	{ .name = STRC("additionalContextRefs"), .alias = STRC("additional_context_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_hook_run, additional_context_refs) },
	{ .name = STRC("suppressOutput"), .alias = STRC("suppress_output"), .type = FIELD_BOOL, .offset = offsetof(struct rec_hook_run, suppress_output), .has_offset = offsetof(struct rec_hook_run, has_suppress_output) },
	{ .name = STRC("auditRefs"), .alias = STRC("audit_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_hook_run, audit_refs) },
	{ .name = STRC("policyRecord"), .alias = STRC("policy_record"), .type = FIELD_REC, .offset = offsetof(struct rec_hook_run, policy_record), .rec = &rec_policy_record_desc },
	{ .name = STRC("lastError"), .alias = STRC("last_error"), .type = FIELD_REC, .offset = offsetof(struct rec_hook_run, last_error), .rec = &rec_last_error_desc },
};
const struct rec_desc rec_hook_run_desc = { "hook_run", rec_hook_run_fields, 20, sizeof(struct rec_hook_run) };


static const struct field rec_channel_fields[] = {
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct rec_channel, channel_id), .required = true },
	{ .name = STRC("transport"), .alias = STRC("transport"), .type = FIELD_ENUM, .offset = offsetof(struct rec_channel, transport), .required = true, .words = &enum_transport },
	{ .name = STRC("peerRole"), .alias = STRC("peer_role"), .type = FIELD_ENUM, .offset = offsetof(struct rec_channel, peer_role), .required = true, .words = &enum_peer_role },
	{ .name = STRC("accountRef"), .alias = STRC("account_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_channel, account_ref) },
	{ .name = STRC("capabilities"), .alias = STRC("capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_channel, capabilities), .required = true },
	{ .name = STRC("lastSeenAt"), .alias = STRC("last_seen_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_channel, last_seen_at) },
	{ .name = STRC("resumeTokenRef"), .alias = STRC("resume_token_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_channel, resume_token_ref) },
	{ .name = STRC("nativeProtocol"), .alias = STRC("native_protocol"), .type = FIELD_STR, .offset = offsetof(struct rec_channel, native_protocol) },
	{ .name = STRC("agentCardRef"), .alias = STRC("agent_card_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_channel, agent_card_ref) },
	{ .name = STRC("lastAckedSequence"), .alias = STRC("last_acked_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_channel, last_acked_sequence), .has_offset = offsetof(struct rec_channel, has_last_acked_sequence) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_channel, status), .words = &enum_status },
};
const struct rec_desc rec_channel_desc = { "channel", rec_channel_fields, 11, sizeof(struct rec_channel) };


static const struct field rec_permission_subject_fields[] = {
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_subject, tool_call_id) },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_subject, process_id) },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct rec_permission_subject, action_id) },
	{ .name = STRC("remoteTaskId"), .alias = STRC("remote_task_id"), .type = FIELD_STR, .offset = offsetof(struct rec_permission_subject, remote_task_id) },
};
const struct rec_desc rec_permission_subject_desc = { "permission_subject", rec_permission_subject_fields, 4, sizeof(struct rec_permission_subject) };


static const struct field rec_preview_fields[] = {
	{ .name = STRC("head"), .alias = STRC("head"), .type = FIELD_STR, .offset = offsetof(struct rec_preview, head) },
	{ .name = STRC("tail"), .alias = STRC("tail"), .type = FIELD_STR, .offset = offsetof(struct rec_preview, tail) },
};
const struct rec_desc rec_preview_desc = { "preview", rec_preview_fields, 2, sizeof(struct rec_preview) };


static const struct field rec_output_fields[] = {
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_output, output_ref), .required = true },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_ENUM, .offset = offsetof(struct rec_output, owner), .required = true, .words = &enum_output_owner },
	{ .name = STRC("ownerId"), .alias = STRC("owner_id"), .type = FIELD_ID, .offset = offsetof(struct rec_output, owner_id) },
	{ .name = STRC("mediaType"), .alias = STRC("media_type"), .type = FIELD_STR, .offset = offsetof(struct rec_output, media_type), .required = true },
	{ .name = STRC("encoding"), .alias = STRC("encoding"), .type = FIELD_STR, .offset = offsetof(struct rec_output, encoding), .required = true },
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_output, size_bytes), .required = true },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct rec_output, sha256) },
	{ .name = STRC("complete"), .alias = STRC("complete"), .type = FIELD_BOOL, .offset = offsetof(struct rec_output, complete), .required = true },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_REC, .offset = offsetof(struct rec_output, preview), .rec = &rec_preview_desc },
	{ .name = STRC("truncation"), .alias = STRC("truncation"), .type = FIELD_ENUM, .offset = offsetof(struct rec_output, truncation), .required = true, .words = &enum_truncation },
	{ .name = STRC("redaction"), .alias = STRC("redaction"), .type = FIELD_ENUM, .offset = offsetof(struct rec_output, redaction), .required = true, .words = &enum_redaction },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_output, expires_at) },
};
const struct rec_desc rec_output_desc = { "output", rec_output_fields, 12, sizeof(struct rec_output) };


static const struct field rec_history_boundary_fields[] = {
	{ .name = STRC("layer"), .alias = STRC("layer"), .type = FIELD_ENUM, .offset = offsetof(struct rec_history_boundary, layer), .required = true, .words = &enum_history_layer },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_boundary, through_sequence), .required = true },
	{ .name = STRC("snapshotSequence"), .alias = STRC("snapshot_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_boundary, snapshot_sequence), .has_offset = offsetof(struct rec_history_boundary, has_snapshot_sequence) },
	{ .name = STRC("foldVersion"), .alias = STRC("fold_version"), .type = FIELD_INT, .offset = offsetof(struct rec_history_boundary, fold_version), .has_offset = offsetof(struct rec_history_boundary, has_fold_version) },
	{ .name = STRC("fromTurnId"), .alias = STRC("from_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_history_boundary, from_turn_id) },
	{ .name = STRC("toTurnId"), .alias = STRC("to_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_history_boundary, to_turn_id) },
	{ .name = STRC("summaryRef"), .alias = STRC("summary_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_history_boundary, summary_ref) },
};
const struct rec_desc rec_history_boundary_desc = { "history_boundary", rec_history_boundary_fields, 7, sizeof(struct rec_history_boundary) };


static const struct field rec_lost_thing_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_lost_thing, kind), .required = true },
	{ .name = STRC("id"), .alias = STRC("id"), .type = FIELD_ID, .offset = offsetof(struct rec_lost_thing, id), .required = true },
};
const struct rec_desc rec_lost_thing_desc = { "lost_thing", rec_lost_thing_fields, 2, sizeof(struct rec_lost_thing) };


static const struct field rec_missing_ref_fields[] = {
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_missing_ref, ref), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_ENUM, .offset = offsetof(struct rec_missing_ref, reason), .required = true, .words = &enum_missing_reason },
};
const struct rec_desc rec_missing_ref_desc = { "missing_ref", rec_missing_ref_fields, 2, sizeof(struct rec_missing_ref) };


static const struct field rec_history_range_fields[] = {
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_history_range, turns), .required = true },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_range, from_sequence), .required = true },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_range, to_sequence), .has_offset = offsetof(struct rec_history_range, has_to_sequence) },
	{ .name = STRC("omittedTurns"), .alias = STRC("omitted_turns"), .type = FIELD_INT, .offset = offsetof(struct rec_history_range, omitted_turns), .has_offset = offsetof(struct rec_history_range, has_omitted_turns) },
	{ .name = STRC("omittedBecause"), .alias = STRC("omitted_because"), .type = FIELD_STR, .offset = offsetof(struct rec_history_range, omitted_because) },
};
const struct rec_desc rec_history_range_desc = { "history_range", rec_history_range_fields, 5, sizeof(struct rec_history_range) };


static const struct field rec_context_item_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_context_item, kind), .required = true, .words = &enum_context_kind },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_context_item, ref), .required = true },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_context_item, output_ref), .required = true },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct rec_context_item, sha256), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_context_item, bytes), .required = true },
};
const struct rec_desc rec_context_item_desc = { "context_item", rec_context_item_fields, 5, sizeof(struct rec_context_item) };


static const struct field rec_context_ref_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_context_ref, kind), .required = true, .words = &enum_context_kind },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_context_ref, ref), .required = true, .max = 1024 },
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_STR, .offset = offsetof(struct rec_context_ref, text), .max = 65536 },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_context_ref, output_ref) },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct rec_context_ref, sha256) },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_context_ref, bytes), .has_offset = offsetof(struct rec_context_ref, has_bytes) },
};
const struct rec_desc rec_context_ref_desc = { "context_ref", rec_context_ref_fields, 6, sizeof(struct rec_context_ref) };


static const struct field rec_context_budget_fields[] = {
	{ .name = STRC("windowTokens"), .alias = STRC("window_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_context_budget, window_tokens), .required = true },
	{ .name = STRC("estimatedTokens"), .alias = STRC("estimated_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_context_budget, estimated_tokens), .required = true },
	{ .name = STRC("estimate"), .alias = STRC("estimate"), .type = FIELD_STR, .offset = offsetof(struct rec_context_budget, estimate), .required = true },
};
const struct rec_desc rec_context_budget_desc = { "context_budget", rec_context_budget_fields, 3, sizeof(struct rec_context_budget) };


static const struct field rec_inventory_tool_fields[] = {
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, tool_name), .required = true },
	{ .name = STRC("description"), .alias = STRC("description"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, description), .required = true },
	{ .name = STRC("capabilities"), .alias = STRC("capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_inventory_tool, capabilities), .required = true },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_inventory_tool, policy), .required = true, .words = &enum_tool_policy },
	{ .name = STRC("runtimeOwner"), .alias = STRC("runtime_owner"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, runtime_owner), .required = true },
	{ .name = STRC("isReadOnly"), .alias = STRC("is_read_only"), .type = FIELD_BOOL, .offset = offsetof(struct rec_inventory_tool, is_read_only), .required = true },
	{ .name = STRC("isConcurrencySafe"), .alias = STRC("is_concurrency_safe"), .type = FIELD_BOOL, .offset = offsetof(struct rec_inventory_tool, is_concurrency_safe), .required = true },
	{ .name = STRC("isDestructive"), .alias = STRC("is_destructive"), .type = FIELD_BOOL, .offset = offsetof(struct rec_inventory_tool, is_destructive), .required = true },
	{ .name = STRC("interruptBehavior"), .alias = STRC("interrupt_behavior"), .type = FIELD_ENUM, .offset = offsetof(struct rec_inventory_tool, interrupt_behavior), .required = true, .words = &enum_interrupt_behavior },
	{ .name = STRC("inputSchemaRef"), .alias = STRC("input_schema_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, input_schema_ref) },
	{ .name = STRC("inputSchema"), .alias = STRC("input_schema"), .type = FIELD_JSON, .offset = offsetof(struct rec_inventory_tool, input_schema) },
	{ .name = STRC("metadataRef"), .alias = STRC("metadata_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, metadata_ref) },
	{ .name = STRC("nativeName"), .alias = STRC("native_name"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, native_name) },
	{ .name = STRC("annotations"), .alias = STRC("annotations"), .type = FIELD_JSON, .offset = offsetof(struct rec_inventory_tool, annotations), .max = 4096 },
	{ .name = STRC("definitionHash"), .alias = STRC("definition_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, definition_hash) },
	{ .name = STRC("definitionChanged"), .alias = STRC("definition_changed"), .type = FIELD_BOOL, .offset = offsetof(struct rec_inventory_tool, definition_changed), .has_offset = offsetof(struct rec_inventory_tool, has_definition_changed) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_inventory_tool, reason) },
};
const struct rec_desc rec_inventory_tool_desc = { "inventory_tool", rec_inventory_tool_fields, 17, sizeof(struct rec_inventory_tool) };


static const struct field rec_input_part_fields[] = {
	{ .name = STRC("type"), .alias = STRC("type"), .type = FIELD_STR, .offset = offsetof(struct rec_input_part, type), .required = true },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct rec_input_part, preview) },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_input_part, bytes), .required = true },
	{ .name = STRC("mediaType"), .alias = STRC("media_type"), .type = FIELD_STR, .offset = offsetof(struct rec_input_part, media_type) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_ID, .offset = offsetof(struct rec_input_part, ref) },
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct rec_input_part, name) },
};
const struct rec_desc rec_input_part_desc = { "input_part", rec_input_part_fields, 6, sizeof(struct rec_input_part) };


static const struct field rec_submit_options_fields[] = {
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_submit_options, model), .max = 256 },
	{ .name = STRC("fallback"), .alias = STRC("fallback"), .type = FIELD_ENUM, .offset = offsetof(struct rec_submit_options, fallback), .words = &enum_fallback_policy },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct rec_submit_options, task_kind), .max = 64 },
	{ .name = STRC("requires"), .alias = STRC("requires"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_submit_options, requires), .max = 16 },
	{ .name = STRC("latency"), .alias = STRC("latency"), .type = FIELD_ENUM, .offset = offsetof(struct rec_submit_options, latency), .words = &enum_latency_target },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_submit_options, budget_usd), .has_offset = offsetof(struct rec_submit_options, has_budget_usd) },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct rec_submit_options, output_schema) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct rec_submit_options, metadata) },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct rec_submit_options, delivery), .words = &enum_delivery },
	{ .name = STRC("background"), .alias = STRC("background"), .type = FIELD_BOOL, .offset = offsetof(struct rec_submit_options, background), .has_offset = offsetof(struct rec_submit_options, has_background) },
};
const struct rec_desc rec_submit_options_desc = { "submit_options", rec_submit_options_fields, 10, sizeof(struct rec_submit_options) };


static const struct field rec_turn_options_fields[] = {
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_turn_options, budget_usd), .has_offset = offsetof(struct rec_turn_options, has_budget_usd) },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_options, mode), .words = &enum_permission_mode },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_turn_options, model) },
	{ .name = STRC("fallback"), .alias = STRC("fallback"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_options, fallback), .words = &enum_fallback_policy },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct rec_turn_options, task_kind) },
	{ .name = STRC("requires"), .alias = STRC("requires"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_turn_options, requires) },
	{ .name = STRC("latency"), .alias = STRC("latency"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_options, latency), .words = &enum_latency_target },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_turn_options, cwd) },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_turn_options, timeout_ms), .has_offset = offsetof(struct rec_turn_options, has_timeout_ms) },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct rec_turn_options, output_schema) },
	{ .name = STRC("context"), .alias = STRC("context"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_turn_options, context), .rec = &rec_context_ref_desc },
	{ .name = STRC("instructions"), .alias = STRC("instructions"), .type = FIELD_STR, .offset = offsetof(struct rec_turn_options, instructions) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct rec_turn_options, metadata) },
};
const struct rec_desc rec_turn_options_desc = { "turn_options", rec_turn_options_fields, 13, sizeof(struct rec_turn_options) };


static const struct field rec_queue_rules_fields[] = {
	{ .name = STRC("onBusy"), .alias = STRC("on_busy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_queue_rules, on_busy), .required = true, .words = &enum_on_busy },
	{ .name = STRC("onInterrupt"), .alias = STRC("on_interrupt"), .type = FIELD_ENUM, .offset = offsetof(struct rec_queue_rules, on_interrupt), .required = true, .words = &enum_queue_policy },
};
const struct rec_desc rec_queue_rules_desc = { "queue_rules", rec_queue_rules_fields, 2, sizeof(struct rec_queue_rules) };


static const struct field rec_last_outcome_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_last_outcome, turn_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_last_outcome, status), .required = true, .words = &enum_status },
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_last_outcome, last_message_ref) },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct rec_last_outcome, category), .words = &enum_error_category },
};
const struct rec_desc rec_last_outcome_desc = { "last_outcome", rec_last_outcome_fields, 4, sizeof(struct rec_last_outcome) };


static const struct field rec_fork_point_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_fork_point, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_fork_point, turn_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_fork_point, sequence), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_fork_point, session_id) },
	{ .name = STRC("headHash"), .alias = STRC("head_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_fork_point, head_hash) },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_fork_point, turns), .has_offset = offsetof(struct rec_fork_point, has_turns) },
};
const struct rec_desc rec_fork_point_desc = { "fork_point", rec_fork_point_fields, 6, sizeof(struct rec_fork_point) };


static const struct field rec_compaction_fields[] = {
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct rec_compaction, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_compaction, affected_turns), .required = true },
	{ .name = STRC("summaryRef"), .alias = STRC("summary_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_compaction, summary_ref) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_compaction, sequence), .has_offset = offsetof(struct rec_compaction, has_sequence) },
	{ .name = STRC("tokensBefore"), .alias = STRC("tokens_before"), .type = FIELD_INT, .offset = offsetof(struct rec_compaction, tokens_before), .has_offset = offsetof(struct rec_compaction, has_tokens_before) },
	{ .name = STRC("tokensAfter"), .alias = STRC("tokens_after"), .type = FIELD_INT, .offset = offsetof(struct rec_compaction, tokens_after), .has_offset = offsetof(struct rec_compaction, has_tokens_after) },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_compaction, turns), .has_offset = offsetof(struct rec_compaction, has_turns) },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_compaction, through_sequence), .has_offset = offsetof(struct rec_compaction, has_through_sequence) },
};
const struct rec_desc rec_compaction_desc = { "compaction", rec_compaction_fields, 8, sizeof(struct rec_compaction) };


static const struct field rec_token_change_fields[] = {
	{ .name = STRC("before"), .alias = STRC("before"), .type = FIELD_INT, .offset = offsetof(struct rec_token_change, before), .required = true },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_INT, .offset = offsetof(struct rec_token_change, after), .required = true },
};
const struct rec_desc rec_token_change_desc = { "token_change", rec_token_change_fields, 2, sizeof(struct rec_token_change) };


static const struct field rec_preserved_fields[] = {
	{ .name = STRC("actionIds"), .alias = STRC("action_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_preserved, action_ids), .required = true },
	{ .name = STRC("incidentIds"), .alias = STRC("incident_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_preserved, incident_ids), .required = true },
	{ .name = STRC("artifactRefs"), .alias = STRC("artifact_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_preserved, artifact_refs), .required = true },
	{ .name = STRC("evidenceRefs"), .alias = STRC("evidence_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_preserved, evidence_refs), .required = true },
	{ .name = STRC("taskIds"), .alias = STRC("task_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_preserved, task_ids), .required = true },
};
const struct rec_desc rec_preserved_desc = { "preserved", rec_preserved_fields, 5, sizeof(struct rec_preserved) };


static const struct field rec_rollback_effects_fields[] = {
	{ .name = STRC("toolCallIds"), .alias = STRC("tool_call_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_rollback_effects, tool_call_ids), .required = true },
	{ .name = STRC("artifactIds"), .alias = STRC("artifact_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_rollback_effects, artifact_ids), .required = true },
	{ .name = STRC("subagentIds"), .alias = STRC("subagent_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_rollback_effects, subagent_ids), .required = true },
	{ .name = STRC("jobIds"), .alias = STRC("job_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_rollback_effects, job_ids), .required = true },
};
const struct rec_desc rec_rollback_effects_desc = { "rollback_effects", rec_rollback_effects_fields, 4, sizeof(struct rec_rollback_effects) };


static const struct field rec_isolation_fields[] = {
	{ .name = STRC("prompt"), .alias = STRC("prompt"), .type = FIELD_STR, .offset = offsetof(struct rec_isolation, prompt), .required = true },
	{ .name = STRC("workspace"), .alias = STRC("workspace"), .type = FIELD_STR, .offset = offsetof(struct rec_isolation, workspace), .required = true },
	{ .name = STRC("worktree"), .alias = STRC("worktree"), .type = FIELD_STR, .offset = offsetof(struct rec_isolation, worktree) },
	{ .name = STRC("tools"), .alias = STRC("tools"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_isolation, tools), .required = true },
	{ .name = STRC("permissionMode"), .alias = STRC("permission_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_isolation, permission_mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("memory"), .alias = STRC("memory"), .type = FIELD_STR, .offset = offsetof(struct rec_isolation, memory), .required = true },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_isolation, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("networkMode"), .alias = STRC("network_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_isolation, network_mode), .words = &enum_network_mode },
};
const struct rec_desc rec_isolation_desc = { "isolation", rec_isolation_fields, 8, sizeof(struct rec_isolation) };


static const struct field rec_subagent_fields[] = {
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, subagent_id), .required = true },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, parent_thread_id), .required = true },
	{ .name = STRC("parentTurnId"), .alias = STRC("parent_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, parent_turn_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, parent_task_id) },
	{ .name = STRC("parentSubagentId"), .alias = STRC("parent_subagent_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, parent_subagent_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, thread_id), .required = true },
	{ .name = STRC("role"), .alias = STRC("role"), .type = FIELD_STR, .offset = offsetof(struct rec_subagent, role), .required = true },
	{ .name = STRC("nickname"), .alias = STRC("nickname"), .type = FIELD_STR, .offset = offsetof(struct rec_subagent, nickname) },
	{ .name = STRC("isolation"), .alias = STRC("isolation"), .type = FIELD_REC, .offset = offsetof(struct rec_subagent, isolation), .required = true, .rec = &rec_isolation_desc },
	{ .name = STRC("modelPolicy"), .alias = STRC("model_policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_subagent, model_policy), .required = true, .words = &enum_model_policy },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_subagent, model) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_subagent, status), .required = true, .words = &enum_subagent_status },
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_subagent, last_message_ref) },
	{ .name = STRC("worktreeState"), .alias = STRC("worktree_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_subagent, worktree_state), .words = &enum_worktree_state },
	{ .name = STRC("worktreeReason"), .alias = STRC("worktree_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_subagent, worktree_reason) },
};
const struct rec_desc rec_subagent_desc = { "subagent", rec_subagent_fields, 15, sizeof(struct rec_subagent) };


static const struct field rec_job_counts_fields[] = {
	{ .name = STRC("total"), .alias = STRC("total"), .type = FIELD_INT, .offset = offsetof(struct rec_job_counts, total), .required = true },
	{ .name = STRC("pending"), .alias = STRC("pending"), .type = FIELD_INT, .offset = offsetof(struct rec_job_counts, pending), .required = true },
	{ .name = STRC("running"), .alias = STRC("running"), .type = FIELD_INT, .offset = offsetof(struct rec_job_counts, running), .required = true },
	{ .name = STRC("completed"), .alias = STRC("completed"), .type = FIELD_INT, .offset = offsetof(struct rec_job_counts, completed), .required = true },
	{ .name = STRC("failed"), .alias = STRC("failed"), .type = FIELD_INT, .offset = offsetof(struct rec_job_counts, failed), .required = true },
};
const struct rec_desc rec_job_counts_desc = { "job_counts", rec_job_counts_fields, 5, sizeof(struct rec_job_counts) };


static const struct field rec_job_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job, job_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job, session_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job, task_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_job, status), .required = true, .words = &enum_job_status },
	{ .name = STRC("instructionRef"), .alias = STRC("instruction_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_job, instruction_ref), .required = true },
	{ .name = STRC("inputRefs"), .alias = STRC("input_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_job, input_refs), .required = true, .rec = &rec_ref_entry_desc },
	{ .name = STRC("outputSchemaRef"), .alias = STRC("output_schema_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_job, output_schema_ref) },
	{ .name = STRC("maxRuntimeMs"), .alias = STRC("max_runtime_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_job, max_runtime_ms), .has_offset = offsetof(struct rec_job, has_max_runtime_ms) },
	{ .name = STRC("concurrency"), .alias = STRC("concurrency"), .type = FIELD_INT, .offset = offsetof(struct rec_job, concurrency), .has_offset = offsetof(struct rec_job, has_concurrency) },
	{ .name = STRC("maxAttempts"), .alias = STRC("max_attempts"), .type = FIELD_INT, .offset = offsetof(struct rec_job, max_attempts), .has_offset = offsetof(struct rec_job, has_max_attempts) },
	{ .name = STRC("itemCursor"), .alias = STRC("item_cursor"), .type = FIELD_INT, .offset = offsetof(struct rec_job, item_cursor), .required = true },
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct rec_job, progress), .required = true, .rec = &rec_job_counts_desc },
	{ .name = STRC("assignedThreadIds"), .alias = STRC("assigned_thread_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_job, assigned_thread_ids), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_STR, .offset = offsetof(struct rec_job, schedule_id) },
};
const struct rec_desc rec_job_desc = { "job", rec_job_fields, 14, sizeof(struct rec_job) };


static const struct field rec_job_item_fields[] = {
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job_item, job_item_id), .required = true },
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct rec_job_item, index), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_job_item, status), .required = true, .words = &enum_job_item_status },
	{ .name = STRC("attemptCount"), .alias = STRC("attempt_count"), .type = FIELD_INT, .offset = offsetof(struct rec_job_item, attempt_count), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job_item, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_job_item, turn_id) },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_job_item, output_ref) },
	{ .name = STRC("lastError"), .alias = STRC("last_error"), .type = FIELD_REC, .offset = offsetof(struct rec_job_item, last_error), .rec = &rec_last_error_desc },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct rec_job_item, retryable), .has_offset = offsetof(struct rec_job_item, has_retryable) },
};
const struct rec_desc rec_job_item_desc = { "job_item", rec_job_item_fields, 9, sizeof(struct rec_job_item) };


static const struct field rec_telemetry_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_telemetry, status), .required = true, .words = &enum_evidence_signal },
	{ .name = STRC("traceIds"), .alias = STRC("trace_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_telemetry, trace_ids) },
	{ .name = STRC("joinStatus"), .alias = STRC("join_status"), .type = FIELD_STR, .offset = offsetof(struct rec_telemetry, join_status) },
	{ .name = STRC("spanName"), .alias = STRC("span_name"), .type = FIELD_STR, .offset = offsetof(struct rec_telemetry, span_name) },
};
const struct rec_desc rec_telemetry_desc = { "telemetry", rec_telemetry_fields, 4, sizeof(struct rec_telemetry) };


static const struct field rec_correlation_fields[] = {
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, runtime_id) },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, attempt_id) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, tool_call_id) },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, process_id) },
	{ .name = STRC("requestId"), .alias = STRC("request_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, request_id) },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, queued_turn_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct rec_correlation, subagent_id) },
	{ .name = STRC("traceId"), .alias = STRC("trace_id"), .type = FIELD_STR, .offset = offsetof(struct rec_correlation, trace_id) },
	{ .name = STRC("spanId"), .alias = STRC("span_id"), .type = FIELD_STR, .offset = offsetof(struct rec_correlation, span_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_correlation, status), .words = &enum_evidence_signal },
};
const struct rec_desc rec_correlation_desc = { "correlation", rec_correlation_fields, 15, sizeof(struct rec_correlation) };


static const struct field rec_benchmark_fields[] = {
	{ .name = STRC("datasetId"), .alias = STRC("dataset_id"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, dataset_id) },
	{ .name = STRC("datasetVersion"), .alias = STRC("dataset_version"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, dataset_version) },
	{ .name = STRC("datasetRef"), .alias = STRC("dataset_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, dataset_ref) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, task_id) },
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, trial_id) },
	{ .name = STRC("configurationId"), .alias = STRC("configuration_id"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, configuration_id) },
	{ .name = STRC("role"), .alias = STRC("role"), .type = FIELD_ENUM, .offset = offsetof(struct rec_benchmark, role), .words = &enum_trial_role },
	{ .name = STRC("harborJobRef"), .alias = STRC("harbor_job_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, harbor_job_ref) },
	{ .name = STRC("harborTrialRef"), .alias = STRC("harbor_trial_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, harbor_trial_ref) },
	{ .name = STRC("singleChangedVariable"), .alias = STRC("single_changed_variable"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, single_changed_variable) },
	{ .name = STRC("taskTomlRef"), .alias = STRC("task_toml_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_benchmark, task_toml_ref) },
};
const struct rec_desc rec_benchmark_desc = { "benchmark", rec_benchmark_fields, 11, sizeof(struct rec_benchmark) };


static const struct field rec_trajectory_fields[] = {
	{ .name = STRC("schema"), .alias = STRC("schema"), .type = FIELD_STR, .offset = offsetof(struct rec_trajectory, schema) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_trajectory, ref) },
	{ .name = STRC("exportStatus"), .alias = STRC("export_status"), .type = FIELD_STR, .offset = offsetof(struct rec_trajectory, export_status) },
	{ .name = STRC("requiredFieldStatus"), .alias = STRC("required_field_status"), .type = FIELD_JSON, .offset = offsetof(struct rec_trajectory, required_field_status) },
};
const struct rec_desc rec_trajectory_desc = { "trajectory", rec_trajectory_fields, 4, sizeof(struct rec_trajectory) };


static const struct field rec_reward_fields[] = {
	{ .name = STRC("value"), .alias = STRC("value"), .type = FIELD_REAL, .offset = offsetof(struct rec_reward, value), .has_offset = offsetof(struct rec_reward, has_value) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_reward, ref) },
	{ .name = STRC("detailsRef"), .alias = STRC("details_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_reward, details_ref) },
	{ .name = STRC("criteria"), .alias = STRC("criteria"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_reward, criteria) },
	{ .name = STRC("failureCategory"), .alias = STRC("failure_category"), .type = FIELD_STR, .offset = offsetof(struct rec_reward, failure_category) },
};
const struct rec_desc rec_reward_desc = { "reward", rec_reward_fields, 5, sizeof(struct rec_reward) };


static const struct field rec_comparison_fields[] = {
	{ .name = STRC("meanRewardDelta"), .alias = STRC("mean_reward_delta"), .type = FIELD_REAL, .offset = offsetof(struct rec_comparison, mean_reward_delta), .has_offset = offsetof(struct rec_comparison, has_mean_reward_delta) },
	{ .name = STRC("timeoutRateDelta"), .alias = STRC("timeout_rate_delta"), .type = FIELD_REAL, .offset = offsetof(struct rec_comparison, timeout_rate_delta), .has_offset = offsetof(struct rec_comparison, has_timeout_rate_delta) },
	{ .name = STRC("evidenceCompletenessRate"), .alias = STRC("evidence_completeness_rate"), .type = FIELD_REAL, .offset = offsetof(struct rec_comparison, evidence_completeness_rate), .has_offset = offsetof(struct rec_comparison, has_evidence_completeness_rate) },
	{ .name = STRC("baselineEvidenceCompletenessRate"), .alias = STRC("baseline_evidence_completeness_rate"), .type = FIELD_REAL, .offset = offsetof(struct rec_comparison, baseline_evidence_completeness_rate), .has_offset = offsetof(struct rec_comparison, has_baseline_evidence_completeness_rate) },
	{ .name = STRC("p0QcGateRegressionCount"), .alias = STRC("p0_qc_gate_regression_count"), .type = FIELD_INT, .offset = offsetof(struct rec_comparison, p0_qc_gate_regression_count), .has_offset = offsetof(struct rec_comparison, has_p0_qc_gate_regression_count) },
	{ .name = STRC("costDeltaUsd"), .alias = STRC("cost_delta_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_comparison, cost_delta_usd), .has_offset = offsetof(struct rec_comparison, has_cost_delta_usd) },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_STR, .offset = offsetof(struct rec_comparison, decision) },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_STR, .offset = offsetof(struct rec_comparison, decision_source) },
};
const struct rec_desc rec_comparison_desc = { "comparison", rec_comparison_fields, 8, sizeof(struct rec_comparison) };


static const struct field rec_verification_fields[] = {
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct rec_verification, name), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_STR, .offset = offsetof(struct rec_verification, status), .required = true },
	{ .name = STRC("verifierRef"), .alias = STRC("verifier_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_verification, verifier_ref) },
};
const struct rec_desc rec_verification_desc = { "verification", rec_verification_fields, 3, sizeof(struct rec_verification) };


static const struct field rec_grant_fields[] = {
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct rec_grant, grant_id), .required = true },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct rec_grant, scope), .required = true, .words = &enum_grant_scope },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_grant, session_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_grant, cwd) },
	{ .name = STRC("match"), .alias = STRC("match"), .type = FIELD_REC, .offset = offsetof(struct rec_grant, match), .rec = &rec_grant_match_desc },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_grant, source), .required = true, .words = &enum_policy_source },
	{ .name = STRC("grantedBy"), .alias = STRC("granted_by"), .type = FIELD_REC, .offset = offsetof(struct rec_grant, granted_by), .rec = &rec_actor_desc },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_grant, created_at), .required = true },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_grant, expires_at) },
	{ .name = STRC("revocable"), .alias = STRC("revocable"), .type = FIELD_BOOL, .offset = offsetof(struct rec_grant, revocable), .required = true },
};
const struct rec_desc rec_grant_desc = { "grant", rec_grant_fields, 10, sizeof(struct rec_grant) };


static const struct field rec_rule_row_fields[] = {
	{ .name = STRC("ruleRef"), .alias = STRC("rule_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, rule_ref), .required = true },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, source), .required = true },
	{ .name = STRC("effect"), .alias = STRC("effect"), .type = FIELD_ENUM, .offset = offsetof(struct rec_rule_row, effect), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("counts"), .alias = STRC("counts"), .type = FIELD_BOOL, .offset = offsetof(struct rec_rule_row, counts), .required = true },
	{ .name = STRC("always"), .alias = STRC("always"), .type = FIELD_BOOL, .offset = offsetof(struct rec_rule_row, always), .required = true },
	{ .name = STRC("tool"), .alias = STRC("tool"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, tool) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_rule_row, command) },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, path) },
	{ .name = STRC("access"), .alias = STRC("access"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, access) },
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, host) },
	{ .name = STRC("mcp"), .alias = STRC("mcp"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, mcp) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_rule_row, reason) },
};
const struct rec_desc rec_rule_row_desc = { "rule_row", rec_rule_row_fields, 12, sizeof(struct rec_rule_row) };


static const struct field rec_schedule_fields[] = {
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct rec_schedule, schedule_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_schedule, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_schedule, thread_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_schedule, status), .required = true, .words = &enum_schedule_status },
	{ .name = STRC("cron"), .alias = STRC("cron"), .type = FIELD_STR, .offset = offsetof(struct rec_schedule, cron) },
	{ .name = STRC("everyMs"), .alias = STRC("every_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_schedule, every_ms), .has_offset = offsetof(struct rec_schedule, has_every_ms) },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct rec_schedule, at) },
	{ .name = STRC("timezone"), .alias = STRC("timezone"), .type = FIELD_STR, .offset = offsetof(struct rec_schedule, timezone) },
	{ .name = STRC("missedPolicy"), .alias = STRC("missed_policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_schedule, missed_policy), .required = true, .words = &enum_missed_policy },
	{ .name = STRC("overlap"), .alias = STRC("overlap"), .type = FIELD_ENUM, .offset = offsetof(struct rec_schedule, overlap), .required = true, .words = &enum_overlap_policy },
	{ .name = STRC("task"), .alias = STRC("task"), .type = FIELD_JSON, .offset = offsetof(struct rec_schedule, task), .required = true, .max = 32768 },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_schedule, next_at) },
	{ .name = STRC("lastAt"), .alias = STRC("last_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_schedule, last_at) },
	{ .name = STRC("lastTaskId"), .alias = STRC("last_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_schedule, last_task_id) },
	{ .name = STRC("runs"), .alias = STRC("runs"), .type = FIELD_INT, .offset = offsetof(struct rec_schedule, runs), .required = true },
	{ .name = STRC("missed"), .alias = STRC("missed"), .type = FIELD_INT, .offset = offsetof(struct rec_schedule, missed), .required = true },
	{ .name = STRC("skipped"), .alias = STRC("skipped"), .type = FIELD_INT, .offset = offsetof(struct rec_schedule, skipped), .required = true },
};
const struct rec_desc rec_schedule_desc = { "schedule", rec_schedule_fields, 17, sizeof(struct rec_schedule) };


static const struct field rec_gap_fields[] = {
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_INT, .offset = offsetof(struct rec_gap, from), .required = true },
	{ .name = STRC("to"), .alias = STRC("to"), .type = FIELD_INT, .offset = offsetof(struct rec_gap, to), .required = true },
	{ .name = STRC("recoveryMode"), .alias = STRC("recovery_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_gap, recovery_mode), .required = true, .words = &enum_recovery_mode },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_ENUM, .offset = offsetof(struct rec_gap, reason), .words = &enum_gap_reason },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_gap, session_id) },
	{ .name = STRC("snapshot"), .alias = STRC("snapshot"), .type = FIELD_JSON, .offset = offsetof(struct rec_gap, snapshot) },
};
const struct rec_desc rec_gap_desc = { "gap", rec_gap_fields, 6, sizeof(struct rec_gap) };


static const struct field rec_bad_row_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_bad_row, session_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_bad_row, sequence), .required = true },
	{ .name = STRC("expected"), .alias = STRC("expected"), .type = FIELD_STR, .offset = offsetof(struct rec_bad_row, expected), .required = true },
	{ .name = STRC("found"), .alias = STRC("found"), .type = FIELD_STR, .offset = offsetof(struct rec_bad_row, found), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct rec_bad_row, reason), .required = true },
};
const struct rec_desc rec_bad_row_desc = { "bad_row", rec_bad_row_fields, 5, sizeof(struct rec_bad_row) };


static const struct field rec_recovery_progress_fields[] = {
	{ .name = STRC("total"), .alias = STRC("total"), .type = FIELD_INT, .offset = offsetof(struct rec_recovery_progress, total), .required = true },
	{ .name = STRC("recovered"), .alias = STRC("recovered"), .type = FIELD_INT, .offset = offsetof(struct rec_recovery_progress, recovered), .required = true },
};
const struct rec_desc rec_recovery_progress_desc = { "recovery_progress", rec_recovery_progress_fields, 2, sizeof(struct rec_recovery_progress) };


static const struct field rec_session_row_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_session_row, session_id), .required = true },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct rec_session_row, title) },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct rec_session_row, workspace_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_session_row, status), .required = true, .words = &enum_thread_status },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_session_row, profile_status), .words = &enum_status },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_session_row, status_reason) },
	{ .name = STRC("threads"), .alias = STRC("threads"), .type = FIELD_INT, .offset = offsetof(struct rec_session_row, threads), .required = true },
	{ .name = STRC("activeTurnId"), .alias = STRC("active_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_session_row, active_turn_id) },
	{ .name = STRC("pendingActions"), .alias = STRC("pending_actions"), .type = FIELD_INT, .offset = offsetof(struct rec_session_row, pending_actions), .required = true },
	{ .name = STRC("queuedTurns"), .alias = STRC("queued_turns"), .type = FIELD_INT, .offset = offsetof(struct rec_session_row, queued_turns), .required = true },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct rec_session_row, cost_usd), .has_offset = offsetof(struct rec_session_row, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_session_row, amount_state), .words = &enum_honesty },
	{ .name = STRC("costStatus"), .alias = STRC("cost_status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_session_row, cost_status), .words = &enum_cost_status },
	{ .name = STRC("archived"), .alias = STRC("archived"), .type = FIELD_BOOL, .offset = offsetof(struct rec_session_row, archived), .has_offset = offsetof(struct rec_session_row, has_archived) },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_session_row, created_at), .required = true },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_session_row, updated_at), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_session_row, sequence), .required = true },
};
const struct rec_desc rec_session_row_desc = { "session_row", rec_session_row_fields, 17, sizeof(struct rec_session_row) };


static const struct field rec_provider_limit_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_provider_limit, provider), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_provider_limit, kind), .required = true, .words = &enum_limit_kind },
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_provider_limit, state), .required = true, .words = &enum_limit_status },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_provider_limit, until) },
	{ .name = STRC("used"), .alias = STRC("used"), .type = FIELD_INT, .offset = offsetof(struct rec_provider_limit, used), .has_offset = offsetof(struct rec_provider_limit, has_used) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct rec_provider_limit, limit), .has_offset = offsetof(struct rec_provider_limit, has_limit) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_provider_limit, sequence), .required = true },
};
const struct rec_desc rec_provider_limit_desc = { "provider_limit", rec_provider_limit_fields, 7, sizeof(struct rec_provider_limit) };


static const struct field rec_hook_row_fields[] = {
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_row, ref), .required = true },
	{ .name = STRC("point"), .alias = STRC("point"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_row, point), .required = true, .words = &enum_hook_point },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_row, kind), .required = true, .words = &enum_hook_handler },
	{ .name = STRC("handler"), .alias = STRC("handler"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_row, handler), .required = true },
	{ .name = STRC("match"), .alias = STRC("match"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_row, match) },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_hook_row, timeout_ms), .required = true },
	{ .name = STRC("failPolicy"), .alias = STRC("fail_policy"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_row, fail_policy), .required = true, .words = &enum_fail_policy },
	{ .name = STRC("trust"), .alias = STRC("trust"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_row, trust), .required = true, .words = &enum_hook_trust },
	{ .name = STRC("sandbox"), .alias = STRC("sandbox"), .type = FIELD_ENUM, .offset = offsetof(struct rec_hook_row, sandbox), .words = &enum_hook_sandbox },
	{ .name = STRC("programHash"), .alias = STRC("program_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_row, program_hash) },
	{ .name = STRC("refused"), .alias = STRC("refused"), .type = FIELD_STR, .offset = offsetof(struct rec_hook_row, refused) },
};
const struct rec_desc rec_hook_row_desc = { "hook_row", rec_hook_row_fields, 11, sizeof(struct rec_hook_row) };


static const struct field rec_tool_server_fields[] = {
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, name), .required = true },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, source), .required = true },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, cwd) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_tool_server, status), .required = true, .words = &enum_tool_server_status },
	{ .name = STRC("detail"), .alias = STRC("detail"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, detail) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, command), .required = true },
	{ .name = STRC("nativeProtocol"), .alias = STRC("native_protocol"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, native_protocol), .required = true },
	{ .name = STRC("protocolVersion"), .alias = STRC("protocol_version"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, protocol_version) },
	{ .name = STRC("program"), .alias = STRC("program"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, program) },
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct rec_tool_server, channel_id) },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_tool_server, hosts) },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, content_hash) },
	{ .name = STRC("programHash"), .alias = STRC("program_hash"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_server, program_hash) },
	{ .name = STRC("toolCount"), .alias = STRC("tool_count"), .type = FIELD_INT, .offset = offsetof(struct rec_tool_server, tool_count), .required = true },
	{ .name = STRC("changedCount"), .alias = STRC("changed_count"), .type = FIELD_INT, .offset = offsetof(struct rec_tool_server, changed_count), .required = true },
	{ .name = STRC("restarts"), .alias = STRC("restarts"), .type = FIELD_INT, .offset = offsetof(struct rec_tool_server, restarts), .required = true },
};
const struct rec_desc rec_tool_server_desc = { "tool_server", rec_tool_server_fields, 16, sizeof(struct rec_tool_server) };


static const struct field rec_model_row_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct rec_model_row, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct rec_model_row, model), .required = true },
	{ .name = STRC("baseUrl"), .alias = STRC("base_url"), .type = FIELD_STR, .offset = offsetof(struct rec_model_row, base_url) },
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_STR, .offset = offsetof(struct rec_model_row, state), .required = true },
	{ .name = STRC("capabilities"), .alias = STRC("capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_model_row, capabilities), .required = true },
	{ .name = STRC("hasCredential"), .alias = STRC("has_credential"), .type = FIELD_BOOL, .offset = offsetof(struct rec_model_row, has_credential), .required = true },
	{ .name = STRC("costClass"), .alias = STRC("cost_class"), .type = FIELD_ENUM, .offset = offsetof(struct rec_model_row, cost_class), .required = true, .words = &enum_cost_class },
	{ .name = STRC("price"), .alias = STRC("price"), .type = FIELD_REC, .offset = offsetof(struct rec_model_row, price), .rec = &rec_price_desc },
	{ .name = STRC("priceState"), .alias = STRC("price_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_model_row, price_state), .words = &enum_honesty },
	{ .name = STRC("rate"), .alias = STRC("rate"), .type = FIELD_REC, .offset = offsetof(struct rec_model_row, rate), .required = true, .rec = &rec_limit_part_desc },
	{ .name = STRC("quota"), .alias = STRC("quota"), .type = FIELD_REC, .offset = offsetof(struct rec_model_row, quota), .required = true, .rec = &rec_limit_part_desc },
	{ .name = STRC("windowTokens"), .alias = STRC("window_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_model_row, window_tokens), .required = true },
	{ .name = STRC("maxOutputTokens"), .alias = STRC("max_output_tokens"), .type = FIELD_INT, .offset = offsetof(struct rec_model_row, max_output_tokens), .required = true },
	{ .name = STRC("reckonedPercent"), .alias = STRC("reckoned_percent"), .type = FIELD_INT, .offset = offsetof(struct rec_model_row, reckoned_percent), .has_offset = offsetof(struct rec_model_row, has_reckoned_percent) },
	{ .name = STRC("isDefault"), .alias = STRC("is_default"), .type = FIELD_BOOL, .offset = offsetof(struct rec_model_row, is_default), .required = true },
};
const struct rec_desc rec_model_row_desc = { "model_row", rec_model_row_fields, 15, sizeof(struct rec_model_row) };


static const struct field rec_thread_row_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_thread_row, thread_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_row, kind), .required = true, .words = &enum_thread_kind },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct rec_thread_row, title) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_row, status), .required = true, .words = &enum_thread_status },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_row, profile_status), .words = &enum_status },
	{ .name = STRC("activeTurnId"), .alias = STRC("active_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_thread_row, active_turn_id) },
	{ .name = STRC("pendingActions"), .alias = STRC("pending_actions"), .type = FIELD_INT, .offset = offsetof(struct rec_thread_row, pending_actions), .required = true },
	{ .name = STRC("queuedTurns"), .alias = STRC("queued_turns"), .type = FIELD_INT, .offset = offsetof(struct rec_thread_row, queued_turns), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_thread_row, turns), .required = true },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_thread_row, updated_at) },
};
const struct rec_desc rec_thread_row_desc = { "thread_row", rec_thread_row_fields, 10, sizeof(struct rec_thread_row) };


static const struct field rec_step_view_fields[] = {
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct rec_step_view, step_id), .required = true },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_step_view, started_sequence), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_step_view, kind), .required = true, .words = &enum_item_kind },
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct rec_step_view, index), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_step_view, status), .required = true, .words = &enum_status },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_step_view, tool_call_id) },
	{ .name = STRC("endedSequence"), .alias = STRC("ended_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_step_view, ended_sequence), .has_offset = offsetof(struct rec_step_view, has_ended_sequence) },
};
const struct rec_desc rec_step_view_desc = { "step_view", rec_step_view_fields, 7, sizeof(struct rec_step_view) };


static const struct field rec_turn_permission_view_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_permission_view, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("lastDecision"), .alias = STRC("last_decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_permission_view, last_decision), .words = &enum_approval_decision },
	{ .name = STRC("pendingActionIds"), .alias = STRC("pending_action_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_turn_permission_view, pending_action_ids), .required = true },
};
const struct rec_desc rec_turn_permission_view_desc = { "turn_permission_view", rec_turn_permission_view_fields, 3, sizeof(struct rec_turn_permission_view) };


static const struct field rec_output_row_fields[] = {
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_output_row, output_ref), .required = true },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_ENUM, .offset = offsetof(struct rec_output_row, owner), .required = true, .words = &enum_output_owner },
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_output_row, size_bytes), .required = true },
};
const struct rec_desc rec_output_row_desc = { "output_row", rec_output_row_fields, 3, sizeof(struct rec_output_row) };


static const struct field rec_process_view_fields[] = {
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct rec_process_view, process_id), .required = true },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_process_view, tool_call_id) },
	{ .name = STRC("commandSummary"), .alias = STRC("command_summary"), .type = FIELD_STR, .offset = offsetof(struct rec_process_view, command_summary) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_process_view, status), .required = true, .words = &enum_process_status },
	{ .name = STRC("nativeStatus"), .alias = STRC("native_status"), .type = FIELD_STR, .offset = offsetof(struct rec_process_view, native_status) },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct rec_process_view, exit_code), .has_offset = offsetof(struct rec_process_view, has_exit_code) },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_process_view, output_ref) },
	{ .name = STRC("background"), .alias = STRC("background"), .type = FIELD_BOOL, .offset = offsetof(struct rec_process_view, background), .has_offset = offsetof(struct rec_process_view, has_background) },
	{ .name = STRC("tty"), .alias = STRC("tty"), .type = FIELD_BOOL, .offset = offsetof(struct rec_process_view, tty), .has_offset = offsetof(struct rec_process_view, has_tty) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_process_view, output_bytes), .has_offset = offsetof(struct rec_process_view, has_output_bytes) },
	{ .name = STRC("liveness"), .alias = STRC("liveness"), .type = FIELD_ENUM, .offset = offsetof(struct rec_process_view, liveness), .words = &enum_liveness },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_process_view, session_id) },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_process_view, started_at) },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_process_view, ended_at) },
};
const struct rec_desc rec_process_view_desc = { "process_view", rec_process_view_fields, 14, sizeof(struct rec_process_view) };


static const struct field rec_turn_view_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_turn_view, turn_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_view, kind), .required = true, .words = &enum_turn_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_turn_view, status), .required = true, .words = &enum_status },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_turn_view, status_reason) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_turn_view, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct rec_turn_view, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct rec_turn_view, attempt_id) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_turn_view, input_ref) },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_turn_view, started_at) },
	{ .name = STRC("completedAt"), .alias = STRC("completed_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_turn_view, completed_at) },
	{ .name = STRC("steps"), .alias = STRC("steps"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_turn_view, steps), .required = true, .rec = &rec_step_view_desc },
	{ .name = STRC("taskProfile"), .alias = STRC("task_profile"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, task_profile), .rec = &rec_task_profile_desc },
	{ .name = STRC("candidateModelSet"), .alias = STRC("candidate_model_set"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, candidate_model_set), .rec = &rec_candidate_model_set_desc },
	{ .name = STRC("routingDecision"), .alias = STRC("routing_decision"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, routing_decision), .rec = &rec_routing_decision_desc },
	{ .name = STRC("permissionState"), .alias = STRC("permission_state"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, permission_state), .rec = &rec_turn_permission_view_desc },
	{ .name = STRC("sandboxProfile"), .alias = STRC("sandbox_profile"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, sandbox_profile), .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("executionEnvironment"), .alias = STRC("execution_environment"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, execution_environment), .rec = &rec_execution_environment_desc },
	{ .name = STRC("costState"), .alias = STRC("cost_state"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, cost_state), .rec = &rec_cost_state_desc },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_REC, .offset = offsetof(struct rec_turn_view, limit_state), .rec = &rec_limit_state_desc },
	{ .name = STRC("hookRuns"), .alias = STRC("hook_runs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_turn_view, hook_runs), .rec = &rec_hook_run_desc },
	{ .name = STRC("processes"), .alias = STRC("processes"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_turn_view, processes), .rec = &rec_process_view_desc },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_turn_view, output_refs), .rec = &rec_output_row_desc },
};
const struct rec_desc rec_turn_view_desc = { "turn_view", rec_turn_view_fields, 22, sizeof(struct rec_turn_view) };


static const struct field rec_action_view_fields[] = {
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, action_id), .required = true },
	{ .name = STRC("actionType"), .alias = STRC("action_type"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, action_type), .required = true, .words = &enum_action_type },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, status), .required = true, .words = &enum_action_status },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, turn_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, task_id) },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, step_id) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, tool_call_id) },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, parent_thread_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, subagent_id) },
	{ .name = STRC("parentTurnId"), .alias = STRC("parent_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, parent_turn_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, parent_task_id) },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct rec_action_view, tool_name) },
	{ .name = STRC("prompt"), .alias = STRC("prompt"), .type = FIELD_STR, .offset = offsetof(struct rec_action_view, prompt), .required = true },
	{ .name = STRC("schema"), .alias = STRC("schema"), .type = FIELD_JSON, .offset = offsetof(struct rec_action_view, schema) },
	{ .name = STRC("decisionKind"), .alias = STRC("decision_kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, decision_kind), .required = true, .words = &enum_decision_kind },
	{ .name = STRC("decisions"), .alias = STRC("decisions"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_action_view, decisions), .required = true, .rec = &rec_decision_option_desc },
	{ .name = STRC("scopeDetail"), .alias = STRC("scope_detail"), .type = FIELD_REC, .offset = offsetof(struct rec_action_view, scope_detail), .rec = &rec_action_scope_desc },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_REC, .offset = offsetof(struct rec_action_view, policy), .rec = &rec_action_policy_desc },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_action_view, input_ref) },
	{ .name = STRC("inputBytes"), .alias = STRC("input_bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_action_view, input_bytes), .has_offset = offsetof(struct rec_action_view, has_input_bytes) },
	{ .name = STRC("override"), .alias = STRC("override"), .type = FIELD_REC, .offset = offsetof(struct rec_action_view, override), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("requestedAt"), .alias = STRC("requested_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_action_view, requested_at), .required = true },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_action_view, expires_at) },
	{ .name = STRC("onExpiry"), .alias = STRC("on_expiry"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, on_expiry), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_action_view, ended_by), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_action_view, sequence), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, decision), .words = &enum_approval_decision },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct rec_action_view, scope), .words = &enum_grant_scope },
	{ .name = STRC("decidedBy"), .alias = STRC("decided_by"), .type = FIELD_REC, .offset = offsetof(struct rec_action_view, decided_by), .rec = &rec_actor_desc },
	{ .name = STRC("resolvedAt"), .alias = STRC("resolved_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_action_view, resolved_at) },
};
const struct rec_desc rec_action_view_desc = { "action_view", rec_action_view_fields, 32, sizeof(struct rec_action_view) };


static const struct field rec_queue_view_fields[] = {
	{ .name = STRC("queueId"), .alias = STRC("queue_id"), .type = FIELD_ID, .offset = offsetof(struct rec_queue_view, queue_id), .required = true },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_queue_view, order), .required = true },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_REC, .offset = offsetof(struct rec_queue_view, policy), .required = true, .rec = &rec_queue_rules_desc },
	{ .name = STRC("resumeState"), .alias = STRC("resume_state"), .type = FIELD_STR, .offset = offsetof(struct rec_queue_view, resume_state), .required = true },
};
const struct rec_desc rec_queue_view_desc = { "queue_view", rec_queue_view_fields, 4, sizeof(struct rec_queue_view) };


static const struct field rec_queued_turn_view_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_queued_turn_view, turn_id), .required = true },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_queued_turn_view, queued_turn_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_queued_turn_view, task_id) },
	{ .name = STRC("position"), .alias = STRC("position"), .type = FIELD_INT, .offset = offsetof(struct rec_queued_turn_view, position), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_queued_turn_view, status), .required = true, .words = &enum_status },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct rec_queued_turn_view, source), .required = true },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct rec_queued_turn_view, delivery), .words = &enum_delivery },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_queued_turn_view, input_ref) },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct rec_queued_turn_view, preview) },
	{ .name = STRC("queuedAt"), .alias = STRC("queued_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_queued_turn_view, queued_at), .required = true },
};
const struct rec_desc rec_queued_turn_view_desc = { "queued_turn_view", rec_queued_turn_view_fields, 10, sizeof(struct rec_queued_turn_view) };


static const struct field rec_tool_call_view_fields[] = {
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct rec_tool_call_view, tool_call_id), .required = true },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct rec_tool_call_view, step_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_tool_call_view, turn_id), .required = true },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct rec_tool_call_view, tool_name), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_tool_call_view, status), .required = true, .words = &enum_status },
	{ .name = STRC("permissionDecision"), .alias = STRC("permission_decision"), .type = FIELD_REC, .offset = offsetof(struct rec_tool_call_view, permission_decision), .rec = &rec_permission_decision_desc },
	{ .name = STRC("hookRunIds"), .alias = STRC("hook_run_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_tool_call_view, hook_run_ids), .required = true },
	{ .name = STRC("executed"), .alias = STRC("executed"), .type = FIELD_ENUM, .offset = offsetof(struct rec_tool_call_view, executed), .required = true, .words = &enum_executed },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct rec_tool_call_view, category), .words = &enum_error_category },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_tool_call_view, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_tool_call_view, output_ref) },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct rec_tool_call_view, exit_code), .has_offset = offsetof(struct rec_tool_call_view, has_exit_code) },
	{ .name = STRC("isError"), .alias = STRC("is_error"), .type = FIELD_BOOL, .offset = offsetof(struct rec_tool_call_view, is_error), .has_offset = offsetof(struct rec_tool_call_view, has_is_error) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct rec_tool_call_view, duration_ms), .has_offset = offsetof(struct rec_tool_call_view, has_duration_ms) },
};
const struct rec_desc rec_tool_call_view_desc = { "tool_call_view", rec_tool_call_view_fields, 14, sizeof(struct rec_tool_call_view) };


static const struct field rec_decision_counts_fields[] = {
	{ .name = STRC("allow"), .alias = STRC("allow"), .type = FIELD_INT, .offset = offsetof(struct rec_decision_counts, allow), .required = true },
	{ .name = STRC("ask"), .alias = STRC("ask"), .type = FIELD_INT, .offset = offsetof(struct rec_decision_counts, ask), .required = true },
	{ .name = STRC("deny"), .alias = STRC("deny"), .type = FIELD_INT, .offset = offsetof(struct rec_decision_counts, deny), .required = true },
};
const struct rec_desc rec_decision_counts_desc = { "decision_counts", rec_decision_counts_fields, 3, sizeof(struct rec_decision_counts) };


static const struct field rec_permission_state_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct rec_permission_state, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("interactive"), .alias = STRC("interactive"), .type = FIELD_BOOL, .offset = offsetof(struct rec_permission_state, interactive), .required = true },
	{ .name = STRC("policySources"), .alias = STRC("policy_sources"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_permission_state, policy_sources), .required = true },
	{ .name = STRC("pendingApprovals"), .alias = STRC("pending_approvals"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_permission_state, pending_approvals), .required = true },
	{ .name = STRC("grants"), .alias = STRC("grants"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_permission_state, grants), .required = true, .rec = &rec_grant_desc },
	{ .name = STRC("rules"), .alias = STRC("rules"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_permission_state, rules), .rec = &rec_rule_row_desc },
	{ .name = STRC("ruleCount"), .alias = STRC("rule_count"), .type = FIELD_INT, .offset = offsetof(struct rec_permission_state, rule_count), .has_offset = offsetof(struct rec_permission_state, has_rule_count) },
	{ .name = STRC("decisions"), .alias = STRC("decisions"), .type = FIELD_REC, .offset = offsetof(struct rec_permission_state, decisions), .required = true, .rec = &rec_decision_counts_desc },
};
const struct rec_desc rec_permission_state_desc = { "permission_state", rec_permission_state_fields, 8, sizeof(struct rec_permission_state) };


static const struct field rec_sandbox_state_fields[] = {
	{ .name = STRC("profile"), .alias = STRC("profile"), .type = FIELD_REC, .offset = offsetof(struct rec_sandbox_state, profile), .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_sandbox_state, violation_refs), .required = true },
};
const struct rec_desc rec_sandbox_state_desc = { "sandbox_state", rec_sandbox_state_fields, 2, sizeof(struct rec_sandbox_state) };


static const struct field rec_model_routing_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_model_routing, status), .words = &enum_honesty },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct rec_model_routing, task_kind) },
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct rec_model_routing, candidate_count), .required = true },
	{ .name = STRC("singleCandidate"), .alias = STRC("single_candidate"), .type = FIELD_BOOL, .offset = offsetof(struct rec_model_routing, single_candidate), .required = true },
	{ .name = STRC("selectedProvider"), .alias = STRC("selected_provider"), .type = FIELD_STR, .offset = offsetof(struct rec_model_routing, selected_provider) },
	{ .name = STRC("selectedModel"), .alias = STRC("selected_model"), .type = FIELD_STR, .offset = offsetof(struct rec_model_routing, selected_model) },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct rec_model_routing, decision_source), .words = &enum_routing_source },
	{ .name = STRC("decisionReason"), .alias = STRC("decision_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_model_routing, decision_reason) },
	{ .name = STRC("capabilityGap"), .alias = STRC("capability_gap"), .type = FIELD_STR, .offset = offsetof(struct rec_model_routing, capability_gap) },
	{ .name = STRC("fallbackApplied"), .alias = STRC("fallback_applied"), .type = FIELD_BOOL, .offset = offsetof(struct rec_model_routing, fallback_applied), .required = true },
	{ .name = STRC("costState"), .alias = STRC("cost_state"), .type = FIELD_REC, .offset = offsetof(struct rec_model_routing, cost_state), .rec = &rec_cost_state_desc },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_REC, .offset = offsetof(struct rec_model_routing, limit_state), .rec = &rec_limit_state_desc },
	{ .name = STRC("providerLimits"), .alias = STRC("provider_limits"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_model_routing, provider_limits), .rec = &rec_provider_limit_desc },
};
const struct rec_desc rec_model_routing_desc = { "model_routing", rec_model_routing_fields, 13, sizeof(struct rec_model_routing) };


static const struct field rec_incident_fields[] = {
	{ .name = STRC("incidentId"), .alias = STRC("incident_id"), .type = FIELD_ID, .offset = offsetof(struct rec_incident, incident_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_incident, kind), .required = true },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_STR, .offset = offsetof(struct rec_incident, category) },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct rec_incident, message), .required = true },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct rec_incident, at), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_incident, sequence), .required = true },
	{ .name = STRC("open"), .alias = STRC("open"), .type = FIELD_BOOL, .offset = offsetof(struct rec_incident, open), .required = true },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_incident, ref) },
};
const struct rec_desc rec_incident_desc = { "incident", rec_incident_fields, 8, sizeof(struct rec_incident) };


static const struct field rec_context_boundary_fields[] = {
	{ .name = STRC("selectedRefs"), .alias = STRC("selected_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_context_boundary, selected_refs), .required = true },
	{ .name = STRC("compactions"), .alias = STRC("compactions"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_context_boundary, compactions), .required = true, .rec = &rec_compaction_desc },
	{ .name = STRC("warnings"), .alias = STRC("warnings"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_context_boundary, warnings), .required = true },
	{ .name = STRC("missing"), .alias = STRC("missing"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_context_boundary, missing), .required = true, .rec = &rec_missing_ref_desc },
};
const struct rec_desc rec_context_boundary_desc = { "context_boundary", rec_context_boundary_fields, 4, sizeof(struct rec_context_boundary) };


static const struct field rec_history_window_fields[] = {
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_window, from_sequence), .required = true },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_history_window, to_sequence), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_history_window, turns), .has_offset = offsetof(struct rec_history_window, has_turns) },
	{ .name = STRC("older"), .alias = STRC("older"), .type = FIELD_INT, .offset = offsetof(struct rec_history_window, older), .required = true },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct rec_history_window, cursor) },
};
const struct rec_desc rec_history_window_desc = { "history_window", rec_history_window_fields, 5, sizeof(struct rec_history_window) };


static const struct field rec_past_turn_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_past_turn, turn_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_past_turn, thread_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_past_turn, task_id) },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_past_turn, kind), .words = &enum_turn_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_past_turn, status), .required = true, .words = &enum_status },
	{ .name = STRC("inputPreview"), .alias = STRC("input_preview"), .type = FIELD_STR, .offset = offsetof(struct rec_past_turn, input_preview) },
	{ .name = STRC("submittedSequence"), .alias = STRC("submitted_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_past_turn, submitted_sequence), .required = true },
	{ .name = STRC("endedSequence"), .alias = STRC("ended_sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_past_turn, ended_sequence), .has_offset = offsetof(struct rec_past_turn, has_ended_sequence) },
	{ .name = STRC("submittedAt"), .alias = STRC("submitted_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_past_turn, submitted_at) },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_past_turn, ended_at) },
};
const struct rec_desc rec_past_turn_desc = { "past_turn", rec_past_turn_fields, 10, sizeof(struct rec_past_turn) };


static const struct field rec_thread_history_fields[] = {
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_thread_history, turns), .required = true },
	{ .name = STRC("compactionBoundary"), .alias = STRC("compaction_boundary"), .type = FIELD_JSON, .offset = offsetof(struct rec_thread_history, compaction_boundary), .required = true },
	{ .name = STRC("window"), .alias = STRC("window"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_history, window), .required = true, .rec = &rec_history_window_desc },
};
const struct rec_desc rec_thread_history_desc = { "thread_history", rec_thread_history_fields, 3, sizeof(struct rec_thread_history) };


static const struct field rec_diagnostics_fields[] = {
	{ .name = STRC("warnings"), .alias = STRC("warnings"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, warnings), .required = true, .rec = &rec_incident_desc },
	{ .name = STRC("failedTools"), .alias = STRC("failed_tools"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, failed_tools), .required = true, .rec = &rec_thing_desc },
	{ .name = STRC("failedCommands"), .alias = STRC("failed_commands"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, failed_commands), .required = true, .rec = &rec_thing_desc },
	{ .name = STRC("stalledTurns"), .alias = STRC("stalled_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_diagnostics, stalled_turns), .required = true },
	{ .name = STRC("stalledTasks"), .alias = STRC("stalled_tasks"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_diagnostics, stalled_tasks) },
	{ .name = STRC("pendingRequests"), .alias = STRC("pending_requests"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, pending_requests), .rec = &rec_thing_desc },
	{ .name = STRC("lostWorkers"), .alias = STRC("lost_workers"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_diagnostics, lost_workers), .required = true },
	{ .name = STRC("interrupt"), .alias = STRC("interrupt"), .type = FIELD_STR, .offset = offsetof(struct rec_diagnostics, interrupt), .required = true },
	{ .name = STRC("quotaBlocks"), .alias = STRC("quota_blocks"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, quota_blocks), .required = true, .rec = &rec_limit_event_desc },
	{ .name = STRC("contextGaps"), .alias = STRC("context_gaps"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_diagnostics, context_gaps), .required = true, .rec = &rec_missing_ref_desc },
	{ .name = STRC("unavailable"), .alias = STRC("unavailable"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_diagnostics, unavailable) },
};
const struct rec_desc rec_diagnostics_desc = { "diagnostics", rec_diagnostics_fields, 11, sizeof(struct rec_diagnostics) };


static const struct field rec_evidence_summary_fields[] = {
	{ .name = STRC("evidenceRefs"), .alias = STRC("evidence_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, evidence_refs), .required = true },
	{ .name = STRC("packRefs"), .alias = STRC("pack_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, pack_refs), .required = true },
	{ .name = STRC("replayRefs"), .alias = STRC("replay_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, replay_refs), .required = true },
	{ .name = STRC("reviewRefs"), .alias = STRC("review_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, review_refs), .required = true },
	{ .name = STRC("verificationOutcomes"), .alias = STRC("verification_outcomes"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_evidence_summary, verification_outcomes), .required = true, .rec = &rec_verification_desc },
	{ .name = STRC("knownGaps"), .alias = STRC("known_gaps"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, known_gaps), .required = true },
	{ .name = STRC("traceIds"), .alias = STRC("trace_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, trace_ids) },
	{ .name = STRC("auditNotes"), .alias = STRC("audit_notes"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_evidence_summary, audit_notes) },
};
const struct rec_desc rec_evidence_summary_desc = { "evidence_summary", rec_evidence_summary_fields, 8, sizeof(struct rec_evidence_summary) };


static const struct field rec_thread_telemetry_fields[] = {
	{ .name = STRC("traceIds"), .alias = STRC("trace_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_thread_telemetry, trace_ids), .required = true },
	{ .name = STRC("joinStatus"), .alias = STRC("join_status"), .type = FIELD_STR, .offset = offsetof(struct rec_thread_telemetry, join_status), .required = true },
};
const struct rec_desc rec_thread_telemetry_desc = { "thread_telemetry", rec_thread_telemetry_fields, 2, sizeof(struct rec_thread_telemetry) };


static const struct field rec_blocked_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_blocked_task, task_id), .required = true },
	{ .name = STRC("blocker"), .alias = STRC("blocker"), .type = FIELD_REC, .offset = offsetof(struct rec_blocked_task, blocker), .required = true, .rec = &rec_blocker_desc },
	{ .name = STRC("since"), .alias = STRC("since"), .type = FIELD_TIME, .offset = offsetof(struct rec_blocked_task, since), .required = true },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct rec_blocked_task, until) },
	{ .name = STRC("requiredActionIds"), .alias = STRC("required_action_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_blocked_task, required_action_ids), .required = true },
};
const struct rec_desc rec_blocked_task_desc = { "blocked_task", rec_blocked_task_fields, 5, sizeof(struct rec_blocked_task) };


static const struct field rec_task_summary_fields[] = {
	{ .name = STRC("active"), .alias = STRC("active"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, active), .required = true },
	{ .name = STRC("waiting"), .alias = STRC("waiting"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, waiting), .required = true },
	{ .name = STRC("terminal"), .alias = STRC("terminal"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, terminal), .required = true },
	{ .name = STRC("completed"), .alias = STRC("completed"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, completed), .required = true },
	{ .name = STRC("failed"), .alias = STRC("failed"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, failed), .required = true },
	{ .name = STRC("lost"), .alias = STRC("lost"), .type = FIELD_INT, .offset = offsetof(struct rec_task_summary, lost), .required = true },
	{ .name = STRC("recentTerminal"), .alias = STRC("recent_terminal"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_task_summary, recent_terminal), .required = true },
};
const struct rec_desc rec_task_summary_desc = { "task_summary", rec_task_summary_fields, 7, sizeof(struct rec_task_summary) };


static const struct field rec_account_fields[] = {
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_STR, .offset = offsetof(struct rec_account, scope), .required = true },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct rec_account, ref) },
};
const struct rec_desc rec_account_desc = { "account", rec_account_fields, 2, sizeof(struct rec_account) };


static const struct field rec_telemetry_summary_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_telemetry_summary, status), .required = true, .words = &enum_evidence_signal },
	{ .name = STRC("traceIds"), .alias = STRC("trace_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_telemetry_summary, trace_ids) },
	{ .name = STRC("joinStatus"), .alias = STRC("join_status"), .type = FIELD_STR, .offset = offsetof(struct rec_telemetry_summary, join_status) },
};
const struct rec_desc rec_telemetry_summary_desc = { "telemetry_summary", rec_telemetry_summary_fields, 3, sizeof(struct rec_telemetry_summary) };


static const struct field rec_output_summary_fields[] = {
	{ .name = STRC("count"), .alias = STRC("count"), .type = FIELD_INT, .offset = offsetof(struct rec_output_summary, count), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct rec_output_summary, bytes), .required = true },
	{ .name = STRC("expired"), .alias = STRC("expired"), .type = FIELD_INT, .offset = offsetof(struct rec_output_summary, expired), .required = true },
};
const struct rec_desc rec_output_summary_desc = { "output_summary", rec_output_summary_fields, 3, sizeof(struct rec_output_summary) };


static const struct field rec_history_summary_fields[] = {
	{ .name = STRC("events"), .alias = STRC("events"), .type = FIELD_INT, .offset = offsetof(struct rec_history_summary, events), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct rec_history_summary, turns), .required = true },
	{ .name = STRC("compactions"), .alias = STRC("compactions"), .type = FIELD_INT, .offset = offsetof(struct rec_history_summary, compactions), .required = true },
	{ .name = STRC("rollbacks"), .alias = STRC("rollbacks"), .type = FIELD_INT, .offset = offsetof(struct rec_history_summary, rollbacks), .required = true },
	{ .name = STRC("degraded"), .alias = STRC("degraded"), .type = FIELD_BOOL, .offset = offsetof(struct rec_history_summary, degraded), .required = true },
	{ .name = STRC("missing"), .alias = STRC("missing"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_history_summary, missing) },
};
const struct rec_desc rec_history_summary_desc = { "history_summary", rec_history_summary_fields, 6, sizeof(struct rec_history_summary) };


static const struct field rec_artifact_version_fields[] = {
	{ .name = STRC("versionId"), .alias = STRC("version_id"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_version, version_id), .required = true },
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct rec_artifact_version, change), .required = true, .words = &enum_artifact_change },
	{ .name = STRC("diffRef"), .alias = STRC("diff_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_version, diff_ref) },
	{ .name = STRC("checkpointRef"), .alias = STRC("checkpoint_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_version, checkpoint_ref) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_artifact_version, turn_id) },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct rec_artifact_version, at), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_artifact_version, sequence), .required = true },
};
const struct rec_desc rec_artifact_version_desc = { "artifact_version", rec_artifact_version_fields, 7, sizeof(struct rec_artifact_version) };


static const struct field rec_artifact_validation_fields[] = {
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_artifact_validation, state), .required = true, .words = &enum_validation_state },
	{ .name = STRC("issues"), .alias = STRC("issues"), .type = FIELD_INT, .offset = offsetof(struct rec_artifact_validation, issues), .required = true },
	{ .name = STRC("checks"), .alias = STRC("checks"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_artifact_validation, checks), .required = true },
	{ .name = STRC("unchecked"), .alias = STRC("unchecked"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_artifact_validation, unchecked), .required = true },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_artifact_validation, messages), .required = true },
};
const struct rec_desc rec_artifact_validation_desc = { "artifact_validation", rec_artifact_validation_fields, 5, sizeof(struct rec_artifact_validation) };


static const struct field rec_validation_counts_fields[] = {
	{ .name = STRC("passed"), .alias = STRC("passed"), .type = FIELD_INT, .offset = offsetof(struct rec_validation_counts, passed), .required = true },
	{ .name = STRC("failed"), .alias = STRC("failed"), .type = FIELD_INT, .offset = offsetof(struct rec_validation_counts, failed), .required = true },
	{ .name = STRC("notApplicable"), .alias = STRC("not_applicable"), .type = FIELD_INT, .offset = offsetof(struct rec_validation_counts, not_applicable), .required = true },
	{ .name = STRC("unchecked"), .alias = STRC("unchecked"), .type = FIELD_INT, .offset = offsetof(struct rec_validation_counts, unchecked), .required = true },
	{ .name = STRC("issues"), .alias = STRC("issues"), .type = FIELD_INT, .offset = offsetof(struct rec_validation_counts, issues), .required = true },
};
const struct rec_desc rec_validation_counts_desc = { "validation_counts", rec_validation_counts_fields, 5, sizeof(struct rec_validation_counts) };


static const struct field rec_artifact_row_fields[] = {
	{ .name = STRC("artifactId"), .alias = STRC("artifact_id"), .type = FIELD_ID, .offset = offsetof(struct rec_artifact_row, artifact_id), .required = true },
	{ .name = STRC("versionId"), .alias = STRC("version_id"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, version_id), .required = true },
	{ .name = STRC("versions"), .alias = STRC("versions"), .type = FIELD_INT, .offset = offsetof(struct rec_artifact_row, versions), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, kind), .required = true },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, path) },
	{ .name = STRC("readRef"), .alias = STRC("read_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, read_ref) },
	{ .name = STRC("previewRef"), .alias = STRC("preview_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, preview_ref) },
	{ .name = STRC("diffRef"), .alias = STRC("diff_ref"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, diff_ref) },
	{ .name = STRC("issues"), .alias = STRC("issues"), .type = FIELD_INT, .offset = offsetof(struct rec_artifact_row, issues), .has_offset = offsetof(struct rec_artifact_row, has_issues) },
	{ .name = STRC("issuesState"), .alias = STRC("issues_state"), .type = FIELD_ENUM, .offset = offsetof(struct rec_artifact_row, issues_state), .words = &enum_honesty },
	{ .name = STRC("validation"), .alias = STRC("validation"), .type = FIELD_ENUM, .offset = offsetof(struct rec_artifact_row, validation), .required = true, .words = &enum_validation_state },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_artifact_row, messages) },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_STR, .offset = offsetof(struct rec_artifact_row, owner), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct rec_artifact_row, task_id) },
	{ .name = STRC("checkpoints"), .alias = STRC("checkpoints"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_artifact_row, checkpoints), .required = true, .rec = &rec_artifact_version_desc },
};
const struct rec_desc rec_artifact_row_desc = { "artifact_row", rec_artifact_row_fields, 15, sizeof(struct rec_artifact_row) };


static const struct field rec_trial_row_fields[] = {
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct rec_trial_row, trial_id), .required = true },
	{ .name = STRC("benchmark"), .alias = STRC("benchmark"), .type = FIELD_REC, .offset = offsetof(struct rec_trial_row, benchmark), .required = true, .rec = &rec_benchmark_desc },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_trial_row, status), .required = true, .words = &enum_status },
	{ .name = STRC("reward"), .alias = STRC("reward"), .type = FIELD_REC, .offset = offsetof(struct rec_trial_row, reward), .rec = &rec_reward_desc },
	{ .name = STRC("trajectory"), .alias = STRC("trajectory"), .type = FIELD_REC, .offset = offsetof(struct rec_trial_row, trajectory), .rec = &rec_trajectory_desc },
};
const struct rec_desc rec_trial_row_desc = { "trial_row", rec_trial_row_fields, 5, sizeof(struct rec_trial_row) };


static const struct field rec_subagent_job_section_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_subagent_job_section, status), .words = &enum_honesty },
	{ .name = STRC("subagents"), .alias = STRC("subagents"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_subagent_job_section, subagents), .rec = &rec_subagent_desc },
	{ .name = STRC("jobs"), .alias = STRC("jobs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_subagent_job_section, jobs), .rec = &rec_job_desc },
	{ .name = STRC("assignedThreadIds"), .alias = STRC("assigned_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_subagent_job_section, assigned_thread_ids) },
	{ .name = STRC("recoverable"), .alias = STRC("recoverable"), .type = FIELD_BOOL, .offset = offsetof(struct rec_subagent_job_section, recoverable), .has_offset = offsetof(struct rec_subagent_job_section, has_recoverable) },
};
const struct rec_desc rec_subagent_job_section_desc = { "subagent_job_section", rec_subagent_job_section_fields, 5, sizeof(struct rec_subagent_job_section) };


static const struct field rec_channel_section_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_channel_section, status), .words = &enum_honesty },
	{ .name = STRC("channels"), .alias = STRC("channels"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_channel_section, channels), .rec = &rec_channel_desc },
	{ .name = STRC("pendingForwards"), .alias = STRC("pending_forwards"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_channel_section, pending_forwards) },
};
const struct rec_desc rec_channel_section_desc = { "channel_section", rec_channel_section_fields, 3, sizeof(struct rec_channel_section) };


static const struct field rec_benchmark_section_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_benchmark_section, status), .words = &enum_honesty },
	{ .name = STRC("trials"), .alias = STRC("trials"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_benchmark_section, trials), .rec = &rec_trial_row_desc },
	{ .name = STRC("comparison"), .alias = STRC("comparison"), .type = FIELD_REC, .offset = offsetof(struct rec_benchmark_section, comparison), .rec = &rec_comparison_desc },
};
const struct rec_desc rec_benchmark_section_desc = { "benchmark_section", rec_benchmark_section_fields, 3, sizeof(struct rec_benchmark_section) };


static const struct field rec_todo_item_fields[] = {
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_STR, .offset = offsetof(struct rec_todo_item, text), .required = true, .max = 500 },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_todo_item, status), .required = true, .words = &enum_todo_status },
};
const struct rec_desc rec_todo_item_desc = { "todo_item", rec_todo_item_fields, 2, sizeof(struct rec_todo_item) };


static const struct field rec_thread_view_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct rec_thread_view, thread_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_view, kind), .required = true, .words = &enum_thread_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_view, status), .required = true, .words = &enum_thread_status },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct rec_thread_view, profile_status), .required = true, .words = &enum_status },
	{ .name = STRC("activeTurnId"), .alias = STRC("active_turn_id"), .type = FIELD_ID, .offset = offsetof(struct rec_thread_view, active_turn_id) },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct rec_thread_view, status_reason) },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, wait), .rec = &rec_wait_desc },
	{ .name = STRC("lastOutcome"), .alias = STRC("last_outcome"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, last_outcome), .rec = &rec_last_outcome_desc },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, turns), .required = true, .rec = &rec_turn_view_desc },
	{ .name = STRC("pendingRequests"), .alias = STRC("pending_requests"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, pending_requests), .required = true, .rec = &rec_action_view_desc },
	{ .name = STRC("queuedTurns"), .alias = STRC("queued_turns"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, queued_turns), .required = true, .rec = &rec_queued_turn_view_desc },
	{ .name = STRC("queue"), .alias = STRC("queue"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, queue), .required = true, .rec = &rec_queue_view_desc },
	{ .name = STRC("incidents"), .alias = STRC("incidents"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, incidents), .required = true, .rec = &rec_incident_desc },
	{ .name = STRC("actions"), .alias = STRC("actions"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, actions), .required = true, .rec = &rec_action_view_desc },
	{ .name = STRC("toolCalls"), .alias = STRC("tool_calls"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, tool_calls), .required = true, .rec = &rec_tool_call_view_desc },
	{ .name = STRC("processes"), .alias = STRC("processes"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, processes), .required = true, .rec = &rec_process_view_desc },
	{ .name = STRC("permissionState"), .alias = STRC("permission_state"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, permission_state), .required = true, .rec = &rec_permission_state_desc },
	{ .name = STRC("sandboxState"), .alias = STRC("sandbox_state"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, sandbox_state), .required = true, .rec = &rec_sandbox_state_desc },
	{ .name = STRC("modelRouting"), .alias = STRC("model_routing"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, model_routing), .required = true, .rec = &rec_model_routing_desc },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, limit_state), .rec = &rec_limit_state_desc },
	{ .name = STRC("costState"), .alias = STRC("cost_state"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, cost_state), .rec = &rec_cost_state_desc },
	{ .name = STRC("subagents"), .alias = STRC("subagents"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, subagents), .required = true, .rec = &rec_subagent_desc },
	{ .name = STRC("jobs"), .alias = STRC("jobs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, jobs), .required = true, .rec = &rec_job_desc },
	{ .name = STRC("channels"), .alias = STRC("channels"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, channels), .required = true, .rec = &rec_channel_desc },
	{ .name = STRC("outputs"), .alias = STRC("outputs"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, outputs), .required = true, .rec = &rec_output_desc },
	{ .name = STRC("tasks"), .alias = STRC("tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, tasks), .required = true, .rec = &rec_task_desc },
	{ .name = STRC("taskGraph"), .alias = STRC("task_graph"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, task_graph), .required = true, .rec = &rec_task_graph_desc },
	{ .name = STRC("blockedTasks"), .alias = STRC("blocked_tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, blocked_tasks), .required = true, .rec = &rec_blocked_task_desc },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, delivery_state), .rec = &rec_delivery_state_desc },
	{ .name = STRC("telemetry"), .alias = STRC("telemetry"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, telemetry), .required = true, .rec = &rec_thread_telemetry_desc },
	{ .name = STRC("history"), .alias = STRC("history"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, history), .required = true, .rec = &rec_thread_history_desc },
	{ .name = STRC("contextBoundary"), .alias = STRC("context_boundary"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, context_boundary), .required = true, .rec = &rec_context_boundary_desc },
	{ .name = STRC("diagnostics"), .alias = STRC("diagnostics"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, diagnostics), .required = true, .rec = &rec_diagnostics_desc },
	{ .name = STRC("evidenceSummary"), .alias = STRC("evidence_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_thread_view, evidence_summary), .required = true, .rec = &rec_evidence_summary_desc },
	{ .name = STRC("todo"), .alias = STRC("todo"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_thread_view, todo), .rec = &rec_todo_item_desc },
};
const struct rec_desc rec_thread_view_desc = { "thread_view", rec_thread_view_fields, 35, sizeof(struct rec_thread_view) };


static const struct field rec_session_view_fields[] = {
	{ .name = STRC("schemaVersion"), .alias = STRC("schema_version"), .type = FIELD_STR, .offset = offsetof(struct rec_session_view, schema_version), .required = true },
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct rec_session_view, runtime_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct rec_session_view, session_id), .required = true },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct rec_session_view, workspace_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct rec_session_view, title) },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_session_view, created_at), .required = true },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct rec_session_view, updated_at), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct rec_session_view, sequence), .required = true },
	{ .name = STRC("foldVersion"), .alias = STRC("fold_version"), .type = FIELD_INT, .offset = offsetof(struct rec_session_view, fold_version), .required = true },
	{ .name = STRC("stale"), .alias = STRC("stale"), .type = FIELD_BOOL, .offset = offsetof(struct rec_session_view, stale), .required = true },
	{ .name = STRC("truncated"), .alias = STRC("truncated"), .type = FIELD_BOOL, .offset = offsetof(struct rec_session_view, truncated), .required = true },
	{ .name = STRC("account"), .alias = STRC("account"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, account), .required = true, .rec = &rec_account_desc },
	{ .name = STRC("activeThreadIds"), .alias = STRC("active_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_session_view, active_thread_ids), .required = true },
	{ .name = STRC("pinnedThreadIds"), .alias = STRC("pinned_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct rec_session_view, pinned_thread_ids), .required = true },
	{ .name = STRC("historyWindow"), .alias = STRC("history_window"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, history_window), .required = true, .rec = &rec_history_window_desc },
	{ .name = STRC("threads"), .alias = STRC("threads"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_session_view, threads), .required = true, .rec = &rec_thread_view_desc },
	{ .name = STRC("tasks"), .alias = STRC("tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_session_view, tasks), .required = true, .rec = &rec_task_desc },
	{ .name = STRC("taskSummary"), .alias = STRC("task_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, task_summary), .required = true, .rec = &rec_task_summary_desc },
	{ .name = STRC("taskGraph"), .alias = STRC("task_graph"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, task_graph), .required = true, .rec = &rec_task_graph_desc },
	{ .name = STRC("blockedTasks"), .alias = STRC("blocked_tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct rec_session_view, blocked_tasks), .required = true, .rec = &rec_blocked_task_desc },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, delivery_state), .required = true, .rec = &rec_delivery_state_desc },
	{ .name = STRC("toolInventoryRef"), .alias = STRC("tool_inventory_ref"), .type = FIELD_ID, .offset = offsetof(struct rec_session_view, tool_inventory_ref) },
	{ .name = STRC("executionEnvironment"), .alias = STRC("execution_environment"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, execution_environment), .rec = &rec_execution_environment_desc },
	{ .name = STRC("permissionState"), .alias = STRC("permission_state"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, permission_state), .required = true, .rec = &rec_permission_state_desc },
	{ .name = STRC("sandboxState"), .alias = STRC("sandbox_state"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, sandbox_state), .required = true, .rec = &rec_sandbox_state_desc },
	{ .name = STRC("routingLimitSummary"), .alias = STRC("routing_limit_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, routing_limit_summary), .required = true, .rec = &rec_model_routing_desc },
	{ .name = STRC("subagentJobSummary"), .alias = STRC("subagent_job_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, subagent_job_summary), .required = true, .rec = &rec_subagent_job_section_desc },
	{ .name = STRC("channelSummary"), .alias = STRC("channel_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, channel_summary), .required = true, .rec = &rec_channel_section_desc },
	{ .name = STRC("benchmarkSummary"), .alias = STRC("benchmark_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, benchmark_summary), .rec = &rec_benchmark_section_desc },
	{ .name = STRC("telemetrySummary"), .alias = STRC("telemetry_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, telemetry_summary), .required = true, .rec = &rec_telemetry_summary_desc },
	{ .name = STRC("outputSummary"), .alias = STRC("output_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, output_summary), .required = true, .rec = &rec_output_summary_desc },
	{ .name = STRC("historySummary"), .alias = STRC("history_summary"), .type = FIELD_REC, .offset = offsetof(struct rec_session_view, history_summary), .required = true, .rec = &rec_history_summary_desc },
	{ .name = STRC("artifactRefs"), .alias = STRC("artifact_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_session_view, artifact_refs), .required = true },
	{ .name = STRC("evidenceRefs"), .alias = STRC("evidence_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct rec_session_view, evidence_refs), .required = true },
};
const struct rec_desc rec_session_view_desc = { "session_view", rec_session_view_fields, 34, sizeof(struct rec_session_view) };


static const struct field st_open_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_open, kind), .required = true, .words = &enum_gate_kind },
	{ .name = STRC("id"), .alias = STRC("id"), .type = FIELD_STR, .offset = offsetof(struct st_open, id), .required = true },
};
const struct rec_desc st_open_desc = { "open", st_open_fields, 2, sizeof(struct st_open) };


static const struct field st_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct st_session, session_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct st_session, kind) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct st_session, title) },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct st_session, workspace_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct st_session, cwd) },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct st_session, created_at) },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct st_session, updated_at) },
	{ .name = STRC("clockOffsetMs"), .alias = STRC("clock_offset_ms"), .type = FIELD_INT, .offset = offsetof(struct st_session, clock_offset_ms), .has_offset = offsetof(struct st_session, has_clock_offset_ms) },
	{ .name = STRC("createdBy"), .alias = STRC("created_by"), .type = FIELD_REC, .offset = offsetof(struct st_session, created_by), .rec = &rec_actor_desc },
	{ .name = STRC("permissionMode"), .alias = STRC("permission_mode"), .type = FIELD_ENUM, .offset = offsetof(struct st_session, permission_mode), .words = &enum_permission_mode },
	{ .name = STRC("archived"), .alias = STRC("archived"), .type = FIELD_BOOL, .offset = offsetof(struct st_session, archived), .required = true },
	{ .name = STRC("pinnedThreadIds"), .alias = STRC("pinned_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_session, pinned_thread_ids), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct st_session, model) },
	{ .name = STRC("runtimeState"), .alias = STRC("runtime_state"), .type = FIELD_ENUM, .offset = offsetof(struct st_session, runtime_state), .words = &enum_runtime_state },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_session, sequence), .required = true },
	{ .name = STRC("removedThrough"), .alias = STRC("removed_through"), .type = FIELD_INT, .offset = offsetof(struct st_session, removed_through), .required = true },
	{ .name = STRC("open"), .alias = STRC("open"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, open), .required = true, .rec = &st_open_desc },
	{ .name = STRC("threads"), .alias = STRC("threads"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, threads), .required = true, .rec = &st_thread_desc },
	{ .name = STRC("tasks"), .alias = STRC("tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, tasks), .required = true, .rec = &st_task_desc },
	{ .name = STRC("jobs"), .alias = STRC("jobs"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, jobs), .required = true, .rec = &st_job_desc },
	{ .name = STRC("schedules"), .alias = STRC("schedules"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, schedules), .required = true, .rec = &st_schedule_desc },
	{ .name = STRC("deliveries"), .alias = STRC("deliveries"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, deliveries), .required = true, .rec = &st_delivery_desc },
	{ .name = STRC("subagents"), .alias = STRC("subagents"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, subagents), .required = true, .rec = &st_subagent_desc },
	{ .name = STRC("channels"), .alias = STRC("channels"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, channels), .required = true, .rec = &st_channel_desc },
	{ .name = STRC("grants"), .alias = STRC("grants"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, grants), .required = true, .rec = &st_grant_desc },
	{ .name = STRC("rules"), .alias = STRC("rules"), .type = FIELD_JSON, .offset = offsetof(struct st_session, rules) },
	{ .name = STRC("policyVersion"), .alias = STRC("policy_version"), .type = FIELD_INT, .offset = offsetof(struct st_session, policy_version), .required = true },
	{ .name = STRC("rulesRef"), .alias = STRC("rules_ref"), .type = FIELD_STR, .offset = offsetof(struct st_session, rules_ref) },
	{ .name = STRC("rulesTrouble"), .alias = STRC("rules_trouble"), .type = FIELD_STR, .offset = offsetof(struct st_session, rules_trouble) },
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct st_session, cap_usd), .has_offset = offsetof(struct st_session, has_cap_usd) },
	{ .name = STRC("limits"), .alias = STRC("limits"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, limits), .required = true, .rec = &st_provider_limit_desc },
	{ .name = STRC("artifacts"), .alias = STRC("artifacts"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, artifacts), .required = true, .rec = &st_artifact_desc },
	{ .name = STRC("outputs"), .alias = STRC("outputs"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, outputs), .required = true, .rec = &rec_output_desc },
	{ .name = STRC("expiring"), .alias = STRC("expiring"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_session, expiring), .required = true, .rec = &st_expiring_desc },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct st_session, spent_usd), .required = true },
	{ .name = STRC("reservedUsd"), .alias = STRC("reserved_usd"), .type = FIELD_USD, .offset = offsetof(struct st_session, reserved_usd), .required = true },
	{ .name = STRC("costUnknown"), .alias = STRC("cost_unknown"), .type = FIELD_BOOL, .offset = offsetof(struct st_session, cost_unknown), .required = true },
	{ .name = STRC("costEstimated"), .alias = STRC("cost_estimated"), .type = FIELD_BOOL, .offset = offsetof(struct st_session, cost_estimated), .required = true },
	{ .name = STRC("toldUsage"), .alias = STRC("told_usage"), .type = FIELD_INT, .offset = offsetof(struct st_session, told_usage), .required = true },
	{ .name = STRC("untoldUsage"), .alias = STRC("untold_usage"), .type = FIELD_INT, .offset = offsetof(struct st_session, untold_usage), .required = true },
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_session, input_tokens), .required = true },
	{ .name = STRC("cachedInputTokens"), .alias = STRC("cached_input_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_session, cached_input_tokens), .required = true },
	{ .name = STRC("cacheWriteTokens"), .alias = STRC("cache_write_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_session, cache_write_tokens), .required = true },
	{ .name = STRC("outputTokens"), .alias = STRC("output_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_session, output_tokens), .required = true },
	{ .name = STRC("reasoningTokens"), .alias = STRC("reasoning_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_session, reasoning_tokens), .required = true },
	{ .name = STRC("allowed"), .alias = STRC("allowed"), .type = FIELD_INT, .offset = offsetof(struct st_session, allowed), .required = true },
	{ .name = STRC("asked"), .alias = STRC("asked"), .type = FIELD_INT, .offset = offsetof(struct st_session, asked), .required = true },
	{ .name = STRC("denied"), .alias = STRC("denied"), .type = FIELD_INT, .offset = offsetof(struct st_session, denied), .required = true },
	{ .name = STRC("outputCount"), .alias = STRC("output_count"), .type = FIELD_INT, .offset = offsetof(struct st_session, output_count), .required = true },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_session, output_bytes), .required = true },
	{ .name = STRC("outputExpired"), .alias = STRC("output_expired"), .type = FIELD_INT, .offset = offsetof(struct st_session, output_expired), .required = true },
	{ .name = STRC("turnCount"), .alias = STRC("turn_count"), .type = FIELD_INT, .offset = offsetof(struct st_session, turn_count), .required = true },
	{ .name = STRC("tasksCompleted"), .alias = STRC("tasks_completed"), .type = FIELD_INT, .offset = offsetof(struct st_session, tasks_completed), .required = true },
	{ .name = STRC("tasksFailed"), .alias = STRC("tasks_failed"), .type = FIELD_INT, .offset = offsetof(struct st_session, tasks_failed), .required = true },
	{ .name = STRC("tasksLost"), .alias = STRC("tasks_lost"), .type = FIELD_INT, .offset = offsetof(struct st_session, tasks_lost), .required = true },
	{ .name = STRC("tasksCancelled"), .alias = STRC("tasks_cancelled"), .type = FIELD_INT, .offset = offsetof(struct st_session, tasks_cancelled), .required = true },
	{ .name = STRC("tasksTimedOut"), .alias = STRC("tasks_timed_out"), .type = FIELD_INT, .offset = offsetof(struct st_session, tasks_timed_out), .required = true },
	{ .name = STRC("compactions"), .alias = STRC("compactions"), .type = FIELD_INT, .offset = offsetof(struct st_session, compactions), .required = true },
	{ .name = STRC("rollbacks"), .alias = STRC("rollbacks"), .type = FIELD_INT, .offset = offsetof(struct st_session, rollbacks), .required = true },
	{ .name = STRC("degraded"), .alias = STRC("degraded"), .type = FIELD_BOOL, .offset = offsetof(struct st_session, degraded), .required = true },
	{ .name = STRC("missing"), .alias = STRC("missing"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_session, missing), .required = true },
	{ .name = STRC("environment"), .alias = STRC("environment"), .type = FIELD_REC, .offset = offsetof(struct st_session, environment), .rec = &rec_execution_environment_desc },
	{ .name = STRC("inventoryRef"), .alias = STRC("inventory_ref"), .type = FIELD_STR, .offset = offsetof(struct st_session, inventory_ref) },
	{ .name = STRC("catalogHash"), .alias = STRC("catalog_hash"), .type = FIELD_STR, .offset = offsetof(struct st_session, catalog_hash) },
	{ .name = STRC("catalogSequence"), .alias = STRC("catalog_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_session, catalog_sequence), .required = true },
	{ .name = STRC("traceIds"), .alias = STRC("trace_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_session, trace_ids), .required = true },
	{ .name = STRC("startTurnId"), .alias = STRC("start_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_session, start_turn_id) },
	{ .name = STRC("startHooks"), .alias = STRC("start_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_session, start_hooks), .required = true },
	{ .name = STRC("startIsOver"), .alias = STRC("start_is_over"), .type = FIELD_BOOL, .offset = offsetof(struct st_session, start_is_over), .required = true },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct st_session, metadata) },
};
const struct rec_desc st_session_desc = { "session", st_session_fields, 70, sizeof(struct st_session) };


static const struct field st_thread_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, thread_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_thread, kind), .words = &enum_thread_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_thread, status), .words = &enum_thread_status },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct st_thread, profile_status), .words = &enum_status },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct st_thread, status_reason) },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, parent_thread_id) },
	{ .name = STRC("activeTurnId"), .alias = STRC("active_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, active_turn_id) },
	{ .name = STRC("queueId"), .alias = STRC("queue_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, queue_id) },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_thread, order), .required = true },
	{ .name = STRC("held"), .alias = STRC("held"), .type = FIELD_BOOL, .offset = offsetof(struct st_thread, held), .required = true },
	{ .name = STRC("onBusy"), .alias = STRC("on_busy"), .type = FIELD_ENUM, .offset = offsetof(struct st_thread, on_busy), .words = &enum_on_busy },
	{ .name = STRC("onInterrupt"), .alias = STRC("on_interrupt"), .type = FIELD_ENUM, .offset = offsetof(struct st_thread, on_interrupt), .words = &enum_queue_policy },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, turns), .required = true, .rec = &st_turn_desc },
	{ .name = STRC("actions"), .alias = STRC("actions"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, actions), .required = true, .rec = &st_action_desc },
	{ .name = STRC("calls"), .alias = STRC("calls"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, calls), .required = true, .rec = &st_call_desc },
	{ .name = STRC("processes"), .alias = STRC("processes"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, processes), .required = true, .rec = &st_process_desc },
	{ .name = STRC("hooks"), .alias = STRC("hooks"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, hooks), .required = true, .rec = &st_hook_desc },
	{ .name = STRC("hookContextRefs"), .alias = STRC("hook_context_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_thread, hook_context_refs), .required = true },
	{ .name = STRC("cage"), .alias = STRC("cage"), .type = FIELD_REC, .offset = offsetof(struct st_thread, cage), .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("cageTurnId"), .alias = STRC("cage_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, cage_turn_id) },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_thread, violation_refs), .required = true },
	{ .name = STRC("incidents"), .alias = STRC("incidents"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, incidents), .required = true, .rec = &st_incident_desc },
	{ .name = STRC("history"), .alias = STRC("history"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, history), .required = true, .rec = &st_history_desc },
	{ .name = STRC("turnCount"), .alias = STRC("turn_count"), .type = FIELD_INT, .offset = offsetof(struct st_thread, turn_count), .required = true },
	{ .name = STRC("endedTurns"), .alias = STRC("ended_turns"), .type = FIELD_INT, .offset = offsetof(struct st_thread, ended_turns), .required = true },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_INT, .offset = offsetof(struct st_thread, messages), .required = true },
	{ .name = STRC("lastOutcome"), .alias = STRC("last_outcome"), .type = FIELD_REC, .offset = offsetof(struct st_thread, last_outcome), .rec = &rec_last_outcome_desc },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct st_thread, wait), .rec = &rec_wait_desc },
	{ .name = STRC("forkedFrom"), .alias = STRC("forked_from"), .type = FIELD_REC, .offset = offsetof(struct st_thread, forked_from), .rec = &rec_fork_point_desc },
	{ .name = STRC("compactions"), .alias = STRC("compactions"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, compactions), .required = true, .rec = &st_compaction_desc },
	{ .name = STRC("compaction"), .alias = STRC("compaction"), .type = FIELD_REC, .offset = offsetof(struct st_thread, compaction), .rec = &st_compaction_run_desc },
	{ .name = STRC("rollback"), .alias = STRC("rollback"), .type = FIELD_REC, .offset = offsetof(struct st_thread, rollback), .rec = &st_rollback_run_desc },
	{ .name = STRC("sources"), .alias = STRC("sources"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, sources), .required = true, .rec = &rec_context_item_desc },
	{ .name = STRC("contextWarnings"), .alias = STRC("context_warnings"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_thread, context_warnings), .required = true },
	{ .name = STRC("measuredTokens"), .alias = STRC("measured_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_thread, measured_tokens), .required = true },
	{ .name = STRC("measuredBase"), .alias = STRC("measured_base"), .type = FIELD_INT, .offset = offsetof(struct st_thread, measured_base), .required = true },
	{ .name = STRC("estimatedTokens"), .alias = STRC("estimated_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_thread, estimated_tokens), .required = true },
	{ .name = STRC("contextRefs"), .alias = STRC("context_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_thread, context_refs), .required = true },
	{ .name = STRC("contextMissing"), .alias = STRC("context_missing"), .type = FIELD_JSON, .offset = offsetof(struct st_thread, context_missing) },
	{ .name = STRC("contextOmissions"), .alias = STRC("context_omissions"), .type = FIELD_JSON, .offset = offsetof(struct st_thread, context_omissions) },
	{ .name = STRC("contextIsStale"), .alias = STRC("context_is_stale"), .type = FIELD_BOOL, .offset = offsetof(struct st_thread, context_is_stale), .required = true },
	{ .name = STRC("lostWorkers"), .alias = STRC("lost_workers"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, lost_workers), .required = true, .rec = &st_incident_desc },
	{ .name = STRC("interrupt"), .alias = STRC("interrupt"), .type = FIELD_STR, .offset = offsetof(struct st_thread, interrupt) },
	{ .name = STRC("fallbackApplied"), .alias = STRC("fallback_applied"), .type = FIELD_BOOL, .offset = offsetof(struct st_thread, fallback_applied), .required = true },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct st_thread, created_at) },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct st_thread, updated_at) },
	{ .name = STRC("todo"), .alias = STRC("todo"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, todo), .rec = &rec_todo_item_desc },
	{ .name = STRC("todoTurnId"), .alias = STRC("todo_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_thread, todo_turn_id) },
	{ .name = STRC("todoSequence"), .alias = STRC("todo_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_thread, todo_sequence), .required = true },
	{ .name = STRC("marks"), .alias = STRC("marks"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_thread, marks), .required = true, .rec = &st_mark_desc },
	{ .name = STRC("cutThrough"), .alias = STRC("cut_through"), .type = FIELD_INT, .offset = offsetof(struct st_thread, cut_through), .required = true },
	{ .name = STRC("cutRoom"), .alias = STRC("cut_room"), .type = FIELD_INT, .offset = offsetof(struct st_thread, cut_room), .required = true },
};
const struct rec_desc st_thread_desc = { "thread", st_thread_fields, 52, sizeof(struct st_thread) };


static const struct field st_mark_fields[] = {
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_mark, from_sequence), .required = true },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_mark, to_sequence), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct st_mark, turns), .required = true },
	{ .name = STRC("tokens"), .alias = STRC("tokens"), .type = FIELD_INT, .offset = offsetof(struct st_mark, tokens), .required = true },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_INT, .offset = offsetof(struct st_mark, messages), .required = true },
};
const struct rec_desc st_mark_desc = { "mark", st_mark_fields, 5, sizeof(struct st_mark) };


static const struct field st_history_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_history, turn_id), .required = true },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_history, from_sequence), .required = true },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_history, to_sequence), .required = true },
	{ .name = STRC("tokens"), .alias = STRC("tokens"), .type = FIELD_INT, .offset = offsetof(struct st_history, tokens), .required = true },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_INT, .offset = offsetof(struct st_history, messages), .required = true },
};
const struct rec_desc st_history_desc = { "history", st_history_fields, 5, sizeof(struct st_history) };


static const struct field st_compaction_fields[] = {
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct st_compaction, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_compaction, turn_id), .required = true },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_compaction, affected_turns), .required = true },
	{ .name = STRC("summaryRef"), .alias = STRC("summary_ref"), .type = FIELD_ID, .offset = offsetof(struct st_compaction, summary_ref) },
	{ .name = STRC("continuationRef"), .alias = STRC("continuation_ref"), .type = FIELD_ID, .offset = offsetof(struct st_compaction, continuation_ref) },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, started_sequence), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, sequence), .required = true },
	{ .name = STRC("tokensBefore"), .alias = STRC("tokens_before"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, tokens_before), .required = true },
	{ .name = STRC("tokensAfter"), .alias = STRC("tokens_after"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, tokens_after), .required = true },
	{ .name = STRC("summaryTokens"), .alias = STRC("summary_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, summary_tokens), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, turns), .required = true },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_compaction, through_sequence), .required = true },
};
const struct rec_desc st_compaction_desc = { "compaction", st_compaction_fields, 12, sizeof(struct st_compaction) };


static const struct field st_compaction_run_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_compaction_run, turn_id), .required = true },
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct st_compaction_run, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct st_compaction_run, reason) },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_compaction_run, affected_turns), .required = true },
	{ .name = STRC("tokensBefore"), .alias = STRC("tokens_before"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, tokens_before), .required = true },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_compaction_run, started_at) },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, started_sequence), .required = true },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct st_compaction_run, step_id) },
	{ .name = STRC("stepIndex"), .alias = STRC("step_index"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, step_index), .required = true },
	{ .name = STRC("retries"), .alias = STRC("retries"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, retries), .required = true },
	{ .name = STRC("failures"), .alias = STRC("failures"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, failures), .required = true },
	{ .name = STRC("tried"), .alias = STRC("tried"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_compaction_run, tried), .required = true },
	{ .name = STRC("turnProvider"), .alias = STRC("turn_provider"), .type = FIELD_STR, .offset = offsetof(struct st_compaction_run, turn_provider) },
	{ .name = STRC("turnModel"), .alias = STRC("turn_model"), .type = FIELD_STR, .offset = offsetof(struct st_compaction_run, turn_model) },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, turns), .required = true },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_compaction_run, through_sequence), .required = true },
	{ .name = STRC("isCut"), .alias = STRC("is_cut"), .type = FIELD_BOOL, .offset = offsetof(struct st_compaction_run, is_cut), .required = true },
};
const struct rec_desc st_compaction_run_desc = { "compaction_run", st_compaction_run_fields, 17, sizeof(struct st_compaction_run) };


static const struct field st_rollback_run_fields[] = {
	{ .name = STRC("targetSequence"), .alias = STRC("target_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_rollback_run, target_sequence), .required = true },
	{ .name = STRC("targetTurnId"), .alias = STRC("target_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_rollback_run, target_turn_id) },
	{ .name = STRC("removedTurns"), .alias = STRC("removed_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_rollback_run, removed_turns), .required = true },
	{ .name = STRC("removedCount"), .alias = STRC("removed_count"), .type = FIELD_INT, .offset = offsetof(struct st_rollback_run, removed_count), .has_offset = offsetof(struct st_rollback_run, has_removed_count) },
	{ .name = STRC("remainingTurns"), .alias = STRC("remaining_turns"), .type = FIELD_INT, .offset = offsetof(struct st_rollback_run, remaining_turns), .has_offset = offsetof(struct st_rollback_run, has_remaining_turns) },
};
const struct rec_desc st_rollback_run_desc = { "rollback_run", st_rollback_run_fields, 5, sizeof(struct st_rollback_run) };


static const struct field st_incident_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct st_incident, kind), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct st_incident, message) },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct st_incident, at) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_incident, sequence), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_incident, turn_id) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct st_incident, ref) },
};
const struct rec_desc st_incident_desc = { "incident", st_incident_fields, 6, sizeof(struct st_incident) };


static const struct field st_step_fields[] = {
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct st_step, step_id), .required = true },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_step, started_sequence), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_step, kind), .words = &enum_item_kind },
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct st_step, index), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_step, status), .words = &enum_status },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct st_step, tool_call_id) },
	{ .name = STRC("endedSequence"), .alias = STRC("ended_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_step, ended_sequence), .has_offset = offsetof(struct st_step, has_ended_sequence) },
};
const struct rec_desc st_step_desc = { "step", st_step_fields, 7, sizeof(struct st_step) };


static const struct field st_turn_fields[] = {
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, turn_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, kind), .words = &enum_turn_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, status), .words = &enum_status },
	{ .name = STRC("stage"), .alias = STRC("stage"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, stage), .required = true, .words = &enum_turn_stage },
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, phase), .words = &enum_phase },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct st_turn, status_reason) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, attempt_id) },
	{ .name = STRC("runNumber"), .alias = STRC("run_number"), .type = FIELD_INT, .offset = offsetof(struct st_turn, run_number), .required = true },
	{ .name = STRC("preparedRunId"), .alias = STRC("prepared_run_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, prepared_run_id) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_STR, .offset = offsetof(struct st_turn, input_ref) },
	{ .name = STRC("inputPreview"), .alias = STRC("input_preview"), .type = FIELD_STR, .offset = offsetof(struct st_turn, input_preview) },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct st_turn, source) },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, delivery), .words = &enum_delivery },
	{ .name = STRC("mergedInto"), .alias = STRC("merged_into"), .type = FIELD_ID, .offset = offsetof(struct st_turn, merged_into) },
	{ .name = STRC("configRef"), .alias = STRC("config_ref"), .type = FIELD_STR, .offset = offsetof(struct st_turn, config_ref) },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct st_turn, output_schema) },
	{ .name = STRC("requestedModel"), .alias = STRC("requested_model"), .type = FIELD_STR, .offset = offsetof(struct st_turn, requested_model) },
	{ .name = STRC("submittedAt"), .alias = STRC("submitted_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, submitted_at) },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, started_at) },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, ended_at) },
	{ .name = STRC("submittedSequence"), .alias = STRC("submitted_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_turn, submitted_sequence), .required = true },
	{ .name = STRC("endedSequence"), .alias = STRC("ended_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_turn, ended_sequence), .required = true },
	{ .name = STRC("stepCount"), .alias = STRC("step_count"), .type = FIELD_INT, .offset = offsetof(struct st_turn, step_count), .required = true },
	{ .name = STRC("steps"), .alias = STRC("steps"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_turn, steps), .required = true, .rec = &st_step_desc },
	{ .name = STRC("profile"), .alias = STRC("profile"), .type = FIELD_JSON, .offset = offsetof(struct st_turn, profile) },
	{ .name = STRC("candidates"), .alias = STRC("candidates"), .type = FIELD_JSON, .offset = offsetof(struct st_turn, candidates) },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_JSON, .offset = offsetof(struct st_turn, decision) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_JSON, .offset = offsetof(struct st_turn, limit) },
	{ .name = STRC("cost"), .alias = STRC("cost"), .type = FIELD_REC, .offset = offsetof(struct st_turn, cost), .rec = &rec_cost_state_desc },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct st_turn, provider) },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct st_turn, model) },
	{ .name = STRC("contextTokens"), .alias = STRC("context_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, context_tokens), .required = true },
	{ .name = STRC("inputEstimate"), .alias = STRC("input_estimate"), .type = FIELD_INT, .offset = offsetof(struct st_turn, input_estimate), .required = true },
	{ .name = STRC("images"), .alias = STRC("images"), .type = FIELD_INT, .offset = offsetof(struct st_turn, images), .required = true },
	{ .name = STRC("messages"), .alias = STRC("messages"), .type = FIELD_INT, .offset = offsetof(struct st_turn, messages), .required = true },
	{ .name = STRC("compactedRequest"), .alias = STRC("compacted_request"), .type = FIELD_INT, .offset = offsetof(struct st_turn, compacted_request), .required = true },
	{ .name = STRC("contextItems"), .alias = STRC("context_items"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_turn, context_items), .required = true, .rec = &rec_context_ref_desc },
	{ .name = STRC("instructions"), .alias = STRC("instructions"), .type = FIELD_STR, .offset = offsetof(struct st_turn, instructions) },
	{ .name = STRC("modelRequestId"), .alias = STRC("model_request_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, model_request_id) },
	{ .name = STRC("requestSequence"), .alias = STRC("request_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_turn, request_sequence), .required = true },
	{ .name = STRC("requestNumber"), .alias = STRC("request_number"), .type = FIELD_INT, .offset = offsetof(struct st_turn, request_number), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct st_turn, attempt), .required = true },
	{ .name = STRC("requestedAt"), .alias = STRC("requested_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, requested_at) },
	{ .name = STRC("requestTimeoutMs"), .alias = STRC("request_timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct st_turn, request_timeout_ms), .required = true },
	{ .name = STRC("firstPieceAt"), .alias = STRC("first_piece_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, first_piece_at) },
	{ .name = STRC("textStepId"), .alias = STRC("text_step_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, text_step_id) },
	{ .name = STRC("textIndex"), .alias = STRC("text_index"), .type = FIELD_INT, .offset = offsetof(struct st_turn, text_index), .required = true },
	{ .name = STRC("textBytes"), .alias = STRC("text_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_turn, text_bytes), .required = true },
	{ .name = STRC("textPreview"), .alias = STRC("text_preview"), .type = FIELD_STR, .offset = offsetof(struct st_turn, text_preview) },
	{ .name = STRC("reasoningStepId"), .alias = STRC("reasoning_step_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, reasoning_step_id) },
	{ .name = STRC("reasoningIndex"), .alias = STRC("reasoning_index"), .type = FIELD_INT, .offset = offsetof(struct st_turn, reasoning_index), .required = true },
	{ .name = STRC("reasoningBytes"), .alias = STRC("reasoning_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_turn, reasoning_bytes), .required = true },
	{ .name = STRC("reasoningPreview"), .alias = STRC("reasoning_preview"), .type = FIELD_STR, .offset = offsetof(struct st_turn, reasoning_preview) },
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, input_tokens), .required = true },
	{ .name = STRC("cachedInputTokens"), .alias = STRC("cached_input_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, cached_input_tokens), .required = true },
	{ .name = STRC("cacheWriteTokens"), .alias = STRC("cache_write_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, cache_write_tokens), .required = true },
	{ .name = STRC("outputTokens"), .alias = STRC("output_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, output_tokens), .required = true },
	{ .name = STRC("reasoningTokens"), .alias = STRC("reasoning_tokens"), .type = FIELD_INT, .offset = offsetof(struct st_turn, reasoning_tokens), .required = true },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct st_turn, spent_usd), .required = true },
	{ .name = STRC("reservedUsd"), .alias = STRC("reserved_usd"), .type = FIELD_USD, .offset = offsetof(struct st_turn, reserved_usd), .required = true },
	{ .name = STRC("reckonedPercent"), .alias = STRC("reckoned_percent"), .type = FIELD_INT, .offset = offsetof(struct st_turn, reckoned_percent), .has_offset = offsetof(struct st_turn, has_reckoned_percent) },
	{ .name = STRC("costUnknown"), .alias = STRC("cost_unknown"), .type = FIELD_BOOL, .offset = offsetof(struct st_turn, cost_unknown), .required = true },
	{ .name = STRC("costEstimated"), .alias = STRC("cost_estimated"), .type = FIELD_BOOL, .offset = offsetof(struct st_turn, cost_estimated), .required = true },
	{ .name = STRC("toldUsage"), .alias = STRC("told_usage"), .type = FIELD_INT, .offset = offsetof(struct st_turn, told_usage), .required = true },
	{ .name = STRC("untoldUsage"), .alias = STRC("untold_usage"), .type = FIELD_INT, .offset = offsetof(struct st_turn, untold_usage), .required = true },
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct st_turn, cap_usd), .has_offset = offsetof(struct st_turn, has_cap_usd) },
	{ .name = STRC("reservedAgainst"), .alias = STRC("reserved_against"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_turn, reserved_against), .required = true },
	{ .name = STRC("fallback"), .alias = STRC("fallback"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, fallback), .words = &enum_fallback_policy },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct st_turn, task_kind) },
	{ .name = STRC("requires"), .alias = STRC("requires"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_turn, requires), .required = true },
	{ .name = STRC("latency"), .alias = STRC("latency"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, latency), .words = &enum_latency_target },
	{ .name = STRC("estimateOpen"), .alias = STRC("estimate_open"), .type = FIELD_BOOL, .offset = offsetof(struct st_turn, estimate_open), .required = true },
	{ .name = STRC("waitingFor"), .alias = STRC("waiting_for"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, waiting_for), .words = &enum_wait_for },
	{ .name = STRC("steered"), .alias = STRC("steered"), .type = FIELD_LIST_ID, .offset = offsetof(struct st_turn, steered), .required = true },
	{ .name = STRC("stopCause"), .alias = STRC("stop_cause"), .type = FIELD_STR, .offset = offsetof(struct st_turn, stop_cause) },
	{ .name = STRC("stopBy"), .alias = STRC("stop_by"), .type = FIELD_REC, .offset = offsetof(struct st_turn, stop_by), .rec = &rec_actor_desc },
	{ .name = STRC("stopReason"), .alias = STRC("stop_reason"), .type = FIELD_STR, .offset = offsetof(struct st_turn, stop_reason) },
	{ .name = STRC("queuePolicy"), .alias = STRC("queue_policy"), .type = FIELD_ENUM, .offset = offsetof(struct st_turn, queue_policy), .words = &enum_queue_policy },
	{ .name = STRC("retryAt"), .alias = STRC("retry_at"), .type = FIELD_TIME, .offset = offsetof(struct st_turn, retry_at) },
	{ .name = STRC("failures"), .alias = STRC("failures"), .type = FIELD_INT, .offset = offsetof(struct st_turn, failures), .required = true },
	{ .name = STRC("retrySpentMs"), .alias = STRC("retry_spent_ms"), .type = FIELD_INT, .offset = offsetof(struct st_turn, retry_spent_ms), .required = true },
	{ .name = STRC("cutAnswers"), .alias = STRC("cut_answers"), .type = FIELD_INT, .offset = offsetof(struct st_turn, cut_answers), .required = true },
	{ .name = STRC("lastError"), .alias = STRC("last_error"), .type = FIELD_REC, .offset = offsetof(struct st_turn, last_error), .rec = &rec_last_error_desc },
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_STR, .offset = offsetof(struct st_turn, last_message_ref) },
	{ .name = STRC("lastMessagePreview"), .alias = STRC("last_message_preview"), .type = FIELD_STR, .offset = offsetof(struct st_turn, last_message_preview) },
	{ .name = STRC("lastMessageStepId"), .alias = STRC("last_message_step_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, last_message_step_id) },
	{ .name = STRC("requestId"), .alias = STRC("request_id"), .type = FIELD_STR, .offset = offsetof(struct st_turn, request_id) },
	{ .name = STRC("traceId"), .alias = STRC("trace_id"), .type = FIELD_STR, .offset = offsetof(struct st_turn, trace_id) },
	{ .name = STRC("spanId"), .alias = STRC("span_id"), .type = FIELD_STR, .offset = offsetof(struct st_turn, span_id) },
	{ .name = STRC("userTurn"), .alias = STRC("user_turn"), .type = FIELD_INT, .offset = offsetof(struct st_turn, user_turn), .required = true },
	{ .name = STRC("promptHooks"), .alias = STRC("prompt_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_turn, prompt_hooks), .required = true },
	{ .name = STRC("samplingHooks"), .alias = STRC("sampling_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_turn, sampling_hooks), .required = true },
	{ .name = STRC("stopHooks"), .alias = STRC("stop_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_turn, stop_hooks), .required = true },
	{ .name = STRC("stopBlocks"), .alias = STRC("stop_blocks"), .type = FIELD_INT, .offset = offsetof(struct st_turn, stop_blocks), .required = true },
	{ .name = STRC("stopIsBlocked"), .alias = STRC("stop_is_blocked"), .type = FIELD_BOOL, .offset = offsetof(struct st_turn, stop_is_blocked), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, job_id) },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct st_turn, job_item_id) },
};
const struct rec_desc st_turn_desc = { "turn", st_turn_fields, 99, sizeof(struct st_turn) };


static const struct field st_call_fields[] = {
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct st_call, tool_call_id), .required = true },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct st_call, step_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_call, turn_id), .required = true },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct st_call, tool_name) },
	{ .name = STRC("providerCallId"), .alias = STRC("provider_call_id"), .type = FIELD_STR, .offset = offsetof(struct st_call, provider_call_id) },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, kind), .words = &enum_item_kind },
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct st_call, index), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, status), .words = &enum_status },
	{ .name = STRC("args"), .alias = STRC("args"), .type = FIELD_JSON, .offset = offsetof(struct st_call, args) },
	{ .name = STRC("argsRef"), .alias = STRC("args_ref"), .type = FIELD_STR, .offset = offsetof(struct st_call, args_ref) },
	{ .name = STRC("redacted"), .alias = STRC("redacted"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, redacted), .has_offset = offsetof(struct st_call, has_redacted) },
	{ .name = STRC("valid"), .alias = STRC("valid"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, valid), .required = true },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, policy), .words = &enum_tool_policy },
	{ .name = STRC("readOnly"), .alias = STRC("read_only"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, read_only), .required = true },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, destructive), .required = true },
	{ .name = STRC("concurrencySafe"), .alias = STRC("concurrency_safe"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, concurrency_safe), .required = true },
	{ .name = STRC("asksUser"), .alias = STRC("asks_user"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, asks_user), .required = true },
	{ .name = STRC("byRuntime"), .alias = STRC("by_runtime"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, by_runtime), .required = true },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct st_call, until) },
	{ .name = STRC("permission"), .alias = STRC("permission"), .type = FIELD_REC, .offset = offsetof(struct st_call, permission), .rec = &rec_permission_decision_desc },
	{ .name = STRC("judged"), .alias = STRC("judged"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, judged), .required = true },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct st_call, action_id) },
	{ .name = STRC("dispatched"), .alias = STRC("dispatched"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, dispatched), .required = true },
	{ .name = STRC("dispatchedSequence"), .alias = STRC("dispatched_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_call, dispatched_sequence), .required = true },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_call, started_at) },
	{ .name = STRC("executed"), .alias = STRC("executed"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, executed), .words = &enum_executed },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_STR, .offset = offsetof(struct st_call, output_ref) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_call, output_bytes), .required = true },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct st_call, process_id) },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_call, violation_refs), .required = true },
	{ .name = STRC("needs"), .alias = STRC("needs"), .type = FIELD_REC, .offset = offsetof(struct st_call, needs), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("wanted"), .alias = STRC("wanted"), .type = FIELD_REC, .offset = offsetof(struct st_call, wanted), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("asksMore"), .alias = STRC("asks_more"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, asks_more), .required = true },
	{ .name = STRC("override"), .alias = STRC("override"), .type = FIELD_REC, .offset = offsetof(struct st_call, override), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("approvedRef"), .alias = STRC("approved_ref"), .type = FIELD_STR, .offset = offsetof(struct st_call, approved_ref) },
	{ .name = STRC("shownRef"), .alias = STRC("shown_ref"), .type = FIELD_STR, .offset = offsetof(struct st_call, shown_ref) },
	{ .name = STRC("preHooks"), .alias = STRC("pre_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_call, pre_hooks), .required = true },
	{ .name = STRC("askHooks"), .alias = STRC("ask_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_call, ask_hooks), .required = true },
	{ .name = STRC("postHooks"), .alias = STRC("post_hooks"), .type = FIELD_INT, .offset = offsetof(struct st_call, post_hooks), .required = true },
	{ .name = STRC("hookRunIds"), .alias = STRC("hook_run_ids"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_call, hook_run_ids), .required = true },
	{ .name = STRC("hookDecision"), .alias = STRC("hook_decision"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, hook_decision), .words = &enum_hook_decision },
	{ .name = STRC("hookReason"), .alias = STRC("hook_reason"), .type = FIELD_STR, .offset = offsetof(struct st_call, hook_reason) },
	{ .name = STRC("hookFailed"), .alias = STRC("hook_failed"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, hook_failed), .required = true },
	{ .name = STRC("policyRecords"), .alias = STRC("policy_records"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_call, policy_records), .required = true, .rec = &rec_policy_record_desc },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct st_call, exit_code), .has_offset = offsetof(struct st_call, has_exit_code) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct st_call, duration_ms), .has_offset = offsetof(struct st_call, has_duration_ms) },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct st_call, category), .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct st_call, message) },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct st_call, preview) },
	{ .name = STRC("isError"), .alias = STRC("is_error"), .type = FIELD_BOOL, .offset = offsetof(struct st_call, is_error), .required = true },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_call, started_sequence), .required = true },
	{ .name = STRC("endedSequence"), .alias = STRC("ended_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_call, ended_sequence), .required = true },
	{ .name = STRC("spanId"), .alias = STRC("span_id"), .type = FIELD_STR, .offset = offsetof(struct st_call, span_id) },
};
const struct rec_desc st_call_desc = { "call", st_call_fields, 54, sizeof(struct st_call) };


static const struct field st_expiring_fields[] = {
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct st_expiring, output_ref), .required = true },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct st_expiring, at), .required = true },
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_expiring, size_bytes), .required = true },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct st_expiring, sha256) },
};
const struct rec_desc st_expiring_desc = { "expiring", st_expiring_fields, 4, sizeof(struct st_expiring) };


static const struct field st_hook_fields[] = {
	{ .name = STRC("run"), .alias = STRC("run"), .type = FIELD_REC, .offset = offsetof(struct st_hook, run), .required = true, .rec = &rec_hook_run_desc },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_hook, turn_id), .required = true },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct st_hook, tool_call_id) },
};
const struct rec_desc st_hook_desc = { "hook", st_hook_fields, 3, sizeof(struct st_hook) };


static const struct field st_process_fields[] = {
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct st_process, process_id), .required = true },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct st_process, tool_call_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_process, turn_id), .required = true },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct st_process, summary) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_process, status), .required = true, .words = &enum_process_status },
	{ .name = STRC("nativeStatus"), .alias = STRC("native_status"), .type = FIELD_STR, .offset = offsetof(struct st_process, native_status) },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct st_process, exit_code), .has_offset = offsetof(struct st_process, has_exit_code) },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_STR, .offset = offsetof(struct st_process, output_ref) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_process, output_bytes), .required = true },
	{ .name = STRC("background"), .alias = STRC("background"), .type = FIELD_BOOL, .offset = offsetof(struct st_process, background), .required = true },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct st_process, step_id) },
	{ .name = STRC("tty"), .alias = STRC("tty"), .type = FIELD_BOOL, .offset = offsetof(struct st_process, tty), .required = true },
	{ .name = STRC("inputClosed"), .alias = STRC("input_closed"), .type = FIELD_BOOL, .offset = offsetof(struct st_process, input_closed), .required = true },
	{ .name = STRC("traceId"), .alias = STRC("trace_id"), .type = FIELD_STR, .offset = offsetof(struct st_process, trace_id) },
	{ .name = STRC("pid"), .alias = STRC("pid"), .type = FIELD_INT, .offset = offsetof(struct st_process, pid), .has_offset = offsetof(struct st_process, has_pid) },
	{ .name = STRC("liveness"), .alias = STRC("liveness"), .type = FIELD_ENUM, .offset = offsetof(struct st_process, liveness), .words = &enum_liveness },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_process, started_at) },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct st_process, ended_at) },
	{ .name = STRC("spanId"), .alias = STRC("span_id"), .type = FIELD_STR, .offset = offsetof(struct st_process, span_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct st_process, task_id) },
	{ .name = STRC("stopBy"), .alias = STRC("stop_by"), .type = FIELD_ENUM, .offset = offsetof(struct st_process, stop_by), .words = &enum_terminated_by },
	{ .name = STRC("stopReason"), .alias = STRC("stop_reason"), .type = FIELD_STR, .offset = offsetof(struct st_process, stop_reason) },
	{ .name = STRC("stopActor"), .alias = STRC("stop_actor"), .type = FIELD_REC, .offset = offsetof(struct st_process, stop_actor), .rec = &rec_actor_desc },
};
const struct rec_desc st_process_desc = { "process", st_process_fields, 23, sizeof(struct st_process) };


static const struct field st_action_fields[] = {
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, action_id), .required = true },
	{ .name = STRC("actionType"), .alias = STRC("action_type"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, action_type), .words = &enum_action_type },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, status), .required = true, .words = &enum_action_status },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, task_id) },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, step_id) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, tool_call_id) },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct st_action, tool_name) },
	{ .name = STRC("prompt"), .alias = STRC("prompt"), .type = FIELD_STR, .offset = offsetof(struct st_action, prompt) },
	{ .name = STRC("rule"), .alias = STRC("rule"), .type = FIELD_STR, .offset = offsetof(struct st_action, rule) },
	{ .name = STRC("schema"), .alias = STRC("schema"), .type = FIELD_JSON, .offset = offsetof(struct st_action, schema) },
	{ .name = STRC("decisionKind"), .alias = STRC("decision_kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, decision_kind), .words = &enum_decision_kind },
	{ .name = STRC("decisions"), .alias = STRC("decisions"), .type = FIELD_JSON, .offset = offsetof(struct st_action, decisions) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct st_action, input_ref) },
	{ .name = STRC("inputBytes"), .alias = STRC("input_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_action, input_bytes), .required = true },
	{ .name = STRC("override"), .alias = STRC("override"), .type = FIELD_REC, .offset = offsetof(struct st_action, override), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("requestedAt"), .alias = STRC("requested_at"), .type = FIELD_TIME, .offset = offsetof(struct st_action, requested_at) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct st_action, expires_at) },
	{ .name = STRC("onExpiry"), .alias = STRC("on_expiry"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, on_expiry), .words = &enum_approval_decision },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_action, ended_by), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_action, sequence), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, decision), .words = &enum_approval_decision },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct st_action, scope), .words = &enum_grant_scope },
	{ .name = STRC("decidedBy"), .alias = STRC("decided_by"), .type = FIELD_REC, .offset = offsetof(struct st_action, decided_by), .rec = &rec_actor_desc },
	{ .name = STRC("resolvedAt"), .alias = STRC("resolved_at"), .type = FIELD_TIME, .offset = offsetof(struct st_action, resolved_at) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct st_action, reason) },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, parent_thread_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, subagent_id) },
	{ .name = STRC("parentTurnId"), .alias = STRC("parent_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, parent_turn_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct st_action, parent_task_id) },
	{ .name = STRC("forwardedTo"), .alias = STRC("forwarded_to"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_action, forwarded_to) },
};
const struct rec_desc st_action_desc = { "action", st_action_fields, 32, sizeof(struct st_action) };


static const struct field st_task_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_task, record), .required = true, .rec = &rec_task_desc },
	{ .name = STRC("attempts"), .alias = STRC("attempts"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_task, attempts), .required = true, .rec = &rec_task_attempt_desc },
	{ .name = STRC("runs"), .alias = STRC("runs"), .type = FIELD_INT, .offset = offsetof(struct st_task, runs), .required = true },
	{ .name = STRC("toolCalls"), .alias = STRC("tool_calls"), .type = FIELD_INT, .offset = offsetof(struct st_task, tool_calls), .required = true },
	{ .name = STRC("activityAt"), .alias = STRC("activity_at"), .type = FIELD_TIME, .offset = offsetof(struct st_task, activity_at) },
	{ .name = STRC("shownStatus"), .alias = STRC("shown_status"), .type = FIELD_ENUM, .offset = offsetof(struct st_task, shown_status), .words = &enum_task_status },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct st_task, output_bytes), .required = true },
	{ .name = STRC("modelRequests"), .alias = STRC("model_requests"), .type = FIELD_INT, .offset = offsetof(struct st_task, model_requests), .required = true },
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct st_task, phase), .words = &enum_phase },
	{ .name = STRC("startedSequence"), .alias = STRC("started_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_task, started_sequence), .required = true },
	{ .name = STRC("changedSequence"), .alias = STRC("changed_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_task, changed_sequence), .required = true },
	{ .name = STRC("implicit"), .alias = STRC("implicit"), .type = FIELD_BOOL, .offset = offsetof(struct st_task, implicit), .required = true },
	{ .name = STRC("wanted"), .alias = STRC("wanted"), .type = FIELD_BOOL, .offset = offsetof(struct st_task, wanted), .required = true },
	{ .name = STRC("queuedSequence"), .alias = STRC("queued_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_task, queued_sequence), .required = true },
	{ .name = STRC("queuedReason"), .alias = STRC("queued_reason"), .type = FIELD_STR, .offset = offsetof(struct st_task, queued_reason) },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct st_task, worker), .rec = &rec_worker_desc },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_STR, .offset = offsetof(struct st_task, input_ref) },
	{ .name = STRC("inputSequence"), .alias = STRC("input_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_task, input_sequence), .required = true },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_task, input), .required = true, .rec = &rec_input_part_desc },
	{ .name = STRC("retryPolicy"), .alias = STRC("retry_policy"), .type = FIELD_REC, .offset = offsetof(struct st_task, retry_policy), .rec = &rec_retry_policy_desc },
	{ .name = STRC("tries"), .alias = STRC("tries"), .type = FIELD_INT, .offset = offsetof(struct st_task, tries), .required = true },
	{ .name = STRC("runCause"), .alias = STRC("run_cause"), .type = FIELD_ENUM, .offset = offsetof(struct st_task, run_cause), .words = &enum_attempt_cause },
	{ .name = STRC("retryAt"), .alias = STRC("retry_at"), .type = FIELD_TIME, .offset = offsetof(struct st_task, retry_at) },
	{ .name = STRC("nextRunId"), .alias = STRC("next_run_id"), .type = FIELD_ID, .offset = offsetof(struct st_task, next_run_id) },
	{ .name = STRC("nextTurnId"), .alias = STRC("next_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_task, next_turn_id) },
	{ .name = STRC("nextAttemptId"), .alias = STRC("next_attempt_id"), .type = FIELD_ID, .offset = offsetof(struct st_task, next_attempt_id) },
	{ .name = STRC("declared"), .alias = STRC("declared"), .type = FIELD_LIST_STR, .offset = offsetof(struct st_task, declared), .required = true },
	{ .name = STRC("pausedFrom"), .alias = STRC("paused_from"), .type = FIELD_ENUM, .offset = offsetof(struct st_task, paused_from), .words = &enum_task_status },
	{ .name = STRC("cancelled"), .alias = STRC("cancelled"), .type = FIELD_BOOL, .offset = offsetof(struct st_task, cancelled), .required = true },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct st_task, propagation), .words = &enum_propagation },
	{ .name = STRC("cancelReason"), .alias = STRC("cancel_reason"), .type = FIELD_STR, .offset = offsetof(struct st_task, cancel_reason) },
	{ .name = STRC("cancelBy"), .alias = STRC("cancel_by"), .type = FIELD_REC, .offset = offsetof(struct st_task, cancel_by), .rec = &rec_actor_desc },
	{ .name = STRC("blocker"), .alias = STRC("blocker"), .type = FIELD_REC, .offset = offsetof(struct st_task, blocker), .rec = &rec_blocker_desc },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct st_task, wait), .rec = &rec_wait_desc },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct st_task, spent_usd), .required = true },
	{ .name = STRC("reservedUsd"), .alias = STRC("reserved_usd"), .type = FIELD_USD, .offset = offsetof(struct st_task, reserved_usd), .required = true },
};
const struct rec_desc st_task_desc = { "task", st_task_fields, 36, sizeof(struct st_task) };


static const struct field st_delivery_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_delivery, record), .required = true, .rec = &rec_delivery_desc },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_delivery, thread_id) },
};
const struct rec_desc st_delivery_desc = { "delivery", st_delivery_fields, 2, sizeof(struct st_delivery) };


static const struct field st_schedule_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_schedule, record), .required = true, .rec = &rec_schedule_desc },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct st_schedule, created_at) },
};
const struct rec_desc st_schedule_desc = { "schedule", st_schedule_fields, 2, sizeof(struct st_schedule) };


static const struct field st_subagent_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_subagent, record), .required = true, .rec = &rec_subagent_desc },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct st_subagent, budget_usd), .has_offset = offsetof(struct st_subagent, has_budget_usd) },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct st_subagent, spent_usd), .required = true },
	{ .name = STRC("endedTurnId"), .alias = STRC("ended_turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_subagent, ended_turn_id) },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct st_subagent, created_at) },
	{ .name = STRC("updatedAt"), .alias = STRC("updated_at"), .type = FIELD_TIME, .offset = offsetof(struct st_subagent, updated_at) },
	{ .name = STRC("worktreeSequence"), .alias = STRC("worktree_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_subagent, worktree_sequence), .required = true },
};
const struct rec_desc st_subagent_desc = { "subagent", st_subagent_fields, 7, sizeof(struct st_subagent) };


static const struct field st_job_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_job, record), .required = true, .rec = &rec_job_desc },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct st_job, input_ref), .required = true },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct st_job, output_schema) },
	{ .name = STRC("running"), .alias = STRC("running"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_job, running), .required = true, .rec = &st_job_item_desc },
	{ .name = STRC("waiting"), .alias = STRC("waiting"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_job, waiting), .required = true, .rec = &st_job_item_desc },
	{ .name = STRC("createdAt"), .alias = STRC("created_at"), .type = FIELD_TIME, .offset = offsetof(struct st_job, created_at) },
	{ .name = STRC("createdSequence"), .alias = STRC("created_sequence"), .type = FIELD_INT, .offset = offsetof(struct st_job, created_sequence), .required = true },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_job, started_at) },
	{ .name = STRC("endedAt"), .alias = STRC("ended_at"), .type = FIELD_TIME, .offset = offsetof(struct st_job, ended_at) },
	{ .name = STRC("stopping"), .alias = STRC("stopping"), .type = FIELD_BOOL, .offset = offsetof(struct st_job, stopping), .required = true },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct st_job, spent_usd), .required = true },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct st_job, budget_usd), .has_offset = offsetof(struct st_job, has_budget_usd) },
};
const struct rec_desc st_job_desc = { "job", st_job_fields, 12, sizeof(struct st_job) };


static const struct field st_job_item_fields[] = {
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct st_job_item, index), .required = true },
	{ .name = STRC("attempts"), .alias = STRC("attempts"), .type = FIELD_INT, .offset = offsetof(struct st_job_item, attempts), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct st_job_item, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_job_item, turn_id) },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct st_job_item, worker_id) },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct st_job_item, lease_until) },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct st_job_item, started_at) },
};
const struct rec_desc st_job_item_desc = { "job_item", st_job_item_fields, 7, sizeof(struct st_job_item) };


static const struct field st_provider_limit_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct st_provider_limit, provider), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct st_provider_limit, kind), .required = true, .words = &enum_limit_kind },
	{ .name = STRC("state"), .alias = STRC("state"), .type = FIELD_ENUM, .offset = offsetof(struct st_provider_limit, state), .required = true, .words = &enum_limit_status },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct st_provider_limit, until) },
	{ .name = STRC("used"), .alias = STRC("used"), .type = FIELD_INT, .offset = offsetof(struct st_provider_limit, used), .has_offset = offsetof(struct st_provider_limit, has_used) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct st_provider_limit, limit), .has_offset = offsetof(struct st_provider_limit, has_limit) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_provider_limit, sequence), .required = true },
};
const struct rec_desc st_provider_limit_desc = { "provider_limit", st_provider_limit_fields, 7, sizeof(struct st_provider_limit) };


static const struct field st_channel_fields[] = {
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_REC, .offset = offsetof(struct st_channel, record), .required = true, .rec = &rec_channel_desc },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct st_channel, status), .required = true, .words = &enum_status },
	{ .name = STRC("acked"), .alias = STRC("acked"), .type = FIELD_INT, .offset = offsetof(struct st_channel, acked), .required = true },
};
const struct rec_desc st_channel_desc = { "channel", st_channel_fields, 3, sizeof(struct st_channel) };


static const struct field st_grant_fields[] = {
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct st_grant, grant_id), .required = true },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct st_grant, scope), .words = &enum_grant_scope },
	{ .name = STRC("match"), .alias = STRC("match"), .type = FIELD_JSON, .offset = offsetof(struct st_grant, match) },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct st_grant, source), .words = &enum_policy_source },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct st_grant, cwd) },
	{ .name = STRC("grantedAt"), .alias = STRC("granted_at"), .type = FIELD_TIME, .offset = offsetof(struct st_grant, granted_at) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct st_grant, expires_at) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_grant, turn_id) },
};
const struct rec_desc st_grant_desc = { "grant", st_grant_fields, 8, sizeof(struct st_grant) };


static const struct field st_artifact_fields[] = {
	{ .name = STRC("artifactId"), .alias = STRC("artifact_id"), .type = FIELD_ID, .offset = offsetof(struct st_artifact, artifact_id), .required = true },
	{ .name = STRC("versionId"), .alias = STRC("version_id"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, version_id) },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, path) },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, kind) },
	{ .name = STRC("readRef"), .alias = STRC("read_ref"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, read_ref) },
	{ .name = STRC("previewRef"), .alias = STRC("preview_ref"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, preview_ref) },
	{ .name = STRC("diffRef"), .alias = STRC("diff_ref"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, diff_ref) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct st_artifact, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct st_artifact, task_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct st_artifact, sequence), .required = true },
	{ .name = STRC("version"), .alias = STRC("version"), .type = FIELD_INT, .offset = offsetof(struct st_artifact, version), .required = true },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_STR, .offset = offsetof(struct st_artifact, owner) },
	{ .name = STRC("issues"), .alias = STRC("issues"), .type = FIELD_INT, .offset = offsetof(struct st_artifact, issues), .has_offset = offsetof(struct st_artifact, has_issues) },
	{ .name = STRC("validation"), .alias = STRC("validation"), .type = FIELD_REC, .offset = offsetof(struct st_artifact, validation), .rec = &rec_artifact_validation_desc },
	{ .name = STRC("checkpoints"), .alias = STRC("checkpoints"), .type = FIELD_LIST_REC, .offset = offsetof(struct st_artifact, checkpoints), .rec = &rec_artifact_version_desc },
};
const struct rec_desc st_artifact_desc = { "artifact", st_artifact_fields, 15, sizeof(struct st_artifact) };


static const struct field event_fields[] = {
	{ .name = STRC("type"), .alias = STRC("type"), .type = FIELD_ENUM, .offset = offsetof(struct event, type), .required = true, .words = &enum_event_type },
	{ .name = STRC("eventId"), .alias = STRC("event_id"), .type = FIELD_ID, .offset = offsetof(struct event, event_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct event, sequence), .required = true },
	{ .name = STRC("timestamp"), .alias = STRC("timestamp"), .type = FIELD_TIME, .offset = offsetof(struct event, timestamp), .required = true },
	{ .name = STRC("schemaVersion"), .alias = STRC("schema_version"), .type = FIELD_STR, .offset = offsetof(struct event, schema_version), .required = true },
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct event, runtime_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct event, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct event, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct event, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct event, task_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct event, parent_task_id) },
	{ .name = STRC("rootTaskId"), .alias = STRC("root_task_id"), .type = FIELD_ID, .offset = offsetof(struct event, root_task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct event, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct event, attempt_id) },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct event, step_id) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct event, tool_call_id) },
	{ .name = STRC("modelRequestId"), .alias = STRC("model_request_id"), .type = FIELD_ID, .offset = offsetof(struct event, model_request_id) },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct event, process_id) },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct event, output_ref) },
	{ .name = STRC("queueId"), .alias = STRC("queue_id"), .type = FIELD_ID, .offset = offsetof(struct event, queue_id) },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct event, action_id) },
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct event, channel_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct event, subagent_id) },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct event, job_id) },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct event, job_item_id) },
	{ .name = STRC("requestId"), .alias = STRC("request_id"), .type = FIELD_ID, .offset = offsetof(struct event, request_id) },
	{ .name = STRC("artifactId"), .alias = STRC("artifact_id"), .type = FIELD_ID, .offset = offsetof(struct event, artifact_id) },
	{ .name = STRC("evidenceId"), .alias = STRC("evidence_id"), .type = FIELD_ID, .offset = offsetof(struct event, evidence_id) },
	{ .name = STRC("traceId"), .alias = STRC("trace_id"), .type = FIELD_STR, .offset = offsetof(struct event, trace_id) },
	{ .name = STRC("spanId"), .alias = STRC("span_id"), .type = FIELD_STR, .offset = offsetof(struct event, span_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct event, status), .words = &enum_status },
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct event, phase), .words = &enum_phase },
	{ .name = STRC("statusReason"), .alias = STRC("status_reason"), .type = FIELD_STR, .offset = offsetof(struct event, status_reason) },
	{ .name = STRC("nativeStatus"), .alias = STRC("native_status"), .type = FIELD_STR, .offset = offsetof(struct event, native_status) },
	{ .name = STRC("command"), .alias = STRC("command"), .type = FIELD_REC, .offset = offsetof(struct event, command), .rec = &rec_command_fact_desc },
	{ .name = STRC("item"), .alias = STRC("item"), .type = FIELD_REC, .offset = offsetof(struct event, item), .rec = &rec_item_desc },
	{ .name = STRC("task"), .alias = STRC("task"), .type = FIELD_REC, .offset = offsetof(struct event, task), .rec = &rec_task_desc },
	{ .name = STRC("taskAttempt"), .alias = STRC("task_attempt"), .type = FIELD_REC, .offset = offsetof(struct event, task_attempt), .rec = &rec_task_attempt_desc },
	{ .name = STRC("taskRelationship"), .alias = STRC("task_relationship"), .type = FIELD_REC, .offset = offsetof(struct event, task_relationship), .rec = &rec_task_relationship_desc },
	{ .name = STRC("taskGraph"), .alias = STRC("task_graph"), .type = FIELD_REC, .offset = offsetof(struct event, task_graph), .rec = &rec_task_graph_desc },
	{ .name = STRC("taskProgress"), .alias = STRC("task_progress"), .type = FIELD_REC, .offset = offsetof(struct event, task_progress), .rec = &rec_task_progress_desc },
	{ .name = STRC("taskAcceptance"), .alias = STRC("task_acceptance"), .type = FIELD_REC, .offset = offsetof(struct event, task_acceptance), .rec = &rec_task_acceptance_desc },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct event, worker), .rec = &rec_worker_desc },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct event, delivery_state), .rec = &rec_delivery_state_desc },
	{ .name = STRC("permissionDecision"), .alias = STRC("permission_decision"), .type = FIELD_REC, .offset = offsetof(struct event, permission_decision), .rec = &rec_permission_decision_desc },
	{ .name = STRC("sandboxProfile"), .alias = STRC("sandbox_profile"), .type = FIELD_REC, .offset = offsetof(struct event, sandbox_profile), .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("routingDecision"), .alias = STRC("routing_decision"), .type = FIELD_REC, .offset = offsetof(struct event, routing_decision), .rec = &rec_routing_decision_desc },
	{ .name = STRC("candidateModelSet"), .alias = STRC("candidate_model_set"), .type = FIELD_REC, .offset = offsetof(struct event, candidate_model_set), .rec = &rec_candidate_model_set_desc },
	{ .name = STRC("taskProfile"), .alias = STRC("task_profile"), .type = FIELD_REC, .offset = offsetof(struct event, task_profile), .rec = &rec_task_profile_desc },
	{ .name = STRC("costState"), .alias = STRC("cost_state"), .type = FIELD_REC, .offset = offsetof(struct event, cost_state), .rec = &rec_cost_state_desc },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_REC, .offset = offsetof(struct event, limit_state), .rec = &rec_limit_state_desc },
	{ .name = STRC("limitEvent"), .alias = STRC("limit_event"), .type = FIELD_REC, .offset = offsetof(struct event, limit_event), .rec = &rec_limit_event_desc },
	{ .name = STRC("hookRun"), .alias = STRC("hook_run"), .type = FIELD_REC, .offset = offsetof(struct event, hook_run), .rec = &rec_hook_run_desc },
	{ .name = STRC("executionEnvironment"), .alias = STRC("execution_environment"), .type = FIELD_REC, .offset = offsetof(struct event, execution_environment), .rec = &rec_execution_environment_desc },
	{ .name = STRC("channel"), .alias = STRC("channel"), .type = FIELD_REC, .offset = offsetof(struct event, channel), .rec = &rec_channel_desc },
	{ .name = STRC("job"), .alias = STRC("job"), .type = FIELD_REC, .offset = offsetof(struct event, job), .rec = &rec_job_desc },
	{ .name = STRC("jobItem"), .alias = STRC("job_item"), .type = FIELD_REC, .offset = offsetof(struct event, job_item), .rec = &rec_job_item_desc },
	{ .name = STRC("output"), .alias = STRC("output"), .type = FIELD_REC, .offset = offsetof(struct event, output), .rec = &rec_output_desc },
	{ .name = STRC("historyBoundary"), .alias = STRC("history_boundary"), .type = FIELD_REC, .offset = offsetof(struct event, history_boundary), .rec = &rec_history_boundary_desc },
	{ .name = STRC("telemetry"), .alias = STRC("telemetry"), .type = FIELD_REC, .offset = offsetof(struct event, telemetry), .rec = &rec_telemetry_desc },
	{ .name = STRC("correlation"), .alias = STRC("correlation"), .type = FIELD_REC, .offset = offsetof(struct event, correlation), .rec = &rec_correlation_desc },
	{ .name = STRC("benchmark"), .alias = STRC("benchmark"), .type = FIELD_REC, .offset = offsetof(struct event, benchmark), .rec = &rec_benchmark_desc },
	{ .name = STRC("trajectory"), .alias = STRC("trajectory"), .type = FIELD_REC, .offset = offsetof(struct event, trajectory), .rec = &rec_trajectory_desc },
	{ .name = STRC("reward"), .alias = STRC("reward"), .type = FIELD_REC, .offset = offsetof(struct event, reward), .rec = &rec_reward_desc },
	{ .name = STRC("comparison"), .alias = STRC("comparison"), .type = FIELD_REC, .offset = offsetof(struct event, comparison), .rec = &rec_comparison_desc },
	{ .name = STRC("payload"), .alias = STRC("payload"), .type = FIELD_PAYLOAD, .offset = offsetof(struct event, payload), .required = true },
	{ .name = STRC("refs"), .alias = STRC("refs"), .type = FIELD_DICT, .offset = offsetof(struct event, refs) },
};
const struct rec_desc event_desc = { "event", event_fields, 67, sizeof(struct event) };


static const struct field ev_action_required_fields[] = {
	{ .name = STRC("actionType"), .alias = STRC("action_type"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_required, action_type), .required = true, .words = &enum_action_type },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_action_required, tool_name) },
	{ .name = STRC("decisionKind"), .alias = STRC("decision_kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_required, decision_kind), .required = true, .words = &enum_decision_kind },
	{ .name = STRC("decisions"), .alias = STRC("decisions"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_action_required, decisions), .required = true, .rec = &rec_decision_option_desc },
	{ .name = STRC("prompt"), .alias = STRC("prompt"), .type = FIELD_STR, .offset = offsetof(struct ev_action_required, prompt), .required = true },
	{ .name = STRC("schema"), .alias = STRC("schema"), .type = FIELD_JSON, .offset = offsetof(struct ev_action_required, schema) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_REC, .offset = offsetof(struct ev_action_required, scope), .required = true, .rec = &rec_action_scope_desc },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_REC, .offset = offsetof(struct ev_action_required, policy), .rec = &rec_action_policy_desc },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct ev_action_required, wait), .required = true, .rec = &rec_wait_desc },
	{ .name = STRC("onExpiry"), .alias = STRC("on_expiry"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_required, on_expiry), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_action_required, parent_thread_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct ev_action_required, subagent_id) },
	{ .name = STRC("override"), .alias = STRC("override"), .type = FIELD_REC, .offset = offsetof(struct ev_action_required, override), .rec = &rec_sandbox_override_desc },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_action_required, reason) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_action_required, input_ref) },
	{ .name = STRC("inputBytes"), .alias = STRC("input_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_action_required, input_bytes), .has_offset = offsetof(struct ev_action_required, has_input_bytes) },
};
const struct rec_desc ev_action_required_desc = { "action_required", ev_action_required_fields, 16, sizeof(struct ev_action_required) };


static const struct field ev_action_resolved_fields[] = {
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_resolved, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_resolved, scope), .words = &enum_grant_scope },
	{ .name = STRC("answerRef"), .alias = STRC("answer_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_action_resolved, answer_ref) },
	{ .name = STRC("answerPreview"), .alias = STRC("answer_preview"), .type = FIELD_JSON, .offset = offsetof(struct ev_action_resolved, answer_preview) },
	{ .name = STRC("decidedBy"), .alias = STRC("decided_by"), .type = FIELD_REC, .offset = offsetof(struct ev_action_resolved, decided_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("waitedMs"), .alias = STRC("waited_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_action_resolved, waited_ms), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_action_resolved, reason) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_action_resolved, input_ref) },
	{ .name = STRC("actionType"), .alias = STRC("action_type"), .type = FIELD_ENUM, .offset = offsetof(struct ev_action_resolved, action_type), .words = &enum_action_type },
};
const struct rec_desc ev_action_resolved_desc = { "action_resolved", ev_action_resolved_fields, 9, sizeof(struct ev_action_resolved) };


static const struct field ev_artifact_changed_fields[] = {
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct ev_artifact_changed, change), .required = true, .words = &enum_artifact_change },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, kind), .required = true },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, path) },
	{ .name = STRC("versionId"), .alias = STRC("version_id"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, version_id), .required = true },
	{ .name = STRC("previousVersionId"), .alias = STRC("previous_version_id"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, previous_version_id) },
	{ .name = STRC("mediaType"), .alias = STRC("media_type"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, media_type) },
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_artifact_changed, size_bytes), .has_offset = offsetof(struct ev_artifact_changed, has_size_bytes) },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, sha256) },
	{ .name = STRC("owner"), .alias = STRC("owner"), .type = FIELD_STR, .offset = offsetof(struct ev_artifact_changed, owner), .required = true },
	{ .name = STRC("issues"), .alias = STRC("issues"), .type = FIELD_INT, .offset = offsetof(struct ev_artifact_changed, issues), .has_offset = offsetof(struct ev_artifact_changed, has_issues) },
	{ .name = STRC("validation"), .alias = STRC("validation"), .type = FIELD_REC, .offset = offsetof(struct ev_artifact_changed, validation), .rec = &rec_artifact_validation_desc },
	{ .name = STRC("append"), .alias = STRC("append"), .type = FIELD_BOOL, .offset = offsetof(struct ev_artifact_changed, append), .has_offset = offsetof(struct ev_artifact_changed, has_append) },
	{ .name = STRC("lastChunk"), .alias = STRC("last_chunk"), .type = FIELD_BOOL, .offset = offsetof(struct ev_artifact_changed, last_chunk), .has_offset = offsetof(struct ev_artifact_changed, has_last_chunk) },
};
const struct rec_desc ev_artifact_changed_desc = { "artifact_changed", ev_artifact_changed_fields, 13, sizeof(struct ev_artifact_changed) };


static const struct field ev_benchmark_dataset_resolved_fields[] = {
	{ .name = STRC("selectionPolicy"), .alias = STRC("selection_policy"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_dataset_resolved, selection_policy), .required = true },
	{ .name = STRC("frozenAt"), .alias = STRC("frozen_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_benchmark_dataset_resolved, frozen_at) },
	{ .name = STRC("localPath"), .alias = STRC("local_path"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_dataset_resolved, local_path) },
	{ .name = STRC("registryRef"), .alias = STRC("registry_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_dataset_resolved, registry_ref) },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_dataset_resolved, content_hash) },
	{ .name = STRC("taskCount"), .alias = STRC("task_count"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_dataset_resolved, task_count), .has_offset = offsetof(struct ev_benchmark_dataset_resolved, has_task_count) },
};
const struct rec_desc ev_benchmark_dataset_resolved_desc = { "benchmark_dataset_resolved", ev_benchmark_dataset_resolved_fields, 6, sizeof(struct ev_benchmark_dataset_resolved) };


static const struct field ev_benchmark_configuration_resolved_fields[] = {
	{ .name = STRC("runtimeVersion"), .alias = STRC("runtime_version"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, runtime_version), .required = true },
	{ .name = STRC("agent"), .alias = STRC("agent"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, agent) },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, model), .required = true },
	{ .name = STRC("promptProfile"), .alias = STRC("prompt_profile"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, prompt_profile) },
	{ .name = STRC("toolProfile"), .alias = STRC("tool_profile"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, tool_profile) },
	{ .name = STRC("contextProfile"), .alias = STRC("context_profile"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, context_profile) },
	{ .name = STRC("routingProfile"), .alias = STRC("routing_profile"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, routing_profile) },
	{ .name = STRC("configHash"), .alias = STRC("config_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_configuration_resolved, config_hash), .required = true },
};
const struct rec_desc ev_benchmark_configuration_resolved_desc = { "benchmark_configuration_resolved", ev_benchmark_configuration_resolved_fields, 8, sizeof(struct ev_benchmark_configuration_resolved) };


static const struct field ev_benchmark_trial_started_fields[] = {
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_trial_started, attempt), .required = true },
	{ .name = STRC("timeoutSec"), .alias = STRC("timeout_sec"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_trial_started, timeout_sec), .required = true },
	{ .name = STRC("singleChangedVariable"), .alias = STRC("single_changed_variable"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_trial_started, single_changed_variable) },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_benchmark_trial_started, budget_usd), .has_offset = offsetof(struct ev_benchmark_trial_started, has_budget_usd) },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_benchmark_trial_started, sandbox_mode), .words = &enum_sandbox_mode },
};
const struct rec_desc ev_benchmark_trial_started_desc = { "benchmark_trial_started", ev_benchmark_trial_started_fields, 5, sizeof(struct ev_benchmark_trial_started) };


static const struct field ev_benchmark_trial_completed_fields[] = {
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_trial_completed, duration_ms), .required = true },
	{ .name = STRC("timedOut"), .alias = STRC("timed_out"), .type = FIELD_BOOL, .offset = offsetof(struct ev_benchmark_trial_completed, timed_out), .required = true },
	{ .name = STRC("artifactCount"), .alias = STRC("artifact_count"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_trial_completed, artifact_count), .required = true },
	{ .name = STRC("cleanup"), .alias = STRC("cleanup"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_trial_completed, cleanup), .required = true },
	{ .name = STRC("tokens"), .alias = STRC("tokens"), .type = FIELD_REC, .offset = offsetof(struct ev_benchmark_trial_completed, tokens), .rec = &rec_tokens_desc },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_benchmark_trial_completed, cost_usd), .has_offset = offsetof(struct ev_benchmark_trial_completed, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_benchmark_trial_completed, amount_state), .words = &enum_honesty },
};
const struct rec_desc ev_benchmark_trial_completed_desc = { "benchmark_trial_completed", ev_benchmark_trial_completed_fields, 7, sizeof(struct ev_benchmark_trial_completed) };


static const struct field ev_benchmark_trial_failed_fields[] = {
	{ .name = STRC("failureCategory"), .alias = STRC("failure_category"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_trial_failed, failure_category), .required = true },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_benchmark_trial_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_trial_failed, message), .required = true },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_trial_failed, duration_ms), .has_offset = offsetof(struct ev_benchmark_trial_failed, has_duration_ms) },
	{ .name = STRC("timedOut"), .alias = STRC("timed_out"), .type = FIELD_BOOL, .offset = offsetof(struct ev_benchmark_trial_failed, timed_out), .required = true },
	{ .name = STRC("cleanup"), .alias = STRC("cleanup"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_trial_failed, cleanup) },
	{ .name = STRC("feedbackRefs"), .alias = STRC("feedback_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_benchmark_trial_failed, feedback_refs) },
};
const struct rec_desc ev_benchmark_trial_failed_desc = { "benchmark_trial_failed", ev_benchmark_trial_failed_fields, 7, sizeof(struct ev_benchmark_trial_failed) };


static const struct field ev_benchmark_reward_recorded_fields[] = {
	{ .name = STRC("reward"), .alias = STRC("reward"), .type = FIELD_REAL, .offset = offsetof(struct ev_benchmark_reward_recorded, reward), .required = true },
	{ .name = STRC("criteria"), .alias = STRC("criteria"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, criteria), .required = true },
	{ .name = STRC("failureCategory"), .alias = STRC("failure_category"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, failure_category), .required = true },
	{ .name = STRC("verifierStatus"), .alias = STRC("verifier_status"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, verifier_status) },
	{ .name = STRC("verifierRef"), .alias = STRC("verifier_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, verifier_ref) },
	{ .name = STRC("oracleSanity"), .alias = STRC("oracle_sanity"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, oracle_sanity) },
	{ .name = STRC("drift"), .alias = STRC("drift"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_reward_recorded, drift) },
	{ .name = STRC("trajectoryTransferred"), .alias = STRC("trajectory_transferred"), .type = FIELD_BOOL, .offset = offsetof(struct ev_benchmark_reward_recorded, trajectory_transferred), .has_offset = offsetof(struct ev_benchmark_reward_recorded, has_trajectory_transferred) },
};
const struct rec_desc ev_benchmark_reward_recorded_desc = { "benchmark_reward_recorded", ev_benchmark_reward_recorded_fields, 8, sizeof(struct ev_benchmark_reward_recorded) };


static const struct field ev_benchmark_comparison_completed_fields[] = {
	{ .name = STRC("baselineConfigurationId"), .alias = STRC("baseline_configuration_id"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_comparison_completed, baseline_configuration_id), .required = true },
	{ .name = STRC("candidateConfigurationId"), .alias = STRC("candidate_configuration_id"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_comparison_completed, candidate_configuration_id), .required = true },
	{ .name = STRC("trials"), .alias = STRC("trials"), .type = FIELD_INT, .offset = offsetof(struct ev_benchmark_comparison_completed, trials), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_comparison_completed, decision) },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_comparison_completed, decision_source) },
	{ .name = STRC("remainingRisk"), .alias = STRC("remaining_risk"), .type = FIELD_STR, .offset = offsetof(struct ev_benchmark_comparison_completed, remaining_risk) },
};
const struct rec_desc ev_benchmark_comparison_completed_desc = { "benchmark_comparison_completed", ev_benchmark_comparison_completed_fields, 6, sizeof(struct ev_benchmark_comparison_completed) };


static const struct field ev_channel_connected_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_connected, cause), .required = true },
	{ .name = STRC("transport"), .alias = STRC("transport"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_connected, transport), .required = true, .words = &enum_transport },
	{ .name = STRC("peerRole"), .alias = STRC("peer_role"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_connected, peer_role), .required = true, .words = &enum_peer_role },
};
const struct rec_desc ev_channel_connected_desc = { "channel_connected", ev_channel_connected_fields, 3, sizeof(struct ev_channel_connected) };


static const struct field ev_channel_disconnected_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_disconnected, cause), .required = true, .words = &enum_disconnect_cause },
	{ .name = STRC("lastAckedSequence"), .alias = STRC("last_acked_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_channel_disconnected, last_acked_sequence), .has_offset = offsetof(struct ev_channel_disconnected, has_last_acked_sequence) },
	{ .name = STRC("lastSeenAt"), .alias = STRC("last_seen_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_channel_disconnected, last_seen_at) },
	{ .name = STRC("willRetry"), .alias = STRC("will_retry"), .type = FIELD_BOOL, .offset = offsetof(struct ev_channel_disconnected, will_retry), .has_offset = offsetof(struct ev_channel_disconnected, has_will_retry) },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_disconnected, message) },
};
const struct rec_desc ev_channel_disconnected_desc = { "channel_disconnected", ev_channel_disconnected_fields, 5, sizeof(struct ev_channel_disconnected) };


static const struct field ev_channel_resumed_fields[] = {
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_channel_resumed, from_sequence), .required = true },
	{ .name = STRC("lastAckedSequence"), .alias = STRC("last_acked_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_channel_resumed, last_acked_sequence), .required = true },
	{ .name = STRC("snapshotSequence"), .alias = STRC("snapshot_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_channel_resumed, snapshot_sequence), .has_offset = offsetof(struct ev_channel_resumed, has_snapshot_sequence) },
	{ .name = STRC("gap"), .alias = STRC("gap"), .type = FIELD_BOOL, .offset = offsetof(struct ev_channel_resumed, gap), .has_offset = offsetof(struct ev_channel_resumed, has_gap) },
	{ .name = STRC("transport"), .alias = STRC("transport"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_resumed, transport), .words = &enum_transport },
};
const struct rec_desc ev_channel_resumed_desc = { "channel_resumed", ev_channel_resumed_fields, 5, sizeof(struct ev_channel_resumed) };


static const struct field ev_channel_message_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_message, kind), .required = true },
	{ .name = STRC("direction"), .alias = STRC("direction"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_message, direction) },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_message, preview) },
	{ .name = STRC("messageRef"), .alias = STRC("message_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_channel_message, message_ref) },
	{ .name = STRC("remoteTask"), .alias = STRC("remote_task"), .type = FIELD_REC, .offset = offsetof(struct ev_channel_message, remote_task), .rec = &rec_remote_task_desc },
	{ .name = STRC("localTaskId"), .alias = STRC("local_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_channel_message, local_task_id) },
};
const struct rec_desc ev_channel_message_desc = { "channel_message", ev_channel_message_fields, 6, sizeof(struct ev_channel_message) };


static const struct field ev_channel_permission_forwarded_fields[] = {
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_channel_permission_forwarded, requested_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("subject"), .alias = STRC("subject"), .type = FIELD_REC, .offset = offsetof(struct ev_channel_permission_forwarded, subject), .required = true, .rec = &rec_permission_subject_desc },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_channel_permission_forwarded, expires_at) },
};
const struct rec_desc ev_channel_permission_forwarded_desc = { "channel_permission_forwarded", ev_channel_permission_forwarded_fields, 3, sizeof(struct ev_channel_permission_forwarded) };


static const struct field ev_channel_permission_returned_fields[] = {
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_permission_returned, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("decidedSide"), .alias = STRC("decided_side"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_permission_returned, decided_side), .required = true, .words = &enum_decided_side },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_channel_permission_returned, source), .required = true, .words = &enum_bridge_source },
	{ .name = STRC("channelScoped"), .alias = STRC("channel_scoped"), .type = FIELD_BOOL, .offset = offsetof(struct ev_channel_permission_returned, channel_scoped), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_channel_permission_returned, reason) },
};
const struct rec_desc ev_channel_permission_returned_desc = { "channel_permission_returned", ev_channel_permission_returned_fields, 5, sizeof(struct ev_channel_permission_returned) };


static const struct field ev_context_resolved_fields[] = {
	{ .name = STRC("memoryRefs"), .alias = STRC("memory_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, memory_refs), .required = true },
	{ .name = STRC("knowledgeRefs"), .alias = STRC("knowledge_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, knowledge_refs), .required = true },
	{ .name = STRC("workspaceRefs"), .alias = STRC("workspace_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, workspace_refs), .required = true },
	{ .name = STRC("browserRefs"), .alias = STRC("browser_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, browser_refs), .required = true },
	{ .name = STRC("instructionRefs"), .alias = STRC("instruction_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, instruction_refs), .required = true },
	{ .name = STRC("policyFacts"), .alias = STRC("policy_facts"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, policy_facts), .required = true },
	{ .name = STRC("omissions"), .alias = STRC("omissions"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_context_resolved, omissions), .required = true, .rec = &rec_missing_ref_desc },
	{ .name = STRC("missing"), .alias = STRC("missing"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_context_resolved, missing), .required = true, .rec = &rec_missing_ref_desc },
	{ .name = STRC("history"), .alias = STRC("history"), .type = FIELD_REC, .offset = offsetof(struct ev_context_resolved, history), .required = true, .rec = &rec_history_range_desc },
	{ .name = STRC("budget"), .alias = STRC("budget"), .type = FIELD_REC, .offset = offsetof(struct ev_context_resolved, budget), .required = true, .rec = &rec_context_budget_desc },
	{ .name = STRC("hookContextRefs"), .alias = STRC("hook_context_refs"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_context_resolved, hook_context_refs) },
	{ .name = STRC("sources"), .alias = STRC("sources"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_context_resolved, sources), .rec = &rec_context_item_desc },
	{ .name = STRC("toolRefs"), .alias = STRC("tool_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_context_resolved, tool_refs) },
};
const struct rec_desc ev_context_resolved_desc = { "context_resolved", ev_context_resolved_fields, 13, sizeof(struct ev_context_resolved) };


static const struct field ev_context_compaction_started_fields[] = {
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct ev_context_compaction_started, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_context_compaction_started, affected_turns), .required = true },
	{ .name = STRC("tokensBefore"), .alias = STRC("tokens_before"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_started, tokens_before), .has_offset = offsetof(struct ev_context_compaction_started, has_tokens_before) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_context_compaction_started, reason) },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_context_compaction_started, requested_by), .rec = &rec_actor_desc },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_started, turns), .has_offset = offsetof(struct ev_context_compaction_started, has_turns) },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_started, through_sequence), .has_offset = offsetof(struct ev_context_compaction_started, has_through_sequence) },
};
const struct rec_desc ev_context_compaction_started_desc = { "context_compaction_started", ev_context_compaction_started_fields, 7, sizeof(struct ev_context_compaction_started) };


static const struct field ev_context_compaction_completed_fields[] = {
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct ev_context_compaction_completed, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_context_compaction_completed, affected_turns), .required = true },
	{ .name = STRC("summaryRef"), .alias = STRC("summary_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_context_compaction_completed, summary_ref), .required = true },
	{ .name = STRC("summaryPreview"), .alias = STRC("summary_preview"), .type = FIELD_STR, .offset = offsetof(struct ev_context_compaction_completed, summary_preview) },
	{ .name = STRC("continuationRef"), .alias = STRC("continuation_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_context_compaction_completed, continuation_ref) },
	{ .name = STRC("tokens"), .alias = STRC("tokens"), .type = FIELD_REC, .offset = offsetof(struct ev_context_compaction_completed, tokens), .required = true, .rec = &rec_token_change_desc },
	{ .name = STRC("summaryTokens"), .alias = STRC("summary_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_completed, summary_tokens), .has_offset = offsetof(struct ev_context_compaction_completed, has_summary_tokens) },
	{ .name = STRC("preserved"), .alias = STRC("preserved"), .type = FIELD_REC, .offset = offsetof(struct ev_context_compaction_completed, preserved), .required = true, .rec = &rec_preserved_desc },
	{ .name = STRC("retries"), .alias = STRC("retries"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_completed, retries), .has_offset = offsetof(struct ev_context_compaction_completed, has_retries) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_completed, duration_ms), .has_offset = offsetof(struct ev_context_compaction_completed, has_duration_ms) },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_completed, turns), .has_offset = offsetof(struct ev_context_compaction_completed, has_turns) },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_completed, through_sequence), .has_offset = offsetof(struct ev_context_compaction_completed, has_through_sequence) },
};
const struct rec_desc ev_context_compaction_completed_desc = { "context_compaction_completed", ev_context_compaction_completed_fields, 12, sizeof(struct ev_context_compaction_completed) };


static const struct field ev_context_compaction_failed_fields[] = {
	{ .name = STRC("trigger"), .alias = STRC("trigger"), .type = FIELD_ENUM, .offset = offsetof(struct ev_context_compaction_failed, trigger), .required = true, .words = &enum_compaction_trigger },
	{ .name = STRC("affectedTurns"), .alias = STRC("affected_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_context_compaction_failed, affected_turns), .required = true },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_context_compaction_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_context_compaction_failed, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_context_compaction_failed, retryable), .required = true },
	{ .name = STRC("retries"), .alias = STRC("retries"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_failed, retries), .has_offset = offsetof(struct ev_context_compaction_failed, has_retries) },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct ev_context_compaction_failed, turns), .has_offset = offsetof(struct ev_context_compaction_failed, has_turns) },
};
const struct rec_desc ev_context_compaction_failed_desc = { "context_compaction_failed", ev_context_compaction_failed_fields, 7, sizeof(struct ev_context_compaction_failed) };


static const struct field ev_cost_estimated_fields[] = {
	{ .name = STRC("costClass"), .alias = STRC("cost_class"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_estimated, cost_class), .required = true, .words = &enum_cost_class },
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_estimated, input_tokens), .required = true },
	{ .name = STRC("maxOutputTokens"), .alias = STRC("max_output_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_estimated, max_output_tokens), .required = true },
	{ .name = STRC("estimatedUsd"), .alias = STRC("estimated_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_cost_estimated, estimated_usd), .has_offset = offsetof(struct ev_cost_estimated, has_estimated_usd) },
	{ .name = STRC("reckonedPercent"), .alias = STRC("reckoned_percent"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_estimated, reckoned_percent), .has_offset = offsetof(struct ev_cost_estimated, has_reckoned_percent) },
	{ .name = STRC("reservation"), .alias = STRC("reservation"), .type = FIELD_REC, .offset = offsetof(struct ev_cost_estimated, reservation), .rec = &rec_reservation_desc },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_estimated, amount_state), .words = &enum_honesty },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_cost_estimated, reason) },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_estimated, policy), .words = &enum_unpriced_policy },
};
const struct rec_desc ev_cost_estimated_desc = { "cost_estimated", ev_cost_estimated_fields, 9, sizeof(struct ev_cost_estimated) };


static const struct field ev_cost_recorded_fields[] = {
	{ .name = STRC("amountUsd"), .alias = STRC("amount_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_cost_recorded, amount_usd), .has_offset = offsetof(struct ev_cost_recorded, has_amount_usd) },
	{ .name = STRC("releasedUsd"), .alias = STRC("released_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_cost_recorded, released_usd), .has_offset = offsetof(struct ev_cost_recorded, has_released_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_recorded, amount_state), .words = &enum_honesty },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_cost_recorded, reason) },
	{ .name = STRC("basis"), .alias = STRC("basis"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_recorded, basis), .required = true, .words = &enum_cost_basis },
	{ .name = STRC("inputTokens"), .alias = STRC("input_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_recorded, input_tokens), .has_offset = offsetof(struct ev_cost_recorded, has_input_tokens) },
	{ .name = STRC("cachedInputTokens"), .alias = STRC("cached_input_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_recorded, cached_input_tokens), .has_offset = offsetof(struct ev_cost_recorded, has_cached_input_tokens) },
	{ .name = STRC("cacheWriteTokens"), .alias = STRC("cache_write_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_recorded, cache_write_tokens), .has_offset = offsetof(struct ev_cost_recorded, has_cache_write_tokens) },
	{ .name = STRC("outputTokens"), .alias = STRC("output_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_recorded, output_tokens), .has_offset = offsetof(struct ev_cost_recorded, has_output_tokens) },
	{ .name = STRC("reasoningTokens"), .alias = STRC("reasoning_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_cost_recorded, reasoning_tokens), .has_offset = offsetof(struct ev_cost_recorded, has_reasoning_tokens) },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_cost_recorded, usage_state), .words = &enum_honesty },
	{ .name = STRC("overrun"), .alias = STRC("overrun"), .type = FIELD_REC, .offset = offsetof(struct ev_cost_recorded, overrun), .rec = &rec_overrun_desc },
	{ .name = STRC("corrects"), .alias = STRC("corrects"), .type = FIELD_ID, .offset = offsetof(struct ev_cost_recorded, corrects) },
};
const struct rec_desc ev_cost_recorded_desc = { "cost_recorded", ev_cost_recorded_fields, 13, sizeof(struct ev_cost_recorded) };


static const struct field ev_evidence_changed_fields[] = {
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct ev_evidence_changed, change), .words = &enum_evidence_change },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, kind) },
	{ .name = STRC("packRef"), .alias = STRC("pack_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, pack_ref) },
	{ .name = STRC("replayRef"), .alias = STRC("replay_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, replay_ref) },
	{ .name = STRC("reviewRef"), .alias = STRC("review_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, review_ref) },
	{ .name = STRC("traceRef"), .alias = STRC("trace_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, trace_ref) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_REC, .offset = offsetof(struct ev_evidence_changed, scope), .rec = &rec_correlation_desc },
	{ .name = STRC("partial"), .alias = STRC("partial"), .type = FIELD_BOOL, .offset = offsetof(struct ev_evidence_changed, partial), .has_offset = offsetof(struct ev_evidence_changed, has_partial) },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_evidence_changed, from_sequence), .has_offset = offsetof(struct ev_evidence_changed, has_from_sequence) },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_evidence_changed, to_sequence), .has_offset = offsetof(struct ev_evidence_changed, has_to_sequence) },
	{ .name = STRC("headHash"), .alias = STRC("head_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_evidence_changed, head_hash) },
	{ .name = STRC("signals"), .alias = STRC("signals"), .type = FIELD_JSON, .offset = offsetof(struct ev_evidence_changed, signals) },
	{ .name = STRC("knownGaps"), .alias = STRC("known_gaps"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_evidence_changed, known_gaps) },
	{ .name = STRC("verificationOutcomes"), .alias = STRC("verification_outcomes"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_evidence_changed, verification_outcomes), .rec = &rec_verification_desc },
};
const struct rec_desc ev_evidence_changed_desc = { "evidence_changed", ev_evidence_changed_fields, 14, sizeof(struct ev_evidence_changed) };


static const struct field ev_history_window_loaded_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_history_window_loaded, cause), .required = true, .words = &enum_window_cause },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, from_sequence), .required = true },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, to_sequence), .required = true },
	{ .name = STRC("turns"), .alias = STRC("turns"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, turns), .required = true },
	{ .name = STRC("olderTurns"), .alias = STRC("older_turns"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, older_turns), .required = true },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct ev_history_window_loaded, cursor) },
	{ .name = STRC("omittedThrough"), .alias = STRC("omitted_through"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, omitted_through), .has_offset = offsetof(struct ev_history_window_loaded, has_omitted_through) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_history_window_loaded, reason) },
	{ .name = STRC("roomTokens"), .alias = STRC("room_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_history_window_loaded, room_tokens), .has_offset = offsetof(struct ev_history_window_loaded, has_room_tokens) },
};
const struct rec_desc ev_history_window_loaded_desc = { "history_window_loaded", ev_history_window_loaded_fields, 9, sizeof(struct ev_history_window_loaded) };


static const struct field ev_history_reconstructed_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_history_reconstructed, cause), .required = true, .words = &enum_history_cause },
	{ .name = STRC("throughSequence"), .alias = STRC("through_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_history_reconstructed, through_sequence), .required = true },
	{ .name = STRC("degraded"), .alias = STRC("degraded"), .type = FIELD_BOOL, .offset = offsetof(struct ev_history_reconstructed, degraded), .required = true },
	{ .name = STRC("tail"), .alias = STRC("tail"), .type = FIELD_ENUM, .offset = offsetof(struct ev_history_reconstructed, tail), .required = true, .words = &enum_log_tail },
	{ .name = STRC("openActions"), .alias = STRC("open_actions"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_history_reconstructed, open_actions), .required = true },
	{ .name = STRC("queuedTurns"), .alias = STRC("queued_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_history_reconstructed, queued_turns), .required = true },
	{ .name = STRC("openProcesses"), .alias = STRC("open_processes"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_history_reconstructed, open_processes) },
	{ .name = STRC("lost"), .alias = STRC("lost"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_history_reconstructed, lost), .required = true, .rec = &rec_lost_thing_desc },
	{ .name = STRC("missing"), .alias = STRC("missing"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_history_reconstructed, missing), .required = true },
};
const struct rec_desc ev_history_reconstructed_desc = { "history_reconstructed", ev_history_reconstructed_fields, 9, sizeof(struct ev_history_reconstructed) };


static const struct field ev_history_rollback_started_fields[] = {
	{ .name = STRC("targetTurnId"), .alias = STRC("target_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_history_rollback_started, target_turn_id) },
	{ .name = STRC("targetSequence"), .alias = STRC("target_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_started, target_sequence), .required = true },
	{ .name = STRC("removedTurns"), .alias = STRC("removed_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_history_rollback_started, removed_turns), .required = true },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_history_rollback_started, requested_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_history_rollback_started, reason) },
	{ .name = STRC("removedCount"), .alias = STRC("removed_count"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_started, removed_count), .has_offset = offsetof(struct ev_history_rollback_started, has_removed_count) },
	{ .name = STRC("remainingTurns"), .alias = STRC("remaining_turns"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_started, remaining_turns), .has_offset = offsetof(struct ev_history_rollback_started, has_remaining_turns) },
};
const struct rec_desc ev_history_rollback_started_desc = { "history_rollback_started", ev_history_rollback_started_fields, 7, sizeof(struct ev_history_rollback_started) };


static const struct field ev_history_rollback_completed_fields[] = {
	{ .name = STRC("targetSequence"), .alias = STRC("target_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_completed, target_sequence), .required = true },
	{ .name = STRC("removedTurns"), .alias = STRC("removed_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_history_rollback_completed, removed_turns), .required = true },
	{ .name = STRC("baselineRef"), .alias = STRC("baseline_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_history_rollback_completed, baseline_ref) },
	{ .name = STRC("affected"), .alias = STRC("affected"), .type = FIELD_REC, .offset = offsetof(struct ev_history_rollback_completed, affected), .required = true, .rec = &rec_rollback_effects_desc },
	{ .name = STRC("repairedModels"), .alias = STRC("repaired_models"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_history_rollback_completed, repaired_models), .required = true },
	{ .name = STRC("removedCount"), .alias = STRC("removed_count"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_completed, removed_count), .has_offset = offsetof(struct ev_history_rollback_completed, has_removed_count) },
	{ .name = STRC("remainingTurns"), .alias = STRC("remaining_turns"), .type = FIELD_INT, .offset = offsetof(struct ev_history_rollback_completed, remaining_turns), .has_offset = offsetof(struct ev_history_rollback_completed, has_remaining_turns) },
};
const struct rec_desc ev_history_rollback_completed_desc = { "history_rollback_completed", ev_history_rollback_completed_fields, 7, sizeof(struct ev_history_rollback_completed) };


static const struct field ev_hook_started_fields[] = {
	{ .name = STRC("point"), .alias = STRC("point"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_started, point), .required = true, .words = &enum_hook_point },
	{ .name = STRC("handlerRef"), .alias = STRC("handler_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_hook_started, handler_ref), .required = true },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_hook_started, timeout_ms), .required = true },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct ev_hook_started, preview) },
};
const struct rec_desc ev_hook_started_desc = { "hook_started", ev_hook_started_fields, 4, sizeof(struct ev_hook_started) };


static const struct field ev_hook_completed_fields[] = {
	{ .name = STRC("point"), .alias = STRC("point"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_completed, point), .required = true, .words = &enum_hook_point },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_hook_completed, duration_ms), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_completed, decision), .required = true, .words = &enum_hook_decision },
	{ .name = STRC("updatedInputRef"), .alias = STRC("updated_input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_hook_completed, updated_input_ref) },
	{ .name = STRC("updatedToolOutputRef"), .alias = STRC("updated_tool_output_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_hook_completed, updated_tool_output_ref) },
	{ .name = STRC("additionalContextRefs"), .alias = STRC("additional_context_refs"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_hook_completed, additional_context_refs), .required = true },
	{ .name = STRC("suppressOutput"), .alias = STRC("suppress_output"), .type = FIELD_BOOL, .offset = offsetof(struct ev_hook_completed, suppress_output), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_hook_completed, reason) },
};
const struct rec_desc ev_hook_completed_desc = { "hook_completed", ev_hook_completed_fields, 8, sizeof(struct ev_hook_completed) };


static const struct field ev_hook_failed_fields[] = {
	{ .name = STRC("point"), .alias = STRC("point"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_failed, point), .required = true, .words = &enum_hook_point },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_hook_failed, duration_ms), .has_offset = offsetof(struct ev_hook_failed, has_duration_ms) },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_hook_failed, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_hook_failed, retryable), .required = true },
	{ .name = STRC("failPolicy"), .alias = STRC("fail_policy"), .type = FIELD_ENUM, .offset = offsetof(struct ev_hook_failed, fail_policy), .required = true, .words = &enum_fail_policy },
};
const struct rec_desc ev_hook_failed_desc = { "hook_failed", ev_hook_failed_fields, 6, sizeof(struct ev_hook_failed) };


static const struct field ev_job_created_fields[] = {
	{ .name = STRC("itemCount"), .alias = STRC("item_count"), .type = FIELD_INT, .offset = offsetof(struct ev_job_created, item_count), .required = true },
	{ .name = STRC("instructionRef"), .alias = STRC("instruction_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_job_created, instruction_ref), .required = true },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_job_created, input_ref), .required = true },
	{ .name = STRC("maxRuntimeMs"), .alias = STRC("max_runtime_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_job_created, max_runtime_ms), .has_offset = offsetof(struct ev_job_created, has_max_runtime_ms) },
	{ .name = STRC("concurrency"), .alias = STRC("concurrency"), .type = FIELD_INT, .offset = offsetof(struct ev_job_created, concurrency), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_STR, .offset = offsetof(struct ev_job_created, schedule_id) },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct ev_job_created, output_schema), .max = 16384 },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_job_created, budget_usd), .has_offset = offsetof(struct ev_job_created, has_budget_usd) },
	{ .name = STRC("createdBy"), .alias = STRC("created_by"), .type = FIELD_REC, .offset = offsetof(struct ev_job_created, created_by), .required = true, .rec = &rec_actor_desc },
};
const struct rec_desc ev_job_created_desc = { "job_created", ev_job_created_fields, 9, sizeof(struct ev_job_created) };


static const struct field ev_job_started_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_job_started, cause), .required = true },
	{ .name = STRC("startedAt"), .alias = STRC("started_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_job_started, started_at) },
	{ .name = STRC("fromItem"), .alias = STRC("from_item"), .type = FIELD_INT, .offset = offsetof(struct ev_job_started, from_item), .required = true },
	{ .name = STRC("retryItem"), .alias = STRC("retry_item"), .type = FIELD_INT, .offset = offsetof(struct ev_job_started, retry_item), .has_offset = offsetof(struct ev_job_started, has_retry_item) },
	{ .name = STRC("retryAttempts"), .alias = STRC("retry_attempts"), .type = FIELD_INT, .offset = offsetof(struct ev_job_started, retry_attempts), .has_offset = offsetof(struct ev_job_started, has_retry_attempts) },
};
const struct rec_desc ev_job_started_desc = { "job_started", ev_job_started_fields, 5, sizeof(struct ev_job_started) };


static const struct field ev_job_progress_fields[] = {
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct ev_job_progress, progress), .required = true, .rec = &rec_job_counts_desc },
	{ .name = STRC("itemCursor"), .alias = STRC("item_cursor"), .type = FIELD_INT, .offset = offsetof(struct ev_job_progress, item_cursor), .required = true },
};
const struct rec_desc ev_job_progress_desc = { "job_progress", ev_job_progress_fields, 2, sizeof(struct ev_job_progress) };


static const struct field ev_job_item_started_fields[] = {
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_started, index), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_started, attempt), .required = true },
	{ .name = STRC("assignedThreadId"), .alias = STRC("assigned_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_job_item_started, assigned_thread_id), .required = true },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct ev_job_item_started, worker), .rec = &rec_worker_desc },
};
const struct rec_desc ev_job_item_started_desc = { "job_item_started", ev_job_item_started_fields, 4, sizeof(struct ev_job_item_started) };


static const struct field ev_job_item_completed_fields[] = {
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_completed, index), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_completed, attempt), .required = true },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_completed, duration_ms), .has_offset = offsetof(struct ev_job_item_completed, has_duration_ms) },
	{ .name = STRC("reportedBy"), .alias = STRC("reported_by"), .type = FIELD_REC, .offset = offsetof(struct ev_job_item_completed, reported_by), .rec = &rec_actor_desc },
};
const struct rec_desc ev_job_item_completed_desc = { "job_item_completed", ev_job_item_completed_fields, 4, sizeof(struct ev_job_item_completed) };


static const struct field ev_job_item_failed_fields[] = {
	{ .name = STRC("index"), .alias = STRC("index"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_failed, index), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_job_item_failed, attempt), .required = true },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_job_item_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_job_item_failed, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_job_item_failed, retryable), .required = true },
	{ .name = STRC("assignedThreadId"), .alias = STRC("assigned_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_job_item_failed, assigned_thread_id) },
	{ .name = STRC("willRetry"), .alias = STRC("will_retry"), .type = FIELD_BOOL, .offset = offsetof(struct ev_job_item_failed, will_retry), .required = true },
};
const struct rec_desc ev_job_item_failed_desc = { "job_item_failed", ev_job_item_failed_fields, 7, sizeof(struct ev_job_item_failed) };


static const struct field ev_job_completed_fields[] = {
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct ev_job_completed, progress), .required = true, .rec = &rec_job_counts_desc },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_job_completed, duration_ms), .has_offset = offsetof(struct ev_job_completed, has_duration_ms) },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_job_completed, cost_usd), .has_offset = offsetof(struct ev_job_completed, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_job_completed, amount_state), .words = &enum_honesty },
};
const struct rec_desc ev_job_completed_desc = { "job_completed", ev_job_completed_fields, 4, sizeof(struct ev_job_completed) };


static const struct field ev_job_failed_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_job_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_job_failed, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_job_failed, retryable), .required = true },
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct ev_job_failed, progress), .required = true, .rec = &rec_job_counts_desc },
};
const struct rec_desc ev_job_failed_desc = { "job_failed", ev_job_failed_fields, 4, sizeof(struct ev_job_failed) };


static const struct field ev_job_cancelled_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_job_cancelled, reason), .required = true },
	{ .name = STRC("cancelledBy"), .alias = STRC("cancelled_by"), .type = FIELD_REC, .offset = offsetof(struct ev_job_cancelled, cancelled_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("progress"), .alias = STRC("progress"), .type = FIELD_REC, .offset = offsetof(struct ev_job_cancelled, progress), .required = true, .rec = &rec_job_counts_desc },
};
const struct rec_desc ev_job_cancelled_desc = { "job_cancelled", ev_job_cancelled_fields, 3, sizeof(struct ev_job_cancelled) };


static const struct field ev_limit_changed_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_limit_changed, kind), .required = true, .words = &enum_limit_kind },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct ev_limit_changed, scope), .required = true, .words = &enum_limit_scope },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_limit_changed, source), .required = true, .words = &enum_limit_source },
	{ .name = STRC("before"), .alias = STRC("before"), .type = FIELD_REC, .offset = offsetof(struct ev_limit_changed, before), .rec = &rec_limit_value_desc },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_REC, .offset = offsetof(struct ev_limit_changed, after), .required = true, .rec = &rec_limit_value_desc },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_limit_changed, reason) },
};
const struct rec_desc ev_limit_changed_desc = { "limit_changed", ev_limit_changed_fields, 6, sizeof(struct ev_limit_changed) };


static const struct field ev_model_requested_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct ev_model_requested, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_model_requested, model), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, attempt), .required = true },
	{ .name = STRC("requestNumber"), .alias = STRC("request_number"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, request_number), .required = true },
	{ .name = STRC("messageCount"), .alias = STRC("message_count"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, message_count), .required = true },
	{ .name = STRC("toolCount"), .alias = STRC("tool_count"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, tool_count), .required = true },
	{ .name = STRC("stream"), .alias = STRC("stream"), .type = FIELD_BOOL, .offset = offsetof(struct ev_model_requested, stream), .required = true },
	{ .name = STRC("maxOutputTokens"), .alias = STRC("max_output_tokens"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, max_output_tokens), .required = true },
	{ .name = STRC("mergedTurnIds"), .alias = STRC("merged_turn_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_model_requested, merged_turn_ids) },
	{ .name = STRC("provenance"), .alias = STRC("provenance"), .type = FIELD_STR, .offset = offsetof(struct ev_model_requested, provenance) },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_model_requested, timeout_ms), .has_offset = offsetof(struct ev_model_requested, has_timeout_ms) },
};
const struct rec_desc ev_model_requested_desc = { "model_requested", ev_model_requested_fields, 11, sizeof(struct ev_model_requested) };


static const struct field ev_model_delta_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_delta, kind), .required = true, .words = &enum_delta_kind },
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_STR, .offset = offsetof(struct ev_model_delta, text), .required = true, .max = 16384 },
	{ .name = STRC("textOffset"), .alias = STRC("text_offset"), .type = FIELD_INT, .offset = offsetof(struct ev_model_delta, text_offset), .required = true },
	{ .name = STRC("chunks"), .alias = STRC("chunks"), .type = FIELD_INT, .offset = offsetof(struct ev_model_delta, chunks), .required = true },
	{ .name = STRC("contentIndex"), .alias = STRC("content_index"), .type = FIELD_INT, .offset = offsetof(struct ev_model_delta, content_index), .required = true },
	{ .name = STRC("toolCallIndex"), .alias = STRC("tool_call_index"), .type = FIELD_INT, .offset = offsetof(struct ev_model_delta, tool_call_index), .has_offset = offsetof(struct ev_model_delta, has_tool_call_index) },
};
const struct rec_desc ev_model_delta_desc = { "model_delta", ev_model_delta_fields, 6, sizeof(struct ev_model_delta) };


static const struct field ev_model_completed_fields[] = {
	{ .name = STRC("stopReason"), .alias = STRC("stop_reason"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_completed, stop_reason), .required = true, .words = &enum_stop_reason },
	{ .name = STRC("usage"), .alias = STRC("usage"), .type = FIELD_REC, .offset = offsetof(struct ev_model_completed, usage), .rec = &rec_usage_desc },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_completed, usage_state), .words = &enum_honesty },
	{ .name = STRC("toolCallCount"), .alias = STRC("tool_call_count"), .type = FIELD_INT, .offset = offsetof(struct ev_model_completed, tool_call_count), .required = true },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_model_completed, duration_ms), .required = true },
	{ .name = STRC("timeToFirstTokenMs"), .alias = STRC("time_to_first_token_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_model_completed, time_to_first_token_ms), .has_offset = offsetof(struct ev_model_completed, has_time_to_first_token_ms) },
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_REC, .offset = offsetof(struct ev_model_completed, text), .rec = &rec_text_summary_desc },
	{ .name = STRC("providerRequestId"), .alias = STRC("provider_request_id"), .type = FIELD_STR, .offset = offsetof(struct ev_model_completed, provider_request_id) },
	{ .name = STRC("responseModel"), .alias = STRC("response_model"), .type = FIELD_STR, .offset = offsetof(struct ev_model_completed, response_model) },
	{ .name = STRC("misfit"), .alias = STRC("misfit"), .type = FIELD_STR, .offset = offsetof(struct ev_model_completed, misfit) },
};
const struct rec_desc ev_model_completed_desc = { "model_completed", ev_model_completed_fields, 10, sizeof(struct ev_model_completed) };


static const struct field ev_model_failed_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("httpStatus"), .alias = STRC("http_status"), .type = FIELD_INT, .offset = offsetof(struct ev_model_failed, http_status), .has_offset = offsetof(struct ev_model_failed, has_http_status) },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_model_failed, retryable), .required = true },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_model_failed, attempt), .required = true },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct ev_model_failed, provider), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_model_failed, model), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_model_failed, message), .required = true },
	{ .name = STRC("bytesReceived"), .alias = STRC("bytes_received"), .type = FIELD_INT, .offset = offsetof(struct ev_model_failed, bytes_received), .required = true },
	{ .name = STRC("usage"), .alias = STRC("usage"), .type = FIELD_REC, .offset = offsetof(struct ev_model_failed, usage), .rec = &rec_usage_desc },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_failed, usage_state), .words = &enum_honesty },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_model_failed, duration_ms), .required = true },
	{ .name = STRC("retryAfterMs"), .alias = STRC("retry_after_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_model_failed, retry_after_ms), .has_offset = offsetof(struct ev_model_failed, has_retry_after_ms) },
	{ .name = STRC("executed"), .alias = STRC("executed"), .type = FIELD_ENUM, .offset = offsetof(struct ev_model_failed, executed), .words = &enum_executed },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_model_failed, reason) },
	{ .name = STRC("providerRequestId"), .alias = STRC("provider_request_id"), .type = FIELD_STR, .offset = offsetof(struct ev_model_failed, provider_request_id) },
};
const struct rec_desc ev_model_failed_desc = { "model_failed", ev_model_failed_fields, 15, sizeof(struct ev_model_failed) };


static const struct field ev_output_spilled_fields[] = {
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_output_spilled, size_bytes), .required = true },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_STR, .offset = offsetof(struct ev_output_spilled, policy), .required = true },
	{ .name = STRC("complete"), .alias = STRC("complete"), .type = FIELD_BOOL, .offset = offsetof(struct ev_output_spilled, complete), .required = true },
};
const struct rec_desc ev_output_spilled_desc = { "output_spilled", ev_output_spilled_fields, 3, sizeof(struct ev_output_spilled) };


static const struct field ev_output_truncated_fields[] = {
	{ .name = STRC("truncation"), .alias = STRC("truncation"), .type = FIELD_ENUM, .offset = offsetof(struct ev_output_truncated, truncation), .required = true, .words = &enum_truncation },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_STR, .offset = offsetof(struct ev_output_truncated, policy), .required = true },
	{ .name = STRC("keptBytes"), .alias = STRC("kept_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_output_truncated, kept_bytes), .required = true },
	{ .name = STRC("omittedBytes"), .alias = STRC("omitted_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_output_truncated, omitted_bytes), .required = true },
	{ .name = STRC("for"), .alias = STRC("for"), .type = FIELD_ENUM, .offset = offsetof(struct ev_output_truncated, for_), .required = true, .words = &enum_truncated_for },
};
const struct rec_desc ev_output_truncated_desc = { "output_truncated", ev_output_truncated_fields, 5, sizeof(struct ev_output_truncated) };


static const struct field ev_output_redacted_fields[] = {
	{ .name = STRC("redaction"), .alias = STRC("redaction"), .type = FIELD_ENUM, .offset = offsetof(struct ev_output_redacted, redaction), .required = true, .words = &enum_redaction },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_output_redacted, reason), .required = true },
	{ .name = STRC("count"), .alias = STRC("count"), .type = FIELD_INT, .offset = offsetof(struct ev_output_redacted, count), .required = true },
	{ .name = STRC("ruleRef"), .alias = STRC("rule_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_output_redacted, rule_ref) },
	{ .name = STRC("originalKept"), .alias = STRC("original_kept"), .type = FIELD_BOOL, .offset = offsetof(struct ev_output_redacted, original_kept), .required = true },
};
const struct rec_desc ev_output_redacted_desc = { "output_redacted", ev_output_redacted_fields, 5, sizeof(struct ev_output_redacted) };


static const struct field ev_output_expired_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_ENUM, .offset = offsetof(struct ev_output_expired, reason), .required = true, .words = &enum_expiry_reason },
	{ .name = STRC("sizeBytes"), .alias = STRC("size_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_output_expired, size_bytes), .required = true },
	{ .name = STRC("sha256"), .alias = STRC("sha256"), .type = FIELD_STR, .offset = offsetof(struct ev_output_expired, sha256) },
};
const struct rec_desc ev_output_expired_desc = { "output_expired", ev_output_expired_fields, 3, sizeof(struct ev_output_expired) };


static const struct field ev_permission_evaluated_fields[] = {
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_evaluated, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_evaluated, decision_source), .required = true, .words = &enum_decision_source },
	{ .name = STRC("subject"), .alias = STRC("subject"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_evaluated, subject), .required = true, .words = &enum_decision_subject },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_permission_evaluated, tool_name) },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct ev_permission_evaluated, destructive), .has_offset = offsetof(struct ev_permission_evaluated, has_destructive) },
};
const struct rec_desc ev_permission_evaluated_desc = { "permission_evaluated", ev_permission_evaluated_fields, 5, sizeof(struct ev_permission_evaluated) };


static const struct field ev_permission_requested_fields[] = {
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_requested, from), .required = true, .words = &enum_ask_from },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_permission_requested, tool_name) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_permission_requested, expires_at) },
	{ .name = STRC("onExpiry"), .alias = STRC("on_expiry"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_requested, on_expiry), .required = true, .words = &enum_approval_decision },
};
const struct rec_desc ev_permission_requested_desc = { "permission_requested", ev_permission_requested_fields, 4, sizeof(struct ev_permission_requested) };


static const struct field ev_permission_resolved_fields[] = {
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_resolved, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_permission_resolved, decision_source), .required = true, .words = &enum_decision_source },
	{ .name = STRC("updatedInputRef"), .alias = STRC("updated_input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_permission_resolved, updated_input_ref) },
};
const struct rec_desc ev_permission_resolved_desc = { "permission_resolved", ev_permission_resolved_fields, 3, sizeof(struct ev_permission_resolved) };


static const struct field ev_policy_changed_fields[] = {
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct ev_policy_changed, change), .required = true, .words = &enum_policy_change },
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct ev_policy_changed, grant_id) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct ev_policy_changed, scope), .required = true, .words = &enum_grant_scope },
	{ .name = STRC("match"), .alias = STRC("match"), .type = FIELD_REC, .offset = offsetof(struct ev_policy_changed, match), .rec = &rec_grant_match_desc },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_policy_changed, source), .required = true, .words = &enum_policy_source },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_policy_changed, expires_at) },
	{ .name = STRC("revocable"), .alias = STRC("revocable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_policy_changed, revocable), .has_offset = offsetof(struct ev_policy_changed, has_revocable) },
	{ .name = STRC("before"), .alias = STRC("before"), .type = FIELD_STR, .offset = offsetof(struct ev_policy_changed, before) },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_STR, .offset = offsetof(struct ev_policy_changed, after) },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_policy_changed, mode), .words = &enum_permission_mode },
	{ .name = STRC("ruleRefs"), .alias = STRC("rule_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_policy_changed, rule_refs) },
	{ .name = STRC("rules"), .alias = STRC("rules"), .type = FIELD_JSON, .offset = offsetof(struct ev_policy_changed, rules), .max = 65536 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct ev_policy_changed, cwd) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_policy_changed, reason) },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_policy_changed, content_hash) },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct ev_policy_changed, schedule_id) },
	{ .name = STRC("schedule"), .alias = STRC("schedule"), .type = FIELD_REC, .offset = offsetof(struct ev_policy_changed, schedule), .rec = &rec_schedule_desc },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_policy_changed, next_at) },
	{ .name = STRC("missed"), .alias = STRC("missed"), .type = FIELD_INT, .offset = offsetof(struct ev_policy_changed, missed), .has_offset = offsetof(struct ev_policy_changed, has_missed) },
};
const struct rec_desc ev_policy_changed_desc = { "policy_changed", ev_policy_changed_fields, 19, sizeof(struct ev_policy_changed) };


static const struct field ev_process_started_fields[] = {
	{ .name = STRC("commandSummary"), .alias = STRC("command_summary"), .type = FIELD_STR, .offset = offsetof(struct ev_process_started, command_summary), .required = true },
	{ .name = STRC("subcommands"), .alias = STRC("subcommands"), .type = FIELD_LIST_JSON, .offset = offsetof(struct ev_process_started, subcommands), .required = true },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct ev_process_started, cwd), .required = true },
	{ .name = STRC("tty"), .alias = STRC("tty"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_started, tty), .required = true },
	{ .name = STRC("destructive"), .alias = STRC("destructive"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_started, destructive), .required = true },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_started, sandbox_mode), .required = true, .words = &enum_sandbox_mode },
	{ .name = STRC("network"), .alias = STRC("network"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_started, network), .required = true, .words = &enum_network_mode },
	{ .name = STRC("justification"), .alias = STRC("justification"), .type = FIELD_STR, .offset = offsetof(struct ev_process_started, justification), .required = true },
	{ .name = STRC("background"), .alias = STRC("background"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_started, background), .required = true },
	{ .name = STRC("onTurnEnd"), .alias = STRC("on_turn_end"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_started, on_turn_end), .required = true, .words = &enum_on_turn_end },
	{ .name = STRC("pid"), .alias = STRC("pid"), .type = FIELD_INT, .offset = offsetof(struct ev_process_started, pid), .has_offset = offsetof(struct ev_process_started, has_pid) },
	{ .name = STRC("overrideReason"), .alias = STRC("override_reason"), .type = FIELD_STR, .offset = offsetof(struct ev_process_started, override_reason) },
};
const struct rec_desc ev_process_started_desc = { "process_started", ev_process_started_fields, 12, sizeof(struct ev_process_started) };


static const struct field ev_process_output_fields[] = {
	{ .name = STRC("stream"), .alias = STRC("stream"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_output, stream), .required = true, .words = &enum_process_stream },
	{ .name = STRC("offset"), .alias = STRC("offset"), .type = FIELD_INT, .offset = offsetof(struct ev_process_output, offset), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_output, bytes), .required = true },
	{ .name = STRC("chunks"), .alias = STRC("chunks"), .type = FIELD_INT, .offset = offsetof(struct ev_process_output, chunks), .required = true },
	{ .name = STRC("binary"), .alias = STRC("binary"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_output, binary), .has_offset = offsetof(struct ev_process_output, has_binary) },
};
const struct rec_desc ev_process_output_desc = { "process_output", ev_process_output_fields, 5, sizeof(struct ev_process_output) };


static const struct field ev_process_input_fields[] = {
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_input, bytes), .required = true },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_process_input, input_ref) },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct ev_process_input, preview) },
	{ .name = STRC("outputOffset"), .alias = STRC("output_offset"), .type = FIELD_INT, .offset = offsetof(struct ev_process_input, output_offset), .has_offset = offsetof(struct ev_process_input, has_output_offset) },
	{ .name = STRC("eof"), .alias = STRC("eof"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_input, eof), .has_offset = offsetof(struct ev_process_input, has_eof) },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_process_input, requested_by), .rec = &rec_actor_desc },
};
const struct rec_desc ev_process_input_desc = { "process_input", ev_process_input_fields, 6, sizeof(struct ev_process_input) };


static const struct field ev_process_completed_fields[] = {
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct ev_process_completed, exit_code), .required = true },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_process_completed, duration_ms), .required = true },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_process_completed, output_refs), .required = true },
	{ .name = STRC("maxRssBytes"), .alias = STRC("max_rss_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_completed, max_rss_bytes), .has_offset = offsetof(struct ev_process_completed, has_max_rss_bytes) },
	{ .name = STRC("cpuMs"), .alias = STRC("cpu_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_process_completed, cpu_ms), .has_offset = offsetof(struct ev_process_completed, has_cpu_ms) },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_process_completed, hosts), .rec = &rec_reached_host_desc },
	{ .name = STRC("limitsReached"), .alias = STRC("limits_reached"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_process_completed, limits_reached) },
	{ .name = STRC("droppedBytes"), .alias = STRC("dropped_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_completed, dropped_bytes), .has_offset = offsetof(struct ev_process_completed, has_dropped_bytes) },
};
const struct rec_desc ev_process_completed_desc = { "process_completed", ev_process_completed_fields, 8, sizeof(struct ev_process_completed) };


static const struct field ev_process_failed_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_process_failed, reason), .required = true },
	{ .name = STRC("liveness"), .alias = STRC("liveness"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_failed, liveness), .words = &enum_liveness },
	{ .name = STRC("exitState"), .alias = STRC("exit_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_failed, exit_state), .words = &enum_honesty },
	{ .name = STRC("durableOutputBytes"), .alias = STRC("durable_output_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_failed, durable_output_bytes), .has_offset = offsetof(struct ev_process_failed, has_durable_output_bytes) },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_process_failed, output_refs), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_process_failed, message) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_process_failed, duration_ms), .has_offset = offsetof(struct ev_process_failed, has_duration_ms) },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_process_failed, hosts), .rec = &rec_reached_host_desc },
	{ .name = STRC("limitsReached"), .alias = STRC("limits_reached"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_process_failed, limits_reached) },
	{ .name = STRC("droppedBytes"), .alias = STRC("dropped_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_process_failed, dropped_bytes), .has_offset = offsetof(struct ev_process_failed, has_dropped_bytes) },
};
const struct rec_desc ev_process_failed_desc = { "process_failed", ev_process_failed_fields, 11, sizeof(struct ev_process_failed) };


static const struct field ev_process_terminated_fields[] = {
	{ .name = STRC("by"), .alias = STRC("by"), .type = FIELD_ENUM, .offset = offsetof(struct ev_process_terminated, by), .required = true, .words = &enum_terminated_by },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_process_terminated, cause), .required = true },
	{ .name = STRC("signal"), .alias = STRC("signal"), .type = FIELD_STR, .offset = offsetof(struct ev_process_terminated, signal), .required = true },
	{ .name = STRC("escalated"), .alias = STRC("escalated"), .type = FIELD_BOOL, .offset = offsetof(struct ev_process_terminated, escalated), .required = true },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_process_terminated, duration_ms), .required = true },
	{ .name = STRC("survivors"), .alias = STRC("survivors"), .type = FIELD_INT, .offset = offsetof(struct ev_process_terminated, survivors), .required = true },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_process_terminated, output_refs), .required = true },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_process_terminated, requested_by), .rec = &rec_actor_desc },
	{ .name = STRC("hosts"), .alias = STRC("hosts"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_process_terminated, hosts), .rec = &rec_reached_host_desc },
};
const struct rec_desc ev_process_terminated_desc = { "process_terminated", ev_process_terminated_fields, 9, sizeof(struct ev_process_terminated) };


static const struct field ev_queue_changed_fields[] = {
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct ev_queue_changed, change), .required = true, .words = &enum_queue_change },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_queue_changed, queued_turn_id) },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_queue_changed, order), .required = true },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_REC, .offset = offsetof(struct ev_queue_changed, policy), .required = true, .rec = &rec_queue_rules_desc },
	{ .name = STRC("position"), .alias = STRC("position"), .type = FIELD_INT, .offset = offsetof(struct ev_queue_changed, position), .has_offset = offsetof(struct ev_queue_changed, has_position) },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_queue_changed, requested_by), .rec = &rec_actor_desc },
	{ .name = STRC("waitedMs"), .alias = STRC("waited_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_queue_changed, waited_ms), .has_offset = offsetof(struct ev_queue_changed, has_waited_ms) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_queue_changed, reason) },
};
const struct rec_desc ev_queue_changed_desc = { "queue_changed", ev_queue_changed_fields, 8, sizeof(struct ev_queue_changed) };


static const struct field ev_rate_limit_hit_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct ev_rate_limit_hit, provider), .required = true },
	{ .name = STRC("retryAfterMs"), .alias = STRC("retry_after_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_rate_limit_hit, retry_after_ms), .has_offset = offsetof(struct ev_rate_limit_hit, has_retry_after_ms) },
	{ .name = STRC("action"), .alias = STRC("action"), .type = FIELD_ENUM, .offset = offsetof(struct ev_rate_limit_hit, action), .required = true, .words = &enum_rate_action },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_rate_limit_hit, reason) },
};
const struct rec_desc ev_rate_limit_hit_desc = { "rate_limit_hit", ev_rate_limit_hit_fields, 4, sizeof(struct ev_rate_limit_hit) };


static const struct field ev_quota_low_fields[] = {
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct ev_quota_low, scope), .required = true, .words = &enum_limit_scope },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct ev_quota_low, provider) },
	{ .name = STRC("remaining"), .alias = STRC("remaining"), .type = FIELD_INT, .offset = offsetof(struct ev_quota_low, remaining), .has_offset = offsetof(struct ev_quota_low, has_remaining) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct ev_quota_low, limit), .has_offset = offsetof(struct ev_quota_low, has_limit) },
	{ .name = STRC("remainingUsd"), .alias = STRC("remaining_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_quota_low, remaining_usd), .has_offset = offsetof(struct ev_quota_low, has_remaining_usd) },
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_quota_low, cap_usd), .has_offset = offsetof(struct ev_quota_low, has_cap_usd) },
	{ .name = STRC("thresholdPercent"), .alias = STRC("threshold_percent"), .type = FIELD_INT, .offset = offsetof(struct ev_quota_low, threshold_percent), .required = true },
	{ .name = STRC("resetAt"), .alias = STRC("reset_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_quota_low, reset_at) },
};
const struct rec_desc ev_quota_low_desc = { "quota_low", ev_quota_low_fields, 8, sizeof(struct ev_quota_low) };


static const struct field ev_quota_blocked_fields[] = {
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct ev_quota_blocked, scope), .required = true, .words = &enum_limit_scope },
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct ev_quota_blocked, provider) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_quota_blocked, reason), .required = true },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct ev_quota_blocked, limit), .has_offset = offsetof(struct ev_quota_blocked, has_limit) },
	{ .name = STRC("capUsd"), .alias = STRC("cap_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_quota_blocked, cap_usd), .has_offset = offsetof(struct ev_quota_blocked, has_cap_usd) },
	{ .name = STRC("spentUsd"), .alias = STRC("spent_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_quota_blocked, spent_usd), .has_offset = offsetof(struct ev_quota_blocked, has_spent_usd) },
	{ .name = STRC("neededUsd"), .alias = STRC("needed_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_quota_blocked, needed_usd), .has_offset = offsetof(struct ev_quota_blocked, has_needed_usd) },
	{ .name = STRC("resetAt"), .alias = STRC("reset_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_quota_blocked, reset_at) },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_quota_blocked, remedy) },
};
const struct rec_desc ev_quota_blocked_desc = { "quota_blocked", ev_quota_blocked_fields, 9, sizeof(struct ev_quota_blocked) };


static const struct field ev_reasoning_delta_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_reasoning_delta, kind), .required = true, .words = &enum_reasoning_kind },
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_STR, .offset = offsetof(struct ev_reasoning_delta, text), .max = 16384 },
	{ .name = STRC("textOffset"), .alias = STRC("text_offset"), .type = FIELD_INT, .offset = offsetof(struct ev_reasoning_delta, text_offset), .required = true },
	{ .name = STRC("chunks"), .alias = STRC("chunks"), .type = FIELD_INT, .offset = offsetof(struct ev_reasoning_delta, chunks), .required = true },
	{ .name = STRC("channel"), .alias = STRC("channel"), .type = FIELD_ENUM, .offset = offsetof(struct ev_reasoning_delta, channel), .required = true, .words = &enum_reasoning_channel },
};
const struct rec_desc ev_reasoning_delta_desc = { "reasoning_delta", ev_reasoning_delta_fields, 5, sizeof(struct ev_reasoning_delta) };


static const struct field ev_reasoning_summary_fields[] = {
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_reasoning_summary, source), .required = true, .words = &enum_summary_source },
	{ .name = STRC("preview"), .alias = STRC("preview"), .type = FIELD_STR, .offset = offsetof(struct ev_reasoning_summary, preview) },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_reasoning_summary, bytes), .required = true },
	{ .name = STRC("truncation"), .alias = STRC("truncation"), .type = FIELD_ENUM, .offset = offsetof(struct ev_reasoning_summary, truncation), .required = true, .words = &enum_truncation },
	{ .name = STRC("redaction"), .alias = STRC("redaction"), .type = FIELD_ENUM, .offset = offsetof(struct ev_reasoning_summary, redaction), .required = true, .words = &enum_redaction },
};
const struct rec_desc ev_reasoning_summary_desc = { "reasoning_summary", ev_reasoning_summary_fields, 5, sizeof(struct ev_reasoning_summary) };


static const struct field ev_routing_candidates_resolved_fields[] = {
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_candidates_resolved, candidate_count), .required = true },
	{ .name = STRC("excludedCount"), .alias = STRC("excluded_count"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_candidates_resolved, excluded_count), .required = true },
};
const struct rec_desc ev_routing_candidates_resolved_desc = { "routing_candidates_resolved", ev_routing_candidates_resolved_fields, 2, sizeof(struct ev_routing_candidates_resolved) };


static const struct field ev_routing_decided_fields[] = {
	{ .name = STRC("routingMode"), .alias = STRC("routing_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_decided, routing_mode), .required = true, .words = &enum_routing_mode },
	{ .name = STRC("selectedProvider"), .alias = STRC("selected_provider"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_decided, selected_provider), .required = true },
	{ .name = STRC("selectedModel"), .alias = STRC("selected_model"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_decided, selected_model), .required = true },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_decided, decision_source), .required = true, .words = &enum_routing_source },
};
const struct rec_desc ev_routing_decided_desc = { "routing_decided", ev_routing_decided_fields, 4, sizeof(struct ev_routing_decided) };


static const struct field ev_routing_fallback_applied_fields[] = {
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_REC, .offset = offsetof(struct ev_routing_fallback_applied, from), .required = true, .rec = &rec_model_name_desc },
	{ .name = STRC("to"), .alias = STRC("to"), .type = FIELD_REC, .offset = offsetof(struct ev_routing_fallback_applied, to), .required = true, .rec = &rec_model_name_desc },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_fallback_applied, cause), .required = true, .words = &enum_error_category },
	{ .name = STRC("chainPosition"), .alias = STRC("chain_position"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_fallback_applied, chain_position), .required = true },
	{ .name = STRC("switchedAfterMs"), .alias = STRC("switched_after_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_fallback_applied, switched_after_ms), .required = true },
};
const struct rec_desc ev_routing_fallback_applied_desc = { "routing_fallback_applied", ev_routing_fallback_applied_fields, 5, sizeof(struct ev_routing_fallback_applied) };


static const struct field ev_routing_not_possible_fields[] = {
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_not_possible, candidate_count), .required = true },
	{ .name = STRC("capabilityGap"), .alias = STRC("capability_gap"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_not_possible, capability_gap), .required = true },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_not_possible, decision_source), .required = true, .words = &enum_routing_source },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_not_possible, remedy) },
};
const struct rec_desc ev_routing_not_possible_desc = { "routing_not_possible", ev_routing_not_possible_fields, 4, sizeof(struct ev_routing_not_possible) };


static const struct field ev_routing_single_candidate_fields[] = {
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_single_candidate, task_kind), .required = true },
	{ .name = STRC("candidateCount"), .alias = STRC("candidate_count"), .type = FIELD_INT, .offset = offsetof(struct ev_routing_single_candidate, candidate_count), .required = true },
	{ .name = STRC("selectedModel"), .alias = STRC("selected_model"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_single_candidate, selected_model), .required = true },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_single_candidate, decision_source), .required = true, .words = &enum_routing_source },
	{ .name = STRC("capabilityGap"), .alias = STRC("capability_gap"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_single_candidate, capability_gap), .required = true },
	{ .name = STRC("decisionReason"), .alias = STRC("decision_reason"), .type = FIELD_STR, .offset = offsetof(struct ev_routing_single_candidate, decision_reason), .required = true },
	{ .name = STRC("costClass"), .alias = STRC("cost_class"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_single_candidate, cost_class), .required = true, .words = &enum_cost_class },
	{ .name = STRC("limitState"), .alias = STRC("limit_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_routing_single_candidate, limit_state), .required = true, .words = &enum_limit_status },
};
const struct rec_desc ev_routing_single_candidate_desc = { "routing_single_candidate", ev_routing_single_candidate_fields, 8, sizeof(struct ev_routing_single_candidate) };


static const struct field ev_run_status_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_run_status, kind), .required = true, .words = &enum_run_status_kind },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct ev_run_status, title), .required = true },
	{ .name = STRC("detail"), .alias = STRC("detail"), .type = FIELD_STR, .offset = offsetof(struct ev_run_status, detail), .required = true },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_run_status, requested_by), .rec = &rec_actor_desc },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_run_status, reason) },
	{ .name = STRC("queuePolicy"), .alias = STRC("queue_policy"), .type = FIELD_ENUM, .offset = offsetof(struct ev_run_status, queue_policy), .words = &enum_queue_policy },
	{ .name = STRC("stopping"), .alias = STRC("stopping"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_run_status, stopping), .rec = &rec_thing_desc },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_run_status, attempt), .has_offset = offsetof(struct ev_run_status, has_attempt) },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct ev_run_status, wait), .rec = &rec_wait_desc },
	{ .name = STRC("checkpoints"), .alias = STRC("checkpoints"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_run_status, checkpoints), .rec = &rec_ref_entry_desc },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct ev_run_status, metadata) },
};
const struct rec_desc ev_run_status_desc = { "run_status", ev_run_status_fields, 11, sizeof(struct ev_run_status) };


static const struct field ev_runtime_warning_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_runtime_warning, category), .required = true, .words = &enum_warning_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_warning, message), .required = true },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_warning, cause) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_warning, ref) },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_warning, remedy) },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct ev_runtime_warning, wait), .rec = &rec_wait_desc },
	{ .name = STRC("count"), .alias = STRC("count"), .type = FIELD_INT, .offset = offsetof(struct ev_runtime_warning, count), .has_offset = offsetof(struct ev_runtime_warning, has_count) },
	{ .name = STRC("clockOffsetMs"), .alias = STRC("clock_offset_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_runtime_warning, clock_offset_ms), .has_offset = offsetof(struct ev_runtime_warning, has_clock_offset_ms) },
	{ .name = STRC("stampAheadMs"), .alias = STRC("stamp_ahead_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_runtime_warning, stamp_ahead_ms), .has_offset = offsetof(struct ev_runtime_warning, has_stamp_ahead_ms) },
};
const struct rec_desc ev_runtime_warning_desc = { "runtime_warning", ev_runtime_warning_fields, 9, sizeof(struct ev_runtime_warning) };


static const struct field ev_runtime_error_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_runtime_error, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, kind) },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_runtime_error, retryable), .has_offset = offsetof(struct ev_runtime_error, has_retryable) },
	{ .name = STRC("refusedType"), .alias = STRC("refused_type"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, refused_type) },
	{ .name = STRC("refusedBy"), .alias = STRC("refused_by"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, refused_by) },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, ref) },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_runtime_error, remedy) },
};
const struct rec_desc ev_runtime_error_desc = { "runtime_error", ev_runtime_error_fields, 8, sizeof(struct ev_runtime_error) };


static const struct field ev_sandbox_applied_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_sandbox_applied, mode), .required = true, .words = &enum_sandbox_mode },
	{ .name = STRC("tier"), .alias = STRC("tier"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_applied, tier), .required = true },
	{ .name = STRC("degraded"), .alias = STRC("degraded"), .type = FIELD_BOOL, .offset = offsetof(struct ev_sandbox_applied, degraded), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_applied, reason) },
};
const struct rec_desc ev_sandbox_applied_desc = { "sandbox_applied", ev_sandbox_applied_fields, 4, sizeof(struct ev_sandbox_applied) };


static const struct field ev_sandbox_violation_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_sandbox_violation, kind), .required = true, .words = &enum_violation_kind },
	{ .name = STRC("operation"), .alias = STRC("operation"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, operation), .required = true },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, path) },
	{ .name = STRC("host"), .alias = STRC("host"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, host) },
	{ .name = STRC("port"), .alias = STRC("port"), .type = FIELD_INT, .offset = offsetof(struct ev_sandbox_violation, port), .has_offset = offsetof(struct ev_sandbox_violation, has_port) },
	{ .name = STRC("syscall"), .alias = STRC("syscall"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, syscall) },
	{ .name = STRC("errno"), .alias = STRC("errno"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, errno_) },
	{ .name = STRC("rule"), .alias = STRC("rule"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, rule) },
	{ .name = STRC("address"), .alias = STRC("address"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, address) },
	{ .name = STRC("blocked"), .alias = STRC("blocked"), .type = FIELD_BOOL, .offset = offsetof(struct ev_sandbox_violation, blocked), .required = true },
	{ .name = STRC("fallback"), .alias = STRC("fallback"), .type = FIELD_BOOL, .offset = offsetof(struct ev_sandbox_violation, fallback), .has_offset = offsetof(struct ev_sandbox_violation, has_fallback) },
	{ .name = STRC("wouldAllow"), .alias = STRC("would_allow"), .type = FIELD_STR, .offset = offsetof(struct ev_sandbox_violation, would_allow) },
	{ .name = STRC("count"), .alias = STRC("count"), .type = FIELD_INT, .offset = offsetof(struct ev_sandbox_violation, count), .has_offset = offsetof(struct ev_sandbox_violation, has_count) },
	{ .name = STRC("needs"), .alias = STRC("needs"), .type = FIELD_REC, .offset = offsetof(struct ev_sandbox_violation, needs), .rec = &rec_sandbox_override_desc },
};
const struct rec_desc ev_sandbox_violation_desc = { "sandbox_violation", ev_sandbox_violation_fields, 14, sizeof(struct ev_sandbox_violation) };


static const struct field ev_session_created_fields[] = {
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct ev_session_created, title), .required = true },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct ev_session_created, workspace_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct ev_session_created, cwd) },
	{ .name = STRC("createdBy"), .alias = STRC("created_by"), .type = FIELD_REC, .offset = offsetof(struct ev_session_created, created_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("permissionMode"), .alias = STRC("permission_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_session_created, permission_mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("policyRefs"), .alias = STRC("policy_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_session_created, policy_refs), .required = true },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_session_created, model) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct ev_session_created, metadata) },
	{ .name = STRC("forkedFrom"), .alias = STRC("forked_from"), .type = FIELD_REC, .offset = offsetof(struct ev_session_created, forked_from), .rec = &rec_fork_point_desc },
	{ .name = STRC("baselineRef"), .alias = STRC("baseline_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_session_created, baseline_ref) },
	{ .name = STRC("clockOffsetMs"), .alias = STRC("clock_offset_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_session_created, clock_offset_ms), .has_offset = offsetof(struct ev_session_created, has_clock_offset_ms) },
};
const struct rec_desc ev_session_created_desc = { "session_created", ev_session_created_fields, 11, sizeof(struct ev_session_created) };


static const struct field ev_session_updated_fields[] = {
	{ .name = STRC("changed"), .alias = STRC("changed"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_session_updated, changed), .required = true },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct ev_session_updated, title) },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct ev_session_updated, workspace_id) },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct ev_session_updated, cwd) },
	{ .name = STRC("permissionMode"), .alias = STRC("permission_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_session_updated, permission_mode), .words = &enum_permission_mode },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_session_updated, model) },
	{ .name = STRC("pinnedThreadIds"), .alias = STRC("pinned_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_session_updated, pinned_thread_ids) },
	{ .name = STRC("archived"), .alias = STRC("archived"), .type = FIELD_BOOL, .offset = offsetof(struct ev_session_updated, archived), .has_offset = offsetof(struct ev_session_updated, has_archived) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct ev_session_updated, metadata) },
	{ .name = STRC("updatedBy"), .alias = STRC("updated_by"), .type = FIELD_REC, .offset = offsetof(struct ev_session_updated, updated_by), .rec = &rec_actor_desc },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_REC, .offset = offsetof(struct ev_session_updated, delivery), .rec = &rec_delivery_desc },
	{ .name = STRC("runtime"), .alias = STRC("runtime"), .type = FIELD_REC, .offset = offsetof(struct ev_session_updated, runtime), .rec = &rec_runtime_run_desc },
	{ .name = STRC("anchor"), .alias = STRC("anchor"), .type = FIELD_REC, .offset = offsetof(struct ev_session_updated, anchor), .rec = &rec_log_anchor_desc },
};
const struct rec_desc ev_session_updated_desc = { "session_updated", ev_session_updated_fields, 13, sizeof(struct ev_session_updated) };


static const struct field ev_snapshot_updated_fields[] = {
	{ .name = STRC("models"), .alias = STRC("models"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_snapshot_updated, models), .required = true },
	{ .name = STRC("reflectsSequence"), .alias = STRC("reflects_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_updated, reflects_sequence), .required = true },
	{ .name = STRC("foldVersion"), .alias = STRC("fold_version"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_updated, fold_version), .required = true },
	{ .name = STRC("recoveryMode"), .alias = STRC("recovery_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_snapshot_updated, recovery_mode), .required = true, .words = &enum_recovery_mode },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_snapshot_updated, kind) },
	{ .name = STRC("removedThrough"), .alias = STRC("removed_through"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_updated, removed_through), .has_offset = offsetof(struct ev_snapshot_updated, has_removed_through) },
	{ .name = STRC("headHash"), .alias = STRC("head_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_snapshot_updated, head_hash) },
	{ .name = STRC("snapshotRef"), .alias = STRC("snapshot_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_snapshot_updated, snapshot_ref) },
};
const struct rec_desc ev_snapshot_updated_desc = { "snapshot_updated", ev_snapshot_updated_fields, 8, sizeof(struct ev_snapshot_updated) };


static const struct field ev_snapshot_repaired_fields[] = {
	{ .name = STRC("models"), .alias = STRC("models"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_snapshot_repaired, models), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_snapshot_repaired, reason), .required = true },
	{ .name = STRC("reflectsSequence"), .alias = STRC("reflects_sequence"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_repaired, reflects_sequence), .required = true },
	{ .name = STRC("recoveryMode"), .alias = STRC("recovery_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_snapshot_repaired, recovery_mode), .required = true, .words = &enum_recovery_mode },
	{ .name = STRC("gapFrom"), .alias = STRC("gap_from"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_repaired, gap_from), .has_offset = offsetof(struct ev_snapshot_repaired, has_gap_from) },
	{ .name = STRC("gapTo"), .alias = STRC("gap_to"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_repaired, gap_to), .has_offset = offsetof(struct ev_snapshot_repaired, has_gap_to) },
	{ .name = STRC("droppedBytes"), .alias = STRC("dropped_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_snapshot_repaired, dropped_bytes), .has_offset = offsetof(struct ev_snapshot_repaired, has_dropped_bytes) },
	{ .name = STRC("stale"), .alias = STRC("stale"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_snapshot_repaired, stale), .required = true },
};
const struct rec_desc ev_snapshot_repaired_desc = { "snapshot_repaired", ev_snapshot_repaired_fields, 8, sizeof(struct ev_snapshot_repaired) };


static const struct field ev_subagent_spawned_fields[] = {
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, parent_thread_id), .required = true },
	{ .name = STRC("parentTurnId"), .alias = STRC("parent_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, parent_turn_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, parent_task_id) },
	{ .name = STRC("parentSubagentId"), .alias = STRC("parent_subagent_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, parent_subagent_id) },
	{ .name = STRC("childThreadId"), .alias = STRC("child_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, child_thread_id), .required = true },
	{ .name = STRC("role"), .alias = STRC("role"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_spawned, role), .required = true },
	{ .name = STRC("nickname"), .alias = STRC("nickname"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_spawned, nickname) },
	{ .name = STRC("isolation"), .alias = STRC("isolation"), .type = FIELD_REC, .offset = offsetof(struct ev_subagent_spawned, isolation), .required = true, .rec = &rec_isolation_desc },
	{ .name = STRC("modelPolicy"), .alias = STRC("model_policy"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_spawned, model_policy), .required = true, .words = &enum_model_policy },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_spawned, model) },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_subagent_spawned, budget_usd), .has_offset = offsetof(struct ev_subagent_spawned, has_budget_usd) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_spawned, input_ref) },
};
const struct rec_desc ev_subagent_spawned_desc = { "subagent_spawned", ev_subagent_spawned_fields, 12, sizeof(struct ev_subagent_spawned) };


static const struct field ev_subagent_status_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_status, kind), .required = true, .words = &enum_subagent_status_kind },
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_status, from), .words = &enum_subagent_status },
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_status, output_ref) },
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_status, last_message_ref) },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_status, summary) },
	{ .name = STRC("worktreeState"), .alias = STRC("worktree_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_status, worktree_state), .words = &enum_worktree_state },
};
const struct rec_desc ev_subagent_status_desc = { "subagent_status", ev_subagent_status_fields, 6, sizeof(struct ev_subagent_status) };


static const struct field ev_subagent_input_fields[] = {
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_input, input_ref), .required = true },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_subagent_input, input), .rec = &rec_input_part_desc },
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_REC, .offset = offsetof(struct ev_subagent_input, from), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("childTurnId"), .alias = STRC("child_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_input, child_turn_id) },
};
const struct rec_desc ev_subagent_input_desc = { "subagent_input", ev_subagent_input_fields, 4, sizeof(struct ev_subagent_input) };


static const struct field ev_subagent_completed_fields[] = {
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_completed, last_message_ref) },
	{ .name = STRC("artifactRefs"), .alias = STRC("artifact_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_subagent_completed, artifact_refs) },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_completed, usage_state), .words = &enum_honesty },
	{ .name = STRC("usage"), .alias = STRC("usage"), .type = FIELD_REC, .offset = offsetof(struct ev_subagent_completed, usage), .rec = &rec_tokens_desc },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_subagent_completed, cost_usd), .has_offset = offsetof(struct ev_subagent_completed, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_completed, amount_state), .words = &enum_honesty },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_completed, summary) },
};
const struct rec_desc ev_subagent_completed_desc = { "subagent_completed", ev_subagent_completed_fields, 7, sizeof(struct ev_subagent_completed) };


static const struct field ev_subagent_failed_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_subagent_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_failed, message), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_subagent_failed, retryable), .required = true },
	{ .name = STRC("lastMessageRef"), .alias = STRC("last_message_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_subagent_failed, last_message_ref) },
};
const struct rec_desc ev_subagent_failed_desc = { "subagent_failed", ev_subagent_failed_fields, 4, sizeof(struct ev_subagent_failed) };


static const struct field ev_subagent_closed_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_subagent_closed, reason), .required = true },
	{ .name = STRC("closedBy"), .alias = STRC("closed_by"), .type = FIELD_REC, .offset = offsetof(struct ev_subagent_closed, closed_by), .rec = &rec_actor_desc },
	{ .name = STRC("survivors"), .alias = STRC("survivors"), .type = FIELD_INT, .offset = offsetof(struct ev_subagent_closed, survivors), .has_offset = offsetof(struct ev_subagent_closed, has_survivors) },
};
const struct rec_desc ev_subagent_closed_desc = { "subagent_closed", ev_subagent_closed_fields, 3, sizeof(struct ev_subagent_closed) };


static const struct field ev_task_created_fields[] = {
	{ .name = STRC("objective"), .alias = STRC("objective"), .type = FIELD_STR, .offset = offsetof(struct ev_task_created, objective), .required = true },
	{ .name = STRC("implicit"), .alias = STRC("implicit"), .type = FIELD_BOOL, .offset = offsetof(struct ev_task_created, implicit), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct ev_task_created, idempotency_key) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_created, parent_task_id) },
	{ .name = STRC("retryPolicy"), .alias = STRC("retry_policy"), .type = FIELD_REC, .offset = offsetof(struct ev_task_created, retry_policy), .rec = &rec_retry_policy_desc },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_created, schedule_id) },
	{ .name = STRC("scheduledFor"), .alias = STRC("scheduled_for"), .type = FIELD_TIME, .offset = offsetof(struct ev_task_created, scheduled_for) },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct ev_task_created, next_at) },
	{ .name = STRC("missed"), .alias = STRC("missed"), .type = FIELD_INT, .offset = offsetof(struct ev_task_created, missed), .has_offset = offsetof(struct ev_task_created, has_missed) },
};
const struct rec_desc ev_task_created_desc = { "task_created", ev_task_created_fields, 9, sizeof(struct ev_task_created) };


static const struct field ev_task_accepted_fields[] = {
	{ .name = STRC("acceptedBy"), .alias = STRC("accepted_by"), .type = FIELD_STR, .offset = offsetof(struct ev_task_accepted, accepted_by), .required = true },
};
const struct rec_desc ev_task_accepted_desc = { "task_accepted", ev_task_accepted_fields, 1, sizeof(struct ev_task_accepted) };


static const struct field ev_task_queued_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_queued, reason), .required = true },
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_queued, from), .words = &enum_task_status },
	{ .name = STRC("behind"), .alias = STRC("behind"), .type = FIELD_ID, .offset = offsetof(struct ev_task_queued, behind) },
	{ .name = STRC("position"), .alias = STRC("position"), .type = FIELD_INT, .offset = offsetof(struct ev_task_queued, position), .has_offset = offsetof(struct ev_task_queued, has_position) },
	{ .name = STRC("blockedBy"), .alias = STRC("blocked_by"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_task_queued, blocked_by) },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_task_queued, cause) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_STR, .offset = offsetof(struct ev_task_queued, input_ref) },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_task_queued, input), .rec = &rec_input_part_desc },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct ev_task_queued, until) },
	{ .name = STRC("nextTurnId"), .alias = STRC("next_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_queued, next_turn_id) },
};
const struct rec_desc ev_task_queued_desc = { "task_queued", ev_task_queued_fields, 10, sizeof(struct ev_task_queued) };


static const struct field ev_task_started_fields[] = {
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_task_started, cause) },
};
const struct rec_desc ev_task_started_desc = { "task_started", ev_task_started_fields, 1, sizeof(struct ev_task_started) };


static const struct field ev_task_updated_fields[] = {
	{ .name = STRC("changed"), .alias = STRC("changed"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_task_updated, changed), .required = true },
	{ .name = STRC("updatedBy"), .alias = STRC("updated_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_updated, updated_by), .rec = &rec_actor_desc },
	{ .name = STRC("declared"), .alias = STRC("declared"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_task_updated, declared) },
	{ .name = STRC("stale"), .alias = STRC("stale"), .type = FIELD_BOOL, .offset = offsetof(struct ev_task_updated, stale), .has_offset = offsetof(struct ev_task_updated, has_stale) },
};
const struct rec_desc ev_task_updated_desc = { "task_updated", ev_task_updated_fields, 4, sizeof(struct ev_task_updated) };


static const struct field ev_task_progress_fields[] = {
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_progress, phase), .words = &enum_phase },
	{ .name = STRC("counters"), .alias = STRC("counters"), .type = FIELD_REC, .offset = offsetof(struct ev_task_progress, counters), .rec = &rec_counters_desc },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct ev_task_progress, summary) },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_task_progress, output_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_REC, .offset = offsetof(struct ev_task_progress, source), .rec = &rec_actor_desc },
};
const struct rec_desc ev_task_progress_desc = { "task_progress", ev_task_progress_fields, 5, sizeof(struct ev_task_progress) };


static const struct field ev_task_waiting_fields[] = {
	{ .name = STRC("for"), .alias = STRC("for"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_waiting, for_), .required = true, .words = &enum_wait_for },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_waiting, action_id) },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct ev_task_waiting, until) },
	{ .name = STRC("wait"), .alias = STRC("wait"), .type = FIELD_REC, .offset = offsetof(struct ev_task_waiting, wait), .rec = &rec_wait_desc },
};
const struct rec_desc ev_task_waiting_desc = { "task_waiting", ev_task_waiting_fields, 4, sizeof(struct ev_task_waiting) };


static const struct field ev_task_blocked_fields[] = {
	{ .name = STRC("blocker"), .alias = STRC("blocker"), .type = FIELD_REC, .offset = offsetof(struct ev_task_blocked, blocker), .required = true, .rec = &rec_blocker_desc },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_task_blocked, ended_by), .required = true },
};
const struct rec_desc ev_task_blocked_desc = { "task_blocked", ev_task_blocked_fields, 2, sizeof(struct ev_task_blocked) };


static const struct field ev_task_paused_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_paused, reason), .required = true },
	{ .name = STRC("pausedBy"), .alias = STRC("paused_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_paused, paused_by), .rec = &rec_actor_desc },
};
const struct rec_desc ev_task_paused_desc = { "task_paused", ev_task_paused_fields, 2, sizeof(struct ev_task_paused) };


static const struct field ev_task_resumed_fields[] = {
	{ .name = STRC("from"), .alias = STRC("from"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_resumed, from), .required = true, .words = &enum_task_status },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_REC, .offset = offsetof(struct ev_task_resumed, cause), .required = true, .rec = &rec_resume_cause_desc },
};
const struct rec_desc ev_task_resumed_desc = { "task_resumed", ev_task_resumed_fields, 2, sizeof(struct ev_task_resumed) };


static const struct field ev_task_retrying_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_retrying, reason), .required = true },
	{ .name = STRC("previousRunId"), .alias = STRC("previous_run_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_retrying, previous_run_id) },
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_task_retrying, attempt), .required = true },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_retrying, requested_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("inherits"), .alias = STRC("inherits"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_task_retrying, inherits) },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_retrying, cause), .words = &enum_attempt_cause },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct ev_task_retrying, until) },
	{ .name = STRC("recalled"), .alias = STRC("recalled"), .type = FIELD_JSON, .offset = offsetof(struct ev_task_retrying, recalled), .max = 49152 },
};
const struct rec_desc ev_task_retrying_desc = { "task_retrying", ev_task_retrying_fields, 8, sizeof(struct ev_task_retrying) };


static const struct field ev_task_cancel_requested_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_cancel_requested, reason), .required = true },
	{ .name = STRC("requestedBy"), .alias = STRC("requested_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_cancel_requested, requested_by), .required = true, .rec = &rec_actor_desc },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_cancel_requested, propagation), .required = true, .words = &enum_propagation },
};
const struct rec_desc ev_task_cancel_requested_desc = { "task_cancel_requested", ev_task_cancel_requested_fields, 3, sizeof(struct ev_task_cancel_requested) };


static const struct field ev_task_cancelled_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_cancelled, reason), .required = true },
	{ .name = STRC("cancelledBy"), .alias = STRC("cancelled_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_cancelled, cancelled_by), .required = true, .rec = &rec_actor_desc },
};
const struct rec_desc ev_task_cancelled_desc = { "task_cancelled", ev_task_cancelled_fields, 2, sizeof(struct ev_task_cancelled) };


static const struct field ev_task_timed_out_fields[] = {
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_STR, .offset = offsetof(struct ev_task_timed_out, limit), .required = true },
	{ .name = STRC("limitMs"), .alias = STRC("limit_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_task_timed_out, limit_ms), .required = true },
	{ .name = STRC("elapsedMs"), .alias = STRC("elapsed_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_task_timed_out, elapsed_ms), .has_offset = offsetof(struct ev_task_timed_out, has_elapsed_ms) },
};
const struct rec_desc ev_task_timed_out_desc = { "task_timed_out", ev_task_timed_out_fields, 3, sizeof(struct ev_task_timed_out) };


static const struct field ev_task_failed_fields[] = {
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_task_failed, retryable), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_task_failed, message), .required = true },
	{ .name = STRC("unmet"), .alias = STRC("unmet"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_task_failed, unmet) },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_task_failed, remedy) },
};
const struct rec_desc ev_task_failed_desc = { "task_failed", ev_task_failed_fields, 5, sizeof(struct ev_task_failed) };


static const struct field ev_task_lost_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_lost, reason), .required = true },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_lost, worker), .required = true, .words = &enum_worker_kind },
	{ .name = STRC("effectInFlight"), .alias = STRC("effect_in_flight"), .type = FIELD_BOOL, .offset = offsetof(struct ev_task_lost, effect_in_flight), .has_offset = offsetof(struct ev_task_lost, has_effect_in_flight) },
};
const struct rec_desc ev_task_lost_desc = { "task_lost", ev_task_lost_fields, 3, sizeof(struct ev_task_lost) };


static const struct field ev_task_completed_fields[] = {
	{ .name = STRC("reconciled"), .alias = STRC("reconciled"), .type = FIELD_REC, .offset = offsetof(struct ev_task_completed, reconciled), .required = true, .rec = &rec_reconciled_desc },
	{ .name = STRC("completedBy"), .alias = STRC("completed_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_completed, completed_by), .rec = &rec_actor_desc },
};
const struct rec_desc ev_task_completed_desc = { "task_completed", ev_task_completed_fields, 2, sizeof(struct ev_task_completed) };


static const struct field ev_task_archived_fields[] = {
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_archived, reason) },
	{ .name = STRC("archivedBy"), .alias = STRC("archived_by"), .type = FIELD_REC, .offset = offsetof(struct ev_task_archived, archived_by), .rec = &rec_actor_desc },
	{ .name = STRC("recalled"), .alias = STRC("recalled"), .type = FIELD_JSON, .offset = offsetof(struct ev_task_archived, recalled), .max = 49152 },
};
const struct rec_desc ev_task_archived_desc = { "task_archived", ev_task_archived_fields, 3, sizeof(struct ev_task_archived) };


static const struct field ev_task_profile_resolved_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_STR, .offset = offsetof(struct ev_task_profile_resolved, kind), .required = true },
	{ .name = STRC("settingsSource"), .alias = STRC("settings_source"), .type = FIELD_STR, .offset = offsetof(struct ev_task_profile_resolved, settings_source), .required = true },
};
const struct rec_desc ev_task_profile_resolved_desc = { "task_profile_resolved", ev_task_profile_resolved_fields, 2, sizeof(struct ev_task_profile_resolved) };


static const struct field ev_task_delegated_fields[] = {
	{ .name = STRC("to"), .alias = STRC("to"), .type = FIELD_STR, .offset = offsetof(struct ev_task_delegated, to), .required = true },
	{ .name = STRC("childTaskId"), .alias = STRC("child_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_delegated, child_task_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_delegated, subagent_id) },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_delegated, job_id) },
	{ .name = STRC("remoteTask"), .alias = STRC("remote_task"), .type = FIELD_REC, .offset = offsetof(struct ev_task_delegated, remote_task), .rec = &rec_remote_task_desc },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_task_delegated, reason) },
};
const struct rec_desc ev_task_delegated_desc = { "task_delegated", ev_task_delegated_fields, 6, sizeof(struct ev_task_delegated) };


static const struct field ev_task_dependency_updated_fields[] = {
	{ .name = STRC("change"), .alias = STRC("change"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_dependency_updated, change), .required = true, .words = &enum_edge_change },
	{ .name = STRC("relationship"), .alias = STRC("relationship"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_dependency_updated, relationship), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("fromTaskId"), .alias = STRC("from_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_dependency_updated, from_task_id), .required = true },
	{ .name = STRC("toTaskId"), .alias = STRC("to_task_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_dependency_updated, to_task_id) },
	{ .name = STRC("targetId"), .alias = STRC("target_id"), .type = FIELD_ID, .offset = offsetof(struct ev_task_dependency_updated, target_id) },
};
const struct rec_desc ev_task_dependency_updated_desc = { "task_dependency_updated", ev_task_dependency_updated_fields, 5, sizeof(struct ev_task_dependency_updated) };


static const struct field ev_task_attempt_started_fields[] = {
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_task_attempt_started, attempt), .required = true },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_attempt_started, cause), .required = true, .words = &enum_attempt_cause },
};
const struct rec_desc ev_task_attempt_started_desc = { "task_attempt_started", ev_task_attempt_started_fields, 2, sizeof(struct ev_task_attempt_started) };


static const struct field ev_task_attempt_completed_fields[] = {
	{ .name = STRC("attempt"), .alias = STRC("attempt"), .type = FIELD_INT, .offset = offsetof(struct ev_task_attempt_completed, attempt), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_attempt_completed, status), .required = true, .words = &enum_attempt_status },
};
const struct rec_desc ev_task_attempt_completed_desc = { "task_attempt_completed", ev_task_attempt_completed_fields, 2, sizeof(struct ev_task_attempt_completed) };


static const struct field ev_task_attempt_failed_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_attempt_failed, status), .required = true, .words = &enum_status },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_task_attempt_failed, retryable), .required = true },
	{ .name = STRC("failureCategory"), .alias = STRC("failure_category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_task_attempt_failed, failure_category), .required = true, .words = &enum_error_category },
	{ .name = STRC("nextAttemptPolicy"), .alias = STRC("next_attempt_policy"), .type = FIELD_STR, .offset = offsetof(struct ev_task_attempt_failed, next_attempt_policy), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_task_attempt_failed, message) },
};
const struct rec_desc ev_task_attempt_failed_desc = { "task_attempt_failed", ev_task_attempt_failed_fields, 5, sizeof(struct ev_task_attempt_failed) };


static const struct field ev_thread_started_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_thread_started, kind), .required = true, .words = &enum_thread_kind },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_thread_started, cause), .required = true },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct ev_thread_started, title) },
	{ .name = STRC("forkedFrom"), .alias = STRC("forked_from"), .type = FIELD_REC, .offset = offsetof(struct ev_thread_started, forked_from), .rec = &rec_fork_point_desc },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct ev_thread_started, parent_thread_id) },
	{ .name = STRC("queuePolicy"), .alias = STRC("queue_policy"), .type = FIELD_REC, .offset = offsetof(struct ev_thread_started, queue_policy), .rec = &rec_queue_rules_desc },
};
const struct rec_desc ev_thread_started_desc = { "thread_started", ev_thread_started_fields, 6, sizeof(struct ev_thread_started) };


static const struct field ev_thread_updated_fields[] = {
	{ .name = STRC("activeTurnId"), .alias = STRC("active_turn_id"), .type = FIELD_ID, .offset = offsetof(struct ev_thread_updated, active_turn_id) },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_thread_updated, profile_status), .required = true, .words = &enum_status },
	{ .name = STRC("lastOutcome"), .alias = STRC("last_outcome"), .type = FIELD_REC, .offset = offsetof(struct ev_thread_updated, last_outcome), .rec = &rec_last_outcome_desc },
	{ .name = STRC("queued"), .alias = STRC("queued"), .type = FIELD_INT, .offset = offsetof(struct ev_thread_updated, queued), .has_offset = offsetof(struct ev_thread_updated, has_queued) },
	{ .name = STRC("pendingActionIds"), .alias = STRC("pending_action_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_thread_updated, pending_action_ids) },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_thread_updated, cause), .required = true },
};
const struct rec_desc ev_thread_updated_desc = { "thread_updated", ev_thread_updated_fields, 6, sizeof(struct ev_thread_updated) };


static const struct field ev_tool_catalog_resolved_fields[] = {
	{ .name = STRC("toolCount"), .alias = STRC("tool_count"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_catalog_resolved, tool_count), .required = true },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_catalog_resolved, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("tools"), .alias = STRC("tools"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_tool_catalog_resolved, tools), .rec = &rec_inventory_tool_desc },
	{ .name = STRC("toolsTruncated"), .alias = STRC("tools_truncated"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_catalog_resolved, tools_truncated), .has_offset = offsetof(struct ev_tool_catalog_resolved, has_tools_truncated) },
	{ .name = STRC("catalogHash"), .alias = STRC("catalog_hash"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_catalog_resolved, catalog_hash) },
	{ .name = STRC("unchangedSince"), .alias = STRC("unchanged_since"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_catalog_resolved, unchanged_since), .has_offset = offsetof(struct ev_tool_catalog_resolved, has_unchanged_since) },
};
const struct rec_desc ev_tool_catalog_resolved_desc = { "tool_catalog_resolved", ev_tool_catalog_resolved_fields, 6, sizeof(struct ev_tool_catalog_resolved) };


static const struct field ev_tool_started_fields[] = {
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_started, tool_name), .required = true },
	{ .name = STRC("safeArgs"), .alias = STRC("safe_args"), .type = FIELD_JSON, .offset = offsetof(struct ev_tool_started, safe_args) },
	{ .name = STRC("argsRef"), .alias = STRC("args_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_started, args_ref) },
	{ .name = STRC("policy"), .alias = STRC("policy"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_started, policy), .required = true, .words = &enum_tool_policy },
	{ .name = STRC("runtimeOwner"), .alias = STRC("runtime_owner"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_started, runtime_owner), .required = true },
	{ .name = STRC("isReadOnly"), .alias = STRC("is_read_only"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_started, is_read_only), .required = true },
	{ .name = STRC("isConcurrencySafe"), .alias = STRC("is_concurrency_safe"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_started, is_concurrency_safe), .required = true },
	{ .name = STRC("isDestructive"), .alias = STRC("is_destructive"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_started, is_destructive), .required = true },
	{ .name = STRC("interruptBehavior"), .alias = STRC("interrupt_behavior"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_started, interrupt_behavior), .required = true, .words = &enum_interrupt_behavior },
	{ .name = STRC("providerCallId"), .alias = STRC("provider_call_id"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_started, provider_call_id), .required = true },
};
const struct rec_desc ev_tool_started_desc = { "tool_started", ev_tool_started_fields, 10, sizeof(struct ev_tool_started) };


static const struct field ev_tool_args_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_args, kind), .required = true, .words = &enum_args_kind },
	{ .name = STRC("updatedBy"), .alias = STRC("updated_by"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_args, updated_by), .words = &enum_updated_by },
	{ .name = STRC("hookRunId"), .alias = STRC("hook_run_id"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_args, hook_run_id) },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_args, action_id) },
	{ .name = STRC("safeArgs"), .alias = STRC("safe_args"), .type = FIELD_JSON, .offset = offsetof(struct ev_tool_args, safe_args) },
	{ .name = STRC("valid"), .alias = STRC("valid"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_args, valid), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_args, bytes), .has_offset = offsetof(struct ev_tool_args, has_bytes) },
	{ .name = STRC("errors"), .alias = STRC("errors"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_tool_args, errors) },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_args, input_ref) },
	{ .name = STRC("previousInputRef"), .alias = STRC("previous_input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_args, previous_input_ref) },
	{ .name = STRC("safeArgsRef"), .alias = STRC("safe_args_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_args, safe_args_ref) },
	{ .name = STRC("redacted"), .alias = STRC("redacted"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_args, redacted), .has_offset = offsetof(struct ev_tool_args, has_redacted) },
};
const struct rec_desc ev_tool_args_desc = { "tool_args", ev_tool_args_fields, 12, sizeof(struct ev_tool_args) };


static const struct field ev_tool_progress_fields[] = {
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_progress, kind), .words = &enum_tool_progress_kind },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_progress, message) },
	{ .name = STRC("completed"), .alias = STRC("completed"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_progress, completed), .has_offset = offsetof(struct ev_tool_progress, has_completed) },
	{ .name = STRC("total"), .alias = STRC("total"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_progress, total), .has_offset = offsetof(struct ev_tool_progress, has_total) },
	{ .name = STRC("byRuntime"), .alias = STRC("by_runtime"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_progress, by_runtime), .has_offset = offsetof(struct ev_tool_progress, has_by_runtime) },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct ev_tool_progress, until) },
};
const struct rec_desc ev_tool_progress_desc = { "tool_progress", ev_tool_progress_fields, 6, sizeof(struct ev_tool_progress) };


static const struct field ev_tool_result_fields[] = {
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_result, tool_name), .required = true },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_result, exit_code), .has_offset = offsetof(struct ev_tool_result, has_exit_code) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_result, duration_ms), .required = true },
	{ .name = STRC("displayPreview"), .alias = STRC("display_preview"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_result, display_preview), .required = true },
	{ .name = STRC("structuredContentRef"), .alias = STRC("structured_content_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_result, structured_content_ref) },
	{ .name = STRC("truncation"), .alias = STRC("truncation"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_result, truncation), .required = true, .words = &enum_truncation },
	{ .name = STRC("rawOutputRef"), .alias = STRC("raw_output_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_result, raw_output_ref) },
	{ .name = STRC("modelBytes"), .alias = STRC("model_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_result, model_bytes), .has_offset = offsetof(struct ev_tool_result, has_model_bytes) },
	{ .name = STRC("artifactRefs"), .alias = STRC("artifact_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_tool_result, artifact_refs), .required = true },
	{ .name = STRC("permissionDecision"), .alias = STRC("permission_decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_result, permission_decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_result, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("hookRunIds"), .alias = STRC("hook_run_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_tool_result, hook_run_ids), .required = true },
	{ .name = STRC("isError"), .alias = STRC("is_error"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_result, is_error), .required = true },
	{ .name = STRC("errorRef"), .alias = STRC("error_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_result, error_ref) },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_tool_result, violation_refs) },
	{ .name = STRC("images"), .alias = STRC("images"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_tool_result, images), .rec = &rec_input_part_desc },
	{ .name = STRC("decisionId"), .alias = STRC("decision_id"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_result, decision_id) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_result, output_bytes), .has_offset = offsetof(struct ev_tool_result, has_output_bytes) },
};
const struct rec_desc ev_tool_result_desc = { "tool_result", ev_tool_result_fields, 18, sizeof(struct ev_tool_result) };


static const struct field ev_tool_failed_fields[] = {
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_failed, tool_name), .required = true },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_failed, reason), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_tool_failed, retryable), .required = true },
	{ .name = STRC("executed"), .alias = STRC("executed"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_failed, executed), .required = true, .words = &enum_executed },
	{ .name = STRC("advice"), .alias = STRC("advice"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_failed, advice) },
	{ .name = STRC("displayPreview"), .alias = STRC("display_preview"), .type = FIELD_STR, .offset = offsetof(struct ev_tool_failed, display_preview) },
	{ .name = STRC("rawOutputRef"), .alias = STRC("raw_output_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_failed, raw_output_ref) },
	{ .name = STRC("modelBytes"), .alias = STRC("model_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_failed, model_bytes), .has_offset = offsetof(struct ev_tool_failed, has_model_bytes) },
	{ .name = STRC("permissionDecision"), .alias = STRC("permission_decision"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_failed, permission_decision), .words = &enum_approval_decision },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct ev_tool_failed, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("violationRefs"), .alias = STRC("violation_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct ev_tool_failed, violation_refs) },
	{ .name = STRC("hookRunIds"), .alias = STRC("hook_run_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct ev_tool_failed, hook_run_ids), .required = true },
	{ .name = STRC("exitCode"), .alias = STRC("exit_code"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_failed, exit_code), .has_offset = offsetof(struct ev_tool_failed, has_exit_code) },
	{ .name = STRC("durationMs"), .alias = STRC("duration_ms"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_failed, duration_ms), .has_offset = offsetof(struct ev_tool_failed, has_duration_ms) },
	{ .name = STRC("errorRef"), .alias = STRC("error_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_failed, error_ref) },
	{ .name = STRC("decisionId"), .alias = STRC("decision_id"), .type = FIELD_ID, .offset = offsetof(struct ev_tool_failed, decision_id) },
	{ .name = STRC("outputBytes"), .alias = STRC("output_bytes"), .type = FIELD_INT, .offset = offsetof(struct ev_tool_failed, output_bytes), .has_offset = offsetof(struct ev_tool_failed, has_output_bytes) },
};
const struct rec_desc ev_tool_failed_desc = { "tool_failed", ev_tool_failed_fields, 18, sizeof(struct ev_tool_failed) };


static const struct field ev_turn_submitted_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_submitted, status), .required = true, .words = &enum_status },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct ev_turn_submitted, source), .required = true },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_submitted, input_ref) },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_LIST_REC, .offset = offsetof(struct ev_turn_submitted, input), .rec = &rec_input_part_desc },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_submitted, delivery), .required = true, .words = &enum_delivery },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_submitted, kind), .required = true, .words = &enum_turn_kind },
	{ .name = STRC("cause"), .alias = STRC("cause"), .type = FIELD_STR, .offset = offsetof(struct ev_turn_submitted, cause) },
	{ .name = STRC("mergedInto"), .alias = STRC("merged_into"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_submitted, merged_into) },
	{ .name = STRC("configRef"), .alias = STRC("config_ref"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_submitted, config_ref) },
	{ .name = STRC("options"), .alias = STRC("options"), .type = FIELD_REC, .offset = offsetof(struct ev_turn_submitted, options), .rec = &rec_turn_options_desc },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_submitted, job_item_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_submitted, subagent_id) },
};
const struct rec_desc ev_turn_submitted_desc = { "turn_submitted", ev_turn_submitted_fields, 12, sizeof(struct ev_turn_submitted) };


static const struct field ev_turn_started_fields[] = {
	{ .name = STRC("environmentId"), .alias = STRC("environment_id"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_started, environment_id), .required = true },
};
const struct rec_desc ev_turn_started_desc = { "turn_started", ev_turn_started_fields, 1, sizeof(struct ev_turn_started) };


static const struct field ev_turn_completed_fields[] = {
	{ .name = STRC("outcome"), .alias = STRC("outcome"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_completed, outcome), .required = true, .words = &enum_turn_outcome },
	{ .name = STRC("steps"), .alias = STRC("steps"), .type = FIELD_INT, .offset = offsetof(struct ev_turn_completed, steps), .has_offset = offsetof(struct ev_turn_completed, has_steps) },
	{ .name = STRC("modelRequests"), .alias = STRC("model_requests"), .type = FIELD_INT, .offset = offsetof(struct ev_turn_completed, model_requests), .has_offset = offsetof(struct ev_turn_completed, has_model_requests) },
	{ .name = STRC("usage"), .alias = STRC("usage"), .type = FIELD_REC, .offset = offsetof(struct ev_turn_completed, usage), .rec = &rec_tokens_desc },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_turn_completed, cost_usd), .has_offset = offsetof(struct ev_turn_completed, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_completed, amount_state), .words = &enum_honesty },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_completed, usage_state), .words = &enum_honesty },
	{ .name = STRC("costStatus"), .alias = STRC("cost_status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_completed, cost_status), .words = &enum_cost_status },
	{ .name = STRC("mergedInto"), .alias = STRC("merged_into"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_completed, merged_into) },
	{ .name = STRC("modelRequestId"), .alias = STRC("model_request_id"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_completed, model_request_id) },
	{ .name = STRC("stepId"), .alias = STRC("step_id"), .type = FIELD_ID, .offset = offsetof(struct ev_turn_completed, step_id) },
};
const struct rec_desc ev_turn_completed_desc = { "turn_completed", ev_turn_completed_fields, 11, sizeof(struct ev_turn_completed) };


static const struct field ev_turn_failed_fields[] = {
	{ .name = STRC("outcome"), .alias = STRC("outcome"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_failed, outcome), .required = true, .words = &enum_turn_outcome },
	{ .name = STRC("category"), .alias = STRC("category"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_failed, category), .required = true, .words = &enum_error_category },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct ev_turn_failed, reason), .required = true },
	{ .name = STRC("retryable"), .alias = STRC("retryable"), .type = FIELD_BOOL, .offset = offsetof(struct ev_turn_failed, retryable), .required = true },
	{ .name = STRC("message"), .alias = STRC("message"), .type = FIELD_STR, .offset = offsetof(struct ev_turn_failed, message), .required = true },
	{ .name = STRC("remedy"), .alias = STRC("remedy"), .type = FIELD_STR, .offset = offsetof(struct ev_turn_failed, remedy) },
	{ .name = STRC("steps"), .alias = STRC("steps"), .type = FIELD_INT, .offset = offsetof(struct ev_turn_failed, steps), .has_offset = offsetof(struct ev_turn_failed, has_steps) },
	{ .name = STRC("modelRequests"), .alias = STRC("model_requests"), .type = FIELD_INT, .offset = offsetof(struct ev_turn_failed, model_requests), .has_offset = offsetof(struct ev_turn_failed, has_model_requests) },
	{ .name = STRC("usage"), .alias = STRC("usage"), .type = FIELD_REC, .offset = offsetof(struct ev_turn_failed, usage), .rec = &rec_tokens_desc },
	{ .name = STRC("costUsd"), .alias = STRC("cost_usd"), .type = FIELD_USD, .offset = offsetof(struct ev_turn_failed, cost_usd), .has_offset = offsetof(struct ev_turn_failed, has_cost_usd) },
	{ .name = STRC("amountState"), .alias = STRC("amount_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_failed, amount_state), .words = &enum_honesty },
	{ .name = STRC("usageState"), .alias = STRC("usage_state"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_failed, usage_state), .words = &enum_honesty },
	{ .name = STRC("costStatus"), .alias = STRC("cost_status"), .type = FIELD_ENUM, .offset = offsetof(struct ev_turn_failed, cost_status), .words = &enum_cost_status },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_REC, .offset = offsetof(struct ev_turn_failed, ended_by), .rec = &rec_actor_desc },
};
const struct rec_desc ev_turn_failed_desc = { "turn_failed", ev_turn_failed_fields, 14, sizeof(struct ev_turn_failed) };


static const struct field cmd_respond_action_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_respond_action, session_id), .required = true },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_respond_action, action_id), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_respond_action, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_respond_action, scope), .words = &enum_grant_scope },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_respond_action, reason), .max = 2000 },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_respond_action, input) },
	{ .name = STRC("payload"), .alias = STRC("payload"), .type = FIELD_JSON, .offset = offsetof(struct cmd_respond_action, payload) },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct cmd_respond_action, expires_at) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_respond_action, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_respond_action_desc = { "respond_action", cmd_respond_action_fields, 9, sizeof(struct cmd_respond_action) };


static const struct field reply_respond_action_fields[] = {
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct reply_respond_action, action_id), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct reply_respond_action, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct reply_respond_action, scope), .words = &enum_grant_scope },
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct reply_respond_action, grant_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_respond_action, sequence), .has_offset = offsetof(struct reply_respond_action, has_sequence) },
};
const struct rec_desc reply_respond_action_desc = { "respond_action", reply_respond_action_fields, 5, sizeof(struct reply_respond_action) };


static const struct field cmd_list_actions_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_actions, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_actions, thread_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_actions, status), .words = &enum_action_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_actions, limit), .has_offset = offsetof(struct cmd_list_actions, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_actions, cursor) },
};
const struct rec_desc cmd_list_actions_desc = { "list_actions", cmd_list_actions_fields, 5, sizeof(struct cmd_list_actions) };


static const struct field reply_list_actions_fields[] = {
	{ .name = STRC("actions"), .alias = STRC("actions"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_actions, actions), .required = true, .rec = &rec_action_view_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_actions, next_cursor) },
};
const struct rec_desc reply_list_actions_desc = { "list_actions", reply_list_actions_fields, 2, sizeof(struct reply_list_actions) };


static const struct field cmd_start_benchmark_trial_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_benchmark_trial, session_id) },
	{ .name = STRC("benchmark"), .alias = STRC("benchmark"), .type = FIELD_REC, .offset = offsetof(struct cmd_start_benchmark_trial, benchmark), .required = true, .rec = &rec_benchmark_desc },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_start_benchmark_trial, input) },
	{ .name = STRC("timeoutSec"), .alias = STRC("timeout_sec"), .type = FIELD_INT, .offset = offsetof(struct cmd_start_benchmark_trial, timeout_sec), .has_offset = offsetof(struct cmd_start_benchmark_trial, has_timeout_sec) },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_start_benchmark_trial, budget_usd), .has_offset = offsetof(struct cmd_start_benchmark_trial, has_budget_usd) },
	{ .name = STRC("sandboxMode"), .alias = STRC("sandbox_mode"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_start_benchmark_trial, sandbox_mode), .words = &enum_sandbox_mode },
	{ .name = STRC("refs"), .alias = STRC("refs"), .type = FIELD_DICT, .offset = offsetof(struct cmd_start_benchmark_trial, refs) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_start_benchmark_trial, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_start_benchmark_trial_desc = { "start_benchmark_trial", cmd_start_benchmark_trial_fields, 8, sizeof(struct cmd_start_benchmark_trial) };


static const struct field reply_start_benchmark_trial_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_benchmark_trial, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_benchmark_trial, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_benchmark_trial, turn_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_benchmark_trial, task_id), .required = true },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_benchmark_trial, run_id), .required = true },
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct reply_start_benchmark_trial, trial_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_start_benchmark_trial, sequence), .has_offset = offsetof(struct reply_start_benchmark_trial, has_sequence) },
};
const struct rec_desc reply_start_benchmark_trial_desc = { "start_benchmark_trial", reply_start_benchmark_trial_fields, 7, sizeof(struct reply_start_benchmark_trial) };


static const struct field cmd_record_benchmark_reward_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_record_benchmark_reward, session_id), .required = true },
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_record_benchmark_reward, trial_id), .required = true, .max = 256 },
	{ .name = STRC("reward"), .alias = STRC("reward"), .type = FIELD_REC, .offset = offsetof(struct cmd_record_benchmark_reward, reward), .required = true, .rec = &rec_reward_desc },
	{ .name = STRC("verifierStatus"), .alias = STRC("verifier_status"), .type = FIELD_STR, .offset = offsetof(struct cmd_record_benchmark_reward, verifier_status), .max = 64 },
	{ .name = STRC("refs"), .alias = STRC("refs"), .type = FIELD_DICT, .offset = offsetof(struct cmd_record_benchmark_reward, refs) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_record_benchmark_reward, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_record_benchmark_reward_desc = { "record_benchmark_reward", cmd_record_benchmark_reward_fields, 6, sizeof(struct cmd_record_benchmark_reward) };


static const struct field reply_record_benchmark_reward_fields[] = {
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct reply_record_benchmark_reward, trial_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_record_benchmark_reward, sequence), .has_offset = offsetof(struct reply_record_benchmark_reward, has_sequence) },
};
const struct rec_desc reply_record_benchmark_reward_desc = { "record_benchmark_reward", reply_record_benchmark_reward_fields, 2, sizeof(struct reply_record_benchmark_reward) };


static const struct field cmd_export_benchmark_trial_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_benchmark_trial, session_id), .required = true },
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_benchmark_trial, trial_id), .required = true, .max = 256 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_benchmark_trial, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_export_benchmark_trial_desc = { "export_benchmark_trial", cmd_export_benchmark_trial_fields, 3, sizeof(struct cmd_export_benchmark_trial) };


static const struct field reply_export_benchmark_trial_fields[] = {
	{ .name = STRC("trialId"), .alias = STRC("trial_id"), .type = FIELD_STR, .offset = offsetof(struct reply_export_benchmark_trial, trial_id), .required = true },
	{ .name = STRC("evidenceId"), .alias = STRC("evidence_id"), .type = FIELD_ID, .offset = offsetof(struct reply_export_benchmark_trial, evidence_id), .required = true },
	{ .name = STRC("packRef"), .alias = STRC("pack_ref"), .type = FIELD_STR, .offset = offsetof(struct reply_export_benchmark_trial, pack_ref), .required = true },
	{ .name = STRC("trajectory"), .alias = STRC("trajectory"), .type = FIELD_REC, .offset = offsetof(struct reply_export_benchmark_trial, trajectory), .rec = &rec_trajectory_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_export_benchmark_trial, sequence), .has_offset = offsetof(struct reply_export_benchmark_trial, has_sequence) },
};
const struct rec_desc reply_export_benchmark_trial_desc = { "export_benchmark_trial", reply_export_benchmark_trial_fields, 5, sizeof(struct reply_export_benchmark_trial) };


static const struct field cmd_compare_benchmark_runs_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_compare_benchmark_runs, session_id), .required = true },
	{ .name = STRC("baselineConfigurationId"), .alias = STRC("baseline_configuration_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, baseline_configuration_id), .required = true, .max = 256 },
	{ .name = STRC("candidateConfigurationId"), .alias = STRC("candidate_configuration_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, candidate_configuration_id), .required = true, .max = 256 },
	{ .name = STRC("singleChangedVariable"), .alias = STRC("single_changed_variable"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, single_changed_variable), .max = 256 },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, decision), .max = 64 },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, decision_source), .max = 128 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_compare_benchmark_runs, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_compare_benchmark_runs_desc = { "compare_benchmark_runs", cmd_compare_benchmark_runs_fields, 7, sizeof(struct cmd_compare_benchmark_runs) };


static const struct field reply_compare_benchmark_runs_fields[] = {
	{ .name = STRC("comparison"), .alias = STRC("comparison"), .type = FIELD_REC, .offset = offsetof(struct reply_compare_benchmark_runs, comparison), .required = true, .rec = &rec_comparison_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_compare_benchmark_runs, sequence), .has_offset = offsetof(struct reply_compare_benchmark_runs, has_sequence) },
};
const struct rec_desc reply_compare_benchmark_runs_desc = { "compare_benchmark_runs", reply_compare_benchmark_runs_fields, 2, sizeof(struct reply_compare_benchmark_runs) };


static const struct field cmd_reconnect_channel_fields[] = {
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_reconnect_channel, channel_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_reconnect_channel, session_id) },
	{ .name = STRC("lastAckedSequence"), .alias = STRC("last_acked_sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_reconnect_channel, last_acked_sequence), .has_offset = offsetof(struct cmd_reconnect_channel, has_last_acked_sequence) },
	{ .name = STRC("resumeToken"), .alias = STRC("resume_token"), .type = FIELD_STR, .offset = offsetof(struct cmd_reconnect_channel, resume_token), .max = 512 },
	{ .name = STRC("transport"), .alias = STRC("transport"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_reconnect_channel, transport), .words = &enum_transport },
	{ .name = STRC("peerRole"), .alias = STRC("peer_role"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_reconnect_channel, peer_role), .words = &enum_peer_role },
	{ .name = STRC("capabilities"), .alias = STRC("capabilities"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_reconnect_channel, capabilities) },
	{ .name = STRC("nativeProtocol"), .alias = STRC("native_protocol"), .type = FIELD_STR, .offset = offsetof(struct cmd_reconnect_channel, native_protocol), .max = 64 },
	{ .name = STRC("follow"), .alias = STRC("follow"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_reconnect_channel, follow), .has_offset = offsetof(struct cmd_reconnect_channel, has_follow) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_reconnect_channel, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_reconnect_channel_desc = { "reconnect_channel", cmd_reconnect_channel_fields, 10, sizeof(struct cmd_reconnect_channel) };


static const struct field reply_reconnect_channel_fields[] = {
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct reply_reconnect_channel, channel_id), .required = true },
	{ .name = STRC("resumeToken"), .alias = STRC("resume_token"), .type = FIELD_STR, .offset = offsetof(struct reply_reconnect_channel, resume_token) },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_reconnect_channel, from_sequence), .required = true },
	{ .name = STRC("gap"), .alias = STRC("gap"), .type = FIELD_BOOL, .offset = offsetof(struct reply_reconnect_channel, gap), .has_offset = offsetof(struct reply_reconnect_channel, has_gap) },
	{ .name = STRC("gapFrom"), .alias = STRC("gap_from"), .type = FIELD_INT, .offset = offsetof(struct reply_reconnect_channel, gap_from), .has_offset = offsetof(struct reply_reconnect_channel, has_gap_from) },
	{ .name = STRC("gapTo"), .alias = STRC("gap_to"), .type = FIELD_INT, .offset = offsetof(struct reply_reconnect_channel, gap_to), .has_offset = offsetof(struct reply_reconnect_channel, has_gap_to) },
	{ .name = STRC("recoveryMode"), .alias = STRC("recovery_mode"), .type = FIELD_ENUM, .offset = offsetof(struct reply_reconnect_channel, recovery_mode), .words = &enum_recovery_mode },
	{ .name = STRC("stale"), .alias = STRC("stale"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_reconnect_channel, stale) },
	{ .name = STRC("snapshot"), .alias = STRC("snapshot"), .type = FIELD_JSON, .offset = offsetof(struct reply_reconnect_channel, snapshot) },
	{ .name = STRC("subscriptionId"), .alias = STRC("subscription_id"), .type = FIELD_STR, .offset = offsetof(struct reply_reconnect_channel, subscription_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_reconnect_channel, sequence), .has_offset = offsetof(struct reply_reconnect_channel, has_sequence) },
};
const struct rec_desc reply_reconnect_channel_desc = { "reconnect_channel", reply_reconnect_channel_fields, 11, sizeof(struct reply_reconnect_channel) };


static const struct field cmd_ack_events_fields[] = {
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_ack_events, channel_id), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_ack_events, session_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_ack_events, sequence), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_ack_events, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_ack_events_desc = { "ack_events", cmd_ack_events_fields, 4, sizeof(struct cmd_ack_events) };


static const struct field reply_ack_events_fields[] = {
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct reply_ack_events, channel_id), .required = true },
	{ .name = STRC("lastAckedSequence"), .alias = STRC("last_acked_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_ack_events, last_acked_sequence), .required = true },
};
const struct rec_desc reply_ack_events_desc = { "ack_events", reply_ack_events_fields, 2, sizeof(struct reply_ack_events) };


static const struct field cmd_list_channels_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_channels, session_id) },
	{ .name = STRC("peerRole"), .alias = STRC("peer_role"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_channels, peer_role), .words = &enum_peer_role },
};
const struct rec_desc cmd_list_channels_desc = { "list_channels", cmd_list_channels_fields, 2, sizeof(struct cmd_list_channels) };


static const struct field reply_list_channels_fields[] = {
	{ .name = STRC("channels"), .alias = STRC("channels"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_channels, channels), .required = true, .rec = &rec_channel_desc },
};
const struct rec_desc reply_list_channels_desc = { "list_channels", reply_list_channels_fields, 1, sizeof(struct reply_list_channels) };


static const struct field cmd_export_evidence_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_evidence, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_evidence, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_evidence, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_evidence, task_id) },
	{ .name = STRC("format"), .alias = STRC("format"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_evidence, format), .max = 32 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_evidence, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_export_evidence_desc = { "export_evidence", cmd_export_evidence_fields, 6, sizeof(struct cmd_export_evidence) };


static const struct field reply_export_evidence_fields[] = {
	{ .name = STRC("evidenceId"), .alias = STRC("evidence_id"), .type = FIELD_ID, .offset = offsetof(struct reply_export_evidence, evidence_id), .required = true },
	{ .name = STRC("packRef"), .alias = STRC("pack_ref"), .type = FIELD_STR, .offset = offsetof(struct reply_export_evidence, pack_ref), .required = true },
	{ .name = STRC("partial"), .alias = STRC("partial"), .type = FIELD_BOOL, .offset = offsetof(struct reply_export_evidence, partial), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_export_evidence, sequence), .has_offset = offsetof(struct reply_export_evidence, has_sequence) },
};
const struct rec_desc reply_export_evidence_desc = { "export_evidence", reply_export_evidence_fields, 4, sizeof(struct reply_export_evidence) };


static const struct field cmd_export_replay_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_replay, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_replay, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_replay, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_replay, task_id) },
	{ .name = STRC("format"), .alias = STRC("format"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_replay, format), .max = 32 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_replay, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_export_replay_desc = { "export_replay", cmd_export_replay_fields, 6, sizeof(struct cmd_export_replay) };


static const struct field reply_export_replay_fields[] = {
	{ .name = STRC("evidenceId"), .alias = STRC("evidence_id"), .type = FIELD_ID, .offset = offsetof(struct reply_export_replay, evidence_id), .required = true },
	{ .name = STRC("replayRef"), .alias = STRC("replay_ref"), .type = FIELD_STR, .offset = offsetof(struct reply_export_replay, replay_ref), .required = true },
	{ .name = STRC("partial"), .alias = STRC("partial"), .type = FIELD_BOOL, .offset = offsetof(struct reply_export_replay, partial), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_export_replay, sequence), .has_offset = offsetof(struct reply_export_replay, has_sequence) },
};
const struct rec_desc reply_export_replay_desc = { "export_replay", reply_export_replay_fields, 4, sizeof(struct reply_export_replay) };


static const struct field cmd_export_review_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_review, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_review, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_review, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_export_review, task_id) },
	{ .name = STRC("format"), .alias = STRC("format"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_review, format), .max = 32 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_export_review, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_export_review_desc = { "export_review", cmd_export_review_fields, 6, sizeof(struct cmd_export_review) };


static const struct field reply_export_review_fields[] = {
	{ .name = STRC("evidenceId"), .alias = STRC("evidence_id"), .type = FIELD_ID, .offset = offsetof(struct reply_export_review, evidence_id), .required = true },
	{ .name = STRC("reviewRef"), .alias = STRC("review_ref"), .type = FIELD_STR, .offset = offsetof(struct reply_export_review, review_ref), .required = true },
	{ .name = STRC("partial"), .alias = STRC("partial"), .type = FIELD_BOOL, .offset = offsetof(struct reply_export_review, partial), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_export_review, sequence), .has_offset = offsetof(struct reply_export_review, has_sequence) },
};
const struct rec_desc reply_export_review_desc = { "export_review", reply_export_review_fields, 4, sizeof(struct reply_export_review) };


static const struct field cmd_create_job_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_job, session_id) },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_job, job_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_job, task_id) },
	{ .name = STRC("instruction"), .alias = STRC("instruction"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_job, instruction), .required = true, .max = 65536 },
	{ .name = STRC("items"), .alias = STRC("items"), .type = FIELD_LIST_JSON, .offset = offsetof(struct cmd_create_job, items), .max = 100000 },
	{ .name = STRC("inputRef"), .alias = STRC("input_ref"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_job, input_ref) },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct cmd_create_job, output_schema) },
	{ .name = STRC("concurrency"), .alias = STRC("concurrency"), .type = FIELD_INT, .offset = offsetof(struct cmd_create_job, concurrency), .has_offset = offsetof(struct cmd_create_job, has_concurrency) },
	{ .name = STRC("maxAttempts"), .alias = STRC("max_attempts"), .type = FIELD_INT, .offset = offsetof(struct cmd_create_job, max_attempts), .has_offset = offsetof(struct cmd_create_job, has_max_attempts) },
	{ .name = STRC("maxRuntimeMs"), .alias = STRC("max_runtime_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_create_job, max_runtime_ms), .has_offset = offsetof(struct cmd_create_job, has_max_runtime_ms) },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_create_job, budget_usd), .has_offset = offsetof(struct cmd_create_job, has_budget_usd) },
	{ .name = STRC("start"), .alias = STRC("start"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_create_job, start), .has_offset = offsetof(struct cmd_create_job, has_start) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_job, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_create_job_desc = { "create_job", cmd_create_job_fields, 13, sizeof(struct cmd_create_job) };


static const struct field reply_create_job_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_job, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_job, job_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_create_job, status), .required = true, .words = &enum_job_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_create_job, sequence), .has_offset = offsetof(struct reply_create_job, has_sequence) },
	{ .name = STRC("itemCount"), .alias = STRC("item_count"), .type = FIELD_INT, .offset = offsetof(struct reply_create_job, item_count), .required = true },
};
const struct rec_desc reply_create_job_desc = { "create_job", reply_create_job_fields, 5, sizeof(struct reply_create_job) };


static const struct field cmd_get_job_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_job, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_job, job_id), .required = true },
};
const struct rec_desc cmd_get_job_desc = { "get_job", cmd_get_job_fields, 2, sizeof(struct cmd_get_job) };


static const struct field reply_get_job_fields[] = {
	{ .name = STRC("job"), .alias = STRC("job"), .type = FIELD_REC, .offset = offsetof(struct reply_get_job, job), .required = true, .rec = &rec_job_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_get_job, sequence), .has_offset = offsetof(struct reply_get_job, has_sequence) },
};
const struct rec_desc reply_get_job_desc = { "get_job", reply_get_job_fields, 2, sizeof(struct reply_get_job) };


static const struct field cmd_list_jobs_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_jobs, session_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_jobs, status), .words = &enum_job_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_jobs, limit), .has_offset = offsetof(struct cmd_list_jobs, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_jobs, cursor) },
};
const struct rec_desc cmd_list_jobs_desc = { "list_jobs", cmd_list_jobs_fields, 4, sizeof(struct cmd_list_jobs) };


static const struct field reply_list_jobs_fields[] = {
	{ .name = STRC("jobs"), .alias = STRC("jobs"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_jobs, jobs), .required = true, .rec = &rec_job_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_jobs, next_cursor) },
};
const struct rec_desc reply_list_jobs_desc = { "list_jobs", reply_list_jobs_fields, 2, sizeof(struct reply_list_jobs) };


static const struct field cmd_start_job_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_job, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_job, job_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_start_job, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_start_job_desc = { "start_job", cmd_start_job_fields, 3, sizeof(struct cmd_start_job) };


static const struct field reply_start_job_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_job, job_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_start_job, status), .required = true, .words = &enum_job_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_start_job, sequence), .has_offset = offsetof(struct reply_start_job, has_sequence) },
};
const struct rec_desc reply_start_job_desc = { "start_job", reply_start_job_fields, 3, sizeof(struct reply_start_job) };


static const struct field cmd_heartbeat_job_item_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_job_item, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_job_item, job_item_id), .required = true },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_heartbeat_job_item, worker_id), .required = true, .max = 256 },
	{ .name = STRC("leaseMs"), .alias = STRC("lease_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_heartbeat_job_item, lease_ms), .has_offset = offsetof(struct cmd_heartbeat_job_item, has_lease_ms) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_heartbeat_job_item, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_heartbeat_job_item_desc = { "heartbeat_job_item", cmd_heartbeat_job_item_fields, 6, sizeof(struct cmd_heartbeat_job_item) };


static const struct field reply_heartbeat_job_item_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_heartbeat_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct reply_heartbeat_job_item, job_item_id), .required = true },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct reply_heartbeat_job_item, lease_until), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_heartbeat_job_item, status), .required = true, .words = &enum_job_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_heartbeat_job_item, sequence), .has_offset = offsetof(struct reply_heartbeat_job_item, has_sequence) },
};
const struct rec_desc reply_heartbeat_job_item_desc = { "heartbeat_job_item", reply_heartbeat_job_item_fields, 5, sizeof(struct reply_heartbeat_job_item) };


static const struct field cmd_cancel_job_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_cancel_job, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_cancel_job, job_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_cancel_job, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_cancel_job, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_cancel_job_desc = { "cancel_job", cmd_cancel_job_fields, 4, sizeof(struct cmd_cancel_job) };


static const struct field reply_cancel_job_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_cancel_job, job_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_cancel_job, status), .required = true, .words = &enum_job_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_cancel_job, sequence), .has_offset = offsetof(struct reply_cancel_job, has_sequence) },
};
const struct rec_desc reply_cancel_job_desc = { "cancel_job", reply_cancel_job_fields, 3, sizeof(struct reply_cancel_job) };


static const struct field cmd_list_job_items_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_job_items, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_job_items, job_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_job_items, status), .words = &enum_job_item_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_job_items, limit), .has_offset = offsetof(struct cmd_list_job_items, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_job_items, cursor) },
};
const struct rec_desc cmd_list_job_items_desc = { "list_job_items", cmd_list_job_items_fields, 5, sizeof(struct cmd_list_job_items) };


static const struct field reply_list_job_items_fields[] = {
	{ .name = STRC("items"), .alias = STRC("items"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_job_items, items), .required = true, .rec = &rec_job_item_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_job_items, next_cursor) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_job_items, sequence), .has_offset = offsetof(struct reply_list_job_items, has_sequence) },
};
const struct rec_desc reply_list_job_items_desc = { "list_job_items", reply_list_job_items_fields, 3, sizeof(struct reply_list_job_items) };


static const struct field cmd_retry_job_item_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_retry_job_item, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_retry_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_retry_job_item, job_item_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_retry_job_item, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_retry_job_item, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_retry_job_item_desc = { "retry_job_item", cmd_retry_job_item_fields, 5, sizeof(struct cmd_retry_job_item) };


static const struct field reply_retry_job_item_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_job_item, job_item_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_retry_job_item, status), .required = true, .words = &enum_job_item_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_retry_job_item, sequence), .has_offset = offsetof(struct reply_retry_job_item, has_sequence) },
};
const struct rec_desc reply_retry_job_item_desc = { "retry_job_item", reply_retry_job_item_fields, 4, sizeof(struct reply_retry_job_item) };


static const struct field cmd_assign_job_item_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_assign_job_item, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_assign_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_assign_job_item, job_item_id), .required = true },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_assign_job_item, worker_id), .required = true, .max = 256 },
	{ .name = STRC("leaseMs"), .alias = STRC("lease_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_assign_job_item, lease_ms), .has_offset = offsetof(struct cmd_assign_job_item, has_lease_ms) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_assign_job_item, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_assign_job_item_desc = { "assign_job_item", cmd_assign_job_item_fields, 6, sizeof(struct cmd_assign_job_item) };


static const struct field reply_assign_job_item_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_assign_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct reply_assign_job_item, job_item_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_assign_job_item, status), .required = true, .words = &enum_job_item_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_assign_job_item, sequence), .has_offset = offsetof(struct reply_assign_job_item, has_sequence) },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct reply_assign_job_item, lease_until) },
};
const struct rec_desc reply_assign_job_item_desc = { "assign_job_item", reply_assign_job_item_fields, 5, sizeof(struct reply_assign_job_item) };


static const struct field cmd_report_job_item_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_report_job_item, session_id), .required = true },
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_report_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_report_job_item, job_item_id), .required = true },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_report_job_item, worker_id), .max = 256 },
	{ .name = STRC("output"), .alias = STRC("output"), .type = FIELD_JSON, .offset = offsetof(struct cmd_report_job_item, output) },
	{ .name = STRC("error"), .alias = STRC("error"), .type = FIELD_REC, .offset = offsetof(struct cmd_report_job_item, error), .rec = &rec_last_error_desc },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_report_job_item, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_report_job_item_desc = { "report_job_item", cmd_report_job_item_fields, 7, sizeof(struct cmd_report_job_item) };


static const struct field reply_report_job_item_fields[] = {
	{ .name = STRC("jobId"), .alias = STRC("job_id"), .type = FIELD_ID, .offset = offsetof(struct reply_report_job_item, job_id), .required = true },
	{ .name = STRC("jobItemId"), .alias = STRC("job_item_id"), .type = FIELD_ID, .offset = offsetof(struct reply_report_job_item, job_item_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_report_job_item, status), .required = true, .words = &enum_job_item_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_report_job_item, sequence), .has_offset = offsetof(struct reply_report_job_item, has_sequence) },
};
const struct rec_desc reply_report_job_item_desc = { "report_job_item", reply_report_job_item_fields, 4, sizeof(struct reply_report_job_item) };


static const struct field cmd_create_schedule_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_schedule, session_id) },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_schedule, schedule_id) },
	{ .name = STRC("cron"), .alias = STRC("cron"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_schedule, cron), .max = 256 },
	{ .name = STRC("everyMs"), .alias = STRC("every_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_create_schedule, every_ms), .has_offset = offsetof(struct cmd_create_schedule, has_every_ms) },
	{ .name = STRC("at"), .alias = STRC("at"), .type = FIELD_TIME, .offset = offsetof(struct cmd_create_schedule, at) },
	{ .name = STRC("timezone"), .alias = STRC("timezone"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_schedule, timezone), .max = 64 },
	{ .name = STRC("missedPolicy"), .alias = STRC("missed_policy"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_create_schedule, missed_policy), .words = &enum_missed_policy },
	{ .name = STRC("overlap"), .alias = STRC("overlap"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_create_schedule, overlap), .words = &enum_overlap_policy },
	{ .name = STRC("task"), .alias = STRC("task"), .type = FIELD_JSON, .offset = offsetof(struct cmd_create_schedule, task), .required = true, .max = 32768 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_schedule, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_create_schedule_desc = { "create_schedule", cmd_create_schedule_fields, 10, sizeof(struct cmd_create_schedule) };


static const struct field reply_create_schedule_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_schedule, session_id), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_schedule, schedule_id), .required = true },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_create_schedule, next_at) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_create_schedule, sequence), .has_offset = offsetof(struct reply_create_schedule, has_sequence) },
};
const struct rec_desc reply_create_schedule_desc = { "create_schedule", reply_create_schedule_fields, 4, sizeof(struct reply_create_schedule) };


static const struct field cmd_list_schedules_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_schedules, session_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_schedules, status), .words = &enum_schedule_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_schedules, limit), .has_offset = offsetof(struct cmd_list_schedules, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_schedules, cursor) },
};
const struct rec_desc cmd_list_schedules_desc = { "list_schedules", cmd_list_schedules_fields, 4, sizeof(struct cmd_list_schedules) };


static const struct field reply_list_schedules_fields[] = {
	{ .name = STRC("schedules"), .alias = STRC("schedules"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_schedules, schedules), .required = true, .rec = &rec_schedule_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_schedules, next_cursor) },
};
const struct rec_desc reply_list_schedules_desc = { "list_schedules", reply_list_schedules_fields, 2, sizeof(struct reply_list_schedules) };


static const struct field cmd_pause_schedule_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_pause_schedule, session_id), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_pause_schedule, schedule_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_pause_schedule, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_pause_schedule_desc = { "pause_schedule", cmd_pause_schedule_fields, 3, sizeof(struct cmd_pause_schedule) };


static const struct field reply_pause_schedule_fields[] = {
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct reply_pause_schedule, schedule_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_pause_schedule, status), .required = true, .words = &enum_schedule_status },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_pause_schedule, next_at) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_pause_schedule, sequence), .has_offset = offsetof(struct reply_pause_schedule, has_sequence) },
};
const struct rec_desc reply_pause_schedule_desc = { "pause_schedule", reply_pause_schedule_fields, 4, sizeof(struct reply_pause_schedule) };


static const struct field cmd_resume_schedule_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_schedule, session_id), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_schedule, schedule_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resume_schedule, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resume_schedule_desc = { "resume_schedule", cmd_resume_schedule_fields, 3, sizeof(struct cmd_resume_schedule) };


static const struct field reply_resume_schedule_fields[] = {
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_schedule, schedule_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_resume_schedule, status), .required = true, .words = &enum_schedule_status },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_resume_schedule, next_at) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resume_schedule, sequence), .has_offset = offsetof(struct reply_resume_schedule, has_sequence) },
};
const struct rec_desc reply_resume_schedule_desc = { "resume_schedule", reply_resume_schedule_fields, 4, sizeof(struct reply_resume_schedule) };


static const struct field cmd_delete_schedule_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_delete_schedule, session_id), .required = true },
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_delete_schedule, schedule_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_delete_schedule, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_delete_schedule_desc = { "delete_schedule", cmd_delete_schedule_fields, 3, sizeof(struct cmd_delete_schedule) };


static const struct field reply_delete_schedule_fields[] = {
	{ .name = STRC("scheduleId"), .alias = STRC("schedule_id"), .type = FIELD_ID, .offset = offsetof(struct reply_delete_schedule, schedule_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_delete_schedule, status), .required = true, .words = &enum_schedule_status },
	{ .name = STRC("nextAt"), .alias = STRC("next_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_delete_schedule, next_at) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_delete_schedule, sequence), .has_offset = offsetof(struct reply_delete_schedule, has_sequence) },
};
const struct rec_desc reply_delete_schedule_desc = { "delete_schedule", reply_delete_schedule_fields, 4, sizeof(struct reply_delete_schedule) };


static const struct field cmd_evaluate_permission_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_evaluate_permission, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_evaluate_permission, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_evaluate_permission, turn_id) },
	{ .name = STRC("toolCallId"), .alias = STRC("tool_call_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_evaluate_permission, tool_call_id) },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_evaluate_permission, process_id) },
	{ .name = STRC("subject"), .alias = STRC("subject"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_evaluate_permission, subject), .required = true, .words = &enum_decision_subject },
	{ .name = STRC("toolName"), .alias = STRC("tool_name"), .type = FIELD_STR, .offset = offsetof(struct cmd_evaluate_permission, tool_name), .max = 256 },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_evaluate_permission, input) },
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_evaluate_permission, record), .has_offset = offsetof(struct cmd_evaluate_permission, has_record) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_evaluate_permission, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_evaluate_permission_desc = { "evaluate_permission", cmd_evaluate_permission_fields, 10, sizeof(struct cmd_evaluate_permission) };


static const struct field reply_evaluate_permission_fields[] = {
	{ .name = STRC("permissionDecision"), .alias = STRC("permission_decision"), .type = FIELD_REC, .offset = offsetof(struct reply_evaluate_permission, permission_decision), .required = true, .rec = &rec_permission_decision_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_evaluate_permission, sequence), .has_offset = offsetof(struct reply_evaluate_permission, has_sequence) },
};
const struct rec_desc reply_evaluate_permission_desc = { "evaluate_permission", reply_evaluate_permission_fields, 2, sizeof(struct reply_evaluate_permission) };


static const struct field cmd_resolve_permission_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resolve_permission, session_id), .required = true },
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resolve_permission, action_id), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_resolve_permission, decision), .words = &enum_approval_decision },
	{ .name = STRC("record"), .alias = STRC("record"), .type = FIELD_JSON, .offset = offsetof(struct cmd_resolve_permission, record), .max = 65536 },
	{ .name = STRC("decisionSource"), .alias = STRC("decision_source"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_resolve_permission, decision_source), .words = &enum_decision_source },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_resolve_permission, reason), .max = 2000 },
	{ .name = STRC("ruleRefs"), .alias = STRC("rule_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_resolve_permission, rule_refs) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_resolve_permission, scope), .words = &enum_grant_scope },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct cmd_resolve_permission, expires_at) },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_resolve_permission, input) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resolve_permission, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resolve_permission_desc = { "resolve_permission", cmd_resolve_permission_fields, 11, sizeof(struct cmd_resolve_permission) };


static const struct field reply_resolve_permission_fields[] = {
	{ .name = STRC("actionId"), .alias = STRC("action_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resolve_permission, action_id), .required = true },
	{ .name = STRC("decision"), .alias = STRC("decision"), .type = FIELD_ENUM, .offset = offsetof(struct reply_resolve_permission, decision), .required = true, .words = &enum_approval_decision },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resolve_permission, sequence), .has_offset = offsetof(struct reply_resolve_permission, has_sequence) },
};
const struct rec_desc reply_resolve_permission_desc = { "resolve_permission", reply_resolve_permission_fields, 3, sizeof(struct reply_resolve_permission) };


static const struct field cmd_list_grants_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_grants, session_id) },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_grants, scope), .words = &enum_grant_scope },
};
const struct rec_desc cmd_list_grants_desc = { "list_grants", cmd_list_grants_fields, 2, sizeof(struct cmd_list_grants) };


static const struct field reply_list_grants_fields[] = {
	{ .name = STRC("grants"), .alias = STRC("grants"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_grants, grants), .required = true, .rec = &rec_grant_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_grants, sequence), .has_offset = offsetof(struct reply_list_grants, has_sequence) },
};
const struct rec_desc reply_list_grants_desc = { "list_grants", reply_list_grants_fields, 2, sizeof(struct reply_list_grants) };


static const struct field cmd_list_rules_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_rules, session_id) },
};
const struct rec_desc cmd_list_rules_desc = { "list_rules", cmd_list_rules_fields, 1, sizeof(struct cmd_list_rules) };


static const struct field reply_list_rules_fields[] = {
	{ .name = STRC("rules"), .alias = STRC("rules"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_rules, rules), .required = true, .rec = &rec_rule_row_desc },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct reply_list_rules, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_rules, sequence), .has_offset = offsetof(struct reply_list_rules, has_sequence) },
};
const struct rec_desc reply_list_rules_desc = { "list_rules", reply_list_rules_fields, 3, sizeof(struct reply_list_rules) };


static const struct field cmd_revoke_grant_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_revoke_grant, session_id) },
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_revoke_grant, grant_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_revoke_grant, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_revoke_grant, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_revoke_grant_desc = { "revoke_grant", cmd_revoke_grant_fields, 4, sizeof(struct cmd_revoke_grant) };


static const struct field reply_revoke_grant_fields[] = {
	{ .name = STRC("grantId"), .alias = STRC("grant_id"), .type = FIELD_ID, .offset = offsetof(struct reply_revoke_grant, grant_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_revoke_grant, sequence), .has_offset = offsetof(struct reply_revoke_grant, has_sequence) },
};
const struct rec_desc reply_revoke_grant_desc = { "revoke_grant", reply_revoke_grant_fields, 2, sizeof(struct reply_revoke_grant) };


static const struct field cmd_trust_hooks_fields[] = {
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_hooks, content_hash), .required = true, .max = 64 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_hooks, cwd), .max = 4096 },
	{ .name = STRC("ref"), .alias = STRC("ref"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_hooks, ref), .max = 256 },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_hooks, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_hooks, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_trust_hooks_desc = { "trust_hooks", cmd_trust_hooks_fields, 5, sizeof(struct cmd_trust_hooks) };


static const struct field reply_trust_hooks_fields[] = {
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct reply_trust_hooks, content_hash), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_trust_hooks, sequence), .has_offset = offsetof(struct reply_trust_hooks, has_sequence) },
};
const struct rec_desc reply_trust_hooks_desc = { "trust_hooks", reply_trust_hooks_fields, 2, sizeof(struct reply_trust_hooks) };


static const struct field cmd_trust_tool_server_fields[] = {
	{ .name = STRC("server"), .alias = STRC("server"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_tool_server, server), .required = true, .max = 64 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_tool_server, cwd), .max = 4096 },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_tool_server, content_hash), .max = 64 },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_tool_server, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_trust_tool_server, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_trust_tool_server_desc = { "trust_tool_server", cmd_trust_tool_server_fields, 5, sizeof(struct cmd_trust_tool_server) };


static const struct field reply_trust_tool_server_fields[] = {
	{ .name = STRC("server"), .alias = STRC("server"), .type = FIELD_STR, .offset = offsetof(struct reply_trust_tool_server, server), .required = true },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct reply_trust_tool_server, content_hash) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_trust_tool_server, sequence), .has_offset = offsetof(struct reply_trust_tool_server, has_sequence) },
};
const struct rec_desc reply_trust_tool_server_desc = { "trust_tool_server", reply_trust_tool_server_fields, 3, sizeof(struct reply_trust_tool_server) };


static const struct field cmd_set_policy_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_set_policy, session_id), .required = true },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_set_policy, scope), .words = &enum_grant_scope },
	{ .name = STRC("rules"), .alias = STRC("rules"), .type = FIELD_JSON, .offset = offsetof(struct cmd_set_policy, rules), .required = true, .max = 65536 },
	{ .name = STRC("replace"), .alias = STRC("replace"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_set_policy, replace), .has_offset = offsetof(struct cmd_set_policy, has_replace) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_set_policy, reason), .max = 2000 },
	{ .name = STRC("expectedVersion"), .alias = STRC("expected_version"), .type = FIELD_INT, .offset = offsetof(struct cmd_set_policy, expected_version), .has_offset = offsetof(struct cmd_set_policy, has_expected_version) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_set_policy, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_set_policy_desc = { "set_policy", cmd_set_policy_fields, 7, sizeof(struct cmd_set_policy) };


static const struct field reply_set_policy_fields[] = {
	{ .name = STRC("policyRef"), .alias = STRC("policy_ref"), .type = FIELD_STR, .offset = offsetof(struct reply_set_policy, policy_ref), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_set_policy, sequence), .has_offset = offsetof(struct reply_set_policy, has_sequence) },
};
const struct rec_desc reply_set_policy_desc = { "set_policy", reply_set_policy_fields, 2, sizeof(struct reply_set_policy) };


static const struct field cmd_set_mode_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_set_mode, session_id), .required = true },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_set_mode, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_set_mode, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_set_mode, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_set_mode_desc = { "set_mode", cmd_set_mode_fields, 4, sizeof(struct cmd_set_mode) };


static const struct field reply_set_mode_fields[] = {
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct reply_set_mode, mode), .required = true, .words = &enum_permission_mode },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_set_mode, sequence), .has_offset = offsetof(struct reply_set_mode, has_sequence) },
};
const struct rec_desc reply_set_mode_desc = { "set_mode", reply_set_mode_fields, 2, sizeof(struct reply_set_mode) };


static const struct field cmd_get_execution_environment_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_execution_environment, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_execution_environment, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_execution_environment, turn_id) },
};
const struct rec_desc cmd_get_execution_environment_desc = { "get_execution_environment", cmd_get_execution_environment_fields, 3, sizeof(struct cmd_get_execution_environment) };


static const struct field reply_get_execution_environment_fields[] = {
	{ .name = STRC("executionEnvironment"), .alias = STRC("execution_environment"), .type = FIELD_REC, .offset = offsetof(struct reply_get_execution_environment, execution_environment), .required = true, .rec = &rec_execution_environment_desc },
	{ .name = STRC("sandboxProfile"), .alias = STRC("sandbox_profile"), .type = FIELD_REC, .offset = offsetof(struct reply_get_execution_environment, sandbox_profile), .rec = &rec_sandbox_profile_desc },
	{ .name = STRC("processes"), .alias = STRC("processes"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_get_execution_environment, processes), .required = true, .rec = &rec_process_view_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_get_execution_environment, sequence), .has_offset = offsetof(struct reply_get_execution_environment, has_sequence) },
};
const struct rec_desc reply_get_execution_environment_desc = { "get_execution_environment", reply_get_execution_environment_fields, 4, sizeof(struct reply_get_execution_environment) };


static const struct field cmd_get_permission_sandbox_summary_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_permission_sandbox_summary, session_id), .required = true },
};
const struct rec_desc cmd_get_permission_sandbox_summary_desc = { "get_permission_sandbox_summary", cmd_get_permission_sandbox_summary_fields, 1, sizeof(struct cmd_get_permission_sandbox_summary) };


const struct rec_desc reply_get_permission_sandbox_summary_desc = { "get_permission_sandbox_summary", NULL, 0, sizeof(struct reply_get_permission_sandbox_summary) };


static const struct field cmd_write_process_stdin_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_write_process_stdin, session_id), .required = true },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_write_process_stdin, process_id), .required = true },
	{ .name = STRC("data"), .alias = STRC("data"), .type = FIELD_STR, .offset = offsetof(struct cmd_write_process_stdin, data), .required = true, .max = 65536 },
	{ .name = STRC("base64"), .alias = STRC("base64"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_write_process_stdin, base64), .has_offset = offsetof(struct cmd_write_process_stdin, has_base64) },
	{ .name = STRC("eof"), .alias = STRC("eof"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_write_process_stdin, eof), .has_offset = offsetof(struct cmd_write_process_stdin, has_eof) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_write_process_stdin, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_write_process_stdin_desc = { "write_process_stdin", cmd_write_process_stdin_fields, 6, sizeof(struct cmd_write_process_stdin) };


static const struct field reply_write_process_stdin_fields[] = {
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct reply_write_process_stdin, process_id), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct reply_write_process_stdin, bytes), .required = true },
	{ .name = STRC("outputOffset"), .alias = STRC("output_offset"), .type = FIELD_INT, .offset = offsetof(struct reply_write_process_stdin, output_offset), .has_offset = offsetof(struct reply_write_process_stdin, has_output_offset) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_write_process_stdin, sequence), .has_offset = offsetof(struct reply_write_process_stdin, has_sequence) },
};
const struct rec_desc reply_write_process_stdin_desc = { "write_process_stdin", reply_write_process_stdin_fields, 4, sizeof(struct reply_write_process_stdin) };


static const struct field cmd_terminate_process_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_terminate_process, session_id), .required = true },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_terminate_process, process_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_terminate_process, reason), .max = 2000 },
	{ .name = STRC("graceMs"), .alias = STRC("grace_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_terminate_process, grace_ms), .has_offset = offsetof(struct cmd_terminate_process, has_grace_ms) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_terminate_process, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_terminate_process_desc = { "terminate_process", cmd_terminate_process_fields, 5, sizeof(struct cmd_terminate_process) };


static const struct field reply_terminate_process_fields[] = {
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct reply_terminate_process, process_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_terminate_process, status), .required = true, .words = &enum_process_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_terminate_process, sequence), .has_offset = offsetof(struct reply_terminate_process, has_sequence) },
};
const struct rec_desc reply_terminate_process_desc = { "terminate_process", reply_terminate_process_fields, 3, sizeof(struct reply_terminate_process) };


static const struct field cmd_resize_process_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resize_process, session_id), .required = true },
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resize_process, process_id), .required = true },
	{ .name = STRC("columns"), .alias = STRC("columns"), .type = FIELD_INT, .offset = offsetof(struct cmd_resize_process, columns), .required = true },
	{ .name = STRC("rows"), .alias = STRC("rows"), .type = FIELD_INT, .offset = offsetof(struct cmd_resize_process, rows), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resize_process, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resize_process_desc = { "resize_process", cmd_resize_process_fields, 5, sizeof(struct cmd_resize_process) };


static const struct field reply_resize_process_fields[] = {
	{ .name = STRC("processId"), .alias = STRC("process_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resize_process, process_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resize_process, sequence), .has_offset = offsetof(struct reply_resize_process, has_sequence) },
};
const struct rec_desc reply_resize_process_desc = { "resize_process", reply_resize_process_fields, 2, sizeof(struct reply_resize_process) };


static const struct field cmd_list_processes_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_processes, session_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_processes, status), .words = &enum_process_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_processes, limit), .has_offset = offsetof(struct cmd_list_processes, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_processes, cursor) },
};
const struct rec_desc cmd_list_processes_desc = { "list_processes", cmd_list_processes_fields, 4, sizeof(struct cmd_list_processes) };


static const struct field reply_list_processes_fields[] = {
	{ .name = STRC("processes"), .alias = STRC("processes"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_processes, processes), .required = true, .rec = &rec_process_view_desc },
	{ .name = STRC("placeholders"), .alias = STRC("placeholders"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_list_processes, placeholders) },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_processes, next_cursor) },
};
const struct rec_desc reply_list_processes_desc = { "list_processes", reply_list_processes_fields, 3, sizeof(struct reply_list_processes) };


static const struct field cmd_remove_queued_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_remove_queued_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_remove_queued_turn, thread_id) },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_remove_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_remove_queued_turn, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_remove_queued_turn, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_remove_queued_turn_desc = { "remove_queued_turn", cmd_remove_queued_turn_fields, 5, sizeof(struct cmd_remove_queued_turn) };


static const struct field reply_remove_queued_turn_fields[] = {
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_remove_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_remove_queued_turn, order), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_remove_queued_turn, sequence), .has_offset = offsetof(struct reply_remove_queued_turn, has_sequence) },
};
const struct rec_desc reply_remove_queued_turn_desc = { "remove_queued_turn", reply_remove_queued_turn_fields, 3, sizeof(struct reply_remove_queued_turn) };


static const struct field cmd_promote_queued_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_promote_queued_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_promote_queued_turn, thread_id) },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_promote_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_promote_queued_turn, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_promote_queued_turn_desc = { "promote_queued_turn", cmd_promote_queued_turn_fields, 4, sizeof(struct cmd_promote_queued_turn) };


static const struct field reply_promote_queued_turn_fields[] = {
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_promote_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_promote_queued_turn, order), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_promote_queued_turn, sequence), .has_offset = offsetof(struct reply_promote_queued_turn, has_sequence) },
};
const struct rec_desc reply_promote_queued_turn_desc = { "promote_queued_turn", reply_promote_queued_turn_fields, 3, sizeof(struct reply_promote_queued_turn) };


static const struct field cmd_move_queued_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_move_queued_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_move_queued_turn, thread_id) },
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_move_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("position"), .alias = STRC("position"), .type = FIELD_INT, .offset = offsetof(struct cmd_move_queued_turn, position), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_move_queued_turn, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_move_queued_turn_desc = { "move_queued_turn", cmd_move_queued_turn_fields, 5, sizeof(struct cmd_move_queued_turn) };


static const struct field reply_move_queued_turn_fields[] = {
	{ .name = STRC("queuedTurnId"), .alias = STRC("queued_turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_move_queued_turn, queued_turn_id), .required = true },
	{ .name = STRC("order"), .alias = STRC("order"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_move_queued_turn, order), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_move_queued_turn, sequence), .has_offset = offsetof(struct reply_move_queued_turn, has_sequence) },
};
const struct rec_desc reply_move_queued_turn_desc = { "move_queued_turn", reply_move_queued_turn_fields, 3, sizeof(struct reply_move_queued_turn) };


static const struct field cmd_list_queue_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_queue, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_queue, thread_id) },
};
const struct rec_desc cmd_list_queue_desc = { "list_queue", cmd_list_queue_fields, 2, sizeof(struct cmd_list_queue) };


static const struct field reply_list_queue_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_list_queue, thread_id), .required = true },
	{ .name = STRC("queue"), .alias = STRC("queue"), .type = FIELD_REC, .offset = offsetof(struct reply_list_queue, queue), .required = true, .rec = &rec_queue_view_desc },
	{ .name = STRC("queuedTurns"), .alias = STRC("queued_turns"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_queue, queued_turns), .required = true, .rec = &rec_queued_turn_view_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_queue, sequence), .has_offset = offsetof(struct reply_list_queue, has_sequence) },
};
const struct rec_desc reply_list_queue_desc = { "list_queue", reply_list_queue_fields, 4, sizeof(struct reply_list_queue) };


static const struct field cmd_get_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_session, session_id), .required = true },
	{ .name = STRC("window"), .alias = STRC("window"), .type = FIELD_INT, .offset = offsetof(struct cmd_get_session, window), .has_offset = offsetof(struct cmd_get_session, has_window) },
	{ .name = STRC("sections"), .alias = STRC("sections"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_get_session, sections) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_get_session, cursor), .max = 128 },
};
const struct rec_desc cmd_get_session_desc = { "get_session", cmd_get_session_fields, 4, sizeof(struct cmd_get_session) };


const struct rec_desc reply_get_session_desc = { "get_session", NULL, 0, sizeof(struct reply_get_session) };


static const struct field cmd_explain_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_explain_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_explain_thread, thread_id) },
};
const struct rec_desc cmd_explain_thread_desc = { "explain_thread", cmd_explain_thread_fields, 2, sizeof(struct cmd_explain_thread) };


static const struct field reply_explain_thread_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_explain_thread, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_explain_thread, turn_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_explain_thread, status), .required = true, .words = &enum_thread_status },
	{ .name = STRC("profileStatus"), .alias = STRC("profile_status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_explain_thread, profile_status), .required = true, .words = &enum_status },
	{ .name = STRC("waitingFor"), .alias = STRC("waiting_for"), .type = FIELD_STR, .offset = offsetof(struct reply_explain_thread, waiting_for), .required = true },
	{ .name = STRC("since"), .alias = STRC("since"), .type = FIELD_TIME, .offset = offsetof(struct reply_explain_thread, since) },
	{ .name = STRC("until"), .alias = STRC("until"), .type = FIELD_TIME, .offset = offsetof(struct reply_explain_thread, until) },
	{ .name = STRC("deadline"), .alias = STRC("deadline"), .type = FIELD_STR, .offset = offsetof(struct reply_explain_thread, deadline) },
	{ .name = STRC("endedBy"), .alias = STRC("ended_by"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_explain_thread, ended_by), .required = true },
	{ .name = STRC("pendingActionIds"), .alias = STRC("pending_action_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_explain_thread, pending_action_ids), .required = true },
	{ .name = STRC("queuedTurnIds"), .alias = STRC("queued_turn_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_explain_thread, queued_turn_ids), .required = true },
	{ .name = STRC("detail"), .alias = STRC("detail"), .type = FIELD_STR, .offset = offsetof(struct reply_explain_thread, detail), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_explain_thread, sequence), .has_offset = offsetof(struct reply_explain_thread, has_sequence) },
};
const struct rec_desc reply_explain_thread_desc = { "explain_thread", reply_explain_thread_fields, 13, sizeof(struct reply_explain_thread) };


static const struct field cmd_get_thread_read_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_thread_read, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_thread_read, thread_id) },
	{ .name = STRC("window"), .alias = STRC("window"), .type = FIELD_INT, .offset = offsetof(struct cmd_get_thread_read, window), .has_offset = offsetof(struct cmd_get_thread_read, has_window) },
};
const struct rec_desc cmd_get_thread_read_desc = { "get_thread_read", cmd_get_thread_read_fields, 3, sizeof(struct cmd_get_thread_read) };


const struct rec_desc reply_get_thread_read_desc = { "get_thread_read", NULL, 0, sizeof(struct reply_get_thread_read) };


static const struct field cmd_get_tool_inventory_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_tool_inventory, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_tool_inventory, thread_id) },
	{ .name = STRC("mode"), .alias = STRC("mode"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_get_tool_inventory, mode), .words = &enum_permission_mode },
	{ .name = STRC("caller"), .alias = STRC("caller"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_tool_inventory, caller) },
};
const struct rec_desc cmd_get_tool_inventory_desc = { "get_tool_inventory", cmd_get_tool_inventory_fields, 4, sizeof(struct cmd_get_tool_inventory) };


const struct rec_desc reply_get_tool_inventory_desc = { "get_tool_inventory", NULL, 0, sizeof(struct reply_get_tool_inventory) };


static const struct field cmd_list_sessions_fields[] = {
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_sessions, workspace_id), .max = 256 },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_sessions, status), .words = &enum_thread_status },
	{ .name = STRC("archived"), .alias = STRC("archived"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_list_sessions, archived), .has_offset = offsetof(struct cmd_list_sessions, has_archived) },
	{ .name = STRC("system"), .alias = STRC("system"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_list_sessions, system), .has_offset = offsetof(struct cmd_list_sessions, has_system) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_sessions, limit), .has_offset = offsetof(struct cmd_list_sessions, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_sessions, cursor) },
};
const struct rec_desc cmd_list_sessions_desc = { "list_sessions", cmd_list_sessions_fields, 6, sizeof(struct cmd_list_sessions) };


static const struct field reply_list_sessions_fields[] = {
	{ .name = STRC("sessions"), .alias = STRC("sessions"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_sessions, sessions), .required = true, .rec = &rec_session_row_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_sessions, next_cursor) },
	{ .name = STRC("recovery"), .alias = STRC("recovery"), .type = FIELD_REC, .offset = offsetof(struct reply_list_sessions, recovery), .rec = &rec_recovery_progress_desc },
};
const struct rec_desc reply_list_sessions_desc = { "list_sessions", reply_list_sessions_fields, 3, sizeof(struct reply_list_sessions) };


static const struct field cmd_list_models_fields[] = {
	{ .name = STRC("provider"), .alias = STRC("provider"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_models, provider), .max = 256 },
};
const struct rec_desc cmd_list_models_desc = { "list_models", cmd_list_models_fields, 1, sizeof(struct cmd_list_models) };


static const struct field reply_list_models_fields[] = {
	{ .name = STRC("models"), .alias = STRC("models"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_models, models), .required = true, .rec = &rec_model_row_desc },
	{ .name = STRC("budgets"), .alias = STRC("budgets"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_models, budgets), .required = true, .rec = &rec_budget_desc },
};
const struct rec_desc reply_list_models_desc = { "list_models", reply_list_models_fields, 2, sizeof(struct reply_list_models) };


static const struct field cmd_list_hooks_fields[] = {
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_hooks, cwd), .max = 4096 },
};
const struct rec_desc cmd_list_hooks_desc = { "list_hooks", cmd_list_hooks_fields, 1, sizeof(struct cmd_list_hooks) };


static const struct field reply_list_hooks_fields[] = {
	{ .name = STRC("hooks"), .alias = STRC("hooks"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_hooks, hooks), .required = true, .rec = &rec_hook_row_desc },
	{ .name = STRC("path"), .alias = STRC("path"), .type = FIELD_STR, .offset = offsetof(struct reply_list_hooks, path) },
	{ .name = STRC("contentHash"), .alias = STRC("content_hash"), .type = FIELD_STR, .offset = offsetof(struct reply_list_hooks, content_hash) },
};
const struct rec_desc reply_list_hooks_desc = { "list_hooks", reply_list_hooks_fields, 3, sizeof(struct reply_list_hooks) };


const struct rec_desc cmd_list_tool_servers_desc = { "list_tool_servers", NULL, 0, sizeof(struct cmd_list_tool_servers) };


static const struct field reply_list_tool_servers_fields[] = {
	{ .name = STRC("servers"), .alias = STRC("servers"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_tool_servers, servers), .required = true, .rec = &rec_tool_server_desc },
};
const struct rec_desc reply_list_tool_servers_desc = { "list_tool_servers", reply_list_tool_servers_fields, 1, sizeof(struct reply_list_tool_servers) };


static const struct field cmd_list_threads_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_threads, session_id), .required = true },
	{ .name = STRC("kind"), .alias = STRC("kind"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_threads, kind), .words = &enum_thread_kind },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_threads, status), .words = &enum_thread_status },
};
const struct rec_desc cmd_list_threads_desc = { "list_threads", cmd_list_threads_fields, 3, sizeof(struct cmd_list_threads) };


static const struct field reply_list_threads_fields[] = {
	{ .name = STRC("threads"), .alias = STRC("threads"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_threads, threads), .required = true, .rec = &rec_thread_row_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_threads, sequence), .has_offset = offsetof(struct reply_list_threads, has_sequence) },
};
const struct rec_desc reply_list_threads_desc = { "list_threads", reply_list_threads_fields, 2, sizeof(struct reply_list_threads) };


static const struct field cmd_list_events_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_events, session_id) },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_events, after), .has_offset = offsetof(struct cmd_list_events, has_after) },
	{ .name = STRC("before"), .alias = STRC("before"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_events, before), .has_offset = offsetof(struct cmd_list_events, has_before) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_events, cursor) },
	{ .name = STRC("types"), .alias = STRC("types"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_list_events, types) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_events, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_events, turn_id) },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_events, limit), .has_offset = offsetof(struct cmd_list_events, has_limit) },
	{ .name = STRC("as"), .alias = STRC("as"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_events, as), .words = &enum_event_form },
};
const struct rec_desc cmd_list_events_desc = { "list_events", cmd_list_events_fields, 9, sizeof(struct cmd_list_events) };


static const struct field reply_list_events_fields[] = {
	{ .name = STRC("events"), .alias = STRC("events"), .type = FIELD_LIST_JSON, .offset = offsetof(struct reply_list_events, events), .required = true },
	{ .name = STRC("lastSequence"), .alias = STRC("last_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_events, last_sequence), .has_offset = offsetof(struct reply_list_events, has_last_sequence) },
	{ .name = STRC("firstSequence"), .alias = STRC("first_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_events, first_sequence), .has_offset = offsetof(struct reply_list_events, has_first_sequence) },
	{ .name = STRC("more"), .alias = STRC("more"), .type = FIELD_BOOL, .offset = offsetof(struct reply_list_events, more), .required = true },
	{ .name = STRC("gap"), .alias = STRC("gap"), .type = FIELD_REC, .offset = offsetof(struct reply_list_events, gap), .rec = &rec_gap_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_events, next_cursor) },
};
const struct rec_desc reply_list_events_desc = { "list_events", reply_list_events_fields, 6, sizeof(struct reply_list_events) };


static const struct field cmd_subscribe_events_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_subscribe_events, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_subscribe_events, turn_id) },
	{ .name = STRC("follow"), .alias = STRC("follow"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_subscribe_events, follow), .has_offset = offsetof(struct cmd_subscribe_events, has_follow) },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_subscribe_events, session_id) },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_INT, .offset = offsetof(struct cmd_subscribe_events, after), .has_offset = offsetof(struct cmd_subscribe_events, has_after) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_subscribe_events, cursor) },
	{ .name = STRC("types"), .alias = STRC("types"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_subscribe_events, types) },
	{ .name = STRC("channelId"), .alias = STRC("channel_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_subscribe_events, channel_id) },
	{ .name = STRC("as"), .alias = STRC("as"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_subscribe_events, as), .words = &enum_event_form },
};
const struct rec_desc cmd_subscribe_events_desc = { "subscribe_events", cmd_subscribe_events_fields, 9, sizeof(struct cmd_subscribe_events) };


static const struct field reply_subscribe_events_fields[] = {
	{ .name = STRC("subscriptionId"), .alias = STRC("subscription_id"), .type = FIELD_ID, .offset = offsetof(struct reply_subscribe_events, subscription_id), .required = true },
	{ .name = STRC("after"), .alias = STRC("after"), .type = FIELD_INT, .offset = offsetof(struct reply_subscribe_events, after), .required = true },
	{ .name = STRC("gap"), .alias = STRC("gap"), .type = FIELD_REC, .offset = offsetof(struct reply_subscribe_events, gap), .rec = &rec_gap_desc },
};
const struct rec_desc reply_subscribe_events_desc = { "subscribe_events", reply_subscribe_events_fields, 3, sizeof(struct reply_subscribe_events) };


static const struct field cmd_unsubscribe_events_fields[] = {
	{ .name = STRC("subscriptionId"), .alias = STRC("subscription_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_unsubscribe_events, subscription_id), .required = true },
};
const struct rec_desc cmd_unsubscribe_events_desc = { "unsubscribe_events", cmd_unsubscribe_events_fields, 1, sizeof(struct cmd_unsubscribe_events) };


static const struct field reply_unsubscribe_events_fields[] = {
	{ .name = STRC("subscriptionId"), .alias = STRC("subscription_id"), .type = FIELD_ID, .offset = offsetof(struct reply_unsubscribe_events, subscription_id), .required = true },
};
const struct rec_desc reply_unsubscribe_events_desc = { "unsubscribe_events", reply_unsubscribe_events_fields, 1, sizeof(struct reply_unsubscribe_events) };


static const struct field cmd_get_output_fields[] = {
	{ .name = STRC("outputRef"), .alias = STRC("output_ref"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_output, output_ref), .required = true },
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_output, session_id) },
	{ .name = STRC("offset"), .alias = STRC("offset"), .type = FIELD_INT, .offset = offsetof(struct cmd_get_output, offset), .has_offset = offsetof(struct cmd_get_output, has_offset) },
	{ .name = STRC("length"), .alias = STRC("length"), .type = FIELD_INT, .offset = offsetof(struct cmd_get_output, length), .has_offset = offsetof(struct cmd_get_output, has_length) },
};
const struct rec_desc cmd_get_output_desc = { "get_output", cmd_get_output_fields, 4, sizeof(struct cmd_get_output) };


static const struct field reply_get_output_fields[] = {
	{ .name = STRC("output"), .alias = STRC("output"), .type = FIELD_REC, .offset = offsetof(struct reply_get_output, output), .required = true, .rec = &rec_output_desc },
	{ .name = STRC("offset"), .alias = STRC("offset"), .type = FIELD_INT, .offset = offsetof(struct reply_get_output, offset), .required = true },
	{ .name = STRC("bytes"), .alias = STRC("bytes"), .type = FIELD_INT, .offset = offsetof(struct reply_get_output, bytes), .required = true },
	{ .name = STRC("text"), .alias = STRC("text"), .type = FIELD_STR, .offset = offsetof(struct reply_get_output, text) },
	{ .name = STRC("base64"), .alias = STRC("base64"), .type = FIELD_STR, .offset = offsetof(struct reply_get_output, base64) },
	{ .name = STRC("eof"), .alias = STRC("eof"), .type = FIELD_BOOL, .offset = offsetof(struct reply_get_output, eof), .required = true },
};
const struct rec_desc reply_get_output_desc = { "get_output", reply_get_output_fields, 6, sizeof(struct reply_get_output) };


static const struct field cmd_get_artifact_checkpoint_summary_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_artifact_checkpoint_summary, session_id), .required = true },
};
const struct rec_desc cmd_get_artifact_checkpoint_summary_desc = { "get_artifact_checkpoint_summary", cmd_get_artifact_checkpoint_summary_fields, 1, sizeof(struct cmd_get_artifact_checkpoint_summary) };


const struct rec_desc reply_get_artifact_checkpoint_summary_desc = { "get_artifact_checkpoint_summary", NULL, 0, sizeof(struct reply_get_artifact_checkpoint_summary) };


static const struct field cmd_get_routing_limit_summary_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_routing_limit_summary, session_id), .required = true },
};
const struct rec_desc cmd_get_routing_limit_summary_desc = { "get_routing_limit_summary", cmd_get_routing_limit_summary_fields, 1, sizeof(struct cmd_get_routing_limit_summary) };


const struct rec_desc reply_get_routing_limit_summary_desc = { "get_routing_limit_summary", NULL, 0, sizeof(struct reply_get_routing_limit_summary) };


static const struct field cmd_get_context_boundary_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_context_boundary, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_context_boundary, thread_id) },
};
const struct rec_desc cmd_get_context_boundary_desc = { "get_context_boundary", cmd_get_context_boundary_fields, 2, sizeof(struct cmd_get_context_boundary) };


const struct rec_desc reply_get_context_boundary_desc = { "get_context_boundary", NULL, 0, sizeof(struct reply_get_context_boundary) };


static const struct field cmd_create_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_session, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_session, thread_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_session, title), .max = 512 },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_session, workspace_id), .max = 256 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_session, cwd), .max = 4096 },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_session, model), .max = 256 },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_create_session, budget_usd), .has_offset = offsetof(struct cmd_create_session, has_budget_usd) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct cmd_create_session, metadata) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_session, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_create_session_desc = { "create_session", cmd_create_session_fields, 9, sizeof(struct cmd_create_session) };


static const struct field reply_create_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_session, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_session, thread_id), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_create_session, sequence), .has_offset = offsetof(struct reply_create_session, has_sequence) },
};
const struct rec_desc reply_create_session_desc = { "create_session", reply_create_session_fields, 3, sizeof(struct reply_create_session) };


static const struct field cmd_update_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_update_session, session_id), .required = true },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_session, title), .max = 512 },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_session, workspace_id), .max = 256 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_session, cwd), .max = 4096 },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_session, model), .max = 256 },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_update_session, budget_usd), .has_offset = offsetof(struct cmd_update_session, has_budget_usd) },
	{ .name = STRC("pinnedThreadIds"), .alias = STRC("pinned_thread_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct cmd_update_session, pinned_thread_ids) },
	{ .name = STRC("archived"), .alias = STRC("archived"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_update_session, archived), .has_offset = offsetof(struct cmd_update_session, has_archived) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct cmd_update_session, metadata) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_session, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_update_session_desc = { "update_session", cmd_update_session_fields, 10, sizeof(struct cmd_update_session) };


static const struct field reply_update_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_update_session, session_id), .required = true },
	{ .name = STRC("changed"), .alias = STRC("changed"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_update_session, changed), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_update_session, sequence), .has_offset = offsetof(struct reply_update_session, has_sequence) },
};
const struct rec_desc reply_update_session_desc = { "update_session", reply_update_session_fields, 3, sizeof(struct reply_update_session) };


static const struct field cmd_fork_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fork_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fork_thread, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fork_thread, turn_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_fork_thread, sequence), .has_offset = offsetof(struct cmd_fork_thread, has_sequence) },
	{ .name = STRC("into"), .alias = STRC("into"), .type = FIELD_STR, .offset = offsetof(struct cmd_fork_thread, into), .max = 16 },
	{ .name = STRC("newThreadId"), .alias = STRC("new_thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fork_thread, new_thread_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_fork_thread, title), .max = 512 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_fork_thread, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_fork_thread_desc = { "fork_thread", cmd_fork_thread_fields, 8, sizeof(struct cmd_fork_thread) };


static const struct field reply_fork_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_fork_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_fork_thread, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_fork_thread, turn_id) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_fork_thread, sequence), .has_offset = offsetof(struct reply_fork_thread, has_sequence) },
};
const struct rec_desc reply_fork_thread_desc = { "fork_thread", reply_fork_thread_fields, 4, sizeof(struct reply_fork_thread) };


static const struct field cmd_compact_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_compact_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_compact_thread, thread_id) },
	{ .name = STRC("keepTurns"), .alias = STRC("keep_turns"), .type = FIELD_INT, .offset = offsetof(struct cmd_compact_thread, keep_turns), .has_offset = offsetof(struct cmd_compact_thread, has_keep_turns) },
	{ .name = STRC("instructions"), .alias = STRC("instructions"), .type = FIELD_STR, .offset = offsetof(struct cmd_compact_thread, instructions), .max = 8192 },
	{ .name = STRC("expectedTurnId"), .alias = STRC("expected_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_compact_thread, expected_turn_id) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_compact_thread, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_compact_thread_desc = { "compact_thread", cmd_compact_thread_fields, 6, sizeof(struct cmd_compact_thread) };


static const struct field reply_compact_thread_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_compact_thread, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_compact_thread, turn_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_compact_thread, status), .required = true, .words = &enum_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_compact_thread, sequence), .has_offset = offsetof(struct reply_compact_thread, has_sequence) },
};
const struct rec_desc reply_compact_thread_desc = { "compact_thread", reply_compact_thread_fields, 4, sizeof(struct reply_compact_thread) };


static const struct field cmd_rollback_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_rollback_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_rollback_thread, thread_id) },
	{ .name = STRC("toTurnId"), .alias = STRC("to_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_rollback_thread, to_turn_id) },
	{ .name = STRC("toSequence"), .alias = STRC("to_sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_rollback_thread, to_sequence), .has_offset = offsetof(struct cmd_rollback_thread, has_to_sequence) },
	{ .name = STRC("interrupt"), .alias = STRC("interrupt"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_rollback_thread, interrupt), .has_offset = offsetof(struct cmd_rollback_thread, has_interrupt) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_rollback_thread, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_rollback_thread, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_rollback_thread_desc = { "rollback_thread", cmd_rollback_thread_fields, 7, sizeof(struct cmd_rollback_thread) };


static const struct field reply_rollback_thread_fields[] = {
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_rollback_thread, thread_id), .required = true },
	{ .name = STRC("removedTurns"), .alias = STRC("removed_turns"), .type = FIELD_LIST_ID, .offset = offsetof(struct reply_rollback_thread, removed_turns), .required = true },
	{ .name = STRC("removedCount"), .alias = STRC("removed_count"), .type = FIELD_INT, .offset = offsetof(struct reply_rollback_thread, removed_count), .has_offset = offsetof(struct reply_rollback_thread, has_removed_count) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_rollback_thread, sequence), .has_offset = offsetof(struct reply_rollback_thread, has_sequence) },
};
const struct rec_desc reply_rollback_thread_desc = { "rollback_thread", reply_rollback_thread_fields, 4, sizeof(struct reply_rollback_thread) };


static const struct field cmd_spawn_subagent_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_spawn_subagent, session_id), .required = true },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_spawn_subagent, parent_thread_id), .required = true },
	{ .name = STRC("parentTurnId"), .alias = STRC("parent_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_spawn_subagent, parent_turn_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_spawn_subagent, parent_task_id) },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_spawn_subagent, subagent_id) },
	{ .name = STRC("role"), .alias = STRC("role"), .type = FIELD_STR, .offset = offsetof(struct cmd_spawn_subagent, role), .required = true, .max = 256 },
	{ .name = STRC("nickname"), .alias = STRC("nickname"), .type = FIELD_STR, .offset = offsetof(struct cmd_spawn_subagent, nickname), .max = 128 },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_spawn_subagent, input) },
	{ .name = STRC("isolation"), .alias = STRC("isolation"), .type = FIELD_REC, .offset = offsetof(struct cmd_spawn_subagent, isolation), .rec = &rec_isolation_desc },
	{ .name = STRC("modelPolicy"), .alias = STRC("model_policy"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_spawn_subagent, model_policy), .words = &enum_model_policy },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct cmd_spawn_subagent, model), .max = 256 },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_spawn_subagent, budget_usd), .has_offset = offsetof(struct cmd_spawn_subagent, has_budget_usd) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_spawn_subagent, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_spawn_subagent_desc = { "spawn_subagent", cmd_spawn_subagent_fields, 13, sizeof(struct cmd_spawn_subagent) };


static const struct field reply_spawn_subagent_fields[] = {
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct reply_spawn_subagent, subagent_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_spawn_subagent, status), .required = true, .words = &enum_subagent_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_spawn_subagent, sequence), .has_offset = offsetof(struct reply_spawn_subagent, has_sequence) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_spawn_subagent, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_spawn_subagent, turn_id) },
};
const struct rec_desc reply_spawn_subagent_desc = { "spawn_subagent", reply_spawn_subagent_fields, 5, sizeof(struct reply_spawn_subagent) };


static const struct field cmd_send_subagent_input_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_send_subagent_input, session_id), .required = true },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_send_subagent_input, subagent_id), .required = true },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_send_subagent_input, input), .required = true },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_send_subagent_input, delivery), .words = &enum_delivery },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_send_subagent_input, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_send_subagent_input_desc = { "send_subagent_input", cmd_send_subagent_input_fields, 5, sizeof(struct cmd_send_subagent_input) };


static const struct field reply_send_subagent_input_fields[] = {
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct reply_send_subagent_input, subagent_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_send_subagent_input, status), .required = true, .words = &enum_subagent_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_send_subagent_input, sequence), .has_offset = offsetof(struct reply_send_subagent_input, has_sequence) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_send_subagent_input, turn_id) },
};
const struct rec_desc reply_send_subagent_input_desc = { "send_subagent_input", reply_send_subagent_input_fields, 4, sizeof(struct reply_send_subagent_input) };


static const struct field cmd_wait_subagents_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_wait_subagents, session_id), .required = true },
	{ .name = STRC("subagentIds"), .alias = STRC("subagent_ids"), .type = FIELD_LIST_ID, .offset = offsetof(struct cmd_wait_subagents, subagent_ids), .required = true },
	{ .name = STRC("all"), .alias = STRC("all"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_wait_subagents, all), .has_offset = offsetof(struct cmd_wait_subagents, has_all) },
	{ .name = STRC("timeoutMs"), .alias = STRC("timeout_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_wait_subagents, timeout_ms), .has_offset = offsetof(struct cmd_wait_subagents, has_timeout_ms) },
};
const struct rec_desc cmd_wait_subagents_desc = { "wait_subagents", cmd_wait_subagents_fields, 4, sizeof(struct cmd_wait_subagents) };


static const struct field reply_wait_subagents_fields[] = {
	{ .name = STRC("subagents"), .alias = STRC("subagents"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_wait_subagents, subagents), .required = true, .rec = &rec_subagent_desc },
	{ .name = STRC("timedOut"), .alias = STRC("timed_out"), .type = FIELD_BOOL, .offset = offsetof(struct reply_wait_subagents, timed_out), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_wait_subagents, sequence), .has_offset = offsetof(struct reply_wait_subagents, has_sequence) },
};
const struct rec_desc reply_wait_subagents_desc = { "wait_subagents", reply_wait_subagents_fields, 3, sizeof(struct reply_wait_subagents) };


static const struct field cmd_resume_subagent_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_subagent, session_id), .required = true },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_subagent, subagent_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resume_subagent, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resume_subagent_desc = { "resume_subagent", cmd_resume_subagent_fields, 3, sizeof(struct cmd_resume_subagent) };


static const struct field reply_resume_subagent_fields[] = {
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_subagent, subagent_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_resume_subagent, status), .required = true, .words = &enum_subagent_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resume_subagent, sequence), .has_offset = offsetof(struct reply_resume_subagent, has_sequence) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_subagent, turn_id) },
};
const struct rec_desc reply_resume_subagent_desc = { "resume_subagent", reply_resume_subagent_fields, 4, sizeof(struct reply_resume_subagent) };


static const struct field cmd_close_subagent_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_close_subagent, session_id), .required = true },
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_close_subagent, subagent_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_close_subagent, reason), .max = 2000 },
	{ .name = STRC("discardWorktree"), .alias = STRC("discard_worktree"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_close_subagent, discard_worktree), .has_offset = offsetof(struct cmd_close_subagent, has_discard_worktree) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_close_subagent, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_close_subagent_desc = { "close_subagent", cmd_close_subagent_fields, 5, sizeof(struct cmd_close_subagent) };


static const struct field reply_close_subagent_fields[] = {
	{ .name = STRC("subagentId"), .alias = STRC("subagent_id"), .type = FIELD_ID, .offset = offsetof(struct reply_close_subagent, subagent_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_close_subagent, status), .required = true, .words = &enum_subagent_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_close_subagent, sequence), .has_offset = offsetof(struct reply_close_subagent, has_sequence) },
};
const struct rec_desc reply_close_subagent_desc = { "close_subagent", reply_close_subagent_fields, 3, sizeof(struct reply_close_subagent) };


static const struct field cmd_list_subagents_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_subagents, session_id), .required = true },
	{ .name = STRC("parentThreadId"), .alias = STRC("parent_thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_subagents, parent_thread_id) },
	{ .name = STRC("descendants"), .alias = STRC("descendants"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_list_subagents, descendants), .has_offset = offsetof(struct cmd_list_subagents, has_descendants) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_subagents, status), .words = &enum_subagent_status },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_subagents, limit), .has_offset = offsetof(struct cmd_list_subagents, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_subagents, cursor) },
};
const struct rec_desc cmd_list_subagents_desc = { "list_subagents", cmd_list_subagents_fields, 6, sizeof(struct cmd_list_subagents) };


static const struct field reply_list_subagents_fields[] = {
	{ .name = STRC("subagents"), .alias = STRC("subagents"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_subagents, subagents), .required = true, .rec = &rec_subagent_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_subagents, next_cursor) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_list_subagents, sequence), .has_offset = offsetof(struct reply_list_subagents, has_sequence) },
};
const struct rec_desc reply_list_subagents_desc = { "list_subagents", reply_list_subagents_fields, 3, sizeof(struct reply_list_subagents) };


static const struct field cmd_get_subagent_job_summary_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_subagent_job_summary, session_id), .required = true },
};
const struct rec_desc cmd_get_subagent_job_summary_desc = { "get_subagent_job_summary", cmd_get_subagent_job_summary_fields, 1, sizeof(struct cmd_get_subagent_job_summary) };


const struct rec_desc reply_get_subagent_job_summary_desc = { "get_subagent_job_summary", NULL, 0, sizeof(struct reply_get_subagent_job_summary) };


const struct rec_desc cmd_get_capabilities_desc = { "get_capabilities", NULL, 0, sizeof(struct cmd_get_capabilities) };


static const struct field reply_get_capabilities_fields[] = {
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct reply_get_capabilities, name), .required = true },
	{ .name = STRC("version"), .alias = STRC("version"), .type = FIELD_STR, .offset = offsetof(struct reply_get_capabilities, version), .required = true },
	{ .name = STRC("runtimeId"), .alias = STRC("runtime_id"), .type = FIELD_ID, .offset = offsetof(struct reply_get_capabilities, runtime_id), .required = true },
	{ .name = STRC("schemaVersion"), .alias = STRC("schema_version"), .type = FIELD_STR, .offset = offsetof(struct reply_get_capabilities, schema_version), .required = true },
	{ .name = STRC("specVersion"), .alias = STRC("spec_version"), .type = FIELD_STR, .offset = offsetof(struct reply_get_capabilities, spec_version), .required = true },
	{ .name = STRC("layers"), .alias = STRC("layers"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, layers), .required = true },
	{ .name = STRC("commands"), .alias = STRC("commands"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, commands), .required = true },
	{ .name = STRC("events"), .alias = STRC("events"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, events), .required = true },
	{ .name = STRC("views"), .alias = STRC("views"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_get_capabilities, views), .required = true },
	{ .name = STRC("transports"), .alias = STRC("transports"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_get_capabilities, transports), .required = true },
	{ .name = STRC("sandbox"), .alias = STRC("sandbox"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, sandbox), .required = true },
	{ .name = STRC("providers"), .alias = STRC("providers"), .type = FIELD_LIST_JSON, .offset = offsetof(struct reply_get_capabilities, providers), .required = true },
	{ .name = STRC("settings"), .alias = STRC("settings"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, settings), .required = true },
	{ .name = STRC("limits"), .alias = STRC("limits"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, limits), .required = true },
	{ .name = STRC("sections"), .alias = STRC("sections"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, sections), .required = true },
	{ .name = STRC("storage"), .alias = STRC("storage"), .type = FIELD_JSON, .offset = offsetof(struct reply_get_capabilities, storage) },
};
const struct rec_desc reply_get_capabilities_desc = { "get_capabilities", reply_get_capabilities_fields, 16, sizeof(struct reply_get_capabilities) };


const struct rec_desc cmd_open_console_desc = { "open_console", NULL, 0, sizeof(struct cmd_open_console) };


static const struct field reply_open_console_fields[] = {
	{ .name = STRC("code"), .alias = STRC("code"), .type = FIELD_STR, .offset = offsetof(struct reply_open_console, code), .required = true },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_open_console, expires_at), .required = true },
	{ .name = STRC("addresses"), .alias = STRC("addresses"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_open_console, addresses), .required = true },
	{ .name = STRC("hasConsole"), .alias = STRC("has_console"), .type = FIELD_BOOL, .offset = offsetof(struct reply_open_console, has_console), .required = true },
};
const struct rec_desc reply_open_console_desc = { "open_console", reply_open_console_fields, 4, sizeof(struct reply_open_console) };


static const struct field cmd_pair_device_fields[] = {
	{ .name = STRC("url"), .alias = STRC("url"), .type = FIELD_STR, .offset = offsetof(struct cmd_pair_device, url), .required = true, .max = 300 },
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct cmd_pair_device, name), .max = 40 },
	{ .name = STRC("lan"), .alias = STRC("lan"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_pair_device, lan), .has_offset = offsetof(struct cmd_pair_device, has_lan) },
};
const struct rec_desc cmd_pair_device_desc = { "pair_device", cmd_pair_device_fields, 3, sizeof(struct cmd_pair_device) };


static const struct field reply_pair_device_fields[] = {
	{ .name = STRC("code"), .alias = STRC("code"), .type = FIELD_STR, .offset = offsetof(struct reply_pair_device, code), .required = true },
	{ .name = STRC("address"), .alias = STRC("address"), .type = FIELD_STR, .offset = offsetof(struct reply_pair_device, address), .required = true },
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct reply_pair_device, name), .required = true },
	{ .name = STRC("scopes"), .alias = STRC("scopes"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_pair_device, scopes), .required = true },
	{ .name = STRC("expiresAt"), .alias = STRC("expires_at"), .type = FIELD_TIME, .offset = offsetof(struct reply_pair_device, expires_at), .required = true },
	{ .name = STRC("addresses"), .alias = STRC("addresses"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_pair_device, addresses), .required = true },
	{ .name = STRC("hasConsole"), .alias = STRC("has_console"), .type = FIELD_BOOL, .offset = offsetof(struct reply_pair_device, has_console), .required = true },
};
const struct rec_desc reply_pair_device_desc = { "pair_device", reply_pair_device_fields, 7, sizeof(struct reply_pair_device) };


const struct rec_desc cmd_list_devices_desc = { "list_devices", NULL, 0, sizeof(struct cmd_list_devices) };


static const struct field reply_list_devices_fields[] = {
	{ .name = STRC("devices"), .alias = STRC("devices"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_devices, devices), .required = true, .rec = &rec_device_desc },
};
const struct rec_desc reply_list_devices_desc = { "list_devices", reply_list_devices_fields, 1, sizeof(struct reply_list_devices) };


static const struct field cmd_revoke_device_fields[] = {
	{ .name = STRC("deviceId"), .alias = STRC("device_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_revoke_device, device_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_revoke_device, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_revoke_device_desc = { "revoke_device", cmd_revoke_device_fields, 2, sizeof(struct cmd_revoke_device) };


static const struct field reply_revoke_device_fields[] = {
	{ .name = STRC("deviceId"), .alias = STRC("device_id"), .type = FIELD_ID, .offset = offsetof(struct reply_revoke_device, device_id), .required = true },
	{ .name = STRC("name"), .alias = STRC("name"), .type = FIELD_STR, .offset = offsetof(struct reply_revoke_device, name), .required = true },
	{ .name = STRC("streams"), .alias = STRC("streams"), .type = FIELD_INT, .offset = offsetof(struct reply_revoke_device, streams), .required = true },
};
const struct rec_desc reply_revoke_device_desc = { "revoke_device", reply_revoke_device_fields, 3, sizeof(struct reply_revoke_device) };


static const struct field cmd_verify_log_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_verify_log, session_id), .required = true },
	{ .name = STRC("fromSequence"), .alias = STRC("from_sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_verify_log, from_sequence), .has_offset = offsetof(struct cmd_verify_log, has_from_sequence) },
};
const struct rec_desc cmd_verify_log_desc = { "verify_log", cmd_verify_log_fields, 2, sizeof(struct cmd_verify_log) };


static const struct field reply_verify_log_fields[] = {
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_STR, .offset = offsetof(struct reply_verify_log, status), .required = true },
	{ .name = STRC("sessions"), .alias = STRC("sessions"), .type = FIELD_INT, .offset = offsetof(struct reply_verify_log, sessions), .required = true },
	{ .name = STRC("events"), .alias = STRC("events"), .type = FIELD_INT, .offset = offsetof(struct reply_verify_log, events), .required = true },
	{ .name = STRC("firstBad"), .alias = STRC("first_bad"), .type = FIELD_REC, .offset = offsetof(struct reply_verify_log, first_bad), .rec = &rec_bad_row_desc },
	{ .name = STRC("erased"), .alias = STRC("erased"), .type = FIELD_INT, .offset = offsetof(struct reply_verify_log, erased), .required = true },
	{ .name = STRC("headHash"), .alias = STRC("head_hash"), .type = FIELD_STR, .offset = offsetof(struct reply_verify_log, head_hash) },
	{ .name = STRC("anchoredSequence"), .alias = STRC("anchored_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_verify_log, anchored_sequence), .has_offset = offsetof(struct reply_verify_log, has_anchored_sequence) },
	{ .name = STRC("outputs"), .alias = STRC("outputs"), .type = FIELD_INT, .offset = offsetof(struct reply_verify_log, outputs), .has_offset = offsetof(struct reply_verify_log, has_outputs) },
	{ .name = STRC("missingOutputs"), .alias = STRC("missing_outputs"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_verify_log, missing_outputs) },
};
const struct rec_desc reply_verify_log_desc = { "verify_log", reply_verify_log_fields, 9, sizeof(struct reply_verify_log) };


static const struct field cmd_trim_log_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_trim_log, session_id), .required = true },
	{ .name = STRC("through"), .alias = STRC("through"), .type = FIELD_INT, .offset = offsetof(struct cmd_trim_log, through), .has_offset = offsetof(struct cmd_trim_log, has_through) },
	{ .name = STRC("keep"), .alias = STRC("keep"), .type = FIELD_INT, .offset = offsetof(struct cmd_trim_log, keep), .has_offset = offsetof(struct cmd_trim_log, has_keep) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_trim_log, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_trim_log, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_trim_log_desc = { "trim_log", cmd_trim_log_fields, 5, sizeof(struct cmd_trim_log) };


static const struct field reply_trim_log_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_trim_log, session_id), .required = true },
	{ .name = STRC("removedThrough"), .alias = STRC("removed_through"), .type = FIELD_INT, .offset = offsetof(struct reply_trim_log, removed_through), .required = true },
	{ .name = STRC("headHash"), .alias = STRC("head_hash"), .type = FIELD_STR, .offset = offsetof(struct reply_trim_log, head_hash) },
	{ .name = STRC("snapshotRef"), .alias = STRC("snapshot_ref"), .type = FIELD_ID, .offset = offsetof(struct reply_trim_log, snapshot_ref) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_trim_log, sequence), .has_offset = offsetof(struct reply_trim_log, has_sequence) },
};
const struct rec_desc reply_trim_log_desc = { "trim_log", reply_trim_log_fields, 5, sizeof(struct reply_trim_log) };


static const struct field cmd_erase_event_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_erase_event, session_id), .required = true },
	{ .name = STRC("eventSequence"), .alias = STRC("event_sequence"), .type = FIELD_INT, .offset = offsetof(struct cmd_erase_event, event_sequence), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_erase_event, reason), .required = true, .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_erase_event, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_erase_event_desc = { "erase_event", cmd_erase_event_fields, 4, sizeof(struct cmd_erase_event) };


static const struct field reply_erase_event_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_erase_event, session_id), .required = true },
	{ .name = STRC("eventSequence"), .alias = STRC("event_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_erase_event, event_sequence), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_STR, .offset = offsetof(struct reply_erase_event, status), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_erase_event, sequence), .has_offset = offsetof(struct reply_erase_event, has_sequence) },
};
const struct rec_desc reply_erase_event_desc = { "erase_event", reply_erase_event_fields, 4, sizeof(struct reply_erase_event) };


static const struct field cmd_rebuild_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_rebuild_session, session_id), .required = true },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_rebuild_session, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_rebuild_session_desc = { "rebuild_session", cmd_rebuild_session_fields, 2, sizeof(struct cmd_rebuild_session) };


static const struct field reply_rebuild_session_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_rebuild_session, session_id), .required = true },
	{ .name = STRC("events"), .alias = STRC("events"), .type = FIELD_INT, .offset = offsetof(struct reply_rebuild_session, events), .required = true },
	{ .name = STRC("rows"), .alias = STRC("rows"), .type = FIELD_INT, .offset = offsetof(struct reply_rebuild_session, rows), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_rebuild_session, sequence), .has_offset = offsetof(struct reply_rebuild_session, has_sequence) },
};
const struct rec_desc reply_rebuild_session_desc = { "rebuild_session", reply_rebuild_session_fields, 4, sizeof(struct reply_rebuild_session) };


static const struct field cmd_create_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_task, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_task, thread_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_task, task_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, title), .max = 512 },
	{ .name = STRC("objective"), .alias = STRC("objective"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, objective), .required = true, .max = 8192 },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, task_kind), .max = 64 },
	{ .name = STRC("taskFamily"), .alias = STRC("task_family"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, task_family), .max = 64 },
	{ .name = STRC("visibility"), .alias = STRC("visibility"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_create_task, visibility), .words = &enum_visibility },
	{ .name = STRC("priority"), .alias = STRC("priority"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, priority), .max = 32 },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_create_task, parent_task_id) },
	{ .name = STRC("assignee"), .alias = STRC("assignee"), .type = FIELD_REC, .offset = offsetof(struct cmd_create_task, assignee), .rec = &rec_actor_desc },
	{ .name = STRC("scope"), .alias = STRC("scope"), .type = FIELD_REC, .offset = offsetof(struct cmd_create_task, scope), .rec = &rec_task_scope_desc },
	{ .name = STRC("constraints"), .alias = STRC("constraints"), .type = FIELD_REC, .offset = offsetof(struct cmd_create_task, constraints), .rec = &rec_constraints_desc },
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_LIST_REC, .offset = offsetof(struct cmd_create_task, acceptance), .rec = &rec_criterion_desc },
	{ .name = STRC("taskProfile"), .alias = STRC("task_profile"), .type = FIELD_REC, .offset = offsetof(struct cmd_create_task, task_profile), .rec = &rec_task_profile_desc },
	{ .name = STRC("retryPolicy"), .alias = STRC("retry_policy"), .type = FIELD_REC, .offset = offsetof(struct cmd_create_task, retry_policy), .rec = &rec_retry_policy_desc },
	{ .name = STRC("start"), .alias = STRC("start"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_create_task, start), .has_offset = offsetof(struct cmd_create_task, has_start) },
	{ .name = STRC("create"), .alias = STRC("create"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_create_task, create), .words = &enum_create_policy },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct cmd_create_task, metadata) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_create_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_create_task_desc = { "create_task", cmd_create_task_fields, 20, sizeof(struct cmd_create_task) };


static const struct field reply_create_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_task, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_task, thread_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_create_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_create_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_create_task, sequence), .has_offset = offsetof(struct reply_create_task, has_sequence) },
};
const struct rec_desc reply_create_task_desc = { "create_task", reply_create_task_fields, 5, sizeof(struct reply_create_task) };


static const struct field cmd_update_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_update_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_update_task, task_id), .required = true },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_task, title), .max = 512 },
	{ .name = STRC("objective"), .alias = STRC("objective"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_task, objective), .max = 8192 },
	{ .name = STRC("priority"), .alias = STRC("priority"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_task, priority), .max = 32 },
	{ .name = STRC("assignee"), .alias = STRC("assignee"), .type = FIELD_REC, .offset = offsetof(struct cmd_update_task, assignee), .rec = &rec_actor_desc },
	{ .name = STRC("visibility"), .alias = STRC("visibility"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_update_task, visibility), .words = &enum_visibility },
	{ .name = STRC("constraints"), .alias = STRC("constraints"), .type = FIELD_REC, .offset = offsetof(struct cmd_update_task, constraints), .rec = &rec_constraints_desc },
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_LIST_REC, .offset = offsetof(struct cmd_update_task, acceptance), .rec = &rec_criterion_desc },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct cmd_update_task, metadata) },
	{ .name = STRC("expectedVersion"), .alias = STRC("expected_version"), .type = FIELD_INT, .offset = offsetof(struct cmd_update_task, expected_version), .has_offset = offsetof(struct cmd_update_task, has_expected_version) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_update_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_update_task_desc = { "update_task", cmd_update_task_fields, 12, sizeof(struct cmd_update_task) };


static const struct field reply_update_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_update_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_update_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_update_task, sequence), .has_offset = offsetof(struct reply_update_task, has_sequence) },
	{ .name = STRC("changed"), .alias = STRC("changed"), .type = FIELD_LIST_STR, .offset = offsetof(struct reply_update_task, changed), .required = true },
};
const struct rec_desc reply_update_task_desc = { "update_task", reply_update_task_fields, 4, sizeof(struct reply_update_task) };


static const struct field cmd_start_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_task, task_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_start_task, thread_id) },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct cmd_start_task, worker), .rec = &rec_worker_desc },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_start_task, input) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_start_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_start_task_desc = { "start_task", cmd_start_task_fields, 6, sizeof(struct cmd_start_task) };


static const struct field reply_start_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_start_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_start_task, sequence), .has_offset = offsetof(struct reply_start_task, has_sequence) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_task, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_task, attempt_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_start_task, turn_id) },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct reply_start_task, lease_until) },
};
const struct rec_desc reply_start_task_desc = { "start_task", reply_start_task_fields, 7, sizeof(struct reply_start_task) };


static const struct field cmd_append_task_progress_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_append_task_progress, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_append_task_progress, task_id), .required = true },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_append_task_progress, run_id) },
	{ .name = STRC("phase"), .alias = STRC("phase"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_append_task_progress, phase), .words = &enum_phase },
	{ .name = STRC("percent"), .alias = STRC("percent"), .type = FIELD_INT, .offset = offsetof(struct cmd_append_task_progress, percent), .has_offset = offsetof(struct cmd_append_task_progress, has_percent) },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct cmd_append_task_progress, summary), .max = 4096 },
	{ .name = STRC("counters"), .alias = STRC("counters"), .type = FIELD_REC, .offset = offsetof(struct cmd_append_task_progress, counters), .rec = &rec_counters_desc },
	{ .name = STRC("outputRefs"), .alias = STRC("output_refs"), .type = FIELD_LIST_REC, .offset = offsetof(struct cmd_append_task_progress, output_refs), .rec = &rec_ref_entry_desc },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct cmd_append_task_progress, delivery_state), .rec = &rec_delivery_state_desc },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_append_task_progress, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_append_task_progress_desc = { "append_task_progress", cmd_append_task_progress_fields, 10, sizeof(struct cmd_append_task_progress) };


static const struct field reply_append_task_progress_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_append_task_progress, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_append_task_progress, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_append_task_progress, sequence), .has_offset = offsetof(struct reply_append_task_progress, has_sequence) },
};
const struct rec_desc reply_append_task_progress_desc = { "append_task_progress", reply_append_task_progress_fields, 3, sizeof(struct reply_append_task_progress) };


static const struct field cmd_pause_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_pause_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_pause_task, task_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_pause_task, reason), .max = 2000 },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_pause_task, propagation), .words = &enum_propagation },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_pause_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_pause_task_desc = { "pause_task", cmd_pause_task_fields, 5, sizeof(struct cmd_pause_task) };


static const struct field reply_pause_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_pause_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_pause_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_pause_task, sequence), .has_offset = offsetof(struct reply_pause_task, has_sequence) },
};
const struct rec_desc reply_pause_task_desc = { "pause_task", reply_pause_task_fields, 3, sizeof(struct reply_pause_task) };


static const struct field cmd_resume_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_task, task_id), .required = true },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_resume_task, propagation), .words = &enum_propagation },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resume_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resume_task_desc = { "resume_task", cmd_resume_task_fields, 4, sizeof(struct cmd_resume_task) };


static const struct field reply_resume_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_resume_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resume_task, sequence), .has_offset = offsetof(struct reply_resume_task, has_sequence) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_task, run_id) },
};
const struct rec_desc reply_resume_task_desc = { "resume_task", reply_resume_task_fields, 4, sizeof(struct reply_resume_task) };


static const struct field cmd_cancel_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_cancel_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_cancel_task, task_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_cancel_task, reason), .max = 2000 },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_cancel_task, propagation), .words = &enum_propagation },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_cancel_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_cancel_task_desc = { "cancel_task", cmd_cancel_task_fields, 5, sizeof(struct cmd_cancel_task) };


static const struct field reply_cancel_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_cancel_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_cancel_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_cancel_task, sequence), .has_offset = offsetof(struct reply_cancel_task, has_sequence) },
};
const struct rec_desc reply_cancel_task_desc = { "cancel_task", reply_cancel_task_fields, 3, sizeof(struct reply_cancel_task) };


static const struct field cmd_retry_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_retry_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_retry_task, task_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_retry_task, reason), .required = true, .max = 2000 },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_retry_task, input) },
	{ .name = STRC("worker"), .alias = STRC("worker"), .type = FIELD_REC, .offset = offsetof(struct cmd_retry_task, worker), .rec = &rec_worker_desc },
	{ .name = STRC("propagation"), .alias = STRC("propagation"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_retry_task, propagation), .words = &enum_propagation },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_retry_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_retry_task_desc = { "retry_task", cmd_retry_task_fields, 7, sizeof(struct cmd_retry_task) };


static const struct field reply_retry_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_retry_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_retry_task, sequence), .has_offset = offsetof(struct reply_retry_task, has_sequence) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_task, run_id), .required = true },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_task, attempt_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_retry_task, turn_id) },
};
const struct rec_desc reply_retry_task_desc = { "retry_task", reply_retry_task_fields, 6, sizeof(struct reply_retry_task) };


static const struct field cmd_complete_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_complete_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_complete_task, task_id), .required = true },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_complete_task, run_id) },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_STR, .offset = offsetof(struct cmd_complete_task, summary), .max = 4096 },
	{ .name = STRC("artifacts"), .alias = STRC("artifacts"), .type = FIELD_LIST_REC, .offset = offsetof(struct cmd_complete_task, artifacts), .rec = &rec_artifact_ref_desc },
	{ .name = STRC("evidenceRefs"), .alias = STRC("evidence_refs"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_complete_task, evidence_refs) },
	{ .name = STRC("acceptance"), .alias = STRC("acceptance"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_complete_task, acceptance) },
	{ .name = STRC("deliveryState"), .alias = STRC("delivery_state"), .type = FIELD_REC, .offset = offsetof(struct cmd_complete_task, delivery_state), .rec = &rec_delivery_state_desc },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_complete_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_complete_task_desc = { "complete_task", cmd_complete_task_fields, 9, sizeof(struct cmd_complete_task) };


static const struct field reply_complete_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_complete_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_complete_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_complete_task, sequence), .has_offset = offsetof(struct reply_complete_task, has_sequence) },
};
const struct rec_desc reply_complete_task_desc = { "complete_task", reply_complete_task_fields, 3, sizeof(struct reply_complete_task) };


static const struct field cmd_fail_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fail_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fail_task, task_id), .required = true },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_fail_task, run_id) },
	{ .name = STRC("error"), .alias = STRC("error"), .type = FIELD_REC, .offset = offsetof(struct cmd_fail_task, error), .required = true, .rec = &rec_last_error_desc },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_fail_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_fail_task_desc = { "fail_task", cmd_fail_task_fields, 5, sizeof(struct cmd_fail_task) };


static const struct field reply_fail_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_fail_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_fail_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_fail_task, sequence), .has_offset = offsetof(struct reply_fail_task, has_sequence) },
};
const struct rec_desc reply_fail_task_desc = { "fail_task", reply_fail_task_fields, 3, sizeof(struct reply_fail_task) };


static const struct field cmd_archive_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_archive_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_archive_task, task_id), .required = true },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_archive_task, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_archive_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_archive_task_desc = { "archive_task", cmd_archive_task_fields, 4, sizeof(struct cmd_archive_task) };


static const struct field reply_archive_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_archive_task, task_id), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_archive_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_archive_task, sequence), .has_offset = offsetof(struct reply_archive_task, has_sequence) },
};
const struct rec_desc reply_archive_task_desc = { "archive_task", reply_archive_task_fields, 3, sizeof(struct reply_archive_task) };


static const struct field cmd_link_tasks_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_link_tasks, session_id), .required = true },
	{ .name = STRC("fromTaskId"), .alias = STRC("from_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_link_tasks, from_task_id), .required = true },
	{ .name = STRC("toTaskId"), .alias = STRC("to_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_link_tasks, to_task_id) },
	{ .name = STRC("targetId"), .alias = STRC("target_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_link_tasks, target_id) },
	{ .name = STRC("relationship"), .alias = STRC("relationship"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_link_tasks, relationship), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_link_tasks, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_link_tasks, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_link_tasks_desc = { "link_tasks", cmd_link_tasks_fields, 7, sizeof(struct cmd_link_tasks) };


static const struct field reply_link_tasks_fields[] = {
	{ .name = STRC("fromTaskId"), .alias = STRC("from_task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_link_tasks, from_task_id), .required = true },
	{ .name = STRC("relationship"), .alias = STRC("relationship"), .type = FIELD_ENUM, .offset = offsetof(struct reply_link_tasks, relationship), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_link_tasks, sequence), .has_offset = offsetof(struct reply_link_tasks, has_sequence) },
};
const struct rec_desc reply_link_tasks_desc = { "link_tasks", reply_link_tasks_fields, 3, sizeof(struct reply_link_tasks) };


static const struct field cmd_unlink_tasks_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_unlink_tasks, session_id), .required = true },
	{ .name = STRC("fromTaskId"), .alias = STRC("from_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_unlink_tasks, from_task_id), .required = true },
	{ .name = STRC("toTaskId"), .alias = STRC("to_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_unlink_tasks, to_task_id) },
	{ .name = STRC("targetId"), .alias = STRC("target_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_unlink_tasks, target_id) },
	{ .name = STRC("relationship"), .alias = STRC("relationship"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_unlink_tasks, relationship), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_unlink_tasks, reason), .max = 2000 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_unlink_tasks, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_unlink_tasks_desc = { "unlink_tasks", cmd_unlink_tasks_fields, 7, sizeof(struct cmd_unlink_tasks) };


static const struct field reply_unlink_tasks_fields[] = {
	{ .name = STRC("fromTaskId"), .alias = STRC("from_task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_unlink_tasks, from_task_id), .required = true },
	{ .name = STRC("relationship"), .alias = STRC("relationship"), .type = FIELD_ENUM, .offset = offsetof(struct reply_unlink_tasks, relationship), .required = true, .words = &enum_edge_kind },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_unlink_tasks, sequence), .has_offset = offsetof(struct reply_unlink_tasks, has_sequence) },
};
const struct rec_desc reply_unlink_tasks_desc = { "unlink_tasks", reply_unlink_tasks_fields, 3, sizeof(struct reply_unlink_tasks) };


static const struct field cmd_claim_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_claim_task, session_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_claim_task, task_id) },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct cmd_claim_task, task_kind), .max = 64 },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_claim_task, worker_id), .required = true, .max = 256 },
	{ .name = STRC("leaseMs"), .alias = STRC("lease_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_claim_task, lease_ms), .has_offset = offsetof(struct cmd_claim_task, has_lease_ms) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_claim_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_claim_task_desc = { "claim_task", cmd_claim_task_fields, 6, sizeof(struct cmd_claim_task) };


static const struct field reply_claim_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_claim_task, session_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_claim_task, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_claim_task, run_id) },
	{ .name = STRC("attemptId"), .alias = STRC("attempt_id"), .type = FIELD_ID, .offset = offsetof(struct reply_claim_task, attempt_id) },
	{ .name = STRC("task"), .alias = STRC("task"), .type = FIELD_REC, .offset = offsetof(struct reply_claim_task, task), .rec = &rec_task_desc },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct reply_claim_task, lease_until) },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_claim_task, sequence), .has_offset = offsetof(struct reply_claim_task, has_sequence) },
};
const struct rec_desc reply_claim_task_desc = { "claim_task", reply_claim_task_fields, 7, sizeof(struct reply_claim_task) };


static const struct field cmd_heartbeat_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_task, task_id), .required = true },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_heartbeat_task, run_id), .required = true },
	{ .name = STRC("workerId"), .alias = STRC("worker_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_heartbeat_task, worker_id), .required = true, .max = 256 },
	{ .name = STRC("leaseMs"), .alias = STRC("lease_ms"), .type = FIELD_INT, .offset = offsetof(struct cmd_heartbeat_task, lease_ms), .has_offset = offsetof(struct cmd_heartbeat_task, has_lease_ms) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_heartbeat_task, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_heartbeat_task_desc = { "heartbeat_task", cmd_heartbeat_task_fields, 6, sizeof(struct cmd_heartbeat_task) };


static const struct field reply_heartbeat_task_fields[] = {
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_heartbeat_task, task_id), .required = true },
	{ .name = STRC("leaseUntil"), .alias = STRC("lease_until"), .type = FIELD_TIME, .offset = offsetof(struct reply_heartbeat_task, lease_until), .required = true },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_heartbeat_task, status), .required = true, .words = &enum_task_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_heartbeat_task, sequence), .has_offset = offsetof(struct reply_heartbeat_task, has_sequence) },
};
const struct rec_desc reply_heartbeat_task_desc = { "heartbeat_task", reply_heartbeat_task_fields, 4, sizeof(struct reply_heartbeat_task) };


static const struct field cmd_get_task_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_task, session_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_get_task, task_id), .required = true },
};
const struct rec_desc cmd_get_task_desc = { "get_task", cmd_get_task_fields, 2, sizeof(struct cmd_get_task) };


static const struct field reply_get_task_fields[] = {
	{ .name = STRC("task"), .alias = STRC("task"), .type = FIELD_REC, .offset = offsetof(struct reply_get_task, task), .required = true, .rec = &rec_task_desc },
	{ .name = STRC("graph"), .alias = STRC("graph"), .type = FIELD_REC, .offset = offsetof(struct reply_get_task, graph), .rec = &rec_task_graph_desc },
	{ .name = STRC("why"), .alias = STRC("why"), .type = FIELD_REC, .offset = offsetof(struct reply_get_task, why), .rec = &rec_task_why_desc },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_get_task, sequence), .has_offset = offsetof(struct reply_get_task, has_sequence) },
};
const struct rec_desc reply_get_task_desc = { "get_task", reply_get_task_fields, 4, sizeof(struct reply_get_task) };


static const struct field cmd_list_tasks_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_tasks, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_tasks, thread_id) },
	{ .name = STRC("parentTaskId"), .alias = STRC("parent_task_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_list_tasks, parent_task_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_tasks, status), .words = &enum_task_status },
	{ .name = STRC("visibility"), .alias = STRC("visibility"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_list_tasks, visibility), .words = &enum_visibility },
	{ .name = STRC("limit"), .alias = STRC("limit"), .type = FIELD_INT, .offset = offsetof(struct cmd_list_tasks, limit), .has_offset = offsetof(struct cmd_list_tasks, has_limit) },
	{ .name = STRC("cursor"), .alias = STRC("cursor"), .type = FIELD_STR, .offset = offsetof(struct cmd_list_tasks, cursor) },
};
const struct rec_desc cmd_list_tasks_desc = { "list_tasks", cmd_list_tasks_fields, 7, sizeof(struct cmd_list_tasks) };


static const struct field reply_list_tasks_fields[] = {
	{ .name = STRC("tasks"), .alias = STRC("tasks"), .type = FIELD_LIST_REC, .offset = offsetof(struct reply_list_tasks, tasks), .required = true, .rec = &rec_task_desc },
	{ .name = STRC("summary"), .alias = STRC("summary"), .type = FIELD_REC, .offset = offsetof(struct reply_list_tasks, summary), .rec = &rec_task_summary_desc },
	{ .name = STRC("nextCursor"), .alias = STRC("next_cursor"), .type = FIELD_STR, .offset = offsetof(struct reply_list_tasks, next_cursor) },
};
const struct rec_desc reply_list_tasks_desc = { "list_tasks", reply_list_tasks_fields, 3, sizeof(struct reply_list_tasks) };


static const struct field cmd_submit_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_submit_turn, session_id) },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_submit_turn, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_submit_turn, turn_id) },
	{ .name = STRC("input"), .alias = STRC("input"), .type = FIELD_JSON, .offset = offsetof(struct cmd_submit_turn, input), .required = true, .max = 1048576 },
	{ .name = STRC("delivery"), .alias = STRC("delivery"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_submit_turn, delivery), .words = &enum_delivery },
	{ .name = STRC("create"), .alias = STRC("create"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_submit_turn, create), .words = &enum_create_policy },
	{ .name = STRC("expectedTurnId"), .alias = STRC("expected_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_submit_turn, expected_turn_id) },
	{ .name = STRC("title"), .alias = STRC("title"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, title), .max = 512 },
	{ .name = STRC("model"), .alias = STRC("model"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, model), .max = 256 },
	{ .name = STRC("fallback"), .alias = STRC("fallback"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_submit_turn, fallback), .words = &enum_fallback_policy },
	{ .name = STRC("taskKind"), .alias = STRC("task_kind"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, task_kind), .max = 64 },
	{ .name = STRC("requires"), .alias = STRC("requires"), .type = FIELD_LIST_STR, .offset = offsetof(struct cmd_submit_turn, requires), .max = 16 },
	{ .name = STRC("latency"), .alias = STRC("latency"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_submit_turn, latency), .words = &enum_latency_target },
	{ .name = STRC("budgetUsd"), .alias = STRC("budget_usd"), .type = FIELD_USD, .offset = offsetof(struct cmd_submit_turn, budget_usd), .has_offset = offsetof(struct cmd_submit_turn, has_budget_usd) },
	{ .name = STRC("metadata"), .alias = STRC("metadata"), .type = FIELD_JSON, .offset = offsetof(struct cmd_submit_turn, metadata) },
	{ .name = STRC("source"), .alias = STRC("source"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, source), .max = 64 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, idempotency_key), .max = 256 },
	{ .name = STRC("workspaceId"), .alias = STRC("workspace_id"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, workspace_id), .max = 256 },
	{ .name = STRC("cwd"), .alias = STRC("cwd"), .type = FIELD_STR, .offset = offsetof(struct cmd_submit_turn, cwd), .max = 4096 },
	{ .name = STRC("outputSchema"), .alias = STRC("output_schema"), .type = FIELD_JSON, .offset = offsetof(struct cmd_submit_turn, output_schema), .max = 65536 },
	{ .name = STRC("background"), .alias = STRC("background"), .type = FIELD_BOOL, .offset = offsetof(struct cmd_submit_turn, background), .has_offset = offsetof(struct cmd_submit_turn, has_background) },
	{ .name = STRC("options"), .alias = STRC("options"), .type = FIELD_REC, .offset = offsetof(struct cmd_submit_turn, options), .rec = &rec_submit_options_desc },
	{ .name = STRC("context"), .alias = STRC("context"), .type = FIELD_LIST_REC, .offset = offsetof(struct cmd_submit_turn, context), .max = 32, .rec = &rec_context_ref_desc },
};
const struct rec_desc cmd_submit_turn_desc = { "submit_turn", cmd_submit_turn_fields, 23, sizeof(struct cmd_submit_turn) };


static const struct field reply_submit_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, turn_id), .required = true },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, run_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_ENUM, .offset = offsetof(struct reply_submit_turn, status), .required = true, .words = &enum_status },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_submit_turn, sequence), .has_offset = offsetof(struct reply_submit_turn, has_sequence) },
	{ .name = STRC("behind"), .alias = STRC("behind"), .type = FIELD_ID, .offset = offsetof(struct reply_submit_turn, behind) },
	{ .name = STRC("firstSequence"), .alias = STRC("first_sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_submit_turn, first_sequence), .has_offset = offsetof(struct reply_submit_turn, has_first_sequence) },
};
const struct rec_desc reply_submit_turn_desc = { "submit_turn", reply_submit_turn_fields, 9, sizeof(struct reply_submit_turn) };


static const struct field cmd_interrupt_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_interrupt_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_interrupt_turn, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_interrupt_turn, turn_id) },
	{ .name = STRC("reason"), .alias = STRC("reason"), .type = FIELD_STR, .offset = offsetof(struct cmd_interrupt_turn, reason), .max = 2000 },
	{ .name = STRC("queuePolicy"), .alias = STRC("queue_policy"), .type = FIELD_ENUM, .offset = offsetof(struct cmd_interrupt_turn, queue_policy), .words = &enum_queue_policy },
	{ .name = STRC("expectedTurnId"), .alias = STRC("expected_turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_interrupt_turn, expected_turn_id) },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_interrupt_turn, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_interrupt_turn_desc = { "interrupt_turn", cmd_interrupt_turn_fields, 7, sizeof(struct cmd_interrupt_turn) };


static const struct field reply_interrupt_turn_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_interrupt_turn, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_interrupt_turn, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_interrupt_turn, turn_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_STR, .offset = offsetof(struct reply_interrupt_turn, status), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_interrupt_turn, sequence), .has_offset = offsetof(struct reply_interrupt_turn, has_sequence) },
};
const struct rec_desc reply_interrupt_turn_desc = { "interrupt_turn", reply_interrupt_turn_fields, 5, sizeof(struct reply_interrupt_turn) };


static const struct field cmd_resume_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_thread, thread_id) },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct cmd_resume_thread, turn_id) },
	{ .name = STRC("resumeToken"), .alias = STRC("resume_token"), .type = FIELD_STR, .offset = offsetof(struct cmd_resume_thread, resume_token), .max = 512 },
	{ .name = STRC("idempotencyKey"), .alias = STRC("idempotency_key"), .type = FIELD_STR, .offset = offsetof(struct cmd_resume_thread, idempotency_key), .max = 256 },
};
const struct rec_desc cmd_resume_thread_desc = { "resume_thread", cmd_resume_thread_fields, 5, sizeof(struct cmd_resume_thread) };


static const struct field reply_resume_thread_fields[] = {
	{ .name = STRC("sessionId"), .alias = STRC("session_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_thread, session_id), .required = true },
	{ .name = STRC("threadId"), .alias = STRC("thread_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_thread, thread_id), .required = true },
	{ .name = STRC("turnId"), .alias = STRC("turn_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_thread, turn_id) },
	{ .name = STRC("taskId"), .alias = STRC("task_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_thread, task_id) },
	{ .name = STRC("runId"), .alias = STRC("run_id"), .type = FIELD_ID, .offset = offsetof(struct reply_resume_thread, run_id) },
	{ .name = STRC("status"), .alias = STRC("status"), .type = FIELD_STR, .offset = offsetof(struct reply_resume_thread, status), .required = true },
	{ .name = STRC("sequence"), .alias = STRC("sequence"), .type = FIELD_INT, .offset = offsetof(struct reply_resume_thread, sequence), .has_offset = offsetof(struct reply_resume_thread, has_sequence) },
};
const struct rec_desc reply_resume_thread_desc = { "resume_thread", reply_resume_thread_fields, 7, sizeof(struct reply_resume_thread) };


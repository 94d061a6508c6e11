/* Written by scripts/catalog.py from catalog/; do not edit. */

#include "catalog/gen/vocab.h"

#define STRC(s) { s, sizeof(s) - 1 }

static const struct str status_words[] = {
	{ NULL, 0 },
	STRC("idle"),
	STRC("accepted"),
	STRC("queued"),
	STRC("preparing"),
	STRC("running"),
	STRC("streaming"),
	STRC("waiting_input"),
	STRC("waiting_permission"),
	STRC("waiting_resource"),
	STRC("blocked"),
	STRC("paused"),
	STRC("retrying"),
	STRC("cancelling"),
	STRC("cancelled"),
	STRC("timed_out"),
	STRC("failed"),
	STRC("lost"),
	STRC("completed"),
	STRC("archived"),
	STRC("stale"),
	STRC("unknown"),
	STRC("unavailable"),
	STRC("not_applicable"),
	STRC("draft"),
	STRC("closed"),
	STRC("pending"),
	STRC("exited"),
	STRC("reported"),
};
const struct enum_desc enum_status = { "status", status_words, 29 };

static const struct str thread_status_words[] = {
	{ NULL, 0 },
	STRC("idle"),
	STRC("queued"),
	STRC("running"),
	STRC("blocked"),
	STRC("completed"),
	STRC("failed"),
	STRC("cancelled"),
	STRC("stale"),
	STRC("unknown"),
};
const struct enum_desc enum_thread_status = { "thread_status", thread_status_words, 10 };

static const struct str task_status_words[] = {
	{ NULL, 0 },
	STRC("draft"),
	STRC("accepted"),
	STRC("queued"),
	STRC("preparing"),
	STRC("running"),
	STRC("waiting_input"),
	STRC("waiting_permission"),
	STRC("waiting_resource"),
	STRC("blocked"),
	STRC("paused"),
	STRC("retrying"),
	STRC("cancelling"),
	STRC("cancelled"),
	STRC("timed_out"),
	STRC("failed"),
	STRC("lost"),
	STRC("completed"),
	STRC("archived"),
	STRC("stale"),
	STRC("unknown"),
};
const struct enum_desc enum_task_status = { "task_status", task_status_words, 21 };

static const struct str attempt_status_words[] = {
	{ NULL, 0 },
	STRC("idle"),
	STRC("queued"),
	STRC("preparing"),
	STRC("running"),
	STRC("blocked"),
	STRC("streaming"),
	STRC("retrying"),
	STRC("completed"),
	STRC("failed"),
	STRC("cancelled"),
	STRC("stale"),
	STRC("unknown"),
	STRC("unavailable"),
	STRC("not_applicable"),
};
const struct enum_desc enum_attempt_status = { "attempt_status", attempt_status_words, 15 };

static const struct str subagent_status_words[] = {
	{ NULL, 0 },
	STRC("queued"),
	STRC("running"),
	STRC("blocked"),
	STRC("completed"),
	STRC("failed"),
	STRC("cancelled"),
	STRC("closed"),
};
const struct enum_desc enum_subagent_status = { "subagent_status", subagent_status_words, 8 };

static const struct str job_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("running"),
	STRC("completed"),
	STRC("failed"),
	STRC("cancelled"),
};
const struct enum_desc enum_job_status = { "job_status", job_status_words, 6 };

static const struct str job_item_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("running"),
	STRC("completed"),
	STRC("failed"),
	STRC("reported"),
};
const struct enum_desc enum_job_item_status = { "job_item_status", job_item_status_words, 6 };

static const struct str process_status_words[] = {
	{ NULL, 0 },
	STRC("idle"),
	STRC("running"),
	STRC("exited"),
	STRC("failed"),
	STRC("lost"),
};
const struct enum_desc enum_process_status = { "process_status", process_status_words, 6 };

static const struct str hook_status_words[] = {
	{ NULL, 0 },
	STRC("running"),
	STRC("completed"),
	STRC("failed"),
};
const struct enum_desc enum_hook_status = { "hook_status", hook_status_words, 4 };

static const struct str action_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("resolved"),
	STRC("timed_out"),
	STRC("cancelled"),
};
const struct enum_desc enum_action_status = { "action_status", action_status_words, 5 };

static const struct str edge_status_words[] = {
	{ NULL, 0 },
	STRC("active"),
	STRC("satisfied"),
	STRC("broken"),
	STRC("ended"),
	STRC("removed"),
};
const struct enum_desc enum_edge_status = { "edge_status", edge_status_words, 6 };

static const struct str runtime_state_words[] = {
	{ NULL, 0 },
	STRC("started"),
	STRC("stopped"),
};
const struct enum_desc enum_runtime_state = { "runtime_state", runtime_state_words, 3 };

static const struct str runtime_end_words[] = {
	{ NULL, 0 },
	STRC("none"),
	STRC("stopped"),
	STRC("unclean"),
	STRC("store_failed"),
};
const struct enum_desc enum_runtime_end = { "runtime_end", runtime_end_words, 5 };

static const struct str delivery_subject_words[] = {
	{ NULL, 0 },
	STRC("task"),
	STRC("job"),
	STRC("turn"),
	STRC("action"),
};
const struct enum_desc enum_delivery_subject = { "delivery_subject", delivery_subject_words, 5 };

static const struct str delivery_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("delivered"),
	STRC("queued"),
	STRC("failed"),
	STRC("parent_missing"),
	STRC("not_applicable"),
};
const struct enum_desc enum_delivery_status = { "delivery_status", delivery_status_words, 7 };

static const struct str cost_status_words[] = {
	{ NULL, 0 },
	STRC("estimated"),
	STRC("recorded"),
	STRC("unknown"),
};
const struct enum_desc enum_cost_status = { "cost_status", cost_status_words, 4 };

static const struct str limit_status_words[] = {
	{ NULL, 0 },
	STRC("ok"),
	STRC("low"),
	STRC("limited"),
	STRC("blocked"),
	STRC("unknown"),
	STRC("unavailable"),
	STRC("not_applicable"),
};
const struct enum_desc enum_limit_status = { "limit_status", limit_status_words, 8 };

static const struct str reconcile_status_words[] = {
	{ NULL, 0 },
	STRC("satisfied"),
	STRC("present"),
	STRC("delivered"),
	STRC("pending"),
	STRC("missing"),
	STRC("unmet"),
	STRC("failed"),
	STRC("unknown"),
	STRC("not_applicable"),
};
const struct enum_desc enum_reconcile_status = { "reconcile_status", reconcile_status_words, 10 };

static const struct str phase_words[] = {
	{ NULL, 0 },
	STRC("preparing"),
	STRC("planning"),
	STRC("working"),
	STRC("streaming"),
	STRC("verifying"),
	STRC("delivering"),
	STRC("waiting"),
	STRC("retrying"),
	STRC("cancelling"),
	STRC("recovering"),
	STRC("compacting"),
	STRC("draining"),
};
const struct enum_desc enum_phase = { "phase", phase_words, 13 };

static const struct str todo_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("in_progress"),
	STRC("completed"),
};
const struct enum_desc enum_todo_status = { "todo_status", todo_status_words, 4 };

static const struct str item_kind_words[] = {
	{ NULL, 0 },
	STRC("user_message"),
	STRC("agent_message"),
	STRC("reasoning"),
	STRC("tool_call"),
	STRC("command"),
	STRC("file_change"),
	STRC("web_search"),
	STRC("todo"),
	STRC("error"),
	STRC("catalog"),
	STRC("compaction"),
};
const struct enum_desc enum_item_kind = { "item_kind", item_kind_words, 12 };

static const struct str thread_kind_words[] = {
	{ NULL, 0 },
	STRC("main"),
	STRC("fork"),
	STRC("subagent"),
	STRC("job"),
	STRC("system"),
};
const struct enum_desc enum_thread_kind = { "thread_kind", thread_kind_words, 6 };

static const struct str turn_kind_words[] = {
	{ NULL, 0 },
	STRC("user"),
	STRC("task"),
	STRC("system"),
	STRC("subagent"),
	STRC("job"),
};
const struct enum_desc enum_turn_kind = { "turn_kind", turn_kind_words, 6 };

static const struct str turn_outcome_words[] = {
	{ NULL, 0 },
	STRC("completed"),
	STRC("merged"),
	STRC("failed"),
	STRC("cancelled"),
	STRC("timed_out"),
	STRC("lost"),
};
const struct enum_desc enum_turn_outcome = { "turn_outcome", turn_outcome_words, 7 };

static const struct str delivery_words[] = {
	{ NULL, 0 },
	STRC("queue"),
	STRC("steer"),
	STRC("interrupt"),
	STRC("reject"),
	STRC("immediate"),
};
const struct enum_desc enum_delivery = { "delivery", delivery_words, 6 };

static const struct str create_policy_words[] = {
	{ NULL, 0 },
	STRC("if_missing"),
	STRC("never"),
};
const struct enum_desc enum_create_policy = { "create_policy", create_policy_words, 3 };

static const struct str on_busy_words[] = {
	{ NULL, 0 },
	STRC("queue"),
	STRC("steer"),
	STRC("interrupt"),
	STRC("reject"),
};
const struct enum_desc enum_on_busy = { "on_busy", on_busy_words, 5 };

static const struct str queue_policy_words[] = {
	{ NULL, 0 },
	STRC("keep"),
	STRC("clear"),
	STRC("continue"),
};
const struct enum_desc enum_queue_policy = { "queue_policy", queue_policy_words, 4 };

static const struct str queue_change_words[] = {
	{ NULL, 0 },
	STRC("added"),
	STRC("removed"),
	STRC("promoted"),
	STRC("moved"),
	STRC("started"),
	STRC("cleared"),
	STRC("held"),
	STRC("released"),
};
const struct enum_desc enum_queue_change = { "queue_change", queue_change_words, 9 };

static const struct str approval_decision_words[] = {
	{ NULL, 0 },
	STRC("allow"),
	STRC("deny"),
	STRC("ask"),
	STRC("sandboxed"),
	STRC("unavailable"),
	STRC("answer"),
	STRC("decline"),
	STRC("cancel"),
};
const struct enum_desc enum_approval_decision = { "approval_decision", approval_decision_words, 9 };

static const struct str policy_record_kind_words[] = {
	{ NULL, 0 },
	STRC("decision"),
	STRC("approval"),
	STRC("grant"),
	STRC("waiver"),
};
const struct enum_desc enum_policy_record_kind = { "policy_record_kind", policy_record_kind_words, 5 };

static const struct str policy_result_words[] = {
	{ NULL, 0 },
	STRC("allow"),
	STRC("deny"),
	STRC("ask"),
	STRC("defer"),
	STRC("escalate"),
	STRC("waive"),
	STRC("not_applicable"),
	STRC("indeterminate"),
};
const struct enum_desc enum_policy_result = { "policy_result", policy_result_words, 9 };

static const struct str risk_level_words[] = {
	{ NULL, 0 },
	STRC("none"),
	STRC("low"),
	STRC("medium"),
	STRC("high"),
	STRC("critical"),
	STRC("unknown"),
};
const struct enum_desc enum_risk_level = { "risk_level", risk_level_words, 7 };

static const struct str risk_scope_words[] = {
	{ NULL, 0 },
	STRC("tool_call"),
	STRC("model_call"),
	STRC("artifact_export"),
	STRC("source_access"),
	STRC("credential_use"),
	STRC("filesystem"),
	STRC("network"),
	STRC("remote_agent"),
	STRC("data_retention"),
	STRC("redaction"),
	STRC("human_action"),
	STRC("memory_write"),
	STRC("task_delegation"),
	STRC("ui_surface"),
	STRC("cost_or_quota"),
};
const struct enum_desc enum_risk_scope = { "risk_scope", risk_scope_words, 16 };

static const struct str approval_status_words[] = {
	{ NULL, 0 },
	STRC("pending"),
	STRC("approved"),
	STRC("denied"),
	STRC("modified"),
	STRC("expired"),
	STRC("escalated"),
	STRC("cancelled"),
};
const struct enum_desc enum_approval_status = { "approval_status", approval_status_words, 8 };

static const struct str policy_grant_status_words[] = {
	{ NULL, 0 },
	STRC("active"),
	STRC("expired"),
	STRC("revoked"),
	STRC("superseded"),
	STRC("pending"),
};
const struct enum_desc enum_policy_grant_status = { "policy_grant_status", policy_grant_status_words, 6 };

static const struct str decision_kind_words[] = {
	{ NULL, 0 },
	STRC("allow_or_deny"),
	STRC("answer_or_decline"),
	STRC("provide_or_decline"),
	STRC("approve_or_revise"),
};
const struct enum_desc enum_decision_kind = { "decision_kind", decision_kind_words, 5 };

static const struct str decision_source_words[] = {
	{ NULL, 0 },
	STRC("rule"),
	STRC("mode"),
	STRC("hook"),
	STRC("classifier"),
	STRC("human"),
	STRC("host_policy"),
	STRC("sandbox_override"),
	STRC("tool_contract"),
};
const struct enum_desc enum_decision_source = { "decision_source", decision_source_words, 9 };

static const struct str decision_subject_words[] = {
	{ NULL, 0 },
	STRC("tool"),
	STRC("process"),
	STRC("action"),
	STRC("peer_task"),
};
const struct enum_desc enum_decision_subject = { "decision_subject", decision_subject_words, 5 };

static const struct str decided_side_words[] = {
	{ NULL, 0 },
	STRC("local"),
	STRC("remote"),
	STRC("policy"),
	STRC("timer"),
};
const struct enum_desc enum_decided_side = { "decided_side", decided_side_words, 5 };

static const struct str bridge_source_words[] = {
	{ NULL, 0 },
	STRC("response"),
	STRC("timeout"),
	STRC("policy_deny"),
	STRC("auth_failure"),
};
const struct enum_desc enum_bridge_source = { "bridge_source", bridge_source_words, 5 };

static const struct str permission_default_words[] = {
	{ NULL, 0 },
	STRC("mode"),
	STRC("deny"),
};
const struct enum_desc enum_permission_default = { "permission_default", permission_default_words, 3 };

static const struct str grant_scope_words[] = {
	{ NULL, 0 },
	STRC("once"),
	STRC("turn"),
	STRC("session"),
	STRC("workspace"),
	STRC("organization"),
	STRC("host_policy"),
};
const struct enum_desc enum_grant_scope = { "grant_scope", grant_scope_words, 7 };

static const struct str action_type_words[] = {
	{ NULL, 0 },
	STRC("tool_permission"),
	STRC("structured_input"),
	STRC("credential"),
	STRC("plan"),
	STRC("escalation"),
};
const struct enum_desc enum_action_type = { "action_type", action_type_words, 6 };

static const struct str ask_from_words[] = {
	{ NULL, 0 },
	STRC("human"),
	STRC("host_policy"),
	STRC("peer"),
};
const struct enum_desc enum_ask_from = { "ask_from", ask_from_words, 4 };

static const struct str permission_mode_words[] = {
	{ NULL, 0 },
	STRC("default"),
	STRC("untrusted"),
	STRC("on_request"),
	STRC("on_failure"),
	STRC("never"),
	STRC("plan"),
	STRC("bypass"),
	STRC("auto"),
};
const struct enum_desc enum_permission_mode = { "permission_mode", permission_mode_words, 9 };

static const struct str policy_change_words[] = {
	{ NULL, 0 },
	STRC("mode_changed"),
	STRC("rule_added"),
	STRC("rule_removed"),
	STRC("rules_reloaded"),
	STRC("rules_kept"),
	STRC("grant_added"),
	STRC("grant_revoked"),
	STRC("grant_expired"),
	STRC("config_reloaded"),
	STRC("trust_recorded"),
	STRC("schedule_added"),
	STRC("schedule_paused"),
	STRC("schedule_resumed"),
	STRC("schedule_removed"),
	STRC("schedule_missed"),
	STRC("schedule_skipped"),
	STRC("schedule_failed"),
	STRC("schedule_ended"),
};
const struct enum_desc enum_policy_change = { "policy_change", policy_change_words, 19 };

static const struct str schedule_status_words[] = {
	{ NULL, 0 },
	STRC("active"),
	STRC("paused"),
	STRC("ended"),
};
const struct enum_desc enum_schedule_status = { "schedule_status", schedule_status_words, 4 };

static const struct str missed_policy_words[] = {
	{ NULL, 0 },
	STRC("skip"),
	STRC("once"),
	STRC("all"),
};
const struct enum_desc enum_missed_policy = { "missed_policy", missed_policy_words, 4 };

static const struct str overlap_policy_words[] = {
	{ NULL, 0 },
	STRC("skip"),
	STRC("queue"),
	STRC("cancel"),
};
const struct enum_desc enum_overlap_policy = { "overlap_policy", overlap_policy_words, 4 };

static const struct str policy_source_words[] = {
	{ NULL, 0 },
	STRC("human"),
	STRC("command"),
	STRC("config"),
	STRC("host"),
	STRC("hook"),
	STRC("runtime"),
};
const struct enum_desc enum_policy_source = { "policy_source", policy_source_words, 7 };

static const struct str tool_policy_words[] = {
	{ NULL, 0 },
	STRC("allowed"),
	STRC("ask"),
	STRC("denied"),
	STRC("sandboxed"),
	STRC("unavailable"),
};
const struct enum_desc enum_tool_policy = { "tool_policy", tool_policy_words, 6 };

static const struct str interrupt_behavior_words[] = {
	{ NULL, 0 },
	STRC("cancel"),
	STRC("wait"),
	STRC("detach"),
};
const struct enum_desc enum_interrupt_behavior = { "interrupt_behavior", interrupt_behavior_words, 4 };

static const struct str args_kind_words[] = {
	{ NULL, 0 },
	STRC("final"),
	STRC("updated"),
};
const struct enum_desc enum_args_kind = { "args_kind", args_kind_words, 3 };

static const struct str updated_by_words[] = {
	{ NULL, 0 },
	STRC("hook"),
	STRC("human"),
	STRC("runtime"),
};
const struct enum_desc enum_updated_by = { "updated_by", updated_by_words, 4 };

static const struct str tool_progress_kind_words[] = {
	{ NULL, 0 },
	STRC("dispatched"),
	STRC("progress"),
};
const struct enum_desc enum_tool_progress_kind = { "tool_progress_kind", tool_progress_kind_words, 3 };

static const struct str executed_words[] = {
	{ NULL, 0 },
	STRC("no"),
	STRC("yes"),
	STRC("partly"),
	STRC("unknown"),
};
const struct enum_desc enum_executed = { "executed", executed_words, 5 };

static const struct str sandbox_mode_words[] = {
	{ NULL, 0 },
	STRC("read_only"),
	STRC("workspace_write"),
	STRC("danger_full_access"),
	STRC("external_sandbox"),
	STRC("unavailable"),
};
const struct enum_desc enum_sandbox_mode = { "sandbox_mode", sandbox_mode_words, 6 };

static const struct str enforcement_words[] = {
	{ NULL, 0 },
	STRC("exact_or_fail"),
	STRC("best_effort"),
};
const struct enum_desc enum_enforcement = { "enforcement", enforcement_words, 3 };

static const struct str network_mode_words[] = {
	{ NULL, 0 },
	STRC("off"),
	STRC("restricted"),
	STRC("full"),
};
const struct enum_desc enum_network_mode = { "network_mode", network_mode_words, 4 };

static const struct str stdin_policy_words[] = {
	{ NULL, 0 },
	STRC("closed"),
	STRC("pipe"),
	STRC("tty"),
};
const struct enum_desc enum_stdin_policy = { "stdin_policy", stdin_policy_words, 4 };

static const struct str violation_kind_words[] = {
	{ NULL, 0 },
	STRC("filesystem"),
	STRC("network"),
	STRC("syscall"),
	STRC("process"),
	STRC("permission"),
};
const struct enum_desc enum_violation_kind = { "violation_kind", violation_kind_words, 6 };

static const struct str process_stream_words[] = {
	{ NULL, 0 },
	STRC("stdout"),
	STRC("stderr"),
	STRC("pty"),
};
const struct enum_desc enum_process_stream = { "process_stream", process_stream_words, 4 };

static const struct str on_turn_end_words[] = {
	{ NULL, 0 },
	STRC("terminate"),
	STRC("keep"),
};
const struct enum_desc enum_on_turn_end = { "on_turn_end", on_turn_end_words, 3 };

static const struct str terminated_by_words[] = {
	{ NULL, 0 },
	STRC("user"),
	STRC("policy"),
	STRC("parent"),
	STRC("shutdown"),
};
const struct enum_desc enum_terminated_by = { "terminated_by", terminated_by_words, 5 };

static const struct str liveness_words[] = {
	{ NULL, 0 },
	STRC("gone"),
	STRC("alive"),
	STRC("unknown"),
};
const struct enum_desc enum_liveness = { "liveness", liveness_words, 4 };

static const struct str hook_point_words[] = {
	{ NULL, 0 },
	STRC("session_start"),
	STRC("user_prompt_submit"),
	STRC("pre_tool_use"),
	STRC("permission_request"),
	STRC("post_tool_use"),
	STRC("post_tool_failure"),
	STRC("post_sampling"),
	STRC("stop"),
	STRC("delivery"),
};
const struct enum_desc enum_hook_point = { "hook_point", hook_point_words, 10 };

static const struct str hook_handler_words[] = {
	{ NULL, 0 },
	STRC("command"),
	STRC("http"),
	STRC("in_process"),
};
const struct enum_desc enum_hook_handler = { "hook_handler", hook_handler_words, 4 };

static const struct str hook_decision_words[] = {
	{ NULL, 0 },
	STRC("continue"),
	STRC("block"),
	STRC("allow"),
	STRC("deny"),
	STRC("ask"),
};
const struct enum_desc enum_hook_decision = { "hook_decision", hook_decision_words, 6 };

static const struct str tool_server_status_words[] = {
	{ NULL, 0 },
	STRC("untrusted"),
	STRC("unsupported"),
	STRC("disabled"),
	STRC("starting"),
	STRC("ready"),
	STRC("down"),
	STRC("stopped"),
};
const struct enum_desc enum_tool_server_status = { "tool_server_status", tool_server_status_words, 8 };

static const struct str hook_trust_words[] = {
	{ NULL, 0 },
	STRC("host"),
	STRC("user"),
	STRC("hash_recorded"),
	STRC("untrusted"),
};
const struct enum_desc enum_hook_trust = { "hook_trust", hook_trust_words, 5 };

static const struct str hook_sandbox_words[] = {
	{ NULL, 0 },
	STRC("agent"),
	STRC("guarded"),
	STRC("none"),
};
const struct enum_desc enum_hook_sandbox = { "hook_sandbox", hook_sandbox_words, 4 };

static const struct str command_rights_words[] = {
	{ NULL, 0 },
	STRC("agent"),
	STRC("none"),
};
const struct enum_desc enum_command_rights = { "command_rights", command_rights_words, 3 };

static const struct str fail_policy_words[] = {
	{ NULL, 0 },
	STRC("open"),
	STRC("closed"),
};
const struct enum_desc enum_fail_policy = { "fail_policy", fail_policy_words, 3 };

static const struct str delta_kind_words[] = {
	{ NULL, 0 },
	STRC("text"),
	STRC("structured"),
	STRC("refusal"),
	STRC("tool_arguments"),
};
const struct enum_desc enum_delta_kind = { "delta_kind", delta_kind_words, 5 };

static const struct str reasoning_kind_words[] = {
	{ NULL, 0 },
	STRC("text"),
	STRC("redacted"),
};
const struct enum_desc enum_reasoning_kind = { "reasoning_kind", reasoning_kind_words, 3 };

static const struct str reasoning_channel_words[] = {
	{ NULL, 0 },
	STRC("thinking"),
	STRC("summary"),
	STRC("plan"),
};
const struct enum_desc enum_reasoning_channel = { "reasoning_channel", reasoning_channel_words, 4 };

static const struct str summary_source_words[] = {
	{ NULL, 0 },
	STRC("provider"),
	STRC("runtime"),
};
const struct enum_desc enum_summary_source = { "summary_source", summary_source_words, 3 };

static const struct str stop_reason_words[] = {
	{ NULL, 0 },
	STRC("end_turn"),
	STRC("tool_use"),
	STRC("max_tokens"),
	STRC("stop_sequence"),
	STRC("context_full"),
	STRC("refusal"),
	STRC("content_filter"),
	STRC("pause_turn"),
	STRC("cancelled"),
	STRC("unknown"),
};
const struct enum_desc enum_stop_reason = { "stop_reason", stop_reason_words, 11 };

static const struct str usage_source_words[] = {
	{ NULL, 0 },
	STRC("provider"),
	STRC("estimate"),
};
const struct enum_desc enum_usage_source = { "usage_source", usage_source_words, 3 };

static const struct str error_category_words[] = {
	{ NULL, 0 },
	STRC("auth"),
	STRC("invalid_request"),
	STRC("not_found"),
	STRC("context_length"),
	STRC("content_filter"),
	STRC("refusal"),
	STRC("rate_limited"),
	STRC("overloaded"),
	STRC("server_error"),
	STRC("network"),
	STRC("timeout"),
	STRC("protocol"),
	STRC("quota"),
	STRC("budget"),
	STRC("price_missing"),
	STRC("no_candidate"),
	STRC("max_steps"),
	STRC("invalid_input"),
	STRC("unknown_tool"),
	STRC("tool_failed"),
	STRC("permission"),
	STRC("hook_blocked"),
	STRC("hook_failed"),
	STRC("sandbox_denied"),
	STRC("sandbox_unavailable"),
	STRC("spawn_failed"),
	STRC("output_limit"),
	STRC("process_failed"),
	STRC("interrupted"),
	STRC("cancelled"),
	STRC("lost"),
	STRC("acceptance_unmet"),
	STRC("delivery_failed"),
	STRC("dependency_failed"),
	STRC("worker_lost"),
	STRC("unavailable"),
	STRC("verifier_error"),
	STRC("environment"),
	STRC("append_refused"),
	STRC("store_failed"),
	STRC("storage_full"),
	STRC("internal"),
	STRC("unknown"),
};
const struct enum_desc enum_error_category = { "error_category", error_category_words, 44 };

static const struct str warning_category_words[] = {
	{ NULL, 0 },
	STRC("process_lost"),
	STRC("hook_failed_open"),
	STRC("missing_correlation"),
	STRC("clock_jump"),
	STRC("log_truncated"),
	STRC("config_ignored"),
	STRC("sandbox_degraded"),
	STRC("channel_lagging"),
	STRC("quota_unknown"),
	STRC("provider_odd"),
	STRC("process_unavailable"),
	STRC("verifier_trajectory_missing"),
	STRC("overdue_wait"),
	STRC("login_refused"),
	STRC("other"),
};
const struct enum_desc enum_warning_category = { "warning_category", warning_category_words, 16 };

static const struct str latency_target_words[] = {
	{ NULL, 0 },
	STRC("interactive"),
	STRC("background"),
	STRC("batch"),
};
const struct enum_desc enum_latency_target = { "latency_target", latency_target_words, 4 };

static const struct str budget_class_words[] = {
	{ NULL, 0 },
	STRC("low"),
	STRC("medium"),
	STRC("high"),
	STRC("fixed"),
	STRC("unknown"),
};
const struct enum_desc enum_budget_class = { "budget_class", budget_class_words, 6 };

static const struct str fallback_policy_words[] = {
	{ NULL, 0 },
	STRC("allow"),
	STRC("deny"),
	STRC("ask"),
	STRC("local_only"),
	STRC("host_only"),
};
const struct enum_desc enum_fallback_policy = { "fallback_policy", fallback_policy_words, 6 };

static const struct str cost_class_words[] = {
	{ NULL, 0 },
	STRC("low"),
	STRC("medium"),
	STRC("high"),
	STRC("unknown"),
};
const struct enum_desc enum_cost_class = { "cost_class", cost_class_words, 5 };

static const struct str cost_basis_words[] = {
	{ NULL, 0 },
	STRC("provider_usage"),
	STRC("refused_before_output"),
	STRC("estimate"),
};
const struct enum_desc enum_cost_basis = { "cost_basis", cost_basis_words, 4 };

static const struct str price_source_words[] = {
	{ NULL, 0 },
	STRC("table"),
	STRC("script"),
	STRC("config"),
};
const struct enum_desc enum_price_source = { "price_source", price_source_words, 4 };

static const struct str unpriced_policy_words[] = {
	{ NULL, 0 },
	STRC("allow_unpriced"),
	STRC("ask_unpriced"),
	STRC("refuse_unpriced"),
};
const struct enum_desc enum_unpriced_policy = { "unpriced_policy", unpriced_policy_words, 4 };

static const struct str routing_mode_words[] = {
	{ NULL, 0 },
	STRC("no_candidate"),
	STRC("single_candidate"),
	STRC("multi_candidate"),
};
const struct enum_desc enum_routing_mode = { "routing_mode", routing_mode_words, 4 };

static const struct str routing_source_words[] = {
	{ NULL, 0 },
	STRC("explicit"),
	STRC("session"),
	STRC("task_preference"),
	STRC("host_policy"),
	STRC("policy_auto"),
	STRC("runtime_fallback"),
};
const struct enum_desc enum_routing_source = { "routing_source", routing_source_words, 7 };

static const struct str exclusion_reason_words[] = {
	{ NULL, 0 },
	STRC("credential_missing"),
	STRC("capability_missing"),
	STRC("quota_blocked"),
	STRC("rate_limited"),
	STRC("network_unavailable"),
	STRC("policy_denied"),
	STRC("budget_exceeded"),
	STRC("price_missing"),
	STRC("context_too_small"),
	STRC("disabled"),
};
const struct enum_desc enum_exclusion_reason = { "exclusion_reason", exclusion_reason_words, 11 };

static const struct str constraint_strength_words[] = {
	{ NULL, 0 },
	STRC("hard"),
	STRC("preference"),
};
const struct enum_desc enum_constraint_strength = { "constraint_strength", constraint_strength_words, 3 };

static const struct str rate_action_words[] = {
	{ NULL, 0 },
	STRC("wait"),
	STRC("retry"),
	STRC("fallback"),
	STRC("fail"),
};
const struct enum_desc enum_rate_action = { "rate_action", rate_action_words, 5 };

static const struct str limit_kind_words[] = {
	{ NULL, 0 },
	STRC("budget"),
	STRC("rate"),
	STRC("quota"),
	STRC("parallel"),
	STRC("policy"),
};
const struct enum_desc enum_limit_kind = { "limit_kind", limit_kind_words, 6 };

static const struct str limit_scope_words[] = {
	{ NULL, 0 },
	STRC("request"),
	STRC("turn"),
	STRC("session"),
	STRC("task"),
	STRC("day"),
	STRC("tenant"),
	STRC("provider"),
};
const struct enum_desc enum_limit_scope = { "limit_scope", limit_scope_words, 8 };

static const struct str limit_source_words[] = {
	{ NULL, 0 },
	STRC("command"),
	STRC("config"),
	STRC("provider_headers"),
	STRC("provider"),
	STRC("host"),
	STRC("governor"),
};
const struct enum_desc enum_limit_source = { "limit_source", limit_source_words, 7 };

static const struct str limit_event_kind_words[] = {
	{ NULL, 0 },
	STRC("rate_limit_hit"),
	STRC("quota_low"),
	STRC("quota_blocked"),
	STRC("parallel_budget_reached"),
};
const struct enum_desc enum_limit_event_kind = { "limit_event_kind", limit_event_kind_words, 5 };

static const struct str wait_for_words[] = {
	{ NULL, 0 },
	STRC("input"),
	STRC("permission"),
	STRC("resource"),
	STRC("dependency"),
	STRC("worker"),
	STRC("resume"),
	STRC("cleanup"),
	STRC("backoff"),
	STRC("rate_limit"),
	STRC("quota"),
	STRC("parallel"),
	STRC("hook"),
};
const struct enum_desc enum_wait_for = { "wait_for", wait_for_words, 13 };

static const struct str run_status_kind_words[] = {
	{ NULL, 0 },
	STRC("interrupt_requested"),
	STRC("model_retry"),
	STRC("rate_wait"),
	STRC("resource_wait"),
	STRC("resume_required"),
	STRC("drain"),
	STRC("long_preparation"),
};
const struct enum_desc enum_run_status_kind = { "run_status_kind", run_status_kind_words, 8 };

static const struct str attempt_cause_words[] = {
	{ NULL, 0 },
	STRC("first_attempt"),
	STRC("crash_recovery"),
	STRC("fallback"),
	STRC("retry_task"),
	STRC("worker_loss"),
	STRC("rerun"),
	STRC("retry_policy"),
};
const struct enum_desc enum_attempt_cause = { "attempt_cause", attempt_cause_words, 8 };

static const struct str backoff_words[] = {
	{ NULL, 0 },
	STRC("immediate"),
	STRC("fixed"),
	STRC("exponential"),
};
const struct enum_desc enum_backoff = { "backoff", backoff_words, 4 };

static const struct str visibility_words[] = {
	{ NULL, 0 },
	STRC("foreground"),
	STRC("background"),
	STRC("internal"),
	STRC("hidden"),
	STRC("unknown"),
};
const struct enum_desc enum_visibility = { "visibility", visibility_words, 6 };

static const struct str edge_kind_words[] = {
	{ NULL, 0 },
	STRC("parent"),
	STRC("child"),
	STRC("blocks"),
	STRC("blocked_by"),
	STRC("source_task"),
	STRC("source_attempt"),
	STRC("spawned_subagent"),
	STRC("spawned_job"),
	STRC("assigned_thread"),
	STRC("produced_artifact"),
	STRC("consumed_artifact"),
	STRC("evidence"),
};
const struct enum_desc enum_edge_kind = { "edge_kind", edge_kind_words, 13 };

static const struct str edge_change_words[] = {
	{ NULL, 0 },
	STRC("linked"),
	STRC("unlinked"),
	STRC("satisfied"),
	STRC("broken"),
};
const struct enum_desc enum_edge_change = { "edge_change", edge_change_words, 5 };

static const struct str worker_kind_words[] = {
	{ NULL, 0 },
	STRC("in_process"),
	STRC("agent"),
	STRC("external"),
	STRC("subagent"),
	STRC("job"),
	STRC("peer"),
};
const struct enum_desc enum_worker_kind = { "worker_kind", worker_kind_words, 7 };

static const struct str actor_kind_words[] = {
	{ NULL, 0 },
	STRC("user"),
	STRC("runtime"),
	STRC("agent"),
	STRC("worker"),
	STRC("channel"),
	STRC("peer"),
	STRC("hook"),
	STRC("policy"),
	STRC("workflow"),
	STRC("system"),
};
const struct enum_desc enum_actor_kind = { "actor_kind", actor_kind_words, 11 };

static const struct str propagation_words[] = {
	{ NULL, 0 },
	STRC("self"),
	STRC("children"),
	STRC("processes"),
	STRC("children_and_processes"),
};
const struct enum_desc enum_propagation = { "propagation", propagation_words, 5 };

static const struct str validation_state_words[] = {
	{ NULL, 0 },
	STRC("passed"),
	STRC("failed"),
	STRC("not_applicable"),
	STRC("unchecked"),
};
const struct enum_desc enum_validation_state = { "validation_state", validation_state_words, 5 };

static const struct str artifact_change_words[] = {
	{ NULL, 0 },
	STRC("created"),
	STRC("updated"),
	STRC("deleted"),
	STRC("observed"),
};
const struct enum_desc enum_artifact_change = { "artifact_change", artifact_change_words, 5 };

static const struct str evidence_change_words[] = {
	{ NULL, 0 },
	STRC("exported"),
	STRC("observed"),
};
const struct enum_desc enum_evidence_change = { "evidence_change", evidence_change_words, 3 };

static const struct str evidence_signal_words[] = {
	{ NULL, 0 },
	STRC("exported"),
	STRC("not_applicable"),
	STRC("unsupported"),
	STRC("not_recorded"),
	STRC("missing_correlation"),
	STRC("unavailable"),
};
const struct enum_desc enum_evidence_signal = { "evidence_signal", evidence_signal_words, 7 };

static const struct str truncation_words[] = {
	{ NULL, 0 },
	STRC("none"),
	STRC("head"),
	STRC("tail"),
	STRC("middle"),
	STRC("head_tail"),
	STRC("tokens"),
};
const struct enum_desc enum_truncation = { "truncation", truncation_words, 7 };

static const struct str truncated_for_words[] = {
	{ NULL, 0 },
	STRC("model"),
	STRC("preview"),
	STRC("event"),
	STRC("hook"),
};
const struct enum_desc enum_truncated_for = { "truncated_for", truncated_for_words, 5 };

static const struct str redaction_words[] = {
	{ NULL, 0 },
	STRC("none"),
	STRC("secret"),
	STRC("policy"),
	STRC("provider_encrypted"),
};
const struct enum_desc enum_redaction = { "redaction", redaction_words, 5 };

static const struct str output_owner_words[] = {
	{ NULL, 0 },
	STRC("tool"),
	STRC("process"),
	STRC("hook"),
	STRC("model"),
	STRC("artifact"),
	STRC("evidence"),
	STRC("turn"),
	STRC("runtime"),
};
const struct enum_desc enum_output_owner = { "output_owner", output_owner_words, 9 };

static const struct str expiry_reason_words[] = {
	{ NULL, 0 },
	STRC("age"),
	STRC("size"),
	STRC("command"),
};
const struct enum_desc enum_expiry_reason = { "expiry_reason", expiry_reason_words, 4 };

static const struct str gap_reason_words[] = {
	{ NULL, 0 },
	STRC("retention"),
	STRC("truncation"),
	STRC("corrupt"),
};
const struct enum_desc enum_gap_reason = { "gap_reason", gap_reason_words, 4 };

static const struct str recovery_mode_words[] = {
	{ NULL, 0 },
	STRC("none"),
	STRC("restart"),
	STRC("compaction"),
	STRC("rollback"),
	STRC("truncation"),
	STRC("retention"),
	STRC("repair"),
	STRC("gap"),
};
const struct enum_desc enum_recovery_mode = { "recovery_mode", recovery_mode_words, 9 };

static const struct str history_layer_words[] = {
	{ NULL, 0 },
	STRC("event_log"),
	STRC("rollout_log"),
	STRC("session_snapshot"),
	STRC("thread_read_model"),
	STRC("context_boundary"),
	STRC("evidence_export"),
};
const struct enum_desc enum_history_layer = { "history_layer", history_layer_words, 7 };

static const struct str history_cause_words[] = {
	{ NULL, 0 },
	STRC("restart"),
	STRC("repair"),
	STRC("failover"),
};
const struct enum_desc enum_history_cause = { "history_cause", history_cause_words, 4 };

static const struct str log_tail_words[] = {
	{ NULL, 0 },
	STRC("intact"),
	STRC("torn"),
};
const struct enum_desc enum_log_tail = { "log_tail", log_tail_words, 3 };

static const struct str window_cause_words[] = {
	{ NULL, 0 },
	STRC("resume"),
	STRC("fork"),
	STRC("channel"),
	STRC("submit"),
	STRC("window"),
};
const struct enum_desc enum_window_cause = { "window_cause", window_cause_words, 6 };

static const struct str compaction_trigger_words[] = {
	{ NULL, 0 },
	STRC("manual"),
	STRC("auto"),
	STRC("memory"),
	STRC("budget"),
	STRC("remote"),
	STRC("system"),
};
const struct enum_desc enum_compaction_trigger = { "compaction_trigger", compaction_trigger_words, 7 };

static const struct str transport_words[] = {
	{ NULL, 0 },
	STRC("websocket"),
	STRC("sse"),
	STRC("json_rpc"),
	STRC("grpc"),
	STRC("http_json"),
	STRC("stdio"),
	STRC("in_process"),
	STRC("custom"),
};
const struct enum_desc enum_transport = { "transport", transport_words, 9 };

static const struct str peer_role_words[] = {
	{ NULL, 0 },
	STRC("client"),
	STRC("host"),
	STRC("worker"),
	STRC("remote_runtime"),
	STRC("peer_agent"),
	STRC("tool_server"),
};
const struct enum_desc enum_peer_role = { "peer_role", peer_role_words, 7 };

static const struct str disconnect_cause_words[] = {
	{ NULL, 0 },
	STRC("closed"),
	STRC("heartbeat_missed"),
	STRC("network"),
	STRC("auth"),
	STRC("shutdown"),
	STRC("lagging"),
};
const struct enum_desc enum_disconnect_cause = { "disconnect_cause", disconnect_cause_words, 7 };

static const struct str delivery_mechanism_words[] = {
	{ NULL, 0 },
	STRC("polling"),
	STRC("streaming"),
	STRC("subscription"),
	STRC("push"),
	STRC("custom"),
};
const struct enum_desc enum_delivery_mechanism = { "delivery_mechanism", delivery_mechanism_words, 6 };

static const struct str subagent_status_kind_words[] = {
	{ NULL, 0 },
	STRC("status"),
	STRC("output"),
	STRC("worktree"),
};
const struct enum_desc enum_subagent_status_kind = { "subagent_status_kind", subagent_status_kind_words, 4 };

static const struct str continuity_words[] = {
	{ NULL, 0 },
	STRC("new"),
	STRC("thread"),
	STRC("resumed"),
};
const struct enum_desc enum_continuity = { "continuity", continuity_words, 4 };

static const struct str isolation_prompt_words[] = {
	{ NULL, 0 },
	STRC("own"),
};
const struct enum_desc enum_isolation_prompt = { "isolation_prompt", isolation_prompt_words, 2 };

static const struct str isolation_workspace_words[] = {
	{ NULL, 0 },
	STRC("shared"),
	STRC("worktree"),
};
const struct enum_desc enum_isolation_workspace = { "isolation_workspace", isolation_workspace_words, 3 };

static const struct str isolation_memory_words[] = {
	{ NULL, 0 },
	STRC("none"),
};
const struct enum_desc enum_isolation_memory = { "isolation_memory", isolation_memory_words, 2 };

static const struct str worktree_state_words[] = {
	{ NULL, 0 },
	STRC("making"),
	STRC("ready"),
	STRC("failed"),
	STRC("kept"),
	STRC("discarding"),
	STRC("removed"),
};
const struct enum_desc enum_worktree_state = { "worktree_state", worktree_state_words, 7 };

static const struct str model_policy_words[] = {
	{ NULL, 0 },
	STRC("inherit"),
	STRC("override"),
};
const struct enum_desc enum_model_policy = { "model_policy", model_policy_words, 3 };

static const struct str trial_role_words[] = {
	{ NULL, 0 },
	STRC("baseline"),
	STRC("candidate"),
	STRC("control"),
};
const struct enum_desc enum_trial_role = { "trial_role", trial_role_words, 4 };

static const struct str context_kind_words[] = {
	{ NULL, 0 },
	STRC("instruction"),
	STRC("memory"),
	STRC("knowledge"),
	STRC("skill"),
	STRC("file"),
	STRC("browser"),
};
const struct enum_desc enum_context_kind = { "context_kind", context_kind_words, 7 };

static const struct str missing_reason_words[] = {
	{ NULL, 0 },
	STRC("not_found"),
	STRC("denied"),
	STRC("too_large"),
	STRC("unreadable"),
	STRC("expired"),
	STRC("omitted_by_budget"),
};
const struct enum_desc enum_missing_reason = { "missing_reason", missing_reason_words, 7 };

static const struct str honesty_words[] = {
	{ NULL, 0 },
	STRC("unknown"),
	STRC("unavailable"),
	STRC("not_applicable"),
	STRC("stale"),
	STRC("blocked"),
	STRC("lost"),
};
const struct enum_desc enum_honesty = { "honesty", honesty_words, 7 };

static const struct str durability_mode_words[] = {
	{ NULL, 0 },
	STRC("full"),
	STRC("relaxed"),
};
const struct enum_desc enum_durability_mode = { "durability_mode", durability_mode_words, 3 };

static const struct str resume_policy_words[] = {
	{ NULL, 0 },
	STRC("ask"),
	STRC("auto"),
};
const struct enum_desc enum_resume_policy = { "resume_policy", resume_policy_words, 3 };

static const struct str no_candidate_policy_words[] = {
	{ NULL, 0 },
	STRC("fail"),
	STRC("wait"),
};
const struct enum_desc enum_no_candidate_policy = { "no_candidate_policy", no_candidate_policy_words, 3 };

static const struct str log_verbosity_words[] = {
	{ NULL, 0 },
	STRC("error"),
	STRC("warn"),
	STRC("info"),
	STRC("debug"),
};
const struct enum_desc enum_log_verbosity = { "log_verbosity", log_verbosity_words, 5 };

static const struct str log_style_words[] = {
	{ NULL, 0 },
	STRC("text"),
	STRC("json"),
};
const struct enum_desc enum_log_style = { "log_style", log_style_words, 3 };

static const struct str event_form_words[] = {
	{ NULL, 0 },
	STRC("agent_ui"),
	STRC("agent_policy"),
};
const struct enum_desc enum_event_form = { "event_form", event_form_words, 3 };

static const struct str policy_event_words[] = {
	{ NULL, 0 },
	STRC("policy.decision.created"),
	STRC("policy.decision.updated"),
	STRC("policy.approval.requested"),
	STRC("policy.approval.responded"),
	STRC("policy.grant.issued"),
	STRC("policy.grant.revoked"),
	STRC("policy.waiver.created"),
	STRC("policy.trace.linked"),
};
const struct enum_desc enum_policy_event = { "policy_event", policy_event_words, 9 };

static const struct str ui_type_words[] = {
	{ NULL, 0 },
	STRC("session.opened"),
	STRC("session.hydrated"),
	STRC("session.updated"),
	STRC("session.closed"),
	STRC("run.started"),
	STRC("run.status"),
	STRC("run.finished"),
	STRC("run.failed"),
	STRC("plan.delta"),
	STRC("plan.final"),
	STRC("text.delta"),
	STRC("text.final"),
	STRC("reasoning.delta"),
	STRC("reasoning.summary"),
	STRC("tool.started"),
	STRC("tool.args"),
	STRC("tool.progress"),
	STRC("tool.output.delta"),
	STRC("tool.result"),
	STRC("tool.failed"),
	STRC("action.required"),
	STRC("action.resolved"),
	STRC("queue.changed"),
	STRC("task.changed"),
	STRC("agent.changed"),
	STRC("context.changed"),
	STRC("context.compaction.started"),
	STRC("context.compaction.completed"),
	STRC("permission.changed"),
	STRC("artifact.created"),
	STRC("artifact.updated"),
	STRC("artifact.preview.ready"),
	STRC("artifact.version.created"),
	STRC("artifact.diff.ready"),
	STRC("artifact.export.started"),
	STRC("artifact.export.completed"),
	STRC("artifact.failed"),
	STRC("artifact.deleted"),
	STRC("artifact.changed"),
	STRC("evidence.changed"),
	STRC("state.snapshot"),
	STRC("state.delta"),
	STRC("messages.snapshot"),
	STRC("diagnostic.changed"),
	STRC("metric.changed"),
	STRC("agent.spawned"),
	STRC("agent.completed"),
	STRC("agent.handoff"),
	STRC("team.changed"),
	STRC("worker.notification"),
	STRC("review.requested"),
	STRC("review.completed"),
};
const struct enum_desc enum_ui_type = { "ui_type", ui_type_words, 53 };

static const struct str ui_owner_words[] = {
	{ NULL, 0 },
	STRC("runtime"),
	STRC("model"),
	STRC("tool"),
	STRC("action"),
	STRC("artifact"),
	STRC("evidence"),
	STRC("context"),
	STRC("policy"),
	STRC("task"),
	STRC("session"),
	STRC("diagnostics"),
	STRC("ui_projection"),
	STRC("unknown"),
	STRC("agent"),
	STRC("team"),
};
const struct enum_desc enum_ui_owner = { "ui_owner", ui_owner_words, 16 };

static const struct str ui_scope_words[] = {
	{ NULL, 0 },
	STRC("application"),
	STRC("workspace"),
	STRC("session"),
	STRC("thread"),
	STRC("run"),
	STRC("turn"),
	STRC("message"),
	STRC("part"),
	STRC("task"),
	STRC("agent"),
	STRC("tool_call"),
	STRC("action_request"),
	STRC("artifact"),
	STRC("evidence"),
	STRC("unknown"),
	STRC("team"),
};
const struct enum_desc enum_ui_scope = { "ui_scope", ui_scope_words, 17 };

static const struct str ui_phase_words[] = {
	{ NULL, 0 },
	STRC("draft"),
	STRC("submitted"),
	STRC("accepted"),
	STRC("routing"),
	STRC("preparing"),
	STRC("planning"),
	STRC("reasoning"),
	STRC("acting"),
	STRC("waiting"),
	STRC("producing"),
	STRC("reconciling"),
	STRC("completed"),
	STRC("failed"),
	STRC("cancelled"),
	STRC("interrupted"),
	STRC("archived"),
	STRC("hydrating"),
	STRC("unknown"),
	STRC("reviewing"),
};
const struct enum_desc enum_ui_phase = { "ui_phase", ui_phase_words, 20 };

static const struct str ui_surface_words[] = {
	{ NULL, 0 },
	STRC("composer"),
	STRC("conversation"),
	STRC("inline_process"),
	STRC("runtime_status"),
	STRC("tool_ui"),
	STRC("hitl"),
	STRC("task_capsule"),
	STRC("artifact_workspace"),
	STRC("timeline_evidence"),
	STRC("session_tabs"),
	STRC("diagnostics"),
	STRC("custom"),
	STRC("unknown"),
	STRC("team_roster"),
	STRC("work_board"),
	STRC("delegation_graph"),
	STRC("handoff_lane"),
	STRC("worker_notifications"),
	STRC("review_lane"),
	STRC("teammate_transcript"),
	STRC("background_teammate"),
	STRC("remote_teammate"),
	STRC("team_policy"),
};
const struct enum_desc enum_ui_surface = { "ui_surface", ui_surface_words, 24 };

static const struct str ui_persistence_words[] = {
	{ NULL, 0 },
	STRC("ephemeral_live"),
	STRC("transcript"),
	STRC("snapshot"),
	STRC("archive"),
	STRC("artifact_store"),
	STRC("evidence_pack"),
	STRC("diagnostics_log"),
	STRC("ui_local"),
	STRC("unknown"),
};
const struct enum_desc enum_ui_persistence = { "ui_persistence", ui_persistence_words, 10 };

static const struct str ui_control_words[] = {
	{ NULL, 0 },
	STRC("send"),
	STRC("queue"),
	STRC("steer"),
	STRC("interrupt"),
	STRC("approve"),
	STRC("reject"),
	STRC("answer"),
	STRC("edit"),
	STRC("retry"),
	STRC("rollback"),
	STRC("export"),
	STRC("open_detail"),
	STRC("none"),
	STRC("unknown"),
	STRC("delegate"),
	STRC("assign"),
	STRC("continue_agent"),
	STRC("wait"),
	STRC("stop"),
	STRC("close"),
	STRC("request_review"),
};
const struct enum_desc enum_ui_control = { "ui_control", ui_control_words, 22 };

static const struct str ui_entity_words[] = {
	{ NULL, 0 },
	STRC("agent_turn"),
	STRC("subagent_turn"),
	STRC("automation_job"),
	STRC("external_task"),
	STRC("work_item"),
	STRC("unknown"),
};
const struct enum_desc enum_ui_entity = { "ui_entity", ui_entity_words, 7 };

static const struct str ui_status_words[] = {
	{ NULL, 0 },
	STRC("idle"),
	STRC("queued"),
	STRC("submitted"),
	STRC("accepted"),
	STRC("preparing"),
	STRC("running"),
	STRC("waiting"),
	STRC("needs_input"),
	STRC("plan_ready"),
	STRC("completed"),
	STRC("failed"),
	STRC("aborted"),
	STRC("cancelled"),
	STRC("closed"),
	STRC("not_found"),
	STRC("unknown"),
};
const struct enum_desc enum_ui_status = { "ui_status", ui_status_words, 17 };

static const struct str ui_artifact_status_words[] = {
	{ NULL, 0 },
	STRC("creating"),
	STRC("ready"),
	STRC("updating"),
	STRC("failed"),
	STRC("stale"),
	STRC("superseded"),
	STRC("deleted"),
	STRC("unknown"),
};
const struct enum_desc enum_ui_artifact_status = { "ui_artifact_status", ui_artifact_status_words, 9 };

static const struct str problem_category_words[] = {
	{ NULL, 0 },
	STRC("request"),
	STRC("auth"),
	STRC("not_found"),
	STRC("conflict"),
	STRC("limit"),
	STRC("capacity"),
	STRC("store"),
	STRC("internal"),
};
const struct enum_desc enum_problem_category = { "problem_category", problem_category_words, 9 };

static const struct str turn_stage_words[] = {
	{ NULL, 0 },
	STRC("accepted"),
	STRC("queued"),
	STRC("preparing"),
	STRC("sampling"),
	STRC("acting"),
	STRC("waiting"),
	STRC("backing_off"),
	STRC("stopping"),
	STRC("lost"),
	STRC("ended"),
	STRC("merging"),
	STRC("finishing"),
	STRC("failing"),
	STRC("compacting"),
};
const struct enum_desc enum_turn_stage = { "turn_stage", turn_stage_words, 15 };

static const struct str event_type_words[] = {
	{ NULL, 0 },
	STRC("session.created"),
	STRC("session.updated"),
	STRC("thread.started"),
	STRC("thread.updated"),
	STRC("turn.submitted"),
	STRC("turn.started"),
	STRC("turn.completed"),
	STRC("turn.failed"),
	STRC("task.created"),
	STRC("task.accepted"),
	STRC("task.queued"),
	STRC("task.started"),
	STRC("task.updated"),
	STRC("task.progress"),
	STRC("task.waiting"),
	STRC("task.blocked"),
	STRC("task.paused"),
	STRC("task.resumed"),
	STRC("task.retrying"),
	STRC("task.cancel_requested"),
	STRC("task.cancelled"),
	STRC("task.timed_out"),
	STRC("task.failed"),
	STRC("task.lost"),
	STRC("task.completed"),
	STRC("task.archived"),
	STRC("run.status"),
	STRC("model.requested"),
	STRC("model.delta"),
	STRC("model.completed"),
	STRC("model.failed"),
	STRC("reasoning.delta"),
	STRC("reasoning.summary"),
	STRC("tool.catalog.resolved"),
	STRC("tool.started"),
	STRC("tool.args"),
	STRC("tool.progress"),
	STRC("tool.result"),
	STRC("tool.failed"),
	STRC("action.required"),
	STRC("action.resolved"),
	STRC("queue.changed"),
	STRC("context.resolved"),
	STRC("context.compaction.started"),
	STRC("context.compaction.completed"),
	STRC("context.compaction.failed"),
	STRC("artifact.changed"),
	STRC("evidence.changed"),
	STRC("subagent.spawned"),
	STRC("subagent.status"),
	STRC("subagent.input"),
	STRC("subagent.completed"),
	STRC("subagent.failed"),
	STRC("subagent.closed"),
	STRC("limit.changed"),
	STRC("snapshot.updated"),
	STRC("runtime.warning"),
	STRC("runtime.error"),
	STRC("permission.evaluated"),
	STRC("permission.requested"),
	STRC("permission.resolved"),
	STRC("sandbox.applied"),
	STRC("sandbox.violation"),
	STRC("hook.started"),
	STRC("hook.completed"),
	STRC("hook.failed"),
	STRC("policy.changed"),
	STRC("process.started"),
	STRC("process.output"),
	STRC("process.input"),
	STRC("process.completed"),
	STRC("process.failed"),
	STRC("process.terminated"),
	STRC("task.profile.resolved"),
	STRC("routing.candidates.resolved"),
	STRC("routing.decided"),
	STRC("routing.fallback.applied"),
	STRC("routing.not_possible"),
	STRC("routing.single_candidate"),
	STRC("task.delegated"),
	STRC("task.dependency.updated"),
	STRC("task.attempt.started"),
	STRC("task.attempt.completed"),
	STRC("task.attempt.failed"),
	STRC("cost.estimated"),
	STRC("cost.recorded"),
	STRC("rate_limit.hit"),
	STRC("quota.low"),
	STRC("quota.blocked"),
	STRC("channel.connected"),
	STRC("channel.disconnected"),
	STRC("channel.resumed"),
	STRC("channel.message"),
	STRC("channel.permission_forwarded"),
	STRC("channel.permission_returned"),
	STRC("job.created"),
	STRC("job.started"),
	STRC("job.progress"),
	STRC("job.item.started"),
	STRC("job.item.completed"),
	STRC("job.item.failed"),
	STRC("job.completed"),
	STRC("job.failed"),
	STRC("job.cancelled"),
	STRC("output.spilled"),
	STRC("output.truncated"),
	STRC("output.redacted"),
	STRC("output.expired"),
	STRC("history.window.loaded"),
	STRC("history.reconstructed"),
	STRC("history.rollback.started"),
	STRC("history.rollback.completed"),
	STRC("snapshot.repaired"),
	STRC("benchmark.dataset.resolved"),
	STRC("benchmark.configuration.resolved"),
	STRC("benchmark.trial.started"),
	STRC("benchmark.trial.completed"),
	STRC("benchmark.trial.failed"),
	STRC("benchmark.reward.recorded"),
	STRC("benchmark.comparison.completed"),
};
const struct enum_desc enum_event_type = { "event_type", event_type_words, 121 };

static const struct str error_code_words[] = {
	{ NULL, 0 },
	STRC("invalid_request"),
	STRC("invalid_json"),
	STRC("unknown_field"),
	STRC("missing_field"),
	STRC("invalid_type"),
	STRC("invalid_value"),
	STRC("invalid_id"),
	STRC("reserved_id"),
	STRC("too_large"),
	STRC("invalid_decision"),
	STRC("invalid_answer"),
	STRC("invalid_input"),
	STRC("unknown_command"),
	STRC("unavailable"),
	STRC("unauthorized"),
	STRC("forbidden"),
	STRC("host_not_allowed"),
	STRC("origin_not_allowed"),
	STRC("method_not_allowed"),
	STRC("not_acceptable"),
	STRC("payload_too_large"),
	STRC("unsupported_media_type"),
	STRC("header_too_large"),
	STRC("not_found"),
	STRC("session_not_found"),
	STRC("thread_not_found"),
	STRC("turn_not_found"),
	STRC("queued_turn_not_found"),
	STRC("task_not_found"),
	STRC("action_not_found"),
	STRC("grant_not_found"),
	STRC("tool_server_not_found"),
	STRC("output_not_found"),
	STRC("process_not_found"),
	STRC("subagent_not_found"),
	STRC("job_not_found"),
	STRC("job_item_not_found"),
	STRC("schedule_not_found"),
	STRC("channel_not_found"),
	STRC("subscription_not_found"),
	STRC("trial_not_found"),
	STRC("edge_not_found"),
	STRC("idempotency_conflict"),
	STRC("id_conflict"),
	STRC("already_resolved"),
	STRC("already_ended"),
	STRC("not_retryable"),
	STRC("not_resumable"),
	STRC("not_interruptible"),
	STRC("not_ready"),
	STRC("acceptance_unmet"),
	STRC("thread_busy"),
	STRC("turn_active"),
	STRC("turn_mismatch"),
	STRC("compaction_active"),
	STRC("nothing_to_do"),
	STRC("version_mismatch"),
	STRC("stale_run"),
	STRC("cycle"),
	STRC("cross_session_link"),
	STRC("cancelling"),
	STRC("stdin_closed"),
	STRC("trial_mismatch"),
	STRC("expired_cursor"),
	STRC("output_missing"),
	STRC("expired"),
	STRC("range_not_satisfiable"),
	STRC("queue_full"),
	STRC("too_many_open"),
	STRC("rate_limited"),
	STRC("budget_exhausted"),
	STRC("overloaded"),
	STRC("shutting_down"),
	STRC("session_moved"),
	STRC("timeout"),
	STRC("store_failed"),
	STRC("session_unreadable"),
	STRC("rebuilding"),
	STRC("storage_full"),
	STRC("internal"),
};
const struct enum_desc enum_error_code = { "error_code", error_code_words, 81 };

static const struct str gate_kind_words[] = {
	{ NULL, 0 },
	STRC("session"),
	STRC("thread"),
	STRC("turn"),
	STRC("task"),
	STRC("run"),
	STRC("step"),
	STRC("tool"),
	STRC("permit"),
	STRC("cage"),
	STRC("process"),
	STRC("mreq"),
	STRC("hook"),
	STRC("action"),
	STRC("queue"),
	STRC("output"),
	STRC("channel"),
	STRC("subagent"),
	STRC("job"),
	STRC("item"),
	STRC("compaction"),
	STRC("rollback"),
	STRC("trial"),
};
const struct enum_desc enum_gate_kind = { "gate_kind", gate_kind_words, 23 };

static const struct str scope_words[] = {
	{ NULL, 0 },
	STRC("read"),
	STRC("write"),
	STRC("approve"),
	STRC("admin"),
};
const struct enum_desc enum_scope = { "scope", scope_words, 5 };

const struct error_info error_infos[] = {
	{ .http = 500, .jsonrpc = -32603 },
	{ STRC("invalid_request"), STRC("request"), STRC("The request is malformed."), 400, -32600, false },
	{ STRC("invalid_json"), STRC("request"), STRC("The body is not well-formed JSON."), 400, -32700, false },
	{ STRC("unknown_field"), STRC("request"), STRC("The request has a field that this command does not accept."), 400, -32602, false },
	{ STRC("missing_field"), STRC("request"), STRC("A required field of this command is missing."), 400, -32602, false },
	{ STRC("invalid_type"), STRC("request"), STRC("A field has a value of the wrong type."), 400, -32602, false },
	{ STRC("invalid_value"), STRC("request"), STRC("A field has a value that is not allowed."), 400, -32602, false },
	{ STRC("invalid_id"), STRC("request"), STRC("An id has an invalid format."), 400, -32602, false },
	{ STRC("reserved_id"), STRC("request"), STRC("This id is reserved for the runtime."), 400, -32602, false },
	{ STRC("too_large"), STRC("request"), STRC("A field is longer than its limit."), 413, -32602, false },
	{ STRC("invalid_decision"), STRC("request"), STRC("The action does not offer this decision or scope."), 422, -32602, false },
	{ STRC("invalid_answer"), STRC("request"), STRC("The answer does not satisfy the action's schema."), 422, -32602, false },
	{ STRC("invalid_input"), STRC("request"), STRC("The input holds a part that cannot be used."), 422, -32602, false },
	{ STRC("unknown_command"), STRC("request"), STRC("No command has this name."), 404, -32601, false },
	{ STRC("unavailable"), STRC("request"), STRC("The command or its target is not available."), 501, -32051, false },
	{ STRC("unauthorized"), STRC("auth"), STRC("The request has no valid token."), 401, -32001, false },
	{ STRC("forbidden"), STRC("auth"), STRC("The caller is not allowed to do this."), 403, -32003, false },
	{ STRC("host_not_allowed"), STRC("auth"), STRC("The Host header names an address this runtime does not serve."), 421, -32003, false },
	{ STRC("origin_not_allowed"), STRC("auth"), STRC("The Origin of this request is not on the allow list."), 403, -32003, false },
	{ STRC("method_not_allowed"), STRC("request"), STRC("This path does not support this method."), 405, -32600, false },
	{ STRC("not_acceptable"), STRC("request"), STRC("None of the requested media types is available."), 406, -32600, false },
	{ STRC("payload_too_large"), STRC("limit"), STRC("The body is larger than the limit."), 413, -32013, false },
	{ STRC("unsupported_media_type"), STRC("request"), STRC("Bodies must be application/json."), 415, -32600, false },
	{ STRC("header_too_large"), STRC("limit"), STRC("The request head is larger than the limit."), 431, -32013, false },
	{ STRC("not_found"), STRC("not_found"), STRC("Nothing exists under this name."), 404, -32004, false },
	{ STRC("session_not_found"), STRC("not_found"), STRC("No session has this id."), 404, -32004, false },
	{ STRC("thread_not_found"), STRC("not_found"), STRC("The session has no thread with this id."), 404, -32004, false },
	{ STRC("turn_not_found"), STRC("not_found"), STRC("The thread has no turn with this id."), 404, -32004, false },
	{ STRC("queued_turn_not_found"), STRC("not_found"), STRC("No queued turn has this id."), 404, -32004, false },
	{ STRC("task_not_found"), STRC("not_found"), STRC("No task has this id."), 404, -32004, false },
	{ STRC("action_not_found"), STRC("not_found"), STRC("No action has this id."), 404, -32004, false },
	{ STRC("grant_not_found"), STRC("not_found"), STRC("No grant has this id."), 404, -32004, false },
	{ STRC("tool_server_not_found"), STRC("not_found"), STRC("No tool server has this name."), 404, -32004, false },
	{ STRC("output_not_found"), STRC("not_found"), STRC("No output has this ref."), 404, -32004, false },
	{ STRC("process_not_found"), STRC("not_found"), STRC("The runtime does not know this process."), 404, -32004, false },
	{ STRC("subagent_not_found"), STRC("not_found"), STRC("No child agent has this id."), 404, -32004, false },
	{ STRC("job_not_found"), STRC("not_found"), STRC("No job has this id."), 404, -32004, false },
	{ STRC("job_item_not_found"), STRC("not_found"), STRC("The job has no item with this id."), 404, -32004, false },
	{ STRC("schedule_not_found"), STRC("not_found"), STRC("No schedule has this id."), 404, -32004, false },
	{ STRC("channel_not_found"), STRC("not_found"), STRC("No channel has this id."), 404, -32004, false },
	{ STRC("subscription_not_found"), STRC("not_found"), STRC("No subscription has this id."), 404, -32004, false },
	{ STRC("trial_not_found"), STRC("not_found"), STRC("No trial has this id."), 404, -32004, false },
	{ STRC("edge_not_found"), STRC("not_found"), STRC("The two tasks are not linked in this way."), 404, -32004, false },
	{ STRC("idempotency_conflict"), STRC("conflict"), STRC("This key was used before with another body."), 409, -32009, false },
	{ STRC("id_conflict"), STRC("conflict"), STRC("This id is already in use."), 409, -32009, false },
	{ STRC("already_resolved"), STRC("conflict"), STRC("The action was answered before; the first answer stands."), 409, -32009, false },
	{ STRC("already_ended"), STRC("conflict"), STRC("It has ended; the reply names the final status."), 409, -32009, false },
	{ STRC("not_retryable"), STRC("conflict"), STRC("A completed task is not opened again."), 409, -32009, false },
	{ STRC("not_resumable"), STRC("conflict"), STRC("Nothing waits to be resumed here."), 409, -32009, false },
	{ STRC("not_interruptible"), STRC("conflict"), STRC("What runs here cannot be interrupted."), 409, -32009, false },
	{ STRC("not_ready"), STRC("conflict"), STRC("A dependency has not completed."), 409, -32009, false },
	{ STRC("acceptance_unmet"), STRC("conflict"), STRC("Criteria, artifacts or evidence required for completion are missing."), 409, -32009, false },
	{ STRC("thread_busy"), STRC("conflict"), STRC("A turn is active and the queue policy accepts no more."), 409, -32009, false },
	{ STRC("turn_active"), STRC("conflict"), STRC("A turn is active; interrupt it first, or set the option that interrupts it."), 409, -32009, false },
	{ STRC("turn_mismatch"), STRC("conflict"), STRC("The active turn is not the expected one."), 409, -32009, false },
	{ STRC("compaction_active"), STRC("conflict"), STRC("The thread is being compacted."), 409, -32009, true },
	{ STRC("nothing_to_do"), STRC("conflict"), STRC("There is nothing to act on."), 409, -32009, false },
	{ STRC("version_mismatch"), STRC("conflict"), STRC("The object has changed since the version that the caller expects."), 409, -32009, false },
	{ STRC("stale_run"), STRC("conflict"), STRC("The named run is no longer the current one; reports of an old run are refused."), 409, -32009, false },
	{ STRC("cycle"), STRC("conflict"), STRC("The edge would create a cycle of dependencies."), 409, -32009, false },
	{ STRC("cross_session_link"), STRC("conflict"), STRC("Tasks of different sessions cannot block each other."), 409, -32009, false },
	{ STRC("cancelling"), STRC("conflict"), STRC("The task is being cancelled and accepts no new work."), 409, -32009, false },
	{ STRC("stdin_closed"), STRC("conflict"), STRC("The standard input of the process is closed."), 409, -32009, false },
	{ STRC("trial_mismatch"), STRC("conflict"), STRC("The two sides differ in dataset or verifier."), 409, -32009, false },
	{ STRC("expired_cursor"), STRC("conflict"), STRC("The cursor is below the oldest stored event."), 410, -32010, false },
	{ STRC("output_missing"), STRC("not_found"), STRC("The output is recorded, but its file is missing."), 410, -32010, false },
	{ STRC("expired"), STRC("conflict"), STRC("It has expired."), 410, -32010, false },
	{ STRC("range_not_satisfiable"), STRC("request"), STRC("The range is outside the output."), 416, -32602, false },
	{ STRC("queue_full"), STRC("limit"), STRC("The queue of this thread is full."), 429, -32029, true },
	{ STRC("too_many_open"), STRC("limit"), STRC("The session has reached its limit of open objects."), 429, -32029, true },
	{ STRC("rate_limited"), STRC("limit"), STRC("Too many requests in too short a time."), 429, -32029, true },
	{ STRC("budget_exhausted"), STRC("limit"), STRC("A cap on cost leaves nothing to spend."), 402, -32002, false },
	{ STRC("overloaded"), STRC("capacity"), STRC("Too much data waits to be written; try again."), 503, -32053, true },
	{ STRC("shutting_down"), STRC("capacity"), STRC("The runtime is stopping."), 503, -32053, true },
	{ STRC("session_moved"), STRC("capacity"), STRC("Another node owns the session now; try again."), 503, -32053, true },
	{ STRC("timeout"), STRC("capacity"), STRC("The answer did not come in time."), 504, -32054, true },
	{ STRC("store_failed"), STRC("store"), STRC("The store could not be written; nothing was changed."), 503, -32053, true },
	{ STRC("session_unreadable"), STRC("store"), STRC("Stored data cannot be read; other sessions are not affected."), 503, -32053, true },
	{ STRC("rebuilding"), STRC("store"), STRC("Derived data is being rebuilt; try again."), 503, -32053, true },
	{ STRC("storage_full"), STRC("store"), STRC("The disk is full; reading still works."), 507, -32057, true },
	{ STRC("internal"), STRC("internal"), STRC("An invariant does not hold; the operator's log has details."), 500, -32603, false },
};

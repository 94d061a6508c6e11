/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef CATALOG_GEN_RECORDS_H
#define CATALOG_GEN_RECORDS_H
#include "catalog/gen/vocab.h"

/*
 * What the folded state points to is const, so that only folds can change it:
 * they include core/fold_part.h before anything else.
 */
#ifdef FOLDS_STATE
#define STATE_CONST
#else
#define STATE_CONST const
#endif

struct rec_item;
struct rec_command_fact;
struct rec_device;
struct rec_actor;
struct rec_ref_entry;
struct rec_last_error;
struct rec_retry_policy;
struct rec_criterion;
struct rec_acceptance_count;
struct rec_task_acceptance;
struct rec_constraints;
struct rec_counters;
struct rec_task_progress;
struct rec_artifact_ref;
struct rec_task_scope;
struct rec_remote_task;
struct rec_delivery;
struct rec_log_anchor;
struct rec_runtime_run;
struct rec_delivery_state;
struct rec_worker;
struct rec_task_attempt;
struct rec_task_relationship;
struct rec_task_graph;
struct rec_task_profile;
struct rec_task;
struct rec_task_why;
struct rec_blocker;
struct rec_resume_cause;
struct rec_reconciled;
struct rec_wait;
struct rec_thing;
struct rec_impact;
struct rec_subcommand;
struct rec_path_check;
struct rec_policy_record;
struct rec_permission_decision;
struct rec_decision_option;
struct rec_action_scope;
struct rec_action_policy;
struct rec_grant_match;
struct rec_network_profile;
struct rec_reached_host;
struct rec_process_limits;
struct rec_sandbox_override;
struct rec_sandbox_profile;
struct rec_resource_limits;
struct rec_execution_environment;
struct rec_price;
struct rec_candidate;
struct rec_exclusion;
struct rec_gaps;
struct rec_candidate_model_set;
struct rec_chain_entry;
struct rec_limit_part;
struct rec_budget;
struct rec_limit_state;
struct rec_routing_decision;
struct rec_limit_event;
struct rec_limit_value;
struct rec_tokens;
struct rec_usage;
struct rec_cost_state;
struct rec_reservation;
struct rec_overrun;
struct rec_model_name;
struct rec_text_summary;
struct rec_hook_run;
struct rec_channel;
struct rec_permission_subject;
struct rec_preview;
struct rec_output;
struct rec_history_boundary;
struct rec_lost_thing;
struct rec_missing_ref;
struct rec_history_range;
struct rec_context_item;
struct rec_context_ref;
struct rec_context_budget;
struct rec_inventory_tool;
struct rec_input_part;
struct rec_submit_options;
struct rec_turn_options;
struct rec_queue_rules;
struct rec_last_outcome;
struct rec_fork_point;
struct rec_compaction;
struct rec_token_change;
struct rec_preserved;
struct rec_rollback_effects;
struct rec_isolation;
struct rec_subagent;
struct rec_job_counts;
struct rec_job;
struct rec_job_item;
struct rec_telemetry;
struct rec_correlation;
struct rec_benchmark;
struct rec_trajectory;
struct rec_reward;
struct rec_comparison;
struct rec_verification;
struct rec_grant;
struct rec_rule_row;
struct rec_schedule;
struct rec_gap;
struct rec_bad_row;
struct rec_recovery_progress;
struct rec_session_row;
struct rec_provider_limit;
struct rec_hook_row;
struct rec_tool_server;
struct rec_model_row;
struct rec_thread_row;
struct rec_step_view;
struct rec_turn_permission_view;
struct rec_output_row;
struct rec_process_view;
struct rec_turn_view;
struct rec_action_view;
struct rec_queue_view;
struct rec_queued_turn_view;
struct rec_tool_call_view;
struct rec_decision_counts;
struct rec_permission_state;
struct rec_sandbox_state;
struct rec_model_routing;
struct rec_incident;
struct rec_context_boundary;
struct rec_history_window;
struct rec_past_turn;
struct rec_thread_history;
struct rec_diagnostics;
struct rec_evidence_summary;
struct rec_thread_telemetry;
struct rec_blocked_task;
struct rec_task_summary;
struct rec_account;
struct rec_telemetry_summary;
struct rec_output_summary;
struct rec_history_summary;
struct rec_artifact_version;
struct rec_artifact_validation;
struct rec_validation_counts;
struct rec_artifact_row;
struct rec_trial_row;
struct rec_subagent_job_section;
struct rec_channel_section;
struct rec_benchmark_section;
struct rec_todo_item;
struct rec_thread_view;
struct rec_session_view;
struct st_open;
struct st_session;
struct st_thread;
struct st_mark;
struct st_history;
struct st_compaction;
struct st_compaction_run;
struct st_rollback_run;
struct st_incident;
struct st_step;
struct st_turn;
struct st_call;
struct st_expiring;
struct st_hook;
struct st_process;
struct st_action;
struct st_task;
struct st_delivery;
struct st_schedule;
struct st_subagent;
struct st_job;
struct st_job_item;
struct st_provider_limit;
struct st_channel;
struct st_grant;
struct st_artifact;
struct event;
struct ev_action_required;
struct ev_action_resolved;
struct ev_artifact_changed;
struct ev_benchmark_dataset_resolved;
struct ev_benchmark_configuration_resolved;
struct ev_benchmark_trial_started;
struct ev_benchmark_trial_completed;
struct ev_benchmark_trial_failed;
struct ev_benchmark_reward_recorded;
struct ev_benchmark_comparison_completed;
struct ev_channel_connected;
struct ev_channel_disconnected;
struct ev_channel_resumed;
struct ev_channel_message;
struct ev_channel_permission_forwarded;
struct ev_channel_permission_returned;
struct ev_context_resolved;
struct ev_context_compaction_started;
struct ev_context_compaction_completed;
struct ev_context_compaction_failed;
struct ev_cost_estimated;
struct ev_cost_recorded;
struct ev_evidence_changed;
struct ev_history_window_loaded;
struct ev_history_reconstructed;
struct ev_history_rollback_started;
struct ev_history_rollback_completed;
struct ev_hook_started;
struct ev_hook_completed;
struct ev_hook_failed;
struct ev_job_created;
struct ev_job_started;
struct ev_job_progress;
struct ev_job_item_started;
struct ev_job_item_completed;
struct ev_job_item_failed;
struct ev_job_completed;
struct ev_job_failed;
struct ev_job_cancelled;
struct ev_limit_changed;
struct ev_model_requested;
struct ev_model_delta;
struct ev_model_completed;
struct ev_model_failed;
struct ev_output_spilled;
struct ev_output_truncated;
struct ev_output_redacted;
struct ev_output_expired;
struct ev_permission_evaluated;
struct ev_permission_requested;
struct ev_permission_resolved;
struct ev_policy_changed;
struct ev_process_started;
struct ev_process_output;
struct ev_process_input;
struct ev_process_completed;
struct ev_process_failed;
struct ev_process_terminated;
struct ev_queue_changed;
struct ev_rate_limit_hit;
struct ev_quota_low;
struct ev_quota_blocked;
struct ev_reasoning_delta;
struct ev_reasoning_summary;
struct ev_routing_candidates_resolved;
struct ev_routing_decided;
struct ev_routing_fallback_applied;
struct ev_routing_not_possible;
struct ev_routing_single_candidate;
struct ev_run_status;
struct ev_runtime_warning;
struct ev_runtime_error;
struct ev_sandbox_applied;
struct ev_sandbox_violation;
struct ev_session_created;
struct ev_session_updated;
struct ev_snapshot_updated;
struct ev_snapshot_repaired;
struct ev_subagent_spawned;
struct ev_subagent_status;
struct ev_subagent_input;
struct ev_subagent_completed;
struct ev_subagent_failed;
struct ev_subagent_closed;
struct ev_task_created;
struct ev_task_accepted;
struct ev_task_queued;
struct ev_task_started;
struct ev_task_updated;
struct ev_task_progress;
struct ev_task_waiting;
struct ev_task_blocked;
struct ev_task_paused;
struct ev_task_resumed;
struct ev_task_retrying;
struct ev_task_cancel_requested;
struct ev_task_cancelled;
struct ev_task_timed_out;
struct ev_task_failed;
struct ev_task_lost;
struct ev_task_completed;
struct ev_task_archived;
struct ev_task_profile_resolved;
struct ev_task_delegated;
struct ev_task_dependency_updated;
struct ev_task_attempt_started;
struct ev_task_attempt_completed;
struct ev_task_attempt_failed;
struct ev_thread_started;
struct ev_thread_updated;
struct ev_tool_catalog_resolved;
struct ev_tool_started;
struct ev_tool_args;
struct ev_tool_progress;
struct ev_tool_result;
struct ev_tool_failed;
struct ev_turn_submitted;
struct ev_turn_started;
struct ev_turn_completed;
struct ev_turn_failed;
struct cmd_respond_action;
struct reply_respond_action;
struct cmd_list_actions;
struct reply_list_actions;
struct cmd_start_benchmark_trial;
struct reply_start_benchmark_trial;
struct cmd_record_benchmark_reward;
struct reply_record_benchmark_reward;
struct cmd_export_benchmark_trial;
struct reply_export_benchmark_trial;
struct cmd_compare_benchmark_runs;
struct reply_compare_benchmark_runs;
struct cmd_reconnect_channel;
struct reply_reconnect_channel;
struct cmd_ack_events;
struct reply_ack_events;
struct cmd_list_channels;
struct reply_list_channels;
struct cmd_export_evidence;
struct reply_export_evidence;
struct cmd_export_replay;
struct reply_export_replay;
struct cmd_export_review;
struct reply_export_review;
struct cmd_create_job;
struct reply_create_job;
struct cmd_get_job;
struct reply_get_job;
struct cmd_list_jobs;
struct reply_list_jobs;
struct cmd_start_job;
struct reply_start_job;
struct cmd_heartbeat_job_item;
struct reply_heartbeat_job_item;
struct cmd_cancel_job;
struct reply_cancel_job;
struct cmd_list_job_items;
struct reply_list_job_items;
struct cmd_retry_job_item;
struct reply_retry_job_item;
struct cmd_assign_job_item;
struct reply_assign_job_item;
struct cmd_report_job_item;
struct reply_report_job_item;
struct cmd_create_schedule;
struct reply_create_schedule;
struct cmd_list_schedules;
struct reply_list_schedules;
struct cmd_pause_schedule;
struct reply_pause_schedule;
struct cmd_resume_schedule;
struct reply_resume_schedule;
struct cmd_delete_schedule;
struct reply_delete_schedule;
struct cmd_evaluate_permission;
struct reply_evaluate_permission;
struct cmd_resolve_permission;
struct reply_resolve_permission;
struct cmd_list_grants;
struct reply_list_grants;
struct cmd_list_rules;
struct reply_list_rules;
struct cmd_revoke_grant;
struct reply_revoke_grant;
struct cmd_trust_hooks;
struct reply_trust_hooks;
struct cmd_trust_tool_server;
struct reply_trust_tool_server;
struct cmd_set_policy;
struct reply_set_policy;
struct cmd_set_mode;
struct reply_set_mode;
struct cmd_get_execution_environment;
struct reply_get_execution_environment;
struct cmd_get_permission_sandbox_summary;
struct reply_get_permission_sandbox_summary;
struct cmd_write_process_stdin;
struct reply_write_process_stdin;
struct cmd_terminate_process;
struct reply_terminate_process;
struct cmd_resize_process;
struct reply_resize_process;
struct cmd_list_processes;
struct reply_list_processes;
struct cmd_remove_queued_turn;
struct reply_remove_queued_turn;
struct cmd_promote_queued_turn;
struct reply_promote_queued_turn;
struct cmd_move_queued_turn;
struct reply_move_queued_turn;
struct cmd_list_queue;
struct reply_list_queue;
struct cmd_get_session;
struct reply_get_session;
struct cmd_explain_thread;
struct reply_explain_thread;
struct cmd_get_thread_read;
struct reply_get_thread_read;
struct cmd_get_tool_inventory;
struct reply_get_tool_inventory;
struct cmd_list_sessions;
struct reply_list_sessions;
struct cmd_list_models;
struct reply_list_models;
struct cmd_list_hooks;
struct reply_list_hooks;
struct cmd_list_tool_servers;
struct reply_list_tool_servers;
struct cmd_list_threads;
struct reply_list_threads;
struct cmd_list_events;
struct reply_list_events;
struct cmd_subscribe_events;
struct reply_subscribe_events;
struct cmd_unsubscribe_events;
struct reply_unsubscribe_events;
struct cmd_get_output;
struct reply_get_output;
struct cmd_get_artifact_checkpoint_summary;
struct reply_get_artifact_checkpoint_summary;
struct cmd_get_routing_limit_summary;
struct reply_get_routing_limit_summary;
struct cmd_get_context_boundary;
struct reply_get_context_boundary;
struct cmd_create_session;
struct reply_create_session;
struct cmd_update_session;
struct reply_update_session;
struct cmd_fork_thread;
struct reply_fork_thread;
struct cmd_compact_thread;
struct reply_compact_thread;
struct cmd_rollback_thread;
struct reply_rollback_thread;
struct cmd_spawn_subagent;
struct reply_spawn_subagent;
struct cmd_send_subagent_input;
struct reply_send_subagent_input;
struct cmd_wait_subagents;
struct reply_wait_subagents;
struct cmd_resume_subagent;
struct reply_resume_subagent;
struct cmd_close_subagent;
struct reply_close_subagent;
struct cmd_list_subagents;
struct reply_list_subagents;
struct cmd_get_subagent_job_summary;
struct reply_get_subagent_job_summary;
struct cmd_get_capabilities;
struct reply_get_capabilities;
struct cmd_open_console;
struct reply_open_console;
struct cmd_pair_device;
struct reply_pair_device;
struct cmd_list_devices;
struct reply_list_devices;
struct cmd_revoke_device;
struct reply_revoke_device;
struct cmd_verify_log;
struct reply_verify_log;
struct cmd_trim_log;
struct reply_trim_log;
struct cmd_erase_event;
struct reply_erase_event;
struct cmd_rebuild_session;
struct reply_rebuild_session;
struct cmd_create_task;
struct reply_create_task;
struct cmd_update_task;
struct reply_update_task;
struct cmd_start_task;
struct reply_start_task;
struct cmd_append_task_progress;
struct reply_append_task_progress;
struct cmd_pause_task;
struct reply_pause_task;
struct cmd_resume_task;
struct reply_resume_task;
struct cmd_cancel_task;
struct reply_cancel_task;
struct cmd_retry_task;
struct reply_retry_task;
struct cmd_complete_task;
struct reply_complete_task;
struct cmd_fail_task;
struct reply_fail_task;
struct cmd_archive_task;
struct reply_archive_task;
struct cmd_link_tasks;
struct reply_link_tasks;
struct cmd_unlink_tasks;
struct reply_unlink_tasks;
struct cmd_claim_task;
struct reply_claim_task;
struct cmd_heartbeat_task;
struct reply_heartbeat_task;
struct cmd_get_task;
struct reply_get_task;
struct cmd_list_tasks;
struct reply_list_tasks;
struct cmd_submit_turn;
struct reply_submit_turn;
struct cmd_interrupt_turn;
struct reply_interrupt_turn;
struct cmd_resume_thread;
struct reply_resume_thread;

struct rec_item {
	struct str item_id;
	enum item_kind kind;
	int64_t index;
	enum status status;
};

extern const struct rec_desc rec_item_desc;

struct rec_command_fact {
	struct str name;
	struct str principal;
	struct str body_hash;
	struct str key_hash;
};

extern const struct rec_desc rec_command_fact_desc;

struct rec_device {
	struct str device_id;
	struct str name;
	struct str host;
	struct list_str scopes;
	int64_t paired_at;
	int64_t last_seen_at;
	struct str channel_id;
};

extern const struct rec_desc rec_device_desc;

struct rec_actor {
	enum actor_kind kind;
	struct str via;
	struct str principal;
	struct str runtime_id;
	struct str channel_id;
	struct str command;
	struct str policy;
	struct str ref;
};

extern const struct rec_desc rec_actor_desc;

struct rec_ref_entry {
	struct str kind;
	struct str ref;
	int64_t offset;
	bool has_offset;
};

extern const struct rec_desc rec_ref_entry_desc;

struct rec_last_error {
	enum error_category category;
	struct str message;
	bool retryable;
	bool has_retryable;
	struct str model_request_id;
	struct str remedy;
	struct str tool_call_id;
	int64_t exit_code;
	bool has_exit_code;
	struct str ref;
};

extern const struct rec_desc rec_last_error_desc;

struct rec_retry_policy {
	int64_t max_attempts;
	enum backoff backoff;
	struct list_str non_retryable;
	int64_t backoff_ms;
	bool has_backoff_ms;
	int64_t timeout_ms;
	bool has_timeout_ms;
};

extern const struct rec_desc rec_retry_policy_desc;

struct rec_criterion {
	struct str id;
	struct str kind;
	struct str description;
	struct str ref;
};

extern const struct rec_desc rec_criterion_desc;

struct rec_acceptance_count {
	int64_t covered;
	int64_t total;
};

extern const struct rec_desc rec_acceptance_count_desc;

struct rec_task_acceptance {
	struct {
		struct rec_criterion **items;
		uint32_t count, cap;
	} criteria;
	int64_t covered;
};

extern const struct rec_desc rec_task_acceptance_desc;

struct rec_constraints {
	struct list_str tools;
	enum permission_mode permission_mode;
	enum sandbox_mode sandbox_mode;
	enum network_mode network_mode;
	struct list_str models;
	int64_t cost_usd;
	bool has_cost_usd;
	int64_t time_ms;
	bool has_time_ms;
	int64_t output_bytes;
	bool has_output_bytes;
	int64_t inactivity_ms;
	bool has_inactivity_ms;
};

extern const struct rec_desc rec_constraints_desc;

struct rec_counters {
	int64_t tool_calls;
	bool has_tool_calls;
	int64_t model_requests;
	bool has_model_requests;
	int64_t items;
	bool has_items;
	int64_t child_tasks;
	bool has_child_tasks;
	int64_t job_items;
	bool has_job_items;
	int64_t tests;
	bool has_tests;
	int64_t files;
	bool has_files;
	int64_t acceptance_covered;
	bool has_acceptance_covered;
	int64_t acceptance_total;
	bool has_acceptance_total;
};

extern const struct rec_desc rec_counters_desc;

struct rec_task_progress {
	enum phase phase;
	int64_t percent;
	bool has_percent;
	struct str current_step_id;
	struct str summary;
	struct rec_counters *counters;
	int64_t tool_calls;
	bool has_tool_calls;
	int64_t model_requests;
	bool has_model_requests;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} output_refs;
	struct rec_acceptance_count *acceptance;
	struct str validation;
};

extern const struct rec_desc rec_task_progress_desc;

struct rec_artifact_ref {
	struct str artifact_id;
	struct str version_id;
};

extern const struct rec_desc rec_artifact_ref_desc;

struct rec_task_scope {
	struct str workspace_id;
	struct str thread_id;
	struct str account_ref;
	struct str environment_id;
	struct str cwd;
	struct str ref;
};

extern const struct rec_desc rec_task_scope_desc;

struct rec_remote_task {
	struct str native_protocol;
	struct str remote_task_id;
	struct str remote_context_id;
	struct str remote_agent_ref;
	struct str agent_card_ref;
	enum delivery_mechanism delivery_mechanism;
	struct str remote_status;
	struct list_str remote_artifact_refs;
};

extern const struct rec_desc rec_remote_task_desc;

struct rec_delivery {
	struct str delivery_id;
	struct str to;
	enum delivery_subject subject;
	struct str subject_id;
	enum status status;
	int64_t ended_at;
	int64_t asked_at;
	int64_t expires_at;
	struct str summary;
	enum delivery_status state;
	int64_t attempts;
	int64_t next_at;
	struct str reason;
};

extern const struct rec_desc rec_delivery_desc;

struct rec_log_anchor {
	int64_t tree_size;
	struct str root_hash;
	struct str leaves_ref;
};

extern const struct rec_desc rec_log_anchor_desc;

struct rec_runtime_run {
	enum runtime_state state;
	struct str version;
	enum runtime_end previous_end;
	int64_t recovered;
	bool has_recovered;
};

extern const struct rec_desc rec_runtime_run_desc;

struct rec_delivery_state {
	enum delivery_status state;
	struct str to;
	struct str reason;
};

extern const struct rec_desc rec_delivery_state_desc;

struct rec_worker {
	enum worker_kind kind;
	struct str runtime_id;
	struct str thread_id;
	struct str worker_id;
	struct str ref;
	int64_t lease_until;
};

extern const struct rec_desc rec_worker_desc;

struct rec_task_attempt {
	struct str run_id;
	struct str attempt_id;
	enum attempt_status status;
	struct str native_status;
	int64_t attempt_count;
	struct rec_worker *worker;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} input_refs;
	int64_t started_at;
	struct rec_retry_policy *retry_policy;
	int64_t ended_at;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} output_refs;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} checkpoint_refs;
	struct rec_last_error *last_error;
	struct str completion_summary;
};

extern const struct rec_desc rec_task_attempt_desc;

struct rec_task_relationship {
	enum edge_kind kind;
	struct str source_id;
	struct str target_id;
	enum edge_status status;
	int64_t created_at;
	int64_t updated_at;
	struct str reason;
};

extern const struct rec_desc rec_task_relationship_desc;

struct rec_task_graph {
	struct str root_task_id;
	struct {
		struct rec_task_relationship **items;
		uint32_t count, cap;
	} edges;
};

extern const struct rec_desc rec_task_graph_desc;

struct rec_task_profile {
	struct str kind;
	struct str source;
	struct list_str required_capabilities;
	enum latency_target latency_target;
	enum budget_class budget_class;
	enum fallback_policy fallback_policy;
	struct str settings_source;
	enum continuity continuity;
};

extern const struct rec_desc rec_task_profile_desc;

struct rec_task {
	struct str task_id;
	struct str parent_task_id;
	struct str root_task_id;
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str title;
	struct str objective;
	struct str task_kind;
	struct str task_family;
	enum visibility visibility;
	enum task_status status;
	struct str native_status;
	struct str priority;
	struct rec_actor *requested_by;
	struct rec_actor *owner;
	struct rec_actor *assignee;
	struct rec_task_scope *scope;
	struct rec_constraints *constraints;
	struct {
		struct rec_criterion **items;
		uint32_t count, cap;
	} acceptance;
	int64_t created_at;
	struct str current_run_id;
	struct rec_task_profile *task_profile;
	struct rec_task_progress *progress;
	struct {
		struct rec_task_attempt **items;
		uint32_t count, cap;
	} attempts;
	struct {
		struct rec_task_relationship **items;
		uint32_t count, cap;
	} relationships;
	struct rec_remote_task *remote_task;
	struct {
		struct rec_artifact_ref **items;
		uint32_t count, cap;
	} artifacts;
	struct list_str evidence_refs;
	struct rec_delivery_state *delivery_state;
	int64_t started_at;
	int64_t updated_at;
	struct str status_reason;
	struct rec_last_error *last_error;
	int64_t ended_at;
	struct rec_wait *wait;
	int64_t version;
	bool has_version;
	struct str metadata;
};

extern const struct rec_desc rec_task_desc;

struct rec_task_why {
	struct str waiting_for;
	int64_t since;
	int64_t until;
	struct list_str ended_by;
	struct str detail;
};

extern const struct rec_desc rec_task_why_desc;

struct rec_blocker {
	struct str kind;
	struct str task_id;
	struct str action_id;
	enum status status;
	struct str ref;
};

extern const struct rec_desc rec_blocker_desc;

struct rec_resume_cause {
	struct str action_id;
	struct str command;
	struct str task_id;
	struct str timer;
};

extern const struct rec_desc rec_resume_cause_desc;

struct rec_reconciled {
	enum reconcile_status acceptance;
	enum reconcile_status artifacts;
	enum reconcile_status evidence;
	enum reconcile_status delivery;
};

extern const struct rec_desc rec_reconciled_desc;

struct rec_wait {
	enum wait_for for_;
	int64_t since;
	int64_t until;
	struct str deadline;
	struct list_str ended_by;
	int64_t overdue_at;
	struct str resume_token;
};

extern const struct rec_desc rec_wait_desc;

struct rec_thing {
	struct str kind;
	struct str id;
};

extern const struct rec_desc rec_thing_desc;

struct rec_impact {
	struct list_str paths;
	struct list_str hosts;
	struct str effect;
};

extern const struct rec_desc rec_impact_desc;

struct rec_subcommand {
	struct list_str argv;
	enum approval_decision decision;
	bool destructive;
	struct str rule_ref;
};

extern const struct rec_desc rec_subcommand_desc;

struct rec_path_check {
	bool inside;
	struct list_str resolved;
};

extern const struct rec_desc rec_path_check_desc;

struct rec_policy_record {
	enum policy_record_kind kind;
	struct str record_id;
	struct str decision_id;
	enum policy_result result;
	struct str policy_set_id;
	struct str policy_version;
	struct list_str reason_codes;
	struct str scope;
	struct str obligations;
	struct str by;
	struct str justification;
	int64_t expires_at;
	struct str record_ref;
};

extern const struct rec_desc rec_policy_record_desc;

struct rec_permission_decision {
	struct str decision_id;
	enum approval_decision decision;
	enum decision_source decision_source;
	struct str decision_reason;
	struct list_str rule_refs;
	struct str approval_action_id;
	struct str updated_input_ref;
	enum grant_scope scope;
	int64_t expires_at;
	enum permission_mode mode;
	bool destructive;
	struct rec_impact *impact;
	struct str rollback_advice;
	struct {
		struct rec_subcommand **items;
		uint32_t count, cap;
	} subcommands;
	int64_t subcommands_omitted;
	bool has_subcommands_omitted;
	struct rec_path_check *path_check;
	enum network_mode network_decision;
	struct {
		struct rec_policy_record **items;
		uint32_t count, cap;
	} policy_records;
};

extern const struct rec_desc rec_permission_decision_desc;

struct rec_decision_option {
	enum approval_decision decision;
	struct list_str scopes;
	bool may_edit_input;
	bool has_may_edit_input;
	bool may_give_reason;
	bool has_may_give_reason;
};

extern const struct rec_desc rec_decision_option_desc;

struct rec_action_scope {
	struct str turn_id;
	struct str cwd;
	struct str path;
	struct list_str paths;
	struct str host;
};

extern const struct rec_desc rec_action_scope_desc;

struct rec_action_policy {
	struct str decision_id;
	struct list_str rule_refs;
	bool destructive;
	enum sandbox_mode sandbox_mode;
	struct {
		struct rec_policy_record **items;
		uint32_t count, cap;
	} policy_records;
};

extern const struct rec_desc rec_action_policy_desc;

struct rec_grant_match {
	struct str tool;
	struct list_str command;
	struct str path;
	struct str host;
	struct str definition;
	struct str cwd;
	struct str script;
	struct str script_real;
	struct str script_hash;
};

extern const struct rec_desc rec_grant_match_desc;

struct rec_network_profile {
	enum network_mode mode;
	struct list_str allow;
	bool loopback;
	bool has_loopback;
};

extern const struct rec_desc rec_network_profile_desc;

struct rec_reached_host {
	struct str host;
	int64_t port;
	bool has_port;
	int64_t count;
};

extern const struct rec_desc rec_reached_host_desc;

struct rec_process_limits {
	int64_t timeout_ms;
	int64_t inactivity_ms;
	int64_t max_output_bytes;
	int64_t max_processes;
	int64_t max_memory_bytes;
	bool has_max_memory_bytes;
	int64_t max_file_bytes;
	bool has_max_file_bytes;
	int64_t private_bytes;
	bool has_private_bytes;
	bool tty;
	enum stdin_policy stdin;
};

extern const struct rec_desc rec_process_limits_desc;

struct rec_sandbox_override {
	enum sandbox_mode mode;
	enum network_mode network;
	bool unix_sockets;
	bool has_unix_sockets;
	struct list_str read_roots;
	struct list_str write_roots;
	struct list_str hosts;
	struct list_str read_files;
	struct list_str write_files;
	enum sandbox_mode at_most;
	enum network_mode network_at_most;
	int64_t output_at_most;
	bool has_output_at_most;
};

extern const struct rec_desc rec_sandbox_override_desc;

struct rec_sandbox_profile {
	enum sandbox_mode mode;
	struct str tier;
	enum sandbox_mode requested_mode;
	enum enforcement enforcement;
	struct str cwd;
	struct list_str read_roots;
	struct list_str write_roots;
	struct list_str protected_paths;
	struct list_str denied_paths;
	struct list_str unreported;
	struct rec_network_profile *network;
	struct str environment_ref;
	struct rec_process_limits *process_limits;
	struct list_str violation_refs;
};

extern const struct rec_desc rec_sandbox_profile_desc;

struct rec_resource_limits {
	int64_t timeout_ms;
	int64_t inactivity_ms;
	int64_t max_output_bytes;
	int64_t max_processes;
	int64_t max_parallel_tools;
};

extern const struct rec_desc rec_resource_limits_desc;

struct rec_execution_environment {
	struct str environment_id;
	struct str workspace_id;
	struct str cwd;
	struct list_str additional_roots;
	struct str shell;
	struct str os;
	struct str arch;
	struct rec_network_profile *network_profile;
	struct rec_resource_limits *resource_limits;
	struct str env_ref;
	struct rec_sandbox_profile *sandbox_profile;
	struct str override_reason;
};

extern const struct rec_desc rec_execution_environment_desc;

struct rec_price {
	struct str currency;
	int64_t input_per_mtok;
	int64_t cached_input_per_mtok;
	bool has_cached_input_per_mtok;
	int64_t cache_write_per_mtok;
	bool has_cache_write_per_mtok;
	int64_t output_per_mtok;
	enum price_source source;
	struct str effective_from;
};

extern const struct rec_desc rec_price_desc;

struct rec_candidate {
	struct str provider;
	struct str model;
	struct list_str capabilities;
	enum cost_class cost_class;
	struct rec_price *price;
	enum honesty price_state;
	enum limit_status limit_state;
};

extern const struct rec_desc rec_candidate_desc;

struct rec_exclusion {
	struct str provider;
	struct str model;
	enum exclusion_reason reason;
	struct str detail;
	enum constraint_strength constraint;
};

extern const struct rec_desc rec_exclusion_desc;

struct rec_gaps {
	struct list_str credential;
	struct list_str quota;
	struct list_str network;
};

extern const struct rec_desc rec_gaps_desc;

struct rec_candidate_model_set {
	int64_t candidate_count;
	bool single_candidate;
	struct {
		struct rec_candidate **items;
		uint32_t count, cap;
	} candidates;
	struct {
		struct rec_exclusion **items;
		uint32_t count, cap;
	} excluded;
	struct list_str hard_constraints;
	struct list_str preferences;
	struct rec_gaps *gaps;
};

extern const struct rec_desc rec_candidate_model_set_desc;

struct rec_chain_entry {
	struct str provider;
	struct str model;
	bool tried;
	enum error_category outcome;
};

extern const struct rec_desc rec_chain_entry_desc;

struct rec_limit_part {
	enum limit_status state;
	struct str provider;
	int64_t until;
	int64_t used;
	bool has_used;
	int64_t limit;
	bool has_limit;
};

extern const struct rec_desc rec_limit_part_desc;

struct rec_budget {
	enum limit_scope scope;
	int64_t cap_usd;
	int64_t spent_usd;
	int64_t reserved_usd;
};

extern const struct rec_desc rec_budget_desc;

struct rec_limit_state {
	enum limit_status state;
	struct str host_access;
	struct rec_limit_part *rate;
	struct rec_limit_part *quota;
	struct rec_limit_part *parallel;
	struct {
		struct rec_budget **items;
		uint32_t count, cap;
	} budgets;
};

extern const struct rec_desc rec_limit_state_desc;

struct rec_routing_decision {
	enum routing_mode routing_mode;
	enum routing_source decision_source;
	struct str decision_reason;
	struct str selected_provider;
	struct str selected_model;
	struct str requested_provider;
	struct str requested_model;
	int64_t candidate_count;
	struct {
		struct rec_chain_entry **items;
		uint32_t count, cap;
	} fallback_chain;
	struct str capability_gap;
	bool requires_user_override;
	struct rec_limit_state *limit_state_snapshot;
};

extern const struct rec_desc rec_routing_decision_desc;

struct rec_limit_event {
	enum limit_event_kind kind;
	struct str provider;
	struct str model;
	enum limit_source source;
	enum limit_scope scope;
	int64_t retry_after_ms;
	bool has_retry_after_ms;
	int64_t reset_at;
	int64_t used;
	bool has_used;
	int64_t limit;
	bool has_limit;
};

extern const struct rec_desc rec_limit_event_desc;

struct rec_limit_value {
	int64_t cap_usd;
	bool has_cap_usd;
	int64_t limit;
	bool has_limit;
	enum limit_status state;
	int64_t until;
};

extern const struct rec_desc rec_limit_value_desc;

struct rec_tokens {
	int64_t input_tokens;
	int64_t cached_input_tokens;
	int64_t cache_write_tokens;
	bool has_cache_write_tokens;
	int64_t output_tokens;
	int64_t reasoning_tokens;
};

extern const struct rec_desc rec_tokens_desc;

struct rec_usage {
	int64_t input_tokens;
	int64_t cached_input_tokens;
	int64_t cache_write_tokens;
	bool has_cache_write_tokens;
	int64_t output_tokens;
	int64_t reasoning_tokens;
	enum usage_source source;
};

extern const struct rec_desc rec_usage_desc;

struct rec_cost_state {
	enum cost_status state;
	struct str currency;
	struct str reason;
	int64_t estimated_usd;
	bool has_estimated_usd;
	int64_t recorded_usd;
	int64_t reserved_usd;
	bool has_reserved_usd;
	struct rec_tokens *tokens;
	enum honesty tokens_state;
	struct rec_price *price;
};

extern const struct rec_desc rec_cost_state_desc;

struct rec_reservation {
	int64_t amount_usd;
	struct list_str accounts;
	struct list_str against;
	struct str key;
};

extern const struct rec_desc rec_reservation_desc;

struct rec_overrun {
	struct str account;
	int64_t percent;
	int64_t before_percent;
};

extern const struct rec_desc rec_overrun_desc;

struct rec_model_name {
	struct str provider;
	struct str model;
};

extern const struct rec_desc rec_model_name_desc;

struct rec_text_summary {
	int64_t bytes;
	struct str preview;
};

extern const struct rec_desc rec_text_summary_desc;

struct rec_hook_run {
	struct str hook_run_id;
	enum hook_point point;
	struct str handler_ref;
	enum hook_handler handler_kind;
	int64_t timeout_ms;
	enum fail_policy fail_policy;
	enum hook_trust trust;
	enum hook_status status;
	int64_t started_at;
	int64_t duration_ms;
	bool has_duration_ms;
	int64_t exit_code;
	bool has_exit_code;
	enum hook_decision decision;
	struct str input_ref;
	struct str updated_input_ref;
	struct str updated_tool_output_ref;
	struct list_str additional_context_refs;
	bool suppress_output;
	bool has_suppress_output;
	struct list_str audit_refs;
	struct rec_policy_record *policy_record;
	struct rec_last_error *last_error;
};

extern const struct rec_desc rec_hook_run_desc;

struct rec_channel {
	struct str channel_id;
	enum transport transport;
	enum peer_role peer_role;
	struct str account_ref;
	struct list_str capabilities;
	int64_t last_seen_at;
	struct str resume_token_ref;
	struct str native_protocol;
	struct str agent_card_ref;
	int64_t last_acked_sequence;
	bool has_last_acked_sequence;
	enum status status;
};

extern const struct rec_desc rec_channel_desc;

struct rec_permission_subject {
	struct str tool_call_id;
	struct str process_id;
	struct str action_id;
	struct str remote_task_id;
};

extern const struct rec_desc rec_permission_subject_desc;

struct rec_preview {
	struct str head;
	struct str tail;
};

extern const struct rec_desc rec_preview_desc;

struct rec_output {
	struct str output_ref;
	enum output_owner owner;
	struct str owner_id;
	struct str media_type;
	struct str encoding;
	int64_t size_bytes;
	struct str sha256;
	bool complete;
	struct rec_preview *preview;
	enum truncation truncation;
	enum redaction redaction;
	int64_t expires_at;
};

extern const struct rec_desc rec_output_desc;

struct rec_history_boundary {
	enum history_layer layer;
	int64_t through_sequence;
	int64_t snapshot_sequence;
	bool has_snapshot_sequence;
	int64_t fold_version;
	bool has_fold_version;
	struct str from_turn_id;
	struct str to_turn_id;
	struct str summary_ref;
};

extern const struct rec_desc rec_history_boundary_desc;

struct rec_lost_thing {
	struct str kind;
	struct str id;
};

extern const struct rec_desc rec_lost_thing_desc;

struct rec_missing_ref {
	struct str ref;
	enum missing_reason reason;
};

extern const struct rec_desc rec_missing_ref_desc;

struct rec_history_range {
	int64_t turns;
	int64_t from_sequence;
	int64_t to_sequence;
	bool has_to_sequence;
	int64_t omitted_turns;
	bool has_omitted_turns;
	struct str omitted_because;
};

extern const struct rec_desc rec_history_range_desc;

struct rec_context_item {
	enum context_kind kind;
	struct str ref;
	struct str output_ref;
	struct str sha256;
	int64_t bytes;
};

extern const struct rec_desc rec_context_item_desc;

struct rec_context_ref {
	enum context_kind kind;
	struct str ref;
	struct str text;
	struct str output_ref;
	struct str sha256;
	int64_t bytes;
	bool has_bytes;
};

extern const struct rec_desc rec_context_ref_desc;

struct rec_context_budget {
	int64_t window_tokens;
	int64_t estimated_tokens;
	struct str estimate;
};

extern const struct rec_desc rec_context_budget_desc;

struct rec_inventory_tool {
	struct str tool_name;
	struct str description;
	struct list_str capabilities;
	enum tool_policy policy;
	struct str runtime_owner;
	bool is_read_only;
	bool is_concurrency_safe;
	bool is_destructive;
	enum interrupt_behavior interrupt_behavior;
	struct str input_schema_ref;
	struct str input_schema;
	struct str metadata_ref;
	struct str native_name;
	struct str annotations;
	struct str definition_hash;
	bool definition_changed;
	bool has_definition_changed;
	struct str reason;
};

extern const struct rec_desc rec_inventory_tool_desc;

struct rec_input_part {
	struct str type;
	struct str preview;
	int64_t bytes;
	struct str media_type;
	struct str ref;
	struct str name;
};

extern const struct rec_desc rec_input_part_desc;

struct rec_submit_options {
	struct str model;
	enum fallback_policy fallback;
	struct str task_kind;
	struct list_str requires;
	enum latency_target latency;
	int64_t budget_usd;
	bool has_budget_usd;
	struct str output_schema;
	struct str metadata;
	enum delivery delivery;
	bool background;
	bool has_background;
};

extern const struct rec_desc rec_submit_options_desc;

struct rec_turn_options {
	int64_t budget_usd;
	bool has_budget_usd;
	enum permission_mode mode;
	struct str model;
	enum fallback_policy fallback;
	struct str task_kind;
	struct list_str requires;
	enum latency_target latency;
	struct str cwd;
	int64_t timeout_ms;
	bool has_timeout_ms;
	struct str output_schema;
	struct {
		struct rec_context_ref **items;
		uint32_t count, cap;
	} context;
	struct str instructions;
	struct str metadata;
};

extern const struct rec_desc rec_turn_options_desc;

struct rec_queue_rules {
	enum on_busy on_busy;
	enum queue_policy on_interrupt;
};

extern const struct rec_desc rec_queue_rules_desc;

struct rec_last_outcome {
	struct str turn_id;
	enum status status;
	struct str last_message_ref;
	enum error_category category;
};

extern const struct rec_desc rec_last_outcome_desc;

struct rec_fork_point {
	struct str thread_id;
	struct str turn_id;
	int64_t sequence;
	struct str session_id;
	struct str head_hash;
	int64_t turns;
	bool has_turns;
};

extern const struct rec_desc rec_fork_point_desc;

struct rec_compaction {
	enum compaction_trigger trigger;
	struct list_str affected_turns;
	struct str summary_ref;
	int64_t sequence;
	bool has_sequence;
	int64_t tokens_before;
	bool has_tokens_before;
	int64_t tokens_after;
	bool has_tokens_after;
	int64_t turns;
	bool has_turns;
	int64_t through_sequence;
	bool has_through_sequence;
};

extern const struct rec_desc rec_compaction_desc;

struct rec_token_change {
	int64_t before;
	int64_t after;
};

extern const struct rec_desc rec_token_change_desc;

struct rec_preserved {
	struct list_str action_ids;
	struct list_str incident_ids;
	struct list_str artifact_refs;
	struct list_str evidence_refs;
	struct list_str task_ids;
};

extern const struct rec_desc rec_preserved_desc;

struct rec_rollback_effects {
	struct list_str tool_call_ids;
	struct list_str artifact_ids;
	struct list_str subagent_ids;
	struct list_str job_ids;
};

extern const struct rec_desc rec_rollback_effects_desc;

struct rec_isolation {
	struct str prompt;
	struct str workspace;
	struct str worktree;
	struct list_str tools;
	enum permission_mode permission_mode;
	struct str memory;
	enum sandbox_mode sandbox_mode;
	enum network_mode network_mode;
};

extern const struct rec_desc rec_isolation_desc;

struct rec_subagent {
	struct str subagent_id;
	struct str parent_thread_id;
	struct str parent_turn_id;
	struct str parent_task_id;
	struct str parent_subagent_id;
	struct str thread_id;
	struct str role;
	struct str nickname;
	struct rec_isolation *isolation;
	enum model_policy model_policy;
	struct str model;
	enum subagent_status status;
	struct str last_message_ref;
	enum worktree_state worktree_state;
	struct str worktree_reason;
};

extern const struct rec_desc rec_subagent_desc;

struct rec_job_counts {
	int64_t total;
	int64_t pending;
	int64_t running;
	int64_t completed;
	int64_t failed;
};

extern const struct rec_desc rec_job_counts_desc;

struct rec_job {
	struct str job_id;
	struct str session_id;
	struct str task_id;
	enum job_status status;
	struct str instruction_ref;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} input_refs;
	struct str output_schema_ref;
	int64_t max_runtime_ms;
	bool has_max_runtime_ms;
	int64_t concurrency;
	bool has_concurrency;
	int64_t max_attempts;
	bool has_max_attempts;
	int64_t item_cursor;
	struct rec_job_counts *progress;
	struct list_str assigned_thread_ids;
	struct str schedule_id;
};

extern const struct rec_desc rec_job_desc;

struct rec_job_item {
	struct str job_item_id;
	int64_t index;
	enum job_item_status status;
	int64_t attempt_count;
	struct str thread_id;
	struct str turn_id;
	struct str output_ref;
	struct rec_last_error *last_error;
	bool retryable;
	bool has_retryable;
};

extern const struct rec_desc rec_job_item_desc;

struct rec_telemetry {
	enum evidence_signal status;
	struct list_str trace_ids;
	struct str join_status;
	struct str span_name;
};

extern const struct rec_desc rec_telemetry_desc;

struct rec_correlation {
	struct str runtime_id;
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str run_id;
	struct str attempt_id;
	struct str tool_call_id;
	struct str process_id;
	struct str request_id;
	struct str queued_turn_id;
	struct str subagent_id;
	struct str trace_id;
	struct str span_id;
	enum evidence_signal status;
};

extern const struct rec_desc rec_correlation_desc;

struct rec_benchmark {
	struct str dataset_id;
	struct str dataset_version;
	struct str dataset_ref;
	struct str task_id;
	struct str trial_id;
	struct str configuration_id;
	enum trial_role role;
	struct str harbor_job_ref;
	struct str harbor_trial_ref;
	struct str single_changed_variable;
	struct str task_toml_ref;
};

extern const struct rec_desc rec_benchmark_desc;

struct rec_trajectory {
	struct str schema;
	struct str ref;
	struct str export_status;
	struct str required_field_status;
};

extern const struct rec_desc rec_trajectory_desc;

struct rec_reward {
	double value;
	bool has_value;
	struct str ref;
	struct str details_ref;
	struct list_str criteria;
	struct str failure_category;
};

extern const struct rec_desc rec_reward_desc;

struct rec_comparison {
	double mean_reward_delta;
	bool has_mean_reward_delta;
	double timeout_rate_delta;
	bool has_timeout_rate_delta;
	double evidence_completeness_rate;
	bool has_evidence_completeness_rate;
	double baseline_evidence_completeness_rate;
	bool has_baseline_evidence_completeness_rate;
	int64_t p0_qc_gate_regression_count;
	bool has_p0_qc_gate_regression_count;
	int64_t cost_delta_usd;
	bool has_cost_delta_usd;
	struct str decision;
	struct str decision_source;
};

extern const struct rec_desc rec_comparison_desc;

struct rec_verification {
	struct str name;
	struct str status;
	struct str verifier_ref;
};

extern const struct rec_desc rec_verification_desc;

struct rec_grant {
	struct str grant_id;
	enum grant_scope scope;
	struct str session_id;
	struct str cwd;
	struct rec_grant_match *match;
	enum policy_source source;
	struct rec_actor *granted_by;
	int64_t created_at;
	int64_t expires_at;
	bool revocable;
};

extern const struct rec_desc rec_grant_desc;

struct rec_rule_row {
	struct str rule_ref;
	struct str source;
	enum approval_decision effect;
	bool counts;
	bool always;
	struct str tool;
	struct list_str command;
	struct str path;
	struct str access;
	struct str host;
	struct str mcp;
	struct str reason;
};

extern const struct rec_desc rec_rule_row_desc;

struct rec_schedule {
	struct str schedule_id;
	struct str session_id;
	struct str thread_id;
	enum schedule_status status;
	struct str cron;
	int64_t every_ms;
	bool has_every_ms;
	int64_t at;
	struct str timezone;
	enum missed_policy missed_policy;
	enum overlap_policy overlap;
	struct str task;
	int64_t next_at;
	int64_t last_at;
	struct str last_task_id;
	int64_t runs;
	int64_t missed;
	int64_t skipped;
};

extern const struct rec_desc rec_schedule_desc;

struct rec_gap {
	int64_t from;
	int64_t to;
	enum recovery_mode recovery_mode;
	enum gap_reason reason;
	struct str session_id;
	struct str snapshot;
};

extern const struct rec_desc rec_gap_desc;

struct rec_bad_row {
	struct str session_id;
	int64_t sequence;
	struct str expected;
	struct str found;
	struct str reason;
};

extern const struct rec_desc rec_bad_row_desc;

struct rec_recovery_progress {
	int64_t total;
	int64_t recovered;
};

extern const struct rec_desc rec_recovery_progress_desc;

struct rec_session_row {
	struct str session_id;
	struct str title;
	struct str workspace_id;
	enum thread_status status;
	enum status profile_status;
	struct str status_reason;
	int64_t threads;
	struct str active_turn_id;
	int64_t pending_actions;
	int64_t queued_turns;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
	enum cost_status cost_status;
	bool archived;
	bool has_archived;
	int64_t created_at;
	int64_t updated_at;
	int64_t sequence;
};

extern const struct rec_desc rec_session_row_desc;

struct rec_provider_limit {
	struct str provider;
	enum limit_kind kind;
	enum limit_status state;
	int64_t until;
	int64_t used;
	bool has_used;
	int64_t limit;
	bool has_limit;
	int64_t sequence;
};

extern const struct rec_desc rec_provider_limit_desc;

struct rec_hook_row {
	struct str ref;
	enum hook_point point;
	enum hook_handler kind;
	struct str handler;
	struct str match;
	int64_t timeout_ms;
	enum fail_policy fail_policy;
	enum hook_trust trust;
	enum hook_sandbox sandbox;
	struct str program_hash;
	struct str refused;
};

extern const struct rec_desc rec_hook_row_desc;

struct rec_tool_server {
	struct str name;
	struct str source;
	struct str cwd;
	enum tool_server_status status;
	struct str detail;
	struct str command;
	struct str native_protocol;
	struct str protocol_version;
	struct str program;
	struct str channel_id;
	struct list_str hosts;
	struct str content_hash;
	struct str program_hash;
	int64_t tool_count;
	int64_t changed_count;
	int64_t restarts;
};

extern const struct rec_desc rec_tool_server_desc;

struct rec_model_row {
	struct str provider;
	struct str model;
	struct str base_url;
	struct str state;
	struct list_str capabilities;
	bool has_credential;
	enum cost_class cost_class;
	struct rec_price *price;
	enum honesty price_state;
	struct rec_limit_part *rate;
	struct rec_limit_part *quota;
	int64_t window_tokens;
	int64_t max_output_tokens;
	int64_t reckoned_percent;
	bool has_reckoned_percent;
	bool is_default;
};

extern const struct rec_desc rec_model_row_desc;

struct rec_thread_row {
	struct str thread_id;
	enum thread_kind kind;
	struct str title;
	enum thread_status status;
	enum status profile_status;
	struct str active_turn_id;
	int64_t pending_actions;
	int64_t queued_turns;
	int64_t turns;
	int64_t updated_at;
};

extern const struct rec_desc rec_thread_row_desc;

struct rec_step_view {
	struct str step_id;
	int64_t started_sequence;
	enum item_kind kind;
	int64_t index;
	enum status status;
	struct str tool_call_id;
	int64_t ended_sequence;
	bool has_ended_sequence;
};

extern const struct rec_desc rec_step_view_desc;

struct rec_turn_permission_view {
	enum permission_mode mode;
	enum approval_decision last_decision;
	struct list_str pending_action_ids;
};

extern const struct rec_desc rec_turn_permission_view_desc;

struct rec_output_row {
	struct str output_ref;
	enum output_owner owner;
	int64_t size_bytes;
};

extern const struct rec_desc rec_output_row_desc;

struct rec_process_view {
	struct str process_id;
	struct str tool_call_id;
	struct str command_summary;
	enum process_status status;
	struct str native_status;
	int64_t exit_code;
	bool has_exit_code;
	struct str output_ref;
	bool background;
	bool has_background;
	bool tty;
	bool has_tty;
	int64_t output_bytes;
	bool has_output_bytes;
	enum liveness liveness;
	struct str session_id;
	int64_t started_at;
	int64_t ended_at;
};

extern const struct rec_desc rec_process_view_desc;

struct rec_turn_view {
	struct str turn_id;
	enum turn_kind kind;
	enum status status;
	struct str status_reason;
	struct str task_id;
	struct str run_id;
	struct str attempt_id;
	struct str input_ref;
	int64_t started_at;
	int64_t completed_at;
	struct {
		struct rec_step_view **items;
		uint32_t count, cap;
	} steps;
	struct rec_task_profile *task_profile;
	struct rec_candidate_model_set *candidate_model_set;
	struct rec_routing_decision *routing_decision;
	struct rec_turn_permission_view *permission_state;
	struct rec_sandbox_profile *sandbox_profile;
	struct rec_execution_environment *execution_environment;
	struct rec_cost_state *cost_state;
	struct rec_limit_state *limit_state;
	struct {
		struct rec_hook_run **items;
		uint32_t count, cap;
	} hook_runs;
	struct {
		struct rec_process_view **items;
		uint32_t count, cap;
	} processes;
	struct {
		struct rec_output_row **items;
		uint32_t count, cap;
	} output_refs;
};

extern const struct rec_desc rec_turn_view_desc;

struct rec_action_view {
	struct str action_id;
	enum action_type action_type;
	enum action_status status;
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str step_id;
	struct str tool_call_id;
	struct str parent_thread_id;
	struct str subagent_id;
	struct str parent_turn_id;
	struct str parent_task_id;
	struct str tool_name;
	struct str prompt;
	struct str schema;
	enum decision_kind decision_kind;
	struct {
		struct rec_decision_option **items;
		uint32_t count, cap;
	} decisions;
	struct rec_action_scope *scope_detail;
	struct rec_action_policy *policy;
	struct str input_ref;
	int64_t input_bytes;
	bool has_input_bytes;
	struct rec_sandbox_override *override;
	int64_t requested_at;
	int64_t expires_at;
	enum approval_decision on_expiry;
	struct list_str ended_by;
	int64_t sequence;
	enum approval_decision decision;
	enum grant_scope scope;
	struct rec_actor *decided_by;
	int64_t resolved_at;
};

extern const struct rec_desc rec_action_view_desc;

struct rec_queue_view {
	struct str queue_id;
	struct list_str order;
	struct rec_queue_rules *policy;
	struct str resume_state;
};

extern const struct rec_desc rec_queue_view_desc;

struct rec_queued_turn_view {
	struct str turn_id;
	struct str queued_turn_id;
	struct str task_id;
	int64_t position;
	enum status status;
	struct str source;
	enum delivery delivery;
	struct str input_ref;
	struct str preview;
	int64_t queued_at;
};

extern const struct rec_desc rec_queued_turn_view_desc;

struct rec_tool_call_view {
	struct str tool_call_id;
	struct str step_id;
	struct str turn_id;
	struct str tool_name;
	enum status status;
	struct rec_permission_decision *permission_decision;
	struct list_str hook_run_ids;
	enum executed executed;
	enum error_category category;
	enum sandbox_mode sandbox_mode;
	struct str output_ref;
	int64_t exit_code;
	bool has_exit_code;
	bool is_error;
	bool has_is_error;
	int64_t duration_ms;
	bool has_duration_ms;
};

extern const struct rec_desc rec_tool_call_view_desc;

struct rec_decision_counts {
	int64_t allow;
	int64_t ask;
	int64_t deny;
};

extern const struct rec_desc rec_decision_counts_desc;

struct rec_permission_state {
	enum permission_mode mode;
	bool interactive;
	struct list_str policy_sources;
	struct list_str pending_approvals;
	struct {
		struct rec_grant **items;
		uint32_t count, cap;
	} grants;
	struct {
		struct rec_rule_row **items;
		uint32_t count, cap;
	} rules;
	int64_t rule_count;
	bool has_rule_count;
	struct rec_decision_counts *decisions;
};

extern const struct rec_desc rec_permission_state_desc;

struct rec_sandbox_state {
	struct rec_sandbox_profile *profile;
	struct list_str violation_refs;
};

extern const struct rec_desc rec_sandbox_state_desc;

struct rec_model_routing {
	enum honesty status;
	struct str task_kind;
	int64_t candidate_count;
	bool single_candidate;
	struct str selected_provider;
	struct str selected_model;
	enum routing_source decision_source;
	struct str decision_reason;
	struct str capability_gap;
	bool fallback_applied;
	struct rec_cost_state *cost_state;
	struct rec_limit_state *limit_state;
	struct {
		struct rec_provider_limit **items;
		uint32_t count, cap;
	} provider_limits;
};

extern const struct rec_desc rec_model_routing_desc;

struct rec_incident {
	struct str incident_id;
	struct str kind;
	struct str category;
	struct str message;
	int64_t at;
	int64_t sequence;
	bool open;
	struct str ref;
};

extern const struct rec_desc rec_incident_desc;

struct rec_context_boundary {
	struct list_str selected_refs;
	struct {
		struct rec_compaction **items;
		uint32_t count, cap;
	} compactions;
	struct list_str warnings;
	struct {
		struct rec_missing_ref **items;
		uint32_t count, cap;
	} missing;
};

extern const struct rec_desc rec_context_boundary_desc;

struct rec_history_window {
	int64_t from_sequence;
	int64_t to_sequence;
	int64_t turns;
	bool has_turns;
	int64_t older;
	struct str cursor;
};

extern const struct rec_desc rec_history_window_desc;

struct rec_past_turn {
	struct str turn_id;
	struct str thread_id;
	struct str task_id;
	enum turn_kind kind;
	enum status status;
	struct str input_preview;
	int64_t submitted_sequence;
	int64_t ended_sequence;
	bool has_ended_sequence;
	int64_t submitted_at;
	int64_t ended_at;
};

extern const struct rec_desc rec_past_turn_desc;

struct rec_thread_history {
	int64_t turns;
	struct str compaction_boundary;
	struct rec_history_window *window;
};

extern const struct rec_desc rec_thread_history_desc;

struct rec_diagnostics {
	struct {
		struct rec_incident **items;
		uint32_t count, cap;
	} warnings;
	struct {
		struct rec_thing **items;
		uint32_t count, cap;
	} failed_tools;
	struct {
		struct rec_thing **items;
		uint32_t count, cap;
	} failed_commands;
	struct list_str stalled_turns;
	struct list_str stalled_tasks;
	struct {
		struct rec_thing **items;
		uint32_t count, cap;
	} pending_requests;
	struct list_str lost_workers;
	struct str interrupt;
	struct {
		struct rec_limit_event **items;
		uint32_t count, cap;
	} quota_blocks;
	struct {
		struct rec_missing_ref **items;
		uint32_t count, cap;
	} context_gaps;
	struct list_str unavailable;
};

extern const struct rec_desc rec_diagnostics_desc;

struct rec_evidence_summary {
	struct list_str evidence_refs;
	struct list_str pack_refs;
	struct list_str replay_refs;
	struct list_str review_refs;
	struct {
		struct rec_verification **items;
		uint32_t count, cap;
	} verification_outcomes;
	struct list_str known_gaps;
	struct list_str trace_ids;
	struct list_str audit_notes;
};

extern const struct rec_desc rec_evidence_summary_desc;

struct rec_thread_telemetry {
	struct list_str trace_ids;
	struct str join_status;
};

extern const struct rec_desc rec_thread_telemetry_desc;

struct rec_blocked_task {
	struct str task_id;
	struct rec_blocker *blocker;
	int64_t since;
	int64_t until;
	struct list_str required_action_ids;
};

extern const struct rec_desc rec_blocked_task_desc;

struct rec_task_summary {
	int64_t active;
	int64_t waiting;
	int64_t terminal;
	int64_t completed;
	int64_t failed;
	int64_t lost;
	struct list_str recent_terminal;
};

extern const struct rec_desc rec_task_summary_desc;

struct rec_account {
	struct str scope;
	struct str ref;
};

extern const struct rec_desc rec_account_desc;

struct rec_telemetry_summary {
	enum evidence_signal status;
	struct list_str trace_ids;
	struct str join_status;
};

extern const struct rec_desc rec_telemetry_summary_desc;

struct rec_output_summary {
	int64_t count;
	int64_t bytes;
	int64_t expired;
};

extern const struct rec_desc rec_output_summary_desc;

struct rec_history_summary {
	int64_t events;
	int64_t turns;
	int64_t compactions;
	int64_t rollbacks;
	bool degraded;
	struct list_str missing;
};

extern const struct rec_desc rec_history_summary_desc;

struct rec_artifact_version {
	struct str version_id;
	enum artifact_change change;
	struct str diff_ref;
	struct str checkpoint_ref;
	struct str turn_id;
	int64_t at;
	int64_t sequence;
};

extern const struct rec_desc rec_artifact_version_desc;

struct rec_artifact_validation {
	enum validation_state state;
	int64_t issues;
	struct list_str checks;
	struct list_str unchecked;
	struct list_str messages;
};

extern const struct rec_desc rec_artifact_validation_desc;

struct rec_validation_counts {
	int64_t passed;
	int64_t failed;
	int64_t not_applicable;
	int64_t unchecked;
	int64_t issues;
};

extern const struct rec_desc rec_validation_counts_desc;

struct rec_artifact_row {
	struct str artifact_id;
	struct str version_id;
	int64_t versions;
	struct str kind;
	struct str path;
	struct str read_ref;
	struct str preview_ref;
	struct str diff_ref;
	int64_t issues;
	bool has_issues;
	enum honesty issues_state;
	enum validation_state validation;
	struct list_str messages;
	struct str owner;
	struct str task_id;
	struct {
		struct rec_artifact_version **items;
		uint32_t count, cap;
	} checkpoints;
};

extern const struct rec_desc rec_artifact_row_desc;

struct rec_trial_row {
	struct str trial_id;
	struct rec_benchmark *benchmark;
	enum status status;
	struct rec_reward *reward;
	struct rec_trajectory *trajectory;
};

extern const struct rec_desc rec_trial_row_desc;

struct rec_subagent_job_section {
	enum honesty status;
	struct {
		struct rec_subagent **items;
		uint32_t count, cap;
	} subagents;
	struct {
		struct rec_job **items;
		uint32_t count, cap;
	} jobs;
	struct list_str assigned_thread_ids;
	bool recoverable;
	bool has_recoverable;
};

extern const struct rec_desc rec_subagent_job_section_desc;

struct rec_channel_section {
	enum honesty status;
	struct {
		struct rec_channel **items;
		uint32_t count, cap;
	} channels;
	struct list_str pending_forwards;
};

extern const struct rec_desc rec_channel_section_desc;

struct rec_benchmark_section {
	enum honesty status;
	struct {
		struct rec_trial_row **items;
		uint32_t count, cap;
	} trials;
	struct rec_comparison *comparison;
};

extern const struct rec_desc rec_benchmark_section_desc;

struct rec_todo_item {
	struct str text;
	enum todo_status status;
};

extern const struct rec_desc rec_todo_item_desc;

struct rec_thread_view {
	struct str thread_id;
	enum thread_kind kind;
	enum thread_status status;
	enum status profile_status;
	struct str active_turn_id;
	struct str status_reason;
	struct rec_wait *wait;
	struct rec_last_outcome *last_outcome;
	struct {
		struct rec_turn_view **items;
		uint32_t count, cap;
	} turns;
	struct {
		struct rec_action_view **items;
		uint32_t count, cap;
	} pending_requests;
	struct {
		struct rec_queued_turn_view **items;
		uint32_t count, cap;
	} queued_turns;
	struct rec_queue_view *queue;
	struct {
		struct rec_incident **items;
		uint32_t count, cap;
	} incidents;
	struct {
		struct rec_action_view **items;
		uint32_t count, cap;
	} actions;
	struct {
		struct rec_tool_call_view **items;
		uint32_t count, cap;
	} tool_calls;
	struct {
		struct rec_process_view **items;
		uint32_t count, cap;
	} processes;
	struct rec_permission_state *permission_state;
	struct rec_sandbox_state *sandbox_state;
	struct rec_model_routing *model_routing;
	struct rec_limit_state *limit_state;
	struct rec_cost_state *cost_state;
	struct {
		struct rec_subagent **items;
		uint32_t count, cap;
	} subagents;
	struct {
		struct rec_job **items;
		uint32_t count, cap;
	} jobs;
	struct {
		struct rec_channel **items;
		uint32_t count, cap;
	} channels;
	struct {
		struct rec_output **items;
		uint32_t count, cap;
	} outputs;
	struct {
		struct rec_task **items;
		uint32_t count, cap;
	} tasks;
	struct rec_task_graph *task_graph;
	struct {
		struct rec_blocked_task **items;
		uint32_t count, cap;
	} blocked_tasks;
	struct rec_delivery_state *delivery_state;
	struct rec_thread_telemetry *telemetry;
	struct rec_thread_history *history;
	struct rec_context_boundary *context_boundary;
	struct rec_diagnostics *diagnostics;
	struct rec_evidence_summary *evidence_summary;
	struct {
		struct rec_todo_item **items;
		uint32_t count, cap;
	} todo;
};

extern const struct rec_desc rec_thread_view_desc;

struct rec_session_view {
	struct str schema_version;
	struct str runtime_id;
	struct str session_id;
	struct str workspace_id;
	struct str title;
	int64_t created_at;
	int64_t updated_at;
	int64_t sequence;
	int64_t fold_version;
	bool stale;
	bool truncated;
	struct rec_account *account;
	struct list_str active_thread_ids;
	struct list_str pinned_thread_ids;
	struct rec_history_window *history_window;
	struct {
		struct rec_thread_view **items;
		uint32_t count, cap;
	} threads;
	struct {
		struct rec_task **items;
		uint32_t count, cap;
	} tasks;
	struct rec_task_summary *task_summary;
	struct rec_task_graph *task_graph;
	struct {
		struct rec_blocked_task **items;
		uint32_t count, cap;
	} blocked_tasks;
	struct rec_delivery_state *delivery_state;
	struct str tool_inventory_ref;
	struct rec_execution_environment *execution_environment;
	struct rec_permission_state *permission_state;
	struct rec_sandbox_state *sandbox_state;
	struct rec_model_routing *routing_limit_summary;
	struct rec_subagent_job_section *subagent_job_summary;
	struct rec_channel_section *channel_summary;
	struct rec_benchmark_section *benchmark_summary;
	struct rec_telemetry_summary *telemetry_summary;
	struct rec_output_summary *output_summary;
	struct rec_history_summary *history_summary;
	struct list_str artifact_refs;
	struct list_str evidence_refs;
};

extern const struct rec_desc rec_session_view_desc;

struct st_open {
	enum gate_kind kind;
	struct str id;
};

extern const struct rec_desc st_open_desc;

struct st_session {
	struct str session_id;
	struct str kind;
	struct str title;
	struct str workspace_id;
	struct str cwd;
	int64_t created_at;
	int64_t updated_at;
	int64_t clock_offset_ms;
	bool has_clock_offset_ms;
	STATE_CONST struct rec_actor *created_by;
	enum permission_mode permission_mode;
	bool archived;
	struct list_str pinned_thread_ids;
	struct str model;
	enum runtime_state runtime_state;
	int64_t sequence;
	int64_t removed_through;
	struct {
		STATE_CONST struct st_open **items;
		uint32_t count, cap;
	} open;
	struct {
		STATE_CONST struct st_thread **items;
		uint32_t count, cap;
	} threads;
	struct {
		STATE_CONST struct st_task **items;
		uint32_t count, cap;
	} tasks;
	struct {
		STATE_CONST struct st_job **items;
		uint32_t count, cap;
	} jobs;
	struct {
		STATE_CONST struct st_schedule **items;
		uint32_t count, cap;
	} schedules;
	struct {
		STATE_CONST struct st_delivery **items;
		uint32_t count, cap;
	} deliveries;
	struct {
		STATE_CONST struct st_subagent **items;
		uint32_t count, cap;
	} subagents;
	struct {
		STATE_CONST struct st_channel **items;
		uint32_t count, cap;
	} channels;
	struct {
		STATE_CONST struct st_grant **items;
		uint32_t count, cap;
	} grants;
	struct str rules;
	int64_t policy_version;
	struct str rules_ref;
	struct str rules_trouble;
	int64_t cap_usd;
	bool has_cap_usd;
	struct {
		STATE_CONST struct st_provider_limit **items;
		uint32_t count, cap;
	} limits;
	struct {
		STATE_CONST struct st_artifact **items;
		uint32_t count, cap;
	} artifacts;
	struct {
		STATE_CONST struct rec_output **items;
		uint32_t count, cap;
	} outputs;
	struct {
		STATE_CONST struct st_expiring **items;
		uint32_t count, cap;
	} expiring;
	int64_t spent_usd;
	int64_t reserved_usd;
	bool cost_unknown;
	bool cost_estimated;
	int64_t told_usage;
	int64_t untold_usage;
	int64_t input_tokens;
	int64_t cached_input_tokens;
	int64_t cache_write_tokens;
	int64_t output_tokens;
	int64_t reasoning_tokens;
	int64_t allowed;
	int64_t asked;
	int64_t denied;
	int64_t output_count;
	int64_t output_bytes;
	int64_t output_expired;
	int64_t turn_count;
	int64_t tasks_completed;
	int64_t tasks_failed;
	int64_t tasks_lost;
	int64_t tasks_cancelled;
	int64_t tasks_timed_out;
	int64_t compactions;
	int64_t rollbacks;
	bool degraded;
	struct list_str missing;
	STATE_CONST struct rec_execution_environment *environment;
	struct str inventory_ref;
	struct str catalog_hash;
	int64_t catalog_sequence;
	struct list_str trace_ids;
	struct str start_turn_id;
	int64_t start_hooks;
	bool start_is_over;
	struct str metadata;
};

extern const struct rec_desc st_session_desc;

struct st_thread {
	struct str thread_id;
	enum thread_kind kind;
	enum thread_status status;
	enum status profile_status;
	struct str status_reason;
	struct str parent_thread_id;
	struct str active_turn_id;
	struct str queue_id;
	struct list_str order;
	bool held;
	enum on_busy on_busy;
	enum queue_policy on_interrupt;
	struct {
		STATE_CONST struct st_turn **items;
		uint32_t count, cap;
	} turns;
	struct {
		STATE_CONST struct st_action **items;
		uint32_t count, cap;
	} actions;
	struct {
		STATE_CONST struct st_call **items;
		uint32_t count, cap;
	} calls;
	struct {
		STATE_CONST struct st_process **items;
		uint32_t count, cap;
	} processes;
	struct {
		STATE_CONST struct st_hook **items;
		uint32_t count, cap;
	} hooks;
	struct list_str hook_context_refs;
	STATE_CONST struct rec_sandbox_profile *cage;
	struct str cage_turn_id;
	struct list_str violation_refs;
	struct {
		STATE_CONST struct st_incident **items;
		uint32_t count, cap;
	} incidents;
	struct {
		STATE_CONST struct st_history **items;
		uint32_t count, cap;
	} history;
	int64_t turn_count;
	int64_t ended_turns;
	int64_t messages;
	STATE_CONST struct rec_last_outcome *last_outcome;
	STATE_CONST struct rec_wait *wait;
	STATE_CONST struct rec_fork_point *forked_from;
	struct {
		STATE_CONST struct st_compaction **items;
		uint32_t count, cap;
	} compactions;
	STATE_CONST struct st_compaction_run *compaction;
	STATE_CONST struct st_rollback_run *rollback;
	struct {
		STATE_CONST struct rec_context_item **items;
		uint32_t count, cap;
	} sources;
	struct list_str context_warnings;
	int64_t measured_tokens;
	int64_t measured_base;
	int64_t estimated_tokens;
	struct list_str context_refs;
	struct str context_missing;
	struct str context_omissions;
	bool context_is_stale;
	struct {
		STATE_CONST struct st_incident **items;
		uint32_t count, cap;
	} lost_workers;
	struct str interrupt;
	bool fallback_applied;
	int64_t created_at;
	int64_t updated_at;
	struct {
		STATE_CONST struct rec_todo_item **items;
		uint32_t count, cap;
	} todo;
	struct str todo_turn_id;
	int64_t todo_sequence;
	struct {
		STATE_CONST struct st_mark **items;
		uint32_t count, cap;
	} marks;
	int64_t cut_through;
	int64_t cut_room;
};

extern const struct rec_desc st_thread_desc;

struct st_mark {
	int64_t from_sequence;
	int64_t to_sequence;
	int64_t turns;
	int64_t tokens;
	int64_t messages;
};

extern const struct rec_desc st_mark_desc;

struct st_history {
	struct str turn_id;
	int64_t from_sequence;
	int64_t to_sequence;
	int64_t tokens;
	int64_t messages;
};

extern const struct rec_desc st_history_desc;

struct st_compaction {
	enum compaction_trigger trigger;
	struct str turn_id;
	struct list_str affected_turns;
	struct str summary_ref;
	struct str continuation_ref;
	int64_t started_sequence;
	int64_t sequence;
	int64_t tokens_before;
	int64_t tokens_after;
	int64_t summary_tokens;
	int64_t turns;
	int64_t through_sequence;
};

extern const struct rec_desc st_compaction_desc;

struct st_compaction_run {
	struct str turn_id;
	enum compaction_trigger trigger;
	struct str reason;
	struct list_str affected_turns;
	int64_t tokens_before;
	int64_t started_at;
	int64_t started_sequence;
	struct str step_id;
	int64_t step_index;
	int64_t retries;
	int64_t failures;
	struct list_str tried;
	struct str turn_provider;
	struct str turn_model;
	int64_t turns;
	int64_t through_sequence;
	bool is_cut;
};

extern const struct rec_desc st_compaction_run_desc;

struct st_rollback_run {
	int64_t target_sequence;
	struct str target_turn_id;
	struct list_str removed_turns;
	int64_t removed_count;
	bool has_removed_count;
	int64_t remaining_turns;
	bool has_remaining_turns;
};

extern const struct rec_desc st_rollback_run_desc;

struct st_incident {
	struct str kind;
	struct str message;
	int64_t at;
	int64_t sequence;
	struct str turn_id;
	struct str ref;
};

extern const struct rec_desc st_incident_desc;

struct st_step {
	struct str step_id;
	int64_t started_sequence;
	enum item_kind kind;
	int64_t index;
	enum status status;
	struct str tool_call_id;
	int64_t ended_sequence;
	bool has_ended_sequence;
};

extern const struct rec_desc st_step_desc;

struct st_turn {
	struct str turn_id;
	enum turn_kind kind;
	enum status status;
	enum turn_stage stage;
	enum phase phase;
	struct str status_reason;
	struct str task_id;
	struct str run_id;
	struct str attempt_id;
	int64_t run_number;
	struct str prepared_run_id;
	struct str input_ref;
	struct str input_preview;
	struct str source;
	enum delivery delivery;
	struct str merged_into;
	struct str config_ref;
	struct str output_schema;
	struct str requested_model;
	int64_t submitted_at;
	int64_t started_at;
	int64_t ended_at;
	int64_t submitted_sequence;
	int64_t ended_sequence;
	int64_t step_count;
	struct {
		STATE_CONST struct st_step **items;
		uint32_t count, cap;
	} steps;
	struct str profile;
	struct str candidates;
	struct str decision;
	struct str limit;
	STATE_CONST struct rec_cost_state *cost;
	struct str provider;
	struct str model;
	int64_t context_tokens;
	int64_t input_estimate;
	int64_t images;
	int64_t messages;
	int64_t compacted_request;
	struct {
		STATE_CONST struct rec_context_ref **items;
		uint32_t count, cap;
	} context_items;
	struct str instructions;
	struct str model_request_id;
	int64_t request_sequence;
	int64_t request_number;
	int64_t attempt;
	int64_t requested_at;
	int64_t request_timeout_ms;
	int64_t first_piece_at;
	struct str text_step_id;
	int64_t text_index;
	int64_t text_bytes;
	struct str text_preview;
	struct str reasoning_step_id;
	int64_t reasoning_index;
	int64_t reasoning_bytes;
	struct str reasoning_preview;
	int64_t input_tokens;
	int64_t cached_input_tokens;
	int64_t cache_write_tokens;
	int64_t output_tokens;
	int64_t reasoning_tokens;
	int64_t spent_usd;
	int64_t reserved_usd;
	int64_t reckoned_percent;
	bool has_reckoned_percent;
	bool cost_unknown;
	bool cost_estimated;
	int64_t told_usage;
	int64_t untold_usage;
	int64_t cap_usd;
	bool has_cap_usd;
	struct list_str reserved_against;
	enum fallback_policy fallback;
	struct str task_kind;
	struct list_str requires;
	enum latency_target latency;
	bool estimate_open;
	enum wait_for waiting_for;
	struct list_str steered;
	struct str stop_cause;
	STATE_CONST struct rec_actor *stop_by;
	struct str stop_reason;
	enum queue_policy queue_policy;
	int64_t retry_at;
	int64_t failures;
	int64_t retry_spent_ms;
	int64_t cut_answers;
	STATE_CONST struct rec_last_error *last_error;
	struct str last_message_ref;
	struct str last_message_preview;
	struct str last_message_step_id;
	struct str request_id;
	struct str trace_id;
	struct str span_id;
	int64_t user_turn;
	int64_t prompt_hooks;
	int64_t sampling_hooks;
	int64_t stop_hooks;
	int64_t stop_blocks;
	bool stop_is_blocked;
	struct str job_id;
	struct str job_item_id;
};

extern const struct rec_desc st_turn_desc;

struct st_call {
	struct str tool_call_id;
	struct str step_id;
	struct str turn_id;
	struct str tool_name;
	struct str provider_call_id;
	enum item_kind kind;
	int64_t index;
	enum status status;
	struct str args;
	struct str args_ref;
	bool redacted;
	bool has_redacted;
	bool valid;
	enum tool_policy policy;
	bool read_only;
	bool destructive;
	bool concurrency_safe;
	bool asks_user;
	bool by_runtime;
	int64_t until;
	STATE_CONST struct rec_permission_decision *permission;
	bool judged;
	struct str action_id;
	bool dispatched;
	int64_t dispatched_sequence;
	int64_t started_at;
	enum executed executed;
	struct str output_ref;
	int64_t output_bytes;
	enum sandbox_mode sandbox_mode;
	struct str process_id;
	struct list_str violation_refs;
	STATE_CONST struct rec_sandbox_override *needs;
	STATE_CONST struct rec_sandbox_override *wanted;
	bool asks_more;
	STATE_CONST struct rec_sandbox_override *override;
	struct str approved_ref;
	struct str shown_ref;
	int64_t pre_hooks;
	int64_t ask_hooks;
	int64_t post_hooks;
	struct list_str hook_run_ids;
	enum hook_decision hook_decision;
	struct str hook_reason;
	bool hook_failed;
	struct {
		STATE_CONST struct rec_policy_record **items;
		uint32_t count, cap;
	} policy_records;
	int64_t exit_code;
	bool has_exit_code;
	int64_t duration_ms;
	bool has_duration_ms;
	enum error_category category;
	struct str message;
	struct str preview;
	bool is_error;
	int64_t started_sequence;
	int64_t ended_sequence;
	struct str span_id;
};

extern const struct rec_desc st_call_desc;

struct st_expiring {
	struct str output_ref;
	int64_t at;
	int64_t size_bytes;
	struct str sha256;
};

extern const struct rec_desc st_expiring_desc;

struct st_hook {
	STATE_CONST struct rec_hook_run *run;
	struct str turn_id;
	struct str tool_call_id;
};

extern const struct rec_desc st_hook_desc;

struct st_process {
	struct str process_id;
	struct str tool_call_id;
	struct str turn_id;
	struct str summary;
	enum process_status status;
	struct str native_status;
	int64_t exit_code;
	bool has_exit_code;
	struct str output_ref;
	int64_t output_bytes;
	bool background;
	struct str step_id;
	bool tty;
	bool input_closed;
	struct str trace_id;
	int64_t pid;
	bool has_pid;
	enum liveness liveness;
	int64_t started_at;
	int64_t ended_at;
	struct str span_id;
	struct str task_id;
	enum terminated_by stop_by;
	struct str stop_reason;
	STATE_CONST struct rec_actor *stop_actor;
};

extern const struct rec_desc st_process_desc;

struct st_action {
	struct str action_id;
	enum action_type action_type;
	enum action_status status;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str step_id;
	struct str tool_call_id;
	struct str tool_name;
	struct str prompt;
	struct str rule;
	struct str schema;
	enum decision_kind decision_kind;
	struct str decisions;
	struct str input_ref;
	int64_t input_bytes;
	STATE_CONST struct rec_sandbox_override *override;
	int64_t requested_at;
	int64_t expires_at;
	enum approval_decision on_expiry;
	struct list_str ended_by;
	int64_t sequence;
	enum approval_decision decision;
	enum grant_scope scope;
	STATE_CONST struct rec_actor *decided_by;
	int64_t resolved_at;
	struct str reason;
	struct str parent_thread_id;
	struct str subagent_id;
	struct str parent_turn_id;
	struct str parent_task_id;
	struct list_str forwarded_to;
};

extern const struct rec_desc st_action_desc;

struct st_task {
	STATE_CONST struct rec_task *record;
	struct {
		STATE_CONST struct rec_task_attempt **items;
		uint32_t count, cap;
	} attempts;
	int64_t runs;
	int64_t tool_calls;
	int64_t activity_at;
	enum task_status shown_status;
	int64_t output_bytes;
	int64_t model_requests;
	enum phase phase;
	int64_t started_sequence;
	int64_t changed_sequence;
	bool implicit;
	bool wanted;
	int64_t queued_sequence;
	struct str queued_reason;
	STATE_CONST struct rec_worker *worker;
	struct str input_ref;
	int64_t input_sequence;
	struct {
		STATE_CONST struct rec_input_part **items;
		uint32_t count, cap;
	} input;
	STATE_CONST struct rec_retry_policy *retry_policy;
	int64_t tries;
	enum attempt_cause run_cause;
	int64_t retry_at;
	struct str next_run_id;
	struct str next_turn_id;
	struct str next_attempt_id;
	struct list_str declared;
	enum task_status paused_from;
	bool cancelled;
	enum propagation propagation;
	struct str cancel_reason;
	STATE_CONST struct rec_actor *cancel_by;
	STATE_CONST struct rec_blocker *blocker;
	STATE_CONST struct rec_wait *wait;
	int64_t spent_usd;
	int64_t reserved_usd;
};

extern const struct rec_desc st_task_desc;

struct st_delivery {
	STATE_CONST struct rec_delivery *record;
	struct str thread_id;
};

extern const struct rec_desc st_delivery_desc;

struct st_schedule {
	STATE_CONST struct rec_schedule *record;
	int64_t created_at;
};

extern const struct rec_desc st_schedule_desc;

struct st_subagent {
	STATE_CONST struct rec_subagent *record;
	int64_t budget_usd;
	bool has_budget_usd;
	int64_t spent_usd;
	struct str ended_turn_id;
	int64_t created_at;
	int64_t updated_at;
	int64_t worktree_sequence;
};

extern const struct rec_desc st_subagent_desc;

struct st_job {
	STATE_CONST struct rec_job *record;
	struct str input_ref;
	struct str output_schema;
	struct {
		STATE_CONST struct st_job_item **items;
		uint32_t count, cap;
	} running;
	struct {
		STATE_CONST struct st_job_item **items;
		uint32_t count, cap;
	} waiting;
	int64_t created_at;
	int64_t created_sequence;
	int64_t started_at;
	int64_t ended_at;
	bool stopping;
	int64_t spent_usd;
	int64_t budget_usd;
	bool has_budget_usd;
};

extern const struct rec_desc st_job_desc;

struct st_job_item {
	int64_t index;
	int64_t attempts;
	struct str thread_id;
	struct str turn_id;
	struct str worker_id;
	int64_t lease_until;
	int64_t started_at;
};

extern const struct rec_desc st_job_item_desc;

struct st_provider_limit {
	struct str provider;
	enum limit_kind kind;
	enum limit_status state;
	int64_t until;
	int64_t used;
	bool has_used;
	int64_t limit;
	bool has_limit;
	int64_t sequence;
};

extern const struct rec_desc st_provider_limit_desc;

struct st_channel {
	STATE_CONST struct rec_channel *record;
	enum status status;
	int64_t acked;
};

extern const struct rec_desc st_channel_desc;

struct st_grant {
	struct str grant_id;
	enum grant_scope scope;
	struct str match;
	enum policy_source source;
	struct str cwd;
	int64_t granted_at;
	int64_t expires_at;
	struct str turn_id;
};

extern const struct rec_desc st_grant_desc;

struct st_artifact {
	struct str artifact_id;
	struct str version_id;
	struct str path;
	struct str kind;
	struct str read_ref;
	struct str preview_ref;
	struct str diff_ref;
	struct str turn_id;
	struct str task_id;
	int64_t sequence;
	int64_t version;
	struct str owner;
	int64_t issues;
	bool has_issues;
	STATE_CONST struct rec_artifact_validation *validation;
	struct {
		STATE_CONST struct rec_artifact_version **items;
		uint32_t count, cap;
	} checkpoints;
};

extern const struct rec_desc st_artifact_desc;

struct event {
	enum event_type type;
	struct str event_id;
	int64_t sequence;
	int64_t timestamp;
	struct str schema_version;
	struct str runtime_id;
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str parent_task_id;
	struct str root_task_id;
	struct str run_id;
	struct str attempt_id;
	struct str step_id;
	struct str tool_call_id;
	struct str model_request_id;
	struct str process_id;
	struct str output_ref;
	struct str queue_id;
	struct str action_id;
	struct str channel_id;
	struct str subagent_id;
	struct str job_id;
	struct str job_item_id;
	struct str request_id;
	struct str artifact_id;
	struct str evidence_id;
	struct str trace_id;
	struct str span_id;
	enum status status;
	enum phase phase;
	struct str status_reason;
	struct str native_status;
	struct rec_command_fact *command;
	struct rec_item *item;
	struct rec_task *task;
	struct rec_task_attempt *task_attempt;
	struct rec_task_relationship *task_relationship;
	struct rec_task_graph *task_graph;
	struct rec_task_progress *task_progress;
	struct rec_task_acceptance *task_acceptance;
	struct rec_worker *worker;
	struct rec_delivery_state *delivery_state;
	struct rec_permission_decision *permission_decision;
	struct rec_sandbox_profile *sandbox_profile;
	struct rec_routing_decision *routing_decision;
	struct rec_candidate_model_set *candidate_model_set;
	struct rec_task_profile *task_profile;
	struct rec_cost_state *cost_state;
	struct rec_limit_state *limit_state;
	struct rec_limit_event *limit_event;
	struct rec_hook_run *hook_run;
	struct rec_execution_environment *execution_environment;
	struct rec_channel *channel;
	struct rec_job *job;
	struct rec_job_item *job_item;
	struct rec_output *output;
	struct rec_history_boundary *history_boundary;
	struct rec_telemetry *telemetry;
	struct rec_correlation *correlation;
	struct rec_benchmark *benchmark;
	struct rec_trajectory *trajectory;
	struct rec_reward *reward;
	struct rec_comparison *comparison;
	const void *payload;
	struct dict refs;
};

extern const struct rec_desc event_desc;

struct ev_action_required {
	enum action_type action_type;
	struct str tool_name;
	enum decision_kind decision_kind;
	struct {
		struct rec_decision_option **items;
		uint32_t count, cap;
	} decisions;
	struct str prompt;
	struct str schema;
	struct rec_action_scope *scope;
	struct rec_action_policy *policy;
	struct rec_wait *wait;
	enum approval_decision on_expiry;
	struct str parent_thread_id;
	struct str subagent_id;
	struct rec_sandbox_override *override;
	struct str reason;
	struct str input_ref;
	int64_t input_bytes;
	bool has_input_bytes;
};

extern const struct rec_desc ev_action_required_desc;

struct ev_action_resolved {
	enum approval_decision decision;
	enum grant_scope scope;
	struct str answer_ref;
	struct str answer_preview;
	struct rec_actor *decided_by;
	int64_t waited_ms;
	struct str reason;
	struct str input_ref;
	enum action_type action_type;
};

extern const struct rec_desc ev_action_resolved_desc;

struct ev_artifact_changed {
	enum artifact_change change;
	struct str kind;
	struct str path;
	struct str version_id;
	struct str previous_version_id;
	struct str media_type;
	int64_t size_bytes;
	bool has_size_bytes;
	struct str sha256;
	struct str owner;
	int64_t issues;
	bool has_issues;
	struct rec_artifact_validation *validation;
	bool append;
	bool has_append;
	bool last_chunk;
	bool has_last_chunk;
};

extern const struct rec_desc ev_artifact_changed_desc;

struct ev_benchmark_dataset_resolved {
	struct str selection_policy;
	int64_t frozen_at;
	struct str local_path;
	struct str registry_ref;
	struct str content_hash;
	int64_t task_count;
	bool has_task_count;
};

extern const struct rec_desc ev_benchmark_dataset_resolved_desc;

struct ev_benchmark_configuration_resolved {
	struct str runtime_version;
	struct str agent;
	struct str model;
	struct str prompt_profile;
	struct str tool_profile;
	struct str context_profile;
	struct str routing_profile;
	struct str config_hash;
};

extern const struct rec_desc ev_benchmark_configuration_resolved_desc;

struct ev_benchmark_trial_started {
	int64_t attempt;
	int64_t timeout_sec;
	struct str single_changed_variable;
	int64_t budget_usd;
	bool has_budget_usd;
	enum sandbox_mode sandbox_mode;
};

extern const struct rec_desc ev_benchmark_trial_started_desc;

struct ev_benchmark_trial_completed {
	int64_t duration_ms;
	bool timed_out;
	int64_t artifact_count;
	struct str cleanup;
	struct rec_tokens *tokens;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
};

extern const struct rec_desc ev_benchmark_trial_completed_desc;

struct ev_benchmark_trial_failed {
	struct str failure_category;
	enum error_category category;
	struct str message;
	int64_t duration_ms;
	bool has_duration_ms;
	bool timed_out;
	struct str cleanup;
	struct list_str feedback_refs;
};

extern const struct rec_desc ev_benchmark_trial_failed_desc;

struct ev_benchmark_reward_recorded {
	double reward;
	struct list_str criteria;
	struct str failure_category;
	struct str verifier_status;
	struct str verifier_ref;
	struct str oracle_sanity;
	struct str drift;
	bool trajectory_transferred;
	bool has_trajectory_transferred;
};

extern const struct rec_desc ev_benchmark_reward_recorded_desc;

struct ev_benchmark_comparison_completed {
	struct str baseline_configuration_id;
	struct str candidate_configuration_id;
	int64_t trials;
	struct str decision;
	struct str decision_source;
	struct str remaining_risk;
};

extern const struct rec_desc ev_benchmark_comparison_completed_desc;

struct ev_channel_connected {
	struct str cause;
	enum transport transport;
	enum peer_role peer_role;
};

extern const struct rec_desc ev_channel_connected_desc;

struct ev_channel_disconnected {
	enum disconnect_cause cause;
	int64_t last_acked_sequence;
	bool has_last_acked_sequence;
	int64_t last_seen_at;
	bool will_retry;
	bool has_will_retry;
	struct str message;
};

extern const struct rec_desc ev_channel_disconnected_desc;

struct ev_channel_resumed {
	int64_t from_sequence;
	int64_t last_acked_sequence;
	int64_t snapshot_sequence;
	bool has_snapshot_sequence;
	bool gap;
	bool has_gap;
	enum transport transport;
};

extern const struct rec_desc ev_channel_resumed_desc;

struct ev_channel_message {
	struct str kind;
	struct str direction;
	struct str preview;
	struct str message_ref;
	struct rec_remote_task *remote_task;
	struct str local_task_id;
};

extern const struct rec_desc ev_channel_message_desc;

struct ev_channel_permission_forwarded {
	struct rec_actor *requested_by;
	struct rec_permission_subject *subject;
	int64_t expires_at;
};

extern const struct rec_desc ev_channel_permission_forwarded_desc;

struct ev_channel_permission_returned {
	enum approval_decision decision;
	enum decided_side decided_side;
	enum bridge_source source;
	bool channel_scoped;
	struct str reason;
};

extern const struct rec_desc ev_channel_permission_returned_desc;

struct ev_context_resolved {
	struct list_str memory_refs;
	struct list_str knowledge_refs;
	struct list_str workspace_refs;
	struct list_str browser_refs;
	struct list_str instruction_refs;
	struct list_str policy_facts;
	struct {
		struct rec_missing_ref **items;
		uint32_t count, cap;
	} omissions;
	struct {
		struct rec_missing_ref **items;
		uint32_t count, cap;
	} missing;
	struct rec_history_range *history;
	struct rec_context_budget *budget;
	struct list_str hook_context_refs;
	struct {
		struct rec_context_item **items;
		uint32_t count, cap;
	} sources;
	struct list_str tool_refs;
};

extern const struct rec_desc ev_context_resolved_desc;

struct ev_context_compaction_started {
	enum compaction_trigger trigger;
	struct list_str affected_turns;
	int64_t tokens_before;
	bool has_tokens_before;
	struct str reason;
	struct rec_actor *requested_by;
	int64_t turns;
	bool has_turns;
	int64_t through_sequence;
	bool has_through_sequence;
};

extern const struct rec_desc ev_context_compaction_started_desc;

struct ev_context_compaction_completed {
	enum compaction_trigger trigger;
	struct list_str affected_turns;
	struct str summary_ref;
	struct str summary_preview;
	struct str continuation_ref;
	struct rec_token_change *tokens;
	int64_t summary_tokens;
	bool has_summary_tokens;
	struct rec_preserved *preserved;
	int64_t retries;
	bool has_retries;
	int64_t duration_ms;
	bool has_duration_ms;
	int64_t turns;
	bool has_turns;
	int64_t through_sequence;
	bool has_through_sequence;
};

extern const struct rec_desc ev_context_compaction_completed_desc;

struct ev_context_compaction_failed {
	enum compaction_trigger trigger;
	struct list_str affected_turns;
	enum error_category category;
	struct str message;
	bool retryable;
	int64_t retries;
	bool has_retries;
	int64_t turns;
	bool has_turns;
};

extern const struct rec_desc ev_context_compaction_failed_desc;

struct ev_cost_estimated {
	enum cost_class cost_class;
	int64_t input_tokens;
	int64_t max_output_tokens;
	int64_t estimated_usd;
	bool has_estimated_usd;
	int64_t reckoned_percent;
	bool has_reckoned_percent;
	struct rec_reservation *reservation;
	enum honesty amount_state;
	struct str reason;
	enum unpriced_policy policy;
};

extern const struct rec_desc ev_cost_estimated_desc;

struct ev_cost_recorded {
	int64_t amount_usd;
	bool has_amount_usd;
	int64_t released_usd;
	bool has_released_usd;
	enum honesty amount_state;
	struct str reason;
	enum cost_basis basis;
	int64_t input_tokens;
	bool has_input_tokens;
	int64_t cached_input_tokens;
	bool has_cached_input_tokens;
	int64_t cache_write_tokens;
	bool has_cache_write_tokens;
	int64_t output_tokens;
	bool has_output_tokens;
	int64_t reasoning_tokens;
	bool has_reasoning_tokens;
	enum honesty usage_state;
	struct rec_overrun *overrun;
	struct str corrects;
};

extern const struct rec_desc ev_cost_recorded_desc;

struct ev_evidence_changed {
	enum evidence_change change;
	struct str kind;
	struct str pack_ref;
	struct str replay_ref;
	struct str review_ref;
	struct str trace_ref;
	struct rec_correlation *scope;
	bool partial;
	bool has_partial;
	int64_t from_sequence;
	bool has_from_sequence;
	int64_t to_sequence;
	bool has_to_sequence;
	struct str head_hash;
	struct str signals;
	struct list_str known_gaps;
	struct {
		struct rec_verification **items;
		uint32_t count, cap;
	} verification_outcomes;
};

extern const struct rec_desc ev_evidence_changed_desc;

struct ev_history_window_loaded {
	enum window_cause cause;
	int64_t from_sequence;
	int64_t to_sequence;
	int64_t turns;
	int64_t older_turns;
	struct str cursor;
	int64_t omitted_through;
	bool has_omitted_through;
	struct str reason;
	int64_t room_tokens;
	bool has_room_tokens;
};

extern const struct rec_desc ev_history_window_loaded_desc;

struct ev_history_reconstructed {
	enum history_cause cause;
	int64_t through_sequence;
	bool degraded;
	enum log_tail tail;
	struct list_str open_actions;
	struct list_str queued_turns;
	struct list_str open_processes;
	struct {
		struct rec_lost_thing **items;
		uint32_t count, cap;
	} lost;
	struct list_str missing;
};

extern const struct rec_desc ev_history_reconstructed_desc;

struct ev_history_rollback_started {
	struct str target_turn_id;
	int64_t target_sequence;
	struct list_str removed_turns;
	struct rec_actor *requested_by;
	struct str reason;
	int64_t removed_count;
	bool has_removed_count;
	int64_t remaining_turns;
	bool has_remaining_turns;
};

extern const struct rec_desc ev_history_rollback_started_desc;

struct ev_history_rollback_completed {
	int64_t target_sequence;
	struct list_str removed_turns;
	struct str baseline_ref;
	struct rec_rollback_effects *affected;
	struct list_str repaired_models;
	int64_t removed_count;
	bool has_removed_count;
	int64_t remaining_turns;
	bool has_remaining_turns;
};

extern const struct rec_desc ev_history_rollback_completed_desc;

struct ev_hook_started {
	enum hook_point point;
	struct str handler_ref;
	int64_t timeout_ms;
	struct str preview;
};

extern const struct rec_desc ev_hook_started_desc;

struct ev_hook_completed {
	enum hook_point point;
	int64_t duration_ms;
	enum hook_decision decision;
	struct str updated_input_ref;
	struct str updated_tool_output_ref;
	struct list_str additional_context_refs;
	bool suppress_output;
	struct str reason;
};

extern const struct rec_desc ev_hook_completed_desc;

struct ev_hook_failed {
	enum hook_point point;
	int64_t duration_ms;
	bool has_duration_ms;
	enum error_category category;
	struct str message;
	bool retryable;
	enum fail_policy fail_policy;
};

extern const struct rec_desc ev_hook_failed_desc;

struct ev_job_created {
	int64_t item_count;
	struct str instruction_ref;
	struct str input_ref;
	int64_t max_runtime_ms;
	bool has_max_runtime_ms;
	int64_t concurrency;
	struct str schedule_id;
	struct str output_schema;
	int64_t budget_usd;
	bool has_budget_usd;
	struct rec_actor *created_by;
};

extern const struct rec_desc ev_job_created_desc;

struct ev_job_started {
	struct str cause;
	int64_t started_at;
	int64_t from_item;
	int64_t retry_item;
	bool has_retry_item;
	int64_t retry_attempts;
	bool has_retry_attempts;
};

extern const struct rec_desc ev_job_started_desc;

struct ev_job_progress {
	struct rec_job_counts *progress;
	int64_t item_cursor;
};

extern const struct rec_desc ev_job_progress_desc;

struct ev_job_item_started {
	int64_t index;
	int64_t attempt;
	struct str assigned_thread_id;
	struct rec_worker *worker;
};

extern const struct rec_desc ev_job_item_started_desc;

struct ev_job_item_completed {
	int64_t index;
	int64_t attempt;
	int64_t duration_ms;
	bool has_duration_ms;
	struct rec_actor *reported_by;
};

extern const struct rec_desc ev_job_item_completed_desc;

struct ev_job_item_failed {
	int64_t index;
	int64_t attempt;
	enum error_category category;
	struct str message;
	bool retryable;
	struct str assigned_thread_id;
	bool will_retry;
};

extern const struct rec_desc ev_job_item_failed_desc;

struct ev_job_completed {
	struct rec_job_counts *progress;
	int64_t duration_ms;
	bool has_duration_ms;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
};

extern const struct rec_desc ev_job_completed_desc;

struct ev_job_failed {
	enum error_category category;
	struct str message;
	bool retryable;
	struct rec_job_counts *progress;
};

extern const struct rec_desc ev_job_failed_desc;

struct ev_job_cancelled {
	struct str reason;
	struct rec_actor *cancelled_by;
	struct rec_job_counts *progress;
};

extern const struct rec_desc ev_job_cancelled_desc;

struct ev_limit_changed {
	enum limit_kind kind;
	enum limit_scope scope;
	enum limit_source source;
	struct rec_limit_value *before;
	struct rec_limit_value *after;
	struct str reason;
};

extern const struct rec_desc ev_limit_changed_desc;

struct ev_model_requested {
	struct str provider;
	struct str model;
	int64_t attempt;
	int64_t request_number;
	int64_t message_count;
	int64_t tool_count;
	bool stream;
	int64_t max_output_tokens;
	struct list_str merged_turn_ids;
	struct str provenance;
	int64_t timeout_ms;
	bool has_timeout_ms;
};

extern const struct rec_desc ev_model_requested_desc;

struct ev_model_delta {
	enum delta_kind kind;
	struct str text;
	int64_t text_offset;
	int64_t chunks;
	int64_t content_index;
	int64_t tool_call_index;
	bool has_tool_call_index;
};

extern const struct rec_desc ev_model_delta_desc;

struct ev_model_completed {
	enum stop_reason stop_reason;
	struct rec_usage *usage;
	enum honesty usage_state;
	int64_t tool_call_count;
	int64_t duration_ms;
	int64_t time_to_first_token_ms;
	bool has_time_to_first_token_ms;
	struct rec_text_summary *text;
	struct str provider_request_id;
	struct str response_model;
	struct str misfit;
};

extern const struct rec_desc ev_model_completed_desc;

struct ev_model_failed {
	enum error_category category;
	int64_t http_status;
	bool has_http_status;
	bool retryable;
	int64_t attempt;
	struct str provider;
	struct str model;
	struct str message;
	int64_t bytes_received;
	struct rec_usage *usage;
	enum honesty usage_state;
	int64_t duration_ms;
	int64_t retry_after_ms;
	bool has_retry_after_ms;
	enum executed executed;
	struct str reason;
	struct str provider_request_id;
};

extern const struct rec_desc ev_model_failed_desc;

struct ev_output_spilled {
	int64_t size_bytes;
	struct str policy;
	bool complete;
};

extern const struct rec_desc ev_output_spilled_desc;

struct ev_output_truncated {
	enum truncation truncation;
	struct str policy;
	int64_t kept_bytes;
	int64_t omitted_bytes;
	enum truncated_for for_;
};

extern const struct rec_desc ev_output_truncated_desc;

struct ev_output_redacted {
	enum redaction redaction;
	struct str reason;
	int64_t count;
	struct str rule_ref;
	bool original_kept;
};

extern const struct rec_desc ev_output_redacted_desc;

struct ev_output_expired {
	enum expiry_reason reason;
	int64_t size_bytes;
	struct str sha256;
};

extern const struct rec_desc ev_output_expired_desc;

struct ev_permission_evaluated {
	enum approval_decision decision;
	enum decision_source decision_source;
	enum decision_subject subject;
	struct str tool_name;
	bool destructive;
	bool has_destructive;
};

extern const struct rec_desc ev_permission_evaluated_desc;

struct ev_permission_requested {
	enum ask_from from;
	struct str tool_name;
	int64_t expires_at;
	enum approval_decision on_expiry;
};

extern const struct rec_desc ev_permission_requested_desc;

struct ev_permission_resolved {
	enum approval_decision decision;
	enum decision_source decision_source;
	struct str updated_input_ref;
};

extern const struct rec_desc ev_permission_resolved_desc;

struct ev_policy_changed {
	enum policy_change change;
	struct str grant_id;
	enum grant_scope scope;
	struct rec_grant_match *match;
	enum policy_source source;
	int64_t expires_at;
	bool revocable;
	bool has_revocable;
	struct str before;
	struct str after;
	enum permission_mode mode;
	struct list_str rule_refs;
	struct str rules;
	struct str cwd;
	struct str reason;
	struct str content_hash;
	struct str schedule_id;
	struct rec_schedule *schedule;
	int64_t next_at;
	int64_t missed;
	bool has_missed;
};

extern const struct rec_desc ev_policy_changed_desc;

struct ev_process_started {
	struct str command_summary;
	struct list_str subcommands;
	struct str cwd;
	bool tty;
	bool destructive;
	enum sandbox_mode sandbox_mode;
	enum network_mode network;
	struct str justification;
	bool background;
	enum on_turn_end on_turn_end;
	int64_t pid;
	bool has_pid;
	struct str override_reason;
};

extern const struct rec_desc ev_process_started_desc;

struct ev_process_output {
	enum process_stream stream;
	int64_t offset;
	int64_t bytes;
	int64_t chunks;
	bool binary;
	bool has_binary;
};

extern const struct rec_desc ev_process_output_desc;

struct ev_process_input {
	int64_t bytes;
	struct str input_ref;
	struct str preview;
	int64_t output_offset;
	bool has_output_offset;
	bool eof;
	bool has_eof;
	struct rec_actor *requested_by;
};

extern const struct rec_desc ev_process_input_desc;

struct ev_process_completed {
	int64_t exit_code;
	int64_t duration_ms;
	struct list_str output_refs;
	int64_t max_rss_bytes;
	bool has_max_rss_bytes;
	int64_t cpu_ms;
	bool has_cpu_ms;
	struct {
		struct rec_reached_host **items;
		uint32_t count, cap;
	} hosts;
	struct list_str limits_reached;
	int64_t dropped_bytes;
	bool has_dropped_bytes;
};

extern const struct rec_desc ev_process_completed_desc;

struct ev_process_failed {
	enum error_category category;
	struct str reason;
	enum liveness liveness;
	enum honesty exit_state;
	int64_t durable_output_bytes;
	bool has_durable_output_bytes;
	struct list_str output_refs;
	struct str message;
	int64_t duration_ms;
	bool has_duration_ms;
	struct {
		struct rec_reached_host **items;
		uint32_t count, cap;
	} hosts;
	struct list_str limits_reached;
	int64_t dropped_bytes;
	bool has_dropped_bytes;
};

extern const struct rec_desc ev_process_failed_desc;

struct ev_process_terminated {
	enum terminated_by by;
	struct str cause;
	struct str signal;
	bool escalated;
	int64_t duration_ms;
	int64_t survivors;
	struct list_str output_refs;
	struct rec_actor *requested_by;
	struct {
		struct rec_reached_host **items;
		uint32_t count, cap;
	} hosts;
};

extern const struct rec_desc ev_process_terminated_desc;

struct ev_queue_changed {
	enum queue_change change;
	struct str queued_turn_id;
	struct list_str order;
	struct rec_queue_rules *policy;
	int64_t position;
	bool has_position;
	struct rec_actor *requested_by;
	int64_t waited_ms;
	bool has_waited_ms;
	struct str reason;
};

extern const struct rec_desc ev_queue_changed_desc;

struct ev_rate_limit_hit {
	struct str provider;
	int64_t retry_after_ms;
	bool has_retry_after_ms;
	enum rate_action action;
	struct str reason;
};

extern const struct rec_desc ev_rate_limit_hit_desc;

struct ev_quota_low {
	enum limit_scope scope;
	struct str provider;
	int64_t remaining;
	bool has_remaining;
	int64_t limit;
	bool has_limit;
	int64_t remaining_usd;
	bool has_remaining_usd;
	int64_t cap_usd;
	bool has_cap_usd;
	int64_t threshold_percent;
	int64_t reset_at;
};

extern const struct rec_desc ev_quota_low_desc;

struct ev_quota_blocked {
	enum limit_scope scope;
	struct str provider;
	struct str reason;
	int64_t limit;
	bool has_limit;
	int64_t cap_usd;
	bool has_cap_usd;
	int64_t spent_usd;
	bool has_spent_usd;
	int64_t needed_usd;
	bool has_needed_usd;
	int64_t reset_at;
	struct str remedy;
};

extern const struct rec_desc ev_quota_blocked_desc;

struct ev_reasoning_delta {
	enum reasoning_kind kind;
	struct str text;
	int64_t text_offset;
	int64_t chunks;
	enum reasoning_channel channel;
};

extern const struct rec_desc ev_reasoning_delta_desc;

struct ev_reasoning_summary {
	enum summary_source source;
	struct str preview;
	int64_t bytes;
	enum truncation truncation;
	enum redaction redaction;
};

extern const struct rec_desc ev_reasoning_summary_desc;

struct ev_routing_candidates_resolved {
	int64_t candidate_count;
	int64_t excluded_count;
};

extern const struct rec_desc ev_routing_candidates_resolved_desc;

struct ev_routing_decided {
	enum routing_mode routing_mode;
	struct str selected_provider;
	struct str selected_model;
	enum routing_source decision_source;
};

extern const struct rec_desc ev_routing_decided_desc;

struct ev_routing_fallback_applied {
	struct rec_model_name *from;
	struct rec_model_name *to;
	enum error_category cause;
	int64_t chain_position;
	int64_t switched_after_ms;
};

extern const struct rec_desc ev_routing_fallback_applied_desc;

struct ev_routing_not_possible {
	int64_t candidate_count;
	struct str capability_gap;
	enum routing_source decision_source;
	struct str remedy;
};

extern const struct rec_desc ev_routing_not_possible_desc;

struct ev_routing_single_candidate {
	struct str task_kind;
	int64_t candidate_count;
	struct str selected_model;
	enum routing_source decision_source;
	struct str capability_gap;
	struct str decision_reason;
	enum cost_class cost_class;
	enum limit_status limit_state;
};

extern const struct rec_desc ev_routing_single_candidate_desc;

struct ev_run_status {
	enum run_status_kind kind;
	struct str title;
	struct str detail;
	struct rec_actor *requested_by;
	struct str reason;
	enum queue_policy queue_policy;
	struct {
		struct rec_thing **items;
		uint32_t count, cap;
	} stopping;
	int64_t attempt;
	bool has_attempt;
	struct rec_wait *wait;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} checkpoints;
	struct str metadata;
};

extern const struct rec_desc ev_run_status_desc;

struct ev_runtime_warning {
	enum warning_category category;
	struct str message;
	struct str cause;
	struct str ref;
	struct str remedy;
	struct rec_wait *wait;
	int64_t count;
	bool has_count;
	int64_t clock_offset_ms;
	bool has_clock_offset_ms;
	int64_t stamp_ahead_ms;
	bool has_stamp_ahead_ms;
};

extern const struct rec_desc ev_runtime_warning_desc;

struct ev_runtime_error {
	enum error_category category;
	struct str kind;
	struct str message;
	bool retryable;
	bool has_retryable;
	struct str refused_type;
	struct str refused_by;
	struct str ref;
	struct str remedy;
};

extern const struct rec_desc ev_runtime_error_desc;

struct ev_sandbox_applied {
	enum sandbox_mode mode;
	struct str tier;
	bool degraded;
	struct str reason;
};

extern const struct rec_desc ev_sandbox_applied_desc;

struct ev_sandbox_violation {
	enum violation_kind kind;
	struct str operation;
	struct str path;
	struct str host;
	int64_t port;
	bool has_port;
	struct str syscall;
	struct str errno_;
	struct str rule;
	struct str address;
	bool blocked;
	bool fallback;
	bool has_fallback;
	struct str would_allow;
	int64_t count;
	bool has_count;
	struct rec_sandbox_override *needs;
};

extern const struct rec_desc ev_sandbox_violation_desc;

struct ev_session_created {
	struct str title;
	struct str workspace_id;
	struct str cwd;
	struct rec_actor *created_by;
	enum permission_mode permission_mode;
	struct list_str policy_refs;
	struct str model;
	struct str metadata;
	struct rec_fork_point *forked_from;
	struct str baseline_ref;
	int64_t clock_offset_ms;
	bool has_clock_offset_ms;
};

extern const struct rec_desc ev_session_created_desc;

struct ev_session_updated {
	struct list_str changed;
	struct str title;
	struct str workspace_id;
	struct str cwd;
	enum permission_mode permission_mode;
	struct str model;
	struct list_str pinned_thread_ids;
	bool archived;
	bool has_archived;
	struct str metadata;
	struct rec_actor *updated_by;
	struct rec_delivery *delivery;
	struct rec_runtime_run *runtime;
	struct rec_log_anchor *anchor;
};

extern const struct rec_desc ev_session_updated_desc;

struct ev_snapshot_updated {
	struct list_str models;
	int64_t reflects_sequence;
	int64_t fold_version;
	enum recovery_mode recovery_mode;
	struct str kind;
	int64_t removed_through;
	bool has_removed_through;
	struct str head_hash;
	struct str snapshot_ref;
};

extern const struct rec_desc ev_snapshot_updated_desc;

struct ev_snapshot_repaired {
	struct list_str models;
	struct str reason;
	int64_t reflects_sequence;
	enum recovery_mode recovery_mode;
	int64_t gap_from;
	bool has_gap_from;
	int64_t gap_to;
	bool has_gap_to;
	int64_t dropped_bytes;
	bool has_dropped_bytes;
	struct list_str stale;
};

extern const struct rec_desc ev_snapshot_repaired_desc;

struct ev_subagent_spawned {
	struct str parent_thread_id;
	struct str parent_turn_id;
	struct str parent_task_id;
	struct str parent_subagent_id;
	struct str child_thread_id;
	struct str role;
	struct str nickname;
	struct rec_isolation *isolation;
	enum model_policy model_policy;
	struct str model;
	int64_t budget_usd;
	bool has_budget_usd;
	struct str input_ref;
};

extern const struct rec_desc ev_subagent_spawned_desc;

struct ev_subagent_status {
	enum subagent_status_kind kind;
	enum subagent_status from;
	struct str output_ref;
	struct str last_message_ref;
	struct str summary;
	enum worktree_state worktree_state;
};

extern const struct rec_desc ev_subagent_status_desc;

struct ev_subagent_input {
	struct str input_ref;
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} input;
	struct rec_actor *from;
	struct str child_turn_id;
};

extern const struct rec_desc ev_subagent_input_desc;

struct ev_subagent_completed {
	struct str last_message_ref;
	struct list_str artifact_refs;
	enum honesty usage_state;
	struct rec_tokens *usage;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
	struct str summary;
};

extern const struct rec_desc ev_subagent_completed_desc;

struct ev_subagent_failed {
	enum error_category category;
	struct str message;
	bool retryable;
	struct str last_message_ref;
};

extern const struct rec_desc ev_subagent_failed_desc;

struct ev_subagent_closed {
	struct str reason;
	struct rec_actor *closed_by;
	int64_t survivors;
	bool has_survivors;
};

extern const struct rec_desc ev_subagent_closed_desc;

struct ev_task_created {
	struct str objective;
	bool implicit;
	struct str idempotency_key;
	struct str parent_task_id;
	struct rec_retry_policy *retry_policy;
	struct str schedule_id;
	int64_t scheduled_for;
	int64_t next_at;
	int64_t missed;
	bool has_missed;
};

extern const struct rec_desc ev_task_created_desc;

struct ev_task_accepted {
	struct str accepted_by;
};

extern const struct rec_desc ev_task_accepted_desc;

struct ev_task_queued {
	struct str reason;
	enum task_status from;
	struct str behind;
	int64_t position;
	bool has_position;
	struct list_str blocked_by;
	struct str cause;
	struct str input_ref;
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} input;
	int64_t until;
	struct str next_turn_id;
};

extern const struct rec_desc ev_task_queued_desc;

struct ev_task_started {
	struct str cause;
};

extern const struct rec_desc ev_task_started_desc;

struct ev_task_updated {
	struct list_str changed;
	struct rec_actor *updated_by;
	struct list_str declared;
	bool stale;
	bool has_stale;
};

extern const struct rec_desc ev_task_updated_desc;

struct ev_task_progress {
	enum phase phase;
	struct rec_counters *counters;
	struct str summary;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} output_refs;
	struct rec_actor *source;
};

extern const struct rec_desc ev_task_progress_desc;

struct ev_task_waiting {
	enum wait_for for_;
	struct str action_id;
	int64_t until;
	struct rec_wait *wait;
};

extern const struct rec_desc ev_task_waiting_desc;

struct ev_task_blocked {
	struct rec_blocker *blocker;
	struct list_str ended_by;
};

extern const struct rec_desc ev_task_blocked_desc;

struct ev_task_paused {
	struct str reason;
	struct rec_actor *paused_by;
};

extern const struct rec_desc ev_task_paused_desc;

struct ev_task_resumed {
	enum task_status from;
	struct rec_resume_cause *cause;
};

extern const struct rec_desc ev_task_resumed_desc;

struct ev_task_retrying {
	struct str reason;
	struct str previous_run_id;
	int64_t attempt;
	struct rec_actor *requested_by;
	struct list_str inherits;
	enum attempt_cause cause;
	int64_t until;
	struct str recalled;
};

extern const struct rec_desc ev_task_retrying_desc;

struct ev_task_cancel_requested {
	struct str reason;
	struct rec_actor *requested_by;
	enum propagation propagation;
};

extern const struct rec_desc ev_task_cancel_requested_desc;

struct ev_task_cancelled {
	struct str reason;
	struct rec_actor *cancelled_by;
};

extern const struct rec_desc ev_task_cancelled_desc;

struct ev_task_timed_out {
	struct str limit;
	int64_t limit_ms;
	int64_t elapsed_ms;
	bool has_elapsed_ms;
};

extern const struct rec_desc ev_task_timed_out_desc;

struct ev_task_failed {
	enum error_category category;
	bool retryable;
	struct str message;
	struct list_str unmet;
	struct str remedy;
};

extern const struct rec_desc ev_task_failed_desc;

struct ev_task_lost {
	struct str reason;
	enum worker_kind worker;
	bool effect_in_flight;
	bool has_effect_in_flight;
};

extern const struct rec_desc ev_task_lost_desc;

struct ev_task_completed {
	struct rec_reconciled *reconciled;
	struct rec_actor *completed_by;
};

extern const struct rec_desc ev_task_completed_desc;

struct ev_task_archived {
	struct str reason;
	struct rec_actor *archived_by;
	struct str recalled;
};

extern const struct rec_desc ev_task_archived_desc;

struct ev_task_profile_resolved {
	struct str kind;
	struct str settings_source;
};

extern const struct rec_desc ev_task_profile_resolved_desc;

struct ev_task_delegated {
	struct str to;
	struct str child_task_id;
	struct str subagent_id;
	struct str job_id;
	struct rec_remote_task *remote_task;
	struct str reason;
};

extern const struct rec_desc ev_task_delegated_desc;

struct ev_task_dependency_updated {
	enum edge_change change;
	enum edge_kind relationship;
	struct str from_task_id;
	struct str to_task_id;
	struct str target_id;
};

extern const struct rec_desc ev_task_dependency_updated_desc;

struct ev_task_attempt_started {
	int64_t attempt;
	enum attempt_cause cause;
};

extern const struct rec_desc ev_task_attempt_started_desc;

struct ev_task_attempt_completed {
	int64_t attempt;
	enum attempt_status status;
};

extern const struct rec_desc ev_task_attempt_completed_desc;

struct ev_task_attempt_failed {
	enum status status;
	bool retryable;
	enum error_category failure_category;
	struct str next_attempt_policy;
	struct str message;
};

extern const struct rec_desc ev_task_attempt_failed_desc;

struct ev_thread_started {
	enum thread_kind kind;
	struct str cause;
	struct str title;
	struct rec_fork_point *forked_from;
	struct str parent_thread_id;
	struct rec_queue_rules *queue_policy;
};

extern const struct rec_desc ev_thread_started_desc;

struct ev_thread_updated {
	struct str active_turn_id;
	enum status profile_status;
	struct rec_last_outcome *last_outcome;
	int64_t queued;
	bool has_queued;
	struct list_str pending_action_ids;
	struct str cause;
};

extern const struct rec_desc ev_thread_updated_desc;

struct ev_tool_catalog_resolved {
	int64_t tool_count;
	enum permission_mode mode;
	struct {
		struct rec_inventory_tool **items;
		uint32_t count, cap;
	} tools;
	bool tools_truncated;
	bool has_tools_truncated;
	struct str catalog_hash;
	int64_t unchanged_since;
	bool has_unchanged_since;
};

extern const struct rec_desc ev_tool_catalog_resolved_desc;

struct ev_tool_started {
	struct str tool_name;
	struct str safe_args;
	struct str args_ref;
	enum tool_policy policy;
	struct str runtime_owner;
	bool is_read_only;
	bool is_concurrency_safe;
	bool is_destructive;
	enum interrupt_behavior interrupt_behavior;
	struct str provider_call_id;
};

extern const struct rec_desc ev_tool_started_desc;

struct ev_tool_args {
	enum args_kind kind;
	enum updated_by updated_by;
	struct str hook_run_id;
	struct str action_id;
	struct str safe_args;
	bool valid;
	int64_t bytes;
	bool has_bytes;
	struct list_str errors;
	struct str input_ref;
	struct str previous_input_ref;
	struct str safe_args_ref;
	bool redacted;
	bool has_redacted;
};

extern const struct rec_desc ev_tool_args_desc;

struct ev_tool_progress {
	enum tool_progress_kind kind;
	struct str message;
	int64_t completed;
	bool has_completed;
	int64_t total;
	bool has_total;
	bool by_runtime;
	bool has_by_runtime;
	int64_t until;
};

extern const struct rec_desc ev_tool_progress_desc;

struct ev_tool_result {
	struct str tool_name;
	int64_t exit_code;
	bool has_exit_code;
	int64_t duration_ms;
	struct str display_preview;
	struct str structured_content_ref;
	enum truncation truncation;
	struct str raw_output_ref;
	int64_t model_bytes;
	bool has_model_bytes;
	struct list_str artifact_refs;
	enum approval_decision permission_decision;
	enum sandbox_mode sandbox_mode;
	struct list_str hook_run_ids;
	bool is_error;
	struct str error_ref;
	struct list_str violation_refs;
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} images;
	struct str decision_id;
	int64_t output_bytes;
	bool has_output_bytes;
};

extern const struct rec_desc ev_tool_result_desc;

struct ev_tool_failed {
	struct str tool_name;
	enum error_category category;
	struct str reason;
	bool retryable;
	enum executed executed;
	struct str advice;
	struct str display_preview;
	struct str raw_output_ref;
	int64_t model_bytes;
	bool has_model_bytes;
	enum approval_decision permission_decision;
	enum sandbox_mode sandbox_mode;
	struct list_str violation_refs;
	struct list_str hook_run_ids;
	int64_t exit_code;
	bool has_exit_code;
	int64_t duration_ms;
	bool has_duration_ms;
	struct str error_ref;
	struct str decision_id;
	int64_t output_bytes;
	bool has_output_bytes;
};

extern const struct rec_desc ev_tool_failed_desc;

struct ev_turn_submitted {
	enum status status;
	struct str source;
	struct str input_ref;
	struct {
		struct rec_input_part **items;
		uint32_t count, cap;
	} input;
	enum delivery delivery;
	enum turn_kind kind;
	struct str cause;
	struct str merged_into;
	struct str config_ref;
	struct rec_turn_options *options;
	struct str job_item_id;
	struct str subagent_id;
};

extern const struct rec_desc ev_turn_submitted_desc;

struct ev_turn_started {
	struct str environment_id;
};

extern const struct rec_desc ev_turn_started_desc;

struct ev_turn_completed {
	enum turn_outcome outcome;
	int64_t steps;
	bool has_steps;
	int64_t model_requests;
	bool has_model_requests;
	struct rec_tokens *usage;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
	enum honesty usage_state;
	enum cost_status cost_status;
	struct str merged_into;
	struct str model_request_id;
	struct str step_id;
};

extern const struct rec_desc ev_turn_completed_desc;

struct ev_turn_failed {
	enum turn_outcome outcome;
	enum error_category category;
	struct str reason;
	bool retryable;
	struct str message;
	struct str remedy;
	int64_t steps;
	bool has_steps;
	int64_t model_requests;
	bool has_model_requests;
	struct rec_tokens *usage;
	int64_t cost_usd;
	bool has_cost_usd;
	enum honesty amount_state;
	enum honesty usage_state;
	enum cost_status cost_status;
	struct rec_actor *ended_by;
};

extern const struct rec_desc ev_turn_failed_desc;

struct cmd_respond_action {
	struct str session_id;
	struct str action_id;
	enum approval_decision decision;
	enum grant_scope scope;
	struct str reason;
	struct str input;
	struct str payload;
	int64_t expires_at;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_respond_action_desc;

struct reply_respond_action {
	struct str action_id;
	enum approval_decision decision;
	enum grant_scope scope;
	struct str grant_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_respond_action_desc;

struct cmd_list_actions {
	struct str session_id;
	struct str thread_id;
	enum action_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_actions_desc;

struct reply_list_actions {
	struct {
		struct rec_action_view **items;
		uint32_t count, cap;
	} actions;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_actions_desc;

struct cmd_start_benchmark_trial {
	struct str session_id;
	struct rec_benchmark *benchmark;
	struct str input;
	int64_t timeout_sec;
	bool has_timeout_sec;
	int64_t budget_usd;
	bool has_budget_usd;
	enum sandbox_mode sandbox_mode;
	struct dict refs;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_start_benchmark_trial_desc;

struct reply_start_benchmark_trial {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str run_id;
	struct str trial_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_start_benchmark_trial_desc;

struct cmd_record_benchmark_reward {
	struct str session_id;
	struct str trial_id;
	struct rec_reward *reward;
	struct str verifier_status;
	struct dict refs;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_record_benchmark_reward_desc;

struct reply_record_benchmark_reward {
	struct str trial_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_record_benchmark_reward_desc;

struct cmd_export_benchmark_trial {
	struct str session_id;
	struct str trial_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_export_benchmark_trial_desc;

struct reply_export_benchmark_trial {
	struct str trial_id;
	struct str evidence_id;
	struct str pack_ref;
	struct rec_trajectory *trajectory;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_export_benchmark_trial_desc;

struct cmd_compare_benchmark_runs {
	struct str session_id;
	struct str baseline_configuration_id;
	struct str candidate_configuration_id;
	struct str single_changed_variable;
	struct str decision;
	struct str decision_source;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_compare_benchmark_runs_desc;

struct reply_compare_benchmark_runs {
	struct rec_comparison *comparison;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_compare_benchmark_runs_desc;

struct cmd_reconnect_channel {
	struct str channel_id;
	struct str session_id;
	int64_t last_acked_sequence;
	bool has_last_acked_sequence;
	struct str resume_token;
	enum transport transport;
	enum peer_role peer_role;
	struct list_str capabilities;
	struct str native_protocol;
	bool follow;
	bool has_follow;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_reconnect_channel_desc;

struct reply_reconnect_channel {
	struct str channel_id;
	struct str resume_token;
	int64_t from_sequence;
	bool gap;
	bool has_gap;
	int64_t gap_from;
	bool has_gap_from;
	int64_t gap_to;
	bool has_gap_to;
	enum recovery_mode recovery_mode;
	struct list_str stale;
	struct str snapshot;
	struct str subscription_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_reconnect_channel_desc;

struct cmd_ack_events {
	struct str channel_id;
	struct str session_id;
	int64_t sequence;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_ack_events_desc;

struct reply_ack_events {
	struct str channel_id;
	int64_t last_acked_sequence;
};

extern const struct rec_desc reply_ack_events_desc;

struct cmd_list_channels {
	struct str session_id;
	enum peer_role peer_role;
};

extern const struct rec_desc cmd_list_channels_desc;

struct reply_list_channels {
	struct {
		struct rec_channel **items;
		uint32_t count, cap;
	} channels;
};

extern const struct rec_desc reply_list_channels_desc;

struct cmd_export_evidence {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str format;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_export_evidence_desc;

struct reply_export_evidence {
	struct str evidence_id;
	struct str pack_ref;
	bool partial;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_export_evidence_desc;

struct cmd_export_replay {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str format;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_export_replay_desc;

struct reply_export_replay {
	struct str evidence_id;
	struct str replay_ref;
	bool partial;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_export_replay_desc;

struct cmd_export_review {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str format;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_export_review_desc;

struct reply_export_review {
	struct str evidence_id;
	struct str review_ref;
	bool partial;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_export_review_desc;

struct cmd_create_job {
	struct str session_id;
	struct str job_id;
	struct str task_id;
	struct str instruction;
	struct list_str items;
	struct str input_ref;
	struct str output_schema;
	int64_t concurrency;
	bool has_concurrency;
	int64_t max_attempts;
	bool has_max_attempts;
	int64_t max_runtime_ms;
	bool has_max_runtime_ms;
	int64_t budget_usd;
	bool has_budget_usd;
	bool start;
	bool has_start;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_create_job_desc;

struct reply_create_job {
	struct str session_id;
	struct str job_id;
	enum job_status status;
	int64_t sequence;
	bool has_sequence;
	int64_t item_count;
};

extern const struct rec_desc reply_create_job_desc;

struct cmd_get_job {
	struct str session_id;
	struct str job_id;
};

extern const struct rec_desc cmd_get_job_desc;

struct reply_get_job {
	struct rec_job *job;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_get_job_desc;

struct cmd_list_jobs {
	struct str session_id;
	enum job_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_jobs_desc;

struct reply_list_jobs {
	struct {
		struct rec_job **items;
		uint32_t count, cap;
	} jobs;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_jobs_desc;

struct cmd_start_job {
	struct str session_id;
	struct str job_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_start_job_desc;

struct reply_start_job {
	struct str job_id;
	enum job_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_start_job_desc;

struct cmd_heartbeat_job_item {
	struct str session_id;
	struct str job_id;
	struct str job_item_id;
	struct str worker_id;
	int64_t lease_ms;
	bool has_lease_ms;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_heartbeat_job_item_desc;

struct reply_heartbeat_job_item {
	struct str job_id;
	struct str job_item_id;
	int64_t lease_until;
	enum job_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_heartbeat_job_item_desc;

struct cmd_cancel_job {
	struct str session_id;
	struct str job_id;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_cancel_job_desc;

struct reply_cancel_job {
	struct str job_id;
	enum job_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_cancel_job_desc;

struct cmd_list_job_items {
	struct str session_id;
	struct str job_id;
	enum job_item_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_job_items_desc;

struct reply_list_job_items {
	struct {
		struct rec_job_item **items;
		uint32_t count, cap;
	} items;
	struct str next_cursor;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_job_items_desc;

struct cmd_retry_job_item {
	struct str session_id;
	struct str job_id;
	struct str job_item_id;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_retry_job_item_desc;

struct reply_retry_job_item {
	struct str job_id;
	struct str job_item_id;
	enum job_item_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_retry_job_item_desc;

struct cmd_assign_job_item {
	struct str session_id;
	struct str job_id;
	struct str job_item_id;
	struct str worker_id;
	int64_t lease_ms;
	bool has_lease_ms;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_assign_job_item_desc;

struct reply_assign_job_item {
	struct str job_id;
	struct str job_item_id;
	enum job_item_status status;
	int64_t sequence;
	bool has_sequence;
	int64_t lease_until;
};

extern const struct rec_desc reply_assign_job_item_desc;

struct cmd_report_job_item {
	struct str session_id;
	struct str job_id;
	struct str job_item_id;
	struct str worker_id;
	struct str output;
	struct rec_last_error *error;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_report_job_item_desc;

struct reply_report_job_item {
	struct str job_id;
	struct str job_item_id;
	enum job_item_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_report_job_item_desc;

struct cmd_create_schedule {
	struct str session_id;
	struct str schedule_id;
	struct str cron;
	int64_t every_ms;
	bool has_every_ms;
	int64_t at;
	struct str timezone;
	enum missed_policy missed_policy;
	enum overlap_policy overlap;
	struct str task;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_create_schedule_desc;

struct reply_create_schedule {
	struct str session_id;
	struct str schedule_id;
	int64_t next_at;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_create_schedule_desc;

struct cmd_list_schedules {
	struct str session_id;
	enum schedule_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_schedules_desc;

struct reply_list_schedules {
	struct {
		struct rec_schedule **items;
		uint32_t count, cap;
	} schedules;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_schedules_desc;

struct cmd_pause_schedule {
	struct str session_id;
	struct str schedule_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_pause_schedule_desc;

struct reply_pause_schedule {
	struct str schedule_id;
	enum schedule_status status;
	int64_t next_at;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_pause_schedule_desc;

struct cmd_resume_schedule {
	struct str session_id;
	struct str schedule_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resume_schedule_desc;

struct reply_resume_schedule {
	struct str schedule_id;
	enum schedule_status status;
	int64_t next_at;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_resume_schedule_desc;

struct cmd_delete_schedule {
	struct str session_id;
	struct str schedule_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_delete_schedule_desc;

struct reply_delete_schedule {
	struct str schedule_id;
	enum schedule_status status;
	int64_t next_at;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_delete_schedule_desc;

struct cmd_evaluate_permission {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str tool_call_id;
	struct str process_id;
	enum decision_subject subject;
	struct str tool_name;
	struct str input;
	bool record;
	bool has_record;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_evaluate_permission_desc;

struct reply_evaluate_permission {
	struct rec_permission_decision *permission_decision;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_evaluate_permission_desc;

struct cmd_resolve_permission {
	struct str session_id;
	struct str action_id;
	enum approval_decision decision;
	struct str record;
	enum decision_source decision_source;
	struct str reason;
	struct list_str rule_refs;
	enum grant_scope scope;
	int64_t expires_at;
	struct str input;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resolve_permission_desc;

struct reply_resolve_permission {
	struct str action_id;
	enum approval_decision decision;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_resolve_permission_desc;

struct cmd_list_grants {
	struct str session_id;
	enum grant_scope scope;
};

extern const struct rec_desc cmd_list_grants_desc;

struct reply_list_grants {
	struct {
		struct rec_grant **items;
		uint32_t count, cap;
	} grants;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_grants_desc;

struct cmd_list_rules {
	struct str session_id;
};

extern const struct rec_desc cmd_list_rules_desc;

struct reply_list_rules {
	struct {
		struct rec_rule_row **items;
		uint32_t count, cap;
	} rules;
	enum permission_mode mode;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_rules_desc;

struct cmd_revoke_grant {
	struct str session_id;
	struct str grant_id;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_revoke_grant_desc;

struct reply_revoke_grant {
	struct str grant_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_revoke_grant_desc;

struct cmd_trust_hooks {
	struct str content_hash;
	struct str cwd;
	struct str ref;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_trust_hooks_desc;

struct reply_trust_hooks {
	struct str content_hash;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_trust_hooks_desc;

struct cmd_trust_tool_server {
	struct str server;
	struct str cwd;
	struct str content_hash;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_trust_tool_server_desc;

struct reply_trust_tool_server {
	struct str server;
	struct str content_hash;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_trust_tool_server_desc;

struct cmd_set_policy {
	struct str session_id;
	enum grant_scope scope;
	struct str rules;
	bool replace;
	bool has_replace;
	struct str reason;
	int64_t expected_version;
	bool has_expected_version;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_set_policy_desc;

struct reply_set_policy {
	struct str policy_ref;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_set_policy_desc;

struct cmd_set_mode {
	struct str session_id;
	enum permission_mode mode;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_set_mode_desc;

struct reply_set_mode {
	enum permission_mode mode;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_set_mode_desc;

struct cmd_get_execution_environment {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
};

extern const struct rec_desc cmd_get_execution_environment_desc;

struct reply_get_execution_environment {
	struct rec_execution_environment *execution_environment;
	struct rec_sandbox_profile *sandbox_profile;
	struct {
		struct rec_process_view **items;
		uint32_t count, cap;
	} processes;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_get_execution_environment_desc;

struct cmd_get_permission_sandbox_summary {
	struct str session_id;
};

extern const struct rec_desc cmd_get_permission_sandbox_summary_desc;

struct reply_get_permission_sandbox_summary {
	char nothing;
};

extern const struct rec_desc reply_get_permission_sandbox_summary_desc;

struct cmd_write_process_stdin {
	struct str session_id;
	struct str process_id;
	struct str data;
	bool base64;
	bool has_base64;
	bool eof;
	bool has_eof;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_write_process_stdin_desc;

struct reply_write_process_stdin {
	struct str process_id;
	int64_t bytes;
	int64_t output_offset;
	bool has_output_offset;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_write_process_stdin_desc;

struct cmd_terminate_process {
	struct str session_id;
	struct str process_id;
	struct str reason;
	int64_t grace_ms;
	bool has_grace_ms;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_terminate_process_desc;

struct reply_terminate_process {
	struct str process_id;
	enum process_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_terminate_process_desc;

struct cmd_resize_process {
	struct str session_id;
	struct str process_id;
	int64_t columns;
	int64_t rows;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resize_process_desc;

struct reply_resize_process {
	struct str process_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_resize_process_desc;

struct cmd_list_processes {
	struct str session_id;
	enum process_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_processes_desc;

struct reply_list_processes {
	struct {
		struct rec_process_view **items;
		uint32_t count, cap;
	} processes;
	struct list_str placeholders;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_processes_desc;

struct cmd_remove_queued_turn {
	struct str session_id;
	struct str thread_id;
	struct str queued_turn_id;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_remove_queued_turn_desc;

struct reply_remove_queued_turn {
	struct str queued_turn_id;
	struct list_str order;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_remove_queued_turn_desc;

struct cmd_promote_queued_turn {
	struct str session_id;
	struct str thread_id;
	struct str queued_turn_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_promote_queued_turn_desc;

struct reply_promote_queued_turn {
	struct str queued_turn_id;
	struct list_str order;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_promote_queued_turn_desc;

struct cmd_move_queued_turn {
	struct str session_id;
	struct str thread_id;
	struct str queued_turn_id;
	int64_t position;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_move_queued_turn_desc;

struct reply_move_queued_turn {
	struct str queued_turn_id;
	struct list_str order;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_move_queued_turn_desc;

struct cmd_list_queue {
	struct str session_id;
	struct str thread_id;
};

extern const struct rec_desc cmd_list_queue_desc;

struct reply_list_queue {
	struct str thread_id;
	struct rec_queue_view *queue;
	struct {
		struct rec_queued_turn_view **items;
		uint32_t count, cap;
	} queued_turns;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_queue_desc;

struct cmd_get_session {
	struct str session_id;
	int64_t window;
	bool has_window;
	struct list_str sections;
	struct str cursor;
};

extern const struct rec_desc cmd_get_session_desc;

struct reply_get_session {
	char nothing;
};

extern const struct rec_desc reply_get_session_desc;

struct cmd_explain_thread {
	struct str session_id;
	struct str thread_id;
};

extern const struct rec_desc cmd_explain_thread_desc;

struct reply_explain_thread {
	struct str thread_id;
	struct str turn_id;
	enum thread_status status;
	enum status profile_status;
	struct str waiting_for;
	int64_t since;
	int64_t until;
	struct str deadline;
	struct list_str ended_by;
	struct list_str pending_action_ids;
	struct list_str queued_turn_ids;
	struct str detail;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_explain_thread_desc;

struct cmd_get_thread_read {
	struct str session_id;
	struct str thread_id;
	int64_t window;
	bool has_window;
};

extern const struct rec_desc cmd_get_thread_read_desc;

struct reply_get_thread_read {
	char nothing;
};

extern const struct rec_desc reply_get_thread_read_desc;

struct cmd_get_tool_inventory {
	struct str session_id;
	struct str thread_id;
	enum permission_mode mode;
	struct str caller;
};

extern const struct rec_desc cmd_get_tool_inventory_desc;

struct reply_get_tool_inventory {
	char nothing;
};

extern const struct rec_desc reply_get_tool_inventory_desc;

struct cmd_list_sessions {
	struct str workspace_id;
	enum thread_status status;
	bool archived;
	bool has_archived;
	bool system;
	bool has_system;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_sessions_desc;

struct reply_list_sessions {
	struct {
		struct rec_session_row **items;
		uint32_t count, cap;
	} sessions;
	struct str next_cursor;
	struct rec_recovery_progress *recovery;
};

extern const struct rec_desc reply_list_sessions_desc;

struct cmd_list_models {
	struct str provider;
};

extern const struct rec_desc cmd_list_models_desc;

struct reply_list_models {
	struct {
		struct rec_model_row **items;
		uint32_t count, cap;
	} models;
	struct {
		struct rec_budget **items;
		uint32_t count, cap;
	} budgets;
};

extern const struct rec_desc reply_list_models_desc;

struct cmd_list_hooks {
	struct str cwd;
};

extern const struct rec_desc cmd_list_hooks_desc;

struct reply_list_hooks {
	struct {
		struct rec_hook_row **items;
		uint32_t count, cap;
	} hooks;
	struct str path;
	struct str content_hash;
};

extern const struct rec_desc reply_list_hooks_desc;

struct cmd_list_tool_servers {
	char nothing;
};

extern const struct rec_desc cmd_list_tool_servers_desc;

struct reply_list_tool_servers {
	struct {
		struct rec_tool_server **items;
		uint32_t count, cap;
	} servers;
};

extern const struct rec_desc reply_list_tool_servers_desc;

struct cmd_list_threads {
	struct str session_id;
	enum thread_kind kind;
	enum thread_status status;
};

extern const struct rec_desc cmd_list_threads_desc;

struct reply_list_threads {
	struct {
		struct rec_thread_row **items;
		uint32_t count, cap;
	} threads;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_threads_desc;

struct cmd_list_events {
	struct str session_id;
	int64_t after;
	bool has_after;
	int64_t before;
	bool has_before;
	struct str cursor;
	struct list_str types;
	struct str thread_id;
	struct str turn_id;
	int64_t limit;
	bool has_limit;
	enum event_form as;
};

extern const struct rec_desc cmd_list_events_desc;

struct reply_list_events {
	struct list_str events;
	int64_t last_sequence;
	bool has_last_sequence;
	int64_t first_sequence;
	bool has_first_sequence;
	bool more;
	struct rec_gap *gap;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_events_desc;

struct cmd_subscribe_events {
	struct str thread_id;
	struct str turn_id;
	bool follow;
	bool has_follow;
	struct str session_id;
	int64_t after;
	bool has_after;
	struct str cursor;
	struct list_str types;
	struct str channel_id;
	enum event_form as;
};

extern const struct rec_desc cmd_subscribe_events_desc;

struct reply_subscribe_events {
	struct str subscription_id;
	int64_t after;
	struct rec_gap *gap;
};

extern const struct rec_desc reply_subscribe_events_desc;

struct cmd_unsubscribe_events {
	struct str subscription_id;
};

extern const struct rec_desc cmd_unsubscribe_events_desc;

struct reply_unsubscribe_events {
	struct str subscription_id;
};

extern const struct rec_desc reply_unsubscribe_events_desc;

struct cmd_get_output {
	struct str output_ref;
	struct str session_id;
	int64_t offset;
	bool has_offset;
	int64_t length;
	bool has_length;
};

extern const struct rec_desc cmd_get_output_desc;

struct reply_get_output {
	struct rec_output *output;
	int64_t offset;
	int64_t bytes;
	struct str text;
	struct str base64;
	bool eof;
};

extern const struct rec_desc reply_get_output_desc;

struct cmd_get_artifact_checkpoint_summary {
	struct str session_id;
};

extern const struct rec_desc cmd_get_artifact_checkpoint_summary_desc;

struct reply_get_artifact_checkpoint_summary {
	char nothing;
};

extern const struct rec_desc reply_get_artifact_checkpoint_summary_desc;

struct cmd_get_routing_limit_summary {
	struct str session_id;
};

extern const struct rec_desc cmd_get_routing_limit_summary_desc;

struct reply_get_routing_limit_summary {
	char nothing;
};

extern const struct rec_desc reply_get_routing_limit_summary_desc;

struct cmd_get_context_boundary {
	struct str session_id;
	struct str thread_id;
};

extern const struct rec_desc cmd_get_context_boundary_desc;

struct reply_get_context_boundary {
	char nothing;
};

extern const struct rec_desc reply_get_context_boundary_desc;

struct cmd_create_session {
	struct str session_id;
	struct str thread_id;
	struct str title;
	struct str workspace_id;
	struct str cwd;
	struct str model;
	int64_t budget_usd;
	bool has_budget_usd;
	struct str metadata;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_create_session_desc;

struct reply_create_session {
	struct str session_id;
	struct str thread_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_create_session_desc;

struct cmd_update_session {
	struct str session_id;
	struct str title;
	struct str workspace_id;
	struct str cwd;
	struct str model;
	int64_t budget_usd;
	bool has_budget_usd;
	struct list_str pinned_thread_ids;
	bool archived;
	bool has_archived;
	struct str metadata;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_update_session_desc;

struct reply_update_session {
	struct str session_id;
	struct list_str changed;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_update_session_desc;

struct cmd_fork_thread {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	int64_t sequence;
	bool has_sequence;
	struct str into;
	struct str new_thread_id;
	struct str title;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_fork_thread_desc;

struct reply_fork_thread {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_fork_thread_desc;

struct cmd_compact_thread {
	struct str session_id;
	struct str thread_id;
	int64_t keep_turns;
	bool has_keep_turns;
	struct str instructions;
	struct str expected_turn_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_compact_thread_desc;

struct reply_compact_thread {
	struct str thread_id;
	struct str turn_id;
	enum status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_compact_thread_desc;

struct cmd_rollback_thread {
	struct str session_id;
	struct str thread_id;
	struct str to_turn_id;
	int64_t to_sequence;
	bool has_to_sequence;
	bool interrupt;
	bool has_interrupt;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_rollback_thread_desc;

struct reply_rollback_thread {
	struct str thread_id;
	struct list_str removed_turns;
	int64_t removed_count;
	bool has_removed_count;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_rollback_thread_desc;

struct cmd_spawn_subagent {
	struct str session_id;
	struct str parent_thread_id;
	struct str parent_turn_id;
	struct str parent_task_id;
	struct str subagent_id;
	struct str role;
	struct str nickname;
	struct str input;
	struct rec_isolation *isolation;
	enum model_policy model_policy;
	struct str model;
	int64_t budget_usd;
	bool has_budget_usd;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_spawn_subagent_desc;

struct reply_spawn_subagent {
	struct str subagent_id;
	enum subagent_status status;
	int64_t sequence;
	bool has_sequence;
	struct str thread_id;
	struct str turn_id;
};

extern const struct rec_desc reply_spawn_subagent_desc;

struct cmd_send_subagent_input {
	struct str session_id;
	struct str subagent_id;
	struct str input;
	enum delivery delivery;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_send_subagent_input_desc;

struct reply_send_subagent_input {
	struct str subagent_id;
	enum subagent_status status;
	int64_t sequence;
	bool has_sequence;
	struct str turn_id;
};

extern const struct rec_desc reply_send_subagent_input_desc;

struct cmd_wait_subagents {
	struct str session_id;
	struct list_str subagent_ids;
	bool all;
	bool has_all;
	int64_t timeout_ms;
	bool has_timeout_ms;
};

extern const struct rec_desc cmd_wait_subagents_desc;

struct reply_wait_subagents {
	struct {
		struct rec_subagent **items;
		uint32_t count, cap;
	} subagents;
	bool timed_out;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_wait_subagents_desc;

struct cmd_resume_subagent {
	struct str session_id;
	struct str subagent_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resume_subagent_desc;

struct reply_resume_subagent {
	struct str subagent_id;
	enum subagent_status status;
	int64_t sequence;
	bool has_sequence;
	struct str turn_id;
};

extern const struct rec_desc reply_resume_subagent_desc;

struct cmd_close_subagent {
	struct str session_id;
	struct str subagent_id;
	struct str reason;
	bool discard_worktree;
	bool has_discard_worktree;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_close_subagent_desc;

struct reply_close_subagent {
	struct str subagent_id;
	enum subagent_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_close_subagent_desc;

struct cmd_list_subagents {
	struct str session_id;
	struct str parent_thread_id;
	bool descendants;
	bool has_descendants;
	enum subagent_status status;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_subagents_desc;

struct reply_list_subagents {
	struct {
		struct rec_subagent **items;
		uint32_t count, cap;
	} subagents;
	struct str next_cursor;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_list_subagents_desc;

struct cmd_get_subagent_job_summary {
	struct str session_id;
};

extern const struct rec_desc cmd_get_subagent_job_summary_desc;

struct reply_get_subagent_job_summary {
	char nothing;
};

extern const struct rec_desc reply_get_subagent_job_summary_desc;

struct cmd_get_capabilities {
	char nothing;
};

extern const struct rec_desc cmd_get_capabilities_desc;

struct reply_get_capabilities {
	struct str name;
	struct str version;
	struct str runtime_id;
	struct str schema_version;
	struct str spec_version;
	struct str layers;
	struct str commands;
	struct str events;
	struct list_str views;
	struct list_str transports;
	struct str sandbox;
	struct list_str providers;
	struct str settings;
	struct str limits;
	struct str sections;
	struct str storage;
};

extern const struct rec_desc reply_get_capabilities_desc;

struct cmd_open_console {
	char nothing;
};

extern const struct rec_desc cmd_open_console_desc;

struct reply_open_console {
	struct str code;
	int64_t expires_at;
	struct list_str addresses;
	bool has_console;
};

extern const struct rec_desc reply_open_console_desc;

struct cmd_pair_device {
	struct str url;
	struct str name;
	bool lan;
	bool has_lan;
};

extern const struct rec_desc cmd_pair_device_desc;

struct reply_pair_device {
	struct str code;
	struct str address;
	struct str name;
	struct list_str scopes;
	int64_t expires_at;
	struct list_str addresses;
	bool has_console;
};

extern const struct rec_desc reply_pair_device_desc;

struct cmd_list_devices {
	char nothing;
};

extern const struct rec_desc cmd_list_devices_desc;

struct reply_list_devices {
	struct {
		struct rec_device **items;
		uint32_t count, cap;
	} devices;
};

extern const struct rec_desc reply_list_devices_desc;

struct cmd_revoke_device {
	struct str device_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_revoke_device_desc;

struct reply_revoke_device {
	struct str device_id;
	struct str name;
	int64_t streams;
};

extern const struct rec_desc reply_revoke_device_desc;

struct cmd_verify_log {
	struct str session_id;
	int64_t from_sequence;
	bool has_from_sequence;
};

extern const struct rec_desc cmd_verify_log_desc;

struct reply_verify_log {
	struct str status;
	int64_t sessions;
	int64_t events;
	struct rec_bad_row *first_bad;
	int64_t erased;
	struct str head_hash;
	int64_t anchored_sequence;
	bool has_anchored_sequence;
	int64_t outputs;
	bool has_outputs;
	struct list_str missing_outputs;
};

extern const struct rec_desc reply_verify_log_desc;

struct cmd_trim_log {
	struct str session_id;
	int64_t through;
	bool has_through;
	int64_t keep;
	bool has_keep;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_trim_log_desc;

struct reply_trim_log {
	struct str session_id;
	int64_t removed_through;
	struct str head_hash;
	struct str snapshot_ref;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_trim_log_desc;

struct cmd_erase_event {
	struct str session_id;
	int64_t event_sequence;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_erase_event_desc;

struct reply_erase_event {
	struct str session_id;
	int64_t event_sequence;
	struct str status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_erase_event_desc;

struct cmd_rebuild_session {
	struct str session_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_rebuild_session_desc;

struct reply_rebuild_session {
	struct str session_id;
	int64_t events;
	int64_t rows;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_rebuild_session_desc;

struct cmd_create_task {
	struct str session_id;
	struct str thread_id;
	struct str task_id;
	struct str title;
	struct str objective;
	struct str task_kind;
	struct str task_family;
	enum visibility visibility;
	struct str priority;
	struct str parent_task_id;
	struct rec_actor *assignee;
	struct rec_task_scope *scope;
	struct rec_constraints *constraints;
	struct {
		struct rec_criterion **items;
		uint32_t count, cap;
	} acceptance;
	struct rec_task_profile *task_profile;
	struct rec_retry_policy *retry_policy;
	bool start;
	bool has_start;
	enum create_policy create;
	struct str metadata;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_create_task_desc;

struct reply_create_task {
	struct str session_id;
	struct str thread_id;
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_create_task_desc;

struct cmd_update_task {
	struct str session_id;
	struct str task_id;
	struct str title;
	struct str objective;
	struct str priority;
	struct rec_actor *assignee;
	enum visibility visibility;
	struct rec_constraints *constraints;
	struct {
		struct rec_criterion **items;
		uint32_t count, cap;
	} acceptance;
	struct str metadata;
	int64_t expected_version;
	bool has_expected_version;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_update_task_desc;

struct reply_update_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
	struct list_str changed;
};

extern const struct rec_desc reply_update_task_desc;

struct cmd_start_task {
	struct str session_id;
	struct str task_id;
	struct str thread_id;
	struct rec_worker *worker;
	struct str input;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_start_task_desc;

struct reply_start_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
	struct str run_id;
	struct str attempt_id;
	struct str turn_id;
	int64_t lease_until;
};

extern const struct rec_desc reply_start_task_desc;

struct cmd_append_task_progress {
	struct str session_id;
	struct str task_id;
	struct str run_id;
	enum phase phase;
	int64_t percent;
	bool has_percent;
	struct str summary;
	struct rec_counters *counters;
	struct {
		struct rec_ref_entry **items;
		uint32_t count, cap;
	} output_refs;
	struct rec_delivery_state *delivery_state;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_append_task_progress_desc;

struct reply_append_task_progress {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_append_task_progress_desc;

struct cmd_pause_task {
	struct str session_id;
	struct str task_id;
	struct str reason;
	enum propagation propagation;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_pause_task_desc;

struct reply_pause_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_pause_task_desc;

struct cmd_resume_task {
	struct str session_id;
	struct str task_id;
	enum propagation propagation;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resume_task_desc;

struct reply_resume_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
	struct str run_id;
};

extern const struct rec_desc reply_resume_task_desc;

struct cmd_cancel_task {
	struct str session_id;
	struct str task_id;
	struct str reason;
	enum propagation propagation;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_cancel_task_desc;

struct reply_cancel_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_cancel_task_desc;

struct cmd_retry_task {
	struct str session_id;
	struct str task_id;
	struct str reason;
	struct str input;
	struct rec_worker *worker;
	enum propagation propagation;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_retry_task_desc;

struct reply_retry_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
	struct str run_id;
	struct str attempt_id;
	struct str turn_id;
};

extern const struct rec_desc reply_retry_task_desc;

struct cmd_complete_task {
	struct str session_id;
	struct str task_id;
	struct str run_id;
	struct str summary;
	struct {
		struct rec_artifact_ref **items;
		uint32_t count, cap;
	} artifacts;
	struct list_str evidence_refs;
	struct list_str acceptance;
	struct rec_delivery_state *delivery_state;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_complete_task_desc;

struct reply_complete_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_complete_task_desc;

struct cmd_fail_task {
	struct str session_id;
	struct str task_id;
	struct str run_id;
	struct rec_last_error *error;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_fail_task_desc;

struct reply_fail_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_fail_task_desc;

struct cmd_archive_task {
	struct str session_id;
	struct str task_id;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_archive_task_desc;

struct reply_archive_task {
	struct str task_id;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_archive_task_desc;

struct cmd_link_tasks {
	struct str session_id;
	struct str from_task_id;
	struct str to_task_id;
	struct str target_id;
	enum edge_kind relationship;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_link_tasks_desc;

struct reply_link_tasks {
	struct str from_task_id;
	enum edge_kind relationship;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_link_tasks_desc;

struct cmd_unlink_tasks {
	struct str session_id;
	struct str from_task_id;
	struct str to_task_id;
	struct str target_id;
	enum edge_kind relationship;
	struct str reason;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_unlink_tasks_desc;

struct reply_unlink_tasks {
	struct str from_task_id;
	enum edge_kind relationship;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_unlink_tasks_desc;

struct cmd_claim_task {
	struct str session_id;
	struct str task_id;
	struct str task_kind;
	struct str worker_id;
	int64_t lease_ms;
	bool has_lease_ms;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_claim_task_desc;

struct reply_claim_task {
	struct str session_id;
	struct str task_id;
	struct str run_id;
	struct str attempt_id;
	struct rec_task *task;
	int64_t lease_until;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_claim_task_desc;

struct cmd_heartbeat_task {
	struct str session_id;
	struct str task_id;
	struct str run_id;
	struct str worker_id;
	int64_t lease_ms;
	bool has_lease_ms;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_heartbeat_task_desc;

struct reply_heartbeat_task {
	struct str task_id;
	int64_t lease_until;
	enum task_status status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_heartbeat_task_desc;

struct cmd_get_task {
	struct str session_id;
	struct str task_id;
};

extern const struct rec_desc cmd_get_task_desc;

struct reply_get_task {
	struct rec_task *task;
	struct rec_task_graph *graph;
	struct rec_task_why *why;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_get_task_desc;

struct cmd_list_tasks {
	struct str session_id;
	struct str thread_id;
	struct str parent_task_id;
	enum task_status status;
	enum visibility visibility;
	int64_t limit;
	bool has_limit;
	struct str cursor;
};

extern const struct rec_desc cmd_list_tasks_desc;

struct reply_list_tasks {
	struct {
		struct rec_task **items;
		uint32_t count, cap;
	} tasks;
	struct rec_task_summary *summary;
	struct str next_cursor;
};

extern const struct rec_desc reply_list_tasks_desc;

struct cmd_submit_turn {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str input;
	enum delivery delivery;
	enum create_policy create;
	struct str expected_turn_id;
	struct str title;
	struct str model;
	enum fallback_policy fallback;
	struct str task_kind;
	struct list_str requires;
	enum latency_target latency;
	int64_t budget_usd;
	bool has_budget_usd;
	struct str metadata;
	struct str source;
	struct str idempotency_key;
	struct str workspace_id;
	struct str cwd;
	struct str output_schema;
	bool background;
	bool has_background;
	struct rec_submit_options *options;
	struct {
		struct rec_context_ref **items;
		uint32_t count, cap;
	} context;
};

extern const struct rec_desc cmd_submit_turn_desc;

struct reply_submit_turn {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str run_id;
	enum status status;
	int64_t sequence;
	bool has_sequence;
	struct str behind;
	int64_t first_sequence;
	bool has_first_sequence;
};

extern const struct rec_desc reply_submit_turn_desc;

struct cmd_interrupt_turn {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str reason;
	enum queue_policy queue_policy;
	struct str expected_turn_id;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_interrupt_turn_desc;

struct reply_interrupt_turn {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_interrupt_turn_desc;

struct cmd_resume_thread {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str resume_token;
	struct str idempotency_key;
};

extern const struct rec_desc cmd_resume_thread_desc;

struct reply_resume_thread {
	struct str session_id;
	struct str thread_id;
	struct str turn_id;
	struct str task_id;
	struct str run_id;
	struct str status;
	int64_t sequence;
	bool has_sequence;
};

extern const struct rec_desc reply_resume_thread_desc;

#endif

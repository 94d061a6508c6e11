/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef CORE_GEN_TABLES_H
#define CORE_GEN_TABLES_H
#include "catalog/catalog.h"

struct world;
struct outcome;

void session_on_session_created(struct world *w, const struct event *ev, const struct ev_session_created *p);
void session_on_session_updated(struct world *w, const struct event *ev, const struct ev_session_updated *p);
void thread_on_thread_started(struct world *w, const struct event *ev, const struct ev_thread_started *p);
void thread_on_thread_updated(struct world *w, const struct event *ev, const struct ev_thread_updated *p);
void turn_on_turn_submitted(struct world *w, const struct event *ev, const struct ev_turn_submitted *p);
void turn_on_turn_started(struct world *w, const struct event *ev, const struct ev_turn_started *p);
void turn_on_turn_completed(struct world *w, const struct event *ev, const struct ev_turn_completed *p);
void turn_on_turn_failed(struct world *w, const struct event *ev, const struct ev_turn_failed *p);
void task_on_task_created(struct world *w, const struct event *ev, const struct ev_task_created *p);
void task_on_task_accepted(struct world *w, const struct event *ev, const struct ev_task_accepted *p);
void task_on_task_queued(struct world *w, const struct event *ev, const struct ev_task_queued *p);
void task_on_task_started(struct world *w, const struct event *ev, const struct ev_task_started *p);
void task_on_task_waiting(struct world *w, const struct event *ev, const struct ev_task_waiting *p);
void task_on_task_resumed(struct world *w, const struct event *ev, const struct ev_task_resumed *p);
void task_on_task_retrying(struct world *w, const struct event *ev, const struct ev_task_retrying *p);
void task_on_task_cancel_requested(struct world *w, const struct event *ev, const struct ev_task_cancel_requested *p);
void task_on_task_cancelled(struct world *w, const struct event *ev, const struct ev_task_cancelled *p);
void task_on_task_failed(struct world *w, const struct event *ev, const struct ev_task_failed *p);
void task_on_task_lost(struct world *w, const struct event *ev, const struct ev_task_lost *p);
void task_on_task_completed(struct world *w, const struct event *ev, const struct ev_task_completed *p);
void turn_on_run_status(struct world *w, const struct event *ev, const struct ev_run_status *p);
void task_on_model_requested(struct world *w, const struct event *ev, const struct ev_model_requested *p);
void turn_on_model_requested(struct world *w, const struct event *ev, const struct ev_model_requested *p);
void turn_on_model_delta(struct world *w, const struct event *ev, const struct ev_model_delta *p);
void turn_on_model_completed(struct world *w, const struct event *ev, const struct ev_model_completed *p);
void turn_on_model_failed(struct world *w, const struct event *ev, const struct ev_model_failed *p);
void turn_on_reasoning_delta(struct world *w, const struct event *ev, const struct ev_reasoning_delta *p);
void turn_on_reasoning_summary(struct world *w, const struct event *ev, const struct ev_reasoning_summary *p);
void turn_on_tool_catalog_resolved(struct world *w, const struct event *ev, const struct ev_tool_catalog_resolved *p);
void task_on_tool_started(struct world *w, const struct event *ev, const struct ev_tool_started *p);
void tool_on_tool_started(struct world *w, const struct event *ev, const struct ev_tool_started *p);
void tool_on_tool_args(struct world *w, const struct event *ev, const struct ev_tool_args *p);
void tool_on_tool_progress(struct world *w, const struct event *ev, const struct ev_tool_progress *p);
void tool_on_tool_result(struct world *w, const struct event *ev, const struct ev_tool_result *p);
void tool_on_tool_failed(struct world *w, const struct event *ev, const struct ev_tool_failed *p);
void action_on_action_required(struct world *w, const struct event *ev, const struct ev_action_required *p);
void action_on_action_resolved(struct world *w, const struct event *ev, const struct ev_action_resolved *p);
void queue_on_queue_changed(struct world *w, const struct event *ev, const struct ev_queue_changed *p);
void turn_on_context_resolved(struct world *w, const struct event *ev, const struct ev_context_resolved *p);
void output_on_artifact_changed(struct world *w, const struct event *ev, const struct ev_artifact_changed *p);
void history_on_snapshot_updated(struct world *w, const struct event *ev, const struct ev_snapshot_updated *p);
void thread_on_runtime_warning(struct world *w, const struct event *ev, const struct ev_runtime_warning *p);
void thread_on_runtime_error(struct world *w, const struct event *ev, const struct ev_runtime_error *p);
void turn_on_runtime_error(struct world *w, const struct event *ev, const struct ev_runtime_error *p);
void tool_on_permission_evaluated(struct world *w, const struct event *ev, const struct ev_permission_evaluated *p);
void tool_on_permission_resolved(struct world *w, const struct event *ev, const struct ev_permission_resolved *p);
void tool_on_sandbox_applied(struct world *w, const struct event *ev, const struct ev_sandbox_applied *p);
void process_on_sandbox_applied(struct world *w, const struct event *ev, const struct ev_sandbox_applied *p);
void process_on_sandbox_violation(struct world *w, const struct event *ev, const struct ev_sandbox_violation *p);
void hook_on_hook_started(struct world *w, const struct event *ev, const struct ev_hook_started *p);
void hook_on_hook_completed(struct world *w, const struct event *ev, const struct ev_hook_completed *p);
void hook_on_hook_failed(struct world *w, const struct event *ev, const struct ev_hook_failed *p);
void permission_on_policy_changed(struct world *w, const struct event *ev, const struct ev_policy_changed *p);
void process_on_process_started(struct world *w, const struct event *ev, const struct ev_process_started *p);
void process_on_process_output(struct world *w, const struct event *ev, const struct ev_process_output *p);
void process_on_process_completed(struct world *w, const struct event *ev, const struct ev_process_completed *p);
void process_on_process_failed(struct world *w, const struct event *ev, const struct ev_process_failed *p);
void process_on_process_terminated(struct world *w, const struct event *ev, const struct ev_process_terminated *p);
void task_on_task_profile_resolved(struct world *w, const struct event *ev, const struct ev_task_profile_resolved *p);
void turn_on_task_profile_resolved(struct world *w, const struct event *ev, const struct ev_task_profile_resolved *p);
void routing_on_routing_candidates_resolved(struct world *w, const struct event *ev, const struct ev_routing_candidates_resolved *p);
void routing_on_routing_decided(struct world *w, const struct event *ev, const struct ev_routing_decided *p);
void routing_on_routing_not_possible(struct world *w, const struct event *ev, const struct ev_routing_not_possible *p);
void task_on_task_attempt_started(struct world *w, const struct event *ev, const struct ev_task_attempt_started *p);
void turn_on_task_attempt_started(struct world *w, const struct event *ev, const struct ev_task_attempt_started *p);
void task_on_task_attempt_completed(struct world *w, const struct event *ev, const struct ev_task_attempt_completed *p);
void task_on_task_attempt_failed(struct world *w, const struct event *ev, const struct ev_task_attempt_failed *p);
void cost_on_cost_estimated(struct world *w, const struct event *ev, const struct ev_cost_estimated *p);
void cost_on_cost_recorded(struct world *w, const struct event *ev, const struct ev_cost_recorded *p);
void routing_on_rate_limit_hit(struct world *w, const struct event *ev, const struct ev_rate_limit_hit *p);
void routing_on_quota_blocked(struct world *w, const struct event *ev, const struct ev_quota_blocked *p);
void channel_on_channel_connected(struct world *w, const struct event *ev, const struct ev_channel_connected *p);
void channel_on_channel_disconnected(struct world *w, const struct event *ev, const struct ev_channel_disconnected *p);
void channel_on_channel_resumed(struct world *w, const struct event *ev, const struct ev_channel_resumed *p);
void action_on_channel_permission_forwarded(struct world *w, const struct event *ev, const struct ev_channel_permission_forwarded *p);
void output_on_output_spilled(struct world *w, const struct event *ev, const struct ev_output_spilled *p);
void history_on_history_reconstructed(struct world *w, const struct event *ev, const struct ev_history_reconstructed *p);

void decide_respond_action(struct outcome *d, const struct cmd_respond_action *cmd);
void decide_reconnect_channel(struct outcome *d, const struct cmd_reconnect_channel *cmd);
void decide_evaluate_permission(struct outcome *d, const struct cmd_evaluate_permission *cmd);
void decide_resolve_permission(struct outcome *d, const struct cmd_resolve_permission *cmd);
void decide_revoke_grant(struct outcome *d, const struct cmd_revoke_grant *cmd);
void decide_set_policy(struct outcome *d, const struct cmd_set_policy *cmd);
void decide_set_mode(struct outcome *d, const struct cmd_set_mode *cmd);
void decide_remove_queued_turn(struct outcome *d, const struct cmd_remove_queued_turn *cmd);
void decide_promote_queued_turn(struct outcome *d, const struct cmd_promote_queued_turn *cmd);
void decide_move_queued_turn(struct outcome *d, const struct cmd_move_queued_turn *cmd);
void decide_create_session(struct outcome *d, const struct cmd_create_session *cmd);
void decide_update_session(struct outcome *d, const struct cmd_update_session *cmd);
void decide_submit_turn(struct outcome *d, const struct cmd_submit_turn *cmd);
void decide_interrupt_turn(struct outcome *d, const struct cmd_interrupt_turn *cmd);
void decide_resume_thread(struct outcome *d, const struct cmd_resume_thread *cmd);

#endif

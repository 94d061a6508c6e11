/* Written by scripts/catalog.py from catalog/; do not edit. */

#include "core/gen/tables.h"

#include "core/decide.h"
#include "core/fold.h"

void fold_event(struct state *w, const struct event *ev)
{
	switch (ev->type) {
	case EV_SESSION_CREATED:
		session_on_session_created(w, ev, ev->payload);
		break;
	case EV_SESSION_UPDATED:
		session_on_session_updated(w, ev, ev->payload);
		delivery_on_session_updated(w, ev, ev->payload);
		break;
	case EV_THREAD_STARTED:
		thread_on_thread_started(w, ev, ev->payload);
		break;
	case EV_THREAD_UPDATED:
		thread_on_thread_updated(w, ev, ev->payload);
		break;
	case EV_TURN_SUBMITTED:
		turn_on_turn_submitted(w, ev, ev->payload);
		task_on_turn_submitted(w, ev, ev->payload);
		job_on_turn_submitted(w, ev, ev->payload);
		break;
	case EV_TURN_STARTED:
		turn_on_turn_started(w, ev, ev->payload);
		break;
	case EV_TURN_COMPLETED:
		turn_on_turn_completed(w, ev, ev->payload);
		break;
	case EV_TURN_FAILED:
		turn_on_turn_failed(w, ev, ev->payload);
		break;
	case EV_TASK_CREATED:
		task_on_task_created(w, ev, ev->payload);
		schedule_on_task_created(w, ev, ev->payload);
		break;
	case EV_TASK_ACCEPTED:
		task_on_task_accepted(w, ev, ev->payload);
		break;
	case EV_TASK_QUEUED:
		task_on_task_queued(w, ev, ev->payload);
		break;
	case EV_TASK_STARTED:
		task_on_task_started(w, ev, ev->payload);
		break;
	case EV_TASK_UPDATED:
		task_on_task_updated(w, ev, ev->payload);
		break;
	case EV_TASK_PROGRESS:
		task_on_task_progress(w, ev, ev->payload);
		break;
	case EV_TASK_WAITING:
		task_on_task_waiting(w, ev, ev->payload);
		break;
	case EV_TASK_BLOCKED:
		task_on_task_blocked(w, ev, ev->payload);
		break;
	case EV_TASK_PAUSED:
		task_on_task_paused(w, ev, ev->payload);
		break;
	case EV_TASK_RESUMED:
		task_on_task_resumed(w, ev, ev->payload);
		turn_on_task_resumed(w, ev, ev->payload);
		break;
	case EV_TASK_RETRYING:
		task_on_task_retrying(w, ev, ev->payload);
		break;
	case EV_TASK_CANCEL_REQUESTED:
		task_on_task_cancel_requested(w, ev, ev->payload);
		process_on_task_cancel_requested(w, ev, ev->payload);
		break;
	case EV_TASK_CANCELLED:
		task_on_task_cancelled(w, ev, ev->payload);
		break;
	case EV_TASK_TIMED_OUT:
		task_on_task_timed_out(w, ev, ev->payload);
		break;
	case EV_TASK_FAILED:
		task_on_task_failed(w, ev, ev->payload);
		break;
	case EV_TASK_LOST:
		task_on_task_lost(w, ev, ev->payload);
		break;
	case EV_TASK_COMPLETED:
		task_on_task_completed(w, ev, ev->payload);
		break;
	case EV_TASK_ARCHIVED:
		task_on_task_archived(w, ev, ev->payload);
		break;
	case EV_RUN_STATUS:
		turn_on_run_status(w, ev, ev->payload);
		break;
	case EV_MODEL_REQUESTED:
		task_on_model_requested(w, ev, ev->payload);
		turn_on_model_requested(w, ev, ev->payload);
		break;
	case EV_MODEL_DELTA:
		turn_on_model_delta(w, ev, ev->payload);
		break;
	case EV_MODEL_COMPLETED:
		turn_on_model_completed(w, ev, ev->payload);
		task_on_model_completed(w, ev, ev->payload);
		break;
	case EV_MODEL_FAILED:
		turn_on_model_failed(w, ev, ev->payload);
		break;
	case EV_REASONING_DELTA:
		turn_on_reasoning_delta(w, ev, ev->payload);
		break;
	case EV_REASONING_SUMMARY:
		turn_on_reasoning_summary(w, ev, ev->payload);
		break;
	case EV_TOOL_CATALOG_RESOLVED:
		turn_on_tool_catalog_resolved(w, ev, ev->payload);
		break;
	case EV_TOOL_STARTED:
		task_on_tool_started(w, ev, ev->payload);
		tool_on_tool_started(w, ev, ev->payload);
		break;
	case EV_TOOL_ARGS:
		tool_on_tool_args(w, ev, ev->payload);
		break;
	case EV_TOOL_PROGRESS:
		tool_on_tool_progress(w, ev, ev->payload);
		break;
	case EV_TOOL_RESULT:
		tool_on_tool_result(w, ev, ev->payload);
		task_on_tool_result(w, ev, ev->payload);
		break;
	case EV_TOOL_FAILED:
		tool_on_tool_failed(w, ev, ev->payload);
		task_on_tool_failed(w, ev, ev->payload);
		break;
	case EV_ACTION_REQUIRED:
		action_on_action_required(w, ev, ev->payload);
		break;
	case EV_ACTION_RESOLVED:
		action_on_action_resolved(w, ev, ev->payload);
		break;
	case EV_QUEUE_CHANGED:
		queue_on_queue_changed(w, ev, ev->payload);
		break;
	case EV_CONTEXT_RESOLVED:
		turn_on_context_resolved(w, ev, ev->payload);
		break;
	case EV_CONTEXT_COMPACTION_STARTED:
		context_on_context_compaction_started(w, ev, ev->payload);
		break;
	case EV_CONTEXT_COMPACTION_COMPLETED:
		context_on_context_compaction_completed(w, ev, ev->payload);
		break;
	case EV_CONTEXT_COMPACTION_FAILED:
		context_on_context_compaction_failed(w, ev, ev->payload);
		break;
	case EV_ARTIFACT_CHANGED:
		output_on_artifact_changed(w, ev, ev->payload);
		task_on_artifact_changed(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_SPAWNED:
		subagent_on_subagent_spawned(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_STATUS:
		subagent_on_subagent_status(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_INPUT:
		subagent_on_subagent_input(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_COMPLETED:
		subagent_on_subagent_completed(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_FAILED:
		subagent_on_subagent_failed(w, ev, ev->payload);
		break;
	case EV_SUBAGENT_CLOSED:
		subagent_on_subagent_closed(w, ev, ev->payload);
		break;
	case EV_LIMIT_CHANGED:
		routing_on_limit_changed(w, ev, ev->payload);
		break;
	case EV_SNAPSHOT_UPDATED:
		history_on_snapshot_updated(w, ev, ev->payload);
		break;
	case EV_RUNTIME_WARNING:
		thread_on_runtime_warning(w, ev, ev->payload);
		overdue_on_runtime_warning(w, ev, ev->payload);
		clock_on_runtime_warning(w, ev, ev->payload);
		break;
	case EV_RUNTIME_ERROR:
		thread_on_runtime_error(w, ev, ev->payload);
		turn_on_runtime_error(w, ev, ev->payload);
		break;
	case EV_PERMISSION_EVALUATED:
		tool_on_permission_evaluated(w, ev, ev->payload);
		break;
	case EV_PERMISSION_RESOLVED:
		tool_on_permission_resolved(w, ev, ev->payload);
		break;
	case EV_SANDBOX_APPLIED:
		tool_on_sandbox_applied(w, ev, ev->payload);
		process_on_sandbox_applied(w, ev, ev->payload);
		break;
	case EV_SANDBOX_VIOLATION:
		process_on_sandbox_violation(w, ev, ev->payload);
		break;
	case EV_HOOK_STARTED:
		hook_on_hook_started(w, ev, ev->payload);
		break;
	case EV_HOOK_COMPLETED:
		hook_on_hook_completed(w, ev, ev->payload);
		break;
	case EV_HOOK_FAILED:
		hook_on_hook_failed(w, ev, ev->payload);
		break;
	case EV_POLICY_CHANGED:
		permission_on_policy_changed(w, ev, ev->payload);
		schedule_on_policy_changed(w, ev, ev->payload);
		break;
	case EV_PROCESS_STARTED:
		process_on_process_started(w, ev, ev->payload);
		break;
	case EV_PROCESS_OUTPUT:
		process_on_process_output(w, ev, ev->payload);
		break;
	case EV_PROCESS_INPUT:
		process_on_process_input(w, ev, ev->payload);
		break;
	case EV_PROCESS_COMPLETED:
		process_on_process_completed(w, ev, ev->payload);
		break;
	case EV_PROCESS_FAILED:
		process_on_process_failed(w, ev, ev->payload);
		break;
	case EV_PROCESS_TERMINATED:
		process_on_process_terminated(w, ev, ev->payload);
		break;
	case EV_TASK_PROFILE_RESOLVED:
		task_on_task_profile_resolved(w, ev, ev->payload);
		turn_on_task_profile_resolved(w, ev, ev->payload);
		break;
	case EV_ROUTING_CANDIDATES_RESOLVED:
		routing_on_routing_candidates_resolved(w, ev, ev->payload);
		break;
	case EV_ROUTING_DECIDED:
		routing_on_routing_decided(w, ev, ev->payload);
		break;
	case EV_ROUTING_FALLBACK_APPLIED:
		routing_on_routing_fallback_applied(w, ev, ev->payload);
		break;
	case EV_ROUTING_NOT_POSSIBLE:
		routing_on_routing_not_possible(w, ev, ev->payload);
		break;
	case EV_TASK_DEPENDENCY_UPDATED:
		task_on_task_dependency_updated(w, ev, ev->payload);
		break;
	case EV_TASK_ATTEMPT_STARTED:
		task_on_task_attempt_started(w, ev, ev->payload);
		turn_on_task_attempt_started(w, ev, ev->payload);
		break;
	case EV_TASK_ATTEMPT_COMPLETED:
		task_on_task_attempt_completed(w, ev, ev->payload);
		break;
	case EV_TASK_ATTEMPT_FAILED:
		task_on_task_attempt_failed(w, ev, ev->payload);
		break;
	case EV_COST_ESTIMATED:
		cost_on_cost_estimated(w, ev, ev->payload);
		break;
	case EV_COST_RECORDED:
		cost_on_cost_recorded(w, ev, ev->payload);
		task_on_cost_recorded(w, ev, ev->payload);
		job_on_cost_recorded(w, ev, ev->payload);
		subagent_on_cost_recorded(w, ev, ev->payload);
		break;
	case EV_RATE_LIMIT_HIT:
		routing_on_rate_limit_hit(w, ev, ev->payload);
		break;
	case EV_QUOTA_LOW:
		routing_on_quota_low(w, ev, ev->payload);
		break;
	case EV_QUOTA_BLOCKED:
		routing_on_quota_blocked(w, ev, ev->payload);
		break;
	case EV_CHANNEL_CONNECTED:
		channel_on_channel_connected(w, ev, ev->payload);
		break;
	case EV_CHANNEL_DISCONNECTED:
		channel_on_channel_disconnected(w, ev, ev->payload);
		break;
	case EV_CHANNEL_RESUMED:
		channel_on_channel_resumed(w, ev, ev->payload);
		break;
	case EV_CHANNEL_PERMISSION_FORWARDED:
		action_on_channel_permission_forwarded(w, ev, ev->payload);
		break;
	case EV_JOB_CREATED:
		job_on_job_created(w, ev, ev->payload);
		break;
	case EV_JOB_STARTED:
		job_on_job_started(w, ev, ev->payload);
		break;
	case EV_JOB_PROGRESS:
		job_on_job_progress(w, ev, ev->payload);
		break;
	case EV_JOB_ITEM_STARTED:
		job_on_job_item_started(w, ev, ev->payload);
		break;
	case EV_JOB_ITEM_COMPLETED:
		job_on_job_item_completed(w, ev, ev->payload);
		break;
	case EV_JOB_ITEM_FAILED:
		job_on_job_item_failed(w, ev, ev->payload);
		break;
	case EV_JOB_COMPLETED:
		job_on_job_completed(w, ev, ev->payload);
		break;
	case EV_JOB_FAILED:
		job_on_job_failed(w, ev, ev->payload);
		break;
	case EV_JOB_CANCELLED:
		job_on_job_cancelled(w, ev, ev->payload);
		break;
	case EV_OUTPUT_SPILLED:
		output_on_output_spilled(w, ev, ev->payload);
		break;
	case EV_OUTPUT_EXPIRED:
		output_on_output_expired(w, ev, ev->payload);
		break;
	case EV_HISTORY_WINDOW_LOADED:
		history_on_history_window_loaded(w, ev, ev->payload);
		break;
	case EV_HISTORY_RECONSTRUCTED:
		history_on_history_reconstructed(w, ev, ev->payload);
		break;
	case EV_HISTORY_ROLLBACK_STARTED:
		history_on_history_rollback_started(w, ev, ev->payload);
		break;
	case EV_HISTORY_ROLLBACK_COMPLETED:
		history_on_history_rollback_completed(w, ev, ev->payload);
		break;
	default:
		break;
	}
}

bool decide_command(struct decision *d, enum command command, const void *args)
{
	switch (command) {
	case COMMAND_RESPOND_ACTION:
		decide_respond_action(d, args);
		return true;
	case COMMAND_RECONNECT_CHANNEL:
		decide_reconnect_channel(d, args);
		return true;
	case COMMAND_CREATE_JOB:
		decide_create_job(d, args);
		return true;
	case COMMAND_START_JOB:
		decide_start_job(d, args);
		return true;
	case COMMAND_HEARTBEAT_JOB_ITEM:
		decide_heartbeat_job_item(d, args);
		return true;
	case COMMAND_CANCEL_JOB:
		decide_cancel_job(d, args);
		return true;
	case COMMAND_RETRY_JOB_ITEM:
		decide_retry_job_item(d, args);
		return true;
	case COMMAND_ASSIGN_JOB_ITEM:
		decide_assign_job_item(d, args);
		return true;
	case COMMAND_REPORT_JOB_ITEM:
		decide_report_job_item(d, args);
		return true;
	case COMMAND_CREATE_SCHEDULE:
		decide_create_schedule(d, args);
		return true;
	case COMMAND_PAUSE_SCHEDULE:
		decide_pause_schedule(d, args);
		return true;
	case COMMAND_RESUME_SCHEDULE:
		decide_resume_schedule(d, args);
		return true;
	case COMMAND_DELETE_SCHEDULE:
		decide_delete_schedule(d, args);
		return true;
	case COMMAND_EVALUATE_PERMISSION:
		decide_evaluate_permission(d, args);
		return true;
	case COMMAND_RESOLVE_PERMISSION:
		decide_resolve_permission(d, args);
		return true;
	case COMMAND_REVOKE_GRANT:
		decide_revoke_grant(d, args);
		return true;
	case COMMAND_SET_POLICY:
		decide_set_policy(d, args);
		return true;
	case COMMAND_SET_MODE:
		decide_set_mode(d, args);
		return true;
	case COMMAND_WRITE_PROCESS_STDIN:
		decide_write_process_stdin(d, args);
		return true;
	case COMMAND_TERMINATE_PROCESS:
		decide_terminate_process(d, args);
		return true;
	case COMMAND_RESIZE_PROCESS:
		decide_resize_process(d, args);
		return true;
	case COMMAND_REMOVE_QUEUED_TURN:
		decide_remove_queued_turn(d, args);
		return true;
	case COMMAND_PROMOTE_QUEUED_TURN:
		decide_promote_queued_turn(d, args);
		return true;
	case COMMAND_MOVE_QUEUED_TURN:
		decide_move_queued_turn(d, args);
		return true;
	case COMMAND_CREATE_SESSION:
		decide_create_session(d, args);
		return true;
	case COMMAND_UPDATE_SESSION:
		decide_update_session(d, args);
		return true;
	case COMMAND_FORK_THREAD:
		decide_fork_thread(d, args);
		return true;
	case COMMAND_COMPACT_THREAD:
		decide_compact_thread(d, args);
		return true;
	case COMMAND_ROLLBACK_THREAD:
		decide_rollback_thread(d, args);
		return true;
	case COMMAND_SPAWN_SUBAGENT:
		decide_spawn_subagent(d, args);
		return true;
	case COMMAND_SEND_SUBAGENT_INPUT:
		decide_send_subagent_input(d, args);
		return true;
	case COMMAND_RESUME_SUBAGENT:
		decide_resume_subagent(d, args);
		return true;
	case COMMAND_CLOSE_SUBAGENT:
		decide_close_subagent(d, args);
		return true;
	case COMMAND_CREATE_TASK:
		decide_create_task(d, args);
		return true;
	case COMMAND_UPDATE_TASK:
		decide_update_task(d, args);
		return true;
	case COMMAND_START_TASK:
		decide_start_task(d, args);
		return true;
	case COMMAND_APPEND_TASK_PROGRESS:
		decide_append_task_progress(d, args);
		return true;
	case COMMAND_PAUSE_TASK:
		decide_pause_task(d, args);
		return true;
	case COMMAND_RESUME_TASK:
		decide_resume_task(d, args);
		return true;
	case COMMAND_CANCEL_TASK:
		decide_cancel_task(d, args);
		return true;
	case COMMAND_RETRY_TASK:
		decide_retry_task(d, args);
		return true;
	case COMMAND_COMPLETE_TASK:
		decide_complete_task(d, args);
		return true;
	case COMMAND_FAIL_TASK:
		decide_fail_task(d, args);
		return true;
	case COMMAND_ARCHIVE_TASK:
		decide_archive_task(d, args);
		return true;
	case COMMAND_LINK_TASKS:
		decide_link_tasks(d, args);
		return true;
	case COMMAND_UNLINK_TASKS:
		decide_unlink_tasks(d, args);
		return true;
	case COMMAND_CLAIM_TASK:
		decide_claim_task(d, args);
		return true;
	case COMMAND_HEARTBEAT_TASK:
		decide_heartbeat_task(d, args);
		return true;
	case COMMAND_SUBMIT_TURN:
		decide_submit_turn(d, args);
		return true;
	case COMMAND_INTERRUPT_TURN:
		decide_interrupt_turn(d, args);
		return true;
	case COMMAND_RESUME_THREAD:
		decide_resume_thread(d, args);
		return true;
	default:
		return false;
	}
}

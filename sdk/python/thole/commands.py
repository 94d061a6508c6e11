"""Written by scripts/sdk.py from docs/reference/openapi.json; do not edit."""
from __future__ import annotations

from typing import Any, Mapping, Unpack

from . import types as t

# Commands that take an idempotency key; the others change nothing and may be repeated at will.
KEYED = frozenset({
    "respond_action",
    "answer_question",
    "start_benchmark_trial",
    "record_benchmark_reward",
    "export_benchmark_trial",
    "compare_benchmark_runs",
    "reconnect_channel",
    "leave_session",
    "ack_events",
    "export_evidence",
    "record_evidence",
    "export_replay",
    "export_review",
    "create_job",
    "start_job",
    "heartbeat_job_item",
    "cancel_job",
    "retry_job_item",
    "assign_job_item",
    "report_job_item",
    "create_schedule",
    "pause_schedule",
    "resume_schedule",
    "delete_schedule",
    "evaluate_permission",
    "resolve_permission",
    "revoke_grant",
    "trust_hooks",
    "trust_extensions",
    "trust_tool_server",
    "set_policy",
    "set_mode",
    "add_directory",
    "set_tool_server",
    "write_process_stdin",
    "terminate_process",
    "resize_process",
    "remove_queued_turn",
    "promote_queued_turn",
    "move_queued_turn",
    "create_session",
    "import_session",
    "attach_tool_servers",
    "update_session",
    "fork_thread",
    "compact_thread",
    "edit_files",
    "rollback_thread",
    "spawn_subagent",
    "send_subagent_input",
    "resume_subagent",
    "close_subagent",
    "revoke_device",
    "drain_node",
    "revoke_token",
    "create_signing_key",
    "trim_log",
    "delete_session",
    "erase_event",
    "rebuild_session",
    "create_task",
    "update_task",
    "start_task",
    "append_task_progress",
    "pause_task",
    "resume_task",
    "cancel_task",
    "retry_task",
    "complete_task",
    "fail_task",
    "archive_task",
    "link_tasks",
    "unlink_tasks",
    "claim_task",
    "heartbeat_task",
    "report_delegation",
    "submit_turn",
    "interrupt_turn",
    "complete_tool_call",
    "resume_thread",
})


class Commands:
    """Every command of the runtime, with the names and fields that it has on the wire."""

    def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:
        raise NotImplementedError

    def respond_action(self, **args: Unpack[t.RespondActionArgs]) -> t.RespondActionReply:
        """Answer a pending request for a person or a policy; the first answer applies."""
        reply: t.RespondActionReply = self.call("respond_action", args)
        return reply

    def answer_question(self, **args: Unpack[t.AnswerQuestionArgs]) -> t.AnswerQuestionReply:
        """Answer the question that a task of the caller asks; approvals are not answered with it."""
        reply: t.AnswerQuestionReply = self.call("answer_question", args)
        return reply

    def list_actions(self, **args: Unpack[t.ListActionsArgs]) -> t.ListActionsReply:
        """List actions."""
        reply: t.ListActionsReply = self.call("list_actions", args)
        return reply

    def start_benchmark_trial(self, **args: Unpack[t.StartBenchmarkTrialArgs]) -> t.StartBenchmarkTrialReply:
        """Submit a turn as a trial of a benchmark: bound to a dataset, a task and a configuration."""
        reply: t.StartBenchmarkTrialReply = self.call("start_benchmark_trial", args)
        return reply

    def record_benchmark_reward(self, **args: Unpack[t.RecordBenchmarkRewardArgs]) -> t.RecordBenchmarkRewardReply:
        """Record what the verifier of a trial wrote; the runtime makes no score of its own."""
        reply: t.RecordBenchmarkRewardReply = self.call("record_benchmark_reward", args)
        return reply

    def export_benchmark_trial(self, **args: Unpack[t.ExportBenchmarkTrialArgs]) -> t.ExportBenchmarkTrialReply:
        """Write the pack of a trial: one document that joins benchmark, run, files and score."""
        reply: t.ExportBenchmarkTrialReply = self.call("export_benchmark_trial", args)
        return reply

    def list_benchmark_trials(self, **args: Unpack[t.ListBenchmarkTrialsArgs]) -> t.ListBenchmarkTrialsReply:
        """List trials, the newest first."""
        reply: t.ListBenchmarkTrialsReply = self.call("list_benchmark_trials", args)
        return reply

    def get_benchmark_matrix(self, **args: Unpack[t.GetBenchmarkMatrixArgs]) -> t.GetBenchmarkMatrixReply:
        """Show the trials of one dataset by task and configuration: mean reward, spread, counts, cost, time."""
        reply: t.GetBenchmarkMatrixReply = self.call("get_benchmark_matrix", args)
        return reply

    def get_benchmark_summary(self, **args: Unpack[t.GetBenchmarkSummaryArgs]) -> t.GetBenchmarkSummaryReply:
        """Show the trials of a session and the latest comparison."""
        reply: t.GetBenchmarkSummaryReply = self.call("get_benchmark_summary", args)
        return reply

    def compare_benchmark_runs(self, **args: Unpack[t.CompareBenchmarkRunsArgs]) -> t.CompareBenchmarkRunsReply:
        """Compare two configurations over the same tasks; the decision comes from outside."""
        reply: t.CompareBenchmarkRunsReply = self.call("compare_benchmark_runs", args)
        return reply

    def reconnect_channel(self, **args: Unpack[t.ReconnectChannelArgs]) -> t.ReconnectChannelReply:
        """Reconnect an enrolled peer: a snapshot first, then the events after the last acknowledged one."""
        reply: t.ReconnectChannelReply = self.call("reconnect_channel", args)
        return reply

    def leave_session(self, **args: Unpack[t.LeaveSessionArgs]) -> t.LeaveSessionReply:
        """The caller's channel does not use the session any more, so the session may leave memory. The channel stays connected; its next command there binds it again."""
        reply: t.LeaveSessionReply = self.call("leave_session", args)
        return reply

    def ack_events(self, **args: Unpack[t.AckEventsArgs]) -> t.AckEventsReply:
        """Acknowledge events of a channel; writes no event."""
        reply: t.AckEventsReply = self.call("ack_events", args)
        return reply

    def list_channels(self, **args: Unpack[t.ListChannelsArgs]) -> t.ListChannelsReply:
        """List enrolled peers."""
        reply: t.ListChannelsReply = self.call("list_channels", args)
        return reply

    def export_evidence(self, **args: Unpack[t.ExportEvidenceArgs]) -> t.ExportEvidenceReply:
        """Write an evidence pack from the log."""
        reply: t.ExportEvidenceReply = self.call("export_evidence", args)
        return reply

    def record_evidence(self, **args: Unpack[t.RecordEvidenceArgs]) -> t.RecordEvidenceReply:
        """Record an outcome or a note of a verifier or reviewer, with its source."""
        reply: t.RecordEvidenceReply = self.call("record_evidence", args)
        return reply

    def export_replay(self, **args: Unpack[t.ExportReplayArgs]) -> t.ExportReplayReply:
        """Write a replay case of the same events as an evidence pack: what is folded, and what must result."""
        reply: t.ExportReplayReply = self.call("export_replay", args)
        return reply

    def export_review(self, **args: Unpack[t.ExportReviewArgs]) -> t.ExportReviewReply:
        """Write a review for people, as Markdown and JSON, of the same events as an evidence pack."""
        reply: t.ExportReviewReply = self.call("export_review", args)
        return reply

    def create_job(self, **args: Unpack[t.CreateJobArgs]) -> t.CreateJobReply:
        """Create a job that applies one instruction to every item."""
        reply: t.CreateJobReply = self.call("create_job", args)
        return reply

    def get_job(self, **args: Unpack[t.GetJobArgs]) -> t.GetJobReply:
        """Show a job."""
        reply: t.GetJobReply = self.call("get_job", args)
        return reply

    def list_jobs(self, **args: Unpack[t.ListJobsArgs]) -> t.ListJobsReply:
        """List jobs."""
        reply: t.ListJobsReply = self.call("list_jobs", args)
        return reply

    def start_job(self, **args: Unpack[t.StartJobArgs]) -> t.StartJobReply:
        """Start a job that was created with start: false."""
        reply: t.StartJobReply = self.call("start_job", args)
        return reply

    def heartbeat_job_item(self, **args: Unpack[t.HeartbeatJobItemArgs]) -> t.HeartbeatJobItemReply:
        """Send a heartbeat of an item's worker; writes no event."""
        reply: t.HeartbeatJobItemReply = self.call("heartbeat_job_item", args)
        return reply

    def cancel_job(self, **args: Unpack[t.CancelJobArgs]) -> t.CancelJobReply:
        """Cancel a job; finished items stay finished."""
        reply: t.CancelJobReply = self.call("cancel_job", args)
        return reply

    def list_job_items(self, **args: Unpack[t.ListJobItemsArgs]) -> t.ListJobItemsReply:
        """List items of a job."""
        reply: t.ListJobItemsReply = self.call("list_job_items", args)
        return reply

    def retry_job_item(self, **args: Unpack[t.RetryJobItemArgs]) -> t.RetryJobItemReply:
        """Retry one failed item."""
        reply: t.RetryJobItemReply = self.call("retry_job_item", args)
        return reply

    def assign_job_item(self, **args: Unpack[t.AssignJobItemArgs]) -> t.AssignJobItemReply:
        """Assign one item to an external worker."""
        reply: t.AssignJobItemReply = self.call("assign_job_item", args)
        return reply

    def report_job_item(self, **args: Unpack[t.ReportJobItemArgs]) -> t.ReportJobItemReply:
        """Submit an external worker's output for an item."""
        reply: t.ReportJobItemReply = self.call("report_job_item", args)
        return reply

    def create_schedule(self, **args: Unpack[t.CreateScheduleArgs]) -> t.CreateScheduleReply:
        """Create a schedule: tasks by the clock."""
        reply: t.CreateScheduleReply = self.call("create_schedule", args)
        return reply

    def list_schedules(self, **args: Unpack[t.ListSchedulesArgs]) -> t.ListSchedulesReply:
        """List schedules."""
        reply: t.ListSchedulesReply = self.call("list_schedules", args)
        return reply

    def pause_schedule(self, **args: Unpack[t.PauseScheduleArgs]) -> t.PauseScheduleReply:
        """Pause a schedule: it is not due until it is resumed."""
        reply: t.PauseScheduleReply = self.call("pause_schedule", args)
        return reply

    def resume_schedule(self, **args: Unpack[t.ResumeScheduleArgs]) -> t.ResumeScheduleReply:
        """Resume a schedule; runs that were due meanwhile do not count as missed."""
        reply: t.ResumeScheduleReply = self.call("resume_schedule", args)
        return reply

    def delete_schedule(self, **args: Unpack[t.DeleteScheduleArgs]) -> t.DeleteScheduleReply:
        """Remove a schedule. The tasks that it created stay."""
        reply: t.DeleteScheduleReply = self.call("delete_schedule", args)
        return reply

    def evaluate_permission(self, **args: Unpack[t.EvaluatePermissionArgs]) -> t.EvaluatePermissionReply:
        """Evaluate a permission without running anything."""
        reply: t.EvaluatePermissionReply = self.call("evaluate_permission", args)
        return reply

    def resolve_permission(self, **args: Unpack[t.ResolvePermissionArgs]) -> t.ResolvePermissionReply:
        """Answer as a host policy, a hook or an approver."""
        reply: t.ResolvePermissionReply = self.call("resolve_permission", args)
        return reply

    def list_grants(self, **args: Unpack[t.ListGrantsArgs]) -> t.ListGrantsReply:
        """List grants in force."""
        reply: t.ListGrantsReply = self.call("list_grants", args)
        return reply

    def list_rules(self, **args: Unpack[t.ListRulesArgs]) -> t.ListRulesReply:
        """List the rules in force, and the mode that decides where no rule applies."""
        reply: t.ListRulesReply = self.call("list_rules", args)
        return reply

    def revoke_grant(self, **args: Unpack[t.RevokeGrantArgs]) -> t.RevokeGrantReply:
        """Revoke a grant."""
        reply: t.RevokeGrantReply = self.call("revoke_grant", args)
        return reply

    def trust_hooks(self, **args: Unpack[t.TrustHooksArgs]) -> t.TrustHooksReply:
        """Trust a project's hooks as they are now: they are active from then on, in sessions of its directory. With ref: trust the program of one hook."""
        reply: t.TrustHooksReply = self.call("trust_hooks", args)
        return reply

    def trust_extensions(self, **args: Unpack[t.TrustExtensionsArgs]) -> t.TrustExtensionsReply:
        """Trust a project's skills, commands and agents as they are now; a file that changes or is added needs trust again."""
        reply: t.TrustExtensionsReply = self.call("trust_extensions", args)
        return reply

    def trust_tool_server(self, **args: Unpack[t.TrustToolServerArgs]) -> t.TrustToolServerReply:
        """Trust a tool server as it is now: a project's file by its hash, changed definitions of tools."""
        reply: t.TrustToolServerReply = self.call("trust_tool_server", args)
        return reply

    def login_tool_server(self, **args: Unpack[t.LoginToolServerArgs]) -> t.LoginToolServerReply:
        """Sign in at a tool server with an address: the reply names the page for a person's browser. With redirectUrl, or when the browser reaches this machine, the login is completed."""
        reply: t.LoginToolServerReply = self.call("login_tool_server", args)
        return reply

    def logout_tool_server(self, **args: Unpack[t.LogoutToolServerArgs]) -> t.LogoutToolServerReply:
        """Forget the login of a tool server: its tokens are revoked where the authorization server offers that, and removed from this machine."""
        reply: t.LogoutToolServerReply = self.call("logout_tool_server", args)
        return reply

    def set_policy(self, **args: Unpack[t.SetPolicyArgs]) -> t.SetPolicyReply:
        """Change the rules of a session; they apply from the next decision."""
        reply: t.SetPolicyReply = self.call("set_policy", args)
        return reply

    def set_mode(self, **args: Unpack[t.SetModeArgs]) -> t.SetModeReply:
        """Change the permission mode of a session."""
        reply: t.SetModeReply = self.call("set_mode", args)
        return reply

    def add_directory(self, **args: Unpack[t.AddDirectoryArgs]) -> t.AddDirectoryReply:
        """Make a directory part of the workspace of a session: calls read and write there as in its own directory."""
        reply: t.AddDirectoryReply = self.call("add_directory", args)
        return reply

    def set_tool_server(self, **args: Unpack[t.SetToolServerArgs]) -> t.SetToolServerReply:
        """Switch a tool server off for a session, or on again: from the next turn on its tools are not offered, and calls of them are refused."""
        reply: t.SetToolServerReply = self.call("set_tool_server", args)
        return reply

    def get_execution_environment(self, **args: Unpack[t.GetExecutionEnvironmentArgs]) -> t.GetExecutionEnvironmentReply:
        """Show where commands run and under which limits."""
        reply: t.GetExecutionEnvironmentReply = self.call("get_execution_environment", args)
        return reply

    def get_permission_sandbox_summary(self, **args: Unpack[t.GetPermissionSandboxSummaryArgs]) -> t.GetPermissionSandboxSummaryReply:
        """Show mode, grants, pending approvals, the sandbox and its violations."""
        reply: t.GetPermissionSandboxSummaryReply = self.call("get_permission_sandbox_summary", args)
        return reply

    def write_process_stdin(self, **args: Unpack[t.WriteProcessStdinArgs]) -> t.WriteProcessStdinReply:
        """Write to the standard input of a background process."""
        reply: t.WriteProcessStdinReply = self.call("write_process_stdin", args)
        return reply

    def terminate_process(self, **args: Unpack[t.TerminateProcessArgs]) -> t.TerminateProcessReply:
        """End a background process and all its descendants; replies when they have ended."""
        reply: t.TerminateProcessReply = self.call("terminate_process", args)
        return reply

    def resize_process(self, **args: Unpack[t.ResizeProcessArgs]) -> t.ResizeProcessReply:
        """Set the size of a process's terminal; writes no event."""
        reply: t.ResizeProcessReply = self.call("resize_process", args)
        return reply

    def list_processes(self, **args: Unpack[t.ListProcessesArgs]) -> t.ListProcessesReply:
        """List processes: of one session those that run or ran recently; without a session all that run."""
        reply: t.ListProcessesReply = self.call("list_processes", args)
        return reply

    def remove_queued_turn(self, **args: Unpack[t.RemoveQueuedTurnArgs]) -> t.RemoveQueuedTurnReply:
        """Remove a queued turn."""
        reply: t.RemoveQueuedTurnReply = self.call("remove_queued_turn", args)
        return reply

    def promote_queued_turn(self, **args: Unpack[t.PromoteQueuedTurnArgs]) -> t.PromoteQueuedTurnReply:
        """Move a queued turn to the front."""
        reply: t.PromoteQueuedTurnReply = self.call("promote_queued_turn", args)
        return reply

    def move_queued_turn(self, **args: Unpack[t.MoveQueuedTurnArgs]) -> t.MoveQueuedTurnReply:
        """Move a queued turn to a position in the queue."""
        reply: t.MoveQueuedTurnReply = self.call("move_queued_turn", args)
        return reply

    def list_queue(self, **args: Unpack[t.ListQueueArgs]) -> t.ListQueueReply:
        """Show the queue of a thread."""
        reply: t.ListQueueReply = self.call("list_queue", args)
        return reply

    def get_session(self, **args: Unpack[t.GetSessionArgs]) -> t.GetSessionReply:
        """Show a session: shell, threads, recent window, cursor."""
        reply: t.GetSessionReply = self.call("get_session", args)
        return reply

    def explain_thread(self, **args: Unpack[t.ExplainThreadArgs]) -> t.ExplainThreadReply:
        """Explain what a thread waits for, since when, until when, and who can end the wait."""
        reply: t.ExplainThreadReply = self.call("explain_thread", args)
        return reply

    def get_time_use(self, **args: Unpack[t.GetTimeUseArgs]) -> t.GetTimeUseReply:
        """Show what took the time of a session and of its turns: model, people, tools, resources, the runtime itself."""
        reply: t.GetTimeUseReply = self.call("get_time_use", args)
        return reply

    def get_thread_read(self, **args: Unpack[t.GetThreadReadArgs]) -> t.GetThreadReadReply:
        """Show what a thread is doing now."""
        reply: t.GetThreadReadReply = self.call("get_thread_read", args)
        return reply

    def get_tool_inventory(self, **args: Unpack[t.GetToolInventoryArgs]) -> t.GetToolInventoryReply:
        """Show the available tools and the policy for each."""
        reply: t.GetToolInventoryReply = self.call("get_tool_inventory", args)
        return reply

    def list_sessions(self, **args: Unpack[t.ListSessionsArgs]) -> t.ListSessionsReply:
        """List sessions."""
        reply: t.ListSessionsReply = self.call("list_sessions", args)
        return reply

    def list_models(self, **args: Unpack[t.ListModelsArgs]) -> t.ListModelsReply:
        """The configured models: capabilities, cost, and whether they are available now."""
        reply: t.ListModelsReply = self.call("list_models", args)
        return reply

    def list_hooks(self, **args: Unpack[t.ListHooksArgs]) -> t.ListHooksReply:
        """The hooks of the settings and of a project, and whether they are active."""
        reply: t.ListHooksReply = self.call("list_hooks", args)
        return reply

    def list_extensions(self, **args: Unpack[t.ListExtensionsArgs]) -> t.ListExtensionsReply:
        """Skills, commands and agents as Markdown files, of the user and of a project, and prompts of tool servers as commands."""
        reply: t.ListExtensionsReply = self.call("list_extensions", args)
        return reply

    def expand_command(self, **args: Unpack[t.ExpandCommandArgs]) -> t.ExpandCommandReply:
        """The prompt of a command: the text of a Markdown file, or a prompt of a tool server."""
        reply: t.ExpandCommandReply = self.call("expand_command", args)
        return reply

    def complete_argument(self, **args: Unpack[t.CompleteArgumentArgs]) -> t.CompleteArgumentReply:
        """Values that a tool server suggests for the last word behind a prompt."""
        reply: t.CompleteArgumentReply = self.call("complete_argument", args)
        return reply

    def ask_tool_server(self, **args: Unpack[t.AskToolServerArgs]) -> t.AskToolServerReply:
        """Ask a tool server for its lists of resources and prompts, for a prompt, for completions or for changes of resources, as the server gives them. Resources are read by its tool read_resource."""
        reply: t.AskToolServerReply = self.call("ask_tool_server", args)
        return reply

    def list_tools(self, **args: Unpack[t.ListToolsArgs]) -> t.ListToolsReply:
        """The tools that every session has: their names, descriptions and schemas. Waits for tool servers that are starting."""
        reply: t.ListToolsReply = self.call("list_tools", args)
        return reply

    def list_tool_servers(self, **args: Unpack[t.ListToolServersArgs]) -> t.ListToolServersReply:
        """The tool servers of the settings and of the project, and their status."""
        reply: t.ListToolServersReply = self.call("list_tool_servers", args)
        return reply

    def list_peers(self, **args: Unpack[t.ListPeersArgs]) -> t.ListPeersReply:
        """The remote agents of agents.remote, and their status."""
        reply: t.ListPeersReply = self.call("list_peers", args)
        return reply

    def list_triggers(self, **args: Unpack[t.ListTriggersArgs]) -> t.ListTriggersReply:
        """The webhooks that start work (the setting triggers), without their secrets."""
        reply: t.ListTriggersReply = self.call("list_triggers", args)
        return reply

    def list_threads(self, **args: Unpack[t.ListThreadsArgs]) -> t.ListThreadsReply:
        """List threads of a session."""
        reply: t.ListThreadsReply = self.call("list_threads", args)
        return reply

    def list_events(self, **args: Unpack[t.ListEventsArgs]) -> t.ListEventsReply:
        """Read events after a cursor."""
        reply: t.ListEventsReply = self.call("list_events", args)
        return reply

    def subscribe_events(self, **args: Unpack[t.SubscribeEventsArgs]) -> t.SubscribeEventsReply:
        """Send events as they become durable."""
        reply: t.SubscribeEventsReply = self.call("subscribe_events", args)
        return reply

    def unsubscribe_events(self, **args: Unpack[t.UnsubscribeEventsArgs]) -> t.UnsubscribeEventsReply:
        """End a subscription."""
        reply: t.UnsubscribeEventsReply = self.call("unsubscribe_events", args)
        return reply

    def get_output(self, **args: Unpack[t.GetOutputArgs]) -> t.GetOutputReply:
        """Read a stored output or a part of it."""
        reply: t.GetOutputReply = self.call("get_output", args)
        return reply

    def get_artifact_checkpoint_summary(self, **args: Unpack[t.GetArtifactCheckpointSummaryArgs]) -> t.GetArtifactCheckpointSummaryReply:
        """Show the artifacts of a session with their latest versions and changes."""
        reply: t.GetArtifactCheckpointSummaryReply = self.call("get_artifact_checkpoint_summary", args)
        return reply

    def get_evidence_summary(self, **args: Unpack[t.GetEvidenceSummaryArgs]) -> t.GetEvidenceSummaryReply:
        """Show the exports of a session, and outcomes and notes of others."""
        reply: t.GetEvidenceSummaryReply = self.call("get_evidence_summary", args)
        return reply

    def get_routing_limit_summary(self, **args: Unpack[t.GetRoutingLimitSummaryArgs]) -> t.GetRoutingLimitSummaryReply:
        """Show which model was chosen last and why, what it cost, and the limits."""
        reply: t.GetRoutingLimitSummaryReply = self.call("get_routing_limit_summary", args)
        return reply

    def get_context_boundary(self, **args: Unpack[t.GetContextBoundaryArgs]) -> t.GetContextBoundaryReply:
        """Show what the model sees of a thread and what replaces the rest."""
        reply: t.GetContextBoundaryReply = self.call("get_context_boundary", args)
        return reply

    def create_session(self, **args: Unpack[t.CreateSessionArgs]) -> t.CreateSessionReply:
        """Create a session and its first thread."""
        reply: t.CreateSessionReply = self.call("create_session", args)
        return reply

    def import_session(self, **args: Unpack[t.ImportSessionArgs]) -> t.ImportSessionReply:
        """Add turns of a session that another program ran, as history. Nothing of them is executed."""
        reply: t.ImportSessionReply = self.call("import_session", args)
        return reply

    def attach_tool_servers(self, **args: Unpack[t.AttachToolServersArgs]) -> t.AttachToolServersReply:
        """Name the tool servers of one session, instead of those that were named before. They run while the session is in memory, in the sandbox of other servers; an empty object ends them."""
        reply: t.AttachToolServersReply = self.call("attach_tool_servers", args)
        return reply

    def offer_file_text(self, **args: Unpack[t.OfferFileTextArgs]) -> t.OfferFileTextReply:
        """Give the unsaved text of a file to a call of read_file that waits for it; a channel with the capability file_text does so for turns that it submitted."""
        reply: t.OfferFileTextReply = self.call("offer_file_text", args)
        return reply

    def update_session(self, **args: Unpack[t.UpdateSessionArgs]) -> t.UpdateSessionReply:
        """Change metadata of a session."""
        reply: t.UpdateSessionReply = self.call("update_session", args)
        return reply

    def fork_thread(self, **args: Unpack[t.ForkThreadArgs]) -> t.ForkThreadReply:
        """Fork a thread at a turn."""
        reply: t.ForkThreadReply = self.call("fork_thread", args)
        return reply

    def compact_thread(self, **args: Unpack[t.CompactThreadArgs]) -> t.CompactThreadReply:
        """Replace older turns of a thread by a summary."""
        reply: t.CompactThreadReply = self.call("compact_thread", args)
        return reply

    def edit_files(self, **args: Unpack[t.EditFilesArgs]) -> t.EditFilesReply:
        """Change files of a session's directory with a patch or as a whole, as its user: in the sandbox of the file tools, all of it or nothing."""
        reply: t.EditFilesReply = self.call("edit_files", args)
        return reply

    def rollback_thread(self, **args: Unpack[t.RollbackThreadArgs]) -> t.RollbackThreadReply:
        """Remove the latest turns from a thread's history."""
        reply: t.RollbackThreadReply = self.call("rollback_thread", args)
        return reply

    def spawn_subagent(self, **args: Unpack[t.SpawnSubagentArgs]) -> t.SpawnSubagentReply:
        """Create a child agent with its own thread."""
        reply: t.SpawnSubagentReply = self.call("spawn_subagent", args)
        return reply

    def send_subagent_input(self, **args: Unpack[t.SendSubagentInputArgs]) -> t.SendSubagentInputReply:
        """Send a child agent input."""
        reply: t.SendSubagentInputReply = self.call("send_subagent_input", args)
        return reply

    def wait_subagents(self, **args: Unpack[t.WaitSubagentsArgs]) -> t.WaitSubagentsReply:
        """Wait until child agents end, or until the timeout."""
        reply: t.WaitSubagentsReply = self.call("wait_subagents", args)
        return reply

    def resume_subagent(self, **args: Unpack[t.ResumeSubagentArgs]) -> t.ResumeSubagentReply:
        """Resume a child agent after a restart or a stop."""
        reply: t.ResumeSubagentReply = self.call("resume_subagent", args)
        return reply

    def close_subagent(self, **args: Unpack[t.CloseSubagentArgs]) -> t.CloseSubagentReply:
        """Close a child agent and release its resources."""
        reply: t.CloseSubagentReply = self.call("close_subagent", args)
        return reply

    def list_subagents(self, **args: Unpack[t.ListSubagentsArgs]) -> t.ListSubagentsReply:
        """Show the tree of child agents."""
        reply: t.ListSubagentsReply = self.call("list_subagents", args)
        return reply

    def get_subagent_job_summary(self, **args: Unpack[t.GetSubagentJobSummaryArgs]) -> t.GetSubagentJobSummaryReply:
        """Show child agents and jobs, their threads, and whether they can continue after a restart."""
        reply: t.GetSubagentJobSummaryReply = self.call("get_subagent_job_summary", args)
        return reply

    def get_usage(self, **args: Unpack[t.GetUsageArgs]) -> t.GetUsageReply:
        """Show what all sessions used: cost, tokens, ends of turns, durations."""
        reply: t.GetUsageReply = self.call("get_usage", args)
        return reply

    def get_capabilities(self, **args: Unpack[t.GetCapabilitiesArgs]) -> t.GetCapabilitiesReply:
        """Show the capabilities of this runtime."""
        reply: t.GetCapabilitiesReply = self.call("get_capabilities", args)
        return reply

    def open_console(self, **args: Unpack[t.OpenConsoleArgs]) -> t.OpenConsoleReply:
        """Create a one-time code for the console in a browser; writes no event."""
        reply: t.OpenConsoleReply = self.call("open_console", args)
        return reply

    def list_providers(self, **args: Unpack[t.ListProvidersArgs]) -> t.ListProvidersReply:
        """The providers of models, with the variables in which they look for a key, and whether there is one."""
        reply: t.ListProvidersReply = self.call("list_providers", args)
        return reply

    def lend_keys(self, **args: Unpack[t.LendKeysArgs]) -> t.LendKeysReply:
        """Lend keys of providers to this connection and to the sessions in which it begins work; they stay in memory. Only on the owner's Unix socket, and in the process itself."""
        reply: t.LendKeysReply = self.call("lend_keys", args)
        return reply

    def pair_device(self, **args: Unpack[t.PairDeviceArgs]) -> t.PairDeviceReply:
        """Create a one-time code for a second device; every node takes it."""
        reply: t.PairDeviceReply = self.call("pair_device", args)
        return reply

    def list_devices(self, **args: Unpack[t.ListDevicesArgs]) -> t.ListDevicesReply:
        """List paired devices."""
        reply: t.ListDevicesReply = self.call("list_devices", args)
        return reply

    def list_issuers(self, **args: Unpack[t.ListIssuersArgs]) -> t.ListIssuersReply:
        """List the issuers whose tokens are accepted, and whether their keys are known."""
        reply: t.ListIssuersReply = self.call("list_issuers", args)
        return reply

    def revoke_device(self, **args: Unpack[t.RevokeDeviceArgs]) -> t.RevokeDeviceReply:
        """Revoke a paired device; its event streams end, and every node refuses it."""
        reply: t.RevokeDeviceReply = self.call("revoke_device", args)
        return reply

    def create_token(self, **args: Unpack[t.CreateTokenArgs]) -> t.CreateTokenReply:
        """Make a named token: a principal of its own with limited rights. The reply is the only place that shows the token."""
        reply: t.CreateTokenReply = self.call("create_token", args)
        return reply

    def drain_node(self, **args: Unpack[t.DrainNodeArgs]) -> t.DrainNodeReply:
        """Tell a node to hand its work over to the other nodes, and then to end."""
        reply: t.DrainNodeReply = self.call("drain_node", args)
        return reply

    def list_nodes(self, **args: Unpack[t.ListNodesArgs]) -> t.ListNodesReply:
        """List the nodes that share the store; with a store of one node, that one."""
        reply: t.ListNodesReply = self.call("list_nodes", args)
        return reply

    def list_tokens(self, **args: Unpack[t.ListTokensArgs]) -> t.ListTokensReply:
        """List the named tokens that are valid."""
        reply: t.ListTokensReply = self.call("list_tokens", args)
        return reply

    def rotate_token(self, **args: Unpack[t.RotateTokenArgs]) -> t.RotateTokenReply:
        """Replace the owner's token at all nodes: the one before is refused, browsers are signed out, and devices have to be paired again."""
        reply: t.RotateTokenReply = self.call("rotate_token", args)
        return reply

    def revoke_token(self, **args: Unpack[t.RevokeTokenArgs]) -> t.RevokeTokenReply:
        """Revoke a named token; its event streams end, and requests with it are refused."""
        reply: t.RevokeTokenReply = self.call("revoke_token", args)
        return reply

    def replay_decisions(self, **args: Unpack[t.ReplayDecisionsArgs]) -> t.ReplayDecisionsReply:
        """Make the decisions of a session again from its journal, and compare the events byte for byte."""
        reply: t.ReplayDecisionsReply = self.call("replay_decisions", args)
        return reply

    def create_signing_key(self, **args: Unpack[t.CreateSigningKeyArgs]) -> t.CreateSigningKeyReply:
        """Make a key that signs packs and checkpoints, in a file of the data directory."""
        reply: t.CreateSigningKeyReply = self.call("create_signing_key", args)
        return reply

    def list_signing_keys(self, **args: Unpack[t.ListSigningKeysArgs]) -> t.ListSigningKeysReply:
        """The public keys that sign or have signed packs and checkpoints."""
        reply: t.ListSigningKeysReply = self.call("list_signing_keys", args)
        return reply

    def verify_checkpoint(self, **args: Unpack[t.VerifyCheckpointArgs]) -> t.VerifyCheckpointReply:
        """Check that the data continue a signed checkpoint, and name each session that was cut, rewritten or removed since."""
        reply: t.VerifyCheckpointReply = self.call("verify_checkpoint", args)
        return reply

    def replay_session(self, **args: Unpack[t.ReplaySessionArgs]) -> t.ReplaySessionReply:
        """Fold the events of a session again, and compare the read models with those of the session, byte for byte."""
        reply: t.ReplaySessionReply = self.call("replay_session", args)
        return reply

    def verify_log(self, **args: Unpack[t.VerifyLogArgs]) -> t.VerifyLogReply:
        """Check the hash chain of a session."""
        reply: t.VerifyLogReply = self.call("verify_log", args)
        return reply

    def trim_log(self, **args: Unpack[t.TrimLogArgs]) -> t.TrimLogReply:
        """Remove the beginning of a session's log; a snapshot and the hash at that point stay."""
        reply: t.TrimLogReply = self.call("trim_log", args)
        return reply

    def delete_session(self, **args: Unpack[t.DeleteSessionArgs]) -> t.DeleteSessionReply:
        """Delete a whole session: its events, outputs, packs and everything that follows from them. An event of sess_system records its id and its last hash."""
        reply: t.DeleteSessionReply = self.call("delete_session", args)
        return reply

    def erase_event(self, **args: Unpack[t.EraseEventArgs]) -> t.EraseEventReply:
        """Erase the text of one event; its ids, sequence and hash stay."""
        reply: t.EraseEventReply = self.call("erase_event", args)
        return reply

    def rebuild_session(self, **args: Unpack[t.RebuildSessionArgs]) -> t.RebuildSessionReply:
        """Rebuild the rows and the snapshot that follow from a session's log."""
        reply: t.RebuildSessionReply = self.call("rebuild_session", args)
        return reply

    def create_task(self, **args: Unpack[t.CreateTaskArgs]) -> t.CreateTaskReply:
        """Create a task."""
        reply: t.CreateTaskReply = self.call("create_task", args)
        return reply

    def update_task(self, **args: Unpack[t.UpdateTaskArgs]) -> t.UpdateTaskReply:
        """Change fields of a task."""
        reply: t.UpdateTaskReply = self.call("update_task", args)
        return reply

    def start_task(self, **args: Unpack[t.StartTaskArgs]) -> t.StartTaskReply:
        """Start a run of a task."""
        reply: t.StartTaskReply = self.call("start_task", args)
        return reply

    def append_task_progress(self, **args: Unpack[t.AppendTaskProgressArgs]) -> t.AppendTaskProgressReply:
        """Report the progress of a task."""
        reply: t.AppendTaskProgressReply = self.call("append_task_progress", args)
        return reply

    def pause_task(self, **args: Unpack[t.PauseTaskArgs]) -> t.PauseTaskReply:
        """Pause a task."""
        reply: t.PauseTaskReply = self.call("pause_task", args)
        return reply

    def resume_task(self, **args: Unpack[t.ResumeTaskArgs]) -> t.ResumeTaskReply:
        """Resume a paused task."""
        reply: t.ResumeTaskReply = self.call("resume_task", args)
        return reply

    def cancel_task(self, **args: Unpack[t.CancelTaskArgs]) -> t.CancelTaskReply:
        """Cancel a task and what it started."""
        reply: t.CancelTaskReply = self.call("cancel_task", args)
        return reply

    def retry_task(self, **args: Unpack[t.RetryTaskArgs]) -> t.RetryTaskReply:
        """Retry a task; earlier attempts are kept."""
        reply: t.RetryTaskReply = self.call("retry_task", args)
        return reply

    def complete_task(self, **args: Unpack[t.CompleteTaskArgs]) -> t.CompleteTaskReply:
        """Declare a task complete; the requirements for completion are checked."""
        reply: t.CompleteTaskReply = self.call("complete_task", args)
        return reply

    def fail_task(self, **args: Unpack[t.FailTaskArgs]) -> t.FailTaskReply:
        """Declare a task failed."""
        reply: t.FailTaskReply = self.call("fail_task", args)
        return reply

    def archive_task(self, **args: Unpack[t.ArchiveTaskArgs]) -> t.ArchiveTaskReply:
        """Archive an ended task."""
        reply: t.ArchiveTaskReply = self.call("archive_task", args)
        return reply

    def link_tasks(self, **args: Unpack[t.LinkTasksArgs]) -> t.LinkTasksReply:
        """Add an edge to the task graph."""
        reply: t.LinkTasksReply = self.call("link_tasks", args)
        return reply

    def unlink_tasks(self, **args: Unpack[t.UnlinkTasksArgs]) -> t.UnlinkTasksReply:
        """Remove an edge of the task graph."""
        reply: t.UnlinkTasksReply = self.call("unlink_tasks", args)
        return reply

    def claim_task(self, **args: Unpack[t.ClaimTaskArgs]) -> t.ClaimTaskReply:
        """Claim a waiting task for an external worker."""
        reply: t.ClaimTaskReply = self.call("claim_task", args)
        return reply

    def heartbeat_task(self, **args: Unpack[t.HeartbeatTaskArgs]) -> t.HeartbeatTaskReply:
        """Send a heartbeat of an external worker; writes no event."""
        reply: t.HeartbeatTaskReply = self.call("heartbeat_task", args)
        return reply

    def report_delegation(self, **args: Unpack[t.ReportDelegationArgs]) -> t.ReportDelegationReply:
        """Record what became of a task at the remote agent that works on it; the same report again leaves no event."""
        reply: t.ReportDelegationReply = self.call("report_delegation", args)
        return reply

    def get_task(self, **args: Unpack[t.GetTaskArgs]) -> t.GetTaskReply:
        """Show one task with its attempts and edges."""
        reply: t.GetTaskReply = self.call("get_task", args)
        return reply

    def list_tasks(self, **args: Unpack[t.ListTasksArgs]) -> t.ListTasksReply:
        """List tasks, newest first: of one session, or of all."""
        reply: t.ListTasksReply = self.call("list_tasks", args)
        return reply

    def submit_turn(self, **args: Unpack[t.SubmitTurnArgs]) -> t.SubmitTurnReply:
        """Submit input to a thread; it starts, is queued, steers the active turn or is refused."""
        reply: t.SubmitTurnReply = self.call("submit_turn", args)
        return reply

    def interrupt_turn(self, **args: Unpack[t.InterruptTurnArgs]) -> t.InterruptTurnReply:
        """Interrupt a thread; if nothing runs, this is not an error."""
        reply: t.InterruptTurnReply = self.call("interrupt_turn", args)
        return reply

    def complete_tool_call(self, **args: Unpack[t.CompleteToolCallArgs]) -> t.CompleteToolCallReply:
        """Give the result of a call of a tool that the caller runs."""
        reply: t.CompleteToolCallReply = self.call("complete_tool_call", args)
        return reply

    def resume_thread(self, **args: Unpack[t.ResumeThreadArgs]) -> t.ResumeThreadReply:
        """Resume a thread after a restart, a held queue or a block."""
        reply: t.ResumeThreadReply = self.call("resume_thread", args)
        return reply

    def upload_output(self, **args: Unpack[t.UploadOutputArgs]) -> t.UploadOutputReply:
        """Upload an image in pieces, before the turn that names it. It belongs to the caller; without a turn it is removed after an hour and by a restart."""
        reply: t.UploadOutputReply = self.call("upload_output", args)
        return reply

"""Written by scripts/sdk.py from docs/reference/openapi.json; do not edit."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AckEventsArgs(TypedDict):
    channelId: Id  # The channel.
    sessionId: NotRequired[Id]  # The session it is about.
    sequence: int  # All events up to this one were taken.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AppendTaskProgressArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run it is about.
    phase: NotRequired[Phase]  # What it is busy with.
    percent: NotRequired[int]  # Share done, 0 to 100.
    summary: NotRequired[str]  # One sentence.
    counters: NotRequired[Counters]  # Things counted so far.
    outputRefs: NotRequired[list[RefEntry]]  # New output and its offsets.
    deliveryState: NotRequired[DeliveryState]  # Whether the result arrived.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ArchiveTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AssignJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be silent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CancelJobArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CancelTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    reason: NotRequired[str]  # Why.
    propagation: NotRequired[Propagation]  # What else is stopped.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ClaimTaskArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    taskId: NotRequired[Id]  # This task; any that fits when absent.
    taskKind: NotRequired[str]  # Only this kind of work.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be silent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CloseSubagentArgs(TypedDict):
    sessionId: Id  # The session.
    subagentId: Id  # The child agent.
    reason: NotRequired[str]  # Why.
    discardWorktree: NotRequired[bool]  # Remove its worktree and its branch, whatever they hold; also of one that is closed already.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompactThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.
    keepTurns: NotRequired[int]  # Turns that stay as they are.
    instructions: NotRequired[str]  # What the summary should keep.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompareBenchmarkRunsArgs(TypedDict):
    sessionId: Id  # The session.
    baselineConfigurationId: str  # The baseline.
    candidateConfigurationId: str  # The candidate.
    singleChangedVariable: NotRequired[str]  # What differs.
    decision: NotRequired[str]  # What the quality owner decided.
    decisionSource: NotRequired[str]  # Who decided.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompleteTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run that did it.
    summary: NotRequired[str]  # A sentence on the outcome.
    artifacts: NotRequired[list[ArtifactRef]]  # Artifacts it made.
    evidenceRefs: NotRequired[list[str]]  # Evidence about it.
    acceptance: NotRequired[list[str]]  # Ids of criteria that hold.
    deliveryState: NotRequired[DeliveryState]  # Whether the result arrived.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateJobArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; a new one when absent.
    jobId: NotRequired[Id]  # Id the caller wants.
    taskId: NotRequired[Id]  # The task it works for.
    instruction: str  # What to do with each item.
    items: NotRequired[list[Any]]  # The items; more of them go behind inputRef.
    inputRef: NotRequired[Id]  # The items, when they were stored before.
    outputSchema: NotRequired[Any]  # Shape each output must have.
    concurrency: NotRequired[int]  # Items at once.
    maxAttempts: NotRequired[int]  # Attempts per item.
    maxRuntimeMs: NotRequired[int]  # Most time it may take.
    budgetUsd: NotRequired[float]  # Most it may cost.
    start: NotRequired[bool]  # Start it at once; so when absent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateScheduleArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; a new one when absent.
    scheduleId: NotRequired[Id]  # Id the caller wants.
    cron: NotRequired[str]  # When, in cron form.
    everyMs: NotRequired[int]  # How often, from now on.
    at: NotRequired[Time]  # Once, at this time.
    timezone: NotRequired[str]  # Time zone of the cron form, such as Europe/Berlin; UTC when absent.
    missedPolicy: NotRequired[MissedPolicy]  # Runs that nobody was there for: skip them, make up for them once, or for all of them.
    overlap: NotRequired[OverlapPolicy]  # While the task before is still open: skip, queue behind it, or cancel it.
    task: Any  # Arguments of create_task for each run.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateSessionArgs(TypedDict):
    sessionId: NotRequired[Id]  # Id the caller wants.
    threadId: NotRequired[Id]  # Id the caller wants for the first thread.
    title: NotRequired[str]  # A short name.
    workspaceId: NotRequired[str]  # The workspace.
    cwd: NotRequired[str]  # Directory its turns start in.
    model: NotRequired[str]  # Default model.
    budgetUsd: NotRequired[float]  # Most the session may cost.
    metadata: NotRequired[Any]  # The caller's own notes.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateTaskArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; a new one when absent.
    threadId: NotRequired[Id]  # The thread it works on.
    taskId: NotRequired[Id]  # Id the caller wants.
    title: NotRequired[str]  # A short name.
    objective: str  # What is to be done.
    taskKind: NotRequired[str]  # Kind of work.
    taskFamily: NotRequired[str]  # Coarse group of work.
    visibility: NotRequired[Visibility]  # Who gets to see it in lists.
    priority: NotRequired[str]  # Hint for scheduling.
    parentTaskId: NotRequired[Id]  # The task above it.
    assignee: NotRequired[Actor]  # Who does it.
    scope: NotRequired[TaskScope]  # The boundary it works in.
    constraints: NotRequired[Constraints]  # What it may not exceed.
    acceptance: NotRequired[list[Criterion]]  # What completion needs.
    taskProfile: NotRequired[TaskProfile]  # What it needs from a model.
    retryPolicy: NotRequired[RetryPolicy]  # What a failure leads to.
    start: NotRequired[bool]  # Start it at once.
    create: NotRequired[CreatePolicy]  # Whether an absent session is made.
    metadata: NotRequired[Any]  # The caller's own notes.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class DeleteScheduleArgs(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class EraseEventArgs(TypedDict):
    sessionId: Id  # The session.
    eventSequence: int  # The event.
    reason: str  # Which law or whose wish.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class EvaluatePermissionArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread it is about.
    turnId: NotRequired[Id]  # The turn it is about.
    toolCallId: NotRequired[Id]  # The call it is about.
    processId: NotRequired[Id]  # The process it is about.
    subject: DecisionSubject  # What kind of thing it is about.
    toolName: NotRequired[str]  # The tool.
    input: NotRequired[Any]  # Its input.
    record: NotRequired[bool]  # Whether the fact is written; it is when absent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExplainThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; absent: the main one.


class ExportBenchmarkTrialArgs(TypedDict):
    sessionId: Id  # The session.
    trialId: str  # The trial.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportEvidenceArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    format: NotRequired[str]  # The shape wanted.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportReplayArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    format: NotRequired[str]  # The shape wanted.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportReviewArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    format: NotRequired[str]  # The shape wanted.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class FailTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run that failed.
    error: LastError  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ForkThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread to branch off; the session's main thread when absent.
    turnId: NotRequired[Id]  # Last turn to take over; the latest when absent.
    sequence: NotRequired[int]  # Last event to take over: turns that ended by then.
    into: NotRequired[str]  # thread, the only one that is offered: the same session.
    newThreadId: NotRequired[Id]  # Id the caller wants for the new thread.
    title: NotRequired[str]  # A short name.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class GetArtifactCheckpointSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetCapabilitiesArgs(TypedDict):
    pass


class GetContextBoundaryArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the main one when absent.


class GetExecutionEnvironmentArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread.
    turnId: NotRequired[Id]  # The turn; the latest when absent.


class GetJobArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.


class GetOutputArgs(TypedDict):
    outputRef: Id  # The output.
    sessionId: NotRequired[Id]  # The session it belongs to.
    offset: NotRequired[int]  # First byte; negative counts from the end.
    length: NotRequired[int]  # How many bytes.


class GetPermissionSandboxSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetRoutingLimitSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetSessionArgs(TypedDict):
    sessionId: Id  # The session.
    window: NotRequired[int]  # Turns of history to show.
    sections: NotRequired[list[str]]  # Only these parts.
    cursor: NotRequired[str]  # historyWindow.cursor of the page before: the next older turns, as `history`, newest first, and no other part that is not asked for.


class GetSubagentJobSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.


class GetThreadReadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; absent: the main one.
    window: NotRequired[int]  # Turns of history to show.


class GetToolInventoryArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread.
    mode: NotRequired[PermissionMode]  # As if this mode held.
    caller: NotRequired[Id]  # Who would call: a child agent or a task of the session; what its bounds forbid is denied.


class HeartbeatJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be silent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class HeartbeatTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: Id  # The run.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be silent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class InterruptTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.
    turnId: NotRequired[Id]  # The turn; the active one when absent.
    reason: NotRequired[str]  # Why.
    queuePolicy: NotRequired[QueuePolicy]  # What happens to the queue.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class LinkTasksArgs(TypedDict):
    sessionId: Id  # The session.
    fromTaskId: Id  # The task the edge starts at.
    toTaskId: NotRequired[Id]  # The task it points to.
    targetId: NotRequired[Id]  # The other thing it points to.
    relationship: EdgeKind  # What the edge says.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ListActionsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    threadId: NotRequired[Id]  # Only of this thread.
    status: NotRequired[ActionStatus]  # Only with this status; pending when absent.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListChannelsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    peerRole: NotRequired[PeerRole]  # Only in this role.


class ListDevicesArgs(TypedDict):
    pass


ListEventsArgs = TypedDict("ListEventsArgs", {
    "sessionId": "NotRequired[Id]",  # Only of this session; all the caller may read when absent.
    "after": "NotRequired[int]",  # Events after this sequence; needs a session.
    "before": "NotRequired[int]",  # The newest events before this sequence, oldest first; needs a session. firstSequence of a page is `before` of the next older one.
    "cursor": "NotRequired[str]",  # Events after this place, across sessions.
    "types": "NotRequired[list[str]]",  # Only these classes; tool.* stands for a family.
    "threadId": "NotRequired[Id]",  # Only of this thread.
    "turnId": "NotRequired[Id]",  # Only of this turn.
    "limit": "NotRequired[int]",  # Most events of one page.
    "as": "NotRequired[EventForm]",  # Tell them in this form; as they are stored when absent.
})


class ListGrantsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Those of this session; without it those that reach beyond one.
    scope: NotRequired[GrantScope]  # Only with this reach.


class ListHooksArgs(TypedDict):
    cwd: NotRequired[str]  # The directory whose .thole/hooks.json is meant; absent: where the runtime works.


class ListJobItemsArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    status: NotRequired[JobItemStatus]  # Only with this status.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListJobsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[JobStatus]  # Only with this status.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListModelsArgs(TypedDict):
    provider: NotRequired[str]  # Only of this provider.


class ListProcessesArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[ProcessStatus]  # Only with this status.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListQueueArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.


class ListRulesArgs(TypedDict):
    sessionId: NotRequired[Id]  # With those of this session; without it those of the settings.


class ListSchedulesArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[ScheduleStatus]  # Only with this status.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListSessionsArgs(TypedDict):
    workspaceId: NotRequired[str]  # Only of this workspace.
    status: NotRequired[ThreadStatus]  # Only with a thread in this state.
    archived: NotRequired[bool]  # true: only those that are put away; false: only the others; absent: both.
    system: NotRequired[bool]  # The runtime's own ones too.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListSubagentsArgs(TypedDict):
    sessionId: Id  # The session.
    parentThreadId: NotRequired[Id]  # Only below this thread.
    descendants: NotRequired[bool]  # Children of children too.
    status: NotRequired[SubagentStatus]  # Only with this status.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListTasksArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    threadId: NotRequired[Id]  # Only of this thread.
    parentTaskId: NotRequired[Id]  # Only children of this task.
    status: NotRequired[TaskStatus]  # Only with this status.
    visibility: NotRequired[Visibility]  # Only with this visibility; absent: all, those of plain turns (internal) included.
    limit: NotRequired[int]  # Most rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListThreadsArgs(TypedDict):
    sessionId: Id  # The session.
    kind: NotRequired[ThreadKind]  # Only of this kind.
    status: NotRequired[ThreadStatus]  # Only with this status.


class ListToolServersArgs(TypedDict):
    pass


class MoveQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the one the turn waits on when absent.
    queuedTurnId: Id  # The turn that waits.
    position: int  # The new place, from 1.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class OpenConsoleArgs(TypedDict):
    pass


class PairDeviceArgs(TypedDict):
    url: str  # Where the device reaches this runtime: https://name[:port], or plain http:// on loopback and with lan.
    name: NotRequired[str]  # What it is called: letters, digits, . _ -; phone when not given.
    lan: NotRequired[bool]  # Plain HTTP on the local network is meant; such a device reads and decides, and nothing else.


class PauseScheduleArgs(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class PauseTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    reason: NotRequired[str]  # Why.
    propagation: NotRequired[Propagation]  # What is paused besides: children pauses every open task below it.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class PromoteQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the one the turn waits on when absent.
    queuedTurnId: Id  # The turn that waits.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RebuildSessionArgs(TypedDict):
    sessionId: Id  # The session.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ReconnectChannelArgs(TypedDict):
    channelId: Id  # The channel; a new one is enrolled when it is not known.
    sessionId: NotRequired[Id]  # The session it is bound to.
    lastAckedSequence: NotRequired[int]  # Last event it has acknowledged.
    resumeToken: NotRequired[str]  # Token it was given.
    transport: NotRequired[Transport]  # How it is connected now.
    peerRole: NotRequired[PeerRole]  # What it is to us.
    capabilities: NotRequired[list[str]]  # What it can do.
    nativeProtocol: NotRequired[str]  # Its protocol.
    follow: NotRequired[bool]  # false: no events follow the reply on this connection.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RecordBenchmarkRewardArgs(TypedDict):
    sessionId: Id  # The session.
    trialId: str  # The trial.
    reward: Reward  # The score.
    verifierStatus: NotRequired[str]  # How the verifier ended.
    refs: NotRequired[dict[str, Any]]  # Its files.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RemoveQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the one the turn waits on when absent.
    queuedTurnId: Id  # The turn that waits.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ReportJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    workerId: NotRequired[str]  # The worker's own name.
    output: NotRequired[Any]  # The output.
    error: NotRequired[LastError]  # Why there is none.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResizeProcessArgs(TypedDict):
    sessionId: Id  # The session.
    processId: Id  # The process.
    columns: int  # Columns.
    rows: int  # Rows.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResolvePermissionArgs(TypedDict):
    sessionId: Id  # The session.
    actionId: Id  # The action.
    decision: NotRequired[Decision]  # The answer; absent when a record gives it.
    record: NotRequired[Any]  # A record of Agent Policy that gives the answer: a decision, an approval, a grant or a waiver.
    decisionSource: NotRequired[DecisionSource]  # Who decided.
    reason: NotRequired[str]  # Why.
    ruleRefs: NotRequired[list[str]]  # Rules it rests on.
    scope: NotRequired[GrantScope]  # How far it reaches.
    expiresAt: NotRequired[Time]  # When it ends.
    input: NotRequired[Any]  # Edited input.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RespondActionArgs(TypedDict):
    sessionId: Id  # The session.
    actionId: Id  # The action.
    decision: Decision  # The answer.
    scope: NotRequired[GrantScope]  # How far it reaches; once when absent.
    reason: NotRequired[str]  # Why.
    input: NotRequired[Any]  # Edited input, where the action takes it.
    payload: NotRequired[Any]  # The structured answer, where the action asks for one; members that it leaves out are the defaults of the action's schema.
    expiresAt: NotRequired[Time]  # When a wider grant ends.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResumeScheduleArgs(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResumeSubagentArgs(TypedDict):
    sessionId: Id  # The session.
    subagentId: Id  # The child agent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResumeTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    propagation: NotRequired[Propagation]  # What goes on besides: children resumes every paused task below it.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResumeThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.
    turnId: NotRequired[Id]  # The turn to go on with.
    resumeToken: NotRequired[str]  # Token from the wait (thread.wait.resumeToken): refused if something else waits to be resumed by now.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RetryJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RetryTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    reason: str  # Why.
    input: NotRequired[Any]  # What the agent is told this time.
    worker: NotRequired[Worker]  # Who does it this time.
    propagation: NotRequired[Propagation]  # What is tried again besides: children retries every task below it that failed, timed out, was lost or cancelled.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RevokeDeviceArgs(TypedDict):
    deviceId: Id  # The device.
    idempotencyKey: NotRequired[str]  # Not needed: a device goes once.


class RevokeGrantArgs(TypedDict):
    sessionId: NotRequired[Id]  # Session of the grant; absent for one that reaches beyond.
    grantId: Id  # The grant.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RollbackThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.
    toTurnId: NotRequired[Id]  # Last turn that stays.
    toSequence: NotRequired[int]  # Last event that stays.
    interrupt: NotRequired[bool]  # End a running turn first.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SendSubagentInputArgs(TypedDict):
    sessionId: Id  # The session.
    subagentId: Id  # The child agent.
    input: Any  # A string or an array of parts.
    delivery: NotRequired[Delivery]  # How it meets a busy child.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SetModeArgs(TypedDict):
    sessionId: Id  # The session.
    mode: PermissionMode  # The new mode.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SetPolicyArgs(TypedDict):
    sessionId: Id  # The session.
    scope: NotRequired[GrantScope]  # How far the rules reach: session, which is meant when it is absent. Wider rules stand in the settings.
    rules: Any  # The rules: a list, or {"rules": [...]}.
    replace: NotRequired[bool]  # Replace what was there instead of adding.
    reason: NotRequired[str]  # Why.
    expectedVersion: NotRequired[int]  # Refuse if the rules changed since.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SpawnSubagentArgs(TypedDict):
    sessionId: Id  # The session.
    parentThreadId: Id  # The thread it is made on.
    parentTurnId: NotRequired[Id]  # The turn it is made in.
    parentTaskId: NotRequired[Id]  # The task it is made for.
    subagentId: NotRequired[Id]  # Id the caller wants.
    role: str  # What it is for.
    nickname: NotRequired[str]  # Name for people.
    input: NotRequired[Any]  # What it is told first.
    isolation: NotRequired[Isolation]  # What it may see and touch.
    modelPolicy: NotRequired[ModelPolicy]  # Whether it takes the parent's model.
    model: NotRequired[str]  # Its own model.
    budgetUsd: NotRequired[float]  # Most it may cost.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartBenchmarkTrialArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; a new one when absent.
    benchmark: Benchmark  # Dataset, task, trial and configuration.
    input: NotRequired[Any]  # What the agent is told.
    timeoutSec: NotRequired[int]  # Time it has.
    budgetUsd: NotRequired[float]  # Most it may cost.
    sandboxMode: NotRequired[SandboxMode]  # The cage it runs in.
    refs: NotRequired[dict[str, Any]]  # Files of the benchmark.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartJobArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    threadId: NotRequired[Id]  # The thread to run on.
    worker: NotRequired[Worker]  # Who does it: the built-in agent or an external worker.
    input: NotRequired[Any]  # What the agent is told; the objective when absent.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SubmitTurnArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; a new one when absent.
    threadId: NotRequired[Id]  # The thread; the session's main thread when absent.
    turnId: NotRequired[Id]  # Id the caller wants; the same id again is the same turn.
    input: Any  # A string, or an array of parts: {"type":"text","text":"..."}; images, {"type":"image","mediaType":"image/png","data":"base64"} or with the ref of a stored output; files, {"type":"file","name":"a.txt","text":"..."} (or data in base64), or {"type":"file","path":"src/a.c"} of the workspace; resources, {"type":"resource","uri":"...","text":"..."}, and links to them, {"type":"resource_link","uri":"..."}. What is no text is refused.
    delivery: NotRequired[Delivery]  # How it meets a busy thread.
    create: NotRequired[CreatePolicy]  # Whether an absent session or thread is made.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    title: NotRequired[str]  # Name of a session that is made.
    model: NotRequired[str]  # Model the caller wants.
    fallback: NotRequired[FallbackPolicy]  # Whether another model may step in; deny locks the choice.
    taskKind: NotRequired[str]  # Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another.
    requires: NotRequired[list[str]]  # Capabilities that the model must have, such as vision.
    latency: NotRequired[LatencyTarget]  # How long people will wait.
    budgetUsd: NotRequired[float]  # Most the turn may cost.
    metadata: NotRequired[Any]  # The caller's own notes.
    source: NotRequired[str]  # Where the input comes from.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.
    workspaceId: NotRequired[str]  # Workspace of a session that is made.
    cwd: NotRequired[str]  # Directory to work in.
    outputSchema: NotRequired[Any]  # Schema the final answer must fit.
    background: NotRequired[bool]  # true: the work is a task of its own on a thread of its own, which can be retried, paused and delegated; text only.
    options: NotRequired[SubmitOptions]  # The same choices as one object; a choice that is given twice has to be the same.
    context: NotRequired[list[ContextRef]]  # What else the model is to see: memory, knowledge, skills, files.


SubscribeEventsArgs = TypedDict("SubscribeEventsArgs", {
    "threadId": "NotRequired[Id]",  # Only events of this thread.
    "turnId": "NotRequired[Id]",  # Only events of this turn.
    "follow": "NotRequired[bool]",  # Go on with what comes; true unless said otherwise.
    "sessionId": "NotRequired[Id]",  # Only of this session.
    "after": "NotRequired[int]",  # Begin after this sequence.
    "cursor": "NotRequired[str]",  # Begin after this place, across sessions; end: with what comes.
    "types": "NotRequired[list[str]]",  # Only these classes; tool.* stands for a family.
    "channelId": "NotRequired[Id]",  # This connection's channel: without `after` and `cursor` it begins behind what the channel has acknowledged.
    "as": "NotRequired[EventForm]",  # Tell them in this form; as they are stored when absent.
})


class TerminateProcessArgs(TypedDict):
    sessionId: Id  # The session.
    processId: Id  # The process.
    reason: NotRequired[str]  # Why.
    graceMs: NotRequired[int]  # Time it has before it is killed.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrimLogArgs(TypedDict):
    sessionId: Id  # The session.
    through: NotRequired[int]  # The last event to remove.
    keep: NotRequired[int]  # Or how many of the newest events stay.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrustHooksArgs(TypedDict):
    contentHash: str  # The hash that was looked at; another one is refused.
    cwd: NotRequired[str]  # The directory whose file it is; absent: where the runtime works.
    ref: NotRequired[str]  # One hook, of the settings or of the project: contentHash is its programHash.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrustToolServerArgs(TypedDict):
    server: str  # Its name.
    cwd: NotRequired[str]  # The directory whose file names it, as list_tool_servers says; absent: the first server of that name.
    contentHash: NotRequired[str]  # The hash that was looked at; another one is refused.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UnlinkTasksArgs(TypedDict):
    sessionId: Id  # The session.
    fromTaskId: Id  # The task the edge starts at.
    toTaskId: NotRequired[Id]  # The task it points to.
    targetId: NotRequired[Id]  # The other thing it points to.
    relationship: EdgeKind  # What the edge says.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UnsubscribeEventsArgs(TypedDict):
    subscriptionId: Id  # The subscription.


class UpdateSessionArgs(TypedDict):
    sessionId: Id  # The session.
    title: NotRequired[str]  # The new name.
    workspaceId: NotRequired[str]  # The new workspace.
    cwd: NotRequired[str]  # The new directory.
    model: NotRequired[str]  # The new default model.
    budgetUsd: NotRequired[float]  # The new cap on what the session may cost.
    pinnedThreadIds: NotRequired[list[Id]]  # Threads that are pinned from now on.
    archived: NotRequired[bool]  # Whether it is put away.
    metadata: NotRequired[Any]  # The new notes.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UpdateTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    title: NotRequired[str]  # The new name.
    objective: NotRequired[str]  # What is to be done now.
    priority: NotRequired[str]  # The new hint.
    assignee: NotRequired[Actor]  # Who does it now.
    visibility: NotRequired[Visibility]  # Who gets to see it now.
    constraints: NotRequired[Constraints]  # The new bounds.
    acceptance: NotRequired[list[Criterion]]  # The new criteria.
    metadata: NotRequired[Any]  # The new notes.
    expectedVersion: NotRequired[int]  # Refuse if the task changed since that event.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class VerifyLogArgs(TypedDict):
    sessionId: Id  # Only this session.
    fromSequence: NotRequired[int]  # Begin here.


class WaitSubagentsArgs(TypedDict):
    sessionId: Id  # The session.
    subagentIds: list[Id]  # The child agents.
    all: NotRequired[bool]  # Wait for all of them instead of the first.
    timeoutMs: NotRequired[int]  # How long to wait.


class WriteProcessStdinArgs(TypedDict):
    sessionId: Id  # The session.
    processId: Id  # The process.
    data: str  # What to write.
    base64: NotRequired[bool]  # Whether data is base64.
    eof: NotRequired[bool]  # Close its input afterwards.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


ActionStatus: TypeAlias = Literal["pending", "resolved", "timed_out", "cancelled"]


ActionType: TypeAlias = Literal["tool_permission", "structured_input", "credential", "plan", "escalation"]


ActorKind: TypeAlias = Literal["user", "runtime", "agent", "worker", "channel", "peer", "hook", "policy", "workflow", "system"]


ArtifactChange: TypeAlias = Literal["created", "updated", "deleted", "observed"]


AttemptStatus: TypeAlias = Literal["idle", "queued", "preparing", "running", "blocked", "streaming", "retrying", "completed", "failed", "cancelled", "stale", "unknown", "unavailable", "not_applicable"]


Backoff: TypeAlias = Literal["immediate", "fixed", "exponential"]


BudgetClass: TypeAlias = Literal["low", "medium", "high", "fixed", "unknown"]


CompactionTrigger: TypeAlias = Literal["manual", "auto", "memory", "budget", "remote", "system"]


ConstraintStrength: TypeAlias = Literal["hard", "preference"]


ContextKind: TypeAlias = Literal["instruction", "memory", "knowledge", "skill", "file", "browser"]


Continuity: TypeAlias = Literal["new", "thread", "resumed"]


CostClass: TypeAlias = Literal["low", "medium", "high", "unknown"]


CostStatus: TypeAlias = Literal["estimated", "recorded", "unknown"]


CreatePolicy: TypeAlias = Literal["if_missing", "never"]


Decision: TypeAlias = Literal["allow", "deny", "ask", "sandboxed", "unavailable", "answer", "decline", "cancel"]


DecisionKind: TypeAlias = Literal["allow_or_deny", "answer_or_decline", "provide_or_decline", "approve_or_revise"]


DecisionSource: TypeAlias = Literal["rule", "mode", "hook", "classifier", "human", "host_policy", "sandbox_override", "tool_contract"]


DecisionSubject: TypeAlias = Literal["tool", "process", "action", "peer_task"]


Delivery: TypeAlias = Literal["queue", "steer", "interrupt", "reject", "immediate"]


DeliveryMechanism: TypeAlias = Literal["polling", "streaming", "subscription", "push", "custom"]


DeliveryStatus: TypeAlias = Literal["pending", "delivered", "queued", "failed", "parent_missing", "not_applicable"]


EdgeKind: TypeAlias = Literal["parent", "child", "blocks", "blocked_by", "source_task", "source_attempt", "spawned_subagent", "spawned_job", "assigned_thread", "produced_artifact", "consumed_artifact", "evidence"]


EdgeStatus: TypeAlias = Literal["active", "satisfied", "broken", "ended", "removed"]


Enforcement: TypeAlias = Literal["exact_or_fail", "best_effort"]


ErrorCategory: TypeAlias = Literal["auth", "invalid_request", "not_found", "context_length", "content_filter", "refusal", "rate_limited", "overloaded", "server_error", "network", "timeout", "protocol", "quota", "budget", "price_missing", "no_candidate", "max_steps", "invalid_input", "unknown_tool", "tool_failed", "permission", "hook_blocked", "hook_failed", "sandbox_denied", "sandbox_unavailable", "spawn_failed", "output_limit", "process_failed", "interrupted", "cancelled", "lost", "acceptance_unmet", "delivery_failed", "dependency_failed", "worker_lost", "unavailable", "verifier_error", "environment", "append_refused", "store_failed", "storage_full", "internal", "unknown"]


ErrorCode: TypeAlias = Literal["invalid_request", "invalid_json", "unknown_field", "missing_field", "invalid_type", "invalid_value", "invalid_id", "reserved_id", "too_large", "invalid_decision", "invalid_answer", "invalid_input", "unknown_command", "unavailable", "unauthorized", "forbidden", "host_not_allowed", "origin_not_allowed", "method_not_allowed", "not_acceptable", "payload_too_large", "unsupported_media_type", "header_too_large", "not_found", "session_not_found", "thread_not_found", "turn_not_found", "queued_turn_not_found", "task_not_found", "action_not_found", "grant_not_found", "tool_server_not_found", "output_not_found", "process_not_found", "subagent_not_found", "job_not_found", "job_item_not_found", "schedule_not_found", "channel_not_found", "subscription_not_found", "trial_not_found", "edge_not_found", "idempotency_conflict", "id_conflict", "already_resolved", "already_ended", "not_retryable", "not_resumable", "not_interruptible", "not_ready", "acceptance_unmet", "thread_busy", "turn_active", "turn_mismatch", "compaction_active", "nothing_to_do", "version_mismatch", "stale_run", "cycle", "cross_session_link", "cancelling", "stdin_closed", "trial_mismatch", "expired_cursor", "output_missing", "expired", "range_not_satisfiable", "queue_full", "too_many_open", "rate_limited", "budget_exhausted", "overloaded", "shutting_down", "session_moved", "timeout", "store_failed", "session_unreadable", "rebuilding", "storage_full", "internal"]


EventForm: TypeAlias = Literal["agent_ui", "agent_policy"]


EventType: TypeAlias = Literal["session.created", "session.updated", "thread.started", "thread.updated", "turn.submitted", "turn.started", "turn.completed", "turn.failed", "task.created", "task.accepted", "task.queued", "task.started", "task.updated", "task.progress", "task.waiting", "task.blocked", "task.paused", "task.resumed", "task.retrying", "task.cancel_requested", "task.cancelled", "task.timed_out", "task.failed", "task.lost", "task.completed", "task.archived", "run.status", "model.requested", "model.delta", "model.completed", "model.failed", "reasoning.delta", "reasoning.summary", "tool.catalog.resolved", "tool.started", "tool.args", "tool.progress", "tool.result", "tool.failed", "action.required", "action.resolved", "queue.changed", "context.resolved", "context.compaction.started", "context.compaction.completed", "context.compaction.failed", "artifact.changed", "evidence.changed", "subagent.spawned", "subagent.status", "subagent.input", "subagent.completed", "subagent.failed", "subagent.closed", "limit.changed", "snapshot.updated", "runtime.warning", "runtime.error", "permission.evaluated", "permission.requested", "permission.resolved", "sandbox.applied", "sandbox.violation", "hook.started", "hook.completed", "hook.failed", "policy.changed", "process.started", "process.output", "process.input", "process.completed", "process.failed", "process.terminated", "task.profile.resolved", "routing.candidates.resolved", "routing.decided", "routing.fallback.applied", "routing.not_possible", "routing.single_candidate", "task.delegated", "task.dependency.updated", "task.attempt.started", "task.attempt.completed", "task.attempt.failed", "cost.estimated", "cost.recorded", "rate_limit.hit", "quota.low", "quota.blocked", "channel.connected", "channel.disconnected", "channel.resumed", "channel.message", "channel.permission_forwarded", "channel.permission_returned", "job.created", "job.started", "job.progress", "job.item.started", "job.item.completed", "job.item.failed", "job.completed", "job.failed", "job.cancelled", "output.spilled", "output.truncated", "output.redacted", "output.expired", "history.window.loaded", "history.reconstructed", "history.rollback.started", "history.rollback.completed", "snapshot.repaired", "benchmark.dataset.resolved", "benchmark.configuration.resolved", "benchmark.trial.started", "benchmark.trial.completed", "benchmark.trial.failed", "benchmark.reward.recorded", "benchmark.comparison.completed"]


EvidenceSignal: TypeAlias = Literal["exported", "not_applicable", "unsupported", "not_recorded", "missing_correlation", "unavailable"]


ExclusionReason: TypeAlias = Literal["credential_missing", "capability_missing", "quota_blocked", "rate_limited", "network_unavailable", "policy_denied", "budget_exceeded", "price_missing", "context_too_small", "disabled"]


Executed: TypeAlias = Literal["no", "yes", "partly", "unknown"]


FailPolicy: TypeAlias = Literal["open", "closed"]


FallbackPolicy: TypeAlias = Literal["allow", "deny", "ask", "local_only", "host_only"]


GapReason: TypeAlias = Literal["retention", "truncation", "corrupt"]


GrantScope: TypeAlias = Literal["once", "turn", "session", "workspace", "organization", "host_policy"]


HistoryLayer: TypeAlias = Literal["event_log", "rollout_log", "session_snapshot", "thread_read_model", "context_boundary", "evidence_export"]


Honesty: TypeAlias = Literal["unknown", "unavailable", "not_applicable", "stale", "blocked", "lost"]


HookDecision: TypeAlias = Literal["continue", "block", "allow", "deny", "ask"]


HookHandler: TypeAlias = Literal["command", "http", "in_process"]


HookPoint: TypeAlias = Literal["session_start", "user_prompt_submit", "pre_tool_use", "permission_request", "post_tool_use", "post_tool_failure", "post_sampling", "stop", "delivery"]


HookSandbox: TypeAlias = Literal["agent", "guarded", "none"]


HookStatus: TypeAlias = Literal["running", "completed", "failed"]


HookTrust: TypeAlias = Literal["host", "user", "hash_recorded", "untrusted"]


InterruptBehavior: TypeAlias = Literal["cancel", "wait", "detach"]


ItemKind: TypeAlias = Literal["user_message", "agent_message", "reasoning", "tool_call", "command", "file_change", "web_search", "todo", "error", "catalog", "compaction"]


JobItemStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "reported"]


JobStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "cancelled"]


LatencyTarget: TypeAlias = Literal["interactive", "background", "batch"]


LimitEventKind: TypeAlias = Literal["rate_limit_hit", "quota_low", "quota_blocked", "parallel_budget_reached"]


LimitKind: TypeAlias = Literal["budget", "rate", "quota", "parallel", "policy"]


LimitScope: TypeAlias = Literal["request", "turn", "session", "task", "day", "tenant", "provider"]


LimitSource: TypeAlias = Literal["command", "config", "provider_headers", "provider", "host", "governor"]


LimitStatus: TypeAlias = Literal["ok", "low", "limited", "blocked", "unknown", "unavailable", "not_applicable"]


Liveness: TypeAlias = Literal["gone", "alive", "unknown"]


MissedPolicy: TypeAlias = Literal["skip", "once", "all"]


MissingReason: TypeAlias = Literal["not_found", "denied", "too_large", "unreadable", "expired", "omitted_by_budget"]


ModelPolicy: TypeAlias = Literal["inherit", "override"]


NetworkMode: TypeAlias = Literal["off", "restricted", "full"]


OnBusy: TypeAlias = Literal["queue", "steer", "interrupt", "reject"]


OutputOwner: TypeAlias = Literal["tool", "process", "hook", "model", "artifact", "evidence", "turn", "runtime"]


OverlapPolicy: TypeAlias = Literal["skip", "queue", "cancel"]


PeerRole: TypeAlias = Literal["client", "host", "worker", "remote_runtime", "peer_agent", "tool_server"]


PermissionMode: TypeAlias = Literal["default", "untrusted", "on_request", "on_failure", "never", "plan", "bypass", "auto"]


Phase: TypeAlias = Literal["preparing", "planning", "working", "streaming", "verifying", "delivering", "waiting", "retrying", "cancelling", "recovering", "compacting", "draining"]


PolicyEvent: TypeAlias = Literal["policy.decision.created", "policy.decision.updated", "policy.approval.requested", "policy.approval.responded", "policy.grant.issued", "policy.grant.revoked", "policy.waiver.created", "policy.trace.linked"]


PolicyRecordKind: TypeAlias = Literal["decision", "approval", "grant", "waiver"]


PolicyResult: TypeAlias = Literal["allow", "deny", "ask", "defer", "escalate", "waive", "not_applicable", "indeterminate"]


PolicySource: TypeAlias = Literal["human", "command", "config", "host", "hook", "runtime"]


PriceSource: TypeAlias = Literal["table", "script", "config"]


ProblemCategory: TypeAlias = Literal["request", "auth", "not_found", "conflict", "limit", "capacity", "store", "internal"]


ProcessStatus: TypeAlias = Literal["idle", "running", "exited", "failed", "lost"]


Propagation: TypeAlias = Literal["self", "children", "processes", "children_and_processes"]


QueuePolicy: TypeAlias = Literal["keep", "clear", "continue"]


RecoveryMode: TypeAlias = Literal["none", "restart", "compaction", "rollback", "truncation", "retention", "repair", "gap"]


Redaction: TypeAlias = Literal["none", "secret", "policy", "provider_encrypted"]


RoutingMode: TypeAlias = Literal["no_candidate", "single_candidate", "multi_candidate"]


RoutingSource: TypeAlias = Literal["explicit", "session", "task_preference", "host_policy", "policy_auto", "runtime_fallback"]


SandboxMode: TypeAlias = Literal["read_only", "workspace_write", "danger_full_access", "external_sandbox", "unavailable"]


ScheduleStatus: TypeAlias = Literal["active", "paused", "ended"]


Status: TypeAlias = Literal["idle", "accepted", "queued", "preparing", "running", "streaming", "waiting_input", "waiting_permission", "waiting_resource", "blocked", "paused", "retrying", "cancelling", "cancelled", "timed_out", "failed", "lost", "completed", "archived", "stale", "unknown", "unavailable", "not_applicable", "draft", "closed", "pending", "exited", "reported"]


StdinPolicy: TypeAlias = Literal["closed", "pipe", "tty"]


SubagentStatus: TypeAlias = Literal["queued", "running", "blocked", "completed", "failed", "cancelled", "closed"]


TaskStatus: TypeAlias = Literal["draft", "accepted", "queued", "preparing", "running", "waiting_input", "waiting_permission", "waiting_resource", "blocked", "paused", "retrying", "cancelling", "cancelled", "timed_out", "failed", "lost", "completed", "archived", "stale", "unknown"]


ThreadKind: TypeAlias = Literal["main", "fork", "subagent", "job", "system"]


ThreadStatus: TypeAlias = Literal["idle", "queued", "running", "blocked", "completed", "failed", "cancelled", "stale", "unknown"]


TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


ToolPolicy: TypeAlias = Literal["allowed", "ask", "denied", "sandboxed", "unavailable"]


ToolServerStatus: TypeAlias = Literal["untrusted", "unsupported", "disabled", "starting", "ready", "down", "stopped"]


Transport: TypeAlias = Literal["websocket", "sse", "json_rpc", "grpc", "http_json", "stdio", "in_process", "custom"]


TrialRole: TypeAlias = Literal["baseline", "candidate", "control"]


Truncation: TypeAlias = Literal["none", "head", "tail", "middle", "head_tail", "tokens"]


TurnKind: TypeAlias = Literal["user", "task", "system", "subagent", "job"]


UiArtifactStatus: TypeAlias = Literal["creating", "ready", "updating", "failed", "stale", "superseded", "deleted", "unknown"]


UiControl: TypeAlias = Literal["send", "queue", "steer", "interrupt", "approve", "reject", "answer", "edit", "retry", "rollback", "export", "open_detail", "none", "unknown", "delegate", "assign", "continue_agent", "wait", "stop", "close", "request_review"]


UiEntity: TypeAlias = Literal["agent_turn", "subagent_turn", "automation_job", "external_task", "work_item", "unknown"]


UiOwner: TypeAlias = Literal["runtime", "model", "tool", "action", "artifact", "evidence", "context", "policy", "task", "session", "diagnostics", "ui_projection", "unknown", "agent", "team"]


UiPersistence: TypeAlias = Literal["ephemeral_live", "transcript", "snapshot", "archive", "artifact_store", "evidence_pack", "diagnostics_log", "ui_local", "unknown"]


UiPhase: TypeAlias = Literal["draft", "submitted", "accepted", "routing", "preparing", "planning", "reasoning", "acting", "waiting", "producing", "reconciling", "completed", "failed", "cancelled", "interrupted", "archived", "hydrating", "unknown", "reviewing"]


UiScope: TypeAlias = Literal["application", "workspace", "session", "thread", "run", "turn", "message", "part", "task", "agent", "tool_call", "action_request", "artifact", "evidence", "unknown", "team"]


UiStatus: TypeAlias = Literal["idle", "queued", "submitted", "accepted", "preparing", "running", "waiting", "needs_input", "plan_ready", "completed", "failed", "aborted", "cancelled", "closed", "not_found", "unknown"]


UiSurface: TypeAlias = Literal["composer", "conversation", "inline_process", "runtime_status", "tool_ui", "hitl", "task_capsule", "artifact_workspace", "timeline_evidence", "session_tabs", "diagnostics", "custom", "unknown", "team_roster", "work_board", "delegation_graph", "handoff_lane", "worker_notifications", "review_lane", "teammate_transcript", "background_teammate", "remote_teammate", "team_policy"]


UiType: TypeAlias = Literal["session.opened", "session.hydrated", "session.updated", "session.closed", "run.started", "run.status", "run.finished", "run.failed", "plan.delta", "plan.final", "text.delta", "text.final", "reasoning.delta", "reasoning.summary", "tool.started", "tool.args", "tool.progress", "tool.output.delta", "tool.result", "tool.failed", "action.required", "action.resolved", "queue.changed", "task.changed", "agent.changed", "context.changed", "context.compaction.started", "context.compaction.completed", "permission.changed", "artifact.created", "artifact.updated", "artifact.preview.ready", "artifact.version.created", "artifact.diff.ready", "artifact.export.started", "artifact.export.completed", "artifact.failed", "artifact.deleted", "artifact.changed", "evidence.changed", "state.snapshot", "state.delta", "messages.snapshot", "diagnostic.changed", "metric.changed", "agent.spawned", "agent.completed", "agent.handoff", "team.changed", "worker.notification", "review.requested", "review.completed"]


ValidationState: TypeAlias = Literal["passed", "failed", "not_applicable", "unchecked"]


Visibility: TypeAlias = Literal["foreground", "background", "internal", "hidden", "unknown"]


WaitFor: TypeAlias = Literal["input", "permission", "resource", "dependency", "worker", "resume", "cleanup", "backoff", "rate_limit", "quota", "parallel", "hook"]


WorkerKind: TypeAlias = Literal["in_process", "agent", "external", "subagent", "job", "peer"]


WorktreeState: TypeAlias = Literal["making", "ready", "failed", "kept", "discarding", "removed"]


class RuntimeEvent(TypedDict):
    type: EventType  # Class of the event; the generator makes this enum from the event rows.
    eventId: Id  # Identity of the event; the same on every delivery.
    sequence: int  # Place in the session's log, from 1, without gaps.
    timestamp: Time  # When the runtime recorded it; never goes back within a session.
    schemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation that wrote it.
    sessionId: Id  # The session whose log this is.
    threadId: NotRequired[Id]  # The thread it belongs to.
    turnId: NotRequired[Id]  # The turn it belongs to.
    taskId: NotRequired[Id]  # The task it belongs to.
    parentTaskId: NotRequired[Id]  # The task above that task.
    rootTaskId: NotRequired[Id]  # The topmost task of that tree.
    runId: NotRequired[Id]  # The run of the task.
    attemptId: NotRequired[Id]  # The attempt; one to one with the run.
    stepId: NotRequired[Id]  # The step of the turn.
    toolCallId: NotRequired[Id]  # The tool call.
    modelRequestId: NotRequired[Id]  # The request to a model.
    processId: NotRequired[Id]  # The process.
    outputRef: NotRequired[Id]  # The output that grows or was stored.
    queueId: NotRequired[Id]  # The queue of the thread.
    actionId: NotRequired[Id]  # The decision that is owed or was given.
    channelId: NotRequired[Id]  # The enrolled peer.
    subagentId: NotRequired[Id]  # The child agent.
    jobId: NotRequired[Id]  # The batch job.
    jobItemId: NotRequired[Id]  # One item of that job.
    requestId: NotRequired[Id]  # The client's call that caused it directly.
    artifactId: NotRequired[Id]  # A deliverable kept by its owner.
    evidenceId: NotRequired[Id]  # An export or a record of the evidence system.
    traceId: NotRequired[str]  # W3C trace id, 32 hex digits, when tracing is on.
    spanId: NotRequired[str]  # W3C span id, 16 hex digits, when tracing is on.
    status: NotRequired[Status]  # Status of the object the event is about, after the event.
    phase: NotRequired[Phase]  # Phase of the turn or task.
    statusReason: NotRequired[str]  # One sentence for people on why the status is what it is.
    nativeStatus: NotRequired[str]  # The foreign or exact word that the wire enum lacks.
    command: NotRequired[CommandFact]  # Which accepted command this is the first fact of.
    item: NotRequired[Item]  # The step as this event opens, changes or ends it.
    task: NotRequired[Task]  # The task record; whole at creation, changed fields later.
    taskAttempt: NotRequired[TaskAttempt]  # The attempt record.
    taskRelationship: NotRequired[TaskRelationship]  # One edge of the task graph.
    taskGraph: NotRequired[TaskGraph]  # Edges of a task tree.
    taskProgress: NotRequired[TaskProgress]  # How far the task is, in facts.
    taskAcceptance: NotRequired[TaskAcceptance]  # Criteria and how many are met.
    worker: NotRequired[Worker]  # Who carries the attempt out.
    deliveryState: NotRequired[DeliveryState]  # Whether the result reached its receiver.
    permissionDecision: NotRequired[PermissionDecision]  # The decision and everything it rests on.
    sandboxProfile: NotRequired[SandboxProfile]  # The boundary that really holds.
    routingDecision: NotRequired[RoutingDecision]  # Which model was chosen, from what, and why.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were really available, and those left out.
    taskProfile: NotRequired[TaskProfile]  # What the task needs from a model.
    costState: NotRequired[CostState]  # Money and tokens so far.
    limitState: NotRequired[LimitState]  # Rate, quota, parallel and budget state.
    limitEvent: NotRequired[LimitEvent]  # The limit that was met.
    hookRun: NotRequired[HookRun]  # One run of a hook.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where commands of the turn run.
    channel: NotRequired[Channel]  # The enrolled peer's record.
    job: NotRequired[Job]  # The job's record.
    jobItem: NotRequired[JobItem]  # The item's record.
    output: NotRequired[Output]  # The stored output's record.
    historyBoundary: NotRequired[HistoryBoundary]  # A border in the history: recovery, compaction, rollback.
    telemetry: NotRequired[Telemetry]  # What was exported about it.
    correlation: NotRequired[Correlation]  # Ids for joining foreign records.
    benchmark: NotRequired[Benchmark]  # Dataset, task, trial and configuration.
    trajectory: NotRequired[Trajectory]  # The trial's trajectory file.
    reward: NotRequired[Reward]  # The verifier's score, unchanged.
    comparison: NotRequired[Comparison]  # Deltas between two configurations.
    payload: dict[str, Any]  # The class's own facts.
    refs: NotRequired[dict[str, Any]]  # Names of large or foreign things and where they are kept.


class AgentPolicyEvent(TypedDict):
    schema_version: str  # Always 0.1.0.
    event_id: Id  # The stored event's own.
    type: PolicyEvent  # A class of Agent Policy.
    timestamp: Time  # When the runtime recorded it.
    sequence: int  # Place in the session's log.
    runtime_id: NotRequired[str]  # Where there is one.
    session_id: NotRequired[str]  # Where there is one.
    thread_id: NotRequired[str]  # Where there is one.
    turn_id: NotRequired[str]  # Where there is one.
    task_id: NotRequired[str]  # Where there is one.
    run_id: NotRequired[str]  # Where there is one.
    attempt_id: NotRequired[str]  # Where there is one.
    step_id: NotRequired[str]  # Where there is one.
    tool_call_id: NotRequired[str]  # Where there is one.
    action_id: NotRequired[str]  # Where there is one.
    evidence_id: NotRequired[str]  # Where there is one.
    artifact_id: NotRequired[str]  # Where there is one.
    process_id: NotRequired[str]  # Where there is one.
    subagent_id: NotRequired[str]  # Where there is one.
    decision_id: NotRequired[str]  # Where there is one.
    approval_id: NotRequired[str]  # Where there is one.
    grant_id: NotRequired[str]  # Where there is one.
    waiver_id: NotRequired[str]  # Where there is one.
    trace_id: NotRequired[str]  # Where there is one.
    subject: NotRequired[Any]  # As in Agent Policy.
    payload: Any  # As in Agent Policy.
    refs: Any  # As in Agent Policy.


class AgentUiEvent(TypedDict):
    type: UiType  # A word of Agent UI.
    runtimeType: EventType  # Class of the event; the generator makes this enum from the event rows.
    eventId: Id  # Identity of the event; the same on every delivery.
    sequence: int  # Place in the session's log, from 1, without gaps.
    timestamp: Time  # When the runtime recorded it; never goes back within a session.
    runtimeSchemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation that wrote it.
    sessionId: Id  # The session whose log this is.
    threadId: NotRequired[Id]  # The thread it belongs to.
    turnId: NotRequired[Id]  # The turn it belongs to.
    taskId: NotRequired[Id]  # The task it belongs to.
    parentTaskId: NotRequired[Id]  # The task above that task.
    rootTaskId: NotRequired[Id]  # The topmost task of that tree.
    runId: NotRequired[Id]  # The run of the task.
    attemptId: NotRequired[Id]  # The attempt; one to one with the run.
    stepId: NotRequired[Id]  # The step of the turn.
    toolCallId: NotRequired[Id]  # The tool call.
    modelRequestId: NotRequired[Id]  # The request to a model.
    processId: NotRequired[Id]  # The process.
    outputRef: NotRequired[Id]  # The output that grows or was stored.
    queueId: NotRequired[Id]  # The queue of the thread.
    actionId: NotRequired[Id]  # The decision that is owed or was given.
    channelId: NotRequired[Id]  # The enrolled peer.
    subagentId: NotRequired[Id]  # The child agent.
    jobId: NotRequired[Id]  # The batch job.
    jobItemId: NotRequired[Id]  # One item of that job.
    requestId: NotRequired[Id]  # The client's call that caused it directly.
    artifactId: NotRequired[Id]  # A deliverable kept by its owner.
    evidenceId: NotRequired[Id]  # An export or a record of the evidence system.
    traceId: NotRequired[str]  # W3C trace id, 32 hex digits, when tracing is on.
    spanId: NotRequired[str]  # W3C span id, 16 hex digits, when tracing is on.
    status: NotRequired[Status]  # Status of the object the event is about, after the event.
    runtimePhase: NotRequired[Phase]  # Phase of the turn or task.
    statusReason: NotRequired[str]  # One sentence for people on why the status is what it is.
    nativeStatus: NotRequired[str]  # The foreign or exact word that the wire enum lacks.
    command: NotRequired[CommandFact]  # Which accepted command this is the first fact of.
    item: NotRequired[Item]  # The step as this event opens, changes or ends it.
    task: NotRequired[Task]  # The task record; whole at creation, changed fields later.
    taskAttempt: NotRequired[TaskAttempt]  # The attempt record.
    taskRelationship: NotRequired[TaskRelationship]  # One edge of the task graph.
    taskGraph: NotRequired[TaskGraph]  # Edges of a task tree.
    taskProgress: NotRequired[TaskProgress]  # How far the task is, in facts.
    taskAcceptance: NotRequired[TaskAcceptance]  # Criteria and how many are met.
    worker: NotRequired[Worker]  # Who carries the attempt out.
    deliveryState: NotRequired[DeliveryState]  # Whether the result reached its receiver.
    permissionDecision: NotRequired[PermissionDecision]  # The decision and everything it rests on.
    sandboxProfile: NotRequired[SandboxProfile]  # The boundary that really holds.
    routingDecision: NotRequired[RoutingDecision]  # Which model was chosen, from what, and why.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were really available, and those left out.
    taskProfile: NotRequired[TaskProfile]  # What the task needs from a model.
    costState: NotRequired[CostState]  # Money and tokens so far.
    limitState: NotRequired[LimitState]  # Rate, quota, parallel and budget state.
    limitEvent: NotRequired[LimitEvent]  # The limit that was met.
    hookRun: NotRequired[HookRun]  # One run of a hook.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where commands of the turn run.
    channel: NotRequired[Channel]  # The enrolled peer's record.
    job: NotRequired[Job]  # The job's record.
    jobItem: NotRequired[JobItem]  # The item's record.
    output: NotRequired[Output]  # The stored output's record.
    historyBoundary: NotRequired[HistoryBoundary]  # A border in the history: recovery, compaction, rollback.
    telemetry: NotRequired[Telemetry]  # What was exported about it.
    correlation: NotRequired[Correlation]  # Ids for joining foreign records.
    benchmark: NotRequired[Benchmark]  # Dataset, task, trial and configuration.
    trajectory: NotRequired[Trajectory]  # The trial's trajectory file.
    reward: NotRequired[Reward]  # The verifier's score, unchanged.
    comparison: NotRequired[Comparison]  # Deltas between two configurations.
    payload: dict[str, Any]  # The class's own facts.
    refs: NotRequired[dict[str, Any]]  # Names of large or foreign things and where they are kept.
    owner: UiOwner  # A word of Agent UI.
    scope: UiScope  # A word of Agent UI.
    phase: NotRequired[UiPhase]  # A word of Agent UI.
    surface: UiSurface  # A word of Agent UI.
    persistence: UiPersistence  # A word of Agent UI.
    control: NotRequired[UiControl]  # A word of Agent UI.
    runtimeEntity: NotRequired[UiEntity]  # A word of Agent UI.
    artifactStatus: NotRequired[UiArtifactStatus]  # A word of Agent UI.
    artifactKind: NotRequired[str]  # From payload.kind.
    artifactVersionId: NotRequired[str]  # From payload.versionId.
    artifactReadRef: NotRequired[str]  # From refs.read.
    artifactDiffRef: NotRequired[str]  # From refs.diff.
    remoteTaskId: NotRequired[str]  # From payload.remoteTask.remoteTaskId.
    metricName: NotRequired[str]  # From type.
    evidencePackRef: NotRequired[str]  # From payload.packRef.
    replayRef: NotRequired[str]  # From payload.replayRef.
    reviewRef: NotRequired[str]  # From payload.reviewRef.
    runtimeStatus: NotRequired[UiStatus]  # From status.
    queueReason: NotRequired[str]  # From payload.reason.
    agentName: NotRequired[str]  # From payload.nickname.
    agentRole: NotRequired[str]  # From payload.role.
    latestTurnStatus: NotRequired[UiStatus]  # From payload.profileStatus.
    queuedTurnCount: NotRequired[int]  # From payload.queued.
    partId: NotRequired[Id]  # stepId.
    messageId: NotRequired[Id]  # turnId; of what a person wrote, its stepId.
    agentId: NotRequired[Id]  # subagentId, or payload.subagentId.
    parentThreadId: NotRequired[Id]  # payload.parentThreadId.
    parentSessionId: NotRequired[Id]  # sessionId, when there is a parentThreadId: children live in the session of their parent.
    rawEventRef: Id  # eventId.


Id: TypeAlias = str


class ProblemDetails(TypedDict):
    type: str  # urn:thole:problem: and the code.
    title: str  # The sentence of the table below.
    status: int  # The HTTP status; a face may know a better one than the table.
    code: ErrorCode  # The stable word; decide by this.
    category: ProblemCategory  # Coarse group of the code.
    detail: NotRequired[str]  # What is wrong this time, for people.
    retryable: bool  # Whether the same request may succeed later.
    retryAfterMs: NotRequired[int]  # How long to wait before that.
    command: NotRequired[str]  # The command that was refused.
    requestId: NotRequired[Id]  # The call, as the operator log names it.
    sessionId: NotRequired[Id]  # The session it was about.
    winner: NotRequired[Any]  # With already_resolved: the answer that stands.
    decisions: NotRequired[list[DecisionOption]]  # With invalid_decision: what the action offers.
    schema: NotRequired[Any]  # With invalid_answer: what an answer must look like.
    turnId: NotRequired[Id]  # With thread_busy: the turn that is active.


class AcceptanceCount(TypedDict):
    covered: int  # Criteria that hold.
    total: int  # Criteria there are.


class Account(TypedDict):
    scope: str  # local or tenant.
    ref: NotRequired[str]  # Which account.


class ActionPolicy(TypedDict):
    decisionId: NotRequired[Id]  # The decision that asked.
    ruleRefs: list[str]  # Rules that asked.
    destructive: bool  # Whether the action destroys something.
    sandboxMode: NotRequired[SandboxMode]  # The cage it would run in.
    policyRecords: NotRequired[list[PolicyRecord]]  # Records of a policy engine that took part.


class ActionScope(TypedDict):
    turnId: NotRequired[Id]  # The turn it is about.
    cwd: NotRequired[str]  # The directory it is about.
    path: NotRequired[str]  # The one path it is about.
    paths: NotRequired[list[str]]  # The paths it is about.
    host: NotRequired[str]  # The host it is about.


class ActionView(TypedDict):
    actionId: Id  # The action.
    actionType: ActionType  # What is asked for.
    status: ActionStatus  # Where it stands.
    sessionId: NotRequired[Id]  # Its session; only in lists across sessions.
    threadId: Id  # Its thread.
    turnId: Id  # Its turn.
    taskId: NotRequired[Id]  # Its task.
    stepId: NotRequired[Id]  # Its step.
    toolCallId: NotRequired[Id]  # The call it is about.
    parentThreadId: NotRequired[Id]  # The thread of the parent, when a child agent asks.
    subagentId: NotRequired[Id]  # The child agent that asks.
    parentTurnId: NotRequired[Id]  # The turn that the child was made in.
    parentTaskId: NotRequired[Id]  # The task that the child was made for.
    toolName: NotRequired[str]  # The tool it is about.
    prompt: str  # The question.
    schema: NotRequired[Any]  # What an answer must look like.
    decisionKind: DecisionKind  # Which pair of answers fits.
    decisions: list[DecisionOption]  # The answers that will be taken.
    scopeDetail: NotRequired[ActionScope]  # What it is about.
    policy: NotRequired[ActionPolicy]  # Which rules asked.
    inputRef: NotRequired[Id]  # Where the arguments of the call are kept, when they are too long for its events; get_output reads them.
    inputBytes: NotRequired[int]  # Their size.
    override: NotRequired[SandboxOverride]  # What a yes gives the call beyond its cage.
    requestedAt: Time  # Since when.
    expiresAt: NotRequired[Time]  # Until when.
    onExpiry: Decision  # What happens then.
    endedBy: list[str]  # What can end it.
    sequence: int  # The event that asked.
    decision: NotRequired[Decision]  # The answer that stands.
    scope: NotRequired[GrantScope]  # How far it reaches.
    decidedBy: NotRequired[Actor]  # Who answered.
    resolvedAt: NotRequired[Time]  # When it was answered.


class Actor(TypedDict):
    kind: ActorKind  # What kind of actor it is.
    via: NotRequired[str]  # The face it came through: cli, http, json_rpc, console and so on.
    principal: NotRequired[str]  # Name of the authenticated caller.
    runtimeId: NotRequired[Id]  # The runtime, when it acts itself.
    channelId: NotRequired[Id]  # The channel the caller used.
    command: NotRequired[str]  # The command that caused it.
    policy: NotRequired[str]  # The policy that caused it.
    ref: NotRequired[str]  # Where the actor is described.


class ArtifactRef(TypedDict):
    artifactId: Id  # The artifact.
    versionId: NotRequired[str]  # Its version.


class ArtifactRow(TypedDict):
    artifactId: Id  # The artifact.
    versionId: str  # Its latest version.
    versions: int  # Versions there are.
    kind: str  # What it is.
    path: NotRequired[str]  # Where it lies in the workspace.
    readRef: NotRequired[str]  # Where to read it.
    previewRef: NotRequired[str]  # Where its preview is.
    diffRef: NotRequired[str]  # Where the latest change is.
    issues: NotRequired[int]  # Problems that a check found.
    issuesState: NotRequired[Honesty]  # Without issues: not_applicable, it declares nothing that can be checked; unknown, this version was not validated, or not wholly.
    validation: ValidationState  # What validation said of this version.
    messages: NotRequired[list[str]]  # The first issues in words.
    owner: str  # Who keeps it.
    taskId: NotRequired[Id]  # The task that made it.
    checkpoints: list[ArtifactVersion]  # Its latest versions, the newest last; older ones are in the log.


class ArtifactVersion(TypedDict):
    versionId: str  # The version.
    change: ArtifactChange  # What happened.
    diffRef: NotRequired[str]  # What changed.
    checkpointRef: NotRequired[str]  # What it was before.
    turnId: NotRequired[Id]  # The turn that made it.
    at: Time  # When.
    sequence: int  # The event that tells of it.


class BadRow(TypedDict):
    sessionId: Id  # The session.
    sequence: int  # The row.
    expected: str  # The hash it should have.
    found: str  # The hash it has.
    reason: str  # What does not fit.


class Benchmark(TypedDict):
    datasetId: NotRequired[str]  # The dataset.
    datasetVersion: NotRequired[str]  # Its version.
    datasetRef: NotRequired[str]  # Where it is kept.
    taskId: NotRequired[str]  # The dataset's task, not ours.
    trialId: NotRequired[str]  # The trial.
    configurationId: NotRequired[str]  # The configuration.
    role: NotRequired[TrialRole]  # Which side of the comparison it is.
    harborJobRef: NotRequired[str]  # Harbor's job folder.
    harborTrialRef: NotRequired[str]  # Harbor's trial folder.
    singleChangedVariable: NotRequired[str]  # What differs from the baseline.
    taskTomlRef: NotRequired[str]  # The task's definition file.


class BenchmarkSection(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    trials: NotRequired[list[TrialRow]]  # The trials.
    comparison: NotRequired[Comparison]  # The latest comparison.


class BlockedTask(TypedDict):
    taskId: Id  # The task.
    blocker: Blocker  # What blocks it.
    since: Time  # Since when.
    until: NotRequired[Time]  # Until when at the latest.
    requiredActionIds: list[Id]  # Decisions it needs.


class Blocker(TypedDict):
    kind: str  # What blocks: task, action, credential, resource.
    taskId: NotRequired[Id]  # The task that blocks.
    actionId: NotRequired[Id]  # The action that blocks.
    status: NotRequired[Status]  # State of the blocker.
    ref: NotRequired[str]  # Any other blocker, by ref.


class Budget(TypedDict):
    scope: LimitScope  # What the cap covers.
    capUsd: float  # The cap.
    spentUsd: float  # Spent so far.
    reservedUsd: float  # Held for requests under way.


class Candidate(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    capabilities: list[str]  # What it can do.
    costClass: CostClass  # How dear it is, roughly.
    price: NotRequired[Price]  # Its price, if known.
    priceState: NotRequired[Honesty]  # Says that the price is not known.
    limitState: LimitStatus  # Whether its provider limits us now.


class CandidateModelSet(TypedDict):
    candidateCount: int  # How many candidates there are.
    singleCandidate: bool  # Whether there is exactly one.
    candidates: list[Candidate]  # The candidates.
    excluded: list[Exclusion]  # Those left out, with reasons.
    hardConstraints: list[str]  # What had to hold.
    preferences: list[str]  # What was wished for.
    gaps: Gaps  # What is missing to have more.


class ChainEntry(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    tried: bool  # Whether it was tried.
    outcome: NotRequired[ErrorCategory]  # How the try ended.


class Channel(TypedDict):
    channelId: Id  # The channel.
    transport: Transport  # How it is connected.
    peerRole: PeerRole  # What the peer is to us.
    accountRef: NotRequired[str]  # Whose account it is.
    capabilities: list[str]  # What the peer can do.
    lastSeenAt: NotRequired[Time]  # When it was heard last.
    resumeTokenRef: NotRequired[str]  # Where the token for coming back is kept.
    nativeProtocol: NotRequired[str]  # The peer's protocol.
    agentCardRef: NotRequired[str]  # The peer's card as it was read.
    lastAckedSequence: NotRequired[int]  # Last event it has acknowledged.
    status: NotRequired[Status]  # Whether it is reachable.


class ChannelSection(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    channels: NotRequired[list[Channel]]  # The enrolled peers.
    pendingForwards: NotRequired[list[Id]]  # Questions that were passed on and not answered.


class CommandFact(TypedDict):
    name: str  # Name of the command.
    principal: str  # Who sent it.
    bodyHash: str  # SHA-256 of the canonical body.
    keyHash: NotRequired[str]  # SHA-256 of the idempotency key, if one was given.


class Compaction(TypedDict):
    trigger: CompactionTrigger  # Why it was done.
    affectedTurns: list[str]  # Turns that were replaced; the newest 64 when there are more.
    summaryRef: NotRequired[Id]  # What replaces them.
    sequence: NotRequired[int]  # The event that ended it.
    tokensBefore: NotRequired[int]  # Tokens before.
    tokensAfter: NotRequired[int]  # Tokens after.
    turns: NotRequired[int]  # How many turns were replaced.
    throughSequence: NotRequired[int]  # The last event of the newest turn that was replaced.


class Comparison(TypedDict):
    meanRewardDelta: NotRequired[float]  # Change of the mean reward.
    timeoutRateDelta: NotRequired[float]  # Change of the timeout rate.
    evidenceCompletenessRate: NotRequired[float]  # Share of trials with whole evidence.
    baselineEvidenceCompletenessRate: NotRequired[float]  # The same for the baseline.
    p0QcGateRegressionCount: NotRequired[int]  # Gates that got worse.
    costDeltaUsd: NotRequired[float]  # Change of cost.
    decision: NotRequired[str]  # What the quality owner decided.
    decisionSource: NotRequired[str]  # Who decided.


class Constraints(TypedDict):
    tools: NotRequired[list[str]]  # Only these tools may be called.
    permissionMode: NotRequired[PermissionMode]  # Permission mode that holds beside the session's: a call runs only if both let it.
    sandboxMode: NotRequired[SandboxMode]  # Widest sandbox its calls may have; the session's own if that is narrower.
    networkMode: NotRequired[NetworkMode]  # Most network its calls may have; the session's own if that is less.
    models: NotRequired[list[str]]  # Only these models may be asked.
    costUsd: NotRequired[float]  # Most money the task may cost.
    timeMs: NotRequired[int]  # Most time the task may take.
    outputBytes: NotRequired[int]  # Most bytes of output it may leave: what its tools write and what its model says, over all runs.
    inactivityMs: NotRequired[int]  # Longest time without any event of its run; then the run is timed out.


class ContextBoundary(TypedDict):
    selectedRefs: list[str]  # What the model sees.
    compactions: list[Compaction]  # Summaries that stand for older turns.
    warnings: list[str]  # What may be wrong with it.
    missing: list[MissingRef]  # What was looked for and is not there.


class ContextRef(TypedDict):
    kind: ContextKind  # What it is.
    ref: str  # Its name; of a file its path below the session's directory.
    text: NotRequired[str]  # Its text; files are read by the runtime.
    outputRef: NotRequired[Id]  # Where its text is kept, once it is.
    sha256: NotRequired[str]  # Hash of its text, once it is kept.
    bytes: NotRequired[int]  # Its size.


class Correlation(TypedDict):
    runtimeId: NotRequired[Id]  # The runtime.
    sessionId: NotRequired[Id]  # The session.
    threadId: NotRequired[Id]  # The thread.
    turnId: NotRequired[Id]  # The turn.
    taskId: NotRequired[Id]  # The task.
    runId: NotRequired[Id]  # The run.
    attemptId: NotRequired[Id]  # The attempt.
    toolCallId: NotRequired[Id]  # The call.
    processId: NotRequired[Id]  # The process.
    requestId: NotRequired[Id]  # The request.
    queuedTurnId: NotRequired[Id]  # The queued turn.
    subagentId: NotRequired[Id]  # The child agent.
    traceId: NotRequired[str]  # The trace.
    spanId: NotRequired[str]  # The span.
    status: NotRequired[EvidenceSignal]  # Says that the join is not possible.


class CostState(TypedDict):
    state: CostStatus  # Whether the sum rests on what providers told (recorded), in part or whole on estimates (estimated), or is unknown.
    currency: NotRequired[str]  # Always USD; absent when nothing has a price.
    reason: NotRequired[str]  # Why it is unknown.
    estimatedUsd: NotRequired[float]  # Estimate of the request at hand.
    recordedUsd: float  # Sum recorded so far.
    reservedUsd: NotRequired[float]  # Held for requests under way.
    tokens: NotRequired[Tokens]  # Tokens so far; absent when no provider told any.
    tokensState: NotRequired[Honesty]  # Says that some requests did not tell their tokens: the counts, if any, are those of the others.
    price: NotRequired[Price]  # The price it was reckoned with.


class Counters(TypedDict):
    toolCalls: NotRequired[int]  # Tool calls made.
    modelRequests: NotRequired[int]  # Requests made to models.
    items: NotRequired[int]  # Items dealt with.
    childTasks: NotRequired[int]  # Child tasks made.
    jobItems: NotRequired[int]  # Job items ended.
    tests: NotRequired[int]  # Tests run.
    files: NotRequired[int]  # Files changed.
    acceptanceCovered: NotRequired[int]  # Criteria that hold.
    acceptanceTotal: NotRequired[int]  # Criteria there are.


class Criterion(TypedDict):
    id: str  # Name of the criterion within the task.
    kind: str  # What is checked: artifact, command, evidence, text.
    description: NotRequired[str]  # What must hold.
    ref: NotRequired[str]  # Where the criterion is described.


class DecisionCounts(TypedDict):
    allow: int  # Times allowed.
    ask: int  # Times asked.
    deny: int  # Times denied.


class DecisionOption(TypedDict):
    decision: Decision  # A decision that will be taken.
    scopes: NotRequired[list[str]]  # How far it may be made to reach.
    mayEditInput: NotRequired[bool]  # Whether the input may be changed with it.
    mayGiveReason: NotRequired[bool]  # Whether a reason may be given with it.


class DeliveryState(TypedDict):
    state: DeliveryStatus  # Whether the result arrived.
    to: NotRequired[str]  # Where it went.
    reason: NotRequired[str]  # Why it did not arrive.


class Device(TypedDict):
    deviceId: Id  # The device.
    name: str  # What it is called; facts name it device:NAME.
    host: str  # The one name that it reaches this runtime by.
    scopes: list[str]  # What it may do.
    pairedAt: Time  # Since when.
    lastSeenAt: Time  # When it asked for something last, to the minute after a restart.
    channelId: NotRequired[Id]  # The channel that it is in the facts.


class Diagnostics(TypedDict):
    warnings: list[Incident]  # Warnings.
    failedTools: list[Thing]  # Calls that failed.
    failedCommands: list[Thing]  # Commands that ended with a code other than 0.
    stalledTurns: list[Id]  # Turns without a sign of life.
    stalledTasks: NotRequired[list[Id]]  # Tasks without a sign of life: lost, or past the lease of their worker.
    pendingRequests: NotRequired[list[Thing]]  # What it waits for an answer to: requests to models, decisions, hooks.
    lostWorkers: list[Id]  # Runs whose worker is lost.
    interrupt: str  # none, requested or done.
    quotaBlocks: list[LimitEvent]  # Limits that stop the work.
    contextGaps: list[MissingRef]  # What the model could not be given.
    unavailable: NotRequired[list[str]]  # Which of these lists this build cannot fill: that they are empty says nothing.


class EvidenceSummary(TypedDict):
    evidenceRefs: list[str]  # Evidence there is.
    packRefs: list[str]  # Evidence packs.
    replayRefs: list[str]  # Replay cases.
    reviewRefs: list[str]  # Review templates.
    verificationOutcomes: list[Verification]  # What verifiers said.
    knownGaps: list[str]  # Signals that apply and are missing.
    traceIds: NotRequired[list[str]]  # Traces.
    auditNotes: NotRequired[list[str]]  # Notes of reviewers.


class Exclusion(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    reason: ExclusionReason  # Why it was left out.
    detail: NotRequired[str]  # Which capability, quota or host.
    constraint: ConstraintStrength  # Whether that was a must or a wish.


class ExecutionEnvironment(TypedDict):
    environmentId: Id  # The environment.
    workspaceId: str  # The workspace.
    cwd: str  # Directory commands start in.
    additionalRoots: list[str]  # Further roots beside the workspace.
    shell: str  # The shell.
    os: str  # The operating system.
    arch: str  # The processor.
    networkProfile: NetworkProfile  # The network commands get.
    resourceLimits: ResourceLimits  # Their limits.
    envRef: Id  # The variables, safe ones only.
    sandboxProfile: SandboxProfile  # The cage commands get.
    overrideReason: NotRequired[str]  # Why one tool got another environment.


Gap = TypedDict("Gap", {
    "from": "int",  # First event that is gone; when it is above `to`, where the reader thought it was, ahead of the log.
    "to": "int",  # Last event that is gone; the stream goes on behind it.
    "recoveryMode": "RecoveryMode",  # What takes their place.
    "reason": "NotRequired[GapReason]",  # Why: removed by retention, a cursor ahead of the log, or damaged on disk (corrupt; `thole doctor` names the place).
    "sessionId": "NotRequired[Id]",  # Of which session, when several are read; absent when that cannot be told. Then `from` and `to` are 0.
    "snapshot": "NotRequired[Any]",  # The snapshot to go on from.
})


class Gaps(TypedDict):
    credential: list[str]  # Providers without a credential.
    quota: list[str]  # Providers without quota.
    network: list[str]  # Providers that cannot be reached.


class Grant(TypedDict):
    grantId: Id  # The grant.
    scope: GrantScope  # How far it reaches.
    sessionId: NotRequired[Id]  # The session it holds in.
    cwd: NotRequired[str]  # The workspace it holds in, when it reaches beyond a session.
    match: NotRequired[GrantMatch]  # What it covers.
    source: PolicySource  # Who gave it.
    grantedBy: NotRequired[Actor]  # Who gave it, by name.
    createdAt: Time  # When it was given.
    expiresAt: NotRequired[Time]  # When it ends.
    revocable: bool  # Whether it can be taken back.


class GrantMatch(TypedDict):
    tool: NotRequired[str]  # The tool it covers.
    command: NotRequired[list[str]]  # The words of the command it covers.
    path: NotRequired[str]  # The path it covers.
    host: NotRequired[str]  # The host it covers.
    definition: NotRequired[str]  # Hash of the tool's definition that it was given for; another one is not covered.
    cwd: NotRequired[str]  # The directory that the command runs in; in another one it is not covered.
    script: NotRequired[str]  # The file of code that the command runs.
    scriptReal: NotRequired[str]  # Where that leads; a link that leads elsewhere is not covered.
    scriptHash: NotRequired[str]  # What it held; another content is not covered.


class HistoryBoundary(TypedDict):
    layer: HistoryLayer  # Which record it is a border of.
    throughSequence: int  # The last event before the border.
    snapshotSequence: NotRequired[int]  # The snapshot it was rebuilt from, 0 when none.
    foldVersion: NotRequired[int]  # Version of the fold.
    fromTurnId: NotRequired[Id]  # First turn on the far side.
    toTurnId: NotRequired[Id]  # Last turn on the far side.
    summaryRef: NotRequired[Id]  # What stands for the far side.


class HistorySummary(TypedDict):
    events: int  # Events so far.
    turns: int  # Turns so far.
    compactions: int  # Times history was summed up.
    rollbacks: int  # Times history was rolled back.
    degraded: bool  # Whether parts are missing.
    missing: NotRequired[list[str]]  # Stored outputs that the last recovery did not find.


class HistoryWindow(TypedDict):
    fromSequence: int  # First event of the window.
    toSequence: int  # Last event of the window.
    turns: NotRequired[int]  # Turns inside.
    older: int  # Turns outside.
    cursor: NotRequired[str]  # Where the rest begins.


class HookRow(TypedDict):
    ref: str  # Its name in facts.
    point: HookPoint  # When it is asked.
    kind: HookHandler  # A command, an address, or the program that the runtime is part of.
    handler: str  # The line that is run, or the address; in_process: the program itself.
    match: NotRequired[str]  # Tools that it is about; absent: all.
    timeoutMs: int  # Time it has.
    failPolicy: FailPolicy  # What its failure means.
    trust: HookTrust  # Whose it is; untrusted: it is not asked.
    sandbox: NotRequired[HookSandbox]  # Of a command: agent: it has the rights of the agent's commands; guarded: it decides, or has more rights, and sees no directory that the agent can write; none: it has the user's rights.
    programHash: NotRequired[str]  # Of a command that does not run with the agent's rights: over the files that its line names.
    refused: NotRequired[str]  # Why it would not be started now, and what to do.


class HookRun(TypedDict):
    hookRunId: Id  # This run of the hook.
    point: HookPoint  # Where it was called.
    handlerRef: str  # Which hook it is.
    handlerKind: HookHandler  # A command, a URL, or the program that the runtime is part of.
    timeoutMs: int  # Time it has.
    failPolicy: FailPolicy  # What its failure means.
    trust: HookTrust  # Why it may run.
    status: HookStatus  # Where it stands.
    startedAt: NotRequired[Time]  # When it began.
    durationMs: NotRequired[int]  # How long it took.
    exitCode: NotRequired[int]  # Its exit code.
    decision: NotRequired[HookDecision]  # What it said.
    inputRef: NotRequired[Id]  # The input before it.
    updatedInputRef: NotRequired[Id]  # The input after it.
    updatedToolOutputRef: NotRequired[Id]  # The tool output after it.
    additionalContextRefs: NotRequired[list[str]]  # Context it adds.
    suppressOutput: NotRequired[bool]  # Whether its own output is kept away from the model.
    auditRefs: NotRequired[list[str]]  # Its audit notes.
    policyRecord: NotRequired[PolicyRecord]  # The record of a policy engine that was its answer.
    lastError: NotRequired[LastError]  # Why it failed.


class Impact(TypedDict):
    paths: NotRequired[list[str]]  # Paths that would change.
    hosts: NotRequired[list[str]]  # Hosts that would be reached.
    effect: str  # What would happen to them, in one word.


class Incident(TypedDict):
    incidentId: Id  # The event that tells of it.
    kind: str  # What it is: warning, error, failed_tool, failed_command, violation, lost.
    category: NotRequired[str]  # The stable word.
    message: str  # One sentence for people.
    at: Time  # When.
    sequence: int  # The event.
    open: bool  # Whether it still matters.
    ref: NotRequired[str]  # What it is about.


class InventoryTool(TypedDict):
    toolName: str  # Name of the tool.
    description: str  # What it does, for people.
    capabilities: list[str]  # read, write, network, browser, filesystem, shell, artifact, custom.
    policy: ToolPolicy  # What the policy says about it now.
    runtimeOwner: str  # Who runs it: local, an MCP server, a connector, the provider, a workflow, a subagent.
    isReadOnly: bool  # Whether it changes nothing.
    isConcurrencySafe: bool  # Whether it may run beside others.
    isDestructive: bool  # Whether it can destroy.
    interruptBehavior: InterruptBehavior  # What an interrupt does to it.
    inputSchemaRef: NotRequired[str]  # Where its input schema is.
    inputSchema: NotRequired[Any]  # The schema itself, where it is small.
    metadataRef: NotRequired[str]  # Where more is said.
    nativeName: NotRequired[str]  # What its owner calls it, when that is another name.
    annotations: NotRequired[Any]  # What its owner says of it: hints, which change nothing about who is asked.
    definitionHash: NotRequired[str]  # Hash of its definition.
    definitionChanged: NotRequired[bool]  # Whether the definition is another one than the one that was pinned: it is asked about anew.
    reason: NotRequired[str]  # Why it is denied or unavailable.


class Isolation(TypedDict):
    prompt: str  # What the child sees of the parent's prompt: own, nothing but what it is told.
    workspace: str  # Where it works: shared, in the parent's directory; worktree, in a git worktree of its own.
    worktree: NotRequired[str]  # The directory of its worktree; the runtime chooses it.
    tools: list[str]  # Tools it may call.
    permissionMode: PermissionMode  # Its permission mode.
    memory: str  # What it sees of memory: none.
    sandboxMode: NotRequired[SandboxMode]  # Widest sandbox its calls may have.
    networkMode: NotRequired[NetworkMode]  # Most network its calls may have.


class Item(TypedDict):
    itemId: Id  # Same as the step's id.
    kind: ItemKind  # What kind of step it is.
    index: int  # Place in the turn, from 1, without gaps.
    status: Status  # Status of the step after the event.


class Job(TypedDict):
    jobId: Id  # The job.
    sessionId: NotRequired[Id]  # Its session, in lists across sessions.
    taskId: NotRequired[Id]  # The task it works for.
    status: JobStatus  # Where it stands.
    instructionRef: Id  # What to do with each item.
    inputRefs: list[RefEntry]  # The items.
    outputSchemaRef: NotRequired[Id]  # Shape each output must have.
    maxRuntimeMs: NotRequired[int]  # Most time the job may take.
    concurrency: NotRequired[int]  # Items at once.
    maxAttempts: NotRequired[int]  # Attempts per item.
    itemCursor: int  # First item not begun.
    progress: JobCounts  # Items by state.
    assignedThreadIds: list[str]  # Threads its items run on.
    scheduleId: NotRequired[str]  # The schedule that made it.


class JobCounts(TypedDict):
    total: int  # Items there are.
    pending: int  # Items not begun.
    running: int  # Items under way.
    completed: int  # Items done.
    failed: int  # Items failed.


class JobItem(TypedDict):
    jobItemId: Id  # The item.
    index: int  # Its place in the input, from 0.
    status: JobItemStatus  # Where it stands.
    attemptCount: int  # Attempts so far.
    threadId: NotRequired[Id]  # The thread it runs on.
    turnId: NotRequired[Id]  # The turn of the latest attempt.
    outputRef: NotRequired[Id]  # Its output.
    lastError: NotRequired[LastError]  # Why it failed.
    retryable: NotRequired[bool]  # Whether trying again makes sense.


class LastError(TypedDict):
    category: ErrorCategory  # The stable word.
    message: str  # One sentence.
    retryable: NotRequired[bool]  # Whether trying again makes sense.
    modelRequestId: NotRequired[Id]  # The request that failed.
    remedy: NotRequired[str]  # What to type or do next.
    toolCallId: NotRequired[Id]  # The call that failed.
    exitCode: NotRequired[int]  # Exit code of the command, if one ended.
    ref: NotRequired[str]  # Where the full error is kept.


class LastOutcome(TypedDict):
    turnId: Id  # The turn that ended last.
    status: Status  # How it ended.
    lastMessageRef: NotRequired[Id]  # Its last message.
    category: NotRequired[ErrorCategory]  # Why it ended badly.


class LimitEvent(TypedDict):
    kind: LimitEventKind  # What was met.
    provider: NotRequired[str]  # Whose limit it is.
    model: NotRequired[str]  # For which model.
    source: LimitSource  # Who said so.
    scope: NotRequired[LimitScope]  # What the limit covers.
    retryAfterMs: NotRequired[int]  # How long to wait.
    resetAt: NotRequired[Time]  # When it is lifted.
    used: NotRequired[int]  # How much was used.
    limit: NotRequired[int]  # How much there is.


class LimitPart(TypedDict):
    state: LimitStatus  # The state in one word.
    provider: NotRequired[str]  # Whose limit it is.
    until: NotRequired[Time]  # When it is lifted.
    used: NotRequired[int]  # How much is used.
    limit: NotRequired[int]  # How much there is.


class LimitState(TypedDict):
    state: LimitStatus  # The worst of the parts.
    hostAccess: NotRequired[str]  # Whose access is used: local, host, tenant.
    rate: LimitPart  # Rate limits.
    quota: LimitPart  # Quotas.
    parallel: LimitPart  # Requests at once.
    budgets: list[Budget]  # Caps on cost.


class MissingRef(TypedDict):
    ref: str  # What was looked for.
    reason: MissingReason  # Why it is not there.


class ModelRouting(TypedDict):
    status: NotRequired[Honesty]  # Why no choice is shown: none was needed yet, or it is being made.
    taskKind: NotRequired[str]  # Kind of work.
    candidateCount: int  # Models that were available.
    singleCandidate: bool  # Whether there was exactly one.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    decisionSource: NotRequired[RoutingSource]  # What the choice follows.
    decisionReason: NotRequired[str]  # Why.
    capabilityGap: NotRequired[str]  # The capability that is missing, or none.
    fallbackApplied: bool  # Whether another model stepped in.
    costState: NotRequired[CostState]  # What it cost.
    limitState: NotRequired[LimitState]  # The limits it met.
    providerLimits: NotRequired[list[ProviderLimit]]  # What providers last said of their limits; of the session only.


class ModelRow(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    baseUrl: NotRequired[str]  # Where it is asked; absent when nothing leaves the process.
    state: str  # available, or the reason why it cannot be asked.
    capabilities: list[str]  # What it can do.
    hasCredential: bool  # Whether there is a key for it, or it needs none.
    costClass: CostClass  # How dear it is, roughly.
    price: NotRequired[Price]  # Its price now.
    priceState: NotRequired[Honesty]  # Says that the price is not known.
    rate: LimitPart  # What its provider said about rate limits.
    quota: LimitPart  # What its provider said about quota.
    windowTokens: int  # Size of its window.
    maxOutputTokens: int  # Most tokens of one answer.
    reckonedPercent: NotRequired[int]  # Hundredths of a plain estimate that are set aside for a request, when it was measured above one.
    isDefault: bool  # Whether the settings name it.


class NetworkProfile(TypedDict):
    mode: NetworkMode  # How much network there is.
    allow: NotRequired[list[str]]  # Hosts that may be reached through the proxy.
    loopback: NotRequired[bool]  # Whether the host's own loopback is reachable.


class Output(TypedDict):
    outputRef: Id  # The ref.
    owner: OutputOwner  # What wrote it.
    ownerId: NotRequired[Id]  # Which one of them.
    mediaType: str  # Media type.
    encoding: str  # Text encoding, or binary.
    sizeBytes: int  # Size.
    sha256: NotRequired[str]  # Hash, once it is sealed.
    complete: bool  # Whether all of it is there.
    preview: NotRequired[Preview]  # Beginning and end.
    truncation: Truncation  # How the preview was cut.
    redaction: Redaction  # What was taken out.
    expiresAt: NotRequired[Time]  # When it may be removed.


class OutputRow(TypedDict):
    outputRef: Id  # The output.
    owner: OutputOwner  # What wrote it.
    sizeBytes: int  # Its size.


class OutputSummary(TypedDict):
    count: int  # Outputs stored.
    bytes: int  # Their size.
    expired: int  # Outputs removed.


class PastTurn(TypedDict):
    turnId: Id  # The turn.
    threadId: NotRequired[Id]  # Its thread.
    taskId: NotRequired[Id]  # Its task.
    kind: NotRequired[TurnKind]  # Who it came from.
    status: Status  # How it ended; unknown if the end was not found.
    inputPreview: NotRequired[str]  # The beginning of its input.
    submittedSequence: int  # The event it began with.
    endedSequence: NotRequired[int]  # The event that ended it.
    submittedAt: NotRequired[Time]  # When it was submitted.
    endedAt: NotRequired[Time]  # When it ended.


class PathCheck(TypedDict):
    inside: bool  # Whether all paths lie inside the roots.
    resolved: list[str]  # The paths after resolving links.


class PermissionDecision(TypedDict):
    decisionId: NotRequired[Id]  # This decision; an answer to its question names it again.
    decision: Decision  # What was decided.
    decisionSource: DecisionSource  # Who or what decided.
    decisionReason: str  # Why, in a sentence.
    ruleRefs: list[str]  # Rules that took part.
    approvalActionId: NotRequired[Id]  # The action that asked for it.
    updatedInputRef: NotRequired[Id]  # The input that was judged, if it was rewritten.
    scope: GrantScope  # How far the decision reaches.
    expiresAt: NotRequired[Time]  # When it ends.
    mode: PermissionMode  # The mode at that moment.
    destructive: bool  # Whether the action destroys something.
    impact: NotRequired[Impact]  # What it would touch.
    rollbackAdvice: NotRequired[str]  # How to undo it.
    subcommands: NotRequired[list[Subcommand]]  # The simple commands of a command line, each judged; of a long line the first ones, long words shortened.
    subcommandsOmitted: NotRequired[int]  # How many more simple commands were judged than are listed.
    pathCheck: NotRequired[PathCheck]  # Where its paths lie.
    networkDecision: NotRequired[NetworkMode]  # The network it gets.
    policyRecords: NotRequired[list[PolicyRecord]]  # Records of a policy engine that took part.


class PermissionState(TypedDict):
    mode: PermissionMode  # The mode.
    interactive: bool  # Whether someone can be asked.
    policySources: list[str]  # Where rules come from.
    pendingApprovals: list[Id]  # Decisions that are owed.
    grants: list[Grant]  # Grants that hold.
    rules: NotRequired[list[RuleRow]]  # Rules that hold, the first 64; list_rules shows all. Inside a session snapshot only the session tells them.
    ruleCount: NotRequired[int]  # How many rules hold.
    decisions: DecisionCounts  # Decisions so far.


class PolicyRecord(TypedDict):
    kind: PolicyRecordKind  # Which record of Agent Policy it is.
    recordId: str  # Its own identity, as its writer gave it.
    decisionId: NotRequired[str]  # The decision that it is about.
    result: PolicyResult  # What it says, in the words of Agent Policy.
    policySetId: NotRequired[str]  # The set of policies that was asked.
    policyVersion: NotRequired[str]  # The version of that set.
    reasonCodes: list[str]  # Why, for machines.
    scope: NotRequired[Any]  # The risk that it speaks of.
    obligations: NotRequired[Any]  # What has to hold while the action runs.
    by: NotRequired[Any]  # Who gave it.
    justification: NotRequired[str]  # Why, for people.
    expiresAt: NotRequired[Time]  # When it ends.
    recordRef: NotRequired[Id]  # The whole record as it came.


class Preview(TypedDict):
    head: NotRequired[str]  # The beginning.
    tail: NotRequired[str]  # The end.


class Price(TypedDict):
    currency: str  # Always USD.
    inputPerMTok: float  # Price of a million input tokens.
    cachedInputPerMTok: NotRequired[float]  # Price of a million input tokens read from a cache.
    cacheWritePerMTok: NotRequired[float]  # Price of a million input tokens written to a cache.
    outputPerMTok: float  # Price of a million output tokens.
    source: PriceSource  # Where the price comes from.
    effectiveFrom: NotRequired[str]  # The day it holds from.


class ProcessLimits(TypedDict):
    timeoutMs: int  # Time it may take.
    inactivityMs: int  # Time it may be silent.
    maxOutputBytes: int  # Bytes it may write.
    maxProcesses: int  # Processes it may have at once.
    maxMemoryBytes: NotRequired[int]  # Memory it may use.
    maxFileBytes: NotRequired[int]  # Apparent size of one file that it writes.
    privateBytes: NotRequired[int]  # Size of its private directories, all together.
    tty: bool  # Whether it has a terminal.
    stdin: StdinPolicy  # What its standard input is.


class ProcessView(TypedDict):
    processId: Id  # The process.
    toolCallId: NotRequired[Id]  # The call that started it.
    commandSummary: NotRequired[str]  # Its command line without secrets.
    status: ProcessStatus  # Where it stands.
    nativeStatus: NotRequired[str]  # exit:N or signal:N.
    exitCode: NotRequired[int]  # Its exit code.
    outputRef: NotRequired[Id]  # What it wrote.
    background: NotRequired[bool]  # Whether it may outlive the turn.
    tty: NotRequired[bool]  # Whether it has a terminal.
    outputBytes: NotRequired[int]  # How much it has written, as far as is known.
    liveness: NotRequired[Liveness]  # Of one that was lost: whether it may still run.
    sessionId: NotRequired[Id]  # Its session, in lists over all of them.
    startedAt: NotRequired[Time]  # When it began.
    endedAt: NotRequired[Time]  # When it ended.


class ProviderLimit(TypedDict):
    provider: str  # The provider.
    kind: LimitKind  # rate or quota.
    state: LimitStatus  # Its last word.
    until: NotRequired[Time]  # When it is full again.
    used: NotRequired[int]  # What is used.
    limit: NotRequired[int]  # What there is.
    sequence: int  # The event that says so.


class QueueRules(TypedDict):
    onBusy: OnBusy  # What a new turn does on a busy thread.
    onInterrupt: QueuePolicy  # What an interrupt does to the queue.


class QueueView(TypedDict):
    queueId: Id  # The queue.
    order: list[Id]  # Turns that wait, in order.
    policy: QueueRules  # Its rules.
    resumeState: str  # running or held.


class QueuedTurnView(TypedDict):
    turnId: Id  # The turn.
    queuedTurnId: Id  # The same id under the queue's name for it.
    taskId: NotRequired[Id]  # Its task.
    position: int  # Its place, from 1.
    status: Status  # queued.
    source: str  # Where it came from.
    delivery: NotRequired[Delivery]  # How it was sent.
    inputRef: NotRequired[Id]  # Its input.
    preview: NotRequired[str]  # The beginning of its input.
    queuedAt: Time  # Since when it waits.


class RecoveryProgress(TypedDict):
    total: int  # Sessions that had open work at the start.
    recovered: int  # Those that have said what was lost.


class RefEntry(TypedDict):
    kind: NotRequired[str]  # What the ref points at, such as turn_input, agent_message, tool_output, artifact; of a checkpoint log (offset: the last event before it) or turn (what rollback_thread goes back to).
    ref: str  # The ref.
    offset: NotRequired[int]  # First new byte behind the ref.


class RemoteTask(TypedDict):
    nativeProtocol: str  # Protocol of the peer, such as a2a.
    remoteTaskId: str  # The peer's own task id.
    remoteContextId: NotRequired[str]  # The peer's context id.
    remoteAgentRef: NotRequired[str]  # Which peer it is.
    agentCardRef: NotRequired[str]  # Its card as it was read.
    deliveryMechanism: NotRequired[DeliveryMechanism]  # How news reach us.
    remoteStatus: NotRequired[str]  # The peer's own word for its state.
    remoteArtifactRefs: NotRequired[list[str]]  # Artifacts it sent.


class ResourceLimits(TypedDict):
    timeoutMs: int  # Time a command may take.
    inactivityMs: int  # Time a command may be silent.
    maxOutputBytes: int  # Bytes a command may write.
    maxProcesses: int  # Processes a command may have.
    maxParallelTools: int  # Tools that may run at once.


class RetryPolicy(TypedDict):
    maxAttempts: int  # Most attempts of one task.
    backoff: Backoff  # How the wait grows.
    nonRetryable: list[str]  # Categories that are not tried again.
    backoffMs: NotRequired[int]  # The first wait; one second when absent.
    timeoutMs: NotRequired[int]  # Time one attempt may take.


class Reward(TypedDict):
    value: NotRequired[float]  # The score, as the verifier wrote it.
    ref: NotRequired[str]  # The reward file.
    detailsRef: NotRequired[str]  # Its details.
    criteria: NotRequired[list[str]]  # What was scored.
    failureCategory: NotRequired[str]  # Why it failed, or none.


class RoutingDecision(TypedDict):
    routingMode: RoutingMode  # None, one or several candidates.
    decisionSource: RoutingSource  # What the choice follows.
    decisionReason: str  # Why, in a sentence.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    requestedProvider: NotRequired[str]  # The provider asked for.
    requestedModel: NotRequired[str]  # The model asked for.
    candidateCount: int  # How many candidates there were.
    fallbackChain: list[ChainEntry]  # What may be tried next, and what was.
    capabilityGap: str  # The capability that is missing, or none.
    requiresUserOverride: bool  # Whether a person must choose.
    limitStateSnapshot: LimitState  # Limits at that moment.


class RuleRow(TypedDict):
    ruleRef: str  # Its name in `ruleRefs` of decisions.
    source: str  # Where it stands: host_policy, user, project or session.
    effect: Decision  # allow, ask or deny.
    counts: bool  # False for what a project allows and nobody trusted.
    always: bool  # Holds under bypass too, and no grant answers it.
    tool: NotRequired[str]  # Tools it speaks of.
    command: NotRequired[list[str]]  # Words of the commands it speaks of.
    path: NotRequired[str]  # Paths it speaks of.
    access: NotRequired[str]  # read or write, when only one is meant.
    host: NotRequired[str]  # Hosts it speaks of.
    mcp: NotRequired[str]  # Tool server it speaks of.
    reason: NotRequired[str]  # Why it is there.


class SandboxOverride(TypedDict):
    mode: NotRequired[SandboxMode]  # Another boundary.
    network: NotRequired[NetworkMode]  # Another network.
    unixSockets: NotRequired[bool]  # Whether Unix sockets with a path may be used.
    readRoots: NotRequired[list[str]]  # Directories that may be read besides.
    writeRoots: NotRequired[list[str]]  # Directories that may be written besides.
    hosts: NotRequired[list[str]]  # Hosts to be reached through the proxy; with another network what it is known to want to reach.
    readFiles: NotRequired[list[str]]  # Single files that may be read besides.
    writeFiles: NotRequired[list[str]]  # Single files that may be written besides, by tools of the runtime's own.
    atMost: NotRequired[SandboxMode]  # No wider boundary than this, whatever else is given.
    networkAtMost: NotRequired[NetworkMode]  # No more network than this.
    outputAtMost: NotRequired[int]  # No more output than this is kept.


class SandboxProfile(TypedDict):
    mode: SandboxMode  # The boundary that holds.
    tier: str  # The mechanisms that enforce it.
    requestedMode: NotRequired[SandboxMode]  # The boundary that was asked for.
    enforcement: NotRequired[Enforcement]  # What happens if the plan cannot be met.
    cwd: NotRequired[str]  # Directory the command starts in.
    readRoots: NotRequired[list[str]]  # What can be read.
    writeRoots: NotRequired[list[str]]  # What can be written.
    protectedPaths: NotRequired[list[str]]  # What stays closed inside the write roots.
    deniedPaths: NotRequired[list[str]]  # What deny rules close: paths and patterns, for reading unless write: stands in front.
    unreported: NotRequired[list[str]]  # Refusals that leave no sandbox.violation, by the words of docs/explanation/sandbox.md.
    network: NotRequired[NetworkProfile]  # The network inside the cage.
    environmentRef: NotRequired[Id]  # The variables it is given.
    processLimits: NotRequired[ProcessLimits]  # Its limits.
    violationRefs: NotRequired[list[str]]  # Events that tell of hits on the boundary.


class SandboxState(TypedDict):
    profile: NotRequired[SandboxProfile]  # The cage commands get.
    violationRefs: list[str]  # Events that tell of hits on the boundary.


class Schedule(TypedDict):
    scheduleId: Id  # The schedule.
    sessionId: Id  # Its session.
    threadId: Id  # The thread that its tasks work on, one after the other.
    status: ScheduleStatus  # Whether it falls due.
    cron: NotRequired[str]  # When, in cron form.
    everyMs: NotRequired[int]  # How often.
    at: NotRequired[Time]  # Once, at this time.
    timezone: NotRequired[str]  # Time zone of the cron form.
    missedPolicy: MissedPolicy  # What happens to runs that nobody was there for.
    overlap: OverlapPolicy  # What happens while the task before is still open.
    task: Any  # Arguments of create_task for each run.
    nextAt: NotRequired[Time]  # When it is due next.
    lastAt: NotRequired[Time]  # When it was due last.
    lastTaskId: NotRequired[Id]  # The task that came of it last.
    runs: int  # Tasks that it made.
    missed: int  # Runs that were missed.
    skipped: int  # Runs that were left out because one was still open, or could not be made.


class SessionRow(TypedDict):
    sessionId: Id  # The session.
    title: NotRequired[str]  # Its name.
    workspaceId: NotRequired[str]  # Its workspace.
    status: ThreadStatus  # The most urgent status of its threads.
    profileStatus: NotRequired[Status]  # The fine status behind it.
    statusReason: NotRequired[str]  # Why.
    threads: int  # Threads it has.
    activeTurnId: NotRequired[Id]  # The turn that is active.
    pendingActions: int  # Decisions that are owed.
    queuedTurns: int  # Turns that wait.
    costUsd: NotRequired[float]  # What it cost so far.
    amountState: NotRequired[Honesty]  # Says that the cost is not known.
    costStatus: NotRequired[CostStatus]  # The word estimated when estimates are part of the cost.
    archived: NotRequired[bool]  # Whether it is put away.
    createdAt: Time  # When it was made.
    updatedAt: Time  # When it changed last.
    sequence: int  # Its last event.


class StepView(TypedDict):
    stepId: Id  # The step.
    startedSequence: int  # The event that opened it.
    kind: ItemKind  # What kind of step it is.
    index: int  # Place in the turn, from 1.
    status: Status  # Where it stands.
    toolCallId: NotRequired[Id]  # The call it is.
    endedSequence: NotRequired[int]  # The event that ended it.


class Subagent(TypedDict):
    subagentId: Id  # The child.
    parentThreadId: Id  # The thread it was made on.
    parentTurnId: NotRequired[Id]  # The turn it was made in.
    parentTaskId: NotRequired[Id]  # The task it was made for.
    parentSubagentId: NotRequired[Id]  # The child agent it was made by.
    threadId: Id  # Its own thread.
    role: str  # What it is for.
    nickname: NotRequired[str]  # Name for people.
    isolation: Isolation  # What it may see and touch.
    modelPolicy: ModelPolicy  # Whether it takes the parent's model.
    model: NotRequired[str]  # Its own model.
    status: SubagentStatus  # Where it stands.
    lastMessageRef: NotRequired[Id]  # Its last message.
    worktreeState: NotRequired[WorktreeState]  # Whether its worktree is there; absent if it has none.
    worktreeReason: NotRequired[str]  # Why its worktree could not be made.


class SubagentJobSection(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    subagents: NotRequired[list[Subagent]]  # The child agents.
    jobs: NotRequired[list[Job]]  # The jobs.
    assignedThreadIds: NotRequired[list[Id]]  # Threads that open child agents and jobs run on.
    recoverable: NotRequired[bool]  # Whether all of them can go on after a restart.


class Subcommand(TypedDict):
    argv: list[str]  # The words of one simple command.
    decision: Decision  # What was decided for it.
    destructive: bool  # Whether it destroys something.
    ruleRef: NotRequired[str]  # The rule that decided.


class SubmitOptions(TypedDict):
    model: NotRequired[str]  # As the argument of that name.
    fallback: NotRequired[FallbackPolicy]  # As the argument of that name.
    taskKind: NotRequired[str]  # As the argument of that name.
    requires: NotRequired[list[str]]  # As the argument of that name.
    latency: NotRequired[LatencyTarget]  # As the argument of that name.
    budgetUsd: NotRequired[float]  # As the argument of that name.
    outputSchema: NotRequired[Any]  # As the argument of that name.
    metadata: NotRequired[Any]  # As the argument of that name.
    delivery: NotRequired[Delivery]  # As the argument of that name.
    background: NotRequired[bool]  # As the argument of that name.


class Task(TypedDict):
    taskId: Id  # The task.
    parentTaskId: NotRequired[Id]  # The task above it.
    rootTaskId: NotRequired[Id]  # The topmost task of its tree.
    sessionId: NotRequired[Id]  # The session it lives in.
    threadId: NotRequired[Id]  # The thread it works on.
    turnId: NotRequired[Id]  # The turn it was made for.
    title: NotRequired[str]  # A short name.
    objective: NotRequired[str]  # What is to be done.
    taskKind: NotRequired[str]  # Kind of work.
    taskFamily: NotRequired[str]  # Coarse group of work.
    visibility: NotRequired[Visibility]  # Who gets to see it in lists.
    status: NotRequired[TaskStatus]  # Where it stands.
    nativeStatus: NotRequired[str]  # A foreign word for its state.
    priority: NotRequired[str]  # Hint for scheduling.
    requestedBy: NotRequired[Actor]  # Who asked for it.
    owner: NotRequired[Actor]  # Who answers for it.
    assignee: NotRequired[Actor]  # Who does it.
    scope: NotRequired[TaskScope]  # The boundary it works in.
    constraints: NotRequired[Constraints]  # What it may not exceed.
    acceptance: NotRequired[list[Criterion]]  # What completion needs.
    createdAt: NotRequired[Time]  # When it was made.
    currentRunId: NotRequired[Id]  # The run that is active or was last.
    taskProfile: NotRequired[TaskProfile]  # What it needs from a model.
    progress: NotRequired[TaskProgress]  # How far it is.
    attempts: NotRequired[list[TaskAttempt]]  # All attempts, oldest first.
    relationships: NotRequired[list[TaskRelationship]]  # Its edges.
    remoteTask: NotRequired[RemoteTask]  # The peer's task, when it was delegated.
    artifacts: NotRequired[list[ArtifactRef]]  # Artifacts it made.
    evidenceRefs: NotRequired[list[str]]  # Evidence about it.
    deliveryState: NotRequired[DeliveryState]  # Whether its result arrived.
    startedAt: NotRequired[Time]  # When it first ran.
    updatedAt: NotRequired[Time]  # When it changed last.
    statusReason: NotRequired[str]  # Why it stands where it stands.
    lastError: NotRequired[LastError]  # The last failure.
    endedAt: NotRequired[Time]  # When it ended.
    wait: NotRequired[Wait]  # What it waits for, since when, and what ends that.
    version: NotRequired[int]  # The event that changed it last.
    metadata: NotRequired[Any]  # The caller's own notes.


class TaskAcceptance(TypedDict):
    criteria: list[Criterion]  # What completion needs.
    covered: int  # How many of them hold.


class TaskAttempt(TypedDict):
    runId: Id  # The run.
    attemptId: Id  # The attempt; one to one with the run.
    status: AttemptStatus  # Wire status of the attempt.
    nativeStatus: NotRequired[str]  # The exact word, where the wire has none.
    attemptCount: int  # Which attempt of the task, from 1.
    worker: NotRequired[Worker]  # Who carries it out.
    inputRefs: NotRequired[list[RefEntry]]  # What it was given.
    startedAt: NotRequired[Time]  # When it began.
    retryPolicy: NotRequired[RetryPolicy]  # What a failure leads to.
    endedAt: NotRequired[Time]  # When it ended.
    outputRefs: NotRequired[list[RefEntry]]  # What it left.
    checkpointRefs: NotRequired[list[RefEntry]]  # Points it can go on from.
    lastError: NotRequired[LastError]  # Why it ended badly.
    completionSummary: NotRequired[str]  # A sentence on the outcome; not authoritative.


class TaskGraph(TypedDict):
    rootTaskId: NotRequired[Id]  # The topmost task.
    edges: list[TaskRelationship]  # All edges.


class TaskProfile(TypedDict):
    kind: str  # Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another.
    source: str  # Who asked for it.
    requiredCapabilities: list[str]  # What the model must be able to do.
    latencyTarget: LatencyTarget  # How long people will wait.
    budgetClass: BudgetClass  # How much it may cost, roughly.
    fallbackPolicy: FallbackPolicy  # Whether another model may step in.
    settingsSource: str  # Where these settings come from.
    continuity: NotRequired[Continuity]  # What it goes on from: nothing, the thread's earlier turns, or an interrupted run.


class TaskProgress(TypedDict):
    phase: NotRequired[Phase]  # What the task is busy with.
    percent: NotRequired[int]  # Share done, 0 to 100, where that can be said.
    currentStepId: NotRequired[Id]  # The step it is at.
    summary: NotRequired[str]  # One sentence.
    counters: NotRequired[Counters]  # Things counted so far.
    toolCalls: NotRequired[int]  # Tool calls made so far.
    modelRequests: NotRequired[int]  # Model requests made so far.
    outputRefs: NotRequired[list[RefEntry]]  # New output and its offsets.
    acceptance: NotRequired[AcceptanceCount]  # Criteria met so far.
    validation: NotRequired[str]  # State of the checks, in one word.


class TaskRelationship(TypedDict):
    kind: EdgeKind  # What the edge says.
    sourceId: NotRequired[Id]  # The object it starts at.
    targetId: Id  # The object it points to.
    status: NotRequired[EdgeStatus]  # Whether the edge still holds.
    createdAt: NotRequired[Time]  # When it was made.
    updatedAt: NotRequired[Time]  # When it changed last.
    reason: NotRequired[str]  # Why it was made.


class TaskScope(TypedDict):
    workspaceId: NotRequired[str]  # Workspace the task is bound to.
    threadId: NotRequired[Id]  # Thread it is bound to.
    accountRef: NotRequired[str]  # Account it is bound to.
    environmentId: NotRequired[Id]  # Environment it is bound to.
    cwd: NotRequired[str]  # Directory it works in.
    ref: NotRequired[str]  # Any other boundary, by ref.


class TaskSummary(TypedDict):
    active: int  # Tasks under way.
    waiting: int  # Those of them that wait.
    terminal: int  # Tasks that ended.
    completed: int  # Those of them done.
    failed: int  # Those of them failed.
    lost: int  # Those of them lost.
    recentTerminal: list[Id]  # The latest that ended.


class TaskWhy(TypedDict):
    waitingFor: str  # What it waits for, in one word.
    since: NotRequired[Time]  # Since when.
    until: NotRequired[Time]  # Until when at the latest.
    endedBy: list[str]  # Commands, timers and facts that can end it.
    detail: str  # One or two sentences.


class Telemetry(TypedDict):
    status: EvidenceSignal  # Whether it was exported.
    traceIds: NotRequired[list[str]]  # Traces it is part of.
    joinStatus: NotRequired[str]  # Whether records could be joined.
    spanName: NotRequired[str]  # Name of the span.


class TelemetrySummary(TypedDict):
    status: EvidenceSignal  # Whether it is exported.
    traceIds: NotRequired[list[str]]  # Traces.
    joinStatus: NotRequired[str]  # Whether records could be joined.


class Thing(TypedDict):
    kind: str  # Kind of the object: process, tool_call, run, request, hook, action.
    id: Id  # Its id.


class ThreadHistory(TypedDict):
    turns: int  # Turns it had.
    compactionBoundary: Any  # The latest boundary, or why there is none.
    window: HistoryWindow  # What is at hand.


class ThreadRow(TypedDict):
    threadId: Id  # The thread.
    kind: ThreadKind  # What it is for.
    title: NotRequired[str]  # Its name.
    status: ThreadStatus  # Where it stands.
    profileStatus: NotRequired[Status]  # The fine status behind it.
    activeTurnId: NotRequired[Id]  # The turn that is active.
    pendingActions: int  # Decisions that are owed.
    queuedTurns: int  # Turns that wait.
    turns: int  # Turns it had.
    updatedAt: NotRequired[Time]  # When it changed last.


class ThreadTelemetry(TypedDict):
    traceIds: list[str]  # Traces it is part of.
    joinStatus: str  # Whether records could be joined.


class ThreadView(TypedDict):
    threadId: Id  # The thread.
    kind: ThreadKind  # What it is for.
    status: ThreadStatus  # Where it stands, in nine words.
    profileStatus: Status  # The fine status behind it.
    activeTurnId: NotRequired[Id]  # The turn that is active.
    statusReason: NotRequired[str]  # Why it stands there.
    wait: NotRequired[Wait]  # What it waits for.
    lastOutcome: NotRequired[LastOutcome]  # How the last turn ended.
    turns: list[TurnView]  # The recent turns.
    pendingRequests: list[ActionView]  # Decisions that are owed.
    queuedTurns: list[QueuedTurnView]  # Turns that wait, in order.
    queue: QueueView  # The queue itself.
    incidents: list[Incident]  # What went wrong.
    actions: list[ActionView]  # Decisions, owed and given.
    toolCalls: list[ToolCallView]  # Recent calls.
    processes: list[ProcessView]  # Commands.
    permissionState: PermissionState  # Mode, grants, what is owed.
    sandboxState: SandboxState  # The cage and hits on it.
    modelRouting: ModelRouting  # The choice of model.
    limitState: NotRequired[LimitState]  # The limits.
    costState: NotRequired[CostState]  # What it cost.
    subagents: list[Subagent]  # Its child agents.
    jobs: list[Job]  # Its jobs.
    channels: list[Channel]  # Peers bound to it.
    outputs: list[Output]  # Stored outputs.
    tasks: list[Task]  # Its tasks.
    taskGraph: TaskGraph  # Their edges.
    blockedTasks: list[BlockedTask]  # Tasks that cannot go on.
    deliveryState: NotRequired[DeliveryState]  # Whether what ended here reached those who are told.
    telemetry: ThreadTelemetry  # Traces.
    history: ThreadHistory  # What is at hand of its past.
    contextBoundary: ContextBoundary  # What the model sees.
    diagnostics: Diagnostics  # What deserves a look.
    evidenceSummary: EvidenceSummary  # Evidence.
    todo: NotRequired[list[TodoItem]]  # The list that its model keeps for itself, when it keeps one: a hint.


class TodoItem(TypedDict):
    text: str  # What there is to do.
    status: TodoStatus  # How the model sees it; nothing follows from that.


class Tokens(TypedDict):
    inputTokens: int  # Tokens read, cached ones included.
    cachedInputTokens: int  # Tokens read from the provider's cache.
    cacheWriteTokens: NotRequired[int]  # Tokens written to that cache.
    outputTokens: int  # Tokens written.
    reasoningTokens: int  # Those of them that were reasoning.


class ToolCallView(TypedDict):
    toolCallId: Id  # The call.
    stepId: Id  # Its step.
    turnId: Id  # Its turn.
    toolName: str  # The tool.
    status: Status  # Where it stands.
    permissionDecision: NotRequired[PermissionDecision]  # The decision it runs under.
    hookRunIds: list[Id]  # Hooks that took part.
    executed: Executed  # Whether it may have had an effect.
    category: NotRequired[ErrorCategory]  # Why it failed.
    sandboxMode: NotRequired[SandboxMode]  # The cage it ran in.
    outputRef: NotRequired[Id]  # What it wrote.
    exitCode: NotRequired[int]  # Exit code of the command.
    isError: NotRequired[bool]  # Whether its result tells of a failure.
    durationMs: NotRequired[int]  # How long it took.


class ToolServer(TypedDict):
    name: str  # Its name in the settings; its tools are called mcp__NAME__TOOL.
    source: str  # user: of the settings; project: of a directory's .mcp.json.
    cwd: NotRequired[str]  # Of a project's server: the directory whose file names it.
    status: ToolServerStatus  # Whether it runs, and if not why not.
    detail: NotRequired[str]  # The reason, in a sentence.
    command: str  # The program and its arguments.
    nativeProtocol: str  # mcp.
    protocolVersion: NotRequired[str]  # The version that is spoken.
    program: NotRequired[str]  # What it calls itself.
    channelId: NotRequired[Id]  # Its channel, while it is connected.
    hosts: NotRequired[list[str]]  # Hosts that its entry asks for: it reaches these and no others.
    contentHash: NotRequired[str]  # Of the project's file: what is trusted, or would be.
    programHash: NotRequired[str]  # Of a server that has more rights than the agent: over the files that its command names.
    toolCount: int  # Tools it offers.
    changedCount: int  # Those of them that are not what they were when they were pinned.
    restarts: int  # How often it had to be started again.


class Trajectory(TypedDict):
    schema: NotRequired[str]  # Its format and version.
    ref: NotRequired[str]  # Where it is kept.
    exportStatus: NotRequired[str]  # pending, exported, failed, redacted or not-supported.
    requiredFieldStatus: NotRequired[Any]  # Which required fields are there.


class TrialRow(TypedDict):
    trialId: str  # The trial.
    benchmark: Benchmark  # What it belongs to.
    status: Status  # Where it stands.
    reward: NotRequired[Reward]  # Its score.
    trajectory: NotRequired[Trajectory]  # Its trajectory.


class TurnPermissionView(TypedDict):
    mode: PermissionMode  # The mode.
    lastDecision: NotRequired[Decision]  # The last decision.
    pendingActionIds: list[Id]  # Decisions that are owed.


class TurnView(TypedDict):
    turnId: Id  # The turn.
    kind: TurnKind  # Whose turn it is.
    status: Status  # Where it stands, in the fine words.
    statusReason: NotRequired[str]  # Why.
    taskId: NotRequired[Id]  # Its task.
    runId: NotRequired[Id]  # Its latest run.
    attemptId: NotRequired[Id]  # Its latest attempt.
    inputRef: NotRequired[Id]  # Its input.
    startedAt: NotRequired[Time]  # When it began.
    completedAt: NotRequired[Time]  # When it ended.
    steps: list[StepView]  # Its steps, in order.
    taskProfile: NotRequired[TaskProfile]  # What it needs from a model.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available.
    routingDecision: NotRequired[RoutingDecision]  # The model that was chosen.
    permissionState: NotRequired[TurnPermissionView]  # Its decisions.
    sandboxProfile: NotRequired[SandboxProfile]  # The last cage.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where its commands run.
    costState: NotRequired[CostState]  # What it cost.
    limitState: NotRequired[LimitState]  # The limits it met.
    hookRuns: NotRequired[list[HookRun]]  # Its hooks.
    processes: NotRequired[list[ProcessView]]  # Its commands.
    outputRefs: NotRequired[list[OutputRow]]  # Its outputs.


class ValidationCounts(TypedDict):
    passed: int  # Artifacts whose latest version passed.
    failed: int  # Artifacts whose latest version failed.
    notApplicable: int  # Artifacts that declare nothing that can be checked, or that were deleted.
    unchecked: int  # Artifacts that nothing validated, or not all that they declare.
    issues: int  # Issues of all of them.


class Verification(TypedDict):
    name: str  # What was checked.
    status: str  # What the verifier said.
    verifierRef: NotRequired[str]  # Which verifier said it.


Wait = TypedDict("Wait", {
    "for": "WaitFor",  # What is waited for.
    "since": "Time",  # Since when.
    "until": "NotRequired[Time]",  # Until when at the latest.
    "deadline": "NotRequired[str]",  # The word none when nothing ends it by itself.
    "endedBy": "list[str]",  # Commands, timers and facts that can end it.
    "overdueAt": "NotRequired[Time]",  # When it was said that it takes long.
    "resumeToken": "NotRequired[str]",  # Names what resume_thread goes on with; a token of an earlier interruption is refused.
})


class Worker(TypedDict):
    kind: WorkerKind  # What carries the attempt out.
    runtimeId: NotRequired[Id]  # The runtime it runs in.
    threadId: NotRequired[Id]  # The thread it runs on.
    workerId: NotRequired[str]  # The external worker's own name.
    ref: NotRequired[str]  # Where the worker is described.
    leaseUntil: NotRequired[Time]  # When it counts as lost without a heartbeat.


class AckEventsReply(TypedDict):
    channelId: Id  # The channel.
    lastAckedSequence: int  # Last event acknowledged.


class AppendTaskProgressReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class ArchiveTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class AssignJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    leaseUntil: NotRequired[Time]  # When the worker counts as lost.


class CancelJobReply(TypedDict):
    jobId: Id  # The job.
    status: JobStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class CancelTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class ClaimTaskReply(TypedDict):
    sessionId: NotRequired[Id]  # The session.
    taskId: NotRequired[Id]  # The task; absent when there is none.
    runId: NotRequired[Id]  # The run.
    attemptId: NotRequired[Id]  # The attempt.
    task: NotRequired[Task]  # The whole record.
    leaseUntil: NotRequired[Time]  # When the worker counts as lost.
    sequence: NotRequired[int]  # Last durable event of the session when the reply was made.


class CloseSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class CompactThreadReply(TypedDict):
    threadId: Id  # The thread.
    turnId: Id  # The system turn that does it.
    status: Status  # Where it stands.
    sequence: int  # Last durable event of the session when the reply was made.


class CompareBenchmarkRunsReply(TypedDict):
    comparison: Comparison  # The deltas.
    sequence: int  # Last durable event of the session when the reply was made.


class CompleteTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class CreateJobReply(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    status: JobStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    itemCount: int  # Items it has.


class CreateScheduleReply(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    nextAt: NotRequired[Time]  # When it is due first.
    sequence: int  # Last durable event of the session when the reply was made.


class CreateSessionReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # Its first thread.
    sequence: int  # Last durable event of the session when the reply was made.


class CreateTaskReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class DeleteScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Where it stands now.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class EraseEventReply(TypedDict):
    sessionId: Id  # The session.
    eventSequence: int  # The event.
    status: str  # erased, or already_erased.
    sequence: int  # Last durable event of the session when the reply was made.


class EvaluatePermissionReply(TypedDict):
    permissionDecision: PermissionDecision  # The decision and what it rests on.
    sequence: int  # Last durable event of the session when the reply was made.


class ExplainThreadReply(TypedDict):
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # Its active turn.
    status: ThreadStatus  # Its status.
    profileStatus: Status  # The fine status.
    waitingFor: str  # A word of wait_for, or start, preparation, model, tool, release, nothing, unknown.
    since: NotRequired[Time]  # Since when.
    until: NotRequired[Time]  # When the wait ends by itself.
    deadline: NotRequired[str]  # none, instead of `until`: no point in time ends it.
    endedBy: list[str]  # Commands and facts that end it.
    pendingActionIds: list[Id]  # Decisions that are owed.
    queuedTurnIds: list[Id]  # Turns that wait behind it, in order.
    detail: str  # The same in a sentence for people.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportBenchmarkTrialReply(TypedDict):
    trialId: str  # The trial.
    evidenceId: Id  # The export.
    packRef: str  # Where it is.
    trajectory: NotRequired[Trajectory]  # Its trajectory.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportEvidenceReply(TypedDict):
    evidenceId: Id  # The export.
    packRef: str  # Where it is.
    partial: bool  # Whether what it covers still goes on.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportReplayReply(TypedDict):
    evidenceId: Id  # The export.
    replayRef: str  # Where it is.
    partial: bool  # Whether what it covers still goes on.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportReviewReply(TypedDict):
    evidenceId: Id  # The export.
    reviewRef: str  # Where it is.
    partial: bool  # Whether what it covers still goes on.
    sequence: int  # Last durable event of the session when the reply was made.


class FailTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class ForkThreadReply(TypedDict):
    sessionId: Id  # Session of the new thread.
    threadId: Id  # The new thread.
    turnId: NotRequired[Id]  # Last turn that it took over.
    sequence: int  # Last durable event of the session when the reply was made.


GetArtifactCheckpointSummaryReply: TypeAlias = "ArtifactCheckpointSummary"


class GetCapabilitiesReply(TypedDict):
    name: str  # thole.
    version: str  # Its version.
    runtimeId: Id  # The installation.
    schemaVersion: str  # Version of the event envelope.
    specVersion: str  # Version of the standard.
    layers: Any  # Which layers of the standard hold.
    commands: Any  # Every command and whether it is built.
    events: Any  # Every event class and whether it is emitted.
    views: list[str]  # The read models.
    transports: list[str]  # How one can connect.
    sandbox: Any  # Tiers the kernel offers, and the one in use.
    providers: list[Any]  # The models of all providers: provider, model, hasCredential, priced with inputPerMTok and outputPerMTok in dollars, capabilities, windowTokens, maxOutputTokens.
    settings: Any  # Settings clients must know, such as durability and the delta window.
    limits: Any  # Bounds on input, and on what stands in facts instead of behind a ref.
    sections: Any  # Parts of snapshots that are unavailable in this build.
    storage: NotRequired[Any]  # damaged: places in the log that could not be read since the start, each with sessionId, from, to and reason.


GetContextBoundaryReply: TypeAlias = "ContextBoundarySnapshot"


class GetExecutionEnvironmentReply(TypedDict):
    executionEnvironment: ExecutionEnvironment  # The environment.
    sandboxProfile: NotRequired[SandboxProfile]  # The last cage, or the one that commands would get.
    processes: list[ProcessView]  # Commands that run.
    sequence: int  # Last durable event of the session when the reply was made.


class GetJobReply(TypedDict):
    job: Job  # The job.
    sequence: int  # Last durable event of the session when the reply was made.


class GetOutputReply(TypedDict):
    output: Output  # Its record.
    offset: int  # First byte given.
    bytes: int  # How many were given.
    text: NotRequired[str]  # The bytes, when they are text.
    base64: NotRequired[str]  # The bytes, when they are not.
    eof: bool  # Whether this is the end of what there is.


GetPermissionSandboxSummaryReply: TypeAlias = "PermissionSandboxSummary"


GetRoutingLimitSummaryReply: TypeAlias = "RoutingLimitSummary"


class GetSessionReply(TypedDict):
    schemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation.
    sessionId: Id  # The session.
    workspaceId: NotRequired[str]  # Its workspace.
    title: NotRequired[str]  # Its name.
    createdAt: Time  # When it was made.
    updatedAt: Time  # When it changed last.
    sequence: int  # The last event it reflects.
    foldVersion: int  # Version of the fold.
    stale: bool  # Whether it may not be current.
    truncated: bool  # Whether parts were left out.
    account: Account  # Whose it is.
    activeThreadIds: list[Id]  # Threads that are not put away.
    pinnedThreadIds: list[Id]  # Threads that are pinned.
    historyWindow: HistoryWindow  # What is at hand of its past.
    history: NotRequired[list[PastTurn]]  # With a cursor: turns of that page, newest first.
    threads: NotRequired[list[ThreadView]]  # Its threads.
    tasks: NotRequired[list[Task]]  # Its tasks.
    taskSummary: NotRequired[TaskSummary]  # How many of each kind.
    taskGraph: NotRequired[TaskGraph]  # Their edges.
    blockedTasks: NotRequired[list[BlockedTask]]  # Tasks that cannot go on.
    deliveryState: NotRequired[DeliveryState]  # Whether results arrived.
    toolInventoryRef: NotRequired[Id]  # The tools of the latest run.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where commands run.
    permissionState: NotRequired[PermissionState]  # Mode, grants, what is owed.
    sandboxState: NotRequired[SandboxState]  # The cage and hits on it.
    routingLimitSummary: NotRequired[ModelRouting]  # The choice of model, cost, limits.
    subagentJobSummary: NotRequired[SubagentJobSection]  # Child agents and jobs.
    channelSummary: NotRequired[ChannelSection]  # Enrolled peers.
    benchmarkSummary: NotRequired[BenchmarkSection]  # Trials.
    telemetrySummary: NotRequired[TelemetrySummary]  # Traces.
    outputSummary: NotRequired[OutputSummary]  # Stored outputs.
    historySummary: NotRequired[HistorySummary]  # What happened to its past.
    artifactRefs: NotRequired[list[str]]  # Artifacts.
    evidenceRefs: NotRequired[list[str]]  # Evidence.


GetSubagentJobSummaryReply: TypeAlias = "SubagentJobSummary"


class GetTaskReply(TypedDict):
    task: Task  # The task.
    graph: NotRequired[TaskGraph]  # Edges of its tree.
    why: NotRequired[TaskWhy]  # What it waits for, and what ends that.
    sequence: int  # Last durable event of the session when the reply was made.


GetThreadReadReply: TypeAlias = "ThreadReadModel"


GetToolInventoryReply: TypeAlias = "ToolInventorySnapshot"


class HeartbeatJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    leaseUntil: Time  # When the worker counts as lost.
    status: JobStatus  # Where the job stands, so that a cancel is seen.
    sequence: int  # Last durable event of the session when the reply was made.


class HeartbeatTaskReply(TypedDict):
    taskId: Id  # The task.
    leaseUntil: Time  # When the worker counts as lost.
    status: TaskStatus  # Where the task stands, so that a cancel is seen.
    sequence: int  # Last durable event of the session when the reply was made.


class InterruptTurnReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # The turn being stopped.
    status: str  # cancelling when something is being stopped, no_op when there was nothing.
    sequence: int  # Last durable event of the session when the reply was made.


class LinkTasksReply(TypedDict):
    fromTaskId: Id  # The task the edge starts at.
    relationship: EdgeKind  # What the edge says.
    sequence: int  # Last durable event of the session when the reply was made.


class ListActionsReply(TypedDict):
    actions: list[ActionView]  # The requests, oldest first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListChannelsReply(TypedDict):
    channels: list[Channel]  # The channels of that session; without one, those of all sessions in memory.


class ListDevicesReply(TypedDict):
    devices: list[Device]  # Oldest first.


class ListEventsReply(TypedDict):
    events: list[RuntimeEvent]  # The stored envelopes, or their records of the form that was asked for; what it has no word for is left out.
    lastSequence: NotRequired[int]  # Last event of the page, when one session is read.
    firstSequence: NotRequired[int]  # With before: where the page begins.
    more: bool  # Whether there are more.
    gap: NotRequired[Gap]  # What is gone: removed below the oldest event, or damaged on disk behind the last event of the page.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListGrantsReply(TypedDict):
    grants: list[Grant]  # The grants, oldest first.
    sequence: int  # Last durable event of the session when the reply was made.


class ListHooksReply(TypedDict):
    hooks: list[HookRow]  # The hooks in the order in which they are asked.
    path: NotRequired[str]  # The project's file, if there is one.
    contentHash: NotRequired[str]  # Of that file: what is trusted, or would be.


class ListJobItemsReply(TypedDict):
    items: list[JobItem]  # The items, in order.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    sequence: int  # Last durable event of the session when the reply was made.


class ListJobsReply(TypedDict):
    jobs: list[Job]  # The jobs, newest first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListModelsReply(TypedDict):
    models: list[ModelRow]  # The models, in the order of preference.
    budgets: list[Budget]  # Caps that reach over sessions, and what stands on them.


class ListProcessesReply(TypedDict):
    processes: list[ProcessView]  # The commands.
    placeholders: NotRequired[list[str]]  # Without a session: paths that do not exist and that a running sandbox holds with an empty placeholder, so that nothing creates them.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListQueueReply(TypedDict):
    threadId: Id  # The thread.
    queue: QueueView  # Order, rules and state.
    queuedTurns: list[QueuedTurnView]  # The turns that wait, in order.
    sequence: int  # Last durable event of the session when the reply was made.


class ListRulesReply(TypedDict):
    rules: list[RuleRow]  # The rules, highest source first; grants are listed by `list_grants`.
    mode: PermissionMode  # What decides where no rule does.
    sequence: int  # Last durable event of the session when the reply was made.


class ListSchedulesReply(TypedDict):
    schedules: list[Schedule]  # The schedules.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListSessionsReply(TypedDict):
    sessions: list[SessionRow]  # The sessions, latest change first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    recovery: NotRequired[RecoveryProgress]  # While sessions are recovered after a start: how far that has come. Rows of those that are left show what was known before it.


class ListSubagentsReply(TypedDict):
    subagents: list[Subagent]  # The child agents.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    sequence: int  # Last durable event of the session when the reply was made.


class ListTasksReply(TypedDict):
    tasks: list[Task]  # The tasks, newest first.
    summary: NotRequired[TaskSummary]  # How many there are of each kind, when one session is asked for.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListThreadsReply(TypedDict):
    threads: list[ThreadRow]  # The threads, oldest first.
    sequence: int  # Last durable event of the session when the reply was made.


class ListToolServersReply(TypedDict):
    servers: list[ToolServer]  # The servers, those of the settings first.


class MoveQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The whole order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class OpenConsoleReply(TypedDict):
    code: str  # Goes behind #code= of the address; works once.
    expiresAt: Time  # Until when it works.
    addresses: list[str]  # Where the console is served; a loopback port is opened when there was none.
    hasConsole: bool  # Whether the console is part of this build.


class PairDeviceReply(TypedDict):
    code: str  # Goes behind #code= of the address; works once.
    address: str  # What the device opens.
    name: str  # What it will be called.
    scopes: list[str]  # What it will be allowed.
    expiresAt: Time  # Until when the code works.
    addresses: list[str]  # Where a tunnel or proxy has to lead; a loopback port is opened when there was none.
    hasConsole: bool  # Whether the console is part of this build.


class PauseScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Where it stands now.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class PauseTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class PromoteQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The whole order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class RebuildSessionReply(TypedDict):
    sessionId: Id  # The session.
    events: int  # Events that were folded.
    rows: int  # Rows that were written.
    sequence: int  # Last durable event of the session when the reply was made.


class ReconnectChannelReply(TypedDict):
    channelId: Id  # The channel.
    resumeToken: NotRequired[str]  # Token for the next time.
    fromSequence: int  # First event that follows.
    gap: NotRequired[bool]  # Whether events in between are gone.
    gapFrom: NotRequired[int]  # First event that is gone.
    gapTo: NotRequired[int]  # Last event that is gone.
    recoveryMode: NotRequired[RecoveryMode]  # With a gap: why they are gone.
    stale: NotRequired[list[str]]  # With a gap: read models that the peer has to take from the snapshot.
    snapshot: NotRequired[Any]  # The session snapshot that comes first.
    subscriptionId: NotRequired[str]  # On a JSON-RPC connection: the subscription that sends the events from fromSequence on.
    sequence: int  # Last durable event of the session when the reply was made.


class RecordBenchmarkRewardReply(TypedDict):
    trialId: str  # The trial.
    sequence: int  # Last durable event of the session when the reply was made.


class RemoveQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The whole order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class ReportJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class ResizeProcessReply(TypedDict):
    processId: Id  # The process.
    sequence: int  # Last durable event of the session when the reply was made.


class ResolvePermissionReply(TypedDict):
    actionId: Id  # The action.
    decision: Decision  # The answer that stands.
    sequence: int  # Last durable event of the session when the reply was made.


class RespondActionReply(TypedDict):
    actionId: Id  # The action.
    decision: Decision  # The answer that stands.
    scope: NotRequired[GrantScope]  # How far it reaches.
    grantId: NotRequired[Id]  # The grant it left.
    sequence: int  # Last durable event of the session when the reply was made.


class ResumeScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Where it stands now.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class ResumeSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    turnId: NotRequired[Id]  # The turn that goes on.


class ResumeTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: NotRequired[Id]  # The run that goes on.


class ResumeThreadReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # The turn that goes on.
    taskId: NotRequired[Id]  # Its task.
    runId: NotRequired[Id]  # The new run.
    status: str  # resumed, released, running or nothing_to_resume; stopped when a task above it was cancelled.
    sequence: int  # Last durable event of the session when the reply was made.


class RetryJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class RetryTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: Id  # The new run.
    attemptId: NotRequired[Id]  # The new attempt.
    turnId: NotRequired[Id]  # The turn, when the built-in agent does it.


class RevokeDeviceReply(TypedDict):
    deviceId: Id  # The device that was.
    name: str  # What it was called.
    streams: int  # Event streams that were cut.


class RevokeGrantReply(TypedDict):
    grantId: Id  # The grant.
    sequence: int  # Last durable event of the session when the reply was made.


class RollbackThreadReply(TypedDict):
    threadId: Id  # The thread.
    removedTurns: list[Id]  # Turns that went; the newest 64 and the active one when there are more.
    removedCount: NotRequired[int]  # How many turns went.
    sequence: int  # Last durable event of the session when the reply was made.


class SendSubagentInputReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    turnId: NotRequired[Id]  # The turn it became.


class SetModeReply(TypedDict):
    mode: PermissionMode  # The mode now.
    sequence: int  # Last durable event of the session when the reply was made.


class SetPolicyReply(TypedDict):
    policyRef: str  # The rules as they are now.
    sequence: int  # Last durable event of the session when the reply was made.


class SpawnSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    threadId: Id  # Its own thread.
    turnId: NotRequired[Id]  # Its first turn.


class StartBenchmarkTrialReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    taskId: Id  # The task.
    runId: Id  # The run.
    trialId: str  # The trial.
    sequence: int  # Last durable event of the session when the reply was made.


class StartJobReply(TypedDict):
    jobId: Id  # The job.
    status: JobStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class StartTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: NotRequired[Id]  # The run.
    attemptId: NotRequired[Id]  # The attempt.
    turnId: NotRequired[Id]  # The turn, when the built-in agent does it.
    leaseUntil: NotRequired[Time]  # When an external worker counts as lost.


class SubmitTurnReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    taskId: NotRequired[Id]  # Its task; a steer has its target's.
    runId: NotRequired[Id]  # The run kept for it.
    status: Status  # accepted or queued.
    sequence: int  # Last durable event of the session when the reply was made.
    behind: NotRequired[Id]  # The turn it waits behind.
    firstSequence: NotRequired[int]  # The turn's first event: reading after the one before it shows the whole turn.


class SubscribeEventsReply(TypedDict):
    subscriptionId: Id  # The subscription.
    after: int  # The event it begins after.
    gap: NotRequired[Gap]  # What is gone: removed below the oldest event, or damaged on disk behind the last event of the page.


class TerminateProcessReply(TypedDict):
    processId: Id  # The process.
    status: ProcessStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.


class TrimLogReply(TypedDict):
    sessionId: Id  # The session.
    removedThrough: int  # The last event that is gone.
    headHash: NotRequired[str]  # Hash of the log at that point; the chain is checked from there.
    snapshotRef: NotRequired[Id]  # The state that stands for what was removed.
    sequence: int  # Last durable event of the session when the reply was made.


class TrustHooksReply(TypedDict):
    contentHash: str  # What is trusted now.
    sequence: int  # Last durable event of the system session when the reply was made.


class TrustToolServerReply(TypedDict):
    server: str  # The server.
    contentHash: NotRequired[str]  # What is trusted now.
    sequence: int  # Last durable event of the system session when the reply was made.


class UnlinkTasksReply(TypedDict):
    fromTaskId: Id  # The task the edge starts at.
    relationship: EdgeKind  # What the edge says.
    sequence: int  # Last durable event of the session when the reply was made.


class UnsubscribeEventsReply(TypedDict):
    subscriptionId: Id  # The subscription.


class UpdateSessionReply(TypedDict):
    sessionId: Id  # The session.
    changed: list[str]  # Names of the fields that changed.
    sequence: int  # Last durable event of the session when the reply was made.


class UpdateTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Where it stands now.
    sequence: int  # Last durable event of the session when the reply was made.
    changed: list[str]  # Names of the fields that changed.


class VerifyLogReply(TypedDict):
    status: str  # whole, erased, incomplete (files of outputs are missing) or broken.
    sessions: int  # Sessions checked.
    events: int  # Events checked.
    firstBad: NotRequired[BadRow]  # The first row that does not fit.
    erased: int  # Rows whose body was erased by law.
    headHash: NotRequired[str]  # Hash of the last row, when one session is checked.
    anchoredSequence: NotRequired[int]  # The newest event of the session that an anchor in sess_system names; absent: none does, and a cut tail would not be noticed.
    outputs: NotRequired[int]  # Outputs in blobs/ whose file was looked for.
    missingOutputs: NotRequired[list[str]]  # Those whose file is gone; the first 100.


class WaitSubagentsReply(TypedDict):
    subagents: list[Subagent]  # Where each stands.
    timedOut: bool  # Whether time was up; the children go on.
    sequence: int  # Last durable event of the session when the reply was made.


class WriteProcessStdinReply(TypedDict):
    processId: Id  # The process.
    bytes: int  # Bytes written.
    outputOffset: NotRequired[int]  # Where its output stood then.
    sequence: int  # Last durable event of the session when the reply was made.


Time: TypeAlias = str


class ArtifactCheckpointSummary(TypedDict):
    artifacts: list[ArtifactRow]  # The artifacts.
    artifactRefs: list[str]  # Their ids.
    validation: ValidationCounts  # How many of them passed validation.
    sequence: int  # The last event it reflects.


class ContextBoundarySnapshot(TypedDict):
    threadId: Id  # The thread.
    contextBoundary: ContextBoundary  # What the model sees.
    history: ThreadHistory  # What is at hand of its past.
    sequence: int  # The last event it reflects.


class PermissionSandboxSummary(TypedDict):
    permissionState: PermissionState  # Mode, grants, what is owed.
    sandboxState: SandboxState  # The cage and hits on it.
    pendingRequests: list[ActionView]  # Decisions that are owed.
    sequence: int  # The last event it reflects.


class RoutingLimitSummary(TypedDict):
    status: NotRequired[Honesty]  # Why no choice is shown: none was needed yet, or it is being made.
    taskKind: NotRequired[str]  # Kind of work.
    candidateCount: int  # Models that were available.
    singleCandidate: bool  # Whether there was exactly one.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    decisionSource: NotRequired[RoutingSource]  # What the choice follows.
    decisionReason: NotRequired[str]  # Why.
    capabilityGap: NotRequired[str]  # The capability that is missing, or none.
    fallbackApplied: bool  # Whether another model stepped in.
    costState: NotRequired[CostState]  # What it cost.
    limitState: NotRequired[LimitState]  # The limits it met.
    taskProfile: NotRequired[TaskProfile]  # What the task needs.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available.
    routingDecision: NotRequired[RoutingDecision]  # The decision.
    providerLimits: NotRequired[list[ProviderLimit]]  # What providers last said of their limits.
    sequence: int  # The last event it reflects.


class SubagentJobSummary(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    subagents: NotRequired[list[Subagent]]  # The child agents.
    jobs: NotRequired[list[Job]]  # The jobs.
    assignedThreadIds: NotRequired[list[Id]]  # Threads that open child agents and jobs run on.
    recoverable: NotRequired[bool]  # Whether all of them can go on after a restart.
    sequence: int  # The last event it reflects.


ThreadReadModel: TypeAlias = "ThreadView"


class ToolInventorySnapshot(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread.
    caller: NotRequired[Id]  # Who would call.
    mode: PermissionMode  # The mode they were judged under.
    toolCount: int  # How many there are.
    tools: list[InventoryTool]  # The tools.
    toolInventoryRef: NotRequired[Id]  # The same behind a ref.
    sequence: int  # The last event it reflects.

"""Written by scripts/sdk.py from docs/reference/openapi.json; do not edit."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AckEventsArgs(TypedDict):
    channelId: Id  # The channel.
    sessionId: NotRequired[Id]  # The session it is about.
    sequence: int  # All events up to this one were received.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AddDirectoryArgs(TypedDict):
    sessionId: Id  # The session.
    directory: str  # Its absolute path on the runtime's machine.
    remove: NotRequired[bool]  # It is no longer part of it.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AnswerQuestionArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task that asks; it was requested by the same principal.
    actionId: NotRequired[Id]  # The question; another one is not answered. Default: the one that is asked.
    answer: NotRequired[Any]  # The object that the schema of the question describes, or a text, which fills its only text member.
    decline: NotRequired[bool]  # true: no answer is given; instead of answer.
    onBehalfOf: NotRequired[str]  # The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AppendTaskProgressArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run it is about.
    phase: NotRequired[Phase]  # What it is doing.
    percent: NotRequired[int]  # Percentage done, 0 to 100.
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


class AskToolServerArgs(TypedDict):
    cwd: NotRequired[str]  # A directory of the project; default: the runtime's directory.
    server: str  # The tool server.
    method: ToolServerMethod  # What is asked.
    params: NotRequired[Any]  # The members of the request, an object. Of watch_resources: uris, and after, the number of the last reply; it waits until one of them has changed, or for a while.
    client: NotRequired[CallClient]  # What the caller answers itself: a result that asks for that is returned as it is, and the caller repeats its request with the answers.


class AssignJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be inactive.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class AttachToolServersArgs(TypedDict):
    sessionId: Id  # The session.
    servers: Any  # An object of name and entry, as in .mcp.json: {"files":{"command":"mcp-files","args":[],"env":{}}} or {"search":{"type":"http","url":"https://...","headers":{}}}. All texts are taken as they are, without variables. They are kept in memory only.
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
    taskId: NotRequired[Id]  # This task; default: any suitable one.
    taskKind: NotRequired[str]  # Only this kind of work.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be inactive.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CloseSubagentArgs(TypedDict):
    sessionId: Id  # The session.
    subagentId: Id  # The child agent.
    reason: NotRequired[str]  # Why.
    discardWorktree: NotRequired[bool]  # Remove its worktree and its branch with their content; also for a closed child.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompactThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    keepTurns: NotRequired[int]  # Turns that stay unchanged.
    instructions: NotRequired[str]  # What the summary should preserve.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompareBenchmarkRunsArgs(TypedDict):
    sessionId: Id  # The session that records the comparison.
    baselineConfigurationId: str  # The baseline.
    candidateConfigurationId: str  # The candidate.
    trials: NotRequired[list[TrialRow]]  # The trials, as list_benchmark_trials shows them, also of other sessions and runtimes; default: those of the session.
    singleChangedVariable: NotRequired[str]  # What differs. It must be the variable that the trials show; other words are accepted where they show none.
    p0QcGateRegressionCount: NotRequired[int]  # P0 gates with worse results, as the quality owner reports them; default: the sum over the candidate's packs if all of them have it.
    decision: NotRequired[str]  # What the quality owner decided; it needs decisionSource.
    decisionSource: NotRequired[str]  # Who decided.
    remainingRisk: NotRequired[str]  # What is still open.
    reportRef: NotRequired[str]  # The quality owner's report.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompleteArgumentArgs(TypedDict):
    cwd: NotRequired[str]  # A directory of the project; default: the runtime's directory.
    name: str  # SERVER:PROMPT.
    arguments: NotRequired[str]  # What was typed behind it; the last word is completed.


class CompleteTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run that produced it.
    summary: NotRequired[str]  # A sentence on the outcome.
    artifacts: NotRequired[list[ArtifactRef]]  # Artifacts it produced.
    evidenceRefs: NotRequired[list[str]]  # Evidence about it.
    acceptance: NotRequired[list[str]]  # Ids of criteria that are met.
    deliveryState: NotRequired[DeliveryState]  # Whether the result arrived.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CompleteToolCallArgs(TypedDict):
    sessionId: Id  # The session.
    toolCallId: Id  # The call, as tool.progress names it.
    output: Any  # What the tool returned: a text, or any JSON value, which the model reads as its text.
    isError: NotRequired[bool]  # true: the tool failed, and output says why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateJobArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; default: a new one.
    jobId: NotRequired[Id]  # Id chosen by the caller.
    taskId: NotRequired[Id]  # The task it works for.
    instruction: str  # What to do with each item.
    items: NotRequired[list[Any]]  # The items; put larger numbers behind inputRef.
    inputRef: NotRequired[Id]  # The items, if they were stored before.
    outputSchema: NotRequired[Any]  # Schema that each output must satisfy.
    concurrency: NotRequired[int]  # Items at once.
    maxAttempts: NotRequired[int]  # Attempts per item.
    maxRuntimeMs: NotRequired[int]  # Timeout.
    budgetUsd: NotRequired[float]  # Maximum cost.
    start: NotRequired[bool]  # Start it at once; default true.
    cwd: NotRequired[str]  # Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateScheduleArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; default: a new one.
    scheduleId: NotRequired[Id]  # Id chosen by the caller.
    cron: NotRequired[str]  # The time, as a cron expression.
    everyMs: NotRequired[int]  # New interval.
    at: NotRequired[Time]  # Once, at this time.
    timezone: NotRequired[str]  # Time zone of the cron expression, such as Europe/Berlin; default UTC.
    missedPolicy: NotRequired[MissedPolicy]  # What happens to missed runs: skip them, make up for them once, or for all of them.
    overlap: NotRequired[OverlapPolicy]  # While the previous task is still open: skip, queue after it, or cancel it.
    task: Any  # Arguments of create_task for each run.
    cwd: NotRequired[str]  # Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateSessionArgs(TypedDict):
    sessionId: NotRequired[Id]  # Id chosen by the caller.
    threadId: NotRequired[Id]  # Id for the first thread, chosen by the caller.
    title: NotRequired[str]  # A short name.
    workspaceId: NotRequired[str]  # The workspace.
    cwd: NotRequired[str]  # Directory its turns start in.
    mode: NotRequired[PermissionMode]  # Permission mode of a new session, for callers with the scope admin; set_mode changes that of an existing one.
    model: NotRequired[str]  # Default model.
    budgetUsd: NotRequired[float]  # Maximum cost of the session.
    metadata: NotRequired[Any]  # The caller's own notes.
    labels: NotRequired[list[str]]  # Labels by which it is found, key=value.
    placement: NotRequired[PlacementChoice]  # What the node needs that works on the session, if several share the store. It is carried out there. Default: the node that is asked, if cwd is given.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateSigningKeyArgs(TypedDict):
    rotate: NotRequired[bool]  # Replace the key that there is; its public half stays recorded.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateTaskArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; default: a new one.
    threadId: NotRequired[Id]  # The thread it works on.
    taskId: NotRequired[Id]  # Id chosen by the caller.
    title: NotRequired[str]  # A short name.
    objective: str  # The objective.
    taskKind: NotRequired[str]  # Kind of work.
    taskFamily: NotRequired[str]  # General kind of work.
    visibility: NotRequired[Visibility]  # Who sees it in lists.
    priority: NotRequired[str]  # Hint for scheduling.
    parentTaskId: NotRequired[Id]  # The parent task.
    assignee: NotRequired[Actor]  # Who works on it.
    scope: NotRequired[TaskScope]  # The boundary it works in.
    constraints: NotRequired[Constraints]  # What it may not exceed.
    acceptance: NotRequired[list[Criterion]]  # What completion needs.
    taskProfile: NotRequired[TaskProfile]  # The capabilities it needs from a model.
    retryPolicy: NotRequired[RetryPolicy]  # The effect of a failure.
    start: NotRequired[bool]  # Start it at once.
    create: NotRequired[CreatePolicy]  # Whether a missing session is created.
    cwd: NotRequired[str]  # Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one.
    metadata: NotRequired[Any]  # The caller's own notes.
    labels: NotRequired[list[str]]  # Labels by which it is found, key=value.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class CreateTokenArgs(TypedDict):
    name: str  # The principal: letters, digits, . _ - @; not owner, runtime or device:….
    scopes: list[str]  # read, write, approve, admin. admin needs sessions all.
    sessions: NotRequired[SessionReach]  # Which sessions exist for it; default own.
    tenant: NotRequired[str]  # The tenant it belongs to: letters, digits, . _ - @; default: none.
    directories: NotRequired[list[str]]  # Absolute paths; its work may run there and below. Default: see the record.
    expiresAt: NotRequired[str]  # When it ends, as an RFC 3339 time; default: never.


class DeleteScheduleArgs(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class DeleteSessionArgs(TypedDict):
    sessionId: Id  # The session.
    reason: NotRequired[str]  # Why; part of the event that stays.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class DrainNodeArgs(TypedDict):
    name: str  # Its name.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class EditFilesArgs(TypedDict):
    sessionId: Id  # The session.
    patch: NotRequired[str]  # A unified diff, or a patch as the tool apply_patch takes it. Lines that do not match refuse it.
    files: NotRequired[list[EditedFile]]  # Whole files, also binary ones and permission bits, in the place of a patch.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class EraseEventArgs(TypedDict):
    sessionId: Id  # The session.
    eventSequence: int  # The event.
    reason: str  # The legal basis or the requester.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class EvaluatePermissionArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread it is about.
    turnId: NotRequired[Id]  # The turn it is about.
    toolCallId: NotRequired[Id]  # The call it is about.
    processId: NotRequired[Id]  # The process it is about.
    subject: DecisionSubject  # What kind of object it is about.
    toolName: NotRequired[str]  # The tool.
    input: NotRequired[Any]  # Its input.
    record: NotRequired[bool]  # Whether the event is written; default true.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExpandCommandArgs(TypedDict):
    cwd: NotRequired[str]  # A directory of the project; default: the runtime's directory.
    name: str  # Its name, without the slash; SERVER:PROMPT for a prompt of a tool server.
    kind: NotRequired[ExtensionKind]  # command, if absent, or skill: the text of a skill.
    arguments: NotRequired[str]  # What was typed behind it.


class ExplainThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the main one.


class ExportBenchmarkTrialArgs(TypedDict):
    sessionId: Id  # The session.
    trialId: Id  # The trial; it must have ended.
    refs: NotRequired[dict[str, Any]]  # Files that the caller exported, such as trajectoryRef and artifactManifestRef.
    trajectory: NotRequired[Trajectory]  # The trajectory that the caller exported.
    p0QcGateRegressionCount: NotRequired[int]  # P0 gates with worse results, as the quality owner reports them.
    promotionEligible: NotRequired[bool]  # The quality owner's word; the runtime has none.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportEvidenceArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    jobId: NotRequired[Id]  # Only this job.
    format: NotRequired[str]  # The requested format: pack, the default.
    redact: NotRequired[EvidenceRedaction]  # What is removed: rules (the default; secrets only), content (all text), all (every body).
    maxBytes: NotRequired[int]  # Bytes of stored outputs that are included; larger ones are named by their hash.
    decisions: NotRequired[bool]  # Add what each decision was given, so that the decisions can be made again from the pack. It is as stored, without redaction, and holds balances of the installation: needs scope admin, a whole session, and redact rules.
    timestampUrl: NotRequired[str]  # Address of a time stamp authority (RFC 3161); its token becomes part of the pack. Needs scope admin.
    unsigned: NotRequired[bool]  # Write a pack without a signature, although there is a signing key or its file is missing.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportReplayArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    jobId: NotRequired[Id]  # Only this job.
    format: NotRequired[str]  # The requested format: replay, the default.
    redact: NotRequired[EvidenceRedaction]  # What is removed: rules (the default; secrets only) or content (all text).
    unsigned: NotRequired[bool]  # Write a pack without a signature, although there is a signing key or its file is missing.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ExportReviewArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Only this thread.
    turnId: NotRequired[Id]  # Only this turn.
    taskId: NotRequired[Id]  # Only this task.
    jobId: NotRequired[Id]  # Only this job.
    format: NotRequired[str]  # The requested format: review, the default.
    redact: NotRequired[EvidenceRedaction]  # What is removed: rules (the default; secrets only) or content (all text).
    unsigned: NotRequired[bool]  # Write a pack without a signature, although there is a signing key or its file is missing.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class FailTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: NotRequired[Id]  # The run that failed.
    error: LastError  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ForkThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread to fork; default: the session's main thread.
    turnId: NotRequired[Id]  # Last turn to inherit; default: the latest.
    sequence: NotRequired[int]  # Last event to inherit: turns that ended by then.
    into: NotRequired[str]  # thread, the only one that is offered: the same session.
    newThreadId: NotRequired[Id]  # Id for the new thread, chosen by the caller.
    title: NotRequired[str]  # A short name.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


GetArtifactCheckpointSummaryArgs = TypedDict("GetArtifactCheckpointSummaryArgs", {
    "sessionId": "Id",  # The session.
    "as": "NotRequired[EventForm]",  # agent_artifact: add the artifacts as Agent Artifact envelopes.
})


class GetBenchmarkMatrixArgs(TypedDict):
    datasetId: NotRequired[str]  # The dataset; default: that of the newest trial.
    datasetVersion: NotRequired[str]  # Its version; default: that of the dataset's newest trial.
    limit: NotRequired[int]  # Maximum cells; 500 if absent, at most 2,000.


class GetBenchmarkSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetCapabilitiesArgs(TypedDict):
    pass


class GetContextBoundaryArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the main one.


class GetEvidenceSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetExecutionEnvironmentArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread.
    turnId: NotRequired[Id]  # The turn; default: the latest.


class GetJobArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.


class GetOutputArgs(TypedDict):
    outputRef: Id  # The output.
    sessionId: NotRequired[Id]  # The session it belongs to.
    offset: NotRequired[int]  # First byte; a negative number counts from the end.
    length: NotRequired[int]  # Number of bytes.


class GetPermissionSandboxSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetRoutingLimitSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetSessionArgs(TypedDict):
    sessionId: Id  # The session.
    window: NotRequired[int]  # Turns of history to show.
    sections: NotRequired[list[str]]  # Only these parts.
    cursor: NotRequired[str]  # historyWindow.cursor of the previous page: the next older turns, as `history`, newest first, without other parts that were not requested.


class GetSubagentJobSummaryArgs(TypedDict):
    sessionId: Id  # The session.


class GetTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.


class GetThreadReadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the main one.
    window: NotRequired[int]  # Turns of history to show.


class GetTimeUseArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # Rows of turns of this thread only; the sum is that of the session.
    limit: NotRequired[int]  # Maximum turns, the newest; 100 if absent, at most 1,000.


GetToolInventoryArgs = TypedDict("GetToolInventoryArgs", {
    "sessionId": "Id",  # The session.
    "threadId": "NotRequired[Id]",  # The thread.
    "mode": "NotRequired[PermissionMode]",  # Evaluate as if this mode applied.
    "caller": "NotRequired[Id]",  # Who would call: a child agent or a task of the session; what its limits forbid is denied.
    "as": "NotRequired[EventForm]",  # agent_tool: add the tools as Agent Tool records.
})


class GetUsageArgs(TypedDict):
    since: NotRequired[Time]  # From the hour that holds this moment; a week before `until` if absent.
    until: NotRequired[Time]  # Up to this moment; now if absent.
    by: NotRequired[UsageGroup]  # What a row stands for; day if absent.
    sessionId: NotRequired[Id]  # Only of this session.
    limit: NotRequired[int]  # Maximum rows; 200 if absent, at most 1,000.


class HeartbeatJobItemArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be inactive.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class HeartbeatTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: Id  # The run.
    workerId: str  # The worker's own name.
    leaseMs: NotRequired[int]  # How long it may be inactive.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ImportSessionArgs(TypedDict):
    sessionId: Id  # The session; created if it does not exist.
    origin: ImportOrigin  # The file that the turns were read from.
    title: NotRequired[str]  # A short name of a new session.
    cwd: NotRequired[str]  # Directory of a new session; it need not exist any more.
    labels: NotRequired[list[str]]  # Labels of a new session, key=value.
    firstTurn: int  # Number of the first of these turns in the file, from 0.
    turns: list[ImportTurn]  # Consecutive turns. Those that were imported before are skipped.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class InterruptTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    turnId: NotRequired[Id]  # The turn; default: the active one.
    reason: NotRequired[str]  # Why. Four words are known: user (the default), timeout (a time limit of the client), client (the client program, not a person) and client_ended (the client program ends); the model and the turn's end name them. Other text is a person's own.
    queuePolicy: NotRequired[QueuePolicy]  # What happens to the queue.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    onBehalfOf: NotRequired[str]  # The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class LeaveSessionArgs(TypedDict):
    sessionId: Id  # The session.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class LendKeysArgs(TypedDict):
    keys: dict[str, Any]  # The key by the name of its environment variable (keyVariables of list_providers).


class LinkTasksArgs(TypedDict):
    sessionId: Id  # The session.
    fromTaskId: Id  # The task the edge starts at.
    toTaskId: NotRequired[Id]  # The task it points to.
    targetId: NotRequired[Id]  # The other object it points to.
    relationship: EdgeKind  # What the edge says.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ListActionsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    threadId: NotRequired[Id]  # Only of this thread.
    status: NotRequired[ActionStatus]  # Only with this status; default pending.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListBenchmarkTrialsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    trialId: NotRequired[Id]  # Only this trial.
    status: NotRequired[Status]  # Only with this status: running, completed or failed.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListChannelsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    peerRole: NotRequired[PeerRole]  # Only in this role.
    connected: NotRequired[bool]  # true: only those that are connected; false: only those that were.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListDevicesArgs(TypedDict):
    pass


ListEventsArgs = TypedDict("ListEventsArgs", {
    "sessionId": "NotRequired[Id]",  # Only of this session; default: all that the caller may read.
    "after": "NotRequired[int]",  # Events after this sequence; needs a session.
    "before": "NotRequired[int]",  # The newest events before this sequence, oldest first; needs a session. firstSequence of a page is `before` of the next older one.
    "cursor": "NotRequired[str]",  # Events after this cursor, across sessions.
    "types": "NotRequired[list[str]]",  # Only these classes; tool.* means a family.
    "threadId": "NotRequired[Id]",  # Only of this thread.
    "turnId": "NotRequired[Id]",  # Only of this turn.
    "limit": "NotRequired[int]",  # Maximum events of one page.
    "as": "NotRequired[EventForm]",  # Export format; default: as stored.
})


class ListExtensionsArgs(TypedDict):
    cwd: NotRequired[str]  # A directory of the project; default: the runtime's directory.
    kind: NotRequired[ExtensionKind]  # Only these.
    texts: NotRequired[bool]  # Also the texts of what is not trusted, from the read that contentHash is computed of: a person who trusts that hash trusts these texts.


class ListGrantsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Those of this session; default: those with a wider scope.
    scope: NotRequired[GrantScope]  # Only with this scope.


class ListHooksArgs(TypedDict):
    cwd: NotRequired[str]  # The directory of the .thole/hooks.json; default: the runtime's directory.


class ListIssuersArgs(TypedDict):
    check: NotRequired[bool]  # true: begin to fetch keys that are not known, at most once a minute; the status is then fetching.


class ListJobItemsArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    status: NotRequired[JobItemStatus]  # Only with this status.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListJobsArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[JobStatus]  # Only with this status.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListModelsArgs(TypedDict):
    provider: NotRequired[str]  # Only of this provider.
    refresh: NotRequired[ListRefresh]  # Look for model servers on this machine first, and ask providers for their lists: missing, those whose list is not known yet; all, every one; test, to see whether their keys are accepted.
    sessionId: NotRequired[Id]  # As the turns of this session see them; default: as those of the caller.


class ListNodesArgs(TypedDict):
    withEnded: NotRequired[bool]  # true: also those that ended or died during the last day.


class ListPeersArgs(TypedDict):
    name: NotRequired[str]  # Only this one.
    check: NotRequired[bool]  # true: read their cards now; the reply waits for them.


class ListProcessesArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[ProcessStatus]  # Only with this status.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListProvidersArgs(TypedDict):
    pass


class ListQueueArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.


class ListRulesArgs(TypedDict):
    sessionId: NotRequired[Id]  # Include those of this session; default: those of the settings.


class ListSchedulesArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    status: NotRequired[ScheduleStatus]  # Only with this status.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListSessionsArgs(TypedDict):
    workspaceId: NotRequired[str]  # Only of this workspace.
    status: NotRequired[ThreadStatus]  # Only with a thread in this state.
    archived: NotRequired[bool]  # true: only archived ones; false: only the others; absent: both.
    labels: NotRequired[list[str]]  # Only with all of these labels: key=value, or key for any value.
    system: NotRequired[bool]  # Include the runtime's own.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListSigningKeysArgs(TypedDict):
    pass


class ListSubagentsArgs(TypedDict):
    sessionId: Id  # The session.
    parentThreadId: NotRequired[Id]  # Only below this thread.
    descendants: NotRequired[bool]  # Include children of children.
    status: NotRequired[SubagentStatus]  # Only with this status.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListTasksArgs(TypedDict):
    sessionId: NotRequired[Id]  # Only of this session.
    threadId: NotRequired[Id]  # Only of this thread.
    parentTaskId: NotRequired[Id]  # Only children of this task.
    status: NotRequired[TaskStatus]  # Only with this status.
    visibility: NotRequired[Visibility]  # Only with this visibility; absent: all, including those of plain turns (internal).
    worker: NotRequired[WorkerKind]  # Only those whose last attempt such a worker has or had.
    open: NotRequired[bool]  # true: only those that have not ended.
    labels: NotRequired[list[str]]  # Only with all of these labels: key=value, or key for any value.
    limit: NotRequired[int]  # Maximum rows of one page.
    cursor: NotRequired[str]  # Where the last page ended.


class ListThreadsArgs(TypedDict):
    sessionId: Id  # The session.
    kind: NotRequired[ThreadKind]  # Only of this kind.
    status: NotRequired[ThreadStatus]  # Only with this status.


class ListTokensArgs(TypedDict):
    pass


class ListToolServersArgs(TypedDict):
    cwd: NotRequired[str]  # A directory whose .mcp.json is read too, although no session works there; its trusted servers start.


class ListToolsArgs(TypedDict):
    names: NotRequired[list[str]]  # Only these; mcp__SERVER__* stands for all tools of a server. Default: all.


class ListTriggersArgs(TypedDict):
    pass


class LoginToolServerArgs(TypedDict):
    server: str  # Its name.
    cwd: NotRequired[str]  # The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name.
    redirectUrl: NotRequired[str]  # The address that the browser was redirected to at the end; it belongs to the login that was begun last.


class LogoutToolServerArgs(TypedDict):
    server: str  # Its name.
    cwd: NotRequired[str]  # The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name.


class MoveQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the one on which the turn waits.
    queuedTurnId: Id  # The waiting turn.
    position: int  # The new position, from 1.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class OfferFileTextArgs(TypedDict):
    sessionId: Id  # The session.
    toolCallId: Id  # The call.
    path: str  # The path as in the arguments of the call.
    text: NotRequired[str]  # The text; absent: the file is read from disk.


class OpenConsoleArgs(TypedDict):
    pass


class PairDeviceArgs(TypedDict):
    url: str  # The address by which the device reaches this runtime: https://name[:port], or plain http:// on loopback and with lan.
    name: NotRequired[str]  # Its name: letters, digits, . _ -; default phone.
    lan: NotRequired[bool]  # Allow plain HTTP on the local network; such a device can only read and decide.


class PauseScheduleArgs(TypedDict):
    sessionId: Id  # The session.
    scheduleId: Id  # The schedule.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class PauseTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    reason: NotRequired[str]  # Why.
    propagation: NotRequired[Propagation]  # What else is paused: children pauses every open task below it.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class PromoteQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the one on which the turn waits.
    queuedTurnId: Id  # The waiting turn.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RebuildSessionArgs(TypedDict):
    sessionId: Id  # The session.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ReconnectChannelArgs(TypedDict):
    channelId: Id  # The channel; a new one is enrolled if it is unknown.
    sessionId: NotRequired[Id]  # The session it belongs to.
    lastAckedSequence: NotRequired[int]  # Last acknowledged event.
    resumeToken: NotRequired[str]  # The token it got.
    transport: NotRequired[Transport]  # Its current transport.
    peerRole: NotRequired[PeerRole]  # Its role.
    capabilities: NotRequired[list[str]]  # What it can do.
    nativeProtocol: NotRequired[str]  # Its protocol.
    follow: NotRequired[bool]  # false: no events follow the reply on this connection.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RecordBenchmarkRewardArgs(TypedDict):
    sessionId: Id  # The session.
    trialId: Id  # The trial; it must have ended.
    reward: NotRequired[Reward]  # The score, if there is no file; if there is one, value must be the file's.
    file: NotRequired[str]  # The text of reward.txt or reward.json. Its value is read, and its bytes are stored with their hash.
    key: NotRequired[str]  # Which number of a reward.json with several; default: reward.
    details: NotRequired[str]  # The text that explains the score; it is stored.
    detailsKind: NotRequired[RewardDetails]  # What that text is; default: reward_details.
    verifierStatus: NotRequired[str]  # How the verifier ended.
    verifierRef: NotRequired[str]  # Which verifier, best with its hash; trials of different verifiers are not compared.
    separateVerifier: NotRequired[bool]  # The verifier ran apart from the trial, without its files.
    trajectoryTransferred: NotRequired[bool]  # A separate verifier was given the trajectory as a declared artifact.
    oracleSanity: NotRequired[str]  # Whether the known good answer passes.
    drift: NotRequired[str]  # Whether the verifier changed.
    refs: NotRequired[dict[str, Any]]  # Files of the trial, such as rewardRef and harborTrialResultRef; they are recorded as they are.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RecordEvidenceArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread that it is about.
    turnId: NotRequired[Id]  # The turn that it is about.
    taskId: NotRequired[Id]  # The task that it is about.
    kind: EvidenceRecord  # What it is.
    name: NotRequired[str]  # What was checked or reviewed.
    outcome: NotRequired[str]  # The result in the verifier's word; required unless it is a note.
    verifierRef: NotRequired[str]  # Who reported it; required unless it is a note.
    note: NotRequired[str]  # Text for people; required for a note.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RemoveQueuedTurnArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the one on which the turn waits.
    queuedTurnId: Id  # The waiting turn.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ReplayDecisionsArgs(TypedDict):
    sessionId: Id  # The session.
    rules: NotRequired[Any]  # Permission rules instead of those that were in force, as in a rules file: what would they have decided?
    settings: NotRequired[Any]  # Settings that replace the recorded ones, as in a configuration file: caps, routing, prices and others that decide; another key is refused.


class ReplaySessionArgs(TypedDict):
    sessionId: Id  # The session.


class ReportDelegationArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    runId: Id  # The run that the remote agent has.
    state: PeerState  # The state of the remote task.
    remoteTask: NotRequired[RemoteTask]  # The remote task; absent: the agent has named none yet.
    message: NotRequired[str]  # What the agent said.
    artifact: NotRequired[PeerArtifact]  # An artifact that has arrived completely.
    reason: NotRequired[str]  # Why, with the states unavailable, undelivered and missing.
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
    decision: NotRequired[ApprovalDecision]  # The answer; absent if a record contains it.
    record: NotRequired[Any]  # An Agent Policy record that gives the answer: a decision, an approval, a grant or a waiver.
    decisionSource: NotRequired[DecisionSource]  # Who decided.
    reason: NotRequired[str]  # Why.
    ruleRefs: NotRequired[list[str]]  # Rules it depends on.
    scope: NotRequired[GrantScope]  # Its scope.
    expiresAt: NotRequired[Time]  # When it ends.
    input: NotRequired[Any]  # Edited input.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RespondActionArgs(TypedDict):
    sessionId: Id  # The session.
    actionId: Id  # The action.
    decision: ApprovalDecision  # The answer.
    scope: NotRequired[GrantScope]  # Its scope; default once.
    reason: NotRequired[str]  # Why.
    input: NotRequired[Any]  # Edited input, if the action accepts it.
    payload: NotRequired[Any]  # The structured answer, if the action asks for one; omitted members get the defaults of the action's schema.
    expiresAt: NotRequired[Time]  # When a wider grant ends.
    onBehalfOf: NotRequired[str]  # The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights.
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
    propagation: NotRequired[Propagation]  # What else is resumed: children resumes every paused task below it.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class ResumeThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    turnId: NotRequired[Id]  # The turn to continue.
    resumeToken: NotRequired[str]  # Token of the wait (thread.wait.resumeToken): refused if something else waits to be resumed now.
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
    input: NotRequired[Any]  # The agent's instructions this time.
    worker: NotRequired[Worker]  # Who works on it this time.
    propagation: NotRequired[Propagation]  # What else is retried: children retries every task below it that failed, timed out, was lost or cancelled.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RevokeDeviceArgs(TypedDict):
    deviceId: Id  # The device.
    idempotencyKey: NotRequired[str]  # Not needed: a device is revoked once.


class RevokeGrantArgs(TypedDict):
    sessionId: NotRequired[Id]  # Session of the grant; absent for a wider one.
    grantId: Id  # The grant.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RevokeTokenArgs(TypedDict):
    name: str  # Its name.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RollbackThreadArgs(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    toTurnId: NotRequired[Id]  # Last remaining turn.
    toSequence: NotRequired[int]  # Last remaining event.
    interrupt: NotRequired[bool]  # Interrupt a running turn first.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class RotateTokenArgs(TypedDict):
    pass


class SendSubagentInputArgs(TypedDict):
    sessionId: Id  # The session.
    subagentId: Id  # The child agent.
    input: Any  # A string or an array of parts.
    delivery: NotRequired[Delivery]  # What to do if the child is busy.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SetModeArgs(TypedDict):
    sessionId: Id  # The session.
    mode: PermissionMode  # The new mode.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SetPolicyArgs(TypedDict):
    sessionId: Id  # The session.
    scope: NotRequired[GrantScope]  # The scope of the rules: session, which is the default. Wider rules belong in the settings.
    rules: Any  # The rules: a list, or {"rules": [...]}.
    replace: NotRequired[bool]  # Replace the existing ones instead of adding.
    reason: NotRequired[str]  # Why.
    expectedVersion: NotRequired[int]  # Refuse if the rules changed since.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SetToolServerArgs(TypedDict):
    sessionId: Id  # The session.
    server: str  # Its name, as in list_tool_servers; one that is not there yet is off when it comes.
    enabled: bool  # False switches it off. True ends that; it starts no server and trusts none.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SpawnSubagentArgs(TypedDict):
    sessionId: Id  # The session.
    parentThreadId: Id  # The thread on which it is created.
    parentTurnId: NotRequired[Id]  # The turn in which it is created.
    parentTaskId: NotRequired[Id]  # The task it is created for.
    subagentId: NotRequired[Id]  # Id chosen by the caller.
    role: str  # What it is for.
    nickname: NotRequired[str]  # Display name.
    agent: NotRequired[str]  # An agent as a Markdown file: its prompt, its model and the tools of its list apply. The thread knows those of its last turn.
    input: NotRequired[Any]  # What it is sent first.
    isolation: NotRequired[Isolation]  # What it may see and change.
    modelPolicy: NotRequired[ModelPolicy]  # Whether it uses the parent's model.
    model: NotRequired[str]  # Its own model.
    budgetUsd: NotRequired[float]  # Maximum cost.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartBenchmarkTrialArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; default: a new one.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    turnId: NotRequired[Id]  # Id chosen by the caller.
    benchmark: Benchmark  # Dataset, task, trial and configuration; datasetId, datasetVersion, taskId, trialId and configurationId are required.
    dataset: NotRequired[TrialDataset]  # More about the dataset.
    profiles: NotRequired[TrialProfiles]  # More about the configuration; the runtime adds its version, the model and a hash of its settings.
    input: Any  # The agent's instructions, as in submit_turn.
    attempt: NotRequired[int]  # Which attempt, from 1.
    timeoutSec: NotRequired[int]  # Timeout: the turn is stopped then.
    budgetUsd: NotRequired[float]  # Maximum cost of the turn.
    model: NotRequired[str]  # The model.
    fallback: NotRequired[FallbackPolicy]  # Whether another model may be used; deny fixes the choice.
    effort: NotRequired[Effort]  # How much the model thinks.
    cwd: NotRequired[str]  # Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one.
    mode: NotRequired[PermissionMode]  # Permission mode of a new session, for callers with the scope admin.
    create: NotRequired[CreatePolicy]  # Whether a missing session or thread is created.
    title: NotRequired[str]  # Name of a new session.
    labels: NotRequired[list[str]]  # Labels of a new session, key=value.
    source: NotRequired[str]  # Where the input comes from.
    refs: NotRequired[dict[str, Any]]  # Files of the benchmark, such as taskTomlRef; they are recorded as they are.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartJobArgs(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class StartTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    threadId: NotRequired[Id]  # The thread to run on.
    worker: NotRequired[Worker]  # Who works on it: the built-in agent, an external worker, or a remote agent ({"kind":"peer","ref":NAME}) of agents.remote.
    input: NotRequired[Any]  # The agent's instructions; default: the objective.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class SubmitTurnArgs(TypedDict):
    sessionId: NotRequired[Id]  # The session; default: a new one.
    threadId: NotRequired[Id]  # The thread; default: the session's main thread.
    turnId: NotRequired[Id]  # Id chosen by the caller; the same id again is the same turn.
    input: Any  # A string, or an array of parts: {"type":"text","text":"..."}; images, {"type":"image","mediaType":"image/png","data":"base64"} or with the ref of a stored output (for one of upload_output also its bytes and sha256); files, {"type":"file","name":"a.txt","text":"..."} (or data in base64), or {"type":"file","path":"src/a.c"} of the workspace; resources, {"type":"resource","uri":"...","text":"..."}, and links to them, {"type":"resource_link","uri":"..."}. Files that are not text are refused.
    delivery: NotRequired[Delivery]  # What to do if the thread is busy.
    create: NotRequired[CreatePolicy]  # Whether a missing session or thread is created.
    expectedTurnId: NotRequired[Id]  # Refuse if another turn is active.
    title: NotRequired[str]  # Name of a new session.
    model: NotRequired[str]  # Model requested by the caller.
    fallback: NotRequired[FallbackPolicy]  # Whether another model may be used; deny fixes the choice.
    taskKind: NotRequired[str]  # Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another.
    requires: NotRequired[list[str]]  # Capabilities that the model must have, such as vision.
    latency: NotRequired[LatencyTarget]  # How long people are expected to wait.
    effort: NotRequired[Effort]  # How much the model thinks; a word that it does not accept becomes the nearest one. Default: the setting model.effort.
    budgetUsd: NotRequired[float]  # Maximum cost of the turn.
    metadata: NotRequired[Any]  # The caller's own notes.
    labels: NotRequired[list[str]]  # Labels of a new session, key=value; update_session changes those of an existing one.
    source: NotRequired[str]  # Where the input comes from.
    delegationDepth: NotRequired[int]  # How many delegations from agent to agent have led to this turn; further ones are counted from here.
    onBehalfOf: NotRequired[str]  # The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.
    workspaceId: NotRequired[str]  # Workspace of a new session.
    cwd: NotRequired[str]  # Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one.
    placement: NotRequired[PlacementChoice]  # What the node of a new session needs, if several share the store.
    mode: NotRequired[PermissionMode]  # Permission mode of a new session, for callers with the scope admin; set_mode changes that of an existing one.
    outputSchema: NotRequired[Any]  # Schema that the final answer must satisfy.
    background: NotRequired[bool]  # true: the work is a separate task on its own thread, which can be retried, paused and delegated; text only.
    options: NotRequired[SubmitOptions]  # The same choices as one object; a choice that is given twice must be the same.
    context: NotRequired[list[ContextRef]]  # Additional context for the model: memory, knowledge, skills, files.
    tools: NotRequired[list[ClientTool]]  # Tools that the caller runs: the model calls them, the turn waits, and complete_tool_call gives the result. They belong to this turn.
    call: NotRequired[ToolRequest]  # Call this tool and nothing else: the turn has no model, and its end is that of the call. Permissions, sandbox, hooks and approvals apply as to a call by a model. input says in words what is called. Not with options for models, tools, context, background or delivery steer.


SubscribeEventsArgs = TypedDict("SubscribeEventsArgs", {
    "threadId": "NotRequired[Id]",  # Only events of this thread.
    "turnId": "NotRequired[Id]",  # Only events of this turn.
    "follow": "NotRequired[bool]",  # Continue with new events; default true.
    "sessionId": "NotRequired[Id]",  # Only of this session.
    "after": "NotRequired[int]",  # Start after this sequence.
    "cursor": "NotRequired[str]",  # Start after this cursor, across sessions; end: only new events.
    "types": "NotRequired[list[str]]",  # Only these classes; tool.* means a family.
    "channelId": "NotRequired[Id]",  # This connection's channel: without `after` and `cursor` events start after the last acknowledged one.
    "as": "NotRequired[EventForm]",  # Export format; default: as stored.
})


class TerminateProcessArgs(TypedDict):
    sessionId: Id  # The session.
    processId: Id  # The process.
    reason: NotRequired[str]  # Why.
    graceMs: NotRequired[int]  # Grace period before it is killed.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrimLogArgs(TypedDict):
    sessionId: Id  # The session.
    through: NotRequired[int]  # The last event to remove.
    keep: NotRequired[int]  # Alternatively, the number of newest events that stay.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrustExtensionsArgs(TypedDict):
    contentHash: str  # The hash that was reviewed; another one is refused.
    cwd: NotRequired[str]  # A directory of the project; default: the runtime's directory.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrustHooksArgs(TypedDict):
    contentHash: str  # The hash that was reviewed; another one is refused.
    cwd: NotRequired[str]  # The directory of the file; default: the runtime's directory.
    ref: NotRequired[str]  # One hook, of the settings or of the project: contentHash is its programHash.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class TrustToolServerArgs(TypedDict):
    server: str  # Its name.
    cwd: NotRequired[str]  # The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name.
    contentHash: NotRequired[str]  # The hash that was reviewed; another one is refused.
    reason: NotRequired[str]  # Why.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UnlinkTasksArgs(TypedDict):
    sessionId: Id  # The session.
    fromTaskId: Id  # The task the edge starts at.
    toTaskId: NotRequired[Id]  # The task it points to.
    targetId: NotRequired[Id]  # The other object it points to.
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
    budgetUsd: NotRequired[float]  # The new cap on the cost of the session.
    pinnedThreadIds: NotRequired[list[Id]]  # Threads that are pinned from now on.
    archived: NotRequired[bool]  # Whether it is archived.
    metadata: NotRequired[Any]  # The new notes.
    labels: NotRequired[list[str]]  # All of its labels from now on, key=value; an empty list removes them.
    placement: NotRequired[PlacementChoice]  # Where its directory is from now on: the node or the workspace must have the same files at the same path.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UpdateTaskArgs(TypedDict):
    sessionId: Id  # The session.
    taskId: Id  # The task.
    title: NotRequired[str]  # The new name.
    objective: NotRequired[str]  # The new objective.
    priority: NotRequired[str]  # The new hint.
    assignee: NotRequired[Actor]  # Who works on it now.
    visibility: NotRequired[Visibility]  # Who sees it now.
    constraints: NotRequired[Constraints]  # The new limits.
    acceptance: NotRequired[list[Criterion]]  # The new criteria.
    metadata: NotRequired[Any]  # The new notes.
    labels: NotRequired[list[str]]  # All of its labels from now on, key=value; an empty list removes them.
    expectedVersion: NotRequired[int]  # Refuse if the task changed since that event.
    idempotencyKey: NotRequired[str]  # The same key with the same body is the same command.


class UploadOutputArgs(TypedDict):
    outputRef: NotRequired[Id]  # Of the first reply; absent for the first piece.
    mediaType: NotRequired[str]  # For the first piece: image/png, image/jpeg, image/gif or image/webp.
    offset: NotRequired[int]  # Where the piece begins; default 0. A piece that was sent before changes nothing.
    data: str  # The piece in base64.
    last: NotRequired[bool]  # No piece follows.


class VerifyCheckpointArgs(TypedDict):
    checkpoint: str  # The signed note.
    publicKeys: NotRequired[str]  # Keys that may have signed it, in PEM or as verifier keys; default: those that sess_system records.


class VerifyLogArgs(TypedDict):
    sessionId: Id  # Only this session.


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


AccessTokenState: TypeAlias = Literal["active", "revoked"]


ActionStatus: TypeAlias = Literal["pending", "resolved", "timed_out", "cancelled"]


ActionType: TypeAlias = Literal["tool_permission", "structured_input", "credential", "plan", "escalation", "sampling"]


ActorKind: TypeAlias = Literal["user", "runtime", "agent", "worker", "channel", "peer", "hook", "policy", "workflow", "system"]


AgentArtifactClass: TypeAlias = Literal["artifact.created", "artifact.updated", "artifact.deleted", "artifact.version.created"]


AgentContextClass: TypeAlias = Literal["context.assembled", "context.compacted"]


AgentEvidenceClass: TypeAlias = Literal["evidence.pack.created", "evidence.replay.created", "evidence.export.created", "evidence.verification.completed", "evidence.review.completed"]


AgentToolClass: TypeAlias = Literal["tool.surface.resolved", "tool.invocation.created", "tool.permission.decided", "tool.progress.updated", "tool.result.created", "tool.result.persisted"]


ApprovalDecision: TypeAlias = Literal["allow", "deny", "ask", "sandboxed", "unavailable", "answer", "decline", "cancel"]


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


DecisionKind: TypeAlias = Literal["allow_or_deny", "answer_or_decline", "provide_or_decline", "approve_or_revise"]


DecisionSource: TypeAlias = Literal["rule", "mode", "hook", "classifier", "human", "host_policy", "sandbox_override", "tool_contract"]


DecisionSubject: TypeAlias = Literal["tool", "process", "action", "peer_task"]


Delivery: TypeAlias = Literal["queue", "steer", "interrupt", "reject", "immediate"]


DeliveryMechanism: TypeAlias = Literal["polling", "streaming", "subscription", "push", "custom"]


DeliveryStatus: TypeAlias = Literal["pending", "delivered", "queued", "failed", "parent_missing", "not_applicable"]


EdgeKind: TypeAlias = Literal["parent", "child", "blocks", "blocked_by", "source_task", "source_attempt", "spawned_subagent", "spawned_job", "assigned_thread", "produced_artifact", "consumed_artifact", "evidence"]


EdgeStatus: TypeAlias = Literal["active", "satisfied", "broken", "ended", "removed"]


Effort: TypeAlias = Literal["minimal", "low", "medium", "high", "xhigh", "max"]


Enforcement: TypeAlias = Literal["exact_or_fail", "best_effort"]


ErrorCategory: TypeAlias = Literal["auth", "invalid_request", "not_found", "context_length", "content_filter", "refusal", "rate_limited", "overloaded", "server_error", "network", "timeout", "protocol", "quota", "budget", "price_missing", "no_candidate", "max_steps", "invalid_input", "unknown_tool", "tool_failed", "permission", "hook_blocked", "hook_failed", "sandbox_denied", "sandbox_unavailable", "spawn_failed", "output_limit", "process_failed", "interrupted", "cancelled", "lost", "acceptance_unmet", "delivery_failed", "dependency_failed", "worker_lost", "unavailable", "verifier_error", "environment", "append_refused", "store_failed", "storage_full", "internal", "unknown", "missing_capability"]


ErrorCode: TypeAlias = Literal["invalid_request", "invalid_json", "unknown_field", "missing_field", "invalid_type", "invalid_value", "invalid_id", "reserved_id", "too_large", "directory_unusable", "invalid_decision", "invalid_answer", "invalid_input", "unknown_command", "unavailable", "unauthorized", "forbidden", "host_not_allowed", "origin_not_allowed", "method_not_allowed", "not_acceptable", "payload_too_large", "unsupported_media_type", "header_too_large", "not_trusted", "not_found", "session_not_found", "session_deleted", "thread_not_found", "turn_not_found", "queued_turn_not_found", "task_not_found", "action_not_found", "tool_call_not_found", "grant_not_found", "login_failed", "tool_server_not_found", "output_not_found", "process_not_found", "subagent_not_found", "job_not_found", "job_item_not_found", "schedule_not_found", "channel_not_found", "subscription_not_found", "node_not_found", "trial_not_found", "edge_not_found", "idempotency_conflict", "import_continued", "import_mismatch", "id_conflict", "already_resolved", "already_ended", "token_exists", "token_not_found", "signing_key_exists", "not_retryable", "not_resumable", "not_interruptible", "not_ready", "acceptance_unmet", "thread_busy", "session_active", "turn_active", "turn_mismatch", "compaction_active", "nothing_to_do", "version_mismatch", "stale_run", "cycle", "cross_session_link", "cancelling", "stdin_closed", "no_other_node", "placement_unmet", "trial_running", "trial_scored", "trial_mismatch", "expired_cursor", "output_missing", "expired", "range_not_satisfiable", "queue_full", "too_many_open", "rate_limited", "budget_exhausted", "issuer_unavailable", "too_many_bearers", "overloaded", "starting", "shutting_down", "node_unreachable", "node_refused", "node_call_invalid", "node_call_late", "node_call_repeated", "session_moved", "timeout", "signing_failed", "store_failed", "store_unavailable", "session_behind", "session_needs_newer", "upgrade_unfinished", "session_unreadable", "rebuilding", "storage_full", "internal"]


EventForm: TypeAlias = Literal["agent_ui", "agent_policy", "cloudevents", "agent_tool", "agent_context", "agent_artifact", "agent_evidence"]


EventType: TypeAlias = Literal["session.created", "session.updated", "thread.started", "thread.updated", "turn.submitted", "turn.started", "turn.completed", "turn.failed", "task.created", "task.accepted", "task.queued", "task.started", "task.updated", "task.progress", "task.waiting", "task.blocked", "task.paused", "task.resumed", "task.retrying", "task.cancel_requested", "task.cancelled", "task.timed_out", "task.failed", "task.lost", "task.completed", "task.archived", "run.status", "model.requested", "model.delta", "model.completed", "model.failed", "reasoning.delta", "reasoning.summary", "tool.catalog.resolved", "tool.started", "tool.args", "tool.progress", "tool.result", "tool.failed", "action.required", "action.resolved", "queue.changed", "context.resolved", "context.compaction.started", "context.compaction.completed", "context.compaction.failed", "artifact.changed", "evidence.changed", "subagent.spawned", "subagent.status", "subagent.input", "subagent.completed", "subagent.failed", "subagent.closed", "limit.changed", "snapshot.updated", "runtime.warning", "runtime.error", "permission.evaluated", "permission.requested", "permission.resolved", "sandbox.applied", "sandbox.violation", "hook.started", "hook.completed", "hook.failed", "policy.changed", "process.started", "process.output", "process.input", "process.completed", "process.failed", "process.terminated", "task.profile.resolved", "routing.candidates.resolved", "routing.decided", "routing.fallback.applied", "routing.not_possible", "routing.single_candidate", "task.delegated", "task.dependency.updated", "task.attempt.started", "task.attempt.completed", "task.attempt.failed", "cost.estimated", "cost.recorded", "rate_limit.hit", "quota.low", "quota.blocked", "channel.connected", "channel.disconnected", "channel.resumed", "channel.message", "channel.permission_forwarded", "channel.permission_returned", "job.created", "job.started", "job.progress", "job.item.started", "job.item.completed", "job.item.failed", "job.completed", "job.failed", "job.cancelled", "output.spilled", "output.truncated", "output.redacted", "output.expired", "history.window.loaded", "history.reconstructed", "history.rollback.started", "history.rollback.completed", "snapshot.repaired", "benchmark.dataset.resolved", "benchmark.configuration.resolved", "benchmark.trial.started", "benchmark.trial.completed", "benchmark.trial.failed", "benchmark.reward.recorded", "benchmark.comparison.completed"]


EvidenceRecord: TypeAlias = Literal["verification", "review", "note"]


EvidenceRedaction: TypeAlias = Literal["rules", "content", "all"]


EvidenceSignal: TypeAlias = Literal["exported", "not_applicable", "unsupported", "not_recorded", "missing_correlation", "unavailable"]


ExclusionReason: TypeAlias = Literal["credential_missing", "capability_missing", "quota_blocked", "rate_limited", "network_unavailable", "policy_denied", "budget_exceeded", "price_missing", "context_too_small", "disabled", "not_offered"]


Executed: TypeAlias = Literal["no", "yes", "partly", "unknown"]


ExtensionKind: TypeAlias = Literal["skill", "command", "agent"]


ExtensionSource: TypeAlias = Literal["user", "project", "tool_server"]


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


ImportItemKind: TypeAlias = Literal["text", "tool_call", "tool_result"]


ImportProgram: TypeAlias = Literal["claude", "codex"]


InterruptBehavior: TypeAlias = Literal["cancel", "wait", "detach"]


IssuerStatus: TypeAlias = Literal["unused", "ready", "fetching", "down"]


ItemKind: TypeAlias = Literal["user_message", "agent_message", "reasoning", "tool_call", "command", "file_change", "web_search", "todo", "error", "catalog", "compaction"]


JobItemStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "reported"]


JobStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "cancelled"]


KeyOrigin: TypeAlias = Literal["client_environment", "daemon_environment", "systemd_credential", "auth_file", "not_needed", "credentials_file", "metadata_server"]


LatencyTarget: TypeAlias = Literal["interactive", "background", "batch"]


LimitEventKind: TypeAlias = Literal["rate_limit_hit", "quota_low", "quota_blocked", "parallel_budget_reached"]


LimitKind: TypeAlias = Literal["budget", "rate", "quota", "parallel", "policy"]


LimitScope: TypeAlias = Literal["request", "turn", "session", "task", "day", "tenant", "provider", "job"]


LimitSource: TypeAlias = Literal["command", "config", "provider_headers", "provider", "host", "governor"]


LimitStatus: TypeAlias = Literal["ok", "low", "limited", "blocked", "unknown", "unavailable", "not_applicable"]


ListRefresh: TypeAlias = Literal["missing", "all", "test"]


Liveness: TypeAlias = Literal["gone", "alive", "unknown"]


MissedPolicy: TypeAlias = Literal["skip", "once", "all"]


MissingReason: TypeAlias = Literal["not_found", "denied", "too_large", "unreadable", "expired", "omitted_by_budget", "import_cycle", "import_depth"]


ModelPolicy: TypeAlias = Literal["inherit", "override"]


NetworkMode: TypeAlias = Literal["off", "restricted", "full"]


NodeState: TypeAlias = Literal["lives", "leaving", "ended", "dead"]


OnBusy: TypeAlias = Literal["queue", "steer", "interrupt", "reject"]


OutputOwner: TypeAlias = Literal["tool", "process", "hook", "model", "artifact", "evidence", "turn", "runtime"]


OverlapPolicy: TypeAlias = Literal["skip", "queue", "cancel"]


PeerRole: TypeAlias = Literal["client", "host", "worker", "remote_runtime", "peer_agent", "tool_server"]


PeerState: TypeAlias = Literal["working", "idle", "asks_input", "asks_login", "card_changed", "undelivered", "missing", "unavailable", "ended"]


PeerStatus: TypeAlias = Literal["unread", "ready", "card_changed", "down"]


PermissionMode: TypeAlias = Literal["default", "untrusted", "on_request", "on_failure", "never", "plan", "bypass", "auto"]


Phase: TypeAlias = Literal["preparing", "planning", "working", "streaming", "verifying", "delivering", "waiting", "retrying", "cancelling", "recovering", "compacting", "draining"]


PolicyEvent: TypeAlias = Literal["policy.decision.created", "policy.decision.updated", "policy.approval.requested", "policy.approval.responded", "policy.grant.issued", "policy.grant.revoked", "policy.waiver.created", "policy.trace.linked"]


PolicyRecordKind: TypeAlias = Literal["decision", "approval", "grant", "waiver"]


PolicyResult: TypeAlias = Literal["allow", "deny", "ask", "defer", "escalate", "waive", "not_applicable", "indeterminate"]


PolicySource: TypeAlias = Literal["human", "command", "config", "host", "hook", "runtime"]


PriceSource: TypeAlias = Literal["table", "script", "config", "catalog", "provider"]


ProblemCategory: TypeAlias = Literal["request", "auth", "not_found", "conflict", "limit", "capacity", "store", "internal"]


ProcessStatus: TypeAlias = Literal["idle", "running", "exited", "failed", "lost"]


ProofFinding: TypeAlias = Literal["signature_missing", "signature_malformed", "signature_invalid", "signature_expired", "signature_future", "signature_unchecked", "key_foreign", "statement_differs", "checkpoint_malformed", "checkpoint_missing", "checkpoint_differs", "checkpoint_other_tree", "tree_cut", "tree_rewritten", "session_cut", "session_rewritten", "session_removed", "timestamp_malformed", "timestamp_differs"]


Propagation: TypeAlias = Literal["self", "children", "processes", "children_and_processes"]


QueuePolicy: TypeAlias = Literal["keep", "clear", "continue"]


RecoveryMode: TypeAlias = Literal["none", "restart", "compaction", "rollback", "truncation", "retention", "repair", "gap"]


Redaction: TypeAlias = Literal["none", "secret", "policy", "provider_encrypted"]


RewardDetails: TypeAlias = Literal["reward_details", "test_stdout", "ctrf", "note"]


RoutingMode: TypeAlias = Literal["no_candidate", "single_candidate", "multi_candidate"]


RoutingSource: TypeAlias = Literal["explicit", "session", "task_preference", "host_policy", "policy_auto", "runtime_fallback"]


SamplingPermission: TypeAlias = Literal["ask", "allow"]


SandboxMode: TypeAlias = Literal["read_only", "workspace_write", "danger_full_access", "external_sandbox", "unavailable"]


ScheduleStatus: TypeAlias = Literal["active", "paused", "ended"]


SessionReach: TypeAlias = Literal["own", "all"]


SigningKeyOrigin: TypeAlias = Literal["file", "credential", "command"]


SigningKeyState: TypeAlias = Literal["active", "retired"]


Status: TypeAlias = Literal["idle", "accepted", "queued", "preparing", "running", "streaming", "waiting_input", "waiting_permission", "waiting_resource", "blocked", "paused", "retrying", "cancelling", "cancelled", "timed_out", "failed", "lost", "completed", "archived", "stale", "unknown", "unavailable", "not_applicable", "draft", "closed", "pending", "exited", "reported"]


StdinPolicy: TypeAlias = Literal["closed", "pipe", "tty"]


SubagentStatus: TypeAlias = Literal["queued", "running", "blocked", "completed", "failed", "cancelled", "closed"]


TaskStatus: TypeAlias = Literal["draft", "accepted", "queued", "preparing", "running", "waiting_input", "waiting_permission", "waiting_resource", "blocked", "paused", "retrying", "cancelling", "cancelled", "timed_out", "failed", "lost", "completed", "archived", "stale", "unknown"]


ThreadKind: TypeAlias = Literal["main", "fork", "subagent", "job", "system"]


ThreadStatus: TypeAlias = Literal["idle", "queued", "running", "blocked", "completed", "failed", "cancelled", "stale", "unknown"]


TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


ToolLogLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


ToolPolicy: TypeAlias = Literal["allowed", "ask", "denied", "sandboxed", "unavailable"]


ToolServerMethod: TypeAlias = Literal["list_resources", "list_templates", "list_prompts", "get_prompt", "complete", "watch_resources"]


ToolServerStatus: TypeAlias = Literal["untrusted", "unsupported", "disabled", "starting", "ready", "down", "stopped", "login_required"]


Transport: TypeAlias = Literal["websocket", "sse", "json_rpc", "grpc", "http_json", "stdio", "in_process", "custom"]


TrialRole: TypeAlias = Literal["baseline", "candidate", "control"]


Truncation: TypeAlias = Literal["none", "head", "tail", "middle", "head_tail", "tokens"]


TurnKind: TypeAlias = Literal["user", "task", "system", "subagent", "job", "imported", "call", "sampling"]


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


UsageGroup: TypeAlias = Literal["day", "hour", "model", "tenant", "session"]


ValidationState: TypeAlias = Literal["passed", "failed", "not_applicable", "unchecked"]


Visibility: TypeAlias = Literal["foreground", "background", "internal", "hidden", "unknown"]


WaitFor: TypeAlias = Literal["input", "permission", "resource", "dependency", "worker", "resume", "cleanup", "backoff", "rate_limit", "quota", "parallel", "hook", "client", "node"]


WorkerKind: TypeAlias = Literal["in_process", "agent", "external", "subagent", "job", "peer"]


WorktreeState: TypeAlias = Literal["making", "ready", "failed", "kept", "discarding", "removed"]


class RuntimeEvent(TypedDict):
    type: EventType  # Class of the event; the generator derives this enum from the event rows.
    eventId: Id  # Identity of the event; the same on every delivery.
    sequence: int  # Position in the session's log, from 1, without gaps.
    timestamp: Time  # When the runtime recorded it; never decreases within a session.
    schemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation that wrote it.
    sessionId: Id  # The session whose log this is.
    threadId: NotRequired[Id]  # The thread it belongs to.
    turnId: NotRequired[Id]  # The turn it belongs to.
    taskId: NotRequired[Id]  # The task it belongs to.
    parentTaskId: NotRequired[Id]  # The parent of that task.
    rootTaskId: NotRequired[Id]  # The root of that task tree.
    runId: NotRequired[Id]  # The run of the task.
    attemptId: NotRequired[Id]  # The attempt; one to one with the run.
    stepId: NotRequired[Id]  # The step of the turn.
    toolCallId: NotRequired[Id]  # The tool call.
    modelRequestId: NotRequired[Id]  # The request to a model.
    processId: NotRequired[Id]  # The process.
    outputRef: NotRequired[Id]  # The output that grows or was stored.
    queueId: NotRequired[Id]  # The queue of the thread.
    actionId: NotRequired[Id]  # The pending or given decision.
    channelId: NotRequired[Id]  # The enrolled peer.
    subagentId: NotRequired[Id]  # The child agent.
    jobId: NotRequired[Id]  # The batch job.
    jobItemId: NotRequired[Id]  # One item of that job.
    requestId: NotRequired[Id]  # The client's call that caused it directly.
    artifactId: NotRequired[Id]  # A deliverable kept by its owner.
    evidenceId: NotRequired[Id]  # An export or a record of the evidence system.
    traceId: NotRequired[str]  # W3C trace id, 32 hex digits, when tracing is on.
    spanId: NotRequired[str]  # W3C span id, 16 hex digits, when tracing is on.
    status: NotRequired[Status]  # Status of the event's object after the event.
    phase: NotRequired[Phase]  # Phase of the turn or task.
    statusReason: NotRequired[str]  # One sentence for people on why the status is what it is.
    nativeStatus: NotRequired[str]  # The foreign or exact word that the wire enum lacks.
    command: NotRequired[CommandFact]  # The accepted command whose first event this is.
    item: NotRequired[Item]  # The step as this event opens, changes or ends it.
    task: NotRequired[Task]  # The task record; complete at creation, changed fields later.
    taskAttempt: NotRequired[TaskAttempt]  # The attempt record.
    taskRelationship: NotRequired[TaskRelationship]  # One edge of the task graph.
    taskGraph: NotRequired[TaskGraph]  # Edges of a task tree.
    taskProgress: NotRequired[TaskProgress]  # The progress of the task, in recorded data.
    taskAcceptance: NotRequired[TaskAcceptance]  # Criteria, and how many are met.
    worker: NotRequired[Worker]  # Who executes the attempt.
    deliveryState: NotRequired[DeliveryState]  # Whether the result reached its receiver.
    permissionDecision: NotRequired[PermissionDecision]  # The decision and everything it is based on.
    sandboxProfile: NotRequired[SandboxProfile]  # The boundary that is enforced.
    routingDecision: NotRequired[RoutingDecision]  # Which model was chosen, from what, and why.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available, and those that were excluded.
    taskProfile: NotRequired[TaskProfile]  # What the task needs from a model.
    costState: NotRequired[CostState]  # Cost and tokens so far.
    limitState: NotRequired[LimitState]  # Rate, quota, parallel and budget state.
    limitEvent: NotRequired[LimitEvent]  # The limit that was reached.
    hookRun: NotRequired[HookRun]  # One run of a hook.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where the turn's commands run.
    channel: NotRequired[Channel]  # The enrolled peer's record.
    job: NotRequired[Job]  # The job's record.
    jobItem: NotRequired[JobItem]  # The item's record.
    output: NotRequired[Output]  # The stored output's record.
    historyBoundary: NotRequired[HistoryBoundary]  # A boundary in the history: recovery, compaction, rollback.
    telemetry: NotRequired[Telemetry]  # What was exported about it.
    correlation: NotRequired[Correlation]  # Ids that correlate foreign records.
    benchmark: NotRequired[Benchmark]  # Dataset, task, trial and configuration.
    trajectory: NotRequired[Trajectory]  # The trial's trajectory file.
    reward: NotRequired[Reward]  # The verifier's score, unchanged.
    comparison: NotRequired[Comparison]  # Differences between two configurations.
    payload: dict[str, Any]  # The class's own fields.
    refs: NotRequired[dict[str, Any]]  # Names of large or foreign data and where it is stored.
    traceFlags: NotRequired[str]  # W3C trace flags, 2 hex digits: 00 if the spans of its turn are not sent. Absent: they are.


class AgentArtifactEvent(TypedDict):
    schema_version: str  # Version of the schema of the record.
    event_id: Id  # The stored event's own.
    type: AgentArtifactClass  # A class of Agent Artifact.
    timestamp: Time  # When the runtime recorded it.
    sequence: int  # Position in the session's log.
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
    payload: Any  # As in Agent Artifact.
    refs: Any  # As in Agent Artifact.


class AgentContextEvent(TypedDict):
    schema_version: str  # Version of the schema of the record.
    event_id: Id  # The stored event's own.
    event_type: AgentContextClass  # A class of Agent Context.
    time: Time  # When the runtime recorded it.
    sequence: int  # Position in the session's log.
    source: str  # The runtime.
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
    data: Any  # As in Agent Context.
    telemetry_refs: Any  # As in Agent Context.


class AgentEvidenceEvent(TypedDict):
    schema_version: str  # Version of the schema of the record.
    event_id: Id  # The stored event's own.
    type: AgentEvidenceClass  # A class of Agent Evidence.
    timestamp: Time  # When the runtime recorded it.
    sequence: int  # Position in the session's log.
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
    payload: Any  # As in Agent Evidence.


class AgentPolicyEvent(TypedDict):
    schema_version: str  # Always 0.1.0.
    event_id: Id  # The stored event's own.
    type: PolicyEvent  # A class of Agent Policy.
    timestamp: Time  # When the runtime recorded it.
    sequence: int  # Position in the session's log.
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


class AgentToolEvent(TypedDict):
    schema_version: str  # Version of the schema of the record.
    event_id: Id  # The stored event's own.
    event_type: AgentToolClass  # A class of Agent Tool.
    time: Time  # When the runtime recorded it.
    sequence: int  # Position in the session's log.
    source: str  # The runtime.
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
    data: Any  # As in Agent Tool.
    trace_refs: Any  # As in Agent Tool.


class AgentUiEvent(TypedDict):
    type: UiType  # A word of Agent UI.
    runtimeType: EventType  # Class of the event; the generator derives this enum from the event rows.
    eventId: Id  # Identity of the event; the same on every delivery.
    sequence: int  # Position in the session's log, from 1, without gaps.
    timestamp: Time  # When the runtime recorded it; never decreases within a session.
    runtimeSchemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation that wrote it.
    sessionId: Id  # The session whose log this is.
    threadId: NotRequired[Id]  # The thread it belongs to.
    turnId: NotRequired[Id]  # The turn it belongs to.
    taskId: NotRequired[Id]  # The task it belongs to.
    parentTaskId: NotRequired[Id]  # The parent of that task.
    rootTaskId: NotRequired[Id]  # The root of that task tree.
    runId: NotRequired[Id]  # The run of the task.
    attemptId: NotRequired[Id]  # The attempt; one to one with the run.
    stepId: NotRequired[Id]  # The step of the turn.
    toolCallId: NotRequired[Id]  # The tool call.
    modelRequestId: NotRequired[Id]  # The request to a model.
    processId: NotRequired[Id]  # The process.
    outputRef: NotRequired[Id]  # The output that grows or was stored.
    queueId: NotRequired[Id]  # The queue of the thread.
    actionId: NotRequired[Id]  # The pending or given decision.
    channelId: NotRequired[Id]  # The enrolled peer.
    subagentId: NotRequired[Id]  # The child agent.
    jobId: NotRequired[Id]  # The batch job.
    jobItemId: NotRequired[Id]  # One item of that job.
    requestId: NotRequired[Id]  # The client's call that caused it directly.
    artifactId: NotRequired[Id]  # A deliverable kept by its owner.
    evidenceId: NotRequired[Id]  # An export or a record of the evidence system.
    traceId: NotRequired[str]  # W3C trace id, 32 hex digits, when tracing is on.
    spanId: NotRequired[str]  # W3C span id, 16 hex digits, when tracing is on.
    status: NotRequired[Status]  # Status of the event's object after the event.
    runtimePhase: NotRequired[Phase]  # Phase of the turn or task.
    statusReason: NotRequired[str]  # One sentence for people on why the status is what it is.
    nativeStatus: NotRequired[str]  # The foreign or exact word that the wire enum lacks.
    command: NotRequired[CommandFact]  # The accepted command whose first event this is.
    item: NotRequired[Item]  # The step as this event opens, changes or ends it.
    task: NotRequired[Task]  # The task record; complete at creation, changed fields later.
    taskAttempt: NotRequired[TaskAttempt]  # The attempt record.
    taskRelationship: NotRequired[TaskRelationship]  # One edge of the task graph.
    taskGraph: NotRequired[TaskGraph]  # Edges of a task tree.
    taskProgress: NotRequired[TaskProgress]  # The progress of the task, in recorded data.
    taskAcceptance: NotRequired[TaskAcceptance]  # Criteria, and how many are met.
    worker: NotRequired[Worker]  # Who executes the attempt.
    deliveryState: NotRequired[DeliveryState]  # Whether the result reached its receiver.
    permissionDecision: NotRequired[PermissionDecision]  # The decision and everything it is based on.
    sandboxProfile: NotRequired[SandboxProfile]  # The boundary that is enforced.
    routingDecision: NotRequired[RoutingDecision]  # Which model was chosen, from what, and why.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available, and those that were excluded.
    taskProfile: NotRequired[TaskProfile]  # What the task needs from a model.
    costState: NotRequired[CostState]  # Cost and tokens so far.
    limitState: NotRequired[LimitState]  # Rate, quota, parallel and budget state.
    limitEvent: NotRequired[LimitEvent]  # The limit that was reached.
    hookRun: NotRequired[HookRun]  # One run of a hook.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where the turn's commands run.
    channel: NotRequired[Channel]  # The enrolled peer's record.
    job: NotRequired[Job]  # The job's record.
    jobItem: NotRequired[JobItem]  # The item's record.
    output: NotRequired[Output]  # The stored output's record.
    historyBoundary: NotRequired[HistoryBoundary]  # A boundary in the history: recovery, compaction, rollback.
    telemetry: NotRequired[Telemetry]  # What was exported about it.
    correlation: NotRequired[Correlation]  # Ids that correlate foreign records.
    benchmark: NotRequired[Benchmark]  # Dataset, task, trial and configuration.
    trajectory: NotRequired[Trajectory]  # The trial's trajectory file.
    reward: NotRequired[Reward]  # The verifier's score, unchanged.
    comparison: NotRequired[Comparison]  # Differences between two configurations.
    payload: dict[str, Any]  # The class's own fields.
    refs: NotRequired[dict[str, Any]]  # Names of large or foreign data and where it is stored.
    traceFlags: NotRequired[str]  # W3C trace flags, 2 hex digits: 00 if the spans of its turn are not sent. Absent: they are.
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


class CloudeventsEvent(TypedDict):
    specversion: str  # Always 1.0.
    type: str  # The class of the event, with a prefix.
    id: Id  # The stored event's own.
    source: str  # The runtime.
    subject: NotRequired[Id]  # The session.
    time: NotRequired[Time]  # When the runtime recorded it.
    sequence: str  # Position in the session's log, 20 digits.
    traceparent: NotRequired[str]  # The trace, where there is one.
    datacontenttype: str  # Always application/json.
    data: Any  # The stored envelope.


Id: TypeAlias = str


class ProblemDetails(TypedDict):
    type: str  # urn:thole:problem: and the code.
    title: str  # The sentence of the table below.
    status: int  # The HTTP status; a transport may use a more specific one than the table.
    code: ErrorCode  # The stable word; decide by this.
    category: ProblemCategory  # General group of the code.
    detail: NotRequired[str]  # What is wrong in this case, for people.
    retryable: bool  # Whether the same request may succeed later.
    retryAfterMs: NotRequired[int]  # How long to wait before that.
    command: NotRequired[str]  # The command that was refused.
    requestId: NotRequired[Id]  # The call, as named in the operator's log.
    sessionId: NotRequired[Id]  # The session it was about.
    winner: NotRequired[Any]  # With already_resolved: the answer that applies.
    decisions: NotRequired[list[DecisionOption]]  # With invalid_decision: what the action offers.
    schema: NotRequired[Any]  # With invalid_answer: the schema of an answer.
    turnId: NotRequired[Id]  # With thread_busy: the active turn.


class AcceptanceCount(TypedDict):
    covered: int  # Criteria that are met.
    total: int  # Number of criteria.


class AccessToken(TypedDict):
    name: str  # The principal that its holder is; events name it.
    tenant: NotRequired[str]  # The tenant that the principal belongs to; absent: none.
    scopes: list[str]  # What it may do.
    sessions: SessionReach  # own: only sessions that this principal created; all: those of its tenant, or all if it has none.
    directories: NotRequired[list[str]]  # Where its work may run, with everything below; absent: a token with own sessions works in the runtime's directory, another one anywhere.
    expiresAt: NotRequired[Time]  # From when it is not valid any more; absent: never.
    state: AccessTokenState  # Whether it was made or revoked.
    tokenHash: NotRequired[str]  # SHA-256 of the token in hex; in events only, never in replies.
    createdAt: NotRequired[Time]  # When it was made.
    createdBy: NotRequired[str]  # The principal that made it.


class Account(TypedDict):
    scope: str  # local or tenant.
    ref: NotRequired[str]  # Which account.


class ActionPolicy(TypedDict):
    decisionId: NotRequired[Id]  # The decision that requires approval.
    ruleRefs: list[str]  # Rules that required approval.
    destructive: bool  # Whether the action is destructive.
    sandboxMode: NotRequired[SandboxMode]  # The sandbox it would run in.
    policyRecords: NotRequired[list[PolicyRecord]]  # Records of a policy engine that took part.


class ActionScope(TypedDict):
    turnId: NotRequired[Id]  # The turn it is about.
    cwd: NotRequired[str]  # The directory it is about.
    path: NotRequired[str]  # The one path it is about.
    paths: NotRequired[list[str]]  # The paths it is about.
    host: NotRequired[str]  # The host it is about.


class ActionView(TypedDict):
    actionId: Id  # The action.
    actionType: ActionType  # What is requested.
    status: ActionStatus  # Its status.
    sessionId: NotRequired[Id]  # Its session; only in lists across sessions.
    threadId: Id  # Its thread.
    turnId: Id  # Its turn.
    taskId: NotRequired[Id]  # Its task.
    stepId: NotRequired[Id]  # Its step.
    toolCallId: NotRequired[Id]  # The call it is about.
    parentThreadId: NotRequired[Id]  # The thread of the parent, if a child agent asks.
    subagentId: NotRequired[Id]  # The child agent that asks.
    parentTurnId: NotRequired[Id]  # The turn in which the child was created.
    parentTaskId: NotRequired[Id]  # The task that the child was created for.
    toolName: NotRequired[str]  # The tool it is about.
    prompt: str  # The question.
    schema: NotRequired[Any]  # The schema of an answer.
    decisionKind: DecisionKind  # The matching pair of answers.
    decisions: list[DecisionOption]  # The accepted answers.
    scopeDetail: NotRequired[ActionScope]  # What it is about.
    policy: NotRequired[ActionPolicy]  # Which rules required approval.
    inputRef: NotRequired[Id]  # Where the arguments of the call are stored, if they are too long for its events; get_output reads them.
    inputBytes: NotRequired[int]  # Their size.
    override: NotRequired[SandboxOverride]  # What an approval adds to the call's sandbox.
    requestedAt: Time  # Since when.
    expiresAt: NotRequired[Time]  # Until when.
    onExpiry: ApprovalDecision  # What happens then.
    modeAfter: NotRequired[PermissionMode]  # Of a plan: the mode after a caller with the scope admin accepts it; after another, it is not wider than default.
    endedBy: list[str]  # What can end it.
    sequence: int  # The event that requested it.
    decision: NotRequired[ApprovalDecision]  # The final answer.
    scope: NotRequired[GrantScope]  # Its scope.
    decidedBy: NotRequired[Actor]  # Who answered.
    resolvedAt: NotRequired[Time]  # When it was answered.


class Actor(TypedDict):
    kind: ActorKind  # What kind of actor it is.
    via: NotRequired[str]  # The transport it came through: cli, http, json_rpc, console and so on.
    principal: NotRequired[str]  # Name of the authenticated caller.
    runtimeId: NotRequired[Id]  # The runtime, when it acts itself.
    channelId: NotRequired[Id]  # The channel the caller used.
    command: NotRequired[str]  # The command that caused it.
    policy: NotRequired[str]  # The policy that caused it.
    ref: NotRequired[str]  # Where the actor is described.
    onBehalfOf: NotRequired[str]  # The person for whom the caller acted, in the caller's words; the principal is who is responsible for them.


class AgentDefinition(TypedDict):
    name: str  # Its name.
    model: NotRequired[str]  # The model that its file asks for.
    tools: NotRequired[list[str]]  # The tools that it may call, by the runtime's names; absent: all of its parent's.
    promptRef: NotRequired[Id]  # Where its prompt is stored; absent: it has none.
    sha256: NotRequired[str]  # Hash of its prompt.
    bytes: NotRequired[int]  # Size of its prompt.
    remote: NotRequired[bool]  # An agent of agents.remote: each input is a delegation to it, and it has no prompt here.


class Allotment(TypedDict):
    account: str  # day:DATE and tenant:NAME: money; requests: model requests at once; tasks and tasks:tenant:NAME: tasks at once.
    amount: int  # How much of it the node may use, what it has used included; of money in 1e-9 dollars.
    want: int  # How much more it is waiting for; 0: nothing.


class ArtifactRef(TypedDict):
    artifactId: Id  # The artifact.
    versionId: NotRequired[str]  # Its version.


class ArtifactRow(TypedDict):
    artifactId: Id  # The artifact.
    versionId: str  # Its latest version.
    versions: int  # Number of versions.
    kind: str  # What it is.
    path: NotRequired[str]  # Its path in the workspace.
    readRef: NotRequired[str]  # Where to read it.
    previewRef: NotRequired[str]  # Where its preview is.
    diffRef: NotRequired[str]  # Where the latest change is.
    issues: NotRequired[int]  # Problems that a check found.
    issuesState: NotRequired[Honesty]  # Without issues: not_applicable, it declares nothing checkable; unknown, this version was not validated, or not completely.
    validation: ValidationState  # The result of validating this version.
    messages: NotRequired[list[str]]  # The first issues as text.
    owner: str  # Who stores it.
    taskId: NotRequired[Id]  # The task that created it.
    checkpoints: list[ArtifactVersion]  # Its latest versions, the newest last; older ones are in the log.


class ArtifactVersion(TypedDict):
    versionId: str  # The version.
    change: ArtifactChange  # What happened.
    diffRef: NotRequired[str]  # What changed.
    checkpointRef: NotRequired[str]  # Its previous content.
    turnId: NotRequired[Id]  # The turn that created it.
    at: Time  # When.
    sequence: int  # The event that reports it.


class BadRow(TypedDict):
    sessionId: Id  # The session.
    sequence: int  # The row.
    expected: str  # The expected hash.
    found: str  # The actual hash.
    reason: str  # What does not fit.


class Benchmark(TypedDict):
    datasetId: NotRequired[str]  # The dataset.
    datasetVersion: NotRequired[str]  # Its version.
    datasetRef: NotRequired[str]  # Where it is stored.
    taskId: NotRequired[str]  # The dataset's task, not the runtime's.
    trialId: NotRequired[Id]  # The trial.
    configurationId: NotRequired[str]  # The configuration.
    role: NotRequired[TrialRole]  # Its side of the comparison.
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
    until: NotRequired[Time]  # The latest possible time.
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
    reservedUsd: float  # Reserved for open requests.


class CallClient(TypedDict):
    elicitation: NotRequired[bool]  # It asks its user.
    sampling: NotRequired[bool]  # It lets its own model answer.
    roots: NotRequired[bool]  # It says which directories its user works in.
    together: NotRequired[bool]  # It takes several questions at once.
    logLevel: NotRequired[ToolLogLevel]  # The least severe messages that it takes; default: none.


class Candidate(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    capabilities: list[str]  # What it can do.
    costClass: CostClass  # Its cost class.
    price: NotRequired[Price]  # Its price, if known.
    priceState: NotRequired[Honesty]  # States that the price is unknown.
    limitState: LimitStatus  # Whether its provider limits requests now.


class CandidateModelSet(TypedDict):
    candidateCount: int  # Number of candidates.
    singleCandidate: bool  # Whether there is exactly one.
    candidates: list[Candidate]  # The candidates.
    excluded: list[Exclusion]  # Excluded ones, with reasons.
    hardConstraints: list[str]  # The requirement.
    preferences: list[str]  # What was requested.
    gaps: Gaps  # What is missing for more.


class ChainEntry(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    tried: bool  # Whether it was tried.
    outcome: NotRequired[ErrorCategory]  # How the try ended.


class Channel(TypedDict):
    channelId: Id  # The channel.
    transport: Transport  # Its transport.
    peerRole: PeerRole  # The peer's role.
    accountRef: NotRequired[str]  # Whose account it is.
    capabilities: list[str]  # What the peer can do.
    lastSeenAt: NotRequired[Time]  # When it was last active.
    resumeTokenRef: NotRequired[str]  # Where the reconnect token is stored.
    nativeProtocol: NotRequired[str]  # The peer's protocol.
    agentCardRef: NotRequired[str]  # The peer's card, as read.
    lastAckedSequence: NotRequired[int]  # Last acknowledged event.
    status: NotRequired[Status]  # Whether it is reachable.
    isSandboxed: NotRequired[bool]  # false: a tool server with an address, which no sandbox of this machine contains.
    sessionId: NotRequired[Id]  # Its session; only in lists across sessions.
    lag: NotRequired[int]  # Events of its session after the last one that it acknowledged; only in lists.


class ChannelSection(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    channels: NotRequired[list[Channel]]  # The enrolled peers.
    pendingForwards: NotRequired[list[Id]]  # Forwarded approvals that were not answered.


class CheckpointFinding(TypedDict):
    code: ProofFinding  # What is wrong.
    sessionId: NotRequired[Id]  # The session; absent: the checkpoint or the tree.
    sequence: NotRequired[int]  # The event that the checkpoint covers.
    what: str  # The same as a sentence.


class ClientTool(TypedDict):
    name: str  # Its name for the model: letters, digits, _ and -. In this turn it hides another tool of the same name.
    description: NotRequired[str]  # What the model reads about it.
    inputSchema: NotRequired[Any]  # JSON Schema of its arguments, an object; default: any object.
    readOnly: NotRequired[bool]  # It changes nothing, as the caller says: mode plan allows it.
    timeoutMs: NotRequired[int]  # How long one call may take; default: the setting tools.client_timeout_s.


class CommandFact(TypedDict):
    name: str  # Name of the command.
    principal: str  # Who sent it.
    bodyHash: str  # SHA-256 of the canonical body.
    keyHash: NotRequired[str]  # SHA-256 of the idempotency key, if one was given.


class Compaction(TypedDict):
    trigger: CompactionTrigger  # Why it was done.
    affectedTurns: list[str]  # Replaced turns; the newest 64 if there are more.
    summaryRef: NotRequired[Id]  # What replaces them.
    sequence: NotRequired[int]  # The event that ended it.
    tokensBefore: NotRequired[int]  # Tokens before.
    tokensAfter: NotRequired[int]  # Tokens after.
    turns: NotRequired[int]  # Number of replaced turns.
    throughSequence: NotRequired[int]  # The last event of the newest turn that was replaced.


class Comparison(TypedDict):
    meanRewardDelta: NotRequired[float]  # Change of the mean reward: of each task first, then over the tasks.
    meanRewardDeltaStdErr: NotRequired[float]  # Standard error of that change; absent with fewer than two scored trials on a side.
    baselineMeanReward: NotRequired[float]  # Mean reward of the baseline.
    candidateMeanReward: NotRequired[float]  # Mean reward of the candidate.
    baselineRewardStdDev: NotRequired[float]  # Standard deviation of the baseline's rewards.
    candidateRewardStdDev: NotRequired[float]  # Standard deviation of the candidate's rewards.
    baselineTrials: NotRequired[int]  # Trials of the baseline.
    candidateTrials: NotRequired[int]  # Trials of the candidate.
    baselineUnscored: NotRequired[int]  # Of those, trials without a reward; they are in no mean.
    candidateUnscored: NotRequired[int]  # The same for the candidate.
    tasks: NotRequired[int]  # Tasks that both sides have.
    timeoutRateDelta: NotRequired[float]  # Change of the share of trials that timed out.
    failureRateDelta: NotRequired[float]  # Change of the share of trials that failed.
    evidenceCompletenessRate: NotRequired[float]  # Share of the candidate's trials with complete evidence, 0 to 1.
    baselineEvidenceCompletenessRate: NotRequired[float]  # The same for the baseline.
    p0QcGateRegressionCount: NotRequired[int]  # P0 gates with worse results, as the quality owner reported them; absent: unknown.
    costDeltaUsd: NotRequired[float]  # Change of the mean cost of a trial; absent if a cost is unknown.
    tokensDelta: NotRequired[float]  # Change of the mean tokens of a trial; absent if they are unknown.
    durationDeltaMs: NotRequired[float]  # Change of the mean duration.
    changedVariables: NotRequired[list[str]]  # What differs between the two: at most one.
    decision: NotRequired[str]  # What the quality owner decided.
    decisionSource: NotRequired[str]  # Who decided.
    remainingRisk: NotRequired[str]  # What is still open.


class Constraints(TypedDict):
    tools: NotRequired[list[str]]  # Only these tools may be called.
    permissionMode: NotRequired[PermissionMode]  # Permission mode in addition to the session's: a call runs only if both allow it.
    sandboxMode: NotRequired[SandboxMode]  # Widest sandbox of its calls; the session's own if that is narrower.
    networkMode: NotRequired[NetworkMode]  # Widest network of its calls; the session's own if that is narrower.
    models: NotRequired[list[str]]  # Only these models may be used.
    costUsd: NotRequired[float]  # Maximum cost of the task.
    timeMs: NotRequired[int]  # Timeout of the task.
    outputBytes: NotRequired[int]  # Maximum output: what its tools write and its model produces, over all runs.
    inactivityMs: NotRequired[int]  # Longest time without an event of its run; then the run times out.


class ContextBoundary(TypedDict):
    selectedRefs: list[str]  # What the model sees.
    compactions: list[Compaction]  # Summaries that replace older turns.
    warnings: list[str]  # Known problems with it.
    missing: list[MissingRef]  # What was searched and not found.


class ContextRef(TypedDict):
    kind: ContextKind  # What it is.
    ref: str  # Its name; for a file its path below the session's directory, or mcp:SERVER:URI for a resource of a tool server.
    text: NotRequired[str]  # Its text; the runtime reads files itself.
    outputRef: NotRequired[Id]  # Where its text is stored, if it is.
    sha256: NotRequired[str]  # Hash of its text, 64 hexadecimal digits; needed with outputRef.
    bytes: NotRequired[int]  # Its size; needed with outputRef.
    needsRule: NotRequired[bool]  # The caller may not approve: a resource of a tool server is read only if a rule allows it. The runtime sets it.


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
    status: NotRequired[EvidenceSignal]  # States that the records cannot be joined.


class CostState(TypedDict):
    state: CostStatus  # Whether the sum is based on reported usage (recorded), partly or wholly on estimates (estimated), or is unknown.
    currency: NotRequired[str]  # Always USD; absent when nothing has a price.
    reason: NotRequired[str]  # Why it is unknown.
    estimatedUsd: NotRequired[float]  # Estimate of the current request.
    recordedUsd: float  # Sum recorded so far.
    reservedUsd: NotRequired[float]  # Reserved for open requests.
    tokens: NotRequired[Tokens]  # Tokens so far; absent if no provider reported any.
    tokensState: NotRequired[Honesty]  # States that some requests did not report tokens; the counts, if any, are those of the others.
    price: NotRequired[Price]  # The price used for the calculation.


class Counters(TypedDict):
    toolCalls: NotRequired[int]  # Tool calls made.
    modelRequests: NotRequired[int]  # Requests made to models.
    items: NotRequired[int]  # Processed items.
    childTasks: NotRequired[int]  # Child tasks it created.
    jobItems: NotRequired[int]  # Job items ended.
    tests: NotRequired[int]  # Number of tests.
    files: NotRequired[int]  # Files changed.
    acceptanceCovered: NotRequired[int]  # Criteria that are met.
    acceptanceTotal: NotRequired[int]  # Number of criteria.


class Criterion(TypedDict):
    id: str  # Name of the criterion within the task.
    kind: str  # What is checked: artifact, command, evidence, text.
    description: NotRequired[str]  # The requirement.
    ref: NotRequired[str]  # Where the criterion is described.


class DecisionCounts(TypedDict):
    allow: int  # Number of allowed calls.
    ask: int  # Number of calls that needed approval.
    deny: int  # Number of denied calls.


class DecisionOption(TypedDict):
    decision: ApprovalDecision  # A decision that is accepted.
    scopes: NotRequired[list[str]]  # The scopes that can be granted.
    covers: NotRequired[list[GrantMatch]]  # What an approval with a wider scope than `once` allows from then on without a question: each entry becomes a grant, and nothing else is covered. Show it before offering such a scope. Missing: no wider scope is offered, or the entries together are too long.
    mayEditInput: NotRequired[bool]  # Whether the input may be changed with it.
    mayGiveReason: NotRequired[bool]  # Whether a reason may be given with it.


class DeliveryState(TypedDict):
    state: DeliveryStatus  # Whether the result arrived.
    to: NotRequired[str]  # Where it was sent.
    reason: NotRequired[str]  # Why it was not delivered.


class Device(TypedDict):
    deviceId: Id  # The device.
    name: str  # Its name; events name it device:NAME.
    host: str  # The one host name by which it reaches this runtime.
    scopes: list[str]  # What it may do.
    pairedAt: Time  # Since when.
    lastSeenAt: Time  # The time of its last request, to the minute after a restart or at another node.
    channelId: NotRequired[Id]  # The channel that it has in events.


class Diagnostics(TypedDict):
    warnings: list[Incident]  # Warnings.
    failedTools: list[Thing]  # Calls that failed.
    failedCommands: list[Thing]  # Commands with an exit code other than 0.
    stalledTurns: list[Id]  # Turns without activity.
    stalledTasks: NotRequired[list[Id]]  # Tasks without activity: lost, or past the lease of their worker.
    pendingRequests: NotRequired[list[Thing]]  # What it waits for: model requests, approvals, hooks.
    lostWorkers: list[Id]  # Runs whose worker is lost.
    interrupt: str  # none, requested or done.
    quotaBlocks: list[LimitEvent]  # Limits that stop the work.
    contextGaps: list[MissingRef]  # What the model could not get.
    unavailable: NotRequired[list[str]]  # Which of these lists this build cannot fill; an empty one then means nothing.


class EditedFile(TypedDict):
    path: str  # The file, relative to the directory of the session.
    content: NotRequired[str]  # What it becomes, in base64; absent: it is deleted.
    mode: NotRequired[str]  # Permission bits that it gets, octal; absent: as they are.
    expect: NotRequired[str]  # SHA-256 of what it holds now; absent: it does not exist. Anything else refuses all files.


class Endpoint(TypedDict):
    protocol: str  # a2a, mcp, openai or ag_ui.
    binding: NotRequired[str]  # JSONRPC, HTTP+JSON or GRPC, where the protocol has several.
    path: str  # Its path at the runtime's address; empty for gRPC.
    isEnabled: bool  # Whether it is served.
    setting: str  # The setting that enables it.
    url: NotRequired[str]  # The public address of the runtime, if the settings name one for this protocol; for gRPC that of thole-grpc.


class EvidenceSection(TypedDict):
    evidenceRefs: list[str]  # The evidence records.
    packRefs: list[str]  # Evidence packs.
    replayRefs: list[str]  # Replay cases.
    reviewRefs: list[str]  # Review templates.
    verificationOutcomes: list[Verification]  # The results of verifiers.
    knownGaps: list[str]  # Signals that apply and are missing.
    traceIds: NotRequired[list[str]]  # Traces.
    auditNotes: NotRequired[list[str]]  # Notes of reviewers.


class Exclusion(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    reason: ExclusionReason  # Why it was excluded.
    detail: NotRequired[str]  # Which capability, quota or host.
    constraint: ConstraintStrength  # Whether it was a requirement or a preference.


class ExecutionEnvironment(TypedDict):
    environmentId: Id  # The environment.
    workspaceId: str  # The workspace.
    cwd: str  # Directory in which commands start.
    additionalRoots: list[str]  # Further roots in addition to the workspace.
    shell: str  # The shell.
    os: str  # The operating system.
    arch: str  # The processor.
    networkProfile: NetworkProfile  # The network of commands.
    resourceLimits: ResourceLimits  # Their limits.
    envRef: Id  # The variables, safe ones only.
    sandboxProfile: SandboxProfile  # The sandbox of commands.
    overrideReason: NotRequired[str]  # Why one tool got another environment.


class ExtensionFile(TypedDict):
    path: str  # Below the folder of the skill.
    bytes: NotRequired[int]  # Its size; absent: it is no plain file, and trust covers its name alone.
    text: NotRequired[str]  # Its text; absent for other content, for a large file, and when the reply has too much text.


class ExtensionRow(TypedDict):
    kind: ExtensionKind  # What it is.
    source: ExtensionSource  # Whose it is.
    name: str  # Its name.
    description: str  # What it is for, in a line.
    argumentHint: NotRequired[str]  # For a command: the arguments that it expects.
    model: NotRequired[str]  # The model that it asks for.
    tools: NotRequired[str]  # For an agent: the tools that it may use, as its file lists them.
    path: str  # Its file; mcp:NAME for a prompt of the tool server NAME.
    isTrusted: bool  # Whether it can be used; false for a project's until the user trusts it as it is now.
    error: NotRequired[str]  # Why it cannot be used.
    note: NotRequired[str]  # What of it is not used.
    text: NotRequired[str]  # With texts, of a project's file that is not trusted: its text, which contentHash covers.
    bytes: NotRequired[int]  # With texts, of a project's file that is not trusted: its size.
    files: NotRequired[list[ExtensionFile]]  # With texts, of a project's skill that is not trusted: the files beside its SKILL.md, which contentHash covers.


Gap = TypedDict("Gap", {
    "from": "int",  # First missing event; if it is greater than `to`, the position the subscriber expected, ahead of the log.
    "to": "int",  # Last missing event; the stream continues after it.
    "recoveryMode": "RecoveryMode",  # What replaces them.
    "reason": "NotRequired[GapReason]",  # Why: removed by retention, a cursor ahead of the log, or damaged on disk (corrupt; `thole doctor` names the place).
    "sessionId": "NotRequired[Id]",  # The session, if several are read; absent if that is unknown. Then `from` and `to` are 0.
    "snapshot": "NotRequired[Any]",  # The snapshot to continue from.
})


class Gaps(TypedDict):
    credential: list[str]  # Providers without a credential.
    quota: list[str]  # Providers without quota.
    network: list[str]  # Providers that cannot be reached.


class Grant(TypedDict):
    grantId: Id  # The grant.
    scope: GrantScope  # Its scope.
    sessionId: NotRequired[Id]  # The session in which it applies.
    cwd: NotRequired[str]  # The workspace in which it applies, if its scope is wider than a session.
    match: NotRequired[GrantMatch]  # What it covers.
    source: PolicySource  # Who granted it.
    grantedBy: NotRequired[Actor]  # Who granted it, by name.
    createdAt: Time  # When it was given.
    expiresAt: NotRequired[Time]  # When it ends.
    revocable: bool  # Whether it can be revoked.


class GrantMatch(TypedDict):
    tool: NotRequired[str]  # The tool it covers.
    command: NotRequired[list[str]]  # The words of the command it covers.
    path: NotRequired[str]  # The path it covers.
    pathReal: NotRequired[str]  # Where the path leads; absent: to itself. Another target is not covered.
    host: NotRequired[str]  # The host it covers.
    definition: NotRequired[str]  # Hash of the tool definition that was approved; other definitions are not covered.
    cwd: NotRequired[str]  # The directory in which the command runs; other directories are not covered.
    script: NotRequired[str]  # The script or program that the command runs.
    scriptReal: NotRequired[str]  # The target of the link; another target is not covered.
    scriptHash: NotRequired[str]  # The content; other content is not covered.


class HistoryBoundary(TypedDict):
    layer: HistoryLayer  # The record whose boundary it is.
    throughSequence: int  # The last event before the boundary.
    snapshotSequence: NotRequired[int]  # The snapshot it was rebuilt from, 0 when none.
    foldVersion: NotRequired[int]  # Version of the fold.
    fromTurnId: NotRequired[Id]  # First turn before the boundary.
    toTurnId: NotRequired[Id]  # Last turn before the boundary.
    summaryRef: NotRequired[Id]  # What replaces the part before the boundary.


class HistorySummary(TypedDict):
    events: int  # Events so far.
    turns: int  # Turns so far.
    compactions: int  # Number of compactions.
    rollbacks: int  # Number of rollbacks.
    degraded: bool  # Whether parts are missing.
    missing: NotRequired[list[str]]  # Stored outputs that the last recovery did not find.
    imported: NotRequired[ImportState]  # Where the session comes from, if it was imported.


class HistoryWindow(TypedDict):
    fromSequence: int  # First event of the window.
    toSequence: int  # Last event of the window.
    turns: NotRequired[int]  # Turns that are included.
    older: int  # Turns that are not included.
    cursor: NotRequired[str]  # Where the rest begins.


class HookRow(TypedDict):
    ref: str  # Its name in events.
    point: HookPoint  # The point at which it runs.
    kind: HookHandler  # A command, an address, or the embedding program.
    handler: str  # The command line or the address; in_process: the embedding program.
    match: NotRequired[str]  # Tools it concerns; absent: all.
    timeoutMs: int  # Timeout.
    failPolicy: FailPolicy  # The effect of its failure.
    trust: HookTrust  # Its owner; untrusted: it is not active.
    sandbox: NotRequired[HookSandbox]  # For a command. agent: it has the rights of the agent's commands; guarded: it decides, or has more rights, and sees no directory that the agent can write; none: it has the user's rights.
    programHash: NotRequired[str]  # For a command that does not run with the agent's rights: over the files that its line names.
    refused: NotRequired[str]  # Why it would not be started now, and what to do.


class HookRun(TypedDict):
    hookRunId: Id  # This run of the hook.
    point: HookPoint  # Where it was called.
    handlerRef: str  # Which hook.
    handlerKind: HookHandler  # A command, a URL, or the embedding program.
    timeoutMs: int  # Timeout.
    failPolicy: FailPolicy  # The effect of its failure.
    trust: HookTrust  # Why it may run.
    status: HookStatus  # Its status.
    startedAt: NotRequired[Time]  # When it began.
    durationMs: NotRequired[int]  # How long it took.
    exitCode: NotRequired[int]  # Its exit code.
    decision: NotRequired[HookDecision]  # Its decision.
    inputRef: NotRequired[Id]  # The input before it.
    updatedInputRef: NotRequired[Id]  # The input after it.
    updatedToolOutputRef: NotRequired[Id]  # The tool output after it.
    additionalContextRefs: NotRequired[list[str]]  # Context it adds.
    suppressOutput: NotRequired[bool]  # Whether its own output is hidden from the model.
    auditRefs: NotRequired[list[str]]  # Its audit notes.
    policyRecord: NotRequired[PolicyRecord]  # The policy engine's record that it returned.
    lastError: NotRequired[LastError]  # Why it failed.


class Impact(TypedDict):
    paths: NotRequired[list[str]]  # Paths that would change.
    hosts: NotRequired[list[str]]  # Hosts that would be reached.
    effect: str  # What would happen to them, in one word.


class ImportItem(TypedDict):
    kind: ImportItemKind  # What it is.
    name: NotRequired[str]  # Name of the tool there.
    sourceId: NotRequired[str]  # Id of the message or of the call there.
    at: NotRequired[Time]  # Its time there.
    text: str  # Text, arguments or output.
    bytes: NotRequired[int]  # Size of the whole text, if this is only a part of it.
    isError: NotRequired[bool]  # Whether the call failed.


class ImportOrigin(TypedDict):
    program: ImportProgram  # The program that wrote the file.
    programVersion: NotRequired[str]  # Its version, as the file states it.
    sourceId: str  # Id of the session there.
    path: str  # The file, on the machine of the client that read it.
    sha256: str  # Hash of the file, in hexadecimal digits.
    bytes: int  # Size of the file.
    turns: int  # Turns that the file holds.
    leftOut: int  # Lines that were not understood or have no counterpart here.
    beganAt: NotRequired[Time]  # Time of the first message there.
    endedAt: NotRequired[Time]  # Time of the last message there.
    gitBranch: NotRequired[str]  # Branch that was checked out.


class ImportState(TypedDict):
    program: ImportProgram  # The program that the session comes from.
    sourceId: str  # Id of the session there.
    sha256: str  # Hash of the newest file that was imported.
    turns: int  # Turns that were imported.
    fileTurns: int  # Turns of that file; more than turns: the import is not complete.
    digest: NotRequired[str]  # Hash over the imported turns.


class ImportTurn(TypedDict):
    text: str  # The message of the person.
    sourceId: NotRequired[str]  # Id of that message there.
    model: NotRequired[str]  # The model that answered there.
    beganAt: NotRequired[Time]  # Its time there.
    endedAt: NotRequired[Time]  # Time of the last item there.
    digest: str  # Hash over this turn and all turns before it.
    items: list[ImportItem]  # Answers, calls and results, in order.


class Incident(TypedDict):
    incidentId: Id  # The event that reports it.
    kind: str  # What it is: warning, error, failed_tool, failed_command, violation, lost.
    category: NotRequired[str]  # The stable word.
    message: str  # One sentence for people.
    at: Time  # When.
    sequence: int  # The event.
    open: bool  # Whether it is still relevant.
    ref: NotRequired[str]  # What it is about.


class InventoryTool(TypedDict):
    toolName: str  # Name of the tool.
    description: str  # What it does, for people.
    capabilities: list[str]  # read, write, network, browser, filesystem, shell, artifact, custom.
    policy: ToolPolicy  # What the policy says about it now.
    runtimeOwner: str  # Who runs it: local, an MCP server, a connector, the provider, a workflow, a subagent.
    isReadOnly: bool  # Whether it changes nothing.
    isConcurrencySafe: bool  # Whether it may run in parallel.
    isDestructive: bool  # Whether it can be destructive.
    interruptBehavior: InterruptBehavior  # What an interrupt does to it.
    inputSchemaRef: NotRequired[str]  # Where its input schema is.
    inputSchema: NotRequired[Any]  # The schema itself, if it is small.
    metadataRef: NotRequired[str]  # Where more information is.
    nativeName: NotRequired[str]  # Its owner's name for it, if it differs.
    annotations: NotRequired[Any]  # The owner's hints, which do not affect approvals.
    definitionHash: NotRequired[str]  # Hash of its definition.
    definitionChanged: NotRequired[bool]  # Whether the definition differs from the pinned one: calls need approval again.
    reason: NotRequired[str]  # Why it is denied or unavailable.


class Isolation(TypedDict):
    prompt: str  # What the child sees of the parent's prompt: own, only its own instructions.
    workspace: str  # Where it works: shared, in the parent's directory; worktree, in its own git worktree.
    worktree: NotRequired[str]  # The directory of its worktree; chosen by the runtime.
    tools: list[str]  # Tools it may call.
    permissionMode: PermissionMode  # Its permission mode.
    memory: str  # What it sees of memory: none.
    sandboxMode: NotRequired[SandboxMode]  # Widest sandbox of its calls.
    networkMode: NotRequired[NetworkMode]  # Widest network of its calls.


class Issuer(TypedDict):
    name: str  # Its name in auth.issuers; principals are called NAME:SUBJECT.
    issuer: str  # Its address, as tokens name it.
    status: IssuerStatus  # Whether its keys are known. unused: no token has needed them; down: the last fetch failed.
    keyCount: int  # Keys that can be used now.
    fetchedAt: NotRequired[Time]  # When the keys were fetched.
    detail: NotRequired[str]  # Why the last fetch failed.


class Item(TypedDict):
    itemId: Id  # Same as the step's id.
    kind: ItemKind  # What kind of step it is.
    index: int  # Position in the turn, from 1, without gaps.
    status: Status  # Status of the step after the event.


class Job(TypedDict):
    jobId: Id  # The job.
    sessionId: NotRequired[Id]  # Its session, in lists across sessions.
    taskId: NotRequired[Id]  # The task it works for.
    status: JobStatus  # Its status.
    instructionRef: Id  # What to do with each item.
    inputRefs: list[RefEntry]  # The items.
    outputSchemaRef: NotRequired[Id]  # Schema that each output must satisfy.
    maxRuntimeMs: NotRequired[int]  # Timeout of the job.
    concurrency: NotRequired[int]  # Items at once.
    maxAttempts: NotRequired[int]  # Attempts per item.
    itemCursor: int  # First item not begun.
    progress: JobCounts  # Items by state.
    assignedThreadIds: list[str]  # Threads its items run on.
    scheduleId: NotRequired[str]  # The schedule that created it.


class JobCounts(TypedDict):
    total: int  # Number of items.
    pending: int  # Items that have not started.
    running: int  # Running items.
    completed: int  # Items done.
    failed: int  # Failed items.


class JobItem(TypedDict):
    jobItemId: Id  # The item.
    index: int  # Its position in the input, from 0.
    status: JobItemStatus  # Its status.
    attemptCount: int  # Attempts so far.
    threadId: NotRequired[Id]  # The thread it runs on.
    turnId: NotRequired[Id]  # The turn of the latest attempt.
    outputRef: NotRequired[Id]  # Its output.
    lastError: NotRequired[LastError]  # Why it failed.
    retryable: NotRequired[bool]  # Whether a retry makes sense.


class LastError(TypedDict):
    category: ErrorCategory  # The stable word.
    message: str  # One sentence.
    retryable: NotRequired[bool]  # Whether a retry makes sense.
    modelRequestId: NotRequired[Id]  # The request that failed.
    remedy: NotRequired[str]  # The next command or step.
    toolCallId: NotRequired[Id]  # The call that failed.
    exitCode: NotRequired[int]  # Exit code of the command, if one ended.
    ref: NotRequired[str]  # Where the full error is stored.


class LastOutcome(TypedDict):
    turnId: Id  # The most recently ended turn.
    status: Status  # How it ended.
    lastMessageRef: NotRequired[Id]  # Its last message.
    category: NotRequired[ErrorCategory]  # Why it failed.


class LimitEvent(TypedDict):
    kind: LimitEventKind  # What was reached.
    provider: NotRequired[str]  # Whose limit it is.
    model: NotRequired[str]  # The model it is for.
    source: LimitSource  # Who reported it.
    scope: NotRequired[LimitScope]  # What the limit covers.
    retryAfterMs: NotRequired[int]  # How long to wait.
    resetAt: NotRequired[Time]  # When it ends.
    used: NotRequired[int]  # Amount used.
    limit: NotRequired[int]  # The limit.


class LimitPart(TypedDict):
    state: LimitStatus  # The state in one word.
    provider: NotRequired[str]  # Whose limit it is.
    until: NotRequired[Time]  # When it ends.
    used: NotRequired[int]  # Amount used.
    limit: NotRequired[int]  # The limit.


class LimitState(TypedDict):
    state: LimitStatus  # The worst of the parts.
    hostAccess: NotRequired[str]  # Whose access is used: local, host, tenant.
    rate: LimitPart  # Rate limits.
    quota: LimitPart  # Quotas.
    parallel: LimitPart  # Requests at the same time.
    budgets: list[Budget]  # Caps on cost.


class ListedTool(TypedDict):
    toolName: str  # Name of the tool.
    description: str  # What it does.
    inputSchema: NotRequired[Any]  # JSON Schema of its arguments.
    outputSchema: NotRequired[Any]  # JSON Schema of its structured result.
    isReadOnly: bool  # Whether it changes nothing.
    isDestructive: bool  # Whether it can be destructive.
    runtimeOwner: str  # Who runs it.
    nativeName: NotRequired[str]  # Its owner's name for it, if it differs.
    annotations: NotRequired[Any]  # The owner's hints, which do not affect approvals.
    isAdded: NotRequired[bool]  # The runtime added it to the tools of a tool server, to read its resources or to sign in.


class MissingRef(TypedDict):
    ref: str  # What was looked up.
    reason: MissingReason  # Why it is missing.


class ModelRouting(TypedDict):
    status: NotRequired[Honesty]  # Why no choice is shown: none was needed yet, or it is being made.
    taskKind: NotRequired[str]  # Kind of work.
    candidateCount: int  # Models that were available.
    singleCandidate: bool  # Whether there was exactly one.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    decisionSource: NotRequired[RoutingSource]  # What the choice is based on.
    decisionReason: NotRequired[str]  # Why.
    capabilityGap: NotRequired[str]  # The capability that is missing, or none.
    fallbackApplied: bool  # Whether another model was used.
    costState: NotRequired[CostState]  # Cost.
    limitState: NotRequired[LimitState]  # The limits it reached.
    providerLimits: NotRequired[list[ProviderLimit]]  # The limits that providers last reported; of the session only.


class ModelRow(TypedDict):
    provider: str  # The provider.
    model: str  # The model.
    baseUrl: NotRequired[str]  # The address of the provider; absent if no request leaves the process.
    addressFrom: NotRequired[str]  # The environment variable that the address comes from; absent: the settings or the catalogue.
    state: str  # available, or the reason why it is not available.
    capabilities: list[str]  # What it can do.
    hasCredential: bool  # Whether there is a key for it, or it needs none.
    costClass: CostClass  # Its cost class.
    price: NotRequired[Price]  # Its price now.
    priceState: NotRequired[Honesty]  # States that the price is unknown.
    rate: LimitPart  # What its provider reported about rate limits.
    quota: LimitPart  # What its provider reported about quota.
    windowTokens: int  # Size of its window.
    maxOutputTokens: int  # Maximum tokens of one response.
    reckonedPercent: NotRequired[int]  # Reservation in hundredths of the plain estimate, if an overrun was measured.
    isDefault: bool  # Whether turns use it that name none.
    keyFrom: NotRequired[KeyOrigin]  # Where its key comes from, as the caller's own turns would use it; absent: there is none.
    keyName: NotRequired[str]  # The environment variable that holds the key, or the file with the credentials.
    remedy: NotRequired[str]  # What to do without credentials, where that is not to set a variable or to keep a key.
    efforts: NotRequired[list[str]]  # Words of effort that it accepts; absent: unknown, or it does not reason.


class NetworkProfile(TypedDict):
    mode: NetworkMode  # Its network access.
    allow: NotRequired[list[str]]  # Hosts that may be reached through the proxy.
    loopback: NotRequired[bool]  # Whether the host's own loopback is reachable.


class Node(TypedDict):
    name: str  # Its name, from the setting node.name; it stays over restarts.
    incarnation: int  # Number of this start of the node; it only grows.
    address: NotRequired[str]  # Where other nodes reach it; absent: they do not.
    version: str  # Version of its program.
    revision: int  # What its program can read: it is given no session with events of a newer revision. 0: a program that does not say it.
    state: NodeState  # lives; leaving: it is about to end and hands its work over; ended: it stopped in order; dead: another node found no heartbeat of it.
    isSelf: bool  # Whether it is the node that answered.
    sessions: int  # Sessions that it owns now.
    startedAt: NotRequired[Time]  # When it was started.
    heartbeatAgeMs: int  # Time since its last heartbeat, by the clock of the database.
    clockOffMs: NotRequired[int]  # How far the clock of its machine was ahead of the clock of the database at that heartbeat.
    labels: NotRequired[list[str]]  # Its labels, from the setting node.labels.
    workspaces: NotRequired[list[NodeWorkspace]]  # Directories that it has under a name, from node.workspaces and node.shared_workspaces.
    allotments: NotRequired[list[Allotment]]  # What it may use of amounts that all nodes share, by account; only of nodes that live, and for callers with the scope admin. Of many those that were settled last, up to the limit node_allotments.
    allotmentsLeftOut: NotRequired[int]  # How many more there are; absent: none.


class NodeWorkspace(TypedDict):
    name: str  # Its name.
    path: str  # Where it is.
    isShared: bool  # Whether all nodes that name it see the same files.


class Output(TypedDict):
    outputRef: Id  # The ref.
    owner: OutputOwner  # What wrote it.
    ownerId: NotRequired[Id]  # Which one of them.
    mediaType: str  # Media type.
    encoding: str  # Text encoding, or binary.
    sizeBytes: int  # Size.
    sha256: NotRequired[str]  # Hash, after it was sealed.
    complete: bool  # Whether it is complete.
    preview: NotRequired[Preview]  # Beginning and end.
    truncation: Truncation  # How the preview was shortened.
    redaction: Redaction  # What was redacted.
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
    inside: bool  # Whether all paths are inside the roots.
    resolved: list[str]  # The paths after resolving links.


class Peer(TypedDict):
    name: str  # Its name in agents.remote.
    cardUrl: str  # The address of its card.
    description: NotRequired[str]  # What it is for, as the settings say.
    status: PeerStatus  # Whether its card was read and can be used; card_changed: it differs from the pinned one.
    detail: NotRequired[str]  # The reason, in a sentence.
    agent: NotRequired[str]  # Its own name for itself.
    agentVersion: NotRequired[str]  # Its own version.
    url: NotRequired[str]  # The address of the interface that is used.
    binding: NotRequired[str]  # JSONRPC or HTTP+JSON.
    cardHash: NotRequired[str]  # SHA-256 of its card, without signatures.
    signedBy: NotRequired[str]  # Id of the key that signed its card; absent: the settings have no keys for it.
    headers: list[str]  # Names of the headers that it is sent; values are not shown.
    toolName: str  # Its name for models and permission rules.
    openTasks: int  # Delegations that have not ended.


class PeerArtifact(TypedDict):
    remoteId: str  # The peer's own id.
    name: NotRequired[str]  # Its name.
    mediaType: NotRequired[str]  # Media type; default: text/plain, or application/octet-stream.
    text: NotRequired[str]  # Its text.
    bytes: NotRequired[str]  # Its bytes in base64, if it is no text.


class PermissionDecision(TypedDict):
    decisionId: NotRequired[Id]  # The id of this decision; an answer refers to it.
    decision: ApprovalDecision  # What was decided.
    decisionSource: DecisionSource  # Who or what decided.
    decisionReason: str  # Why, in one sentence.
    ruleRefs: list[str]  # Rules that took part.
    approvalActionId: NotRequired[Id]  # The action that requested it.
    updatedInputRef: NotRequired[Id]  # The input that was evaluated, if it was changed.
    scope: GrantScope  # The scope of the decision.
    expiresAt: NotRequired[Time]  # When it ends.
    mode: PermissionMode  # The mode at that time.
    destructive: bool  # Whether the action is destructive.
    impact: NotRequired[Impact]  # What it would affect.
    rollbackAdvice: NotRequired[str]  # How to undo it.
    subcommands: NotRequired[list[Subcommand]]  # The simple commands of a command line, each evaluated; of a long line the first ones, with long words shortened.
    subcommandsOmitted: NotRequired[int]  # Number of further simple commands that were evaluated but are not listed.
    pathCheck: NotRequired[PathCheck]  # Where its paths are.
    networkDecision: NotRequired[NetworkMode]  # The network it gets.
    policyRecords: NotRequired[list[PolicyRecord]]  # Records of a policy engine that took part.


class PermissionState(TypedDict):
    mode: PermissionMode  # The mode.
    interactive: bool  # Whether approval can be requested.
    policySources: list[str]  # Where rules come from.
    pendingApprovals: list[Id]  # Pending approvals.
    grants: list[Grant]  # Grants in force.
    rules: NotRequired[list[RuleRow]]  # Rules in force, the first 64; list_rules shows all. In a session snapshot only the session contains them.
    ruleCount: NotRequired[int]  # Number of rules in force.
    decisions: DecisionCounts  # Decisions so far.


class Placement(TypedDict):
    workspace: NotRequired[str]  # Name of the workspace that its directory is in.
    node: NotRequired[str]  # The node whose files they are; absent: every node with the workspace has them.
    machine: NotRequired[str]  # Machine of that node: other nodes there see the same files.
    labels: NotRequired[list[str]]  # Labels that a node needs.


class PlacementChoice(TypedDict):
    workspace: NotRequired[str]  # Name of a workspace that the node has.
    node: NotRequired[str]  # Name of the node.
    labels: NotRequired[list[str]]  # Labels that the node has.


class PolicyRecord(TypedDict):
    kind: PolicyRecordKind  # The Agent Policy record it is.
    recordId: str  # Its own identity, as its author gave it.
    decisionId: NotRequired[str]  # The decision it is about.
    result: PolicyResult  # Its result, in the terms of Agent Policy.
    policySetId: NotRequired[str]  # The policy set that was evaluated.
    policyVersion: NotRequired[str]  # The version of that policy set.
    reasonCodes: list[str]  # Why, for machines.
    scope: NotRequired[Any]  # The risk it refers to.
    obligations: NotRequired[Any]  # Obligations while the action runs.
    by: NotRequired[Any]  # Who gave it.
    justification: NotRequired[str]  # Why, for people.
    expiresAt: NotRequired[Time]  # When it ends.
    recordRef: NotRequired[Id]  # The complete record, unchanged.


class Preview(TypedDict):
    head: NotRequired[str]  # The beginning.
    tail: NotRequired[str]  # The end.


class Price(TypedDict):
    currency: str  # Always USD.
    inputPerMTok: float  # Price of a million input tokens.
    cachedInputPerMTok: NotRequired[float]  # Price of a million input tokens read from a cache.
    cacheWritePerMTok: NotRequired[float]  # Price of a million input tokens written to a cache.
    outputPerMTok: float  # Price of a million output tokens.
    above: NotRequired[PriceAbove]  # Prices of requests with more input; absent: all requests have the same price.
    source: PriceSource  # Where the price comes from.
    effectiveFrom: NotRequired[str]  # The date from which it applies.


class PriceAbove(TypedDict):
    inputTokens: int  # A request with more tokens of input, cached ones included, has these prices as a whole.
    inputPerMTok: float  # Price of a million input tokens.
    cachedInputPerMTok: float  # Price of a million input tokens read from a cache.
    cacheWritePerMTok: float  # Price of a million input tokens written to a cache.
    outputPerMTok: float  # Price of a million output tokens.


class ProcessLimits(TypedDict):
    timeoutMs: int  # Timeout.
    inactivityMs: int  # Longest time without activity.
    maxOutputBytes: int  # Bytes it may write.
    maxProcesses: int  # Number of processes at the same time.
    maxMemoryBytes: NotRequired[int]  # Memory it may use.
    maxFileBytes: NotRequired[int]  # Apparent size of one file that it writes.
    privateBytes: NotRequired[int]  # Total size of its private directories.
    tty: bool  # Whether it has a terminal.
    stdin: StdinPolicy  # What its standard input is.


class ProcessView(TypedDict):
    processId: Id  # The process.
    toolCallId: NotRequired[Id]  # The call that started it.
    commandSummary: NotRequired[str]  # Its command line without secrets.
    status: ProcessStatus  # Its status.
    nativeStatus: NotRequired[str]  # exit:N or signal:N.
    exitCode: NotRequired[int]  # Its exit code.
    outputRef: NotRequired[Id]  # Its output.
    background: NotRequired[bool]  # Whether it may outlive the turn.
    tty: NotRequired[bool]  # Whether it has a terminal.
    outputBytes: NotRequired[int]  # Size of its output, as far as known.
    liveness: NotRequired[Liveness]  # For a lost one: whether it may still run.
    sessionId: NotRequired[Id]  # Its session, in lists of all sessions.
    startedAt: NotRequired[Time]  # When it began.
    endedAt: NotRequired[Time]  # When it ended.


class ProviderLimit(TypedDict):
    provider: str  # The provider.
    kind: LimitKind  # rate or quota.
    state: LimitStatus  # Its last reported state.
    until: NotRequired[Time]  # When it is reset.
    used: NotRequired[int]  # What is used.
    limit: NotRequired[int]  # The limit.
    sequence: int  # The event that records it.


class ProviderRow(TypedDict):
    provider: str  # The provider.
    baseUrl: NotRequired[str]  # Its address.
    keyVariables: list[str]  # Environment variables that may hold its key; empty: it needs none.
    lentVariables: list[str]  # Further variables that a client lends with the key: parts of an account, and the provider's address.
    hasCredential: bool  # Whether there is a key for it, or it needs none and has answered.
    addressFrom: NotRequired[str]  # The environment variable that the address comes from; absent: the settings or the catalogue.
    keyFrom: NotRequired[KeyOrigin]  # Where its key comes from; absent: there is none.
    keyName: NotRequired[str]  # The environment variable that holds the key, or the file with the credentials.
    remedy: NotRequired[str]  # What to do without credentials, where that is not to set a variable or to keep a key.
    defaultModel: NotRequired[str]  # The model that turns use when none is named.
    isConfigured: bool  # Whether the settings name it.
    isLocal: bool  # Whether it is a server on this machine.


class QueueRules(TypedDict):
    onBusy: OnBusy  # What a new turn does on a busy thread.
    onInterrupt: QueuePolicy  # What an interrupt does to the queue.


class QueueView(TypedDict):
    queueId: Id  # The queue.
    order: list[Id]  # Queued turns, in order.
    policy: QueueRules  # Its rules.
    resumeState: str  # running or held.


class QueuedTurnView(TypedDict):
    turnId: Id  # The turn.
    queuedTurnId: Id  # The same id under its queue name.
    taskId: NotRequired[Id]  # Its task.
    position: int  # Its position, from 1.
    status: Status  # queued.
    source: str  # Where it came from.
    delivery: NotRequired[Delivery]  # How it was sent.
    inputRef: NotRequired[Id]  # Its input.
    preview: NotRequired[str]  # The beginning of its input.
    queuedAt: Time  # Since when it waits.


class RecoveryProgress(TypedDict):
    total: int  # Sessions that had open work at the start.
    recovered: int  # Sessions that were recovered.


class RefEntry(TypedDict):
    kind: NotRequired[str]  # What the ref points to, such as turn_input, agent_message, tool_output, artifact; of a checkpoint log (offset: the last event before it) or turn (the target of rollback_thread).
    ref: str  # The ref.
    offset: NotRequired[int]  # First new byte behind the ref.


class RemoteTask(TypedDict):
    nativeProtocol: str  # Protocol of the peer, such as a2a.
    remoteTaskId: str  # The peer's own task id.
    remoteContextId: NotRequired[str]  # The peer's context id.
    remoteAgentRef: NotRequired[str]  # Which peer.
    agentCardRef: NotRequired[str]  # Its card, as read.
    deliveryMechanism: NotRequired[DeliveryMechanism]  # How updates arrive.
    remoteStatus: NotRequired[str]  # The peer's own word for its state.
    remoteArtifactRefs: NotRequired[list[str]]  # Artifacts it sent.
    lastMessageId: NotRequired[str]  # The peer's id of its last message that is recorded.


class ResourceLimits(TypedDict):
    timeoutMs: int  # Timeout of a command.
    inactivityMs: int  # Longest time without output of a command.
    maxOutputBytes: int  # Bytes a command may write.
    maxProcesses: int  # Number of processes of a command.
    maxParallelTools: int  # Tools that may run at the same time.


class RetryPolicy(TypedDict):
    maxAttempts: int  # Maximum attempts of one task.
    backoff: Backoff  # How the wait increases.
    nonRetryable: list[str]  # Categories that are not retried.
    backoffMs: NotRequired[int]  # The first wait; default one second.
    timeoutMs: NotRequired[int]  # Timeout of one attempt.


class Reward(TypedDict):
    value: NotRequired[float]  # The score, as the verifier wrote it.
    ref: NotRequired[str]  # The reward file.
    detailsRef: NotRequired[str]  # Its details.
    criteria: NotRequired[list[str]]  # What was scored.
    failureCategory: NotRequired[str]  # Why it failed, or none.


class RoutingDecision(TypedDict):
    routingMode: RoutingMode  # None, one or several candidates.
    decisionSource: RoutingSource  # What the choice is based on.
    decisionReason: str  # Why, in one sentence.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    requestedProvider: NotRequired[str]  # The requested provider.
    requestedModel: NotRequired[str]  # The requested model.
    candidateCount: int  # Number of candidates.
    fallbackChain: list[ChainEntry]  # What may be tried next, and what was tried.
    capabilityGap: str  # The capability that is missing, or none.
    requiresUserOverride: bool  # Whether a person must choose.
    limitStateSnapshot: LimitState  # Limits at that moment.


class RuleRow(TypedDict):
    ruleRef: str  # Its name in `ruleRefs` of decisions.
    source: str  # Its source: host_policy, user, project or session.
    effect: ApprovalDecision  # allow, ask or deny.
    counts: bool  # False for an allow rule of a project that is not trusted.
    always: bool  # Applies under bypass too, and no grant satisfies it.
    tool: NotRequired[str]  # Tools it refers to.
    command: NotRequired[list[str]]  # Words of the commands it refers to.
    path: NotRequired[str]  # Paths it refers to.
    access: NotRequired[str]  # read or write, if only one is meant.
    host: NotRequired[str]  # Hosts it refers to.
    mcp: NotRequired[str]  # Tool server it refers to.
    reason: NotRequired[str]  # Why it exists.


class SandboxOverride(TypedDict):
    mode: NotRequired[SandboxMode]  # Another boundary.
    network: NotRequired[NetworkMode]  # Another network.
    unixSockets: NotRequired[bool]  # Whether Unix sockets with a path may be used.
    readRoots: NotRequired[list[str]]  # Additional directories that may be read.
    writeRoots: NotRequired[list[str]]  # Additional directories that may be written.
    hosts: NotRequired[list[str]]  # Hosts to reach through the proxy; with another network mode, the hosts it is known to contact.
    readFiles: NotRequired[list[str]]  # Additional single files that may be read.
    writeFiles: NotRequired[list[str]]  # Additional single files that built-in tools may write.
    atMost: NotRequired[SandboxMode]  # Widest allowed boundary, whatever else is granted.
    networkAtMost: NotRequired[NetworkMode]  # Widest allowed network.
    outputAtMost: NotRequired[int]  # Maximum output that is kept.


class SandboxProfile(TypedDict):
    mode: SandboxMode  # The boundary in force.
    tier: str  # The mechanisms that enforce it.
    requestedMode: NotRequired[SandboxMode]  # The requested boundary.
    enforcement: NotRequired[Enforcement]  # What happens if the plan cannot be enforced.
    cwd: NotRequired[str]  # Directory the command starts in.
    readRoots: NotRequired[list[str]]  # What can be read.
    writeRoots: NotRequired[list[str]]  # What can be written.
    protectedPaths: NotRequired[list[str]]  # What stays protected inside the write roots.
    deniedPaths: NotRequired[list[str]]  # Paths and patterns that deny rules cover, for reading unless prefixed with write:.
    unreported: NotRequired[list[str]]  # Refusals that leave no sandbox.violation, by the words of docs/explanation/sandbox.md.
    network: NotRequired[NetworkProfile]  # The network inside the sandbox.
    environmentRef: NotRequired[Id]  # The variables it gets.
    processLimits: NotRequired[ProcessLimits]  # Its limits.
    violationRefs: NotRequired[list[str]]  # Events that report violations.


class SandboxState(TypedDict):
    profile: NotRequired[SandboxProfile]  # The sandbox of commands.
    violationRefs: list[str]  # Events that report violations.


class Schedule(TypedDict):
    scheduleId: Id  # The schedule.
    sessionId: Id  # Its session.
    threadId: Id  # The thread on which its tasks run, one after the other.
    status: ScheduleStatus  # Whether the schedule is active.
    cron: NotRequired[str]  # The time, as a cron expression.
    everyMs: NotRequired[int]  # Interval.
    at: NotRequired[Time]  # Once, at this time.
    timezone: NotRequired[str]  # Time zone of the cron expression.
    missedPolicy: MissedPolicy  # What happens to missed runs.
    overlap: OverlapPolicy  # What happens while the previous task is still open.
    task: Any  # Arguments of create_task for each run.
    nextAt: NotRequired[Time]  # When it is due next.
    lastAt: NotRequired[Time]  # When it was due last.
    lastTaskId: NotRequired[Id]  # The latest task that resulted from it.
    runs: int  # Tasks that it created.
    missed: int  # Runs that were missed.
    skipped: int  # Runs that were skipped because one was still open, or that could not be started.


class SessionRow(TypedDict):
    sessionId: Id  # The session.
    title: NotRequired[str]  # Its name.
    workspaceId: NotRequired[str]  # Its workspace.
    cwd: NotRequired[str]  # The directory it works in.
    model: NotRequired[str]  # Its default model.
    lastModel: NotRequired[str]  # Provider and model of the latest turn of the thread that the status is about.
    permissionMode: NotRequired[PermissionMode]  # Its permission mode.
    status: ThreadStatus  # The most urgent status of its threads.
    profileStatus: NotRequired[Status]  # The detailed status.
    statusReason: NotRequired[str]  # Why.
    category: NotRequired[ErrorCategory]  # The stable word of a failure.
    threads: int  # Number of threads.
    activeTurnId: NotRequired[Id]  # The active turn.
    pendingActions: int  # Pending approvals.
    queuedTurns: int  # Queued turns.
    costUsd: NotRequired[float]  # Cost so far.
    amountState: NotRequired[Honesty]  # States that the cost is unknown.
    costStatus: NotRequired[CostStatus]  # The word estimated, if the cost includes estimates.
    archived: NotRequired[bool]  # Whether it is archived.
    labels: NotRequired[list[str]]  # Its labels, key=value, sorted.
    createdAt: Time  # When it was created.
    updatedAt: Time  # The time of the last change.
    sequence: int  # Its last event.


class SigningKey(TypedDict):
    keyId: str  # SHA-256 of the public key (SubjectPublicKeyInfo, DER) in hex.
    publicKey: str  # The public key: Ed25519, PEM.
    state: SigningKeyState  # Whether it signs now.
    origin: SigningKeyOrigin  # What holds the private key: a file of the data directory, a systemd credential, or sign.command.
    createdAt: NotRequired[Time]  # When it was recorded.
    retiredAt: NotRequired[Time]  # When another key replaced it.


class StepView(TypedDict):
    stepId: Id  # The step.
    startedSequence: int  # The event that opened it.
    kind: ItemKind  # What kind of step it is.
    index: int  # Position in the turn, from 1.
    status: Status  # Its status.
    toolCallId: NotRequired[Id]  # The call it is.
    endedSequence: NotRequired[int]  # The event that ended it.


class Subagent(TypedDict):
    subagentId: Id  # The child.
    parentThreadId: Id  # The thread on which it was created.
    parentTurnId: NotRequired[Id]  # The turn in which it was created.
    parentTaskId: NotRequired[Id]  # The task it was created for.
    parentSubagentId: NotRequired[Id]  # The child agent that created it.
    threadId: Id  # Its own thread.
    role: str  # What it is for.
    nickname: NotRequired[str]  # Display name.
    isolation: Isolation  # What it may see and change.
    modelPolicy: ModelPolicy  # Whether it uses the parent's model.
    model: NotRequired[str]  # Its own model.
    agent: NotRequired[AgentDefinition]  # The agent as a Markdown file that it is.
    status: SubagentStatus  # Its status.
    lastMessageRef: NotRequired[Id]  # Its last message.
    worktreeState: NotRequired[WorktreeState]  # Whether its worktree exists; absent if it has none.
    worktreeReason: NotRequired[str]  # Why its worktree could not be created.
    toolServer: NotRequired[str]  # The tool server whose requests for answers of a model it answers; absent: it is an agent.


class SubagentJobSection(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    subagents: NotRequired[list[Subagent]]  # The child agents.
    jobs: NotRequired[list[Job]]  # The jobs.
    assignedThreadIds: NotRequired[list[Id]]  # Threads of open child agents and jobs.
    recoverable: NotRequired[bool]  # Whether all of them can continue after a restart.


class Subcommand(TypedDict):
    argv: list[str]  # The words of one simple command.
    decision: ApprovalDecision  # What was decided for it.
    destructive: bool  # Whether it is destructive.
    ruleRef: NotRequired[str]  # The rule that decided.


class SubmitOptions(TypedDict):
    model: NotRequired[str]  # As the argument of that name.
    fallback: NotRequired[FallbackPolicy]  # As the argument of that name.
    taskKind: NotRequired[str]  # As the argument of that name.
    requires: NotRequired[list[str]]  # As the argument of that name.
    latency: NotRequired[LatencyTarget]  # As the argument of that name.
    effort: NotRequired[Effort]  # As the argument of that name.
    budgetUsd: NotRequired[float]  # As the argument of that name.
    outputSchema: NotRequired[Any]  # As the argument of that name.
    metadata: NotRequired[Any]  # As the argument of that name.
    delivery: NotRequired[Delivery]  # As the argument of that name.
    background: NotRequired[bool]  # As the argument of that name.


class Task(TypedDict):
    taskId: Id  # The task.
    parentTaskId: NotRequired[Id]  # The parent task.
    rootTaskId: NotRequired[Id]  # The root of its task tree.
    sessionId: NotRequired[Id]  # The session it belongs to.
    threadId: NotRequired[Id]  # The thread it works on.
    turnId: NotRequired[Id]  # The turn it was created for.
    title: NotRequired[str]  # A short name.
    objective: NotRequired[str]  # The objective.
    taskKind: NotRequired[str]  # Kind of work.
    taskFamily: NotRequired[str]  # General kind of work.
    visibility: NotRequired[Visibility]  # Who sees it in lists.
    status: NotRequired[TaskStatus]  # Its status.
    nativeStatus: NotRequired[str]  # The foreign system's word for its state.
    priority: NotRequired[str]  # Hint for scheduling.
    requestedBy: NotRequired[Actor]  # Who asked for it.
    owner: NotRequired[Actor]  # Who is responsible for it.
    assignee: NotRequired[Actor]  # Who works on it.
    scope: NotRequired[TaskScope]  # The boundary it works in.
    constraints: NotRequired[Constraints]  # What it may not exceed.
    acceptance: NotRequired[list[Criterion]]  # What completion needs.
    createdAt: NotRequired[Time]  # When it was created.
    currentRunId: NotRequired[Id]  # The active or latest run.
    taskProfile: NotRequired[TaskProfile]  # The capabilities it needs from a model.
    progress: NotRequired[TaskProgress]  # Its progress.
    attempts: NotRequired[list[TaskAttempt]]  # All attempts, oldest first.
    relationships: NotRequired[list[TaskRelationship]]  # Its edges.
    remoteTask: NotRequired[RemoteTask]  # The peer's task, when it was delegated.
    artifacts: NotRequired[list[ArtifactRef]]  # Artifacts it produced.
    evidenceRefs: NotRequired[list[str]]  # Evidence about it.
    deliveryState: NotRequired[DeliveryState]  # Whether its result arrived.
    startedAt: NotRequired[Time]  # When it first ran.
    updatedAt: NotRequired[Time]  # The time of the last change.
    statusReason: NotRequired[str]  # Why it has this status.
    lastError: NotRequired[LastError]  # The last failure.
    endedAt: NotRequired[Time]  # When it ended.
    wait: NotRequired[Wait]  # What it waits for, since when, and what ends the wait.
    version: NotRequired[int]  # The event that changed it last.
    metadata: NotRequired[Any]  # The caller's own notes.
    labels: NotRequired[list[str]]  # Its labels, key=value, sorted.


class TaskAcceptance(TypedDict):
    criteria: list[Criterion]  # What completion needs.
    covered: int  # Number of those that are met.


class TaskAttempt(TypedDict):
    runId: Id  # The run.
    attemptId: Id  # The attempt; one to one with the run.
    status: AttemptStatus  # Wire status of the attempt.
    nativeStatus: NotRequired[str]  # The exact word, if the wire has none.
    attemptCount: int  # Which attempt of the task, from 1.
    worker: NotRequired[Worker]  # Who executes it.
    inputRefs: NotRequired[list[RefEntry]]  # Its input.
    startedAt: NotRequired[Time]  # When it began.
    retryPolicy: NotRequired[RetryPolicy]  # The effect of a failure.
    endedAt: NotRequired[Time]  # When it ended.
    outputRefs: NotRequired[list[RefEntry]]  # What it left.
    checkpointRefs: NotRequired[list[RefEntry]]  # Points from which it can continue.
    lastError: NotRequired[LastError]  # Why it failed.
    completionSummary: NotRequired[str]  # A sentence on the outcome; not authoritative.
    remoteTask: NotRequired[RemoteTask]  # The remote agent's task; every attempt has its own.


class TaskGraph(TypedDict):
    rootTaskId: NotRequired[Id]  # The root task.
    edges: list[TaskRelationship]  # All edges.


class TaskProfile(TypedDict):
    kind: str  # Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another.
    source: str  # Who asked for it.
    requiredCapabilities: list[str]  # The required capabilities of the model.
    latencyTarget: LatencyTarget  # How long people are expected to wait.
    budgetClass: BudgetClass  # Its cost class.
    fallbackPolicy: FallbackPolicy  # Whether another model may be used.
    settingsSource: str  # Where these settings come from.
    continuity: NotRequired[Continuity]  # Where it continues: nothing, the thread's earlier turns, or an interrupted run.


class TaskProgress(TypedDict):
    phase: NotRequired[Phase]  # What the task is doing.
    percent: NotRequired[int]  # Percentage done, 0 to 100, if known.
    currentStepId: NotRequired[Id]  # The step it is at.
    summary: NotRequired[str]  # One sentence.
    counters: NotRequired[Counters]  # Things counted so far.
    toolCalls: NotRequired[int]  # Tool calls made so far.
    modelRequests: NotRequired[int]  # Model requests made so far.
    outputRefs: NotRequired[list[RefEntry]]  # New output and its offsets.
    acceptance: NotRequired[AcceptanceCount]  # Criteria met so far.
    validation: NotRequired[str]  # State of the checks.


class TaskRelationship(TypedDict):
    kind: EdgeKind  # What the edge says.
    sourceId: NotRequired[Id]  # The object it starts at.
    targetId: Id  # The object it points to.
    status: NotRequired[EdgeStatus]  # Whether the edge is still in force.
    createdAt: NotRequired[Time]  # When it was created.
    updatedAt: NotRequired[Time]  # The time of the last change.
    reason: NotRequired[str]  # Why it was created.


class TaskScope(TypedDict):
    workspaceId: NotRequired[str]  # Workspace the task belongs to.
    threadId: NotRequired[Id]  # The thread it belongs to.
    accountRef: NotRequired[str]  # The account it belongs to.
    environmentId: NotRequired[Id]  # The environment it belongs to.
    cwd: NotRequired[str]  # Directory it works in.
    ref: NotRequired[str]  # Any other boundary, by ref.


class TaskSummary(TypedDict):
    active: int  # Running tasks.
    waiting: int  # Number of waiting ones.
    terminal: int  # Tasks that ended.
    completed: int  # Number of completed ones.
    failed: int  # Number of failed ones.
    lost: int  # Number of lost ones.
    recentTerminal: list[Id]  # The most recently ended ones.


class TaskWhy(TypedDict):
    waitingFor: str  # What it waits for, in one word.
    since: NotRequired[Time]  # Since when.
    until: NotRequired[Time]  # The latest possible time.
    endedBy: list[str]  # Commands, timers and events that can end it.
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
    window: HistoryWindow  # The loaded part.


class ThreadRow(TypedDict):
    threadId: Id  # The thread.
    kind: ThreadKind  # What it is for.
    title: NotRequired[str]  # Its name.
    status: ThreadStatus  # Its status.
    profileStatus: NotRequired[Status]  # The detailed status.
    activeTurnId: NotRequired[Id]  # The active turn.
    pendingActions: int  # Pending approvals.
    queuedTurns: int  # Queued turns.
    turns: int  # Turns it had.
    updatedAt: NotRequired[Time]  # The time of the last change.


class ThreadTelemetry(TypedDict):
    traceIds: list[str]  # Traces it is part of.
    joinStatus: str  # Whether records could be joined.


class ThreadView(TypedDict):
    threadId: Id  # The thread.
    kind: ThreadKind  # What it is for.
    status: ThreadStatus  # Its status, in the nine words of the standard.
    profileStatus: Status  # The detailed status.
    activeTurnId: NotRequired[Id]  # The active turn.
    statusReason: NotRequired[str]  # Why it has this status.
    wait: NotRequired[Wait]  # What it waits for.
    lastOutcome: NotRequired[LastOutcome]  # How the last turn ended.
    turns: list[TurnView]  # The recent turns.
    pendingRequests: list[ActionView]  # Pending approvals.
    queuedTurns: list[QueuedTurnView]  # Queued turns, in order.
    queue: QueueView  # The queue itself.
    incidents: list[Incident]  # What went wrong.
    actions: list[ActionView]  # Pending and given decisions.
    toolCalls: list[ToolCallView]  # Recent calls.
    processes: list[ProcessView]  # Commands.
    permissionState: PermissionState  # Mode, grants, pending approvals.
    sandboxState: SandboxState  # The sandbox and its violations.
    modelRouting: ModelRouting  # The choice of model.
    limitState: NotRequired[LimitState]  # The limits.
    costState: NotRequired[CostState]  # Cost.
    subagents: list[Subagent]  # Its child agents.
    jobs: list[Job]  # Its jobs.
    channels: list[Channel]  # Peers that belong to it.
    outputs: list[Output]  # Stored outputs.
    tasks: list[Task]  # Its tasks.
    taskGraph: TaskGraph  # Their edges.
    blockedTasks: list[BlockedTask]  # Tasks that cannot continue.
    deliveryState: NotRequired[DeliveryState]  # Whether the end was delivered to its receivers.
    telemetry: ThreadTelemetry  # Traces.
    history: ThreadHistory  # The loaded part of its history.
    contextBoundary: ContextBoundary  # What the model sees.
    diagnostics: Diagnostics  # What needs attention.
    evidenceSummary: EvidenceSection  # Evidence.
    todo: NotRequired[list[TodoItem]]  # The list that its model keeps for itself, if any: a hint.


class TimeUse(TypedDict):
    durationMs: int  # The whole time; it equals the sum of the five parts.
    modelMs: int  # A model request was open.
    peopleMs: int  # Otherwise: an approval, a question or a resume was waited for.
    toolMs: int  # Otherwise: a tool call or a hook was open.
    resourceMs: int  # Otherwise: the turn was queued, backed off, or waited for a limit, a cap or a slot.
    runtimeMs: int  # The rest: the runtime decided and wrote to the disk.


class TodoItem(TypedDict):
    text: str  # What to do.
    status: TodoStatus  # The model's view of it; it has no effect.


class Tokens(TypedDict):
    inputTokens: int  # Input tokens, including cached ones.
    cachedInputTokens: int  # Tokens read from the provider's cache.
    cacheWriteTokens: NotRequired[int]  # Tokens written to that cache.
    outputTokens: int  # Output tokens.
    reasoningTokens: int  # Number of reasoning tokens among them.


class ToolCallView(TypedDict):
    toolCallId: Id  # The call.
    stepId: Id  # Its step.
    turnId: Id  # Its turn.
    toolName: str  # The tool.
    status: Status  # Its status.
    permissionDecision: NotRequired[PermissionDecision]  # The decision under which it runs.
    hookRunIds: list[Id]  # Hooks that took part.
    executed: Executed  # Whether it may have had an effect.
    category: NotRequired[ErrorCategory]  # Why it failed.
    sandboxMode: NotRequired[SandboxMode]  # The sandbox it ran in.
    outputRef: NotRequired[Id]  # Its output.
    exitCode: NotRequired[int]  # Exit code of the command.
    isError: NotRequired[bool]  # Whether the result is an error.
    durationMs: NotRequired[int]  # How long it took.


class ToolRequest(TypedDict):
    tool: str  # The tool, by its name in the inventory: shell, or mcp__SERVER__TOOL.
    arguments: NotRequired[Any]  # Its arguments, an object; default: none.
    client: NotRequired[CallClient]  # What the caller answers itself when the tool asks for it, and which messages of the tool it takes. Default: people answer, and there are no messages.


class ToolServer(TypedDict):
    name: str  # Its name in the settings; its tools are called mcp__NAME__TOOL.
    source: str  # user: of the settings; project: of a directory's .mcp.json; client: a client named it for one session.
    cwd: NotRequired[str]  # For a project's server: the directory whose file names it.
    sessionId: NotRequired[Id]  # For a client's server: the session that it belongs to.
    status: ToolServerStatus  # Whether it runs, and if not why not.
    detail: NotRequired[str]  # The reason, in a sentence.
    command: str  # The program and its arguments; empty for a server with an address. Of a project's server as its file has them: whole, variables by name.
    env: NotRequired[list[str]]  # Variables that a project's file sets for its server, NAME=VALUE as they are there; those of the settings are not shown.
    url: NotRequired[str]  # Its address; absent for a program.
    headers: NotRequired[list[str]]  # Names of the headers that its entry adds to each request; values are not shown.
    nativeProtocol: str  # mcp.
    protocolVersion: NotRequired[str]  # The protocol version in use.
    program: NotRequired[str]  # Its own name for itself.
    channelId: NotRequired[Id]  # Its channel, while it is connected.
    hosts: NotRequired[list[str]]  # Hosts that its entry requests: it reaches these and no others.
    contentHash: NotRequired[str]  # For the project's file: what is trusted, or would be.
    programHash: NotRequired[str]  # For a server with more rights than the agent: over the files that its command names.
    toolCount: int  # Tools it offers.
    changedCount: int  # Those whose definition changed since it was pinned.
    leftOut: NotRequired[str]  # Tools that cannot be used: how many, and the first with the reason; absent: none.
    restarts: int  # Number of restarts.
    signedIn: NotRequired[bool]  # For a server with a login: whether there is one now.
    loginPending: NotRequired[bool]  # A login was begun and waits for a person, or for its authorization server.
    sampling: NotRequired[ToolServerSampling]  # How models answer what it asks; absent: they do not.


class ToolServerSampling(TypedDict):
    permission: SamplingPermission  # ask: a person allows each request; allow: none is asked.
    budgetUsd: float  # What its requests may cost in one turn.
    maxTokens: int  # Maximum tokens of one answer.
    model: NotRequired[str]  # The model; absent: that of the turn.


class Trajectory(TypedDict):
    schema: NotRequired[str]  # Its format and version.
    ref: NotRequired[str]  # Where it is stored.
    exportStatus: NotRequired[str]  # pending, exported, failed, redacted or not-supported.
    requiredFieldStatus: NotRequired[Any]  # Which required fields are present.


class TrialCell(TypedDict):
    taskId: str  # The dataset's task.
    configurationId: str  # The configuration.
    trials: int  # Its trials.
    running: int  # Of those, trials that have not ended.
    scored: int  # Of those, trials with a reward.
    unscored: int  # Of those, trials that have ended without a reward; they are in no mean.
    failed: int  # Of those, trials that failed.
    meanReward: NotRequired[float]  # Mean of the rewards; absent without any.
    rewardStdDev: NotRequired[float]  # Standard deviation of the rewards; absent with fewer than two.
    meanCostUsd: NotRequired[float]  # Mean cost of an ended trial; absent if a cost is unknown.
    meanTokens: NotRequired[float]  # Mean tokens of an ended trial; absent if they are unknown.
    meanDurationMs: NotRequired[float]  # Mean duration of an ended trial.
    newest: list[TrialRef]  # Its newest trials, at most 12.


class TrialConfiguration(TypedDict):
    runtimeVersion: str  # Version of the runtime.
    model: str  # The requested model, or the one of the settings.
    effort: NotRequired[str]  # The requested effort.
    fallback: NotRequired[str]  # Whether another model may be used, if the caller says so.
    profiles: NotRequired[TrialProfiles]  # What the caller says about the agent, prompts, tools, context and routing.
    configHash: str  # Names the settings in force by their hash.


class TrialDataset(TypedDict):
    selectionPolicy: NotRequired[str]  # How tasks were picked; default: named, by the caller.
    frozenAt: NotRequired[Time]  # When it was frozen.
    localPath: NotRequired[str]  # Where it is stored here.
    registryRef: NotRequired[str]  # Where it comes from.
    contentHash: NotRequired[str]  # Hash of its content.
    taskCount: NotRequired[int]  # Number of tasks.


class TrialProfiles(TypedDict):
    agent: NotRequired[str]  # The agent's name and version.
    promptProfile: NotRequired[str]  # Profile of the prompts.
    toolProfile: NotRequired[str]  # Profile of the tools.
    contextProfile: NotRequired[str]  # Profile of the context.
    routingProfile: NotRequired[str]  # Profile of the routing.


class TrialRef(TypedDict):
    trialId: Id  # The trial.
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    status: Status  # Its status: running, completed or failed.
    reward: NotRequired[float]  # Its score.


class TrialRow(TypedDict):
    trialId: Id  # The trial.
    benchmark: Benchmark  # What it belongs to.
    status: Status  # Its status: running, completed or failed.
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    taskId: Id  # The runtime's task.
    runId: Id  # The run that it was bound to; a resumed turn has later ones.
    traceId: NotRequired[str]  # The trace.
    configuration: NotRequired[TrialConfiguration]  # What it ran with.
    attempt: int  # Which attempt, from 1.
    timeoutSec: int  # Timeout.
    budgetUsd: NotRequired[float]  # Maximum cost.
    sandboxMode: NotRequired[SandboxMode]  # The sandbox of its commands.
    permissionMode: NotRequired[PermissionMode]  # Its permission mode.
    startedAt: NotRequired[Time]  # When it started.
    endedAt: NotRequired[Time]  # When it ended.
    durationMs: NotRequired[int]  # How long it took.
    timedOut: NotRequired[bool]  # Whether it timed out.
    cleanup: NotRequired[str]  # Whether everything was cleaned up.
    tokens: NotRequired[Tokens]  # Tokens used.
    costUsd: NotRequired[float]  # Cost.
    amountState: NotRequired[Honesty]  # States that the cost is unknown.
    artifactCount: NotRequired[int]  # Artifacts it produced.
    deniedBefore: NotRequired[int]  # Denied calls of the session before the trial.
    deniedCount: NotRequired[int]  # Calls that were denied during the trial.
    failureCategory: NotRequired[str]  # Why it failed, in the words of the benchmark, or none.
    category: NotRequired[ErrorCategory]  # Why it failed, in the runtime's words.
    message: NotRequired[str]  # One sentence for people.
    reward: NotRequired[Reward]  # Its score.
    rewardSha256: NotRequired[str]  # Hash of the verifier's reward file.
    detailsKind: NotRequired[RewardDetails]  # What explains the score.
    verifierStatus: NotRequired[str]  # How the verifier ended.
    verifierRef: NotRequired[str]  # Which verifier.
    separateVerifier: NotRequired[bool]  # The verifier ran apart from the trial.
    trajectoryTransferred: NotRequired[bool]  # Whether a separate verifier was given the trajectory.
    oracleSanity: NotRequired[str]  # Whether the known good answer passes.
    drift: NotRequired[str]  # Whether the verifier changed.
    trajectory: NotRequired[Trajectory]  # Its trajectory.
    refs: NotRequired[dict[str, Any]]  # Its files and outputs, by name.
    packRef: NotRequired[str]  # The last pack that was exported.
    evidenceComplete: NotRequired[bool]  # Whether that pack had trajectory, reward, details and manifest.
    p0QcGateRegressionCount: NotRequired[int]  # P0 gates with worse results, as the quality owner reported them.


class TrialSet(TypedDict):
    datasetId: str  # The dataset.
    datasetVersion: str  # Its version.
    trials: int  # Its trials.


class Trigger(TypedDict):
    name: str  # Its name in the setting triggers.
    path: str  # Where deliveries are posted.
    signature: str  # How the sender proves itself: standard, github, slack or bearer.
    prompt: str  # What the agent does with a delivery.
    work: str  # What a delivery becomes: turn or task.
    session: str  # new: each delivery has a session of its own; one: all share one.
    principal: str  # Who asked, in events.
    events: NotRequired[list[str]]  # Types of events that count; absent: all.
    cwd: NotRequired[str]  # Directory of its work.
    model: NotRequired[str]  # Model of its work.
    mode: NotRequired[str]  # Permission mode of its work.
    secretEnv: str  # The variable with the secret.
    previousSecretEnv: NotRequired[str]  # The variable with the secret that is being replaced.


class TurnPermissionView(TypedDict):
    mode: PermissionMode  # The mode.
    lastDecision: NotRequired[ApprovalDecision]  # The last decision.
    pendingActionIds: list[Id]  # Pending approvals.


class TurnTime(TypedDict):
    turnId: Id  # The turn.
    threadId: Id  # Its thread.
    startedAt: Time  # When it was submitted.
    endedAt: NotRequired[Time]  # When it ended; absent while it is open.
    time: TimeUse  # What took the time, up to now if it is open.


class TurnView(TypedDict):
    turnId: Id  # The turn.
    kind: TurnKind  # Whose turn it is.
    status: Status  # Its detailed status.
    statusReason: NotRequired[str]  # Why.
    taskId: NotRequired[Id]  # Its task.
    runId: NotRequired[Id]  # Its latest run.
    attemptId: NotRequired[Id]  # Its latest attempt.
    inputRef: NotRequired[Id]  # Its input.
    startedAt: NotRequired[Time]  # When it began.
    completedAt: NotRequired[Time]  # When it ended.
    steps: list[StepView]  # Its steps, in order.
    taskProfile: NotRequired[TaskProfile]  # The capabilities it needs from a model.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available.
    routingDecision: NotRequired[RoutingDecision]  # The model that was chosen.
    permissionState: NotRequired[TurnPermissionView]  # Its decisions.
    sandboxProfile: NotRequired[SandboxProfile]  # The last sandbox.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where its commands run.
    costState: NotRequired[CostState]  # Cost.
    limitState: NotRequired[LimitState]  # The limits it reached.
    hookRuns: NotRequired[list[HookRun]]  # Its hooks.
    processes: NotRequired[list[ProcessView]]  # Its commands.
    outputRefs: NotRequired[list[OutputRow]]  # Its outputs.


class UsageObjectives(TypedDict):
    firstDeltaMs: NotRequired[int]  # 95 of 100 first pieces within this time (slo.first_delta_ms).
    turnMs: NotRequired[int]  # 95 of 100 turns within this time (slo.turn_ms).
    failedPercent: NotRequired[int]  # At most this share of turns failed or lost (slo.failed_percent).
    dayUsd: NotRequired[float]  # The cap on a day (budget.day_usd).


class UsageQuantiles(TypedDict):
    count: int  # Durations that were measured.
    p50Ms: int  # Half of them took at most this long, to the width of a bucket.
    p95Ms: int  # 95 of 100 took at most this long.


class UsageRow(TypedDict):
    key: str  # The hour or day in UTC, the model as provider/model, the caller, or the session; `total` for the sum.
    requests: int  # Requests to models whose cost was settled.
    inputTokens: int  # Input tokens, with those read from a cache.
    cachedInputTokens: int  # Tokens read from a cache.
    outputTokens: int  # Output tokens.
    reasoningTokens: int  # Tokens of reasoning.
    spentUsd: float  # What it cost, without requests of unknown cost.
    unknownCosts: int  # Requests of unknown cost.
    completed: NotRequired[int]  # Turns that completed; this and what follows is absent for a model.
    failed: NotRequired[int]  # Turns that failed or timed out.
    cancelled: NotRequired[int]  # Turns that were cancelled.
    lost: NotRequired[int]  # Turns whose end is unknown.
    allowed: NotRequired[int]  # Calls of tools that were allowed.
    denied: NotRequired[int]  # Calls of tools that were denied.
    waitedMs: NotRequired[int]  # How long questions waited for people.
    firstDelta: NotRequired[UsageQuantiles]  # From a request to its first piece.
    turns: NotRequired[UsageQuantiles]  # From a submitted turn to its end, without cancelled ones.


class ValidationCounts(TypedDict):
    passed: int  # Artifacts whose latest version passed.
    failed: int  # Artifacts whose latest version failed.
    notApplicable: int  # Artifacts that declare nothing checkable, or that were deleted.
    unchecked: int  # Artifacts that were not validated, or not completely.
    issues: int  # Issues of all of them.


class Verification(TypedDict):
    name: str  # What was checked.
    status: str  # The verifier's result.
    verifierRef: NotRequired[str]  # The verifier that reported it.


Wait = TypedDict("Wait", {
    "for": "WaitFor",  # What it waits for.
    "since": "Time",  # Since when.
    "until": "NotRequired[Time]",  # The latest possible time.
    "deadline": "NotRequired[str]",  # The word none, if nothing ends it automatically.
    "endedBy": "list[str]",  # Commands, timers and events that can end it.
    "overdueAt": "NotRequired[Time]",  # When the long wait was reported.
    "resumeToken": "NotRequired[str]",  # Identifies what resume_thread resumes; a token of an earlier interruption is refused.
})


class Worker(TypedDict):
    kind: WorkerKind  # What executes the attempt.
    runtimeId: NotRequired[Id]  # The runtime it runs in.
    threadId: NotRequired[Id]  # The thread it runs on.
    sessionId: NotRequired[Id]  # Of another node: the session in which it works.
    workerId: NotRequired[str]  # The external worker's own name; of another node node:NAME:INCARNATION.
    ref: NotRequired[str]  # Where the worker is described; of a peer its name in agents.remote.
    depth: NotRequired[int]  # Of a peer: how many delegations follow each other, this one included.
    leaseUntil: NotRequired[Time]  # When it counts as lost without a heartbeat.


class AckEventsReply(TypedDict):
    channelId: Id  # The channel.
    lastAckedSequence: int  # Last event acknowledged.


class AddDirectoryReply(TypedDict):
    directories: list[str]  # All that were added, links resolved.
    sequence: int  # Last durable event of the session when the reply was made.


class AnswerQuestionReply(TypedDict):
    actionId: Id  # The question.
    decision: ApprovalDecision  # The word answer, or decline.
    sequence: int  # Last durable event of the session when the reply was made.


class AppendTaskProgressReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class ArchiveTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class AskToolServerReply(TypedDict):
    result: Any  # The server's result: untrusted.


class AssignJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    leaseUntil: NotRequired[Time]  # When the worker counts as lost.


class AttachToolServersReply(TypedDict):
    sessionId: Id  # The session.
    servers: list[ToolServer]  # The servers as they begin; detail says why one is not used.
    sequence: int  # Last durable event of the session when the reply was made.


class CancelJobReply(TypedDict):
    jobId: Id  # The job.
    status: JobStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class CancelTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class ClaimTaskReply(TypedDict):
    sessionId: NotRequired[Id]  # The session.
    taskId: NotRequired[Id]  # The task; absent if there is none.
    runId: NotRequired[Id]  # The run.
    attemptId: NotRequired[Id]  # The attempt.
    task: NotRequired[Task]  # The complete record.
    leaseUntil: NotRequired[Time]  # When the worker counts as lost.
    sequence: NotRequired[int]  # Last durable event of the session when the reply was made.


class CloseSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class CompactThreadReply(TypedDict):
    threadId: Id  # The thread.
    turnId: Id  # The system turn that does it.
    status: Status  # Its status.
    sequence: int  # Last durable event of the session when the reply was made.


class CompareBenchmarkRunsReply(TypedDict):
    comparison: Comparison  # The deltas.
    comparisonRef: str  # The output that holds the comparison and the trials that it is made of.
    sequence: int  # Last durable event of the session when the reply was made.


class CompleteArgumentReply(TypedDict):
    values: list[str]  # At most 100; empty: the server suggests none.


class CompleteTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class CompleteToolCallReply(TypedDict):
    sessionId: Id  # The session.
    toolCallId: Id  # The call.
    turnId: Id  # Its turn, which continues when all calls of the round have ended.
    waiting: int  # Calls of the turn that still wait for their caller.
    firstSequence: int  # The first event that this command added: reading after the event before it shows how the turn continues.
    sequence: int  # Last durable event of the session when the reply was made.


class CreateJobReply(TypedDict):
    sessionId: Id  # The session.
    jobId: Id  # The job.
    status: JobStatus  # Its current status.
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


class CreateSigningKeyReply(TypedDict):
    key: SigningKey  # The new key.
    sequence: int  # Last durable event of the system session when the reply was made.


class CreateTaskReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class CreateTokenReply(TypedDict):
    token: str  # The token; it cannot be shown again.
    record: AccessToken  # What it may do.
    sequence: int  # Last durable event of the system session when the reply was made.


class DeleteScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Its current status.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class DeleteSessionReply(TypedDict):
    sessionId: Id  # The session.
    status: str  # deleted, or already_deleted.
    lastSequence: int  # Its last event.
    headHash: str  # The hash of its log at that event.
    sequence: int  # The event of sess_system that records it.


class DrainNodeReply(TypedDict):
    name: str  # Its name.
    drainS: int  # Seconds that the model requests and tools which run there may take to end (node.drain_s).
    sequence: int  # Last durable event of the session of the node when the reply was made; 0: it was leaving already.


class EditFilesReply(TypedDict):
    paths: list[str]  # The files that were changed.
    sequence: int  # Last durable event of the session when the reply was made.


class EraseEventReply(TypedDict):
    sessionId: Id  # The session.
    eventSequence: int  # The event.
    status: str  # erased, or already_erased.
    sequence: int  # Last durable event of the session when the reply was made.


class EvaluatePermissionReply(TypedDict):
    permissionDecision: PermissionDecision  # The decision and what it is based on.
    sequence: int  # Last durable event of the session when the reply was made.


class ExpandCommandReply(TypedDict):
    text: str  # The prompt.
    command: ExtensionRow  # The command.
    model: NotRequired[str]  # The model that it asks for, if it can be asked.


class ExplainThreadReply(TypedDict):
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # Its active turn.
    status: ThreadStatus  # Its status.
    profileStatus: Status  # The detailed status.
    waitingFor: str  # A word of wait_for, or start, preparation, model, tool, release, nothing, unknown.
    since: NotRequired[Time]  # Since when.
    until: NotRequired[Time]  # When the wait ends automatically.
    deadline: NotRequired[str]  # none, instead of `until`: no point in time ends it.
    endedBy: list[str]  # Commands and events that end it.
    pendingActionIds: list[Id]  # Pending approvals.
    queuedTurnIds: list[Id]  # Turns queued after it, in order.
    detail: str  # The same as a sentence for people.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportBenchmarkTrialReply(TypedDict):
    trialId: Id  # The trial.
    evidenceId: Id  # The export.
    packRef: str  # The output that holds the document.
    sha256: str  # Hash of the document.
    knownGaps: list[str]  # Refs that the document lacks.
    trajectory: NotRequired[Trajectory]  # Its trajectory.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportEvidenceReply(TypedDict):
    evidenceId: Id  # The export.
    packRef: str  # The output that holds the pack.
    sha256: str  # Hash of the pack.
    sizeBytes: int  # Size of the pack.
    fromSequence: int  # First event of its range.
    toSequence: int  # Last event of its range.
    headHash: str  # Hash of the log at that event.
    knownGaps: list[str]  # Signals that apply and are missing.
    partial: bool  # Whether what it covers is still running.
    keyId: NotRequired[str]  # The key that signed it; absent: there is none.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportReplayReply(TypedDict):
    evidenceId: Id  # The export; export_evidence of the same scope has the same id.
    replayRef: str  # The output that holds it: the evidence pack of the scope.
    path: str  # The file in the pack.
    sha256: str  # Hash of the pack.
    sizeBytes: int  # Size of the pack.
    fromSequence: int  # First event of its range.
    toSequence: int  # Last event of its range.
    partial: bool  # Whether what it covers is still running.
    sequence: int  # Last durable event of the session when the reply was made.


class ExportReviewReply(TypedDict):
    evidenceId: Id  # The export; export_evidence of the same scope has the same id.
    reviewRef: str  # The output that holds it: the evidence pack of the scope.
    path: str  # The file in the pack.
    sha256: str  # Hash of the pack.
    sizeBytes: int  # Size of the pack.
    fromSequence: int  # First event of its range.
    toSequence: int  # Last event of its range.
    partial: bool  # Whether what it covers is still running.
    sequence: int  # Last durable event of the session when the reply was made.


class FailTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class ForkThreadReply(TypedDict):
    sessionId: Id  # Session of the new thread.
    threadId: Id  # The new thread.
    turnId: NotRequired[Id]  # Last inherited turn.
    sequence: int  # Last durable event of the session when the reply was made.


GetArtifactCheckpointSummaryReply: TypeAlias = "ArtifactCheckpointSummary"


class GetBenchmarkMatrixReply(TypedDict):
    datasetId: NotRequired[str]  # The dataset of the cells; absent if there are no trials.
    datasetVersion: NotRequired[str]  # Its version.
    cells: list[TrialCell]  # One for each task and configuration with a trial, the one with the newest trial first.
    omitted: int  # Trials of the dataset whose cells are beyond the limit.
    datasets: list[TrialSet]  # The datasets with trials, the newest first, at most 100.
    trials: int  # All trials, also of other datasets.


GetBenchmarkSummaryReply: TypeAlias = "BenchmarkSummary"


class GetCapabilitiesReply(TypedDict):
    name: str  # thole.
    version: str  # Its version.
    runtimeId: Id  # The installation.
    schemaVersion: str  # Version of the event envelope.
    specVersion: str  # Version of the standard.
    layers: Any  # The layers of the standard, core and limeProfile: complete, or partial while something of it is not built.
    commands: Any  # Every command, and whether it is built.
    events: Any  # Every event class, and whether it is emitted.
    views: list[str]  # The views.
    transports: list[str]  # How to connect.
    endpoints: list[Endpoint]  # Where programs that speak other protocols connect, and whether each is enabled.
    sandbox: Any  # Tiers that the kernel supports, and the one in use.
    providers: list[Any]  # The models of all providers: provider, model, hasCredential, priced with inputPerMTok and outputPerMTok in dollars, capabilities, windowTokens, maxOutputTokens.
    settings: Any  # Settings that clients need, such as the delta window, and `durability`: `full`, `relaxed`, or `local` where a commit is on one PostgreSQL server only.
    limits: Any  # Limits of input, and of data that is inline in events instead of behind a ref.
    sections: Any  # Sections of snapshots that are unavailable in this build.
    storage: NotRequired[Any]  # damaged: places in the log that could not be read since the start, each with sessionId, from, to and reason.


GetContextBoundaryReply: TypeAlias = "ContextBoundarySnapshot"


GetEvidenceSummaryReply: TypeAlias = "EvidenceSummary"


class GetExecutionEnvironmentReply(TypedDict):
    executionEnvironment: ExecutionEnvironment  # The environment.
    sandboxProfile: NotRequired[SandboxProfile]  # The last sandbox, or the one that commands would get.
    processes: list[ProcessView]  # Running commands.
    sequence: int  # Last durable event of the session when the reply was made.


class GetJobReply(TypedDict):
    job: Job  # The job.
    sequence: int  # Last durable event of the session when the reply was made.


class GetOutputReply(TypedDict):
    output: Output  # Its record.
    offset: int  # First byte returned.
    bytes: int  # Number of returned ones.
    text: NotRequired[str]  # The bytes, if they are text.
    base64: NotRequired[str]  # The bytes, if they are not text.
    eof: bool  # Whether this is the end.


GetPermissionSandboxSummaryReply: TypeAlias = "PermissionSandboxSummary"


GetRoutingLimitSummaryReply: TypeAlias = "RoutingLimitSummary"


class GetSessionReply(TypedDict):
    schemaVersion: str  # Always lime-profile-0.4.0.
    runtimeId: Id  # The installation.
    sessionId: Id  # The session.
    workspaceId: NotRequired[str]  # Its workspace.
    title: NotRequired[str]  # Its name.
    placement: NotRequired[Placement]  # Where its directory is, if several nodes share the store.
    createdAt: Time  # When it was created.
    updatedAt: Time  # The time of the last change.
    sequence: int  # The last event it reflects.
    foldVersion: int  # Version of the fold.
    stale: bool  # Whether it may not be current.
    truncated: bool  # Whether parts were left out.
    account: Account  # Its owner.
    activeThreadIds: list[Id]  # Threads that are not archived.
    pinnedThreadIds: list[Id]  # Threads that are pinned.
    historyWindow: HistoryWindow  # The loaded part of its history.
    history: NotRequired[list[PastTurn]]  # With a cursor: turns of that page, newest first.
    threads: NotRequired[list[ThreadView]]  # Its threads.
    tasks: NotRequired[list[Task]]  # Its tasks.
    taskSummary: NotRequired[TaskSummary]  # Number of each kind.
    taskGraph: NotRequired[TaskGraph]  # Their edges.
    blockedTasks: NotRequired[list[BlockedTask]]  # Tasks that cannot continue.
    deliveryState: NotRequired[DeliveryState]  # Whether results arrived.
    toolInventoryRef: NotRequired[Id]  # The tools of the latest run.
    executionEnvironment: NotRequired[ExecutionEnvironment]  # Where commands run.
    permissionState: NotRequired[PermissionState]  # Mode, grants, pending approvals.
    sandboxState: NotRequired[SandboxState]  # The sandbox and its violations.
    routingLimitSummary: NotRequired[ModelRouting]  # The choice of model, cost, limits.
    sessionCost: NotRequired[CostState]  # Cost and tokens of all turns of the session.
    subagentJobSummary: NotRequired[SubagentJobSection]  # Child agents and jobs.
    channelSummary: NotRequired[ChannelSection]  # Enrolled peers.
    benchmarkSummary: NotRequired[BenchmarkSection]  # Trials.
    telemetrySummary: NotRequired[TelemetrySummary]  # Traces.
    outputSummary: NotRequired[OutputSummary]  # Stored outputs.
    historySummary: NotRequired[HistorySummary]  # What happened to its history.
    artifactRefs: NotRequired[list[str]]  # Artifacts.
    evidenceRefs: NotRequired[list[str]]  # Evidence.


GetSubagentJobSummaryReply: TypeAlias = "SubagentJobSummary"


class GetTaskReply(TypedDict):
    task: Task  # The task.
    graph: NotRequired[TaskGraph]  # Edges of its tree.
    why: NotRequired[TaskWhy]  # What it waits for, and what ends the wait.
    sequence: int  # Last durable event of the session when the reply was made.


GetThreadReadReply: TypeAlias = "ThreadReadModel"


class GetTimeUseReply(TypedDict):
    session: TimeUse  # The time in which at least one turn was open.
    turns: list[TurnTime]  # The newest turns in the order in which they were submitted.
    omitted: int  # Older turns that are in the sum alone.
    sequence: int  # The last event that was read.


GetToolInventoryReply: TypeAlias = "ToolInventorySnapshot"


class GetUsageReply(TypedDict):
    since: Time  # The beginning of the first hour.
    until: Time  # The end.
    by: UsageGroup  # What a row stands for.
    rows: list[UsageRow]  # Hours and days in their order, the others by cost, largest first.
    omitted: int  # Rows beyond the limit; the total has them.
    total: UsageRow  # The sum over all rows.
    sessions: int  # Sessions with any use.
    objectives: UsageObjectives  # What the settings aim at; absent members have no aim.


class HeartbeatJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    leaseUntil: Time  # When the worker counts as lost.
    status: JobStatus  # The status of the job, so that the worker notices a cancel.
    sequence: int  # Last durable event of the session when the reply was made.


class HeartbeatTaskReply(TypedDict):
    taskId: Id  # The task.
    leaseUntil: Time  # When the worker counts as lost.
    status: TaskStatus  # The status of the task, so that the worker notices a cancel.
    sequence: int  # Last durable event of the session when the reply was made.


class ImportSessionReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # Its thread.
    turns: int  # Turns that are imported now.
    added: int  # Turns that this command added.
    sequence: int  # Last durable event of the session when the reply was made.


class InterruptTurnReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # The turn being stopped.
    status: str  # cancelling if something is being stopped, no_op if there was nothing.
    sequence: int  # Last durable event of the session when the reply was made.


class LeaveSessionReply(TypedDict):
    sessionId: Id  # The session.
    status: str  # left, or no_op if the channel was not bound to it.
    sequence: int  # Last durable event of the session when the reply was made.


class LendKeysReply(TypedDict):
    providers: list[str]  # Providers that have a key of this connection now.


class LinkTasksReply(TypedDict):
    fromTaskId: Id  # The task the edge starts at.
    relationship: EdgeKind  # What the edge says.
    sequence: int  # Last durable event of the session when the reply was made.


class ListActionsReply(TypedDict):
    actions: list[ActionView]  # The requests, oldest first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListBenchmarkTrialsReply(TypedDict):
    trials: list[TrialRow]  # The trials.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListChannelsReply(TypedDict):
    channels: list[Channel]  # The channels of that session; without a session, those of all sessions in memory. Ordered by session and id.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListDevicesReply(TypedDict):
    devices: list[Device]  # Oldest first.


class ListEventsReply(TypedDict):
    events: list[RuntimeEvent]  # The stored envelopes, or their records in the requested export format; events that it cannot express are left out.
    lastSequence: NotRequired[int]  # Last event of the page, when one session is read.
    firstSequence: NotRequired[int]  # With before: where the page begins.
    more: bool  # Whether there are more.
    gap: NotRequired[Gap]  # The missing part: removed below the oldest event, or damaged on disk after the last event of the page.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListExtensionsReply(TypedDict):
    extensions: list[ExtensionRow]  # The user's first; of one name the first counts.
    project: NotRequired[str]  # The directory whose files are trusted together, if there is one.
    contentHash: NotRequired[str]  # For the project's files: what is trusted, or would be. Only without kind.
    leftOut: list[str]  # What is not listed, in sentences.


class ListGrantsReply(TypedDict):
    grants: list[Grant]  # The grants, oldest first.
    sequence: int  # Last durable event of the session when the reply was made.


class ListHooksReply(TypedDict):
    hooks: list[HookRow]  # The hooks in the order in which they run.
    path: NotRequired[str]  # The project's file, if there is one.
    contentHash: NotRequired[str]  # For that file: what is trusted, or would be.


class ListIssuersReply(TypedDict):
    issuers: list[Issuer]  # In the order of the settings.


class ListJobItemsReply(TypedDict):
    items: list[JobItem]  # The items, in order.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    sequence: int  # Last durable event of the session when the reply was made.


class ListJobsReply(TypedDict):
    jobs: list[Job]  # The jobs, newest first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListModelsReply(TypedDict):
    troubles: NotRequired[list[str]]  # Providers that did not list their models, and why.
    notOffered: NotRequired[list[str]]  # Names in routing.fallback_chain that no provider offers: no turn uses them.
    models: list[ModelRow]  # The models, in the order of preference.
    budgets: list[Budget]  # Caps that span sessions, and the amounts on them.


class ListNodesReply(TypedDict):
    nodes: list[Node]  # By name.
    isShared: bool  # Whether several nodes can share the store; false: it is for one node, such as SQLite.


class ListPeersReply(TypedDict):
    peers: list[Peer]  # The agents, in the order of the settings.


class ListProcessesReply(TypedDict):
    processes: list[ProcessView]  # The commands.
    placeholders: NotRequired[list[str]]  # Without a session: missing paths that a running sandbox protects with an empty placeholder, so that nothing creates them.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListProvidersReply(TypedDict):
    providers: list[ProviderRow]  # Those of the settings, then the well-known ones.


class ListQueueReply(TypedDict):
    threadId: Id  # The thread.
    queue: QueueView  # Order, rules and state.
    queuedTurns: list[QueuedTurnView]  # The queued turns, in order.
    sequence: int  # Last durable event of the session when the reply was made.


class ListRulesReply(TypedDict):
    rules: list[RuleRow]  # The rules, highest source first; grants are listed by `list_grants`.
    mode: PermissionMode  # What decides where no rule applies.
    sequence: int  # Last durable event of the session when the reply was made.


class ListSchedulesReply(TypedDict):
    schedules: list[Schedule]  # The schedules.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListSessionsReply(TypedDict):
    sessions: list[SessionRow]  # The sessions, latest change first.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    recovery: NotRequired[RecoveryProgress]  # While sessions are recovered after a start: the progress. Rows of the remaining ones show the state before recovery.


class ListSigningKeysReply(TypedDict):
    keys: list[SigningKey]  # The newest first.
    origin: str  # The name under which checkpoints are signed.
    verifierKeys: list[str]  # The same keys as name+hash+base64, the form of signed notes.
    trouble: NotRequired[str]  # Why the key cannot be used now.


class ListSubagentsReply(TypedDict):
    subagents: list[Subagent]  # The child agents.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.
    sequence: int  # Last durable event of the session when the reply was made.


class ListTasksReply(TypedDict):
    tasks: list[Task]  # The tasks, newest first.
    summary: NotRequired[TaskSummary]  # Number of each kind, if one session is requested.
    nextCursor: NotRequired[str]  # Where the next page begins; absent at the end.


class ListThreadsReply(TypedDict):
    threads: list[ThreadRow]  # The threads, oldest first.
    sequence: int  # Last durable event of the session when the reply was made.


class ListTokensReply(TypedDict):
    tokens: list[AccessToken]  # Oldest first.


class ListToolServersReply(TypedDict):
    servers: list[ToolServer]  # The servers, those of the settings first.


class ListToolsReply(TypedDict):
    tools: list[ListedTool]  # The tools, in the order of the inventory.


class ListTriggersReply(TypedDict):
    triggers: list[Trigger]  # In the order of the settings.


class LoginToolServerReply(TypedDict):
    server: str  # The server.
    signedIn: bool  # Whether there is a login now.
    url: NotRequired[str]  # The page to open. Show it, and never open it without being asked.
    redirectUri: NotRequired[str]  # Where the browser goes at the end: the page that a person pastes begins with it.


class LogoutToolServerReply(TypedDict):
    server: str  # The server.
    wasSignedIn: bool  # Whether there was a login.


class MoveQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The complete order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class OfferFileTextReply(TypedDict):
    accepted: bool  # Whether a call waited for it.


class OpenConsoleReply(TypedDict):
    code: str  # The code after #code= of the address; works once.
    expiresAt: Time  # Until when it is valid.
    addresses: list[str]  # Where the console is served; a loopback port is opened if there was none.
    hasConsole: bool  # Whether the console is part of this build.


class PairDeviceReply(TypedDict):
    code: str  # The code after #code= of the address; works once.
    address: str  # What the device opens.
    name: str  # Its name.
    scopes: list[str]  # What it will be allowed to do.
    expiresAt: Time  # Until when the code is valid.
    addresses: list[str]  # The address to which a tunnel or proxy must lead; a loopback port is opened if there was none.
    hasConsole: bool  # Whether the console is part of this build.


class PauseScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Its current status.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class PauseTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class PromoteQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The complete order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class RebuildSessionReply(TypedDict):
    sessionId: Id  # The session.
    events: int  # Events that were folded.
    rows: int  # Rows that were written.
    sequence: int  # Last durable event of the session when the reply was made.


class ReconnectChannelReply(TypedDict):
    channelId: Id  # The channel.
    resumeToken: NotRequired[str]  # Token for the next reconnect.
    fromSequence: int  # First event that follows.
    gap: NotRequired[bool]  # Whether events in between are missing.
    gapFrom: NotRequired[int]  # First removed event.
    gapTo: NotRequired[int]  # Last missing event.
    recoveryMode: NotRequired[RecoveryMode]  # With a gap: why the events are missing.
    stale: NotRequired[list[str]]  # With a gap: views that the peer must take from the snapshot.
    snapshot: NotRequired[Any]  # The session snapshot that is sent first.
    subscriptionId: NotRequired[str]  # On a JSON-RPC connection: the subscription that sends the events from fromSequence on.
    sequence: int  # Last durable event of the session when the reply was made.


class RecordBenchmarkRewardReply(TypedDict):
    trialId: Id  # The trial.
    reward: float  # The recorded value.
    sha256: NotRequired[str]  # Hash of the file.
    sequence: int  # Last durable event of the session when the reply was made.


class RecordEvidenceReply(TypedDict):
    evidenceId: Id  # The record.
    sequence: int  # Last durable event of the session when the reply was made.


class RemoveQueuedTurnReply(TypedDict):
    queuedTurnId: Id  # The turn.
    order: list[Id]  # The complete order afterwards.
    sequence: int  # Last durable event of the session when the reply was made.


class ReplayDecisionsReply(TypedDict):
    status: str  # same; or the gravest of differs, damaged, version_differs, expired, erased; not_recorded without a journal.
    events: int  # Events compared.
    decideVersion: int  # The version that decides now.
    groups: Any  # How many groups of decisions had which verdict.
    differences: list[Any]  # sequence, verdict, words, and the recorded event and the one now; the first 100.
    omitted: int  # Differences beyond them.


class ReplaySessionReply(TypedDict):
    status: str  # same; different; or unavailable: retention removed the beginning, and its state cannot be read.
    events: int  # Events folded.
    toSequence: int  # The last of them.
    views: int  # Read models compared.
    foldVersion: int  # Version of the read models.
    different: list[str]  # Read models that differ.
    unreadable: int  # Events that could not be read.


class ReportDelegationReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    actionId: NotRequired[Id]  # The pending question of the agent.
    sequence: int  # Last durable event of the session when the reply was made.


class ReportJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class ResizeProcessReply(TypedDict):
    processId: Id  # The process.
    sequence: int  # Last durable event of the session when the reply was made.


class ResolvePermissionReply(TypedDict):
    actionId: Id  # The action.
    decision: ApprovalDecision  # The final answer.
    sequence: int  # Last durable event of the session when the reply was made.


class RespondActionReply(TypedDict):
    actionId: Id  # The action.
    decision: ApprovalDecision  # The final answer.
    scope: NotRequired[GrantScope]  # Its scope.
    grantId: NotRequired[Id]  # The grant it created.
    turnId: NotRequired[Id]  # The turn that asked; absent: none did.
    firstSequence: NotRequired[int]  # The first event that this command added: reading after the event before it shows how the turn continues.
    sequence: int  # Last durable event of the session when the reply was made.


class ResumeScheduleReply(TypedDict):
    scheduleId: Id  # The schedule.
    status: ScheduleStatus  # Its current status.
    nextAt: NotRequired[Time]  # When it is due next.
    sequence: int  # Last durable event of the session when the reply was made.


class ResumeSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    turnId: NotRequired[Id]  # The turn that continues.


class ResumeTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: NotRequired[Id]  # The run that continues.


class ResumeThreadReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: NotRequired[Id]  # The turn that continues.
    taskId: NotRequired[Id]  # Its task.
    runId: NotRequired[Id]  # The new run.
    status: str  # resumed, released, running or nothing_to_resume; stopped when a task above it was cancelled.
    sequence: int  # Last durable event of the session when the reply was made.


class RetryJobItemReply(TypedDict):
    jobId: Id  # The job.
    jobItemId: Id  # The item.
    status: JobItemStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class RetryTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: Id  # The new run.
    attemptId: NotRequired[Id]  # The new attempt.
    turnId: NotRequired[Id]  # The turn, if the built-in agent works on it.


class RevokeDeviceReply(TypedDict):
    deviceId: Id  # The revoked device.
    name: str  # Its name then.
    streams: int  # Event streams that were closed at the node that records it.
    sequence: int  # Last durable event of the system session when the reply was made.


class RevokeGrantReply(TypedDict):
    grantId: Id  # The grant.
    sequence: int  # Last durable event of the session when the reply was made.


class RevokeTokenReply(TypedDict):
    name: str  # Its name.
    streams: int  # Event streams that were closed.
    sequence: int  # Last durable event of the system session when the reply was made.


class RollbackThreadReply(TypedDict):
    threadId: Id  # The thread.
    removedTurns: list[Id]  # Removed turns; the newest 64 and the active one if there are more.
    removedCount: NotRequired[int]  # Number of removed turns.
    sequence: int  # Last durable event of the session when the reply was made.


class RotateTokenReply(TypedDict):
    tokenId: str  # A name of the new token. The token is in the file `token` of each data directory.
    sequence: int  # Last durable event of the system session when the reply was made.


class SendSubagentInputReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    turnId: NotRequired[Id]  # The turn it became.


class SetModeReply(TypedDict):
    mode: PermissionMode  # The current mode.
    sequence: int  # Last durable event of the session when the reply was made.


class SetPolicyReply(TypedDict):
    policyRef: str  # The rules as they are now.
    sequence: int  # Last durable event of the session when the reply was made.


class SetToolServerReply(TypedDict):
    serversOff: list[str]  # All that are switched off.
    sequence: int  # Last durable event of the session when the reply was made.


class SpawnSubagentReply(TypedDict):
    subagentId: Id  # The child agent.
    status: SubagentStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    threadId: Id  # Its own thread.
    turnId: NotRequired[Id]  # Its first turn.


class StartBenchmarkTrialReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    taskId: Id  # The task.
    runId: Id  # The run.
    trialId: Id  # The trial.
    status: Status  # accepted.
    sequence: int  # Last durable event of the session when the reply was made.
    firstSequence: NotRequired[int]  # The turn's first event: reading after the event before it shows the whole turn.


class StartJobReply(TypedDict):
    jobId: Id  # The job.
    status: JobStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class StartTaskReply(TypedDict):
    taskId: Id  # The task.
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    runId: NotRequired[Id]  # The run.
    attemptId: NotRequired[Id]  # The attempt.
    turnId: NotRequired[Id]  # The turn, if the built-in agent works on it.
    leaseUntil: NotRequired[Time]  # When an external worker counts as lost.


class SubmitTurnReply(TypedDict):
    sessionId: Id  # The session.
    threadId: Id  # The thread.
    turnId: Id  # The turn.
    taskId: NotRequired[Id]  # Its task; a steer has its target's.
    runId: NotRequired[Id]  # The run reserved for it.
    status: Status  # accepted or queued.
    sequence: int  # Last durable event of the session when the reply was made.
    behind: NotRequired[Id]  # The turn it waits for.
    firstSequence: NotRequired[int]  # The turn's first event: reading after the event before it shows the whole turn.


class SubscribeEventsReply(TypedDict):
    subscriptionId: Id  # The subscription.
    after: int  # The event it begins after.
    gap: NotRequired[Gap]  # The missing part: removed below the oldest event, or damaged on disk after the last event of the page.


class TerminateProcessReply(TypedDict):
    processId: Id  # The process.
    status: ProcessStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.


class TrimLogReply(TypedDict):
    sessionId: Id  # The session.
    removedThrough: int  # The last missing event.
    headHash: NotRequired[str]  # Hash of the log at that point; the chain is checked from there.
    snapshotRef: NotRequired[Id]  # The state that replaces the removed events.
    sequence: int  # Last durable event of the session when the reply was made.


class TrustExtensionsReply(TypedDict):
    contentHash: str  # What is trusted now.
    project: str  # The project.
    sequence: int  # Last durable event of the system session when the reply was made.


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
    status: TaskStatus  # Its current status.
    sequence: int  # Last durable event of the session when the reply was made.
    changed: list[str]  # Names of the fields that changed.


class UploadOutputReply(TypedDict):
    outputRef: Id  # Its name; the ref of an image in the input of submit_turn.
    mediaType: str  # As given.
    sizeBytes: int  # Bytes so far.
    complete: bool  # Whether it is stored completely.
    sha256: NotRequired[str]  # Its hash, when it is complete.


class VerifyCheckpointReply(TypedDict):
    status: str  # continues, or broken.
    origin: NotRequired[str]  # The tree that the checkpoint names.
    keyId: NotRequired[str]  # The key whose signature is good.
    treeSize: NotRequired[int]  # Leaves of the checkpoint.
    currentSize: int  # Leaves of the tree now.
    sessions: int  # Sessions whose log was compared.
    expired: int  # Sessions that cannot be compared, because retention removed the events that the checkpoint covers.
    removed: int  # Sessions that were deleted since, as sess_system records.
    removedSessions: list[Id]  # Their ids; the first 100.
    unsignedAnchors: NotRequired[int]  # Anchors behind the newest signed one; absent: none.
    findings: list[CheckpointFinding]  # What is wrong; the first 100.
    findingCount: int  # All of them.


class VerifyLogReply(TypedDict):
    status: str  # whole, erased, removed (the session was deleted, and sess_system records it), incomplete (files of outputs are missing) or broken.
    sessions: int  # Sessions checked.
    events: int  # Events checked.
    firstBad: NotRequired[BadRow]  # The first row that is wrong.
    erased: int  # Rows whose body was erased.
    headHash: NotRequired[str]  # Hash of the last row, if one session is checked.
    anchoredSequence: NotRequired[int]  # The newest event of the session that an anchor in sess_system names; absent: none does, and events removed at the end would not be detected.
    removedBy: NotRequired[int]  # The event of sess_system that records its deletion.
    removedSessions: NotRequired[int]  # Of sess_system: sessions that were deleted, as it records.
    outputs: NotRequired[int]  # Outputs in blobs/ whose file was checked.
    missingOutputs: NotRequired[list[str]]  # Those whose file is missing; the first 100.


class WaitSubagentsReply(TypedDict):
    subagents: list[Subagent]  # The status of each.
    timedOut: bool  # Whether the wait timed out; the children continue.
    sequence: int  # Last durable event of the session when the reply was made.


class WriteProcessStdinReply(TypedDict):
    processId: Id  # The process.
    bytes: int  # Bytes written.
    outputOffset: NotRequired[int]  # The position of its output at that time.
    sequence: int  # Last durable event of the session when the reply was made.


Time: TypeAlias = str


class ArtifactCheckpointSummary(TypedDict):
    artifacts: list[ArtifactRow]  # The artifacts.
    artifactRefs: list[str]  # Their ids.
    validation: ValidationCounts  # Numbers of validation results.
    agentArtifact: NotRequired[Any]  # The same as Agent Artifact envelopes, if the command asks for them.
    sequence: int  # The last event it reflects.


class BenchmarkSummary(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    trials: NotRequired[list[TrialRow]]  # The trials.
    comparison: NotRequired[Comparison]  # The latest comparison.
    sequence: int  # The last event it reflects.


class ContextBoundarySnapshot(TypedDict):
    threadId: Id  # The thread.
    contextBoundary: ContextBoundary  # What the model sees.
    history: ThreadHistory  # The loaded part of its history.
    sequence: int  # The last event it reflects.


class EvidenceSummary(TypedDict):
    evidenceRefs: list[str]  # The evidence records.
    packRefs: list[str]  # Evidence packs.
    replayRefs: list[str]  # Replay cases.
    reviewRefs: list[str]  # Review templates.
    verificationOutcomes: list[Verification]  # The results of verifiers.
    knownGaps: list[str]  # Signals that apply and are missing.
    traceIds: NotRequired[list[str]]  # Traces.
    auditNotes: NotRequired[list[str]]  # Notes of reviewers.
    sequence: int  # The last event it reflects.


class PermissionSandboxSummary(TypedDict):
    permissionState: PermissionState  # Mode, grants, pending approvals.
    sandboxState: SandboxState  # The sandbox and its violations.
    pendingRequests: list[ActionView]  # Pending approvals.
    sequence: int  # The last event it reflects.


class RoutingLimitSummary(TypedDict):
    status: NotRequired[Honesty]  # Why no choice is shown: none was needed yet, or it is being made.
    taskKind: NotRequired[str]  # Kind of work.
    candidateCount: int  # Models that were available.
    singleCandidate: bool  # Whether there was exactly one.
    selectedProvider: NotRequired[str]  # The provider chosen.
    selectedModel: NotRequired[str]  # The model chosen.
    decisionSource: NotRequired[RoutingSource]  # What the choice is based on.
    decisionReason: NotRequired[str]  # Why.
    capabilityGap: NotRequired[str]  # The capability that is missing, or none.
    fallbackApplied: bool  # Whether another model was used.
    costState: NotRequired[CostState]  # Cost.
    limitState: NotRequired[LimitState]  # The limits it reached.
    taskProfile: NotRequired[TaskProfile]  # What the task needs.
    candidateModelSet: NotRequired[CandidateModelSet]  # Models that were available.
    routingDecision: NotRequired[RoutingDecision]  # The decision.
    providerLimits: NotRequired[list[ProviderLimit]]  # The limits that providers last reported.
    sequence: int  # The last event it reflects.


class SubagentJobSummary(TypedDict):
    status: NotRequired[Honesty]  # Why there is nothing to show.
    subagents: NotRequired[list[Subagent]]  # The child agents.
    jobs: NotRequired[list[Job]]  # The jobs.
    assignedThreadIds: NotRequired[list[Id]]  # Threads of open child agents and jobs.
    recoverable: NotRequired[bool]  # Whether all of them can continue after a restart.
    sequence: int  # The last event it reflects.


ThreadReadModel: TypeAlias = "ThreadView"


class ToolInventorySnapshot(TypedDict):
    sessionId: Id  # The session.
    threadId: NotRequired[Id]  # The thread.
    caller: NotRequired[Id]  # Who would call.
    mode: PermissionMode  # The mode under which they were evaluated.
    toolCount: int  # Number of them.
    tools: list[InventoryTool]  # The tools.
    serversOff: NotRequired[list[str]]  # Tool servers that the session switched off.
    toolInventoryRef: NotRequired[Id]  # The same, behind a ref.
    agentTool: NotRequired[Any]  # The same as Agent Tool records, if the command asks for them.
    sequence: int  # The last event it reflects.

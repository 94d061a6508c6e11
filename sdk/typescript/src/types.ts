// Written by scripts/sdk.py from docs/reference/openapi.json; do not edit.

export interface AckEventsArgs {
  /** The channel. */
  channelId: Id;
  /** The session it is about. */
  sessionId?: Id;
  /** All events up to this one were taken. */
  sequence: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface AppendTaskProgressArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run it is about. */
  runId?: Id;
  /** What it is busy with. */
  phase?: Phase;
  /** Share done, 0 to 100. */
  percent?: number;
  /** One sentence. */
  summary?: string;
  /** Things counted so far. */
  counters?: Counters;
  /** New output and its offsets. */
  outputRefs?: RefEntry[];
  /** Whether the result arrived. */
  deliveryState?: DeliveryState;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ArchiveTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface AssignJobItemArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** The worker's own name. */
  workerId: string;
  /** How long it may be silent. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CancelJobArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CancelTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** Why. */
  reason?: string;
  /** What else is stopped. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ClaimTaskArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** This task; any that fits when absent. */
  taskId?: Id;
  /** Only this kind of work. */
  taskKind?: string;
  /** The worker's own name. */
  workerId: string;
  /** How long it may be silent. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CloseSubagentArgs {
  /** The session. */
  sessionId: Id;
  /** The child agent. */
  subagentId: Id;
  /** Why. */
  reason?: string;
  /** Remove its worktree and its branch, whatever they hold; also of one that is closed already. */
  discardWorktree?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompactThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
  /** Turns that stay as they are. */
  keepTurns?: number;
  /** What the summary should keep. */
  instructions?: string;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompareBenchmarkRunsArgs {
  /** The session. */
  sessionId: Id;
  /** The baseline. */
  baselineConfigurationId: string;
  /** The candidate. */
  candidateConfigurationId: string;
  /** What differs. */
  singleChangedVariable?: string;
  /** What the quality owner decided. */
  decision?: string;
  /** Who decided. */
  decisionSource?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompleteTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run that did it. */
  runId?: Id;
  /** A sentence on the outcome. */
  summary?: string;
  /** Artifacts it made. */
  artifacts?: ArtifactRef[];
  /** Evidence about it. */
  evidenceRefs?: string[];
  /** Ids of criteria that hold. */
  acceptance?: string[];
  /** Whether the result arrived. */
  deliveryState?: DeliveryState;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateJobArgs {
  /** The session; a new one when absent. */
  sessionId?: Id;
  /** Id the caller wants. */
  jobId?: Id;
  /** The task it works for. */
  taskId?: Id;
  /** What to do with each item. */
  instruction: string;
  /** The items; more of them go behind inputRef. */
  items?: any[];
  /** The items, when they were stored before. */
  inputRef?: Id;
  /** Shape each output must have. */
  outputSchema?: any;
  /** Items at once. */
  concurrency?: number;
  /** Attempts per item. */
  maxAttempts?: number;
  /** Most time it may take. */
  maxRuntimeMs?: number;
  /** Most it may cost. */
  budgetUsd?: number;
  /** Start it at once; so when absent. */
  start?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateScheduleArgs {
  /** The session; a new one when absent. */
  sessionId?: Id;
  /** Id the caller wants. */
  scheduleId?: Id;
  /** When, in cron form. */
  cron?: string;
  /** How often, from now on. */
  everyMs?: number;
  /** Once, at this time. */
  at?: Time;
  /** Time zone of the cron form, such as Europe/Berlin; UTC when absent. */
  timezone?: string;
  /** Runs that nobody was there for: skip them, make up for them once, or for all of them. */
  missedPolicy?: MissedPolicy;
  /** While the task before is still open: skip, queue behind it, or cancel it. */
  overlap?: OverlapPolicy;
  /** Arguments of create_task for each run. */
  task: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateSessionArgs {
  /** Id the caller wants. */
  sessionId?: Id;
  /** Id the caller wants for the first thread. */
  threadId?: Id;
  /** A short name. */
  title?: string;
  /** The workspace. */
  workspaceId?: string;
  /** Directory its turns start in. */
  cwd?: string;
  /** Default model. */
  model?: string;
  /** Most the session may cost. */
  budgetUsd?: number;
  /** The caller's own notes. */
  metadata?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateTaskArgs {
  /** The session; a new one when absent. */
  sessionId?: Id;
  /** The thread it works on. */
  threadId?: Id;
  /** Id the caller wants. */
  taskId?: Id;
  /** A short name. */
  title?: string;
  /** What is to be done. */
  objective: string;
  /** Kind of work. */
  taskKind?: string;
  /** Coarse group of work. */
  taskFamily?: string;
  /** Who gets to see it in lists. */
  visibility?: Visibility;
  /** Hint for scheduling. */
  priority?: string;
  /** The task above it. */
  parentTaskId?: Id;
  /** Who does it. */
  assignee?: Actor;
  /** The boundary it works in. */
  scope?: TaskScope;
  /** What it may not exceed. */
  constraints?: Constraints;
  /** What completion needs. */
  acceptance?: Criterion[];
  /** What it needs from a model. */
  taskProfile?: TaskProfile;
  /** What a failure leads to. */
  retryPolicy?: RetryPolicy;
  /** Start it at once. */
  start?: boolean;
  /** Whether an absent session is made. */
  create?: CreatePolicy;
  /** The caller's own notes. */
  metadata?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface DeleteScheduleArgs {
  /** The session. */
  sessionId: Id;
  /** The schedule. */
  scheduleId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface EraseEventArgs {
  /** The session. */
  sessionId: Id;
  /** The event. */
  eventSequence: number;
  /** Which law or whose wish. */
  reason: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface EvaluatePermissionArgs {
  /** The session. */
  sessionId: Id;
  /** The thread it is about. */
  threadId?: Id;
  /** The turn it is about. */
  turnId?: Id;
  /** The call it is about. */
  toolCallId?: Id;
  /** The process it is about. */
  processId?: Id;
  /** What kind of thing it is about. */
  subject: DecisionSubject;
  /** The tool. */
  toolName?: string;
  /** Its input. */
  input?: any;
  /** Whether the fact is written; it is when absent. */
  record?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ExplainThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; absent: the main one. */
  threadId?: Id;
}

export interface ExportBenchmarkTrialArgs {
  /** The session. */
  sessionId: Id;
  /** The trial. */
  trialId: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ExportEvidenceArgs {
  /** The session. */
  sessionId: Id;
  /** Only this thread. */
  threadId?: Id;
  /** Only this turn. */
  turnId?: Id;
  /** Only this task. */
  taskId?: Id;
  /** The shape wanted. */
  format?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ExportReplayArgs {
  /** The session. */
  sessionId: Id;
  /** Only this thread. */
  threadId?: Id;
  /** Only this turn. */
  turnId?: Id;
  /** Only this task. */
  taskId?: Id;
  /** The shape wanted. */
  format?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ExportReviewArgs {
  /** The session. */
  sessionId: Id;
  /** Only this thread. */
  threadId?: Id;
  /** Only this turn. */
  turnId?: Id;
  /** Only this task. */
  taskId?: Id;
  /** The shape wanted. */
  format?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface FailTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run that failed. */
  runId?: Id;
  /** Why. */
  error: LastError;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ForkThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread to branch off; the session's main thread when absent. */
  threadId?: Id;
  /** Last turn to take over; the latest when absent. */
  turnId?: Id;
  /** Last event to take over: turns that ended by then. */
  sequence?: number;
  /** thread, the only one that is offered: the same session. */
  into?: string;
  /** Id the caller wants for the new thread. */
  newThreadId?: Id;
  /** A short name. */
  title?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface GetArtifactCheckpointSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export type GetCapabilitiesArgs = Record<string, never>;

export interface GetContextBoundaryArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the main one when absent. */
  threadId?: Id;
}

export interface GetExecutionEnvironmentArgs {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId?: Id;
  /** The turn; the latest when absent. */
  turnId?: Id;
}

export interface GetJobArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
}

export interface GetOutputArgs {
  /** The output. */
  outputRef: Id;
  /** The session it belongs to. */
  sessionId?: Id;
  /** First byte; negative counts from the end. */
  offset?: number;
  /** How many bytes. */
  length?: number;
}

export interface GetPermissionSandboxSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export interface GetRoutingLimitSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export interface GetSessionArgs {
  /** The session. */
  sessionId: Id;
  /** Turns of history to show. */
  window?: number;
  /** Only these parts. */
  sections?: string[];
  /** historyWindow.cursor of the page before: the next older turns, as `history`, newest first, and no other part that is not asked for. */
  cursor?: string;
}

export interface GetSubagentJobSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export interface GetTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
}

export interface GetThreadReadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; absent: the main one. */
  threadId?: Id;
  /** Turns of history to show. */
  window?: number;
}

export interface GetToolInventoryArgs {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId?: Id;
  /** As if this mode held. */
  mode?: PermissionMode;
  /** Who would call: a child agent or a task of the session; what its bounds forbid is denied. */
  caller?: Id;
}

export interface HeartbeatJobItemArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** The worker's own name. */
  workerId: string;
  /** How long it may be silent. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface HeartbeatTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run. */
  runId: Id;
  /** The worker's own name. */
  workerId: string;
  /** How long it may be silent. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface InterruptTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
  /** The turn; the active one when absent. */
  turnId?: Id;
  /** Why. */
  reason?: string;
  /** What happens to the queue. */
  queuePolicy?: QueuePolicy;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface LinkTasksArgs {
  /** The session. */
  sessionId: Id;
  /** The task the edge starts at. */
  fromTaskId: Id;
  /** The task it points to. */
  toTaskId?: Id;
  /** The other thing it points to. */
  targetId?: Id;
  /** What the edge says. */
  relationship: EdgeKind;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ListActionsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only of this thread. */
  threadId?: Id;
  /** Only with this status; pending when absent. */
  status?: ActionStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListChannelsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only in this role. */
  peerRole?: PeerRole;
}

export type ListDevicesArgs = Record<string, never>;

export interface ListEventsArgs {
  /** Only of this session; all the caller may read when absent. */
  sessionId?: Id;
  /** Events after this sequence; needs a session. */
  after?: number;
  /** The newest events before this sequence, oldest first; needs a session. firstSequence of a page is `before` of the next older one. */
  before?: number;
  /** Events after this place, across sessions. */
  cursor?: string;
  /** Only these classes; tool.* stands for a family. */
  types?: string[];
  /** Only of this thread. */
  threadId?: Id;
  /** Only of this turn. */
  turnId?: Id;
  /** Most events of one page. */
  limit?: number;
  /** Tell them in this form; as they are stored when absent. */
  as?: EventForm;
}

export interface ListGrantsArgs {
  /** Those of this session; without it those that reach beyond one. */
  sessionId?: Id;
  /** Only with this reach. */
  scope?: GrantScope;
}

export interface ListHooksArgs {
  /** The directory whose .thole/hooks.json is meant; absent: where the runtime works. */
  cwd?: string;
}

export interface ListJobItemsArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** Only with this status. */
  status?: JobItemStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListJobsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: JobStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListModelsArgs {
  /** Only of this provider. */
  provider?: string;
}

export interface ListProcessesArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: ProcessStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListQueueArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
}

export interface ListRulesArgs {
  /** With those of this session; without it those of the settings. */
  sessionId?: Id;
}

export interface ListSchedulesArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: ScheduleStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListSessionsArgs {
  /** Only of this workspace. */
  workspaceId?: string;
  /** Only with a thread in this state. */
  status?: ThreadStatus;
  /** true: only those that are put away; false: only the others; absent: both. */
  archived?: boolean;
  /** The runtime's own ones too. */
  system?: boolean;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListSubagentsArgs {
  /** The session. */
  sessionId: Id;
  /** Only below this thread. */
  parentThreadId?: Id;
  /** Children of children too. */
  descendants?: boolean;
  /** Only with this status. */
  status?: SubagentStatus;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListTasksArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only of this thread. */
  threadId?: Id;
  /** Only children of this task. */
  parentTaskId?: Id;
  /** Only with this status. */
  status?: TaskStatus;
  /** Only with this visibility; absent: all, those of plain turns (internal) included. */
  visibility?: Visibility;
  /** Most rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListThreadsArgs {
  /** The session. */
  sessionId: Id;
  /** Only of this kind. */
  kind?: ThreadKind;
  /** Only with this status. */
  status?: ThreadStatus;
}

export type ListToolServersArgs = Record<string, never>;

export interface MoveQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the one the turn waits on when absent. */
  threadId?: Id;
  /** The turn that waits. */
  queuedTurnId: Id;
  /** The new place, from 1. */
  position: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export type OpenConsoleArgs = Record<string, never>;

export interface PairDeviceArgs {
  /** Where the device reaches this runtime: https://name[:port], or plain http:// on loopback and with lan. */
  url: string;
  /** What it is called: letters, digits, . _ -; phone when not given. */
  name?: string;
  /** Plain HTTP on the local network is meant; such a device reads and decides, and nothing else. */
  lan?: boolean;
}

export interface PauseScheduleArgs {
  /** The session. */
  sessionId: Id;
  /** The schedule. */
  scheduleId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface PauseTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** Why. */
  reason?: string;
  /** What is paused besides: children pauses every open task below it. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface PromoteQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the one the turn waits on when absent. */
  threadId?: Id;
  /** The turn that waits. */
  queuedTurnId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RebuildSessionArgs {
  /** The session. */
  sessionId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ReconnectChannelArgs {
  /** The channel; a new one is enrolled when it is not known. */
  channelId: Id;
  /** The session it is bound to. */
  sessionId?: Id;
  /** Last event it has acknowledged. */
  lastAckedSequence?: number;
  /** Token it was given. */
  resumeToken?: string;
  /** How it is connected now. */
  transport?: Transport;
  /** What it is to us. */
  peerRole?: PeerRole;
  /** What it can do. */
  capabilities?: string[];
  /** Its protocol. */
  nativeProtocol?: string;
  /** false: no events follow the reply on this connection. */
  follow?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RecordBenchmarkRewardArgs {
  /** The session. */
  sessionId: Id;
  /** The trial. */
  trialId: string;
  /** The score. */
  reward: Reward;
  /** How the verifier ended. */
  verifierStatus?: string;
  /** Its files. */
  refs?: Record<string, any>;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RemoveQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the one the turn waits on when absent. */
  threadId?: Id;
  /** The turn that waits. */
  queuedTurnId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ReportJobItemArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** The worker's own name. */
  workerId?: string;
  /** The output. */
  output?: any;
  /** Why there is none. */
  error?: LastError;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResizeProcessArgs {
  /** The session. */
  sessionId: Id;
  /** The process. */
  processId: Id;
  /** Columns. */
  columns: number;
  /** Rows. */
  rows: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResolvePermissionArgs {
  /** The session. */
  sessionId: Id;
  /** The action. */
  actionId: Id;
  /** The answer; absent when a record gives it. */
  decision?: Decision;
  /** A record of Agent Policy that gives the answer: a decision, an approval, a grant or a waiver. */
  record?: any;
  /** Who decided. */
  decisionSource?: DecisionSource;
  /** Why. */
  reason?: string;
  /** Rules it rests on. */
  ruleRefs?: string[];
  /** How far it reaches. */
  scope?: GrantScope;
  /** When it ends. */
  expiresAt?: Time;
  /** Edited input. */
  input?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RespondActionArgs {
  /** The session. */
  sessionId: Id;
  /** The action. */
  actionId: Id;
  /** The answer. */
  decision: Decision;
  /** How far it reaches; once when absent. */
  scope?: GrantScope;
  /** Why. */
  reason?: string;
  /** Edited input, where the action takes it. */
  input?: any;
  /** The structured answer, where the action asks for one; members that it leaves out are the defaults of the action's schema. */
  payload?: any;
  /** When a wider grant ends. */
  expiresAt?: Time;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResumeScheduleArgs {
  /** The session. */
  sessionId: Id;
  /** The schedule. */
  scheduleId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResumeSubagentArgs {
  /** The session. */
  sessionId: Id;
  /** The child agent. */
  subagentId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResumeTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** What goes on besides: children resumes every paused task below it. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResumeThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
  /** The turn to go on with. */
  turnId?: Id;
  /** Token from the wait (thread.wait.resumeToken): refused if something else waits to be resumed by now. */
  resumeToken?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RetryJobItemArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RetryTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** Why. */
  reason: string;
  /** What the agent is told this time. */
  input?: any;
  /** Who does it this time. */
  worker?: Worker;
  /** What is tried again besides: children retries every task below it that failed, timed out, was lost or cancelled. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RevokeDeviceArgs {
  /** The device. */
  deviceId: Id;
  /** Not needed: a device goes once. */
  idempotencyKey?: string;
}

export interface RevokeGrantArgs {
  /** Session of the grant; absent for one that reaches beyond. */
  sessionId?: Id;
  /** The grant. */
  grantId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RollbackThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
  /** Last turn that stays. */
  toTurnId?: Id;
  /** Last event that stays. */
  toSequence?: number;
  /** End a running turn first. */
  interrupt?: boolean;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SendSubagentInputArgs {
  /** The session. */
  sessionId: Id;
  /** The child agent. */
  subagentId: Id;
  /** A string or an array of parts. */
  input: any;
  /** How it meets a busy child. */
  delivery?: Delivery;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SetModeArgs {
  /** The session. */
  sessionId: Id;
  /** The new mode. */
  mode: PermissionMode;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SetPolicyArgs {
  /** The session. */
  sessionId: Id;
  /** How far the rules reach: session, which is meant when it is absent. Wider rules stand in the settings. */
  scope?: GrantScope;
  /** The rules: a list, or {"rules": [...]}. */
  rules: any;
  /** Replace what was there instead of adding. */
  replace?: boolean;
  /** Why. */
  reason?: string;
  /** Refuse if the rules changed since. */
  expectedVersion?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SpawnSubagentArgs {
  /** The session. */
  sessionId: Id;
  /** The thread it is made on. */
  parentThreadId: Id;
  /** The turn it is made in. */
  parentTurnId?: Id;
  /** The task it is made for. */
  parentTaskId?: Id;
  /** Id the caller wants. */
  subagentId?: Id;
  /** What it is for. */
  role: string;
  /** Name for people. */
  nickname?: string;
  /** What it is told first. */
  input?: any;
  /** What it may see and touch. */
  isolation?: Isolation;
  /** Whether it takes the parent's model. */
  modelPolicy?: ModelPolicy;
  /** Its own model. */
  model?: string;
  /** Most it may cost. */
  budgetUsd?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface StartBenchmarkTrialArgs {
  /** The session; a new one when absent. */
  sessionId?: Id;
  /** Dataset, task, trial and configuration. */
  benchmark: Benchmark;
  /** What the agent is told. */
  input?: any;
  /** Time it has. */
  timeoutSec?: number;
  /** Most it may cost. */
  budgetUsd?: number;
  /** The cage it runs in. */
  sandboxMode?: SandboxMode;
  /** Files of the benchmark. */
  refs?: Record<string, any>;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface StartJobArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface StartTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The thread to run on. */
  threadId?: Id;
  /** Who does it: the built-in agent or an external worker. */
  worker?: Worker;
  /** What the agent is told; the objective when absent. */
  input?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SubmitTurnArgs {
  /** The session; a new one when absent. */
  sessionId?: Id;
  /** The thread; the session's main thread when absent. */
  threadId?: Id;
  /** Id the caller wants; the same id again is the same turn. */
  turnId?: Id;
  /** A string, or an array of parts: {"type":"text","text":"..."}; images, {"type":"image","mediaType":"image/png","data":"base64"} or with the ref of a stored output; files, {"type":"file","name":"a.txt","text":"..."} (or data in base64), or {"type":"file","path":"src/a.c"} of the workspace; resources, {"type":"resource","uri":"...","text":"..."}, and links to them, {"type":"resource_link","uri":"..."}. What is no text is refused. */
  input: any;
  /** How it meets a busy thread. */
  delivery?: Delivery;
  /** Whether an absent session or thread is made. */
  create?: CreatePolicy;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** Name of a session that is made. */
  title?: string;
  /** Model the caller wants. */
  model?: string;
  /** Whether another model may step in; deny locks the choice. */
  fallback?: FallbackPolicy;
  /** Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another. */
  taskKind?: string;
  /** Capabilities that the model must have, such as vision. */
  requires?: string[];
  /** How long people will wait. */
  latency?: LatencyTarget;
  /** Most the turn may cost. */
  budgetUsd?: number;
  /** The caller's own notes. */
  metadata?: any;
  /** Where the input comes from. */
  source?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
  /** Workspace of a session that is made. */
  workspaceId?: string;
  /** Directory to work in. */
  cwd?: string;
  /** Schema the final answer must fit. */
  outputSchema?: any;
  /** true: the work is a task of its own on a thread of its own, which can be retried, paused and delegated; text only. */
  background?: boolean;
  /** The same choices as one object; a choice that is given twice has to be the same. */
  options?: SubmitOptions;
  /** What else the model is to see: memory, knowledge, skills, files. */
  context?: ContextRef[];
}

export interface SubscribeEventsArgs {
  /** Only events of this thread. */
  threadId?: Id;
  /** Only events of this turn. */
  turnId?: Id;
  /** Go on with what comes; true unless said otherwise. */
  follow?: boolean;
  /** Only of this session. */
  sessionId?: Id;
  /** Begin after this sequence. */
  after?: number;
  /** Begin after this place, across sessions; end: with what comes. */
  cursor?: string;
  /** Only these classes; tool.* stands for a family. */
  types?: string[];
  /** This connection's channel: without `after` and `cursor` it begins behind what the channel has acknowledged. */
  channelId?: Id;
  /** Tell them in this form; as they are stored when absent. */
  as?: EventForm;
}

export interface TerminateProcessArgs {
  /** The session. */
  sessionId: Id;
  /** The process. */
  processId: Id;
  /** Why. */
  reason?: string;
  /** Time it has before it is killed. */
  graceMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrimLogArgs {
  /** The session. */
  sessionId: Id;
  /** The last event to remove. */
  through?: number;
  /** Or how many of the newest events stay. */
  keep?: number;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrustHooksArgs {
  /** The hash that was looked at; another one is refused. */
  contentHash: string;
  /** The directory whose file it is; absent: where the runtime works. */
  cwd?: string;
  /** One hook, of the settings or of the project: contentHash is its programHash. */
  ref?: string;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrustToolServerArgs {
  /** Its name. */
  server: string;
  /** The directory whose file names it, as list_tool_servers says; absent: the first server of that name. */
  cwd?: string;
  /** The hash that was looked at; another one is refused. */
  contentHash?: string;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface UnlinkTasksArgs {
  /** The session. */
  sessionId: Id;
  /** The task the edge starts at. */
  fromTaskId: Id;
  /** The task it points to. */
  toTaskId?: Id;
  /** The other thing it points to. */
  targetId?: Id;
  /** What the edge says. */
  relationship: EdgeKind;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface UnsubscribeEventsArgs {
  /** The subscription. */
  subscriptionId: Id;
}

export interface UpdateSessionArgs {
  /** The session. */
  sessionId: Id;
  /** The new name. */
  title?: string;
  /** The new workspace. */
  workspaceId?: string;
  /** The new directory. */
  cwd?: string;
  /** The new default model. */
  model?: string;
  /** The new cap on what the session may cost. */
  budgetUsd?: number;
  /** Threads that are pinned from now on. */
  pinnedThreadIds?: Id[];
  /** Whether it is put away. */
  archived?: boolean;
  /** The new notes. */
  metadata?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface UpdateTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The new name. */
  title?: string;
  /** What is to be done now. */
  objective?: string;
  /** The new hint. */
  priority?: string;
  /** Who does it now. */
  assignee?: Actor;
  /** Who gets to see it now. */
  visibility?: Visibility;
  /** The new bounds. */
  constraints?: Constraints;
  /** The new criteria. */
  acceptance?: Criterion[];
  /** The new notes. */
  metadata?: any;
  /** Refuse if the task changed since that event. */
  expectedVersion?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface VerifyLogArgs {
  /** Only this session. */
  sessionId: Id;
  /** Begin here. */
  fromSequence?: number;
}

export interface WaitSubagentsArgs {
  /** The session. */
  sessionId: Id;
  /** The child agents. */
  subagentIds: Id[];
  /** Wait for all of them instead of the first. */
  all?: boolean;
  /** How long to wait. */
  timeoutMs?: number;
}

export interface WriteProcessStdinArgs {
  /** The session. */
  sessionId: Id;
  /** The process. */
  processId: Id;
  /** What to write. */
  data: string;
  /** Whether data is base64. */
  base64?: boolean;
  /** Close its input afterwards. */
  eof?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export type ActionStatus = "pending" | "resolved" | "timed_out" | "cancelled";

export type ActionType = "tool_permission" | "structured_input" | "credential" | "plan" | "escalation";

export type ActorKind = "user" | "runtime" | "agent" | "worker" | "channel" | "peer" | "hook" | "policy" | "workflow" | "system";

export type ArtifactChange = "created" | "updated" | "deleted" | "observed";

export type AttemptStatus = "idle" | "queued" | "preparing" | "running" | "blocked" | "streaming" | "retrying" | "completed" | "failed" | "cancelled" | "stale" | "unknown" | "unavailable" | "not_applicable";

export type Backoff = "immediate" | "fixed" | "exponential";

export type BudgetClass = "low" | "medium" | "high" | "fixed" | "unknown";

export type CompactionTrigger = "manual" | "auto" | "memory" | "budget" | "remote" | "system";

export type ConstraintStrength = "hard" | "preference";

export type ContextKind = "instruction" | "memory" | "knowledge" | "skill" | "file" | "browser";

export type Continuity = "new" | "thread" | "resumed";

export type CostClass = "low" | "medium" | "high" | "unknown";

export type CostStatus = "estimated" | "recorded" | "unknown";

export type CreatePolicy = "if_missing" | "never";

export type Decision = "allow" | "deny" | "ask" | "sandboxed" | "unavailable" | "answer" | "decline" | "cancel";

export type DecisionKind = "allow_or_deny" | "answer_or_decline" | "provide_or_decline" | "approve_or_revise";

export type DecisionSource = "rule" | "mode" | "hook" | "classifier" | "human" | "host_policy" | "sandbox_override" | "tool_contract";

export type DecisionSubject = "tool" | "process" | "action" | "peer_task";

export type Delivery = "queue" | "steer" | "interrupt" | "reject" | "immediate";

export type DeliveryMechanism = "polling" | "streaming" | "subscription" | "push" | "custom";

export type DeliveryStatus = "pending" | "delivered" | "queued" | "failed" | "parent_missing" | "not_applicable";

export type EdgeKind = "parent" | "child" | "blocks" | "blocked_by" | "source_task" | "source_attempt" | "spawned_subagent" | "spawned_job" | "assigned_thread" | "produced_artifact" | "consumed_artifact" | "evidence";

export type EdgeStatus = "active" | "satisfied" | "broken" | "ended" | "removed";

export type Enforcement = "exact_or_fail" | "best_effort";

export type ErrorCategory = "auth" | "invalid_request" | "not_found" | "context_length" | "content_filter" | "refusal" | "rate_limited" | "overloaded" | "server_error" | "network" | "timeout" | "protocol" | "quota" | "budget" | "price_missing" | "no_candidate" | "max_steps" | "invalid_input" | "unknown_tool" | "tool_failed" | "permission" | "hook_blocked" | "hook_failed" | "sandbox_denied" | "sandbox_unavailable" | "spawn_failed" | "output_limit" | "process_failed" | "interrupted" | "cancelled" | "lost" | "acceptance_unmet" | "delivery_failed" | "dependency_failed" | "worker_lost" | "unavailable" | "verifier_error" | "environment" | "append_refused" | "store_failed" | "storage_full" | "internal" | "unknown";

export type ErrorCode = "invalid_request" | "invalid_json" | "unknown_field" | "missing_field" | "invalid_type" | "invalid_value" | "invalid_id" | "reserved_id" | "too_large" | "invalid_decision" | "invalid_answer" | "invalid_input" | "unknown_command" | "unavailable" | "unauthorized" | "forbidden" | "host_not_allowed" | "origin_not_allowed" | "method_not_allowed" | "not_acceptable" | "payload_too_large" | "unsupported_media_type" | "header_too_large" | "not_found" | "session_not_found" | "thread_not_found" | "turn_not_found" | "queued_turn_not_found" | "task_not_found" | "action_not_found" | "grant_not_found" | "tool_server_not_found" | "output_not_found" | "process_not_found" | "subagent_not_found" | "job_not_found" | "job_item_not_found" | "schedule_not_found" | "channel_not_found" | "subscription_not_found" | "trial_not_found" | "edge_not_found" | "idempotency_conflict" | "id_conflict" | "already_resolved" | "already_ended" | "not_retryable" | "not_resumable" | "not_interruptible" | "not_ready" | "acceptance_unmet" | "thread_busy" | "turn_active" | "turn_mismatch" | "compaction_active" | "nothing_to_do" | "version_mismatch" | "stale_run" | "cycle" | "cross_session_link" | "cancelling" | "stdin_closed" | "trial_mismatch" | "expired_cursor" | "output_missing" | "expired" | "range_not_satisfiable" | "queue_full" | "too_many_open" | "rate_limited" | "budget_exhausted" | "overloaded" | "shutting_down" | "session_moved" | "timeout" | "store_failed" | "session_unreadable" | "rebuilding" | "storage_full" | "internal";

export type EventForm = "agent_ui" | "agent_policy";

export type EventType = "session.created" | "session.updated" | "thread.started" | "thread.updated" | "turn.submitted" | "turn.started" | "turn.completed" | "turn.failed" | "task.created" | "task.accepted" | "task.queued" | "task.started" | "task.updated" | "task.progress" | "task.waiting" | "task.blocked" | "task.paused" | "task.resumed" | "task.retrying" | "task.cancel_requested" | "task.cancelled" | "task.timed_out" | "task.failed" | "task.lost" | "task.completed" | "task.archived" | "run.status" | "model.requested" | "model.delta" | "model.completed" | "model.failed" | "reasoning.delta" | "reasoning.summary" | "tool.catalog.resolved" | "tool.started" | "tool.args" | "tool.progress" | "tool.result" | "tool.failed" | "action.required" | "action.resolved" | "queue.changed" | "context.resolved" | "context.compaction.started" | "context.compaction.completed" | "context.compaction.failed" | "artifact.changed" | "evidence.changed" | "subagent.spawned" | "subagent.status" | "subagent.input" | "subagent.completed" | "subagent.failed" | "subagent.closed" | "limit.changed" | "snapshot.updated" | "runtime.warning" | "runtime.error" | "permission.evaluated" | "permission.requested" | "permission.resolved" | "sandbox.applied" | "sandbox.violation" | "hook.started" | "hook.completed" | "hook.failed" | "policy.changed" | "process.started" | "process.output" | "process.input" | "process.completed" | "process.failed" | "process.terminated" | "task.profile.resolved" | "routing.candidates.resolved" | "routing.decided" | "routing.fallback.applied" | "routing.not_possible" | "routing.single_candidate" | "task.delegated" | "task.dependency.updated" | "task.attempt.started" | "task.attempt.completed" | "task.attempt.failed" | "cost.estimated" | "cost.recorded" | "rate_limit.hit" | "quota.low" | "quota.blocked" | "channel.connected" | "channel.disconnected" | "channel.resumed" | "channel.message" | "channel.permission_forwarded" | "channel.permission_returned" | "job.created" | "job.started" | "job.progress" | "job.item.started" | "job.item.completed" | "job.item.failed" | "job.completed" | "job.failed" | "job.cancelled" | "output.spilled" | "output.truncated" | "output.redacted" | "output.expired" | "history.window.loaded" | "history.reconstructed" | "history.rollback.started" | "history.rollback.completed" | "snapshot.repaired" | "benchmark.dataset.resolved" | "benchmark.configuration.resolved" | "benchmark.trial.started" | "benchmark.trial.completed" | "benchmark.trial.failed" | "benchmark.reward.recorded" | "benchmark.comparison.completed";

export type EvidenceSignal = "exported" | "not_applicable" | "unsupported" | "not_recorded" | "missing_correlation" | "unavailable";

export type ExclusionReason = "credential_missing" | "capability_missing" | "quota_blocked" | "rate_limited" | "network_unavailable" | "policy_denied" | "budget_exceeded" | "price_missing" | "context_too_small" | "disabled";

export type Executed = "no" | "yes" | "partly" | "unknown";

export type FailPolicy = "open" | "closed";

export type FallbackPolicy = "allow" | "deny" | "ask" | "local_only" | "host_only";

export type GapReason = "retention" | "truncation" | "corrupt";

export type GrantScope = "once" | "turn" | "session" | "workspace" | "organization" | "host_policy";

export type HistoryLayer = "event_log" | "rollout_log" | "session_snapshot" | "thread_read_model" | "context_boundary" | "evidence_export";

export type Honesty = "unknown" | "unavailable" | "not_applicable" | "stale" | "blocked" | "lost";

export type HookDecision = "continue" | "block" | "allow" | "deny" | "ask";

export type HookHandler = "command" | "http" | "in_process";

export type HookPoint = "session_start" | "user_prompt_submit" | "pre_tool_use" | "permission_request" | "post_tool_use" | "post_tool_failure" | "post_sampling" | "stop" | "delivery";

export type HookSandbox = "agent" | "guarded" | "none";

export type HookStatus = "running" | "completed" | "failed";

export type HookTrust = "host" | "user" | "hash_recorded" | "untrusted";

export type InterruptBehavior = "cancel" | "wait" | "detach";

export type ItemKind = "user_message" | "agent_message" | "reasoning" | "tool_call" | "command" | "file_change" | "web_search" | "todo" | "error" | "catalog" | "compaction";

export type JobItemStatus = "pending" | "running" | "completed" | "failed" | "reported";

export type JobStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

export type LatencyTarget = "interactive" | "background" | "batch";

export type LimitEventKind = "rate_limit_hit" | "quota_low" | "quota_blocked" | "parallel_budget_reached";

export type LimitKind = "budget" | "rate" | "quota" | "parallel" | "policy";

export type LimitScope = "request" | "turn" | "session" | "task" | "day" | "tenant" | "provider";

export type LimitSource = "command" | "config" | "provider_headers" | "provider" | "host" | "governor";

export type LimitStatus = "ok" | "low" | "limited" | "blocked" | "unknown" | "unavailable" | "not_applicable";

export type Liveness = "gone" | "alive" | "unknown";

export type MissedPolicy = "skip" | "once" | "all";

export type MissingReason = "not_found" | "denied" | "too_large" | "unreadable" | "expired" | "omitted_by_budget";

export type ModelPolicy = "inherit" | "override";

export type NetworkMode = "off" | "restricted" | "full";

export type OnBusy = "queue" | "steer" | "interrupt" | "reject";

export type OutputOwner = "tool" | "process" | "hook" | "model" | "artifact" | "evidence" | "turn" | "runtime";

export type OverlapPolicy = "skip" | "queue" | "cancel";

export type PeerRole = "client" | "host" | "worker" | "remote_runtime" | "peer_agent" | "tool_server";

export type PermissionMode = "default" | "untrusted" | "on_request" | "on_failure" | "never" | "plan" | "bypass" | "auto";

export type Phase = "preparing" | "planning" | "working" | "streaming" | "verifying" | "delivering" | "waiting" | "retrying" | "cancelling" | "recovering" | "compacting" | "draining";

export type PolicyEvent = "policy.decision.created" | "policy.decision.updated" | "policy.approval.requested" | "policy.approval.responded" | "policy.grant.issued" | "policy.grant.revoked" | "policy.waiver.created" | "policy.trace.linked";

export type PolicyRecordKind = "decision" | "approval" | "grant" | "waiver";

export type PolicyResult = "allow" | "deny" | "ask" | "defer" | "escalate" | "waive" | "not_applicable" | "indeterminate";

export type PolicySource = "human" | "command" | "config" | "host" | "hook" | "runtime";

export type PriceSource = "table" | "script" | "config";

export type ProblemCategory = "request" | "auth" | "not_found" | "conflict" | "limit" | "capacity" | "store" | "internal";

export type ProcessStatus = "idle" | "running" | "exited" | "failed" | "lost";

export type Propagation = "self" | "children" | "processes" | "children_and_processes";

export type QueuePolicy = "keep" | "clear" | "continue";

export type RecoveryMode = "none" | "restart" | "compaction" | "rollback" | "truncation" | "retention" | "repair" | "gap";

export type Redaction = "none" | "secret" | "policy" | "provider_encrypted";

export type RoutingMode = "no_candidate" | "single_candidate" | "multi_candidate";

export type RoutingSource = "explicit" | "session" | "task_preference" | "host_policy" | "policy_auto" | "runtime_fallback";

export type SandboxMode = "read_only" | "workspace_write" | "danger_full_access" | "external_sandbox" | "unavailable";

export type ScheduleStatus = "active" | "paused" | "ended";

export type Status = "idle" | "accepted" | "queued" | "preparing" | "running" | "streaming" | "waiting_input" | "waiting_permission" | "waiting_resource" | "blocked" | "paused" | "retrying" | "cancelling" | "cancelled" | "timed_out" | "failed" | "lost" | "completed" | "archived" | "stale" | "unknown" | "unavailable" | "not_applicable" | "draft" | "closed" | "pending" | "exited" | "reported";

export type StdinPolicy = "closed" | "pipe" | "tty";

export type SubagentStatus = "queued" | "running" | "blocked" | "completed" | "failed" | "cancelled" | "closed";

export type TaskStatus = "draft" | "accepted" | "queued" | "preparing" | "running" | "waiting_input" | "waiting_permission" | "waiting_resource" | "blocked" | "paused" | "retrying" | "cancelling" | "cancelled" | "timed_out" | "failed" | "lost" | "completed" | "archived" | "stale" | "unknown";

export type ThreadKind = "main" | "fork" | "subagent" | "job" | "system";

export type ThreadStatus = "idle" | "queued" | "running" | "blocked" | "completed" | "failed" | "cancelled" | "stale" | "unknown";

export type TodoStatus = "pending" | "in_progress" | "completed";

export type ToolPolicy = "allowed" | "ask" | "denied" | "sandboxed" | "unavailable";

export type ToolServerStatus = "untrusted" | "unsupported" | "disabled" | "starting" | "ready" | "down" | "stopped";

export type Transport = "websocket" | "sse" | "json_rpc" | "grpc" | "http_json" | "stdio" | "in_process" | "custom";

export type TrialRole = "baseline" | "candidate" | "control";

export type Truncation = "none" | "head" | "tail" | "middle" | "head_tail" | "tokens";

export type TurnKind = "user" | "task" | "system" | "subagent" | "job";

export type UiArtifactStatus = "creating" | "ready" | "updating" | "failed" | "stale" | "superseded" | "deleted" | "unknown";

export type UiControl = "send" | "queue" | "steer" | "interrupt" | "approve" | "reject" | "answer" | "edit" | "retry" | "rollback" | "export" | "open_detail" | "none" | "unknown" | "delegate" | "assign" | "continue_agent" | "wait" | "stop" | "close" | "request_review";

export type UiEntity = "agent_turn" | "subagent_turn" | "automation_job" | "external_task" | "work_item" | "unknown";

export type UiOwner = "runtime" | "model" | "tool" | "action" | "artifact" | "evidence" | "context" | "policy" | "task" | "session" | "diagnostics" | "ui_projection" | "unknown" | "agent" | "team";

export type UiPersistence = "ephemeral_live" | "transcript" | "snapshot" | "archive" | "artifact_store" | "evidence_pack" | "diagnostics_log" | "ui_local" | "unknown";

export type UiPhase = "draft" | "submitted" | "accepted" | "routing" | "preparing" | "planning" | "reasoning" | "acting" | "waiting" | "producing" | "reconciling" | "completed" | "failed" | "cancelled" | "interrupted" | "archived" | "hydrating" | "unknown" | "reviewing";

export type UiScope = "application" | "workspace" | "session" | "thread" | "run" | "turn" | "message" | "part" | "task" | "agent" | "tool_call" | "action_request" | "artifact" | "evidence" | "unknown" | "team";

export type UiStatus = "idle" | "queued" | "submitted" | "accepted" | "preparing" | "running" | "waiting" | "needs_input" | "plan_ready" | "completed" | "failed" | "aborted" | "cancelled" | "closed" | "not_found" | "unknown";

export type UiSurface = "composer" | "conversation" | "inline_process" | "runtime_status" | "tool_ui" | "hitl" | "task_capsule" | "artifact_workspace" | "timeline_evidence" | "session_tabs" | "diagnostics" | "custom" | "unknown" | "team_roster" | "work_board" | "delegation_graph" | "handoff_lane" | "worker_notifications" | "review_lane" | "teammate_transcript" | "background_teammate" | "remote_teammate" | "team_policy";

export type UiType = "session.opened" | "session.hydrated" | "session.updated" | "session.closed" | "run.started" | "run.status" | "run.finished" | "run.failed" | "plan.delta" | "plan.final" | "text.delta" | "text.final" | "reasoning.delta" | "reasoning.summary" | "tool.started" | "tool.args" | "tool.progress" | "tool.output.delta" | "tool.result" | "tool.failed" | "action.required" | "action.resolved" | "queue.changed" | "task.changed" | "agent.changed" | "context.changed" | "context.compaction.started" | "context.compaction.completed" | "permission.changed" | "artifact.created" | "artifact.updated" | "artifact.preview.ready" | "artifact.version.created" | "artifact.diff.ready" | "artifact.export.started" | "artifact.export.completed" | "artifact.failed" | "artifact.deleted" | "artifact.changed" | "evidence.changed" | "state.snapshot" | "state.delta" | "messages.snapshot" | "diagnostic.changed" | "metric.changed" | "agent.spawned" | "agent.completed" | "agent.handoff" | "team.changed" | "worker.notification" | "review.requested" | "review.completed";

export type ValidationState = "passed" | "failed" | "not_applicable" | "unchecked";

export type Visibility = "foreground" | "background" | "internal" | "hidden" | "unknown";

export type WaitFor = "input" | "permission" | "resource" | "dependency" | "worker" | "resume" | "cleanup" | "backoff" | "rate_limit" | "quota" | "parallel" | "hook";

export type WorkerKind = "in_process" | "agent" | "external" | "subagent" | "job" | "peer";

export type WorktreeState = "making" | "ready" | "failed" | "kept" | "discarding" | "removed";

export interface RuntimeEvent {
  /** Class of the event; the generator makes this enum from the event rows. */
  type: EventType;
  /** Identity of the event; the same on every delivery. */
  eventId: Id;
  /** Place in the session's log, from 1, without gaps. */
  sequence: number;
  /** When the runtime recorded it; never goes back within a session. */
  timestamp: Time;
  /** Always lime-profile-0.4.0. */
  schemaVersion: string;
  /** The installation that wrote it. */
  runtimeId: Id;
  /** The session whose log this is. */
  sessionId: Id;
  /** The thread it belongs to. */
  threadId?: Id;
  /** The turn it belongs to. */
  turnId?: Id;
  /** The task it belongs to. */
  taskId?: Id;
  /** The task above that task. */
  parentTaskId?: Id;
  /** The topmost task of that tree. */
  rootTaskId?: Id;
  /** The run of the task. */
  runId?: Id;
  /** The attempt; one to one with the run. */
  attemptId?: Id;
  /** The step of the turn. */
  stepId?: Id;
  /** The tool call. */
  toolCallId?: Id;
  /** The request to a model. */
  modelRequestId?: Id;
  /** The process. */
  processId?: Id;
  /** The output that grows or was stored. */
  outputRef?: Id;
  /** The queue of the thread. */
  queueId?: Id;
  /** The decision that is owed or was given. */
  actionId?: Id;
  /** The enrolled peer. */
  channelId?: Id;
  /** The child agent. */
  subagentId?: Id;
  /** The batch job. */
  jobId?: Id;
  /** One item of that job. */
  jobItemId?: Id;
  /** The client's call that caused it directly. */
  requestId?: Id;
  /** A deliverable kept by its owner. */
  artifactId?: Id;
  /** An export or a record of the evidence system. */
  evidenceId?: Id;
  /** W3C trace id, 32 hex digits, when tracing is on. */
  traceId?: string;
  /** W3C span id, 16 hex digits, when tracing is on. */
  spanId?: string;
  /** Status of the object the event is about, after the event. */
  status?: Status;
  /** Phase of the turn or task. */
  phase?: Phase;
  /** One sentence for people on why the status is what it is. */
  statusReason?: string;
  /** The foreign or exact word that the wire enum lacks. */
  nativeStatus?: string;
  /** Which accepted command this is the first fact of. */
  command?: CommandFact;
  /** The step as this event opens, changes or ends it. */
  item?: Item;
  /** The task record; whole at creation, changed fields later. */
  task?: Task;
  /** The attempt record. */
  taskAttempt?: TaskAttempt;
  /** One edge of the task graph. */
  taskRelationship?: TaskRelationship;
  /** Edges of a task tree. */
  taskGraph?: TaskGraph;
  /** How far the task is, in facts. */
  taskProgress?: TaskProgress;
  /** Criteria and how many are met. */
  taskAcceptance?: TaskAcceptance;
  /** Who carries the attempt out. */
  worker?: Worker;
  /** Whether the result reached its receiver. */
  deliveryState?: DeliveryState;
  /** The decision and everything it rests on. */
  permissionDecision?: PermissionDecision;
  /** The boundary that really holds. */
  sandboxProfile?: SandboxProfile;
  /** Which model was chosen, from what, and why. */
  routingDecision?: RoutingDecision;
  /** Models that were really available, and those left out. */
  candidateModelSet?: CandidateModelSet;
  /** What the task needs from a model. */
  taskProfile?: TaskProfile;
  /** Money and tokens so far. */
  costState?: CostState;
  /** Rate, quota, parallel and budget state. */
  limitState?: LimitState;
  /** The limit that was met. */
  limitEvent?: LimitEvent;
  /** One run of a hook. */
  hookRun?: HookRun;
  /** Where commands of the turn run. */
  executionEnvironment?: ExecutionEnvironment;
  /** The enrolled peer's record. */
  channel?: Channel;
  /** The job's record. */
  job?: Job;
  /** The item's record. */
  jobItem?: JobItem;
  /** The stored output's record. */
  output?: Output;
  /** A border in the history: recovery, compaction, rollback. */
  historyBoundary?: HistoryBoundary;
  /** What was exported about it. */
  telemetry?: Telemetry;
  /** Ids for joining foreign records. */
  correlation?: Correlation;
  /** Dataset, task, trial and configuration. */
  benchmark?: Benchmark;
  /** The trial's trajectory file. */
  trajectory?: Trajectory;
  /** The verifier's score, unchanged. */
  reward?: Reward;
  /** Deltas between two configurations. */
  comparison?: Comparison;
  /** The class's own facts. */
  payload: Record<string, any>;
  /** Names of large or foreign things and where they are kept. */
  refs?: Record<string, any>;
}

export interface AgentPolicyEvent {
  /** Always 0.1.0. */
  schema_version: string;
  /** The stored event's own. */
  event_id: Id;
  /** A class of Agent Policy. */
  type: PolicyEvent;
  /** When the runtime recorded it. */
  timestamp: Time;
  /** Place in the session's log. */
  sequence: number;
  /** Where there is one. */
  runtime_id?: string;
  /** Where there is one. */
  session_id?: string;
  /** Where there is one. */
  thread_id?: string;
  /** Where there is one. */
  turn_id?: string;
  /** Where there is one. */
  task_id?: string;
  /** Where there is one. */
  run_id?: string;
  /** Where there is one. */
  attempt_id?: string;
  /** Where there is one. */
  step_id?: string;
  /** Where there is one. */
  tool_call_id?: string;
  /** Where there is one. */
  action_id?: string;
  /** Where there is one. */
  evidence_id?: string;
  /** Where there is one. */
  artifact_id?: string;
  /** Where there is one. */
  process_id?: string;
  /** Where there is one. */
  subagent_id?: string;
  /** Where there is one. */
  decision_id?: string;
  /** Where there is one. */
  approval_id?: string;
  /** Where there is one. */
  grant_id?: string;
  /** Where there is one. */
  waiver_id?: string;
  /** Where there is one. */
  trace_id?: string;
  /** As in Agent Policy. */
  subject?: any;
  /** As in Agent Policy. */
  payload: any;
  /** As in Agent Policy. */
  refs: any;
}

export interface AgentUiEvent {
  /** A word of Agent UI. */
  type: UiType;
  /** Class of the event; the generator makes this enum from the event rows. */
  runtimeType: EventType;
  /** Identity of the event; the same on every delivery. */
  eventId: Id;
  /** Place in the session's log, from 1, without gaps. */
  sequence: number;
  /** When the runtime recorded it; never goes back within a session. */
  timestamp: Time;
  /** Always lime-profile-0.4.0. */
  runtimeSchemaVersion: string;
  /** The installation that wrote it. */
  runtimeId: Id;
  /** The session whose log this is. */
  sessionId: Id;
  /** The thread it belongs to. */
  threadId?: Id;
  /** The turn it belongs to. */
  turnId?: Id;
  /** The task it belongs to. */
  taskId?: Id;
  /** The task above that task. */
  parentTaskId?: Id;
  /** The topmost task of that tree. */
  rootTaskId?: Id;
  /** The run of the task. */
  runId?: Id;
  /** The attempt; one to one with the run. */
  attemptId?: Id;
  /** The step of the turn. */
  stepId?: Id;
  /** The tool call. */
  toolCallId?: Id;
  /** The request to a model. */
  modelRequestId?: Id;
  /** The process. */
  processId?: Id;
  /** The output that grows or was stored. */
  outputRef?: Id;
  /** The queue of the thread. */
  queueId?: Id;
  /** The decision that is owed or was given. */
  actionId?: Id;
  /** The enrolled peer. */
  channelId?: Id;
  /** The child agent. */
  subagentId?: Id;
  /** The batch job. */
  jobId?: Id;
  /** One item of that job. */
  jobItemId?: Id;
  /** The client's call that caused it directly. */
  requestId?: Id;
  /** A deliverable kept by its owner. */
  artifactId?: Id;
  /** An export or a record of the evidence system. */
  evidenceId?: Id;
  /** W3C trace id, 32 hex digits, when tracing is on. */
  traceId?: string;
  /** W3C span id, 16 hex digits, when tracing is on. */
  spanId?: string;
  /** Status of the object the event is about, after the event. */
  status?: Status;
  /** Phase of the turn or task. */
  runtimePhase?: Phase;
  /** One sentence for people on why the status is what it is. */
  statusReason?: string;
  /** The foreign or exact word that the wire enum lacks. */
  nativeStatus?: string;
  /** Which accepted command this is the first fact of. */
  command?: CommandFact;
  /** The step as this event opens, changes or ends it. */
  item?: Item;
  /** The task record; whole at creation, changed fields later. */
  task?: Task;
  /** The attempt record. */
  taskAttempt?: TaskAttempt;
  /** One edge of the task graph. */
  taskRelationship?: TaskRelationship;
  /** Edges of a task tree. */
  taskGraph?: TaskGraph;
  /** How far the task is, in facts. */
  taskProgress?: TaskProgress;
  /** Criteria and how many are met. */
  taskAcceptance?: TaskAcceptance;
  /** Who carries the attempt out. */
  worker?: Worker;
  /** Whether the result reached its receiver. */
  deliveryState?: DeliveryState;
  /** The decision and everything it rests on. */
  permissionDecision?: PermissionDecision;
  /** The boundary that really holds. */
  sandboxProfile?: SandboxProfile;
  /** Which model was chosen, from what, and why. */
  routingDecision?: RoutingDecision;
  /** Models that were really available, and those left out. */
  candidateModelSet?: CandidateModelSet;
  /** What the task needs from a model. */
  taskProfile?: TaskProfile;
  /** Money and tokens so far. */
  costState?: CostState;
  /** Rate, quota, parallel and budget state. */
  limitState?: LimitState;
  /** The limit that was met. */
  limitEvent?: LimitEvent;
  /** One run of a hook. */
  hookRun?: HookRun;
  /** Where commands of the turn run. */
  executionEnvironment?: ExecutionEnvironment;
  /** The enrolled peer's record. */
  channel?: Channel;
  /** The job's record. */
  job?: Job;
  /** The item's record. */
  jobItem?: JobItem;
  /** The stored output's record. */
  output?: Output;
  /** A border in the history: recovery, compaction, rollback. */
  historyBoundary?: HistoryBoundary;
  /** What was exported about it. */
  telemetry?: Telemetry;
  /** Ids for joining foreign records. */
  correlation?: Correlation;
  /** Dataset, task, trial and configuration. */
  benchmark?: Benchmark;
  /** The trial's trajectory file. */
  trajectory?: Trajectory;
  /** The verifier's score, unchanged. */
  reward?: Reward;
  /** Deltas between two configurations. */
  comparison?: Comparison;
  /** The class's own facts. */
  payload: Record<string, any>;
  /** Names of large or foreign things and where they are kept. */
  refs?: Record<string, any>;
  /** A word of Agent UI. */
  owner: UiOwner;
  /** A word of Agent UI. */
  scope: UiScope;
  /** A word of Agent UI. */
  phase?: UiPhase;
  /** A word of Agent UI. */
  surface: UiSurface;
  /** A word of Agent UI. */
  persistence: UiPersistence;
  /** A word of Agent UI. */
  control?: UiControl;
  /** A word of Agent UI. */
  runtimeEntity?: UiEntity;
  /** A word of Agent UI. */
  artifactStatus?: UiArtifactStatus;
  /** From payload.kind. */
  artifactKind?: string;
  /** From payload.versionId. */
  artifactVersionId?: string;
  /** From refs.read. */
  artifactReadRef?: string;
  /** From refs.diff. */
  artifactDiffRef?: string;
  /** From payload.remoteTask.remoteTaskId. */
  remoteTaskId?: string;
  /** From type. */
  metricName?: string;
  /** From payload.packRef. */
  evidencePackRef?: string;
  /** From payload.replayRef. */
  replayRef?: string;
  /** From payload.reviewRef. */
  reviewRef?: string;
  /** From status. */
  runtimeStatus?: UiStatus;
  /** From payload.reason. */
  queueReason?: string;
  /** From payload.nickname. */
  agentName?: string;
  /** From payload.role. */
  agentRole?: string;
  /** From payload.profileStatus. */
  latestTurnStatus?: UiStatus;
  /** From payload.queued. */
  queuedTurnCount?: number;
  /** stepId. */
  partId?: Id;
  /** turnId; of what a person wrote, its stepId. */
  messageId?: Id;
  /** subagentId, or payload.subagentId. */
  agentId?: Id;
  /** payload.parentThreadId. */
  parentThreadId?: Id;
  /** sessionId, when there is a parentThreadId: children live in the session of their parent. */
  parentSessionId?: Id;
  /** eventId. */
  rawEventRef: Id;
}

export type Id = string;

export interface ProblemDetails {
  /** urn:thole:problem: and the code. */
  type: string;
  /** The sentence of the table below. */
  title: string;
  /** The HTTP status; a face may know a better one than the table. */
  status: number;
  /** The stable word; decide by this. */
  code: ErrorCode;
  /** Coarse group of the code. */
  category: ProblemCategory;
  /** What is wrong this time, for people. */
  detail?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** How long to wait before that. */
  retryAfterMs?: number;
  /** The command that was refused. */
  command?: string;
  /** The call, as the operator log names it. */
  requestId?: Id;
  /** The session it was about. */
  sessionId?: Id;
  /** With already_resolved: the answer that stands. */
  winner?: any;
  /** With invalid_decision: what the action offers. */
  decisions?: DecisionOption[];
  /** With invalid_answer: what an answer must look like. */
  schema?: any;
  /** With thread_busy: the turn that is active. */
  turnId?: Id;
}

export interface AcceptanceCount {
  /** Criteria that hold. */
  covered: number;
  /** Criteria there are. */
  total: number;
}

export interface Account {
  /** local or tenant. */
  scope: string;
  /** Which account. */
  ref?: string;
}

export interface ActionPolicy {
  /** The decision that asked. */
  decisionId?: Id;
  /** Rules that asked. */
  ruleRefs: string[];
  /** Whether the action destroys something. */
  destructive: boolean;
  /** The cage it would run in. */
  sandboxMode?: SandboxMode;
  /** Records of a policy engine that took part. */
  policyRecords?: PolicyRecord[];
}

export interface ActionScope {
  /** The turn it is about. */
  turnId?: Id;
  /** The directory it is about. */
  cwd?: string;
  /** The one path it is about. */
  path?: string;
  /** The paths it is about. */
  paths?: string[];
  /** The host it is about. */
  host?: string;
}

export interface ActionView {
  /** The action. */
  actionId: Id;
  /** What is asked for. */
  actionType: ActionType;
  /** Where it stands. */
  status: ActionStatus;
  /** Its session; only in lists across sessions. */
  sessionId?: Id;
  /** Its thread. */
  threadId: Id;
  /** Its turn. */
  turnId: Id;
  /** Its task. */
  taskId?: Id;
  /** Its step. */
  stepId?: Id;
  /** The call it is about. */
  toolCallId?: Id;
  /** The thread of the parent, when a child agent asks. */
  parentThreadId?: Id;
  /** The child agent that asks. */
  subagentId?: Id;
  /** The turn that the child was made in. */
  parentTurnId?: Id;
  /** The task that the child was made for. */
  parentTaskId?: Id;
  /** The tool it is about. */
  toolName?: string;
  /** The question. */
  prompt: string;
  /** What an answer must look like. */
  schema?: any;
  /** Which pair of answers fits. */
  decisionKind: DecisionKind;
  /** The answers that will be taken. */
  decisions: DecisionOption[];
  /** What it is about. */
  scopeDetail?: ActionScope;
  /** Which rules asked. */
  policy?: ActionPolicy;
  /** Where the arguments of the call are kept, when they are too long for its events; get_output reads them. */
  inputRef?: Id;
  /** Their size. */
  inputBytes?: number;
  /** What a yes gives the call beyond its cage. */
  override?: SandboxOverride;
  /** Since when. */
  requestedAt: Time;
  /** Until when. */
  expiresAt?: Time;
  /** What happens then. */
  onExpiry: Decision;
  /** What can end it. */
  endedBy: string[];
  /** The event that asked. */
  sequence: number;
  /** The answer that stands. */
  decision?: Decision;
  /** How far it reaches. */
  scope?: GrantScope;
  /** Who answered. */
  decidedBy?: Actor;
  /** When it was answered. */
  resolvedAt?: Time;
}

export interface Actor {
  /** What kind of actor it is. */
  kind: ActorKind;
  /** The face it came through: cli, http, json_rpc, console and so on. */
  via?: string;
  /** Name of the authenticated caller. */
  principal?: string;
  /** The runtime, when it acts itself. */
  runtimeId?: Id;
  /** The channel the caller used. */
  channelId?: Id;
  /** The command that caused it. */
  command?: string;
  /** The policy that caused it. */
  policy?: string;
  /** Where the actor is described. */
  ref?: string;
}

export interface ArtifactRef {
  /** The artifact. */
  artifactId: Id;
  /** Its version. */
  versionId?: string;
}

export interface ArtifactRow {
  /** The artifact. */
  artifactId: Id;
  /** Its latest version. */
  versionId: string;
  /** Versions there are. */
  versions: number;
  /** What it is. */
  kind: string;
  /** Where it lies in the workspace. */
  path?: string;
  /** Where to read it. */
  readRef?: string;
  /** Where its preview is. */
  previewRef?: string;
  /** Where the latest change is. */
  diffRef?: string;
  /** Problems that a check found. */
  issues?: number;
  /** Without issues: not_applicable, it declares nothing that can be checked; unknown, this version was not validated, or not wholly. */
  issuesState?: Honesty;
  /** What validation said of this version. */
  validation: ValidationState;
  /** The first issues in words. */
  messages?: string[];
  /** Who keeps it. */
  owner: string;
  /** The task that made it. */
  taskId?: Id;
  /** Its latest versions, the newest last; older ones are in the log. */
  checkpoints: ArtifactVersion[];
}

export interface ArtifactVersion {
  /** The version. */
  versionId: string;
  /** What happened. */
  change: ArtifactChange;
  /** What changed. */
  diffRef?: string;
  /** What it was before. */
  checkpointRef?: string;
  /** The turn that made it. */
  turnId?: Id;
  /** When. */
  at: Time;
  /** The event that tells of it. */
  sequence: number;
}

export interface BadRow {
  /** The session. */
  sessionId: Id;
  /** The row. */
  sequence: number;
  /** The hash it should have. */
  expected: string;
  /** The hash it has. */
  found: string;
  /** What does not fit. */
  reason: string;
}

export interface Benchmark {
  /** The dataset. */
  datasetId?: string;
  /** Its version. */
  datasetVersion?: string;
  /** Where it is kept. */
  datasetRef?: string;
  /** The dataset's task, not ours. */
  taskId?: string;
  /** The trial. */
  trialId?: string;
  /** The configuration. */
  configurationId?: string;
  /** Which side of the comparison it is. */
  role?: TrialRole;
  /** Harbor's job folder. */
  harborJobRef?: string;
  /** Harbor's trial folder. */
  harborTrialRef?: string;
  /** What differs from the baseline. */
  singleChangedVariable?: string;
  /** The task's definition file. */
  taskTomlRef?: string;
}

export interface BenchmarkSection {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The trials. */
  trials?: TrialRow[];
  /** The latest comparison. */
  comparison?: Comparison;
}

export interface BlockedTask {
  /** The task. */
  taskId: Id;
  /** What blocks it. */
  blocker: Blocker;
  /** Since when. */
  since: Time;
  /** Until when at the latest. */
  until?: Time;
  /** Decisions it needs. */
  requiredActionIds: Id[];
}

export interface Blocker {
  /** What blocks: task, action, credential, resource. */
  kind: string;
  /** The task that blocks. */
  taskId?: Id;
  /** The action that blocks. */
  actionId?: Id;
  /** State of the blocker. */
  status?: Status;
  /** Any other blocker, by ref. */
  ref?: string;
}

export interface Budget {
  /** What the cap covers. */
  scope: LimitScope;
  /** The cap. */
  capUsd: number;
  /** Spent so far. */
  spentUsd: number;
  /** Held for requests under way. */
  reservedUsd: number;
}

export interface Candidate {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** What it can do. */
  capabilities: string[];
  /** How dear it is, roughly. */
  costClass: CostClass;
  /** Its price, if known. */
  price?: Price;
  /** Says that the price is not known. */
  priceState?: Honesty;
  /** Whether its provider limits us now. */
  limitState: LimitStatus;
}

export interface CandidateModelSet {
  /** How many candidates there are. */
  candidateCount: number;
  /** Whether there is exactly one. */
  singleCandidate: boolean;
  /** The candidates. */
  candidates: Candidate[];
  /** Those left out, with reasons. */
  excluded: Exclusion[];
  /** What had to hold. */
  hardConstraints: string[];
  /** What was wished for. */
  preferences: string[];
  /** What is missing to have more. */
  gaps: Gaps;
}

export interface ChainEntry {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** Whether it was tried. */
  tried: boolean;
  /** How the try ended. */
  outcome?: ErrorCategory;
}

export interface Channel {
  /** The channel. */
  channelId: Id;
  /** How it is connected. */
  transport: Transport;
  /** What the peer is to us. */
  peerRole: PeerRole;
  /** Whose account it is. */
  accountRef?: string;
  /** What the peer can do. */
  capabilities: string[];
  /** When it was heard last. */
  lastSeenAt?: Time;
  /** Where the token for coming back is kept. */
  resumeTokenRef?: string;
  /** The peer's protocol. */
  nativeProtocol?: string;
  /** The peer's card as it was read. */
  agentCardRef?: string;
  /** Last event it has acknowledged. */
  lastAckedSequence?: number;
  /** Whether it is reachable. */
  status?: Status;
}

export interface ChannelSection {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The enrolled peers. */
  channels?: Channel[];
  /** Questions that were passed on and not answered. */
  pendingForwards?: Id[];
}

export interface CommandFact {
  /** Name of the command. */
  name: string;
  /** Who sent it. */
  principal: string;
  /** SHA-256 of the canonical body. */
  bodyHash: string;
  /** SHA-256 of the idempotency key, if one was given. */
  keyHash?: string;
}

export interface Compaction {
  /** Why it was done. */
  trigger: CompactionTrigger;
  /** Turns that were replaced; the newest 64 when there are more. */
  affectedTurns: string[];
  /** What replaces them. */
  summaryRef?: Id;
  /** The event that ended it. */
  sequence?: number;
  /** Tokens before. */
  tokensBefore?: number;
  /** Tokens after. */
  tokensAfter?: number;
  /** How many turns were replaced. */
  turns?: number;
  /** The last event of the newest turn that was replaced. */
  throughSequence?: number;
}

export interface Comparison {
  /** Change of the mean reward. */
  meanRewardDelta?: number;
  /** Change of the timeout rate. */
  timeoutRateDelta?: number;
  /** Share of trials with whole evidence. */
  evidenceCompletenessRate?: number;
  /** The same for the baseline. */
  baselineEvidenceCompletenessRate?: number;
  /** Gates that got worse. */
  p0QcGateRegressionCount?: number;
  /** Change of cost. */
  costDeltaUsd?: number;
  /** What the quality owner decided. */
  decision?: string;
  /** Who decided. */
  decisionSource?: string;
}

export interface Constraints {
  /** Only these tools may be called. */
  tools?: string[];
  /** Permission mode that holds beside the session's: a call runs only if both let it. */
  permissionMode?: PermissionMode;
  /** Widest sandbox its calls may have; the session's own if that is narrower. */
  sandboxMode?: SandboxMode;
  /** Most network its calls may have; the session's own if that is less. */
  networkMode?: NetworkMode;
  /** Only these models may be asked. */
  models?: string[];
  /** Most money the task may cost. */
  costUsd?: number;
  /** Most time the task may take. */
  timeMs?: number;
  /** Most bytes of output it may leave: what its tools write and what its model says, over all runs. */
  outputBytes?: number;
  /** Longest time without any event of its run; then the run is timed out. */
  inactivityMs?: number;
}

export interface ContextBoundary {
  /** What the model sees. */
  selectedRefs: string[];
  /** Summaries that stand for older turns. */
  compactions: Compaction[];
  /** What may be wrong with it. */
  warnings: string[];
  /** What was looked for and is not there. */
  missing: MissingRef[];
}

export interface ContextRef {
  /** What it is. */
  kind: ContextKind;
  /** Its name; of a file its path below the session's directory. */
  ref: string;
  /** Its text; files are read by the runtime. */
  text?: string;
  /** Where its text is kept, once it is. */
  outputRef?: Id;
  /** Hash of its text, once it is kept. */
  sha256?: string;
  /** Its size. */
  bytes?: number;
}

export interface Correlation {
  /** The runtime. */
  runtimeId?: Id;
  /** The session. */
  sessionId?: Id;
  /** The thread. */
  threadId?: Id;
  /** The turn. */
  turnId?: Id;
  /** The task. */
  taskId?: Id;
  /** The run. */
  runId?: Id;
  /** The attempt. */
  attemptId?: Id;
  /** The call. */
  toolCallId?: Id;
  /** The process. */
  processId?: Id;
  /** The request. */
  requestId?: Id;
  /** The queued turn. */
  queuedTurnId?: Id;
  /** The child agent. */
  subagentId?: Id;
  /** The trace. */
  traceId?: string;
  /** The span. */
  spanId?: string;
  /** Says that the join is not possible. */
  status?: EvidenceSignal;
}

export interface CostState {
  /** Whether the sum rests on what providers told (recorded), in part or whole on estimates (estimated), or is unknown. */
  state: CostStatus;
  /** Always USD; absent when nothing has a price. */
  currency?: string;
  /** Why it is unknown. */
  reason?: string;
  /** Estimate of the request at hand. */
  estimatedUsd?: number;
  /** Sum recorded so far. */
  recordedUsd: number;
  /** Held for requests under way. */
  reservedUsd?: number;
  /** Tokens so far; absent when no provider told any. */
  tokens?: Tokens;
  /** Says that some requests did not tell their tokens: the counts, if any, are those of the others. */
  tokensState?: Honesty;
  /** The price it was reckoned with. */
  price?: Price;
}

export interface Counters {
  /** Tool calls made. */
  toolCalls?: number;
  /** Requests made to models. */
  modelRequests?: number;
  /** Items dealt with. */
  items?: number;
  /** Child tasks made. */
  childTasks?: number;
  /** Job items ended. */
  jobItems?: number;
  /** Tests run. */
  tests?: number;
  /** Files changed. */
  files?: number;
  /** Criteria that hold. */
  acceptanceCovered?: number;
  /** Criteria there are. */
  acceptanceTotal?: number;
}

export interface Criterion {
  /** Name of the criterion within the task. */
  id: string;
  /** What is checked: artifact, command, evidence, text. */
  kind: string;
  /** What must hold. */
  description?: string;
  /** Where the criterion is described. */
  ref?: string;
}

export interface DecisionCounts {
  /** Times allowed. */
  allow: number;
  /** Times asked. */
  ask: number;
  /** Times denied. */
  deny: number;
}

export interface DecisionOption {
  /** A decision that will be taken. */
  decision: Decision;
  /** How far it may be made to reach. */
  scopes?: string[];
  /** Whether the input may be changed with it. */
  mayEditInput?: boolean;
  /** Whether a reason may be given with it. */
  mayGiveReason?: boolean;
}

export interface DeliveryState {
  /** Whether the result arrived. */
  state: DeliveryStatus;
  /** Where it went. */
  to?: string;
  /** Why it did not arrive. */
  reason?: string;
}

export interface Device {
  /** The device. */
  deviceId: Id;
  /** What it is called; facts name it device:NAME. */
  name: string;
  /** The one name that it reaches this runtime by. */
  host: string;
  /** What it may do. */
  scopes: string[];
  /** Since when. */
  pairedAt: Time;
  /** When it asked for something last, to the minute after a restart. */
  lastSeenAt: Time;
  /** The channel that it is in the facts. */
  channelId?: Id;
}

export interface Diagnostics {
  /** Warnings. */
  warnings: Incident[];
  /** Calls that failed. */
  failedTools: Thing[];
  /** Commands that ended with a code other than 0. */
  failedCommands: Thing[];
  /** Turns without a sign of life. */
  stalledTurns: Id[];
  /** Tasks without a sign of life: lost, or past the lease of their worker. */
  stalledTasks?: Id[];
  /** What it waits for an answer to: requests to models, decisions, hooks. */
  pendingRequests?: Thing[];
  /** Runs whose worker is lost. */
  lostWorkers: Id[];
  /** none, requested or done. */
  interrupt: string;
  /** Limits that stop the work. */
  quotaBlocks: LimitEvent[];
  /** What the model could not be given. */
  contextGaps: MissingRef[];
  /** Which of these lists this build cannot fill: that they are empty says nothing. */
  unavailable?: string[];
}

export interface EvidenceSummary {
  /** Evidence there is. */
  evidenceRefs: string[];
  /** Evidence packs. */
  packRefs: string[];
  /** Replay cases. */
  replayRefs: string[];
  /** Review templates. */
  reviewRefs: string[];
  /** What verifiers said. */
  verificationOutcomes: Verification[];
  /** Signals that apply and are missing. */
  knownGaps: string[];
  /** Traces. */
  traceIds?: string[];
  /** Notes of reviewers. */
  auditNotes?: string[];
}

export interface Exclusion {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** Why it was left out. */
  reason: ExclusionReason;
  /** Which capability, quota or host. */
  detail?: string;
  /** Whether that was a must or a wish. */
  constraint: ConstraintStrength;
}

export interface ExecutionEnvironment {
  /** The environment. */
  environmentId: Id;
  /** The workspace. */
  workspaceId: string;
  /** Directory commands start in. */
  cwd: string;
  /** Further roots beside the workspace. */
  additionalRoots: string[];
  /** The shell. */
  shell: string;
  /** The operating system. */
  os: string;
  /** The processor. */
  arch: string;
  /** The network commands get. */
  networkProfile: NetworkProfile;
  /** Their limits. */
  resourceLimits: ResourceLimits;
  /** The variables, safe ones only. */
  envRef: Id;
  /** The cage commands get. */
  sandboxProfile: SandboxProfile;
  /** Why one tool got another environment. */
  overrideReason?: string;
}

export interface Gap {
  /** First event that is gone; when it is above `to`, where the reader thought it was, ahead of the log. */
  from: number;
  /** Last event that is gone; the stream goes on behind it. */
  to: number;
  /** What takes their place. */
  recoveryMode: RecoveryMode;
  /** Why: removed by retention, a cursor ahead of the log, or damaged on disk (corrupt; `thole doctor` names the place). */
  reason?: GapReason;
  /** Of which session, when several are read; absent when that cannot be told. Then `from` and `to` are 0. */
  sessionId?: Id;
  /** The snapshot to go on from. */
  snapshot?: any;
}

export interface Gaps {
  /** Providers without a credential. */
  credential: string[];
  /** Providers without quota. */
  quota: string[];
  /** Providers that cannot be reached. */
  network: string[];
}

export interface Grant {
  /** The grant. */
  grantId: Id;
  /** How far it reaches. */
  scope: GrantScope;
  /** The session it holds in. */
  sessionId?: Id;
  /** The workspace it holds in, when it reaches beyond a session. */
  cwd?: string;
  /** What it covers. */
  match?: GrantMatch;
  /** Who gave it. */
  source: PolicySource;
  /** Who gave it, by name. */
  grantedBy?: Actor;
  /** When it was given. */
  createdAt: Time;
  /** When it ends. */
  expiresAt?: Time;
  /** Whether it can be taken back. */
  revocable: boolean;
}

export interface GrantMatch {
  /** The tool it covers. */
  tool?: string;
  /** The words of the command it covers. */
  command?: string[];
  /** The path it covers. */
  path?: string;
  /** The host it covers. */
  host?: string;
  /** Hash of the tool's definition that it was given for; another one is not covered. */
  definition?: string;
  /** The directory that the command runs in; in another one it is not covered. */
  cwd?: string;
  /** The file of code that the command runs. */
  script?: string;
  /** Where that leads; a link that leads elsewhere is not covered. */
  scriptReal?: string;
  /** What it held; another content is not covered. */
  scriptHash?: string;
}

export interface HistoryBoundary {
  /** Which record it is a border of. */
  layer: HistoryLayer;
  /** The last event before the border. */
  throughSequence: number;
  /** The snapshot it was rebuilt from, 0 when none. */
  snapshotSequence?: number;
  /** Version of the fold. */
  foldVersion?: number;
  /** First turn on the far side. */
  fromTurnId?: Id;
  /** Last turn on the far side. */
  toTurnId?: Id;
  /** What stands for the far side. */
  summaryRef?: Id;
}

export interface HistorySummary {
  /** Events so far. */
  events: number;
  /** Turns so far. */
  turns: number;
  /** Times history was summed up. */
  compactions: number;
  /** Times history was rolled back. */
  rollbacks: number;
  /** Whether parts are missing. */
  degraded: boolean;
  /** Stored outputs that the last recovery did not find. */
  missing?: string[];
}

export interface HistoryWindow {
  /** First event of the window. */
  fromSequence: number;
  /** Last event of the window. */
  toSequence: number;
  /** Turns inside. */
  turns?: number;
  /** Turns outside. */
  older: number;
  /** Where the rest begins. */
  cursor?: string;
}

export interface HookRow {
  /** Its name in facts. */
  ref: string;
  /** When it is asked. */
  point: HookPoint;
  /** A command, an address, or the program that the runtime is part of. */
  kind: HookHandler;
  /** The line that is run, or the address; in_process: the program itself. */
  handler: string;
  /** Tools that it is about; absent: all. */
  match?: string;
  /** Time it has. */
  timeoutMs: number;
  /** What its failure means. */
  failPolicy: FailPolicy;
  /** Whose it is; untrusted: it is not asked. */
  trust: HookTrust;
  /** Of a command: agent: it has the rights of the agent's commands; guarded: it decides, or has more rights, and sees no directory that the agent can write; none: it has the user's rights. */
  sandbox?: HookSandbox;
  /** Of a command that does not run with the agent's rights: over the files that its line names. */
  programHash?: string;
  /** Why it would not be started now, and what to do. */
  refused?: string;
}

export interface HookRun {
  /** This run of the hook. */
  hookRunId: Id;
  /** Where it was called. */
  point: HookPoint;
  /** Which hook it is. */
  handlerRef: string;
  /** A command, a URL, or the program that the runtime is part of. */
  handlerKind: HookHandler;
  /** Time it has. */
  timeoutMs: number;
  /** What its failure means. */
  failPolicy: FailPolicy;
  /** Why it may run. */
  trust: HookTrust;
  /** Where it stands. */
  status: HookStatus;
  /** When it began. */
  startedAt?: Time;
  /** How long it took. */
  durationMs?: number;
  /** Its exit code. */
  exitCode?: number;
  /** What it said. */
  decision?: HookDecision;
  /** The input before it. */
  inputRef?: Id;
  /** The input after it. */
  updatedInputRef?: Id;
  /** The tool output after it. */
  updatedToolOutputRef?: Id;
  /** Context it adds. */
  additionalContextRefs?: string[];
  /** Whether its own output is kept away from the model. */
  suppressOutput?: boolean;
  /** Its audit notes. */
  auditRefs?: string[];
  /** The record of a policy engine that was its answer. */
  policyRecord?: PolicyRecord;
  /** Why it failed. */
  lastError?: LastError;
}

export interface Impact {
  /** Paths that would change. */
  paths?: string[];
  /** Hosts that would be reached. */
  hosts?: string[];
  /** What would happen to them, in one word. */
  effect: string;
}

export interface Incident {
  /** The event that tells of it. */
  incidentId: Id;
  /** What it is: warning, error, failed_tool, failed_command, violation, lost. */
  kind: string;
  /** The stable word. */
  category?: string;
  /** One sentence for people. */
  message: string;
  /** When. */
  at: Time;
  /** The event. */
  sequence: number;
  /** Whether it still matters. */
  open: boolean;
  /** What it is about. */
  ref?: string;
}

export interface InventoryTool {
  /** Name of the tool. */
  toolName: string;
  /** What it does, for people. */
  description: string;
  /** read, write, network, browser, filesystem, shell, artifact, custom. */
  capabilities: string[];
  /** What the policy says about it now. */
  policy: ToolPolicy;
  /** Who runs it: local, an MCP server, a connector, the provider, a workflow, a subagent. */
  runtimeOwner: string;
  /** Whether it changes nothing. */
  isReadOnly: boolean;
  /** Whether it may run beside others. */
  isConcurrencySafe: boolean;
  /** Whether it can destroy. */
  isDestructive: boolean;
  /** What an interrupt does to it. */
  interruptBehavior: InterruptBehavior;
  /** Where its input schema is. */
  inputSchemaRef?: string;
  /** The schema itself, where it is small. */
  inputSchema?: any;
  /** Where more is said. */
  metadataRef?: string;
  /** What its owner calls it, when that is another name. */
  nativeName?: string;
  /** What its owner says of it: hints, which change nothing about who is asked. */
  annotations?: any;
  /** Hash of its definition. */
  definitionHash?: string;
  /** Whether the definition is another one than the one that was pinned: it is asked about anew. */
  definitionChanged?: boolean;
  /** Why it is denied or unavailable. */
  reason?: string;
}

export interface Isolation {
  /** What the child sees of the parent's prompt: own, nothing but what it is told. */
  prompt: string;
  /** Where it works: shared, in the parent's directory; worktree, in a git worktree of its own. */
  workspace: string;
  /** The directory of its worktree; the runtime chooses it. */
  worktree?: string;
  /** Tools it may call. */
  tools: string[];
  /** Its permission mode. */
  permissionMode: PermissionMode;
  /** What it sees of memory: none. */
  memory: string;
  /** Widest sandbox its calls may have. */
  sandboxMode?: SandboxMode;
  /** Most network its calls may have. */
  networkMode?: NetworkMode;
}

export interface Item {
  /** Same as the step's id. */
  itemId: Id;
  /** What kind of step it is. */
  kind: ItemKind;
  /** Place in the turn, from 1, without gaps. */
  index: number;
  /** Status of the step after the event. */
  status: Status;
}

export interface Job {
  /** The job. */
  jobId: Id;
  /** Its session, in lists across sessions. */
  sessionId?: Id;
  /** The task it works for. */
  taskId?: Id;
  /** Where it stands. */
  status: JobStatus;
  /** What to do with each item. */
  instructionRef: Id;
  /** The items. */
  inputRefs: RefEntry[];
  /** Shape each output must have. */
  outputSchemaRef?: Id;
  /** Most time the job may take. */
  maxRuntimeMs?: number;
  /** Items at once. */
  concurrency?: number;
  /** Attempts per item. */
  maxAttempts?: number;
  /** First item not begun. */
  itemCursor: number;
  /** Items by state. */
  progress: JobCounts;
  /** Threads its items run on. */
  assignedThreadIds: string[];
  /** The schedule that made it. */
  scheduleId?: string;
}

export interface JobCounts {
  /** Items there are. */
  total: number;
  /** Items not begun. */
  pending: number;
  /** Items under way. */
  running: number;
  /** Items done. */
  completed: number;
  /** Items failed. */
  failed: number;
}

export interface JobItem {
  /** The item. */
  jobItemId: Id;
  /** Its place in the input, from 0. */
  index: number;
  /** Where it stands. */
  status: JobItemStatus;
  /** Attempts so far. */
  attemptCount: number;
  /** The thread it runs on. */
  threadId?: Id;
  /** The turn of the latest attempt. */
  turnId?: Id;
  /** Its output. */
  outputRef?: Id;
  /** Why it failed. */
  lastError?: LastError;
  /** Whether trying again makes sense. */
  retryable?: boolean;
}

export interface LastError {
  /** The stable word. */
  category: ErrorCategory;
  /** One sentence. */
  message: string;
  /** Whether trying again makes sense. */
  retryable?: boolean;
  /** The request that failed. */
  modelRequestId?: Id;
  /** What to type or do next. */
  remedy?: string;
  /** The call that failed. */
  toolCallId?: Id;
  /** Exit code of the command, if one ended. */
  exitCode?: number;
  /** Where the full error is kept. */
  ref?: string;
}

export interface LastOutcome {
  /** The turn that ended last. */
  turnId: Id;
  /** How it ended. */
  status: Status;
  /** Its last message. */
  lastMessageRef?: Id;
  /** Why it ended badly. */
  category?: ErrorCategory;
}

export interface LimitEvent {
  /** What was met. */
  kind: LimitEventKind;
  /** Whose limit it is. */
  provider?: string;
  /** For which model. */
  model?: string;
  /** Who said so. */
  source: LimitSource;
  /** What the limit covers. */
  scope?: LimitScope;
  /** How long to wait. */
  retryAfterMs?: number;
  /** When it is lifted. */
  resetAt?: Time;
  /** How much was used. */
  used?: number;
  /** How much there is. */
  limit?: number;
}

export interface LimitPart {
  /** The state in one word. */
  state: LimitStatus;
  /** Whose limit it is. */
  provider?: string;
  /** When it is lifted. */
  until?: Time;
  /** How much is used. */
  used?: number;
  /** How much there is. */
  limit?: number;
}

export interface LimitState {
  /** The worst of the parts. */
  state: LimitStatus;
  /** Whose access is used: local, host, tenant. */
  hostAccess?: string;
  /** Rate limits. */
  rate: LimitPart;
  /** Quotas. */
  quota: LimitPart;
  /** Requests at once. */
  parallel: LimitPart;
  /** Caps on cost. */
  budgets: Budget[];
}

export interface MissingRef {
  /** What was looked for. */
  ref: string;
  /** Why it is not there. */
  reason: MissingReason;
}

export interface ModelRouting {
  /** Why no choice is shown: none was needed yet, or it is being made. */
  status?: Honesty;
  /** Kind of work. */
  taskKind?: string;
  /** Models that were available. */
  candidateCount: number;
  /** Whether there was exactly one. */
  singleCandidate: boolean;
  /** The provider chosen. */
  selectedProvider?: string;
  /** The model chosen. */
  selectedModel?: string;
  /** What the choice follows. */
  decisionSource?: RoutingSource;
  /** Why. */
  decisionReason?: string;
  /** The capability that is missing, or none. */
  capabilityGap?: string;
  /** Whether another model stepped in. */
  fallbackApplied: boolean;
  /** What it cost. */
  costState?: CostState;
  /** The limits it met. */
  limitState?: LimitState;
  /** What providers last said of their limits; of the session only. */
  providerLimits?: ProviderLimit[];
}

export interface ModelRow {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** Where it is asked; absent when nothing leaves the process. */
  baseUrl?: string;
  /** available, or the reason why it cannot be asked. */
  state: string;
  /** What it can do. */
  capabilities: string[];
  /** Whether there is a key for it, or it needs none. */
  hasCredential: boolean;
  /** How dear it is, roughly. */
  costClass: CostClass;
  /** Its price now. */
  price?: Price;
  /** Says that the price is not known. */
  priceState?: Honesty;
  /** What its provider said about rate limits. */
  rate: LimitPart;
  /** What its provider said about quota. */
  quota: LimitPart;
  /** Size of its window. */
  windowTokens: number;
  /** Most tokens of one answer. */
  maxOutputTokens: number;
  /** Hundredths of a plain estimate that are set aside for a request, when it was measured above one. */
  reckonedPercent?: number;
  /** Whether the settings name it. */
  isDefault: boolean;
}

export interface NetworkProfile {
  /** How much network there is. */
  mode: NetworkMode;
  /** Hosts that may be reached through the proxy. */
  allow?: string[];
  /** Whether the host's own loopback is reachable. */
  loopback?: boolean;
}

export interface Output {
  /** The ref. */
  outputRef: Id;
  /** What wrote it. */
  owner: OutputOwner;
  /** Which one of them. */
  ownerId?: Id;
  /** Media type. */
  mediaType: string;
  /** Text encoding, or binary. */
  encoding: string;
  /** Size. */
  sizeBytes: number;
  /** Hash, once it is sealed. */
  sha256?: string;
  /** Whether all of it is there. */
  complete: boolean;
  /** Beginning and end. */
  preview?: Preview;
  /** How the preview was cut. */
  truncation: Truncation;
  /** What was taken out. */
  redaction: Redaction;
  /** When it may be removed. */
  expiresAt?: Time;
}

export interface OutputRow {
  /** The output. */
  outputRef: Id;
  /** What wrote it. */
  owner: OutputOwner;
  /** Its size. */
  sizeBytes: number;
}

export interface OutputSummary {
  /** Outputs stored. */
  count: number;
  /** Their size. */
  bytes: number;
  /** Outputs removed. */
  expired: number;
}

export interface PastTurn {
  /** The turn. */
  turnId: Id;
  /** Its thread. */
  threadId?: Id;
  /** Its task. */
  taskId?: Id;
  /** Who it came from. */
  kind?: TurnKind;
  /** How it ended; unknown if the end was not found. */
  status: Status;
  /** The beginning of its input. */
  inputPreview?: string;
  /** The event it began with. */
  submittedSequence: number;
  /** The event that ended it. */
  endedSequence?: number;
  /** When it was submitted. */
  submittedAt?: Time;
  /** When it ended. */
  endedAt?: Time;
}

export interface PathCheck {
  /** Whether all paths lie inside the roots. */
  inside: boolean;
  /** The paths after resolving links. */
  resolved: string[];
}

export interface PermissionDecision {
  /** This decision; an answer to its question names it again. */
  decisionId?: Id;
  /** What was decided. */
  decision: Decision;
  /** Who or what decided. */
  decisionSource: DecisionSource;
  /** Why, in a sentence. */
  decisionReason: string;
  /** Rules that took part. */
  ruleRefs: string[];
  /** The action that asked for it. */
  approvalActionId?: Id;
  /** The input that was judged, if it was rewritten. */
  updatedInputRef?: Id;
  /** How far the decision reaches. */
  scope: GrantScope;
  /** When it ends. */
  expiresAt?: Time;
  /** The mode at that moment. */
  mode: PermissionMode;
  /** Whether the action destroys something. */
  destructive: boolean;
  /** What it would touch. */
  impact?: Impact;
  /** How to undo it. */
  rollbackAdvice?: string;
  /** The simple commands of a command line, each judged; of a long line the first ones, long words shortened. */
  subcommands?: Subcommand[];
  /** How many more simple commands were judged than are listed. */
  subcommandsOmitted?: number;
  /** Where its paths lie. */
  pathCheck?: PathCheck;
  /** The network it gets. */
  networkDecision?: NetworkMode;
  /** Records of a policy engine that took part. */
  policyRecords?: PolicyRecord[];
}

export interface PermissionState {
  /** The mode. */
  mode: PermissionMode;
  /** Whether someone can be asked. */
  interactive: boolean;
  /** Where rules come from. */
  policySources: string[];
  /** Decisions that are owed. */
  pendingApprovals: Id[];
  /** Grants that hold. */
  grants: Grant[];
  /** Rules that hold, the first 64; list_rules shows all. Inside a session snapshot only the session tells them. */
  rules?: RuleRow[];
  /** How many rules hold. */
  ruleCount?: number;
  /** Decisions so far. */
  decisions: DecisionCounts;
}

export interface PolicyRecord {
  /** Which record of Agent Policy it is. */
  kind: PolicyRecordKind;
  /** Its own identity, as its writer gave it. */
  recordId: string;
  /** The decision that it is about. */
  decisionId?: string;
  /** What it says, in the words of Agent Policy. */
  result: PolicyResult;
  /** The set of policies that was asked. */
  policySetId?: string;
  /** The version of that set. */
  policyVersion?: string;
  /** Why, for machines. */
  reasonCodes: string[];
  /** The risk that it speaks of. */
  scope?: any;
  /** What has to hold while the action runs. */
  obligations?: any;
  /** Who gave it. */
  by?: any;
  /** Why, for people. */
  justification?: string;
  /** When it ends. */
  expiresAt?: Time;
  /** The whole record as it came. */
  recordRef?: Id;
}

export interface Preview {
  /** The beginning. */
  head?: string;
  /** The end. */
  tail?: string;
}

export interface Price {
  /** Always USD. */
  currency: string;
  /** Price of a million input tokens. */
  inputPerMTok: number;
  /** Price of a million input tokens read from a cache. */
  cachedInputPerMTok?: number;
  /** Price of a million input tokens written to a cache. */
  cacheWritePerMTok?: number;
  /** Price of a million output tokens. */
  outputPerMTok: number;
  /** Where the price comes from. */
  source: PriceSource;
  /** The day it holds from. */
  effectiveFrom?: string;
}

export interface ProcessLimits {
  /** Time it may take. */
  timeoutMs: number;
  /** Time it may be silent. */
  inactivityMs: number;
  /** Bytes it may write. */
  maxOutputBytes: number;
  /** Processes it may have at once. */
  maxProcesses: number;
  /** Memory it may use. */
  maxMemoryBytes?: number;
  /** Apparent size of one file that it writes. */
  maxFileBytes?: number;
  /** Size of its private directories, all together. */
  privateBytes?: number;
  /** Whether it has a terminal. */
  tty: boolean;
  /** What its standard input is. */
  stdin: StdinPolicy;
}

export interface ProcessView {
  /** The process. */
  processId: Id;
  /** The call that started it. */
  toolCallId?: Id;
  /** Its command line without secrets. */
  commandSummary?: string;
  /** Where it stands. */
  status: ProcessStatus;
  /** exit:N or signal:N. */
  nativeStatus?: string;
  /** Its exit code. */
  exitCode?: number;
  /** What it wrote. */
  outputRef?: Id;
  /** Whether it may outlive the turn. */
  background?: boolean;
  /** Whether it has a terminal. */
  tty?: boolean;
  /** How much it has written, as far as is known. */
  outputBytes?: number;
  /** Of one that was lost: whether it may still run. */
  liveness?: Liveness;
  /** Its session, in lists over all of them. */
  sessionId?: Id;
  /** When it began. */
  startedAt?: Time;
  /** When it ended. */
  endedAt?: Time;
}

export interface ProviderLimit {
  /** The provider. */
  provider: string;
  /** rate or quota. */
  kind: LimitKind;
  /** Its last word. */
  state: LimitStatus;
  /** When it is full again. */
  until?: Time;
  /** What is used. */
  used?: number;
  /** What there is. */
  limit?: number;
  /** The event that says so. */
  sequence: number;
}

export interface QueueRules {
  /** What a new turn does on a busy thread. */
  onBusy: OnBusy;
  /** What an interrupt does to the queue. */
  onInterrupt: QueuePolicy;
}

export interface QueueView {
  /** The queue. */
  queueId: Id;
  /** Turns that wait, in order. */
  order: Id[];
  /** Its rules. */
  policy: QueueRules;
  /** running or held. */
  resumeState: string;
}

export interface QueuedTurnView {
  /** The turn. */
  turnId: Id;
  /** The same id under the queue's name for it. */
  queuedTurnId: Id;
  /** Its task. */
  taskId?: Id;
  /** Its place, from 1. */
  position: number;
  /** queued. */
  status: Status;
  /** Where it came from. */
  source: string;
  /** How it was sent. */
  delivery?: Delivery;
  /** Its input. */
  inputRef?: Id;
  /** The beginning of its input. */
  preview?: string;
  /** Since when it waits. */
  queuedAt: Time;
}

export interface RecoveryProgress {
  /** Sessions that had open work at the start. */
  total: number;
  /** Those that have said what was lost. */
  recovered: number;
}

export interface RefEntry {
  /** What the ref points at, such as turn_input, agent_message, tool_output, artifact; of a checkpoint log (offset: the last event before it) or turn (what rollback_thread goes back to). */
  kind?: string;
  /** The ref. */
  ref: string;
  /** First new byte behind the ref. */
  offset?: number;
}

export interface RemoteTask {
  /** Protocol of the peer, such as a2a. */
  nativeProtocol: string;
  /** The peer's own task id. */
  remoteTaskId: string;
  /** The peer's context id. */
  remoteContextId?: string;
  /** Which peer it is. */
  remoteAgentRef?: string;
  /** Its card as it was read. */
  agentCardRef?: string;
  /** How news reach us. */
  deliveryMechanism?: DeliveryMechanism;
  /** The peer's own word for its state. */
  remoteStatus?: string;
  /** Artifacts it sent. */
  remoteArtifactRefs?: string[];
}

export interface ResourceLimits {
  /** Time a command may take. */
  timeoutMs: number;
  /** Time a command may be silent. */
  inactivityMs: number;
  /** Bytes a command may write. */
  maxOutputBytes: number;
  /** Processes a command may have. */
  maxProcesses: number;
  /** Tools that may run at once. */
  maxParallelTools: number;
}

export interface RetryPolicy {
  /** Most attempts of one task. */
  maxAttempts: number;
  /** How the wait grows. */
  backoff: Backoff;
  /** Categories that are not tried again. */
  nonRetryable: string[];
  /** The first wait; one second when absent. */
  backoffMs?: number;
  /** Time one attempt may take. */
  timeoutMs?: number;
}

export interface Reward {
  /** The score, as the verifier wrote it. */
  value?: number;
  /** The reward file. */
  ref?: string;
  /** Its details. */
  detailsRef?: string;
  /** What was scored. */
  criteria?: string[];
  /** Why it failed, or none. */
  failureCategory?: string;
}

export interface RoutingDecision {
  /** None, one or several candidates. */
  routingMode: RoutingMode;
  /** What the choice follows. */
  decisionSource: RoutingSource;
  /** Why, in a sentence. */
  decisionReason: string;
  /** The provider chosen. */
  selectedProvider?: string;
  /** The model chosen. */
  selectedModel?: string;
  /** The provider asked for. */
  requestedProvider?: string;
  /** The model asked for. */
  requestedModel?: string;
  /** How many candidates there were. */
  candidateCount: number;
  /** What may be tried next, and what was. */
  fallbackChain: ChainEntry[];
  /** The capability that is missing, or none. */
  capabilityGap: string;
  /** Whether a person must choose. */
  requiresUserOverride: boolean;
  /** Limits at that moment. */
  limitStateSnapshot: LimitState;
}

export interface RuleRow {
  /** Its name in `ruleRefs` of decisions. */
  ruleRef: string;
  /** Where it stands: host_policy, user, project or session. */
  source: string;
  /** allow, ask or deny. */
  effect: Decision;
  /** False for what a project allows and nobody trusted. */
  counts: boolean;
  /** Holds under bypass too, and no grant answers it. */
  always: boolean;
  /** Tools it speaks of. */
  tool?: string;
  /** Words of the commands it speaks of. */
  command?: string[];
  /** Paths it speaks of. */
  path?: string;
  /** read or write, when only one is meant. */
  access?: string;
  /** Hosts it speaks of. */
  host?: string;
  /** Tool server it speaks of. */
  mcp?: string;
  /** Why it is there. */
  reason?: string;
}

export interface SandboxOverride {
  /** Another boundary. */
  mode?: SandboxMode;
  /** Another network. */
  network?: NetworkMode;
  /** Whether Unix sockets with a path may be used. */
  unixSockets?: boolean;
  /** Directories that may be read besides. */
  readRoots?: string[];
  /** Directories that may be written besides. */
  writeRoots?: string[];
  /** Hosts to be reached through the proxy; with another network what it is known to want to reach. */
  hosts?: string[];
  /** Single files that may be read besides. */
  readFiles?: string[];
  /** Single files that may be written besides, by tools of the runtime's own. */
  writeFiles?: string[];
  /** No wider boundary than this, whatever else is given. */
  atMost?: SandboxMode;
  /** No more network than this. */
  networkAtMost?: NetworkMode;
  /** No more output than this is kept. */
  outputAtMost?: number;
}

export interface SandboxProfile {
  /** The boundary that holds. */
  mode: SandboxMode;
  /** The mechanisms that enforce it. */
  tier: string;
  /** The boundary that was asked for. */
  requestedMode?: SandboxMode;
  /** What happens if the plan cannot be met. */
  enforcement?: Enforcement;
  /** Directory the command starts in. */
  cwd?: string;
  /** What can be read. */
  readRoots?: string[];
  /** What can be written. */
  writeRoots?: string[];
  /** What stays closed inside the write roots. */
  protectedPaths?: string[];
  /** What deny rules close: paths and patterns, for reading unless write: stands in front. */
  deniedPaths?: string[];
  /** Refusals that leave no sandbox.violation, by the words of docs/explanation/sandbox.md. */
  unreported?: string[];
  /** The network inside the cage. */
  network?: NetworkProfile;
  /** The variables it is given. */
  environmentRef?: Id;
  /** Its limits. */
  processLimits?: ProcessLimits;
  /** Events that tell of hits on the boundary. */
  violationRefs?: string[];
}

export interface SandboxState {
  /** The cage commands get. */
  profile?: SandboxProfile;
  /** Events that tell of hits on the boundary. */
  violationRefs: string[];
}

export interface Schedule {
  /** The schedule. */
  scheduleId: Id;
  /** Its session. */
  sessionId: Id;
  /** The thread that its tasks work on, one after the other. */
  threadId: Id;
  /** Whether it falls due. */
  status: ScheduleStatus;
  /** When, in cron form. */
  cron?: string;
  /** How often. */
  everyMs?: number;
  /** Once, at this time. */
  at?: Time;
  /** Time zone of the cron form. */
  timezone?: string;
  /** What happens to runs that nobody was there for. */
  missedPolicy: MissedPolicy;
  /** What happens while the task before is still open. */
  overlap: OverlapPolicy;
  /** Arguments of create_task for each run. */
  task: any;
  /** When it is due next. */
  nextAt?: Time;
  /** When it was due last. */
  lastAt?: Time;
  /** The task that came of it last. */
  lastTaskId?: Id;
  /** Tasks that it made. */
  runs: number;
  /** Runs that were missed. */
  missed: number;
  /** Runs that were left out because one was still open, or could not be made. */
  skipped: number;
}

export interface SessionRow {
  /** The session. */
  sessionId: Id;
  /** Its name. */
  title?: string;
  /** Its workspace. */
  workspaceId?: string;
  /** The most urgent status of its threads. */
  status: ThreadStatus;
  /** The fine status behind it. */
  profileStatus?: Status;
  /** Why. */
  statusReason?: string;
  /** Threads it has. */
  threads: number;
  /** The turn that is active. */
  activeTurnId?: Id;
  /** Decisions that are owed. */
  pendingActions: number;
  /** Turns that wait. */
  queuedTurns: number;
  /** What it cost so far. */
  costUsd?: number;
  /** Says that the cost is not known. */
  amountState?: Honesty;
  /** The word estimated when estimates are part of the cost. */
  costStatus?: CostStatus;
  /** Whether it is put away. */
  archived?: boolean;
  /** When it was made. */
  createdAt: Time;
  /** When it changed last. */
  updatedAt: Time;
  /** Its last event. */
  sequence: number;
}

export interface StepView {
  /** The step. */
  stepId: Id;
  /** The event that opened it. */
  startedSequence: number;
  /** What kind of step it is. */
  kind: ItemKind;
  /** Place in the turn, from 1. */
  index: number;
  /** Where it stands. */
  status: Status;
  /** The call it is. */
  toolCallId?: Id;
  /** The event that ended it. */
  endedSequence?: number;
}

export interface Subagent {
  /** The child. */
  subagentId: Id;
  /** The thread it was made on. */
  parentThreadId: Id;
  /** The turn it was made in. */
  parentTurnId?: Id;
  /** The task it was made for. */
  parentTaskId?: Id;
  /** The child agent it was made by. */
  parentSubagentId?: Id;
  /** Its own thread. */
  threadId: Id;
  /** What it is for. */
  role: string;
  /** Name for people. */
  nickname?: string;
  /** What it may see and touch. */
  isolation: Isolation;
  /** Whether it takes the parent's model. */
  modelPolicy: ModelPolicy;
  /** Its own model. */
  model?: string;
  /** Where it stands. */
  status: SubagentStatus;
  /** Its last message. */
  lastMessageRef?: Id;
  /** Whether its worktree is there; absent if it has none. */
  worktreeState?: WorktreeState;
  /** Why its worktree could not be made. */
  worktreeReason?: string;
}

export interface SubagentJobSection {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The child agents. */
  subagents?: Subagent[];
  /** The jobs. */
  jobs?: Job[];
  /** Threads that open child agents and jobs run on. */
  assignedThreadIds?: Id[];
  /** Whether all of them can go on after a restart. */
  recoverable?: boolean;
}

export interface Subcommand {
  /** The words of one simple command. */
  argv: string[];
  /** What was decided for it. */
  decision: Decision;
  /** Whether it destroys something. */
  destructive: boolean;
  /** The rule that decided. */
  ruleRef?: string;
}

export interface SubmitOptions {
  /** As the argument of that name. */
  model?: string;
  /** As the argument of that name. */
  fallback?: FallbackPolicy;
  /** As the argument of that name. */
  taskKind?: string;
  /** As the argument of that name. */
  requires?: string[];
  /** As the argument of that name. */
  latency?: LatencyTarget;
  /** As the argument of that name. */
  budgetUsd?: number;
  /** As the argument of that name. */
  outputSchema?: any;
  /** As the argument of that name. */
  metadata?: any;
  /** As the argument of that name. */
  delivery?: Delivery;
  /** As the argument of that name. */
  background?: boolean;
}

export interface Task {
  /** The task. */
  taskId: Id;
  /** The task above it. */
  parentTaskId?: Id;
  /** The topmost task of its tree. */
  rootTaskId?: Id;
  /** The session it lives in. */
  sessionId?: Id;
  /** The thread it works on. */
  threadId?: Id;
  /** The turn it was made for. */
  turnId?: Id;
  /** A short name. */
  title?: string;
  /** What is to be done. */
  objective?: string;
  /** Kind of work. */
  taskKind?: string;
  /** Coarse group of work. */
  taskFamily?: string;
  /** Who gets to see it in lists. */
  visibility?: Visibility;
  /** Where it stands. */
  status?: TaskStatus;
  /** A foreign word for its state. */
  nativeStatus?: string;
  /** Hint for scheduling. */
  priority?: string;
  /** Who asked for it. */
  requestedBy?: Actor;
  /** Who answers for it. */
  owner?: Actor;
  /** Who does it. */
  assignee?: Actor;
  /** The boundary it works in. */
  scope?: TaskScope;
  /** What it may not exceed. */
  constraints?: Constraints;
  /** What completion needs. */
  acceptance?: Criterion[];
  /** When it was made. */
  createdAt?: Time;
  /** The run that is active or was last. */
  currentRunId?: Id;
  /** What it needs from a model. */
  taskProfile?: TaskProfile;
  /** How far it is. */
  progress?: TaskProgress;
  /** All attempts, oldest first. */
  attempts?: TaskAttempt[];
  /** Its edges. */
  relationships?: TaskRelationship[];
  /** The peer's task, when it was delegated. */
  remoteTask?: RemoteTask;
  /** Artifacts it made. */
  artifacts?: ArtifactRef[];
  /** Evidence about it. */
  evidenceRefs?: string[];
  /** Whether its result arrived. */
  deliveryState?: DeliveryState;
  /** When it first ran. */
  startedAt?: Time;
  /** When it changed last. */
  updatedAt?: Time;
  /** Why it stands where it stands. */
  statusReason?: string;
  /** The last failure. */
  lastError?: LastError;
  /** When it ended. */
  endedAt?: Time;
  /** What it waits for, since when, and what ends that. */
  wait?: Wait;
  /** The event that changed it last. */
  version?: number;
  /** The caller's own notes. */
  metadata?: any;
}

export interface TaskAcceptance {
  /** What completion needs. */
  criteria: Criterion[];
  /** How many of them hold. */
  covered: number;
}

export interface TaskAttempt {
  /** The run. */
  runId: Id;
  /** The attempt; one to one with the run. */
  attemptId: Id;
  /** Wire status of the attempt. */
  status: AttemptStatus;
  /** The exact word, where the wire has none. */
  nativeStatus?: string;
  /** Which attempt of the task, from 1. */
  attemptCount: number;
  /** Who carries it out. */
  worker?: Worker;
  /** What it was given. */
  inputRefs?: RefEntry[];
  /** When it began. */
  startedAt?: Time;
  /** What a failure leads to. */
  retryPolicy?: RetryPolicy;
  /** When it ended. */
  endedAt?: Time;
  /** What it left. */
  outputRefs?: RefEntry[];
  /** Points it can go on from. */
  checkpointRefs?: RefEntry[];
  /** Why it ended badly. */
  lastError?: LastError;
  /** A sentence on the outcome; not authoritative. */
  completionSummary?: string;
}

export interface TaskGraph {
  /** The topmost task. */
  rootTaskId?: Id;
  /** All edges. */
  edges: TaskRelationship[];
}

export interface TaskProfile {
  /** Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another. */
  kind: string;
  /** Who asked for it. */
  source: string;
  /** What the model must be able to do. */
  requiredCapabilities: string[];
  /** How long people will wait. */
  latencyTarget: LatencyTarget;
  /** How much it may cost, roughly. */
  budgetClass: BudgetClass;
  /** Whether another model may step in. */
  fallbackPolicy: FallbackPolicy;
  /** Where these settings come from. */
  settingsSource: string;
  /** What it goes on from: nothing, the thread's earlier turns, or an interrupted run. */
  continuity?: Continuity;
}

export interface TaskProgress {
  /** What the task is busy with. */
  phase?: Phase;
  /** Share done, 0 to 100, where that can be said. */
  percent?: number;
  /** The step it is at. */
  currentStepId?: Id;
  /** One sentence. */
  summary?: string;
  /** Things counted so far. */
  counters?: Counters;
  /** Tool calls made so far. */
  toolCalls?: number;
  /** Model requests made so far. */
  modelRequests?: number;
  /** New output and its offsets. */
  outputRefs?: RefEntry[];
  /** Criteria met so far. */
  acceptance?: AcceptanceCount;
  /** State of the checks, in one word. */
  validation?: string;
}

export interface TaskRelationship {
  /** What the edge says. */
  kind: EdgeKind;
  /** The object it starts at. */
  sourceId?: Id;
  /** The object it points to. */
  targetId: Id;
  /** Whether the edge still holds. */
  status?: EdgeStatus;
  /** When it was made. */
  createdAt?: Time;
  /** When it changed last. */
  updatedAt?: Time;
  /** Why it was made. */
  reason?: string;
}

export interface TaskScope {
  /** Workspace the task is bound to. */
  workspaceId?: string;
  /** Thread it is bound to. */
  threadId?: Id;
  /** Account it is bound to. */
  accountRef?: string;
  /** Environment it is bound to. */
  environmentId?: Id;
  /** Directory it works in. */
  cwd?: string;
  /** Any other boundary, by ref. */
  ref?: string;
}

export interface TaskSummary {
  /** Tasks under way. */
  active: number;
  /** Those of them that wait. */
  waiting: number;
  /** Tasks that ended. */
  terminal: number;
  /** Those of them done. */
  completed: number;
  /** Those of them failed. */
  failed: number;
  /** Those of them lost. */
  lost: number;
  /** The latest that ended. */
  recentTerminal: Id[];
}

export interface TaskWhy {
  /** What it waits for, in one word. */
  waitingFor: string;
  /** Since when. */
  since?: Time;
  /** Until when at the latest. */
  until?: Time;
  /** Commands, timers and facts that can end it. */
  endedBy: string[];
  /** One or two sentences. */
  detail: string;
}

export interface Telemetry {
  /** Whether it was exported. */
  status: EvidenceSignal;
  /** Traces it is part of. */
  traceIds?: string[];
  /** Whether records could be joined. */
  joinStatus?: string;
  /** Name of the span. */
  spanName?: string;
}

export interface TelemetrySummary {
  /** Whether it is exported. */
  status: EvidenceSignal;
  /** Traces. */
  traceIds?: string[];
  /** Whether records could be joined. */
  joinStatus?: string;
}

export interface Thing {
  /** Kind of the object: process, tool_call, run, request, hook, action. */
  kind: string;
  /** Its id. */
  id: Id;
}

export interface ThreadHistory {
  /** Turns it had. */
  turns: number;
  /** The latest boundary, or why there is none. */
  compactionBoundary: any;
  /** What is at hand. */
  window: HistoryWindow;
}

export interface ThreadRow {
  /** The thread. */
  threadId: Id;
  /** What it is for. */
  kind: ThreadKind;
  /** Its name. */
  title?: string;
  /** Where it stands. */
  status: ThreadStatus;
  /** The fine status behind it. */
  profileStatus?: Status;
  /** The turn that is active. */
  activeTurnId?: Id;
  /** Decisions that are owed. */
  pendingActions: number;
  /** Turns that wait. */
  queuedTurns: number;
  /** Turns it had. */
  turns: number;
  /** When it changed last. */
  updatedAt?: Time;
}

export interface ThreadTelemetry {
  /** Traces it is part of. */
  traceIds: string[];
  /** Whether records could be joined. */
  joinStatus: string;
}

export interface ThreadView {
  /** The thread. */
  threadId: Id;
  /** What it is for. */
  kind: ThreadKind;
  /** Where it stands, in nine words. */
  status: ThreadStatus;
  /** The fine status behind it. */
  profileStatus: Status;
  /** The turn that is active. */
  activeTurnId?: Id;
  /** Why it stands there. */
  statusReason?: string;
  /** What it waits for. */
  wait?: Wait;
  /** How the last turn ended. */
  lastOutcome?: LastOutcome;
  /** The recent turns. */
  turns: TurnView[];
  /** Decisions that are owed. */
  pendingRequests: ActionView[];
  /** Turns that wait, in order. */
  queuedTurns: QueuedTurnView[];
  /** The queue itself. */
  queue: QueueView;
  /** What went wrong. */
  incidents: Incident[];
  /** Decisions, owed and given. */
  actions: ActionView[];
  /** Recent calls. */
  toolCalls: ToolCallView[];
  /** Commands. */
  processes: ProcessView[];
  /** Mode, grants, what is owed. */
  permissionState: PermissionState;
  /** The cage and hits on it. */
  sandboxState: SandboxState;
  /** The choice of model. */
  modelRouting: ModelRouting;
  /** The limits. */
  limitState?: LimitState;
  /** What it cost. */
  costState?: CostState;
  /** Its child agents. */
  subagents: Subagent[];
  /** Its jobs. */
  jobs: Job[];
  /** Peers bound to it. */
  channels: Channel[];
  /** Stored outputs. */
  outputs: Output[];
  /** Its tasks. */
  tasks: Task[];
  /** Their edges. */
  taskGraph: TaskGraph;
  /** Tasks that cannot go on. */
  blockedTasks: BlockedTask[];
  /** Whether what ended here reached those who are told. */
  deliveryState?: DeliveryState;
  /** Traces. */
  telemetry: ThreadTelemetry;
  /** What is at hand of its past. */
  history: ThreadHistory;
  /** What the model sees. */
  contextBoundary: ContextBoundary;
  /** What deserves a look. */
  diagnostics: Diagnostics;
  /** Evidence. */
  evidenceSummary: EvidenceSummary;
  /** The list that its model keeps for itself, when it keeps one: a hint. */
  todo?: TodoItem[];
}

export interface TodoItem {
  /** What there is to do. */
  text: string;
  /** How the model sees it; nothing follows from that. */
  status: TodoStatus;
}

export interface Tokens {
  /** Tokens read, cached ones included. */
  inputTokens: number;
  /** Tokens read from the provider's cache. */
  cachedInputTokens: number;
  /** Tokens written to that cache. */
  cacheWriteTokens?: number;
  /** Tokens written. */
  outputTokens: number;
  /** Those of them that were reasoning. */
  reasoningTokens: number;
}

export interface ToolCallView {
  /** The call. */
  toolCallId: Id;
  /** Its step. */
  stepId: Id;
  /** Its turn. */
  turnId: Id;
  /** The tool. */
  toolName: string;
  /** Where it stands. */
  status: Status;
  /** The decision it runs under. */
  permissionDecision?: PermissionDecision;
  /** Hooks that took part. */
  hookRunIds: Id[];
  /** Whether it may have had an effect. */
  executed: Executed;
  /** Why it failed. */
  category?: ErrorCategory;
  /** The cage it ran in. */
  sandboxMode?: SandboxMode;
  /** What it wrote. */
  outputRef?: Id;
  /** Exit code of the command. */
  exitCode?: number;
  /** Whether its result tells of a failure. */
  isError?: boolean;
  /** How long it took. */
  durationMs?: number;
}

export interface ToolServer {
  /** Its name in the settings; its tools are called mcp__NAME__TOOL. */
  name: string;
  /** user: of the settings; project: of a directory's .mcp.json. */
  source: string;
  /** Of a project's server: the directory whose file names it. */
  cwd?: string;
  /** Whether it runs, and if not why not. */
  status: ToolServerStatus;
  /** The reason, in a sentence. */
  detail?: string;
  /** The program and its arguments. */
  command: string;
  /** mcp. */
  nativeProtocol: string;
  /** The version that is spoken. */
  protocolVersion?: string;
  /** What it calls itself. */
  program?: string;
  /** Its channel, while it is connected. */
  channelId?: Id;
  /** Hosts that its entry asks for: it reaches these and no others. */
  hosts?: string[];
  /** Of the project's file: what is trusted, or would be. */
  contentHash?: string;
  /** Of a server that has more rights than the agent: over the files that its command names. */
  programHash?: string;
  /** Tools it offers. */
  toolCount: number;
  /** Those of them that are not what they were when they were pinned. */
  changedCount: number;
  /** How often it had to be started again. */
  restarts: number;
}

export interface Trajectory {
  /** Its format and version. */
  schema?: string;
  /** Where it is kept. */
  ref?: string;
  /** pending, exported, failed, redacted or not-supported. */
  exportStatus?: string;
  /** Which required fields are there. */
  requiredFieldStatus?: any;
}

export interface TrialRow {
  /** The trial. */
  trialId: string;
  /** What it belongs to. */
  benchmark: Benchmark;
  /** Where it stands. */
  status: Status;
  /** Its score. */
  reward?: Reward;
  /** Its trajectory. */
  trajectory?: Trajectory;
}

export interface TurnPermissionView {
  /** The mode. */
  mode: PermissionMode;
  /** The last decision. */
  lastDecision?: Decision;
  /** Decisions that are owed. */
  pendingActionIds: Id[];
}

export interface TurnView {
  /** The turn. */
  turnId: Id;
  /** Whose turn it is. */
  kind: TurnKind;
  /** Where it stands, in the fine words. */
  status: Status;
  /** Why. */
  statusReason?: string;
  /** Its task. */
  taskId?: Id;
  /** Its latest run. */
  runId?: Id;
  /** Its latest attempt. */
  attemptId?: Id;
  /** Its input. */
  inputRef?: Id;
  /** When it began. */
  startedAt?: Time;
  /** When it ended. */
  completedAt?: Time;
  /** Its steps, in order. */
  steps: StepView[];
  /** What it needs from a model. */
  taskProfile?: TaskProfile;
  /** Models that were available. */
  candidateModelSet?: CandidateModelSet;
  /** The model that was chosen. */
  routingDecision?: RoutingDecision;
  /** Its decisions. */
  permissionState?: TurnPermissionView;
  /** The last cage. */
  sandboxProfile?: SandboxProfile;
  /** Where its commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** What it cost. */
  costState?: CostState;
  /** The limits it met. */
  limitState?: LimitState;
  /** Its hooks. */
  hookRuns?: HookRun[];
  /** Its commands. */
  processes?: ProcessView[];
  /** Its outputs. */
  outputRefs?: OutputRow[];
}

export interface ValidationCounts {
  /** Artifacts whose latest version passed. */
  passed: number;
  /** Artifacts whose latest version failed. */
  failed: number;
  /** Artifacts that declare nothing that can be checked, or that were deleted. */
  notApplicable: number;
  /** Artifacts that nothing validated, or not all that they declare. */
  unchecked: number;
  /** Issues of all of them. */
  issues: number;
}

export interface Verification {
  /** What was checked. */
  name: string;
  /** What the verifier said. */
  status: string;
  /** Which verifier said it. */
  verifierRef?: string;
}

export interface Wait {
  /** What is waited for. */
  for: WaitFor;
  /** Since when. */
  since: Time;
  /** Until when at the latest. */
  until?: Time;
  /** The word none when nothing ends it by itself. */
  deadline?: string;
  /** Commands, timers and facts that can end it. */
  endedBy: string[];
  /** When it was said that it takes long. */
  overdueAt?: Time;
  /** Names what resume_thread goes on with; a token of an earlier interruption is refused. */
  resumeToken?: string;
}

export interface Worker {
  /** What carries the attempt out. */
  kind: WorkerKind;
  /** The runtime it runs in. */
  runtimeId?: Id;
  /** The thread it runs on. */
  threadId?: Id;
  /** The external worker's own name. */
  workerId?: string;
  /** Where the worker is described. */
  ref?: string;
  /** When it counts as lost without a heartbeat. */
  leaseUntil?: Time;
}

export interface AckEventsReply {
  /** The channel. */
  channelId: Id;
  /** Last event acknowledged. */
  lastAckedSequence: number;
}

export interface AppendTaskProgressReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ArchiveTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface AssignJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Where it stands now. */
  status: JobItemStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** When the worker counts as lost. */
  leaseUntil?: Time;
}

export interface CancelJobReply {
  /** The job. */
  jobId: Id;
  /** Where it stands now. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CancelTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ClaimTaskReply {
  /** The session. */
  sessionId?: Id;
  /** The task; absent when there is none. */
  taskId?: Id;
  /** The run. */
  runId?: Id;
  /** The attempt. */
  attemptId?: Id;
  /** The whole record. */
  task?: Task;
  /** When the worker counts as lost. */
  leaseUntil?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence?: number;
}

export interface CloseSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Where it stands now. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompactThreadReply {
  /** The thread. */
  threadId: Id;
  /** The system turn that does it. */
  turnId: Id;
  /** Where it stands. */
  status: Status;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompareBenchmarkRunsReply {
  /** The deltas. */
  comparison: Comparison;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompleteTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CreateJobReply {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** Where it stands now. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** Items it has. */
  itemCount: number;
}

export interface CreateScheduleReply {
  /** The session. */
  sessionId: Id;
  /** The schedule. */
  scheduleId: Id;
  /** When it is due first. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CreateSessionReply {
  /** The session. */
  sessionId: Id;
  /** Its first thread. */
  threadId: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CreateTaskReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface DeleteScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Where it stands now. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface EraseEventReply {
  /** The session. */
  sessionId: Id;
  /** The event. */
  eventSequence: number;
  /** erased, or already_erased. */
  status: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface EvaluatePermissionReply {
  /** The decision and what it rests on. */
  permissionDecision: PermissionDecision;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExplainThreadReply {
  /** The thread. */
  threadId: Id;
  /** Its active turn. */
  turnId?: Id;
  /** Its status. */
  status: ThreadStatus;
  /** The fine status. */
  profileStatus: Status;
  /** A word of wait_for, or start, preparation, model, tool, release, nothing, unknown. */
  waitingFor: string;
  /** Since when. */
  since?: Time;
  /** When the wait ends by itself. */
  until?: Time;
  /** none, instead of `until`: no point in time ends it. */
  deadline?: string;
  /** Commands and facts that end it. */
  endedBy: string[];
  /** Decisions that are owed. */
  pendingActionIds: Id[];
  /** Turns that wait behind it, in order. */
  queuedTurnIds: Id[];
  /** The same in a sentence for people. */
  detail: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportBenchmarkTrialReply {
  /** The trial. */
  trialId: string;
  /** The export. */
  evidenceId: Id;
  /** Where it is. */
  packRef: string;
  /** Its trajectory. */
  trajectory?: Trajectory;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportEvidenceReply {
  /** The export. */
  evidenceId: Id;
  /** Where it is. */
  packRef: string;
  /** Whether what it covers still goes on. */
  partial: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportReplayReply {
  /** The export. */
  evidenceId: Id;
  /** Where it is. */
  replayRef: string;
  /** Whether what it covers still goes on. */
  partial: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportReviewReply {
  /** The export. */
  evidenceId: Id;
  /** Where it is. */
  reviewRef: string;
  /** Whether what it covers still goes on. */
  partial: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface FailTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ForkThreadReply {
  /** Session of the new thread. */
  sessionId: Id;
  /** The new thread. */
  threadId: Id;
  /** Last turn that it took over. */
  turnId?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export type GetArtifactCheckpointSummaryReply = ArtifactCheckpointSummary;

export interface GetCapabilitiesReply {
  /** thole. */
  name: string;
  /** Its version. */
  version: string;
  /** The installation. */
  runtimeId: Id;
  /** Version of the event envelope. */
  schemaVersion: string;
  /** Version of the standard. */
  specVersion: string;
  /** Which layers of the standard hold. */
  layers: any;
  /** Every command and whether it is built. */
  commands: any;
  /** Every event class and whether it is emitted. */
  events: any;
  /** The read models. */
  views: string[];
  /** How one can connect. */
  transports: string[];
  /** Tiers the kernel offers, and the one in use. */
  sandbox: any;
  /** The models of all providers: provider, model, hasCredential, priced with inputPerMTok and outputPerMTok in dollars, capabilities, windowTokens, maxOutputTokens. */
  providers: any[];
  /** Settings clients must know, such as durability and the delta window. */
  settings: any;
  /** Bounds on input, and on what stands in facts instead of behind a ref. */
  limits: any;
  /** Parts of snapshots that are unavailable in this build. */
  sections: any;
  /** damaged: places in the log that could not be read since the start, each with sessionId, from, to and reason. */
  storage?: any;
}

export type GetContextBoundaryReply = ContextBoundarySnapshot;

export interface GetExecutionEnvironmentReply {
  /** The environment. */
  executionEnvironment: ExecutionEnvironment;
  /** The last cage, or the one that commands would get. */
  sandboxProfile?: SandboxProfile;
  /** Commands that run. */
  processes: ProcessView[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface GetJobReply {
  /** The job. */
  job: Job;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface GetOutputReply {
  /** Its record. */
  output: Output;
  /** First byte given. */
  offset: number;
  /** How many were given. */
  bytes: number;
  /** The bytes, when they are text. */
  text?: string;
  /** The bytes, when they are not. */
  base64?: string;
  /** Whether this is the end of what there is. */
  eof: boolean;
}

export type GetPermissionSandboxSummaryReply = PermissionSandboxSummary;

export type GetRoutingLimitSummaryReply = RoutingLimitSummary;

export interface GetSessionReply {
  /** Always lime-profile-0.4.0. */
  schemaVersion: string;
  /** The installation. */
  runtimeId: Id;
  /** The session. */
  sessionId: Id;
  /** Its workspace. */
  workspaceId?: string;
  /** Its name. */
  title?: string;
  /** When it was made. */
  createdAt: Time;
  /** When it changed last. */
  updatedAt: Time;
  /** The last event it reflects. */
  sequence: number;
  /** Version of the fold. */
  foldVersion: number;
  /** Whether it may not be current. */
  stale: boolean;
  /** Whether parts were left out. */
  truncated: boolean;
  /** Whose it is. */
  account: Account;
  /** Threads that are not put away. */
  activeThreadIds: Id[];
  /** Threads that are pinned. */
  pinnedThreadIds: Id[];
  /** What is at hand of its past. */
  historyWindow: HistoryWindow;
  /** With a cursor: turns of that page, newest first. */
  history?: PastTurn[];
  /** Its threads. */
  threads?: ThreadView[];
  /** Its tasks. */
  tasks?: Task[];
  /** How many of each kind. */
  taskSummary?: TaskSummary;
  /** Their edges. */
  taskGraph?: TaskGraph;
  /** Tasks that cannot go on. */
  blockedTasks?: BlockedTask[];
  /** Whether results arrived. */
  deliveryState?: DeliveryState;
  /** The tools of the latest run. */
  toolInventoryRef?: Id;
  /** Where commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** Mode, grants, what is owed. */
  permissionState?: PermissionState;
  /** The cage and hits on it. */
  sandboxState?: SandboxState;
  /** The choice of model, cost, limits. */
  routingLimitSummary?: ModelRouting;
  /** Child agents and jobs. */
  subagentJobSummary?: SubagentJobSection;
  /** Enrolled peers. */
  channelSummary?: ChannelSection;
  /** Trials. */
  benchmarkSummary?: BenchmarkSection;
  /** Traces. */
  telemetrySummary?: TelemetrySummary;
  /** Stored outputs. */
  outputSummary?: OutputSummary;
  /** What happened to its past. */
  historySummary?: HistorySummary;
  /** Artifacts. */
  artifactRefs?: string[];
  /** Evidence. */
  evidenceRefs?: string[];
}

export type GetSubagentJobSummaryReply = SubagentJobSummary;

export interface GetTaskReply {
  /** The task. */
  task: Task;
  /** Edges of its tree. */
  graph?: TaskGraph;
  /** What it waits for, and what ends that. */
  why?: TaskWhy;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export type GetThreadReadReply = ThreadReadModel;

export type GetToolInventoryReply = ToolInventorySnapshot;

export interface HeartbeatJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** When the worker counts as lost. */
  leaseUntil: Time;
  /** Where the job stands, so that a cancel is seen. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface HeartbeatTaskReply {
  /** The task. */
  taskId: Id;
  /** When the worker counts as lost. */
  leaseUntil: Time;
  /** Where the task stands, so that a cancel is seen. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface InterruptTurnReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn being stopped. */
  turnId?: Id;
  /** cancelling when something is being stopped, no_op when there was nothing. */
  status: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface LinkTasksReply {
  /** The task the edge starts at. */
  fromTaskId: Id;
  /** What the edge says. */
  relationship: EdgeKind;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListActionsReply {
  /** The requests, oldest first. */
  actions: ActionView[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListChannelsReply {
  /** The channels of that session; without one, those of all sessions in memory. */
  channels: Channel[];
}

export interface ListDevicesReply {
  /** Oldest first. */
  devices: Device[];
}

export interface ListEventsReply {
  /** The stored envelopes, or their records of the form that was asked for; what it has no word for is left out. */
  events: RuntimeEvent[];
  /** Last event of the page, when one session is read. */
  lastSequence?: number;
  /** With before: where the page begins. */
  firstSequence?: number;
  /** Whether there are more. */
  more: boolean;
  /** What is gone: removed below the oldest event, or damaged on disk behind the last event of the page. */
  gap?: Gap;
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListGrantsReply {
  /** The grants, oldest first. */
  grants: Grant[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListHooksReply {
  /** The hooks in the order in which they are asked. */
  hooks: HookRow[];
  /** The project's file, if there is one. */
  path?: string;
  /** Of that file: what is trusted, or would be. */
  contentHash?: string;
}

export interface ListJobItemsReply {
  /** The items, in order. */
  items: JobItem[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListJobsReply {
  /** The jobs, newest first. */
  jobs: Job[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListModelsReply {
  /** The models, in the order of preference. */
  models: ModelRow[];
  /** Caps that reach over sessions, and what stands on them. */
  budgets: Budget[];
}

export interface ListProcessesReply {
  /** The commands. */
  processes: ProcessView[];
  /** Without a session: paths that do not exist and that a running sandbox holds with an empty placeholder, so that nothing creates them. */
  placeholders?: string[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListQueueReply {
  /** The thread. */
  threadId: Id;
  /** Order, rules and state. */
  queue: QueueView;
  /** The turns that wait, in order. */
  queuedTurns: QueuedTurnView[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListRulesReply {
  /** The rules, highest source first; grants are listed by `list_grants`. */
  rules: RuleRow[];
  /** What decides where no rule does. */
  mode: PermissionMode;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListSchedulesReply {
  /** The schedules. */
  schedules: Schedule[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListSessionsReply {
  /** The sessions, latest change first. */
  sessions: SessionRow[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
  /** While sessions are recovered after a start: how far that has come. Rows of those that are left show what was known before it. */
  recovery?: RecoveryProgress;
}

export interface ListSubagentsReply {
  /** The child agents. */
  subagents: Subagent[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListTasksReply {
  /** The tasks, newest first. */
  tasks: Task[];
  /** How many there are of each kind, when one session is asked for. */
  summary?: TaskSummary;
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListThreadsReply {
  /** The threads, oldest first. */
  threads: ThreadRow[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListToolServersReply {
  /** The servers, those of the settings first. */
  servers: ToolServer[];
}

export interface MoveQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The whole order afterwards. */
  order: Id[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface OpenConsoleReply {
  /** Goes behind #code= of the address; works once. */
  code: string;
  /** Until when it works. */
  expiresAt: Time;
  /** Where the console is served; a loopback port is opened when there was none. */
  addresses: string[];
  /** Whether the console is part of this build. */
  hasConsole: boolean;
}

export interface PairDeviceReply {
  /** Goes behind #code= of the address; works once. */
  code: string;
  /** What the device opens. */
  address: string;
  /** What it will be called. */
  name: string;
  /** What it will be allowed. */
  scopes: string[];
  /** Until when the code works. */
  expiresAt: Time;
  /** Where a tunnel or proxy has to lead; a loopback port is opened when there was none. */
  addresses: string[];
  /** Whether the console is part of this build. */
  hasConsole: boolean;
}

export interface PauseScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Where it stands now. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface PauseTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface PromoteQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The whole order afterwards. */
  order: Id[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RebuildSessionReply {
  /** The session. */
  sessionId: Id;
  /** Events that were folded. */
  events: number;
  /** Rows that were written. */
  rows: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ReconnectChannelReply {
  /** The channel. */
  channelId: Id;
  /** Token for the next time. */
  resumeToken?: string;
  /** First event that follows. */
  fromSequence: number;
  /** Whether events in between are gone. */
  gap?: boolean;
  /** First event that is gone. */
  gapFrom?: number;
  /** Last event that is gone. */
  gapTo?: number;
  /** With a gap: why they are gone. */
  recoveryMode?: RecoveryMode;
  /** With a gap: read models that the peer has to take from the snapshot. */
  stale?: string[];
  /** The session snapshot that comes first. */
  snapshot?: any;
  /** On a JSON-RPC connection: the subscription that sends the events from fromSequence on. */
  subscriptionId?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RecordBenchmarkRewardReply {
  /** The trial. */
  trialId: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RemoveQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The whole order afterwards. */
  order: Id[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ReportJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Where it stands now. */
  status: JobItemStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResizeProcessReply {
  /** The process. */
  processId: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResolvePermissionReply {
  /** The action. */
  actionId: Id;
  /** The answer that stands. */
  decision: Decision;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RespondActionReply {
  /** The action. */
  actionId: Id;
  /** The answer that stands. */
  decision: Decision;
  /** How far it reaches. */
  scope?: GrantScope;
  /** The grant it left. */
  grantId?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResumeScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Where it stands now. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResumeSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Where it stands now. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn that goes on. */
  turnId?: Id;
}

export interface ResumeTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The run that goes on. */
  runId?: Id;
}

export interface ResumeThreadReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn that goes on. */
  turnId?: Id;
  /** Its task. */
  taskId?: Id;
  /** The new run. */
  runId?: Id;
  /** resumed, released, running or nothing_to_resume; stopped when a task above it was cancelled. */
  status: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RetryJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Where it stands now. */
  status: JobItemStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RetryTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The new run. */
  runId: Id;
  /** The new attempt. */
  attemptId?: Id;
  /** The turn, when the built-in agent does it. */
  turnId?: Id;
}

export interface RevokeDeviceReply {
  /** The device that was. */
  deviceId: Id;
  /** What it was called. */
  name: string;
  /** Event streams that were cut. */
  streams: number;
}

export interface RevokeGrantReply {
  /** The grant. */
  grantId: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RollbackThreadReply {
  /** The thread. */
  threadId: Id;
  /** Turns that went; the newest 64 and the active one when there are more. */
  removedTurns: Id[];
  /** How many turns went. */
  removedCount?: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface SendSubagentInputReply {
  /** The child agent. */
  subagentId: Id;
  /** Where it stands now. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn it became. */
  turnId?: Id;
}

export interface SetModeReply {
  /** The mode now. */
  mode: PermissionMode;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface SetPolicyReply {
  /** The rules as they are now. */
  policyRef: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface SpawnSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Where it stands now. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** Its own thread. */
  threadId: Id;
  /** Its first turn. */
  turnId?: Id;
}

export interface StartBenchmarkTrialReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn. */
  turnId: Id;
  /** The task. */
  taskId: Id;
  /** The run. */
  runId: Id;
  /** The trial. */
  trialId: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface StartJobReply {
  /** The job. */
  jobId: Id;
  /** Where it stands now. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface StartTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The run. */
  runId?: Id;
  /** The attempt. */
  attemptId?: Id;
  /** The turn, when the built-in agent does it. */
  turnId?: Id;
  /** When an external worker counts as lost. */
  leaseUntil?: Time;
}

export interface SubmitTurnReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn. */
  turnId: Id;
  /** Its task; a steer has its target's. */
  taskId?: Id;
  /** The run kept for it. */
  runId?: Id;
  /** accepted or queued. */
  status: Status;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn it waits behind. */
  behind?: Id;
  /** The turn's first event: reading after the one before it shows the whole turn. */
  firstSequence?: number;
}

export interface SubscribeEventsReply {
  /** The subscription. */
  subscriptionId: Id;
  /** The event it begins after. */
  after: number;
  /** What is gone: removed below the oldest event, or damaged on disk behind the last event of the page. */
  gap?: Gap;
}

export interface TerminateProcessReply {
  /** The process. */
  processId: Id;
  /** Where it stands now. */
  status: ProcessStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface TrimLogReply {
  /** The session. */
  sessionId: Id;
  /** The last event that is gone. */
  removedThrough: number;
  /** Hash of the log at that point; the chain is checked from there. */
  headHash?: string;
  /** The state that stands for what was removed. */
  snapshotRef?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface TrustHooksReply {
  /** What is trusted now. */
  contentHash: string;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface TrustToolServerReply {
  /** The server. */
  server: string;
  /** What is trusted now. */
  contentHash?: string;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface UnlinkTasksReply {
  /** The task the edge starts at. */
  fromTaskId: Id;
  /** What the edge says. */
  relationship: EdgeKind;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface UnsubscribeEventsReply {
  /** The subscription. */
  subscriptionId: Id;
}

export interface UpdateSessionReply {
  /** The session. */
  sessionId: Id;
  /** Names of the fields that changed. */
  changed: string[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface UpdateTaskReply {
  /** The task. */
  taskId: Id;
  /** Where it stands now. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** Names of the fields that changed. */
  changed: string[];
}

export interface VerifyLogReply {
  /** whole, erased, incomplete (files of outputs are missing) or broken. */
  status: string;
  /** Sessions checked. */
  sessions: number;
  /** Events checked. */
  events: number;
  /** The first row that does not fit. */
  firstBad?: BadRow;
  /** Rows whose body was erased by law. */
  erased: number;
  /** Hash of the last row, when one session is checked. */
  headHash?: string;
  /** The newest event of the session that an anchor in sess_system names; absent: none does, and a cut tail would not be noticed. */
  anchoredSequence?: number;
  /** Outputs in blobs/ whose file was looked for. */
  outputs?: number;
  /** Those whose file is gone; the first 100. */
  missingOutputs?: string[];
}

export interface WaitSubagentsReply {
  /** Where each stands. */
  subagents: Subagent[];
  /** Whether time was up; the children go on. */
  timedOut: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface WriteProcessStdinReply {
  /** The process. */
  processId: Id;
  /** Bytes written. */
  bytes: number;
  /** Where its output stood then. */
  outputOffset?: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export type Time = string;

export interface ArtifactCheckpointSummary {
  /** The artifacts. */
  artifacts: ArtifactRow[];
  /** Their ids. */
  artifactRefs: string[];
  /** How many of them passed validation. */
  validation: ValidationCounts;
  /** The last event it reflects. */
  sequence: number;
}

export interface ContextBoundarySnapshot {
  /** The thread. */
  threadId: Id;
  /** What the model sees. */
  contextBoundary: ContextBoundary;
  /** What is at hand of its past. */
  history: ThreadHistory;
  /** The last event it reflects. */
  sequence: number;
}

export interface PermissionSandboxSummary {
  /** Mode, grants, what is owed. */
  permissionState: PermissionState;
  /** The cage and hits on it. */
  sandboxState: SandboxState;
  /** Decisions that are owed. */
  pendingRequests: ActionView[];
  /** The last event it reflects. */
  sequence: number;
}

export interface RoutingLimitSummary {
  /** Why no choice is shown: none was needed yet, or it is being made. */
  status?: Honesty;
  /** Kind of work. */
  taskKind?: string;
  /** Models that were available. */
  candidateCount: number;
  /** Whether there was exactly one. */
  singleCandidate: boolean;
  /** The provider chosen. */
  selectedProvider?: string;
  /** The model chosen. */
  selectedModel?: string;
  /** What the choice follows. */
  decisionSource?: RoutingSource;
  /** Why. */
  decisionReason?: string;
  /** The capability that is missing, or none. */
  capabilityGap?: string;
  /** Whether another model stepped in. */
  fallbackApplied: boolean;
  /** What it cost. */
  costState?: CostState;
  /** The limits it met. */
  limitState?: LimitState;
  /** What the task needs. */
  taskProfile?: TaskProfile;
  /** Models that were available. */
  candidateModelSet?: CandidateModelSet;
  /** The decision. */
  routingDecision?: RoutingDecision;
  /** What providers last said of their limits. */
  providerLimits?: ProviderLimit[];
  /** The last event it reflects. */
  sequence: number;
}

export interface SubagentJobSummary {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The child agents. */
  subagents?: Subagent[];
  /** The jobs. */
  jobs?: Job[];
  /** Threads that open child agents and jobs run on. */
  assignedThreadIds?: Id[];
  /** Whether all of them can go on after a restart. */
  recoverable?: boolean;
  /** The last event it reflects. */
  sequence: number;
}

export type ThreadReadModel = ThreadView;

export interface ToolInventorySnapshot {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId?: Id;
  /** Who would call. */
  caller?: Id;
  /** The mode they were judged under. */
  mode: PermissionMode;
  /** How many there are. */
  toolCount: number;
  /** The tools. */
  tools: InventoryTool[];
  /** The same behind a ref. */
  toolInventoryRef?: Id;
  /** The last event it reflects. */
  sequence: number;
}

/** Every command with what it takes and what it answers. */
export interface Commands {
  /** Answer one pending request of a person or a policy; the first answer stands. */
  respond_action: { args: RespondActionArgs; reply: RespondActionReply };
  /** List requests for decisions. */
  list_actions: { args: ListActionsArgs; reply: ListActionsReply };
  /** Bind a run to a dataset, a task, a configuration and a trial. */
  start_benchmark_trial: { args: StartBenchmarkTrialArgs; reply: StartBenchmarkTrialReply };
  /** Write down what the verifier said. */
  record_benchmark_reward: { args: RecordBenchmarkRewardArgs; reply: RecordBenchmarkRewardReply };
  /** Write the pack of a trial. */
  export_benchmark_trial: { args: ExportBenchmarkTrialArgs; reply: ExportBenchmarkTrialReply };
  /** Compare two configurations over the same tasks. */
  compare_benchmark_runs: { args: CompareBenchmarkRunsArgs; reply: CompareBenchmarkRunsReply };
  /** Come back as an enrolled peer: snapshot first, then the events after the last acknowledged one. */
  reconnect_channel: { args: ReconnectChannelArgs; reply: ReconnectChannelReply };
  /** Acknowledge events of a channel; leaves no fact. */
  ack_events: { args: AckEventsArgs; reply: AckEventsReply };
  /** List enrolled peers. */
  list_channels: { args: ListChannelsArgs; reply: ListChannelsReply };
  /** Write an evidence pack from the log. */
  export_evidence: { args: ExportEvidenceArgs; reply: ExportEvidenceReply };
  /** Write a replay case from the log. */
  export_replay: { args: ExportReplayArgs; reply: ExportReplayReply };
  /** Write a review template from the log. */
  export_review: { args: ExportReviewArgs; reply: ExportReviewReply };
  /** Make a job that does the same with every item. */
  create_job: { args: CreateJobArgs; reply: CreateJobReply };
  /** Show a job. */
  get_job: { args: GetJobArgs; reply: GetJobReply };
  /** List jobs. */
  list_jobs: { args: ListJobsArgs; reply: ListJobsReply };
  /** Begin a job that was made with start: false. */
  start_job: { args: StartJobArgs; reply: StartJobReply };
  /** Say that the worker of an item is alive; leaves no fact. */
  heartbeat_job_item: { args: HeartbeatJobItemArgs; reply: HeartbeatJobItemReply };
  /** Cancel a job; finished items stay finished. */
  cancel_job: { args: CancelJobArgs; reply: CancelJobReply };
  /** List items of a job. */
  list_job_items: { args: ListJobItemsArgs; reply: ListJobItemsReply };
  /** Try one failed item again. */
  retry_job_item: { args: RetryJobItemArgs; reply: RetryJobItemReply };
  /** Give one item to an external worker. */
  assign_job_item: { args: AssignJobItemArgs; reply: AssignJobItemReply };
  /** Hand in what an external worker made of an item. */
  report_job_item: { args: ReportJobItemArgs; reply: ReportJobItemReply };
  /** Make a schedule: tasks by the clock. */
  create_schedule: { args: CreateScheduleArgs; reply: CreateScheduleReply };
  /** List schedules. */
  list_schedules: { args: ListSchedulesArgs; reply: ListSchedulesReply };
  /** Let a schedule rest: nothing falls due until it is resumed. */
  pause_schedule: { args: PauseScheduleArgs; reply: PauseScheduleReply };
  /** Let a schedule fall due again; what passed meanwhile is not missed. */
  resume_schedule: { args: ResumeScheduleArgs; reply: ResumeScheduleReply };
  /** Remove a schedule. The tasks that it made stay. */
  delete_schedule: { args: DeleteScheduleArgs; reply: DeleteScheduleReply };
  /** Ask the policy what it would say. */
  evaluate_permission: { args: EvaluatePermissionArgs; reply: EvaluatePermissionReply };
  /** Give the decision of a host policy, a hook or an approver. */
  resolve_permission: { args: ResolvePermissionArgs; reply: ResolvePermissionReply };
  /** List grants that hold. */
  list_grants: { args: ListGrantsArgs; reply: ListGrantsReply };
  /** List the rules that hold, and the mode that decides where none does. */
  list_rules: { args: ListRulesArgs; reply: ListRulesReply };
  /** Take a grant back. */
  revoke_grant: { args: RevokeGrantArgs; reply: RevokeGrantReply };
  /** Vouch for a project's hooks as they are now: they are asked from then on, in sessions that work in its directory. With ref: for the program of one hook. */
  trust_hooks: { args: TrustHooksArgs; reply: TrustHooksReply };
  /** Vouch for a tool server as it is now: a project's file by its hash, changed definitions of tools. */
  trust_tool_server: { args: TrustToolServerArgs; reply: TrustToolServerReply };
  /** Change the rules of a session; the next decision knows them. */
  set_policy: { args: SetPolicyArgs; reply: SetPolicyReply };
  /** Change the permission mode of a session. */
  set_mode: { args: SetModeArgs; reply: SetModeReply };
  /** Show where commands run and under which limits. */
  get_execution_environment: { args: GetExecutionEnvironmentArgs; reply: GetExecutionEnvironmentReply };
  /** Show mode, grants, decisions that are owed, the cage and hits on it. */
  get_permission_sandbox_summary: { args: GetPermissionSandboxSummaryArgs; reply: GetPermissionSandboxSummaryReply };
  /** Write to the input of a command in the background. */
  write_process_stdin: { args: WriteProcessStdinArgs; reply: WriteProcessStdinReply };
  /** End a command in the background and all that it started; answers when it has ended. */
  terminate_process: { args: TerminateProcessArgs; reply: TerminateProcessReply };
  /** Tell a command in a terminal its new size; leaves no fact. */
  resize_process: { args: ResizeProcessArgs; reply: ResizeProcessReply };
  /** List commands: of one session those that run or ran lately, without one all that run. */
  list_processes: { args: ListProcessesArgs; reply: ListProcessesReply };
  /** Take a waiting turn out of the queue. */
  remove_queued_turn: { args: RemoveQueuedTurnArgs; reply: RemoveQueuedTurnReply };
  /** Move a waiting turn to the front. */
  promote_queued_turn: { args: PromoteQueuedTurnArgs; reply: PromoteQueuedTurnReply };
  /** Move a waiting turn to a place in the queue. */
  move_queued_turn: { args: MoveQueuedTurnArgs; reply: MoveQueuedTurnReply };
  /** Show the queue of a thread. */
  list_queue: { args: ListQueueArgs; reply: ListQueueReply };
  /** Show a session: shell, threads, recent window, cursor. */
  get_session: { args: GetSessionArgs; reply: GetSessionReply };
  /** Say what a thread waits for, since when, until when, and who can end it. */
  explain_thread: { args: ExplainThreadArgs; reply: ExplainThreadReply };
  /** Show what a thread is doing now. */
  get_thread_read: { args: GetThreadReadArgs; reply: GetThreadReadReply };
  /** Show the tools that may be called here, and under what policy. */
  get_tool_inventory: { args: GetToolInventoryArgs; reply: GetToolInventoryReply };
  /** List sessions. */
  list_sessions: { args: ListSessionsArgs; reply: ListSessionsReply };
  /** The models of the settings: what they can do, cost, and whether they can be asked now. */
  list_models: { args: ListModelsArgs; reply: ListModelsReply };
  /** The hooks of the settings and of a project, and whether they are asked. */
  list_hooks: { args: ListHooksArgs; reply: ListHooksReply };
  /** The tool servers of the settings and of the project, and how they are. */
  list_tool_servers: { args: ListToolServersArgs; reply: ListToolServersReply };
  /** List threads of a session. */
  list_threads: { args: ListThreadsArgs; reply: ListThreadsReply };
  /** Read events after a cursor. */
  list_events: { args: ListEventsArgs; reply: ListEventsReply };
  /** Have events sent as they become durable. */
  subscribe_events: { args: SubscribeEventsArgs; reply: SubscribeEventsReply };
  /** End a subscription. */
  unsubscribe_events: { args: UnsubscribeEventsArgs; reply: UnsubscribeEventsReply };
  /** Read a stored output or a part of it. */
  get_output: { args: GetOutputArgs; reply: GetOutputReply };
  /** Show the artifacts of a session with their latest versions and changes. */
  get_artifact_checkpoint_summary: { args: GetArtifactCheckpointSummaryArgs; reply: GetArtifactCheckpointSummaryReply };
  /** Show which model was chosen last and why, what it cost, and the limits. */
  get_routing_limit_summary: { args: GetRoutingLimitSummaryArgs; reply: GetRoutingLimitSummaryReply };
  /** Show what the model sees of a thread and what stands for the rest. */
  get_context_boundary: { args: GetContextBoundaryArgs; reply: GetContextBoundaryReply };
  /** Make a session and its first thread. */
  create_session: { args: CreateSessionArgs; reply: CreateSessionReply };
  /** Change metadata of a session. */
  update_session: { args: UpdateSessionArgs; reply: UpdateSessionReply };
  /** Branch a thread off at a turn. */
  fork_thread: { args: ForkThreadArgs; reply: ForkThreadReply };
  /** Replace older turns of a thread by a summary. */
  compact_thread: { args: CompactThreadArgs; reply: CompactThreadReply };
  /** Take the latest turns out of a thread's history. */
  rollback_thread: { args: RollbackThreadArgs; reply: RollbackThreadReply };
  /** Make a child agent with its own thread. */
  spawn_subagent: { args: SpawnSubagentArgs; reply: SpawnSubagentReply };
  /** Send a child agent input. */
  send_subagent_input: { args: SendSubagentInputArgs; reply: SendSubagentInputReply };
  /** Wait until child agents end, or until time is up. */
  wait_subagents: { args: WaitSubagentsArgs; reply: WaitSubagentsReply };
  /** Go on with a child agent after a restart or a stop. */
  resume_subagent: { args: ResumeSubagentArgs; reply: ResumeSubagentReply };
  /** End a child agent and release what it holds. */
  close_subagent: { args: CloseSubagentArgs; reply: CloseSubagentReply };
  /** Show the tree of child agents. */
  list_subagents: { args: ListSubagentsArgs; reply: ListSubagentsReply };
  /** Show child agents and jobs, the threads they run on, and whether they can go on after a restart. */
  get_subagent_job_summary: { args: GetSubagentJobSummaryArgs; reply: GetSubagentJobSummaryReply };
  /** Show what this runtime can do and what it cannot. */
  get_capabilities: { args: GetCapabilitiesArgs; reply: GetCapabilitiesReply };
  /** Make a one-time code for the console in a browser; leaves no fact. */
  open_console: { args: OpenConsoleArgs; reply: OpenConsoleReply };
  /** Make a one-time code that a second device signs in with; leaves no fact. */
  pair_device: { args: PairDeviceArgs; reply: PairDeviceReply };
  /** List the devices that are paired. */
  list_devices: { args: ListDevicesArgs; reply: ListDevicesReply };
  /** Take a paired device's access away; its event streams end at once. */
  revoke_device: { args: RevokeDeviceArgs; reply: RevokeDeviceReply };
  /** Check the hash chain of a session, or of all. */
  verify_log: { args: VerifyLogArgs; reply: VerifyLogReply };
  /** Remove the beginning of a session's log; a snapshot and the hash at that point stay. */
  trim_log: { args: TrimLogArgs; reply: TrimLogReply };
  /** Erase the words of one event; its ids, its place and its hash stay. */
  erase_event: { args: EraseEventArgs; reply: EraseEventReply };
  /** Make the rows and the snapshot that follow from a session's log anew. */
  rebuild_session: { args: RebuildSessionArgs; reply: RebuildSessionReply };
  /** Make a task. */
  create_task: { args: CreateTaskArgs; reply: CreateTaskReply };
  /** Change fields of a task. */
  update_task: { args: UpdateTaskArgs; reply: UpdateTaskReply };
  /** Start a run of a task. */
  start_task: { args: StartTaskArgs; reply: StartTaskReply };
  /** Say how far a task is. */
  append_task_progress: { args: AppendTaskProgressArgs; reply: AppendTaskProgressReply };
  /** Pause a task. */
  pause_task: { args: PauseTaskArgs; reply: PauseTaskReply };
  /** Go on with a paused task. */
  resume_task: { args: ResumeTaskArgs; reply: ResumeTaskReply };
  /** Cancel a task and what it started. */
  cancel_task: { args: CancelTaskArgs; reply: CancelTaskReply };
  /** Try a task again; earlier attempts stay. */
  retry_task: { args: RetryTaskArgs; reply: RetryTaskReply };
  /** Declare a task done; what completion needs is checked. */
  complete_task: { args: CompleteTaskArgs; reply: CompleteTaskReply };
  /** Declare a task failed. */
  fail_task: { args: FailTaskArgs; reply: FailTaskReply };
  /** Put an ended task away. */
  archive_task: { args: ArchiveTaskArgs; reply: ArchiveTaskReply };
  /** Make an edge of the task graph. */
  link_tasks: { args: LinkTasksArgs; reply: LinkTasksReply };
  /** Remove an edge of the task graph. */
  unlink_tasks: { args: UnlinkTasksArgs; reply: UnlinkTasksReply };
  /** Let an external worker take a task that waits for one. */
  claim_task: { args: ClaimTaskArgs; reply: ClaimTaskReply };
  /** Say that an external worker is alive; leaves no fact. */
  heartbeat_task: { args: HeartbeatTaskArgs; reply: HeartbeatTaskReply };
  /** Show one task with its attempts and edges. */
  get_task: { args: GetTaskArgs; reply: GetTaskReply };
  /** List tasks, newest first: of one session, or of all. */
  list_tasks: { args: ListTasksArgs; reply: ListTasksReply };
  /** Give a thread input; it starts, waits in the queue, steers or is refused. */
  submit_turn: { args: SubmitTurnArgs; reply: SubmitTurnReply };
  /** Stop what a thread is doing; nothing to stop is no error. */
  interrupt_turn: { args: InterruptTurnArgs; reply: InterruptTurnReply };
  /** Go on with a thread after a restart, a held queue or a block. */
  resume_thread: { args: ResumeThreadArgs; reply: ResumeThreadReply };
}

/** Commands that take an idempotency key; the others change nothing and may be repeated at will. */
export const keyed: ReadonlySet<string> = new Set([
  "respond_action",
  "start_benchmark_trial",
  "record_benchmark_reward",
  "export_benchmark_trial",
  "compare_benchmark_runs",
  "reconnect_channel",
  "ack_events",
  "export_evidence",
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
  "trust_tool_server",
  "set_policy",
  "set_mode",
  "write_process_stdin",
  "terminate_process",
  "resize_process",
  "remove_queued_turn",
  "promote_queued_turn",
  "move_queued_turn",
  "create_session",
  "update_session",
  "fork_thread",
  "compact_thread",
  "rollback_thread",
  "spawn_subagent",
  "send_subagent_input",
  "resume_subagent",
  "close_subagent",
  "revoke_device",
  "trim_log",
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
  "submit_turn",
  "interrupt_turn",
  "resume_thread",
]);

// Written by scripts/sdk.py from docs/reference/openapi.json; do not edit.

export interface AckEventsArgs {
  /** The channel. */
  channelId: Id;
  /** The session it is about. */
  sessionId?: Id;
  /** All events up to this one were received. */
  sequence: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface AddDirectoryArgs {
  /** The session. */
  sessionId: Id;
  /** Its absolute path on the runtime's machine. */
  directory: string;
  /** It is no longer part of it. */
  remove?: boolean;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface AnswerQuestionArgs {
  /** The session. */
  sessionId: Id;
  /** The task that asks; it was requested by the same principal. */
  taskId: Id;
  /** The question; another one is not answered. Default: the one that is asked. */
  actionId?: Id;
  /** The object that the schema of the question describes, or a text, which fills its only text member. */
  answer?: any;
  /** true: no answer is given; instead of answer. */
  decline?: boolean;
  /** The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights. */
  onBehalfOf?: string;
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
  /** What it is doing. */
  phase?: Phase;
  /** Percentage done, 0 to 100. */
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

export interface AskToolServerArgs {
  /** A directory of the project; default: the runtime's directory. */
  cwd?: string;
  /** The tool server. */
  server: string;
  /** What is asked. */
  method: ToolServerMethod;
  /** The members of the request, an object. Of watch_resources: uris, and after, the number of the last reply; it waits until one of them has changed, or for a while. */
  params?: any;
  /** What the caller answers itself: a result that asks for that is returned as it is, and the caller repeats its request with the answers. */
  client?: CallClient;
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
  /** How long it may be inactive. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface AttachToolServersArgs {
  /** The session. */
  sessionId: Id;
  /** An object of name and entry, as in .mcp.json: {"files":{"command":"mcp-files","args":[],"env":{}}} or {"search":{"type":"http","url":"https://...","headers":{}}}. All texts are taken as they are, without variables. They are kept in memory only. */
  servers: any;
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
  /** This task; default: any suitable one. */
  taskId?: Id;
  /** Only this kind of work. */
  taskKind?: string;
  /** The worker's own name. */
  workerId: string;
  /** How long it may be inactive. */
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
  /** Remove its worktree and its branch with their content; also for a closed child. */
  discardWorktree?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompactThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** Turns that stay unchanged. */
  keepTurns?: number;
  /** What the summary should preserve. */
  instructions?: string;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompareBenchmarkRunsArgs {
  /** The session that records the comparison. */
  sessionId: Id;
  /** The baseline. */
  baselineConfigurationId: string;
  /** The candidate. */
  candidateConfigurationId: string;
  /** The trials, as list_benchmark_trials shows them, also of other sessions and runtimes; default: those of the session. */
  trials?: TrialRow[];
  /** What differs. It must be the variable that the trials show; other words are accepted where they show none. */
  singleChangedVariable?: string;
  /** P0 gates with worse results, as the quality owner reports them; default: the sum over the candidate's packs if all of them have it. */
  p0QcGateRegressionCount?: number;
  /** What the quality owner decided; it needs decisionSource. */
  decision?: string;
  /** Who decided. */
  decisionSource?: string;
  /** What is still open. */
  remainingRisk?: string;
  /** The quality owner's report. */
  reportRef?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompleteArgumentArgs {
  /** A directory of the project; default: the runtime's directory. */
  cwd?: string;
  /** SERVER:PROMPT. */
  name: string;
  /** What was typed behind it; the last word is completed. */
  arguments?: string;
}

export interface CompleteTaskArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run that produced it. */
  runId?: Id;
  /** A sentence on the outcome. */
  summary?: string;
  /** Artifacts it produced. */
  artifacts?: ArtifactRef[];
  /** Evidence about it. */
  evidenceRefs?: string[];
  /** Ids of criteria that are met. */
  acceptance?: string[];
  /** Whether the result arrived. */
  deliveryState?: DeliveryState;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CompleteToolCallArgs {
  /** The session. */
  sessionId: Id;
  /** The call, as tool.progress names it. */
  toolCallId: Id;
  /** What the tool returned: a text, or any JSON value, which the model reads as its text. */
  output: any;
  /** true: the tool failed, and output says why. */
  isError?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateJobArgs {
  /** The session; default: a new one. */
  sessionId?: Id;
  /** Id chosen by the caller. */
  jobId?: Id;
  /** The task it works for. */
  taskId?: Id;
  /** What to do with each item. */
  instruction: string;
  /** The items; put larger numbers behind inputRef. */
  items?: any[];
  /** The items, if they were stored before. */
  inputRef?: Id;
  /** Schema that each output must satisfy. */
  outputSchema?: any;
  /** Items at once. */
  concurrency?: number;
  /** Attempts per item. */
  maxAttempts?: number;
  /** Timeout. */
  maxRuntimeMs?: number;
  /** Maximum cost. */
  budgetUsd?: number;
  /** Start it at once; default true. */
  start?: boolean;
  /** Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one. */
  cwd?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateScheduleArgs {
  /** The session; default: a new one. */
  sessionId?: Id;
  /** Id chosen by the caller. */
  scheduleId?: Id;
  /** The time, as a cron expression. */
  cron?: string;
  /** New interval. */
  everyMs?: number;
  /** Once, at this time. */
  at?: Time;
  /** Time zone of the cron expression, such as Europe/Berlin; default UTC. */
  timezone?: string;
  /** What happens to missed runs: skip them, make up for them once, or for all of them. */
  missedPolicy?: MissedPolicy;
  /** While the previous task is still open: skip, queue after it, or cancel it. */
  overlap?: OverlapPolicy;
  /** Arguments of create_task for each run. */
  task: any;
  /** Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one. */
  cwd?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateSessionArgs {
  /** Id chosen by the caller. */
  sessionId?: Id;
  /** Id for the first thread, chosen by the caller. */
  threadId?: Id;
  /** A short name. */
  title?: string;
  /** The workspace. */
  workspaceId?: string;
  /** Directory its turns start in. */
  cwd?: string;
  /** Permission mode of a new session, for callers with the scope admin; set_mode changes that of an existing one. */
  mode?: PermissionMode;
  /** Default model. */
  model?: string;
  /** Maximum cost of the session. */
  budgetUsd?: number;
  /** The caller's own notes. */
  metadata?: any;
  /** Labels by which it is found, key=value. */
  labels?: string[];
  /** What the node needs that works on the session, if several share the store. It is carried out there. Default: the node that is asked, if cwd is given. */
  placement?: PlacementChoice;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateSigningKeyArgs {
  /** Replace the key that there is; its public half stays recorded. */
  rotate?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateTaskArgs {
  /** The session; default: a new one. */
  sessionId?: Id;
  /** The thread it works on. */
  threadId?: Id;
  /** Id chosen by the caller. */
  taskId?: Id;
  /** A short name. */
  title?: string;
  /** The objective. */
  objective: string;
  /** Kind of work. */
  taskKind?: string;
  /** General kind of work. */
  taskFamily?: string;
  /** Who sees it in lists. */
  visibility?: Visibility;
  /** Hint for scheduling. */
  priority?: string;
  /** The parent task. */
  parentTaskId?: Id;
  /** Who works on it. */
  assignee?: Actor;
  /** The boundary it works in. */
  scope?: TaskScope;
  /** What it may not exceed. */
  constraints?: Constraints;
  /** What completion needs. */
  acceptance?: Criterion[];
  /** The capabilities it needs from a model. */
  taskProfile?: TaskProfile;
  /** The effect of a failure. */
  retryPolicy?: RetryPolicy;
  /** Start it at once. */
  start?: boolean;
  /** Whether a missing session is created. */
  create?: CreatePolicy;
  /** Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one. */
  cwd?: string;
  /** The caller's own notes. */
  metadata?: any;
  /** Labels by which it is found, key=value. */
  labels?: string[];
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface CreateTokenArgs {
  /** The principal: letters, digits, . _ - @; not owner, runtime or device:…. */
  name: string;
  /** read, write, approve, admin. admin needs sessions all. */
  scopes: string[];
  /** Which sessions exist for it; default own. */
  sessions?: SessionReach;
  /** The tenant it belongs to: letters, digits, . _ - @; default: none. */
  tenant?: string;
  /** Absolute paths; its work may run there and below. Default: see the record. */
  directories?: string[];
  /** When it ends, as an RFC 3339 time; default: never. */
  expiresAt?: string;
}

export interface DeleteScheduleArgs {
  /** The session. */
  sessionId: Id;
  /** The schedule. */
  scheduleId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface DeleteSessionArgs {
  /** The session. */
  sessionId: Id;
  /** Why; part of the event that stays. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface DrainNodeArgs {
  /** Its name. */
  name: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface EditFilesArgs {
  /** The session. */
  sessionId: Id;
  /** A unified diff, or a patch as the tool apply_patch takes it. Lines that do not match refuse it. */
  patch?: string;
  /** Whole files, also binary ones and permission bits, in the place of a patch. */
  files?: EditedFile[];
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface EraseEventArgs {
  /** The session. */
  sessionId: Id;
  /** The event. */
  eventSequence: number;
  /** The legal basis or the requester. */
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
  /** What kind of object it is about. */
  subject: DecisionSubject;
  /** The tool. */
  toolName?: string;
  /** Its input. */
  input?: any;
  /** Whether the event is written; default true. */
  record?: boolean;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ExpandCommandArgs {
  /** A directory of the project; default: the runtime's directory. */
  cwd?: string;
  /** Its name, without the slash; SERVER:PROMPT for a prompt of a tool server. */
  name: string;
  /** command, if absent, or skill: the text of a skill. */
  kind?: ExtensionKind;
  /** What was typed behind it. */
  arguments?: string;
}

export interface ExplainThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the main one. */
  threadId?: Id;
}

export interface ExportBenchmarkTrialArgs {
  /** The session. */
  sessionId: Id;
  /** The trial; it must have ended. */
  trialId: Id;
  /** Files that the caller exported, such as trajectoryRef and artifactManifestRef. */
  refs?: Record<string, any>;
  /** The trajectory that the caller exported. */
  trajectory?: Trajectory;
  /** P0 gates with worse results, as the quality owner reports them. */
  p0QcGateRegressionCount?: number;
  /** The quality owner's word; the runtime has none. */
  promotionEligible?: boolean;
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
  /** Only this job. */
  jobId?: Id;
  /** The requested format: pack, the default. */
  format?: string;
  /** What is removed: rules (the default; secrets only), content (all text), all (every body). */
  redact?: EvidenceRedaction;
  /** Bytes of stored outputs that are included; larger ones are named by their hash. */
  maxBytes?: number;
  /** Add what each decision was given, so that the decisions can be made again from the pack. It is as stored, without redaction, and holds balances of the installation: needs scope admin, a whole session, and redact rules. */
  decisions?: boolean;
  /** Address of a time stamp authority (RFC 3161); its token becomes part of the pack. Needs scope admin. */
  timestampUrl?: string;
  /** Write a pack without a signature, although there is a signing key or its file is missing. */
  unsigned?: boolean;
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
  /** Only this job. */
  jobId?: Id;
  /** The requested format: replay, the default. */
  format?: string;
  /** What is removed: rules (the default; secrets only) or content (all text). */
  redact?: EvidenceRedaction;
  /** Write a pack without a signature, although there is a signing key or its file is missing. */
  unsigned?: boolean;
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
  /** Only this job. */
  jobId?: Id;
  /** The requested format: review, the default. */
  format?: string;
  /** What is removed: rules (the default; secrets only) or content (all text). */
  redact?: EvidenceRedaction;
  /** Write a pack without a signature, although there is a signing key or its file is missing. */
  unsigned?: boolean;
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
  /** The thread to fork; default: the session's main thread. */
  threadId?: Id;
  /** Last turn to inherit; default: the latest. */
  turnId?: Id;
  /** Last event to inherit: turns that ended by then. */
  sequence?: number;
  /** thread, the only one that is offered: the same session. */
  into?: string;
  /** Id for the new thread, chosen by the caller. */
  newThreadId?: Id;
  /** A short name. */
  title?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface GetArtifactCheckpointSummaryArgs {
  /** The session. */
  sessionId: Id;
  /** agent_artifact: add the artifacts as Agent Artifact envelopes. */
  as?: EventForm;
}

export interface GetBenchmarkMatrixArgs {
  /** The dataset; default: that of the newest trial. */
  datasetId?: string;
  /** Its version; default: that of the dataset's newest trial. */
  datasetVersion?: string;
  /** Maximum cells; 500 if absent, at most 2,000. */
  limit?: number;
}

export interface GetBenchmarkSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export type GetCapabilitiesArgs = Record<string, never>;

export interface GetContextBoundaryArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the main one. */
  threadId?: Id;
}

export interface GetEvidenceSummaryArgs {
  /** The session. */
  sessionId: Id;
}

export interface GetExecutionEnvironmentArgs {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId?: Id;
  /** The turn; default: the latest. */
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
  /** First byte; a negative number counts from the end. */
  offset?: number;
  /** Number of bytes. */
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
  /** historyWindow.cursor of the previous page: the next older turns, as `history`, newest first, without other parts that were not requested. */
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
  /** The thread; default: the main one. */
  threadId?: Id;
  /** Turns of history to show. */
  window?: number;
}

export interface GetTimeUseArgs {
  /** The session. */
  sessionId: Id;
  /** Rows of turns of this thread only; the sum is that of the session. */
  threadId?: Id;
  /** Maximum turns, the newest; 100 if absent, at most 1,000. */
  limit?: number;
}

export interface GetToolInventoryArgs {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId?: Id;
  /** Evaluate as if this mode applied. */
  mode?: PermissionMode;
  /** Who would call: a child agent or a task of the session; what its limits forbid is denied. */
  caller?: Id;
  /** agent_tool: add the tools as Agent Tool records. */
  as?: EventForm;
}

export interface GetUsageArgs {
  /** From the hour that holds this moment; a week before `until` if absent. */
  since?: Time;
  /** Up to this moment; now if absent. */
  until?: Time;
  /** What a row stands for; day if absent. */
  by?: UsageGroup;
  /** Only of this session. */
  sessionId?: Id;
  /** Maximum rows; 200 if absent, at most 1,000. */
  limit?: number;
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
  /** How long it may be inactive. */
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
  /** How long it may be inactive. */
  leaseMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ImportSessionArgs {
  /** The session; created if it does not exist. */
  sessionId: Id;
  /** The file that the turns were read from. */
  origin: ImportOrigin;
  /** A short name of a new session. */
  title?: string;
  /** Directory of a new session; it need not exist any more. */
  cwd?: string;
  /** Labels of a new session, key=value. */
  labels?: string[];
  /** Number of the first of these turns in the file, from 0. */
  firstTurn: number;
  /** Consecutive turns. Those that were imported before are skipped. */
  turns: ImportTurn[];
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface InterruptTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** The turn; default: the active one. */
  turnId?: Id;
  /** Why. Four words are known: user (the default), timeout (a time limit of the client), client (the client program, not a person) and client_ended (the client program ends); the model and the turn's end name them. Other text is a person's own. */
  reason?: string;
  /** What happens to the queue. */
  queuePolicy?: QueuePolicy;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights. */
  onBehalfOf?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface LeaveSessionArgs {
  /** The session. */
  sessionId: Id;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface LendKeysArgs {
  /** The key by the name of its environment variable (keyVariables of list_providers). */
  keys: Record<string, any>;
}

export interface LinkTasksArgs {
  /** The session. */
  sessionId: Id;
  /** The task the edge starts at. */
  fromTaskId: Id;
  /** The task it points to. */
  toTaskId?: Id;
  /** The other object it points to. */
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
  /** Only with this status; default pending. */
  status?: ActionStatus;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListBenchmarkTrialsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only this trial. */
  trialId?: Id;
  /** Only with this status: running, completed or failed. */
  status?: Status;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListChannelsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only in this role. */
  peerRole?: PeerRole;
  /** true: only those that are connected; false: only those that were. */
  connected?: boolean;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export type ListDevicesArgs = Record<string, never>;

export interface ListEventsArgs {
  /** Only of this session; default: all that the caller may read. */
  sessionId?: Id;
  /** Events after this sequence; needs a session. */
  after?: number;
  /** The newest events before this sequence, oldest first; needs a session. firstSequence of a page is `before` of the next older one. */
  before?: number;
  /** Events after this cursor, across sessions. */
  cursor?: string;
  /** Only these classes; tool.* means a family. */
  types?: string[];
  /** Only of this thread. */
  threadId?: Id;
  /** Only of this turn. */
  turnId?: Id;
  /** Maximum events of one page. */
  limit?: number;
  /** Export format; default: as stored. */
  as?: EventForm;
}

export interface ListExtensionsArgs {
  /** A directory of the project; default: the runtime's directory. */
  cwd?: string;
  /** Only these. */
  kind?: ExtensionKind;
  /** Also the texts of what is not trusted, from the read that contentHash is computed of: a person who trusts that hash trusts these texts. */
  texts?: boolean;
}

export interface ListGrantsArgs {
  /** Those of this session; default: those with a wider scope. */
  sessionId?: Id;
  /** Only with this scope. */
  scope?: GrantScope;
}

export interface ListHooksArgs {
  /** The directory of the .thole/hooks.json; default: the runtime's directory. */
  cwd?: string;
}

export interface ListIssuersArgs {
  /** true: begin to fetch keys that are not known, at most once a minute; the status is then fetching. */
  check?: boolean;
}

export interface ListJobItemsArgs {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** Only with this status. */
  status?: JobItemStatus;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListJobsArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: JobStatus;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListModelsArgs {
  /** Only of this provider. */
  provider?: string;
  /** Look for model servers on this machine first, and ask providers for their lists: missing, those whose list is not known yet; all, every one; test, to see whether their keys are accepted. */
  refresh?: ListRefresh;
  /** As the turns of this session see them; default: as those of the caller. */
  sessionId?: Id;
}

export interface ListNodesArgs {
  /** true: also those that ended or died during the last day. */
  withEnded?: boolean;
}

export interface ListPeersArgs {
  /** Only this one. */
  name?: string;
  /** true: read their cards now; the reply waits for them. */
  check?: boolean;
}

export interface ListProcessesArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: ProcessStatus;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export type ListProvidersArgs = Record<string, never>;

export interface ListQueueArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
}

export interface ListRulesArgs {
  /** Include those of this session; default: those of the settings. */
  sessionId?: Id;
}

export interface ListSchedulesArgs {
  /** Only of this session. */
  sessionId?: Id;
  /** Only with this status. */
  status?: ScheduleStatus;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export interface ListSessionsArgs {
  /** Only of this workspace. */
  workspaceId?: string;
  /** Only with a thread in this state. */
  status?: ThreadStatus;
  /** true: only archived ones; false: only the others; absent: both. */
  archived?: boolean;
  /** Only with all of these labels: key=value, or key for any value. */
  labels?: string[];
  /** Include the runtime's own. */
  system?: boolean;
  /** Maximum rows of one page. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
}

export type ListSigningKeysArgs = Record<string, never>;

export interface ListSubagentsArgs {
  /** The session. */
  sessionId: Id;
  /** Only below this thread. */
  parentThreadId?: Id;
  /** Include children of children. */
  descendants?: boolean;
  /** Only with this status. */
  status?: SubagentStatus;
  /** Maximum rows of one page. */
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
  /** Only with this visibility; absent: all, including those of plain turns (internal). */
  visibility?: Visibility;
  /** Only those whose last attempt such a worker has or had. */
  worker?: WorkerKind;
  /** true: only those that have not ended. */
  open?: boolean;
  /** Only with all of these labels: key=value, or key for any value. */
  labels?: string[];
  /** Maximum rows of one page. */
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

export type ListTokensArgs = Record<string, never>;

export interface ListToolServersArgs {
  /** A directory whose .mcp.json is read too, although no session works there; its trusted servers start. */
  cwd?: string;
}

export interface ListToolsArgs {
  /** Only these; mcp__SERVER__* stands for all tools of a server. Default: all. */
  names?: string[];
}

export type ListTriggersArgs = Record<string, never>;

export interface LoginToolServerArgs {
  /** Its name. */
  server: string;
  /** The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name. */
  cwd?: string;
  /** The address that the browser was redirected to at the end; it belongs to the login that was begun last. */
  redirectUrl?: string;
}

export interface LogoutToolServerArgs {
  /** Its name. */
  server: string;
  /** The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name. */
  cwd?: string;
}

export interface MoveQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the one on which the turn waits. */
  threadId?: Id;
  /** The waiting turn. */
  queuedTurnId: Id;
  /** The new position, from 1. */
  position: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface OfferFileTextArgs {
  /** The session. */
  sessionId: Id;
  /** The call. */
  toolCallId: Id;
  /** The path as in the arguments of the call. */
  path: string;
  /** The text; absent: the file is read from disk. */
  text?: string;
}

export type OpenConsoleArgs = Record<string, never>;

export interface PairDeviceArgs {
  /** The address by which the device reaches this runtime: https://name[:port], or plain http:// on loopback and with lan. */
  url: string;
  /** Its name: letters, digits, . _ -; default phone. */
  name?: string;
  /** Allow plain HTTP on the local network; such a device can only read and decide. */
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
  /** What else is paused: children pauses every open task below it. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface PromoteQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the one on which the turn waits. */
  threadId?: Id;
  /** The waiting turn. */
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
  /** The channel; a new one is enrolled if it is unknown. */
  channelId: Id;
  /** The session it belongs to. */
  sessionId?: Id;
  /** Last acknowledged event. */
  lastAckedSequence?: number;
  /** The token it got. */
  resumeToken?: string;
  /** Its current transport. */
  transport?: Transport;
  /** Its role. */
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
  /** The trial; it must have ended. */
  trialId: Id;
  /** The score, if there is no file; if there is one, value must be the file's. */
  reward?: Reward;
  /** The text of reward.txt or reward.json. Its value is read, and its bytes are stored with their hash. */
  file?: string;
  /** Which number of a reward.json with several; default: reward. */
  key?: string;
  /** The text that explains the score; it is stored. */
  details?: string;
  /** What that text is; default: reward_details. */
  detailsKind?: RewardDetails;
  /** How the verifier ended. */
  verifierStatus?: string;
  /** Which verifier, best with its hash; trials of different verifiers are not compared. */
  verifierRef?: string;
  /** The verifier ran apart from the trial, without its files. */
  separateVerifier?: boolean;
  /** A separate verifier was given the trajectory as a declared artifact. */
  trajectoryTransferred?: boolean;
  /** Whether the known good answer passes. */
  oracleSanity?: string;
  /** Whether the verifier changed. */
  drift?: string;
  /** Files of the trial, such as rewardRef and harborTrialResultRef; they are recorded as they are. */
  refs?: Record<string, any>;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RecordEvidenceArgs {
  /** The session. */
  sessionId: Id;
  /** The thread that it is about. */
  threadId?: Id;
  /** The turn that it is about. */
  turnId?: Id;
  /** The task that it is about. */
  taskId?: Id;
  /** What it is. */
  kind: EvidenceRecord;
  /** What was checked or reviewed. */
  name?: string;
  /** The result in the verifier's word; required unless it is a note. */
  outcome?: string;
  /** Who reported it; required unless it is a note. */
  verifierRef?: string;
  /** Text for people; required for a note. */
  note?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RemoveQueuedTurnArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the one on which the turn waits. */
  threadId?: Id;
  /** The waiting turn. */
  queuedTurnId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ReplayDecisionsArgs {
  /** The session. */
  sessionId: Id;
  /** Permission rules instead of those that were in force, as in a rules file: what would they have decided? */
  rules?: any;
  /** Settings that replace the recorded ones, as in a configuration file: caps, routing, prices and others that decide; another key is refused. */
  settings?: any;
}

export interface ReplaySessionArgs {
  /** The session. */
  sessionId: Id;
}

export interface ReportDelegationArgs {
  /** The session. */
  sessionId: Id;
  /** The task. */
  taskId: Id;
  /** The run that the remote agent has. */
  runId: Id;
  /** The state of the remote task. */
  state: PeerState;
  /** The remote task; absent: the agent has named none yet. */
  remoteTask?: RemoteTask;
  /** What the agent said. */
  message?: string;
  /** An artifact that has arrived completely. */
  artifact?: PeerArtifact;
  /** Why, with the states unavailable, undelivered and missing. */
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
  /** The answer; absent if a record contains it. */
  decision?: ApprovalDecision;
  /** An Agent Policy record that gives the answer: a decision, an approval, a grant or a waiver. */
  record?: any;
  /** Who decided. */
  decisionSource?: DecisionSource;
  /** Why. */
  reason?: string;
  /** Rules it depends on. */
  ruleRefs?: string[];
  /** Its scope. */
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
  decision: ApprovalDecision;
  /** Its scope; default once. */
  scope?: GrantScope;
  /** Why. */
  reason?: string;
  /** Edited input, if the action accepts it. */
  input?: any;
  /** The structured answer, if the action asks for one; omitted members get the defaults of the action's schema. */
  payload?: any;
  /** When a wider grant ends. */
  expiresAt?: Time;
  /** The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights. */
  onBehalfOf?: string;
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
  /** What else is resumed: children resumes every paused task below it. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface ResumeThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** The turn to continue. */
  turnId?: Id;
  /** Token of the wait (thread.wait.resumeToken): refused if something else waits to be resumed now. */
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
  /** The agent's instructions this time. */
  input?: any;
  /** Who works on it this time. */
  worker?: Worker;
  /** What else is retried: children retries every task below it that failed, timed out, was lost or cancelled. */
  propagation?: Propagation;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RevokeDeviceArgs {
  /** The device. */
  deviceId: Id;
  /** Not needed: a device is revoked once. */
  idempotencyKey?: string;
}

export interface RevokeGrantArgs {
  /** Session of the grant; absent for a wider one. */
  sessionId?: Id;
  /** The grant. */
  grantId: Id;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RevokeTokenArgs {
  /** Its name. */
  name: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface RollbackThreadArgs {
  /** The session. */
  sessionId: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** Last remaining turn. */
  toTurnId?: Id;
  /** Last remaining event. */
  toSequence?: number;
  /** Interrupt a running turn first. */
  interrupt?: boolean;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export type RotateTokenArgs = Record<string, never>;

export interface SendSubagentInputArgs {
  /** The session. */
  sessionId: Id;
  /** The child agent. */
  subagentId: Id;
  /** A string or an array of parts. */
  input: any;
  /** What to do if the child is busy. */
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
  /** The scope of the rules: session, which is the default. Wider rules belong in the settings. */
  scope?: GrantScope;
  /** The rules: a list, or {"rules": [...]}. */
  rules: any;
  /** Replace the existing ones instead of adding. */
  replace?: boolean;
  /** Why. */
  reason?: string;
  /** Refuse if the rules changed since. */
  expectedVersion?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SetToolServerArgs {
  /** The session. */
  sessionId: Id;
  /** Its name, as in list_tool_servers; one that is not there yet is off when it comes. */
  server: string;
  /** False switches it off. True ends that; it starts no server and trusts none. */
  enabled: boolean;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SpawnSubagentArgs {
  /** The session. */
  sessionId: Id;
  /** The thread on which it is created. */
  parentThreadId: Id;
  /** The turn in which it is created. */
  parentTurnId?: Id;
  /** The task it is created for. */
  parentTaskId?: Id;
  /** Id chosen by the caller. */
  subagentId?: Id;
  /** What it is for. */
  role: string;
  /** Display name. */
  nickname?: string;
  /** An agent as a Markdown file: its prompt, its model and the tools of its list apply. The thread knows those of its last turn. */
  agent?: string;
  /** What it is sent first. */
  input?: any;
  /** What it may see and change. */
  isolation?: Isolation;
  /** Whether it uses the parent's model. */
  modelPolicy?: ModelPolicy;
  /** Its own model. */
  model?: string;
  /** Maximum cost. */
  budgetUsd?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface StartBenchmarkTrialArgs {
  /** The session; default: a new one. */
  sessionId?: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** Id chosen by the caller. */
  turnId?: Id;
  /** Dataset, task, trial and configuration; datasetId, datasetVersion, taskId, trialId and configurationId are required. */
  benchmark: Benchmark;
  /** More about the dataset. */
  dataset?: TrialDataset;
  /** More about the configuration; the runtime adds its version, the model and a hash of its settings. */
  profiles?: TrialProfiles;
  /** The agent's instructions, as in submit_turn. */
  input: any;
  /** Which attempt, from 1. */
  attempt?: number;
  /** Timeout: the turn is stopped then. */
  timeoutSec?: number;
  /** Maximum cost of the turn. */
  budgetUsd?: number;
  /** The model. */
  model?: string;
  /** Whether another model may be used; deny fixes the choice. */
  fallback?: FallbackPolicy;
  /** How much the model thinks. */
  effort?: Effort;
  /** Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one. */
  cwd?: string;
  /** Permission mode of a new session, for callers with the scope admin. */
  mode?: PermissionMode;
  /** Whether a missing session or thread is created. */
  create?: CreatePolicy;
  /** Name of a new session. */
  title?: string;
  /** Labels of a new session, key=value. */
  labels?: string[];
  /** Where the input comes from. */
  source?: string;
  /** Files of the benchmark, such as taskTomlRef; they are recorded as they are. */
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
  /** Who works on it: the built-in agent, an external worker, or a remote agent ({"kind":"peer","ref":NAME}) of agents.remote. */
  worker?: Worker;
  /** The agent's instructions; default: the objective. */
  input?: any;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface SubmitTurnArgs {
  /** The session; default: a new one. */
  sessionId?: Id;
  /** The thread; default: the session's main thread. */
  threadId?: Id;
  /** Id chosen by the caller; the same id again is the same turn. */
  turnId?: Id;
  /** A string, or an array of parts: {"type":"text","text":"..."}; images, {"type":"image","mediaType":"image/png","data":"base64"} or with the ref of a stored output (for one of upload_output also its bytes and sha256); files, {"type":"file","name":"a.txt","text":"..."} (or data in base64), or {"type":"file","path":"src/a.c"} of the workspace; resources, {"type":"resource","uri":"...","text":"..."}, and links to them, {"type":"resource_link","uri":"..."}. Files that are not text are refused. */
  input: any;
  /** What to do if the thread is busy. */
  delivery?: Delivery;
  /** Whether a missing session or thread is created. */
  create?: CreatePolicy;
  /** Refuse if another turn is active. */
  expectedTurnId?: Id;
  /** Name of a new session. */
  title?: string;
  /** Model requested by the caller. */
  model?: string;
  /** Whether another model may be used; deny fixes the choice. */
  fallback?: FallbackPolicy;
  /** Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another. */
  taskKind?: string;
  /** Capabilities that the model must have, such as vision. */
  requires?: string[];
  /** How long people are expected to wait. */
  latency?: LatencyTarget;
  /** How much the model thinks; a word that it does not accept becomes the nearest one. Default: the setting model.effort. */
  effort?: Effort;
  /** Maximum cost of the turn. */
  budgetUsd?: number;
  /** The caller's own notes. */
  metadata?: any;
  /** Labels of a new session, key=value; update_session changes those of an existing one. */
  labels?: string[];
  /** Where the input comes from. */
  source?: string;
  /** How many delegations from agent to agent have led to this turn; further ones are counted from here. */
  delegationDepth?: number;
  /** The person for whom a bridge asks, as the bridge knows them. It is recorded with the caller and gives no rights. */
  onBehalfOf?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
  /** Workspace of a new session. */
  workspaceId?: string;
  /** Directory to work in, an absolute path; it becomes the directory of a new session, and must be that of an existing one. */
  cwd?: string;
  /** What the node of a new session needs, if several share the store. */
  placement?: PlacementChoice;
  /** Permission mode of a new session, for callers with the scope admin; set_mode changes that of an existing one. */
  mode?: PermissionMode;
  /** Schema that the final answer must satisfy. */
  outputSchema?: any;
  /** true: the work is a separate task on its own thread, which can be retried, paused and delegated; text only. */
  background?: boolean;
  /** The same choices as one object; a choice that is given twice must be the same. */
  options?: SubmitOptions;
  /** Additional context for the model: memory, knowledge, skills, files. */
  context?: ContextRef[];
  /** Tools that the caller runs: the model calls them, the turn waits, and complete_tool_call gives the result. They belong to this turn. */
  tools?: ClientTool[];
  /** Call this tool and nothing else: the turn has no model, and its end is that of the call. Permissions, sandbox, hooks and approvals apply as to a call by a model. input says in words what is called. Not with options for models, tools, context, background or delivery steer. */
  call?: ToolRequest;
}

export interface SubscribeEventsArgs {
  /** Only events of this thread. */
  threadId?: Id;
  /** Only events of this turn. */
  turnId?: Id;
  /** Continue with new events; default true. */
  follow?: boolean;
  /** Only of this session. */
  sessionId?: Id;
  /** Start after this sequence. */
  after?: number;
  /** Start after this cursor, across sessions; end: only new events. */
  cursor?: string;
  /** Only these classes; tool.* means a family. */
  types?: string[];
  /** This connection's channel: without `after` and `cursor` events start after the last acknowledged one. */
  channelId?: Id;
  /** Export format; default: as stored. */
  as?: EventForm;
}

export interface TerminateProcessArgs {
  /** The session. */
  sessionId: Id;
  /** The process. */
  processId: Id;
  /** Why. */
  reason?: string;
  /** Grace period before it is killed. */
  graceMs?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrimLogArgs {
  /** The session. */
  sessionId: Id;
  /** The last event to remove. */
  through?: number;
  /** Alternatively, the number of newest events that stay. */
  keep?: number;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrustExtensionsArgs {
  /** The hash that was reviewed; another one is refused. */
  contentHash: string;
  /** A directory of the project; default: the runtime's directory. */
  cwd?: string;
  /** Why. */
  reason?: string;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface TrustHooksArgs {
  /** The hash that was reviewed; another one is refused. */
  contentHash: string;
  /** The directory of the file; default: the runtime's directory. */
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
  /** The directory whose file names it, as in list_tool_servers; no session need work there. Default: the first server of that name. */
  cwd?: string;
  /** The hash that was reviewed; another one is refused. */
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
  /** The other object it points to. */
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
  /** The new cap on the cost of the session. */
  budgetUsd?: number;
  /** Threads that are pinned from now on. */
  pinnedThreadIds?: Id[];
  /** Whether it is archived. */
  archived?: boolean;
  /** The new notes. */
  metadata?: any;
  /** All of its labels from now on, key=value; an empty list removes them. */
  labels?: string[];
  /** Where its directory is from now on: the node or the workspace must have the same files at the same path. */
  placement?: PlacementChoice;
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
  /** The new objective. */
  objective?: string;
  /** The new hint. */
  priority?: string;
  /** Who works on it now. */
  assignee?: Actor;
  /** Who sees it now. */
  visibility?: Visibility;
  /** The new limits. */
  constraints?: Constraints;
  /** The new criteria. */
  acceptance?: Criterion[];
  /** The new notes. */
  metadata?: any;
  /** All of its labels from now on, key=value; an empty list removes them. */
  labels?: string[];
  /** Refuse if the task changed since that event. */
  expectedVersion?: number;
  /** The same key with the same body is the same command. */
  idempotencyKey?: string;
}

export interface UploadOutputArgs {
  /** Of the first reply; absent for the first piece. */
  outputRef?: Id;
  /** For the first piece: image/png, image/jpeg, image/gif or image/webp. */
  mediaType?: string;
  /** Where the piece begins; default 0. A piece that was sent before changes nothing. */
  offset?: number;
  /** The piece in base64. */
  data: string;
  /** No piece follows. */
  last?: boolean;
}

export interface VerifyCheckpointArgs {
  /** The signed note. */
  checkpoint: string;
  /** Keys that may have signed it, in PEM or as verifier keys; default: those that sess_system records. */
  publicKeys?: string;
}

export interface VerifyLogArgs {
  /** Only this session. */
  sessionId: Id;
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

export type AccessTokenState = "active" | "revoked";

export type ActionStatus = "pending" | "resolved" | "timed_out" | "cancelled";

export type ActionType = "tool_permission" | "structured_input" | "credential" | "plan" | "escalation" | "sampling";

export type ActorKind = "user" | "runtime" | "agent" | "worker" | "channel" | "peer" | "hook" | "policy" | "workflow" | "system";

export type AgentArtifactClass = "artifact.created" | "artifact.updated" | "artifact.deleted" | "artifact.version.created";

export type AgentContextClass = "context.assembled" | "context.compacted";

export type AgentEvidenceClass = "evidence.pack.created" | "evidence.replay.created" | "evidence.export.created" | "evidence.verification.completed" | "evidence.review.completed";

export type AgentToolClass = "tool.surface.resolved" | "tool.invocation.created" | "tool.permission.decided" | "tool.progress.updated" | "tool.result.created" | "tool.result.persisted";

export type ApprovalDecision = "allow" | "deny" | "ask" | "sandboxed" | "unavailable" | "answer" | "decline" | "cancel";

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

export type DecisionKind = "allow_or_deny" | "answer_or_decline" | "provide_or_decline" | "approve_or_revise";

export type DecisionSource = "rule" | "mode" | "hook" | "classifier" | "human" | "host_policy" | "sandbox_override" | "tool_contract";

export type DecisionSubject = "tool" | "process" | "action" | "peer_task";

export type Delivery = "queue" | "steer" | "interrupt" | "reject" | "immediate";

export type DeliveryMechanism = "polling" | "streaming" | "subscription" | "push" | "custom";

export type DeliveryStatus = "pending" | "delivered" | "queued" | "failed" | "parent_missing" | "not_applicable";

export type EdgeKind = "parent" | "child" | "blocks" | "blocked_by" | "source_task" | "source_attempt" | "spawned_subagent" | "spawned_job" | "assigned_thread" | "produced_artifact" | "consumed_artifact" | "evidence";

export type EdgeStatus = "active" | "satisfied" | "broken" | "ended" | "removed";

export type Effort = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type Enforcement = "exact_or_fail" | "best_effort";

export type ErrorCategory = "auth" | "invalid_request" | "not_found" | "context_length" | "content_filter" | "refusal" | "rate_limited" | "overloaded" | "server_error" | "network" | "timeout" | "protocol" | "quota" | "budget" | "price_missing" | "no_candidate" | "max_steps" | "invalid_input" | "unknown_tool" | "tool_failed" | "permission" | "hook_blocked" | "hook_failed" | "sandbox_denied" | "sandbox_unavailable" | "spawn_failed" | "output_limit" | "process_failed" | "interrupted" | "cancelled" | "lost" | "acceptance_unmet" | "delivery_failed" | "dependency_failed" | "worker_lost" | "unavailable" | "verifier_error" | "environment" | "append_refused" | "store_failed" | "storage_full" | "internal" | "unknown" | "missing_capability";

export type ErrorCode = "invalid_request" | "invalid_json" | "unknown_field" | "missing_field" | "invalid_type" | "invalid_value" | "invalid_id" | "reserved_id" | "too_large" | "directory_unusable" | "invalid_decision" | "invalid_answer" | "invalid_input" | "unknown_command" | "unavailable" | "unauthorized" | "forbidden" | "host_not_allowed" | "origin_not_allowed" | "method_not_allowed" | "not_acceptable" | "payload_too_large" | "unsupported_media_type" | "header_too_large" | "not_trusted" | "not_found" | "session_not_found" | "session_deleted" | "thread_not_found" | "turn_not_found" | "queued_turn_not_found" | "task_not_found" | "action_not_found" | "tool_call_not_found" | "grant_not_found" | "login_failed" | "tool_server_not_found" | "output_not_found" | "process_not_found" | "subagent_not_found" | "job_not_found" | "job_item_not_found" | "schedule_not_found" | "channel_not_found" | "subscription_not_found" | "node_not_found" | "trial_not_found" | "edge_not_found" | "idempotency_conflict" | "import_continued" | "import_mismatch" | "id_conflict" | "already_resolved" | "already_ended" | "token_exists" | "token_not_found" | "signing_key_exists" | "not_retryable" | "not_resumable" | "not_interruptible" | "not_ready" | "acceptance_unmet" | "thread_busy" | "session_active" | "turn_active" | "turn_mismatch" | "compaction_active" | "nothing_to_do" | "version_mismatch" | "stale_run" | "cycle" | "cross_session_link" | "cancelling" | "stdin_closed" | "no_other_node" | "placement_unmet" | "trial_running" | "trial_scored" | "trial_mismatch" | "expired_cursor" | "output_missing" | "expired" | "range_not_satisfiable" | "queue_full" | "too_many_open" | "rate_limited" | "budget_exhausted" | "issuer_unavailable" | "too_many_bearers" | "overloaded" | "starting" | "shutting_down" | "node_unreachable" | "node_refused" | "node_call_invalid" | "node_call_late" | "node_call_repeated" | "session_moved" | "timeout" | "signing_failed" | "store_failed" | "store_unavailable" | "session_behind" | "session_needs_newer" | "upgrade_unfinished" | "session_unreadable" | "rebuilding" | "storage_full" | "internal";

export type EventForm = "agent_ui" | "agent_policy" | "cloudevents" | "agent_tool" | "agent_context" | "agent_artifact" | "agent_evidence";

export type EventType = "session.created" | "session.updated" | "thread.started" | "thread.updated" | "turn.submitted" | "turn.started" | "turn.completed" | "turn.failed" | "task.created" | "task.accepted" | "task.queued" | "task.started" | "task.updated" | "task.progress" | "task.waiting" | "task.blocked" | "task.paused" | "task.resumed" | "task.retrying" | "task.cancel_requested" | "task.cancelled" | "task.timed_out" | "task.failed" | "task.lost" | "task.completed" | "task.archived" | "run.status" | "model.requested" | "model.delta" | "model.completed" | "model.failed" | "reasoning.delta" | "reasoning.summary" | "tool.catalog.resolved" | "tool.started" | "tool.args" | "tool.progress" | "tool.result" | "tool.failed" | "action.required" | "action.resolved" | "queue.changed" | "context.resolved" | "context.compaction.started" | "context.compaction.completed" | "context.compaction.failed" | "artifact.changed" | "evidence.changed" | "subagent.spawned" | "subagent.status" | "subagent.input" | "subagent.completed" | "subagent.failed" | "subagent.closed" | "limit.changed" | "snapshot.updated" | "runtime.warning" | "runtime.error" | "permission.evaluated" | "permission.requested" | "permission.resolved" | "sandbox.applied" | "sandbox.violation" | "hook.started" | "hook.completed" | "hook.failed" | "policy.changed" | "process.started" | "process.output" | "process.input" | "process.completed" | "process.failed" | "process.terminated" | "task.profile.resolved" | "routing.candidates.resolved" | "routing.decided" | "routing.fallback.applied" | "routing.not_possible" | "routing.single_candidate" | "task.delegated" | "task.dependency.updated" | "task.attempt.started" | "task.attempt.completed" | "task.attempt.failed" | "cost.estimated" | "cost.recorded" | "rate_limit.hit" | "quota.low" | "quota.blocked" | "channel.connected" | "channel.disconnected" | "channel.resumed" | "channel.message" | "channel.permission_forwarded" | "channel.permission_returned" | "job.created" | "job.started" | "job.progress" | "job.item.started" | "job.item.completed" | "job.item.failed" | "job.completed" | "job.failed" | "job.cancelled" | "output.spilled" | "output.truncated" | "output.redacted" | "output.expired" | "history.window.loaded" | "history.reconstructed" | "history.rollback.started" | "history.rollback.completed" | "snapshot.repaired" | "benchmark.dataset.resolved" | "benchmark.configuration.resolved" | "benchmark.trial.started" | "benchmark.trial.completed" | "benchmark.trial.failed" | "benchmark.reward.recorded" | "benchmark.comparison.completed";

export type EvidenceRecord = "verification" | "review" | "note";

export type EvidenceRedaction = "rules" | "content" | "all";

export type EvidenceSignal = "exported" | "not_applicable" | "unsupported" | "not_recorded" | "missing_correlation" | "unavailable";

export type ExclusionReason = "credential_missing" | "capability_missing" | "quota_blocked" | "rate_limited" | "network_unavailable" | "policy_denied" | "budget_exceeded" | "price_missing" | "context_too_small" | "disabled" | "not_offered";

export type Executed = "no" | "yes" | "partly" | "unknown";

export type ExtensionKind = "skill" | "command" | "agent";

export type ExtensionSource = "user" | "project" | "tool_server";

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

export type ImportItemKind = "text" | "tool_call" | "tool_result";

export type ImportProgram = "claude" | "codex";

export type InterruptBehavior = "cancel" | "wait" | "detach";

export type IssuerStatus = "unused" | "ready" | "fetching" | "down";

export type ItemKind = "user_message" | "agent_message" | "reasoning" | "tool_call" | "command" | "file_change" | "web_search" | "todo" | "error" | "catalog" | "compaction";

export type JobItemStatus = "pending" | "running" | "completed" | "failed" | "reported";

export type JobStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

export type KeyOrigin = "client_environment" | "daemon_environment" | "systemd_credential" | "auth_file" | "not_needed" | "credentials_file" | "metadata_server";

export type LatencyTarget = "interactive" | "background" | "batch";

export type LimitEventKind = "rate_limit_hit" | "quota_low" | "quota_blocked" | "parallel_budget_reached";

export type LimitKind = "budget" | "rate" | "quota" | "parallel" | "policy";

export type LimitScope = "request" | "turn" | "session" | "task" | "day" | "tenant" | "provider" | "job";

export type LimitSource = "command" | "config" | "provider_headers" | "provider" | "host" | "governor";

export type LimitStatus = "ok" | "low" | "limited" | "blocked" | "unknown" | "unavailable" | "not_applicable";

export type ListRefresh = "missing" | "all" | "test";

export type Liveness = "gone" | "alive" | "unknown";

export type MissedPolicy = "skip" | "once" | "all";

export type MissingReason = "not_found" | "denied" | "too_large" | "unreadable" | "expired" | "omitted_by_budget" | "import_cycle" | "import_depth";

export type ModelPolicy = "inherit" | "override";

export type NetworkMode = "off" | "restricted" | "full";

export type NodeState = "lives" | "leaving" | "ended" | "dead";

export type OnBusy = "queue" | "steer" | "interrupt" | "reject";

export type OutputOwner = "tool" | "process" | "hook" | "model" | "artifact" | "evidence" | "turn" | "runtime";

export type OverlapPolicy = "skip" | "queue" | "cancel";

export type PeerRole = "client" | "host" | "worker" | "remote_runtime" | "peer_agent" | "tool_server";

export type PeerState = "working" | "idle" | "asks_input" | "asks_login" | "card_changed" | "undelivered" | "missing" | "unavailable" | "ended";

export type PeerStatus = "unread" | "ready" | "card_changed" | "down";

export type PermissionMode = "default" | "untrusted" | "on_request" | "on_failure" | "never" | "plan" | "bypass" | "auto";

export type Phase = "preparing" | "planning" | "working" | "streaming" | "verifying" | "delivering" | "waiting" | "retrying" | "cancelling" | "recovering" | "compacting" | "draining";

export type PolicyEvent = "policy.decision.created" | "policy.decision.updated" | "policy.approval.requested" | "policy.approval.responded" | "policy.grant.issued" | "policy.grant.revoked" | "policy.waiver.created" | "policy.trace.linked";

export type PolicyRecordKind = "decision" | "approval" | "grant" | "waiver";

export type PolicyResult = "allow" | "deny" | "ask" | "defer" | "escalate" | "waive" | "not_applicable" | "indeterminate";

export type PolicySource = "human" | "command" | "config" | "host" | "hook" | "runtime";

export type PriceSource = "table" | "script" | "config" | "catalog" | "provider";

export type ProblemCategory = "request" | "auth" | "not_found" | "conflict" | "limit" | "capacity" | "store" | "internal";

export type ProcessStatus = "idle" | "running" | "exited" | "failed" | "lost";

export type ProofFinding = "signature_missing" | "signature_malformed" | "signature_invalid" | "signature_expired" | "signature_future" | "signature_unchecked" | "key_foreign" | "statement_differs" | "checkpoint_malformed" | "checkpoint_missing" | "checkpoint_differs" | "checkpoint_other_tree" | "tree_cut" | "tree_rewritten" | "session_cut" | "session_rewritten" | "session_removed" | "timestamp_malformed" | "timestamp_differs";

export type Propagation = "self" | "children" | "processes" | "children_and_processes";

export type QueuePolicy = "keep" | "clear" | "continue";

export type RecoveryMode = "none" | "restart" | "compaction" | "rollback" | "truncation" | "retention" | "repair" | "gap";

export type Redaction = "none" | "secret" | "policy" | "provider_encrypted";

export type RewardDetails = "reward_details" | "test_stdout" | "ctrf" | "note";

export type RoutingMode = "no_candidate" | "single_candidate" | "multi_candidate";

export type RoutingSource = "explicit" | "session" | "task_preference" | "host_policy" | "policy_auto" | "runtime_fallback";

export type SamplingPermission = "ask" | "allow";

export type SandboxMode = "read_only" | "workspace_write" | "danger_full_access" | "external_sandbox" | "unavailable";

export type ScheduleStatus = "active" | "paused" | "ended";

export type SessionReach = "own" | "all";

export type SigningKeyOrigin = "file" | "credential" | "command";

export type SigningKeyState = "active" | "retired";

export type Status = "idle" | "accepted" | "queued" | "preparing" | "running" | "streaming" | "waiting_input" | "waiting_permission" | "waiting_resource" | "blocked" | "paused" | "retrying" | "cancelling" | "cancelled" | "timed_out" | "failed" | "lost" | "completed" | "archived" | "stale" | "unknown" | "unavailable" | "not_applicable" | "draft" | "closed" | "pending" | "exited" | "reported";

export type StdinPolicy = "closed" | "pipe" | "tty";

export type SubagentStatus = "queued" | "running" | "blocked" | "completed" | "failed" | "cancelled" | "closed";

export type TaskStatus = "draft" | "accepted" | "queued" | "preparing" | "running" | "waiting_input" | "waiting_permission" | "waiting_resource" | "blocked" | "paused" | "retrying" | "cancelling" | "cancelled" | "timed_out" | "failed" | "lost" | "completed" | "archived" | "stale" | "unknown";

export type ThreadKind = "main" | "fork" | "subagent" | "job" | "system";

export type ThreadStatus = "idle" | "queued" | "running" | "blocked" | "completed" | "failed" | "cancelled" | "stale" | "unknown";

export type TodoStatus = "pending" | "in_progress" | "completed";

export type ToolLogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

export type ToolPolicy = "allowed" | "ask" | "denied" | "sandboxed" | "unavailable";

export type ToolServerMethod = "list_resources" | "list_templates" | "list_prompts" | "get_prompt" | "complete" | "watch_resources";

export type ToolServerStatus = "untrusted" | "unsupported" | "disabled" | "starting" | "ready" | "down" | "stopped" | "login_required";

export type Transport = "websocket" | "sse" | "json_rpc" | "grpc" | "http_json" | "stdio" | "in_process" | "custom";

export type TrialRole = "baseline" | "candidate" | "control";

export type Truncation = "none" | "head" | "tail" | "middle" | "head_tail" | "tokens";

export type TurnKind = "user" | "task" | "system" | "subagent" | "job" | "imported" | "call" | "sampling";

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

export type UsageGroup = "day" | "hour" | "model" | "tenant" | "session";

export type ValidationState = "passed" | "failed" | "not_applicable" | "unchecked";

export type Visibility = "foreground" | "background" | "internal" | "hidden" | "unknown";

export type WaitFor = "input" | "permission" | "resource" | "dependency" | "worker" | "resume" | "cleanup" | "backoff" | "rate_limit" | "quota" | "parallel" | "hook" | "client" | "node";

export type WorkerKind = "in_process" | "agent" | "external" | "subagent" | "job" | "peer";

export type WorktreeState = "making" | "ready" | "failed" | "kept" | "discarding" | "removed";

export interface RuntimeEvent {
  /** Class of the event; the generator derives this enum from the event rows. */
  type: EventType;
  /** Identity of the event; the same on every delivery. */
  eventId: Id;
  /** Position in the session's log, from 1, without gaps. */
  sequence: number;
  /** When the runtime recorded it; never decreases within a session. */
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
  /** The parent of that task. */
  parentTaskId?: Id;
  /** The root of that task tree. */
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
  /** The pending or given decision. */
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
  /** Status of the event's object after the event. */
  status?: Status;
  /** Phase of the turn or task. */
  phase?: Phase;
  /** One sentence for people on why the status is what it is. */
  statusReason?: string;
  /** The foreign or exact word that the wire enum lacks. */
  nativeStatus?: string;
  /** The accepted command whose first event this is. */
  command?: CommandFact;
  /** The step as this event opens, changes or ends it. */
  item?: Item;
  /** The task record; complete at creation, changed fields later. */
  task?: Task;
  /** The attempt record. */
  taskAttempt?: TaskAttempt;
  /** One edge of the task graph. */
  taskRelationship?: TaskRelationship;
  /** Edges of a task tree. */
  taskGraph?: TaskGraph;
  /** The progress of the task, in recorded data. */
  taskProgress?: TaskProgress;
  /** Criteria, and how many are met. */
  taskAcceptance?: TaskAcceptance;
  /** Who executes the attempt. */
  worker?: Worker;
  /** Whether the result reached its receiver. */
  deliveryState?: DeliveryState;
  /** The decision and everything it is based on. */
  permissionDecision?: PermissionDecision;
  /** The boundary that is enforced. */
  sandboxProfile?: SandboxProfile;
  /** Which model was chosen, from what, and why. */
  routingDecision?: RoutingDecision;
  /** Models that were available, and those that were excluded. */
  candidateModelSet?: CandidateModelSet;
  /** What the task needs from a model. */
  taskProfile?: TaskProfile;
  /** Cost and tokens so far. */
  costState?: CostState;
  /** Rate, quota, parallel and budget state. */
  limitState?: LimitState;
  /** The limit that was reached. */
  limitEvent?: LimitEvent;
  /** One run of a hook. */
  hookRun?: HookRun;
  /** Where the turn's commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** The enrolled peer's record. */
  channel?: Channel;
  /** The job's record. */
  job?: Job;
  /** The item's record. */
  jobItem?: JobItem;
  /** The stored output's record. */
  output?: Output;
  /** A boundary in the history: recovery, compaction, rollback. */
  historyBoundary?: HistoryBoundary;
  /** What was exported about it. */
  telemetry?: Telemetry;
  /** Ids that correlate foreign records. */
  correlation?: Correlation;
  /** Dataset, task, trial and configuration. */
  benchmark?: Benchmark;
  /** The trial's trajectory file. */
  trajectory?: Trajectory;
  /** The verifier's score, unchanged. */
  reward?: Reward;
  /** Differences between two configurations. */
  comparison?: Comparison;
  /** The class's own fields. */
  payload: Record<string, any>;
  /** Names of large or foreign data and where it is stored. */
  refs?: Record<string, any>;
  /** W3C trace flags, 2 hex digits: 00 if the spans of its turn are not sent. Absent: they are. */
  traceFlags?: string;
}

export interface AgentArtifactEvent {
  /** Version of the schema of the record. */
  schema_version: string;
  /** The stored event's own. */
  event_id: Id;
  /** A class of Agent Artifact. */
  type: AgentArtifactClass;
  /** When the runtime recorded it. */
  timestamp: Time;
  /** Position in the session's log. */
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
  /** As in Agent Artifact. */
  payload: any;
  /** As in Agent Artifact. */
  refs: any;
}

export interface AgentContextEvent {
  /** Version of the schema of the record. */
  schema_version: string;
  /** The stored event's own. */
  event_id: Id;
  /** A class of Agent Context. */
  event_type: AgentContextClass;
  /** When the runtime recorded it. */
  time: Time;
  /** Position in the session's log. */
  sequence: number;
  /** The runtime. */
  source: string;
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
  /** As in Agent Context. */
  data: any;
  /** As in Agent Context. */
  telemetry_refs: any;
}

export interface AgentEvidenceEvent {
  /** Version of the schema of the record. */
  schema_version: string;
  /** The stored event's own. */
  event_id: Id;
  /** A class of Agent Evidence. */
  type: AgentEvidenceClass;
  /** When the runtime recorded it. */
  timestamp: Time;
  /** Position in the session's log. */
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
  /** As in Agent Evidence. */
  payload: any;
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
  /** Position in the session's log. */
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

export interface AgentToolEvent {
  /** Version of the schema of the record. */
  schema_version: string;
  /** The stored event's own. */
  event_id: Id;
  /** A class of Agent Tool. */
  event_type: AgentToolClass;
  /** When the runtime recorded it. */
  time: Time;
  /** Position in the session's log. */
  sequence: number;
  /** The runtime. */
  source: string;
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
  /** As in Agent Tool. */
  data: any;
  /** As in Agent Tool. */
  trace_refs: any;
}

export interface AgentUiEvent {
  /** A word of Agent UI. */
  type: UiType;
  /** Class of the event; the generator derives this enum from the event rows. */
  runtimeType: EventType;
  /** Identity of the event; the same on every delivery. */
  eventId: Id;
  /** Position in the session's log, from 1, without gaps. */
  sequence: number;
  /** When the runtime recorded it; never decreases within a session. */
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
  /** The parent of that task. */
  parentTaskId?: Id;
  /** The root of that task tree. */
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
  /** The pending or given decision. */
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
  /** Status of the event's object after the event. */
  status?: Status;
  /** Phase of the turn or task. */
  runtimePhase?: Phase;
  /** One sentence for people on why the status is what it is. */
  statusReason?: string;
  /** The foreign or exact word that the wire enum lacks. */
  nativeStatus?: string;
  /** The accepted command whose first event this is. */
  command?: CommandFact;
  /** The step as this event opens, changes or ends it. */
  item?: Item;
  /** The task record; complete at creation, changed fields later. */
  task?: Task;
  /** The attempt record. */
  taskAttempt?: TaskAttempt;
  /** One edge of the task graph. */
  taskRelationship?: TaskRelationship;
  /** Edges of a task tree. */
  taskGraph?: TaskGraph;
  /** The progress of the task, in recorded data. */
  taskProgress?: TaskProgress;
  /** Criteria, and how many are met. */
  taskAcceptance?: TaskAcceptance;
  /** Who executes the attempt. */
  worker?: Worker;
  /** Whether the result reached its receiver. */
  deliveryState?: DeliveryState;
  /** The decision and everything it is based on. */
  permissionDecision?: PermissionDecision;
  /** The boundary that is enforced. */
  sandboxProfile?: SandboxProfile;
  /** Which model was chosen, from what, and why. */
  routingDecision?: RoutingDecision;
  /** Models that were available, and those that were excluded. */
  candidateModelSet?: CandidateModelSet;
  /** What the task needs from a model. */
  taskProfile?: TaskProfile;
  /** Cost and tokens so far. */
  costState?: CostState;
  /** Rate, quota, parallel and budget state. */
  limitState?: LimitState;
  /** The limit that was reached. */
  limitEvent?: LimitEvent;
  /** One run of a hook. */
  hookRun?: HookRun;
  /** Where the turn's commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** The enrolled peer's record. */
  channel?: Channel;
  /** The job's record. */
  job?: Job;
  /** The item's record. */
  jobItem?: JobItem;
  /** The stored output's record. */
  output?: Output;
  /** A boundary in the history: recovery, compaction, rollback. */
  historyBoundary?: HistoryBoundary;
  /** What was exported about it. */
  telemetry?: Telemetry;
  /** Ids that correlate foreign records. */
  correlation?: Correlation;
  /** Dataset, task, trial and configuration. */
  benchmark?: Benchmark;
  /** The trial's trajectory file. */
  trajectory?: Trajectory;
  /** The verifier's score, unchanged. */
  reward?: Reward;
  /** Differences between two configurations. */
  comparison?: Comparison;
  /** The class's own fields. */
  payload: Record<string, any>;
  /** Names of large or foreign data and where it is stored. */
  refs?: Record<string, any>;
  /** W3C trace flags, 2 hex digits: 00 if the spans of its turn are not sent. Absent: they are. */
  traceFlags?: string;
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

export interface CloudeventsEvent {
  /** Always 1.0. */
  specversion: string;
  /** The class of the event, with a prefix. */
  type: string;
  /** The stored event's own. */
  id: Id;
  /** The runtime. */
  source: string;
  /** The session. */
  subject?: Id;
  /** When the runtime recorded it. */
  time?: Time;
  /** Position in the session's log, 20 digits. */
  sequence: string;
  /** The trace, where there is one. */
  traceparent?: string;
  /** Always application/json. */
  datacontenttype: string;
  /** The stored envelope. */
  data: any;
}

export type Id = string;

export interface ProblemDetails {
  /** urn:thole:problem: and the code. */
  type: string;
  /** The sentence of the table below. */
  title: string;
  /** The HTTP status; a transport may use a more specific one than the table. */
  status: number;
  /** The stable word; decide by this. */
  code: ErrorCode;
  /** General group of the code. */
  category: ProblemCategory;
  /** What is wrong in this case, for people. */
  detail?: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** How long to wait before that. */
  retryAfterMs?: number;
  /** The command that was refused. */
  command?: string;
  /** The call, as named in the operator's log. */
  requestId?: Id;
  /** The session it was about. */
  sessionId?: Id;
  /** With already_resolved: the answer that applies. */
  winner?: any;
  /** With invalid_decision: what the action offers. */
  decisions?: DecisionOption[];
  /** With invalid_answer: the schema of an answer. */
  schema?: any;
  /** With thread_busy: the active turn. */
  turnId?: Id;
}

export interface AcceptanceCount {
  /** Criteria that are met. */
  covered: number;
  /** Number of criteria. */
  total: number;
}

export interface AccessToken {
  /** The principal that its holder is; events name it. */
  name: string;
  /** The tenant that the principal belongs to; absent: none. */
  tenant?: string;
  /** What it may do. */
  scopes: string[];
  /** own: only sessions that this principal created; all: those of its tenant, or all if it has none. */
  sessions: SessionReach;
  /** Where its work may run, with everything below; absent: a token with own sessions works in the runtime's directory, another one anywhere. */
  directories?: string[];
  /** From when it is not valid any more; absent: never. */
  expiresAt?: Time;
  /** Whether it was made or revoked. */
  state: AccessTokenState;
  /** SHA-256 of the token in hex; in events only, never in replies. */
  tokenHash?: string;
  /** When it was made. */
  createdAt?: Time;
  /** The principal that made it. */
  createdBy?: string;
}

export interface Account {
  /** local or tenant. */
  scope: string;
  /** Which account. */
  ref?: string;
}

export interface ActionPolicy {
  /** The decision that requires approval. */
  decisionId?: Id;
  /** Rules that required approval. */
  ruleRefs: string[];
  /** Whether the action is destructive. */
  destructive: boolean;
  /** The sandbox it would run in. */
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
  /** What is requested. */
  actionType: ActionType;
  /** Its status. */
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
  /** The thread of the parent, if a child agent asks. */
  parentThreadId?: Id;
  /** The child agent that asks. */
  subagentId?: Id;
  /** The turn in which the child was created. */
  parentTurnId?: Id;
  /** The task that the child was created for. */
  parentTaskId?: Id;
  /** The tool it is about. */
  toolName?: string;
  /** The question. */
  prompt: string;
  /** The schema of an answer. */
  schema?: any;
  /** The matching pair of answers. */
  decisionKind: DecisionKind;
  /** The accepted answers. */
  decisions: DecisionOption[];
  /** What it is about. */
  scopeDetail?: ActionScope;
  /** Which rules required approval. */
  policy?: ActionPolicy;
  /** Where the arguments of the call are stored, if they are too long for its events; get_output reads them. */
  inputRef?: Id;
  /** Their size. */
  inputBytes?: number;
  /** What an approval adds to the call's sandbox. */
  override?: SandboxOverride;
  /** Since when. */
  requestedAt: Time;
  /** Until when. */
  expiresAt?: Time;
  /** What happens then. */
  onExpiry: ApprovalDecision;
  /** Of a plan: the mode after a caller with the scope admin accepts it; after another, it is not wider than default. */
  modeAfter?: PermissionMode;
  /** What can end it. */
  endedBy: string[];
  /** The event that requested it. */
  sequence: number;
  /** The final answer. */
  decision?: ApprovalDecision;
  /** Its scope. */
  scope?: GrantScope;
  /** Who answered. */
  decidedBy?: Actor;
  /** When it was answered. */
  resolvedAt?: Time;
}

export interface Actor {
  /** What kind of actor it is. */
  kind: ActorKind;
  /** The transport it came through: cli, http, json_rpc, console and so on. */
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
  /** The person for whom the caller acted, in the caller's words; the principal is who is responsible for them. */
  onBehalfOf?: string;
}

export interface AgentDefinition {
  /** Its name. */
  name: string;
  /** The model that its file asks for. */
  model?: string;
  /** The tools that it may call, by the runtime's names; absent: all of its parent's. */
  tools?: string[];
  /** Where its prompt is stored; absent: it has none. */
  promptRef?: Id;
  /** Hash of its prompt. */
  sha256?: string;
  /** Size of its prompt. */
  bytes?: number;
  /** An agent of agents.remote: each input is a delegation to it, and it has no prompt here. */
  remote?: boolean;
}

export interface Allotment {
  /** day:DATE and tenant:NAME: money; requests: model requests at once; tasks and tasks:tenant:NAME: tasks at once. */
  account: string;
  /** How much of it the node may use, what it has used included; of money in 1e-9 dollars. */
  amount: number;
  /** How much more it is waiting for; 0: nothing. */
  want: number;
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
  /** Number of versions. */
  versions: number;
  /** What it is. */
  kind: string;
  /** Its path in the workspace. */
  path?: string;
  /** Where to read it. */
  readRef?: string;
  /** Where its preview is. */
  previewRef?: string;
  /** Where the latest change is. */
  diffRef?: string;
  /** Problems that a check found. */
  issues?: number;
  /** Without issues: not_applicable, it declares nothing checkable; unknown, this version was not validated, or not completely. */
  issuesState?: Honesty;
  /** The result of validating this version. */
  validation: ValidationState;
  /** The first issues as text. */
  messages?: string[];
  /** Who stores it. */
  owner: string;
  /** The task that created it. */
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
  /** Its previous content. */
  checkpointRef?: string;
  /** The turn that created it. */
  turnId?: Id;
  /** When. */
  at: Time;
  /** The event that reports it. */
  sequence: number;
}

export interface BadRow {
  /** The session. */
  sessionId: Id;
  /** The row. */
  sequence: number;
  /** The expected hash. */
  expected: string;
  /** The actual hash. */
  found: string;
  /** What does not fit. */
  reason: string;
}

export interface Benchmark {
  /** The dataset. */
  datasetId?: string;
  /** Its version. */
  datasetVersion?: string;
  /** Where it is stored. */
  datasetRef?: string;
  /** The dataset's task, not the runtime's. */
  taskId?: string;
  /** The trial. */
  trialId?: Id;
  /** The configuration. */
  configurationId?: string;
  /** Its side of the comparison. */
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
  /** The latest possible time. */
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
  /** Reserved for open requests. */
  reservedUsd: number;
}

export interface CallClient {
  /** It asks its user. */
  elicitation?: boolean;
  /** It lets its own model answer. */
  sampling?: boolean;
  /** It says which directories its user works in. */
  roots?: boolean;
  /** It takes several questions at once. */
  together?: boolean;
  /** The least severe messages that it takes; default: none. */
  logLevel?: ToolLogLevel;
}

export interface Candidate {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** What it can do. */
  capabilities: string[];
  /** Its cost class. */
  costClass: CostClass;
  /** Its price, if known. */
  price?: Price;
  /** States that the price is unknown. */
  priceState?: Honesty;
  /** Whether its provider limits requests now. */
  limitState: LimitStatus;
}

export interface CandidateModelSet {
  /** Number of candidates. */
  candidateCount: number;
  /** Whether there is exactly one. */
  singleCandidate: boolean;
  /** The candidates. */
  candidates: Candidate[];
  /** Excluded ones, with reasons. */
  excluded: Exclusion[];
  /** The requirement. */
  hardConstraints: string[];
  /** What was requested. */
  preferences: string[];
  /** What is missing for more. */
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
  /** Its transport. */
  transport: Transport;
  /** The peer's role. */
  peerRole: PeerRole;
  /** Whose account it is. */
  accountRef?: string;
  /** What the peer can do. */
  capabilities: string[];
  /** When it was last active. */
  lastSeenAt?: Time;
  /** Where the reconnect token is stored. */
  resumeTokenRef?: string;
  /** The peer's protocol. */
  nativeProtocol?: string;
  /** The peer's card, as read. */
  agentCardRef?: string;
  /** Last acknowledged event. */
  lastAckedSequence?: number;
  /** Whether it is reachable. */
  status?: Status;
  /** false: a tool server with an address, which no sandbox of this machine contains. */
  isSandboxed?: boolean;
  /** Its session; only in lists across sessions. */
  sessionId?: Id;
  /** Events of its session after the last one that it acknowledged; only in lists. */
  lag?: number;
}

export interface ChannelSection {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The enrolled peers. */
  channels?: Channel[];
  /** Forwarded approvals that were not answered. */
  pendingForwards?: Id[];
}

export interface CheckpointFinding {
  /** What is wrong. */
  code: ProofFinding;
  /** The session; absent: the checkpoint or the tree. */
  sessionId?: Id;
  /** The event that the checkpoint covers. */
  sequence?: number;
  /** The same as a sentence. */
  what: string;
}

export interface ClientTool {
  /** Its name for the model: letters, digits, _ and -. In this turn it hides another tool of the same name. */
  name: string;
  /** What the model reads about it. */
  description?: string;
  /** JSON Schema of its arguments, an object; default: any object. */
  inputSchema?: any;
  /** It changes nothing, as the caller says: mode plan allows it. */
  readOnly?: boolean;
  /** How long one call may take; default: the setting tools.client_timeout_s. */
  timeoutMs?: number;
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
  /** Replaced turns; the newest 64 if there are more. */
  affectedTurns: string[];
  /** What replaces them. */
  summaryRef?: Id;
  /** The event that ended it. */
  sequence?: number;
  /** Tokens before. */
  tokensBefore?: number;
  /** Tokens after. */
  tokensAfter?: number;
  /** Number of replaced turns. */
  turns?: number;
  /** The last event of the newest turn that was replaced. */
  throughSequence?: number;
}

export interface Comparison {
  /** Change of the mean reward: of each task first, then over the tasks. */
  meanRewardDelta?: number;
  /** Standard error of that change; absent with fewer than two scored trials on a side. */
  meanRewardDeltaStdErr?: number;
  /** Mean reward of the baseline. */
  baselineMeanReward?: number;
  /** Mean reward of the candidate. */
  candidateMeanReward?: number;
  /** Standard deviation of the baseline's rewards. */
  baselineRewardStdDev?: number;
  /** Standard deviation of the candidate's rewards. */
  candidateRewardStdDev?: number;
  /** Trials of the baseline. */
  baselineTrials?: number;
  /** Trials of the candidate. */
  candidateTrials?: number;
  /** Of those, trials without a reward; they are in no mean. */
  baselineUnscored?: number;
  /** The same for the candidate. */
  candidateUnscored?: number;
  /** Tasks that both sides have. */
  tasks?: number;
  /** Change of the share of trials that timed out. */
  timeoutRateDelta?: number;
  /** Change of the share of trials that failed. */
  failureRateDelta?: number;
  /** Share of the candidate's trials with complete evidence, 0 to 1. */
  evidenceCompletenessRate?: number;
  /** The same for the baseline. */
  baselineEvidenceCompletenessRate?: number;
  /** P0 gates with worse results, as the quality owner reported them; absent: unknown. */
  p0QcGateRegressionCount?: number;
  /** Change of the mean cost of a trial; absent if a cost is unknown. */
  costDeltaUsd?: number;
  /** Change of the mean tokens of a trial; absent if they are unknown. */
  tokensDelta?: number;
  /** Change of the mean duration. */
  durationDeltaMs?: number;
  /** What differs between the two: at most one. */
  changedVariables?: string[];
  /** What the quality owner decided. */
  decision?: string;
  /** Who decided. */
  decisionSource?: string;
  /** What is still open. */
  remainingRisk?: string;
}

export interface Constraints {
  /** Only these tools may be called. */
  tools?: string[];
  /** Permission mode in addition to the session's: a call runs only if both allow it. */
  permissionMode?: PermissionMode;
  /** Widest sandbox of its calls; the session's own if that is narrower. */
  sandboxMode?: SandboxMode;
  /** Widest network of its calls; the session's own if that is narrower. */
  networkMode?: NetworkMode;
  /** Only these models may be used. */
  models?: string[];
  /** Maximum cost of the task. */
  costUsd?: number;
  /** Timeout of the task. */
  timeMs?: number;
  /** Maximum output: what its tools write and its model produces, over all runs. */
  outputBytes?: number;
  /** Longest time without an event of its run; then the run times out. */
  inactivityMs?: number;
}

export interface ContextBoundary {
  /** What the model sees. */
  selectedRefs: string[];
  /** Summaries that replace older turns. */
  compactions: Compaction[];
  /** Known problems with it. */
  warnings: string[];
  /** What was searched and not found. */
  missing: MissingRef[];
}

export interface ContextRef {
  /** What it is. */
  kind: ContextKind;
  /** Its name; for a file its path below the session's directory, or mcp:SERVER:URI for a resource of a tool server. */
  ref: string;
  /** Its text; the runtime reads files itself. */
  text?: string;
  /** Where its text is stored, if it is. */
  outputRef?: Id;
  /** Hash of its text, 64 hexadecimal digits; needed with outputRef. */
  sha256?: string;
  /** Its size; needed with outputRef. */
  bytes?: number;
  /** The caller may not approve: a resource of a tool server is read only if a rule allows it. The runtime sets it. */
  needsRule?: boolean;
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
  /** States that the records cannot be joined. */
  status?: EvidenceSignal;
}

export interface CostState {
  /** Whether the sum is based on reported usage (recorded), partly or wholly on estimates (estimated), or is unknown. */
  state: CostStatus;
  /** Always USD; absent when nothing has a price. */
  currency?: string;
  /** Why it is unknown. */
  reason?: string;
  /** Estimate of the current request. */
  estimatedUsd?: number;
  /** Sum recorded so far. */
  recordedUsd: number;
  /** Reserved for open requests. */
  reservedUsd?: number;
  /** Tokens so far; absent if no provider reported any. */
  tokens?: Tokens;
  /** States that some requests did not report tokens; the counts, if any, are those of the others. */
  tokensState?: Honesty;
  /** The price used for the calculation. */
  price?: Price;
}

export interface Counters {
  /** Tool calls made. */
  toolCalls?: number;
  /** Requests made to models. */
  modelRequests?: number;
  /** Processed items. */
  items?: number;
  /** Child tasks it created. */
  childTasks?: number;
  /** Job items ended. */
  jobItems?: number;
  /** Number of tests. */
  tests?: number;
  /** Files changed. */
  files?: number;
  /** Criteria that are met. */
  acceptanceCovered?: number;
  /** Number of criteria. */
  acceptanceTotal?: number;
}

export interface Criterion {
  /** Name of the criterion within the task. */
  id: string;
  /** What is checked: artifact, command, evidence, text. */
  kind: string;
  /** The requirement. */
  description?: string;
  /** Where the criterion is described. */
  ref?: string;
}

export interface DecisionCounts {
  /** Number of allowed calls. */
  allow: number;
  /** Number of calls that needed approval. */
  ask: number;
  /** Number of denied calls. */
  deny: number;
}

export interface DecisionOption {
  /** A decision that is accepted. */
  decision: ApprovalDecision;
  /** The scopes that can be granted. */
  scopes?: string[];
  /** What an approval with a wider scope than `once` allows from then on without a question: each entry becomes a grant, and nothing else is covered. Show it before offering such a scope. Missing: no wider scope is offered, or the entries together are too long. */
  covers?: GrantMatch[];
  /** Whether the input may be changed with it. */
  mayEditInput?: boolean;
  /** Whether a reason may be given with it. */
  mayGiveReason?: boolean;
}

export interface DeliveryState {
  /** Whether the result arrived. */
  state: DeliveryStatus;
  /** Where it was sent. */
  to?: string;
  /** Why it was not delivered. */
  reason?: string;
}

export interface Device {
  /** The device. */
  deviceId: Id;
  /** Its name; events name it device:NAME. */
  name: string;
  /** The one host name by which it reaches this runtime. */
  host: string;
  /** What it may do. */
  scopes: string[];
  /** Since when. */
  pairedAt: Time;
  /** The time of its last request, to the minute after a restart or at another node. */
  lastSeenAt: Time;
  /** The channel that it has in events. */
  channelId?: Id;
}

export interface Diagnostics {
  /** Warnings. */
  warnings: Incident[];
  /** Calls that failed. */
  failedTools: Thing[];
  /** Commands with an exit code other than 0. */
  failedCommands: Thing[];
  /** Turns without activity. */
  stalledTurns: Id[];
  /** Tasks without activity: lost, or past the lease of their worker. */
  stalledTasks?: Id[];
  /** What it waits for: model requests, approvals, hooks. */
  pendingRequests?: Thing[];
  /** Runs whose worker is lost. */
  lostWorkers: Id[];
  /** none, requested or done. */
  interrupt: string;
  /** Limits that stop the work. */
  quotaBlocks: LimitEvent[];
  /** What the model could not get. */
  contextGaps: MissingRef[];
  /** Which of these lists this build cannot fill; an empty one then means nothing. */
  unavailable?: string[];
}

export interface EditedFile {
  /** The file, relative to the directory of the session. */
  path: string;
  /** What it becomes, in base64; absent: it is deleted. */
  content?: string;
  /** Permission bits that it gets, octal; absent: as they are. */
  mode?: string;
  /** SHA-256 of what it holds now; absent: it does not exist. Anything else refuses all files. */
  expect?: string;
}

export interface Endpoint {
  /** a2a, mcp, openai or ag_ui. */
  protocol: string;
  /** JSONRPC, HTTP+JSON or GRPC, where the protocol has several. */
  binding?: string;
  /** Its path at the runtime's address; empty for gRPC. */
  path: string;
  /** Whether it is served. */
  isEnabled: boolean;
  /** The setting that enables it. */
  setting: string;
  /** The public address of the runtime, if the settings name one for this protocol; for gRPC that of thole-grpc. */
  url?: string;
}

export interface EvidenceSection {
  /** The evidence records. */
  evidenceRefs: string[];
  /** Evidence packs. */
  packRefs: string[];
  /** Replay cases. */
  replayRefs: string[];
  /** Review templates. */
  reviewRefs: string[];
  /** The results of verifiers. */
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
  /** Why it was excluded. */
  reason: ExclusionReason;
  /** Which capability, quota or host. */
  detail?: string;
  /** Whether it was a requirement or a preference. */
  constraint: ConstraintStrength;
}

export interface ExecutionEnvironment {
  /** The environment. */
  environmentId: Id;
  /** The workspace. */
  workspaceId: string;
  /** Directory in which commands start. */
  cwd: string;
  /** Further roots in addition to the workspace. */
  additionalRoots: string[];
  /** The shell. */
  shell: string;
  /** The operating system. */
  os: string;
  /** The processor. */
  arch: string;
  /** The network of commands. */
  networkProfile: NetworkProfile;
  /** Their limits. */
  resourceLimits: ResourceLimits;
  /** The variables, safe ones only. */
  envRef: Id;
  /** The sandbox of commands. */
  sandboxProfile: SandboxProfile;
  /** Why one tool got another environment. */
  overrideReason?: string;
}

export interface ExtensionFile {
  /** Below the folder of the skill. */
  path: string;
  /** Its size; absent: it is no plain file, and trust covers its name alone. */
  bytes?: number;
  /** Its text; absent for other content, for a large file, and when the reply has too much text. */
  text?: string;
}

export interface ExtensionRow {
  /** What it is. */
  kind: ExtensionKind;
  /** Whose it is. */
  source: ExtensionSource;
  /** Its name. */
  name: string;
  /** What it is for, in a line. */
  description: string;
  /** For a command: the arguments that it expects. */
  argumentHint?: string;
  /** The model that it asks for. */
  model?: string;
  /** For an agent: the tools that it may use, as its file lists them. */
  tools?: string;
  /** Its file; mcp:NAME for a prompt of the tool server NAME. */
  path: string;
  /** Whether it can be used; false for a project's until the user trusts it as it is now. */
  isTrusted: boolean;
  /** Why it cannot be used. */
  error?: string;
  /** What of it is not used. */
  note?: string;
  /** With texts, of a project's file that is not trusted: its text, which contentHash covers. */
  text?: string;
  /** With texts, of a project's file that is not trusted: its size. */
  bytes?: number;
  /** With texts, of a project's skill that is not trusted: the files beside its SKILL.md, which contentHash covers. */
  files?: ExtensionFile[];
}

export interface Gap {
  /** First missing event; if it is greater than `to`, the position the subscriber expected, ahead of the log. */
  from: number;
  /** Last missing event; the stream continues after it. */
  to: number;
  /** What replaces them. */
  recoveryMode: RecoveryMode;
  /** Why: removed by retention, a cursor ahead of the log, or damaged on disk (corrupt; `thole doctor` names the place). */
  reason?: GapReason;
  /** The session, if several are read; absent if that is unknown. Then `from` and `to` are 0. */
  sessionId?: Id;
  /** The snapshot to continue from. */
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
  /** Its scope. */
  scope: GrantScope;
  /** The session in which it applies. */
  sessionId?: Id;
  /** The workspace in which it applies, if its scope is wider than a session. */
  cwd?: string;
  /** What it covers. */
  match?: GrantMatch;
  /** Who granted it. */
  source: PolicySource;
  /** Who granted it, by name. */
  grantedBy?: Actor;
  /** When it was given. */
  createdAt: Time;
  /** When it ends. */
  expiresAt?: Time;
  /** Whether it can be revoked. */
  revocable: boolean;
}

export interface GrantMatch {
  /** The tool it covers. */
  tool?: string;
  /** The words of the command it covers. */
  command?: string[];
  /** The path it covers. */
  path?: string;
  /** Where the path leads; absent: to itself. Another target is not covered. */
  pathReal?: string;
  /** The host it covers. */
  host?: string;
  /** Hash of the tool definition that was approved; other definitions are not covered. */
  definition?: string;
  /** The directory in which the command runs; other directories are not covered. */
  cwd?: string;
  /** The script or program that the command runs. */
  script?: string;
  /** The target of the link; another target is not covered. */
  scriptReal?: string;
  /** The content; other content is not covered. */
  scriptHash?: string;
}

export interface HistoryBoundary {
  /** The record whose boundary it is. */
  layer: HistoryLayer;
  /** The last event before the boundary. */
  throughSequence: number;
  /** The snapshot it was rebuilt from, 0 when none. */
  snapshotSequence?: number;
  /** Version of the fold. */
  foldVersion?: number;
  /** First turn before the boundary. */
  fromTurnId?: Id;
  /** Last turn before the boundary. */
  toTurnId?: Id;
  /** What replaces the part before the boundary. */
  summaryRef?: Id;
}

export interface HistorySummary {
  /** Events so far. */
  events: number;
  /** Turns so far. */
  turns: number;
  /** Number of compactions. */
  compactions: number;
  /** Number of rollbacks. */
  rollbacks: number;
  /** Whether parts are missing. */
  degraded: boolean;
  /** Stored outputs that the last recovery did not find. */
  missing?: string[];
  /** Where the session comes from, if it was imported. */
  imported?: ImportState;
}

export interface HistoryWindow {
  /** First event of the window. */
  fromSequence: number;
  /** Last event of the window. */
  toSequence: number;
  /** Turns that are included. */
  turns?: number;
  /** Turns that are not included. */
  older: number;
  /** Where the rest begins. */
  cursor?: string;
}

export interface HookRow {
  /** Its name in events. */
  ref: string;
  /** The point at which it runs. */
  point: HookPoint;
  /** A command, an address, or the embedding program. */
  kind: HookHandler;
  /** The command line or the address; in_process: the embedding program. */
  handler: string;
  /** Tools it concerns; absent: all. */
  match?: string;
  /** Timeout. */
  timeoutMs: number;
  /** The effect of its failure. */
  failPolicy: FailPolicy;
  /** Its owner; untrusted: it is not active. */
  trust: HookTrust;
  /** For a command. agent: it has the rights of the agent's commands; guarded: it decides, or has more rights, and sees no directory that the agent can write; none: it has the user's rights. */
  sandbox?: HookSandbox;
  /** For a command that does not run with the agent's rights: over the files that its line names. */
  programHash?: string;
  /** Why it would not be started now, and what to do. */
  refused?: string;
}

export interface HookRun {
  /** This run of the hook. */
  hookRunId: Id;
  /** Where it was called. */
  point: HookPoint;
  /** Which hook. */
  handlerRef: string;
  /** A command, a URL, or the embedding program. */
  handlerKind: HookHandler;
  /** Timeout. */
  timeoutMs: number;
  /** The effect of its failure. */
  failPolicy: FailPolicy;
  /** Why it may run. */
  trust: HookTrust;
  /** Its status. */
  status: HookStatus;
  /** When it began. */
  startedAt?: Time;
  /** How long it took. */
  durationMs?: number;
  /** Its exit code. */
  exitCode?: number;
  /** Its decision. */
  decision?: HookDecision;
  /** The input before it. */
  inputRef?: Id;
  /** The input after it. */
  updatedInputRef?: Id;
  /** The tool output after it. */
  updatedToolOutputRef?: Id;
  /** Context it adds. */
  additionalContextRefs?: string[];
  /** Whether its own output is hidden from the model. */
  suppressOutput?: boolean;
  /** Its audit notes. */
  auditRefs?: string[];
  /** The policy engine's record that it returned. */
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

export interface ImportItem {
  /** What it is. */
  kind: ImportItemKind;
  /** Name of the tool there. */
  name?: string;
  /** Id of the message or of the call there. */
  sourceId?: string;
  /** Its time there. */
  at?: Time;
  /** Text, arguments or output. */
  text: string;
  /** Size of the whole text, if this is only a part of it. */
  bytes?: number;
  /** Whether the call failed. */
  isError?: boolean;
}

export interface ImportOrigin {
  /** The program that wrote the file. */
  program: ImportProgram;
  /** Its version, as the file states it. */
  programVersion?: string;
  /** Id of the session there. */
  sourceId: string;
  /** The file, on the machine of the client that read it. */
  path: string;
  /** Hash of the file, in hexadecimal digits. */
  sha256: string;
  /** Size of the file. */
  bytes: number;
  /** Turns that the file holds. */
  turns: number;
  /** Lines that were not understood or have no counterpart here. */
  leftOut: number;
  /** Time of the first message there. */
  beganAt?: Time;
  /** Time of the last message there. */
  endedAt?: Time;
  /** Branch that was checked out. */
  gitBranch?: string;
}

export interface ImportState {
  /** The program that the session comes from. */
  program: ImportProgram;
  /** Id of the session there. */
  sourceId: string;
  /** Hash of the newest file that was imported. */
  sha256: string;
  /** Turns that were imported. */
  turns: number;
  /** Turns of that file; more than turns: the import is not complete. */
  fileTurns: number;
  /** Hash over the imported turns. */
  digest?: string;
}

export interface ImportTurn {
  /** The message of the person. */
  text: string;
  /** Id of that message there. */
  sourceId?: string;
  /** The model that answered there. */
  model?: string;
  /** Its time there. */
  beganAt?: Time;
  /** Time of the last item there. */
  endedAt?: Time;
  /** Hash over this turn and all turns before it. */
  digest: string;
  /** Answers, calls and results, in order. */
  items: ImportItem[];
}

export interface Incident {
  /** The event that reports it. */
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
  /** Whether it is still relevant. */
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
  /** Whether it may run in parallel. */
  isConcurrencySafe: boolean;
  /** Whether it can be destructive. */
  isDestructive: boolean;
  /** What an interrupt does to it. */
  interruptBehavior: InterruptBehavior;
  /** Where its input schema is. */
  inputSchemaRef?: string;
  /** The schema itself, if it is small. */
  inputSchema?: any;
  /** Where more information is. */
  metadataRef?: string;
  /** Its owner's name for it, if it differs. */
  nativeName?: string;
  /** The owner's hints, which do not affect approvals. */
  annotations?: any;
  /** Hash of its definition. */
  definitionHash?: string;
  /** Whether the definition differs from the pinned one: calls need approval again. */
  definitionChanged?: boolean;
  /** Why it is denied or unavailable. */
  reason?: string;
}

export interface Isolation {
  /** What the child sees of the parent's prompt: own, only its own instructions. */
  prompt: string;
  /** Where it works: shared, in the parent's directory; worktree, in its own git worktree. */
  workspace: string;
  /** The directory of its worktree; chosen by the runtime. */
  worktree?: string;
  /** Tools it may call. */
  tools: string[];
  /** Its permission mode. */
  permissionMode: PermissionMode;
  /** What it sees of memory: none. */
  memory: string;
  /** Widest sandbox of its calls. */
  sandboxMode?: SandboxMode;
  /** Widest network of its calls. */
  networkMode?: NetworkMode;
}

export interface Issuer {
  /** Its name in auth.issuers; principals are called NAME:SUBJECT. */
  name: string;
  /** Its address, as tokens name it. */
  issuer: string;
  /** Whether its keys are known. unused: no token has needed them; down: the last fetch failed. */
  status: IssuerStatus;
  /** Keys that can be used now. */
  keyCount: number;
  /** When the keys were fetched. */
  fetchedAt?: Time;
  /** Why the last fetch failed. */
  detail?: string;
}

export interface Item {
  /** Same as the step's id. */
  itemId: Id;
  /** What kind of step it is. */
  kind: ItemKind;
  /** Position in the turn, from 1, without gaps. */
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
  /** Its status. */
  status: JobStatus;
  /** What to do with each item. */
  instructionRef: Id;
  /** The items. */
  inputRefs: RefEntry[];
  /** Schema that each output must satisfy. */
  outputSchemaRef?: Id;
  /** Timeout of the job. */
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
  /** The schedule that created it. */
  scheduleId?: string;
}

export interface JobCounts {
  /** Number of items. */
  total: number;
  /** Items that have not started. */
  pending: number;
  /** Running items. */
  running: number;
  /** Items done. */
  completed: number;
  /** Failed items. */
  failed: number;
}

export interface JobItem {
  /** The item. */
  jobItemId: Id;
  /** Its position in the input, from 0. */
  index: number;
  /** Its status. */
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
  /** Whether a retry makes sense. */
  retryable?: boolean;
}

export interface LastError {
  /** The stable word. */
  category: ErrorCategory;
  /** One sentence. */
  message: string;
  /** Whether a retry makes sense. */
  retryable?: boolean;
  /** The request that failed. */
  modelRequestId?: Id;
  /** The next command or step. */
  remedy?: string;
  /** The call that failed. */
  toolCallId?: Id;
  /** Exit code of the command, if one ended. */
  exitCode?: number;
  /** Where the full error is stored. */
  ref?: string;
}

export interface LastOutcome {
  /** The most recently ended turn. */
  turnId: Id;
  /** How it ended. */
  status: Status;
  /** Its last message. */
  lastMessageRef?: Id;
  /** Why it failed. */
  category?: ErrorCategory;
}

export interface LimitEvent {
  /** What was reached. */
  kind: LimitEventKind;
  /** Whose limit it is. */
  provider?: string;
  /** The model it is for. */
  model?: string;
  /** Who reported it. */
  source: LimitSource;
  /** What the limit covers. */
  scope?: LimitScope;
  /** How long to wait. */
  retryAfterMs?: number;
  /** When it ends. */
  resetAt?: Time;
  /** Amount used. */
  used?: number;
  /** The limit. */
  limit?: number;
}

export interface LimitPart {
  /** The state in one word. */
  state: LimitStatus;
  /** Whose limit it is. */
  provider?: string;
  /** When it ends. */
  until?: Time;
  /** Amount used. */
  used?: number;
  /** The limit. */
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
  /** Requests at the same time. */
  parallel: LimitPart;
  /** Caps on cost. */
  budgets: Budget[];
}

export interface ListedTool {
  /** Name of the tool. */
  toolName: string;
  /** What it does. */
  description: string;
  /** JSON Schema of its arguments. */
  inputSchema?: any;
  /** JSON Schema of its structured result. */
  outputSchema?: any;
  /** Whether it changes nothing. */
  isReadOnly: boolean;
  /** Whether it can be destructive. */
  isDestructive: boolean;
  /** Who runs it. */
  runtimeOwner: string;
  /** Its owner's name for it, if it differs. */
  nativeName?: string;
  /** The owner's hints, which do not affect approvals. */
  annotations?: any;
  /** The runtime added it to the tools of a tool server, to read its resources or to sign in. */
  isAdded?: boolean;
}

export interface MissingRef {
  /** What was looked up. */
  ref: string;
  /** Why it is missing. */
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
  /** What the choice is based on. */
  decisionSource?: RoutingSource;
  /** Why. */
  decisionReason?: string;
  /** The capability that is missing, or none. */
  capabilityGap?: string;
  /** Whether another model was used. */
  fallbackApplied: boolean;
  /** Cost. */
  costState?: CostState;
  /** The limits it reached. */
  limitState?: LimitState;
  /** The limits that providers last reported; of the session only. */
  providerLimits?: ProviderLimit[];
}

export interface ModelRow {
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** The address of the provider; absent if no request leaves the process. */
  baseUrl?: string;
  /** The environment variable that the address comes from; absent: the settings or the catalogue. */
  addressFrom?: string;
  /** available, or the reason why it is not available. */
  state: string;
  /** What it can do. */
  capabilities: string[];
  /** Whether there is a key for it, or it needs none. */
  hasCredential: boolean;
  /** Its cost class. */
  costClass: CostClass;
  /** Its price now. */
  price?: Price;
  /** States that the price is unknown. */
  priceState?: Honesty;
  /** What its provider reported about rate limits. */
  rate: LimitPart;
  /** What its provider reported about quota. */
  quota: LimitPart;
  /** Size of its window. */
  windowTokens: number;
  /** Maximum tokens of one response. */
  maxOutputTokens: number;
  /** Reservation in hundredths of the plain estimate, if an overrun was measured. */
  reckonedPercent?: number;
  /** Whether turns use it that name none. */
  isDefault: boolean;
  /** Where its key comes from, as the caller's own turns would use it; absent: there is none. */
  keyFrom?: KeyOrigin;
  /** The environment variable that holds the key, or the file with the credentials. */
  keyName?: string;
  /** What to do without credentials, where that is not to set a variable or to keep a key. */
  remedy?: string;
  /** Words of effort that it accepts; absent: unknown, or it does not reason. */
  efforts?: string[];
}

export interface NetworkProfile {
  /** Its network access. */
  mode: NetworkMode;
  /** Hosts that may be reached through the proxy. */
  allow?: string[];
  /** Whether the host's own loopback is reachable. */
  loopback?: boolean;
}

export interface Node {
  /** Its name, from the setting node.name; it stays over restarts. */
  name: string;
  /** Number of this start of the node; it only grows. */
  incarnation: number;
  /** Where other nodes reach it; absent: they do not. */
  address?: string;
  /** Version of its program. */
  version: string;
  /** What its program can read: it is given no session with events of a newer revision. 0: a program that does not say it. */
  revision: number;
  /** lives; leaving: it is about to end and hands its work over; ended: it stopped in order; dead: another node found no heartbeat of it. */
  state: NodeState;
  /** Whether it is the node that answered. */
  isSelf: boolean;
  /** Sessions that it owns now. */
  sessions: number;
  /** When it was started. */
  startedAt?: Time;
  /** Time since its last heartbeat, by the clock of the database. */
  heartbeatAgeMs: number;
  /** How far the clock of its machine was ahead of the clock of the database at that heartbeat. */
  clockOffMs?: number;
  /** Its labels, from the setting node.labels. */
  labels?: string[];
  /** Directories that it has under a name, from node.workspaces and node.shared_workspaces. */
  workspaces?: NodeWorkspace[];
  /** What it may use of amounts that all nodes share, by account; only of nodes that live, and for callers with the scope admin. Of many those that were settled last, up to the limit node_allotments. */
  allotments?: Allotment[];
  /** How many more there are; absent: none. */
  allotmentsLeftOut?: number;
}

export interface NodeWorkspace {
  /** Its name. */
  name: string;
  /** Where it is. */
  path: string;
  /** Whether all nodes that name it see the same files. */
  isShared: boolean;
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
  /** Hash, after it was sealed. */
  sha256?: string;
  /** Whether it is complete. */
  complete: boolean;
  /** Beginning and end. */
  preview?: Preview;
  /** How the preview was shortened. */
  truncation: Truncation;
  /** What was redacted. */
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
  /** Whether all paths are inside the roots. */
  inside: boolean;
  /** The paths after resolving links. */
  resolved: string[];
}

export interface Peer {
  /** Its name in agents.remote. */
  name: string;
  /** The address of its card. */
  cardUrl: string;
  /** What it is for, as the settings say. */
  description?: string;
  /** Whether its card was read and can be used; card_changed: it differs from the pinned one. */
  status: PeerStatus;
  /** The reason, in a sentence. */
  detail?: string;
  /** Its own name for itself. */
  agent?: string;
  /** Its own version. */
  agentVersion?: string;
  /** The address of the interface that is used. */
  url?: string;
  /** JSONRPC or HTTP+JSON. */
  binding?: string;
  /** SHA-256 of its card, without signatures. */
  cardHash?: string;
  /** Id of the key that signed its card; absent: the settings have no keys for it. */
  signedBy?: string;
  /** Names of the headers that it is sent; values are not shown. */
  headers: string[];
  /** Its name for models and permission rules. */
  toolName: string;
  /** Delegations that have not ended. */
  openTasks: number;
}

export interface PeerArtifact {
  /** The peer's own id. */
  remoteId: string;
  /** Its name. */
  name?: string;
  /** Media type; default: text/plain, or application/octet-stream. */
  mediaType?: string;
  /** Its text. */
  text?: string;
  /** Its bytes in base64, if it is no text. */
  bytes?: string;
}

export interface PermissionDecision {
  /** The id of this decision; an answer refers to it. */
  decisionId?: Id;
  /** What was decided. */
  decision: ApprovalDecision;
  /** Who or what decided. */
  decisionSource: DecisionSource;
  /** Why, in one sentence. */
  decisionReason: string;
  /** Rules that took part. */
  ruleRefs: string[];
  /** The action that requested it. */
  approvalActionId?: Id;
  /** The input that was evaluated, if it was changed. */
  updatedInputRef?: Id;
  /** The scope of the decision. */
  scope: GrantScope;
  /** When it ends. */
  expiresAt?: Time;
  /** The mode at that time. */
  mode: PermissionMode;
  /** Whether the action is destructive. */
  destructive: boolean;
  /** What it would affect. */
  impact?: Impact;
  /** How to undo it. */
  rollbackAdvice?: string;
  /** The simple commands of a command line, each evaluated; of a long line the first ones, with long words shortened. */
  subcommands?: Subcommand[];
  /** Number of further simple commands that were evaluated but are not listed. */
  subcommandsOmitted?: number;
  /** Where its paths are. */
  pathCheck?: PathCheck;
  /** The network it gets. */
  networkDecision?: NetworkMode;
  /** Records of a policy engine that took part. */
  policyRecords?: PolicyRecord[];
}

export interface PermissionState {
  /** The mode. */
  mode: PermissionMode;
  /** Whether approval can be requested. */
  interactive: boolean;
  /** Where rules come from. */
  policySources: string[];
  /** Pending approvals. */
  pendingApprovals: Id[];
  /** Grants in force. */
  grants: Grant[];
  /** Rules in force, the first 64; list_rules shows all. In a session snapshot only the session contains them. */
  rules?: RuleRow[];
  /** Number of rules in force. */
  ruleCount?: number;
  /** Decisions so far. */
  decisions: DecisionCounts;
}

export interface Placement {
  /** Name of the workspace that its directory is in. */
  workspace?: string;
  /** The node whose files they are; absent: every node with the workspace has them. */
  node?: string;
  /** Machine of that node: other nodes there see the same files. */
  machine?: string;
  /** Labels that a node needs. */
  labels?: string[];
}

export interface PlacementChoice {
  /** Name of a workspace that the node has. */
  workspace?: string;
  /** Name of the node. */
  node?: string;
  /** Labels that the node has. */
  labels?: string[];
}

export interface PolicyRecord {
  /** The Agent Policy record it is. */
  kind: PolicyRecordKind;
  /** Its own identity, as its author gave it. */
  recordId: string;
  /** The decision it is about. */
  decisionId?: string;
  /** Its result, in the terms of Agent Policy. */
  result: PolicyResult;
  /** The policy set that was evaluated. */
  policySetId?: string;
  /** The version of that policy set. */
  policyVersion?: string;
  /** Why, for machines. */
  reasonCodes: string[];
  /** The risk it refers to. */
  scope?: any;
  /** Obligations while the action runs. */
  obligations?: any;
  /** Who gave it. */
  by?: any;
  /** Why, for people. */
  justification?: string;
  /** When it ends. */
  expiresAt?: Time;
  /** The complete record, unchanged. */
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
  /** Prices of requests with more input; absent: all requests have the same price. */
  above?: PriceAbove;
  /** Where the price comes from. */
  source: PriceSource;
  /** The date from which it applies. */
  effectiveFrom?: string;
}

export interface PriceAbove {
  /** A request with more tokens of input, cached ones included, has these prices as a whole. */
  inputTokens: number;
  /** Price of a million input tokens. */
  inputPerMTok: number;
  /** Price of a million input tokens read from a cache. */
  cachedInputPerMTok: number;
  /** Price of a million input tokens written to a cache. */
  cacheWritePerMTok: number;
  /** Price of a million output tokens. */
  outputPerMTok: number;
}

export interface ProcessLimits {
  /** Timeout. */
  timeoutMs: number;
  /** Longest time without activity. */
  inactivityMs: number;
  /** Bytes it may write. */
  maxOutputBytes: number;
  /** Number of processes at the same time. */
  maxProcesses: number;
  /** Memory it may use. */
  maxMemoryBytes?: number;
  /** Apparent size of one file that it writes. */
  maxFileBytes?: number;
  /** Total size of its private directories. */
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
  /** Its status. */
  status: ProcessStatus;
  /** exit:N or signal:N. */
  nativeStatus?: string;
  /** Its exit code. */
  exitCode?: number;
  /** Its output. */
  outputRef?: Id;
  /** Whether it may outlive the turn. */
  background?: boolean;
  /** Whether it has a terminal. */
  tty?: boolean;
  /** Size of its output, as far as known. */
  outputBytes?: number;
  /** For a lost one: whether it may still run. */
  liveness?: Liveness;
  /** Its session, in lists of all sessions. */
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
  /** Its last reported state. */
  state: LimitStatus;
  /** When it is reset. */
  until?: Time;
  /** What is used. */
  used?: number;
  /** The limit. */
  limit?: number;
  /** The event that records it. */
  sequence: number;
}

export interface ProviderRow {
  /** The provider. */
  provider: string;
  /** Its address. */
  baseUrl?: string;
  /** Environment variables that may hold its key; empty: it needs none. */
  keyVariables: string[];
  /** Further variables that a client lends with the key: parts of an account, and the provider's address. */
  lentVariables: string[];
  /** Whether there is a key for it, or it needs none and has answered. */
  hasCredential: boolean;
  /** The environment variable that the address comes from; absent: the settings or the catalogue. */
  addressFrom?: string;
  /** Where its key comes from; absent: there is none. */
  keyFrom?: KeyOrigin;
  /** The environment variable that holds the key, or the file with the credentials. */
  keyName?: string;
  /** What to do without credentials, where that is not to set a variable or to keep a key. */
  remedy?: string;
  /** The model that turns use when none is named. */
  defaultModel?: string;
  /** Whether the settings name it. */
  isConfigured: boolean;
  /** Whether it is a server on this machine. */
  isLocal: boolean;
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
  /** Queued turns, in order. */
  order: Id[];
  /** Its rules. */
  policy: QueueRules;
  /** running or held. */
  resumeState: string;
}

export interface QueuedTurnView {
  /** The turn. */
  turnId: Id;
  /** The same id under its queue name. */
  queuedTurnId: Id;
  /** Its task. */
  taskId?: Id;
  /** Its position, from 1. */
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
  /** Sessions that were recovered. */
  recovered: number;
}

export interface RefEntry {
  /** What the ref points to, such as turn_input, agent_message, tool_output, artifact; of a checkpoint log (offset: the last event before it) or turn (the target of rollback_thread). */
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
  /** Which peer. */
  remoteAgentRef?: string;
  /** Its card, as read. */
  agentCardRef?: string;
  /** How updates arrive. */
  deliveryMechanism?: DeliveryMechanism;
  /** The peer's own word for its state. */
  remoteStatus?: string;
  /** Artifacts it sent. */
  remoteArtifactRefs?: string[];
  /** The peer's id of its last message that is recorded. */
  lastMessageId?: string;
}

export interface ResourceLimits {
  /** Timeout of a command. */
  timeoutMs: number;
  /** Longest time without output of a command. */
  inactivityMs: number;
  /** Bytes a command may write. */
  maxOutputBytes: number;
  /** Number of processes of a command. */
  maxProcesses: number;
  /** Tools that may run at the same time. */
  maxParallelTools: number;
}

export interface RetryPolicy {
  /** Maximum attempts of one task. */
  maxAttempts: number;
  /** How the wait increases. */
  backoff: Backoff;
  /** Categories that are not retried. */
  nonRetryable: string[];
  /** The first wait; default one second. */
  backoffMs?: number;
  /** Timeout of one attempt. */
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
  /** What the choice is based on. */
  decisionSource: RoutingSource;
  /** Why, in one sentence. */
  decisionReason: string;
  /** The provider chosen. */
  selectedProvider?: string;
  /** The model chosen. */
  selectedModel?: string;
  /** The requested provider. */
  requestedProvider?: string;
  /** The requested model. */
  requestedModel?: string;
  /** Number of candidates. */
  candidateCount: number;
  /** What may be tried next, and what was tried. */
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
  /** Its source: host_policy, user, project or session. */
  source: string;
  /** allow, ask or deny. */
  effect: ApprovalDecision;
  /** False for an allow rule of a project that is not trusted. */
  counts: boolean;
  /** Applies under bypass too, and no grant satisfies it. */
  always: boolean;
  /** Tools it refers to. */
  tool?: string;
  /** Words of the commands it refers to. */
  command?: string[];
  /** Paths it refers to. */
  path?: string;
  /** read or write, if only one is meant. */
  access?: string;
  /** Hosts it refers to. */
  host?: string;
  /** Tool server it refers to. */
  mcp?: string;
  /** Why it exists. */
  reason?: string;
}

export interface SandboxOverride {
  /** Another boundary. */
  mode?: SandboxMode;
  /** Another network. */
  network?: NetworkMode;
  /** Whether Unix sockets with a path may be used. */
  unixSockets?: boolean;
  /** Additional directories that may be read. */
  readRoots?: string[];
  /** Additional directories that may be written. */
  writeRoots?: string[];
  /** Hosts to reach through the proxy; with another network mode, the hosts it is known to contact. */
  hosts?: string[];
  /** Additional single files that may be read. */
  readFiles?: string[];
  /** Additional single files that built-in tools may write. */
  writeFiles?: string[];
  /** Widest allowed boundary, whatever else is granted. */
  atMost?: SandboxMode;
  /** Widest allowed network. */
  networkAtMost?: NetworkMode;
  /** Maximum output that is kept. */
  outputAtMost?: number;
}

export interface SandboxProfile {
  /** The boundary in force. */
  mode: SandboxMode;
  /** The mechanisms that enforce it. */
  tier: string;
  /** The requested boundary. */
  requestedMode?: SandboxMode;
  /** What happens if the plan cannot be enforced. */
  enforcement?: Enforcement;
  /** Directory the command starts in. */
  cwd?: string;
  /** What can be read. */
  readRoots?: string[];
  /** What can be written. */
  writeRoots?: string[];
  /** What stays protected inside the write roots. */
  protectedPaths?: string[];
  /** Paths and patterns that deny rules cover, for reading unless prefixed with write:. */
  deniedPaths?: string[];
  /** Refusals that leave no sandbox.violation, by the words of docs/explanation/sandbox.md. */
  unreported?: string[];
  /** The network inside the sandbox. */
  network?: NetworkProfile;
  /** The variables it gets. */
  environmentRef?: Id;
  /** Its limits. */
  processLimits?: ProcessLimits;
  /** Events that report violations. */
  violationRefs?: string[];
}

export interface SandboxState {
  /** The sandbox of commands. */
  profile?: SandboxProfile;
  /** Events that report violations. */
  violationRefs: string[];
}

export interface Schedule {
  /** The schedule. */
  scheduleId: Id;
  /** Its session. */
  sessionId: Id;
  /** The thread on which its tasks run, one after the other. */
  threadId: Id;
  /** Whether the schedule is active. */
  status: ScheduleStatus;
  /** The time, as a cron expression. */
  cron?: string;
  /** Interval. */
  everyMs?: number;
  /** Once, at this time. */
  at?: Time;
  /** Time zone of the cron expression. */
  timezone?: string;
  /** What happens to missed runs. */
  missedPolicy: MissedPolicy;
  /** What happens while the previous task is still open. */
  overlap: OverlapPolicy;
  /** Arguments of create_task for each run. */
  task: any;
  /** When it is due next. */
  nextAt?: Time;
  /** When it was due last. */
  lastAt?: Time;
  /** The latest task that resulted from it. */
  lastTaskId?: Id;
  /** Tasks that it created. */
  runs: number;
  /** Runs that were missed. */
  missed: number;
  /** Runs that were skipped because one was still open, or that could not be started. */
  skipped: number;
}

export interface SessionRow {
  /** The session. */
  sessionId: Id;
  /** Its name. */
  title?: string;
  /** Its workspace. */
  workspaceId?: string;
  /** The directory it works in. */
  cwd?: string;
  /** Its default model. */
  model?: string;
  /** Provider and model of the latest turn of the thread that the status is about. */
  lastModel?: string;
  /** Its permission mode. */
  permissionMode?: PermissionMode;
  /** The most urgent status of its threads. */
  status: ThreadStatus;
  /** The detailed status. */
  profileStatus?: Status;
  /** Why. */
  statusReason?: string;
  /** The stable word of a failure. */
  category?: ErrorCategory;
  /** Number of threads. */
  threads: number;
  /** The active turn. */
  activeTurnId?: Id;
  /** Pending approvals. */
  pendingActions: number;
  /** Queued turns. */
  queuedTurns: number;
  /** Cost so far. */
  costUsd?: number;
  /** States that the cost is unknown. */
  amountState?: Honesty;
  /** The word estimated, if the cost includes estimates. */
  costStatus?: CostStatus;
  /** Whether it is archived. */
  archived?: boolean;
  /** Its labels, key=value, sorted. */
  labels?: string[];
  /** When it was created. */
  createdAt: Time;
  /** The time of the last change. */
  updatedAt: Time;
  /** Its last event. */
  sequence: number;
}

export interface SigningKey {
  /** SHA-256 of the public key (SubjectPublicKeyInfo, DER) in hex. */
  keyId: string;
  /** The public key: Ed25519, PEM. */
  publicKey: string;
  /** Whether it signs now. */
  state: SigningKeyState;
  /** What holds the private key: a file of the data directory, a systemd credential, or sign.command. */
  origin: SigningKeyOrigin;
  /** When it was recorded. */
  createdAt?: Time;
  /** When another key replaced it. */
  retiredAt?: Time;
}

export interface StepView {
  /** The step. */
  stepId: Id;
  /** The event that opened it. */
  startedSequence: number;
  /** What kind of step it is. */
  kind: ItemKind;
  /** Position in the turn, from 1. */
  index: number;
  /** Its status. */
  status: Status;
  /** The call it is. */
  toolCallId?: Id;
  /** The event that ended it. */
  endedSequence?: number;
}

export interface Subagent {
  /** The child. */
  subagentId: Id;
  /** The thread on which it was created. */
  parentThreadId: Id;
  /** The turn in which it was created. */
  parentTurnId?: Id;
  /** The task it was created for. */
  parentTaskId?: Id;
  /** The child agent that created it. */
  parentSubagentId?: Id;
  /** Its own thread. */
  threadId: Id;
  /** What it is for. */
  role: string;
  /** Display name. */
  nickname?: string;
  /** What it may see and change. */
  isolation: Isolation;
  /** Whether it uses the parent's model. */
  modelPolicy: ModelPolicy;
  /** Its own model. */
  model?: string;
  /** The agent as a Markdown file that it is. */
  agent?: AgentDefinition;
  /** Its status. */
  status: SubagentStatus;
  /** Its last message. */
  lastMessageRef?: Id;
  /** Whether its worktree exists; absent if it has none. */
  worktreeState?: WorktreeState;
  /** Why its worktree could not be created. */
  worktreeReason?: string;
  /** The tool server whose requests for answers of a model it answers; absent: it is an agent. */
  toolServer?: string;
}

export interface SubagentJobSection {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The child agents. */
  subagents?: Subagent[];
  /** The jobs. */
  jobs?: Job[];
  /** Threads of open child agents and jobs. */
  assignedThreadIds?: Id[];
  /** Whether all of them can continue after a restart. */
  recoverable?: boolean;
}

export interface Subcommand {
  /** The words of one simple command. */
  argv: string[];
  /** What was decided for it. */
  decision: ApprovalDecision;
  /** Whether it is destructive. */
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
  effort?: Effort;
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
  /** The parent task. */
  parentTaskId?: Id;
  /** The root of its task tree. */
  rootTaskId?: Id;
  /** The session it belongs to. */
  sessionId?: Id;
  /** The thread it works on. */
  threadId?: Id;
  /** The turn it was created for. */
  turnId?: Id;
  /** A short name. */
  title?: string;
  /** The objective. */
  objective?: string;
  /** Kind of work. */
  taskKind?: string;
  /** General kind of work. */
  taskFamily?: string;
  /** Who sees it in lists. */
  visibility?: Visibility;
  /** Its status. */
  status?: TaskStatus;
  /** The foreign system's word for its state. */
  nativeStatus?: string;
  /** Hint for scheduling. */
  priority?: string;
  /** Who asked for it. */
  requestedBy?: Actor;
  /** Who is responsible for it. */
  owner?: Actor;
  /** Who works on it. */
  assignee?: Actor;
  /** The boundary it works in. */
  scope?: TaskScope;
  /** What it may not exceed. */
  constraints?: Constraints;
  /** What completion needs. */
  acceptance?: Criterion[];
  /** When it was created. */
  createdAt?: Time;
  /** The active or latest run. */
  currentRunId?: Id;
  /** The capabilities it needs from a model. */
  taskProfile?: TaskProfile;
  /** Its progress. */
  progress?: TaskProgress;
  /** All attempts, oldest first. */
  attempts?: TaskAttempt[];
  /** Its edges. */
  relationships?: TaskRelationship[];
  /** The peer's task, when it was delegated. */
  remoteTask?: RemoteTask;
  /** Artifacts it produced. */
  artifacts?: ArtifactRef[];
  /** Evidence about it. */
  evidenceRefs?: string[];
  /** Whether its result arrived. */
  deliveryState?: DeliveryState;
  /** When it first ran. */
  startedAt?: Time;
  /** The time of the last change. */
  updatedAt?: Time;
  /** Why it has this status. */
  statusReason?: string;
  /** The last failure. */
  lastError?: LastError;
  /** When it ended. */
  endedAt?: Time;
  /** What it waits for, since when, and what ends the wait. */
  wait?: Wait;
  /** The event that changed it last. */
  version?: number;
  /** The caller's own notes. */
  metadata?: any;
  /** Its labels, key=value, sorted. */
  labels?: string[];
}

export interface TaskAcceptance {
  /** What completion needs. */
  criteria: Criterion[];
  /** Number of those that are met. */
  covered: number;
}

export interface TaskAttempt {
  /** The run. */
  runId: Id;
  /** The attempt; one to one with the run. */
  attemptId: Id;
  /** Wire status of the attempt. */
  status: AttemptStatus;
  /** The exact word, if the wire has none. */
  nativeStatus?: string;
  /** Which attempt of the task, from 1. */
  attemptCount: number;
  /** Who executes it. */
  worker?: Worker;
  /** Its input. */
  inputRefs?: RefEntry[];
  /** When it began. */
  startedAt?: Time;
  /** The effect of a failure. */
  retryPolicy?: RetryPolicy;
  /** When it ended. */
  endedAt?: Time;
  /** What it left. */
  outputRefs?: RefEntry[];
  /** Points from which it can continue. */
  checkpointRefs?: RefEntry[];
  /** Why it failed. */
  lastError?: LastError;
  /** A sentence on the outcome; not authoritative. */
  completionSummary?: string;
  /** The remote agent's task; every attempt has its own. */
  remoteTask?: RemoteTask;
}

export interface TaskGraph {
  /** The root task. */
  rootTaskId?: Id;
  /** All edges. */
  edges: TaskRelationship[];
}

export interface TaskProfile {
  /** Kind of work: chat, code_edit, review, search, artifact_generation, background_job or another. */
  kind: string;
  /** Who asked for it. */
  source: string;
  /** The required capabilities of the model. */
  requiredCapabilities: string[];
  /** How long people are expected to wait. */
  latencyTarget: LatencyTarget;
  /** Its cost class. */
  budgetClass: BudgetClass;
  /** Whether another model may be used. */
  fallbackPolicy: FallbackPolicy;
  /** Where these settings come from. */
  settingsSource: string;
  /** Where it continues: nothing, the thread's earlier turns, or an interrupted run. */
  continuity?: Continuity;
}

export interface TaskProgress {
  /** What the task is doing. */
  phase?: Phase;
  /** Percentage done, 0 to 100, if known. */
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
  /** State of the checks. */
  validation?: string;
}

export interface TaskRelationship {
  /** What the edge says. */
  kind: EdgeKind;
  /** The object it starts at. */
  sourceId?: Id;
  /** The object it points to. */
  targetId: Id;
  /** Whether the edge is still in force. */
  status?: EdgeStatus;
  /** When it was created. */
  createdAt?: Time;
  /** The time of the last change. */
  updatedAt?: Time;
  /** Why it was created. */
  reason?: string;
}

export interface TaskScope {
  /** Workspace the task belongs to. */
  workspaceId?: string;
  /** The thread it belongs to. */
  threadId?: Id;
  /** The account it belongs to. */
  accountRef?: string;
  /** The environment it belongs to. */
  environmentId?: Id;
  /** Directory it works in. */
  cwd?: string;
  /** Any other boundary, by ref. */
  ref?: string;
}

export interface TaskSummary {
  /** Running tasks. */
  active: number;
  /** Number of waiting ones. */
  waiting: number;
  /** Tasks that ended. */
  terminal: number;
  /** Number of completed ones. */
  completed: number;
  /** Number of failed ones. */
  failed: number;
  /** Number of lost ones. */
  lost: number;
  /** The most recently ended ones. */
  recentTerminal: Id[];
}

export interface TaskWhy {
  /** What it waits for, in one word. */
  waitingFor: string;
  /** Since when. */
  since?: Time;
  /** The latest possible time. */
  until?: Time;
  /** Commands, timers and events that can end it. */
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
  /** The loaded part. */
  window: HistoryWindow;
}

export interface ThreadRow {
  /** The thread. */
  threadId: Id;
  /** What it is for. */
  kind: ThreadKind;
  /** Its name. */
  title?: string;
  /** Its status. */
  status: ThreadStatus;
  /** The detailed status. */
  profileStatus?: Status;
  /** The active turn. */
  activeTurnId?: Id;
  /** Pending approvals. */
  pendingActions: number;
  /** Queued turns. */
  queuedTurns: number;
  /** Turns it had. */
  turns: number;
  /** The time of the last change. */
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
  /** Its status, in the nine words of the standard. */
  status: ThreadStatus;
  /** The detailed status. */
  profileStatus: Status;
  /** The active turn. */
  activeTurnId?: Id;
  /** Why it has this status. */
  statusReason?: string;
  /** What it waits for. */
  wait?: Wait;
  /** How the last turn ended. */
  lastOutcome?: LastOutcome;
  /** The recent turns. */
  turns: TurnView[];
  /** Pending approvals. */
  pendingRequests: ActionView[];
  /** Queued turns, in order. */
  queuedTurns: QueuedTurnView[];
  /** The queue itself. */
  queue: QueueView;
  /** What went wrong. */
  incidents: Incident[];
  /** Pending and given decisions. */
  actions: ActionView[];
  /** Recent calls. */
  toolCalls: ToolCallView[];
  /** Commands. */
  processes: ProcessView[];
  /** Mode, grants, pending approvals. */
  permissionState: PermissionState;
  /** The sandbox and its violations. */
  sandboxState: SandboxState;
  /** The choice of model. */
  modelRouting: ModelRouting;
  /** The limits. */
  limitState?: LimitState;
  /** Cost. */
  costState?: CostState;
  /** Its child agents. */
  subagents: Subagent[];
  /** Its jobs. */
  jobs: Job[];
  /** Peers that belong to it. */
  channels: Channel[];
  /** Stored outputs. */
  outputs: Output[];
  /** Its tasks. */
  tasks: Task[];
  /** Their edges. */
  taskGraph: TaskGraph;
  /** Tasks that cannot continue. */
  blockedTasks: BlockedTask[];
  /** Whether the end was delivered to its receivers. */
  deliveryState?: DeliveryState;
  /** Traces. */
  telemetry: ThreadTelemetry;
  /** The loaded part of its history. */
  history: ThreadHistory;
  /** What the model sees. */
  contextBoundary: ContextBoundary;
  /** What needs attention. */
  diagnostics: Diagnostics;
  /** Evidence. */
  evidenceSummary: EvidenceSection;
  /** The list that its model keeps for itself, if any: a hint. */
  todo?: TodoItem[];
}

export interface TimeUse {
  /** The whole time; it equals the sum of the five parts. */
  durationMs: number;
  /** A model request was open. */
  modelMs: number;
  /** Otherwise: an approval, a question or a resume was waited for. */
  peopleMs: number;
  /** Otherwise: a tool call or a hook was open. */
  toolMs: number;
  /** Otherwise: the turn was queued, backed off, or waited for a limit, a cap or a slot. */
  resourceMs: number;
  /** The rest: the runtime decided and wrote to the disk. */
  runtimeMs: number;
}

export interface TodoItem {
  /** What to do. */
  text: string;
  /** The model's view of it; it has no effect. */
  status: TodoStatus;
}

export interface Tokens {
  /** Input tokens, including cached ones. */
  inputTokens: number;
  /** Tokens read from the provider's cache. */
  cachedInputTokens: number;
  /** Tokens written to that cache. */
  cacheWriteTokens?: number;
  /** Output tokens. */
  outputTokens: number;
  /** Number of reasoning tokens among them. */
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
  /** Its status. */
  status: Status;
  /** The decision under which it runs. */
  permissionDecision?: PermissionDecision;
  /** Hooks that took part. */
  hookRunIds: Id[];
  /** Whether it may have had an effect. */
  executed: Executed;
  /** Why it failed. */
  category?: ErrorCategory;
  /** The sandbox it ran in. */
  sandboxMode?: SandboxMode;
  /** Its output. */
  outputRef?: Id;
  /** Exit code of the command. */
  exitCode?: number;
  /** Whether the result is an error. */
  isError?: boolean;
  /** How long it took. */
  durationMs?: number;
}

export interface ToolRequest {
  /** The tool, by its name in the inventory: shell, or mcp__SERVER__TOOL. */
  tool: string;
  /** Its arguments, an object; default: none. */
  arguments?: any;
  /** What the caller answers itself when the tool asks for it, and which messages of the tool it takes. Default: people answer, and there are no messages. */
  client?: CallClient;
}

export interface ToolServer {
  /** Its name in the settings; its tools are called mcp__NAME__TOOL. */
  name: string;
  /** user: of the settings; project: of a directory's .mcp.json; client: a client named it for one session. */
  source: string;
  /** For a project's server: the directory whose file names it. */
  cwd?: string;
  /** For a client's server: the session that it belongs to. */
  sessionId?: Id;
  /** Whether it runs, and if not why not. */
  status: ToolServerStatus;
  /** The reason, in a sentence. */
  detail?: string;
  /** The program and its arguments; empty for a server with an address. Of a project's server as its file has them: whole, variables by name. */
  command: string;
  /** Variables that a project's file sets for its server, NAME=VALUE as they are there; those of the settings are not shown. */
  env?: string[];
  /** Its address; absent for a program. */
  url?: string;
  /** Names of the headers that its entry adds to each request; values are not shown. */
  headers?: string[];
  /** mcp. */
  nativeProtocol: string;
  /** The protocol version in use. */
  protocolVersion?: string;
  /** Its own name for itself. */
  program?: string;
  /** Its channel, while it is connected. */
  channelId?: Id;
  /** Hosts that its entry requests: it reaches these and no others. */
  hosts?: string[];
  /** For the project's file: what is trusted, or would be. */
  contentHash?: string;
  /** For a server with more rights than the agent: over the files that its command names. */
  programHash?: string;
  /** Tools it offers. */
  toolCount: number;
  /** Those whose definition changed since it was pinned. */
  changedCount: number;
  /** Tools that cannot be used: how many, and the first with the reason; absent: none. */
  leftOut?: string;
  /** Number of restarts. */
  restarts: number;
  /** For a server with a login: whether there is one now. */
  signedIn?: boolean;
  /** A login was begun and waits for a person, or for its authorization server. */
  loginPending?: boolean;
  /** How models answer what it asks; absent: they do not. */
  sampling?: ToolServerSampling;
}

export interface ToolServerSampling {
  /** ask: a person allows each request; allow: none is asked. */
  permission: SamplingPermission;
  /** What its requests may cost in one turn. */
  budgetUsd: number;
  /** Maximum tokens of one answer. */
  maxTokens: number;
  /** The model; absent: that of the turn. */
  model?: string;
}

export interface Trajectory {
  /** Its format and version. */
  schema?: string;
  /** Where it is stored. */
  ref?: string;
  /** pending, exported, failed, redacted or not-supported. */
  exportStatus?: string;
  /** Which required fields are present. */
  requiredFieldStatus?: any;
}

export interface TrialCell {
  /** The dataset's task. */
  taskId: string;
  /** The configuration. */
  configurationId: string;
  /** Its trials. */
  trials: number;
  /** Of those, trials that have not ended. */
  running: number;
  /** Of those, trials with a reward. */
  scored: number;
  /** Of those, trials that have ended without a reward; they are in no mean. */
  unscored: number;
  /** Of those, trials that failed. */
  failed: number;
  /** Mean of the rewards; absent without any. */
  meanReward?: number;
  /** Standard deviation of the rewards; absent with fewer than two. */
  rewardStdDev?: number;
  /** Mean cost of an ended trial; absent if a cost is unknown. */
  meanCostUsd?: number;
  /** Mean tokens of an ended trial; absent if they are unknown. */
  meanTokens?: number;
  /** Mean duration of an ended trial. */
  meanDurationMs?: number;
  /** Its newest trials, at most 12. */
  newest: TrialRef[];
}

export interface TrialConfiguration {
  /** Version of the runtime. */
  runtimeVersion: string;
  /** The requested model, or the one of the settings. */
  model: string;
  /** The requested effort. */
  effort?: string;
  /** Whether another model may be used, if the caller says so. */
  fallback?: string;
  /** What the caller says about the agent, prompts, tools, context and routing. */
  profiles?: TrialProfiles;
  /** Names the settings in force by their hash. */
  configHash: string;
}

export interface TrialDataset {
  /** How tasks were picked; default: named, by the caller. */
  selectionPolicy?: string;
  /** When it was frozen. */
  frozenAt?: Time;
  /** Where it is stored here. */
  localPath?: string;
  /** Where it comes from. */
  registryRef?: string;
  /** Hash of its content. */
  contentHash?: string;
  /** Number of tasks. */
  taskCount?: number;
}

export interface TrialProfiles {
  /** The agent's name and version. */
  agent?: string;
  /** Profile of the prompts. */
  promptProfile?: string;
  /** Profile of the tools. */
  toolProfile?: string;
  /** Profile of the context. */
  contextProfile?: string;
  /** Profile of the routing. */
  routingProfile?: string;
}

export interface TrialRef {
  /** The trial. */
  trialId: Id;
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn. */
  turnId: Id;
  /** Its status: running, completed or failed. */
  status: Status;
  /** Its score. */
  reward?: number;
}

export interface TrialRow {
  /** The trial. */
  trialId: Id;
  /** What it belongs to. */
  benchmark: Benchmark;
  /** Its status: running, completed or failed. */
  status: Status;
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn. */
  turnId: Id;
  /** The runtime's task. */
  taskId: Id;
  /** The run that it was bound to; a resumed turn has later ones. */
  runId: Id;
  /** The trace. */
  traceId?: string;
  /** What it ran with. */
  configuration?: TrialConfiguration;
  /** Which attempt, from 1. */
  attempt: number;
  /** Timeout. */
  timeoutSec: number;
  /** Maximum cost. */
  budgetUsd?: number;
  /** The sandbox of its commands. */
  sandboxMode?: SandboxMode;
  /** Its permission mode. */
  permissionMode?: PermissionMode;
  /** When it started. */
  startedAt?: Time;
  /** When it ended. */
  endedAt?: Time;
  /** How long it took. */
  durationMs?: number;
  /** Whether it timed out. */
  timedOut?: boolean;
  /** Whether everything was cleaned up. */
  cleanup?: string;
  /** Tokens used. */
  tokens?: Tokens;
  /** Cost. */
  costUsd?: number;
  /** States that the cost is unknown. */
  amountState?: Honesty;
  /** Artifacts it produced. */
  artifactCount?: number;
  /** Denied calls of the session before the trial. */
  deniedBefore?: number;
  /** Calls that were denied during the trial. */
  deniedCount?: number;
  /** Why it failed, in the words of the benchmark, or none. */
  failureCategory?: string;
  /** Why it failed, in the runtime's words. */
  category?: ErrorCategory;
  /** One sentence for people. */
  message?: string;
  /** Its score. */
  reward?: Reward;
  /** Hash of the verifier's reward file. */
  rewardSha256?: string;
  /** What explains the score. */
  detailsKind?: RewardDetails;
  /** How the verifier ended. */
  verifierStatus?: string;
  /** Which verifier. */
  verifierRef?: string;
  /** The verifier ran apart from the trial. */
  separateVerifier?: boolean;
  /** Whether a separate verifier was given the trajectory. */
  trajectoryTransferred?: boolean;
  /** Whether the known good answer passes. */
  oracleSanity?: string;
  /** Whether the verifier changed. */
  drift?: string;
  /** Its trajectory. */
  trajectory?: Trajectory;
  /** Its files and outputs, by name. */
  refs?: Record<string, any>;
  /** The last pack that was exported. */
  packRef?: string;
  /** Whether that pack had trajectory, reward, details and manifest. */
  evidenceComplete?: boolean;
  /** P0 gates with worse results, as the quality owner reported them. */
  p0QcGateRegressionCount?: number;
}

export interface TrialSet {
  /** The dataset. */
  datasetId: string;
  /** Its version. */
  datasetVersion: string;
  /** Its trials. */
  trials: number;
}

export interface Trigger {
  /** Its name in the setting triggers. */
  name: string;
  /** Where deliveries are posted. */
  path: string;
  /** How the sender proves itself: standard, github, slack or bearer. */
  signature: string;
  /** What the agent does with a delivery. */
  prompt: string;
  /** What a delivery becomes: turn or task. */
  work: string;
  /** new: each delivery has a session of its own; one: all share one. */
  session: string;
  /** Who asked, in events. */
  principal: string;
  /** Types of events that count; absent: all. */
  events?: string[];
  /** Directory of its work. */
  cwd?: string;
  /** Model of its work. */
  model?: string;
  /** Permission mode of its work. */
  mode?: string;
  /** The variable with the secret. */
  secretEnv: string;
  /** The variable with the secret that is being replaced. */
  previousSecretEnv?: string;
}

export interface TurnPermissionView {
  /** The mode. */
  mode: PermissionMode;
  /** The last decision. */
  lastDecision?: ApprovalDecision;
  /** Pending approvals. */
  pendingActionIds: Id[];
}

export interface TurnTime {
  /** The turn. */
  turnId: Id;
  /** Its thread. */
  threadId: Id;
  /** When it was submitted. */
  startedAt: Time;
  /** When it ended; absent while it is open. */
  endedAt?: Time;
  /** What took the time, up to now if it is open. */
  time: TimeUse;
}

export interface TurnView {
  /** The turn. */
  turnId: Id;
  /** Whose turn it is. */
  kind: TurnKind;
  /** Its detailed status. */
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
  /** The capabilities it needs from a model. */
  taskProfile?: TaskProfile;
  /** Models that were available. */
  candidateModelSet?: CandidateModelSet;
  /** The model that was chosen. */
  routingDecision?: RoutingDecision;
  /** Its decisions. */
  permissionState?: TurnPermissionView;
  /** The last sandbox. */
  sandboxProfile?: SandboxProfile;
  /** Where its commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** Cost. */
  costState?: CostState;
  /** The limits it reached. */
  limitState?: LimitState;
  /** Its hooks. */
  hookRuns?: HookRun[];
  /** Its commands. */
  processes?: ProcessView[];
  /** Its outputs. */
  outputRefs?: OutputRow[];
}

export interface UsageObjectives {
  /** 95 of 100 first pieces within this time (slo.first_delta_ms). */
  firstDeltaMs?: number;
  /** 95 of 100 turns within this time (slo.turn_ms). */
  turnMs?: number;
  /** At most this share of turns failed or lost (slo.failed_percent). */
  failedPercent?: number;
  /** The cap on a day (budget.day_usd). */
  dayUsd?: number;
}

export interface UsageQuantiles {
  /** Durations that were measured. */
  count: number;
  /** Half of them took at most this long, to the width of a bucket. */
  p50Ms: number;
  /** 95 of 100 took at most this long. */
  p95Ms: number;
}

export interface UsageRow {
  /** The hour or day in UTC, the model as provider/model, the caller, or the session; `total` for the sum. */
  key: string;
  /** Requests to models whose cost was settled. */
  requests: number;
  /** Input tokens, with those read from a cache. */
  inputTokens: number;
  /** Tokens read from a cache. */
  cachedInputTokens: number;
  /** Output tokens. */
  outputTokens: number;
  /** Tokens of reasoning. */
  reasoningTokens: number;
  /** What it cost, without requests of unknown cost. */
  spentUsd: number;
  /** Requests of unknown cost. */
  unknownCosts: number;
  /** Turns that completed; this and what follows is absent for a model. */
  completed?: number;
  /** Turns that failed or timed out. */
  failed?: number;
  /** Turns that were cancelled. */
  cancelled?: number;
  /** Turns whose end is unknown. */
  lost?: number;
  /** Calls of tools that were allowed. */
  allowed?: number;
  /** Calls of tools that were denied. */
  denied?: number;
  /** How long questions waited for people. */
  waitedMs?: number;
  /** From a request to its first piece. */
  firstDelta?: UsageQuantiles;
  /** From a submitted turn to its end, without cancelled ones. */
  turns?: UsageQuantiles;
}

export interface ValidationCounts {
  /** Artifacts whose latest version passed. */
  passed: number;
  /** Artifacts whose latest version failed. */
  failed: number;
  /** Artifacts that declare nothing checkable, or that were deleted. */
  notApplicable: number;
  /** Artifacts that were not validated, or not completely. */
  unchecked: number;
  /** Issues of all of them. */
  issues: number;
}

export interface Verification {
  /** What was checked. */
  name: string;
  /** The verifier's result. */
  status: string;
  /** The verifier that reported it. */
  verifierRef?: string;
}

export interface Wait {
  /** What it waits for. */
  for: WaitFor;
  /** Since when. */
  since: Time;
  /** The latest possible time. */
  until?: Time;
  /** The word none, if nothing ends it automatically. */
  deadline?: string;
  /** Commands, timers and events that can end it. */
  endedBy: string[];
  /** When the long wait was reported. */
  overdueAt?: Time;
  /** Identifies what resume_thread resumes; a token of an earlier interruption is refused. */
  resumeToken?: string;
}

export interface Worker {
  /** What executes the attempt. */
  kind: WorkerKind;
  /** The runtime it runs in. */
  runtimeId?: Id;
  /** The thread it runs on. */
  threadId?: Id;
  /** Of another node: the session in which it works. */
  sessionId?: Id;
  /** The external worker's own name; of another node node:NAME:INCARNATION. */
  workerId?: string;
  /** Where the worker is described; of a peer its name in agents.remote. */
  ref?: string;
  /** Of a peer: how many delegations follow each other, this one included. */
  depth?: number;
  /** When it counts as lost without a heartbeat. */
  leaseUntil?: Time;
}

export interface AckEventsReply {
  /** The channel. */
  channelId: Id;
  /** Last event acknowledged. */
  lastAckedSequence: number;
}

export interface AddDirectoryReply {
  /** All that were added, links resolved. */
  directories: string[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface AnswerQuestionReply {
  /** The question. */
  actionId: Id;
  /** The word answer, or decline. */
  decision: ApprovalDecision;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface AppendTaskProgressReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ArchiveTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface AskToolServerReply {
  /** The server's result: untrusted. */
  result: any;
}

export interface AssignJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Its current status. */
  status: JobItemStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** When the worker counts as lost. */
  leaseUntil?: Time;
}

export interface AttachToolServersReply {
  /** The session. */
  sessionId: Id;
  /** The servers as they begin; detail says why one is not used. */
  servers: ToolServer[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CancelJobReply {
  /** The job. */
  jobId: Id;
  /** Its current status. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CancelTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ClaimTaskReply {
  /** The session. */
  sessionId?: Id;
  /** The task; absent if there is none. */
  taskId?: Id;
  /** The run. */
  runId?: Id;
  /** The attempt. */
  attemptId?: Id;
  /** The complete record. */
  task?: Task;
  /** When the worker counts as lost. */
  leaseUntil?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence?: number;
}

export interface CloseSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Its current status. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompactThreadReply {
  /** The thread. */
  threadId: Id;
  /** The system turn that does it. */
  turnId: Id;
  /** Its status. */
  status: Status;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompareBenchmarkRunsReply {
  /** The deltas. */
  comparison: Comparison;
  /** The output that holds the comparison and the trials that it is made of. */
  comparisonRef: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompleteArgumentReply {
  /** At most 100; empty: the server suggests none. */
  values: string[];
}

export interface CompleteTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CompleteToolCallReply {
  /** The session. */
  sessionId: Id;
  /** The call. */
  toolCallId: Id;
  /** Its turn, which continues when all calls of the round have ended. */
  turnId: Id;
  /** Calls of the turn that still wait for their caller. */
  waiting: number;
  /** The first event that this command added: reading after the event before it shows how the turn continues. */
  firstSequence: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CreateJobReply {
  /** The session. */
  sessionId: Id;
  /** The job. */
  jobId: Id;
  /** Its current status. */
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

export interface CreateSigningKeyReply {
  /** The new key. */
  key: SigningKey;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface CreateTaskReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface CreateTokenReply {
  /** The token; it cannot be shown again. */
  token: string;
  /** What it may do. */
  record: AccessToken;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface DeleteScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Its current status. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface DeleteSessionReply {
  /** The session. */
  sessionId: Id;
  /** deleted, or already_deleted. */
  status: string;
  /** Its last event. */
  lastSequence: number;
  /** The hash of its log at that event. */
  headHash: string;
  /** The event of sess_system that records it. */
  sequence: number;
}

export interface DrainNodeReply {
  /** Its name. */
  name: string;
  /** Seconds that the model requests and tools which run there may take to end (node.drain_s). */
  drainS: number;
  /** Last durable event of the session of the node when the reply was made; 0: it was leaving already. */
  sequence: number;
}

export interface EditFilesReply {
  /** The files that were changed. */
  paths: string[];
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
  /** The decision and what it is based on. */
  permissionDecision: PermissionDecision;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExpandCommandReply {
  /** The prompt. */
  text: string;
  /** The command. */
  command: ExtensionRow;
  /** The model that it asks for, if it can be asked. */
  model?: string;
}

export interface ExplainThreadReply {
  /** The thread. */
  threadId: Id;
  /** Its active turn. */
  turnId?: Id;
  /** Its status. */
  status: ThreadStatus;
  /** The detailed status. */
  profileStatus: Status;
  /** A word of wait_for, or start, preparation, model, tool, release, nothing, unknown. */
  waitingFor: string;
  /** Since when. */
  since?: Time;
  /** When the wait ends automatically. */
  until?: Time;
  /** none, instead of `until`: no point in time ends it. */
  deadline?: string;
  /** Commands and events that end it. */
  endedBy: string[];
  /** Pending approvals. */
  pendingActionIds: Id[];
  /** Turns queued after it, in order. */
  queuedTurnIds: Id[];
  /** The same as a sentence for people. */
  detail: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportBenchmarkTrialReply {
  /** The trial. */
  trialId: Id;
  /** The export. */
  evidenceId: Id;
  /** The output that holds the document. */
  packRef: string;
  /** Hash of the document. */
  sha256: string;
  /** Refs that the document lacks. */
  knownGaps: string[];
  /** Its trajectory. */
  trajectory?: Trajectory;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportEvidenceReply {
  /** The export. */
  evidenceId: Id;
  /** The output that holds the pack. */
  packRef: string;
  /** Hash of the pack. */
  sha256: string;
  /** Size of the pack. */
  sizeBytes: number;
  /** First event of its range. */
  fromSequence: number;
  /** Last event of its range. */
  toSequence: number;
  /** Hash of the log at that event. */
  headHash: string;
  /** Signals that apply and are missing. */
  knownGaps: string[];
  /** Whether what it covers is still running. */
  partial: boolean;
  /** The key that signed it; absent: there is none. */
  keyId?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportReplayReply {
  /** The export; export_evidence of the same scope has the same id. */
  evidenceId: Id;
  /** The output that holds it: the evidence pack of the scope. */
  replayRef: string;
  /** The file in the pack. */
  path: string;
  /** Hash of the pack. */
  sha256: string;
  /** Size of the pack. */
  sizeBytes: number;
  /** First event of its range. */
  fromSequence: number;
  /** Last event of its range. */
  toSequence: number;
  /** Whether what it covers is still running. */
  partial: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ExportReviewReply {
  /** The export; export_evidence of the same scope has the same id. */
  evidenceId: Id;
  /** The output that holds it: the evidence pack of the scope. */
  reviewRef: string;
  /** The file in the pack. */
  path: string;
  /** Hash of the pack. */
  sha256: string;
  /** Size of the pack. */
  sizeBytes: number;
  /** First event of its range. */
  fromSequence: number;
  /** Last event of its range. */
  toSequence: number;
  /** Whether what it covers is still running. */
  partial: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface FailTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ForkThreadReply {
  /** Session of the new thread. */
  sessionId: Id;
  /** The new thread. */
  threadId: Id;
  /** Last inherited turn. */
  turnId?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export type GetArtifactCheckpointSummaryReply = ArtifactCheckpointSummary;

export interface GetBenchmarkMatrixReply {
  /** The dataset of the cells; absent if there are no trials. */
  datasetId?: string;
  /** Its version. */
  datasetVersion?: string;
  /** One for each task and configuration with a trial, the one with the newest trial first. */
  cells: TrialCell[];
  /** Trials of the dataset whose cells are beyond the limit. */
  omitted: number;
  /** The datasets with trials, the newest first, at most 100. */
  datasets: TrialSet[];
  /** All trials, also of other datasets. */
  trials: number;
}

export type GetBenchmarkSummaryReply = BenchmarkSummary;

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
  /** The layers of the standard, core and limeProfile: complete, or partial while something of it is not built. */
  layers: any;
  /** Every command, and whether it is built. */
  commands: any;
  /** Every event class, and whether it is emitted. */
  events: any;
  /** The views. */
  views: string[];
  /** How to connect. */
  transports: string[];
  /** Where programs that speak other protocols connect, and whether each is enabled. */
  endpoints: Endpoint[];
  /** Tiers that the kernel supports, and the one in use. */
  sandbox: any;
  /** The models of all providers: provider, model, hasCredential, priced with inputPerMTok and outputPerMTok in dollars, capabilities, windowTokens, maxOutputTokens. */
  providers: any[];
  /** Settings that clients need, such as the delta window, and `durability`: `full`, `relaxed`, or `local` where a commit is on one PostgreSQL server only. */
  settings: any;
  /** Limits of input, and of data that is inline in events instead of behind a ref. */
  limits: any;
  /** Sections of snapshots that are unavailable in this build. */
  sections: any;
  /** damaged: places in the log that could not be read since the start, each with sessionId, from, to and reason. */
  storage?: any;
}

export type GetContextBoundaryReply = ContextBoundarySnapshot;

export type GetEvidenceSummaryReply = EvidenceSummary;

export interface GetExecutionEnvironmentReply {
  /** The environment. */
  executionEnvironment: ExecutionEnvironment;
  /** The last sandbox, or the one that commands would get. */
  sandboxProfile?: SandboxProfile;
  /** Running commands. */
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
  /** First byte returned. */
  offset: number;
  /** Number of returned ones. */
  bytes: number;
  /** The bytes, if they are text. */
  text?: string;
  /** The bytes, if they are not text. */
  base64?: string;
  /** Whether this is the end. */
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
  /** Where its directory is, if several nodes share the store. */
  placement?: Placement;
  /** When it was created. */
  createdAt: Time;
  /** The time of the last change. */
  updatedAt: Time;
  /** The last event it reflects. */
  sequence: number;
  /** Version of the fold. */
  foldVersion: number;
  /** Whether it may not be current. */
  stale: boolean;
  /** Whether parts were left out. */
  truncated: boolean;
  /** Its owner. */
  account: Account;
  /** Threads that are not archived. */
  activeThreadIds: Id[];
  /** Threads that are pinned. */
  pinnedThreadIds: Id[];
  /** The loaded part of its history. */
  historyWindow: HistoryWindow;
  /** With a cursor: turns of that page, newest first. */
  history?: PastTurn[];
  /** Its threads. */
  threads?: ThreadView[];
  /** Its tasks. */
  tasks?: Task[];
  /** Number of each kind. */
  taskSummary?: TaskSummary;
  /** Their edges. */
  taskGraph?: TaskGraph;
  /** Tasks that cannot continue. */
  blockedTasks?: BlockedTask[];
  /** Whether results arrived. */
  deliveryState?: DeliveryState;
  /** The tools of the latest run. */
  toolInventoryRef?: Id;
  /** Where commands run. */
  executionEnvironment?: ExecutionEnvironment;
  /** Mode, grants, pending approvals. */
  permissionState?: PermissionState;
  /** The sandbox and its violations. */
  sandboxState?: SandboxState;
  /** The choice of model, cost, limits. */
  routingLimitSummary?: ModelRouting;
  /** Cost and tokens of all turns of the session. */
  sessionCost?: CostState;
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
  /** What happened to its history. */
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
  /** What it waits for, and what ends the wait. */
  why?: TaskWhy;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export type GetThreadReadReply = ThreadReadModel;

export interface GetTimeUseReply {
  /** The time in which at least one turn was open. */
  session: TimeUse;
  /** The newest turns in the order in which they were submitted. */
  turns: TurnTime[];
  /** Older turns that are in the sum alone. */
  omitted: number;
  /** The last event that was read. */
  sequence: number;
}

export type GetToolInventoryReply = ToolInventorySnapshot;

export interface GetUsageReply {
  /** The beginning of the first hour. */
  since: Time;
  /** The end. */
  until: Time;
  /** What a row stands for. */
  by: UsageGroup;
  /** Hours and days in their order, the others by cost, largest first. */
  rows: UsageRow[];
  /** Rows beyond the limit; the total has them. */
  omitted: number;
  /** The sum over all rows. */
  total: UsageRow;
  /** Sessions with any use. */
  sessions: number;
  /** What the settings aim at; absent members have no aim. */
  objectives: UsageObjectives;
}

export interface HeartbeatJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** When the worker counts as lost. */
  leaseUntil: Time;
  /** The status of the job, so that the worker notices a cancel. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface HeartbeatTaskReply {
  /** The task. */
  taskId: Id;
  /** When the worker counts as lost. */
  leaseUntil: Time;
  /** The status of the task, so that the worker notices a cancel. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ImportSessionReply {
  /** The session. */
  sessionId: Id;
  /** Its thread. */
  threadId: Id;
  /** Turns that are imported now. */
  turns: number;
  /** Turns that this command added. */
  added: number;
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
  /** cancelling if something is being stopped, no_op if there was nothing. */
  status: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface LeaveSessionReply {
  /** The session. */
  sessionId: Id;
  /** left, or no_op if the channel was not bound to it. */
  status: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface LendKeysReply {
  /** Providers that have a key of this connection now. */
  providers: string[];
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

export interface ListBenchmarkTrialsReply {
  /** The trials. */
  trials: TrialRow[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListChannelsReply {
  /** The channels of that session; without a session, those of all sessions in memory. Ordered by session and id. */
  channels: Channel[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListDevicesReply {
  /** Oldest first. */
  devices: Device[];
}

export interface ListEventsReply {
  /** The stored envelopes, or their records in the requested export format; events that it cannot express are left out. */
  events: RuntimeEvent[];
  /** Last event of the page, when one session is read. */
  lastSequence?: number;
  /** With before: where the page begins. */
  firstSequence?: number;
  /** Whether there are more. */
  more: boolean;
  /** The missing part: removed below the oldest event, or damaged on disk after the last event of the page. */
  gap?: Gap;
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListExtensionsReply {
  /** The user's first; of one name the first counts. */
  extensions: ExtensionRow[];
  /** The directory whose files are trusted together, if there is one. */
  project?: string;
  /** For the project's files: what is trusted, or would be. Only without kind. */
  contentHash?: string;
  /** What is not listed, in sentences. */
  leftOut: string[];
}

export interface ListGrantsReply {
  /** The grants, oldest first. */
  grants: Grant[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListHooksReply {
  /** The hooks in the order in which they run. */
  hooks: HookRow[];
  /** The project's file, if there is one. */
  path?: string;
  /** For that file: what is trusted, or would be. */
  contentHash?: string;
}

export interface ListIssuersReply {
  /** In the order of the settings. */
  issuers: Issuer[];
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
  /** Providers that did not list their models, and why. */
  troubles?: string[];
  /** Names in routing.fallback_chain that no provider offers: no turn uses them. */
  notOffered?: string[];
  /** The models, in the order of preference. */
  models: ModelRow[];
  /** Caps that span sessions, and the amounts on them. */
  budgets: Budget[];
}

export interface ListNodesReply {
  /** By name. */
  nodes: Node[];
  /** Whether several nodes can share the store; false: it is for one node, such as SQLite. */
  isShared: boolean;
}

export interface ListPeersReply {
  /** The agents, in the order of the settings. */
  peers: Peer[];
}

export interface ListProcessesReply {
  /** The commands. */
  processes: ProcessView[];
  /** Without a session: missing paths that a running sandbox protects with an empty placeholder, so that nothing creates them. */
  placeholders?: string[];
  /** Where the next page begins; absent at the end. */
  nextCursor?: string;
}

export interface ListProvidersReply {
  /** Those of the settings, then the well-known ones. */
  providers: ProviderRow[];
}

export interface ListQueueReply {
  /** The thread. */
  threadId: Id;
  /** Order, rules and state. */
  queue: QueueView;
  /** The queued turns, in order. */
  queuedTurns: QueuedTurnView[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ListRulesReply {
  /** The rules, highest source first; grants are listed by `list_grants`. */
  rules: RuleRow[];
  /** What decides where no rule applies. */
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
  /** While sessions are recovered after a start: the progress. Rows of the remaining ones show the state before recovery. */
  recovery?: RecoveryProgress;
}

export interface ListSigningKeysReply {
  /** The newest first. */
  keys: SigningKey[];
  /** The name under which checkpoints are signed. */
  origin: string;
  /** The same keys as name+hash+base64, the form of signed notes. */
  verifierKeys: string[];
  /** Why the key cannot be used now. */
  trouble?: string;
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
  /** Number of each kind, if one session is requested. */
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

export interface ListTokensReply {
  /** Oldest first. */
  tokens: AccessToken[];
}

export interface ListToolServersReply {
  /** The servers, those of the settings first. */
  servers: ToolServer[];
}

export interface ListToolsReply {
  /** The tools, in the order of the inventory. */
  tools: ListedTool[];
}

export interface ListTriggersReply {
  /** In the order of the settings. */
  triggers: Trigger[];
}

export interface LoginToolServerReply {
  /** The server. */
  server: string;
  /** Whether there is a login now. */
  signedIn: boolean;
  /** The page to open. Show it, and never open it without being asked. */
  url?: string;
  /** Where the browser goes at the end: the page that a person pastes begins with it. */
  redirectUri?: string;
}

export interface LogoutToolServerReply {
  /** The server. */
  server: string;
  /** Whether there was a login. */
  wasSignedIn: boolean;
}

export interface MoveQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The complete order afterwards. */
  order: Id[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface OfferFileTextReply {
  /** Whether a call waited for it. */
  accepted: boolean;
}

export interface OpenConsoleReply {
  /** The code after #code= of the address; works once. */
  code: string;
  /** Until when it is valid. */
  expiresAt: Time;
  /** Where the console is served; a loopback port is opened if there was none. */
  addresses: string[];
  /** Whether the console is part of this build. */
  hasConsole: boolean;
}

export interface PairDeviceReply {
  /** The code after #code= of the address; works once. */
  code: string;
  /** What the device opens. */
  address: string;
  /** Its name. */
  name: string;
  /** What it will be allowed to do. */
  scopes: string[];
  /** Until when the code is valid. */
  expiresAt: Time;
  /** The address to which a tunnel or proxy must lead; a loopback port is opened if there was none. */
  addresses: string[];
  /** Whether the console is part of this build. */
  hasConsole: boolean;
}

export interface PauseScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Its current status. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface PauseTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface PromoteQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The complete order afterwards. */
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
  /** Token for the next reconnect. */
  resumeToken?: string;
  /** First event that follows. */
  fromSequence: number;
  /** Whether events in between are missing. */
  gap?: boolean;
  /** First removed event. */
  gapFrom?: number;
  /** Last missing event. */
  gapTo?: number;
  /** With a gap: why the events are missing. */
  recoveryMode?: RecoveryMode;
  /** With a gap: views that the peer must take from the snapshot. */
  stale?: string[];
  /** The session snapshot that is sent first. */
  snapshot?: any;
  /** On a JSON-RPC connection: the subscription that sends the events from fromSequence on. */
  subscriptionId?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RecordBenchmarkRewardReply {
  /** The trial. */
  trialId: Id;
  /** The recorded value. */
  reward: number;
  /** Hash of the file. */
  sha256?: string;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RecordEvidenceReply {
  /** The record. */
  evidenceId: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RemoveQueuedTurnReply {
  /** The turn. */
  queuedTurnId: Id;
  /** The complete order afterwards. */
  order: Id[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ReplayDecisionsReply {
  /** same; or the gravest of differs, damaged, version_differs, expired, erased; not_recorded without a journal. */
  status: string;
  /** Events compared. */
  events: number;
  /** The version that decides now. */
  decideVersion: number;
  /** How many groups of decisions had which verdict. */
  groups: any;
  /** sequence, verdict, words, and the recorded event and the one now; the first 100. */
  differences: any[];
  /** Differences beyond them. */
  omitted: number;
}

export interface ReplaySessionReply {
  /** same; different; or unavailable: retention removed the beginning, and its state cannot be read. */
  status: string;
  /** Events folded. */
  events: number;
  /** The last of them. */
  toSequence: number;
  /** Read models compared. */
  views: number;
  /** Version of the read models. */
  foldVersion: number;
  /** Read models that differ. */
  different: string[];
  /** Events that could not be read. */
  unreadable: number;
}

export interface ReportDelegationReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** The pending question of the agent. */
  actionId?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ReportJobItemReply {
  /** The job. */
  jobId: Id;
  /** The item. */
  jobItemId: Id;
  /** Its current status. */
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
  /** The final answer. */
  decision: ApprovalDecision;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RespondActionReply {
  /** The action. */
  actionId: Id;
  /** The final answer. */
  decision: ApprovalDecision;
  /** Its scope. */
  scope?: GrantScope;
  /** The grant it created. */
  grantId?: Id;
  /** The turn that asked; absent: none did. */
  turnId?: Id;
  /** The first event that this command added: reading after the event before it shows how the turn continues. */
  firstSequence?: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResumeScheduleReply {
  /** The schedule. */
  scheduleId: Id;
  /** Its current status. */
  status: ScheduleStatus;
  /** When it is due next. */
  nextAt?: Time;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface ResumeSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Its current status. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn that continues. */
  turnId?: Id;
}

export interface ResumeTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The run that continues. */
  runId?: Id;
}

export interface ResumeThreadReply {
  /** The session. */
  sessionId: Id;
  /** The thread. */
  threadId: Id;
  /** The turn that continues. */
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
  /** Its current status. */
  status: JobItemStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RetryTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The new run. */
  runId: Id;
  /** The new attempt. */
  attemptId?: Id;
  /** The turn, if the built-in agent works on it. */
  turnId?: Id;
}

export interface RevokeDeviceReply {
  /** The revoked device. */
  deviceId: Id;
  /** Its name then. */
  name: string;
  /** Event streams that were closed at the node that records it. */
  streams: number;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface RevokeGrantReply {
  /** The grant. */
  grantId: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RevokeTokenReply {
  /** Its name. */
  name: string;
  /** Event streams that were closed. */
  streams: number;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface RollbackThreadReply {
  /** The thread. */
  threadId: Id;
  /** Removed turns; the newest 64 and the active one if there are more. */
  removedTurns: Id[];
  /** Number of removed turns. */
  removedCount?: number;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface RotateTokenReply {
  /** A name of the new token. The token is in the file `token` of each data directory. */
  tokenId: string;
  /** Last durable event of the system session when the reply was made. */
  sequence: number;
}

export interface SendSubagentInputReply {
  /** The child agent. */
  subagentId: Id;
  /** Its current status. */
  status: SubagentStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn it became. */
  turnId?: Id;
}

export interface SetModeReply {
  /** The current mode. */
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

export interface SetToolServerReply {
  /** All that are switched off. */
  serversOff: string[];
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface SpawnSubagentReply {
  /** The child agent. */
  subagentId: Id;
  /** Its current status. */
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
  trialId: Id;
  /** accepted. */
  status: Status;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn's first event: reading after the event before it shows the whole turn. */
  firstSequence?: number;
}

export interface StartJobReply {
  /** The job. */
  jobId: Id;
  /** Its current status. */
  status: JobStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface StartTaskReply {
  /** The task. */
  taskId: Id;
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The run. */
  runId?: Id;
  /** The attempt. */
  attemptId?: Id;
  /** The turn, if the built-in agent works on it. */
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
  /** The run reserved for it. */
  runId?: Id;
  /** accepted or queued. */
  status: Status;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** The turn it waits for. */
  behind?: Id;
  /** The turn's first event: reading after the event before it shows the whole turn. */
  firstSequence?: number;
}

export interface SubscribeEventsReply {
  /** The subscription. */
  subscriptionId: Id;
  /** The event it begins after. */
  after: number;
  /** The missing part: removed below the oldest event, or damaged on disk after the last event of the page. */
  gap?: Gap;
}

export interface TerminateProcessReply {
  /** The process. */
  processId: Id;
  /** Its current status. */
  status: ProcessStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface TrimLogReply {
  /** The session. */
  sessionId: Id;
  /** The last missing event. */
  removedThrough: number;
  /** Hash of the log at that point; the chain is checked from there. */
  headHash?: string;
  /** The state that replaces the removed events. */
  snapshotRef?: Id;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface TrustExtensionsReply {
  /** What is trusted now. */
  contentHash: string;
  /** The project. */
  project: string;
  /** Last durable event of the system session when the reply was made. */
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
  /** Its current status. */
  status: TaskStatus;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
  /** Names of the fields that changed. */
  changed: string[];
}

export interface UploadOutputReply {
  /** Its name; the ref of an image in the input of submit_turn. */
  outputRef: Id;
  /** As given. */
  mediaType: string;
  /** Bytes so far. */
  sizeBytes: number;
  /** Whether it is stored completely. */
  complete: boolean;
  /** Its hash, when it is complete. */
  sha256?: string;
}

export interface VerifyCheckpointReply {
  /** continues, or broken. */
  status: string;
  /** The tree that the checkpoint names. */
  origin?: string;
  /** The key whose signature is good. */
  keyId?: string;
  /** Leaves of the checkpoint. */
  treeSize?: number;
  /** Leaves of the tree now. */
  currentSize: number;
  /** Sessions whose log was compared. */
  sessions: number;
  /** Sessions that cannot be compared, because retention removed the events that the checkpoint covers. */
  expired: number;
  /** Sessions that were deleted since, as sess_system records. */
  removed: number;
  /** Their ids; the first 100. */
  removedSessions: Id[];
  /** Anchors behind the newest signed one; absent: none. */
  unsignedAnchors?: number;
  /** What is wrong; the first 100. */
  findings: CheckpointFinding[];
  /** All of them. */
  findingCount: number;
}

export interface VerifyLogReply {
  /** whole, erased, removed (the session was deleted, and sess_system records it), incomplete (files of outputs are missing) or broken. */
  status: string;
  /** Sessions checked. */
  sessions: number;
  /** Events checked. */
  events: number;
  /** The first row that is wrong. */
  firstBad?: BadRow;
  /** Rows whose body was erased. */
  erased: number;
  /** Hash of the last row, if one session is checked. */
  headHash?: string;
  /** The newest event of the session that an anchor in sess_system names; absent: none does, and events removed at the end would not be detected. */
  anchoredSequence?: number;
  /** The event of sess_system that records its deletion. */
  removedBy?: number;
  /** Of sess_system: sessions that were deleted, as it records. */
  removedSessions?: number;
  /** Outputs in blobs/ whose file was checked. */
  outputs?: number;
  /** Those whose file is missing; the first 100. */
  missingOutputs?: string[];
}

export interface WaitSubagentsReply {
  /** The status of each. */
  subagents: Subagent[];
  /** Whether the wait timed out; the children continue. */
  timedOut: boolean;
  /** Last durable event of the session when the reply was made. */
  sequence: number;
}

export interface WriteProcessStdinReply {
  /** The process. */
  processId: Id;
  /** Bytes written. */
  bytes: number;
  /** The position of its output at that time. */
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
  /** Numbers of validation results. */
  validation: ValidationCounts;
  /** The same as Agent Artifact envelopes, if the command asks for them. */
  agentArtifact?: any;
  /** The last event it reflects. */
  sequence: number;
}

export interface BenchmarkSummary {
  /** Why there is nothing to show. */
  status?: Honesty;
  /** The trials. */
  trials?: TrialRow[];
  /** The latest comparison. */
  comparison?: Comparison;
  /** The last event it reflects. */
  sequence: number;
}

export interface ContextBoundarySnapshot {
  /** The thread. */
  threadId: Id;
  /** What the model sees. */
  contextBoundary: ContextBoundary;
  /** The loaded part of its history. */
  history: ThreadHistory;
  /** The last event it reflects. */
  sequence: number;
}

export interface EvidenceSummary {
  /** The evidence records. */
  evidenceRefs: string[];
  /** Evidence packs. */
  packRefs: string[];
  /** Replay cases. */
  replayRefs: string[];
  /** Review templates. */
  reviewRefs: string[];
  /** The results of verifiers. */
  verificationOutcomes: Verification[];
  /** Signals that apply and are missing. */
  knownGaps: string[];
  /** Traces. */
  traceIds?: string[];
  /** Notes of reviewers. */
  auditNotes?: string[];
  /** The last event it reflects. */
  sequence: number;
}

export interface PermissionSandboxSummary {
  /** Mode, grants, pending approvals. */
  permissionState: PermissionState;
  /** The sandbox and its violations. */
  sandboxState: SandboxState;
  /** Pending approvals. */
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
  /** What the choice is based on. */
  decisionSource?: RoutingSource;
  /** Why. */
  decisionReason?: string;
  /** The capability that is missing, or none. */
  capabilityGap?: string;
  /** Whether another model was used. */
  fallbackApplied: boolean;
  /** Cost. */
  costState?: CostState;
  /** The limits it reached. */
  limitState?: LimitState;
  /** What the task needs. */
  taskProfile?: TaskProfile;
  /** Models that were available. */
  candidateModelSet?: CandidateModelSet;
  /** The decision. */
  routingDecision?: RoutingDecision;
  /** The limits that providers last reported. */
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
  /** Threads of open child agents and jobs. */
  assignedThreadIds?: Id[];
  /** Whether all of them can continue after a restart. */
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
  /** The mode under which they were evaluated. */
  mode: PermissionMode;
  /** Number of them. */
  toolCount: number;
  /** The tools. */
  tools: InventoryTool[];
  /** Tool servers that the session switched off. */
  serversOff?: string[];
  /** The same, behind a ref. */
  toolInventoryRef?: Id;
  /** The same as Agent Tool records, if the command asks for them. */
  agentTool?: any;
  /** The last event it reflects. */
  sequence: number;
}

/** Every command with what it takes and what it answers. */
export interface Commands {
  /** Answer a pending request for a person or a policy; the first answer applies. */
  respond_action: { args: RespondActionArgs; reply: RespondActionReply };
  /** Answer the question that a task of the caller asks; approvals are not answered with it. */
  answer_question: { args: AnswerQuestionArgs; reply: AnswerQuestionReply };
  /** List actions. */
  list_actions: { args: ListActionsArgs; reply: ListActionsReply };
  /** Submit a turn as a trial of a benchmark: bound to a dataset, a task and a configuration. */
  start_benchmark_trial: { args: StartBenchmarkTrialArgs; reply: StartBenchmarkTrialReply };
  /** Record what the verifier of a trial wrote; the runtime makes no score of its own. */
  record_benchmark_reward: { args: RecordBenchmarkRewardArgs; reply: RecordBenchmarkRewardReply };
  /** Write the pack of a trial: one document that joins benchmark, run, files and score. */
  export_benchmark_trial: { args: ExportBenchmarkTrialArgs; reply: ExportBenchmarkTrialReply };
  /** List trials, the newest first. */
  list_benchmark_trials: { args: ListBenchmarkTrialsArgs; reply: ListBenchmarkTrialsReply };
  /** Show the trials of one dataset by task and configuration: mean reward, spread, counts, cost, time. */
  get_benchmark_matrix: { args: GetBenchmarkMatrixArgs; reply: GetBenchmarkMatrixReply };
  /** Show the trials of a session and the latest comparison. */
  get_benchmark_summary: { args: GetBenchmarkSummaryArgs; reply: GetBenchmarkSummaryReply };
  /** Compare two configurations over the same tasks; the decision comes from outside. */
  compare_benchmark_runs: { args: CompareBenchmarkRunsArgs; reply: CompareBenchmarkRunsReply };
  /** Reconnect an enrolled peer: a snapshot first, then the events after the last acknowledged one. */
  reconnect_channel: { args: ReconnectChannelArgs; reply: ReconnectChannelReply };
  /** The caller's channel does not use the session any more, so the session may leave memory. The channel stays connected; its next command there binds it again. */
  leave_session: { args: LeaveSessionArgs; reply: LeaveSessionReply };
  /** Acknowledge events of a channel; writes no event. */
  ack_events: { args: AckEventsArgs; reply: AckEventsReply };
  /** List enrolled peers. */
  list_channels: { args: ListChannelsArgs; reply: ListChannelsReply };
  /** Write an evidence pack from the log. */
  export_evidence: { args: ExportEvidenceArgs; reply: ExportEvidenceReply };
  /** Record an outcome or a note of a verifier or reviewer, with its source. */
  record_evidence: { args: RecordEvidenceArgs; reply: RecordEvidenceReply };
  /** Write a replay case of the same events as an evidence pack: what is folded, and what must result. */
  export_replay: { args: ExportReplayArgs; reply: ExportReplayReply };
  /** Write a review for people, as Markdown and JSON, of the same events as an evidence pack. */
  export_review: { args: ExportReviewArgs; reply: ExportReviewReply };
  /** Create a job that applies one instruction to every item. */
  create_job: { args: CreateJobArgs; reply: CreateJobReply };
  /** Show a job. */
  get_job: { args: GetJobArgs; reply: GetJobReply };
  /** List jobs. */
  list_jobs: { args: ListJobsArgs; reply: ListJobsReply };
  /** Start a job that was created with start: false. */
  start_job: { args: StartJobArgs; reply: StartJobReply };
  /** Send a heartbeat of an item's worker; writes no event. */
  heartbeat_job_item: { args: HeartbeatJobItemArgs; reply: HeartbeatJobItemReply };
  /** Cancel a job; finished items stay finished. */
  cancel_job: { args: CancelJobArgs; reply: CancelJobReply };
  /** List items of a job. */
  list_job_items: { args: ListJobItemsArgs; reply: ListJobItemsReply };
  /** Retry one failed item. */
  retry_job_item: { args: RetryJobItemArgs; reply: RetryJobItemReply };
  /** Assign one item to an external worker. */
  assign_job_item: { args: AssignJobItemArgs; reply: AssignJobItemReply };
  /** Submit an external worker's output for an item. */
  report_job_item: { args: ReportJobItemArgs; reply: ReportJobItemReply };
  /** Create a schedule: tasks by the clock. */
  create_schedule: { args: CreateScheduleArgs; reply: CreateScheduleReply };
  /** List schedules. */
  list_schedules: { args: ListSchedulesArgs; reply: ListSchedulesReply };
  /** Pause a schedule: it is not due until it is resumed. */
  pause_schedule: { args: PauseScheduleArgs; reply: PauseScheduleReply };
  /** Resume a schedule; runs that were due meanwhile do not count as missed. */
  resume_schedule: { args: ResumeScheduleArgs; reply: ResumeScheduleReply };
  /** Remove a schedule. The tasks that it created stay. */
  delete_schedule: { args: DeleteScheduleArgs; reply: DeleteScheduleReply };
  /** Evaluate a permission without running anything. */
  evaluate_permission: { args: EvaluatePermissionArgs; reply: EvaluatePermissionReply };
  /** Answer as a host policy, a hook or an approver. */
  resolve_permission: { args: ResolvePermissionArgs; reply: ResolvePermissionReply };
  /** List grants in force. */
  list_grants: { args: ListGrantsArgs; reply: ListGrantsReply };
  /** List the rules in force, and the mode that decides where no rule applies. */
  list_rules: { args: ListRulesArgs; reply: ListRulesReply };
  /** Revoke a grant. */
  revoke_grant: { args: RevokeGrantArgs; reply: RevokeGrantReply };
  /** Trust a project's hooks as they are now: they are active from then on, in sessions of its directory. With ref: trust the program of one hook. */
  trust_hooks: { args: TrustHooksArgs; reply: TrustHooksReply };
  /** Trust a project's skills, commands and agents as they are now; a file that changes or is added needs trust again. */
  trust_extensions: { args: TrustExtensionsArgs; reply: TrustExtensionsReply };
  /** Trust a tool server as it is now: a project's file by its hash, changed definitions of tools. */
  trust_tool_server: { args: TrustToolServerArgs; reply: TrustToolServerReply };
  /** Sign in at a tool server with an address: the reply names the page for a person's browser. With redirectUrl, or when the browser reaches this machine, the login is completed. */
  login_tool_server: { args: LoginToolServerArgs; reply: LoginToolServerReply };
  /** Forget the login of a tool server: its tokens are revoked where the authorization server offers that, and removed from this machine. */
  logout_tool_server: { args: LogoutToolServerArgs; reply: LogoutToolServerReply };
  /** Change the rules of a session; they apply from the next decision. */
  set_policy: { args: SetPolicyArgs; reply: SetPolicyReply };
  /** Change the permission mode of a session. */
  set_mode: { args: SetModeArgs; reply: SetModeReply };
  /** Make a directory part of the workspace of a session: calls read and write there as in its own directory. */
  add_directory: { args: AddDirectoryArgs; reply: AddDirectoryReply };
  /** Switch a tool server off for a session, or on again: from the next turn on its tools are not offered, and calls of them are refused. */
  set_tool_server: { args: SetToolServerArgs; reply: SetToolServerReply };
  /** Show where commands run and under which limits. */
  get_execution_environment: { args: GetExecutionEnvironmentArgs; reply: GetExecutionEnvironmentReply };
  /** Show mode, grants, pending approvals, the sandbox and its violations. */
  get_permission_sandbox_summary: { args: GetPermissionSandboxSummaryArgs; reply: GetPermissionSandboxSummaryReply };
  /** Write to the standard input of a background process. */
  write_process_stdin: { args: WriteProcessStdinArgs; reply: WriteProcessStdinReply };
  /** End a background process and all its descendants; replies when they have ended. */
  terminate_process: { args: TerminateProcessArgs; reply: TerminateProcessReply };
  /** Set the size of a process's terminal; writes no event. */
  resize_process: { args: ResizeProcessArgs; reply: ResizeProcessReply };
  /** List processes: of one session those that run or ran recently; without a session all that run. */
  list_processes: { args: ListProcessesArgs; reply: ListProcessesReply };
  /** Remove a queued turn. */
  remove_queued_turn: { args: RemoveQueuedTurnArgs; reply: RemoveQueuedTurnReply };
  /** Move a queued turn to the front. */
  promote_queued_turn: { args: PromoteQueuedTurnArgs; reply: PromoteQueuedTurnReply };
  /** Move a queued turn to a position in the queue. */
  move_queued_turn: { args: MoveQueuedTurnArgs; reply: MoveQueuedTurnReply };
  /** Show the queue of a thread. */
  list_queue: { args: ListQueueArgs; reply: ListQueueReply };
  /** Show a session: shell, threads, recent window, cursor. */
  get_session: { args: GetSessionArgs; reply: GetSessionReply };
  /** Explain what a thread waits for, since when, until when, and who can end the wait. */
  explain_thread: { args: ExplainThreadArgs; reply: ExplainThreadReply };
  /** Show what took the time of a session and of its turns: model, people, tools, resources, the runtime itself. */
  get_time_use: { args: GetTimeUseArgs; reply: GetTimeUseReply };
  /** Show what a thread is doing now. */
  get_thread_read: { args: GetThreadReadArgs; reply: GetThreadReadReply };
  /** Show the available tools and the policy for each. */
  get_tool_inventory: { args: GetToolInventoryArgs; reply: GetToolInventoryReply };
  /** List sessions. */
  list_sessions: { args: ListSessionsArgs; reply: ListSessionsReply };
  /** The configured models: capabilities, cost, and whether they are available now. */
  list_models: { args: ListModelsArgs; reply: ListModelsReply };
  /** The hooks of the settings and of a project, and whether they are active. */
  list_hooks: { args: ListHooksArgs; reply: ListHooksReply };
  /** Skills, commands and agents as Markdown files, of the user and of a project, and prompts of tool servers as commands. */
  list_extensions: { args: ListExtensionsArgs; reply: ListExtensionsReply };
  /** The prompt of a command: the text of a Markdown file, or a prompt of a tool server. */
  expand_command: { args: ExpandCommandArgs; reply: ExpandCommandReply };
  /** Values that a tool server suggests for the last word behind a prompt. */
  complete_argument: { args: CompleteArgumentArgs; reply: CompleteArgumentReply };
  /** Ask a tool server for its lists of resources and prompts, for a prompt, for completions or for changes of resources, as the server gives them. Resources are read by its tool read_resource. */
  ask_tool_server: { args: AskToolServerArgs; reply: AskToolServerReply };
  /** The tools that every session has: their names, descriptions and schemas. Waits for tool servers that are starting. */
  list_tools: { args: ListToolsArgs; reply: ListToolsReply };
  /** The tool servers of the settings and of the project, and their status. */
  list_tool_servers: { args: ListToolServersArgs; reply: ListToolServersReply };
  /** The remote agents of agents.remote, and their status. */
  list_peers: { args: ListPeersArgs; reply: ListPeersReply };
  /** The webhooks that start work (the setting triggers), without their secrets. */
  list_triggers: { args: ListTriggersArgs; reply: ListTriggersReply };
  /** List threads of a session. */
  list_threads: { args: ListThreadsArgs; reply: ListThreadsReply };
  /** Read events after a cursor. */
  list_events: { args: ListEventsArgs; reply: ListEventsReply };
  /** Send events as they become durable. */
  subscribe_events: { args: SubscribeEventsArgs; reply: SubscribeEventsReply };
  /** End a subscription. */
  unsubscribe_events: { args: UnsubscribeEventsArgs; reply: UnsubscribeEventsReply };
  /** Read a stored output or a part of it. */
  get_output: { args: GetOutputArgs; reply: GetOutputReply };
  /** Show the artifacts of a session with their latest versions and changes. */
  get_artifact_checkpoint_summary: { args: GetArtifactCheckpointSummaryArgs; reply: GetArtifactCheckpointSummaryReply };
  /** Show the exports of a session, and outcomes and notes of others. */
  get_evidence_summary: { args: GetEvidenceSummaryArgs; reply: GetEvidenceSummaryReply };
  /** Show which model was chosen last and why, what it cost, and the limits. */
  get_routing_limit_summary: { args: GetRoutingLimitSummaryArgs; reply: GetRoutingLimitSummaryReply };
  /** Show what the model sees of a thread and what replaces the rest. */
  get_context_boundary: { args: GetContextBoundaryArgs; reply: GetContextBoundaryReply };
  /** Create a session and its first thread. */
  create_session: { args: CreateSessionArgs; reply: CreateSessionReply };
  /** Add turns of a session that another program ran, as history. Nothing of them is executed. */
  import_session: { args: ImportSessionArgs; reply: ImportSessionReply };
  /** Name the tool servers of one session, instead of those that were named before. They run while the session is in memory, in the sandbox of other servers; an empty object ends them. */
  attach_tool_servers: { args: AttachToolServersArgs; reply: AttachToolServersReply };
  /** Give the unsaved text of a file to a call of read_file that waits for it; a channel with the capability file_text does so for turns that it submitted. */
  offer_file_text: { args: OfferFileTextArgs; reply: OfferFileTextReply };
  /** Change metadata of a session. */
  update_session: { args: UpdateSessionArgs; reply: UpdateSessionReply };
  /** Fork a thread at a turn. */
  fork_thread: { args: ForkThreadArgs; reply: ForkThreadReply };
  /** Replace older turns of a thread by a summary. */
  compact_thread: { args: CompactThreadArgs; reply: CompactThreadReply };
  /** Change files of a session's directory with a patch or as a whole, as its user: in the sandbox of the file tools, all of it or nothing. */
  edit_files: { args: EditFilesArgs; reply: EditFilesReply };
  /** Remove the latest turns from a thread's history. */
  rollback_thread: { args: RollbackThreadArgs; reply: RollbackThreadReply };
  /** Create a child agent with its own thread. */
  spawn_subagent: { args: SpawnSubagentArgs; reply: SpawnSubagentReply };
  /** Send a child agent input. */
  send_subagent_input: { args: SendSubagentInputArgs; reply: SendSubagentInputReply };
  /** Wait until child agents end, or until the timeout. */
  wait_subagents: { args: WaitSubagentsArgs; reply: WaitSubagentsReply };
  /** Resume a child agent after a restart or a stop. */
  resume_subagent: { args: ResumeSubagentArgs; reply: ResumeSubagentReply };
  /** Close a child agent and release its resources. */
  close_subagent: { args: CloseSubagentArgs; reply: CloseSubagentReply };
  /** Show the tree of child agents. */
  list_subagents: { args: ListSubagentsArgs; reply: ListSubagentsReply };
  /** Show child agents and jobs, their threads, and whether they can continue after a restart. */
  get_subagent_job_summary: { args: GetSubagentJobSummaryArgs; reply: GetSubagentJobSummaryReply };
  /** Show what all sessions used: cost, tokens, ends of turns, durations. */
  get_usage: { args: GetUsageArgs; reply: GetUsageReply };
  /** Show the capabilities of this runtime. */
  get_capabilities: { args: GetCapabilitiesArgs; reply: GetCapabilitiesReply };
  /** Create a one-time code for the console in a browser; writes no event. */
  open_console: { args: OpenConsoleArgs; reply: OpenConsoleReply };
  /** The providers of models, with the variables in which they look for a key, and whether there is one. */
  list_providers: { args: ListProvidersArgs; reply: ListProvidersReply };
  /** Lend keys of providers to this connection and to the sessions in which it begins work; they stay in memory. Only on the owner's Unix socket, and in the process itself. */
  lend_keys: { args: LendKeysArgs; reply: LendKeysReply };
  /** Create a one-time code for a second device; every node takes it. */
  pair_device: { args: PairDeviceArgs; reply: PairDeviceReply };
  /** List paired devices. */
  list_devices: { args: ListDevicesArgs; reply: ListDevicesReply };
  /** List the issuers whose tokens are accepted, and whether their keys are known. */
  list_issuers: { args: ListIssuersArgs; reply: ListIssuersReply };
  /** Revoke a paired device; its event streams end, and every node refuses it. */
  revoke_device: { args: RevokeDeviceArgs; reply: RevokeDeviceReply };
  /** Make a named token: a principal of its own with limited rights. The reply is the only place that shows the token. */
  create_token: { args: CreateTokenArgs; reply: CreateTokenReply };
  /** Tell a node to hand its work over to the other nodes, and then to end. */
  drain_node: { args: DrainNodeArgs; reply: DrainNodeReply };
  /** List the nodes that share the store; with a store of one node, that one. */
  list_nodes: { args: ListNodesArgs; reply: ListNodesReply };
  /** List the named tokens that are valid. */
  list_tokens: { args: ListTokensArgs; reply: ListTokensReply };
  /** Replace the owner's token at all nodes: the one before is refused, browsers are signed out, and devices have to be paired again. */
  rotate_token: { args: RotateTokenArgs; reply: RotateTokenReply };
  /** Revoke a named token; its event streams end, and requests with it are refused. */
  revoke_token: { args: RevokeTokenArgs; reply: RevokeTokenReply };
  /** Make the decisions of a session again from its journal, and compare the events byte for byte. */
  replay_decisions: { args: ReplayDecisionsArgs; reply: ReplayDecisionsReply };
  /** Make a key that signs packs and checkpoints, in a file of the data directory. */
  create_signing_key: { args: CreateSigningKeyArgs; reply: CreateSigningKeyReply };
  /** The public keys that sign or have signed packs and checkpoints. */
  list_signing_keys: { args: ListSigningKeysArgs; reply: ListSigningKeysReply };
  /** Check that the data continue a signed checkpoint, and name each session that was cut, rewritten or removed since. */
  verify_checkpoint: { args: VerifyCheckpointArgs; reply: VerifyCheckpointReply };
  /** Fold the events of a session again, and compare the read models with those of the session, byte for byte. */
  replay_session: { args: ReplaySessionArgs; reply: ReplaySessionReply };
  /** Check the hash chain of a session. */
  verify_log: { args: VerifyLogArgs; reply: VerifyLogReply };
  /** Remove the beginning of a session's log; a snapshot and the hash at that point stay. */
  trim_log: { args: TrimLogArgs; reply: TrimLogReply };
  /** Delete a whole session: its events, outputs, packs and everything that follows from them. An event of sess_system records its id and its last hash. */
  delete_session: { args: DeleteSessionArgs; reply: DeleteSessionReply };
  /** Erase the text of one event; its ids, sequence and hash stay. */
  erase_event: { args: EraseEventArgs; reply: EraseEventReply };
  /** Rebuild the rows and the snapshot that follow from a session's log. */
  rebuild_session: { args: RebuildSessionArgs; reply: RebuildSessionReply };
  /** Create a task. */
  create_task: { args: CreateTaskArgs; reply: CreateTaskReply };
  /** Change fields of a task. */
  update_task: { args: UpdateTaskArgs; reply: UpdateTaskReply };
  /** Start a run of a task. */
  start_task: { args: StartTaskArgs; reply: StartTaskReply };
  /** Report the progress of a task. */
  append_task_progress: { args: AppendTaskProgressArgs; reply: AppendTaskProgressReply };
  /** Pause a task. */
  pause_task: { args: PauseTaskArgs; reply: PauseTaskReply };
  /** Resume a paused task. */
  resume_task: { args: ResumeTaskArgs; reply: ResumeTaskReply };
  /** Cancel a task and what it started. */
  cancel_task: { args: CancelTaskArgs; reply: CancelTaskReply };
  /** Retry a task; earlier attempts are kept. */
  retry_task: { args: RetryTaskArgs; reply: RetryTaskReply };
  /** Declare a task complete; the requirements for completion are checked. */
  complete_task: { args: CompleteTaskArgs; reply: CompleteTaskReply };
  /** Declare a task failed. */
  fail_task: { args: FailTaskArgs; reply: FailTaskReply };
  /** Archive an ended task. */
  archive_task: { args: ArchiveTaskArgs; reply: ArchiveTaskReply };
  /** Add an edge to the task graph. */
  link_tasks: { args: LinkTasksArgs; reply: LinkTasksReply };
  /** Remove an edge of the task graph. */
  unlink_tasks: { args: UnlinkTasksArgs; reply: UnlinkTasksReply };
  /** Claim a waiting task for an external worker. */
  claim_task: { args: ClaimTaskArgs; reply: ClaimTaskReply };
  /** Send a heartbeat of an external worker; writes no event. */
  heartbeat_task: { args: HeartbeatTaskArgs; reply: HeartbeatTaskReply };
  /** Record what became of a task at the remote agent that works on it; the same report again leaves no event. */
  report_delegation: { args: ReportDelegationArgs; reply: ReportDelegationReply };
  /** Show one task with its attempts and edges. */
  get_task: { args: GetTaskArgs; reply: GetTaskReply };
  /** List tasks, newest first: of one session, or of all. */
  list_tasks: { args: ListTasksArgs; reply: ListTasksReply };
  /** Submit input to a thread; it starts, is queued, steers the active turn or is refused. */
  submit_turn: { args: SubmitTurnArgs; reply: SubmitTurnReply };
  /** Interrupt a thread; if nothing runs, this is not an error. */
  interrupt_turn: { args: InterruptTurnArgs; reply: InterruptTurnReply };
  /** Give the result of a call of a tool that the caller runs. */
  complete_tool_call: { args: CompleteToolCallArgs; reply: CompleteToolCallReply };
  /** Resume a thread after a restart, a held queue or a block. */
  resume_thread: { args: ResumeThreadArgs; reply: ResumeThreadReply };
  /** Upload an image in pieces, before the turn that names it. It belongs to the caller; without a turn it is removed after an hour and by a restart. */
  upload_output: { args: UploadOutputArgs; reply: UploadOutputReply };
}

/** Commands that take an idempotency key; the others change nothing and may be repeated at will. */
export const keyed: ReadonlySet<string> = new Set([
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
]);

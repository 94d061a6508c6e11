// What the console reads of the views and events; the whole of it is in docs/reference/.

export interface SessionRow {
  sessionId: string;
  title?: string;
  status: string;
  profileStatus?: string;
  statusReason?: string;
  threads: number;
  activeTurnId?: string;
  pendingActions: number;
  queuedTurns: number;
  costUsd?: number;
  amountState?: string;
  createdAt: string;
  updatedAt: string;
  sequence: number;
}

export interface ThreadRow {
  threadId: string;
  kind: string;
  title?: string;
  status: string;
  profileStatus?: string;
  pendingActions: number;
  queuedTurns: number;
  turns: number;
  updatedAt?: string;
}

export interface DecisionOption {
  decision: string;
  scopes?: string[];
  mayEditInput?: boolean;
  mayGiveReason?: boolean;
}

export interface ActionView {
  actionId: string;
  actionType: string;
  status: string;
  sessionId?: string;
  threadId: string;
  turnId: string;
  toolCallId?: string;
  toolName?: string;
  prompt: string;
  schema?: Schema;
  decisionKind: string;
  decisions: DecisionOption[];
  scopeDetail?: { cwd?: string; path?: string; paths?: string[]; host?: string };
  policy?: { ruleRefs: string[]; destructive: boolean; sandboxMode?: string };
  /** What a yes gives the call beyond its cage. */
  override?: { mode?: string; network?: string; unixSockets?: boolean; readRoots?: string[]; writeRoots?: string[]; readFiles?: string[]; writeFiles?: string[]; hosts?: string[] };
  requestedAt: string;
  expiresAt?: string;
  onExpiry: string;
  sequence: number;
}

export interface Cage {
  mode?: string;
  tier?: string;
  network?: { mode?: string };
  writeRoots?: string[];
}

export interface Schema {
  type?: string;
  properties?: Record<string, { type?: string; enum?: unknown[]; description?: string }>;
  required?: string[];
}

export interface PermissionDecision {
  decision: string;
  decisionSource: string;
  decisionReason: string;
  ruleRefs: string[];
  destructive: boolean;
  mode: string;
  impact?: { effect?: string };
  rollbackAdvice?: string;
  pathCheck?: { inside: boolean; resolved?: string[] };
  networkDecision?: string;
  subcommands?: { argv: string[]; decision: string; destructive: boolean; ruleRef?: string }[];
  subcommandsOmitted?: number;
}

/** The answer of explain_thread. */
export interface Explanation {
  threadId: string;
  turnId?: string;
  status: string;
  profileStatus?: string;
  waitingFor?: string;
  since?: string;
  until?: string;
  endedBy?: string[];
  detail?: string;
  sequence: number;
}

export interface Incident {
  incidentId: string;
  kind: string;
  category?: string;
  message: string;
  at: string;
  sequence: number;
  open: boolean;
}

export interface QueuedTurn {
  turnId: string;
  position: number;
  preview?: string;
  source: string;
  queuedAt: string;
}

export interface CostState {
  state: string;
  reason?: string;
  recordedUsd: number;
  reservedUsd?: number;
  tokens: { inputTokens: number; cachedInputTokens: number; outputTokens: number; reasoningTokens: number };
}

export interface ThreadRead {
  threadId: string;
  kind: string;
  status: string;
  profileStatus: string;
  activeTurnId?: string;
  statusReason?: string;
  pendingRequests: ActionView[];
  queuedTurns: QueuedTurn[];
  queue: { resumeState: string };
  incidents: Incident[];
  permissionState: { mode: string };
  sandboxState: { profile?: { mode?: string; tier?: string } };
  modelRouting: { selectedProvider?: string; selectedModel?: string; decisionReason?: string };
  costState?: CostState;
  history: { turns: number };
}

export interface ForkPoint {
  sessionId?: string;
  threadId: string;
  turnId?: string;
  sequence: number;
}

export interface RoutingDecision {
  routingMode: string;
  decisionSource: string;
  decisionReason: string;
  selectedProvider?: string;
  selectedModel?: string;
  requestedProvider?: string;
  requestedModel?: string;
  fallbackChain: { provider: string; model: string; tried?: boolean; outcome?: string }[];
}

export interface Envelope {
  type: string;
  eventId: string;
  sequence: number;
  timestamp: string;
  sessionId: string;
  threadId?: string;
  turnId?: string;
  taskId?: string;
  runId?: string;
  stepId?: string;
  attemptId?: string;
  toolCallId?: string;
  modelRequestId?: string;
  processId?: string;
  subagentId?: string;
  jobId?: string;
  jobItemId?: string;
  outputRef?: string;
  actionId?: string;
  status?: string;
  statusReason?: string;
  task?: { title?: string };
  hookRun?: { hookRunId: string };
  routingDecision?: RoutingDecision;
  item?: { itemId: string; kind: string; index: number; status: string };
  permissionDecision?: PermissionDecision;
  executionEnvironment?: { cwd?: string; sandboxProfile?: Cage };
  payload: Record<string, unknown>;
  refs?: Record<string, string>;
}

export interface Session {
  principal: string;
  scopes: string[];
  expiresAt?: string;
  version: string;
  runtimeId: string;
}

// A thread's events as a trace: turns, and in each turn spans in lanes.
//
// A span groups the events of one model request, call, process or decision.  It keeps their sequence
// range and duration, not the events: the inspector reads those from the log.
import type { EventType, RuntimeEvent } from "../api/types";

export const LANES = ["model", "tool", "process", "permission", "sandbox", "hook", "routing", "context", "work", "runtime"] as const;
export type Lane = (typeof LANES)[number];

export interface Span {
  key: string;
  lane: Lane;
  parent?: string; // the call that it belongs to
  turnId?: string;
  name: string;
  note: string;
  said?: [kind: string, code: string]; // the note is a sentence of the runtime, with its stable code
  status?: string;
  isBad?: boolean;
  isOpen: boolean;
  first: number; // sequences
  last: number;
  count: number;
  startAt: number; // milliseconds
  endAt: number;
}

export interface TraceTurn {
  id: string;
  first: number;
  startAt: number;
  endAt: number;
  isOpen: boolean;
  input: string;
  status: string;
  costUsd?: number;
  amountState?: string;
  spans: Span[]; // replaced, never changed
  byKey: Map<string, number>;
  version: number;
}

export interface Trace {
  turns: TraceTurn[];
  byId: Map<string, TraceTurn>;
  removed: Set<string>; // turns removed by a rollback
}

export const emptyTrace = (): Trace => ({ turns: [], byId: new Map(), removed: new Set() });

const text = (value: unknown): string => (typeof value === "string" ? value : "");

// ---- which span an event belongs to ----

const NOT_SHOWN = new Set<EventType>(["thread.updated", "snapshot.updated", "turn.submitted", "turn.started", "turn.completed", "turn.failed"]);
const CHILD_LANES = new Set<Lane>(["process", "permission", "sandbox", "hook"]);

type Place = { lane: Lane; key: string };
const alone = (lane: Lane, e: RuntimeEvent): Place => ({ lane, key: e.eventId });

function byTool(e: RuntimeEvent): Place {
  if (e.type === "tool.catalog.resolved") return alone("context", e);
  return e.toolCallId ? { lane: "tool", key: e.toolCallId } : alone("tool", e);
}

function byOwner(e: RuntimeEvent): Place {
  if (e.processId) return { lane: "process", key: e.processId };
  if (e.toolCallId) return { lane: "tool", key: e.toolCallId };
  if (e.modelRequestId) return { lane: "model", key: e.modelRequestId };
  return alone("context", e);
}

function byRun(e: RuntimeEvent): Place {
  return { lane: "routing", key: `route:${e.attemptId ?? e.turnId ?? e.eventId}` };
}

const places: Record<string, (e: RuntimeEvent) => Place> = {
  model: byOwner,
  reasoning: byOwner,
  output: byOwner,
  artifact: byOwner,
  cost: (e) => (e.modelRequestId ? byOwner(e) : alone("routing", e)),
  tool: byTool,
  process: (e) => ({ lane: "process", key: e.processId ?? e.eventId }),
  permission: (e) => ({ lane: "permission", key: `decision:${e.toolCallId ?? e.actionId ?? e.eventId}` }),
  action: (e) => ({ lane: "permission", key: `decision:${e.toolCallId ?? e.actionId ?? e.eventId}` }),
  sandbox: (e) => ({ lane: "sandbox", key: `sandbox:${e.toolCallId ?? e.eventId}` }),
  hook: (e) => ({ lane: "hook", key: e.hookRun?.hookRunId ?? e.eventId }),
  routing: byRun,
  limit: (e) => alone("routing", e),
  quota: (e) => alone("routing", e),
  rate_limit: (e) => alone("routing", e),
  context: (e) => (e.type.includes("compaction") ? { lane: "context", key: `compaction:${e.turnId}` } : alone("context", e)),
  history: (e) => alone("context", e),
  task: (e) => (e.type === "task.profile.resolved" ? byRun(e) : { lane: "work", key: e.taskId ?? e.eventId }),
  subagent: (e) => ({ lane: "work", key: e.subagentId ?? e.eventId }),
  job: (e) => ({ lane: "work", key: e.jobItemId ?? e.jobId ?? e.eventId }),
};

/** Undefined for events about the thread as a whole. */
export function placeOf(e: RuntimeEvent): Place | undefined {
  if (NOT_SHOWN.has(e.type)) return undefined;
  return places[e.type.split(".")[0]!]?.(e) ?? alone("runtime", e);
}

// ---- names and notes of spans ----

const BRIEF = ["command", "path", "file", "url", "query", "pattern", "question"];

export function briefArgs(args: unknown): string {
  if (!args || typeof args !== "object") return "";
  const given = args as Record<string, unknown>;
  for (const key of BRIEF) if (typeof given[key] === "string") return given[key];
  const words = JSON.stringify(given);
  return words === "{}" ? "" : words;
}

const join = (...parts: (string | number | undefined)[]): string => parts.filter((part) => part !== undefined && part !== "").join(" · ");

type Describe = (span: Span, e: RuntimeEvent) => void;

const describers: Partial<Record<EventType, Describe>> = {
  "model.requested"(span, e) {
    span.name = [text(e.payload.provider), text(e.payload.model)].filter(Boolean).join("/");
  },
  "model.completed"(span, e) {
    const used = (e.payload.usage ?? {}) as { inputTokens?: number; outputTokens?: number };
    span.note = join(`${used.inputTokens ?? "?"} → ${used.outputTokens ?? "?"}`, text(e.payload.stopReason));
  },
  "model.failed"(span, e) {
    span.note = text(e.payload.message) || text(e.payload.category);
    span.isBad = true;
  },
  "cost.recorded"(span, e) {
    if (typeof e.payload.amountUsd === "number") span.note = join(span.note, `$${e.payload.amountUsd.toFixed(4)}`);
  },
  "tool.started"(span, e) {
    span.name = text(e.payload.toolName);
    span.note = briefArgs(e.payload.safeArgs);
  },
  "tool.args"(span, e) {
    if (e.payload.safeArgs !== undefined) span.note = briefArgs(e.payload.safeArgs);
  },
  "tool.result"(span, e) {
    span.isBad = e.payload.isError === true;
  },
  "tool.failed"(span, e) {
    span.note = join(text(e.payload.category), text(e.payload.reason));
    span.isBad = true;
  },
  "process.started"(span, e) {
    span.name = text(e.payload.commandSummary);
  },
  "process.completed"(span, e) {
    span.note = `exit ${e.payload.exitCode}`;
    span.isBad = e.payload.exitCode !== 0;
  },
  "process.failed"(span, e) {
    span.note = join(text(e.payload.category), text(e.payload.reason));
    span.isBad = true;
  },
  "process.terminated"(span, e) {
    span.note = join(text(e.payload.signal), text(e.payload.cause));
    span.isBad = true;
  },
  "permission.evaluated"(span, e) {
    span.name = text(e.payload.decision);
    span.note = e.permissionDecision?.decisionReason ?? "";
    span.isBad = e.payload.decision === "deny";
  },
  "action.required"(span, e) {
    span.name ||= text(e.payload.actionType);
    span.note ||= text(e.payload.prompt);
  },
  "action.resolved"(span, e) {
    const by = e.payload.decidedBy as { principal?: string; kind?: string } | undefined;
    span.name = `${span.name.split(" → ")[0]} → ${text(e.payload.decision)}`;
    span.note = join(by?.principal ?? by?.kind, text(e.payload.reason));
    span.isBad = e.payload.decision === "deny";
  },
  "sandbox.applied"(span, e) {
    span.name = text(e.payload.mode);
    span.note = text(e.payload.tier);
  },
  "sandbox.violation"(span, e) {
    span.note = join(text(e.payload.kind), text(e.payload.operation), text(e.payload.path) || text(e.payload.host));
    span.isBad = true;
  },
  "hook.started"(span, e) {
    span.name = text(e.payload.point);
    span.note = text(e.payload.handlerRef);
  },
  "hook.completed"(span, e) {
    span.note = join(span.note, text(e.payload.decision), text(e.payload.reason));
    span.isBad = e.payload.decision === "block";
  },
  "hook.failed"(span, e) {
    span.note = join(span.note, text(e.payload.category), text(e.payload.message));
    span.isBad = true;
  },
  "routing.decided"(span, e) {
    span.name = [text(e.payload.selectedProvider), text(e.payload.selectedModel)].filter(Boolean).join("/");
    span.note = e.routingDecision?.decisionReason ?? "";
  },
  "routing.not_possible"(span, e) {
    span.name = e.type;
    span.note = e.statusReason ?? "";
    span.isBad = true;
  },
  "task.created"(span, e) {
    span.name = e.task?.title ?? text(e.payload.objective);
  },
  "subagent.spawned"(span, e) {
    span.name = join(text(e.payload.role), text(e.payload.nickname));
  },
};

/** For event types without a describer: the first text that the event has. */
function describePlainly(span: Span, e: RuntimeEvent): void {
  const said = e.statusReason || text(e.payload.message) || text(e.payload.title) || text(e.payload.summary) || text(e.payload.reason);
  if (said) span.note = said;
}

/** What kind of sentence the note of this event is; undefined for words of users, models and tools. */
function saidBy(e: RuntimeEvent): Span["said"] {
  const category = text(e.payload.category);
  if (e.type === "permission.evaluated") return ["decision", text(e.permissionDecision?.decisionSource)];
  if (e.type === "routing.decided") return ["routing", text(e.routingDecision?.decisionSource)];
  if (e.type === "runtime.warning") return ["warning", category];
  if (e.type === "run.status") return ["run", text(e.payload.kind)];
  if (category) return ["failure", category];
  return describers[e.type] && e.type !== "routing.not_possible" && e.type !== "action.required" ? undefined : ["reason", ""];
}

const OPENS = /^(model\.requested|tool\.started|process\.started|action\.required|hook\.started|subagent\.spawned|job\.(started|item\.started)|task\.started|context\.compaction\.started)$/;
const ENDS = /\.(completed|failed|result|resolved|terminated|cancelled|closed|lost)$/;

// ---- applying events ----

function freshSpan(e: RuntimeEvent, { lane, key }: Place): Span {
  const at = Date.parse(e.timestamp);
  const parent = CHILD_LANES.has(lane) ? e.toolCallId : undefined;
  const base = { name: "", note: "", isOpen: false, first: e.sequence, last: e.sequence, count: 0, startAt: at, endAt: at };
  return { ...base, lane, key, parent, turnId: e.turnId };
}

function takeSpan(turn: TraceTurn, e: RuntimeEvent, place: Place): void {
  const at = turn.byKey.get(place.key) ?? turn.spans.length;
  const span: Span = turn.spans[at] ? { ...turn.spans[at] } : freshSpan(e, place);
  span.last = e.sequence;
  span.endAt = Date.parse(e.timestamp);
  span.count++;
  if (e.status) span.status = e.status;
  const before = span.note;
  (describers[e.type] ?? describePlainly)(span, e);
  // An amount that is added leaves the sentence what it is.
  if (span.note !== before && !(before && span.note.startsWith(before))) span.said = saidBy(e);
  span.name ||= e.type;
  if (OPENS.test(e.type)) span.isOpen = true;
  else if (ENDS.test(e.type)) span.isOpen = false;
  turn.spans[at] = span;
  turn.byKey.set(place.key, at);
}

function turnOf(all: Trace, e: RuntimeEvent): TraceTurn {
  const id = e.turnId ?? all.turns.at(-1)?.id ?? "";
  let turn = all.byId.get(id);
  if (!turn) {
    const at = Date.parse(e.timestamp);
    const state = { isOpen: true, input: "", status: "accepted" };
    turn = { id, first: e.sequence, startAt: at, endAt: at, ...state, spans: [], byKey: new Map(), version: 0 };
    all.turns.push(turn);
    all.byId.set(id, turn);
  }
  return turn;
}

/** The event of the thread carries the status of its active turn. */
function takeStatus(all: Trace, e: RuntimeEvent): void {
  const id = text(e.payload.activeTurnId);
  const turn = id ? all.byId.get(id) : undefined;
  if (!turn?.isOpen) return;
  turn.status = text(e.payload.profileStatus) || turn.status;
  turn.version++;
}

function takeTurn(turn: TraceTurn, e: RuntimeEvent): void {
  if (e.turnId !== turn.id) return;
  turn.endAt = Math.max(turn.endAt, Date.parse(e.timestamp));
  if (e.status && e.type.startsWith("turn.")) turn.status = e.status;
  if (e.type === "turn.submitted") {
    const parts = (e.payload.input ?? []) as { preview?: string; text?: string }[];
    turn.input = parts.map((part) => part.preview ?? part.text ?? "").join(" ");
  } else if (e.type === "turn.completed" || e.type === "turn.failed") {
    turn.isOpen = false;
    turn.status = text(e.payload.outcome) || e.status || "unknown";
    turn.costUsd = typeof e.payload.costUsd === "number" ? e.payload.costUsd : undefined;
    turn.amountState = text(e.payload.amountState) || undefined;
  }
}

export function applyTrace(all: Trace, e: RuntimeEvent): void {
  if (e.type === "thread.updated") return takeStatus(all, e);
  const turn = turnOf(all, e);
  turn.version++;
  takeTurn(turn, e);
  const place = placeOf(e);
  if (place) takeSpan(turn, e, place);
  if (e.type === "history.rollback.completed") for (const id of (e.payload.removedTurns ?? []) as string[]) all.removed.add(id);
}

function joinSpans(older: Span, newer: Span): Span {
  return {
    ...newer,
    name: newer.name.includes(".") && older.name ? older.name : newer.name,
    note: newer.note || older.note,
    first: older.first,
    startAt: older.startAt,
    count: older.count + newer.count,
    isBad: older.isBad || newer.isBad,
  };
}

function joinTurns(older: TraceTurn, newer: TraceTurn): TraceTurn {
  const spans = [...older.spans];
  const byKey = new Map(older.byKey);
  for (const span of newer.spans) {
    const at = byKey.get(span.key) ?? spans.length;
    spans[at] = spans[at] ? joinSpans(spans[at], span) : span;
    byKey.set(span.key, at);
  }
  return { ...newer, first: older.first, startAt: older.startAt, input: older.input || newer.input, spans, byKey, version: older.version + newer.version };
}

/** Puts an older part in front. */
export function prependTrace(older: Trace, all: Trace): Trace {
  const seams = new Set(older.turns.filter((turn) => all.byId.has(turn.id)).map((turn) => turn.id));
  const turns = [
    ...older.turns.map((turn) => (seams.has(turn.id) ? joinTurns(turn, all.byId.get(turn.id)!) : turn)),
    ...all.turns.filter((turn) => !seams.has(turn.id)),
  ];
  return { turns, byId: new Map(turns.map((turn) => [turn.id, turn])), removed: new Set([...older.removed, ...all.removed]) };
}

// ---- rows ----

export type TraceRow =
  | { key: string; turn: TraceTurn; span?: undefined; depth: 0 }
  | { key: string; turn: TraceTurn; span: Span; depth: number };

const made = new WeakMap<TraceTurn, { version: number; lanes: string; rows: TraceRow[] }>();

/** The turn, then its spans in order; spans that belong to a call follow the call. */
export function traceRowsOf(turn: TraceTurn, hidden: ReadonlySet<string>): TraceRow[] {
  const lanes = [...hidden].join();
  const known = made.get(turn);
  if (known?.version === turn.version && known.lanes === lanes) return known.rows;
  const rows: TraceRow[] = [{ key: `turn:${turn.id}`, turn, depth: 0 }];
  const shown = turn.spans.filter((span) => !hidden.has(span.lane));
  const keys = new Set(shown.map((span) => span.key));
  const children = new Map<string, Span[]>();
  for (const span of shown)
    if (span.parent && keys.has(span.parent)) children.set(span.parent, [...(children.get(span.parent) ?? []), span]);
  for (const span of shown) {
    if (span.parent && keys.has(span.parent)) continue;
    rows.push({ key: span.key, turn, span, depth: 1 });
    for (const child of children.get(span.key) ?? []) rows.push({ key: child.key, turn, span: child, depth: 2 });
  }
  made.set(turn, { version: turn.version, lanes, rows });
  return rows;
}

// A thread's events as a transcript: turns, and the messages, calls and notes of each turn.
//
// Events arrive in order, each once.  Older events are folded separately and put in front; a turn
// that spans both parts is joined.
import type { RuntimeEvent, PermissionDecision } from "../api/types";

export interface Item {
  key: string;
  kind: string; // of the standard: user_message, agent_message, reasoning, tool_call, ...; or "note"
  sequence: number;
  at: string;
  status?: string;
  text: string;
  tone?: "bad" | "warn" | "plain";
  textRef?: string;
  textBytes?: number;
  isText?: boolean; // a message without images and files
  delivery?: string;
  tool?: Tool;
  note?: Note;
}

export interface Tool {
  name: string;
  callId?: string;
  args?: unknown;
  editedBy?: string;
  permission?: PermissionDecision;
  asked?: boolean;
  decided?: { decision: string; by: string };
  progress?: { message?: string; completed?: number; total?: number };
  result?: string;
  failure?: string;
  category?: string;
  executed?: string;
  advice?: string;
  exitCode?: number;
  durationMs?: number;
  outputRef?: string;
  isCut?: boolean;
  artifacts: string[];
}

/** An entry that is shown as one sentence. */
export interface Note {
  kind: "retry" | "plain" | "recovered" | "compacted" | "compactFailed" | "rolledBack" | "refused" | "imported";
  blanks: Record<string, string | number>;
  /** What kind of sentence the runtime wrote, and its stable word. */
  said?: string;
  code?: string;
}

export interface TurnEnd {
  sequence: number;
  at: string;
  outcome: string;
  category?: string;
  reason?: string;
  remedy?: string;
  costUsd?: number;
  amountState?: string;
  tokens?: { inputTokens: number; outputTokens: number };
}

export interface Turn {
  id: string;
  firstSequence: number;
  startedAt: string;
  model?: string;
  items: Item[]; // replaced, never changed: rendering compares by identity
  byKey: Map<string, number>;
  end?: TurnEnd;
  version: number;
}

export interface Transcript {
  turns: Turn[];
  byId: Map<string, Turn>;
}

export const emptyTranscript = (): Transcript => ({ turns: [], byId: new Map() });

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const num = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const plain = (said: string, code: unknown): Note => ({ kind: "plain", blanks: {}, said, code: text(code) });

function whoIs(actor: unknown): string {
  const a = (actor ?? {}) as { kind?: string; principal?: string; via?: string };
  if (!a.principal) return a.kind ?? "";
  return a.via ? `${a.principal} (${a.via})` : a.principal;
}

function turnOf(all: Transcript, e: RuntimeEvent): Turn {
  // An event without a turn (a recovery, a warning) is shown where it happened.
  const id = e.turnId ?? all.turns.at(-1)?.id ?? "";
  let turn = all.byId.get(id);
  if (!turn) {
    turn = { id, firstSequence: e.sequence, startedAt: e.timestamp, items: [], byKey: new Map(), version: 0 };
    all.turns.push(turn);
    all.byId.set(id, turn);
  }
  turn.version++;
  return turn;
}

function itemOf(turn: Turn, e: RuntimeEvent, kind: string, key = e.stepId ?? e.eventId): Item {
  const at = turn.byKey.get(key) ?? turn.items.length;
  const before = turn.items[at];
  const item: Item = before
    ? { ...before, tool: before.tool && { ...before.tool } }
    : { key, kind, sequence: e.sequence, at: e.timestamp, text: "" };
  turn.items[at] = item;
  turn.byKey.set(key, at);
  if (e.item) {
    item.kind = e.item.kind;
    item.status = e.item.status;
  }
  return item;
}

function toolOf(turn: Turn, e: RuntimeEvent): Item & { tool: Tool } {
  const item = itemOf(turn, e, "tool_call");
  item.tool ??= { name: text(e.payload.toolName) ?? "", callId: e.toolCallId, artifacts: [] };
  return item as Item & { tool: Tool };
}

function addNote(turn: Turn, e: RuntimeEvent, note: Note, tone: Item["tone"], words: string): void {
  const item = itemOf(turn, e, "note", e.eventId);
  item.kind = "note";
  item.note = note;
  item.tone = tone;
  item.text = words;
}

const say = (turn: Turn, e: RuntimeEvent, kind: string): void => {
  const item = itemOf(turn, e, kind);
  item.text += text(e.payload.text) ?? "";
};

type Fold = (turn: Turn, e: RuntimeEvent) => void;

const folds: Record<string, Fold> = {
  "turn.submitted"(turn, e) {
    const parts = (e.payload.input ?? []) as { type?: string; preview?: string; text?: string; bytes?: number }[];
    if (!parts.length) return; // an internal turn of the runtime, such as a compaction
    const item = itemOf(turn, e, "user_message");
    item.kind = "user_message";
    item.text = parts.map((part) => part.preview ?? part.text ?? "").join("\n");
    item.isText = parts.every((part) => (part.type ?? "text") === "text");
    item.delivery = text(e.payload.delivery);
    item.textBytes = parts.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
    item.textRef = text(e.payload.inputRef);
  },
  "model.delta"(turn, e) {
    if (e.payload.kind !== "tool_arguments") say(turn, e, "agent_message");
  },
  "reasoning.delta": (turn, e) => say(turn, e, "reasoning"),
  "reasoning.summary"(turn, e) {
    const item = itemOf(turn, e, "reasoning");
    if (!item.text) item.text = text(e.payload.preview) ?? "";
  },
  "model.requested"(turn, e) {
    turn.model = text(e.payload.model);
  },
  "model.failed"(turn, e) {
    const why = text(e.payload.message) ?? text(e.payload.category) ?? "";
    const blanks = { n: num(e.payload.attempt) ?? 1, why };
    addNote(turn, e, { kind: "retry", blanks, said: "failure", code: text(e.payload.category) }, "warn", why);
  },
  "tool.started"(turn, e) {
    const { tool } = toolOf(turn, e);
    tool.args = e.payload.safeArgs;
  },
  "tool.args"(turn, e) {
    const { tool } = toolOf(turn, e);
    if (e.payload.safeArgs !== undefined) tool.args = e.payload.safeArgs;
    if (e.payload.kind === "updated") tool.editedBy = text(e.payload.updatedBy);
  },
  "tool.progress"(turn, e) {
    const { tool } = toolOf(turn, e); // the event also says that the call runs now
    if (e.payload.kind === "dispatched") return;
    tool.progress = {
      message: text(e.payload.message),
      completed: num(e.payload.completed),
      total: num(e.payload.total),
    };
  },
  "tool.result"(turn, e) {
    const item = toolOf(turn, e);
    Object.assign(item.tool, {
      result: text(e.payload.displayPreview) ?? "",
      exitCode: num(e.payload.exitCode),
      durationMs: num(e.payload.durationMs),
      outputRef: text(e.payload.rawOutputRef),
      isCut: e.payload.truncation !== undefined && e.payload.truncation !== "none",
    });
    if (e.payload.isError) item.tone = "bad";
  },
  "tool.failed"(turn, e) {
    const item = toolOf(turn, e);
    item.tone = "bad";
    Object.assign(item.tool, {
      failure: text(e.statusReason) ?? text(e.payload.reason) ?? text(e.payload.category) ?? "",
      category: text(e.payload.category),
      executed: text(e.payload.executed),
      advice: text(e.payload.advice),
      durationMs: num(e.payload.durationMs),
      outputRef: text(e.payload.rawOutputRef),
    });
  },
  "permission.evaluated"(turn, e) {
    toolOf(turn, e).tool.permission = e.permissionDecision;
  },
  "action.required"(turn, e) {
    toolOf(turn, e).tool.asked = true;
  },
  "action.resolved"(turn, e) {
    const decision = text(e.payload.decision) ?? "";
    toolOf(turn, e).tool.decided = { decision, by: whoIs(e.payload.decidedBy) };
  },
  "artifact.changed"(turn, e) {
    if (!e.stepId) return;
    const { tool } = toolOf(turn, e);
    tool.artifacts = [...tool.artifacts, `${e.payload.change}: ${e.payload.path}`];
  },
  "run.status"(turn, e) {
    const words = text(e.payload.title) ?? text(e.payload.kind) ?? "";
    addNote(turn, e, plain("run", e.payload.kind), "plain", words);
  },
  "runtime.warning": (turn, e) => addNote(turn, e, plain("warning", e.payload.category), "warn", text(e.payload.message) ?? ""),
  "runtime.error": (turn, e) => addNote(turn, e, plain("failure", e.payload.category), "bad", text(e.payload.message) ?? ""),
  "sandbox.violation"(turn, e) {
    const what = [e.payload.operation ?? e.payload.syscall ?? e.payload.kind, e.payload.path ?? e.payload.host].filter(Boolean).join(" ");
    addNote(turn, e, { kind: "refused", blanks: { what } }, "bad", what);
  },
  "quota.blocked": (turn, e) => addNote(turn, e, plain("failure", "budget"), "bad", text(e.payload.reason) ?? ""),
  "history.reconstructed"(turn, e) {
    const origin = e.payload.origin as { program?: string; turns?: number } | undefined;
    if (!origin) return addNote(turn, e, { kind: "recovered", blanks: {} }, "warn", "");
    addNote(turn, e, { kind: "imported", blanks: { program: origin.program ?? "", n: origin.turns ?? 0 } }, "plain", "");
  },
  "context.compaction.completed"(turn, e) {
    const { before, after } = (e.payload.tokens ?? {}) as { before?: number; after?: number };
    const blanks = { n: count(e.payload.affectedTurns), before: before ?? "?", after: after ?? "?" };
    addNote(turn, e, { kind: "compacted", blanks }, "plain", text(e.payload.summaryPreview) ?? "");
  },
  "context.compaction.failed"(turn, e) {
    const why = text(e.payload.message) ?? text(e.payload.category) ?? "";
    addNote(turn, e, { kind: "compactFailed", blanks: { why }, said: "failure", code: text(e.payload.category) }, "bad", why);
  },
  "history.rollback.completed": (turn, e) =>
    addNote(turn, e, { kind: "rolledBack", blanks: { n: count(e.payload.removedTurns) } }, "warn", ""),
  "turn.completed"(turn, e) {
    addImported(turn, e);
    endTurn(turn, e);
  },
  "turn.failed": endTurn,
};

interface ImportedItem {
  kind: string;
  name?: string;
  sourceId?: string;
  text: string;
  isError?: boolean;
}

/** What another program did in an imported turn: its end has all of it. */
function addImported(turn: Turn, e: RuntimeEvent): void {
  const imported = e.payload.imported as { items?: ImportedItem[]; model?: string } | undefined;
  if (!imported) return;
  turn.model = imported.model;
  imported.items?.forEach((part, n) => {
    if (part.kind === "tool_result") return addImportedResult(turn, part);
    const item = itemOf(turn, e, part.kind === "text" ? "agent_message" : "tool_call", `${e.eventId}.${n}`);
    item.status = "completed";
    if (part.kind === "text") item.text = part.text;
    else item.tool = { name: part.name ?? "", callId: part.sourceId, args: part.text, artifacts: [] };
  });
}

function addImportedResult(turn: Turn, part: ImportedItem): void {
  const call = turn.items.find((item) => item.tool && item.tool.callId === part.sourceId);
  if (!call?.tool) return;
  call.tool.result = part.text;
  if (part.isError) call.tone = "bad";
}

function endTurn(turn: Turn, e: RuntimeEvent): void {
  turn.end = {
    sequence: e.sequence,
    at: e.timestamp,
    outcome: text(e.payload.outcome) ?? e.status ?? "unknown",
    category: text(e.payload.category),
    reason: text(e.payload.message) ?? text(e.payload.reason),
    remedy: text(e.payload.remedy),
    costUsd: num(e.payload.costUsd),
    amountState: text(e.payload.amountState) ?? text(e.payload.costStatus),
    tokens: e.payload.usage as TurnEnd["tokens"],
  };
}

/** Applies one event.  The caller leaves out events of other threads. */
export function apply(all: Transcript, e: RuntimeEvent): void {
  const fold = folds[e.type];
  if (fold) fold(turnOf(all, e), e);
  else if (e.item && e.turnId && all.byId.has(e.turnId)) {
    const turn = all.byId.get(e.turnId)!;
    const at = turn.byKey.get(e.item.itemId);
    if (at === undefined || turn.items[at]!.status === e.item.status) return;
    turn.items[at] = { ...turn.items[at]!, status: e.item.status };
    turn.version++;
  }
}

function joinItems(older: Item, newer: Item): Item {
  const tool = newer.tool || older.tool ? { ...older.tool!, ...newer.tool! } : undefined;
  if (tool && older.tool) {
    tool.args ??= older.tool.args;
    tool.permission ??= older.tool.permission;
    tool.name ||= older.tool.name;
  }
  return { ...older, ...newer, sequence: older.sequence, at: older.at, text: older.text + newer.text, tool };
}

function joinTurns(older: Turn, newer: Turn): Turn {
  const items = [...older.items];
  const byKey = new Map(older.byKey);
  for (const item of newer.items) {
    const at = byKey.get(item.key) ?? items.length;
    items[at] = items[at] ? joinItems(items[at], item) : item;
    byKey.set(item.key, at);
  }
  return {
    ...older,
    items,
    byKey,
    model: newer.model ?? older.model,
    end: newer.end ?? older.end,
    version: older.version + newer.version,
  };
}

/** Puts an older part in front. */
export function prepend(older: Transcript, all: Transcript): Transcript {
  const seams = new Set(older.turns.filter((turn) => all.byId.has(turn.id)).map((turn) => turn.id));
  const turns = [
    ...older.turns.map((turn) => (seams.has(turn.id) ? joinTurns(turn, all.byId.get(turn.id)!) : turn)),
    ...all.turns.filter((turn) => !seams.has(turn.id)),
  ];
  return { turns, byId: new Map(turns.map((turn) => [turn.id, turn])) };
}

/** The rows of the list. */
export type Row =
  | { key: string; turn: Turn; item: Item; end?: undefined }
  | { key: string; turn: Turn; item?: undefined; end: TurnEnd };

const NEVER_SHOWN = new Set(["catalog"]);
const made = new WeakMap<Turn, { version: number; rows: Row[] }>();

/** Entries after the last turn (a recovery, a rollback). */
export const isAfterEnd = (turn: Turn, item: Item): boolean => turn.end !== undefined && item.sequence > turn.end.sequence;

export function rowsOf(turn: Turn): Row[] {
  const known = made.get(turn);
  if (known?.version === turn.version) return known.rows;
  const { end } = turn;
  const rowOf = (item: Item): Row => ({ key: item.key, turn, item });
  // The end of the turn states its error, so the attempt that failed with the same one does not.
  const isTold = (item: Item): boolean => end?.reason !== undefined && item.note !== undefined && item.text === end.reason;
  const shown = turn.items.filter((item) => !NEVER_SHOWN.has(item.kind) && !isTold(item));
  const rows = shown.filter((item) => !isAfterEnd(turn, item)).map(rowOf);
  if (end) rows.push({ key: `end:${turn.id}`, turn, end }, ...shown.filter((item) => isAfterEnd(turn, item)).map(rowOf));
  made.set(turn, { version: turn.version, rows });
  return rows;
}

// The latest views.  Nothing here is computed from events: an event only decides which view is read
// again.
import { signal } from "@preact/signals";
import { get, read } from "../api/client";
import { onEvents, onStart } from "../api/stream";
import type { ActionView, ExplainThreadReply, SessionRow, ThreadStatus } from "../api/types";

export const sessions = signal<SessionRow[] | undefined>(undefined);
export const olderCursor = signal<string | undefined>(undefined);
export const actions = signal<ActionView[] | undefined>(undefined);
/** Counts changes that move what is listed, such as an answered request that goes away. */
export const actionsMoved = signal(0);
export const waits = signal<ReadonlyMap<string, ExplainThreadReply>>(new Map());
export const trouble = signal<Error | undefined>(undefined);

const PAGE = 200;
const REST_MS = 250;

/** Events that only add text; no list changes with them. */
export const isQuiet = (type: string): boolean => type.endsWith(".delta") || type === "tool.progress";

/** Runs at most once per REST_MS, and once more if it was called meanwhile. */
export function throttled(work: () => Promise<void>): () => void {
  let busy = false;
  let again = false;
  return async function ask() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      await work();
      trouble.value = undefined;
    } catch (e) {
      trouble.value = e as Error;
    }
    setTimeout(() => {
      busy = false;
      if (again) {
        again = false;
        void ask();
      }
    }, REST_MS);
  };
}

type SessionPage = { sessions: SessionRow[]; nextCursor?: string };

const readPage = (more: { cursor?: string; status?: ThreadStatus } = {}): Promise<SessionPage> =>
  get("/v1/sessions", { limit: PAGE, archived: "false", ...more });

/** Statuses of sessions that are shown first, however old they are. */
const URGENT: ThreadStatus[] = ["blocked", "failed", "running", "queued"];

function addRows(rows: SessionRow[]): void {
  const known = sessions.value ?? [];
  const have = new Set(known.map((row) => row.sessionId));
  const fresh = rows.filter((row) => !have.has(row.sessionId));
  if (fresh.length) sessions.value = [...known, ...fresh];
}

/** Read once: a session that becomes urgent later has changed, so it is on the first page. */
async function readUrgent(): Promise<void> {
  const pages = await Promise.all(URGENT.map((status) => readPage({ status })));
  const rows = pages.flatMap((page) => page.sessions);
  addRows(rows);
  await readWaits(rows);
}

/** Takes sessions off the list, such as archived ones. */
export function forget(gone: ReadonlySet<string>): void {
  sessions.value = sessions.value?.filter((row) => !gone.has(row.sessionId));
}

/** The list is ordered by latest change, so a changed session is always on the first page. */
async function readSessions(): Promise<void> {
  const page = await readPage();
  const fresh = new Set(page.sessions.map((row) => row.sessionId));
  // A session newer than the end of the page and not on it is gone (archived or erased).
  const end = page.nextCursor ? (page.sessions.at(-1)?.updatedAt ?? "") : "";
  const older = (sessions.value ?? []).filter((row) => row.updatedAt <= end && !fresh.has(row.sessionId));
  sessions.value = [...page.sessions, ...older];
  if (!older.length) olderCursor.value = page.nextCursor;
  await readWaits(page.sessions);
}

let isReadingOlder = false;

export async function readOlder(): Promise<void> {
  if (isReadingOlder || !olderCursor.value) return;
  isReadingOlder = true;
  try {
    const page = await readPage({ cursor: olderCursor.value });
    addRows(page.sessions);
    olderCursor.value = page.nextCursor;
    await readWaits(page.sessions);
  } finally {
    isReadingOlder = false;
  }
}

const OPEN: ThreadStatus[] = ["running", "blocked", "queued", "stale", "unknown"];
export const isOpen = (row: SessionRow): boolean => OPEN.includes(row.status) || row.queuedTurns > 0;

/** Reads what open sessions wait for, since when and until when, if they have changed. */
async function readWaits(rows: SessionRow[]): Promise<void> {
  const waiting = rows.filter(isOpen);
  const known = waits.value;
  const old = waiting.filter((row) => (known.get(row.sessionId)?.sequence ?? -1) < row.sequence);
  if (!old.length) return;
  const next = new Map(known);
  await Promise.all(
    old.slice(0, PAGE).map(async (row) => {
      const why = await read("explain_thread", { sessionId: row.sessionId });
      next.set(row.sessionId, { ...why, sequence: Math.max(why.sequence, row.sequence) });
    }),
  );
  waits.value = next;
}

async function readActions(): Promise<void> {
  const all: ActionView[] = [];
  let cursor: string | undefined;
  do {
    const page: { actions: ActionView[]; nextCursor?: string } = await get("/v1/actions", {
      status: "pending",
      limit: PAGE,
      cursor,
    });
    all.push(...page.actions);
    cursor = page.nextCursor;
  } while (cursor && all.length < 1000);
  const idsOf = (rows: ActionView[]): string => rows.map((row) => row.actionId).join();
  if (actions.value && !idsOf(all).startsWith(idsOf(actions.value))) actionsMoved.value++;
  actions.value = all;
}

export const refreshSessions = throttled(readSessions);
export const refreshActions = throttled(readActions);

onStart(() => {
  refreshSessions();
  void readUrgent().catch((e: Error) => (trouble.value = e));
  refreshActions();
});

onEvents((events) => {
  const archived = events.filter((e) => e.type === "session.updated" && e.payload.archived === true);
  if (archived.length) forget(new Set(archived.map((e) => e.sessionId)));
  if (events.some((e) => !isQuiet(e.type))) refreshSessions();
  if (events.some((e) => e.type.startsWith("action.") || e.type === "history.reconstructed")) refreshActions();
});

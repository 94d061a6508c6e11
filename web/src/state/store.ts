// The latest views.  Nothing here is computed from events: an event only decides which view is read
// again.
import { signal } from "@preact/signals";
import { get, Problem, read } from "../api/client";
import { onEvents, onStart } from "../api/stream";
import type { ActionView, ExplainThreadReply, SessionRow, ThreadStatus } from "../api/types";

export const sessions = signal<SessionRow[] | undefined>(undefined);
export const olderCursor = signal<string | undefined>(undefined);
export const actions = signal<ActionView[] | undefined>(undefined);
export const waits = signal<ReadonlyMap<string, ExplainThreadReply>>(new Map());
export const trouble = signal<string | undefined>(undefined);

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
      trouble.value = e instanceof Problem ? e.message : String(e);
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

/** The list is ordered by latest change, so a changed session is always on the first page. */
async function readSessions(): Promise<void> {
  const page = await get<{ sessions: SessionRow[]; nextCursor?: string }>("/v1/sessions", { limit: PAGE });
  const fresh = new Set(page.sessions.map((row) => row.sessionId));
  // A session newer than the end of the page and not on it is gone (archived or erased).
  const end = page.nextCursor ? (page.sessions.at(-1)?.updatedAt ?? "") : "";
  const older = (sessions.value ?? []).filter((row) => row.updatedAt <= end && !fresh.has(row.sessionId));
  sessions.value = [...page.sessions, ...older];
  if (!older.length) olderCursor.value = page.nextCursor;
  await readWaits(page.sessions);
}

export async function readOlder(): Promise<void> {
  const page = await get<{ sessions: SessionRow[]; nextCursor?: string }>("/v1/sessions", {
    limit: PAGE,
    cursor: olderCursor.value,
  });
  const known = sessions.value ?? [];
  const have = new Set(known.map((row) => row.sessionId));
  sessions.value = [...known, ...page.sessions.filter((row) => !have.has(row.sessionId))];
  olderCursor.value = page.nextCursor;
  await readWaits(page.sessions);
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
  actions.value = all;
}

export const refreshSessions = throttled(readSessions);
export const refreshActions = throttled(readActions);

onStart(() => {
  refreshSessions();
  refreshActions();
});

onEvents((events) => {
  if (events.some((e) => !isQuiet(e.type))) refreshSessions();
  if (events.some((e) => e.type.startsWith("action.") || e.type === "history.reconstructed")) refreshActions();
});

// The event stream: every event of every session as it becomes durable.
//
// The stream begins at the end of the log and resumes from its cursor after a disconnect, so no event is missed and
// none arrives twice.  A view that is read after the stream has started includes everything before the stream's
// first event.  Events are delivered once per frame.
//
// A browser allows few connections to one origin, so one tab reads the stream and broadcasts it to the others
// (shared_stream.ts).  The tab that takes over resumes from its own cursor.
import { signal } from "@preact/signals";
import { Problem, request, session, whoAmI } from "./client";
import { leadOrFollow, broadcast, type StreamUpdate } from "./shared_stream";
import type { RuntimeEvent } from "./types";

export type LinkState = "connecting" | "live" | "stale";
export const link = signal<{ state: LinkState; since: number }>({ state: "connecting", since: Date.now() });

/** Events that the runtime omitted because they are damaged on disk. */
export interface Damage {
  sessionId?: string;
  from: number;
  to: number;
}
export const damage = signal<Damage | undefined>(undefined);

type Batch = (events: RuntimeEvent[]) => void;
const listeners = new Set<Batch>();
/** fresh: from the end of the log; again: resumed after a disconnect; gap: events were removed or skipped. */
export type Start = "fresh" | "again" | "gap";
const starters = new Set<(why: Start) => void>();

/** Calls back with the events since the last frame. */
export function onEvents(fn: Batch): () => void {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

/** Calls back when the stream starts; at once if it is live. */
export function onStart(fn: (why: Start) => void): () => void {
  starters.add(fn);
  if (link.value.state === "live") fn("fresh");
  return () => starters.delete(fn);
}

const PING_S = 15;
let cursor = "end";
/** The last sequence of each session: another tab may broadcast events that this tab has. */
const lastOf = new Map<string, number>();
let waiting: RuntimeEvent[] = [];
let isPlanned = false;
let wakeUp: () => void = () => {};

function setState(state: LinkState): void {
  if (link.value.state !== state) link.value = { state, since: Date.now() };
}

function deliver(): void {
  isPlanned = false;
  const events = waiting;
  waiting = [];
  for (const fn of [...listeners]) fn(events);
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  if (document.hidden) setTimeout(deliver, 250);
  else requestAnimationFrame(deliver);
}

function notifyStart(why: Start): void {
  for (const fn of [...starters]) fn(why);
}

/** Delivers the events that are new to this tab, in order. */
function take(events: RuntimeEvent[]): void {
  const fresh = events.filter((e) => e.sequence > (lastOf.get(e.sessionId) ?? 0));
  const isGap = fresh.some((e) => {
    const before = lastOf.get(e.sessionId);
    lastOf.set(e.sessionId, e.sequence);
    return before !== undefined && e.sequence > before + 1;
  });
  waiting.push(...fresh);
  if (fresh.length) plan();
  if (isGap) notifyStart("gap");
}

function takeFrame(frame: string): void {
  let id = "";
  let name = "";
  let data = "";
  for (const line of frame.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  if (id) cursor = id;
  const events: RuntimeEvent[] = data && name !== "gap" && name !== "end" ? [JSON.parse(data)] : [];
  take(events);
  const gap: (Damage & { reason?: string }) | undefined = name === "gap" && data ? JSON.parse(data) : undefined;
  const damaged = gap?.reason === "corrupt" ? gap : undefined;
  if (damaged) damage.value = damaged;
  if (name === "gap") notifyStart("gap");
  broadcast({ events, cursor, isGap: name === "gap", damaged });
}

/** An update from the tab that reads the stream.  The first one is this tab's start. */
function takeUpdate(update: StreamUpdate): void {
  const isFirst = link.value.state !== "live";
  const isFresh = cursor === "end";
  if (update.state && update.state !== "live") return setState(update.state);
  if (update.cursor) cursor = update.cursor;
  if (isFirst) {
    setState("live");
    notifyStart(isFresh ? "fresh" : "again");
  }
  take(update.events ?? []);
  if (update.damaged) damage.value = update.damaged;
  if (update.isGap) notifyStart("gap");
}

async function follow(isFollowing: () => boolean): Promise<void> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), 10_000);
  const fresh = cursor === "end";
  const response = await request(`/v1/events?after=${encodeURIComponent(cursor)}`, {
    headers: { Accept: "text/event-stream" },
    signal: abort.signal,
    cache: "no-store",
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  setState("live");
  notifyStart(fresh ? "fresh" : "again");
  broadcast({ state: "live", cursor });
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), PING_S * 2500);
      const { done, value } = await reader.read();
      if (done || !isFollowing()) return;
      const frames = (rest + value).split("\n\n");
      rest = frames.pop()!;
      frames.forEach(takeFrame);
      broadcast({ cursor });
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

/** Reloads the page if another runtime answers at this address: cursors do not carry over. */
async function checkIdentity(known: string | undefined): Promise<void> {
  await whoAmI();
  if (known && session.value?.runtimeId !== known) location.reload();
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    wakeUp = () => {
      clearTimeout(timer);
      done();
    };
  });
}

let isRunning = false;

/** Runs until the user signs out. */
export async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  while (session.value) await leadOrFollow(takeUpdate, () => ({ state: link.value.state, cursor }), keepFollowing);
  isRunning = false;
}

/** Reads the stream until the user signs out or another tab takes over. */
async function keepFollowing(isFollowing: () => boolean): Promise<void> {
  const known = session.value?.runtimeId;
  let tries = 0;
  while (session.value && isFollowing()) {
    try {
      if (tries || cursor !== "end") await checkIdentity(known);
      await follow(isFollowing);
      tries = 0;
    } catch (e) {
      if (e instanceof Problem && e.status === 401) return;
    }
    if (!isFollowing()) return;
    setState("stale");
    broadcast({ state: "stale" });
    await pause(Math.min(250 * 2 ** tries++, 4000));
  }
}

window.addEventListener("online", () => wakeUp());
document.addEventListener("visibilitychange", () => document.hidden || wakeUp());

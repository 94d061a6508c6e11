// The one stream: every event of every session as it becomes durable.
//
// It begins at the end of the log and goes on from its cursor after each break, so nothing is
// missed and nothing comes twice.  Whoever reads a view after the stream has begun sees at least
// what the stream will not tell.  Events are handed on once per frame.
//
// A browser has few connections to one origin, so of several tabs one follows the stream and tells
// the others (tabs.ts).  Whichever follows next goes on from its own cursor.
import { signal } from "@preact/signals";
import { Problem, request, session, whoAmI } from "./client";
import { beFirst, tell, type Told } from "./shared_stream";
import type { RuntimeEvent } from "./types";

export type LinkState = "connecting" | "live" | "stale";
export const link = signal<{ state: LinkState; since: number }>({ state: "connecting", since: Date.now() });

/** Events that the runtime left out because they are damaged on disk. */
export interface Damage {
  sessionId?: string;
  from: number;
  to: number;
}
export const damage = signal<Damage | undefined>(undefined);

type Batch = (events: RuntimeEvent[]) => void;
const listeners = new Set<Batch>();
/** fresh: from the end of the log; again: after a break, from where it was; gap: something is gone. */
export type Start = "fresh" | "again" | "gap";
const starters = new Set<(why: Start) => void>();

/** Calls back with what came since the last frame. */
export function onEvents(fn: Batch): () => void {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

/** Calls back when the stream begins; at once when it has begun. */
export function onStart(fn: (why: Start) => void): () => void {
  starters.add(fn);
  if (link.value.state === "live") fn("fresh");
  return () => starters.delete(fn);
}

const PING_S = 15;
let cursor = "end";
/** Of each session the last event that came: another tab may tell what is known here. */
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

function tellStart(why: Start): void {
  for (const fn of [...starters]) fn(why);
}

/** Hands on what is new, in order. */
function take(events: RuntimeEvent[]): void {
  const fresh = events.filter((e) => e.sequence > (lastOf.get(e.sessionId) ?? 0));
  const isGap = fresh.some((e) => {
    const before = lastOf.get(e.sessionId);
    lastOf.set(e.sessionId, e.sequence);
    return before !== undefined && e.sequence > before + 1;
  });
  waiting.push(...fresh);
  if (fresh.length) plan();
  if (isGap) tellStart("gap");
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
  if (name === "gap") tellStart("gap");
  tell({ events, cursor, isGap: name === "gap", damaged });
}

/** From the tab that follows the stream; the first thing that it says is where we begin. */
function takeTold(told: Told): void {
  const isFirst = link.value.state !== "live";
  const isFresh = cursor === "end";
  if (told.state && told.state !== "live") return setState(told.state);
  if (told.cursor) cursor = told.cursor;
  if (isFirst) {
    setState("live");
    tellStart(isFresh ? "fresh" : "again");
  }
  take(told.events ?? []);
  if (told.damaged) damage.value = told.damaged;
  if (told.isGap) tellStart("gap");
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
  tellStart(fresh ? "fresh" : "again");
  tell({ state: "live", cursor });
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), PING_S * 2500);
      const { done, value } = await reader.read();
      if (done || !isFollowing()) return;
      const frames = (rest + value).split("\n\n");
      rest = frames.pop()!;
      frames.forEach(takeFrame);
      tell({ cursor });
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

/** Another runtime behind the same address: its log has other places. */
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

/** Runs until nobody is signed in any more. */
export async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  while (session.value) await beFirst(takeTold, () => ({ state: link.value.state, cursor }), keepFollowing);
  isRunning = false;
}

/** Until nobody is signed in, or another tab has taken over. */
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
    tell({ state: "stale" });
    await pause(Math.min(250 * 2 ** tries++, 4000));
  }
}

window.addEventListener("online", () => wakeUp());
document.addEventListener("visibilitychange", () => document.hidden || wakeUp());

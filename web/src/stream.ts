// The one stream of a tab: every event of every session as it becomes durable.
//
// It begins at the end of the log and goes on from its cursor after each break, so nothing is
// missed and nothing comes twice.  Whoever reads a view after the stream has begun sees at least
// what the stream will not tell.  Events are handed on once per frame.
import { signal } from "@preact/signals";
import { Problem, request, session, whoAmI } from "./api";
import type { Envelope } from "./types";

export type LinkState = "connecting" | "live" | "stale";
export const link = signal<{ state: LinkState; since: number }>({ state: "connecting", since: Date.now() });

type Batch = (events: Envelope[]) => void;
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
let waiting: Envelope[] = [];
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

function takeFrame(frame: string): void {
  let id = "";
  let name = "";
  let data = "";
  for (const line of frame.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  if (data && name !== "gap" && name !== "end") {
    waiting.push(JSON.parse(data));
    plan();
  }
  if (id) cursor = id;
  if (name === "gap") tellStart("gap");
}

async function follow(): Promise<void> {
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
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), PING_S * 2500);
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (rest + value).split("\n\n");
      rest = frames.pop()!;
      frames.forEach(takeFrame);
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

/** Runs until nobody is signed in any more. */
export async function run(): Promise<void> {
  const known = session.value?.runtimeId;
  let tries = 0;
  while (session.value) {
    try {
      if (tries) await checkIdentity(known);
      await follow();
      tries = 0;
    } catch (e) {
      if (e instanceof Problem && e.status === 401) return;
    }
    setState("stale");
    await pause(Math.min(250 * 2 ** tries++, 4000));
  }
}

window.addEventListener("online", () => wakeUp());
document.addEventListener("visibilitychange", () => document.hidden || wakeUp());

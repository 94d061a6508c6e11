// Calls to the runtime: its own paths, its own problems, and a cookie that scripts cannot see.
import { signal } from "@preact/signals";
import type { Args, CommandName, ConsoleSession, Reply, RuntimeEvent } from "./types";

/** Who is signed in; null: nobody, undefined: not asked yet. */
export const session = signal<ConsoleSession | null | undefined>(undefined);
/** This page was a paired device's, until the device was revoked. */
export const isUnpaired = signal(false);

/** A refusal of the runtime, or a connection that failed (code "network"). */
export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const body = await response.json().catch(() => ({}));
  return new Problem(body.code ?? "unknown", response.status, body.detail ?? body.title ?? response.statusText);
}

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Problem("network", 0, "The runtime does not answer.");
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401 || response.status === HOST_UNKNOWN) forget();
  throw problem;
}

/** With its last device a host is no name of the runtime any more. */
const HOST_UNKNOWN = 421;

function forget(): void {
  isUnpaired.value ||= session.value?.principal.startsWith("device:") ?? false;
  session.value = null;
}

export async function get<T>(path: string, query: Record<string, string | number | undefined> = {}): Promise<T> {
  const given = Object.entries(query).filter((pair) => pair[1] !== undefined && pair[1] !== "");
  const search = new URLSearchParams(given.map(([k, v]) => [k, String(v)])).toString();
  const response = await request(search ? `${path}?${search}` : path, { headers: { Accept: "application/json" } });
  return response.json();
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** A key for one wish of a person: sent again after a broken connection it is still one command. */
function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

export async function read<C extends CommandName>(command: C, args: Args<C>): Promise<Reply<C>> {
  return (await post(`/v1/commands/${command}`, args)).json();
}

/** Sends a command that changes something; a connection that breaks is tried once more with the same key. */
export async function send<C extends CommandName>(command: C, args: Args<C>): Promise<Reply<C>> {
  const key = { "Idempotency-Key": freshKey() };
  try {
    return await (await post(`/v1/commands/${command}`, args, key)).json();
  } catch (e) {
    if (!(e instanceof Problem) || e.code !== "network") throw e;
    await new Promise((done) => setTimeout(done, 1000));
    return (await post(`/v1/commands/${command}`, args, key)).json();
  }
}

/** Envelopes of one session after a sequence, as they are read; ends when there are no more. */
export async function* history(
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent[]> {
  const response = await request(`/v1/events?session=${encodeURIComponent(sessionId)}&after=${after}&follow=0`, {
    headers: { Accept: "application/x-ndjson" },
    signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    const events = lines.filter((line) => line.startsWith('{"type"')).map((line) => JSON.parse(line));
    if (events.length) yield events;
  }
}

/** The rows of a reply's list. */
export type Row<C extends CommandName, F extends keyof Reply<C>> = Reply<C>[F] extends readonly (infer R)[] | undefined ? R : never;

/** Reads pages until there are at least so many rows, or no more; says whether more are left. */
export async function readRows<C extends CommandName, F extends keyof Reply<C>>(
  command: C,
  field: F,
  args: Args<C>,
  wanted: number,
): Promise<{ rows: Row<C, F>[]; more: boolean }> {
  const rows: Row<C, F>[] = [];
  let cursor: string | undefined;
  do {
    const page: Reply<C> & { nextCursor?: string } = await read(command, { ...args, limit: 200, cursor });
    rows.push(...(page[field] as Row<C, F>[]));
    cursor = page.nextCursor;
  } while (cursor && rows.length < wanted);
  return { rows, more: cursor !== undefined };
}

export async function whoAmI(): Promise<void> {
  session.value = await get<ConsoleSession>("/v1/console/session");
}

export async function signIn(code: string): Promise<void> {
  await post("/v1/console/sign-in", { code });
  await whoAmI();
  isUnpaired.value = false;
}

export async function signOut(): Promise<void> {
  await post("/v1/console/sign-out", {});
  session.value = null;
}

export const may = (scope: string): boolean => session.value?.scopes.includes(scope) ?? false;

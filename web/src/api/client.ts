// Requests to the runtime.  They stay on the origin and authenticate with a cookie that scripts cannot read.
import { signal } from "@preact/signals";
import type { Args, CommandName, ConsoleSession, Reply, RuntimeEvent } from "./types";

/** The signed-in session; null: signed out, undefined: not known yet. */
export const session = signal<ConsoleSession | null | undefined>(undefined);
/** This browser was a paired device that has been revoked. */
export const isUnpaired = signal(false);

/** A refusal of the runtime, or a failed connection (code "network"). */
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

/** The status for a host without paired devices: revoking the last one removes the host's name. */
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

/** An idempotency key: a command that is repeated after a failed connection has one effect. */
function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

export async function read<C extends CommandName>(command: C, args: Args<C>): Promise<Reply<C>> {
  return (await post(`/v1/commands/${command}`, args)).json();
}

/** Sends a command that changes something.  After a failed connection it is sent once more with the same key. */
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

/** The stored events of a session after a sequence, in batches, up to the end of the log. */
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

const PART = 65536;

/** The bytes of an output; it fails if it is larger than most. */
async function readBytes(outputRef: string, sessionId: string, most: number): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (let offset = 0, isOver = false; !isOver; ) {
    const part = await read("get_output", { outputRef, sessionId, offset, length: PART });
    if (part.output.sizeBytes > most) throw new RangeError(outputRef);
    // A part that ends inside a character arrives as base64 instead of text.
    const bytes = part.text !== undefined ? new TextEncoder().encode(part.text) : Uint8Array.from(atob(part.base64 ?? ""), (c) => c.charCodeAt(0));
    parts.push(bytes);
    offset += bytes.length;
    isOver = part.eof || !bytes.length;
  }
  return parts;
}

/** A stored text, whole; it fails if the output is no text or larger than most. */
export async function readOutput(outputRef: string, sessionId: string, most = Infinity): Promise<string> {
  const parts = await readBytes(outputRef, sessionId, most);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** Bytes as a command takes them. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Any output in base64; it fails if that is longer than most. */
export async function readBase64(outputRef: string, sessionId: string, most: number): Promise<string> {
  const parts = await readBytes(outputRef, sessionId, Math.floor((most * 3) / 4));
  return base64(new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()));
}

/** The rows of a reply's list. */
export type Row<C extends CommandName, F extends keyof Reply<C>> = Reply<C>[F] extends readonly (infer R)[] | undefined ? R : never;

/** Reads pages until there are at least wanted rows or no more; more says whether rows are left. */
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

/** A paired device works in the runtime's own directory only. */
export const isDevice = (): boolean => session.value?.principal.startsWith("device:") ?? false;

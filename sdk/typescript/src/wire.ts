// Requests over HTTP, with retries.
import { Problem, Unreachable } from "./errors.js";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

export class Wire {
  constructor(
    private readonly base: string,
    private readonly token: string | undefined,
    private readonly fetch: Fetch,
  ) {}

  /** Throws Problem for a refusal, Unreachable without a reply. */
  async request(method: string, path: string, init: { body?: string; headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> {
    const headers: Record<string, string> = { ...init.headers };
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    const request: RequestInit = { method, headers, cache: "no-store" };
    if (init.body !== undefined) request.body = init.body;
    if (init.signal) request.signal = init.signal;
    try {
      const response = await this.fetch(this.base + path, request);
      if (response.status < 400) return response;
      throw Problem.read(response.status, await response.text());
    } catch (cause) {
      throw cause instanceof Problem ? cause : new Unreachable(`${method} ${path}: ${String(cause)}`, { cause });
    }
  }

  /** The whole body; the connection may still break while it is read. */
  async bytes(response: Response): Promise<Uint8Array> {
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new Unreachable(`the answer broke off: ${String(cause)}`, { cause });
    }
  }
}

/** A unique key.  Node 18 has no global crypto, and browsers offer randomUUID only on secure pages. */
export function newKey(): string {
  const words = new Uint32Array(4);
  if (globalThis.crypto) crypto.getRandomValues(words);
  else words.forEach((_, i) => (words[i] = Math.random() * 2 ** 32));
  return Date.now().toString(36) + "-" + Array.from(words, (word) => word.toString(36)).join("-");
}

/** Exponential backoff with jitter, up to a total time. */
export class Patience {
  private pauseMs = FIRST_PAUSE_MS;
  private until: number | undefined;

  constructor(private readonly limitMs: number) {}

  reset(): void {
    this.pauseMs = FIRST_PAUSE_MS;
    this.until = undefined;
  }

  /** Throws `why` if the time is up or a retry cannot help. */
  async wait(why: unknown, signal?: AbortSignal): Promise<void> {
    const isBusy = why instanceof Problem && why.status === 503;
    if (!isBusy && !(why instanceof Unreachable)) throw why;
    const now = Date.now();
    this.until ??= now + this.limitMs;
    const asked = isBusy ? (why.retryAfterMs ?? 0) : 0;
    const pause = Math.max(asked, this.pauseMs * (0.5 + Math.random() / 2));
    if (now + pause > this.until) throw why;
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    await sleep(pause, signal);
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      done();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
    if (signal?.aborted) wake();
  });
}

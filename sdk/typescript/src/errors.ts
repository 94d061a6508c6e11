import type { Gap as GapBody, ProblemDetails, RuntimeEvent } from "./types.js";

/** Everything that this package throws. */
export class TholeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The runtime does not answer, or the connection broke in the middle of a reply. */
export class Unreachable extends TholeError {}

/** The runtime refused, and nothing has changed.  Programs decide by `code`; the rest is for people. */
export class Problem extends TholeError {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly status: number,
    readonly body: Partial<ProblemDetails>,
  ) {
    super(`${body.code ?? "unknown"} (${status}): ${body.detail ?? body.title ?? ""}`);
    this.code = body.code ?? "unknown";
    this.detail = body.detail ?? body.title ?? "";
    this.retryable = body.retryable ?? false;
    this.retryAfterMs = body.retryAfterMs;
  }

  static read(status: number, text: string): Problem {
    try {
      const body: unknown = JSON.parse(text);
      if (body && typeof body === "object") return new Problem(status, body);
    } catch {
      // A proxy in between may answer with its own pages.
    }
    return new Problem(status, { detail: text.slice(0, 200) });
  }
}

/**
 * No model could be asked: its name is unknown, or its provider is not set up.  The turn has failed;
 * `remedy` says what to do, `event` is the turn.failed.
 */
export class NoModel extends TholeError {
  readonly remedy: string | undefined;

  constructor(readonly event: RuntimeEvent) {
    const payload: any = event.payload ?? {};
    super(payload.message ?? "no model could be asked");
    this.remedy = payload.remedy;
  }
}

/**
 * Events of the stream were removed from the log, or are damaged on disk (`body.reason` is
 * `corrupt`; then there is no snapshot).  The stream is positioned after the gap: the next read
 * continues there, and `body.snapshot` is the state at that position.
 */
export class Gap extends TholeError {
  constructor(readonly body: GapBody) {
    super(`events ${body.from} to ${body.to} are ${body.reason === "corrupt" ? "damaged on disk" : "gone"}`);
  }
}

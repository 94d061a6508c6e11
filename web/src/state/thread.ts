// An open thread: its view, and the part of its transcript that has been read.
//
// History is read from its end: the last TAIL events first, earlier ones when the user scrolls up.  The stream adds
// new events.  A session's sequence has no gaps, so each event is applied once and a missing one is noticed and read.
import { signal } from "@preact/signals";
import { get, history, read } from "../api/client";
import { planOf, type Step } from "./plan";
import { isQuiet, throttled } from "./store";
import { onEvents, onStart } from "../api/stream";
import { applyTrace, emptyTrace, prependTrace, type Trace } from "./trace";
import { apply, emptyTranscript, prepend, type Transcript } from "./transcript";
import type { CostState, RuntimeEvent, ExplainThreadReply, ForkPoint, ThreadView, ThreadRow } from "../api/types";

const TAIL = 3000;
const YIELD_EVERY = 2000;

const breathe = (): Promise<void> => new Promise((done) => setTimeout(done));

export class OpenThread {
  readonly view = signal<ThreadView | undefined>(undefined);
  readonly why = signal<ExplainThreadReply | undefined>(undefined);
  readonly title = signal<string | undefined>(undefined);
  readonly cwd = signal<string | undefined>(undefined);
  /** Of all turns; the view has that of the latest turn. */
  readonly sessionCost = signal<CostState | undefined>(undefined);
  readonly origin = signal<ForkPoint | undefined>(undefined);
  readonly siblings = signal<ThreadRow[]>([]);
  /** The message that is being written. */
  readonly draft = signal("");
  /** The latest plan of the agent. */
  readonly plan = signal<{ sequence: number; steps: Step[] } | undefined>(undefined);
  /** Incremented with every change of the transcript. */
  readonly version = signal(0);
  readonly failure = signal<Error | undefined>(undefined);
  readonly isReading = signal(true);
  transcript: Transcript = emptyTranscript();
  trace: Trace = emptyTrace();
  first = 0; // sequence of the oldest event read
  private last = 0; // sequence of the newest event applied
  private ahead: RuntimeEvent[] = []; // arrived while history was being read
  private readonly abort = new AbortController();
  private readonly ends: (() => void)[] = [];

  constructor(
    readonly sessionId: string,
    readonly threadId: string,
  ) {
    this.ends.push(onStart((why) => this.begin(why === "again")));
    this.ends.push(onEvents((events) => this.take(events)));
  }

  close(): void {
    this.abort.abort();
    for (const end of this.ends) end();
  }

  /** After a disconnect the stream resumes from its cursor, so only the views are read again. */
  private begin(isAgain: boolean): void {
    this.refresh();
    if (!isAgain || !this.last) void this.readTail();
  }

  readonly refresh = throttled(async () => {
    const path = `/v1/sessions/${encodeURIComponent(this.sessionId)}`;
    const [view, why, shell, all] = await Promise.all([
      get<ThreadView>(`${path}/threads/${encodeURIComponent(this.threadId)}`, { window: 1 }),
      read("explain_thread", { sessionId: this.sessionId, threadId: this.threadId }),
      read("get_session", { sessionId: this.sessionId, sections: ["sessionCost"] }),
      get<{ threads: ThreadRow[] }>(`${path}/threads`),
    ]);
    this.siblings.value = all.threads;
    this.view.value = view;
    this.why.value = why;
    this.title.value = shell.title ?? "";
    this.sessionCost.value = shell.sessionCost;
  });

  private isOurs(e: RuntimeEvent): boolean {
    return !e.threadId || e.threadId === this.threadId;
  }

  private applyTo(all: Transcript, trace: Trace, e: RuntimeEvent): void {
    if (e.executionEnvironment?.cwd) this.cwd.value = e.executionEnvironment.cwd;
    if (!this.isOurs(e)) return;
    apply(all, e);
    applyTrace(trace, e);
    if (e.type === "tool.started" || e.type === "tool.args") this.takePlan(e);
    if (e.type === "thread.started") this.origin.value = e.payload.forkedFrom as ForkPoint | undefined;
  }

  private takePlan(e: RuntimeEvent): void {
    const steps = planOf(e.payload.safeArgs);
    if (steps && e.sequence > (this.plan.value?.sequence ?? 0)) this.plan.value = { sequence: e.sequence, steps };
  }

  private async readTail(): Promise<void> {
    this.isReading.value = true;
    this.failure.value = undefined;
    try {
      const head = (await read("explain_thread", { sessionId: this.sessionId })).sequence;
      const after = Math.max(0, head - TAIL);
      const all = emptyTranscript();
      const trace = emptyTrace();
      this.last = after;
      for await (const events of history(this.sessionId, after, this.abort.signal))
        for (const e of events) {
          this.applyTo(all, trace, e);
          this.last = e.sequence;
          if (e.sequence % YIELD_EVERY === 0) await breathe();
        }
      this.transcript = all;
      this.trace = trace;
      this.first = after + 1;
    } catch (e) {
      if (!this.abort.signal.aborted) this.failure.value = e as Error;
    }
    this.isReading.value = false;
    this.version.value++;
    this.take([]);
  }

  get hasOlder(): boolean {
    return this.first > 1;
  }

  async readOlder(): Promise<void> {
    if (this.isReading.value || !this.hasOlder) return;
    this.isReading.value = true;
    const upTo = this.first;
    const after = Math.max(0, upTo - 1 - TAIL);
    const older = emptyTranscript();
    const olderTrace = emptyTrace();
    const page = new AbortController();
    this.abort.signal.addEventListener("abort", () => page.abort());
    try {
      for await (const events of history(this.sessionId, after, page.signal)) {
        for (const e of events) if (e.sequence < upTo) this.applyTo(older, olderTrace, e);
        if (events.at(-1)!.sequence >= upTo - 1) break;
      }
      this.transcript = prepend(older, this.transcript);
      this.trace = prependTrace(olderTrace, this.trace);
      this.first = after + 1;
    } catch (e) {
      if (!this.abort.signal.aborted) this.failure.value = e as Error;
    } finally {
      page.abort();
    }
    this.isReading.value = false;
    this.version.value++;
    this.take([]);
  }

  private take(events: RuntimeEvent[]): void {
    const ours = events.filter((e) => e.sessionId === this.sessionId);
    this.ahead.push(...ours);
    if (ours.some((e) => this.isOurs(e) && !isQuiet(e.type))) this.refresh();
    if (this.isReading.value || !this.ahead.length) return;
    const came = this.ahead;
    this.ahead = [];
    for (const e of came) {
      if (e.sequence <= this.last) continue;
      if (e.sequence !== this.last + 1) {
        void this.readTail(); // should not happen; read the log again
        return;
      }
      this.applyTo(this.transcript, this.trace, e);
      this.last = e.sequence;
    }
    this.version.value++;
  }
}

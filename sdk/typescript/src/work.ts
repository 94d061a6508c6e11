// The loop of an external worker: claim a task, send heartbeats while it is worked on, report the end.
import type { Client } from "./client.js";
import { Problem, TholeError, Unreachable } from "./errors.js";
import type { ClaimTaskReply, CompleteTaskArgs } from "./types.js";

/** What a handler returns: a summary, arguments of complete_task, or nothing. */
export type Done = string | Omit<CompleteTaskArgs, "sessionId" | "taskId" | "runId"> | void;

/** The task was cancelled, or the lease was lost.  A handler may let it pass. */
export class Stopped extends TholeError {}

// The run is not this worker's any more: another one has the task, or it has ended.
const over: ReadonlySet<string> = new Set(["stale_run", "already_ended", "task_not_found", "session_not_found", "session_deleted"]);
const isOver = (why: unknown): boolean => why instanceof Problem && over.has(why.code);

export interface WorkOptions {
  /** Only this kind of work. */
  kind?: string;
  session?: string;
  /** The worker's own name. */
  worker?: string;
  leaseMs?: number;
  /** How long to wait when no task waits. */
  pollMs?: number;
  /** End when no task waits. */
  once?: boolean;
  /** Ends the loop between two tasks. */
  signal?: AbortSignal;
}

/** A claimed task.  Heartbeats are sent until the handler has ended. */
export class Job {
  readonly sessionId: string;
  readonly taskId: string;
  readonly runId: string;
  readonly objective: string;
  /** Aborted when the task is cancelled or the lease is lost; pass it on to what can be interrupted. */
  readonly signal: AbortSignal;
  /** The result would be refused. */
  isLost = false;
  private readonly stopping = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isDone = false;

  constructor(
    private readonly client: Client,
    readonly task: NonNullable<ClaimTaskReply["task"]>,
    claim: ClaimTaskReply,
    private readonly worker: string,
    private readonly leaseMs: number,
  ) {
    this.sessionId = claim.sessionId!;
    this.taskId = claim.taskId!;
    this.runId = claim.runId!;
    this.objective = task.objective ?? "";
    this.signal = this.stopping.signal;
    this.beatLater();
  }

  private get run(): { sessionId: string; taskId: string; runId: string } {
    return { sessionId: this.sessionId, taskId: this.taskId, runId: this.runId };
  }

  private beatLater(): void {
    if (!this.isDone) this.timer = setTimeout(() => void this.beat(), this.leaseMs / 3);
  }

  private async beat(): Promise<void> {
    try {
      const reply = await this.client.call("heartbeat_task", { ...this.run, workerId: this.worker, leaseMs: this.leaseMs });
      if (reply.status === "cancelling") this.stopping.abort(new Stopped("the task was cancelled"));
    } catch (why) {
      if (isOver(why)) this.lose();
      else if (!(why instanceof Unreachable)) this.stopping.abort(why);
    }
    this.beatLater();
  }

  private lose(): void {
    this.isLost = true;
    this.isDone = true;
    this.stopping.abort(new Stopped("the lease was lost"));
  }

  /** Reports progress; throws Stopped if there is no point in going on. */
  async progress(percent?: number, summary?: string): Promise<void> {
    this.signal.throwIfAborted();
    try {
      await this.client.call("append_task_progress", { ...this.run, ...(percent !== undefined && { percent }), ...(summary !== undefined && { summary }) });
    } catch (why) {
      if (!isOver(why)) throw why;
      this.lose();
      this.signal.throwIfAborted();
    }
  }

  /** Used by work(): false if the report came too late, and the runtime has not taken it. */
  async report(send: (run: { sessionId: string; taskId: string; runId: string }) => Promise<unknown>): Promise<boolean> {
    this.end();
    if (this.isLost) return false;
    try {
      await send(this.run);
      return true;
    } catch (why) {
      if (!isOver(why)) throw why;
      return false;
    }
  }

  end(): void {
    this.isDone = true;
    clearTimeout(this.timer);
  }
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

async function workOn(client: Client, job: Job, handler: (job: Job) => Done | Promise<Done>): Promise<boolean> {
  try {
    const done = await handler(job);
    return await job.report((run) => client.call("complete_task", { ...run, ...(typeof done === "string" ? { summary: done } : done) }));
  } catch (why) {
    // The handler failed: the task did, and the worker continues.
    const category = why instanceof Stopped ? "cancelled" : "tool_failed";
    const message = String(why instanceof Error ? why.message : why).slice(0, 2000);
    return await job.report((run) => client.call("fail_task", { ...run, error: { category, message } }));
  } finally {
    job.end();
  }
}

/**
 * Claims tasks and passes them to the handler, one at a time; returns how many it has reported.  What
 * the handler returns completes the task; an exception fails it, Stopped as cancelled.  A worker that
 * dies loses its lease, and the task is retried or lost as its retry policy says.
 */
export async function work(client: Client, handler: (job: Job) => Done | Promise<Done>, options: WorkOptions = {}): Promise<number> {
  const { kind, session, leaseMs = 30_000, pollMs = 1_000, once = false, signal } = options;
  const { process } = globalThis as { process?: { pid?: number } };
  const worker = options.worker ?? `worker-${process?.pid ?? Math.random().toString(36).slice(2)}`;
  const wish = { workerId: worker, leaseMs, ...(kind && { taskKind: kind }), ...(session && { sessionId: session }) };
  let reported = 0;
  while (!signal?.aborted) {
    const claim = await client.call("claim_task", wish);
    if (claim.taskId && claim.task) {
      if (await workOn(client, new Job(client, claim.task, claim, worker, leaseMs), handler)) reported++;
    } else if (once) break;
    else await pause(pollMs, signal);
  }
  return reported;
}

// One turn from its input to its end.
import type { Client } from "./client.js";
import { NoModel } from "./errors.js";
import type { EventStream } from "./events.js";
import type { RespondActionArgs, RuntimeEvent } from "./types.js";

/** The answer of an action handler: a decision, arguments of respond_action, or nothing. */
export type Answer = RespondActionArgs["decision"] | Omit<RespondActionArgs, "sessionId" | "actionId"> | undefined;
export type OnAction = (action: RuntimeEvent) => Answer | Promise<Answer>;

export interface Result {
  sessionId: string;
  turnId: string;
  /** completed, or another outcome. */
  status: string;
  /** The text of the model's last response. */
  text: string;
  /** undefined: the runtime does not know. */
  costUsd: number | undefined;
  /** The event that ended the turn; for a failure it has category, message and remedy. */
  event: RuntimeEvent;
}

/**
 * A submitted turn.  Iterating returns its events as they arrive; `result()` waits for the end.
 * If no model could be asked, for example because its name is unknown, the end throws NoModel.
 * The turn runs in the runtime: leaving the iteration does not end it, `stop()` does.
 */
export class Run implements AsyncIterable<RuntimeEvent> {
  /** Known with the first event. */
  threadId: string | undefined;
  private words = "";
  private end: RuntimeEvent | undefined;

  /** Use Client.run(). */
  constructor(
    private readonly client: Client,
    private readonly stream: EventStream,
    readonly sessionId: string,
    readonly turnId: string,
  ) {}

  private fold(event: RuntimeEvent): void {
    const payload: any = event.payload ?? {};
    this.threadId = event.threadId ?? this.threadId;
    if (event.type === "model.requested") this.words = "";
    else if (event.type === "model.delta" && payload.kind === "text") this.words += payload.text;
    else if ((event.type === "turn.completed" || event.type === "turn.failed") && event.turnId === this.turnId) this.end = event;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RuntimeEvent, void> {
    while (!this.end) {
      const { done, value } = await this.stream.next();
      if (done) return;
      this.fold(value);
      if (this.end) this.stream.close();
      yield value;
    }
    if ((this.end.payload as any)?.category === "no_candidate") throw new NoModel(this.end);
  }

  /** Pieces of the model's text as they arrive. */
  async *text(): AsyncGenerator<string, void> {
    for await (const event of this) {
      const payload: any = event.payload ?? {};
      if (event.type === "model.delta" && payload.kind === "text") yield payload.text;
    }
  }

  /**
   * Waits for the end.  The result of `onAction` for an action.required is sent as its answer; without
   * one the action stays open, and another client or its deadline decides.
   */
  async result(onAction?: OnAction): Promise<Result> {
    for await (const event of this)
      if (onAction && event.type === "action.required") await this.client.answer(event, await onAction(event));
    const event = this.end!;
    const payload: any = event.payload;
    return { sessionId: this.sessionId, turnId: this.turnId, status: payload.outcome, text: this.words, costUsd: payload.costUsd, event };
  }

  async stop(): Promise<void> {
    const { sessionId, turnId, threadId } = this;
    await this.client.call("interrupt_turn", { sessionId, turnId, ...(threadId && { threadId }) });
  }
}

// The client: commands, events, turns, approvals.
import { EventStream } from "./events.js";
import { Run, type Answer } from "./run.js";
import { keyed, type ActionView, type AgentArtifactEvent, type AgentContextEvent, type AgentEvidenceEvent, type AgentPolicyEvent, type AgentToolEvent, type AgentUiEvent, type CloudeventsEvent, type Commands, type EventForm, type ListActionsArgs, type SubmitTurnArgs } from "./types.js";
import { newKey, Patience, Wire, type Fetch } from "./wire.js";

export interface ClientOptions {
  /** The bearer token; not needed on a Unix socket, or in the console's own pages. */
  token?: string;
  /** How long requests are retried before Unreachable is thrown; 30,000 by default. */
  patienceMs?: number;
  /** Another fetch, such as unixFetch of "thole/node". */
  fetch?: Fetch;
  /** Where new sessions work; in Node, and with a runtime of this machine, the current directory by default. */
  cwd?: string;
}

export interface EventsOptions {
  session?: string;
  /** A sequence or a stream's `cursor`; over all sessions "end" starts with new events. */
  after?: number | string;
  types?: readonly string[];
  thread?: string;
  turn?: string;
  /** false: stored events only, without waiting for new ones. */
  follow?: boolean;
}

/** The type of an event in each export format. */
export interface Forms {
  agent_ui: AgentUiEvent;
  agent_policy: AgentPolicyEvent;
  cloudevents: CloudeventsEvent;
  agent_tool: AgentToolEvent;
  agent_context: AgentContextEvent;
  agent_artifact: AgentArtifactEvent;
  agent_evidence: AgentEvidenceEvent;
}

/** Commands that create a session unless they name one; a new session needs a directory. */
const beginners: ReadonlySet<string> = new Set(["submit_turn", "create_session", "create_task", "create_job", "create_schedule"]);
const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]", "thole"]);

/** An image in the input of a turn, by the ref of its upload. */
export interface ImagePart {
  type: "image";
  mediaType: string;
  ref: string;
  bytes: number;
  sha256: string;
}

const pieceBytes = 512 * 1024; // of an upload: in base64 it fits into a command

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** The directory of this program; none in a browser. */
function currentDirectory(): string | undefined {
  const { process } = globalThis as { process?: { cwd?: () => string } };
  return process?.cwd?.();
}

const present = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((pair): pair is [string, string] => !!pair[1]));

/**
 * A client of a running daemon.  A command that changes something carries an idempotency key, so one
 * that is repeated because its reply was lost has one effect.
 */
export class Client {
  private readonly wire: Wire;
  private readonly patienceMs: number;
  private readonly cwd: string | undefined;
  private readonly isHere: boolean;

  constructor(url: string, options: ClientOptions = {}) {
    this.cwd = options.cwd;
    this.isHere = loopback.has(url.replace(/^[a-z]+:\/\//, "").replace(/[/?#].*$/, "").replace(/:\d+$/, ""));
    this.wire = new Wire(url.replace(/\/+$/, ""), options.token, options.fetch ?? ((to, init) => fetch(to, init)));
    this.patienceMs = options.patienceMs ?? 30_000;
  }

  private async ask(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Uint8Array> {
    const patience = new Patience(this.patienceMs);
    for (;;) {
      try {
        const response = await this.wire.request(method, path, body === undefined ? { headers } : { body, headers });
        return await this.wire.bytes(response);
      } catch (why) {
        await patience.wait(why);
      }
    }
  }

  /** The arguments, with the directory where the command may create a session. */
  private placed<A extends object>(command: string, args: A): A {
    const given = args as { sessionId?: string; cwd?: string };
    if (!beginners.has(command) || given.sessionId || given.cwd) return args;
    const cwd = this.cwd ?? (this.isHere ? currentDirectory() : undefined);
    return cwd ? { ...args, cwd } : args;
  }

  /** Any command of the reference, by its name. */
  async call<K extends keyof Commands>(command: K, args: Commands[K]["args"]): Promise<Commands[K]["reply"]> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (keyed.has(command) && !("idempotencyKey" in args)) headers["Idempotency-Key"] = newKey();
    const answer = await this.ask("POST", `/v1/commands/${command}`, JSON.stringify(this.placed(command, args)), headers);
    return JSON.parse(new TextDecoder().decode(answer));
  }

  /** A whole output, of which events show only the beginning. */
  output(outputRef: string): Promise<Uint8Array> {
    return this.ask("GET", `/v1/outputs/${encodeURIComponent(outputRef)}`);
  }

  /** A part for the input of a turn. The image, up to 20 MiB, is uploaded in pieces first. */
  async image(data: Uint8Array, mediaType: string): Promise<ImagePart> {
    let reply: Commands["upload_output"]["reply"] | undefined;
    for (let offset = 0; offset === 0 || offset < data.length; offset += pieceBytes) {
      const piece = data.subarray(offset, offset + pieceBytes);
      reply = await this.call("upload_output", {
        ...(reply ? { outputRef: reply.outputRef } : { mediaType }),
        offset,
        data: base64(piece),
        last: offset + piece.length === data.length,
      });
    }
    return { type: "image", mediaType, ref: reply!.outputRef, bytes: reply!.sizeBytes, sha256: reply!.sha256! };
  }

  /** Events of one session or of all, from the start or after a position; with `as` in an export format. */
  async events<F extends keyof Forms>(options: EventsOptions & { as: F }): Promise<EventStream<Forms[F]>>;
  async events(options?: EventsOptions): Promise<EventStream>;
  async events(options: EventsOptions & { as?: EventForm } = {}): Promise<EventStream<any>> {
    const { session, after, types, thread, turn, follow = true, as } = options;
    const isEnd = after === "end";
    const query = present({ session, thread, turn, types: types?.join(","), follow: follow ? "1" : "0", after: isEnd ? "end" : undefined, as });
    const cursor = after === undefined || isEnd ? undefined : String(after);
    return new EventStream({ wire: this.wire, query, cursor, patienceMs: this.patienceMs }).begin();
  }

  /** Submits a turn, with the arguments of submit_turn, and follows it. */
  async run(input: SubmitTurnArgs["input"], args: Omit<SubmitTurnArgs, "input"> = {}): Promise<Run> {
    const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "text/event-stream" };
    if (!args.idempotencyKey) headers["Idempotency-Key"] = newKey();
    const body = JSON.stringify({ ...this.placed("submit_turn", args), input });
    const query: Record<string, string> = {};
    // Before the first event arrives, a retry repeats the same command with the same key.
    const first = async (signal: AbortSignal): Promise<Response> => {
      const response = await this.wire.request("POST", "/v1/run", { body, headers, signal });
      query["session"] = response.headers.get("Thole-Session")!;
      query["turn"] = response.headers.get("Thole-Turn")!;
      return response;
    };
    const stream = await new EventStream({ wire: this.wire, query, patienceMs: this.patienceMs, first }).begin();
    return new Run(this, stream, query["session"]!, query["turn"]!);
  }

  /** Pending approvals and questions, oldest first, over all pages. */
  async *actions(args: ListActionsArgs = {}): AsyncGenerator<ActionView, void> {
    for (let cursor = args.cursor; ; ) {
      const page = await this.call("list_actions", { status: "pending", ...args, ...(cursor && { cursor }) });
      yield* page.actions;
      cursor = page.nextCursor;
      if (!cursor) return;
    }
  }

  /**
   * All arguments of the call that an action is about, however long: show them before it is
   * answered.  Undefined if the action is about no call.
   */
  async inputOf(action: { sessionId: string; turnId?: string; toolCallId?: string; inputRef?: string; payload?: unknown }): Promise<unknown> {
    const about = (action.payload ?? action) as { inputRef?: string };
    if (about.inputRef) return JSON.parse(new TextDecoder().decode(await this.output(about.inputRef)));
    if (!action.toolCallId) return undefined;
    let args: unknown;
    for (let after = 0; ; ) {
      const page = (await this.call("list_events", {
        sessionId: action.sessionId,
        turnId: action.turnId,
        types: ["tool.args"],
        after,
      })) as { events: { toolCallId?: string; payload: { safeArgs?: unknown } }[]; more?: boolean; lastSequence?: number };
      for (const event of page.events) if (event.toolCallId === action.toolCallId) args = event.payload.safeArgs;
      if (!page.more || (page.lastSequence ?? 0) <= after) return args;
      after = page.lastSequence!;
    }
  }

  /** Answers an action of `actions()` or an event action.required; undefined leaves it open. */
  async answer(action: { sessionId: string; actionId?: string }, answer: Answer): Promise<void> {
    if (answer === undefined) return;
    const given = typeof answer === "string" ? { decision: answer } : answer;
    await this.call("respond_action", { sessionId: action.sessionId, actionId: action.actionId!, ...given });
  }
}

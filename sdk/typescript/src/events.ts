// Following the log.
//
// A stream survives disconnects: it remembers the position of the last event that it returned and
// requests the events after it.  A partly received event is dropped with its connection, so no event
// is missed and none arrives twice.
import { Gap, Unreachable } from "./errors.js";
import type { RuntimeEvent } from "./types.js";
import { Patience, type Wire } from "./wire.js";

const SILENCE_MS = 45_000; // three keepalive intervals of the runtime

interface Frame {
  id: string;
  name: string;
  data: string;
}

function readFrame(text: string): Frame {
  const frame: Frame = { id: "", name: "", data: "" };
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") frame.id = value;
    else if (field === "event") frame.name = value;
    else if (field === "data") frame.data += (frame.data ? "\n" : "") + value;
  }
  return frame;
}

/** One connection: frames as they arrive, until it ends in order or breaks. */
class Connection {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private frames: Frame[] = [];
  private rest = "";
  /** The runtime announced that it closes the stream early. */
  isCut = false;

  constructor(
    response: Response,
    private readonly abort: AbortController,
  ) {
    this.reader = response.body!.getReader();
  }

  async next(): Promise<Frame | undefined> {
    while (!this.frames.length) {
      const timer = setTimeout(() => this.abort.abort(), SILENCE_MS);
      try {
        const { done, value } = await this.reader.read();
        if (done) return undefined;
        const parts = (this.rest + this.decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
        this.rest = parts.pop()!;
        this.frames = parts.map(readFrame);
      } catch (cause) {
        throw new Unreachable(`the stream broke: ${String(cause)}`, { cause });
      } finally {
        clearTimeout(timer);
      }
    }
    return this.frames.shift();
  }

  close(): void {
    this.abort.abort();
  }
}

export interface StreamOptions {
  wire: Wire;
  query: Record<string, string>;
  cursor?: string | undefined;
  patienceMs: number;
  /** The first request, used until an event has arrived; it may add to the query. */
  first?: (signal: AbortSignal) => Promise<Response>;
}

/**
 * Events, for `for await`.  `cursor` is the position of the last event that was returned: keep it, and
 * a later stream with `after: cursor` resumes there, also in another process.
 */
export class EventStream<Event = RuntimeEvent> implements AsyncIterableIterator<Event> {
  cursor: string | undefined;
  private readonly patience: Patience;
  private readonly closed = new AbortController();
  private connection: Connection | undefined;

  /** Use Client.events(). */
  constructor(private readonly options: StreamOptions) {
    this.cursor = options.cursor;
    this.patience = new Patience(options.patienceMs);
  }

  /** Resolves when the stream has started: everything that happens from now on will be in it. */
  async begin(): Promise<this> {
    while (!this.connection && !this.closed.signal.aborted) {
      try {
        this.connection = await this.open();
      } catch (why) {
        await this.patience.wait(why, this.closed.signal);
      }
    }
    return this;
  }

  private async open(): Promise<Connection> {
    const abort = new AbortController();
    this.closed.signal.addEventListener("abort", () => abort.abort(), { signal: abort.signal });
    try {
      return new Connection(await this.request(abort.signal), abort);
    } catch (why) {
      abort.abort(); // forgets the listener
      throw why;
    }
  }

  private request(signal: AbortSignal): Promise<Response> {
    const { wire, query, first } = this.options;
    if (first && !this.cursor) return first(signal);
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.cursor) headers["Last-Event-ID"] = this.cursor;
    return wire.request("GET", "/v1/events?" + new URLSearchParams(query), { headers, signal });
  }

  private drop(): void {
    this.connection?.close();
    this.connection = undefined;
  }

  /** undefined: the connection has ended in order, and no more events follow. */
  private async nextFrame(): Promise<Frame | undefined> {
    this.connection ??= await this.open();
    const frame = await this.connection.next();
    if (frame) {
      this.patience.reset();
      return frame;
    }
    if (this.options.query["follow"] === "0" && !this.connection.isCut) return undefined;
    throw new Unreachable("the runtime ended the stream");
  }

  private take(frame: Frame): Event | undefined {
    if (frame.name === "end") {
      this.connection!.isCut = true;
      return undefined;
    }
    if (frame.id) this.cursor = frame.id;
    const body = frame.data ? JSON.parse(frame.data) : undefined;
    if (frame.name === "gap") throw new Gap(body);
    return body;
  }

  async next(): Promise<IteratorResult<Event, undefined>> {
    while (!this.closed.signal.aborted) {
      let frame: Frame | undefined;
      try {
        frame = await this.nextFrame();
      } catch (why) {
        this.drop();
        if (!this.closed.signal.aborted) await this.patience.wait(why, this.closed.signal);
        continue;
      }
      if (!frame) break;
      const event = this.take(frame);
      if (event) return { done: false, value: event };
    }
    this.close();
    return { done: true, value: undefined };
  }

  /** Ends the stream, also while a caller waits for the next event. */
  close(): void {
    this.closed.abort();
    this.drop();
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

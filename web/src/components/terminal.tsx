// A live terminal: the output of a process, and typed input.  Loaded on demand, because xterm is large.
import { Terminal as Xterm } from "@xterm/xterm";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { may, read, send } from "../api/client";
import { onEvents, onStart } from "../api/stream";
import type { GetOutputReply, ListedProcess } from "../api/types";
import { t } from "../text/text";

const PART = 128 * 1024;
const TAIL = 512 * 1024; // only the end of a longer output is drawn

/**
 * The terminal creates style elements, which the page's content security policy forbids.  It gets an
 * inert element instead, and the text goes into a style sheet of the document.
 */
function withSheets(make: () => void): void {
  const original = document.createElement;
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    if (name !== "style") return original.call(document, name, options);
    const stand = original.call(document, "span");
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    Object.defineProperty(stand, "textContent", { set: (css: string) => sheet.replaceSync(css) });
    stand.hidden = true;
    stand.remove = () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      Element.prototype.remove.call(stand);
    };
    return stand;
  } as typeof document.createElement;
  try {
    make();
  } finally {
    document.createElement = original;
  }
}

function colours(): { background: string; foreground: string; cursor: string; selectionBackground: string } {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { background: of("--sunk"), foreground: of("--text"), cursor: of("--accent"), selectionBackground: of("--line") };
}

const bytesOf = (part: GetOutputReply): string | Uint8Array =>
  part.text ?? Uint8Array.from(atob(part.base64 ?? ""), (c) => c.charCodeAt(0));

/** Reads output from its offset to the end, one request at a time. */
class Follower {
  private offset = -1;
  private isReading = false;
  private wantsMore = false;

  constructor(
    private readonly process: ListedProcess,
    private readonly write: (data: string | Uint8Array) => void,
    private readonly fail: (why: string) => void,
  ) {}

  readonly more = async (): Promise<void> => {
    this.wantsMore = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.wantsMore) {
        this.wantsMore = false;
        await this.readOn();
      }
    } catch (e) {
      this.fail((e as Error).message);
    }
    this.isReading = false;
  };

  private async readOn(): Promise<void> {
    const { outputRef, sessionId } = this.process;
    if (!outputRef) return;
    for (;;) {
      const part = await read("get_output", { outputRef, sessionId, offset: Math.max(0, this.offset), length: PART });
      if (this.offset < 0 && part.output.sizeBytes > TAIL) {
        this.offset = part.output.sizeBytes - TAIL;
        continue;
      }
      this.write(bytesOf(part));
      this.offset = part.offset + part.bytes;
      if (!part.bytes || part.eof) return;
    }
  }
}

function cellWidth(box: HTMLElement): number {
  const probe = document.createElement("span");
  probe.className = "term-probe";
  probe.textContent = "0".repeat(50);
  box.append(probe);
  const width = probe.getBoundingClientRect().width / 50;
  probe.remove();
  return width || 8;
}

/** Sends typed input in order: each command waits for the previous one. */
function typist(process: ListedProcess, fail: (why: string) => void): (data: string) => void {
  let last = Promise.resolve();
  return (data) => {
    last = last.then(() =>
      send("write_process_stdin", { sessionId: process.sessionId, processId: process.processId, data }).then(
        () => {},
        (e: Error) => fail(e.message),
      ),
    );
  };
}

export function Terminal({ process }: { process: ListedProcess }) {
  const box = useRef<HTMLDivElement>(null);
  const failure = useSignal("");
  const fail = (why: string) => (failure.value = why);
  useEffect(() => {
    const place = box.current!;
    const columns = Math.max(20, Math.min(240, Math.floor((place.clientWidth - 24) / cellWidth(place))));
    const term = new Xterm({
      cols: columns,
      rows: 24,
      convertEol: !process.tty,
      disableStdin: !process.tty || process.status !== "running" || !may("write"),
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
      fontSize: 13,
      linkHandler: { activate: () => {} },
      scrollback: 5000,
      theme: colours(),
    });
    withSheets(() => term.open(place));
    const type = typist(process, fail);
    term.onData(type);
    if (process.tty && process.status === "running" && may("write"))
      send("resize_process", { sessionId: process.sessionId, processId: process.processId, columns, rows: 24 }).catch((e: Error) => fail(e.message));
    const theme = new MutationObserver(() => (term.options.theme = colours()));
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const follower = new Follower(process, (data) => term.write(data), fail);
    const ends = [
      onStart(() => void follower.more()),
      onEvents((events) => events.some((e) => e.processId === process.processId) && void follower.more()),
    ];
    return () => {
      for (const end of ends) end();
      theme.disconnect();
      term.dispose();
    };
  }, [process.processId]);
  return (
    <>
      <div class="term" ref={box} role="group" aria-label={t("processes.terminal")} />
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
    </>
  );
}

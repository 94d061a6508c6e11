// Text that a user decides about, and whether all of it has been on the screen.
//
// The text is cut into short pieces, and an IntersectionObserver notes each piece once it was visible, also inside a
// box that scrolls.  As long as a piece is left, nothing that contains it can be approved.
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import { reveal, safe } from "../text/format";
import { painted } from "./code";

const PIECE_CHARS = 240;
const PIECE_LINES = 4;
const ENOUGH = 0.9; // of a piece; rounding keeps some from reaching all of it

export class Seen {
  /** Pieces that have not been on the screen. */
  readonly left = signal(0);
  private readonly waiting = new Set<Element>();
  private readonly observer = new IntersectionObserver((entries) => this.note(entries), { threshold: [0, 0.5, ENOUGH, 1] });

  private note(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, intersectionRatio, boundingClientRect } of entries) {
      const isEmpty = !boundingClientRect.width || !boundingClientRect.height;
      if (!isIntersecting || !(isEmpty || intersectionRatio >= ENOUGH)) continue;
      this.waiting.delete(target);
      this.observer.unobserve(target);
    }
    this.count();
  }

  /** Pieces that were taken off the page do not count. */
  private count(): void {
    for (const piece of this.waiting) if (!piece.isConnected) this.waiting.delete(piece);
    this.left.value = this.waiting.size;
  }

  readonly watch = (piece: HTMLElement | null): void => {
    if (!piece) {
      queueMicrotask(() => this.count());
      return;
    }
    this.waiting.add(piece);
    this.observer.observe(piece);
    this.left.value = this.waiting.size;
  };

  /** Scrolls to the first piece that has not been on the screen. */
  showNext(): void {
    const [first] = [...this.waiting].sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    first?.scrollIntoView({ block: "start" });
  }

  close(): void {
    this.observer.disconnect();
  }
}

export const SeenBy = createContext<Seen | undefined>(undefined);

export function useSeen(): Seen {
  const seen = useMemo(() => new Seen(), []);
  useEffect(() => () => seen.close(), []);
  return seen;
}

/** Pieces of at most four lines and 240 characters; together they are the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let lines = 0;
  for (const line of text.split(/(?<=\n)/)) {
    for (let rest = line; rest; ) {
      // A character of two halves stays whole.
      const part = rest.slice(0, Math.max(2, PIECE_CHARS - piece.length)).replace(/(?<=.)[\ud800-\udbff]$/s, "");
      piece += part;
      rest = rest.slice(part.length);
      if (part.endsWith("\n")) lines++;
      if (piece.length < PIECE_CHARS && lines < PIECE_LINES) continue;
      pieces.push(piece);
      piece = "";
      lines = 0;
    }
  }
  if (piece) pieces.push(piece);
  return pieces;
}

/** Text of an agent: with nothing hidden and watched inside an approval, otherwise only harmless. */
export function Shown({ text, language }: { text: string; language?: string }) {
  const seen = useContext(SeenBy);
  const pieces = useMemo(() => (seen ? piecesOf(reveal(text)) : []), [seen, text]);
  if (!seen) return <>{painted(safe(text), language)}</>;
  return (
    <>
      {pieces.map((piece, i) => (
        // A changed piece is another element, so that it counts as not seen.
        <span key={`${i}:${piece}`} ref={seen.watch}>
          {painted(piece, language)}
        </span>
      ))}
    </>
  );
}

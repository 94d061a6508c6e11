// Several tabs of one browser, one event stream: the tab that holds a lock follows it and tells the others.
//
// Where the browser has no locks (a page that came in the clear from another machine) each tab
// follows by itself.
import type { Damage, LinkState } from "./stream";
import type { RuntimeEvent } from "./types";

export interface Told {
  events?: RuntimeEvent[];
  cursor?: string;
  state?: LinkState;
  isGap?: boolean;
  damaged?: Damage;
}

type Message = { kind: "told"; told: Told } | { kind: "hello" };

const NAME = "thole-stream";
const SILENT_MS = 45_000; // three times what the runtime lets pass between two signs of life
const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);
/** While this tab follows: a mark of its own for each time. */
let reign: object | undefined;

/** To the other tabs; of use only in the one that follows. */
export function tell(told: Told): void {
  if (reign) channel?.postMessage({ kind: "told", told } satisfies Message);
}

/**
 * Waits until this tab is the one that follows, hearing meanwhile what the other says; then runs
 * follow.  stand says where this tab stands, for a tab that comes later.
 */
export async function beFirst(
  hear: (told: Told) => void,
  stand: () => Told,
  follow: (isFollowing: () => boolean) => Promise<void>,
): Promise<void> {
  if (!channel || !navigator.locks) return follow(() => true);
  let heardAt = Date.now();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "hello") return tell(stand());
    if (reign) return;
    heardAt = Date.now();
    hear(data.told);
  };
  const abort = new AbortController();
  // Whoever is silent for so long is frozen or gone; its place is taken.
  const watch = setInterval(() => Date.now() - heardAt > SILENT_MS && abort.abort(), 5000);
  async function hold(): Promise<void> {
    clearInterval(watch);
    const mine = (reign = {});
    await follow(() => reign === mine);
  }
  channel.postMessage({ kind: "hello" } satisfies Message);
  try {
    await navigator.locks.request(NAME, { signal: abort.signal }, hold).catch((e: Error) => {
      if (reign || e.name !== "AbortError") throw e;
      return navigator.locks.request(NAME, { steal: true }, hold);
    });
  } catch {
    // Stolen by another tab: from now on it is the one that speaks.
  } finally {
    clearInterval(watch);
    reign = undefined;
  }
}

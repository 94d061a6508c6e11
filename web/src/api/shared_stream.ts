// One event stream for all tabs of a browser: the tab that holds a lock reads the stream and broadcasts it to the
// others.
//
// A browser has no locks on an unencrypted page from another machine; there each tab reads its own stream.
import type { Damage, LinkState } from "./stream";
import type { RuntimeEvent } from "./types";

export interface StreamUpdate {
  events?: RuntimeEvent[];
  cursor?: string;
  state?: LinkState;
  isGap?: boolean;
  damaged?: Damage;
}

type Message = { kind: "update"; update: StreamUpdate } | { kind: "hello" };

const NAME = "thole-stream";
const SILENT_MS = 45_000; // three keepalive intervals of the runtime
const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);
/** Set while this tab reads the stream; a new object for each period. */
let leadership: object | undefined;

/** Sends an update to the other tabs.  Does nothing unless this tab reads the stream. */
export function broadcast(update: StreamUpdate): void {
  if (leadership) channel?.postMessage({ kind: "update", update } satisfies Message);
}

/**
 * Receives updates until this tab obtains the lock, then runs follow.  current returns this tab's
 * state for a tab that opens later.
 */
export async function leadOrFollow(
  receive: (update: StreamUpdate) => void,
  current: () => StreamUpdate,
  follow: (isFollowing: () => boolean) => Promise<void>,
): Promise<void> {
  if (!channel || !navigator.locks) return follow(() => true);
  let receivedAt = Date.now();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "hello") return broadcast(current());
    if (leadership) return;
    receivedAt = Date.now();
    receive(data.update);
  };
  const abort = new AbortController();
  // A tab that is silent for so long is frozen or closed: take the lock.
  const watch = setInterval(() => Date.now() - receivedAt > SILENT_MS && abort.abort(), 5000);
  async function hold(): Promise<void> {
    clearInterval(watch);
    const mine = (leadership = {});
    await follow(() => leadership === mine);
  }
  channel.postMessage({ kind: "hello" } satisfies Message);
  try {
    await navigator.locks.request(NAME, { signal: abort.signal }, hold).catch((e: Error) => {
      if (leadership || e.name !== "AbortError") throw e;
      return navigator.locks.request(NAME, { steal: true }, hold);
    });
  } catch {
    // Another tab took the lock and reads the stream now.
  } finally {
    clearInterval(watch);
    leadership = undefined;
  }
}

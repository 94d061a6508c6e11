// Sends the message of a failed turn again.
import { useSignal } from "@preact/signals";
import { may, Problem, request, send } from "../api/client";
import type { OpenThread } from "../state/thread";
import type { Turn } from "../state/transcript";
import { t } from "../text/text";
import { Wrong } from "./ui";

/** The whole message: events hold only its beginning. */
export async function inputOf(turn: Turn): Promise<string | undefined> {
  const item = turn.items.find((one) => one.kind === "user_message");
  if (!item?.isText) return undefined;
  const isWhole = (item.textBytes ?? 0) <= new TextEncoder().encode(item.text).length;
  if (isWhole || !item.textRef) return item.text;
  return (await request(`/v1/outputs/${encodeURIComponent(item.textRef)}`)).text();
}

/** A turn that called no tool has done nothing, so the message replaces it; otherwise the model keeps what was done. */
async function retry(open: OpenThread, turn: Turn): Promise<void> {
  const ids = { sessionId: open.sessionId, threadId: open.threadId };
  const input = await inputOf(turn);
  if (input === undefined) return;
  if (!turn.items.some((item) => item.tool))
    await send("rollback_thread", { ...ids, toSequence: turn.firstSequence - 1, reason: "retry" }).catch((e) => {
      if (!(e instanceof Problem) || e.code === "network") throw e; // a refusal leaves the history as it is
    });
  await send("submit_turn", { ...ids, input, source: "console" });
}

export function Retry({ open, turn }: { open: OpenThread; turn: Turn }) {
  const isBusy = useSignal(false);
  const failure = useSignal<Error | undefined>(undefined);
  const isLast = open.transcript.turns.at(-1)?.id === turn.id;
  const hasMessage = turn.items.some((item) => item.kind === "user_message" && item.isText);
  if (!may("write") || !isLast || !hasMessage || open.view.value?.activeTurnId || open.trace.removed.has(turn.id)) return null;
  async function run(): Promise<void> {
    isBusy.value = true;
    failure.value = undefined;
    await retry(open, turn).catch((e: Error) => (failure.value = e));
    isBusy.value = false;
  }
  return (
    <div class="buttons">
      <button type="button" class="primary" disabled={isBusy.value} onClick={() => void run()}>
        {t("thread.retry")}
      </button>
      <Wrong of={failure.value} />
    </div>
  );
}

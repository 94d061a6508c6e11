// Commands that a page sends, with the failure shown where they were asked for.
import { useSignal } from "@preact/signals";
import { send } from "../api/client";
import type { Args, CommandName } from "../api/types";

export interface Desk {
  run: <C extends CommandName>(command: C, args: Args<C>) => Promise<boolean>;
  failure: string;
  isBusy: boolean;
}

/** then gets the answer of a command that was accepted. */
export function useCommand(then?: (reply: Record<string, unknown>, command: string) => void): Desk {
  const failure = useSignal("");
  const isBusy = useSignal(false);
  async function run<C extends CommandName>(command: C, args: Args<C>): Promise<boolean> {
    isBusy.value = true;
    failure.value = "";
    try {
      const reply: object = await send(command, args);
      then?.(reply as Record<string, unknown>, command);
      return true;
    } catch (e) {
      failure.value = (e as Error).message;
      return false;
    } finally {
      isBusy.value = false;
    }
  }
  return { run, failure: failure.value, isBusy: isBusy.value };
}

export function Failure({ of }: { of: Desk }) {
  return of.failure ? (
    <p class="error" role="alert">
      {of.failure}
    </p>
  ) : null;
}

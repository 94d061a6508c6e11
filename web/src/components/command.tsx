// Sends a page's commands and shows a failure next to the control that sent them.
import { useSignal } from "@preact/signals";
import { send } from "../api/client";
import type { Args, CommandName } from "../api/types";
import { Wrong } from "./ui";

export interface CommandSender {
  run: <C extends CommandName>(command: C, args: Args<C>) => Promise<boolean>;
  failure: Error | undefined;
  isBusy: boolean;
}

/** then receives the reply of an accepted command. */
export function useCommand(then?: (reply: Record<string, unknown>, command: string) => void): CommandSender {
  const failure = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  async function run<C extends CommandName>(command: C, args: Args<C>): Promise<boolean> {
    isBusy.value = true;
    failure.value = undefined;
    try {
      const reply: object = await send(command, args);
      then?.(reply as Record<string, unknown>, command);
      return true;
    } catch (e) {
      failure.value = e as Error;
      return false;
    } finally {
      isBusy.value = false;
    }
  }
  return { run, failure: failure.value, isBusy: isBusy.value };
}

export function Failure({ of }: { of: CommandSender }) {
  return <Wrong of={of.failure} />;
}

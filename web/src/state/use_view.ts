// A page's own reading of the runtime: read when the page opens and whenever the stream says that it may have changed.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isQuiet, throttled } from "./store";
import { onEvents, onStart } from "../api/stream";
import type { RuntimeEvent } from "../api/types";

export interface View<T> {
  value: T | undefined; // of the last reading that worked
  failure: string;
  again: () => void;
}

/** families: "task." and the like; an event of another class changes nothing here. */
export function useView<T>(load: () => Promise<T>, families: string[], deps: unknown[]): View<T> {
  const value = useSignal<T | undefined>(undefined);
  const failure = useSignal("");
  const latest = useRef(load);
  latest.current = load;
  const ask = useRef<() => void>(() => {});
  useEffect(() => {
    let isGone = false;
    value.value = undefined;
    const refresh = throttled(async () => {
      try {
        const read = await latest.current();
        if (isGone) return;
        value.value = read;
        failure.value = "";
      } catch (e) {
        if (!isGone) failure.value = (e as Error).message;
      }
    });
    ask.current = refresh;
    const concerns = (e: RuntimeEvent) => !isQuiet(e.type) && families.some((family) => e.type.startsWith(family));
    const ends = [onStart(() => refresh()), onEvents((events) => events.some(concerns) && refresh())];
    return () => {
      isGone = true;
      for (const end of ends) end();
    };
  }, deps);
  return { value: value.value, failure: failure.value, again: () => ask.current() };
}

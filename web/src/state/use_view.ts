// Reads a page's data when the page opens and again whenever an event may have changed it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isQuiet, throttled } from "./store";
import { onEvents, onStart } from "../api/stream";
import type { RuntimeEvent } from "../api/types";

export interface View<T> {
  value: T | undefined; // of the last successful read
  failure: Error | undefined;
  again: () => void;
}

/** Reads again in these intervals while the page is visible, and at once when it becomes visible again. */
export function useEvery(ms: number, again: () => void): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const look = () => document.hidden || latest.current();
    const timer = setInterval(look, ms);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [ms]);
}

/** families: prefixes of the event types that may change the data, such as "task.". */
export function useView<T>(load: () => Promise<T>, families: string[], deps: unknown[]): View<T> {
  const value = useSignal<T | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
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
        failure.value = undefined;
      } catch (e) {
        if (!isGone) failure.value = e as Error;
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

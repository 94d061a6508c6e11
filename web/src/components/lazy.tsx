// A part of a page that is loaded when it is first needed, with the texts of such parts.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { loadPageTexts, t } from "../text/text";
import { Failed } from "./ui";

export function Lazy<P extends object>({ load, props }: { load: () => Promise<ComponentType<P>>; props: P }) {
  const found = useSignal<ComponentType<P> | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    Promise.all([load(), loadPageTexts()]).then(
      ([part]) => (found.value = part),
      (e: Error) => (failure.value = e),
    );
  }, []);
  const Part = found.value;
  if (failure.value) return <Failed why={failure.value} again={() => location.reload()} />;
  return Part ? <Part {...props} /> : <p class="reading">{t("common.loading")}</p>;
}

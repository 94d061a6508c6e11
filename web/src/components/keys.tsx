// Single-key shortcuts.  A user can switch them off.
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { go } from "../state/router";
import { Dialog } from "./ui";
import { t, type Word } from "../text/text";

export const singleKeys = signal(localStorage.getItem("thole.keys") !== "off");
export const isHelpOpen = signal(false);

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem("thole.keys", on ? "on" : "off");
}

/** The key that opens each page after "g". */
const GO: Record<string, string> = {
  l: "live",
  a: "approvals",
  t: "tasks",
  q: "queue",
  d: "schedules",
  s: "agents",
  j: "jobs",
  o: "processes",
  c: "channels",
  n: "peers",
  r: "routing",
  u: "cost",
  v: "evidence",
  b: "benchmarks",
  p: "policy",
  i: "logins",
  k: "tokens",
  e: "events",
  m: "nodes",
  h: "health",
};
let wantsPlace = false;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Shortcuts of a page while it is shown: those of what was drawn last.  Keys may come faster than a page is drawn, so
 * an action reads what is chosen when it runs.
 */
export function useKeys(table: Record<string, () => void>): void {
  useLayoutEffect(() => {
    function onKey(e: KeyboardEvent) {
      if (!singleKeys.value || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target) || isHelpOpen.value) return;
      if (wantsPlace) return;
      const act = table[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}

window.addEventListener("keydown", (e) => {
  if (!singleKeys.value || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
  const to = wantsPlace ? GO[e.key] : undefined;
  wantsPlace = e.key === "g" && !wantsPlace;
  if (wantsPlace) setTimeout(() => (wantsPlace = false), 1200);
  if (to) {
    e.preventDefault();
    e.stopImmediatePropagation();
    go(`/${to}`);
  } else if (e.key === "?") {
    isHelpOpen.value = true;
  }
});

export function KeyHelp() {
  if (!isHelpOpen.value) return null;
  const rows: [string, string][] = [
    ["j  k", t("keys.move")],
    ["Enter", t("keys.open")],
    ["x", t("keys.pick")],
    ["/", t("keys.search")],
    ...Object.entries(GO).map(([key, page]): [string, string] => [`g  ${key}`, t(`nav.${page}` as Word)]),
    ["y  n  e", t("keys.decide")],
    ["Ctrl Enter", t("keys.send")],
    ["?", t("keys.help")],
  ];
  return (
    <Dialog title={t("keys.title")} onClose={() => (isHelpOpen.value = false)}>
      <table class="keys">
        <tbody>
          {rows.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                {keys.split(/\s+/).map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={(e) => setSingleKeys(e.currentTarget.checked)} />
        {t("keys.single")}
      </label>
    </Dialog>
  );
}

// The pages in groups: beside the page on a wide screen, on a small one a bar below it and a drawer with all of them.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { href, place } from "../state/router";
import { actions } from "../state/store";
import { t, type Word } from "../text/text";
import { Dialog } from "./ui";

const GROUPS: [string, string[]][] = [
  ["work", ["live", "approvals", "tasks", "queue", "schedules"]],
  ["fleet", ["agents", "jobs", "processes", "channels", "peers"]],
  ["system", ["routing", "cost", "policy", "logins", "tokens", "events", "evidence", "benchmarks", "nodes", "health"]],
];
/** The pages that a small screen shows without opening the drawer. */
const NEAR = ["live", "approvals", "tasks"];

const wide = matchMedia("(min-width: 60rem)");
export const isWide = signal(wide.matches);
wide.addEventListener("change", () => (isWide.value = wide.matches));

const isDrawerOpen = signal(false);

function PageLink({ page }: { page: string }) {
  const here = place.value.path[0] === "thread" ? "live" : place.value.path[0];
  const pending = page === "approvals" ? (actions.value?.length ?? 0) : 0;
  return (
    <a href={href([page])} aria-current={page === here ? "page" : undefined} onClick={() => (isDrawerOpen.value = false)}>
      {t(`nav.${page}` as Word)}
      {pending > 0 && (
        <span class="count attention">
          {pending}
          <span class="sr-only"> {t("nav.pending")}</span>
        </span>
      )}
    </a>
  );
}

function Groups() {
  return (
    <>
      {GROUPS.map(([group, pages]) => (
        <div class="nav-group" key={group}>
          <p class="nav-title" id={`nav-${group}`}>
            {t(`nav.group.${group}` as Word)}
          </p>
          <ul aria-labelledby={`nav-${group}`}>
            {pages.map((page) => (
              <li key={page}>
                <PageLink page={page} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function Bar() {
  const isElsewhere = !NEAR.includes(place.value.path[0] ?? "live") && place.value.path[0] !== "thread";
  return (
    <>
      <ul class="nav-bar">
        {NEAR.map((page) => (
          <li key={page}>
            <PageLink page={page} />
          </li>
        ))}
        <li>
          <button type="button" class={isElsewhere ? "here" : undefined} aria-haspopup="dialog" aria-expanded={isDrawerOpen.value} onClick={() => (isDrawerOpen.value = true)}>
            {t("nav.more")}
          </button>
        </li>
      </ul>
      {isDrawerOpen.value && (
        <Dialog class="drawer" title={t("nav.main")} onClose={() => (isDrawerOpen.value = false)}>
          <Groups />
        </Dialog>
      )}
    </>
  );
}

export function Nav() {
  return (
    <nav class={isWide.value ? "nav-side" : "nav-below"} aria-label={t("nav.main")}>
      {isWide.value ? <Groups /> : <Bar />}
    </nav>
  );
}

/** A menu that closes on Escape and on a click elsewhere. */
export function useClosing() {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    function close(e: Event) {
      const isOutside = e instanceof KeyboardEvent ? e.key === "Escape" : !box.current?.contains(e.target as Node);
      if (isOutside && box.current) box.current.open = false;
    }
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return box;
}

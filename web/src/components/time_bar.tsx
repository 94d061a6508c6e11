// One bar that shows what took the time of a turn or of a session.  The runtime computes the parts (get_time_use).
import type { Reply } from "../api/types";
import { span } from "../text/format";
import { t, type Word } from "../text/text";

export type TimeUse = Reply<"get_time_use">["session"];

/** In the order of precedence, which src/core/usage/time_use.h defines. */
const PARTS = ["model", "people", "tool", "resource", "runtime"] as const;

const msOf = (of: TimeUse, part: (typeof PARTS)[number]): number => of[`${part}Ms`];

/** "model 12 s, people 3 min"; parts without time are left out. */
export function timeText(of: TimeUse): string {
  return PARTS.filter((part) => msOf(of, part) > 0)
    .map((part) => `${t(`time.${part}` as Word)} ${span(msOf(of, part))}`)
    .join(", ");
}

/** Only the picture: its figures are text beside it, or the tooltip and the hidden text of a row. */
export function TimeBar({ of }: { of: TimeUse }) {
  return (
    <span class="time-bar" aria-hidden="true">
      {PARTS.filter((part) => msOf(of, part) > 0).map((part) => (
        <span key={part} class={`time-${part}`} style={{ flexGrow: msOf(of, part) }} />
      ))}
    </span>
  );
}

/** The session's bar with its legend, above the timeline. */
export function SessionTime({ of }: { of: TimeUse }) {
  if (!of.durationMs) return null;
  return (
    <section class="session-time" aria-label={t("time.title")}>
      <p>
        {t("time.title")}: <span class="num">{span(of.durationMs)}</span>
      </p>
      <TimeBar of={of} />
      <ul>
        {PARTS.filter((part) => msOf(of, part) > 0).map((part) => (
          <li key={part}>
            <span class={`time-key time-${part}`} aria-hidden="true" />
            {t(`time.${part}` as Word)} <span class="num dim">{span(msOf(of, part))}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
